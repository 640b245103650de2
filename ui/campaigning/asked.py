"""What a questionnaire would ask about: items of the project, and items that could be made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.questionnaires.form import FormItem
from data.store.campaigns.composition import Composed
from data.store.core.store import Store
from data.store.library import ItemSubject, item_subjects


@dataclass(frozen=True, slots=True)
class Asking:
    """An item and what a questionnaire needs to know of it; ``kind`` is ``image``, ``group`` or ``pair``."""

    item_id: str
    kind: str
    suite: str
    asked: FormItem


def of_items(store: Store, item_ids: Sequence[str]) -> dict[str, Asking]:
    """Those of these items that the project has."""
    return {
        item_id: Asking(item_id, one.kind, one.suite, asked(one)) for item_id, one in item_subjects(store, item_ids).items()
    }


def of_composed(store: Store, made: Sequence[Composed], kind: str) -> dict[str, Asking]:
    """Items that could be made of images."""
    images = item_subjects(store, sorted({image for one in made for image in one.images}))
    several = {one.item_id: [images[image] for image in one.images] for one in made}
    return {item_id: Asking(item_id, kind, some[0].suite, _together(some)) for item_id, some in several.items()}


def asked(subject: ItemSubject) -> FormItem:
    """What is asked about one item."""
    return FormItem(
        text=subject.text,
        spec=subject.spec,
        n_images=len(subject.pictures),
        questions=subject.questions,
        generators=subject.generators,
    )


def _together(images: Sequence[ItemSubject]) -> FormItem:
    first = images[0]
    generators = tuple(name for image in images for name in image.generators)
    return FormItem(first.text, first.spec, len(images), first.questions, generators)
