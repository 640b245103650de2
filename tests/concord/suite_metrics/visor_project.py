"""A project of SR2D's prompts with random verdicts by a scorer, and answers by a seeded imitation of three people; and the
evidence files from which `judge visor --summary` makes the same scores.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.questionnaires.form import FormItem
from annotation.questionnaires.visor import FORM
from data.aspects import SCALES
from data.formats.evidence import read_case
from data.prompts import sr2d_suite
from data.spec import RELATION_PHRASES
from scorers.visor.rules import judge
from tests.ui.small_project import concord, done

HEADER = ["suite", "prompt", "task", "generator", "item", "rater", "kind", "identity"]
HEADER += ["aspect", "target", "scale", "value", "seq"]
ASPECT = HEADER.index("aspect")
GENERATORS = ("alpha", "beta")
SCORER = "detector"


@dataclass(frozen=True)
class VisorProject:
    """The project, and the evidence of the scorer and that of what most people see."""

    folder: Path
    scorer: Path
    people: Path

    def summary(self, evidence: Path) -> dict[str, Any]:
        """Return what `judge visor --summary` prints of an evidence file."""
        ran = concord_without_project("judge", "visor", "--evidence", evidence, "--summary")
        summary: dict[str, Any] = json.loads(ran)
        return summary


def concord_without_project(*words: object) -> str:
    """Return what a command without a project prints; it must succeed."""
    from typer.testing import CliRunner

    import app

    ran = CliRunner().invoke(app.app, [*map(str, words)])
    assert ran.exit_code == 0, ran.stderr
    return ran.stdout


def make(folder: Path, prompts: int, per_prompt: int = 4, seed: int = 0, *, whole_study: bool = False) -> VisorProject:
    """Make a project of so many prompts, most of them equivalent to another, for each of two generators.

    ``whole_study``: with people's answers to all seven questions, not only those that metrics are made of.
    """
    aspects = {"present", "position", "correct", *(("quality", "scene", "count", "merged") if whole_study else ())}
    rng = random.Random(seed)
    # the even lines of a pair of objects, and the odd ones, which name them the other way round: 0 and 3 ask the same
    starts = rng.sample(range(0, sr2d_suite.SIZE - 80, 10), prompts // 2)
    numbers = [start + line for start in starts for line in rng.choice([(0, 3), (1, 2), (4, 7), (5, 6), (0, 4), (6, 2)])]
    lines = [
        {"prompt_id": each.prompt_id, "prompt": each.text, "task": each.task, "spec": each.spec}
        for each in map(sr2d_suite.numbered_prompt, numbers)
    ]
    (folder / "prompts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    by_scorer, by_people, rows = [], [], []
    for number in numbers:
        for generator in GENERATORS:
            for k in range(per_prompt):
                easy = 0.75 if generator == "alpha" else 0.45
                mine, theirs = (_image(rng, number, generator, k, easy) for _ in range(2))
                by_scorer.append(mine)
                by_people.append(theirs)
                rows += [*_scored(mine), *(row for row in _answered(rng, theirs) if row[ASPECT] in aspects)]
    for name, images in (("scorer", by_scorer), ("people", by_people)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(image) + "\n" for image in images))
    project = folder / "project"
    done(project, "import", "prompts", folder / "prompts.jsonl", "--suite", "sr2d")
    with (folder / "ratings.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    assert concord(project, "import", "ratings", folder / "ratings.csv").status == 0
    return VisorProject(project, folder / "scorer.jsonl", folder / "people.jsonl")


def _image(rng: random.Random, number: int, generator: str, k: int, easy: float) -> dict[str, Any]:
    spec = sr2d_suite.numbered_prompt(number).spec
    seen = []
    for name in (spec["a"], spec["b"]):
        if rng.random() < easy:
            x, y = rng.randint(0, 4), rng.randint(0, 4)
            seen.append({"label": name, "score": 0.9, "box": [x, y, x + 2, y + 2]})
    line = {"id": f"{generator}/{number}/{k}", "prompt_id": number, "generator": generator, "spec": spec}
    return {**line, "detections": seen}


def _place(image: dict[str, Any]) -> list[Any]:
    prompt = sr2d_suite.numbered_prompt(image["prompt_id"])
    return ["sr2d", prompt.prompt_id, prompt.task, image["generator"], image["id"]]


def _scored(image: dict[str, Any]) -> Iterator[list[Any]]:
    case = read_case(image)
    for each in judge(case.spec, case.seen, {}).judgements:
        yield [*_place(image), SCORER, "scorer", "", each.aspect, each.target or "", SCALES[each.aspect], each.label, 0]


def _answered(rng: random.Random, image: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the judgements of three people: two see what the evidence shows, one answers at random."""
    case = read_case(image)
    verdict = judge(case.spec, case.seen, {})
    truth = [verdict.found[thing.name] > 0 for thing in case.spec.objects]
    (relation,) = verdict.relations
    odd = rng.randrange(3)
    for person in range(3):
        there = truth if person != odd else [rng.random() < 0.5 for _ in truth]
        others = [name for name in RELATION_PHRASES if name != case.spec.relations[0].relation]
        holds = bool(relation.holds) if person != odd else rng.random() < 0.5
        answers: dict[str, Any] = {"quality": 3, "scene": 2, "objects": 2}
        answers |= {f"present_{key}": "yes" if here else "no" for key, here in zip("ab", there, strict=True)}
        if all(there):
            answers |= {"relations": [case.spec.relations[0].relation if holds else others[0]], "merged": "distinct"}
        for each in FORM.derive(FormItem("", image["spec"]), answers):
            who = [f"person {person}", "human", "person"]
            yield [*_place(image), *who, each.aspect, each.target or "", SCALES[each.aspect], each.label, 0]
