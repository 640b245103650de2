"""A campaign of GenEval's questions about made-up pictures; answers that can be told beforehand; and what is stored of them."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image as Picture

from annotation.questionnaires.base import Question, Questionnaire, clean, visible
from annotation.questionnaires.checks import validate
from benchmarks.closed_loop import Choose
from data.campaign import Campaign, CampaignItem
from data.prompts.coco import COCO
from data.records import Image, Item, Prompt
from data.store import imports, managing
from data.store.imports import Bundle
from data.store.store import Store
from data.store.tasks import tasks
from ui import asking

NAME: Final = "benchmark"
SUITE: Final = "geneval"
_SIDE: Final = 512
_VARIANTS: Final = 12


def make(store: Store, folder: Path, images: int, people: int, side: int = _SIDE) -> None:
    """A running campaign about ``images`` pictures in ``folder``, where there is room for so many people at every picture."""
    folder.mkdir()
    prompts = [_prompt(n) for n in range(60)]
    painted = [_picture(folder / f"{n:04}.jpg", prompts[n % len(prompts)], n, side) for n in range(images)]
    items = [Item(one.image_id, SUITE, one.prompt_id, None, one.generator) for one in painted]
    imports.apply(store, [Bundle("images", "generator", SUITE, prompts, painted, items)])
    managing.create(store, Campaign(NAME, "A benchmark", overlap=people), [CampaignItem(one.item_id) for one in items])
    managing.move(store, NAME, "running")


def _prompt(n: int) -> Prompt:
    """One of GenEval's six tasks, in turn."""
    a, b = COCO[n % len(COCO)], COCO[(n + 31) % len(COCO)]
    specs: tuple[tuple[str, str, list[dict[str, Any]]], ...] = (
        ("single_object", f"a photo of a {a}", [{"class": a, "count": 1}]),
        ("two_object", f"a photo of a {a} and a {b}", [{"class": a, "count": 1}, {"class": b, "count": 1}]),
        ("counting", f"a photo of three {a}s", [{"class": a, "count": 3}]),
        ("colors", f"a photo of a red {a}", [{"class": a, "count": 1, "color": "red"}]),
        (
            "position",
            f"a photo of a {b} left of a {a}",
            [{"class": a, "count": 1}, {"class": b, "count": 1, "position": ["left of", 0]}],
        ),
        (
            "color_attr",
            f"a photo of a red {a} and a blue {b}",
            [{"class": a, "count": 1, "color": "red"}, {"class": b, "count": 1, "color": "blue"}],
        ),
    )
    tag, text, include = specs[n % len(specs)]
    return Prompt(f"{SUITE}/{n:05}", SUITE, text, tag, {"tag": tag, "include": include, "prompt": text})


def _picture(path: Path, prompt: Prompt, n: int, side: int) -> Image:
    """A JPEG of about the bytes of a photo, that no other is like."""
    coarse = np.random.default_rng(n).integers(0, 256, (32, 32, 3), np.uint8)
    Picture.fromarray(coarse).resize((side, side), Picture.Resampling.BICUBIC).save(path, quality=95)
    return Image(prompt.prompt_id, "generator", n, path, hashlib.sha256(path.read_bytes()).hexdigest(), side, side)


@dataclass(frozen=True, slots=True)
class Shown:
    """What is asked about an item: ``ticket`` names it, ``sha256`` and ``file`` its picture."""

    ticket: str
    questionnaire: Questionnaire
    sha256: str
    file: str


def shown(store: Store, folder: Path) -> list[Shown]:
    """All items of the campaign."""
    campaign = asking.campaign_of(store, NAME)
    assert campaign is not None
    files = {hashlib.sha256(path.read_bytes()).hexdigest(): path.name for path in folder.iterdir()}
    with store.read() as cursor:
        found = tasks(cursor, [item.item_id for item in managing.items(store, NAME)]).values()
    return [
        Shown(one.public_id, asking.asking(store, campaign, one, "").questionnaire, sha256, files[sha256])
        for one in found
        for sha256 in [one.pictures[0].sha256]
    ]


def first_count(questionnaire: Questionnaire) -> str:
    """The words of the question that all of them have and few share."""
    return next(question.text for question in questionnaire.questions if question.id == "count_0")


def chooser(items: Sequence[Shown]) -> Choose:
    """Answers that follow from who is asked what, and are spread over all that can be answered."""
    asked = {one.ticket: one.questionnaire for one in items}

    @cache
    def answers(ticket: str, variant: int) -> Mapping[str, Any]:
        questionnaire = asked[ticket]
        said: dict[str, Any] = {}
        for place, question in enumerate(questionnaire.questions):
            said[question.id] = _answer(question, variant + 5 * place)
        said = clean(questionnaire, {id_: said[id_] for id_ in visible(questionnaire, said)})
        assert not validate(questionnaire, said)
        return said

    return lambda name, ticket: answers(ticket, zlib.crc32(f"{name} {ticket}".encode()) % _VARIANTS)


def _answer(question: Question, number: int) -> Any:
    if question.kind == "text":
        return f"a thing, {number} others"
    values = [option.value for option in question.options]
    if question.kind == "colors":
        return sorted({values[number % len(values)], values[3 * number % len(values)]}, key=values.index)
    return values[number % len(values)]


Row = tuple[str, str, str, str, frozenset[tuple[Any, ...]]]
"""Item, person, status, answers as JSON, and what was derived: (item, person, aspect, target, label, value, reason, rule)."""


def stored(project: Path) -> tuple[list[Row], dict[str, str]]:
    """Every answer as it lies on disk, sorted; and the ticket of each item."""
    with Store(project) as store, store.read() as cursor:
        said = cursor.execute("select annotation_id, item_id, rater_id, status, answers from annotations").fetchall()
        derived = cursor.execute(
            "select source_id, item_id, rater_id, aspect, target, label, value, reason, rule_version from judgements"
        ).fetchall()
        tickets = dict(cursor.execute("select item_id, public_id from items").fetchall())
    follows: dict[str, set[tuple[Any, ...]]] = {}
    for source, *judged in derived:
        follows.setdefault(source, set()).add(tuple(judged))
    rows = [
        (item, person, status, json.dumps(json.loads(answers), sort_keys=True), frozenset(follows.get(id_, ())))
        for id_, item, person, status, answers in said
    ]
    return sorted(rows, key=lambda row: row[:4]), tickets
