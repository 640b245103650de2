"""Restated answers: what people said by other questions or in imported tables, as answers to a form of one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.questionnaires.form import Form
from concord.campaigns.known_answers import subject_of
from concord.common import live_updates
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store
from data.store.library import ItemSubject


@dataclass(frozen=True, slots=True)
class Label:
    """A person's answer about a whole image, given blind, that counts."""

    person: str
    label: str


@live_updates.cached(maxsize=4)
def labels_of_people(store: Store, aspect: str) -> Mapping[str, tuple[Label, ...]]:
    """Return what people said about an aspect of whole images, by image; imitations and nameless slots are left out."""
    said = frame.frame(store, Selection(aspect=(aspect,)))
    people = (said.kind == "human") & (said.identity == "person") & ~said.simulated.astype(bool)
    said = said[people & said.excluded.isna() & said.target.isna() & said.label.notna()]
    found: dict[str, list[Label]] = {}
    for item, person, label in zip(said.item, said.rater, said.label, strict=True):
        found.setdefault(str(item), []).append(Label(str(person), str(label)))
    return {item: tuple(labels) for item, labels in found.items()}


def only_aspect(form: Form) -> str | None:
    """Return the aspect that a form of one image judges; None if it judges several, or anything but images."""
    return next(iter(form.scales)) if len(form.scales) == 1 and form.item_kind == "image" else None


def answers_by_label(form: Form, subject: ItemSubject) -> dict[str, dict[str, Any]]:
    """Return the answers that mean each label of an image, for a form that asks one question about it; else nothing."""
    item = subject_of(subject)
    questions = [question for question in form.build(item).questions if question.kind != "text"]
    if len(questions) != 1:
        return {}
    found: dict[str, dict[str, Any]] = {}
    for option in questions[0].options:
        answers = {questions[0].id: option.value}
        for judgement in form.derive(item, answers):
            if judgement.target is None and judgement.label is not None:
                found[judgement.label] = answers
    return found
