"""What a listing can be filtered by: counts of each filter's values, the distribution of a scorer's scores."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final

from concord.browsing.listing import ImageListing
from data.store.browse import facets
from data.store.browse.contents import rater_names
from data.store.browse.filters import sentence
from data.store.core.store import Store
from data.validation import did_you_mean

_TELLING: Final = frozenset({"differs", "people", "verdict", "says", "certainty"})
"""Facets that tell what somebody says of the images that they list: Blind mode has none of them."""


class ScorerNotInProject(LookupError):
    """A listing names a scorer that the project does not have; the message says which there are."""


def facets_json(store: Store, listing: ImageListing, *, blind: bool = False) -> dict[str, Any]:
    """Return a listing in words, how many images it has, and how many each value of each filter would leave.

    ``blind``: without the filters by what is said of the images.

    Raises:
        ScorerNotInProject: it names a scorer that the project does not have.
    """
    version, restriction = store.version, listing.restriction(store)
    known = rater_names(store)
    for name in sorted(listing.filters.raters() - set(known)):
        raise ScorerNotInProject(f"There is no scorer {name!r} in this project; {did_you_mean(name, known)}")
    counts = facets.facets(store, restriction, certainty=listing.crossed is None)
    # the suite stands in the scope bar
    told = replace(restriction, selection=replace(restriction.selection, suite=()))
    only_circled = listing.lasso and not (listing.crossed or listing.marked)
    return {
        "sentence": sentence(told, counts.total, "inside a line on the map") if only_circled else sentence(told, counts.total),
        "total": counts.total,
        "version": version,
        "behind": counts.behind,
        "facets": [asdict(facet) for facet in counts.facets if not (blind and facet.name in _TELLING)],
    }


def histogram_json(store: Store, listing: ImageListing, rater: str) -> dict[str, Any]:
    """Return the distribution of a scorer's scores among a listing's images; of the one with most scores if none is named.

    Raises:
        ValueError: the scorer gives no scores.
    """
    return asdict(facets.score_histogram(store, listing.restriction(store), rater or None))
