"""What a report can be restricted to, and how much a selection holds, for whoever chooses what goes into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.common import live_updates, wording
from data.browsing import RaterCount
from data.selection import CERTAINTIES, Selection
from data.store.browse import contents
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements import remarks


@live_updates.cached(maxsize=4)
def filter_values(store: Store) -> Mapping[str, tuple[str, ...]]:
    """Return the values of each filter of a report in this project, by the name of the command's option."""
    offered = contents.filter_choices(store)
    return {
        "suite": tuple(offered.suite),
        "aspect": tuple(offered.aspect),
        "generator": tuple(offered.generator),
        "task": tuple(offered.task),
        "campaign": tuple(campaign.campaign_id for campaign in management.listed(store)),
        "rater": tuple(offered.rater),
        "certainty": CERTAINTIES,
        "tag": tuple(remarks.tag_names(store)),
    }


@dataclass(frozen=True, slots=True)
class SelectionSize:
    """Who has judged what is selected.

    Attributes:
        people, simulated, scorers: each with the number of their judgements; anonymous slots of a study are people.
        slots: whether all of the people are slots, so that nobody knows who they are.
    """

    people: tuple[RaterCount, ...]
    simulated: tuple[RaterCount, ...]
    scorers: tuple[RaterCount, ...]
    slots: bool

    @property
    def is_empty(self) -> bool:
        """Return True if nothing is selected."""
        return not (self.people or self.simulated or self.scorers)

    @property
    def parts(self) -> tuple[str, ...]:
        """How much each kind of raters has judged, in words."""
        people = _count(self.people, "answer", "person")
        unnamed = people + (" without names" if self.slots else "")
        imitated = f"{sum(each.n for each in self.simulated):,} answers of {len(self.simulated):,} simulated people"
        found = (unnamed if people else "", imitated if self.simulated else "", _count(self.scorers, "score", "scorer"))
        return tuple(part for part in found if part)

    @property
    def text(self) -> str:
        """The same as part of a sentence."""
        return wording.listed(self.parts)


def _count(raters: Sequence[RaterCount], what: str, who: str) -> str:
    n = sum(each.n for each in raters)
    return f"{wording.count(n, what)} of {wording.count(len(raters), who)}" if raters else ""


@live_updates.cached(maxsize=32)
def selection_size(store: Store, selection: Selection) -> SelectionSize:
    """Return who has judged what a selection holds."""
    counts = contents.raters_of_selection(store, selection)
    humans = [each for each in counts if not each.scorer]
    people = tuple(each for each in humans if not each.simulated)
    return SelectionSize(
        people,
        tuple(each for each in humans if each.simulated),
        tuple(each for each in counts if each.scorer),
        bool(people) and not any(each.person for each in people),
    )
