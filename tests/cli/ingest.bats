#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon ingest, as root and as an ordinary account: what is recorded, and what is released and when.
load helper
load scan.bash
load gate.bash

recorded() {
	printf 'name,amount\nanna,3\n' >"$T/a.csv"
	conversation "$1"
	ingest "$1" 0 --kind file --name 'data/a.csv' "$T/a.csv"
	out_has "  untrusted  file  data/a.csv"
	ingest "$1" 0 --kind web --name 'https://example.org/a' --json "$T/a.csv"
	holds 'r["kind"] == "web" and r["trust"] == "untrusted" and r["state"] == "exposed"' \
		'r["grade"] == "none" and r["findings"] == [] and r["released"] is None' \
		'r["bytes"] == 19 and not r["unread"]' \
		"r['sha256'] == '$(sha256sum "$T/a.csv" | cut -d' ' -f1)'"
	gate "$1" 0 conversation show "$C" --json
	holds 'r["state"] == "exposed" and r["sources"] == 2' \
		'r["documents"][0]["name"] == "data/a.csv"' \
		'r["documents"][1]["name"].startswith("https://example.org/[hash:")'
	gate "$1" 0 conversation show "$C"
	out_has "exposed since"
	out_has "data/a.csv"
	IN=$T/a.csv ingest "$1" 0 --kind tool_result --name t --release -
	cmp "$T/out" "$T/a.csv"
	IN=$T/a.csv ingest "$1" 0 --kind tool_result --name t --release - -
	cmp "$T/out" "$T/a.csv"
	printf 'what was there before, and is longer than the file\n' >"$T/$1/released"
	! is_root || chown "$(stat -c %u "$T/$1")" "$T/$1/released"
	ingest "$1" 0 --kind file --name t --release "$T/$1/released" --json "$T/a.csv"
	cmp "$T/$1/released" "$T/a.csv"
	holds "r['released'] == '$T/$1/released'"
	gate "$1" 0 audit verify
}
@test "what is read is recorded, then released" { each recorded; }

# The record says by which rules it was decided: also when they find the same and weigh it otherwise.
weighed() {
	local before
	echo 'print(1)' >"$T/x.py"
	conversation "$1"
	for maturity in stable experimental stable; do
		rule "$T/r/b.yaml" ATR-2026-90002 medium 'sunstone' "$maturity"
		gate "$1" 0 run --conversation "$C" --tier no-cgroup --rules "$T/r" "$T/x.py"
		before=${last-} last=$(gate "$1" 0 audit tail -n 9 --json >&2; grep -o '"pack":"[0-9a-f]*"' "$T/out" | tail -n 1)
		[ -n "$last" ] && [ "$last" != "$before" ] || show
		[ $maturity = experimental ] || [ -z "${first-}" ] || [ "$last" = "$first" ]
		first=${first-$last}
	done
	unset first last
}
@test "rules of another weight have another hash in the log" { each weighed; }

# Rules are counted, and not how often each has found something.
counted() {
	local i
	mkdir "$T/many"
	printf 'print("sunstone, and a sunstone")\n' >"$T/x.py"
	conversation "$1"
	for i in $(seq 64); do
		rule "$T/many/$i.yaml" "ATR-2026-91$(printf %03d "$i")" medium sunstone experimental
	done
	for i in 64 65 66; do
		[ $i = 64 ] || rule "$T/many/$i.yaml" "ATR-2026-91$(printf %03d $i)" medium sunstone experimental
		sed -i 's/type: llm_io/type: tool_call/' "$T/many"/*.yaml
		gate "$1" 0 run --conversation "$C" --tier no-cgroup --rules "$T/many" "$T/x.py" -- sunstone
		gate "$1" 0 audit export --format jsonl
		grep '"kind":"scan"' "$T/out" | tail -n 1 >"$T/last"
		grep -q "\"more\":$((i - 64))," "$T/last" || { cat "$T/last"; return 1; }
	done
	rm -r "$T/many"
}
# bats test_tags=long
@test "rules that are not listed are counted once each" { each counted; }

hostile() {
	conversation "$1"
	printf 'a moonstone word\n' >"$T/h.txt"
	printf 'a sunstone and a pebble\n' >"$T/s.txt"
	ingest "$1" 126 --kind web --name h --json "$T/h.txt"
	holds 'r["error"]["message"] == "not released: a rule withholds this text"'
	ingest "$1" 126 --kind web --name h --release "$T/$1/released" "$T/h.txt"
	err_has "rule ATR-2026-90001"
	[ ! -e "$T/$1/released" ]
	gate "$1" 0 conversation show "$C" --json
	holds 'r["state"] == "exposed" and [d["trust"] for d in r["documents"]] == ["hostile"] * 2'
	ingest "$1" 0 --kind web --name s --json "$T/s.txt"
	holds 'r["trust"] == "untrusted" and r["grade"] == "asks"' \
		'{f["grade"] for f in r["findings"]} == {"asks", "shown"}'
	gate "$1" 0 audit tail -n 1 --json
	holds 'r["body"]["grade"] == "asks"' \
		'sorted(r["body"]["rules"]) == ["ATR-2026-90002", "ATR-2026-90003"]'
	gate "$1" 2 ingest --conversation "$C" --rules "$T/nothing" --kind web --name u "$T/h.txt" ||
		gate "$1" 125 ingest --conversation "$C" --rules "$T/nothing" --kind web --name u "$T/h.txt"
	# The policy lowers and raises rules for texts as it does for code.
	printf 'version: 2\nrules: {ATR-2026-90001: shown, ATR-2026-90003: denies}\n' >"$T/p.yaml"
	ingest "$1" 0 --kind web --name h --policy "$T/p.yaml" --json "$T/h.txt"
	holds 'r["trust"] == "untrusted" and r["grade"] == "shown"'
	ingest "$1" 126 --kind web --name s --policy "$T/p.yaml" "$T/s.txt"
	err_has "rule ATR-2026-90003"
	ingest "$1" 125 --kind web --name s --policy "$T/nothing.yaml" "$T/s.txt"
	err_has "nothing.yaml"
}
@test "a finding of the deny grade makes it hostile: it is recorded and not released" { each hostile; }

bounds() {
	conversation "$1"
	yes 'a line of text' | head -c 16777216 >"$T/big"
	ingest "$1" 125 --kind web --name u --release "$T/$1/out" "$T/big"
	err_has "larger than 16777215 bytes"
	err_has "in parts"
	[ ! -e "$T/$1/out" ]
	truncate -s 16777215 "$T/big"
	ingest "$1" 0 --kind web --name u --release "$T/$1/out" "$T/big"
	cmp "$T/$1/out" "$T/big"
	: >"$T/empty"
	ingest "$1" 0 --kind web --name u --json "$T/empty"
	holds 'r["bytes"] == 0'
	ingest "$1" 125 --kind web --name u "$T/nothing"
	err_has "nothing"
	ingest "$1" 125 --kind web --name u "$T"
	err_has "is not a file"
	ingest "$1" 125 --kind web --name u --release "$T/none/x" "$T/empty"
	rm "$T/big" "$T/$1/out"
}
# bats test_tags=long
@test "the largest source, one byte more, and no file at all" { each bounds; }

names() {
	conversation "$1"
	printf 'x\n' >"$T/x"
	local name=$'a\e[31mred\u202e\u200bb\nnext line token=supersecretvalue0123456789'
	ingest "$1" 0 --kind web --name "$name" "$T/x"
	is_harmless
	[ "$(wc -l <"$T/out")" -eq 1 ] || show
	gate "$1" 0 conversation show "$C"
	is_harmless
	gate "$1" 0 audit tail
	is_harmless
	! grep -q supersecret "$T/out" || show
	ingest "$1" 0 --kind web --name "$(printf 'n%.0s' {1..5000})" --json "$T/x"
	holds 'len(r["name"]) <= 1024'
	at_tty "$1" audit export --state "$T/$1/cordon"
	exits 0
	is_harmless
	at_tty "$1" ingest --conversation "$C" --kind web --name u --release - --rules "$T/r" --state "$T/$1/cordon" "$T/x"
	exits 125
	out_has "not written to a terminal"
}
@test "names of strangers are shown, not obeyed" { each names; }

# Eight at once, while another process changes the log's key.
at_once() {
	local n pids=()
	conversation "$1"
	printf 'a page\n' >"$T/page"
	for n in 1 2 3 4 5 6 7 8; do
		as "$1" env XDG_STATE_HOME="$T/$1" timeout 60 "$CORDON" ingest --conversation "$C" --rules "$T/r" \
			--kind web --name "p$n" "$T/page" >"$T/out.$n" 2>&1 &
		pids+=($!)
	done
	gate "$1" 0 audit rotate
	for n in "${pids[@]}"; do
		wait "$n" || { cat "$T"/out.*; return 1; }
	done
	gate "$1" 0 conversation show "$C" --json
	holds 'r["sources"] == 8' \
		'sorted(d["name"] for d in r["documents"]) == ["p%d" % n for n in range(1, 9)]'
	gate "$1" 0 audit verify --json
	holds 'r["good"] and r["rotations"] == 1'
}
@test "many at once are all recorded" { each at_once; }

