#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon grant: a person gives exposed code some effects, for a conversation or a directory, for a time.
load helper
load scan.bash
load gate.bash

# effect OBJECT: its outcome in the run that was printed.
outcome() { member "[e['outcome'] for e in r['effects'] if e['object'] == '$1'][0]"; }

# granted WHO: a policy with a secret, a tree and an exposed conversation.
begin()
{
	printf 'version: 2\nconfirmation: {secret: yes}\nsecrets: [{name: KEY, host: "api.example:443", env: MY_KEY}]\n' >"$T/p.yaml"
	echo 'print(1)' >"$T/x.py"
	printf 'import os\nos.makedirs("src")\nopen("src/new", "w").write("x")\nopen("top", "w").write("x")\n' >"$T/w.py"
	export MY_KEY=some-key
	trusted_tree "$1"
	exposed "$1"
}

# wants WHO STATUS: a run that wants three effects.
wants() { submit "$1" "$2" --policy "$T/p.yaml" --net web.example:443 --net other.example:443 --secret KEY "$T/x.py"; }

by_conversation() {
	begin "$1"
	wants "$1" 0
	holds 'all(e["outcome"] == "waits" and not e["done"] for e in r["effects"]) and len(r["effects"]) == 3' \
		"r['effects'][0]['command'] == 'cordon grant --conversation $C --net web.example:443'" \
		"r['effects'][2]['command'] == 'cordon grant --conversation $C --secret KEY=GET:api.example:443/'"
	# What is said of a secret of this name at another host is not for it.
	person "$1" 0 grant --policy "$T/p.yaml" --conversation "$C" --secret KEY=GET:api.example:444/ --secret KEY=GET:b.example:443/
	wants "$1" 0
	[ "$(outcome KEY)" = waits ]
	person "$1" 0 grant --policy "$T/p.yaml" --conversation "$C" --net Web.example:443 --secret KEY=GET,PUT:API.example:443/v1 --write src
	out_has 'use the secret KEY in GET,PUT'
	out_has '  secret KEY in GET,PUT requests to api.example:443/v1 and below'
	out_has 'send up to '
	out_has 'web.example:443'
	wants "$1" 0
	holds '[e["outcome"] for e in r["effects"]] == ["ticket", "waits", "ticket"]' \
		'r["effects"][0]["by"].startswith("grant:")'
	submit "$1" 0 --workspace "$W" --apply "$T/w.py"
	holds '{e["object"] for e in r["effects"] if e["done"]} >= {"src/new"}' \
		'not [e for e in r["effects"] if e["object"] == "top"][0]["done"]'
	[ -e "$W/src/new" ] && [ ! -e "$W/top" ]
	# Another conversation has none of it.
	exposed "$1"
	wants "$1" 0
	holds 'all(e["outcome"] == "waits" for e in r["effects"])'
}
@test "a grant for a conversation does not work in another conversation" { each by_conversation; }

by_directory() {
	begin "$1"
	local tree=$W
	person "$1" 0 grant --directory "$W" --net web.example:443 --write .
	submit "$1" 0 --net web.example:443 --workspace "$W" --apply "$T/w.py"
	holds 'all(e["outcome"] == "ticket" for e in r["effects"])'
	[ -e "$W/top" ]
	wants "$1" 0
	[ "$(outcome web.example:443)" = waits ]
	trusted_tree "$1"
	submit "$1" 0 --net web.example:443 --workspace "$W" --apply "$T/w.py"
	holds 'all(e["outcome"] == "waits" for e in r["effects"])'
	# Another directory in its place was not granted anything.
	rm -r "$W" "$tree/src"
	as "$1" mv "$tree" "$tree.old"
	as "$1" cp -r "$tree.old" "$tree" || cp -r "$tree.old" "$tree"
	submit "$1" 0 --net web.example:443 --workspace "$tree" "$T/x.py"
	[ "$(outcome web.example:443)" = waits ]
	# Both are needed if both are named.
	trusted_tree "$1"
	person "$1" 0 grant --directory "$W" --conversation "$C" --net web.example:443
	submit "$1" 0 --net web.example:443 --workspace "$W" "$T/x.py"
	[ "$(outcome web.example:443)" = ticket ]
	exposed "$1"
	submit "$1" 0 --net web.example:443 --workspace "$W" "$T/x.py"
	[ "$(outcome web.example:443)" = waits ]
}
# bats test_tags=long
@test "a grant for a directory holds while it is the same directory" {
	chmod 1777 "$T"
	each by_directory
}

# A path has one form.
by_path() {
	local path
	begin "$1"
	for path in src/ ./src ./src/; do
		person "$1" 0 grant --conversation "$C" --write "$path"
		out_has '  write src'
		[ "$(grep -c '  write src/' "$T/out")" = 0 ]
	done
	submit "$1" 0 --workspace "$W" --apply "$T/w.py"
	[ -e "$W/src/new" ] && [ ! -e "$W/top" ]
	# No character of a name is special.
	printf 'open("[id].tsx", "w").write("x")\n' >"$T/odd.py"
	person "$1" 0 grant --conversation "$C" --write '[id].tsx'
	submit "$1" 0 --workspace "$W" --apply "$T/odd.py"
	[ -e "$W/[id].tsx" ]
}
@test "a path that is granted is written in one form, and is no pattern" { each by_path; }

# Others write the same address in other ways.
by_address() {
	begin "$1"
	submit "$1" 0 --net 127.0.0.1:8099 --net '[2001:DB8:0::1]:443' --net WEB.example:443 "$T/x.py"
	holds '[e["object"] for e in r["effects"]] == ["127.0.0.1:8099", "[2001:db8::1]:443", "web.example:443"]' \
		"r['effects'][0]['command'] == 'cordon grant --conversation $C --net 127.0.0.1:8099'"
	person "$1" 0 grant --conversation "$C" --net 127.0.0.1/32:8099 --net '[2001:db8::0:1]:443'
	out_has '  net 127.0.0.1:8099'
	submit "$1" 0 --net 127.0.0.1:8099 --net '[2001:0db8::1/128]:443' --net 127.0.0.1:8098 --net 127.0.0.2:8099 "$T/x.py"
	holds '[e["outcome"] for e in r["effects"]] == ["ticket", "ticket", "waits", "waits"]'
	printf 'version: 2\ngrants: [{directory: "%s", net: ["127.0.0.1:8099"]}]\n' "$W" >"$T/g.yaml"
	exposed "$1"
	submit "$1" 0 --policy "$T/g.yaml" --net 127.0.0.1:8099 --workspace "$W" "$T/x.py"
	[ "$(outcome 127.0.0.1:8099)" = ticket ]
	local words
	for words in '*.a.example:443=a pattern of names' '10.0.0.0/8:443=a network' '127.0.0.1:1-9=a range of ports'; do
		gate "$1" 2 grant --conversation "$C" --net "${words%%=*}"
		err_has "this is ${words#*=}"
	done
}
@test "a grant names a host by its address, too" { each by_address; }

bounded() {
	local id
	begin "$1"
	person "$1" 0 grant --conversation "$C" --net web.example:443 --runs 2
	wants "$1" 0
	[ "$(outcome web.example:443)" = ticket ]
	wants "$1" 0
	[ "$(outcome web.example:443)" = ticket ]
	wants "$1" 0
	[ "$(outcome web.example:443)" = waits ]
	person "$1" 0 grant --conversation "$C" --net web.example:443 --for 1ms
	wants "$1" 0
	[ "$(outcome web.example:443)" = waits ]
	person "$1" 0 grant --conversation "$C" --net web.example:443
	id=$(grep -aoE '[0-9a-f]{32}  grant' "$T/out" | cut -c1-32)
	gate "$1" 0 grant list --json
	holds "[t['ticket'] for t in r['tickets']] == ['$id']" \
		'r["tickets"][0]["net"] == ["web.example:443"] and r["tickets"][0]["giver"] == "grant"' \
		"r['tickets'][0]['conversation'] == '$C' and r['tickets'][0]['by'].endswith('(confirmation)')"
	wants "$1" 0
	[ "$(outcome web.example:443)" = ticket ]
	gate "$1" 0 grant revoke "$id"
	wants "$1" 0
	[ "$(outcome web.example:443)" = waits ]
	gate "$1" 0 grant list
	out_is ''
	gate "$1" 125 grant revoke 00000000000000000000000000000000
	gate "$1" 0 audit trace "ticket:$id" --json
	holds '[x["kind"] for x in r["records"]].count("ticket") == 2'
}
# Both grants say something of the secret, so the run uses both.
spent_together() {
	begin "$1"
	person "$1" 0 grant --policy "$T/p.yaml" --conversation "$C" --secret KEY=GET:api.example:443/a --runs 1
	person "$1" 0 grant --policy "$T/p.yaml" --conversation "$C" --secret KEY=GET:api.example:443/b --runs 1
	wants "$1" 0
	[ "$(outcome KEY)" = ticket ]
	wants "$1" 0
	[ "$(outcome KEY)" = waits ]
}
@test "a run spends every grant that it uses a secret by" { each spent_together; }

# bats test_tags=long
@test "a grant has runs and a time, is listed, and can be revoked" { each bounded; }

# A use is a run or an apply that gets an effect by the ticket.
counted() {
	begin "$1"
	person "$1" 0 grant --conversation "$C" --net web.example:443 --write . --runs 1
	submit "$1" 0 "$T/x.py"
	submit "$1" 0 --workspace "$W" "$T/w.py"
	submit "$1" 0 --net web.example:443 --workspace "$W" --apply "$T/x.py"
	holds 'len(r["effects"]) == 4 and all(e["outcome"] == "ticket" for e in r["effects"])'
	submit "$1" 0 --net web.example:443 "$T/x.py"
	[ "$(outcome web.example:443)" = waits ]
	person "$1" 0 grant --conversation "$C" --write . --runs 1
	printf 'open("a", "w").write("x")\n' >"$T/a.py"
	submit "$1" 0 --workspace "$W" "$T/a.py"
	gate "$1" 0 apply --conversation "$C" "$W"
	[ -e "$W/a" ]
	sed 's/"a"/"b"/' "$T/a.py" >"$T/b.py"
	submit "$1" 0 --workspace "$W" "$T/b.py"
	gate "$1" 0 apply --conversation "$C" "$W"
	[ ! -e "$W/b" ]
}
@test "a grant is used up by runs and applies that get an effect by it" { each counted; }

refused() {
	local words
	begin "$1"
	gate "$1" 75 grant --conversation "$C" --net web.example:443
	err_has "people must approve this"
	gate "$1" 126 grant --conversation "$C" --secret KEY=GET:web.example:443/
	err_has "no person is enrolled"
	ANSWER=y person "$1" 126 grant --conversation "$C" --net web.example:443
	while read -r words; do
		# shellcheck disable=SC2086 # a list of words
		person "$1" 2 grant --conversation "$C" $words || person "$1" 125 grant --conversation "$C" $words
	done <<-'END'
		--net *.example:443
		--net web.example:*
		--net web.example:1-9
		--net web.example
		--net 10.0.0.0/8:443
		--secret KEY
		--secret KEY=GET
		--secret KEY=GET:api.example:443
		--secret KEY=get:api.example:443/
		--secret KEY=GET:*.example:443/
		--secret KEY=GET:api.example:443/v1/../v2
		--write /etc
		--write ../x
		--write a//b
		--write a//
		--write ././a
		--write=
		--for 721h --write x
		--runs 0 --write x
	END
	# Before a person is asked.
	gate "$1" 125 grant --conversation "$C" --write "$(printf '%01025d' 0)"
	err_has "at most 1024 bytes"
	words=$(printf -- '--write %01024d ' {1..32})
	# shellcheck disable=SC2086 # a list of words
	gate "$1" 75 grant --conversation "$C" $words
	err_has "people must approve this"
	person "$1" 125 grant --conversation "$C" --secret KEY
	out_has 'for example API_TOKEN=GET,POST:api.example.org:443/v1'
	person "$1" 125 grant --conversation 00000000000000000000000000000000 --write .
	gate "$1" 0 grant list
	out_is ''
	wants "$1" 0
	holds 'all(e["outcome"] == "waits" for e in r["effects"])'
}
# bats test_tags=long
@test "grant refuses an agent, and refuses a pattern of hosts" { each refused; }

# A line of the policy is a grant for a directory.
by_policy() {
	begin "$1"
	printf 'version: 2\ngrants: [{directory: "%s", write: ["src"], net: ["web.example:443"], secret: ["KEY=GET:api.example:443/"]}]\n' "$W" >"$T/g.yaml"
	sed 1d "$T/p.yaml" >>"$T/g.yaml"
	submit "$1" 0 --policy "$T/g.yaml" --secret KEY --workspace "$W" "$T/x.py"
	[ "$(outcome KEY)" = ticket ]
	submit "$1" 0 --policy "$T/g.yaml" --net web.example:443 --workspace "$W" --apply "$T/w.py"
	holds 'sorted(e["object"] for e in r["effects"] if e["outcome"] == "ticket") == ["src", "src/new", "web.example:443"]'
	submit "$1" 0 --policy "$T/g.yaml" --net web.example:443 "$T/x.py"
	[ "$(outcome web.example:443)" = waits ]
}
@test "a grant line of the policy holds for its directory" { each by_policy; }

# Two people must agree to all, a secret needs a signature: a grant goes round neither.
two_people() {
	begin "$1"
	local who policy=$T/two.yaml
	printf 'version: 2\napproval: {approvers: 2}\n' >"$policy"
	for who in anna ben; do
		[ -e "$T/$who" ] || ssh-keygen -q -t ed25519 -N '' -f "$T/$who"
		"$CORDON" approvals key add $who "$T/$who.pub"
	done
	person "$1" 75 grant --conversation "$C" --net web.example:443 --policy "$policy"
	gate "$1" 75 grant --conversation "$C" --net web.example:443 --policy "$policy" --json
	local id
	id=$(/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["approval_id"])' <"$T/out")
	gate "$1" 0 approvals export "$id"
	cp "$T/out" "$T/request"
	for who in anna ben; do
		gate "$1" 75 grant --conversation "$C" --net web.example:443 --policy "$policy"
		"$CORDON" approvals sign "$T/request" --id "$id" --key "$T/$who" --as $who >"$T/answer"
		gate "$1" 0 approvals add "$T/answer"
	done
	for words in "--net web.example:444" "--net web.example:443 --runs 2" "--net web.example:443 --for 9h" \
		"--net web.example:443 --sent 1" "--net web.example:443 --write ." "--net web.example:443 --directory $T"; do
		# shellcheck disable=SC2086 # a list of words
		gate "$1" 75 grant --conversation "$C" $words --policy "$policy"
	done
	gate "$1" 0 grant --conversation "$C" --net web.example:443 --policy "$policy" --json
	holds 'r["by"] == "anna, ben (signed)"'
	gate "$1" 75 grant --conversation "$C" --net web.example:443 --policy "$policy"
	person "$1" 75 grant --conversation "$C" --secret KEY=GET:web.example:443/
	"$CORDON" approvals key remove anna
	"$CORDON" approvals key remove ben
}
# bats test_tags=long
@test "a grant needs the two people or the signature of the policy, and is exactly the signed text" {
	need_etc
	each two_people
}
