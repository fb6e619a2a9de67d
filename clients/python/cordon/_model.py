# SPDX-License-Identifier: MIT
"""Cordon's answers as plain values. The names are those of docs/JSON.md. Fields that only a newer cordon has are
in RAW; fields that an older one does not have get a default that promises nothing."""
from __future__ import annotations

import base64
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, ClassVar, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union

T = TypeVar("T")


class Value:
    """What all of them share, and cannot be changed. Written once, because dataclasses write it anew for each
    class, which would take most of the time that it takes to import this package."""

    def __init__(self, **known: Any) -> None:
        for f in fields(self):
            if f.name in known:
                object.__setattr__(self, f.name, known.pop(f.name))
            elif f.default_factory is not MISSING:
                object.__setattr__(self, f.name, f.default_factory())
        if known:
            raise TypeError(f"{type(self).__name__} has no {sorted(known)}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to {name}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete {name}")

    def _shown(self) -> Dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.repr}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._shown().items())})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other) or not isinstance(other, Value):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name)
                   for f in fields(self) if f.compare)

    def __hash__(self) -> int:
        return hash(repr(self))


def _part(kind: type) -> Any:
    """A list of such objects."""
    return field(default=(), metadata={"of": kind})


def take(cls: Type[T], data: Mapping[str, Any]) -> T:
    """An object of CLS out of a JSON object: by the names of its fields."""
    known = {}
    for f in fields(cls):
        value = data.get(f.name)
        if f.name == "raw":
            value = data
        elif isinstance(value, list):
            of = f.metadata.get("of")
            value = tuple(take(of, v) for v in value) if of else tuple(value)
        elif isinstance(value, Mapping) and "of" in f.metadata:
            value = take(f.metadata["of"], value)
        if value is not None:
            known[f.name] = value
    return cls(**known)


def data_of(data: Mapping[str, Any], name: str = "data", encoding: str = "encoding") -> bytes:
    """The bytes that stand in a string of JSON."""
    text = str(data.get(name, ""))
    if data.get(encoding) == "base64":
        return base64.b64decode(text)
    return text.encode("utf-8", "surrogatepass")


@dataclass(init=False, eq=False, repr=False)
class Failure(Value):
    """Why Cordon could not do it."""
    kind: str = "system"
    layer: str = ""
    message: str = ""
    cause: str = ""
    cure: str = ""


@dataclass(init=False, eq=False, repr=False)
class Usage(Value):
    """What it used."""
    wall_ms: int = 0
    cpu_ms: int = 0
    memory_peak: int = 0
    pids_peak: int = 0


@dataclass(init=False, eq=False, repr=False)
class Gap(Value):
    """OMITTED bytes are missing AT that offset."""
    total: int = 0
    omitted: int = 0
    at: int = 0


@dataclass(init=False, eq=False, repr=False)
class Denial(Value):
    """A call that the kernel refused."""
    call: str = ""
    target: str = ""
    target_encoding: str = "utf-8"
    rule: str = ""
    count: int = 1


@dataclass(init=False, eq=False, repr=False)
class Change(Value):
    """A change that the run made in the workspace."""
    path: str = ""
    path_encoding: str = "utf-8"
    change: str = ""
    type: str = ""
    mode: str = ""
    size: int = 0


@dataclass(init=False, eq=False, repr=False)
class Effect(Value):
    """Something that leaves the box. OUTCOME: "policy" or "ticket" gave it; "waits" for a person, whose request
    is WAITS; "withheld", and COMMAND would allow it, or REASON says why nothing would."""
    effect: str = ""
    object: str = ""
    outcome: str = "withheld"
    done: bool = False
    by: Optional[str] = None
    waits: Optional[str] = None
    command: Optional[str] = None
    reason: Optional[str] = None


@dataclass(init=False, eq=False, repr=False)
class Evidence(Value):
    """A part of the code that stands in a source."""
    source: str = ""
    name: str = ""
    kind: str = ""
    tie: str = ""
    how: str = ""
    span: Tuple[int, int] = (0, 0)
    source_from: int = 0
    source_to: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __init__(self, **known: Any) -> None:
        raw = known.get("raw", {})
        if "from" in raw:
            known.setdefault("span", (raw["from"], raw.get("to", raw["from"])))
        super().__init__(**known)


@dataclass(init=False, eq=False, repr=False)
class Connection(Value):
    """net=[...]: one attempt to reach a host. PORT 0: it only asked for the name."""
    name: str = ""
    address: str = ""
    port: int = 0
    verdict: str = ""
    rule: str = ""
    bytes_out: int = 0
    bytes_in: int = 0
    wall_ms: int = 0


@dataclass(init=False, eq=False, repr=False)
class TelemetrySum(Value):
    """EXPLAINED: refusals in the program's own words, with its lines."""
    told: int = 0
    dropped: int = 0
    explained: Tuple[str, ...] = ()


@dataclass(init=False, eq=False, repr=False)
class RuleHit(Value):
    """What a rule found."""
    id: str = ""
    title: str = ""
    severity: str = ""
    lane: str = ""
    grade: str = ""
    view: str = ""
    line: Optional[int] = None
    undecided: bool = False


@dataclass(init=False, eq=False, repr=False)
class RecordId(Value):
    """A record of the log, by its number and its hash."""
    seq: int = 0
    hash: str = ""


@dataclass(init=False, eq=False, repr=False)
class Result(Value):
    """What became of a run."""
    status: str = "error"
    ran: Optional[bool] = False
    exit_code: Optional[int] = None
    signal: Optional[int] = None
    limit: Optional[str] = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: Mapping[str, Gap] = field(default_factory=dict)
    usage: Usage = field(default=Usage(), metadata={"of": Usage})
    counted_by: str = ""
    tier: str = ""
    layers: Tuple[str, ...] = ()
    denials: Tuple[Denial, ...] = _part(Denial)
    denials_cut: bool = False
    egress: Tuple[Connection, ...] = _part(Connection)
    egress_cut: bool = False
    telemetry: TelemetrySum = field(default=TelemetrySum(), metadata={"of": TelemetrySum})
    changes: Tuple[Change, ...] = _part(Change)
    changes_cut: bool = False
    effects_cut: bool = False
    conversation: Optional[str] = None
    state: Optional[str] = None
    cause: Optional[str] = None
    effects: Tuple[Effect, ...] = _part(Effect)
    code_sha256: Optional[str] = None
    verdict: Optional[str] = None
    origin: Optional[str] = None
    reasons: Tuple[str, ...] = ()
    evidence: Tuple[Evidence, ...] = _part(Evidence)
    evidence_cut: bool = False
    rules: Tuple[RuleHit, ...] = _part(RuleHit)
    rules_cut: bool = False
    approval_id: Optional[str] = None
    approved_by: Tuple[str, ...] = ()
    audit_id: Optional[str] = None
    policy_sha256: Optional[str] = None
    pack: Optional[str] = None
    result_sha256: Optional[str] = None
    verdict_record: Optional[RecordId] = field(default=None, metadata={"of": RecordId})
    result_record: Optional[RecordId] = field(default=None, metadata={"of": RecordId})
    recorded: bool = False
    error: Optional[Failure] = field(default=None, metadata={"of": Failure})
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def ok(self) -> bool:
        """It ended by itself, with status 0."""
        return self.status == "exited" and self.exit_code == 0

    @property
    def text(self) -> str:
        """Standard output; what is no UTF-8 is shown as such."""
        return self.stdout.decode("utf-8", "backslashreplace")

    @property
    def errors(self) -> str:
        """The same of standard error."""
        return self.stderr.decode("utf-8", "backslashreplace")


@dataclass(init=False, eq=False, repr=False)
class Started(Value):
    """It may run, and that is on record."""
    kind: ClassVar[str] = "started"
    ms: int = 0
    audit_id: str = ""
    verdict: str = ""
    origin: str = ""
    reasons: Tuple[str, ...] = ()
    state: str = ""
    effects: Tuple[Effect, ...] = _part(Effect)


@dataclass(init=False, eq=False, repr=False)
class Waiting(Value):
    """wait=True: people are asked, and waited for."""
    kind: ClassVar[str] = "pending"
    ms: int = 0
    approval_id: str = ""
    verdict: str = ""
    origin: str = ""
    reasons: Tuple[str, ...] = ()


@dataclass(init=False, eq=False, repr=False)
class Output(Value):
    """STREAM is "stdout" or "stderr". OMITTED bytes are missing before DATA."""
    stream: str = "stdout"
    data: bytes = b""
    omitted: int = 0
    ms: int = 0
    kind: ClassVar[str] = "output"

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "backslashreplace")


@dataclass(init=False, eq=False, repr=False)
class Refusal(Denial):
    """A call was refused for the first time."""
    kind: ClassVar[str] = "denial"
    ms: int = 0


@dataclass(init=False, eq=False, repr=False)
class Telemetry(Value):
    """telemetry=True: what the program's interpreter says of itself. It may say anything."""
    kind: ClassVar[str] = "telemetry"
    ms: int = 0
    audit: str = ""
    args: str = ""
    line: Optional[int] = None
    by: str = "program"


@dataclass(init=False, eq=False, repr=False)
class Touched(Value):
    """A limit was reached; ENDED: that was the end of the program."""
    kind: ClassVar[str] = "limit"
    ms: int = 0
    limit: str = ""
    value: Optional[int] = None
    ended: bool = False


@dataclass(init=False, eq=False, repr=False)
class Finished(Value):
    """The last one."""
    result: Result = Result()
    ms: int = 0
    kind: ClassVar[str] = "result"


@dataclass(init=False, eq=False, repr=False)
class Unknown(Value):
    """A newer cordon tells of something that this client does not know."""
    event: str = ""
    ms: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict)
    kind: ClassVar[str] = "unknown"


Event = Union[Started, Waiting, Output, Refusal, Telemetry, Touched, Finished, Unknown]
