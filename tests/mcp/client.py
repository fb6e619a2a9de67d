#!/usr/bin/python3 -IS
# SPDX-License-Identifier: MIT
"""client.py COMMAND...: starts an MCP server and speaks to it as the Python program on standard input says,
which has the client as `c`. It fails if a line of the server is no message, if the server sends what was
not asked for, or if it does not end when its input ends."""
import json
import queue
import subprocess
import sys
import threading
import time

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"


class Client:
    def __init__(self, argv, elicits=False):
        self.server = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines, self.last, self.modern, self.elicits = queue.Queue(), 0, False, elicits
        self.notes, self.asked, self.held = [], [], {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.server.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def raw(self, data):
        self.server.stdin.write(data if isinstance(data, bytes) else data.encode())
        self.server.stdin.flush()

    def send(self, message):
        self.raw(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def receive(self, timeout=30):
        """The next message that is no notification; those are kept in notes."""
        while True:
            line = self.lines.get(timeout=timeout)
            if line is None:
                raise EOFError("the server has ended")
            message = json.loads(line)
            assert message["jsonrpc"] == "2.0" and line.endswith(b"\n"), line
            if "id" in message:
                return message
            self.notes.append(message)

    def silent(self, seconds=0.3):
        """Nothing comes for so long."""
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return True
        raise AssertionError(line)

    def meta(self):
        can = {"elicitation": {"form": {}}} if self.elicits else {}
        return {META + "protocolVersion": MODERN, META + "clientCapabilities": can,
                META + "clientInfo": {"name": "test", "version": "1"}}

    def begin(self, method, params=None):
        self.last += 1
        params = dict(params or {})
        if self.modern:
            params["_meta"] = {**self.meta(), **params.get("_meta", {})}
        self.send({"id": self.last, "method": method, "params": params})
        return self.last

    def end(self, number, timeout=30):
        """The answer to that request, whatever comes before it."""
        while number not in self.held:
            message = self.receive(timeout)
            if "method" in message:
                self.asked.append(message)
                self.send({"id": message["id"], "result": self.reply(message)})
            else:
                self.held[message["id"]] = message
        return self.held.pop(number)

    def reply(self, message):
        raise AssertionError(message)

    def request(self, method, params=None, timeout=30):
        answer = self.end(self.begin(method, params), timeout)
        assert "error" not in answer, answer
        if self.modern:
            assert answer["result"]["resultType"], answer
            assert answer["result"]["_meta"][META + "serverInfo"]["name"] == "cordon", answer
        else:
            assert "resultType" not in answer["result"], answer
        return answer["result"]

    def error(self, method, params=None):
        answer = self.end(self.begin(method, params))
        assert "result" not in answer, answer
        return answer["error"]

    def hello(self, version="2025-11-25"):
        can = {"elicitation": {}} if self.elicits else {}
        result = self.request("initialize", {"protocolVersion": version, "capabilities": can,
                                             "clientInfo": {"name": "test", "version": "1"}})
        self.send({"method": "notifications/initialized"})
        return result

    def call(self, name, _meta=None, **arguments):
        params = {"name": name, "arguments": arguments, **({"_meta": _meta} if _meta else {})}
        return self.request("tools/call", params)

    def good(self, name, **arguments):
        result = self.call(name, **arguments)
        assert not result.get("isError"), result
        return result.get("structuredContent") or result["content"]

    def bad(self, name, **arguments):
        result = self.call(name, **arguments)
        assert result["isError"], result
        return result["content"][0]["text"]

    def done(self):
        if self.server.stdin and not self.server.stdin.closed:
            self.server.stdin.close()
        started = time.monotonic()
        status = self.server.wait(timeout=20)
        assert status == 0, status
        return time.monotonic() - started


def main():
    elicits = sys.argv[1] == "--elicits"
    c = Client(sys.argv[1 + elicits:], elicits)
    try:
        exec(compile(sys.stdin.read(), "script", "exec"), {"c": c, "json": json, "time": time})
        c.done()
        assert not c.held, c.held
    except BaseException:
        c.server.kill()
        raise


main()
