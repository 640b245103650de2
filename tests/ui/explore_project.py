"""A project with evidence, and with people's and imitations' answers about some of its images, for the page Explore."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path

import numpy as np

from concord.judging import judge, rule_version_of
from data.jobs.runs import Detection, Observation, Run
from data.records import Annotation, Image, Judgement, Prompt, Rater, image_item
from data.store import imports, runs
from data.store.core.store import Store
from data.store.imports import ImportBundle
from scorers.base import Scorer
from scorers.geneval import scorer
from tests.ui import drawn_images

SUITE, RATER, CLIP = "geneval", drawn_images.RATER, drawn_images.CLIP
SIMULATED = "simulated Zoe"
HOSTILE = "<img src=x onerror=alert(1)>"


def project(path: Path) -> Path:
    """36 pictures of six tasks with the evidence of two scorers; two people and an imitation have judged most of them."""
    made = drawn_images.project(path, each=2, per_prompt=3, size=64)
    with Store(made) as store, store.read() as cursor:
        items = [row[0] for row in cursor.execute("select item_id from items order by item_id").fetchall()]
        answer(store, items)
    return made


def answer(store: Store, items: Sequence[str], seed: int = 0) -> None:
    """Yes or no about two thirds of the images by each, and now and then neither."""
    rng = np.random.default_rng(seed)
    said = [
        _annotation(item, who, None if rng.random() < 0.1 else bool(rng.random() < 0.5))
        for who in ("ann", "ben", SIMULATED)
        for item in items
        if rng.random() < 0.67
    ]
    people = [Rater(who, "human", "person", simulated=who == SIMULATED) for who in ("ann", "ben", SIMULATED)]
    scales = [(SUITE, "correct", "nominal")]
    imports.apply(store, [ImportBundle("answers", str(seed), str(seed), raters=people, scales=scales, annotations=said)])


def _annotation(item: str, who: str, yes: bool | None) -> Annotation:
    label, value = (None, None) if yes is None else ("yes" if yes else "no", float(yes))
    judged = Judgement("correct", label, value, None, "cannot_tell" if yes is None else None)
    fields = {"aspect": "correct", "target": None, "label": label or "cannot_tell", "value": value}
    return Annotation(str(uuid.uuid4()), item, who, "direct", fields, (judged,), "direct-1")


def hostile(store: Store) -> None:
    """A suite, a task, a generator and a rater with names that are attempts at an attack; one image is right, one is not."""
    spec = {"tag": HOSTILE, "include": [{"class": "cow"}], "prompt": HOSTILE}
    prompt = Prompt(f"{HOSTILE}/00000", HOSTILE, HOSTILE, HOSTILE, spec)
    images = [Image(prompt.prompt_id, HOSTILE, k) for k in range(2)]
    items = [image_item(image, prompt) for image in images]
    imports.apply(store, [ImportBundle("images", "h", "h", [prompt], images, items)])
    seen = [Observation(item.item_id, {}, (Detection("cow", 0.5 + 0.3 * k, (0, 0, 9, 9)),)) for k, item in enumerate(items)]
    add_run(store, "0007-hostile", HOSTILE, seen, {item.item_id: spec for item in items})


def add_run(
    store: Store,
    run_id: str,
    rater: str,
    seen: Sequence[Observation],
    specs: Mapping[str, Mapping[str, object]],
    scorer: Scorer = scorer.SCORER,
) -> None:
    """A finished run, whose files are gone."""
    run = Run(run_id, scorer.name, scorer.version, "playground", drawn_images.SETTINGS)
    runs.add_run(store, run, Rater(rater, "scorer", None, scorer.version, run.settings), f"runs/{run_id}", len(seen))
    judged = [
        (observation, judge(scorer, runs.KnownImage(None, specs[observation.item_id]), observation, run.settings))
        for observation in seen
    ]
    runs.ingest(store, run_id, 0, judged, rule_version_of(scorer))
    runs.set_state(store, run_id, "done")


def table(html: str, caption: str) -> dict[str, list[str]]:
    """A table by its lines' names; of each cell the first text, without what stands beneath."""
    match = re.search(rf"<caption>{re.escape(caption)}</caption>(.*?)</table>", html, re.DOTALL)
    assert match, caption
    lines: dict[str, list[str]] = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", match[1], re.DOTALL):
        cells = [
            re.sub(r"(?s)<small.*?</small>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        name, *rest = (unescape(re.sub(r"<[^>]*>", "", cell)) for cell in cells)
        lines[name] = rest
    return lines
