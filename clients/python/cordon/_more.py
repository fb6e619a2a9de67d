# SPDX-License-Identifier: MIT
"""What the other commands say: scan, domain, ingest, plan, approvals, audit. Fields as in docs/JSON.md,
docs/SCAN.md and docs/GATE.md; RAW has all of it."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from ._model import Value, _part


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
class Effect(Value):
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
    effects: Tuple[Effect, ...] = _part(Effect)
    errors: Tuple[Mapping[str, Any], ...] = ()
    notes: Tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def clean(self) -> bool:
        """All of it was scanned, and no rule matched."""
        return self.status == "clean"


@dataclass(init=False, eq=False, repr=False)
class Domain(Value):
    """A conversation of an agent. The handle is what clients carry, and secret."""
    handle: str = field(default="", repr=False)
    domain: str = ""
    principal: str = ""
    conversations: int = 1
    epoch: int = 0
    integrity: str = "hostile"
    secrecy: str = "secret"
    exposed: bool = True
    exposed_since: Optional[int] = None
    sources: int = 0
    kinds: Tuple[str, ...] = ()
    documents: Tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Source(Value):
    """Something that an agent reads, as it was recorded."""
    source: str = ""
    domain: str = ""
    kind: str = ""
    name: str = ""
    sha256: str = ""
    bytes: int = 0
    time: int = 0
    integrity: str = "hostile"
    secrecy: str = "secret"
    grade: str = ""
    unread: bool = False
    findings: Tuple[Mapping[str, Any], ...] = ()
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(init=False, eq=False, repr=False)
class Plan(Value):
    """Code that was fixed before anything untrusted was read. The token is for run(plan=...)."""
    token: str = field(default="", repr=False)
    plan: str = ""
    domain: str = ""
    code_sha256: str = ""
    lang: str = ""
    caps: Tuple[str, ...] = ()
    runs: int = 0
    to: int = 0
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
