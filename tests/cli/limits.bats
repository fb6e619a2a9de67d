#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Each limit, by its effect, where the kernel counts (cgroup) and where a watcher does.
load helper

at_limit() {
	holds "r['status'] == 'limit' and r['limit'] == '$1'" "r['signal'] == 9"
	exits 137
}

memory() {
	box "$1" --json --memory 64M --time 20s "$T/x.py"
	[ "$status" -ne 0 ] || show
	holds 'r["status"] in ("limit", "exited")' \
		'r["status"] == "exited" or r["limit"] == "memory"' \
		'"done" not in r["stdout"]' 'r["usage"]["memory_peak"] < 160 << 20'
}
@test "memory: one process" {
	printf 'a = []\nwhile len(a) < 400: a.append(bytearray(1 << 20))\nprint("done")\n' | code x.py
	every memory
}

memory_together() {
	box "$1" --json --memory 128M --time 20s "$T/x.py"
	holds 'r["limit"] == "memory"' 'r["status"] == "limit" or r["stdout"] == "some died\n"'
}
@test "memory: many processes together" {
	cat <<'PY' | code x.py
import os, time
for i in range(8):
    if os.fork() == 0:
        a = bytearray(os.urandom(1 << 20)) * 60
        time.sleep(3)
        os._exit(0)
print("all lived" if all(os.wait()[1] == 0 for i in range(8)) else "some died")
PY
	every memory_together
}

# A child that has not yet executed works in the memory of its parent.
# bats test_tags=long
@test "memory: a vfork does not count twice" {
	cat <<'PY' | code x.py
import subprocess
held = bytearray(60 << 20)
for i in range(400):
    subprocess.run(["/usr/bin/true"])
print("fine")
PY
	for tier in no-cgroup no-userns; do
		box "user:$tier" --memory 100M --disk 32M --exec /usr/bin/true "$T/x.py"
		exits 0
	done
}

memory_tmp() {
	box "$1" --json --memory 64M --disk 48M --time 20s "$T/x.py"
	holds '"done" not in r["stdout"]' 'r["status"] != "timed_out"'
}
@test "memory: files in /tmp count" {
	cat <<'PY' | code x.py
f = open("/tmp/x", "wb")
a = []
for i in range(40):
    f.write(b"x" * (1 << 20))
    f.flush()
    a.append(bytearray(b"y" * (1 << 20)))
import time
time.sleep(1)
print("done")
PY
	every memory_tmp
}

pids() {
	box "$1" --json --pids 10 "$T/x.py"
	exits 0
	holds '4 <= int(r["stdout"]) <= 10' 'r["limit"] == "pids" and r["status"] == "exited"'
}
@test "pids: a fork fails at the limit" {
	cat <<'PY' | code x.py
import os, time
n = 1
try:
    while n < 100:
        if os.fork() == 0:
            time.sleep(10)
            os._exit(0)
        n += 1
except OSError:
    pass
time.sleep(0.3)
print(n)
PY
	every pids
}

threads() {
	box "$1" --json --pids 20 "$T/x.py"
	exits 0
	holds '10 <= int(r["stdout"]) <= 20'
}
@test "pids: threads count" {
	cat <<'PY' | code x.py
import threading, time
n = 1
try:
    for i in range(100):
        threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
        n += 1
except RuntimeError:
    pass
print(n)
PY
	every threads
}

fork_bomb() {
	box "$1" --json --time 2s --pids 32 "$T/x.sh"
	[ "$status" -ne 0 ] || show
	holds 'r["limit"] in ("time", "pids")' 'r["usage"]["wall_ms"] < 8000'
}
# bats test_tags=long
@test "pids: a fork bomb ends" {
	printf 'f() { f | f & }\nf\nsleep 20\n' | code x.sh
	every fork_bomb
}

cpu_time() {
	box "$1" --json --cpu-time 500ms --time 20s "$T/x.py"
	at_limit cpu-time
	holds '400 <= r["usage"]["cpu_ms"] < 3000'
}
@test "cpu-time: one process" {
	printf 'while True: pass\n' | code x.py
	every cpu_time
}

cpu_time_many() {
	box "$1" --json --cpu-time 800ms --time 20s "$T/x.py"
	at_limit cpu-time
}
@test "cpu-time: short-lived children count" {
	cat <<'PY' | code x.py
import os, time
end = time.time() + 15
while time.time() < end:
    if os.fork() == 0:
        t = time.process_time()
        while time.process_time() - t < 0.05: pass
        os._exit(0)
    os.wait()
PY
	every cpu_time_many
}

# bats test_tags=long
@test "cpu: a share is kept" {
	need_root
	cat <<'PY' | code x.py
import time
c, w = time.process_time(), time.monotonic()
while time.process_time() - c < 0.4: pass
print(time.monotonic() - w)
PY
	# Two seconds, or longer where others want the processor too.
	box root:full --json --cpu 20 "$T/x.py"
	exits 0
	holds 'float(r["stdout"]) > 1'
	box root:full --json --cpu 100 "$T/x.py"
	exits 0
}

@test "cpu: without a cgroup it is refused, not ignored" {
	box user:no-cgroup --cpu 50 --lang binary /bin/true
	exits 125
	err_has cpu
}

files() {
	box "$1" --json --files 20 "$T/x.py"
	exits 0
	holds '10 <= int(r["stdout"]) <= 20'
}
@test "files: open descriptors" {
	cat <<'PY' | code x.py
fs = []
try:
    while len(fs) < 100: fs.append(open("/dev/null"))
except OSError:
    pass
n = len(fs)
fs.clear()
print(n)
PY
	every files
}

file_size() {
	box "$1" --json --file-size 1M "$T/x.py"
	exits 0
	holds 'r["stdout"] == "1048576\n"'
}
@test "file-size: a file stops growing" {
	cat <<'PY' | code x.py
import os, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
fd = os.open("/tmp/x", os.O_CREAT | os.O_WRONLY)
try:
    for i in range(64): os.write(fd, b"x" * 65536)
except OSError:
    pass
print(os.fstat(fd).st_size)
PY
	every file_size
}

disk() {
	box "$1" --json --disk 1M "$T/x.py"
	exits 0
	holds 'int(r["stdout"]) <= 1 << 20 and int(r["stdout"]) > 1 << 18'
}
@test "disk: /tmp, /dev/shm and the rest together" {
	cat <<'PY' | code x.py
import os
n = 0
for i in range(100):
    try:
        with open(f"/{'tmp' if i % 2 else 'dev/shm'}/{i}", "wb", buffering=0) as f:
            n += f.write(b"x" * 65536)
    except OSError:
        pass
print(n)
PY
	every disk
}

inodes() {
	box "$1" --json --disk 1M "$T/x.py"
	exits 0
	holds 'int(r["stdout"]) < 2000'
}
@test "disk: empty files are not free" {
	cat <<'PY' | code x.py
n = 0
try:
    for i in range(20000):
        open(f"/tmp/{i}", "w").close()
        n += 1
except OSError:
    pass
print(n)
PY
	every inodes
}

@test "disk must be below memory, and says why" {
	box user:no-cgroup --memory 64M --disk 128M --lang binary /bin/true
	exits 125
	err_has '--disk'
	box user:no-cgroup --memory 64M --lang binary /bin/true
	exits 0
}

whole_tree() {
	box "$1" --json --time 500ms "$T/x.py" -- "$marker"
	exits 124
	holds 'r["usage"]["wall_ms"] < 4000'
	! pgrep -f "$marker" >/dev/null || { pkill -KILL -f "$marker"; echo "a process is left"; return 1; }
}
@test "time: the whole tree is dead when the result is there" {
	marker=cli-test-$$-$RANDOM
	cat <<'PY' | code x.py
import os, signal, sys, time
for i in range(5):
    if os.fork() == 0:
        os.setsid()
        for s in range(1, 32):
            try: signal.signal(s, signal.SIG_IGN)
            except (OSError, ValueError): pass
        time.sleep(60)
time.sleep(60)
PY
	every whole_tree
}

# Only its owner (or root) can do this to the watcher; it stands for everything that could.
@test "without a cgroup a run that cannot be watched ends" {
	cat >blind.py <<-'END'
		import resource, subprocess, sys
		def children(pid):
		    return open(f"/proc/{pid}/task/{pid}/children").read().split()
		run = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
		assert run.stdout.readline() == b"ready\n"
		for box in children(run.pid):
		    for init in children(box):
		        resource.prlimit(int(init), resource.RLIMIT_NOFILE, (1, 1))
		print(run.stdout.read().decode(), run.wait())
	END
	echo 'import time; print("ready", flush=True); time.sleep(5); print("alive")' >sleep.py
	for tier in no-cgroup no-userns; do
		as user timeout 30 python3 blind.py "$CORDON" run --user --tier "$tier" sleep.py >out
		cat out
		grep -q 'the watcher could not measure' out
		grep -q ' 125$' out
	done
}
