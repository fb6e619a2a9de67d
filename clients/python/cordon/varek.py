# SPDX-License-Identifier: MIT
"""VAREK's API on Cordon's box: change the import and keep the program. Both published versions are here: v1.1.1
(configure_backend(backend), callbacks with two arguments) and the older one (configure_backend(),
get_active_backend, enforce_strict_mode, KineticIntercept, callbacks with one dict).

These differences are intended. Code goes to the box in a memory file: it may have any size, its line numbers are
right, and it is in no process list. Files, processes, terminals and sockets of the host are out of reach. The time
limit ends the whole process tree. is_available() tries the box. Every failure is an IsolationError and leaves
nothing behind. A policy that is stricter than the box is refused, never weakened."""
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
    """The code did not run, because it could not run in the box."""


class KineticIntercept(IsolationError):
    """From the older version: the policy stopped the code before it started."""


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
    # These fields are Cordon's, not VAREK's.
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
        """None if the backend works, else the reason."""

    @abstractmethod
    def execute(self, payload: ExecutionPayload, policy: ExecutionPolicy) -> ExecutionOutcome: ...


def _stricter_than_box(policy: ExecutionPolicy) -> Optional[str]:
    """The system calls that POLICY forbids and the box allows, as a message, or None. A policy that allows more than
    the box is harmless, because the box decides."""
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
        raise IsolationError(f"interpreter_path is not a file: {path!r}")
    if not os.path.basename(os.path.realpath(path)).startswith("python"):
        raise IsolationError(f"interpreter_path is not a Python: {path!r}")
    stricter = _stricter_than_box(policy)
    if stricter:
        raise IsolationError(stricter)


def _environment(path: str) -> Optional[str]:
    """The virtual environment of an interpreter; None for the system's own."""
    if os.path.realpath(path) == os.path.realpath("/usr/bin/python3") and path.startswith(("/usr/", "/bin/")):
        return None
    return os.path.dirname(os.path.dirname(path))


_VIOLATIONS = {31: "seccomp_killlist_triggered", 9: "sigkill_likely_cgroup_limit"}


def _refused_call(r: Result) -> Optional[str]:
    """The violation of a call that was refused without a signal. Code can ignore the exit status of os.system, so
    the outcome reports a refused program in any case, and reports a full list, which could hide one. The box
    refuses some calls of VAREK's kill list (chroot, unshare) without a kill; they are reported as VAREK would.
    io_uring_setup is not in the list: the box answers ENOSYS, as many kernels do."""
    if any(d.call in KILL for d in r.denials):
        return _VIOLATIONS[31]
    if any(d.call in ("execve", "execveat") for d in r.denials):
        return "execve_denied"
    return "denials_cut" if r.denials_cut else None


def _outcome(r: Result) -> ExecutionOutcome:
    late = r.status == "timed_out"
    signal = r.signal or (9 if late or r.status == "limit" else None)
    violation = "wall_clock_timeout" if late else _VIOLATIONS.get(signal or 0) or _refused_call(r)
    code = -signal if signal else (r.exit_code if r.exit_code is not None else 1)
    return ExecutionOutcome(code, r.stdout, r.stderr, late, signal, r.usage.wall_ms / 1000.0, violation, r.tier,
                            r.layers, r.denials, r.usage, r.audit_id, bool(r.truncated))


class SeccompBpfBackend(IsolationBackend):
    """Cordon's box, by default with all layers and the installed cordon. OPTIONS are the parameters of cordon.Cordon:
    tier, policy, binary, state ..."""

    def __init__(self, **options: Any) -> None:
        self._client = Cordon(**options)
        self._tier: Optional[str] = options.get("tier")

    def name(self) -> str:
        return "seccomp_bpf"

    def _tier_used(self) -> str:
        """The tier of its runs, from the options or from the configuration."""
        if self._tier is None:
            self._tier = str(self._client.doctor().get("tier", "full"))
        return self._tier

    def capabilities(self) -> Dict[str, bool]:
        """For each layer whether it works here. Each one is tried."""
        return {name: bool(report["holds"]) for name, report in self._client.doctor()["layers"].items()}

    def is_available(self) -> Optional[str]:
        if not sys.platform.startswith("linux"):
            return f"unsupported platform: {sys.platform}"
        try:
            report = self._client.doctor()
        except CordonError as e:
            return str(e)
        tier = self._tier or str(report.get("tier", "full"))
        if report["tiers"].get(tier):
            return None
        return str(report.get("tier_causes", {}).get(tier) or f"the tier {tier} does not work here")

    def execute(self, payload: ExecutionPayload, policy: ExecutionPolicy) -> ExecutionOutcome:
        if not sys.platform.startswith("linux"):
            raise IsolationError(f"{type(self).__name__} unavailable: unsupported platform: {sys.platform}")
        _check_payload(payload, policy)
        limits = policy.resources
        cpu_time = limits.wall_clock_timeout_s * limits.cpu_quota_pct / 100.0
        try:
            # A share of a core needs a cgroup. Without one, limit the CPU time to the same share of the time.
            shares = self._tier_used() == "full"
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
    """Sets the backend of execute_untrusted; by default the box with all layers."""
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
    """Calls the callbacks. An error in one is ignored, and an event during a callback is not reported."""
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
    """Reports an event from the box. Its name is marked, because the program can forge it."""
    if event.kind == "telemetry":
        _tell("sandbox:" + event.audit, (event.args, event.line))


def subscribe_telemetry(callback: Union[TwoArguments, OneDict]) -> None:
    """CALLBACK gets the audit events of this interpreter, and those of the box as "sandbox:EVENT"."""
    global _armed
    known = _as_two(callback) if _takes_one(callback) else callback  # type: ignore[arg-type]
    with _lock:
        _callbacks.append(known)  # type: ignore[arg-type]
        if not _armed:
            sys.addaudithook(_tell)
            _armed = True


def enforce_strict_mode() -> None:
    """From the older version. It starts telemetry, as in VAREK. In addition, Python that this process starts with
    -c CODE (by subprocess, os.system, os.popen, os.exec*, os.spawn* or os.posix_spawn) runs in the box or not at
    all. Started through timeout, env -i, nice and the like, it does not run.

    This is a convenience and not a boundary. It does not cover programs that another program starts (a shell as in
    ["sh", "-c", LINE], a script, xargs, ssh, docker), nor code that this process runs itself (exec, eval): these
    run on the host and are only reported. Use execute_untrusted for code that must be contained."""
    from . import _varek_strict
    subscribe_telemetry(lambda event, args: None)
    _varek_strict.arm()


__all__ = ["ExecutionOutcome", "ExecutionPayload", "ExecutionPolicy", "IsolationBackend", "IsolationError",
           "KineticIntercept", "ResourceLimits", "SeccompBpfBackend", "configure_backend", "default_python_policy",
           "enforce_strict_mode", "execute_untrusted", "get_active_backend", "subscribe_telemetry"]
