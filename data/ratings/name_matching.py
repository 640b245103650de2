"""What the names in a ratings file mean: which of the project's items, and which spelling of a rater or value.

Items are matched by id, path, file name, SHA-256 or prompt. Spellings are texts that differ only by case, spaces, the format
of a number or Unicode's ways to write one character, such as ``Ann`` and ``Ann ``.
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
from data.folding import fold_characters, fold_spaces, fold_spelling
from data.ratings.rating_tables import RatedItem

DIFFERENCES: Final = ("case", "space", "number", "characters")
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
    """Return the text without these differences; of several columns joined by ``|`` each without them."""
    if "characters" in differences:
        text = fold_characters(text)
    if "space" in differences:
        text = fold_spaces(text)
    if "case" in differences:
        text = text.casefold()
    if "number" in differences:
        text = "|".join(map(_plain_number, text.split("|")))
    return text


def _plain_number(text: str) -> str:
    """Return a number as it is written shortest (``1.0`` as 1), another text unchanged."""
    return str(Decimal(text).normalize() + 0) if _NUMBER.fullmatch(text) else text


def choose_spellings(
    counts: Mapping[str, int], known: Collection[str], merge: Collection[str]
) -> tuple[dict[str, str], list[Clash]]:
    """The one spelling of each text, where these differences do not count, and what still differs only in how it is written.

    A known spelling (of the project, or of the scale) goes before the file's own, of which the most frequent one is taken.
    Texts that the project has in several spellings already are no clash of the file. ``counts``: how often the file has each.
    """
    folded = {fold_text(text, DIFFERENCES) for text in counts}
    if len(folded) == len(counts) and folded.isdisjoint(fold_text(text, DIFFERENCES) for text in known if text not in counts):
        # no two are alike, as is usual of many items
        return {text: text for text in counts}, []
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


def alike(texts: Iterable[str], differences: Collection[str] = DIFFERENCES) -> list[list[str]]:
    """Return the groups of texts that are the same without these differences, each with two texts at least."""
    groups: dict[str, list[str]] = {}
    for text in dict.fromkeys(texts):
        groups.setdefault(fold_text(text, differences), []).append(text)
    return [group for group in groups.values() if len(group) > 1]


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


def match_rows(rows: Iterable[RatedItem], known: Collection[KnownItem], ways: Collection[str] = MATCH_WAYS) -> Matches:
    """Match each item of the rows in the first way that fits exactly one image, or else with the other item of this id.

    A name that fits none is compared without letter case, spaces and Unicode's ways to write a character, too. A file name,
    or the end of an absolute path, is not enough where another item of the file is the same image: two folders with equal
    file names.
    """
    names = _Names(known)
    matched: dict[str, tuple[str, KnownItem]] = {}
    ambiguous: dict[str, int] = {}
    unmatched: list[str] = []
    partial: set[str] = set()
    firsts: dict[str, RatedItem] = {}
    for row in rows:
        firsts.setdefault(row.item, row)
    for key, row in firsts.items():
        several = 0
        for way in (rule for rule in MATCH_WAYS if rule in ways):
            fits = names.fits(way, row)
            if len(fits.items) == 1:
                matched[key] = (fits.way, fits.items[0])
                partial |= {key} if fits.partial else set()
                break
            several = several or len(fits.items)
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
    for key in partial:
        if len(claims[matched[key][1].item_id]) > 1:
            del matched[key]
            unmatched.append(key)
    by = Counter(way for way, _ in matched.values())
    return Matches({key: item for key, (_, item) in matched.items()}, by, tuple(unmatched), ambiguous)


def path_parts(text: str) -> tuple[str, ...]:
    """The folders and the file of a path or an address, as far as they say where it is: ``../a/./b.png`` is a, b.png."""
    if "://" in text:
        with suppress(ValueError):  # it may be no address after all
            text = unquote(urlsplit(text).path)
    parts = posixpath.normpath(_DRIVE.sub("", text.strip()).replace("\\", "/")).split("/")
    return tuple(part for part in parts if part not in ("", ".", ".."))


_DRIVE: Final = re.compile(r"^[A-Za-z]:(?=[\\/])")
_ABSOLUTE: Final = re.compile(r"^(?:[A-Za-z]:)?[\\/]|^[A-Za-z][A-Za-z0-9+.-]*://")


def is_address(text: str) -> bool:
    """Return True if a text is an address on the web, such as ``https://example.org/a.png``."""
    return text.strip().casefold().startswith(("http://", "https://", "s3://", "gs://"))


Key = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fits:
    """The images that a name fits.

    Attributes:
        way: how, in words; empty where there are none.
        partial: whether the name leaves open in which folder the file is.
    """

    items: Sequence[KnownItem] = ()
    way: str = ""
    partial: bool = False


@dataclass
class _Names:
    """The project's items by what a file may call them; the index of each way is made when it is first needed."""

    known: Collection[KnownItem]
    _indexes: dict[tuple[str, int, bool], dict[Key, list[KnownItem]]] = field(default_factory=dict)

    def fits(self, way: str, row: RatedItem) -> Fits:
        """The images that the row's name fits in this way, exactly or else in another spelling."""
        for folded in (False, True):
            items, partial = self._fits(way, row, folded)
            if items:
                return Fits(items, f"{way}, spelled otherwise" if folded else way, partial)
        return Fits()

    def _fits(self, way: str, row: RatedItem, folded: bool) -> tuple[Sequence[KnownItem], bool]:
        # several columns together may be an id or a path: generator and file name
        name = row.item.strip().replace("|", "/")
        if way == "id":
            return self._named(way, row.item, folded) or self._named(way, name, folded), False
        if way == "sha256":
            return () if folded else self._named(way, name.lower(), False), False
        if way == "prompt":
            fits = [
                item
                for item in self._named(way, (row.prompt or "").strip(), folded)
                if (row.generator is None or item.generator == row.generator)
                and (row.index is None or (item.index is not None and _is_index(row.index, item.index)))
            ]
            return fits, False
        parts = path_parts(name)
        if way == "name":
            return self._named(way, parts[-1], folded) if parts else (), True
        # a relative path names the end of the whole one; a file name alone is no path
        if 1 < len(parts) <= self._longest and (items := self._named(way, parts, folded, len(parts))):
            return items, False
        if _ABSOLUTE.match(name):
            # the folders of another machine: the most of the path that an image's path ends with
            for length in range(min(len(parts) - 1, self._longest), 1, -1):
                if items := self._named(way, parts[-length:], folded, length):
                    return items, True
        return (), False

    def _named(self, way: str, key: Key, folded: bool, length: int = 0) -> Sequence[KnownItem]:
        if (way, length, folded) not in self._indexes:
            index = self._indexes[way, length, folded] = defaultdict(list)
            for item in self.known:
                for name in {_key(name, folded) for name in _names_of(item, way, length)} if item.is_image else ():
                    index[name].append(item)
        return self._indexes[way, length, folded].get(_key(key, folded), ())

    def other(self, row: RatedItem) -> KnownItem | None:
        """The item of this id that is no image: a pair, a group, or what came once without a picture."""
        return self._others.get(row.item)

    @cached_property
    def _others(self) -> dict[str, KnownItem]:
        return {item.item_id: item for item in self.known if not item.is_image}

    @cached_property
    def _longest(self) -> int:
        return max((len(path_parts(item.path)) for item in self.known if item.path is not None), default=0)


def _key(name: Key, folded: bool) -> Key:
    if not folded:
        return name
    return _folded(name) if isinstance(name, str) else tuple(map(_folded, name))


def _folded(text: str) -> str:
    return fold_spelling(text).casefold()


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
    if not parts or len(parts) < length:
        return ()
    # with and without its ending
    last = (parts[-1], posixpath.splitext(parts[-1])[0])
    return last if way == "name" else [(*parts[-length:-1], name) for name in last]


def prompt_names(item: KnownItem) -> set[str]:
    """What a file may call an item's prompt."""
    prompt_id = item.prompt_id or ""
    return {prompt_id, prompt_id.removeprefix(f"{item.suite}/"), (item.text or "").strip()} - {""}


def contradiction(row: RatedItem, item: KnownItem) -> str | None:
    """What the row says of its item that the project knows otherwise; None if nothing."""
    names = {fold_spelling(name) for name in prompt_names(item)}
    if row.prompt is not None and item.prompt_id is not None and fold_spelling(row.prompt) not in names:
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
