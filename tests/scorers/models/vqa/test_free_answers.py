"""Which choice is meant by a model's own words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from transformers import AutoModel, AutoTokenizer  # noqa: E402

from scorers.models.vqa import (  # noqa: E402
    VqaAnswer,
    model,
)
from scorers.models.vqa.model import (  # noqa: E402
    SentenceEncoder,
    match_answer,
    plain_answer,
)
from tests.scorers.models.vqa import tiny_vqa_models  # noqa: E402


class Angles:
    """Texts lie at the angle that they say in degrees."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        angles = np.deg2rad([float(text.split()[0]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


class Silent:
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError(texts)


@pytest.mark.parametrize(
    ("free", "chosen"),
    [("two", "two"), (" TWO. ", "two"), ("Fire  hydrant", "fire hydrant"), ("straße", "STRASSE"), ("yes.", "Yes")],
)
def test_equal_words_need_no_model(free: str, chosen: str) -> None:
    choices = ("two", "fire hydrant", "STRASSE", "Yes")
    assert match_answer(free, choices, Silent()) == VqaAnswer(chosen, None, free, "equal")


def test_else_the_nearest_counts_and_its_cosine_is_told() -> None:
    answer = match_answer("50", ("0", "90", "180"), Angles())
    assert (answer.chosen, answer.matched, answer.free, answer.probabilities) == ("90", "similar", "50", None)
    assert answer.similarity == pytest.approx(np.cos(np.deg2rad(40)), abs=1e-6)
    # of two at the same distance the first
    assert match_answer("45 and more", ("90 x", "0", "90 y"), Angles()).chosen == "90 x"
    # a word within the answer is no equality
    assert match_answer("10 or so", ("10", "0"), Angles()).matched == "similar"


def test_what_is_taken_away_before_words_are_compared() -> None:
    assert plain_answer("  A Red\t\nCup . ") == "a red cup"
    assert plain_answer("...") == ".."
    assert plain_answer("") == ""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_vqa_models.mpnet(tmp_path_factory.mktemp("models") / "sentences")


def test_embeddings_are_means_over_the_tokens_that_are_there(folder: Path) -> None:
    texts = ["a red cup", "is there a dog on the left of the bus", ""]
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    # as sentence-transformers does: all filled up to the longest, what is filled up does not count
    read = AutoTokenizer.from_pretrained(folder)(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        states = model(**read).last_hidden_state.numpy()
    means = np.stack(
        [some[mask.astype(bool)].mean(0) for some, mask in zip(states, read["attention_mask"].numpy(), strict=True)]
    )
    expected = means / np.linalg.norm(means, axis=1, keepdims=True)
    assert np.allclose(SentenceEncoder(str(folder)).encode(texts), expected, atol=1e-5)


def test_texts_are_read_once_and_long_ones_to_their_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sentences = SentenceEncoder(str(folder))
    read: list[str] = []
    encoded = sentences._encoded

    def noted(text: str) -> NDArray[np.float32]:
        read.append(text)
        return encoded(text)

    monkeypatch.setattr(sentences, "_encoded", noted)
    first = sentences.encode(["red", "blue", "red"])
    assert np.array_equal(first[0], first[2])
    assert np.array_equal(sentences.encode(["blue"])[0], first[1])
    assert read == ["red", "blue"]
    monkeypatch.setattr(model, "_CACHED_EMBEDDINGS", 1)
    sentences.encode(["green", "blue"])
    sentences.encode(["red"])
    assert read == ["red", "blue", "green", "red"]
    # the model has 64 places
    assert np.isfinite(sentences.encode(["dog " * 5000])).all()
