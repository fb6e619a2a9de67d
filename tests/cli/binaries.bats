#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The shipped programs as files: the privileged one links no parser, the switch of the test builds
# is in neither, and both are hardened.
load helper

has_plain_build() { ! readelf -Ws "$BUILD/cordon-box" | grep -q __asan_init; }

links_no_parser() {
	nm "$1" >"$T/symbols"
	[ "$(wc -l <"$T/symbols")" -gt 100 ]
	run grep -E ' (json_|jansson|yaml_|pcre|sqlite3_|seccomp_(init|rule_add|export)|hs_|SSL_|MHD_|PQ[a-z]|curl_|regcomp|xml)' \
		"$T/symbols"
	[ -z "$output" ] || { echo "$output"; return 1; }
	if has_plain_build; then
		run ldd "$1"
		[[ $output == *"statically linked"* || $output == *"not a dynamic"* ]]
	fi
}
@test "cordon-box and cordon-keeper link no parser" {
	links_no_parser "$BUILD/cordon-box"
	links_no_parser "$BUILD/cordon-keeper"
}

@test "cordon-box has no line of cordon-probe, and neither program does the other's work" {
	nm "$BUILD/cordon-probe" | grep -q ' probe_landlock$'
	run ! grep -q ' probe_' <(nm "$BUILD/cordon-box")
	local program
	for program in box keeper probe; do
		run "$BUILD/cordon-$program"
		[ "$status" -eq 125 ] && [[ $output == "cordon-$program is started by "* ]]
	done
}

@test "cordon-box has no way to leave a layer out" {
	run ! grep -aq CORDON_WITHOUT "$BUILD/cordon-box"
	run ! grep -aq CORDON_WITHOUT "$BUILD/cordon"
	run ! grep -aq mutant_configure "$BUILD/cordon-box"
	[ ! -x "$BUILD/mutant/cordon-box" ] || grep -aq CORDON_WITHOUT "$BUILD/mutant/cordon-box"
	printf 'import socket\nsocket.socket()\n' | code x.py
	CORDON_WITHOUT=seccomp,netns,landlock,newroot box user:no-cgroup --json "$T/x.py"
	holds '"seccomp" in r["layers"] and "netns" in r["layers"] and r["exit_code"] == 1'
}

hardened() {
	readelf -Wh "$1" | grep -q 'Type: *DYN' || { echo "$1 is not PIE"; return 1; }
	readelf -Wl "$1" | grep -q GNU_RELRO || { echo "$1 has no RELRO"; return 1; }
	readelf -Wd "$1" | grep -Eq 'BIND_NOW|FLAGS.*NOW' || { echo "$1 binds lazily"; return 1; }
	readelf -Wl "$1" | grep GNU_STACK | grep -q 'RW ' || { echo "$1 has an executable stack"; return 1; }
	! readelf -Wl "$1" | grep LOAD | grep -q RWE || { echo "$1 has a writable code segment"; return 1; }
	nm "$1" | grep -q __stack_chk_fail || { echo "$1 has no stack protector"; return 1; }
}
@test "the programs are hardened" {
	hardened "$BUILD/cordon"
	hardened "$BUILD/cordon-box"
	hardened "$BUILD/cordon-keeper"
	hardened "$BUILD/cordon-probe"
	! has_plain_build || nm "$BUILD/cordon" | grep -q '__.*_chk$'
}

@test "neither is setuid" {
	[ ! -u "$BUILD/cordon" ] && [ ! -u "$BUILD/cordon-box" ] && [ ! -g "$BUILD/cordon-box" ]
}

# Built for one place, installed in another: it must look where it is put.
# bats test_tags=long
@test "make install PREFIX=... after a plain make gives a cordon that works" {
	has_plain_build || return 0
	mkdir "$T/build"
	cp -a "$BUILD"/{cordon*,lib*,embed,mkfilter,gen,obj,shared} "$T/build/"
	# What is compiled again need not be fast.
	make -s -C "$TOP" BUILD="$T/build" PREFIX="$T/usr" OPT=-O0 install
	status=0
	"$T/usr/bin/cordon" run --tier no-cgroup --lang binary /bin/true >"$T/out" 2>"$T/err" || status=$?
	exits 0
}

hashed() {
	cp /usr/bin/wc "$T/prog"
	box "$1" --json --lang binary "$T/prog"
	exits 0
	holds "r['code_sha256'] == '$(sha256sum <"$T/prog" | cut -d' ' -f1)'"
	as "${1%%:*}" "$CORDON" audit export --format jsonl >"$T/log"
	[ "$(grep -c "\"code_sha256\":\"$(sha256sum <"$T/prog" | cut -d' ' -f1)\"" "$T/log")" -eq 3 ]
	# Somebody touches it while it runs: what ran can no longer be said.
	rm -f "$T/in"
	mkfifo "$T/in"
	(much; chmod 700 "$T/prog"; chmod 755 "$T/prog") >"$T/in" &
	IN=$T/in box "$1" --json --stdin - --lang binary "$T/prog" -- -c
	wait
	exits 0
	holds 'r["code_sha256"] is None' "r['stdout'] == '$MUCH\n'"
}
@test "code_sha256 of a program is of the bytes that ran, or null" {
	every hashed
}

# not_ours DIR: a cordon-box that is not ours lies there.
not_ours()
{
	mkdir -p "$1"
	printf '#!/bin/sh\ntouch %q\n' "$T/taken" >"$1/cordon-box"
	chmod 755 "$1" "$1/cordon-box"
}

@test "cordon-box is the one beside our file, not beside a link to it or a script that names us" {
	not_ours "$T/away"
	ln -s "$CORDON" "$T/away/cordon"
	ln -s "$(dirname "$CORDON")" "$T/link"
	printf '#!%s run\nexit 3\n' "$CORDON" >"$T/away/job.sh"
	chmod 755 "$T/away/job.sh"
	echo 'exit 3' >"$T/three.sh"
	each() # COMMAND...: runs, and runs ours
	{
		status=0
		"$@" >"$T/out" 2>"$T/err" || status=$?
		exits 3
		[ ! -e "$T/taken" ] || return 1
	}
	local options=(run --user --tier no-cgroup)
	each "$T/away/cordon" "${options[@]}" "$T/three.sh"
	each "$T/link/cordon" "${options[@]}" "$T/three.sh"
	(cd "$T/away" && each ./cordon "${options[@]}" "$T/three.sh")
	(PATH=$T/away:$PATH && each cordon "${options[@]}" "$T/three.sh")
	status=0
	"$T/away/job.sh" >"$T/out" 2>"$T/err" || status=$?
	[ "$status" -ne 0 ] && [ ! -e "$T/taken" ] || show
}

@test "a key pressed on the caller's terminal does not reach cordon-box" {
	local group
	mkfifo "$T/begun"
	"$CORDON" run --user --tier no-cgroup --lang bash - <<<'echo begun; sleep 60' >"$T/begun" &
	read -r group <"$T/begun"
	[ "$group" = begun ]
	local box
	box=$(pgrep -P $! -x cordon-box)
	group=$(ps -o pgid= -p "$box")
	kill -INT $!
	[ "$group" -eq "$box" ]
}
