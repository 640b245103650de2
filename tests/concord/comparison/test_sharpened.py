"""People's means sharpened by a scorer on the leaderboard: what is saved, what stays as it is, and why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import htpy
import pytest

from agreement.meta.estimates import EstimateFinding
from concord.comparison.leaderboard import Leaderboard, leaderboard
from concord.comparison.sharpened import SharpenedMeans, SharpenOptions, possible_scorers, sharpen
from concord.reporting.material import NAME, estimates_of
from concord.scope import scope_of
from data.records import Annotation, Evidence, Image, Item, Prompt, Rater
from data.selection import Selection
from data.store.core.store import Store
from data.store.imports import ImportBundle, apply
from tests.concord import generators_project
from tests.concord.generators_project import judgement
from tests.concord.meta.test_estimates import PROMPTS, bundle, campaign, label
from ui.pages.results import ResultsPage
from ui.shell.html import rendered


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Half of the images are labelled, drawn by chance."""
    with Store(Path(tmp_path_factory.mktemp("estimates")) / "project") as opened:
        apply(opened, [bundle(range(PROMPTS))])
        label(opened, campaign(opened, n=40, seed=3))
        yield opened


def board_of(store: Store, suite: str) -> Leaderboard:
    return leaderboard(store, scope_of(store, suite))


def sharpened(store: Store, suite: str, **options: str) -> SharpenedMeans:
    scorers = possible_scorers(store, board_of(store, suite))
    given = {"scorer": scorers[0], "target": "", "labels": "", "method": ""} | options
    return sharpen(store, scope_of(store, suite), given["scorer"], SharpenOptions.of(**given), scorers)


def results(store: Store, **asked: str) -> str:
    *_, whole = ResultsPage(store).draw_place(lambda name: [asked[name]] if name in asked else [])
    return rendered(htpy.fragment[whole.content])


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """120 images with a scorer's verdicts, wrong about every tenth; a person has answered about every third prompt."""
    prompts = [Prompt(f"s/{n}", "s", f"prompt {n}") for n in range(60)]
    images = [Image(prompt.prompt_id, generator, 0) for prompt in prompts for generator in ("good", "bad")]
    items = [Item(each.image_id, "s", each.prompt_id, None, each.generator) for each in images]
    right = {image.image_id: n // 2 % (3 if image.generator == "good" else 2) != 0 for n, image in enumerate(images)}
    evidence = [
        Evidence(f"v{item}", item, "verdicts", {}, (judgement(item, says != (n % 10 == 0)),), "1")
        for n, (item, says) in enumerate(right.items())
    ]
    annotations = [
        Annotation(f"a-{item}", item, "ann", "quick", {}, (judgement(item, says),), "1")
        for n, (item, says) in enumerate(right.items())
        if n // 2 % 7 < 3
    ]
    raters = [Rater("verdicts", "scorer"), Rater("ann", "human", "person")]
    everything = ImportBundle(
        "ratings", "all", "0", prompts=prompts, images=images, items=items, raters=raters,
        scales=[("s", "correct", "nominal")], annotations=annotations, evidence=evidence,
    )  # fmt: skip
    with Store(Path(tmp_path_factory.mktemp("scored")) / "project") as opened:
        apply(opened, [everything])
        yield opened


def test_a_scorer_s_verdicts_of_the_rest_save_answers(scored: Store) -> None:
    means = sharpened(scored, "s", labels="random")
    whole = means.rows["all", "all"]
    assert (means.state, whole.n_labelled, whole.n_unlabelled) == ("sharpened", 54, 66)
    assert whole.labels_saved is not None
    assert f"save about {round(whole.labels_saved)} answers" in means.reason
    shown = results(scored, scorer="verdicts", labels="random")
    assert shown.count("cc-dot-beside") == 2
    assert means.reason in shown.replace("&#39;", "'")
    # off, the numbers are people's alone
    assert "cc-dot-beside" not in results(scored, labels="random")


def test_answers_that_nobody_drew_by_chance_cannot_be_sharpened_and_the_switch_says_so(scored: Store) -> None:
    means = sharpened(scored, "s")
    assert means.state == "impossible"
    assert f'title="{means.reason}" aria-disabled="true"' in results(scored).replace("&#39;", "'")


def test_a_scorer_that_tells_too_little_changes_no_number(store: Store) -> None:
    means = sharpened(store, "geneval", scorer="m")
    assert set(means.scorers) == {"m", "n"}
    assert (means.state, means.rows["all", "all"].n_labelled, means.rows["all", "all"].n_unlabelled) == ("nothing", 40, 40)
    assert "No gain yet" in means.reason
    assert "cc-dot-beside" not in results(store, scorer="m")


def test_all_numbers_hold_what_is_estimated_by_generator(store: Store) -> None:
    shown = results(store, scorer="m", numbers="1")
    assert "/studio/images?suite=geneval&amp;generator=g1&amp;rater=m&amp;by=correct" in shown
    assert "not yet answered" in shown
    assert "sensitivity" in results(store, scorer="m", method="corrected", numbers="1")


def test_a_method_that_refuses_says_why(store: Store) -> None:
    means = sharpened(store, "geneval", scorer="n", method="corrected")
    assert means.state == "impossible"
    assert "tells too little" in means.reason


def test_where_every_image_is_answered_the_numbers_stay_as_they_are(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as opened:
        generators_project.fill(opened)
        means = sharpened(opened, "s", labels="random")
        assert means.state == "nothing"
        assert "add nothing: these are the same numbers" in means.reason
        board = board_of(opened, "s")
        for generator in board.generators:
            assert means.rows[generator, "all"].value == pytest.approx(board.cells[generator, "people", "all"].value)


def test_hostile_options_are_the_usual_ones() -> None:
    assert SharpenOptions.of("", "<script>", "all", "magic") == SharpenOptions()


def test_the_report_has_what_is_estimated(store: Store) -> None:
    rows = estimates_of(store, Selection())[NAME]
    assert {row.scorer for row in rows} == {"m", "n"}
    assert all(isinstance(row, EstimateFinding) and row.n_unlabelled and row.value is not None for row in rows)
    assert estimates_of(store, Selection(certainty=("split",))) == {}
