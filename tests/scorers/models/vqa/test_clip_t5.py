"""CLIP-FlanT5: a random checkpoint of the published layout, converted and opened, against its authors' forward restated."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from transformers import CLIPVisionConfig, CLIPVisionModel, T5Config, T5ForConditionalGeneration  # noqa: E402
from transformers.modeling_outputs import BaseModelOutput  # noqa: E402

from scorers.models import conversion, hub  # noqa: E402
from scorers.models.vqa import VqaQuestion, clip_t5, open_vqa  # noqa: E402
from tests.scorers.models.vqa import tiny_vqa_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

Tensor = Any  # a torch.Tensor, which mypy does not follow

SIDE = 32
VISION = {
    "hidden_size": 128, "intermediate_size": 64, "num_hidden_layers": 3, "num_attention_heads": 2, "image_size": SIDE,
    "patch_size": 8, "hidden_act": "quick_gelu",
}  # fmt: skip
TEXT = {
    "model_type": "clip_t5", "d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4,
    "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "pad_token_id": 0, "decoder_start_token_id": 0,
    "eos_token_id": 3, "architectures": ["CLIPT5ForConditionalGeneration"],
}  # fmt: skip
PUBLISHED = {
    "mm_vision_tower": "openai/clip-vit-large-patch14-336", "mm_hidden_size": 128, "mm_projector_type": "mlp2x_gelu",
    "mm_vision_select_layer": -2, "mm_vision_select_feature": "patch", "use_mm_proj": True,
}  # fmt: skip
TEMPLATE = 'Does this figure show "{}"? Please answer yes or no.'
TEXTS = ["a red cup on the left of a dog", "two cat"]


class Authors:
    """``CLIPT5ForConditionalGeneration`` and ``CLIPT5Model`` of t2v_metrics, of three separate parts."""

    def __init__(self) -> None:
        self.tokenizer = tiny_vqa_models.word_level(ends=True)
        # more places for words than the tokenizer knows, as Flan-T5 has
        config = T5Config(**{key: TEXT[key] for key in TEXT if key != "model_type"}, vocab_size=len(self.tokenizer) + 28)
        self.text: Any = tiny_vqa_models.seeded(T5ForConditionalGeneration, config)
        # Flan-T5 does not say by the words that it reads by
        self.text.lm_head.weight = torch.nn.Parameter(torch.randn(config.vocab_size, 32))
        self.vision: Any = tiny_vqa_models.seeded(CLIPVisionModel, CLIPVisionConfig(**VISION))
        self.projector = tiny_vqa_models.seeded(
            lambda _: torch.nn.Sequential(torch.nn.Linear(128, 32), torch.nn.GELU(), torch.nn.Linear(32, 32)), None
        )

    def state(self) -> dict[str, Tensor]:
        words = self.text.shared.weight
        text = {**self.text.state_dict(), "lm_head.weight": self.text.lm_head.weight, "embed_tokens.weight": words}
        tower = {f"vision_tower.vision_tower.vision_model.{key}": some for key, some in self.vision.state_dict().items()}
        tower["vision_tower.vision_tower.vision_model.embeddings.position_ids"] = torch.arange(17)[None]
        projector = {f"mm_projector.{key}": some for key, some in self.projector.state_dict().items()}
        return {key: some.detach() for key, some in {**text, **tower, **projector}.items()}

    def publish(self, folder: Path, tower: bool = True) -> Path:
        folder.mkdir(parents=True)
        remaining = {key: some for key, some in self.state().items() if tower or not key.startswith("vision_tower")}
        torch.save(remaining, folder / "pytorch_model.bin")
        torch.save({"not": "weights"}, folder / "training_args.bin")
        config = {**TEXT, **PUBLISHED, "vocab_size": len(self.tokenizer) + 28}
        (folder / "config.json").write_text(json.dumps(config))
        self.tokenizer.save_pretrained(folder)
        return folder

    def pixels(self, image: Image.Image) -> Tensor:
        """``expand2square`` with CLIP's mean, then CLIP's own resizing and normalising."""
        mean, std = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
        width, height = image.size
        square = Image.new(image.mode, (max(width, height),) * 2, tuple(int(x * 255) for x in mean))
        if width > height:
            square.paste(image, (0, (width - height) // 2))
        else:
            square.paste(image, ((height - width) // 2, 0))
        small = square.resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        array = torch.tensor(list(small.tobytes()), dtype=torch.float32).view(SIDE, SIDE, 3).permute(2, 0, 1) / 255
        return (array - torch.tensor(mean)[:, None, None]) / torch.tensor(std)[:, None, None]

    def tokens(self, prompt: str) -> list[int]:
        """``t5_tokenizer_image_token``: -200 is the image."""
        first, second = prompt.split("<image>")
        return [*self.tokenizer(first).input_ids, -200, *self.tokenizer(second).input_ids]

    def logits(self, images: list[Image.Image], texts: list[str]) -> tuple[Tensor, Tensor]:
        """One batch, as ``forward`` of both classes: n x L x V, and the labels."""
        system = (
            "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed,"
            " and polite answers to the user's questions."
        )
        prompts = [system + " USER: " + "<image>" + "\n" + TEMPLATE.format(text) + " ASSISTANT: " for text in texts]
        ids = torch.nn.utils.rnn.pad_sequence([torch.tensor(self.tokens(prompt)) for prompt in prompts], batch_first=True)
        labels = torch.tensor([self.tokenizer("yes").input_ids] * len(texts))
        mask = ids.ne(self.tokenizer.pad_token_id)
        seen = self.vision(torch.stack([self.pixels(image) for image in images]), output_hidden_states=True)
        features = self.projector(seen.hidden_states[-2][:, 1:])
        values = []
        for row, feature in zip(ids, features, strict=True):
            (start,) = torch.where(row == -200)[0].tolist()
            words = self.text.encoder.embed_tokens
            values.append(torch.cat([words(row[:start]), feature, words(row[start + 1 :])]))
        wide = torch.cat([torch.full((len(ids), len(values[0]) - ids.shape[1]), True), mask], 1)
        # resize_token_embeddings(len(tokenizer)) takes the places away that no word has
        logits = self.text(inputs_embeds=torch.stack(values), attention_mask=wide, labels=labels).logits
        return logits[..., : len(self.tokenizer)], labels


@pytest.fixture(scope="module")
def authors() -> Authors:
    return Authors()


@pytest.fixture(scope="module")
def images() -> list[Image.Image]:
    return [picture(1)[0].convert("RGB").resize((80, 50)), picture(2)[0].convert("RGB").resize((40, 90))]


def converted(source: Path, patch: pytest.MonkeyPatch, home: Path) -> str:
    """As ``models convert`` of a hub id does it, of a snapshot that lies in a folder."""
    patch.setattr(hub, "CHECKPOINTS", home / "models")
    patch.setattr(hub, "snapshot", lambda name: source if name.startswith("zhiqiulin/") else home / name)
    done = conversion.convert("zhiqiulin/clip-flant5-xl")
    assert done.setting == "vqa"
    return str(done.folder)


@pytest.mark.parametrize("tower", [True, False], ids=["CLIP inside", "CLIP beside"])
def test_its_logits_are_those_of_its_authors(
    tower: bool, authors: Authors, images: list[Image.Image], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not tower:
        authors.vision.save_pretrained(tmp_path / "openai" / "clip-vit-large-patch14-336")
        beside = tmp_path / "openai" / "clip-vit-large-patch14-336"
        (beside / "model.safetensors").unlink()
        named = {f"vision_model.{key}": some for key, some in authors.vision.state_dict().items()}
        torch.save({**named, "text_model.x": torch.zeros(2)}, beside / "pytorch_model.bin")
    name = converted(authors.publish(tmp_path / "snapshot", tower), monkeypatch, tmp_path)
    model: Any = open_vqa(name, "cpu", {})
    questions = [TEMPLATE.format(text) for text in TEXTS]
    with torch.inference_mode():
        theirs, labels = authors.logits(images, TEXTS)
        states, there = model._read(model._look(images), range(2), questions)
        begun = torch.cat([torch.zeros(2, 1, dtype=torch.long), labels[:, :-1]], 1)
        ours = model._text(encoder_outputs=BaseModelOutput(states), attention_mask=there, decoder_input_ids=begun).logits
    assert theirs.std() > 1
    assert float((ours - theirs).abs().max()) < 1e-4
    losses = torch.nn.functional.cross_entropy(theirs.transpose(1, 2), labels, reduction="none").sum(1)
    likelihood = model.likelihood(images, questions, "yes")
    assert [math.log(entry) for entry in likelihood] == pytest.approx((-losses).tolist(), abs=1e-4)
    ((answer,), (other,)) = model.answer(images, [[VqaQuestion("what color is the cup?", ("red", "blue"))]] * 2)
    assert answer.probabilities != other.probabilities


def test_what_is_not_as_published_is_refused(authors: Authors) -> None:
    with pytest.raises(ValueError, match="no CLIP-FlanT5 as published: mm_vision_select_layer -1, mm_projector_type linear"):
        clip_t5.import_clip_t5(
            authors.state(), {**PUBLISHED, "mm_vision_select_layer": -1, "mm_projector_type": "linear"}, lambda _: {}
        )


def test_a_missing_tokenizer_is_said_to_be_flan_t5s(authors: Authors, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = authors.publish(tmp_path / "snapshot")
    for path in source.glob("*token*"):
        path.unlink()
    name = converted(source, monkeypatch, tmp_path)
    with pytest.raises(OSError, match=r"fetch it once: uv run hf download google/flan-t5-xl tokenizer\.json "):
        open_vqa(name, "cpu", {})
