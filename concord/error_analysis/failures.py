"""Failure pictures of a project: their titles, their tables, and the images behind one mark of them.

All is made from evidence each time, so it stays true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from concord.common import live_updates, wording
from concord.error_analysis import rejudging
from concord.error_analysis.rejudging import ASPECT
from concord.questions.scores import answering_raters
from concord.scope import Scope
from data.formats.cooccurrence import Cooccurrence
from data.selection import Selection
from data.store import library
from data.store.core.conditions import Where
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import EvidenceSource
from scorers import failures, registry
from scorers.failures import PICTURES, JudgedImage, SuiteEvidence
from scorers.failures.objects import LEAKED, MISSING, MOVED, OTHER, OWN, SWAPPED

TITLES: Final[dict[str, str]] = {
    "counts": "Requested and detected counts",
    "colors": "Requested and detected colours",
    "bindings": "Swapped and leaked colours",
    "positions": "Requested and detected relations",
    "kinds": "Accuracy by prompt type",
    "first": "First and second object",
    "supercategories": "Pairs of supercategories",
    "cooccurrence": "Co-occurrence",
    "thresholds": "Score by the detector’s threshold",
    "seeds": "Score by image index (seed)",
}

BINDING: Final[dict[str, str]] = {
    OWN: "each object has its own colour",
    SWAPPED: "two objects have each other’s colours",
    LEAKED: "an object has the other’s colour, which the other has, too",
    MOVED: "an object has the other’s colour, which the other has not",
    OTHER: "an object has a colour that was asked of none",
    MISSING: "fewer objects than asked for, so no colour is looked at",
}

_NO_OBJECTS: Final = "as GenEval’s and VISOR’s prompts do, or this scorer sees no objects."
NEEDS: Final[dict[str, str]] = {
    "counts": "No prompt here asks for an exact number, as GenEval’s counting task does, or this scorer counts nothing.",
    "colors": "No prompt here asks for a colour, as GenEval’s colors and color_attr do, or this scorer sees none.",
    "bindings": "No prompt here asks two objects for colours of their own, as GenEval’s color_attr does, or this scorer sees no"
    " colours.",
    "positions": f"No prompt here asks how two objects stand to each other, {_NO_OBJECTS}",
    "kinds": f"No prompt here asks for one or two objects, {_NO_OBJECTS}",
    "first": f"No prompt here asks for two objects, {_NO_OBJECTS}",
    "supercategories": f"No prompt here asks for two objects, {_NO_OBJECTS}",
    "cooccurrence": f"No prompt here asks for one object each of two classes, {_NO_OBJECTS}",
    "thresholds": "This scorer judges by no detector’s confidence, or nobody knows above which one its evidence was kept: there"
    " is nothing to judge by another.",
    "seeds": "This scorer gives no yes/no verdicts.",
}
"""What a picture without data is missing."""

_ASKED: Final = {
    "counts": "{} asked for",
    "colors": "{} asked for",
    "positions": "“{}” asked for",
    "kinds": "prompts of {}",
    "first": "prompts of {}",
    "supercategories": "{}",
    "cooccurrence": "{}",
    "thresholds": "confidence above {}",
    "seeds": "image number {}",
}
_FOUND: Final = {"counts": "{} found", "colors": "{} seen", "positions": "“{}” found"}


def describe_mark(picture: str, requested: str, detected: str) -> str:
    """A mark in words; nothing for the whole picture."""
    parts = []
    if requested and picture in _ASKED:
        parts.append(_ASKED[picture].format(requested))
    if detected:
        detected_text = f"{detected} ({BINDING[detected]})" if picture == "bindings" and detected in BINDING else detected
        parts.append(_FOUND.get(picture, "{}").format(detected_text))
    return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class FailureMark:
    """What a scorer's evidence shows of what was asked for (see ``scorers.failures``).

    Attributes:
        asked, found: a group of the picture's table and a thing found in it; empty for whatever it is.
    """

    picture: str
    rater: str
    asked: str = ""
    found: str = ""


_ALL_TOGETHER: Final = ""


@dataclass(frozen=True, slots=True)
class FailureTable:
    """A picture's table, from ``images`` of the ``total`` of a suite that the scorer saw with these settings."""

    table: failures.FailureTable
    images: int
    total: int
    settings: Mapping[str, Any]


def sources(store: Store, suite: str = _ALL_TOGETHER) -> list[EvidenceSource]:
    """Scorers' evidence of a suite (of all suites), of scorers that this Concord knows."""
    known = {*registry.known(), *registry.IMPORTED}
    return [each for each in rejudging.sources(store) if each.scorer in known and suite in (_ALL_TOGETHER, each.suite)]


def sees_anything(store: Store, suite: str) -> bool:
    """Return True if any scorer's evidence of a suite tells what is wrong with its images."""
    return bool(failing_raters(store, suite))


def failing_raters(store: Store, suite: str) -> list[str]:
    """Return the scorers of a suite with evidence behind yes and no, or answers to questions, sorted."""
    answering = answering_raters(store).get(suite, [])
    return sorted(
        {each.rater_id for each in sources(store, suite) if ASPECT in registry.get(each.scorer).scales} | set(answering)
    )


def source(store: Store, suite: str, rater: str) -> EvidenceSource | None:
    """One scorer's evidence of a suite; None if there is none."""
    return next((candidate for candidate in sources(store, suite) if candidate.rater_id == rater), None)


def table_of(store: Store, suite: str, rater: str, picture: str) -> FailureTable | None:
    """A picture of a suite as a scorer saw it; None if there is no such picture or no such evidence.

    Raises:
        ValueError: the settings that the scorer ran with make no sense.
    """
    chosen = source(store, suite, rater)
    return None if chosen is None or picture not in PICTURES else _table_of(store, chosen, picture)


def units_of_scope(table: failures.FailureTable, scope: Scope) -> failures.FailureTable:
    """Return a picture's table of a scope's generators and task alone."""
    units = tuple(
        unit
        for unit in table.units
        if (not scope.generator or unit.case.generator in scope.generator) and scope.task in ("", unit.case.task)
    )
    return failures.FailureTable(table.asked, table.found, units, table.apart)


def pictures_of(store: Store, scope: Scope, rater: str) -> list[str]:
    """Return the pictures that have anything to show of a scope's images; none where the evidence cannot be judged."""
    pictures = []
    for name in PICTURES:
        try:
            drawn = table_of(store, scope.suite, rater, name)
        except ValueError:
            return []
        if drawn is not None and units_of_scope(drawn.table, scope).units:
            pictures.append(name)
    return pictures


def classes_together(store: Store) -> Cooccurrence | None:
    """Return how often classes are together in photographs, as the newest annotation file tells; None without one."""
    return library.latest_cooccurrence(store)


def condition_of(store: Store, marked: FailureMark, selection: Selection) -> Where:
    """The condition on ``items t`` that they are the mark's."""
    return "t.item_id in (select unnest(?::varchar[]))", [items(store, marked, selection)]


def items(store: Store, marked: FailureMark, selection: Selection) -> list[str]:
    """The mark's images among those of the selection's places; none where the evidence cannot be judged."""
    suites = selection.suite or tuple({candidate.suite for candidate in sources(store) if candidate.rater_id == marked.rater})
    item_ids = []
    for suite in suites:
        try:
            drawn = table_of(store, suite, marked.rater, marked.picture)
        except ValueError:
            continue
        for unit in drawn.table.having(marked.asked, marked.found) if drawn else ():
            restrictions = ((selection.generator, unit.case.generator), (selection.task, unit.case.task))
            if all(not chosen or value in chosen for chosen, value in restrictions):
                item_ids.append(unit.case.item_id)
    return list(dict.fromkeys(item_ids))


def describe_images(store: Store, marked: FailureMark, selection: Selection) -> str:
    """What the mark's images are, in words."""
    n = len(items(store, marked, selection))
    images = wording.count(n, "image") if n else "No image"
    description = describe_mark(marked.picture, marked.asked, marked.found)
    return f"{images} of “{TITLES[marked.picture]}”, by what {marked.rater} saw{description and ': '}{description}."


# a source has a stamp: answers of people leave what is made of it what it is
@live_updates.cached(maxsize=32, key=live_updates.by_arguments)
def _table_of(store: Store, of: EvidenceSource, picture: str) -> FailureTable:
    looked, total = _cases_of(store, of)
    return FailureTable(PICTURES[picture](looked), len(looked.cases), total, looked.settings)


@live_updates.cached(maxsize=2, key=live_updates.by_arguments)
def _cases_of(store: Store, of: EvidenceSource) -> tuple[SuiteEvidence, int]:
    held, sights, total = rejudging.held_evidence(store, of)
    scorer, cases = registry.get(sights.scorer), []
    for image, spec in held:
        seen = sights.seen[image.item_id]
        if seen.failed is None:
            verdict = scorer.judge(spec, seen, sights.settings)
            cases.append(
                JudgedImage(image.item_id, image.prompt_id, image.generator, image.idx, image.task or "", spec, seen, verdict)
            )
    return SuiteEvidence(scorer, sights.settings, cases), total
