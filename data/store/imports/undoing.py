"""Take an import back; one that others depend on stays."""

from __future__ import annotations

from typing import Any

from data.campaigns.settings import DEFAULT
from data.store import browse_index, library
from data.store.campaign_items import recount
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.imports.inserts import ImportRefused


@transaction()
def undo(connection: Connection, import_id: int) -> dict[str, int]:
    """Take an import's rows back; returns how many of each table.

    Raises:
        ImportRefused: there is no such import, it is undone already, or people have answered on what it brought.
    """
    record = rows.first(connection, "select undone from imports where import_id = ?", [import_id])
    if record is None:
        raise ImportRefused(f"there is no import {import_id}; import undo without a number lists them")
    if record["undone"] is not None:
        raise ImportRefused(f"import {import_id} has been undone already")
    if (used := _obstacle(connection, import_id)) is not None:
        raise ImportRefused(f"{used}; nothing was undone")
    connection.execute("update imports set undone = current_timestamp where import_id = ?", [import_id])
    browse_index.mark_undone(connection, import_id)
    connection.execute(
        "delete from judgements where source_id in (select annotation_id from annotations where import_id = $1"
        " union all select evidence_id from evidence where import_id = $1)",
        [import_id],
    )
    counts: dict[str, int] = {}
    connection.execute(
        "update images set path = null, sha256 = null, width = null, height = null, blanked = null, file_import_id = null"
        " where file_import_id = ?",
        [import_id],
    )
    # groups and pairs that lack a picture now, and that nobody uses
    _delete(connection, "items", _INCOMPLETE, [])
    _delete(connection, "item_members", "import_id is null and item_id not in (select item_id from items)", [])
    for table in ("annotations", "evidence", "questions"):
        counts[table] = _delete(connection, table, "import_id = ?", [import_id])
    if counts["annotations"]:
        recount(connection)
    for table in ("run_parts", "detections"):
        _delete(connection, table, "run_id in (select run_id from runs where import_id = ?)", [import_id])
    counts["runs"] = _delete(connection, "runs", "import_id = ?", [import_id])
    counts["cooccurrences"] = library.delete_cooccurrence(connection, import_id)
    # what an import undone before had to leave for this one's sake goes too
    undone = "import_id in (select import_id from imports where undone is not null)"
    for table, still_needed in _NEEDED_BY_OTHERS.items():
        counts[table] = _delete(connection, table, f"{undone} and not exists ({still_needed})", [])
    browse_index.mark_deleted(connection)
    return counts


def undo_obstacle(store: Store, import_id: int) -> str | None:
    """Return why an import cannot be undone, and what to do first; None if it can be undone."""
    with store.read() as cursor:
        return _obstacle(cursor, import_id)


def _obstacle(connection: Connection, import_id: int) -> str | None:
    used = rows.first(
        connection,
        "select count(*) as n, count(distinct a.rater_id) as people from annotations a join items t using (item_id)"
        " where (t.import_id = ? or exists (select 1 from item_members m join images i using (image_id)"
        " where m.item_id = t.item_id and i.file_import_id = ?)) and a.import_id is null",
        [import_id, import_id],
    )
    if used and used["n"]:
        return (
            f"{library.given_answers(used['people'], used['n'])} about what import {import_id} brought, and undoing it would"
            " lose these; first erase whoever gave them (People), or begin another project"
        )
    shown = rows.first(
        connection,
        "select list_sort(list(distinct c.campaign_id)) as names from campaign_items c join item_members m using (item_id)"
        " join images i using (image_id) where c.campaign_id <> ? and i.file_import_id = ?",
        [DEFAULT, import_id],
    )
    if shown and shown["names"]:
        names = ", ".join(shown["names"])
        return f"images of import {import_id} are to be judged in {names}; remove these campaigns first (People)"
    seen = rows.first(
        connection,
        "select count(*) as n, list_sort(list(distinct e.run_id)) as runs from evidence e join items t using (item_id)"
        " left join images i on i.image_id = t.item_id"
        " where (t.import_id = ? or i.file_import_id = ?) and e.run_id is not null and e.import_id is distinct from ?",
        [import_id, import_id, import_id],
    )
    if seen and seen["n"]:
        # another picture could take the place of the one that they saw
        return (
            f"what import {import_id} brought has been scored ({seen['n']} times, in {', '.join(seen['runs'])}); remove these"
            " runs first (page Runs), or undo their import"
        )
    if (answered := library.answers_since_import(connection, import_id)) is not None:
        return f"{answered} what import {import_id} asks, and undoing it would remove the questions behind these answers"
    return None


_INCOMPLETE = (
    "kind <> 'image' and import_id is null and item_id not in (select item_id from annotations)"
    " and item_id not in (select item_id from campaign_items) and item_id in (select m.item_id from item_members m"
    " left join images i using (image_id) where i.sha256 is null)"
)
# In this order: what a later import or a visitor also uses stays.
_NEEDED_BY_OTHERS = {
    "campaigns": "select 1 from annotations a where a.campaign_id = campaigns.campaign_id"
    " union all select 1 from campaign_items c where c.campaign_id = campaigns.campaign_id",
    "raters": "select 1 from annotations a where a.rater_id = raters.rater_id"
    " union all select 1 from evidence e where e.rater_id = raters.rater_id"
    " union all select 1 from runs where runs.rater_id = raters.rater_id",
    "items": "select 1 from annotations a where a.item_id = items.item_id"
    " union all select 1 from evidence e where e.item_id = items.item_id"
    " union all select 1 from images i where i.image_id = items.item_id and i.sha256 is not null",
    "item_members": "select 1 from items t where t.item_id = item_members.item_id",
    "images": "select 1 from item_members m where m.image_id = images.image_id",
    "prompts": "select 1 from images i where i.prompt_id = prompts.prompt_id"
    " union all select 1 from items t where t.prompt_id = prompts.prompt_id"
    " union all select 1 from questions q where q.prompt_id = prompts.prompt_id",
    "scales": "select 1 from judgements j join items t using (item_id)"
    " where t.suite = scales.suite and j.aspect = scales.aspect",
}


def _delete(connection: Connection, table: str, where: str, parameters: list[Any]) -> int:
    return int(rows.value(connection, f"delete from {table} where {where}", parameters))
