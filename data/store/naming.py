"""What a suite's items, the labels of an aspect and raters are called: the names that those in a file are matched to."""

from __future__ import annotations

from data.store import rows
from data.store.store import Store
from data.studies.name_matching import KnownItem


def items(store: Store, suite: str | None = None) -> list[KnownItem]:
    """All items of a suite (None: of all suites), by id."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, t.suite, i.image_id is not null as is_image, i.path, i.sha256, t.prompt_id, p.text,"
            ' coalesce(i.generator, t.generator) as generator, i.idx as "index" from items t'
            " left join images i on i.image_id = t.item_id left join prompts p on p.prompt_id = t.prompt_id"
            " where ?::varchar is null or t.suite = ? order by t.item_id",
            [suite, suite],
        )
    return [KnownItem(**row) for row in found]


def labels(store: Store, suite: str, aspect: str) -> list[str]:
    """The labels that an aspect has in a suite."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select distinct j.label from judgements j join items t using (item_id)"
            " where t.suite = ? and j.aspect = ? and j.label is not null order by j.label",
            [suite, aspect],
        )
    return [row["label"] for row in found]


def raters(store: Store, kind: str) -> list[str]:
    """The raters of a kind, imitations of people aside."""
    with store.read() as cursor:
        found = rows.dicts(cursor, "select rater_id from raters where kind = ? and not simulated order by rater_id", [kind])
    return [row["rater_id"] for row in found]
