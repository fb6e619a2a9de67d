#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Ordinary Python that an agent writes must simply work in the stock profile.
load helper

@test "threads" {
	cat <<'PY' | code x.py
import threading, queue
from concurrent.futures import ThreadPoolExecutor
q = queue.Queue()
ts = [threading.Thread(target=lambda i=i: q.put(i * i)) for i in range(16)]
[t.start() for t in ts]; [t.join() for t in ts]
with ThreadPoolExecutor(8) as p:
    print(sum(q.get() for _ in ts), sum(p.map(lambda x: x, range(100))))
PY
	runs x.py '1240 4950'
}

@test "asyncio" {
	cat <<'PY' | code x.py
import asyncio
async def work(i):
    await asyncio.sleep(0.01)
    return i
async def main():
    loop = asyncio.get_running_loop()
    r = await asyncio.gather(*(work(i) for i in range(50)))
    t = await loop.run_in_executor(None, sum, range(10))
    async with asyncio.timeout(5):
        q = asyncio.Queue()
        await q.put(1)
        print(sum(r), t, await q.get())
asyncio.run(main())
PY
	runs x.py '1225 45 1'
}

@test "multiprocessing: fork, Pool, Queue, Pipe, Manager" {
	cat <<'PY' | code x.py
import multiprocessing as mp
def square(x): return x * x
def put(q, v): q.put(v)
if __name__ == "__main__":
    with mp.Pool(4) as p:
        print(sum(p.map(square, range(100))))
    q = mp.Queue()
    p = mp.Process(target=put, args=(q, "queued")); p.start()
    print(q.get()); p.join()
    a, b = mp.Pipe()
    a.send([1, 2]); print(b.recv())
    with mp.Manager() as m:
        d = m.dict()
        p = mp.Process(target=d.update, args=({"k": 7},)); p.start(); p.join()
        print(d["k"])
    v = mp.Value("i", 3)
    with v.get_lock(): v.value += 1
    print(v.value)
PY
	runs x.py $'328350\nqueued\n[1, 2]\n7\n4'
}

@test "multiprocessing: spawn and shared memory, when python itself is listed" {
	cat <<'PY' | code x.py
import multiprocessing as mp
from multiprocessing import shared_memory
if __name__ == "__main__":
    s = shared_memory.SharedMemory(create=True, size=4096)
    s.buf[0] = 9
    print(s.buf[0]); s.close(); s.unlink()
    with mp.get_context("spawn").Pool(2) as p:
        print(p.map(abs, [-1, -2]))
PY
	runs x.py $'9\n[1, 2]' --exec /usr/bin/python3 --time 60s
}

@test "concurrent.futures process pool" {
	cat <<'PY' | code x.py
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(4) as p:
    print(sum(p.map(abs, range(-50, 50))))
PY
	runs x.py 2500
}

@test "tempfile, pathlib, shutil, zip and tar" {
	cat <<'PY' | code x.py
import tempfile, pathlib, shutil, zipfile, tarfile, os
with tempfile.TemporaryDirectory() as d:
    p = pathlib.Path(d)
    (p / "a").mkdir(); (p / "a" / "f").write_text("x" * 1000)
    shutil.copytree(p / "a", p / "b")
    shutil.make_archive(str(p / "z"), "zip", p / "a"); shutil.make_archive(str(p / "t"), "gztar", p / "a")
    print(zipfile.ZipFile(p / "z.zip").namelist(), tarfile.open(p / "t.tar.gz").getnames())
    with tempfile.NamedTemporaryFile(dir=d) as f, tempfile.TemporaryFile() as g:
        f.write(b"1"); g.write(b"2")
    os.link(p / "a" / "f", p / "hard"); os.symlink("a", p / "soft")
    print(sorted(x.name for x in p.iterdir()))
PY
	runs x.py $'[\'f\'] [\'.\', \'./f\']\n[\'a\', \'b\', \'hard\', \'soft\', \'t.tar.gz\', \'z.zip\']'
}

@test "sqlite3 with a write-ahead log" {
	cat <<'PY' | code x.py
import sqlite3, threading
db = "/tmp/x.db"
c = sqlite3.connect(db)
print(c.execute("pragma journal_mode=wal").fetchone()[0])
c.execute("create table t(a)"); c.commit()
def add(i):
    d = sqlite3.connect(db, timeout=20)
    with d: d.execute("insert into t values(?)", (i,))
    d.close()
ts = [threading.Thread(target=add, args=(i,)) for i in range(8)]
[t.start() for t in ts]; [t.join() for t in ts]
print(c.execute("select count(*), sum(a) from t").fetchone())
m = sqlite3.connect(":memory:")
print(m.execute("select sqlite_version() > '3'").fetchone())
PY
	runs x.py $'wal\n(8, 28)\n(1,)'
}

@test "subprocess of listed programs" {
	cat <<'PY' | code x.py
import subprocess
print(subprocess.check_output(["/usr/bin/sort"], input=b"b\na\n"))
print(subprocess.run("echo $((6*7)) | /usr/bin/sort", shell=True, capture_output=True, text=True).stdout.strip())
p = subprocess.Popen(["sort", "-r"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
print(p.communicate(b"1\n2\n")[0])
PY
	runs x.py $'b\'a\\nb\\n\'\n42\nb\'2\\n1\\n\'' --exec /usr/bin/sort --exec /bin/sh
}

@test "numpy with OpenBLAS threads" {
	cat <<'PY' | code x.py
import numpy as np
a = np.random.default_rng(1).random((400, 400))
print(np.allclose(np.linalg.inv(a) @ a, np.eye(400)), round(float(np.fft.fft(np.ones(8)).real[0]), 3))
np.save("/tmp/a.npy", a)
print(np.load("/tmp/a.npy", mmap_mode="r").shape)
PY
	runs x.py $'True 8.0\n(400, 400)'
}

@test "pandas" {
	cat <<'PY' | code x.py
import io
import pandas as pd
d = pd.read_csv(io.StringIO("k,v\na,1\nb,2\na,3\n"))
print(d.groupby("k")["v"].sum().to_dict())
print(pd.to_datetime(["2024-03-31 12:00"]).tz_localize("Europe/Berlin").tz_convert("UTC")[0].hour)
d.to_csv("/tmp/x.csv", index=False)
print(len(pd.read_csv("/tmp/x.csv")), d.merge(d, on="k").shape)
PY
	runs x.py $'{\'a\': 4, \'b\': 2}\n10\n3 (5, 3)'
}

@test "matplotlib saves a figure" {
	cat <<'PY' | code x.py
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.plot([1, 2, 3], [1, 4, 9]); ax.set_title("title"); ax.legend(["squares"])
for f in ("png", "svg", "pdf"):
    fig.savefig("/tmp/x." + f)
print(open("/tmp/x.png", "rb").read(4), open("/tmp/x.pdf", "rb").read(4))
PY
	runs x.py "b'\\x89PNG' b'%PDF'" --time 60s
}

@test "the standard library: zoneinfo, json, csv, hashlib, ssl, ctypes, and more" {
	cat <<'PY' | code x.py
import zoneinfo, datetime, json, csv, io, hashlib, ssl, ctypes, random, secrets, uuid, decimal
import statistics, re, gzip, bz2, lzma, pickle, logging, unittest, dataclasses, locale, platform
import getpass, socket, select, signal, mmap, time, os, urllib.request, http.client, xml.etree.ElementTree
print(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("America/New_York")).utcoffset())
print(json.loads(json.dumps({"a": [1, None]})), list(csv.reader(io.StringIO("a,b\n"))))
print(hashlib.sha256(b"x").hexdigest()[:8], len(hashlib.scrypt(b"p", salt=b"s", n=16, r=8, p=1)))
print(ssl.create_default_context() is not None, ctypes.CDLL(None).getpid() == os.getpid())
print(len(secrets.token_hex(4)), uuid.uuid4().version, random.Random(1).randint(1, 9) > 0)
m = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS); m[:2] = b"hi"
print(pickle.loads(pickle.dumps(m[:2])), lzma.decompress(lzma.compress(b"z")))
signal.signal(signal.SIGALRM, lambda *a: print("alarm")); signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(0.1)
a, b = socket.socketpair(); a.send(b"s"); print(select.select([b], [], [], 1)[0][0].recv(1))
print(getpass.getuser(), os.path.expanduser("~"), platform.node(), os.cpu_count() > 0)
PY
	runs x.py $'-1 day, 20:00:00\n{\'a\': [1, None]} [[\'a\', \'b\']]\n2d711642 64\nTrue True\n8 4 True\nb\'hi\' b\'z\'\nalarm\nb\'s\'\nagent /tmp cordon True'
}

@test "memory shared with a child, where the kernel counts it" {
	need_root
	WAYS=root:full
	cat <<'PY' | code x.py
import mmap, os
m = mmap.mmap(-1, 4096)
if os.fork() == 0: m[:5] = b"child"; os._exit(0)
os.wait(); print(m[:5])
PY
	runs x.py "b'child'"
}

@test "unix sockets between its own processes" {
	cat <<'PY' | code x.py
import socket, os
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/s"); s.listen()
if os.fork() == 0:
    c = socket.socket(socket.AF_UNIX); c.connect("/tmp/s"); c.send(b"hello"); os._exit(0)
print(s.accept()[0].recv(5)); os.wait()
PY
	runs x.py "b'hello'"
}

venv() {
	box "$1" --venv "$T/venv" "$T/x.py"
	exits 0
	out_is "$T/venv from the virtualenv"
}
@test "a virtualenv given by path" {
	/usr/bin/python3 -m venv --without-pip "$T/venv"
	local site
	site=$(echo "$T"/venv/lib/python3*/site-packages)
	printf 'word = "from the virtualenv"\n' >"$site/only_here.py"
	printf 'import sys, only_here\nprint(sys.prefix, only_here.word)\n' | code x.py
	every venv
	box user:no-cgroup --venv "$T/nothing" "$T/x.py"
	exits 125
	box user:no-cgroup --venv relative "$T/x.py"
	exits 125
}

no_network() {
	box "$1" --json "$T/x.py"
	exits 0
	holds 'r["stdout"] == "refused\n"'
}
@test "the network is not there, and that is an ordinary error" {
	cat <<'PY' | code x.py
import urllib.request
try:
    urllib.request.urlopen("http://127.0.0.1:9/", timeout=3)
    print("reached")
except OSError:
    print("refused")
PY
	every no_network
}

@test "without namespaces ordinary code works too" {
	WAYS=user:no-userns
	cat <<'PY' | code x.py
import tempfile, threading, json, os, sqlite3
with tempfile.NamedTemporaryFile("w+") as f:
    f.write("x"); f.flush(); print(os.path.getsize(f.name))
r, w = os.pipe()
if os.fork() == 0: os.write(w, b"child"); os._exit(0)
os.wait(); print(os.read(r, 9))
t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()
print(sqlite3.connect(os.environ["TMPDIR"] + "/x.db").execute("select 1").fetchone())
PY
	runs x.py $'1\nb\'child\'\nthread\n(1,)'
}

near_venv() {
	box "$1" --venv "$T/venv" "$T/x.py"
	exits 0
	out_is 'refused'
	[ ! -s "$T/heard" ]
}
@test "a socket of the host's below the virtualenv cannot be reached" {
	/usr/bin/python3 -m venv --without-pip "$T/venv"
	/usr/bin/python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1] + "/venv/sock")
s.listen()
s.settimeout(30)
open(sys.argv[1] + "/heard", "w").close()
while True:
    s.accept()
    open(sys.argv[1] + "/heard", "w").write("heard")' "$T" &
	local server=$! i
	for i in $(seq 100); do
		[ ! -S "$T/venv/sock" ] || break
		sleep 0.05
	done
	chmod 777 "$T/venv/sock"
	printf 'import socket\ntry:\n    socket.socket(socket.AF_UNIX).connect("%s/venv/sock")\n    print("connected")\nexcept OSError:\n    print("refused")\n' \
		"$T" | code x.py
	every near_venv
	kill $server
}
