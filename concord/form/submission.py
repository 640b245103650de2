"""Submission: one whole answer, from what a browser sends to what the person is told then.

Its context is loaded once; whether it counts is decided by the writer, in the order of coming.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.questionnaires.base import Wording, check
from annotation.questionnaires.registry import YES_NO
from concord.form.annotator import Annotator, ImageGone, describe_next_tasks, first_steps
from concord.form.ending import feedback_json
from concord.form.item_form import item_form, stored_or_default
from concord.form.offers import offered_at, plausible_times
from data.store.campaigns import participation
from data.store.campaigns.answer_context import SentReference, answer_context
from data.store.core.store import Store
from data.store.judgements import recording


class QuestionsChanged(LookupError):
    """The prompt's questions have no version such as the one that was answered."""


class InvalidAnswers(ValueError):
    """Answers are missing or are none; ``errors`` says what is wrong, by question."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__("answers are missing or invalid")
        self.errors = errors


@dataclass(frozen=True, slots=True)
class SubmittedAnswer:
    """One whole answer, as a browser sends it.

    Attributes:
        annotation_id: the browser's own, so that sending twice is harmless.
        ticket, campaign: what it is about, as the task told it, whatever campaign the person has turned to since.
        asked: the version of the prompt's own questions; ``offer``: the signed moment, as the task told it.
        started, active_seconds: times, which are believed as far as they lie between that moment and now.
        revises: the person's own answer that it takes the place of.
        quick: whether it answers the one question of the quick form.
        following: whether the reply is to say what comes next, too.
    """

    annotation_id: str
    ticket: str
    campaign: str
    answers: Mapping[str, Any]
    asked: int | None = None
    offer: str | None = None
    started: datetime | None = None
    active_seconds: float | None = None
    revises: str | None = None
    quick: bool = False
    following: bool = False


def submit(store: Store, annotator: Annotator, sent: SubmittedAnswer, say: Wording) -> dict[str, Any]:
    """Save an answer and return what the person is told; returns once it is on disk. ``say``: words errors in their language.

    Raises:
        NotInCampaign, CampaignGone: the person does not work in the campaign, or it was deleted.
        ImageGone: the image was deleted.
        QuestionsChanged: the prompt's questions have no such version.
        InvalidAnswers: answers are missing or are none.
        CampaignClosed: the campaign, or that of the answer that this one revises, takes no answers.
        KeyError: the image or the answer that this one revises was deleted meanwhile, or is not theirs.
    """
    person = annotator.name
    context = answer_context(store, SentReference(person, sent.campaign, annotator.turned_to, sent.ticket, sent.revises))
    campaign = annotator.campaign_in(context, sent.campaign)
    if context.task is None:
        raise ImageGone
    questionnaire = context.revised.questionnaire if context.revised else YES_NO.name if sent.quick else None
    try:
        about = item_form(store, campaign, context.task, person, sent.asked, questionnaire)
    except KeyError as error:
        raise QuestionsChanged from error
    checked = check(about.questionnaire, sent.answers, say)
    if checked.errors:
        raise InvalidAnswers(checked.errors)
    offered = offered_at(store, person, about, sent.offer)
    started, active_seconds = plausible_times(offered, sent.started, sent.active_seconds)
    annotation = about.annotation(
        person,
        checked.answers,
        annotation_id=sent.annotation_id,
        started=started,
        active_seconds=active_seconds,
        saw_evidence=context.saw_evidence,
        revises=context.revises,
    )
    before = None
    if sent.following and not (context.consented and annotator.chosen):
        before = first_steps(store, annotator)
    next_tasks = None
    if sent.following and before is None:
        answered = participation.submit_answer(store, annotation, about.form.undecided, annotator.turned_to)
        saved, next_tasks = answered.saved, answered.next_tasks
    else:
        saved = recording.submit(store, annotation, about.form.undecided)
    if next_tasks is not None:
        turned_to = stored_or_default(context.turned_to, annotator.turned_to)
        before = describe_next_tasks(store, annotator, turned_to, next_tasks, quick=sent.quick)
    reply = {
        "saved": True,
        "id": saved.annotation_id,
        "new": saved.new,
        # gold and attention items must look like all others
        "status": "surplus" if saved.status == "surplus" else "valid",
        "feedback": feedback_json(checked.answers, saved.feedback),
        "earlier": saved.earlier,
        "reason": saved.reason,
    }
    return reply if before is None else reply | {"next": before}
