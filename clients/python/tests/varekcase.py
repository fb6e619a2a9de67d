# SPDX-License-Identifier: MIT
"""Shared by the tests of cordon.varek. They use no rules for code, so that hostile code gets as far as the box and the
kernel must stop it."""
import glob
import os
import shutil

import support
from cordon import varek
from support import BINARY, TIER

PYTHON = "/usr/bin/python3"


class Case(support.Case):
    def setUp(self):
        super().setUp()
        os.chmod(self.dir, 0o755)
        os.mkdir(self.path("rules"))
        share = os.path.join(os.path.dirname(os.path.dirname(BINARY)), "share", "cordon", "rules")
        for rule in sorted(glob.glob(share + "/**/*.yaml", recursive=True)):
            with open(rule) as f:
                if "skill" in f.read():
                    shutil.copy(rule, self.path("rules"))
                    break
        self.assertTrue(os.listdir(self.path("rules")))
        os.mkdir(self.path("open"))
        os.chmod(self.path("open"), 0o777)
        self.canary = self.path("open", "canary")
        varek._backend = None
        self.backend = self.make()

    def make(self, **more):
        return varek.SeccompBpfBackend(**dict(binary=BINARY, tier=TIER, state=self.path("state"),
                                              rules=[self.path("rules")], **more))

    def policy(self, network=False, **limits):
        limits.setdefault("cpu_quota_pct", 200)
        return varek.default_python_policy(frozenset({PYTHON}), network, varek.ResourceLimits(**limits))

    def run_code(self, code, network=False, stdin=None, argv=(), **limits):
        """Runs code as a user of VAREK does."""
        varek.configure_backend(self.backend) if varek.get_active_backend() is None else None
        return varek.execute_untrusted(varek.ExecutionPayload(PYTHON, code, argv, stdin), self.policy(network, **limits))

    def says(self, code, expected, **more):
        """Runs code that must exit with 0 and print EXPECTED."""
        o = self.run_code(code, **more)
        self.assertEqual((o.stdout.decode(), o.exit_code), (expected, 0), (o.stderr[-500:], o.denials))
        return o

    def no_canary(self):
        self.assertFalse(os.path.exists(self.canary))
        self.assertEqual(os.listdir(self.path("open")), [])
