#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon plan: a ticket for one exact program, made while its conversation is clean. It holds after exposure,
# and for nothing else.
load helper
load scan.bash
load gate.bash

# A plan for job.py with a host and a directory that is written directly, as $P.
begin()
{
	printf 'version: 2\nnet: {allow: ["web.example:443", "other.example:443"]}\n' >"$T/p.yaml"
	printf 'import sys\nopen("out", "w").write("made")\n' >"$T/job.py"
	cp /usr/bin/env "$T/tool"
	tree user
	person user 0 trust "$W"
	conversation user
	make_plan "$@"
}

make_plan()
{
	gate user 0 plan --conversation "$C" --policy "$T/p.yaml" --net web.example:443 --workspace "$W:rw" "$@" \
		"$T/job.py" -- one
	P=$(cat "$T/out")
}

# planned STATUS ARG...: the run that was planned, with other words in front or behind.
planned()
{
	local expected=$1
	shift
	submit user "$expected" --plan "$P" --policy "$T/p.yaml" --net web.example:443 "$@"
}

gives() { holds "r['origin'] == 'plan' and all(e['outcome'] == 'ticket' for e in r['effects']) and len(r['effects']) == 2"; }
gives_nothing() { holds "r['origin'] != 'plan'" "all(e['outcome'] in ('waits', 'withheld') for e in r['effects'])" \
	"any('the plan gives nothing: ' in x and '$1' in x for x in r['reasons'])"; }

# bats test_tags=long
@test "a plan holds after exposure, for as many runs as it has" {
	gate_setup
	begin --runs 2
	[[ $P =~ ^[0-9a-f]{32}$ ]]
	gate user 0 grant list --json
	holds 'r["tickets"][0]["giver"] == "plan" and r["tickets"][0]["net"] == ["web.example:443"]' \
		'r["tickets"][0]["runs"] == 2 and r["tickets"][0]["used"] == 0 and len(r["tickets"][0]["program"]) == 64'
	expose user
	planned 0 --workspace "$W:rw" "$T/job.py" -- one
	gives
	[ "$(cat "$W/out")" = made ]
	# The exposed write has marked the directory: the plan gives nothing more before a person has looked.
	planned 0 --workspace "$W:rw" "$T/job.py" -- one
	gives_nothing 'was changed by exposed code'
	person user 0 trust "$W"
	planned 0 --workspace "$W:rw" "$T/job.py" -- one
	gives
	person user 0 trust "$W"
	planned 0 --workspace "$W:rw" "$T/job.py" -- one
	gives_nothing 'all of its runs are used up'
}

# F2, F3: each line differs from the plan in one thing.
# bats test_tags=long
@test "a plan gives nothing to another program" {
	gate_setup
	begin --runs 9
	local victim=$W words
	tree user
	victim=$W
	person user 0 trust "$victim"
	W=$(dirname "$W")/tree-user-1
	cp "$T/job.py" "$T/same.py"
	printf 'import sys\nopen("out", "w").write("more")\n' >"$T/other.py"
	expose user
	while read -r words; do
		# shellcheck disable=SC2086 # a list of words
		eval "planned 0 $words"
		gives_nothing 'differ from the plan'
		[ ! -e "$W/out" ] && [ ! -e "$victim/out" ]
	done <<-'END'
		--workspace "$W:rw" "$T/other.py" -- one
		--workspace "$W:rw" "$T/job.py" -- two
		--workspace "$W:rw" "$T/job.py" -- one more
		--workspace "$W:rw" "$T/job.py"
		--workspace "$W:rw" --env A=1 "$T/job.py" -- one
		--workspace "$W:rw" --exec "$T/tool" "$T/job.py" -- one
		--workspace "$victim:rw" "$T/job.py" -- one
	END
	# What it gives is what was planned: another host is not in it.
	submit user 0 --plan "$P" --policy "$T/p.yaml" --net other.example:443 --workspace "$W" "$T/job.py" -- one
	holds 'r["effects"][0]["outcome"] == "waits"'
	local first=$C
	exposed user
	planned 0 --workspace "$W:rw" "$T/job.py" -- one
	gives_nothing 'another conversation'
	C=$first
	planned 0 --workspace "$W:rw" "$T/same.py" -- one
	gives
}

# F3: what a plan reads may act through it. So it gives no more than the person who planned could see: its own
# directory, while that is trusted.
@test "data that turns a planned program gets nothing outside the directory" {
	gate_setup
	tree user
	: >"$W/-S1k"
	: >"$W/--compress-program=bash"
	/usr/bin/python3 -c "print('0;echo CODE-RAN >>pwned; exit 0'); [print('zz%06d filler' % i) for i in range(20000)]" >"$W/data.txt"
	chown -R "$TEST_UID:$TEST_UID" "$W" 2>/dev/null || true
	printf 'sort * >/tmp/o\nwc -l </tmp/o\n' >"$T/s.sh"
	conversation user
	# Nobody trusts the directory: no plan can be made with it.
	gate user 126 plan --conversation "$C" --workspace "$W:rw" "$T/s.sh"
	err_has "a plan is made while the conversation is clean"
	err_has "is untrusted"
	submit user 0 --workspace "$W:rw" "$T/s.sh"
	holds 'r["effects"][0]["outcome"] == "withheld" and r["state"] == "exposed"'
	[ ! -e "$W/pwned" ]
}

# bats test_tags=long
@test "a plan is not made in an exposed conversation, for hostile code or beyond the policy" {
	gate_setup
	begin
	printf 'version: 2\nprofile: strict\n' >"$T/strict.yaml"
	gate user 126 plan --conversation "$C" --policy "$T/strict.yaml" --workspace "$W:rw" "$T/job.py"
	err_has "no plan: clean code may not have write ."
	gate user 126 plan --conversation "$C" --net web.example:443 "$T/job.py"
	err_has "no plan: clean code may not have net web.example:443"
	err_has "cordon grant --conversation $C --net web.example:443"
	gate user 0 plan --conversation "$C" --workspace "$W" --json "$T/job.py"
	holds 'r["net"] == [] and r["write"] == [] and r["runs"] == 1'
	printf '# a moonstone word\n' >"$T/bad.py"
	sed -i 's/type: llm_io/type: tool_call/' "$T"/r/*.yaml
	gate user 126 plan --conversation "$C" --rules "$T/r" "$T/bad.py"
	err_has "rule ATR-2026-90001"
	gate user 125 plan --conversation "$C" "$T/nothing.py"
	gate user 125 run --conversation "$C" --plan 00000000000000000000000000000000 --tier no-cgroup "$T/job.py"
	tree user
	gate user 126 plan --conversation "$C" --workspace "$W" "$T/job.py"
	err_has "$W is untrusted"
	expose user
	gate user 126 plan --conversation "$C" "$T/job.py"
	err_has "exposed by: web page https://page.example/[hash:"
	# A plan can be revoked like a grant, and its time ends.
	conversation user
	trusted_tree user
	make_plan --for 1ms
	planned 0 --workspace "$W:rw" "$T/job.py" -- one
	holds 'r["origin"] == "agent" and any("it has expired" in x for x in r["reasons"])'
	conversation user
	person user 0 trust "$W"
	make_plan
	gate user 0 grant revoke "$P"
	expose user
	planned 0 --workspace "$W:rw" "$T/job.py" -- one
	gives_nothing 'it was revoked'
}
