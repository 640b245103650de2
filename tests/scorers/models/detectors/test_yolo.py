"""YOLO as a folder of a yaml and safetensors: nothing is unpickled, and ultralytics keeps to itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("scorers.models.detectors.yolo", reason="the group yolo is not installed")

from scorers.models.detectors.yolo import load  # noqa: E402
from tests.scorers.tiny_models import build_yolo, save_yolo  # noqa: E402
from tools.playground.examples import example  # noqa: E402

ROOT = Path(__file__).resolve().parents[4]


def test_saved_files_rebuild_the_model_without_pickle(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = build_yolo().eval()
    save_yolo(model, tmp_path)
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
from tools.playground.examples import example
from tests.scorers.tiny_models import build_yolo, save_yolo
save_yolo(build_yolo(), Path(sys.argv[1]))
load(Path(sys.argv[1])).predict(Image.fromarray(example("train", 1).image), imgsz=128, device="cpu", verbose=False)
print("done")
"""
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("YOLO", "XDG"))}
    found = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "out")],
        env={**kept, "HOME": str(home), "PYTHONPATH": str(ROOT)},
        cwd=work,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.strip().endswith("done"), found.stderr
    assert [path.name for path in home.rglob("*") if "ltralytics" in str(path)] == []
    assert list(work.iterdir()) == []


def test_pillow_is_left_as_it_is() -> None:
    import ultralytics.utils.patches
    from PIL import Image

    assert Image.open.__module__ == "PIL.Image"
    assert ultralytics.utils.patches.image_open is not Image.open
