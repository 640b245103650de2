"""Judgements counted in the database are those of the frame, counted by hand: all of them, and those of a few items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from data.records import Evidence, Image, Item, Judgement, Prompt, Rater
from data.selection import Selection
from data.store import imports
from data.store.analysis import aggregates
from data.store.analysis.aggregates import AggregateQuery, Aggregates, ItemAnswers
from data.store.campaigns import participation
from data.store.core import frame
from data.store.core import store as store_module
from data.store.core.conditions import items_condition
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from tests.agreement import judgement_counts
from tests.data.store.small_project import answer

EVERYTHING = Selection()
ASKED = AggregateQuery("geneval", "correct", EVERYTHING)
TASKS = ("counting", "colors", None)
ITEMS = [f"geneval/0000{n}/g{n % 2}/0" for n in range(6)]


def evidence(item: str, who: str, aspect: str, label: str | None, value: float | None, target: str | None = None) -> Evidence:
    judgement = Judgement(aspect, label, value, target)
    return Evidence(f"{who}{item}{aspect}{target}", item, who, {}, (judgement,), "rule-1")


def fill(store: Store) -> None:
    """Six images; people who answer twice, cannot tell, have seen, come too late; scorers with labels and with scores."""
    with store.read() as cursor:
        cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('default', 3, current_timestamp)")
    prompts = [Prompt(f"geneval/0000{n}", "geneval", f"text {n}", TASKS[n % 3]) for n in range(6)]
    images = [Image(f"geneval/0000{n}", f"g{n % 2}", 0) for n in range(6)]
    items = [Item(i, "geneval", i.rsplit("/", 2)[0], TASKS[n % 3], f"g{n % 2}") for n, i in enumerate(ITEMS)]
    other = [Item("other/x", "other"), Item("nobody/x", "geneval", None, "counting", None)]
    raters = [
        *(Rater(name, "scorer") for name in ("scorer b", "a", "c")),
        Rater("sim", "human", "person", simulated=True),
        Rater("slot1", "human", "slot"),
        Rater("all", "consensus"),
    ]
    seen = [evidence(item, "a", "correct", ("yes", "no")[n % 2], n % 2) for n, item in enumerate(ITEMS[:4])]
    seen += [evidence(item, "scorer b", "score", None, n / 7) for n, item in enumerate(ITEMS)]
    seen += [evidence(ITEMS[5], "c", "correct", "no", 0.0, "dog"), evidence("other/x", "a", "correct", "no", 0.0)]
    seen += [replace(seen[0], evidence_id="again"), evidence(ITEMS[0], "all", "correct", "yes", 1.0)]
    told = [answer(ITEMS[2], who, "no", campaign_id=None) for who in ("sim", "slot1", "sim")]
    told.append(answer("other/x", "sim", "no", campaign_id=None))
    scales = [(suite, aspect, scale) for suite in ("geneval", "other") for aspect, scale in _SCALES.items()]
    bundle = ImportBundle("ratings", "all", "0", prompts, images, [*items, *other], raters, scales, told, seen)
    imports.apply(store, [bundle])
    participation.enter(store, "ann")
    for item, who, label, more in (
        (ITEMS[0], "ann", "yes", {}), (ITEMS[0], "bob", "no", {}), (ITEMS[0], "ann", "no", {}), (ITEMS[1], "ann", None, {}),
        (ITEMS[1], "ann", "yes", {}), (ITEMS[1], "bob", "no", {"saw_evidence": True}), (ITEMS[2], "bob", "yes", {}),
        (ITEMS[4], "bob", "maybe", {"campaign_id": None}),
    ):  # fmt: skip
        recording.submit(store, answer(item, who, label, **more))
    for who in ("p1", "p2", "p3", "p4"):  # the fourth is one too many
        recording.submit(store, answer(ITEMS[3], who, "yes"))
    two = tuple(Judgement("correct", label, None, target) for label, target in (("yes", "dog"), ("no", "cat"), ("no", None)))
    recording.submit(store, answer(ITEMS[5], "ann", judgements=two))


_SCALES = {"correct": "nominal", "score": "interval"}


@pytest.fixture
def filled(store: Store) -> Store:
    fill(store)
    return store


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The same, for tests that only read."""
    with Store(tmp_path_factory.mktemp("still") / "project") as store:
        fill(store)
        yield store


def by_hand(store: Store, query: AggregateQuery) -> Aggregates:
    """From the frame's rows."""
    return judgement_counts.counted(*_of_frame(store, query))


def few_by_hand(store: Store, query: AggregateQuery, items: list[str]) -> tuple[Any, ...]:
    """Of some items."""
    tasks, answers = judgement_counts.counted_items(*_of_frame(store, query), items)
    return tasks, _few(answers)


def few(store: Store, query: AggregateQuery, items: list[str]) -> tuple[Any, ...]:
    tasks, answers = aggregates.aggregate_items(store, query, items)
    return tasks, _few(answers)


def _few(answers: ItemAnswers) -> Counter[tuple[Any, ...]]:
    result: Counter[tuple[Any, ...]] = Counter()
    for item, target, simulated, label, reason in answers:
        # what does not count may be said in any label
        result[item, target, simulated, None if reason else label, reason] += 1
    return result


def _of_frame(store: Store, query: AggregateQuery) -> tuple[list[dict[str, Any]], str, list[dict[str, Any]]]:
    chosen = replace(query.selection, suite=(query.suite,))
    table = frame.frame(store, chosen)
    table = table.astype(object).where(table.notna(), None)
    rows: list[dict[str, Any]] = [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]
    rows = [row for row in rows if row["kind"] != "consensus"]
    for row in rows:
        row["number"] = np.nan if row["number"] is None else row["number"]
    with store.read() as cursor:
        condition, parameters = items_condition(chosen)
        listed = cursor.execute(f"select item_id, task, generator from items t where {condition}", parameters).fetchall()
    places = [{"item": item, "task": task, "generator": generator} for item, task, generator in listed]
    return rows, query.aspect, places


def plain(counted: Aggregates) -> tuple[Any, ...]:
    """By names, in no order."""
    tasks = {row["item"]: row["task"] for row in _rows(counted.items)}
    return tasks, _plain(counted, counted.said), _plain(counted, counted.scores)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    plain_types = table.astype(object)
    return [{str(k): v for k, v in row.items()} for row in plain_types.where(plain_types.notna(), None).to_dict("records")]


def _plain(counted: Aggregates, entries: pd.DataFrame) -> Counter[tuple[Any, ...]]:
    items = list(counted.items["item"])
    result: Counter[tuple[Any, ...]] = Counter()
    for row in _rows(entries):
        who = row["scorer"] or ("simulated" if row["simulated"] else "people")
        # what does not count may be said in any label
        value = None if row["reason"] else (row["label"], row["number"])
        result[items[row["item"]], row["target"], who, value, row["reason"]] += 1
    return result


@pytest.mark.parametrize(
    "selection",
    [
        EVERYTHING,
        Selection(task=("counting",)),
        Selection(generator=("g1",)),
        Selection(target=("dog",)),
        Selection(rater=("ann", "a")),
        Selection(campaign=("default",)),
        Selection(since=("2999-01-01",)),
        Selection(until=("2999-01-01",), generator=("g0",)),
        Selection(suite=("no such",), aspect=("no such",)),  # these two play no part
    ],
)
@pytest.mark.parametrize("suite", ["geneval", "other", "none"])
def test_counted_as_by_hand(still: Store, selection: Selection, suite: str) -> None:
    query = AggregateQuery(suite, "correct", selection)
    by_frame = replace(query, selection=replace(selection, aspect=()))
    assert plain(aggregates.aggregate(still, query)) == plain(by_hand(still, by_frame))


def test_the_project_of_these_tests_is_ugly_enough(still: Store) -> None:
    _, said, scores = plain(aggregates.aggregate(still, ASKED))
    assert {key[4] for key in said} == {None, "repeat", "cannot_tell", "saw_evidence", "surplus"}
    assert {key[2] for key in said} == {"people", "simulated", "a", "c"}
    assert {key[1] for key in said} == {None, "dog", "cat"}
    assert said[ITEMS[0], None, "people", ("yes", None), None] == 1
    assert said[ITEMS[0], None, "people", None, "repeat"] == 1
    assert said[ITEMS[2], None, "people", ("yes", None), None] == said[ITEMS[2], None, "people", ("no", None), None] == 1
    assert said[ITEMS[0], None, "a", None, "repeat"] == 1
    assert len(scores) == len(ITEMS)


@pytest.mark.parametrize("items", [ITEMS[:1], [ITEMS[1], ITEMS[3]], ["other/x"], ["nobody/x", ITEMS[5]], ["no such"], ITEMS])
@pytest.mark.parametrize("selection", [EVERYTHING, Selection(task=("counting",)), Selection(campaign=("default",))])
def test_a_few_items_are_counted_as_all_were(still: Store, items: list[str], selection: Selection) -> None:
    query = AggregateQuery("geneval", "correct", selection)
    assert few(still, query, items) == few_by_hand(still, query, items)


def test_after_a_revision_a_few_items_are_counted_as_all_are(filled: Store) -> None:
    first = answer(ITEMS[1], "zoe", "no")
    recording.submit(filled, first)
    recording.submit(filled, answer(ITEMS[1], "zoe", "yes", revises=first.annotation_id))
    tasks, said = few(filled, ASKED, [ITEMS[1]])
    assert (tasks, said) == few_by_hand(filled, ASKED, [ITEMS[1]])
    assert said[ITEMS[1], None, False, "yes", None] == 2  # ann's, who could not tell first, and this one
    assert said[ITEMS[1], None, False, "no", None] == 0


def test_an_empty_project(store: Store) -> None:
    assert plain(aggregates.aggregate(store, ASKED)) == ({}, Counter(), Counter())
    assert aggregates.aggregate_items(store, ASKED, ["x"]) == ({}, [])


# --- which items changed ----------------------------------------------------------------------------------------------
def test_the_store_tells_which_items_were_answered(filled: Store) -> None:
    before = filled.version
    assert filled.changes_since(before) == filled.changes_since(filled.version)
    assert filled.changes_since(before).items == frozenset()
    recording.submit(filled, answer(ITEMS[0], "eve"))
    between = filled.version
    recording.submit(filled, answer(ITEMS[2], "eve"))
    participation.enter(filled, "somebody new")
    assert filled.changes_since(before).items == frozenset({ITEMS[0], ITEMS[2]})
    assert filled.changes_since(between).items == frozenset({ITEMS[2]})
    assert filled.changes_since(before).version == filled.version


@pytest.mark.parametrize("change", ["import", "undo", "write"])
def test_other_changes_may_be_of_anything(filled: Store, change: str) -> None:
    bundle = ImportBundle("ratings", change, change, annotations=[answer(ITEMS[0], "slot1", campaign_id=None)])
    number = imports.apply(filled, [bundle])[0].import_id
    assert number is not None
    before = filled.version
    if change == "import":
        imports.apply(
            filled, [replace(bundle, name="b", sha256="b", annotations=[answer(ITEMS[1], "slot1", campaign_id=None)])]
        )
    elif change == "undo":
        imports.undo(filled, number)
    else:
        filled.change(lambda connection: connection.execute("delete from judgements"))
    recording.submit(filled, answer(ITEMS[0], "eve"))
    assert filled.changes_since(before).items is None


def test_what_is_not_known_may_be_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "_REMEMBERED", 5)
    with Store(tmp_path / "project") as store:
        assert store.changes_since("").items is None
        assert store.changes_since("another.3").items is None
        before = store.version
        for n in range(5):
            store.touch(frozenset({str(n)}))
        assert store.changes_since(before).items == frozenset("01234")
        store.touch(frozenset())
        assert store.changes_since(before).items is None
