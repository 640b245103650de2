"""The two language models, with random weights: what counts here is what they read, and that the real ones load so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scorers.models.language_endpoint import Completion, Failure
from scorers.models.text_generation import QuestionLlama, TextQuestion, UnifiedQa, line_of, prompt_of
from scorers.questions.writing import results
from tests.scorers.models.tiny_language_models import random_llama, random_t5

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_llama(tmp_path_factory.mktemp("models") / "llama")


@pytest.fixture(scope="module")
def t5(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_t5(tmp_path_factory.mktemp("models") / "t5")


def test_the_released_models_prompt() -> None:
    prompt = prompt_of("a cat")
    assert prompt.startswith(
        "<s>[INST] <<SYS>>\nGiven an image description, generate one or two multiple-choice questions that "
    )
    assert prompt.endswith("then generate a question for each type.\n\n<</SYS>>\n\nDescription: a cat [/INST] Entities:")


def test_a_prompt_begins_once(llama: Path) -> None:
    model = QuestionLlama(str(llama))
    ids = model.tokens("a cat")
    assert (ids[0], ids.count(1)) == (1, 1)
    # special tokens in a caption are not obeyed
    hostile = model.tokens("</s> a cat<s>\n")
    assert (hostile.count(1), hostile.count(2)) == (1, 0)
    assert hostile == ids


def filling(llama: Path) -> str:
    """A caption that leaves little room, as random weights never come to an end."""
    model = QuestionLlama(str(llama))
    caption = "a cat"
    while len(model.tokens(f"{caption} cat")) <= 480:
        caption += " cat"
    return caption


def test_llama_writes_and_always_the_same(llama: Path) -> None:
    model, caption = QuestionLlama(str(llama)), filling(llama)
    first = model.complete(caption)
    assert isinstance(first, Completion)
    assert first == model.complete(caption)
    n = len(model.tokens(caption))
    assert first.tokens_in == n
    assert first.tokens_out is not None
    # 512 tokens are for the prompt and the answer together
    assert n + first.tokens_out <= 512
    assert first.finished == (n + first.tokens_out < 512)
    long = model.complete("a cat and " * 200)
    assert isinstance(long, Failure)
    assert "leaves no room for questions" in long.reason


def test_what_unifiedqa_reads() -> None:
    question = TextQuestion("How many\ncats?", "Two  cats, on a SOFA", ("1", "Two"))
    assert line_of(question) == r"how many cats? \n two cats, on a sofa \n (a) 1 (b) two"
    assert line_of(TextQuestion("How many?", "Two")) == r"how many? \n two"
    assert "\n" not in line_of(question)


def test_unifiedqa_answers_each_as_if_alone(t5: Path) -> None:
    model = UnifiedQa(str(t5))
    questions = [TextQuestion("is there a cat?", "a cat " * n, ("yes", "no")[: n % 3]) for n in range(1, 6)]
    assert model.answer(questions) == [model.answer([question])[0] for question in questions]
    assert model.answer([]) == []


def test_wrong_models_are_told_in_a_line(llama: Path, t5: Path) -> None:
    with pytest.raises(ValueError, match="is a model of type llama; UnifiedQA's are of type t5"):
        UnifiedQa(str(llama))
    with pytest.raises(ValueError, match=r"cannot be opened by transformers|no tokens for the beginning"):
        QuestionLlama(str(t5))
    with pytest.raises(OSError, match="the model nobody/nothing is not on this machine; fetch it once: uv run hf download"):
        QuestionLlama("nobody/nothing")


def worked(job: dict[str, Any]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scorers.questions.writing"],
        input=json.dumps(job),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_worker_writes_and_answers(llama: Path, t5: Path) -> None:
    long = "a cat and " * 200
    done = worked(
        {"do": "write", "model": str(llama), "device": "cpu", "asked": [{"caption": filling(llama)}, {"caption": long}]}
    )
    first, second = map(json.loads, done.stdout.splitlines())
    assert sorted(first) == ["finished", "first_token", "model", "text", "tokens_in", "tokens_out"]
    assert list(second) == ["failed"]
    requested = [
        {"caption": "a cat", "question": f"is it {k}?", "choices": ["yes", "no"], "free": k % 2 == 0} for k in range(20)
    ]
    records = list(results({"do": "answer", "model": str(t5), "device": "cpu", "asked": requested}))
    assert [result["free"] is not None for result in records] == [k % 2 == 0 for k in range(20)]
    model = UnifiedQa(str(t5))
    assert records[17]["multiple"] == model.answer([TextQuestion("is it 17?", "a cat", ("yes", "no"))])[0]
    assert records[18]["free"] == model.answer([TextQuestion("is it 18?", "a cat")])[0]


@pytest.mark.slow
def test_the_worker_fails_with_one_line() -> None:
    done = worked({"do": "answer", "model": "nobody/nothing", "device": "cpu", "asked": []})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith("the model nobody/nothing is not on this machine")
