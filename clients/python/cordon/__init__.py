# SPDX-License-Identifier: MIT
"""Cordon runs code that an AI agent wrote as if it were hostile.

    import cordon
    print(cordon.run("print(6 * 7)").text)

The functions here are those of one client with the defaults of the machine; Cordon(...) makes others, and
AsyncCordon(...) is the same for asyncio. What is no success is an exception, see CordonError."""
from __future__ import annotations

from typing import TYPE_CHECKING

from ._client import Cordon
from ._errors import (BadRequest, Broken, CannotIsolate, Conflict, CordonError, Failed, LimitReached, NotInstalled,
                      Pending, Refused, TooOld)
from ._model import (Change, Denial, Event, Evidence, Failure, Finished, Gap, Output, Refusal, Result, RuleHit,
                     Started, Telemetry, TelemetrySum, Touched, Unknown, Usage, Waiting)
from ._transport import Process, Reply, Transport

if TYPE_CHECKING:
    from ._more import Approval, Domain, Effect, Finding, Plan, Record, Scan, Source, Trace, Verification
    from ._aio import AsyncCordon

__version__ = "0.1.0"
_default = Cordon()
run = _default.run
stream = _default.stream
scan = _default.scan
new_domain = _default.new_domain
domain = _default.domain
renew_domain = _default.renew_domain
ingest = _default.ingest
plan = _default.plan
approvals = _default.approvals
approval = _default.approval
approve = _default.approve
deny = _default.deny
audit_tail = _default.audit_tail
audit_verify = _default.audit_verify
audit_trace = _default.audit_trace
doctor = _default.doctor

__all__ = [
    "Approval", "AsyncCordon", "BadRequest", "Broken", "CannotIsolate", "Change", "Conflict", "Cordon",
    "CordonError", "Denial", "Domain", "Effect", "Event", "Evidence", "Failed", "Failure", "Finding", "Finished",
    "Gap", "LimitReached", "NotInstalled", "Output", "Pending", "Plan", "Process", "Record", "Refusal", "Refused",
    "Reply", "Result", "RuleHit", "Scan", "Source", "Started", "Telemetry", "TelemetrySum", "TooOld", "Touched", "Trace", "Transport", "Unknown",
    "Usage", "Verification", "Waiting", "approval", "approvals", "approve", "audit_tail", "audit_trace",
    "audit_verify", "deny", "doctor", "domain", "ingest", "new_domain", "plan", "renew_domain", "run", "scan",
    "stream"]


def __getattr__(name: str) -> object:
    """What takes longer to import than all the rest, for those who ask for it."""
    if name == "AsyncCordon":
        from ._aio import AsyncCordon
        return AsyncCordon
    if name in __all__:
        from . import _more
        return getattr(_more, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
