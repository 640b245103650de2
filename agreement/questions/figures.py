"""One number about questions, and the images that answers to them are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agreement.inference.jackknife import Deletions, Interval, Kind
from agreement.numeric import FloatArray, IntArray
from agreement.study.cells import Options
from agreement.study.outcome import Outcome, Used, interval, merged, outcome

ALL = "all"
ASKED = (
    "rater", "item", "prompt", "generator", "source", "question", "wording", "element_type", "element", "answer", "chosen",
)  # fmt: skip
"""Columns of a model's answers: one row per (rater, item, question). ``answer`` is the question's own, of a faithful image."""
SAID = ("item", "prompt", "question", "wording", "person", "label", "excluded", "seq")
"""Columns of people's answers; ``label`` None where they cannot tell; ``excluded`` says why an answer does not count."""
ENTITIES = frozenset({"object", "animal/human", "animal", "human", "food"})
"""The types of elements that are entities (Figure 9)."""

Unit = Literal["images", "questions", "wrong answers", "groups"]


@dataclass(frozen=True)
class Figure:
    """One number.

    Attributes:
        statistic: what it is.
        by, group: what of the images or questions it is about, such as ``element_type`` and ``color``; ``all`` and ``all``.
        rater: whose answers; None for people's own agreement. ``other``: the model that it is compared with.
        generator: whose images; ``all`` for all together.
        unit: what `n` counts.
        outcome: the value, or why there is none.
        bounds: 95 % interval, by the jackknife over prompts.
        method: how both were made, in words.
    """

    statistic: str
    by: str
    group: str
    rater: str | None
    generator: str
    unit: Unit
    outcome: Outcome
    bounds: Interval
    method: str
    other: str | None = None

    @property
    def n(self) -> int:
        """How many units it rests on."""
        return self.outcome.used.items if self.unit == "images" else self.outcome.used.ratings


@dataclass(frozen=True)
class Place:
    """What a number is about, as in ``Figure``."""

    by: str = ALL
    group: str = ALL
    rater: str | None = None
    generator: str = ALL
    other: str | None = None


@dataclass(frozen=True)
class Making:
    """What all figures of a report share: its options, and what their jackknife leaves out."""

    options: Options
    deletions: Deletions

    @classmethod
    def of(cls, options: Options | None) -> Making:
        wanted = options or Options()
        return cls(wanted, Deletions(wanted.intervals))

    def figure(
        self, statistic: str, place: Place, unit: Unit, values: FloatArray, reason: str, used: Used, how: str, kind: Kind
    ) -> Figure:
        """A figure from its value and the replicates after it."""
        made = outcome(np.asarray(values, float), reason, used, how)
        bounds, method = interval(made, kind)
        kept = Outcome(made.value, made.reason, None, made.used, made.how)
        where = (place.by, place.group, place.rater, place.generator)
        return Figure(statistic, *where, unit, kept, bounds, method, place.other)


def checked(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The frame, whose order says nothing, in one order.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"the frame of answers lacks the columns {', '.join(missing)}; it needs {', '.join(columns)}")
    names = [name for name in ("rater", "prompt", "item", "question", "person", "seq") if name in columns]
    rows = frame.sort_values(names, kind="stable", ignore_index=True)
    if "rater" in columns and rows.duplicated(["rater", "item", "question"]).any():
        raise ValueError("a rater has two answers to one question about an image")
    return rows


def images(asked: pd.DataFrame) -> pd.DataFrame:
    """The images behind one model's answers, a row each, in their order.

    Columns: ``item, prompt, generator, source, score`` (TIFA's formula 1: the share of answers equal to the question's own),
    ``questions`` (how many), ``entities`` (distinct ones that are asked for), ``asked`` (a code of the set of questions in
    their wordings: equal where the same was asked).
    """
    rows = asked.assign(right=asked["answer"] == asked["chosen"], asked=_codes(asked))
    found = rows.groupby("item", sort=True).agg(
        prompt=("prompt", "first"),
        generator=("generator", "first"),
        source=("source", "first"),
        score=("right", "mean"),
        questions=("right", "size"),
        asked=("asked", "sum"),
    )
    things = rows[rows["element_type"].isin(ENTITIES)]
    named = things.assign(thing=things["element"].str.strip().str.casefold())
    found["entities"] = named.groupby("item")["thing"].nunique().reindex(found.index, fill_value=0).astype(int)
    return found.reset_index()


def _codes(asked: pd.DataFrame) -> NDArray[np.uint64]:
    """A code of each question in its wording; sums of them (modulo 2^64) tell sets of questions apart."""
    return np.asarray(pd.util.hash_pandas_object(asked[["question", "wording"]], index=False), np.uint64)


def counted(reasons: pd.Series) -> dict[str, int]:
    """How often each reason is there, by name."""
    return merged([{str(name): int(n) for name, n in reasons.value_counts().items()}])


def codes(values: pd.Series) -> IntArray:
    """Codes in the order of the values."""
    return np.asarray(pd.factorize(values, sort=True)[0], np.int64)
