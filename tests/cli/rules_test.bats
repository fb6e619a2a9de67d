#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon rules test and convert: what they say about made-up rules, and about the public pack.
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
	rm "$T/bin/cordon-box"
	rules 125 test --code-view "$T/r"
	err_has 'cordon-box'
	rules 125 test --code-view --json "$T/r"
	rules 1 test --strict "$T/r"
}

@test "test: what fails is named with its line, and the status is 1" {
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
	rm -r "$T/share"
	rules 125 test "$T/nothing"
	rules 2 test
	err_has 'which rules?'
	rules 2 test --mode odd "$T"
}

@test "the public pack: every true positive and every true negative as expected" {
	need_pack
	rules 0 test --mode reference --json "$PACK"
	holds 'r["true_positives"] == {"cases": 4056, "passed": 4051, "failed": 0, "missed": 0, "skipped": 5, "found": 4051}'
	holds 'r["true_negatives"] == {"cases": 3924, "passed": 3919, "failed": 0, "missed": 0, "skipped": 5, "found": 0}'
	holds 'r["evasion_tests"]["cases"] == 1075 and r["failures"] == []'
}

@test "the public pack in strict mode" {
	need_pack
	rules 0 test --json "$PACK"
	holds 'r["true_positives"]["failed"] == 0 and r["true_negatives"]["failed"] == 0'
}

@test "convert: json, splunk and elastic say the same rule" {
	rule "$T/r/a.yaml" ATR-2026-90001 high '(?i)moon"stone\s+(?:a|b)\u0041\u{1F600}\bx(?=y)'
	sed -i 's/title: .*/title: "T ``` | delete"/' "$T/r/a.yaml"
	sed -i "s/^    - {field: content, operator: regex.*/&\n    - {field: 'tool.x', operator: contains, value: 'a*b\"c'}\n    - {field: user_input, operator: starts_with, value: 'q(r'}\n    - {field: user_input, operator: exact, value: 'E'}/" "$T/r/a.yaml"
	rules 0 convert --to json "$T/r"
	holds 'r[0]["id"] == "ATR-2026-90001" and r[0]["condition"] == "any" and len(r[0]["patterns"]) == 4'
	holds 'r[0]["complete"] is True and r[0]["detection"]["conditions"][1]["value"] == "a*b\"c"'
	holds 'r[0]["patterns"][0] == {"name": "0", "field": "content", "operator": "regex", "regex": "moon\"stone\\s+(?:a|b)\\u0041\\u{1F600}\\bx(?=y)", "flags": "i", "description": ""}'
	rules 0 convert --to splunk "$T/r"
	out_has 'match(content, "(?i)moon\"stone\\s+(?:a|b)\\x{0041}\\x{1F600}\\bx(?=y)")'
	out_has "OR match('tool.x', \"(?i)a\\\\*b\\\"c\")"
	out_has 'OR match(user_input, "(?i)^q\\(r")'
	out_has 'OR user_input == "E"'
	out_has '``` title: T     | delete ```'
	rules 0 convert --to elastic "$T/r"
	holds 'r[0]["query"]["bool"]["minimum_should_match"] == 1 and len(r[0]["query"]["bool"]["should"]) == 4'
	holds 'r[0]["query"]["bool"]["should"][1]["wildcard"]["tool.x"]["value"] == "*a\\*b\"c*"'
	holds 'r[0]["query"]["bool"]["should"][0]["regexp"]["content"]["case_insensitive"] is True'
	sed -i 's/condition: any/condition: all/' "$T/r/a.yaml"
	rules 0 convert --to elastic "$T/r"
	holds 'len(r[0]["query"]["bool"]["must"]) == 4'
	rules 2 convert "$T/r"
	err_has '--to json, splunk or elastic'
	rules 2 convert --to sql "$T/r"
	rules 2 convert --to json
}

# Lucene's expressions match whole values; what it lacks is left out, so that nothing is missed.
@test "convert: an expression for Lucene finds at least what the rule finds" {
	rule "$T/r/a.yaml" ATR-2026-90001 high '\bmoon[a-c.]{2,3}(?!x)(?:stone|rock)+\s*"\d'
	rules 0 convert --to elastic "$T/r"
	/usr/bin/python3 -I - "$T/out" <<-'PY'
		import json, re, sys
		value = json.load(open(sys.argv[1]))[0]["query"]["bool"]["should"][0]["regexp"]["content"]["value"]
		assert "\\b" not in value and "(?" not in value, value
		# Of Lucene's syntax only this differs from Python's here.
		lucene = re.compile(value, re.I | re.S)
		rule = re.compile(r'\bmoon[a-c.]{2,3}(?!x)(?:stone|rock)+\s*"\d', re.I)
		for text in ['moonab.stone"1', 'x moonccSTONErock  "7 y', 'a\nmoon..rock"0\nb']:
		    assert rule.search(text) and lucene.fullmatch(text), text
		assert not lucene.fullmatch("moon stone")
	PY
}

# named FILE ID EXPRESSION: a rule over five named conditions.
named()
{
	rule "$1" "$2" high 'moonstone'
	sed -i "s/condition: any/condition: \"$3\"/; /^  conditions:/,\$d" "$1"
	cat >>"$1" <<-'END'
		  conditions:
		    a: {field: content, patterns: ['moon\s', 'SUN'], match_type: regex}
		    b: {field: content, patterns: ['Red.', 'blue'], match_type: contains}
		    c: {field: content, patterns: ['Moon Cat'], match_type: exact, case_sensitive: true}
		    d: {field: content, patterns: ['moon dog'], match_type: exact}
		    e: {field: other, patterns: ['x'], match_type: starts_with}
	END
}

# means FORMAT PYTHON: what was converted holds of a text where PYTHON, over a to e, does. The two
# languages are read here by the little of them that is used.
means()
{
	/usr/bin/python3 -I - "$T/out" "$@" <<-'PY' || show
		import json, re, sys
		made = json.load(open(sys.argv[1]))[0]["query"]
		def elastic(q, doc):
		    (kind, of), = q.items()
		    if kind == "bool":
		        return all(elastic(x, doc) for x in of.get("must", [])) and \
		            not any(elastic(x, doc) for x in of.get("must_not", [])) and \
		            sum(elastic(x, doc) for x in of.get("should", [])) >= of.get("minimum_should_match", 0)
		    if kind in ("match_all", "match_none"):
		        return kind == "match_all"
		    (field, how), = of.items()
		    value = how["value"]
		    if kind == "wildcard":
		        value = re.sub(r'\\(.)|(\*)|([^\\*])', lambda m: ".*" if m[2] else re.escape(m[1] or m[3]), value)
		    elif kind != "regexp":
		        value = re.escape(value) + (".*" if kind == "prefix" else "")
		    return field in doc and bool(re.fullmatch(value, doc[field], re.S | re.I * how["case_insensitive"]))
		def splunk(q, doc):
		    def string(m):
		        return repr(re.sub(r'\\(.)', r'\1', m[0][1:-1]).replace(r'\z', r'\Z'))
		    where = re.search(r'\| where \(\n(.*)\n\)\n', q, re.S)[1]
		    parts = re.split(r'("(?:\\.|[^"\\])*")', where)
		    for i, p in enumerate(parts):
		        parts[i] = string(re.match(r'.*', p, re.S)) if i % 2 else re.sub(
		            r'\b(content|other)\b', r'"\1"', p).replace("OR", "or").replace("AND", "and").replace("NOT", "not")
		    code = re.sub(r'"(\w+)" ==', r'get("\1") ==', "".join(parts))
		    words = dict(match=lambda f, x: f in doc and bool(re.search(x, doc[f])), isnull=lambda f: f not in doc,
		                 get=lambda f: doc.get(f), true=lambda: True, false=lambda: False)
		    # NOT of what is not there is nothing in SPL: it must be asked for first.
		    assert re.search(r'\bnot\b', code) is None or "isnull" in code, code
		    return bool(eval(code.strip(), {}, words))
		texts = ["moon x", "sun", "sun RED.", "moon redx", "moon blue", "Moon Cat", "moon cat", "moon dog",
		         "MOON DOG", "moon dog\n", "", "moonx"]
		for text in texts:
		    for other in (None, "xy", "yx"):
		        doc = {"content": text, **({"other": other} if other else {})}
		        t = text.lower()
		        names = dict(a=bool(re.search(r'moon\s|sun', t)), b="red." in t or "blue" in t, c=text == "Moon Cat",
		                     d=t == "moon dog", e=bool(other) and other[0] == "x")
		        want = eval(sys.argv[3], {}, names)
		        got = (elastic if sys.argv[2] == "elastic" else splunk)(made, doc)
		        assert got == want, (doc, names, want, made)
	PY
}

@test "convert: expressions over the names of conditions" {
	local rows row
	rows=('a AND b' 'a and b' 'a OR b AND e' 'a or b and e'
		'(a OR b) AND (c OR d OR e)' '(a or b) and (c or d or e)'
		'a AND NOT b' 'a and not b' 'a AND NOT (b OR d)' 'a and not (b or d)'
		'a AND NOT (b AND e)' 'a and not (b and e)' 'a AND NOT e' 'a and not e' 'NOT NOT a' 'a'
		'a AND NOT c' 'a and not c' 'c OR nobody' 'c' 'e AND NOT nobody' 'e')
	for ((row = 0; row < ${#rows[@]}; row += 2)); do
		named "$T/r/a.yaml" ATR-2026-90001 "${rows[row]}"
		rules 0 convert --to elastic "$T/r"
		means elastic "${rows[row + 1]}"
		rules 0 convert --to splunk --json "$T/r"
		means splunk "${rows[row + 1]}"
	done
}

@test "convert: NOT of a regular expression is more than Lucene can be told" {
	named "$T/r/a.yaml" ATR-2026-90001 'b AND NOT a'
	rules 0 convert --to splunk --json "$T/r"
	means splunk 'b and not a'
	rules 1 convert --to elastic "$T/r"
	err_has 'ATR-2026-90001 is left out: it says NOT of an expression'
	holds 'r == []'
}

@test "convert: the deepest expression there may be" {
	local deep
	deep=$(printf '%064d' 0 | tr 0 '(')a$(printf '%064d' 0 | tr 0 ')')
	named "$T/r/a.yaml" ATR-2026-90001 "$deep"
	rules 0 convert --to elastic "$T/r"
	means elastic a
	rules 0 convert --to splunk --json "$T/r"
	means splunk a
	named "$T/r/a.yaml" ATR-2026-90001 "($deep)"
	rules 1 convert --to elastic "$T/r"
	err_has 'its expression is deeper than 64'
	rules 1 convert --to splunk "$T/r"
	err_has 'its expression is deeper than 64'
}

@test "convert: all of our own pack" {
	rules 0 convert --to splunk --json "$TOP/rules"
	holds "len(r) == $(ls "$TOP"/rules/*.yaml | wc -l)"
	rules 0 convert --to elastic "$TOP/rules"
	holds "len(r) == $(ls "$TOP"/rules/*.yaml | wc -l)"
}

@test "convert: what another system cannot be told is left out aloud" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone'
	rule "$T/r/b.yaml" ATR-2026-90002 high 'moonstone'
	sed -i 's/^detection:/&\n  method: behavioral/' "$T/r/b.yaml"
	rules 1 convert --to splunk "$T/r"
	err_has 'ATR-2026-90002 is left out: it is about behaviour over time'
	run ! grep -q 90002 "$T/out"
	rules 1 convert --to elastic "$T/r"
	holds 'len(r) == 1'
	rules 1 convert --to splunk --json "$T/r"
	holds 'len(r) == 1 and r[0]["id"] == "ATR-2026-90001"'
}

@test "convert: a rule for a model, and a condition for one language, are not passed off as others" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone'
	rule "$T/r/b.yaml" ATR-2026-90002 high 'moonstone'
	sed -i 's/^detection:/&\n  method: semantic/' "$T/r/b.yaml"
	sed -i "s/operator: regex,/& language: zh,/" "$T/r/a.yaml"
	rules 1 convert --to splunk "$T/r"
	err_has 'ATR-2026-90001 finds more there: condition 0 is only for texts in "zh", here it is for all'
	err_has 'ATR-2026-90002 is left out: it is for a model to judge, and names no fallback'
	out_has '``` note: condition 0 is only for texts in "zh", here it is for all ```'
	rules 1 convert --to elastic "$T/r"
	err_has 'ATR-2026-90001 finds more there'
	holds 'len(r) == 1 and "zh" in r[0]["_meta"]["notes"][0]'
	rules 0 convert --to json "$T/r"
	holds '[(x["complete"], x["patterns"][0].get("language")) for x in r] == [(False, "zh"), (False, None)]'
	sed -i 's/  method: semantic/&\n  semantic: {fallback_method: pattern}/' "$T/r/b.yaml"
	sed -i "s/ language: zh,//" "$T/r/a.yaml"
	rules 0 convert --to elastic "$T/r"
	holds 'len(r) == 2 and not any("notes" in x["_meta"] for x in r)'
	[ ! -s "$T/err" ]
}

@test "convert: json leaves no rule out, whatever it is about" {
	rule "$T/r/a.yaml" ATR-2026-90001 high 'moonstone'
	sed -i 's/^detection:/&\n  method: behavioral/' "$T/r/a.yaml"
	rule "$T/r/b.yaml" ATR-2026-90002 high 'moonstone'
	sed -i 's/condition: any/condition: "a AND NOT b"/; /^  conditions:/,$d' "$T/r/b.yaml"
	printf '  conditions:\n    a: {field: content, patterns: [x, y]}\n    b: {field: user_input, patterns: [z], match_type: contains}\n' >>"$T/r/b.yaml"
	rule "$T/r/c.yaml" ATR-2026-90003 high 'moonstone'
	printf '    - {steps: [{patterns: [a]}, {patterns: [b]}], ordered: true}\n' >"$T/more"
	sed -i "/operator: regex/r $T/more" "$T/r/c.yaml"
	rules 0 convert --to json "$T/r"
	holds '[x["complete"] for x in r] == [False, True, False]'
	holds 'r[0]["method"] == "behavioral" and r[1]["condition"] == "a AND NOT b"'
	holds '[(p["name"], p["operator"], p.get("regex", p.get("value"))) for p in r[1]["patterns"]] == [("a", "regex", "x"), ("a", "regex", "y"), ("b", "contains", "z")]'
	holds 'len(r[2]["patterns"]) == 1 and r[2]["detection"]["conditions"][1]["steps"][1]["patterns"] == ["b"]'
	[ ! -s "$T/err" ]
}

@test "convert: the public pack" {
	need_pack
	rules 0 convert --to json "$PACK"
	holds 'len(r) == 778 and sum(x["complete"] for x in r) == 773'
	rules 1 convert --to elastic "$PACK"
	holds 'len(r) == 773'
	rules 1 convert --to splunk "$PACK"
	[ "$(grep -c '^| where ($' "$T/out")" -eq 773 ]
	[ "$(wc -l <"$T/err")" -eq 5 ]
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
	err_has '1 patterns are no regular expressions'
	rules 0 list --rules "$T/r"
	rules 125 list --strict --rules "$T/r"
	err_has "$T/r/b.yaml:16: error: ATR-2026-90002: "
	rules 125 list --strict --rules "$T/r" --json
	holds 'r["error"]["kind"] == "input"'
	rm "$T/r/b.yaml"
	rules 0 list --strict --rules "$T/r"
}
