# SPDX-License-Identifier: MIT
"""The client for asyncio: the same methods with the same parameters, awaited. Cancelling ends the run."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, AsyncIterator, List, Optional

from . import _call
from ._call import Call
from ._client import Defaults, RunReceiver, as_value, check_reply, reply_bytes, takes_call
from ._model import Event, Finished, Result
from ._transport import Reply
from ._wire import answer, objects, records

if TYPE_CHECKING:
    from ._answers import (Answer, Applied, Approval, Conversation, Diff, Record, Scan, Source, Ticket, Trace,
                        Verification)


class AsyncCordon(Defaults):
    """A client for coroutines. Its parameters are those of Cordon."""

    async def _ask(self, call: Call) -> Reply:
        return await self.transport.ask_async(self._with_defaults(call))

    async def _answer(self, call: Call) -> Any:
        return answer(*await self._ask(call))

    @takes_call(_call.run_call)
    async def run(self, call: Call) -> Result:
        receiver, stream = RunReceiver(call), self.transport.stream_async(self._with_defaults(call))
        lines = stream.__aiter__()
        try:
            async for line in lines:
                receiver.take(line)
        finally:
            await _close(lines)
        return receiver.end(stream)

    @takes_call(_call.run_call)
    async def stream(self, call: Call) -> AsyncIterator[Event]:
        """The events of a run as they happen; the last is Finished. Call aclose() to end the run early."""
        receiver, stream = RunReceiver(call), self.transport.stream_async(self._with_defaults(call))
        lines = stream.__aiter__()
        last: Optional[Finished] = None
        try:
            async for line in lines:
                event = receiver.take(line)
                if isinstance(event, Finished):
                    last = event
                else:
                    yield event
        finally:
            await _close(lines)
        receiver.end(stream)
        assert last is not None
        yield last

    @takes_call(_call.scan_call)
    async def scan(self, call: Call) -> Scan:
        made: Scan = as_value("Scan", await self._answer(call))
        return made

    @takes_call(_call.new_conversation_call)
    async def new_conversation(self, call: Call) -> Conversation:
        made: Conversation = as_value("Conversation", await self._answer(call))
        return made

    @takes_call(_call.conversation_call)
    async def conversation(self, call: Call) -> Conversation:
        made: Conversation = as_value("Conversation", await self._answer(call))
        return made

    @takes_call(_call.conversations_call)
    async def conversations(self, call: Call) -> List[Conversation]:
        return [as_value("Conversation", one) for one in objects(await self._answer(call), "conversations")]

    @takes_call(_call.end_conversation_call)
    async def end_conversation(self, call: Call) -> Conversation:
        made: Conversation = as_value("Conversation", await self._answer(call))
        return made

    @takes_call(_call.ingest_call)
    async def ingest(self, call: Call) -> Source:
        made: Source = as_value("Source", await self._answer(call))
        return made

    @takes_call(_call.plan_call)
    async def plan(self, call: Call) -> Ticket:
        made: Ticket = as_value("Ticket", await self._answer(call))
        return made

    @takes_call(_call.grants_call)
    async def grants(self, call: Call) -> List[Ticket]:
        return [as_value("Ticket", one) for one in objects(await self._answer(call), "tickets")]

    @takes_call(_call.diff_call)
    async def diff(self, call: Call) -> Diff:
        made: Diff = as_value("Diff", await self._answer(call))
        return made

    @takes_call(_call.apply_call)
    async def apply(self, call: Call) -> Applied:
        made: Applied = as_value("Applied", await self._answer(call))
        return made

    @takes_call(_call.reset_call)
    async def reset(self, call: Call) -> None:
        await self._answer(call)

    @takes_call(_call.approvals_call)
    async def approvals(self, call: Call) -> List[Approval]:
        return [as_value("Approval", a) for a in objects(await self._answer(call))]

    @takes_call(_call.approval_call)
    async def approval(self, call: Call) -> Approval:
        made: Approval = as_value("Approval", await self._answer(call))
        return made

    @takes_call(_call.approve_call)
    async def approve(self, call: Call) -> None:
        check_reply(await self._ask(call))

    @takes_call(_call.export_approval_call)
    async def export_approval(self, call: Call) -> bytes:
        return reply_bytes(await self._ask(call))

    @takes_call(_call.sign_approval_call)
    async def sign_approval(self, call: Call) -> Answer:
        made: Answer = as_value("Answer", await self._answer(call))
        return made

    @takes_call(_call.add_answer_call)
    async def add_answer(self, call: Call) -> Approval:
        made: Approval = as_value("Approval", await self._answer(call))
        return made

    @takes_call(_call.wait_approval_call)
    async def wait_approval(self, call: Call) -> Approval:
        made: Approval = as_value("Approval", await self._answer(call))
        return made

    @takes_call(_call.deny_call)
    async def deny(self, call: Call) -> None:
        check_reply(await self._ask(call))

    @takes_call(_call.audit_tail_call)
    async def audit_tail(self, call: Call) -> List[Record]:
        return [as_value("Record", r) for r in records(*await self._ask(call))]

    @takes_call(_call.audit_verify_call)
    async def audit_verify(self, call: Call) -> Verification:
        made: Verification = as_value("Verification", await self._answer(call))
        return made

    @takes_call(_call.audit_trace_call)
    async def audit_trace(self, call: Call) -> Trace:
        made: Trace = as_value("Trace", await self._answer(call))
        return made

    @takes_call(_call.doctor_call)
    async def doctor(self, call: Call) -> Any:
        return await self._answer(call)


async def _close(lines: AsyncIterator[bytes]) -> None:
    """Ends the program now, not when the garbage collector runs."""
    close = getattr(lines, "aclose", None)
    if close is not None:
        await close()
