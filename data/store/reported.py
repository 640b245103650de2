"""What a report tells of single items, and of the campaigns that its judgements are from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.store import rows
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Told:
    """An item: what it was to show, and its picture if it has one (``width`` and ``height`` in pixels).

    Attributes:
        path: where the file lies (or lay), absolute; ``sha256`` of its bytes.
        blanked: why it is no picture though its generator made it.
    """

    text: str | None
    task: str | None
    generator: str | None
    idx: int | None
    spec: dict[str, Any] | None
    path: Path | None
    sha256: str | None
    width: int | None
    height: int | None
    blanked: str | None


def items(store: Store, item_ids: Sequence[str]) -> dict[str, Told]:
    """These items by id; unknown ones are left out. Of pairs and groups there is no picture."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, p.text, t.task, t.generator, i.idx, p.spec, i.path, i.sha256, i.width, i.height, i.blanked"
            " from items t left join prompts p using (prompt_id) left join images i on i.image_id = t.item_id"
            " where t.item_id in (select unnest(?::varchar[]))",
            [list(item_ids)],
        )
    told = {}
    for row in found:
        item_id = str(row.pop("item_id"))
        # the project's own files are stored by their path below it
        row["path"] = store.project / row["path"] if row["path"] else None
        told[item_id] = Told(**rows.decoded(row, "spec"))
    return told
