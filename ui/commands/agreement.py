"""``agreement``: the numbers, as a table or as JSON. The pages call the same functions, so they show the same digits."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pandas as pd

from agreement import (
    STATISTICS,
    ConsensusMethod,
    NoCrowdKitError,
    Options,
    PeopleAs,
    build,
    comparisons,
    consensus_rows,
    scorer_means,
    thresholds,
)
from agreement.statistics.scale import with_labels
from data.store.browse import contents
from data.store.core import frame
from data.store.core.frame import Scales
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements import remarks
from ui import following
from ui.commands import agreement_text
from ui.commands.context import CommandError, Context, UsageError

SECTIONS = ("among_people", "raters", "matrix")
Section = list[dict[str, Any]]
Rows = dict[str, Section]

FURTHER: dict[str, Callable[[pd.DataFrame, Scales, Options], Section]] = {
    "comparisons": lambda said, scales, options: [one.to_dict() for one in comparisons(said, scales, options)],
    "thresholds": lambda said, scales, options: [one.to_dict() for one in thresholds(said, scales, options=options)],
}
"""Sections that are made only when they are asked for, besides ``by_certainty``: scorer against scorer, scores to decisions."""


def run(
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
    chosen = selected(context, selection)
    rows = compute(context.store, chosen, options, further)
    if consensus:
        rows = _with_consensus(rows, _consensus(context, chosen, options, consensus))
    if people_as and rows["among_people"] and not rows["raters"]:
        context.warn(f"--people-as {people_as}: no statistic of this selection compares scorers with people in that way")
    if output == "json":
        document = {"selection": chosen.to_dict(), **rows}
        context.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1))
    else:
        for line in agreement_text.lines(rows, every=all_statistics or bool(statistics)):
            context.say(line)


def _consensus(context: Context, selection: Selection, options: Options, methods: Sequence[ConsensusMethod]) -> Rows:
    try:
        return consensus_of(context.store, selection, options, tuple(dict.fromkeys(methods)))
    except NoCrowdKitError as error:
        raise CommandError(f"--consensus {error}") from error


def _with_consensus(rows: Rows, more: Rows) -> Rows:
    """The rows of consensuses after those of their section; a section of their own after the others."""
    return rows | {name: [*rows.get(name, []), *section] for name, section in more.items()}


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
    known = contents.filter_choices(context.store) | {
        "rater": contents.rater_names(context.store),
        "tag": remarks.tag_names(context.store),
    }
    for name, values in selection.to_dict().items():
        for value in values:
            if name in known and value not in known[name]:
                near = difflib.get_close_matches(value, known[name], n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                context.warn(f"--{name} {value}: there is nothing by that name in this project{hint}")


def scales_of(store: Store) -> Scales:
    """The scales as the project uses them: a nominal one has all labels that count anywhere, whatever is selected."""
    used = frame.labels(store)
    return {about: with_labels(scale, used.get(about, ())) for about, scale in frame.scales(store).items()}


def compute(store: Store, selection: Selection, options: Options, further: Collection[str] = ()) -> Rows:
    """The rows for a selection by section: SECTIONS, ``by_certainty`` if ``options`` ask for it, and those of ``further``."""
    return rows_of(frame.frame(store, selection), scales_of(store), selection, options, further)


def rows_of(
    judgements: pd.DataFrame, scales: Scales, selection: Selection, options: Options, further: Collection[str] = ()
) -> Rows:
    """As ``compute``, from judgements that were read already (``data.store.core.frame``)."""
    rows: Rows = build(judgements, scales, _asked(selection, options)).to_dict()
    if not options.by_certainty:
        del rows["by_certainty"]
    about = {name: _about(selection, section) for name, section in rows.items()}
    return about | further_of(judgements, scales, selection, options, further)


def further_of(
    judgements: pd.DataFrame, scales: Scales, selection: Selection, options: Options, names: Collection[str]
) -> Rows:
    """These sections of FURTHER, in its order."""
    asked = _asked(selection, options)
    return {name: _about(selection, FURTHER[name](judgements, scales, asked)) for name in FURTHER if name in names}


def _asked(selection: Selection, options: Options) -> Options:
    return replace(options, certainty=selection.certainty)


def _about(selection: Selection, rows: Section) -> Section:
    """A scorer's score was let through to meet people's aspects; rows about the score itself were not asked for."""
    wanted = selection.aspect
    return [row for row in rows if not wanted or row["aspect"] in wanted]


@lru_cache(maxsize=64)
def _recall(store: Store, version: str, selection: Selection, options: Options) -> Rows:  # noqa: ARG001 - part of the key
    return compute(store, selection, options)


def recall(store: Store, selection: Selection, options: Options) -> Rows:
    """As ``compute``, but computed once for all who look while the project stays as it is. Do not change the rows."""
    return _recall(store, following.version(store), selection, options)


@lru_cache(maxsize=32)
def _recall_further(store: Store, version: str, selection: Selection, options: Options, name: str) -> Section:  # noqa: ARG001
    return further_of(frame.frame(store, selection), scales_of(store), selection, options, (name,))[name]


def recall_further(store: Store, selection: Selection, options: Options, name: str) -> Section:
    """One section of FURTHER, computed once for all who look while the project stays as it is. Do not change the rows."""
    return _recall_further(store, following.version(store), selection, options, name)


def consensus_of(store: Store, selection: Selection, options: Options, methods: Sequence[ConsensusMethod]) -> Rows:
    """The rows of consensuses of people by section: more of ``raters`` and ``matrix``, and ``quality``, of each person.

    Raises:
        NoCrowdKitError: as ``agreement.consensus_rows``.
    """
    made = consensus_rows(frame.frame(store, selection), scales_of(store), methods, _asked(selection, options)).to_dict()
    return {name: _about(selection, section) for name, section in made.items()}


@lru_cache(maxsize=16)
def _recall_consensus(
    store: Store,
    version: str,  # noqa: ARG001 - part of the key
    selection: Selection,
    options: Options,
    methods: tuple[ConsensusMethod, ...],
) -> Rows:
    return consensus_of(store, selection, options, methods)


def recall_consensus(store: Store, selection: Selection, options: Options, methods: tuple[ConsensusMethod, ...]) -> Rows:
    """As ``consensus_of``, computed once for all who look while the project stays as it is. Do not change the rows."""
    return _recall_consensus(store, following.version(store), selection, options, methods)


@lru_cache(maxsize=64)
def _means(store: Store, version: str, selection: Selection, options: Options) -> Section:  # noqa: ARG001
    return scorer_means(frame.frame(store, selection), scales_of(store), _asked(selection, options))


def means(store: Store, selection: Selection, options: Options) -> Section:
    """Each scorer's own means, computed once for all who look while the project stays as it is."""
    return _means(store, following.version(store), selection, options)
