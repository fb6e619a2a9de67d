#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon audit, as root and as an ordinary account, on records that the other commands have made:
# what is shown, what is found when the log is edited, cut or replaced, which documents led to
# something, and that exports are what they say they are.
load helper
load scan.bash
load gate.bash

# story WHO: a log with a conversation, a plan, a hostile source, one that lies about its name, an act.
story()
{
	conversation "$1"
	printf 'print(1)\n' >"$T/job.py"
	printf 'a moonstone word\n' >"$T/h.txt"
	printf 'name,amount\nanna,3\n' >"$T/a.csv"
	gate "$1" 0 plan --conversation "$C" "$T/job.py"
	ingest "$1" 0 --kind file --name a.csv "$T/a.csv"
	ingest "$1" 126 --kind web --name $'h\e[2J\u202egpj' "$T/h.txt"
	gate "$1" 0 untrust "$T/r"
}

@test "invalid subcommands and options are usage errors" {
	gate_setup
	rm -rf "$T/user/cordon"
	for words in "" dance "tail x" "trace" "trace a b" "tail -n" "tail -n x" "tail -n -1" \
		"tail -n 1000001" "export --format xml" "export --from x" "verify --key" "verify -x" \
		"tail --lines 5"; do
		# shellcheck disable=SC2086 # a list of words
		gate user 2 audit $words
		[ -s "$T/err" ] || show
	done
	gate user 125 audit tail
	err_has "there is no state directory"
	err_has "try: "
	gate user 125 audit verify --json
	holds 'r["error"]["kind"] == "input"'
	[ ! -e "$T/user/cordon" ]
}

tailed() {
	story "$1"
	gate "$1" 0 audit tail
	is_harmless
	[ "$(wc -l <"$T/out")" -eq 7 ] || show
	out_has '  genesis   '
	out_has 'name="a.csv"'
	gate "$1" 0 audit tail -n 2
	[ "$(cut -d' ' -f1 "$T/out" | tr '\n' ' ')" = "5 6 " ] || show
	gate "$1" 0 audit tail -n 0
	out_is ''
	gate "$1" 0 audit tail --json
	is_harmless
	lines 'assert [r["kind"] for r in rows] == ["genesis", "checkpoint", "conversation", "ticket", "ingest",
		"ingest", "trust"], rows
assert all(len(r["hash"]) == 64 and r["seq"] == i for i, r in enumerate(rows))
assert rows[5]["body"]["trust"] == "hostile" and rows[5]["body"]["rules"] == ["ATR-2026-90001"]'
}
@test "the newest records are shown" { each tailed; }

# No clock decides: it is waited for until it is there, a minute at most.
followed() {
	local n pid follower
	story "$1"
	# Its first line is the number of the process itself; $! is that of a shell around it.
	as "$1" env HOME=/nonexistent XDG_STATE_HOME="$T/$1" bash -c \
		'echo $$; exec timeout 60 "$1" audit tail -n 1 --follow' - "$CORDON" >"$T/followed" 2>&1 &
	pid=$!
	ingest "$1" 0 --kind web --name a-new-page "$T/a.csv"
	for n in $(seq 600); do
		! grep -q 'name="a-new-page"' "$T/followed" || break
		sleep 0.1
	done
	follower=$(head -n 1 "$T/followed")
	kill "$follower"
	wait "$pid" || true
	[ ! -e "/proc/$follower" ] || { echo "$follower is left"; return 1; }
	[ "$(grep -c 'name="a-new-page"' "$T/followed")" -eq 1 ] || { cat "$T/followed"; return 1; }
}
@test "and new ones as they come" { each followed; }

@test "audit tail --follow ends when its reader is gone" {
	gate_setup
	story user
	# The pipe is closed after the first line; the next record is written into it.
	as user env XDG_STATE_HOME="$T/user" timeout 60 bash -c \
		'"$1" audit tail -n 1 --follow | head -n 1; echo "${PIPESTATUS[0]}"' - "$CORDON" \
		>"$T/followed" 2>&1 &
	local pid=$!
	while ! grep -q . "$T/followed" 2>/dev/null; do sleep 0.1; done
	ingest user 0 --kind web --name x "$T/a.csv"
	wait "$pid"
	! grep -qx 124 "$T/followed" || return 1
}

verified() {
	local state=$T/$1/cordon
	story "$1"
	gate "$1" 0 audit verify
	out_has "the log is intact: 7 records, 1 checkpoints"
	gate "$1" 0 audit checkpoint
	cp "$T/out" "$T/kept"
	[ "$(sed -n 2p "$T/kept")" = 7 ]
	gate "$1" 0 audit key
	cp "$T/out" "$T/pub"
	gate "$1" 0 audit verify --checkpoint "$T/kept" --key "$T/pub" --json
	holds 'r["good"] and r["problem"] == "good" and r["pinned"] and r["kept"] == 1' \
		'r["first_bad"] is None and r["records"] == 8 and r["rotations"] == 0'
	gate "$1" 0 audit verify --key "$(cat "$T/pub")"
	gate "$1" 125 audit verify --checkpoint "$T/pub"
	err_has "the file has no checkpoint"
	gate "$1" 125 audit verify --key "$T/kept"
	gate "$1" 125 audit verify --key "$T/nothing"
	gate "$1" 125 audit verify --checkpoint "$T/nothing"
	cp -a "$state" "$T/$1/copy"
	sql "$1" "UPDATE log SET record = CAST(replace(CAST(record AS TEXT), 'a.csv', 'b.csv') AS BLOB)
		WHERE seq = 4"
	gate "$1" 1 audit verify
	out_has "NOT intact (edited): record 4 has been changed"
	gate "$1" 1 audit verify --json
	holds 'not r["good"] and r["problem"] == "edited" and r["first_bad"] == r["last_bad"] == 4'
	gate "$1" 0 audit tail
	rm -rf "$state"
	cp -a "$T/$1/copy" "$state"
	sql "$1" "DELETE FROM log WHERE seq = 3"
	gate "$1" 1 audit verify --json
	holds 'r["problem"] == "missing" and r["first_bad"] == 3'
	rm -rf "$state"
	cp -a "$T/$1/copy" "$state"
}
@test "edits and deletions are found and named" { each verified; }

# Whoever was stopped while the state was made has recorded nothing, so nothing is damaged.
half_made() {
	local state=$T/$1/cordon
	rm -rf "$state"
	gate "$1" 125 audit verify
	err_has "there is no state directory"
	as "$1" mkdir -m 700 "$state"
	gate "$1" 125 audit verify
	err_has "there is no log yet"
	err_has "try: nothing was recorded here"
	as "$1" sh -c "umask 077; : >$state/log.db"
	gate "$1" 125 audit verify
	err_has "there is no log yet"
	rm "$state/log.db"
	story "$1"
	cp -a "$state" "$T/$1/copy"
	sql "$1" "DELETE FROM log" "DELETE FROM ref" "DELETE FROM item"
	gate "$1" 1 audit verify --json
	holds 'r["problem"] == "truncated" and r["first_bad"] == 0'
	rm "$state/heads"
	gate "$1" 125 audit verify
	err_has "there is no log yet"
	gate "$1" 125 audit tail
	gate "$1" 0 conversation new
	gate "$1" 0 audit verify
	rm -rf "$state"
	cp -a "$T/$1/copy" "$state"
	sql "$1" "DELETE FROM item WHERE kind = 'head'"
	gate "$1" 1 audit verify
	out_has "the head of the log is damaged or missing"
	rm "$state"/log.db*
	gate "$1" 126 audit verify
	err_has "the log is gone; the file heads knows"
}
# bats test_tags=long
@test "a log that was never begun is not one that was damaged" { each half_made; }

old_copy() {
	local state=$T/$1/cordon
	story "$1"
	cp -a "$state" "$T/$1/old"
	ingest "$1" 0 --kind web --name later "$T/a.csv"
	gate "$1" 0 audit checkpoint
	cp "$T/out" "$T/kept"
	rm -rf "$state"
	cp -a "$T/$1/old" "$state"
	gate "$1" 0 audit verify
	gate "$1" 1 audit verify --checkpoint "$T/kept" --json
	holds 'r["problem"] == "truncated" and r["first_bad"] == 7'
	rm -rf "$state"
	conversation "$1"
	gate "$1" 0 audit verify
	gate "$1" 1 audit verify --checkpoint "$T/kept" --json
	holds 'r["problem"] == "replaced"'
}
@test "a kept checkpoint reveals an old copy of the log, or another log" { each old_copy; }

# Two logs that began as one, each signed by the same key at the same size.
two_ends() {
	local state=$T/$1/cordon
	story "$1"
	cp -a "$state" "$T/$1/other"
	gate "$1" 0 conversation new
	gate "$1" 0 audit checkpoint
	cp "$T/out" "$T/kept.txt"
	rm -rf "$state"
	mv "$T/$1/other" "$state"
	gate "$1" 0 conversation new
	gate "$1" 0 audit checkpoint
	gate "$1" 1 audit verify --checkpoint "$T/kept.txt" --json
	holds 'r["problem"] == "forked" and r["first_bad"] < r["last_bad"] < r["records"]'
}
@test "verify detects a fork of the same length and names where it may begin" { each two_ends; }

# The file beside the log is what says that its end is there: that it is gone is not nothing.
unkept() {
	local file=$T/$1/cordon/heads
	story "$1"
	gate "$1" 0 audit verify --json
	holds 'r["heads"] == 6 and r["checkpoints"] == 1 and r["headless"] == r["kept"] == r["accepted"] == 0'
	mv "$file" "$T/all"
	gate "$1" 1 audit verify --json
	holds 'r["problem"] == "unkept" and r["headless"] == 6 and r["first_bad"] is None'
	# Of one that was kept elsewhere it is enough for the end, but the file is still gone.
	gate "$1" 0 audit verify --heads "$T/all"
	out_has 'it has all 6 given heads'
	out_has '6 of its transactions are not in the file heads'
	gate "$1" 125 audit verify --heads "$T/h.txt"
	err_has 'the file has no heads'
	gate "$1" 125 audit verify --heads "$T"
	gate "$1" 126 conversation new
	err_has 'the file heads is missing, and the log has 7 records'
	err_has 'cordon audit accept'
	gate "$1" 126 audit checkpoint
	# An agent does not accept in passing.
	gate "$1" 126 audit accept
	err_has 'a person must approve this'
	ANSWER=no person "$1" 126 audit accept
	[ ! -e "$file" ]
	person "$1" 0 audit accept
	out_has 'accepted by'
	gate "$1" 2 audit accept
	err_has 'there is nothing to accept'
	conversation "$1"
	gate "$1" 0 audit verify --json
	holds 'r["good"] and r["accepted"] == 1 and r["headless"] == 6'
	# The other way round: what it kept, and no log.
	rm "$T/$1/cordon"/log.db*
	gate "$1" 126 audit verify
	err_has 'the log is gone; the file heads knows'
	gate "$1" 126 conversation new
	person "$1" 0 audit accept
	conversation "$1"
	gate "$1" 0 audit verify
}
# bats test_tags=long
@test "verify detects that the file of heads was removed, and no code runs until a person accepts it" { each unkept; }

# roll_back WHO FILE...: hides a run: these files are what they were before it.
roll_back() {
	local state=$T/$1/cordon who=$1 file
	shift
	rm -rf "${state:?}"
	cp -a "$T/$who/after" "$state"
	for file in "$@"; do
		rm -f "$state/$file"
		[ ! -e "$T/$who/before/$file" ] || cp -a "$T/$who/before/$file" "$state/$file"
	done
}
# refused WHO: nothing runs and nothing is written.
refused() {
	gate "$1" 1 audit verify --json
	holds 'r["problem"] == "truncated" and r["first_bad"] == 8'
	gate "$1" 126 run --user --tier "$(tier_of "$1")" --rules "$T/r" --lang binary /bin/true
	err_has 'not the one that was last written'
	gate "$1" 126 conversation new
	gate "$1" 126 ingest --conversation "$C" --kind web --name x --rules "$T/r" "$T/a.csv"
	gate "$1" 126 audit checkpoint
}
# grants WHO: a person gives a grant, which what is lost may have revoked.
grants() { person "$1" 0 grant --conversation "$C" --write . --directory "$T"; }
# The state is put back to what it was: without this check every record since would be lost unnoticed.
rollback() {
	local state=$T/$1/cordon n
	story "$1"
	grants "$1"
	gate "$1" 0 grant list --json
	holds 'len(r["tickets"]) == 2'
	cp -a "$state" "$T/$1/before"
	gate "$1" 0 run --user --tier "$(tier_of "$1")" --rules "$T/r" --lang binary /bin/true
	gate "$1" 0 audit verify
	install -m 644 "$state/heads" "$T/elsewhere"
	cp -a "$state" "$T/$1/after"
	roll_back "$1" log.db
	# All of it may still be in the write-ahead log: then that file alone puts nothing back.
	if gate "$1" 0 audit verify 2>/dev/null; then gate "$1" 0 conversation new; else refused "$1"; fi
	roll_back "$1" log.db log.db-wal log.db-shm
	refused "$1"
	# What is appended to the file takes no line out of it.
	printf 9 >>"$state/heads"
	refused "$1"
	person "$1" 0 audit accept
	out_has 'approvals, plans and grants end'
	gate "$1" 0 grant list --json
	holds 'r["tickets"] == []'
	gate "$1" 0 conversation new
	gate "$1" 0 audit verify --json
	holds 'r["good"] and r["accepted"] == 1'
	gate "$1" 0 audit tail --json
	lines 'n = [r for r in rows if r["kind"] == "accept"]
assert len(n) == 1 and n[0]["body"]["from"] == 7 and n[0]["body"]["to"] > 7 and n[0]["body"]["by"], n'
	# No word of this machine talks a copy that was kept elsewhere out of what it knows.
	gate "$1" 1 audit verify --heads "$T/elsewhere" --json
	holds 'r["problem"] in ("forked", "truncated")'
	# With the file, and all of the directory: only what was kept elsewhere knows better.
	for n in heads "heads log.key cordon-state"; do
		# shellcheck disable=SC2086 # a list of words
		roll_back "$1" log.db log.db-wal log.db-shm $n
		gate "$1" 0 audit verify
		gate "$1" 1 audit verify --heads "$T/elsewhere" --json
		holds 'r["problem"] == "truncated" and r["first_bad"] == 8'
		gate "$1" 0 conversation new
		gate "$1" 1 audit verify --heads "$T/elsewhere" --json
		holds 'r["problem"] in ("forked", "truncated")'
	done
	roll_back "$1"
	gate "$1" 0 audit verify --heads "$T/elsewhere"
}
# bats test_tags=long
@test "an older database put back is noticed, with every file that goes with it" { each rollback; }

# With the attribute that root can give it, no program takes a line away; Cordon needs to take none.
@test "the file of heads may be append-only" {
	need_root
	AT=$(mktemp -d /var/tmp/cli-test.XXXXXX)
	if XDG_STATE_HOME=$AT "$CORDON" conversation new && chattr +a "$AT/cordon/heads" 2>"$T/err"; then
		XDG_STATE_HOME=$AT "$CORDON" conversation new || failed=1
		XDG_STATE_HOME=$AT "$CORDON" audit verify || failed=1
		! truncate -s 0 "$AT/cordon/heads" 2>/dev/null || failed=1
		! rm "$AT/cordon/heads" 2>/dev/null || failed=1
		chattr -a "$AT/cordon/heads"
	else
		failed=skip
	fi
	rm -rf "$AT"
	[ "${failed:-}" != skip ] || skip "the file system of /var/tmp has no such attribute"
	[ -z "${failed:-}" ]
}

rotated() {
	local state=$T/$1/cordon
	story "$1"
	gate "$1" 0 audit key
	cp "$T/out" "$T/first"
	cp -p "$state/log.key" "$T/$1/old.key"
	gate "$1" 0 audit rotate --json
	holds "r['previous'] == '$(cat "$T/first")' and r['key'] != r['previous'] and r['record'] == 7"
	gate "$1" 0 audit rotate
	cp "$T/out" "$T/last"
	ingest "$1" 0 --kind web --name later "$T/a.csv"
	for key in first last; do
		gate "$1" 0 audit verify --key "$T/$key" --json
		holds 'r["good"] and r["rotations"] == 2'
	done
	gate "$1" 0 audit verify
	out_has "2 changes of its key"
	[ ! -e "$state/log.key.next" ]
	cp -p "$state/log.key" "$T/$1/new.key"
	cp -p "$T/$1/old.key" "$state/log.key"
	gate "$1" 126 conversation new
	err_has "is not the key of this log"
	err_has "try: "
	cp -p "$T/$1/new.key" "$state/log.key"
	gate "$1" 0 conversation new
	gate "$1" 0 audit checkpoint
	cp "$T/out" "$T/kept"
	gate "$1" 0 audit verify --checkpoint "$T/kept"
}
@test "verify follows key rotations from the first key, and an old key cannot write" { each rotated; }

# The record that signs the new key is edited as well as is possible without a key.
forged() {
	story "$1"
	gate "$1" 0 audit rotate
	sql "$1" "UPDATE log SET record = CAST(replace(CAST(record AS TEXT), 'rotated', 'rotten!') AS BLOB)
		WHERE seq = 7"
	gate "$1" 1 audit verify --json
	holds 'r["problem"] == "edited" and r["first_bad"] == 7'
}
@test "a key whose rotation record was edited is not accepted" { each forged; }

traced() {
	story "$1"
	gate "$1" 0 audit tail --json
	id=$(/usr/bin/python3 -I -c 'import json, sys
print([json.loads(l) for l in open(sys.argv[1])][5]["body"]["id"])' "$T/out")
	gate "$1" 0 audit trace "src:$id"
	is_harmless
	[ "$(head -n 1 "$T/out")" = "1 document led to src:$id" ] || show
	gate "$1" 0 audit trace "src:$id" --json
	holds "r['ref'] == 'src:$id' and len(r['records']) == 1 and len(r['documents']) == 1" \
		"r['documents'][0]['id'] == '$id' and r['documents'][0]['trust'] == 'hostile'"
	gate "$1" 125 audit trace nothing
	err_has "there is no record of run:nothing"
	gate "$1" 2 audit trace 'no such name'
	gate "$1" 2 audit trace "$(printf 'x%.0s' {1..200})"
}
@test "which documents it was" { each traced; }

# The answer is the first line: which document the code ties to, or that none is known.
led() {
	local run
	conversation "$1"
	printf 'the update lives at updates-mirror.example.net, as everybody knows\n' >"$T/page"
	printf 'print("updates-mirror.example.net")\n' >"$T/tied.py"
	printf 'print(1)\n' >"$T/own.py"
	gate "$1" 0 run --conversation "$C" --tier no-cgroup --rules "$T/r" --json "$T/own.py"
	run=$(member 'r["audit_id"]')
	gate "$1" 0 audit trace "$run"
	[ "$(head -n 1 "$T/out")" = "0 documents led to $run" ] || show
	ingest "$1" 0 --kind web --name "https://host.example/a?key=hunter2" "$T/page"
	gate "$1" 0 run --conversation "$C" --tier no-cgroup --rules "$T/r" --json "$T/tied.py"
	run=$(member 'r["audit_id"]')
	gate "$1" 0 audit trace "$run"
	head -n 1 "$T/out" | grep -Eqx "$run was led by the web page https://host.example/\[hash:[0-9a-f]{16}\], read at \
20[-0-9T:]+Z \(source [0-9a-f]{32}\): (a passage|a host, path or name) of it is in the code" || show
	gate "$1" 0 audit trace "$run" --json
	holds 'len(r["led_by"]) == 1 and r["led_by"][0]["kind"] == "web" and r["led_by"][0]["time"] > 0'
	gate "$1" 0 run --conversation "$C" --tier no-cgroup --rules "$T/r" --json "$T/own.py"
	run=$(member 'r["audit_id"]')
	gate "$1" 0 audit trace "$run"
	head -n 1 "$T/out" | grep -q "^no document is known to have led to $run: its code ties to none of the" || show
	gate "$1" 0 audit trace "$run" --json
	holds 'r["led_by"] == [] and r["documents"]'
}
@test "the first line says which document led to a run, or that none did" { each led; }

# Whoever chose the name does not fill the screen with it; --json has all of it.
long_name() {
	local name
	name="a page that says $(yes nnn | head -n 225 | tr '\n' ' ')at length"
	printf 'a page that says something\n' >"$T/page"
	gate "$1" 0 conversation new
	C=$(cat "$T/out")
	gate "$1" 0 ingest --conversation "$C" --kind web --name "$name" "$T/page" --json
	SRC=$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["source"])' "$T/out")
	gate "$1" 0 audit trace "src:$SRC"
	out_has 'n"... ('
	[ "$(awk '{ if (length > n) n = length } END { print n }' "$T/out")" -lt 700 ] || show
	gate "$1" 0 conversation show "$C"
	[ "$(awk '{ if (length > n) n = length } END { print n }' "$T/out")" -lt 700 ] || show
	gate "$1" 0 audit trace "src:$SRC" --json
	holds "r['documents'][0]['name'] == '$name'"
}
@test "a long name is shown in part" { each long_name; }

exported() {
	story "$1"
	gate "$1" 0 audit export
	lines 'prev = "0" * 64
for raw, r in zip(raws, rows):
    assert r["prev"] == prev, r
    prev = hashlib.sha256(raw).hexdigest()
assert [r["seq"] for r in rows] == list(range(7))'
	gate "$1" 0 audit export --from 5
	lines 'assert [r["seq"] for r in rows] == [5, 6]'
	gate "$1" 0 audit export --from 99
	out_is ''
	gate "$1" 0 audit export --format ocsf
	is_harmless
	lines '
classes = {1007: ("actor", "device", "process"), 2004: ("finding_info",), 6003: ("actor", "api", "src_endpoint")}
for r in rows:
    for name in ("activity_id", "category_uid", "class_uid", "severity_id", "time", "type_uid"):
        assert type(r[name]) is int, (name, r)
    assert r["type_uid"] == r["class_uid"] * 100 + r["activity_id"]
    assert r["category_uid"] == r["class_uid"] // 1000
    assert all(type(r[name]) is dict and r[name] for name in classes[r["class_uid"]]), r
    assert re.fullmatch(r"\d+\.\d+\.\d+", r["metadata"]["version"])
    assert r["metadata"]["product"]["name"] and r["metadata"]["product"]["vendor_name"]
    assert json.loads(r["raw_data"])["body"] == r["unmapped"]
    assert abs(r["time"] / 1000 - datetime.datetime.now().timestamp()) < 3600
prev = "0" * 64
for r in rows:
    assert json.loads(r["raw_data"])["prev"] == prev
    prev = hashlib.sha256(r["raw_data"].encode()).hexdigest()
assert [r["class_uid"] for r in rows] == [6003, 6003, 6003, 6003, 6003, 2004, 6003]
assert rows[5]["severity_id"] == 4 and rows[5]["finding_info"]["types"] == ["ATR-2026-90001"]
assert len({r["metadata"]["uid"] for r in rows}) == 7'
	gate "$1" 0 audit export --format cloudevents
	is_harmless
	lines '
for i, r in enumerate(rows):
    for name in ("id", "source", "specversion", "type", "time", "datacontenttype", "sequence"):
        assert type(r[name]) is str and r[name], (name, r)
    assert r["specversion"] == "1.0" and r["type"] == "cordon.audit." + r["data"]["kind"]
    assert all(re.fullmatch(r"[a-z0-9]{1,20}", name) for name in r), r
    datetime.datetime.fromisoformat(r["time"].replace("Z", "+00:00"))
    assert r["data"]["seq"] == i == int(r["sequence"])
assert len({(r["source"], r["id"]) for r in rows}) == 7'
}
@test "exports have what their formats require" { each exported; }

# A verifier with the key alone accepts the record, and rejects it with one byte changed.
proved() {
	story "$1"
	gate "$1" 0 audit key
	cp "$T/out" "$T/key"
	gate "$1" 0 audit prove 4 --json
	holds "r['record'] == 4 and r['key'] == '$(cat "$T/key")'"
	gate "$1" 0 audit prove 4
	cp "$T/out" "$T/proof"
	gate "$1" 0 audit check "$T/proof" --key "$T/key" --state "$T/nowhere"
	is_harmless
	out_has "the log has it: 4  "
	[ ! -e "$T/nowhere" ]
	gate "$1" 0 audit check "$T/proof" --key "$T/key" --json
	cp "$T/out" "$T/checked"
	gate "$1" 0 audit tail -n 100 --json
	grep -Fxq "$(cat "$T/checked")" "$T/out"
	sed 's/^index 4$/index 3/' "$T/proof" >"$T/other"
	gate "$1" 1 audit check "$T/other" --key "$T/key"
	err_has "the signed log does not have this record"
	gate "$1" 0 audit rotate
	gate "$1" 1 audit check "$T/proof" --key "$(cat "$T/out")"
	err_has "not signed with that key"
	head -c 100 "$T/proof" >"$T/half"
	gate "$1" 125 audit check "$T/half" --key "$T/key"
	err_has "this is not a proof"
	gate "$1" 2 audit check "$T/proof"
	err_has "--key PUB"
	gate "$1" 2 audit prove four
	gate "$1" 2 audit prove 1000000
}
@test "one record can be proved without the log" { each proved; }
