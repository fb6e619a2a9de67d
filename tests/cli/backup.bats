#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon state: one file with all of the state, while others write; put back as it was, or not at all; the way to
# another database; and the upgrade of a state that an older cordon made (tests/store/format2.sql).
load helper
load scan.bash
load gate.bash

# filled WHO: a state with a conversation that was exposed, and a trusted directory.
filled()
{
	printf 'name,amount\nanna,3\n' >"$T/a.csv"
	conversation "$1"
	ingest "$1" 0 --kind file --name a.csv "$T/a.csv"
	mkdir -p "$T/app"
	trust "$1" "$T/app" "$T/$1" >/dev/null
}

# other WHO: an empty directory of that account, as $O.
other()
{
	O=$(mktemp -d "$T/$1-other-XXXXXX")
	! is_root || chown "$(stat -c %u "$T/$1")" "$O"
}

backs_up() {
	local state=$T/$1/cordon
	filled "$1"
	gate "$1" 0 state show
	out_has "sqlite, format 3, 5 records"
	gate "$1" 0 state show --json
	holds 'r["backend"] == "sqlite" and r["format"] == 3 and r["records"] == 5 and r["has_key"]' \
		"r['path'] == '$state' and r['conversations'] == 1 and r['sources'] == 1 and r['upgrade'] is None"
	gate "$1" 0 state backup "$T/$1/b" --keys
	out_has "the backup is whole: 5 records"
	[ "$(stat -c %a "$T/$1/b")" = 600 ]
	gate "$1" 125 state backup "$T/$1/b"
	err_has "choose another file name"
	other "$1"
	gate "$1" 0 state restore "$T/$1/b" --state "$O" --json
	holds 'r["records"] == 5 and r["has_keys"]'
	gate "$1" 0 audit verify --state "$O"
	gate "$1" 0 audit tail -n 2 --state "$O"
	out_has 'event="restored"'
	gate "$1" 0 conversation show "$C" --state "$O"
	out_has "a.csv"
	gate "$1" 0 trust list --state "$O"
	out_has "$T/app"
	gate "$1" 0 conversation new --state "$O"
	# The records are the same bytes.
	gate "$1" 0 audit export
	cp "$T/out" "$T/first"
	gate "$1" 0 audit export --state "$O"
	head -n 5 "$T/out" | cmp - "$T/first"
	# Over a log only if that is said, and what was there is kept.
	gate "$1" 126 state restore "$T/$1/b" --state "$O"
	err_has "--over"
	gate "$1" 0 state restore "$T/$1/b" --state "$O" --over
	compgen -G "$O/before-restore-*.backup" >/dev/null
	gate "$1" 0 audit export --state "$O"
	tail -n 2 "$T/out" | head -n 1 | grep -q '"replaced_records":8'
	# Without its key a log cannot go on.
	gate "$1" 0 state backup "$T/$1/nokeys"
	! grep -q cordon-key-1 "$T/$1/nokeys" || return 1
	other "$1"
	gate "$1" 125 state restore "$T/$1/nokeys" --state "$O"
	err_has "there is no key log.key"
	as "$1" cp "$state/log.key" "$O/"
	gate "$1" 0 state restore "$T/$1/nokeys" --state "$O"
	gate "$1" 0 audit verify --state "$O"
}
# bats test_tags=long
@test "restore brings back everything that backup saved" { gate_setup; backs_up user; ! is_root || backs_up root; }

# An older log over a newer one is an older log: the state's own files know more.
@test "an older backup over a newer log is noticed" {
	gate_setup
	filled user
	gate user 0 state backup "$T/user/b"
	gate user 0 conversation new
	gate user 0 audit checkpoint
	gate user 0 conversation new
	gate user 0 audit checkpoint
	for n in 1 2 3 4 5 6; do gate user 0 conversation new; gate user 0 audit checkpoint; done
	cp "$T/user/cordon/heads" "$T/heads"
	gate user 0 state restore "$T/user/b" --over
	cmp "$T/user/cordon/heads" "$T/heads"
	gate user 126 conversation new
	err_has "cordon audit accept"
	gate user 1 audit verify
	person user 0 audit accept
	gate user 0 conversation new
	gate user 0 audit verify
}

@test "a backup that brings its own acceptance is not accepted by it" {
	gate_setup
	filled user
	gate user 0 state backup "$T/user/b"
	gate user 0 conversation new
	/usr/bin/python3 "$TOP/tests/store/forge_accept.py" "$T/user/b" "$T/forged" 1000000
	install -m 644 "$T/forged" "$T/forged.backup"
	gate user 0 state restore "$T/forged.backup" --over
	gate user 126 conversation new
	err_has "cordon audit accept"
	gate user 1 audit verify
	person user 0 audit accept
	gate user 0 conversation new
	gate user 0 audit verify
}

@test "a backup that was changed anywhere, or is cut, restores nothing" {
	gate_setup
	filled user
	gate user 0 state backup "$T/user/b" --keys
	size=$(stat -c %s "$T/user/b")
	# Also inside of an item, which only the checksum covers.
	item=$(/usr/bin/python3 -c 'import sys; print(open(sys.argv[1], "rb").read().rindex(b"conversation\0"))' "$T/user/b")
	for at in $((item + 80)) $(sample 6 $((item + 90)) $(for n in $(seq 24); do echo $((size * n / 25)); done)); do
		cp "$T/user/b" "$T/user/bad"
		/usr/bin/python3 -c 'import sys; f = open(sys.argv[1], "r+b"); f.seek(int(sys.argv[2])); c = f.read(1)
f.seek(int(sys.argv[2])); f.write(bytes([c[0] ^ 1]))' "$T/user/bad" "$at"
		chmod 644 "$T/user/bad"
		other user
		run_gate user state restore "$T/user/bad" --state "$O"
		[ "$status" -ne 0 ] || show
		! grep -q "Permission denied" "$T/err" || show
		[ ! -e "$O/log.db" ] || show
		head -c "$at" "$T/user/b" >"$T/user/bad"
		err_has "damaged"
		gate user 125 state restore "$T/user/bad" --state "$O"
	done
	cat "$T/user/b" "$T/user/b" >"$T/user/bad"
	gate user 125 state restore "$T/user/bad" --state "$O"
	gate user 125 state restore "$T/a.csv" --state "$O"
	gate user 125 state restore "$T/nothing" --state "$O"
	gate user 2 state restore
	gate user 2 state dance
}

@test "a backup is of one moment while others write" {
	gate_setup
	filled user
	(for n in $(seq 30); do run_gate user conversation new; done) &
	for n in 1 2 3 4 5; do
		as user env XDG_STATE_HOME="$T/user" "$CORDON" state backup "$T/user/b$n" --keys >/dev/null
	done
	wait
	for n in 1 2 3 4 5; do
		other user
		gate user 0 state restore "$T/user/b$n" --state "$O"
		gate user 0 audit verify --state "$O"
	done
}

# format2_files DIR: what stood beside that database.
format2_files()
{
	local file
	for file in log.key checkpoints; do sed -n "s/^-- $file: //p" "$TOP/tests/store/format2.sql" >"$1/$file"; done
}

# old_state WHO: what cordon 2b1d849 left.
old_state()
{
	local state=$T/$1/cordon
	rm -rf "$state"
	mkdir -m 700 "$state"
	format2_files "$state"
	{
		echo "PRAGMA journal_mode=WAL; BEGIN;
CREATE TABLE log (seq INTEGER PRIMARY KEY, hash BLOB NOT NULL, record BLOB NOT NULL) STRICT;
CREATE TABLE ref (name TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (name, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE item (kind TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, value BLOB NOT NULL, PRIMARY KEY (kind, key)) STRICT;
PRAGMA application_id = 1129464897; PRAGMA user_version = 2;"
		cat "$TOP/tests/store/format2.sql"
		echo "COMMIT;"
	} | sqlite3 "$state/log.db" >/dev/null
	chmod 600 "$state"/*
	! is_root || chown -R "$(stat -c %u "$T/$1")" "$state"
}
format() { sqlite3 "$T/$1/cordon/log.db" 'PRAGMA user_version'; }

# upgraded WHO: the state is whole, new, and has lost nothing.
upgraded()
{
	gate "$1" 0 audit verify
	gate "$1" 0 approvals list
	out_has "no request waits"
	gate "$1" 0 approvals key list
	! grep -q anna "$T/out" || show
	gate "$1" 0 trust list
	out_has "/srv/cordon-fixture/app"
	gate "$1" 0 conversation list
	out_has "first talk"
	gate "$1" 0 conversation show 89597ee5ba93f2e9ad546f4ca3869aec
	out_has "page.example"
	gate "$1" 0 grant list
	gate "$1" 0 audit export
	grep -c '"event":"upgraded"' "$T/out" | grep -qx 1
	grep '"kind":"approval"' "$T/out" | tail -n 1 | grep -q '"event":"expired".*apr:17dd9c14.*apr:9dac627c'
	grep '"kind":"key"' "$T/out" | tail -n 1 | grep -q '"event":"removed".*approver:anna'
}

@test "a state of format 2 is upgraded when it is written, behind a backup" {
	gate_setup
	old_state user
	# Reading changes nothing.
	gate user 0 audit verify
	gate user 0 state show
	out_has "the next command that writes upgrades it"
	[ "$(format user)" = 2 ]
	gate user 0 conversation new
	[ "$(format user)" = 3 ]
	[ -s "$T/user/cordon/heads" ] && [ ! -e "$T/user/cordon/checkpoints" ]
	upgraded user
	compgen -G "$T/user/cordon/before-format-3-*.backup" >/dev/null
	# That backup is the old state: it is restored, and upgraded again.
	other user
	as user cp "$T/user/cordon/log.key" "$O/"
	gate user 0 state restore "$T"/user/cordon/before-format-3-*.backup --state "$O"
	gate user 0 state show --state "$O"
	out_has "format 2, 29 records"
	gate user 0 conversation new --state "$O"
	gate user 0 state show --state "$O"
	out_has "format 3"
	gate user 0 audit verify --state "$O"
}

# Of the old format, too: the state has been newer.
@test "an old state put back beside the heads of the new one is refused" {
	gate_setup
	old_state user
	cp "$T/user/cordon/log.db" "$T/old.db"
	gate user 0 conversation new
	rm "$T"/user/cordon/log.db-*
	cp "$T/old.db" "$T/user/cordon/log.db" # the file's owner stays
	[ "$(format user)" = 2 ]
	gate user 126 conversation new
	err_has "the log is not the one that was last written"
	[ "$(format user)" = 2 ]
	gate user 1 audit verify
	person user 0 audit accept
	gate user 0 conversation new
	[ "$(format user)" = 3 ]
	gate user 0 audit verify
}

@test "a newer format, and one that is too old, are refused and not touched" {
	gate_setup
	for version in 4 99 1; do
		old_state user
		as user sqlite3 "$T/user/cordon/log.db" "PRAGMA user_version = $version"
		gate user 126 conversation new
		err_has "has format $version; this cordon reads formats 2 to 3"
		err_has "try: "
		gate user 126 audit verify
		[ "$(format user)" = $version ]
	done
}

# At each call that writes, in turn: SIGKILL. What is there next is the old state or the new one.
# bats test_tags=long
@test "an upgrade that is killed at any write leaves the old state or the new one" {
	gate_setup
	command -v strace >/dev/null || skip "there is no strace"
	local call n tried=0 done=0
	for call in pwrite64 fdatasync renameat2 unlinkat; do
		for n in $(sample 4 1 2 3 4 6 8 11 14 18 22); do
			tried=$((tried + 1))
			old_state user
			as user env XDG_STATE_HOME="$T/user" strace -f -qq -o /dev/null \
				-e "inject=$call:signal=KILL:when=$n" "$CORDON" conversation new >/dev/null 2>&1 || done=$((done + 1))
			case $(format user) in
			2) [ "$(sqlite3 "$T/user/cordon/log.db" 'SELECT count(*) FROM item WHERE kind = "approval"')" -gt 0 ] ;;
			3) ;;
			*) format user; return 1 ;;
			esac
			gate user 0 conversation new
			[ "$(format user)" = 3 ]
			[ -z "${TEST_MORE:-}" ] && [ "$n" -ne 6 ] || upgraded user
		done
	done
	[ "$done" -ge $((tried / 3)) ] || { echo "killed $done times of $tried"; return 1; }
}

# bats test_tags=long
@test "a restore that is killed at any write leaves no log, or all of it" {
	gate_setup
	command -v strace >/dev/null || skip "there is no strace"
	filled user
	gate user 0 state backup "$T/user/b" --keys
	local call n tried=0 done=0
	for call in pwrite64 fdatasync fsync renameat write; do
		for n in $(sample 4 1 2 3 4 6 8 11 14 18); do
			tried=$((tried + 1))
			other user
			as user strace -f -qq -o /dev/null -e "inject=$call:signal=KILL:when=$n" \
				"$CORDON" state restore "$T/user/b" --state "$O" >/dev/null 2>&1 || done=$((done + 1))
			run_gate user audit verify --state "$O"
			if [ "$status" -ne 0 ]; then
				gate user 0 state restore "$T/user/b" --state "$O"
			fi
			gate user 0 conversation new --state "$O"
			gate user 0 audit verify --state "$O"
		done
	done
	[ "$done" -ge $((tried / 3)) ] || { echo "killed $done times of $tried"; return 1; }
}

# The fixture's statements, for a server.
format2_postgres()
{
	echo "CREATE SCHEMA cordon; SET search_path = cordon;
CREATE TABLE log (seq bigint PRIMARY KEY, hash bytea NOT NULL, record bytea NOT NULL);
CREATE TABLE ref (name text COLLATE \"C\" NOT NULL, seq bigint NOT NULL, PRIMARY KEY (name, seq));
CREATE TABLE item (kind text COLLATE \"C\" NOT NULL, key text COLLATE \"C\" NOT NULL, version bigint NOT NULL,
 value bytea NOT NULL, PRIMARY KEY (kind, key));
CREATE TABLE meta (version bigint NOT NULL); INSERT INTO meta VALUES (2); BEGIN;"
	sed "s/X'\([0-9a-fA-F]*\)'/'\\\\x\1'/g" "$TOP/tests/store/format2.sql"
	echo 'COMMIT;'
}

@test "a database server: backups go both ways, and an old state there is upgraded" {
	need_root
	gate_setup
	local at has=
	for at in /usr/lib/postgresql/*/bin; do [ ! -x "$at/initdb" ] || has=$at; done
	[ -n "$has" ] || skip "there is no PostgreSQL server (tools/deps test)"
	[ -x "$BUILD/cordon-postgres" ] || skip "cordon-postgres is not built (libpq-dev)"
	filled root
	gate root 0 state backup "$T/root/lite" --keys
	gate root 0 audit export
	cp "$T/out" "$T/first"
	format2_postgres >"$T/old.sql"
	mkdir -m 700 "$T/server" "$T/again" "$T/old"
	mkdir -p "$T/bin"
	cat >"$T/bin/script" <<-'END'
		#!/bin/bash
		set -eux
		"$CORDON" state restore "$T/root/lite" --state "$T/server"
		"$CORDON" state show --state "$T/server" | grep 'postgres, format 3, 7 records'
		"$CORDON" audit verify --state "$T/server"
		"$CORDON" audit export --state "$T/server" | head -n 5 | cmp - "$T/first"
		! "$CORDON" state restore "$T/root/lite" --state "$T/server" || exit 1
		"$CORDON" state restore "$T/root/lite" --over --state "$T/server"
		"$CORDON" state backup "$T/from-server" --keys --state "$T/server"
		(unset CORDON_STORE_URL
		 "$CORDON" state restore "$T/from-server" --state "$T/again"
		 "$CORDON" audit verify --state "$T/again"
		 "$CORDON" conversation list --state "$T/again" | grep exposed)
		psql=$(command -v psql || ls /usr/lib/postgresql/*/bin/psql)
		"$psql" -q "$CORDON_STORE_URL" -c 'DROP SCHEMA cordon CASCADE'
		"$psql" -q -v ON_ERROR_STOP=1 "$CORDON_STORE_URL" -f "$T/old.sql"
		for file in log.key checkpoints; do sed -n "s/^-- $file: //p" "$TOP/tests/store/format2.sql" >"$T/old/$file"; done
		chmod 600 "$T"/old/*
		"$CORDON" state show --state "$T/old" | grep 'postgres, format 2, 27 records'
		"$CORDON" conversation new --state "$T/old"
		"$CORDON" state show --state "$T/old" | grep 'postgres, format 3'
		"$CORDON" audit verify --state "$T/old"
		"$CORDON" approvals list --state "$T/old" | grep 'no request waits'
		"$CORDON" trust list --state "$T/old" | grep /srv/cordon-fixture/app
		"$psql" -q "$CORDON_STORE_URL" -c 'UPDATE cordon.meta SET version = 4'
		! "$CORDON" conversation new --state "$T/old" 2>"$T/err" || exit 1
		grep 'has format 4; this cordon reads formats 2 to 3' "$T/err"
	END
	chmod +x "$T/bin/script"
	export T CORDON TOP
	"$TOP/tests/store/run" postgres "$T/bin/script"
}
