"""What items are about: their prompt, their images, and what is asked of the prompt now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.prompts.questions import PromptQuestion
from data.store import questions, rows
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Subject:
    """One item.

    Attributes:
        kind: ``image``, ``group`` or ``pair``.
        text, spec: the prompt's; an empty text and ``{}`` where it is unknown.
        generators, pictures: of each image, in the item's order; a picture is the hash of its file, None without one.
        questions: the prompt's, in their newest version.
    """

    item_id: str
    kind: str
    suite: str
    text: str
    spec: Mapping[str, Any]
    generators: tuple[str, ...]
    pictures: tuple[str | None, ...]
    questions: tuple[PromptQuestion, ...] = ()


def subjects(store: Store, item_ids: Sequence[str]) -> dict[str, Subject]:
    """Those of these items that the project has, by id."""
    with store.read() as cursor:
        found = rows.dicts(cursor, _SUBJECTS, [list(item_ids)])
        asked = questions.newest(cursor, sorted({row["prompt_id"] for row in found if row["prompt_id"]}))
    return {row["item_id"]: _subject(row, asked.get(row["prompt_id"], questions.Version()).questions) for row in found}


_SUBJECTS = """
with shown as (
    select t.item_id, t.item_id as image_id, 0 as position from items t where t.kind = 'image'
    union all select m.item_id, m.image_id, m.position from item_members m join items t using (item_id) where t.kind <> 'image'
)
select t.item_id, t.kind, t.suite, t.prompt_id, any_value(p.text) as text, any_value(p.spec) as spec,
    list(coalesce(i.generator, t.generator) order by s.position) as generators,
    list(i.sha256 order by s.position) as pictures
from items t join shown s using (item_id) left join images i on i.image_id = s.image_id
left join prompts p on p.prompt_id = t.prompt_id
where t.item_id in (select unnest(?::varchar[])) group by all order by t.item_id
"""


def _subject(row: dict[str, Any], asked: tuple[PromptQuestion, ...]) -> Subject:
    return Subject(
        item_id=row["item_id"],
        kind=row["kind"],
        suite=row["suite"],
        text=row["text"] or "",
        spec=rows.from_json(row["spec"]) or {},
        generators=tuple(name or "" for name in row["generators"]),
        pictures=tuple(row["pictures"]),
        questions=asked,
    )
