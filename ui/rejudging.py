"""Evidence of a project as it would be judged by other settings: read once, judged in memory, beside what people say."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np

from agreement.tuning import ItemCells, YesNoCounts, count_answers
from data.prompts.spec import Spec, parse_spec
from data.store import runs
from data.store.analysis import aggregates
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from data.store.judgements.scorer_evidence import EvidenceSource, PerceivedImage
from scorers import registry
from scorers.base import Knob, Scorer
from scorers.running.rejudge import ImageEvidence, Rejudger

ASPECT: Final = "correct"
MOST_IMAGES: Final = 20_000
"""So many are held in memory; of more, always the same ones are taken by chance."""
_STEPS: Final = 6
"""Decimals of a setting that sliders give."""


@dataclass(frozen=True)
class Evidence:
    """One scorer's evidence of a suite, and where its images stand.

    Attributes:
        again: the images' evidence, in the order of ``places``.
        total: how many images there are; fewer may be held.
    """

    source: EvidenceSource
    again: Rejudger
    places: ItemCells
    total: int

    @property
    def items(self) -> list[str]:
        return [case.item_id for case in self.again.cases]

    @property
    def scorer(self) -> Scorer:
        return self.again.scorer

    def own(self) -> dict[str, Any]:
        """Where the knobs stood when the run was judged."""
        return {name: self.again.settings[name] for name in self.scorer.knobs}


def sources(store: Store) -> list[EvidenceSource]:
    """All evidence of this project; not all of it has knobs to turn."""
    return _sources(store, store.version)


def knobs(scorer: str) -> Mapping[str, Knob]:
    """A scorer's knobs; none of one that this Concord does not know."""
    try:
        return registry.get(scorer).knobs
    except ValueError:
        return {}


def evidence(store: Store, suite: str, rater: str) -> Evidence | None:
    """One rater's evidence of a suite; None if there is none, or nothing to turn."""
    source = next((one for one in sources(store) if (one.suite, one.rater_id) == (suite, rater)), None)
    return _evidence(store, source) if source and knobs(source.scorer) else None


def heard(store: Store, of: Evidence) -> dict[str, YesNoCounts]:
    """What people say of its images, by kind of people (``real``, ``simulated``)."""
    return _heard(store, store.version, of.source)


def lowest(of: Evidence, name: str) -> float:
    """Where a knob begins: what was not kept when the images were seen cannot be judged."""
    knob = of.scorer.knobs[name]
    return max(knob.low, float(of.again.settings.get("keep", knob.low))) if knob.confidence else knob.low


def highest(of: Evidence, name: str) -> float:
    """Where it ends: the run may have been judged beyond."""
    return max(of.scorer.knobs[name].high, float(of.again.settings[name]))


def steps(of: Evidence, name: str) -> list[float]:
    """The values that a knob is swept over."""
    knob, low = of.scorer.knobs[name], lowest(of, name)
    n = round((highest(of, name) - low) / knob.step)
    return [rounded(low + k * knob.step) for k in range(n + 1)]


def rounded(value: float) -> float:
    """Without what floating point adds to a decimal."""
    return round(float(value), _STEPS)


@lru_cache(maxsize=8)
def _sources(store: Store, version: str) -> list[EvidenceSource]:  # noqa: ARG001 - part of the key
    return scorer_evidence.evidence_sources(store)


# by its stamp, not by the project's version: answers of people leave it what it is
@lru_cache(maxsize=4)
def _evidence(store: Store, source: EvidenceSource) -> Evidence:
    found = scorer_evidence.perceived_images(store, Selection(suite=(source.suite,)), source.rater_id)
    held = some(found)
    sights = runs.evidence_without_masks(store, [one.item_id for one in held], source.rater_id)
    assert sights is not None
    specs = {one.item_id: spec for one in held if one.item_id in sights.seen and (spec := _spec(one)) is not None}
    held = [one for one in held if one.item_id in specs]
    cases = [ImageEvidence(one.item_id, specs[one.item_id], sights.seen[one.item_id]) for one in held]
    return Evidence(source, Rejudger(registry.get(sights.scorer), cases, sights.settings), _places(held), len(found))


def _spec(one: PerceivedImage) -> Spec | None:
    """None where it cannot be read: such an image has no verdict either."""
    try:
        return parse_spec(one.spec)
    except ValueError:
        return None


def some(found: Sequence[PerceivedImage]) -> list[PerceivedImage]:
    """All, or as many as are held: those whose ids' checksums are lowest."""
    if len(found) <= MOST_IMAGES:
        return list(found)
    order = sorted(range(len(found)), key=lambda k: zlib.crc32(found[k].item_id.encode()))
    return [found[k] for k in sorted(order[:MOST_IMAGES])]


def _places(held: Sequence[PerceivedImage]) -> ItemCells:
    tasks, generators = (
        tuple(sorted({value for one in held if (value := getattr(one, name))})) for name in ("task", "generator")
    )
    prompts = {prompt: code for code, prompt in enumerate(dict.fromkeys(one.prompt_id for one in held))}

    def codes(names: Sequence[str], values: Sequence[str | None]) -> np.ndarray[Any, np.dtype[np.int64]]:
        known = {name: code for code, name in enumerate(names)}
        return np.array([known.get(value or "", -1) for value in values], np.int64)

    return ItemCells(
        tasks,
        generators,
        codes(tasks, [one.task for one in held]),
        codes(generators, [one.generator for one in held]),
        np.array([prompts[one.prompt_id] for one in held], np.int64),
    )


@lru_cache(maxsize=4)
def _heard(store: Store, version: str, source: EvidenceSource) -> dict[str, YesNoCounts]:  # noqa: ARG001 - part of the key
    scale = frame.scales(store).get((source.suite, ASPECT))
    if scale is None:
        return {}
    counted = aggregates.aggregate(store, aggregates.AggregateQuery(source.suite, ASPECT, Selection()))
    try:
        return count_answers(scale, counted, _evidence(store, source).items)
    except ValueError:  # another vocabulary than yes and no: there is nothing to compare
        return {}
