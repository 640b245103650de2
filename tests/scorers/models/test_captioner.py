"""Captioning models with random weights, saved and loaded as the real ones are."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from scorers.models.text_generation import Captioner  # noqa: E402
from tests.scorers.models.vqa import tiny_vqa_models  # noqa: E402


@pytest.fixture(scope="module")
def blip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BlipConfig, BlipForConditionalGeneration, BlipImageProcessor, BlipProcessor

    folder = tmp_path_factory.mktemp("blip")
    tokenizer = tiny_vqa_models.bert()
    n = len(tokenizer)
    small = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4}
    named = {"bos_token_id": n, "sep_token_id": tokenizer.sep_token_id, "pad_token_id": tokenizer.pad_token_id}
    text = {**small, "vocab_size": n + 2, "max_position_embeddings": 40, **named}
    vision = {**small, "image_size": tiny_vqa_models.SIDE, "patch_size": 16}
    BlipProcessor(
        BlipImageProcessor(size={"height": tiny_vqa_models.SIDE, "width": tiny_vqa_models.SIDE}), tokenizer
    ).save_pretrained(folder)
    return tiny_vqa_models.saved(
        tiny_vqa_models.seeded(BlipForConditionalGeneration, BlipConfig(text_config=text, vision_config=vision)), folder
    )


def test_each_picture_has_a_caption_of_its_own_whatever_is_beside_it(blip: Path) -> None:
    captioner = Captioner(str(blip), "cpu", beams=2, longest=6)
    pictures = [Image.new("RGB", size, color) for size, color in [((40, 30), "red"), ((30, 90), "blue"), ((5, 5), "white")]]
    together = captioner.captions(pictures)
    assert together == [captioner.captions([picture])[0] for picture in pictures]
    assert all(text == text.strip() and len(text.split()) <= 6 for text in together)
    assert any(together)
    assert captioner.captions([]) == []


def test_what_does_not_caption_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"is a mpnet, not one of the captioning models known here: blip, blip-2, git"):
        Captioner(str(tiny_vqa_models.mpnet(tmp_path)), "cpu", beams=1, longest=5)
