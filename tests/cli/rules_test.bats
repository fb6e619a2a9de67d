#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon rules test: what it says about made-up rules, and about the public pack.
load helper
load scan
load rules

@test "test: true positives, true negatives and evasions, in both places they can be" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone\s+word'
	cat >>"$T/r/a.yaml" <<-END
		  evasion_tests:
		    - {input: "moonstone-word", expected: not_triggered, bypass_technique: hyphen}
		    - {input: "MOONSTONE word", expected: triggered, bypass_technique: case}
		evasion_tests:
		  - {input: "moonstone\u200b word", expected: not_triggered, bypass_technique: zero width}
	END
	rules 0 test "$T/r" --json
	holds 'r["true_positives"] == {"cases": 1, "passed": 1, "failed": 0, "missed": 0, "skipped": 0, "found": 1}'
	holds 'r["true_negatives"]["passed"] == 1 and r["true_negatives"]["found"] == 0'
	holds 'r["evasion_tests"] == {"cases": 3, "passed": 3, "failed": 0, "missed": 0, "skipped": 0, "found": 2}'
	holds 'r["rules"] == 1 and r["mode"] == "strict" and r["failures"] == []'
	rules 0 test "$T/r"
	grep -qE '^true positives +1 +1 +0 +0 +0 +1$' "$T/out" || show
	rules 0 test --rules "$T/r" --mode reference
	out_has '1 rules, mode reference'
}

@test "test --code-view: cases are read as programs, and without a box nothing passes" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone\s+word'
	printf 'evasion_tests:\n  - {input: "print(\x27moon\x27 + \x27stone word\x27)", expected: triggered, bypass_technique: x}\n' >>"$T/r/a.yaml"
	rules 1 test --strict "$T/r"
	rules 0 test --strict --code-view "$T/r" --json
	holds 'r["evasion_tests"]["found"] == 1 and r["true_negatives"]["passed"] == 1'
	own_programs
	rm "$T/bin/cordon-box"
	rules 125 test --code-view "$T/r"
	err_has 'cordon-box'
	rules 125 test --code-view --json "$T/r"
	rules 1 test --strict "$T/r"
}

@test "rules test names each failure with its line and exits with 1" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'plain\s+word'
	rules 1 test "$T/r"
	out_has "$T/r/a.yaml:19: ATR-2026-90001: true positives: not_triggered: some moonstone word"
	out_has "$T/r/a.yaml:21: ATR-2026-90001: true negatives: triggered: a plain word"
	rules 1 test "$T/r" --json
	holds '[f["test"] for f in r["failures"]] == ["true_positives", "true_negatives"]'
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone\s+word'
	printf 'evasion_tests:\n  - {input: "moon stone", expected: triggered, bypass_technique: x}\n' >>"$T/r/a.yaml"
	rules 0 test "$T/r" --json
	holds 'r["evasion_tests"]["missed"] == 1 and r["evasion_tests"]["failed"] == 0'
	rules 1 test --strict "$T/r" --json
	holds 'r["evasion_tests"]["failed"] == 1 and r["failures"][0]["got"] == "not_triggered"'
}

@test "test: drafts are tested too, behaviour cannot be" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone\s+word'
	rule "$T/r/b.yaml" ATR-2026-90002 high 'moonstone\s+word'
	sed -i 's/^status: stable/status: draft/' "$T/r/a.yaml"
	sed -i 's/^detection:/&\n  method: behavioral/' "$T/r/b.yaml"
	rules 0 test "$T/r" --json
	holds 'r["true_positives"] == {"cases": 2, "passed": 1, "failed": 0, "missed": 0, "skipped": 1, "found": 1}'
}

# The forms a case can have: the event that is made of it is the reference's.
@test "test: cases in every form" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone'
	sed -i 's/field: content/field: tool_args/; s/type: llm_io/type: tool_call/; s/scan_target: both/scan_target: mcp/; /^test_cases/,$d' "$T/r/a.yaml"
	cat >>"$T/r/a.yaml" <<-END
		test_cases:
		  true_positives:
		    - {tool_call: {name: x, args: {a: moonstone}}}
		    - {input: {tool_name: x, tool_args: "moonstone"}}
		    - {user_input: moonstone}
		    - {tool_args: moonstone, tool_name: y}
		    - {input: {other: moonstone}}
		    - {input: {response: moonstone}}
		  true_negatives:
		    - {tool_name: moonstone}
		    - {input: {tool_args: a, other: moonstone}}
		    - {agent_output: moonstone, input: a}
	END
	rules 0 test "$T/r" --json
	holds 'r["true_positives"]["passed"] == 6 and r["true_negatives"]["passed"] == 3'
}

@test "test: wrong usage and rules that are not there" {
	own_programs
	rm -r "$T/share"
	rules 125 test "$T/nothing"
	rules 2 test
	err_has 'no rules were found'
	rules 2 test --mode odd "$T"
}

# bats test_tags=long
@test "the public pack: every true positive and every true negative as expected" {
	need_pack
	rules 0 test --mode reference --json "$PACK"
	holds 'r["true_positives"] == {"cases": 4056, "passed": 4051, "failed": 0, "missed": 0, "skipped": 5, "found": 4051}'
	holds 'r["true_negatives"] == {"cases": 3924, "passed": 3919, "failed": 0, "missed": 0, "skipped": 5, "found": 0}'
	holds 'r["evasion_tests"]["cases"] == 1075 and r["failures"] == []'
}

# bats test_tags=long
@test "the public pack in strict mode" {
	need_pack
	rules 0 test --json "$PACK"
	holds 'r["true_positives"]["failed"] == 0 and r["true_negatives"]["failed"] == 0'
}

@test "a case that is not decidable is neither found nor clean" {
	rule "$T/r/a.yaml" ATR-2026-90001 high '(?:(a)|(aa))+!\2b'
	local long
	long="$(head -c 100 /dev/zero | tr '\0' a)!zb"
	sed -i "s/some moonstone word/$long/; s/a plain word/x $long/" "$T/r/a.yaml"
	status=0
	"$CORDON" rules test --json "$T/r" >"$T/out" || status=$?
	exits 1
	holds '[f["got"] for f in r["failures"]] == ["undecided", "undecided"]'
	holds 'r["true_positives"]["found"] == 0 and r["true_positives"]["failed"] == 1'
}

@test "test and list --strict tell patterns that are no expressions, and --strict fails" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone\s+word'
	rule "$T/r/b.yaml" ATR-2026-90002 high '(moonstone'
	sed -i '/^test_cases/,$d' "$T/r/b.yaml"
	rules 0 test "$T/r"
	err_has "$T/r/b.yaml:16: error: ATR-2026-90002: "
	rules 125 test --strict "$T/r"
	err_has '1 patterns are not valid regular expressions'
	rules 0 list --rules "$T/r"
	rules 125 list --strict --rules "$T/r"
	err_has "$T/r/b.yaml:16: error: ATR-2026-90002: "
	rules 125 list --strict --rules "$T/r" --json
	holds 'r["error"]["kind"] == "input"'
	rm "$T/r/b.yaml"
	rules 0 list --strict --rules "$T/r"
}
