"""Trust: what each scorer may be used for in place of people, and what not yet.

Three uses, each with a number beside people's own level by the same statistic, one person in the scorer's place: to judge one
image (agreement), to choose the better image of a prompt (pairwise accuracy), and to order generators (soft pairwise accuracy).
The numbers are those of `agreement` and of `rank`; here stands what may be said of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agreement import Options
from agreement.catalogue import at_a_glance
from agreement.estimate import Estimate
from agreement.meta.ranking import GENERATORS, PAIRWISE, RANK, SOFT, Ranking
from concord.agreement import AgreementRows, quick_estimates, recall
from concord.common import live_updates, wording
from concord.common.people_kinds import PeopleKind, leading_kind
from concord.comparison.leaderboard import BOARD, SCORE
from concord.comparison.places import GeneratorPlace, generator_places
from concord.comparison.trust_cells import (
    BETTER,
    JUDGE,
    ORDER,
    TrustCell,
    TrustRater,
    Use,
    beside_people,
    ordering,
)
from concord.comparison.trust_sentence import (
    TrustSentence,
    replacement_sentence,
    sentence_of_one,
    sentence_so_far,
    trust_sentence,
)
from concord.meta.findings import alt_test, rank
from concord.meta.replacement import Replacement, replacements
from concord.scope import ALL
from data.aspects import YES_NO_ASPECTS
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.browse import contents
from data.store.core.store import Store

_WHOLE: Final = Options(each_generator=False)
_LARGE, _HUGE = 50_000, 500_000


def is_large(store: Store) -> bool:
    """Return True if the project has so many judgements that only running sums are quick enough."""
    return contents.count_judgements(store) > _LARGE


def is_huge(store: Store) -> bool:
    """Return True if intervals, and any two raters, take minutes: a place does not make them after every answer."""
    return contents.count_judgements(store) > _HUGE


@dataclass(frozen=True, slots=True)
class Trust:
    """All that is said of a selection's scorers.

    Attributes:
        task: the only one that rows are about, or `all`.
        statistic: of the first column.
        people: whether the people are real or simulated ones; None: nobody has answered.
        persons, answers, prompts: that people's numbers rest on.
        raters: people first, then scorers, the best by the first column first.
        rows: the agreement report of the selection.
        generators: the best by people first.
        sentence: what may be said of the scorers.
        test: whether a scorer may replace a person by the alternative annotator test, in one sentence.
        intervals: whether intervals have been made.
    """

    selection: Selection
    task: str
    statistic: str
    people: PeopleKind | None
    persons: int
    answers: int
    prompts: int
    raters: tuple[TrustRater, ...]
    rows: AgreementRows
    generators: tuple[str, ...]
    sentence: TrustSentence
    test: str
    intervals: bool

    @property
    def aspect(self) -> str:
        """The question."""
        return self.selection.aspect[0]

    @property
    def who(self) -> str:
        """What the people are called, as in an address."""
        return SIMULATED if self.people == "simulated" else PEOPLE

    @property
    def scorers(self) -> tuple[TrustRater, ...]:
        """The rows of scorers."""
        return tuple(each for each in self.raters if each.kind == "scorer")

    def of_task(self, rater: str, statistic: str) -> list[Estimate]:
        """Return a scorer's agreement by task, by one statistic; nothing of a single task."""
        rows = [
            row
            for row in self.rows.raters
            if (row.rater, row.statistic, row.people, row.target) == (rater, statistic, self.people, None)
            and row.task not in (ALL, "tasks_mean")
        ]
        return rows if len(rows) > 1 else []


def first_rows(store: Store, selection: Selection) -> AgreementRows:
    """Return people among themselves and scorers against people, without intervals; of a large project what stands already."""
    quick = quick_estimates(store, selection) if is_large(store) else None
    return quick or recall(store, selection, replace(BOARD, intervals=False))


@live_updates.cached(maxsize=32)
def trust(
    store: Store, selection: Selection, task: str = ALL, statistic: str = "", epsilon: float = 0.1, *, intervals: bool = True
) -> Trust:
    """Return what may be said of a selection's scorers, computed once for all who look while the project stays as it is.

    Args:
        store: the open project.
        selection: one suite and one question.
        task: whose rows are read.
        statistic: of the first column; empty for the usual one of the question's scale.
        epsilon: of the alternative annotator test.
        intervals: whether intervals, orders and verdicts are made; quick without.
    """
    rows = recall(store, selection, BOARD) if intervals else first_rows(store, selection)
    among = [row for row in rows.among_people if (row.task, row.target) == (task, None)]
    judged = {kind: max((row.n_items for row in among if row.people == kind), default=0) for kind in ("real", "simulated")}
    people = leading_kind(judged["real"], judged["simulated"])
    against = [row for row in rows.raters if (row.task, row.people, row.target) == (task, people, None)]
    among = [row for row in among if row.people == people]
    wanted = statistic or ("cohen_kappa" if selection.aspect[0] in YES_NO_ASPECTS else "spearman")
    judging = {name: _judging(name, against, wanted) for name in dict.fromkeys(row.rater for row in against)}
    shown = statistic or _column_statistic(judging, wanted)
    ranked = rank(store, selection, _WHOLE) if intervals and people else []
    ranked = [row for row in ranked if (row.people, row.task) == (people, task)]
    tests = alt_test(store, selection, _WHOLE, epsilon) if intervals and people else []
    made = {each.scorer: each for each in replacements(tests, rows.raters, task, people or "real")}
    names = dict.fromkeys([*judging, *(row.scorer for row in ranked if row.scorer)])
    raters = [_scorer(store, name, selection, task, judging.get(name), ranked, made.get(name)) for name in names]
    raters.sort(key=lambda each: _promise(each, shown))
    own = _people(store, people, selection, task, among, raters, ranked, shown)
    said = TrustSentence("")
    persons = sum(
        each.simulated == (people == "simulated") for each in contents.raters_of_selection(store, selection) if not each.scorer
    )
    if own and persons == 1:
        said = sentence_of_one(raters)
    elif own:
        said = trust_sentence(raters, people) if intervals else sentence_so_far(raters, computing=not is_huge(store))
    mean = next((row for row in among if row.statistic == "mean"), among[0] if among else None)
    return Trust(
        selection, task, shown, people,
        persons,
        int(mean.n_ratings) if mean else 0,
        mean.n_prompts if mean else 0,
        (*((own,) if own else ()), *raters), rows,
        _by_place(own.places if own else {}, raters), said,
        replacement_sentence([each.replacement for each in raters if each.replacement], epsilon) if persons > 1 else "",
        intervals,
    )  # fmt: skip


def _judging(name: str, rows: Sequence[Estimate], statistic: str) -> Estimate | None:
    """Return a scorer's row of a statistic, or of the nearest one that it can have; None where it has none."""
    own = [row for row in rows if row.rater == name]
    found = next((row for row in own if row.statistic == statistic and row.value is not None), None)
    main = at_a_glance([row.statistic for row in own], among=False)
    nearest = [row for at_glance in main for row in own if row.statistic == at_glance and row.value is not None]
    return found or next(iter(nearest), None) or next((row for row in own if row.statistic == statistic), None)


def _column_statistic(judging: Mapping[str, Estimate | None], usual: str) -> str:
    """Return the first column's statistic: the usual one if any scorer has it, or none has any; else the best scorer's."""
    known = [row for row in judging.values() if row is not None and row.value is not None]
    if not known or any(row.statistic == usual for row in known):
        return usual
    return max(known, key=lambda row: row.value or 0.0).statistic


def _promise(rater: TrustRater, statistic: str) -> tuple[bool, float, str]:
    """Return the key that puts scorers with the highest number of the column's statistic first."""
    cell = rater.cells.get(JUDGE)
    value = cell.number.value if cell else None
    return cell is None or cell.statistic != statistic, -(value if value is not None else -2.0), rater.name


def _scorer(
    store: Store,
    name: str,
    selection: Selection,
    task: str,
    judging: Estimate | None,
    ranked: Sequence[Ranking],
    replacement: Replacement | None,
) -> TrustRater:
    own = {row.statistic: row for row in ranked if row.scorer == name and row.statistic != RANK}
    cells: dict[Use, TrustCell] = {}
    if judging is not None:
        cells[JUDGE] = beside_people(JUDGE, judging, judging.ceiling)
    if (pairwise := own.get(PAIRWISE)) is not None:
        cells[BETTER] = beside_people(BETTER, pairwise, pairwise.ceiling)
    if (soft := own.get(SOFT)) is not None:
        cells[ORDER] = ordering(soft, own.get(GENERATORS))
    scores = (judging is not None and judging.statistic == "auc") or (replacement is not None and not replacement.on_scale)
    images = max((cell.number.n_items for cell in cells.values()), default=0)
    aspect = SCORE if scores else selection.aspect[0]
    places = generator_places(store, selection, task, name) if ranked else {}
    return TrustRater(name, "scorer", aspect, images, cells, places, replacement)


def _people(
    store: Store,
    people: PeopleKind | None,
    selection: Selection,
    task: str,
    among: Sequence[Estimate],
    scorers: Sequence[TrustRater],
    ranked: Sequence[Ranking],
    statistic: str,
) -> TrustRater | None:
    """Return people's own row: in the best scorer's place where they were put there, else among themselves."""
    if people is None or not among:
        return None
    cells: dict[Use, TrustCell] = {}
    own = next((row for row in among if row.statistic == statistic), None)
    in_place = next((each.cells[JUDGE] for each in scorers if _has_level(each.cells.get(JUDGE), statistic)), None)
    if in_place is not None and in_place.level is not None:
        level = in_place.level
        about = replace(in_place.number, value=level.value, low=level.low, high=level.high, method=level.method, ceiling=None)
        own = replace(about, n_items=level.n_items, n_ratings=level.n_ratings, reason=level.reason)
    if own is not None:
        cells[JUDGE] = TrustCell(JUDGE, statistic, own, None, "unknown", "")
    kind = "simulated" if people == "simulated" else "people"
    group = SIMULATED if kind == "simulated" else PEOPLE
    places = generator_places(store, selection, task, group) if ranked else {}
    for use, name, words in ((BETTER, PAIRWISE, ""), (ORDER, SOFT, _apart(places))):
        if (row := next((row for row in ranked if row.scorer is None and row.statistic == name), None)) is not None:
            cells[use] = TrustCell(use, name, row, None, "unknown", words)  # type: ignore[index, arg-type]
    images = max(row.n_items for row in among)
    return TrustRater(group, kind, selection.aspect[0], images, cells, places)  # type: ignore[arg-type]


def _has_level(cell: TrustCell | None, statistic: str) -> bool:
    return cell is not None and cell.statistic == statistic and cell.level is not None and cell.level.value is not None


def _apart(places: Mapping[str, GeneratorPlace]) -> str:
    """Return how many pairs of generators people tell apart: by the ranks of Results, in which the best place that a generator
    may have is behind all that are clearly better."""
    pairs = len(places) * (len(places) - 1) // 2
    apart = sum(place.best - 1 for place in places.values())
    return f"{apart} of {wording.count(pairs, 'pair')} differ clearly" if pairs else ""


def _by_place(people: Mapping[str, GeneratorPlace], scorers: Sequence[TrustRater]) -> tuple[str, ...]:
    """Return the generators, the best by people first, or by the first scorer that orders them."""
    own = people or next((each.places for each in scorers if each.places), {})
    return tuple(own)
