"""The printed numbers of five studies, computed again from a project that holds them; what is a paper's own way stands here.

VIEScore averages correlations by an inverse Fisher transform of values that were never transformed, tanh(mean of rho);
ImagenHub multiplies two ratings to a third. Every statistic itself is `agreement`'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
import pandas as pd

from agreement import Options
from agreement.estimates import Clusters, share_estimate, with_interval
from agreement.inference.intervals import CORRECTED, Deletions
from agreement.numeric import FloatArray, IntArray
from agreement.reasons import NO_METHOD, Reason, ReasonCode
from agreement.report.scorer_human import strict_majority
from agreement.statistics.correlation import Units, spearman
from agreement.study.cells import Used, outcome
from concord.common import live_updates
from concord.studies.comparison import ComparedNumber, Prepared, compare, compared, undetermined
from data.aspects import Scales
from data.selection import Selection
from data.store import imports
from data.store.browse import contents
from data.store.core import frame
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from data.studies.arena import ARENA, read_choice
from data.studies.genai_bench import AS_RELEASED, AS_RELEASED_ORDER, GENAI_BENCH
from data.studies.geneval import GENEVAL
from data.studies.imagenhub import CONSISTENCY, IMAGENHUB, OVERALL, QUALITY
from data.studies.printed_numbers import ALL, PrintedNumber, PublishedStudy
from data.studies.study_ratings import OFF_SCALE
from data.studies.tia2 import TIA2, TIA2_PRINTED
from data.studies.tifa import TIFA
from data.studies.viescore import PEOPLE, VIESCORE

MEAN_OF_RHO: Final = "mean of rho"
EQUAL_TERMS: Final = "equal terms"
FOUR_DIGITS: Final = "of four digits"
"""Their average of the generators' correlations as the notebook prints these."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How a study is computed again: its printed numbers beside ours, from a project's store."""

    study: PublishedStudy
    compare: Callable[[Store], list[ComparedNumber]]


def _with_written(store: Store, judgements: pd.DataFrame, scales: Scales) -> Prepared:
    """The ratings once more as two aspects of numbers and of ordered levels, those off their scale as they were written."""
    released = judgements[judgements.kind == "human"].copy()
    for row in released.index[released.excluded == OFF_SCALE]:
        item, rater = released.loc[row, ["item", "rater"]]
        stored = contents.item(store, item)
        answers = stored.annotations if stored else ()
        written = next(each.answers[OFF_SCALE] for each in answers if each.rater_id == rater)
        released.loc[row, ["number", "excluded"]] = [float(written[GENAI_BENCH.aspect]), None]
    released = released.assign(label=released.number.map("{:g}".format))
    levels = "<".join(f"{level:g}" for level in sorted(released.number.unique()))
    parts = [judgements, released.assign(aspect=AS_RELEASED), released.assign(aspect=AS_RELEASED_ORDER)]
    suite = GENAI_BENCH.suite
    more = {(suite, AS_RELEASED): "interval", (suite, AS_RELEASED_ORDER): f"ordinal:{levels}"}
    return pd.concat(parts, ignore_index=True), {**scales, **more}


def _with_overall(_: Store, judgements: pd.DataFrame, scales: Scales) -> Prepared:
    """The square root of both ratings' product as a third aspect, on the scale of its values."""
    people = judgements[judgements.kind == "human"]
    pairs = people.pivot(index=["item", "rater"], columns="aspect", values="number")
    overall = (pairs[CONSISTENCY] * pairs[QUALITY]).map(np.sqrt).rename("overall").reset_index()
    rows = people[people.aspect == CONSISTENCY].merge(overall, on=["item", "rater"]).dropna(subset="overall")
    rows = rows.assign(aspect=OVERALL, number=rows.overall, label=rows.overall.map("{:z.4f}".format))
    levels = "<".join(sorted(rows.label.unique()))
    both = pd.concat([people, rows.drop(columns="overall")], ignore_index=True)
    return both, {**scales, (IMAGENHUB.suite, OVERALL): f"ordinal:{levels}"}


@dataclass(frozen=True, slots=True)
class _RatedImages:
    """One generator's images by prompt: people (persons, prompts), and each scorer's values (prompts,), NaN where none."""

    people: Mapping[str, FloatArray]
    scorers: Mapping[str, Mapping[str, FloatArray]]
    prompts: int

    def rho(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Spearman's rho over the prompts that have both, and of each replicate without one prompt."""
        both = np.flatnonzero(~np.isnan(x) & ~np.isnan(y)).astype(np.int64)
        weights = Deletions(wanted=True).weights(self.prompts)
        correlation: FloatArray = spearman(x[both], y[both], Units(both, self.prompts), weights)
        return correlation

    def among_people(self, aspect: str) -> list[FloatArray]:
        """Each person against the mean of the others."""
        ratings = self.people[aspect]
        return [self.rho(ratings[k], np.delete(ratings, k, 0).mean(0)) for k in range(len(ratings))]

    def judge(self, scorer: str, aspect: str) -> FloatArray:
        """A scorer against the mean of all people."""
        return self.rho(self.scorers[scorer][aspect], self.people[aspect].mean(0))

    def on_equal_terms(self, scorer: str, aspect: str) -> FloatArray:
        """A scorer against the mean of all people but one, as a person is, averaged over whom is left out."""
        ratings, values = self.people[aspect], self.scorers[scorer][aspect]
        others = combinations(range(len(ratings)), len(ratings) - 1)
        return _mean([self.rho(values, ratings[list(few)].mean(0)) for few in others])


def _rated_images(judgements: pd.DataFrame, generator: str) -> _RatedImages:
    """From a suite's judgements, with the overall aspect of people and judges."""
    prompts = sorted(judgements.prompt.dropna().unique())
    mine = judgements[judgements.generator == generator]
    people = {
        str(aspect): part.pivot(index="rater", columns="prompt", values="number").reindex(columns=prompts).to_numpy(float)
        for aspect, part in mine[mine.kind == "human"].groupby("aspect")
    }
    people[OVERALL] = np.sqrt(people[CONSISTENCY] * people[QUALITY])
    values = mine[mine.kind == "scorer"].pivot(index="rater", columns="prompt", values="number").reindex(columns=prompts)
    scorers: dict[str, dict[str, FloatArray]] = {}
    for name in values.index:
        judge, _, part = str(name).rpartition(" ")
        if part == "SC" and f"{judge} PQ" in values.index:
            # tenths, as their code has them: equal products may then differ in the last bit
            consistency, quality = (values.loc[f"{judge} {each}"].to_numpy(float) / 10 for each in ("SC", "PQ"))
            both = np.where(np.isnan(consistency + quality), np.nan, 1.0)
            aspects = (consistency * both, quality * both, np.sqrt(consistency * quality))
            scorers[judge] = dict(zip((CONSISTENCY, QUALITY, OVERALL), aspects, strict=True))
        elif part not in ("SC", "PQ"):
            scorers[str(name)] = dict.fromkeys((CONSISTENCY, QUALITY, OVERALL), values.loc[name].to_numpy(float))
    return _RatedImages(people, scorers, len(prompts))


def _viescore(store: Store) -> list[ComparedNumber]:
    judgements = frame.frame(store, Selection(suite=(VIESCORE.suite,), generator=tuple(VIESCORE.sources)))
    judgements = judgements[judgements.excluded.isna() & (judgements.kind != "consensus")]
    present = set(judgements.generator)
    missing = [name for name in VIESCORE.sources if name not in present]
    images = {name: _rated_images(judgements, name) for name in VIESCORE.sources if name in present}
    return [_viescore_number(number, images, missing) for number in VIESCORE.numbers]


def _viescore_number(number: PrintedNumber, images: Mapping[str, _RatedImages], missing: Sequence[str]) -> ComparedNumber:
    rater, aspect = str(number.rater), number.aspect
    mine = images if number.generator == ALL else {name: each for name, each in images.items() if name == number.generator}
    known = mine and all(rater in (*each.scorers, PEOPLE) for each in mine.values())
    if (missing and number.generator in (ALL, *missing)) or not known:
        reason = f"no {' and no '.join(missing)} in these data" if missing else f"no scores of {rater} in these data"
        return undetermined(number, reason, mine)
    if rater == PEOPLE:
        among = [image.among_people(aspect) for image in mine.values()]
        persons = len(among[0])
        plain = _mean([_mean(rhos) for rhos in among])
        each = [_inverse_fisher(_mean(rhos)) for rhos in among]
        beside = {MEAN_OF_RHO: plain}
    else:
        persons = 1
        each = [image.judge(rater, aspect) for image in mine.values()]
        plain = _mean(each)
        equal = _mean([image.on_equal_terms(rater, aspect) for image in mine.values()])
        beside = {MEAN_OF_RHO: plain, EQUAL_TERMS: equal} if number.generator == ALL else {EQUAL_TERMS: equal}
    made = _mean(each)
    if number.generator == ALL:
        beside |= {FOUR_DIGITS: _inverse_fisher(_mean([np.round(rhos, 4) for rhos in each]))}
        made = _inverse_fisher(made)
    first = next(iter(mine.values()))
    values = [image.people[aspect][0] if rater == PEOPLE else image.scorers[rater][aspect] for image in mine.values()]
    n_items = sum(int((~np.isnan(each)).sum()) for each in values)
    used = Used(n_items, n_items * persons, first.prompts)
    estimate = with_interval(outcome(made, Reason(ReasonCode.UNDEFINED_FOR_ONE_GENERATOR), used, None), CORRECTED)
    others = {name: None if np.isnan(rho[0]) else float(rho[0]) for name, rho in beside.items()}
    return compared(number, mine, estimate, others, n_items, used.ratings)


def _mean(rhos: Sequence[FloatArray]) -> FloatArray:
    """The mean of several correlations, in the sample and in every replicate."""
    return np.asarray(np.mean(rhos, axis=0), dtype=np.float64)


def _inverse_fisher(mean: FloatArray) -> FloatArray:
    """VIEScore's average_correlation, from the mean of correlations, which it takes for Fisher's z."""
    return np.asarray(np.tanh(mean), dtype=np.float64)


def _tia2(store: Store) -> list[ComparedNumber]:
    """The share of a prompt's images that a strict majority finds fitting, for every prompt that has a printed share."""
    judgements = frame.frame(store, Selection(suite=(TIA2.suite,)))
    judgements = judgements[judgements.excluded.isna()]
    printed = judgements[judgements.rater == TIA2_PRINTED].set_index("prompt").number
    people = judgements[judgements.kind == "human"]
    item, items = pd.factorize(people.item)
    labels: IntArray = people.number.to_numpy(np.int64)
    majority = strict_majority(item.astype(np.int64), len(items), labels, 2).label == 1
    images = pd.DataFrame({"item": items, "fits": majority, "ratings": np.bincount(item)}).merge(
        people[["item", "prompt", "task"]].drop_duplicates(), on="item"
    )
    by_prompt = {str(prompt): part for prompt, part in images.groupby("prompt")}
    numbers = []
    for prompt, value in printed.sort_index().items():
        mine = by_prompt.get(str(prompt))
        number = PrintedNumber(
            str(prompt), "alignment_scores", f"{value:z.4f}", "mean", task=str(prompt).split("/")[1].split("-")[0]
        )
        if mine is None:
            numbers.append(undetermined(number, "nobody rated its images here"))
            continue
        # images of one prompt are draws of their own: each is its cluster
        clusters = Clusters.of([None] * len(mine), mine.item.tolist())
        estimate = share_estimate(mine.fits.tolist(), clusters, Options(), NO_METHOD, Reason(ReasonCode.NOBODY_RATED))
        numbers.append(compared(number, TIA2.sources, estimate, {}, len(mine), int(mine.ratings.sum())))
    return numbers


AS_MARKED: Final = "as marked in the file"
OTHER_WORDS: Final = "votes in other words read, too"


def _arena(store: Store) -> list[ComparedNumber]:
    """How often a judge's vote is people's; an answer that names no vote is wrong."""
    judgements = frame.frame(store, Selection(suite=(ARENA.suite,)))
    people = judgements[judgements.kind == "human"].set_index("item")
    written = scorer_evidence.imported_words(store, ARENA.suite)
    numbers = []
    for number in ARENA.numbers:
        judge = judgements[judgements.rater == number.rater].set_index("item").label.reindex(people.index)
        votes = [words for item in people.index if (words := written.get((str(item), str(number.rater)))) is not None]
        if people.empty or len(votes) < len(people):
            numbers.append(undetermined(number, f"no votes of {number.rater} in these data"))
            continue
        right = (judge == people.label).tolist()
        in_words = [read_choice(vote.written, exactly=False) for vote in votes]
        beside = {
            AS_MARKED: float(np.mean([bool(vote.marked) for vote in votes])),
            OTHER_WORDS: float(np.mean([word == vote for word, vote in zip(in_words, people.label, strict=True)])),
        }
        clusters = Clusters.of(people.prompt.tolist(), [str(item) for item in people.index])
        estimate = share_estimate(right, clusters, Options(), NO_METHOD, Reason(ReasonCode.NO_VOTE))
        numbers.append(compared(number, (), estimate, beside, len(right), len(right)))
    return numbers


REPRODUCTIONS: Final[dict[str, Reproduction]] = {
    "geneval": Reproduction(GENEVAL, lambda store: compare(store, GENEVAL)),
    "tifa": Reproduction(TIFA, lambda store: compare(store, TIFA)),
    "genai-bench": Reproduction(GENAI_BENCH, lambda store: compare(store, GENAI_BENCH, _with_written)),
    "imagenhub": Reproduction(IMAGENHUB, lambda store: compare(store, IMAGENHUB, _with_overall)),
    "viescore": Reproduction(VIESCORE, _viescore),
    "tia2": Reproduction(TIA2, _tia2),
    "arena": Reproduction(ARENA, _arena),
}
"""By the name that commands have for it."""


def imported_studies(store: Store) -> list[str]:
    """The studies of `REPRODUCTIONS` that a project holds."""
    kinds = {(row.kind.removeprefix("study "), row.name) for row in imports.listed(store) if row.undone is None}
    names = {study for study, name in kinds if (study, name) != ("genai-bench", "527")}
    return [name for name in REPRODUCTIONS if name in names]


@live_updates.cached(maxsize=32)
def compared_numbers(store: Store, study: str) -> Sequence[ComparedNumber]:
    """A study's printed numbers beside those of the project's ratings."""
    return REPRODUCTIONS[study].compare(store)
