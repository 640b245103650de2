"""The page Explore, through the functions that Gradio calls: thresholds moved over stored evidence, and settings kept."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from html import unescape
from inspect import unwrap
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import gradio as gr
import pytest

from agreement import Options
from concord.agreement import compute, means
from concord.common.context import CommandError
from concord.error_analysis import rejudging
from concord.error_analysis.rejudging import save_as_rater
from concord.judging import derive_source
from concord.runs import run_manager, score
from data.selection import Selection
from data.spec import parse_spec
from data.store import imports, runs
from data.store.browse import grid
from data.store.browse.filters import ListingQuery
from data.store.browse.grid import ListingDisplay
from data.store.core.store import Store
from data.store.judgements import recording, scorer_evidence
from data.store.judgements.scorer_evidence import perceived_images
from scorers.geneval import scorer as geneval
from scorers.visor import scorer
from tests.data.store.small_project import content
from tests.ui import explore_project
from tests.ui.drawn_images import SETTINGS
from tests.ui.explore_project import CLIP, HOSTILE, RATER, SUITE
from tests.ui.http_visitor import TOKEN, World
from ui.pages import explore
from ui.pages.explore import ExplorePage, controls
from ui.pages.explore.controls import choices, view_of
from ui.pages.explore.thresholds import draw_thresholds, setting_curve
from ui.pages.explore.view import FAILURES, QUESTIONS, SHOWN, ExploreView
from ui.shell.html import rendered
from ui.shell.view import ignored
from ui.web.server import create_app

ALL = Selection()
POINTS = Options(intervals=False, matrix=False)
MOVED = {"threshold": 0.9, "counting_threshold": 0.5}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return explore_project.project(tmp_path_factory.mktemp("explored"))


@pytest.fixture(scope="module")
def standing(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """For tests that change nothing."""
    copy = tmp_path_factory.mktemp("standing") / "project"
    shutil.copytree(made, copy)
    with Store(copy) as store:
        yield store


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(made, tmp_path / "project")
    with Store(tmp_path / "project") as store:
        yield store


def own(store: Store, **turned: Any) -> dict[str, bool | None]:
    """The scorer's own verdicts by these settings, by item."""
    images = perceived_images(store, Selection(suite=(SUITE,)), RATER)
    sights = scorer_evidence.evidence_without_masks(store, [image.item_id for image in images], RATER)
    assert sights is not None
    settings = {**sights.settings, **turned}
    return {
        image.item_id: geneval.SCORER.judge(parse_spec(image.spec), sights.seen[image.item_id], settings).correct
        for image in images
    }


def text(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


def lost(store: Store, requested: dict[str, str]) -> str:
    """What the page says of an address that it cannot follow."""
    with gr.Blocks():
        page = ExplorePage(store)
        page.build()
    return ignored(requested, page.followed(page.view(requested), requested))


def pictures(html: str) -> list[str]:
    """The items that the thumbnails lead to."""
    return [
        parse_qs(urlsplit(unescape(href)).query)["image"][0]
        for href in re.findall(r'href="(/studio/images\?[^"]*image=[^"]*)"', html)
    ]


def test_as_it_was_run_the_numbers_are_those_of_the_other_pages(standing: Store) -> None:
    view = view_of(standing, {})
    assert (view.suite, view.rater, view.people, view.moved) == (SUITE, RATER, "people", {})
    shown = draw_thresholds(standing, view)
    mean = {
        (row.generator, row.task): row.value
        for row in means(standing, Selection(suite=(SUITE,)), POINTS)
        if (row.rater, row.aspect) == (RATER, "correct")
    }
    heads = ["color_attr", "colors", "counting", "position", "single_object", "two_object", "all", "tasks_mean"]
    table = explore_project.table(rendered(shown.numbers), "Score: share of correct images")
    assert table["renderer-careless"] == [f"{mean['renderer-careless', task]:.3f}" for task in heads]
    report = compute(standing, Selection(suite=(SUITE,), aspect=("correct",)), POINTS).raters
    for kind, who in (("real", "people"), ("simulated", "simulated people")):
        rows = {(row.task, row.statistic): row for row in report if (row.rater, row.people) == (RATER, kind)}
        table = explore_project.table(rendered(shown.numbers), f"Agreement with {who}")
        for task in heads:
            records = [rows[task, name] for name in ("percent_agreement", "cohen_kappa", "gwet_ac1")]
            values = ["–" if row.value is None else f"{row.value:.3f}" for row in records]
            line = table[{"all": "all images", "tasks_mean": "average over tasks"}.get(task, task.replace("_", " "))]
            assert line == [str(records[0].n_items), str(records[0].n_ratings), *values]
    assert "0 verdicts changed" in text(rendered(shown.lead))
    assert pictures(rendered(shown.pictures)) == []


def test_what_is_turned_is_judged_by_the_scorers_rules(standing: Store) -> None:
    before, now = own(standing), own(standing, **MOVED)
    changed = {item: verdict for item, verdict in now.items() if verdict != before[item]}
    assert 3 < len(changed) < len(now)
    shown = draw_thresholds(standing, view_of(standing, MOVED))
    assert f"{len(changed)} verdicts changed" in text(rendered(shown.lead))
    share = sum(map(bool, now.values())) / len(now)
    assert f"score {sum(map(bool, before.values())) / len(before):.3f} → {share:.3f}" in text(rendered(shown.lead))
    table = explore_project.table(rendered(shown.changes), "Verdicts that changed")
    wrong = sum(verdict is False for verdict in changed.values())
    assert table["all images"] == [str(len(now)), str(len(changed) - wrong), str(wrong)]
    assert set(pictures(rendered(shown.pictures))) == set(changed)


def test_every_count_of_changed_verdicts_leads_to_its_images(standing: Store) -> None:
    shown = draw_thresholds(standing, view_of(standing, MOVED))
    links = re.findall(r'<a href="([^"]+)">(\d+)</a>', rendered(shown.changes))
    assert len(links) > 4
    now = own(standing, **MOVED)
    for href, count in links:
        requested = dict(parse_qsl(urlsplit(unescape(href)).query))
        says = requested["changed"]
        there = draw_thresholds(standing, view_of(standing, requested))
        items = pictures(rendered(there.pictures))
        assert len(items) == int(count)
        assert {now[item] for item in items} == {says == "yes"}


def test_the_curve_is_of_the_images_that_the_setting_decides(standing: Store) -> None:
    for along, task, images in (("counting_threshold", "all", 6), ("threshold", "all", 30), ("threshold", "colors", 6)):
        view = view_of(standing, {"along": along, "task": task})
        evidence = rejudging.evidence(standing, SUITE, RATER)
        assert evidence is not None
        curve = setting_curve(standing, evidence, view)
        assert curve is not None
        assert (view.along, curve.images) == (along, images)
        assert curve.at[0] == 0.1  # the run kept nothing below
        assert curve.at[-1] == 1.0
        counting = [
            item for item, task in own_tasks(standing).items() if (task == "counting") == (along == "counting_threshold")
        ]
        if task == "all":
            verdicts = own(standing, **{along: curve.at[65]})
            share = sum(bool(verdicts[item]) for item in counting) / len(counting)
            assert curve.scores["renderer-careless"][65] == pytest.approx(share)


def own_tasks(store: Store) -> dict[str, str | None]:
    return {image.item_id: image.task for image in perceived_images(store, Selection(suite=(SUITE,)), RATER)}


def test_a_curve_runs_along_what_decides_something_in_the_task(standing: Store) -> None:
    def along(**requested: str) -> list[Any]:
        return [choice[1] for choice in choices(standing, view_of(standing, requested))["along"].choices]

    assert along() == ["threshold", "counting_threshold", "position_threshold", "max_overlap"]
    assert along(task="counting") == ["counting_threshold", "max_overlap"]
    assert view_of(standing, {"task": "counting", "along": "threshold"}).along == "counting_threshold"
    assert along(task="position") == ["threshold", "position_threshold", "max_overlap"]


def test_the_best_value_is_told_with_what_it_is_worth_out_of_fold(standing: Store) -> None:
    for statistic, title in (("cohen_kappa", "Cohen’s κ"), ("percent_agreement", "Agreement")):
        line = text(rendered(draw_thresholds(standing, view_of(standing, {"statistic": statistic})).told))
        assert re.search(
            rf"Best at 0\.\d+.*: {title} -?\d\.\d\d on all of \d+ answers by people about \d+ images, which is optimistic", line
        )
        assert re.search(rf"{title} -?\d\.\d\d out of fold; the folds chose 0\.\d", line)
    imitated = text(rendered(draw_thresholds(standing, view_of(standing, {"people": "simulated"})).told))
    assert "answers by simulated people" in imitated


@pytest.mark.parametrize(
    "asked",
    [
        {},
        MOVED,
        {"threshold": 0.5, "rule": "paper", "task": "position", "along": "position_threshold"},
        {"max_overlap": 0.0, "position_threshold": 0.0, "statistic": "percent_agreement", "people": "simulated"},
        {"rater": CLIP},
        {"show": FAILURES, "counting_threshold": 0.77},
    ],
    ids=str,
)
def test_the_address_holds_the_view(standing: Store, asked: dict[str, Any]) -> None:
    view = view_of(standing, asked)
    assert {name: dict(view.turned).get(name, getattr(view, name, None)) for name in asked} == asked
    copied = dict(parse_qsl(urlsplit(view.address()).query))
    assert (view_of(standing, copied), lost(standing, copied)) == (view, "")


@pytest.mark.parametrize(
    "value", ["nan", "inf", "-1", "7", "0.05", "", "x", HOSTILE, "1e999", "0x1", "１２" * 50, None, [], {}, True]
)
def test_a_knob_cannot_be_turned_to_anything(standing: Store, value: Any) -> None:
    # below 0.1 nothing was kept when the images were seen; true is 1
    view = view_of(standing, {"threshold": value, "rule": value})
    assert view.turned["threshold"] == (1.0 if value is True else 0.3)
    assert view.turned["rule"] == "official"
    if isinstance(value, str) and value:
        said = lost(standing, {"threshold": value})
        assert "threshold=" in text(said)
        assert HOSTILE not in said


def test_unknown_values_in_an_address_are_reported(standing: Store) -> None:
    said = lost(standing, {"suite": "nope", "threshold": "0.40", "max_overlap": "2", "foo": "1"})
    assert "suite=nope, max_overlap=2, foo=1" in text(said)
    assert "threshold" not in said


def test_a_run_that_did_not_say_its_rule_stands_at_the_official_one(standing: Store) -> None:
    view = view_of(standing, {})
    assert (view.turned["rule"], view.turned["position_threshold"]) == ("official", 0.1)
    assert view.moved == {}


def test_scores_are_cut_as_on_the_page_agreement(standing: Store) -> None:
    view = view_of(standing, {"rater": CLIP})
    shown = draw_thresholds(standing, view)
    assert "gives a number for each image" in text(rendered(shown.lead))
    assert f"{CLIP} cut to agree with people, out of fold" in text(rendered(shown.numbers))
    assert shown.figure is not None
    results = choices(standing, view)
    assert [name for name in ("along", "statistic", "people", "changed") if results[name].choices] == []
    assert all(
        update["elem_classes"] == ["cc-off"]
        for update in [
            controls.slider_change(name, rejudging.evidence(standing, SUITE, CLIP), {}) for name in controls.every_knob()
        ]
    )


def test_kept_settings_are_another_rater_at_once(store: Store) -> None:
    line = text(explore.keep_settings(store, view_of(store, MOVED)).value)
    name = f"{RATER}[counting_threshold=0.5,max_overlap=1.0,threshold=0.9]"
    assert line.startswith(f"Kept as {name}: 36 images judged by these settings")
    (number,) = re.findall(r"import undo (\d+)", line)
    last = imports.listed(store)[-1]
    assert (last.import_id, last.kind, last.name, last.counts) == (int(number), "kept settings", name, {"evidence": 36})
    # on Agreement
    report = compute(store, Selection(suite=(SUITE,), aspect=("correct",)), POINTS).raters
    shown = {(row.task, row.statistic, row.people): row.value for row in report if row.rater == name}
    assert {row.rater for row in report if row.saw_labels} == {name}
    before = draw_thresholds(store, view_of(store, {"rater": RATER, **MOVED}))
    table = explore_project.table(rendered(before.numbers), "Agreement with people")
    assert table["all images"][2] == f"{shown['all', 'percent_agreement', 'real']:.3f}"
    # on Browse
    page = grid.items(store, ListingQuery(ALL), ListingDisplay(rater=name), limit=100)
    now = own(store, **MOVED)
    assert {row.item_id: row.mean for row in page.rows} == {item: float(bool(one)) for item, one in now.items()}
    # and here: it stands where it was kept
    view = view_of(store, {"rater": name})
    assert (view.turned["threshold"], view.moved) == (0.9, {})
    assert "0 verdicts changed" in text(rendered(draw_thresholds(store, view).lead))


def test_the_same_settings_are_kept_once(store: Store) -> None:
    first = save_as_rater(store, RATER, MOVED)
    raters, listed = content(store)["raters"], imports.listed(store)
    again = save_as_rater(store, RATER, MOVED)
    assert (again.rater_id, again.import_id, again.images) == (first.rater_id, None, 0)
    assert (content(store)["raters"], imports.listed(store)) == (raters, listed)
    # turned from the kept one back to where the run stood, it is the run's own rater
    back = save_as_rater(store, first.rater_id, {"threshold": 0.3, "counting_threshold": 0.3})
    assert (back.rater_id, back.import_id) == (RATER, None)
    line = text(explore.keep_settings(store, view_of(store, {"rater": RATER, **MOVED})).value)
    assert line == f"{first.rater_id} judges by these settings already; see it on Agreement"


def test_what_was_kept_can_be_undone_without_a_trace(store: Store) -> None:
    before = content(store)
    tables = {name: rows_of(store, name) for name in ("runs", "run_parts", "detections")}
    done = save_as_rater(store, RATER, MOVED)
    assert content(store) != before
    imports.undo(store, done.import_id or 0)
    assert content(store) == before
    assert {name: rows_of(store, name) for name in tables} == tables
    assert (store.project / "runs" / f"0001-{RATER}" / "parts").is_dir()
    # and kept again
    assert save_as_rater(store, RATER, MOVED).images == 36


def rows_of(store: Store, table: str) -> list[Any]:
    with store.read() as cursor:
        return sorted(cursor.execute(f"select * from {table}").fetchall(), key=repr)


def test_rebuild_makes_the_same_of_what_was_kept(store: Store) -> None:
    done = save_as_rater(store, RATER, {**MOVED, "rule": "paper"})

    def said() -> list[Any]:
        return [row for row in content(store)["judgements"] if row[1] == done.rater_id]

    before = said()
    assert len(before) > 36
    recording.rebuild(store, derive_source)
    assert said() == before


def test_score_with_the_same_settings_goes_on_with_the_kept_rater(store: Store) -> None:
    done = save_as_rater(store, RATER, {"threshold": 0.9})
    rater = score.rater_of(store, geneval.SCORER, "playground", geneval.SCORER.version, {**SETTINGS, "threshold": 0.9})
    assert rater.rater_id == done.rater_id
    assert runs.pending(store, ALL, rater.rater_id) == []
    assert runs.all_unfinished(store, rater.rater_id) == []


def test_masks_are_still_those_of_the_run(store: Store) -> None:
    done = save_as_rater(store, RATER, MOVED)
    item = next(iter(own(store)))
    seen = {evidence.rater_id: evidence for evidence in scorer_evidence.evidence_of_item(store, item)}
    assert seen[done.rater_id].seen == seen[RATER].seen
    assert any(detection.mask for detection in seen[done.rater_id].seen.detections)
    assert seen[done.rater_id].settings["threshold"] == 0.9


def test_masks_outlive_their_run_while_settings_are_kept(store: Store) -> None:
    done = save_as_rater(store, RATER, MOVED)
    item = next(iter(own(store)))
    folder = store.project / "runs" / f"0001-{RATER}"
    assert run_manager.remove(store, f"0001-{RATER}") == ""
    (seen,) = (evidence for evidence in scorer_evidence.evidence_of_item(store, item) if evidence.rater_id == done.rater_id)
    assert any(detection.mask for detection in seen.seen.detections)
    kept_run = next(row.run_id for row in runs.listed(store) if row.rater_id == done.rater_id)
    assert "import undo" in run_manager.remove(store, kept_run)
    assert folder.is_dir()


def test_of_what_visor_says_nothing_there_is_no_verdict(store: Store) -> None:
    images = perceived_images(store, Selection(suite=(SUITE,)), RATER)
    specs = {image.item_id: image.spec for image in images}
    sights = scorer_evidence.evidence_without_masks(store, [*specs], RATER)
    assert sights is not None
    explore_project.add_run(store, "0003-v", "v", [*sights.seen.values()], specs, scorer.SCORER)
    view = view_of(store, {"rater": "v", "threshold": 0.85})
    assert view.moved == {"threshold": 0.85}
    shown = draw_thresholds(store, view)
    table = explore_project.table(rendered(shown.numbers), "Score: share of correct images")
    # it looks at neither numbers nor colours
    assert [text for text in table["renderer-careless"] if text == "–"] == ["–"] * 4
    assert explore_project.table(rendered(shown.changes), "Verdicts that changed")["counting"] == ["6", "0", "0"]
    evidence = rejudging.evidence(store, SUITE, "v")
    shown_knobs = [controls.slider_change(name, evidence, view.turned) for name in controls.every_knob()]
    assert [update.get("elem_classes") == ["cc-off"] for update in shown_knobs if isinstance(update, dict)] == [True] * 4


def test_what_is_seen_later_is_added_to_the_kept_rater(store: Store) -> None:
    images = perceived_images(store, Selection(suite=(SUITE,)), RATER)
    specs = {image.item_id: image.spec for image in images}
    items = [*specs]
    sights = scorer_evidence.evidence_without_masks(store, items, RATER)
    assert sights is not None
    explore_project.add_run(store, "0003-other", "other", [sights.seen[item] for item in items[:10]], specs)
    first = save_as_rater(store, "other", {"threshold": 0.9})
    explore_project.add_run(store, "0005-other", "other", [sights.seen[item] for item in items[5:30]], specs)
    second = save_as_rater(store, "other", {"threshold": 0.9})
    assert (first.rater_id, first.images) == (second.rater_id, 10)
    assert second.images == 20
    ids = [row.run_id for row in runs.listed(store) if row.rater_id == first.rater_id]
    assert len(ids) == len(set(ids)) == 2
    with store.read() as cursor:
        pairs = cursor.execute(
            "select item_id, count(*) from evidence where rater_id = ? group by 1", [first.rater_id]
        ).fetchall()
    assert dict(pairs) == dict.fromkeys(items[:30], 1)


def test_what_cannot_be_kept_says_why(store: Store) -> None:
    with pytest.raises(CommandError, match=f"{RATER} already has these settings"):
        save_as_rater(store, RATER, {"threshold": 0.3})
    with pytest.raises(CommandError, match="nobody has no evidence"):
        save_as_rater(store, "nobody", MOVED)
    before = content(store)
    with pytest.raises(ValueError, match="max_overlap must be from 0 to 1"):
        save_as_rater(store, RATER, {"max_overlap": 3.0})
    view = ExploreView(SUITE, RATER, turned={"max_overlap": 3.0}, own={"max_overlap": 1.0})
    assert text(explore.keep_settings(store, view).value).startswith("Not kept: max_overlap must be from 0 to 1")
    assert content(store) == before


def test_answers_leave_the_evidence_as_it_is_and_new_evidence_does_not(store: Store) -> None:
    evidence = rejudging.evidence(store, SUITE, RATER)
    assert evidence is not None
    ratings = sum(int((verdict.no + verdict.yes).sum()) for verdict in rejudging.people_verdicts(store, evidence).values())
    explore_project.answer(store, ["geneval/00000/renderer-careless/0"] * 3, seed=5)
    assert rejudging.evidence(store, SUITE, RATER) is evidence
    assert (
        sum(int((verdict.no + verdict.yes).sum()) for verdict in rejudging.people_verdicts(store, evidence).values()) >= ratings
    )
    runs.remove(store, f"0001-{RATER}")
    assert rejudging.evidence(store, SUITE, RATER) is None
    assert view_of(store, {}).rater == CLIP


def test_of_very_many_images_some_are_held_always_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejudging, "MOST_IMAGES", 10)
    evidence = rejudging.evidence(store, SUITE, RATER)
    assert evidence is not None
    assert (len(evidence.items), evidence.total) == (10, 36)
    other = unwrap(rejudging._evidence)(store, evidence.source)
    assert other.items == evidence.items
    assert "images taken by chance of the 36 that it has seen" in text(
        rendered(draw_thresholds(store, view_of(store, {})).lead)
    )


def test_hostile_names_stay_text(store: Store) -> None:
    explore_project.hostile(store)
    view = view_of(store, {"suite": HOSTILE, "threshold": 0.6})
    assert (view.suite, view.rater) == (HOSTILE, HOSTILE)
    shown = draw_thresholds(store, view)
    assert "1 verdict changed" in text(rendered(shown.lead))
    everything = "".join(
        (
            rendered(shown.lead),
            rendered(shown.told),
            rendered(shown.numbers),
            rendered(shown.changes),
            rendered(shown.pictures),
            shown.figure.to_json(),
        )
    )
    assert "<img src=x" not in everything
    assert "&lt;img src=x" in everything
    assert lost(store, dict(parse_qsl(urlsplit(view.address()).query))) == ""
    assert "<img src=x" not in str(explore.keep_settings(store, view).value)


def test_an_empty_project_says_what_to_do(tmp_path: Path) -> None:
    with Store(tmp_path / "empty") as store:
        view = view_of(store, {"suite": "x", "threshold": "0.4"})
        assert (view.suite, view.rater, view.turned) == ("", "", {})
        assert list(ExplorePage(store).draw(view)) == [None]
        client = World(store, create_app(store, TOKEN), tmp_path).client()
        answered = client.get("/studio/agreement/explore")
        assert answered.status_code == 200
        page = client.get("/studio/agreement/explore").text + client.get("/studio/config").text
        assert "score geneval --project" in page
        assert "judged again here, by other thresholds" in page


def test_the_part_that_is_not_shown_stays_as_it_is(standing: Store) -> None:
    page = ExplorePage(standing)
    for show, drawn in (("thresholds", "explore"), (FAILURES, "failure"), (QUESTIONS, "asked")):
        view = view_of(standing, {"show": show})
        (shown,) = page.draw(view)
        assert shown
        assert shown["explore-address"] == view.address()
        assert {name: shown[f"part-{name}"] for name in SHOWN} == {name: name == show for name in SHOWN}
        rest = {name.partition("-")[0] for name in shown if not name.startswith("part-") and name != "explore-address"}
        assert rest == {drawn}
