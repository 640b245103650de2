"""What all models that answer questions share: which questions go together, what their numbers or words mean, and which
choice they meant by words of their own.

- Free answers (TIFA, section 3.3): the choice that is equal to them; else the nearest one, by sentence embeddings as
  sentence-transformers makes those of ``all-mpnet-base-v2``: the mean over a text's tokens, of length one.
- What attention has computed already is handed to models of transformers as if they had done so themselves.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModel
from transformers.cache_utils import DynamicCache, DynamicLayer, EncoderDecoderCache

from scorers.models.pretrained import batch_size, load, pack_weights, processor_of, tokenizer_of
from scorers.models.soundness import Soundness
from scorers.models.vqa import VqaAnswer, VqaQuestion

KeysAndValues = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values of each layer, n x heads x places x d."""


def cache_of_rows(known: KeysAndValues, rows: Sequence[int]) -> DynamicCache:
    """The keys and values of these rows, one of which may be asked for many times."""
    cache = DynamicCache()
    alike = len(set(rows)) == 1
    for keys, values in known:
        layer = DynamicLayer()
        layer.lazy_initialization(keys, values)
        # of one row no copies are made
        layer.keys, layer.values = (
            some[rows[0]][None].expand(len(rows), -1, -1, -1) if alike else some[list(rows)] for some in (keys, values)
        )
        cache.layers.append(layer)
    return cache


def cross_attention_cache(known: KeysAndValues, rows: Sequence[int]) -> EncoderDecoderCache:
    """For a text model with cross attention, what it looks at; of its own tokens nothing is computed yet."""
    return EncoderDecoderCache(DynamicCache(), cache_of_rows(known, rows))


def empty_states(known: KeysAndValues, n: int) -> torch.Tensor:
    """Stands for what is looked at, n times, of which only the number of places is read: keys and values are there already."""
    keys, _ = known[0]
    return keys.new_empty(n, keys.shape[2], 0)


def layers_of(cache: DynamicCache) -> KeysAndValues:
    """What a cache holds."""
    return [(layer.keys, layer.values) for layer in cache.layers]


_SENTENCE_TOKENS: Final = 384
"""Tokens that are read, as that model's own settings say."""
_CACHED_EMBEDDINGS: Final = 4096
"""Embeddings in memory: choices come again with every image of a prompt."""


class SentenceEncoder:
    """The model in memory; raises as ``load``."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._model = load(AutoModel, name, device)
        self._tokenizer = tokenizer_of(name)
        self._device = device
        # MPNet counts places from its padding token's number on
        self._longest = min(_SENTENCE_TOKENS, self._model.config.max_position_embeddings - 2)
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """n x d, each of length one. A text's numbers do not depend on the others: each goes through alone, once."""
        for text in dict.fromkeys(texts):
            if text not in self._known:
                self._known[text] = self._encoded(text)
            self._known.move_to_end(text)
        vectors = np.stack([self._known[text] for text in texts])
        while len(self._known) > _CACHED_EMBEDDINGS:
            self._known.popitem(last=False)
        return vectors

    def _encoded(self, text: str) -> NDArray[np.float32]:
        read = self._tokenizer(text, truncation=True, max_length=self._longest, return_tensors="pt").to(self._device)
        with torch.inference_mode():
            states = self._model(**read).last_hidden_state.float()
        mask = read["attention_mask"][..., None].float()
        mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
        vector: NDArray[np.float32] = torch.nn.functional.normalize(mean, dim=1)[0].cpu().numpy()
        return vector


SENTENCES: Final = "sentence-transformers/all-mpnet-base-v2"
"""TIFA's."""

_SPACES: Final = re.compile(r"\s+")


class Encoder(Protocol):
    """Texts as vectors of length one."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """n x d."""
        ...


def plain_answer(text: str) -> str:
    """As texts are compared: without case, spaces at both ends, and more than one space or a full stop at the end."""
    return _SPACES.sub(" ", text.casefold()).strip().removesuffix(".").strip()


def match_answer(free: str, choices: Sequence[str], encoder: Encoder) -> VqaAnswer:
    """The choice that is equal to ``free`` but for what ``plain`` takes away; else the one whose embedding has the largest
    cosine with that of ``free``, the first of these."""
    plain = plain_answer(free)
    for choice in choices:
        if plain_answer(choice) == plain:
            return VqaAnswer(choice, None, free, "equal")
    vectors = encoder.encode([free, *choices]).astype(np.float64)
    cosines = vectors[1:] @ vectors[0]
    best = int(np.argmax(cosines))
    return VqaAnswer(choices[best], None, free, "similar", float(cosines[best]))


CHOICES: Final = "choices"
FREE: Final = "free"
"""Settings of ``answering``. The likelihood of each choice decides; or the model answers in its own words, and the choice that
is equal or nearest to them counts."""

_QUESTIONS: Final = 32
"""That go through a model at once."""

T = TypeVar("T")


class VqaModel(ABC):
    """A ``scorers.models.vqa.Vqa``, but for what its architecture does.

    Args:
        name: a folder or a hub id.
        device: as torch names it.
        settings: ``answering``, one of ``answerings``, the first of which holds where it is not set; ``sentences``, the model
            by which free answers are matched with choices (TIFA's if it is not set).
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
        free = self.answering == FREE
        self._sentences = SentenceEncoder(str(settings.get("sentences") or SENTENCES), device) if free else None

    def _load(self, kind: Any, dtype: torch.dtype = torch.float32) -> None:
        """The model, of this class of transformers, and its processor."""
        self._model = load(kind, self.name, self.device, dtype)
        pack_weights(self._model)
        self._processor = processor_of(self.name)
        self._soundness = Soundness(self.name)

    def answer(self, images: Sequence[Image.Image], queries: Sequence[Sequence[VqaQuestion]]) -> list[list[VqaAnswer]]:
        """See ``Vqa``."""
        for some in queries:
            for query in some:
                check_query(query)
        by_image: list[list[VqaAnswer]] = [[] for _ in images]
        with_questions = [k for k, some in enumerate(queries) if some]
        for places in split_batches(with_questions, batch_size(self.device, self.images)):
            with torch.inference_mode():
                seen = self._look([images[k] for k in places])
                flat = [(row, query) for row, k in enumerate(places) for query in queries[k]]
                for part in split_batches(flat, _QUESTIONS):
                    rows = [row for row, _ in part]
                    for row, answer in zip(rows, self._answers(seen, rows, [query for _, query in part]), strict=True):
                        by_image[places[row]].append(answer)
        return by_image

    def likelihood(self, images: Sequence[Image.Image], questions: Sequence[str], answer: str) -> NDArray[np.float64]:
        """See ``Vqa``."""
        probabilities = []
        for places in split_batches(range(len(images)), batch_size(self.device, self.images)):
            with torch.inference_mode():
                seen = self._look([images[k] for k in places])
                texts = [questions[k] for k in places]
                weights = self._weigh(seen, range(len(places)), texts, [(answer,)] * len(places))
            probabilities += [math.exp(weight) for (weight,) in weights]
        self._check(probabilities)
        return np.array(probabilities, np.float64)

    @abstractmethod
    def answer_length(self, answer: str) -> int:
        """See ``Vqa``."""

    def _answers(self, seen: Any, rows: Sequence[int], queries: Sequence[VqaQuestion]) -> list[VqaAnswer]:
        """The answers to questions, each about the row of ``seen`` that stands beside it."""
        prompts = [self._prompt(query) for query in queries]
        if self._sentences is not None:
            texts = self._say(seen, rows, prompts)
            return [match_answer(free, query.choices, self._sentences) for free, query in zip(texts, queries, strict=True)]
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

    def _prompt(self, query: VqaQuestion) -> str:
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

    def _weigh_tokens(
        self,
        answers: Sequence[Sequence[str]],
        tokens: Sequence[Sequence[list[int]]],
        weigh: Callable[[list[int], list[list[int]]], Iterable[float]],
        at_once: int | None = None,
    ) -> list[list[float]]:
        """As ``_weigh``, of each prompt's answers in tokens.

        ``weigh``: of some answers' prompts (places in ``answers``) and tokens, the logarithms; ``at_once``: of so many at most.
        """
        for some, ids in zip(answers, tokens, strict=True):
            check_distinct(self.name, some, ids)
        flat = [(k, ids) for k, some in enumerate(tokens) for ids in some]
        weights: list[float] = []
        for part in split_batches(flat, at_once or len(flat)):
            weights += weigh([k for k, _ in part], [ids for _, ids in part])
        numbers = iter(weights)
        return [[next(numbers) for _ in some] for some in answers]

    @abstractmethod
    def _say(self, seen: Any, rows: Sequence[int], prompts: Sequence[str]) -> list[str]:
        """The model's own words; arguments as of ``_weigh``."""


def check_query(query: VqaQuestion) -> None:
    """Raise ValueError where a question cannot be answered by any model."""
    if len(set(query.choices)) < max(2, len(query.choices)):
        raise ValueError(f"the question {query.text[:80]!r} needs two or more choices, each different from the others")


def check_distinct(name: str, answers: Sequence[str], answer_tokens: Sequence[Sequence[int]]) -> None:
    """Raise ValueError where two answers are the same tokens: the model cannot prefer one of them."""
    for k, ids in enumerate(answer_tokens):
        if (first := list(answer_tokens).index(ids)) < k:
            raise ValueError(f"{name} cannot tell {answers[first]!r} from {answers[k]!r}: to its tokens they are one")


def likeliest(query: VqaQuestion, weights: Sequence[float]) -> VqaAnswer:
    """The first of the likeliest choices; ``weights``: logarithms, of any common sum."""
    weighed = np.array(weights, np.float64)
    shares = np.exp(weighed - weighed.max())
    shares /= shares.sum()
    return VqaAnswer(query.choices[int(np.argmax(weighed))], tuple(shares.tolist()), None, "likelihood")


def large_model_dtype(device: str) -> torch.dtype:
    """Of large models' weights: bfloat16, in which Flan-T5 does not overflow, or on the CPU float32."""
    return torch.float32 if torch.device(device).type == "cpu" else torch.bfloat16


def split_batches(things: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    """In order, at most so many at once."""
    for start in range(0, len(things), most):
        yield things[start : start + most]


def pad_tokens(listed: Sequence[Sequence[int]], filling: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens (n x longest) and which of them are there, as 1 and 0."""
    rows = [torch.tensor(tokens, dtype=torch.long) for tokens in listed]
    ids = pad_sequence(rows, batch_first=True, padding_value=filling)
    there = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
    return ids.to(device), there.to(device)


def sum_log_probabilities(logits: torch.Tensor, targets: torch.Tensor, where: torch.Tensor) -> list[float]:
    """The logarithms of answers' probabilities, of those of their tokens.

    Args:
        logits: T x V, of the places ``where``, row by row.
        targets: n x L tokens that these places should say.
        where: n x L, which places belong to the n answers.
    """
    chosen = logits.float().gather(1, targets[where][:, None])[:, 0] - logits.float().logsumexp(1)
    sums = torch.zeros(len(where), dtype=torch.float64, device=chosen.device)
    return list(map(float, sums.index_add_(0, where.nonzero()[:, 0], chosen.double()).tolist()))
