"""The confusion table of two raters, with its items; both sides' numbers; where and when they agree; and why kappa may be low.

The prevalence paradox (A. Feinstein and D. Cicchetti 1990): where nearly all answers are yes, chance alone agrees nearly
always, and kappa, which counts what goes beyond chance, falls. T. Byrt, J. Bishop and J. Carlin (1993) write kappa as
(PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2) with the prevalence index PI and the bias index BI; only PI can pull it below
PABAK, so the gap between the two measures the effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from agreement.estimate import Estimate
from agreement.inference.hypothesis_tests import midranks
from agreement.meta.corrected_rates import pass_agreement
from agreement.numeric import IntArray, ratio
from agreement.pair.rater_pair import PEOPLE, SHARE_OF_YES, RaterPair, rater_pairs
from agreement.reasons import Method, MethodCode, Name, Party, Reason, ReasonCode, Remark, RemarkCode, joined
from agreement.report.matrix import TWO_RATERS
from agreement.report.report import select
from agreement.report.scorer_human import PairedJudgements, to_mean
from agreement.statistics.two_raters import PairSums, pair_columns, percent_agreement
from agreement.study.cells import EVERYWHERE, Cell, CellName, Options, cell_of, outcome
from agreement.study.frame import read

# Agreement is called high, and the gap between PABAK and kappa a paradox, from here on: a convention of ours.
HIGH, GAP = 0.75, 0.2
COEFFICIENTS = ("percent_agreement", "cohen_kappa", "gwet_ac1", "pabak")


@dataclass(frozen=True)
class Prevalence:
    """How common yes is on each side, what the two agree on, and what that says.

    Attributes:
        yes_a: share of yes of `a`, over the same pairs.
        yes_b: share of yes of `b`.
        coefficients: percent agreement, kappa, AC1 and PABAK.
        paradox: whether agreement is high, kappa is not, and prevalence is why.
        sentence: what the numbers say.
        passes: agreement on passes, how often `a` says yes where `b` does (sensitivity, if `b` is right).
        fails: agreement on fails, how often `a` says no where `b` does (specificity).
    """

    yes_a: Estimate
    yes_b: Estimate
    coefficients: tuple[Estimate, ...]
    paradox: bool
    sentence: Remark
    passes: Estimate | None = None
    fails: Estimate | None = None


def prevalence(a: Name, b: Name, yes_a: Estimate, yes_b: Estimate, coefficients: tuple[Estimate, ...]) -> Prevalence:
    """Put the numbers of raters `a` and `b` together and explain them.

    Args:
        a: one rater's name.
        b: the other's, or people.
        yes_a: share of yes of `a`.
        yes_b: share of yes of `b`.
        coefficients: those of COEFFICIENTS.
    """
    values = {each.statistic: each.value for each in coefficients}
    agreed, pabak, kappa = (values.get(name) for name in ("percent_agreement", "pabak", "cohen_kappa"))
    paradox = agreed is not None and pabak is not None and kappa is not None and agreed >= HIGH and pabak - kappa >= GAP
    sentence = _sentence(a, b, yes_a.value, yes_b.value, values, paradox=paradox)
    return Prevalence(yes_a, yes_b, coefficients, paradox, sentence)


def _sentence(
    a: Name, b: Name, yes_a: float | None, yes_b: float | None, values: Mapping[str, float | None], *, paradox: bool
) -> Remark:
    agreed, kappa, ac1, pabak = (values.get(name) for name in COEFFICIENTS)
    if agreed is None or yes_a is None or yes_b is None:
        return Remark(RemarkCode.NOTHING_SHARED, a=a, b=b)
    yes = (yes_a + yes_b) / 2
    if kappa is None:
        return Remark(RemarkCode.ONE_ANSWER, a=a, b=b, agreed=agreed, yes=yes)
    if not paradox:
        return Remark(RemarkCode.AGREED, a=a, b=b, agreed=agreed, kappa=kappa, ac1=ac1, pabak=pabak)
    # kappa = (p_o - p_e) / (1 - p_e), solved for p_e
    chance = (agreed - kappa) / (1 - kappa)
    return Remark(
        RemarkCode.PREVALENCE_PARADOX, a=a, b=b, agreed=agreed, kappa=kappa, ac1=ac1, pabak=pabak, yes=yes, chance=chance
    )


STEPS = 20


@dataclass(frozen=True)
class ConfusionCell:
    """One cell of the confusion table: what each side said, how often, and on which items (in order of their ids)."""

    a: str
    b: str
    n: int
    items: tuple[str, ...]


@dataclass(frozen=True)
class PairedNumbers:
    """Both sides' numbers by unit, with midranks from 1; columns of equal length. `y` is people's mean where `b` is people."""

    items: tuple[str, ...]
    targets: tuple[str | None, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    rank_x: tuple[float, ...]
    rank_y: tuple[float, ...]


@dataclass(frozen=True)
class Step:
    """One step in time: pairs in it, their percent agreement, and both for all pairs up to its end.

    `first` and `last` are the `seq` of its ends.
    """

    first: int
    last: int
    n: int
    value: float
    n_so_far: int
    so_far: float


class ConfusionTable:
    """The confusion table of pairs of labels; without labels it is empty."""

    def __init__(self, meeting: RaterPair, pairs: PairedJudgements) -> None:
        self._items = meeting.topic.suite.items
        self._order = np.zeros(0, np.int64) if meeting.by_score else _order(meeting)
        position = np.full(meeting.topic.measure.labels, -1, np.int64)
        position[self._order] = np.arange(self._order.size)
        self.labels = tuple(meeting.topic.aspect.labels[code] for code in self._order)
        size = self._order.size
        self._item = pairs.item if size else pairs.item[:0]
        self._cell = position[pairs.label_a] * size + position[pairs.label_b] if size else pairs.item[:0]

    def counts(self) -> tuple[tuple[int, ...], ...]:
        """The table, `a` in rows."""
        size = self._order.size
        table = np.bincount(self._cell, minlength=size**2).reshape(size, size) if size else np.zeros((0, 0), np.int64)
        return tuple(tuple(row) for row in table.tolist())

    def crossings(self) -> Iterator[ConfusionCell]:
        """Each cell that has something in it."""
        order = np.argsort(self._cell, kind="stable")
        cells, starts = np.unique(self._cell[order], return_index=True)
        for cell, rows in zip(cells.tolist(), np.split(order, starts[1:]), strict=bool(cells.size)):
            items = tuple(self._items[code] for code in np.unique(self._item[rows]))
            yield ConfusionCell(self.labels[cell // len(self.labels)], self.labels[cell % len(self.labels)], rows.size, items)


def _order(meeting: RaterPair) -> IntArray:
    """The codes of the labels in the order in which they are shown."""
    measure, rows = meeting.topic.measure, meeting.topic.ratings
    if measure.ordinal:
        return np.arange(measure.labels)
    if measure.binary:
        return np.array([1, 0])
    used = np.bincount(rows.label[rows.valid], minlength=measure.labels) if measure.labels else np.zeros(0, np.int64)
    order = np.argsort(-used, kind="stable")
    return order[used[order] > 0]


def values_of(meeting: RaterPair, pairs: PairedJudgements) -> PairedNumbers | None:
    """Both sides' numbers by unit; None for labels without order, and for yes/no but beside a score."""
    if not meeting.by_score and meeting.topic.measure.kind == "nominal":
        return None
    by_unit = to_mean(pairs) if meeting.crowd else pairs
    suite, x, y = meeting.topic.suite, by_unit.number_a, by_unit.number_b
    rank_x, rank_y = midranks(x), midranks(y)
    targets = (by_unit.unit % (len(suite.targets) + 1) - 1).tolist()
    return PairedNumbers(
        tuple(suite.items[code] for code in by_unit.item),
        tuple(suite.targets[code] if code >= 0 else None for code in targets),
        *(tuple(column.tolist()) for column in (x, y, rank_x, rank_y)),
    )


def steps_of(meeting: RaterPair, pairs: PairedJudgements) -> tuple[Step, ...]:
    """Percent agreement in at most STEPS steps of equally many pairs, in order of `seq`; none without labels."""
    if meeting.by_score or not meeting.topic.measure.labels or not pairs.size:
        return ()
    when = meeting.when(pairs)
    order = np.lexsort((np.arange(pairs.size), when))
    steps = min(STEPS, pairs.size)
    step = np.arange(pairs.size) * steps // pairs.size
    labels = meeting.topic.measure.labels
    columns = pair_columns(pairs.label_a[order], pairs.label_b[order], step, steps, labels, ordinal=False)
    each, so_far = (percent_agreement(PairSums.unpack(part, labels)) for part in (columns, np.cumsum(columns, axis=0)))
    n = np.bincount(step)
    last = np.cumsum(n) - 1
    seq = when[order]
    ends = zip(seq[last - n + 1].tolist(), seq[last].tolist(), n.tolist(), (last + 1).tolist(), each, so_far, strict=True)
    return tuple(Step(first, end, size, float(value), total, float(all_)) for first, end, size, total, value, all_ in ends)


PAIR_STATISTICS = ("percent_agreement", "cohen_kappa", "gwet_ac1", "pabak", "pearson", "spearman", "kendall_tau_b", "auc")


@dataclass(frozen=True)
class PartEstimates:
    """An aspect or a generator by name, with the pair's statistics there."""

    name: str
    estimates: tuple[Estimate, ...]


@dataclass(frozen=True)
class PairReport:
    """Two sides on one aspect.

    Attributes:
        suite: the suite.
        aspect: the aspect.
        a: the rater in rows.
        b: the rater in columns, or "people".
        people: `real` or `simulated`: who stands behind "people".
        place: generator and task.
        by_score: whether `a` is met by its `score`; then there is no table.
        labels: in the order of the scale; yes before no; without an order, the most used first.
        table: counts of units, `a` in rows, `b` in columns: people by majority, or of answers if each was asked for.
        cells: the same with the items, cells without any left out, row by row.
        values: both sides' numbers, where the aspect is ordered or `a` is met by its score.
        estimates: the pair's statistics.
        aspects: agreement by aspect, of those that both judged.
        generators: agreement by generator, on this aspect.
        steps: agreement over time, on this aspect.
        prevalence: for yes/no.
    """

    suite: str
    aspect: str
    a: str
    b: str
    people: str
    place: CellName
    by_score: bool
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]
    cells: tuple[ConfusionCell, ...]
    values: PairedNumbers | None
    estimates: tuple[Estimate, ...]
    aspects: tuple[PartEstimates, ...]
    generators: tuple[PartEstimates, ...]
    steps: tuple[Step, ...]
    prevalence: Prevalence | None


def pair_report(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    aspect: str,
    a: str,
    b: str = PEOPLE,
    options: Options | None = None,
    *,
    place: CellName | None = None,
    score: bool = False,
    simulated: bool = False,
) -> PairReport:
    """Everything about two raters, or about a rater and people (without that rater, if it is one of them).

    Args:
        frame: as for `build`, of one suite.
        scales: as for `build`.
        aspect: what they judged.
        a: a rater.
        b: another rater, or "people".
        options: people as `each` (each rating beside the rater's, in the confusion table, too) or majority; without, the table
            counts units by people's majority, and each statistic has its own way; `statistics` None: all; targets are
            pooled.
        place: the cell; None is all generators and tasks.
        score: meet `a` by its `score` though it judged the aspect itself. Without a judgement of the aspect it is anyway.
        simulated: "people" are simulated ones.

    Raises:
        ValueError: as `build`; for an aspect, rater, task or generator that the frame has not, or more suites than one.
    """
    wanted, where = options or Options(), place or EVERYWHERE
    suites = list(read(select(frame, scales, wanted.certainty), scales))
    if len(suites) != 1:
        raise ValueError(f"a pair is of one suite, not of {len(suites)}")
    suite, cell = suites[0], cell_of(suites[0], where, wanted)
    meetings = list(rater_pairs(suite, a, b, wanted, scored=aspect if score else None, simulated=simulated))
    meeting = next((each for each in meetings if each.topic.aspect.name == aspect), None)
    if meeting is None:
        raise ValueError(f"{a!r} and {b!r} do not both have judgements of {aspect!r}")
    pairs = meeting.pairs(cell)
    table = ConfusionTable(meeting, meeting.crossed(pairs))
    judged = [each for each in meetings if each.pairs(cell).size]
    return PairReport(
        suite=suite.name,
        aspect=aspect,
        a=a,
        b=b,
        people="simulated" if simulated else "real",
        place=where,
        by_score=meeting.by_score,
        labels=table.labels,
        table=table.counts(),
        cells=tuple(table.crossings()),
        values=values_of(meeting, pairs),
        estimates=meeting.estimates(cell, meeting.names(wanted.statistics or PAIR_STATISTICS)),
        aspects=tuple(PartEstimates(each.topic.aspect.name, each.estimates(cell, _short(each))) for each in judged),
        generators=_generators(meeting, cell, pairs),
        steps=steps_of(meeting, meeting.labelled(pairs)),
        prevalence=_prevalence(meeting, cell, pairs, _others(b, simulated=simulated)),
    )


def _others(b: str, *, simulated: bool) -> Name:
    """Return who `b` is."""
    if b != PEOPLE:
        return b
    return Party.SIMULATED_PEOPLE if simulated else Party.PEOPLE


def _short(meeting: RaterPair) -> tuple[str, ...]:
    """What is said of each aspect and generator: agreement and kappa where there are labels, else the rank correlation."""
    labels = meeting.topic.measure.labels and not meeting.by_score
    return meeting.names(("percent_agreement", "cohen_kappa") if labels else ("spearman",))


def _generators(meeting: RaterPair, cell: Cell, pairs: PairedJudgements) -> tuple[PartEstimates, ...]:
    names = meeting.topic.suite.generators
    codes = [int(code) for code in np.unique(pairs.generator) if code >= 0]
    return tuple(
        PartEstimates(names[code], meeting.estimates(replace(cell, generator=code), _short(meeting))) for code in codes
    )


def _prevalence(meeting: RaterPair, cell: Cell, pairs: PairedJudgements, others: Name) -> Prevalence | None:
    """The shares of yes are of the same pairs as the coefficients; `others` is who `b` is."""
    if not meeting.topic.measure.binary or meeting.by_score:
        return None
    rows, clusters = meeting.labelled(pairs), np.unique(pairs.cluster)
    cluster = np.searchsorted(clusters, rows.cluster)
    sums = PairSums.resampled(cell.deletions.weights(clusters.size), rows.label_a, rows.label_b, cluster, 2)
    used = meeting.against(cell).outcome("percent_agreement", meeting.way("percent_agreement") or "each").used
    shares = []
    for name, labels in ((meeting.a, sums.rows), (_beside(meeting, others), sums.columns)):
        how = Method(MethodCode.SHARE_OF_YES, who=name) if meeting.crowd else TWO_RATERS
        share = outcome(ratio(labels[..., 1], sums.pairs), Reason(ReasonCode.NO_JUDGEMENT_SHARED), used, how)
        shares.append(meeting.estimate(SHARE_OF_YES, share, cell))
    made = prevalence(meeting.a, others, shares[0], shares[1], meeting.estimates(cell, COEFFICIENTS))
    return replace(made, passes=_same_answer(rows, 1), fails=_same_answer(rows, 0))


def _beside(meeting: RaterPair, others: Name) -> Name:
    """Return who is beside the rater: of a person other people."""
    return Party.OTHERS if meeting.crowd and not meeting.scorer_and_people else others


def _same_answer(rows: PairedJudgements, code: int) -> Estimate:
    """How often the first side gives this answer where the second does."""
    says = rows.label_b == code
    share = pass_agreement(says.astype(float), (rows.label_a == code).astype(float), rows.cluster)
    name = "agreement_on_passes" if code else "agreement_on_fails"
    return Estimate(
        statistic=name,
        value=share.value,
        low=share.bounds.low,
        high=share.bounds.high,
        n_items=int(np.unique(rows.item[says]).size),
        n_ratings=int(says.sum()),
        reason=None if share.value is not None else share.bounds.reason,
        method=joined(share.bounds.method, share.bounds.reason),
    )
