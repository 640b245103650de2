"""JSON routes of the drawer of Images: one image, its form, what scorers saw and others said, what researchers leave.

What scorers saw and others said is told only once somebody may see it. Researchers leave notes and verdicts on who was wrong;
the image's history says what happened to it.
"""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from pydantic import BaseModel, Field

from annotation.questionnaires.registry import YES_NO
from concord import form
from concord.campaigns import adjudication, gold
from concord.campaigns.annotators import CampaignTopic
from concord.maps import embedding_sources
from concord.questions import scores
from data.jobs import generation
from data.prompts.geneval_suite import COLORS
from data.spec import Spec, parse_spec
from data.store.analysis.confusion import matches_with_scorers
from data.store.browse import contents, grid
from data.store.browse.contents import StoredItem
from data.store.campaigns import participation
from data.store.core import campaign_items
from data.store.core.store import Store
from data.store.judgements import answer_status, remarks, scorer_evidence
from data.store.judgements.remarks import Adjudication, Note, NoteRefused, Wrong
from scorers import registry
from scorers.base import Verdict
from ui.components.addresses import ImageListing, listing_of
from ui.web.api import person_of, refusing
from ui.web.api.form import DraftBody, answered_form
from ui.web.auth.sessions import name_of, unnamed_token

ItemId = Annotated[str, Query(max_length=1000)]


class UncoverBody(BaseModel):
    """``shown`` names the rater whose values the grid shows that somebody comes from."""

    id: str = Field(max_length=1000)
    shown: str | None = Field(default=None, max_length=1000)


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio`` that the drawer uses: an image, what is left beside it, and campaigns: one as people
    will see it, and gold of an image with a verdict. None of them tells anything before it may be seen."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/item")
    def item(request: Request, id: ItemId) -> dict[str, Any]:
        person = name_of(request)
        item = item_of(store, id)
        own = replace(
            item,
            blanked=generation.why_blank(item.blanked),
            annotations=tuple(each for each in item.annotations if each.rater_id == person),
            judgements=tuple(each for each in item.judgements if each.rater_id == person),
        )
        fields = asdict(own)
        fields.pop("public_id")
        covered = not may_see(store, _viewer(request), item)
        return fields | {"name": person, "covered": covered, "alike": bool(embedding_sources(store))}

    @routes.get("/task")
    def task(request: Request, id: ItemId, quick: bool = False) -> dict[str, Any]:
        return _task(store, name_of(request), item_of(store, id), quick=quick)

    @routes.get("/neighbours")
    def neighbours(id: ItemId, listing: Annotated[ImageListing, Depends(listing_of)]) -> dict[str, Any]:
        around = grid.neighbours(store, id, listing.restriction(store), listing.display)
        if around is None:
            return {"place": None, "total": 0, "previous": None, "next": None}
        sides = {"previous": around.previous, "next": around.following}
        named = {side: {"id": neighbour[0], "shown": neighbour[1]} if neighbour else None for side, neighbour in sides.items()}
        return {"place": around.place or None, "total": around.total} | named

    @routes.get("/evidence")
    def evidence(request: Request, id: ItemId) -> dict[str, Any]:
        viewer, item = _viewer(request), item_of(store, id)
        if not may_see(store, viewer, item):
            return {"covered": True, "name": name_of(request)}
        if viewer is not None and item.sha256 is not None:
            # nothing is ever shown without a record: what they say of it from now on is not blind
            answer_status.record_unblinding(store, viewer, id, answer_status.AFTER_ANSWER)
        return _evidence(store, viewer, item) | {"name": name_of(request)}

    @routes.post("/open")
    def open_image(request: Request, body: UncoverBody) -> dict[str, Any]:
        """All that was said of an image, for somebody outside of Blind mode, with or without a name: that they have seen it
        is on disk before anything is told, and is theirs once they give a name."""
        item = item_of(store, body.id)
        person = name_of(request)
        viewer = person or answer_status.visitor(unnamed_token(request, new=True) or "")
        if item.sha256 is not None:
            how = answer_status.by_browsing(body.shown) if body.shown else answer_status.OPENED
            if person is not None and answer_status.has_answered(store, person, item.item_id):
                how = answer_status.AFTER_ANSWER
            answer_status.record_unblinding(store, viewer, item.item_id, how)
        evidence = _evidence(store, viewer, item) | {"name": person}
        return {"evidence": evidence, "remarks": _remarks_if_visible(store, viewer, item)}

    @routes.post("/uncover")
    def uncover(request: Request, body: UncoverBody) -> dict[str, Any]:
        person, item = person_of(request, "who uncovers an image is recorded"), item_of(store, body.id)
        answer_status.record_unblinding(
            store, person, body.id, answer_status.by_browsing(body.shown) if body.shown else answer_status.ON_REQUEST
        )
        return _evidence(store, person, item)

    @routes.get("/remarks")
    def listed(request: Request, id: Annotated[str, Query(max_length=1000)]) -> dict[str, Any]:
        item = item_of(store, id)
        return _remarks_if_visible(store, _viewer(request), item)

    @routes.post("/notes")
    def note(request: Request, body: NoteBody) -> dict[str, Any]:
        person, item = person_of(request, _SIGNED), item_of(store, body.item)
        if not body.text.strip() and body.revises is None:
            raise HTTPException(422, "This note is empty.")
        revises = str(body.revises) if body.revises else None
        with refusing(409, NoteRefused):
            remarks.write_note(store, Note(str(body.id), item.item_id, body.text.strip(), person, revises))
        return _remarks_if_visible(store, person, item)

    @routes.post("/verdict")
    def verdict(request: Request, body: VerdictBody) -> dict[str, Any]:
        person, item = person_of(request, _SIGNED), item_of(store, body.item)
        if not may_see(store, person, item):
            raise HTTPException(409, "Answer or uncover the image first, then give a verdict.")
        _check_verdict(item, body)
        made = Adjudication(
            adjudication_id=str(body.id),
            item_id=item.item_id,
            aspect=body.aspect,
            wrong=body.wrong,
            verdict=body.verdict,
            made_by=person,
            target=body.target,
            # the drawer's form is that of the default campaign
            campaign_id=campaign_items.DEFAULT,
            rater_id=body.rater if body.wrong in ("scorer", "person") else None,
            note=body.note.strip(),
        )
        with refusing(422, ValueError):
            adjudication.write_verdict(store, made)
        blames = {(blame.wrong, blame.rater): blame.n for blame in adjudication.blames(remarks.verdicts(store))}
        so_far = {"blamed": blames.get((made.wrong, made.rater_id), 0), "verdicts": sum(blames.values())}
        return _remarks_if_visible(store, person, item) | {"so_far": so_far}

    @routes.post("/verdict/back")
    def take_back(request: Request, body: TakeBackBody) -> dict[str, Any]:
        person, item = person_of(request, _SIGNED), item_of(store, body.item)
        given = {(verdict.aspect, verdict.target) for verdict in remarks.verdicts(store, [item.item_id])}
        if (body.aspect, body.target) not in given:
            raise HTTPException(409, "There is no verdict to take back: somebody else has.")
        nothing = Adjudication(
            adjudication_id=str(body.id),
            item_id=item.item_id,
            aspect=body.aspect,
            wrong="prompt",
            verdict="",
            made_by=person,
            target=body.target,
            campaign_id=campaign_items.DEFAULT,
        )
        remarks.take_back(store, nothing)
        return _remarks_if_visible(store, person, item)

    @routes.get("/preview")
    def look(campaign: Annotated[str, Query(max_length=64)]) -> dict[str, Any]:
        preview = form.preview_json(store, campaign)
        if preview is None:
            raise HTTPException(404, f"There is no campaign {campaign!r} in this project.")
        return preview

    @routes.post("/preview")
    def answer_preview(body: DraftBody) -> dict[str, Any]:
        """What a campaign would tell a worker about these answers in a preview (`feedback`); nothing is stored."""
        preview = form.preview_feedback_json(store, body.campaign, body.ticket, body.answers)
        if preview is None:
            raise HTTPException(404, "This image is not part of the campaign.")
        return preview

    @routes.get("/gold")
    def drafts() -> dict[str, Any]:
        return {"campaigns": [{"id": draft.campaign_id, "title": draft.title} for draft in gold.drafts(store)]}

    @routes.post("/gold")
    def make(request: Request, body: GoldBody) -> dict[str, Any]:
        person, item = person_of(request, "gold is made of your verdicts and answers"), item_of(store, body.item)
        if not may_see(store, person, item):
            raise HTTPException(409, "Answer or uncover the image first, then give a verdict.")
        with refusing(422, ValueError):
            made = gold.make_gold(store, body.campaign, body.item, person)
        return {"expected": made.expected}

    return routes


def _viewer(request: Request) -> str | None:
    """Return who looks: a person by name, a visitor by the token of their browser; None: nobody who was shown anything."""
    token = unnamed_token(request)
    return name_of(request) or (answer_status.visitor(token) if token else None)


def item_of(store: Store, item_id: str) -> StoredItem:
    """An item whole.

    Raises:
        HTTPException: 404, there is none.
    """
    record = contents.item(store, item_id)
    if record is None:
        raise HTTPException(404, f"There is no item {item_id!r} in this project.")
    return record


def may_see(store: Store, person: str | None, item: StoredItem) -> bool:
    """Whether nothing is spoilt by showing this person what others say: they have seen it or answered, or nobody can answer."""
    if item.sha256 is None:
        return True
    if person is None:
        return False
    return answer_status.unblinded_how(store, person, item.item_id) is not None or answer_status.has_answered(
        store, person, item.item_id
    )


def _task(store: Store, person: str | None, item: StoredItem, *, quick: bool) -> dict[str, Any]:
    """The form for this image, the quick one where that is wanted; what the person has answered stands in the form of then."""
    if item.sha256 is None:
        return {"state": "none"}
    if person is None:
        return {"state": "name"}
    task = campaign_items.get_task(store, item.public_id)
    if task is None:
        return {"state": "none"}
    own = [
        annotation
        for annotation in item.annotations
        if annotation.rater_id == person and not annotation.superseded and annotation.import_id is None
    ]
    last = own[-1] if own else None
    own_answer = {
        "answers": last.answers if last else None,
        "revises": last.annotation_id if last else None,
        "status": last.status if last else None,
    }
    blind = any(not annotation.saw_evidence for annotation in own) if own else None
    campaign = form.campaign_of(store, campaign_items.DEFAULT)
    assert campaign is not None
    given = participation.own_answer(store, person, campaign_items.DEFAULT, last.annotation_id) if last else None
    wanted = YES_NO.name if quick else None
    about = (
        answered_form(store, person, campaign, given)
        if given
        else form.item_form(store, campaign, task, person, answered=wanted)
    )
    state = {"state": "label", "name": person, "blind": blind, "offer": form.sign_offer(store, person, about)}
    matches = matches_with_scorers(store, person, item.suite, "correct") if own else []
    return state | about.to_json() | own_answer | {"matches": [asdict(each) for each in matches]}


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


_Text = Annotated[str, Field(max_length=1000)]
MOST_REMARKS = 4000
"""Characters of a note."""
_SIGNED = "notes and verdicts are signed"


class NoteBody(BaseModel):
    """An empty text takes the note back that it revises."""

    id: UUID
    item: _Text
    text: str = Field(max_length=MOST_REMARKS)
    revises: UUID | None = None


class TakeBackBody(BaseModel):
    """The aspect (and target) of an image of which the latest verdict is taken back."""

    id: UUID
    item: _Text
    aspect: _Text
    target: _Text | None = None


class VerdictBody(BaseModel):
    """What is right about an aspect (and target) of an image, and who or what was wrong."""

    id: UUID
    item: _Text
    aspect: _Text
    target: _Text | None = None
    verdict: _Text
    wrong: Wrong
    rater: _Text | None = None
    note: str = Field(default="", max_length=MOST_REMARKS)


class GoldBody(BaseModel):
    """An image that becomes gold of a campaign."""

    item: _Text
    campaign: _Text


def _remarks_if_visible(store: Store, person: str | None, item: StoredItem) -> dict[str, Any]:
    if not may_see(store, person, item):
        return {"covered": True}
    item_id = item.item_id
    return {
        "covered": False,
        "tags": remarks.tags_of_items(store, [item_id]).get(item_id, []),
        "known_tags": remarks.tag_names(store),
        "notes": [asdict(note) for note in remarks.notes_of_item(store, item_id)],
        "verdicts": [asdict(verdict) for verdict in remarks.verdicts(store, [item_id])],
        "history": [asdict(event) for event in contents.item_history(store, item_id)],
        "cases": _cases(store, item),
    }


def _cases(store: Store, item: StoredItem) -> list[dict[str, Any]]:
    """What a verdict can be about: each aspect and target that somebody has a label for, and what it may say."""
    by_case: dict[tuple[str, str | None], list[adjudication.RaterValue]] = {}
    for judgement in item.judgements:
        if judgement.label is not None and judgement.kind != "consensus":
            value = adjudication.RaterValue(
                judgement.rater_id, judgement.kind, judgement.simulated, judgement.label, judgement.reason
            )
            by_case.setdefault((judgement.aspect, judgement.target), []).append(value)
    return [
        {
            "aspect": aspect,
            "target": target,
            "labels": adjudication.verdict_labels(store, CampaignTopic(item.suite, aspect), values),
            "said": [{"rater": rated.rater, "kind": rated.kind, "label": rated.value} for rated in values],
            "sides": [[asdict(side) for side in both] for both in adjudication.sides(values)],
        }
        for (aspect, target), values in by_case.items()
    ]


def _check_verdict(item: StoredItem, body: VerdictBody) -> None:
    about = [judgement for judgement in item.judgements if (judgement.aspect, judgement.target) == (body.aspect, body.target)]
    if not about:
        raise HTTPException(422, "Nobody has judged this aspect of this image.")
    kind = {"scorer": "scorer", "person": "human"}.get(body.wrong)
    if kind and body.rater and body.rater not in {judgement.rater_id for judgement in about if judgement.kind == kind}:
        raise HTTPException(422, f"{body.rater} is no {body.wrong} who has judged that of this image.")
