"""``vqa``: what questions about images tell, as tables or as JSON. The page Explore shows the same numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from agreement import Options
from ui import vqa, words
from ui.commands.agreement import selected
from ui.commands.context import Context
from ui.vqa import Row

_TITLES = {
    "scores": "Scores of generators",
    "models": "VQA models beside each other",
    "people": "VQA models beside people",
    "splits": "Wrong answers, by whose fault they are",
}
_HEADERS = (
    "rater",
    "other",
    "people",
    "generator",
    "by",
    "group",
    "statistic",
    "value",
    "95 % interval",
    "n",
    "excluded",
    "reason",
)
_COUNTED = ("wrong", "image_wrong", "vqa_wrong", "undecided", "cannot_tell", "other_version", "not_asked")


def run(context: Context, selection: Mapping[str, Sequence[str]], reference: str | None, intervals: bool, output: str) -> None:
    chosen = selected(context, selection)
    found = vqa.rows(context.store, chosen, reference, Options(intervals=intervals))
    if reference is not None and not any(row["reference"] for row in found.scores):
        context.warn(f"--reference {reference}: no questions were answered about images by that name in this selection")
    if output == "json":
        document = {"selection": chosen.to_dict(), "reference": reference, **found.sections}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    if not found.scores:
        context.say("no scorer has answered questions about images of this selection")
    for suite in dict.fromkeys(row["suite"] for row in found.scores):
        for name, section in found.sections.items():
            lines = [row for row in section if row["suite"] == suite]
            if lines:
                context.say(f"{suite}: {_TITLES[name]}")
                for line in _aligned(_counts(lines) if name == "splits" else _figures(lines)):
                    context.say(f"  {line}")


def _figures(lines: Sequence[Row]) -> list[tuple[str, ...]]:
    made = [_HEADERS, *(_cells(row) for row in lines)]
    # what is the same everywhere and empty need no column
    kept = [k for k, name in enumerate(_HEADERS) if any(row[k] for row in made[1:]) or name == "value"]
    return [tuple(row[k] for k in kept) for row in made]


def _cells(row: Row) -> tuple[str, ...]:
    value = "-" if row["value"] is None else f"{row['value']:.4f}"
    interval = "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}"
    left = ", ".join(f"{words.reason(name)}: {n:,}" for name, n in row["excluded"].items())
    names = (row["rater"], row["other"], row["people"], row["generator"], row["by"], row["group"])
    n = f"{row['n']:,} {row['unit']}"
    return (*(name or "" for name in names), row["statistic"], value, interval, n, left, row["reason"] or "")


def _counts(lines: Sequence[Row]) -> list[tuple[str, ...]]:
    head = ("rater", "people", "by", "group", *_COUNTED)
    return [head, *(tuple(str(row[name]) for name in head) for row in lines)]


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
