"""JSON routes of what researchers leave beside an image on the Workbench: notes, verdicts on who was wrong, and its history."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, HTTPException, Query, Request
from pydantic import BaseModel, Field

from concord.campaigns import adjudication
from concord.campaigns.annotators import CampaignTopic
from data.store.browse import contents
from data.store.campaigns import participation
from data.store.core.store import Store
from data.store.judgements import remarks
from data.store.judgements import remarks as notes
from data.store.judgements.remarks import Adjudication, Note, NoteRefused, Wrong
from ui.workbench_api import Item, item_of, may_see, name_of

_Text = Annotated[str, Field(max_length=1000)]
MOST = 4000
"""Characters of a note."""


class NoteBody(BaseModel):
    """An empty text takes the note back that it revises."""

    id: UUID
    item: _Text
    text: str = Field(max_length=MOST)
    revises: UUID | None = None


class VerdictBody(BaseModel):
    """What is right about an aspect (and target) of an image, and who or what was wrong."""

    id: UUID
    item: _Text
    aspect: _Text
    target: _Text | None = None
    verdict: _Text
    wrong: Wrong
    rater: _Text | None = None
    note: str = Field(default="", max_length=MOST)


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio``. They tell nothing of an image before it may be seen what others said of it."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/remarks")
    def remarks(request: Request, id: Annotated[str, Query(max_length=1000)]) -> dict[str, Any]:
        found = item_of(store, id)
        return _remarks(store, found) if may_see(store, name_of(request), found) else {"covered": True}

    @routes.post("/notes")
    def note(request: Request, body: NoteBody) -> dict[str, Any]:
        person, found = _named(request), item_of(store, body.item)
        if not body.text.strip() and body.revises is None:
            raise HTTPException(422, "There is nothing in this note yet.")
        revises = str(body.revises) if body.revises else None
        try:
            notes.write_note(store, Note(str(body.id), found["item_id"], body.text.strip(), person, revises))
        except NoteRefused as error:
            raise HTTPException(409, str(error)) from error
        return _seen(store, person, found)

    @routes.post("/verdict")
    def verdict(request: Request, body: VerdictBody) -> dict[str, Any]:
        person, found = _named(request), item_of(store, body.item)
        if not may_see(store, person, found):
            raise HTTPException(409, "Answer or uncover the image first: a verdict is about what was said of it.")
        _check(found, body)
        made = Adjudication(
            adjudication_id=str(body.id),
            item_id=found["item_id"],
            aspect=body.aspect,
            wrong=body.wrong,
            verdict=body.verdict,
            made_by=person,
            target=body.target,
            # the Workbench's form is that of the default campaign
            campaign_id=participation.DEFAULT,
            rater_id=body.rater if body.wrong in ("scorer", "person") else None,
            note=body.note.strip(),
        )
        try:
            adjudication.write_verdict(store, made)
        except ValueError as error:
            raise HTTPException(422, f"{str(error)[0].upper()}{str(error)[1:]}.") from error
        return _seen(store, person, found)

    return routes


def _named(request: Request) -> str:
    person = name_of(request)
    if person is None:
        raise HTTPException(401, "Please give your name first: notes and verdicts are kept under it.")
    return person


def _seen(store: Store, person: str, item: Item) -> dict[str, Any]:
    return _remarks(store, item) if may_see(store, person, item) else {"covered": True}


def _remarks(store: Store, item: Item) -> dict[str, Any]:
    item_id = item["item_id"]
    return {
        "covered": False,
        "tags": remarks.tags_of_items(store, [item_id]).get(item_id, []),
        "known_tags": remarks.tag_names(store),
        "notes": [asdict(one) for one in notes.notes_of_item(store, item_id)],
        "verdicts": [asdict(one) for one in remarks.verdicts(store, [item_id])],
        "history": [asdict(one) for one in contents.item_history(store, item_id)],
        "cases": _cases(store, item),
    }


def _cases(store: Store, item: Item) -> list[dict[str, Any]]:
    """What a verdict can be about: each aspect and target that somebody has a label for, and what it may say."""
    said: dict[tuple[str, str | None], list[adjudication.RaterValue]] = {}
    for one in item["judgements"]:
        if one["label"] is not None and one["kind"] != "consensus":
            value = adjudication.RaterValue(one["rater_id"], one["kind"], one["simulated"], one["label"], one["reason"])
            said.setdefault((one["aspect"], one["target"]), []).append(value)
    return [
        {
            "aspect": aspect,
            "target": target,
            "labels": adjudication.verdict_labels(store, CampaignTopic(item["suite"], aspect), values),
            "said": [{"rater": one.rater, "kind": one.kind, "label": one.value} for one in values],
            "differ": len({one.value for one in values}) > 1,
        }
        for (aspect, target), values in said.items()
    ]


def _check(item: Item, body: VerdictBody) -> None:
    about = [one for one in item["judgements"] if (one["aspect"], one["target"]) == (body.aspect, body.target)]
    if not about:
        raise HTTPException(422, "Nobody has judged that of this image.")
    kind = {"scorer": "scorer", "person": "human"}.get(body.wrong)
    if kind and body.rater and body.rater not in {one["rater_id"] for one in about if one["kind"] == kind}:
        raise HTTPException(422, f"{body.rater} is no {body.wrong} who has judged that of this image.")
