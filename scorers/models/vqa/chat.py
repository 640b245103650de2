"""Models that chat about images (Qwen-VL, SmolVLM, and others of the same interface), asked by letters.

The choices are listed as A, B, ...; what counts is the probability of each letter as the next token, among the letters. As
models prefer some letters, each question is asked in several orders (``rotations``) and a choice's probabilities are averaged.

All questions about an image begin with the same tokens: the image. They go through the model once an image, and what attention
keeps of them (the cache of keys and values) is handed to each question. Whether that comes to the same is tried when
a model is opened; where it does not (attention that looks ahead from image to question), every question goes through whole.
Questions are batched within an image, those of one length together, so that nothing is filled up.
Images are fitted to ``PIXELS`` where the model takes any size (Qwen-VL); others have a size of their own.
Weights are bfloat16 on a GPU, float32 on the CPU.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from transformers import AutoModelForImageTextToText

from scorers.models.linear import pack
from scorers.models.soundness import Soundness
from scorers.models.transformer import load, processor_of
from scorers.models.vqa.asking import CHOICES, Asking, distinct, parts, precision
from scorers.models.vqa.base import Answer, Query
from scorers.models.vqa.turns import Turns

DIRECTION: Final = "Answer with the option's letter from the given choices directly."
"""LLaVA-1.5's, on which later models were trained, too."""
PIXELS: Final = (256 * 256, 1024 * 1024)
"""At least and at most."""

_ROWS: Final = 16
"""Questions, in one order each, that go through at once."""
_APART: Final = {torch.float32: 0.01, torch.bfloat16: 0.2}
"""Standard deviations of the next token's logits that a question whole and one after the cached image may differ."""
_LONGEST: Final = 2048
"""Tokens of a question."""


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """An image that has gone through; ``cache`` is None where it goes with each question."""

    image: Image.Image
    cache: Any = None


class Chat(Asking):
    """See ``Asking``; ``answering`` is ``choices``; ``rotations``: in how many orders at most each question is asked, 0 for as
    many as it has choices.

    Raises:
        ValueError: its chat template or its tokens do not allow to choose by letters.
    """

    images = 1

    def __init__(self, name: str, device: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, device, settings, (CHOICES,))
        self._rotations = int(settings.get("rotations") or 0)
        if self._rotations < 0:
            raise ValueError(f"rotations must be 0 or more, got {self._rotations}")
        self._processor = processor_of(name)
        fit(self._processor.image_processor)
        self._turns = Turns(self._processor, name)
        self._model = load(AutoModelForImageTextToText, name, device, precision(device))
        pack(self._model)
        self._soundness = Soundness(name)
        self._shared = self._sharing()

    def _look(self, images: Sequence[Image.Image]) -> Begun:
        (image,) = images
        if not self._shared:
            return Begun(image)
        given = self._given([self._turns.head], image)
        out = self._model(**given, use_cache=True, logits_to_keep=1)
        self._soundness.check(given["pixel_values"].float()[None], out.logits[:, -1])
        return Begun(image, out.past_key_values)

    def _answers(self, seen: Begun, rows: Sequence[int], queries: Sequence[Query]) -> list[Answer]:  # noqa: ARG002
        orders = [self._orders(len(query.choices)) for query in queries]
        prompts = [lettered(query, order) for query, some in zip(queries, orders, strict=True) for order in some]
        logits = iter(self._next(seen, prompts, [[] for _ in prompts]))
        found = []
        for query, some in zip(queries, orders, strict=True):
            letters = self._turns.letters[: len(query.choices)]
            shares = np.zeros(len(query.choices))
            for order in some:
                shares[list(order)] += next(logits)[0, letters].double().softmax(0).cpu().numpy() / len(some)
            self._check(shares.tolist())
            best = int(np.argmax(shares))
            found.append(Answer(query.choices[best], tuple(map(float, shares)), None, "likelihood"))
        return found

    def _weigh(
        self,
        seen: Begun,
        rows: Sequence[int],  # noqa: ARG002
        prompts: Sequence[str],
        answers: Sequence[Sequence[str]],
    ) -> list[list[float]]:
        """The end of a reply does not count: models close their turns in several ways."""
        told = [[self._turns.reply(answer) for answer in some] for some in answers]
        for some, ids in zip(answers, told, strict=True):
            distinct(self.name, some, ids)
        asked = [(prompt, ids) for prompt, some in zip(prompts, told, strict=True) for ids in some]
        logits = self._next(seen, [prompt for prompt, _ in asked], [ids[:-1] for _, ids in asked])
        numbers = iter(
            float(said.log_softmax(-1)[range(len(ids)), ids].sum()) for said, (_, ids) in zip(logits, asked, strict=True)
        )
        return [[next(numbers) for _ in some] for some in answers]

    def _say(self, seen: Any, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        raise NotImplementedError  # it has no such answering

    def _orders(self, n: int) -> list[tuple[int, ...]]:
        """In which the choices are listed: each in each place where all rotations are asked."""
        if n > len(self._turns.letters):
            raise ValueError(f"{self.name} chooses among {len(self._turns.letters)} letters, and a question has {n} choices")
        turns = range(min(n, self._rotations or n))
        return [tuple((k + turn) % n for k in range(n)) for turn in turns]

    def _next(self, seen: Begun, prompts: Sequence[str], begun: Sequence[list[int]]) -> list[torch.Tensor]:
        """Logits of the tokens after each prompt: (1 + those of its reply that has begun) x V."""
        listed = [[*self._turns.tokens(prompt), *ids] for prompt, ids in zip(prompts, begun, strict=True)]
        self._fits(listed, prompts, _LONGEST)
        kept = max(map(len, begun), default=0) + 1
        found: list[torch.Tensor] = [torch.empty(0)] * len(listed)
        for length in sorted(set(map(len, listed))):
            alike = [k for k, ids in enumerate(listed) if len(ids) == length]
            for part in parts(alike, _ROWS):
                logits = self._forward(seen, [listed[k] for k in part], kept)
                for k, some in zip(part, logits, strict=True):
                    found[k] = some[kept - 1 - len(begun[k]) :]
        return found

    def _forward(self, seen: Begun, rows: Sequence[list[int]], kept: int) -> torch.Tensor:
        """Of rows of one length the logits of the last ``kept`` places, n x kept x V."""
        ids = torch.tensor(rows, device=self.device)
        if seen.cache is None:
            return self._whole(seen.image, ids, kept)
        cache = copy.deepcopy(seen.cache)
        cache.batch_repeat_interleave(len(rows))
        logits: torch.Tensor = self._model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=kept).logits
        return logits.float()

    def _whole(self, image: Image.Image, ids: torch.Tensor, kept: int) -> torch.Tensor:
        """The same, with the image before each row, one after the other: an image is large."""
        found = []
        for row in ids:
            given = self._given([self._turns.head], image)
            n = len(row)
            given["input_ids"] = torch.cat([given["input_ids"], row[None]], dim=1)
            for key in ("attention_mask", "mm_token_type_ids", "token_type_ids"):
                if key in given:  # a question's tokens are there (1), and they are words (0)
                    more = torch.full((1, n), int(key == "attention_mask"), device=self.device)
                    given[key] = torch.cat([given[key], more.to(given[key].dtype)], dim=1)
            found.append(self._model(**given, logits_to_keep=kept).logits.float())
        return torch.cat(found)

    def _given(self, texts: list[str], image: Image.Image) -> dict[str, Any]:
        given = dict(self._processor(text=texts, images=[[image]], return_tensors="pt"))
        return {
            key: value.to(self.device, self._model.dtype if value.is_floating_point() else None) for key, value in given.items()
        }

    def _sharing(self) -> bool:
        """Whether a question after the cached image comes to the same as the whole."""
        ramp = np.linspace(0, 255, 64 * 64 * 3).reshape(64, 64, 3).astype(np.uint8)
        image = Image.fromarray(ramp)
        row = self._turns.tokens(lettered(Query("Is it grey?", ("yes", "no")), (0, 1)))
        with torch.inference_mode():
            given = self._given([self._turns.head], image)
            cache = self._model(**given, use_cache=True, logits_to_keep=1).past_key_values
            after = self._forward(Begun(image, cache), [row], 1)
            whole = self._forward(Begun(image), [row], 1)
        return float((after - whole).abs().max() / whole.std()) <= _APART[self._model.dtype]


def lettered(query: Query, order: Sequence[int]) -> str:
    """A question with its choices in this order, each after its letter."""
    listed = "\n".join(f"{chr(ord('A') + k)}. {query.choices[place]}" for k, place in enumerate(order))
    return f"{query.text}\n{listed}\n{DIRECTION}"


def fit(images: Any) -> None:
    """Bound what an image processor that takes any size makes of it; others are left as they are."""
    if hasattr(images, "merge_size"):
        least, most = PIXELS
        images.size = {"shortest_edge": least, "longest_edge": most}
