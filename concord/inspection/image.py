"""One image, as a researcher looks at it: what is known of it, and its form.

What scorers saw and others said is told only once somebody may see it: who looks before they answer is no longer blind.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from annotation.questionnaires.registry import YES_NO
from concord.form.item_form import answered_form, campaign_of, item_form
from concord.form.offers import offer_json
from concord.maps import embedding_sources
from data.campaigns.settings import DEFAULT
from data.jobs import generation
from data.store import campaign_items
from data.store.analysis.confusion import matches_with_scorers
from data.store.browse import contents
from data.store.browse.contents import StoredItem
from data.store.campaigns import participation
from data.store.core.store import Store
from data.store.judgements import answer_status


class NoSuchImage(LookupError):
    """There is no item of this id in the project; the message says so."""


def item_of(store: Store, item_id: str) -> StoredItem:
    """Return an item whole.

    Raises:
        NoSuchImage: there is none.
    """
    record = contents.item(store, item_id)
    if record is None:
        raise NoSuchImage(f"There is no item {item_id!r} in this project.")
    return record


def may_see(store: Store, person: str | None, item: StoredItem) -> bool:
    """Return True if nothing is spoilt by showing this person what others say.

    They have seen it or answered, or nobody can answer.
    """
    if item.sha256 is None:
        return True
    if person is None:
        return False
    return answer_status.unblinded_how(store, person, item.item_id) is not None or answer_status.has_answered(
        store, person, item.item_id
    )


def viewer(person: str | None, token: str | None) -> str | None:
    """Return under which name it is kept what somebody has seen: their own, or that of a browser without one; None: nobody."""
    return person or (answer_status.visitor(token) if token else None)


def image_json(store: Store, person: str | None, item_id: str, token: str | None = None) -> dict[str, Any]:
    """Return what is known of an image, and of what was said of it what this person said.

    ``token``: of a browser whose user has given no name.

    Raises:
        NoSuchImage: there is none.
    """
    item = item_of(store, item_id)
    own = replace(
        item,
        blanked=generation.why_blank(item.blanked),
        annotations=tuple(annotation for annotation in item.annotations if annotation.rater_id == person),
        judgements=tuple(judgement for judgement in item.judgements if judgement.rater_id == person),
    )
    fields = asdict(own)
    fields.pop("public_id")
    covered = not may_see(store, viewer(person, token), item)
    return fields | {"name": person, "covered": covered, "alike": bool(embedding_sources(store))}


def task_json(store: Store, person: str | None, item_id: str, *, quick: bool) -> dict[str, Any]:
    """Return the form for an image, the quick one where that is wanted; an answer of this person stands in the form of then.

    Raises:
        NoSuchImage: there is none.
    """
    item = item_of(store, item_id)
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
    campaign = campaign_of(store, DEFAULT)
    assert campaign is not None
    given = participation.own_answer(store, person, DEFAULT, last.annotation_id) if last else None
    wanted = YES_NO.name if quick else None
    about = (
        answered_form(store, campaign, task, person, given)
        if given
        else item_form(store, campaign, task, person, answered=wanted)
    )
    state = {"state": "label", "name": person, "blind": blind}
    matches = matches_with_scorers(store, person, item.suite, "correct") if own else []
    return state | offer_json(store, person, about) | own_answer | {"matches": [asdict(each) for each in matches]}
