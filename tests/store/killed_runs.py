#!/usr/bin/python3 -I
# SPDX-License-Identifier: MIT
"""killed_runs.py CORDON RULES DIR ROUNDS VICTIM...: runs that leave a file behind, each with SIGKILL for a
victim at a random moment: cordon itself, its cordon-postgres, or the server that CORDON_POSTGRES_CRASH
takes down and brings back. Afterwards: no file without a record of its start, none that the answer says
was not run; every record that was ever read is still there, byte for byte; the log verifies; a result that
is said to be recorded is. Moments are spread over what a run takes here, as measured; of each victim each
stage must have been hit: before the start was on record, between start and result, and not at all (see
STAGES). One run in two has a workspace that it can only read, where the interpreter starts before there is a
record: its effect is that it opens a pipe there."""
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

CODE = "import sys, time\nopen(*sys.argv[1:]).close()\ntime.sleep(0.04)\n"
OWNER, MEASURED = int(os.environ.get("TEST_UID", 61000)), 5
# How far the log was when it was struck. Moments a little behind a run's end make the last one. Whoever is
# left without a log says so: nothing was run, or what was is on no record.
STAGES = {"cordon": ("killed early", "killed running", "done"),
          "helper": ("stopped", "unrecorded", "done"),
          "server": ("stopped", "unrecorded", "done")}
EXTRA_ROUNDS = 60  # until each was hit


class Pipe:
    """Has anybody opened it to read? Whoever opens one waits for the other end."""

    def __init__(self, path):
        self.path, self.is_over, self.was_opened = path, False, False
        os.mkfifo(path, 0o644)
        self.other = threading.Thread(target=self.wait)
        self.other.start()

    def wait(self):
        fd = os.open(self.path, os.O_WRONLY)
        self.was_opened = not self.is_over
        os.close(fd)

    def end(self):
        """Nobody else will."""
        self.is_over = True
        while self.other.is_alive():
            os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))
            self.other.join(0.01)
        os.unlink(self.path)
        return self.was_opened


class Runs:
    def __init__(self, cordon, rules, top):
        self.cordon, self.rules, self.state = cordon, rules, top + "/state"
        self.work, self.pipes = top + "/work", top + "/pipes"
        self.code, self.lines = top + "/effect.py", []
        os.mkdir(self.state, 0o700)
        for given in self.work, self.pipes:
            os.mkdir(given)
            if os.geteuid() == 0:  # give root's directory to the account nobody
                os.chown(given, OWNER, OWNER)
        with open(self.code, "w") as f:
            f.write(CODE)
        self.policy = top + "/policy.yaml"
        with open(self.policy, "w") as f:
            f.write("version: 2\nprofile: observe\n")  # exposed code may write

    def call(self, *args):
        return subprocess.run([self.cordon, *args, "--state", self.state], capture_output=True)

    def begin(self, name, reads=False):
        words = ["run", "--json", "--user", "--rules", self.rules, "--state", self.state,
                 "--policy", self.policy, "--workspace", self.pipes + ":ro" if reads else self.work + ":rw"]
        self.pipe = Pipe(f"{self.pipes}/{name}") if reads else None
        return subprocess.Popen([self.cordon, *words, self.code, "--", name, "r" if reads else "w"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def has_run(self, name):
        return self.pipe.end() if self.pipe else os.path.exists(f"{self.work}/{name}")

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
    ran = runs.has_run(name)
    assert not ran or new.count("start") == 1, f"it ran without a record: {new}"
    verified = runs.call("audit", "verify")
    assert verified.returncode == 0, verified.stdout
    if not said:
        return "killed ended" if "result" in new else "killed running" if "start" in new else "killed early"
    answer = json.loads(said)
    assert answer["ran"] is not False or not ran, "it ran, and the answer says that it did not"
    assert answer["ran"] is not True or ran, "it did not run, and the answer says that it did"
    assert not answer["recorded"] or {"result", "verdict"} & set(new), "it says recorded, and is not"
    if status == -signal.SIGKILL:  # on its way out: what it said holds, its status is the blow's
        return "killed ended"
    assert (status == 0) == (answer["error"] is None), answer
    assert status == 0 or answer["error"]["message"], answer
    if answer["ran"] and not answer["recorded"]:
        assert "the program did run (exited, status 0)" in answer["error"]["message"], answer
        assert answer["audit_id"], answer  # a process killed during its commit does not know
        assert "result" not in new or "may have been written, or not" in answer["error"]["cause"], answer
        return "unrecorded"
    return "done" if status == 0 else "stopped"


def measure(runs):
    """How long one takes here, in the median; nothing is struck."""
    took = []
    for i in range(MEASURED):
        begun = time.monotonic()
        assert runs.begin(f"first{i}").wait() == 0, "nothing runs"
        took.append(time.monotonic() - begun)
    runs.read_log()
    return sorted(took)[MEASURED // 2]


def missing(victims, ends):
    return [end for v in victims for end in (f"{v}: {stage}" for stage in STAGES[v]) if end not in ends]


def main(cordon, rules, top, rounds, victims):
    runs, chance, ends, i = Runs(cordon, rules, top), random.Random(4), {}, 0
    latest = 1.3 * measure(runs)
    while i < int(rounds) or (missing(victims, ends) and i < int(rounds) + EXTRA_ROUNDS):
        victim, name = victims[i % len(victims)], f"f{i}"
        run = runs.begin(name, i // len(victims) % 2 == 1)
        i += 1
        time.sleep(chance.uniform(0, latest))
        strike(victim, run)
        said = run.communicate(timeout=90)[0]
        time.sleep(0.1)  # the program is the last to notice cordon's end
        end = f"{victim}: {check(runs, name, run.returncode, said)}"
        ends[end] = ends.get(end, 0) + 1
    print("# " + ", ".join(f"{k} {v}" for k, v in sorted(ends.items())))
    assert not missing(victims, ends), f"never hit: {missing(victims, ends)}"


if __name__ == "__main__":
    main(*sys.argv[1:5], sys.argv[5:])
