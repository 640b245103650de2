"""Trust: what a scorer may be used for, what not yet, and where its number stands beside people's own level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agreement.catalogue import STATISTICS
from agreement.estimate import Ceiling, CeilingVerdict, Estimate
from agreement.meta.ranking import GENERATORS, ORDERED, PAIRWISE, SOFT, Ranking
from agreement.reasons import NO_METHOD, Reason, ReasonCode
from agreement.report.ceiling import FINER, SAW_LABELS
from concord.agreement import recall
from concord.comparison.leaderboard import BOARD
from concord.comparison.rater_pairs import GROUPS, pair, quarters, rater_matrix
from concord.comparison.trust import (
    USES,
    Standing,
    Trust,
    TrustCell,
    TrustRater,
    Use,
    _beside_people,
    _ordering,
    _sentence,
    chance_of,
    trust,
)
from concord.meta.findings import rank
from data.selection import PEOPLE, Selection
from data.store.core.store import Store
from tests.concord import generators_project
from tests.ui.answered_projects import KINDS, fill

SELECTION = Selection(suite=("s",), aspect=("correct",))


def row(
    value: float | None = 0.5, *, spread: float | None = 0.1, prompts: int = 30, statistic: str = "cohen_kappa"
) -> Estimate:
    low, high = (None, None) if value is None or spread is None else (value - spread, value + spread)
    return Estimate(
        rater="m", statistic=statistic, value=value, low=low, high=high, n_prompts=prompts, n_items=60, n_ratings=120
    )


def level(value: float = 0.6, **verdict: object) -> Ceiling:
    made = CeilingVerdict(scorer=0.5, difference=-0.1, **verdict)  # type: ignore[arg-type]
    return Ceiling(value, value - 0.05, value + 0.05, 60, 120, None, NO_METHOD, made)


UNDECIDED = Reason(ReasonCode.TOO_FEW_TO_DECIDE, clusters="prompts", more=17)


@pytest.mark.parametrize(
    ("number", "people", "standing", "words"),
    [
        (row(), level(verdict="equivalent"), "equal", "as people"),
        (row(), level(verdict="above"), "equal", "above people"),
        (row(), level(verdict="below"), "below", "below people"),
        (row(), level(verdict_reason=UNDECIDED, prompts_needed=17), "undecided", "undecided, ~17 more prompts"),
        (row(), level(verdict_reason=UNDECIDED, prompts_needed=1), "undecided", "undecided, ~1 more prompt"),
        (row(), level(verdict_reason=FINER), "equal", "not below people"),
        (row(), level(verdict_reason=SAW_LABELS), "unknown", "its settings saw these answers"),
        # an interval that holds chance is no agreement, whatever people's level
        (row(0.05), level(verdict="below"), "chance", "not clearly better than chance"),
        (row(0.55, statistic="auc"), level(verdict="equivalent"), "chance", "not clearly better than chance"),
        # equal answers have no known chance
        (row(0.05, statistic="percent_agreement"), level(verdict="below"), "below", "below people"),
        (row(prompts=3), level(verdict="equivalent"), "few", "too few prompts (3 of 5)"),
        (replace(row(), n_ratings=19), level(verdict="equivalent"), "few", "too few answers (19 of 20)"),
        (row(None), None, "unknown", ""),
        (row(), None, "unknown", ""),
    ],
)  # fmt: skip
def test_a_number_stands_beside_people_in_words(
    number: Estimate, people: Ceiling | None, standing: Standing, words: str
) -> None:
    cell = _beside_people("judge", number, people)
    assert (cell.standing, cell.words) == (standing, words)


def test_chance_is_drawn_only_where_it_is_known() -> None:
    known = {name: chance_of(name) for name in (*STATISTICS, PAIRWISE, SOFT)}
    assert (known["cohen_kappa"], known["spearman"], known["auc"], known[SOFT]) == (0.0, 0.0, 0.5, 0.5)
    assert [name for name in ("percent_agreement", "mean", PAIRWISE, "unanimous_share") if known[name] is not None] == []


def order(value: float, right: int, *, random: bool) -> TrustCell:
    about = {"suite": "s", "aspect": "correct", "n_prompts": 25, "n_items": 90, "n_ratings": 180, "scorer": "m", "pairs": 10}
    reason = Reason(ReasonCode.RANDOM_AS_GOOD, probability=0.2)
    soft = Ranking(statistic=SOFT, value=value, ceiling=level(0.9), **about)  # type: ignore[arg-type]
    pairs = Ranking(statistic=GENERATORS, value=right / 10, verdict_reason=reason, **about)  # type: ignore[arg-type]
    if not random:
        pairs = replace(pairs, verdict=ORDERED, verdict_reason=None)
    return _ordering(soft, pairs)


def test_an_order_of_generators_is_fit_where_it_is_no_accident_and_within_peoples_interval() -> None:
    assert (order(0.87, 9, random=False).standing, order(0.87, 9, random=False).words) == ("equal", "9 of 10 pairs")
    below = order(0.80, 8, random=False)
    assert (below.standing, below.words) == ("below", "8 of 10 pairs, below people")
    accident = order(0.95, 9, random=True)
    assert (accident.standing, accident.words) == ("chance", "9 of 10 pairs, not clearly better than a random order")


def rater(name: str, **cells: TrustCell) -> TrustRater:
    return TrustRater(name, "scorer", "correct", 60, cells, {})  # type: ignore[arg-type]


def judging(value: float, standing: Standing, use: Use = "judge", more: int | None = None) -> TrustCell:
    return TrustCell(use, "cohen_kappa", row(value), level(0.62), standing, "", more)


def test_the_sentence_has_two_halves_and_says_how_many_prompts_decide() -> None:
    fit = rater("visor", judge=judging(0.5, "undecided", more=17), order=order(0.9, 10, random=False))
    main, rest, about, more = _sentence([fit], "real")
    assert main == (
        "Use visor to order generators (10 of 10 pairs in people’s order), not yet to judge single images (κ 0.50, people 0.62)"
    )
    assert (rest, more) == ("", 17)
    assert about == (
        "On single images it is undecided whether visor is as good as a person; about 17 more prompts would decide it.",
    )
    assert _sentence([fit], "simulated")[0].startswith("By simulated people: use visor")
    # another one that comes closer, and others that are as fit, are named
    closer = rater("geneval", judge=judging(0.55, "below"), order=order(0.9, 10, random=True))
    as_fit = rater("tifa", order=order(0.9, 10, random=False))
    main, _, about, _ = _sentence([closer, fit, as_fit], "real")
    assert main.startswith("Use visor to order generators")
    assert about == (
        "On single images geneval comes closest (κ 0.50, people 0.62) and is below people.",
        "Fit to order generators, too: tifa.",
    )


FEW = replace(judging(0.5, "few"), number=row(prompts=2))


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({"judge": judging(0.5, "below")}, "m comes closest to people, but may not stand in for them yet"),
        ({"judge": judging(0.0, "chance")}, "No scorer clearly agrees with people yet"),
        ({"judge": FEW}, "Too few answers yet to trust a scorer: too few prompts (2 of 5)"),
        ({}, "No scorer has judged these images yet"),
    ],
)  # fmt: skip
def test_nothing_is_to_be_used_without_a_verdict_for_it(cells: dict[str, TrustCell], expected: str) -> None:
    assert _sentence([rater("m", **cells)], "real")[0] == expected


@pytest.fixture(scope="module", params=KINDS)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Trust]]:
    aspect = "faithfulness" if request.param == "slots" else "correct"
    with Store(tmp_path_factory.mktemp("trust") / "project") as store:
        fill(store, request.param)
        yield store, trust(store, replace(SELECTION, aspect=(aspect,)))


def test_every_number_is_that_of_the_commands_with_peoples_level_of_the_same_statistic(filled: tuple[Store, Trust]) -> None:
    store, made = filled
    rows = {
        (each.rater, each.statistic): each
        for each in recall(store, made.selection, BOARD).raters
        if each.task == "all" and each.people == made.people
    }
    ranked = {
        (each.scorer, each.statistic): each for each in rank(store, made.selection, replace(BOARD, matrix=True, ceiling=False))
    }
    assert {each.name for each in made.scorers} == {"metric", "verdicts", "noise"}
    assert made.raters[0].kind == ("simulated" if made.people == "simulated" else "people")
    for each in made.scorers:
        assert set(each.cells) == set(USES)
        for use, cell in each.cells.items():
            found = rows if use == "judge" else ranked
            expected = found[each.name, cell.statistic]
            assert (cell.number.value, cell.number.low, cell.number.high) == (expected.value, expected.low, expected.high)
            assert cell.level is expected.ceiling
            assert cell.number.n_prompts > 0
    own = made.raters[0].cells
    level_of_best = made.scorers[0].cells["judge"].level
    assert level_of_best is not None
    assert (own["judge"].number.value, own["judge"].level) == (level_of_best.value, None)
    values = [each.cells["judge"].number.value or 0 for each in made.scorers if each.cells["judge"].statistic == made.statistic]
    assert values == sorted(values, reverse=True)


def test_the_matrix_and_the_pair_have_the_digits_of_the_report(filled: tuple[Store, Trust]) -> None:
    store, made = filled
    matrix = rater_matrix(store, made.selection, "all", made.statistic, made.rows, intervals=True)
    group = GROUPS[made.people or "real"]
    for each in made.scorers:
        cell = each.cells["judge"]
        if cell.statistic == made.statistic:
            found = matrix.cells[each.name, group]
            assert found is not None
            assert found.value == cell.number.value
            assert matrix.cells[group, each.name] is found
    both = pair(store, made.selection, "all", "verdicts", group, intervals=False)
    parts, left = quarters(store, both)
    if made.aspect == "correct":
        by_says = {part.says: part for part in parts}
        assert set(by_says) == {(a, b) for a in ("yes", "no") for b in ("yes", "no")}
        assert all(part.count == len(part.items) for part in parts)
        judged = {item for part in parts for item in part.items}
        # an image once, by people's majority; where they are evenly split it stands apart
        assert sum(part.count for part in parts) == len(judged)
        assert left > 0
    else:
        assert parts == ()


def test_scores_are_halved_by_rank(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
        both = pair(store, SELECTION, "all", "scores", PEOPLE, intervals=False)
        parts, _ = quarters(store, both)
    counts = {part.says: part.count for part in parts}
    assert set(counts) == {(a, b) for a in ("high", "low") for b in ("high", "low")}
    assert sum(counts.values()) == 24
    # right images have all the higher scores
    assert (counts["high", "low"], counts["low", "high"]) == (0, counts["low", "high"])
    assert counts["high", "high"] >= 12


def test_without_people_there_is_no_agreement_and_scorers_stay_comparable(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store, people=False)
        made = trust(store, SELECTION)
        assert (made.people, made.raters, made.main) == (None, (), "")
        matrix = rater_matrix(store, SELECTION, "all", "spearman", made.rows, intervals=False)
    assert PEOPLE not in matrix.raters
