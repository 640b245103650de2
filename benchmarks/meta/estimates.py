"""How often the 95 % intervals of `estimate` hold the truth, and how many labels a scorer saves.

    uv run benchmarks/meta/estimates.py [--studies 500] [--quick] [--tifa PROJECT]

Studies are simulated: images of one prompt are alike, prompts have one to four images of each of two generators, and labels are
drawn image by image, so that a prompt has images with and without one. Scorers are *good* (wrong in 12 %), *poor* (a coin) and
*adverse* (mostly the opposite of what people say). A cell fails if the exact 99 % interval of its coverage leaves .93 to .97
out, or if the interval with a useless scorer is more than 5 % wider than that of labels alone, drawn with equal chances. Where
a corrected rate is refused in many studies, those that are left are no sample of all, and coverage is only printed. ``--tifa``:
a project with TIFA's study, of which 40 labels are drawn and the others hidden. Ends with 1 where a cell fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from agreement.inference.intervals import SHARE
from agreement.meta.corrected_rates import corrected_rate
from agreement.meta.drawing import draw_probabilities, expected_error
from agreement.meta.estimates import EstimateOptions, estimates
from agreement.meta.labelled_sample import LabelledSample, Target
from agreement.meta.prediction_powered import difference, estimate
from agreement.meta.units import read_units
from benchmarks.coverage import LEAST, MOST, exact
from benchmarks.measuring import print_tables, study_options

YES: Final = 0.7
WIDEST: Final = 1.05
_MANY: Final = 0.1
"""A share of refusals above which coverage is printed only."""


@dataclass(frozen=True)
class World:
    """A population of studies: ``prompts`` with images of two generators, and the ``labels`` that are drawn."""

    scorer: str
    prompts: int
    labels: int
    target: Target
    alike: float = 0.3


@dataclass(frozen=True)
class Trial:
    """One study: whether the interval holds the truth, its width and that of labels alone, and labels saved."""

    holds: bool
    width: float
    alone: float
    saved: float


def simulate(world: World, seed: Sequence[int]) -> tuple[Any, Any, Any, Any, Any]:
    """Prompt, generator, truth, verdict and a second verdict of each image."""
    rng = np.random.default_rng(seed)
    images = rng.integers(1, 5, world.prompts)
    prompt = np.tile(np.repeat(np.arange(world.prompts), images), 2)
    generator = np.repeat([0, 1], prompt.size // 2)
    spread = (1 - world.alike) / world.alike
    share = rng.beta(YES * spread, (1 - YES) * spread, world.prompts)
    truth = (rng.random(prompt.size) < share[prompt]).astype(float)

    def verdict() -> Any:
        if world.scorer == "poor":
            return (rng.random(prompt.size) < 0.5).astype(float)
        wrong = rng.random(prompt.size) < {"good": 0.12, "adverse": 0.7}[world.scorer]
        return np.where(wrong, 1 - truth, truth)

    return prompt, generator, truth, verdict(), verdict()


def sample(world: World, prompt: Any, label: Any, verdict: Any, **more: Any) -> LabelledSample:
    """Of all images of a study."""
    return LabelledSample(prompt, world.prompts, label, verdict, np.arange(label.size), label.size, world.target, **more)


def _drawn(rng: np.random.Generator, truth: Any, n: int) -> Any:
    label = np.full(truth.size, np.nan)
    chosen = rng.permutation(truth.size)[:n]
    label[chosen] = truth[chosen]
    return label


def powered(world: World, seed: Sequence[int]) -> Trial | None:
    """A prediction-powered mean."""
    prompt, _, truth, verdict, _ = simulate(world, seed)
    label = _drawn(np.random.default_rng([*seed, 1]), truth, world.labels)
    made = estimate([sample(world, prompt, label, verdict)], SHARE)
    return None if made is None else _trial(made, YES if world.target == "prompts" else float(truth.mean()), made.alone_bounds)


def weighted(world: World, seed: Sequence[int]) -> Trial | None:
    """The same of labels drawn by expected error, beside as many labels drawn with equal chances."""
    prompt, _, truth, verdict, second = simulate(world, seed)
    chance = draw_probabilities(expected_error([verdict, second]), world.labels)
    rng = np.random.default_rng([*seed, 1])
    label = np.where(rng.random(truth.size) < chance, truth, np.nan)
    made = estimate([sample(world, prompt, label, (verdict + second) / 2, probability=chance)], SHARE)
    plain = estimate([sample(world, prompt, _drawn(rng, truth, world.labels), verdict)], SHARE)
    if made is None or plain is None:
        return None
    return _trial(made, YES if world.target == "prompts" else float(truth.mean()), plain.alone_bounds)


def compared(world: World, seed: Sequence[int]) -> Trial | None:
    """A difference of the two generators, which is 0 in the population."""
    prompt, generator, truth, verdict, _ = simulate(world, seed)
    label = _drawn(np.random.default_rng([*seed, 1]), truth, world.labels)
    sides, alone = [], []
    for each in (0, 1):
        mine = generator == each
        unit = np.flatnonzero(mine)
        part = LabelledSample(prompt[mine], world.prompts, label[mine], verdict[mine], unit, truth.size, world.target)
        sides.append(estimate([part], SHARE))
        alone.append(estimate([replace(part, verdict=np.full(unit.size, 0.5))], SHARE))
    if sides[0] is None or sides[1] is None or alone[0] is None or alone[1] is None:
        return None
    many = "prompts" if world.target == "prompts" else "labels"
    true = 0.0 if world.target == "prompts" else float(truth[generator == 0].mean() - truth[generator == 1].mean())
    (_, bounds), (_, plain) = difference(sides[0], sides[1], many), difference(alone[0], alone[1], many)
    if bounds.low is None or bounds.high is None or plain.low is None or plain.high is None:
        return None
    return Trial(bounds.low <= true <= bounds.high, bounds.high - bounds.low, plain.high - plain.low, float("nan"))


def corrected(world: World, seed: Sequence[int]) -> Trial | None:
    """A corrected rate; None where it is refused."""
    prompt, _, truth, verdict, _ = simulate(world, seed)
    label = _drawn(np.random.default_rng([*seed, 1]), truth, world.labels)
    labelled_sample = sample(world, prompt, label, verdict)
    made, plain = corrected_rate(labelled_sample), estimate([labelled_sample], SHARE)
    true = YES if world.target == "prompts" else float(truth.mean())
    if plain is None:
        return None
    trial = _trial(made, true, plain.alone_bounds)
    return None if trial is None else replace(trial, saved=float("nan"))


def _trial(made: Any, true: float, alone: Any) -> Trial | None:
    bounds = made.bounds
    if bounds.low is None or alone.low is None:
        return None
    widths = bounds.high - bounds.low, alone.high - alone.low
    return Trial(bounds.low <= true <= bounds.high, *widths, getattr(made, "saved", None) or 0.0)


KINDS: Final[dict[str, Callable[[World, Sequence[int]], Trial | None]]] = {
    "estimate": powered,
    "difference": compared,
    "weighted draw": weighted,
    "corrected rate": corrected,
}
SIZES: Final = ((60, 60), (250, 60), (250, 200))


def table(studies: int, pool: ProcessPoolExecutor, sizes: Sequence[tuple[int, int]] = SIZES) -> Iterator[str]:
    """A line a cell; those that fail say why."""
    for kind, run in KINDS.items():
        for target in ("prompts", "these"):
            for scorer in ("good", "poor", "adverse"):
                for prompts, labels in sizes:
                    world = World(scorer, prompts, labels, target)
                    seeds = [[prompts, labels, k] for k in range(studies)]
                    yield line(kind, world, list(pool.map(partial(run, world), seeds, chunksize=25)))


def line(kind: str, world: World, trials: Sequence[Trial | None]) -> str:
    """Coverage of a cell, widths, labels saved, and what is wrong with it."""
    made = [trial for trial in trials if trial is not None]
    about = f"{kind} | {world.target} | {world.scorer} | {world.prompts} | {world.labels}"
    if not made:
        return f"| {about} | all refused | | | |"
    holds, none = sum(trial.holds for trial in made), 1 - len(made) / len(trials)
    width, alone = (float(np.mean([getattr(trial, name) for trial in made])) for name in ("width", "alone"))
    low, high = exact(holds, len(made))
    notes = [f"coverage {low:.3f} to {high:.3f}"] if none <= _MANY and (high < LEAST or low > MOST) else []
    if world.scorer != "good" and kind in ("estimate", "weighted draw") and width / alone > WIDEST:
        notes.append(f"{width / alone:.3f} times as wide as labels alone")
    saved = float(np.mean([trial.saved for trial in made]))
    shown = f"{holds / len(made):.3f}" + (f" ({none:.0%} refused)" if none else "")
    failing = f"FAILS {', '.join(notes)}" if notes else ""
    return f"| {about} | {shown} | {width / alone:.3f} | {'' if np.isnan(saved) else f'{saved:.0f}'} | {failing} |"


def tifa(project: Path, draws: int) -> Iterator[str]:
    """TIFA's study: of ``draws`` trials of 40 labels, how many hold people's full mean; by metric."""
    from concord.agreement import scales_of
    from data.selection import Selection
    from data.store.core import frame
    from data.store.core.store import Store

    with Store(project) as store:
        judgements, scales = frame.frame(store, Selection()), scales_of(store)
    (units,) = (each for each in read_units(judgements, scales) if each.aspect == "faithfulness")
    whole = replace(units, generator=np.full(units.size, -1), task=np.full(units.size, -1))
    by_scorer: dict[str, list[Any]] = {}
    for seed in range(draws):
        for row in estimates(whole, (), EstimateOptions(target="these", label_sample=40, seed=seed)):
            by_scorer.setdefault(row.scorer or "", []).append(row)
    for name, rows in by_scorer.items():
        known = units.scorers[name].value
        r = float(np.corrcoef(known, units.mean)[0, 1])
        holds = sum(row.low <= row.full_mean <= row.high for row in rows)
        width, alone = (float(np.mean([b - a for a, b in ends])) for ends in (
            [(row.low, row.high) for row in rows], [(row.labels_low, row.labels_high) for row in rows]))  # fmt: skip
        low, high = exact(holds, len(rows))
        notes = [f"coverage {low:.3f} to {high:.3f}"] if high < LEAST or low > MOST else []
        notes += ["wider than labels alone"] if r > 0.5 and width >= alone else []
        saved = float(np.mean([row.labels_saved or 0.0 for row in rows]))
        failing = f"FAILS {', '.join(notes)}" if notes else ""
        yield f"| {name} | {r:.2f} | {holds / len(rows):.3f} | {width:.3f} | {alone:.3f} | {saved:.1f} | {failing} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = study_options("Coverage of estimates by people's standard, and labels saved.", "few studies")
    parser.add_argument("--tifa", type=Path, help="a project with TIFA's study")
    options = parser.parse_args(arguments)
    studies = 20 if options.quick else options.studies
    heads = ["method", "about", "scorer", "prompts", "labels", "coverage", "width beside labels alone", "labels saved", ""]
    with ProcessPoolExecutor(2) as pool:
        parts = [(f"Simulated, {studies} studies a cell", heads, table(studies, pool, SIZES[:1] if options.quick else SIZES))]
        if options.tifa is not None:
            names = ["metric", "correlation", "coverage", "mean width", "of labels alone", "labels saved", ""]
            parts.append((f"TIFA, 40 of 800 labels, {studies} draws", names, tifa(options.tifa, studies)))
        return print_tables(parts, quick=options.quick)


if __name__ == "__main__":
    sys.exit(main())
