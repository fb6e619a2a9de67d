#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A client's own name for a conversation (--conversation): it makes one of all that it is used in, and
# whatever is called by it is never cleaner than without.
load helper
load story

# called NAME WAY ARG...: a run in $D that its client calls NAME.
called()
{
	local name=$1
	shift
	submit "$1" --conversation "$name" "${@:2}"
}

harmless() { echo 'print(sum(range(10)))' | code harmless.py; }

# is_exposed WAY: what D's next run is, without any name.
is_exposed()
{
	harmless
	submit "$1" harmless.py
	exits 0
	holds 'r["origin"] == "exposed"'
}

# A conversation that read a table, and one that read nothing, of one name.
merged() {
	begin "$1"
	local first=$D
	harmless
	called talk "$1" harmless.py
	holds 'r["origin"] == "agent"'
	reads_table "$1"
	talk "$1"
	called talk "$1" harmless.py
	exits 0
	holds 'r["origin"] == "exposed"'
	called talk "$1" --workspace "$W:ro" obeys.py
	is_parked
	gate "$1" audit trace "$(said audit_id)" --json
	holds '[d["name"] for d in r["documents"] if d["kind"] == "file"] == ["planted.csv"]'
	# Without the name it is what it was made by it.
	submit "$1" --workspace "$W:ro" obeys.py
	is_parked
	gate "$1" domain show "$D" --json
	holds 'r["conversations"] == 2 and r["exposed"] and "file" in r["kinds"]' \
		'any(d["name"] == "planted.csv" for d in r["documents"])'
	local id
	id=$(said domain)
	gate "$1" domain show "$first" --json
	holds "r['domain'] == '$id'"
	gate "$1" domain show "$first"
	out_has "2 conversations are one here"
}
@test "conversations of one name are one" {
	every merged
}

# The trace of a run that ties to nothing names what was read in all of them.
traced() {
	begin "$1"
	reads_table "$1"
	harmless
	called talk "$1" harmless.py
	talk "$1"
	called talk "$1" harmless.py
	holds 'r["origin"] == "exposed" and r["evidence"] == []'
	gate "$1" audit trace "$(said audit_id)" --json
	holds '[d["name"] for d in r["documents"] if d["kind"] == "file"] == ["planted.csv"]'
}
@test "which documents: those of all conversations of that name" {
	every traced
}

# Every door takes it: what one of them was told counts in the others.
doors() {
	begin "$1"
	gate "$1" ingest --domain "$D" --conversation talk --kind file --name planted.csv "$W/planted.csv"
	exits 0
	gate "$1" domain new --conversation talk --json
	exits 0
	holds 'r["exposed"] is True and r["conversations"] == 2'
	D=$(said handle)
	is_exposed "$1"
	talk "$1"
	gate "$1" plan --domain "$D" --conversation talk harmless.py
	exits 126
	err_has "something untrusted has been read in this domain"
	talk "$1"
	gate "$1" plan --domain "$D" harmless.py
	exits 0
	gate "$1" domain new --conversation another --json
	holds 'r["exposed"] is False and r["conversations"] == 1'
}
@test "every door that takes a handle takes a name" {
	every doors
}

# The attacks. A conversation that has read the table tries names that are new, that belong to a clean
# one, and to its own past: each time it stays what it is, and who shares the name becomes that too.
attacks() {
	local clean dirty token
	begin "$1"
	clean=$D
	harmless
	called clean "$1" harmless.py
	holds 'r["origin"] == "agent"'
	talk "$1"
	dirty=$D
	reads_table "$1"
	for name in fresh clean 'd1.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' "$clean"; do
		called "$name" "$1" --workspace "$W:ro" obeys.py
		is_parked
		called "$name" "$1" harmless.py
		holds 'r["origin"] == "exposed"'
	done
	D=$clean
	is_exposed "$1"
	# A name alone is no handle: not of a clean conversation, not with the host's word for it.
	talk "$1"
	clean=$D
	called "again" "$1" harmless.py
	holds 'r["origin"] == "agent"'
	gate "$1" run --json --tier "${1#*:}" --conversation again --origin agent harmless.py
	holds 'r["origin"] == "exposed"'
	is_exposed "$1"
	# The host begins anew: what was merged with others stays as they are, and old plans are over.
	talk "$1"
	clean=$D
	gate "$1" plan --domain "$D" --runs 9 harmless.py
	token=$(cat "$T/out")
	submit "$1" --plan "$token" harmless.py
	holds 'r["origin"] == "plan"'
	called mine "$1" harmless.py
	gate "$1" domain renew "$D" --json
	holds 'r["epoch"] == 1 and r["exposed"] is False'
	D=$dirty
	called mine "$1" --plan "$token" harmless.py
	holds 'r["origin"] == "exposed"'
	D=$clean
	submit "$1" --plan "$token" harmless.py
	holds 'r["origin"] == "exposed"'
	gate "$1" domain renew "$D" --json
	holds 'r["exposed"] is True and r["conversations"] > 2'
	submit "$1" --workspace "$W:ro" obeys.py
	is_parked
}
@test "no name makes a conversation cleaner" {
	every attacks
}

# Many at once, of one name, one of which has read something: all are one, and nothing is lost.
at_once() {
	local i handles=()
	begin "$1"
	harmless
	reads_table "$1"
	handles=("$D")
	for i in 1 2 3 4 5; do
		talk "$1"
		handles+=("$D")
	done
	for i in "${!handles[@]}"; do
		as "${1%%:*}" timeout 60 "$CORDON" run --json --tier "${1#*:}" --domain "${handles[i]}" \
			--conversation crowd harmless.py >"$T/crowd-$i" 2>&1 </dev/null &
	done
	wait
	for D in "${handles[@]}"; do
		gate "$1" domain show "$D" --json
		holds 'r["conversations"] == 6 and r["exposed"] is True'
	done
	gate "$1" audit verify
	exits 0
	/usr/bin/python3 - "$T"/crowd-* <<-'END'
		import json, sys
		for name in sys.argv[1:]:
		    r = json.load(open(name))
		    assert r["status"] == "exited" or "changed" in r["error"]["message"], r
	END
}
@test "many at once, of one name" {
	every at_once
}

@test "a name of one byte, of the most, of one more, of none" {
	gate user:strict domain new --conversation x
	exits 0
	gate user:strict domain new --conversation "$(printf 'x%.0s' {1..256})"
	exits 0
	for name in '' "$(printf 'x%.0s' {1..257})"; do
		gate user:strict domain new --conversation "$name"
		exits 2
		err_has "--conversation: a name of 1 to 256 bytes"
	done
	gate user:strict domain show --conversation x
	exits 2
	err_has "--conversation: not with show"
}
