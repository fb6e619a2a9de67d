# SPDX-License-Identifier: MIT
"""servers.py DIR: the hosts of the conversations, in a network of their own. DNS answers every name below
.test with one address. HTTP on port 80 answers what DIR/pages.json has for the host and path. Each DNS
question is a line of DIR/asked, and each request is a line of DIR/sent: what leaves a box is seen here."""

import http.server
import json
import os
import socketserver
import struct
import sys
import threading

DIR = sys.argv[1]
ADDRESS = bytes([203, 0, 113, 2])
lock = threading.Lock()


def record(name, line):
    with lock, open(os.path.join(DIR, name), "a") as f:
        f.write(line + "\n")


class Dns(socketserver.BaseRequestHandler):
    def handle(self):
        query, sock = self.request
        at, labels = 12, []
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
            at += query[at] + 1
        name, kind = ".".join(labels).lower(), struct.unpack_from(">H", query, at + 1)[0]
        record("asked", name)
        is_known, body = name.endswith(".test"), b""
        if is_known and kind == 1:
            body = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 1, 4) + ADDRESS
        head = struct.pack(">HHHHH", 0x8180 | (0 if is_known else 3), 1, 1 if body else 0, 0, 0)
        sock.sendto(query[:2] + head + query[12 : at + 5] + body, self.client_address)


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        host = (self.headers.get("Host") or "").partition(":")[0]
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode("latin-1")
        headers = {k: v for k, v in self.headers.items()}
        record("sent", json.dumps({"host": host, "path": self.path, "headers": headers, "body": body}))
        with open(os.path.join(DIR, "pages.json"), encoding="utf-8") as f:
            page = json.load(f).get(host + self.path.partition("?")[0])
        text = (page or "nothing here\n").encode()
        self.send_response(200 if page is not None else 404)
        self.send_header("Content-Length", str(len(text)))
        try:
            self.end_headers()
            self.wfile.write(text)
        except OSError:
            pass  # the client has what it wanted

    do_POST = do_PUT = do_GET

    def log_message(self, *_):
        pass


class Threads(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


dns = socketserver.ThreadingUDPServer(("0.0.0.0", 53), Dns)
web = Threads(("0.0.0.0", 80), Web)
threading.Thread(target=dns.serve_forever, daemon=True).start()
threading.Thread(target=web.serve_forever, daemon=True).start()
open(os.path.join(DIR, "ready"), "w").close()
sys.stdin.read()
