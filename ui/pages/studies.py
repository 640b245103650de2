"""Published studies in the project: which there are, and their printed numbers beside those that the project's ratings give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, ClassVar, Final

from concord.common import wording
from concord.common.next_steps import STUDIES, commands_block
from concord.studies import judge_words
from concord.studies.audit import filled, formatted, interval
from concord.studies.benchmarks import REPRODUCTIONS, compared_numbers, imported_studies
from concord.studies.comparison import ComparedNumber
from concord.studies.judges import JudgedPeople, judges_of
from data.store.core.selection import Selection
from data.studies.published import ALL, PublishedStudy
from ui.components.addresses import browse_address, page_address
from ui.components.controls import Choice
from ui.components.page import Drawn, Page, View
from ui.components.tables import Cells, HtmlCell, first_sentence, html, html_table, note, paged, small

SHOWN: Final = {"all": "All", "different": "Different", "same": "As printed", "not_determined": "Not determined"}
_VERDICTS: Final = {"same": "as printed", "different": "different", "not_determined": "not determined"}
_ROWS: Final = 50


@dataclass(frozen=True)
class StudiesView(View):
    """One study, which of its numbers, and the page of their list."""

    PATH: ClassVar = "/studies"
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


def overview(counts: Mapping[str, Counter[str]], view: StudiesView) -> str:
    """Every study and how many of its numbers are as printed, as HTML; a click shows them."""
    same, different = (sum(count[verdict] for count in counts.values()) for verdict in ("same", "different"))
    head = first_sentence(f"{same:,} of {wording.count(same + different, 'number')} are as printed")
    rows: list[Cells] = []
    for name, count in counts.items():
        study = REPRODUCTIONS[name].study
        href = {show: view.address(study=name, show=show, page=1) for show in SHOWN}
        cells = [HtmlCell(f"{count[show]:,}", href=href[show] if count[show] else "") for show in _VERDICTS]
        rows.append([HtmlCell(study.paper, href=href["all"], number=False), study.suite, *cells])
    return head + html_table("Studies in this project", ["study", "suite", *_VERDICTS.values()], rows)


def chapter(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> str:
    """What a study claims, what its files say, and what follows, as HTML."""
    parts = {
        "Claim": study.claim,
        "What the files say": filled(study.files_say, lines),
        "Consequence": filled(study.consequence, lines),
    }
    paragraphs = "".join(f"<p><strong>{title}.</strong> {escape(words)}</p>" for title, words in parts.items() if words)
    return f'<h2 class="cc-block-title">{escape(study.paper)}</h2><div class="cc-note">{paragraphs}</div>'


def judges_html(judged: Sequence[JudgedPeople]) -> str:
    """A sentence on the judges of each aspect, beside people, with the pages that show more, as HTML."""
    parts = []
    for people in judged:
        about = {"suite": people.suite, "aspect": people.judged.aspect}
        pages = {"scorers": page_address("scorers", **about)} if people.judges else {}
        pages["agreement"] = page_address("agreement", **about)
        links = " · ".join(f'<a href="{escape(href)}">{name}</a>' for name, href in pages.items())
        parts.append(f"<p>{escape(judge_words.summary(people))} <small>{links}</small></p>")
    return f'<h2 class="cc-block-title">Judges beside people</h2><div class="cc-note">{"".join(parts)}</div>'


def numbers_table(view: StudiesView, lines: Sequence[ComparedNumber]) -> str:
    """The printed numbers beside ours, as HTML; each opens the images behind it."""
    study = REPRODUCTIONS[view.study].study
    chosen = [line for line in lines if view.show in ("all", line.verdict)]
    if not chosen:
        return note(f"No number of this study is {_VERDICTS.get(view.show, view.show)}.")
    shown, pages = paged(chosen, view.page, _ROWS, view.address)
    rows: list[Cells] = []
    for line in shown:
        number = line.number
        ours = HtmlCell("–", line.reason)
        if line.value is not None:
            bounds = interval(line)
            detail = "; ".join(part for part in (bounds, f"n = {line.n_items:,}") if part)
            ours = HtmlCell(formatted(number, line.value), detail, href=address(study, line))
        beside = "; ".join(f"{name} {formatted(number, value)}" for name, value in line.beside.items() if value is not None)
        badge = ' class="cc-badge cc-badge--warn"' if line.verdict == "different" else ""
        why = small(line.reason) if line.verdict == "different" else ""
        verdict = html(f"<span{badge}>{_VERDICTS[line.verdict]}</span>{why}")
        called = HtmlCell(number.called, number.where, number=False)
        rows.append([called, HtmlCell(number.printed), ours, verdict, beside.replace("_", " ")])
    caption = f"{wording.count(len(chosen), 'number')} of {study.paper}"
    table = html_table(caption, ("in the paper", "printed", "ours", "", "beside it"), rows)
    return table + pages


def address(study: PublishedStudy, line: ComparedNumber) -> str:
    """Where the images, or the votes, behind a number are."""
    number = line.number
    if not study.sources:
        return page_address("preferences", suite=study.suite)
    generators = (number.generator,) if number.generator != ALL else tuple(study.sources)
    selection = Selection(suite=(study.suite,), generator=generators)
    # of one prompt, whose number is called as it is
    return browse_address(selection, q=number.called if number.called.startswith(f"{study.suite}/") else "")
