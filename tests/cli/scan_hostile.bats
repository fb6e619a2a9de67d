#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon scan on hostile files: a clear error or a scan that ends, little memory, and never a crash
# or a silent "clean".
load helper
load scan

# The sanitizer maps more than that for itself.
little_memory() { readelf -Ws "$CORDON" | grep -q __asan_init || ulimit -v "${1:-600000}"; }

@test "100 MB: an error, bounded memory, and the others are scanned" {
	pack
	mkdir "$T/d"
	truncate -s 100M "$T/d/large.txt"
	printf 'a moonstone word' >"$T/d/x.txt"
	little_memory 200000
	scan 125 --json "$T/d"
	holds 'r["errors"][0]["kind"] == "limit" and "larger than 64 MiB" in r["errors"][0]["message"]'
	holds 'len(r["findings"]) == 1'
	scan 125 "$T/d"
	err_has 'large.txt: is larger than 64 MiB'
	head -c 100M /dev/zero >"$T/in"
	IN=$T/in
	scan 125 -
	err_has '-: is larger than 64 MiB'
}

# bats test_tags=long
@test "the largest file there may be is scanned to its last byte" {
	pack
	{ head -c $((64 * 1024 * 1024 - 14)) /dev/zero | tr '\0' '\n'; printf 'moonstone word'; } >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds 'r["stats"]["bytes"] == 64 << 20 and len(r["findings"]) == 1'
	printf . >>"$T/x.txt"
	scan 125 "$T/x.txt"
}

@test "text behind 100,000 characters is found, but not by the reference" {
	pack
	{ head -c 150000 /dev/zero | tr '\0' x; printf ' moonstone word'; } >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds 'r["findings"][0]["column"] == 150002'
	scan 0 --mode reference "$T/x.txt"
}

@test "NUL bytes and broken UTF-8 hide nothing" {
	pack
	printf 'a\0b \377\376 moonstone word \300\257' >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds 'len(r["findings"]) == 1'
	printf '\303' >"$T/y.txt"
	scan 0 "$T/y.txt"
	# Shells pass over them.
	printf 'say moon\0stone word' >"$T/y.txt"
	printf 'say moon\0"stone" word' >"$T/y.sh"
	scan 1 "$T/y.txt"
	scan 0 --mode reference "$T/y.txt"
	scan 1 --json "$T/y.sh"
	holds 'r["findings"][0]["view"] == "code"'
	: >"$T/empty"
	scan 0 "$T/empty"
}

@test "binary files: an error for those that are named, a note in a directory" {
	pack
	mkdir "$T/d"
	cp /bin/true "$T/d/program"
	printf 'a moonstone word' >"$T/d/x.txt"
	scan 125 "$T/d/program"
	err_has 'is a program (ELF), not text'
	scan 1 --json "$T/d"
	holds 'r["stats"]["skipped"] == 1 and r["notes"][0]["file"].endswith("/program")'
	scan 0 --kind text "$T/d/program"
	# First bytes or a name are no way out.
	{ printf 'PK\3\4'; printf 'a moonstone word'; } >"$T/d/y"
	{ head -c 4000 /bin/true; printf 'a moonstone word'; } >"$T/d/SKILL.md"
	scan 1 --json "$T/d"
	holds 'len(r["findings"]) == 3'
}

@test "control characters are no way out of a directory's scan" {
	pack
	mkdir "$T/d"
	{ printf '/*'; head -c 400 /dev/zero | tr '\0' '\1'; printf '*/ a("moonstone word")'; } >"$T/d/x.js"
	cp "$T/d/x.js" "$T/d/unknown"
	{ printf 'GIF89a='; cat "$T/d/x.js"; } >"$T/d/y.js"
	scan 1 --json "$T/d"
	holds 'len(r["findings"]) == 3 and r["stats"]["skipped"] == 0'
	# Named, too.
	scan 1 "$T/d/unknown"
}

@test "the readable part of a script that begins like a picture is scanned" {
	pack
	local first
	mkdir "$T/d"
	for first in 'BZh 2>/dev/null' '%PDF-1.4' 'GIF89a=1' '!<arch>'; do
		{ printf '%s\nsay the moon\0stone word' "$first"; head -c 400 /dev/zero | tr '\0' '\1'; } >"$T/d/x"
		scan 1 --json "$T/d"
		holds '[f["rule"][-1] for f in r["findings"]] == ["1"] and r["stats"]["skipped"] == 1'
		holds '"can be read" in r["notes"][0]["message"]'
		scan 0 --mode reference "$T/d"
		# So few letters are in any picture.
		{ printf '%s\n\1moonstone word\1' "$first"; head -c 400 /dev/zero | tr '\0' '\1'; } >"$T/d/x"
		scan 0 "$T/d"
	done
	# No shell reads on behind a NUL in the first line; libraries are full of words.
	{ printf 'GIF89a\0\nsay the moonstone word'; head -c 400 /dev/zero; } >"$T/d/x"
	scan 0 "$T/d"
	printf 'int x; char s[] = "say the moonstone word";' >"$T/x.c"
	cc -c -o "$T/x.o" "$T/x.c"
	rm "$T/d/x"
	ar rc "$T/d/x" "$T/x.o"
	scan 0 --json "$T/d"
	holds 'r["stats"]["skipped"] == 1 and "not scanned" in r["notes"][0]["message"]'
}

@test "a set of rules that cannot find anything is an error" {
	printf 'a moonstone word' >"$T/x.txt"
	mkdir "$T/empty" "$T/broken" "$T/refused"
	echo 'id: [' >"$T/broken/a.yaml"
	rule "$T/refused/a.yaml" ATR-2026-90001 high '(moonstone'
	local d
	for d in empty broken refused; do
		rm -rf "$T/r"
		cp -R "$T/$d" "$T/r"
		scan 2 "$T/x.txt"
		err_has 'cordon: '
		[ ! -s "$T/out" ]
		scan 2 --json "$T/x.txt"
		holds 'r["status"] == "error" and r["verdict"] == "deny" and r["errors"][0]["kind"] == "usage"'
		status=0
		"$CORDON" rules test "$T/r" >"$T/out" 2>"$T/err" || status=$?
		exits 2
		[ ! -s "$T/out" ]
	done
	# None in this lane.
	rm -rf "$T/r"
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone' test
	scan 1 --lane alert "$T/x.txt"
	scan 2 --lane enforce "$T/x.txt"
	err_has 'none of the 1 rules is live in the lane enforce'
	# Half of them is not all.
	scan 125 --rules "$T/nowhere" "$T/x.txt"
	[ ! -s "$T/out" ] || show
}

@test "pipes, devices and sockets are errors, and nothing is read from them" {
	pack
	mkdir "$T/d"
	mkfifo "$T/d/fifo"
	ln -s /dev/zero "$T/zero"
	scan 125 "$T/d"
	err_has 'fifo: is neither a file nor a directory'
	scan 125 "$T/d/fifo"
	err_has 'fifo: is neither a file nor a directory'
	scan 125 "$T/zero"
	err_has 'zero: is neither a file nor a directory'
}

@test "a file that may not be read is an error, and the rest is scanned" {
	need_root
	pack
	mkdir "$T/d" "$T/d/closed"
	printf 'a moonstone word' | tee "$T/d/a.txt" "$T/d/b.txt" >"$T/d/closed/x"
	chmod 600 "$T/d/a.txt"
	chmod 700 "$T/d/closed"
	status=0
	as user "$CORDON" scan --rules "$T/r" --json "$T/d" >"$T/out" || status=$?
	exits 125
	holds '[e["file"].split("/d/")[1] for e in r["errors"]] == ["a.txt", "closed"]'
	holds '"Permission denied" in r["errors"][0]["message"] and len(r["findings"]) == 1'
}

# bats test_tags=long
@test "directories in directories, and many names: there is an end" {
	pack
	local i
	mkdir "$T/deep" "$T/many"
	(
		cd "$T/deep" || exit 1
		for i in $(seq 70); do
			[ "$i" -ne 64 ] || printf 'a moonstone word' >x
			mkdir d
			cd d || exit 1
		done
		printf 'a moonstone word' >x
	)
	scan 125 --json "$T/deep"
	holds 'len(r["findings"]) == 1 and "64 directories deep" in r["errors"][0]["message"]'
	(cd "$T/many" && seq 100001 | xargs touch)
	scan 125 "$T/many"
	err_has 'more than 100000 entries'
	rm "$T/many/1"
	scan 0 --json "$T/many"
	holds 'r["stats"]["files"] == 100000'
}

@test "an expression that explodes is a finding that says so" {
	rule "$T/r/a.yaml" ATR-2026-90001 high '(?:(a)|(aa))+!\2b'
	{ head -c 100 /dev/zero | tr '\0' a; printf '!zb'; } >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds 'r["findings"][0]["undecided"] is True'
	scan 1 "$T/x.txt"
	out_has 'not decidable: a limit was reached'
	scan 1 --format sarif "$T/x.txt"
	out_has 'not decidable'
}

# Without back-references there is a way that does not explode: it is an answer, not a limit.
@test "an expression that explodes elsewhere is decided" {
	rule "$T/r/a.yaml" ATR-2026-90001 high '^(?:a+)+$'
	rule "$T/r/b.yaml" ATR-2026-90002 high '(?:\w|\w\w)+!c'
	head -c 1000000 /dev/zero | tr '\0' a >"$T/x.txt"
	little_memory
	scan 1 --json "$T/x.txt"
	holds '[(f["rule"], f["undecided"]) for f in r["findings"]] == [("ATR-2026-90001", False)]'
	printf '!b' >>"$T/x.txt"
	scan 0 --json "$T/x.txt"
	holds 'r["findings"] == []'
	printf '!c' >>"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds '[f["rule"] for f in r["findings"]] == ["ATR-2026-90002"]'
}

# chunks COUNT: as many harmless texts in base64, and behind them one that is not.
chunks()
{
	/usr/bin/python3 -c '
import base64, sys
words = ["harmless %06d" % i for i in range(int(sys.argv[1]))] + ["a moonstone word"]
print(";; ".join(base64.b64encode(w.encode()).decode() for w in words))' "$1"
}

# Comparing what a group has read costs as much as it has read: minutes, once, for a megabyte.
@test "back-references to long groups end too" {
	rule "$T/r/a.yaml" ATR-2026-90001 high '(.*)\1\1\1\1moonstone'
	{ head -c 1000000 /dev/zero | tr '\0' a; printf 'b moonstone word'; } >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds 'r["findings"][0]["undecided"]'
}

@test "scan finds text behind 5,000 encoded chunks" {
	pack
	chunks 5000 >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds 'r["findings"][0]["decoding"] == "base64" and not r["findings"][0]["undecided"]'
}

@test "layers that are not searched are a finding, whatever --fail-on says" {
	pack
	local i f
	printf 'a moonstone word' >"$T/x.txt"
	for i in 1 2 3 4; do
		base64 -w0 "$T/x.txt" >"$T/y.txt"
		mv "$T/y.txt" "$T/x.txt"
	done
	scan 1 --fail-on critical --json "$T/x.txt"
	holds 'r["status"] == "findings" and r["verdict"] == "ask" and r["stats"]["findings"] == 1'
	holds 'r["findings"][0]["rule"] == "CORDON-LIMIT-LAYERS" and r["findings"][0]["undecided"]'
	holds '"deeper" in r["findings"][0]["why"] and "not decidable" in r["reason"]'
	scan 1 --fail-on critical "$T/x.txt"
	out_has 'CORDON-LIMIT-LAYERS: Not all encoded layers were searched (not decidable: '
	[ "$(grep -c clean "$T/out")" -eq 0 ]
	printf 'sunstone' >>"$T/x.txt"
	scan 1 --format sarif "$T/x.txt"
	/usr/bin/python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))["runs"][0]
ids = [r["tool"]["driver"]["rules"][x["ruleIndex"]]["id"] for x in r["results"]]
assert ids == [x["ruleId"] for x in r["results"]] == ["CORDON-LIMIT-LAYERS", "ATR-2026-90002"], ids
' "$T/out"
	scan 0 --fail-on critical --mode reference "$T/x.txt"
}

@test "a rule of low severity that is not decidable counts, and asks" {
	rule "$T/r/a.yaml" ATR-2026-90001 low '(?:(a)|(aa))+!\2b'
	{ head -c 100 /dev/zero | tr '\0' a; printf '!zb'; } >"$T/x.txt"
	scan 1 --fail-on medium --json "$T/x.txt"
	holds 'r["verdict"] == "ask" and r["findings"][0]["undecided"] is True'
}

# bats test_tags=long
@test "a program too large for the code view is a finding; one that does not parse is a note" {
	pack
	/usr/bin/python3 -c 'print("# nothing\n" * 1700000 + "x = 1")' >"$T/x.py"
	scan 1 --fail-on critical --json "$T/x.py"
	holds 'r["findings"][0]["rule"] == "CORDON-LIMIT-CODE" and r["verdict"] == "ask"'
	holds '"larger than 16 MB" in r["findings"][0]["why"] and r["code_view"]["none"] == 1'
	/usr/bin/python3 -c 'print("x = 0\nwhile True:\n  x += 1\n" * 20 + "moon = 1")' >"$T/x.py"
	scan 1 --fail-on critical --json "$T/x.py"
	holds '"values to compute" in r["findings"][0]["why"] and r["code_view"]["part"] == 1'
	echo 'def (:' >"$T/x.py"
	scan 0 --json "$T/x.py"
	holds 'len(r["notes"]) == 1 and r["code_view"]["none"] == 1'
}

# bats test_tags=long
@test "JSON that is too deep or too much is text, and a finding that says so" {
	pack
	local most
	/usr/bin/python3 -c 'print("[" * 10000 + "\"sunstone\"" + "]" * 10000)' >"$T/deep.json"
	scan 1 --json "$T/deep.json"
	holds '[f["rule"] for f in r["findings"]] == ["CORDON-LIMIT-JSON", "ATR-2026-90002"]'
	holds '{f["kind"] for f in r["findings"]} == {"text"} and len(r["notes"]) == 1'
	scan 1 --json --mode reference "$T/deep.json"
	holds '[f["rule"] for f in r["findings"]] == ["ATR-2026-90002"]'
	# At the maximum, and one more; as a line of a file of events, too.
	for most in '"[" * 64 + "]" * 64' '"[" + "1," * 999998 + "1]"'; do
		/usr/bin/python3 -c "print($most)" >"$T/most.json"
		scan 0 "$T/most.json"
		/usr/bin/python3 -c "print(($most).replace('1]', '1, 1]').replace('[]', '[[]]'))" >"$T/more.json"
		scan 1 --fail-on critical --json "$T/more.json"
		holds 'r["findings"][0]["rule"] == "CORDON-LIMIT-JSON" and r["verdict"] == "ask"'
		holds '"at most" in r["findings"][0]["why"]'
		{ echo '{"type": "llm_input", "content": "x"}'; cat "$T/more.json"; } >"$T/e.jsonl"
		scan 1 --fail-on critical --json "$T/e.jsonl"
		holds '[(f["rule"], f["line"]) for f in r["findings"]] == [("CORDON-LIMIT-JSON", 2)]'
	done
	# Many brackets are no JSON.
	/usr/bin/python3 -c 'print("[1m red [0m\n" * 100)' >"$T/log"
	/usr/bin/python3 -c 'print("[]\n" + "[" * 100)' >"$T/some.txt"
	scan 0 "$T/log" "$T/some.txt"
	/usr/bin/python3 -c 'print("[" * 10000 + "sunstone")' >"$T/deep.json"
	scan 1 "$T/deep.json"
	/usr/bin/python3 -c 'print("{\"type\": \"x\", \"type\": \"llm_input\", \"content\": \"sunstone\"}")' >"$T/twice.json"
	scan 1 "$T/twice.json"
}

# bats test_tags=long
@test "more findings and notes than are listed are counted" {
	pack
	/usr/bin/python3 -c 'print("{\"type\": \"llm_input\", \"content\": \"pebble\"}\n" * 100000, end="")' >"$T/x.jsonl"
	if [ -n "${TEST_MORE:-}" ]; then
		scan 1 --json "$T/x.jsonl"
		holds 'len(r["findings"]) == 100000 and r["findings_cut"] is False and r["notes_cut"] is False'
	fi
	{ cat "$T/x.jsonl"; echo pebble; yes x | head -n 10000; } >"$T/y.jsonl"
	scan 1 --json "$T/y.jsonl"
	holds 'len(r["findings"]) == 100000 and r["findings_cut"] and r["stats"]["findings"] == 100001'
	holds 'len(r["notes"]) == 10000 and r["stats"]["events"] == 210002'
	holds 'r["notes_cut"] and not r["errors_cut"] and not r["effects_cut"]'
	[ -n "${TEST_MORE:-}" ] || return 0
	# No option shows the rest.
	scan 1 --fail-on critical --format sarif "$T/y.jsonl"
	out_has 'not all is listed: 1 results and 1 notifications are left out'
}

# bats test_tags=long
@test "more errors and effects than are listed are counted" {
	pack
	/usr/bin/python3 -c 'print("{\"type\": \"tool_call\", \"fields\": {\"tool_args\": {}}}\n" * 10000, end="")' >"$T/x.jsonl"
	scan 125 --json "$T/x.jsonl"
	holds 'len(r["errors"]) == 10000 and r["stats"]["errors"] == 10000 and r["errors_cut"] is False'
	head -n 1 "$T/x.jsonl" >>"$T/x.jsonl"
	scan 125 --json "$T/x.jsonl"
	holds 'len(r["errors"]) == 10000 and r["stats"]["errors"] == 10001 and r["errors_cut"] is True'
	holds 'r["effects_cut"] is False and r["notes_cut"] is False'
	mkdir "$T/d"
	# A program has at most 4,096 of them.
	/usr/bin/python3 -c 'for f in range(4):
	    open("%s/d/%d.py" % (__import__("sys").argv[1], f), "w").writelines("import m%d\n" % (f * 2500 + i) for i in range(2500))' "$T"
	scan 0 --json "$T/d"
	holds 'len(r["effects"]) == 10000 and r["effects_cut"] is False'
	echo 'import m10000' >>"$T/d/3.py"
	scan 0 --json "$T/d"
	holds 'len(r["effects"]) == 10000 and r["effects_cut"] is True and r["errors_cut"] is False'
}

@test "output that cannot be written is an error" {
	pack
	printf 'a moonstone word' >"$T/x.txt"
	local f
	for f in text json sarif; do
		status=0
		"$CORDON" scan --rules "$T/r" --format $f "$T/x.txt" >/dev/full 2>"$T/err" || status=$?
		exits 125
		err_has 'the output could not be written completely'
	done
}

@test "UTF-16 hides nothing, with a byte order mark or without" {
	pack
	local e name
	for e in utf-16 utf-16-le utf-16-be; do
		for name in $(sample 3 SKILL.md x.md x.ps1 x.dat); do
			/usr/bin/python3 -c 'import sys; sys.stdout.buffer.write("one\r\na moonstone word".encode(sys.argv[1]))' $e >"$T/$name"
			scan 1 --json "$T/$name"
			holds 'len(r["findings"]) == 1 and r["findings"][0]["line"] == 2'
			holds 'r["stats"]["files"] == 1 and not r["errors"]'
		done
	done
	printf '\376\377\0m\0o\0o\0n\0s\0t\0o\0n\0e\330\0\0 \0w\0o\0r\0d\0' >"$T/lone"
	scan 0 --json "$T/lone"
	holds 'r["stats"]["bytes"] == 20'
	/usr/bin/python3 -c 'import sys; sys.stdout.buffer.write("\u4e2d moonstone word \U0001f600".encode("utf-16-be") + b"x")' >"$T/odd"
	scan 1 --json "$T/odd"
	holds 'r["stats"]["bytes"] == 26 and r["findings"][0]["column"] == 3'
}

@test "a file that only looks like UTF-16 is scanned as bytes too" {
	pack
	printf '\377\376a moonstone word' >"$T/x.md"
	scan 1 --json "$T/x.md"
	holds 'len(r["findings"]) == 1 and r["stats"]["files"] == 1'
	/usr/bin/python3 -c 'import sys; sys.stdout.buffer.write(b"a moonstone word\n" + b"a\0" * 1000)' >"$T/y.md"
	scan 1 "$T/y.md"
}

# bats test_tags=long
@test "UTF-16 that is too large in UTF-8 is an error" {
	pack
	/usr/bin/python3 -c 'import sys; sys.stdout.buffer.write(b"\xff\xfe" + b"\x2d\x4e" * ((64 << 20) // 3) + b"a\0")' >"$T/x.md"
	if [ -n "${TEST_MORE:-}" ]; then # the largest that is scanned: ten seconds
		scan 0 --json "$T/x.md"
		holds 'r["stats"]["bytes"] == 64 << 20'
	fi
	printf 'a\0' >>"$T/x.md"
	scan 125 "$T/x.md"
	err_has 'is larger than 64 MiB in UTF-8'
}
