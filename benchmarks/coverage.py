"""How often 95 % intervals hold the truth, and how often tests find a difference where there is none.

    uv run benchmarks/coverage.py [--studies 500] [--quick]

Studies are simulated: images of one prompt are alike, persons err, scorers err. The truth of a statistic is its value on
TRUTH prompts. *Ordinary* cells have a truth from .2 to .9 of labels that are from .2 to .9 common, and 30 images or more:
there each interval must be two-sided, its coverage must fit .93 to .97 (by the exact 99 % interval of the simulation), and
its mean width must be at most 1.3 times that of the estimator's own central 95 %. Other cells are *extreme*: they may have no
interval, and are printed with their true error. Tests may find a difference where there is none in at most .07 of the studies
(the same way), and their power against a real one stands beside. Ends with 1 where a cell fails.
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

from agreement import Options, build, comparisons
from benchmarks.measuring import print_tables, study_options

SCALES: Final = {("s", "correct"): "nominal", ("s", "faithfulness"): "ordinal:1-5", ("s", "score"): "interval"}
TRUTH: Final = 20_000
LEAST_IMAGES: Final = 30
LEAST, MOST, WIDEST, LARGEST_ERROR = 0.93, 0.97, 1.3, 0.07
AMONG: Final = (
    "percent_agreement",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha_nominal",
    "gwet_ac2",
    "krippendorff_alpha_ordinal",
)
AGAINST: Final = ("percent_agreement", "cohen_kappa", "gwet_ac1", "cohen_kappa_quadratic", "spearman", "pearson", "auc")
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
        ordinal: five levels instead of yes and no.
        drawn: whether persons are drawn from `persons` anew in each study: so many.
    """

    prompts: int
    images: int = 4
    persons: tuple[float, ...] = (0.12, 0.12, 0.12)
    scorers: tuple[float, ...] = (0.2,)
    yes: float = 0.5
    alike: float = 0.3
    ordinal: bool = False
    drawn: int = 0


def simulate(study: Population, seed: Sequence[int]) -> pd.DataFrame:
    """The long frame of one study."""
    rng = np.random.default_rng(seed)
    n = study.prompts * study.images
    prompt = np.repeat(np.arange(study.prompts), study.images)
    truth = _clustered(rng, study, study.yes)
    rates = rng.choice(study.persons, study.drawn) if study.drawn else np.array(study.persons)
    columns: list[dict[str, Any]] = []

    def add(rater: str, kind: str, aspect: str, label: Any, number: Any) -> None:
        columns.append({"rater": rater, "kind": kind, "aspect": aspect, "label": label, "number": number, "item": np.arange(n)})

    for k, rate in enumerate(rates):
        _rate(add, f"p{k}", "human", study, truth, rng.random(n) < rate, rng)
    for name, rate in zip("ab", study.scorers, strict=False):
        _rate(add, name, "scorer", study, truth, _clustered(rng, study, rate), rng)
        add(f"{name}'s score", "scorer", "score", None, truth + rng.normal(size=n) * (0.3 + 3 * rate))
    made = pd.concat([pd.DataFrame(each) for each in columns], ignore_index=True)
    made["prompt"] = "p" + pd.Series(prompt[made["item"]]).astype(str)
    made["item"] = "i" + made["item"].astype(str)
    return made.assign(
        suite="s", task="t", generator="g", identity="person", simulated=False, target=None, excluded=None, seq=0
    )


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
    level = np.clip(
        np.where(truth, 4, 2) + np.where(errs, rng.integers(-2, 3, truth.size), rng.integers(0, 2, truth.size)), 1, 5
    )
    add(rater, kind, "faithfulness", level.astype(str), level.astype(float))


def estimates(
    study: Population, options: Options, seed: Sequence[int]
) -> dict[str, tuple[float | None, float | None, float | None]]:
    """Value and interval of each statistic of all images."""
    report = build(simulate(study, seed), SCALES, options).to_dict()
    intervals = {}
    for row in [*report["among_people"], *report["raters"]]:
        if row["task"] == "all" and row.get("rater") in (None, "a", "a's score") and row["aspect"] != "score":
            who = "people" if "rater" not in row else "score" if row["rater"] != "a" else "scorer"
            if row["statistic"] in (AMONG if who == "people" else AGAINST):
                intervals[f"{who}: {row['statistic']}"] = row["value"], row["low"], row["high"]
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
    own = float(np.subtract(*np.quantile(values, [0.975, 0.025])))
    width = float(np.mean([high - low for low, high in made])) / own if made and own else float("nan")
    none, notes = 1 - len(made) / len(estimates), []
    if ordinary:
        if made:
            low, high = exact(hits, len(made))
            notes += [f"coverage {low:.3f} to {high:.3f}"] if high < LEAST or low > MOST else []
        notes += [f"{none:.1%} without"] if none > 0.01 else []
        # of few studies the estimator's own spread is not known
        notes += [f"{width:.2f} times as wide"] if width > WIDEST and len(estimates) >= 200 else []
    return CoverageCell(hits / len(made) if made else float("nan"), none, width, ", ".join(notes))


def exact(hits: int, n: int) -> tuple[float, float]:
    """Clopper and Pearson's 99 % interval."""
    interval = stats.binomtest(hits, n).proportion_ci(0.99, "exact")
    return float(interval.low), float(interval.high)


POPULATIONS: Final[Mapping[str, Population]] = {
    "ordinary": Population(0),
    "unequal": Population(0, yes=0.75, persons=(0.05, 0.1, 0.2), scorers=(0.25,)),
    "one image": Population(0, images=1, alike=0.3),
    "five levels": Population(0, ordinal=True),
    "rare label": Population(0, yes=0.95, persons=(0.02,) * 3, scorers=(0.03,)),
    "agreement .98": Population(0, persons=(0.01,) * 3, scorers=(0.03,)),
}


def intervals(sizes: Sequence[int], studies: int, pool: ProcessPoolExecutor) -> Iterable[str]:
    """The table of coverage, a line a statistic; those that fail say why."""
    for name, population in POPULATIONS.items():
        truth = estimates(replace(population, prompts=TRUTH), replace(_PLAIN, intervals=False), [0])
        cells: dict[str, dict[int, CoverageCell]] = {}
        for size in sizes:
            run = partial(estimates, replace(population, prompts=size), _PLAIN)
            made = list(pool.map(run, [[1, size, k] for k in range(studies)], chunksize=10))
            for key, (true, _, _) in truth.items():
                common = 0.2 <= population.yes <= 0.9 and 0.2 <= float(true or 0) <= 0.9
                ordinary = common and size >= 10 and size * population.images >= LEAST_IMAGES
                estimates_of_key = [each.get(key, (None, None, None)) for each in made]
                cells.setdefault(key, {})[size] = coverage(float(true or 0), estimates_of_key, ordinary)
        for key, by_size in cells.items():
            shown = " | ".join(f"{c.coverage:.3f} ({c.width:.2f}x, {c.none:.0%} none)" for c in by_size.values())
            failed = "; ".join(f"{size}: {c.note}" for size, c in by_size.items() if c.note)
            yield f"| {name} | {key} | {truth[key][0]:.3f} | {shown} | {f'FAILS {failed}' if failed else ''} |"


def compared(study: Population, statistics: tuple[str, ...], seed: Sequence[int]) -> dict[str, float | None]:
    """p of the two scorers, by statistic."""
    rows = comparisons(simulate(study, seed), SCALES, replace(_PLAIN, statistics=statistics))
    return {each.found.key.statistic: each.p for each in rows if each.found.place.task == "all"}


def beside(study: Population, statistics: tuple[str, ...], seed: Sequence[int]) -> dict[str, float | None]:
    """p of the first scorer beside people, by statistic; beside others where persons are drawn."""
    report = build(simulate(study, seed), SCALES, replace(_PLAIN, statistics=statistics, ceiling=True)).to_dict()["raters"]
    which = "others_p" if study.drawn else "p"
    return {r["statistic"]: r["ceiling"][which] for r in report if r["rater"] == "a" and r["task"] == "all" and r["ceiling"]}


_EQUAL: Final = (0.15, 0.15, 0.15)
_POPULATION: Final = (0.03, 0.08, 0.15, 0.30)
TESTS: Final[Mapping[str, tuple[Callable[..., dict[str, float | None]], Population, Population]]] = {
    "scorer against scorer": (
        compared, Population(0, alike=0.5, scorers=(0.2, 0.2)), Population(0, alike=0.5, scorers=(0.1, 0.3)),
    ),
    "beside these 3 people": (
        beside, Population(0, persons=_EQUAL, scorers=(0.15,)), Population(0, persons=_EQUAL, scorers=(0.3,)),
    ),
    "beside other people, 5": (
        beside,
        Population(0, persons=_POPULATION, drawn=5, scorers=(0.14,)),
        Population(0, persons=_POPULATION, drawn=5, scorers=(0.35,)),
    ),
    "beside other people, 8": (
        beside,
        Population(0, persons=_POPULATION, drawn=8, scorers=(0.14,)),
        Population(0, persons=_POPULATION, drawn=8, scorers=(0.35,)),
    ),
}  # fmt: skip


def errors(sizes: Sequence[int], studies: int, pool: ProcessPoolExecutor) -> Iterable[str]:
    """The table of type I errors and power, a line a statistic and number of images a prompt."""
    statistics = ("percent_agreement", "cohen_kappa")
    for name, (test, null, real) in TESTS.items():
        for images in (1, 4):
            shown: dict[str, list[str]] = {statistic: [] for statistic in statistics}
            failed: dict[str, list[str]] = {statistic: [] for statistic in statistics}
            for size in sizes:
                trials = []
                for study, times in ((null, studies), (real, max(studies // 5, 10))):
                    run = partial(test, replace(study, prompts=size, images=images), statistics)
                    trials.append(list(pool.map(run, [[2, size, images, k] for k in range(times)], chunksize=10)))
                for statistic in statistics:
                    of = [[p for each in made if (p := each.get(statistic)) is not None] for made in trials]
                    hits = [sum(p < 0.05 for p in ps) for ps in of]
                    # a study without a p finds nothing
                    least = exact(hits[0], len(trials[0]))[0]
                    shown[statistic].append(f"{hits[0] / len(trials[0]):.3f} (power {hits[1] / len(trials[1]):.2f})")
                    failed[statistic] += [f"{size}: at least {least:.3f}"] if least > LARGEST_ERROR else []
            for statistic in statistics:
                note = f"FAILS {'; '.join(failed[statistic])}" if failed[statistic] else ""
                yield f"| {name}, {images} a prompt | {statistic} | {' | '.join(shown[statistic])} | {note} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = study_options("Coverage of intervals, and errors of tests, in simulated studies.", "few studies of few prompts")
    options = parser.parse_args(arguments)
    quick, studies = options.quick, 20 if options.quick else options.studies
    covered, compared_at = ((10,), (5,)) if quick else ((10, 30, 100, 300), (5, 10, 30, 100))
    title = "Share of 95 % intervals that hold the truth (mean width beside the estimator's own; studies without one)"
    without = "Share of studies in which p < .05 though there is no difference (and where there is one)"
    of_intervals = ("population", "statistic", "truth", *(f"{size} prompts" for size in covered), "")
    of_errors = ("test", "statistic", *(f"{size} prompts" for size in compared_at), "")
    with ProcessPoolExecutor(2) as pool:
        tables = (
            (f"{title}, {studies} studies a cell", of_intervals, intervals(covered, studies, pool)),
            (f"{without}, {studies} studies a cell", of_errors, errors(compared_at, studies, pool)),
        )
        return print_tables(tables, quick=quick)


if __name__ == "__main__":
    sys.exit(main())
