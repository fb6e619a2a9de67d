#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon scan: exit statuses, what each kind of input becomes, and what is told about it.
load helper
load scan

@test "clean is 0, a finding is 1, with file, line, column, rule, severity and words" {
	pack
	printf 'nothing here\n' >"$T/clean.txt"
	scan 0 "$T/clean.txt"
	out_has '0 findings in 1 file; clean'
	out_has "rules: 3 (3 given: $T/r)"
	printf 'first line\nthe \303\274 Moonstone \t word of it\n' >"$T/bad.txt"
	scan 1 "$T/bad.txt"
	out_has "$T/bad.txt:2:7: critical ATR-2026-90001: Title of ATR-2026-90001"
	out_has 'lane enforce, confidence 100 %, view text: the ü Moonstone ^I word of it'
	out_has '1 finding (1 critical) in 1 file; DENY: Title of ATR-2026-90001 [critical/100% confidence]'
	scan 1 "$T/clean.txt" "$T/bad.txt"
	out_has 'in 2 files'
}

@test "--fail-on: findings below it are shown and do not fail" {
	pack
	printf 'a pebble\n' >"$T/x.txt"
	scan 1 "$T/x.txt"
	scan 1 --fail-on informational "$T/x.txt"
	scan 1 --fail-on low "$T/x.txt"
	scan 0 --fail-on medium "$T/x.txt"
	out_has '1 finding (1 low)'
	printf 'a sunstone\n' >"$T/x.txt"
	scan 1 --fail-on medium "$T/x.txt"
	scan 0 --fail-on high "$T/x.txt"
}

@test "--lane, --inactive: which rules are asked" {
	pack
	rule "$T/r/d.yaml" ATR-2026-90004 high 'gravel'
	sed -i 's/^status: stable/status: draft/' "$T/r/d.yaml"
	printf 'moonstone word sunstone pebble gravel\n' >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds '[f["rule"][-1] for f in r["findings"]] == ["1", "2", "3"]'
	holds '[f["lane"] for f in r["findings"]] == ["enforce", "alert", "hunt"]'
	scan 1 --lane alert --json "$T/x.txt"
	holds '[f["rule"][-1] for f in r["findings"]] == ["1", "2"] and r["lane"] == "alert"'
	scan 1 --lane enforce --json "$T/x.txt"
	holds '[f["rule"][-1] for f in r["findings"]] == ["1"]'
	scan 1 --inactive --json "$T/x.txt"
	holds '"ATR-2026-90004" in [f["rule"] for f in r["findings"]]'
}

@test "wrong usage is 2 and scans nothing" {
	pack
	scan 2
	err_has 'no file to scan is given'
	scan 2 --nothing "$T/r"
	scan 2 --lane all "$T/r"
	err_has 'hunt, alert or enforce'
	scan 2 --mode lax "$T/r"
	err_has 'strict or reference'
	scan 2 --type dream "$T/r"
	err_has 'llm_input'
	scan 2 --kind novel "$T/r"
	err_has 'skill'
	scan 2 --format xml "$T/r"
	err_has 'text, json or sarif'
	scan 2 --fail-on now "$T/r"
	err_has 'critical'
	out_is ''
	status=0
	own_programs
	rm -r "$T/share"
	XDG_DATA_HOME=$T/data "$CORDON" scan "$T/r" >"$T/out" 2>"$T/err" || status=$?
	exits 2
	err_has 'no rules were found'
	err_has "there are none in $T/data/cordon/rules"
	err_has 'cordon rules fetch gets them; --rules DIR names others'
}

@test "scan exits with 125 if a file cannot be scanned, and scans the rest" {
	pack
	printf 'a moonstone word\n' >"$T/x.txt"
	scan 125 "$T/nothing" "$T/x.txt"
	err_has "$T/nothing: could not be opened: No such file"
	out_has 'ATR-2026-90001'
	out_has '1 could not be scanned'
	scan 125 --json "$T/nothing"
	holds 'r["status"] == "error" and r["verdict"] == "deny" and "could not be scanned" in r["reason"]'
	holds 'r["errors"][0]["kind"] == "input" and r["errors"][0]["file"].endswith("/nothing")'
	status=0
	"$CORDON" scan --rules "$T/nothing" "$T/x.txt" >"$T/out" 2>"$T/err" || status=$?
	exits 125
	err_has 'nothing'
}

@test "standard input" {
	pack
	printf 'a moonstone word' >"$T/in"
	IN=$T/in
	scan 1 -
	out_has '-:1:3: critical ATR-2026-90001'
	scan 1 --json - "$T/in"
	holds '[f["file"] for f in r["findings"]] == ["-", "'"$T"'/in"] and r["stats"]["bytes"] == 32'
	# A pipe that the shell made is one, too.
	scan 1 <(cat "$T/in")
}

@test "SKILL.md goes the way of skills: rules of every source, fields or not" {
	pack
	sed -i 's/type: llm_io/type: skill_lifecycle/; s/field: content/field: tool_args/' "$T/r/a.yaml"
	mkdir "$T/s"
	printf -- '---\nname: x\n---\na moonstone word\n' >"$T/s/SKILL.md"
	scan 1 --json "$T/s"
	holds 'r["findings"][0]["kind"] == "skill" and r["findings"][0]["line"] == 4'
	# A rule that is not about skills is not asked.
	sed -i 's/scan_target: both/scan_target: mcp/' "$T/r/a.yaml"
	scan 0 "$T/s"
	scan 1 --kind text "$T/s"
}

@test "JSON events: one, a list, one a line; each with its number" {
	pack
	sed -i 's/field: content/field: tool_args/; s/type: llm_io/type: tool_call/' "$T/r/a.yaml"
	printf '{"type": "tool_call", "content": "x", "fields": {"tool_args": "moonstone\\u0020word"}}' >"$T/e.json"
	scan 1 --json "$T/e.json"
	holds 'r["findings"][0]["event"] == 0 and r["findings"][0]["kind"] == "events"'
	holds 'r["findings"][0]["excerpt"] == "moonstone word"'
	# Not for an event of another type, if the caller says that it is one.
	printf '[{"type": "llm_input", "content": "moonstone word"},\n' >"$T/l.json"
	cat "$T/e.json" >>"$T/l.json"
	printf ']' >>"$T/l.json"
	scan 1 --json --kind events "$T/l.json"
	holds '[(f["event"], f["line"]) for f in r["findings"]] == [(1, 2)] and r["stats"]["events"] == 2'
	{ cat "$T/e.json"; printf '\n\n'; cat "$T/e.json"; echo; echo 'no event, but a sunstone'; } >"$T/e.jsonl"
	scan 1 --json "$T/e.jsonl"
	holds '[(f["event"], f["line"]) for f in r["findings"]] == [(0, 1), (1, 3), (2, 4)]'
	holds '[n["line"] for n in r["notes"]] == [4]'
	# Known by their first bytes, too.
	cp "$T/e.jsonl" "$T/events"
	scan 1 --json "$T/events"
	holds 'len(r["findings"]) == 3'
}

@test "JSON that only looks like an event is scanned as the text it is" {
	pack
	local f
	printf '{"type": "module", "content": "x", "scripts": {"postinstall": "moonstone\\u0020word"}}\n' >"$T/e.json"
	scan 1 --json "$T/e.json"
	holds '[f["rule"] for f in r["findings"]] == ["ATR-2026-90001"]'
	# In a list, in a line, with a key that no event has, and where it would be no event.
	printf '[{"type": "llm_input", "content": "x"}, %s]' "$(cat "$T/e.json")" >"$T/list.json"
	printf '{"type": "llm_input", "content": "x"}\n%s' "$(cat "$T/e.json")" >"$T/lines.jsonl"
	sed 's/module/llm_input/' "$T/e.json" >"$T/known.json"
	sed 's/"x"/{"x": 1}/' "$T/e.json" >"$T/object.json"
	for f in list.json lines.jsonl known.json object.json; do
		scan 1 --json "$T/$f"
		holds 'len(r["findings"]) == 1 and not r["errors"]'
	done
	# What is found in both ways is reported once. With --kind events it is scanned as an event only.
	printf '{"type": "llm_input", "content": "a moonstone word", "sessionId": "s"}' >"$T/e.json"
	scan 1 --json "$T/e.json"
	holds 'len(r["findings"]) == 1 and r["stats"]["events"] == 2'
	scan 1 --json --kind events "$T/e.json"
	holds 'len(r["findings"]) == 1 and r["stats"]["events"] == 1'
}

# bats test_tags=long
@test "a file does not choose its blind spot by calling itself an event" {
	pack
	local e f
	for e in '"type": "agent_behavior", "content": "moonstone word"' \
		'"type": "llm_input", "content": "x", "metadata": {"a": "moonstone word"}' \
		'"type": "llm_input", "content": "x", "fields": {"zzz": "moonstone\u0020word"}' \
		'"type": "llm_input", "content": "x", "sessionId": "moonstone word"' \
		'"type": "llm_input", "content": "x", "agentId": "moonstone word"' \
		'"type": "llm_input", "content": "x", "metrics": {"moonstone word": 1}' \
		'"type": "llm_input", "content": "x", "fields": {"moonstone word": "a"}'; do
		printf '{%s}' "$e" >"$T/e.json"
		printf '{"type": "llm_input", "content": "x"}\n{%s}\n' "$e" >"$T/e.jsonl"
		printf '[{%s}]' "$e" >"$T/l.json"
		for f in e.json e.jsonl l.json; do
			scan 1 --json "$T/$f"
			holds 'len(r["findings"]) == 1 and r["findings"][0]["kind"] == "events"'
			scan 0 --kind events "$T/$f"
		done
	done
	scan 0 --type llm_output "$T/l.json"
}

@test "--type sets the kind of text for the rules" {
	pack
	sed -i 's/field: content/field: tool_args/; s/type: llm_io/type: tool_call/' "$T/r/a.yaml"
	printf 'a moonstone word' >"$T/x.txt"
	scan 1 "$T/x.txt"
	scan 1 --type tool_call "$T/x.txt"
	scan 0 --type llm_input "$T/x.txt"
}

@test "a field that is no string is an error, not a crash" {
	pack
	printf '[{"type": "tool_call", "fields": {"tool_args": {"a": 1}}},\n{"type": "llm_input", "content": "a moonstone word"}]' >"$T/e.json"
	scan 125 --json "$T/e.json"
	holds 'len(r["errors"]) == 1 and "event 0" in r["errors"][0]["message"]'
	holds '[f["event"] for f in r["findings"]] == [1]'
}

@test "MCP configuration: command and arguments as one line, and every other string" {
	rule "$T/r/a.yaml" ATR-2026-90001 high '^fetch -q moonstone\s+word'
	rule "$T/r/b.yaml" ATR-2026-90002 high 'TOKEN=sunstone'
	rule "$T/r/c.yaml" ATR-2026-90003 high 'pebble'
	cat >"$T/.mcp.json" <<-'END'
		{"seen": {"bad": 1}, "mcpServers": {
		  "good": {"command": "node", "args": ["server.js"]},
		  "bad": {"command": "fetch", "args": ["-q", "moonstone", "word"],
		          "env": {"TOKEN": "sunstone"}}},
		 "hint": "a \u0070ebble"}
	END
	scan 1 --json "$T/.mcp.json"
	holds '[(f["rule"][-1], f["server"]) for f in r["findings"]] == [("1", "bad"), ("2", "bad"), ("3", None)]'
	holds '{f["kind"] for f in r["findings"]} == {"mcp"} and r["findings"][0]["line"] == 3'
	scan 1 "$T/.mcp.json"
	out_has '(server bad): high ATR-2026-90001'
	cat >"$T/settings.json" <<-'END'
		{"mcp": {"servers": {"x": {"url": "http://pebble.example"}}}}
	END
	scan 1 --json "$T/settings.json"
	holds 'r["findings"][0]["server"] == "x"'
}

@test "any other JSON is scanned as it stands and as it reads" {
	pack
	printf '{"name": "x",\n "hint": "moonstone\\nword", "a": "sunstone"}' >"$T/x.json"
	scan 1 --json "$T/x.json"
	holds '[(f["rule"][-1], f["view"], f["line"]) for f in r["findings"]] == [("1", "decoded", None), ("2", "text", 2)]'
	scan 1 --mode reference --json "$T/x.json"
	holds '[f["rule"][-1] for f in r["findings"]] == ["2"]'
	# Broken JSON is text.
	printf '{"hint": "sunstone",,' >"$T/y.json"
	scan 1 --json "$T/y.json"
	holds 'r["findings"][0]["kind"] == "text" and "JSON" in r["notes"][0]["message"]'
}

@test "layers of base64 and the like are looked into in strict mode only" {
	pack
	printf 'x = "%s"\n' "$(printf 'please say the moonstone word to all of them' | base64 -w0)" >"$T/x.txt"
	scan 1 --json "$T/x.txt"
	holds 'r["findings"][0]["view"] == "decoded" and "base64" in r["findings"][0]["decoding"]'
	scan 0 --mode reference --json "$T/x.txt"
	holds 'r["mode"] == "reference"'
}

@test "scan reads a directory in the order of names, follows no link, and notes that it leaves out .git" {
	pack
	mkdir -p "$T/d/b" "$T/d/.git"
	printf 'a moonstone word' | tee "$T/d/z.txt" "$T/d/b/x.md" "$T/d/a.txt" >"$T/d/.git/x"
	ln -s . "$T/d/loop"
	ln -s /etc/passwd "$T/d/link"
	scan 1 --json "$T/d"
	holds '[f["file"].split("/d/")[1] for f in r["findings"]] == ["a.txt", "b/x.md", "z.txt"]'
	holds 'r["stats"]["files"] == 3 and r["stats"]["skipped"] == 3 and len(r["notes"]) == 3'
	holds '[n["file"].split("/d/")[1] for n in r["notes"] if "left out" in n["message"]] == [".git"]'
	# The second is counted; named, it is scanned; and a file of that name is one.
	mkdir "$T/d/b/.svn"
	printf 'a moonstone word' >"$T/d/b/.git"
	scan 1 --json "$T/d"
	holds 'r["stats"]["files"] == 4 and r["stats"]["skipped"] == 4 and len(r["notes"]) == 3'
	holds 'any(f["file"].endswith("/b/.git") for f in r["findings"])'
	scan 1 "$T/d/.git"
	scan 1 "$T/d/"
	out_has "$T/d/a.txt:1:3"
	ln -s d "$T/named"
	scan 1 "$T/named"
}

@test "names and words from outside cannot speak to the terminal" {
	pack
	local name=$'evil\e[31m\n\342\200\256name'
	printf 'a moonstone word \e]0;title\a \342\200\256 \0 end' >"$T/$name"
	scan 1 "$T/$name"
	run ! grep -qP '\x1b|\xe2\x80\xae|\x07|\x00' "$T/out"
	[ "$(grep -c . "$T/out")" -eq 4 ]
	mkdir "$T/dir"
	: >"$T/dir/$name"
	chmod 000 "$T/dir/$name"
	mkfifo "$T/dir/fifo"$'\e'
	scan 125 "$T/dir"
	run ! grep -qP '\x1b|\xe2\x80\xae' "$T/err"
	scan 1 --json "$T/$name"
	holds '"\x1b[31m\n" in r["findings"][0]["file"]'
	printf 'a moonstone word' >"$T/"$'no\xffutf8'
	scan 1 --json "$T/"$'no\xffutf8'
	holds 'base64.b64decode(r["findings"][0]["file"]).endswith(b"no\xffutf8")'
	holds 'r["findings"][0]["file_encoding"] == "base64"'
}

@test "progress and colours are for terminals" {
	command -v script >/dev/null || skip "no script(1)"
	pack
	mkdir "$T/d"
	printf 'a moonstone word' >"$T/d/x"
	run script -qec "$CORDON scan --rules $T/r $T/d" /dev/null </dev/null
	[[ $output == *$'\e[1;31mcritical\e[0m'* ]] || { printf '%q\n' "$output"; return 1; }
	run env NO_COLOR=1 script -qec "$CORDON scan --rules $T/r $T/d" /dev/null </dev/null
	[[ $output == *critical* && $output != *$'\e'* ]]
	# The line appears after a moment, and goes away again: files are added until the scan has lasted one.
	rule "$T/r/slow.yaml" ATR-2026-90009 high '(?:(a)|(aa))+!\2b'
	local files=0 most
	for most in 4 16 64 256 1024; do
		while ((files < most)); do
			{ head -c 100 /dev/zero | tr '\0' a; printf '!zb'; } >"$T/d/$((++files))"
		done
		run script -qec "$CORDON scan --rules $T/r $T/d" /dev/null </dev/null
		[[ $output == *$'\r\e[K'*' files, '*' findings '*$'\r\e[K'* ]] && break
	done
	[[ $output == *$'\r\e[K'*' files, '*' findings '*$'\r\e[K'* ]] || { printf '%q\n' "${output:0:2000}"; return 1; }
	scan 1 "$T/d"
	run ! grep -qP '\x1b|\r' "$T/out" "$T/err"
}

@test "scan notes a rule that it cannot read and goes on; with --strict it fails" {
	pack
	printf 'id: [' >"$T/r/broken.yaml"
	printf 'a moonstone word' >"$T/x.txt"
	scan 1 "$T/x.txt"
	err_has 'broken.yaml'
	scan 125 --strict "$T/x.txt"
	rm "$T/r/broken.yaml"
	rule "$T/r/d.yaml" ATR-2026-90009 high 'a(b'
	scan 1 --json "$T/x.txt"
	holds '"not valid regular expressions" in r["notes"][0]["message"]'
	holds '"cordon rules check DIR" in r["notes"][0]["message"]'
	scan 125 --strict "$T/x.txt"
	err_has 'not valid regular expressions'
}

@test "the built-in pack is found beside the program, and the fetched one joins it" {
	pack
	printf 'a moonstone word and an opal' >"$T/x.txt"
	own_programs
	rm -r "$T/share"
	mv "$T/r" "$T/rules" # beside bin/
	status=0
	# But that could be anybody's: only beside the rest of our tree is it ours.
	XDG_DATA_HOME=$T/data "$CORDON" scan --json "$T/x.txt" >"$T/out" 2>/dev/null || status=$?
	run ! grep -qF "$T/rules" "$T/out"
	mkdir -p "$T/tools" "$T/src/rule"
	touch "$T/tools/layers" "$T/src/rule/rule.h"
	status=0
	XDG_DATA_HOME=$T/data "$CORDON" scan --json "$T/x.txt" >"$T/out" || status=$?
	exits 1
	holds '[(p["kind"], p["rules"]) for p in r["packs"]] == [("built-in", 3)]'
	rule "$T/data/cordon/rules/agent-threat-rules/x.yaml" ATR-2026-90007 high 'opal'
	XDG_DATA_HOME=$T/data "$CORDON" scan --json "$T/x.txt" >"$T/out" || status=$?
	holds '[(p["kind"], p["rules"]) for p in r["packs"]] == [("fetched", 1), ("built-in", 3)]'
	holds 'len(r["findings"]) == 2 and r["rules"] == 4'
	mkdir -p "$T/share/cordon"
	mv "$T/rules" "$T/share/cordon/rules"
	XDG_DATA_HOME=$T/none "$CORDON" scan "$T/x.txt" >"$T/out" || status=$?
	out_has "3 built-in: $T/share/cordon/rules"
}

# A disguise that no expression sees through: the word is put together when the program runs.
disguised() { printf 'import os as o\n# moon\ngetattr(o, "sys" + "tem")("moon" + chr(115) + "tone   word")\n'; }

@test "the code view: programs are scanned in their canonical form too" {
	pack
	disguised >"$T/x.py"
	scan 1 --json "$T/x.py"
	holds '[(f["rule"], f["view"], f["kind"]) for f in r["findings"]] == [("ATR-2026-90001", "code", "python")]'
	holds '"moonstone   word" in r["findings"][0]["excerpt"] and r["code_view"]["whole"] == 1'
	holds '{"import": "os"}.items() <= {e["kind"]: e["value"] for e in r["effects"]}.items()'
	scan 1 "$T/x.py"
	out_has 'view code: '
	run ! grep -q 'effect' "$T/out"
	scan 1 --effects "$T/x.py"
	out_has "$T/x.py:1: effect import: os"
	scan 0 --no-code-view "$T/x.py"
	scan 0 --mode reference "$T/x.py"
	scan 0 --kind text "$T/x.py"
	disguised >"$T/in"
	IN=$T/in
	scan 1 --kind python -
	printf 'a=moon; echo "${a}stone   word"\n' >"$T/x.sh"
	scan 1 --json "$T/x.sh"
	holds 'r["findings"][0]["view"] == "code" and r["findings"][0]["kind"] == "shell"'
}

# bats test_tags=long
@test "the code view: what a configuration gives to a shell or to Python is code" {
	pack
	local call
	for call in '{"command": "bash", "args": ["-c", "say moon'"''"'stone word"]}' \
		'{"command": "env", "args": ["sh", "-lc", "say moon'"''"'stone word"]}' \
		'{"command": "sh -c \"say moon'"''"'stone word\"", "args": ["x"]}' \
		'{"cmd": ["bash", "-c", "say moon'"''"'stone word"]}' \
		'{"command": "python3", "args": ["-c", "print(\"moon\" + \"stone word\")"]}'; do
		printf '{"a": %s}' "$call" >"$T/a.json"
		printf '{"mcpServers": {"a": {"url": "x"}, "b": %s}}' "$call" >"$T/b.json"
		# A quote that is open in one call does not reach the next.
		printf '[{"command": "echo '"'"'", "args": ["x'"'"'"]}, %s]' "$call" >"$T/c.json"
		for f in a b c; do
			scan 1 --json "$T/$f.json"
			holds '[(f["rule"][-1], f["view"]) for f in r["findings"]] == [("1", "code")]'
			scan 0 --no-code-view "$T/$f.json"
		done
	done
	# Words are no code: there is no box for them.
	printf '{"mcpServers": {"a": {"command": "npx", "args": ["-y", "@x/y", "/home"]}}}' >"$T/a.json"
	scan 0 --json "$T/a.json"
	holds 'r["code_view"]["whole"] == 0 and not r["notes"]'
}

@test "the code view: blocks in Markdown and cells of a notebook are code" {
	pack
	local f
	printf '# T\n\n```python\nx = "moon" + "stone word"\n```\n' | tee "$T/x.md" >"$T/SKILL.md"
	printf '~~~sh\na=moon; echo "${a}stone word"\n~~~\n' >"$T/y.MD"
	printf '{"mcpServers": {"a": {"command": "x"}},\n"cells": [{"cell_type": "code", "source": ["x = \\"moon\\" + \\\\\\n", "chr(115) + \\"tone word\\""]}]}' >"$T/z.ipynb"
	for f in x.md SKILL.md y.MD z.ipynb; do
		scan 1 --json "$T/$f"
		holds '[(f["rule"][-1], f["view"]) for f in r["findings"]] == [("1", "code")]'
		scan 0 --no-code-view "$T/$f"
		scan 0 --json --mode reference "$T/$f"
	done
	holds 'r["code_view"]["whole"] == 0'
	# Prose needs no box, nor does code of other languages.
	printf 'Say ```python``` or\n```json\n{}\n```\n' >"$T/x.md"
	scan 0 --json "$T/x.md"
	holds 'r["code_view"]["whole"] <= 1 and not r["notes"]'
	printf '```json\n{}\n```\npython\n' >"$T/x.md"
	scan 0 --json "$T/x.md"
	holds 'r["code_view"]["whole"] == 0 and not r["notes"]'
}

# call TOOL ARGS [KEY]: the event of a tool call.
call()
{
	/usr/bin/python3 -c 'import json, sys; print(json.dumps({"type": "tool_call", "content": "x", "fields":
		{"tool_name": sys.argv[1], (sys.argv[3:] or ["tool_args"])[0]: sys.argv[2]}}))' "$@"
}

# bats test_tags=long
@test "the code view: arguments of tool calls are code where their names say so" {
	pack
	local word="moon''stone' word'" f
	call Bash "say $word" >"$T/1.json"
	call x "{\"command\": \"say $word\"}" >"$T/2.json"
	call x "{\"command\": [\"sh\", \"-c\", \"say $word\"]}" >"$T/3.json"
	call x "{\"command\": \"sh\", \"args\": [\"-c\", \"say $word\"]}" >"$T/4.json"
	call x 'print("moon" + "stone word")' code >"$T/5.json"
	call run_python 'print("moon" + "stone word")' >"$T/6.json"
	call x '{"language": "python", "script": "print(\"moon\" + \"stone word\")"}' >"$T/7.json"
	call x $'{"a": "\\u0000", "cmd": "say moon'"''"'stone'"' '"'word"}' >"$T/8.json"
	{ call Bash "echo '"; call Bash "say $word"; } >"$T/9.jsonl"
	for f in "$T"/[1-8].json; do
		scan 1 --json "$f"
		holds '[(f["rule"][-1], f["view"], f["event"]) for f in r["findings"]] == [("1", "code", 0)]'
		scan 0 --no-code-view "$f"
		scan 0 --mode reference "$f"
	done
	scan 1 --json "$T/9.jsonl"
	holds '[(f["rule"][-1], f["view"], f["event"]) for f in r["findings"]] == [("1", "code", None)]'
	holds 'r["code_view"]["whole"] == 1 and not r["notes"]'
	# The rule is not for what tools are called with, and the caller says that this is all it is.
	scan 0 --kind events "$T/1.json"
	# Other tools' arguments are no code: there is no box for them.
	call read_file '{"path": "it is"}' >"$T/x.json"
	scan 0 --json "$T/x.json"
	holds 'r["code_view"]["whole"] == 0 and not r["notes"]'
}

# bats test_tags=long
@test "JSON lines: no line hides what stands on another" {
	pack
	local word="moon''stone' word'" run first
	run='{"a": {"command": "sh", "args": ["-c", "say '"$word"'"]}}'
	for first in '{}' '1' '[]' '{"type": "llm_input", "content": "x"}'; do
		printf '%s\n\n%s\n' "$first" "$run" | tee "$T/x.json" >"$T/x.jsonl"
		for f in x.json x.jsonl; do
			scan 1 --json "$T/$f"
			holds '[(f["rule"][-1], f["view"]) for f in r["findings"]] == [("1", "code")]'
			scan 0 --no-code-view "$T/$f"
			scan 0 --mode reference "$T/$f"
		done
	done
	# Logs are not events: there is no note for each line.
	printf '{}\n{"a": "moonstone\\nword"}\n{"cmd": "fetch", "args": ["sun", "x"]}\n"pebble"\n' >"$T/x.jsonl"
	rule "$T/r/b.yaml" ATR-2026-90002 medium 'fetch sun'
	scan 1 --json "$T/x.jsonl"
	holds '[(f["rule"][-1], f["kind"], f["line"]) for f in r["findings"]] == [("1", "json", None), ("2", "json", None), ("3", "json", 4)]'
	holds 'not r["notes"] and r["stats"]["events"] == 1'
	# Events are, whatever stands before them.
	for first in '# a log' '{}' '{"type": "x"'; do
		{ echo "$first"; call Bash "say $word"; } >"$T/x.jsonl"
		scan 1 --json "$T/x.jsonl"
		holds '[(f["rule"][-1], f["view"], f["kind"]) for f in r["findings"]] == [("1", "code", "events")]'
	done
	# One that is too deep is told.
	{ echo '{}'; python3 -c 'print("[" * 65 + "]" * 65)'; } >"$T/x.jsonl"
	scan 1 --json "$T/x.jsonl"
	holds '[f["rule"] for f in r["findings"]] == ["CORDON-LIMIT-JSON"]'
}

@test "the code view: a program that cannot be read is noted, and scanned as text" {
	pack
	printf 'def f(:\n  "a moonstone word"\n' >"$T/x.py"
	scan 1 --json "$T/x.py"
	holds 'r["findings"][0]["view"] == "text" and r["code_view"]["whole"] == 0'
	holds 'len(r["notes"]) == 1 and r["notes"][0]["file"].endswith("x.py") and r["errors"] == []'
}

@test "the code view: a missing box is noted once, and the scan goes on" {
	pack
	mkdir "$T/d"
	disguised | tee "$T/d/x.py" >"$T/d/y.py"
	printf 'a moonstone word' >"$T/d/z.txt"
	own_programs
	rm "$T/bin/cordon-box"
	scan 1 "$T/d"
	[ "$(grep -c 'without the code view: ' "$T/err")" -eq 1 ] || show
	err_has 'cordon-box'
	scan 1 --json "$T/d"
	holds '"cordon-box" in r["code_view"]["error"] and r["code_view"]["none"] == 2'
	holds 'len(r["notes"]) == 1 and len(r["findings"]) == 3'
	# Programs that no code view read are not clean, unless --no-code-view was given.
	rm "$T/d/z.txt"
	scan 1 --json "$T/d"
	holds '[f["rule"] for f in r["findings"]] == ["CORDON-LIMIT-CODE"] * 2 and r["verdict"] == "ask"'
	scan 0 --no-code-view "$T/d"
}
