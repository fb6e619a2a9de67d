# SPDX-License-Identifier: MIT
"""The start of the code view: loads the reader (runtime/python) from the parts that tools/embed.c makes. This file
is compiled for each run in a box of its own, so it is as short as possible; the rest is in
runtime/python/parts.py."""
import posix


def load(fd, at=0):
    """The names of parts.py: view() and main(). The parts begin at byte AT of the file FD."""
    import _sre
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER as magic
    head = posix.pread(fd, 4096, at)
    key, code, source = head.split(b' ', 3)[:3]
    ready = key == b'%s-%d-%d' % (magic.hex().encode(), _sre.MAGIC, _sre.CODESIZE)
    names = {'FD': fd, 'AT': at, 'HEAD': head, 'READY': ready}
    at += 4096
    exec(marshal.loads(posix.pread(fd, int(code), at)) if ready else
         posix.pread(fd, int(source), at + int(code)), names)
    return names


if __name__ == '__main__':
    load(0)['main']()
