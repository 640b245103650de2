"""The reports that were made so far, and where each can be taken in every format."""

from __future__ import annotations

import htpy
from htpy import Element, Node

from concord.common import machine
from concord.common.base_path import at
from concord.open_project import OpenProject
from ui.components.tables import code, folded, when
from ui.report.formats import FORMATS, FormatName
from ui.report.made_reports import MadeReport, reports
from ui.report.sections_methods import selection_in_words


def made_reports(store: OpenProject) -> Node:
    """Return the reports that are being made, were made or failed, the newest first; nothing where there are none."""
    every = reports(store)
    if not every:
        return ""
    can_print = machine.browser() is not None
    return htpy.section(class_="cc-part cc-report-made", aria_label="Reports made so far", id="made")[
        htpy.div(class_="cc-part-head")[
            htpy.h2["Reports made so far"],
            htpy.span(class_="cc-part-hint")["kept until three others are made, or the app is closed"],
        ],
        htpy.div(class_="cc-panel")[[_report(each, can_print) for each in every]],
    ]


def _report(report: MadeReport, can_print: bool) -> Element:
    about: list[Node] = [when(report.begun), f" · {selection_in_words(report.selection)}"]
    if report.seed:
        about.append(f", seed {report.seed}")
    if report.error:
        state: Node = htpy.p(class_="cc-note cc-bad")[report.error]
    elif report.material is None:
        state = htpy.p(class_="cc-note")["being made …"]
    else:
        first = [name for name in FORMATS if name in report.formats]
        links = [
            _download(report, name, can_print, main=name in first) for name in sorted(FORMATS, key=lambda n: n not in first)
        ]
        state = htpy.p(class_="cc-report-downloads")[links]
    return htpy.article[htpy.div[htpy.p[about], state], folded("By command", code(report.command), "cc-report-command")]


def _download(report: MadeReport, form: FormatName, can_print: bool, *, main: bool) -> Element:
    title, description = FORMATS[form].title, FORMATS[form].description
    if form == "pdf" and not can_print:
        return htpy.span[f"{title}: there is no Chromium to print it; take the HTML and print that"]
    href = at(f"/api/studio/report/{report.key}/{form}")
    return htpy.a(class_=["cc-button", not main and "cc-button--quiet"], href=href, title=description, download=True)[title]
