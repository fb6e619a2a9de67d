# SPDX-License-Identifier: MIT
"""Prints its port. To who says something, 400 MB; to who does not, nothing."""

import socket
import threading

door = socket.socket()
door.bind(("127.0.0.1", 0))
door.listen(1024)
print(door.getsockname()[1], flush=True)
DATA = b"x" * (1 << 20)


def serve(s):
    with s:
        try:
            for _ in range(400 if s.recv(1) else 0):
                s.sendall(DATA)
        except OSError:
            pass


while True:
    threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
