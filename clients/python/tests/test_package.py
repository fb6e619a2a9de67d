# SPDX-License-Identifier: MIT
"""The package: all names are there, an import is light, the types are right."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import cordon
from support import BINARY, Case

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Package(Case):
    def python(self, code):
        return subprocess.run([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True, check=True,
                              env=dict(os.environ, PYTHONPATH=TOP)).stdout

    def test_names(self):
        """all names of __all__ are there, and no other"""
        for name in cordon.__all__:
            self.assertIsNotNone(getattr(cordon, name), name)
        with self.assertRaises(AttributeError):
            cordon.nothing
        self.assertEqual(self.python("from cordon import *; print(run.__name__, AsyncCordon.__name__)"), "run AsyncCordon\n")
        self.assertIn("Runs code in the box", cordon.run.__doc__)

    def test_light(self):
        """an import loads no slow module"""
        heavy = ["asyncio", "subprocess", "dataclasses", "inspect", "json", "IPython"]
        self.assertEqual(self.python(f"import sys, cordon; print([m for m in {heavy!r} if m in sys.modules])"), "[]\n")
        self.assertEqual(self.python("import sys, cordon; cordon.run; print('asyncio' in sys.modules)"), "False\n")

    def test_values(self):
        """values are immutable and compare by their fields"""
        r = cordon.Result(status="exited", exit_code=0)
        self.assertEqual((r, hash(r)), (cordon.Result(status="exited", exit_code=0), hash(cordon.Result(status="exited", exit_code=0))))
        self.assertNotEqual(r, cordon.Result())
        with self.assertRaises(AttributeError):
            r.status = "error"
        with self.assertRaises(TypeError):
            cordon.Result(nothing=1)
        self.assertEqual(cordon.Result().status, "error")
        self.assertEqual((cordon.Conversation().clean, cordon.Scan().verdict, cordon.Verification().good), (False, "deny", False))

    def test_options(self):
        """every option of cordon run is a parameter, and every field of its JSON is a field of the result"""
        import inspect
        told = subprocess.run([BINARY, "help", "run"], stdout=subprocess.PIPE, text=True, check=True).stdout
        options = {m.replace("-", "_") for m in re.findall(r"^  --([a-z-]+)", told, re.M)} - {"json", "events", "by_signal", "help", "words"}
        names = {"input": "stdin", "secrets": "secret", "for_": "for"}
        known = set(inspect.signature(cordon.run).parameters) - {"code", "args", "mode", "check", "on_event", "on_output"}
        self.assertEqual(options, {names.get(k, k) for k in known})
        told = subprocess.run([BINARY, "help", "plan"], stdout=subprocess.PIPE, text=True, check=True).stdout
        options = set(re.findall(r"^  --([a-z-]+)", told, re.M)) - {"json", "help", "words"}
        self.assertEqual(options, {names.get(k, k) for k in inspect.signature(cordon.plan).parameters} - {"code", "args", "mode"})
        told = subprocess.run([BINARY, "run", "--json", "--nothing"], stdout=subprocess.PIPE, text=True).stdout
        fields = {f for f in json.loads(told) if not f.startswith(("stdout_", "stderr_"))}
        self.assertEqual(fields, set(cordon.Result.__dataclass_fields__) - {"raw"})

    @unittest.skipUnless(shutil.which("mypy"), "no mypy")
    def test_types(self):
        """the type checker finds a wrong use and accepts a right one"""
        rows = [("r = cordon.run('x', memory='1M', time=2)\nprint(r.usage.cpu_ms + 1, r.text.upper())", True),
                ("cordon.run('x', memroy='1M')", False), ("cordon.run('x').usage.cpu_ms.upper()", False),
                ("async def f() -> str:\n    return (await cordon.AsyncCordon().run('x')).text", True),
                ("async def f() -> str:\n    return cordon.AsyncCordon().run('x').text", False),
                ("for e in cordon.stream('x'):\n    if isinstance(e, cordon.Output):\n        print(e.data.hex())", True),
                ("cordon.scan('x').findings[0].line.upper()", False)]
        for i, (code, good) in enumerate(rows):
            path = self.path(f"use{i}.py")
            with open(path, "w") as f:
                f.write("import cordon\n" + code + "\n")
            done = subprocess.run(["mypy", "--strict", "--cache-dir", self.path("cache"), path], stdout=subprocess.PIPE, text=True,
                                  cwd=self.dir, env=dict(os.environ, MYPYPATH=TOP))
            self.assertEqual(done.returncode == 0, good, code + "\n" + done.stdout)
