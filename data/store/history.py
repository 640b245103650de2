"""What became of one item: when it came, who looked at it, who said something of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from data.store import rows
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an item.

    Attributes:
        kind: ``import``, ``picture``, ``scored``, ``failed``, ``answer``, ``revision``, ``uncovered``, ``verdict``, ``note``,
            ``tag``, ``untag``.
        who: a person, or a scorer; None of an import.
        about: what came, how it was seen, or what was decided.
    """

    moment: datetime
    kind: str
    who: str | None
    about: str | None


# a file may come later than the place, with another import
_EVENTS = """
select m.created as moment, 'import' as kind, null as who, m.kind || ' ' || m.name as about
from items t join imports m using (import_id) where t.item_id = $item
union all
select m.created, 'picture', null, m.kind || ' ' || m.name
from images i join imports m on m.import_id = i.file_import_id
where i.image_id = $item and i.file_import_id is distinct from i.import_id
union all
select r.created, case when e.failed is null then 'scored' else 'failed' end, e.rater_id, coalesce(e.failed, r.run_id)
from evidence e join runs r using (run_id) where e.item_id = $item
union all
select a.submitted, case when a.revises is null then 'answer' else 'revision' end, a.rater_id,
    a.status || case when a.saw_evidence then ', not blind' else '' end
from annotations a where a.item_id = $item
union all
select moment, 'uncovered', rater_id, how from uncovered where item_id = $item
union all
select moment, 'verdict', made_by, concat_ws(' ', aspect, target) || ': ' || verdict || ', wrong: ' || coalesce(rater_id, wrong)
from adjudications where item_id = $item
union all
select moment, case when tagged then 'tag' else 'untag' end, made_by, tag from taggings where item_id = $item
union all
select moment, 'note', made_by, null from notes where item_id = $item
"""


def of_item(store: Store, item_id: str) -> list[Event]:
    """All that happened to an item, oldest first. What came with a study stands at the moment that the study says."""
    with store.read() as cursor:
        found = rows.dicts(cursor, f"select * from ({_EVENTS}) order by moment, kind, who", {"item": item_id})
    return [Event(**row) for row in found]
