"""The images of one cell of a confusion table: which labels count as the same, and what is said of them in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from agreement import Scale
from agreement.study.frame import read_values
from concord.common import live_updates, wording
from concord.comparison.rater_pairs import crossed_by_rank
from data.browsing import HIGH, LOW, ConfusionCell
from data.selection import GROUPS, Selection
from data.store.analysis import confusion as stored_confusion
from data.store.analysis.confusion import CellUnit, ConfusionQuery, StoredLabel, rater_groups
from data.store.core.conditions import Where
from data.store.core.frame import scales
from data.store.core.store import Store

_NAMED = 8
"""So many of an aspect's labels are told at most."""


def crossing_of(store: Store, crossed: ConfusionCell, selection: Selection) -> ConfusionQuery:
    """The crossing among the selected judgements, its labels read as agreement reads them.

    Which labels there are is told without regard to the selection's certainty.
    """
    return ConfusionQuery(crossed, _labels_by_meaning(store, crossed.aspect, selection), selection)


def by_distance(store: Store, crossing: ConfusionQuery) -> tuple[str, ...]:
    """Return the items where two raters' numbers meet by rank, those that they rank most differently first."""
    crossed = crossing.crossed
    halves = crossed_by_rank(store, crossed, crossing.selection)
    if halves is None:
        return ()
    return halves.apart if crossed.way == "apart" else halves.of((crossed.a_says, crossed.b_says))


def crossed_units(store: Store, crossing: ConfusionQuery, items: Sequence[str]) -> dict[str, list[CellUnit]]:
    """Return what both sides say of these items where they cross, by item; of numbers that meet by rank each with its half."""
    if not crossing.crossed.by_rank:
        return crossing.units(store, items)
    halves = crossed_by_rank(store, crossing.crossed, crossing.selection)
    known = halves.by_item if halves is not None else {}
    return {
        item: [CellUnit(None, f"{image.x:.3g} ({image.halves[0]})", {f"{image.y:.3g} ({image.halves[1]})": 1})]
        for item in items
        if (image := known.get(item)) is not None
    }


def condition_of(store: Store, crossing: ConfusionQuery) -> Where:
    """The condition on ``items t`` that they are the crossing's; made out once while the project stays as it is."""
    return "t.item_id in (select unnest(?::varchar[]))", [_items(store, crossing)]


def count_items(store: Store, crossing: ConfusionQuery) -> int:
    """How many items the crossing has."""
    return len(_items(store, crossing))


@live_updates.cached(maxsize=16, key=live_updates.stored_version)
def _items(store: Store, crossing: ConfusionQuery) -> list[str]:
    return list(by_distance(store, crossing)) if crossing.crossed.by_rank else crossing.items(store)


@live_updates.cached(maxsize=64, key=live_updates.stored_version)
def _labels_by_meaning(store: Store, aspect: str, selection: Selection) -> tuple[StoredLabel, ...]:
    known = scales(store)
    stored_labels: list[StoredLabel] = []
    for suite, labels in stored_confusion.stored_labels(store, aspect, selection).items():
        read = _read(known[suite, aspect], labels)
        stored_labels += [
            StoredLabel(suite, stored, label) for stored, label in zip(labels, read, strict=True) if label is not None
        ]
    return tuple(stored_labels)


def _read(scale: str, labels: Sequence[str]) -> list[str | None]:
    """Each label as it is compared; None where it is not on the scale."""
    rows = pd.DataFrame({"label": pd.Series(labels, dtype=object), "number": np.nan})
    read = read_values(Scale.parse(scale), rows, np.ones(len(labels), dtype=bool))
    return [read.names[code] if code >= 0 else None for code in read.label]


def describe_cell(store: Store, crossing: ConfusionQuery) -> str:
    """What the images are: how many, and what both sides say of them; where there are none, why that may be."""
    crossed, count = crossing.crossed, count_items(store, crossing)
    images = wording.count(count, "image") if count else "No image"
    if crossed.by_rank:
        return f"{images} {_by_half(store, crossing)}, about “{crossed.aspect}”{_only(crossing.selection)}."
    among = rater_groups(store).get(crossed.a) == crossed.b
    first = f"{crossed.a} calls “{crossed.a_says}”" if crossed.a_says else f"{crossed.a} has judged"
    text = f"{images} that {first} and {_second(crossed, other=among)}, about “{crossed.aspect}”"
    return f"{text}{_only(crossing.selection)}.{'' if count else _why(crossing)}"


def _by_half(store: Store, crossing: ConfusionQuery) -> str:
    """Return which half each side puts the images in, and where its upper half begins."""
    crossed = crossing.crossed
    halves = crossed_by_rank(store, crossed, crossing.selection)
    cuts = halves.cuts if halves is not None else (None, None)
    sides = [(crossed.a, crossed.a_says, cuts[0]), (crossed.b, crossed.b_says, cuts[1])]
    from_on = [f"{name}’s from {cut:.3g} on" for name, _, cut in sides if cut is not None]
    upper = f" (upper halves by rank: {wording.listed(from_on)})" if from_on else ""
    if crossed.way == "apart":
        return f"that {crossed.a} and {crossed.b} put in unlike halves{upper}"
    words = {HIGH: "upper", LOW: "lower"}
    verb = "put" if crossed.b in GROUPS else "puts"
    first = f"{crossed.a} puts in the {words[crossed.a_says]} half"
    return f"that {first} and {crossed.b} {verb} in the {words[crossed.b_says]} half{upper}"


def _only(selection: Selection) -> str:
    """Return which judgements are looked at, besides those of the images that the listing's own filters choose."""
    only = [
        *(f"target “{name}”" for name in selection.target),
        *(f"rater “{name}”" for name in selection.rater),
        *(f"campaign “{name}”" for name in selection.campaign),
        *(f"certainty “{name}”" for name in selection.certainty),
        *(f"since {moment}" for moment in selection.since[-1:]),
        *(f"until {moment}" for moment in selection.until[-1:]),
    ]
    return f", of answers only those of {', '.join(only)}" if only else ""


def _second(crossed: ConfusionCell, *, other: bool) -> str:
    if crossed.b not in GROUPS:
        return f"{crossed.b} calls “{crossed.b_says}”" if crossed.b_says else f"{crossed.b} has judged"
    who = f"other {crossed.b}" if other else crossed.b
    who += " (more than half)" if crossed.by_majority else " (at least one)"
    if crossed.b_says:
        return f"{who} call “{crossed.b_says}”"
    return f"{who} agree on" if crossed.by_majority else f"{who} have judged"


def _why(crossing: ConfusionQuery) -> str:
    """Why there may be none."""
    crossed, known = crossing.crossed, sorted({word.label for word in crossing.words})
    if not known:
        return f" Nothing that was said about “{crossed.aspect}” counts here as a label."
    lost = [label for label in (crossed.a_says, crossed.b_says) if label and label not in known]
    if not lost:
        return ""
    labels = ", ".join(f"“{label}”" for label in known[:_NAMED]) + (" and others" if len(known) > _NAMED else "")
    return f" Nobody says “{lost[0]}” here, but {labels}."
