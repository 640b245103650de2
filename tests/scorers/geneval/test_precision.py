"""A backbone in half precision: what it changes is counted, and where it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")
pytest.importorskip("open_clip", reason="the group scorers is not installed")

from data.spec import parse_spec  # noqa: E402
from scorers import registry  # noqa: E402
from scorers.base import Shown  # noqa: E402
from scorers.geneval.scorer import GenEvalPerceiver  # noqa: E402
from scorers.models.clip import Clip  # noqa: E402
from scorers.models.detectors import open_detector  # noqa: E402
from scorers.models.pretrained import compute_in_half  # noqa: E402
from tests.scorers import published_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

IMAGES = 40


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("models")
    return {"detector": str(published_models.mask2former(folder / "m2f")), "clip": str(published_models.clip(folder / "clip"))}


def test_few_verdicts_flip(models: dict[str, str]) -> None:
    clip, pictures = Clip(models["clip"]), [picture(k)[0] for k in range(IMAGES)]
    scorer = registry.get("geneval")
    settings: dict[str, Any] = {**scorer.profiles["mask2former-meta"], "threshold": 0.3, "counting_threshold": 0.5}
    first = open_detector(models["detector"], 96, 0.05, 0.7, "cpu")
    labels = [
        detected_object.label
        for objects in first.detect(pictures, [()] * IMAGES)
        for detected_object in objects
        if detected_object.score > 0.3
    ]
    names = sorted(set(labels), key=lambda name: (-labels.count(name), name))
    batch = []
    for k, image in enumerate(pictures):
        requested = {"class": names[k % min(4, len(names))], "count": 1 + k % 3, "color": "red"}
        requested = requested if k % 2 else {key: value for key, value in requested.items() if key != "color"}
        batch.append(
            Shown(str(k), image, "", parse_spec({"tag": "counting" if k % 4 == 0 else "colors", "include": [requested]}))
        )
    verdicts, seen = [], []
    for precision in ("fp32", "bf16"):
        detector = open_detector(models["detector"], 96, 0.05, 0.7, "cpu", precision)
        seen.append(GenEvalPerceiver(detector, clip).perceive(batch))
        verdicts.append(
            [scorer.judge(one.spec, observation, settings).correct for one, observation in zip(batch, seen[-1], strict=True)]
        )
    assert seen[0] != seen[1], "the other precision was not taken"
    assert 0 < sum(map(bool, verdicts[0])) < IMAGES
    flips = sum(a != b for a, b in zip(*verdicts, strict=True))
    assert flips <= IMAGES // 10, flips


def test_what_comes_out_is_in_full_precision(models: dict[str, str]) -> None:
    from transformers import Mask2FormerForUniversalSegmentation

    model = Mask2FormerForUniversalSegmentation.from_pretrained(models["detector"]).eval()
    backbone, kinds = model.model.pixel_level_module.encoder, []
    layer = next(module for module in backbone.modules() if isinstance(module, torch.nn.Linear))
    layer.register_forward_hook(lambda *values: kinds.append(values[-1].dtype))
    pixels = torch.randn(1, 3, 64, 64)
    with torch.inference_mode():
        plain = backbone(pixels).feature_maps
        compute_in_half(backbone, "cpu")
        halved = backbone(pixels).feature_maps
    assert kinds == [torch.float32, torch.bfloat16]
    assert all(entry.dtype == torch.float32 for entry in (*plain, *halved, *model.parameters()))
    for entry, other in zip(plain, halved, strict=True):
        assert 0 < float((entry - other).abs().max()) < 0.1 * float(entry.abs().max())


def test_where_it_makes_no_sense_it_is_refused(models: dict[str, str], tmp_path: Path) -> None:
    scorer = registry.get("geneval")
    with pytest.raises(ValueError, match="precision must be fp32 or bf16, got 'int4'"):
        registry.settings(scorer, "mask2former-meta", {**models, "precision": "int4"})
    settings = registry.settings(scorer, "mask2former-meta", {**models, "precision": "bf16"})
    assert settings["precision"] == "bf16"
    assert "precision" not in registry.settings(scorer, "mask2former-meta", {**models, "precision": "fp32"})
    with pytest.raises(ValueError, match="precision bf16 needs a GPU"):
        scorer.open(settings, "cpu")
    detr = str(published_models.detr(tmp_path / "detr"))
    with pytest.raises(ValueError, match="precision bf16 is for Mask2Former"):
        open_detector(detr, 96, 0.1, 0.7, "cuda", "bf16")
