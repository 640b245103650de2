"""Rows of what questions about images tell, of a selection of a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pandas as pd

from agreement import Options
from agreement.questions import GroupStatistic, Split, beside_people, between_models, scores, splits, with_people
from data.store.analysis import vqa_answers
from data.store.core.selection import Selection
from data.store.core.store import Store

Row = dict[str, Any]
REAL, SIMULATED = KINDS = ("real", "simulated")
"""Kinds of people, as ``agreement`` calls them."""
_SIMULATED: Final = {REAL: False, SIMULATED: True}


@dataclass(frozen=True, slots=True)
class Rows:
    """A row for each figure.

    Attributes:
        scores: each rater's of each generator; ``models``: raters compared with each other.
        people: raters compared with people, and people with each other.
        splits: raters' wrong answers counted by whose fault they are.
    """

    scores: Sequence[Row]
    models: Sequence[Row]
    people: Sequence[Row]
    splits: Sequence[Row]

    @property
    def sections(self) -> dict[str, Sequence[Row]]:
        return {name: getattr(self, name) for name in ("scores", "models", "people", "splits")}


def rows(store: Store, selection: Selection, reference: str | None = None, options: Options | None = None) -> Rows:
    """All figures of a selection, by suite. ``reference``: the generator whose images are real ones.

    Of the selection, suite, task and generator restrict the images, rater scorers and people, campaign, since and until
    people's answers.
    """
    made = Rows([], [], [], [])
    known = vqa_answers.raters(store)
    for suite in sorted(known.keys() & {*selection.suite}) if selection.suite else known:
        generators = selection.generator
        if generators and reference and reference not in generators:
            generators = (*generators, reference)
        only = replace(selection, suite=(suite,), generator=generators)
        found, said = vqa_answers.scorer_answers(store, only), vqa_answers.person_answers(store, only)
        parts = (of_scores(found, suite, reference, options), of_models(found, suite, options))
        for section, more in zip(made.sections.values(), (*parts, *of_people(found, said, suite, options)), strict=True):
            section.extend(more)  # type: ignore[attr-defined]
    return made


def of_scores(found: pd.DataFrame, suite: str, reference: str | None = None, options: Options | None = None) -> list[Row]:
    """The rows of ``Rows.scores`` of a suite's answers (``data.store.analysis.vqa_answers.scorer_answers``)."""
    return _rows(scores(found, options, reference), suite, reference=reference)


def of_models(found: pd.DataFrame, suite: str, options: Options | None = None) -> list[Row]:
    """The rows of ``Rows.models``."""
    return _rows(between_models(found, options), suite)


def of_people(
    found: pd.DataFrame, said: pd.DataFrame, suite: str, options: Options | None = None
) -> tuple[list[Row], list[Row]]:
    """The rows of ``Rows.people`` and of ``Rows.splits``; of simulated people only where there are any."""
    made: list[Row] = []
    split: list[Row] = []
    for kind in KINDS:
        heard = of_kind(said, kind)
        if kind == SIMULATED and heard.empty:
            continue
        made += _rows(beside_people(found, heard, options), suite, people=kind)
        for rater, rows in with_people(found, heard).groupby("rater", sort=True):
            split += [_split(one, suite, str(rater), kind) for one in splits(rows)]
    return made, split


def of_kind(said: pd.DataFrame, kind: str) -> pd.DataFrame:
    """What real or simulated people said."""
    return said[said["simulated"] == _SIMULATED[kind]]


def _rows(found: Iterable[GroupStatistic], suite: str, people: str | None = None, reference: str | None = None) -> list[Row]:
    """Plain types; ``n`` counts ``unit``, ``excluded`` what was left out and why."""
    return [
        {
            "suite": suite,
            "rater": one.rater,
            "other": one.other,
            "people": people,
            "generator": one.generator,
            "reference": reference is not None and one.generator == reference,
            "by": one.by,
            "group": one.group,
            "statistic": one.statistic,
            "value": one.outcome.value,
            "low": one.bounds.low,
            "high": one.bounds.high,
            "n": one.n,
            "unit": one.unit,
            "n_items": one.outcome.used.items,
            "n_questions": one.outcome.used.ratings,
            "n_prompts": one.outcome.used.clusters,
            "excluded": dict(one.outcome.used.excluded),
            "reason": one.outcome.reason,
            "method": one.method,
        }
        for one in found
    ]


def _split(one: Split, suite: str, rater: str, people: str) -> Row:
    counts = {"wrong": one.wrong, "image_wrong": one.image_wrong, "vqa_wrong": one.vqa_wrong} | one.apart
    return {"suite": suite, "rater": rater, "people": people, "by": one.by, "group": one.group} | counts
