"""Models that chat about images (Qwen-VL, SmolVLM, and others of the same interface), asked by letters.

``Turns`` is the text of a chat: which of it comes before a question, and how a reply begins.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from transformers import AutoModelForImageTextToText

from scorers.models.pretrained import processor_of
from scorers.models.vqa import VqaAnswer, VqaQuestion
from scorers.models.vqa.model import CHOICES, VqaModel, large_model_dtype, split_batches

MARK: Final = "QUESTION-STANDS-HERE"


class Turns:
    """One question about one image, in a processor's chat template.

    Attributes:
        head: the text up to the image's last mark: the same for all questions about it.
        letters: the token of each letter from A, as a reply begins with it.

    Raises:
        ValueError: there is no template, it does not keep to one image and then the question, or letters are not one token
            each, all different.
    """

    def __init__(self, processor: Any, name: str) -> None:
        self._processor, self._tokenizer, self._name = processor, processor.tokenizer, name
        if not getattr(processor, "chat_template", None):
            raise ValueError(f"{name} has no chat template: it cannot answer questions")
        # templates that let models think aloud first are told not to
        self._options = {"enable_thinking": False} if "enable_thinking" in str(processor.chat_template) else {}
        self._marks = sorted(self._tokenizer.get_added_vocab(), key=len, reverse=True)
        whole = self._rendered(MARK)
        before, mark, self._after = whole.partition(MARK)
        places = [before.rfind(mark) + len(mark) for mark in self._marks if mark in before]
        if not mark or MARK in self._after or not places:
            raise ValueError(f"the chat template of {name} does not hold an image and then the question, once each")
        self.head = before[: max(places)]
        self._between = before[len(self.head) :]
        self._begun = self._ids(self._between + MARK + self._after)
        self._spaced = self._space(whole)
        self.letters = self._lettered()

    def tokens(self, text: str) -> list[int]:
        """All that comes after ``head`` where ``text`` is asked, up to the reply.

        Raises:
            ValueError: the text holds what would be taken for a mark of the template.
        """
        for mark in self._marks:
            if mark in text:
                raise ValueError(f"{self._name} would take {mark!r} in a question as a special token: leave it out")
        return self._ids(self.rest(text))

    def rest(self, text: str) -> str:
        """As ``tokens``, in letters."""
        return f"{self._between}{text}{self._after}"

    def reply(self, text: str) -> list[int]:
        """The tokens of a reply, without its end.

        Raises:
            ValueError: they cannot be told from those before.
        """
        ids = self._ids(self.rest(MARK) + self.spoken(text))
        if ids[: len(self._begun)] != self._begun or len(ids) == len(self._begun):
            raise ValueError(
                f"{self._name} joins the beginning of its reply with {text[:40]!r}: its probability cannot be computed"
            )
        return ids[len(self._begun) :]

    def spoken(self, text: str) -> str:
        """A reply as the template writes it: some put a space before it."""
        return f"{self._spaced}{text}"

    def _rendered(self, text: str, reply: str | None = None) -> str:
        message = {"role": "user", "content": [{"type": "image"}, {"type": "text", "text": text}]}
        messages = (
            [message] if reply is None else [message, {"role": "assistant", "content": [{"type": "text", "text": reply}]}]
        )
        rendered: str = self._processor.apply_chat_template(
            messages, add_generation_prompt=reply is None, tokenize=False, **self._options
        )
        return rendered

    def _space(self, begun: str) -> str:
        whole = self._rendered(MARK, "A")
        if whole.startswith(begun):
            return whole[len(begun) :].partition("A")[0]
        # templates that write a past reply otherwise than one that is to come (without its empty thoughts)
        return "" if begun[-1:].isspace() or any(begun.endswith(mark) for mark in self._marks) else " "

    def _lettered(self) -> list[int]:
        tokens: list[int] = []
        for letter in ascii_uppercase:
            ids = self.reply(letter)
            if len(ids) != 1 or self._tokenizer.decode(ids).strip() != letter or ids[0] in tokens:
                raise ValueError(
                    f"{self._name} does not have the letter {letter} as one token of its own: it cannot choose by it"
                )
            tokens += ids
        return tokens

    def _ids(self, text: str) -> list[int]:
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])


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
class ChatPrefix:
    """An image that has gone through; ``cache`` is None where it goes with each question."""

    image: Image.Image
    cache: Any = None


class Chat(VqaModel):
    """See ``VqaModel``; ``answering`` is ``choices``; ``rotations``: in how many orders at most each question is asked, 0 for
    as many as it has choices.

    Raises:
        ValueError: its chat template or its tokens do not allow to choose by letters.
    """

    images = 1

    def __init__(self, name: str, device: str, settings: Mapping[str, Any]) -> None:
        super().__init__(name, device, settings, (CHOICES,))
        self._rotations = int(settings.get("rotations") or 0)
        if self._rotations < 0:
            raise ValueError(f"rotations must be 0 or more, got {self._rotations}")
        self._turns = Turns(processor_of(name), name)
        self._load(AutoModelForImageTextToText, large_model_dtype(device))
        fit(self._processor.image_processor)
        self._shared = self._sharing()

    def _look(self, images: Sequence[Image.Image]) -> ChatPrefix:
        (image,) = images
        if not self._shared:
            return ChatPrefix(image)
        inputs = self._given([self._turns.head], image)
        out = self._model(**inputs, use_cache=True, logits_to_keep=1)
        self._soundness.check(inputs["pixel_values"].float()[None], out.logits[:, -1])
        return ChatPrefix(image, out.past_key_values)

    def _answers(self, seen: ChatPrefix, rows: Sequence[int], queries: Sequence[VqaQuestion]) -> list[VqaAnswer]:  # noqa: ARG002
        orders = [self._orders(len(query.choices)) for query in queries]
        prompts = [lettered(query, order) for query, some in zip(queries, orders, strict=True) for order in some]
        logits = iter(self._next(seen, prompts, [[] for _ in prompts]))
        answers = []
        for query, some in zip(queries, orders, strict=True):
            letters = self._turns.letters[: len(query.choices)]
            shares = np.zeros(len(query.choices))
            for order in some:
                shares[list(order)] += next(logits)[0, letters].double().softmax(0).cpu().numpy() / len(some)
            self._check(shares.tolist())
            best = int(np.argmax(shares))
            answers.append(VqaAnswer(query.choices[best], tuple(map(float, shares)), None, "likelihood"))
        return answers

    def _weigh(
        self,
        seen: ChatPrefix,
        rows: Sequence[int],  # noqa: ARG002
        prompts: Sequence[str],
        answers: Sequence[Sequence[str]],
    ) -> list[list[float]]:
        """The end of a reply does not count: models close their turns in several ways."""

        def weigh(owners: list[int], answer_tokens: list[list[int]]) -> list[float]:
            logits = self._next(seen, [prompts[k] for k in owners], [ids[:-1] for ids in answer_tokens])
            return [
                float(some.log_softmax(-1)[range(len(ids)), ids].sum()) for some, ids in zip(logits, answer_tokens, strict=True)
            ]

        return self._weigh_tokens(answers, [[self._turns.reply(answer) for answer in some] for some in answers], weigh)

    def answer_length(self, answer: str) -> int:
        """See ``Vqa``; the end does not count."""
        return len(self._turns.reply(answer))

    def _say(self, seen: Any, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        raise NotImplementedError  # it has no such answering

    def _orders(self, n: int) -> list[tuple[int, ...]]:
        """In which the choices are listed: each in each place where all rotations are asked."""
        if n > len(self._turns.letters):
            raise ValueError(f"{self.name} chooses among {len(self._turns.letters)} letters, and a question has {n} choices")
        turns = range(min(n, self._rotations or n))
        return [tuple((k + turn) % n for k in range(n)) for turn in turns]

    def _next(self, seen: ChatPrefix, prompts: Sequence[str], begun: Sequence[list[int]]) -> list[torch.Tensor]:
        """Logits of the tokens after each prompt: (1 + those of its reply that has begun) x V."""
        listed = [[*self._turns.tokens(prompt), *ids] for prompt, ids in zip(prompts, begun, strict=True)]
        self._fits(listed, prompts, _LONGEST)
        n_last = max(map(len, begun), default=0) + 1
        by_row: list[torch.Tensor] = [torch.empty(0)] * len(listed)
        for length in sorted(set(map(len, listed))):
            alike = [k for k, ids in enumerate(listed) if len(ids) == length]
            for part in split_batches(alike, _ROWS):
                logits = self._forward(seen, [listed[k] for k in part], n_last)
                for k, some in zip(part, logits, strict=True):
                    by_row[k] = some[n_last - 1 - len(begun[k]) :]
        return by_row

    def _forward(self, seen: ChatPrefix, rows: Sequence[list[int]], n_last: int) -> torch.Tensor:
        """Of rows of one length the logits of the last ``n_last`` places, n x n_last x V."""
        ids = torch.tensor(rows, device=self.device)
        if seen.cache is None:
            return self._whole(seen.image, ids, n_last)
        cache = copy.deepcopy(seen.cache)
        cache.batch_repeat_interleave(len(rows))
        logits: torch.Tensor = self._model(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=n_last).logits
        return logits.float()

    def _whole(self, image: Image.Image, ids: torch.Tensor, n_last: int) -> torch.Tensor:
        """The same, with the image before each row, one after the other: an image is large."""
        logits = []
        for row in ids:
            inputs = self._given([self._turns.head], image)
            n = len(row)
            inputs["input_ids"] = torch.cat([inputs["input_ids"], row[None]], dim=1)
            for key in ("attention_mask", "mm_token_type_ids", "token_type_ids"):
                if key in inputs:  # a question's tokens are there (1), and they are words (0)
                    more = torch.full((1, n), int(key == "attention_mask"), device=self.device)
                    inputs[key] = torch.cat([inputs[key], more.to(inputs[key].dtype)], dim=1)
            logits.append(self._model(**inputs, logits_to_keep=n_last).logits.float())
        return torch.cat(logits)

    def _given(self, texts: list[str], image: Image.Image) -> dict[str, Any]:
        inputs = dict(self._processor(text=texts, images=[[image]], return_tensors="pt"))
        return {
            key: value.to(self.device, self._model.dtype if value.is_floating_point() else None)
            for key, value in inputs.items()
        }

    def _sharing(self) -> bool:
        """Whether a question after the cached image comes to the same as the whole."""
        ramp = np.linspace(0, 255, 64 * 64 * 3).reshape(64, 64, 3).astype(np.uint8)
        image = Image.fromarray(ramp)
        row = self._turns.tokens(lettered(VqaQuestion("Is it grey?", ("yes", "no")), (0, 1)))
        with torch.inference_mode():
            inputs = self._given([self._turns.head], image)
            cache = self._model(**inputs, use_cache=True, logits_to_keep=1).past_key_values
            after = self._forward(ChatPrefix(image, cache), [row], 1)
            whole = self._forward(ChatPrefix(image), [row], 1)
        return float((after - whole).abs().max() / whole.std()) <= _APART[self._model.dtype]


def lettered(query: VqaQuestion, order: Sequence[int]) -> str:
    """A question with its choices in this order, each after its letter."""
    listed = "\n".join(f"{chr(ord('A') + k)}. {query.choices[choice]}" for k, choice in enumerate(order))
    return f"{query.text}\n{listed}\n{DIRECTION}"


def fit(images: Any) -> None:
    """Bound what an image processor that takes any size makes of it; others are left as they are."""
    if hasattr(images, "merge_size"):
        least, most = PIXELS
        images.size = {"shortest_edge": least, "longest_edge": most}
