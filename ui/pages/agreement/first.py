"""Point estimates as soon as they can be had, before there are intervals."""

from __future__ import annotations

import shlex

from agreement import Options
from concord.agreement import Rows, quick_estimates, recall
from concord.common import next_steps
from data.store.browse.contents import count_judgements
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.table import note

_LARGE, _HUGE = 50_000, 500_000


def large(store: Store) -> bool:
    """Whether the project has so many judgements that only the sums that stand are quick enough."""
    return count_judgements(store) > _LARGE


def huge(store: Store) -> bool:
    """Whether it has so many that intervals, and any two raters, take minutes: a page does not make them after every answer."""
    return count_judgements(store) > _HUGE


def passes(store: Store) -> tuple[bool, ...]:
    """How a page draws: whether with intervals, first and then."""
    return (False,) if huge(store) else (False, True)


def waiting(store: Store, selection: Selection) -> str:
    """What is said where there are no intervals, as HTML."""
    if not huge(store):
        return note("Intervals are being computed …", "cc-updating")
    filters = [word for name, values in selection.to_dict().items() for value in values for word in (f"--{name}", value)]
    (line,) = next_steps.command_lines(store, (shlex.join(["agreement", *filters]),))
    count = f"{count_judgements(store):,}"
    return note(
        f"Of {count} judgements the page shows point estimates: intervals and pairs of raters take minutes. They are in: {line}"
    )


def at_once(store: Store, selection: Selection) -> Rows:
    """People among themselves and scorers against people, without intervals; of a large project what stands already."""
    found = quick_estimates(store, selection) if large(store) else None
    return found or recall(store, selection, Options(intervals=False, each_generator=False, matrix=False))
