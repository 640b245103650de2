"""Read what is in the project already: its imports, and the items, labels, aspects and raters that files are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from data.ratings.name_matching import KnownItem
from data.store.core import rows
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class StoredImport:
    """An import of a project.

    Attributes:
        kind, name: what was imported.
        counts: how many rows it brought, by table.
        created: when, UTC.
        undone: when it was undone; None while it stands.
    """

    import_id: int
    kind: str
    name: str
    counts: Mapping[str, int]
    created: datetime
    undone: datetime | None


def listed(store: Store) -> list[StoredImport]:
    """Return all imports, oldest first, those that were undone too."""
    with store.read() as cursor:
        query = "select import_id, kind, name, counts, created, undone from imports order by import_id"
        return rows.records(cursor, StoredImport, query, (), "counts")


def find_import(store: Store, kind: str, sha256: str) -> int | None:
    """The import of this kind that this source was, None if it was never imported or was undone."""
    record = store.query_first("select import_id from imports where kind = ? and sha256 = ? and undone is null", [kind, sha256])
    return record["import_id"] if record else None


def known_items(store: Store, suite: str | None = None) -> list[KnownItem]:
    """All items of a suite (None: of all suites), by id."""
    return store.query_records(
        KnownItem,
        "select t.item_id, t.suite, i.image_id is not null as is_image, i.path, i.sha256, t.prompt_id, p.text,"
        ' coalesce(i.generator, t.generator) as generator, i.idx as "index" from items t'
        " left join images i on i.image_id = t.item_id left join prompts p on p.prompt_id = t.prompt_id"
        " where ?::varchar is null or t.suite = ? order by t.item_id",
        [suite, suite],
    )


def known_labels(store: Store, suite: str, aspect: str) -> list[str]:
    """The labels that an aspect has in a suite."""
    return store.query_column(
        "select distinct j.label from judgements j join items t using (item_id)"
        " where t.suite = ? and j.aspect = ? and j.label is not null order by j.label",
        [suite, aspect],
    )


def known_aspects(store: Store, suite: str) -> list[str]:
    """Return the aspects that a suite has a scale of, in the order in which they came."""
    return store.query_column("select aspect from scales where suite = ? order by rowid", [suite])


def known_raters(store: Store, kind: str) -> list[str]:
    """The raters of a kind, imitations of people aside."""
    return store.query_column("select rater_id from raters where kind = ? and not simulated order by rater_id", [kind])
