"""Sections of results: each generator's scores, people among themselves, scorers against people and each other, confusion
tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from agreement import Comparison, Estimate
from agreement.generators import GeneratorDifference
from agreement.report.ceiling import MARGIN_OF_COEFFICIENTS, MARGIN_OF_SHARES
from agreement.report.scorer_vs_scorer import McNemar
from agreement.thresholds import ChosenCuts, ThresholdAgreement
from concord.common import wording
from concord.common.confusion_table import Crossings, confusion_table
from concord.common.estimate_table import MarkedReasons, Names, glance
from concord.common.table import Cell, Column, Field, Table, TableRow, cell, field, numbers, table_of
from concord.headlines import direction, verdict_beside_people
from concord.reporting.first_page import FirstPage
from concord.reporting.material import Confusion, Material
from concord.scope import MAIN_ASPECTS
from ui.components.dots import interval_text
from ui.report import figures
from ui.report.sections import (
    ALL,
    COMPARED,
    TASKS_MEAN,
    AddDetails,
    ReportFigure,
    ReportSection,
    by_topic,
    column_names,
    estimates_tables,
    evenly,
    generator,
    marked_cell,
    topic_of,
)

PEOPLE = "people"
MAIN_STATISTICS = ("cohen_kappa", "spearman")
_WIDEST = 8
_LEAD = (
    "The mean of what was said: of yes and no, the share of yes. A scorer’s mean stands beside people’s on the images that "
    "both judged. A scorer’s own number (“score”), and whatever people have not judged, stands over all images that it saw. "
    "Intervals are 95 %, over prompts."
)


def generators_section(material: Material) -> ReportSection | None:
    """The main question's generators by all raters, beside the best one, and by task; folded, the means of every question."""
    people = [row for row in material.rows.among_people if row.statistic == "mean"]
    scorers = [row for row in material.rows.raters if row.statistic == "mean"]
    rows = [*people, *scorers, *(material.rows.scorer_means or ())]
    if not rows:
        return None
    page = material.first
    tables = _main_tables(page) if page is not None else []
    about = page.scope if page is not None else None
    for caption, part in by_topic(rows):
        suite, aspect, _ = topic_of(part[0])
        # what stands above already, and parts of an answer, open by a click
        folded = about is not None and (suite == about.suite or aspect not in MAIN_ASPECTS)
        wholes = [row for row in part if row.task == ALL and row.target is None]
        tables += [replace(each, folded=folded) for each in _scores_tables(caption, {"Generator": generator}, wholes, _who)]
        each = {title: of for title, of in column_names(part).items() if title != "Generator"}
        further = _scores_tables(f"{caption}: each task", each, part, lambda row: f"{generator(row)}: {_who(row)}")
        tables += [replace(table, folded=folded or bool(wholes)) for table in further]
    return ReportSection("Generators", (_LEAD,), tables=tuple(tables))


def _main_tables(page: FirstPage) -> list[Table]:
    """Return the board's means, the best generator beside each other one, and the first rater's means by task."""
    board = page.board
    made = [name for name in board.generators if any((name, each.name, ALL) in board.cells for each in board.raters)]
    raters = [each.name for each in board.raters]
    caption = f"{page.scope.suite}: mean by rater, generators from the best by {raters[0] if raters else PEOPLE} on"
    means = {(name, rater): board.cells.get((name, rater, ALL)) for name in made for rater in raters}
    turned = len(raters) > len(made)
    lines, columns = (raters, made) if turned else (made, raters)
    tables = _grid(
        caption, "Rater" if turned else "Generator", lines, columns, lambda a, b: means[(b, a) if turned else (a, b)]
    )
    if board.leads:
        tables.append(table_of(f"{board.leads[0].first} beside each other generator", _LEAD_FIELDS, board.leads))
    if board.tasks and raters:
        cells = board.cells
        tables += _grid(
            f"{page.scope.suite}: mean by {raters[0]} and task",
            "Task",
            board.tasks,
            made,
            lambda a, b: cells.get((b, raters[0], a)),
        )
    return tables


def _grid(
    caption: str, name: str, lines: Sequence[str], columns: Sequence[str], of: Callable[[str, str], Estimate | None]
) -> list[Table]:
    """Return estimates of lines and columns as tables that fit on a page; none without columns."""
    if not columns:
        return []
    parts = evenly(columns, _WIDEST)
    titles = [caption, *[f"{caption}, continued"] * (len(parts) - 1)]
    return [
        _scores_table(
            title,
            (name,),
            {
                (wording.task(line) if name == "Task" else line,): {column: row for column in part if (row := of(line, column))}
                for line in lines
            },
            part,
        )
        for title, part in zip(titles, parts, strict=True)
    ]


_SAID: Mapping[str, str] = {"better": "behind", "worse": "ahead", "undecided": "undecided", "few": "too few answers"}
_LEAD_FIELDS: Sequence[Field[GeneratorDifference]] = (
    field("Generator", lambda row: row.second),
    field("Difference", lambda row: Cell(wording.two(row.value), exact=row.value), number=True),
    field("95 % interval", lambda row: interval_text(row) or "none", number=True),
    field(
        "p, Holm",
        lambda row: "< 0.001" if row.p_holm is not None and row.p_holm < 0.001 else cell(row.p_holm, "z.3f", "–"),
        number=True,
    ),
    field("Prompts better / same / worse", lambda row: f"{row.wins:,} / {row.ties:,} / {row.losses:,}", number=True),
    field("So it is", lambda row: _SAID[direction(row)]),
)


def _scores_tables(caption: str, names: Names, rows: Sequence[Estimate], column: Callable[[Estimate], str]) -> list[Table]:
    """Means: lines by ``names``, and a column for each ``column``, people's first; the highest of the first column first."""
    if not rows:
        return []
    lines: dict[tuple[str, ...], dict[str, Estimate]] = {}
    makers = {generator(row): n for n, row in reversed([*enumerate(rows)])}
    for row in rows:
        lines.setdefault(tuple(of(row) for of in names.values()), {})[column(row)] = row
    ordered = sorted(rows, key=lambda row: (makers[generator(row)], _who(row) != PEOPLE, _who(row)))
    columns = list(dict.fromkeys(column(row) for row in ordered))
    if tuple(names) == ("Generator",):
        first = {key: line[columns[0]].value if columns[0] in line else None for key, line in lines.items()}
        whole = generator(Estimate())
        order = sorted(lines, key=lambda key: (key == (whole,), first[key] is None, -(first[key] or 0.0)))
        lines = {key: lines[key] for key in order}
    parts = evenly(columns, _WIDEST)
    titles = [caption, *[f"{caption}, continued"] * (len(parts) - 1)]
    return [_scores_table(title, tuple(names), lines, part) for title, part in zip(titles, parts, strict=True)]


def _who(row: Estimate) -> str:
    return row.rater or PEOPLE


def _shared_size(rows: Iterable[Estimate]) -> int:
    """Return on how many images all of these rest; -1 where that differs."""
    sizes = {row.n_items for row in rows}
    return next(iter(sizes)) if len(sizes) == 1 else -1


def _scores_table(
    caption: str, names: Sequence[str], lines: dict[tuple[str, ...], dict[str, Estimate]], columns: Sequence[str]
) -> Table:
    notes = MarkedReasons()
    n_items = _shared_size(line[name] for line in lines.values() for name in columns if name in line)
    body = []
    for key, line in lines.items():
        cells = [line[name] for name in columns if name in line]
        # every number says how many images it rests on, unless all of its line, or of the table, rest on as many
        of_line = _shared_size(cells)
        names_of_line = [*map(Cell, key[:-1]), Cell(key[-1], (f"n = {of_line:,}",) if of_line >= 0 > n_items else ())]
        if cells:
            body.append(TableRow((*names_of_line, *(marked_cell(notes, None, line.get(name), of_line) for name in columns))))
    each = (f"n = {n_items:,} images each.",) if n_items >= 0 else ()
    return Table(caption, (*map(Column, names), *numbers(*columns)), tuple(body), len(names), notes=(*each, *notes.lines()))


_CEILING = (
    "Beneath a scorer’s number stands people’s own by the same statistic, with one person (or one rating) held against the "
    "others on the same items, and where that leaves the scorer beside these people, on other prompts: equivalent, if by two "
    "one-sided tests at 5 % it is within {margin} of them; else below or above, if the 95 % interval of the difference leaves "
    "0 out and p is below .05; else about how many more prompts would tell in four of five studies. All p have one prompt more "
    "that says the opposite, and are corrected by Holm’s method over all scorers and tasks by one statistic. "
    "Where a score meets yes or no (AUC and correlations) only "
    "“below” is said: there a person answers in two values, and a finer score can lie above that without knowing more."
)
_CUT = (
    "A score says yes or no by a threshold. For each task, and for all, the one that agrees best with people is chosen on four "
    "fifths of the prompts and judged on the fifth, for each fifth: these are the numbers here. The threshold shown is chosen "
    "on all of them; beneath a number stands what it reaches on the data that it was chosen on (in sample)."
)
_PREVALENCE = (
    "Where nearly all answers are alike, κ and α can be near 0 although raters nearly always agree: chance alone would make "
    "them agree. Read agreement, κ, AC1 and the mean (how common yes is) together."
)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """A section of one comparison: its title, what is said of it, what names its rows, and what stands beneath a number."""

    title: str
    text: Callable[[Material], str]
    names: Callable[[Sequence[Estimate]], Names]
    beside: AddDetails | None = None
    figures: Callable[[Material], Sequence[ReportFigure]] = lambda _: ()
    tables: Callable[[str, Sequence[Estimate]], list[Table]] = lambda *_: []
    """Further tables of a topic: its caption and rows."""


def comparison(name: str, material: Material) -> ReportSection | None:
    """The section of some of the report's rows; None where there is nothing to compare."""
    rows, about = material.rows.section(name), _COMPARISONS[name]
    if not rows:
        return None
    tables: list[Table] = []
    for caption, part in by_topic(rows):
        shown, rest = glance(part)
        several = len({row.rater for row in shown}) > 1
        # of many scorers the tasks stand beside each other in a table of their own
        whole = [row for row in shown if row.generator == ALL and row.target is None]
        whole = [row for row in whole if row.task == ALL or not several] or shown
        main_names = about.names(whole)
        if whole != shown:
            main_names = {title: of for title, of in main_names.items() if title != "Generator"}
        main = estimates_tables(caption, main_names, _closest_first(whole), about.beside)
        each = estimates_tables(f"{caption}: each generator", about.names(part), shown, about.beside) if whole != shown else []
        further = estimates_tables(f"{caption}: more statistics", about.names(part), rest, about.beside) if rest else []
        further += about.tables(caption, part)
        printed = name in COMPARED
        tables += [replace(table, folded=not printed) for table in main]
        if printed and several:
            tables += _by_task(caption, part)
        tables += [replace(table, folded=True) for table in (*each, *further)]
    text = about.text(material)
    return ReportSection(about.title, (text,) if text else (), figures=tuple(about.figures(material)), tables=tuple(tables))


def _closest_first(rows: Sequence[Estimate]) -> list[Estimate]:
    """Return the rows with the raters that agree most with people first, where one statistic tells of all that have it."""
    name = next(
        (name for name in MAIN_STATISTICS if any(row.statistic == name and row.value is not None for row in rows)), None
    )
    best = {row.rater: row.value for row in rows if row.statistic == name and row.value is not None and row.task == ALL}
    statistics = sorted(dict.fromkeys(row.statistic for row in rows), key=lambda each: each != name)
    order = {each: n for n, each in enumerate(statistics)}
    if len({row.rater for row in rows}) < 2:
        return list(rows)
    return sorted(rows, key=lambda row: (-(best.get(row.rater) or -2.0), row.rater, order[row.statistic]))


def _by_task(caption: str, rows: Sequence[Estimate]) -> list[Table]:
    """A scale's first statistic of each scorer, a column for each task."""
    defined = [row.statistic for row in glance(rows)[0] if row.value is not None]
    # the one that the first page shows, where there is one
    statistic = next((name for name in MAIN_STATISTICS if name in defined), defined[0] if defined else None)
    shown = [
        row
        for row in rows
        if (row.statistic, row.generator, row.target) == (statistic, ALL, None) and row.task not in (ALL, TASKS_MEAN)
    ]
    if len({row.task for row in shown}) < 2:
        return []
    title = f"{caption}: {wording.title(str(statistic))} by task"
    return _scores_tables(title, {"Scorer": lambda row: str(row.rater)}, shown, lambda row: wording.task(row.task))


def _ceiling_text(material: Material) -> str:
    if not any(row.ceiling for row in material.rows.raters):
        return ""
    margin = material.options.margin
    each = f"{MARGIN_OF_SHARES:g} (shares) or {MARGIN_OF_COEFFICIENTS:g} (coefficients)"
    return _CEILING.format(margin=f"{margin:g}" if margin is not None else each)


def _threshold(row: Estimate) -> str:
    if row.task == TASKS_MEAN:
        return "each task’s own"
    cut = _chosen(row).threshold
    return "–" if cut is None else f"{cut:.4g}"


def _chosen(row: Estimate) -> ChosenCuts:
    return row.chosen if isinstance(row, ThresholdAgreement) else ChosenCuts()


def _in_sample(row: Estimate) -> tuple[str, ...]:
    value = _chosen(row).in_sample
    return () if value is None else (f"in sample {value:z.3f}",)


def _pair(row: Estimate) -> str:
    return f"{row.a} – {row.b}"


def _of_scorers(rows: Sequence[Estimate]) -> Names:
    return {**column_names(rows), "Scorer": lambda row: str(row.rater)}


def beside(row: Estimate) -> tuple[str, ...]:
    """People's own number, and the verdict."""
    ceiling = row.ceiling
    if ceiling is None or ceiling.value is None:
        return ()
    people = f"one person {ceiling.value:z.3f}"
    if ceiling.low is not None:
        people += f" ({ceiling.low:z.2f} to {ceiling.high:z.2f})"
    return tuple(part for part in (people, verdict_beside_people(row)) if part)


def _duel(row: Estimate) -> tuple[str, ...]:
    if not isinstance(row, Comparison):
        return ()
    own = "" if row.value_a is None or row.value_b is None else f"{row.value_a:z.3f} against {row.value_b:z.3f}"
    p = f"p = {row.p_holm:z.3f}" if row.p_holm is not None else ""
    return tuple(part for part in (own, p) if part)


def _mcnemar(caption: str, rows: Sequence[Estimate]) -> list[Table]:
    """The four cells of right and wrong and the exact test, over all generators and tasks."""
    by_pair = {
        (row.a, row.b): row.mcnemar
        for row in rows
        if isinstance(row, Comparison) and row.mcnemar and row.task == row.generator == ALL
    }
    if not by_pair:
        return []
    named = f"{caption}: right and wrong against people’s majority (McNemar)"
    return [table_of(named, _MCNEMAR_FIELDS, by_pair.items())]


_MCNEMAR_FIELDS: Sequence[Field[tuple[tuple[str, str], McNemar]]] = (
    field("Scorers", lambda tested: " – ".join(tested[0])),
    field("Both right", lambda tested: f"{tested[1].both_right:,}", number=True),
    field("Only the first", lambda tested: f"{tested[1].only_a_right:,}", number=True),
    field("Only the second", lambda tested: f"{tested[1].only_b_right:,}", number=True),
    field("Both wrong", lambda tested: f"{tested[1].both_wrong:,}", number=True),
    field("p, exact, Holm", lambda tested: cell(tested[1].p_holm, "z.3f", "–"), number=True),
)


_COMPARISONS: Mapping[str, _Comparison] = {
    "among_people": _Comparison("People among themselves", lambda _: _PREVALENCE, column_names),
    "raters": _Comparison(
        "Scorers against people",
        _ceiling_text,
        _of_scorers,
        beside,
    ),
    "by_certainty": _Comparison(
        "By people’s certainty",
        lambda _: (
            "The same by how sure people are: images on which all say the same (unanimous), on which more than half do "
            "(majority), and the others (split). Images with one rating are of no class."
        ),
        lambda rows: {**_of_scorers(rows), "People are": lambda row: str(row.certainty)},
    ),
    "comparisons": _Comparison(
        "Scorers compared",
        lambda _: (
            "How much better the first agrees with people than the second, on the units that both judged: the difference, its "
            "interval, both scorers’ own numbers, and p (two-sided, by swapping the scorers’ judgements of prompts, corrected "
            "by Holm’s method over all tasks and pairs of scorers by one statistic)."
        ),
        lambda rows: {**column_names(rows), "Scorers": _pair},
        _duel,
        tables=_mcnemar,
    ),
    "thresholds": _Comparison(
        "Scores as decisions",
        lambda _: _CUT,
        lambda rows: {**_of_scorers(rows), "Yes above": _threshold},
        _in_sample,
        lambda material: figures.along(material.curves),
    ),
    "matrix": _Comparison(
        "Any two raters",
        lambda _: (
            "Any two raters with 10 items or more in common, over all generators and tasks; by generator and task in the data."
        ),
        lambda _: {"Raters": _pair},
    ),
}
"""By the name of the rows that they show."""


_ABOUT_CONFUSIONS = (
    "Images by what more than half of the people say, over all generators and tasks (those without a majority are left out); "
    "the scorer’s answers are in rows, people’s in columns. The dark diagonal is where they say the same."
)


def confusions_section(material: Material) -> ReportSection | None:
    """The tables."""
    if not material.confusions:
        return None
    return ReportSection("Where answers cross", (_ABOUT_CONFUSIONS,), tables=tuple(map(_confusion_table, material.confusions)))


def _confusion_table(confusion: Confusion) -> Table:
    crossings = Crossings(confusion.rater, wording.people(confusion.people), confusion.labels, confusion.table)
    table = confusion_table(f"{confusion.suite}: {wording.aspect(confusion.aspect)}: {confusion.rater}", crossings)
    # on paper a table has one row of titles
    first, *labels, last = table.columns
    said = (replace(column, title=f"{table.over} {column.title}") for column in labels)
    return replace(table, columns=(first, *said, last), over="")
