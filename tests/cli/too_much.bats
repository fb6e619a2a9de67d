#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# More arguments or environment than fit: what is too much, how much it is, how much would do, and what to do
# instead. Words come by a descriptor: the kernel takes no such command line for cordon itself.
load helper

# words PYTHON: an expression, the list of words of `cordon run`.
words()
{
	/usr/bin/python3 -I -c 'import sys
sys.stdout.write("".join(w + "\0" for w in eval(sys.argv[1])))' "$1" >"$T/words"
}

# runs WORDS [ARG...]
runs()
{
	local way=${WAYS%% *}
	words "$1"
	shift
	status=0
	timeout 60 "$CORDON" run --tier "${way#*:}" "$@" --words 5 5<"$T/words" >"$T/out" 2>"$T/err" </dev/null || status=$?
}

# tells STATUS WORDS...
tells()
{
	exits "$1"
	shift
	local w
	for w; do
		err_has "$w"
	done
	err_has "pass data as a file: --stdin FILE, or in --workspace DIR"
}

@test "arguments: one that is too long" {
	echo 'import sys; print(len(sys.argv[1]))' | code x.py
	runs "['$T/x.py', '--', 'x' * 131071]"
	exits 0
	out_has 131071
	runs "['$T/x.py', '--', 'a', 'x' * 131072]"
	tells 125 "argument 2 has 131072 bytes; the limit is 131071"
}

@test "arguments: too many" {
	local most
	echo 'import sys; print(len(sys.argv) - 1)' | code x.py
	runs "['$T/x.py', '--'] + ['x'] * 5000"
	tells 125 "5000 arguments; the limit is "
	most=$(sed -n 's/.*5000 arguments; the limit is \([0-9]*\).*/\1/p' "$T/err")
	runs "['$T/x.py', '--'] + ['x'] * $most"
	exits 0
	out_has "$most"
	runs "['$T/x.py', '--'] + ['x'] * ($most + 1)"
	tells 125 "$((most + 1)) arguments; the limit is $most"
}

@test "arguments and environment: too much together" {
	echo 'print("here")' | code x.py
	local x
	x=$(printf 'x%.0s' {1..102397}) # 100 words of 1024
	runs "['$T/x.py', '--'] + ['x' * 1023] * 924" --env "A=$x"
	exits 0
	runs "['$T/x.py', '--'] + ['x' * 1023] * 924" --env "A=x$x"
	tells 125 "arguments and environment have 1048577 bytes, more than the maximum of 1048576" \
		"all of them are scanned before anything runs"
	runs "['$T/x.py', '--'] + ['x' * 1023] * 1024"
	tells 125 "--words: more than 1048576 bytes"
}

@test "environment: a variable that is too long, too many of them" {
	echo 'import os; print(len(os.environ["LONG"]))' | code x.py
	runs "['--env', 'LONG=' + 'x' * 131066, '$T/x.py']"
	exits 0
	out_has 131066
	runs "['--env', 'LONG=' + 'x' * 131067, '$T/x.py']"
	tells 125 "the variable LONG has 131072 bytes; the limit is 131071"
	runs "[w for i in range(1000) for w in ('--env', f'A{i}=1')] + ['$T/x.py']"
	tells 125 "--env: more than "
}

@test "an approval request with too many arguments or bytes is refused" {
	local c
	c=$("$CORDON" conversation new)
	printf 'for number in range(1, 100):\n    print(number * number)\n' | code x.py
	"$CORDON" ingest --conversation "$c" --kind web --name page --rules "$HARMLESS" "$T/x.py"
	printf 'version: 2\nprofile: strict\nexposed: {tier: no-cgroup}\n' >"$T/p.yaml"
	runs "['$T/x.py', '--'] + ['x'] * 1024" --conversation "$c" --policy "$T/p.yaml"
	exits 75
	runs "['$T/x.py', '--'] + ['x'] * 1025" --conversation "$c" --policy "$T/p.yaml"
	tells 126 "approval request too large: 1025 args" "the maximum is 1024"
	runs "['$T/x.py', '--'] + ['x' * 1020] * 1020" --conversation "$c" --policy "$T/p.yaml"
	tells 126 "approval request too large: " " bytes beside the code" "the maximum is 1048576" '"args" has 1048568'
	"$CORDON" audit verify >/dev/null
}
