# SPDX-License-Identifier: MIT
"""The client. Its methods have the parameters of the functions in _call.py; each returns the answer as an object.
A client has no state but its defaults, so any thread may use it at any time."""
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
    from ._answers import (Answer, Applied, Approval, Conversation, Diff, Record, Scan, Source, Ticket, Trace,
                        Verification)
    from typing_extensions import Concatenate, ParamSpec

    P = ParamSpec("P")
    C = TypeVar("C")
    R = TypeVar("R")


def takes_call(make: Callable[P, Call]) -> Callable[[Callable[[C, Call], R]], Callable[Concatenate[C, P], R]]:
    """A decorator: the method has the parameters of MAKE and gets the call that MAKE returns."""
    def wrap(method: Callable[[C, Call], R]) -> Callable[Concatenate[C, P], R]:
        def wrapped(self: C, /, *args: P.args, **kwargs: P.kwargs) -> R:
            return method(self, make(*args, **kwargs))
        functools.update_wrapper(wrapped, make)
        wrapped.__name__ = method.__name__
        wrapped.__qualname__ = method.__qualname__
        return wrapped
    return wrap


class Defaults:
    """Default options. A call gets those that its command knows and that it does not set itself."""
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
        self._options: Tuple[Option, ...] = tuple(
            (name, os.fspath(value)) for name, value in said + [("rules", r) for r in rules] if value is not None)
        self._options += (("user", None),) if user else ()

    def _with_defaults(self, call: Call) -> Call:
        return call.with_defaults(o for o in self._options if call.command[0] in self._TAKERS[o[0]])


def as_value(name: str, data: Any) -> Any:
    """DATA as an object of the class NAME in _answers.py, which is imported on first use."""
    from . import _answers
    return take(getattr(_answers, name), data)


@contextmanager
def _closing(lines: Iterator[bytes]) -> Iterator[Iterator[bytes]]:
    """Closes LINES at the end, if they can be closed. That ends the run."""
    try:
        yield lines
    finally:
        close = getattr(lines, "close", None)
        if close is not None:
            close()


class RunReceiver:
    """Passes the events of a run to its callbacks and makes the result."""

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
        """The result, or an exception if it is not a success."""
        assert stream.ending is not None
        result = self.reader.end(stream.ending)
        error = from_result(result, self._call.check)
        if error is not None:
            raise error
        return result


class Cordon(Defaults):
    """A client. BINARY is the path of the program cordon; by default the installed one. The other parameters are
    defaults of its calls: USER attests that the user wrote all code that it runs."""

    def _ask(self, call: Call) -> Reply:
        return self.transport.ask(self._with_defaults(call))

    def _answer(self, call: Call) -> Any:
        return answer(*self._ask(call))

    def perform(self, call: Call) -> Result:
        """Runs CALL to its result."""
        receiver, stream = RunReceiver(call), self.transport.stream(self._with_defaults(call))
        # Close the lines here: the exception of a callback keeps the frames alive, and the run with them.
        with _closing(iter(stream)) as lines:
            for line in lines:
                receiver.take(line)
        return receiver.end(stream)

    @takes_call(_call.run_call)
    def run(self, call: Call) -> Result:
        return self.perform(call)

    @takes_call(_call.run_call)
    def stream(self, call: Call) -> Iterator[Event]:
        """The events of a run as they happen; the last is Finished. Closing the iterator ends the run."""
        receiver, stream = RunReceiver(call), self.transport.stream(self._with_defaults(call))
        last: Optional[Finished] = None
        with _closing(iter(stream)) as lines:
            for line in lines:
                event = receiver.take(line)
                if isinstance(event, Finished):
                    last = event
                else:
                    yield event
        receiver.end(stream)
        assert last is not None
        yield last

    @takes_call(_call.scan_call)
    def scan(self, call: Call) -> Scan:
        made: Scan = as_value("Scan", self._answer(call))
        return made

    @takes_call(_call.new_conversation_call)
    def new_conversation(self, call: Call) -> Conversation:
        made: Conversation = as_value("Conversation", self._answer(call))
        return made

    @takes_call(_call.conversation_call)
    def conversation(self, call: Call) -> Conversation:
        made: Conversation = as_value("Conversation", self._answer(call))
        return made

    @takes_call(_call.conversations_call)
    def conversations(self, call: Call) -> List[Conversation]:
        return [as_value("Conversation", one) for one in objects(self._answer(call), "conversations")]

    @takes_call(_call.end_conversation_call)
    def end_conversation(self, call: Call) -> Conversation:
        made: Conversation = as_value("Conversation", self._answer(call))
        return made

    @takes_call(_call.ingest_call)
    def ingest(self, call: Call) -> Source:
        made: Source = as_value("Source", self._answer(call))
        return made

    @takes_call(_call.plan_call)
    def plan(self, call: Call) -> Ticket:
        made: Ticket = as_value("Ticket", self._answer(call))
        return made

    @takes_call(_call.grants_call)
    def grants(self, call: Call) -> List[Ticket]:
        return [as_value("Ticket", one) for one in objects(self._answer(call), "tickets")]

    @takes_call(_call.diff_call)
    def diff(self, call: Call) -> Diff:
        made: Diff = as_value("Diff", self._answer(call))
        return made

    @takes_call(_call.apply_call)
    def apply(self, call: Call) -> Applied:
        made: Applied = as_value("Applied", self._answer(call))
        return made

    @takes_call(_call.reset_call)
    def reset(self, call: Call) -> None:
        self._answer(call)

    @takes_call(_call.approvals_call)
    def approvals(self, call: Call) -> List[Approval]:
        return [as_value("Approval", a) for a in objects(self._answer(call))]

    @takes_call(_call.approval_call)
    def approval(self, call: Call) -> Approval:
        made: Approval = as_value("Approval", self._answer(call))
        return made

    @takes_call(_call.approve_call)
    def approve(self, call: Call) -> None:
        check_reply(self._ask(call))

    @takes_call(_call.export_approval_call)
    def export_approval(self, call: Call) -> bytes:
        return reply_bytes(self._ask(call))

    @takes_call(_call.sign_approval_call)
    def sign_approval(self, call: Call) -> Answer:
        made: Answer = as_value("Answer", self._answer(call))
        return made

    @takes_call(_call.add_answer_call)
    def add_answer(self, call: Call) -> Approval:
        made: Approval = as_value("Approval", self._answer(call))
        return made

    @takes_call(_call.wait_approval_call)
    def wait_approval(self, call: Call) -> Approval:
        made: Approval = as_value("Approval", self._answer(call))
        return made

    @takes_call(_call.deny_call)
    def deny(self, call: Call) -> None:
        check_reply(self._ask(call))

    @takes_call(_call.audit_tail_call)
    def audit_tail(self, call: Call) -> List[Record]:
        return [as_value("Record", r) for r in records(*self._ask(call))]

    @takes_call(_call.audit_verify_call)
    def audit_verify(self, call: Call) -> Verification:
        made: Verification = as_value("Verification", self._answer(call))
        return made

    @takes_call(_call.audit_trace_call)
    def audit_trace(self, call: Call) -> Trace:
        made: Trace = as_value("Trace", self._answer(call))
        return made

    @takes_call(_call.doctor_call)
    def doctor(self, call: Call) -> Any:
        """Layers and tiers by name, as `cordon doctor --json` has them."""
        return self._answer(call)


def check_reply(reply: Reply) -> None:
    """Raises the error of a command that prints no answer."""
    if reply.ending.status != 0:
        answer(*reply)
        raise no_answer(reply.ending)


def reply_bytes(reply: Reply) -> bytes:
    """The output of a command that prints a file."""
    check_reply(reply)
    return reply.out
