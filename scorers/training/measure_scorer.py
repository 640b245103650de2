"""How right a scorer is on the playground, as JSON: ``python -m scorers.training.measure_scorer geneval`` (or ``visor``).

Scenes of the careless renderer whose truth is known, with seeds, grounds and object-colour pairs that no model was trained on;
the verdict ``correct`` of the profile ``playground`` is held against the truth. ``visor`` looks at neither numbers nor colours,
so it is asked for the other tasks only.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import Final

from PIL import Image

from data.playground.drawing import HELD_OUT_LOOK, DrawnScene, draw_carelessly
from data.playground.render import render
from data.playground.sample import TASKS, random_metadata
from data.prompts.spec import Spec, parse_spec
from scorers import registry
from scorers.base import Perceiver, Scorer, Settings, Shown
from scorers.training.scenes import seeded

_BATCH: Final = 32
_ASKED: Final = {"geneval": TASKS, "visor": ("single_object", "two_object", "position")}
"""The tasks that a scorer says ``correct`` of."""


@dataclass(frozen=True, slots=True)
class Case:
    """A drawn scene with its task, and whether the scorer called it correct."""

    task: str
    spec: Spec
    drawing: DrawnScene
    said: bool
    reason: str

    @property
    def right(self) -> bool:
        return self.said == self.drawing.correct


def cases(scorer: Scorer, per_task: int, settings: Settings, seed: int = 0) -> list[Case]:
    """``per_task`` scenes of each of the scorer's tasks, about half of them with a fault, and what it says."""
    tasks = _ASKED[scorer.name]
    perceiver = scorer.open(settings, "cpu")
    drawn: list[tuple[str, Spec, DrawnScene]] = []
    for number in range(per_task * len(tasks)):
        task = tasks[number % len(tasks)]
        rng = seeded("held-out", 10**7 * (seed + 1) + number)
        spec = parse_spec(random_metadata(task, rng, HELD_OUT_LOOK))
        drawn.append((task, spec, draw_carelessly(spec, int(rng.integers(2**62)), look=HELD_OUT_LOOK)))
    found: list[Case] = []
    for start in range(0, len(drawn), _BATCH):
        found += _judged(scorer, perceiver, settings, drawn[start : start + _BATCH])
    return found


def _judged(scorer: Scorer, perceiver: Perceiver, settings: Settings, drawn: list[tuple[str, Spec, DrawnScene]]) -> list[Case]:
    shown = [
        Shown(str(number), Image.fromarray(render(drawing.scene).image), "", spec)
        for number, (_, spec, drawing) in enumerate(drawn)
    ]
    found = []
    for (task, spec, drawing), seen in zip(drawn, perceiver.perceive(shown), strict=True):
        verdict = scorer.judge(spec, seen, settings)
        assert verdict.correct is not None, (task, verdict)
        found.append(Case(task, spec, drawing, verdict.correct, verdict.reason))
    return found


def figures(found: list[Case]) -> dict[str, float]:
    """Shares of right verdicts: by task, of sound scenes, and of broken ones by fault."""

    def share(some: list[Case]) -> float:
        return round(sum(case.right for case in some) / len(some), 4)

    tasks = dict.fromkeys(case.task for case in found)
    shares = {f"task {task}": share([case for case in found if case.task == task]) for task in tasks}
    shares["sound"] = share([case for case in found if case.drawing.correct])
    shares["broken"] = share([case for case in found if not case.drawing.correct])
    for fault in sorted({case.drawing.fault for case in found if case.drawing.fault is not None}):
        shares[f"fault {fault}"] = share([case for case in found if case.drawing.fault == fault])
    return {"scenes": len(found), **shares}


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Measure geneval's verdicts on careless scenes.")
    parser.add_argument("scorer", choices=[*_ASKED])
    parser.add_argument("--per-task", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    overrides = dict(one.split("=", 1) for one in given.set)
    scorer = registry.get(given.scorer)
    settings = registry.settings(scorer, "playground", overrides)
    found = cases(scorer, given.per_task, settings, given.seed)
    print(json.dumps(figures(found), indent=2))
    for case in found:
        if not case.right:
            print(f"{case.task}, {case.drawing.fault or 'sound'}: {case.reason or 'called correct'}")


if __name__ == "__main__":
    main()
