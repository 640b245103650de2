"""Failure pictures of a project, and the images behind one mark of them: told from evidence each time, so they stay true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from data.prompts.spec import SpecError, parse_spec
from data.store import runs
from data.store.core.selection import Selection, Where
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from data.store.judgements.scorer_evidence import EvidenceSource
from scorers import registry
from scorers.failures import PICTURES, FailureTable, JudgedImage, SuiteEvidence
from ui import words
from ui.failure_words import TITLES, told
from ui.marked import Marked
from ui.rejudging import some

_ALL_TOGETHER: Final = ""


@dataclass(frozen=True, slots=True)
class Drawable:
    """A picture's table, from ``images`` of the ``total`` of a suite that the scorer saw with these settings."""

    table: FailureTable
    images: int
    total: int
    settings: Mapping[str, Any]


def sources(store: Store, suite: str = _ALL_TOGETHER) -> list[EvidenceSource]:
    """Scorers' evidence of a suite (of all suites), of scorers that this Concord knows."""
    known = {*registry.known(), *registry.IMPORTED}
    return [one for one in _sources(store, store.version) if one.scorer in known and suite in (_ALL_TOGETHER, one.suite)]


def source(store: Store, suite: str, rater: str) -> EvidenceSource | None:
    """One scorer's evidence of a suite; None if there is none."""
    return next((one for one in sources(store, suite) if one.rater_id == rater), None)


def drawable(store: Store, suite: str, rater: str, picture: str) -> Drawable | None:
    """A picture of a suite as a scorer saw it; None if there is no such picture or no such evidence.

    Raises:
        ValueError: the settings that the scorer ran with make no sense.
    """
    found = source(store, suite, rater)
    return None if found is None or picture not in PICTURES else _drawable(store, found, picture)


def generators(store: Store, suite: str, rater: str) -> list[str]:
    """Whose images of a suite the scorer saw, sorted.

    Raises:
        ValueError: as ``drawable``.
    """
    found = source(store, suite, rater)
    return [] if found is None else sorted({case.generator for case in _looked(store, found)[0].cases})


def listed(store: Store, marked: Marked, selection: Selection) -> Where:
    """The condition on ``items t`` that they are the mark's."""
    return "t.item_id in (select unnest(?::varchar[]))", [items(store, marked, selection)]


def items(store: Store, marked: Marked, selection: Selection) -> list[str]:
    """The mark's images among those of the selection's places; none where the evidence cannot be judged."""
    suites = selection.suite or tuple({one.suite for one in sources(store) if one.rater_id == marked.rater})
    found = []
    for suite in suites:
        try:
            drawn = drawable(store, suite, marked.rater, marked.picture)
        except ValueError:
            continue
        for unit in drawn.table.having(marked.asked, marked.found) if drawn else ():
            places = ((selection.generator, unit.case.generator), (selection.task, unit.case.task))
            if all(not asked or here in asked for asked, here in places):
                found.append(unit.case.item_id)
    return list(dict.fromkeys(found))


def sentence(store: Store, marked: Marked, selection: Selection) -> str:
    """What the mark's images are, in words."""
    n = len(items(store, marked, selection))
    images = words.count(n, "image") if n else "No image"
    what = told(marked.picture, marked.asked, marked.found)
    return f"{images} of “{TITLES[marked.picture]}”, by what {marked.rater} saw{what and ': '}{what}."


@lru_cache(maxsize=8)
def _sources(store: Store, version: str) -> list[EvidenceSource]:  # noqa: ARG001 - part of the key
    return scorer_evidence.evidence_sources(store)


# by the evidence's stamp, not by the project's version: answers of people leave it what it is
@lru_cache(maxsize=32)
def _drawable(store: Store, of: EvidenceSource, picture: str) -> Drawable:
    looked, total = _looked(store, of)
    return Drawable(PICTURES[picture](looked), len(looked.cases), total, looked.settings)


@lru_cache(maxsize=2)
def _looked(store: Store, of: EvidenceSource) -> tuple[SuiteEvidence, int]:
    places = scorer_evidence.perceived_images(store, Selection(suite=(of.suite,)), of.rater_id)
    held = some(places)
    sights = runs.evidence_without_masks(store, [one.item_id for one in held], of.rater_id)
    if sights is None:
        raise ValueError(f"no run of {of.rater_id} is left in this project")
    scorer, cases = registry.get(sights.scorer), []
    for one in held:
        seen = sights.seen.get(one.item_id)
        try:
            spec = parse_spec(one.spec)
        except SpecError:  # nobody can tell what was asked for
            continue
        if seen is not None and seen.failed is None:
            verdict = scorer.judge(spec, seen, sights.settings)
            cases.append(JudgedImage(one.item_id, one.prompt_id, one.generator, one.idx, one.task or "", spec, seen, verdict))
    return SuiteEvidence(scorer, sights.settings, cases), len(places)
