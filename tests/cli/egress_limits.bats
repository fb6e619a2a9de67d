#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs that try to make cordon-box or cordon-egress wait for them, work for them or hold memory for
# them (tests/egress/hold.c). Limits hold all the same. All of it in an internet of its own.
load helper
load egress

needs()
{
	need_root
	own_programs
	HOLD=hold-$$-$BATS_TEST_NUMBER # of which there is no other
	[ -e "$BATS_FILE_TMPDIR/hold" ] || cc -O1 -static -pthread -o "$BATS_FILE_TMPDIR/hold" "$TOP/tests/egress/hold.c"
	cp "$BATS_FILE_TMPDIR/hold" "$T/$HOLD"
	trust root "$T"
	trust user "$T"
}
DEAF='203.0.113.2 91' # accepts and never reads

# slow_begin: $T/slow has a file that is never read to its end (tests/egress/slowfs.py).
slow_begin()
{
	mkdir -p "$T/slow"
	[ -p "$T/life" ] || mkfifo "$T/life"
	as root /usr/bin/python3 -I "$TOP/tests/egress/slowfs.py" "$T/slow" "$TEST_UID" <"$T/life" 3>&- &
	exec 8>"$T/life"
	for _ in $(seq 100); do
		as root test ! -e "$T/slow/slow" || return 0
		sleep 0.1
	done
	return 1
}
slow_end() { exec 8>&-; wait; }

# programs: the processes that run this test's program. In the box it has another name, but it is the same file.
programs()
{
	local pid
	for pid in $(pgrep -x "main|$HOLD"); do
		[ ! "/proc/$pid/exe" -ef "$T/$HOLD" ] || echo "$pid"
	done
}

# is_gone: no program of this test is left, a moment later at the latest.
is_gone()
{
	for _ in $(seq 100); do
		[ -n "$(programs)" ] || return 0
		sleep 0.1
	done
	ps -fp "$(programs | paste -sd,)"
	return 1
}

# ends_in_time WORD...: at its time, not when the program lets it: that would be 15 seconds and more.
ends_in_time()
{
	holds 'r["status"] == "timed_out"' '2000 <= r["usage"]["wall_ms"] < 8000' "$@"
	is_gone
}

# killed WAY ARG...: cordon is, after a second.
killed()
{
	local who=${1%%:*} tier=${1#*:} pid
	shift
	listed "$@"
	as "$who" "$CORDON" run --user --tier "$tier" --time 60s --policy "$T/listed.yaml" --lang binary "$@" >"$T/out" 2>&1 3>&- 8>&- &
	for _ in $(seq 300); do
		[ -z "$(programs)" ] || break
		sleep 0.1
	done
	pid=$(pgrep -xf "$CORDON run --user --tier $tier --time 60s .*")
	sleep 1
	kill -KILL "$pid" || show
	is_gone
}

# bats test_tags=long
@test "a socket that lingers: the run ends in time, and with cordon" {
	check() {
		# shellcheck disable=SC2086
		box "$1" --json --time 2s --connections 100000 --net-out 100G --net 203.0.113.2:91 --lang binary "$T/$HOLD" -- linger $DEAF
		ends_in_time '"setsockopt" in [d["call"] for d in r["denials"]]'
		# shellcheck disable=SC2086
		killed "$1" --connections 100000 --net-out 100G --net 203.0.113.2:91 "$T/$HOLD" -- linger $DEAF
	}
	every check
}

# bats test_tags=long
@test "a page of a disk that does not answer: the run ends in time, and with cordon" {
	local call net
	check() {
		for net in '' '--net web.test:80'; do
			for call in execve connect; do
				[ "$call$net" != connect ] || continue # then the kernel itself reads it
				slow_begin
				# shellcheck disable=SC2086
				box "$1" --json --time 2s $net --workspace "$T/slow:ro" --lang binary "$T/$HOLD" -- \
					page $call "$T/slow/slow" 8>&-
				slow_end
				ends_in_time 'r["stdout"] == "begins\n"'
			done
		done
		slow_begin
		box "${1%%:*}:no-userns" --json --time 2s --workspace "$T/slow:ro" --lang binary "$T/$HOLD" -- \
			page execve "$T/slow/slow" 8>&-
		slow_end
		ends_in_time 'r["stdout"] == "begins\n"'
		slow_begin
		box "$1" --json --time 120s --workspace "$T/slow:ro" --lang binary "$T/$HOLD" -- erase "$T/slow/slow" 8>&-
		slow_end
		holds 'r["status"] == "exited"' '{"execve", "execveat"} <= {d["call"] for d in r["denials"]}'
		slow_begin
		killed "$1" --net web.test:80 --workspace "$T/slow:ro" "$T/$HOLD" -- page connect "$T/slow/slow"
		slow_end
	}
	every check
}

@test "output that is not read: the run ends in time" {
	mkfifo "$T/pipe"
	check() {
		local who=${1%%:*} tier=${1#*:} cordon reader
		exec 7<>"$T/pipe"
		as "$who" "$CORDON" run --user --tier "$tier" --time 2s --lang binary "$T/$HOLD" -- output \
			>"$T/pipe" 2>&1 3>&- 7>&- &
		cordon=$!
		sleep 3
		is_gone
		cat <&7 >/dev/null 3>&- & # now it is
		reader=$!
		status=0
		wait $cordon || status=$?
		kill $reader
		exec 7>&-
		exits 124
	}
	every check
}

@test "sent bytes are counted while other connections keep the counter busy" {
	check() {
		rm -f "$W/sunk"
		# shellcheck disable=SC2086
		box "$1" --json --time 120s --net-out 1M --connections 100000 --net 203.0.113.2:91-92 --lang binary \
			"$T/$HOLD" -- outrun $DEAF 92
		holds 'r["status"] == "limit" and r["limit"] == "net-out"' 'not r["egress_cut"]' \
			'[e for e in r["egress"] if e["port"] == 92]'
		for _ in $(seq 50); do
			[ ! -e "$W/sunk" ] || break
			sleep 0.1
		done
		[ "$(cut -d' ' -f1 "$W/sunk")" -lt $((40 << 20)) ]
	}
	every check
}

@test "send buffers add to --net-out at most the documented bytes" {
	local limit=$((1 << 20)) connections=100 most
	most=$((limit + connections * (64 + 64 + 8) * 1024)) # stricter: one packet each; 8 KB the host takes unread
	check() {
		rm -f "$W/drain" "$W/drained"
		box "$1" --json --time 120s --net-out $limit --net 203.0.113.2:93 --lang binary \
			"$T/$HOLD" -- fill 203.0.113.2 93 $connections
		holds 'r["status"] == "limit" and r["limit"] == "net-out"'
		touch "$W/drain"
		for _ in $(seq 100); do
			[ "$(cat "$W/drained" 2>/dev/null | wc -l)" -lt $connections ] || break
			sleep 0.1
		done
		[ "$(wc -l <"$W/drained")" -eq $connections ]
		awk -v most=$most '{ all += $1 } END { print all, "of", most; exit !(all <= most) }' "$W/drained"
	}
	every check
}

@test "local connections that are never accepted are few: what they hold is outside of --memory" {
	check() {
		box "$1" --json --time 120s --memory 2G --net web.test:80 --lang binary "$T/$HOLD" -- pend 20000
		exits 0
		holds 'r["stdout"].split()[1:] == ["No", "buffer", "space", "available"]' \
			'1000 < int(r["stdout"].split()[0]) <= 4096' # two sockets each
	}
	every check
}

@test "UDP sockets are few and their queues are short; names are found all the same" {
	cat <<'PY' | code c.py
import socket, sys
def udp():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    s.bind(("127.0.0.1", 0))
    return s
tx, all = udp(), []
usual = tx.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
try:
    while len(all) < 900:
        all.append(udp())
        for _ in range(8 << 20 >> 16): tx.sendto(b"x" * 60000, all[-1].getsockname())
except OSError as e:
    print(e.strerror)
print(len(all) < 128, usual, flush=True)
sys.stdin.readline()
del all[64:]
print(socket.gethostbyname("web.test") != "")
PY
	mkfifo "$T/in"
	check() {
		local who=${1%%:*} tier=${1#*:} pid
		listed --net web.test:80
		as "$who" timeout 60 "$CORDON" run --user --tier "$tier" --memory 128M --net web.test:80 --stdin - \
			--policy "$T/listed.yaml" "$T/c.py" <"$T/in" >"$T/out" 2>"$T/err" 3>&- &
		pid=$!
		exec 7>"$T/in"
		for _ in $(seq 200); do
			grep -q True "$T/out" && break
			sleep 0.1
		done
		# Pages that all UDP sockets of this machine hold: 64 MB at most.
		[ "$(awk '/^UDP:/ {print $5}' /proc/net/sockstat)" -lt $((64 << 20 >> 12)) ]
		echo >&7
		exec 7>&-
		wait $pid
		[ "$(sed -n 3p "$T/out")" = True ]
		[ "$(sed -n 2p "$T/out")" = "True $(cat /proc/sys/net/core/rmem_default)" ]
	}
	every check
}

# bats test_tags=long
@test "bytes that leave are counted, though a socket is locked in a page of a slow disk" {
	check() {
		rm -f "$W/sunk"
		slow_begin
		(sleep 6 && slow_end) 3>&- & # until then the kernel cannot kill that thread
		exec 8>&-
		# shellcheck disable=SC2086
		box "$1" --json --time 120s --net-out 1M --net 203.0.113.2:91-92 --workspace "$T/slow:ro" \
			--lang binary "$T/$HOLD" -- locks $DEAF 92 "$T/slow/slow"
		wait
		holds 'r["status"] == "limit" and r["limit"] == "net-out"' '[e for e in r["egress"] if e["port"] == 92]'
		[ "$(cut -d' ' -f2 "$W/sunk")" -lt 2500 ]
	}
	every check
}

# spent COMMAND...: processor time of it and of all that it starts, in milliseconds.
spent()
{
	/usr/bin/python3 -I - "$@" <<'PY'
import ctypes, os, resource, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # orphans become our children
subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=open("spent.out", "w"))
try:
    while True: os.wait()
except ChildProcessError:
    pass
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(round((used.ru_utime + used.ru_stime) * 1000))
PY
}

# bats test_tags=long
@test "work that the box makes for us is in --cpu and --cpu-time" {
	check() {
		box "$1" --json --time 120s --cpu-time 1s --net web.test:80 --lang binary "$T/$HOLD" -- local 20
		holds 'r["status"] == "limit" and r["limit"] == "cpu-time"' '900 <= r["usage"]["cpu_ms"] < 3000'
	}
	every check
	: >"$T/spent.out" # the rules are kept by now
	[ "$(spent nsenter -t "$(cat "$W/client")" -n -m -- "$CORDON" run --user --time 120s --cpu 5 --policy "$T/listed.yaml" \
		--net web.test:80 --lang binary "$T/$HOLD" -- local 8)" -lt 1000 ]
}

# helpers PID: the processes that look at the program for this cordon-box.
helpers()
{
	local pid
	for pid in $(pgrep -P "$1"); do
		[ "$(readlink "/proc/$pid/ns/pid")" != "$(readlink /proc/self/ns/pid)" ] || echo "$pid"
	done
}
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }

@test "cordon-box does not spin when a process that looks at the program is killed" {
	cat <<'PY' | code c.py
import socket, sys
def call():
    try: return socket.create_connection(("203.0.113.2", 83)) and "there"
    except OSError as e: return e.strerror
print(call(), flush=True)
sys.stdin.readline()
print(call())
PY
	mkfifo "$T/in"
	check() {
		local who=${1%%:*} tier=${1#*:} pid cordon before
		: >"$T/out"
		listed --net 203.0.113.2:83
		as "$who" timeout 60 "$CORDON" run --user --tier "$tier" --net 203.0.113.2:83 --stdin - \
			--policy "$T/listed.yaml" "$T/c.py" <"$T/in" >"$T/out" 2>"$T/err" 3>&- &
		cordon=$!
		exec 7>"$T/in"
		for _ in $(seq 100); do
			[ ! -s "$T/out" ] || break
			sleep 0.1
		done
		for pid in $(pgrep -x cordon-box); do
			[ "$(readlink "/proc/$pid/exe")" != "$T/bin/cordon-box" ] || [ -z "$(helpers "$pid")" ] || break
		done
		before=$(ticks "$pid")
		# shellcheck disable=SC2046
		kill -KILL $(helpers "$pid")
		sleep 2
		[ $(($(ticks "$pid") - before)) -lt 50 ]
		echo >&7
		exec 7>&-
		wait $cordon
		out_is "$(printf 'there\nthere')"
	}
	every check
}

@test "Node resets a connection, and goes on without SO_LINGER" {
	[ -x /usr/bin/node ] || skip "no node"
	cat <<'JS' | code c.js
const s = require('net').connect(83, '203.0.113.2', () => s.resetAndDestroy());
s.on('error', e => console.log(e.code));
s.on('close', () => console.log('closed'));
JS
	check() {
		box "$1" --time 120s --memory 2G --net 203.0.113.2:83 "$T/c.js"
		exits 0
		grep -qx closed "$T/out" || show
	}
	every check
}
