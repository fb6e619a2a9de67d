# SPDX-License-Identifier: MIT
"""What the other commands say: scan, conversation, ingest, plan, grant, diff, apply, approvals, audit. Fields as
in docs/JSON.md and docs/SCAN.md; RAW has all of it."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from ._model import Effect, Value, _part


@dataclass(init=False, eq=False, repr=False)
class Finding(Value):
    """A rule that matched, and where."""
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
    """What a program would do, as far as its text tells."""
    kind: str = ""
    value: str = ""
    line: Optional[int] = None
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Scan(Value):
    """What a scan found."""
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
        """All of it was scanned, and no rule matched."""
        return self.status == "clean"


@dataclass(init=False, eq=False, repr=False)
class Conversation(Value):
    """A conversation of an agent: clean until something untrusted enters it, then exposed for good. CONVERSATION
    is its id; EXPOSED is when, and CAUSE by what."""
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
        """Nothing untrusted has entered it."""
        return self.state == "clean"


@dataclass(init=False, eq=False, repr=False)
class Source(Value):
    """Something that an agent reads, as it was recorded. STATE is the conversation's now."""
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
    """A plan or a grant: the effects that exposed code gets. TICKET is its id, which run(plan=...) takes."""
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
    """A change that waits in the overlay. MOVED: the directory has changed since the program saw it. RULE:
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
    """A conversation's pending changes of a directory. DIFF is the hash of them all."""
    conversation: str = ""
    directory: str = ""
    diff: str = ""
    changes: Tuple[PendingChange, ...] = _part(PendingChange)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Applied(Value):
    """What became of each pending change; WRITTEN is how many are in the directory now."""
    conversation: str = ""
    directory: str = ""
    written: int = 0
    effects: Tuple[Effect, ...] = _part(Effect)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Approval(Value):
    """A question to people."""
    approval_id: str = ""
    status: str = ""
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
    """A line of the log."""
    seq: int = 0
    time: int = 0
    kind: str = ""
    refs: Tuple[str, ...] = ()
    body: Mapping[str, Any] = field(default_factory=dict)
    hash: str = ""
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Verification(Value):
    """Is the log what it was?"""
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
    """The story of a thing in the log, and what was read on the way there."""
    ref: str = ""
    documents: Tuple[Mapping[str, Any], ...] = ()
    records: Tuple[Record, ...] = _part(Record)
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
