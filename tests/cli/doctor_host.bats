#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What cordon doctor looks at besides the box: each check says good, and then, when what it is about is broken,
# says so with a cause and a cure. It makes nothing.
load helper

needs() { own_programs; }

doctor() { status=0; "$CORDON" doctor --json >"$T/out" 2>"$T/err" || status=$?; }
# wrong CHECK CAUSE CURE: that check alone fails, with these words.
wrong()
{
	doctor
	exits 125
	holds "[n for n in r['checks'] if not r['checks'][n]['holds']] == ['$1']" \
		"'''$2''' in r['checks']['$1']['cause']" "'''$3''' in r['checks']['$1']['cure']"
}
record() { printf 'print(1)\n' >x.py; "$CORDON" run --user --tier no-cgroup x.py; }

@test "without a state everything is good, and none is made" {
	rm -rf "$T/state"
	doctor
	holds 'all(c["holds"] and c["found"] and not c["cause"] for c in r["checks"].values())' \
		'list(r["checks"]) == ["configuration", "rules", "state", "format", "disk", "log", "heads", "apply", "keys", "signers", "clock"]' \
		'r["tier"] == "full"'
	[ ! -e "$T/state" ] && [ ! -e "$T/config" ]
}

@test "with a state everything is good" {
	record
	doctor
	holds 'all(c["holds"] for c in r["checks"].values())' '"intact" in r["checks"]["log"]["found"]'
	"$CORDON" doctor >"$T/out" || true
	[ "$(grep -cE '^  (configuration|rules|state|format|disk|log|heads|apply|keys|signers|clock) +good ' "$T/out")" -eq 11 ] || show
}

@test "configuration: a policy that does not load" {
	mkdir -p config/cordon
	printf 'version: 1\npolicy: %s/p.yaml\n' "$T" >config/cordon/config.yaml
	wrong configuration p.yaml ''
	printf 'version: 2\nprofil: strict\n' >p.yaml
	wrong configuration 'p.yaml:2: there is no key "profil"' ''
}

@test "configuration: a file that is broken; nothing else is looked at" {
	mkdir -p config/cordon
	printf 'version: 1\nteir: full\n' >config/cordon/config.yaml
	doctor
	exits 125
	holds '"config.yaml:2" in r["checks"]["configuration"]["cause"]' \
		'"did you mean" in r["checks"]["configuration"]["cure"]' \
		'all("configuration is broken" in c["cause"] for n, c in r["checks"].items() if n != "configuration")'
}

# bats test_tags=long
@test "rules: none, a broken one, old ones" {
	mv "$T/share/cordon/rules" "$T/away"
	wrong rules 'no rules were found' 'cordon rules fetch'
	mv "$T/away" "$T/share/cordon/rules"
	mkdir -p data/cordon/rules/agent-threat-rules
	mv "$T"/share/cordon/rules/* data/cordon/rules/agent-threat-rules/
	touch -d '200 days ago' data/cordon/rules/agent-threat-rules/ORIGIN
	wrong rules 'the fetched rules are 200 days old' 'cordon rules fetch'
	touch data/cordon/rules/agent-threat-rules/ORIGIN
	doctor
	holds 'r["checks"]["rules"]["holds"]'
	printf 'title: x\n' >data/cordon/rules/agent-threat-rules/x.yaml
	wrong rules '1 rules are broken' 'cordon rules check'
}

@test "state: one that others can enter, one that cannot be opened" {
	record
	chmod 755 "$T/state/cordon"
	wrong state 'not a directory that only you may enter' 'chmod 700'
	chmod 700 "$T/state/cordon"
	rm "$T/state/cordon/log.db"*
	printf 'no database' >"$T/state/cordon/log.db"
	doctor
	holds 'not r["checks"]["state"]["holds"]' '"log.db" in r["checks"]["state"]["cause"]'
}

@test "disk: a file system without room, and one without inodes" {
	need_root
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare -m --propagation private bash -c 'mkdir -p "$1/state" && mount -t tmpfs -o size=32M tmpfs "$1/state" && "$2" doctor --json >"$1/out"; true' _ "$T" "$CORDON"
	holds 'not r["checks"]["disk"]["holds"]' '"32 MB are free" in r["checks"]["disk"]["cause"]' \
		'"make room" in r["checks"]["disk"]["cure"]'
	# shellcheck disable=SC2016
	unshare -m --propagation private bash -c 'mount -t tmpfs -o nr_inodes=900 tmpfs "$1/state" && "$2" doctor --json >"$1/out"; true' _ "$T" "$CORDON"
	holds 'not r["checks"]["disk"]["holds"]' '"more files" in r["checks"]["disk"]["cause"]'
}

@test "log: a record that was edited" {
	record
	/usr/bin/python3 -I - "$T/state/cordon/log.db" <<-'PY'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		seq, record = db.execute("SELECT seq, record FROM log ORDER BY seq LIMIT 1 OFFSET 2").fetchone()
		db.execute("UPDATE log SET record = ? WHERE seq = ?", (bytes(record[:-2]) + (b"2}" if record[-2:] == b"1}" else b"1}"), seq))
		db.commit()
	PY
	doctor
	holds 'not r["checks"]["log"]["holds"]' '"log is damaged or was changed" in r["checks"]["log"]["cause"]' \
		'"audit verify" in r["checks"]["log"]["cure"]'
}

# bats test_tags=long
@test "heads: an older copy of the log, and a file that is gone" {
	record
	cp -r "$T/state/cordon" "$T/older"
	record
	doctor
	holds '"the log has the newest" in r["checks"]["heads"]["found"]' '"nowhere else" in r["checks"]["heads"]["found"]'
	cp "$T/state/cordon/heads" "$T/heads"
	rm -r "$T/state/cordon"
	cp -r "$T/older" "$T/state/cordon"
	cp "$T/heads" "$T/state/cordon/heads"
	doctor
	exits 125
	holds 'not r["checks"]["heads"]["holds"]' '"not the one that was last written" in r["checks"]["heads"]["cause"]' \
		'"cordon audit accept" in r["checks"]["heads"]["cure"]'
	rm "$T/state/cordon/heads"
	doctor
	holds 'not r["checks"]["heads"]["holds"]' '"heads is missing" in r["checks"]["heads"]["cause"]' \
		'"put the file back" in r["checks"]["heads"]["cure"]'
	[ ! -e "$T/state/cordon/heads" ]
}

# bats test_tags=long
@test "doctor reports an older format of the log, and fails on a newer one" {
	record
	doctor
	holds '"3, the newest" in r["checks"]["format"]["found"]'
	/usr/bin/python3 -I -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = 2")' "$T/state/cordon/log.db"
	doctor
	holds 'r["checks"]["format"]["holds"]' '"2; the next command that writes upgrades it" in r["checks"]["format"]["found"]'
	/usr/bin/python3 -I -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("PRAGMA user_version = 99")' "$T/state/cordon/log.db"
	wrong format 'has format 99' 'install that version again'
	holds '"not checked" in r["checks"]["log"]["found"]'
}

# bats test_tags=long
@test "apply: one that was interrupted" {
	record
	mkdir -p "$T/state/cordon/overlays/00/1-2"
	doctor
	holds 'r["checks"]["apply"]["holds"]'
	: >"$T/state/cordon/overlays/00/1-2/journal"
	wrong apply 'interrupted and are not finished: 1' 'cordon diff'
	flock "$T/state/cordon/overlays/00/1-2" "$CORDON" doctor --json >"$T/out" || true
	holds 'r["checks"]["apply"]["holds"]'
}

@test "keys: a key of the log that others can read, or that is gone" {
	record
	chmod 644 "$T/state/cordon/log.key"
	doctor
	holds '"log.key" in r["checks"]["keys"]["cause"]' '"rotate" in r["checks"]["keys"]["cure"]'
	mv "$T/state/cordon/log.key" "$T/key"
	doctor
	holds 'not r["checks"]["keys"]["holds"]' '"log.key" in r["checks"]["keys"]["cause"]' '"backup" in r["checks"]["keys"]["cure"]'
}

# bats test_tags=long
@test "doctor counts signers, and fails on a list that others can write or a line with an error" {
	local who
	need_etc
	doctor
	holds '"has 0 people with 0 keys" in r["checks"]["signers"]["found"]'
	for who in anna ben spare; do
		ssh-keygen -q -t ed25519 -N '' -C '' -f "$T/$who"
	done
	"$CORDON" approvals key add anna anna.pub
	"$CORDON" approvals key add ben ben.pub
	"$CORDON" approvals key add ben spare.pub
	doctor
	holds 'r["checks"]["signers"]["holds"]' '"allowed_signers has 2 people with 3 keys" in r["checks"]["signers"]["found"]'
	echo "*@example.org $(cat anna.pub)" >>/etc/cordon/allowed_signers
	wrong signers 'allowed_signers:4: the line does not begin with one plain name' 'no pattern'
	echo "eve $(cat anna.pub)" >/etc/cordon/allowed_signers
	echo "anna $(cat anna.pub)" >>/etc/cordon/allowed_signers
	wrong signers 'allowed_signers:2: an earlier line has the same key' 'remove one of the lines'
	: >/etc/cordon/allowed_signers
	chmod 666 /etc/cordon/allowed_signers
	wrong signers 'users other than root can change it' 'chmod go-w'
}

@test "clock: it was set back behind the last record" {
	record
	/usr/bin/python3 -I - "$T/state/cordon/log.db" <<-'PY'
		import re, sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		seq, record = db.execute("SELECT seq, record FROM log ORDER BY seq DESC LIMIT 1").fetchone()
		later, n = re.subn(rb'"time":1', b'"time":2', bytes(record))
		assert n == 1
		db.execute("UPDATE log SET record = ? WHERE seq = ?", (later, seq))
		db.commit()
	PY
	doctor
	exits 125
	holds 'not r["checks"]["clock"]["holds"]' '"seconds behind" in r["checks"]["clock"]["cause"]' \
		'"timedatectl" in r["checks"]["clock"]["cure"]'
}
