"""The queue of runs: order, devices, pause, cancel, what a closed app leaves, what failed tried again, raters' versions."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from concord.common.context import CommandError, Context
from concord.runs import generate, queue, run_manager, run_session, score
from concord.runs.queue import QueuedRun
from concord.runs.run_details import run_details
from concord.runs.scoring_offer import ScoringChoice, scoring_offer
from data.jobs.generation import GenerationFolder, GenerationJob, WantedPicture
from data.jobs.runs import Run, RunFolder
from data.records import Rater
from data.selection import Selection
from data.store import runs
from data.store.core import schema
from data.store.core.store import Store
from scorers import registry
from scorers.models import devices
from tests.ui import cow_scorer
from tests.ui.http_visitor import World
from ui.pages.add.runs import run_panel, runs_table
from ui.shell.html import rendered

RATER = "seer-playground"
FAILED_ONE = "1 image could not be scored; the next score tries them again"


@pytest.fixture(autouse=True)
def with_the_seer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "NAMES", (cow_scorer.NAME, "clipscore"))
    cow_scorer.known(monkeypatch)
    cow_scorer.within(monkeypatch, run_session)
    yield
    assert not queue._line, "a test left somebody waiting"


def views(store: Store) -> list[run_manager.RunView]:
    return [run_manager.run_view(store, row) for row in run_manager.run_rows(store)]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def waiting(store: Store, rater: str = RATER, device: str = "cpu", items: slice = slice(None)) -> str:
    """A run in the project's queue that nobody in this process waits for."""
    work = runs.pending(store, Selection(), rater)[items]
    number = len(runs.of_every_kind(store)) + 1
    run = Run(f"{number:04d}-x", "seer", "1", "playground", {"threshold": 0.5, "weights": {}}, device, part_size=1)
    RunFolder(store.project / "runs" / run.run_id).create(run, work)
    rater_ = Rater(rater, "scorer", None, "1", run.settings)
    runs.add_run(store, run, rater_, f"runs/{run.run_id}", len(work), state="queued")
    return run.run_id


def states(store: Store) -> dict[str, str]:
    return {row.run_id: row.state for row in runs.of_every_kind(store)}


class Turn:
    """Somebody in a thread who wants to be at a run, and is until told to leave."""

    def __init__(self, store: Store, run_id: str) -> None:
        self.begun, self.leave, self.said = threading.Event(), threading.Event(), ""
        row = runs.get(store, run_id)
        assert row is not None
        self.thread = threading.Thread(target=self._be, args=(store, row), daemon=True)
        self.thread.start()
        until(lambda: run_id in queue.queued_runs(store) or not self.thread.is_alive())

    def _be(self, store: Store, row: runs.RunRow) -> None:
        try:
            with queue.wait_for_turn(store, row, lambda _: None):
                self.begun.set()
                self.leave.wait(60)
        except CommandError as error:
            self.said = str(error)

    def end(self) -> None:
        self.leave.set()
        self.thread.join(60)


def test_one_at_a_time_on_each_device_in_the_order_in_which_they_came(world: World) -> None:
    store = world.store
    first, second, third = waiting(store), waiting(store, "b"), waiting(store, "c", "cuda,cuda:1")
    fourth = waiting(store, "d", "cuda:0")
    turns = {run_id: Turn(store, run_id) for run_id in (first, second, third, fourth)}
    until(lambda: turns[third].begun.is_set())
    assert [run_id for run_id, turn in turns.items() if turn.begun.is_set()] == [first, third]
    assert (queue.run_ahead(store, second), queue.run_ahead(store, fourth)) == (first, third)
    assert queue.run_ahead(store, first) is None
    again = Turn(store, second)
    assert "is being worked on already, or waits for it" in again.said
    turns[first].end()
    until(lambda: turns[second].begun.is_set())
    assert not turns[fourth].begun.is_set()
    turns[third].end()
    until(lambda: turns[fourth].begun.is_set())
    turns[second].end()
    turns[fourth].end()


def test_who_waits_is_moved_paused_given_up_and_kept_when_the_app_closes(world: World) -> None:
    store = world.store
    ids = [waiting(store, name) for name in "abcde"]
    turns = [Turn(store, run_id) for run_id in ids]
    assert queue.move_run(store, ids[3], -1)
    assert [row.run_id for row in runs.queued(store)] == [ids[0], ids[1], ids[3], ids[2], ids[4]]
    assert queue.run_ahead(store, ids[3]) == ids[0]
    assert not queue.move_run(store, ids[0], -1)
    assert run_manager.pause(store, ids[1]) == ""
    assert run_manager.cancel(store, ids[2]) == ""
    for turn in turns[1:3]:
        turn.thread.join(60)
    assert [turn.said for turn in turns[1:3]] == [
        f"run {ids[1]} was paused before it began", f"run {ids[2]} was cancelled before it began",
    ]  # fmt: skip
    turns[0].end()
    until(lambda: turns[3].begun.is_set())
    turns[3].leave.set()
    queue.stop_all(store)
    assert "begins when the app is open again" in turns[4].said
    assert states(store)[ids[4]] == "queued"
    assert (states(store)[ids[1]], states(store)[ids[2]]) == ("paused", "cancelled")


def test_what_waited_begins_when_the_app_is_open_again(world: World) -> None:
    store = world.store
    first, second = waiting(store, items=slice(0, 2)), waiting(store, items=slice(2, 4))
    left = waiting(store, "c")
    runs.set_state(store, left, "running")
    run_manager.begin_queued(store)
    until(lambda: states(store)[second] == "done" and not queue.queued_runs(store))
    assert states(store) == {first: "done", second: "done", left: "running"}
    assert run_manager.run_view(store, next(row for row in runs.listed(store) if row.run_id == left)).state == "interrupted"


def test_two_runs_of_one_rater_share_no_image(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    store = world.store
    monkeypatch.setenv("SEER_SECONDS", "0.3")
    assert run_manager.start(store, replace(ScoringChoice("seer").request(), first=2), {}) == ""
    until(lambda: bool(run_session.runs_at_work(store)))
    offer = scoring_offer(store, ScoringChoice("seer"))
    assert (offer.label, offer.left) == ("Queue 2 images", 2)
    assert "It waits for run 0001-seer-playground, which is before it on cpu." in offer.text
    assert run_manager.start(store, ScoringChoice("seer").request(), {}) == ""
    assert states(store)["0002-seer-playground"] == "queued"
    assert "It waits for run 0001-seer-playground." in rendered(runs_table(views(store), "", ""))
    assert scoring_offer(store, ScoringChoice("seer")).left == 0
    until(lambda: not queue.queued_runs(store))
    assert [(row.state, row.n_items, row.n_done) for row in runs.listed(store)] == [("done", 2, 2)] * 2


def test_a_run_is_given_up_and_a_later_one_does_the_rest(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    store = world.store
    monkeypatch.setenv("SEER_SECONDS", "0.4")
    assert run_manager.start(store, replace(ScoringChoice("seer"), batch_size=1).request(), {}) == ""
    until(lambda: any(view.done for view in views(store)))
    assert run_manager.cancel(store, "0001-seer-playground") == ""
    until(lambda: not queue.queued_runs(store))
    (row,) = runs.listed(store)
    assert (row.state, 0 < row.n_done < 4) == ("cancelled", True)
    assert run_manager.cancel(store, row.run_id) == f"Run {row.run_id} is over already."
    monkeypatch.setenv("SEER_SECONDS", "0")
    assert scoring_offer(store, ScoringChoice("seer")).label == f"Score {4 - row.n_done} image{'s' * (row.n_done < 3)}"
    assert run_manager.start(store, ScoringChoice("seer").request(), {}) == ""
    until(lambda: not queue.queued_runs(store))
    assert [(run_row.state, run_row.n_items) for run_row in runs.listed(store)] == [("cancelled", 4), ("done", 4 - row.n_done)]


def test_what_failed_is_tried_again_and_nothing_else(world: World) -> None:
    store = world.store
    broken = world.folder / "00001" / "samples" / "0001.png"
    whole = broken.read_bytes()
    broken.write_bytes(b"x")
    assert run_manager.start(store, ScoringChoice("seer", limit=4).request(), {}) in ("", FAILED_ONE)
    until(lambda: not queue.queued_runs(store))
    run_id = "0001-seer-playground"
    assert runs.still_failing(store, run_id) == 1
    broken.write_bytes(whole)
    assert run_manager.retry(store, run_id) == ""
    until(lambda: not queue.queued_runs(store))
    second = runs.get(store, "0002-seer-playground")
    assert second is not None
    assert (second.rater_id, second.n_items, second.n_done, second.n_failed, second.state) == (RATER, 1, 1, 0, "done")
    assert [item.item_id for item in run_session.folder_of(store, second).work()] == ["geneval/00001/sdv2/1"]
    assert runs.still_failing(store, run_id) == 0
    first = next(view for view in views(store) if view.row.run_id == run_id)
    assert run_details(store, first).seen_since == 1
    assert "1 image failed, 1 of them seen since by a later run:" in rendered(run_panel(store, first))
    assert "has no image to retry" in run_manager.retry(store, run_id)
    assert "no run 0009" in run_manager.retry(store, "0009")


def test_what_is_another_rater_by_now_does_not_try_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    store = world.store
    (world.folder / "00001" / "samples" / "0001.png").write_bytes(b"x")
    # a run of five images may be over before `start` looks: then it says what failed
    assert run_manager.start(store, ScoringChoice("seer").request(), {}) in ("", FAILED_ONE)
    until(lambda: not queue.queued_runs(store))
    newer = replace(cow_scorer.SCORER, version="2")
    monkeypatch.setattr(registry, "get", lambda name: newer if name == cow_scorer.NAME else cow_scorer.SCORER)
    retry = run_manager.retry(store, "0001-seer-playground")
    assert retry == "seer-playground has changed (it is version 2 by now, then 1); use Score to start a run of a new rater"
    told = scoring_offer(store, ScoringChoice("seer")).text
    assert "This will be a new rater, seer-playground #2, as it is not what seer-playground was:" in told
    assert "the scorer's code gives other results (version 2, then 1)." in told


def test_how_raters_of_one_name_differ_is_said() -> None:
    before = Rater("a", "scorer", None, "1", {"threshold": 0.5, "weights": {"detector": "aa", "clip": "cc"}})
    now = Rater("a #2", "scorer", None, "2", {"threshold": 0.4, "beam": 3, "weights": {"detector": "bb"}})
    assert score.rater_differences(before, now) == [
        "the scorer's code gives other results (version 2, then 1)",
        "the weights of its clip differ (unknown, then cc)",
        "the weights of its detector differ (bb, then aa)",
        "beam is 3, then not set",
        "threshold is 0.4, then 0.5",
    ]
    assert score.rater_differences(before, before) == []


def test_the_rate_is_of_the_last_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("concord.runs.queue.time.monotonic", lambda: now[0])
    job = QueuedRun(Path("p"), "r", frozenset({"cpu"}), 1)
    assert job.per_second() is None
    for minute in range(10):
        # 60 a minute for five minutes, then 6
        now[0] = 60.0 * minute
        job.saw(60 * minute if minute <= 5 else 300 + 6 * (minute - 5))
    assert job.per_second() == pytest.approx(0.1)
    now[0] += 3600
    job.saw(324)
    assert len(job.seen) == 2, "what is long past is forgotten, but for the last part"


@pytest.mark.parametrize(
    ("typed", "named"), [(None, "cpu"), (" CUDA:1 ", "cuda:1"), ("cuda:0, cuda:1", "cuda:0,cuda:1"), ("mps", "mps")]
)
def test_devices_are_read_as_they_are_typed(typed: str | None, named: str) -> None:
    assert devices.parse_devices(typed) == named


@pytest.mark.parametrize("typed", ["cuda:", "--help", "cpu;ls", "a b:c", "cuda:0,,cuda:1"])
def test_what_is_no_device_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="a device is cpu"):
        devices.parse_devices(typed)


def painted(store: Store, name: str = "sdxl") -> str:
    """A generation that waits."""
    number = len(runs.of_every_kind(store)) + 1
    run_id = f"{number:04d}-generate-{name}"
    requested: dict[str, Any] = {"steps": 4}
    job = GenerationJob("playground-early", (WantedPicture("p", 0, "a cup", 1, str(store.project / "x.png")),), 4, requested)
    GenerationFolder(store.project / "runs" / run_id).ask(job)
    settings = {"model": "m", "asked": requested, "seed": 0, "suite": "playground", "n": 1}
    runs.add_generation(store, Run(run_id, "generate", "", "default", settings), name, f"runs/{run_id}", 1)
    return run_id


def test_a_generation_is_a_row_and_no_scorer(world: World) -> None:
    store = world.store
    run_id = painted(store)
    assert runs.listed(store) == []
    (view,) = views(store)
    assert (view.row.kind, view.state, view.row.rater_id) == ("generate", "queued", "sdxl")
    shown = rendered(runs_table([view], run_id, "")) + rendered(run_panel(store, view))
    for text in ("sdxl paints", "0 of 1 picture", "4 pictures at once", "the generator sdxl", "steps = 4"):
        assert text in shown
    assert run_manager.cancel(store, run_id) == ""
    assert run_manager.remove(store, run_id) == ""
    assert not (store.project / "runs" / run_id).exists()


def test_two_generations_in_one_name_are_locked_against_each_other(world: World) -> None:
    store, out = world.store, io.StringIO()
    context = Context(store, store.project, out, out)
    run_id, other = painted(store), painted(store, "sd15")
    with generate._alone(context, "sdxl"), generate._alone(context, "sd15"):
        assert run_manager.resume(store, run_id).startswith("sdxl is already being generated or waits")
    with RunFolder(store.project / "runs" / other).claim(), pytest.raises(CommandError, match="still generat"):
        generate.resume(context, other)
    with generate._alone(context, "sd15"):
        pass


def test_states_of_earlier_schemas_are_kept(tmp_path: Path) -> None:
    earlier = [file for file in sorted(schema.MIGRATIONS.glob("[0-9]*.sql")) if int(file.name[:4]) < 15]
    with duckdb.connect(str(tmp_path / "concord.duckdb")) as connection:
        for file in earlier:
            connection.execute(file.read_text(encoding="utf-8"))
        connection.execute("insert into meta values ('schema_version', '14')")
        for number, state in enumerate(("running", "stopped", "failed", "lost", "done")):
            row = [f"{number}", "r", "seer", "playground", "1", '{"a": 1}', "runs/x", state, None, number]
            connection.execute(
                "insert into runs (run_id, rater_id, scorer, profile, version, settings, folder, state, error, n_items)"
                " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
        created = connection.execute("select created from runs order by run_id").fetchall()
    with Store(tmp_path) as store:
        run_rows = runs.listed(store)
        assert [row.state for row in run_rows] == ["running", "paused", "failed", "lost", "done"]
        assert [row.n_items for row in run_rows] == [0, 1, 2, 3, 4]
        assert [(row.created,) for row in run_rows] == created
        assert {(row.kind, row.device, row.engine, row.place) for row in run_rows} == {("score", None, None, None)}
        assert run_rows[0].settings == {"a": 1}
