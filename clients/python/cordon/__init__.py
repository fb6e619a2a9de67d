# SPDX-License-Identifier: MIT
"""Cordon runs code that an AI agent wrote as if it were hostile.

    import cordon
    print(cordon.run("print(6 * 7)").text)

The functions here are those of one client with the defaults of the machine; Cordon(...) makes others, and
AsyncCordon(...) is the same for asyncio. What is no success is an exception, see CordonError."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._aio import AsyncCordon
    from ._client import Cordon
    from ._default import (approval, approvals, approve, audit_tail, audit_trace, audit_verify, deny, doctor, domain,
                           ingest, new_domain, plan, renew_domain, run, scan, stream)
    from ._errors import (BadRequest, Broken, CannotIsolate, Conflict, CordonError, Failed, LimitReached,
                          NotInstalled, Pending, Refused, TooOld)
    from ._model import (Change, Connection, Denial, Event, Evidence, Failure, Finished, Gap, Output, RecordId, Refusal, Result,
                         RuleHit, Started, Telemetry, TelemetrySum, Touched, Unknown, Usage, Waiting)
    from ._more import Approval, Domain, Effect, Finding, Plan, Record, Scan, Source, Trace, Verification
    from ._transport import Process, Reply, Transport

__version__ = "0.1.0"
__all__ = [
    "Approval", "AsyncCordon", "BadRequest", "Broken", "CannotIsolate", "Change", "Conflict", "Connection", "Cordon",
    "CordonError", "Denial", "Domain", "Effect", "Event", "Evidence", "Failed", "Failure", "Finding", "Finished",
    "Gap", "LimitReached", "NotInstalled", "Output", "Pending", "Plan", "Process", "Record", "RecordId", "Refusal", "Refused",
    "Reply", "Result", "RuleHit", "Scan", "Source", "Started", "Telemetry", "TelemetrySum", "TooOld", "Touched", "Trace", "Transport", "Unknown",
    "Usage", "Verification", "Waiting", "approval", "approvals", "approve", "audit_tail", "audit_trace",
    "audit_verify", "deny", "doctor", "domain", "ingest", "new_domain", "plan", "renew_domain", "run", "scan",
    "stream"]

# Where a name is, in the order in which they are looked through.
_PLACES = ("_errors", "_default", "_client", "_model", "_transport", "_more", "_aio")


def __getattr__(name: str) -> object:
    """Who imports this and uses a part of it waits for that part only."""
    from importlib import import_module
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for place in _PLACES:
        found: object = getattr(import_module("." + place, __name__), name, None)
        if found is not None:
            globals()[name] = found
            return found
    raise AttributeError(name)
