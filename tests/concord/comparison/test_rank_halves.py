"""Halves by rank: which images two raters put in unlike halves, and where the upper half begins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from concord.comparison.rank_halves import rank_halves
from concord.comparison.rater_pairs import crossed_by_rank, pair
from data.browsing import HIGH, LOW, ConfusionCell
from data.selection import PEOPLE, Selection
from data.store.core.store import Store
from tests.ui.answered_projects import KINDS, fill

SELECTION = Selection(suite=("s",), aspect=("faithfulness",))


def test_equal_numbers_stand_in_one_half_and_the_farthest_apart_come_first(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, KINDS[1])
        made = pair(store, SELECTION, "all", "metric", PEOPLE, intervals=False)
    halves = rank_halves(made)
    assert halves is not None
    assert {each.halves[1] for each in halves.images if each.y >= (halves.cuts[1] or 0)} == {HIGH}
    assert {each.halves[0] for each in halves.images if each.x < (halves.cuts[0] or 0)} == {LOW}
    distances = [halves.by_item[item].distance for item in halves.apart]
    assert distances == sorted(distances, reverse=True)
    assert set(halves.apart) == {*halves.of((HIGH, LOW)), *halves.of((LOW, HIGH))}
    of_labels = replace(made, labels=("1", "2", "3"))
    assert rank_halves(of_labels) is None


def test_the_first_rater_of_a_cell_stays_the_first(tmp_path: Path) -> None:
    """Two scores alone meet as the report orders them, whichever comes first in an address."""
    with Store(tmp_path / "project") as store:
        fill(store, KINDS[1])
        both = [
            crossed_by_rank(store, ConfusionCell("faithfulness", a, HIGH, b, LOW, "halves"), Selection(suite=("s",)))
            for a, b in (("metric", "noise"), ("noise", "metric"))
        ]
        nobody = ConfusionCell("faithfulness", "metric", HIGH, "nobody", LOW, "halves")
        assert crossed_by_rank(store, nobody, Selection(suite=("s",))) is None
    first, second = both
    assert first is not None
    assert second is not None
    assert set(first.of((HIGH, LOW))) == set(second.of((LOW, HIGH)))
