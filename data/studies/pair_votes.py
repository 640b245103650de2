"""Votes between two generators' images as preferences: a row names both generators, and says which image was chosen.

A pair is called by its item and its two generators in the order of the alphabet, so that votes of people who saw the images
the other way round are about the same pair.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from data.files import InputError, Problems, quoted
from data.folding import fold_spelling
from data.tables import TextTable, require_columns

PREFERENCE: Final = "preference"
PAIR: Final = "pair"
"""The column that `with_pairs` adds: the pair's generators."""
_SIDES: Final = (
    frozenset(
        {"left", "a", "model_a", "model a", "image_a", "image a", "first", "image 1", "image_1", "image1", "l", "option a"}
    ),
    frozenset(
        {"right", "b", "model_b", "model b", "image_b", "image b", "second", "image 2", "image_2", "image2", "r", "option b"}
    ),
)
_BOTH: Final = frozenset(
    {
        "both",
        "tie",
        "draw",
        "equal",
        "same",
        "both good",
        "tie (both good)",
        "tie (bothgood)",
        "bothgood",
        "tievote",
        "a=b",
        "a = b",
    }
)
_NONE: Final = frozenset({"none", "neither", "both bad", "bothbad", "tie (bothbad)", "tie (both bad)", "bothbad_vote"})
_NUMBERS: Final = ("1", "2")


@dataclass(frozen=True, slots=True)
class PairVote:
    """A vote between two generators.

    Attributes:
        chosen: a generator, ``both`` or ``none``.
        generators: both, in the order of the alphabet.
        written: the vote as it stands in the file.
    """

    chosen: str
    generators: tuple[str, str]
    written: str


def with_pairs(table: TextTable, first: str, second: str, vote: str) -> TextTable:
    """Return the table with a column of the pair, and the votes as `read_vote` reads them; empty votes stay empty.

    Raises:
        InputError: a vote names neither image, or a pair is one of the same generator twice.
    """
    require_columns(table, [first, second, vote])
    where = [table.header.index(name) for name in (first, second, vote)]
    words = {fold_spelling(cells[where[2]]).casefold() for _, cells in table.records}
    numbered = words & {*_NUMBERS} if not words & {"0", "0.0", "0.5"} else set()
    problems = Problems(table.path)
    records: list[tuple[int, Sequence[str]]] = []
    for line, cells in table.records:
        names, written = (cells[where[0]].strip(), cells[where[1]].strip()), cells[where[2]].strip()
        with problems.at(line):
            new = list(cells)
            if written:
                new[where[2]] = _packed(_vote(names, (first, second), written, bool(numbered)))
            records.append((line, (*new, " vs ".join(sorted(names)))))
    problems.check()
    if PAIR in table.header:
        raise InputError(f"{table.path}: rename the column {quoted(PAIR)}: the pair's generators are called so")
    return replace(table, header=(*table.header, PAIR), records=records)


def _vote(names: tuple[str, str], columns: tuple[str, str], written: str, numbered: bool) -> PairVote:
    if not all(names):
        raise ValueError("a generator of the pair is not named")
    if names[0] == names[1]:
        raise ValueError(f"both images are of {quoted(names[0])}; a preference is between two generators")
    word = fold_spelling(written).casefold()
    generators = (min(names), max(names))
    for side in (0, 1):
        own = {fold_spelling(names[side]).casefold(), fold_spelling(columns[side]).casefold()}
        if (
            word in own
            or (word in _SIDES[side] and word not in {name.casefold() for name in names})
            or (numbered and word == _NUMBERS[side])
        ):
            return PairVote(names[side], generators, written)
    if word in _BOTH or word in _NONE:
        return PairVote("both" if word in _BOTH else "none", generators, written)
    raise ValueError(
        f"the vote {quoted(written)} names neither {quoted(names[0])} nor {quoted(names[1])}; write the generator, left, right,"
        " both or none"
    )


def _packed(vote: PairVote) -> str:
    return json.dumps([vote.chosen, *vote.generators, vote.written], ensure_ascii=False)


def read_vote(text: str) -> PairVote:
    """Return the vote that `with_pairs` wrote."""
    chosen, first, second, written = json.loads(text)
    return PairVote(chosen, (first, second), written)
