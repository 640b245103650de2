"""Sizes of what is selected: images, prompts, answers and people; and of each choice that narrows it further."""

from __future__ import annotations

from dataclasses import dataclass

from data.selection import Selection
from data.store.core import rows
from data.store.core.conditions import items_condition
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class ScopeSize:
    """The size of a selection.

    Attributes:
        images: images, those of pairs and groups as well, each once.
        answers: people's (real ones), each with its revisions once.
        people: persons who gave them.
        simulated: answers of simulated people.
    """

    images: int
    prompts: int
    answers: int
    people: int
    simulated: int


def scope_size(store: Store, selection: Selection) -> ScopeSize:
    """Return the size of the items that a selection's suite, generators and tasks leave, and of the answers about them."""
    condition, parameters = items_condition(selection)
    aspects = "j.aspect in (select unnest(?::varchar[]))" if selection.aspect else "true"
    with store.read() as cursor:
        items = rows.first(
            cursor,
            "select count(distinct coalesce(m.image_id, t.item_id)) as images, count(distinct t.prompt_id) as prompts"
            f" from items t left join item_members m using (item_id) where {condition}",
            parameters,
        )
        answers = rows.first(
            cursor,
            "select count(distinct j.source_id) filter (not r.simulated) as answers,"
            " count(distinct j.rater_id) filter (not r.simulated) as people,"
            " count(distinct j.source_id) filter (r.simulated) as simulated"
            " from judgements j join items t using (item_id) join raters r using (rater_id)"
            f" where r.kind = 'human' and {condition} and {aspects}",
            [*parameters, *([list(selection.aspect)] if selection.aspect else [])],
        )
    assert items is not None
    assert answers is not None
    return ScopeSize(**items, **answers)


def images_by(store: Store, name: str, selection: Selection) -> dict[str, int]:
    """Return the images, those of pairs and groups too, that a selection leaves, by suite, generator or task."""
    assert name in ("suite", "generator", "task")
    condition, parameters = items_condition(selection)
    with store.read() as cursor:
        records = cursor.execute(
            f"select t.{name}, count(distinct coalesce(m.image_id, t.item_id))"
            " from items t left join item_members m using (item_id)"
            f" where t.{name} is not null and {condition} group by 1 order by 1",
            parameters,
        ).fetchall()
    return dict(records)
