"""Folding of spellings: the form in which texts that people read as the same text are equal.

Texts are compared in it and stay stored as they were written.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_INVISIBLE: Final = dict.fromkeys(
    [0x00AD, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFE0E, 0xFE0F, 0xFEFF]
)
_QUOTES: Final = dict.fromkeys(map(ord, "‘’‚‛′´`ʼ"), "'") | dict.fromkeys(map(ord, "“”„‟″«»"), '"')
_WIDE: Final = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_HALF_WIDTH: Final = re.compile("[\uff61-\uffdc\uffe0-\uffee]+")
_CHARACTERS: Final = _INVISIBLE | _WIDE | _QUOTES


def fold_characters(text: str) -> str:
    """Return the text with composed letters, without invisible characters, with straight quotes and letters of usual width."""
    if text.isascii():
        return text.replace("`", "'")
    half = _HALF_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text.translate(_CHARACTERS))
    return unicodedata.normalize("NFC", half)


def fold_spaces(text: str) -> str:
    """Return the text without spaces at its ends, and with one space for each row of spaces."""
    return " ".join(text.split())


def fold_spelling(text: str) -> str:
    """Return the text as a prompt, a name or a label is compared: characters and spaces folded, letter case as it is."""
    return fold_spaces(fold_characters(text))
