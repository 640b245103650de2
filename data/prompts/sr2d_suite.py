"""SR2D, the prompts of VISOR: every pair of the 80 COCO objects in every spatial relation, by published line number; and
variants.

The variants (VISOR, section 6.6) put the same in other words: as sentences, as split sentences, and with sizes and colours.
Each is a suite of its own. What a prompt asks for (``a``, ``b``, ``relation``) is what one of SR2D's asks, so VISOR's rules
and summary take these suites as they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import permutations, product
from typing import Any, Final

import numpy as np

from data.prompts.coco import COCO, article_by_sound
from data.records import Prompt
from data.spec import OPPOSITE

SUITE: Final = "sr2d"

_PHRASES: Final = {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below", "and": "and"}
_TASKS: Final = tuple(_PHRASES)
_PAIRS: Final = tuple(itertools.combinations(COCO, 2))
_RANK: Final = {name: k for k, name in enumerate(COCO)}
_LINES_PER_PAIR: Final = 2 * len(_TASKS)

SIZE: Final = _LINES_PER_PAIR * len(_PAIRS) + len(COCO)
"""31,680: 25,280 relational prompts, 6,320 with ``and``, 80 single objects."""


def all_prompts() -> list[Prompt]:
    """The whole published list, in its order."""
    return [numbered_prompt(number) for number in range(SIZE)]


def numbered_prompt(number: int) -> Prompt:
    """The prompt on line ``number`` (from 0) of the published list.

    A pair has ten lines: left, right, above, below, and; each as (A, B), then as (B, A). The single objects come last.
    ``task`` is the relation's word, ``and`` or ``single``; ``spec`` is ``{"a", "b"?, "relation"?}``, the relation being
    that of ``a`` to ``b``. ``and`` and ``single`` ask no relation, so they have none.

    Raises:
        ValueError: the list has no such line.
    """
    if not 0 <= number < SIZE:
        raise ValueError(f"SR2D has no prompt {number}; its prompts are numbered 0 to {SIZE - 1}")
    prompt_id = f"{SUITE}/{number:05d}"
    pair, line = divmod(number, _LINES_PER_PAIR)
    if pair >= len(_PAIRS):
        name = COCO[number - _LINES_PER_PAIR * len(_PAIRS)]
        return Prompt(prompt_id, SUITE, prompt_text(name), "single", {"a": name})
    task = _TASKS[line // 2]
    a, b = _PAIRS[pair] if line % 2 == 0 else _PAIRS[pair][::-1]
    spec = {"a": a, "b": b} if task == "and" else {"a": a, "b": b, "relation": task}
    return Prompt(prompt_id, SUITE, prompt_text(a, b, spec.get("relation")), task, spec)


def prompt_number(a: str, b: str, relation: str) -> int:
    """The line of the prompt that asks for ``a`` in ``relation`` to ``b``.

    Raises:
        ValueError: there is no such prompt.
    """
    if a == b or not {a, b} <= _RANK.keys() or relation not in OPPOSITE:
        raise ValueError(f"SR2D has no prompt of {a!r} {relation!r} {b!r}")
    first, second = sorted((_RANK[a], _RANK[b]))
    # pairs stand as itertools.combinations has them
    pair = first * (2 * len(COCO) - first - 1) // 2 + second - first - 1
    return _LINES_PER_PAIR * pair + 2 * _TASKS.index(relation) + (_RANK[a] != first)


def relation_phrase(relation: str) -> str:
    """A relation as prompts say it (``to the left of``)."""
    return _PHRASES[relation]


def prompt_text(a: str, b: str | None = None, relation: str | None = None) -> str:
    """The text of a spec; without a relation the two are joined by "and"."""
    return _with_article(a) if b is None else f"{_with_article(a)} {_PHRASES[relation or 'and']} {_with_article(b)}"


@lru_cache(maxsize=4096)
def _with_article(name: str) -> str:
    return f"{article_by_sound(name)} {name}"


SENTENCES_SUITE: Final = "sr2d-sentences"
SPLIT_SUITE: Final = "sr2d-split"
ATTRIBUTES_SUITE: Final = "sr2d-attributes"

ATTRIBUTE_CATEGORIES: Final = (
    "car", "bench", "dog", "suitcase", "sports ball", "cup", "cake", "chair", "laptop", "microwave", "book",
)  # fmt: skip
"""One for each supercategory but ``person``, of whom no colour is asked (VISOR, Table X)."""
ATTRIBUTE_SIZES: Final = ("tiny", "small", "large", "huge")
ATTRIBUTE_COLORS: Final = ("red", "orange", "yellow", "green", "blue", "purple", "black", "white")
"""The paper has 4 sizes and 8 colours but names none, nor does its repository: these are ours, the colours among GenEval's."""

NO_ATTRIBUTE: Final = "none"
_DESCRIBED: Final = (NO_ATTRIBUTE, "Z", "C", "ZC")
ATTRIBUTE_COMBINATIONS: Final = tuple(f"{a}, {b}" for a, b in product(_DESCRIBED, repeat=2))
"""What is said of A and of B, as the paper's Figure 13 writes it: Z a size, C a colour, ``none`` neither."""
_ATTRIBUTE_RELATIONS: Final = tuple((a, b, relation) for a, b in permutations(ATTRIBUTE_CATEGORIES, 2) for relation in OPPOSITE)

MAX_ATTRIBUTE_PAIRS: Final = len(_ATTRIBUTE_RELATIONS)
"""440: each ordered pair of CATEGORIES in each relation."""
ATTRIBUTES_SEED: Final = 0
N_ATTRIBUTE_PAIRS: Final = 100


def sentence_prompts() -> list[Prompt]:
    """``There is a cat to the left of a dog``: SR2D's 25,280 prompts with a relation, by SR2D's own numbers and tasks."""
    return _reworded(SENTENCES_SUITE, lambda a, b, relation: f"There is {prompt_text(a, b, relation)}")


def split_sentence_prompts() -> list[Prompt]:
    """``There is a cat to the left. There is a dog to the right``; as ``sentences``.

    The paper shows no other relation. Here they are ``There is a cat above. There is a dog below``, and the other way round.
    """

    def sentence(a: str, b: str, relation: str) -> str:
        first, second = (
            f"{prompt_text(name)} {relation_phrase(at).removesuffix(' of')}"
            for name, at in ((a, relation), (b, OPPOSITE[relation]))
        )
        return f"There is {first}. There is {second}"

    return _reworded(SPLIT_SUITE, sentence)


def attribute_prompts(seed: int = ATTRIBUTES_SEED, n: int = N_ATTRIBUTE_PAIRS) -> list[Prompt]:
    """``a small red cup to the left of a huge dog``: ``n`` pairs with a relation, each with all 16 of COMBINATIONS.

    Pairs are drawn without repetition; of each pair the sizes and colours are drawn once, each for itself, and a combination
    says some of them, so that combinations differ in nothing else. ``task`` is the combination. Prompt ``16 k + c`` is pair k
    in combination c, the same whatever ``n`` is. ``spec`` is SR2D's, and beside it what is said (``a_size``, ``a_color``, ...),
    which no rule reads: VISOR looks at objects and relations alone, and its ``correct`` would be open were colours asked.

    Raises:
        ValueError: there are not so many pairs, or the seed is negative.
    """
    if not 1 <= n <= MAX_ATTRIBUTE_PAIRS or seed < 0:
        raise ValueError(f"n must be from 1 to {MAX_ATTRIBUTE_PAIRS:,} and seed not negative, got n {n} and seed {seed}")
    suite = ATTRIBUTES_SUITE if seed == ATTRIBUTES_SEED else f"{ATTRIBUTES_SUITE}@seed{seed}"
    rng = np.random.default_rng(seed)
    # all draws first: what a pair is called does not depend on n
    order = rng.permutation(MAX_ATTRIBUTE_PAIRS)
    sizes, colors = (rng.integers(len(words), size=(MAX_ATTRIBUTE_PAIRS, 2)) for words in (ATTRIBUTE_SIZES, ATTRIBUTE_COLORS))
    return [
        prompt
        for index in range(n)
        for prompt in _described(
            suite,
            index,
            _ATTRIBUTE_RELATIONS[order[index]],
            [ATTRIBUTE_SIZES[k] for k in sizes[index]],
            [ATTRIBUTE_COLORS[k] for k in colors[index]],
        )
    ]


def has_attributes(prompt_id: str) -> bool:
    """Whether a prompt is one of ``attributes``: several of these ask what one of SR2D's does."""
    suite = prompt_id.rpartition("/")[0]
    return suite == ATTRIBUTES_SUITE or suite.startswith(f"{ATTRIBUTES_SUITE}@")


def _reworded(suite: str, text: Callable[[str, str, str], str]) -> list[Prompt]:
    return [
        Prompt(
            f"{suite}/{number:05d}",
            suite,
            text(prompt.spec["a"], prompt.spec["b"], prompt.spec["relation"]),
            prompt.task,
            prompt.spec,
        )
        for number, prompt in enumerate(all_prompts())
        if "relation" in prompt.spec
    ]


def _described(suite: str, index: int, related: tuple[str, str, str], sizes: list[str], colors: list[str]) -> Iterator[Prompt]:
    """One pair in all combinations."""
    a, b, relation = related
    for k, combination in enumerate(product(_DESCRIBED, repeat=2)):
        number = index * len(ATTRIBUTE_COMBINATIONS) + k
        spec: dict[str, Any] = {"a": a, "b": b, "relation": relation}
        phrases = []
        for key, name, kind, size, color in zip("ab", (a, b), combination, sizes, colors, strict=True):
            attributes = {word: value for word, value, letter in (("size", size, "Z"), ("color", color, "C")) if letter in kind}
            spec |= {f"{key}_{word}": value for word, value in attributes.items()}
            phrases.append(" ".join([*attributes.values(), name]))
        text = f" {relation_phrase(relation)} ".join(f"{article_by_sound(thing)} {thing}" for thing in phrases)
        yield Prompt(f"{suite}/{number:05d}", suite, text, ATTRIBUTE_COMBINATIONS[k], spec)
