"""What a manager wants to know before and while a campaign runs, besides what ``watching`` counts."""

from __future__ import annotations

from dataclasses import dataclass

from data.store import rows
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Effort:
    """Active seconds of one answer to a questionnaire: the median over ``n`` answers by people, None for none."""

    seconds: float | None
    n: int


def effort(store: Store, questionnaire: str) -> Effort:
    """How long people of this project have taken for one answer; imitations, imports and revisions are left out."""
    with store.read() as cursor:
        found = rows.one(
            cursor,
            "select median(a.active_seconds) as seconds, count(a.active_seconds) as n"
            " from annotations a join raters r using (rater_id)"
            " where a.questionnaire = ? and a.revises is null and a.import_id is null and not r.simulated",
            [questionnaire],
        )
    assert found is not None
    return Effort(None if found["seconds"] is None else float(found["seconds"]), int(found["n"]))


def spread(store: Store, campaign_id: str) -> dict[int, int]:
    """How many ordinary items have so many valid answers (one per person); what is set aside is left out."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select people, count(*) as n from campaign_items where campaign_id = ? and role = 'ordinary' and not aside"
            " group by people order by people",
            [campaign_id],
        )
    return {int(row["people"]): int(row["n"]) for row in found}
