"""VISOR's Tables III to VII: by each scorer, and by people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agreement import Estimate, Options
from agreement.estimate import ALL
from agreement.suite_metrics.catalogue import (
    METRICS_OF_KIND,
    VISOR_COND,
    VISOR_CONSISTENCY,
    VISOR_N,
    VISOR_OA,
    VISOR_UNCOND,
)
from agreement.visor_study import METRICS as STUDY_METRICS
from agreement.visor_study import QUESTIONS, StudyTables, tables
from concord.common.table import Table
from concord.paper_tables.paper_table import PaperColumn, PaperRow, paper_table
from concord.suite_metrics import study_roles, suite_metrics
from concord.suite_metrics.overview_tables import rater_name
from data.selection import PEOPLE, Selection
from data.store.core import frame
from data.store.core.store import Store

_RELATIONS: Final = ("left", "right", "above", "below")
_NO_OBJECTS: Final = "this rater says nothing of single objects (aspect present), so OA and cond are not known"
_NO_PAIRS: Final = "no prompt of this relation is judged"
_NO_STUDY: Final = "people have not answered VISOR's seven questions: campaigns create --questionnaire visor"
_NO_SCORER: Final = "no scorer has judged what people answered about: score visor"
_BY_THREE: Final = "Images that three people or more answered about."


def visor_tables(store: Store, selection: Selection, options: Options) -> Iterator[Table]:
    """Yield Tables III, VI and VII for each suite and rater, then IV and V for each suite with people's answers."""
    names = [metric.name for metric in METRICS_OF_KIND["visor"]]
    rows = suite_metrics(store, selection, options, names)
    for suite in dict.fromkeys(row.suite for row in rows):
        raters = dict.fromkeys(rater_name(row) for row in rows if row.suite == suite)
        for rater in sorted(raters, key=lambda name: name != PEOPLE):
            yield from _of_rater(suite, rater, [row for row in rows if row.suite == suite and rater_name(row) == rater])
    judgements = frame.frame(store, selection)
    yield from _study(tables(judgements, frame.scales(store), study_roles(store, judgements), options))


def _of_rater(suite: str, rater: str, rows: Sequence[Estimate]) -> Iterator[Table]:
    numbers: dict[tuple[str, str], dict[str, Estimate]] = {}
    for row in rows:
        if row.generator != ALL:
            numbers.setdefault((row.statistic, row.task), {})[row.generator] = row

    def column(title: str, statistic: str, task: str = ALL, lack: str = _NO_OBJECTS) -> PaperColumn:
        return PaperColumn(title, numbers.get((statistic, task), {}), factor=100, lack=lack)

    models = [PaperRow(name) for name in dict.fromkeys(row.generator for row in rows) if name != ALL]
    about = f"{suite}: VISOR’s Table {{}}, judged by {rater}, in per cent: {{}}"
    three = [
        column("OA", VISOR_OA),
        column("uncond", VISOR_UNCOND),
        column("cond", VISOR_COND),
        *(column(str(n), name) for n, name in VISOR_N.items()),
    ]
    yield paper_table(about.format("III", "object accuracy and VISOR"), ["Model"], models, three)
    six = [
        column(f"{title} {relation}", statistic, relation, _NO_PAIRS)
        for title, statistic in (("VISORcond", VISOR_COND), ("OA", VISOR_OA))
        for relation in _RELATIONS
    ]
    yield paper_table(about.format("VI", "by relation"), ["Model"], models, six)
    lack = "no prompt of this relation has an equivalent with images of both objects"
    seven = [column(relation, VISOR_CONSISTENCY, relation, lack) for relation in _RELATIONS]
    yield paper_table(
        about.format("VII", "consistency of equivalent prompts"),
        ["Model"],
        models,
        [*seven, column("Average", VISOR_CONSISTENCY, ALL, lack)],
    )


def _study(study: StudyTables) -> Iterator[Table]:
    questions = [row for row in study.questions if row.people == "real" and row.generator != ALL]
    for suite in dict.fromkeys(row.suite for row in questions) or [""]:
        mine = [row for row in questions if row.suite == suite]
        shares = {"majority_share": "Majority", "unanimous_share": "Unanimous"}
        columns = [
            PaperColumn(f"{generator} {title}", _by_aspect(mine, generator, statistic), factor=100)
            for generator in dict.fromkeys(row.generator for row in mine)
            for statistic, title in shares.items()
        ]
        caption = f"{suite}: VISOR’s Table IV, agreement of people, in per cent".removeprefix(": ")
        if not columns:
            columns = [PaperColumn(title, {}, lack=_NO_STUDY) for title in shares.values()]
        rows = [PaperRow(question.title) for question in QUESTIONS]
        yield paper_table(caption, ["Response"], rows, columns, [_BY_THREE])
    metrics = [row for row in study.metrics if row.people == "real" and row.generator != ALL]
    for suite, rater in dict.fromkeys((row.suite, row.rater) for row in metrics) or [("", "")]:
        mine = [row for row in metrics if (row.suite, row.rater) == (suite, rater)]
        columns = [
            PaperColumn(generator, _by_aspect(mine, generator, "percent_agreement"), factor=100)
            for generator in dict.fromkeys(row.generator for row in mine)
        ] or [PaperColumn("Model", {}, lack=_NO_SCORER if questions else _NO_STUDY)]
        whose = f"{suite}: VISOR’s Table V, {rater} with people’s majority, in per cent" if suite else "VISOR’s Table V"
        yield paper_table(whose, ["Metric"], [PaperRow(name) for name in STUDY_METRICS.values()], columns, [_BY_THREE])


def _by_aspect(rows: Sequence[Estimate], generator: str, statistic: str) -> Mapping[str, Estimate]:
    return {row.aspect: row for row in rows if (row.generator, row.statistic) == (generator, statistic)}
