"""Tuning: a scorer's evidence judged by other settings beside people, and settings saved as a scorer of its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from inspect import unwrap
from pathlib import Path
from typing import Any

import pytest

from agreement import Options
from concord.agreement import compute, means
from concord.common.context import CommandError
from concord.error_analysis import rejudging
from concord.error_analysis.rejudging import save_as_rater
from concord.error_analysis.tuning import AGAINST, UNKNOWN, WITH, TunedScorer, TuneRequest, tunable_raters, tune_scorer
from concord.judging import derive_source
from concord.runs import run_manager, score
from concord.scope import Scope
from data.selection import Selection
from data.spec import parse_spec
from data.store import imports, runs
from data.store.core.store import Store
from data.store.judgements import recording, scorer_evidence
from data.store.judgements.scorer_evidence import perceived_images
from scorers.geneval import scorer as geneval
from scorers.visor import scorer
from tests.data.store.small_project import content
from tests.ui import drawn_images, explore_project
from tests.ui.drawn_images import SETTINGS
from tests.ui.explore_project import CLIP, HOSTILE, RATER, SUITE

ALL = Selection()
MOVED = {"threshold": 0.9, "counting_threshold": 0.5}
ASKED = {name: str(value) for name, value in MOVED.items()}
HERE = Scope(SUITE)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return explore_project.project(tmp_path_factory.mktemp("tuned"))


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


def tuned(store: Store, scope: Scope = HERE, **request: Any) -> TunedScorer:
    found = tune_scorer(store, scope, TuneRequest(**request))
    assert found is not None
    return found


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


def test_as_it_was_run_numbers_and_intervals_are_those_of_the_report(standing: Store) -> None:
    found = tuned(standing)
    assert (found.rater, found.changed, found.flips, found.people) == (RATER, {}, (), "real")
    selection = Selection(suite=(SUITE,))
    mean = {
        row.generator: row
        for row in means(standing, selection, Options())
        if (row.rater, row.aspect, row.task) == (RATER, "correct", "all")
    }
    for generator, row in mean.items():
        made = found.means[generator]
        assert (made.value, made.low, made.high, made.used.items) == pytest.approx((row.value, row.low, row.high, row.n_items))
    options = Options(statistics=("cohen_kappa", "percent_agreement"), matrix=False, ceiling=True)
    report = compute(standing, Selection(suite=(SUITE,), aspect=("correct",)), options).raters
    for objective in ("cohen_kappa", "percent_agreement"):
        for kind in ("real", "simulated"):
            beside = tuned(standing, objective=objective, people=kind)
            row = next(
                r
                for r in report
                if (r.rater, r.people, r.task, r.generator, r.statistic) == (RATER, kind, "all", "all", objective)
            )
            assert beside.now is not None
            assert row.ceiling is not None
            assert (beside.now.value, beside.now.low, beside.now.high) == pytest.approx((row.value, row.low, row.high))
            assert (beside.now.used.items, beside.now.used.ratings) == (row.n_items, row.n_ratings)
            assert beside.level is not None or row.ceiling.value is None
            if beside.level is not None:
                assert beside.level.value == row.ceiling.value


def test_changed_settings_are_judged_by_the_scorers_rules_and_flips_are_told_by_most_people(standing: Store) -> None:
    before, now = own(standing), own(standing, **MOVED)
    changed = {item for item, verdict in now.items() if verdict != before[item]}
    found = tuned(standing, settings=ASKED)
    assert found.changed == MOVED
    assert {flip.item for flip in found.flips} == changed
    assert 3 < len(changed) < len(now)
    for flip in found.flips:
        assert (flip.before, flip.now) == (int(bool(before[flip.item])), int(bool(now[flip.item])))
        most = None if 2 * flip.yes == flip.n else int(2 * flip.yes > flip.n)
        assert flip.side == {flip.now: WITH, flip.before: AGAINST}.get(-2 if most is None else most, UNKNOWN)
    sides = [found.flips_of(side) for side in (AGAINST, WITH, UNKNOWN)]
    assert all(sides)
    assert sum(map(len, sides)) == len(found.flips_of("")) == len(changed)
    mean = found.means["all"].value
    assert mean == pytest.approx(sum(map(bool, now.values())) / len(now))
    assert found.means_before["all"].value == pytest.approx(sum(map(bool, before.values())) / len(before))


def test_the_curve_passes_through_the_agreement_that_is_told(standing: Store) -> None:
    for along in ("threshold", "counting_threshold"):
        found = tuned(standing, settings=ASKED, along=along)
        curve = found.curve
        assert curve is not None
        assert found.now is not None
        assert (curve.at[0], curve.at[-1]) == (0.1, 1.0)  # the run kept nothing below
        point = curve.points[curve.at.index(pytest.approx(MOVED[along]))]
        assert point.value == pytest.approx(found.now.value)
        # by groups of prompts no more than are there, the same interval
        assert (point.low, point.high) == pytest.approx((found.now.low, found.now.high))
    assert tuned(standing, along="counting_threshold").curve.decides == 6  # type: ignore[union-attr]


def test_the_best_value_comes_with_what_it_is_worth_on_held_out_prompts(standing: Store) -> None:
    curve = tuned(standing).curve
    assert curve is not None
    assert curve.best in curve.at
    assert len(curve.fold_best) == 5
    best = max(point.value or -1.0 for point in curve.points)
    assert curve.tuned.values[curve.tuned.best or 0] == pytest.approx(best)
    assert curve.tuned.out_of_fold is not None
    assert curve.tuned.out_of_fold <= best


def test_a_scope_is_tuned_alone(standing: Store) -> None:
    counting = tuned(standing, Scope(SUITE, task="counting"), along="threshold")
    assert counting.images == 6
    # the other thresholds decide nothing there
    assert [setting.name for setting in counting.settings if setting.decides] == ["counting_threshold", "max_overlap"]
    assert counting.along == "counting_threshold"
    every = tuned(standing)
    generators = [name for name in every.means if name != "all"]
    assert tuned(standing, Scope(SUITE, generator=(generators[0],))).images == every.means[generators[0]].used.items


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "7", "0.05", "", "x", HOSTILE, "1e999", "0x1", "１２" * 50])
def test_a_setting_cannot_be_turned_to_anything(standing: Store, value: str) -> None:
    # below 0.1 nothing was kept when the images were seen
    found = tuned(standing, settings={"threshold": value, "rule": value}, along=value, people=value, rater=value)
    assert found.changed == {}
    assert (found.rater, found.along, found.people) == (RATER, "threshold", "real")


def test_scorers_without_settings_to_turn_cannot_be_tuned(standing: Store) -> None:
    assert tunable_raters(standing, SUITE) == [RATER]
    assert tuned(standing, rater=CLIP).rater == RATER
    assert tune_scorer(standing, Scope("other"), TuneRequest()) is None


def test_saved_settings_are_another_scorer_at_once(store: Store) -> None:
    name = f"{RATER}[counting_threshold=0.5,max_overlap=1.0,threshold=0.9]"
    saved = save_as_rater(store, RATER, MOVED)
    last = imports.listed(store)[-1]
    assert (last.import_id, last.kind, last.name, last.counts) == (saved.import_id, "kept settings", name, {"evidence": 36})
    report = compute(store, Selection(suite=(SUITE,), aspect=("correct",)), Options(matrix=False)).raters
    assert {row.rater for row in report if row.saw_labels} == {name}
    before = tuned(store, rater=RATER, settings=ASKED)
    row = next(
        r
        for r in report
        if (r.rater, r.people, r.task, r.generator, r.statistic) == (name, "real", "all", "all", "cohen_kappa")
    )
    assert before.now is not None
    assert before.now.value == pytest.approx(row.value)
    after = tuned(store, rater=name)
    assert (after.changed, after.flips, after.now) == ({}, (), before.now)


def test_a_saved_scorer_has_the_name_that_it_is_given(store: Store) -> None:
    saved = save_as_rater(store, RATER, MOVED, "  strict ")
    assert (saved.rater_id, saved.images) == ("strict", 36)
    report = compute(store, Selection(suite=(SUITE,), aspect=("correct",)), Options(intervals=False, matrix=False)).raters
    assert {"strict", RATER} <= {row.rater for row in report}
    assert {row.rater for row in report if row.saw_labels} == {"strict"}
    # the same settings are that scorer, whatever they are called now
    assert save_as_rater(store, RATER, MOVED, "other").rater_id == "strict"
    before = content(store)
    for name in ("strict", RATER, "ann", "people", "simulated people", "a\nb"):
        with pytest.raises(CommandError, match="take another one"):
            save_as_rater(store, RATER, {"threshold": 0.8}, name)
    assert content(store) == before


def test_the_same_settings_are_kept_once(store: Store) -> None:
    first = save_as_rater(store, RATER, MOVED)
    raters, listed = content(store)["raters"], imports.listed(store)
    again = save_as_rater(store, RATER, MOVED)
    assert (again.rater_id, again.import_id, again.images) == (first.rater_id, None, 0)
    assert (content(store)["raters"], imports.listed(store)) == (raters, listed)
    # turned from the kept one back to where the run stood, it is the run's own rater
    back = save_as_rater(store, first.rater_id, {"threshold": 0.3, "counting_threshold": 0.3})
    assert (back.rater_id, back.import_id) == (RATER, None)


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


def test_of_what_visor_says_nothing_there_is_no_verdict(store: Store) -> None:
    images = perceived_images(store, Selection(suite=(SUITE,)), RATER)
    specs = {image.item_id: image.spec for image in images}
    sights = scorer_evidence.evidence_without_masks(store, [*specs], RATER)
    assert sights is not None
    explore_project.add_run(store, "0003-v", "v", [*sights.seen.values()], specs, scorer.SCORER)
    found = tuned(store, rater="v", settings={"threshold": "0.85"})
    assert found.changed == {"threshold": 0.85}
    # it looks at neither numbers nor colours
    shares = {task: found.by_place.shares_now["renderer-careless", task].value for task in found.by_place.tasks}
    assert [task for task, value in shares.items() if value is None] == ["color_attr", "colors", "counting", "tasks_mean"]
    assert not [flip for flip in found.flips if flip.task == "counting"]
    assert [setting.name for setting in found.settings] == ["threshold"]


def test_what_cannot_be_kept_says_why(store: Store) -> None:
    before = content(store)
    with pytest.raises(CommandError, match=f"{RATER} already has these settings"):
        save_as_rater(store, RATER, {"threshold": 0.3})
    with pytest.raises(CommandError, match="nobody has no evidence"):
        save_as_rater(store, "nobody", MOVED)
    with pytest.raises(CommandError, match="no setting 'keep'"):
        save_as_rater(store, RATER, {"keep": 0.0})
    with pytest.raises(ValueError, match="max_overlap must be from 0 to 1"):
        save_as_rater(store, RATER, {"max_overlap": 3.0})
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
    assert tune_scorer(store, HERE, TuneRequest()) is None


def test_of_very_many_images_some_are_held_always_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejudging, "MOST_IMAGES", 10)
    evidence = rejudging.evidence(store, SUITE, RATER)
    assert evidence is not None
    assert (len(evidence.items), evidence.total) == (10, 36)
    other = unwrap(rejudging._evidence)(store, evidence.source)
    assert other.items == evidence.items
    assert (tuned(store).images, tuned(store).total) == (10, 36)


def test_without_people_there_are_means_and_flips_and_no_agreement(tmp_path: Path) -> None:
    with Store(drawn_images.project(tmp_path / "alone", each=2, per_prompt=1, size=64)) as store:
        found = tuned(store, settings=ASKED)
    assert (found.kinds, found.people, found.now, found.level, found.curve) == ((), None, None, None, None)
    assert {flip.side for flip in found.flips} == {UNKNOWN}
    mean = found.means["all"]
    assert None not in (mean.value, mean.low, mean.high)
