"""A number of Trust: where it stands beside people's own level, in words that its interval bears."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agreement.catalogue import STATISTICS
from agreement.estimate import Ceiling, CeilingVerdict, Estimate
from agreement.meta.ranking import GENERATORS, ORDERED, PAIRWISE, SOFT, Ranking
from agreement.reasons import NO_METHOD, Method, MethodCode, Reason, ReasonCode, joined
from agreement.report.ceiling import FINER, SAW_LABELS
from concord.comparison.trust_cells import Standing, TrustCell, beside_people, chance_of, ordering


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
    cell = beside_people("judge", number, people)
    assert (cell.standing, cell.words) == (standing, words)


def test_chance_is_drawn_only_where_it_is_known() -> None:
    known = {name: chance_of(name) for name in (*STATISTICS, PAIRWISE, SOFT)}
    assert (known["cohen_kappa"], known["spearman"], known["auc"], known[SOFT]) == (0.0, 0.0, 0.5, 0.5)
    assert [name for name in ("percent_agreement", "mean", PAIRWISE, "unanimous_share") if known[name] is not None] == []


def order(
    value: float,
    right: int,
    *,
    random: bool = False,
    bounds: tuple[float | None, float | None] | None = None,
    method: Method = NO_METHOD,
) -> TrustCell:
    low, high = bounds or (value, value)
    about = {"suite": "s", "aspect": "correct", "n_prompts": 25, "n_items": 90, "n_ratings": 180, "scorer": "m", "pairs": 10}
    reason = Reason(ReasonCode.RANDOM_AS_GOOD, probability=0.2)
    soft = Ranking(statistic=SOFT, value=value, low=low, high=high, method=method, ceiling=level(0.9), **about)  # type: ignore[arg-type]
    pairs = Ranking(statistic=GENERATORS, value=right / 10, verdict_reason=reason, **about)  # type: ignore[arg-type]
    if not random:
        pairs = replace(pairs, verdict=ORDERED, verdict_reason=None)
    return ordering(soft, pairs)


def test_an_order_of_generators_claims_no_more_than_its_interval() -> None:
    """People's interval is 0.85 to 0.95."""
    fit = order(0.95, 10, bounds=(0.87, 0.99))
    assert (fit.standing, fit.words) == ("equal", "10 of 10 pairs")
    # its point is within people's interval, and its own interval reaches far below: BLEU over five generators
    bleu = order(0.87, 9, bounds=(0.7, 0.95))
    assert (bleu.standing, bleu.words) == ("undecided", "9 of 10 pairs, undecided with 5 generators")
    below = order(0.70, 8, bounds=(0.6, 0.8))
    assert (below.standing, below.words) == ("below", "8 of 10 pairs, below people")
    accident = order(0.95, 9, random=True)
    assert (accident.standing, accident.words) == ("chance", "9 of 10 pairs; a random order may do as well")


def test_an_order_without_an_interval_is_undecided_unless_no_study_would_have_another() -> None:
    assert order(0.97, 10, bounds=(None, None)).standing == "undecided"
    settled = joined(Method(MethodCode.SOFT_ACCURACY_OF_GENERATORS, seat=""), Reason(ReasonCode.SETTLED, p=0.025))
    assert order(0.97, 10, bounds=(None, None), method=settled).standing == "equal"
