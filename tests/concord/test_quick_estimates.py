"""The quick numbers of a selection are those of `recall`, and after an answer nothing but its item is counted again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agreement import Estimate, Options
from agreement.engine.live import HUMAN_HUMAN, SCORER_HUMAN
from concord import agreement
from concord.agreement import AgreementRows, recall
from data.records import Evidence, Item, Judgement, Rater
from data.selection import Selection
from data.store import imports
from data.store.analysis import aggregates
from data.store.campaigns import participation
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from tests.data.store.small_project import answer

ITEMS = [f"i{n:02}" for n in range(20)]
SELECTION = Selection(suite=("s",), aspect=("correct",))


def fill(store: Store) -> None:
    """20 items of two tasks and generators, a scorer that labels them, one that scores them, and a person."""
    items = [Item(i, "s", None, ("t1", "t2")[n % 2], ("g1", "g2")[n // 2 % 2]) for n, i in enumerate(ITEMS)]
    evidence = []
    for n, item in enumerate(ITEMS):
        label = "yes" if n % 3 else "no"
        evidence.append(Evidence(f"m{n}", item, "m", {}, (Judgement("correct", label, float(n % 3 > 0)),), "1"))
        evidence.append(Evidence(f"n{n}", item, "n", {}, (Judgement("score", None, (n * 7 % 5) / 5),), "1"))
    raters = [Rater("m", "scorer"), Rater("n", "scorer")]
    scales = [("s", "correct", "nominal"), ("s", "score", "interval"), ("s", "quality", "ordinal:1-5")]
    imports.apply(store, [ImportBundle("ratings", "all", "0", items=items, raters=raters, scales=scales, evidence=evidence)])
    for n, item in enumerate(ITEMS):
        recording.submit(store, answer(item, "ann", "yes" if n % 4 else "no"))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        fill(opened)
        yield opened


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str] | None]:
    """What is counted in the database, in order: None for everything, else the items."""
    calls: list[Sequence[str] | None] = []
    everything, few = aggregates.aggregate, aggregates.aggregate_items

    def all_of_it(store: Store, query: aggregates.AggregateQuery) -> Any:
        calls.append(None)
        return everything(store, query)

    def again(store: Store, query: aggregates.AggregateQuery, items: Sequence[str]) -> Any:
        calls.append(list(items))
        return few(store, query, items)

    monkeypatch.setattr(aggregates, "aggregate", all_of_it)
    monkeypatch.setattr(aggregates, "aggregate_items", again)
    return calls


def same(store: Store, selection: Selection = SELECTION) -> AgreementRows:
    """The quick rows, which are those of the report."""
    results = agreement.quick_estimates(store, selection)
    assert results is not None
    full = recall(store, selection, Options(intervals=False, each_generator=False))
    for section, names in (("among_people", HUMAN_HUMAN), ("raters", SCORER_HUMAN)):
        wanted = [row for row in full.section(section) if row.statistic in names]
        assert wanted
        assert [_but_value(row) for row in results.section(section)] == [_but_value(row) for row in wanted]
        values = [row.value for row in results.section(section)]
        assert values == pytest.approx([row.value for row in wanted], abs=1e-12)
    return results


def _but_value(row: Estimate) -> Estimate:
    return replace(row, value=None, n_prompts=0)


def test_after_an_answer_its_item_alone_is_counted(store: Store, counted: list[Sequence[str] | None]) -> None:
    first = same(store)
    assert counted == [None]
    same(store)
    assert counted == [None]
    recording.submit(store, answer(ITEMS[3], "bob", "no"))
    second = same(store)
    assert counted == [None, [ITEMS[3]]]
    assert first != second
    participation.enter(store, "eve")
    recording.submit(store, answer(ITEMS[5], "eve", None))
    recording.submit(store, answer(ITEMS[4], "eve", "yes"))
    same(store)
    assert counted == [None, [ITEMS[3]], [ITEMS[4], ITEMS[5]]]


def test_a_revision_is_followed(store: Store, counted: list[Sequence[str] | None]) -> None:
    same(store)
    annotation = answer(ITEMS[0], "bob", "no")
    recording.submit(store, annotation)
    same(store)
    recording.submit(store, answer(ITEMS[0], "bob", "yes", revises=annotation.annotation_id))
    same(store)
    assert counted == [None, [ITEMS[0]], [ITEMS[0]]]


def test_what_is_no_answer_is_counted_anew(store: Store, counted: list[Sequence[str] | None]) -> None:
    same(store)
    more = [Evidence("new", ITEMS[0], "k", {}, (Judgement("correct", "yes", 1.0),), "1")]
    imports.apply(store, [ImportBundle("ratings", "k", "k", raters=[Rater("k", "scorer")], evidence=more)])
    assert "k" in {row.rater for row in same(store).raters}
    recording.submit(store, answer(ITEMS[0], "bob", "maybe"))  # a label that was not there: not yes or no any more
    same(store)
    assert counted == [None, None, [ITEMS[0]], None]


def test_many_answers_at_once_are_counted_anew(
    store: Store, counted: list[Sequence[str] | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "_MOST_ITEMS", 1)
    same(store)
    for item in ITEMS[:2]:
        recording.submit(store, answer(item, "bob", "no"))
    same(store)
    assert counted == [None, None]


def test_each_selection_has_its_own(store: Store) -> None:
    one = replace(SELECTION, generator=("g1",))
    for selection in (SELECTION, one, replace(one, task=("t1",)), one, SELECTION):
        same(store, selection)
    recording.submit(store, answer(ITEMS[0], "bob", "no"))
    same(store, one)
    same(store)


def test_places_are_few(store: Store, counted: list[Sequence[str] | None]) -> None:
    for n in range(9):
        agreement.quick_estimates(store, replace(SELECTION, since=(f"2026-01-0{n + 1}",)))
    agreement.quick_estimates(store, replace(SELECTION, since=("2026-01-09",)))
    assert len(counted) == 9
    agreement.quick_estimates(store, replace(SELECTION, since=("2026-01-01",)))
    assert len(counted) == 10


def test_a_broken_update_is_not_built_upon(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    same(store)
    recording.submit(store, answer(ITEMS[0], "bob", "no"))
    with monkeypatch.context() as broken:
        broken.setattr(aggregates, "aggregate_items", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            agreement.quick_estimates(store, SELECTION)
    same(store)


@pytest.mark.parametrize(
    "selection",
    [
        Selection(),
        Selection(suite=("s",)),
        Selection(suite=("s", "t"), aspect=("correct",)),
        replace(SELECTION, rater=("ann",)),
        replace(SELECTION, certainty=("unanimous",)),
        Selection(suite=("s",), aspect=("score",)),  # numbers without labels
        Selection(suite=("s",), aspect=("no such",)),
    ],
)
def test_what_only_the_report_has(store: Store, selection: Selection) -> None:
    assert agreement.quick_estimates(store, selection) is None
    recording.submit(store, answer(ITEMS[0], "bob", "no"))
    assert agreement.quick_estimates(store, selection) is None


def test_what_was_never_served_is_not_counted_at_every_answer(store: Store, counted: list[Sequence[str] | None]) -> None:
    for n, item in enumerate(ITEMS[:3]):
        agreement.quick_estimates(store, Selection(suite=("s",), aspect=("score",)))
        assert len(counted) == 1
        recording.submit(store, answer(item, f"p{n}", "no"))


def test_the_first_answer_about_an_aspect(store: Store) -> None:
    selection = Selection(suite=("s",), aspect=("realism",))
    assert agreement.quick_estimates(store, selection) is None
    annotation = answer(ITEMS[0], "ann", judgements=(Judgement("realism", "3", 3.0),))
    recording.submit(store, annotation)
    results = agreement.quick_estimates(store, selection)
    assert results is not None
    assert {row.n_ratings for row in results.among_people if row.statistic == "mean"} == {1}
