"""What all models that answer questions share: which go together, and what their numbers or words mean."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from scorers.models.batches import together
from scorers.models.vqa.base import Answer, Query
from scorers.models.vqa.matching import Matcher

CHOICES: Final = "choices"
FREE: Final = "free"
"""Settings of ``answering``. The likelihood of each choice decides; or the model answers in its own words, and the choice that
is equal or nearest to them counts."""

_QUESTIONS: Final = 32
"""That go through a model at once."""

T = TypeVar("T")


class Asking(ABC):
    """A ``scorers.models.vqa.base.Vqa``, but for what its architecture does.

    Args:
        name: a folder or a hub id.
        device: as torch names it.
        settings: ``answering``, one of ``answerings``, the first of which holds where it is not set; ``sentences``, see
            ``matching``.
        answerings: what this class can do.

    Raises:
        ValueError: ``answering`` is none of them.
    """

    images: int = 8
    """That are looked at together on a GPU."""

    def __init__(self, name: str, device: str, settings: Mapping[str, Any], answerings: Sequence[str]) -> None:
        self.name = name
        self.device = device
        self.answering = str(settings.get("answering") or answerings[0])
        if self.answering not in answerings:
            raise ValueError(f"{name} has no answering {self.answering!r}; known: {', '.join(answerings)}")
        self._matcher = Matcher(settings, device) if self.answering == FREE else None

    def answer(self, images: Sequence[Image.Image], queries: Sequence[Sequence[Query]]) -> list[list[Answer]]:
        """See ``Vqa``."""
        for some in queries:
            for query in some:
                check(query)
        found: list[list[Answer]] = [[] for _ in images]
        asked = [k for k, some in enumerate(queries) if some]
        for places in parts(asked, together(self.device, self.images)):
            with torch.inference_mode():
                seen = self._look([images[k] for k in places])
                flat = [(row, query) for row, k in enumerate(places) for query in queries[k]]
                for part in parts(flat, _QUESTIONS):
                    rows = [row for row, _ in part]
                    for row, answer in zip(rows, self._answers(seen, rows, [query for _, query in part]), strict=True):
                        found[places[row]].append(answer)
        return found

    def likelihood(self, images: Sequence[Image.Image], questions: Sequence[str], answer: str) -> NDArray[np.float64]:
        """See ``Vqa``."""
        found = []
        for places in parts(range(len(images)), together(self.device, self.images)):
            with torch.inference_mode():
                seen = self._look([images[k] for k in places])
                texts = [questions[k] for k in places]
                weights = self._weigh(seen, range(len(places)), texts, [(answer,)] * len(places))
            found += [math.exp(one) for (one,) in weights]
        self._check(found)
        return np.array(found, np.float64)

    def _answers(self, seen: Any, rows: Sequence[int], queries: Sequence[Query]) -> list[Answer]:
        """The answers to questions, each about the row of ``seen`` that stands beside it."""
        prompts = [self._prompt(query) for query in queries]
        if self._matcher is not None:
            said = self._say(seen, rows, prompts)
            return [self._matcher.match(free, query.choices) for free, query in zip(said, queries, strict=True)]
        weights = self._weigh(seen, rows, prompts, [query.choices for query in queries])
        for some in weights:
            self._check(some)
        return [likeliest(query, some) for query, some in zip(queries, weights, strict=True)]

    def _check(self, numbers: Sequence[float]) -> None:
        if not all(map(math.isfinite, numbers)):
            raise ValueError(f"{self.name} gives no finite numbers for it")

    def _fits(self, listed: Sequence[Sequence[int]], texts: Sequence[str], most: int) -> None:
        """Raise ValueError where a text has more tokens than the model reads: none is cut off in silence."""
        for ids, text in zip(listed, texts, strict=True):
            if len(ids) > most:
                raise ValueError(f"{self.name} reads {most} tokens, and {text[:60]!r}... has {len(ids)}")

    def _prompt(self, query: Query) -> str:
        """What the model reads of a question."""
        return query.text

    @abstractmethod
    def _look(self, images: Sequence[Image.Image]) -> Any:
        """What is computed once for all questions about these images."""

    @abstractmethod
    def _weigh(
        self, seen: Any, rows: Sequence[int], prompts: Sequence[str], answers: Sequence[Sequence[str]]
    ) -> list[list[float]]:
        """Of each prompt's answers, the logarithm of the probability that the model says just that (its end included).

        Args:
            seen: of ``_look``.
            rows: whose image each prompt is about.
            prompts: what the model reads.
            answers: one or more for each prompt.
        """

    @abstractmethod
    def _say(self, seen: Any, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        """The model's own words; arguments as of ``_weigh``."""


def check(query: Query) -> None:
    """Raise ValueError where a question cannot be answered by any model."""
    if len(set(query.choices)) < max(2, len(query.choices)):
        raise ValueError(f"the question {query.text[:80]!r} needs two or more choices, each different from the others")


def distinct(name: str, answers: Sequence[str], said: Sequence[Sequence[int]]) -> None:
    """Raise ValueError where two answers are the same tokens: the model cannot prefer one of them."""
    for k, ids in enumerate(said):
        if (first := list(said).index(ids)) < k:
            raise ValueError(f"{name} cannot tell {answers[first]!r} from {answers[k]!r}: to its tokens they are one")


def likeliest(query: Query, weights: Sequence[float]) -> Answer:
    """The first of the likeliest choices; ``weights``: logarithms, of any common sum."""
    weighed = np.array(weights, np.float64)
    shares = np.exp(weighed - weighed.max())
    shares /= shares.sum()
    return Answer(query.choices[int(np.argmax(weighed))], tuple(shares.tolist()), None, "likelihood")


def precision(device: str) -> torch.dtype:
    """Of large models' weights: bfloat16, in which Flan-T5 does not overflow, or on the CPU float32."""
    return torch.float32 if torch.device(device).type == "cpu" else torch.bfloat16


def parts(things: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """In order, at most so many at once."""
    for start in range(0, len(things), most):
        yield things[start : start + most]


def padded(listed: Sequence[Sequence[int]], filling: int, device: str, left: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens (n x longest) and which of them are there, as 1 and 0."""
    longest = max(map(len, listed))
    ids = torch.full((len(listed), longest), filling, dtype=torch.long)
    there = torch.zeros_like(ids)
    for k, one in enumerate(listed):
        place = slice(longest - len(one), None) if left else slice(len(one))
        ids[k, place] = torch.tensor(one, dtype=torch.long)
        there[k, place] = 1
    return ids.to(device), there.to(device)


def summed(logits: torch.Tensor, targets: torch.Tensor, owners: torch.Tensor, n: int) -> list[float]:
    """The logarithms of answers' probabilities, of those of their tokens.

    Args:
        logits: T x V, of every place that says a token.
        targets: (T,) which it should be.
        owners: (T,) which of the ``n`` answers it belongs to.
        n: how many answers.
    """
    chosen = logits.float().gather(1, targets[:, None])[:, 0] - logits.float().logsumexp(1)
    sums = torch.zeros(n, dtype=torch.float64, device=chosen.device).index_add_(0, owners, chosen.double())
    return list(map(float, sums.tolist()))
