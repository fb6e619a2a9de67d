# SPDX-License-Identifier: MIT
"""VAREK's names on Cordon's box: change the import and keep the program. Both published shapes are here: that
of v1.1.1 (configure_backend(backend), callbacks of two arguments) and the older one (configure_backend(),
get_active_backend, enforce_strict_mode, KineticIntercept, callbacks of one dict).

What differs, and should: code goes to the box as a memory file (any size, right line numbers, not in anybody's
process list); files, processes, terminals and sockets of the host are out of reach; the clock ends the whole
tree; is_available() tries it out; every failure is an IsolationError and leaves nothing behind. A policy that
is stricter than the box can be is refused, never weakened."""
from __future__ import annotations

import os
import sys
import threading
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Tuple, Union

from ._client import Cordon
from ._errors import CannotIsolate, CordonError, LimitReached, Pending, Refused
from ._model import Denial, Result, Usage
from ._varek_calls import ALLOW, KILL, NETWORK

__version__ = "1.1.1"
OUTPUT_MAX = "16M"


class IsolationError(RuntimeError):
    """It was not run, because it could not be run contained."""


class KineticIntercept(IsolationError):
    """The older shape's: what was about to be started was stopped."""


@dataclass(frozen=True)
class ExecutionPayload:
    interpreter_path: str
    code: str
    argv_extra: Tuple[str, ...] = ()
    stdin: Optional[bytes] = None


@dataclass(frozen=True)
class ResourceLimits:
    memory_mb: int = 512
    cpu_quota_pct: int = 50
    pids_max: int = 64
    wall_clock_timeout_s: float = 30.0


@dataclass(frozen=True)
class ExecutionPolicy:
    binary_allowlist: FrozenSet[str]
    syscall_allowlist: FrozenSet[str]
    syscall_killlist: FrozenSet[str]
    allow_network: bool = False
    resources: ResourceLimits = ResourceLimits()


@dataclass
class ExecutionOutcome:
    exit_code: int
    stdout: bytes
    stderr: bytes
    timed_out: bool
    killed_by_signal: Optional[int]
    wall_clock_s: float
    violation: Optional[str] = None
    # Cordon's own
    tier: str = ""
    layers: Tuple[str, ...] = ()
    denials: Tuple[Denial, ...] = ()
    usage: Usage = field(default_factory=Usage)
    audit_id: Optional[str] = None
    truncated: bool = False


def default_python_policy(binary_allowlist: Optional[FrozenSet[str]] = None, allow_network: bool = False,
                          resources: Optional[ResourceLimits] = None) -> ExecutionPolicy:
    return ExecutionPolicy(
        binary_allowlist=frozenset({sys.executable}) if binary_allowlist is None else frozenset(binary_allowlist),
        syscall_allowlist=ALLOW | NETWORK if allow_network else ALLOW, syscall_killlist=KILL,
        allow_network=allow_network, resources=ResourceLimits() if resources is None else resources)


class IsolationBackend(ABC):
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def is_available(self) -> Optional[str]:
        """None: it can be used. Else the reason."""

    @abstractmethod
    def execute(self, payload: ExecutionPayload, policy: ExecutionPolicy) -> ExecutionOutcome: ...


def _beyond(policy: ExecutionPolicy) -> Optional[str]:
    """What the policy forbids that the box would not. To allow more than the box does is harmless."""
    missing = (ALLOW - policy.syscall_allowlist) | (policy.syscall_killlist - KILL)
    if not missing:
        return None
    return "policy is stricter than the box's own list of system calls: " + ", ".join(sorted(missing)[:8])


def _check_payload(payload: ExecutionPayload, policy: ExecutionPolicy) -> None:
    path = payload.interpreter_path
    if not os.path.isabs(path):
        raise IsolationError(f"interpreter_path must be absolute: {path!r}")
    if path not in policy.binary_allowlist:
        raise IsolationError(f"{path!r} not in policy.binary_allowlist {sorted(policy.binary_allowlist)}")
    if not os.path.isfile(path):
        raise IsolationError(f"interpreter_path is no file: {path!r}")
    if not os.path.basename(os.path.realpath(path)).startswith("python"):
        raise IsolationError(f"interpreter_path is no Python: {path!r}")
    beyond = _beyond(policy)
    if beyond:
        raise IsolationError(beyond)


def _environment(path: str) -> Optional[str]:
    """The directory that an interpreter belongs to, if it is not the system's."""
    if os.path.realpath(path) == os.path.realpath("/usr/bin/python3") and path.startswith(("/usr/", "/bin/")):
        return None
    return os.path.dirname(os.path.dirname(path))


_VIOLATIONS = {31: "seccomp_killlist_triggered", 9: "sigkill_likely_cgroup_limit"}


def _refused(r: Result) -> Optional[str]:
    """A program that was not started. os.system and others make an exit status of it that nobody looks at, so
    it is told here, whatever the code made of it. Who fills the list to hide it is told of too. Some calls of
    VAREK's kill list (chroot, unshare) the box only refuses: they are told as there, though the code lived on.
    io_uring_setup is not told: the box says that there is no such call, as many kernels do."""
    if any(d.call in KILL for d in r.denials):
        return _VIOLATIONS[31]
    if any(d.call in ("execve", "execveat") for d in r.denials):
        return "execve_denied"
    return "denials_cut" if r.denials_cut else None


def _outcome(r: Result) -> ExecutionOutcome:
    late = r.status == "timed_out"
    signal = r.signal or (9 if late or r.status == "limit" else None)
    violation = "wall_clock_timeout" if late else _VIOLATIONS.get(signal or 0) or _refused(r)
    code = -signal if signal else (r.exit_code if r.exit_code is not None else 1)
    return ExecutionOutcome(code, r.stdout, r.stderr, late, signal, r.usage.wall_ms / 1000.0, violation, r.tier,
                            r.layers, r.denials, r.usage, r.audit_id, bool(r.truncated))


class SeccompBpfBackend(IsolationBackend):
    """Cordon's box. Without arguments it is that of the installed cordon with all its layers; OPTIONS are
    those of cordon.Cordon: tier, policy, binary, state ..."""

    def __init__(self, **options: Any) -> None:
        self._client = Cordon(**options)
        self._tier = str(options.get("tier") or "full")

    def name(self) -> str:
        return "seccomp_bpf"

    def capabilities(self) -> Dict[str, bool]:
        """Each layer, and whether it holds here: each was tried out."""
        return {name: bool(told["holds"]) for name, told in self._client.doctor()["layers"].items()}

    def is_available(self) -> Optional[str]:
        if not sys.platform.startswith("linux"):
            return f"unsupported platform: {sys.platform}"
        try:
            told = self._client.doctor()
        except CordonError as e:
            return str(e)
        if told["tiers"].get(self._tier):
            return None
        return str(told.get("tier_causes", {}).get(self._tier) or f"the tier {self._tier} does not work here")

    def execute(self, payload: ExecutionPayload, policy: ExecutionPolicy) -> ExecutionOutcome:
        if not sys.platform.startswith("linux"):
            raise IsolationError(f"{type(self).__name__} unavailable: unsupported platform: {sys.platform}")
        _check_payload(payload, policy)
        limits = policy.resources
        # A share of a core needs a cgroup; who goes without one gets as much CPU time as the share would be.
        shares = self._tier == "full"
        cpu_time = limits.wall_clock_timeout_s * limits.cpu_quota_pct / 100.0
        try:
            return _outcome(self._client.run(
                payload.code, lang="python", input=payload.stdin or b"", args=payload.argv_extra,
                venv=_environment(payload.interpreter_path), memory=f"{limits.memory_mb}M",
                cpu=limits.cpu_quota_pct if shares else None, cpu_time=None if shares else cpu_time,
                pids=limits.pids_max, time=limits.wall_clock_timeout_s, output=OUTPUT_MAX, telemetry=bool(_callbacks),
                on_event=_tell_inside if _callbacks else None))
        except LimitReached as e:
            assert e.result is not None
            return _outcome(e.result)
        except (Refused, Pending) as e:
            raise KineticIntercept(str(e)) from e
        except CannotIsolate as e:
            raise IsolationError(f"{type(self).__name__} unavailable: {e}") from e
        except CordonError as e:
            raise IsolationError(str(e)) from e


_NO_BACKEND = ("No backend configured. Call configure_backend() first "
               "(no isolation backend configured; nothing is run without one)")
_lock = threading.Lock()
_backend: Optional[IsolationBackend] = None


def configure_backend(backend: Optional[IsolationBackend] = None) -> None:
    """The backend of execute_untrusted; without an argument, the box with all its layers."""
    global _backend
    chosen = SeccompBpfBackend() if backend is None else backend
    reason = chosen.is_available()
    if reason is not None:
        raise IsolationError(f"{type(chosen).__name__} unavailable: {reason}. "
                             "See docs/development.md of VAREK, or run: cordon doctor")
    with _lock:
        _backend = chosen


def get_active_backend() -> Optional[IsolationBackend]:
    return _backend


def execute_untrusted(payload: ExecutionPayload, policy: Optional[ExecutionPolicy] = None) -> ExecutionOutcome:
    backend = _backend
    if backend is None:
        raise IsolationError(_NO_BACKEND)
    return backend.execute(payload, default_python_policy() if policy is None else policy)


TwoArguments = Callable[[str, Tuple[Any, ...]], None]
OneDict = Callable[[Dict[str, Any]], None]
_callbacks: List[TwoArguments] = []
_armed = False


def _takes_one(callback: Callable[..., None]) -> bool:
    import inspect
    try:
        inspect.signature(callback).bind("event", ())
        return False
    except TypeError:
        return True
    except ValueError:
        return False


def _as_two(callback: OneDict) -> TwoArguments:
    def tell(event: str, args: Tuple[Any, ...]) -> None:
        callback({"ts": time.time(), "event": event, "args_repr": repr(args)[:1000]})
    return tell


def _tell(event: str, args: Tuple[Any, ...]) -> None:
    """Telemetry never stops anything: not by an error, not by asking about itself."""
    if getattr(_inside, "telling", False):
        return
    _inside.telling = True
    try:
        for callback in list(_callbacks):
            try:
                callback(event, args)
            except Exception:
                pass
    finally:
        _inside.telling = False


_inside = threading.local()


def _tell_inside(event: Any) -> None:
    """What the program in the box says of itself: marked, because it may say anything."""
    if event.kind == "telemetry":
        _tell("sandbox:" + event.audit, (event.args, event.line))


def subscribe_telemetry(callback: Union[TwoArguments, OneDict]) -> None:
    """Tells CALLBACK of this interpreter's audit events, and of those inside the box as "sandbox:EVENT"."""
    global _armed
    known = _as_two(callback) if _takes_one(callback) else callback  # type: ignore[arg-type]
    with _lock:
        _callbacks.append(known)  # type: ignore[arg-type]
        if not _armed:
            sys.addaudithook(_tell)
            _armed = True


def enforce_strict_mode() -> None:
    """The older shape's switch: telemetry, as there; and Python that this process starts with -c CODE (by
    subprocess, os.system, os.popen, os.exec*, os.spawn*, os.posix_spawn) runs in the box, or not at all; by way
    of timeout, env -i, nice and others that only start a program: not at all.

    VAREK's arms telemetry only, and this is no more than a net under the ordinary call. It does not know what
    another program starts (a shell given as a word, as in ["sh", "-c", LINE]; a script; xargs, ssh, docker),
    nor code that this process runs itself (exec, eval): these run on the host and are only told of. What must
    be contained goes through execute_untrusted."""
    from . import _varek_strict
    subscribe_telemetry(lambda event, args: None)
    _varek_strict.arm()


__all__ = ["ExecutionOutcome", "ExecutionPayload", "ExecutionPolicy", "IsolationBackend", "IsolationError",
           "KineticIntercept", "ResourceLimits", "SeccompBpfBackend", "configure_backend", "default_python_policy",
           "enforce_strict_mode", "execute_untrusted", "get_active_backend", "subscribe_telemetry"]
