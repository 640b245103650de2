"""Pickles made into safetensors: the same tensors, nothing run, what is not tensors refused."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from safetensors.torch import load_file  # noqa: E402

from scorers.models import conversion, files, hub  # noqa: E402
from scorers.models.detectors import open_detector  # noqa: E402
from tests.scorers import published_models  # noqa: E402
from ui.cli import app  # noqa: E402

COMMIT = "1d5f47b" + "0" * 33
NAME = "facebook/detr-resnet-50"


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(hub, "CHECKPOINTS", tmp_path / "models")
    return tmp_path / "models"


@pytest.fixture
def snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of a DETR whose weights are two pickles, with a trainer's file and an index beside them."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    cache = tmp_path / "hub" / "models--facebook--detr-resnet-50"
    path = published_models.detr(cache / "snapshots" / COMMIT)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(COMMIT)
    weights = load_file(path / "model.safetensors")
    (path / "model.safetensors").unlink()
    keys = sorted(weights)
    shards = {"pytorch_model-00001-of-00002.bin": keys[::2], "pytorch_model-00002-of-00002.bin": keys[1::2]}
    for file, some in shards.items():
        torch.save({key: weights[key] for key in some}, path / file)
    index = {"weight_map": {key: file for file, some in shards.items() for key in some}}
    (path / "pytorch_model.bin.index.json").write_text(json.dumps(index))
    (path / "training_args.bin").write_bytes(b"a pickle of an object")
    return path


@pytest.mark.usefixtures("snapshot")
def test_a_model_of_the_hub_opens_once_it_is_converted(models: Path) -> None:
    assert hub.state(NAME) == "only as a pickle"
    assert hub.remedy(NAME) == f"uv run app.py models convert {NAME}"
    result = CliRunner().invoke(app, ["models", "convert", NAME])
    folder = models / "facebook--detr-resnet-50@1d5f47b00000"
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[0] == (
        "read pytorch_model-00001-of-00002.bin, pytorch_model-00002-of-00002.bin: tensors alone; no code in it was run"
    )
    assert f"use it with --set detector={NAME}" in result.stdout
    assert (hub.state(NAME), hub.snapshot(NAME)) == ("there", folder)
    open_detector(NAME, 64, 0.1, 0.7, "cpu")
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.safetensors"]
    open_detector(str(folder), 64, 0.1, 0.7, "cpu")
    assert files.fingerprint(str(folder))
    again = CliRunner().invoke(app, ["models", "convert", NAME])
    assert again.exit_code == 1
    assert again.stderr.strip() == f"models convert: {NAME} has its weights as safetensors; there is nothing to convert"


def test_every_tensor_is_the_same(tmp_path: Path, models: Path) -> None:
    """Shared ones, parts of larger ones, turned ones, of every width; beside them what trainers note."""
    whole = torch.randn(6, 4)
    tensors = {
        "whole": whole, "tied": whole, "part": whole[1:3], "turned": whole.T, "half": torch.randn(3).half(),
        "brain": torch.randn(2, 2).bfloat16(), "places": torch.arange(5),
        "empty": torch.zeros(0, 3), "single": torch.tensor(2.5),
    }  # fmt: skip
    notes = {"epoch": 3, "best": np.float64(0.5), "classes": ("cat", "dog")}
    for name, legacy in (("new", False), ("old", True)):
        torch.save({"meta": notes, "state_dict": tensors}, tmp_path / f"{name}.pth", _use_new_zipfile_serialization=not legacy)
        done = conversion.convert(str(tmp_path / f"{name}.pth"))
        stored = load_file(models / name / "model.safetensors")
        assert stored.keys() == tensors.keys()
        assert all(torch.equal(stored[key], tensors[key]) and stored[key].dtype == tensors[key].dtype for key in tensors)
        assert (done.read, done.parameters) == ((f"{name}.pth",), sum(tensor.numel() for tensor in tensors.values()))


def test_a_pipeline_keeps_its_folders(saved: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its models by the name that its own loader looks for; another form of the same weights stays away."""
    source = tmp_path / "snapshot"
    shutil.copytree(saved["sd15"], source)
    weights = {path.relative_to(source): load_file(path) for path in sorted(source.rglob("*.safetensors"))}
    for path, tensors in weights.items():
        (source / path).unlink()
        name = "diffusion_pytorch_model" if path.stem.startswith("diffusion") else "pytorch_model"
        torch.save(tensors, source / path.parent / f"{name}.bin")
        torch.save({key: tensor.half() for key, tensor in tensors.items()}, source / path.parent / f"{name}.fp16.bin")
    (source / "whole.ckpt").write_bytes(b"all in one file, for another program")
    monkeypatch.setattr(hub, "snapshot", lambda _: source)
    done = conversion.convert("owner/pipeline")
    assert {path.relative_to(done.folder) for path in done.folder.rglob("*.safetensors")} == weights.keys()
    assert {path.parent.name for path in weights} >= {"unet", "vae", "text_encoder"}
    for path, tensors in weights.items():
        stored = load_file(done.folder / path)
        assert stored.keys() == tensors.keys()
        assert all(torch.equal(stored[key], tensors[key]) for key in tensors)
    assert done.parameters == sum(tensor.numel() for tensors in weights.values() for tensor in tensors.values())
    assert {path.name for path in done.folder.iterdir()} == {path.name for path in source.iterdir()} - {"whole.ckpt"}


class Harm:
    def __reduce__(self) -> Any:
        return os.mkdir, ("harm done",)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            {"a": torch.zeros(2), "b": Harm()},
            r"holds more than tensors \(posix\.mkdir\): reading it could run its author's code",
        ),
        (torch.nn.Linear(2, 2), r"holds more than tensors \(torch\.nn\.modules\.linear\.Linear\)"),
        ({"a": torch.zeros(2), "note": 3}, r"holds more than tensors \(note\): it is not converted"),
        ({}, "holds no weights by name"),
        (torch.zeros(2), "holds no weights by name"),
    ],
)
def test_what_is_not_tensors_is_refused_and_not_run(
    content: Any, why: str, tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    torch.save(content, tmp_path / "x.pth")
    with pytest.raises(ValueError, match=why) as caught:
        conversion.convert("x.pth")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "harm done").exists()
    assert not list(models.glob("*"))


def test_what_is_no_checkpoint_is_said_to_be_none(tmp_path: Path, snapshot: Path) -> None:
    (tmp_path / "x.pth").write_bytes(b"text")
    with pytest.raises(ValueError, match=r"x\.pth is no checkpoint of torch"):
        conversion.convert(str(tmp_path / "x.pth"))
    with pytest.raises(ValueError, match="neither a file nor a model in the hub's cache: uv run hf download facebook/other"):
        conversion.convert("facebook/other")
    for path in snapshot.glob("pytorch_model-*.bin"):
        path.unlink()
    with pytest.raises(ValueError, match="has no weights in the hub's cache"):
        conversion.convert(NAME)
    (snapshot / "model.safetensors").write_bytes(b"")
    with pytest.raises(ValueError, match="has its weights as safetensors; there is nothing to convert"):
        conversion.convert(NAME)


@pytest.mark.parametrize("make", [published_models.mask2former, published_models.grounding_dino])
def test_files_from_before_transformers_5_open(make: Any, tmp_path: Path) -> None:
    """A Swin's last norm, which only newer files have, is used by nothing."""
    from safetensors.torch import save_file

    folder = make(tmp_path)
    weights = load_file(folder / "model.safetensors")
    older = {key: tensor for key, tensor in weights.items() if "swin.layernorm" not in key}
    assert len(older) == len(weights) - 2
    save_file(older, folder / "model.safetensors", {"format": "pt"})
    open_detector(str(folder), 64, 0.1, 0.7, "cpu")
    del older[next(key for key in older if key.endswith("embeddings.norm.weight"))]
    save_file(older, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ValueError, match=r"1 missing \(.*embeddings\.norm\.weight\)"):
        open_detector(str(folder), 64, 0.1, 0.7, "cpu")
