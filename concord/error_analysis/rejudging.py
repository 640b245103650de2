"""Rejudging: a scorer's evidence as it would be judged by other settings, beside what people say.

Evidence is read once and judged in memory. Settings can be kept: then they are another rater, and no image is looked at again.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agreement.tuning import ItemCells, YesNoCounts, count_answers
from concord.common import live_updates
from concord.common.context import CommandError
from concord.judging import judge, rule_version_of
from concord.runs import run_session, score
from data.jobs.runs import Run
from data.records import Judgement, Rater
from data.selection import PEOPLE, SIMULATED, Selection
from data.spec import Spec
from data.store import runs
from data.store.analysis import aggregates
from data.store.core import frame
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from data.store.judgements.scorer_evidence import EvidenceSource, PerceivedImage
from data.store.runs import EvidenceRef, RejudgedEvidence
from scorers import registry
from scorers.base import Knob, Scorer
from scorers.running.rejudge import ImageEvidence, Rejudger

ASPECT: Final = "correct"
MOST_IMAGES: Final = 20_000
"""So many are held in memory; of more, always the same ones are taken by chance."""
_STEPS: Final = 6
"""Decimals of a setting that sliders give."""


@dataclass(frozen=True)
class RaterEvidence:
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


@live_updates.cached(maxsize=8, key=live_updates.stored_version)
def sources(store: Store) -> list[EvidenceSource]:
    """All evidence of this project; not all of it has knobs to turn."""
    return scorer_evidence.evidence_sources(store)


def knobs(scorer: str) -> Mapping[str, Knob]:
    """A scorer's knobs; none of one that this Concord does not know."""
    try:
        return registry.get(scorer).knobs
    except ValueError:
        return {}


def evidence(store: Store, suite: str, rater: str) -> RaterEvidence | None:
    """One rater's evidence of a suite; None if there is none, or nothing to turn."""
    source = next((source for source in sources(store) if (source.suite, source.rater_id) == (suite, rater)), None)
    return _evidence(store, source) if source and knobs(source.scorer) else None


def people_verdicts(store: Store, of: RaterEvidence) -> dict[str, YesNoCounts]:
    """What people say of its images, by kind of people (``real``, ``simulated``)."""
    return _people_verdicts(store, of.source)


def lowest(of: RaterEvidence, name: str) -> float:
    """Where a knob begins: what was not kept when the images were seen cannot be judged."""
    knob = of.scorer.knobs[name]
    return max(knob.low, float(of.again.settings.get("keep", knob.low))) if knob.confidence else knob.low


def highest(of: RaterEvidence, name: str) -> float:
    """Where it ends: the run may have been judged beyond."""
    return max(of.scorer.knobs[name].high, float(of.again.settings[name]))


def steps(of: RaterEvidence, name: str) -> list[float]:
    """The values that a knob is swept over."""
    knob, low = of.scorer.knobs[name], lowest(of, name)
    n = round((highest(of, name) - low) / knob.step)
    return [rounded(low + k * knob.step) for k in range(n + 1)]


def rounded(value: float) -> float:
    """Without what floating point adds to a decimal."""
    return round(float(value), _STEPS)


# a source has a stamp: answers of people leave its evidence what it is
@live_updates.cached(maxsize=4, key=live_updates.by_arguments)
def _evidence(store: Store, source: EvidenceSource) -> RaterEvidence:
    held, sights, total = held_evidence(store, source)
    cases = [ImageEvidence(image.item_id, spec, sights.seen[image.item_id]) for image, spec in held]
    cells = _cells_of([image for image, _ in held])
    return RaterEvidence(source, Rejudger(registry.get(sights.scorer), cases, sights.settings), cells, total)


def held_evidence(
    store: Store, source: EvidenceSource
) -> tuple[list[tuple[PerceivedImage, Spec]], scorer_evidence.RaterEvidence, int]:
    """The images that are held in memory with their specs, what was seen of them, and how many images there are in all.

    Raises:
        ValueError: the rater has no run any more.
    """
    images = scorer_evidence.perceived_images(store, Selection(suite=(source.suite,)), source.rater_id)
    some = _at_most(images)
    sights = scorer_evidence.evidence_without_masks(store, [image.item_id for image in some], source.rater_id)
    if sights is None:
        raise ValueError(f"this project has no run of {source.rater_id} any more")
    held = []
    for image in some:
        if image.item_id in sights.seen:
            with suppress(ValueError):  # one that cannot be read: such an image has no verdict either
                held.append((image, image.demands))
    return held, sights, len(images)


def _at_most(images: Sequence[PerceivedImage]) -> list[PerceivedImage]:
    """All, or as many as are held: those whose ids' checksums are lowest."""
    if len(images) <= MOST_IMAGES:
        return list(images)
    order = sorted(range(len(images)), key=lambda k: zlib.crc32(images[k].item_id.encode()))
    return [images[k] for k in sorted(order[:MOST_IMAGES])]


def _cells_of(held: Sequence[PerceivedImage]) -> ItemCells:
    tasks = tuple(sorted({image.task for image in held if image.task}))
    generators = tuple(sorted({image.generator for image in held if image.generator}))
    prompts = {prompt: code for code, prompt in enumerate(dict.fromkeys(image.prompt_id for image in held))}

    def codes(names: Sequence[str], values: Sequence[str | None]) -> np.ndarray[Any, np.dtype[np.int64]]:
        known = {name: code for code, name in enumerate(names)}
        return np.array([known.get(value or "", -1) for value in values], np.int64)

    return ItemCells(
        tasks,
        generators,
        codes(tasks, [image.task for image in held]),
        codes(generators, [image.generator for image in held]),
        np.array([prompts[image.prompt_id] for image in held], np.int64),
    )


@live_updates.cached(maxsize=4, key=live_updates.stored_version)
def _people_verdicts(store: Store, source: EvidenceSource) -> dict[str, YesNoCounts]:
    scale = frame.scales(store).get((source.suite, ASPECT))
    if scale is None:
        return {}
    counted = aggregates.aggregate(store, aggregates.AggregateQuery(source.suite, ASPECT, Selection()))
    try:
        return count_answers(scale, *counted, _evidence(store, source).items)
    except ValueError:  # another vocabulary than yes and no: there is nothing to compare
        return {}


_AT_ONCE: Final = 2000


@dataclass(frozen=True, slots=True)
class SavedRater:
    """What became of it.

    Attributes:
        rater_id: who judges by these settings.
        import_id: takes it back; None where everything was there already.
        images: that were new to the rater.
    """

    rater_id: str
    import_id: int | None
    images: int


_CONFUSABLE: Final = (PEOPLE, SIMULATED)


def save_as_rater(store: Store, rater_id: str, turned: Mapping[str, Any], name: str = "") -> SavedRater:
    """Judge all evidence of a rater with these settings of judging, and keep that as the rater that ``score --set`` would
    make: if it is there already, it gets what it has not seen yet.

    Args:
        store: the project.
        rater_id: whose evidence it is; the rater stays as it is.
        turned: settings by name.
        name: of the new rater; empty for the one that its settings give. Where settings are kept already, their rater's stays.

    Raises:
        CommandError: nothing is turned, a setting is none of the scorer's, the name is taken, or the rater has no run.
        ValueError: a setting is out of range.
    """
    row = next((row for row in reversed(runs.listed(store)) if row.rater_id == rater_id), None)
    if row is None:
        raise CommandError(f"{rater_id} has no evidence to apply settings to")
    scorer = registry.get(row.scorer)
    if strange := [key for key in turned if key not in scorer.knobs]:
        raise CommandError(f"{rater_id} has no setting {strange[0]!r} that could be changed afterwards")
    known = Rejudger(scorer, (), row.settings)
    known.turned(turned)
    # what is as in the run is not written down where the run's settings do not say it
    changed = {name: value for name, value in turned.items() if value != known.settings[name]}
    if not changed:
        raise CommandError(f"{rater_id} already has these settings")
    settings = {**row.settings, **changed}
    rater = _rater_with_settings(store, scorer, settings) or _new_rater(store, scorer, row.profile, settings, name.strip())
    stated = runs.evidence_to_rejudge(store, rater_id, rater.rater_id)
    copies = _copies(store, rater.rater_id, stated, Run("", scorer.name, scorer.version, row.profile, settings))
    judged = _judged(store, scorer, rater_id, stated, settings)
    done = runs.store_rejudged(store, RejudgedEvidence(rater, copies, judged, rule_version_of(scorer)))
    return SavedRater(rater.rater_id, done.import_id, done.images)


def _new_rater(store: Store, scorer: Scorer, profile: str, settings: Mapping[str, Any], name: str) -> Rater:
    """Return the rater of new settings, by a name that nobody has, or by the one that the settings give."""
    if not name:
        return score.rater_of(store, scorer, profile, scorer.version, settings)
    if not name.isprintable() or name in _CONFUSABLE:
        raise CommandError(f"{name!r} cannot be a scorer’s name; take another one")
    rater = runs.scorer_rater(store, name, scorer.version, settings)
    if rater.rater_id != name:
        raise CommandError(f"{name!r} is somebody’s name already; take another one")
    return rater


def _rater_with_settings(store: Store, scorer: Scorer, settings: Mapping[str, Any]) -> Rater | None:
    """Return the stored rater with the same scorer, version and settings, or None."""
    same = (scorer.name, scorer.version, dict(settings))
    run_rows = (row for row in runs.listed(store) if (row.scorer, row.version, dict(row.settings)) == same)
    return next((Rater(row.rater_id, "scorer", None, row.version, row.settings) for row in run_rows), None)


def _copies(store: Store, rater_id: str, stated: Sequence[EvidenceRef], run: Run) -> dict[str, Run]:
    """By run whose evidence is judged again, the run that holds it then; numbers go on from the last one's."""
    number, slug = re.fullmatch(r"(\d+)-(.*)", run_session.next_id(store, rater_id)).groups()  # type: ignore[union-attr]
    names = dict.fromkeys(reference.run_id for reference in stated)
    return {
        name: Run(f"{int(number) + k:04d}-{slug}", run.scorer, run.version, run.profile, run.settings)
        for k, name in enumerate(names)
    }


def _judged(
    store: Store, scorer: Scorer, rater_id: str, stated: Sequence[EvidenceRef], settings: Mapping[str, Any]
) -> dict[str, Sequence[Judgement]]:
    """By evidence what follows from it."""
    by_evidence: dict[str, Sequence[Judgement]] = {}
    for start in range(0, len(stated), _AT_ONCE):
        some = stated[start : start + _AT_ONCE]
        items = [reference.item_id for reference in some]
        sights, images = scorer_evidence.evidence_without_masks(store, items, rater_id), runs.known_images(store, items)
        for reference in some:
            if sights is not None and reference.item_id in sights.seen and reference.item_id in images:
                by_evidence[reference.evidence_id] = judge(
                    scorer, images[reference.item_id], sights.seen[reference.item_id], settings
                )
    return by_evidence
