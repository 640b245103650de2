"""Straight-liners and speeders by hand-derived cases."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from annotation.quality import ABOVE_OTHERS, FEWEST, Sameness, Speed, TimedAnswer, pattern, sameness, shape, speeds, tail
from annotation.questionnaires import geneval, tifa_vqa

ONE, TWO = ("choice",), ("choice", "choice")


def timed_answers(person: str, text: str, first: int = 0, seconds: float | None = None) -> list[TimedAnswer]:
    """One letter for each item in turn: what was pressed there."""
    return [TimedAnswer(person, f"i{first + n}", ONE, (letter,), seconds) for n, letter in enumerate(text) if letter != "."]


def test_the_tail_is_that_of_all_outcomes() -> None:
    chances = [0.1, 0.5, 0.9, 0.3]
    for k in range(5):
        whole = 0.0
        for outcome in product((0, 1), repeat=4):
            weight = 1.0
            for happens, chance in zip(outcome, chances, strict=True):
                weight *= chance if happens else 1 - chance
            whole += weight * (sum(outcome) >= k)
        assert tail(chances, k) == pytest.approx(whole)


def test_repeats_are_counted_against_what_the_others_say_there() -> None:
    results = sameness([*timed_answers("same", "aaab"), *timed_answers("x", "abab"), *timed_answers("y", "bbbb")])
    # same: a->a, a->a, a->b: two of three; of the others at i1 (b b), i2 (a b), i3 (b b) say a: 0, 1/2, 0
    same = results["same"]
    assert replace(same, others=None, chance=None) == Sameness(3, 2 / 3, None, 3, None)
    assert same.others == pytest.approx(1 / 6)
    assert same.chance == pytest.approx(tail([0.5 / 3, 1.5 / 3, 0.5 / 3], 2))
    # y repeats itself three times, where half of the others' answers are b at i1 and i2 ... and all at i3
    assert results["y"].share == 1
    assert results["y"].others == pytest.approx((0.5 + 0 + 1.0) / 3)
    assert results["y"].longest == 4


def test_only_answers_of_one_shape_are_compared() -> None:
    mixed = [
        TimedAnswer("p", f"i{n}", kind, values)
        for n, (kind, values) in enumerate([(ONE, ("a",)), (TWO, ("a", "b")), (ONE, ("a",)), (TWO, ("a", "c"))])
    ]
    assert sameness(mixed)["p"] == Sameness(2, 0.5, None, 2, None)
    assert sameness(mixed[:2])["p"] == Sameness(0, None, None, 1, None)


def test_who_is_flagged_as_a_straight_liner() -> None:
    careful = "abcdabcdabcd"
    others = [answer for name in ("x", "y", "z") for answer in timed_answers(name, careful)]
    assert sameness([*others, *timed_answers("line", "aaaaaaaaaaaa")])["line"].flagged
    assert not sameness([*others, *timed_answers("careful", careful)])["careful"].flagged
    # what the items give: everybody says the same of everything
    dull = [answer for name in ("x", "y", "z") for answer in timed_answers(name, "a" * 40)]
    assert not any(one.flagged for one in sameness(dull).values())
    # too few to tell: FEWEST comparisons need one answer more
    short = "a" * FEWEST
    assert not sameness([*others, *timed_answers("line", short)])["line"].flagged
    assert sameness([*others, *timed_answers("line", short + "a")])["line"].flagged
    # nobody else has answered these
    assert not sameness(timed_answers("alone", "a" * 30))["alone"].flagged


def test_each_limit_of_the_flag_counts() -> None:
    # the limit at 10 comparisons, so that all limits add up to CHANCE
    enough, limit = 0.9e-3 / 110, 1e-3 / 110
    assert Sameness(10, 0.75, 0.5, 5, enough).flagged
    assert not Sameness(9, 0.75, 0.5, 5, enough).flagged
    assert not Sameness(10, 0.74, 0.4, 5, enough).flagged
    assert not Sameness(10, 0.75, 0.75 - ABOVE_OTHERS + 0.01, 5, enough).flagged
    assert not Sameness(10, 0.75, 0.5, 5, limit).flagged


def test_answers_below_the_floor_are_counted() -> None:
    timed = [TimedAnswer("p", f"i{n}", ONE, ("a",), seconds) for n, seconds in enumerate((0.3, 0.9, 1.0, 8.0, None))]
    speed = speeds(timed)["p"]
    assert (speed.n, speed.hurried, speed.flagged) == (4, 2, False)


def test_speed_is_against_the_median_of_medians() -> None:
    timed = [
        *timed_answers("slow", "a" * 10, seconds=30),
        *timed_answers("usual", "a" * 30, seconds=12),
        *timed_answers("fast", "a" * 10, seconds=3.9),
    ]
    results = speeds([*timed, *timed_answers("untimed", "aaa")])
    assert results["fast"] == Speed(10, 3.9, 12)
    assert [name for name, speed in results.items() if speed.flagged] == ["fast"]
    assert results["untimed"] == Speed(0, None, 12)
    assert not results["untimed"].flagged
    # a third is not below a third, and nine answers are too few
    assert not Speed(10, 4.0, 12.0).flagged
    assert not Speed(9, 1.0, 12.0).flagged
    assert not Speed(10, None, None).flagged
    assert speeds([]) == {}


def test_a_pattern_is_what_was_pressed() -> None:
    form = geneval.FORM.build(geneval.FORM.example)
    values = {"objects": "a cow", "count_0": 2, "color_0": ["red", "blue"], "realism_0": 3, "count_1": 0, "caption_fit": 4}
    # the text is left out, ticked colours have no order, and a question that is hidden by a count of 0 is not there
    same = {"color_0": ["blue", "red"], "objects": "none", "realism_1": 1}
    assert pattern(form, values) == pattern(form, values | same)
    assert pattern(form, values) != pattern(form, values | {"count_0": 3})
    assert len(pattern(form, values)) == 5
    assert pattern(form, {"blank_image": "yes"})[0] == "blank None"
    assert shape(form)[:2] == ("text", "count")


def test_always_the_first_is_one_pattern_whatever_it_is_called() -> None:
    form = tifa_vqa.FORM.build(tifa_vqa.FORM.example)
    first = {question.id: question.options[0].value for question in form.questions}
    assert set(pattern(form, first)) == {(0,)}
