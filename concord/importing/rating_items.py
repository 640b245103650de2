"""Items of a table of ratings matched with the project's images: by id, path, name, hash or prompt."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from concord.common import wording
from concord.common.context import CommandError, Context
from concord.importing.rating_request import DEFAULT_SUITE
from data.files import quoted
from data.ratings.name_matching import MATCH_WAYS, KnownItem, Matches, contradiction, is_address, match_rows
from data.ratings.rating_tables import RatedItem
from data.store import imports

EXAMPLES: Final = 5
"""So many examples stand in a message, and so many rows in a preview."""
_FEW_ENOUGH: Final = 5000
"""Among so many names the nearest one is looked for, and of so many items another suite's images."""


def match_items(
    context: Context, rows: Sequence[RatedItem], suite: str | None, ways: Sequence[str], *, new_items: bool
) -> dict[str, str] | None:
    """Match a table's items with the images of a suite (None: no suite is named), and say how many match and how.

    Returns the project's ids of the file's items that it has; None where the suite has no images to match. No ``ways`` are all;
    with ``new_items`` those that match nothing are taken in.

    Raises:
        CommandError: items match no image, or several; or the project knows something else of one.
    """
    name = suite or DEFAULT_SUITE
    items = imports.known_items(context.store, name)
    if not any(item.is_image for item in items):
        # nobody means new items where the project has pictures of these very names, or where they are to match some
        if not new_items and (suite is None or ways):
            if hint := _other_suite_hint(context, rows, ways):
                raise CommandError(
                    f"suite {quoted(name)} has no images, but {hint} To take them in as items without pictures, add --new-items"
                )
            if ways:
                raise CommandError(f"suite {quoted(name)} has no images to match; import them first, or leave --match out")
        return None
    matches = match_rows(rows, items, ways or MATCH_WAYS)
    if matches.ambiguous:
        each = [f"{quoted(name)} ({n:,} images)" for name, n in matches.ambiguous.items()]
        raise CommandError(
            f"{len(each):,} of the items fit several images of suite {quoted(name)}: {first_few(each)}; name them by id or"
            " path, or say which columns tell them apart: --prompt, --generator and --index"
        )
    if matches.unmatched and not new_items:
        total = len(matches.items) + len(matches.unmatched)
        elsewhere = "" if matches.items else _other_suite_hint(context, rows, ways)
        if not elsewhere and any(map(is_address, matches.unmatched)):
            elsewhere = (
                "Addresses on the web match by their last folders and the file's name: download the images and import them."
            )
        raise CommandError(
            f"{len(matches.items):,} of {total:,} items match an image of suite {quoted(name)};"
            f" these do not: {first_few(_suggested(matches.unmatched, items))}. {elsewhere or 'Correct their names.'}"
            " To take them in as items without pictures, add --new-items"
        )
    for row in rows:
        item = matches.items.get(row.item)
        if item is not None and (wrong := contradiction(row, item)) is not None:
            raise CommandError(f"line {row.line}: {quoted(row.item)} matches {quoted(item.item_id)}, but here it has {wrong}")
    context.say(_matching_summary(matches, name))
    return {key: item.item_id for key, item in matches.items.items()}


def first_few(texts: Iterable[str]) -> str:
    """The first few of them, and how many more there are."""
    every = list(texts)
    more = f" and {len(every) - EXAMPLES:,} more" if len(every) > EXAMPLES else ""
    return ", ".join(every[:EXAMPLES]) + more


def _other_suite_hint(context: Context, rows: Sequence[RatedItem], ways: Sequence[str]) -> str:
    """Return another suite that has pictures of most of the items, as a hint; "" if none has."""
    images = [item for item in imports.known_items(context.store) if item.is_image]
    if not images:
        return ""
    some = rows[:_FEW_ENOUGH]
    suites = Counter(item.suite for item in match_rows(some, images, ways or MATCH_WAYS).items.values())
    total, which = len(some), "the first " if len(some) < len(rows) else ""
    for suite, n in suites.most_common(1):
        if 2 * n > total:
            return f"{n:,} of {which}{total:,} items match an image of suite {quoted(suite)}: did you mean --suite {suite}?"
    return ""


def _suggested(unmatched: Sequence[str], items: Collection[KnownItem]) -> list[str]:
    """The items, the first of them with the project's nearest names."""
    names: list[str] = []
    if len(items) <= _FEW_ENOUGH:
        names = [name for item in items for name in (item.item_id, Path(item.path).name if item.path else "") if name]
    each = [f"{quoted(key)}, a web address" if is_address(key) else quoted(key) for key in unmatched]
    for n, key in enumerate(unmatched[:EXAMPLES]):
        last = key.replace("\\", "/").rpartition("/")[2]
        near = difflib.get_close_matches(last[:100], names, 1, 0.7) or difflib.get_close_matches(key[:200], names, 1, 0.7)
        each[n] += f" (did you mean {quoted(near[0])}?)" if near else ""
    return each


def _matching_summary(matches: Matches, suite: str) -> str:
    images = sum(item.is_image for item in matches.items.values())
    total = len(matches.items) + len(matches.unmatched)
    how = ", ".join(f"by {way}" if len(matches.ways) == 1 else f"{n:,} by {way}" for way, n in matches.ways.items())
    others = f", {wording.count(len(matches.items) - images, 'other item')} of it" if images < len(matches.items) else ""
    new = f", {wording.count(len(matches.unmatched), 'new item')} without pictures" if matches.unmatched else ""
    return f"{images:,} of {total:,} match an image of suite {suite}{f' ({how})' if how else ''}{others}{new}"
