# SPDX-License-Identifier: MIT
"""What a program sees of connect(): one line for each row, the same bare and in a box. Run in
tests/egress/world, whose hosts are there (port 83), refuse (port 85), lose what they are sent, or are not on
the cable. With names as arguments only those rows."""

import concurrent.futures
import ctypes
import errno
import select
import socket
import struct
import sys
import threading
import time

ECHO, REFUSED = 83, 85
libc = ctypes.CDLL(None, use_errno=True)
EVENTS = ("IN", "PRI", "OUT", "ERR", "HUP")


def word(number):
    return errno.errorcode.get(number, str(number))


def made(host, port, wait=True, timeout=0):
    """A socket, and the address of HOST for it."""
    family, _, _, _, at = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    s = socket.socket(family)
    s.setblocking(wait)
    if timeout:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 0, timeout))
    return s, at


def call(s, at):
    """connect itself: Python's waits by poll where there is a time limit."""
    return word(s.connect_ex(at))


def error(s):
    return "error " + word(s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))


def peer(s):
    try:
        s.getpeername()
        return "a peer"
    except OSError as e:
        return word(e.errno)


def events(s, ms=0):
    poll = select.poll()
    poll.register(s, select.POLLIN | select.POLLOUT)
    got = [ev for _, ev in poll.poll(ms)]
    return "+".join(n for i, n in enumerate(EVENTS) if got and got[0] & 1 << i) or "nothing"


def echo(s):
    s.setblocking(True)
    try:
        s.sendall(b"ping")
        return s.recv(10).decode()
    except OSError as e:
        return word(e.errno)


def waits(host, port):
    """A call that waits, and what the socket is afterwards; two more calls."""
    s, at = made(host, port)
    yield from (call(s, at), error(s), peer(s), events(s), call(s, at), call(s, at))
    yield echo(s)


def goes_on(host, port):
    """A call that does not wait: there is something at the end, and then two more calls."""
    s, at = made(host, port, wait=False)
    yield call(s, at)
    yield events(s, 20000)
    yield from (peer(s), error(s), error(s), call(s, at), call(s, at))
    yield events(s, 20000)
    yield echo(s)


def unreachable(host, port, wait):
    """What poll says meanwhile depends on the moment."""
    s, at = made(host, port, wait)
    yield call(s, at)
    events(s, 20000)
    time.sleep(0.5)
    yield from (error(s), peer(s))


def asks_by_connect(host, port):
    """The same, but the error is taken by a second call."""
    s, at = made(host, port, wait=False)
    yield call(s, at)
    yield events(s, 20000)
    yield from (call(s, at), error(s))
    yield call(s, at)


def hangs(host, port, timeout=0):
    """No answer: the connection stays in progress. A timeout of the program ends only the call."""
    s, at = made(host, port, wait=bool(timeout), timeout=timeout)
    began = time.monotonic()
    yield call(s, at)
    yield "at its time" if timeout / 1e6 - 0.05 < time.monotonic() - began < timeout / 1e6 + 1.2 else "late"
    yield from (events(s, 200), error(s), peer(s), call(s, at), call(s, at))


def broken_off(host, port):
    """It is shut down while it is being made, and can be used again."""
    s, at = made(host, port, wait=False)
    yield call(s, at)
    s.shutdown(socket.SHUT_RDWR)
    yield from (events(s, 200), error(s), peer(s))
    time.sleep(0.1)
    yield call(s, at)


def broken_off_by_another(host, port):
    """The same by another thread, while the call waits."""
    s, at = made(host, port)
    threading.Timer(0.3, lambda: s.shutdown(socket.SHUT_RDWR)).start()
    yield from (call(s, at), error(s), events(s))


def shut_before(host, port):
    s, at = made(host, port)
    try:
        s.shutdown(socket.SHUT_WR)
    except OSError as e:
        yield word(e.errno)
    yield from (call(s, at), echo(s))


def in_epoll(host, port):
    """In epoll before it is connected, each change once."""
    s, at = made(host, port, wait=False)
    poll = select.epoll()
    poll.register(s, select.EPOLLIN | select.EPOLLOUT | select.EPOLLET)
    poll.poll(0)
    yield call(s, at)
    yield str([ev for _, ev in poll.poll(20)])
    yield error(s)


def wrong(host, port):
    """What is no address, and what is no socket."""
    s, at = made(host, port)
    good = struct.pack("=H", socket.AF_INET) + struct.pack(">H", port) + socket.inet_aton(at[0]) + bytes(8)
    for fd, data, size in (
        (s.fileno(), good, 1), (s.fileno(), good, 8), (s.fileno(), good, 4096), (s.fileno(), good, -1),
        (s.fileno(), None, 16), (s.fileno(), b"\x01\0" + good[2:], 16), (999, good, 16), (0, good, 16),
    ):
        ctypes.set_errno(0)
        libc.connect(fd, data, size)
        yield word(ctypes.get_errno())
    yield call(s, at)


def mapped(host, port):
    """IPv4 by a socket of IPv6."""
    at = ("::ffff:" + socket.getaddrinfo(host, port, socket.AF_INET)[0][4][0], port)
    for only in (0, 1):
        s = socket.socket(socket.AF_INET6)
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, only)
        yield from (call(s, at), echo(s))


def six_only(host, port):
    s, at = made(host, port)
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    yield from (call(s, at), echo(s))


def after_failure(host, port):
    """One socket: first to a host that refuses, then to one that accepts."""
    s, at = made(host, port)
    yield call(s, at)
    yield from (call(s, made(host, ECHO)[1]), echo(s))


ROWS = (
    ("waits", waits, "web.test", ECHO),
    ("waits6", waits, "six.test", ECHO),
    ("waits-refused", waits, "web.test", REFUSED),
    ("waits-refused6", waits, "six.test", REFUSED),
    ("waits-lost", waits, "silent.test", ECHO),
    ("waits-gone", unreachable, "gone.test", ECHO, True),
    ("waits-no-way", waits, "noway.test", ECHO),
    ("goes-on", goes_on, "web.test", ECHO),
    ("goes-on6", goes_on, "six.test", ECHO),
    ("goes-on-refused", goes_on, "web.test", REFUSED),
    ("goes-on-refused6", goes_on, "six.test", REFUSED),
    ("goes-on-lost", goes_on, "silent.test", ECHO),
    ("goes-on-gone", unreachable, "gone.test", ECHO, False),
    ("goes-on-no-way", goes_on, "noway.test", ECHO),
    ("asks", asks_by_connect, "web.test", ECHO),
    ("asks-refused", asks_by_connect, "web.test", REFUSED),
    ("asks-lost", asks_by_connect, "silent.test", ECHO),
    ("hangs", hangs, "silent.test", ECHO),
    ("hangs-limited", hangs, "silent.test", ECHO, 300000),
    ("broken-off", broken_off, "silent.test", ECHO),
    ("broken-off-by-another", broken_off_by_another, "silent.test", ECHO),
    ("shut-before", shut_before, "web.test", ECHO),
    ("in-epoll", in_epoll, "silent.test", ECHO),
    ("wrong", wrong, "web.test", ECHO),
    ("mapped", mapped, "web.test", ECHO),
    ("six-only", six_only, "six.test", ECHO),
    ("after-failure", after_failure, "web.test", REFUSED),
)


def line(row):
    name, see, *args = row
    return ", ".join([name, *see(*args)])


if __name__ == "__main__":
    rows = [row for row in ROWS if len(sys.argv) == 1 or row[0] in sys.argv[1:]]
    with concurrent.futures.ThreadPoolExecutor(len(rows)) as pool:  # most of them wait
        print(*pool.map(line, rows), sep="\n")
