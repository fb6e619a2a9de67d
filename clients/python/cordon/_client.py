# SPDX-License-Identifier: MIT
"""The client. Its methods have the parameters of the functions in _call.py; each makes an object of the answer.
A client has no state but its defaults: any thread may use it at any time."""
from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, List, Optional, Tuple, TypeVar

from . import _call
from ._call import Call, Option, Path
from ._errors import from_result
from ._model import Event, Finished, Output, Result, take
from ._transport import Process, Reply, Transport
from ._wire import RunReader, answer, no_answer, objects, records

if TYPE_CHECKING:
    from ._more import (Applied, Approval, Conversation, Diff, Record, Scan, Source, Ticket, Trace,
                        Verification)
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
    C = TypeVar("C")
    R = TypeVar("R")


def speaks(make: Callable[P, Call]) -> Callable[[Callable[[C, Call], R]], Callable[Concatenate[C, P], R]]:
    """The method gets the call that MAKE makes of its parameters."""
    def wrap(method: Callable[[C, Call], R]) -> Callable[Concatenate[C, P], R]:
        def speak(self: C, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return method(self, make(*args, **kwargs))
        functools.update_wrapper(speak, make)
        speak.__name__ = method.__name__
        speak.__qualname__ = method.__qualname__
        return speak
    return wrap


class Defaults:
    """Options for every call that takes them and does not set them itself."""
    _TAKERS = {
        "tier": ("run",), "user": ("run",), "policy": ("run", "ingest", "plan", "apply"),
        "rules": ("run", "scan", "ingest"),
        "state": ("run", "conversation", "ingest", "plan", "grant", "diff", "apply", "reset", "approvals", "audit")}

    def __init__(self, binary: Optional[Path] = None, *, tier: Optional[str] = None,
                 policy: Optional[Path] = None, rules: Iterable[Path] = (), state: Optional[Path] = None,
                 user: bool = False, transport: Optional[Transport] = None) -> None:
        path = None if binary is None else os.fspath(binary)
        self.transport: Transport = transport if transport is not None else Process(path)
        said: List[Tuple[str, Optional[Path]]] = [("tier", tier), ("policy", policy), ("state", state)]
        self._said: Tuple[Option, ...] = tuple(
            (name, os.fspath(value)) for name, value in said + [("rules", r) for r in rules] if value is not None)
        self._said += (("user", None),) if user else ()

    def _whole(self, call: Call) -> Call:
        return call.having(o for o in self._said if call.command[0] in self._TAKERS[o[0]])


def of(name: str, data: Any) -> Any:
    """An object of _more.py, which is imported when it is needed."""
    from . import _more
    return take(getattr(_more, name), data)


@contextmanager
def _closing(lines: Iterator[bytes]) -> Iterator[Iterator[bytes]]:
    """A transport's lines may be any iterator; one that can be closed is, and its run is over then."""
    try:
        yield lines
    finally:
        close = getattr(lines, "close", None)
        if close is not None:
            close()


class Teller:
    """Tells a call's callbacks of its events, and makes its result."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self.reader = RunReader()

    def take(self, line: bytes) -> Event:
        event = self.reader.take(line)
        if self._call.on_output and isinstance(event, Output):
            self._call.on_output(event)
        if self._call.on_event:
            self._call.on_event(event)
        return event

    def end(self, stream: Any) -> Result:
        """Raises what is not a success."""
        assert stream.ending is not None
        result = self.reader.end(stream.ending)
        error = from_result(result, self._call.check)
        if error is not None:
            raise error
        return result


class Cordon(Defaults):
    """A client. BINARY is the program cordon; by default the installed one. The others are defaults for its calls:
    USER attests that the user wrote all code that it runs."""

    def _ask(self, call: Call) -> Reply:
        return self.transport.ask(self._whole(call))

    def _answer(self, call: Call) -> Any:
        return answer(*self._ask(call))

    def perform(self, call: Call) -> Result:
        """A run, from its call to its result."""
        teller, stream = Teller(call), self.transport.stream(self._whole(call))
        # Closed here: an exception of a callback's holds the frames, and with them the run would go on.
        with _closing(iter(stream)) as lines:
            for line in lines:
                teller.take(line)
        return teller.end(stream)

    @speaks(_call.run_call)
    def run(self, call: Call) -> Result:
        return self.perform(call)

    @speaks(_call.run_call)
    def stream(self, call: Call) -> Iterator[Event]:
        """The events of a run as they happen; the last is Finished. Closing the iterator ends the run."""
        teller, stream = Teller(call), self.transport.stream(self._whole(call))
        last: Optional[Finished] = None
        with _closing(iter(stream)) as lines:
            for line in lines:
                event = teller.take(line)
                if isinstance(event, Finished):
                    last = event
                else:
                    yield event
        teller.end(stream)
        assert last is not None
        yield last

    @speaks(_call.scan_call)
    def scan(self, call: Call) -> Scan:
        made: Scan = of("Scan", self._answer(call))
        return made

    @speaks(_call.new_conversation_call)
    def new_conversation(self, call: Call) -> Conversation:
        made: Conversation = of("Conversation", self._answer(call))
        return made

    @speaks(_call.conversation_call)
    def conversation(self, call: Call) -> Conversation:
        made: Conversation = of("Conversation", self._answer(call))
        return made

    @speaks(_call.conversations_call)
    def conversations(self, call: Call) -> List[Conversation]:
        return [of("Conversation", one) for one in objects(self._answer(call), "conversations")]

    @speaks(_call.end_conversation_call)
    def end_conversation(self, call: Call) -> Conversation:
        made: Conversation = of("Conversation", self._answer(call))
        return made

    @speaks(_call.ingest_call)
    def ingest(self, call: Call) -> Source:
        made: Source = of("Source", self._answer(call))
        return made

    @speaks(_call.plan_call)
    def plan(self, call: Call) -> Ticket:
        made: Ticket = of("Ticket", self._answer(call))
        return made

    @speaks(_call.grants_call)
    def grants(self, call: Call) -> List[Ticket]:
        return [of("Ticket", one) for one in objects(self._answer(call), "tickets")]

    @speaks(_call.diff_call)
    def diff(self, call: Call) -> Diff:
        made: Diff = of("Diff", self._answer(call))
        return made

    @speaks(_call.apply_call)
    def apply(self, call: Call) -> Applied:
        made: Applied = of("Applied", self._answer(call))
        return made

    @speaks(_call.reset_call)
    def reset(self, call: Call) -> None:
        self._answer(call)

    @speaks(_call.approvals_call)
    def approvals(self, call: Call) -> List[Approval]:
        return [of("Approval", a) for a in objects(self._answer(call))]

    @speaks(_call.approval_call)
    def approval(self, call: Call) -> Approval:
        made: Approval = of("Approval", self._answer(call))
        return made

    @speaks(_call.approve_call)
    def approve(self, call: Call) -> None:
        done(self._ask(call))

    @speaks(_call.deny_call)
    def deny(self, call: Call) -> None:
        done(self._ask(call))

    @speaks(_call.audit_tail_call)
    def audit_tail(self, call: Call) -> List[Record]:
        return [of("Record", r) for r in records(*self._ask(call))]

    @speaks(_call.audit_verify_call)
    def audit_verify(self, call: Call) -> Verification:
        made: Verification = of("Verification", self._answer(call))
        return made

    @speaks(_call.audit_trace_call)
    def audit_trace(self, call: Call) -> Trace:
        made: Trace = of("Trace", self._answer(call))
        return made

    @speaks(_call.doctor_call)
    def doctor(self, call: Call) -> Any:
        """Layers and tiers by name, as `cordon doctor --json` has them."""
        return self._answer(call)


def done(reply: Reply) -> None:
    """For commands without an answer."""
    if reply.ending.status != 0:
        answer(*reply)
        raise no_answer(reply.ending)
