"""What the names in a ratings file mean: which of the project's items, and which spelling of a rater or value.

Items are matched by id, path, file name, SHA-256 or prompt. Spellings are texts that differ only by case, spaces or the
format of a number, such as ``Ann`` and ``Ann ``.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from itertools import combinations
from typing import Final
from urllib.parse import unquote, urlsplit

from data.files import quoted
from data.studies.rating_tables import RatingRow

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


def fold_text(text: str, differences: Collection[str]) -> str:
    """The text without these differences."""
    if "space" in differences:
        text = " ".join(text.split())
    if "case" in differences:
        text = text.casefold()
    return str(Decimal(text).normalize() + 0) if "number" in differences and _NUMBER.fullmatch(text) else text


def choose_spellings(
    counts: Mapping[str, int], known: Collection[str], merge: Collection[str]
) -> tuple[dict[str, str], list[Clash]]:
    """The one spelling of each text, where these differences do not count, and what still differs only in how it is written.

    A known spelling (of the project, or of the scale) goes before the file's own, of which the most frequent one is taken.
    Texts that the project has in several spellings already are no clash of the file. ``counts``: how often the file has each.
    """
    chosen: dict[str, str] = {}
    for texts, others in _same_texts(counts, known, merge):
        chosen.update(dict.fromkeys(texts, max(others or texts, key=lambda text: counts.get(text, 0))))
    merged: dict[str, int] = defaultdict(int)
    for text, n in counts.items():
        merged[chosen[text]] += n
    sets = [some for n in range(1, len(DIFFERENCES) + 1) for some in combinations(DIFFERENCES, n)]
    clashes = []
    for texts, others in _same_texts(merged, known, DIFFERENCES):
        if len(texts) > 1 or (others and texts[0] not in others):
            # the fewest differences without which all are one
            fewest = next(some for some in sets if len({fold_text(text, some) for text in (*texts, *others)}) == 1)
            clashes.append(Clash(tuple(texts), tuple(others), fewest))
    return chosen, clashes


def _same_texts(
    counts: Mapping[str, int], known: Collection[str], differences: Collection[str]
) -> list[tuple[list[str], list[str]]]:
    """The file's texts that are the same without these differences, the most frequent first, with the known ones."""
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for text in sorted(counts, key=lambda text: -counts[text]):
        groups.setdefault(fold_text(text, differences), ([], []))[0].append(text)
    for text in known:
        if (group := groups.get(fold_text(text, differences))) is not None:
            group[1].append(text)
    return list(groups.values())


MATCH_WAYS: Final = ("id", "path", "name", "sha256", "prompt")
"""In the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An item of the project with all that a file may name it by.

    Attributes:
        is_image: whether it is a single image's item, with or without a file; of others only the id names it.
        text: of the prompt; ``index``: which of its generator's images of the prompt.
    """

    item_id: str
    suite: str
    is_image: bool
    path: str | None
    sha256: str | None
    prompt_id: str | None
    text: str | None
    generator: str | None
    index: int | None


@dataclass(frozen=True, slots=True)
class Matches:
    """What a file's items are, by its own names for them.

    Attributes:
        items: those that are in the project; ``ways``: by how many of them were found in which way.
        unmatched: those that are not; ``ambiguous``: those that fit several, with how many.
    """

    items: Mapping[str, KnownItem]
    ways: Mapping[str, int]
    unmatched: tuple[str, ...]
    ambiguous: Mapping[str, int]


def match_rows(rows: Iterable[RatingRow], known: Collection[KnownItem], ways: Collection[str] = MATCH_WAYS) -> Matches:
    """Match each item of the rows in the first way that fits exactly one image, or else with the other item of this id.

    A file name alone is not enough where another item of the file is the same image: two folders with equal file names.
    """
    names = _Names(known)
    matched: dict[str, tuple[str, KnownItem]] = {}
    ambiguous: dict[str, int] = {}
    unmatched: list[str] = []
    firsts: dict[str, RatingRow] = {}
    for row in rows:
        firsts.setdefault(row.item, row)
    for key, row in firsts.items():
        several = 0
        for way in (rule for rule in MATCH_WAYS if rule in ways):
            fits = names.fits(way, row)
            if len(fits) == 1:
                matched[key] = (way, fits[0])
                break
            several = several or len(fits)
        else:
            if "id" in ways and (other := names.other(row)) is not None:
                matched[key] = ("id", other)
            elif several:
                ambiguous[key] = several
            else:
                unmatched.append(key)
    claims: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for key, (_, item) in matched.items():
        claims[item.item_id].add(path_parts(key))
    for key, (way, item) in list(matched.items()):
        if way == "name" and len(claims[item.item_id]) > 1:
            del matched[key]
            unmatched.append(key)
    by = Counter(way for way, _ in matched.values())
    return Matches({key: item for key, (_, item) in matched.items()}, by, tuple(unmatched), ambiguous)


def path_parts(text: str) -> tuple[str, ...]:
    """The folders and the file of a path or an address, as far as they say where it is: ``../a/./b.png`` is a, b.png."""
    if "://" in text:
        with suppress(ValueError):  # it may be no address after all
            text = unquote(urlsplit(text).path)
    parts = posixpath.normpath(text.strip().replace("\\", "/")).split("/")
    return tuple(part for part in parts if part not in ("", ".", ".."))


Key = str | tuple[str, ...]


@dataclass
class _Names:
    """The project's items by what a file may call them; the index of each way is made when it is first needed."""

    known: Collection[KnownItem]
    _indexes: dict[tuple[str, int], dict[Key, list[KnownItem]]] = field(default_factory=dict)

    def fits(self, way: str, row: RatingRow) -> Sequence[KnownItem]:
        """The items that the row's name fits in this way."""
        # several columns together may be an id or a path: generator and file name
        name = row.item.strip().replace("|", "/")
        if way == "id":
            return self._named(way, row.item) or self._named(way, name)
        if way == "sha256":
            return self._named(way, name.lower())
        if way == "prompt":
            return [
                item
                for item in self._named(way, (row.prompt or "").strip())
                if (row.generator is None or item.generator == row.generator)
                and (row.index is None or (item.index is not None and _is_index(row.index, item.index)))
            ]
        parts = path_parts(name)
        if way == "name":
            return self._named(way, parts[-1]) if parts else ()
        # a relative path names the end of the whole one; a file name alone is no path
        return self._named(way, parts, len(parts)) if 1 < len(parts) <= self._longest else ()

    def _named(self, way: str, key: Key, length: int = 0) -> Sequence[KnownItem]:
        if (way, length) not in self._indexes:
            index = self._indexes[way, length] = defaultdict(list)
            for item in self.known:
                for name in _names_of(item, way, length) if item.is_image else ():
                    index[name].append(item)
        return self._indexes[way, length].get(key, ())

    def other(self, row: RatingRow) -> KnownItem | None:
        """The item of this id that is no image: a pair, a group, or what came once without a picture."""
        return self._others.get(row.item)

    @cached_property
    def _others(self) -> dict[str, KnownItem]:
        return {item.item_id: item for item in self.known if not item.is_image}

    @cached_property
    def _longest(self) -> int:
        return max((len(path_parts(item.path)) for item in self.known if item.path is not None), default=0)


def _names_of(item: KnownItem, way: str, length: int) -> Iterable[Key]:
    """What a file may call an image in this way; a path by its last ``length`` parts, as files of one name may be many."""
    if way == "id":
        return (item.item_id,)
    if way == "sha256":
        return (item.sha256,) if item.sha256 is not None else ()
    if way == "prompt":
        return prompt_names(item) if item.prompt_id is not None else ()
    if item.path is None:
        return ()
    parts = path_parts(item.path)
    if way == "name":
        # with and without its ending
        return {parts[-1], posixpath.splitext(parts[-1])[0]} if parts else ()
    return (parts[-length:],) if len(parts) >= length else ()


def prompt_names(item: KnownItem) -> set[str]:
    """What a file may call an item's prompt."""
    prompt_id = item.prompt_id or ""
    return {prompt_id, prompt_id.removeprefix(f"{item.suite}/"), (item.text or "").strip()} - {""}


def contradiction(row: RatingRow, item: KnownItem) -> str | None:
    """What the row says of its item that the project knows otherwise; None if nothing."""
    if row.prompt is not None and item.prompt_id is not None and row.prompt.strip() not in prompt_names(item):
        return f"prompt {quoted(row.prompt)}, and in the project {quoted(item.text or item.prompt_id)}"
    if row.generator is not None and item.generator not in (None, row.generator):
        return f"generator {quoted(row.generator)}, and in the project {quoted(item.generator)}"
    if row.index is not None and item.index is not None and not _is_index(row.index, item.index):
        return f"index {quoted(row.index)}, and in the project {item.index}"
    return None


def _is_index(text: str, index: int) -> bool:
    try:
        return float(text) == index
    except ValueError:
        return False
