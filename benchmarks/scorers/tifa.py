"""TIFA on the playground against the renderer's truth: what its small VQA model answers, and what is so.

    uv run benchmarks/scorers/tifa.py [--scenes 400]

Without options it reads what the scorer saw of the sample's careless drawings, whose scenes are known; with ``--scenes`` it
draws so many others (held-out looks, seeds that no model was trained on) and opens the model. Accuracy: its answer is the true
one, of the questions that have one, by element type and by form, beside always giving the commonest answer. Spearman: TIFA by
its answers against TIFA by the truth, image by image; a question without a true answer counts there as not met.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np
from PIL import Image

from agreement.inference.intervals import CORRECTED, Deletions, Deviations, PromptTrials, interval, share
from agreement.statistics.correlation import Units, spearman
from data.jobs.runs import RunFolder
from data.playground import sample
from data.playground.drawing import CARELESS
from data.playground.render import render
from data.playground.sample import TASKS
from data.playground.scene import true_answers
from data.prompts.questions import PromptQuestion, questions_from_spec
from data.spec import parse_spec
from scorers import registry
from scorers.base import Shown
from scorers.questions.rules import AnsweredQuestion, answers_of
from tools.playground.examples import HELD_OUT_LOOK, held_out_drawing

RATER: Final = "tifa-playground"
_BATCH: Final = 32


@dataclass(frozen=True, slots=True)
class VqaAnswer:
    """One answer beside the truth (None: no choice is right)."""

    question: PromptQuestion
    chosen: str
    true: str | None


@dataclass(frozen=True, slots=True)
class PictureCase:
    """The answers about one picture, of the prompt ``cluster``."""

    cluster: str
    answers: tuple[VqaAnswer, ...]

    def score(self, *, true: bool) -> float:
        """TIFA (formula 1), by the truth or by the model's answers."""
        return float(np.mean([(answer.true if true else answer.chosen) == answer.question.answer for answer in self.answers]))


def of_sample(folder: Path = sample.FOLDER) -> list[PictureCase]:
    """The sample's careless drawings, and what the committed run saw of them."""
    prompts = {prompt.prompt_id: prompt for prompt in sample.read_sample(folder).prompts}
    cases = []
    for seen in RunFolder(folder / "runs" / RATER).observations():
        name, generator, index = seen.item_id.rsplit("/", 2)
        if generator == CARELESS and seen.failed is None:
            scene = sample.careless_drawing(prompts[name], int(index)).scene
            true = {question.question_id: answer for question, answer in true_answers(parse_spec(prompts[name].spec), scene)}
            cases.append(PictureCase(name, _answers_beside_truth(answers_of(seen.payload), true)))
    return cases


def of_scenes(count: int, seed: int = 0) -> list[PictureCase]:
    """New scenes of all of GenEval's tasks, about half of them with a fault, and what the model says of them now."""
    scorer = registry.get("tifa")
    perceiver = scorer.open(registry.settings(scorer, "playground"), "cpu")
    shown, known = [], []
    for number in range(count):
        spec, drawing, _ = held_out_drawing(TASKS[number % len(TASKS)], 10**8 * (seed + 1) + number, HELD_OUT_LOOK)
        image = Image.fromarray(render(drawing.scene).image)
        shown.append(Shown(str(number), image, "", spec, questions_from_spec(spec), 1))
        known.append({question.question_id: answer for question, answer in true_answers(spec, drawing.scene)})
    cases = []
    for start in range(0, count, _BATCH):
        for seen in perceiver.perceive(shown[start : start + _BATCH]):
            cases.append(PictureCase(seen.item_id, _answers_beside_truth(answers_of(seen.payload), known[int(seen.item_id)])))
    return cases


def _answers_beside_truth(answers: Sequence[AnsweredQuestion], true: Mapping[str, str | None]) -> tuple[VqaAnswer, ...]:
    return tuple(VqaAnswer(answer.question, answer.chosen, true[answer.question.question_id]) for answer in answers)


def figures(cases: Sequence[PictureCase]) -> dict[str, Any]:
    """Accuracies and the correlation, each with its n and interval."""
    answers = [(case.cluster, answer) for case in cases for answer in case.answers if answer.true is not None]
    kinds = dict.fromkeys(answer.question.element_type for _, answer in answers)
    groups = {"all": answers}
    groups |= {kind: [pair for pair in answers if pair[1].question.element_type == kind] for kind in kinds}
    groups |= {name: [pair for pair in answers if pair[1].question.is_yes_no == yes_no] for name, yes_no in _FORMS.items()}
    accuracy = {name: _accuracy(some) for name, some in groups.items()}
    return {"images": len(cases), "accuracy": accuracy, "spearman": _spearman(cases)}


_FORMS: Final = {"yes or no": True, "several choices": False}


def _accuracy(answers: Iterable[tuple[str, VqaAnswer]]) -> dict[str, Any]:
    right: dict[str, list[bool]] = {}
    commonest: Counter[tuple[bool, str]] = Counter()
    for cluster, answer in answers:
        right.setdefault(cluster, []).append(answer.chosen == answer.true)
        commonest[answer.question.is_yes_no, str(answer.true)] += 1
    accuracy = share([PromptTrials(sum(some), len(some)) for some in right.values()])
    # one answer for yes/no questions, one for the others
    guessed = sum(max((n for (kind, _), n in commonest.items() if kind == form), default=0) for form in (True, False))
    return {
        "value": accuracy.value,
        "low": accuracy.low,
        "high": accuracy.high,
        "n": accuracy.n,
        "commonest_answer": guessed / accuracy.n if accuracy.n else None,
    }


def _spearman(cases: Sequence[PictureCase]) -> dict[str, Any]:
    names = sorted({case.cluster for case in cases})
    units = Units(np.array([names.index(case.cluster) for case in cases]), len(names))
    x, y = (np.array([case.score(true=true) for case in cases]) for true in (True, False))
    values = spearman(x, y, units, Deletions(wanted=True).weights(len(names)))
    bounds = interval(values[0], Deviations.of(values, len(names)), CORRECTED)
    return {"value": float(values[0]), "low": bounds.low, "high": bounds.high, "n": len(cases)}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="TIFA on the playground against the renderer's truth.")
    parser.add_argument("--scenes", type=int, default=0, help="so many new scenes, instead of the sample's drawings")
    arguments = parser.parse_args()
    print(json.dumps(figures(of_scenes(arguments.scenes) if arguments.scenes else of_sample()), indent=2))


if __name__ == "__main__":
    main()
