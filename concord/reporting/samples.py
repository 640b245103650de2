"""Sample failures: images on which a scorer and people part ways, in both directions, drawn by chance."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from concord.common import wording
from data.aspects import NO, YES
from data.campaigns.items import seeded_number
from data.export.rows import SIMULATED
from data.images import files
from data.images.files import ImageError
from data.jobs import generation
from data.jobs.runs import Detection
from data.store.browse import contents
from data.store.browse.contents import ReportItem
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from scorers import registry


@dataclass(frozen=True, slots=True)
class Box:
    """What a scorer saw: corners as shares of the picture's sides, 0 to 1."""

    x0: float
    y0: float
    x1: float
    y1: float
    label: str


@dataclass(frozen=True, slots=True)
class SampleImage:
    """One item: what it was to show, what was said of it, and its picture as a data URI if it has one.

    Attributes:
        group: what the samples of one kind have in common.
        ratio: the picture's width over its height.
    """

    group: str
    title: str
    lines: tuple[str, ...]
    item: str
    picture: str = ""
    ratio: float = 1.0
    boxes: tuple[Box, ...] = ()


EACH: Final = 4
"""So many of each scorer and direction."""


MOST: Final = 48
"""So many in all."""


_WIDTH = 320


_BOXES = 12


_WEAK = 0.3
"""Where the rules name no box, those above this confidence are drawn."""


_ASPECT = "correct"


@dataclass(frozen=True, slots=True)
class Parting:
    """An item and what was said of it: ``yes`` of ``n`` people, and a scorer's verdict (None: people among themselves)."""

    group: str
    item: str
    yes: int
    n: int
    who: str
    rater: str | None = None
    verdict: str | None = None


def partings(ratings: pd.DataFrame, seed: int) -> list[Parting]:
    """What is shown, in order. Real people where there are any, else simulated ones."""
    about = ratings[ratings.aspect == _ASPECT]
    real = about[about.kind == "human"]
    kind, people = ("people", real) if len(real) else ("simulated people", about[about.kind == SIMULATED])
    scored = about[(about.kind == "scorer") & about.value.isin([YES, NO])]
    answers = people[people.value.isin([YES, NO])]
    votes = answers.assign(yes=answers.value == YES).groupby(["suite", "item"]).agg(yes=("yes", "sum"), n=("yes", "count"))
    if scored.empty:
        split = votes[(votes.yes > 0) & (votes.yes < votes.n)]
        return [
            Parting(f"{kind.capitalize()} differ", item, int(yes), int(n), kind)
            for item, yes, n in _drawn(split, 2 * EACH, seed)
        ]
    chosen: list[Parting] = []
    for (suite, rater), part in scored.groupby(["suite", "rater"], sort=True):
        met = votes.loc[[suite]] if suite in votes.index.get_level_values(0) else votes.iloc[:0]
        verdict = part.drop_duplicates("item").set_index("item").value
        met = met.droplevel(0).assign(verdict=lambda table: verdict.reindex(table.index))  # noqa: B023 - used at once
        for label, most in ((NO, met.yes * 2 > met.n), (YES, met.yes * 2 < met.n)):
            there = met[most & (met.verdict == label)]
            group = f"{suite}: {rater} says {label}, most {kind} say {YES if label == NO else NO} ({len(there):,} in all)"
            chosen += [
                Parting(group, item, int(yes), int(n), kind, str(rater), label) for item, yes, n in _drawn(there, EACH, seed)
            ]
    return chosen[:MOST]


def _drawn(table: pd.DataFrame, n: int, seed: int) -> list[tuple[str, int, int]]:
    """``n`` rows by chance: the same whatever order they come in."""
    rows = [
        (str(key[-1] if isinstance(key, tuple) else key), int(yes), int(of))
        for key, yes, of in zip(table.index, table.yes, table.n, strict=True)
    ]
    return sorted(rows, key=lambda row: (seeded_number(seed, "sample", row[0]), row[0]))[:n]


def samples(store: Store, ratings: pd.DataFrame, seed: int, tell: Callable[[int, int], None]) -> list[SampleImage]:
    """The failures with their pictures and boxes."""
    chosen = partings(ratings, seed)
    report_items = contents.report_items(store, [parting.item for parting in chosen])
    sights = {
        rater: scorer_evidence.evidence_without_masks(
            store, [parting.item for parting in chosen if parting.rater == rater], rater
        )
        for rater in {parting.rater for parting in chosen if parting.rater}
    }
    samples_drawn = []
    for n, parting in enumerate(chosen):
        tell(n, len(chosen))
        if parting.item in report_items:
            samples_drawn.append(_sample(parting, report_items[parting.item], sights.get(parting.rater or "")))
    return samples_drawn


def _sample(parting: Parting, item: ReportItem, sights: scorer_evidence.RaterEvidence | None) -> SampleImage:
    seen = sights.seen.get(parting.item) if sights else None
    reason, looked = _judged(item, sights, parting.item)
    lines = [f"{parting.yes} of {wording.count(parting.n, 'rating')} by {parting.who}: yes"]
    lines += [f"{parting.rater}: {parting.verdict}{f' ({reason})' if reason else ''}"] if parting.rater else []
    where = ", ".join(text for text in (item.generator, item.task and wording.task(item.task)) if text)
    blank = generation.why_blank(item.blanked)
    lines += [text for text in (where, blank, "" if item.path else "The project has no file of this image.") if text]
    made = SampleImage(parting.group, item.text or parting.item, tuple(lines), parting.item)
    if item.path is None or not item.width or not item.height:
        return made
    picture = _picture(item)
    if picture is None:
        return replace(made, lines=(*lines, "The image file cannot be read any more."))
    boxes = _boxes(seen.detections if seen else (), looked, item.width, item.height)
    return replace(made, picture=picture, ratio=item.width / item.height, boxes=boxes)


def _picture(item: ReportItem) -> str | None:
    """Return a small picture as a data URI; None where there is no file, or it cannot be read any more."""
    if item.path is None or not item.width or not item.height:
        return None
    try:
        return f"data:image/webp;base64,{base64.b64encode(files.thumbnail(item.path, _WIDTH)).decode()}"
    except (ImageError, OSError):
        return None


def pictures(store: Store, items: Sequence[str]) -> dict[str, str]:
    """Return small pictures by image, as data URIs; images without a file are left out."""
    found = contents.report_items(store, items)
    return {item: picture for item, each in found.items() if (picture := _picture(each)) is not None}


def _judged(report_item: ReportItem, sights: scorer_evidence.RaterEvidence | None, item: str) -> tuple[str, frozenset[int]]:
    """Why a scorer says what it says, and which of its detections that rests on."""
    seen = sights.seen.get(item) if sights else None
    if sights is None or seen is None:
        return "", frozenset()
    try:
        verdict = registry.get(sights.scorer).judge(report_item.demands, seen, sights.settings)
    except (ValueError, KeyError, TypeError):  # of a scorer that is not here, or a file that somebody else wrote
        return "", frozenset()
    return verdict.reason, frozenset(rank for check in verdict.checks for rank in check.boxes)


def _boxes(detections: Sequence[Detection], looked: frozenset[int], width: int, height: int) -> tuple[Box, ...]:
    """Those that the rules looked at; where they name none, the surest."""
    shown = [detection for rank, detection in enumerate(detections) if rank in looked]
    shown = shown or [detection for detection in detections if detection.score >= _WEAK]
    shown = sorted(shown, key=lambda detection: -detection.score)[:_BOXES]
    return tuple(_box(detection, width, height) for detection in shown)


def _box(detection: Detection, width: int, height: int) -> Box:
    left, top, right, bottom = detection.box
    edges = (left / width, top / height, right / width, bottom / height)
    x0, y0, x1, y1 = (min(max(edge, 0.0), 1.0) for edge in edges)
    return Box(x0, y0, max(x0, x1), max(y0, y1), f"{detection.label} {detection.score:z.2f}")
