"""GenEval's Table 2 with its human column, the agreement behind Table 5 and Figure 7, and Table 4's ablation from runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from agreement import Estimate, Options
from agreement.estimate import ALL
from agreement.report.report import SCORE
from agreement.study.cells import TASKS_MEAN
from agreement.suite_metrics.catalogue import GENEVAL_ALL, GENEVAL_ANY, GENEVAL_IMAGES
from concord import agreement
from concord.common import wording
from concord.common.table import Table
from concord.paper_tables.paper_table import PaperColumn, PaperRow, paper_table
from concord.suite_metrics import suite_metrics
from concord.suite_metrics.overview_tables import rater_name
from data.selection import PEOPLE, SIMULATED, Selection
from data.store import runs
from data.store.core.store import Store

_TASKS: Final[Mapping[str, str]] = {
    "single_object": "Single object",
    "two_object": "Two object",
    "counting": "Counting",
    "colors": "Colors",
    "position": "Position",
    "color_attr": "Attribute binding",
}
"""The paper's columns by task."""
_COLOR_TASKS: Final = ("colors", "color_attr")
_NO_TASK: Final = "no image of this task is judged"
_NO_SCORER: Final = "no scorer has judged images of this suite: score geneval"
_NO_CLIPSCORE: Final = "no scorer of that kind has scored these images: score clipscore"
_NO_PEOPLE: Final = "no person has judged these images; simulated people are not counted"
_HUMAN: Final = "Human is the mean of people’s answers over all images; Overall is the mean over tasks."
_INTERANNOTATOR: Final = "Interannotator"
_FIRST: Final = (
    "Interannotator is the first answer about an image against each other one, as the paper counts; a scorer stands against"
    " each answer. Overall is the mean over tasks."
)


@dataclass(frozen=True, slots=True)
class _SuiteNumbers:
    """What the tables of one suite are made of.

    Attributes:
        metrics: the suite's metrics.
        rows: agreement of scorers and people about `correct`, and people among themselves; real people.
        means: scorers' own means of `score`.
        thresholded: agreement of scores that are turned into yes and no.
        scorer_runs: settings by rater, of runs of scorers, with the scorer's name.
    """

    suite: str
    metrics: Sequence[Estimate]
    rows: Sequence[Estimate]
    means: Sequence[Estimate]
    thresholded: Sequence[Estimate]
    scorer_runs: Mapping[str, tuple[str, Mapping[str, Any]]]

    @property
    def tasks(self) -> dict[str, str]:
        """Return the paper's tasks, then those that only this suite has, with their titles."""
        others = (row.task for row in self.metrics if row.task not in (*_TASKS, ALL, TASKS_MEAN))
        return {**_TASKS, **{name: wording.task(name).capitalize() for name in others}}


def geneval_tables(store: Store, selection: Selection, options: Options) -> Iterator[Table]:
    """Yield the tables of each suite of prompts in GenEval's form that anybody has judged."""
    metrics = suite_metrics(store, selection, options, (GENEVAL_IMAGES, GENEVAL_ANY, GENEVAL_ALL))
    scorer_runs = {row.rater_id: (row.scorer, row.settings) for row in runs.listed(store)}
    wanted = ("mean", "percent_agreement", "cohen_kappa", "percent_agreement_first_vs_rest", "cohen_kappa_first_vs_rest")
    for suite in dict.fromkeys(row.suite for row in metrics):
        chosen = replace(selection, suite=(suite,), aspect=("correct",))
        asked = replace(options, statistics=wanted, matrix=False)
        made = agreement.compute(store, chosen, asked, agreement.Further(thresholds=True))
        numbers = _SuiteNumbers(
            suite,
            [row for row in metrics if row.suite == suite],
            [row for row in (*made.among_people, *made.raters) if row.people == "real"],
            [row for row in agreement.means(store, replace(chosen, aspect=()), replace(asked, statistics=("mean",)))
             if row.aspect == SCORE],
            [row for row in made.thresholds or () if row.people == "real"],
            scorer_runs,
        )  # fmt: skip
        yield from _scores(numbers)
        yield _agreement(numbers, "percent_agreement", "agreement with people (Table 5, Figure 3)")
        yield _agreement(numbers, "cohen_kappa", "Cohen’s κ with people (Figure 7)")
        yield _ablation(numbers)


def _scores(numbers: _SuiteNumbers) -> Iterator[Table]:
    """Yield Table 2 by each scorer, and by people; any of N and all of N stand beside."""
    raters = dict.fromkeys(rater_name(row) for row in numbers.metrics)
    scorers = [name for name in raters if name not in (PEOPLE, SIMULATED)]
    models = [PaperRow(name) for name in dict.fromkeys(row.generator for row in numbers.metrics) if name != ALL]
    for rater in (*(scorers or [""]), *(name for name in raters if name not in scorers)):
        mine = [row for row in numbers.metrics if rater_name(row) == rater]

        def column(title: str, task: str, statistic: str, mine: Sequence[Estimate] = mine, rater: str = rater) -> PaperColumn:
            own = {row.generator: row for row in mine if (row.statistic, row.task) == (statistic, task)}
            return PaperColumn(title, own, lack=_NO_TASK if rater else _NO_SCORER)

        columns = [column(title, task, GENEVAL_IMAGES) for task, title in numbers.tasks.items()]
        columns.append(column("Overall", TASKS_MEAN, GENEVAL_IMAGES))
        columns += [column("Any of N", ALL, GENEVAL_ANY), column("All of N", ALL, GENEVAL_ALL)]
        columns += _clipscores(numbers)
        human = {row.generator: row for row in numbers.rows if (row.statistic, row.task, row.rater) == ("mean", ALL, "")}
        columns.append(PaperColumn("Human", human, lack=_NO_PEOPLE))
        whose = f"judged by {rater}" if rater else "no scorer"
        yield paper_table(f"{numbers.suite}: GenEval’s Table 2, {whose}", ["Model"], models, columns, [_HUMAN])


def _clipscores(numbers: _SuiteNumbers) -> list[PaperColumn]:
    raters = [
        name
        for name in dict.fromkeys(row.rater for row in numbers.means)
        if numbers.scorer_runs.get(name, ("",))[0] == "clipscore" or "clipscore" in name.casefold()
    ]
    if not raters:
        return [PaperColumn("CLIPScore", {}, lack=_NO_CLIPSCORE)]
    return [
        PaperColumn(
            f"CLIPScore ({name})" if len(raters) > 1 else "CLIPScore",
            {row.generator: row for row in numbers.means if (row.rater, row.task) == (name, ALL)},
            form="z.3g",
        )
        for name in raters
    ]


def _agreement(numbers: _SuiteNumbers, statistic: str, title: str) -> Table:
    """Return a statistic of each scorer beside people, of cut scores, and of people among themselves, by task."""
    by_row: dict[tuple[str, str], Estimate] = {}
    for row in _agreeing(numbers, statistic):
        if row.generator == ALL:
            by_row[_method(row, numbers), row.task] = row
    methods = list(dict.fromkeys(name for name, _ in by_row if name != _INTERANNOTATOR))
    columns = [
        PaperColumn(title, {name: row for (name, of), row in by_row.items() if of == task}, "z.3f", lack=_NO_PEOPLE)
        for task, title in {TASKS_MEAN: "Overall", **numbers.tasks}.items()
    ]
    rows = [PaperRow(name) for name in (*methods, _INTERANNOTATOR)]
    notes = [_FIRST] if methods else [f"Scorers: {_NO_SCORER}.", _FIRST]
    return paper_table(f"{numbers.suite}: GenEval’s {title}", ["Method"], rows, columns, notes)


def _agreeing(numbers: _SuiteNumbers, statistic: str) -> Iterator[Estimate]:
    for row in numbers.rows:
        if row.statistic == (statistic if row.rater else f"{statistic}_first_vs_rest"):
            yield row
    yield from (row for row in numbers.thresholded if row.statistic == statistic)


def _method(row: Estimate, numbers: _SuiteNumbers) -> str:
    cut = any(row is each for each in numbers.thresholded)
    return f"{row.rater} (best threshold of each task)" if cut else row.rater or _INTERANNOTATOR


def _ablation(numbers: _SuiteNumbers) -> Table:
    """Return Table 4: Cohen's kappa of each setting of the colour classifier that runs of `geneval` have."""
    settings = {
        rater: (bool(of.get("crop", 1)), of.get("background") != "original")
        for rater, (scorer, of) in numbers.scorer_runs.items()
        if scorer == "geneval" and any(row.rater == rater for row in numbers.metrics)
    }
    marks = {True: "yes", False: "no"}
    rows = [
        PaperRow(rater, (rater, marks[crop], marks[mask]))
        for rater, (crop, mask) in sorted(settings.items(), key=lambda pair: (pair[1][1], pair[1][0], pair[0]))
    ]
    notes = [
        f"Crop {marks[crop]}, mask {marks[mask]}: no run of the scorer has these settings: score geneval --set crop={int(crop)}"
        f"{'' if mask else ' --set background=original'}."
        for mask in (False, True)
        for crop in (False, True)
        if (crop, mask) not in settings.values()
    ]
    rows += [PaperRow(name, (name, "–", "–")) for name in _others(numbers, settings)]
    kappas = [row for row in _agreeing(numbers, "cohen_kappa") if row.generator == ALL]
    by_task = {task: {_method(row, numbers): row for row in kappas if row.task == task} for task in _COLOR_TASKS}
    columns = [PaperColumn(_TASKS[task], by_task[task], lack=_NO_PEOPLE) for task in _COLOR_TASKS]
    title = f"{numbers.suite}: GenEval’s Table 4, Cohen’s κ of the colour classifier’s settings"
    return paper_table(title, ["Method", "Crop", "Mask"], rows, columns, [*notes, _FIRST])


def _others(numbers: _SuiteNumbers, settings: Mapping[str, object]) -> list[str]:
    scored = dict.fromkeys(_method(row, numbers) for row in numbers.thresholded)
    return [*(name for name in scored if name not in settings), _INTERANNOTATOR]
