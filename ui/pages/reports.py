"""Reports: choose what a report is about, see what would be in it, make it, and take it in every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from html import escape
from typing import Any, Final

import gradio as gr

from concord.common import machine, next_steps, wording
from concord.common.base_path import at
from concord.exporting import why_no_ratings
from data.store.browse import contents
from data.store.campaigns import management
from data.store.core.selection import CERTAINTIES, Selection
from data.store.core.store import Store
from ui.components.controls import button, clickable_html
from ui.components.live_updates import keep_current, listen
from ui.components.tables import WRAP, note
from ui.report import export
from ui.report.export import FORMATS

NAME: Final = "Reports"
PATH: Final = "/reports"
_QUIET: Final[dict[str, Any]] = {"show_progress": "hidden", "api_visibility": "private"}
_LEAD: Final = (
    "A report says what was compared, how people were asked, every score and every agreement with its interval, people’s own "
    "beside each scorer’s, where answers cross, failures with their pictures, what was left out, and the command that makes it "
    "again. Nothing chosen means everything. How people were recruited and paid is said on the page Campaigns."
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
FILTERS: Final = tuple(name for name in _TITLES if name in {one.name for one in fields(Selection)})
_MOMENTS: Final = ("since", "until")
_CHOSEN: Final = (*FILTERS, *_MOMENTS, "seed")
_TOLD: Final = {
    "html": ("HTML", "one file for the browser, with figures and pictures; works without a network"),
    "pdf": ("PDF", "the same on paper, A4; printed by Chromium, which takes some seconds"),
    "md": ("Markdown", "tables and texts"),
    "latex": ("LaTeX", "tables in booktabs, for pdflatex"),
    "csv": ("CSV", "a zip of all tables behind it, with a README of their columns"),
    "parquet": ("Parquet", "the same tables with types"),
}
# each value of a list stands by itself in the address
_ADDRESS: Final = (
    "(...values) => { const url = new URL(location.href);"
    f" {list(_CHOSEN)!r}.forEach((name, n) => {{ url.searchParams.delete(name);"
    " for (const one of [values[n] ?? []].flat()) if (String(one) && !(name === 'seed' && !one))"
    " url.searchParams.append(name, one); });"
    " history.replaceState(history.state, '', url); return []; }"
)


def build(store: Store) -> None:
    """The page; its address holds the selection."""
    empty = gr.Markdown(
        _EMPTY.format(studies=next_steps.commands_block(store, next_steps.STUDIES, next_steps.RATINGS)),
        visible=False,
        elem_id="teaching",
    )
    with gr.Column() as content:
        gr.HTML(note(_LEAD, "cc-lead"))
        with gr.Row(elem_classes="cc-filters"):
            # whoever comes with an address may ask for what is not there: the preview says so
            any_value: dict[str, Any] = {"multiselect": True, "allow_custom_value": True, "min_width": 250}
            lists = [gr.Dropdown([], value=[], label=_TITLES[name], elem_id=f"report-{name}", **any_value) for name in FILTERS]
        with gr.Row(elem_classes="cc-filters"):
            moments = [
                gr.Textbox(label=text, info="a date, such as 2026-11-20", max_lines=1, elem_id=f"report-{name}")
                for name, text in zip(_MOMENTS, ("Rated since", "Rated before"), strict=True)
            ]
            seed = gr.Number(0, label="Seed", info="of intervals and samples", precision=0, minimum=0, elem_id="report-seed")
        preview = gr.HTML(elem_id="report-preview")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            make = gr.Button("Make the report", variant="primary", interactive=False, elem_id="report-make")
        done = clickable_html("report-made")
    chosen = [*lists, *moments, seed]

    def opened(request: gr.Request) -> list[Any]:
        read = request.query_params.getlist
        asked = [[value for value in read(name) if value] for name in FILTERS]
        dates = [next(iter(read(name)), "") for name in _MOMENTS]
        first = next(iter(read("seed")), "0")
        offered = _offered(store)
        several = [gr.Dropdown(choices=offered[name], value=value) for name, value in zip(FILTERS, asked, strict=True)]
        return [*several, *dates, int(first) if first.isascii() and first.isdigit() else 0]

    def draw(*values: Any) -> Any:
        yield _drawn(store, values)

    def made(*values: Any, progress: gr.Progress = gr.Progress()) -> str:  # noqa: B008 - how Gradio is told to show it
        return _made(store, values, progress)

    first = gr.on(None, opened, None, chosen, queue=False, **_QUIET)
    outputs = [empty, content, preview, make]
    # one event of all controls: of two that are answered at once, the one that comes last might be the older
    listen([control.change for control in chosen], draw, chosen, outputs, **_QUIET)
    for control in chosen:
        control.change(None, chosen, None, js=_ADDRESS)
    first.then(draw, chosen, outputs, **_QUIET)
    keep_current(store, draw, chosen, outputs, opened=first)
    make.click(made, chosen, done, trigger_mode="once", show_progress="full", api_visibility="private")


def _offered(store: Store) -> dict[str, list[str]]:
    """What each filter offers now."""
    found = contents.filter_choices(store)
    campaigns = [one.campaign_id for one in management.listed(store)]
    return {name: [] for name in FILTERS} | {
        **{name: found[name] for name in ("suite", "task", "generator", "aspect", "rater")},
        "campaign": campaigns,
        "certainty": list(CERTAINTIES),
    }


def _selection(values: Sequence[Any]) -> tuple[Selection, int]:
    """What the controls choose.

    Raises:
        ValueError: a date or a class of certainty that is none.
    """
    named = dict(zip(_CHOSEN, values, strict=True))
    said = {name: named[name] or [] for name in FILTERS} | {name: [named[name] or ""] for name in _MOMENTS}
    return Selection.of(lambda name: said.get(name, [])), max(int(named["seed"] or 0), 0)


def _drawn(store: Store, values: Sequence[Any]) -> list[Any]:
    """What would be in it, and whether it can be made."""
    if not contents.count_judgements(store):
        return [gr.Markdown(visible=True), gr.Column(visible=False), "", gr.Button(interactive=False)]
    shown = [gr.Markdown(visible=False), gr.Column(visible=True)]
    try:
        selection, _ = _selection(values)
    except ValueError as error:
        return [*shown, note(f"{str(error).removeprefix('--').capitalize()}.", "cc-bad"), gr.Button(interactive=False)]
    found = contents.raters_of_selection(store, selection)
    if not found:
        text = "No matching data. Remove a filter."
        return [*shown, note(text, "cc-bad"), gr.Button(interactive=False)]
    return [*shown, _preview(found), gr.Button(interactive=True)]


def _preview(found: Sequence[contents.RaterCount]) -> str:
    kinds = {
        "person": [one for one in found if not one.scorer and one.person and not one.simulated],
        "slot": [one for one in found if not one.scorer and not one.person and not one.simulated],
        "simulated rater": [one for one in found if not one.scorer and one.simulated],
        "scorer": [one for one in found if one.scorer],
    }
    parts = [
        f"{wording.count(sum(one.n for one in part), 'judgement')} by {wording.count(len(part), name)}"
        for name, part in kinds.items()
        if part
    ]
    people = any(kinds[name] for name in ("person", "slot", "simulated rater"))
    missing = [
        *([] if kinds["scorer"] else [" No scorer has judged this: people are compared among themselves alone."]),
        *([] if people else [" Nobody has judged this: there are scores, and no agreement with people."]),
    ]
    return note(f"Contents: {', '.join(parts)}.{''.join(missing)}")


def _made(store: Store, values: Sequence[Any], progress: gr.Progress) -> str:
    """Make it, and say where it can be had."""
    try:
        selection, seed = _selection(values)
    except ValueError as error:
        return note(f"{str(error).removeprefix('--').capitalize()}.", "cc-bad")
    command = export.export_command(store, selection, "html", "report.html", seed)
    material = export.gather(store, selection, seed, command, lambda what, share: progress(share, desc=what.capitalize()))
    if material.ratings.empty:
        return note(f"{why_no_ratings(material.said).capitalize()}.", "cc-bad")
    key = export.keep_report(store, export.document(material), material)
    lines = "".join(_line(key, form, machine.browser() is not None) for form in FORMATS_SHOWN)
    head = f"The report on {wording.count(len(material.ratings), 'rating')} is made ({material.made:%H:%M} UTC)."
    return (
        note(head)
        + f'{WRAP}<table class="cc-table"><caption>Download</caption><tbody>{lines}</tbody></table></div>'
        + note("Kept until three others are made or the app is closed; the command makes it again:")
        + f'<p><code class="cc-code">{escape(command)}</code> {button("Copy", "copy", "Copy the command", copied=command)}</p>'
    )


FORMATS_SHOWN: Final = tuple(_TOLD)
assert set(FORMATS_SHOWN) == set(FORMATS)


def _line(key: str, form: str, can_print: bool) -> str:
    title, told = _TOLD[form]
    link = f'<a href="{escape(at(f"/api/studio/report/{key}/{form}"))}" download>{title}</a>'
    if form == "pdf" and not can_print:
        link, told = title, "there is no Chromium here to print it: take the HTML and print that"
    return f'<tr><th scope="row">{link}</th><td>{escape(told)}</td></tr>'
