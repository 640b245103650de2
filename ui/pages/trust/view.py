"""What of Trust is asked for, as its address says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final
from urllib.parse import parse_qsl, urlencode

from agreement import CONSENSUSES, ConsensusMethod
from concord.common.base_path import at
from concord.comparison.trust_sentence import COSTS
from concord.scope import ALL, NAMES, OpenScope, Scope
from data.selection import Selection
from ui.shell.scope_bar import with_query

PATH: Final = "/agreement"
PARTS: Final[Mapping[str, str]] = {
    "all": "All raters",
    "pair": "Two raters",
    "replace": "May it replace people?",
    "certainty": "By people’s certainty",
    "scorers": "Scorer against scorer",
    "thresholds": "Scores to decisions",
    "consensus": "Consensus of people",
}
"""The parts of "All numbers", one of which is open at a time."""
EVERY: Final = "all_statistics"
_FURTHER: Final = frozenset(each.name for each in fields(Selection)) - {*NAMES, "rater"}
"""What restricts judgements beside the scope."""
PARAMETERS: Final = (
    *NAMES, "rater", "beside", "epsilon", "all", "numbers", "consensus", "table", *sorted(_FURTHER),
)  # fmt: skip
"""The names in an address of Trust."""


@dataclass(frozen=True, slots=True)
class TrustView:
    """What is shown.

    Attributes:
        scope: as the address says it.
        rater: whose row is open; empty for the best scorer's.
        beside: whom it is compared with; empty for people.
        epsilon: what a person costs more than a scorer, for the alternative annotator test; a key of `COSTS`.
        every: whether all rows are shown.
        numbers: the part of "All numbers" that is open; empty where none is.
        consensus: the consensuses of people that are raters in the matrix, too.
        table: `EVERY` for tables with every statistic, not only the scale's main ones.
        further: what else restricts the judgements, as an address's query.
    """

    scope: Scope = field(default_factory=Scope)
    rater: str = ""
    beside: str = ""
    epsilon: str = "0.1"
    every: bool = False
    numbers: str = ""
    consensus: tuple[ConsensusMethod, ...] = ()
    table: str = ""
    further: str = ""

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> TrustView:
        """Return the view that an address asks for, also one of before, which called a pair `a` and `b`, and a part `show`."""

        def last(name: str) -> str:
            given = [value for value in values(name) if value]
            return given[-1][:1000] if given else ""

        numbers = last("numbers") or (last("show") if last("show") != ALL else "")
        chosen = [name for value in values("consensus") for name in value.split(",")]
        methods = tuple(method for method in CONSENSUSES if method in chosen)
        table = EVERY if last("table") == EVERY else ""
        return cls(
            Scope.read(values),
            last("rater") or last("a"),
            last("beside") or last("b"),
            last("epsilon") if last("epsilon") in COSTS else "0.1",
            last("all") == "1",
            numbers if numbers in PARTS else "all" if table or numbers else "",
            methods,
            table,
            _further(values),
        )

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed."""
        view = replace(self, **changes)  # type: ignore[arg-type]
        own = [
            *view.scope.query(),
            ("rater", view.rater),
            ("beside", view.beside),
            ("epsilon", "" if view.epsilon == "0.1" else view.epsilon),
            ("all", "1" if view.every else ""),
            ("numbers", view.numbers),
            ("consensus", ",".join(view.consensus)),
            ("table", view.table),
            *parse_qsl(view.further),
        ]
        return with_query(at(f"/studio{PATH}"), own)

    def of_scope(self, scope: Scope) -> str:
        """Return the address of another scope; another suite has other raters."""
        if scope.suite != self.scope.suite:
            return TrustView(scope).address()
        return self.address(scope=scope)

    def selection(self, opened: OpenScope) -> Selection:
        """Return the judgements that the numbers are made from."""
        own = opened.scope.selection
        return replace(_restricted(self.further), suite=own.suite, aspect=own.aspect, generator=own.generator)

    @property
    def restriction(self) -> str:
        """What restricts the judgements beside the scope, in words; empty if nothing does."""
        return "; ".join(f"{name} {', '.join(values)}" for name, values in _restricted(self.further).to_dict().items())


def _further(values: Callable[[str], Sequence[str]]) -> str:
    """Return what of an address restricts judgements beside the scope; nothing if a value cannot be followed."""
    query = urlencode([(name, value[:1000]) for name in sorted(_FURTHER) for value in values(name) if value])
    try:
        _restricted(query)
    except ValueError:
        return ""
    return query


def _restricted(query: str) -> Selection:
    pairs = parse_qsl(query)
    return Selection.of(lambda name: [value for key, value in pairs if key == name])
