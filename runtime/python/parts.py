# SPDX-License-Identifier: MIT
"""Imports the modules of the reader from one file. The file has their code, compiled for one version
of Python, and their sources for all others. Each module is loaded when it is imported, so that the
view of a Python program does not load the reader of shells. runtime/view.py executes this module and
sets FD, AT (where the parts begin), HEAD (their first bytes) and READY (is their code for this
Python?). No other module imports it."""
import gc
import marshal
import posix
import sys
from _frozen_importlib import ModuleSpec

Module = type(sys)
COLLECT = 100000        # threshold of the garbage collector


class Parts:
    """A finder and a loader for import."""

    def __init__(self, fd, at, rows, ready):
        self.fd = fd
        self.at = at
        self.ready = ready
        self.rows = {row[0].decode(): [int(n) for n in row[1:]] for row in rows}

    def code(self, name):
        """(the modules that it imports first, its code)."""
        code, code_len, source, source_len = self.rows[name]
        if self.ready and code_len:
            return marshal.loads(posix.pread(self.fd, code_len, self.at + code))
        data = posix.pread(self.fd, source_len, self.at + source)
        return (), compile(data, name + '.py', 'exec')

    def run(self, name, module):
        """Executes a module. Those that it needs are loaded here, which is faster than import."""
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
    a caller that continues must fork before."""
    import codeview
    codeview.view(language, code, fd, end)


def wait():
    """Loads what a shell's code needs, says so, and waits until the code is there (src/read/view_ready.c)."""
    import _signal
    import codeview
    go = (_signal.SIGUSR1,)
    _signal.pthread_sigmask(_signal.SIG_BLOCK, go)
    codeview.make('bash', b'true\n')
    posix.write(1, b'r')
    _signal.sigwait(go)


def main():
    """The program. Its argument is the language; the code follows the parts. With another argument it comes later."""
    at = AT + int(LINES[0].split()[3])
    if sys.argv[2:]:
        wait()
    view(sys.argv[1], posix.pread(FD, posix.fstat(FD).st_size - at, at), 1)


# Collect seldom, and never the objects that exist now: after a fork the collector would copy their
# pages.
gc.freeze()
gc.set_threshold(COLLECT)
LINES = HEAD.partition(b'\n\n')[0].split(b'\n')
sys.meta_path.insert(0, Parts(FD, AT, [line.split() for line in LINES[1:]], READY))
