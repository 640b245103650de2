"""``preferences``: votes on pairs and what follows from them, as tables or as JSON. The page Preferences shows the same."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agreement import Options
from ui import preferring, words
from ui.commands.agreement import selected
from ui.commands.context import Context
from ui.preferring import Row

_TITLES = {
    "votes": "Votes, by task",
    "sides": "Which side is chosen",
    "strengths": "Bradley-Terry strengths (log, mean 0; ties half a win each)",
    "beside": "Scorers beside people, on pairs where both prefer one",
    "ranks": "Spearman of winning votes and a metric's mean, over generators and tasks (SelfEval, Figure 6)",
}
_WHO = ("people", "rater", "by")
_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "votes": ("task", "a", "b", *_WHO, "a_wins", "both", "none", "tie", "b_wins", "cannot_tell", "sign_test_p"),
    "sides": (*_WHO, "left", "right", "unknown", "sign_test_p"),
    "strengths": ("task", *_WHO, "rank", "generator", "wins", "losses", "ties"),
    "beside": ("task", "a", "b", *_WHO, "same_order", "opposed"),
    "ranks": _WHO,
}


def run(context: Context, selection: Mapping[str, Sequence[str]], intervals: bool, seed: int, output: str) -> None:
    chosen = selected(context, selection)
    found = preferring.rows(context.store, chosen, Options(intervals=intervals, seed=seed)).sections
    if output == "json":
        document = {"selection": chosen.to_dict(), **found}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
        return
    if not found["votes"]:
        context.say(
            "nobody has voted on a pair of images in this selection; campaigns create NAME --questionnaire ab --generator A"
            " --generator B asks people, and campaigns start NAME begins"
        )
    for suite in dict.fromkeys(row["suite"] for row in found["votes"]):
        for name, section in found.items():
            lines = [row for row in section if row["suite"] == suite]
            if lines:
                context.say(f"{suite}: {_TITLES[name]}")
                for line in _aligned([_header(name), *(_cells(row, name) for row in lines)]):
                    context.say(f"  {line}")


def _header(section: str) -> list[str]:
    statistic = {"votes": "share of a", "sides": "share of left", "strengths": "strength", "beside": "same", "ranks": "rho"}
    return [*_COLUMNS[section], statistic[section], "95 % interval", "n", "left out", "reason"]


def _cells(row: Row, section: str) -> list[str]:
    value = "-" if row["value"] is None else f"{row['value']:.4f}"
    bounds = "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}"
    left = ", ".join(f"{words.reason(name)}: {n:,}" for name, n in row["excluded"].items())
    return [*(_text(row[name]) for name in _COLUMNS[section]), value, bounds, str(row["n_items"]), left, row["reason"] or ""]


def _text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
