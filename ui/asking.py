"""What a person is asked about a task, and what their answers make of it: where questionnaires and campaigns meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.questionnaires.base import Question, Questionnaire, is_blank, to_json
from annotation.questionnaires.form import Form, FormItem
from data.aspects import CANNOT_TELL
from data.campaign import Campaign, Settings, pair_order
from data.records import Annotation
from data.store import library
from data.store.campaigns import management
from data.store.campaigns.participation import DEFAULT, DEFAULT_OVERLAP, AnnotationTask
from data.store.core.store import Store
from data.store.judgements.answer_status import Feedback
from data.store.library import QuestionVersion
from ui.commands.derive import derive, form_of
from ui.root import at


@dataclass(frozen=True, slots=True)
class Asking:
    """A questionnaire about one task, as one person sees it.

    Attributes:
        campaign: its id.
        version: of the prompt's own questions, None where they play no part.
    """

    campaign: str
    task: AnnotationTask
    form: Form
    asked: FormItem
    questionnaire: Questionnaire
    version: int | None = None

    def to_json(self) -> dict[str, Any]:
        """All that a browser needs to ask, and nothing that tells whose images these are."""
        order = self.asked.order or range(len(self.task.pictures))
        shown = [self.task.pictures[position] for position in order]
        return {
            "ticket": self.task.public_id,
            "campaign": self.campaign,
            "images": [{"image": at(f"/img/{one.sha256}"), "width": one.width, "height": one.height} for one in shown],
            "caption": self.task.text if self.questionnaire.shows_prompt else None,
            "questionnaire": to_json(self.questionnaire),
            "asked": self.version,
            "answers": None,
            "revises": None,
        }

    def annotation(self, person: str, answers: Mapping[str, Any], **more: Any) -> Annotation:
        """These answers, with what follows from them; ``more`` are the record's other values."""
        members = [picture.image_id for picture in self.task.pictures]
        raw: dict[str, Any] = {"order": self.asked.order} if self.asked.order else {}
        raw |= {} if self.version is None else {"questions": self.version}
        return Annotation(
            item_id=self.task.item_id,
            rater_id=person,
            questionnaire=self.form.name,
            answers=answers,
            judgements=derive(self.form, answers, self.asked, members),
            rule_version=self.form.rule_version,
            campaign_id=self.campaign,
            raw=raw or None,
            scales=self.form.scales,
            **more,
        )


def campaign_of(store: Store, campaign_id: str) -> Campaign | None:
    """A campaign; the default one is there before anybody has worked in it."""
    found = management.get(store, campaign_id)
    if found is None and campaign_id == DEFAULT:
        return Campaign(DEFAULT, DEFAULT, overlap=DEFAULT_OVERLAP, state="running", settings=Settings(order="shared"))
    return found


def asking(store: Store, campaign: Campaign, task: AnnotationTask, person: str, version: int | None = None) -> Asking:
    """What this person is asked about a task; of the prompt's own questions those of ``version``, None: of today.

    Raises:
        ValueError: there is no such questionnaire.
        KeyError: there is no such version.
    """
    form = form_of(campaign.questionnaire, campaign.definition)
    own = _own_questions(store, task, version) if form.prompted else None
    asked = FormItem(
        task.text,
        task.spec,
        len(task.pictures),
        own.questions if own else (),
        tuple(picture.generator for picture in task.pictures),
        pair_order(campaign.seed, campaign.campaign_id, person, task.item_id) if task.kind == "pair" else (),
    )
    return Asking(campaign.campaign_id, task, form, asked, form.build(asked), own.number if own else None)


def _own_questions(store: Store, task: AnnotationTask, version: int | None) -> QuestionVersion:
    if version is not None:
        return library.questions_at(store, task.prompt_id, version)
    return library.current_questions(store, [task.prompt_id]).get(task.prompt_id, QuestionVersion())


def feedback_json(questionnaire: Questionnaire, answers: Mapping[str, Any], feedback: Feedback | None) -> dict[str, Any] | None:
    """What a person is told about an item whose right answer is known, in the questionnaire's words."""
    if feedback is None:
        return None
    lines = [
        {"question": text, "expected": expected, "given": given}
        for text, expected, given in (
            _line(questionnaire, name, right, answers.get(name)) for name, right in feedback.expected.items()
        )
    ]
    return {"right": feedback.right, "lines": lines}


def _line(questionnaire: Questionnaire, name: str, right: Any, given: Any) -> tuple[str, str, str]:
    question = next((one for one in questionnaire.questions if one.id == name), None)
    blank = next((one.label for one in questionnaire.blanks if one.id == name), None)
    accepted = right["any"] if isinstance(right, Mapping) and set(right) == {"any"} else [right]
    text = question.text if question else blank or name
    return text, " or ".join(_words(question, one) for one in accepted), _words(question, given)


def _words(question: Question | None, value: Any) -> str:
    """An answer as the form words it."""
    if is_blank(value):
        return "nothing"
    if value == CANNOT_TELL:
        return "Cannot tell"
    labels = {option.value: option.label for option in question.options} if question else {}
    return ", ".join(str(labels.get(one, one)) for one in (value if isinstance(value, list | tuple) else [value]))
