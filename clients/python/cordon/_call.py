# SPDX-License-Identifier: MIT
"""A request to Cordon as a plain value: a command, its options and its input. Each function makes one call. Its
parameters are the options of `cordon COMMAND --help`, and the clients' methods have the same signature. Nothing
here starts a program."""
from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Callable, Iterable, List, Mapping, Optional, Tuple, Union

from ._errors import BadRequest
from ._model import Event, Output

if TYPE_CHECKING:
    from ._answers import Conversation, Ticket

Code = Union[str, bytes, "os.PathLike[str]"]
Path = Union[str, "os.PathLike[str]"]
Duration = Union[int, float, str]
Size = Union[int, str]
Option = Tuple[str, Optional[str]]
In = Union[str, "Conversation"]


@dataclass(frozen=True, eq=False)
class Call:
    """COMMAND has one or two words; OPTIONS are names with values (None: a flag). The operand "-" stands for
    PAYLOAD. INPUT is the standard input of the program in the box."""
    command: Tuple[str, ...]
    options: Tuple[Option, ...] = ()
    operands: Tuple[str, ...] = ()
    arguments: Tuple[str, ...] = ()
    payload: Optional[bytes] = None
    input: Optional[bytes] = None
    check: bool = False
    on_event: Optional[Callable[[Event], None]] = None
    on_output: Optional[Callable[[Output], None]] = None

    def with_defaults(self, options: Iterable[Option]) -> "Call":
        """The call with those of OPTIONS that it does not set itself."""
        own = {name for name, _ in self.options}
        more = tuple(o for o in options if o[0] not in own)
        return replace(self, options=self.options + more)


def _seconds(value: Duration) -> str:
    return value if isinstance(value, str) else f"{int(value * 1000)}ms"


def as_bytes(name: str, value: Union[str, bytes]) -> bytes:
    """VALUE in UTF-8. Surrogates from os.fsdecode become the original bytes again."""
    if not isinstance(value, str):
        return bytes(value)
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as e:
        raise BadRequest(f"{name}: cannot be encoded as UTF-8", cause=f"a lone surrogate at {e.start}: {e}",
                         cure="pass text.encode('utf-8', 'replace'), or do not cut the text inside a character") from None


def _text(name: str, value: object) -> str:
    text = str(value)
    if "\0" in text:
        raise BadRequest(f"{name}: contains a NUL")
    as_bytes(name, text)
    return text


def _variables(env: Mapping[str, str]) -> List[str]:
    for name in env:
        if not name or "=" in name or "\0" in name:
            raise BadRequest(f"env: {name!r} is not a name of a variable",
                             cause="it is empty or contains \"=\" or a NUL")
    return [f"{name}={value}" for name, value in env.items()]


class _Options:
    """Collects options in order. An option without a value is omitted."""

    def __init__(self) -> None:
        self.all: Tuple[Option, ...] = ()

    def add(self, **values: object) -> "_Options":
        for name, value in values.items():
            name = name.rstrip("_").replace("_", "-")
            if value is True:
                self.all += ((name, None),)
            elif value is not None and value is not False:
                self.all += ((name, _text(name, value)),)
        return self

    def add_each(self, name: str, values: Iterable[object]) -> "_Options":
        for value in values:
            self.add(**{name: value})
        return self


def _source(code: Code, name: str = "-") -> Tuple[Tuple[str, ...], Optional[bytes]]:
    """The operand, and its bytes if CODE is not a path."""
    if isinstance(code, (str, bytes)):
        return (name,), as_bytes("code", code)
    return (_text("file", os.fspath(code)),), None


def _id(conversation: Optional[In]) -> Optional[str]:
    if conversation is None or isinstance(conversation, str):
        return conversation
    return conversation.conversation


def run_call(
    code: Code, *, lang: Optional[str] = None, input: Union[None, str, bytes] = None,
    args: Iterable[str] = (), env: Optional[Mapping[str, str]] = None, exec: Iterable[Path] = (),
    profile: Optional[str] = None, workspace: Optional[Path] = None, mode: str = "overlay", whole: bool = False,
    ro: Iterable[Path] = (), rw: Iterable[Path] = (), hide: Iterable[Path] = (), keep: Optional[str] = None,
    diff: bool = False, apply: bool = False, venv: Optional[Path] = None, net: Iterable[str] = (), secrets: Iterable[str] = (), tier: Optional[str] = None,
    conversation: Optional[In] = None, user: bool = False, exposed: bool = False,
    plan: Union[None, str, Ticket] = None, policy: Optional[Path] = None,
    wait: bool = False, title: Optional[str] = None, purpose: Optional[str] = None,
    rules: Iterable[Path] = (), state: Optional[Path] = None,
    time: Optional[Duration] = None, cpu_time: Optional[Duration] = None, cpu: Optional[int] = None,
    memory: Optional[Size] = None, pids: Optional[int] = None, files: Optional[int] = None,
    file_size: Optional[Size] = None, disk: Optional[Size] = None, output: Optional[Size] = None,
    connections: Optional[int] = None, net_out: Optional[Size] = None, net_in: Optional[Size] = None,
    telemetry: bool = False, check: bool = False, on_output: Optional[Callable[[Output], None]] = None,
    on_event: Optional[Callable[[Event], None]] = None,
) -> Call:
    """Runs code in the box. CODE is a text (in Python, unless LANG is set) or the path of a file.
    A run without a CONVERSATION is exposed, unless you attest with USER that the user wrote the code. EXPOSED
    states that untrusted text that Cordon did not see led to this code. PROFILE is snippet or dev. The EFFECTS of the result say which of
    NET and SECRETS were allowed. Changes of the WORKSPACE go to the conversation's overlay. APPLY writes the
    allowed ones when the program exits with 0; apply() writes them later. RO and RW name more directories, which
    the program reads, or writes to directly. KEEP names a home directory that stays.
    If a person is asked, they read your TITLE, and PURPOSE, which is the agent's reason for the run.
    Durations are seconds or texts like "30s"; sizes are bytes or texts like "512M". With CHECK an exit status
    other than 0 raises Failed. With TELEMETRY Python reports what it does: see Telemetry. The callbacks get each
    event as it happens; an exception in one ends the run at once."""
    operands, payload = _source(code)
    if mode not in ("ro", "overlay", "rw"):
        raise BadRequest(f"mode: \"{mode}\" is not ro, overlay or rw")
    o = _Options().add(lang=lang or ("python" if payload is not None else None), tier=tier, telemetry=telemetry)
    o.add(profile=profile, whole=whole, keep=keep).add_each("ro", ro).add_each("rw", rw).add_each("hide", hide)
    o.add_each("exec", exec).add_each("net", net).add_each("secret", secrets).add_each("env", _variables(env or {}))
    if workspace is not None:
        o.add(workspace=f"{os.fspath(workspace)}:{mode}")
    o.add(diff=diff, apply=apply, venv=venv, conversation=_id(conversation), user=user, exposed=exposed,
          plan=plan if plan is None or isinstance(plan, str) else plan.ticket, policy=policy, wait=wait,
          title=title, purpose=purpose, state=state)
    o.add_each("rules", rules)
    o.add(time=None if time is None else _seconds(time),
          cpu_time=None if cpu_time is None else _seconds(cpu_time), cpu=cpu, memory=memory, pids=pids,
          files=files, file_size=file_size, disk=disk, output=output,
          connections=connections, net_out=net_out, net_in=net_in)
    return Call(("run",), o.all, operands, tuple(_text("args", a) for a in args), payload,
                None if input is None else as_bytes("input", input), check, on_event, on_output)


def scan_call(what: Code, *, kind: Optional[str] = None, type: Optional[str] = None,
              lane: Optional[str] = None, mode: Optional[str] = None, effects: bool = False,
              rules: Iterable[Path] = ()) -> Call:
    """Scans a text, a file or a directory for attacks on agents."""
    operands, payload = _source(what)
    o = _Options().add(kind=kind, type=type, lane=lane, mode=mode, effects=effects).add_each("rules", rules)
    return Call(("scan",), o.all, operands, payload=payload)


def new_conversation_call(*, title: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Begins a clean conversation. Call it when the user begins one. People see its TITLE."""
    return Call(("conversation", "new"), _Options().add(title=title, state=state).all)


def conversation_call(conversation: In, *, state: Optional[Path] = None) -> Call:
    """A conversation with its state, the cause of its exposure, and the documents that it has read."""
    return Call(("conversation", "show"), _Options().add(state=state).all, (_text("id", _id(conversation)),))


def conversations_call(*, state: Optional[Path] = None) -> Call:
    """All conversations, without their documents."""
    return Call(("conversation", "list"), _Options().add(state=state).all)


def end_conversation_call(conversation: In, *, state: Optional[Path] = None) -> Call:
    """Ends a conversation. No code runs in it any more."""
    return Call(("conversation", "end"), _Options().add(state=state).all, (_text("id", _id(conversation)),))


def ingest_call(data: Code, *, conversation: In, kind: str, name: str, rules: Iterable[Path] = (),
                policy: Optional[Path] = None, state: Optional[Path] = None) -> Call:
    """Records a document. Give it to the agent only after this call has returned."""
    operands, payload = _source(data)
    o = _Options().add(conversation=_id(conversation), kind=kind, name=name, policy=policy, state=state)
    return Call(("ingest",), o.add_each("rules", rules).all, operands, payload=payload)


def plan_call(code: Code, *, conversation: In, lang: Optional[str] = None, args: Iterable[str] = (),
              env: Optional[Mapping[str, str]] = None, exec: Iterable[Path] = (), profile: Optional[str] = None,
              ro: Iterable[Path] = (), rw: Iterable[Path] = (), hide: Iterable[Path] = (), keep: Optional[str] = None,
              workspace: Optional[Path] = None, mode: str = "overlay", venv: Optional[Path] = None, net: Iterable[str] = (),
              secrets: Iterable[str] = (), runs: Optional[int] = None, for_: Optional[Duration] = None,
              policy: Optional[Path] = None, rules: Iterable[Path] = (), state: Optional[Path] = None) -> Call:
    """Fixes a program and its effects while the conversation is clean. run() takes the ticket as PLAN, with the
    same CODE, ARGS, ENV, EXEC, VENV, WORKSPACE and RW. FOR_ is its lifetime."""
    operands, payload = _source(code)
    o = _Options().add(conversation=_id(conversation), lang=lang or ("python" if payload is not None else None),
                       profile=profile, keep=keep, venv=venv, runs=runs, for_=None if for_ is None else _seconds(for_), policy=policy, state=state)
    if workspace is not None:
        o.add(workspace=f"{os.fspath(workspace)}:{mode}")
    o.add_each("ro", ro).add_each("rw", rw).add_each("hide", hide)
    o.add_each("exec", exec).add_each("net", net).add_each("secret", secrets).add_each("rules", rules).add_each("env", _variables(env or {}))
    return Call(("plan",), o.all, operands, tuple(_text("args", a) for a in args), payload)


def grants_call(*, state: Optional[Path] = None) -> Call:
    """The valid tickets: plans and grants. Only a person gives a grant, with `cordon grant`."""
    return Call(("grant", "list"), _Options().add(state=state).all)


def _changes(verb: str, directory: Path, conversation: In, **options: object) -> Call:
    o = _Options().add(conversation=_id(conversation), **options)
    return Call((verb,), o.all, (_text("directory", os.fspath(directory)),))


def diff_call(directory: Path, *, conversation: In, state: Optional[Path] = None) -> Call:
    """The pending changes of a directory in a conversation."""
    return _changes("diff", directory, conversation, state=state)


def apply_call(directory: Path, *, conversation: In, policy: Optional[Path] = None, title: Optional[str] = None,
               purpose: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Writes the pending changes that the policy or a ticket allows. EFFECTS say why the others stay pending."""
    return _changes("apply", directory, conversation, policy=policy, title=title, purpose=purpose, state=state)


def reset_call(directory: Path, *, conversation: In, state: Optional[Path] = None) -> Call:
    """Drops the pending changes of a directory."""
    return _changes("reset", directory, conversation, state=state)


def approvals_call(*, all: bool = False, state: Optional[Path] = None) -> Call:
    """The requests that wait for a person; with ALL also the finished ones."""
    return Call(("approvals", "list"), _Options().add(all=all, state=state).all)


def approval_call(id: str, *, state: Optional[Path] = None) -> Call:
    """One request, with its code."""
    return Call(("approvals", "show"), _Options().add(state=state).all, (_text("id", id),))


def approve_call(id: str, *, key: Path, as_: str, scope: Optional[str] = None, for_: Optional[Duration] = None,
                 state: Optional[Path] = None) -> Call:
    """Approves with the SSH key in the file KEY, which is enrolled under the name AS_. Only a program of the person
    calls this, never a program of the agent."""
    o = _Options().add(key=key, as_=as_, scope=scope, for_=None if for_ is None else _seconds(for_), state=state)
    return Call(("approvals", "approve"), o.all, (_text("id", id),))


def export_approval_call(id: str, *, state: Optional[Path] = None) -> Call:
    """A request as bytes, to be signed on another machine."""
    return Call(("approvals", "export"), _Options().add(state=state).all, (_text("id", id),))


def sign_approval_call(request: Code, *, id: str, key: Path, as_: str, deny: bool = False,
                       scope: Optional[str] = None, for_: Optional[Duration] = None) -> Call:
    """Signs an exported REQUEST (its bytes, or the path of a file) and returns the answer for add_answer(). ID is the
    id of the request that the person has read; no other request is signed. This needs no state."""
    operands, payload = _source(request)
    o = _Options().add(id=id, key=key, as_=as_, deny=deny, scope=scope, for_=None if for_ is None else _seconds(for_))
    return Call(("approvals", "sign"), o.all, operands, payload=payload)


def add_answer_call(answer: Code, *, state: Optional[Path] = None) -> Call:
    """Adds a signed ANSWER (its text, or the path of a file). The answer names its request."""
    operands, payload = _source(answer)
    return Call(("approvals", "add"), _Options().add(state=state).all, operands, payload=payload)


def wait_approval_call(id: str, *, timeout: Optional[Duration] = None, state: Optional[Path] = None) -> Call:
    """Waits until people have answered. STATUS is then approved, used, denied or expired. After TIMEOUT it is
    pending."""
    o = _Options().add(timeout=None if timeout is None else _seconds(timeout), state=state)
    return Call(("approvals", "wait"), o.all, (_text("id", id),))


def deny_call(id: str, *, reason: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Denies a request. The caller of the run gets the REASON."""
    return Call(("approvals", "deny"), _Options().add(reason=reason, state=state).all, (_text("id", id),))


def audit_tail_call(n: int = 10, *, state: Optional[Path] = None) -> Call:
    """The last N records of the log."""
    return Call(("audit", "tail"), _Options().add(n=n, state=state).all)


def audit_verify_call(*, heads: Optional[Path] = None, checkpoint: Optional[Path] = None,
                      key: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Checks that the log was not changed, also against HEADS and CHECKPOINT that were kept elsewhere."""
    return Call(("audit", "verify"),
                _Options().add(heads=heads, checkpoint=checkpoint, key=key, state=state).all)


def audit_trace_call(ref: str, *, state: Optional[Path] = None) -> Call:
    """The documents that led to a run. REF is its audit_id."""
    return Call(("audit", "trace"), _Options().add(state=state).all, (_text("ref", ref),))


def doctor_call() -> Call:
    """Tries every layer of the box on this machine."""
    return Call(("doctor",))
