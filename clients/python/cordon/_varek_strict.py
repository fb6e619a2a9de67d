# SPDX-License-Identifier: MIT
"""subprocess.run([PYTHON, "-c", CODE]) in the box. The one who calls it is the host's own program, which is
trusted; what it passes on is not. A call that is no plain Python with -c is left as it is."""
from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from typing import Any, List, NamedTuple, Optional, Sequence

from . import varek
from ._client import Cordon
from ._errors import CordonError, LimitReached

_PYTHON = re.compile(r"python(3(\.\d+)?)?$")
_FLAGS = re.compile(r"-[bBdEIOqsSuvx]+$")
_client: Optional[Cordon] = None


class _Plain(NamedTuple):
    code: str
    args: List[str]


def _plain(words: Any, shell: bool) -> Optional[_Plain]:
    """The code that a command line gives to Python, or None."""
    if shell or isinstance(words, (str, bytes, os.PathLike)) or not isinstance(words, Sequence):
        return None
    texts = [os.fsdecode(w) for w in words]
    if not texts or not _PYTHON.match(os.path.basename(texts[0])):
        return None
    at = 1
    while at < len(texts) and _FLAGS.match(texts[at]):
        at += 1
    if at + 1 >= len(texts) or texts[at] != "-c":
        return None
    return _Plain(texts[at + 1], texts[at + 2:])


def _run(plain: _Plain, data: Optional[bytes], timeout: Optional[float]) -> "varek.ExecutionOutcome":
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
    return done


def arm(client: Optional[Cordon] = None) -> None:
    """From now on. CLIENT: another than that of the machine's defaults."""
    global _client
    _client = client or _client or Cordon()
    if getattr(subprocess.run, "cordon", False):
        return
    real = subprocess.run

    @functools.wraps(real)
    def run(*popenargs: Any, **options: Any) -> Any:
        words = popenargs[0] if popenargs else options.get("args")
        plain = _plain(words, bool(options.get("shell")))
        if plain is None:
            return real(*popenargs, **options)
        data = options.get("input")
        return _finish(words, _run(plain, data.encode() if isinstance(data, str) else data, options.get("timeout")),
                       options)

    setattr(run, "cordon", True)
    setattr(subprocess, "run", run)
