"""What uses what an import brought, so that it has to stay."""

from __future__ import annotations

import duckdb

from data.store import rows
from data.store.places import DEFAULT


def reason(connection: duckdb.DuckDBPyConnection, import_id: int) -> str | None:
    """Why an import cannot be taken back; None if it can."""
    used = rows.one(
        connection,
        "select count(*) as n, count(distinct a.rater_id) as people from annotations a join items t using (item_id)"
        " where (t.import_id = ? or exists (select 1 from item_members m join images i using (image_id)"
        " where m.item_id = t.item_id and i.file_import_id = ?)) and a.import_id is null",
        [import_id, import_id],
    )
    if used and used["n"]:
        return (
            f"{used['people']} people have given {used['n']} answers about what import {import_id} brought; "
            "undoing it would lose them, so nothing was undone"
        )
    shown = rows.one(
        connection,
        "select list_sort(list(distinct c.campaign_id)) as names from campaign_items c join item_members m using (item_id)"
        " join images i using (image_id) where c.campaign_id <> ? and i.file_import_id = ?",
        [DEFAULT, import_id],
    )
    if shown and shown["names"]:
        return (
            f"images of import {import_id} are to be judged in {', '.join(shown['names'])}, so nothing was undone; remove"
            " these campaigns first (page Campaigns)"
        )
    seen = rows.one(
        connection,
        "select count(*) as n, list_sort(list(distinct e.run_id)) as runs from evidence e join items t using (item_id)"
        " left join images i on i.image_id = t.item_id"
        " where (t.import_id = ? or i.file_import_id = ?) and e.run_id is not null and e.import_id is distinct from ?",
        [import_id, import_id, import_id],
    )
    if seen and seen["n"]:
        # another picture could take the place of the one that they saw
        return (
            f"what import {import_id} brought has been scored ({seen['n']} times, in {', '.join(seen['runs'])}), so nothing was"
            " undone; remove these runs first (page Runs), or undo their import"
        )
    return None
