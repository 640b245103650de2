"""Items on which two sides' answers cross are those of the confusion table's cells, whatever the judgements look like."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agreement import Options, PairReport, PeopleAs, pair_report
from concord.error_analysis.confusion import crossing_of
from data.browsing import ConfusionCell
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.analysis.confusion import CellUnit
from data.store.core import frame
from data.store.core.store import Store
from tests.data.store.counted_judgements import KINDS, UGLY, Said, fill

EVERYTHING = Selection()
WAYS: tuple[Literal["each", "majority"], ...] = ("each", "majority")


def table(store: Store, a: str, b: str, way: Literal["each", "majority"], selection: Selection) -> PairReport | None:
    """What agreement makes of one suite's judgements; None where the two do not meet on labels."""
    people_as: PeopleAs = way
    options = Options(intervals=False, people_as=people_as, certainty=selection.certainty)
    one = PEOPLE if b == SIMULATED else b
    try:
        pair = pair_report(
            frame.frame(store, selection), frame.scales(store), "correct", a, one, options, simulated=b == SIMULATED
        )
    except ValueError:
        return None
    return None if pair.by_score else pair


def listed(store: Store, crossed: ConfusionCell, selection: Selection = EVERYTHING) -> list[str]:
    """The items of a crossing, sorted."""
    return crossing_of(store, crossed, selection).items(store)


def compare(store: Store, a: str, b: str, way: Literal["each", "majority"], selection: Selection) -> int:
    """Every cell of a pair's table, every row and every column; how many cells there were."""
    pair = table(store, a, b, way, selection)
    labels = pair.labels if pair else ("yes", "no")
    cells = {(cell.a, cell.b): list(cell.items) for cell in pair.cells} if pair else {}
    for says in product(labels, labels):
        assert listed(store, ConfusionCell("correct", a, says[0], b, says[1], way), selection) == cells.get(says, [])
    for label in labels:
        row = sorted({item for (x, _), items in cells.items() if x == label for item in items})
        column = sorted({item for (_, y), items in cells.items() if y == label for item in items})
        assert listed(store, ConfusionCell("correct", a, label, b, "", way), selection) == row
        assert listed(store, ConfusionCell("correct", a, "", b, label, way), selection) == column
    return len(cells)


SUITE = Selection(suite=("s",))


# --- by hand ----------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def ugly(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A project that is only read."""
    with Store(tmp_path_factory.mktemp("ugly") / "project") as opened:
        fill(opened, UGLY)
        yield opened


@pytest.mark.parametrize(
    ("crossed", "items"),
    [
        (("m", "no", PEOPLE, "yes", "each"), ["s/1", "s/2"]),
        (("m", "no", PEOPLE, "yes", "majority"), ["s/2"]),
        (("m", "no", PEOPLE, "no", "each"), ["s/1", "s/2", "s/4"]),
        (("m", "no", PEOPLE, "no", "majority"), ["s/4"]),
        (("m", "yes", PEOPLE, "no", "each"), ["s/5"]),
        (("m", "yes", PEOPLE, "no", "majority"), []),
        (("m", "yes", PEOPLE, "yes", "majority"), ["s/3", "s/4"]),
        (("m", "yes", SIMULATED, "no", "majority"), ["s/3"]),
        (("m", "no", SIMULATED, "yes", "each"), ["s/6"]),
        (("m", "no", PEOPLE, "", "each"), ["s/1", "s/2", "s/4"]),
        (("m", "no", PEOPLE, "", "majority"), ["s/2", "s/4"]),
        (("m", "", PEOPLE, "yes", "each"), ["s/1", "s/2", "s/3", "s/4", "s/5"]),
        # ann is not among the people whom ann meets
        (("ann", "yes", PEOPLE, "no", "majority"), ["s/1", "s/5"]),
        (("ann", "yes", PEOPLE, "yes", "each"), ["s/2"]),
        (("ann", "yes", "bob", "no", "each"), ["s/1"]),
        (("sim 1", "no", PEOPLE, "yes", "each"), ["s/3"]),
        (("m", "no", "all", "yes", "each"), []),
        (("all", "yes", PEOPLE, "yes", "each"), []),
        (("m", "maybe", PEOPLE, "yes", "each"), []),
        (("nobody", "yes", PEOPLE, "yes", "each"), []),
    ],
)
def test_a_cell_by_hand(ugly: Store, crossed: Any, items: list[str]) -> None:
    assert listed(ugly, ConfusionCell("correct", *crossed), SUITE) == items


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("a", "b", "cells"),
    [("m", PEOPLE, (4, 3)), ("m", SIMULATED, (2, 2)), ("ann", PEOPLE, (2, 1)), ("ann", "m", (3, 3)), ("sim 1", PEOPLE, (1, 1))],
)
def test_every_cell_of_the_hand_made_project(
    ugly: Store, a: str, b: str, cells: tuple[int, int], way: Literal["each", "majority"]
) -> None:
    assert compare(ugly, a, b, way, SUITE) == cells[WAYS.index(way)]


def test_places_and_times_restrict_what_is_looked_at(ugly: Store) -> None:
    crossed = ConfusionCell("correct", "m", "no", PEOPLE, "yes")
    assert listed(ugly, crossed) == ["r/1", "s/1", "s/2"]
    assert listed(ugly, crossed, Selection(task=("t1",))) == ["r/1", "s/1"]
    assert listed(ugly, crossed, Selection(suite=("s",), task=("t1",))) == ["s/1"]
    cell = ConfusionCell("correct", "m", "no", PEOPLE, "no")
    assert listed(ugly, cell, Selection(target=("dog",))) == ["s/4"]
    assert listed(store=ugly, crossed=crossed, selection=Selection(until=("2025-01-01",))) == []
    assert listed(ugly, crossed, Selection(rater=("bob",))) == ["s/2"]
    # the crossing names its aspect
    assert listed(ugly, crossed, Selection(aspect=("other",))) == ["r/1", "s/1", "s/2"]


def test_what_both_sides_say_of_a_unit(ugly: Store) -> None:
    crossing = crossing_of(ugly, ConfusionCell("correct", "m", "no", PEOPLE, "yes"), SUITE)
    results = crossing.units(ugly, ["s/1", "s/2", "s/3", "no such"])
    assert results == {"s/1": [CellUnit(None, "no", {"no": 1, "yes": 1})], "s/2": [CellUnit(None, "no", {"yes": 2, "no": 1})]}
    assert list(results["s/2"][0].b) == ["yes", "no"]
    anything = crossing_of(ugly, ConfusionCell("correct", "m", "", "ann", ""), SUITE)
    assert anything.units(ugly, ["s/4"]) == {"s/4": [CellUnit("cat", "yes", {"yes": 1}), CellUnit("dog", "no", {"no": 1})]}
    most = crossing_of(ugly, ConfusionCell("correct", "m", "", PEOPLE, "", "majority"), SUITE)
    assert most.units(ugly, ["s/2", "s/5"]) == {"s/2": [CellUnit(None, "no", {"yes": 2, "no": 1})]}


def test_labels_are_compared_as_the_table_compares_them(store: Store) -> None:
    words = [Said("s/1", "m", "No"), Said("s/1", "ann", "YES"), Said("s/2", "m", "no"), Said("s/2", "ann", "Yes")]
    fill(store, words)
    assert listed(store, ConfusionCell("correct", "m", "no", "ann", "yes"), SUITE) == ["s/1", "s/2"]
    # with a third word it is not about yes and no any more: each spelling is a label of its own
    fill(store, [*words, Said("s/3", "bob", "maybe")])
    assert listed(store, ConfusionCell("correct", "m", "no", "ann", "Yes"), SUITE) == ["s/2"]
    assert listed(store, ConfusionCell("correct", "m", "no", "ann", "yes"), SUITE) == []
    fill(
        store, [Said("s/1", "m", "3.0"), Said("s/1", "ann", "3"), Said("s/2", "m", "9"), Said("s/2", "ann", "3")], "ordinal:1-5"
    )
    assert listed(store, ConfusionCell("correct", "m", "3", "ann", "3"), SUITE) == ["s/1"]
    assert listed(store, ConfusionCell("correct", "m", "9", "ann", "3"), SUITE) == []


def test_suites_have_words_of_their_own(store: Store) -> None:
    fill(store, [Said("r/1", "m", "Yes"), Said("r/1", "ann", "maybe"), Said("s/1", "m", "Yes"), Said("s/1", "ann", "no")])
    assert listed(store, ConfusionCell("correct", "m", "Yes", "ann", "")) == ["r/1"]
    assert listed(store, ConfusionCell("correct", "m", "yes", "ann", "no")) == ["s/1"]


def test_data_is_never_part_of_the_query(store: Store) -> None:
    hostile = "'; drop table items; -- {where} ?"
    fill(store, [Said("s/1", "m", hostile, hostile), Said("s/1", "ann", hostile, hostile)])
    assert listed(store, ConfusionCell("correct", "m", hostile, PEOPLE, hostile, "majority"), SUITE) == ["s/1"]
    assert listed(store, ConfusionCell(hostile, hostile, hostile, hostile, hostile), SUITE) == []


# --- by machine -------------------------------------------------------------------------------------------------------
SCALES = {
    "nominal": ("yes", "no", "Yes", "maybe"),
    "ordinal:1-3": ("1", "2", "3", "3.0", "7"),
    "interval": ("1", "yes"),
}


@st.composite
def judgements(draw: st.DrawFn, labels: tuple[str, ...]) -> list[Said]:
    strategy = st.builds(
        Said,
        item=st.sampled_from(["s/1", "s/2", "s/3", "r/1"]),
        rater=st.sampled_from(["m", "m", *KINDS]),
        label=st.sampled_from(labels[: draw(st.integers(2, len(labels)))]),
        target=st.sampled_from([None, None, "", "dog"]),
        aspect=st.sampled_from(["correct"] * 5 + ["other", "score"]),
        status=st.sampled_from(["valid"] * 6 + ["surplus", "gold", "training"]),
        saw=st.sampled_from([False] * 6 + [True]),
    )
    answers = draw(st.lists(strategy, min_size=5, max_size=60))
    unsure = draw(st.sets(st.integers(0, len(answers) - 1), max_size=3))
    return [replace(s, label=None, reason="cannot_tell") if n in unsure else s for n, s in enumerate(answers)]


@pytest.fixture(scope="module")
def emptied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A project that each example fills anew."""
    with Store(tmp_path_factory.mktemp("emptied") / "project") as opened:
        yield opened


@pytest.mark.parametrize("scale", SCALES)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_every_cell_of_any_project(emptied: Store, scale: str, data: st.DataObject) -> None:
    answers = data.draw(judgements(SCALES[scale]))
    fill(emptied, answers, scale)
    a = data.draw(st.sampled_from(["m", "m", "ann", "sim 1", "slot 1"]))
    b = data.draw(st.sampled_from([PEOPLE, PEOPLE, SIMULATED, "ann", "n"]))
    classes = data.draw(st.sampled_from([(), (), ("unanimous",), ("majority", "split"), ("split",)]))
    # whom nobody of the selection's people has judged is told apart by other aspects
    assume(not classes or all(s.label != "Yes" for s in answers))  # which labels there are is told whatever the certainty
    assume(not classes or any(s.aspect == "correct" and KINDS[s.rater][0] == "human" and s.item[0] == "s" for s in answers))
    cells = compare(emptied, a, b, data.draw(st.sampled_from(WAYS)), replace(SUITE, certainty=classes))
    assert cells == 0 or scale != "interval"
