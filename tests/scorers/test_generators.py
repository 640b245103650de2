"""The playground's generators: found by name, opened offline, and a picture depends on its text and seed alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from scorers import generators

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers", reason="the group scorers is not installed")

from data.pictures import Job, JobFolder, Wanted  # noqa: E402
from scorers.models.autoencoder import PlaygroundAutoencoder  # noqa: E402
from scorers.models.generator import build_scheduler, build_text_encoder, build_transformer  # noqa: E402
from scorers.training.captions import words  # noqa: E402
from scorers.training.clip import write_tokenizer  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real architectures with random weights, saved as the trained ones are."""
    folder = tmp_path_factory.mktemp("generator")
    torch.manual_seed(0)
    (folder / "tokenizer").mkdir()
    write_tokenizer(folder / "tokenizer")
    build_scheduler().save_pretrained(folder / "scheduler")
    PlaygroundAutoencoder().half().save_pretrained(folder / "autoencoder")
    build_transformer().half().save_pretrained(folder / "late" / "transformer")
    build_text_encoder(len(words()) + 4).half().save_pretrained(folder / "late" / "text_encoder")
    return folder


def test_an_unknown_name_is_answered_with_the_one_that_was_meant() -> None:
    with pytest.raises(generators.UnknownGenerator, match="did you mean playground-late"):
        generators.load("playground-lat")


def test_missing_weights_are_an_os_error(untrained: Path) -> None:
    with pytest.raises(OSError, match="early"):
        generators.load("playground-early", untrained)


def test_a_picture_depends_on_its_text_and_seed_alone(untrained: Path) -> None:
    paint = generators.load("playground-late", untrained)
    one, two = paint(["a photo of a cup", "a photo of two cars"], [1, 2])
    (alone,) = paint(["a photo of two cars"], [2])
    (other_seed,) = paint(["a photo of two cars"], [3])
    assert one.size == (128, 128)
    assert np.abs(np.asarray(two, float) - np.asarray(alone, float)).max() <= 1, "rounding apart"
    assert (np.asarray(other_seed) != np.asarray(alone)).mean() > 0.5


def test_the_worker_paints_what_is_missing_and_leaves_the_rest(tmp_path: Path) -> None:
    there = tmp_path / "a.png"
    there.write_bytes(b"painted before")
    wanted = [Wanted("s/0", 0, "a photo of a cup", 1, str(there))]
    wanted += [Wanted("s/0", k, "a photo of a cup", k, str(tmp_path / "new" / f"{k}.png")) for k in (1, 2, 3)]
    folder = JobFolder(tmp_path / "job")
    folder.create(Job("playground-late", tuple(wanted), 2))
    done = subprocess.run(
        [sys.executable, "-m", "scorers.painting", str(folder.path)], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert there.read_bytes() == b"painted before"
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["1.png", "2.png", "3.png"]
    told = folder.progress()
    assert told is not None
    assert (told.state, told.done, told.total) == ("done", 4, 4)


def test_a_job_that_cannot_be_done_says_why(tmp_path: Path) -> None:
    folder = JobFolder(tmp_path / "job")
    folder.create(Job("sd-9", (Wanted("s/0", 0, "a cup", 1, str(tmp_path / "a.png")),), 2))
    done = subprocess.run(
        [sys.executable, "-m", "scorers.painting", str(folder.path)], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 1
    assert "there is no generator 'sd-9'" in done.stderr
    told = folder.progress()
    assert told is not None
    assert told.state == "failed"
    assert "sd-9" in (told.error or "")
