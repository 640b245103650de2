"""``itm``: how well scorers match images and texts, as tables or as JSON. The page Matching shows the same numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from agreement import Options
from ui import matching, words
from ui.commands.agreement import selected
from ui.commands.context import Context
from ui.matching import Row
from ui.matching.rows import EVALUATIONS, by_place

_SCORES = ("text_score", "image_score", "group_score")


def run(context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, output: str) -> None:
    chosen = selected(context, selection)
    found = matching.rows(context.store, chosen, Options(intervals=intervals))
    if output == "json":
        document = {"selection": chosen.to_dict(), **found.sections}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    if not found.matching:
        context.say(
            "no scorer has chosen captions for images of this selection; first: import itm --playground, then score clipmatch"
        )
    for suite in dict.fromkeys(row["suite"] for row in found.matching):
        tables = {
            "Accuracy against chance": list(_accuracy(_of(found.matching, suite))),
            "Winoground": list(_winoground(_of(found.winoground, suite))),
            "Votes: only one of two is right": list(_votes(_of(found.votes, suite))),
            "By the first trials": list(_trials(_of(found.trials, suite))),
        }
        for title, lines in tables.items():
            if len(lines) > 1:
                context.say(f"{suite}: {title}")
                for line in aligned(lines):
                    context.say(f"  {line}")


def _of(listed: Sequence[Row], suite: str) -> list[Row]:
    return [row for row in listed if row["suite"] == suite]


def _accuracy(listed: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    yield ("rater", "images of", "task", "accuracy", "95 % interval", "chance", "above chance", "95 % interval", "posterior",
           "rank", "evaluations", "n", "left out", "")  # fmt: skip
    for (_, generator, task, rater), of in sorted(by_place(listed).items(), key=lambda item: (item[0][3], item[0][1])):
        accuracy, above = of["accuracy"], of["accuracy_less_chance"]
        left = ", ".join(f"{words.reason(name)}: {n:,}" for name, n in accuracy["excluded"].items())
        shares = [number(accuracy), between(accuracy), number(of["chance"]), number(above), between(above)]
        spent = number(of[EVALUATIONS]) if EVALUATIONS in of else ""
        further = (number(of["posterior"]), number(of["rank"], 2), spent, f"{accuracy['n']:,}", left)
        yield rater, generator, task, *shares, *further, accuracy["reason"] or ""


def _winoground(listed: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    yield "rater", "images of", "task", *(f"{name.replace('_', ' ')}, 95 %" for name in _SCORES), "groups"
    places: dict[tuple[str, str, str], dict[str, Row]] = {}
    for row in listed:
        places.setdefault((row["rater"], row["generator"], row["task"]), {})[row["statistic"]] = row
    for place, of in places.items():
        yield *place, *(f"{number(of[name])} {between(of[name])}".strip() for name in _SCORES), str(of[_SCORES[0]]["n"])


def _votes(listed: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    yield "a", "b", "images of", "task", "only a", "only b", "both", "neither", "difference", "95 % interval"
    for row in listed:
        counts = (f"{row[name]:,}" for name in ("only_a", "only_b", "both", "neither"))
        yield row["a"], row["b"], row["generator"], row["task"], *counts, number(row), between(row)


def _trials(listed: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    yield "rater", "images of", "trials", "accuracy", "95 % interval", "n"
    for row in listed:
        yield row["rater"], row["generator"], str(row["trials"]), number(row), between(row), f"{row['n']:,}"


def number(row: Row, digits: int = 3) -> str:
    """A value with so many digits; a dash where there is none."""
    return "-" if row["value"] is None else f"{row['value']:.{digits}f}"


def between(row: Row) -> str:
    """The interval; nothing where there is none."""
    return "" if row["low"] is None else f"{row['low']:.3f} .. {row['high']:.3f}"


def aligned(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns under each other; those that are empty but for their head are left out."""
    kept = [k for k in range(len(lines[0])) if any(line[k] for line in lines[1:])]
    widths = [max(len(line[k]) for line in lines) for k in kept]
    for line in lines:
        yield "  ".join(line[k].ljust(width) for k, width in zip(kept, widths, strict=True)).rstrip()
