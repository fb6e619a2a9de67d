# SPDX-License-Identifier: MIT
"""Telemetry of the program, through the client and through the API of VAREK."""
import cordon
from cordon import varek
from varekcase import Case


class Inside(Case):
    CODE = "import os\ntry: os.execv('/bin/sh', ['sh'])\nexcept OSError: pass\nopen('/etc/nothing')\n"

    def test_events(self):
        """events have lines, refusals have an explanation"""
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
        """subscribers get events of the box; VAREK only reports the parent"""
        two, one = [], []
        varek.subscribe_telemetry(lambda event, args: two.append((event, args)))
        varek.subscribe_telemetry(one.append)
        self.run_code(self.CODE)
        self.assertIn(("sandbox:open", ("'/etc/nothing', 'r'", 4)), two)
        self.assertIn("sandbox:os.exec", [d["event"] for d in one])
