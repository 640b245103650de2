"""Cells that no spreadsheet takes for a formula, and the way back to the very text.

Spreadsheets compute what begins with ``= + - @``, a tab or a line break (OWASP, "CSV Injection": also the full-width signs),
so such a text gets an apostrophe before it. A text that begins with apostrophes and then such a sign gets one more, so that
nothing is ambiguous: whoever takes one apostrophe away where ``escaped`` would have put it has the text as it was. Plain
numbers stay as they are, since no number does anything.
"""

from __future__ import annotations

import re
from typing import Final

_RISKY: Final = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def escaped(text: str) -> str:
    """The text as it stands in a CSV file of ours."""
    return f"'{text}" if _RISKY.match(text) and not _NUMBER.fullmatch(text) else text


def unescaped(text: str) -> str:
    """The text that ``escaped`` was given."""
    return text[1:] if text.startswith("'") and _RISKY.match(text) else text
