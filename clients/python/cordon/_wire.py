# SPDX-License-Identifier: MIT
"""Parses the output of cordon: lines into events, events into a result, answers into objects. It knows neither
processes nor threads. A stream that ends without a result is an error: an incomplete answer must never look like a
complete one."""
from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional

from ._errors import BadRequest, Broken, CordonError, TooOld, from_failure
from ._model import (Event, Failure, Finished, Gap, Output, Refusal, Result, Started, Telemetry, Touched, Unknown,
                     Waiting, data_of, take)

LINE_MAX = 64 << 20


class Ending(NamedTuple):
    """The end of the program cordon: its exit status (-N: signal N), and WORDS, its standard error."""
    status: int
    words: str
    program: str


class Lines:
    """Splits a stream of bytes into lines."""

    def __init__(self) -> None:
        self._parts: List[bytes] = []
        self._held = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        while data:
            line, end, data = data.partition(b"\n")
            self._parts.append(line)
            self._held += len(line)
            if self._held > LINE_MAX:
                raise Broken(f"line longer than {LINE_MAX} bytes")
            if end:
                whole = b"".join(self._parts)
                self._parts, self._held = [], 0
                yield whole


def _output(data: Mapping[str, Any]) -> Output:
    return Output(stream=data["event"], data=data_of(data), omitted=data.get("omitted", 0), ms=data.get("ms", 0))


_MAKERS: Mapping[str, Callable[[Mapping[str, Any]], Event]] = {
    "started": lambda d: take(Started, d), "pending": lambda d: take(Waiting, d), "stdout": _output,
    "stderr": _output, "denial": lambda d: take(Refusal, d), "limit": lambda d: take(Touched, d),
    "telemetry": lambda d: take(Telemetry, d)}


class RunReader:
    """Parses the lines of one run into events; the last is Finished."""

    def __init__(self) -> None:
        self._out: Dict[str, List[bytes]] = {"stdout": [], "stderr": []}
        self._cut: Dict[str, Gap] = {}
        self.result: Optional[Result] = None

    def take(self, line: bytes) -> Event:
        if self.result is not None:
            raise Broken("output after the result of cordon")
        try:
            data = json.loads(line)
            event = str(data["event"])
            if event == "result":
                return self._finish(data)
            made = _MAKERS.get(event, lambda d: Unknown(event=event, ms=d.get("ms", 0), raw=d))(data)
        except (ValueError, KeyError, TypeError, AttributeError) as e:
            raise Broken("invalid event from cordon", cause=f"{e!r} in {line[:200]!r}") from e
        if isinstance(made, Output):
            self._keep(made)
        return made

    def _keep(self, o: Output) -> None:
        parts = self._out[o.stream]
        if o.omitted:
            self._cut[o.stream] = Gap(omitted=o.omitted, at=sum(map(len, parts)))
        parts.append(o.data)

    def _finish(self, data: Mapping[str, Any]) -> Finished:
        out = {name: b"".join(parts) for name, parts in self._out.items()}
        plain = {k: v for k, v in data.items() if k not in ("truncated", "stdout", "stderr")}
        cut = {name: replace(gap, total=data.get(name + "_bytes", 0)) for name, gap in self._cut.items()}
        self.result = replace(take(Result, plain), stdout=out["stdout"], stderr=out["stderr"], truncated=cut)
        return Finished(result=self.result, ms=data.get("ms", 0))

    def end(self, ending: Ending) -> Result:
        """The result, after the last line."""
        if self.result is None:
            raise no_answer(ending)
        if ending.status == 125 and self.result.status != "error":
            raise Broken("cordon could not write its whole answer", cause=_last(ending), result=self.result)
        if _is_unknown(self.result.error):
            assert self.result.error is not None
            raise _too_old(ending, self.result.error.message)
        return self.result


def _is_unknown(failure: Optional[Failure]) -> bool:
    return failure is not None and failure.kind == "usage" and failure.message.startswith(
        ("there is no option ", "there is no command "))


def _too_old(ending: Ending, words: str) -> TooOld:
    return TooOld(f"{ending.program} is older than this client: {words}",
                  cure="install a newer cordon, or an older package of Python")


def _last(ending: Ending) -> str:
    return ending.words.strip()[-2000:]


def no_answer(ending: Ending) -> CordonError:
    """The error for a missing answer."""
    words = _last(ending)
    for line in words.splitlines():
        line = line[len("cordon: "):] if line.startswith("cordon: ") else line
        if line.startswith(("there is no option ", "there is no command ")):
            return _too_old(ending, line)
    if ending.status < 0:
        return Broken(f"cordon was killed by signal {-ending.status} before it returned a result", cause=words)
    return Broken(f"cordon exited with status {ending.status} and returned no result", cause=words)


def answer(out: bytes, ending: Ending) -> Any:
    """The JSON answer of a command; an answer with an error is raised. The exit status does not matter: some
    commands answer with another status than 0."""
    if not out.strip():
        raise no_answer(ending)
    try:
        data = json.loads(out)
    except ValueError as e:
        raise Broken("invalid JSON from cordon", cause=f"{e}; {_last(ending)}") from e
    failure = data.get("error") if isinstance(data, dict) else None
    if isinstance(failure, dict):
        known = take(Failure, failure)
        if _is_unknown(known):
            raise _too_old(ending, known.message)
        raise from_failure(known)
    if ending.status < 0:
        raise no_answer(ending)
    return data


def objects(data: Any, name: str = "") -> List[Mapping[str, Any]]:
    """A list of JSON objects, from the field NAME of DATA if one is named."""
    data = data.get(name) if name and isinstance(data, dict) else data
    if not isinstance(data, list):
        raise Broken("invalid answer from cordon: not a list")
    return data


def records(out: bytes, ending: Ending) -> List[Mapping[str, Any]]:
    """One object for each line; there may be no line."""
    lines = out.splitlines()
    if ending.status != 0:
        answer(out, ending)
        raise no_answer(ending)
    return [answer(line, ending) for line in lines]


__all__ = ["BadRequest", "Ending", "Lines", "RunReader", "answer", "no_answer", "objects", "records"]
