# SPDX-License-Identifier: MIT
"""The client for asyncio: the same methods with the same parameters, awaited. Cancelling ends the run."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, List, Optional

from . import _call
from ._call import Call
from ._client import Defaults, Teller, done, of, speaks
from ._model import Event, Finished, Result
from ._transport import Reply
from ._wire import answer, objects, records

if TYPE_CHECKING:
    from ._more import (Applied, Approval, Conversation, Diff, Record, Scan, Source, Ticket, Trace,
                        Verification)


class AsyncCordon(Defaults):
    """A client for coroutines. Its parameters are those of Cordon."""

    async def _ask(self, call: Call) -> Reply:
        return await self.transport.ask_async(self._whole(call))

    async def _answer(self, call: Call) -> Any:
        return answer(*await self._ask(call))

    @speaks(_call.run_call)
    async def run(self, call: Call) -> Result:
        teller, stream = Teller(call), self.transport.stream_async(self._whole(call))
        lines = stream.__aiter__()
        try:
            async for line in lines:
                teller.take(line)
        finally:
            await _close(lines)
        return teller.end(stream)

    @speaks(_call.run_call)
    async def stream(self, call: Call) -> AsyncIterator[Event]:
        """The events of a run as they happen; the last is Finished. Call aclose() to end the run early."""
        teller, stream = Teller(call), self.transport.stream_async(self._whole(call))
        lines = stream.__aiter__()
        last: Optional[Finished] = None
        try:
            async for line in lines:
                event = teller.take(line)
                if isinstance(event, Finished):
                    last = event
                else:
                    yield event
        finally:
            await _close(lines)
        teller.end(stream)
        assert last is not None
        yield last

    @speaks(_call.scan_call)
    async def scan(self, call: Call) -> Scan:
        made: Scan = of("Scan", await self._answer(call))
        return made

    @speaks(_call.new_conversation_call)
    async def new_conversation(self, call: Call) -> Conversation:
        made: Conversation = of("Conversation", await self._answer(call))
        return made

    @speaks(_call.conversation_call)
    async def conversation(self, call: Call) -> Conversation:
        made: Conversation = of("Conversation", await self._answer(call))
        return made

    @speaks(_call.conversations_call)
    async def conversations(self, call: Call) -> List[Conversation]:
        return [of("Conversation", one) for one in objects(await self._answer(call), "conversations")]

    @speaks(_call.end_conversation_call)
    async def end_conversation(self, call: Call) -> Conversation:
        made: Conversation = of("Conversation", await self._answer(call))
        return made

    @speaks(_call.ingest_call)
    async def ingest(self, call: Call) -> Source:
        made: Source = of("Source", await self._answer(call))
        return made

    @speaks(_call.plan_call)
    async def plan(self, call: Call) -> Ticket:
        made: Ticket = of("Ticket", await self._answer(call))
        return made

    @speaks(_call.grants_call)
    async def grants(self, call: Call) -> List[Ticket]:
        return [of("Ticket", one) for one in objects(await self._answer(call), "tickets")]

    @speaks(_call.diff_call)
    async def diff(self, call: Call) -> Diff:
        made: Diff = of("Diff", await self._answer(call))
        return made

    @speaks(_call.apply_call)
    async def apply(self, call: Call) -> Applied:
        made: Applied = of("Applied", await self._answer(call))
        return made

    @speaks(_call.reset_call)
    async def reset(self, call: Call) -> None:
        await self._answer(call)

    @speaks(_call.approvals_call)
    async def approvals(self, call: Call) -> List[Approval]:
        return [of("Approval", a) for a in objects(await self._answer(call))]

    @speaks(_call.approval_call)
    async def approval(self, call: Call) -> Approval:
        made: Approval = of("Approval", await self._answer(call))
        return made

    @speaks(_call.approve_call)
    async def approve(self, call: Call) -> None:
        done(await self._ask(call))

    @speaks(_call.deny_call)
    async def deny(self, call: Call) -> None:
        done(await self._ask(call))

    @speaks(_call.audit_tail_call)
    async def audit_tail(self, call: Call) -> List[Record]:
        return [of("Record", r) for r in records(*await self._ask(call))]

    @speaks(_call.audit_verify_call)
    async def audit_verify(self, call: Call) -> Verification:
        made: Verification = of("Verification", await self._answer(call))
        return made

    @speaks(_call.audit_trace_call)
    async def audit_trace(self, call: Call) -> Trace:
        made: Trace = of("Trace", await self._answer(call))
        return made

    @speaks(_call.doctor_call)
    async def doctor(self, call: Call) -> Any:
        return await self._answer(call)


async def _close(lines: AsyncIterator[bytes]) -> None:
    """Now, and not when the garbage collector finds it."""
    close = getattr(lines, "aclose", None)
    if close is not None:
        await close()
