"""The image-text model's recipe: its words, its folder as open_clip opens it, and what its loss rewards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
open_clip = pytest.importorskip("open_clip", reason="the group scorers is not installed")

from PIL import Image  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

from tools.playground.clip import (  # noqa: E402
    CONTEXT,
    SIDE,
    contrast,
    fitted,
    model_config,
    pair,
    write_config,
    write_tokenizer,
)
from tools.playground.examples import caption_words  # noqa: E402


def test_the_folder_opens_offline_and_its_tokenizer_knows_every_word(tmp_path: Path) -> None:
    write_config(tmp_path)
    write_tokenizer(tmp_path)
    config = model_config()
    config["text_cfg"].pop("hf_tokenizer_name")
    save_file(open_clip.CLIP(**config).state_dict(), tmp_path / "open_clip_model.safetensors")
    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{tmp_path}")
    tokenizer = open_clip.get_tokenizer(f"local-dir:{tmp_path}")
    ids = tokenizer([" ".join(caption_words()[k : k + 10]) for k in range(0, len(caption_words()), 10)])
    assert ids.shape[1] == CONTEXT
    assert not (ids == 1).any(), "an unknown word"
    assert (ids.argmax(dim=1) == (ids > 0).sum(dim=1) - 1).all(), "the pooled token is <eos>, the last one"
    with torch.no_grad():
        seen = model.eval().encode_image(preprocess(Image.new("RGB", (90, 40)))[None])
        assert seen.shape == model.encode_text(ids[:1]).shape


def test_fitting_is_open_clips_own_preprocessing() -> None:
    image = Image.fromarray(np.random.default_rng(0).integers(0, 255, (50, 90, 3), dtype=np.uint8))
    from open_clip.transform import image_transform

    theirs = image_transform(SIDE, is_train=False, mean=(0, 0, 0), std=(1, 1, 1), interpolation="bicubic")(image)
    assert np.abs(fitted(image) / 255 - theirs.permute(1, 2, 0).numpy()).max() < 0.02


def test_pairs_have_one_true_caption_and_three_others() -> None:
    crops = 0
    for seed in range(30):
        caption_pair = pair("train", seed)
        assert caption_pair.image.shape == (SIDE, SIDE, 3)
        assert len({caption_pair.caption, *caption_pair.wrong}) == 4
        crops += bool((caption_pair.image == 153).all(axis=2).mean() > 0.1)
    assert 4 <= crops <= 18


def test_the_loss_is_least_when_pictures_and_captions_match() -> None:
    torch.manual_seed(0)
    directions = torch.nn.functional.normalize(torch.randn(6, 32), dim=1)
    tokens = torch.arange(6 * 4 * 3).reshape(6, 4, 3)
    wrong = torch.nn.functional.normalize(torch.randn(6, 3, 32), dim=2)
    flatten = torch.cat([directions[:, None], wrong], dim=1).flatten(0, 1)
    scale = torch.tensor(20.0)
    right = contrast(directions, flatten, tokens, scale)
    assert right < contrast(directions.roll(1, dims=0), flatten, tokens, scale)
    swapped = torch.cat([wrong[:, :1], directions[:, None], wrong[:, 1:]], dim=1).flatten(0, 1)
    assert right < contrast(directions, swapped, tokens, scale)


def test_the_same_caption_of_another_picture_is_no_mistake() -> None:
    torch.manual_seed(0)
    entry = torch.nn.functional.normalize(torch.randn(1, 16), dim=1)
    seen = entry.repeat(2, 1)
    wrong = torch.nn.functional.normalize(torch.randn(2, 3, 16), dim=2)
    flatten = torch.cat([seen[:, None], wrong], dim=1).flatten(0, 1)
    apart = torch.arange(2 * 4 * 3).reshape(2, 4, 3)
    together = apart.clone()
    together[1, 0] = together[0, 0]
    assert contrast(seen, flatten, together, torch.tensor(20.0)) < contrast(seen, flatten, apart, torch.tensor(20.0))
