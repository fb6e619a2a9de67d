# SPDX-License-Identifier: MIT
"""The network of a replay: this process is in one namespace, the servers are in another."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class World:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="conversations-net.", dir="/tmp")
        self.set_pages({})
        run = lambda *a: subprocess.run(a, check=True)
        servers = ["unshare", "--net", sys.executable, "-I", HERE + "/servers.py", self.dir]
        self.servers = subprocess.Popen(servers, stdin=subprocess.PIPE)
        here = os.readlink("/proc/self/ns/net")
        self.wait(lambda: os.readlink(f"/proc/{self.servers.pid}/ns/net") != here)
        there = ["nsenter", "-t", str(self.servers.pid), "-n"]
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns",
            str(self.servers.pid))
        run("ip", "addr", "add", "203.0.113.1/24", "dev", "near")
        run("ip", "link", "set", "near", "up")
        for command in (["addr", "add", "203.0.113.2/24", "dev", "far"], ["link", "set", "far", "up"]):
            run(*there, "ip", *command)
        run("ip", "route", "add", "default", "via", "203.0.113.2")
        for name, text in {"resolv.conf": "nameserver 203.0.113.2\n", "hosts": "127.0.0.1 localhost\n",
                           "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n"}.items():
            path = os.path.join(self.dir, name)
            write(path, text)
            run("mount", "--bind", path, os.path.realpath("/etc/" + name))
        self.wait(lambda: os.path.exists(self.dir + "/ready"))

    def wait(self, is_so):
        for _ in range(1200):
            if is_so():
                return
            if self.servers.poll() is not None:
                break
            time.sleep(0.05)
        self.close()
        raise SystemExit("replay: the servers do not start")

    def set_pages(self, pages):
        write(self.dir + "/pages.json", json.dumps(pages))
        for name in ("asked", "sent"):
            write(f"{self.dir}/{name}", "")

    def asked(self):
        return read(self.dir + "/asked").split()

    def sent(self):
        return [json.loads(line) for line in read(self.dir + "/sent").splitlines()]

    def close(self):
        self.servers.stdin.close()
        self.servers.wait()
        shutil.rmtree(self.dir, ignore_errors=True)
