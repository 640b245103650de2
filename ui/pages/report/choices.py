"""What goes into a report: its parts, which answers count, and the formats, each a choice that the address holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.open_project import OpenProject
from concord.reporting.contents import SelectionSize, selection_size
from concord.reporting.first_page import FirstPage
from data.selection import EVERYTHING
from ui.pages.report.view import FILTERS, ReportView
from ui.report.formats import FORMATS, PARTS, PartName
from ui.shell.scope_bar import chips_bar

_IN_BAR: Final = ("suite", "aspect", "generator", "task")
_SEARCH_FROM: Final = 10
_FEWEST: Final = 2
"""So many values, and a filter is a choice."""
Offered = Mapping[str, tuple[str, ...]]


def scope_chips(view: ReportView, offered: Offered, size: SelectionSize) -> Element:
    """Return the bar: the filters by what was judged, and who has judged what they leave."""
    chips = [_chip(view, name, offered[name]) for name in _IN_BAR]
    short = [_value(name, view.filters.get(name, ()), offered[name]) for name in ("suite", "aspect")]
    return chips_bar(chips, [text for text in short if text], size.parts or ["nothing"])


def choices_column(store: OpenProject, view: ReportView, offered: Offered, page: FirstPage | None) -> Element:
    """Return the column at the left: parts, filters by who judged and when, and formats."""
    return htpy.div(class_="cc-report-choices")[_parts(view, page), _answers(store, view, offered), _formats(view)]


def _chip(view: ReportView, name: str, values: Sequence[str]) -> Node:
    """Return a filter as a chip with a menu of boxes; a text where there is one value alone."""
    chosen = view.filters.get(name, ())
    values = (*values, *(value for value in chosen if value not in values))
    label: list[Node] = [htpy.span[FILTERS[name]], " ", _value(name, chosen, values)]
    if len(values) < _FEWEST and not chosen:
        return htpy.span(class_="cc-pill cc-pill--fixed")[label] if values and name in _IN_BAR else ""
    menu = f"report-{name}"
    every = view.with_filter(name, ()).address(page=0)
    boxes = [
        htpy.label(data_item="")[
            htpy.input(type="checkbox", name=name, value=value, checked=value in chosen or not chosen),
            htpy.span[_words(name, value)],
        ]
        for value in values
    ]
    search = len(values) >= _SEARCH_FROM and htpy.input(
        type="search", class_="cc-input", placeholder="Search", aria_label=f"Search {FILTERS[name]}", data_search=""
    )
    form = htpy.form(data_scope_form="", action=every, data_all=str(len(values)))[
        search,
        htpy.div(class_="cc-popup-boxes")[boxes],
        htpy.div(class_="cc-popup-end")[
            htpy.button(type="button", data_none="")["None"],
            htpy.button(type="submit", class_="cc-popup-apply")["Only these"],
        ],
    ]
    back = htpy.a(class_="cc-chip-back", href=every, aria_label=f"{FILTERS[name]}: back to all", data_scope="")["×"]
    return htpy.span(class_="cc-chip-place")[
        htpy.button(type="button", class_=["cc-pill", bool(chosen) and "is-changed"], popovertarget=menu)[
            label, not chosen and htpy.span(class_="cc-caret", aria_hidden="true")
        ],
        chosen and back,
        htpy.div(id=menu, class_="cc-popup cc-scope-popup", popover="auto")[form],
    ]


def _value(name: str, chosen: Sequence[str], values: Sequence[str]) -> str:
    if len(chosen) == 1 or (not chosen and len(values) == 1):
        return _words(name, (chosen or values)[0])
    if chosen:
        return f"{len(chosen)} of {len(values)}"
    return "any" if name in ("certainty", "tag") else f"all {len(values)}"


def _words(name: str, value: str) -> str:
    return {"aspect": wording.plain_aspect, "task": wording.task}.get(name, str)(value)


def _parts(view: ReportView, page: FirstPage | None) -> Element:
    """Return the parts with boxes; those that hold nothing here are grey and say why."""
    empty = _empty_parts(page)
    lines = [
        htpy.label(class_="is-empty" if name in empty else None)[
            htpy.input(
                type="checkbox",
                name="part",
                value=name,
                checked=(not view.parts or name in view.parts) and name not in empty,
                disabled=name in empty,
            ),
            htpy.span[title, htpy.small[empty.get(name, what)]],
        ]
        for name, (title, what) in PARTS.items()
    ]
    return htpy.section(aria_label="What is in it")[
        htpy.div(class_="cc-part-head")[htpy.h2["What is in it"]],
        htpy.div(class_="cc-panel cc-report-ticks")[
            htpy.p["First page", htpy.small["always, shown beside"]],
            htpy.form(data_ticks="", action=replace(view, parts=()).address(), data_all=str(len(PARTS) - len(empty)))[lines],
        ],
    ]


def _empty_parts(page: FirstPage | None) -> Mapping[PartName, str]:
    """Return the parts that have nothing to say, with why."""
    if page is None:
        return dict.fromkeys(PARTS, "nothing is selected")
    empty: dict[PartName, str] = {}
    if not page.trust.scorers:
        empty["scorers"] = "no scorer has judged these images"
        empty["failures"] = "no scorer to compare with people" if page.trust.people else "nobody has answered"
    if page.trust.people is None:
        empty["people"] = "nobody has answered"
        empty["failures"] = "nobody has answered"
    if page.scope.aspect != "correct" and "failures" not in empty:
        empty["failures"] = "only of yes and no to “correct”"
    return empty


def _answers(store: OpenProject, view: ReportView, offered: Offered) -> Element:
    """Return filters by who judged and when, and the seed."""
    chips = [_chip(view, name, offered[name]) for name in FILTERS if name not in _IN_BAR]
    fields = [
        _field("since", "Since", view.since, "2026-11-20", "text"),
        _field("until", "Before", view.until, "2026-12-01", "text"),
        _field("seed", "Seed", str(view.seed or ""), "0", "number"),
    ]
    form = htpy.form(class_="cc-report-fields", data_fields="", action=view.address(since="", until="", seed=0))[
        fields, htpy.button(type="submit", class_="cc-button")["Apply"]
    ]
    return htpy.section(aria_label="Only some answers")[
        htpy.div(class_="cc-part-head")[htpy.h2["Only some answers"]],
        htpy.div(class_="cc-report-chips")[chips, _without_simulated(store, view)],
        form,
    ]


def _field(name: str, label: str, value: str, example: str, kind: str) -> Element:
    more = {"min": "0"} if kind == "number" else {}
    control = htpy.input(type=kind, class_="cc-input cc-report-input", name=name, value=value, placeholder=example, **more)
    return htpy.label[htpy.span[label], control]


def _without_simulated(store: OpenProject, view: ReportView) -> Node:
    """Return the link that leaves out simulated people, where there are others."""
    everybody = selection_size(store, EVERYTHING)
    if not everybody.simulated or not everybody.people:
        return ""
    real = tuple(each.name for each in everybody.people)
    scorers = tuple(name for name in view.filters.get("rater", ()) if name in {each.name for each in everybody.scorers})
    left_out = set(view.filters.get("rater", ())) - set(scorers) == set(real)
    href = view.with_filter("rater", scorers if left_out else (*scorers, *real)).address()
    words = "Simulated people are left out" if left_out else "Leave out simulated people"
    return htpy.a(class_=["cc-pill", left_out and "is-changed"], href=href, aria_current="true" if left_out else None)[words]


def _formats(view: ReportView) -> Element:
    boxes = [
        htpy.label(title=each.description)[
            htpy.input(type="checkbox", name="format", value=name, checked=name in view.formats), htpy.span[each.title]
        ]
        for name, each in FORMATS.items()
    ]
    return htpy.section(aria_label="Formats")[
        htpy.div(class_="cc-part-head")[htpy.h2["Formats"]],
        htpy.form(class_="cc-report-formats", data_ticks="", action=view.address(formats=()))[boxes],
    ]
