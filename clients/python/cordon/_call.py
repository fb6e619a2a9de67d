# SPDX-License-Identifier: MIT
"""What is asked of Cordon, as a plain value: a command, its options, and the bytes that go along. Each
function makes one call; its parameters are the options of docs and `cordon COMMAND --help`, and they are
the signature of the clients' methods too. Nothing here talks to anybody."""
from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Callable, Iterable, List, Mapping, Optional, Tuple, Union

from ._errors import BadRequest
from ._model import Event, Output

if TYPE_CHECKING:
    from ._more import Domain, Plan

Code = Union[str, bytes, "os.PathLike[str]"]
Path = Union[str, "os.PathLike[str]"]
Duration = Union[int, float, str]
Size = Union[int, str]
Option = Tuple[str, Optional[str]]


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
        """With those of OPTIONS too that it does not say itself."""
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
    """Gathers options, in the order in which they are said; what is None is not said."""

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
    """The operand, and what it means if that is no file."""
    if isinstance(code, (str, bytes)):
        return (name,), as_bytes("code", code)
    return (_text("file", os.fspath(code)),), None


def _handle(domain: Union[None, str, Domain]) -> Optional[str]:
    return domain if domain is None or isinstance(domain, str) else domain.handle


def run_call(
    code: Code, *, lang: Optional[str] = None, input: Union[None, str, bytes] = None,
    args: Iterable[str] = (), env: Optional[Mapping[str, str]] = None, exec: Iterable[Path] = (),
    workspace: Optional[Path] = None, mode: str = "overlay", diff: bool = False, commit: bool = False,
    venv: Optional[Path] = None, net: Iterable[str] = (), tier: Optional[str] = None,
    domain: Union[None, str, Domain] = None, conversation: Optional[str] = None, origin: Optional[str] = None,
    plan: Union[None, str, Plan] = None, ask: Iterable[str] = (), policy: Optional[Path] = None,
    wait: bool = False, rules: Iterable[Path] = (), state: Optional[Path] = None,
    time: Optional[Duration] = None, cpu_time: Optional[Duration] = None, cpu: Optional[int] = None,
    memory: Optional[Size] = None, pids: Optional[int] = None, files: Optional[int] = None,
    file_size: Optional[Size] = None, disk: Optional[Size] = None, output: Optional[Size] = None,
    connections: Optional[int] = None, net_out: Optional[Size] = None, net_in: Optional[Size] = None,
    telemetry: bool = False, check: bool = False, on_output: Optional[Callable[[Output], None]] = None,
    on_event: Optional[Callable[[Event], None]] = None,
) -> Call:
    """Runs code in the box. CODE is a text (Python, if LANG says nothing else), or a path of a file.
    Durations are seconds or texts like "30s", sizes are bytes or texts like "512M". CHECK: an exit status
    other than 0 is an error too. TELEMETRY: Python tells what it does, see Telemetry. The callbacks are told of
    what happens as it happens; an exception of theirs ends the run at once."""
    operands, payload = _source(code)
    if mode not in ("ro", "overlay", "rw"):
        raise BadRequest(f"mode: there is no \"{mode}\" (ro, overlay or rw)")
    o = _Options().say(lang=lang or ("python" if payload is not None else None), tier=tier, telemetry=telemetry)
    o.each("exec", exec).each("net", net).each("env", _variables(env or {}))
    if workspace is not None:
        o.say(workspace=f"{os.fspath(workspace)}:{mode}")
    o.say(diff=diff, commit=commit, venv=venv, domain=_handle(domain), conversation=conversation, origin=origin,
          plan=plan if plan is None or isinstance(plan, str) else plan.token, ask=",".join(ask) or None,
          policy=policy, wait=wait, state=state)
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


def new_domain_call(*, conversation: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Begins a conversation. CONVERSATION, here and elsewhere, is your own name for it: all that have one name
    become one."""
    return Call(("domain", "new"), _Options().say(conversation=conversation, state=state).all)


def domain_call(domain: Union[None, str, Domain] = None, *, state: Optional[Path] = None) -> Call:
    """What was read in a conversation; without a handle, in the one that all without a handle share."""
    handle = _handle(domain)
    return Call(("domain", "show"), _Options().say(state=state).all, (handle,) if handle else ())


def renew_domain_call(domain: Union[str, Domain], *, state: Optional[Path] = None) -> Call:
    """Begins a conversation anew: nothing has been read in it."""
    return Call(("domain", "renew"), _Options().say(state=state).all, (_handle(domain) or "",))


def ingest_call(data: Code, *, kind: str, name: str, domain: Union[None, str, Domain] = None,
                conversation: Optional[str] = None, label: Iterable[str] = (), rules: Iterable[Path] = (),
                state: Optional[Path] = None) -> Call:
    """Records what an agent is about to read. Give it to the agent when this has returned."""
    operands, payload = _source(data)
    o = _Options().say(domain=_handle(domain), conversation=conversation, kind=kind, name=name,
                       label=",".join(label) or None, state=state)
    return Call(("ingest",), o.each("rules", rules).all, operands, payload=payload)


def plan_call(code: Code, *, domain: Union[str, Domain], conversation: Optional[str] = None,
              lang: Optional[str] = None, ask: Iterable[str] = (),
              inputs: Iterable[str] = (), runs: Optional[int] = None, ttl: Optional[Duration] = None,
              args: Iterable[str] = (), env: Optional[Mapping[str, str]] = None, exec: Iterable[Path] = (),
              venv: Optional[Path] = None, net: Iterable[str] = (),
              policy: Optional[Path] = None, state: Optional[Path] = None) -> Call:
    """Fixes code before anything untrusted is read: run() takes what it gives back as PLAN, with the same
    ARGS, ENV, EXEC, VENV and NET."""
    operands, payload = _source(code)
    o = _Options().say(domain=_handle(domain), conversation=conversation,
                       lang=lang or ("python" if payload is not None else None),
                       ask=",".join(ask) or None, inputs=",".join(inputs) or None, runs=runs,
                       ttl=None if ttl is None else _seconds(ttl), venv=venv, policy=policy, state=state)
    o.each("exec", exec).each("net", net).each("env", _variables(env or {}))
    return Call(("plan",), o.all, operands, tuple(_text("args", a) for a in args), payload)


def approvals_call(*, all: bool = False, state: Optional[Path] = None) -> Call:
    """What waits for a person; ALL: also what is over."""
    return Call(("approvals", "list"), _Options().say(all=all, state=state).all)


def approval_call(id: str, *, state: Optional[Path] = None) -> Call:
    """One question, with the code."""
    return Call(("approvals", "show"), _Options().say(state=state).all, (_text("id", id),))


def approve_call(id: str, *, key: Path, scope: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Says yes, with a key that has no passphrase: a person's own program, never the agent's."""
    return Call(("approvals", "approve"), _Options().say(key=key, scope=scope, state=state).all, (_text("id", id),))


def deny_call(id: str, *, reason: Optional[str] = None, state: Optional[Path] = None) -> Call:
    """Says no; whoever asked is told the reason."""
    return Call(("approvals", "deny"), _Options().say(reason=reason, state=state).all, (_text("id", id),))


def audit_tail_call(n: int = 10, *, state: Optional[Path] = None) -> Call:
    """The last N records of the log."""
    return Call(("audit", "tail"), _Options().say(n=n, state=state).all)


def audit_verify_call(*, checkpoint: Optional[Path] = None, key: Optional[str] = None,
                      state: Optional[Path] = None) -> Call:
    """Is the log what it was?"""
    return Call(("audit", "verify"), _Options().say(checkpoint=checkpoint, key=key, state=state).all)


def audit_trace_call(ref: str, *, state: Optional[Path] = None) -> Call:
    """Which documents led to a run: REF is an audit_id."""
    return Call(("audit", "trace"), _Options().say(state=state).all, (_text("ref", ref),))


def doctor_call() -> Call:
    """Proves every layer of the box on this machine."""
    return Call(("doctor",))
