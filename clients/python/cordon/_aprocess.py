# SPDX-License-Identifier: MIT
"""Process of _transport.py for asyncio. Cancelling a task ends its program."""
from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import AsyncIterator, Optional, Tuple

from ._call import Call
from ._errors import Broken
from ._transport import _ANSWER_MAX, _CHUNK, Process, Reply, _Start
from ._wire import Ending, Lines


@asynccontextmanager
async def _running(transport: Process, call: Call,
                   last: str) -> AsyncIterator[Tuple[asyncio.subprocess.Process, _Start]]:
    with transport._prepared(call, last) as start:
        process = await asyncio.create_subprocess_exec(*start.argv, stdout=asyncio.subprocess.PIPE,
                                                       **start.options)
        try:
            yield process, start
        finally:
            await asyncio.shield(_kill_and_reap(process))


async def _kill_and_reap(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        try:
            process.kill()
        except ProcessLookupError:
            pass
    # asyncio sees the end of the process only after the end of its pipe, so read the pipe to its end.
    assert process.stdout is not None
    while await process.stdout.read(_CHUNK):
        pass
    await process.wait()


async def _chunks(process: asyncio.subprocess.Process) -> AsyncIterator[bytes]:
    assert process.stdout is not None
    while True:
        data = await process.stdout.read(_CHUNK)
        if not data:
            return
        yield data


async def ask(transport: Process, call: Call) -> Reply:
    async with _running(transport, call, "--json") as (process, start):
        out, size = [], 0
        async for data in _chunks(process):
            out.append(data)
            size += len(data)
            if size > _ANSWER_MAX:
                raise Broken(f"answer longer than {_ANSWER_MAX} bytes")
        return Reply(b"".join(out), transport._ending(start, await process.wait()))


class AsyncLines:
    def __init__(self, transport: Process, call: Call) -> None:
        self.ending: Optional[Ending] = None
        self._transport, self._call = transport, call

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with _running(self._transport, self._call, "--events") as (process, start):
            lines = Lines()
            async for data in _chunks(process):
                for line in lines.feed(data):
                    yield line
            self.ending = self._transport._ending(start, await process.wait())
