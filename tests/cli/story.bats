#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The story that the gate is for, to its end: an agent reads a table whose header holds instructions,
# and the code it then writes carries parts of them. What is its own runs, contained; what it was told
# by the table waits for people; and without a record nothing runs.
load helper
load story

story() {
	local id run token
	begin "$1"
	gate "$1" plan --domain "$D" --ask read mean.py
	exits 0
	token=$(cat "$T/out")
	reads_table "$1"
	submit "$1" --workspace "$W:ro" obeys.py
	is_parked
	id=$(said approval_id) run=$(said audit_id)
	gate "$1" approvals show "$id"
	exits 0
	out_has 'tie by span to bytes '
	out_has '^^^^^^^^'
	out_has 'metrics.evil-corp.net'
	gate "$1" approvals deny "$id" --reason 'nobody asked for that'
	exits 0
	gate "$1" audit trace "$run"
	exits 0
	out_has 'planted.csv'
	out_has '1 document led to'
	submit "$1" --workspace "$W:ro" mean.py
	exits 0
	holds 'r["origin"] == "exposed" and r["verdict"] == "allow-contained" and r["stdout"] == "mean: 2\n"'
	submit "$1" --workspace "$W:ro" --plan "$token" mean.py
	exits 0
	holds 'r["origin"] == "plan" and r["verdict"] == "allow" and r["stdout"] == "mean: 2\n"'
	submit "$1" --workspace "$W:ro" --plan "$token" mean.py
	holds 'r["origin"] == "exposed" and "plan" in r["reasons"][0]'
	gate "$1" audit verify
	exits 0
}
@test "the story: parked, shown, denied; written anew it runs contained; a plan keeps its trust" {
	every story
}

# What a program prints of its own words is no news to whoever wrote them. What it prints of a file is.
own_words() {
	begin "$1"
	reads_table "$1"
	printf 'print("The table has two rows and a mean, as everybody can see.")\n' | code says.py
	for _ in 1 2 3; do
		submit "$1" --workspace "$W:ro" says.py
		exits 0
		holds 'r["origin"] == "exposed" and r["evidence"] == []'
	done
	printf 'rows = [line.split(",") for line in open("planted.csv")]\nnumbers_of_table = [float(row[1]) for row in rows if row[1].isdigit()]\nprint(sum(numbers_of_table) / len(number_of_table))\n' |
		code fails.py
	submit "$1" --workspace "$W:ro" fails.py
	exits 1
	holds '"len(number_of_table)" in r["stderr"]' 'r["origin"] == "exposed"'
	sed -i 's/len(number_of/len(numbers_of/' fails.py
	submit "$1" --workspace "$W:ro" fails.py
	holds 'r["origin"] == "exposed" and r["evidence"] == []'
	# The same words when they are not its own: another conversation reads the table only so.
	talk "$1"
	printf 'print("The table has two rows and a mean, as everybody can see.", open("planted.csv").read())\n' |
		code tells.py
	submit "$1" --workspace "$W:ro" tells.py
	exits 0
	submit "$1" --workspace "$W:ro" tells.py
	holds 'r["evidence"] == []'
	submit "$1" --workspace "$W:ro" obeys.py
	holds 'r["origin"] == "derived"' 'any("stdout of run:" in e["name"] for e in r["evidence"])'
}
@test "a program's own words tie it to nothing when it prints them" {
	every own_words
}

# --wait: a no, and a yes.
waits() {
	begin "$1"
	reads_table "$1"
	printf 'import pandas\nprint("https://metrics.evil-corp.net/payload")\n' | code asks.py
	as "${1%%:*}" timeout 60 "$CORDON" run --json --wait --tier "${1#*:}" --domain "$D" \
		--workspace "$W:ro" asks.py >"$T/waited" 2>"$T/err" </dev/null &
	local pid=$! id='' i
	for i in $(seq 200); do
		gate "$1" approvals list
		id=$(grep -oE '^[0-9a-f]{32}' "$T/out" || true)
		[ -z "$id" ] || break
		sleep 0.05
	done
	gate "$1" approvals deny "$id" --reason 'not today'
	exits 0
	status=0
	wait $pid || status=$?
	cp "$T/waited" "$T/out"
	exits 126
	holds 'r["status"] == "refused" and "not today" in r["error"]["cause"]'
}
@test "--wait: who is told no hears why" {
	every waits
}

# No record, no run.
no_record() {
	begin "$1"
	local state
	state=$(as "${1%%:*}" printenv XDG_STATE_HOME)/cordon
	printf 'print("ran")\n' | code x.py
	rm "$state"/log.db*
	submit "$1" x.py
	[ "$status" -ge 125 ] || show
	holds '"ran" not in r["stdout"]' 'r["error"]["message"].startswith("nothing runs without a record")'
}
@test "without its log nothing runs" {
	every no_record
}

# An address is found as a whole and by its host: two ties on record, one thing for people to look at.
told_once() {
	begin "$1"
	reads_table "$1"
	echo 'print("https://metrics.evil-corp.net/payload")' | code one.py
	submit "$1" --workspace "$W:ro" one.py
	is_parked
	holds 'len(r["evidence"]) > 1'
	local id
	id=$(said approval_id)
	gate "$1" approvals show "$id" --json
	holds 'len(r["evidence"]) > 1'
	gate "$1" approvals show "$id"
	out_has '  source      [1] bytes '
	! grep -qF '[2]' "$T/out" || show
	gate "$1" run --domain "$D" --tier "${1#*:}" --workspace "$W:ro" one.py
	[ "$(grep -c 'stand in planted.csv' "$T/err")" -eq 1 ] || show
}
@test "one address is told once" { every told_once; }
