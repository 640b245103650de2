"""Runs in the app: begun, paused, gone on with, what one would do, and how Add shows them; with a scorer without models."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from concord.runs import queue, run_manager, run_session
from concord.runs.queue import QueuedRun
from concord.runs.requests import ScoreRequest
from concord.runs.run_details import removal_question
from concord.runs.run_manager import RunView
from concord.runs.scorer_choice import scorer_choices
from concord.runs.scoring_offer import ScoringChoice, scoring_command, scoring_offer
from data.jobs.folder import WorkerProgress
from data.jobs.runs import Observation, Run, RunFolder
from data.records import Rater
from data.selection import Selection
from data.store import imports, runs
from data.store.core.store import Store
from data.store.imports import ImportBundle
from scorers import registry
from tests.data.store.small_project import items_of, picture
from tests.ui import cow_scorer
from tests.ui.http_visitor import World
from ui.pages.add.runs import RunsPage, chosen_run

ALL = Selection()
HOSTILE = "<img src=x onerror=alert(1)>"
ASKED = ScoreRequest(scorer="seer", profile="playground", device="cpu", batch_size=1)


@pytest.fixture(autouse=True)
def with_the_seer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "NAMES", (cow_scorer.NAME, "clipscore"))
    cow_scorer.known(monkeypatch)
    cow_scorer.within(monkeypatch, run_session)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def only(store: Store) -> RunView:
    (view,) = [run_manager.run_view(store, row) for row in run_manager.run_rows(store)]
    return view


def text(html: str) -> str:
    """What a page shows of it."""
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def left_behind(
    store: Store, state: runs.State, n_done: int = 0, rater: str = "seer-playground", error: str | None = None
) -> str:
    """A run of all images that is not at work."""
    work = runs.pending(store, ALL, rater)
    number = len(runs.listed(store)) + 1
    run = Run(f"{number:04d}-x", "seer", "1", "playground", {"threshold": 0.5, "weights": {}}, part_size=1)
    folder = RunFolder(store.project / "runs" / run.run_id)
    folder.create(run, work)
    runs.add_run(store, run, Rater(rater, "scorer", None, "1", run.settings), f"runs/{run.run_id}", len(work))
    for part, item in enumerate(work[:n_done]):
        folder.write_part(part, [Observation(item.item_id)])
        runs.ingest(store, run.run_id, part, [(Observation(item.item_id), ())], "seer-1")
    folder.tell(WorkerProgress("running", n_done, len(work), seconds=2.0))
    runs.set_state(store, run.run_id, state, error)
    return run.run_id


def plan(store: Store, selection: Selection = ALL, **more: Any) -> tuple[str, str, bool]:
    offer = scoring_offer(store, ScoringChoice("seer", selection=selection, **more))
    return offer.text, offer.label, offer.left > 0


def shown(store: Store, **query: str) -> str:
    """Return the place Runs as HTML."""
    content: str = RunsPage(store).drawn(list(query.items()), whole=True)["content"]
    return content


def table(store: Store) -> str:
    """Return what the table of runs says."""
    return text(shown(store).partition("</table>")[0])


def test_a_run_is_begun_stopped_gone_on_with_and_ends(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    store = world.store
    monkeypatch.setenv("SEER_SECONDS", "0.5")
    before = run_manager.progress_version(store)
    assert run_manager.start(store, ASKED, {}) == ""
    assert only(store).is_active
    until(lambda: only(store).state == "running")
    assert run_manager.progress_version(store) != before
    view = only(store)
    assert (view.can_pause, view.can_resume, view.can_remove) == (True, False, False)
    assert plan(store)[0].startswith("seer-playground is at work, or waits, in run 0001-seer-playground")
    assert not plan(store)[2]
    assert run_manager.remove(store, view.row.run_id) == "Run 0001-seer-playground is at work or waits; cancel it first."
    assert "is being worked on already" in run_manager.start(store, ASKED, {})
    assert run_manager.pause(store, view.row.run_id) == ""
    until(lambda: not queue.queued_runs(store))
    view = only(store)
    assert (view.state, view.can_pause, view.can_resume, view.can_remove) == ("paused", False, True, True)
    assert 0 < view.done < 4
    assert "Nobody is at run" in run_manager.pause(store, view.row.run_id)
    assert run_manager.resume(store, view.row.run_id) == ""
    until(lambda: only(store).state == "done")
    assert (only(store).done, only(store).row.n_done) == (4, 4)
    made = (store.project / "runs" / view.row.run_id / "made.txt").read_text().split()
    assert made == ["0", "1", "2", "3"]
    assert plan(store) == (
        "seer-playground has judged all 4 images.",
        "Score images",
        False,
    )
    assert "loading cows" in run_manager.log_tail_of(store, only(store).row)


def test_what_cannot_begin_is_said_at_once(world: World) -> None:
    start = run_manager.start(world.store, replace(ASKED, profile="paper"), {})
    assert start.startswith("seer has no profile 'paper'")
    assert run_manager.resume(world.store, "0009-x") == "there is no run 0009-x in this project"
    assert run_manager.remove(world.store, "0009-x") == "There is no run 0009-x any more."


def test_left_running_it_shows_as_interrupted_and_goes_on(world: World) -> None:
    store = world.store
    run_id = left_behind(store, "running", n_done=1)
    view = only(store)
    assert (view.state, view.done, view.can_resume, view.seconds_left) == ("interrupted", 1, True, None)
    assert f"It goes on with run {run_id} first. " in plan(store)[0]
    assert plan(store)[1] == "Score 3 images"
    assert run_manager.resume(store, run_id) == ""
    until(lambda: only(store).state == "done")
    assert only(store).row.n_done == 4


def test_what_an_older_version_saw_is_not_judged_by_newer_rules(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    store = world.store
    run_id = left_behind(store, "running", n_done=1)
    folder = RunFolder(store.project / "runs" / run_id)
    # all of it was seen before the app was closed and the scorer changed
    for part, item in enumerate(folder.work()[1:], 1):
        folder.write_part(part, [Observation(item.item_id)])
    newer = replace(cow_scorer.SCORER, version="2")
    monkeypatch.setattr(registry, "get", lambda _name: newer)
    run_manager.resume(store, run_id)
    until(lambda: only(store).state == "failed")
    until(lambda: not queue.queued_runs(store))
    assert only(store).row.n_done == 1
    assert "This run was started by seer 1, now it is 2; start a new run. Score begins a new one." in table(store)


def test_a_removed_run_leaves_nothing(world: World) -> None:
    store = world.store
    run_id = left_behind(store, "failed", n_done=2)
    assert run_manager.remove(store, run_id) == ""
    assert run_manager.run_rows(store) == []
    assert not (store.project / "runs" / run_id).exists()
    assert plan(store)[1] == "Score 4 images"


def test_a_run_without_its_folder_cannot_go_on(world: World) -> None:
    run_id = left_behind(world.store, "paused")
    RunFolder(world.store.project / "runs" / run_id).path.rename(world.store.project / "elsewhere")
    assert "is gone" in run_manager.resume(world.store, run_id)


def test_the_offer_follows_the_project_and_the_selection(world: World) -> None:
    store = world.store
    assert plan(store) == (
        "seer-playground has judged 0 of the 4 images. seer-playground uses the playground’s models, which know its drawings"
        " alone: these scores mean little.",
        "Score 4 images",
        True,
    )
    assert plan(store, Selection(generator=("nobody",))) == ("No image with a file fits this selection.", "Score images", False)
    left_behind(store, "done", n_done=4)
    images = [picture(n, "new") for n in range(2)]
    assert plan(store)[1:] == ("Score images", False)
    imports.apply(store, [ImportBundle("images", "new", "new", images=images, items=items_of(images))])
    assert plan(store)[0].startswith("seer-playground has judged 4 of the 6 images.")
    assert plan(store)[1:] == ("Score 2 images", True)
    choice = ScoringChoice("seer", selection=Selection(generator=("sdv2",)), limit=3)
    assert scoring_command(store, choice) == f"uv run app.py score seer --generator sdv2 --limit 3 --project {store.project}"


def test_photographs_are_never_offered_the_playground(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    choices = scorer_choices(world.store)
    assert [choice.scorer for choice in choices] == ["clipscore"]
    assert not any(each.profile.startswith("playground") for choice in choices for each in choice.profiles)
    drawings = scorer_choices(world.store, "playground")
    assert [each.profile for choice in drawings for each in choice.profiles] == ["playground", "playground"]
    monkeypatch.setattr("concord.common.machine.is_available", lambda _: True)
    (choice,) = scorer_choices(world.store)
    assert (choice.left, choice.first.profile) == (4, "paper")


def test_failed_images_are_said_to_be_tried_again(world: World) -> None:
    (world.folder / "00001" / "samples" / "0001.png").write_bytes(b"x")
    assert run_manager.start(world.store, ASKED, {}) == ""
    until(lambda: not queue.queued_runs(world.store))
    assert plan(world.store)[0].startswith("seer-playground has judged 3 of the 4 images. 1 failed before and is tried again.")
    assert plan(world.store)[1:] == ("Score 1 image", True)
    assert "done 4 of 4 images" in table(world.store)
    assert table(world.store).endswith("1 the file has changed since it was imported (1)")
    assert "Try these again" in shown(world.store)


def test_an_empty_project_teaches(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        assert plan(store) == ("There are no images yet.", "Score images", False)
        assert "No scorer has scored this project’s images yet" in shown(store)


def test_a_model_that_is_not_at_hand_is_said_in_words(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> None:
        raise ValueError(f"there is no folder {HOSTILE}")

    monkeypatch.setattr(registry, "settings", missing)
    assert plan(world.store) == (f"seer cannot be used: there is no folder {HOSTILE}.", "Score images", False)


@pytest.mark.parametrize(
    ("state", "error", "says"),
    [
        ("failed", "no memory.", "failed No memory. Put that right, then Resume: what is done is not done again."),
        ("failed", "other weights; start a new run", "failed Other weights; start a new run. Score begins a new one."),
        ("paused", None, "paused Resume goes on where it was paused."),
        ("running", None, "interrupted The app was closed while it ran. Resume goes on; nothing is done twice."),
        ("lost", "its folder is gone", "lost Its folder is gone. What it had judged stays; score the rest anew."),
    ],
)
def test_each_state_says_what_to_do(world: World, state: runs.State, error: str | None, says: str) -> None:
    left_behind(world.store, state, n_done=2, error=error)
    assert f" {says} 2 of 4 images" in table(world.store)
    assert table(world.store).endswith("2 of 4 images 1.0 a second 2 s")


def test_a_run_at_work_shows_rate_and_time_left(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = left_behind(world.store, "running", n_done=1)
    job = QueuedRun(world.store.project, run_id, frozenset({"cpu"}), 1, at_work=True)
    monkeypatch.setattr(queue, "_line", [job])
    html = shown(world.store)
    assert '<progress max="4" value="1"' in html
    assert "data-again" in html
    assert table(world.store).endswith("running 1 of 4 images 30.0 a minute about 6 s left")
    job.worker.stopping.set()
    assert "pausing after the images at hand" in table(world.store)


def test_whose_controls_they_are(world: World) -> None:
    first = left_behind(world.store, "paused", rater="a")
    left_behind(world.store, "done", n_done=4, rater="b")

    def chosen(requested: str) -> str:
        view = chosen_run(world.store, requested)
        assert view
        return view.row.run_id

    # what can go on comes before what has ended
    assert chosen("") == chosen("0009-x") == first
    assert chosen("0002-x") == "0002-x"


def test_nothing_of_the_data_is_html(world: World) -> None:
    left_behind(world.store, "failed", rater=HOSTILE, error=HOSTILE)
    run_id = left_behind(world.store, "paused", rater=f"{HOSTILE}2")
    seen = Observation("geneval/00000/sdv2/0", failed=HOSTILE)
    runs.ingest(world.store, run_id, 0, [(seen, ())], "seer-1")
    html = shown(world.store, run=run_id) + shown(world.store, run=HOSTILE)
    assert html.count("&lt;img") >= 4
    assert "<img" not in html
    assert removal_question(only_named(world.store, run_id)).startswith(f"Remove run {run_id}, what it saw of")


def only_named(store: Store, run_id: str) -> RunView:
    view = chosen_run(store, run_id)
    assert view is not None
    return view
