"""The aspects and orders that a listing offers for a rater: orders that need a scorer, or people's answers, say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from concord.common import live_updates, wording
from data.selection import GROUPS, PEOPLE
from data.store.browse import contents
from data.store.browse.grid import Order
from data.store.core.store import Store

CORRECT: Final = "correct"
SCORE: Final = "score"
RATED: Final = frozenset({"faithfulness", "caption_fit", "caption_match"})
"""The questions that people answer on a scale, which `likert` compares a score with."""
_CHOOSE: Final = "choose a scorer at “Judged by”"


@live_updates.cached(maxsize=8, key=live_updates.stored_version)
def aspects_by_rater(store: Store) -> Mapping[str, frozenset[str]]:
    """Return what each rater has judged, people together under `people` and `simulated people`."""
    return contents.aspects_by_rater(store)


def displayed_aspect(store: Store, rater: str, aspect: str) -> str:
    """Return what is shown of a rater for a question: the score of a scorer that does not answer it."""
    known = aspects_by_rater(store).get(rater, frozenset())
    return SCORE if rater not in GROUPS and aspect not in known and SCORE in known else aspect


def unusable_orders(store: Store, rater: str, aspect: str, *, by_rank: bool) -> dict[Order, str]:
    """Return the orders that would sort nothing for these values, each with what is missing.

    Args:
        store: the open project.
        rater: whose values are shown.
        aspect: the question.
        by_rank: whether the listing is of images that two raters rank differently, which `differs` sorts.
    """
    given = aspects_by_rater(store)
    own = given.get(rater, frozenset())
    of_people = given.get(PEOPLE, frozenset())
    verdicts = any(CORRECT in aspects for name, aspects in given.items() if name in scorers_of(store))
    scorer = rater in scorers_of(store)
    missing: dict[Order, str] = {}
    if not own & {aspect, SCORE if scorer else aspect}:
        none = f"{rater} gave no answer to “{wording.plain_aspect(aspect)}”"
        missing |= {"lowest": none, "highest": none}
    if rater not in GROUPS:
        missing |= {"split": "choose people at “Judged by”"}
    elif aspect not in own:
        missing |= {"split": "nobody has answered"}
    if scorer and CORRECT not in own and not by_rank:
        missing |= {"differs": f"{rater} says neither yes nor no"}
    elif not scorer and not verdicts and CORRECT not in of_people and not by_rank:
        missing |= {"differs": f"nobody says yes or no: {_CHOOSE}"}
    if not scorer:
        missing |= {"confidence": _CHOOSE, "likert": _CHOOSE}
    elif SCORE not in own:
        missing |= {"confidence": f"{rater} gives no scores", "likert": f"{rater} gives no scores"}
    if not of_people & RATED:
        missing |= {"likert": "no person has rated on a scale"}
    return missing


@live_updates.cached(maxsize=8, key=live_updates.stored_version)
def scorers_of(store: Store) -> frozenset[str]:
    """Return the names of the scorers."""
    return frozenset(contents.scorer_names(store))
