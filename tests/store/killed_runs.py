#!/usr/bin/python3 -I
# SPDX-License-Identifier: MIT
"""killed_runs.py CORDON RULES DIR ROUNDS VICTIM...: runs that leave a file behind, each with SIGKILL for a
victim at a random moment: cordon itself, its cordon-postgres, or the server that CORDON_POSTGRES_CRASH
takes down and brings back. Afterwards: no file without a record of its start, none that the answer says
was not run; every record that was ever read is still there, byte for byte; the log verifies; a result that
is said to be recorded is. The moments come from a fixed sequence."""
import json
import os
import random
import signal
import subprocess
import sys
import time

CODE = "import sys, time\nopen(sys.argv[1], 'w').close()\ntime.sleep(0.04)\n"
OWNER, LATEST = 61000, 0.25


class Runs:
    def __init__(self, cordon, rules, top):
        self.cordon, self.rules, self.state, self.work = cordon, rules, top + "/state", top + "/work"
        self.code, self.lines = top + "/effect.py", []
        os.mkdir(self.state, 0o700)
        os.mkdir(self.work)
        if os.geteuid() == 0:  # a directory of root's is given to nobody
            os.chown(self.work, OWNER, OWNER)
        with open(self.code, "w") as f:
            f.write(CODE)

    def call(self, *args):
        return subprocess.run([self.cordon, *args, "--state", self.state], capture_output=True)

    def begin(self, name):
        words = ["run", "--json", "--origin", "user", "--rules", self.rules, "--state", self.state,
                 "--workspace", self.work + ":rw"]
        return subprocess.Popen([self.cordon, *words, self.code, "--", name], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def read_log(self):
        """The records that are new; what was read before must still be there."""
        got = self.call("audit", "export")
        lines = got.stdout.splitlines()
        assert got.returncode == 0, got.stderr
        assert lines[:len(self.lines)] == self.lines, "a record that was there is gone"
        new = [json.loads(line)["kind"] for line in lines[len(self.lines):]]
        self.lines = lines
        return new


def helper_of(pid):
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        if open(f"/proc/{child}/comm").read().strip() == "cordon-postgres":
            return int(child)
    return None


def strike(victim, run):
    try:
        if victim == "cordon":
            run.kill()
        elif victim == "helper" and helper_of(run.pid):
            os.kill(helper_of(run.pid), signal.SIGKILL)
        elif victim == "server":
            subprocess.run([os.environ["CORDON_POSTGRES_CRASH"]], check=True, stdin=subprocess.DEVNULL)
    except (FileNotFoundError, ProcessLookupError):
        pass  # it was over


def check(runs, name, status, said):
    """What became of the one round: how it ended, in a word."""
    new = runs.read_log()
    ran = os.path.exists(f"{runs.work}/{name}")
    assert not ran or new.count("start") == 1, f"it ran without a record: {new}"
    verified = runs.call("audit", "verify")
    assert verified.returncode == 0, verified.stdout
    if not said:
        return "killed"
    answer = json.loads(said)
    assert answer["ran"] is not False or not ran, "it ran, and the answer says that it did not"
    assert answer["ran"] is not True or ran, "it did not run, and the answer says that it did"
    assert not answer["recorded"] or {"result", "verdict"} & set(new), "it says recorded, and is not"
    assert (status == 0) == (answer["error"] is None), answer
    assert status == 0 or answer["error"]["message"], answer
    if answer["ran"] and not answer["recorded"]:
        assert "the program did run (exited, status 0)" in answer["error"]["message"], answer
        assert answer["audit_id"] and "result" not in new, answer
        return "unrecorded"
    return "done" if status == 0 else "stopped"


def main(cordon, rules, top, rounds, victims):
    runs, chance, ends = Runs(cordon, rules, top), random.Random(4), {}
    assert runs.begin("first").wait() == 0, "nothing runs"
    runs.read_log()
    for i in range(int(rounds)):
        victim, name = victims[i % len(victims)], f"f{i}"
        run = runs.begin(name)
        time.sleep(chance.uniform(0, LATEST))
        strike(victim, run)
        said = run.communicate(timeout=90)[0]
        time.sleep(0.1)  # whoever is told last of cordon's end is the program
        end = f"{victim}: {check(runs, name, run.returncode, said)}"
        ends[end] = ends.get(end, 0) + 1
    print("# " + ", ".join(f"{k} {v}" for k, v in sorted(ends.items())))


if __name__ == "__main__":
    main(*sys.argv[1:5], sys.argv[5:])
