# SPDX-License-Identifier: MIT
"""What can go wrong, one class for each thing that a caller does something else about. The words are
Cordon's own: what failed, why, and what to do. None of them ever means that code ran outside the box."""
from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence

if TYPE_CHECKING:
    from ._model import Failure, Result


class CordonError(Exception):
    """What all of them are. RESULT is what is known of the run, if there was one."""

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
        """Why it was decided so, in words."""
        return self.result.reasons if self.result else ()


class Refused(CordonError):
    """The policy said no; nothing ran."""


class Pending(CordonError):
    """People are asked; nothing ran. The same call again runs it once they have agreed."""

    @property
    def approval_id(self) -> str:
        return (self.result.approval_id if self.result else None) or ""


class CannotIsolate(CordonError):
    """A layer of the box cannot be put up here; nothing ran."""

    @property
    def layer(self) -> str:
        return self.result.error.layer if self.result and self.result.error else ""


class NotInstalled(CannotIsolate):
    """There is no program cordon here."""


class LimitReached(CordonError):
    """It was ended by a limit. RESULT has what it printed until then."""

    @property
    def limit(self) -> str:
        return (self.result.limit if self.result else None) or ""


class Failed(CordonError):
    """check=True, and it exited with another status than 0 or was killed by a signal."""


class BadRequest(CordonError):
    """What was asked for is not understood or not there: a wrong value, a missing file."""


class Conflict(CordonError):
    """Somebody else changed the same thing meanwhile; nothing was written back."""


class Broken(CordonError):
    """Cordon did not get to its end (killed, a full disk, words that are no answer): whether the code ran
    is not known, and nothing that it printed is the whole of it."""


class TooOld(CordonError):
    """The program cordon that is here does not know what was asked for."""


_KINDS = {"usage": BadRequest, "input": BadRequest, "limit": BadRequest, "layer": CannotIsolate,
          "refused": Refused, "conflict": Conflict, "system": Broken}


def from_failure(failure: Failure, result: Optional[Result] = None) -> CordonError:
    make = _KINDS.get(failure.kind, Broken)
    return make(failure.message, cause=failure.cause, cure=failure.cure, result=result)


def from_result(result: Result, check: bool = False) -> Optional[CordonError]:
    """The error that a result is, or None."""
    if result.error is not None and result.status in ("error", "refused"):
        return from_failure(result.error, result)
    if result.status in ("error", "refused"):
        return Broken("no reason was given", result=result)
    if result.status == "pending":
        return Pending("not run yet: a person is asked", cause="; ".join(result.reasons),
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
