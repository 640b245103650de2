"""What researchers leave beside an image: notes, verdicts on who was wrong; with its tags and its history."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from concord.campaigns import adjudication, gold
from concord.campaigns.annotators import CampaignTopic
from concord.inspection.image import item_of, may_see
from data.campaigns.settings import DEFAULT
from data.remarks import Adjudication, Note, Wrong
from data.store.browse import contents
from data.store.browse.contents import StoredItem
from data.store.core.store import Store
from data.store.judgements import remarks


class Covered(Exception):
    """The person has neither answered nor uncovered the image; the message says what to do first."""


class EmptyNote(Exception):
    """A note without a text, that takes none back; the message says so."""


class NotJudged(Exception):
    """Nobody, or not the rater who is blamed, has judged what a verdict is on; the message says so."""


class NothingToTakeBack(Exception):
    """There is no verdict to take back; the message says so."""


@dataclass(frozen=True, slots=True)
class VerdictCase:
    """What a verdict is on, and the verdict's id, made by whoever sends it."""

    adjudication_id: str
    item_id: str
    aspect: str
    target: str | None = None


def image_remarks(store: Store, person: str | None, item_id: str) -> dict[str, Any]:
    """Return all remarks on an image, or that they are covered for this person.

    Raises:
        NoSuchImage: there is none.
    """
    return visible_remarks(store, person, item_of(store, item_id))


def write_note(store: Store, note: Note) -> dict[str, Any]:
    """Write a note on an image, or take the one back that an empty text revises; return its remarks.

    Raises:
        NoSuchImage: there is no such image.
        EmptyNote: it has no text and takes none back.
        NoteRefused: it revises what is not this person's.
    """
    item = item_of(store, note.item_id)
    if not note.text and note.revises is None:
        raise EmptyNote("This note is empty.")
    remarks.write_note(store, note)
    return visible_remarks(store, note.made_by, item)


def give_verdict(
    store: Store, person: str, case: VerdictCase, *, verdict: str, wrong: Wrong, rater: str | None, note: str
) -> dict[str, Any]:
    """Write down what is right and who was wrong; return the image's remarks, and how many verdicts say so by now.

    Raises:
        NoSuchImage: there is no such image.
        Covered: the person may not see it yet.
        NotJudged: nobody has judged that, or the rater whom it blames has not.
        ValueError: it is no verdict; the message says why.
    """
    item = _uncovered_item(store, person, case.item_id)
    _check_blame(item, case, wrong, rater)
    given = Adjudication(
        adjudication_id=case.adjudication_id,
        item_id=item.item_id,
        aspect=case.aspect,
        wrong=wrong,
        verdict=verdict,
        made_by=person,
        target=case.target,
        # the drawer's form is that of the default campaign
        campaign_id=DEFAULT,
        rater_id=rater if wrong in ("scorer", "person") else None,
        note=note.strip(),
    )
    adjudication.write_verdict(store, given)
    blames = {(blame.wrong, blame.rater): blame.n for blame in adjudication.blames(remarks.verdicts(store))}
    so_far = {"blamed": blames.get((given.wrong, given.rater_id), 0), "verdicts": sum(blames.values())}
    return visible_remarks(store, person, item) | {"so_far": so_far}


def take_back_verdict(store: Store, person: str, case: VerdictCase) -> dict[str, Any]:
    """Take the verdicts on an aspect of an image back; return its remarks.

    Raises:
        NoSuchImage: there is no such image.
        NothingToTakeBack: there is no verdict.
    """
    item = item_of(store, case.item_id)
    given = {(verdict.aspect, verdict.target) for verdict in remarks.verdicts(store, [item.item_id])}
    if (case.aspect, case.target) not in given:
        raise NothingToTakeBack("There is no verdict to take back: somebody else has.")
    nothing = Adjudication(
        adjudication_id=case.adjudication_id,
        item_id=item.item_id,
        aspect=case.aspect,
        wrong="prompt",
        verdict="",
        made_by=person,
        target=case.target,
        campaign_id=DEFAULT,
    )
    remarks.take_back(store, nothing)
    return visible_remarks(store, person, item)


def make_gold(store: Store, person: str, campaign_id: str, item_id: str) -> dict[str, Any]:
    """Make an image gold of a campaign by a person's verdicts and answers; return the right answers.

    Raises:
        NoSuchImage: there is no such image.
        Covered: the person may not see it yet.
        ValueError: it cannot be gold; the message says why.
    """
    item = _uncovered_item(store, person, item_id)
    return {"expected": gold.make_gold(store, campaign_id, item.item_id, person).expected}


def _uncovered_item(store: Store, person: str, item_id: str) -> StoredItem:
    item = item_of(store, item_id)
    if not may_see(store, person, item):
        raise Covered("Answer or uncover the image first, then give a verdict.")
    return item


def visible_remarks(store: Store, person: str | None, item: StoredItem) -> dict[str, Any]:
    """Return all remarks on an image, or that they are covered for this person."""
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


def _check_blame(item: StoredItem, case: VerdictCase, wrong: Wrong, rater: str | None) -> None:
    about = [judgement for judgement in item.judgements if (judgement.aspect, judgement.target) == (case.aspect, case.target)]
    if not about:
        raise NotJudged("Nobody has judged this aspect of this image.")
    kind = {"scorer": "scorer", "person": "human"}.get(wrong)
    if kind and rater and rater not in {judgement.rater_id for judgement in about if judgement.kind == kind}:
        raise NotJudged(f"{rater} is no {wrong} who has judged that of this image.")
