"""The section on scorers: whether each may replace people, and three questions beside people's own level."""

from __future__ import annotations

from collections.abc import Sequence

from agreement.meta.ranking import PAIRWISE, RANK, SOFT
from agreement.report.report import glance
from concord.common import wording
from concord.meta.replacement import ANSWERS, Replacement, replacements
from ui.report.sections import (
    ALL,
    Heading,
    Material,
    Notes,
    ReportCell,
    ReportSection,
    ReportTable,
    Row,
    by_topic,
    estimate_cell,
)

_LEAD = (
    "A scorer may replace people where it passes the alternative annotator test (Calderon, Reichart and Dror 2025) and does not"
    " agree less with people than they do with each other. Three questions: does it choose the better image of a prompt"
    " (pairwise accuracy with calibrated ties; Deutsch, Foster and Freitag 2023), does it order the generators (soft pairwise"
    " accuracy; Thompson et al. 2024), does it give people’s verdict (the main statistic of agreement)? Beneath a number stands"
    " people’s own level on the same images."
)


def scorers_section(material: Material) -> ReportSection | None:
    """A line of a table for each scorer of each aspect, over all tasks and generators."""
    ranked, tests = material.rows.get("rank", []), material.rows.get("alt_test", [])
    tables: list[ReportTable] = []
    for caption, part in by_topic(row for row in ranked if row["statistic"] != RANK):
        here = [row for row in part if row["task"] == ALL]
        topic = tuple(part[0][name] for name in ("suite", "aspect", "people"))
        about = [[row for row in rows if _topic(row) == topic] for rows in (tests, material.rows.get("raters", []))]
        made = replacements(about[0], about[1], ALL, part[0]["people"])
        if not made:
            continue
        own = [row for row in material.rows.get("among_people", []) if _topic(row) == topic and _everywhere(row)]
        among = next((row for row in glance(own)[0] if row["value"] is not None), None)
        tables.append(_table(caption, here, among, made))
    return ReportSection("What scorers are good for", (_LEAD,), tables=tuple(tables)) if tables else None


def _topic(row: Row) -> tuple[str, ...]:
    return row["suite"], row["aspect"], row["people"]


def _everywhere(row: Row) -> bool:
    return (row["task"], row["generator"], row["target"]) == (ALL, ALL, None)


def _table(caption: str, rows: Sequence[Row], among: Row | None, made: Sequence[Replacement]) -> ReportTable:
    notes = Notes()
    by_statistic = {(row["statistic"], row["scorer"]): row for row in rows if row["generator"] == ALL}

    def line(name: str, scorer: str | None, answer: ReportCell, agreed: Row | None) -> tuple[ReportCell, ...]:
        estimated = [*(by_statistic.get((statistic, scorer)) for statistic in (PAIRWISE, SOFT)), agreed]
        return (ReportCell(name), answer, *(estimate_cell(row, -1, notes.mark, _people) for row in estimated))

    body = [line("people", None, ReportCell(""), among)]
    body += [line(each.scorer, each.scorer, _answer(each, notes), each.agreement) for each in made]
    titles = ("The better image of a prompt", "The order of generators", "People’s verdict")
    headings = (Heading("Rater", number=False), Heading("May it replace people?", number=False), *map(Heading, titles))
    return ReportTable(caption, headings, tuple(body), 1, notes.lines())


def _answer(each: Replacement, notes: Notes) -> ReportCell:
    """The answer, and what the test and the ceiling say in two words; why there is no test stands beneath the table."""
    test, ceiling = each.test, (each.agreement or {}).get("ceiling") or {}
    refused = test["reason"] if test is not None else None
    won = (
        ""
        if test is None or refused
        else f"{sum(person['won'] for person in test['persons'])} of {len(test['persons'])} people won"
    )
    details = tuple(part for part in (won, wording.verdict(ceiling.get("verdict") or "")) if part)
    return ReportCell(
        ANSWERS[each.answer], details, " ".join(each.evidence), mark=notes.mark(f"No test: {refused}") if refused else ""
    )


def _people(row: Row) -> tuple[str, ...]:
    ceiling = row.get("ceiling")
    return (f"people {ceiling['value']:.3f}",) if ceiling and ceiling["value"] is not None else ()
