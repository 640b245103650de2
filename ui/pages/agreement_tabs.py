"""The tabs of Agreement: Trust, and those of Failures, Tune and Captions that have data here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import htpy
from htpy import Node

from concord.comparison.matching import has_captions
from concord.error_analysis.failures import failing_raters, sees_anything
from concord.error_analysis.tuning import tunable_raters
from concord.open_project import OpenProject
from concord.scope import OpenScope, Scope, open_scope
from ui.components.addresses import page_address
from ui.components.tables import commands, folded
from ui.pages.add.then import scorers_address
from ui.shell.scope_bar import scope_bar

TRUST, FAILURES, TUNE, CAPTIONS = "agreement", "agreement/failures", "agreement/tune", "agreement/captions"
_TITLES: Final = {TRUST: "Trust", FAILURES: "Failures", TUNE: "Tune", CAPTIONS: "Captions"}
_MISSING: Final = {
    FAILURES: ["failures (a scorer that detects objects, or answers questions)"],
    TUNE: ["tuning (a scorer with stored detections)"],
    CAPTIONS: ["captions (a scorer that chooses among captions)"],
}


def agreement_tabs(store: OpenProject, current: str, asked: Scope, suite: str) -> Node:
    """Return links to the tabs that have data about a suite; nothing where there is one alone.

    Args:
        store: the project.
        current: the tab that is open.
        asked: the scope that the links keep.
        suite: that the scope leads to.
    """
    here = _available(store, suite, current)
    if len(here) < 2:
        return ""
    query = asked.query()
    links = [
        htpy.a(href=page_address(name, *query), aria_current="page" if name == current else None)[_TITLES[name]]
        for name in here
    ]
    return htpy.nav(class_="cc-place-tabs is-inside", aria_label="Agreement")[links]


@dataclass(frozen=True, slots=True)
class OpenTab:
    """A tab of Agreement with its scope: the bar of chips, and what stands above the tab's own content.

    Attributes:
        opened: the scope as the project has it.
        head: the tabs, and a line about each part of the address that the project does not have.
    """

    opened: OpenScope
    bar: Node
    head: list[Node]


def open_tab(store: OpenProject, current: str, scope: Scope, address: Callable[[Scope], str]) -> OpenTab | None:
    """Return a tab about a suite, generators and a task; None for an empty project.

    Args:
        store: the project.
        current: the tab.
        scope: as its address says it.
        address: of the tab with another scope.
    """
    opened = open_scope(store, scope)
    if opened is None:
        return None
    lost = [htpy.p(class_="cc-note", role="status")[line] for line in opened.lost]
    tabs = agreement_tabs(store, current, opened.asked, opened.scope.suite)
    return OpenTab(opened, scope_bar(opened, address, ("suite", "generator", "task")), [tabs, lost])


def rater_tabs(store: OpenProject, suite: str, rater: str) -> list[tuple[str, str]]:
    """Return the address and title of each tab that shows a scorer."""
    raters = {FAILURES: failing_raters, TUNE: tunable_raters}
    return [(path, _TITLES[path]) for path, named in raters.items() if rater in named(store, suite)]


def missing_tabs(store: OpenProject, suite: str) -> list[Node]:
    """Return what the absent tabs need, each as part of a sentence that begins with "Could be here"."""
    here = _available(store, suite, TRUST)
    return [part for name, parts in _MISSING.items() if name not in here for part in parts]


def could_be_here(store: OpenProject, suite: str, *more: Node) -> Node:
    """Return the place's last line: what is not here, and how to get it; nothing where all is."""
    parts = [*more, *missing_tabs(store, suite)]
    if not parts:
        return ""
    add = htpy.a(href=scorers_address())["Score the images"]
    line = [[", " if n else "", part] for n, part in enumerate(parts)]
    return htpy.footer(class_="cc-quietline")[htpy.p["Could be here: ", line, ". ", add]]


def choose_a_scorer(lines: Sequence[str]) -> Node:
    """Return the button that leads to the scorers, and the same as commands."""
    return [
        htpy.p[htpy.a(class_="cc-button cc-button--primary", href=scorers_address())["Choose a scorer"]],
        folded("By command", commands(lines)),
    ]


def _available(store: OpenProject, suite: str, current: str) -> list[str]:
    has = {
        TRUST: True,
        FAILURES: sees_anything(store, suite),
        TUNE: bool(tunable_raters(store, suite)),
        CAPTIONS: has_captions(store, suite),
    }
    return [name for name, present in has.items() if present or name == current]
