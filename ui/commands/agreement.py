"""``agreement``: the numbers, as a table or as JSON. The pages call the same functions, so they show the same digits."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from agreement import STATISTICS, Options, PeopleAs, build, scorer_means
from data.store import browse, frame
from data.store.selection import Selection
from data.store.store import Store
from ui.commands.context import Context, UsageError

SECTIONS = ("among_people", "raters", "matrix")
Rows = dict[str, list[dict[str, Any]]]


def run(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    statistics: Sequence[str],
    by_target: bool,
    people_as: PeopleAs | None,
    intervals: bool,
    seed: int,
    output: str,
) -> None:
    for name in statistics:
        if name not in STATISTICS:
            near = difflib.get_close_matches(name, STATISTICS, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(sorted(STATISTICS))}"
            raise UsageError(f"--statistic {name}: there is no such statistic; {hint}")
    options = Options(
        statistics=tuple(statistics) or None, by_target=by_target, people_as=people_as, intervals=intervals, seed=seed
    )
    chosen = selected(context, selection)
    rows = compute(context.store, chosen, options)
    if people_as and rows["among_people"] and not rows["raters"]:
        context.warn(f"--people-as {people_as}: no statistic of this selection compares scorers with people in that way")
    if output == "json":
        document = {"selection": chosen.to_dict(), **rows}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
    else:
        _print(context, rows)


def selected(context: Context, selection: Mapping[str, Sequence[str]]) -> Selection:
    """The selection that a command's options mean; a name that the project does not know is worth a word.

    Raises:
        UsageError: an option has a value that it cannot have.
    """
    try:
        chosen = Selection.of(lambda name: selection.get(name, ()))
    except ValueError as error:
        raise UsageError(str(error)) from error
    _warn_of_typos(context, chosen)
    return chosen


def _warn_of_typos(context: Context, selection: Selection) -> None:
    """An empty answer may be right; a name that the project does not know is worth a word."""
    known = browse.choices(context.store) | {"rater": browse.rater_names(context.store)}
    for name, values in selection.to_dict().items():
        for value in values:
            if name in known and value not in known[name]:
                near = difflib.get_close_matches(value, known[name], n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                context.warn(f"--{name} {value}: there is nothing by that name in this project{hint}")


def compute(store: Store, selection: Selection, options: Options) -> Rows:
    """The three sections of rows for a selection."""
    return rows_of(frame.frame(store, selection), frame.scales(store), selection, options)


def rows_of(judgements: pd.DataFrame, scales: Mapping[tuple[str, str], str], selection: Selection, options: Options) -> Rows:
    """As ``compute``, from judgements that were read already (``data.store.frame``)."""
    rows: Rows = build(judgements, scales, options).to_dict()
    # a scorer's score was let through to meet people's aspects; rows about the score itself were not asked for
    wanted = selection.aspect
    kept = {name: [row for row in section if not wanted or row["aspect"] in wanted] for name, section in rows.items()}
    return {name: section for name, section in kept.items() if section or name in SECTIONS}


@lru_cache(maxsize=64)
def _recall(store: Store, version: str, selection: Selection, options: Options) -> Rows:  # noqa: ARG001 - part of the key
    return compute(store, selection, options)


def recall(store: Store, selection: Selection, options: Options) -> Rows:
    """As ``compute``, but computed once for all who look while the project stays as it is. Do not change the rows."""
    return _recall(store, store.version, selection, options)


@lru_cache(maxsize=64)
def _means(store: Store, version: str, selection: Selection, options: Options) -> list[dict[str, Any]]:  # noqa: ARG001
    return scorer_means(frame.frame(store, selection), frame.scales(store), options)


def means(store: Store, selection: Selection, options: Options) -> list[dict[str, Any]]:
    """Each scorer's own means, computed once for all who look while the project stays as it is."""
    return _means(store, store.version, selection, options)


_TITLES = {"among_people": "People among themselves", "raters": "Scorers against people", "matrix": "Any two raters"}
_WHO = {"among_people": (), "raters": ("rater", "people_as"), "matrix": ("a", "b")}
_WHERE = ("suite", "task", "generator", "aspect", "target")


def _print(context: Context, rows: Rows) -> None:
    for section in SECTIONS:
        context.say(f"{_TITLES[section]}\n")
        if not rows[section]:
            context.say("  nothing to compare in this selection\n")
            continue
        names = [*_WHERE, *_WHO[section], "people", "statistic"]
        names = [name for name in names if any(row[name] is not None for row in rows[section])]
        header = [*names, "value", "95 % interval", "items", "ratings", "reason"]
        lines = [
            header,
            *([*(str(row[name] if row[name] is not None else "") for name in names), *_numbers(row)] for row in rows[section]),
        ]
        widths = [max(len(line[n]) for line in lines) for n in range(len(header))]
        for line in lines:
            context.say("  " + "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip())
        context.say("")


def _numbers(row: Mapping[str, Any]) -> list[str]:
    value = "-" if row["value"] is None else f"{row['value']:.4f}"
    interval = "" if row["low"] is None else f"{row['low']:.4f} .. {row['high']:.4f}"
    return [value, interval, str(row["n_items"]), str(row["n_ratings"]), row["reason"] or ""]
