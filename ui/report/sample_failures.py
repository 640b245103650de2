"""Sample failures: images on which a scorer and people part ways, in both directions, drawn by chance."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from concord.common import wording
from data.aspects import NO, YES
from data.campaign import seeded_number
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
from ui.report.sections import Box, Material, ReportSection, SampleImage

EACH, MOST = 4, 48
"""So many of each scorer and direction, and so many in all."""
_WIDTH = 320
_BOXES = 12
_WEAK = 0.3
"""Where the rules name no box, those above this confidence are drawn."""
_ASPECT = "correct"
_WHAT = (
    "Images on which a scorer and most people say the opposite of each other about “correct” (all that the prompt asks is "
    "there), in both directions: at most {each} of each scorer and direction, drawn by chance (seed {seed}) from all there "
    "are, {n} shown. The boxes are what the scorer’s rules looked at. These show what goes wrong, not how often: that is in "
    "the tables."
)
_SPLIT = (
    "No scorer said yes or no here. These are images on which people are of two minds about “correct”: at most {most}, drawn "
    "by chance (seed {seed}) from all on which they differ, {n} shown."
)


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
    about = ratings[ratings["aspect"] == _ASPECT]
    real = about[about["kind"] == "human"]
    kind, people = ("people", real) if len(real) else ("simulated people", about[about["kind"] == SIMULATED])
    scored = about[(about["kind"] == "scorer") & about["value"].isin([YES, NO])]
    said = people[people["value"].isin([YES, NO])]
    said = said.assign(yes=said["value"] == YES).groupby(["suite", "item"])["yes"].agg(["sum", "count"])
    if scored.empty:
        split = said[(said["sum"] > 0) & (said["sum"] < said["count"])]
        return [
            Parting(f"{kind.capitalize()} differ", item, int(yes), int(n), kind)
            for item, yes, n in _drawn(split, 2 * EACH, seed)
        ]
    found: list[Parting] = []
    for (suite, rater), part in scored.groupby(["suite", "rater"], sort=True):
        met = said.loc[[suite]] if suite in said.index.get_level_values(0) else said.iloc[:0]
        verdict = part.drop_duplicates("item").set_index("item")["value"]
        met = met.droplevel(0).assign(verdict=lambda table: verdict.reindex(table.index))  # noqa: B023 - used at once
        for label, most in ((NO, met["sum"] * 2 > met["count"]), (YES, met["sum"] * 2 < met["count"])):
            there = met[most & (met["verdict"] == label)]
            group = f"{suite}: {rater} says {label}, most {kind} say {YES if label == NO else NO} ({len(there):,} in all)"
            found += [
                Parting(group, item, int(yes), int(n), kind, str(rater), label) for item, yes, n in _drawn(there, EACH, seed)
            ]
    return found[:MOST]


def _drawn(table: pd.DataFrame, n: int, seed: int) -> list[tuple[str, int, int]]:
    """``n`` rows by chance: the same whatever order they come in."""
    rows = [
        (str(key[-1] if isinstance(key, tuple) else key), int(yes), int(of))
        for key, yes, of in zip(table.index, table["sum"], table["count"], strict=True)
    ]
    return sorted(rows, key=lambda row: (seeded_number(seed, "sample", row[0]), row[0]))[:n]


def samples(store: Store, ratings: pd.DataFrame, seed: int, tell: Callable[[int, int], None]) -> list[SampleImage]:
    """The failures with their pictures and boxes."""
    chosen = partings(ratings, seed)
    told = contents.report_items(store, [one.item for one in chosen])
    sights = {
        rater: scorer_evidence.evidence_without_masks(store, [one.item for one in chosen if one.rater == rater], rater)
        for rater in {one.rater for one in chosen if one.rater}
    }
    found = []
    for n, one in enumerate(chosen):
        tell(n, len(chosen))
        if one.item in told:
            found.append(_sample(one, told[one.item], sights.get(one.rater or "")))
    return found


def _sample(one: Parting, told: ReportItem, sights: scorer_evidence.RaterEvidence | None) -> SampleImage:
    seen = sights.seen.get(one.item) if sights else None
    reason, looked = _judged(told, sights, one.item)
    lines = [f"{one.yes} of {wording.count(one.n, 'rating')} by {one.who}: yes"]
    lines += [f"{one.rater}: {one.verdict}{f' ({reason})' if reason else ''}"] if one.rater else []
    where = ", ".join(text for text in (told.generator, told.task and wording.task(told.task)) if text)
    blank = generation.why_blank(told.blanked)
    lines += [text for text in (where, blank, "" if told.path else "The project has no file of this image.") if text]
    made = SampleImage(one.group, told.text or one.item, tuple(lines), one.item)
    if told.path is None or not told.width or not told.height:
        return made
    try:
        picture = base64.b64encode(files.thumbnail(told.path, _WIDTH)).decode()
    except (ImageError, OSError):
        return replace(made, lines=(*lines, "The image file cannot be read any more."))
    boxes = _boxes(seen.detections if seen else (), looked, told.width, told.height)
    return replace(made, picture=f"data:image/webp;base64,{picture}", ratio=told.width / told.height, boxes=boxes)


def _judged(told: ReportItem, sights: scorer_evidence.RaterEvidence | None, item: str) -> tuple[str, frozenset[int]]:
    """Why a scorer says what it says, and which of its detections that rests on."""
    seen = sights.seen.get(item) if sights else None
    if sights is None or seen is None:
        return "", frozenset()
    try:
        verdict = registry.get(sights.scorer).judge(told.demands, seen, sights.settings)
    except (ValueError, KeyError, TypeError):  # of a scorer that is not here, or a file that somebody else wrote
        return "", frozenset()
    return verdict.reason, frozenset(rank for check in verdict.checks for rank in check.boxes)


def _boxes(detections: Sequence[Detection], looked: frozenset[int], width: int, height: int) -> tuple[Box, ...]:
    """Those that the rules looked at; where they name none, the surest."""
    shown = [one for rank, one in enumerate(detections) if rank in looked]
    shown = shown or [one for one in detections if one.score >= _WEAK]
    shown = sorted(shown, key=lambda one: -one.score)[:_BOXES]
    return tuple(_box(one, width, height) for one in shown)


def _box(one: Detection, width: int, height: int) -> Box:
    left, top, right, bottom = one.box
    edges = (left / width, top / height, right / width, bottom / height)
    x0, y0, x1, y1 = (min(max(edge, 0.0), 1.0) for edge in edges)
    return Box(x0, y0, max(x0, x1), max(y0, y1), f"{one.label} {one.score:.2f}")


def samples_section(material: Material) -> ReportSection | None:
    """The failures."""
    if not material.samples:
        return None
    n, seed = len(material.samples), material.options.seed
    split = not (material.ratings["kind"].eq("scorer") & material.ratings["aspect"].eq(_ASPECT)).any()
    what = _SPLIT.format(most=2 * EACH, seed=seed, n=n) if split else _WHAT.format(each=EACH, seed=seed, n=n)
    return ReportSection("Sample failures", (what,), samples=tuple(material.samples))
