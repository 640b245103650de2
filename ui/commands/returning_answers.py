"""The answers of ``export annotations`` as an import: judged anew by the rules, with all that they were about."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, cast

from agreement import Scale, ScaleError
from data.aspects import SCALES
from data.campaign import Campaign
from data.export.annotations import ExportedAnswer
from data.files import quoted
from data.prompts.questions import PromptQuestion, question_from_json
from data.records import Annotation, Identity, Image, Item, Judgement, Prompt, Rater
from data.store.core.campaign_items import DEFAULT
from data.store.imports import ImportBundle, Reimport, ReimportedAnswer
from data.store.judgements.answer_status import Decision, Status
from ui.commands.context import CommandError, digest
from ui.commands.derive import derive_source

T = TypeVar("T")


def answers_bundle(path: Path, answers: Sequence[ExportedAnswer]) -> tuple[ImportBundle, Counter[str]]:
    """The import, and how many answers were judged by which rule that is another one now.

    Raises:
        CommandError: there is nothing in the file, or something in it cannot be judged.
    """
    if not answers:
        raise CommandError(f"{path}: no answers in it")
    often, times = Counter(answer.annotation_id for answer in answers).most_common(1)[0]
    if times > 1:
        raise CommandError(
            f"{path}: the answer {quoted(often)} stands in it {times} times; each has an annotation_id of its own"
        )
    try:
        stated, other_rules = _stated(answers)
        bundle = ImportBundle(
            "annotations",
            ", ".join(sorted({answer.suite for answer in answers})),
            digest(*(json.dumps(asdict(answer), default=str, sort_keys=True) for answer in answers)),
            prompts=_prompts(answers),
            images=_images(answers),
            items=_items(answers),
            raters=_raters(answers),
            scales=_scales(answers, stated),
            returned=Reimport(
                answers=stated,
                campaigns=_campaigns(answers),
                asked=_asked(answers),
                members={a.item: [str(one["image"]) for one in a.images] for a in answers if a.item_kind != "image"},
                pictures={
                    str(one["image"]): str(one["sha256"]) for a in answers for one in a.images if one.get("sha256") is not None
                },
            ),
        )
    except (KeyError, TypeError) as error:
        raise CommandError(f"{path}: what an answer is about is not as it was written: {error}") from error
    return bundle, other_rules


def _stated(answers: Sequence[ExportedAnswer]) -> tuple[list[ReimportedAnswer], Counter[str]]:
    superseded = {answer.revises for answer in answers}
    stated: list[ReimportedAnswer] = []
    other_rules: Counter[str] = Counter()
    for answer in answers:
        rule, judgements = _judged(answer)
        latest = answer.annotation_id not in superseded
        if latest and answer.rule_version not in (None, rule):
            other_rules[str(answer.rule_version)] += 1
        decision = Decision(
            cast(Status, answer.status), answer.passed, answer.selected, cast("Status | None", answer.status_before)
        )
        annotation = Annotation(
            answer.annotation_id,
            answer.item,
            answer.rater,
            answer.questionnaire,
            answer.answers,
            tuple(judgements) if latest else (),
            rule,
            campaign_id=answer.campaign,
            raw=answer.shown,
            started=answer.started,
            active_seconds=answer.active_seconds,
            saw_evidence=answer.saw_evidence,
            revises=answer.revises,
        )
        stated.append(ReimportedAnswer(annotation, answer.first or answer.annotation_id, decision, answer.submitted))
    return stated, other_rules


def _judged(answer: ExportedAnswer) -> tuple[str, Sequence[Judgement]]:
    """The rule, and what follows from an answer by it: the same as when the project is rebuilt."""
    several = answer.item_kind != "image"
    source: dict[str, Any] = {
        "scorer": None,
        "item_id": answer.item,
        "questionnaire": answer.questionnaire,
        "definition": (answer.campaign_made or {}).get("definition"),
        "answers": answer.answers,
        "raw": answer.shown,
        "payload": None,
        "spec": answer.prompt_spec,
        "members": [str(one["image"]) for one in answer.images] if several else [],
        "generators": [str(one["generator"]) for one in answer.images] if several else [],
        "questions": _questions(answer),
    }
    try:
        return derive_source(source)
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(f"answer {answer.annotation_id} ({answer.item!r}) cannot be judged: {error}") from error


def _questions(answer: ExportedAnswer) -> tuple[PromptQuestion, ...]:
    return tuple(question_from_json(one) for one in answer.questions)


def _asked(answers: Iterable[ExportedAnswer]) -> Mapping[tuple[str, int], tuple[PromptQuestion, ...]]:
    return {
        (answer.prompt, int((answer.shown or {})["questions"])): _questions(answer)
        for answer in answers
        if answer.questions and answer.prompt is not None
    }


def _prompts(answers: Iterable[ExportedAnswer]) -> list[Prompt]:
    return each(
        (Prompt(a.prompt, a.suite, a.prompt_text, a.task, a.prompt_spec or {}), a.prompt)
        for a in answers
        if a.prompt is not None and a.prompt_text is not None
    )


def each(found: Iterable[tuple[T, str]]) -> list[T]:
    """Each thing once, by its id, which must mean the same on every line."""
    known: dict[str, T] = {}
    for one, name in found:
        if known.setdefault(name, one) != one:
            raise CommandError(
                f"{quoted(name)} is two different things in this file: {quoted(known[name], 180)} and {quoted(one, 180)}"
            )
    return list(known.values())


def _images(answers: Iterable[ExportedAnswer]) -> list[Image]:
    """Their places; the files stay where they are."""
    every = (Image(str(o["prompt"]), str(o["generator"]), int(o["index"])) for a in answers for o in a.images)
    return list({image.image_id: image for image in every}.values())


def _items(answers: Sequence[ExportedAnswer]) -> list[Item]:
    """The items that the answers are about, and of pairs and groups those of their images, too."""
    own = each((Item(a.item, a.suite, a.prompt, a.task, a.generator, cast(Any, a.item_kind)), a.item) for a in answers)
    found = {item.item_id: item for item in own}
    for a in answers:
        for one in a.images if a.item_kind != "image" else ():
            image_id = str(one["image"])
            found.setdefault(image_id, Item(image_id, a.suite, str(one["prompt"]), a.task, str(one["generator"])))
    return list(found.values())


def _raters(answers: Iterable[ExportedAnswer]) -> list[Rater]:
    return each((Rater(a.rater, "human", cast(Identity, a.identity), simulated=a.simulated), a.rater) for a in answers)


def _scales(answers: Sequence[ExportedAnswer], stated: Sequence[ReimportedAnswer]) -> list[tuple[str, str, str]]:
    found: dict[tuple[str, str], str] = {}
    for answer, one in zip(answers, stated, strict=True):
        for judgement in one.annotation.judgements:
            scale = answer.scales.get(judgement.aspect) or SCALES.get(judgement.aspect)
            if scale is None:
                raise CommandError(f"answer {answer.annotation_id}: the file does not say the scale of {judgement.aspect!r}")
            try:
                found.setdefault((answer.suite, judgement.aspect), str(Scale.parse(str(scale))))
            except ScaleError as error:
                raise CommandError(f"answer {answer.annotation_id}: {error}") from error
    return [(suite, aspect, scale) for (suite, aspect), scale in found.items()]


def _campaigns(answers: Iterable[ExportedAnswer]) -> list[Campaign]:
    made = {a.campaign: a.campaign_made for a in answers if a.campaign not in (None, DEFAULT) and a.campaign_made}
    return [
        Campaign(
            str(campaign_id),
            str(one["title"] or campaign_id),
            str(one["questionnaire"]),
            int(one["overlap"]),
            version=one.get("version"),
            definition=one.get("definition"),
            seed=int(one.get("seed") or 0),
            state="stopped",
            stratum=bool(one.get("stratum")),
        )
        for campaign_id, one in made.items()
    ]
