"""A project whose every name and text is out to break something, with people, slots, simulated people and scorers."""

from __future__ import annotations

import random
import uuid
from pathlib import Path
from typing import Any

from data.records import Annotation, Evidence, Item, Judgement, Prompt, Rater
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from tests.data.store.small_project import answer

TEXTS = (
    "=1+1", "a,b", 'say "hi"', "two\nlines", "bare\rreturn", "both\r\nof them", " spaced ", "@SUM(A1)", "-1", "+2", "NULL",
    "NA", "é ☃ 𝕏", "<script>alert(1)</script>",
    "</script><b>", "|pipe|", "`code` *b* _i_ [l](x)", "'quoted'", "a\tb", "{{ 7 * 7 }}",
)  # fmt: skip
SUITE = "odd"
LEVELS = ("low & meek", "so, so", "high")
SCALES = {
    "answer": "nominal",
    "correct": "nominal",
    "quality": "ordinal:1-5",
    "mood": f"ordinal:{'<'.join(LEVELS)}",
    "score": "interval",
}
PEOPLE = (
    Rater("=cmd|' /C calc'!A0", "human", "person"),
    Rater("<img src=x onerror=alert(1)>", "human", "person"),
    Rater('o\'neill, "jr"\n', "human", "person"),
    Rater("slot 1", "human", "slot"),
    Rater("simulated <b>Sim</b>", "human", "person", simulated=True),
    Rater("simulated Two", "human", "person", simulated=True),
)
SCORERS = (
    Rater("clip|score`", "scorer", None, "2 <beta>", {"threshold": 0.3, "note": "</td><script>"}),
    Rater("=other", "scorer"),
)
EXCLUDED = {"cannot_tell": 1, "repeat": 2, "saw_evidence": 1, "surplus": 1}
"""What of the odd project does not count, by reason: see ``fill``."""


def item(n: int) -> Item:
    """Items 18 and 19 have no prompt, 17 no generator, 16 no task."""
    text = TEXTS[n]
    prompt = f"{SUITE}/{TEXTS[n % 8]}" if n < 18 else None
    return Item(
        f"item {text}", SUITE, prompt, None if n == 16 else f"task {TEXTS[n % 3]}", None if n == 17 else f"g {TEXTS[n % 2]}"
    )


ITEMS = tuple(item(n) for n in range(len(TEXTS)))


def fill(store: Store) -> None:
    """Rate every item, then add what does not count."""
    seeded = random.Random(4)
    annotations = [
        _said(one, rater, seeded) for one in ITEMS for rater in PEOPLE if rater == PEOPLE[0] or seeded.random() < 0.85
    ]
    evidence = [_scored(one, rater, seeded) for one in ITEMS for rater in SCORERS]
    used = dict.fromkeys(one.prompt_id for one in ITEMS if one.prompt_id)
    bundle = ImportBundle(
        "odd", "odd", "0",
        prompts=[Prompt(prompt_id, SUITE, f"text of {prompt_id}") for prompt_id in used],
        items=ITEMS, raters=[*PEOPLE, *SCORERS], scales=[(SUITE, aspect, scale) for aspect, scale in SCALES.items()],
        annotations=annotations, evidence=evidence,
    )  # fmt: skip
    imports.apply(store, [bundle])
    with store.read() as cursor:
        cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('default', 2, current_timestamp)")
    item_id = ITEMS[0].item_id
    recording.submit(store, answer(item_id, "late 1", None))
    recording.submit(store, answer(item_id, "late 2", saw_evidence=True))
    recording.submit(store, answer(item_id, "late 3"))
    # the second of one person, and of a third person where two were asked for
    recording.submit(store, answer(item_id, "late 3", "no"))
    recording.submit(store, answer(item_id, "late 3", "yes"))
    recording.submit(store, answer(item_id, "late 4"))


def project(folder: Path) -> Path:
    """The project, closed."""
    with Store(folder) as store:
        fill(store)
    return folder


def _said(one: Item, rater: Rater, seeded: random.Random) -> Annotation:
    grade = seeded.choices(range(1, 6), (1, 2, 3, 4, 5))[0]
    right, own = seeded.random() < 0.8, TEXTS[ITEMS.index(one)]
    judgements = (
        Judgement("answer", own if rater == PEOPLE[0] else seeded.choice((own, *TEXTS)), None, f"asks {one.item_id}"),
        Judgement("correct", "yes" if right else "no", float(right)),
        Judgement("quality", str(grade), float(grade)),
        Judgement("mood", LEVELS[grade // 2], float(grade // 2 + 1), seeded.choice(TEXTS[:4])),
    )
    about: dict[str, Any] = {"item_id": one.item_id, "rater_id": rater.rater_id, "judgements": judgements}
    return Annotation(
        str(uuid.UUID(int=seeded.getrandbits(128))), questionnaire="odd", answers={}, rule_version="odd-1", **about
    )


def _scored(one: Item, rater: Rater, seeded: random.Random) -> Evidence:
    score, right = seeded.choice((0.1 + 0.2, 1e-300, -0.0, 2 / 3, seeded.random())), seeded.random() < 0.7
    judgements = (Judgement("score", None, score), Judgement("correct", "yes" if right else "no", float(right)))
    return Evidence(str(uuid.UUID(int=seeded.getrandbits(128))), one.item_id, rater.rater_id, {}, judgements, "odd-scorer-1")
