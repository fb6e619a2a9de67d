#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What happens to old records: cordon audit archive, export --follow beside it, changes of the key, backups, and
# SIGKILL between any two writes. Nothing is lost and nothing can be forged.
load helper
load scan.bash
load gate.bash

TOMORROW=$(date -u -d tomorrow +%Y-%m-%d)

# pages WHO N: so many were read in $C.
pages()
{
	local n
	printf 'name,amount\nanna,3\n' >"$T/a.csv"
	for n in $(seq "$2"); do ingest "$1" 0 --kind file --name "page-$n.csv" "$T/a.csv"; done
}

archived() {
	conversation "$1"
	pages "$1" 4
	gate "$1" 2 audit archive "$T/$1/none"
	err_has "log: {keep: 90d}"
	gate "$1" 2 audit archive --before yesterday "$T/$1/none"
	gate "$1" 2 audit archive --before "$TOMORROW" --keep 1h "$T/$1/none"
	gate "$1" 2 audit archive --keep 90 "$T/$1/none"
	err_has 'a time with its unit'
	gate "$1" 0 audit archive --keep 90d "$T/$1/none"
	out_has "no record from before"
	[ ! -e "$T/$1/none" ]
	gate "$1" 0 audit export
	cp "$T/out" "$T/all"
	gate "$1" 0 audit archive --before "$TOMORROW" "$T/$1/old" --json
	holds 'r["records"] == 4 and r["first"] == 3 and r["last"] == 6 and len(r["sha256"]) == 64'
	# The log is as whole as before, and the bodies are in the file.
	gate "$1" 0 audit verify --json
	holds 'r["good"] and r["archived"] == 4 and r["held"] == 0'
	gate "$1" 0 audit verify --archive "$T/$1/old" --json
	holds 'r["good"] and r["archived"] == 4 and r["held"] == 4'
	sed -n 4,7p "$T/all" | while read -r line; do grep -qaF "$line" "$T/$1/old"; done
	[ "$(sqlite3 "$T/$1/cordon/log.db" "SELECT count(*) FROM log WHERE instr(record, 'page-') > 0")" = 0 ]
	# What the gate needs is there: the conversation is exposed, its sources are known.
	gate "$1" 0 conversation show "$C" --json
	holds 'r["state"] == "exposed" and r["sources"] == 4'
	gate "$1" 0 audit tail -n 9
	out_has '3  archived'
	out_has 'event="archived"'
	gate "$1" 0 audit export
	err_has "4 records are in archives"
	# It goes on: more records, another key, another archive.
	pages "$1" 2
	gate "$1" 0 audit rotate
	gate "$1" 125 audit archive --before "$TOMORROW" "$T/$1/old"
	err_has "choose another file name"
	gate "$1" 0 audit archive --before "$TOMORROW" "$T/$1/new"
	gate "$1" 0 audit verify --archive "$T/$1/old" --archive "$T/$1/new" --json
	holds 'r["good"] and r["archived"] == r["held"] == 6 and r["rotations"] == 1'
	gate "$1" 0 audit prove 0
	gate "$1" 125 audit prove 3
	err_has "is in an archive"
	# A backup has it as it is.
	gate "$1" 0 state backup "$T/$1/b" --keys
	mkdir -m 700 "$T/$1/again"
	! is_root || chown "$(stat -c %u "$T/$1")" "$T/$1/again"
	gate "$1" 0 state restore "$T/$1/b" --state "$T/$1/again"
	gate "$1" 0 audit verify --archive "$T/$1/old" --archive "$T/$1/new" --state "$T/$1/again" --json
	holds 'r["good"] and r["archived"] == r["held"] == 6'
}
@test "old records go into a file, and the log stays whole" { each archived; }

@test "a body that is taken away without an archive, or changed in one, is found" {
	gate_setup
	conversation user
	pages user 3
	gate user 0 audit archive --before "$TOMORROW" "$T/user/old"
	pages user 1
	cp -a "$T/user/cordon" "$T/user/copy"
	# The same leaf, made by an attacker who can write the database: record 2 is what a person's host said.
	take_away() {
		as user /usr/bin/python3 -c 'import hashlib, sqlite3, sys
db = sqlite3.connect(sys.argv[1]); n = int(sys.argv[2])
record, = db.execute("SELECT record FROM log WHERE seq = ?", (n,)).fetchone()
db.execute("UPDATE log SET record = ? WHERE seq = ?", (b"A" + hashlib.sha256(b"\0" + record).digest(), n))
db.execute("DELETE FROM ref WHERE seq = ?", (n,))
db.commit()' "$T/user/cordon/log.db" "$1"
	}
	for n in 2 7; do
		take_away $n
		gate user 1 audit verify --json
		holds 'r["problem"] in ("missing", "signature", "index")'
		rm -rf "$T/user/cordon"
		cp -a "$T/user/copy" "$T/user/cordon"
	done
	sql user "UPDATE log SET record = CAST(x'41' || zeroblob(32) AS BLOB) WHERE seq = 4"
	gate user 1 audit verify
	rm -rf "$T/user/cordon"
	cp -a "$T/user/copy" "$T/user/cordon"
	size=$(stat -c %s "$T/user/old")
	for n in $(sample 5 $(seq 20)); do
		cp "$T/user/old" "$T/user/bad"
		/usr/bin/python3 -c 'import sys; f = open(sys.argv[1], "r+b"); f.seek(int(sys.argv[2])); c = f.read(1)
f.seek(int(sys.argv[2])); f.write(bytes([c[0] ^ 1]))' "$T/user/bad" $((size * n / 21))
		chmod 644 "$T/user/bad"
		gate user 125 audit verify --archive "$T/user/bad"
		err_has "damaged"
	done
	gate user 125 audit verify --archive "$T/a.csv"
	# Whole, but of another log: its records are not these.
	mkdir -m 700 "$T/user/other"
	! is_root || chown "$TEST_UID" "$T/user/other"
	gate user 0 conversation new --state "$T/user/other"
	C=$(cat "$T/out")
	pages_there() { gate user 0 ingest --conversation "$C" --rules "$T/r" --kind file --name x --state "$T/user/other" "$T/a.csv"; }
	pages_there; pages_there; pages_there
	gate user 0 audit archive --before "$TOMORROW" "$T/user/strange" --state "$T/user/other"
	gate user 1 audit verify --archive "$T/user/strange"
	out_has "in the archive is not the record of the log"
}

# A head names its record by the hash, which an archived one keeps.
@test "heads of archived records are met, and forged ones found, in the file and in a copy elsewhere" {
	gate_setup
	conversation user
	pages user 4
	grep . "$T/user/cordon/heads" | head -n 4 >"$T/copy" # up to the second page, which is record 4
	gate user 0 audit archive --before "$TOMORROW" "$T/user/old"
	gate user 0 audit verify --heads "$T/copy" --archive "$T/user/old" --json
	holds 'r["good"] and r["archived"] == r["held"] == 4'
	sed '$s/[0-9a-f]\{8\}$/00000000/' "$T/copy" >"$T/bad"
	gate user 1 audit verify --heads "$T/bad" --json
	holds 'r["problem"] == "forked"'
	# The file itself ends at an archived record: the log has gone on since.
	cp "$T/copy" "$T/user/cordon/heads"
	gate user 0 conversation new
	gate user 0 audit verify
	cp "$T/bad" "$T/user/cordon/heads"
	gate user 126 conversation new
	err_has "the log is not the one that was last written"
	gate user 1 audit verify
}

# follower FROM: cordon audit export --follow in the background; its process as $follower, its output in followed.
follower()
{
	as user env HOME=/nonexistent XDG_STATE_HOME="$T/user" bash -c \
		'echo $$ >"$2"; exec timeout 120 "$1" audit export --follow --from "$3"' - "$CORDON" "$T/as-user/pid" "$1" >>"$T/followed" 2>"$T/follow.err" &
	job=$!
	while [ ! -s "$T/as-user/pid" ]; do sleep 0.05; done
	follower=$(cat "$T/as-user/pid")
	rm -f "$T/as-user/pid"
}
# until_has N: the follower has written so many.
until_has() { for _ in $(seq 300); do [ "$(wc -l <"$T/followed")" -lt "$1" ] || return 0; sleep 0.1; done; cat "$T/follow.err"; return 1; }

@test "export --follow misses no record and doubles none, across restarts, keys and archives" {
	gate_setup
	chmod 777 "$T/as-user"
	conversation user
	: >"$T/followed"
	follower 0
	pages user 2
	gate user 0 audit rotate
	pages user 1
	until_has 8
	kill "$follower"
	wait "$job" || true
	pages user 1
	# The next one begins behind the last whole line.
	follower $(($(tail -n 1 "$T/followed" | grep -o '"seq":[0-9]*' | cut -d: -f2) + 1))
	pages user 1
	until_has 10
	gate user 0 audit archive --before "$TOMORROW" "$T/user/old"
	pages user 1
	until_has 12
	kill "$follower"
	wait "$job" || true
	/usr/bin/python3 - "$T/followed" <<-'END'
		import json, sys
		seqs = [json.loads(line)["seq"] for line in open(sys.argv[1])]
		assert seqs == list(range(len(seqs))), seqs
	END
}

@test "export --follow ends when its reader is gone, also without new records, and when the log is rolled back" {
	gate_setup
	conversation user
	as user env XDG_STATE_HOME="$T/user" timeout 60 bash -c \
		'"$1" audit export --follow --format cloudevents | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"' - "$CORDON" >"$T/followed" 2>&1
	! grep -qx 124 "$T/followed" || return 1
	gate user 126 audit export --follow --from 99
	err_has "shorter than it was"
}

# bats test_tags=long
@test "an archive that is killed at any write loses no body" {
	gate_setup
	command -v strace >/dev/null || skip "there is no strace"
	local call n tried=0 done=0
	conversation user
	pages user 3
	gate user 0 audit export
	cp "$T/out" "$T/all"
	cp -a "$T/user/cordon" "$T/user/copy"
	for call in write fsync renameat2 pwrite64 fdatasync unlinkat; do
		for n in $(sample 4 1 2 3 4 6 9); do
			tried=$((tried + 1))
			rm -rf "$T/user/cordon" "$T/user/old" "$T/user/later"
			cp -a "$T/user/copy" "$T/user/cordon"
			as user env XDG_STATE_HOME="$T/user" strace -f -qq -o /dev/null -e "inject=$call:signal=KILL:when=$n" \
				"$CORDON" audit archive --before "$TOMORROW" "$T/user/old" >/dev/null 2>&1 || done=$((done + 1))
			gate user 0 audit verify
			if [ -e "$T/user/old" ]; then
				gate user 0 audit verify --archive "$T/user/old" --json
				holds 'r["good"] and r["archived"] == r["held"]'
			else
				gate user 0 audit verify --json
				holds 'r["good"] and r["archived"] == 0'
			fi
			gate user 0 audit archive --before "$TOMORROW" "$T/user/later"
			gate user 0 audit verify --json
			holds 'r["good"] and r["archived"] == 3'
			cat "$T/user/old" "$T/user/later" >"$T/bodies" 2>/dev/null || true
			sed -n 4,6p "$T/all" | while read -r line; do grep -qaF "$line" "$T/bodies"; done
		done
	done
	[ "$done" -ge $((tried / 4)) ] || { echo "killed $done times of $tried"; return 1; }
}

@test "log.keep sets the age, and cordon reports when an archive is due" {
	gate_setup
	conversation user
	pages user 1
	mkdir -p "$T/user/config/cordon"
	keep() { printf 'version: 1\nlog: {keep: %s}\n' "$1" >"$T/user/config/cordon/config.yaml"; }
	keep 1h
	! is_root || chown -R "$TEST_UID" "$T/user/config"
	export XDG_CONFIG_HOME=$T/user/config
	gate user 0 audit archive "$T/user/early"
	out_has "no record from before"
	keep 1s
	sleep 1
	gate user 0 audit verify
	out_has "records are older than log.keep: cordon audit archive FILE"
	run_gate user doctor
	out_has "older than log.keep"
	gate user 0 audit archive "$T/user/old"
	out_has "1 records, 3 to 3, are in the archive"
	gate user 0 audit verify
	! grep -q "older than log.keep" "$T/out" || show
}

@test "the same on a database server" {
	need_root
	gate_setup
	local at has=
	for at in /usr/lib/postgresql/*/bin; do [ ! -x "$at/initdb" ] || has=$at; done
	[ -n "$has" ] || skip "there is no PostgreSQL server (tools/deps test)"
	[ -x "$BUILD/cordon-postgres" ] || skip "cordon-postgres is not built (libpq-dev)"
	printf 'name,amount\nanna,3\n' >"$T/a.csv"
	mkdir -m 700 "$T/server"
	mkdir -p "$T/bin"
	cat >"$T/bin/script" <<-'END'
		#!/bin/bash
		set -eux
		cordon() { "$CORDON" "$@" --state "$T/server"; }
		C=$(cordon conversation new)
		(cordon audit export --follow >"$T/followed") &
		for n in 1 2 3; do cordon ingest --conversation "$C" --rules "$T/r" --kind web --name "page-$n" "$T/a.csv"; done
		cordon audit rotate
		for _ in $(seq 100); do [ "$(wc -l <"$T/followed")" -lt 8 ] || break; sleep 0.1; done
		[ "$(wc -l <"$T/followed")" -eq 8 ]
		cordon audit archive --before "$TOMORROW" "$T/old"
		cordon audit verify --archive "$T/old" --json | grep '"archived":3,"held":3'
		cordon ingest --conversation "$C" --rules "$T/r" --kind web --name later "$T/a.csv"
		cordon audit verify
		for _ in $(seq 100); do ! grep -q '"name":"later"' "$T/followed" || break; sleep 0.1; done
		grep -c '"seq":' "$T/followed" | grep -qx 10
		kill $(jobs -p)
	END
	chmod +x "$T/bin/script"
	export T CORDON TOMORROW
	"$TOP/tests/store/run" postgres "$T/bin/script"
}
