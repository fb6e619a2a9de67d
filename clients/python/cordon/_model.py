# SPDX-License-Identifier: MIT
"""The answer of `cordon run` and its events as plain values. The JSON reference has the names and their meaning.
A field that only a newer cordon prints is in RAW. A field that an older cordon does not print has a default that
promises nothing."""
from __future__ import annotations

import base64
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import Any, ClassVar, Dict, Mapping, Optional, Tuple, Type, TypeVar, Union

T = TypeVar("T")


class Value:
    """The base class of all values, which are immutable. dataclasses would generate these methods for each class,
    and that would take most of the time of an import."""

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
    """A field with a list of KIND."""
    return field(default=(), metadata={"of": kind})


def take(cls: Type[T], data: Mapping[str, Any]) -> T:
    """The JSON object DATA as an object of CLS, by the names of the fields."""
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
    """The bytes of the JSON string NAME, which is UTF-8 text or base64."""
    text = str(data.get(name, ""))
    if data.get(encoding) == "base64":
        return base64.b64decode(text)
    return text.encode("utf-8", "surrogatepass")


@dataclass(init=False, eq=False, repr=False)
class Failure(Value):
    """Why a request failed."""
    kind: str = "system"
    layer: str = ""
    message: str = ""
    cause: str = ""
    cure: str = ""


@dataclass(init=False, eq=False, repr=False)
class Usage(Value):
    """The resources that the run used."""
    wall_ms: int = 0
    cpu_ms: int = 0
    memory_peak: int = 0
    pids_peak: int = 0


@dataclass(init=False, eq=False, repr=False)
class Gap(Value):
    """OMITTED bytes are missing at the offset AT."""
    total: int = 0
    omitted: int = 0
    at: int = 0


@dataclass(init=False, eq=False, repr=False)
class Denial(Value):
    """A system call that was refused. OPTION of `cordon run` would allow it."""
    call: str = ""
    target: str = ""
    target_encoding: str = "utf-8"
    rule: str = ""
    count: int = 1
    option: Optional[str] = None


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
    """A write, a host or a secret. OUTCOME is "policy" or "ticket" if one of these allowed it; "waits" if a person is
    asked in the request WAITS; "withheld" if it did not happen: then COMMAND would allow it, or REASON says why no
    command would."""
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
    """A part of the code that also stands in a document."""
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
    """One attempt to reach a host, with net=[...]. PORT is 0 if the program only looked up the name."""
    name: str = ""
    address: str = ""
    port: int = 0
    verdict: str = ""
    rule: str = ""
    option: Optional[str] = None
    bytes_out: int = 0
    bytes_in: int = 0
    wall_ms: int = 0


@dataclass(init=False, eq=False, repr=False)
class TelemetrySum(Value):
    """How many events the program reported. EXPLAINED has refusals with the lines of the program."""
    told: int = 0
    dropped: int = 0
    explained: Tuple[str, ...] = ()


@dataclass(init=False, eq=False, repr=False)
class RuleHit(Value):
    """A rule that matched the code."""
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
    """The number and the hash of a record of the log."""
    seq: int = 0
    hash: str = ""


@dataclass(init=False, eq=False, repr=False)
class Result(Value):
    """The result of a run."""
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
    exec: Optional[str] = None
    layers: Tuple[str, ...] = ()
    denials: Tuple[Denial, ...] = _part(Denial)
    denials_cut: bool = False
    hints: Tuple[str, ...] = ()
    egress: Tuple[Connection, ...] = _part(Connection)
    egress_cut: bool = False
    telemetry: TelemetrySum = field(default=TelemetrySum(), metadata={"of": TelemetrySum})
    changes: Tuple[Change, ...] = _part(Change)
    changes_cut: bool = False
    home: Optional[str] = None
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
        """True if the program exited with status 0."""
        return self.status == "exited" and self.exit_code == 0

    @property
    def text(self) -> str:
        """Standard output as text. Bytes that are not UTF-8 become \\xNN."""
        return self.stdout.decode("utf-8", "backslashreplace")

    @property
    def errors(self) -> str:
        """Standard error as text."""
        return self.stderr.decode("utf-8", "backslashreplace")


@dataclass(init=False, eq=False, repr=False)
class Started(Value):
    """The run is allowed, and the decision is recorded."""
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
    """With wait=True: a person is asked, and the run waits for the answer."""
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
    """A system call is refused for the first time."""
    kind: ClassVar[str] = "denial"
    ms: int = 0


@dataclass(init=False, eq=False, repr=False)
class Telemetry(Value):
    """With telemetry=True: an event that the interpreter in the box reports. The program can forge it."""
    kind: ClassVar[str] = "telemetry"
    ms: int = 0
    audit: str = ""
    args: str = ""
    line: Optional[int] = None
    by: str = "program"


@dataclass(init=False, eq=False, repr=False)
class Touched(Value):
    """A limit was reached. ENDED: the limit ended the program."""
    kind: ClassVar[str] = "limit"
    ms: int = 0
    limit: str = ""
    value: Optional[int] = None
    ended: bool = False


@dataclass(init=False, eq=False, repr=False)
class Finished(Value):
    """The last event of a run."""
    result: Result = Result()
    ms: int = 0
    kind: ClassVar[str] = "result"


@dataclass(init=False, eq=False, repr=False)
class Unknown(Value):
    """An event of a newer cordon that this client does not know."""
    event: str = ""
    ms: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict)
    kind: ClassVar[str] = "unknown"


Event = Union[Started, Waiting, Output, Refusal, Telemetry, Touched, Finished, Unknown]
