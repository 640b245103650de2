"""Live agreement: every rater, human or machine, beside every other; n and interval at each number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import gradio as gr
import htpy
from htpy import Node
from starlette.datastructures import QueryParams

from agreement import Options
from concord.agreement import AgreementRows, recall
from concord.common import next_steps
from concord.common.base_path import at
from concord.comparison.model_comparison import prompts_by_task
from data.selection import PEOPLE, SIMULATED
from ui.components.tables import heading
from ui.pages.agreement import summary
from ui.pages.agreement import view as views
from ui.pages.agreement.pairs import draw_pair, matrix
from ui.pages.agreement.scorers import by_certainty, scorer_against_scorer, scores_to_decisions
from ui.pages.agreement.summary import by_kind_of_people
from ui.pages.agreement.view import ADDRESS, ALL, NUMBERS, PATH, AgreementView
from ui.shell.changes import Drawn
from ui.shell.controls import dropdown
from ui.shell.html import SKELETON
from ui.shell.page import Page


class AgreementPage(Page[AgreementView]):
    """The page; what else than its controls restricts the selection is kept in ``further``."""

    title, path, ADDRESS = "Agreement", PATH, ADDRESS
    HIDDEN: ClassVar = {"further": ""}
    OFFERING = ("suite", "aspect")
    DRAWN_BY = (*ADDRESS[:-2], "further")

    def lay_out(self) -> None:
        with self.bar():
            self.dropdown("suite", "Suite")
            self.dropdown("aspect", "Aspect")
            self.dropdown("generator", "Generator", [ALL], ALL)
            self.dropdown("task", "Task", [ALL], ALL)
            self.dropdown("statistic", "Statistic")
        self.html("headline", value=SKELETON)
        self.plot("agreement-plot")
        self.html("by-task")
        with gr.Row(elem_classes="cc-two"):
            with gr.Column(min_width=360):
                self.links("agreement-matrix", "pair")
            with self.output("pair", gr.Column(elem_id="pair", elem_classes="cc-pair", min_width=360)):
                with gr.Row(elem_classes="cc-filters cc-filters--here"):
                    self.control("a", dropdown("Rater", [("the closest scorer", "")], ""))
                    self.control("b", dropdown("Beside", [("people (or simulated)", "")], ""))
                self.html("pair-text")
                self.plot("pair-scores", visible=False)
                self.plot("pair-steps", visible=False)
                self.html("pair-parts")
        with self.output("more", gr.Accordion("All numbers, and other views", open=False, elem_id="all-numbers")):
            self.html("sentence")
            with gr.Row():
                self.radio("show", "Show", views.SHOWN)
                for name, label, titles in (
                    ("consensus", "Consensus of people as one more rater", views.CONSENSUS),
                    ("table", "Tables", views.TABLE),
                ):
                    ticks = gr.CheckboxGroup([(title, value) for value, title in titles.items()], label=label, elem_id=name)
                    self.control(name, ticks)
            self.html("agreement-tables")
        self.part(lambda view: draw_pair(self.store, view), ("pair-text", "pair-scores", "pair-steps", "pair-parts"))

    def teaching(self) -> str:
        label = f"**[Label a few images]({at('/annotate/')})**"
        first = f"Nothing has been judged yet. {label}, or import a published study or your own ratings:"
        return f"{first}\n\n{next_steps.commands_block(self.store, next_steps.STUDIES, next_steps.RATINGS)}"

    def read(self, query: QueryParams) -> dict[str, Any]:
        extra = views.further(query.multi_items())
        try:
            views.restricted(extra)
        except ValueError:
            extra = ""
        return super().read(query) | {"further": extra}

    def view(self, values: Mapping[str, Any]) -> AgreementView:
        # a control of several has a list, which the address writes with commas
        text = {name: ",".join(value) if isinstance(value, list) else value or "" for name, value in values.items()}
        return AgreementView(**text)

    def followed(self, view: AgreementView, wanted: Mapping[str, str]) -> dict[str, str]:
        restricting = {name: ",".join(values) for name, values in views.restricted(view.further).to_dict().items()}
        return super().followed(view, wanted) | restricting

    def offer(self, view: AgreementView) -> Mapping[str, Any]:
        return views.choices(self.store, view)

    def draw(self, view: AgreementView) -> Iterator[Drawn | None]:
        """All but the pair: point estimates first, then with intervals."""
        if not view.suite:
            yield None
            return
        for intervals in views.passes(self.store):
            yield self.drawn(view, intervals=intervals)

    def drawn(self, view: AgreementView, *, intervals: bool) -> Drawn:
        """Sentence, matrix, figure and tables."""
        store = self.store
        # one generator selected, or all of them: either way "all" is what is asked for
        whole = Options(each_generator=False, matrix=False, ceiling=True)
        rows = recall(store, view.selection, whole) if intervals else views.first_estimates(store, view.selection)
        real, simulated = (by_kind_of_people(rows, kind) for kind in ("real", "simulated"))
        raters: Any = ""
        if view.show == NUMBERS:
            # of a large project the matrix stays as it was until the new one is there
            later = not intervals and views.is_large(store) and not views.is_huge(store)
            raters = gr.skip() if later else matrix(store, view, rows, intervals=intervals)
            figure = summary.forest(real, simulated, view)
            consensus = summary.consensus_tables(store, view, intervals=intervals)
            body: Node = [consensus, _everything(real, simulated, view)]
        elif view.show == "certainty":
            figure, body = by_certainty(store, view, intervals=intervals)
        elif view.show == "scorers":
            figure, body = None, scorer_against_scorer(store, view, intervals=intervals)
        else:
            figure, body = scores_to_decisions(store, view, intervals=intervals)
        updating = "" if intervals else views.intervals_note(store, view.selection)
        # what an address asks for beyond the main numbers is in view; it is never folded again while one looks
        beyond = view.show != NUMBERS or view.table or view.consensus
        return {
            "headline": htpy.fragment[
                summary.headline(real, simulated, view, intervals=intervals), summary.basis(real, simulated, view)
            ],
            "sentence": htpy.fragment[summary.lead(real, simulated, view), summary.export_links(view.selection)],
            "by-task": self._by_task(real, simulated, view) if view.task == ALL else "",
            "agreement-matrix": raters,
            "pair": view.show == NUMBERS,
            "more": gr.Accordion(open=True) if beyond else gr.skip(),
            "agreement-plot": figure,
            "agreement-tables": htpy.fragment[updating, body],
        }

    def _by_task(self, real: AgreementRows, simulated: AgreementRows, view: AgreementView) -> Node:
        """Return the heat cells of the chosen statistic, with how many prompts each rests on."""
        rows, people = (real, PEOPLE) if summary.real_lead(real, simulated) else (simulated, SIMULATED)
        return summary.by_task(rows, view, prompts_by_task(self.store, view.selection, people))


def _everything(real: AgreementRows, simulated: AgreementRows, view: AgreementView) -> Node:
    """Return all tables: people first, simulated ones in a section of their own."""
    people = summary.summary_tables(real, view, "people")
    if not any(rows for _, rows in simulated.sections()):
        return people
    title = heading("Simulated people", summary.main_numbers(simulated, view, "simulated people"))
    return [people, title, summary.summary_tables(simulated, view, "simulated people")]
