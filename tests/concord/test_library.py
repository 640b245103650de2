"""``concord`` as a library: tables and numbers as the commands have them, with and without the app."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

import concord
import concord.library
from concord.library import Project, ProjectError
from data.store.core.store import Store, StoreBusy
from tests.ui.small_project import done


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two images, a metric and two people."""
    folder = tmp_path / "images"
    folder.mkdir()
    for k, name in enumerate(("a.png", "b.png")):
        Image.new("RGB", (8, 8), (40 * k, 0, 0)).save(folder / name)
    (folder / "images.csv").write_text("path,prompt\na.png,a red cup\nb.png,two dogs\n")
    made = concord.create(tmp_path / "project")
    assert "2 images" in made.add_images(folder, generator="mine", suite="s")
    rated = pd.DataFrame({"image": ["a.png", "b.png"] * 2, "who": ["ann", "ann", "ben", "ben"], "stars": [1, 5, 2, 5]})
    made.add_ratings(rated, aspect="quality", scale="ordinal:1-5", suite="s", item="image", rater="who", value="stars")
    made.add_scores(pd.DataFrame({"item": ["a.png", "b.png"], "value": [0.1, 0.7]}), rater="metric", suite="s")
    return made


def test_public_are_the_names_of_the_guide() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "library.md").read_text(encoding="utf-8")
    own = {
        name
        for name, value in vars(concord.library).items()
        if not name.startswith("_") and getattr(value, "__module__", "") == "concord.library"
    }
    assert own | {"Filter"} == set(concord.library.__all__) == set(concord.__all__)
    methods = {name for name in vars(Project) if not name.startswith("_")}
    assert methods == set(re.findall(r"^### (\w+)$", guide, re.MULTILINE))
    assert {name for name in concord.__all__ if not re.search(rf"\b{name}\b", guide)} == set()
    assert all(getattr(concord, name) is getattr(concord.library, name) for name in concord.__all__)


def test_tables_have_one_row_a_thing(project: Project) -> None:
    assert project.prompts()["text"].tolist() == ["a red cup", "two dogs"]
    assert [Path(path).name for path in project.images(suite="s")["path"]] == ["a.png", "b.png"]
    ratings = project.ratings(aspect="quality")
    assert ratings[ratings["kind"] == "human"][["rater", "value"]].to_numpy().tolist() == [
        ["ann", "1"], ["ann", "5"], ["ben", "2"], ["ben", "5"],
    ]  # fmt: skip
    assert ratings["sha256"].notna().all()
    assert project.scores()[["rater", "value"]].to_numpy().tolist() == [["metric", 0.1], ["metric", 0.7]]
    assert len(project.judgements()) == 6


def test_a_column_that_is_not_there_is_named_with_what_to_do(tmp_path: Path) -> None:
    table = pd.DataFrame({"item": ["a"], "rater": ["ann"], "score": [3]})
    said = r"the table has no column 'value'; it has item, rater, score. Name the one to read: value=\"...\""
    with pytest.raises(ProjectError, match=said):
        concord.create(tmp_path / "project").add_ratings(table, aspect="fit", scale="ordinal:1-5", suite="s", new_items=True)


def test_ratings_of_ones_own_with_prompts_gaps_and_repeats(tmp_path: Path) -> None:
    project = concord.create(tmp_path / "project")
    table = pd.DataFrame(
        {
            "item": ["a", "a", "b", "b", "a", "b"],
            "rater": ["x", "y", "x", "y", "x", "z"],
            # a column of numbers, texts and gaps, as readers of lists make it
            "value": [1, "2", 3, None, 4, "-1"],
            "about": ["p1", "p1", "p2", "p2", "p1", "p2"],
            "model": ["m"] * 6,
        }
    )
    ratings = project.add_ratings(
        table, aspect="fit", scale="ordinal:1-5", suite="s", new_items=True, prompt="about", generator="model", missing=["-1"]
    )
    assert "2 left out: 1 without a value, 1 with '-1'" in ratings
    assert "1 repeat (1 of them differ): a rater's first rating of an item counts" in ratings
    wrong = table.assign(value=[9, *table["value"][1:]])
    with pytest.raises(ProjectError, match=r"ratings of s, row 1: value is '9.*' \(item 'a', rater 'x'\): the scale"):
        project.add_ratings(wrong, aspect="fit", scale="ordinal:1-5", suite="s", missing=["-1"])
    counted = project.ratings()[["item", "rater", "value", "prompt", "generator"]].to_numpy().tolist()
    assert counted == [["a", "x", "1", "s/p1", "m"], ["a", "y", "2", "s/p1", "m"], ["b", "x", "3", "s/p2", "m"]]


def test_agreement_is_what_the_command_prints(project: Project) -> None:
    agreement = project.agreement(aspect="quality")
    printed = json.loads(done(project.folder, "agreement", "--aspect", "quality", "--format", "json"))
    for name in ("among_people", "raters", "matrix"):
        assert json.loads(getattr(agreement, name).to_json(orient="records")) == json.loads(
            pd.DataFrame(printed[name]).to_json(orient="records")
        )
    assert not agreement.among_people.empty


def test_an_open_app_answers_the_same_calls(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    from concord import commands
    from concord.common import forwarding
    from concord.common.context import Context

    before = project.ratings()
    with Store(project.folder) as store:

        def send(_: object, name: str, parameters: dict[str, object], out: object, err: object) -> int:
            sent = json.loads(json.dumps(parameters))
            return commands.run(Context(store, Path.cwd(), out, err), name, sent)  # type: ignore[arg-type]

        def open_elsewhere(folder: Path) -> Store:
            raise StoreBusy(f"{folder} is open in another process")

        monkeypatch.setattr(concord.library, "Store", open_elsewhere)
        with pytest.raises(ProjectError, match="is open in another process"):
            project.ratings()
        monkeypatch.setattr(forwarding, "living", lambda _: None)
        monkeypatch.setattr(forwarding, "running", lambda _: object())
        monkeypatch.setattr(forwarding, "send", send)
        pd.testing.assert_frame_equal(project.ratings(), before)
        assert project.agreement(aspect="quality", intervals=False).among_people.shape[0] > 0
        assert "undone" in project.undo(3)
        assert project.scores().empty


def test_what_cannot_be_done_is_one_line(project: Project, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ProjectError, match="no filter 'suit'; did you mean suite"):
        project.images(suit="s")
    with pytest.raises(ProjectError, match="there is no such folder"):
        project.add_images(tmp_path / "none", generator="g")
    with pytest.raises(ProjectError, match=r"concord\.create makes a new project"):
        concord.open(tmp_path / "none")
    with pytest.raises(ProjectError, match="--suite other: there is no suite of that name in this project; known: s"):
        project.images(suite="other")
    assert project.images(generator="other").empty
    assert "--generator other: there is nothing by that name in this project; " in capsys.readouterr().err


@pytest.mark.slow
def test_the_notebook_leads_from_images_to_a_report(tmp_path: Path) -> None:
    """``docs/first_study.py``, as it stands in the docs: the playground's CLIP, people's ratings, agreement, a report."""
    root = Path(concord.__file__).parents[1]
    ran = subprocess.run(
        [sys.executable, str(root / "docs" / "first_study.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    assert "12 images judged by clipscore-playground" in ran.stdout
    assert "krippendorff_alpha_nominal" in ran.stdout
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "clipscore-playground" in report
