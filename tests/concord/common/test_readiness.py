"""Readiness of scorers: one function, in all its states, and the command that shows it."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from concord.common import machine, readiness
from concord.common.readiness import Readiness
from data.store.library import PromptInputs
from scorers import registry
from scorers.models import downloads, files
from tests.ui.small_project import concord, done, geneval_folder

BOTH = PromptInputs(10, 10, 10)
BARE = PromptInputs(10, 0, 0)


def of(scorer: str, profile: str, inputs: PromptInputs | None = BOTH, *, gpu: bool = False) -> Readiness:
    return readiness.readiness(registry.get(scorer), profile, inputs, gpu=gpu)


@pytest.fixture(autouse=True)
def nothing_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has the models that come with Concord, and no others."""
    monkeypatch.setattr(machine, "is_available", lambda model: files.folder(model) is not None)


@pytest.mark.parametrize(
    ("scorer", "profile", "inputs", "text"),
    [
        ("geneval", "playground", BOTH, "ready"),
        ("geneval", "playground", None, "ready"),
        ("geneval", "playground", BARE, "needs specs"),
        ("visor", "playground", PromptInputs(3, 0, 3), "needs specs"),
        ("tifa", "playground", PromptInputs(3, 3, 0), "needs questions"),
        ("clipscore", "playground", BARE, "ready"),
        ("visor", "paper", BOTH, "613 MB to download"),
        ("geneval", "mask2former-meta", BOTH, "1,987 MB to download, slow without a GPU"),
        ("geneval", "fast", BOTH, "650 MB to download (AGPL-3.0: Ultralytics' package and weights)"),
        ("visor", "fast", BARE, "needs specs, 45 MB to download (AGPL-3.0: Ultralytics' package and weights)"),
        ("selfeval", "sdxl", BOTH, "13,880 MB to download, slow without a GPU"),
        ("selfeval", "if", BOTH, "download of unknown size, slow without a GPU"),
        ("clipmatch", "paper", BARE, "needs specs, 1,711 MB to download, slow without a GPU"),
        ("pairwise", "qwen", BARE, "needs pairs, 4,260 MB to download, slow without a GPU"),
        ("judge", "endpoint", BOTH, "ready"),
    ],
)
def test_every_state_is_said_in_words(scorer: str, profile: str, inputs: PromptInputs | None, text: str) -> None:
    assert of(scorer, profile, inputs).text == text


def test_a_gpu_makes_large_models_quick_and_what_is_there_needs_no_download(monkeypatch: pytest.MonkeyPatch) -> None:
    assert of("geneval", "mask2former-meta", gpu=True).needs == ("download",)
    monkeypatch.setattr(machine, "is_available", lambda _: True)
    slow = of("geneval", "mask2former-meta")
    assert (slow.needs, slow.can_run, slow.megabytes) == (("gpu",), True, None)
    assert of("geneval", "fast").needs == ()


def test_missing_packages_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "find_spec", lambda name: None if name == "ultralytics" else find_spec(name))
    fast = of("geneval", "fast", BARE)
    assert fast.needs == ("packages", "specs", "download")
    assert (fast.can_run, "--group yolo" in fast.todo) == (False, True)
    assert of("geneval", "playground").needs == ()


def test_doctor_shows_the_readiness_of_each_scorer_in_this_project(tmp_path: Path) -> None:
    def found(project: Path) -> dict[str, Any]:
        ran = concord(project, "doctor", "--only", "scorers", "--format", "json")
        return {finding["text"].partition(":")[0]: finding for finding in json.loads(ran.out)}

    empty, project = tmp_path / "empty", tmp_path / "project"
    done(project, "import", "images", geneval_folder(tmp_path / "i"), "--layout", "geneval", "--generator", "g")
    scorers = found(project)
    assert set(scorers) == set(registry.NAMES)
    assert scorers["geneval"]["text"].startswith("geneval: playground ready; paper 1,987 MB to download")
    assert downloads.ULTRALYTICS in scorers["geneval"]["text"]
    assert "tifa: playground needs questions" in scorers["tifa"]["text"]
    assert scorers["tifa"]["todo"] == "for playground: import questions --from-specs"
    # without a project only the machine counts
    assert "tifa: playground ready" in found(empty)["tifa"]["text"]
