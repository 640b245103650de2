"""What the part Questions is made of: numbers as cells and marks that lead to the answers behind them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Final

from concord import rejudging
from concord.common import next_steps
from concord.questions.scores import Row
from data.store.core.store import Store
from ui.components.table import Cell, note
from ui.failure_charts import Mark
from ui.pages.explore.view import ALL, View

NO_VALUE: Final = "–"
_OWN_RULE: Final = "dsg"


@dataclass(frozen=True, slots=True)
class Asked:
    """Above, a Plotly figure or None, and beneath it the numbers and a list of answers, as HTML."""

    lead: str
    figure: Any
    numbers: str
    listed: str


def cell(row: Row | None, href: str = "", more: str = "") -> Cell:
    """A number with interval and n; ``more``: a further line."""
    if row is None:
        return Cell("")
    n = f"n = {row['n']:,}"
    if row["value"] is None:
        return Cell(NO_VALUE, more, row["reason"] or "")
    lines = (interval(row), n, more)
    return Cell(f"{row['value']:.3f}", "\n".join(filter(None, lines)), f"{row['method']}; n = {row['n']:,} {row['unit']}", href)


def interval(row: Row) -> str:
    """A number's interval in words, empty without one."""
    return "" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"


def mark(row: Row | None, name: str, href: str = "") -> Mark:
    """A number in a figure; ``name``: what it is of."""
    if row is None or row["value"] is None:
        return Mark(None)
    span = interval(row)
    told = f"{name}: {row['value']:.3f}{f' ({span})' if span else ''}\nn = {row['n']:,} {row['unit']}"
    return Mark(row["value"], row["low"], row["high"], told, href)


def source_of(view: View) -> str:
    """The text source that is looked at; empty for all."""
    return "" if view.source == ALL else view.source


def reference_of(view: View) -> str:
    """The generator of real images; empty for none."""
    return "" if view.reference == ALL else view.reference


def of_source(view: View) -> str:
    """In words, where only one text source is looked at."""
    return f", texts of {view.source} alone" if source_of(view) else ""


def own_rule(store: Store, view: View) -> str:
    """What is to be said of a rater whose own score is another than these."""
    sources = rejudging.sources(store)
    scorer = next((one.scorer for one in sources if (one.suite, one.rater_id) == (view.suite, view.rater)), "")
    if scorer != _OWN_RULE:
        return ""
    told = "Its own score counts an answer only if those that it rests on are right; here all answers count (TIFA, formula 1)."
    return note(told)


def commands(store: Store, *groups: tuple[str, ...]) -> str:
    """Command lines to copy."""
    return f'<pre class="cc-note">{escape(chr(10).join(next_steps.command_lines(store, *groups)))}</pre>'
