"""What of Report is asked for, as its address says it: filters, parts and formats of a report, and a study that is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from concord.common.base_path import at
from data.selection import Selection
from ui.report.formats import FORMATS, PARTS, FormatName
from ui.shell.scope_bar import with_query

PATH: Final = "/report"
FILTERS: Final[Mapping[str, str]] = {
    "suite": "Suite", "aspect": "Question", "generator": "Generators", "task": "Task",
    "campaign": "Campaign", "rater": "Raters", "certainty": "Certainty", "tag": "Tag",
}  # fmt: skip
"""The filters that are chips, by the name of the command's option."""
MOMENTS: Final = ("since", "until")
VERDICTS: Final[Mapping[str, str]] = {
    "all": "All", "different": "Different", "same": "Same", "not_determined": "Not determined"
}  # fmt: skip
"""Which numbers of a study are listed."""
USUAL_FORMATS: Final[tuple[FormatName, ...]] = ("html", "pdf")
PARAMETERS: Final = (*FILTERS, *MOMENTS, "seed", "part", "format", "study", "show", "page")
"""The names in an address of Report."""
_MOST_VALUES, _LONGEST = 200, 1000


@dataclass(frozen=True, slots=True)
class ReportView:
    """What is asked for.

    Attributes:
        filters: the values of each of `FILTERS`; none restricts nothing.
        since, until: when it was answered, as it was typed.
        seed: of folds, swaps of prompts and the failures that are shown.
        parts: names of `PARTS`; none means all of them.
        formats: the formats that are offered for download.
        study: the study whose printed numbers are listed; empty for the first one.
        show: a name of `VERDICTS`.
        page: of the study's numbers; 0 lists the first ones alone.
    """

    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    since: str = ""
    until: str = ""
    seed: int = 0
    parts: tuple[str, ...] = ()
    formats: tuple[FormatName, ...] = USUAL_FORMATS
    study: str = ""
    show: str = "all"
    page: int = 0

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> ReportView:
        """Return the view that an address asks for; what it cannot ask for is left out."""

        def last(name: str) -> str:
            given = values(name)
            return given[-1][:_LONGEST].strip() if given else ""

        def whole(name: str) -> int:
            typed = last(name)
            return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else 0

        filters = {
            name: tuple(dict.fromkeys(value for value in values(name) if 0 < len(value) <= _LONGEST))[:_MOST_VALUES]
            for name in FILTERS
        }
        parts = tuple(name for name in PARTS if name in values("part"))
        return cls(
            {name: chosen for name, chosen in filters.items() if chosen},
            last("since"),
            last("until"),
            whole("seed"),
            parts if len(parts) < len(PARTS) else (),
            tuple(name for name in FORMATS if name in values("format")) or USUAL_FORMATS,
            last("study"),
            last("show") if last("show") in VERDICTS else "all",
            whole("page"),
        )

    @property
    def selection(self) -> Selection:
        """The judgements that are asked for.

        Raises:
            ValueError: a date or a class of certainty is none.
        """
        moments = {name: (value,) for name in MOMENTS if (value := getattr(self, name))}
        return Selection(**self.filters, **moments)

    def with_filter(self, name: str, chosen: Sequence[str]) -> ReportView:
        """Return the view with other values of one filter."""
        return replace(self, filters={**self.filters, name: tuple(chosen)})

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed."""
        view = replace(self, **changes)  # type: ignore[arg-type]
        own = [
            *((name, value) for name in FILTERS for value in view.filters.get(name, ())),
            ("since", view.since),
            ("until", view.until),
            ("seed", str(view.seed or "")),
            *(("part", name) for name in view.parts),
            *(("format", name) for name in (view.formats if view.formats != USUAL_FORMATS else ())),
            ("study", view.study),
            ("show", "" if view.show == "all" else view.show),
            ("page", str(view.page or "")),
        ]
        return with_query(at(f"/studio{PATH}"), own)
