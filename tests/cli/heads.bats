#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The heads of the log elsewhere: each is delivered once a command has ended, by a command or to a URL; what
# fails is told, recorded and tried again; and what was received finds a log that was made anew.
load helper
load gate.bash
load deliver

needs()
{
	own_programs
	mkdir -p "$T/state" "$T/config/cordon"
	STATE=$T/state/cordon
}

teardown()
{
	end_server
	cd /
	rm -rf --one-file-system "$T"
}

# heads YAML: what the configuration says of them.
heads() { printf 'version: 1\nheads: %s\n' "$1" >"$T/config/cordon/config.yaml"; }
# taker [WORD...]: a command that keeps what it gets in $T/kept, after these words.
taker()
{
	printf '#!/bin/sh\n%s\n{ cat; echo; } >>%s\n' "$*" "$T/kept" >"$T/take"
	chmod 755 "$T/take"
	heads "{command: [$T/take]}"
}
cordon() { "$CORDON" "$@" >"$T/out" 2>"$T/err"; }
# arrived: within a minute everything has.
arrived()
{
	for _ in $(seq 600); do
		[ "$(head -n 1 "$STATE/heads.sent" 2>/dev/null | sed 's/^0*//')" != "$(stat -c %s "$STATE/heads")" ] ||
			return 0
		sleep 0.1
	done
	cat "$STATE/heads.sent" "$STATE/heads"
	return 1
}
failed_once()
{
	for _ in $(seq 600); do
		[ "$(wc -l <"$STATE/heads.sent" 2>/dev/null)" != 1 ] || [ -z "$(sed -n 2p "$STATE/heads.sent")" ] || return 0
		sleep 0.1
	done
	return 1
}

@test "the command gets every head once, and the heads that it keeps match the log" {
	taker
	for _ in 1 2 3; do cordon conversation new; done
	arrived
	[ ! -s "$T/err" ]
	grep -o '[0-9 ]* [0-9a-f]\{64\}' "$T/kept" >"$T/lines"
	grep . "$STATE/heads" | diff - "$T/lines"
	/usr/bin/python3 -c 'import json, sys
for line in open(sys.argv[1]):
    assert json.loads(line)["event"] == "log.heads" and json.loads(line)["heads"], line' "$T/kept"
	cordon audit verify --heads "$T/kept"
	grep -q 'it has all 4 given heads' "$T/out"
	# All of the machine made anew, with the same key.
	mv "$STATE" "$T/old"
	mkdir -m 700 "$STATE"
	cp -p "$T/old/log.key" "$STATE"
	heads "{command: [/bin/true]}"
	for _ in 1 2 3 4 5; do cordon conversation new; done
	cordon audit verify
	! cordon audit verify --heads "$T/kept" || return 1
	grep -q 'NOT intact (forked)' "$T/out"
}

@test "a slow one holds nothing up, and many commands begin no more than two" {
	taker 'sleep 1; echo $$ >>'"$T/began"
	begin=$(date +%s%N)
	for _ in 1 2 3 4 5 6 7 8; do cordon conversation new; done
	took=$((($(date +%s%N) - begin) / 1000000))
	[ "$took" -lt 4000 ] || { echo "$took ms"; return 1; }
	arrived
	[ "$(wc -l <"$T/began")" -le $((took / 1000 + 4)) ] || { cat "$T/began"; return 1; }
	[ "$(grep -o '[0-9a-f]\{64\}' "$T/kept" | wc -l)" -eq 9 ]
}

@test "the next command reports a failed delivery, records it once, and tries again" {
	taker 'echo the disk is full >&2; exit 3'
	cordon conversation new
	[ ! -s "$T/err" ]
	failed_once
	cordon conversation new
	grep -q "the log's heads were not delivered: .*take" "$T/err"
	failed_once
	cordon doctor || true
	grep -q '^  heads .*not delivered: .*take' "$T/out" || { cat "$T/out"; return 1; }
	cordon audit tail
	grep -q "not delivered" "$T/err"
	[ "$(grep -c ' undelivered ' "$T/out")" -eq 1 ]
	failed_once
	taker
	cordon conversation new
	arrived
	cordon doctor || true
	grep -q '^  heads  *good .*elsewhere too, 0 bytes wait' "$T/out" || { cat "$T/out"; return 1; }
	cordon audit tail -n 20
	[ ! -s "$T/err" ]
	[ "$(grep -c ' undelivered ' "$T/out")" -eq 1 ]
	cordon audit verify --heads "$T/kept"
}

@test "if the note of a delivery cannot be written, heads are not delivered again and again" {
	need_etc
	[ "$(id -u)" -eq 0 ] || skip "mounts a small file system"
	taker
	mkdir "$T/small"
	mount -t tmpfs -o size=8m none "$T/small"
	chmod 700 "$T/small"
	CORDON_STATE=$T/small cordon conversation new || { cat "$T/err"; umount "$T/small"; return 1; }
	for _ in $(seq 100); do [ ! -s "$T/kept" ] || break; sleep 0.05; done
	rm "$T/small/heads.sent"
	head -c 9m /dev/zero >"$T/small/full" 2>/dev/null || true
	: >"$T/kept"
	CORDON_STATE=$T/small cordon conversation show || true
	sleep 1
	umount "$T/small"
	[ "$(wc -l <"$T/kept")" -le 2 ] || { wc "$T/kept"; return 1; }
}

@test "a URL gets them signed" {
	start_server
	heads "{url: $URL/ok, secret_file: $HOOK/secret}"
	cordon conversation new
	arrived
	grep -q '^cordon-event: log.heads' "$HOOK/headers" || grep -qi 'log.heads' "$HOOK/headers"
	cordon audit verify --heads "$HOOK/message"
}

@test "a command that is killed between delivery and its note delivers again, and loses none" {
	taker
	cordon conversation new
	arrived
	printf '%020d\n' 0 >"$STATE/heads.sent"
	printf 'nonsense' >"$STATE/heads.sent"
	cordon conversation new
	arrived
	cordon audit verify --heads "$T/kept"
	[ "$(grep -o '[0-9a-f]\{64\}' "$T/kept" | sort -u | wc -l)" -eq 3 ]
}

# damaged TEXT: the file heads ends with these bytes, and nothing more is in it that was not delivered.
damaged()
{
	cordon conversation new
	arrived
	: >"$T/kept"
	printf '%b' "$1" >>"$STATE/heads"
	cordon conversation list
	# Whoever delivers has the lock on byte 0: what waits for it comes after.
	for _ in $(seq 100); do
		! flocked || { sleep 0.1; continue; }
		break
	done
	! flocked || { echo "it still delivers: $(wc -l <"$T/kept") times"; return 1; }
	[ ! -s "$T/kept" ] || { head -c 300 "$T/kept"; return 1; }
	cordon conversation new
	for _ in $(seq 100); do [ ! -s "$T/kept" ] || break; sleep 0.1; done
	# The next head arrives, alone, and nothing of the damage does.
	arrived
	[ "$(tail -n 1 "$STATE/heads")" = "$(grep -o '[0-9 ]* [0-9a-f]\{64\}' "$T/kept")" ] || { cat "$T/kept"; return 1; }
	/usr/bin/python3 -c 'import json, sys
for line in open(sys.argv[1]):
    assert len(json.loads(line)["heads"]) == 1, line' "$T/kept"
}
flocked()
{
	/usr/bin/python3 -c 'import fcntl, sys
try:
    fcntl.lockf(open(sys.argv[1], "r+"), fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 0)
except OSError:
    sys.exit(0)
sys.exit(1)' "$STATE/heads.sent"
}

# bats test_tags=long
@test "a partly written head is never delivered, and delivery ends" {
	taker
	damaged '\n'
	damaged '\n\n\n'
	damaged '\n12 5'
	damaged '\n12 5 1763496000 abcdef\n'
	damaged '\n\0\0\0\0\n\0'
	damaged '\ngarbage "\\\\ {}\n'
	damaged "\n$(head -c 70000 /dev/zero | tr '\0' 7)"
	damaged "\n$(head -c 140000 /dev/zero | tr '\0' a)\n"
}
