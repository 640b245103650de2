"""``generate`` from the command line: pictures painted, brought in, gone on with, refused and stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("diffusers", reason="the group scorers is not installed")

from data.images import read_image_file
from tests.ui.making import concord, done, query
from ui.commands import generate

ROOT = Path(__file__).resolve().parents[2]
EARLY = ("generate", "playground", "--generator", "playground-early", "--task", "colors")
IMAGES = "select image_id from images where generator = 'playground-early' order by image_id"


def test_pictures_are_painted_brought_in_and_not_painted_again(project: Path) -> None:
    said = done(project, *EARLY, "--n", 2, "--limit", 1)
    assert "2 pictures of 1 prompts by playground-early" in said
    first = query(project, IMAGES)
    assert len(first) == 2
    files = sorted((project / "images" / "playground-early").iterdir())
    before = [path.read_bytes() for path in files]
    assert [(read_image_file(path).width, read_image_file(path).height) for path in files] == [(128, 128)] * 2
    assert "nothing to do" in done(project, *EARLY, "--n", 2, "--limit", 1)
    done(project, *EARLY, "--n", 3, "--limit", 1)
    assert len(query(project, IMAGES)) == 3
    assert [path.read_bytes() for path in files] == before, "what was there stays"


def test_a_picture_has_a_seed_of_its_own_whatever_the_batch(project: Path, tmp_path: Path) -> None:
    done(project, *EARLY, "--n", 2, "--limit", 1, "--batch-size", 2)
    other = tmp_path / "other"
    done(other, *EARLY, "--n", 2, "--limit", 1, "--batch-size", 1)
    one, two = ([path.stat().st_size for path in sorted((p / "images").glob("*/*"))] for p in (project, other))
    assert len(one) == len(two) == 2
    assert one[0] != one[1]
    assert all(abs(a - b) < 200 for a, b in zip(one, two, strict=True)), "rounding apart"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("playground", "--generator", "playground-lat"), "did you mean playground-late"),
        (("nowhere", "--generator", "playground-late"), "has no suite 'nowhere'"),
        (("playground", "--generator", "playground-late", "--task", "colour"), "no prompt of task colour"),
    ],
)
def test_what_cannot_be_painted_is_refused_in_one_line(project: Path, words: tuple[str, ...], said: str) -> None:
    ran = concord(project, "generate", *words)
    assert ran.status == 1
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not (project / "images").exists()


def test_what_was_painted_before_a_stop_is_used(project: Path) -> None:
    command = [sys.executable, str(ROOT / "app.py"), *EARLY, "--n", "4", "--limit", "20", "--batch-size", "1"]
    painting = subprocess.Popen(
        [*command, "--project", str(project)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    home = project / "images" / "playground-early"
    deadline = time.monotonic() + 120
    while not (home.is_dir() and sum(not path.name.startswith(".") for path in home.iterdir()) >= 2):
        assert painting.poll() is None, painting.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    painting.send_signal(signal.SIGTERM)
    out, err = painting.communicate(timeout=60)
    assert painting.returncode == 1, err
    assert "were not painted: the worker was stopped. The same command goes on from here" in err
    painted = [path for path in home.iterdir() if not path.name.startswith(".")]
    assert len(query(project, IMAGES)) == len(painted) >= 2
    assert f"{len(painted)} pictures of" in out
    assert not _still_painting(project)


def _still_painting(project: Path) -> list[str]:
    told = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it may have ended meanwhile
            told.append(path.read_bytes().decode(errors="replace"))
    return [one for one in told if "scorers.painting" in one and str(project) in one]


@pytest.mark.parametrize(
    ("name", "file"),
    [("playground/00001", "playground_00001"), ("a b", "a_b_"), ("../../etc", "etc_"), ("é" * 300, "_"), ("a_b", "a_b_")],
)
def test_a_name_becomes_a_file_name_of_its_own(name: str, file: str) -> None:
    made = generate.safe(name)
    assert made.startswith(file)
    assert "/" not in made
    assert len(made.encode()) < 120
