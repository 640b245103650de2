"""Wide rows say what everything else says, whatever was written in whatever order, and are kept so by every write."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from data.jobs.runs import Observation, Run
from data.records import Evidence, Judgement, Rater
from data.remarks import Tagging
from data.selection import Selection
from data.store import imports, runs
from data.store.browse import grid, index_refresh
from data.store.browse.filters import PACKED_AS, ListingQuery
from data.store.browse.grid import YesNoCount
from data.store.campaigns import management
from data.store.core.schema import MIGRATIONS
from data.store.core.store import Store
from data.store.erased import Erased
from data.store.imports import ImportBundle, ImportRefused
from data.store.judgements import recording, remarks, revocations
from data.store.people import erasing
from tests.data.store.small_project import PROMPT, answer, column, fill, items_of, picture, pictures, submit

GENERATORS = ("g1", "g2")
PEOPLE = ("ann", "bob", "cyd")
SCORERS = ("m", "n")
N = 3
UNPACKED = {packed: says for says, packed in PACKED_AS.items()}


def rows(store: Store) -> dict[str, Any]:
    """Wide rows by item, scorers by their names."""
    with store.read() as cursor:
        names = dict(cursor.execute("select no, rater_id from browse_raters").fetchall())
        found = cursor.execute("select * from browse order by item_id")
        columns = [column[0] for column in found.description or ()]
        made = [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
    assert len({row["item_id"] for row in made}) == len(made)
    for row in made:
        for name in ("says", "scores"):
            row[name] = {names[no]: value for no, value in enumerate(row[name], 1) if value is not None}
        packed = row.pop("verdicts")
        codes = {name: packed >> 2 * (no - 1) & 3 for no, name in names.items()}
        assert row["says"] == {name: UNPACKED[code] for name, code in codes.items() if code}
    return {row["item_id"]: row for row in made}


def parts(store: Store) -> list[str]:
    return sorted(column(store, "select concat_ws(' ', prompt_id, what, value) from prompt_parts"))


def same(store: Store) -> dict[str, Any]:
    """The rows; those kept up to date are those made anew."""
    assert index_refresh.refresh(store) == 0
    remaining, requested = rows(store), parts(store)
    store.change(lambda connection: connection.execute("insert into stale values (null)"))
    assert index_refresh.refresh(store) == 0
    assert rows(store) == remaining
    assert parts(store) == requested
    assert sorted(remaining) == sorted(column(store, "select item_id from items"))
    return remaining


def said(rater: str, item: str, label: str | None, score: float | None, key: str = "") -> Evidence:
    """Evidence; neither label nor score: the scorer could not look."""
    judgements = [] if label is None else [Judgement("correct", label, float(label == "yes"), None, None)]
    judgements += [] if score is None else [Judgement("score", None, score, None, None)]
    failed = "unreadable" if not judgements else None
    return Evidence(f"{rater}:{item}:{key}", item, rater, {}, tuple(judgements), "1", failed)


def scored(rater: str, evidence: list[Evidence], name: str = "s") -> ImportBundle:
    scales = [("geneval", "correct", "nominal"), ("geneval", "score", "interval")]
    return ImportBundle(
        "scores", f"{rater} {name}", f"{rater} {name}", raters=[Rater(rater, "scorer")], scales=scales, evidence=evidence
    )


def test_a_row_by_hand(store: Store) -> None:
    items = fill(store, 4)
    for who, label in (("ann", "yes"), ("bob", "yes"), ("cyd", "no")):
        submit(store, items[0], who, label)
    submit(store, items[0], "ann", "no")  # the first counts
    submit(store, items[1], "ann", None)  # cannot tell
    submit(store, items[2], "ann", "no", saw_evidence=True)
    none = float("nan")
    judged = [said("m", items[0], "no", 0.5), said("m", items[1], "yes", none), said("m", items[2], None, None)]
    imports.apply(store, [scored("m", judged), scored("n", [said("n", items[0], "yes", None)])])
    results = same(store)
    first, second, third, fourth = (results[item] for item in items)
    assert (first["yes"], first["no"], first["people"], first["certainty"], first["n"]) == (2, 1, "yes", "majority", 3)
    assert first["mean"] == pytest.approx(2 / 3)
    assert (first["says"], first["scores"], first["scorers_yes"], first["scorers_no"]) == ({"m": 0, "n": 1}, {"m": 0.5}, 1, 1)
    assert (second["people"], second["certainty"], second["says"]) == ("none", None, {"m": 1})
    assert (third["people"], third["says"]) == ("none", {"m": 2})
    assert (fourth["says"], fourth["moved"], fourth["pictured"], fourth["idx"]) == ({}, None, True, 3)
    assert first["moved"] > second["moved"]
    assert parts(store) == ["geneval/00000 count 2", "geneval/00000 object cat"]


def test_who_failed_first_and_could_look_later_has_not_failed(store: Store) -> None:
    items = fill(store, 1)
    imports.apply(store, [scored("m", [said("m", items[0], None, None)])])
    assert same(store)[items[0]]["says"] == {"m": 2}
    imports.apply(store, [scored("m", [said("m", items[0], "yes", None, "again")], "again")])
    assert same(store)[items[0]]["says"] == {"m": 1}


def test_readers_see_what_was_written_before(store: Store) -> None:
    items = fill(store)
    assert [row.people for row in grid.items(store, ListingQuery()).rows] == [YesNoCount(0, 0)] * 3
    submit(store, items[1], "ann", "no")
    assert [row.people.no for row in grid.items(store, ListingQuery()).rows] == [0, 1, 0]


def test_much_is_left_to_the_background_and_the_version_says_when(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_refresh, "_AT_ONCE", 2)
    monkeypatch.setattr(index_refresh, "_EVERY", 0.01)
    monkeypatch.setattr(index_refresh, "_in_background", {store})
    fill(store)
    assert grid.items(store, ListingQuery()).total == 0
    behind = store.version
    index_refresh.refresh(store)
    assert store.version != behind
    assert store.changes_since(behind).items == frozenset()
    assert grid.items(store, ListingQuery()).total == 3
    monkeypatch.undo()
    monkeypatch.setattr(index_refresh, "_EVERY", 0.01)
    keeper = index_refresh.IndexRefresher(store)
    submit(store, column(store, "select item_id from items")[0])
    for _ in range(500):
        if not index_refresh.count_stale(store):
            break
        keeper._stop.wait(0.01)
    keeper.close()
    keeper.close()
    assert index_refresh.count_stale(store) == 0


def test_a_project_of_before_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for file in sorted(MIGRATIONS.glob("*.sql"))[:10]:
        (old / file.name).write_text(file.read_text())
    with monkeypatch.context() as patched:
        patched.setattr("data.store.core.schema.MIGRATIONS", old)
        with Store(tmp_path / "p") as store, store.read() as cursor:
            cursor.execute(
                "insert into prompts values ('geneval/00000', 'geneval', 'counting', 'two cats',"
                """ '{"tag":"counting","include":[{"class":"cat","count":2}]}', null)"""
            )
            cursor.execute(
                "insert into items values"
                " ('geneval/00000/g/0', 'image', 'geneval', 'geneval/00000', 'counting', 'g', 'x', null)"
            )
    with Store(tmp_path / "p") as store:
        assert list(rows(store)) == ["geneval/00000/g/0"]
        assert parts(store) == ["geneval/00000 count 2", "geneval/00000 object cat"]
        assert index_refresh.count_stale(store) == 0


# --- random writes ----------------------------------------------------------------------------------------------------
class Writing:
    """Somebody who writes at random."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store, self.dice, self.step = store, random.Random(seed), 0
        self.imported: list[int] = []
        self.runs: list[str] = []

    def items(self) -> list[str]:
        return sorted(column(self.store, "select item_id from items where kind = 'image'"))

    def apply(self, bundle: ImportBundle) -> None:
        done = imports.apply(self.store, [bundle])[0]
        if done.import_id is not None:
            self.imported.append(done.import_id)

    def images(self) -> None:
        generator, file = self.dice.choice(GENERATORS), self.dice.random() < 0.6
        made = [picture(n, generator, file) for n in range(self.dice.randint(1, N))]
        self.apply(ImportBundle("images", f"i{self.step}", f"i{self.step}", [PROMPT], made, items_of(made)))

    def score(self) -> None:
        items = self.items()
        if items:
            rater = self.dice.choice(SCORERS)
            chosen = self.dice.sample(items, self.dice.randint(1, len(items)))
            says = [
                said(rater, item, self.dice.choice(("yes", "no", None)), self.dice.choice((0.25, 0.5, None)), f"{self.step}")
                for item in chosen
            ]
            self.apply(scored(rater, says, f"{self.step}"))

    def answer(self) -> None:
        if items := self.items():
            annotation = answer(self.dice.choice(items), self.dice.choice(PEOPLE), self.dice.choice(("yes", "no", None)),
                          saw_evidence=self.dice.random() < 0.2)  # fmt: skip
            try:
                recording.submit(self.store, annotation)
            except Erased:
                return
            if self.dice.random() < 0.4:
                recording.submit(
                    self.store, replace(answer(annotation.item_id, annotation.rater_id, "no"), revises=annotation.annotation_id)
                )

    def ingest(self) -> None:
        if items := self.items():
            run = Run(f"{self.step:04}-m", "nobody", "1", "paper", {})
            runs.add_run(self.store, run, Rater("r", "scorer"), "runs/x", len(items))
            label = self.dice.choice(("yes", "no"))
            judged = (Judgement("correct", label, float(label == "yes"), None, None),)
            runs.ingest(self.store, run.run_id, 0, [(Observation(item, {}, ()), judged) for item in items[:2]], "1")
            self.runs.append(run.run_id)

    def remove(self) -> None:
        if self.runs:
            runs.remove(self.store, self.runs.pop())

    def undo(self) -> None:
        if self.imported:
            try:
                imports.undo(self.store, self.imported.pop(self.dice.randrange(len(self.imported))))
            except ImportRefused:
                return

    def revoke(self) -> None:
        revocations.revoke(self.store, self.dice.choice(PEOPLE), "boss", uncount=True)

    def restore(self) -> None:
        revocations.restore(self.store, self.dice.choice(PEOPLE), "boss")

    def erase(self) -> None:
        if self.dice.random() < 0.2 and column(self.store, "select 1 from raters where rater_id = 'cyd'"):
            erasing.erase(self.store, "cyd")

    def group(self) -> None:
        management.groups(self.store, Selection())

    def rebuild(self) -> None:
        # what the sources say is not kept here: all judgements go
        if self.dice.random() < 0.2:
            recording.rebuild(self.store, lambda _: ("1", ()))

    def tag(self) -> None:
        if items := self.items():
            remarks.tag_items(self.store, Tagging(f"{self.step}", (items[0],), "odd", self.dice.random() < 0.5, "ann"))

    def look(self) -> None:
        grid.items(self.store, ListingQuery())


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (3, 4))])
def test_rows_kept_up_to_date_are_those_made_anew(store: Store, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:
        monkeypatch.setattr("data.store.browse_index._FEW", 1)
        monkeypatch.setattr(index_refresh, "_CHUNK", 2)
    writing = Writing(store, seed)
    names = [
        "images",
        "score",
        "answer",
        "answer",
        "ingest",
        "remove",
        "undo",
        "revoke",
        "restore",
        "erase",
        "group",
        "rebuild",
        "tag",
        "look",
    ]
    writing.images()
    for step in range(1, 41):
        writing.step = step
        getattr(writing, writing.dice.choice(names))()
        if step % 10 == 0:
            same(store)


def test_a_write_of_one_item_makes_one_row_stale(store: Store) -> None:
    imports.apply(store, [pictures(3), pictures(2, "g2")])
    index_refresh.refresh(store)
    item = column(store, "select item_id from items order by 1")[0]
    submit(store, item)
    assert column(store, "select distinct item_id from stale") == [item]
