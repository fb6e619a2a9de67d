#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon run --wait: people answer while the run waits. They approve or deny, the inputs change
# meanwhile, or the waiting run is killed.
load helper
load person

needs()
{
	need_root
	W=$T/work
	mkdir "$W"
	printf 'value = 1\n' >"$W/helper.py"
	printf 'import helper\nprint(helper.value)\n' | code askme.py
	policy strict
	C=$(as user "$CORDON" conversation new)
	as user "$CORDON" ingest --conversation "$C" --kind web --name page --rules "$HARMLESS" askme.py
}

# policy PROFILE: strict asks about what stands in a page.
policy() { printf 'version: 2\nprofile: %s\nexposed: {tier: no-cgroup}\n' "$1" >"$T/all.yaml"; }

# patience DURATION: of the policy.
patience() { printf 'approval: {wait: %s}\n' "$1" >>"$T/all.yaml"; }

# waits: a run waits, as $PID, for the request $ID.
waits() # [ARG...]
{
	as user timeout 60 "$CORDON" run --json --conversation "$C" --wait --tier no-cgroup --policy "$T/all.yaml" --workspace "$W:ro" \
		askme.py >"$T/waited" 2>"$T/err" </dev/null &
	PID=$!
	asked ''
}

# asked OLD: a question waits, as $ID, and is not OLD.
asked()
{
	for _ in $(seq 600); do
		ID=$(as user "$CORDON" approvals list | grep -oE '^[0-9a-f]{32}  pending' || true)
		ID=${ID%% *}
		[ -z "$ID" ] || [ "$ID" = "$1" ] || return 0
		sleep 0.05
	done
	echo "nobody asks"
	return 1
}

# ended STATUS: it has.
ended()
{
	status=0
	wait "$PID" || status=$?
	cp "$T/waited" "$T/out"
	exits "$1"
}

is_over() { as user "$CORDON" approvals show "$ID" --json >"$T/out" && holds "r['status'] == '$1'"; }

@test "--wait: yes" {
	waits
	approve "$ID"
	ended 0
	holds 'r["stdout"] == "1\n"' "r['approval_id'] == '$ID'"
	is_over used
}

@test "--wait: no, with the reason" {
	waits
	as user "$CORDON" approvals deny "$ID" --reason 'not today'
	ended 126
	holds 'r["status"] == "refused" and r["stdout"] == ""' 'r["error"]["cause"] == "not today"' \
		"'$ID is denied' in r['error']['message']"
}

@test "--wait: no answer comes in time" {
	patience 3s
	waits
	ended 126
	holds 'r["status"] == "refused" and r["stdout"] == "" and r["ran"] is False and r["recorded"] is True' \
		'r["error"]["cause"] == "no answer came in time"' "'$ID is expired' in r['error']['message']"
	is_over expired
	as user "$CORDON" audit trace "apr:$ID" --json >"$T/out"
	holds '[x["body"]["event"] for x in r["records"] if x["kind"] == "approval"] == ["parked", "expired"]' \
		'not any(x["kind"] == "start" for x in r["records"])'
	status=0
	approve "$ID" 2>"$T/err" || status=$?
	[ "$status" -ne 0 ]
	! as user "$CORDON" approvals list | grep -q pending || return 1
}

@test "--wait: one of two people is not enough" {
	echo 'approval: {approvers: 2}' >>"$T/all.yaml"
	waits
	approve "$ID"
	sleep 0.6
	kill -0 "$PID"
	as user "$CORDON" approvals deny "$ID"
	ended 126
	holds 'r["stdout"] == ""'
}

@test "--wait: a file changed after people approved it" {
	waits
	local first=$ID
	echo 'value = 2' >"$W/helper.py"
	approve "$ID"
	asked "$first"
	as user "$CORDON" approvals deny "$ID"
	ended 126
	holds 'r["stdout"] == ""'
	ID=$first
	is_over approved
}

# bats test_tags=long
@test "--wait: the run gives up after people were asked 16 times about changed inputs" {
	local i old=''
	waits
	for ((i = 1; i < 16; i++)); do
		printf 'value = %d\n' $((i + 1)) >"$W/helper.py"
		old=$ID
		approve "$ID"
		[ "$i" -eq 15 ] || asked "$old"
	done
	ended 125
	holds 'r["error"]["kind"] == "conflict" and "people were asked 16 times" in r["error"]["message"]' \
		'"workspace" in r["error"]["cause"] and "without --wait" in r["error"]["cure"]' 'r["ran"] is False'
}

# The program is the one that people were asked about; evidence is no part of it.
@test "--wait: an approval still counts after the conversation read another page" {
	waits
	as user "$CORDON" ingest --conversation "$C" --kind web --name another --rules "$HARMLESS" askme.py
	approve "$ID"
	ended 0
	holds '{e["name"] for e in r["evidence"]} == {"page", "another"}' "r['approval_id'] == '$ID'"
	is_over used
}

@test "--wait: the policy says something else meanwhile" {
	waits
	sed -i 's/no-cgroup/full/' "$T/all.yaml" # which this account cannot have
	approve "$ID"
	ended 126
	holds 'r["verdict"] == "deny" and r["stdout"] == ""'
	is_over approved
}

# Then no approval let it run, and no record names one.
@test "--wait: the policy changed and no approval is needed any more" {
	waits
	policy balanced
	approve "$ID"
	ended 0
	holds 'r["stdout"] == "1\n" and r["approval_id"] is None'
	is_over approved
	as user "$CORDON" audit trace "$(/usr/bin/python3 -I -c 'import json, sys
print(json.load(open(sys.argv[1]))["audit_id"])' "$T/waited")" --json >"$T/out"
	holds 'all("approval" not in x["body"] for x in r["records"] if x["kind"] == "verdict")' \
		'any(x["kind"] == "start" for x in r["records"])'
}

@test "--wait: there is no policy any more" {
	waits
	rm "$T/all.yaml"
	approve "$ID"
	ended 125
	holds '"all.yaml" in r["error"]["message"] and r["stdout"] == ""'
	as user "$CORDON" audit verify
}

# bats test_tags=long
@test "--wait: cordon is killed; the request and a later approval stay" {
	local cordon box
	waits
	cordon=$(pgrep -P "$(pgrep -P "$PID" timeout || echo "$PID")" cordon)
	box=$(pgrep -P "$cordon")
	kill -KILL "$cordon"
	wait "$PID" || true
	is_over pending
	for _ in $(seq 100); do
		[ -d "/proc/$box" ] || break
		sleep 0.05
	done
	[ ! -d "/proc/$box" ]
	approve "$ID"
	status=0
	as user "$CORDON" run --json --conversation "$C" --tier no-cgroup --policy "$T/all.yaml" --workspace "$W:ro" askme.py >"$T/out" || status=$?
	exits 0
	holds "r['approval_id'] == '$ID'" 'r["stdout"] == "1\n"'
	as user "$CORDON" audit verify
}
