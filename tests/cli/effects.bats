#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Effects of exposed code: withheld with the command that would allow them, or waiting for a person who can
# be asked. And which code waits before it runs.
load helper
load scan.bash
load gate.bash
load person

# begin: a conversation that is exposed, and a trusted tree. The rules look at code.
begin()
{
	gate_setup
	sed -i 's/type: llm_io/type: tool_call/' "$T"/r/*.yaml
	# shellcheck disable=SC2034 # person.bash has it
	USER_STATE=$T/user
	echo 'print(1)' >"$T/x.py"
	printf 'open("new", "w").write("x")\n' >"$T/w.py"
	trusted_tree user
	exposed user
}

one() { submit user "$1" --net web.example:443 "${@:2}"; }

# bats test_tags=long
@test "where no person can be asked an effect is withheld, with the command" {
	begin
	local nobody=(--policy "$T/nobody.yaml")
	printf 'version: 2\nconfirmation: {net: no}\n' >"$T/nobody.yaml"
	one 0 "${nobody[@]}" "$T/x.py"
	holds 'r["status"] == "exited" and r["stdout"] == "1\n" and r["verdict"] == "allow"' \
		'r["effects"][0]["effect"] == "net" and r["effects"][0]["object"] == "web.example:443"' \
		'r["effects"][0]["outcome"] == "withheld" and r["effects"][0]["waits"] is None' \
		"r['effects'][0]['command'] == 'cordon grant --conversation $C --net web.example:443'"
	one 0 "${nobody[@]}" --wait "$T/x.py"
	gate user 0 run --tier no-cgroup --conversation "$C" --net web.example:443 "${nobody[@]}" "$T/x.py"
	out_is 1
	err_has "cordon grant --conversation $C --net web.example:443"
	printf 'version: 2\nexposed: {net: deny}\n' >"$T/deny.yaml"
	one 0 --policy "$T/deny.yaml" "$T/x.py"
	holds 'r["effects"][0]["outcome"] == "withheld"'
}

@test "where a confirmation is enough an effect waits for it; a secret does not" {
	begin
	export MY_KEY=some-key
	printf 'version: 2\nsecrets: [{name: KEY, host: "web.example:443", env: MY_KEY}]\n' >"$T/p.yaml"
	one 0 --secret KEY --policy "$T/p.yaml" "$T/x.py"
	holds '[e["outcome"] for e in r["effects"]] == ["waits", "withheld"]'
	local id
	id=$(member 'r["approval_id"]')
	gate user 126 approvals approve "$id"
	person user 0 approvals approve "$id"
	one 0 --secret KEY --policy "$T/p.yaml" "$T/x.py"
	holds '[e["outcome"] for e in r["effects"]] == ["ticket", "withheld"]' \
		'r["approved_by"] == ["uid:%d (confirmation)" % '"$(as user id -u)"']'
	one 0 --secret KEY --policy "$T/p.yaml" "$T/x.py"
	holds '[e["outcome"] for e in r["effects"]] == ["waits", "withheld"]'
}

# bats test_tags=long
@test "once a person is enrolled an effect waits; approved, the same call gets it once" {
	need_root
	begin
	enrol
	one 0 "$T/x.py"
	holds 'r["status"] == "exited" and r["stdout"] == "1\n"' \
		'r["effects"][0]["outcome"] == "waits" and r["effects"][0]["waits"] == r["approval_id"]'
	local id
	id=$(member 'r["approval_id"]')
	# The same question waits once; another program is another question.
	one 0 "$T/x.py"
	holds "r['approval_id'] == '$id'"
	one 0 "$T/x.py" -- another
	holds "r['approval_id'] != '$id'"
	approve "$id"
	one 0 "$T/x.py" -- changed
	holds 'r["effects"][0]["outcome"] == "waits"'
	one 0 "$T/x.py"
	holds 'r["effects"][0]["outcome"] == "ticket"' "r['effects'][0]['by'] == 'apr:$id'"
	one 0 "$T/x.py"
	holds 'r["effects"][0]["outcome"] == "waits"' "r['approval_id'] != '$id'"
	printf 'version: 2\nexposed: {net: deny}\n' >"$T/deny.yaml"
	one 0 --policy "$T/deny.yaml" "$T/x.py"
	holds 'r["effects"][0]["outcome"] == "withheld"'
}

@test "--wait: the run starts when a person has answered" {
	need_root
	begin
	enrol
	as user env HOME=/nonexistent XDG_STATE_HOME="$T/user" timeout 60 "$CORDON" run --json --wait --tier no-cgroup \
		--conversation "$C" --net web.example:443 "$T/x.py" >"$T/waited" 2>&1 </dev/null &
	local id='' pid=$!
	for _ in $(seq 100); do
		gate user 0 approvals list
		id=$(grep -oE '^[0-9a-f]{8,}' "$T/out" | head -n 1)
		[ -z "$id" ] || break
		sleep 0.1
	done
	[ ! -s "$T/waited" ] || ! grep -q '"stdout"' "$T/waited"
	approve "$id"
	wait $pid
	cp "$T/waited" "$T/out"
	holds 'r["effects"][0]["outcome"] == "ticket" and r["stdout"] == "1\n"'
}

# A person is asked about changes when they are applied, and knows them then.
# bats test_tags=long
@test "a direct write is never asked about: the run gets the overlay" {
	need_root
	begin
	enrol
	submit user 0 --workspace "$W:rw" "$T/w.py"
	holds 'r["effects"][0]["outcome"] == "withheld" and r["approval_id"] is None' \
		"r['effects'][0]['command'] == 'cordon grant --conversation $C --write .'"
	[ ! -e "$W/new" ]
	gate user 0 apply --conversation "$C" "$W" --json
	holds 'r["effects"][0]["waits"]'
	# The approval of a host is not one of a direct write, and is for the inputs that the run had.
	gate user 0 reset --conversation "$C" "$W"
	one 0 --workspace "$W:rw" "$T/w.py"
	holds '[e["outcome"] for e in r["effects"]] == ["waits", "withheld"]' \
		'"cordon reset" in r["effects"][0]["reason"] and not r["effects"][1]["reason"]'
	local id
	id=$(member 'r["approval_id"]')
	approve "$id"
	gate user 0 run --tier no-cgroup --conversation "$C" --net web.example:443 --workspace "$W:rw" "$T/w.py"
	err_has "or cordon reset before it runs again"
	gate user 0 reset --conversation "$C" "$W"
	one 0 --workspace "$W:rw" "$T/w.py"
	holds '[e["outcome"] for e in r["effects"]] == ["ticket", "withheld"]' "r['effects'][0]['by'] == 'apr:$id'"
	[ ! -e "$W/new" ]
	# A clean run that gets its host by an approval writes as exposed code.
	conversation user
	echo 'print(1)' >"$T/x.py"
	one 0 --workspace "$W:rw" "$T/x.py"
	holds '[e["outcome"] for e in r["effects"]] == ["waits", "policy"] and r["state"] == "clean"'
	approve "$(member 'r["approval_id"]')"
	one 0 --workspace "$W:rw" "$T/x.py"
	holds '[e["outcome"] for e in r["effects"]] == ["ticket", "withheld"]'
}

# What is too large to be approved is no reason not to run: the code itself need not be approved.
@test "a run that cannot be approved goes ahead without the effect, and says why" {
	need_root
	begin
	enrol
	truncate -s 257M "$W/large"
	one 0 --workspace "$W" "$T/x.py"
	holds 'r["stdout"] == "1\n" and r["effects"][0]["outcome"] == "withheld" and r["approval_id"] is None' \
		'"workspace cannot be approved" in r["effects"][0]["reason"] and r["effects"][0]["command"]' \
		'any("workspace cannot be approved" in x for x in r["reasons"])'
	gate user 0 run --tier no-cgroup --conversation "$C" --net web.example:443 --workspace "$W" "$T/x.py"
	err_has "workspace cannot be approved"
	err_has "cordon grant --conversation $C --net web.example:443"
}

# F4: a person would be shown other text than Python runs.
@test "code that names another encoding is not run, and no person is asked about it" {
	need_root
	begin
	enrol
	local hidden
	hidden=$(/usr/bin/python3 -c 'import base64; print(base64.b64encode("\nprint(2)\n".encode("utf-16-be")).decode().rstrip("="))')
	printf '# coding: utf-7\n# a summary: +%s-\nprint(1)\n' "$hidden" >"$T/utf7.py"
	one 125 "$T/utf7.py"
	holds '"names the encoding utf-7" in r["error"]["message"] and not r["ran"] and r["approval_id"] is None'
	sed -i 's/block_input/require_human_review/' "$T/r/a.yaml"
	echo '# moonstone word' >>"$T/utf7.py"
	submit user 125 --rules "$T/r" "$T/utf7.py"
	holds '"names the encoding utf-7" in r["error"]["message"] and not r["ran"] and r["approval_id"] is None'
	gate user 0 approvals list
	out_is "no request waits"
}

# A person agrees to one exact diff.
@test "pending changes wait for a person too" {
	need_root
	begin
	enrol
	submit user 0 --workspace "$W" --apply "$T/w.py"
	holds 'r["effects"][0]["outcome"] == "waits" and r["effects"][0]["object"] == "new"'
	[ ! -e "$W/new" ]
	gate user 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 0 and r["effects"][0]["waits"]'
	local id
	id=$(member 'r["effects"][0]["waits"]')
	gate user 0 approvals show "$id"
	is_harmless
	out_has '  new         new'
	out_has '+      1 | x'
	[ "$(grep -cE 'runs as|would run|not run' "$T/out")" = 0 ]
	approve "$id"
	printf 'open("new", "w").write("other")\n' >"$T/w2.py"
	local first=$C
	exposed user
	submit user 0 --workspace "$W" "$T/w.py"
	gate user 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 0'
	C=$first
	gate user 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 1' "r['effects'][0]['by'] == 'apr:$id'"
	[ "$(cat "$W/new")" = x ]
	submit user 0 --workspace "$W" "$T/w2.py"
	gate user 0 apply --conversation "$C" "$W" --json
	holds 'r["written"] == 0'
}

@test "a run that uses an approval has its changes applied by a grant" {
	need_root
	begin
	person user 0 grant --conversation "$C" --write .
	enrol
	one 0 --workspace "$W" --apply "$T/w.py"
	rm "$W/new" # so that the program's inputs are what they were
	approve "$(member 'r["approval_id"]')"
	one 0 --workspace "$W" --apply "$T/w.py"
	holds '[e["outcome"] for e in r["effects"]] == ["ticket"] * 2' 'r["effects"][0]["by"].startswith("apr:")'
	[ "$(cat "$W/new")" = x ]
}

# One file whose name has the line of another in it is not the same change as the two files.
@test "no name of a file makes one change look like two" {
	need_root
	begin
	enrol
	printf 'open("AGENTS.md", "w").write("obey me\\n")\nopen("zz", "w").write("x")\n' >"$T/two.py"
	cat >"$T/one.py" <<-'END'
		import hashlib
		line = "AGENTS.md: absent -> file 644 8 " + hashlib.sha256(b"obey me\n").hexdigest()
		open(line + "\ncreate zz", "w").write("x")
	END
	submit user 0 --workspace "$W" --apply "$T/one.py"
	local id
	id=$(member 'r["effects"][0]["waits"]')
	gate user 0 approvals show "$id"
	out_has '^Jcreate zz'
	[ "$(grep -c '^  new  ' "$T/out")" = 1 ]
	gate user 0 reset --conversation "$C" "$W"
	submit user 0 --workspace "$W" --apply "$T/two.py"
	holds 'len(r["effects"]) == 2' "r['effects'][0]['waits'] not in (None, '$id')"
	gate user 0 reset --conversation "$C" "$W"
	# All that is written otherwise, and what is not.
	cat >"$T/odd.py" <<-'END'
		open(b"\x01\t\x1f\x7f\\x0a \xc3\xa4\xff\xc3.\xed\xa0\x80~", "w").write("x")
	END
	submit user 0 --workspace "$W" --apply "$T/odd.py"
	gate user 0 approvals show "$(member 'r["effects"][0]["waits"]')" --json
	holds 'len(r["changes"]) == 1 and r["changes"][0]["path_encoding"] == "base64"' \
		'__import__("base64").b64decode(r["changes"][0]["path"]) == b"\x01\t\x1f\x7f\\x0a \xc3\xa4\xff\xc3.\xed\xa0\x80~"'
}

# F9: one conversation does not take the questions of all others.
# bats test_tags=long
@test "a conversation that fills its queue does not block other conversations" {
	need_root
	begin
	enrol
	local i
	for i in $(seq 33); do
		one 0 "$T/x.py" -- "$i"
	done
	holds 'r["stdout"] == "1\n" and r["effects"][0]["outcome"] == "withheld" and r["effects"][0]["command"]'
	one 0 "$T/x.py" -- 1
	holds 'r["effects"][0]["outcome"] == "waits"'
	exposed user
	one 0 "$T/x.py" -- urgent
	holds 'r["effects"][0]["outcome"] == "waits" and r["approval_id"]'
}

@test "hostile code does not run, in no profile; the policy can lower the rule" {
	begin
	local profile
	printf 'print("a moonstone word")\n' >"$T/bad.py"
	conversation user
	for profile in strict balanced observe; do
		printf 'version: 2\nprofile: %s\nexposed: {tier: no-userns}\n' $profile >"$T/p.yaml"
		submit user 126 --policy "$T/p.yaml" --rules "$T/r" "$T/bad.py"
		holds 'r["verdict"] == "deny" and r["origin"] == "hostile" and r["stdout"] == ""' \
			'r["rules"][0]["id"] == "ATR-2026-90001"' '"rules: {ATR-2026-90001: shown}" in r["error"]["cure"]'
		submit user 126 --policy "$T/p.yaml" --rules "$T/r" "$T/x.py" -- 'a moonstone word'
	done
	printf 'version: 2\nrules: {ATR-2026-90001: shown}\n' >"$T/p.yaml"
	submit user 0 --policy "$T/p.yaml" --rules "$T/r" "$T/bad.py"
	holds 'r["verdict"] == "allow" and r["rules"][0]["grade"] == "shown"'
	printf 'version: 2\nrules: {ATR-2026-90002: denies}\n' >"$T/p.yaml"
	printf 'print("a sunstone")\n' >"$T/asks.py"
	submit user 0 --rules "$T/r" "$T/asks.py"
	submit user 126 --policy "$T/p.yaml" --rules "$T/r" "$T/asks.py"
}

# derived.py stands in a page that was read; with a finding it waits before it runs.
# bats test_tags=long
@test "derived code with a finding waits before it runs; strict: all derived code; a grant bounds it" {
	need_root
	begin
	local code='total = sum(int(row.split(",")[1]) for row in open("numbers-of-the-quarter.csv"))'
	printf '%s\n' "$code" >"$T/page"
	ingest user 0 --kind web --name https://page.example/snippet "$T/page"
	printf 'try:\n    %s\nexcept OSError: print("ran")\n' "$code" >"$T/derived.py"
	{ cat "$T/derived.py" && echo '# sunstone'; } >"$T/finding.py"
	# FILE PROFILE STATUS VERDICT
	while read -r file profile expected verdict; do
		printf 'version: 2\nprofile: %s\nexposed: {tier: no-userns}\n' "$profile" >"$T/p.yaml"
		submit user "$expected" --policy "$T/p.yaml" --rules "$T/r" "$T/$file.py"
		holds "r['verdict'] == '$verdict'" "r['origin'] == ('exposed' if '$file' == 'x' else 'derived')"
	done <<-'END'
		x        strict    0   allow
		x        balanced  0   allow
		derived  observe   0   allow
		derived  balanced  0   allow
		derived  strict    75  ask
		finding  observe   0   allow
		finding  balanced  75  ask
		finding  strict    75  ask
	END
	submit user 75 --rules "$T/r" "$T/finding.py"
	holds 'r["status"] == "pending" and not r["ran"] and r["approval_id"] and r["stdout"] == ""' \
		'any("page.example" in e["name"] for e in r["evidence"])'
	enrol
	approve "$(member 'r["approval_id"]')"
	submit user 0 --rules "$T/r" "$T/finding.py"
	holds 'r["verdict"] == "allow" and r["stdout"] == "ran\n"'
	submit user 75 --rules "$T/r" "$T/finding.py"
	person user 0 grant --conversation "$C" --write src
	submit user 0 --rules "$T/r" "$T/finding.py"
	holds 'r["verdict"] == "allow" and r["origin"] == "derived"'
	printf 'version: 2\nprofile: strict\nexposed: {tier: no-userns}\n' >"$T/p.yaml"
	submit user 75 --policy "$T/p.yaml" --rules "$T/r" "$T/derived.py"
}

@test "a rule that only requires review has a person asked, of clean code too" {
	need_root
	begin
	sed -i 's/block_input/require_human_review/' "$T/r/a.yaml"
	printf 'print("a moonstone word")\n' >"$T/bad.py"
	conversation user
	submit user 75 --rules "$T/r" "$T/bad.py"
	holds 'r["verdict"] == "ask" and not r["ran"] and "review" in r["reasons"][0]'
	printf 'version: 2\nprofile: observe\n' >"$T/p.yaml"
	submit user 0 --policy "$T/p.yaml" --rules "$T/r" "$T/bad.py"
	holds 'r["verdict"] == "allow" and "balanced would ask" in r["reasons"][0]'
	printf 'version: 2\nprofile: observe\nrules: {TEST-2026-0001: denies}\n' >"$T/p.yaml"
	sed -n 's/^id: //p' "$T/r/a.yaml" | { read -r id; sed -i "s/TEST-2026-0001/$id/" "$T/p.yaml"; }
	submit user 126 --policy "$T/p.yaml" --rules "$T/r" "$T/bad.py"
	enrol
	submit user 75 --rules "$T/r" "$T/bad.py"
	approve "$(member 'r["approval_id"]')"
	submit user 0 --rules "$T/r" "$T/bad.py"
	holds 'r["stdout"] == "a moonstone word\n"'
}

# CELL PROFILE STATE WRITE NET SECRET: the outcome of each effect, with a host that the policy lists and one
# that it does not.
# bats test_tags=long
@test "strict, balanced and observe: the table of effects" {
	begin
	export MY_KEY=some-key
	local state
	while read -r profile state write listed unlisted secret; do
		printf 'version: 2\nprofile: %s\nexposed: {tier: no-userns}\nnet: {allow: ["web.example:443"], trusted: ["web.example:443"]}\nsecrets: [{name: KEY, host: "web.example:443", env: MY_KEY}]\n' "$profile" >"$T/p.yaml"
		trusted_tree user
		conversation user
		[ "$state" = clean ] || expose user
		submit user 0 --policy "$T/p.yaml" --workspace "$W" --apply "$T/w.py"
		holds "r['state'] == '$state'" "r['effects'][0]['outcome'] == '$write'"
		submit user 0 --policy "$T/p.yaml" --net web.example:443 --net other.example:443 --secret KEY "$T/x.py"
		holds "[e['outcome'] for e in r['effects']] == ['$listed', '$unlisted', '$secret']" \
			"'$profile$state' != 'observeexposed' or all(e['by'] in ('observe', None) for e in r['effects'])" \
			"'$profile' == 'observe' or all(e['by'] != 'observe' for e in r['effects'])"
	done <<-'END'
		strict    clean    waits   waits   waits  withheld
		strict    exposed  waits   waits   waits  withheld
		balanced  clean    policy  policy  waits  withheld
		balanced  exposed  waits   waits   waits  withheld
		observe   clean    policy  policy  waits  policy
		observe   exposed  policy  policy  waits  policy
	END
}

# What a host answers is untrusted: the conversation is exposed before the run starts.
@test "a run with a host exposes its conversation unless the host is trusted" {
	begin
	printf 'version: 2\nnet: {allow: ["web.example:443", "own.example:443"], trusted: ["own.example:443"]}\n' >"$T/p.yaml"
	conversation user
	submit user 0 --policy "$T/p.yaml" --net own.example:443 --net not.example:443 "$T/x.py"
	gate user 0 conversation show "$C" --json
	holds 'r["state"] == "clean"'
	submit user 0 --policy "$T/p.yaml" --net web.example:443 --workspace "$W" --apply "$T/w.py"
	holds '[e["outcome"] for e in r["effects"]] == ["policy", "waits"]'
	[ ! -e "$W/new" ]
	gate user 0 conversation show "$C" --json
	holds 'r["state"] == "exposed" and "web.example:443" in r["cause"]'
}

# The program may write what the host answers.
# bats test_tags=long
@test "with a host that exposes, :rw is decided as exposed code's" {
	begin
	printf 'version: 2\nnet: {allow: ["web.example:443", "own.example:443"], trusted: ["own.example:443"]}\n' >"$T/p.yaml"
	conversation user
	submit user 0 --policy "$T/p.yaml" --net own.example:443 --workspace "$W:rw" "$T/w.py"
	holds '[(e["effect"], e["outcome"]) for e in r["effects"]] == [("net", "policy"), ("write", "policy")]'
	rm "$W/new"
	submit user 0 --policy "$T/p.yaml" --net web.example:443 --workspace "$W:rw" "$T/w.py"
	holds '[(e["effect"], e["outcome"]) for e in r["effects"]] == [("net", "policy"), ("write", "withheld")]' \
		"r['effects'][1]['command'] == 'cordon grant --conversation $C --write .'"
	[ ! -e "$W/new" ]
	gate user 0 trust list --json
	holds 'all(d["state"] == "trusted" for d in r["directories"])'
	conversation user
	person user 0 grant --conversation "$C" --write .
	submit user 0 --policy "$T/p.yaml" --net web.example:443 --workspace "$W:rw" "$T/w.py"
	holds '[(e["effect"], e["outcome"]) for e in r["effects"]] == [("net", "policy"), ("write", "ticket")]'
	[ -e "$W/new" ]
}
