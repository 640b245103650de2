"""Who is preferred in a project: people's votes on pairs of images, what scorers imply, and the numbers that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from agreement import Options
from data.store.analysis import preferences
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import following
from ui.preferring import making
from ui.preferring.own import own
from ui.preferring.voters import Poll, polls

Row = dict[str, Any]
SECTIONS: Final = ("votes", "sides", "strengths", "beside", "ranks")


@dataclass(frozen=True, slots=True)
class Found:
    """All numbers by section, plain rows, suites by name and people first; and the polls that they are made from."""

    sections: Mapping[str, Sequence[Row]]
    polls: Sequence[Poll]


def rows(store: Store, selection: Selection, options: Options | None = None) -> Found:
    """Of all pairs in the selection on which anybody has voted."""
    wanted = options or Options()
    told = preferences.preference_votes(store, selection)
    of_images = preferences.image_values(store, selection, sorted({one.item_id for one in told}))
    of_generators = preferences.generator_values(store, selection, sorted({one.suite for one in told}))
    itself = own(told, preferences.model_values(store, selection, sorted({one.suite for one in told})))
    found = polls(told, of_images, [*of_generators, *itself])
    sections: dict[str, list[Row]] = {name: [] for name in SECTIONS}
    for poll in found:
        for name, made in making.sections(poll, wanted).items():
            sections[name] += made
    return Found(sections, found)


@lru_cache(maxsize=16)
def _recall(store: Store, version: str, selection: Selection, options: Options) -> Found:  # noqa: ARG001 - part of the key
    return rows(store, selection, options)


def recall(store: Store, selection: Selection, options: Options | None = None) -> Found:
    """As ``rows``, but computed once for all who look while the project stays as it is. Do not change them."""
    return _recall(store, following.version(store), selection, options or Options())
