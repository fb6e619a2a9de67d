# SPDX-License-Identifier: MIT
"""How a call gets to Cordon. Transport is all that a client knows of it, so that a server can take the
program's place one day and no caller changes. Process starts the program cordon: code, input and options go as
memory files (never as arguments), what it says comes back through one pipe, and whatever happens here, the
program is dead and reaped and every descriptor closed afterwards."""
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
    """A run's lines, and how it ended once they are over."""
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
    """A file of that content that nobody else has, read from its beginning."""
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
    """What a process is started with."""
    argv: List[str]
    options: Dict[str, Any]
    words: int  # where its standard error goes


class Process:
    """The program at PATH; else $CORDON_BINARY, else what the search path has."""

    def __init__(self, path: Optional[str] = None) -> None:
        self._path = path

    @property
    def program(self) -> str:
        path = self._path or os.environ.get("CORDON_BINARY")
        if not path:
            import shutil
            path = shutil.which("cordon")
        if not path:
            raise NotInstalled("there is no program cordon here",
                               cure="install the package cordon, or name it: Cordon(binary=...)")
        return path

    def _words(self, call: Call) -> bytes:
        """What is said besides the command, ended by NULs: everybody can read a command line, so handles, tokens
        and values of the environment are in none. A value goes with its name in one word, and the file of a
        run or a plan and arguments come behind "--": nothing can pass for an option."""
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
            raise NotInstalled(f"there is no program {self.program}", cause=str(e)) from e
        except PermissionError as e:
            raise NotInstalled(f"{self.program} cannot be started", cause=str(e)) from e
        except (OSError, ValueError) as e:
            raise (BadRequest if isinstance(e, ValueError) else Broken)("cordon could not be started",
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
                _bury(process)

    def ask(self, call: Call) -> Reply:
        with self._running(call, "--json") as (process, start):
            out, size = [], 0
            for data in _reads(process):
                out.append(data)
                size += len(data)
                if size > _ANSWER_MAX:
                    raise Broken(f"an answer of more than {_ANSWER_MAX} bytes")
            return Reply(b"".join(out), self._ending(start, process.wait()))

    def stream(self, call: Call) -> Stream:
        return _Lines(self, call)

    async def ask_async(self, call: Call) -> Reply:
        from ._aprocess import ask
        return await ask(self, call)

    def stream_async(self, call: Call) -> AsyncStream:
        from ._aprocess import AsyncLines
        return AsyncLines(self, call)


def _reads(process: "subprocess.Popen[bytes]") -> Iterator[bytes]:
    assert process.stdout is not None
    fd = process.stdout.fileno()
    while True:
        data = os.read(fd, _CHUNK)
        if not data:
            return
        yield data


def _bury(process: "subprocess.Popen[bytes]") -> None:
    """Dead, reaped and closed. Whoever ends cordon ends the box: it dies with it."""
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
            for data in _reads(process):
                yield from lines.feed(data)
            self.ending = self._transport._ending(start, process.wait())
