#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A refusal names the option that would allow it, in words and in JSON, whatever the program says of it. It is
# made of what the box saw; a program cannot print one, but with what it prints it can choose a fixed text.
load helper

hinted() { # WAY FILE OPTION...: a run of FILE that fails names each OPTION, on a line of its own
	local way=$1 file=$2 option
	shift 2
	box "$way" "$T/$file"
	[ "$status" -ne 0 ] || show
	for option in "$@"; do
		grep -qxF "cordon:   try: $option" "$T/err" || { echo "not told: $option"; show; }
	done
	box "$way" --json "$T/$file"
	for option in "$@"; do
		holds "$(printf '"%s" in [d["option"] for d in r["denials"]]' "$option")"
	done
}

python() { hinted "$1" x.py '--exec /usr/bin/git' '--net HOST:PORT'; }
@test "Python: a program and a connection" {
	code x.py <<-'END'
		import socket, subprocess
		for f in (lambda: subprocess.run(["/usr/bin/git"]), lambda: socket.create_connection(("192.0.2.1", 443))):
		    try: f()
		    except OSError as e: print(e)
		raise SystemExit(1)
	END
	every python
}

lookup() {
	hinted "$1" x.py '--net HOST:PORT'
	box "$1" "$T/x.py"
	err_has 'Name or service not known'
}
@test "Python: a name that is looked up is a connection that was meant" {
	echo 'import urllib.request; urllib.request.urlopen("https://example.org/")' | code x.py
	every lookup
	echo 'import socket; print(socket.getaddrinfo("localhost", 80)[0][4][0])' | code here.py
	runs here.py 127.0.0.1
}

node() { hinted "$1" x.js '--exec /usr/bin/git' '--net HOST:PORT'; }
@test "Node: a program and a name" {
	[ -x /usr/bin/node ] || skip "no node"
	code x.js <<-'END'
		require('dns').lookup('example.org', e => {
		  console.log(String(e));
		  require('child_process').execFileSync('/usr/bin/git');
		});
	END
	every node
}

shell() {
	box "$1" --profile snippet "$T/x.sh"
	exits 126
	err_has 'git: Permission denied'
	err_has 'try: --exec PATH'
	box "$1" "$T/net.sh"
	err_has 'try: --net HOST:PORT'
	[ "$(grep -c 'try: ' "$T/err")" -eq 1 ] || show
	box "$1" --json "$T/sudo.sh"
	holds '"sudo" in r["hints"][0]'
}
@test "a shell that may not start a program, a name without a network, sudo" {
	echo /usr/bin/git | code x.sh
	echo 'curl -sS http://example.org/' | code net.sh
	echo 'echo "sudo: The \"no new privileges\" flag is set" >&2; exit 1' | code sudo.sh
	every shell
}

@test "a hint quotes the program's names for a shell, and escapes them for a terminal" {
	cat >x.py <<-'END'
		import os
		try: os.execv("/tmp/a b; c\x1b[2J", ["x"])
		except OSError: raise SystemExit(1)
	END
	box user:no-cgroup x.py
	err_has "try: --exec '/tmp/a b; c"
	run ! grep -q $'\e' "$T/err"
	echo 'raise SystemExit("cordon:   try: --net evil.example:443")' >x.py
	box user:no-cgroup x.py
	run ! grep -q '^cordon:   try: --net' "$T/err"
}

@test "no hint where no option helps, where the program did well, or where nothing was refused" {
	echo 'import os
try: os.mount
except AttributeError: pass
import ctypes
ctypes.CDLL(None).mount(b"a", b"/tmp", b"tmpfs", 0, None)
raise SystemExit(1)' >x.py
	box user:no-cgroup x.py
	run ! grep -q 'try:' "$T/err"
	box user:no-cgroup --json x.py
	holds 'all(d["option"] is None for d in r["denials"])'
	echo 'import subprocess
try: subprocess.run(["git"])
except OSError: pass' >x.py
	box user:no-cgroup x.py
	exits 0
	[ ! -s "$T/err" ] || show
}

@test "an argument that names a file which the box does not show" {
	echo 'import sys; open(sys.argv[1])' >x.py
	: >input.csv
	box user:no-cgroup x.py -- input.csv
	err_has 'the argument input.csv is a file that the box does not show'
	err_has 'try: --ro PATH shows it, --workspace DIR its directory'
	box user:no-cgroup x.py -- nothing.csv
	run ! grep -q 'try:' "$T/err"
	box user:no-cgroup x.py -- /proc/self/status
	exits 0
	box user:no-cgroup --workspace .:ro x.py -- input.csv
	run ! grep -q 'try: --workspace' "$T/err"
}

asked_net() {
	box "$1" --net example.org:443 "$T/x.py"
	[ "$status" -ne 0 ] || show
	err_has 'refused: socket'
	run ! grep -qF -e 'try: --net HOST:PORT' "$T/err"
}
@test "a host that was asked for and not given: no hint to ask for it" {
	echo 'import socket; socket.socket(socket.AF_INET)' | code x.py
	every asked_net
}
