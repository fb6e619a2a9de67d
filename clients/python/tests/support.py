# SPDX-License-Identifier: MIT
"""Shared by the tests: a client of the program under test with its own state directory. tests/run sets the program
($CORDON_BINARY) and the tier ($CORDON_TIER). There is no default, which could test another program."""
import os
import pty
import shutil
import tempfile
import time
import unittest

import cordon

BINARY = os.environ["CORDON_BINARY"]
TIER = os.environ["CORDON_TIER"]


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="cordon-py.")
        self.addCleanup(shutil.rmtree, self.dir, True)
        os.mkdir(self.path("state"), 0o700)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def options(self, **more):
        return dict({"binary": BINARY, "tier": TIER, "state": self.path("state"), "user": True}, **more)

    def client(self, **more):
        return cordon.Cordon(**self.options(**more))

    def aclient(self, **more):
        return cordon.AsyncCordon(**self.options(**more))

    def person(self, *words):
        """Runs a command at a terminal and types yes."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(BINARY, [BINARY, *words, "--state", self.path("state")])
        said = b""
        try:
            os.write(terminal, b"yes\n")
            while data := os.read(terminal, 4096):
                said += data
        except OSError:  # end of the terminal
            pass
        finally:
            os.close(terminal)
        self.assertEqual(os.waitpid(pid, 0)[1], 0, said.decode())

    def script(self, text):
        """A script that stands in for cordon. CORDON in TEXT is the path of the real one."""
        path = self.path("program")
        with open(path, "w") as f:
            f.write("#!/bin/sh\n" + text.replace("CORDON", BINARY))
        os.chmod(path, 0o755)
        return path


def descriptors():
    return sorted(os.listdir("/proc/self/fd"))


def children():
    """Child processes that still run or were not reaped, as (pid, state)."""
    here, found = os.getpid(), []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as f:
                rest = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(rest[1]) == here:
            found.append((int(name), rest[0]))
    return found


def until(true, seconds=20.0):
    """Waits until TRUE() holds. The deadline only ends a test that has failed."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"not true after {seconds} s")
        time.sleep(0.01)
