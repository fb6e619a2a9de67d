#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Connections to hosts that are allowed, as real programs make them, and to no others. All of it in an
# internet of its own: tests/egress/world.
load helper
load egress

export DATABASES=1

needs()
{
	need_root
	own_programs
	trust root "$T"
	trust user "$T"
}

# client TEXT OPTION...: in every way, it prints TEXT and every attempt got there.
client()
{
	local text=$1 way
	shift
	for way in $WAYS; do
		box "$way" --json "$@"
		exits 0
		TEXT=$text holds '__import__("os").environ["TEXT"] in r["stdout"]' 'r["egress"]' \
			'all(e["verdict"] == "connected" for e in r["egress"])' \
			'all(e["bytes_in"] > 0 for e in r["egress"])' 'not r["egress_cut"]'
	done
}
BINARY='--lang binary'

@test "curl" {
	# shellcheck disable=SC2086
	client 'hello web.test /x' --net web.test:80 $BINARY /usr/bin/curl -- -sS http://web.test/x
}

@test "curl reaches a host over TLS end to end" {
	mkdir "$T/ca"
	cp "$W/ca.pem" "$T/ca/"
	# shellcheck disable=SC2086
	client 'hello web.test /x' --net web.test:443 --workspace "$T/ca:ro" $BINARY /usr/bin/curl -- \
		-sS --cacert ca.pem https://web.test/x
}

@test "Python: urllib, http.client, asyncio" {
	cat <<'PY' | code c.py
import asyncio, http.client, urllib.request
print(urllib.request.urlopen("http://web.test/u").read())
c = http.client.HTTPConnection("web.test")
c.request("GET", "/h")
print(c.getresponse().read())

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
	client 780 --net web.test:80 "$T/c.py"
}

@test "Node: fetch" {
	printf 'console.log(await (await fetch("http://web.test/f")).text());\n' | code c.mjs
	client 'hello web.test /f' --net web.test:80 --memory 1G "$T/c.mjs"
}

@test "psql" {
	local bin=(/usr/lib/postgresql/*/bin/psql)
	# shellcheck disable=SC2086
	client 42 --net web.test:5432 $BINARY "${bin[0]}" -- -h web.test -U agent -d postgres -Atc 'select 6*7'
}

@test "redis-cli" {
	# shellcheck disable=SC2086
	client PONG --net web.test:6379 $BINARY /usr/bin/redis-cli -- -h web.test ping
}

@test "git clone over HTTP" {
	local g=(git -c user.name=a -c user.email=a@b)
	[ -d "$W/git/r.git" ] || (
		cd "$W/git" && git init -q src && cd src && echo from-git >a && git add a &&
			"${g[@]}" commit -qm one && cd .. && git clone -q --bare src r.git &&
			cd r.git && git update-server-info
	)
	printf 'cd /tmp && git clone -q http://web.test:84/r.git c && cat c/a\n' | code c.sh
	client from-git --net web.test:84 --exec /usr/bin/git --exec /usr/lib/git-core/git \
		--exec /usr/lib/git-core/git-remote-http "$T/c.sh"
}

@test "a banner, a slow server, one that resets, one that is not there" {
	cat <<'PY' | code c.py
import socket
def lines(port):
    with socket.create_connection(("web.test", port), 5) as s:
        if port == 82: s.send(b"x")
        got = b""
        try:
            while d := s.recv(100): got += d
        except OSError as e:
            got += type(e).__name__.encode()
        return got
print(lines(22), lines(81), lines(82))
try: lines(85)
except OSError as e: print(type(e).__name__)
PY
	check() {
		box "$1" --json --net web.test:1-100 "$T/c.py"
		exits 0
		holds "r['stdout'] == \"b'SSH-2.0-test\\\\r\\\\n' b'slow\\\\n' b'ConnectionResetError'\\nConnectionRefusedError\\n\"" \
			'[e["verdict"] for e in r["egress"]] == ["connected"] * 3 + ["failed"]' \
			'r["egress"][1]["wall_ms"] >= 800' 'r["egress"][1]["bytes_in"] in (5, 6)'
	}
	every check
}

@test "names: patterns, several addresses, IPv6, both; by TCP too" {
	cat <<'PY' | code c.py
import socket, struct, urllib.request
for n in ("a.wild.test", "two.test", "six.test", "both.test"):
    print(urllib.request.urlopen("http://%s/" % n, timeout=5).read())
q = b"\0\7\1\0\0\1\0\0\0\0\0\0\3two\4test\0\0\1\0\1"
with socket.create_connection(("127.0.0.53", 53)) as s:
    s.sendall(struct.pack(">H", len(q)) + q + struct.pack(">H", len(q)) + q[:-3] + b"\x1c\0\1")
    f = s.makefile("rb")
    for _ in range(2):
        a = f.read(struct.unpack(">H", f.read(2))[0])
        print(a[3] & 15, a[7])
PY
	check() {
		box "$1" --json --net '*.wild.test:80' --net two.test:80 --net six.test:80 --net both.test:80 "$T/c.py"
		exits 0
		holds 'r["stdout"].count("hello") == 4' 'r["stdout"].endswith("0 2\n0 0\n")' \
			'"2001:db8:77::2" in [e["address"] for e in r["egress"]]'
	}
	every check
}

@test "addresses as they are, of both kinds, and a client that does not wait for the first" {
	cat <<'PY' | code c.py
import asyncio, time, urllib.request
for n in ("203.0.113.3", "[2001:db8:77::2]"):
    print(urllib.request.urlopen("http://%s/" % n, timeout=5).read())

async def main():
    began = time.monotonic()
    for n in ("both.test", "half.test"):
        _, w = await asyncio.open_connection(n, 80, happy_eyeballs_delay=0.25)
        print(w.get_extra_info("peername")[0])
        w.close()
    print(time.monotonic() - began < 5)

asyncio.run(main())
PY
	check() {
		box "$1" --json --net 203.0.113.0/24:80 --net '[2001:db8:77::2]:80' --net both.test:80 \
			--net half.test:80 "$T/c.py"
		exits 0
		holds 'r["stdout"].count("hello") == 2' 'r["stdout"].endswith("\n203.0.113.2\nTrue\n")' \
			'[e["rule"] for e in r["egress"][:2]] == ["203.0.113.0/24:80", "[2001:db8:77::2]:80"]' \
			'[e["verdict"] for e in r["egress"] if e["address"] == "2001:db8:77::98"] == ["failed"]'
	}
	every check
}

@test "a descriptor that is in epoll, or was copied, before it is connected" {
	cat <<'PY' | code c.py
import errno, os, select, socket, threading
at = socket.getaddrinfo("web.test", 83, socket.AF_INET, socket.SOCK_STREAM)[0][4]

def ends(s, by):
    by.sendall(b"ping")
    return by.recv(10)

s = socket.socket()
s.setblocking(False)
poll = select.epoll()
poll.register(s.fileno(), select.EPOLLOUT | select.EPOLLIN | select.EPOLLET)
poll.poll(0)
e = s.connect_ex(at)
print(errno.errorcode.get(e, e))
print(any(ev & select.EPOLLOUT and not ev & select.EPOLLHUP for _, ev in poll.poll(5)))
print(s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR), s.connect_ex(at) == 0)
s.sendall(b"ping")
print(any(ev & select.EPOLLIN for _, ev in poll.poll(5)), s.recv(10), s.getblocking())

s = socket.socket()
copy = s.dup()
pid = os.fork()
if pid == 0:
    s.connect(at)
    os._exit(0)
os.waitpid(pid, 0)
print(ends(s, copy), copy.getblocking())

def one(out):
    with socket.create_connection(at) as s:
        out.append(ends(s, s))
got = []
threads = [threading.Thread(target=one, args=(got,)) for _ in range(40)]
[t.start() for t in threads], [t.join() for t in threads]
print(len(got), set(got))
PY
	check() {
		box "$1" --json --net web.test:83 "$T/c.py"
		exits 0
		holds "r['stdout'] == \"EINPROGRESS\\nTrue\\n0 True\\nTrue b'ping' False\\nb'ping' True\\n40 {b'ping'}\\n\"" \
			'len(r["egress"]) == 42'
	}
	every check
}

@test "the other side sees when the program closes, at once" {
	cat <<'PY' | code c.py
import socket, time
def redis(s, words):
    s.sendall(words + b"\r\n")
    return s.recv(65536)
a = socket.create_connection(("web.test", 6379))
b = socket.socket()
b.setblocking(False)
b.connect_ex((socket.gethostbyname("web.test"), 6379))
b.setblocking(True)
time.sleep(0.1)
redis(a, b"client setname one"), redis(b, b"client setname two")
a.close()
time.sleep(0.2)
print(b"name=one" in redis(b, b"client list"), b"name=two" in redis(b, b"client list"))
PY
	check() {
		box "$1" --net web.test:6379 "$T/c.py"
		exits 0
		out_is 'False True'
	}
	every check
}

@test "a call that waits ends by the program's own time limit" {
	cat <<'PY' | code c.py
import socket, struct, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, 300000))
began = time.monotonic()
try: s.connect((socket.gethostbyname("silent.test"), 80))
except OSError as e: print(e.strerror, 0.2 < time.monotonic() - began)
try: socket.create_connection(("silent.test", 80), 0.3)
except OSError as e: print(type(e).__name__)
PY
	check() {
		box "$1" --json --net silent.test:80 "$T/c.py"
		exits 0
		holds 'r["stdout"] == "Operation now in progress True\nTimeoutError\n"' \
			'[e["verdict"] for e in r["egress"]] == ["failed"] * 2'
	}
	every check
}

# bats test_tags=long
@test "connect is what it is without a box" {
	# Who does not answer is given up after 3 s.
	as root tee /proc/sys/net/ipv4/tcp_syn_retries <<<1
	as root /usr/bin/python3 -I "$TOP/tests/egress/connects.py" </dev/null >"$T/bare"
	[ "$(wc -l <"$T/bare")" -ge 25 ]
	check() {
		box "$1" --net web.test:1-100 --net six.test:1-100 --net silent.test:83 --net gone.test:83 \
			--net noway.test:83 "$TOP/tests/egress/connects.py"
		exits 0
		diff "$T/bare" "$T/out"
	}
	every check
}

@test "the kernel's count: bytes out and in" {
	cat <<'PY' | code c.py
import urllib.request
print(urllib.request.urlopen("http://web.test/", b"x" * 3000000).read())
print(len(urllib.request.urlopen("http://web.test/n2000000").read()))
PY
	check() {
		box "$1" --json --net web.test:80 "$T/c.py"
		exits 0
		holds '3000000 < r["egress"][0]["bytes_out"] < 3001000' \
			'2000000 < r["egress"][1]["bytes_in"] < 2001000'
	}
	every check
}

# bats test_tags=long
@test "limits: connections are refused, bytes end the run" {
	cat <<'PY' | code c.py
import socket
for i in range(5):
    try: socket.create_connection(("web.test", 83)).close(); print("there")
    except OSError as e: print(e.strerror)
PY
	cat <<'PY' | code out.py
import socket
s = socket.create_connection(("web.test", 80))
s.sendall(b"POST / HTTP/1.0\r\nContent-Length: 9999999999\r\n\r\n")
while True: s.sendall(b"x" * 65536)
PY
	cat <<'PY' | code in.py
import urllib.request
print(len(urllib.request.urlopen("http://web.test/n900000000").read()))
PY
	check() {
		box "$1" --json --net web.test:83 --connections 3 "$T/c.py"
		exits 0
		holds 'r["stdout"].split("\n")[:5] == ["there"] * 3 + ["Permission denied"] * 2' \
			'r["limit"] == "connections"' '"limit" in r["egress"][4]["rule"]'
		box "$1" --json --net web.test:80 --net-out 1M "$T/out.py"
		holds 'r["status"] == "limit" and r["limit"] == "net-out"' 'r["egress"][0]["bytes_out"] > 1 << 20'
		box "$1" --json --net web.test:80 --net-in 1M --memory 2G "$T/in.py"
		holds 'r["status"] == "limit" and r["limit"] == "net-in"'
	}
	every check
}

@test "a thousand connections at once, and nothing is left of them" {
	cat <<'PY' | code c.py
import asyncio, os
async def main():
    there = [await asyncio.open_connection("web.test", 83) for _ in range(8)]
    there += await asyncio.gather(*[asyncio.open_connection("web.test", 83) for _ in range(992)])
    for i, (_, w) in enumerate(there): w.write(b"%04d" % i)
    got = [await r.readexactly(4) for r, _ in there]
    print(len(set(got)))
    for _, w in there: w.close()
    await asyncio.sleep(0.2)
    print(len(os.listdir("/proc/self/fd")) < 20)
asyncio.run(main())
PY
	check() {
		box "$1" --json --net web.test:83 --files 2048 --connections 1000 --time 120s "$T/c.py"
		exits 0
		holds 'r["stdout"] == "1000\nTrue\n"' 'len(r["egress"]) == 1000' \
			'all(e["verdict"] == "connected" and e["bytes_out"] == 4 for e in r["egress"])' \
			'r["limit"] is None'
	}
	every check
	[ -z "$(own_egress)" ]
}

@test "the result names the limit that ended the run, not one reached before" {
	cat <<'PY' | code c.py
import os, socket
for _ in range(2):
    try: socket.create_connection(("web.test", 80))
    except OSError as e: print(e, flush=True)
for _ in range(3):
    if os.fork() == 0: break
kept = [bytearray(os.urandom(1 << 20)) for _ in range(128)]
import time
time.sleep(100)
PY
	check() {
		box "$1" --json --net web.test:80 --connections 1 --memory 64M --time 100s "$T/c.py"
		holds 'r["stdout"]' 'r["status"] == "limit"' 'r["limit"] == "memory"'
	}
	every check
}

@test "refused calls are listed up to a maximum, and connections go on" {
	cat <<'PY' | code c.py
import socket, urllib.request
def refused(call):
    try: call()
    except OSError: return 1
missing = lambda: socket.socket(socket.AF_UNIX).connect("/nobody")
print(sum(refused(lambda: socket.socket(socket.AF_PACKET)) for _ in range(4095)), refused(missing))
print(refused(missing), refused(lambda: socket.socket(socket.AF_VSOCK)))
print(urllib.request.urlopen("http://web.test/u").status)
PY
	check() {
		box "$1" --json --net web.test:80 "$T/c.py"
		exits 0
		holds 'r["stdout"] == "4095 1\n1 1\n200\n"' 'r["denials_cut"]' \
			'[(d["call"], d["count"]) for d in r["denials"]] == [("socket", 4095), ("connect", 1)]'
	}
	every check
}

# bats test_tags=long
@test "a local connection that waits blocks no other, and ends with the run" {
	cat <<'PY' | code c.py
import errno, fcntl, os, socket, sys, threading, time, urllib.request
LISTENER = socket.socket(socket.AF_UNIX)
LISTENER.bind("/tmp/full")
LISTENER.listen(0)
first = socket.socket(socket.AF_UNIX)
first.connect("/tmp/full")
got = []
threading.stack_size(128 * 1024)

def connect(toggle):
    s = socket.socket(socket.AF_UNIX)
    def change():
        while True: fcntl.fcntl(s, fcntl.F_SETFL, 0)
    if toggle: threading.Thread(target=change, daemon=True).start()
    try: s.connect("/tmp/full"); got.append("connected")
    except OSError as e: got.append(errno.errorcode[e.errno])

def start(n, toggle=False):
    t = [threading.Thread(target=connect, args=(toggle,), daemon=True) for _ in range(n)]
    for one in t: one.start()
    time.sleep(1)
    return t

if sys.argv[1] == "accept":
    t = start(3)
    print(got, urllib.request.urlopen("http://web.test/u").status)
    there = [LISTENER.accept() for _ in range(4)]
    for one in t: one.join()
    print(got)
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    busy = socket.socket(socket.AF_UNIX)
    busy.connect("/tmp/full")
    print(errno.errorcode[s.connect_ex("/tmp/full")])
elif sys.argv[1] == "many":
    start(65)
    print(got, flush=True)
    os._exit(0)
else:
    start(1, True)
    print("waits", flush=True)
    connect(True)
PY
	check() {
		box "$1" --json --net web.test:80 "$T/c.py" -- accept
		exits 0
		holds 'r["stdout"] == "[] 200\n" + repr(["connected"] * 3) + "\nEAGAIN\n"'
		box "$1" --json --net web.test:80 --pids 80 "$T/c.py" -- many
		exits 0
		holds 'r["stdout"] == repr(["EAGAIN"]) + "\n"'
		box "$1" --json --net web.test:80 --time 3s "$T/c.py" -- toggle
		holds 'r["status"] == "timed_out"' 'r["stdout"] == "waits\n"' 'r["usage"]["wall_ms"] < 6000'
	}
	every check
	for _ in $(seq 50); do # init may still be on its way out
		pgrep -x cordon-box --ns "$(cat "$W/client")" --nslist net >/dev/null || return 0
		sleep 0.1
	done
	false
}

# Each in a box of its own. In the short form those share a box that leave few lines of their own.
# bats test_tags=long
@test "every attempt to leave the box fails and is reported" {
	local names
	: >"$W/asked"
	check() {
		/usr/bin/python3 -I -c 'import os, runpy, sys
names = [row[0] for row in runpy.run_path(sys.argv[1])["ATTEMPTS"]]
assert len(names) >= 30
alone = names if "TEST_MORE" in os.environ else [n for n in names if n.startswith(("race", "rebinding"))]
print(*alone, " ".join(n for n in names if n not in alone), sep="\n")' "$TOP/tests/egress/bypass.py" >"$T/rows"
		while read -r names; do
			[ -n "$names" ] || continue
			# shellcheck disable=SC2086 # words
			box "$1" --json --net web.test:80 --net rebind.test:80 --net cname.test:80 --connections 100000 \
				"$TOP/tests/egress/bypass.py" -- $names </dev/null
			exits 0
			/usr/bin/python3 -I - "$T/out" "$names" <<'PY' || show
import json, sys
r, names = json.load(open(sys.argv[1])), sys.argv[2].split()
rows = [line.split(maxsplit=2) for line in r["stdout"].splitlines()]
assert [row[0] for row in rows] == names and all(row[2].startswith("failed:") for row in rows), rows
where = [row[1] for row in rows]
refused = [e for e in r["egress"] if e["verdict"] == "refused" and e["rule"]]
least = where.count("egress") * (0.8 if names[1:] else 1)  # one box lists a refused name once
assert len(refused) >= least, (least, r["egress"])
for call in set(where) - {"egress", "quiet"}:
    assert sum(d["count"] for d in r["denials"] if d["call"] == call and d["rule"]) >= where.count(call), (call, r["denials"])
PY
		done <"$T/rows"
	}
	every check
	# No question left for a name that no rule allows.
	[ -z "$(asked | grep -vE '^(web|rebind|cname)\.test ')" ] || { asked | sort | uniq -c; false; }
}

@test "places that are not on the internet, by name and by address" {
	cat <<'PY' | code c.py
import sys, urllib.request
for n in sys.argv[1:]:
    try: urllib.request.urlopen("http://%s/" % n, timeout=5).read(); print("there", n)
    except OSError as e: print(e, n)
PY
	local names=(private.test meta.test loop.test self.test local6.test mapped.test azure.test cname.test)
	check() {
		box "$1" --json --net private.test:80 --net meta.test:80 --net loop.test:80 --net self.test:80 \
			--net local6.test:80 --net mapped.test:80 --net azure.test:80 --net cname.test:80 "$T/c.py" -- "${names[@]}"
		exits 0
		holds '"there" not in r["stdout"]' 'len([e for e in r["egress"] if e["verdict"] == "refused"]) == 8' \
			'"private" in r["egress"][0]["rule"] and "secrets" in r["egress"][1]["rule"]'
		box "$1" --json --net private.test:80 --net 10.77.0.2:80 "$T/c.py" -- private.test 10.77.0.2
		holds 'r["stdout"].count("there") == 2'
	}
	every check
}

@test "a name that has a good address and a bad one is reached at the good one alone" {
	cat <<'PY' | code c.py
import socket
for *_, at in socket.getaddrinfo("mixed.test", 80, socket.AF_INET, socket.SOCK_STREAM):
    try: socket.create_connection(at, 5).close(); print("there")
    except OSError as e: print(e.strerror)
PY
	check() {
		box "$1" --json --net mixed.test:80 "$T/c.py"
		exits 0
		holds 'sorted(r["stdout"].split("\n")) == ["", "Permission denied", "there"]' \
			'{e["address"]: e["verdict"] for e in r["egress"]} == {"10.77.0.2": "refused", "203.0.113.2": "connected"}'
	}
	every check
}

@test "a name in capitals, with its last dot, or in wide letters is the same name" {
	cat <<'PY' | code c.py
import socket
for name in ("WEB.Test", "web.test.", "\uff57eb.test", "web\u3002test", "xn--wb-bja.test"):
    try: socket.create_connection((name, 80), 5).close(); print("there")
    except OSError as e: print(e.strerror)
PY
	check() {
		box "$1" --json --net Web.TEST:80 "$T/c.py"
		exits 0
		holds 'r["stdout"] == "there\n" * 4 + "Name or service not known\n"' \
			'[e["name"] for e in r["egress"]] == ["web.test"] * 4 + ["xn--wb-bja.test"]'
	}
	every check
}

@test "bytes count for every call that sends, and for every process that holds the socket" {
	cat <<'PY' | code c.py
import array, os, socket, sys
BLOCK = b"x" * 65536

def send(s):
    while True: s.sendall(BLOCK)

def sendfile(s):
    with open("/tmp/block", "wb") as f: f.write(BLOCK)
    with open("/tmp/block", "rb") as f:
        while True: os.sendfile(s.fileno(), f.fileno(), 0, len(BLOCK))

def sendmsg(s):
    while True: s.sendmsg([BLOCK] * 4)

def passed(s):
    a, b = socket.socketpair()
    if os.fork() == 0:
        s.close()
        _, extra, _, _ = b.recvmsg(1, socket.CMSG_SPACE(4))
        send(socket.socket(fileno=array.array("i", extra[0][2])[0]))
    a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
    s.close()
    os.wait()

s = socket.create_connection(("web.test", 80))
s.sendall(b"POST / HTTP/1.0\r\nContent-Length: 9999999999\r\n\r\n")
globals()[sys.argv[1]](s)
PY
	local how
	check() {
		for how in send sendfile sendmsg passed; do
			box "$1" --json --net web.test:80 --net-out 1M "$T/c.py" -- "$how"
			holds 'r["status"] == "limit" and r["limit"] == "net-out"' \
				'len(r["egress"]) == 1 and r["egress"][0]["bytes_out"] > 1 << 20'
		done
	}
	every check
}
