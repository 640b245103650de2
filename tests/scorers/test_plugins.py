"""Scorers of the user's own, with the very example that docs/scorer.md gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from concord import plugin
from concord.plugin import ObjectSpec, Seen, Shown, Spec
from data.store.browse.contents import filter_choices
from data.store.core.store import Store
from scorers import registry
from tests.ui.small_project import concord, done, tables

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "scorer.md"


def example() -> str:
    (value,) = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "scorers of mine"
    made.mkdir()
    (made / "tint.py").write_text(example())
    monkeypatch.setenv(registry.PLUGIN_FOLDER_VARIABLE, str(made))
    return made


def judged(project: Path) -> list[tuple[Any, ...]]:
    """Aspect, label and value of what the example has judged."""
    rows = [row for row in tables(project)["judgements"] if row[1] == "tint"]
    return sorted((row[0], row[2], row[4], row[5]) for row in rows)


def test_the_example_has_30_lines_at_most() -> None:
    lines = [line for line in example().splitlines() if line.strip()]
    assert 20 < len([line for line in lines if not line.startswith(("import", "from"))]) <= 30
    assert "own_scorers/tint.py" in GUIDE.read_text(encoding="utf-8")
    assert "/own_scorers/" in (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert registry.PLUGIN_FOLDER == ROOT / "own_scorers"


@pytest.mark.slow
def test_the_example_scores_the_playground(folder: Path, tmp_path: Path) -> None:  # noqa: ARG001
    project = tmp_path / "small world"
    done(project, "import", "playground")
    said = done(project, "score", "tint", "--task", "colors")
    assert said == "84 images judged by tint\n"
    rows = judged(project)
    scores = [value for _, aspect, _, value in rows if aspect == "score"]
    labels = [label for _, aspect, label, _ in rows if aspect == "correct"]
    assert len(scores) == len(labels) > 20
    assert 0 <= min(scores) < 0.02 < max(scores) <= 1
    assert labels.count("yes") == sum(value > 0.02 for value in scores)
    # other settings are another rater, the same ones have nothing left to do, and a rebuild judges by the file
    done(project, "score", "tint", "--task", "colors", "--set", "threshold=0.2", "--limit", "4")
    assert "nothing to do" in done(project, "score", "tint", "--task", "colors")
    assert "judgements remade" in done(project, "rebuild")
    assert judged(project) == rows
    with Store(project) as store:
        assert {"tint", "tint[threshold=0.2]"} <= set(filter_choices(store).rater)


def test_the_example_sees_what_it_says(folder: Path) -> None:  # noqa: ARG001
    scorer = registry.get("tint")
    pixels = np.full((10, 10, 3), 255, np.uint8)
    pixels[:3] = (200, 60, 60)
    red = Spec((ObjectSpec("cup", "cup", color="red"),))
    shown = [Shown("a", Image.fromarray(pixels), "a red cup", red), Shown("b", Image.fromarray(pixels), "a cup", Spec())]
    seen = scorer.open({}, "cpu").perceive(shown)
    assert seen == [Seen("a", {"shares": {"red": 0.3}}), Seen("b", {"shares": {}})]
    verdict = scorer.judge(red, seen[0], {"threshold": 0.3})
    assert (verdict.correct, verdict.reason) == (False, "too little of a colour")
    assert scorer.judge(red, seen[0], {"threshold": 0.29}).correct is True
    assert scorer.judge(Spec(), seen[1], {"threshold": 0.29}).judgements == ()


def test_it_is_listed_beside_concords_own(folder: Path) -> None:
    assert registry.known() == (*registry.NAMES, "tint")
    # a name of Concord's stays Concord's, and what is no name is no scorer
    for name in ("geneval", "Not One", "a.b"):
        (folder / f"{name}.py").write_text("raise SystemExit")
    assert registry.known() == (*registry.NAMES, "tint")
    assert registry.get("geneval").name == "geneval"
    assert Path(str(sys.modules["scorers.geneval.scorer"].__file__)).parent.name == "geneval"
    with pytest.raises(registry.UnknownScorer, match="did you mean tint"):
        registry.get("tinte")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
        # as scorers did before there was concord.plugin
        ("from data.runs import Seen", "No module named 'data.runs'; a scorer of your own imports from concord.plugin"),
        ("SCORER = 1", "it must call its scorer SCORER"),
        ("def f(:", "SyntaxError"),
        (None, 'with name="broken" as the file is called'),
        ("scales", "scales: 'beauty' must be an aspect of concord.plugin.SCALES"),
        ("input", "input: 'question' is nothing that a scorer can judge; did you mean questions?"),
        ("flips", "flips: it must be concord.plugin.Flips(rejudges=True) or Flips(rejudges=False)"),
    ],
)
def test_one_that_does_not_work_is_left_out_and_says_why(folder: Path, tmp_path: Path, text: str | None, why: str) -> None:
    changes = {
        "scales": ("scales={name", 'scales={"beauty": "interval"} or {name'),
        "input": ("judge=judge,", 'judge=judge, input="question",'),
        "flips": ("judge=judge,", 'judge=judge, flips="read",'),
    }
    if text in changes:
        text = example().replace('name="tint"', 'name="broken"').replace(*changes[text])
    (folder / "broken.py").write_text(example() if text is None else text)
    assert registry.known() == (*registry.NAMES, "tint")
    ran = concord(tmp_path / "project", "score", "broken")
    assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith("score: the scorer 'broken' cannot be used: ")
    assert why in ran.err


def test_everything_it_needs_is_in_one_module(folder: Path) -> None:  # noqa: ARG001
    imports = [line for line in example().splitlines() if line.startswith(("import", "from"))]
    assert [line.split()[1] for line in imports] == ["numpy", "concord.plugin"]
    assert {name for name in plugin.__all__ if not hasattr(plugin, name)} == set()
    assert isinstance(registry.get("tint"), plugin.Scorer)


def test_no_folder_is_no_scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.PLUGIN_FOLDER_VARIABLE, str(tmp_path / "nowhere"))
    assert registry.known() == registry.NAMES


def test_listing_runs_no_code_of_theirs(folder: Path) -> None:
    (folder / "loud.py").write_text("print('run')")
    code = "from scorers import registry; print(registry.plugin_names(), registry.NAMES[0])"
    environment: dict[str, Any] = {**os.environ, registry.PLUGIN_FOLDER_VARIABLE: str(folder)}
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout == "['loud', 'tint'] geneval\n"
