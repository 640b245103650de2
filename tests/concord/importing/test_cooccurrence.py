"""``import cooccurrence``, and the picture that is drawn with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from scipy import stats

from concord.scope import Scope
from data.jobs.runs import Detection, Observation
from data.prompts import sr2d_suite
from data.records import Image, image_item
from data.spec import OPPOSITE
from data.store import library as kept
from data.store.core.store import Store
from data.store.imports import ImportBundle, apply
from scorers.visor import scorer
from tests.concord.error_analysis.test_failures import text_of
from tests.data.formats.test_cooccurrence import instances
from tests.ui import drawn_images
from tests.ui.small_project import concord, done
from ui.components.linked_figures import LogAxis, Mark, Series, scatter
from ui.pages.failures.drawing import Drawing
from ui.pages.failures.pictures import failures_picture
from ui.shell.html import rendered

CATEGORIES = [{"id": k, "name": name} for k, name in enumerate(("person", "bicycle", "car", "bus", "<b>"))]
WHERE = ("sr2d", "visor-x", "cooccurrence")


# ---- the command
def test_a_file_is_imported_once_and_taken_back(project: Path, tmp_path: Path) -> None:
    path = instances(tmp_path / "instances_val.json", {1: [0, 1], 2: [0, 1, 2]}, CATEGORIES)
    says = "instances_val: 3 pairs of 5 classes together in 2 images (import 1; to take it back: import undo 1)\n"
    assert done(project, "import", "cooccurrence", path) == says
    assert "imported before, as import 1" in done(project, "import", "cooccurrence", path)
    assert "import 2" in done(project, "import", "cooccurrence", path, "--name", "mine")
    other = instances(tmp_path / "other.json", {1: [0, 1]}, CATEGORIES)
    refused = concord(project, "import", "cooccurrence", other, "--name", "mine")
    assert (refused.status, refused.err.count("\n")) == (1, 1)
    assert "undo that first: import undo 2" in refused.err
    done(project, "rebuild")
    assert done(project, "import", "undo", "2") == "import 2 undone: 8 cooccurrences\n"
    with Store(project) as store:
        cooccurrence = kept.latest_cooccurrence(store)
        assert cooccurrence is not None
        assert (cooccurrence.name, cooccurrence.share("car", "person")) == ("instances_val", 0.5)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("not json", "not JSON ('{' expected"),
        ('{"annotations": [{', "not JSON (Expecting property name"),
        (json.dumps({"annotations": [], "images": []}), "names no category (captions have none); an instances file is needed"),
    ],
)
def test_a_wrong_file_is_one_line(project: Path, tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "f.json"
    path.write_text(text)
    ran = concord(project, "import", "cooccurrence", path)
    assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith("import cooccurrence: ")
    assert why in ran.err
    assert "there is no such file" in concord(project, "import", "cooccurrence", tmp_path / "none.json").err
    assert "must not hold '/'" in concord(project, "import", "cooccurrence", path, "--name", "a/b").err


def test_what_is_left_out_is_told_and_the_rest_is_in(project: Path, tmp_path: Path) -> None:
    path = instances(tmp_path / "f.json", {1: [0, 1], 2: [77]}, CATEGORIES)
    ran = concord(project, "import", "cooccurrence", path)
    assert ran.status == 1
    assert "f: 1 pair of 5 classes together in 1 image" in ran.out
    assert "left out: annotations of category 77, which is not among the categories" in ran.err


# ---- the picture
@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Images of person, bicycle, car and bus in relations: of each pair as many show both as stands here."""
    path = tmp_path_factory.mktemp("together")
    with Store(path / "project") as opened:
        _see(opened)
    held = dict(enumerate([[0, 1]] * 50 + [[0, 2]] * 5 + [[1, 2]] * 20 + [[4]] * 25))
    done(path / "project", "import", "cooccurrence", instances(path / "val & <b>.json", held, CATEGORIES))
    with Store(path / "project") as opened:
        yield opened


FOUND = {
    ("person", "bicycle"): 6,
    ("person", "car"): 2,
    ("person", "bus"): 1,
    ("bicycle", "car"): 5,
    ("bicycle", "airplane"): 3,
}
"""How many of a pair's eight images show both objects; the first half of them as asked."""


def _see(store: Store) -> None:
    prompts = [sr2d_suite.numbered_prompt(sr2d_suite.prompt_number(*pair, relation)) for pair in FOUND for relation in OPPOSITE]
    images = [Image(prompt.prompt_id, name, 0) for prompt in prompts for name in ("g", "h")]
    requested = {prompt.prompt_id: prompt for prompt in prompts}
    items = [image_item(image, requested[image.prompt_id]) for image in images]
    apply(store, [ImportBundle("images", "x", "x", prompts=prompts, images=images, items=items)])
    seen, count = [], dict.fromkeys(FOUND, 0)
    for image in images:
        prompt = requested[image.prompt_id]
        pair = (prompt.spec["a"], prompt.spec["b"])
        count[pair] += 1
        first, second = (0.0, 50.0) if prompt.spec["relation"] in ("left", "above") else (50.0, 0.0)
        if 2 * count[pair] > FOUND[pair]:
            first, second = second, first
        boxes = [(first, first, first + 9, first + 9), (second, second, second + 9, second + 9)]
        names = pair if count[pair] <= FOUND[pair] else pair[:1]
        detections = tuple(Detection(name, 0.9, box) for name, box in zip(names, boxes, strict=False))
        seen.append((prompt, Observation(image.image_id, {}, detections)))
    drawn_images._ingest(store, scorer.SCORER, "visor-x", {"keep": 0.05, "threshold": 0.1}, seen)


def failures_part(store: Store, suite: str, rater: str, picture: str, generator: str = "") -> Drawing:
    return failures_picture(store, Scope(suite, generator=(generator,) if generator else ()), rater, picture)


def test_rho_is_that_of_scipy_over_the_pairs_that_the_file_knows(store: Store) -> None:
    made = failures_part(store, *WHERE)
    # person and bus: both are classes of the file, never together; of an airplane it knows nothing
    at = {("person", "bicycle"): 0.5, ("bicycle", "car"): 0.2, ("person", "car"): 0.05, ("person", "bus"): 0.0}
    expected = stats.spearmanr([*at.values()], [FOUND[pair] / 8 for pair in at]).statistic
    assert expected == pytest.approx(1)
    assert re.search(r"Both objects are found (more|neither).*Spearman’s rho 1\.00, 4 pairs", text_of(rendered(made.lead)))
    held = stats.spearmanr([*at.values()], [(FOUND[pair] // 2) / FOUND[pair] for pair in at]).statistic
    assert f"Spearman’s rho {held:.2f}" in text_of(rendered(made.lead))
    assert "Never together: 1 pair, which stand apart, at 0" in text_of(rendered([made.numbers, made.notes]))
    assert "lacks a class of theirs: 1 pair." in text_of(rendered([made.numbers, made.notes]))
    first = rendered(made.figure).partition("</figure>")[0]
    places = [(float(x), -float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', first)]
    assert len(places) == 4
    # the pair that is together most often stands furthest to the right, and the one that never is furthest to the left
    heights = [y for _, y in sorted(places)]
    assert heights == sorted(heights)


def test_a_mark_says_and_opens_its_images(store: Store) -> None:
    made = failures_part(store, *WHERE)
    marks = {
        note.partition("\n")[0]: (href, note)
        for href, note in re.findall(r'<a href="([^"]*)" aria-label="([^"]*)"', rendered(made.figure))
    }
    _, held = marks["bicycle and person, both found, as asked"]
    assert "50 %" in held.replace("\u00a0", " ")
    assert "3 of 6 images" in held
    href, _ = marks["bicycle and person, both found"]
    assert "asked=bicycle+and+person&amp;found=both+found" in href
    # the file's name is one that a browser would read
    assert "<b>" not in rendered(made.lead) + rendered([made.numbers, made.notes]) + rendered(made.figure)
    assert "val &amp; &lt;b&gt;" in rendered(made.lead)


def test_one_generator_has_a_row_of_its_own(store: Store) -> None:
    every, alone = failures_part(store, *WHERE), failures_part(store, *WHERE, "g")
    assert re.findall(r'<th scope="row">(g|h|all generators)</th>', rendered([every.numbers, every.notes])) == [
        "g",
        "h",
        "all generators",
    ]
    assert re.findall(r'<th scope="row">(g|h|all generators)</th>', rendered([alone.numbers, alone.notes])) == ["g"]
    assert "generator=g" in rendered([alone.numbers, alone.notes])


def test_without_a_table_the_command_is_taught_and_another_file_is_drawn_at_once(tmp_path: Path) -> None:
    project = tmp_path / "project"
    with Store(project) as opened:
        _see(opened)
        empty = failures_part(opened, *WHERE)
        assert empty.figure is None
        assert "not known in this project yet" in rendered(empty.lead)
        assert "uv run app.py import cooccurrence instances_train2017.json --project" in rendered([empty.numbers, empty.notes])
    animals = [{"id": 7, "name": "zebra"}, {"id": 8, "name": "cow"}]
    done(project, "import", "cooccurrence", instances(tmp_path / "zebras.json", {1: [7, 8]}, animals))
    with Store(project) as opened:
        strange = failures_part(opened, *WHERE)
        assert strange.figure is None
        assert "None of the 5 pairs of classes asked for is among those that zebras names." in text_of(rendered(strange.lead))
        assert "–" in rendered([strange.numbers, strange.notes])
    done(project, "import", "cooccurrence", instances(tmp_path / "same.json", {1: [0, 1, 2, 3]}, CATEGORIES))
    with Store(project) as opened:
        same = failures_part(opened, *WHERE)
        assert same.figure is not None
        assert "Both objects found: no correlation with co-occurrence, as co-occurrence is constant." in text_of(
            rendered(same.lead)
        )


# ---- the axis and the figure
def test_a_share_of_none_has_a_place_of_its_own() -> None:
    shares = [0.1, 0.001, 0.0, 0.0, 1.0]
    axis = LogAxis.of(shares)
    places = axis.positions(shares)
    assert [places[0], places[1], places[4]] == pytest.approx([-1, -3, 0])
    low, high = axis.left, axis.right
    assert low < places[2] < places[3] < axis.split < places[1]
    assert places[4] < high
    ticks = {text: place for place, text in axis.ticks()}
    assert ticks["1\u00a0%"] == pytest.approx(-2)
    assert ticks["0"] < axis.split
    assert "0" not in [text for _, text in LogAxis.of([0.1, 0.2]).ticks()]


@pytest.mark.parametrize("shares", [[0.0, 0.0], [0.5], [1e-6, 1e-6], [0.2, 0.21], [1e-7, 1.0], [0.0, 1.0]])
def test_an_axis_has_a_few_ticks_and_holds_all_marks(shares: list[float]) -> None:
    axis = LogAxis.of(shares)
    low, high = axis.left, axis.right
    assert all(low < position < high for position in axis.positions(shares))
    ticks = [place for place, _ in axis.ticks()]
    assert 1 <= len(ticks) <= 8
    assert all(low <= tick <= high for tick in ticks)


def test_each_mark_of_a_cloud_is_a_link() -> None:
    mark = Mark(0.5, 0.2, 0.7, "<b>\nmore", "/studio/images?x=a%26b")
    text = rendered(scatter([0.1, 0.0], [Series("one", [mark, mark]), Series("two", [mark, Mark(None)])], "x"))
    assert text.count('<a href="/studio/images?x=a%26b"') == 3
    assert "<b>" not in text
