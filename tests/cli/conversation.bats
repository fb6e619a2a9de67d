#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon conversation: it begins clean, what is untrusted exposes it for good, and it can end.
load helper
load scan.bash
load gate.bash

listed() {
	gate "$1" 0 conversation new
	grep -qE '^[0-9a-f]{32}$' "$T/out" || show
	C=$(cat "$T/out")
	gate "$1" 0 conversation new --title $'a \e[31mtitle' --json
	holds 'r["state"] == "clean" and r["cause"] is None and r["exposed"] is None and r["ended"] is None' \
		'r["title"].startswith("a ") and "\x1b" not in r["title"] and r["sources"] == 0' \
		'set(r["conversation"]) <= set("0123456789abcdef") and len(r["conversation"]) == 32'
	gate "$1" 0 conversation list --json
	holds 'len(r["conversations"]) == 2'
	gate "$1" 0 conversation list
	is_harmless
	out_has "$C  clean"
	[ "$(wc -l <"$T/out")" -eq 2 ] || show
}
@test "conversations begin clean and are listed" { each listed; }

exposed_by() {
	conversation "$1"
	expose "$1"
	gate "$1" 0 conversation show "$C" --json
	holds 'r["state"] == "exposed" and "https://page.example" in r["cause"] and r["exposed"] >= r["begun"]' \
		'[d["kind"] for d in r["documents"]] == ["web"]'
	cp "$T/out" "$T/first"
	ingest "$1" 0 --kind file --name later.txt "$T/page"
	gate "$1" 0 conversation show "$C" --json
	holds "all(r[m] == json.load(open('$T/first'))[m] for m in ('exposed', 'cause'))" 'len(r["documents"]) == 2'
	gate "$1" 0 conversation show "$C"
	is_harmless
	out_has "$C  exposed since "
	out_has "later.txt"
	echo 'print(1)' >"$T/x.py"
	submit "$1" 0 "$T/x.py"
	holds 'r["state"] == "exposed" and "page.example" in r["cause"] and r["origin"] == "exposed"' \
		"r['conversation'] == '$C'"
	gate "$1" 0 run --json --tier no-cgroup "$T/x.py"
	holds 'r["state"] == "exposed" and "names no conversation" in r["cause"]'
	gate "$1" 0 run --json --tier no-cgroup --user "$T/x.py"
	holds 'r["state"] == "clean" and r["origin"] == "user"'
	conversation "$1"
	submit "$1" 0 --exposed "$T/x.py"
	holds 'r["state"] == "exposed" and r["cause"]'
	submit "$1" 0 "$T/x.py"
	holds 'r["state"] == "exposed"'
	gate "$1" 0 conversation show "$C" --json
	holds 'r["state"] == "exposed"'
}
@test "the first untrusted thing exposes it, with time and cause" { each exposed_by; }

# What it was given decides, and the conversation keeps it.
exposed_by_directory() {
	echo 'print(1)' >"$T/x.py"
	tree "$1"
	conversation "$1"
	submit "$1" 0 "$T/x.py"
	holds 'r["state"] == "clean" and r["origin"] == "agent"'
	submit "$1" 0 --stdin "$W/file" "$T/x.py"
	holds 'r["state"] == "exposed"' "'$W' in r['cause']"
	gate "$1" 0 conversation show "$C" --json
	holds 'r["state"] == "exposed"' "'$W' in r['cause']"
	conversation "$1"
	IN=$W/file submit "$1" 0 --stdin - "$T/x.py"
	holds 'r["state"] == "clean"'
	submit "$1" 0 --stdin /usr/share/common-licenses/MIT-0 "$T/x.py" || submit "$1" 0 --stdin /usr/bin/env "$T/x.py"
	holds 'r["state"] == "clean"'
}
@test "a file of an untrusted directory exposes it; a pipe and the system's files do not" {
	each exposed_by_directory
}

ended() {
	local command
	conversation "$1"
	trusted_tree "$1"
	printf 'open("new", "w").write("x")\nprint(1)\n' >"$T/x.py"
	submit "$1" 0 --workspace "$W" "$T/x.py"
	gate "$1" 0 conversation end "$C" --json
	holds 'r["ended"] and r["end"]'
	gate "$1" 0 conversation end "$C"
	submit "$1" 126 "$T/x.py"
	holds 'r["error"]["kind"] == "refused" and "has ended" in r["error"]["message"]' \
		'r["error"]["cure"] == "cordon conversation new"'
	ingest "$1" 126 --kind web --name u --release "$T/$1/released" "$T/x.py"
	err_has "has ended"
	[ ! -e "$T/$1/released" ]
	gate "$1" 126 plan --conversation "$C" "$T/x.py"
	gate "$1" 126 apply --conversation "$C" "$T"
	# Pending changes can be looked at and dropped.
	gate "$1" 0 diff --conversation "$C" "$W"
	out_has 'created new'
	gate "$1" 126 apply --conversation "$C" "$W"
	gate "$1" 0 reset --conversation "$C" "$W"
	gate "$1" 0 diff --conversation "$C" "$W"
	out_is 'no pending changes'
	[ ! -e "$W/new" ]
	# Help says 126 for no command that works there.
	for command in diff reset; do
		gate "$1" 0 help "$command"
		run ! grep -q 'conversation has ended' "$T/out"
	done
	gate "$1" 0 help apply
	out_has 'the conversation has ended'
	gate "$1" 0 conversation show "$C" --json
	holds 'r["sources"] == 0 and r["ended"]'
}
@test "an ended conversation runs and reads nothing" { each ended; }

named() {
	local wrong
	conversation "$1"
	echo 'print(1)' >"$T/x.py"
	gate "$1" 0 run --json --tier no-cgroup --conversation "${C:0:6}" "$T/x.py"
	holds "r['conversation'] == '$C'"
	for wrong in "${C:0:5}" "${C}0" 00000000000000000000000000000000 "${C^^}x" ../../etc %; do
		gate "$1" 125 run --tier no-cgroup --conversation "$wrong" "$T/x.py" ||
			gate "$1" 2 run --tier no-cgroup --conversation "$wrong" "$T/x.py"
		gate "$1" 125 conversation show "$wrong"
		err_has "there is no conversation"
		err_has "cordon conversation list"
	done
}
@test "an id, or six of its digits, names it and nothing else does" { each named; }

@test "invalid subcommands and options are usage errors" {
	gate_setup
	rm -rf "$T/user/cordon"
	printf 'x\n' >"$T/x"
	for words in "conversation" "conversation dance" "conversation new x" "conversation show" \
		"conversation show a b" "conversation end" "ingest" "ingest --kind web x" "ingest --name u x" \
		"ingest --kind web --name u x" "ingest --conversation c --kind dance --name u x" \
		"ingest --conversation c --kind web --name u x y" "ingest --conversation c --kind web --name u --release" \
		"ingest --conversation c --kind web --name u --release - --json x" \
		"trust" "trust a b" "untrust" "grant dance" "grant revoke" "grant --write x" \
		"plan" "plan x" "plan --conversation c" "plan --conversation c --runs 0 x.py" \
		"plan --conversation c --runs 1000001 x.py" "plan --conversation c --for 721h x.py" \
		"plan --conversation c --for 0 x.py" "plan --conversation c x.py y.py" "diff" "apply" "reset" \
		"apply --conversation c a b" "conversation new --state relative"; do
		# shellcheck disable=SC2086 # a list of words
		gate user 2 $words
		cat "$T/out" "$T/err" | grep -q . || show
		[ ! -e "$T/user/cordon" ] || { echo "made for: $words"; return 1; }
	done
	gate user 2 ingest --json
	holds 'r["error"]["kind"] == "usage" and r["error"]["cure"]'
}
