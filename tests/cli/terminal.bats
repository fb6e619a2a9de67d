#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Commands in a box with a terminal: its size, its keys, what it may show.
load helper
load workspace

# typed COMMAND...: runs it on a terminal of its own, in the workspace; the lines to type are in $T/keys.
typed()
{
	status=0
	(cd "$W" && as user timeout 60 /usr/bin/python3 -IS "$TOP/tests/cli/terminal.py" "$@" <"$T/keys" >"$T/out" 2>"$T/err") ||
		status=$?
}

session() {
	printf '%s\n' 'stty size; tty' WINCH 'stty size; trap "echo caught" INT; sleep 30' ^C 'exit 9' >"$T/keys"
	typed "$@" -- env PS1='$ ' bash --norc -i
	exits 9
	tr -d '\r' <"$T/out" >"$T/plain"
	grep -qx '33 99' "$T/plain" && grep -qx '/dev/pts/0' "$T/plain" && grep -qx '44 88' "$T/plain" || show
	grep -q caught "$T/plain" || show
}

@test "exec: the size, a new size, a key that sends a signal" {
	dir user
	session "$CORDON" exec --tier no-cgroup
}

@test "box exec: the same" {
	dir user
	(cd "$W" && as user "$CORDON" box create work --tier no-cgroup --user >/dev/null)
	session "$CORDON" box exec work
	(cd "$W" && as user "$CORDON" box stop work)
}

@test "the program cannot set the clipboard or the title; colours pass" {
	dir user
	: >"$T/keys"
	# shellcheck disable=SC2016
	typed "$CORDON" exec --tier no-cgroup -- printf 'a\033]52;c;ZXZpbA==\007b\033]0;t\033\\c\033[31mred\n'
	exits 0
	grep -q "$(printf 'abc\033\[31mred')" "$T/out" || show
}

@test "without a terminal on both sides there is none in the box" {
	dir user
	: >"$T/keys"
	typed sh -c "'$CORDON' exec --tier no-cgroup -- tty | cat"
	out_has 'not a tty'
	typed sh -c "'$CORDON' exec --tier no-cgroup -- tty </dev/null"
	out_has 'not a tty'
}
