"""BLIP's numbers, against transformers' own forward."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from transformers import AutoProcessor, BlipForQuestionAnswering  # noqa: E402

from scorers.models.vqa import (  # noqa: E402
    VqaQuestion,
    blip,
)
from scorers.models.vqa.blip import Blip  # noqa: E402
from tests.scorers.models.vqa import tiny_vqa_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

QUESTION = "What color is the traffic light?"
CHOICES = ("red", "traffic light", "no", "blue cup")


@pytest.fixture(scope="module", params=[False, True], ids=["bert", "words"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_vqa_models.blip(tmp_path_factory.mktemp("models") / "blip", words=request.param)


@pytest.fixture(scope="module")
def image() -> Image.Image:
    return picture(3)[0]


def published(folder: Path, image: Image.Image) -> tuple[Any, dict[str, Any]]:
    """The model and what its processor makes of the question."""
    model = BlipForQuestionAnswering.from_pretrained(folder, dtype=torch.float32).eval()
    return model, dict(AutoProcessor.from_pretrained(folder)(images=image, text=QUESTION, return_tensors="pt"))


def logs(folder: Path, image: Image.Image, answer: str) -> float:
    """The logarithm of an answer's probability, from the loss of the whole model: a mean over the tokens after the first."""
    model, values = published(folder, image)
    text = model.config.text_config
    inner = AutoProcessor.from_pretrained(folder).tokenizer(answer, add_special_tokens=False).input_ids
    labels = torch.tensor([[text.bos_token_id, *inner, text.sep_token_id]])
    with torch.no_grad():
        return -float(model(**values, labels=labels).loss) * (len(inner) + 1)


def test_choices_are_weighed_by_the_loss_of_the_whole_model(folder: Path, image: Image.Image) -> None:
    model = Blip(str(folder), "cpu", {})
    ((answer,),) = model.answer([image], [[VqaQuestion(QUESTION, CHOICES)]])
    expected = torch.tensor([logs(folder, image, choice) for choice in CHOICES]).softmax(0)
    assert answer.probabilities == pytest.approx(expected.tolist(), abs=1e-5)
    (said,) = model.likelihood([image], [QUESTION], "blue cup")
    assert torch.tensor(said).log().item() == pytest.approx(logs(folder, image, "blue cup"), abs=1e-4)
    inner = AutoProcessor.from_pretrained(folder).tokenizer("blue cup", add_special_tokens=False).input_ids
    assert model.answer_length("blue cup") == len(inner) + 1


def test_free_answers_are_those_of_generate(folder: Path, image: Image.Image, tmp_path: Path) -> None:
    model, values = published(folder, image)
    ids = model.generate(**values, num_beams=3, max_new_tokens=10)
    expected = AutoProcessor.from_pretrained(folder).decode(ids[0, 1:], skip_special_tokens=True).strip()
    settings = {"answering": "free", "sentences": str(tiny_vqa_models.mpnet(tmp_path))}
    ((answer,),) = Blip(str(folder), "cpu", settings).answer([image], [[VqaQuestion(QUESTION, CHOICES)]])
    assert answer.free == expected


def test_choices_go_through_in_parts(folder: Path, image: Image.Image, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Blip(str(folder), "cpu", {})
    queries = [VqaQuestion(QUESTION, CHOICES), VqaQuestion("Is there a dog?", ("yes", "no"))]
    (whole,) = model.answer([image], [queries])
    monkeypatch.setattr(blip, "_ANSWERS", 1)
    (single,) = model.answer([image], [queries])
    for a, b in zip(whole, single, strict=True):
        assert a.probabilities == pytest.approx(b.probabilities, abs=1e-5)


def test_choices_that_are_one_to_the_tokenizer_are_refused(tmp_path: Path, image: Image.Image) -> None:
    model = Blip(str(tiny_vqa_models.blip(tmp_path / "m", words=True)), "cpu", {})
    with pytest.raises(ValueError, match="cannot tell 'zebra' from 'okapi': to its tokens they are one"):
        model.answer([image], [[VqaQuestion("What is it?", ("dog", "zebra", "okapi"))]])
