#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --net and the gate: which lists there are, which runs get them, what people agree to, what the log
# keeps; a host that only an untrusted page names; and what happens without cordon-egress.
load helper
load scan.bash
load gate.bash
load egress

# dials WHO STATUS OPTION...: a program that connects to the hosts of its standard input, one a line.
dials()
{
	local who=$1 expected=$2
	shift 2
	cat <<'PY' >"$T/dial.py"
import socket, sys
for line in sys.stdin:
    host, port = line.split()
    try:
        socket.create_connection((host, int(port)), 5).close()
        print("there", host)
    except OSError as e:
        print(e.strerror, host)
PY
	trusted "$who"
	gate "$who" "$expected" run --json --rules "$T/r" --tier no-cgroup "$@" "$T/dial.py"
}

# trusted WHO: so that files in $T expose nothing.
trusted() { [ -e "$T/$1/trusts" ] || { trust "$1" "$T" "$T/$1" && touch "$T/$1/trusts"; }; }

# reaches WHO STATUS ARG...: the user's run, where the policy lists the hosts of the call.
reaches()
{
	local who=$1 expected=$2
	shift 2
	trusted "$who"
	listed "$@"
	gate "$who" "$expected" run --json --rules "$T/r" --tier no-cgroup --user --policy "$T/listed.yaml" "$@"
}

# dials_listed WHO STATUS ARG...: the same with the hosts of $HOSTS, for the user, where the policy lists those of the call.
dials_listed()
{
	listed "$@"
	dials "$1" "$2" --user --policy "$T/listed.yaml" --stdin "$HOSTS" "${@:3}"
}

# hosts WORD...: what the program is to connect to; IN is a file of them.
hosts()
{
	printf '%s 80\n' "$@" >"$T/hosts"
	HOSTS=$T/hosts
}

policy()
{
	cat >"$T/policy.yaml"
}

lists() {
	policy <<'Y'
version: 2
net: {allow: ["web.test:80", "*.wild.test:80"], deny: ["evil.wild.test", "203.0.113.66"]}
Y
	hosts web.test a.wild.test evil.wild.test other.test EVIL.Wild.Test evil.wild.test.
	dials "$1" 0 --user --net web.test:80 --net '*.wild.test:80' --policy "$T/policy.yaml" --stdin "$HOSTS"
	holds 'r["stdout"].split("\n")[:2] == ["there web.test", "there a.wild.test"]' 'r["stdout"].count("there") == 2' \
		'"denied: evil.wild.test" in [e for e in r["egress"] if e["name"] == "evil.wild.test"][0]["rule"]'
	dials "$1" 0 --user --net other.test:80 --net evil.wild.test:80 --policy "$T/policy.yaml" --stdin "$HOSTS"
	holds '"there" not in r["stdout"]' '[e["outcome"] for e in r["effects"]] == ["waits", "withheld"]' \
		'"cordon grant --conversation" in r["effects"][0]["command"]'
	dials "$1" 0 --user --policy "$T/policy.yaml" --stdin "$HOSTS"
	holds '"there" not in r["stdout"]' 'r["egress"] == []' 'r["effects"] == []'
}
# bats test_tags=long
@test "lists of the policy and of the call, and deny wins" { each lists; }

without() {
	hosts web.test
	dials "$1" 0 --net web.test:80 --stdin "$HOSTS"
	holds '"there" not in r["stdout"]' 'r["egress"] == []' 'r["verdict"] == "allow" and r["state"] == "exposed"' \
		'[(e["effect"], e["object"], e["outcome"]) for e in r["effects"]] == [("net", "web.test:80", "waits")]'
}
@test "exposed code has no network by default, and cordon prints the command that grants it" { each without; }

answers() {
	install -d -m 777 "$T/given-$1"
	printf 'import socket\nsocket.create_connection(("web.test", 80)).close()\nopen("new", "w").close()\n' >"$T/fetch.py"
	reaches "$1" 0 --net web.test:80 --workspace "$T/given-$1" --apply "$T/fetch.py"
	holds '[(e["effect"], e["outcome"]) for e in r["effects"]] == [("net", "policy"), ("write", "waits")]'
	[ ! -e "$T/given-$1/new" ]
}
@test "what a run writes after answers of the network is an exposed write" { each answers; }

# What is told of each attempt, in the result and in the log.
FIELDS='{"name", "address", "port", "verdict", "rule", "bytes_out", "bytes_in", "wall_ms"}'

whole() {
	hosts web.test other.test silent.test
	dials_listed "$1" 0 --net web.test:80 --net silent.test:80
	holds "all($FIELDS <= set(e) for e in r['egress'])" '[e["verdict"] for e in r["egress"]] == ["connected", "refused", "failed"]' \
		'r["egress"][2]["wall_ms"] >= 2000'
	cp "$T/out" "$T/result"
	gate "$1" 0 audit trace "$(/usr/bin/python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["audit_id"])' "$T/out")" --json
	/usr/bin/python3 -I - "$T/result" "$T/out" <<'PY' || show
import json, sys
told = json.load(open(sys.argv[1]))["egress"]
def attempts(v):
    if isinstance(v, dict):
        yield from v.get("attempts", [])
        for x in v.values(): yield from attempts(x)
    elif isinstance(v, list):
        for x in v: yield from attempts(x)
logged = [a for line in open(sys.argv[2]) for a in attempts(json.loads(line))]
# What would allow a refused one follows from its name, and is told to people.
same = lambda rows: [{k: v for k, v in r.items() if k != "option"} for r in rows]
assert same(logged) == same(told), (logged, told)
assert [r["option"] for r in told] == [None, "--net other.test:PORT", None], told
PY
}
# bats test_tags=long
@test "result and log have the same fields of each connection attempt" { each whole; }

logged() {
	hosts web.test other.test
	dials_listed "$1" 0 --net web.test:80
	local id
	id=$(/usr/bin/python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["audit_id"])' "$T/out")
	gate "$1" 0 audit trace "$id" --json
	grep -q '"attempts":\[{"address":"203.0.113.2","bytes_in"' "$T/out" || show
	grep -q '"net":\["web.test:80"\]' "$T/out" || show
	grep -q 'no rule allows this name' "$T/out" || show
	gate "$1" 0 audit verify
}
# bats test_tags=long
@test "the log has every attempt" { each logged; }

# A person can be asked, also for a secret.
somebody()
{
	need_etc
	ssh-keygen -q -t ed25519 -N '' -f "$T/$1/key"
	"$CORDON" approvals key add "$1-me" "$T/$1/key.pub"
}

asked_about() {
	hosts web.test
	somebody "$1"
	dials "$1" 0 --net web.test:80 --stdin "$HOSTS"
	local id
	id=$(member 'r["approval_id"]')
	holds '"there" not in r["stdout"]' '[e["waits"] for e in r["effects"]] == [r["approval_id"]]'
	gate "$1" 0 approvals show "$id"
	out_has 'connect to web.test:80'
	dials "$1" 0 --net other.test:80 --stdin "$HOSTS"
	holds "r['approval_id'] != '$id'"
}
# bats test_tags=long
@test "people are asked about these hosts and no others" { each asked_about; }

shown() {
	policy <<'Y'
version: 2
secrets: [{name: TOKEN, host: "web.test:443", header: X-Key, env: MY_TOKEN}]
Y
	hosts web.test
	somebody "$1"
	export MY_TOKEN=s3cret-value
	dials "$1" 0 --secret TOKEN --policy "$T/policy.yaml" --stdin "$HOSTS"
	gate "$1" 0 approvals show "$(member 'r["approval_id"]')"
	out_has 'use the secret TOKEN, unseen, in X-Key at web.test:443'
	! grep -q s3cret "$T/out" || return 1
}
@test "people are shown which secret goes where" { each shown; }

named() {
	policy <<'Y'
version: 2
net: {allow: ["web.test:1-1000", "other.test:1-1000"], sni: true}
Y
	mkdir -p "$T/ca"
	cp "$W/ca.pem" "$T/ca/"
	cat <<'PY' >"$T/tls.py"
import socket, ssl, urllib.request
c = ssl.create_default_context(cafile="ca.pem")
def talk(host, name, port=443):
    try:
        with socket.create_connection((host, port), 5) as s:
            if name: s = c.wrap_socket(s, server_hostname=name)
            s.sendall(b"GET /x HTTP/1.0\r\n\r\n")
            got = b""
            while d := s.recv(4096): got += d
            return "hello" in got.decode()
    except OSError as e:
        return type(e).__name__
print(talk("web.test", "web.test"), talk("web.test", "other.test"), talk("web.test", None), talk("web.test", None, 80))
print(len(urllib.request.urlopen("http://web.test/n3000000").read()))
try: socket.create_connection(("web.test", 85))
except OSError as e: print(type(e).__name__)
with socket.create_connection(("web.test", 80), 5) as s:
    s.sendall(b"\x16\x03\x01\x02")
    s.shutdown(socket.SHUT_WR)
    try: print(s.recv(9))
    except OSError as e: print(type(e).__name__)
PY
	trusted "$1"
	gate "$1" 0 run --json --rules "$T/r" --tier no-cgroup --user --policy "$T/policy.yaml" \
		--net web.test:1-1000 --net other.test:1-1000 --workspace "$T/ca:ro" "$T/tls.py"
	holds 'r["stdout"].split("\n")[1:] == ["3000000", "ConnectionRefusedError", "ConnectionResetError", ""]' \
		'r["stdout"].split()[0] == "True" and r["stdout"].split()[3] == "True" and r["stdout"].count("True") == 2' \
		'"asks for other.test" in r["egress"][1]["rule"] and r["egress"][1]["verdict"] == "refused"' \
		'"without TLS" in r["egress"][2]["rule"] and r["egress"][2]["verdict"] == "refused"' \
		'r["egress"][1]["bytes_out"] == 0 and r["egress"][2]["bytes_out"] == 0' \
		'3000000 < r["egress"][4]["bytes_in"] < 3001000' 'r["egress"][5]["verdict"] == "failed"' \
		'"incomplete" in r["egress"][6]["rule"] and "443" not in r["egress"][6]["rule"]'
}
@test "with net.sni TLS must ask for the name that was dialled" { each named; }

# In place of the one error that no process can put on a socket.
unmade() { sed 's/^goes-on-gone, EINPROGRESS, error EHOSTUNREACH/goes-on-gone, EINPROGRESS, error ECONNREFUSED/'; }

through_us() {
	as root tee /proc/sys/net/ipv4/tcp_syn_retries <<<1 # a host that does not answer is given up after 3 s
	as root /usr/bin/python3 -I "$TOP/tests/egress/connects.py" </dev/null >"$T/bare"
	policy <<'Y'
version: 2
net: {allow: ["web.test:1-100", "six.test:1-100", "silent.test:83", "gone.test:83", "noway.test:83"], sni: true}
Y
	gate "$1" 0 run --rules "$T/r" --tier no-cgroup --user --policy "$T/policy.yaml" --net web.test:1-100 \
		--net six.test:1-100 --net silent.test:83 --net gone.test:83 --net noway.test:83 \
		"$TOP/tests/egress/connects.py"
	unmade <"$T/bare" | diff - "$T/out"
}
# bats test_tags=long
@test "connect is what it is without a box, also where the bytes go through us" { each through_us; }

resets() {
	policy <<'Y'
version: 2
net: {allow: ["web.test:82"], sni: true}
Y
	cat <<'PY' >"$T/reset.py"
import socket
def ends(s):
    got = b""
    try:
        while d := s.recv(65536): got += d
    except OSError as e:
        return len(got), type(e).__name__
    return len(got), "end"
def ask(word):
    s = socket.create_connection(("web.test", 82), 20)
    s.sendall(word)
    return s
print(ends(ask(b"x")), ends(ask(b"much\n")))  # the server resets, at once or behind a million bytes
s = ask(b"?")  # we do, since we close without reading: the server has seen it when it next says so
print(s.recv(1, socket.MSG_PEEK))
s.close()
print(ask(b"!").recv(100).decode())
PY
	gate "$1" 0 run --json --rules "$T/r" --tier no-cgroup --user --net web.test:82 --policy "$T/policy.yaml" "$T/reset.py"
	holds 'r["stdout"] == "(0, \x27ConnectionResetError\x27) (1000000, \x27ConnectionResetError\x27)\nb\x27?\x27\nConnectionResetError\n"' \
		'[e["verdict"] for e in r["egress"]] == ["connected"] * 4'
}
@test "a reset stays a reset, both ways, where the bytes go through us" { each resets; }

limited() {
	policy <<'Y'
version: 2
net: {allow: ["web.test:80", "half.test:80"], sni: true}
Y
	cat <<'PY' >"$T/much.py"
import asyncio, socket, sys, time
async def eager():
    began = time.monotonic()
    _, w = await asyncio.open_connection("half.test", 80, happy_eyeballs_delay=0.25)
    print(time.monotonic() - began < 2, flush=True)
asyncio.run(eager())
s = socket.create_connection(("web.test", 80))
if sys.argv[1] == "in":
    s.sendall(b"GET /n900000000 HTTP/1.0\r\n\r\n")
    while s.recv(1 << 16): pass
s.sendall(b"POST / HTTP/1.0\r\nContent-Length: 9999999999\r\n\r\n")
while True: s.sendall(b"x" * 65536)
PY
	local way
	for way in in out; do
		gate "$1" 137 run --json --rules "$T/r" --tier no-cgroup --user --policy "$T/policy.yaml" \
			--net web.test:80 --net half.test:80 \
			"--net-$way" 1M "$T/much.py" -- "$way"
		holds 'r["stdout"] == "True\n"' "r['status'] == 'limit' and r['limit'] == 'net-$way'" \
			"any(e['bytes_$way'] > 1 << 20 for e in r['egress'])"
	done
}
# bats test_tags=long
@test "where the bytes go through us: limits hold, and a client tries the next address meanwhile" { each limited; }

# What cordon-egress holds once a thousand connections are over, and as many calls have failed.
held() {
	local n options=("$@")
	cat <<'PY' >"$T/many.py"
import asyncio, time
def open_all(port, count):
    return asyncio.gather(*[asyncio.open_connection("web.test", port) for _ in range(count)], return_exceptions=True)
async def main():
    there = await open_all(83, 1000)
    for i, (_, w) in enumerate(there): w.write(b"%04d" % i)
    print(len({await r.readexactly(4) for r, _ in there}))
    for _, w in there: w.close()
    print({type(e).__name__ for e in await open_all(85, 1000)}, flush=True)
asyncio.run(main())
time.sleep(4)
PY
	(
		pid=$(await_egress)
		while n=$(find "/proc/$pid/fd" -type l 2>/dev/null | wc -l) && [ "$n" -gt 0 ]; do
			echo "$n"
			sleep 0.5
		done >"$T/samples"
	) &
	gate user 0 run --json --rules "$T/r" --tier no-cgroup --user --files 2048 --time 120s --connections 2000 \
		"${options[@]}" "$T/many.py"
	wait
	holds 'r["stdout"] == "1000\n{\x27ConnectionRefusedError\x27}\n"' 'r["limit"] is None' \
		'[e["verdict"] for e in r["egress"]].count("connected") == 1000' \
		'all(e["bytes_out"] == e["bytes_in"] == 4 or e["bytes_in"] == 5 for e in r["egress"] if e["verdict"] == "connected")'
	# The program is quiet for its last four seconds; cordon-egress ends soon after it.
	n=$(tail -n 3 "$T/samples" | head -n 1)
	[ "$n" -gt 2 ] && [ "$n" -lt 20 ] || { cat "$T/samples"; false; }
}

@test "a thousand connections at once leave no descriptor behind, whichever way they go" {
	gate_setup
	printf 'version: 2\nnet: {allow: ["web.test:80-90"], sni: true}\n' | policy
	listed --net web.test:80-90
	held --net web.test:80-90 --policy "$T/listed.yaml"
	held --net web.test:80-90 --policy "$T/policy.yaml"
}

secrets() {
	policy <<'Y'
version: 2
net: {allow: ["web.test:443", "self.test:443", "other.test:443", "a.wild.test:443"]}
secrets:
  - {name: TOKEN, host: "web.test:443", env: MY_TOKEN}
  - {name: FILED, host: "other.test:443", header: X-Key, file: "@T@/filed"}
  - {name: SAID, host: "a.wild.test:443", command: "echo said-$((40 + 2))"}
clean: {secret: listed}
Y
	sed -i "s|@T@|$T|" "$T/policy.yaml"
	echo filed-secret >"$T/filed"
	chmod 644 "$T/filed"
	cat <<'PY' >"$T/s.py"
import http.client, os, socket, urllib.request
def get(url, **headers):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers={k.replace("_", "-"): v for k, v in headers.items()}), timeout=5).read().decode().strip()
    except (OSError, http.client.HTTPException) as e:
        return type(e).__name__
token = os.environ["TOKEN"]
print(get("http://web.test/hash", Authorization="Bearer " + token))
print(get("http://web.test/auth", Authorization="Bearer " + token))
print(get("http://web.test/auth", X_Other=token))
print(get("http://other.test:80/x")[:5])
print("s3cret-value" in str(os.environ) + open("/proc/self/environ").read(), token.startswith("cordon-secret-"))
s = socket.create_connection(("web.test", 80))
s.sendall(b"CONNECT other.test:80 HTTP/1.1\r\n\r\n")
try: print(s.recv(100))
except OSError as e: print(type(e).__name__)
print(get("http://other.test/hash", X_Key=os.environ["FILED"]), get("http://other.test/hash", Authorization=os.environ["FILED"]),
      get("http://a.wild.test/hash", Authorization="Basic " + os.environ["SAID"]), get("http://a.wild.test/hash", Authorization=token))
PY
	local hash filed said ALL=(--secret TOKEN --secret FILED --secret SAID --net self.test:443)
	hash=$(printf 'Bearer s3cret-value' | sha256sum | cut -d' ' -f1)
	filed=$(printf filed-secret | sha256sum | cut -d' ' -f1)
	said=$(printf 'Basic said-42' | sha256sum | cut -d' ' -f1)
	export MY_TOKEN=s3cret-value
	gate "$1" 0 run --json --rules "$T/r" --tier no-cgroup --user "${ALL[@]}" --policy "$T/policy.yaml" "$T/s.py"
	HASH=$hash FILED=$filed SAID=$said holds 'r["stdout"].split("\n")[0] == __import__("os").environ["HASH"]' \
		'r["stdout"].split()[-4:-1:2] == [__import__("os").environ[n] for n in ("FILED", "SAID")]' \
		'len(set(r["stdout"].split()[-4:])) == 4' \
		'r["stdout"].split("\n")[2] == "nothing" and r["stdout"].split("\n")[4] == "False True"' \
		'"s3cret" not in str(r) and "filed-secret" not in str(r)' \
		'"the secret" in r["egress"][1]["rule"] and r["egress"][1]["verdict"] == "refused"' \
		'r["egress"][0]["port"] == 443 and r["egress"][0]["verdict"] == "connected"' \
		'any("HTTP/1.1" in e["rule"] for e in r["egress"])'
	! grep -rqa s3cret-value "$T/$1/cordon" || { echo "the secret is in the state"; return 1; }
	# Who is not granted secret has none, and nothing stands for it.
	printf 'import os\nprint("TOKEN" in os.environ)\n' >"$T/n.py"
	gate "$1" 0 run --json --rules "$T/r" --tier no-cgroup --user --net web.test:443 --policy "$T/policy.yaml" "$T/n.py"
	holds 'r["stdout"] == "False\n"'
	unset MY_TOKEN
	gate "$1" 125 run --json --rules "$T/r" --tier no-cgroup --user "${ALL[@]}" --policy "$T/policy.yaml" "$T/n.py"
	holds '"cannot read the secret TOKEN" in r["error"]["message"]'
}
# bats test_tags=long
@test "a secret reaches its host and is not visible in the box" { each secrets; }

narrowed() {
	policy <<'Y'
version: 2
secrets: [{name: TOKEN, host: "web.test:443", methods: [GET, PUT], path: /v1, env: MY_TOKEN}]
Y
	cat <<'PY' >"$T/q.py"
import hashlib, http.client, os, socket
token = "Bearer " + os.environ["TOKEN"]
def ask(method, path):
    c = http.client.HTTPConnection("web.test", timeout=5)
    try:
        c.request(method, path, body="x" if method != "GET" else None, headers={"Authorization": token})
        answer = c.getresponse()
        return answer.read().decode() if answer.status == 200 else str(answer.status)
    except (OSError, http.client.HTTPException):
        return "none"
for what in "GET /v1/a/hash", "GET /v1/b/hash", "GET /v1/c/hash", "GET /v1/ab/hash", "GET /v1/a/../c/hash", "GET /v1/a/%2e%2e/c/hash", "GET /hash", "POST /v1/a", "PUT /v1/a":
    print(ask(*what.split()))
# A second request on a connection, to a host that takes it, has no secret in it.
s = socket.create_connection(("web.test", 80), 5)
line = "GET %s HTTP/1.1\r\nX-Stay: 1\r\nAuthorization: " + token + "\r\n\r\n"
s.sendall((line % "/v1/a/hash" + line % "/v1/c/hash" + "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n").encode())
got = b""
while d := s.recv(9999): got += d
answers = [part[:64] for part in got.decode().split("\r\n\r\n")]
print(answers[1], answers[2] == hashlib.sha256(token.encode()).hexdigest())
PY
	export MY_TOKEN=s3cret-value
	exposed "$1"
	printf 'version: 2\nconfirmation: {secret: yes}\n' >"$T/own.yaml"
	person "$1" 0 grant --policy "$T/own.yaml" --conversation "$C" --secret TOKEN=GET,POST:web.test:443/v1/a --secret TOKEN=GET:web.test:443/v1/b
	person "$1" 0 grant --policy "$T/own.yaml" --conversation "$C" --secret TOKEN=GET:web.test:443/hash
	echo 'confirmation: {secret: yes}' >>"$T/policy.yaml" # else a confirmed grant gives no secret
	gate "$1" 0 run --json --rules "$T/r" --tier no-cgroup --conversation "$C" --secret TOKEN --policy "$T/policy.yaml" "$T/q.py"
	HASH=$(printf 'Bearer s3cret-value' | sha256sum | cut -d' ' -f1) holds \
		'r["stdout"].split("\n")[:9] == [h := __import__("os").environ["HASH"], h] + ["none"] * 7' \
		'r["stdout"].split("\n")[9] == __import__("os").environ["HASH"] + " True"' \
		'[e["verdict"] for e in r["egress"]] == ["connected"] * 2 + ["refused"] * 7 + ["connected"]' \
		'[e["rule"].split()[-1] for e in r["egress"][2:9]] == ["path"] * 5 + ["method"] * 2' \
		'all(e["rule"].startswith("the secret is not for requests") and e["bytes_out"] == 0 for e in r["egress"][2:9])'
	# What the policy gives by itself is its own row; a grant takes nothing away from that.
	echo 'clean: {secret: listed}' >>"$T/policy.yaml"
	trusted "$1"
	gate "$1" 0 run --json --rules "$T/r" --tier no-cgroup --conversation "$C" --user --secret TOKEN --policy "$T/policy.yaml" "$T/q.py"
	HASH=$(printf 'Bearer s3cret-value' | sha256sum | cut -d' ' -f1) holds 'r["effects"][0]["outcome"] == "policy"' \
		'r["stdout"].split("\n")[:9] == [__import__("os").environ["HASH"]] * 4 + ["none"] * 4 + ["501"]'
	# So does a plan, which fixes the program.
	conversation "$1"
	gate "$1" 0 plan --conversation "$C" --secret TOKEN --policy "$T/policy.yaml" --json "$T/q.py"
	local plan
	plan=$(member 'r["ticket"]')
	expose "$1"
	gate "$1" 0 run --json --rules "$T/r" --tier no-cgroup --conversation "$C" --plan "$plan" --secret TOKEN --policy "$T/policy.yaml" "$T/q.py"
	holds "r['effects'][0]['by'] == 'plan:$plan'" 'r["stdout"].split("\n")[4:9] == ["none"] * 4 + ["501"]'
}
# bats test_tags=long
@test "a secret goes in the requests that the policy and a grant name, and in no others" { each narrowed; }

@test "at most 16 texts of grants apply to a secret" {
	gate_setup
	policy <<'Y'
version: 2
confirmation: {secret: yes}
secrets: [{name: TOKEN, host: "web.test:443", command: "echo s3cret-value"}]
Y
	printf 'from http.client import HTTPConnection as C\nfor i in 1, 16, 17:\n    c = C("web.test")\n    c.request("GET", f"/{i}")\n    try: print(c.getresponse().status)\n    except OSError: print("none")\n' >"$T/q.py"
	exposed user
	local i uses=()
	for i in $(seq 17); do uses+=(--secret "TOKEN=GET:web.test:443/$i"); done
	printf 'version: 2\nconfirmation: {secret: yes}\n' >"$T/own.yaml"
	person user 0 grant --policy "$T/own.yaml" --conversation "$C" "${uses[@]}"
	gate user 0 run --json --rules "$T/r" --tier no-cgroup --conversation "$C" --secret TOKEN --policy "$T/policy.yaml" "$T/q.py"
	holds 'r["stdout"] == "200\n200\nnone\n"'
}

@test "a host that cannot prove its name gets no secret" {
	gate_setup
	policy <<'Y'
version: 2
net: {allow: ["both.test:443", "203.0.113.2:443"]}
secrets: [{name: TOKEN, host: "both.test:443", command: "echo s3cret-value"}]
clean: {secret: listed}
Y
	hosts both.test
	dials user 0 --user --secret TOKEN --policy "$T/policy.yaml" --stdin "$HOSTS"
	holds '"there" not in r["stdout"]' 'any("prove" in e["rule"] for e in r["egress"])'
}

# bats test_tags=long
@test "invalid --net values, and --net in the tier no-userns, are errors" {
	gate_setup
	hosts web.test
	local words
	for words in web.test web.test:0 web.test:x 0.0.0.0/0:80 '*.test:80' 1.2.3.4.5:80 '2001:db8::1:80'; do
		dials user 125 --user --net "$words" --stdin "$HOSTS"
		holds 'r["error"]["kind"] == "usage" and "--net" in r["error"]["message"]'
	done
	listed --net web.test:80
	gate user 125 run --json --user --tier no-userns --policy "$T/listed.yaml" --net web.test:80 "$T/dial.py"
	holds '"network" in r["error"]["message"]'
}

missing() {
	hosts web.test
	mv "$T/bin/cordon-egress" "$T/bin/away"
	dials_listed "$1" 125 --net web.test:80
	holds '"cordon-egress" in r["error"]["message"]'
	printf '#!/bin/sh\nexit 3\n' >"$T/bin/cordon-egress"
	chmod 755 "$T/bin/cordon-egress"
	dials_listed "$1" 125 --net web.test:80
	holds '"cordon-egress did not start" in r["error"]["message"]' 'r["stdout"] == ""'
	mv "$T/bin/away" "$T/bin/cordon-egress"
}
@test "without cordon-egress nothing runs" { each missing; }

# Connects, and has nothing to say for so many seconds.
stays() {
	printf 'import socket, time\nsocket.create_connection(("web.test", 80))\ntime.sleep(%d)\n' "$1" >"$T/long.py"
}

killed() {
	stays 20
	(kill -9 "$(await_egress)") &
	reaches "$1" 125 --net web.test:80 "$T/long.py"
	holds 'r["status"] == "error" and "cordon-egress died" in r["error"]["message"]' 'r["egress_cut"]' \
		'[(e["name"], e["verdict"]) for e in r["egress"]] == [("web.test", "connected")]'
	wait
	# What it had told is in the log, and that there may be more.
	id=$(/usr/bin/python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["audit_id"])' "$T/out")
	gate "$1" 0 audit trace "$id" --json
	grep -q '"attempts":\[{"address":"203.0.113.2".*"cut":true' "$T/out" || show
	printf 'print(1)\n' >"$T/quiet.py"
	reaches "$1" 0 --net web.test:80 "$T/quiet.py"
	id=$(/usr/bin/python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1]))["audit_id"])' "$T/out")
	gate "$1" 0 audit trace "$id" --json
	grep -q '"attempts":\[\],"cut":false' "$T/out" || show
}
# bats test_tags=long
@test "if cordon-egress is killed, the run ends with an error" { each killed; }

# Bytes of the longest queue that a process has for words of the kernel.
longest_queue() {
	/usr/bin/python3 -I - "$1" <<'PY'
import ctypes, os, socket, sys
pid, found = int(sys.argv[1]), [0]
for fd in os.listdir(f"/proc/{pid}/fd"):
    own = ctypes.CDLL(None).syscall(438, os.pidfd_open(pid), int(fd), 0)  # pidfd_getfd
    try: s = socket.socket(fileno=own)
    except OSError: continue
    if s.family == socket.AF_NETLINK: found.append(s.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF))
print(max(found))
PY
}

@test "root's cordon-egress hears the kernel with a longer queue than it could ask for as nobody" {
	gate_setup
	stays 3
	longest_queue "$(await_egress)" >"$T/queue" &
	reaches root 0 --net web.test:80 "$T/long.py"
	wait
	[ "$(cat "$T/queue")" -eq $((16 << 20)) ] || { cat "$T/queue"; false; }
}

stopped() {
	stays 4
	(
		pid=$(await_egress)
		kill -STOP "$pid"
		sleep 15
		kill -9 "$pid" 2>/dev/null && touch "$T/hung"
		true
	) &
	reaches "$1" 0 --net web.test:80 "$T/long.py"
	holds 'r["status"] == "exited"' 'r["egress_cut"]'
	wait
	[ ! -e "$T/hung" ]
}
# bats test_tags=long
@test "a cordon-egress that hangs is killed, and the run ends without waiting for it" { each stopped; }
