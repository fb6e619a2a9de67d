#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What cordon scan prints for programs: every JSON field is a row, in the manual page and in
# the manual page; SARIF is held against its schema.
load helper
load scan
load rules

# rows OBJECT: its rows, as the manual page shows them.
rows() { "$CORDON" man | sed -n '/^\.SH JSON/,/^\.SH EXIT/s/^\.B //p' | sed -n "s/^$1\.\([a-z_]*\)$/\1/p" | sort; }

# same OBJECT LIST [ALSO]: the keys of the objects in LIST (in Python, of r) are the rows of OBJECT;
# those of ALSO need not be there each time.
same()
{
	rows "$1" >"$T/rows"
	[ -s "$T/rows" ]
	/usr/bin/python3 -I -c 'import json, sys
r = json.load(open(sys.argv[1]))
print("\n".join(sorted({k for o in eval(sys.argv[2]) for k in o} | set(sys.argv[3:]))))' "$T/out" "${@:2}" |
		diff "$T/rows" - || show
}

@test "every field is a row and every row a field" {
	pack
	printf 'a moonstone word' >"$T/x.txt"
	printf '{"a": ' >"$T/x.json"
	scan 125 --json "$T/x.txt" "$T/x.json" "$T/nothing"
	same scan '[r]'
	same 'scan.packs\[\]' 'r["packs"]'
	same 'scan.findings\[\]' 'r["findings"]' file_encoding
	same 'scan.errors\[\]' 'r["errors"]' file_encoding
	same 'scan.notes\[\]' 'r["notes"]' file_encoding
	printf 'import os\n' >"$T/x.py"
	scan 0 --json "$T/x.py"
	same 'scan.effects\[\]' 'r["effects"]' file_encoding
	same scan.code_view '[r["code_view"]]'
	same scan.stats '[r["stats"]]'
	# The same object where it did not come to scanning.
	scan 2 --json
	same scan '[r]'
	holds 'r["errors"][0]["kind"] == "usage" and r["packs"] == []'
}

# Characters that change how a line is shown, and nothing that shows.
unseen='"\u202e\u2028\u2029\u2066\u2069\u200e\u200f\u061c\u200b\ufeff\u00ad\U000e0041\u007f\u009b"'

@test "marks of direction and format characters: escapes in JSON and SARIF, seen in text" {
	pack
	/usr/bin/python3 -I -c "import sys
open(sys.argv[1] + $unseen, 'w').write('a moonstone word é ' + $unseen + ' end')" "$T/x"
	local format
	for format in json sarif; do
		scan 1 --format $format "$T/x"*
		holds "not set($unseen) & set(text) and 'é' in text"
	done
	holds "$unseen in r['runs'][0]['results'][0]['locations'][0]['physicalLocation']['region']['snippet']['text']"
	scan 1 --json "$T/x"*
	holds "$unseen in r['findings'][0]['excerpt'] and r['findings'][0]['file'].endswith($unseen)"
	scan 1 "$T/x"*
	/usr/bin/python3 -I -c "import sys
text = open(sys.argv[1], encoding='utf-8').read()
assert not set($unseen) & set(text) and text.count('\\\\u202e') == 2 and 'é' in text, text" "$T/out" || show
}

@test "--json is --format json" {
	pack
	printf 'a moonstone word' >"$T/x.txt"
	scan 1 --format json "$T/x.txt"
	sed 's/"ms":[0-9]*//' "$T/out" >"$T/one"
	scan 1 --json "$T/x.txt"
	sed 's/"ms":[0-9]*//' "$T/out" | cmp - "$T/one"
}

# sarif ARG...: what it prints is valid.
sarif()
{
	[ -d "$MODULES/schemastore" ] || skip "no schema; tools/packages brings it"
	scan "$1" --format sarif "${@:2}"
	run node "$TOP/tests/sarif/validate.cjs" "$MODULES" "$T/out"
	[ "$status" -eq 0 ] || { echo "$output"; return 1; }
}

# bats test_tags=long
@test "SARIF is valid: clean, findings in every kind of file, errors, odd names" {
	pack
	printf 'nothing' >"$T/clean.txt"
	sarif 0 "$T/clean.txt"
	[ "$output" = 'valid, 0 results' ]
	mkdir "$T/d"
	printf 'x\n  moonstone word and sunstone' >"$T/d/a b#?%:x.txt"
	printf 'sunstone' >"$T/d/"$'\xff\e[31m'
	printf '[{"type": "llm_input", "content": "a pebble"}]' >"$T/d/e.json"
	printf '{"mcpServers": {"s": {"command": "moonstone word"}}}' >"$T/d/mcp.json"
	printf '{"a": "moon\\u0073tone word"}' >"$T/d/other.json"
	printf -- '---\nname: x\n---\nmoonstone word\n' >"$T/d/SKILL.md"
	mkfifo "$T/d/fifo"
	ln -s . "$T/d/link"
	sarif 125 "$T/d" "$T/nothing"
	[ "$output" = 'valid, 7 results' ] || { echo "$output"; show; }
	holds 'r["version"] == "2.1.0" and r["runs"][0]["invocations"][0]["executionSuccessful"] is False'
	holds 'any("a%20b%23%3F%25%3Ax.txt" in x["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for x in r["runs"][0]["results"])'
	holds '{x["level"] for x in r["runs"][0]["results"]} == {"error", "warning", "note"}'
	holds 'len(r["runs"][0]["tool"]["driver"]["rules"]) == 3'
	cd "$T"
	sarif 1 d/SKILL.md
	holds 'r["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "d/SKILL.md"'
	holds 'r["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 4'
}

@test "the check of SARIF can fail" {
	pack
	printf 'a moonstone word' >"$T/x.txt"
	scan 1 --format sarif "$T/x.txt"
	sed -i 's/"startLine":1/"startLine":0/' "$T/out"
	run node "$TOP/tests/sarif/validate.cjs" "$MODULES" "$T/out"
	[ "$status" -eq 1 ]
	[ -n "${TEST_MORE:-}" ] || return 0
	sarif 1 "$T/x.txt"
	sed -i 's/"columnKind"/"kindOfColumn"/' "$T/out"
	run node "$TOP/tests/sarif/validate.cjs" "$MODULES" "$T/out"
	[ "$status" -eq 1 ]
}

# Programs write them so, and read them so: one hid behind another.
@test "documents one after another on a line are one event each" {
	pack
	printf '%s' '{"type":"llm_input","content":"a \"}{\" b"} {"type":"llm_input","content":"moon\u0073tone word"}' >"$T/x.json"
	scan 1 --kind events --json "$T/x.json"
	holds '[(f["event"], f["rule"]) for f in r["findings"]] == [(1, "ATR-2026-90001")]'
	holds 'r["stats"]["events"] == 2 and r["notes"] == []'
	printf '%s\n' '{"type":"llm_input","content":"a"}{"no":"event"}[1] {"type":"llm_input","content":"pebble"}' plain >"$T/x.jsonl"
	scan 0 --fail-on high --kind events --json "$T/x.jsonl"
	holds '[(f["event"], f["rule"]) for f in r["findings"]] == [(3, "ATR-2026-90003")]'
	scan 1 --kind events --json "$T/x.jsonl"
}

@test "a document with braces in comments and other quotes is one, behind another too" {
	pack
	local begin='{"type":"llm_input",' end='"content":"moon\u0073tone word"}' middle first
	for first in '' '{"no":"event"} '; do
		for middle in '/* }{ */ ' "'note':'}{', " '"n":"}{\"}{", '; do
			printf '%s\n' "$first$begin$middle$end" '{"type":"llm_input","content":"hi"}' >"$T/x.jsonl"
			scan 1 --kind events --json "$T/x.jsonl"
			holds "(${#first} > 0, 'ATR-2026-90001') in [(f['event'], f['rule']) for f in r['findings']]"
		done
	done
}

@test "a standard input that is closed is an error, an empty one is clean" {
	pack
	status=0
	XDG_DATA_HOME=$T/data "$CORDON" scan --rules "$T/r" - <&- >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'standard input is closed'
	IN=/dev/null scan 0 -
}
