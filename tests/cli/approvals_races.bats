#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# People approved the file behind a name. Another process renames another file to that name while
# runs are prepared: that file never runs.
load helper
load inputs

# flipping NAME: it leads to NAME.1 and NAME.2 by turns, some ten thousand times a second, until killed.
flipping()
{
	/usr/bin/python3 - "$1" <<-'END' &
		import os, sys
		name = sys.argv[1]
		while True:
		    for n in "12":
		        os.symlink(name + "." + n, name + ".new")
		        os.rename(name + ".new", name)
	END
	FLIPS=$!
}

# trading NAME TOOK: it and NAME.other have each other's name now and then, until killed: about once in the TOOK
# microseconds of a run. Where runs are slow none would get through a name that never rests.
trading()
{
	/usr/bin/python3 - "$1" "$2" <<-'END' &
		import ctypes, random, sys, time
		libc, name, chance = ctypes.CDLL(None), sys.argv[1].encode(), random.Random(9)
		most = max(0.12, 2e-6 * int(sys.argv[2]))
		while libc.renameat2(-100, name, -100, name + b".other", 2) == 0:
		    time.sleep(chance.uniform(0, most))
	END
	FLIPS=$!
}

# raced ARG...: while $FLIPS is at it; what runs is always what people agreed to, which prints 2. In the short form
# four times, and then until one has run.
raced()
{
	local tries ran=0 least=4
	[ -z "${TEST_MORE:-}" ] || least=40
	for ((tries = 0; tries < 40 && (tries < least || ran == 0); tries++)); do
		submit "$@"
		! grep -q '"stdout":"1' "$T/out" || { kill "$FLIPS"; show; }
		! grep -q '"stdout":"2' "$T/out" || ran=$((ran + 1))
	done
	kill "$FLIPS"
	[ "$ran" -gt 0 ] || show
}

# exchanged NAME ARG...: people agreed to what it led to; what runs never is the other.
exchanged()
{
	local name=$1
	shift
	ln -sfn "$name.2" "$name"
	submit "$@"
	parked
	approve "$ID" program
	submit "$@"
	holds 'r["stdout"] == "2\n"'
	flipping "$name"
	raced "$@"
}

# traded NAME ARG...: the same where the names themselves are exchanged, and no link is.
traded()
{
	local name=$1 begun
	shift
	submit "$@"
	parked
	approve "$ID" program
	begun=${EPOCHREALTIME/[^0-9]/}
	submit "$@"
	holds 'r["stdout"] == "2\n"'
	trading "$name" $((${EPOCHREALTIME/[^0-9]/} - begun))
	raced "$@"
}

# bats test_tags=long
@test "a path that changes between the hash and the box does not run other code" {
	local n
	need_root
	asks user:no-cgroup
	for n in 1 2; do
		mkdir "$T/given.$n"
		echo "value = $n" >"$T/given.$n/helper.py"
		printf '#include <stdio.h>\nint main(void) { return puts("%s") < 0; }\n' $n >tool.c
		cc -o "$T/tool.$n" tool.c
	done
	exchanged "$T/given" --workspace "$T/given:ro"
	printf 'import subprocess\nsubprocess.run(["%s"])\n' "$T/tool" >"$T/askme.py"
	exchanged "$T/tool" --exec "$T/tool"
}

# bats test_tags=long
@test "a program, a virtual environment or a workspace that changes places with another" {
	local n at
	need_root
	asks user:no-cgroup
	for n in 1 2; do
		printf '#include <stdio.h>\nint main(void) { return puts("%s") < 0; }\n' $n >tool.c
		cc -o "$T/tool.$n" tool.c
		mkdir "$T/given.$n"
		echo "value = $n" >"$T/given.$n/helper.py"
		/usr/bin/python3 -m venv --without-pip "$T/venv.$n"
		for at in "$T/venv.$n"/lib/python3*/site-packages; do echo "value = $n" >"$at/within.py"; done
	done
	for n in tool given venv; do
		mv "$T/$n.2" "$T/$n"
		mv "$T/$n.1" "$T/$n.other"
	done
	traded "$T/given" --workspace "$T/given:ro"
	printf 'import subprocess\nsubprocess.run(["%s"])\n' "$T/tool" >"$T/askme.py"
	traded "$T/tool" --exec "$T/tool"
	printf 'import within\nprint(within.value)\n' >"$T/askme.py"
	traded "$T/venv" --venv "$T/venv"
}
