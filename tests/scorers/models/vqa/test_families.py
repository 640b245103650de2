"""BLIP-2's, InstructBLIP's, GIT's and ViLT's numbers, against transformers' own forward and generate of one question."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from transformers import (  # noqa: E402
    AutoProcessor,
    Blip2ForConditionalGeneration,
    GitForCausalLM,
    InstructBlipForConditionalGeneration,
    ViltForQuestionAnswering,
)

from scorers.models.vqa import (  # noqa: E402
    VqaQuestion,
    open_vqa,
)
from tests.scorers.models.vqa import tiny_vqa_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

QUERY = VqaQuestion("What color is the traffic light?", ("red", "traffic light", "no", "blue cup"))
TIFA = (
    "Answer the multiple-choice question. Question: What color is the traffic light? Choices: red, traffic light, no, blue cup "
    "Answer:"
)


@pytest.fixture(scope="module")
def sentences(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_vqa_models.mpnet(tmp_path_factory.mktemp("models") / "sentences"))


@pytest.fixture(scope="module")
def image() -> Image.Image:
    return picture(5)[0]


def probabilities(folder: Path, image: Image.Image, **settings: Any) -> tuple[float, ...]:
    ((answer,),) = open_vqa(str(folder), "cpu", {"answering": "choices", **settings}).answer([image], [[QUERY]])
    assert answer.probabilities is not None
    return answer.probabilities


def free(folder: Path, image: Image.Image, sentences: str) -> str:
    model = open_vqa(str(folder), "cpu", {"answering": "free", "sentences": sentences})
    ((answer,),) = model.answer([image], [[QUERY]])
    assert answer.free is not None
    return answer.free


def shares(weights: list[float]) -> list[float]:
    most = max(weights)
    raised = [math.exp(weight - most) for weight in weights]
    return [one / sum(raised) for one in raised]


@pytest.mark.parametrize("kind", [Blip2ForConditionalGeneration, InstructBlipForConditionalGeneration])
def test_blip_2_is_its_own_loss_and_its_own_beams(kind: Any, image: Image.Image, sentences: str, tmp_path: Path) -> None:
    folder = tiny_vqa_models.blip2(tmp_path / "m", instruct=kind is InstructBlipForConditionalGeneration)
    model = kind.from_pretrained(folder, dtype=torch.float32).eval()
    processor = AutoProcessor.from_pretrained(folder)
    values = dict(processor(images=image, text=TIFA, return_tensors="pt"))
    assert int((values["input_ids"] == model.config.image_token_index).sum()) == 5

    def logs(prompt: dict[str, Any], answer: str) -> float:
        labels = processor.tokenizer(answer, return_tensors="pt").input_ids
        with torch.no_grad():
            return -float(model(**prompt, labels=labels).loss) * int(labels.shape[1])

    expected = shares([logs(values, choice) for choice in QUERY.choices])
    assert probabilities(folder, image) == pytest.approx(expected, abs=1e-4)
    plain = dict(processor(images=image, text="Is there a dog?", return_tensors="pt"))
    (said,) = open_vqa(str(folder), "cpu", {}).likelihood([image], ["Is there a dog?"], "traffic light")
    assert math.log(said) == pytest.approx(logs(plain, "traffic light"), abs=1e-3)
    tokens = processor.tokenizer("traffic light", return_tensors="pt").input_ids.shape[1]
    assert open_vqa(str(folder), "cpu", {}).answer_length("traffic light") == tokens

    ids = model.generate(**values, num_beams=5, max_new_tokens=30)
    assert free(folder, image, sentences) == processor.decode(ids[0], skip_special_tokens=True).strip()


def test_blip_2_with_a_decoder_alone_is_refused(tmp_path: Path) -> None:
    from transformers import Blip2Config, OPTConfig

    Blip2Config(text_config=OPTConfig().to_dict()).save_pretrained(tmp_path)
    with pytest.raises(ValueError, match="has a language model that only decodes; known: those with Flan-T5"):
        open_vqa(str(tmp_path), "cpu", {})


def test_git_is_its_own_loss_and_its_own_generate(image: Image.Image, sentences: str, tmp_path: Path) -> None:
    folder = tiny_vqa_models.git(tmp_path / "m")
    model = GitForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    processor = AutoProcessor.from_pretrained(folder)
    pixels = processor(images=image, return_tensors="pt").pixel_values
    mark, end = processor.tokenizer.cls_token_id, processor.tokenizer.sep_token_id
    question = [mark, *processor.tokenizer(QUERY.text, add_special_tokens=False).input_ids]

    def logs(answer: str) -> float:
        inner = [*processor.tokenizer(answer, add_special_tokens=False).input_ids, end]
        labels = torch.tensor([[*[-100] * len(question), *inner]])
        with torch.no_grad():
            out = model(input_ids=torch.tensor([[*question, *inner]]), pixel_values=pixels, labels=labels)
        return -float(out.loss) * len(inner)

    expected = shares([logs(choice) for choice in QUERY.choices])
    assert probabilities(folder, image) == pytest.approx(expected, abs=1e-4)
    (said,) = open_vqa(str(folder), "cpu", {"sentences": sentences}).likelihood([image], [QUERY.text], "blue cup")
    assert math.log(said) == pytest.approx(logs("blue cup"), abs=1e-3)
    inner = processor.tokenizer("blue cup", add_special_tokens=False).input_ids
    assert open_vqa(str(folder), "cpu", {"sentences": sentences}).answer_length("blue cup") == len(inner) + 1

    ids = model.generate(
        input_ids=torch.tensor([question]), pixel_values=pixels, max_new_tokens=30, eos_token_id=end, pad_token_id=0
    )
    strip = processor.decode(ids[0, len(question) :], skip_special_tokens=True).strip()
    assert free(folder, image, sentences) == strip


def test_git_looks_at_the_middle_of_a_strip(sentences: str, tmp_path: Path) -> None:
    model: Any = open_vqa(str(tiny_vqa_models.git(tmp_path / "m")), "cpu", {"sentences": sentences})
    sizes: list[tuple[int, int]] = []
    process = model._process

    def noted(images: list[Image.Image], **named: Any) -> Any:
        sizes.extend(one.size for one in images)
        return process(images=images, **named)

    model._process = noted
    assert len(model.answer([Image.new("RGB", (1, 9000), "red")], [[QUERY]])[0]) == 1
    assert sizes == [(1, 16)]


def test_vilt_gives_the_likeliest_of_its_own_answers(sentences: str, tmp_path: Path) -> None:
    folder = tiny_vqa_models.vilt(tmp_path / "m")
    model = ViltForQuestionAnswering.from_pretrained(folder, dtype=torch.float32).eval()
    processor = AutoProcessor.from_pretrained(folder)
    said = set()
    for seed in range(4):
        image = picture(seed)[0].resize((70 + 20 * seed, 90))
        with torch.no_grad():
            logits = model(**processor(image, QUERY.text, return_tensors="pt")).logits
        said.add(free(folder, image, sentences))
        assert free(folder, image, sentences) == model.config.id2label[int(logits.argmax())]
    assert len(said) > 1


def test_vilt_reads_forty_tokens_and_leaves_the_dice_alone(image: Image.Image, sentences: str, tmp_path: Path) -> None:
    model = open_vqa(str(tiny_vqa_models.vilt(tmp_path / "m")), "cpu", {"sentences": sentences})
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    model.answer([image], [[VqaQuestion("is the " * 19, QUERY.choices)]])
    assert torch.equal(torch.random.get_rng_state(), before)
    with pytest.raises(ValueError, match=r"reads 40 tokens, and 'is the is .*'\.\.\. has 42"):
        model.answer([image], [[VqaQuestion("is the " * 20, QUERY.choices)]])
