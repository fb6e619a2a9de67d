# SPDX-License-Identifier: MIT
"""Strict mode: Python that the host starts with -c CODE runs in the box. The program of the host is trusted; CODE is
not. All ways to start a program end in one of the functions in _CHANGED, and these are replaced. A call that does
not start Python with -c stays as it is. A shell line is taken apart only if no word has a meaning for a shell.
Another line that starts Python with -c is not run, because code could be a part of the line. The same holds if the
first word only starts another program (_STARTERS): its effect, such as a timeout, would not reach the box.
Programs that another program starts, and code that this process runs itself (exec, eval), are not covered."""
from __future__ import annotations

import functools
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from typing import Any, Callable, List, NamedTuple, Optional, Sequence, Tuple

from . import varek
from ._call import run_call
from ._client import Cordon
from ._errors import CordonError, LimitReached
from ._transport import Process, _memory

_PYTHON = re.compile(r"python(3(\.\d+)?)?$")
_CODE = re.compile(r"-[bBdEiIOPqRsSuvx]*c(.*)$", re.S)
_FLAGS = re.compile(r"-[bBdEiIOPqRsSuvx]+$")
_VALUED = re.compile(r"-[bBdEiIOPqRsSuvx]*[WX](.*)$", re.S)
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
# A word without a meaning for a shell.
_WORD = r"""(?:[\w./:,+@%=-]|'[^']*'|"[^"$`\\!]*")+"""
_LINE = re.compile(rf"\s*{_WORD}(?:[ \t]+{_WORD})*\s*$")
_STARTS = re.compile(r"""python[\d.]*['"]?(?:\s+['"]?-(?:[WX]\s+)?\S+)*\s+['"]?-[bBdEiIOPqRsSuvx]*c""")
# Programs that only start the program in their last words.
_STARTERS = frozenset("""chrt env exec flock ionice nice nohup numactl prlimit setarch setpriv setsid stdbuf sudo
taskset time timeout unshare""".split())
_client: Optional[Cordon] = None


class _PythonCode(NamedTuple):
    code: str
    args: List[str]


def _check_starter(texts: List[str]) -> None:
    name = os.path.basename(texts[0]) if texts else ""
    if name in _STARTERS and any(_code_of_python(texts[at:]) for at in range(1, len(texts))):
        raise varek.KineticIntercept(f"not run: {name} would start Python outside the box\n  "
                                     "try: start Python itself; subprocess.run(..., timeout=) ends it in time")


def _code_of_words(texts: List[str]) -> Optional[_PythonCode]:
    """The code that the words of a command line pass to Python, or None."""
    while len(texts) > 1 and (os.path.basename(texts[0]) == "env" or _VARIABLE.match(texts[0])):
        if texts[1].startswith("-"):
            break
        texts = texts[1:]
    _check_starter(texts)
    return _code_of_python(texts)


def _code_of_python(texts: List[str]) -> Optional[_PythonCode]:
    if not texts or not _PYTHON.match(os.path.basename(texts[0])):
        return None
    at = 1
    while at < len(texts):
        code, valued = _CODE.match(texts[at]), _VALUED.match(texts[at])
        if code and code.group(1):
            return _PythonCode(code.group(1), texts[at + 1:])
        if code:
            return _PythonCode(texts[at + 1], texts[at + 2:]) if at + 1 < len(texts) else None
        if valued:
            at += 1 if valued.group(1) else 2
        elif _FLAGS.match(texts[at]):
            at += 1
        else:
            return None
    return None


def _code_of_line(line: str) -> Optional[_PythonCode]:
    """The code that a shell line passes to Python, or None."""
    if _LINE.match(line):
        return _code_of_words(shlex.split(line))
    if _STARTS.search(line):
        raise varek.KineticIntercept("not run: a shell would interpret this line, and code could be a part of it\n  "
                                     "try: pass the words as a list, without a shell")
    return None


def _python_code(words: Any, shell: bool = False, program: Any = None) -> Optional[_PythonCode]:
    if isinstance(words, (str, bytes, os.PathLike)):
        return _code_of_line(os.fsdecode(words)) if shell else None
    if not isinstance(words, Sequence):
        return None
    texts = [os.fsdecode(w) for w in words]
    if shell:
        return _code_of_line(texts[0]) if texts else None
    return _code_of_words(texts if program is None or not texts else [os.fsdecode(program), *texts[1:]])


def _command(plain: _PythonCode) -> Tuple[List[str], List[int]]:
    """A command line that runs the code in the box with the streams of this process, and the descriptors that it
    needs. cordon gets the environment of this process: the one in the call is meant for the code."""
    assert _client is not None
    transport = _client.transport
    if not isinstance(transport, Process):
        raise varek.KineticIntercept("not run: strict mode needs the program cordon, and another transport is in use")
    fds: List[int] = []
    try:
        call = _client._with_defaults(run_call(plain.code, args=plain.args))
        fds.append(_memory("cordon-code", call.payload or b""))
        call = replace(call, operands=(f"/proc/self/fd/{fds[0]}",), options=(*call.options, ("stdin", "-"), ("by-signal", None)))
        fds.append(_memory("cordon-request", transport._words(call)))
        return [transport.program, "run", f"--words={fds[1]}"], fds
    except CordonError as e:
        _close(fds)
        raise varek.KineticIntercept(str(e)) from e


def _close(fds: List[int]) -> None:
    for fd in fds:
        os.close(fd)


def _run(plain: _PythonCode, data: Optional[bytes], timeout: Optional[float]) -> "varek.ExecutionOutcome":
    assert _client is not None
    try:
        return varek._outcome(_client.run(plain.code, args=plain.args, input=data or b"", output=varek.OUTPUT_MAX,
                                          time=timeout))
    except LimitReached as e:
        assert e.result is not None
        return varek._outcome(e.result)
    except CordonError as e:
        raise varek.KineticIntercept(str(e)) from e


def _show(stream: Any, data: bytes) -> None:
    out = getattr(stream, "buffer", None)
    if out is None:
        stream.write(data.decode("utf-8", "backslashreplace"))
    else:
        stream.flush()
        out.write(data)
    stream.flush()


def _targets(o: "varek.ExecutionOutcome") -> str:
    return ", ".join(sorted({d.target for d in o.denials if d.call.startswith("exec")})[:4])


def _finish(words: Any, o: "varek.ExecutionOutcome", options: Any) -> "subprocess.CompletedProcess[Any]":
    text = any(options.get(k) for k in ("text", "universal_newlines", "encoding", "errors"))
    coding = options.get("encoding") or "utf-8", options.get("errors") or "replace"
    kept: List[Any] = []
    for name, stream, data in (("stdout", sys.stdout, o.stdout), ("stderr", sys.stderr, o.stderr)):
        if options.get("capture_output") or options.get(name) == subprocess.PIPE:
            kept.append(data.decode(*coding) if text else data)
            continue
        kept.append(None)
        if options.get(name) is None:
            _show(stream, data)
    if o.timed_out:
        raise subprocess.TimeoutExpired(words, options.get("timeout") or 0.0, kept[0], kept[1])
    done: "subprocess.CompletedProcess[Any]" = subprocess.CompletedProcess(words, o.exit_code, kept[0], kept[1])
    if options.get("check"):
        done.check_returncode()
        if o.violation:
            raise varek.KineticIntercept(f"stopped in the box: {o.violation} ({_targets(o)})")
    return done


def _is_simple(options: Any) -> bool:
    """True if a run with collected output can replace the call. Otherwise Popen starts a process."""
    return options.get("stdin") is None and all(
        options.get(name) in (None, subprocess.PIPE, subprocess.DEVNULL) for name in ("stdout", "stderr"))


def _new_run(real: Callable[..., Any]) -> Callable[..., Any]:
    """subprocess.run, in addition to Popen, because its error can say why code was refused."""
    @functools.wraps(real)
    def run(*popenargs: Any, **options: Any) -> Any:
        words = popenargs[0] if popenargs else options.get("args")
        plain = _python_code(words, bool(options.get("shell")), options.get("executable"))
        if plain is None or len(popenargs) > 1 or not _is_simple(options):
            return real(*popenargs, **options)
        data = options.get("input")
        return _finish(words, _run(plain, data.encode() if isinstance(data, str) else data, options.get("timeout")),
                       options)
    return run


def _new_popen(real: Any) -> Any:
    class Popen(real):  # type: ignore[misc]
        def __init__(self, args: Any, *rest: Any, **options: Any) -> None:
            shell = bool(rest[7] if len(rest) > 7 else options.get("shell"))
            plain = _python_code(args, shell, rest[1] if len(rest) > 1 else options.get("executable"))
            if plain is None:
                super().__init__(args, *rest, **options)
                return
            if rest:
                raise varek.KineticIntercept("not run: name the options of Popen")
            command, fds = _command(plain)
            options.update(shell=False, executable=None, env=None, pass_fds=(*options.get("pass_fds", ()), *fds))
            try:
                super().__init__(command, **options)
                self.args = args
            finally:
                _close(fds)
    Popen.__qualname__ = "Popen"
    return Popen


def _new_system(real: Callable[..., int]) -> Callable[..., int]:
    @functools.wraps(real)
    def system(command: Any) -> int:
        if _python_code(command, True) is None:
            return real(command)
        status = subprocess.Popen(command, shell=True).wait()
        return status << 8 if status >= 0 else -status
    return system


def _new_exec(real: Callable[..., Any]) -> Callable[..., Any]:
    """execv and execve, which os.exec* and os.spawn* call."""
    @functools.wraps(real)
    def execute(path: Any, argv: Any, *env: Any) -> Any:
        plain = None if isinstance(path, int) else _python_code(argv, program=path)
        if plain is None:
            return real(path, argv, *env)
        command, fds = _command(plain)
        for fd in fds:
            os.set_inheritable(fd, True)
        return real(command[0], command, *(os.environ for _ in env))
    return execute


def _new_spawn(real: Callable[..., int]) -> Callable[..., int]:
    @functools.wraps(real)
    def spawn(path: Any, argv: Any, env: Any, **options: Any) -> int:
        plain = _python_code(argv, program=path)
        if plain is None:
            return real(path, argv, env, **options)
        command, fds = _command(plain)
        try:
            for fd in fds:
                os.set_inheritable(fd, True)
            return real(command[0], command, os.environ, **options)
        finally:
            _close(fds)
    return spawn


_CHANGED: List[Tuple[Any, str, Callable[[Any], Any]]] = [
    (subprocess, "run", _new_run), (subprocess, "Popen", _new_popen), (os, "system", _new_system),
    (os, "execv", _new_exec), (os, "execve", _new_exec), (os, "posix_spawn", _new_spawn),
    (os, "posix_spawnp", _new_spawn)]


def arm(client: Optional[Cordon] = None) -> None:
    """Replaces the functions. CLIENT is used instead of one with the machine's defaults."""
    global _client
    _client = client or _client or Cordon()
    for module, name, make in _CHANGED:
        if not getattr(getattr(module, name), "cordon", False):
            new = make(getattr(module, name))
            setattr(new, "cordon", True)
            setattr(module, name, new)
