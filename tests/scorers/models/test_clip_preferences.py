"""PickScore and HPSv2, small and with random weights, against their authors' code restated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")
open_clip = pytest.importorskip("open_clip")

from torchvision.transforms import Compose, InterpolationMode, Normalize, ToTensor, functional  # noqa: E402

from data.spec import Spec  # noqa: E402
from scorers import registry  # noqa: E402
from scorers.base import Shown  # noqa: E402
from scorers.clipscore import SCORER  # noqa: E402
from scorers.models import clip, conversion, hub  # noqa: E402
from tests.scorers import published_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

TEXTS = ("a red cup on the left of a dog", "bus", "x " * 90)
SIZES = ((90, 60), (40, 64), (32, 32))
TINY = {
    "embed_dim": 16,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 16},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 64, "heads": 1, "layers": 1},
}


@pytest.fixture(scope="module")
def images() -> list[Image.Image]:
    return [picture(seed)[0].convert("RGB").resize(size) for seed, size in enumerate(SIZES)]


def scores(profile: str, folder: Path, images: list[Image.Image]) -> list[float]:
    settings = registry.settings(SCORER, profile, {"clip": str(folder)})
    shown = [Shown(text, image, text, Spec()) for text, image in zip(TEXTS, images, strict=True)]
    seen = SCORER.open(settings, "cpu").perceive(shown)
    judged = [SCORER.judge(Spec(), observation, settings).judgements[0] for observation in seen]
    assert [judgement.aspect for judgement in judged] == ["score"] * 3
    return [float(judgement.value) for judgement in judged if judgement.value is not None]


def test_pickscore_is_the_models_scale_times_the_cosine(images: list[Image.Image], tmp_path: Path) -> None:
    """``calc_probs`` of PickScore's README, before its softmax over pictures."""
    from transformers import AutoModel, AutoProcessor

    folder = published_models.transformers_clip(tmp_path)
    processor, model = AutoProcessor.from_pretrained(folder), AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    theirs = []
    for image, prompt in zip(images, TEXTS, strict=True):
        image_inputs = processor.image_processor(images=[image], return_tensors="pt")
        text_inputs = processor(text=prompt, padding=True, truncation=True, max_length=77, return_tensors="pt")
        with torch.no_grad():
            image_embs = model.get_image_features(**image_inputs).pooler_output
            image_embs = image_embs / torch.norm(image_embs, dim=-1, keepdim=True)
            text_embs = model.get_text_features(**text_inputs).pooler_output
            text_embs = text_embs / torch.norm(text_embs, dim=-1, keepdim=True)
            theirs.append(float((model.logit_scale.exp() * (text_embs @ image_embs.T)[0])[0]))
    # pictures are resized by Pillow, as when it was published; transformers 5 has torchvision do it, a level apart
    assert scores("pickscore", folder, images) == pytest.approx(theirs, abs=0.05)
    assert scores("pickscore", folder, images)[2] == pytest.approx(theirs[2], abs=1e-4)
    assert np.std(theirs) > 0.5


def test_pickscores_texts_do_not_depend_on_their_neighbours(tmp_path: Path) -> None:
    model = clip.open_image_text_model(str(published_models.transformers_clip(tmp_path)))
    together = model.texts(TEXTS, 3)
    assert np.abs(together - np.concatenate([model.texts([text]) for text in TEXTS])).max() < 1e-5
    assert np.linalg.norm(together, axis=1) == pytest.approx(1)
    assert (model.context, model.tokens("bus"), model.tokens(TEXTS[2]) > 77) == (77, 5, True)


def resize_max_size(img: Any) -> Any:
    """``ResizeMaxSize`` of HPSv2's ``open_clip/transform.py``."""
    height, width = img.shape[1:]
    scale = 32 / float(max(height, width))
    if scale != 1.0:
        new_size = tuple(round(dim * scale) for dim in (height, width))
        img = functional.resize(img, new_size, InterpolationMode.BICUBIC)
        pad_h, pad_w = 32 - new_size[0], 32 - new_size[1]
        img = functional.pad(img, padding=[pad_w // 2, pad_h // 2, pad_w - pad_w // 2, pad_h - pad_h // 2], fill=0)
    return img


def test_hpsv2_is_the_cosine(images: list[Image.Image], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``score`` of HPSv2's ``img_score.py``; its checkpoint is a pickle without a configuration."""
    known = open_clip.get_model_config
    monkeypatch.setattr(open_clip, "get_model_config", lambda name: TINY if name == "ViT-H-14" else known(name))
    monkeypatch.setattr(hub, "CHECKPOINTS", tmp_path / "models")
    torch.manual_seed(0)
    model = open_clip.CLIP(**TINY).eval()
    torch.save({"epoch": 3, "name": "hps", "state_dict": model.state_dict()}, tmp_path / "HPS_v2_compressed.pt")
    done = conversion.convert(str(tmp_path / "HPS_v2_compressed.pt"))
    assert (done.setting, done.folder.name) == ("clip", "HPS_v2_compressed")
    normalize = Normalize((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))
    preprocess, tokenizer = Compose([ToTensor(), resize_max_size, normalize]), open_clip.get_tokenizer("ViT-B-32")
    theirs = []
    for image, prompt in zip(images, TEXTS, strict=True):
        with torch.no_grad():
            outputs = model(preprocess(image)[None], tokenizer([prompt]))
            theirs.append(float(torch.diagonal(outputs[0] @ outputs[1].T)[0]))
    assert scores("hpsv2", done.folder, images) == pytest.approx(theirs, abs=1e-5)
    assert np.std(theirs) > 0.01


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from concord.common.machine import missing_model

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    why = missing_model(SCORER, registry.settings(SCORER, "hpsv2"))
    assert why is not None
    assert "uv run hf download xswu/HPSv2 HPS_v2_compressed.pt && uv run app.py models convert xswu/HPSv2" in why
    with pytest.raises(OSError, match="uv run hf download yuvalkirstain/PickScore_v1"):
        clip.open_image_text_model("yuvalkirstain/PickScore_v1")
    with pytest.raises(ValueError, match="there is no image-text model nothing"):
        clip.open_image_text_model("nothing")
    assert hub.state("models/HPS_v2_compressed") == "missing"
    published_models.detr(tmp_path / "detr")
    with pytest.raises(ValueError, match="is a model of type detr, no CLIP"):
        clip.open_image_text_model(str(tmp_path / "detr"))
