"""The material of a report: a selection's judgements, read once, with all that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd

from agreement import CellName, CutOptions, Estimate, Options, PairReport, ThresholdCurve, curve, pair_report, scorer_means
from agreement.estimate import ALL
from agreement.meta.estimates import EstimateOptions
from agreement.meta.units import Finding
from agreement.report.report import select
from concord import agreement, exporting
from concord.agreement import AgreementRows
from concord.meta import findings, planning
from concord.meta.estimates import estimate
from concord.meta.requests import PlanRequest
from concord.reporting.first_page import FirstPage, first_page
from concord.reporting.recruitment import Recruitment, recruited
from concord.reporting.samples import SampleImage, pictures, samples
from concord.suite_metrics import suite_metrics
from data.aspects import Scales
from data.records import ScorerDescription
from data.selection import Selection
from data.store.analysis import exports
from data.store.core.store import Store


def is_whole(row: Estimate) -> bool:
    """Whether a row is over all generators and tasks, and about no single target."""
    return (row.generator, row.task, row.target) == (ALL, ALL, None)


def alone(means: Sequence[Estimate], raters: Sequence[Estimate]) -> list[Estimate]:
    """Those of scorers' own means that no comparison with people shows already."""
    shown = {(row.suite, row.aspect, row.rater) for row in raters if row.statistic == "mean"}
    return [replace(row, people="real", ceiling=None) for row in means if (row.suite, row.aspect, row.rater) not in shown]


MOST_LABELS = 8


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


def confusions(
    judgements: pd.DataFrame, scales: Scales, rows: AgreementRows, options: Options, tell: Callable[[int, int], None]
) -> list[Confusion]:
    """Of each scorer that gives people's own labels, aspects with more than MOST_LABELS labels aside."""
    pairs = [
        (row.suite, row.aspect, row.people, row.rater)
        for row in rows.raters
        if row.statistic == "percent_agreement" and row.value is not None and is_whole(row)
    ]
    made = []
    for n, (suite, aspect, people, rater) in enumerate(pairs):
        tell(n, len(pairs))
        met = _met(judgements[judgements["suite"] == suite], scales, (aspect, people, rater), options)
        if met and 2 <= len(met.labels) <= MOST_LABELS:
            made.append(Confusion(suite, aspect, people, rater, met.labels, met.table))
    return made


def _met(judgements: pd.DataFrame, scales: Scales, about: tuple[str, str, str], options: Options) -> PairReport | None:
    aspect, people, rater = about
    quick = Options(statistics=("percent_agreement",), intervals=False, seed=options.seed)
    try:
        return pair_report(judgements, scales, aspect, rater, options=quick, simulated=people == "simulated")
    except ValueError:  # they share nothing
        return None


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


def curves(
    judgements: pd.DataFrame, scales: Scales, rows: AgreementRows, options: Options, tell: Callable[[int, int], None]
) -> list[ScorerCurve]:
    """Each scorer's that only scores."""
    curves_wanted = list(dict.fromkeys((row.suite, row.people, row.rater) for row in rows.thresholds or ()))
    curves_drawn = []
    for n, (suite, people, rater) in enumerate(curves_wanted):
        tell(n, len(curves_wanted))
        part, simulated = judgements[judgements["suite"] == suite], people == "simulated"
        made = curve(part, scales, rater, CutOptions(), options, cell=CellName(ALL, ALL), simulated=simulated)
        if made.cuts:
            curves_drawn.append(ScorerCurve(suite, people, made))
    return curves_drawn


NAME: Final = "estimates"


def estimates_of(store: Store, selection: Selection) -> dict[str, Sequence[Finding]]:
    """Return the rows of `estimate` by their name, where something is estimated; none of a selection by target or certainty."""
    if selection.target or selection.certainty:
        return {}
    findings = estimate(store, selection, EstimateOptions())
    rows = [row for row in findings if row.value is not None and row.n_unlabelled]
    return {NAME: rows} if rows else {}


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
        project: its name.
        first: the first page; None where nothing counts.
        pictures: of the first page by image, as data URIs.
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
    project: str = ""
    first: FirstPage | None = None
    pictures: Mapping[str, str] = field(default_factory=dict)


Tell = Callable[[str, float], None]
"""Told what is being done, and what share of the whole is done (0 to 1)."""


def gather(store: Store, selection: Selection, seed: int, command: str, tell: Tell = lambda *_: None) -> Material:
    """Read a selection's judgements once, and compute everything from these."""
    tell("reading the judgements", 0.0)
    # of a single class of certainty there is nothing to set beside it
    options = Options(seed=seed, ceiling=True, by_certainty=len(set(selection.certainty)) != 1)
    scales = agreement.scales_of(store)
    judgements = select(exports.judgements(store, selection), scales, selection.certainty)
    values = exporting.rating_texts(judgements, scales)
    ratings = exporting.counted_ratings(judgements, scales)
    made = Material(
        selection,
        options,
        judgements,
        judgements["excluded"].astype(object).where(judgements["excluded"].notna() | values.notna(), "no_value"),
        ratings,
        replace(_rows(judgements, scales, selection, options, tell), suite_metrics=suite_metrics(store, selection, options))
        if len(ratings)
        else AgreementRows(),
        exports.describe_scorers(store, ratings.loc[ratings["kind"] == "scorer", "rater"].unique().tolist()),
        command,
        datetime.now(UTC),
        exporting.data_hash(ratings),
        recruited(store, judgements),
        project=store.project.name,
    )
    if ratings.empty:
        return made
    about = judgements, scales, made.rows, options
    tell("ranking generators", 0.65)
    first = first_page(store, selection)
    two = first.best_two if first is not None else None
    return replace(
        made,
        first=first,
        pictures=pictures(store, list(two.images)) if two is not None else {},
        confusions=confusions(*about, _part(tell, "crossing answers", 0.7)),
        curves=curves(*about, _part(tell, "drawing thresholds", 0.8)),
        samples=samples(store, ratings, seed, _part(tell, "collecting failures", 0.9)),
        findings={
            **_rankings(store, judgements, scales, selection, options, tell),
            **estimates_of(store, selection),
            "plan": planning.plan(store, selection, PlanRequest()),
            "rater_effects": findings.effects(store, selection),
        },
    )


def _part(tell: Tell, step: str, begun: float) -> Callable[[int, int], None]:
    """Progress of a part that is a tenth of the whole."""
    return lambda done, total: tell(step, begun + 0.1 * done / max(total, 1))


def _rows(judgements: pd.DataFrame, scales: Scales, selection: Selection, options: Options, tell: Tell) -> AgreementRows:
    tell("comparing raters", 0.1)
    rows = agreement.rows_of(judgements, scales, selection, options)
    whole = replace(options, each_generator=False)
    tell("comparing scorers", 0.5)
    further = agreement.further_of(judgements, scales, selection, whole, agreement.Further(comparisons=True, thresholds=True))
    decided = {_whose(row) for row in rows.raters if row.statistic == "percent_agreement"}
    means = scorer_means(judgements, scales, replace(options, certainty=selection.certainty))
    aspects = selection.aspect
    return replace(
        rows,
        matrix=tuple(row for row in rows.matrix if (row.generator, row.task) == (ALL, ALL)),
        comparisons=further.comparisons,
        # a scorer that says yes or no itself needs no cut
        thresholds=tuple(row for row in further.thresholds or () if _whose(row) not in decided),
        scorer_means=tuple(row for row in alone(means, rows.raters) if not aspects or row.aspect in aspects),
    )


def _rankings(
    store: Store, judgements: pd.DataFrame, scales: Scales, selection: Selection, options: Options, tell: Tell
) -> dict[str, Sequence[Finding]]:
    """Return how scorers rank images and generators, and the alternative annotator test, each topic's as its place has it."""
    tell("ranking", 0.6)
    units = findings.units_of(judgements, scales, replace(selection, certainty=()))
    topics = dict.fromkeys((each.suite, each.aspect) for each in units)
    chosen = [replace(selection, suite=(suite,), aspect=(aspect,)) for suite, aspect in topics]
    # by the usual seed what the first page asked for, too, and is computed once
    whole = Options(each_generator=False, seed=options.seed)
    ranked = [row for each in chosen for row in findings.rank(store, each, whole)]
    tested = [row for each in chosen for row in findings.alt_test(store, each, whole)]
    # real people's rows first
    return {
        "rank": sorted(ranked, key=lambda row: row.people == "simulated"),
        "alt_test": sorted(tested, key=lambda row: row.people == "simulated"),
    }


def _whose(row: Estimate) -> tuple[str | None, ...]:
    return row.suite, row.aspect, row.target, row.people, row.rater
