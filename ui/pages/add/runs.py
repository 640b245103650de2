"""Runs: what scorers and generators are at, how far, and what they said; each can be paused, resumed, cancelled, removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final
from urllib.parse import quote

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.common.table import Cell, TableRow, numbers
from concord.open_project import OpenProject
from concord.runs import model_downloads, run_manager
from concord.runs.run_details import (
    Fact,
    can_try_again,
    noun,
    removal_question,
    run_details,
    runs_headline,
    speed,
    state_words,
)
from concord.runs.run_manager import RunView
from ui.components.addresses import page_address
from ui.components.tables import (
    CHOSEN,
    bullets,
    columns,
    folded,
    note,
    pager,
    plain_table,
    progress_bar,
    small,
    table_element,
    table_row,
)
from ui.pages.add.downloads import downloads_section
from ui.pages.add.fields import sending, submit
from ui.shell.live_place import LivePlace, PlaceDrawing

_PAGE: Final = 20
_HEADERS: Final = columns("run", "state", "progress", *numbers("speed", "time"), "failed")
_MOST_REASONS: Final = 3
_LONGEST: Final = 160
_ACTIONS: Final = {"pause": "Pause", "resume": "Resume", "cancel": "Cancel", "again": "Try these again", "sooner": "Sooner"}


class RunsPage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Runs", "/add/runs", ("run", "page")
    scoped = False

    def drawing_version(self) -> str:
        """Return a version that moves with what workers tell."""
        return f"{super().drawing_version()} {run_manager.progress_version(self.store)} {model_downloads.version()}"

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the table of runs, and all of the chosen one."""
        asked, page = (next((value for value in reversed(values(name)) if value), "") for name in ("run", "page"))
        rows = run_manager.run_rows(self.store)
        if not rows:
            yield PlaceDrawing("", [_nothing_yet(), downloads_section()], "Runs")
            return
        chosen = chosen_run(self.store, asked)
        busy = run_manager.active_runs(self.store)
        # of the others only the newest: nobody waits for what was stopped long ago
        latest = [run_manager.run_view(self.store, row) for k, row in enumerate(rows) if k < _PAGE or row.run_id in busy]
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 6 else 1
        yield PlaceDrawing(
            "",
            [
                _head(latest),
                downloads_section(),
                htpy.div(data_again=any(view.is_active or view.state == "queued" for view in latest) or None),
                _table(self.store, chosen, max(1, number)),
                chosen is not None and run_panel(self.store, chosen),
            ],
            "Runs",
        )


def chosen_run(store: OpenProject, run_id: str) -> RunView | None:
    """Return the run that is shown: without a choice, one that is at work, else one that can go on, else the newest."""
    rows = run_manager.run_rows(store)
    busy = run_manager.active_runs(store)
    ordered = [
        *(row for row in rows if row.run_id == run_id),
        *(row for row in rows if row.run_id in busy),
        *(row for row in rows if row.state in ("running", "paused", "failed")),
        *rows,
    ]
    return run_manager.run_view(store, ordered[0]) if ordered else None


def _nothing_yet() -> Node:
    text = (
        "A scorer works in a process of its own, can be paused at any time, and goes on after a crash. A second one on the same"
        " device waits for the first."
    )
    link = htpy.a(class_="cc-button cc-button--primary", href=page_address("add"))["Choose scorers"]
    begins = any(each.is_active for each in model_downloads.all_downloads())
    title = "A scorer begins as soon as its model is here" if begins else "No scorer has scored this project’s images yet"
    return htpy.header(class_="cc-lead")[htpy.div[htpy.h1[title], htpy.p(class_="cc-sub")[text]], not begins and link]


def _head(views: Sequence[RunView]) -> Element:
    main, rest = runs_headline(views)
    active = next((view for view in views if view.is_active), None)
    bar: Node = progress_bar(active.done, active.row.n_items, active.row.rater_id) if active else ""
    link = htpy.a(class_="cc-button", href=page_address("add"))["Score more"]
    return htpy.header(class_="cc-lead cc-runs-head")[
        htpy.div[htpy.h1[main, rest and htpy.span(class_="cc-rest")[f" {rest}"]], bar], link
    ]


def _table(store: OpenProject, chosen: RunView | None, page: int) -> Node:
    rows = run_manager.run_rows(store)
    pages = -(-len(rows) // _PAGE)
    page = min(page, pages)
    shown = [run_manager.run_view(store, row) for row in rows[(page - 1) * _PAGE : page * _PAGE]]

    def address(page: int) -> str:
        return page_address("add/runs", ("page", str(page)))

    return [
        runs_table(shown, chosen.row.run_id if chosen else "", f"Runs ({len(rows):,})" if len(rows) > _PAGE else "Runs"),
        pager(page, pages, address),
    ]


def runs_table(views: Sequence[RunView], chosen: str, caption: str) -> Element:
    """Return the runs, each a row whose name chooses it."""
    return table_element(plain_table(caption, _HEADERS, [_row(view, view.row.run_id == chosen) for view in views]), "cc-runs")


def _row(view: RunView, chosen: bool) -> TableRow:
    row = view.row
    who = f"{row.rater_id} paints" if row.kind == "generate" else row.rater_id
    title, hint = state_words(view)
    bar = progress_bar(view.done, row.n_items, row.run_id)
    when = wording.duration(view.seconds) if view.seconds else ""
    if view.is_active:
        when = f"about {wording.duration(view.seconds_left)} left" if view.seconds_left else ""
    state = htpy.span(class_=f"cc-state cc-state--{view.state.replace(' ', '-')}")[title]
    return table_row(
        Cell(row.run_id, (f"{who}, {row.created:%Y-%m-%d %H:%M} UTC",), href=page_address("add/runs", run=row.run_id)),
        Cell(title, (hint,) if hint else (), content=state),
        Cell("", (f"{view.done:,} of {wording.count(row.n_items, noun(view))}",), content=bar),
        speed(view.per_second),
        when,
        Cell("", content=_failed(view)),
        kind=CHOSEN if chosen else "",
    )


def _failed(view: RunView) -> Node:
    reasons = list(view.row.failures.items())
    lines = [
        small(f"{reason if len(reason) <= _LONGEST else reason[:_LONGEST] + '…'} ({count:,})")
        for reason, count in reasons[:_MOST_REASONS]
    ]
    more = len(reasons) - _MOST_REASONS
    rest = small(f"and {wording.count(more, 'other reason')}") if more > 0 else ""
    return [str(view.row.n_failed or ""), lines, rest]


def run_panel(store: OpenProject, view: RunView) -> Element:
    """Return all of a run: what can be done with it, what is known of it, its settings and its log."""
    details = run_details(store, view)
    row = view.row
    seen = f", {details.seen_since:,} of them seen since by a later run" if details.seen_since else ""
    failed_of = f"{wording.count(row.n_failed, 'image')} failed{seen}:"
    failed: Node = details.failures and [
        note(failed_of),
        bullets(details.failures),
    ]
    settings: list[Node] = [
        _facts(details.settings),
        details.all_settings and [note("All settings:"), bullets(details.all_settings)],
        details.others and note(details.others),
    ]
    log = run_manager.log_tail_of(store, row)
    return htpy.section(class_="cc-part cc-panel cc-run", aria_label=row.run_id)[
        htpy.div(class_="cc-part-head")[htpy.h2[row.run_id], htpy.div(class_="cc-part-tools")[_buttons(store, view)]],
        _facts(details.facts),
        [note(f"Warning: {warning}", "cc-bad") for warning in details.warnings],
        failed,
        folded("Settings, weights and versions", settings),
        folded("Log", htpy.pre(class_="cc-run-log", tabindex="0")[log or "nothing so far"]),
    ]


def _buttons(store: OpenProject, view: RunView) -> Node:
    can = {
        "pause": view.can_pause,
        "resume": view.can_resume,
        "cancel": view.can_cancel,
        "again": can_try_again(store, view),
        "sooner": view.state == "queued",
    }
    run = quote(view.row.run_id, safe="")
    buttons = [sending(f"runs/{run}/{name}", submit(text), label=text) for name, text in _ACTIONS.items() if can[name]]
    return [buttons, view.can_remove and _remove(view, run)]


def _remove(view: RunView, run: str) -> Element:
    question = htpy.div(id="remove-run", class_="cc-popup cc-scope-popup", popover="auto")[
        sending(
            f"runs/{run}/remove",
            [
                htpy.p[removal_question(view)],
                htpy.div(class_="cc-popup-end")[
                    htpy.button(type="button", popovertarget="remove-run", popovertargetaction="hide")["Keep it"],
                    submit("Remove it", kind="cc-popup-apply"),
                ],
            ],
            label="Remove",
        )
    ]
    button = htpy.button(type="button", class_="cc-button", popovertarget="remove-run")["Remove"]
    return htpy.span(class_="cc-chip-place")[button, question]


def _facts(facts: Sequence[Fact]) -> Node:
    return htpy.dl(class_="cc-run-facts")[[htpy.div[htpy.dt[name], htpy.dd[fact]] for name, fact in facts]] if facts else ""
