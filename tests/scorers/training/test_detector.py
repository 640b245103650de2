"""The detector's recipe: its batches are true, its files rebuild it, and ultralytics keeps to itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("scorers.models.detectors.yolo", reason="the group yolo is not installed")

from scorers.models.detectors.yolo import load  # noqa: E402
from scorers.training.detector import SIDE, STEM, build, collate, roughened, save  # noqa: E402
from scorers.training.examples import example  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


def test_a_batch_says_where_each_object_is() -> None:
    examples = [example("train", seed, SIDE) for seed in range(6)]
    batch = collate(examples, np.random.default_rng(0))
    assert batch["img"].shape == (6, 3, SIDE, SIDE)
    assert 0 <= batch["img"].min() <= batch["img"].max() <= 1
    assert batch["cls"].flatten().tolist() == [float(kind) for one in examples for kind in one.kinds]
    scale = batch["masks"].shape[-1]
    rank: dict[int, int] = {}
    for number, (x, y, w, h) in zip(batch["batch_idx"].int().tolist(), batch["bboxes"].tolist(), strict=True):
        rank[number] = rank.get(number, 0) + 1
        rows, columns = np.nonzero((batch["masks"][number] == rank[number]).numpy())
        assert abs((columns.min() + columns.max() + 1) / 2 / scale - x) < 0.03
        assert abs((rows.min() + rows.max() + 1) / 2 / scale - y) < 0.03
        assert abs(np.ptp(columns) / scale - w) < 0.06
        assert abs(np.ptp(rows) / scale - h) < 0.06


def test_roughening_keeps_pictures_recognisable() -> None:
    pixels = torch.from_numpy(np.stack([example("train", seed).image for seed in range(8)])).permute(0, 3, 1, 2) / 255
    rough = roughened(pixels, np.random.default_rng(1))
    assert 0.005 < (rough - pixels).abs().mean() < 0.12


def test_saved_files_rebuild_the_model_without_pickle(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = build().eval()
    save(model, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{STEM}.safetensors", f"{STEM}.yaml"]
    assert (tmp_path / f"{STEM}.safetensors").stat().st_size < 12e6
    yolo = load(tmp_path)
    assert yolo.model.names[0] == "apple"
    picture = torch.from_numpy(example("train", 3).image).permute(2, 0, 1)[None] / 255
    with torch.no_grad():
        assert torch.allclose(model(picture)[0][0], yolo.model(picture)[0][0], rtol=0.05, atol=0.05)


@pytest.mark.slow
def test_ultralytics_writes_nothing_at_home_and_opens_no_socket(tmp_path: Path) -> None:
    script = """
import socket, sys
def refuse(*a, **k): raise AssertionError("a socket was opened")
socket.socket.connect = refuse
socket.create_connection = refuse
socket.getaddrinfo = refuse
from pathlib import Path
from PIL import Image
from scorers.models.detectors.yolo import load
from scorers.training.detector import build, save
from scorers.training.examples import example
save(build(), Path(sys.argv[1]))
load(Path(sys.argv[1])).predict(Image.fromarray(example("train", 1).image), imgsz=128, device="cpu", verbose=False)
print("done")
"""
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    remaining = {key: value for key, value in os.environ.items() if not key.startswith(("YOLO", "XDG"))}
    process = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "out")],
        env={**remaining, "HOME": str(home), "PYTHONPATH": str(ROOT)},
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stdout.strip().endswith("done"), process.stderr
    assert [path.name for path in home.rglob("*") if "ltralytics" in str(path)] == []
    assert list(work.iterdir()) == []


def test_pillow_is_left_as_it_is() -> None:
    import ultralytics.utils.patches
    from PIL import Image

    assert Image.open.__module__ == "PIL.Image"
    assert ultralytics.utils.patches.image_open is not Image.open
