"""What a person has answered themselves, for them to look at again and to revise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from data.store import rows
from data.store.places import DEFAULT
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Said:
    """An answer as it stands: the latest revision.

    Attributes:
        public_id: all that their browser learns of the item.
        raw: what the screen showed (``order``, ``questions``), where that matters.
    """

    annotation_id: str
    item_id: str
    public_id: str
    answers: Mapping[str, Any]
    raw: Mapping[str, Any] | None
    submitted: datetime


def answers(store: Store, person: str, campaign: str = DEFAULT, *, limit: int = 1) -> Sequence[Said]:
    """This person's answers in a campaign, the last one given first."""
    return _found(store, "a.rater_id = ? and a.campaign_id = ?", [person, campaign], limit)


def answer(store: Store, person: str, campaign: str, annotation_id: str) -> Said | None:
    """One of this person's answers, of a first one the latest revision; None: not theirs, or a revision revised since."""
    where = "a.rater_id = ? and a.campaign_id = ? and ? in (a.annotation_id, a.root_id)"
    return next(iter(_found(store, where, [person, campaign, annotation_id], 1)), None)


def _found(store: Store, where: str, parameters: Sequence[str], limit: int) -> list[Said]:
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select a.annotation_id, a.item_id, t.public_id, a.answers, a.raw, a.submitted"
            " from annotations a join items t using (item_id)"
            f" where {where} and a.annotation_id not in"
            " (select revises from annotations where revises is not null and rater_id = ?)"
            # whoever answered an item twice, in two tabs, say, has one answer: that which stands
            " qualify row_number() over"
            " (partition by a.campaign_id, a.item_id, a.saw_evidence order by a.status = 'surplus', a.seq) = 1"
            " order by a.submitted desc, a.seq desc limit ?",
            [*parameters, parameters[0], limit],
        )
    return [Said(**rows.decoded(row, "answers", "raw")) for row in found]
