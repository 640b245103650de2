"""How boxes overlap and stand, each by an example worked out by hand from GenEval's code and paper."""

from __future__ import annotations

import pytest

from scorers.detection import RULES, BoxRelation, box_relations, overlap

Box = tuple[float, float, float, float]


def at(x: float, y: float, side: float = 200) -> Box:
    return (x - side / 2, y - side / 2, x + side / 2, y + side / 2)


def test_overlap_counts_whole_pixels() -> None:
    assert overlap((0, 0, 9, 9), (0, 0, 9, 9)) == 1.0
    assert overlap((0, 0, 9, 9), (5, 0, 14, 9)) == pytest.approx(50 / 150)
    assert overlap((0, 0, 9, 9), (10, 0, 19, 9)) == 0.0
    assert overlap((0, 0, 9, 9), (9, 0, 18, 9)) == pytest.approx(10 / 190)  # they share a column


@pytest.mark.parametrize(
    ("offset", "found"),
    [
        ((60, 0), ()),  # the paper's text says right of; its code asks for twice the room
        ((80, 0), ()),  # exactly half: not more
        ((81, 0), ("right of",)),
        ((-81, 0), ("left of",)),
        ((0, -81), ("above",)),
        ((0, 81), ("below",)),
        ((100, 150), ("below",)),
        ((60, 60), ()),
        ((400, 400), ("right of", "below")),
        ((-400, -400), ("left of", "above")),
        ((0, 0), ()),
        ((40, 40), ()),
        ((40.0005, 0), ()),  # within a thousandth of nothing
    ],
)
def test_where_boxes_of_two_hundred_stand(offset: tuple[float, float], found: tuple[str, ...]) -> None:
    assert box_relations(at(*offset), at(0, 0), 0.1).relations == found
    moved = box_relations(at(500 + offset[0], 300 + offset[1]), at(500, 300), 0.1)
    assert moved.relations == found
    assert set(found) <= set(box_relations(at(*offset), at(0, 0), 0.1, "paper").relations)


@pytest.mark.parametrize(
    ("offset", "found"),
    [
        ((60, 0), ("right of",)),
        ((80, 0), ("right of",)),
        ((81, 0), ("right of",)),
        ((-60, 0), ("left of",)),
        ((0, -60), ("above",)),
        ((0, 60), ("below",)),
        ((40, 0), ()),  # exactly a tenth of both widths: not more
        ((40.0005, 0), ("right of",)),
        ((100, 150), ("right of", "below")),
        ((60, 60), ("right of", "below")),
        ((60, 40), ("right of",)),
        ((-400, -41), ("left of", "above")),
        ((0, 0), ()),
    ],
)
def test_where_boxes_of_two_hundred_stand_by_the_papers_formula(offset: tuple[float, float], found: tuple[str, ...]) -> None:
    assert box_relations(at(*offset), at(0, 0), 0.1, "paper").relations == found
    assert box_relations(at(500 + offset[0], 300 + offset[1]), at(500, 300), 0.1, "paper").relations == found


def test_the_offset_is_shortened_but_its_length_is_not() -> None:
    assert box_relations(at(81, 0), at(0, 0), 0.1).offset == pytest.approx((41 / 81, 0))
    length = (100**2 + 150**2) ** 0.5
    for rule in RULES:
        assert box_relations(at(100, 150), at(0, 0), 0.1, rule).offset == pytest.approx((60 / length, 110 / length))
        assert box_relations(at(-81, 0), at(0, 0), 0.0, rule) == BoxRelation(("left of",), (-1.0, 0.0))
        assert box_relations(at(0, 0), at(0, 0), 0.1, rule) == BoxRelation((), (0.0, 0.0))


def test_sizes_count_on_their_own_axis() -> None:
    wide, tall = (-100, -10, 100, 10), (-10, -100, 10, 100)
    shifted = tuple(edge + (50 if k % 2 == 0 else 0) for k, edge in enumerate(tall))
    # 50 apart; room 0.1 x (20 + 200) = 22 on x
    assert box_relations((shifted[0], shifted[1], shifted[2], shifted[3]), wide, 0.1).offset[0] == pytest.approx(28 / 50)
