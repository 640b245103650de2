"""Agreement of a selection: the rows that the command ``agreement``, the pages and the report show, so that they show the
same digits.

Point estimates can be had at once after an answer: running sums follow what the store touched (`agreement/engine/live.py`
says why there is this second path).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from threading import Lock
from typing import Any

import pandas as pd

from agreement import (
    STATISTICS,
    Comparison,
    ConsensusMethod,
    Estimate,
    Options,
    Scale,
    build,
    comparisons,
    consensus_rows,
    scorer_means,
)
from agreement.engine.counts import NotServedError, StaleError
from agreement.engine.live import AspectScale, LiveEstimates
from agreement.report.report import MET_BY_SCORES, SCORE, select
from agreement.statistics.scale import with_labels
from agreement.thresholds import ThresholdAgreement, thresholds
from concord.common import live_updates
from concord.common.context import CommandError, Context, UsageError
from concord.common.estimate_json import estimate_json
from data.aspects import MOVED_ASPECTS, NO, YES, Scales
from data.selection import Selection
from data.store import library
from data.store.analysis import aggregates
from data.store.browse import contents
from data.store.core import frame
from data.store.core.store import Store
from data.store.judgements import remarks
from data.validation import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRows:
    """The estimates of a selection by section; None for a section that was not asked for.

    Attributes:
        among_people: people among themselves.
        raters: each scorer (or consensus) beside people.
        matrix: any two raters.
        by_certainty: `raters` by how sure people are.
        comparisons: scorer against scorer, by their agreement with people.
        thresholds: scores turned into yes and no.
        quality: each person beside the consensus of the others.
        scorer_means: scorers' own means.
        suite_metrics: the metrics that a suite's own paper defines, of each scorer and of people.
    """

    among_people: tuple[Estimate, ...] = ()
    raters: tuple[Estimate, ...] = ()
    matrix: tuple[Estimate, ...] = ()
    by_certainty: tuple[Estimate, ...] | None = None
    comparisons: tuple[Comparison, ...] | None = None
    thresholds: tuple[ThresholdAgreement, ...] | None = None
    quality: tuple[Estimate, ...] | None = None
    scorer_means: tuple[Estimate, ...] | None = None
    suite_metrics: tuple[Estimate, ...] | None = None

    def sections(self) -> Iterator[tuple[str, Sequence[Estimate]]]:
        """Yield the name and the rows of each section that was asked for."""
        for each in fields(self):
            rows: Sequence[Estimate] | None = getattr(self, each.name)
            if rows is not None:
                yield each.name, rows

    def section(self, name: str) -> Sequence[Estimate]:
        """Return the rows of a section by its name; nothing for one that was not asked for."""
        return dict(self.sections()).get(name, ())

    def where(self, keep: Callable[[Estimate], bool]) -> AgreementRows:
        """Return the rows for which `keep` is True, in every section."""
        kept: dict[str, Any] = {name: tuple(filter(keep, rows)) for name, rows in self.sections()}
        return replace(self, **kept)

    def to_json(self) -> dict[str, list[dict[str, Any]]]:
        """Return the rows as JSON has them, by section."""
        return {name: [estimate_json(name, row) for row in rows] for name, rows in self.sections()}


@dataclass(frozen=True, slots=True)
class Further:
    """The sections that are made only when they are asked for: scorer against scorer, and scores turned into yes and no."""

    comparisons: bool = False
    thresholds: bool = False


def selected(context: Context, selection: Mapping[str, Sequence[str]]) -> Selection:
    """The selection that a command's options mean; a name that the project does not know is worth a word.

    Raises:
        UsageError: an option has a value that it cannot have.
        CommandError: there is no such suite.
    """
    try:
        chosen = Selection.of(lambda name: selection.get(name, ()))
    except ValueError as error:
        raise UsageError(str(error)) from error
    # an empty answer may be right; a name that the project does not know is worth a word
    suites = library.suites(context.store)
    for suite in chosen.suite:
        if suite not in suites:
            raise CommandError(
                f"--suite {suite}: there is no suite of that name in this project; {did_you_mean(suite, suites)}"
            )
    choices = contents.filter_choices(context.store)
    known = {
        "suite": choices.suite,
        "task": choices.task,
        "generator": choices.generator,
        "aspect": choices.aspect,
        "rater": contents.rater_names(context.store),
        "tag": remarks.tag_names(context.store),
    }
    for filter_name, values in chosen.to_dict().items():
        for value in values:
            if filter_name in known and value not in known[filter_name]:
                hint = did_you_mean(value, known[filter_name])
                if filter_name == "aspect" and (now := MOVED_ASPECTS.get(value)) in choices.aspect:
                    hint = (
                        f"answers to Concord's own wording of GenEval's form are {now}; {value} is the authors' wording alone"
                    )
                context.warn(f"--{filter_name} {value}: there is nothing by that name in this project; {hint}")
    return chosen


def unmet_scores(store: Store, selection: Selection, compare_with: Collection[str]) -> list[str]:
    """Return a line for each suite whose scorers' scores are compared with none of people's aspects, and what to do."""
    rated, scales = frame.rated_aspects(store, selection), scales_of(store)
    lines = []
    for suite in dict.fromkeys(row.suite for row in rated):
        scorers = [row.rater for row in rated if (row.suite, row.aspect) == (suite, SCORE) and row.rater is not None]
        asked = [row.aspect for row in rated if row.suite == suite and row.rater is None]
        own = [aspect for aspect in asked if aspect != SCORE and _has_order(scales.get((suite, aspect)))]
        if scorers and own and not {*own} & {*MET_BY_SCORES, *compare_with}:
            lines.append(
                f"{suite}: the scores of {', '.join(scorers)} are compared with people's answers of {', '.join(MET_BY_SCORES)}"
                f" alone; to compare them with {own[0]} by rank: agreement --compare-with {own[0]}"
            )
    return lines


def _has_order(scale: str | None) -> bool:
    """Return True if labels of this scale can be put in order beside scores."""
    if scale is None:
        return False
    parsed = Scale.parse(scale)
    return parsed.kind != "nominal" or {level.casefold() for level in parsed.levels or ()} == {YES, NO}


def refuse_unknown_aspects(store: Store, aspects: Sequence[str]) -> None:
    """Raise a CommandError if scores cannot be compared with an aspect, as nobody judges it or its labels have no order."""
    known, scales = contents.filter_choices(store).aspect, scales_of(store)
    for aspect in aspects:
        if aspect not in known:
            raise CommandError(
                f"--compare-with {aspect}: nobody has judged that in this project; {did_you_mean(aspect, known)}"
            )
        if not any(_has_order(scale) for (_, name), scale in scales.items() if name == aspect):
            raise CommandError(
                f"--compare-with {aspect}: its labels have no order, so that scores cannot be compared with them"
            )


def known_statistics(names: Sequence[str]) -> None:
    """Check names of statistics.

    Raises:
        UsageError: there is no such statistic.
    """
    for name in names:
        if name not in STATISTICS:
            raise UsageError(f"--statistic {name}: there is no such statistic; {did_you_mean(name, STATISTICS)}")


def scales_of(store: Store) -> Scales:
    """The scales as the project uses them: a nominal one has all labels that count anywhere, whatever is selected."""
    used = frame.labels(store)
    return {about: with_labels(scale, used.get(about, ())) for about, scale in frame.scales(store).items()}


def compute(store: Store, selection: Selection, options: Options, further: Further = Further()) -> AgreementRows:
    """Return the rows of a selection: the three main sections, ``by_certainty`` if ``options`` ask for it, and ``further``."""
    return rows_of(frame.frame(store, selection), scales_of(store), selection, options, further)


def judgements_of(store: Store, selection: Selection) -> pd.DataFrame:
    """Return a selection's judgements as statistics read them, on the units of its classes of certainty."""
    return select(frame.frame(store, selection), scales_of(store), selection.certainty)


recall = live_updates.cached(maxsize=64)(compute)
"""Like ``compute``, but computed once for all who look while the project stays as it is."""


def rows_of(
    judgements: pd.DataFrame, scales: Scales, selection: Selection, options: Options, further: Further = Further()
) -> AgreementRows:
    """Like ``compute``, from judgements that were read already (``data.store.core.frame``)."""
    made = build(judgements, scales, _with_certainty(selection, options))
    by_certainty = made.by_certainty if options.by_certainty else None
    rows = AgreementRows(among_people=made.among_people, raters=made.raters, matrix=made.matrix, by_certainty=by_certainty)
    more = further_of(judgements, scales, selection, options, further)
    return replace(_about(selection, rows), comparisons=more.comparisons, thresholds=more.thresholds)


def further_of(
    judgements: pd.DataFrame, scales: Scales, selection: Selection, options: Options, further: Further
) -> AgreementRows:
    """Return these sections alone."""
    wanted = _with_certainty(selection, options)
    compared = tuple(comparisons(judgements, scales, wanted)) if further.comparisons else None
    cut = tuple(thresholds(judgements, scales, options=wanted)) if further.thresholds else None
    return _about(selection, AgreementRows(comparisons=compared, thresholds=cut))


def _with_certainty(selection: Selection, options: Options) -> Options:
    return replace(options, certainty=selection.certainty)


def _about(selection: Selection, rows: AgreementRows) -> AgreementRows:
    """Return the rows about the selected aspects: a scorer's score was let through only to meet people's answers."""
    aspects = selection.aspect
    return rows.where(lambda row: row.aspect in aspects) if aspects else rows


@live_updates.cached(maxsize=32)
def recall_comparisons(store: Store, selection: Selection, options: Options) -> tuple[Comparison, ...]:
    """Return scorer against scorer, computed once for all who look while the project stays as it is."""
    made = further_of(frame.frame(store, selection), scales_of(store), selection, options, Further(comparisons=True))
    return made.comparisons or ()


@live_updates.cached(maxsize=32)
def recall_thresholds(store: Store, selection: Selection, options: Options) -> tuple[ThresholdAgreement, ...]:
    """Return scores turned into yes and no, computed once for all who look while the project stays as it is."""
    made = further_of(frame.frame(store, selection), scales_of(store), selection, options, Further(thresholds=True))
    return made.thresholds or ()


def consensus_of(store: Store, selection: Selection, options: Options, methods: Sequence[ConsensusMethod]) -> AgreementRows:
    """Return the rows of consensuses of people: ``raters`` and ``matrix``, and ``quality``, of each person."""
    made = consensus_rows(frame.frame(store, selection), scales_of(store), methods, _with_certainty(selection, options))
    return _about(selection, AgreementRows(raters=made.raters, matrix=made.matrix, quality=made.quality))


@live_updates.cached(maxsize=16)
def recall_consensus(
    store: Store, selection: Selection, options: Options, methods: tuple[ConsensusMethod, ...]
) -> AgreementRows:
    """Like ``consensus_of``, computed once for all who look while the project stays as it is."""
    return consensus_of(store, selection, options, methods)


@live_updates.cached(maxsize=64)
def means(store: Store, selection: Selection, options: Options) -> tuple[Estimate, ...]:
    """Return each scorer's own means, computed once for all who look while the project stays as it is."""
    return tuple(scorer_means(frame.frame(store, selection), scales_of(store), _with_certainty(selection, options)))


_MOST_SUMS = 8
_MOST_ITEMS = 500  # touched at once, beyond which it is quicker to count everything anew


@dataclass
class _RunningEstimates:
    """The estimates of one selection, as they were at a version of the project; ``refused``: there are none to be had."""

    lock: Lock = field(default_factory=Lock)
    version: str = ""
    estimates: LiveEstimates | None = None
    refused: bool = False


# they follow the project's version themselves
@live_updates.cached(maxsize=_MOST_SUMS, key=live_updates.by_arguments)
def _running(_: Store, selection: Selection) -> _RunningEstimates:  # noqa: ARG001 - the key
    return _RunningEstimates()


def quick_estimates(store: Store, selection: Selection) -> AgreementRows | None:
    """The rows of ``recall`` without intervals and single generators that can be had at once, by section; None if none can.

    The selection must have one suite and one aspect, no raters and no certainty. The first call counts everything in the
    database; after a submission a call counts the touched items alone and computes the cells that hold them. Thread-safe.
    """
    if len(selection.suite) != 1 or len(selection.aspect) != 1 or selection.rater or selection.certainty:
        return None
    running = _running(store, selection)
    with running.lock:
        _follow(store, selection, running)
        if running.estimates is None:
            return None
        made = running.estimates.report()
    return AgreementRows(among_people=made.among_people, raters=made.raters, matrix=made.matrix)


def _follow(store: Store, selection: Selection, running: _RunningEstimates) -> None:
    """Bring the estimates to the project's present state."""
    changes = store.changes_since(running.version)
    query = aggregates.AggregateQuery(selection.suite[0], selection.aspect[0], selection)
    estimates, running.estimates = running.estimates, None  # what is followed by half, whatever goes wrong, is not used again
    many = changes.items is None or len(changes.items) > _MOST_ITEMS
    if many or (estimates is None and not running.refused):
        _count_anew(store, query, running)
    elif estimates is not None:
        try:
            if changes.items:
                estimates.update(*aggregates.aggregate_items(store, query, sorted(changes.items)))
            running.estimates = estimates
        except (StaleError, NotServedError):
            _count_anew(store, query, running)
    running.version = changes.version


def _count_anew(store: Store, query: aggregates.AggregateQuery, running: _RunningEstimates) -> None:
    running.refused = False
    scales = scales_of(store)
    scale = scales.get((query.suite, query.aspect))
    if scale is None:
        return
    try:
        if scales.get((query.suite, aggregates.SCORE), "interval") != "interval":
            raise NotServedError("scores are not numbers")
        about = AspectScale(query.suite, query.aspect, scale)
        running.estimates = LiveEstimates(about, *aggregates.aggregate(store, query))
    except NotServedError:
        running.refused = True
