"""The sections of meta-evaluation: estimates by people's standard (each generator from few labels and the scorers' verdicts);
precision, how sure a generator's mean is, how many labels would make it surer, and how people differ; and scorers: whether each
may replace people, and three questions beside people's own level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreement.estimate import Estimate
from agreement.meta.alternative_annotator import AlternativeAnnotator
from agreement.meta.estimates import EstimateFinding
from agreement.meta.planning import DIFFERENCE, PlannedRow
from agreement.meta.ranking import PAIRWISE, RANK, SOFT, Ranking
from agreement.meta.rater_effects import SEVERITY, RaterEffectRow
from agreement.meta.units import Finding
from concord.common import reason_sentences, wording
from concord.common.estimate_table import MarkedReasons
from concord.common.table import Cell, Column, Field, Table, TableRow, cell, field, numbers, table_of
from concord.headlines import verdict_beside_people
from concord.meta.replacement import ANSWERS, Replacement, replacements
from concord.meta.requests import MEAN
from concord.reporting.material import NAME, Material
from ui.report import figures
from ui.report.sections import ALL, ReportSection, by_topic, generator, marked_cell, topic_of

_MOST_PEOPLE: Final = 30
_ESTIMATES_LEAD: Final = (
    "What people would say on average of all images, had they labelled them: from the labels that a campaign drew by chance and"
    " each scorer’s verdicts of all images (prediction-powered, for new prompts of this kind). Beneath stands its 95 %"
    " interval. Labels saved: so many more labels alone would have an interval as narrow."
)


def estimates_section(material: Material) -> ReportSection | None:
    """A table for each suite, aspect and kind of people: a line for each generator and scorer."""
    findings = material.findings.get(NAME, ())
    rows = [row for row in findings if isinstance(row, EstimateFinding) and row.task == ALL]
    if not rows:
        return None
    tables = [table_of(caption, _ESTIMATE_FIELDS, part, 2) for caption, part in by_topic(rows)]
    return ReportSection("Estimates by people’s standard", (_ESTIMATES_LEAD,), tables=tuple(tables))


def _number(value: float | None, detail: str = "", how: str = "") -> Cell:
    if value is None:
        return Cell("–")
    return Cell(wording.two(value), (detail,) if detail else (), how, exact=value)


_ESTIMATE_FIELDS: Final[Sequence[Field[EstimateFinding]]] = (
    field("Generator", generator),
    field("Scorer", lambda row: row.scorer),
    field(
        "Estimate", lambda row: _number(row.value, _range(row.low, row.high), reason_sentences.text(row.method)), number=True
    ),
    field("Labels alone", lambda row: _number(row.labels_mean, _range(row.labels_low, row.labels_high)), number=True),
    field("Scorer’s mean", lambda row: _number(row.scorer_mean, "" if row.on_scale else "on its own scale"), number=True),
    field("Labels", lambda row: f"{row.n_labelled:,}", number=True),
    field("Other images", lambda row: f"{row.n_unlabelled:,}", number=True),
    field("λ", lambda row: _number(row.power), number=True),
    field("Labels saved", lambda row: cell(row.labels_saved, "z,.0f", "–"), number=True),
)


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{wording.two(low)} to {wording.two(high)}"


def precision_section(material: Material) -> ReportSection | None:
    """How many prompts are enough, and each person's severity."""
    planned = [row for row in material.findings.get("plan", ()) if isinstance(row, PlannedRow)]
    effects = [row for row in material.findings.get("rater_effects", ()) if isinstance(row, RaterEffectRow)]
    # the first design is the one that there is
    first = {_topic(row): row for row in reversed(planned) if row.statistic == MEAN and row.half_width is not None}
    points = tuple(sentence for topic, row in reversed(first.items()) for sentence in _enough(row, planned, topic))
    severity = _severity_table([row for row in effects if row.statistic == SEVERITY and row.value is not None])
    if not points:
        return None
    return ReportSection(
        "How sure, and how many labels more",
        ("From the variance components of the ratings: of prompts, images, people and the rest.",),
        points,
        tables=(severity,) if severity is not None else (),
    )


def _topic(row: Finding) -> tuple[str, str, str]:
    return row.suite, row.aspect, row.people


def _enough(row: PlannedRow, planned: Sequence[PlannedRow], topic: tuple[str, str, str]) -> Iterator[str]:
    people = " (simulated people)" if row.people == "simulated" else ""
    needed = "more than a million" if row.prompts_needed is None else f"{row.prompts_needed:,}"
    yield (
        f"{row.suite}, {row.aspect}{people}: with {wording.count(row.prompts, 'prompt')}, {row.design.images:g} images each and"
        f" {row.design.ratings:g} ratings an image, a generator's mean is known to about ± {row.half_width:.2g};"
        f" ± {row.aim:.2g} needs {needed} prompts."
    )
    apart = next((each for each in planned if _topic(each) == topic and each.statistic == DIFFERENCE), None)
    if apart is not None and apart.prompts_needed is not None:
        yield (
            f"To see that two generators differ by {apart.aim:.2g} (power 0.8) takes"
            f" {wording.count(apart.prompts_needed, 'prompt')}; with today's the power is {apart.power or 0.0:z.2f}."
        )


_SEVERITY_FIELDS: Final[Sequence[Field[RaterEffectRow]]] = (
    field("person", lambda row: row.rater),
    field("of", lambda row: f"{row.suite}, {row.aspect}"),
    field(
        "severity",
        lambda row: Cell(f"{row.value:+z.3f}", (_bounds(row),), reason_sentences.text(row.method), exact=row.value),
        number=True,
    ),
    field("images", lambda row: f"{row.n_items:,}", number=True),
)


def _severity_table(rows: Sequence[RaterEffectRow]) -> Table | None:
    """The persons who differ most from the others."""
    if not rows:
        return None
    most = sorted(rows, key=lambda row: -abs(row.value or 0.0))[:_MOST_PEOPLE]
    notes: tuple[str, ...] = ("How much higher a person rates than the average person, on the same images.",)
    if len(rows) > len(most):
        notes += (f"The {len(most)} who differ most, of {len(rows):,}.",)
    return replace(table_of("People's severity", _SEVERITY_FIELDS, most), notes=notes, folded=True)


def _bounds(row: Finding) -> str:
    return "no interval" if row.low is None or row.high is None else f"{row.low:+z.3f} to {row.high:+z.3f}"


_SCORERS_LEAD: Final = (
    "Three uses: to judge single images (the main statistic of agreement), to choose the better image of a prompt (pairwise"
    " accuracy with calibrated ties; Deutsch, Foster and Freitag 2023), and to order generators (soft pairwise accuracy;"
    " Thompson et al. 2024). Beside each number stands people’s own level on the same images: one person in the scorer’s place,"
    " by the same statistic. A scorer may replace people where it passes the alternative annotator test (Calderon, Reichart and"
    " Dror 2025) and does not agree less with people than they do with each other."
)


def scorers_section(material: Material) -> ReportSection | None:
    """What each scorer may be used for; and folded a line for each scorer of each aspect, over all tasks and generators."""
    ranked = [row for row in material.findings.get("rank", ()) if isinstance(row, Ranking)]
    tests = [row for row in material.findings.get("alt_test", ()) if isinstance(row, AlternativeAnnotator)]
    tables: list[Table] = []
    for caption, part in by_topic(row for row in ranked if row.statistic != RANK):
        here = [row for row in part if row.task == ALL]
        topic = topic_of(part[0])
        tested = [row for row in tests if topic_of(row) == topic]
        if made := replacements(tested, [row for row in material.rows.raters if topic_of(row) == topic], ALL, topic[2]):
            tables.append(replace(_table(caption, here, made), folded=True))
    page = material.first
    drawn = figures.uses(page.trust) if page is not None else None
    points = (*page.trust.sentence.about, page.trust.test) if page is not None and drawn is not None else ()
    if not tables and drawn is None:
        return None
    return ReportSection(
        "What scorers are good for",
        (_SCORERS_LEAD,),
        tuple(filter(None, points)),
        figures=(drawn,) if drawn is not None else (),
        tables=tuple(tables),
    )


def _table(caption: str, rows: Sequence[Ranking], made: Sequence[Replacement]) -> Table:
    notes = MarkedReasons()
    by_statistic = {(row.statistic, row.scorer): row for row in rows if row.generator == ALL}

    def line(name: str, scorer: str | None, answer: Cell, agreed: Estimate | None) -> TableRow:
        estimated = [*(by_statistic.get((statistic, scorer)) for statistic in (PAIRWISE, SOFT)), agreed]
        return TableRow((Cell(name), answer, *(marked_cell(notes, _people, row) for row in estimated)))

    # people's level by the statistic of agreement stands beneath each scorer's number: one person in its place
    body = [line("people", None, Cell(""), None)]
    body += [line(each.scorer, each.scorer, _answer(each, notes), each.agreement) for each in made]
    titles = ("The better image of a prompt", "The order of generators", "People’s verdict")
    columns = (Column("Rater"), Column("May it replace people?"), *numbers(*titles))
    return Table(caption, columns, tuple(body), notes=notes.lines())


def _answer(each: Replacement, notes: MarkedReasons) -> Cell:
    """The answer, and what the test and the ceiling say in two words; why there is no test stands beneath the table."""
    test = each.test
    refused = reason_sentences.text_or_none(test.reason) if test is not None else None
    won = "" if test is None or refused else f"{test.persons_won} of {len(test.persons)} people won"
    details = tuple(part for part in (won, verdict_beside_people(each.agreement) if each.agreement else "") if part)
    return Cell(
        ANSWERS[each.answer], details, " ".join(each.evidence), mark=notes.mark(f"No test: {refused}") if refused else ""
    )


def _people(row: Estimate) -> tuple[str, ...]:
    ceiling = row.ceiling
    return (f"one person {ceiling.value:z.3f}",) if ceiling and ceiling.value is not None else ()
