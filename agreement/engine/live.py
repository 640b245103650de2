"""Point estimates that stand: made once from counted judgements, and after a new answer only where it changes something.

A `Standing` gives rows of the report (`build` without intervals and matrix): those whose statistics come from additive sums
by cell or from a scorer's ranks, with the same numbers, counts, reasons and words. After `update` only cells (a generator or
all, a task or all) that hold a touched item are computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from agreement.catalogue import OF_SCORES, people_as, select_statistics
from agreement.engine.correlations import STATISTICS as RANKED
from agreement.engine.counts import JudgementCounts
from agreement.engine.sums import KINDS, ScorerSums, Sums
from agreement.numeric import BoolArray, ratio
from agreement.report.human_human import ALL_RATINGS, BY_UNIT, CHANCE_FROM_ALL, MEAN, NO_RATINGS
from agreement.report.report import MET_BY_SCORES, AgreementReport, ReportRow
from agreement.report.scorer_human import HOW, NOTHING_SHARED
from agreement.statistics import many_raters, two_raters
from agreement.statistics.scale import Scale
from agreement.study.cells import Cell, CellOutcome, Key, Options, Outcome, Used, merged, outcome, walk
from agreement.study.frame import Ratings, Suite

HUMAN_HUMAN = frozenset(many_raters.FORMULAS) | {"mean"}
"""The statistics among people that a `Standing` gives."""
SCORER_HUMAN = frozenset(two_raters.FORMULAS) | frozenset(RANKED) | {"mean"}
"""Those of a scorer against people."""

CellCodes = tuple[int | None, int | None]
"""A cell: the codes of its generator and its task, None for all."""


@dataclass(frozen=True)
class AspectScale:
    """The topic: a suite's aspect, and its scale as it is written."""

    suite: str
    aspect: str
    scale: str


@dataclass(frozen=True)
class _CellPart:
    """What is computed, and kept, for one cell: people's statistics, or one scorer's of one sort."""

    kind: int
    place: CellCodes
    scorer: str | None = None
    sort: str = ""


@dataclass(frozen=True)
class _Cells:
    """The cells in which one kind of people have said something."""

    kind: int
    present: Ratings
    suite: Suite
    options: Options

    def walk(self, compute: Callable[[Cell], dict[Key, Outcome]]) -> Iterable[CellOutcome]:
        """What is computed for each, in the report's order, with the means over tasks."""
        return walk(self.present, self.suite, self.options, compute)


class LiveEstimates:
    """The standing point estimates of one topic: `report()`, and `update(counted)` once items were answered.

    Attributes:
        computed: how many parts (the statistics of people, or one scorer's, in one cell) have been computed so far.
    """

    def __init__(self, about: AspectScale, counted: JudgementCounts) -> None:
        """Sum up everything.

        Raises:
            NotServedError: people's values are no labels, or there are too many different ones.
        """
        self.computed = 0
        self._about = about
        self._sums = Sums(Scale.parse(about.scale), counted)
        self._kept: dict[_CellPart, dict[str, Outcome]] = {}

    def update(self, counted: JudgementCounts) -> None:
        """Put what people say of the counted items, all of it, in the place of what they said. Scorers' part is not looked at.

        Raises:
            StaleError: this cannot be followed (such as a label that is new): make another Standing.
        """
        touched = self._sums.update(counted)
        other = {part for part in self._kept if touched[part.kind][self._inside(part.place)].any()}
        for part in other:
            del self._kept[part]

    def report(self, statistics: tuple[str, ...] | None = None, *, each_generator: bool = True) -> AgreementReport:
        """The rows of these statistics (None: all that apply), as far as they are in `AMONG` and `AGAINST`."""
        options = Options(statistics, intervals=False, matrix=False, each_generator=each_generator)
        among: list[ReportRow] = []
        raters: list[ReportRow] = []
        names = self._sums.columns
        suite = Suite(self._about.suite, (), (), names.tasks, names.generators, (), (), by_prompt=True, aspects=())
        for kind in KINDS:
            cells = _Cells(kind, self._present(kind), suite, options)
            among += self._rows(cells, self._among(cells))
            raters += self._rows(cells, self._raters(cells))
        return AgreementReport(tuple(among), tuple(raters), ())

    def _rows(self, cells: _Cells, found: Iterable[CellOutcome]) -> list[ReportRow]:
        about, people = self._about, "simulated" if cells.kind else "real"
        return [ReportRow(about.suite, about.aspect, None, people, each, None, None, each.outcome.how) for each in found]

    def _present(self, kind: int) -> Ratings:
        """One row for each generator and task of which these people have said something."""
        sums = self._sums
        tally = sums.people[kind].tally
        present = np.flatnonzero(tally.units.any(1) | tally.refused.any(1))
        generator, task = present // (sums.grid.tasks + 1) - 1, present % (sums.grid.tasks + 1) - 1
        none = np.zeros(present.size, np.int64)
        return Ratings(none, none, none, none, task, generator, none, none, none.astype(float), none, none)

    def _among(self, cells: _Cells) -> Iterable[CellOutcome]:
        names = select_statistics(self._sums.measure.among() & HUMAN_HUMAN, cells.options.statistics)

        def compute(cell: Cell) -> dict[Key, Outcome]:
            found = self._part(_CellPart(cells.kind, (cell.generator, cell.task)), self._of_people)
            return {Key(name): found[name] for name in names}

        return cells.walk(compute) if names else ()

    def _raters(self, cells: _Cells) -> list[CellOutcome]:
        """Scorers by their labels, then by their scores what their labels do not give."""
        measure, wanted = self._sums.measure, cells.options.statistics
        found = self._met(cells, self._sums.scorers, select_statistics(measure.two_raters() & SCORER_HUMAN, wanted))
        if self._about.aspect in MET_BY_SCORES and (measure.kind != "nominal" or measure.binary):
            done = {(each.key.rater, each.key.statistic) for each in found}
            by_score = self._met(cells, self._sums.by_score, select_statistics(OF_SCORES & frozenset(RANKED), wanted))
            found += [each for each in by_score if (each.key.rater, each.key.statistic) not in done]
        return found

    def _met(self, cells: _Cells, scorers: list[ScorerSums], names: tuple[str, ...]) -> list[CellOutcome]:
        def compute(cell: Cell) -> dict[Key, Outcome]:
            found: dict[Key, Outcome] = {}
            for scorer in scorers:
                whole = self._inside((cell.generator, None))
                if not (scorer.judged[whole].any() or scorer.refused[whole].any()):
                    continue
                for name in names:
                    # the part in which a statistic of a scorer is made
                    part = _CellPart(
                        cells.kind,
                        (cell.generator, cell.task),
                        scorer.name,
                        (("labels" if scorer.label is not None else "scores") + (" in order" if name in RANKED else "")),
                    )
                    make = self._ranks if name in RANKED else self._tables
                    key = Key(name, rater=scorer.name, people_as=None if name == "mean" else people_as(name, None))
                    found[key] = self._part(part, partial(make, scorer))[name]
            return found

        return list(cells.walk(compute))

    def _part(self, part: _CellPart, make: Callable[[_CellPart], dict[str, Outcome]]) -> dict[str, Outcome]:
        if part not in self._kept:
            self.computed += 1
            self._kept[part] = make(part)
        return self._kept[part]

    def _inside(self, place: CellCodes) -> BoolArray:
        return self._sums.grid.inside(*place)

    def _of_people(self, part: _CellPart) -> dict[str, Outcome]:
        """Every statistic among people in one cell."""
        sums, inside = self._sums, self._inside(part.place)
        tally, profiles, labels = sums.people[part.kind].tally, sums.profiles, sums.measure.labels
        units = tally.units[inside].sum(0)
        ratings, alone = units @ profiles.n, units[profiles.n == 1].sum()
        items, paired = tally.items[inside].sum(0)
        refused = sums.reasons(tally.refused[inside].sum(0))
        every = Used(int(items), int(ratings), 0, merged([refused]))
        two = Used(int(paired), int(ratings - alone), 0, merged([refused, {"single_rating": int(alone)}]))
        sample = many_raters.CountSums.unpack(units @ profiles.columns, labels)
        mean = ratio(units @ profiles.total, ratings)
        found = {"mean": outcome(mean[None], NO_RATINGS, every, MEAN)}
        for name in _allowed(sums.measure.among(), many_raters.FORMULAS):
            of_all = name in ALL_RATINGS
            how = BY_UNIT + (CHANCE_FROM_ALL if of_all and alone else "")
            value = many_raters.FORMULAS[name](sample)
            found[name] = outcome(np.atleast_1d(value), many_raters.why_undefined(name, sample), every if of_all else two, how)
        return found

    def _used(self, scorer: ScorerSums, part: _CellPart) -> Used:
        """What a scorer's comparison with people uses in one cell."""
        sums, inside = self._sums, self._inside(part.place)
        tally, met = sums.people[part.kind].tally, scorer.met[part.kind]
        ratings, items = int(met.ratings[inside].sum()), int(met.items[inside].sum())
        refused = [sums.reasons(each.refused[inside].sum(0)) for each in (scorer, tally)]
        said = int((tally.units[inside] @ sums.profiles.n).sum())
        own = items if scorer.label is None else int(met.own[inside].sum())
        apart = {"no_scorer_value": said - ratings, "no_people": int(scorer.judged[inside].sum()) - own}
        return Used(items, ratings, 0, merged([*refused, apart]))

    def _tables(self, scorer: ScorerSums, part: _CellPart) -> dict[str, Outcome]:
        """Every statistic of a scorer's table with people, and its own mean, in one cell."""
        sums, inside, used = self._sums, self._inside(part.place), self._used(scorer, part)
        met = scorer.met[part.kind]
        own = met.own[inside].sum(0)
        mean = ratio(own @ sums.profiles.numbers, own.sum())
        found = {"mean": outcome(mean[None], NOTHING_SHARED, replace(used, ratings=int(own.sum())), HOW[None])}
        sample = two_raters.PairSums.of(met.table[inside].sum(0))
        for name in _allowed(sums.measure.two_raters(), two_raters.FORMULAS):
            reason = two_raters.why_undefined(name, sample) if used.ratings else NOTHING_SHARED
            found[name] = outcome(np.atleast_1d(two_raters.FORMULAS[name](sample)), reason, used, HOW["each"])
        return found

    def _ranks(self, scorer: ScorerSums, part: _CellPart) -> dict[str, Outcome]:
        """Correlations of a scorer with people's means in one cell."""
        sums, inside, used = self._sums, self._inside(part.place), self._used(scorer, part)
        found = sums.ranked(scorer).correlations(part.place, inside, sums.profiled(part.kind), part.kind)
        return {
            name: outcome(np.array([rho.value]), rho.reason if used.ratings else NOTHING_SHARED, used, HOW["mean"])
            for name, rho in found.items()
        }


def _allowed(allowed: frozenset[str], formulas: Iterable[str]) -> list[str]:
    """The formulas that make sense."""
    return [name for name in formulas if name in allowed]
