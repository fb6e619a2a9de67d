# SPDX-License-Identifier: MIT
"""The modules of the reader, which are in one file: as code that one Python can take as it is, and
as sources for all others. Each is read when it is imported, so that a Python program does not pay
for the reader of shells. runtime/view.py loads this part first and leaves in it where the parts are:
FD, AT, HEAD (their first bytes) and READY (is their code for this Python?). No other imports it."""
import gc
import marshal
import posix
import sys
from _frozen_importlib import ModuleSpec

Module = type(sys)
COLLECT = 100000        # objects more than are freed, between two looks of the collector


class Parts:
    """A finder and a loader, as import asks for them."""

    def __init__(self, fd, at, rows, ready):
        self.fd = fd
        self.at = at
        self.ready = ready
        self.rows = {row[0].decode(): [int(n) for n in row[1:]] for row in rows}

    def code(self, name):
        """(what it imports first of the others, its code)."""
        code, code_len, source, source_len = self.rows[name]
        if self.ready and code_len:
            return marshal.loads(posix.pread(self.fd, code_len, self.at + code))
        data = posix.pread(self.fd, source_len, self.at + source)
        return (), compile(data, name + '.py', 'exec')

    def run(self, name, module):
        """What it needs is loaded here and now, without all that import does around it."""
        needs, code = self.code(name)
        for need in needs:
            if need not in sys.modules:
                sys.modules[need] = made = Module(need)
                self.run(need, made)
        exec(code, module.__dict__)

    def find_spec(self, name, path=None, target=None):
        return ModuleSpec(name, self) if name in self.rows else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        self.run(module.__name__, module)


def view(language, code, fd, end=b''):
    """Reads CODE, bytes in LANGUAGE, writes the answer and END to descriptor FD and ends this process:
    whoever wants to go on forks before."""
    import codeview
    codeview.view(language, code, fd, end)


def main():
    """The program: its argument is the language, the code follows the parts."""
    at = AT + int(LINES[0].split()[3])
    view(sys.argv[1], posix.pread(FD, posix.fstat(FD).st_size - at, at), 1)


# The collector looks seldom, and never at what was there before: after a fork to look at a page is
# to copy it.
gc.freeze()
gc.set_threshold(COLLECT)
LINES = HEAD.partition(b'\n\n')[0].split(b'\n')
sys.meta_path.insert(0, Parts(FD, AT, [line.split() for line in LINES[1:]], READY))
