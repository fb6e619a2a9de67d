# SPDX-License-Identifier: MIT
# Control: ordinary code runs, with threads, a temporary file and a local socket pair.
import json, os, socket, tempfile, threading
seen = []
thread = threading.Thread(target=lambda: seen.append(42))
thread.start()
thread.join()
with tempfile.TemporaryFile() as scratch:
    scratch.write(json.dumps(seen).encode())
    scratch.seek(0)
    a, b = socket.socketpair()
    a.send(scratch.read())
    print("benign", json.loads(b.recv(64))[0])
