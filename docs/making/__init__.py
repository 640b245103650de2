"""Makes the parts of the docs that follow from the code: ``python -m docs.making`` from the repository's root.

Each part stands in a hand-written page between two markers, and is made anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
_BLOCK: Final = re.compile(r"(<!-- made: (?P<name>[a-z-]+) -->\n)(?P<body>.*?)(<!-- end -->)", re.DOTALL)


def names_in(text: str) -> list[str]:
    """The names of the made parts of a page, in order."""
    return [match["name"] for match in _BLOCK.finditer(text)]


def put(text: str, name: str, body: str) -> str:
    """The page with one of its made parts as ``body`` says.

    Raises:
        ValueError: the page has no such part, or several.
    """
    if names_in(text).count(name) != 1:
        raise ValueError(f"the markers '<!-- made: {name} -->' and '<!-- end -->' must stand in the page once")
    return _BLOCK.sub(lambda match: f"{match[1]}\n{body.strip()}\n\n{match[4]}" if match["name"] == name else match[0], text)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for row in rows:
        cells = (" ".join(text.split()).replace("|", "\\|") for text in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def code(text: object) -> str:
    """A short text as code, whatever it holds."""
    shown = str(text)
    return f"`` {shown} ``" if "`" in shown else f"`{shown}`"
