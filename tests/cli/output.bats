#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a program prints: all of it or its head and tail with the counts told, whatever the bytes.
load helper

truncated() {
	box "$1" --json --output 1000 "$T/x.py"
	exits 0
	holds 'len(r["stdout"]) == 1000 and r["stdout_bytes"] == 3000' \
		'r["stdout"] == "a" * 500 + "c" * 500' \
		'r["truncated"]["stdout"]["total"] == 3000' \
		'r["truncated"]["stdout"]["omitted"] == 2000 and r["truncated"]["stdout"]["at"] == 500' \
		'"stderr" not in r["truncated"]'
}
@test "long output keeps its head and tail, and the result counts the bytes left out" {
	printf 'print("a" * 1000 + "b" * 1000 + "c" * 1000, end="")\n' | code x.py
	every truncated
}

exact() {
	box "$1" --json --output 1000 "$T/x.py" -- 1000
	holds 'len(r["stdout"]) == 1000 and not r["truncated"]'
	box "$1" --json --output 1000 "$T/x.py" -- 1001
	holds 'len(r["stdout"]) == 1000 and r["truncated"]["stdout"]["omitted"] == 1'
}
@test "at the maximum nothing is lost, one more loses one" {
	printf 'import sys\nprint("x" * int(sys.argv[1]), end="")\n' | code x.py
	every exact
}

default_output() {
	box "$1" --json "$T/x.py"
	holds 'len(r["stdout"]) == 1 << 20 and r["stdout_bytes"] == 3 << 20' \
		'len(r["stderr"]) == 1 << 20 and r["stderr_bytes"] == 2 << 20'
}
@test "a megabyte of each stream by default" {
	printf 'import sys\nsys.stdout.write("o" * (3 << 20))\nsys.stderr.write("e" * (2 << 20))\n' |
		code x.py
	every default_output
}

shown_truncated() {
	box "$1" --output 256 "$T/x.py"
	exits 0
	[ "$(wc -c <"$T/out")" -eq 256 ] || show
	err_has '9744 bytes left out'
}
@test "without --json too" {
	printf 'print("y" * 10000, end="")\n' | code x.py
	every shown_truncated
}

utf8_gap() {
	box "$1" --json --output 301 "$T/x.py"
	holds 'r["stdout_encoding"] == "utf-8"' 'set(r["stdout"]) == {"\u20ac"}' \
		'r["truncated"]["stdout"]["omitted"] + len(r["stdout"].encode()) == r["stdout_bytes"]'
}
@test "a character is never cut in two" {
	printf 'print("\\u20ac" * 1000, end="")\n' | code x.py
	every utf8_gap
}

binary() {
	box "$1" --json "$T/x.py"
	exits 0
	holds 'r["stdout_encoding"] == "base64"' \
		'base64.b64decode(r["stdout"]) == bytes(range(256))' \
		'r["stderr_encoding"] == "utf-8" and r["stderr"] == ""'
	box "$1" "$T/x.py"
	[ "$(sha256sum <"$T/out")" = "$(/usr/bin/python3 -c 'import sys
sys.stdout.buffer.write(bytes(range(256)))' | sha256sum)" ] || show
}
@test "bytes that are no text come as base64, or as they are" {
	printf 'import sys\nsys.stdout.buffer.write(bytes(range(256)))\n' | code x.py
	every binary
}

nul() {
	box "$1" --json "$T/x.py"
	holds 'r["stdout"] == "a\x00b\n" and r["stdout_encoding"] == "utf-8"'
}
@test "NUL bytes survive" {
	printf 'print("a\\0b")\n' | code x.py
	every nul
}

odd_text() {
	box "$1" --json "$T/x.py"
	holds 'r["stdout"] == "\x1b[31m\u2028\ufeff\"\\\r\n\x7f\U0001f600"'
}
@test "control characters and quotes are escaped by JSON" {
	printf 'import sys\nsys.stdout.buffer.write("\\x1b[31m\\u2028\\ufeff\\"\\\\\\r\\n\\x7f\\U0001f600".encode())\n' |
		code x.py
	every odd_text
}

invalid_utf8() {
	box "$1" --json "$T/x.py"
	holds 'r["stdout_encoding"] == "base64" and base64.b64decode(r["stdout"]) == b"\xed\xa0\x80"' \
		'r["stderr_encoding"] == "base64" and base64.b64decode(r["stderr"]) == b"\xc0\x80ok"'
}
@test "surrogates and overlong forms are not taken for text" {
	printf 'import sys\nsys.stdout.buffer.write(b"\\xed\\xa0\\x80")\nsys.stderr.buffer.write(b"\\xc0\\x80ok")\n' |
		code x.py
	every invalid_utf8
}

flood() {
	box "$1" --json --time 1s "$T/x.py"
	exits 124
	holds 'len(r["stdout"]) == 1 << 20 and r["stdout_bytes"] > 1 << 20'
}
@test "an endless flood ends with the clock and is counted" {
	printf 'import sys\nwhile True: sys.stdout.write("z" * 65536)\n' | code x.py
	every flood
}

held_open() {
	local begin=$SECONDS
	box "$1" --json --time 20s "$T/x.sh"
	exits 0
	holds 'r["stdout"] == "main\n"'
	[ $((SECONDS - begin)) -lt 10 ] || { echo "it waited for an orphan"; return 1; }
}
@test "an orphan that holds the output open does not outlive the program" {
	printf '(sleep 50; echo late) &\necho main\n' | code x.sh
	every held_open
}

@test "output comes as it is printed" {
	# The second line waits for us, and we for the first, a minute at most: no clock decides.
	printf 'echo first\nread -r\necho second\n' | code x.sh
	mkfifo "$T/go"
	timeout 90 "$CORDON" run --user --tier no-cgroup --time 80s --stdin - "$T/x.sh" <"$T/go" >"$T/live" &
	local pid=$! i
	exec 7>"$T/go"
	for i in $(seq 600); do
		! grep -q first "$T/live" || break
		sleep 0.1
	done
	grep -q first "$T/live"
	run ! grep -q second "$T/live"
	echo >&7
	exec 7>&-
	wait $pid
	grep -q second "$T/live"
}

@test "a reader that goes away ends the run" {
	printf 'while True: print("y" * 1000)\n' | code x.py
	local begin=$SECONDS
	as user timeout 20 "$CORDON" run --user --tier no-cgroup --time 15s "$T/x.py" | head -c 10 >"$T/out" || true
	[ $((SECONDS - begin)) -lt 10 ]
}
