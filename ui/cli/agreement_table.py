"""The command ``agreement``: its rows as tables for a terminal, or as JSON."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from agreement import STATISTICS, ConsensusMethod, Options, PeopleAs
from agreement.report.report import glance
from concord import agreement
from concord.common import wording
from concord.common.context import Context, UsageError

Row = Mapping[str, Any]
Column = Callable[[Row], str]

_TITLES = {
    "among_people": "People among themselves",
    "raters": "Scorers against people",
    "matrix": "Any two raters",
    "quality": "Persons beside the others",
    "by_certainty": "Scorers against people, by how far people agree",
    "comparisons": "Scorers compared: how much better a agrees with people than b",
    "thresholds": "Scores as decisions (yes above the threshold), against people, out of fold",
}
_WHERE = ("suite", "task", "generator", "aspect", "target")
_WHO = {
    "among_people": (),
    "raters": ("rater", "people_as"),
    "matrix": ("a", "b"),
    "quality": ("rater",),
    "by_certainty": ("rater", "people_as", "certainty"),
    "comparisons": ("a", "b", "people_as"),
    "thresholds": ("rater", "people_as"),
}


_ALONE = "Agreement takes two who judge the same: score the images, label them (uv run app.py serve), or import ratings."


def print_agreement(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    statistics: Sequence[str],
    all_statistics: bool,
    by: Sequence[str],
    further: Sequence[str],
    consensus: Sequence[ConsensusMethod],
    people_as: PeopleAs | None,
    intervals: bool,
    ceiling: bool,
    margin: float | None,
    seed: int,
    output: str,
) -> None:
    """The command ``agreement``: rows of a selection, as tables or JSON."""
    for name in statistics:
        if name not in STATISTICS:
            near = difflib.get_close_matches(name, STATISTICS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(STATISTICS))}"
            raise UsageError(f"--statistic {name}: there is no such statistic; {hint}")
    options = Options(
        statistics=tuple(statistics) or None,
        by_target="target" in by,
        by_certainty="certainty" in by,
        people_as=people_as,
        intervals=intervals,
        ceiling=ceiling,
        margin=margin,
        seed=seed,
    )
    chosen = agreement.selected(context, selection)
    rows = agreement.compute(context.store, chosen, options, further)
    if consensus:
        # the rows of consensuses after those of their section; a section of their own after the others
        more = agreement.consensus_of(context.store, chosen, options, tuple(dict.fromkeys(consensus)))
        rows = rows | {name: [*rows.get(name, []), *section] for name, section in more.items()}
    if people_as and rows["among_people"] and not rows["raters"]:
        context.warn(f"--people-as {people_as}: no statistic of this selection compares scorers with people in that way")
    if output == "json":
        document = {"selection": chosen.to_dict(), **rows}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
    else:
        every = all_statistics or bool(statistics)
        for section, found in rows.items():
            context.say(f"{_TITLES[section]}\n")
            shown, rest = (found, []) if every else glance(found)
            for text in _table(section, shown) if shown else ["  nothing to compare in this selection"]:
                context.say(text)
            if rest:
                left = wording.count(len({row["statistic"] for row in rest}), "more statistic")
                context.say(f"  {left}: --all-statistics or --format json")
            context.say("")
        if not any(rows.values()):
            context.say(_ALONE)


def _table(section: str, rows: Sequence[Row]) -> Iterator[str]:
    names = [*_WHERE, *_WHO[section], "people", "statistic"]
    names = [name for name in names if any(row[name] is not None for row in rows)]
    columns = _columns(section)
    if not any(row.get("ceiling") for row in rows):
        columns = {name: text for name, text in columns.items() if name not in _OF_CEILING}
    told = [
        [*("" if row[name] is None else str(row[name]) for name in names), *(text(row) for text in columns.values())]
        for row in rows
    ]
    table = [[*names, *columns], *told]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        yield "  " + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()


def _columns(section: str) -> dict[str, Column]:
    """The columns of numbers by title."""
    made: dict[str, Column] = {
        "value": lambda row: _number(row["value"]),
        "95 % interval": lambda row: "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}",
    }
    more = {"raters": _OF_CEILING, "comparisons": _OF_DUEL, "thresholds": _OF_CUT}.get(section, {})
    end: dict[str, Column] = {
        "items": lambda row: str(row["n_items"]),
        "ratings": lambda row: str(row["n_ratings"]),
        "reason": lambda row: row["reason"] or "",
    }
    return made | more | end


def _verdict(row: Row) -> str:
    """Where a scorer stands beside people, or why that cannot be said."""
    ceiling = row["ceiling"]
    if ceiling is None:
        return ""
    return wording.verdict(ceiling["verdict"]) if ceiling["verdict"] else str(ceiling["verdict_reason"] or "")


_OF_CEILING: dict[str, Column] = {
    "people's own": lambda row: _number(row["ceiling"]["value"]) if row["ceiling"] else "",
    "verdict": _verdict,
}
_OF_DUEL: dict[str, Column] = {
    "of a": lambda row: _number(row["value_a"]),
    "of b": lambda row: _number(row["value_b"]),
    "p (Holm)": lambda row: _number(row["p_holm"]),
    "McNemar's p (Holm)": lambda row: _number(row["mcnemar"]["p_mcnemar_holm"]) if row["mcnemar"] else "",
}
_OF_CUT: dict[str, Column] = {
    "threshold": lambda row: _number(row["threshold"]),
    "in sample": lambda row: _number(row["in_sample"]),
}


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
