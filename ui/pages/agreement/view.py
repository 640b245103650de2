"""What the Agreement page is asked to show, and the address that says so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from agreement import CONSENSUSES, ConsensusMethod
from agreement.report.report import glance
from concord.common import wording
from data.store.core.selection import Selection
from ui.root import at

PAGE = "/studio/agreement"
ALL = "all"
NUMBERS = ALL
EVERY = "all_statistics"
ADDRESS = ("suite", "aspect", "generator", "task", "statistic", "show", "consensus", "table", "a", "b")
"""What has a control of its own, by its name in the address."""


@dataclass(frozen=True, slots=True)
class View:
    """What is shown.

    Attributes:
        show: which of the page's parts.
        consensus: which consensuses of people are raters, too: names with a comma between them.
        table: EVERY for tables with every statistic, not only the main ones.
        a, b: the pair that is opened, if any.
        further: what else restricts the selection, as an address's query: the filters without a control.
    """

    suite: str = ""
    aspect: str = ""
    generator: str = ALL
    task: str = ALL
    statistic: str = ""
    show: str = NUMBERS
    consensus: str = ""
    table: str = ""
    a: str = ""
    b: str = ""
    further: str = ""

    @property
    def selection(self) -> Selection:
        """The judgements that the numbers are made from."""
        here = Selection(suite=(self.suite,), aspect=(self.aspect,))
        chosen = replace(restricted(self.further), suite=here.suite, aspect=here.aspect)
        return chosen if self.generator == ALL else replace(chosen, generator=(self.generator,))

    @property
    def methods(self) -> tuple[ConsensusMethod, ...]:
        """The consensuses by name; what is none is left out."""
        asked = self.consensus.split(",")
        return tuple(method for method in CONSENSUSES if method in asked)

    def listed(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What the tables show of ``rows``: the chosen statistic and the main ones, or every one."""
        return list(rows) if self.table == EVERY else glance(rows, self.statistic)[0]

    def address(self, **changes: str) -> str:
        """Where this view is, with some of it changed; what is empty or stands for all is left out."""
        values = {name: str(getattr(self, name)) for name in ADDRESS} | changes
        return at(f"{PAGE}?") + urlencode([(k, v) for k, v in values.items() if v not in ("", ALL)] + parse_qsl(self.further))


def further(asked: Sequence[tuple[str, str]]) -> str:
    """What of an address restricts the selection and has no control; several generators or tasks have none, either."""
    several = {name for name in ("generator", "task") if sum(key == name for key, _ in asked) > 1}
    mine = {field.name for field in fields(Selection)} - ({"suite", "aspect", "generator", "task"} - several)
    return urlencode([(key, value) for key, value in asked if key in mine and value])


def restricted(query: str) -> Selection:
    """The selection of such a query.

    Raises:
        ValueError: a value that cannot be followed, such as a date that is none.
    """
    pairs = parse_qsl(query)
    return Selection.of(lambda name: [value for key, value in pairs if key == name])


def where(view: View) -> str:
    """The suite, the aspect, the generator and the task in words."""
    generator = "all generators" if view.generator == ALL else view.generator
    task = "" if view.task == ALL else f", {wording.task(view.task)}"
    return f"{view.suite}, {wording.aspect(view.aspect)}, {generator}{task}"


def restriction(view: View) -> str:
    """What else restricts the selection, in words; nothing if nothing does."""
    parts = [f"{name} {', '.join(values)}" for name, values in restricted(view.further).to_dict().items()]
    return "; ".join(parts)
