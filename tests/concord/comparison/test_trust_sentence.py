"""Trust's sentence: what a scorer may be used for, what not yet, and nothing that an interval may contradict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from concord.comparison.trust import trust
from concord.comparison.trust_cells import Standing, TrustCell, TrustRater, Use
from concord.comparison.trust_sentence import sentence_so_far, trust_sentence
from data.selection import Selection
from data.store.core.store import Store
from tests.concord.comparison.test_trust_cells import level, order, row
from tests.ui.answered_projects import KINDS, fill


def rater(name: str, **cells: TrustCell) -> TrustRater:
    return TrustRater(name, "scorer", "correct", 60, cells, {})  # type: ignore[arg-type]


def judging(value: float, standing: Standing, use: Use = "judge", more: int | None = None) -> TrustCell:
    return TrustCell(use, "cohen_kappa", row(value), level(0.62), standing, "", more)


def test_the_sentence_has_two_halves_its_numbers_have_intervals_and_it_says_how_many_prompts_decide() -> None:
    fit = rater("visor", judge=judging(0.5, "undecided", more=17), order=order(0.9, 10))
    said = trust_sentence([fit], "real")
    assert said.main == "visor may stand in for people to order generators, not yet to judge single images"
    assert said.more == 17
    assert said.rest == " (10 of 10 pairs of generators as people)"
    assert said.about == (
        "On single images it is undecided whether visor is as good as a person; about 17 more prompts would decide it.",
    )
    assert trust_sentence([fit], "simulated").main.startswith("By simulated people: visor may")
    # another one that comes closer, and others that are as fit, are named
    closer = rater("geneval", judge=judging(0.55, "below"), order=order(0.9, 10, random=True))
    as_fit = rater("tifa", order=order(0.9, 10))
    said = trust_sentence([closer, fit, as_fit], "real")
    assert said.main.startswith("visor may stand in for people to order generators")
    assert said.about == (
        "On single images geneval comes closest (κ 0.55 [0.45, 0.65]; in a person’s place 0.50, one person 0.62 [0.57, 0.67])"
        " and is below people.",
        "Fit to order generators, too: tifa.",
    )


def test_few_generators_recommend_no_scorer_to_order_them() -> None:
    """An order of five generators has an interval that says little."""
    wide = (0.7, 0.95)
    scorers = [
        rater(name, judge=judging(0.4, "below"), order=order(0.87, 9, bounds=wide)) for name in ("tifa", "bleu", "spice")
    ]
    said = trust_sentence(scorers, "real")
    assert said.main == "tifa comes closest to people, but may not stand in for them yet"
    assert said.rest == " (κ 0.40 [0.30, 0.50]; in a person’s place 0.50, one person 0.62 [0.57, 0.67])"
    assert said.about[-1] == (
        "Better than a random order of the 5 generators: tifa, bleu and spice; whether they are as good as a person is"
        " undecided with so few."
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
    assert trust_sentence([rater("m", **cells)], "real").main == expected


def test_before_intervals_the_sentence_claims_nothing() -> None:
    points = rater("m", judge=replace(judging(0.5, "unknown"), number=row(0.5, spread=None)))
    said = sentence_so_far([points], computing=True)
    assert said.main == "m is closest to people on single images: κ 0.50"
    assert said.about == ("What it may be used for is being computed …",)
    assert sentence_so_far([points], computing=False).about == ()


@pytest.mark.parametrize("kind", KINDS)
def test_the_quick_sentence_names_whom_the_whole_one_has_first(tmp_path: Path, kind: str) -> None:
    selection = Selection(suite=("s",), aspect=("faithfulness" if kind == "slots" else "correct",))
    with Store(tmp_path / "project") as store:
        fill(store, kind)
        quick, whole = (trust(store, selection, intervals=intervals) for intervals in (False, True))
    assert quick.sentence.main.startswith(f"{whole.scorers[0].name} is closest to people on single images")
    assert "may" not in quick.sentence.main
