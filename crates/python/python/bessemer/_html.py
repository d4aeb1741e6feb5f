"""What notebooks show: arrays as tables, and evaluation plans as pictures of their steps."""

from __future__ import annotations

import html
import re
from typing import Any, NamedTuple

_MOST = 10
"""The most rows and columns of a table."""


def array(x: Any) -> str:
    """An array: a table if it has two dimensions at most, with a line that says what it is."""
    caption = f"{x.dtype.name} [{', '.join(map(str, x.shape))}] on {x.device}"
    if x.ndim not in (1, 2) or x.size == 0:
        return f"<div><pre>{html.escape(str(x))}</pre><small>{html.escape(caption)}</small></div>"
    table = x if x.ndim == 2 else x[None, :]
    rows, columns = (_shown(size) for size in table.shape)
    cells = {(i, j): table[i, j] for i in rows for j in columns if i is not None and j is not None}
    import bessemer

    bessemer.eval(list(cells.values()))
    lines = []
    for i in rows:
        if i is None:
            lines.append("<tr>" + "<td>⋮</td>" * len(columns) + "</tr>")
            continue
        words = ["…" if j is None else html.escape(str(cells[i, j])) for j in columns]
        style = ' style="text-align: right"'
        lines.append("<tr>" + "".join(f"<td{style}>{word}</td>" for word in words) + "</tr>")
    return f"<div><table>{''.join(lines)}</table><small>{html.escape(caption)}</small></div>"


def _shown(size: int) -> list[int | None]:
    """Which of so many are shown; `None` stands for those that are not."""
    if size <= _MOST:
        return list(range(size))
    half = _MOST // 2
    return [*range(half), None, *range(size - half, size)]


class _Step(NamedTuple):
    number: int
    title: str
    inputs: list[tuple[str, int]]
    """What it reads: a text, and the number of the step that made it, or 0 for memory."""
    program: str


_HEAD = re.compile(r"#(\d+) (.*)")
_OPERAND = re.compile(r"[(,] ?(\w+ \[[\d, ]*\]) of (?:#(\d+)|memory)")
_INPUT = re.compile(r"   (\w+): (.*?)(?: of (#(\d+)|memory).*)?$")


def _steps(text: str) -> list[_Step]:
    steps: list[_Step] = []
    for line in text.splitlines():
        if head := _HEAD.match(line):
            steps.append(_Step(int(head[1]), head[2], [], ""))
            # Ops that are no programs have what they read in brackets.
            for what, source in _OPERAND.findall(head[2]):
                steps[-1].inputs.append((what, int(source or 0)))
        elif steps and line.startswith("   | "):
            steps[-1] = steps[-1]._replace(program=steps[-1].program + line[5:] + "\n")
        elif steps and (found := _INPUT.match(line)):
            steps[-1].inputs.append((f"{found[1]}: {found[2]}", int(found[4] or 0)))
    return steps


_WIDTH, _ROW, _GAP, _PAD = 460, 18, 34, 10


def plan(text: str) -> str:
    """A plan as a picture: a box for each step, what it reads, and arrows from where that comes."""
    steps = _steps(text)
    if not steps:
        return f"<pre>{html.escape(text)}</pre>"
    places: dict[int, tuple[int, int]] = {}
    boxes: list[str] = []
    top = _PAD
    for step in steps:
        height = _ROW * (len(step.inputs) + 1) + _PAD
        places[step.number] = (top, height)
        boxes.append(_box(step, top, height))
        top += height + _GAP
    arrows = [
        _arrow(places[source], places[step.number], lane)
        for step in steps
        for lane, (_, source) in enumerate(step.inputs)
        if source in places
    ]
    head = (
        '<defs><marker id="bm-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>'
    )
    size = f'width="{_WIDTH + 80}" height="{top - _GAP + _PAD}"'
    picture = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{head}{"".join(arrows)}{"".join(boxes)}</svg>'
    details = f"<details><summary>programs</summary><pre>{html.escape(text)}</pre></details>"
    return f"<div>{picture}{details}</div>"


def _box(step: _Step, top: int, height: int) -> str:
    font = 'font-family="monospace" font-size="12"'
    fill = "#eef4ff" if step.program else "#fff4e6"
    lines = [
        f'<g><title>{html.escape(step.program or step.title)}</title><rect x="1" y="{top}" width="{_WIDTH}" '
        f'height="{height}" rx="6" fill="{fill}" stroke="#666"/>',
        f'<text x="{_PAD}" y="{top + _ROW}" {font} font-weight="bold">'
        f"#{step.number} {html.escape(step.title)}</text>",
    ]
    for i, (what, source) in enumerate(step.inputs):
        origin = f" ← #{source}" if source else ""
        lines.append(
            f'<text x="{2 * _PAD}" y="{top + _ROW * (i + 2)}" {font} fill="#444">'
            f"{html.escape(what)}{origin}</text>"
        )
    return "".join(lines) + "</g>"


def _arrow(source: tuple[int, int], target: tuple[int, int], lane: int) -> str:
    start = source[0] + source[1] // 2
    end = target[0] + _ROW * (lane + 2) - 4
    bend = _WIDTH + 24 + 8 * lane
    path = f"M{_WIDTH} {start}C{bend} {start} {bend} {end} {_WIDTH + 2} {end}"
    return f'<path d="{path}" fill="none" stroke="#666" marker-end="url(#bm-tip)"/>'
