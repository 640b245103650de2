"""A list of choices as a language model writes it in one line, and which of them its answer means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_LABEL: Final = re.compile(r"\(?([A-Ha-h1-8])[).:]\s+(?=\S)")
_INLINE_LABEL: Final = re.compile(r"(?:^|\s)\(([A-Ha-h1-8])\)\s*")
# one bracket at least: "b" alone may be the beginning of a word that was cut off
_ANSWERED_LABEL: Final = re.compile(r"\(?([A-Ha-h])[).]\s*(.*)")
_THOUSAND: Final = re.compile(r"\d{3}(?!\d)")
_OR: Final = re.compile(r"^or\s+", re.IGNORECASE)
_MOST_COMMAS: Final = 20
_PAIRS: Final = {"(": ")", "[": "]", "{": "}", '"': '"', "“": "”"}
_QUOTES: Final = "\"'“”‘’`"


def split_choices(text: str, answer: str = "") -> list[str]:
    """The choices of a line such as ``red, green, blue``, each once (whatever its case), in their order.

    Labels (``(A) yes (B) no``, ``a) yes, b) no``), quotes and brackets around them go; a comma within brackets or quotes, or
    between digits, divides nothing. Other dividers (``;``, ``|``, ``/``, "or") count only where there is no comma.

    Args:
        text: what follows "Choices:".
        answer: what follows "A:"; where it is made of several pieces with commas between, they are one choice, and the others
            are put together alike if that comes out even.
    """
    text = _bare(text)
    if len(labels := _INLINE_LABEL.split(text)) > 3 and not labels[0].strip():
        pieces = labels[2::2]
    else:
        pieces = [piece.strip() for piece in _pieces(text)]
        # "red, blue, or green"
        pieces[-1] = _OR.sub("", pieces[-1])
        pieces = _unlabelled(_together(pieces, answer))
    cleaned = [_clean(piece, last=k == len(pieces) - 1) for k, piece in enumerate(pieces)]
    return list({piece.strip().casefold(): piece for piece in reversed(cleaned) if piece}.values())[::-1]


def meant(answer: str, choices: Sequence[str]) -> str | None:
    """The choice that an answer means: the same text, else the only one that differs from it in nothing but case, else in
    nothing but case, punctuation and white space; a label (``(B)``, ``B) no``) means the choice at its place. None: none does,
    or several do."""
    answer = answer.strip()
    for alike in (str, str.casefold, plain):
        found = [choice for choice in choices if alike(choice) == alike(answer) != ""]
        if found:
            return found[0] if len(found) == 1 else None
    labelled = _ANSWERED_LABEL.fullmatch(answer)
    place = "abcdefgh".index(labelled[1].lower()) if labelled else len(choices)
    if labelled is None or place >= len(choices):
        return None
    return choices[place] if plain(labelled[2]) in ("", plain(choices[place])) else None


def plain(text: str) -> str:
    """Letters and digits of a text, in small letters, with single spaces for all that is between."""
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


def _bare(text: str) -> str:
    """Without brackets around the whole, as of a Python list."""
    text = text.strip()
    if len(text) > 1 and text[0] in "[{" and text.rstrip(".").endswith(_PAIRS[text[0]]):
        return text.rstrip(".")[1:-1]
    return text


def _pieces(text: str) -> list[str]:
    if len(cut := _cut(text)) > 1:
        return cut
    # by any comma, if that is all there is: a bracket that is never closed holds nothing
    for divider in (r",\s+", r",", r"[;|\n]", r"\s/\s", r"/", r"\s+or\s+"):
        if len(cut := re.split(divider, text)) > 1:
            return cut
    return [text]


def _cut(text: str) -> list[str]:
    """Cut at commas outside brackets and quotes, but for those of thousands (``1,000``)."""
    found: list[str] = []
    start = 0
    within: list[str] = []
    for k, character in enumerate(text):
        if within and character == within[-1]:
            within.pop()
        elif character in _PAIRS:
            within.append(_PAIRS[character])
        elif character == "," and not within and not (text[k - 1 : k].isdigit() and _THOUSAND.match(text, k + 1)):
            found.append(text[start:k])
            start = k + 1
    return [*found, text[start:]]


def _together(pieces: list[str], answer: str) -> list[str]:
    """Pieces that are one choice by the answer's word, put together; "Rome, Italy" is two pieces."""
    wanted = plain(answer)
    size = len([piece for piece in answer.split(",") if piece.strip()])
    if not 2 <= size <= _MOST_COMMAS or wanted in map(plain, pieces):
        return pieces
    for k in range(len(pieces) - size + 1):
        if plain(" ".join(pieces[k : k + size])) == wanted:
            if len(pieces) % size == 0 and k % size == 0:
                return [", ".join(pieces[n : n + size]) for n in range(0, len(pieces), size)]
            return [*pieces[:k], ", ".join(pieces[k : k + size]), *pieces[k + size :]]
    return pieces


def _unlabelled(pieces: list[str]) -> list[str]:
    """Without labels, if every piece has the one of its place."""
    labels = [_LABEL.match(piece) for piece in pieces]
    places = [label[1].lower() if label else "" for label in labels]
    if len(pieces) > 1 and any("".join(places) == row[: len(places)] for row in ("abcdefgh", "12345678")):
        return [piece[label.end() :] for piece, label in zip(pieces, labels, strict=True) if label]
    return pieces


def _clean(piece: str, *, last: bool) -> str:
    """Without outer quotes, and without the full stop after the last."""
    piece = piece.strip(" \t,;|")
    if last:
        piece = piece.rstrip(".").rstrip() or piece
    if len(piece) > 1 and piece[0] in _QUOTES and piece[-1] in _QUOTES:
        piece = piece[1:-1].strip()
    return piece
