"""Who has judged what is selected, and how its images look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.store import rows
from data.store.selection import Selection
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Judge:
    """A rater, and how many judgements of the selection are theirs.

    Attributes:
        person: whether it is somebody: neither a scorer nor a study's slot.
    """

    name: str
    scorer: bool
    person: bool
    simulated: bool
    n: int


def judges(store: Store, selection: Selection) -> list[Judge]:
    """Everybody who has judged, those with most judgements first; a scorer's scores are judgements of any aspect."""
    condition, parameters = selection.judgements()
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select r.rater_id as name, r.kind = 'scorer' as scorer,"
            " r.kind = 'human' and r.identity is distinct from 'slot' as person, r.simulated, count(*) as n"
            " from judgements j join items t using (item_id) join raters r using (rater_id)"
            " left join annotations a on a.annotation_id = j.source_id"
            f" where r.kind in ('scorer', 'human') and {condition} group by all order by n desc, name",
            parameters,
        )
    return [Judge(**row) for row in found]


@dataclass(frozen=True, slots=True)
class Look:
    """An item's prompt, and the hash of its picture if it has one."""

    text: str | None
    sha256: str | None


def looks(store: Store, items: Sequence[str]) -> dict[str, Look]:
    """The looks of these items by id; unknown ones are left out."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, p.text, i.sha256 from items t left join prompts p using (prompt_id)"
            " left join images i on i.image_id = t.item_id where t.item_id in (select unnest(?::varchar[]))",
            [list(items)],
        )
    return {row["item_id"]: Look(row["text"], row["sha256"]) for row in found}


def size(store: Store) -> int:
    """How many judgements the project has."""
    with store.read() as cursor:
        return int(rows.value(cursor, "select count(*) from judgements"))
