"""The views of Results and of Compare, as their addresses say them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final

from concord.common.base_path import at
from concord.comparison.leaderboard import SCORE
from concord.comparison.same_prompts import ORDERS
from concord.comparison.sharpened import SharpenOptions
from concord.scope import NAMES, Scope
from ui.shell.scope_bar import with_query

PATH: Final = "/results"
COMPARE: Final = "/results/compare"
SHOWN: Final = ("better", "worse", "same")
"""Prompts of Compare by what the second generator did on them."""
MOST_COLUMNS: Final = 4
"""So many raters have a column of their own where nobody has chosen."""
USUAL: Final = SharpenOptions()
PARAMETERS: Final = (
    *NAMES, "sort", "column", "by", "metrics", "prompts", "page", "all", "numbers", *(field.name for field in fields(USUAL)),
)  # fmt: skip
"""The names in an address of Results."""
_MOST_PAGES: Final = 10_000


@dataclass(frozen=True, slots=True)
class ResultsView:
    """What of Results is asked for.

    Attributes:
        scope: as the address says it.
        sort: the rater, or `task:NAME`, that orders the rows; empty for the usual one.
        column: the raters that have a column; empty for the usual ones.
        by: whose numbers the cells by task are; empty for the first rater's.
        metrics: the kind of the suite's metrics that stand in place of cells by task; empty for none.
        prompts: the order of the prompts that are shown below.
        page: which of them, from 0.
        every: whether all rows and all tasks are shown.
        numbers: whether the panel with all numbers is open.
        sharpen: how people's means are sharpened; without a scorer they are not.
    """

    scope: Scope = field(default_factory=Scope)
    sort: str = ""
    column: tuple[str, ...] = ()
    by: str = ""
    metrics: str = ""
    prompts: str = "spread"
    page: int = 0
    every: bool = False
    numbers: bool = False
    sharpen: SharpenOptions = field(default_factory=SharpenOptions)

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
            last("metrics"),
            last("prompts") if last("prompts") in ORDERS else "spread",
            min(int(page), _MOST_PAGES) if page.isascii() and page.isdigit() and len(page) < 6 else 0,
            last("all") == "1",
            last("numbers") == "1",
            SharpenOptions.of(last("scorer"), last("target"), last("labels"), last("method")),
        )

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed."""
        view = replace(self, **changes)  # type: ignore[arg-type]
        own = [
            *view.scope.query(),
            ("sort", view.sort),
            *(("column", name) for name in view.column),
            ("by", view.by),
            ("metrics", view.metrics),
            ("prompts", "" if view.prompts == "spread" else view.prompts),
            ("page", str(view.page or "")),
            ("all", "1" if view.every else ""),
            ("numbers", "1" if view.numbers else ""),
            *((f.name, value) for f in fields(USUAL) if (value := getattr(view.sharpen, f.name)) != getattr(USUAL, f.name)),
        ]
        return with_query(at(f"/studio{PATH}"), own)

    def of_scope(self, scope: Scope) -> str:
        """Return the address of another scope; another suite has other raters and tasks."""
        if scope.suite != self.scope.suite:
            return ResultsView(scope).address()
        return self.address(scope=scope, page=0)


@dataclass(frozen=True, slots=True)
class CompareView:
    """What of Compare is asked for.

    Attributes:
        scope: as the address says it.
        a: the generator that `b` is compared with; empty for the second best.
        b: empty for the best.
        by: whose prompts and tasks are shown; empty for the first rater.
        show: a name of `SHOWN`; empty for the generator that is better on more prompts.
        page: of the prompts, from 1.
    """

    scope: Scope = field(default_factory=Scope)
    a: str = ""
    b: str = ""
    by: str = ""
    show: str = ""
    page: int = 1

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> CompareView:
        """Return the view that an address asks for, also one of before, which named a rater's question with it."""

        def last(name: str) -> str:
            given = [value for value in values(name) if value]
            return given[-1][:1000] if given else ""

        scope = Scope.read(values)
        by, question = last("by"), ""
        if "·" in by:
            by, _, question = by.rpartition("·")
        if question and question != SCORE and not scope.aspect:
            scope = replace(scope, aspect=question)
        show = last("show") or {"improvements": "better", "regressions": "worse"}.get(last("order"), "")
        page = last("page")
        return cls(
            scope,
            last("a") or last("first"),
            last("b") or last("second"),
            by,
            show if show in SHOWN else "",
            max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 6 else 1,
        )

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed; another choice begins with its first page."""
        view: CompareView = replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]
        own = [
            *view.scope.query(),
            ("a", view.a),
            ("b", view.b),
            ("by", view.by),
            ("show", view.show),
            ("page", "" if view.page == 1 else str(view.page)),
        ]
        return with_query(at(f"/studio{COMPARE}"), own)

    def of_scope(self, scope: Scope) -> str:
        """Return the address of another scope; another suite has other generators and raters."""
        if scope.suite != self.scope.suite:
            return CompareView(scope).address()
        return self.address(scope=scope)
