# SPDX-License-Identifier: MIT
"""server.py DIRECTORY: an HTTP server on a free port of the loopback, which it writes to DIRECTORY/port.

It checks each message as Standard Webhooks requires, with the secret in DIRECTORY/secret. The path selects the
answer: /ok accepts a message with a valid signature and writes it to DIRECTORY/message and its headers to
DIRECTORY/headers; /hang never answers, /close closes, /flood answers without an end, /N answers with status N.
"""
import base64
import hashlib
import hmac
import http.server
import json
import os
import sys
import time

directory = sys.argv[1]


def is_signed(headers, body):
    secret = open(os.path.join(directory, "secret")).read().strip()
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return headers["webhook-signature"] == right and abs(time.time() - int(headers["webhook-timestamp"])) < 60


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        open(os.path.join(directory, "seen"), "a").write(self.path + "\n")
        if self.path == "/hang":
            time.sleep(60)
        elif self.path == "/flood":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"x" * 65536)
        elif self.path == "/close":
            self.close_connection = True
            self.connection.close()
            return
        status = 200 if self.path == "/ok" else int(self.path[1:] or 404)
        if status == 200 and not is_signed(self.headers, body):
            status = 401
        if status == 200:
            json.dump({k.lower(): v for k, v in self.headers.items()}, open(os.path.join(directory, "headers"), "w"))
            with open(os.path.join(directory, "message"), "ab") as to:
                to.write(body + b"\n")
        self.send_response(status)
        if 300 <= status < 400:
            self.send_header("location", "/ok")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(os.path.join(directory, "port.new"), "w") as to:
    to.write(str(server.server_address[1]))
os.rename(os.path.join(directory, "port.new"), os.path.join(directory, "port"))
server.serve_forever()
