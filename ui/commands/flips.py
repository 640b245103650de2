"""``flips``: the flip test as a table, as Markdown or as JSON. The page Explore shows the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from agreement import Options
from agreement.flips import DELTA, FLIPPED, PREFERRED, SCORE, TIED
from data.prompts.flips import check_kind
from ui import flipping
from ui.commands.agreement import selected
from ui.commands.context import Context, UsageError
from ui.flipping import Row, Rows, wide

_WHO = ("suite", "rater", "generator")
_INTERVAL = "95 % interval"
_HEADER = (*_WHO, SCORE, _INTERVAL, FLIPPED, DELTA, _INTERVAL, PREFERRED, _INTERVAL, TIED, "images", "reason")


def run(context: Context, selection: Mapping[str, Sequence[str]], kind: str, intervals: bool, output: str) -> None:
    try:
        check_kind(kind)
    except ValueError as error:
        raise UsageError(f"--kind: {error}") from error
    chosen = selected(context, selection)
    found = flipping.rows(context.store, chosen, kind, Options(intervals=intervals))  # type: ignore[arg-type]
    if output == "json":
        document = {"selection": chosen.to_dict(), "flip": kind, "unflippable": found.unflippable, "flips": found.rows}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    for line in _lines(found, kind, _markdown if output == "md" else _aligned):
        context.say(line)
    for command in dict.fromkeys(row["command"] for row in found.rows if row["command"]):
        context.warn(f"not all flipped prompts have been read yet; to have that done: {command}")


def _lines(found: Rows, kind: str, made: Callable[[Sequence[Sequence[str]]], Iterator[str]]) -> Iterator[str]:
    if found.rows:
        yield from made([_HEADER, *(_cells(row) for row in wide(found.rows))])
    elif not found.unflippable:
        yield "nothing to compare in this selection"
    for suite in found.unflippable:
        yield f"no prompt of {suite} asks for a {kind} that could be flipped"


def _cells(row: Mapping[str, Row]) -> Sequence[str]:
    score, delta, preferred = row[SCORE], row[DELTA], row[PREFERRED]
    tied = str(preferred["excluded"].get(TIED, 0)) if score["n_items"] else ""
    values = [_number(score), _interval(score), _number(row[FLIPPED]), _number(delta), _interval(delta)]
    values += [_number(preferred), _interval(preferred), tied, str(score["n_items"])]
    return [*(str(score[name]) for name in _WHO), *values, delta["reason"] or preferred["reason"] or ""]


def _number(row: Row) -> str:
    return "-" if row["value"] is None else f"{row['value']:.4f}"


def _interval(row: Row) -> str:
    return "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def _markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    head, *rest = rows
    for row in (head, ["---"] * len(head), *rest):
        yield "| " + " | ".join(" ".join(text.split()).replace("|", "\\|") for text in row) + " |"
