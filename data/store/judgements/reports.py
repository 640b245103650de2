"""Reports of items that cannot be judged: which of them count, and which items they set aside for all."""

from __future__ import annotations

from collections.abc import Sequence

from data.campaigns.settings import Settings
from data.store.core import rows
from data.store.core.connections import Connection


def count_reports(connection: Connection, campaign: str, item_ids: Sequence[str] | None = None) -> None:
    """Set items aside that enough people report, and offer those again that too few report now; all items by default.

    A report counts if it came while the campaign ran and from somebody who was given the item, and as long as they are not
    revoked. People whom a crowd platform sent from one network count as one. What a manager has set aside stays.
    """
    settings = rows.first(connection, "select settings from campaigns where campaign_id = ?", [campaign])
    if settings is None:
        return
    needed = Settings.of(rows.from_json(settings["settings"])).reports_needed
    records = rows.dicts(connection, _REPORTERS, {"campaign": campaign})
    for row in records:
        if (item_ids is None or row["item_id"] in item_ids) and row["aside"] != (row["reporters"] >= needed):
            aside = [not row["aside"], not row["aside"], campaign, row["item_id"]]
            connection.execute(
                "update campaign_items set aside = ?, aside_by_reports = ? where campaign_id = ? and item_id = ?", aside
            )


_REPORTERS = """
select r.item_id, c.aside, count(distinct coalesce(n.network, 'person ' || r.rater_id)) filter (
    r.dismissed is null and r.counted and not exists (
        select 1 from revocations v where v.rater_id = r.rater_id and v.lifted is null
        and coalesce(v.campaign_id, $campaign) = $campaign)) as reporters
from reports r join campaign_items c on c.campaign_id = r.campaign_id and c.item_id = r.item_id
left join (
    select rater_id, any_value(network) as network from arrivals where came_as <> 'name' and network is not null
    group by rater_id
) n on n.rater_id = r.rater_id
where r.campaign_id = $campaign and (c.aside_by_reports or not c.aside)
group by all
"""
