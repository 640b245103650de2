"""Models that chat, asked by letters: against the processor's own template and one forward of the whole."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")
pytest.importorskip("num2words", reason="the group scorers is not installed")

from transformers import AutoModelForImageTextToText, AutoProcessor  # noqa: E402

from scorers.models.vqa import (  # noqa: E402
    VqaQuestion,
    chat,
    open_vqa,
)
from scorers.models.vqa.chat import DIRECTION, PIXELS, Chat, lettered  # noqa: E402
from tests.scorers.models.vqa import tiny_chat_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

QUERY = VqaQuestion("Which animal?", ("cat", "dog", "a red bus"))
MAKE: dict[str, Callable[[Path], Path]] = {
    "qwen": tiny_chat_models.qwen,
    "thinking": lambda folder: tiny_chat_models.qwen(folder, tiny_chat_models.THINKING),
    "smol": tiny_chat_models.smol,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("models")
    return {name: make(root / name) for name, make in MAKE.items()}


@pytest.fixture(scope="module")
def image() -> Image.Image:
    return picture(4)[0].resize((300, 200))


class Whole:
    """Everything of a question in one forward, as model cards do it."""

    def __init__(self, folder: Path) -> None:
        self.model = AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
        self.processor = AutoProcessor.from_pretrained(folder)
        if hasattr(self.processor.image_processor, "merge_size"):
            self.processor.image_processor.size = dict(zip(("shortest_edge", "longest_edge"), PIXELS, strict=True))
        self.space = " " if "Assistant:" in str(self.processor.chat_template) else ""

    def logs(self, image: Image.Image, texts: list[str], reply: str = "") -> Any:
        """Of each text and the reply after it, the logarithms of all next tokens' probabilities; filled up on the left."""
        content = [[{"type": "image"}, {"type": "text", "text": text}] for text in texts]
        parts = [
            self.processor.apply_chat_template(
                [{"role": "user", "content": some}], add_generation_prompt=True, tokenize=False, enable_thinking=False
            )
            for some in content
        ]
        values = self.processor(
            text=[f"{text}{reply}" for text in parts],
            images=[[image] for _ in parts],
            padding=True,
            padding_side="left",
            return_tensors="pt",
        )
        with torch.no_grad():
            return self.model(**values).logits.log_softmax(-1)

    def tokens(self, text: str) -> list[int]:
        ids: list[int] = self.processor.tokenizer(f"{self.space}{text}", add_special_tokens=False).input_ids
        return ids


@pytest.mark.parametrize("name", MAKE)
def test_letters_are_weighed_as_after_the_whole_chat(name: str, folders: dict[str, Path], image: Image.Image) -> None:
    whole = Whole(folders[name])
    orders = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    texts = [
        "Which animal?\n" + "\n".join(f"{letter}. {QUERY.choices[k]}" for letter, k in zip("ABC", order, strict=True))
        + f"\n{DIRECTION}"
        for order in orders
    ]  # fmt: skip
    letters = [ids[0] for ids in map(whole.tokens, "ABC")]
    shares = whole.logs(image, texts)[:, -1][:, letters].softmax(-1)
    expected = [sum(float(shares[k, order.index(choice)]) for k, order in enumerate(orders)) / 3 for choice in range(3)]

    model = open_vqa(str(folders[name]), "cpu", {})
    assert isinstance(model, Chat)
    assert model._shared
    ((answer,),) = model.answer([image], [[QUERY]])
    assert answer.probabilities == pytest.approx(expected, abs=1e-5)
    vqa_answer = open_vqa(str(folders[name]), "cpu", {"rotations": 1}).answer([image], [[QUERY]])[0][0]
    assert vqa_answer.probabilities == pytest.approx(shares[0].tolist(), abs=1e-5)


@pytest.mark.parametrize("name", MAKE)
def test_a_reply_of_several_tokens_is_weighed_token_by_token(name: str, folders: dict[str, Path], image: Image.Image) -> None:
    whole = Whole(folders[name])
    ids = whole.tokens("yes")
    assert len(ids) == 3
    logs = whole.logs(image, ["Is it?"], f"{whole.space}yes")[0, -4:-1]
    expected = sum(float(logs[k, token]) for k, token in enumerate(ids))
    (said,) = open_vqa(str(folders[name]), "cpu", {}).likelihood([image], ["Is it?"], "yes")
    assert math.log(said) == pytest.approx(expected, abs=1e-3)
    assert open_vqa(str(folders[name]), "cpu", {}).answer_length("yes") == 3


@pytest.mark.parametrize("name", MAKE)
def test_where_the_image_cannot_be_shared_each_question_goes_whole(
    name: str, folders: dict[str, Path], image: Image.Image, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = open_vqa(str(folders[name]), "cpu", {})
    monkeypatch.setattr(chat, "_APART", {torch.float32: -1.0})
    apart: Any = open_vqa(str(folders[name]), "cpu", {})
    assert not apart._shared
    ((a,),), ((b,),) = (model.answer([image], [[QUERY]]) for model in (shared, apart))
    assert a.probabilities == pytest.approx(b.probabilities, abs=1e-5)
    assert apart.likelihood([image], ["Is it?"], "yes") == pytest.approx(
        shared.likelihood([image], ["Is it?"], "yes"), rel=1e-3
    )


def test_questions_go_through_in_parts(folders: dict[str, Path], image: Image.Image, monkeypatch: pytest.MonkeyPatch) -> None:
    model = open_vqa(str(folders["qwen"]), "cpu", {})
    queries = [QUERY, VqaQuestion("Is it a cat?", ("yes", "no")), QUERY]
    ((whole),) = model.answer([image], [queries])
    monkeypatch.setattr(chat, "_ROWS", 2)
    ((single),) = model.answer([image], [queries])
    for a, b in zip(whole, single, strict=True):
        assert a.probabilities == pytest.approx(b.probabilities, abs=1e-5)


def test_letters_that_are_not_one_token_each_are_refused(tmp_path: Path) -> None:
    # a reply begins with a space here, and there is no " A"
    with pytest.raises(ValueError, match="does not have the letter A as one token of its own: it cannot choose by it"):
        open_vqa(str(tiny_chat_models.smol(tmp_path / "none", joined=())), "cpu", {})
    with pytest.raises(ValueError, match="does not have the letter C as one token"):
        open_vqa(str(tiny_chat_models.smol(tmp_path / "two", joined=("A", "B", *ascii_uppercase[3:]))), "cpu", {})


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("", "has no chat template"),
        ("{% for m in messages %}{{ m.content[1].text }}{% endfor %}", "does not hold an image and then the question"),
        (tiny_chat_models.QWEN.replace("{{ part.text }}", "..."), "does not hold an image and then the question"),
        (tiny_chat_models.QWEN.replace("{{ part.text }}", "{{ part.text }}{{ part.text }}"), "does not hold an image and then"),
    ],
)
def test_templates_that_do_not_keep_to_a_question_are_refused(template: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        open_vqa(str(tiny_chat_models.qwen(tmp_path, template)), "cpu", {})


def test_what_would_change_the_chat_is_refused(folders: dict[str, Path], image: Image.Image) -> None:
    model = open_vqa(str(folders["qwen"]), "cpu", {})
    for query in (VqaQuestion("<|im_end|>Is it?", ("yes", "no")), VqaQuestion("Is it?", ("yes", "<|image_pad|>"))):
        with pytest.raises(ValueError, match=r"would take '<\|im\w+\|>' in a question as a special token"):
            model.answer([image], [[query]])
    with pytest.raises(ValueError, match="chooses among 26 letters, and a question has 27 choices"):
        model.answer([image], [[VqaQuestion("Which?", tuple(map(str, range(27))))]])
    with pytest.raises(ValueError, match="rotations must be 0 or more, got -1"):
        open_vqa(str(folders["qwen"]), "cpu", {"rotations": -1})


def test_images_are_fitted_to_a_number_of_pixels(folders: dict[str, Path]) -> None:
    model: Any = open_vqa(str(folders["qwen"]), "cpu", {})
    for size in ((20, 30), (300, 200), (3000, 2000)):
        values = model._given([model._turns.head], Image.new("RGB", size))
        _, h, w = values["image_grid_thw"][0].tolist()
        assert 0.9 * PIXELS[0] <= 256 * h * w <= PIXELS[1]


def test_choices_stand_after_their_letters() -> None:
    assert lettered(QUERY, (2, 0, 1)) == f"Which animal?\nA. a red bus\nB. cat\nC. dog\n{DIRECTION}"
