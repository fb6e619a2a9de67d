#!/usr/bin/python3 -I
# SPDX-License-Identifier: MIT
"""killed_commands.py CORDON RULES DIR VICTIM [COMMAND...]: every command that writes the log, with SIGKILL
between each two of its writes: for cordon itself at each call that writes to the state, the directory or
cordon-postgres; for cordon-postgres at each message to the server; for the server (SIGKILL for the process that
serves us, which takes all of it down) at each of these messages. strace counts the calls of an undisturbed run
first; of the messages each fifteenth is taken, with TEST_MORE=1 each third, with KILL_ALL=1 all. Without either,
each fourth call of cordon itself is taken where there is a server. Afterwards: the log verifies; every record that was
there is there, byte for byte; the effect has its record, or did not happen; and the log can be written on without a
word."""
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time

OWNER = int(os.environ.get("TEST_UID", 61000))
ANNA = OWNER + 1
WRITES = ("write,writev,pwrite64,fdatasync,fsync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,linkat,"
          "mkdirat,sendto,sendmsg,copy_file_range")
SENDS = "sendto,sendmsg,write"
OVER = os.WEXITED | os.WNOHANG | os.WNOWAIT
CALL = re.compile(r"^(\w+)\((.*)")
CODE = "echo hi >made\n"


class Database:
    """What is in it, put aside and brought back."""

    def __init__(self, top):
        self.url = os.environ.get("CORDON_STORE_URL")
        self.state, self.saved, self.struck = top + "/state", top + "/saved", 0

    def psql(self, words):
        subprocess.run(["psql", "-qXc", words, self.url], check=True, stdout=subprocess.DEVNULL)

    def begin(self):
        """Commands use a database of their own, which is copied as a whole."""
        if self.url:
            self.psql("CREATE DATABASE work")
            os.environ["CORDON_STORE_URL"] = self.url.replace("/postgres?", "/work?")

    def save(self):
        if self.url:
            self.psql("CREATE DATABASE saved TEMPLATE work")
        subprocess.run(["cp", "-a", self.state, self.saved], check=True)

    def put_back(self, only_database=False):
        if not only_database:
            shutil.rmtree(self.state)
            subprocess.run(["cp", "-a", self.saved, self.state], check=True)
        elif not self.url:
            for name in "log.db", "log.db-wal", "log.db-shm":
                shutil.copy2(f"{self.saved}/{name}", f"{self.state}/{name}")
        if self.url:
            self.psql("DROP DATABASE work WITH (FORCE)")
            self.psql("CREATE DATABASE work TEMPLATE saved")

    def serving(self):
        """The processes of the server that serve us."""
        at = re.search("host=([^&]*)", self.url)[1]
        master = int(open(at + "/data/postmaster.pid").readline())
        for child in open(f"/proc/{master}/task/{master}/children").read().split():
            if " work " in open(f"/proc/{child}/cmdline").read().replace("\0", " "):
                yield int(child)

    def strike(self):
        for pid in self.serving():
            os.kill(pid, signal.SIGKILL)
            self.struck += 1
        for _ in range(600):
            if subprocess.run(["psql", "-qXc", "SELECT 1", self.url], capture_output=True).returncode == 0:
                return
            time.sleep(0.1)
        raise AssertionError("the server does not come back")


class World:
    """USER: the account whose state it is; root's in the place of None."""

    def __init__(self, cordon, rules, top, user=None):
        os.makedirs(top, 0o755, exist_ok=True)
        self.top, self.rules, self.db, self.user = top, rules, Database(top), user
        self.prefix = ["/usr/bin/setpriv", "--reuid", str(user), "--regid", str(user), "--clear-groups"] if user else []
        self.state, self.work, self.trace, self.plan = (f"{top}/{n}" for n in ("state", "work", "trace", "plan"))
        os.mkdir(top + "/bin", 0o755)
        for program in "", "-box", "-egress", "-postgres", "-notify":
            if os.path.exists(cordon + program):
                shutil.copy(cordon + program, f"{top}/bin/cordon{program}")
        self.cordon, self.helper = top + "/bin/cordon", top + "/bin/cordon-postgres"
        os.mkdir(self.state, 0o700)
        os.mkdir(self.work, 0o755)
        os.chown(self.work, OWNER, OWNER)
        if user:
            os.chown(top, user, user)
            os.chown(self.state, user, user)
        for name, text in ("job.sh", CODE), ("page", "a page\n"):
            with open(f"{top}/{name}", "w") as f:
                f.write(text)
        with open(top + "/policy.yaml", "w") as f:
            f.write("version: 2\nprofile: observe\n")  # exposed code may write
        self.db.begin()

    def call(self, *args, before=(), stdin=b""):
        words = [*self.prefix, *before, self.cordon, *args, "--state", self.state]
        return subprocess.run(words, input=stdin, capture_output=True)

    def must(self, *args, **more):
        done = self.call(*args, **more)
        assert done.returncode == 0, (args, done.stdout, done.stderr)
        return done.stdout.decode().strip()

    def typed(self, *args, before=()):
        """At a terminal, where a person says yes. The exit status, or minus the signal."""
        words = [*self.prefix, *before, self.cordon, *args, "--state", self.state]
        pid, tty = pty.fork()
        if pid == 0:
            os.execv(words[0], words)
        os.write(tty, b"yes\n")
        self.watch(pid, tty)
        os.close(tty)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])

    def watch(self, pid, tty):
        """Until it is over."""
        try:
            while os.read(tty, 4096):
                pass
        except OSError:
            pass  # no process has the terminal any more

    def enrol(self, name):
        """By root, in /etc/cordon."""
        self.make_key(name)
        subprocess.run([self.cordon, "approvals", "key", "add", name, f"{self.top}/{name}.pub"], check=True,
                       stdout=subprocess.DEVNULL)

    def make_key(self, name):
        key = f"{self.top}/{name}"
        subprocess.run(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)

    def answer(self, request, name):
        """To a request that waits: what NAME signs."""
        path = f"{self.top}/answer-{name}"
        exported = self.call("approvals", "export", request).stdout
        signed = subprocess.run([self.cordon, "approvals", "sign", "-", "--id", request, "--key", f"{self.top}/{name}",
                                 "--as", name], input=exported, check=True, capture_output=True)
        with open(path, "wb") as f:
            f.write(signed.stdout)
        return path

    def prepare(self):
        self.enrol("anna")
        self.talk, self.other = self.must("conversation", "new"), self.must("conversation", "new")
        for talk in self.talk, self.other:
            self.must("run", "--rules", self.rules, "--conversation", talk, "--workspace", self.work,
                      self.top + "/job.sh")
        self.call("apply", "--conversation", self.other, self.work)  # parks a request
        self.request = json.loads(self.must("approvals", "list", "--json"))[0]["approval_id"]
        self.vote = self.answer(self.request, "anna")
        assert self.typed("grant", "--conversation", self.talk, "--write", "made") == 0, "a grant"
        self.db.save()
        self.lines = self.records()

    def prepare_key(self):
        """Two people have agreed that cy is enrolled, in a state that is not root's."""
        for name in "anna", "ben":
            self.enrol(name)
        self.make_key("cy")
        self.must("conversation", "new")
        self.call("approvals", "key", "add", "cy", self.top + "/cy.pub")  # parks a request
        request = json.loads(self.must("approvals", "list", "--json"))[0]["approval_id"]
        for name in "anna", "ben":
            self.must("approvals", "add", self.answer(request, name))
        self.db.save()

    def records(self):
        return self.must("audit", "export").splitlines()

    def reset(self):
        self.db.put_back()
        for name in "made", "run":
            if os.path.exists(f"{self.work}/{name}"):
                os.unlink(f"{self.work}/{name}")
        if os.path.exists(self.top + "/released"):
            os.unlink(self.top + "/released")

    def has(self, path):
        return os.path.exists(f"{self.top}/{path}")

    def shows(self, text, *args):
        return text in self.must(*args)


# Of each: what is called, what would be its effect, the kind of record that it must have then, and whether it
# is at a terminal. What is only printed is not an effect.
COMMANDS = {
    "conversation": (lambda w: ["conversation", "new"], None, "conversation", False),
    "run": (lambda w: ["run", "--user", "--rules", w.rules, "--policy", w.top + "/policy.yaml", "--workspace",
                       w.work + ":rw", w.top + "/job.sh"],
            lambda w: w.has("work/made"), "start", False),
    "apply": (lambda w: ["apply", "--conversation", w.talk, w.work],
              lambda w: w.has("work/made"), "apply", False),
    "ingest": (lambda w: ["ingest", "--rules", w.rules, "--conversation", w.talk, "--kind", "web", "--name", "p",
                          "--release", w.top + "/released", w.top + "/page"],
               lambda w: w.has("released") and os.path.getsize(w.top + "/released") > 0, "ingest", False),
    "trust": (lambda w: ["trust", w.work], lambda w: w.shows(w.work, "trust", "list"), "trust", True),
    "grant": (lambda w: ["grant", "--conversation", w.other, "--write", "given"],
              lambda w: w.shows("given", "grant", "list"), "ticket", True),
    "plan": (lambda w: ["plan", "--rules", w.rules, "--conversation", w.must("conversation", "new"),
                        w.top + "/job.sh"], None, "ticket", False),
    "deny": (lambda w: ["approvals", "deny", w.request],
             lambda w: not w.shows('"pending"', "approvals", "show", w.request, "--json"), "approval", False),
    "add": (lambda w: ["approvals", "add", w.vote],
            lambda w: not w.shows('"pending"', "approvals", "show", w.request, "--json"), "approval", False),
    "key": (lambda w: ["approvals", "key", "add", "cy", w.top + "/cy.pub"],
            lambda w: w.shows('"name":"cy"', "approvals", "key", "list", "--json"), "key", False),
    "rotate": (lambda w: ["audit", "rotate"], lambda w: w.must("audit", "key") != w.key, "key", False),
    "checkpoint": (lambda w: ["audit", "checkpoint"], None, "checkpoint", False),
    "accept": (lambda w: ["audit", "accept"], lambda w: w.call("conversation", "new").returncode == 0, "accept",
               True),
}


def start(w, name):
    """Everything as it was, and what is to be called."""
    w.reset()
    words = COMMANDS[name][0](w)
    if name == "accept":
        w.must("conversation", "new")
        w.db.put_back(only_database=True)
    w.lines = w.records()
    return words


def obey(w, name, words, before=()):
    if COMMANDS[name][3]:
        return w.typed(*words, before=before)
    return w.call(*words, before=before).returncode


def check(w, name, where):
    _, effect, kind, _ = COMMANDS[name]
    lines = w.records()
    assert lines[:len(w.lines)] == w.lines, f"{where}: a record that was there is gone"
    new = [json.loads(line)["kind"] for line in lines[len(w.lines):]]
    happened = effect(w) if effect else False
    assert not happened or kind in new, f"{where}: it happened without a record: {new}"
    if name in ("trust", "grant", "key", "deny", "add", "rotate"):
        assert happened == (kind in new), f"{where}: {happened}, and the log has {new}"
    if name == "accept" and not happened:
        # A record that accepts a loss counts only when its head is in the file heads.
        assert w.call("audit", "verify").returncode == 1, f"{where}: the loss is forgotten"
        assert w.typed("audit", "accept") == 0, f"{where}: the loss cannot be accepted again"
    done = w.call("conversation", "new")
    assert done.returncode == 0 and not done.stderr, f"{where}: {done.stderr}"
    done = w.call("audit", "verify")
    assert done.returncode == 0, f"{where}: {done.stdout}"


def calls(trace, wanted):
    """Each as its name and how many of that name there were."""
    seen, found = {}, []
    for line in open(trace, errors="replace"):
        m = CALL.match(line)
        if m:
            seen[m[1]] = seen.get(m[1], 0) + 1
            if wanted(m[2]):
                found.append((m[1], seen[m[1]]))
    return found


def strace(w, which, call=None, blow="KILL"):
    inject = ["-e", f"inject={call[0]}:signal={blow}:when={call[1]}"] if call else []
    return ["/usr/bin/strace", "-qq", "-y", "-s", "0", "-o", w.trace, "-e", "trace=" + which, *inject]


def kill_cordon(w, name):
    assert obey(w, name, start(w, name), strace(w, WRITES)) == 0, f"{name} does not work"
    check(w, name, name)
    points = calls(w.trace, lambda rest: w.state in rest or w.work in rest or "released" in rest or "socket:" in rest)
    if w.db.url and not os.environ.get("TEST_MORE") and not os.environ.get("KILL_ALL"):
        points = points[::4]
    for call in points:
        words = start(w, name)
        obey(w, name, words, strace(w, WRITES, call))
        check(w, name, f"{name}, killed before {call[0]} {call[1]}")
    return len(points)


def wrap(w, lines):
    """cordon-postgres is followed while there is a plan."""
    with open(w.plan, "w") as f:
        f.write(lines)


def begin_wrapping(w):
    os.rename(w.helper, w.helper + ".real")
    with open(w.helper, "w") as f:
        f.write(f'#!/bin/sh\n[ ! -e {w.plan} ] || . {w.plan}\nexec {w.helper}.real\n')
    os.chmod(w.helper, 0o755)


def follow(w, call=None, blow="KILL"):
    wrap(w, "exec " + " ".join(strace(w, SENDS, call, blow)) + f" {w.helper}.real\n")


def helpers(pid):
    """cordon-postgres below PID."""
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        if open(f"/proc/{child}/comm").read().strip() == "cordon-postgres":
            yield int(child)
        yield from helpers(child)


def go_on(helpers):
    for helper in helpers:
        try:
            os.kill(helper, signal.SIGCONT)
        except ProcessLookupError:
            pass  # it was over


def strike_server(w, words):
    """The helper stands still before a message; then the server goes, and the helper goes on."""
    pid, tty = pty.fork()
    if pid == 0:
        os.execv(w.cordon, [w.cordon, *words, "--state", w.state])
    os.write(tty, b"yes\n")
    until = time.monotonic() + 60
    while "stopped by SIGSTOP" not in open(w.trace).read() and not os.waitid(os.P_PID, pid, OVER):
        assert time.monotonic() < until, "it does not come that far"
        time.sleep(0.002)
    still = list(helpers(pid)) if os.waitid(os.P_PID, pid, OVER) is None else []
    w.db.strike()
    while not os.waitid(os.P_PID, pid, OVER):
        go_on(still)
        assert time.monotonic() < until, "it does not end"
        time.sleep(0.01)
    go_on(still)  # whose cordon did not wait for it
    os.close(tty)
    os.waitpid(pid, 0)


def kill_helper(w, name, victim):
    words = start(w, name)
    follow(w)
    assert obey(w, name, words) == 0, f"{name} does not work"
    os.unlink(w.plan)
    points = calls(w.trace, lambda rest: "socket:" in rest)
    points = points[::1 if os.environ.get("KILL_ALL") else 3 if os.environ.get("TEST_MORE") else 15]
    for call in points:
        words = start(w, name)
        open(w.trace, "w").close()
        follow(w, call, "KILL" if victim == "helper" else "STOP")
        if victim == "helper":
            obey(w, name, words)
        else:
            strike_server(w, words)
        os.unlink(w.plan)
        check(w, name, f"{name}, {victim} killed before {call[0]} {call[1]}")
    # At the ends of a connection no server process serves it.
    assert victim == "helper" or w.db.struck >= len(points) / 2, f"struck {w.db.struck} times only"
    w.db.struck = 0
    return len(points)


def kill_all(w, victim, names):
    w.key = w.must("audit", "key")
    if victim != "cordon":
        begin_wrapping(w)
    for name in names:
        count = kill_cordon(w, name) if victim == "cordon" else kill_helper(w, name, victim)
        print(f"# {name}: {victim} killed at {count} points", flush=True)
        assert count > 1, "it was never killed"


def main(cordon, rules, top, victim, names):
    w = World(cordon, rules, top)
    w.prepare()
    kill_all(w, victim, [name for name in names or COMMANDS if name != "key"])
    if (names and "key" not in names) or w.db.url:
        return  # a server's socket is its account's
    w = World(cordon, rules, top + "/user", OWNER)
    w.prepare_key()
    kill_all(w, victim, ["key"])


if __name__ == "__main__":
    main(*sys.argv[1:5], sys.argv[5:])
