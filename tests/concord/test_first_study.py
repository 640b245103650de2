"""The walk of the README: a folder of pictures with a CSV of prompts, scored, labelled, and reported on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from data.store.core.store import Store
from tests.ui import small_project
from tests.ui.http_visitor import TOKEN
from tests.ui.small_project import agreement, concord, done
from ui.web.server import create_app

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def pictures(folder: Path) -> Path:
    """Three pictures and the README's kind of table."""
    for n, color in enumerate(("red", "blue", "white")):
        small_project.png(folder / f"{n}.png", color, (64, 64))
    (folder / "images.csv").write_text("path,prompt\n0.png,a red cup left of a blue plate\n1.png,two dogs\n2.png,two dogs\n")
    return folder


def _steps() -> list[list[str]]:
    """The commands of the walk as the README has them, without the project and the downloaded model."""
    walk = README.partition("## Five minutes")[2].partition("\n## ")[0]
    lines = re.findall(r"^ *uv run app\.py ([^\n]+)", walk, re.MULTILINE)
    return [line.replace("--project projects/mine", "").replace("--profile paper", "").split() for line in lines]


def test_the_readmes_walk(tmp_path: Path) -> None:
    project, folder = tmp_path / "mine", pictures(tmp_path / "pictures")
    report = tmp_path / "report.html"
    parts = []
    for words in _steps():
        values = [{"FOLDER": str(folder), "report.html": str(report)}.get(word, word) for word in words]
        if words[0] == "agreement":
            _label(project)
        parts.append((words[0], done(project, *values)))
    assert [name for name, _ in parts] == ["import", "score", "agreement", "estimate", "export"]
    assert "3 images of 2 prompts" in parts[0][1]
    assert parts[1][1] == "3 images judged by clipscore-playground\n"
    assert {row["statistic"] for row in agreement(project)["raters"]} >= {"spearman"}
    assert report.stat().st_size > 10_000


def _label(project: Path) -> None:
    """Somebody says whether each image shows its prompt."""
    with (
        Store(project) as store,
        TestClient(create_app(store, TOKEN, pages=False), base_url="http://localhost", client=("127.0.0.1", 1)) as client,
    ):
        client.post("/api/name", json={"name": "ada"}).raise_for_status()
        for n in range(3):
            task = client.get("/api/next").json()["tasks"][0]
            answers = {"correct": ("yes", "no", "yes")[n]}
            body = {"id": f"00000000-0000-4000-8000-00000000000{n}", "ticket": task["ticket"], "answers": answers}
            answer = client.post("/api/submit", json=body)
            assert answer.status_code == 200, answer.text


def test_models_that_are_not_here_are_named_before_anything_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "nothing"))
    project, folder = tmp_path / "mine", pictures(tmp_path / "pictures")
    done(project, "import", "images", folder, "--layout", "csv", "--generator", "mine")
    ran = concord(project, "score", "clipscore", "--profile", "paper")
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert "missing (clipscore); uv run hf download timm/vit_base_patch32_clip_224.openai" in ran.err


def test_before_anybody_has_labelled_the_next_step_is_told(tmp_path: Path) -> None:
    project, folder = tmp_path / "mine", pictures(tmp_path / "pictures")
    done(project, "import", "images", folder, "--layout", "csv", "--generator", "mine")
    ran = concord(project, "agreement")
    assert ran.status == 0
    assert ran.out.endswith("score the images, label them (uv run app.py serve), or import ratings.\n")


def test_a_scorer_that_checks_specs_says_that_there_are_none(tmp_path: Path) -> None:
    project, folder = tmp_path / "mine", pictures(tmp_path / "pictures")
    done(project, "import", "images", folder, "--layout", "csv", "--generator", "mine")
    ran = concord(project, "score", "geneval")
    assert ran.status == 1
    assert "run " not in ran.err
    assert "the prompts of 3 images do not say in a spec what must be there, so geneval has nothing to check" in ran.err
    # and of prompts with specs nothing is said
    made = small_project.geneval_folder(tmp_path / "made", 1)
    done(project, "import", "images", made, "--layout", "geneval", "--generator", "theirs")
    assert "in a spec" not in concord(project, "score", "geneval", "--generator", "theirs", "--limit", "1").err
