#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the log has of a run, as root and as an ordinary account: also of one that was refused before
# anything was decided, of the policy that decided, of all that was printed; and what is said when it
# cannot be written.
load helper
load scan.bash
load gate.bash

# refusals WHO PYTHON: of the records of the conversation $C; each refused run has a request and a verdict.
refusals()
{
	gate "$1" 0 audit trace "conv:$C" --json
	holds "[(lambda q, s, v: $2)(*([x['body'] for x in r['records'] if x['kind'] == k][-1]
		for k in ('request', 'scan', 'verdict')))] == [True]"
}

# What is refused before it is decided on is found by its conversation, with what was seen of it.
undecided() {
	local many=()
	conversation "$1"
	printf '#!/bin/sh\necho a script\n' >"$T/script"
	chmod 755 "$T/script"
	gate "$1" 126 run --conversation "$C" --tier "$(tier_of "$1")" --rules "$T/r" --lang binary "$T/script"
	err_has "the program is not machine code"
	refusals "$1" 'v["verdict"] == "deny" and v["error"] == "the program is not machine code" and
		v["rules"] == [] and "origin" not in v and q["file"].endswith("/script")'
	sed -i 's/llm_io/tool_call/' "$T"/r/[bc].yaml
	printf 'print("a sunstone and a pebble")\n' >"$T/big.py"
	for _ in {1..9}; do many+=("$(head -c 120000 /dev/zero | tr '\0' a)"); done
	gate "$1" 125 run --conversation "$C" --tier "$(tier_of "$1")" --rules "$T/r" --json "$T/big.py" -- "${many[@]}"
	holds 'r["verdict"] is None and "arguments and environment have 1080009 bytes" in r["error"]["message"]' \
		'"--stdin" in r["error"]["cure"]'
	refusals "$1" "v['verdict'] == 'deny' and 'arguments and environment have' in v['error'] and
		sorted(v['rules']) == ['ATR-2026-90002', 'ATR-2026-90003'] and v['grade'] == 'asks' and
		q['code_sha256'] == v['code_sha256'] == '$(sha256sum "$T/big.py" | cut -d' ' -f1)' and
		sorted(f['rule'] for f in s['findings']) == sorted(v['rules']) and v['pack'] == s['pack']"
	gate "$1" 0 audit verify
}
# bats test_tags=long
@test "a run refused before the decision is recorded in its conversation" { each undecided; }

# runs WHO STATUS ARG...: a small program, whatever the machine lets an account have.
runs()
{
	local who=$1 expected=$2
	shift 2
	gate "$who" "$expected" run --conversation "$C" --tier "$(tier_of "$who")" --rules "$T/r" "$@"
}

# policies WHO PYTHON...: holds of the records of the policies, the oldest first.
policies()
{
	gate "$1" 0 audit trace policy:log --json
	shift
	holds "$@"
}

policy_told() {
	conversation "$1"
	printf 'print(1)\n' >"$T/job.py"
	printf 'version: 2\nprofile: strict\n' >"$T/p.yaml"
	chmod 644 "$T/p.yaml"
	runs "$1" 0 "$T/job.py"
	runs "$1" 0 "$T/job.py"
	policies "$1" '[x["kind"] for x in r["records"]] == ["policy"]' \
		'r["records"][0]["body"].keys() == {"policy_sha256", "profile"}' \
		'r["records"][0]["body"]["profile"] == "balanced"'
	run_gate "$1" run --conversation "$C" --rules "$T/r" --policy "$T/p.yaml" --json "$T/job.py"
	policies "$1" 'len(r["records"]) == 2 and r["records"][1]["body"]["profile"] == "strict"' \
		'r["records"][1]["body"]["from"] == r["records"][0]["body"]["policy_sha256"]' \
		"r['records'][1]['body']['file'] == '$T/p.yaml'"
	gate "$1" 0 audit tail -n 99 --json
	lines 'now = None
for r in rows:
    if r["kind"] == "policy":
        assert r["body"].get("from") == now, r
        now = r["body"]["policy_sha256"]
    assert r["kind"] != "verdict" or r["body"]["policy_sha256"] == now, r
assert [r["kind"] for r in rows].index("policy") < [r["kind"] for r in rows].index("request")'
	gate "$1" 0 audit export --format ocsf
	lines 'assert [r["class_uid"] for r in rows if json.loads(r["raw_data"])["kind"] == "policy"] == [6003] * 2'
	gate "$1" 0 audit verify
}
# bats test_tags=long
@test "a policy that is another one than the last time is on record before what it decides" { each policy_told; }

# More than is kept: the end and the beginning are, and the hash is of all.
output_hashed() {
	conversation "$1"
	printf 'import sys\nfor i in range(200000): print(i)\nsys.stderr.write("x")\n' >"$T/long.py"
	runs "$1" 0 --output 4096 "$T/long.py"
	gate "$1" 0 audit tail --json
	lines "b = [r for r in rows if r['kind'] == 'result'][-1]['body']
out = b''.join(b'%d\\n' % i for i in range(200000))
assert b['stdout_bytes'] == len(out) and b['stderr_bytes'] == 1, b
assert b['stdout_sha256'] == hashlib.sha256(out).hexdigest(), b
assert b['stderr_sha256'] == hashlib.sha256(b'x').hexdigest(), b"
}
@test "the hash of what was printed is of all of it" { each output_hashed; }

# Somebody holds the log until the run has ended: what was refused cannot be recorded, and that is said.
# hold WHO KIND: somebody holds the log from when it has a record of that kind; until free.
hold()
{
	/usr/bin/python3 -I -c 'import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
def wait_for(what):
    for _ in range(3000):
        if what():
            return
        time.sleep(0.01)
    sys.exit("it never comes")
wait_for(lambda: db.execute("SELECT 1 FROM log WHERE instr(record, ?)", (sys.argv[2].encode(),)).fetchone())
db.execute("BEGIN IMMEDIATE")
open(sys.argv[3], "w").close()
wait_for(lambda: not os.path.exists(sys.argv[3]))' "$T/$1/cordon/log.db" "\"kind\":\"$2\"" "$T/$1.held" 3>&- &
	HOLDER=$!
}

# free WHO: the log is.
free()
{
	rm "$T/$1.held"
	wait $HOLDER
}

unrecorded() {
	conversation "$1"
	printf '#!/bin/sh\necho a script\n' >"$T/script"
	chmod 755 "$T/script"
	hold "$1" genesis
	for _ in $(seq 500); do [ ! -e "$T/$1.held" ] || break; sleep 0.01; done
	run_gate "$1" run --conversation "$C" --tier "$(tier_of "$1")" --rules "$T/r" --json --lang binary "$T/script"
	free "$1"
	exits 126
	holds '"machine code" in r["error"]["message"] and "held the log" in r["error"]["cause"]' \
		'r["audit_id"] is None and r["ran"] is False and r["recorded"] is False'
}
# bats test_tags=long
@test "a refusal that cannot be recorded says so" { each unrecorded; }

# The log is there, and cannot be written when the run would start.
unstarted() {
	conversation "$1"
	echo 'print("here")' >"$T/job.py"
	hold "$1" genesis
	for _ in $(seq 500); do [ ! -e "$T/$1.held" ] || break; sleep 0.01; done
	run_gate "$1" run --conversation "$C" --tier "$(tier_of "$1")" --rules "$T/r" --json "$T/job.py"
	free "$1"
	exits 125
	holds 'r["ran"] is False and r["recorded"] is False and r["stdout"] == "" and r["audit_id"] is None' \
		'"held the log" in r["error"]["message"] and r["error"]["cure"]'
	gate "$1" 0 audit tail -n 99 --json
	lines 'assert "start" not in [r["kind"] for r in rows]'
}
# bats test_tags=long
@test "no record, no run: the log is held when it would start" { each unstarted; }

# What it did is done: to be told of a locked log only would be to run it once more.
lost_result() {
	conversation "$1"
	printf 'import sys, time\nprint("done", flush=True)\ntime.sleep(2)\nsys.exit(3)\n' >"$T/slow.py"
	hold "$1" start
	run_gate "$1" run --conversation "$C" --tier "$(tier_of "$1")" --rules "$T/r" --json "$T/slow.py"
	free "$1"
	exits 125
	holds 'r["status"] == "error" and r["ran"] is True and r["recorded"] is False' \
		'"the program did run (exited, status 3), but its result is not recorded" in r["error"]["message"]' \
		'r["error"]["cure"] and r["stdout"] == "done\n" and r["audit_id"]'
	gate "$1" 0 audit trace "$(member 'r["audit_id"]')" --json
	holds '(lambda k: "start" in k and "result" not in k)([x["kind"] for x in r["records"]])'
	gate "$1" 0 audit verify
	runs "$1" 3 --json "$T/slow.py"
	holds 'r["ran"] is True and r["recorded"] is True and r["error"] is None'
}
# bats test_tags=long
@test "if the result cannot be recorded, the error says that the program ran" { each lost_result; }

# reads WHO FROM TO: so many documents, each with a line of its own.
reads()
{
	local i
	for ((i = $2; i < $3; i++)); do
		printf 'document %d tells of the harvest in the valley %d\n' "$i" $((i * 7919)) >"$T/doc"
		ingest "$1" 0 --kind web --name "doc-$i" "$T/doc"
	done
}

# documents WHO COUNT: so many were read before the last run, and its code ties to none of them.
documents()
{
	local run
	run=$(member 'r["audit_id"]')
	gate "$1" 0 audit trace "$run"
	head -n 1 "$T/out" | grep -q "to $run: its code ties to none of the $2 that were read before" || show
	gate "$1" 0 audit trace "$run" --json
	holds "len(r['documents']) == len({d['id'] for d in r['documents']}) == $2" "r['led_by'] == []"
}

# All that was read, however much and however short: which documents may have led to a run is never a part of them.
led() {
	conversation "$1"
	echo 'pass' >"$T/quiet.py"
	printf 'so\n' >"$T/doc"
	ingest "$1" 0 --kind web --name short "$T/doc"
	runs "$1" 0 --json "$T/quiet.py"
	documents "$1" 1
	reads "$1" 1 70
	runs "$1" 0 --json "$T/quiet.py"
	documents "$1" 70
	[ "$1" = root ] || return 0
	reads "$1" 70 300
	runs "$1" 0 --json "$T/quiet.py"
	documents "$1" 300
}
# bats test_tags=long
@test "audit trace lists all documents read before a run" { each led; }

# asks_policy: with $T/asks.yaml all derived code waits for a person.
asks_policy() { printf 'version: 2\nprofile: strict\nexposed: {tier: no-cgroup}\n' >"$T/asks.yaml"; }

# Where a tie begins and ends, in the code and in the source, is the same in what is printed, in the log and
# in what people are shown.
tied() {
	local id
	conversation "$1"
	asks_policy
	/usr/bin/python3 -I - "$T" <<-'END'
		import base64, sys
		T = sys.argv[1]
		plain = b'rows = collect_every_row(of_this_table, send_to="far")'
		wide = b"summe = first_column_of(rows) + second_column_of(rows)"
		hidden = b"print(sorted(set(open('/data/all.csv').read().split(';'))))"
		encoded = base64.b64encode(hidden)
		doc = b"Hello.\n\n    " + plain + b"\n\nor " + wide.replace(b" + ", b"\n        +   ")
		doc += b" perhaps\n" + encoded + b"\nkey q7Rz20LkTf81XwPa9v ends\n"
		open(T + "/doc", "wb").write(doc)
		open(T + "/tied.py", "wb").write(b"\n".join(
			[b"# mine", plain, b"#" + bytes(range(48, 127)) * 2, b"if 1:", b"\t" + wide.replace(b" + ", b" \\\n\t\t + "), hidden, b"k = 'q7Rz20LkTf81XwPa9v'", b""]))
	END
	ingest "$1" 0 --kind web --name page "$T/doc"
	runs "$1" 75 --json --policy "$T/asks.yaml" "$T/tied.py"
	id=$(member 'r["approval_id"]')
	cp "$T/out" "$T/run.json"
	gate "$1" 0 approvals show "$id" --json
	cp "$T/out" "$T/approval.json"
	gate "$1" 0 audit trace "apr:$id" --json
	/usr/bin/python3 -I - "$T" <<-'END' || show
		import json, re, sys
		T = sys.argv[1]
		doc, code = open(T + "/doc", "rb").read(), open(T + "/tied.py", "rb").read()
		run, asked, log = (json.load(open(f"{T}/{n}")) for n in ("run.json", "approval.json", "out"))
		ties = [(e["from"], e["to"], e["source_from"], e["source_to"]) for e in run["evidence"]]
		shown = [(e["from"], e["to"], e["source_from"], e["source_to"]) for e in asked["evidence"]]
		verdict = [r["body"] for r in log["records"] if r["kind"] == "verdict"][-1]
		kept = [(e["from"], e["to"], e["source_from"], e["source_to"]) for e in verdict["evidence"]]
		assert ties == shown == kept, (ties, shown, kept)
		plainly = lambda b: re.sub(rb"[\s\\\\\"'#*>]", b"", b).lower()
		encoded = re.search(rb"^cHJ\w+", doc, re.M).span()
		inside = [t for t in ties if t[2:] == encoded]
		assert inside and all(code.find(b"print(sorted") <= t[0] < t[1] <= code.find(b"\nk =") for t in inside), ties
		clear = [t for t in ties if t not in inside and t[0] < t[1]]
		assert all(plainly(code[a:b]) == plainly(doc[c:d]) for a, b, c, d in clear), clear
		for part in (b"collect_every_row(of_this_table", b"first_column_of(rows)+second_column_of"):
		    assert any(part in plainly(doc[c:d]) for a, b, c, d in clear), part
		key, there = code.find(b"q7Rz"), doc.find(b"q7Rz")
		assert (key, key + 18, there, there + 18) in ties, ties
	END
	gate "$1" 0 approvals show "$id"
	grep -E 'bytes [0-9]+-[0-9]+ of the code tie by span to bytes [0-9]+-[0-9]+ of web' "$T/out" || show
}
@test "where a tie begins and ends is kept, in the code and in the source" { each tied; }

# What a run was decided on, by what, behind which layers and with what result is told in one place: by the
# run itself and, from its records, by the trace.
joined() {
	local run result
	conversation "$1"
	printf 'a pebble by the sea\n' >"$T/doc"
	ingest "$1" 0 --kind web --name shore "$T/doc"
	sed -i 's/llm_io/tool_call/' "$T"/r/c.yaml
	printf 'print("a pebble by the sea, and more")\n' >"$T/says.py"
	runs "$1" 0 --json "$T/says.py"
	cp "$T/out" "$T/run.json"
	run=$(member 'r["audit_id"]') result=$(member 'r["result_sha256"]')
	gate "$1" 0 audit trace "$run" --json
	/usr/bin/python3 -I - "$T" <<-'END' || show
		import hashlib, json, sys
		T = sys.argv[1]
		run, told = json.load(open(T + "/run.json")), json.load(open(T + "/out"))
		canonical = lambda o: json.dumps(o, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
		of = {k: [r for r in told["records"] if r["kind"] == k][-1] for k in ("verdict", "result")}
		verdict, result = of["verdict"]["body"], of["result"]["body"]
		assert run["code_sha256"] == hashlib.sha256(open(T + "/says.py", "rb").read()).hexdigest()
		assert run["origin"] == verdict["origin"] and [r["id"] for r in run["rules"]] == verdict["rules"] != []
		for k in ("code_sha256", "pack", "policy_sha256", "approved_by"): assert run[k] == verdict[k] == told[k], k
		assert run["approved_by"] == [] and run["layers"] == result["layers"] == told["layers"]
		assert verdict["layers_needed"] == told["layers_needed"] != []
		assert set(verdict["layers_needed"]) <= set(result["layers"])
		body = {k: v for k, v in result.items() if k != "result_sha256"}
		assert hashlib.sha256(canonical(body)).hexdigest() == run["result_sha256"] == result["result_sha256"] == told["result_sha256"]
		ids = {k: {"seq": r["seq"], "hash": r["hash"]} for k, r in of.items()}
		assert run["verdict_record"] == told["verdict_record"] == result["verdict_record"] == ids["verdict"]
		assert run["result_record"] == told["result_record"] == ids["result"]
		bare = {k: v for k, v in of["verdict"].items() if k != "hash"}
		assert hashlib.sha256(canonical(bare)).hexdigest() == ids["verdict"]["hash"]
		for k in ("verdict", "origin", "audit_id"): assert run[k] == told[k], k
		same = lambda one, two, but: [{**o, **dict.fromkeys(but)} for o in one] == two
		assert same(run["evidence"], told["evidence"], ()) and same(run["rules"], told["rules"], ("title", "severity", "lane"))
	END
	gate "$1" 0 audit trace "$run"
	out_has 'approved by none'
	out_has "  result      $result"
	# Programs that may follow the first are Landlock's to decide; what does not run needs no layer.
	runs "$1" 0 --json --exec /bin/true "$T/says.py"
	gate "$1" 0 audit trace "$(member 'r["audit_id"]')" --json
	holds '"execgate" not in r["layers_needed"] and "landlock" in r["layers_needed"]'
	printf 'version: 2\nrules: {ATR-2026-90003: denies}\n' >"$T/none.yaml"
	runs "$1" 126 --json --policy "$T/none.yaml" "$T/says.py"
	holds 'r["result_sha256"] is None and r["result_record"] is None and r["verdict_record"]["seq"] > 0' \
		'r["approved_by"] == [] and len(r["policy_sha256"]) == len(r["pack"]) == 64'
	gate "$1" 0 audit trace "$(member 'r["audit_id"]')" --json
	holds 'r["layers_needed"] == r["layers"] == r["approved_by"] == [] and r["verdict"] == "deny"' \
		'r["result_sha256"] is None and r["result_record"] is None'
}
# bats test_tags=long
@test "audit trace joins what the records of a run say" { each joined; }

# What is too much to be listed is counted: in what is printed, in the log, in what people are shown.
too_many() {
	local i id
	conversation "$1"
	for i in {1..70}; do
		rule "$T/many/$i.yaml" "ATR-2026-91$(printf %03d "$i")" low 'pebble' experimental
	done
	sed -i 's/llm_io/tool_call/' "$T"/many/*.yaml
	for i in {1..80}; do
		printf 'see https://host-%d.example.net/a%d\n' "$i" $((i * 7919))
	done >"$T/doc"
	/usr/bin/python3 -I - "$T" <<-'END'
		import re, sys
		urls = re.findall(r"https://\S+", open(sys.argv[1] + "/doc").read())
		code = [f'u{i} = "{u}"' for i, u in enumerate(urls)] + ["# pebble"]
		code += [f'open("/data/{i}.csv").read()' for i in range(1500)]
		code += ["import socket", 'socket.create_connection(("far.example.org", 443))']
		open(sys.argv[1] + "/many.py", "w").write("\n".join(code) + "\n")
	END
	ingest "$1" 0 --kind web --name list "$T/doc"
	asks_policy
	runs "$1" 75 --json --rules "$T/many" --policy "$T/asks.yaml" "$T/many.py"
	holds 'len(r["evidence"]) == 64 and r["evidence_cut"] and len(r["rules"]) == 64 and r["rules_cut"]'
	id=$(member 'r["approval_id"]')
	gate "$1" 0 approvals show "$id" --json
	holds 'len(r["effects"]) == 1024 and r["effects_more"] > 400' \
		'any("network" in e and "socket" in e for e in r["effects"][:3])' \
		'r["evidence_more"] >= 16 and r["rules_more"] >= 6 and "source_from" in r["evidence"][0]'
	gate "$1" 0 approvals show "$id"
	[ "$(grep -c 'more that are not listed' "$T/out")" = 2 ]
	refusals "$1" 'v["evidence_more"] >= 16 and v["rules_more"] >= 6 and len(v["evidence"]) == 64'
	echo 'pass' >"$T/quiet.py"
	runs "$1" 0 --json "$T/quiet.py"
	holds 'r["evidence_cut"] is False and r["rules_cut"] is False'
}
# bats test_tags=long
@test "the result counts evidence and rules that it does not list" { each too_many; }

# verdict_of PYTHON: of the verdict's body v, and whether a start is on record.
verdict_of()
{
	local run
	run=$(member 'r["audit_id"]')
	gate "$1" 0 audit trace "$run" --json
	holds "[(lambda v: $2)(*[x['body'] for x in r['records'] if x['kind'] == 'verdict'])] == [True]" \
		'"start" not in [x["kind"] for x in r["records"]]'
}

# The policy would ask, but the code is too long for a request: it is denied, and on record.
@test "a run refused after the decision is denied, with the reason" {
	need_root
	gate_setup
	conversation root
	echo 'rows = collect_every_row(of_this_table, send_to="far")' >"$T/doc"
	ingest root 0 --kind web --name page "$T/doc"
	{ cat "$T/doc"; echo 'x = """'; head -c 1100000 /dev/zero | tr '\0' a; echo '"""'; } >"$T/big.py"
	asks_policy
	runs root 126 --json --policy "$T/asks.yaml" "$T/big.py"
	holds 'r["status"] == "refused" and r["verdict"] == "deny" and r["approval_id"] is None' \
		'"--stdin" in r["error"]["cure"]'
	verdict_of root 'v["verdict"] == "deny" and "bytes" in v["error"] and "approval" not in v'
}

# Output is shown as it comes; that the result is on no record is told once.
unrecorded_end() {
	exposed "$1"
	printf 'import time\nprint("a whole sentence", flush=True)\ntime.sleep(2)\n' >"$T/slow.py"
	hold "$1" start
	run_gate "$1" run --conversation "$C" --tier "$(tier_of "$1")" --rules "$T/r" ${HOW:+$HOW} "$T/slow.py"
	free "$1"
	exits 125
	[ "$(cat "$T/out" "$T/err" | grep -c 'the program did run')" -eq 1 ] || show
	[ "$(grep -c 'whole sentence' "$T/out")" -eq 1 ] || show
}
# bats test_tags=long
@test "if a result cannot be recorded, one error follows the output" { HOW='' each unrecorded_end; }
# bats test_tags=long
@test "if a result cannot be recorded, one error follows the output (--events)" { HOW=--events each unrecorded_end; }

# The log is held while the program runs, for longer than cordon waits. What the program printed is a source.
late_output() {
	exposed "$1"
	rm -rf "$T/late"
	mkdir -m 755 "$T/late"
	printf '%s\n' 'import os, sys, time' 'print("a whole sentence", flush=True)' \
		'while not os.path.exists("on"): time.sleep(0.1)' \
		'print("another sentence"); print("and one more there", file=sys.stderr)' >"$T/late.py"
	hold "$1" start
	{
		sleep 7
		rm "$T/$1.held"
		touch "$T/late/on"
	} 3>&- &
	run_gate "$1" run --conversation "$C" --tier "$(tier_of "$1")" --rules "$T/r" --workspace "$T/late:ro" "$T/late.py"
	wait
	exits 0
	out_is $'a whole sentence\nanother sentence'
	err_has 'and one more there'
	gate "$1" 0 conversation show "$C" --json
	holds '[d["name"].split()[0] for d in r["documents"] if d["kind"] == "run_output"] == ["stdout", "stderr"]'
}
# bats test_tags=long
@test "the output of a run is recorded after a lock on the log is released" { each late_output; }
