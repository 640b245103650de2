"""Models that write text, on this machine: language models (TIFA's writer of questions and its filter) and captioners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from PIL import Image
from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, T5ForConditionalGeneration

from scorers.models.language_endpoint import Completion, Failure
from scorers.models.pretrained import batch_size, config_of, load, processor_of, tokenizer_of

QUESTION_WRITER: Final = "tifa-benchmark/llama2_tifa_question_generation"

_INTRO: Final = """\
Given an image description, generate one or two multiple-choice questions that verifies if the image description is correct.
Classify each concept into a type (object, human, animal, food, activity, attribute, counting, color, material, spatial, \
location, shape, other), and then generate a question for each type.
"""
_BEAMS: Final = 5
_WRITER_MAX_TOKENS: Final = 512
_LEAST_ROOM: Final = 32
"""Tokens: no question takes fewer."""


def prompt_of(caption: str) -> str:
    """What the model was trained to go on from; its answer begins with the entities."""
    return f"<s>[INST] <<SYS>>\n{_INTRO}\n<</SYS>>\n\nDescription: {caption} [/INST] Entities:"


class QuestionLlama:
    """A checkpoint of the architecture LLaMA (or another causal language model) that was trained on this prompt."""

    def __init__(self, name: str = QUESTION_WRITER, device: str = "cpu") -> None:
        """Load it: in half precision where there is a graphics card, as its authors do.

        Raises:
            OSError: it is not on this machine.
            ValueError: its files are not those of such a model.
        """
        self._device = device
        config_of(name)  # says in one line what is wrong with a name
        self._tokenizer = tokenizer_of(name)
        if self._tokenizer.bos_token_id is None or self._tokenizer.eos_token_id is None:
            raise ValueError(f"the tokenizer of {name} has no tokens for the beginning and end of a text; is it a LLaMA model?")
        dtype = torch.float32 if torch.device(device).type == "cpu" else torch.float16
        self._model = load(AutoModelForCausalLM, name, device, dtype)

    def tokens(self, caption: str) -> list[int]:
        """The prompt for a caption: one token that begins the text, then the rest; special tokens in a caption are no words."""
        for special in self._tokenizer.all_special_tokens:
            caption = caption.replace(special, " ")
        rest = prompt_of(" ".join(caption.split())).removeprefix("<s>")
        return [self._tokenizer.bos_token_id, *self._tokenizer(rest, add_special_tokens=False)["input_ids"]]

    def complete(self, caption: str) -> Completion | Failure:
        """What it writes behind "Entities:"; always the same for a caption. One at a time, so that none depends on another."""
        prompt_tokens = self.tokens(caption)
        if len(prompt_tokens) > _WRITER_MAX_TOKENS - _LEAST_ROOM:
            return Failure(
                f"the description leaves no room for questions ({len(prompt_tokens)} of {_WRITER_MAX_TOKENS} tokens)"
            )
        ids = torch.tensor([prompt_tokens], device=self._device)
        end = self._tokenizer.eos_token_id
        with torch.inference_mode():
            written: Any = self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                num_beams=_BEAMS,
                max_length=_WRITER_MAX_TOKENS,
                pad_token_id=end,
            )
        new = written[0, len(prompt_tokens) :].tolist()
        text = self._tokenizer.decode(new, skip_special_tokens=True)
        return Completion(text, len(prompt_tokens), len(new), finished=end in new)


TEXT_ANSWERER: Final = "allenai/unifiedqa-v2-t5-large-1363200"

_ANSWERER_MAX_TOKENS: Final = 30
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

    def __init__(self, name: str = TEXT_ANSWERER, device: str = "cpu") -> None:
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

    def answer(self, questions: Sequence[TextQuestion]) -> list[str]:
        """The answers, in order; all of them at once."""
        if not questions:
            return []
        read: Any = self._tokenizer([line_of(question) for question in questions], return_tensors="pt", padding=True).to(
            self._device
        )
        with torch.inference_mode():
            written = self._model.generate(
                input_ids=read["input_ids"],
                attention_mask=read["attention_mask"],
                do_sample=False,
                max_new_tokens=_ANSWERER_MAX_TOKENS,
            )
        return [text.strip() for text in self._tokenizer.batch_decode(written, skip_special_tokens=True)]


KINDS: Final = ("blip", "blip-2", "git")
_BATCH: Final = 8


class Captioner:
    """A model in memory, by a hub id or the name of a folder.

    Args:
        beams: of the search for the likeliest caption; longest: in tokens.

    Raises:
        OSError: its files are not on this machine.
        ValueError: it is no captioning model known here.
    """

    def __init__(self, name: str, device: str, *, beams: int, longest: int) -> None:
        kind = config_of(name).model_type
        if kind not in KINDS:
            raise ValueError(f"{name} is a {kind}, not one of the captioning models known here: {', '.join(KINDS)}")
        self._model = load(AutoModelForImageTextToText, name, device)
        self._processor = processor_of(name)
        self._device, self._batch = device, batch_size(device, _BATCH)
        self._search = {"num_beams": beams, "max_new_tokens": longest, "do_sample": False}

    def captions(self, images: Sequence[Image.Image]) -> list[str]:
        """Each image's caption, without spaces around it."""
        texts: list[str] = []
        for start in range(0, len(images), self._batch):
            some = list(images[start : start + self._batch])
            pixels = self._processor(images=some, return_tensors="pt").to(self._device)
            with torch.inference_mode():
                generated = self._model.generate(**pixels, **self._search)
            texts += [text.strip() for text in self._processor.batch_decode(generated, skip_special_tokens=True)]
        return texts
