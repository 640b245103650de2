"""Reports: choose what a report is about, see what would be in it, make it, and take it in every format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, ClassVar, Final

import gradio as gr
import htpy
from htpy import Element, Node
from starlette.datastructures import QueryParams

from concord.common import machine, next_steps, wording
from concord.common.base_path import at
from concord.exporting import why_no_ratings
from concord.reporting.material import gather
from data.browsing import RaterCount
from data.selection import CERTAINTIES, Selection
from data.store.browse import contents
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.buttons import button
from ui.components.tables import code, note
from ui.report import export
from ui.report.formats import FORMATS, FormatName
from ui.shell.changes import Drawn
from ui.shell.html import clickable_html, html_component, rendered
from ui.shell.page import Page

_LEAD: Final = (
    "A report has one page of summary, then figures, failures with their images, all numbers with intervals, and the command "
    "that makes it again. Choose what goes into it; nothing chosen means everything. How people were recruited and paid comes "
    "from the place People."
)
_EMPTY: Final = """
## Nothing has been judged yet

A report is made of judgements: people's, scorers', or a published study's.

{studies}
"""
_TITLES: Final = {
    "suite": "Suite", "task": "Task", "generator": "Generator", "aspect": "Aspect", "rater": "Rater", "campaign": "Campaign",
    "tag": "Tag", "certainty": "People’s certainty",
}  # fmt: skip
FILTERS: Final = tuple(name for name in _TITLES if name in {field.name for field in fields(Selection)})
_MOMENTS: Final = ("since", "until")
_CHOSEN: Final = (*FILTERS, *_MOMENTS, "seed")


class ReportsPage(Page[Mapping[str, Any]]):
    """The page; its address holds the selection. A view is what the controls choose."""

    title, path, ADDRESS, REPEATED = "Report", "/report", _CHOSEN, True
    OFFERING = ()
    USUAL: ClassVar = {"seed": "0"}

    def lay_out(self) -> None:
        html_component(note(_LEAD))
        with self.bar():
            # whoever comes with an address may ask for what is not there: the preview says so
            any_value: dict[str, Any] = {"multiselect": True, "allow_custom_value": True, "min_width": 250}
            for name in FILTERS:
                self.control(name, gr.Dropdown([], value=[], label=_TITLES[name], elem_id=f"report-{name}", **any_value))
        with self.bar():
            for name, label in zip(_MOMENTS, ("Rated since", "Rated before"), strict=True):
                info = "a date, such as 2026-11-20"
                self.control(name, gr.Textbox(label=label, info=info, max_lines=1, elem_id=f"report-{name}"))
            info = "of intervals and samples"
            self.control("seed", gr.Number(0, label="Seed", info=info, precision=0, minimum=0, elem_id="report-seed"))
        self.html("report-preview")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            button = gr.Button("Make the report", variant="primary", interactive=False, elem_id="report-make")
            self.output("report-make", button)
        self.done = clickable_html("report-made")

    def teaching(self) -> str:
        return _EMPTY.format(studies=next_steps.commands_block(self.store, next_steps.STUDIES, next_steps.RATINGS))

    def read(self, query: QueryParams) -> dict[str, Any]:
        seed = query.get("seed", "0")
        lists = {name: [value for value in query.getlist(name) if value] for name in FILTERS}
        dates = {name: query.get(name, "") for name in _MOMENTS}
        return lists | dates | {"seed": int(seed) if seed.isascii() and seed.isdigit() else 0}

    def view(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return values

    def followed(self, view: Mapping[str, Any], wanted: Mapping[str, str]) -> dict[str, str]:  # noqa: ARG002
        return {name: ",".join(value) if isinstance(value, list) else str(value) for name, value in view.items()}

    def open(self, view: Mapping[str, Any]) -> list[Any]:
        offered = self.offer(view)
        return [gr.update(value=view[name]) | offered.get(name, {}) for name in self.controls]

    def offer(self, view: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002 - all is offered, whatever is chosen
        return {name: gr.update(choices=values) for name, values in _offered(self.store).items()}

    def draw(self, view: Mapping[str, Any]) -> Iterator[Drawn | None]:
        """What would be in it, and whether it can be made."""
        if not contents.count_judgements(self.store):
            yield None
            return
        try:
            selection, _ = _selection(view)
            counts = contents.raters_of_selection(self.store, selection)
            body = _preview(counts) if counts else note("No matching data. Remove a filter.", "cc-bad")
        except ValueError as error:
            counts, body = [], note(f"{str(error).removeprefix('--').capitalize()}.", "cc-bad")
        yield {"report-preview": body, "report-make": gr.Button(interactive=bool(counts))}

    def connect(self) -> None:
        super().connect()

        def make(*values: Any, progress: gr.Progress = gr.Progress()) -> str:  # noqa: B008 - how Gradio is told to show it
            return rendered(_made(self.store, self.by_name(values), progress))

        chosen = [*self.controls.values()]
        how = {"trigger_mode": "once", "show_progress": "full", "api_visibility": "private"}
        self["report-make"].click(make, chosen, self.done, **how).then(None, js=_SHOW)


def _offered(store: Store) -> dict[str, list[str]]:
    """What each filter offers now."""
    offered = contents.filter_choices(store)
    campaigns = [campaign.campaign_id for campaign in management.listed(store)]
    return {name: [] for name in FILTERS} | {
        "suite": offered.suite,
        "task": offered.task,
        "generator": offered.generator,
        "aspect": offered.aspect,
        "rater": offered.rater,
        "campaign": campaigns,
        "certainty": list(CERTAINTIES),
    }


def _selection(chosen: Mapping[str, Any]) -> tuple[Selection, int]:
    """What the controls choose.

    Raises:
        ValueError: a date or a class of certainty that is none.
    """
    texts = {name: chosen[name] or [] for name in FILTERS} | {name: [chosen[name] or ""] for name in _MOMENTS}
    return Selection.of(lambda name: texts.get(name, [])), max(int(chosen["seed"] or 0), 0)


def _preview(counts: Sequence[RaterCount]) -> Element:
    kinds: dict[str, list[RaterCount]] = {name: [] for name in ("person", "slot", "simulated rater", "scorer")}
    for count in counts:
        human = "simulated rater" if count.simulated else "person" if count.person else "slot"
        kinds["scorer" if count.scorer else human].append(count)
    parts = [
        f"{wording.count(sum(count.n for count in part), 'judgement')} by {wording.count(len(part), name)}"
        for name, part in kinds.items()
        if part
    ]
    people = any(kinds[name] for name in ("person", "slot", "simulated rater"))
    missing = "" if kinds["scorer"] else " No scorer has judged this: people are compared among themselves alone."
    missing += "" if people else " Nobody has judged this: there are scores, and no agreement with people."
    return note(f"Contents: {', '.join(parts)}.{missing}")


def _made(store: Store, chosen: Mapping[str, Any], progress: gr.Progress) -> Node:
    """Make the report, and return where it can be had."""
    try:
        selection, seed = _selection(chosen)
    except ValueError as error:
        return note(f"{str(error).removeprefix('--').capitalize()}.", "cc-bad")
    command = export.export_command(store, selection, "html", "report.html", seed)
    material = gather(store, selection, seed, command, lambda step, share: progress(share, desc=step.capitalize()))
    if material.ratings.empty:
        return note(f"{why_no_ratings(material.judgements).capitalize()}.", "cc-bad")
    key = export.keep_report(store, export.document(material), material)
    links = [_download(key, form, machine.browser() is not None) for form in FORMATS]
    head = f"The report on {wording.count(len(material.ratings), 'rating')} is made ({material.made:%H:%M} UTC)."
    text = f"{head} It stays here until three others are made or the app is closed; the command makes it again:"
    return [
        htpy.p(class_="cc-downloads")["Download ", links],
        note(text),
        htpy.p[code(command), " ", button("Copy", "copy", "Copy the command", copied=command)],
        # filled by `_SHOW`: nobody may put the app's pages into frames, so it has no address
        htpy.iframe(class_="cc-report", title="The report", sandbox=True, data_of=_address(key, "html")),
    ]


_SHOW: Final = (
    "() => { const frame = document.querySelector('#report-made iframe');"
    " if (frame) fetch(frame.dataset.of).then((said) => said.text()).then((text) => { frame.srcdoc = text; }); return []; }"
)


def _download(key: str, form: FormatName, can_print: bool) -> Element:
    title, description = FORMATS[form].title, FORMATS[form].description
    if form == "pdf" and not can_print:
        return htpy.span[f"{title}: there is no Chromium here to print it; take the HTML and print that"]
    return htpy.a(href=_address(key, form), title=description, download=True)[title]


def _address(key: str, form: str) -> str:
    return at(f"/api/studio/report/{key}/{form}")
