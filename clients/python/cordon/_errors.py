# SPDX-License-Identifier: MIT
"""One class for each failure that callers handle differently. The message is Cordon's: what failed, why, and what to
do. No error means that code ran outside the box."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence

if TYPE_CHECKING:
    from ._model import Failure, Result


class CordonError(Exception):
    """The base class. RESULT is the result of the run, as far as it is known, or None."""

    def __init__(self, message: str, *, cause: str = "", cure: str = "", result: Optional[Result] = None) -> None:
        super().__init__(message)
        self.message = message
        self.cause = cause
        self.cure = cure
        self.result = result

    def __str__(self) -> str:
        words = [self.message]
        if self.cause:
            words.append("because: " + self.cause)
        if self.cure:
            words.append("try: " + self.cure)
        return "\n  ".join(words)

    @property
    def reasons(self) -> Sequence[str]:
        """The reasons of the decision, as texts."""
        return self.result.reasons if self.result else ()


class Refused(CordonError):
    """The policy refused the run; nothing ran."""


class Pending(CordonError):
    """A person is asked; nothing ran. The same call runs it when they have agreed."""

    @property
    def approval_id(self) -> str:
        return (self.result.approval_id if self.result else None) or ""


class CannotIsolate(CordonError):
    """A layer of the box does not work on this machine; nothing ran."""

    @property
    def layer(self) -> str:
        return self.result.error.layer if self.result and self.result.error else ""


class NotInstalled(CannotIsolate):
    """The program cordon is not installed."""


class LimitReached(CordonError):
    """A limit ended the run. RESULT has the output until then."""

    @property
    def limit(self) -> str:
        return (self.result.limit if self.result else None) or ""


class Failed(CordonError):
    """check=True, and the program did not exit with 0."""


class BadRequest(CordonError):
    """A wrong value, or a file that does not exist; nothing ran."""


class Conflict(CordonError):
    """Another process changed the same files or state meanwhile; nothing was applied."""


class Broken(CordonError):
    """Cordon failed: it was killed, the disk was full, or its answer cannot be read. The code may have run, and its
    output is not complete."""


class TooOld(CordonError):
    """The installed program cordon does not know a command or an option."""


_KINDS = {"usage": BadRequest, "input": BadRequest, "limit": BadRequest, "layer": CannotIsolate,
          "refused": Refused, "conflict": Conflict, "system": Broken}


def from_failure(failure: Failure, result: Optional[Result] = None) -> CordonError:
    make = _KINDS.get(failure.kind, Broken)
    return make(failure.message, cause=failure.cause, cure=failure.cure, result=result)


def from_result(result: Result, check: bool = False) -> Optional[CordonError]:
    """The error for a result that is not a success, or None."""
    if result.error is not None and result.status in ("error", "refused"):
        return from_failure(result.error, result)
    if result.status in ("error", "refused"):
        return Broken("cordon gave no reason", result=result)
    if result.status == "pending":
        return Pending("not run yet: waiting for approval", cause="; ".join(result.reasons),
                       cure=f"cordon approvals show {result.approval_id}", result=result)
    if result.status in ("timed_out", "limit"):
        return LimitReached(f"stopped: the limit \"{result.limit}\" was reached", result=result)
    if check and not result.ok:
        how = f"killed by signal {result.signal}" if result.signal else f"exit status {result.exit_code}"
        return Failed(how, cause=_last_line(result.stderr), result=result)
    return None


def _last_line(data: bytes) -> str:
    lines = data.decode("utf-8", "replace").rstrip().splitlines()
    return lines[-1][:300] if lines else ""
