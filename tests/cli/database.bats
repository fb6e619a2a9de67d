#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The log in a database server of the test's own, and SIGKILL in the middle of runs: for cordon on both
# databases, for cordon-postgres and for the server.
load helper
load scan.bash
load gate.bash
load database

# bats test_tags=long
@test "the same on a database server" {
	need_root
	gate_setup
	need_server
	printf 'a sunstone by the sea\n' >"$T/h.txt"
	cat >"$T/bin/script" <<-'END'
		#!/bin/bash
		set -eu
		cordon() { "$CORDON" "$@" --state "$T/root/cordon"; }
		if [ -n "${IN_FILE:-}" ]; then
			mkdir -m 700 "$T/root/cordon"
			(umask 077; printf '%s\n' "$CORDON_STORE_URL" >"$T/root/cordon/store.url")
			unset CORDON_STORE_URL
		fi
		C=$(cordon conversation new)
		cordon ingest --conversation "$C" --rules "$T/r" --kind web --name h --release - "$T/h.txt" | cmp - "$T/h.txt"
		cordon audit rotate >/dev/null
		cordon conversation show "$C" --json | grep -q '"state":"exposed"'
		cordon audit verify | grep -q 'the log is intact: 6 records'
		cordon audit export | wc -l | grep -qx 6
		[ ! -e "$T/root/cordon/log.db" ]
		rm -f "$T/root/cordon/store.url"
		unset CORDON_STORE_URL
		! cordon ingest --conversation "$C" --rules "$T/r" --kind web --name h --release "$T/released" "$T/h.txt" 2>"$T/err" || return 1
		[ ! -e "$T/released" ]
		grep -q 'the log is gone' "$T/err"
	END
	chmod +x "$T/bin/script"
	export T CORDON
	"$TOP/tests/store/run" postgres "$T/bin/script"
	rm -rf "$T/root/cordon"
	IN_FILE=1 "$TOP/tests/store/run" postgres "$T/bin/script"
}

# What is committed there must stay: what would take it away again is refused before anything runs.
@test "a database that forgets is no log" {
	need_root
	gate_setup
	need_server
	cat >"$T/bin/script" <<-'END'
		#!/bin/bash
		set -eu
		cordon() { "$CORDON" "$@" --state "$T/root/cordon"; }
		for psql in /usr/lib/postgresql/*/bin/psql; do :; done
		sql() { "$psql" -qv ON_ERROR_STOP=1 "$CORDON_STORE_URL" -c "$1"; }
		refused() {
			! cordon conversation new >/dev/null 2>"$T/err" || exit 1
			grep -q "$1" "$T/err" || { cat "$T/err"; exit 1; }
		}
		cordon conversation new >/dev/null
		for table in log ref item; do
			sql "ALTER TABLE cordon.$table SET UNLOGGED"
			refused "$table is not logged"
			sql "ALTER TABLE cordon.$table SET LOGGED"
		done
		sql "CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS
			'BEGIN DELETE FROM cordon.log WHERE seq = NEW.seq; RETURN NULL; END'"
		sql 'CREATE CONSTRAINT TRIGGER t AFTER INSERT ON cordon.log DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW EXECUTE FUNCTION forget()'
		refused 'log has a trigger'
		sql 'DROP TRIGGER t ON cordon.log'
		sql 'CREATE RULE r AS ON INSERT TO cordon.ref DO INSTEAD NOTHING'
		refused 'ref has a rule'
		sql 'DROP RULE r ON cordon.ref'
		sql 'CREATE SCHEMA other; ALTER TABLE cordon.log SET SCHEMA other;
			CREATE VIEW cordon.log AS SELECT * FROM other.log'
		refused 'log is no table\|log has a rule'
		sql 'DROP VIEW cordon.log; ALTER TABLE other.log SET SCHEMA cordon'
		sql 'CREATE TABLE other.parent (seq bigint PRIMARY KEY);
			INSERT INTO other.parent SELECT generate_series(0, 100);
			ALTER TABLE cordon.log ADD CONSTRAINT c FOREIGN KEY (seq) REFERENCES other.parent ON DELETE CASCADE'
		refused 'log refers to another'
		sql 'ALTER TABLE cordon.log DROP CONSTRAINT c'
		cordon conversation new >/dev/null
		cordon audit verify | grep -q 'the log is intact'
	END
	chmod +x "$T/bin/script"
	export T CORDON
	"$TOP/tests/store/run" postgres "$T/bin/script"
}

# bats test_tags=long
@test "killed in the middle of a run: no run without a record, and none is lost" {
	need_root
	on sqlite killed_runs 20 cordon
}

# bats test_tags=long
@test "the same on a database server, which is killed as well" {
	need_root
	need_server
	on postgres killed_runs 18 cordon helper server
}

@test "the disk has the start's record before the program begins" {
	on sqlite synced sqlite
}

# bats test_tags=long
@test "the same on a database server whose commits do not wait for the disk by themselves" {
	need_root
	need_server
	on postgres synced postgres
}
