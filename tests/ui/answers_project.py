"""A project of people's whole answers: every kind of questionnaire, revisions, checks, simulated people, hostile texts."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from annotation.questionnaires.custom import read as read_form
from annotation.questionnaires.registry import EXAMPLE
from concord.judging import derive_source
from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign
from data.prompts.questions import questions_from_spec
from data.records import Annotation, Evidence, Image, Item, Judgement, Prompt, Rater
from data.selection import Selection
from data.spec import parse_spec
from data.store import imports, library
from data.store.campaigns import management, participation
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from data.store.judgements.recording import JudgedSource
from tests.data.store.small_campaign import give

SUITE = "mine"
TEXTS = ("=1+1 cats", 'a "quoted", text', "two\nlines", "-1", "'=x", "é ☃ 𝕏 \u2028 end")
NAMES = ("=cmd|' /C calc'!A0", 'o\'neill, "jr"\n', "@ann", "plain", "'-1", "é\tt")
SPEC = {"tag": "counting", "include": [{"class": "cat", "count": 2, "color": "red"}], "prompt": "two red cats"}
GENERATORS = ("g1", "=g2")
KITCHEN = EXAMPLE.read_text(encoding="utf-8")
COUNTED = {"objects": ["cat"], "count_0": 2, "caption_fit": 3}


def prompts() -> list[Prompt]:
    return [Prompt(f"{SUITE}/{n:05d}", SUITE, text, "counting", SPEC) for n, text in enumerate(TEXTS)]


def images() -> list[Image]:
    """Two of each generator, with files that nobody reads here."""
    at = [(prompt.prompt_id, generator, k) for prompt in prompts() for generator in GENERATORS for k in range(2)]
    return [Image(*one, Path(f"/nowhere/{n}.png"), f"{n:064x}", 8, 8) for n, one in enumerate(at)]


def pictures() -> ImportBundle:
    found = images()
    items = [Item(i.image_id, SUITE, i.prompt_id, "counting", i.generator) for i in found]
    return ImportBundle("images", "mine", "pictures", prompts(), found, items)


def answer(store: Store, item: str, who: str, form: str, answers: Mapping[str, Any], **more: Any) -> Annotation:
    """An answer with the judgements that follow from it."""
    raw, definition = more.pop("raw", None), more.pop("definition", None)
    with store.read() as cursor:
        shown = cursor.execute(
            "select m.image_id, i.generator from item_members m join images i using (image_id) where m.item_id = ?"
            " order by m.position", [item],
        ).fetchall()  # fmt: skip
    members, generators = zip(*shown, strict=True) if len(shown) > 1 else ((), ())
    source = JudgedSource(
        item, spec=SPEC, questionnaire=form, definition=definition, answers=answers, raw=raw,
        members=members, generators=generators,
    )  # fmt: skip
    if raw and "questions" in raw:
        asked = library.questions_at(store, "/".join(item.split("/")[:2]), raw["questions"]).questions
        source = replace(source, questions=asked)
    rule, judgements = derive_source(source)
    scales = read_form(definition).scales if definition else {}
    made: dict[str, Any] = {"campaign_id": "default", "scales": scales, "raw": raw, "active_seconds": 0.1 + 0.2}
    made |= {"started": datetime(2026, 11, 20, 9, 30, 0, 250_000, tzinfo=UTC)} | more
    return Annotation(str(uuid.uuid4()), item, who, form, answers, tuple(judgements), rule, **made)


def fill(store: Store) -> None:
    imports.apply(store, [pictures()])
    ids = [image.image_id for image in images()]
    for who in NAMES:
        participation.enter(store, who)
    _default(store, ids)
    _kitchen(store, ids)
    _pairs(store)
    _questions(store, ids)
    _others(store, ids)


def _default(store: Store, ids: list[str]) -> None:
    """Some agree, some do not; one is revised twice, one came too late, one had seen the evidence."""
    for n, item in enumerate(ids):
        for k, who in enumerate(NAMES[:3]):
            answers = dict(COUNTED, count_0=(2, 2, 3)[(n * k) % 3], caption_fit=1 + (n + k) % 4)
            recording.submit(store, answer(store, item, who, "geneval", answers))
    first = answer(store, ids[0], NAMES[3], "geneval", COUNTED, saw_evidence=True)
    recording.submit(store, first)
    for count in (0, 5):
        revised = answer(store, ids[0], NAMES[3], "geneval", dict(COUNTED, count_0=count), revises=first.annotation_id)
        recording.submit(store, revised)
    recording.submit(store, answer(store, ids[1], NAMES[4], "geneval", COUNTED))
    recording.submit(store, answer(store, ids[2], NAMES[0], "geneval", {"count_0": "cannot_tell"}))


def _kitchen(store: Store, ids: list[str]) -> None:
    """A questionnaire of a user's own: ordinal words and numbers, free text, checks."""
    items = [CampaignItem(one) for one in ids[:6]]
    items += [CampaignItem(ids[6], "gold", expected={"cups": 2}), CampaignItem(ids[7], "training", expected={"cups": 1})]
    campaign = Campaign("own", "=own & only", read_form(KITCHEN).name, 2, definition=KITCHEN, seed=7)
    management.create(store, campaign, items)
    management.move(store, "own", "running")
    for n, item in enumerate(ids[:8]):
        for k, who in enumerate(NAMES[:3]):
            answers = {"cups": (n + k) % 4, "mood": ("gloomy", "plain", "cheerful")[(n + k) % 3], "quality": 1 + n % 5}
            answers |= {"remarks": f"{TEXTS[(n + k) % len(TEXTS)]}"}
            about = {"campaign_id": "own", "definition": KITCHEN}
            give(store, "own", item, who)
            recording.submit(store, answer(store, item, who, campaign.questionnaire, answers, **about))


def _pairs(store: Store) -> None:
    made = management.pairs(store, Selection(), *GENERATORS)
    management.create(store, Campaign("sides", "sides", "ab", 2), [CampaignItem(one) for one in made])
    management.move(store, "sides", "running")
    for n, item in enumerate(made):
        for k, who in enumerate(NAMES[:2]):
            answers = {"preference": ("left", "right", "both", "none")[(n + k) % 4]}
            about = {"campaign_id": "sides", "raw": {"order": [k, 1 - k]}}
            give(store, "sides", item, who)
            recording.submit(store, answer(store, item, who, "ab", answers, **about))


def _questions(store: Store, ids: list[str]) -> None:
    """The prompts' own questions, which changed after the first answers."""
    old = {prompt.prompt_id: questions_from_spec(parse_spec(SPEC)) for prompt in prompts()[:2]}
    new = {name: (replace(questions[0], text="=Are there cats?"), *questions[1:]) for name, questions in old.items()}
    for version, requested in enumerate((old, new), 1):
        imports.apply(store, [ImportBundle("questions", "mine", f"questions {version}", questions=requested)])
        for n, item in enumerate(ids[:8]):
            questions = requested["/".join(item.split("/")[:2])]
            answers = {each.question_id: each.choices[(n + version) % len(each.choices)] for each in questions}
            about = {"campaign_id": None, "raw": {"questions": version}}
            recording.submit(store, answer(store, item, NAMES[3 + version], "tifa_vqa", answers, **about))


def _others(store: Store, ids: list[str]) -> None:
    """Simulated people, slots of a study, and scorers."""
    people = [Rater("simulated =Ben", "human", "person", simulated=True), Rater("slot 1", "human", "slot")]
    about = {"campaign_id": None, "raw": {"Worker": "A1WORKERID"}}
    # slots are of GenEval's released study, whose form is the authors' own
    names = {"person": "geneval", "slot": "geneval_authors"}
    said = [
        answer(store, item, rater.rater_id, names[str(rater.identity)], dict(COUNTED, count_0=(n * k) % 3), **about)
        for k, rater in enumerate(people)
        for n, item in enumerate(ids)
    ]  # fmt: skip
    scorers = [Rater("=clip", "scorer"), Rater("geneval", "scorer", None, "1", {"threshold": 0.3})]
    evidence = [
        Evidence(str(uuid.uuid4()), item, rater.rater_id, {}, _judged(n * (k + 2)), "odd-1")
        for k, rater in enumerate(scorers)
        for n, item in enumerate(ids)
    ]
    bundle = ImportBundle(
        "odd", "odd", "odd", raters=[*people, *scorers], annotations=said, evidence=evidence,
        scales=[(SUITE, "score", "interval"), (SUITE, "caption_fit", "ordinal:1-4")],
    )  # fmt: skip
    imports.apply(store, [bundle])


def _judged(n: int) -> tuple[Judgement, ...]:
    right = n % 5 < 3
    return Judgement("score", None, (0.1 + 0.2) * (n % 7)), Judgement("correct", "yes" if right else "no", float(right))


def project(folder: Path) -> Path:
    """The project, closed."""
    with Store(folder) as store:
        fill(store)
    return folder
