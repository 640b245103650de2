"""UnifiedQA: answers questions from a text alone, with choices or without. TIFA checks its questions with it (section 3.2).

Its format: question, text and choices in one line, in small letters, with the two characters backslash and n between them.
(TIFA's code puts real line ends there, of which T5's tokenizer makes blanks, and leaves capitals: an input that UnifiedQA was
not trained on.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from transformers import T5ForConditionalGeneration

from scorers.models.transformer import config_of, load, tokenizer_of

MODEL: Final = "allenai/unifiedqa-v2-t5-large-1363200"

_MOST_TOKENS: Final = 30
"""Of an answer, as in TIFA's code."""
_SEPARATOR: Final = " \\n "


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """A question about a text; without choices it is answered in the model's own words."""

    text: str
    context: str
    choices: tuple[str, ...] = ()


def line_of(question: TextQuestion) -> str:
    r"""What the model reads: ``how many cats? \n two cats on a sofa \n (a) 1 (b) 2``."""
    choices = " ".join(f"({chr(ord('a') + k)}) {choice}" for k, choice in enumerate(question.choices))
    parts = [question.text, question.context, *([choices] if choices else [])]
    return _SEPARATOR.join(" ".join(part.split()) for part in parts).lower()


class UnifiedQa:
    """A T5 checkpoint that was trained as UnifiedQA."""

    def __init__(self, name: str = MODEL, device: str = "cpu") -> None:
        """Load it, in full precision: T5 overflows in half.

        Raises:
            OSError: it is not on this machine.
            ValueError: its files are not those of a T5 model.
        """
        if (kind := config_of(name).model_type) != "t5":
            raise ValueError(f"{name} is a model of type {kind}; UnifiedQA's are of type t5")
        self._device = device
        self._tokenizer = tokenizer_of(name)
        self._model = load(T5ForConditionalGeneration, name, device)

    def answer(self, asked: Sequence[TextQuestion]) -> list[str]:
        """The answers, in order; all of them at once."""
        if not asked:
            return []
        read: Any = self._tokenizer([line_of(one) for one in asked], return_tensors="pt", padding=True).to(self._device)
        with torch.inference_mode():
            written = self._model.generate(
                input_ids=read["input_ids"], attention_mask=read["attention_mask"], do_sample=False, max_new_tokens=_MOST_TOKENS
            )
        return [text.strip() for text in self._tokenizer.batch_decode(written, skip_special_tokens=True)]
