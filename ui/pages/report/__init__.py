"""Report: what goes into a report, its first page as it will be, the reports made so far, and a paper's numbers checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import htpy
from htpy import Node
from markupsafe import Markup

from concord.common import live_updates, wording
from concord.comparison.trust import is_huge
from concord.reporting.contents import SelectionSize, filter_values, selection_size
from concord.reporting.first_page import FirstPage, first_page
from data.images.widths import IN_GRIDS
from data.selection import EVERYTHING
from ui.components.image_strip import picture_address
from ui.pages.report.choices import choices_column, scope_chips
from ui.pages.report.made import made_reports
from ui.pages.report.paper_check import paper_check
from ui.pages.report.view import PARAMETERS, PATH, ReportView
from ui.pages.results.notices import nothing_yet
from ui.report.document import first_page_html
from ui.report.made_reports import reports
from ui.shell.live_place import LivePlace, PlaceDrawing

_ABOUT: Final = (
    "One page that answers which generator is better and whom one may trust, then tables with every number, its interval and n,"
    " and the command that makes it again."
)


class ReportPage(LivePlace):
    """The place."""

    title, path, ADDRESS, module = "Report", PATH, PARAMETERS, "report"

    def drawing_version(self) -> str:
        """Return a version that moves with the reports that are made, too."""
        made = [(each.key, each.is_made, each.error) for each in reports(self.store)]
        return f"{live_updates.version(self.store)} {made}"

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place with a first page of points, then with its intervals, and with the paper's numbers."""
        view = ReportView.read(values)
        if selection_size(self.store, EVERYTHING).is_empty:
            yield PlaceDrawing("", nothing_yet(self.store), "Report")
            return
        offered = filter_values(self.store)
        passes = (False,) if is_huge(self.store) else (False, True)
        for intervals in passes:
            complete = intervals == passes[-1]
            try:
                selection = view.selection
                page = first_page(self.store, selection, intervals=intervals)
                size, wrong = selection_size(self.store, selection), ""
            except ValueError as error:
                page, size = None, SelectionSize((), (), (), slots=False)
                wrong = wording.sentence(str(error).removeprefix("--"))
            content = [
                _lead(view, size, page, wrong),
                htpy.div(class_="cc-report")[
                    choices_column(self.store, view, offered, page), _first_page(page, size, wrong, complete=complete)
                ],
                paper_check(self.store, view, complete=complete),
                made_reports(self.store),
            ]
            yield PlaceDrawing(scope_chips(view, offered, size), content, "Report", complete=complete)


def _lead(view: ReportView, size: SelectionSize, page: FirstPage | None, wrong: str) -> Node:
    """Return what a report would be made from, and the buttons that copy its address and make it."""
    images = f"{wording.count(page.board.images, 'image')}, " if page is not None and page.board.images else ""
    main = f"A report on {images}{size.text}" if not size.is_empty else "Nothing to report on"
    buttons = htpy.div(class_="cc-part-tools cc-report-tools")[
        htpy.button(type="button", class_="cc-button", data_copy_link="")["Copy link"],
        htpy.button(
            type="button",
            class_="cc-button cc-button--primary",
            data_make=view.address().partition("?")[2],
            disabled=size.is_empty,
        )["Make the report"],
    ]
    return htpy.header(class_="cc-lead cc-report-lead")[
        htpy.div[
            htpy.h1[main],
            htpy.p(class_="cc-sub")[wrong or _ABOUT],
            htpy.p(class_="cc-sub cc-report-making", role="status", hidden=True),
        ],
        buttons,
    ]


def _first_page(page: FirstPage | None, size: SelectionSize, wrong: str, *, complete: bool) -> Node:
    """Return the report's first page, drawn by the report itself in a root of its own."""
    hint = "follows what you choose" if complete else "computing intervals …"
    head = htpy.div(class_="cc-part-head")[htpy.h2["First page"], htpy.span(class_="cc-part-hint")[hint]]
    paper: Node = htpy.p(class_="cc-note")[wrong or "Nothing that is selected counts. Remove a filter."]
    if page is not None and not size.is_empty:
        two = page.best_two
        found = {} if two is None else two.images
        pictures = {item: picture_address(each.sha256, IN_GRIDS) for item, each in found.items() if each.sha256}
        drawn = htpy.template[Markup(first_page_html(page, pictures))]
        paper = htpy.div(class_="cc-paper", data_paper="", role="document", aria_label="The report’s first page")[drawn]
    return htpy.section(class_="cc-report-page", aria_label="First page")[head, htpy.div(class_="cc-paper-ground")[paper]]
