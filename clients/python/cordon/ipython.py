# SPDX-License-Identifier: MIT
"""%load_ext cordon.ipython, then %%cordon in a cell: the code of the cell runs in the box. Its output, its plots
(matplotlib) and the value of its last line are shown; a table (pandas) as a table. The program only returns data:
plots are PNG, and a table is text that becomes HTML here. So no markup or script of the program gets into the
notebook."""
from __future__ import annotations

import ast
import base64
import html
import json
import secrets
import shlex
import sys
from dataclasses import replace
from typing import Any, Dict, List, Optional, Tuple

from . import _call
from ._call import Call, Option
from ._client import Cordon
from ._errors import BadRequest, CordonError
from ._model import Output, Result

IMAGES_MAX, IMAGE_BYTES, ROWS_MAX, COLUMNS_MAX, CELL_MAX = 16, 8 << 20, 60, 30, 200
_FLAGS = ("diff", "apply", "user", "exposed", "wait", "telemetry")

# Runs in the box after the code of the cell. @ stands for the mark at the beginning of its lines.
_EPILOGUE = '''

def _cordon_show(last):
    import json, sys
    def say(**item):
        print("@" + json.dumps(item), flush=True)
    if hasattr(last, "to_dict") and hasattr(last, "columns") and hasattr(last, "index"):
        part = last.iloc[:ROWS, :COLUMNS]
        say(columns=[str(c) for c in part.columns], index=[str(i) for i in part.index],
            rows=[[str(v) for v in row] for row in part.values.tolist()], shape=list(last.shape))
    elif last is not None:
        say(text=repr(last))
    plots = sys.modules.get("matplotlib.pyplot")
    for number in plots.get_fignums()[:IMAGES] if plots else ():
        import base64, io
        data = io.BytesIO()
        plots.figure(number).savefig(data, format="png", bbox_inches="tight")
        say(png=base64.b64encode(data.getvalue()).decode())
_cordon_show(_cordon_last)
'''.replace("ROWS", str(ROWS_MAX)).replace("COLUMNS", str(COLUMNS_MAX)).replace("IMAGES", str(IMAGES_MAX))


def prepared(cell: str, mark: str) -> str:
    """The cell with code that shows the value of its last line. The line numbers stay the same."""
    tree = ast.parse(cell)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return cell + "\n_cordon_last = None\n" + _EPILOGUE.replace("@", mark)
    lines = cell.encode().split(b"\n")
    start, end = last.lineno - 1, (last.end_lineno or last.lineno) - 1
    lines[end] = lines[end][:last.end_col_offset] + b")" + lines[end][last.end_col_offset or 0:]
    lines[start] = lines[start][:last.col_offset] + b"_cordon_last = (" + lines[start][last.col_offset:]
    return b"\n".join(lines).decode() + "\n" + _EPILOGUE.replace("@", mark)


def options(line: str) -> Tuple[Option, ...]:
    """The options of cordon run behind %%cordon."""
    words, found = shlex.split(line), []  # type: List[str], List[Option]
    while words:
        name, has_value, value = words.pop(0).partition("=")
        if not name.startswith("--"):
            raise BadRequest(f"%%cordon: \"{name}\" is not an option of cordon run")
        name = name[2:]
        if not has_value and name not in _FLAGS:
            if not words:
                raise BadRequest(f"%%cordon: --{name} needs a value")
            value = words.pop(0)
        found.append((name, None if name in _FLAGS else value))
    return tuple(found)


def _table(item: Dict[str, Any]) -> str:
    def row(cells: List[Any], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(str(c)[:CELL_MAX])}</{tag}>" for c in cells[:COLUMNS_MAX + 1])
    body = "".join(f"<tr>{row([i], 'th')}{row(list(r), 'td')}</tr>"
                   for i, r in list(zip(item["index"], item["rows"]))[:ROWS_MAX])
    size = " x ".join(str(int(n)) for n in item["shape"][:2])
    return f"<table><thead><tr><th></th>{row(list(item['columns']), 'th')}</tr></thead><tbody>{body}</tbody></table><p>{size}</p>"


def _bundle(item: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """ITEM as IPython displays it, or None if it is invalid."""
    if "png" in item:
        data = base64.b64decode(str(item["png"]), validate=True)
        if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) <= IMAGE_BYTES:
            return {"image/png": base64.b64encode(data).decode(), "text/plain": "<a plot>"}
        return None
    if "columns" in item:
        return {"text/html": _table(item), "text/plain": "<a table>"}
    return {"text/plain": str(item["text"])} if "text" in item else None


class CellOutput:
    """Shows the output of a cell: a line with the mark as a value, a plot or a table, other lines as text."""

    def __init__(self, mark: str) -> None:
        self._mark, self._held, self._shown = mark.encode(), b"", 0

    def take(self, o: Output) -> None:
        if o.stream == "stderr":
            sys.stderr.write(o.text)
            return
        *lines, self._held = (self._held + o.data).split(b"\n")
        for line in lines:
            self._line(line + b"\n")
        keep = self._mark_start()
        self._print(self._held[:keep])
        self._held = self._held[keep:]

    def _mark_start(self) -> int:
        """The offset of the mark, or of a part of it at the end, in the text that is not shown yet."""
        at = self._held.find(self._mark)
        if at >= 0:
            return at
        for size in range(min(len(self._mark), len(self._held)), 0, -1):
            if self._held.endswith(self._mark[:size]):
                return len(self._held) - size
        return len(self._held)

    def end(self) -> None:
        self._line(self._held)

    def _print(self, data: bytes) -> None:
        sys.stdout.write(data.decode("utf-8", "backslashreplace"))

    def _line(self, line: bytes) -> None:
        before, mark, item = line.partition(self._mark)
        self._print(before)
        if mark and not self._show(item):
            self._print(mark + item)

    def _show(self, data: bytes) -> bool:
        from IPython.display import display  # type: ignore[import]
        try:
            bundle = _bundle(json.loads(data))
        except (ValueError, KeyError, TypeError, AttributeError):
            return False
        self._shown += 1
        if bundle is None or self._shown > IMAGES_MAX + 1:
            return False
        display(bundle, raw=True)
        return True


def run_cell(client: Cordon, line: str, cell: str) -> Result:
    mark = "cordon-" + secrets.token_hex(8) + ":"
    out = CellOutput(mark)
    call: Call = _call.run_call(prepared(cell, mark), on_output=out.take, output="32M")
    said = options(line)
    names = {name for name, _ in said}
    call = replace(call, options=tuple(o for o in call.options if o[0] not in names) + said)
    try:
        return client.perform(call)
    finally:
        out.end()


def cordon_magic(line: str, cell: str) -> None:
    """%%cordon [OPTION...]: runs the cell in Cordon's box; options are those of cordon run."""
    try:
        result = run_cell(Cordon(), line, cell)
    except SyntaxError as e:
        print(f"cordon: {e}", file=sys.stderr)
        return
    except CordonError as e:
        print(f"cordon: {e}", file=sys.stderr)
        return
    for denial in result.denials[:8] if not result.ok else ():
        print(f"cordon: refused: {denial.call} {denial.target!r} ({denial.rule})", file=sys.stderr)


def load_ipython_extension(ipython: Any) -> None:
    ipython.register_magic_function(cordon_magic, "cell", "cordon")
