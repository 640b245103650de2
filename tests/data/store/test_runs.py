"""Runs in the store: what is still to score, parts taken in once, what was seen read back, and what undoing may not lose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.jobs.runs import Detection, Observation, Run, RunFolder
from data.records import Evidence, Item, Judgement, Rater
from data.selection import Selection
from data.store import imports, runs
from data.store.core.connections import DATABASE
from data.store.core.schema import MIGRATIONS
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportRefused
from data.store.judgements import recording, scorer_evidence
from data.store.judgements.recording import JudgedSource
from data.store.runs import Pending, RunRefused, RunSource
from tests.data.store.small_project import column, content, fill, picture, pictures, submit, table

SETTINGS = {"threshold": 0.3, "classes": ["cat"]}
ALL = Selection()
RULES = "seer-1"


def started(store: Store, number: int = 1, rater: str = "seer-a", n: int = 3, source: RunSource | None = None) -> Run:
    run = Run(f"{number:04d}-{rater}", "seer", "1", "a", SETTINGS)
    runs.add_run(store, run, Rater(rater, "scorer", None, "1", SETTINGS), f"runs/{run.run_id}", n, source)
    return run


def cat(score: float, mask: bytes | None = b"mask", colors: tuple[float, ...] | None = (0.25, 0.75)) -> Detection:
    return Detection("cat", score, (1.0, 2.0, 3.5, 4.0), mask, colors)


def saw(item_id: str, *detections: Detection, failed: str | None = None) -> Observation:
    return Observation(item_id, {} if failed else {"n": len(detections)}, detections, failed)


def judged(seen: Observation) -> tuple[Observation, Sequence[Judgement]]:
    yes = bool(seen.detections)
    judgement = Judgement("correct", "yes" if yes else "no", float(yes))
    return seen, () if seen.failed else (
        judgement,
        Judgement("count", str(len(seen.detections)), float(len(seen.detections)), "cat"),
    )


def take(store: Store, run: Run, part: int, *seen: Observation) -> bool:
    return runs.ingest(store, run.run_id, part, [judged(observation) for observation in seen], RULES)


def left(store: Store, selection: Selection = ALL, rater: str = "seer-a") -> list[str]:
    return [work.item_id for work in runs.pending(store, selection, rater)]


def everything(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    return content(store) | {name: table(store, name) for name in ("runs", "run_parts", "detections")}


def test_what_is_pending(store: Store) -> None:
    items = fill(store, 3)
    blank = picture(9, "g2", file=False)
    imports.apply(store, [ImportBundle("images", "g2", "x", images=[blank], items=[Item(blank.image_id, "geneval")])])
    assert left(store) == items
    work = runs.pending(store, ALL, "seer-a")[0]
    assert (work.path, work.text, work.spec["include"]) == ("/nowhere/g1-0.png", "two cats", [{"class": "cat", "count": 2}])
    assert len(work.sha256) == 64
    take(store, started(store), 0, saw(items[0], cat(0.9)), saw(items[1], failed="damaged"))
    assert left(store) == items[1:]
    assert left(store, rater="other") == items
    assert left(store, Selection(generator=("g2",))) == left(store, Selection(task=("colors",))) == []
    assert runs.count_pending(store, ALL, "seer-a") == Pending(images=3, left=2, failed=1)
    assert runs.count_pending(store, Selection(suite=("sr2d",)), "seer-a") == Pending(0, 0, 0)


def test_a_picture_of_the_project_itself_is_found_below_it(store: Store) -> None:
    own = replace(picture(0), path=Path("images/0.png"))
    imports.apply(store, [replace(pictures(1), images=[own])])
    assert [work.path for work in runs.pending(store, ALL, "x")] == [str(store.project / "images" / "0.png")]


def test_a_part_is_taken_in_once(store: Store) -> None:
    items = fill(store, 3)
    run = started(store)
    parts = [saw(items[0], cat(0.9), cat(0.4, None, None)), saw(items[1])], [saw(items[2], failed="damaged")]
    assert take(store, run, 0, *parts[0])
    after_one = everything(store)
    assert not take(store, run, 0, *parts[0])
    assert not take(store, run, 0, saw(items[2], cat(1.0)))
    assert everything(store) == after_one
    assert take(store, run, 1, *parts[1])
    (row,) = runs.listed(store)
    assert (row.parts, row.n_done, row.failures, row.n_failed, row.n_items) == ((0, 1), 3, {"damaged": 1}, 1, 3)
    assert table(store, "judgements") == sorted(
        (
            (items[k], "seer-a", aspect, target, label, value, None, f"{run.run_id}:{items[k]}", RULES, k + 1)
            for k, aspect, target, label, value in (
                (0, "correct", None, "yes", 1.0), (0, "count", "cat", "2", 2.0),
                (1, "correct", None, "no", 0.0), (1, "count", "cat", "0", 0.0),
            )
        ),
        key=repr,
    )  # fmt: skip
    assert sorted(column(store, "select aspect || ' ' || scale from scales")) == ["correct nominal", "count ordinal:0-5"]
    refs = column(store, "select mask_ref from detections order by image_id, rank")
    assert refs == ["0:0:0", None]


def test_a_part_about_unknown_images_is_refused_whole(store: Store) -> None:
    items = fill(store, 1)
    run = started(store)
    before = everything(store)
    with pytest.raises(RunRefused) as caught:
        take(store, run, 0, saw(items[0], cat(0.9)), saw("geneval/7/x/0"))
    assert "\n" not in str(caught.value)
    assert "1 images that this project does not have, e.g. 'geneval/7/x/0'" in str(caught.value)
    with pytest.raises(RunRefused, match="no run 0009"):
        runs.ingest(store, "0009", 0, [], RULES)
    assert everything(store) == before


def test_another_scale_is_refused(store: Store) -> None:
    items = fill(store, 1)
    imports.apply(
        store, [ImportBundle("ratings", "x", "x", raters=[Rater("r", "scorer")], scales=[("geneval", "correct", "interval")])]
    )
    with pytest.raises(ImportRefused, match="one aspect has one scale"):
        take(store, started(store), 0, saw(items[0]))
    assert left(store) == items


def test_a_run_is_added_once_and_never_in_a_persons_name(store: Store) -> None:
    items = fill(store, 1)
    submit(store, items[0], "ann")
    started(store)
    with pytest.raises(RunRefused, match="already"):
        started(store)
    before = everything(store)
    with pytest.raises(ImportRefused, match="belongs to a person"):
        started(store, 2, "ann")
    assert everything(store) == before


def test_raters_of_other_versions_and_settings_have_names_of_their_own(store: Store) -> None:
    def name(version: str = "1", settings: Mapping[str, Any] = SETTINGS) -> str:
        rater = runs.scorer_rater(store, "seer-a", version, settings)
        assert (rater.kind, rater.version, rater.settings) == ("scorer", version, settings)
        return rater.rater_id

    assert name() == "seer-a"
    started(store)
    assert name() == "seer-a"
    other = {**SETTINGS, "threshold": 0.4}
    assert name("2") == name(settings=other) == "seer-a #2"
    runs.add_run(store, Run("2", "seer", "2", "a", SETTINGS), Rater("seer-a #2", "scorer", None, "2", SETTINGS), "runs/2", 1)
    assert (name(), name("2"), name("1", other)) == ("seer-a", "seer-a #2", "seer-a #3")


def test_states(store: Store) -> None:
    first = started(store)
    assert runs.listed(store)[0].state == "running"
    runs.set_state(store, first.run_id, "failed", "no models")
    second = started(store, 2)
    started(store, 3, "other")
    assert [row.run_id for row in runs.listed(store)] == ["0001-seer-a", "0002-seer-a", "0003-other"]
    run_row = runs.all_unfinished(store, "seer-a")[0]
    assert (run_row.run_id, run_row.error, run_row.settings, run_row.folder) == (
        first.run_id,
        "no models",
        SETTINGS,
        "runs/0001-seer-a",
    )
    ended: tuple[runs.State, ...] = ("done", "lost")
    for state in ended:
        runs.set_state(store, first.run_id, state)
        assert [run_row.run_id for run_row in runs.all_unfinished(store, "seer-a")] == [second.run_id]
    assert runs.listed(store)[0].error is None
    runs.set_state(store, second.run_id, "done")
    assert runs.all_unfinished(store, "seer-a") == []
    assert runs.get(store, "0003-other") == runs.listed(store)[2]
    assert runs.get(store, "0004") is None


def test_what_was_seen_comes_back_with_masks_as_long_as_the_file_is_there(store: Store) -> None:
    items = fill(store, 2)
    run = started(store)
    folder = RunFolder(store.project / "runs" / run.run_id)
    folder.create(run, runs.pending(store, ALL, "seer-a"))
    part = [saw(items[0]), saw(items[1], cat(0.9, b"one"), cat(0.8, None), cat(0.7, b"three", None))]
    folder.write_part(3, part)
    take(store, run, 3, *part)
    (evidence,) = scorer_evidence.evidence_of_item(store, items[1])
    assert evidence.seen == part[1]
    assert (evidence.rater_id, evidence.run_id, evidence.folder) == ("seer-a", run.run_id, folder.path)
    assert (evidence.scorer, evidence.version, evidence.settings) == ("seer", "1", SETTINGS)
    bare = replace(part[1], detections=tuple(replace(detection, mask=None) for detection in part[1].detections))
    sights = scorer_evidence.evidence_without_masks(store, items, "seer-a")
    assert sights
    assert (sights.seen, sights.settings, sights.scorer) == ({items[0]: part[0], items[1]: bare}, SETTINGS, "seer")
    folder.part(3).write_bytes(b"x")
    assert [evidence.seen for evidence in scorer_evidence.evidence_of_item(store, items[1])] == [bare]
    folder.part(3).unlink()
    assert [evidence.seen for evidence in scorer_evidence.evidence_of_item(store, items[1])] == [bare]
    assert scorer_evidence.evidence_of_item(store, "nothing") == []
    assert scorer_evidence.evidence_without_masks(store, items, "nobody") is None


def test_of_several_runs_the_first_that_saw_something_counts(store: Store) -> None:
    items = fill(store, 2)
    take(store, started(store), 0, saw(items[0], failed="damaged"), saw(items[1], failed="damaged"))
    take(store, started(store, 2), 0, saw(items[0], cat(0.5)))
    take(store, started(store, 3), 0, saw(items[0], cat(0.6)))
    take(store, started(store, 4, "other"), 0, saw(items[0]))
    assert [
        (evidence.rater_id, evidence.run_id, len(evidence.seen.detections))
        for evidence in scorer_evidence.evidence_of_item(store, items[0])
    ] == [
        ("other", "0004-other", 0),
        ("seer-a", "0002-seer-a", 1),
    ]
    assert [(evidence.run_id, evidence.seen.failed) for evidence in scorer_evidence.evidence_of_item(store, items[1])] == [
        ("0001-seer-a", "damaged")
    ]


def test_rebuild_judges_what_runs_saw(store: Store) -> None:
    items = fill(store, 3)
    submit(store, items[0], "ann")
    run = started(store)
    take(store, run, 0, saw(items[0], cat(0.9), cat(0.5)), saw(items[1]), saw(items[2], failed="damaged"))
    number = Evidence("e", items[1], "tifa", {"aspect": "score"}, (Judgement("score", None, 0.5),), "direct-1")
    imports.apply(store, [ImportBundle("ratings", "t", "t", raters=[Rater("tifa", "scorer")], evidence=[number])])
    before = content(store)
    sources = []

    def derive(source: JudgedSource) -> tuple[str, Sequence[Judgement]]:
        sources.append(source)
        if source.scorer is None:
            direct = source.answers or {"aspect": "score", "label": None, "value": 0.5}
            return "direct-1", [Judgement(direct["aspect"], direct["label"], direct["value"])]
        assert (source.scorer, source.settings) == ("seer", SETTINGS)
        return RULES, judged(Observation(source.item_id, source.payload or {}, source.detections))[1]

    assert recording.rebuild(store, derive) == 6
    assert content(store) == before
    assert [len(source.detections) for source in sources] == [0, 2, 0, 0]
    assert sources[1].spec
    assert sources[1].spec["include"]


def test_images_that_were_scored_cannot_be_undone_until_their_run_is_removed(store: Store) -> None:
    items = fill(store, 2)
    untouched = everything(store)
    run = started(store)
    take(store, run, 0, saw(items[0], cat(0.9)))
    before = everything(store)
    with pytest.raises(ImportRefused) as caught:
        imports.undo(store, 1)
    assert "has been scored (1 times, in 0001-seer-a)" in str(caught.value)
    assert everything(store) == before
    assert runs.remove(store, run.run_id) == 1
    after = everything(store)
    assert after.pop("scales")
    untouched.pop("scales")
    assert after == untouched
    imports.undo(store, 1)
    assert everything(store)["items"] == everything(store)["images"] == []
    with pytest.raises(RunRefused, match="no run"):
        runs.remove(store, run.run_id)


def test_a_rater_stays_while_another_run_is_its_own(store: Store) -> None:
    items = fill(store, 2)
    first, second = started(store), started(store, 2)
    take(store, first, 0, saw(items[0]))
    take(store, second, 0, saw(items[1]))
    runs.remove(store, second.run_id)
    assert column(store, "select rater_id from raters") == ["seer-a"]
    assert column(store, "select item_id from judgements where aspect = 'correct'") == [items[0]]


def test_imported_scores_are_undone_as_imports(store: Store) -> None:
    items = fill(store, 2)
    before = everything(store)
    run = started(store, source=RunSource("seer-a", "abc"))
    take(store, run, 0, saw(items[0], cat(0.9)), saw(items[1]))
    (row,) = runs.listed(store)
    assert row.import_id == 2
    with pytest.raises(RunRefused, match="import undo 2"):
        runs.remove(store, run.run_id)
    with pytest.raises(ImportRefused, match="has been scored"):
        imports.undo(store, 1)
    counts = imports.undo(store, 2)
    assert (counts["evidence"], counts["runs"], counts["raters"], counts["scales"]) == (2, 1, 1, 2)
    assert everything(store) == before


def test_a_project_of_the_first_schema_opens(tmp_path: Path) -> None:
    (first,) = MIGRATIONS.glob("0001_*.sql")
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute(first.read_text(encoding="utf-8"))
        connection.execute("insert into meta values ('schema_version', '1')")
        connection.execute("insert into items values ('i', 'image', 's', null, null, null, 'p', null)")
        connection.execute("""insert into raters values ('tifa', 'scorer', null, null, '{}', false, null)""")
        connection.execute("""insert into evidence values ('e', 'i', 'tifa', '{"value": 1}', 1, null)""")
    with Store(tmp_path) as store:
        assert table(store, "evidence") == [("e", "i", "tifa", '{"value": 1}', 1, None, None, None)]
        assert not runs.listed(store)
        assert not scorer_evidence.evidence_of_item(store, "i")
        started(store)
        assert [row.run_id for row in runs.listed(store)] == ["0001-seer-a"]
