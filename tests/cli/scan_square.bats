#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon scan: files of which every part would be held against every other one. A scan takes time with
# the length of a file, never with its square: each of these took minutes to hours before.
load helper
load scan

# make_file FILE PROGRAM: what a line of Python prints.
make_file()
{
	/usr/bin/python3 -c "import json; print($2)" >"$1"
}

@test "a text of nothing but quotations" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone\s+word'
	sed -i 's/scan_target: both/&, suppress_in_code_blocks: true/' "$T/r/a.yaml"
	make_file "$T/x.txt" '"`moonstone word`" + "`a`" * 1000000'
	scan 0 "$T/x.txt"
	make_file "$T/x.txt" '"`moonstone word`" + "`a`" * 1000000 + " moonstone word"'
	scan 1 "$T/x.txt"
}

# bats test_tags=long
@test "a configuration of very many servers" {
	pack
	make_file "$T/x.json" 'json.dumps({"mcpServers": {"k%d" % i: {"command": "x"} for i in range(200000)}})'
	scan 0 "$T/x.json"
}

@test "a call of a tool with a long name and very many arguments" {
	pack
	make_file "$T/x.json" 'json.dumps({"type": "tool_call", "content": "x", "fields":
		dict({"a%d" % i: "v" for i in range(100000)}, tool_name="x" * 1000000)})'
	scan 0 "$T/x.json"
}

# Chains as lists, each of which is a group of its own, and as numbers, most of which are not whole.
@test "traces whose spans are all in different groups" {
	rule "$T/r/a.yaml" ATR-2026-90001 high unused
	sed -i '/^detection:/,/value:/d' "$T/r/a.yaml"
	cat >>"$T/r/a.yaml" <<-END
		detection:
		  method: trace
		  conditions: []
		  trace:
		    invariant:
	END
	yes '      - {attribute: a.b, across: agent.delegation_chain}' | head -20 >>"$T/r/a.yaml"
	make_file "$T/x.jsonl" '"\n".join(json.dumps({"type": "agent_trace", "content": "x", "trace": {"spans":
		[{"attributes": {"agent.delegation_chain": [] if i % 2 else i / 1e5, "a.b": i}} for i in range(9999)]}})
		for n in range(6))'
	scan 0 --kind events --json "$T/x.jsonl"
	holds 'r["stats"]["errors"] == 0'
	make_file "$T/x.json" 'json.dumps({"type": "agent_trace", "content": "x", "trace": {"spans":
		[{"attributes": {"agent.delegation_chain": c, "a.b": i}} for i, c in enumerate([0.5, 1.5, -0.0, 2, 0])]}})'
	scan 1 --kind events --json "$T/x.json"
}
