"""The view of Results, as its address says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from concord.common.base_path import at
from concord.comparison.same_prompts import ORDERS
from concord.scope import Scope
from ui.shell.scope_bar import with_query

PATH: Final = "/results"
MOST_COLUMNS: Final = 4
"""So many raters have a column of their own where nobody has chosen."""
_MOST_PAGES: Final = 10_000


@dataclass(frozen=True, slots=True)
class ResultsView:
    """What of Results is asked for.

    Attributes:
        scope: as the address says it.
        sort: the rater, or `task:NAME`, that orders the rows; empty for the usual one.
        column: the raters that have a column; empty for the usual ones.
        by: whose numbers the cells by task are; empty for the first rater's.
        prompts: the order of the prompts that are shown below.
        page: which of them, from 0.
        every: whether all rows and all tasks are shown.
        numbers: whether the panel with all numbers is open.
    """

    scope: Scope = field(default_factory=Scope)
    sort: str = ""
    column: tuple[str, ...] = ()
    by: str = ""
    prompts: str = "spread"
    page: int = 0
    every: bool = False
    numbers: bool = False

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> ResultsView:
        """Return the view that an address asks for; what it cannot ask for is left out."""

        def last(name: str) -> str:
            given = values(name)
            return given[-1][:1000] if given else ""

        page = last("page")
        return cls(
            Scope.read(values),
            last("sort"),
            tuple(dict.fromkeys(name for name in values("column") if 0 < len(name) <= 1000))[:MOST_COLUMNS],
            last("by"),
            last("prompts") if last("prompts") in ORDERS else "spread",
            min(int(page), _MOST_PAGES) if page.isascii() and page.isdigit() and len(page) < 6 else 0,
            last("all") == "1",
            last("numbers") == "1",
        )

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed."""
        view = replace(self, **changes)  # type: ignore[arg-type]
        own = [
            *view.scope.query(),
            ("sort", view.sort),
            *(("column", name) for name in view.column),
            ("by", view.by),
            ("prompts", "" if view.prompts == "spread" else view.prompts),
            ("page", str(view.page or "")),
            ("all", "1" if view.every else ""),
            ("numbers", "1" if view.numbers else ""),
        ]
        return with_query(at(f"/studio{PATH}"), own)

    def of_scope(self, scope: Scope) -> str:
        """Return the address of another scope; another suite has other raters and tasks."""
        if scope.suite != self.scope.suite:
            return ResultsView(scope).address()
        return self.address(scope=scope, page=0)
