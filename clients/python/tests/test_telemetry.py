# SPDX-License-Identifier: MIT
"""What the program says of itself, through the client and through VAREK's name for it."""
import cordon
from cordon import varek
from varekcase import Case


class Inside(Case):
    CODE = "import os\ntry: os.execv('/bin/sh', ['sh'])\nexcept OSError: pass\nopen('/etc/nothing')\n"

    def test_events(self):
        """events with lines, refusals in words"""
        told = []
        r = self.client().run(self.CODE, telemetry=True, on_event=told.append)
        said = [e for e in told if isinstance(e, cordon.Telemetry)]
        self.assertIn(("open", "'/etc/nothing', 'r'", 4, "program"), [(e.audit, e.args, e.line, e.by) for e in said])
        self.assertEqual(r.telemetry.told, len(said))
        words = "\n".join(r.telemetry.explained)
        self.assertIn("os.exec('/bin/sh', ['sh']) at line 2 was refused by the box: execve", words)
        self.assertIn("open('/etc/nothing', 'r') at line 4 was refused by the box, which does not show it", words)
        self.assertEqual(self.client().run(self.CODE).telemetry, cordon.TelemetrySum())

    def test_varek(self):
        """subscribers see inside the box, where VAREK saw only the parent"""
        two, one = [], []
        varek.subscribe_telemetry(lambda event, args: two.append((event, args)))
        varek.subscribe_telemetry(one.append)
        self.run_code(self.CODE)
        self.assertIn(("sandbox:open", ("'/etc/nothing', 'r'", 4)), two)
        self.assertIn("sandbox:os.exec", [d["event"] for d in one])
