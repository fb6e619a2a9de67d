# SPDX-License-Identifier: MIT
"""Sends calls to Cordon. A client only knows the protocol Transport, so a server can replace the program. Process
starts the program cordon. It passes code, input and options in memory files, never as arguments, and reads the
answer from one pipe. Afterwards the program is dead and reaped, and every descriptor is closed, also after an
exception."""
from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterator, List, NamedTuple, Optional, Protocol, Tuple

from ._call import Call, as_bytes
from ._errors import BadRequest, Broken, NotInstalled
from ._wire import Ending, Lines

if TYPE_CHECKING:
    import subprocess

_CHUNK = 1 << 16
_WORDS_MAX = 1 << 16
_ANSWER_MAX = 256 << 20


class Reply(NamedTuple):
    out: bytes
    ending: Ending


class Stream(Protocol):
    """The lines of a run; ENDING is set after the last one."""
    ending: Optional[Ending]

    def __iter__(self) -> Iterator[bytes]: ...


class AsyncStream(Protocol):
    ending: Optional[Ending]

    def __aiter__(self) -> AsyncIterator[bytes]: ...


class Transport(Protocol):
    def ask(self, call: Call) -> Reply: ...

    def stream(self, call: Call) -> Stream: ...

    async def ask_async(self, call: Call) -> Reply: ...

    def stream_async(self, call: Call) -> AsyncStream: ...


def _memory(name: str, data: bytes) -> int:
    """A private memory file with DATA, at its beginning."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view):]
        os.lseek(fd, 0, os.SEEK_SET)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _no_option(word: str) -> str:
    return "./" + word if word.startswith("-") and word != "-" else word


class _Start(NamedTuple):
    """The parameters of a process to start."""
    argv: List[str]
    options: Dict[str, Any]
    words: int  # the file that gets its standard error


class Process:
    """The program at PATH, or $CORDON_BINARY, or the one on the search path."""

    def __init__(self, path: Optional[str] = None) -> None:
        self._path = path

    @property
    def program(self) -> str:
        path = self._path or os.environ.get("CORDON_BINARY")
        if not path:
            import shutil
            path = shutil.which("cordon")
        if not path:
            raise NotInstalled("cannot find the program cordon",
                               cure="install the package cordon, or pass its path: Cordon(binary=...)")
        return path

    def _words(self, call: Call) -> bytes:
        """Options and operands, each ended by a NUL. All accounts can read a command line, so ids, tickets and
        variables are not on it. Name and value are one word, and the file and the arguments of a run or a plan
        follow "--", so that no value is taken for an option."""
        words: List[str] = []
        for name, value in call.options:
            if len(name) == 1 and value is not None:
                words += ["-" + name, value]
            else:
                words.append("--" + name if value is None else f"--{name}={value}")
        if call.command in (("run",), ("plan",)):
            words += ["--", *call.operands, "--", *call.arguments]
        else:
            words += [_no_option(word) for word in call.operands]
        return b"".join(as_bytes("a word", word) + b"\0" for word in words)

    @contextmanager
    def _prepared(self, call: Call, *last: str) -> Iterator[_Start]:
        fds: List[int] = []

        def keep(fd: int) -> int:
            fds.append(fd)
            return fd

        try:
            words = keep(_memory("cordon-request", self._words(call)))
            options: Dict[str, Any] = {"stdin": -3, "pass_fds": (words,)}
            if call.payload is not None:
                options["stdin"] = keep(_memory("cordon-code", call.payload))
            if call.input is not None:
                fd = keep(_memory("cordon-input", call.input))
                options["pass_fds"] += (fd,)
                last += (f"--stdin=/proc/self/fd/{fd}",)
            options["stderr"] = keep(os.memfd_create("cordon-words", os.MFD_CLOEXEC))
            yield _Start([self.program, *call.command, *last, f"--words={words}"], options, options["stderr"])
        except FileNotFoundError as e:
            raise NotInstalled(f"cannot start {self.program}: no such file", cause=str(e)) from e
        except PermissionError as e:
            raise NotInstalled(f"cannot start {self.program}: permission denied", cause=str(e)) from e
        except (OSError, ValueError) as e:
            raise (BadRequest if isinstance(e, ValueError) else Broken)("cannot start cordon",
                                                                        cause=str(e)) from e
        finally:
            for fd in fds:
                os.close(fd)

    def _ending(self, start: _Start, status: int) -> Ending:
        words = os.pread(start.words, _WORDS_MAX, 0).decode("utf-8", "replace")
        return Ending(status, words, start.argv[0])

    @contextmanager
    def _running(self, call: Call, last: str) -> Iterator[Tuple["subprocess.Popen[bytes]", _Start]]:
        import subprocess
        with self._prepared(call, last) as start:
            process = subprocess.Popen(start.argv, stdout=subprocess.PIPE, bufsize=0, **start.options)
            try:
                yield process, start
            finally:
                _kill_and_reap(process)

    def ask(self, call: Call) -> Reply:
        with self._running(call, "--json") as (process, start):
            out, size = [], 0
            for data in _chunks(process):
                out.append(data)
                size += len(data)
                if size > _ANSWER_MAX:
                    raise Broken(f"answer longer than {_ANSWER_MAX} bytes")
            return Reply(b"".join(out), self._ending(start, process.wait()))

    def stream(self, call: Call) -> Stream:
        return _Lines(self, call)

    async def ask_async(self, call: Call) -> Reply:
        from ._aprocess import ask
        return await ask(self, call)

    def stream_async(self, call: Call) -> AsyncStream:
        from ._aprocess import AsyncLines
        return AsyncLines(self, call)


def _chunks(process: "subprocess.Popen[bytes]") -> Iterator[bytes]:
    assert process.stdout is not None
    fd = process.stdout.fileno()
    while True:
        data = os.read(fd, _CHUNK)
        if not data:
            return
        yield data


def _kill_and_reap(process: "subprocess.Popen[bytes]") -> None:
    """Ends the program. Its box ends with it."""
    if process.stdout is not None:
        process.stdout.close()
    if process.poll() is None:
        process.kill()
    process.wait()


class _Lines:
    def __init__(self, transport: Process, call: Call) -> None:
        self.ending: Optional[Ending] = None
        self._transport, self._call = transport, call

    def __iter__(self) -> Iterator[bytes]:
        with self._transport._running(self._call, "--events") as (process, start):
            lines = Lines()
            for data in _chunks(process):
                yield from lines.feed(data)
            self.ending = self._transport._ending(start, process.wait())
