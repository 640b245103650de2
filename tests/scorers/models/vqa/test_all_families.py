"""What all models that answer questions keep to: random weights, saved and loaded as the real ones are."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from scorers.base import ModelBroken  # noqa: E402
from scorers.models.vqa import Vqa, VqaQuestion, model, open_vqa  # noqa: E402
from tests.scorers.models.vqa import tiny_chat_models, tiny_vqa_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

MAKE = {**tiny_vqa_models.MAKE, "qwen": tiny_chat_models.qwen, "smol": tiny_chat_models.smol}

QUERIES = (
    VqaQuestion("Is there a red cup?", ("yes", "no")),
    VqaQuestion("What color is the cup on the left of the dog in this picture?", ("red", "blue", "green", "traffic light")),
    VqaQuestion("How many dogs are there?", ("one", "two", "three")),
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("models")
    return {name: make(root / name) for name, make in {**MAKE, "sentences": tiny_vqa_models.mpnet}.items()}


@pytest.fixture(scope="module")
def pictures() -> list[Image.Image]:
    return [picture(seed)[0].resize(size) for seed, size in enumerate([(90, 90), (120, 40), (30, 61), (64, 64)])]


def opened(folders: dict[str, Path], name: str, **settings: Any) -> Vqa:
    return open_vqa(str(folders[name]), "cpu", {"sentences": str(folders["sentences"]), **settings})


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("answering", ["choices", "free"])
def test_many_questions_at_once_are_answered_as_each_alone(
    name: str, answering: str, folders: dict[str, Path], pictures: list[Image.Image]
) -> None:
    if answering not in tiny_vqa_models.ANSWERINGS.get(name, ("choices", "free")):
        with pytest.raises(ValueError, match=f"has no answering {answering!r}; known: "):
            opened(folders, name, answering=answering)
        return
    model = opened(folders, name, answering=answering)
    per_image = [QUERIES, (), QUERIES[::-1], QUERIES[1:2]]
    answers = model.answer(pictures, per_image)
    assert [len(some) for some in answers] == [3, 0, 3, 1]
    said = set()
    for image, queries, some in zip(pictures, per_image, answers, strict=True):
        for query, answer in zip(queries, some, strict=True):
            said.add((answer.chosen, answer.probabilities or answer.similarity))
            assert answer.chosen in query.choices
            ((alone,),) = model.answer([image], [[query]])
            assert (answer.chosen, answer.free, answer.matched) == (alone.chosen, alone.free, alone.matched)
            if answering == "choices":
                assert answer.probabilities == pytest.approx(alone.probabilities, abs=1e-4)
                assert answer.probabilities is not None
                assert sum(answer.probabilities) == pytest.approx(1)
                assert answer.chosen == query.choices[int(np.argmax(answer.probabilities))]
                assert (answer.matched, answer.free, answer.similarity) == ("likelihood", None, None)
            else:
                assert answer.probabilities is None
                assert answer.free is not None
                assert (answer.matched == "similar") == (answer.similarity is not None)
    assert len(said) > 3  # pictures and questions make a difference
    assert model.answer([], []) == []
    assert model.answer(pictures[:1], [[]]) == [[]]


@pytest.mark.parametrize("name", MAKE)
def test_images_that_go_together_change_nothing(
    name: str, folders: dict[str, Path], pictures: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    model_value = opened(folders, name)
    per_image = [QUERIES, (), QUERIES[:1], QUERIES[::-1]]
    alone = model_value.answer(pictures, per_image)
    # as on a GPU
    monkeypatch.setattr(model, "batch_size", lambda _, most: most)
    monkeypatch.setattr(model, "_QUESTIONS", 5)
    for some, others in zip(model_value.answer(pictures, per_image), alone, strict=True):
        for a, b in zip(some, others, strict=True):
            assert (a.chosen, a.free, a.matched) == (b.chosen, b.free, b.matched)
            if a.probabilities is not None:
                assert a.probabilities == pytest.approx(b.probabilities, abs=1e-4)


@pytest.mark.parametrize("name", MAKE)
def test_the_likelihood_of_an_answer_is_a_probability_or_refused(
    name: str, folders: dict[str, Path], pictures: list[Image.Image]
) -> None:
    model = opened(folders, name)
    if name == "vilt":
        with pytest.raises(ValueError, match="gives no probability"):
            model.likelihood(pictures, ["Is there a dog?"] * 4, "yes")
        return
    questions = ["Is there a dog?", "Does this figure show a red cup? Please answer yes or no.", "Is there a dog?", "Is it?"]
    result = model.likelihood(pictures, questions, "yes")
    assert result.shape == (4,)
    assert result.dtype == np.float64
    assert ((result > 0) & (result < 1)).all()
    assert len(set(result.tolist())) == 4
    for k in range(4):
        (alone,) = model.likelihood([pictures[k]], [questions[k]], "yes")
        assert math.log(alone) == pytest.approx(math.log(result[k]), abs=1e-3)
    assert model.likelihood([], [], "yes").shape == (0,)
    assert model.answer_length("yes") >= 1


@pytest.mark.parametrize("name", MAKE)
def test_a_model_that_sees_nothing_is_found_out(name: str, folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    for value, message in ((float("nan"), "gives no finite numbers"), (0.0, "gives the same number")):
        model: Any = opened(folders, name)
        with torch.no_grad():
            for parameter in model._model.parameters():
                parameter.mul_(value) if parameter.is_mkldnn else parameter.fill_(value)
        with pytest.raises(ModelBroken, match=message):
            model.answer(pictures[:2], [QUERIES[:1]] * 2)


@pytest.mark.parametrize("name", MAKE)
def test_questions_that_make_no_sense_are_refused(name: str, folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    model = opened(folders, name)
    for choices in ((), ("yes",), ("yes", "no", "yes")):
        with pytest.raises(ValueError, match=r"'Is it.' needs two or more choices, each different"):
            model.answer(pictures[:1], [[VqaQuestion("Is it?", choices)]])
    with pytest.raises(ValueError, match=r"reads \d+ tokens") as caught:
        model.answer(pictures[:1], [[VqaQuestion("is it " * 400, ("yes", "no"))]])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_names_that_are_no_model_are_refused(folders: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="there is no model blip that answers questions"):
        open_vqa("blip", "cpu", {})
    with pytest.raises(OSError, match="is not on this machine; fetch it once: uv run hf download someone/something"):
        open_vqa("someone/something", "cpu", {})
    with pytest.raises(
        ValueError, match="is a model of type mpnet; known: blip, blip-2, clip_t5, git, instructblip, vilt, and those that chat"
    ):
        open_vqa(str(folders["sentences"]), "cpu", {})
    with pytest.raises(OSError, match="sentence-transformers/all-mpnet-base-v2 is not on this machine"):
        open_vqa(str(folders["blip"]), "cpu", {"answering": "free"})
    with pytest.raises(ValueError, match="has no answering 'loud'; known: choices, free"):
        open_vqa(str(folders["blip"]), "cpu", {"answering": "loud"})
