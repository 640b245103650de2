"""GenEval and CLIPScore from files to verdicts through the papers' architectures: hostile images, and models by hub id."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

for _package in ("torch", "open_clip", "transformers"):
    pytest.importorskip(_package, reason="the group scorers is not installed")

from data.jobs.runs import (  # noqa: E402
    Observation,
    Run,
    RunFolder,
    WorkItem,
)
from data.spec import parse_spec  # noqa: E402
from scorers import registry  # noqa: E402
from scorers.base import ModelBroken, Shown  # noqa: E402
from scorers.geneval import scorer  # noqa: E402
from scorers.models import sanity_check  # noqa: E402
from scorers.running import worker  # noqa: E402
from scorers.running.engines import device_worker  # noqa: E402
from tests.data.jobs.test_masks import unpacked  # noqa: E402
from tests.scorers import published_models  # noqa: E402
from tests.scorers.tiny_models import ROOT, picture  # noqa: E402

SPEC = {"tag": "colors", "include": [{"class": "banana", "count": 1, "color": "red"}]}


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("models")
    return {
        "detector": str(published_models.mask2former(folder / "mask2former")),
        "clip": str(published_models.clip(folder / "clip")),
        "detector_side": "64",
    }


def scene(width: int, height: int) -> Image.Image:
    return picture(3)[0].resize((width, height))


def bomb(path: Path) -> None:
    """A PNG of a few bytes that says it has 20,000 x 20,000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 100)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def turned(path: Path) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    scene(60, 40).save(path, exif=exif)


def animated(path: Path) -> None:
    scene(50, 30).save(path, save_all=True, append_images=[Image.new("RGB", (50, 30), "red")])


def sixteen(path: Path) -> None:
    Image.fromarray((np.arange(40 * 30, dtype=np.uint16) * 50).reshape(30, 40)).save(path)


def cut(path: Path) -> None:
    scene(200, 200).save(path)
    path.write_bytes(path.read_bytes()[:-3000])


def see_through(path: Path) -> None:
    image = scene(40, 40).convert("RGBA")
    image.putalpha(Image.new("L", (40, 40), 100))
    image.save(path)


GOOD: dict[str, tuple[Callable[[Path], object], tuple[int, int]]] = {
    "high.png": (lambda path: scene(30, 2000).save(path), (30, 2000)),
    "wide.png": (lambda path: scene(2000, 30).save(path), (2000, 30)),
    "dot.png": (lambda path: Image.new("RGB", (1, 1), "red").save(path), (1, 1)),
    "gray.png": (lambda path: scene(40, 50).convert("L").save(path), (40, 50)),
    "gray-alpha.png": (lambda path: scene(40, 50).convert("LA").save(path), (40, 50)),
    "rgba.png": (see_through, (40, 40)),
    "bilevel.png": (lambda path: scene(40, 50).convert("1").save(path), (40, 50)),
    "palette.gif": (lambda path: scene(40, 50).convert("P").save(path, transparency=0), (40, 50)),
    "turned.jpg": (turned, (40, 60)),
    "cmyk.jpg": (lambda path: scene(40, 50).convert("CMYK").save(path), (40, 50)),
    "sixteen.png": (sixteen, (40, 30)),
    "animated.gif": (animated, (50, 30)),
    "animated.webp": (animated, (50, 30)),
    "plain.png": (lambda path: scene(64, 64).save(path), (64, 64)),
}
BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut.png": (cut, "damaged or cut off"),
    "bomb.png": (bomb, "megapixels"),
    "large.png": (lambda path: Image.new("L", (4097, 4097)).save(path), "4097 x 4097 pixels: a detector is given at most 17"),
    "empty.png": (lambda path: path.write_bytes(b""), "the file is empty"),
    "text.png": (lambda path: path.write_text("a photo of a red banana"), "not an image of a known format"),
}


def works(folder: Path, files: Mapping[str, tuple[Callable[[Path], object], Any]]) -> list[WorkItem]:
    folder.mkdir()
    made = []
    for name, (make, _) in files.items():
        make(folder / name)
        digest = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        made.append(WorkItem(name, str(folder / name), digest, "a photo of a red banana", SPEC))
    return made


def perceived(folder: Path, scorer: str, settings: dict[str, Any], items: list[WorkItem]) -> dict[str, Observation]:
    run = RunFolder(folder)
    run.create(
        Run(folder.name, scorer, registry.get(scorer).version, "mask2former-meta", settings, part_size=len(items), force=True),
        items,
    )
    assert worker.work_through(run)
    return {observation.item_id: observation for observation in run.observations()}


def test_hostile_images_are_seen_or_refused_in_one_line(
    tmp_path: Path, models: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sanity_check, "photographs", dict)
    # all is of the kind that the prompt asks a colour of, so that each goes through the colour classifier too
    monkeypatch.setattr(scorer, "same_kind", lambda *_: True)
    settings = registry.settings(registry.get("geneval"), "mask2former-meta", models)
    seen = perceived(tmp_path / "run", "geneval", settings, works(tmp_path / "images", {**GOOD, **BAD}))
    for name, (_, size) in GOOD.items():
        observation = seen[name]
        assert observation.failed is None, (name, observation.failed)
        assert (observation.payload["width"], observation.payload["height"]) == size
        for detection in observation.detections:
            assert detection.mask is not None
            assert unpacked(detection.mask).shape == size[::-1]
            assert detection.colors is not None
            assert sum(detection.colors) == pytest.approx(1)
            assert 0 <= detection.box[0] < detection.box[2] <= size[0]
            assert 0 <= detection.box[1] < detection.box[3] <= size[1]
    assert sum(bool(seen[name].detections) for name in GOOD) >= len(GOOD) - 2
    for name, (_, reason) in BAD.items():
        failed = seen[name].failed
        assert failed is not None
        assert reason in failed
        assert "\n" not in failed
    verdict = registry.get("geneval").judge(parse_spec(SPEC), seen["plain.png"], settings)
    assert verdict.judgements[0].aspect == "correct"


def test_hostile_images_have_a_cosine(tmp_path: Path, models: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanity_check, "photographs", dict)
    scorer = registry.get("clipscore")
    settings = registry.settings(scorer, "paper", {"clip": models["clip"]})
    seen = perceived(tmp_path / "run", "clipscore", settings, works(tmp_path / "images", {**GOOD, **BAD}))
    for name in (*GOOD, "large.png"):
        assert -1 <= seen[name].payload["cosine"] <= 1
        score = scorer.judge(parse_spec({}), seen[name], settings).judgements[0].value
        assert score == pytest.approx(2.5 * max(seen[name].payload["cosine"], 0))
    assert {name for name, observation in seen.items() if observation.failed} == set(BAD) - {"large.png"}


def test_a_detector_that_knows_nothing_stops_the_run_unless_it_is_forced(tmp_path: Path, models: dict[str, str]) -> None:
    pytest.importorskip("scorers.models.detectors.yolo", reason="the photographs come with ultralytics")
    settings = registry.settings(registry.get("geneval"), "mask2former-meta", {**models, "threshold": "0.9", "keep": "0.6"})
    items = works(tmp_path / "images", {"plain.png": GOOD["plain.png"]})
    run = RunFolder(tmp_path / "run")
    run.create(Run("run", "geneval", registry.get("geneval").version, "mask2former-meta", settings), items)
    with pytest.raises(ModelBroken, match=r"\(bus.jpg\) the detector finds no bus.*; to score with it all the same: --force"):
        worker.work_through(run)
    assert run.parts() == []
    run.replace(replace(run.job(), force=True))
    assert worker.work_through(run)
    progress = run.progress()
    assert progress is not None
    assert any("on a known photograph (bus.jpg) the detector finds no bus" in line for line in progress.warnings)


def test_a_broken_model_stops_the_run_before_anything_is_said(
    tmp_path: Path, models: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def perceive(self, batch: list[Shown]) -> list[Observation]:  # noqa: ARG002  (as every scorer's)
            raise ModelBroken("it gives no finite numbers")

    monkeypatch.setattr(device_worker, "open_perceiver", lambda *_: Broken())
    run = RunFolder(tmp_path / "run")
    items = works(tmp_path / "images", {"plain.png": GOOD["plain.png"]})
    settings = registry.settings(registry.get("geneval"), "mask2former-meta", models)
    run.create(Run("run", "geneval", registry.get("geneval").version, "mask2former-meta", settings), items)
    with pytest.raises(ModelBroken, match="it gives no finite numbers"):
        worker.work_through(run)
    assert run.parts() == []


BLOCKED = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        raise PermissionError(event)

sys.addaudithook(refuse)
"""


@pytest.mark.slow
def test_a_model_by_its_hub_id_comes_from_the_cache(
    tmp_path: Path, models: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The profile's own detector, as ``hf download`` lays it down, in a process that cannot reach any network."""
    hub = tmp_path / "home" / "hub" / "models--facebook--mask2former-swin-small-coco-instance"
    shutil.copytree(models["detector"], hub / "snapshots" / "0123abc")
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text("0123abc")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(BLOCKED)
    remaining = {key: value for key, value in os.environ.items() if not key.startswith(("YOLO", "HF_", "TRANSFORMERS", "XDG"))}
    env = remaining | {"PYTHONPATH": str(tmp_path / "site"), "HF_HOME": str(tmp_path / "home"), "HOME": str(tmp_path / "home")}
    scorer = registry.get("geneval")
    monkeypatch.setenv("HF_HOME", env["HF_HOME"])
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    settings = registry.settings(scorer, "mask2former-meta", {"clip": models["clip"], "detector_side": "64"})
    assert settings["revisions"] == {"detector": "0123abc"}
    assert settings["detector"] == "facebook/mask2former-swin-small-coco-instance"
    items = works(tmp_path / "images", {"plain.png": GOOD["plain.png"]})

    run = RunFolder(tmp_path / "run")
    run.create(Run("run", "geneval", scorer.version, "mask2former-meta", settings, force=True), items)
    command = [sys.executable, "-m", "scorers.running.worker", str(run.path)]
    process = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    (seen,) = run.observations()
    assert seen.failed is None
    assert seen.detections
    progress = run.progress()
    assert progress is not None
    assert progress.warnings  # random weights find no bus
    assert [f"warning: {line}" for line in progress.warnings] == [
        line for line in process.stderr.splitlines() if line.startswith("warning: ")
    ]
