"""What a report is made of: a selection's ratings and estimates, and what is gathered beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import pandas as pd

from agreement import Options, ThresholdCurve
from agreement.estimate import Estimate
from agreement.meta.units import Finding
from concord.agreement import AgreementRows
from data.campaigns.recruitment import NOT_REPORTED, RECRUITMENT_FIELDS
from data.store.analysis.exports import ScorerDescription
from data.store.core.selection import Selection
from ui.report.sections import SampleImage, Topic, is_whole, topic_of

FIELD_TITLES: Final[Mapping[str, str]] = {
    **{name: described.title for name, described in RECRUITMENT_FIELDS.items()},
    # what nobody is asked, as Concord counts it
    **{"overlap": "People for each item", "time": "Time", "period": "Period"},
}
"""Titles of the fields that describe recruitment, by name."""


@dataclass(frozen=True, slots=True)
class Recruitment:
    """One campaign, or all that is of none: what was said by field, and what Concord counted by field."""

    name: str
    said: Mapping[str, str]
    counted: Mapping[str, str]

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Field, said, counted; a field of neither is not reported."""
        for name, title in FIELD_TITLES.items():
            counted = self.counted.get(name, "")
            if name in RECRUITMENT_FIELDS or counted:
                yield title, self.said.get(name, "" if counted else NOT_REPORTED), counted


@dataclass(frozen=True, slots=True)
class Confusion:
    """Answers crossed: ``table[row][column]`` counts images (or targets) by people's majority; ``rater`` in rows."""

    suite: str
    aspect: str
    people: str
    rater: str
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """For machines: one row per cell."""
        about = {"suite": self.suite, "aspect": self.aspect, "people": self.people, "rater": self.rater}
        for label, counts in zip(self.labels, self.table, strict=True):
            for other, n in zip(self.labels, counts, strict=True):
                yield about | {"rater_says": label, "people_say": other, "n_images": int(n)}


@dataclass(frozen=True, slots=True)
class ScorerCurve:
    """Agreement of a scorer with people along its threshold, over all generators and tasks."""

    suite: str
    people: str
    curve: ThresholdCurve

    def rows(self) -> Iterator[dict[str, Any]]:
        """For machines: one row per cut."""
        curve = self.curve
        about = {"suite": self.suite, "aspect": curve.cutting.aspect, "people": self.people, "rater": curve.rater}
        for cut, value, low, high in zip(curve.cuts, curve.values, curve.low, curve.high, strict=True):
            yield about | {"statistic": curve.cutting.objective, "threshold": cut, "value": value, "low": low, "high": high}


@dataclass(frozen=True)
class Material:
    """A selection with all that follows from it.

    Attributes:
        judgements: every judgement (``exports.judgements``); ``left_out`` is why each does not count, None for those that do.
        ratings: those that count (``concord.exporting.counted_ratings``).
        rows: of ``agreement --format json``, and further sections by name; of any two raters only those over all
            generators and tasks, as every pair in every place would be most of the report.
        scorers: who they are, those that the project knows more of than numbers.
        command: remakes the report.
        findings: rows beyond agreement by name: ``plan``, ``rater_effects``.
    """

    selection: Selection
    options: Options
    judgements: pd.DataFrame
    left_out: pd.Series
    ratings: pd.DataFrame
    rows: AgreementRows
    scorers: list[ScorerDescription]
    command: str
    made: datetime
    sha256: str
    recruited: list[Recruitment] = field(default_factory=list)
    confusions: list[Confusion] = field(default_factory=list)
    curves: list[ScorerCurve] = field(default_factory=list)
    samples: list[SampleImage] = field(default_factory=list)
    findings: Mapping[str, Sequence[Finding]] = field(default_factory=dict)

    def whole_rows(self, section: str, topic: Topic) -> list[Estimate]:
        """Return a section's rows about a topic as a whole."""
        return [row for row in self.rows.section(section) if topic_of(row) == topic and is_whole(row)]
