# SPDX-License-Identifier: MIT
"""A request to Cordon as a plain value: a command, its options, and the bytes that go along. Each function makes
one call. Its parameters are the options of `cordon COMMAND --help`, and the clients' methods have the same
signature. Nothing here starts a program."""
from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Callable, Iterable, List, Mapping, Optional, Tuple, Union

from ._errors import BadRequest
from ._model import Event, Output

if TYPE_CHECKING:
    from ._more import Conversation, Ticket

Code = Union[str, bytes, "os.PathLike[str]"]
Path = Union[str, "os.PathLike[str]"]
Duration = Union[int, float, str]
Size = Union[int, str]
Option = Tuple[str, Optional[str]]
In = Union[str, "Conversation"]


@dataclass(frozen=True, eq=False)
class Call:
    """COMMAND is a word or two; OPTIONS are names with values (None: a flag). PAYLOAD is what the operand
    "-" means; INPUT the program's standard input."""
    command: Tuple[str, ...]
    options: Tuple[Option, ...] = ()
    operands: Tuple[str, ...] = ()
    arguments: Tuple[str, ...] = ()
    payload: Optional[bytes] = None
    input: Optional[bytes] = None
    check: bool = False
    on_event: Optional[Callable[[Event], None]] = None
    on_output: Optional[Callable[[Output], None]] = None

    def having(self, options: Iterable[Option]) -> "Call":
        """Adds those of OPTIONS that the call does not set itself."""
        said = {name for name, _ in self.options}
        more = tuple(o for o in options if o[0] not in said)
        return replace(self, options=self.options + more)


def _seconds(value: Duration) -> str:
    return value if isinstance(value, str) else f"{int(value * 1000)}ms"


def as_bytes(name: str, value: Union[str, bytes]) -> bytes:
    """UTF-8; what os.fsdecode made of other bytes becomes those again."""
    if not isinstance(value, str):
        return bytes(value)
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as e:
        raise BadRequest(f"{name}: there is half a character in it", cause=f"a lone surrogate at {e.start}: {e}",
                         cure="text.encode('utf-8', 'replace'), or look where it was cut") from None


def _text(name: str, value: object) -> str:
    text = str(value)
    if "\0" in text:
        raise BadRequest(f"{name}: there is a NUL in it")
    as_bytes(name, text)
    return text


def _variables(env: Mapping[str, str]) -> List[str]:
    for name in env:
        if not name or "=" in name or "\0" in name:
            raise BadRequest(f"env: {name!r} is no name of a variable",
                             cause="it is empty, or there is a \"=\" or a NUL in it")
    return [f"{name}={value}" for name, value in env.items()]


class _Options:
    """Collects options in order. An option without a value is omitted."""

    def __init__(self) -> None:
        self.all: Tuple[Option, ...] = ()

    def say(self, **values: object) -> "_Options":
        for name, value in values.items():
            name = name.rstrip("_").replace("_", "-")
            if value is True:
                self.all += ((name, None),)
            elif value is not None and value is not False:
                self.all += ((name, _text(name, value)),)
        return self

    def each(self, name: str, values: Iterable[object]) -> "_Options":
        for value in values:
            self.say(**{name: value})
        return self


def _source(code: Code, name: str = "-") -> Tuple[Tuple[str, ...], Optional[bytes]]:
    """The operand, and the bytes that it stands for if CODE is not a path."""
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
    workspace: Optional[Path] = None, mode: str = "overlay", diff: bool = False, apply: bool = False,
    venv: Optional[Path] = None, net: Iterable[str] = (), secrets: Iterable[str] = (), tier: Optional[str] = None,
    conversation: Optional[In] = None, user: bool = False, exposed: bool = False,
    plan: Union[None, str, Ticket] = None, policy: Optional[Path] = None,
    wait: bool = False, rules: Iterable[Path] = (), state: Optional[Path] = None,
    time: Optional[Duration] = None, cpu_time: Optional[Duration] = None, cpu: Optional[int] = None,
    memory: Optional[Size] = None, pids: Optional[int] = None, files: Optional[int] = None,
    file_size: Optional[Size] = None, disk: Optional[Size] = None, output: Optional[Size] = None,
    connections: Optional[int] = None, net_out: Optional[Size] = None, net_in: Optional[Size] = None,
    telemetry: bool = False, check: bool = False, on_output: Optional[Callable[[Output], None]] = None,
    on_event: Optional[Callable[[Event], None]] = None,
) -> Call:
    """Runs code in the box. CODE is a text (Python, if LANG says nothing else), or a path of a file.
    A run without a CONVERSATION is exposed, unless you attest with USER that the user wrote it. EXPOSED:
    something untrusted that Cordon did not see led to this code. The result's EFFECTS say which of NET and
    SECRETS it got. Changes of the WORKSPACE go to the conversation's overlay; APPLY writes those that are
    allowed when the program exits with 0, and so does apply() later.
    Durations are seconds or texts like "30s", sizes are bytes or texts like "512M". CHECK: an exit status
    other than 0 is an error too. TELEMETRY: Python tells what it does, see Telemetry. The callbacks are told of
    what happens as it happens; an exception of theirs ends the run at once."""
    operands, payload = _source(code)
    if mode not in ("ro", "overlay", "rw"):
        raise BadRequest(f"mode: there is no \"{mode}\" (ro, overlay or rw)")
    o = _Options().say(lang=lang or ("python" if payload is not None else None), tier=tier, telemetry=telemetry)
    o.each("exec", exec).each("net", net).each("secret", secrets).each("env", _variables(env or {}))
    if workspace is not None:
        o.say(workspace=f"{os.fspath(workspace)}:{mode}")
    o.say(diff=diff, apply=apply, venv=venv, conversation=_id(conversation), user=user, exposed=exposed,
          plan=plan if plan is None or isinstance(plan, str) else plan.ticket, policy=policy, wait=wait, state=state)
    o.each("rules", rules)
    o.say(time=None if time is None else _seconds(time),
          cpu_time=None if cpu_time is None else _seconds(cpu_time), cpu=cpu, memory=memory, pids=pids,
          files=files, file_size=file_size, disk=disk, output=output,
          connections=connections, net_out=net_out, net_in=net_in)
    return Call(("run",), o.all, operands, tuple(_text("args", a) for a in args), payload,
                None if input is None else as_bytes("input", input), check, on_event, on_output)


def scan_call(what: Code, *, kind: Optional[str] = None, type: Optional[str] = None,
              lane: Optional[str] = None, mode: Optional[str] = None, effects: bool = False,
              rules: Iterable[Path] = ()) -> Call:
    """Looks for attacks on agents in a text, or in the file or directory at a path."""
    operands, payload = _source(what)
    o = _Options().say(kind=kind, type=type, lane=lane, mode=mode, effects=effects).each("rules", rules)
    return Call(("scan",), o.all, operands, payload=payload)


def new_conversation_call(*, title: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Begins a conversation, which is clean. Do it when the user begins one; TITLE is what people call it."""
    return Call(("conversation", "new"), _Options().say(title=title, state=state).all)


def conversation_call(conversation: In, *, state: Optional[Path] = None) -> Call:
    """Shows its state, what exposed it, and the documents that were read in it."""
    return Call(("conversation", "show"), _Options().say(state=state).all, (_text("id", _id(conversation)),))


def conversations_call(*, state: Optional[Path] = None) -> Call:
    """All conversations, without their documents."""
    return Call(("conversation", "list"), _Options().say(state=state).all)


def end_conversation_call(conversation: In, *, state: Optional[Path] = None) -> Call:
    """Nothing runs in it any more."""
    return Call(("conversation", "end"), _Options().say(state=state).all, (_text("id", _id(conversation)),))


def ingest_call(data: Code, *, conversation: In, kind: str, name: str, rules: Iterable[Path] = (),
                policy: Optional[Path] = None, state: Optional[Path] = None) -> Call:
    """Records what an agent is about to read. Give it to the agent when this has returned."""
    operands, payload = _source(data)
    o = _Options().say(conversation=_id(conversation), kind=kind, name=name, policy=policy, state=state)
    return Call(("ingest",), o.each("rules", rules).all, operands, payload=payload)


def plan_call(code: Code, *, conversation: In, lang: Optional[str] = None, args: Iterable[str] = (),
              env: Optional[Mapping[str, str]] = None, exec: Iterable[Path] = (), workspace: Optional[Path] = None,
              mode: str = "overlay", venv: Optional[Path] = None, net: Iterable[str] = (),
              secrets: Iterable[str] = (), runs: Optional[int] = None, for_: Optional[Duration] = None,
              policy: Optional[Path] = None, rules: Iterable[Path] = (), state: Optional[Path] = None) -> Call:
    """Fixes a program and its effects while the conversation is clean. run() takes the ticket as PLAN, with the
    same CODE, ARGS, ENV, EXEC, VENV and WORKSPACE. FOR_ is how long it holds."""
    operands, payload = _source(code)
    o = _Options().say(conversation=_id(conversation), lang=lang or ("python" if payload is not None else None),
                       venv=venv, runs=runs, for_=None if for_ is None else _seconds(for_), policy=policy, state=state)
    if workspace is not None:
        o.say(workspace=f"{os.fspath(workspace)}:{mode}")
    o.each("exec", exec).each("net", net).each("secret", secrets).each("rules", rules).each("env", _variables(env or {}))
    return Call(("plan",), o.all, operands, tuple(_text("args", a) for a in args), payload)


def grants_call(*, state: Optional[Path] = None) -> Call:
    """The tickets that hold: plans and grants. A person gives one with `cordon grant`, and no program can."""
    return Call(("grant", "list"), _Options().say(state=state).all)


def _changes(verb: str, directory: Path, conversation: In, state: Optional[Path], policy: Optional[Path] = None) -> Call:
    o = _Options().say(conversation=_id(conversation), policy=policy, state=state)
    return Call((verb,), o.all, (_text("directory", os.fspath(directory)),))


def diff_call(directory: Path, *, conversation: In, state: Optional[Path] = None) -> Call:
    """The conversation's pending changes of a directory."""
    return _changes("diff", directory, conversation, state)


def apply_call(directory: Path, *, conversation: In, policy: Optional[Path] = None,
               state: Optional[Path] = None) -> Call:
    """Writes the pending changes that the policy or a ticket allows. The others stay pending: EFFECTS say why."""
    return _changes("apply", directory, conversation, state, policy)


def reset_call(directory: Path, *, conversation: In, state: Optional[Path] = None) -> Call:
    """Drops the pending changes of a directory."""
    return _changes("reset", directory, conversation, state)


def approvals_call(*, all: bool = False, state: Optional[Path] = None) -> Call:
    """The requests that wait for a person; ALL: also those that are over."""
    return Call(("approvals", "list"), _Options().say(all=all, state=state).all)


def approval_call(id: str, *, state: Optional[Path] = None) -> Call:
    """One request, with its code."""
    return Call(("approvals", "show"), _Options().say(state=state).all, (_text("id", id),))


def approve_call(id: str, *, key: Path, scope: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Approves, with a key that has no passphrase. For a person's own program, never for the agent's."""
    return Call(("approvals", "approve"), _Options().say(key=key, scope=scope, state=state).all, (_text("id", id),))


def deny_call(id: str, *, reason: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Denies; the REASON goes to the caller of the run."""
    return Call(("approvals", "deny"), _Options().say(reason=reason, state=state).all, (_text("id", id),))


def audit_tail_call(n: int = 10, *, state: Optional[Path] = None) -> Call:
    """The last N records of the log."""
    return Call(("audit", "tail"), _Options().say(n=n, state=state).all)


def audit_verify_call(*, checkpoint: Optional[Path] = None, key: Optional[str] = None,
                      state: Optional[Path] = None) -> Call:
    """Checks that the log was not changed."""
    return Call(("audit", "verify"), _Options().say(checkpoint=checkpoint, key=key, state=state).all)


def audit_trace_call(ref: str, *, state: Optional[Path] = None) -> Call:
    """Which documents led to a run: REF is an audit_id."""
    return Call(("audit", "trace"), _Options().say(state=state).all, (_text("ref", ref),))


def doctor_call() -> Call:
    """Proves every layer of the box on this machine."""
    return Call(("doctor",))
