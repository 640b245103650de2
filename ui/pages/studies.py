"""Published studies in the project: which there are, and their printed numbers beside those that the project's ratings give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import htpy
from htpy import Fragment, Node

from concord.common import wording
from concord.common.next_steps import STUDIES, commands_block
from concord.common.table import Cell, numbers
from concord.studies import judge_words
from concord.studies.audit import filled, formatted, interval
from concord.studies.benchmarks import REPRODUCTIONS, compared_numbers, imported_studies
from concord.studies.comparison import ComparedNumber
from concord.studies.judges import JudgedPeople, judges_of
from data.selection import Selection
from data.studies.printed_numbers import ALL, PublishedStudy
from ui.components.addresses import browse_address, page_address
from ui.components.tables import (
    Cells,
    block_title,
    columns,
    first_sentence,
    note,
    paged,
    plain_table,
    small,
    table_element,
)
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.page import Page
from ui.shell.view import View

SHOWN: Final = {"all": "All", "different": "Different", "same": "As printed", "not_determined": "Not determined"}
_VERDICTS: Final = {"same": "as printed", "different": "different", "not_determined": "not determined"}
_ROWS: Final = 50


@dataclass(frozen=True)
class StudiesView(View):
    """One study, which of its numbers, and the page of their list."""

    PATH: ClassVar = "/report/studies"
    study: str = ""
    show: str = "all"
    page: int = 1


class StudiesPage(Page[StudiesView]):
    """The page."""

    title, VIEW = "Studies", StudiesView

    def lay_out(self) -> None:
        self.links("overview", "chapter")
        with self.bar():
            self.dropdown("study", "Study")
            self.radio("show", "Numbers", SHOWN)
        self.html("chapter")
        self.html("judges")
        self.links("numbers", "numbers")

    def teaching(self) -> str:
        commands = commands_block(self.store, STUDIES)
        return (
            f"No published study is here yet. Import one to see its printed numbers beside those of its ratings:\n\n{commands}"
        )

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:
        titles = {name: REPRODUCTIONS[name].study.paper for name in imported_studies(self.store)}
        return {
            "study": Choice.among(titles, values.get("study")),
            "show": Choice.among(SHOWN, values.get("show"), "all"),
        }

    def draw(self, view: StudiesView) -> Iterator[Drawn | None]:
        names = imported_studies(self.store)
        if not names:
            yield None
            return
        lines = compared_numbers(self.store, view.study)
        study = REPRODUCTIONS[view.study].study
        yield {"chapter": chapter(study, lines), "numbers": numbers_table(view, lines), "judges": ""}
        counts = {name: Counter[str](line.verdict for line in compared_numbers(self.store, name)) for name in names}
        yield {"overview": overview(counts, view)}
        yield {"judges": judges_html(judges_of(self.store, view.study, study))}


def overview(counts: Mapping[str, Counter[str]], view: StudiesView) -> Fragment:
    """Return every study and how many of its numbers are as printed; a click shows them."""
    same, different = (sum(count[verdict] for count in counts.values()) for verdict in ("same", "different"))
    head = first_sentence(f"{same:,} of {wording.count(same + different, 'number')} are as printed")
    rows: list[Cells] = []
    for name, count in counts.items():
        study = REPRODUCTIONS[name].study
        href = {show: view.address(study=name, show=show, page=1) for show in SHOWN}
        cells = [Cell(f"{count[show]:,}", href=href[show] if count[show] else "") for show in _VERDICTS]
        rows.append([Cell(study.paper, href=href["all"]), study.suite, *cells])
    heads = columns("study", "suite", *numbers(*_VERDICTS.values()))
    return htpy.fragment[head, table_element(plain_table("Studies in this project", heads, rows))]


def chapter(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> Fragment:
    """Return what a study claims, what its files say, and what follows."""
    parts = {
        "Claim": study.claim,
        "What the files say": filled(study.files_say, lines),
        "Consequence": filled(study.consequence, lines),
    }
    paragraphs = [htpy.p[htpy.strong[f"{title}."], " ", words] for title, words in parts.items() if words]
    return htpy.fragment[block_title(study.paper), htpy.div(class_="cc-note")[paragraphs]]


def judges_html(judged: Sequence[JudgedPeople]) -> Fragment:
    """Return a sentence on the judges of each aspect, beside people, with the pages that show more."""
    parts = []
    for people in judged:
        href = page_address("agreement", suite=people.suite, aspect=people.judged.aspect)
        parts.append(htpy.p[judge_words.summary(people), " ", htpy.small[htpy.a(href=href)["agreement"]]])
    return htpy.fragment[block_title("Judges beside people"), htpy.div(class_="cc-note")[parts]]


def numbers_table(view: StudiesView, lines: Sequence[ComparedNumber]) -> Node:
    """Return the printed numbers beside ours; each opens the images behind it."""
    study = REPRODUCTIONS[view.study].study
    chosen = [line for line in lines if view.show in ("all", line.verdict)]
    if not chosen:
        return note(f"No number of this study is {_VERDICTS.get(view.show, view.show)}.")
    shown, pages = paged(chosen, view.page, _ROWS, view.address)
    rows: list[Cells] = []
    for line in shown:
        number = line.number
        ours = Cell("–", (line.reason,) if line.reason else ())
        if line.value is not None:
            bounds = interval(line)
            detail = "; ".join(part for part in (bounds, f"n = {line.n_items:,}") if part)
            ours = Cell(formatted(number, line.value), (detail,), href=address(study, line), exact=line.value)
        beside = "; ".join(f"{name} {formatted(number, value)}" for name, value in line.beside.items() if value is not None)
        differs, said = line.verdict == "different", _VERDICTS[line.verdict]
        badge = htpy.span(class_="cc-badge cc-badge--warn" if differs else None)[said]
        verdict = Cell(said, content=[badge, small(line.reason if differs else "")])
        called = Cell(number.called, (number.where,) if number.where else ())
        rows.append([called, number.printed, ours, verdict, beside.replace("_", " ")])
    caption = f"{wording.count(len(chosen), 'number')} of {study.paper}"
    heads = columns("in the paper", *numbers("printed", "ours"), "", "beside it")
    return htpy.fragment[table_element(plain_table(caption, heads, rows)), pages]


def address(study: PublishedStudy, line: ComparedNumber) -> str:
    """Where the images, or the votes, behind a number are."""
    number = line.number
    if not study.sources:
        return page_address("results/votes", suite=study.suite)
    generators = (number.generator,) if number.generator != ALL else tuple(study.sources)
    selection = Selection(suite=(study.suite,), generator=generators)
    # of one prompt, whose number is called as it is
    return browse_address(selection, q=number.called if number.called.startswith(f"{study.suite}/") else "")
