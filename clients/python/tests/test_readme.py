# SPDX-License-Identifier: MIT
"""Every Python program in the README runs."""
import os
import re
import subprocess
import sys

from support import BINARY, TIER, Case

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXPECTED = ["42\n", "time True\n", "0\n1\n2\n", "exposed plan\nnet example.org:443 waits\n",
            "exposed True\n[('created', 'notes')]\n['waits'] []\n", "b'42\\n'\n"]


class Readme(Case):
    def test_programs(self):
        """they print the expected output"""
        with open(os.path.join(TOP, "README.md")) as f:
            programs = re.findall(r"```python\n(.*?)```", f.read(), re.S)
        self.assertEqual(len(programs), len(EXPECTED))
        # The README is for a machine with all layers. On another one the tier must be lower.
        lower = "" if TIER == "full" else f"cordon._default.default._options += (('tier', {TIER!r}),)\n"
        asynchronous = "" if TIER == "full" else f"cordon.AsyncCordon = __import__('functools').partial(cordon.AsyncCordon, tier={TIER!r})\n"
        asynchronous += "" if TIER == "full" else f"import cordon.varek\ncordon.varek.SeccompBpfBackend = __import__('functools').partial(cordon.varek.SeccompBpfBackend, tier={TIER!r})\n"
        for program, expected in zip(programs, EXPECTED):
            done = subprocess.run([sys.executable, "-B", "-c", "import cordon, cordon._default\n" + lower + asynchronous + program],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                                  env=dict(os.environ, PYTHONPATH=TOP, XDG_STATE_HOME=self.path("state"), CORDON_BINARY=BINARY))
            self.assertEqual((done.stdout.decode(), done.stderr), (expected, b""), program)
