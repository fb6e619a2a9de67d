# SPDX-License-Identifier: MIT
"""Cordon runs code that an AI agent wrote as if it were hostile.

    import cordon
    print(cordon.run("print(6 * 7)").text)

The functions here use one client with the machine's defaults. Cordon(...) makes a client with others, and
AsyncCordon(...) is the same for asyncio. A call that does not succeed raises a CordonError."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._aio import AsyncCordon
    from ._client import Cordon
    from ._default import (add_answer, apply, approval, approvals, approve, audit_tail, audit_trace, audit_verify,
                           conversation, conversations, deny, diff, doctor, end_conversation,
                           export_approval, grants, ingest, new_conversation, plan, reset, run, scan,
                           sign_approval, stream, wait_approval)
    from ._errors import (BadRequest, Broken, CannotIsolate, Conflict, CordonError, Failed, LimitReached,
                          NotInstalled, Pending, Refused, TooOld)
    from ._model import (Change, Connection, Denial, Effect, Event, Evidence, Failure, Finished, Gap, Output,
                         RecordId, Refusal, Result, RuleHit, Started, Telemetry, TelemetrySum, Touched,
                         Unknown, Usage, Waiting)
    from ._answers import (Answer, Applied, Approval, Conversation, Diff, FileState, Finding, PendingChange, Record,
                        Scan, ScanEffect, Signed, Source, Ticket, Trace, Verification)
    from ._transport import Process, Reply, Transport

__version__ = "0.1.0"
__all__ = [
    "Answer", "Applied", "Approval", "AsyncCordon", "BadRequest", "Broken", "CannotIsolate", "Change", "Conflict",
    "Connection", "Conversation", "Cordon", "CordonError", "Denial", "Diff", "Effect", "Event", "Evidence",
    "Failed", "Failure", "FileState", "Finding", "Finished", "Gap", "LimitReached", "NotInstalled", "Output",
    "Pending", "PendingChange", "Process", "Record", "RecordId", "Refusal", "Refused", "Reply", "Result",
    "RuleHit", "Scan", "ScanEffect", "Signed", "Source", "Started", "Telemetry", "TelemetrySum", "Ticket", "TooOld",
    "Touched", "Trace", "Transport", "Unknown", "Usage", "Verification", "Waiting", "add_answer", "apply", "approval",
    "approvals", "approve", "audit_tail", "audit_trace", "audit_verify", "conversation", "conversations",
    "deny", "diff", "doctor", "end_conversation", "export_approval", "grants", "ingest", "new_conversation", "plan", "reset",
    "run", "scan", "sign_approval", "stream", "wait_approval"]

# The modules that define the names, in the order of the search.
_PLACES = ("_errors", "_default", "_client", "_model", "_transport", "_answers", "_aio")


def __getattr__(name: str) -> object:
    """Imports a module when one of its names is first used, so that `import cordon` is fast."""
    from importlib import import_module
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for place in _PLACES:
        value: object = getattr(import_module("." + place, __name__), name, None)
        if value is not None:
            globals()[name] = value
            return value
    raise AttributeError(name)
