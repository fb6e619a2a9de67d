# SPDX-License-Identifier: MIT
"""Prints two ports. At the first the kernel alone completes connections, so that the time of this server is not
measured. At the second each client gets 400 MB."""

import socket
import threading
import time

DATA = b"x" * (1 << 20)


def listen():
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    door.listen(4096)
    return door


def empty(door):
    door.setblocking(False)
    while True:
        time.sleep(0.5)
        try:
            while True:
                door.accept()[0].close()
        except BlockingIOError:
            pass


def serve(s):
    with s:
        try:
            for _ in range(400):
                s.sendall(DATA)
        except OSError:
            pass


quiet, door = listen(), listen()
threading.Thread(target=empty, args=(quiet,), daemon=True).start()
print(quiet.getsockname()[1], door.getsockname()[1], flush=True)
while True:
    threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
