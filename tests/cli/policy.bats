#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon policy: its verbs, what they print and exit with; and docs/POLICY.md: its tables are those
# of the program, its policies pass their own check, its commands work.
load helper

# policy STATUS ARG...: cordon policy ARG... exits with STATUS.
policy()
{
	local expected=$1
	shift
	status=0
	timeout 60 "$CORDON" policy "$@" </dev/null >"$T/out" 2>"$T/err" || status=$?
	exits "$expected"
}

@test "check: a good policy" {
	printf 'version: 1\nrules:\n- {id: a, when: {caps: net}, then: ask, match: [{origin: user, caps: net}]}\n' >"$T/p.yaml"
	policy 0 check "$T/p.yaml"
	grep -qE '^1 rules, 1 examples, 0 failed; sha256 [0-9a-f]{64}$' "$T/out" || show
	policy 0 check "$T/p.yaml" --json
	holds 'r["rules"] == 1 and r["failed"] == 0 and r["reports"] == [] and len(r["sha256"]) == 64'
}

@test "check: what is wrong has its file and line" {
	printf 'version: 1\nprofile: lax\n' >"$T/p.yaml"
	policy 1 check "$T/p.yaml"
	err_has "p.yaml:2: profile: there is no \"lax\" (strict, balanced or observe)"
	policy 1 check "$T/p.yaml" --json
	holds 'r["error"]["kind"] == "input" and ":2: profile" in r["error"]["message"]'
	printf 'version: 1\nrules:\n- {id: a, when: {caps: net}, then: ask,\n   match: [{origin: user}]}\n' >"$T/p.yaml"
	policy 1 check "$T/p.yaml"
	out_has 'p.yaml:4: rule a: the rule is not for this match example'
	policy 1 check "$T/p.yaml" --json
	holds 'r["failed"] == 1 and r["reports"][0]["line"] == 4 and r["reports"][0]["rule"] == "a"'
}

@test "usage is 2, what cannot be read 125" {
	policy 2
	policy 2 dance
	policy 2 check
	policy 2 check a b
	policy 2 show x
	policy 2 explain
	policy 2 check a --policy b
	policy 2 --nothing show
	policy 125 check "$T/nothing.yaml"
	err_has 'nothing.yaml: No such file'
	policy 125 explain "$T/nothing.json"
	printf 'version: 2\n' >"$T/p.yaml"
	policy 125 show --policy "$T/p.yaml"
	err_has 'p.yaml:1: version'
}

@test "explain names the row that decided, and why" {
	printf '{"origin": "exposed", "caps": ["read", "net"]}' >"$T/r.json"
	policy 0 explain "$T/r.json"
	out_has 'ask: a person must agree first'
	out_has 'decided by  profile/balanced/exposed/none/net'
	out_has 'send what it can read to the listed hosts'
	policy 0 explain "$T/r.json" --json
	holds 'r["verdict"] == "ask" and r["granted"] == []' \
		'r["if_approved"] == r["asked"] == ["compute", "read", "net"]' \
		'r["approval"] == {"scope": "once", "ttl_ms": 600000, "wait_ms": 3600000, "approvers": 1}' \
		'r["box"]["network"] and r["box"]["workspace"] == "overlay" and not r["box"]["commit"]' \
		'len(r["reasons"]) == len(r["could"]) == 3'
	printf '{"origin": "agent", "caps": "write"}' >"$T/r.json"
	policy 0 explain "$T/r.json" --json
	holds 'r["verdict"] == "allow" and r["approval"] is None and r["granted"] == ["compute", "read", "write"]'
	printf '{"origin": "plan", "grade": "denies"}' >"$T/r.json"
	policy 0 explain "$T/r.json" --json
	holds 'r["verdict"] == "deny" and r["origin"] == "hostile" and r["box"] is None'
	status=0
	printf '{"origin": "agent"}' | "$CORDON" policy explain - >"$T/out" 2>"$T/err" || status=$?
	exits 0
	out_has 'allow: it runs'
}

@test "explain takes nothing that it does not know" {
	local text
	for text in '{}' '[]' '{"origin": "spy"}' '{"origin": "agent", "x": 1}' '{"origin": "agent", "caps": []}' \
		'{"origin": "agent", "origin": "user"}' '{"origin": "agent", "verdict": "allow"}' '{"origin": "agent"' \
		'{"origin": 1}' ''; do
		printf '%s' "$text" >"$T/r.json"
		policy 125 explain "$T/r.json"
		err_has 'r.json'
		out_is ''
	done
}

@test "text of a policy is shown, not obeyed" {
	printf 'version: 1\nrules:\n- {id: a, why: "x\\e[31my", when: {caps: net}, then: ask}\n' >"$T/p.yaml"
	printf '{"origin": "agent", "caps": "net"}' >"$T/r.json"
	policy 0 explain "$T/r.json" --policy "$T/p.yaml"
	run ! grep -qP '\x1b' "$T/out"
	policy 0 show --policy "$T/p.yaml"
	run ! grep -qP '\x1b' "$T/out"
	out_has 'rule a: ask'
}

@test "show has all of it" {
	policy 0 show
	out_has 'built in'
	[ "$(grep -cE '^(plan|user|agent|exposed|derived|hostile) ' "$T/out")" -eq 24 ] || show
	policy 0 show --json
	holds 'r["file"] is None and r["profile"] == "balanced" and r["undeclared"] == "exposed"' \
		'r["cells"]["derived"]["none"]["compute"] == "allow-contained"' \
		'all(v == "deny" for g in r["ceilings"]["hostile"].values() for v in g.values())'
	cat >"$T/p.yaml" <<-'END'
		version: 1
		net: {allow: [B.example:443, a.example:80], deny: ["*.c.example"]}
		contained: {tier: full, limits: {time: 5s}}
		rules: [{id: x, when: {origin: [user, agent], caps_any: net}, then: ask}]
	END
	policy 0 show --policy "$T/p.yaml" --json
	holds 'r["net"] == {"allow": ["a.example:80", "b.example:443"], "deny": ["*.c.example:*"], "sni": False}' \
		'r["contained"] == {"tier": "full", "limits": {"time": 5000}}' \
		'r["rules"][0]["when"] == {"origin": ["agent", "user"], "caps_any": ["net"]}'
}

# blocks KIND: the blocks of that kind in the document, as $T/KIND-N.
blocks()
{
	awk -v kind="$1" -v dir="$T" '
		$0 == "```" kind { n++; on = 1; next }
		/^```/ { on = 0 }
		on { print > (dir "/" kind "-" n) }' "$TOP/docs/POLICY.md"
	[ -e "$T/$1-1" ]
}

@test "docs/POLICY.md: its policies pass their check, its commands work" {
	local f n=0
	blocks yaml
	for f in "$T"/yaml-*; do
		policy 0 check "$f"
		n=$((n + 1))
	done
	[ $n -ge 1 ]
	blocks json
	blocks sh
	mkdir -p "$T/checkout"
	own_programs
	ln -s ../bin "$T/checkout/build"
	cp "$T/yaml-1" "$T/checkout/policy.yaml"
	cp "$T/json-1" "$T/checkout/request.json"
	cd "$T/checkout"
	status=0
	timeout 60 bash -euo pipefail "$T/sh-1" >"$T/out" 2>"$T/err" || status=$?
	exits 0
}

@test "docs/POLICY.md: its tables are the program's" {
	local p
	for p in strict balanced observe; do
		printf 'version: 1\nprofile: %s\n' $p >"$T/$p.yaml"
		policy 0 show --policy "$T/$p.yaml" --json
		cp "$T/out" "$T/$p.json"
	done
	/usr/bin/python3 -I - "$TOP/docs/POLICY.md" "$T" <<'PY'
import json, re, sys
sign = {"allow": "+", "allow-contained": "c", "ask": "?", "ask-two": "2", "deny": "-"}
caps = ["compute", "read", "write", "net", "secret", "host"]
text = open(sys.argv[1], encoding="utf-8").read()
for p in ["strict", "balanced", "observe"]:
    cells = json.load(open(f"{sys.argv[2]}/{p}.json"))["cells"]
    want = [[f"`{o}`", f"`{g}`"] + [f"`{sign[cells[o][g][c]]}`" for c in caps]
            for o in ["plan", "user", "agent", "exposed", "derived"] for g in ["none", "shown", "asks"]]
    part = text.split(f"### {p}\n")[1].split("\n#")[0]
    have = [[c.strip() for c in line.strip("|").split("|")]
            for line in part.splitlines() if line.startswith("| `")]
    assert have == want, f"{p}: the table should be\n" + "\n".join("| " + " | ".join(r) + " |" for r in want)
PY
}

@test "docs/POLICY.md has every key and word, and no other key" {
	local word
	for word in $("$CORDON" policy show --json | /usr/bin/python3 -I -c '
import json, sys
r = json.load(sys.stdin)
print(*r["cells"], *r["cells"]["plan"], *r["cells"]["plan"]["none"])'); do
		grep -qF "\`$word\`" "$TOP/docs/POLICY.md" || { echo "$word"; return 1; }
	done
	"$CORDON" man | awk '/^\.SH/ { on = $2 == "POLICY" } on && /^\.B/ { print $2 }' >"$T/keys"
	awk '/^\| key \|/ { on = 1 } !NF { on = 0 } on && /^\| `/ { gsub("`", ""); print $2 }' \
		"$TOP/docs/POLICY.md" >"$T/told"
	[ "$(wc -l <"$T/keys")" -gt 30 ]
	diff "$T/keys" "$T/told"
}

@test "hosts and secrets are shown where they are granted: names, never what a command says" {
	cat >"$T/net.yaml" <<'Y'
version: 1
net: {allow: ["web.test:443"], deny: ["bad.test"], sni: true}
secrets:
  - {name: TOKEN, host: "web.test:443", header: X-Key, env: MY_TOKEN}
  - {name: SAID, host: "api.test:443", command: "echo s3cret-value"}
rules:
  - {id: let, when: {origin: user, caps: secret}, then: allow}
Y
	export MY_TOKEN=other-s3cret
	"$CORDON" policy show --policy "$T/net.yaml" >"$T/out"
	grep -q 'net sni .*TLS must ask' "$T/out"
	grep -q 'secret .*TOKEN, in X-Key to web.test:443, from env MY_TOKEN' "$T/out"
	grep -q 'secret .*SAID, in Authorization to api.test:443, from command$' "$T/out"
	"$CORDON" policy show --policy "$T/net.yaml" --json >"$T/out.json"
	printf '{"origin": "user", "caps": ["compute", "net", "secret"]}' >"$T/all.json"
	printf '{"origin": "user", "caps": ["compute"]}' >"$T/none.json"
	"$CORDON" policy explain "$T/all.json" --policy "$T/net.yaml" >"$T/why"
	grep -q 'net deny .*bad.test' "$T/why"
	grep -q 'net sni ' "$T/why"
	grep -q 'secret .*TOKEN' "$T/why"
	"$CORDON" policy explain "$T/none.json" --policy "$T/net.yaml" >"$T/why-none"
	! grep -q 'web.test\|TOKEN' "$T/why-none" || return 1
	"$CORDON" policy explain "$T/all.json" --policy "$T/net.yaml" --json >"$T/why.json"
	"$CORDON" policy explain "$T/none.json" --policy "$T/net.yaml" --json >"$T/none.out"
	/usr/bin/python3 -I - "$T" <<'PY'
import json, sys
shown, why, none = (json.load(open(f"{sys.argv[1]}/{n}")) for n in ("out.json", "why.json", "none.out"))
assert shown["net"] == {"allow": ["web.test:443"], "deny": ["bad.test:*"], "sni": True}, shown["net"]
assert shown["secrets"][1] == {"name": "SAID", "host": "api.test:443", "header": "Authorization", "from": "command"}
assert why["box"]["net"] == shown["net"] and why["box"]["secret_names"] == ["TOKEN", "SAID"]
assert none["box"]["net"] is None and none["box"]["secret_names"] == []
PY
	! grep -q s3cret "$T"/out* "$T"/why* || return 1
}
