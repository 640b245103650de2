"""Texts for annotators in their language: English texts are their own names, and another language is one more file.

``assets/texts/CODE.json`` has a translation of each. The pages before the form are worded here; the form itself is worded by
its scripts from the same files (``assets/js/texts.js``), which are told which there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers

from concord.common.base_path import at
from data.cache import cached_by_stamp
from ui.web.assets import ASSETS

FOLDER: Final = ASSETS / "texts"
_ENGLISH: Final = "en"
_RIGHT_TO_LEFT: Final = frozenset(("ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"))
_VALUE: Final = re.compile(r"\{(\w+)\}")


def direction(code: str) -> str:
    """How a language is written, as HTML has it."""
    return "rtl" if code in _RIGHT_TO_LEFT else "ltr"


def languages() -> dict[str, str]:
    """The languages besides English, and how each is written."""
    return {path.stem: direction(path.stem) for path in sorted(FOLDER.glob("*.json")) if path.stem != _ENGLISH}


@dataclass(frozen=True)
class Language:
    """The language of a page.

    Attributes:
        requested: whether the address asks for it: then the addresses that the page leads to do, too.
    """

    code: str = _ENGLISH
    translations: Mapping[str, str] = field(default_factory=dict)
    requested: bool = False

    @property
    def direction(self) -> str:
        """How it is written."""
        return direction(self.code)

    def __call__(self, text: str, /, **values: object) -> str:
        """A text in this language; ``{name}`` in it stands for a value."""
        translated = self.translations.get(text, text)
        return _VALUE.sub(lambda match: str(values.get(match[1], match[0])), translated)

    def at(self, path: str) -> str:
        """The address of a path of ours, which may have a query, in this language."""
        if not self.requested or "lang" in parse_qs(urlsplit(path).query):
            return at(path)
        return f"{at(path)}{'&' if '?' in path else '?'}{urlencode({'lang': self.code})}"


def language_of(scope: MutableMapping[str, Any]) -> Language:
    """The language of whoever sends a request: that of ``?lang=``, or else the first of the browser's that there is."""
    known = languages()
    requested = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("lang", [])
    for number, wanted in enumerate((*requested, *_accepted(Headers(scope=scope).get("accept-language", "")))):
        code = wanted.lower().partition("-")[0]
        if code == _ENGLISH or code in known:
            return Language(code, _translations(code) if code in known else {}, number < len(requested))
    return Language()


def _accepted(header: str) -> Iterator[str]:
    """The languages of an ``Accept-Language`` header, the most wanted first."""
    ranked: list[tuple[float, str]] = []
    for part in header.split(",")[:20]:
        tag, _, quality = part.strip().partition(";q=")
        try:
            ranked.append((-float(quality or 1), tag))
        except ValueError:
            continue
    # of equally wanted ones the first stays the first
    return (tag for _, tag in sorted(ranked, key=lambda pair: pair[0]))


def _translations(code: str) -> Mapping[str, str]:
    return _read(FOLDER / f"{code}.json")


@cached_by_stamp(maxsize=32)
def _read(path: Path) -> Mapping[str, str]:
    translations: Mapping[str, str] = json.loads(path.read_text("utf-8"))
    return translations
