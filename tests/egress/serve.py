# SPDX-License-Identifier: MIT
"""The servers of tests/egress/world: DNS with a table of names, HTTP and HTTPS, a banner, one that is
slow, one that resets. Every question to DNS is a line of DIR/asked: what leaves a box is seen here."""

import hashlib
import http.server
import os
import queue
import socket
import socketserver
import ssl
import struct
import subprocess
import sys
import threading
import time

DIR = sys.argv[1]
V4, ALIAS, V6 = 1, 5, 28

# name: addresses. rebind.test changes with each question.
NAMES = {
    "web.test": ["203.0.113.2"],
    "two.test": ["203.0.113.99", "203.0.113.2"],  # the first does not answer
    "six.test": ["2001:db8:77::2"],
    "both.test": ["2001:db8:77::2", "203.0.113.2"],
    "a.wild.test": ["203.0.113.3"],
    "evil.wild.test": ["203.0.113.3"],
    "private.test": ["10.77.0.2"],
    "meta.test": ["169.254.169.254"],
    "loop.test": ["127.0.0.1"],
    "self.test": ["203.0.113.1"],
    "local6.test": ["fd00:77::2"],
    "mapped.test": ["::ffff:10.77.0.2"],
    "other.test": ["203.0.113.3"],
    "azure.test": ["168.63.129.16"],
    "mixed.test": ["10.77.0.2", "203.0.113.2"],
    "half.test": ["2001:db8:77::98", "203.0.113.2"],  # what is sent to the first is lost
    "silent.test": ["203.0.113.98"],  # what is sent there is lost
    "gone.test": ["203.0.113.97"],  # is not on the cable
    "noway.test": ["192.0.2.1"],  # there is no way to it
}
ALIASES = {"cname.test": "private.test"}
REBIND = [["203.0.113.2"], ["10.77.0.2"]]
asked_lock = threading.Lock()
rebinds = 0


def asked(name, kind):
    with asked_lock, open(os.path.join(DIR, "asked"), "a") as f:
        f.write(f"{name} {kind}\n")


def answer(query):
    global rebinds
    at, labels = 12, []
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
        at += query[at] + 1
    name, (kind, _) = ".".join(labels).lower(), struct.unpack_from(">HH", query, at + 1)
    asked(name, kind)
    real = ALIASES.get(name, name)
    addresses = NAMES.get(real)
    if name == "slow.dns.test":
        time.sleep(1)
        addresses = ["203.0.113.2"]
    if name == "rebind.test":
        with asked_lock:
            addresses = REBIND[min(rebinds // 2, 1)]  # A and AAAA come together
            rebinds += 1
    body, count, owner = b"", 0, b"\xc0\x0c"
    if real != name:
        owner = b"".join(bytes([len(p)]) + p.encode() for p in real.split(".")) + b"\0"
        body += struct.pack(">HHHIH", 0xC00C, ALIAS, 1, 1, len(owner)) + owner
        count += 1
    for text in addresses or []:
        family = socket.AF_INET6 if ":" in text else socket.AF_INET
        if kind == (V6 if family == socket.AF_INET6 else V4):
            data = socket.inet_pton(family, text)
            body += owner + struct.pack(">HHIH", kind, 1, 1, len(data)) + data
            count += 1
    code = 0 if addresses else 3
    return query[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, count, 0, 0) + query[12 : at + 5] + body


class Dns(socketserver.BaseRequestHandler):
    def handle(self):
        data, sock = self.request
        sock.sendto(answer(data), self.client_address)


class Web(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        size = int(self.path[2:]) if self.path[:2] == "/n" and self.path[2:].isdigit() else 0
        text = b"x" * size or f"hello {self.headers.get('Host')} {self.path}\n".encode()
        if self.path == "/auth":
            text = (self.headers.get("Authorization") or "nothing").encode() + b"\n"
        if self.path.endswith("/hash"):  # of all that could hold a secret
            sent = (self.headers.get("Authorization") or "") + (self.headers.get("X-Key") or "")
            text = hashlib.sha256(sent.encode()).hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        if self.headers.get("X-Stay"):  # whatever Connection says
            self.close_connection = False

    def do_POST(self):
        left, got = int(self.headers["Content-Length"]), 0
        while left > got:
            part = self.rfile.read(min(1 << 20, left - got))
            if not part:
                return
            got += len(part)
        self.send_response(200)
        self.send_header("Content-Length", str(len(str(got))))
        self.end_headers()
        self.wfile.write(str(got).encode())

    def log_message(self, *_):
        pass


class Git(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Banner(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.sendall(b"SSH-2.0-test\r\n")


class Slow(socketserver.BaseRequestHandler):
    def handle(self):
        for c in b"slow\n":
            time.sleep(0.2)
            self.request.sendall(bytes([c]))


class Reset(socketserver.BaseRequestHandler):
    """Resets, after a million bytes if that is wished. "?": tells the next "!" how the program has ended."""

    ends = queue.Queue()

    def handle(self):
        word = self.request.recv(1)
        if word == b"m":
            self.request.sendall(b"x" * 1000000)
            time.sleep(0.3)
        if word == b"?":
            self.request.sendall(word)
            self.ends.put(self.end())
        if word == b"!":
            self.request.sendall(self.ends.get(timeout=20).encode())
            return
        self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.request.detach())

    def end(self):
        try:
            return self.request.recv(1) and "more" or "end"
        except OSError as e:
            return type(e).__name__


class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while data := self.request.recv(65536):
            self.request.sendall(data)


class Deaf(socketserver.BaseRequestHandler):
    """Takes next to nothing of what it is sent, and reads nothing."""

    def handle(self):
        threading.Event().wait()


class Sink(socketserver.BaseRequestHandler):
    """Takes all of it. DIR/sunk has the last connection's bytes, and for how many milliseconds they came."""

    def handle(self):
        total, began, last = 0, 0.0, 0.0
        try:
            while data := self.request.recv(1 << 20):
                last = time.monotonic()
                began, total = began or last, total + len(data)
        except ConnectionError:
            pass
        with open(os.path.join(DIR, "sunk.new"), "w") as f:
            f.write(f"{total} {(last - began) * 1000:.0f}")
        os.rename(f.name, os.path.join(DIR, "sunk"))


class Late(socketserver.BaseRequestHandler):
    """Reads nothing before there is a DIR/drain, then all. DIR/drained has a line of bytes for each."""

    def handle(self):
        total = 0
        while not os.path.exists(os.path.join(DIR, "drain")):
            time.sleep(0.1)
        try:
            while data := self.request.recv(1 << 16):
                total += len(data)
        except ConnectionError:
            pass
        with asked_lock, open(os.path.join(DIR, "drained"), "a") as f:
            f.write(f"{total}\n")


class Threads(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 2048


class Threads6(Threads):
    address_family = socket.AF_INET6


def run(server):
    threading.Thread(target=server.serve_forever, args=(3600,), daemon=True).start()


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, cwd=DIR, capture_output=True)


def certificates():
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=test ca")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            "web.key", "-out", "web.csr", "-subj", "/CN=web.test")
    with open(os.path.join(DIR, "web.ext"), "w") as f:
        f.write("subjectAltName=DNS:web.test,DNS:other.test,DNS:a.wild.test\n")
    openssl("x509", "-req", "-in", "web.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-out", "web.pem",
            "-days", "2", "-extfile", "web.ext")


def main():
    certificates()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(DIR, "web.pem"), os.path.join(DIR, "web.key"))
    os.makedirs(os.path.join(DIR, "git"), exist_ok=True)
    dns = socketserver.ThreadingUDPServer(("203.0.113.2", 53), Dns)
    run(dns)
    git = lambda *args: Git(*args, directory=os.path.join(DIR, "git"))
    ports = {80: Web, 8080: Web, 22: Banner, 81: Slow, 82: Reset, 83: Echo, 84: git, 91: Deaf, 92: Sink, 93: Late}
    for port, handler in ports.items():
        for host in ("203.0.113.2", "203.0.113.3", "10.77.0.2", "169.254.169.254", "168.63.129.16"):
            server = Threads((host, port), handler)
            if handler in (Deaf, Late):
                server.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            run(server)
        run(Threads6(("2001:db8:77::2", port), handler))
    for host in ("203.0.113.2", "203.0.113.3"):
        https = Threads((host, 443), Web)
        https.socket = context.wrap_socket(https.socket, server_side=True)
        run(https)
    threading.Event().wait()


main()
