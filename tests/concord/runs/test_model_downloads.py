"""Downloads of models: begun with the scorer that needs them, from a hub on this machine; and without one, what people read."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from concord.common import machine
from concord.runs import model_downloads
from scorers.models import fetching, hub
from tests.concord.runs.hub_server import hub_of

MODEL = "ViT-B-32-quickgelu/openai"
FILES = {
    "README.md": b"about",
    "open_clip_config.json": b"{}",
    "open_clip_model.safetensors": b"w" * 50_000,
    "model.safetensors": b"x" * 50_000,
    "pytorch_model.bin": b"y" * 50_000,
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty cache of the hub, and no download from before."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # as the server has it
    yield
    for each in model_downloads.all_downloads():
        model_downloads.stop(each.name)
        model_downloads.close(each.name)


def until(found: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not found():
        assert time.monotonic() < deadline, [(each.state, each.error) for each in model_downloads.all_downloads()]
        time.sleep(0.05)


def test_a_scorer_begins_once_its_model_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[bool] = []

    def score() -> str:
        begun.append(machine.is_available(MODEL))
        return ""

    asked: list[str] = []
    with hub_of(hub.CLIP_REPOSITORIES[MODEL], FILES, asked) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        assert model_downloads.begin("clipscore", "paper", score)
        until(lambda: bool(begun))
    assert begun == [True]
    assert sorted(asked) == ["open_clip_config.json", "open_clip_model.safetensors"], "what no loader reads was fetched"
    until(lambda: not model_downloads.all_downloads())
    assert not model_downloads.begin("clipscore", "paper", lambda: ""), "what is here was fetched again"


def test_without_internet_the_message_says_why_and_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert model_downloads.begin("clipscore", "paper", lambda: "it began without its model")
    until(lambda: not model_downloads.all_downloads()[0].is_active)
    (download,) = model_downloads.all_downloads()
    assert download.state == "failed"
    what, check, elsewhere, command, copy = download.error
    assert "127.0.0.1:9 cannot be reached from this machine" in what
    assert "HTTPS_PROXY" in check
    assert "no internet" in elsewhere
    assert command == "`hf download timm/vit_base_patch32_clip_224.openai`"
    assert "models--timm--vit_base_patch32_clip_224.openai" in copy
    assert str(hub.cache_folder()) in copy
    model_downloads.again("clipscore paper")
    until(lambda: model_downloads.all_downloads()[0].state == "failed")
    model_downloads.close("clipscore paper")
    assert model_downloads.all_downloads() == []
    with pytest.raises(ValueError, match="over"):
        model_downloads.again("clipscore paper")


def test_a_model_that_comes_from_elsewhere_is_not_fetched() -> None:
    assert not model_downloads.begin("visor", "fast", lambda: "")  # Ultralytics' own site, under its licence
    assert not model_downloads.begin("clipscore", "playground", lambda: "")


@pytest.mark.parametrize(
    ("model", "names", "fetched"),
    [
        (
            "a/b",
            ["config.json", "pytorch_model.bin", "tf_model.h5", "flax_model.msgpack", "x.py"],
            {"config.json", "pytorch_model.bin"},
        ),
        ("a/b", ["model.safetensors", "pytorch_model.bin", "onnx/model.safetensors"], {"model.safetensors"}),
        (
            "sdxl",
            [
                "model_index.json",
                "sd_xl_base_1.0.safetensors",
                "unet/a.safetensors",
                "unet/a.fp16.safetensors",
                "vae/config.json",
            ],
            {"model_index.json", "unet/a.safetensors", "vae/config.json"},
        ),
        (MODEL, ["open_clip_pytorch_model.bin", "pytorch_model.bin"], {"open_clip_pytorch_model.bin"}),
    ],
)
def test_only_what_loaders_read_is_fetched(model: str, names: list[str], fetched: set[str]) -> None:
    assert set(fetching.files_to_fetch(model, dict.fromkeys(names, 1))) == fetched


def test_a_full_disk_and_a_licence_are_said_in_words() -> None:
    gated = type("GatedRepoError", (Exception,), {})("403")
    assert any("hf auth login" in line for line in fetching.explained(gated, ["sd3"]))
    assert "disk is full" in fetching.explained(OSError(28, "No space left on device"), ["sdxl"])[0]
