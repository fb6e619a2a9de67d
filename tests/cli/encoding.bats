#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Code is UTF-8 or it does not run: an interpreter that reads other text than what was scanned and shown would
# make an approval worthless. The rule is held against the interpreters themselves.
load helper

# Code that hides a newline and a statement in what looks like a comment.
hidden() { # COOKIE-LINE
	/usr/bin/python3 -c '
import base64, sys
code = base64.b64encode("\nopen(\"/tmp/owned\", \"w\"); print(\"OWNED\")\n".encode("utf-16-be")).decode().rstrip("=")
sys.stdout.write(sys.argv[1].encode().decode("unicode_escape") + "# summary, see build +%s-\nprint(1)\n" % code)' "$1"
}

utf7() {
	box "$1" "$T/x.py"
	exits 125
	err_has 'names the encoding utf-7'
	err_has 'because: line 1'
	err_has 'try: iconv -f utf-7 -t UTF-8 FILE'
	run ! grep -q OWNED "$T/out"
}
@test "text in UTF-7 runs nowhere, whether a person is asked or not" {
	hidden '# coding: utf-7\n' | code x.py
	/usr/bin/python3 x.py | grep -q OWNED # as the interpreter reads it
	every utf7
	status=0
	"$CORDON" plan --conversation "$("$CORDON" conversation new)" x.py 2>"$T/err" || status=$?
	exits 125
	err_has 'names the encoding utf-7'
	"$CORDON" run --user --tier no-cgroup --lang python - <x.py 2>"$T/err" || true
	err_has 'standard input names the encoding utf-7'
}

# Each Python that is there reads the same text as we show, or refuses it, or we do.
# bats test_tags=long
@test "no Python reads what runs in another way than we do" {
	cat >try.py <<-'END'
		import glob, os, subprocess, sys
		cordon, top = sys.argv[1:]
		pythons = sorted(p for p in set(glob.glob("/usr/bin/python3.[0-9]*") + glob.glob("/opt/python*/bin/python3"))
		                 if not p.endswith("config"))
		assert pythons
		body = b"s = '+AGE-'\nprint(ascii(s))\n"
		heads = [b"", b"\n", b"\xef\xbb\xbf", b"\f\n", b" \t\n", b"#\n", b"# x\n", b"#\r", b"#\r\n", b"\r", b"\r\n", b"\n\n",
		         b"'''\n", b"x = 1\n", b"x = 1\r", b"\\\n", b"#!/usr/bin/python3\n", b"\xef\xbb\xbf\n", b"#\f\n", b"\f", b"\v\n", b"pass;\n"]
		cookies = [b"# coding: %s\n", b"# -*- coding: %s -*-\n", b"#coding=%s\n", b"# vim: set fileencoding=%s :\n", b"\f# coding: %s\n",
		           b"\t # coding:\t%s\n", b"# coding: utf-8 coding: %s\n", b"# coding coding: %s\r\n", b"# coding: %s\r", b"# coding : %s\n",
		           b"# encoding:%s\n", b"# xcoding=%s\n", b"x = 1 # coding: %s\n"]
		names = b"utf-7", b"UTF-7", b"utf_7", b"latin-1", b"utf-8", b"utf-16", b"raw_unicode_escape"
		wrong = ran = refused = recoded = 0
		step = 1 if "TEST_MORE" in os.environ else len(cookies)
		for h, head in enumerate(heads):
		    for cookie in cookies[h % step::step]:
		        for name in names if step == 1 else (b"utf-7", names[1 + h % 6]):
		            text = head + cookie % name + body
		            if head == b"'''\n":
		                text += b"'''\nprint(ascii('+AGE-'))\n"
		            with open("t.py", "wb") as f:
		                f.write(text)
		            answers = {subprocess.run([p, "-I", "t.py"], capture_output=True).stdout for p in pythons}
		            other = answers - {b"", b"'+AGE-'\n"}
		            recoded += bool(other)
		            if name == b"utf-7" or other:
		                c = subprocess.run([cordon, "run", "--user", "--tier", "no-cgroup", "t.py"], capture_output=True, cwd=".")
		                refused += c.returncode == 125
		                ran += c.returncode == 0
		                if c.stdout not in (b"", b"'+AGE-'\n"):
		                    wrong += 1
		                    print("read otherwise:", text[:60], c.stdout)
		assert min(recoded, refused, ran) > 50 // step, (recoded, refused, ran)
		sys.exit(wrong > 0)
	END
	run -0 /usr/bin/python3 try.py "$CORDON" "$TOP"
}

@test "UTF-16, UTF-32, other bytes and NULs: the error has the line and the command" {
	local row want words lang
	while IFS='|' read -r lang row want words; do
		printf "$row" >x
		status=0
		"$CORDON" run --user --tier no-cgroup --lang "$lang" x >"$T/out" 2>"$T/err" || status=$?
		exits 125
		err_has "because: $want"
		err_has "try: $words"
		[ ! -s "$T/out" ] || show
	done <<-'END'
		python|\377\376p\0r\0|line 1: it begins with the byte order mark of UTF-16|iconv -f UTF-16 -t UTF-8 FILE
		node|\377\376/\0/\0|line 1: it begins with the byte order mark of UTF-16|iconv -f UTF-16 -t UTF-8 FILE
		python|\0\0\376\377\0\0\0p|line 1: it begins with the byte order mark of UTF-32|iconv -f UTF-32 -t UTF-8 FILE
		python|x = 1\n# caf\351\n|line 2: the byte 0xe9|iconv -f ISO-8859-1 -t UTF-8 FILE
		node|// a\n\n// caf\351\n|line 3: the byte 0xe9|iconv -f ISO-8859-1 -t UTF-8 FILE
		bash|echo caf\351\n|line 1: the byte 0xe9|iconv -f ISO-8859-1 -t UTF-8 FILE
		python|print(1)\n\0|line 2|tr -d
		bash|echo a\0b\n|line 1|tr -d
	END
	printf '\xef\xbb\xbfprint("\xc3\xa4")\n' >x.py
	box user:no-cgroup x.py
	exits 0
	out_is ä
	printf '\xef\xbb\xbfconsole.log("\xc3\xa4")\n' >x.js
	[ ! -x /usr/bin/node ] || { box user:no-cgroup x.js; exits 0; out_is ä; }
}

@test "nothing is decided or recorded about code that is refused for its encoding" {
	hidden '# coding: utf-7\n' >x.py
	"$CORDON" run --user --tier no-cgroup --json x.py >"$T/out" || true
	holds 'r["status"] == "error"' 'r["ran"] is False' 'r["error"]["kind"] == "input"' 'not r["recorded"]'
}

@test "what Python runs and is no text: an archive, compiled code" {
	/usr/bin/python3 - <<-'END'
		import py_compile, zipfile
		with zipfile.ZipFile("zip.py", "w") as made:
		    made.writestr("__main__.py", 'print("ran")')
		with open("x", "w") as source:
		    source.write('print("ran")')
		py_compile.compile("x", "pyc.py")
	END
	local file
	for file in zip.py pyc.py; do
		/usr/bin/python3 $file | grep -qx ran
		box user:no-cgroup --lang python $file
		exits 125
		err_has 'because: line 1'
	done
}
