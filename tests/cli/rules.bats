#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon rules: what it prints and its exit status, and the public pack: all of it loads, in the
# reference's order, and every file means to Cordon what it means to js-yaml.
load helper
load rules

good()
{
	mkdir -p "$(dirname "$1")"
	cat >"$1" <<-END
		id: $2
		title: "Title \\e[31m of $2"
		schema_version: "1.0"
		status: stable
		description: what it is about
		author: a
		date: 2026/01/01
		severity: high
		maturity: stable
		tags: {category: model-abuse, confidence: high, scan_target: mcp}
		agent_source: {type: llm_io}
		response: {actions: [alert]}
		detection:
		  condition: any
		  conditions:
		    - {field: content, operator: regex, value: "a\\\\s+b"}
	END
}

@test "list, show and stats" {
	good "$T/r/b.yaml" ATR-2026-00002
	good "$T/r/a.yaml" ATR-2026-00001
	rules 0 list --rules "$T/r"
	[ "$(wc -l <"$T/out")" -eq 2 ]
	head -n 1 "$T/out" | grep -q '^ATR-2026-00001  high .* of ATR-2026-00001$' || show
	run ! grep -qP '\x1b' "$T/out"
	rules 0 list --rules "$T/r" --json
	holds '[x["id"] for x in r] == ["ATR-2026-00001", "ATR-2026-00002"] and r[0]["line"] == 1'
	rules 0 show ATR-2026-00002 --rules "$T/r"
	grep -q 'content regex a\\s+b' "$T/out" || show
	rules 0 show ATR-2026-00002 --rules "$T/r" --json
	holds 'r["detection"]["conditions"][0]["value"] == "a\\s+b" and r["title"][6] == "\x1b"'
	rules 0 stats --rules "$T/r"
	grep -q '^2 rules, 2 patterns' "$T/out" || show
	grep -q "^packs  *2 given: $T/r$" "$T/out" || show
	rules 0 stats --rules "$T/r" --json
	holds 'r["rules"] == 2 and r["severity"] == {"high": 2} and r["lane"]["enforce"] == 2'
	holds 'r["packs"][0]["kind"] == "given" and r["packs"][0]["rules"] == 2'
}

@test "rules show explains each action as docs/reference/rules.md does" {
	good "$T/r/a.yaml" ATR-2026-00001
	sed -n 's/^\t\[ACTION_.*= {"\([a-z_]*\)", .*/\1/p' "$TOP/src/rule/vocab.c" >"$T/actions"
	[ "$(wc -l <"$T/actions")" -ge 15 ]
	sed -i "s/actions: .*/actions: [$(paste -sd, "$T/actions")]}/" "$T/r/a.yaml"
	rules 0 show ATR-2026-00001 --rules "$T/r"
	/usr/bin/python3 -I - "$TOP/docs/reference/rules.md" "$T/out" "$T/actions" <<'PY' || show
import re, sys
doc, out, words = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
rows = dict(re.findall(r"^action +(\w+): (.+)$", out, re.M))
assert list(rows) == words.split(), rows
table = re.findall(r"^\| (.+?) \| (.+) \|$", doc.split("| action | what Cordon does |\n")[1].split("\n\n")[0], re.M)
told = {action: does for cell, does in table for action in re.findall(r"`(\w+)`", cell)}
others = dict(table)["all others"]
for action, does in rows.items():
    assert (action in told) == (does != others), action
    assert told.get(action, others).startswith(does), (action, does)
assert set(told) <= set(rows)
PY
}

@test "check says file, line and id, and exits with 1" {
	good "$T/r/a.yaml" ATR-2026-00001
	rules 0 check "$T/r"
	out_is '1 files, 1 rules, 0 errors, 0 warnings'
	good "$T/r/b.yaml" odd
	sed -i 's/severity: high/severity: hgih/' "$T/r/b.yaml"
	printf 'id: x\n\tbad' >"$T/r/c.yaml"
	rules 1 check "$T/r"
	grep -q "r/b.yaml:8: error: odd: severity \"hgih\"" "$T/out" || show
	grep -q "r/b.yaml:1: warning: odd: the id" "$T/out" || show
	grep -q "r/c.yaml:2: error: not YAML" "$T/out" || show
	grep -q '^3 files, 2 rules, 2 errors, 1 warnings$' "$T/out" || show
	rules 1 check "$T/r" --json
	holds 'r["errors"] == 2 and r["skipped"] == 1 and len(r["reports"]) == 3'
	good "$T/x/d.yaml" ATR-2026-00004
	sed -i 's/"a.*b"/"a(b"/' "$T/x/d.yaml"
	rules 1 check "$T/x"
	grep -q "x/d.yaml:16: error: ATR-2026-00004: .*a group is not closed" "$T/out" || show
	rules 125 check --strict "$T/r"
	err_has 'hgih'
	rules 0 list --rules "$T/r"
	err_has 'c.yaml:2: error: not YAML'
	rules 125 list --strict --rules "$T/r"
}

@test "rules exits with 2 on wrong usage, and with 125 if a rule cannot be loaded" {
	good "$T/r/a.yaml" ATR-2026-00001
	own_programs
	rm -r "$T/share"
	rules 2
	err_has 'try: cordon rules list|stats|show ID|check DIR'
	rules 2 dance
	err_has 'there is no "cordon rules dance"'
	rules 2 list
	err_has '--rules'
	rules 2 show --rules "$T/r"
	err_has 'rules show: too few operands'
	err_has 'show ID'
	rules 2 show nothing --rules "$T/r"
	err_has '"nothing"'
	rules 2 list extra --rules "$T/r"
	err_has 'rules list: too many operands'
	rules 2 list --nothing
	rules 2 check
	rules 0 check -- "$T/r"
	rules 125 check "$T/nothing"
	rules 125 list --rules "$T/nothing" --json
	holds 'r["error"]["kind"] == "input"'
	rules 0 --help
	out_has 'Example: cordon rules'
	out_has 'check found errors'
}

# A hostile file is one error, and takes little memory.
@test "hostile files" {
	good "$T/r/z.yaml" ATR-2026-00001
	/usr/bin/python3 - "$T/r" <<-'END'
		import sys
		d = sys.argv[1]
		open(d + "/deep.yaml", "w").write("[" * 10000)
		open(d + "/dash.yaml", "w").write("- " * 10000)
		open(d + "/nul.yaml", "wb").write(b"id: x\ntitle: a\0b\n")
		open(d + "/utf8.yaml", "wb").write(b"id: x\ntitle: \xff\n")
		bomb = "a0: &a0 x\n"
		for i in range(1, 30):
		    bomb += f"a{i}: &a{i} [" + f"*a{i - 1}, " * 10 + "]\n"
		open(d + "/bomb.yaml", "w").write(bomb)
		open(d + "/large.yaml", "w").truncate(100 << 20)
	END
	# The sanitizer maps more than that for itself.
	readelf -Ws "$CORDON" | grep -q __asan_init || ulimit -v 300000
	rules 1 check "$T/r"
	grep -q '^7 files, 1 rules, 6 errors, 0 warnings$' "$T/out" || show
	grep -q 'deep.yaml:1: error: nested lists and maps: over the maximum of 64' "$T/out" || show
	grep -q 'dash.yaml:1: error: nested lists and maps: over the maximum of 64' "$T/out" || show
	grep -q 'nul.yaml:2: error: it holds a NUL byte' "$T/out" || show
	grep -q 'utf8.yaml:2: error: it holds bytes that are not UTF-8' "$T/out" || show
	grep -q 'large.yaml: error: is larger than 1000000 bytes' "$T/out" || show
	grep -q 'bomb.yaml:6: error: values, aliases written out: over the maximum of' "$T/out" || show
}

# bats test_tags=long
@test "the public pack loads without an error, and has what its authors count" {
	need_pack
	rules 0 stats --rules "$PACK" --json --strict
	holds 'r["rules"] == 785 and r["patterns"] == 3353 and r["skipped"] == 0'
	holds 'r["severity"] == {"critical": 274, "high": 426, "medium": 82, "low": 3}'
	holds 'r["status"] == {"draft": 5, "experimental": 719, "stable": 59, "deprecated": 2}'
	holds 'r["lane"] == {"hunt": 778, "alert": 696, "enforce": 105}'
	holds 'r["operator"] == {"regex": 3353} and r["field"]["content"] == 1340'
	rules 0 check "$PACK"
	grep -q '^785 files, 785 rules, 0 errors, ' "$T/out" || show
}

# bats test_tags=long
@test "the public pack loads in the reference's order" {
	need_pack
	rules 0 list --rules "$PACK" --json
	/usr/bin/python3 -c 'import json, sys; print(*[r["id"] for r in json.load(sys.stdin)], sep="\n")' \
		<"$T/out" >"$T/ours"
	node --input-type=module - "$MODULES" >"$T/theirs" <<-'END'
		const { loadRulesFromDirectory } = await import(process.argv[2] + '/agent-threat-rules/dist/loader.js')
		for (const r of loadRulesFromDirectory(process.argv[2] + '/agent-threat-rules/rules')) console.log(r.id)
	END
	cmp "$T/ours" "$T/theirs"
	[ "$(wc -l <"$T/ours")" -eq 785 ]
}

# bats test_tags=long
@test "every file of the public pack means what it means to js-yaml" {
	need_pack
	run -0 node "$TOP/tests/rule/compare.cjs" "$MODULES" "$BUILD/tests/yaml-json" "$PACK"
	[ "$output" = '785 files, 0 differ' ] || { echo "$output"; return 1; }
}
