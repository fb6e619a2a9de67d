#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The profile dev with --net: sockets are the box's own until they are connected to a host. The box's
# loopback works beside the hosts, and the host's loopback and every other way out stay closed.
load helper
load egress

needs()
{
	need_root
	own_programs
	trust root "$T"
	trust user "$T"
}

both() {
	box "$1" --json --profile dev --net web.test:80 "$T/c.py"
	exits 0
	holds 'r["stdout"] == "hello\nhello\n780\n"' 'r["exec"] == "any"' \
		'len(r["egress"]) == 40 and all(e["verdict"] == "connected" for e in r["egress"])'
}
@test "a server of the box's own, urllib and asyncio" {
	cat <<'PY' | code c.py
import asyncio, socket, urllib.request
for family, host in (socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"):
    server = socket.create_server((host, 0), family=family)
    client = socket.create_connection((host, server.getsockname()[1]))
    server.accept()[0].sendall(b"hello")
    print(client.recv(9).decode())
urllib.request.urlopen("http://web.test/u").read()

async def one(i):
    r, w = await asyncio.open_connection("web.test", 80)
    w.write(b"GET /n%d HTTP/1.0\r\n\r\n" % i)
    d = await r.read()
    w.close()
    return len(d.split(b"\r\n\r\n", 1)[1])

async def main():
    print(sum(await asyncio.gather(*[one(i) for i in range(1, 40)])))

asyncio.run(main())
PY
	every both
}

clients() {
	box "$1" --profile dev --memory 1G --net web.test:80 "$T/c.sh"
	exits 0
	out_has 'hello web.test /x'
	out_has 'hello web.test /f'
}
@test "curl and Node's fetch" {
	cat <<'SH' | code c.sh
curl -sS http://web.test/x && echo
node -e 'fetch("http://web.test/f").then(r => r.text()).then(t => console.log(t))'
SH
	every clients
}

host_loopback() {
	box "$1" --profile dev --net web.test:80 "$T/host.py" -- 8099
	exits 0
	out_is $'first refused\nafter a failed dial refused\nserve refused'
	grep -q '^ready$' "$T/heard" && ! grep -q REACHED "$T/heard" || { cat "$T/heard"; return 1; }
}
@test "the host's loopback is not reached, also with a socket that was dialled before, and none serves it" {
	cat <<'PY' | code host.py
import socket, sys
port = int(sys.argv[1])
def attempt(what, s, act):
    s.settimeout(3)
    try:
        act()
        print(what, "REACHED")
    except OSError:
        print(what, "refused")
s = socket.socket()
attempt("first", s, lambda: s.connect(("127.0.0.1", port)))
s = socket.socket()
s.settimeout(3)
try:
    s.connect(("203.0.113.3", 80))
except OSError:
    pass
attempt("after a failed dial", s, lambda: s.connect(("127.0.0.1", port)))
def serve():
    s.bind(("0.0.0.0", 0))
    s.listen()
attempt("serve", s, serve)
PY
	# A listener on the loopback of the host, which is not the box's.
	as root timeout 100 /usr/bin/python3 -c "import socket
s = socket.create_server(('127.0.0.1', 8099))
print('ready', flush=True)
s.accept(); print('REACHED', flush=True)" >"$T/heard" 2>&1 3>&- &
	local pid=$!
	for _ in $(seq 100); do
		! grep -q ready "$T/heard" || break
		sleep 0.05
	done
	every host_loopback
	pkill -P $pid
	wait $pid || true
}

no_way() {
	box "$1" --json --profile dev --time 55s --net web.test:80 --net rebind.test:80 --net cname.test:80 \
		--connections 100000 "$TOP/tests/egress/bypass.py"
	exits 0
	/usr/bin/python3 -IS - "$T/out" <<'PY' || show
import json, sys
lines = json.load(open(sys.argv[1]))["stdout"].splitlines()
assert len(lines) >= 30, lines
# Serving is the box's own affair here, on its loopback.
assert {l.split()[0] for l in lines if " failed:" not in l} <= {"listen", "bind-and-listen"}, lines
PY
}
# bats test_tags=long
@test "every way out fails" { every no_way; }
