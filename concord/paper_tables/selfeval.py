"""SelfEval's six tasks: accuracy beside chance, and winning votes of people beside metrics of two generators (Tables 2, 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agreement import Estimate, Options
from agreement.estimate import ALL
from agreement.matching import CHANCE
from agreement.preferences import RankCorrelation
from agreement.suite_metrics.catalogue import SELFEVAL_ABOVE_CHANCE, SELFEVAL_ACCURACY
from concord.common import wording
from concord.common.table import Table
from concord.comparison import matching, preferences
from concord.comparison.preferences import PreferenceRows
from concord.paper_tables.paper_table import CountedNumber, PaperColumn, PaperNumber, PaperRow, paper_table
from concord.suite_metrics import suite_metrics
from concord.suite_metrics.overview_tables import rater_name
from data.selection import Selection
from data.store.core.store import Store

_TASKS: Final[Mapping[str, str]] = {
    "attribute": "Attribute binding",
    "color": "Color",
    "count": "Count",
    "shape": "Shape",
    "spatial": "Spatial",
    "corruption": "Text corruption",
}
"""The paper's columns, each by a word that names its tasks here."""
_NO_TASK: Final = "nobody has chosen captions of images of this task: import itm FILE, then score selfeval"
_NO_VOTE: Final = "nobody has voted on images of this task: campaigns create --questionnaire ab"
_HUMANS: Final = "Humans: winning votes; ties count for neither. Metrics: the mean of each generator’s images."
_RANDOM: Final = "Random"


def selfeval_tables(store: Store, selection: Selection, options: Options) -> Iterator[Table]:
    """Yield the six tasks of each suite with captions, and the votes of each suite on which people have voted."""
    figures = matching.statistics(store, selection, options)
    metrics = suite_metrics(store, selection, options, (SELFEVAL_ACCURACY, SELFEVAL_ABOVE_CHANCE))
    for suite in dict.fromkeys(row.suite for row in metrics):
        chance = {row.group: row for row in figures.matching if (row.suite, row.statistic) == (suite, CHANCE)}
        mine = [row for row in metrics if row.suite == suite]
        yield _accuracies(suite, mine, chance, SELFEVAL_ACCURACY, "accuracy (Table 5)")
        yield _accuracies(suite, mine, {}, SELFEVAL_ABOVE_CHANCE, "accuracy less chance (Figure 4)")
    votes = preferences.rows(store, selection, options)
    for suite in dict.fromkeys(poll.suite for poll in votes.polls if poll.people()):
        yield from _votes(suite, votes.of_suite(suite))


def _columns(tasks: Sequence[str]) -> dict[str, str]:
    """Return the paper's columns by the tasks that are here, and those of other tasks behind them."""
    titles = {}
    for word, title in _TASKS.items():
        titles[next((task for task in tasks if word in task.casefold()), word)] = title
    return titles | {task: wording.task(task).capitalize() for task in tasks if task not in titles}


def _accuracies(suite: str, rows: Sequence[Estimate], chance: Mapping[str, PaperNumber], statistic: str, title: str) -> Table:
    made: dict[str, dict[str, PaperNumber]] = {task: {_RANDOM: number} for task, number in chance.items()}
    names: dict[str, tuple[str, ...]] = {_RANDOM: (_RANDOM, "")} if chance else {}
    for row in rows:
        if row.statistic == statistic:
            key = f"{rater_name(row)}\0{row.generator}"
            names[key] = (rater_name(row), row.generator)
            made.setdefault(row.task, {})[key] = row
    titles = _columns([task for task in made if task != ALL])
    every = {**titles, ALL: "All images"}
    columns = [PaperColumn(heading, made.get(task, {}), "z.1f", 100, _NO_TASK) for task, heading in every.items()]
    caption = f"{suite}: SelfEval’s six tasks, {title}, in per cent"
    return paper_table(caption, ["Model", "Images of"], [PaperRow(key, name) for key, name in names.items()], columns)


def _votes(suite: str, rows: PreferenceRows) -> Iterator[Table]:
    """Yield a table for each two generators: people's winning votes, and each metric's means."""
    people = [row for row in rows.votes if row.kind == "people" and row.people == "real"]
    for contest in dict.fromkeys(row.contest for row in people):
        numbers: dict[tuple[str, str], dict[str, PaperNumber]] = {}
        for row in people:
            if row.contest == contest:
                for generator, votes in ((contest.a, row.a_wins), (contest.b, row.b_wins)):
                    numbers.setdefault((row.task, generator), {})["Humans"] = CountedNumber(float(votes))
        metrics = [row for row in rows.ranks if row.people == "real"]
        for metric in metrics:
            _add_means(numbers, metric)
        titles = _columns([task for task in dict.fromkeys(task for task, _ in numbers) if task != ALL])
        columns = [
            PaperColumn(f"{heading} {generator}", numbers.get((task, generator), {}), "z.4g", lack=_NO_VOTE)
            for task, heading in titles.items()
            for generator in (contest.a, contest.b)
        ]
        named = [PaperRow(name) for name in dict.fromkeys(("Humans", *(metric.voter for metric in metrics)))]
        caption = f"{suite}: SelfEval’s Tables 2 and 3, votes for {contest.a} and {contest.b} beside metrics"
        yield paper_table(caption, ["Method"], named, columns, [_HUMANS])


def _add_means(numbers: dict[tuple[str, str], dict[str, PaperNumber]], metric: RankCorrelation) -> None:
    for point in metric.points:
        numbers.setdefault((point.task, point.generator), {})[metric.voter] = CountedNumber(point.mean)
