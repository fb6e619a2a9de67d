#!/usr/bin/python3 -I
# SPDX-License-Identifier: MIT
"""synced.py CORDON RULES DIR sqlite|postgres: what starts a run is on the disk before the program's first
instruction, and not only with the kernel, which a killed process leaves behind it.

sqlite: strace tells in which order cordon writes its start's record, waits for the disk, and says the word
that lets the program begin, by either way: to an interpreter that has read the code already, and to a box
that gets it now. When the disk says no, nothing begins.
postgres: the server's own setting is that commits do not wait for the disk; it is killed while the program
runs, and knows the start when it is back."""
import json
import os
import re
import subprocess
import sys
import time

SEEN = "it has begun\n"  # and nothing else: a view of the code is read before
CODE = {"x.py": "print('it has begun')\n", "x.sh": "echo it has begun\n"}
SLICE = 16  # bytes of what no other record has: a page of the database may end within it, once or twice
WAITS = "import sys, time\nopen(sys.argv[1], 'w').close()\ntime.sleep(60)\n"
OWNER = int(os.environ.get("TEST_UID", 61000))
TIER = [] if os.geteuid() == 0 else ["--tier", "no-cgroup"]
CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+)")
TRACED = "pwrite64,fdatasync,fsync,sendto,sendmsg,read"


def run(cordon, rules, state, *args, before=(), **more):
    return subprocess.run([*before, cordon, "run", "--json", "--user", "--rules", rules, "--state",
                           state, *TIER, *args], stdin=subprocess.DEVNULL, capture_output=True, **more)


def records(cordon, state):
    got = subprocess.run([cordon, "audit", "export", "--state", state], capture_output=True, check=True)
    return got.stdout.splitlines()


def text(quoted):
    return bytes(int(two, 16) for two in re.findall(r"\\x([0-9a-f]{2})", quoted))


def calls(trace):
    """Each as (name, first argument's file, data, result)."""
    for line in open(trace):
        m = CALL.match(line)
        if m:
            file = text(re.match(r"\d+<([^>]*)>", m[2])[1]).decode(errors="replace") if "<" in m[2] else ""
            data = re.search(r'"((?:\\x[0-9a-f]{2})*)"', m[2])
            yield m[1], file, text(data[1]) if data else b"", int(m[3])


def order(trace, record):
    """The numbers of the calls: what wrote the record last, what waited for it, what let the program begin,
    and what heard of it."""
    slices = [record[i:i + SLICE] for i in range(record.index(b'"prev"'), len(record) - SLICE, SLICE)]
    found, wrote, synced, sent, heard = set(), None, None, None, None
    for n, (name, file, data, result) in enumerate(calls(trace)):
        if name == "pwrite64" and file.endswith("log.db-wal"):
            met = {s for s in slices if s in data} - found
            found |= met
            wrote = n if met else wrote
        elif name in ("fdatasync", "fsync") and file.endswith("log.db-wal") and result == 0:
            synced = n if wrote is not None and (synced is None or synced < wrote) else synced
        elif name in ("sendto", "sendmsg") and result > 0:
            sent = n
        elif name == "read" and data == SEEN.encode():
            heard = n
            break
    assert len(found) > len(slices) / 2, f"the record of the start was not written before: {len(found)}"
    return wrote, synced, sent, heard


def sqlite(cordon, rules, top):
    state = top + "/state"
    os.mkdir(state, 0o700)
    for name, code in CODE.items():
        file, trace = f"{top}/{name}", f"{top}/{name}.trace"
        open(file, "w").write(code)
        assert run(cordon, rules, state, file).returncode == 0  # the log is there, the rules are compiled
        done = run(cordon, rules, state, file, before=("strace", "-y", "-xx", "-s", "70000", "-o", trace,
                                                       "-e", "trace=" + TRACED))
        assert done.returncode == 0 and json.loads(done.stdout)["stdout"] == SEEN, done
        start = [r for r in records(cordon, state) if json.loads(r)["kind"] == "start"][-1]
        wrote, synced, sent, heard = order(trace, start)
        assert heard, "what it printed was never read"
        assert synced and wrote < synced, "nobody waited for the disk"
        assert sent and synced < sent < heard, f"{name}: it began before the disk had it: {synced}, {sent}"
        full_disk(cordon, rules, state, file)


def full_disk(cordon, rules, state, file):
    """A disk that says no when it is waited for."""
    before = len(records(cordon, state))
    done = run(cordon, rules, state, file, before=("strace", "-o", "/dev/null", "-e", "trace=fdatasync,fsync",
                                                   "-e", "inject=fdatasync,fsync:error=EIO"))
    said = json.loads(done.stdout)
    assert done.returncode == 125 and said["ran"] is False and said["stdout"] == "", said
    assert said["error"]["message"], said
    kinds = [json.loads(r)["kind"] for r in records(cordon, state)[before:]]
    assert "result" not in kinds, kinds


def sql(words):
    subprocess.run(["psql", "-qX", os.environ["CORDON_STORE_URL"], "-c", words], check=True,
                   stdout=subprocess.DEVNULL)


def postgres(cordon, rules, top):
    state, work, file = top + "/state", top + "/work", top + "/waits.py"
    os.mkdir(state, 0o700)
    os.mkdir(work)
    if os.geteuid() == 0:  # give root's directory to the account nobody
        os.chown(work, OWNER, OWNER)
    open(file, "w").write(WAITS)
    open(top + "/policy.yaml", "w").write("version: 2\nprofile: observe\n")  # exposed code may write
    sql("ALTER ROLE cordon SET synchronous_commit = off")
    sql("ALTER SYSTEM SET wal_writer_delay = '10s'")
    sql("SELECT pg_reload_conf()")
    subprocess.run([cordon, "conversation", "new", "--state", state], check=True, stdout=subprocess.DEVNULL)
    for nth, name in enumerate(("one", "two", "three"), 1):
        going = subprocess.Popen([cordon, "run", "--user", "--rules", rules, "--state", state,
                                  "--policy", top + "/policy.yaml", "--workspace", work + ":rw", *TIER, file, "--", name], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not os.path.exists(f"{work}/{name}"):
            assert time.monotonic() < until and going.poll() is None, "it does not run"
            time.sleep(0.001)
        subprocess.run([os.environ["CORDON_POSTGRES_CRASH"]], check=True, stdin=subprocess.DEVNULL)
        going.kill()
        going.wait()
        kinds = [json.loads(r)["kind"] for r in records(cordon, state)]
        assert kinds.count("start") == nth, f"run {nth} runs, and the log has {kinds}"


if __name__ == "__main__":
    {"sqlite": sqlite, "postgres": postgres}[sys.argv[4]](*sys.argv[1:4])
