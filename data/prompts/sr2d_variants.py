"""SR2D said otherwise (VISOR, section 6.6): as sentences, as split sentences, and with sizes and colours.

Each is a suite of its own. What a prompt asks for (``a``, ``b``, ``relation``) is what one of SR2D's asks, so VISOR's rules and
summary take these suites as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any, Final

import numpy as np

from data.prompts import sr2d
from data.prompts.coco import article_by_sound
from data.records import Prompt

SENTENCES: Final = "sr2d-sentences"
SPLIT: Final = "sr2d-split"
ATTRIBUTES: Final = "sr2d-attributes"

CATEGORIES: Final = (
    "car", "bench", "dog", "suitcase", "sports ball", "cup", "cake", "chair", "laptop", "microwave", "book",
)  # fmt: skip
"""One for each supercategory but ``person``, of whom no colour is asked (VISOR, Table X)."""
SIZES: Final = ("tiny", "small", "large", "huge")
COLORS: Final = ("red", "orange", "yellow", "green", "blue", "purple", "black", "white")
"""The paper has 4 sizes and 8 colours but names none, nor does its repository: these are ours, the colours among GenEval's."""

NONE: Final = "none"
_DESCRIBED: Final = (NONE, "Z", "C", "ZC")
COMBINATIONS: Final = tuple(f"{a}, {b}" for a, b in product(_DESCRIBED, repeat=2))
"""What is said of A and of B, as the paper's Figure 13 writes it: Z a size, C a colour, ``none`` neither."""
_ASKED: Final = tuple((a, b, relation) for a, b in permutations(CATEGORIES, 2) for relation in sr2d.OPPOSITE)

MOST: Final = len(_ASKED)
"""440: each ordered pair of CATEGORIES in each relation."""
SEED: Final = 0
N: Final = 100


def sentences() -> list[Prompt]:
    """``There is a cat to the left of a dog``: SR2D's 25,280 prompts with a relation, by SR2D's own numbers and tasks."""
    return _said(SENTENCES, lambda a, b, relation: f"There is {sr2d.text_of(a, b, relation)}")


def split_sentences() -> list[Prompt]:
    """``There is a cat to the left. There is a dog to the right``; as ``sentences``.

    The paper shows no other relation. Here they are ``There is a cat above. There is a dog below``, and the other way round.
    """
    return _said(SPLIT, _split)


def attributes(seed: int = SEED, n: int = N) -> list[Prompt]:
    """``a small red cup to the left of a huge dog``: ``n`` pairs with a relation, each with all 16 of COMBINATIONS.

    Pairs are drawn without repetition; of each pair the sizes and colours are drawn once, each for itself, and a combination
    says some of them, so that combinations differ in nothing else. ``task`` is the combination. Prompt ``16 k + c`` is pair k
    in combination c, the same whatever ``n`` is. ``spec`` is SR2D's, and beside it what is said (``a_size``, ``a_color``, ...),
    which no rule reads: VISOR looks at objects and relations alone, and its ``correct`` would be open were colours asked.

    Raises:
        ValueError: there are not so many pairs, or the seed is negative.
    """
    if not 1 <= n <= MOST or seed < 0:
        raise ValueError(f"n must be from 1 to {MOST:,} and seed not negative, got n {n} and seed {seed}")
    suite = ATTRIBUTES if seed == SEED else f"{ATTRIBUTES}@seed{seed}"
    rng = np.random.default_rng(seed)
    # all draws first: what a pair is called does not depend on n
    order = rng.permutation(MOST)
    sizes, colors = (rng.integers(len(words), size=(MOST, 2)) for words in (SIZES, COLORS))
    return [
        prompt
        for place in range(n)
        for prompt in _described(
            suite, place, _ASKED[order[place]], [SIZES[k] for k in sizes[place]], [COLORS[k] for k in colors[place]]
        )
    ]


def has_attributes(prompt_id: str) -> bool:
    """Whether a prompt is one of ``attributes``: several of these ask what one of SR2D's does."""
    suite = prompt_id.rpartition("/")[0]
    return suite == ATTRIBUTES or suite.startswith(f"{ATTRIBUTES}@")


def _said(suite: str, text: Callable[[str, str, str], str]) -> list[Prompt]:
    return [
        Prompt(
            f"{suite}/{number:05d}",
            suite,
            text(prompt.spec["a"], prompt.spec["b"], prompt.spec["relation"]),
            prompt.task,
            prompt.spec,
        )
        for number, prompt in enumerate(sr2d.all_prompts())
        if "relation" in prompt.spec
    ]


def _split(a: str, b: str, relation: str) -> str:
    first, second = (_where(sr2d.text_of(name), at) for name, at in ((a, relation), (b, sr2d.OPPOSITE[relation])))
    return f"There is {first}. There is {second}"


def _where(thing: str, relation: str) -> str:
    return f"{thing} {sr2d.phrase(relation).removesuffix(' of')}"


def _described(suite: str, place: int, asked: tuple[str, str, str], sizes: list[str], colors: list[str]) -> Iterator[Prompt]:
    """One pair in all combinations."""
    a, b, relation = asked
    for k, combination in enumerate(product(_DESCRIBED, repeat=2)):
        number = place * len(COMBINATIONS) + k
        spec: dict[str, Any] = {"a": a, "b": b, "relation": relation}
        things = []
        for key, name, kind, size, color in zip("ab", (a, b), combination, sizes, colors, strict=True):
            said = {word: value for word, value, letter in (("size", size, "Z"), ("color", color, "C")) if letter in kind}
            spec |= {f"{key}_{word}": value for word, value in said.items()}
            things.append(" ".join([*said.values(), name]))
        text = f" {sr2d.phrase(relation)} ".join(f"{article_by_sound(thing)} {thing}" for thing in things)
        yield Prompt(f"{suite}/{number:05d}", suite, text, COMBINATIONS[k], spec)
