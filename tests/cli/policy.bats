#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon policy: its verbs, what they print and exit with; and docs/reference/policy.md: its table of profiles
# is the program's.
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

# wrong LINES MESSAGE: a policy with these lines is wrong, and check says so.
wrong()
{
	printf 'version: 2\n%b\n' "$1" >"$T/p.yaml"
	policy 1 check "$T/p.yaml"
	err_has "$2"
}

@test "policy check names the file and line of each error" {
	printf 'version: 2\n' >"$T/p.yaml"
	policy 0 check "$T/p.yaml"
	wrong 'profile: lax' 'p.yaml:2: profile: there is no "lax" (strict, balanced or observe)'
	policy 1 check "$T/p.yaml" --json
	holds 'r["error"]["kind"] == "input" and ":2: profile" in r["error"]["message"]'
	wrong 'exposed: {write: allow}' 'only ask and deny'
	wrong 'exposed: {net: listed}' 'only ask and deny'
	wrong 'grants: [{directory: app, write: [.]}]' 'is not an absolute path'
	wrong 'grants: [{directory: /app, net: ["*.example.org:443"]}]' 'p.yaml:2: '
	wrong 'rules: {ATR-2026-00297: often}' 'there is no "often"'
	wrong 'when: {origin: user}' 'p.yaml:2: '
	printf 'version: 1\n' >"$T/p.yaml"
	policy 1 check "$T/p.yaml"
	err_has 'p.yaml:1: version'
}

@test "policy exits with 2 on wrong usage, and with 125 on an unreadable file" {
	policy 2
	policy 2 dance
	policy 2 check
	policy 2 check a b
	policy 2 show x
	policy 2 check a --policy b
	policy 2 --nothing show
	policy 125 check "$T/nothing.yaml"
	err_has 'nothing.yaml: No such file'
	printf 'version: 1\n' >"$T/p.yaml"
	policy 125 show --policy "$T/p.yaml"
	err_has 'p.yaml:1: version'
}

@test "show has all of it: names, never what a command says" {
	policy 0 show
	out_has 'built in'
	cat >"$T/p.yaml" <<-'END'
		version: 2
		net: {allow: [B.example:443, a.example:80], deny: ["*.c.example"], trusted: [a.example:80], sni: true}
		clean: {secret: listed}
		exposed: {write: deny, tier: full, limits: {time: 5s}}
		secrets: [{name: TOKEN, host: "a.example:443", methods: [GET, PUT], path: /v1, command: "echo s3cret-value"}]
		grants: [{directory: /app, write: [src], net: [a.example:80], secret: ["TOKEN=GET:A.example:443/v1/x"]}]
		rules: {ATR-2026-00297: shown}
		confirmation: {write: no, secret: yes}
		approval: {ttl: 1h, wait: 2h, approvers: 2}
	END
	policy 0 show --policy "$T/p.yaml" --json
	holds 'r["net_allow"] == ["a.example:80", "b.example:443"] and r["net_deny"] == ["*.c.example:*"]' \
		'r["net_trusted"] == ["a.example:80"] and r["net_sni"]' \
		'r["confirmation"] == {"write": False, "net": True, "secret": True}' \
		'r["clean"] == {"write": "allow", "net": "listed", "secret": "listed"}' \
		'r["exposed"] == {"write": "deny", "net": "ask", "secret": "ask"}' \
		'r["tier"] == "full" and r["limits"] == {"time": 5000} and r["rules"] == {"ATR-2026-00297": "shown"}' \
		'r["grants"][0]["directory"] == "/app" and r["secrets"][0]["name"] == "TOKEN"' \
		'r["secrets"][0]["methods"] == "GET,PUT" and r["secrets"][0]["path"] == "/v1"' \
		'r["grants"][0]["secret"] == ["TOKEN=GET:a.example:443/v1/x"]' \
		'r["approval"] == {"ttl_ms": 3600000, "wait_ms": 7200000, "approvers": 2}'
	run ! grep -q s3cret "$T/out"
	policy 0 show --policy "$T/p.yaml"
	out_has 'rule        ATR-2026-00297 shown'
	out_has 'TOKEN, in Authorization of GET,PUT requests to a.example:443/v1, from command'
	run ! grep -q s3cret-value "$T/out"
}

# In each row a key has another value than in the row's first policy.
@test "show: every key makes a difference, in text and in JSON" {
	/usr/bin/python3 -I - "$CORDON" "$T" <<'PY' || show
import json, re, subprocess, sys
cordon, work = sys.argv[1:]
SECRET = "secrets: [{name: %s, host: '%s', header: %s, %s}]"
GRANT = "grants: [{directory: %s, write: [%s], net: ['%s'], secret: ['%s']}]"
ROWS = {
    "profile": "profile: strict", "exec": "exec: listed", "rules": "rules: {A-1: shown}",
    "clean.write": "clean: {write: deny}", "clean.net": "clean: {net: deny}", "clean.secret": "clean: {secret: deny}",
    "exposed.write": "exposed: {write: deny}", "exposed.net": "exposed: {net: deny}",
    "exposed.secret": "exposed: {secret: deny}", "exposed.tier": "exposed: {tier: full}",
    "exposed.limits": "exposed: {limits: {time: 5s}}",
    "net.allow": "net: {allow: [a.example:1]}", "net.deny": "net: {deny: [a.example]}",
    "net.trusted": "net: {trusted: [a.example:1]}", "net.sni": "net: {sni: true}",
    "confirmation.write": "confirmation: {write: no}", "confirmation.net": "confirmation: {net: no}",
    "confirmation.secret": "confirmation: {secret: yes}",
    "approval.ttl": "approval: {ttl: 7m}", "approval.wait": "approval: {wait: 7m}",
    "approval.approvers": "approval: {approvers: 2}",
    **{"secret." + key: (SECRET % ("A", "a.example:1", "H", "env: E"), SECRET % words) for key, words in {
        "name": ("B", "a.example:1", "H", "env: E"), "host": ("A", "b.example:1", "H", "env: E"),
        "header": ("A", "a.example:1", "I", "env: E"), "env": ("A", "a.example:1", "H", "env: F"),
        "file": ("A", "a.example:1", "H", "file: /f"), "command": ("A", "a.example:1", "H", "command: c"),
        "methods": ("A", "a.example:1", "H", "env: E, methods: [GET]"),
        "path": ("A", "a.example:1", "H", "env: E, path: /v1")}.items()},
    **{"grant." + key: (GRANT % ("/a", "w", "a.example:1", "A=GET:a.example:1/"), GRANT % words) for key, words in {
        "directory": ("/b", "w", "a.example:1", "A=GET:a.example:1/"), "write": ("/a", "v", "a.example:1", "A=GET:a.example:1/"),
        "net": ("/a", "w", "b.example:1", "A=GET:a.example:1/"), "secret": ("/a", "w", "a.example:1", "A=GET:a.example:1/v1")}.items()},
}
WHOLES = {"version", "clean", "exposed", "net", "secrets", "grants", "confirmation", "approval"}

def shown(line, *words):
    with open(work + "/p.yaml", "w") as file:
        file.write(f"version: 2\n{line}\n")
    out = subprocess.run([cordon, "policy", "show", "--policy", work + "/p.yaml", *words], check=True,
                         stdout=subprocess.PIPE).stdout.decode()
    return re.sub(r"\b[0-9a-f]{64}\b", "", out)

man = subprocess.run([cordon, "man"], check=True, stdout=subprocess.PIPE).stdout.decode()
keys = re.findall(r"^\.B (\S+)$", man.split(".SH POLICY\n")[1].split("\n.SH ")[0], re.M)
assert set(keys) == set(ROWS) | WHOLES, set(keys) ^ (set(ROWS) | WHOLES)
for key, row in ROWS.items():
    before, after = row if isinstance(row, tuple) else ("", row)
    for words in [], ["--json"]:
        assert shown(before, *words) != shown(after, *words), (key, words)
PY
}

@test "docs/reference/policy.md: the table of the profiles is the program's" {
	local p
	for p in strict balanced observe; do
		printf 'version: 2\nprofile: %s\n' $p >"$T/$p.yaml"
		policy 0 show --policy "$T/$p.yaml" --json
		cp "$T/out" "$T/$p.json"
	done
	/usr/bin/python3 -I - "$TOP/docs/reference/policy.md" "$T" <<'PY'
import json, sys
text = open(sys.argv[1], encoding="utf-8").read().split("## The profiles\n")[1].split("\n## ")[0]
rows = [[c.strip().strip("`") for c in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("| ")]
names = rows[0][1:]
have = {row[0]: dict(zip(names, row[1:])) for row in rows[1:]}
waits = {"all derived code": "always", "derived code with a finding": "with a finding", "never": "never"}
want = {}
for p in names:
    r = json.load(open(f"{sys.argv[2]}/{p}.json"))
    cells = {f"{state}: {effect}": word for state in ["clean", "exposed"] for effect, word in r[state].items()}
    cells |= {"derived code waits for a person": waits[r["waits"]], "weakest box of exposed code": r["tier"]}
    for row, word in cells.items():
        want.setdefault(row, {})[p] = word
assert have == want, f"the table should be {want}"
PY
}

