"""How often 95 % intervals hold the truth, and how often tests find a difference where there is none.

    uv run benchmarks/coverage.py [--studies 500] [--quick] [--processes 2] [--table fresh --table equivalence ...]

Studies are simulated: images of one prompt are alike, persons err, scorers err. The truth of a statistic is its value on
TRUTH prompts. *Ordinary* cells have a truth from .2 to .9, at least 30 images, and at least 10 prompts, or as many more
as a population needs for enough of them to hold its rarer labels (`least`): there each interval must be two-sided, its coverage
must fit .93 to .97, and its mean width must be at most 1.3 times that of the estimator's own central 95 %. All other
cells are judged, too: they may have a wider interval, or none, and at most .07 of the studies may have an interval that does
not hold the truth. Persons as a sample: coverage must fit .93 to .97 from five persons on; with three, as in the other cells.

Tests may find a difference where there is none in at most .07 of the studies, and their power against a real one stands beside.
Of comparisons of two scorers, or of two generators, p < .05 and an interval that leaves 0 out may be at odds in at most .1.
Everything as far as the exact 99 % interval of the simulation tells; each table says how small a failure that sees. *Fresh*
populations have other shapes and seeds than those on which rules and constants were chosen. Worlds in MISSED are known to be
beyond what is assumed: their cells print how far off they are, and do not fail. Ends with 1 where another cell fails.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
import pandas as pd
from scipy import stats

from agreement import Comparison, Options, build, comparisons
from agreement.catalogue import OF_SCORES
from agreement.generators import compare_generators
from agreement.meta.rater_effects import rater_effects
from agreement.meta.units import read_units
from agreement.report.leave_one_out import LEAST_PERSONS
from benchmarks.measuring import print_tables, study_options

SCALES: Final = {("s", "correct"): "nominal", ("s", "faithfulness"): "ordinal:1-5", ("s", "score"): "interval"}
TRUTH: Final = 20_000
LEAST_PROMPTS, LEAST_IMAGES, NEVER = 10, 30, 1_000_000
LEAST, MOST, WIDEST, LARGEST_ERROR, MOST_AT_ODDS = 0.93, 0.97, 1.3, 0.07, 0.1
_FLIPS_TELL: Final = 6
"""From so many prompts on p can be below .05."""
AMONG: Final = (
    "percent_agreement",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha_nominal",
    "gwet_ac2",
    "krippendorff_alpha_ordinal",
)
AGAINST: Final = (
    "percent_agreement",
    "cohen_kappa",
    "gwet_ac1",
    "cohen_kappa_quadratic",
    "krippendorff_alpha_ordinal",
    "spearman",
    "pearson",
    "auc",
)
_PLAIN: Final = Options(statistics=tuple(dict.fromkeys(AMONG + AGAINST)), each_generator=False, matrix=False)


@dataclass(frozen=True)
class Population:
    """A population of studies.

    Attributes:
        prompts, images: how many, and how many images of each.
        persons: their error rates; as many persons.
        scorers: error rates of scorers of labels; each has a score as well, noisier the more it errs.
        yes: how common yes is.
        alike: how alike the images of a prompt are, 0 to 1 (intraclass correlation of what is true, and of who errs).
        ordinal: five levels instead of yes and no; `skewed`: most are the lowest; `pairs`: two tight pairs of levels.
        strong: how much stronger than images prompts are, on these latent scales.
        drawn: whether persons are drawn from `persons` anew in each study: so many.
        least: from so many prompts on it is ordinary: with fewer too few hold a rare label, a rare level or a disagreement, or
            images are too much alike to tell more than their prompts; NEVER where even 100 prompts are too few.
        shift: standard deviation by which each prompt moves each scorer's score.
        unlike: whether the first scorer errs a little everywhere, and the second on all images of few prompts.
    """

    prompts: int
    images: int = 4
    persons: tuple[float, ...] = (0.12, 0.12, 0.12)
    scorers: tuple[float, ...] = (0.2,)
    yes: float = 0.5
    alike: float = 0.3
    ordinal: str = ""
    strong: float = 1.0
    drawn: int = 0
    least: int = LEAST_PROMPTS
    shift: float = 0.0
    unlike: bool = False


def simulate(study: Population, seed: Sequence[int]) -> pd.DataFrame:
    """The long frame of one study."""
    rng = np.random.default_rng(seed)
    n = study.prompts * study.images
    prompt = np.repeat(np.arange(study.prompts), study.images)
    truth = _clustered(rng, study, study.yes)
    latent = rng.normal(size=study.prompts)[prompt] * study.strong + rng.normal(size=n) if study.ordinal in _LATENT else truth
    rates = rng.choice(study.persons, study.drawn) if study.drawn else np.array(study.persons)
    columns: list[dict[str, Any]] = []

    def add(rater: str, kind: str, aspect: str, label: Any, number: Any) -> None:
        columns.append({"rater": rater, "kind": kind, "aspect": aspect, "label": label, "number": number, "item": np.arange(n)})

    for k, rate in enumerate(rates):
        _rate(add, f"p{k}", "human", study, latent, rng.random(n) < rate, rng)
    for name, rate in zip("ab", study.scorers, strict=False):
        errors_alike = replace(study, alike=0.02 if name == "a" else 0.9) if study.unlike else study
        _rate(add, name, "scorer", study, latent, _clustered(rng, errors_alike, rate), rng)
        moved = study.shift * rng.normal(size=study.prompts)[prompt] if study.shift else 0.0
        add(f"{name}'s score", "scorer", "score", None, latent + rng.normal(size=n) * (0.3 + 3 * rate) + moved)
    made = pd.concat([pd.DataFrame(each) for each in columns], ignore_index=True)
    made["prompt"] = "p" + pd.Series(prompt[made["item"]]).astype(str)
    made["item"] = "i" + made["item"].astype(str)
    return made.assign(
        suite="s", task="t", generator="g", identity="person", simulated=False, target=None, excluded=None, seq=0
    )


def _skewed(latent: Any, rng: np.random.Generator) -> Any:
    """Most images have the lowest of five levels."""
    return np.searchsorted([0.5, 1.2, 1.9, 2.6], latent + 0.8 * rng.normal(size=latent.size))


def _pairs(latent: Any, rng: np.random.Generator) -> Any:
    """Draw each image's pair of levels from its truth, and the level within the pair by chance."""
    return np.where(latent + 0.6 * rng.normal(size=latent.size) > 0, 3, 0) + rng.integers(0, 2, latent.size)


_LATENT: Final[Mapping[str, Callable[..., Any]]] = {"skewed": _skewed, "pairs": _pairs}


def _clustered(rng: np.random.Generator, study: Population, share: float) -> Any:
    """Yes or no of each image, a `share` of them yes, alike within prompts (beta-binomial)."""
    spread = (1 - study.alike) / study.alike
    each = rng.beta(share * spread, (1 - share) * spread, study.prompts)
    return rng.random(study.prompts * study.images) < np.repeat(each, study.images)


def _rate(
    add: Callable[..., None], rater: str, kind: str, study: Population, truth: Any, errs: Any, rng: np.random.Generator
) -> None:
    if not study.ordinal:
        says = truth ^ errs
        add(rater, kind, "correct", np.where(says, "yes", "no"), says.astype(float))
        return
    if study.ordinal in _LATENT:
        level = 1 + _LATENT[study.ordinal](truth, rng)
        add(rater, kind, "faithfulness", level.astype(str), level.astype(float))
        return
    level = np.clip(
        np.where(truth, 4, 2) + np.where(errs, rng.integers(-2, 3, truth.size), rng.integers(0, 2, truth.size)), 1, 5
    )
    add(rater, kind, "faithfulness", level.astype(str), level.astype(float))


def estimates(
    study: Population, options: Options, seed: Sequence[int]
) -> dict[str, tuple[float | None, float | None, float | None]]:
    """Value and interval of each statistic of all images."""
    report = build(simulate(study, seed), SCALES, options)
    intervals = {}
    for row in (*report.among_people, *report.raters):
        if row.task == "all" and row.rater in ("", "a", "a's score") and row.aspect != "score":
            who = {"": "people", "a": "scorer"}.get(row.rater, "score")
            if row.statistic in (AMONG if who == "people" else AGAINST):
                intervals[f"{who}: {row.statistic}"] = row.value, row.low, row.high
    return intervals


@dataclass(frozen=True)
class CoverageCell:
    """One statistic of one population: `note` says why it fails; nothing if it does not."""

    coverage: float
    none: float
    width: float
    note: str


def coverage(truth: float, estimates: Sequence[tuple[Any, Any, Any]], ordinary: bool) -> CoverageCell:
    """How often the intervals hold the truth, how many have none, and how wide they are beside the estimator's own spread."""
    made = [(low, high) for value, low, high in estimates if value is not None and low is not None]
    hits = sum(low <= truth <= high for low, high in made)
    values = np.array([value for value, _, _ in estimates if value is not None])
    own = _central(values) if values.size else 0.0
    mean = float(np.mean([high - low for low, high in made])) if made else float("nan")
    none, notes = 1 - len(made) / len(estimates), []
    if ordinary:
        if made:
            low, high = exact(hits, len(made))
            notes += [f"coverage {low:.3f} to {high:.3f}"] if high < LEAST or low > MOST else []
        notes += [f"{none:.1%} without"] if exact(len(estimates) - len(made), len(estimates))[0] > 0.01 else []
        # of few studies the estimator's own spread is not known
        notes += [f"{mean / own:.2f} times as wide"] if len(estimates) >= 200 and mean > WIDEST * _most_central(values) else []
    elif (least := exact(len(made) - hits, len(estimates))[0]) > LARGEST_ERROR:
        notes += [f"misses in at least {least:.3f}"]
    return CoverageCell(hits / len(made) if made else float("nan"), none, mean / own if own else float("nan"), ", ".join(notes))


def _central(values: Any) -> Any:
    """The width of the central 95 % of values, of the last axis."""
    return np.subtract(*np.quantile(values, [0.975, 0.025], axis=-1))


def _most_central(values: Any) -> float:
    """The upper end of the 99 % bootstrap interval of `_central`."""
    drawn = np.random.default_rng(0).integers(0, values.size, (400, values.size))
    return float(np.quantile(_central(values[drawn]), 0.995))


def exact(hits: int, n: int) -> tuple[float, float]:
    """Clopper and Pearson's 99 % interval."""
    interval = stats.binomtest(hits, n).proportion_ci(0.99, "exact")
    return float(interval.low), float(interval.high)


POPULATIONS: Final[Mapping[str, Population]] = {
    "ordinary": Population(0),
    "unequal": Population(0, yes=0.75, persons=(0.05, 0.1, 0.2), scorers=(0.25,)),
    "one image": Population(0, images=1, alike=0.3),
    "one image, two persons": Population(0, images=1, persons=(0.05, 0.05), least=100),
    "one image, near chance": Population(0, images=1, persons=(0.4,) * 4, scorers=(0.35,)),
    "one image, yes .88": Population(0, images=1, yes=0.88, persons=(0.08,) * 3, scorers=(0.1,), least=100),
    "yes .88": Population(0, yes=0.88, persons=(0.08,) * 3, scorers=(0.1,), least=30),
    "five levels": Population(0, ordinal="five"),
    "skewed levels": Population(0, ordinal="skewed", persons=(0.0,) * 4, least=30),
    "skewed levels, strong prompts": Population(0, ordinal="skewed", persons=(0.0,) * 4, strong=2.0, least=30),
    "two pairs of levels": Population(0, ordinal="pairs", persons=(0.0,) * 4),
    "two pairs of levels, strong prompts": Population(0, ordinal="pairs", persons=(0.0,) * 4, strong=2.0, least=30),
    "rare label": Population(0, yes=0.95, persons=(0.02,) * 3, scorers=(0.03,), least=NEVER),
    "agreement .98": Population(0, persons=(0.01,) * 3, scorers=(0.03,), least=NEVER),
}


FRESH: Final[Mapping[str, Population]] = {
    "two images, five persons": Population(0, images=2, yes=0.4, persons=(0.2,) * 5, scorers=(0.1,), least=30),
    "six images, very alike, yes .65": Population(
        0, images=6, yes=0.65, alike=0.6, persons=(0.05, 0.1, 0.15, 0.25), scorers=(0.3,), least=30
    ),
    "one of five guesses": Population(0, images=3, persons=(0.02, 0.02, 0.04, 0.05, 0.4), scorers=(0.15,), least=30),
    "skewed levels, three images": Population(0, images=3, ordinal="skewed", persons=(0.0,) * 3, strong=0.5, least=30),
}
"""Rules and constants were not chosen on these."""


def intervals(
    sizes: Sequence[int],
    studies: int,
    pool: ProcessPoolExecutor,
    known: int = TRUTH,
    populations: Mapping[str, Population] = POPULATIONS,
    seed: int = 1,
) -> Iterable[str]:
    """The table of coverage, a line a statistic; those that fail say why. `known`: so many prompts have the truth."""
    for name, population in populations.items():
        truth = estimates(replace(population, prompts=known), replace(_PLAIN, intervals=False), [0])
        cells: dict[str, dict[int, CoverageCell]] = {}
        for size in sizes:
            run = partial(estimates, replace(population, prompts=size), _PLAIN)
            made = list(pool.map(run, [[seed, size, k] for k in range(studies)], chunksize=10))
            for key, (true, _, _) in truth.items():
                common = size >= population.least and 0.2 <= float(true or 0) <= 0.9
                ordinary = common and size * population.images >= LEAST_IMAGES
                estimates_of_key = [each.get(key, (None, None, None)) for each in made]
                cells.setdefault(key, {})[size] = coverage(float(true or 0), estimates_of_key, ordinary)
        for key, by_size in cells.items():
            shown = " | ".join(f"{c.coverage:.3f} ({c.width:.2f}x, {c.none:.0%} none)" for c in by_size.values())
            failed = "; ".join(f"{size}: {c.note}" for size, c in by_size.items() if c.note)
            yield f"| {name} | {key} | {truth[key][0]:.3f} | {shown} | {f'FAILS {failed}' if failed else ''} |"


@dataclass(frozen=True)
class Panel:
    """Persons of a population who all rate one image of each prompt: standard deviations of what makes ratings vary."""

    image: float
    person: float
    residual: float
    skewed: bool = False
    """True if few persons are far off and most alike (exponential) instead of normal."""

    @property
    def truths(self) -> dict[str, float]:
        """What the statistics estimate."""
        image, person, residual = (value**2 for value in (self.image, self.person, self.residual))
        alike = image / (image + person + residual)
        return {"icc_2": alike, "dependability": alike, "variance_person": person}


PANELS: Final[Mapping[str, Panel]] = {"noisy": Panel(1.0, 0.7, 1.0), "exact": Panel(1.0, 0.7, 0.3)}
SKEWED_PANELS: Final[Mapping[str, Panel]] = {"noisy, skewed": Panel(1.0, 0.7, 1.0, True)}
MISSED: Final = (*SKEWED_PANELS, "beside other people, 8, skewed")
"""Persons who do not differ normally are beyond what intervals and verdicts about other people assume."""
_NUMBERS: Final = {("s", "realism"): "interval"}


def panel_estimates(panel: Panel, persons: int, prompts: int, seed: Sequence[int]) -> dict[str, tuple[Any, Any, Any]]:
    """Value and interval of each statistic that speaks of other people."""
    rng = np.random.default_rng(seed)
    parts = (panel.image, (prompts, 1)), (panel.residual, (prompts, persons))
    ratings = sum(sd * rng.normal(size=shape) for sd, shape in parts)
    ratings += panel.person * (rng.exponential(size=(1, persons)) - 1 if panel.skewed else rng.normal(size=(1, persons)))
    item, rater = (code.ravel() for code in np.indices((prompts, persons)))
    frame = pd.DataFrame({"item": item, "rater": rater, "number": np.ravel(ratings)})
    frame["item"], frame["rater"] = "i" + frame["item"].astype(str), "p" + frame["rater"].astype(str)
    frame = frame.assign(prompt=frame["item"], aspect="realism", target=None, label=None, excluded=None, seq=0)
    frame = frame.assign(suite="s", task="t", generator="g", kind="human", identity="person", simulated=False)
    rows = build(frame, _NUMBERS, Options(("icc_2",), each_generator=False, matrix=False)).among_people
    made = {row.statistic: (row.value, row.low, row.high) for row in rows if row.task == "all"}
    for row in rater_effects(next(iter(read_units(frame, _NUMBERS))), ratings=(1,)):
        made[row.statistic] = row.value, row.low, row.high
    return {name: made[name] for name in panel.truths}


def persons_as_sample(
    sizes: Sequence[int], studies: int, pool: ProcessPoolExecutor, panels: Mapping[str, Panel] = PANELS
) -> Iterable[str]:
    """The table of coverage with persons as a sample, a line a statistic and number of persons."""
    for name, panel in panels.items():
        for persons in (3, 5, 10):
            cells: dict[str, dict[int, CoverageCell]] = {}
            for size in sizes:
                run = partial(panel_estimates, panel, persons, size)
                made = list(pool.map(run, [[3, size, persons, k] for k in range(studies)], chunksize=10))
                for key, truth in panel.truths.items():
                    cell = coverage(truth, [each[key] for each in made], ordinary=False)
                    held = exact(round(cell.coverage * studies * (1 - cell.none)), round(studies * (1 - cell.none)) or 1)
                    if persons >= LEAST_PERSONS and not cell.note and (held[1] < LEAST or held[0] > MOST):
                        cell = replace(cell, note=f"coverage {held[0]:.3f} to {held[1]:.3f}")
                    cells.setdefault(key, {})[size] = cell
            for key, by_size in cells.items():
                shown = " | ".join(f"{c.coverage:.3f} ({c.width:.2f}x, {c.none:.0%} none)" for c in by_size.values())
                failed = "; ".join(f"{size}: {c.note}" for size, c in by_size.items() if c.note)
                note = _note(name, failed)
                yield f"| {name}, {persons} persons | {key} | {panel.truths[key]:.3f} | {shown} | {note} |"


def _note(world: str, failed: str) -> str:
    """Why a line fails, or how far off it is where that is known."""
    return f"{'misses' if world in MISSED else 'FAILS'} {failed}" if failed else ""


@dataclass(frozen=True)
class Tested:
    """p of no difference, and whether the difference's interval leaves 0 out; None where there is none."""

    p: float | None
    apart: bool | None

    @classmethod
    def of(cls, p: float | None, low: float | None, high: float | None) -> Tested:
        return cls(p, None if low is None or high is None else low > 0 or high < 0)

    @property
    def at_odds(self) -> bool:
        return self.p is not None and self.apart is not None and (self.p < 0.05) != self.apart


def compared(study: Population, statistics: tuple[str, ...], seed: Sequence[int]) -> dict[str, Tested]:
    """The two scorers compared, by statistic; by their scores where that is what a statistic takes."""
    rows = comparisons(simulate(study, seed), SCALES, replace(_PLAIN, statistics=statistics))
    by_score = {each.statistic: each.a.endswith("'s score") for each in rows}
    return {
        each.statistic: Tested.of(each.p, each.low, each.high)
        for each in rows
        if each.task == "all" and _same_kind(each, scores=by_score[each.statistic])
    }


def _same_kind(row: Comparison, *, scores: bool) -> bool:
    return {row.a, row.b} == ({"a's score", "b's score"} if scores or row.statistic in OF_SCORES else {"a", "b"})


def generators_compared(study: Population, statistics: tuple[str, ...], seed: Sequence[int]) -> dict[str, Tested]:
    """Means of two generators on the same prompts, the first one better by how much the scorers' rates are apart."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(study.prompts, 1, 1))
    own = np.array([study.scorers[1] - study.scorers[0], 0.0]).reshape(1, 2, 1) * 2 + 0.7 * rng.normal(
        size=(study.prompts, 2, 1)
    )
    ratings = shared + own + rng.normal(size=(study.prompts, 2, study.images))
    prompt, generator, _ = (code.ravel() for code in np.indices(ratings.shape))
    columns = {"prompt": prompt, "generator": np.array(["x", "y"])[generator], "item": np.arange(ratings.size)}
    table = pd.DataFrame(columns | {"value": ratings.ravel()})
    (made,) = compare_generators(table)
    return dict.fromkeys(statistics, Tested.of(made.p, made.low, made.high))


def beside(study: Population, statistics: tuple[str, ...], seed: Sequence[int]) -> dict[str, Tested]:
    """The first scorer beside people, by statistic; beside others where persons are drawn."""
    report = build(simulate(study, seed), SCALES, replace(_PLAIN, statistics=statistics, ceiling=True)).raters
    # a verdict needs both, p with one contrary prompt more, so they are not to agree
    return {
        row.statistic: Tested(row.ceiling.verdict.others_p if study.drawn else row.ceiling.verdict.p, None)
        for row in report
        if row.rater == "a" and row.task == "all" and row.ceiling
    }


def equivalent(study: Population, statistics: tuple[str, ...], seed: Sequence[int]) -> dict[str, Tested]:
    """The first scorer beside people: p of being the margin apart, corrected over the one scorer."""
    report = build(simulate(study, seed), SCALES, replace(_PLAIN, statistics=statistics, ceiling=True)).raters
    return {
        row.statistic: Tested(row.ceiling.verdict.p_equivalent_holm, None)
        for row in report
        if row.rater == "a" and row.task == "all" and row.ceiling
    }


_EDGE: Final = 0.05
"""Scorers at the margin's edge agree so much less with people than these do; of kappa it is the double, as is its margin."""


def at_edge(error: float) -> float:
    """The error rate of such a scorer, beside people with this one."""
    return error + _EDGE / (1 - 2 * error)


_EQUAL: Final = (0.15, 0.15, 0.15)
_POPULATION: Final = (0.03, 0.08, 0.15, 0.30)
_LABELS, _SCORES = ("percent_agreement", "cohen_kappa"), ("spearman", "auc")
TESTS: Final[Mapping[str, tuple[Callable[..., dict[str, Tested]], tuple[str, ...], Population, Population]]] = {
    "scorer against scorer": (
        compared, _LABELS, Population(0, alike=0.5, scorers=(0.2, 0.2)), Population(0, alike=0.5, scorers=(0.1, 0.3)),
    ),
    "score against score": (
        compared, _SCORES, Population(0, alike=0.5, scorers=(0.2, 0.2)), Population(0, alike=0.5, scorers=(0.1, 0.35)),
    ),
    "score against score, moved by prompt": (
        compared, _SCORES, Population(0, alike=0.5, scorers=(0.2, 0.2), shift=1.0),
        Population(0, alike=0.5, scorers=(0.1, 0.35), shift=1.0),
    ),
    "generator against generator": (
        generators_compared, ("mean",), Population(0, scorers=(0.2, 0.2)), Population(0, scorers=(0.1, 0.3)),
    ),
    "beside these 3 people": (
        beside, _LABELS, Population(0, persons=_EQUAL, scorers=(0.15,)), Population(0, persons=_EQUAL, scorers=(0.3,)),
    ),
    "beside other people, 5": (
        beside,
        _LABELS,
        Population(0, persons=_POPULATION, drawn=5, scorers=(0.14,)),
        Population(0, persons=_POPULATION, drawn=5, scorers=(0.35,)),
    ),
    "beside other people, 8": (
        beside,
        _LABELS,
        Population(0, persons=_POPULATION, drawn=8, scorers=(0.14,)),
        Population(0, persons=_POPULATION, drawn=8, scorers=(0.35,)),
    ),
}  # fmt: skip
_SKEWED: Final = (*(0.03,) * 7, 0.08, 0.08, 0.5)
FRESH_TESTS: Final[Mapping[str, tuple[Callable[..., dict[str, Tested]], tuple[str, ...], Population, Population]]] = {
    "scorer against scorer, unlike errors": (
        compared, _LABELS, Population(0, scorers=(0.2, 0.2), unlike=True), Population(0, scorers=(0.1, 0.3), unlike=True),
    ),
    "beside other people, 8, skewed": (
        beside, _LABELS, Population(0, persons=_SKEWED, drawn=8, scorers=(0.087,)),
        Population(0, persons=_SKEWED, drawn=8, scorers=(0.3,)),
    ),
}  # fmt: skip
EQUIVALENCE: Final = {
    f"people agree in {agree}": (
        equivalent, _LABELS, Population(0, persons=(error,) * 3, scorers=(at_edge(error),)),
        Population(0, persons=(error,) * 3, scorers=(error,)),
    )
    for agree, error in ((".98", 0.01), (".90", 0.0528), (".745", 0.15))
}  # fmt: skip


def errors(
    sizes: Sequence[int], studies: int, pool: ProcessPoolExecutor, tests: Mapping[str, Any] = TESTS, seed: int = 2
) -> Iterable[str]:
    """The table of type I errors and power, a line a statistic and number of images a prompt."""
    for name, (test, statistics, null, real) in tests.items():
        for images in (1, 4):
            shown: dict[str, list[str]] = {statistic: [] for statistic in statistics}
            failed: dict[str, list[str]] = {statistic: [] for statistic in statistics}
            for size in sizes:
                trials = []
                for study, times in ((null, studies), (real, for_power(studies))):
                    run = partial(test, replace(study, prompts=size, images=images), statistics)
                    trials.append(list(pool.map(run, [[seed, size, images, k] for k in range(times)], chunksize=10)))
                for statistic in statistics:
                    text, note = _errors(*([each.get(statistic) for each in made] for made in trials), size=size)
                    shown[statistic].append(text)
                    failed[statistic] += [f"{size}: {note}"] if note else []
            for statistic in statistics:
                note = _note(name, "; ".join(failed[statistic]))
                yield f"| {name}, {images} a prompt | {statistic} | {' | '.join(shown[statistic])} | {note} |"


def for_power(studies: int) -> int:
    """The number of studies with a real difference."""
    return max(studies // 5, 10)


def smallest_seen(studies: int) -> tuple[float, float]:
    """The coverage below .93, and the error above .07, that fail in four of five runs of so many studies."""
    fails = [exact(hits, studies) for hits in range(studies + 1)]
    low = sum(high < LEAST for _, high in fails)
    high = sum(least <= LARGEST_ERROR for least, _ in fails)
    rates = np.arange(0.001, 1.0, 0.001)
    covering = rates[stats.binom.cdf(low - 1, studies, rates) >= 0.8].max(initial=0.0)
    erring = rates[stats.binom.sf(high - 1, studies, rates) >= 0.8].min(initial=1.0)
    return float(covering), float(erring)


def _errors(null: Sequence[Tested | None], real: Sequence[Tested | None], *, size: int) -> tuple[str, str]:
    """Return the text of a cell of `errors`, and why it fails, if it does; a study without a p finds nothing."""
    hits = [sum(each is not None and each.p is not None and each.p < 0.05 for each in made) for made in (null, real)]
    text, notes = f"{hits[0] / len(null):.3f} (power {hits[1] / len(real):.2f}", []
    if (least := exact(hits[0], len(null))[0]) > LARGEST_ERROR:
        notes.append(f"at least {least:.3f}")
    both = [each for each in (*null, *real) if each is not None and each.apart is not None]
    if both:
        odd = sum(each.at_odds for each in both)
        text += f", at odds {odd / len(both):.2f}"
        if size >= _FLIPS_TELL and (least := exact(odd, len(both))[0]) > MOST_AT_ODDS:
            notes.append(f"at odds in at least {least:.3f}")
    return f"{text})", ", ".join(notes)


TABLES: Final = ("intervals", "fresh", "persons", "skewed", "errors", "unlike", "equivalence")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = study_options("Coverage of intervals, and errors of tests, in simulated studies.", "few studies of few prompts")
    parser.add_argument("--processes", type=int, default=2, help="that work at once")
    parser.add_argument("--table", action="append", choices=TABLES, help="of all tables only this one; may be repeated")
    options = parser.parse_args(arguments)
    quick, studies = options.quick, 10 if options.quick else options.studies
    covered, panels, compared_at = ((10,), (10,), (5,)) if quick else ((5, 10, 30, 100), (10, 30, 100), (5, 10, 30, 100))
    known = 1_000 if quick else TRUTH
    coverage_seen, error_seen = smallest_seen(studies)
    holds = f"{studies} studies a cell; a true coverage of {coverage_seen:.2f} fails in four of five runs"
    finds = (
        f"{studies} studies a cell, {for_power(studies)} for power; a true share of {error_seen:.2f} fails in four of five runs"
    )
    title = "Share of 95 % intervals that hold the truth (mean width beside the estimator's own; studies without one)"
    without = "Share of studies in which p < .05 though there is no difference (where there is one; p and interval at odds)"
    equivalence = "Share of studies in which p of equivalence < .05 at the margin's edge (where there is no difference)"
    of_intervals = ("population", "statistic", "truth", *(f"{size} prompts" for size in covered), "")
    of_persons = ("people", "statistic", "truth", *(f"{size} prompts" for size in panels), "")
    of_errors = ("test", "statistic", *(f"{size} prompts" for size in compared_at), "")
    with ProcessPoolExecutor(options.processes) as pool:
        tables = {
            "intervals": (f"{title}, {holds}", of_intervals, intervals(covered, studies, pool, known)),
            "fresh": (
                f"The same on fresh populations, {holds}",
                of_intervals,
                intervals(covered, studies, pool, known, FRESH, seed=11),
            ),
            "persons": (f"The same with persons as a sample, {holds}", of_persons, persons_as_sample(panels, studies, pool)),
            "skewed": (
                f"The same with persons who do not differ normally, {holds}",
                of_persons,
                persons_as_sample(panels, studies, pool, SKEWED_PANELS),
            ),
            "errors": (f"{without}, {finds}", of_errors, errors(compared_at, studies, pool)),
            "unlike": (
                f"The same with equal agreement and unlike errors, and with skewed persons, {finds}",
                of_errors,
                errors(compared_at, studies, pool, FRESH_TESTS, seed=12),
            ),
            "equivalence": (f"{equivalence}, {finds}", of_errors, errors(compared_at, studies, pool, EQUIVALENCE, seed=13)),
        }
        return print_tables([tables[name] for name in options.table or TABLES], quick=quick)


if __name__ == "__main__":
    sys.exit(main())
