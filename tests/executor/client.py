# SPDX-License-Identifier: MIT
"""A small client of `cordon executor`, in plain messages. Client(argv) speaks to any executor.

A program that is started has a Run: its events in their order, which are checked while they come."""
import base64
import json
import os
import queue
import subprocess
import threading
import time

WAIT_S = 30


class Failed(Exception):
    """An answer with an error: its code and its message."""

    def __init__(self, error):
        super().__init__(error["code"], error["message"])
        self.code, self.message = error["code"], error["message"]


class Run:
    """What the client was told of one program."""

    def __init__(self):
        self.seq, self.exit_code, self.closed = 0, None, False
        self.chunks, self.late = [], {}

    def take(self, method, params):
        """Notifications may come in another order than their numbers."""
        self.late[params["seq"]] = (method, params)
        while self.seq + 1 in self.late:
            self.seq += 1
            method, params = self.late.pop(self.seq)
            assert not self.closed, "an event after the last one"
            if method == "process/output":
                data = base64.b64decode(params["chunk"], validate=True)
                assert len(data) <= 1 << 20
                self.chunks.append((params["stream"], data))
            elif method == "process/exited":
                assert self.exit_code is None and params["sandboxDenied"] is False
                self.exit_code = params["exitCode"]
            elif method == "process/closed":
                self.closed = True

    def text(self, stream=None):
        return b"".join(d for s, d in self.chunks if stream in (None, s)).decode(errors="replace")

    @property
    def out(self):
        return self.text("stdout") + self.text("pty")

    @property
    def err(self):
        return self.text("stderr")


class Client:
    def __init__(self, argv, cwd=None, env=None, greets=True):
        self.cwd = os.path.realpath(cwd or os.getcwd())
        self.program = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.came, self.runs, self.answers, self.last = queue.Queue(), {}, {}, 0
        self.ended = False
        threading.Thread(target=self._read, daemon=True).start()
        if greets:
            self.greeting = self.call("initialize", clientName="test", resumeSessionId=None)
            self.tell("initialized", {})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _read(self):
        for line in self.program.stdout:
            self.came.put(json.loads(line))
        self.came.put(None)

    def bytes(self, data):
        self.program.stdin.write(data)
        self.program.stdin.flush()

    def tell(self, method, params):
        self.bytes(json.dumps({"method": method, "params": params}).encode() + b"\n")

    def send(self, method, params):
        self.last += 1
        self.bytes(json.dumps({"id": self.last, "method": method, "params": params}).encode() + b"\n")
        return self.last

    def turn(self, until):
        """Takes one message; False when the time is over or the executor has ended."""
        if self.ended:
            return False
        try:
            message = self.came.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            return False
        if message is None:
            self.ended = True
        elif "method" in message:
            self.runs.setdefault(message["params"]["processId"], Run()).take(
                message["method"], message["params"])
        else:
            self.answers[message["id"]] = message
        return not self.ended

    def answer(self, number, wait_s=WAIT_S):
        until = time.monotonic() + wait_s
        while number not in self.answers:
            assert self.turn(until), f"no answer to {number}"
        message = self.answers.pop(number)
        if "error" in message:
            raise Failed(message["error"])
        return message["result"]

    def call(self, method, /, **params):
        return self.answer(self.send(method, params))

    def fails(self, code, method, /, **params):
        """The message of the error that the call must end with."""
        try:
            result = self.call(method, **params)
        except Failed as e:
            assert e.code == code, f"{method}: {e}"
            return e.message
        raise AssertionError(f"{method} gave {result}")

    def uri(self, path="."):
        path = os.path.normpath(os.path.join(self.cwd, path))
        return "file://" + "".join(c if c.isalnum() or c in "/-._~" else "".join(
            f"%{b:02X}" for b in c.encode("utf-8", "surrogateescape")) for c in path)

    def start(self, name, argv, cwd=".", env=None, **more):
        self.runs[name] = Run()
        return self.call("process/start", **{
            "processId": name, "argv": argv, "cwd": self.uri(cwd), "env": env or {},
            "envPolicy": {"inherit": "all", "ignoreDefaultExcludes": True, "exclude": [], "set": {},
                          "includeOnly": []},
            "tty": False, "pipeStdin": False, "arg0": None, "sandbox": None, **more})

    def until(self, done, what, wait_s=WAIT_S):
        end = time.monotonic() + wait_s
        while not done():
            assert self.turn(end) or done(), f"waited for {what}"

    def wait(self, name, wait_s=WAIT_S):
        """Until the program has ended."""
        run = self.runs[name]
        self.until(lambda: run.closed, f"the end of {name}: {run.chunks}", wait_s)
        return run

    def prints(self, name, text):
        run = self.runs[name]
        self.until(lambda: text in run.text(), f"{text!r} of {name}: {run.chunks}")

    def shell(self, text, login=True, **more):
        """Runs a command as Codex does, to its end."""
        name = f"{len(self.runs) + 1}-command"
        self.start(name, ["/bin/bash", "-lc" if login else "-c", text], **more)
        return self.wait(name)

    def type(self, name, text, write_id=None):
        return self.call("process/write", processId=name, writeId=write_id or str(time.monotonic_ns()),
                         chunk=base64.b64encode(text.encode()).decode())["status"]

    def write(self, path, data, **more):
        return self.call("fs/writeFile", path=self.uri(path),
                         dataBase64=base64.b64encode(data).decode(), sandbox=None, **more)

    def read(self, path):
        return base64.b64decode(self.call("fs/readFile", path=self.uri(path), sandbox=None)["dataBase64"])

    def close(self, wait_s=WAIT_S):
        if not self.program.stdin.closed:
            self.program.stdin.close()
        return self.program.wait(wait_s)


def sandbox(cwd, write=True, network="restricted", more=()):
    """The field that Codex sends in its modes read-only and workspace-write."""
    entries = [{"path": {"type": "special", "value": {"kind": "root"}}, "access": "read"}]
    if write:
        entries.append({"path": {"type": "special", "value": {"kind": "project_roots"}}, "access": "write"})
    return {"permissions": {"type": "managed", "file_system": {"type": "restricted", "entries":
            entries + list(more)}, "network": network}, "cwd": "file://" + cwd,
            "workspaceRoots": ["file://" + cwd], "useLegacyLandlock": False}
