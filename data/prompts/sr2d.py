"""SR2D, the prompts of VISOR: every pair of the 80 COCO objects in every spatial relation, by published line number."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Final

from data.prompts.coco import COCO, article_by_sound
from data.records import Prompt

SUITE: Final = "sr2d"

_PHRASES: Final = {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below", "and": "and"}
_TASKS: Final = tuple(_PHRASES)
OPPOSITE: Final = {"left": "right", "right": "left", "above": "below", "below": "above"}
"""The relation of b to a, by that of a to b; in SR2D's order."""
_PAIRS: Final = tuple(itertools.combinations(COCO, 2))
_RANK: Final = {name: k for k, name in enumerate(COCO)}
_LINES_PER_PAIR: Final = 2 * len(_TASKS)

SIZE: Final = _LINES_PER_PAIR * len(_PAIRS) + len(COCO)
"""31,680: 25,280 relational prompts, 6,320 with ``and``, 80 single objects."""


def all_prompts() -> list[Prompt]:
    """The whole published list, in its order."""
    return [prompt(number) for number in range(SIZE)]


def prompt(number: int) -> Prompt:
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
        return Prompt(prompt_id, SUITE, text_of(name), "single", {"a": name})
    task = _TASKS[line // 2]
    a, b = _PAIRS[pair] if line % 2 == 0 else _PAIRS[pair][::-1]
    spec = {"a": a, "b": b} if task == "and" else {"a": a, "b": b, "relation": task}
    return Prompt(prompt_id, SUITE, text_of(a, b, spec.get("relation")), task, spec)


def number_of(a: str, b: str, relation: str) -> int:
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


def phrase(relation: str) -> str:
    """A relation as prompts say it (``to the left of``)."""
    return _PHRASES[relation]


def text_of(a: str, b: str | None = None, relation: str | None = None) -> str:
    """The text of a spec; without a relation the two are joined by "and"."""
    return _with_article(a) if b is None else f"{_with_article(a)} {_PHRASES[relation or 'and']} {_with_article(b)}"


@cache
def _with_article(name: str) -> str:
    return f"{article_by_sound(name)} {name}"
