# SPDX-License-Identifier: MIT
"""slowfs.py DIR UID: a file system (FUSE) with one file, `slow`, of one page that is never read to its end:
as slow as a disk can be. Needs root. Ends with its standard input, and takes the mount with it."""

import ctypes
import os
import select
import struct
import sys

LOOKUP, FORGET, GETATTR, OPEN, READ, STATFS, RELEASE, INIT, OPENDIR, READDIR, RELEASEDIR = 1, 2, 3, 14, 15, 17, 18, 26, 27, 28, 29
FLUSH, ACCESS, INTERRUPT, BATCH_FORGET = 25, 34, 36, 42
ENOENT, ENOSYS = 2, 38
DIR, FILE = 1, 2
OWNER = int(sys.argv[2])
libc = ctypes.CDLL(None, use_errno=True)


def attributes(node):
    mode, size = (0o40755, 0) if node == DIR else (0o100644, 4096)
    return struct.pack("<6Q10I", node, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, OWNER, OWNER, 0, 4096, 0)


def answer(kind, node, body):
    if kind == LOOKUP:
        if body.rstrip(b"\0") != b"slow":
            return -ENOENT
        return struct.pack("<4Q2I", FILE, 1, 3600, 3600, 0, 0) + attributes(FILE)
    if kind == GETATTR:
        return struct.pack("<QII", 3600, 0, 0) + attributes(node)
    if kind in (OPEN, OPENDIR):
        return struct.pack("<QII", 0, 0, 0)
    if kind == READDIR:
        offset = struct.unpack_from("<QQ", body)[1]
        return b"" if offset else struct.pack("<QQII", FILE, 1, 4, 8) + b"slow\0\0\0\0"
    if kind == STATFS:
        return bytes(80)
    if kind == INIT:
        return struct.pack("<4IHHIIHHI7I", 7, 31, 65536, 0, 16, 12, 4096, 1, 1, 0, 0, *[0] * 7)
    if kind in (RELEASE, RELEASEDIR, FLUSH, ACCESS):
        return b""
    return -ENOSYS


where = sys.argv[1]
fd = os.open("/dev/fuse", os.O_RDWR)
options = b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions" % fd
if libc.mount(b"slow", where.encode(), b"fuse", 6, options):
    sys.exit(os.strerror(ctypes.get_errno()))
try:
    while True:
        ready = select.select([fd, 0], [], [])[0]
        if 0 in ready:
            break
        request = os.read(fd, 1 << 20)
        _, kind, number, node = struct.unpack_from("<IIQQ", request)
        if kind in (READ, FORGET, BATCH_FORGET, INTERRUPT):
            continue
        out = answer(kind, node, request[40:])
        error, data = (out, b"") if isinstance(out, int) else (0, out)
        os.write(fd, struct.pack("<IiQ", 16 + len(data), error, number) + data)
finally:
    libc.umount2(where.encode(), 2)
