"""TIFA's Table 1 of a suite's questions, Table 2 of metrics beside people's ratings, and Table 3 of VQA models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Final

from agreement import Estimate, Options
from agreement.estimate import ALL
from agreement.questions.people import TIFA_CORRELATION, VQA_ACCURACY
from agreement.questions.scores import GroupStatistic
from concord import agreement
from concord.common.table import Table
from concord.paper_tables.paper_table import CountedNumber, PaperColumn, PaperRow, paper_table
from concord.questions.scores import REAL, question_statistics
from data.aspects import NO, YES
from data.prompts.questions import PromptQuestion
from data.records import Prompt
from data.selection import Selection
from data.store import library
from data.store.core.store import Store

_COCO: Final = "coco"
_ASPECT: Final = "faithfulness"
_NO_QUESTIONS: Final = "no prompt of this suite has questions: import questions FILE"
_NO_SCORER: Final = "no scorer has scored the images that people rated: score tifa"
_NO_PEOPLE: Final = "no person has rated images from 1 to 5: campaigns create --questionnaire tifa_likert"
_NO_ANSWERS: Final = "no person has answered the questions that this model answered: campaigns create --questionnaire tifa_vqa"
_PEARSON: Final = "What the paper prints as Spearman’s ρ is Pearson’s r (numpy’s corrcoef in its notebook), its τ is τ-b."


def tifa_tables(store: Store, selection: Selection, options: Options) -> Iterator[Table]:
    """Yield the tables of each suite with questions, ratings of faithfulness, or answers."""
    suites = [suite for suite in library.suites(store) if not selection.suite or suite in selection.suite]
    chosen = replace(selection, aspect=(_ASPECT,))
    asked = replace(options, statistics=("spearman", "kendall_tau_b", "pearson"), matrix=False)
    rows = [row for row in agreement.recall(store, chosen, asked).raters if row.people == "real"]
    rated = {row.suite for row in rows}
    answered = [row for row in question_statistics(store, selection, options=options).people if row.people == REAL]
    for suite in suites:
        prompts = library.prompts_of_suite(store, suite)
        questions = library.current_questions(store, [prompt.prompt_id for prompt in prompts])
        by_prompt = {name: version.questions for name, version in questions.items() if version.questions}
        mine = [row for row in answered if row.suite == suite]
        if not by_prompt and suite not in rated and not mine:
            continue
        yield _benchmark(suite, [prompt for prompt in prompts if prompt.prompt_id in by_prompt], by_prompt)
        yield _correlations(suite, [row for row in rows if row.suite == suite])
        yield _models(suite, mine)


def _benchmark(suite: str, prompts: Sequence[Prompt], questions: dict[str, tuple[PromptQuestion, ...]]) -> Table:
    every = [question for asked in questions.values() for question in asked]
    binary = sum({choice.casefold() for choice in question.choices} == {YES, NO} for question in every)
    coco = sum(prompt.task == _COCO for prompt in prompts)
    counts = {
        "# of prompts": len(prompts),
        "- # of COCO captions": coco,
        "- # of other prompts": len(prompts) - coco,
        "# of questions": len(every),
        "- # of binary questions": binary,
        "- # of multiple-choice questions": len(every) - binary,
    }
    averages = {
        "avg. # of questions per prompt": [len(asked) for asked in questions.values()],
        "avg. # of words per prompt": [len(prompt.text.split()) for prompt in prompts],
        "avg. # of elements per prompt": [len({question.element for question in asked}) for asked in questions.values()],
    }
    caption, rows = f"{suite}: TIFA’s Table 1, its prompts and questions", [PaperRow(name) for name in counts]
    if not every:
        return paper_table(caption, ["Statistics"], rows, [PaperColumn("Number", {}, lack=_NO_QUESTIONS)])
    made = {name: CountedNumber(float(n)) for name, n in counts.items()}
    whole = paper_table(caption, ["Statistics"], rows, [PaperColumn("Number", made, "z,.0f")])
    means = {name: CountedNumber(fmean(values)) for name, values in averages.items()}
    below = paper_table(caption, ["Statistics"], [PaperRow(name) for name in means], [PaperColumn("Number", means, "z.1f")])
    return replace(whole, rows=(*whole.rows, *below.rows))


def _correlations(suite: str, rows: Sequence[Estimate]) -> Table:
    whole = [row for row in rows if (row.generator, row.task) == (ALL, ALL)]
    metrics = [PaperRow(name) for name in dict.fromkeys(row.rater for row in whole)]
    titles = {"spearman": "Spearman’s ρ", "kendall_tau_b": "Kendall’s τ", "pearson": "Pearson’s r"}
    columns = [
        PaperColumn(
            title, {row.rater: row for row in whole if row.statistic == name}, "z.1f", 100, _NO_SCORER if rows else _NO_PEOPLE
        )
        for name, title in titles.items()
    ]
    return paper_table(
        f"{suite}: TIFA’s Table 2, each metric beside people’s mean rating of faithfulness, times 100",
        ["Metric"],
        metrics,
        columns,
        [_PEARSON],
    )


def _models(suite: str, rows: Sequence[GroupStatistic]) -> Table:
    whole = [row for row in rows if row.by == ALL and row.rater]
    titles = {VQA_ACCURACY: "VQA Acc.", TIFA_CORRELATION: "TIFA Corr."}
    columns = [
        PaperColumn(
            str(rater),
            {titles[row.statistic]: row for row in whole if row.rater == rater and row.statistic in titles},
            "z.1f",
            100,
        )
        for rater in dict.fromkeys(row.rater for row in whole)
    ] or [PaperColumn("VQA model", {}, lack=_NO_ANSWERS)]
    caption = f"{suite}: TIFA’s Table 3, VQA models beside people’s answers to the same questions, times 100"
    return paper_table(caption, [""], [PaperRow(title) for title in titles.values()], columns)
