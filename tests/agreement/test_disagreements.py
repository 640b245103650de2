"""Which units are judged most differently: by hand, and stated once more."""

from __future__ import annotations

from itertools import combinations

import pytest

from agreement.disagreements import ContestedUnit, contested_units
from tests.agreement.frames import SCALES, frame, judgement, people, scorer, ugly


def test_people_among_themselves() -> None:
    judgements = frame(people({"a": "y y y", "b": "y n", "c": "y y n", "d": "n", "e": "y n n n"}))
    assert contested_units(judgements, SCALES, "s", "correct") == [
        ContestedUnit("b", None, 1.0, 2),
        ContestedUnit("c", None, 2 / 3, 3),
        ContestedUnit("e", None, 0.5, 4),
    ]


def test_an_ordinal_scale_knows_how_far() -> None:
    rows = [judgement("a", f"r{n}", label, aspect="faithfulness") for n, label in enumerate(("1", "5"))]
    rows += [judgement("b", f"r{n}", label, aspect="faithfulness") for n, label in enumerate(("3", "4", "4"))]
    units = contested_units(frame(rows), SCALES, "s", "faithfulness")
    # 4 of 4 steps; 1, 1 and 0 of 4 steps
    assert [(unit.item, unit.disagreement) for unit in units] == [("a", 1.0), ("b", pytest.approx(2 / 12))]


def test_a_scorer_against_people() -> None:
    judgements = frame(
        people({"a": "y y", "b": "n y", "c": "n n", "d": "y n"}) + scorer("m", {"a": "no", "b": "no", "c": "no"})
    )
    units = contested_units(judgements, SCALES, "s", "correct", "m")
    assert [(unit.item, unit.disagreement, unit.n) for unit in units] == [("a", 1.0, 2), ("b", 0.5, 2)]
    assert contested_units(judgements, SCALES, "s", "correct", "nobody") == []


def test_targets_are_units_of_their_own_and_what_does_not_count_plays_no_part() -> None:
    rows = people({"a": "y n"}, target="cow") + people({"a": "y y"}, target="dog")
    rows += [judgement("a", "late", "no", target="dog", excluded="surplus")]
    assert contested_units(frame(rows), SCALES, "s", "correct") == [ContestedUnit("a", "cow", 1.0, 2)]
    assert contested_units(frame([]), SCALES, "s", "correct") == []


def test_imitations_stay_apart() -> None:
    rows = people({"a": "y y"}) + [row | {"rater": "x" + row["rater"]} for row in people({"a": "y n"}, simulated=True)]
    assert contested_units(frame(rows), SCALES, "s", "correct") == []
    assert [unit.item for unit in contested_units(frame(rows), SCALES, "s", "correct", simulated=True)] == ["a"]


@pytest.mark.parametrize("seed", range(4))
def test_stated_once_more(seed: int) -> None:
    rows = [row for row in ugly(seed) if row["aspect"] == "correct"]
    first: dict[tuple[str, str], str] = {}
    for row in sorted(rows, key=lambda row: row["seq"]):
        if row["kind"] == "human" and row["excluded"] is None and not row["simulated"]:
            first.setdefault((row["item"], row["rater"]), row["label"])
    by_item: dict[str, list[str]] = {}
    for (item, _), label in first.items():
        by_item.setdefault(item, []).append(label)
    shares = {
        item: sum(a != b for a, b in combinations(labels, 2)) / len([*combinations(labels, 2)])
        for item, labels in by_item.items()
        if len(labels) > 1
    }
    wanted = sorted(((-share, -len(by_item[item]), item) for item, share in shares.items() if share))
    results = [
        (round(-unit.disagreement, 9), -unit.n, unit.item) for unit in contested_units(frame(rows), SCALES, "s", "correct")
    ]
    assert results == [(round(share, 9), n, item) for share, n, item in wanted]
