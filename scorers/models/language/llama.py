"""The model that TIFA's authors trained to write questions: LLaMA-2 7B, with 512 tokens for a prompt and its answer together.

Its prompt format and the decoding are those of its model card and code (beam search with 5 beams). Two things differ: there is
one token that begins the text (the code's pipeline adds a second one before the "<s>" that the prompt spells out), and what the
model writes is kept whole (the code looks at nothing after the first blank line, nor at the first six lines).
"""

from __future__ import annotations

from typing import Any, Final

import torch
from transformers import AutoModelForCausalLM

from scorers.models.language.base import Completion, Failure
from scorers.models.transformer import config_of, load, tokenizer_of

MODEL: Final = "tifa-benchmark/llama2_tifa_question_generation"

_INTRO: Final = """\
Given an image description, generate one or two multiple-choice questions that verifies if the image description is correct.
Classify each concept into a type (object, human, animal, food, activity, attribute, counting, color, material, spatial, \
location, shape, other), and then generate a question for each type.
"""
_BEAMS: Final = 5
_MOST_TOKENS: Final = 512
_LEAST_ROOM: Final = 32
"""Tokens: no question takes fewer."""


def prompt_of(caption: str) -> str:
    """What the model was trained to go on from; its answer begins with the entities."""
    return f"<s>[INST] <<SYS>>\n{_INTRO}\n<</SYS>>\n\nDescription: {caption} [/INST] Entities:"


class QuestionLlama:
    """A checkpoint of the architecture LLaMA (or another causal language model) that was trained on this prompt."""

    def __init__(self, name: str = MODEL, device: str = "cpu") -> None:
        """Load it: in half precision where there is a graphics card, as its authors do.

        Raises:
            OSError: it is not on this machine.
            ValueError: its files are not those of such a model.
        """
        self._device = device
        config_of(name)  # says in one line what is wrong with a name
        self._tokenizer = tokenizer_of(name)
        if self._tokenizer.bos_token_id is None or self._tokenizer.eos_token_id is None:
            raise ValueError(f"the tokenizer of {name} has no tokens that begin and end a text; is it a LLaMA model?")
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
        asked = self.tokens(caption)
        if len(asked) > _MOST_TOKENS - _LEAST_ROOM:
            return Failure(f"the description leaves no room for questions ({len(asked)} of {_MOST_TOKENS} tokens)")
        ids = torch.tensor([asked], device=self._device)
        end = self._tokenizer.eos_token_id
        with torch.inference_mode():
            written: Any = self._model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                do_sample=False,
                num_beams=_BEAMS,
                max_length=_MOST_TOKENS,
                pad_token_id=end,
            )
        new = written[0, len(asked) :].tolist()
        text = self._tokenizer.decode(new, skip_special_tokens=True)
        return Completion(text, len(asked), len(new), finished=end in new)
