"""What scorers saw of an image and others said of it, for those who may see it; who looks is recorded."""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from concord.inspection import remarks
from concord.inspection.image import item_of, may_see, viewer
from concord.questions import scores
from data.prompts.geneval_suite import COLORS
from data.spec import Spec, parse_spec
from data.store.browse import contents
from data.store.browse.contents import StoredItem
from data.store.core.store import Store
from data.store.judgements import answer_status, scorer_evidence
from scorers import registry
from scorers.base import Verdict


def visible_evidence(store: Store, person: str | None, item_id: str, token: str | None = None) -> dict[str, Any]:
    """Return what scorers saw and others said of an image, or that it is covered for this person.

    ``token``: of a browser whose user has given no name.

    Raises:
        NoSuchImage: there is none.
    """
    item = item_of(store, item_id)
    known = viewer(person, token)
    if not may_see(store, known, item):
        return {"covered": True, "name": person}
    if known is not None and item.sha256 is not None:
        # nothing is ever shown without a record: what they say of it from now on is not blind
        answer_status.record_unblinding(store, known, item_id, answer_status.AFTER_ANSWER)
    return _evidence(store, known, item) | {"name": person}


def open_image(store: Store, person: str | None, item_id: str, grid_rater: str | None, token: str) -> dict[str, Any]:
    """Return all that was said of an image, for somebody outside of Blind mode, with or without a name.

    That they have seen it is on disk before anything is told, and is theirs once they give a name (`adopt_seen`).
    ``grid_rater``: whose values the grid shows beside it; ``token``: of the browser.

    Raises:
        NoSuchImage: there is none.
    """
    item, known = item_of(store, item_id), viewer(person, token)
    assert known is not None
    if item.sha256 is not None:
        how = answer_status.by_browsing(grid_rater) if grid_rater else answer_status.OPENED
        if person is not None and answer_status.has_answered(store, person, item.item_id):
            how = answer_status.AFTER_ANSWER
        answer_status.record_unblinding(store, known, item.item_id, how)
    return {
        "evidence": _evidence(store, known, item) | {"name": person},
        "remarks": remarks.visible_remarks(store, known, item),
    }


def adopt_seen(store: Store, token: str, person: str) -> None:
    """Let what a browser was shown before its user gave a name count as seen by this person."""
    answer_status.adopt_unblinding(store, token, person)


def uncover(store: Store, person: str, item_id: str, grid_rater: str | None) -> dict[str, Any]:
    """Record that a person looks before they have answered, and return what there is to see.

    ``grid_rater``: whose values the grid had shown that they come from; None: they uncover the image on purpose.

    Raises:
        NoSuchImage: there is none.
    """
    item = item_of(store, item_id)
    how = answer_status.by_browsing(grid_rater) if grid_rater else answer_status.ON_REQUEST
    answer_status.record_unblinding(store, person, item_id, how)
    return _evidence(store, person, item)


def _evidence(store: Store, person: str | None, item: StoredItem) -> dict[str, Any]:
    spec = Spec()
    with suppress(ValueError):  # a suite of its own: nothing can be checked, but everything can be shown
        spec = parse_spec(item.spec or {})
    seen = scorer_evidence.evidence_of_item(store, item.item_id)
    sights = [_sight(store, item, spec, by) for by in seen]
    ran = {by.rater_id for by in seen}
    imported = {
        judgement.rater_id: None
        for judgement in item.judgements
        if judgement.kind == "scorer" and judgement.rater_id not in ran
    }
    brought = scorer_evidence.imported_words(store, item.suite, item.item_id) if imported else {}
    words = {rater: said.reasoning for (_, rater), said in brought.items()}
    sights += [_imported_sight(store, item, rater, words.get(rater, "")) for rater in imported]
    return {
        "covered": False,
        "name": person,
        "how": answer_status.unblinded_how(store, person, item.item_id) if person is not None else None,
        "colors": COLORS,
        "scorers": sights,
        "annotations": [asdict(annotation) for annotation in item.annotations],
        "judgements": [asdict(judgement) for judgement in item.judgements],
    }


def _sight(store: Store, item: StoredItem, spec: Spec, by: scorer_evidence.ItemEvidence) -> dict[str, Any]:
    """What one scorer saw, and what its rules make of it."""
    sight: dict[str, Any] = {
        "rater": by.rater_id,
        "scorer": by.scorer,
        "version": by.version,
        "run": by.run_id,
        "failed": by.seen.failed,
        "detections": [
            {"label": detection.label, "score": detection.score, "box": detection.box, "colors": detection.colors}
            | {"mask": None if detection.mask is None else base64.b64encode(detection.mask).decode()}
            for detection in by.seen.detections
        ],
    }
    try:
        scorer = registry.get(by.scorer)
        verdict = scorer.judge(spec, by.seen, by.settings)
    except (ValueError, KeyError, TypeError) as error:  # of a scorer that is not here, or a file that somebody else wrote
        nothing: dict[str, Any] = {"settings": {}, "verdict": None, "checks": [], "reason": "", "score": None}
        questions = [asdict(question) for question in scores.item_questions(store, item.item_id, by, None)]
        return sight | nothing | {"unknown": str(error), "questions": questions}
    relations = {relation.target: relation.relation for relation in spec.relations}
    return sight | {
        "settings": {name: by.settings[name] for name in sorted(scorer.judging) if name in by.settings},
        "verdict": _label(verdict, "correct"),
        "reason": verdict.reason,
        "checks": [
            asdict(check) | {"relation": relations.get(check.target or "") if check.offset is not None else None}
            for check in verdict.checks
        ],
        "questions": [asdict(question) for question in scores.item_questions(store, item.item_id, by, verdict)],
        "score": _score(store, item.suite, by.rater_id, verdict),
    }


def _imported_sight(store: Store, item: StoredItem, rater: str, words: str) -> dict[str, Any]:
    """What a scorer says whose verdicts or numbers alone were imported; ``words``: the reason that a judge wrote."""
    judged = [judgement for judgement in item.judgements if judgement.rater_id == rater]
    correct = [judgement for judgement in judged if judgement.aspect == "correct"]
    numbers = [judgement.value for judgement in judged if judgement.aspect == "score" and judgement.value is not None]
    return {
        **{"rater": rater, "scorer": rater, "version": None, "run": None, "failed": None, "imported": True},
        **{"detections": [], "settings": {}, "checks": [], "questions": []},
        "verdict": correct[0].label if correct else None,
        "reason": words or next((judgement.reason for judgement in correct if judgement.reason), ""),
        "score": _position(store, item.suite, rater, numbers[0]) if numbers else None,
    }


def _label(verdict: Verdict, aspect: str) -> str | None:
    return next((judgement.label for judgement in verdict.judgements if judgement.aspect == aspect), None)


def _score(store: Store, suite: str, rater: str, verdict: Verdict) -> dict[str, Any] | None:
    """A scorer's number, and where it stands among its numbers of the suite."""
    value = next((judgement.value for judgement in verdict.judgements if judgement.aspect == "score"), None)
    return None if value is None else _position(store, suite, rater, value)


def _position(store: Store, suite: str, rater: str, value: float) -> dict[str, Any]:
    standing = contents.score_position(store, suite, rater, "score", value)
    return {"value": value, "standing": asdict(standing) if standing else None}
