#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What goes in: the code itself (by descriptor, never as an argument), arguments, environment,
# standard input, programs that may be started.
load helper
load scan.bash

from_stdin() {
	IN=$T/x.py
	box "$1" --lang python -
	exits 0
	out_is 'from stdin'
}
@test "code from standard input" {
	printf 'print("from stdin")\n' | code x.py
	every from_stdin
}

big() {
	box "$1" "$T/x.py"
	exits 0
	out_is '5000000'
}
# bats test_tags=long
@test "a script of five megabytes" {
	/usr/bin/python3 -c 'print("x = \"" + "y" * 5000000 + "\"\nprint(len(x))")' | code x.py
	every big
}

@test "a script of more than 64 MB is refused, not cut" {
	truncate -s $((64 << 20)) "$T/x.sh"
	echo >>"$T/x.sh"
	box user:no-cgroup "$T/x.sh"
	exits 125
	err_has '64 MB'
}

@test "an empty script" {
	: | code x.py
	runs x.py ''
}

traceback() {
	box "$1" --json "$T/x.py"
	exits 1
	holds '"line 4" in r["stderr"] and "line 3" in r["stderr"]' '"/cordon/main.py" in r["stderr"]' \
		'"raise ValueError(\"here\")" in r["stderr"]' '"/tmp/cli-test" not in r["stderr"]'
}
@test "tracebacks show the right lines and no path of the host" {
	printf '\ndef f():\n    raise ValueError("here")\nf()\n' | code x.py
	every traceback
}

@test "from __future__ works at the top" {
	printf 'from __future__ import annotations\ndef f(x: nothing): return 1\nprint(f(0))\n' | code x.py
	runs x.py 1
}

@test "__name__ is __main__ and argv has the caller's arguments" {
	printf 'import sys\nprint(__name__, sys.argv[1:])\n' | code x.py
	local way
	for way in $WAYS; do
		box "$way" "$T/x.py" -- a 'b c' '' --json -- 'ä' '$(id)'
		exits 0
		out_is "__main__ ['a', 'b c', '', '--json', '--', 'ä', '\$(id)']"
	done
}

@test "many and long arguments" {
	printf 'import sys\nprint(len(sys.argv), sum(map(len, sys.argv[1:])))\n' | code x.py
	local way long
	long=$(head -c 100000 /dev/zero | tr '\0' x)
	for way in $WAYS; do
		# shellcheck disable=SC2046 # words are meant
		box "$way" "$T/x.py" -- $(seq 4000) "$long"
		exits 0
		out_is '4002 114893'
		# shellcheck disable=SC2046
		box "$way" "$T/x.py" -- $(seq 4200)
		exits 125
	done
}

@test "nothing of the code is in any argument list" {
	local secret=in_the_code_$RANDOM$RANDOM
	# It waits for us, and we for its word, a minute at most: no clock decides.
	printf 'import sys\n%s = 1\nprint("ready", flush=True)\nsys.stdin.read()\n' $secret | code x.py
	mkfifo "$T/go"
	timeout 90 "$CORDON" run --user --tier no-cgroup --time 80s --stdin - "$T/x.py" <"$T/go" >"$T/live" &
	local pid=$! i
	exec 7>"$T/go"
	for i in $(seq 600); do
		! grep -q ready "$T/live" || break
		sleep 0.1
	done
	grep -q ready "$T/live"
	run grep -als $secret /proc/[0-9]*/cmdline
	[ -z "$output" ]
	exec 7>&-
	wait $pid
}

environment() {
	SECRET_TOKEN=x HOME=/root box "$1" "$T/x.py"
	exits 0
	! grep -q SECRET "$T/out" || show
	out_has 'PATH=/usr/bin:/bin'
	out_has 'HOME=/tmp'
	out_has 'LANG=C.UTF-8'
	! grep -q '/root' "$T/out" || show
}
@test "the caller's environment stays outside" {
	printf 'import os\nfor k, v in sorted(os.environ.items()): print(f"{k}={v}")\n' | code x.py
	every environment
}

env_option() {
	box "$1" --env 'A=1' --env 'B=x=y z' --env 'E=' --env 'HOME=/elsewhere' --env 'A=2' "$T/x.py"
	exits 0
	out_is "2 x=y z  /elsewhere"
}
@test "--env adds and replaces" {
	printf 'import os\ne = os.environ\nprint(e["A"], e["B"], e["E"], e["HOME"])\n' | code x.py
	every env_option
}

stdin_file() {
	box "$1" --stdin "$T/in" "$T/x.py"
	exits 0
	out_is '6 from the file'
	IN=$T/in
	box "$1" --stdin - "$T/x.py"
	out_is '6 from the file'
	box "$1" "$T/x.py"
	out_is '0'
	IN=/dev/null
}
@test "--stdin FILE, --stdin -, and nothing by default" {
	printf 'import sys\nt = sys.stdin.read()\nprint(len(t.split()) * 2, t.strip())\n' | code x.py
	printf 'from the file\n' >"$T/in"
	sed -i 's/print.*/print(len(t.split()) * 2, t.strip(), sep=" " if t else "")/' "$T/x.py"
	every stdin_file
}

listed() {
	box "$1" --json --exec /usr/bin/tr "$T/x.py"
	exits 0
	holds 'r["stdout"] in ("ABC\n1\n", "ABC\n2\n", "ABC\n13\n")'
}
@test "--exec: a listed program runs, another is refused" {
	cat <<'PY' | code x.py
import subprocess
print(subprocess.run(["/usr/bin/tr", "a-z", "A-Z"], input="abc", text=True, capture_output=True).stdout)
try:
    subprocess.run(["/usr/bin/id"])
    print("ran")
except OSError as e:
    print(e.errno)
PY
	every listed
}

no_program() {
	local i links=()
	box "$1" --exec "$T/key" "$T/x.py"
	exits 125
	err_has '--exec'
	err_has 'not a program'
	err_has 'may not execute it'
	err_has "chmod +x $T/key"
	box "$1" --exec "$T/as-user" "$T/x.py"
	exits 125
	err_has 'it is a directory'
	err_has 'name the program itself'
	box "$1" --exec "$T/none" "$T/x.py"
	exits 125
	err_has "--exec: $T/none: No such file"
	err_has 'absolute path of a program on this machine'
	box "$1" --exec "$T/odd"$'\t'name "$T/x.py"
	exits 125
	err_has 'an odd path'
	err_has 'control characters'
	err_has 'or rename it'
	for ((i = 0; i < 40; i++)); do
		ln -sf /bin/true "$T/link$i"
		links+=(--exec "$T/link$i")
	done
	box "$1" "${links[@]}" "$T/x.py"
	exits 125
	err_has 'more than 32 links and files'
	err_has '--exec $(realpath'
}
@test "--exec refuses a file that is no program or cannot be shown, with a hint" {
	echo 'print(1)' | code x.py
	echo secret >"$T/key"
	chmod 644 "$T/key"
	cp /bin/true "$T/odd"$'\t'name
	every no_program
}

unlisted() {
	box "$1" --json "$T/x.py"
	exits 0
	holds 'r["stdout"] in ("1\n", "13\n")' \
		'any(d["call"].startswith("execve") and d["rule"] for d in r["denials"])'
}
@test "without --exec nothing is started, and the denial is listed" {
	cat <<'PY' | code x.py
import os
try:
    os.execv("/usr/bin/id", ["id"])
except OSError as e:
    print(e.errno)
PY
	every unlisted
}

@test "the program's own file can be any path, also one with spaces" {
	mkdir "$T/a dir"
	cp /bin/echo "$T/a dir/my echo"
	local way
	for way in $WAYS; do
		box "$way" --lang binary "$T/a dir/my echo" -- hello
		exits 0
		out_is hello
	done
}

@test "a symbolic link to a script is followed" {
	printf 'print("linked")\n' | code x.py
	ln -s x.py "$T/y.py"
	runs y.py linked
}

@test "a script from a pipe" {
	local way
	for way in $WAYS; do
		mkfifo "$T/p.py"
		printf 'print("piped")\n' >"$T/p.py" &
		box "$way" "$T/p.py"
		exits 0
		out_is piped
		rm "$T/p.py"
	done
}

@test "a caller with closed standard streams" {
	printf 'print("out")\n' | code x.py
	as user "$CORDON" run --user --tier no-cgroup "$T/x.py" <&- >"$T/out" 2>"$T/err"
	out_is out
	as user "$CORDON" run --user --tier no-cgroup --lang binary /bin/true <&- >&- 2>&-
}

stdin_copied() {
	! is_root || chown "$TEST_UID" "$T/in"
	box "$1" --stdin "$T/in" "$T/x.py"
	exits 0
	out_is input
	[ "$(stat -c %a "$T/in")" = 600 ]
}
@test "--stdin: a copy of a file, and nothing else of the host's" {
	cat <<'PY' | code x.py
import os, sys
try:
    os.fchmod(0, 0o777)
except OSError:
    pass
sys.stdout.write(sys.stdin.read())
PY
	printf 'input\n' >"$T/in"
	chmod 600 "$T/in"
	every stdin_copied
	for what in / /proc; do
		box user:no-cgroup --stdin "$what" "$T/x.py"
		exits 125
		err_has 'only a file, a pipe'
	done
}

@test "the caller's real-time class does not come along" {
	is_root || skip "needs root"
	printf 'import os; print(os.sched_getscheduler(0), os.nice(0))\n' | code x.py
	chrt -f 1 nice -n -40 "$CORDON" run --user "$T/x.py" >"$T/out"
	out_is '0 0'
}

# Whoever can write to the pipe that a shell reads its script from gives that shell orders.
own_pipe() {
	code x.py <<-'END'
		import os, sys
		print("first:", sys.stdin.readline().strip())
		try:
		    os.write(os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK), b"planted\n")
		except OSError:
		    pass
	END
	mkdir -p "$T/own"
	chmod 777 "$T/own"
	# The pipe must be the user's, or he could not open it again anyway.
	as "${1%%:*}" bash -c '
		{ printf "one\n"; while [ ! -e own/done ]; do sleep 0.05; done; } | {
			timeout 60 "$0" run --tier "$1" --stdin - x.py >own/out 2>&1
			: >own/done
			cat >own/rest
		}' "$CORDON" "${1#*:}"
	grep -q '^first: ' own/out || { cat own/out; return 1; }
	[ ! -s own/rest ] || { echo "in the caller's pipe: $(cat own/rest)"; return 1; }
	rm -rf own
}
@test "--stdin -: the program has no way into the caller's pipe" {
	every own_pipe
}

@test "--stdin -: five megabytes through a pipe, and none of them wanted" {
	printf 'import sys\nprint(len(sys.stdin.buffer.read()))\n' | code x.py
	head -c 5000000 /dev/zero | "$CORDON" run --user --tier no-cgroup --stdin - "$T/x.py" >"$T/out"
	out_is 5000000
	yes | timeout 20 "$CORDON" run --user --tier no-cgroup --stdin - --lang binary /bin/true
}

# called FIELD ID: a rule about that part of a call.
called()
{
	rule "$T/call/$1.yaml" "$2" low sunstone experimental
	sed -i "s/llm_io/tool_call/; s/field: content/field: $1/" "$T/call/$1.yaml"
}

to_a_tool() {
	box "$1" --json --rules "$T/call" x.py
	holds '[f["id"] for f in r["rules"]] == ["ATR-2026-90001"]'
	box "$1" --json --rules "$T/call" y.py -- a sunstone
	holds '[f["id"] for f in r["rules"]] == ["ATR-2026-90001"]'
	box "$1" --json --rules "$T/call" y.py
	holds 'r["rules"] == []'
}
@test "rules see code and arguments as tool_args, not as tool_name" {
	called tool_args ATR-2026-90001
	called tool_name ATR-2026-90002
	echo 'print("sunstone")' | code x.py
	echo 'print(1)' | code y.py
	every to_a_tool
}
