"""Researchers' remarks on items, append-only: verdicts on disagreements, notes, and tags.

Of several verdicts or texts of one note the latest counts; an empty one takes those before back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime

from data.refusals import NoteRefused, TagRefused
from data.remarks import Adjudication, Note, Tagging
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.erased import refuse


def verdicts(store: Store, item_ids: Sequence[str] | None = None, *, replaced: bool = False) -> list[Adjudication]:
    """The verdict that counts of each (item, aspect, target), newest first: of these items, or of all.

    One that was taken back does not count. With ``replaced`` all that were written, newest first.
    """
    among = "" if item_ids is None else " where item_id in (select unnest(?::varchar[]))"
    latest = "" if replaced else " qualify row_number() over (partition by item_id, aspect, target order by seq desc) = 1"
    records = store.query(
        f"select * exclude seq from adjudications{among}{latest} order by seq desc",
        [] if item_ids is None else [list(item_ids)],
    )
    return [Adjudication(**row) for row in records if row["verdict"] or replaced]


def take_back(store: Store, adjudication: Adjudication) -> bool:
    """Take the verdict on this unit back, so that the one before it counts again (or none); False if it had been done before.

    Append-only like all verdicts: the one before is written anew, or one that says nothing.
    """
    unit, by, moment = (adjudication.aspect, adjudication.target), adjudication.made_by, adjudication.moment
    written = verdicts(store, [adjudication.item_id], replaced=True)
    of_unit = [verdict for verdict in written if (verdict.aspect, verdict.target) == unit]
    before = of_unit[1] if len(of_unit) > 1 else adjudication
    return adjudicate(store, replace(before, adjudication_id=adjudication.adjudication_id, made_by=by, moment=moment))


@transaction(touched=frozenset())
def adjudicate(connection: Connection, adjudication: Adjudication) -> bool:
    """Write a verdict; returns False if it had been written before.

    Raises:
        KeyError: there is no such item.
    """
    known = rows.first(connection, "select 1 from adjudications where adjudication_id = ?", [adjudication.adjudication_id])
    if known is not None:
        return False
    if rows.first(connection, "select 1 from items where item_id = ?", [adjudication.item_id]) is None:
        raise KeyError(adjudication.item_id)
    seq = rows.sequence(connection, "statement_seq", 1)[0]
    written = asdict(adjudication) | {"moment": adjudication.moment or datetime.now(UTC), "seq": seq}
    rows.insert(connection, "adjudications", [written])
    return True


@dataclass(frozen=True, slots=True)
class CurrentNote:
    """A note as it stands: ``note_id`` is the one to revise, ``moment`` that of its latest text, ``revised`` whether it has
    had another."""

    note_id: str
    text: str
    made_by: str
    moment: datetime
    revised: bool


def notes_of_item(store: Store, item_id: str) -> list[CurrentNote]:
    """The notes on an item as they stand, oldest first; those that were taken back are left out."""
    return store.query_records(
        CurrentNote,
        "select note_id, text, made_by, moment, revised from (from notes select *,"
        " count(*) over (partition by root_id) > 1 as revised, min(seq) over (partition by root_id) as place,"
        " row_number() over (partition by root_id order by seq desc) as age where item_id = ?)"
        " where age = 1 and text <> '' order by place",
        [item_id],
    )


@transaction(touched=frozenset())
def write_note(connection: Connection, note: Note) -> bool:
    """Write a note; returns False if it had been written before.

    Raises:
        KeyError: there is no such item.
        NoteRefused: what it revises is another person's, or on another item.
    """
    if rows.first(connection, "select 1 from notes where note_id = ?", [note.note_id]) is not None:
        return False
    if rows.first(connection, "select 1 from items where item_id = ?", [note.item_id]) is None:
        raise KeyError(note.item_id)
    root = note.note_id
    if note.revises is not None:
        before = rows.first(connection, "select root_id, item_id, made_by from notes where note_id = ?", [note.revises])
        if before is None or (before["item_id"], before["made_by"]) != (note.item_id, note.made_by):
            raise NoteRefused("Only whoever wrote a note can change it.")
        root = before["root_id"]
    written = {"note_id": note.note_id, "root_id": root, "item_id": note.item_id, "text": note.text, "made_by": note.made_by}
    seq = rows.sequence(connection, "statement_seq", 1)[0]
    rows.insert(connection, "notes", [written | {"moment": datetime.now(UTC), "seq": seq}])
    return True


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag and how many items have it."""

    name: str
    n: int


def list_tags(store: Store) -> list[TagCount]:
    """All tags that some item has, the most frequent first."""
    query = "select tag as name, count(*) as n from tagged group by tag order by n desc, tag"
    return store.query_records(TagCount, query)


def tag_names(store: Store) -> list[str]:
    """The names of all tags."""
    return sorted(tag.name for tag in list_tags(store))


def tags_of_items(store: Store, item_ids: Sequence[str]) -> dict[str, list[str]]:
    """By item its tags, in the alphabet's order; items without any are left out."""
    query = "select item_id, list(tag order by tag) from tagged where item_id in (select unnest(?::varchar[])) group by item_id"
    return store.query_dict(query, [list(item_ids)])


@transaction()
def tag_items(connection: Connection, tagging: Tagging) -> bool:
    """Remember who tags what; False if it had been sent before.

    Raises:
        TagRefused: the project does not have one of the items.
        Erased: the person has been erased from the project.
    """
    if rows.first(connection, "select 1 from taggings where tagging_id = ? limit 1", [tagging.tagging_id]):
        return False
    refuse(connection, [tagging.made_by])
    items = list(dict.fromkeys(tagging.items))
    known = rows.existing(connection, "items", "item_id", [], items)
    unknown = [item_id for item_id in items if item_id not in known]
    if unknown:
        raise TagRefused(f"there is no item {unknown[0]!r} in this project, so nothing was tagged")
    act = {"tagging_id": tagging.tagging_id, "tag": tagging.tag, "tagged": tagging.on, "made_by": tagging.made_by}
    moment = datetime.now(UTC)
    rows.insert(connection, "taggings", ({"item_id": item_id, "moment": moment} | act for item_id in items))
    return True
