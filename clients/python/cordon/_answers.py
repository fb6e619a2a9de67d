# SPDX-License-Identifier: MIT
"""The answers of the other commands as plain values: scan, conversation, ingest, plan, grant, diff, apply, approvals
and audit. The JSON reference has the fields; RAW is the whole JSON object."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from ._model import Effect, Value, _part


@dataclass(init=False, eq=False, repr=False)
class Finding(Value):
    """A match of a rule, with its place."""
    rule: str = ""
    title: str = ""
    severity: str = ""
    category: str = ""
    lane: str = ""
    file: str = ""
    line: Optional[int] = None
    column: Optional[int] = None
    confidence: float = 0.0
    undecided: bool = False
    view: str = ""
    excerpt: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class ScanEffect(Value):
    """An effect that a program would have, as far as its text shows."""
    kind: str = ""
    value: str = ""
    line: Optional[int] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Scan(Value):
    """The result of a scan."""
    status: str = "error"
    verdict: str = "deny"
    reason: str = ""
    findings: Tuple[Finding, ...] = _part(Finding)
    findings_cut: bool = False
    effects: Tuple[ScanEffect, ...] = _part(ScanEffect)
    errors: Tuple[Mapping[str, Any], ...] = ()
    notes: Tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def clean(self) -> bool:
        """True if everything was scanned and no rule matched."""
        return self.status == "clean"


@dataclass(init=False, eq=False, repr=False)
class Conversation(Value):
    """A conversation of an agent: clean until something untrusted enters it, then exposed for good. CONVERSATION
    is its id. EXPOSED is the time of the exposure, CAUSE its cause."""
    conversation: str = ""
    title: str = ""
    account: str = ""
    state: str = "exposed"
    cause: Optional[str] = None
    begun: int = 0
    exposed: Optional[int] = None
    ended: Optional[int] = None
    end: Optional[str] = None
    sources: int = 0
    documents: Tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def clean(self) -> bool:
        """True if nothing untrusted has entered the conversation."""
        return self.state == "clean"


@dataclass(init=False, eq=False, repr=False)
class Source(Value):
    """A recorded document. STATE is the state of the conversation after it."""
    source: str = ""
    conversation: str = ""
    state: str = "exposed"
    kind: str = ""
    name: str = ""
    sha256: str = ""
    bytes: int = 0
    time: int = 0
    trust: str = "hostile"
    grade: str = ""
    unread: bool = False
    findings: Tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Ticket(Value):
    """A plan or a grant: it lists effects that exposed code may have. TICKET is its id, for run(plan=...)."""
    ticket: str = ""
    giver: str = ""
    by: str = ""
    conversation: Optional[str] = None
    directory: Optional[str] = None
    program: Optional[str] = None
    write: Tuple[str, ...] = ()
    net: Tuple[str, ...] = ()
    secret: Tuple[str, ...] = ()
    sent_max: int = 0
    to: int = 0
    runs: Optional[int] = None
    used: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class FileState(Value):
    """One side of a pending change."""
    type: str = ""
    mode: str = ""
    size: int = 0
    sha256: str = ""


@dataclass(init=False, eq=False, repr=False)
class PendingChange(Value):
    """A change in the overlay. MOVED: the path in the directory has changed since the program saw it. RULE is
    "free", "named" (only a ticket that names the path allows it) or "never"; NOTE says why."""
    path: str = ""
    path_encoding: str = "utf-8"
    change: str = ""
    before: Optional[FileState] = field(default=None, metadata={"of": FileState})
    after: Optional[FileState] = field(default=None, metadata={"of": FileState})
    moved: bool = False
    rule: str = "never"
    note: Optional[str] = None


@dataclass(init=False, eq=False, repr=False)
class Diff(Value):
    """The pending changes of a directory in a conversation. DIFF is the hash of them all."""
    conversation: str = ""
    directory: str = ""
    diff: str = ""
    changes: Tuple[PendingChange, ...] = _part(PendingChange)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Applied(Value):
    """The outcome of each pending change. WRITTEN is the number of changes that were written."""
    conversation: str = ""
    directory: str = ""
    written: int = 0
    effects: Tuple[Effect, ...] = _part(Effect)
    reasons: Tuple[str, ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Answer(Value):
    """A signed answer. ANSWER is the text for add_answer()."""
    approval_id: str = ""
    answer: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Signed(Value):
    """One answer to a request, by the person NAME. KIND is "signature" or "confirmation"."""
    name: str = ""
    kind: str = ""
    scope: str = ""
    time: int = 0
    expires: int = 0


@dataclass(init=False, eq=False, repr=False)
class Approval(Value):
    """A request for approval."""
    approval_id: str = ""
    status: str = ""
    title: str = ""
    purpose: str = ""
    signed: Tuple[Signed, ...] = _part(Signed)
    headline: str = ""
    summary: Tuple[str, ...] = ()
    changes: Tuple[Mapping[str, Any], ...] = ()
    kept: Tuple[Mapping[str, Any], ...] = ()
    verdict: str = ""
    reasons: Tuple[str, ...] = ()
    origin: str = ""
    lang: str = ""
    name: str = ""
    code: Optional[str] = None
    could: Tuple[str, ...] = ()
    approvers: int = 0
    created: int = 0
    expires: int = 0
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Record(Value):
    """A record of the log."""
    seq: int = 0
    time: int = 0
    kind: str = ""
    refs: Tuple[str, ...] = ()
    body: Mapping[str, Any] = field(default_factory=dict)
    hash: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Verification(Value):
    """The result of a check of the log. GOOD: it was not changed."""
    good: bool = False
    problem: str = ""
    words: str = ""
    records: int = 0
    first_bad: Optional[int] = None
    last_bad: Optional[int] = None
    root: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Trace(Value):
    """The records about REF, and the documents that led to it."""
    ref: str = ""
    documents: Tuple[Mapping[str, Any], ...] = ()
    records: Tuple[Record, ...] = _part(Record)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
