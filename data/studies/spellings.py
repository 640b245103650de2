"""Spellings of one name: texts that differ only by case, spaces or the format of a number, such as ``Ann`` and ``Ann ``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Final

DIFFERENCES: Final = ("case", "space", "number")
_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(?:\.\d{0,9})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Clash:
    """Texts that are probably one name.

    Attributes:
        texts: of the file, the most frequent first; ``known``: of the project or the scale.
        by: the differences between them.
    """

    texts: tuple[str, ...]
    known: tuple[str, ...]
    by: tuple[str, ...]


def fold(text: str, differences: Collection[str]) -> str:
    """The text without these differences."""
    if "space" in differences:
        text = " ".join(text.split())
    if "case" in differences:
        text = text.casefold()
    return str(Decimal(text).normalize() + 0) if "number" in differences and _NUMBER.fullmatch(text) else text


def spellings(counts: Mapping[str, int], known: Collection[str], merge: Collection[str]) -> tuple[dict[str, str], list[Clash]]:
    """The one spelling of each text, where these differences do not count, and what still differs only in how it is written.

    A known spelling (of the project, or of the scale) goes before the file's own, of which the most frequent one is taken.
    Texts that the project has in several spellings already are no clash of the file. ``counts``: how often the file has each.
    """
    chosen: dict[str, str] = {}
    for texts, others in _groups(counts, known, merge):
        one = max(others or texts, key=lambda text: counts.get(text, 0))
        chosen.update(dict.fromkeys(texts, one))
    merged: dict[str, int] = defaultdict(int)
    for text, n in counts.items():
        merged[chosen[text]] += n
    clashes = [
        Clash(tuple(texts), tuple(others), _differences((*texts, *others)))
        for texts, others in _groups(merged, known, DIFFERENCES)
        if len(texts) > 1 or (others and texts[0] not in others)
    ]
    return chosen, clashes


def _groups(
    counts: Mapping[str, int], known: Collection[str], differences: Collection[str]
) -> list[tuple[list[str], list[str]]]:
    """The file's texts that are the same without these differences, the most frequent first, with the known ones."""
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for text in sorted(counts, key=lambda text: -counts[text]):
        groups.setdefault(fold(text, differences), ([], []))[0].append(text)
    for text in known:
        if (group := groups.get(fold(text, differences))) is not None:
            group[1].append(text)
    return list(groups.values())


def _differences(texts: Collection[str]) -> tuple[str, ...]:
    """The fewest differences without which all are one."""
    sets = (some for n in range(1, len(DIFFERENCES) + 1) for some in combinations(DIFFERENCES, n))
    return next(some for some in sets if len({fold(text, some) for text in texts}) == 1)
