"""Trust: what each scorer may be used for in place of people, and what not yet.

Three uses, each with a number beside people's own level by the same statistic, one person in the scorer's place: to judge one
image (agreement), to choose the better image of a prompt (pairwise accuracy), and to order generators (soft pairwise accuracy).
The numbers are those of `agreement` and of `rank`; here stands what may be said of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from agreement import Options
from agreement.catalogue import CORRELATIONS, ICCS, NUMBER_ALPHAS, TWO_RATERS, at_a_glance
from agreement.estimate import Ceiling, CeilingVerdict, Estimate
from agreement.meta.alternative_annotator import AlternativeAnnotator
from agreement.meta.ranking import GENERATORS, PAIRWISE, RANK, SOFT, Ranking
from agreement.report.ceiling import FINER, NO_INTERVALS, SAW_LABELS
from concord.agreement import AgreementRows, quick_estimates, recall
from concord.common import live_updates, reason_sentences, wording
from concord.common.people_kinds import PeopleKind, leading_kind
from concord.comparison.leaderboard import BOARD, SCORE
from concord.headlines import FEWEST_ANSWERS, FEWEST_PROMPTS
from concord.meta.findings import TITLES, alt_test, rank
from concord.meta.replacement import Replacement, replacements
from concord.scope import ALL
from data.aspects import YES_NO_ASPECTS
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.browse import contents
from data.store.core.store import Store

Use = Literal["judge", "better", "order"]
JUDGE: Final = "judge"
BETTER: Final = "better"
ORDER: Final = "order"
Standing = Literal["equal", "below", "undecided", "chance", "few", "unknown"]
USES: Final[Mapping[Use, str]] = {
    JUDGE: "to judge single images", BETTER: "to choose the better image of a prompt", ORDER: "to order generators",
}  # fmt: skip
"""What a scorer may be used for, in the order of the columns."""
COSTS: Final[Mapping[str, str]] = {"0.1": "a crowd", "0.15": "skilled people", "0.2": "experts"}
"""Whom the alternative annotator test compares with, by its epsilon: what such a person costs more than a scorer."""
_WHOLE: Final = Options(each_generator=False)
_LARGE, _HUGE = 50_000, 500_000


def is_large(store: Store) -> bool:
    """Return True if the project has so many judgements that only running sums are quick enough."""
    return contents.count_judgements(store) > _LARGE


def is_huge(store: Store) -> bool:
    """Return True if intervals, and any two raters, take minutes: a place does not make them after every answer."""
    return contents.count_judgements(store) > _HUGE


@dataclass(frozen=True, slots=True)
class TrustCell:
    """A rater's number for one use.

    Attributes:
        use: what it is for.
        statistic: by which; another one than the column's where the rater cannot have that.
        number: the value with its interval, and how it was made.
        level: people's own level in the rater's place by the same statistic; None for people, and where nobody was put there.
        standing: where it stands beside people.
        words: the same in a few words; empty where nothing may be said.
        more: with about how many more prompts four of five studies would decide; None where that is not the question.
        pairs: of an order of generators how many pairs stand in people's order, beside a random order.
    """

    use: Use
    statistic: str
    number: Estimate
    level: Ceiling | None
    standing: Standing
    words: str
    more: int | None = None
    pairs: Ranking | None = None

    @property
    def in_place(self) -> float | None:
        """The scorer's number in people's places, where that differs from its number by two digits."""
        own = self.level.verdict.scorer if self.level else None
        if own is None or self.number.value is None or wording.two(own) == wording.two(self.number.value):
            return None
        return own

    @property
    def chance(self) -> float | None:
        """What a rater that knows nothing has; None where that is not known."""
        return chance_of(self.statistic)


@dataclass(frozen=True, slots=True)
class TrustRater:
    """A row: people, or a scorer.

    Attributes:
        kind: whose colour it has.
        aspect: what it gives: people's question, or a score of its own.
        images: how many of its images its first number rests on.
        cells: by use; without a number it has none.
        places: by generator the place by its mean, and the places that it may have.
        replacement: whether it may replace people, by the alternative annotator test and people's level.
    """

    name: str
    kind: Literal["people", "simulated", "scorer"]
    aspect: str
    images: int
    cells: Mapping[Use, TrustCell]
    places: Mapping[str, Ranking]
    replacement: Replacement | None = None

    @property
    def gives(self) -> str:
        """What it gives, in a word."""
        if self.kind != "scorer":
            return "one by one"
        return "scores" if self.aspect == SCORE else "verdicts" if self.aspect in YES_NO_ASPECTS else "ratings"


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
        main, rest: the sentence, and what stands small behind it.
        about: the lines beneath it.
        more: the most prompts that a verdict of the best scorer still needs; None where none does.
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
    main: str
    rest: str
    about: tuple[str, ...]
    more: int | None
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
    raters = [_scorer(name, selection, judging.get(name), ranked, made.get(name)) for name in names]
    raters.sort(key=lambda each: _promise(each, shown))
    own = _people(people, selection, among, raters, ranked, shown)
    said = _sentence(raters, people) if own else ("", "", (), None)
    mean = next((row for row in among if row.statistic == "mean"), among[0] if among else None)
    persons = [each for each in contents.raters_of_selection(store, selection) if not each.scorer]
    return Trust(
        selection, task, shown, people,
        sum(each.simulated == (people == "simulated") for each in persons),
        int(mean.n_ratings) if mean else 0,
        mean.n_prompts if mean else 0,
        (*((own,) if own else ()), *raters), rows,
        _by_place(own.places if own else {}, raters), *said,
        _test_sentence([each.replacement for each in raters if each.replacement], epsilon), intervals,
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
    name: str, selection: Selection, judging: Estimate | None, ranked: Sequence[Ranking], replacement: Replacement | None
) -> TrustRater:
    own = {row.statistic: row for row in ranked if row.scorer == name and row.statistic != RANK}
    cells: dict[Use, TrustCell] = {}
    if judging is not None:
        cells[JUDGE] = _beside_people(JUDGE, judging, judging.ceiling)
    if (pairwise := own.get(PAIRWISE)) is not None:
        cells[BETTER] = _beside_people(BETTER, pairwise, pairwise.ceiling)
    if (soft := own.get(SOFT)) is not None:
        cells[ORDER] = _ordering(soft, own.get(GENERATORS))
    scores = (judging is not None and judging.statistic == "auc") or (replacement is not None and not replacement.on_scale)
    images = max((cell.number.n_items for cell in cells.values()), default=0)
    places = {row.generator: row for row in ranked if row.scorer == name and row.statistic == RANK}
    return TrustRater(name, "scorer", SCORE if scores else selection.aspect[0], images, cells, places, replacement)


def _people(
    people: PeopleKind | None,
    selection: Selection,
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
    for use, name in ((BETTER, PAIRWISE), (ORDER, SOFT)):
        if (row := next((row for row in ranked if row.scorer is None and row.statistic == name), None)) is not None:
            cells[use] = TrustCell(use, name, row, None, "unknown", _apart(row))  # type: ignore[index, arg-type]
    places = {row.generator: row for row in ranked if row.scorer is None and row.statistic == RANK}
    images = max(row.n_items for row in among)
    kind = "simulated" if people == "simulated" else "people"
    return TrustRater(SIMULATED if kind == "simulated" else PEOPLE, kind, selection.aspect[0], images, cells, places)  # type: ignore[arg-type]


def _has_level(cell: TrustCell | None, statistic: str) -> bool:
    return cell is not None and cell.statistic == statistic and cell.level is not None and cell.level.value is not None


def _apart(row: Ranking) -> str:
    """Return how many pairs of generators people tell apart."""
    return f"{row.pairs_apart} of {wording.count(row.pairs, 'pair')} differ clearly" if row.pairs else ""


_HALF: Final = frozenset({"auc", SOFT})
_ZERO: Final = CORRELATIONS | TWO_RATERS | NUMBER_ALPHAS | ICCS | {
    "gwet_ac1", "gwet_ac2", "fleiss_kappa", "krippendorff_alpha_nominal", "krippendorff_alpha_ordinal",
}  # fmt: skip


def chance_of(statistic: str) -> float | None:
    """Return what a rater that knows nothing has; None where that is not known, as of a share of equal answers."""
    return 0.5 if statistic in _HALF else 0.0 if statistic in _ZERO else None


def too_few(row: Estimate) -> str:
    """Return why a number rests on too little for a verdict; "" where it does not."""
    if 0 < row.n_prompts < FEWEST_PROMPTS:
        return f"too few prompts ({row.n_prompts} of {FEWEST_PROMPTS})"
    return f"too few answers ({row.n_ratings} of {FEWEST_ANSWERS})" if row.n_ratings < FEWEST_ANSWERS else ""


_STANDINGS: Final[Mapping[str, tuple[Standing, str]]] = {
    "equivalent": ("equal", "as people"),
    "above": ("equal", "above people"),
    "below": ("below", "below people"),
}


def _beside_people(use: Use, row: Estimate, level: Ceiling | None) -> TrustCell:
    """Return a number with where it stands beside people's level."""
    standing, words, more = _verdict(row, level.verdict if level else CeilingVerdict())
    return TrustCell(use, row.statistic, row, level, standing, words, more)


def _verdict(row: Estimate, verdict: CeilingVerdict) -> tuple[Standing, str, int | None]:
    chance = chance_of(row.statistic)
    if row.value is None:
        return "unknown", "", None
    if few := too_few(row):
        return "few", few, None
    if row.low is not None and chance is not None and row.low <= chance:
        return "chance", "not clearly better than chance", None
    if verdict.verdict:
        return *_STANDINGS[verdict.verdict], None
    if verdict.prompts_needed is not None:
        return "undecided", f"undecided, ~{wording.count(verdict.prompts_needed, 'more prompt')}", verdict.prompts_needed
    if verdict.verdict_reason == FINER:
        return "equal", "not below people", None
    if verdict.verdict_reason == SAW_LABELS:
        return "unknown", "its settings saw these answers", None
    known = verdict.scorer is not None and verdict.difference is not None and verdict.verdict_reason != NO_INTERVALS
    return ("undecided", "undecided", None) if known else ("unknown", "", None)


def _ordering(soft: Ranking, pairs: Ranking | None) -> TrustCell:
    """Return how a scorer orders generators: of few generators no difference from people can be tested, but a random order can.

    It orders them as people do where a random order would hardly do as well, and its number is not below people's interval.
    """
    level, words = soft.ceiling, ""
    standing: Standing = "unknown"
    if soft.value is not None and pairs is not None and pairs.value is not None and pairs.pairs:
        words = _in_order(pairs)
        if few := too_few(soft):
            return TrustCell(ORDER, SOFT, soft, level, "few", f"{words}; {few}")
        bottom = None if level is None else level.low if level.low is not None else level.value
        if pairs.verdict is None:
            standing = "chance"
            words += ", not clearly better than a random order"
        elif bottom is not None:
            standing = "equal" if soft.value >= bottom else "below"
            words += "" if standing == "equal" else ", below people"
    return TrustCell(ORDER, SOFT, soft, level, standing, words, pairs=pairs)


def _in_order(pairs: Ranking) -> str:
    """Return how many pairs of generators stand in people's order."""
    return f"{(pairs.value or 0.0) * (pairs.pairs or 0):z.0f} of {wording.count(pairs.pairs or 0, 'pair')}"


def _by_place(people: Mapping[str, Ranking], scorers: Sequence[TrustRater]) -> tuple[str, ...]:
    """Return the generators, the best by people first, or by the first scorer that orders them."""
    own = people or next((each.places for each in scorers if each.places), {})
    return tuple(sorted(own, key=lambda name: (own[name].value or 0.0, name)))


def _sentence(scorers: Sequence[TrustRater], people: PeopleKind | None) -> tuple[str, str, tuple[str, ...], int | None]:
    """Return the sentence in two halves (what for, what not yet), and what it rests on."""
    by = "By simulated people: " if people == "simulated" else ""
    judged = [each for each in scorers if any(cell.number.value is not None for cell in each.cells.values())]
    if not judged:
        return "No scorer has judged these images yet", "", (), None
    if all(cell.standing == "few" for each in judged for cell in each.cells.values() if cell.number.value is not None):
        first = next(iter(judged[0].cells.values()))
        return f"Too few answers yet to trust a scorer: {too_few(first.number)}", "", (), None
    best = max(judged, key=lambda each: sum(cell.standing == "equal" for cell in each.cells.values()))
    fit = [use for use, cell in best.cells.items() if cell.standing == "equal"]
    left = [use for use, cell in best.cells.items() if cell.standing in ("below", "undecided", "chance")]
    about, more = _about(best, judged, fit)
    if not fit:
        main = f"{best.name} comes closest to people, but may not stand in for them yet"
        first = next(iter(best.cells.values()))
        if all(cell.standing == "chance" for each in judged for use, cell in each.cells.items() if use == JUDGE):
            main = "No scorer clearly agrees with people yet"
        return _start(by, main), f" ({_number(first)})", about, more
    good = wording.listed([f"{USES[use]} ({_number(best.cells[use])})" for use in fit])
    yet = f", not yet {' or '.join(f'{USES[use]} ({_number(best.cells[use])})' for use in left)}" if left else ""
    return _start(by, f"Use {best.name} {good}{yet}"), "", about, more


def _start(by: str, main: str) -> str:
    return by + (main[:1].lower() + main[1:] if by and main.startswith(("Use ", "No ")) else main)


def _number(cell: TrustCell) -> str:
    """Return a number beside people's by the same statistic, in a few words."""
    if cell.pairs is not None and cell.pairs.pairs:
        return f"{_in_order(cell.pairs)} in people’s order"
    beside = f", people {wording.two(cell.level.value)}" if cell.level and cell.level.value is not None else ""
    own = cell.in_place if cell.in_place is not None else cell.number.value
    symbol = "" if cell.statistic in TITLES else f"{wording.symbol(cell.statistic)} "
    return f"{symbol}{wording.two(own or 0.0)}{beside}"


def title_of(statistic: str) -> str:
    """Return a statistic of agreement, or of an order of images or generators, as it is written."""
    return TITLES[statistic].lower() if statistic in TITLES else wording.title(statistic)


_SUBJECT: Final[Mapping[Use, str]] = {
    JUDGE: "single images", BETTER: "the better image of a prompt", ORDER: "the order of generators",
}  # fmt: skip


def _about(best: TrustRater, judged: Sequence[TrustRater], fit: Sequence[Use]) -> tuple[tuple[str, ...], int | None]:
    """Return a line about each standing that the best scorer has in uses that it is not fit for, and the most prompts needed.

    Another scorer that comes closer to people on single images, and those that are as fit as the best one, are named.
    """
    found: dict[tuple[Standing, str], list[TrustCell]] = {}
    for use, cell in best.cells.items():
        rater, closest = best, judged[0].cells.get(use)
        if use == JUDGE and closest is not None and cell.standing != "equal":
            rater, cell = judged[0], closest
        if cell.standing in ("below", "undecided") or (cell.standing == "chance" and use != ORDER):
            found.setdefault((cell.standing, rater.name), []).append(cell)
    lines: list[str] = []
    needed: list[int] = []
    for (standing, name), cells in found.items():
        where = wording.listed([_SUBJECT[cell.use] for cell in cells])
        if standing == "undecided":
            more = max((cell.more for cell in cells if cell.more is not None), default=None)
            decide = f"; about {wording.count(more, 'more prompt')} would decide it" if more is not None else ""
            lines.append(f"On {where} it is undecided whether {name} is as good as a person{decide}.")
            needed += [] if more is None else [more]
        elif standing == "below":
            closer = f" comes closest ({_number(cells[0])}) and" if name != best.name else ""
            lines.append(f"On {where} {name}{closer} is below people.")
        else:
            lines.append(f"On {where} {name} is not clearly better than chance.")
    for use in fit:
        others = [
            each.name for each in judged if each is not best and use in each.cells and each.cells[use].standing == "equal"
        ]
        if others:
            lines.append(f"Fit {USES[use]}, too: {wording.listed(others)}.")
    return tuple(lines), max(needed, default=None)


def _test_sentence(made: Sequence[Replacement], epsilon: float) -> str:
    """Return what the alternative annotator test says of all scorers, in one sentence; "" without scorers."""
    if not made:
        return ""
    tested = [each for each in made if each.test is not None and each.test.passes is not None]
    whom = COSTS.get(f"{epsilon:g}", f"ε = {epsilon:g}")
    if not tested:
        of: dict[str, list[str]] = {}
        for each in made:
            of.setdefault(_reason(each.test), []).append(each.scorer)
        parts = list(of) if len(of) == 1 else [f"{wording.listed(names)}: {reason}" for reason, names in of.items()]
        return f"The test cannot say: {'; '.join(parts)}."
    by = {True: [], False: []}  # type: dict[bool, list[str]]
    for each in tested:
        if each.test is not None:
            by[bool(each.test.passes)].append(f"{each.scorer} ({each.test.persons_won} of {len(each.test.persons)} people)")
    parts = [f"{words} {wording.listed(by[passes])}" for passes, words in ((True, "yes:"), (False, "no:")) if by[passes]]
    untested = len(made) - len(tested)
    rest = f"; it cannot test {wording.count(untested, 'other scorer')}" if untested else ""
    return f"Beside {whom}, {'; '.join(parts)}{rest}."


def _reason(test: AlternativeAnnotator | None) -> str:
    return (reason_sentences.text_or_none(test.reason) if test else None) or "there is nothing to test"
