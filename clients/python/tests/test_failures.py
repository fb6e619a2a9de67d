# SPDX-License-Identifier: MIT
"""Failures of Cordon itself. Each is a clear error, never an incomplete answer, and leaves no process and no
descriptor behind."""
import os
import signal
import subprocess
import sys
import threading

import cordon
from support import BINARY, TIER, Case, children, descriptors, until

SLOW = "import time\nprint('on', flush=True)\ntime.sleep(1000)"


class Killed(Case):
    def setUp(self):
        super().setUp()
        self.before = descriptors()

    def tearDown(self):
        self.assertEqual((children(), descriptors()), ([], self.before))

    def test_killed(self):
        """cordon is killed during a run"""
        def kill(output):
            os.kill(children()[0][0], signal.SIGKILL)
        with self.assertRaises(cordon.Broken) as e:
            self.client().run(SLOW, time=900, on_output=kill)
        self.assertIn("signal 9", str(e.exception))

    def test_killed_while_waiting(self):
        """cordon is killed while the caller does not read"""
        found = []

        def kill():
            until(lambda: children())
            found.extend(children())
            os.kill(found[0][0], signal.SIGKILL)
        killer = threading.Thread(target=kill)
        killer.start()
        with self.assertRaises(cordon.Broken):
            self.client().run(SLOW, time=900)
        killer.join()
        self.assertEqual(len(found), 1)

    def test_command_killed(self):
        """another command is killed"""
        with self.assertRaises(cordon.Broken) as e:
            self.client(binary=self.script("kill -9 $$")).new_conversation()
        self.assertIn("signal 9", str(e.exception))

    def test_half(self):
        """lines that are incomplete, not JSON, not events, too many, too long"""
        rows = {"half": "printf '{\"event\":\"started\",\"ms\":1}\\n{\"event\":\"res'",
                "no result": "printf '{\"event\":\"started\",\"ms\":1}\\n'; exit 0",
                "no JSON": "echo hello", "no object": "echo '[1]'", "no event": "echo '{\"a\": 1}'",
                "bad output": "echo '{\"event\":\"stdout\",\"data\":\"x\",\"encoding\":\"base64\"}'",
                "two results": "CORDON \"$@\"; printf '{\"event\":\"result\",\"ms\":1,\"status\":\"exited\"}\\n'",
                "too long": "head -c 70000000 /dev/zero | tr '\\0' x"}
        for name, text in rows.items():
            with self.subTest(name), self.assertRaises(cordon.Broken):
                self.client(binary=self.script(text)).run("print(1)")

    def test_unknown(self):
        """a newer cordon: unknown events and fields do no harm"""
        text = "echo '{\"event\":\"news\",\"ms\":1,\"x\":[]}'; CORDON \"$@\" | sed 's/\"event\":\"result\"/&,\"more\":{\"y\":1}/'"
        told = []
        r = self.client(binary=self.script(text)).run("print(1)", on_event=told.append)
        self.assertEqual((r.text, r.raw["more"]), ("1\n", {"y": 1}))
        self.assertEqual((told[0].kind, told[0].event, told[0].raw["x"]), ("unknown", "news", []))

    def test_older(self):
        """an older cordon does not know an option or a command: the error quotes it"""
        for words in ("s/^--events$/--of-the-future/", "s/^run$/of-the-future/"):
            binary = self.script("for a; do shift; set -- \"$@\" \"$(printf %%s \"$a\" | sed '%s')\"; done\nexec 'CORDON' \"$@\"" % words)
            with self.subTest(words), self.assertRaises(cordon.TooOld) as e:
                self.client(binary=binary).run("print(1)")
            self.assertIn("of-the-future", str(e.exception))
            self.assertIn("newer cordon", str(e.exception))
        binary = self.script("for a; do shift; set -- \"$@\" \"$(printf %s \"$a\" | sed 's/^conversation$/of-the-future/')\"; done\nexec 'CORDON' \"$@\"")
        with self.assertRaises(cordon.TooOld):
            self.client(binary=binary).new_conversation()

    def test_lost(self):
        """an answer that could not be written completely"""
        with self.assertRaises(cordon.Broken) as e:
            self.client(binary=self.script("CORDON \"$@\" >/dev/full")).run("print(1)")
        self.assertIn("could not be written", str(e.exception))

    def test_full(self):
        """a full disk: a run that cannot be recorded does not start"""
        code = ("import sys\nsys.path[0:0] = %r\nimport os, cordon\n"
                "c = cordon.Cordon(%r, tier=%r, state=%r)\n"
                "open(%r, 'wb').write(bytes(65536))\n"
                "f = open(%r, 'ab', buffering=0)\n"
                "try:\n while True: f.write(bytes(4096))\nexcept OSError: pass\n"
                "try:\n c.run('print(1)')\nexcept cordon.CordonError as e:\n print(type(e).__name__, e)\n"
                % ([p for p in sys.path if p], BINARY, TIER, self.path("small", "state"), self.path("small", "fill"),
                   self.path("small", "fill")))
        os.mkdir(self.path("small"))
        words = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-rm"]
        done = subprocess.run([*words, "sh", "-c",
                               "mount -t tmpfs -o size=1m,mode=700 none \"$1\" && mkdir -m 700 \"$1/state\" && shift && exec \"$@\"",
                               "-", self.path("small"), sys.executable, "-B", "-c", code],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertTrue(done.stdout.startswith(b"Broken "), done.stdout)
        self.assertNotIn(b"\n1\n", done.stdout)
