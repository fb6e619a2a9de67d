# SPDX-License-Identifier: MIT
# One attempt to connect to a host that is not there.
import socket

try:
    socket.create_connection(("127.0.0.1", 1))
except OSError as e:
    print(e.strerror)
