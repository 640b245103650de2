"""What an empty page says to do next works when it is copied."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import app
from concord.common import next_steps
from data.records import Item
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle

GROUPS = (next_steps.IMAGES, next_steps.STUDIES, next_steps.RATINGS, next_steps.PROMPTS, next_steps.PLAYGROUND)
NEEDS_NO_FILE = (*next_steps.PROMPTS, *next_steps.PLAYGROUND)


def test_the_default_project_is_the_command_lines() -> None:
    assert next_steps.DEFAULT_PROJECT == app.PLAYGROUND


@pytest.mark.parametrize("name", ["plain", "with space", "`tick`", "$(id)"])
def test_commands_name_a_project_of_ones_own(tmp_path: Path, name: str) -> None:
    with Store(tmp_path / name) as store:
        lines = next_steps.command_lines(store, next_steps.STUDIES)
    assert lines
    for line in lines:
        assert shlex.split(line)[-2:] == ["--project", str(tmp_path / name)]


@pytest.mark.parametrize("line", [line for group in GROUPS for line in group])
def test_every_command_is_one_that_the_app_understands(tmp_path: Path, line: str) -> None:
    words = [*shlex.split(line), *(() if line in next_steps.PROMPTS else ("--project", str(tmp_path / "p")))]
    words = [str(tmp_path / word) if word.endswith("prompts.jsonl") else word for word in words]
    result = CliRunner().invoke(app.app, words)
    # 1: the example's files are not there; 2 would mean that the command line itself is wrong
    assert result.exit_code == (0 if line in NEEDS_NO_FILE else 1), result.output


def test_real_projects_are_not_sent_to_the_playground(tmp_path: Path) -> None:
    items = [Item(f"mine/{n}", "mine", None, None, generator) for n, generator in enumerate(("sdxl", "a b"))]
    with Store(tmp_path / "real") as store:
        assert next_steps.score_command(store, "clipscore") == ("score clipscore",)
        assert "import playground" in next_steps.how_to_score(store, "clipscore")
        imports.apply(store, [ImportBundle("ratings", "a", "0" * 64, items=items)])
        assert next_steps.score_command(store, "clipscore") == ("score clipscore --profile paper",)
        assert "playground" not in next_steps.how_to_score(store, "clipscore")
        assert next_steps.pair_campaign(store)[0].endswith("--generator 'a b' --generator sdxl")
    names = ("geneval-playground", "geneval-playground[threshold=0.5]", "clipscore-playground #2", "geneval-paper", "mine")
    assert [next_steps.is_unfit(name, "mine") for name in names] == [True, True, True, False, False]
    assert not next_steps.is_unfit(names[0], "playground")
    assert next_steps.about_unfit(["mine", "clipscore-playground"], "mine").startswith(
        "clipscore-playground uses the playground’s"
    )
    assert next_steps.about_unfit(names, "playground") == ""


def test_a_folders_name_cannot_leave_the_block(tmp_path: Path) -> None:
    with Store(tmp_path / "a\n`````\n# b") as store:
        block = next_steps.commands_block(store, next_steps.RATINGS)
    assert block.count("\n") == 2
