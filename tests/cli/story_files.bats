#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A file between two conversations: what an exposed run could write is known by its bytes and by where
# it is, whoever is given it later, under whatever name.
load helper
load story

# leads RUN...: these are on the way, in that order, with all their records, and the table is behind them.
leads()
{
	/usr/bin/python3 -I - "$T/out" "$@" <<-'END' || show
		import json, sys
		r, runs = json.load(open(sys.argv[1])), sys.argv[2:]
		assert r["runs"] == runs, (r["runs"], runs)
		assert [d["name"] for d in r["documents"]] == ["planted.csv"], r["documents"]
		seqs = [x["seq"] for x in r["records"]]
		assert seqs == sorted(set(seqs)), seqs
		kinds = {run: [x["kind"] for x in r["records"] if run in x["refs"]] for run in runs + [r["ref"]]}
		assert all({"request", "verdict", "start", "result"} <= set(k) for k in kinds.values()), kinds
		order = [(x["kind"], next((f for f in x["refs"] if f in kinds), "")) for x in r["records"]]
		assert order.index(("ingest", "")) < min(order.index(("verdict", k)) for k in kinds), order
		assert max(i for i, o in enumerate(order) if o[0] == "domain") < order.index(("start", r["ref"])), order
	END
}

# Document, run, file, run, file, run: whichever way the file is read, the trace names who wrote it.
chain() {
	local first second way
	begin "$1"
	reads_table "$1"
	echo 'open("one.txt", "w").write("what the first run made of all that")' | code first.py
	agreed "$1" --workspace "$W:overlay" --commit first.py
	first=$(said audit_id)
	talk "$1"
	cp "$W/one.txt" "$T/one.txt"
	mkdir "$T/w2"
	! is_root || chown --reference="$W" "$T/w2"
	printf 'import sys\nopen("two.py", "w").write("print(1)  # " + sys.stdin.read().upper())\n' | code second.py
	agreed "$1" --stdin "$T/one.txt" --workspace "$T/w2:rw" second.py
	second=$(said audit_id)
	gate "$1" audit trace "$second" --json
	leads "$first"
	gate "$1" audit trace "$second"
	out_has "by way of   $first"
	cp "$T/w2/two.py" "$T/two.py"
	echo 'print(len(open("two.py").read()))' | code third.py
	mkdir "$T/w3"
	cp "$T/two.py" "$T/w3"
	printf 'import sys\nprint(len(sys.stdin.read()))\n' | code counts.py
	for way in two.py "--workspace $T/w3:ro third.py" "--stdin $T/two.py counts.py"; do
		talk "$1"
		# shellcheck disable=SC2086
		submit "$1" $way
		exits 0
		gate "$1" audit trace "$(said audit_id)" --json
		leads "$first" "$second"
	done
}
@test "the trace names the run that wrote a file, and what that run had read" {
	need_root
	chain user:no-cgroup
}

# An earlier run writes it into a file; another conversation, which has read nothing, runs that file.
file_hop() {
	begin "$1"
	reads_table "$1"
	code writer.py <<-'END'
		import os, sys
		open("next.py", "w").write("import pandas\nprint(1)\npandas.read_csv(\"planted.csv\")\n")
		open("prog", "wb").write(open(sys.executable, "rb").read() + b"more")
		os.chmod("prog", 0o755)
	END
	agreed "$1" --workspace "$W:overlay" --commit writer.py
	holds 'r["committed"]'
	talk "$1"
	submit "$1" "$W/next.py"
	holds 'r["origin"] == "derived"' 'any(e["name"] == "bytes that were read, or that a run wrote" for e in r["evidence"])'
	gate "$1" audit trace "$(said audit_id)"
	out_has 'planted.csv'
	cp "$W/next.py" "$T/moved.py"
	submit "$1" "$T/moved.py"
	holds 'r["origin"] == "derived"'
	# A program in machine code has no text, but it is the same file.
	talk "$1"
	submit "$1" --lang binary "$W/prog" -- --version
	holds 'r["origin"] == "derived"' 'any(e["name"] == "bytes that were read, or that a run wrote" for e in r["evidence"])'
	gate "$1" audit export --format jsonl
	/usr/bin/python3 - "$T/out" "$(sha256sum "$W/prog" | cut -d' ' -f1)" <<-'END'
		import json, sys
		kinds = {r["kind"] for r in map(json.loads, open(sys.argv[1])) if r["body"].get("code_sha256") == sys.argv[2]}
		assert {"request", "verdict", "result"} <= kinds, kinds
	END
	# Code of its own that is given the directory, one above it or one below.
	mkdir -p "$W/below"
	! is_root || chown -R --reference="$W" "$W/below"
	echo 'print(2)' | code plain.py
	for dir in "$W" "$W/below" "$T"; do
		talk "$1"
		submit "$1" --workspace "$dir:ro" plain.py
		holds 'r["origin"] == "exposed"'
	done
	talk "$1"
	submit "$1" --stdin "$W/next.py" plain.py
	holds 'r["origin"] == "exposed"'
	# A virtual environment is code too.
	/usr/bin/python3 -m venv --without-pip "$W/venv"
	mkdir "$T/elsewhere"
	/usr/bin/python3 -m venv --without-pip "$T/elsewhere/venv"
	talk "$1"
	submit "$1" --venv "$W/venv" plain.py
	exits 0
	holds 'r["origin"] == "exposed"'
	talk "$1"
	submit "$1" --venv "$T/elsewhere/venv" plain.py
	exits 0
	holds 'r["origin"] == "agent"'
	talk "$1"
	submit "$1" plain.py
	holds 'r["origin"] == "agent"'
}

@test "laundering: a file between two conversations" {
	need_root
	file_hop user:no-cgroup
}

# What a run could write is known by where it is, whatever name leads there.
fresh() {
	talk "$1"
	shift
	submit "$WAY" "$@"
	holds 'r["origin"] == "exposed"' "any('$WHY' in x for x in r['reasons'])"
}
other_names() {
	begin "$1"
	reads_table "$1"
	printf 'open("n2.py", "w").write("print(2)\\n")\n' | code writer.py
	echo 'print(1)' | code plain.py
	ln plain.py twice.py
	local clean=$D
	talk "$1"
	submit "$1" twice.py
	holds 'r["origin"] == "agent"'
	rm twice.py
	D=$clean
	agreed "$1" --workspace "$W:rw" writer.py
	talk "$1"
	submit "$1" "$W/n2.py"
	holds 'r["origin"] == "derived"'
	# Bytes that nobody knows, where it could write.
	echo 'print("another one")' >"$W/n2.py"
	ln -s "$W/n2.py" leads.py
	ln -s "$W" leads
	WHY='given something untrusted'
	fresh "$1" "$W/n2.py"
	fresh "$1" leads.py
	fresh "$1" leads/n2.py
	IN=$W/n2.py fresh "$1" --lang python -
	fresh "$1" --stdin leads.py plain.py
	IN=$W/n2.py fresh "$1" --stdin - plain.py
	cp "$W/n2.py" "$W/gone.py"
	exec 5<"$W/gone.py"
	rm "$W/gone.py"
	IN=/dev/fd/5 fresh "$1" --lang python -
	exec 5<&-
	ln "$W/n2.py" hard.py
	WHY='has another name'
	fresh "$1" hard.py
	fresh "$1" --stdin hard.py plain.py
	talk "$1"
	submit "$1" plain.py
	holds 'r["origin"] == "agent"'
}
@test "laundering: another name for the same file" {
	need_root
	other_names user:no-cgroup
}

# What is too much to be remembered is not forgotten: whatever was changed since may be of it.
too_much() {
	begin "$1"
	reads_table "$1"
	echo 'print(1)' | code before.py
	sleep 1.1
	printf 'import os\nopen("large.py", "w").write("print(2)\\n")\nos.truncate("large.py", (1 << 30) + 1)\n' | code writer.py
	agreed "$1" --file-size 4G --workspace "$W:rw" writer.py
	exits 0
	holds 'any("it wrote more than can be remembered" in x for x in r["reasons"])'
	gate "$1" audit trace "$(said audit_id)"
	out_has ' lost '
	gate "$1" domain show "$D"
	out_has 'are doubtful: run:'
	# The run's words, moved away and cut to size: other bytes in another place.
	head -c 9 "$W/large.py" >moved.py
	chmod 644 moved.py
	WHY='wrote more than could be remembered'
	fresh "$1" moved.py
	fresh "$1" --stdin moved.py before.py
	mkdir -p "$T/other"
	cp moved.py "$T/other/"
	chmod -R a+rX "$T/other"
	fresh "$1" --workspace "$T/other:ro" before.py
	talk "$1"
	submit "$1" before.py
	holds 'r["origin"] == "agent"'
	taken_out "$1"
	ends_doubt "$1"
	# Where it could write, a file is still what it may have written.
	cp moved.py "$W/"
	WHY='given something untrusted'
	fresh "$1" "$W/moved.py"
}
# taken_out WAY: who writes the database gets no doubt out of it without its being told.
taken_out()
{
	rows out
	gate "$1" domain show
	out_has 'that was taken out of the database, and nobody has signed for it'
	gate "$1" domain show --json
	holds 'len(r["lost"]) == 1 and r["lost"][0]["since"] > 0' '"nobody has signed" in r["lost"][0]["why"]'
	rows back
	gate "$1" domain show
	! grep -q 'nobody has signed' "$T/out" || show
}
# rows out|back: of runs that wrote what nobody remembers.
rows()
{
	/usr/bin/python3 -I - "$1" "$T/as-user/state/cordon/log.db" "$T/rows" <<-'END'
		import pickle, sqlite3, sys
		db = sqlite3.connect(sys.argv[2])
		if sys.argv[1] == "out":
		    rows = db.execute("select * from item where kind = 'file' and key like 'l.%'").fetchall()
		    pickle.dump(rows, open(sys.argv[3], "wb"))
		    db.execute("delete from item where kind = 'file' and key like 'l.%'")
		else:
		    for row in pickle.load(open(sys.argv[3], "rb")):
		        db.execute("insert into item values (" + ", ".join("?" * len(row)) + ")", row)
		db.commit()
	END
}
# ends_doubt WAY: the run's own account cannot; root, who has looked, does, with a key; then files that
# were changed since are nobody's again.
ends_doubt()
{
	local run state=$T/as-user/state/cordon
	gate "$1" domain show --json
	holds 'len(r["lost"]) == 1'
	run=$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["lost"][0]["run"])' "$T/out")
	as user "$CORDON" approvals key new "$T/as-user/key" --plain >"$T/user.pub"
	as user "$CORDON" approvals key add me "$(cat "$T/user.pub")" --uid "$TEST_UID"
	gate "$1" domain found "$run" --key "$T/as-user/key"
	exits 126
	err_has 'your account asked for it'
	"$CORDON" approvals key new "$T/root.key" --plain >"$T/root.pub"
	gate root domain found "$run" --key "$T/root.key" --state "$state"
	exits 126
	err_has 'is not enrolled'
	"$CORDON" approvals key add root "$(cat "$T/root.pub")" --uid 0 --state "$state"
	gate root domain found "$run" --key "$T/root.key" --state "$state" --json
	exits 0
	holds "r['run'] == '$run' == r['audit_id'] and r['found_by'] == 'root' and r['already'] is False" \
		'r["verdict"] is None and r["origin"] is None and r["evidence"] == r["rules"] == []'
	gate root domain found "$run" --key "$T/root.key" --state "$state"
	exits 0
	out_has 'root has said so before'
	gate "$1" audit trace "$run"
	out_has ' found '
	gate "$1" audit verify
	exits 0
	gate "$1" domain show --json
	holds 'r["lost"] == []'
	talk "$1"
	submit "$1" moved.py
	holds 'r["origin"] == "agent"'
}
@test "laundering: more than can be remembered" {
	need_root
	too_much user:no-cgroup
}

# lost_rows: how many runs are known that may have written what nobody remembers.
lost_rows()
{
	/usr/bin/python3 -I - "$(find "$T" -name log.db | head -n 1)" <<-'END'
		import sqlite3, sys
		print(sqlite3.connect(sys.argv[1]).execute("select count(*) from item where kind = 'file' and key like 'l%'").fetchone()[0])
	END
}

# Who is killed before it was known what the run wrote: whatever was changed since may be of it.
killed() {
	local pid
	begin "$1"
	reads_table "$1"
	echo 'print(1)' | code before.py
	sleep 1.1
	printf 'open("all.py", "w").write("print(2)\\n")\n' | code writer.py
	agreed "$1" --workspace "$W:rw" writer.py
	[ "$(lost_rows)" = 0 ] || show
	printf 'import time\nopen("known.py", "w").write("print(2)\\n")\ntime.sleep(60)\n' | code writer.py
	submit "$1" --workspace "$W:rw" writer.py
	exits 75
	approve "$(said approval_id)"
	as "${1%%:*}" "$CORDON" run --json --tier "${1#*:}" --domain "$D" --workspace "$W:rw" writer.py </dev/null >"$T/killed" 2>&1 3>&- &
	pid=$!
	for _ in $(seq 200); do
		[ ! -s "$W/known.py" ] || break
		sleep 0.1
	done
	[ "$(lost_rows)" = 1 ] || show
	pid=$(pgrep -P "$pid" -x cordon || echo "$pid")
	kill -KILL "$pid"
	wait || true
	cp "$W/known.py" moved.py
	echo 'print(3)' >>moved.py
	chmod 644 moved.py
	WHY='was killed before it was known what it wrote'
	fresh "$1" moved.py
	gate "$1" domain show --json "$D"
	holds 'len(r["lost"]) == 1 and "was killed" in r["lost"][0]["why"] and r["lost"][0]["run"].startswith("run:")'
	"$CORDON" approvals key new "$T/root.key" --plain >"$T/root.pub"
	gate root domain found "$(/usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["lost"][0]["run"])' "$T/out")" \
		--key "$T/root.key" --state "$T/as-user/state/cordon"
	exits 126
	err_has 'may still write files'
	talk "$1"
	submit "$1" before.py
	holds 'r["origin"] == "agent"'
}
@test "laundering: killed in the middle of it" {
	need_root
	killed user:no-cgroup
}

# A program that the code may start is code too, wherever it was put, and whoever cannot read it.
given_programs() {
	begin "$1"
	reads_table "$1"
	printf 'import os\nopen("tool", "wb").write(open(os.sys.executable, "rb").read() + b"more")\nos.chmod("tool", 0o755)\n' |
		code writer.py
	echo 'print(2)' | code plain.py
	local exposed=$D
	cp /usr/bin/env clean
	talk "$1"
	submit "$1" --exec "$T/clean" plain.py
	exits 0
	holds 'r["origin"] == "agent"'
	D=$exposed
	agreed "$1" --workspace "$W:overlay" --commit writer.py
	cp "$W/tool" moved
	ln -s "$W/tool" leads
	for tool in "$W/tool" "$T/moved" "$T/leads"; do
		talk "$1"
		submit "$1" --exec "$T/clean" --exec "$tool" plain.py
		exits 0
		holds 'r["origin"] == "derived" and len(r["evidence"]) == 1' \
			"r['evidence'][0]['how'] == 'program $tool'"
		gate "$1" audit trace "$(said audit_id)"
		out_has 'planted.csv'
	done
	# Bytes that nobody knows, in a directory that was written, by another name, or unreadable.
	cp clean "$W/other"
	ln "$W/other" hard
	cp clean closed
	chmod 711 closed
	! is_root || chown 0 closed
	for tool in "$W/other" "$T/hard" "$T/closed"; do
		talk "$1"
		submit "$1" --exec "$tool" plain.py
		holds 'r["origin"] == "exposed" and r["evidence"] == []'
	done
	# As many bytes as are read, and one more.
	truncate -s 256M large
	chmod 755 large
	talk "$1"
	submit "$1" --exec "$T/large" plain.py
	exits 0
	holds 'r["origin"] == "agent"'
	truncate -s +1 large
	talk "$1"
	submit "$1" --exec "$T/large" plain.py
	holds 'r["origin"] == "exposed"'
}
@test "laundering: a program that the code may start" {
	need_root
	given_programs user:no-cgroup
}
