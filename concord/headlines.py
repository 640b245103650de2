"""Headlines: which number answers which question, and what may be said of it, wherever it is shown.

- *How good is a generator?* People's mean: row `mean` of agreement (images weigh equally, prompts are left out one by one).
- *Which of two is better?* Their paired difference over the prompts that both were asked (`agreement.generators`).
- *How well do people do what a scorer does?* The same statistic with one person in the scorer's place (`ceiling`), and nothing
  else: how far people agree by another statistic, or in pairs, is no level for a scorer.
- *May a headline say best?* Only where the interval of each paired difference leaves 0 out; a scorer is close to people only
  where the interval of its agreement is above 0.

Pages, report, commands and library ask here; whatever else they show is named by its method and is no headline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd

from agreement.estimate import Estimate, WithInterval
from agreement.generators import GeneratorDifference, compare_generators
from agreement.pair.confusion import GAP, HIGH
from agreement.report.ceiling import FINER, NO_INTERVALS, SAW_LABELS
from concord.common import reason_sentences, wording
from data.aspects import YES_NO_ASPECTS
from data.selection import PEOPLE, SIMULATED

ALL: Final = "all"
MEAN: Final = "mean"
FEWEST_PROMPTS: Final = 5
FEWEST_ANSWERS: Final = 20
State = Literal["best", "undecided", "few", "alone"]
Direction = Literal["better", "worse", "undecided", "few"]


def answers_by(judgements: pd.DataFrame, aspect: str, rater: str) -> pd.DataFrame:
    """Return a rater's answers that count, a row each with prompt, generator, item (an image, or a target of it) and value.

    Args:
        judgements: as `data.store.core.frame` reads them, of one suite.
        aspect: what was judged.
        rater: `people`, `simulated people`, or a scorer.
    """
    own = judgements.rater == rater
    if rater in (PEOPLE, SIMULATED):
        own = judgements.simulated.astype(bool) == (rater == SIMULATED)
    human = (judgements.kind == "human") == (rater in (PEOPLE, SIMULATED))
    number = pd.to_numeric(judgements.number, errors="coerce")
    chosen = judgements[own & human & (judgements.aspect == aspect) & judgements.excluded.isna() & np.isfinite(number)]
    target = chosen.target.where(chosen.target.notna(), "").astype(str)
    return pd.DataFrame(
        {
            "prompt": chosen.prompt,
            "generator": chosen.generator,
            "item": chosen.item.astype(str) + "\n" + target,
            "value": number[chosen.index],
        }
    )


def means_of_generators(rows: Iterable[Estimate], people: str, task: str = ALL) -> dict[str, Estimate]:
    """Return people's mean of each generator: the row of agreement's `among_people` that every page shows."""
    about = (MEAN, people, task, None)
    return {
        row.generator: row
        for row in rows
        if (row.statistic, row.people, row.task, row.target) == about and row.value is not None
    }


def compare_two(answers: pd.DataFrame, first: str, second: str) -> GeneratorDifference | None:
    """Return the paired difference, first less second; None where they share no prompt."""
    both = answers[answers.generator.isin((first, second))]
    return next((each for each in compare_generators(both, first) if each.second == second), None)


def few(difference: GeneratorDifference) -> bool:
    """Return True if a difference rests on too little to say anything."""
    return difference.prompts < FEWEST_PROMPTS or difference.answers < FEWEST_ANSWERS


_SIGNIFICANT: Final = 0.05


def direction(difference: GeneratorDifference) -> Direction:
    """Return what may be said of the first generator beside the second: one is better where interval and test both say so."""
    if few(difference):
        return "few"
    if not difference.leaves_zero_out or (difference.p is not None and difference.p > _SIGNIFICANT):
        return "undecided"
    return "better" if difference.value > 0 else "worse"


def undecided(prompts_needed: int | None) -> str:
    """Return the words that stand wherever a verdict could and does not."""
    return "undecided" if prompts_needed is None else f"undecided, about {wording.count(prompts_needed, 'more prompt')}"


def number_text(row: WithInterval) -> str:
    """Return a value with its interval, to two digits; a dash where it is undefined."""
    if row.value is None:
        return "–"
    bounds = "" if row.low is None or row.high is None else f" [{wording.two(row.low)}, {wording.two(row.high)}]"
    return wording.two(row.value) + bounds


@dataclass(frozen=True, slots=True)
class GeneratorHeadline:
    """The statement about the generator with the highest mean.

    Attributes:
        state: `best` where each paired difference leaves 0 out; `few` where all rest on too little; `alone` without others.
        by: who rates.
        generator, mean: the one with the highest mean, and its row.
        ahead: its difference from the next one, where `best`.
        close: the others that it is not clearly better than.
        leads: its difference from each other one, in the order of their means.
        main, rest: the sentence, and what stands small behind it.
    """

    state: State
    by: str
    generator: str
    mean: Estimate
    ahead: GeneratorDifference | None
    close: tuple[str, ...]
    leads: tuple[GeneratorDifference, ...]
    main: str
    rest: str = ""

    @property
    def text(self) -> str:
        """The whole sentence."""
        return f"{self.main}{self.rest}."


def generator_headline(by: str, means: Mapping[str, Estimate], answers: pd.DataFrame) -> GeneratorHeadline | None:
    """Return what may be said of the best generator; None where none has a mean.

    Args:
        by: who rates.
        means: each generator's row.
        answers: the rater's, as `answers_by` gives them.
    """
    ordered = order_of(means)
    if not ordered:
        return None
    best, *others = ordered
    mean = means[best]
    number = number_text(mean)
    if not others:
        return GeneratorHeadline("alone", by, best, mean, None, (), (), f"{best}: {number} by {by}")
    made = {each.second: each for each in compare_generators(answers[answers.generator.isin(ordered)], best)}
    leads = tuple(made[name] for name in others if name in made)
    said: dict[str, Direction] = {name: direction(made[name]) if name in made else "few" for name in others}
    close = tuple(name for name in others if said[name] != "better")
    if all(each == "few" for each in said.values()):
        kind = "answers" if by in (PEOPLE, SIMULATED) else "scores"
        so_far = f"; so far {best} {number} by {by}, {wording.count(int(mean.n_ratings), kind.removesuffix('s'))}"
        return GeneratorHeadline("few", by, best, mean, None, close, leads, f"Too few {kind} yet to compare generators", so_far)
    if close:
        rest = close[0] if len(close) == 1 else f"{len(close)} others" if len(close) > 3 else wording.listed(close)
        needed = [made[name].prompts_needed for name in close if name in made]
        how_many = undecided(max((each for each in needed if each is not None), default=None))
        main = f"{best} has the highest mean by {by}: {number}"
        not_clear = f"; not clearly better than {rest} ({how_many})"
        return GeneratorHeadline("undecided", by, best, mean, None, close, leads, main, not_clear)
    ahead = made[others[0]]
    lead = f", ahead of {ahead.second} by {number_text(ahead)}"
    return GeneratorHeadline("best", by, best, mean, ahead, (), leads, f"{best} is best by {by}: {number}", lead)


def order_of(means: Mapping[str, Estimate]) -> list[str]:
    """Return generators by their means, the highest first, equal ones by name."""
    return sorted((name for name in means if name != ALL), key=lambda name: (-round(means[name].value or 0.0, 12), name))


def pair_headline(difference: GeneratorDifference) -> tuple[str, str]:
    """Return what may be said of the first generator beside the second, and what stands small behind it."""
    about = number_text(difference)
    said, names = direction(difference), (difference.first, difference.second)
    if said == "few":
        return f"Too few answers yet to compare {names[0]} with {names[1]}", f"; so far {about}"
    if said == "undecided":
        not_clear = f" not clearly {'better' if difference.value >= 0 else 'worse'} ({undecided(difference.prompts_needed)})"
        return f"{names[0]} against {names[1]}: {about}", not_clear
    return f"{names[0]} {'beats' if said == 'better' else 'is below'} {names[1]}: {about}", ""


@dataclass(frozen=True, slots=True)
class PeopleLevel:
    """People's own level beside a scorer: one person in its place, by the same statistic on the same images.

    Attributes:
        scorer: the scorer's name.
        value, low, high: what a person reaches; None without one.
        beside: what the scorer reaches in the same places.
        reason: why there is no level.
    """

    scorer: str
    value: float | None
    low: float | None
    high: float | None
    beside: float | None
    reason: str | None

    @property
    def label(self) -> str:
        """The name of a band, or why none is drawn."""
        if self.value is None:
            return f"no level of people: {self.reason}"
        return f"one person in {self.scorer}’s place"

    @property
    def text(self) -> str:
        """The level as part of a sentence, or why there is none."""
        if self.value is None:
            return self.label
        own = "" if self.beside is None else f", {self.scorer} {wording.two(self.beside)}"
        return f"one person in its place {wording.two(self.value)}{own}"


def people_level(row: Estimate) -> PeopleLevel:
    """Return people's level beside a scorer's row of agreement (`raters`)."""
    ceiling = row.ceiling
    scorer = str(row.rater)
    if ceiling is None or ceiling.value is None:
        reason = reason_sentences.text_or_none(ceiling.reason if ceiling else None)
        reason = reason or f"nobody was put in its place by {wording.title(row.statistic)}"
        return PeopleLevel(scorer, None, None, None, None, reason)
    return PeopleLevel(scorer, ceiling.value, ceiling.low, ceiling.high, ceiling.verdict.scorer, None)


def verdict_beside_people(row: Estimate) -> str:
    """Return where a scorer stands beside people, or that nothing tells yet; "" where there is no verdict to be had."""
    if row.ceiling is None:
        return ""
    standing = row.ceiling.verdict
    if standing.verdict:
        return wording.verdict(standing.verdict)
    if standing.prompts_needed is not None:
        return undecided(standing.prompts_needed)
    reason = standing.verdict_reason
    if reason == FINER:
        return "not below people"
    known = row.ceiling.value is not None and standing.scorer is not None
    return undecided(None) if known and reason not in (None, NO_INTERVALS, SAW_LABELS) else ""


def closest(rows: Iterable[Estimate], statistic: str | None, task: str = ALL) -> Estimate | None:
    """Return the row of the scorer with the highest agreement by a statistic; of equal ones the first by name."""
    mine = [row for row in rows if (row.task, row.statistic, row.target) == (task, statistic, None) and row.value is not None]
    return min(mine, key=lambda row: (-(row.value or 0.0), row.rater or ""), default=None)


def agrees(row: Estimate) -> bool:
    """Return True if a scorer's agreement with people is above 0 for sure, on enough answers."""
    return row.low is not None and row.low > 0 and row.n_ratings >= FEWEST_ANSWERS


def scorer_headline(row: Estimate, who: str, *, intervals: bool = True) -> tuple[str, str]:
    """Return what may be said of the scorer that is closest to people, and what stands small behind it.

    Args:
        row: the scorer's row of agreement.
        who: `people` or `simulated people`.
        intervals: whether intervals have been made; without, the numbers stand alone.
    """
    title, number = wording.title(row.statistic), number_text(row)
    so_far = f"; the closest so far: {row.rater} {title} {number} on {wording.count(row.n_items, 'image')}"
    if intervals and (row.low is None or row.n_ratings < FEWEST_ANSWERS):
        return f"Too few answers yet to compare scorers with {who}", so_far
    if intervals and not agrees(row):
        return f"No scorer clearly agrees with {who} yet", so_far
    parts = [people_level(row).text, verdict_beside_people(row)]
    return f"{row.rater} agrees with {who}: {title} {number}", "".join(f"; {part}" for part in parts if part)


def paradox(people: Mapping[str, Estimate], aspect: str) -> str:
    """Return why kappa is low although people agree, where that is because nearly all answers are alike; else "".

    Args:
        people: numbers of people among themselves, by statistic.
        aspect: the question.
    """
    values = {name: row.value for name, row in people.items() if row.value is not None}
    name = next((name for name in ("cohen_kappa", "fleiss_kappa") if name in values), None)
    if aspect not in YES_NO_ASPECTS or name is None or not {"percent_agreement", "gwet_ac1", "mean"} <= values.keys():
        return ""
    if values["percent_agreement"] < HIGH or values["gwet_ac1"] - values[name] < GAP:
        return ""
    mean = values["mean"]
    word, common = ("yes", mean) if mean > 0.5 else ("no", 1 - mean)
    return (
        f"{wording.title(name)} is only {wording.two(values[name])}, as {wording.percent(common)} of the answers are {word}"
        " and chance alone would agree nearly as often (the prevalence paradox); AC1, which expects less of chance, is"
        f" {values['gwet_ac1']:z.2f}."
    )


def is_muted(prompts: int | None) -> bool:
    """Return True if a cell's number rests on too few prompts to stand out."""
    return prompts is not None and prompts < FEWEST_PROMPTS


def prompts_by_cell(answers: pd.DataFrame, tasks: Mapping[str, str | None]) -> dict[tuple[str, str], int]:
    """Return on how many prompts each cell rests, by generator and task, `all` included.

    Args:
        answers: as `answers_by` gives them.
        tasks: the task of each item.
    """
    table = answers.assign(task=answers.item.str.split("\n").str[0].map(tasks))[["generator", "task", "prompt"]]
    every = [table, table.assign(task=ALL), table.assign(generator=ALL), table.assign(generator=ALL, task=ALL)]
    counts = pd.concat(every).dropna(subset=["generator", "task"]).groupby(["generator", "task"])["prompt"].nunique()
    cells = zip(counts.index.get_level_values(0), counts.index.get_level_values(1), counts.to_numpy(int), strict=True)
    return {(str(generator), str(task)): int(n) for generator, task, n in cells}
