# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# For tests of cordon executor; a file loads helper and workspace before this. Its boxes end with the client.

# talk WAY [OPTION...]: a Python program on standard input that speaks to an executor in the workspace as `c`.
talk()
{
	local who=${1%%:*} tier=${1#*:}
	WAY=$1
	shift
	cat >"$T/talk.py"
	status=0
	(cd "$W" && as "$who" env PYTHONPATH="$TOP/tests/executor" timeout 120 /usr/bin/python3 -B -c '
import os, subprocess, sys
from client import *
ARGV = sys.argv[1:]
with Client(ARGV) as c:
    exec(compile(sys.stdin.read(), "talk.py", "exec"))
assert c.program.returncode == 0, c.program.returncode
' "$CORDON" executor --tier "$tier" "$@" <"$T/talk.py" >"$T/out" 2>"$T/err") || status=$?
	exits 0
}
