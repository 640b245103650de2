"""Images that a scorer's runs saw, with what they were asked to show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.store import rows
from data.store.selection import Selection
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Judged:
    """An image's place, and its prompt."""

    item_id: str
    prompt_id: str
    generator: str
    idx: int
    text: str
    task: str | None
    spec: Mapping[str, Any]


def judged(store: Store, selection: Selection, rater_id: str) -> list[Judged]:
    """Those of the selected images of which this rater's runs saw something, by generator, prompt and index."""
    condition, parameters = selection.items()
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, i.prompt_id, i.generator, i.idx, p.text, p.task, p.spec"
            " from items t join images i on i.image_id = t.item_id join prompts p on p.prompt_id = i.prompt_id"
            f" where {condition} and {_SEEN} order by i.generator, i.prompt_id, i.idx",
            [*parameters, rater_id],
        )
    return [Judged(**rows.decoded(row, "spec")) for row in found]


def already(store: Store, item_ids: Sequence[str], rater_id: str) -> set[str]:
    """Those of these items of which this rater has evidence."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            f"select t.item_id from items t where t.item_id in (select unnest(?::varchar[])) and {_SEEN}",
            [list(item_ids), rater_id],
        )
    return {row["item_id"] for row in found}


_SEEN = (
    "exists (select 1 from evidence e where e.item_id = t.item_id and e.rater_id = ? and e.run_id is not null"
    " and e.failed is null)"
)
