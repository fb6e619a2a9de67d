#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""terminal.py COMMAND ARG...: runs the command on a terminal of 33 rows and 99 columns, and types the lines of
standard input, each when the terminal shows a prompt ("$ "). A line WINCH makes the terminal 44 by 88, ^C types
that key. Prints what the terminal showed, and ends with the command's status."""
import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

def resize(fd, rows, cols):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

lines = sys.stdin.read().splitlines()
child, fd = pty.fork()
if child == 0:
    # The child's terminal has its size before the command asks for it.
    resize(0, 33, 99)
    os.execvp(sys.argv[1], sys.argv[1:])
seen = fresh = b""
until = time.monotonic() + 40
while time.monotonic() < until:
    ready, _, _ = select.select([fd], [], [], 0.2)
    if ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        seen += data
        fresh += data
        continue
    if lines and (fresh.endswith(b"$ ") or lines[0] == "^C" and b"\n" in fresh):
        line = lines.pop(0)
        if line == "WINCH":
            resize(fd, 44, 88)
            continue
        fresh = b""
        os.write(fd, b"\3" if line == "^C" else line.encode() + b"\n")
sys.stdout.buffer.write(seen)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
