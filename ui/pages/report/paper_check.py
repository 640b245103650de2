"""Check against a paper: a published study's printed numbers beside those of the project's ratings, different ones first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.common.table import Cell, TableRow, numbers
from concord.open_project import OpenProject
from concord.studies import judge_words
from concord.studies.audit import filled, formatted, interval
from concord.studies.benchmarks import REPRODUCTIONS, compared_numbers, imported_studies
from concord.studies.comparison import ComparedNumber, VerdictCounts
from concord.studies.judges import JudgedPeople, judges_of
from data.selection import Selection
from data.studies.printed_numbers import ALL, PublishedStudy
from ui.components.addresses import browse_address, page_address
from ui.components.tables import columns, paged, plain_table, table_element
from ui.pages.report.view import VERDICTS, ReportView
from ui.shell.scope_bar import menu_chip

_FIRST: Final = 8
"""So many numbers are listed before somebody asks for more."""
_ROWS: Final = 50
_WORDS: Final[Mapping[str, str]] = {"same": "same", "different": "different", "not_determined": "not determined"}
_ORDER: Final = ("different", "not_determined", "same")


def paper_check(store: OpenProject, view: ReportView, *, complete: bool) -> Node:
    """Return the study's numbers; a line where the project holds none, and where they are being computed."""
    names = imported_studies(store)
    add = htpy.a(class_="cc-button", href=page_address("add", kind="study"))["Add a study"]
    if not names:
        return htpy.section(class_="cc-part", aria_label="Check against a paper")[
            htpy.div(class_="cc-part-head")[
                htpy.h2["Check against a paper"],
                htpy.span(class_="cc-part-hint")["no published study is here"],
                htpy.div(class_="cc-part-tools")[add],
            ]
        ]
    name = view.study if view.study in names else names[0]
    study = REPRODUCTIONS[name].study
    links = {each: (REPRODUCTIONS[each].study.paper, view.address(study=each, show="all", page=0)) for each in names}
    picker = (
        menu_chip("report-study", "Study", name, links) if len(names) > 1 else htpy.span(class_="cc-part-hint")[study.paper]
    )
    head: list[Node] = [htpy.h2["Check against a paper"], picker]
    if not complete:
        return _section([*head, htpy.span(class_="cc-part-hint")["computing …"], htpy.div(class_="cc-part-tools")[add]], "")
    lines = sorted(compared_numbers(store, name), key=lambda line: _ORDER.index(line.verdict))
    counts = VerdictCounts.of(lines)
    tools = htpy.div(class_="cc-part-tools")[_segments(view, counts), add]
    body = [_finding(lines, counts), _claim(store, name, study, lines), _numbers(view, study, lines)]
    return _section([*head, tools], body)


def _section(head: Sequence[Node], body: Node) -> Element:
    return htpy.section(class_="cc-part cc-paper-check", id="paper", aria_label="Check against a paper")[
        htpy.div(class_="cc-part-head")[head], body
    ]


def _segments(view: ReportView, counts: VerdictCounts) -> Element:
    sizes = {"all": counts.total, "different": counts.different, "same": counts.same, "not_determined": counts.not_determined}
    links = [
        htpy.a(href=view.address(show=show, page=0), aria_current="true" if show == view.show else None)[
            f"{title} {sizes[show]:,}"
        ]
        for show, title in VERDICTS.items()
        if sizes[show] or show == view.show
    ]
    return htpy.nav(class_="cc-segments", aria_label="Numbers")[links]


def _finding(lines: Sequence[ComparedNumber], counts: VerdictCounts) -> Node:
    """Return how many numbers are as printed, and in what each of a few others differs, as sentences."""
    told = f"{counts.same:,} of {wording.count(counts.same + counts.different, 'number')} are as printed."
    different = [line for line in lines if line.verdict == "different"]
    sentences = [f" {difference(line)}" for line in different[:2]]
    more = f" {len(different) - 2:,} more differ." if len(different) > 2 else ""
    undetermined = f" {counts.not_determined:,} cannot be determined from the released files." if counts.not_determined else ""
    return htpy.p(class_="cc-sub cc-paper-said")[told, sentences, more, undetermined]


def difference(line: ComparedNumber) -> str:
    """Return in one sentence how a number differs from the printed one, and what the printed one is, where that is known."""
    ours = "" if line.value is None else f", its files give {formatted(line.number, line.value)}"
    said = f"{line.number.called}: the paper prints {line.number.printed}{ours}"
    reason = f"; {line.reason}" if line.reason else ""
    return f"{said}{reason}."


def _claim(store: OpenProject, name: str, study: PublishedStudy, lines: Sequence[ComparedNumber]) -> Element:
    """Return what the study claims, what its files say, what follows, and its judges beside people, behind its title."""
    parts = {
        "Claim": study.claim,
        "What the files say": filled(study.files_say, lines),
        "Consequence": filled(study.consequence, lines),
    }
    paragraphs = [htpy.p[htpy.strong[f"{title}."], " ", words] for title, words in parts.items() if words]
    return htpy.details(class_="cc-paper-claim")[
        htpy.summary[f"{study.paper}: claim, what the files say, consequence"],
        paragraphs,
        _judges(judges_of(store, name, study)),
    ]


def _judges(judged: Sequence[JudgedPeople]) -> Node:
    """Return a sentence on the judges of each question, beside people, with the place that shows more."""
    return [
        htpy.p[
            judge_words.summary(people),
            " ",
            htpy.a(href=page_address("agreement", suite=people.suite, aspect=people.judged.aspect))["Agreement"],
        ]
        for people in judged
    ]


def _numbers(view: ReportView, study: PublishedStudy, lines: Sequence[ComparedNumber]) -> Node:
    """Return the printed numbers beside ours; each opens the images behind it."""
    chosen = [line for line in lines if view.show in ("all", line.verdict)]
    if not chosen:
        return htpy.p(class_="cc-note")[f"No number of this study is {_WORDS.get(view.show, view.show)}."]
    listed, pages = (chosen[:_FIRST], "") if not view.page else paged(chosen, view.page, _ROWS, view.address)
    heads = columns("in the paper", *numbers("printed", "ours"), "")
    caption = f"{wording.count(len(chosen), 'number')} of {study.paper}"
    rest = len(chosen) - _FIRST
    more = (
        htpy.a(class_="cc-more cc-paper-more", href=view.address(page=1) + "#paper")[f"{wording.count(rest, 'more number')}"]
        if rest > 0 and not view.page
        else ""
    )
    return [table_element(plain_table(caption, heads, [_row(study, line) for line in listed]), "cc-paper-numbers"), more, pages]


def _row(study: PublishedStudy, line: ComparedNumber) -> TableRow:
    number = line.number
    ours = Cell("–")
    if line.value is not None:
        detail = "; ".join(part for part in (interval(line), f"n = {line.n_items:,}") if part)
        ours = Cell(formatted(number, line.value), (detail,), href=address(study, line), exact=line.value)
    differs, said = line.verdict == "different", _WORDS[line.verdict]
    beside = [f"{wording.title(name)} {formatted(number, value)}" for name, value in line.beside.items() if value is not None]
    details = tuple(filter(None, (number.where, line.reason, f"beside it: {'; '.join(beside)}" if beside else "")))
    pill = htpy.span(class_=["cc-badge", differs and "cc-badge--warn"])[said]
    return TableRow((Cell(number.called, details), Cell(number.printed), ours, Cell(said, content=pill)))


def address(study: PublishedStudy, line: ComparedNumber) -> str:
    """Return where the images, or the votes, behind a number are."""
    number = line.number
    if not study.sources:
        return page_address("results/votes", suite=study.suite)
    generators = (number.generator,) if number.generator != ALL else tuple(study.sources)
    selection = Selection(suite=(study.suite,), generator=generators)
    # of one prompt, whose number is called as it is
    return browse_address(selection, q=number.called if number.called.startswith(f"{study.suite}/") else "")
