#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# cordon executor: programs and files of the executor that Codex starts, with a client of our own.
load helper
load workspace
load live_box
load executor

programs() {
	talk "$1" <<'END'
r = c.shell("echo out; echo err >&2; exit 3")
assert (r.out, r.exit_code) == ("out\n", 3) and r.err.startswith("err\n"), r.chunks
r = c.shell("pwd; id -u; echo $0 $HOME")
assert (r.out, r.err) == (c.cwd + "\n1000\n/bin/bash /home\n", ""), r.chunks
assert c.shell("kill -TERM $$").exit_code == 143
assert c.shell("shopt -q login_shell").exit_code == 0
assert c.shell("shopt -q login_shell", login=False).exit_code == 1
c.start("words", ["printf", "%s|", "a b", "$x", "'", "-n"])
assert c.wait("words").out == "a b|$x|'|-n|"
c.start("name", ["bash", "-c", "echo $0"], arg0="other")
assert c.wait("name").out == "other\n"
assert c.shell("pwd", cwd="sub").out == c.cwd + "/sub\n"
r = c.shell("true", cwd="/nowhere")
assert r.exit_code == 125 and "entering /nowhere" in r.err, r.chunks
r = c.shell("head -c 3000000 /dev/zero")
assert sum(len(d) for _, d in r.chunks) == 3000000
END
	untouched
}
@test "programs, their output and their ends" { every_owner programs; }

ends() {
	talk "$1" <<'END'
import signal
assert c.call("process/terminate", processId="none") == {"running": False}
c.start("loop", ["sleep", "600"])
assert c.call("process/terminate", processId="loop") == {"running": True}
assert c.wait("loop").exit_code == 137
assert c.call("process/terminate", processId="loop") == {"running": False}

# The whole tree, which has sessions of its own.
c.start("tree", ["bash", "-c", "setsid sleep 601 & setsid sleep 601 & echo begun; wait"])
c.prints("tree", "begun")
c.call("process/terminate", processId="tree")
assert c.wait("tree").exit_code == 137
assert c.shell("sleep 0.2; pgrep -f 'sleep 60[1]' | wc -l").out == "0\n"

c.start("interrupted", ["sleep", "602"])
c.until(lambda: c.shell("pgrep -f 'sleep 60[2]' | wc -l").out == "1\n", "sleep")
assert c.call("process/signal", processId="interrupted", signal="interrupt") == {}
assert c.wait("interrupted").exit_code == 130
assert c.call("process/signal", processId="none", signal="interrupt") == {}
c.fails(-32602, "process/signal", processId="interrupted", signal="kill")

# Before its box is there.
c.start("early", ["sleep", "603"], sandbox=sandbox(c.cwd, write=False))
c.call("process/terminate", processId="early")
assert c.wait("early").exit_code == 137
c.fails(-32600, "process/start", processId="early", argv=["true"], cwd=c.uri(), env={})
END
}
@test "a program is killed with all that it started, or interrupted" { every_owner ends; }

typed() {
	talk "$1" <<'END'
c.start("pipe", ["cat"], pipeStdin=True)
assert c.type("pipe", "one\n") == "accepted"
assert c.type("pipe", "two\n", "same") == c.type("pipe", "two\n", "same") == "accepted"
assert c.type("pipe", "three\n") == "accepted"
c.prints("pipe", "three\n")
assert c.runs["pipe"].out == "one\ntwo\nthree\n"
much = "x" * 999 + "\n"
for i in range(300):
    c.type("pipe", much)
c.until(lambda: len(c.runs["pipe"].out) == 14 + 300000, "all of it")
c.call("process/terminate", processId="pipe")
c.wait("pipe")
assert c.type("none", "x") == "unknownProcess"
c.start("deaf", ["sleep", "600"])
assert c.type("deaf", "x") == "stdinClosed"

c.start("terminal", ["bash", "-c", "tty; stty size; read x; echo got $x; sleep 600"], tty=True)
c.prints("terminal", "24 80")
c.type("terminal", "abc\n")
c.prints("terminal", "got abc")
c.type("terminal", "\x03")
assert c.wait("terminal").exit_code == 130
assert set(s for s, _ in c.runs["terminal"].chunks) == {"pty"}
# What is typed before there is a terminal waits for it.
for i in range(10):
    c.start(f"early{i}", ["head", "-n", "1"], tty=True)
    c.type(f"early{i}", "abc\n")
for i in range(10):
    assert c.wait(f"early{i}").out.count("abc") == 2, c.runs[f"early{i}"].chunks
c.fails(-32602, "process/write", processId="deaf", chunk="!!", writeId="1")
c.fails(-32602, "process/write", processId="deaf", chunk="aGkK")
END
}
@test "text is typed to a program, once for each id, and on a terminal" { every_owner typed; }

@test "typed text is scanned and recorded like a start; what a rule denies is not typed" {
	dir user
	mkdir "$T/rules"
	cat >"$T/rules/no.yaml" <<'END'
title: no such word
id: CORDON-TEST-0001
rule_version: 1
status: stable
description: A word that no program may get.
author: test
date: 2026/01/01
schema_version: "1.0"
detection_tier: pattern
maturity: stable
severity: critical
tags: {category: tool-poisoning, subcategory: test, scan_target: mcp, confidence: high}
agent_source: {type: tool_call, framework: [any], provider: [any]}
detection:
  condition: any
  conditions:
    - {field: content, operator: regex, value: "unspeakable", description: it}
response: {actions: [block_tool], message_template: no}
END
	cat >"$T/policy.yaml" <<'END'
version: 2
rules: {CORDON-TEST-0001: denies}
END
	talk user:no-cgroup --rules "$T/rules" --policy "$T/policy.yaml" <<'END'
r = c.shell("echo unspeakable")
assert r.exit_code == 126 and "not run" in r.err and "CORDON-TEST-0001" in r.err, r.chunks
c.start("shell", ["bash"], pipeStdin=True)
c.type("shell", "echo unspeakable\n")
c.type("shell", "echo fine\n")
c.prints("shell", "fine")
time.sleep(1)  # the next command finds its reader ready
for _ in range(2):
    r = c.shell("echo $'\\x75nspeakable' | cat")
    assert r.exit_code == 126 and "CORDON-TEST-0001" in r.err, r.chunks
assert "unspeakable\n" not in c.runs["shell"].out and "CORDON-TEST-0001" in c.runs["shell"].err, c.runs["shell"].chunks
print(c.call("environment/status"))
END
	as user "$CORDON" audit export >"$T/out"
	out_has '"typed text"'
}

files() {
	talk "$1" <<'END'
at = lambda path, **more: c.call("fs/getMetadata", path=c.uri(path), sandbox=None, **more)
m = at("file")
assert (m["isFile"], m["isDirectory"], m["isSymlink"], m["size"]) == (True, False, False, 4)
assert abs(m["modifiedAtMs"] - os.stat("file").st_mtime * 1000) < 2
assert at("sub")["isDirectory"] and at("link")["isSymlink"] and at("link")["isFile"]
c.fails(-32600, "fs/getMetadata", path=c.uri("link"), followSymlinks=False)
for path in ("none", "none/x"):
    c.fails(-32004, "fs/getMetadata", path=c.uri(path))
c.fails(-32603, "fs/getMetadata", path=c.uri("file/x"))
c.fails(-32602, "fs/getMetadata", path=c.cwd + "/file")
assert c.read("file") == b"old\n" and c.read("link") == b"old\n"
c.fails(-32600, "fs/readFile", path=c.uri("sub"))
c.fails(-32004, "fs/readFile", path=c.uri("none"))

odd = "a b#%c\u00e4'\"$x;`"
data = bytes(range(256)) * 5000
c.write(odd, data)
assert c.read(odd) == data and c.shell(f"cat ./a*|wc -c").out == "1280000\n"
c.write("file", b"new\n")
assert c.shell("cat link").out == "new\n"
c.fails(-32004, "fs/writeFile", path=c.uri("none/x"), dataBase64="")
c.fails(-32603, "fs/writeFile", path=c.uri("sub"), dataBase64="")
c.fails(-32600, "fs/writeFile", path=c.uri("file"), dataBase64="!")

make = lambda path, recursive: c.call("fs/createDirectory", path=c.uri(path), recursive=recursive)
c.fails(-32603, "fs/createDirectory", path=c.uri("sub"), recursive=False)
c.fails(-32004, "fs/createDirectory", path=c.uri("p/q"), recursive=False)
c.fails(-32603, "fs/createDirectory", path=c.uri("file"), recursive=True)
assert make("sub", True) == make("p/q/r", True) == make("-n", False) == {}
assert c.call("fs/copy", sourcePath=c.uri("file"), destinationPath=c.uri("p/file"), recursive=False) == {}
c.fails(-32600, "fs/copy", sourcePath=c.uri("p"), destinationPath=c.uri("p2"), recursive=False)
assert c.call("fs/copy", sourcePath=c.uri("p"), destinationPath=c.uri("p2"), recursive=True) == {}
assert c.read("p2/file") == b"new\n"
names = [(e["fileName"], e["isDirectory"]) for e in c.call("fs/readDirectory", path=c.uri("p2"))["entries"]]
assert sorted(names) == [("file", False), ("q", True)], names
c.fails(-32603, "fs/remove", path=c.uri("p2"), recursive=False, force=False)
assert c.call("fs/remove", path=c.uri("p2"), recursive=True, force=False) == {}
c.fails(-32004, "fs/remove", path=c.uri("p2"), recursive=True, force=False)
assert c.call("fs/remove", path=c.uri("p2"), recursive=True, force=True) == {}
assert c.call("fs/canonicalize", path=c.uri("p/../link")) == {"path": c.uri("file")}
walked = c.call("fs/walk", path=c.uri("p"), sandbox=None, options={
    "maxDepth": 9, "maxDirectories": 99, "maxEntries": 99, "followDirectorySymlinks": False,
    "pruneHiddenDirectories": True})
assert walked == {"errors": [], "truncated": False, "entries": [
    {"path": c.uri("p/file"), "kind": "file"}, {"path": c.uri("p/q"), "kind": "directory"},
    {"path": c.uri("p/q/r"), "kind": "directory"}]}, walked
assert c.call("fs/open", handleId="h", path=c.uri("file")) == {"handleId": "h"}
assert c.call("fs/readBlock", handleId="h", offset=1, len=2) == {"chunk": "ZXc=", "eof": False}
assert c.call("fs/readBlock", handleId="h", offset=2, len=9) == {"chunk": "dwo=", "eof": True}
assert c.call("fs/close", handleId="h") == {}
c.fails(-32004, "fs/readBlock", handleId="h", offset=0, len=1)
END
	untouched
}
@test "files are read and changed in the box" { every_owner files; }

@test "what the box does not show does not exist, and no link leads out" {
	dir user
	echo secret >"$T/canary"
	chmod 644 "$T/canary"
	ln -s "$T/canary" "$W/out"
	ln -s /proc/self/root/etc/hostname "$W/magic"
	listing "$W" >"$T/before"
	CANARY=$T/canary talk user:no-cgroup <<'END'
canary = os.environ["CANARY"]
for path in (canary, c.cwd + "/out", c.cwd + "/../canary", "/proc/1/root" + canary):
    c.fails(-32004, "fs/readFile", path="file://" + path)
    c.fails(-32004, "fs/getMetadata", path="file://" + path)
c.fails(-32603, "fs/readFile", path=c.uri("magic"))
c.call("fs/writeFile", path="file://" + canary, dataBase64="ZXZpbA==")
c.fails(-32603, "fs/writeFile", path="file:///usr/bin/new", dataBase64="")
assert c.shell("cat " + canary).out == "evil"
END
	[ "$(cat "$T/canary")" = secret ]
	untouched
}

granted() {
	cat >"$T/policy.yaml" <<END
version: 2
grants:
  - {directory: $W, write: [.]}
  - {directory: $T/more, write: [.]}
END
	mkdir -p "$T/more"
	! is_root || chown "$(stat -c %u:%g "$W")" "$T/more"
	chmod 644 "$T/policy.yaml"
	talk "$1" --policy "$T/policy.yaml" --rw "$T/more" <<'END'
more = os.path.dirname(os.getcwd()) + "/more/"
assert c.shell(f"echo a >{more}a").exit_code == 0 and open(more + "a").read() == "a\n"
assert c.shell(f"echo no >{more}a", sandbox=sandbox(c.cwd, write=False)).exit_code == 1
assert c.shell(f"cat {more}a", sandbox=sandbox(c.cwd, write=False)).out == "a\n"
r = c.shell("echo new >made; mkdir -p .git/hooks 2>/dev/null; pwd")
assert (r.out, r.err, r.exit_code) == (c.cwd + "\n", "", 0), r.chunks
assert open("made").read() == "new\n"
c.write("written", b"x")
assert open("written").read() == "x"
# The agent's own sandbox narrows that, and nothing else widens it.
r = c.shell("echo no >made", sandbox=sandbox(c.cwd, write=False))
assert r.exit_code == 1 and "ead-only" in r.err, r.chunks
assert open("made").read() == "new\n"
c.fails(-32603, "fs/writeFile", path=c.uri("made"), dataBase64="", sandbox=sandbox(c.cwd, write=False))
assert c.shell("echo more >>made", sandbox=sandbox(c.cwd)).exit_code == 0
assert open("made").read() == "new\nmore\n"
hides = [{"path": {"type": "path", "path": c.uri("sub")}, "access": "none"}]
assert "hide" in c.fails(-32600, "process/start", processId="x", argv=["true"], cwd=c.uri(), env={},
                         sandbox=sandbox(c.cwd, more=hides))
odd = {"permissions": {"type": "something new"}}
assert c.shell("echo no >made", sandbox=odd).exit_code == 1
END
}
@test "under a grant the directory itself is written; the agent's sandbox narrows that" { every_owner granted; }

proposed() {
	talk "$1" <<'END'
r = c.shell("echo new >made")
assert (r.out, r.exit_code) == ("", 0) and r.err.count("its changes are proposals") == 1, r.chunks
conversation = r.err.split("--conversation ")[1].split()[0]
assert not c.shell("echo more >>made").err
print(conversation)
END
	untouched
	as "${1%%:*}" "$CORDON" diff --conversation "$(tail -n 1 "$T/out")" "$W" >"$T/out"
	out_has 'created made'
	out_has '+ more'
}
@test "without a grant the changes are proposals, and the client is told once" { every_owner proposed; }

@test "no variable of the client gets in, but for a few names" {
	dir user
	OPENAI_API_KEY=leaked-1 talk user:no-cgroup --env OWN=1 <<'END'
env = {"MOCK_KEY": "leaked-2", "CODEX_HOME": "leaked-3", "PATH": "leaked-4", "LD_PRELOAD": "leaked-5", "HOME": "leaked-6",
       "OWN": "leaked-7", "BASH_ENV": "leaked-8", "CODEX_THREAD_ID": "t-1", "NO_COLOR": "1", "LC_TIME": "C"}
policy = {"inherit": "all", "exclude": [], "set": {"MY_TOKEN": "leaked-9"}, "includeOnly": []}
r = c.shell("env", env=env, envPolicy=policy)
assert "leaked" not in r.out, r.out
assert {"OWN=1", "CODEX_THREAD_ID=t-1", "NO_COLOR=1", "LC_TIME=C"} <= set(r.out.split("\n"))
END
}

@test "its boxes end with the client, however it goes" {
	dir user
	talk user:no-cgroup <<'END'
import signal, subprocess
boxes = lambda: [b["name"] for b in json.loads(subprocess.check_output([ARGV[0], "box", "list", "--json"]))["boxes"]]
c.shell("true")
assert len(boxes()) == 1
c.start("left", ["sleep", "600"])
c.start("waits", ["cat"], pipeStdin=True)
c.close()
assert boxes() == []
with Client(ARGV) as d:
    d.shell("sleep 600 & true")
    d.start("left", ["sleep", "600"])
    d.program.send_signal(signal.SIGTERM)
    assert d.program.wait(30) == 0 and boxes() == []
d = Client(ARGV)
d.shell("true")
d.start("left", ["bash", "-c", "echo begun; exec sleep 605"])
d.prints("left", "begun")
lives = lambda: subprocess.run(["pgrep", "-f", "sleep 60[5]"], stdout=subprocess.DEVNULL).returncode == 0
for _ in range(100):
    if lives():
        break
    time.sleep(0.1)
d.program.kill()
d.program.wait()
for _ in range(100):
    if not lives():
        break
    time.sleep(0.1)
else:
    raise AssertionError("a program outlived the executor")
END
}

@test "a box that has ended is made again" {
	dir user
	talk user:no-cgroup <<'END'
import subprocess
name = lambda: json.loads(subprocess.check_output([ARGV[0], "box", "list", "--json"]))["boxes"][0]["name"]
c.shell("echo kept >made")
subprocess.run([ARGV[0], "box", "stop", name()], check=True, stderr=subprocess.DEVNULL)
assert c.shell("cat made").out == "kept\n"
subprocess.run([ARGV[0], "box", "stop", name()], check=True, stderr=subprocess.DEVNULL)
assert c.read("made") == b"kept\n"
assert subprocess.run([ARGV[0], "box", "exec", name(), "--", "cat", "made"], stdin=subprocess.DEVNULL,
                      stdout=subprocess.PIPE).stdout == b"kept\n"
END
}

@test "garbage, half lines, deep JSON and duplicate keys are named, and nothing is lost" {
	dir user
	talk user:no-cgroup <<'END'
def bad(data, words):
    c.bytes(data)
    c.until(lambda: -1 in c.answers, f"an answer to {data[:40]}")
    error = c.answers.pop(-1)["error"]
    assert error["code"] == -32600 and words in error["message"], error
bad(b"garbage\n", "not JSON")
bad(b"[1]\n", "not a JSON object")
bad(b'{"id":5}\n', "no method")
bad(b'{"id":[],"method":"x"}\n', "no number")
bad(b'{"id":1,"id":2,"method":"environment/status"}\n', "duplicate")
bad(b'{"id":1,"method":"\xff"}\n', "unable to decode")
bad(b'{"id":1,"method":"x","params":' + b"[" * 70 + b"]" * 70 + b"}\n", "64 levels")
bad(b'{"id":1,"method":"x","params":[' + b"1," * 1000000 + b"1]}\n", "1000000 values")
bad(b'{"a":"' + b"x" * (65 << 20) + b'"}\n', "longer than")
c.fails(-32601, "process/resize", processId="a")
c.fails(-32600, "initialize", clientName="again")
for params in ({}, {"processId": 1}, {"processId": "x" * 257}, {"processId": "x", "argv": []},
               {"processId": "x", "argv": ["a", 1]}, {"processId": "x", "argv": ["a"], "cwd": "/tmp"},
               {"processId": "x", "argv": ["a"], "cwd": "file:///%zz"}):
    c.fails(-32602, "process/start", **params)
whole = json.dumps({"id": 77, "jsonrpc": "2.0", "method": "environment/status"}).encode() + b"\n"
for byte in whole:
    c.bytes(bytes([byte]))
assert c.answer(77) == {"status": "ready"}
assert c.shell("echo fine").out == "fine\n"
c.bytes(b'{"id":1,"meth')
c.program.stdin.close()
c.until(lambda: -1 in c.answers, "an answer to half a line")

d = Client(ARGV, greets=False)
d.fails(-32600, "process/start", processId="a")
d.tell("nothing", {})
d.until(lambda: d.ended, "the end")
END
}

@test "many programs at once, and a client that reads late" {
	dir user
	talk user:no-cgroup <<'END'
names = [f"p{i}" for i in range(20)]
for n in names:
    c.start(n, ["bash", "-c", f"echo {n}; sleep 0.3; exit {int(n[1:])}"])
for n in names:
    r = c.wait(n, 60)
    assert (r.out, r.exit_code) == (n + "\n", int(n[1:])), r.chunks
c.start("much", ["bash", "-c", "yes | head -c 40000000"])
time.sleep(2)
size = sum(len(d) for _, d in c.wait("much", 60).chunks)
assert size == 40000000, (size, c.runs["much"].chunks[:4])
r = c.call("process/read", processId="much", afterSeq=0, maxBytes=100000, waitMs=0)
assert r["exited"] and r["chunks"] and sum(len(k["chunk"]) for k in r["chunks"]) < 2000000
c.start("slow", ["bash", "-c", "sleep 1; echo late; sleep 600"])
begun = time.monotonic()
r = c.call("process/read", processId="slow", afterSeq=0, waitMs=20000)
assert [k["stream"] for k in r["chunks"]] == ["stdout"] and time.monotonic() - begun < 15, r
r = c.call("process/read", processId="slow", afterSeq=1, waitMs=100)
assert (r["chunks"], r["exited"], r["nextSeq"]) == ([], False, 2), r
c.fails(-32600, "process/read", processId="none")
END
}

@test "clients of a socket do not see each other" {
	dir user
	talk user:no-cgroup <<'END'
import socket, tempfile
at = tempfile.mkdtemp() + "/socket"
listener = subprocess.Popen(ARGV + ["--listen", "unix:" + at])
while not os.path.exists(at):
    time.sleep(0.05)
assert os.stat(at).st_mode & 0o777 == 0o600
BRIDGE = """
import socket, sys, threading, os
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
def out():
    while data := s.recv(65536): os.write(1, data)
    os._exit(0)
threading.Thread(target=out, daemon=True).start()
while data := os.read(0, 65536): s.sendall(data)
s.shutdown(socket.SHUT_WR)
threading.Event().wait()
"""
bridge = lambda: Client([sys.executable, "-c", BRIDGE, at])
with bridge() as a, bridge() as b:
    assert a.greeting["sessionId"] != b.greeting["sessionId"]
    a.shell("echo a >/tmp/mine")
    assert b.shell("cat /tmp/mine").exit_code == 1 and a.shell("cat /tmp/mine").out == "a\n"
    a.bytes(b"garbage\n")
    assert b.shell("echo fine").out == "fine\n"
with bridge() as d:
    d.start("left", ["sleep", "600"])
    listener.terminate()
    assert listener.wait(30) == 0 and not os.path.exists(at)
    d.until(lambda: d.ended, "the end of the connection")
os.rmdir(os.path.dirname(at))
END
}
