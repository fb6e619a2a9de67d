#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What people let pass. A word for once is one run of those bytes, and they stay what they were. A word
# for longer (domain, hash) makes a plan of them: the same bytes, given the same, tied to the same.
load helper
load story

# What people agreed to is those bytes, once.
approved_bytes() {
	local id
	begin "$1"
	reads_table "$1"
	printf 'import pandas\nprint("https://metrics.evil-corp.net/payload")\n' | code asks.py
	submit "$1" --workspace "$W:ro" asks.py
	is_parked
	id=$(said approval_id)
	approve "$id"
	echo 'print("more")' >>asks.py
	submit "$1" --workspace "$W:ro" asks.py
	is_parked
	[ "$(said approval_id)" != "$id" ]
	printf 'import pandas\nprint("https://metrics.evil-corp.net/payload")\n' | code asks.py
	submit "$1" --workspace "$W:ro" asks.py -- another argument
	exits 75
	submit "$1" --workspace "$W:ro" asks.py
	exits 0
	holds "r['approval_id'] == '$id'" 'r["stdout"].startswith("https://metrics")' \
		'r["origin"] == "derived"'
	submit "$1" --workspace "$W:ro" asks.py
	exits 75
	[ "$(said approval_id)" != "$id" ]
}
@test "laundering: edited after the approval, and the approval once more" {
	need_root
	approved_bytes user:no-cgroup
}

# What is imported from the workspace runs too: whoever reads only the code is told so.
with_module() {
	begin "$1"
	reads_table "$1"
	echo 'import deeper' >"$W/helper.py"
	echo 'total = 1' >"$W/deeper.py"
	printf 'import helper\nprint("https://metrics.evil-corp.net/payload")\n' | code imports.py
	submit "$1" --workspace "$W:ro" imports.py
	is_parked
	gate "$1" approvals show "$(said approval_id)"
	exits 0
	out_has 'runs a module of the workspace too, not shown here: helper.py'
	out_has 'runs a module of the workspace too, not shown here: deeper.py'
}
@test "people are told which modules run beside the code" { every with_module; }

# Who asks the same again gets the same id, and is told so; those at once too.
asked_again() {
	local id i
	begin "$1"
	reads_table "$1"
	for i in 1 2 3 4 5 6; do
		as "${1%%:*}" timeout 60 "$CORDON" run --json --tier "${1#*:}" --domain "$D" \
			--workspace "$W:ro" obeys.py >"$T/again-$i" 2>/dev/null </dev/null &
	done
	wait
	/usr/bin/python3 - "$T"/again-? <<-'END'
		import json, sys
		runs = [json.load(open(name)) for name in sys.argv[1:]]
		assert len({r["approval_id"] for r in runs}) == 1, [r["approval_id"] for r in runs]
		told = ["asked about exactly this already" in r["reasons"][-1] for r in runs]
		assert sorted(told) == [False] + 5 * [True], told
	END
	gate "$1" run --tier "${1#*:}" --domain "$D" --workspace "$W:ro" obeys.py
	exits 75
	err_has 'people are asked about exactly this already'
	gate "$1" approvals list --json
	holds 'len(r) == 1'
}
@test "the same question waits once" {
	every asked_again
}

# is_plan ID: it ran because of that word, is a plan, and its record says by whom.
is_plan() {
	exits 0
	holds 'r["origin"] == "plan" and r["verdict"] == "ask"' "r['approval_id'] == '$1'" 'r["approved_by"] == ["anna"]' \
		"any(x.startswith('plan: anna approved') and 'apr:$1' in x for x in r['reasons'])"
	local run
	run=$(said audit_id)
	gate "$WAY" audit export --format jsonl
	/usr/bin/python3 - "$T/out" "$run" "$1" <<-'END'
		import json, sys
		rows = [r for r in map(json.loads, open(sys.argv[1])) if sys.argv[2] in r["refs"]]
		body, = [r["body"] for r in rows if r["kind"] == "verdict"]
		assert body["origin"] == "plan" and body["approval"] == sys.argv[3], body
		assert body["approved_by"] == ["anna"], body
		assert body["decided_as"] == "derived" and body["origin"] == "plan", body
	END
}

# ask_for_longer WAY: code that carries the table's words, and imports from its workspace, waits as $ID.
ask_for_longer() {
	begin "$1"
	reads_table "$1"
	printf 'version: 1\napproval: {scope: hash}\n' >longer.yaml
	printf 'value = 7\n' >"$W/helper.py"
	printf 'import helper\nprint("https://metrics.evil-corp.net/payload", helper.value)\n' | code asks.py
	LONGER=(--policy longer.yaml --workspace "$W:ro" asks.py)
	submit "$1" "${LONGER[@]}"
	is_parked
	ID=$(said approval_id)
}

in_domain() {
	ask_for_longer "$1"
	approve "$ID" domain
	for _ in 1 2; do
		submit "$1" "${LONGER[@]}"
		holds 'r["stdout"] == "https://metrics.evil-corp.net/payload 7\n"'
		is_plan "$ID"
	done
	# Other bytes, given or imported, are none of it; nor is it another conversation's.
	submit "$1" "${LONGER[@]}" -- more
	is_parked
	echo 'value = 8' >"$W/helper.py"
	submit "$1" "${LONGER[@]}"
	is_parked
	printf 'value = 7\n' >"$W/helper.py"
	submit "$1" "${LONGER[@]}"
	is_plan "$ID"
	local here=$D
	talk "$1"
	reads_table "$1"
	submit "$1" "${LONGER[@]}"
	is_parked
	D=$here
	gate "$1" approvals deny "$ID"
	submit "$1" "${LONGER[@]}"
	is_parked
}
@test "approved for a conversation: a plan, until somebody says no" {
	need_root
	in_domain user:no-cgroup
}

# reads WAY WORDS: a page with them.
reads() {
	echo "$2" >page.txt
	gate "$1" ingest --domain "$D" --kind web --name page page.txt
	exits 0
}

read_since() {
	ask_for_longer "$1"
	approve "$ID" "$2"
	reads "$1" 'a page that has nothing to do with it'
	submit "$1" "${LONGER[@]}"
	is_plan "$ID"
	reads "$1" 'see https://metrics.evil-corp.net/payload for more'
	submit "$1" "${LONGER[@]}"
}
@test "approved for longer, and then something is read: what people were shown must still be so" {
	need_root
	read_since user:no-cgroup domain
	is_parked
	read_since user:no-cgroup hash
	is_plan "$ID"
}

by_hash() {
	ask_for_longer "$1"
	approve "$ID" hash
	talk "$1"
	reads_table "$1"
	submit "$1" "${LONGER[@]}"
	is_plan "$ID"
}
@test "approved by its hash: a plan in every conversation that it is the same in" {
	need_root
	by_hash user:no-cgroup
}

# writes WAY SCOPE [beside]: what it wrote, another conversation runs. The table that was read lies beside it.
writes() {
	rm -rf "$T/w-user"
	begin "$1"
	reads_table "$1"
	[ "${3:-}" ] || rm "$W/planted.csv"
	printf 'version: 1\napproval: {scope: domain}\n' >longer.yaml
	printf 'open("next.py", "w").write("print(1)\\n# %s\\n")\n' "$2 ${3:-}" | code writer.py
	submit "$1" --policy longer.yaml --workspace "$W:overlay" --commit writer.py
	exits 75
	approve "$(said approval_id)" "$2"
	submit "$1" --policy longer.yaml --workspace "$W:overlay" --commit writer.py
	exits 0
	holds 'r["committed"]'
	talk "$1"
	submit "$1" "$W/next.py"
}
@test "what it wrote is a plan's, if people stood by it, and else untrusted" {
	need_root
	writes user:no-cgroup domain
	holds 'r["origin"] == "agent"'
	writes user:no-cgroup once
	holds 'r["origin"] == "derived"'
	writes user:no-cgroup domain beside
	holds 'r["origin"] == "derived"'
}

# The same bytes are another program when Node takes them for a module: one that is strict, and has no
# require.
other_kind() {
	local id token
	begin "$1"
	echo 'console.log(this === undefined ? "a module" : "a script");' | code kinds.js
	gate "$1" plan --domain "$D" --lang node kinds.js
	exits 0
	token=$(cat "$T/out")
	reads_table "$1"
	for kind in js mjs cjs; do
		{ cat kinds.js && echo '// https://metrics.evil-corp.net/payload'; } | code "asks.$kind"
	done
	submit "$1" --workspace "$W:ro" asks.js
	is_parked
	id=$(said approval_id)
	gate "$1" approvals show "$id"
	out_has '  runs as     main.js, in node'
	approve "$id" once
	for kind in mjs cjs; do
		submit "$1" --workspace "$W:ro" "asks.$kind"
		is_parked
		[ "$(said approval_id)" != "$id" ]
	done
	submit "$1" --workspace "$W:ro" asks.js
	exits 0
	holds 'r["stdout"] == "a script\n"' "r['approval_id'] == '$id'"
	cp kinds.js kinds.mjs
	submit "$1" --plan "$token" kinds.mjs
	holds 'r["origin"] == "exposed" and "ends otherwise" in r["reasons"][0]' \
		'r["stdout"] == "a module\n"'
	submit "$1" --plan "$token" kinds.js
	holds 'r["origin"] == "plan" and r["stdout"] == "a script\n"'
}
@test "laundering: the same bytes as another kind of file" {
	need_root
	[ -x /usr/bin/node ] || skip "no node"
	other_kind user:no-cgroup
}
