"""Scorers by name, their settings, and that asking for them loads no model."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from data.aspects import SCALES
from scorers import registry
from scorers.base import Scorer
from scorers.models import files
from scorers.registry import UnknownScorer, get, settings

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def geneval(tmp_path: Path) -> Scorer:
    """With models that are two folders of a few bytes."""
    scorer = get("geneval")
    paths = {}
    for key in scorer.models:
        (tmp_path / key).mkdir()
        (tmp_path / key / "some.safetensors").write_bytes(key.encode())
        paths[key] = str(tmp_path / key)
    return replace(scorer, profiles={"playground": {**scorer.profiles["playground"], **paths}})


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_scorer_is_what_it_is_called(name: str) -> None:
    scorer = get(name)
    assert scorer.name == name
    assert scorer.summary.endswith(".")
    for profile in scorer.profiles.values():
        assert scorer.judging <= {*profile, *scorer.options}
        assert scorer.models <= set(profile)
        scorer.check(profile)
    # one scale for an aspect, whoever judges it
    assert {aspect: SCALES[aspect] for aspect in scorer.scales} == dict(scorer.scales)


def test_an_unknown_scorer_is_met_with_a_guess() -> None:
    with pytest.raises(UnknownScorer, match=r"there is no scorer 'genval'; did you mean geneval\?"):
        get("genval")
    with pytest.raises(
        UnknownScorer,
        match=r"'xyz'; known: caption, clipmatch, clipscore, .*, judge, pairwise, rubric, selfeval, tifa, visor, vqascore$",
    ):
        get("xyz")
    with pytest.raises(UnknownScorer):
        get("base")


def test_settings_are_the_profiles(geneval: Scorer) -> None:
    results = settings(geneval, "playground")
    weights = results.pop("weights")
    assert results == geneval.profiles["playground"]
    assert weights == {key: hashlib.sha256(key.encode()).hexdigest()[:12] for key in ("clip", "detector")}


def test_values_take_the_kind_of_the_profiles(geneval: Scorer) -> None:
    results = settings(geneval, "playground", {"threshold": "0.4", "max_objects": "8", "counting_threshold": "1"})
    assert (results["threshold"], results["max_objects"], results["counting_threshold"]) == (0.4, 8, 1.0)
    assert isinstance(results["counting_threshold"], float)
    assert geneval.profiles["playground"]["threshold"] != 0.4 or geneval.profiles["playground"]["max_objects"] != 8


@pytest.mark.parametrize(
    ("profile", "overrides", "message"),
    [
        ("playgruond", {}, r"geneval has no profile 'playgruond'; did you mean playground\?"),
        ("playground", {"treshold": "0.4"}, r"geneval has no setting 'treshold'; did you mean threshold\?"),
        ("playground", {"weights": "x"}, "geneval has no setting 'weights'"),
        ("playground", {"threshold": "high"}, "threshold must be a number, got 'high'"),
        ("playground", {"threshold": "nan"}, "threshold must be a finite number, got 'nan'"),
        ("playground", {"threshold": "1.5"}, "threshold must be from 0 to 1, got 1.5"),
        ("playground", {"max_objects": "2.5"}, "max_objects must be a whole number, got '2.5'"),
        ("playground", {"max_objects": "0"}, "max_objects must be at least 1"),
        ("playground", {"keep": "0.95"}, "keep must be from 0 to the lowest threshold"),
        ("playground", {"detector_side": "100"}, "detector_side must be a multiple of 32, got 100"),
        ("playground", {"detector": "assets/none"}, "there is no folder assets/none with a model's weights"),
    ],
)
def test_senseless_settings_are_refused(geneval: Scorer, profile: str, overrides: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        settings(geneval, profile, overrides)


def test_other_weights_have_another_fingerprint(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"one")
    first = files.fingerprint(str(tmp_path))
    path.write_bytes(b"two")
    assert files.fingerprint(str(tmp_path)) != first
    path.unlink()
    with pytest.raises(ValueError, match="holds no weights"):
        files.fingerprint(str(tmp_path))


def test_names_are_known_without_numpy_and_judging_needs_no_torch() -> None:
    code = """
import sys
from scorers import registry
heavy = [name for name in ("numpy", "PIL", "pyarrow", "torch") if name in sys.modules]
for name in registry.NAMES:
    registry.get(name)
print(heavy, [name for name in ("torch", "ultralytics", "open_clip", "transformers") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "[] []\n", done.stderr
