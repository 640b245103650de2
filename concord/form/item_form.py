"""What a person is asked about a task, and what their answers make of it: where questionnaires and campaigns meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from annotation.questionnaires.base import Questionnaire, to_json
from annotation.questionnaires.form import Form, FormItem
from concord.common.base_path import at
from concord.judging import form_about
from data.campaigns.items import pair_order
from data.campaigns.settings import DEFAULT, DEFAULT_OVERLAP, Campaign, Settings
from data.records import Annotation
from data.store import library
from data.store.campaign_items import AnnotationTask
from data.store.campaigns import management
from data.store.campaigns.participation import OwnAnswer
from data.store.core.store import Store
from data.store.library import QuestionVersion


@dataclass(frozen=True)
class ItemForm:
    """A questionnaire about one task, as one person sees it.

    Attributes:
        campaign: its id.
        version: of the prompt's own questions, None where they play no part.
    """

    campaign: str
    task: AnnotationTask
    form: Form
    item: FormItem
    questionnaire: Questionnaire
    version: int | None = None

    def to_json(self) -> dict[str, Any]:
        """All that a browser needs to ask, and nothing that tells whose images these are."""
        order = self.item.order or range(len(self.task.pictures))
        shown = [self.task.pictures[position] for position in order]
        return {
            "ticket": self.task.public_id,
            "campaign": self.campaign,
            "images": [{"image": at(f"/img/{image.sha256}"), "width": image.width, "height": image.height} for image in shown],
            "caption": self.task.text if self.questionnaire.shows_prompt else None,
            "questionnaire": self._questionnaire_json,
            "asked": self.version,
            "answers": None,
            "revises": None,
        }

    @cached_property
    def _questionnaire_json(self) -> dict[str, Any]:
        return to_json(self.questionnaire)

    def annotation(self, person: str, answers: Mapping[str, Any], **more: Any) -> Annotation:
        """These answers, with what follows from them; ``more`` are the record's other values."""
        raw: dict[str, Any] = {"order": self.item.order} if self.item.order else {}
        raw |= {} if self.version is None else {"questions": self.version}
        return Annotation(
            item_id=self.task.item_id,
            rater_id=person,
            questionnaire=self.form.name,
            answers=answers,
            judgements=tuple(self.form.derive(self.item, answers)),
            rule_version=self.form.rule_version,
            campaign_id=self.campaign,
            raw=raw or None,
            scales=self.form.scales,
            **more,
        )


def campaign_of(store: Store, campaign_id: str) -> Campaign | None:
    """Return a campaign; the default one is there before anybody has worked in it."""
    return stored_or_default(management.get(store, campaign_id), campaign_id)


def stored_or_default(stored: Campaign | None, campaign_id: str) -> Campaign | None:
    """Return a campaign as stored, or the default one as it is before anybody has worked in it."""
    if stored is None and campaign_id == DEFAULT:
        return Campaign(DEFAULT, DEFAULT, overlap=DEFAULT_OVERLAP, state="running", settings=Settings(order="shared"))
    return stored


def item_form(
    store: Store,
    campaign: Campaign,
    task: AnnotationTask,
    person: str,
    version: int | None = None,
    answered: str | None = None,
) -> ItemForm:
    """What this person is asked about a task; of the prompt's own questions those of ``version``, None: of today.

    ``answered``: the questionnaire of the answer that is revised, or that somebody wants where no campaign has chosen one.

    Raises:
        ValueError: there is no such questionnaire.
        KeyError: there is no such version.
    """
    order = pair_order(campaign.seed, campaign.campaign_id, person, task.item_id) if task.kind == "pair" else ()
    form = form_about(campaign, task.spec, answered)
    key = ("form", campaign.campaign_id, task.item_id, order, version, form.name)
    since, cached = store.memory.state, store.memory.get(key)
    # of a campaign or a task that was read before something was written nothing is kept
    if cached is not None and cached[0] is campaign and cached[1] is task:
        about: ItemForm = cached[2]
        return about
    about = _build(store, campaign, task, form, order, version)
    store.memory.put(key, (campaign, task, about), since)
    return about


def _build(
    store: Store, campaign: Campaign, task: AnnotationTask, form: Form, order: tuple[int, ...], version: int | None
) -> ItemForm:
    own = None
    if form.prompted and version is not None:
        own = library.questions_at(store, task.prompt_id, version)
    elif form.prompted:
        own = library.current_questions(store, [task.prompt_id]).get(task.prompt_id, QuestionVersion())
    generators = tuple(picture.generator for picture in task.pictures)
    images = tuple(picture.image_id for picture in task.pictures)
    item = FormItem(task.text, task.spec, len(images), own.questions if own else (), generators, order, images)
    return ItemForm(campaign.campaign_id, task, form, item, form.build(item), own.number if own else None)


def answered_form(store: Store, campaign: Campaign, task: AnnotationTask, person: str, answer: OwnAnswer) -> ItemForm:
    """Return the form that an answer was given in, to show and to revise it: its questionnaire, and the questions of then."""
    return item_form(store, campaign, task, person, (answer.raw or {}).get("questions"), answer.questionnaire)
