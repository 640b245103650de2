"""OpenMMLab's checkpoint, converted: its numbers, its pictures and its objects are those of mmdet's source, restated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from data.prompts.coco import COCO  # noqa: E402
from scorers.models import conversion, hub  # noqa: E402
from scorers.models.detectors import mask2former, open_detector  # noqa: E402
from scorers.models.detectors.mask2former import frame  # noqa: E402
from tests.scorers.models.detectors import mmdet_mask2former as mmdet  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

FILE = "mask2former_swin-s-p4-w7-224_lsj_8x2_50e_coco_20220504_001756-743b7d99.pth"
META = {"epoch": 50, "iter": 368750, "CLASSES": COCO, "mmdet_version": "2.24.1", "env_info": "sys.platform: linux\n"}


@pytest.fixture(scope="module")
def state() -> mmdet.State:
    return mmdet.random_state()


@pytest.fixture(scope="module")
def folder(state: mmdet.State, tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("openmmlab")
    torch.save({"meta": META, "state_dict": state}, home / FILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hub, "CHECKPOINTS", home / "models")
        done = conversion.convert(str(home / FILE))
    assert (done.setting, done.folder) == ("detector", home / "models" / FILE.removesuffix(".pth"))
    return done.folder


# sides that windows of 4 do not divide, and less than one window: 1 x 2 cells in the last stage
@pytest.mark.parametrize("shape", [(1, 3, 96, 160), (2, 3, 64, 224), (1, 3, 32, 64)])
def test_the_numbers_are_those_of_mmdet(folder: Path, state: mmdet.State, shape: tuple[int, ...]) -> None:
    detector: Any = open_detector(str(folder), 64, 0.1, 0.7, "cpu")
    torch.manual_seed(1)
    pixels = torch.randn(*shape)
    with torch.inference_mode():
        classes, masks = detector.forward(pixels)
        their_classes, their_masks = mmdet.forward(state, pixels)
    assert their_classes.std() > 1 < their_masks.std()
    assert float((classes - their_classes).abs().max()) < 1e-4
    assert float((masks - their_masks).abs().max()) < 1e-4


def test_each_weight_matters(state: mmdet.State) -> None:
    """All but the table of places is used, so that one that went to a wrong place would show."""
    pixels = torch.randn(1, 3, 64, 96, generator=torch.Generator().manual_seed(2))
    with torch.inference_mode():
        before = mmdet.forward(state, pixels)
        for key in state:
            if not key.endswith("relative_position_index"):
                changed = {**state, key: state[key].flip(0) + 0.25}
                after = mmdet.forward(changed, pixels)
                assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True)), key


def test_pictures_are_brought_to_size_as_opencv_does() -> None:
    cv2 = pytest.importorskip("cv2")
    rng = np.random.default_rng(0)
    for width, height, side in ((200, 160, 64), (64, 48, 96), (130, 131, 64)):
        array = rng.integers(0, 256, (height, width, 3), np.uint8)
        fitted = frame(width, height, side)
        theirs = cv2.resize(array, fitted.resized[::-1], interpolation=cv2.INTER_LINEAR).astype(np.float32)
        ours = mask2former.pixels(Image.fromarray(array), fitted, antialias=False)[:, : fitted.resized[0], : fitted.resized[1]]
        shown = ours.permute(1, 2, 0).numpy() * np.array(mask2former.STD, np.float32) + np.array(mask2former.MEAN, np.float32)
        away = np.abs(shown - theirs).round()
        # OpenCV rounds twice, which takes one level of 256 from some
        assert away.max() <= 1
        assert away.mean() < 0.15
    smooth = mask2former.pixels(Image.fromarray(array), fitted)[:, : fitted.resized[0], : fitted.resized[1]]
    assert float((smooth - ours).abs().max()) > 1


def test_its_objects_are_those_of_mmdet(folder: Path, state: mmdet.State) -> None:
    """``Mask2Former.simple_test`` and ``MaskFormerFusionHead.instance_postprocess``, rescaled to the picture."""
    image = picture(3)[0].convert("RGB").resize((90, 70))
    detector: Any = open_detector(str(folder), 64, 0.02, 0.7, "cpu")
    (value,) = detector.detect([image])
    fitted = frame(*image.size, 64)
    batch = mask2former.pixels(image, fitted, antialias=False)[None]
    with torch.inference_mode():
        classes, masks = mmdet.forward(state, batch)
    masks = torch.nn.functional.interpolate(masks, size=fitted.padded, mode="bilinear", align_corners=False)[0]
    masks = masks[:, : fitted.resized[0], : fitted.resized[1]]
    masks = torch.nn.functional.interpolate(masks[:, None], size=fitted.image, mode="bilinear", align_corners=False)[:, 0]
    scores, places = classes[0].softmax(-1)[:, :-1].flatten(0, 1).topk(100, sorted=False)
    masks = masks[places // mmdet.CLASSES]
    binary = (masks > 0).float()
    certainty = (masks.sigmoid() * binary).flatten(1).sum(1) / (binary.flatten(1).sum(1) + 1e-6)
    theirs = []
    for place, score, mask in zip(places.tolist(), (scores * certainty).tolist(), binary.bool(), strict=True):
        if score > 0.02:
            y, x = torch.where(mask)
            box = (float(x.min()), float(y.min()), float(x.max() + 1), float(y.max() + 1))
            theirs.append((round(score, 4), COCO[place % mmdet.CLASSES], box))
    ours = [(round(entry.score, 4), entry.label, entry.box) for entry in value]
    assert len(theirs) > 5
    assert [our[1:] for our in sorted(ours)] == [their[1:] for their in sorted(theirs)]
    assert [our[0] for our in sorted(ours)] == pytest.approx([their[0] for their in sorted(theirs)], abs=2e-4)


def test_another_vocabulary_is_refused(state: mmdet.State) -> None:
    panoptic = {**state, "panoptic_head.cls_embed.weight": torch.zeros(134, mmdet.SIZE)}
    with pytest.raises(ValueError, match="it knows 133 classes; Concord reads the one of COCO's 80 instances"):
        conversion.import_openmmlab_mask2former(panoptic)
