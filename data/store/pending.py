"""What is before a scorer: images with files that it has not seen yet, and those that it could not look at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from data.jobs.runs import WorkItem
from data.store import rows
from data.store.selection import Selection
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Pending:
    """How much of a selection a rater has before it.

    Attributes:
        images: with files, in the selection.
        left: of these, without evidence by the rater; ``failed`` of them were tried before.
    """

    images: int
    left: int
    failed: int


_WITH_FILES = (
    " from items t join images i on i.image_id = t.item_id and i.sha256 is not null join prompts p on p.prompt_id = i.prompt_id"
    " where t.kind = 'image' and {condition}"
)
_HAS_EVIDENCE = "exists (select 1 from evidence e where e.item_id = t.item_id and e.rater_id = ? and e.failed is null)"
_ASKED = "exists (select 1 from questions q where q.prompt_id = i.prompt_id)"
_HAS_FAILED = "exists (select 1 from evidence e where e.item_id = t.item_id and e.rater_id = ? and e.failed is not null)"


def pending(store: Store, selection: Selection, rater_id: str) -> list[WorkItem]:
    """Images with files in the selection that this rater has no evidence for, by id; what failed is to be tried again."""
    return _pending(store, *selection.items(), rater_id)


def failing(store: Store, run_id: str) -> list[WorkItem]:
    """The images that failed in this run and that its rater has not seen since, as they are now, by id."""
    failed = "t.item_id in (select item_id from evidence where run_id = ? and failed is not null)"
    with store.read() as cursor:
        rater_id = rows.value(cursor, "select any_value(rater_id) from runs where run_id = ?", [run_id])
    return _pending(store, failed, [run_id], rater_id)


def still_failing(store: Store, run_id: str) -> int:
    """How many images failed in this run and were not seen since by its rater."""
    with store.read() as cursor:
        count = rows.value(
            cursor,
            "select count(*) from evidence f where f.run_id = ? and f.failed is not null and not exists"
            " (select 1 from evidence e where e.item_id = f.item_id and e.rater_id = f.rater_id and e.failed is null)",
            [run_id],
        )
    return int(count)


def _pending(store: Store, condition: str, parameters: Sequence[Any], rater_id: str) -> list[WorkItem]:
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            f"select t.item_id, i.path, i.sha256, p.text, p.spec{_WITH_FILES.format(condition=condition)}"
            f" and not {_HAS_EVIDENCE} order by t.item_id",
            [*parameters, rater_id],
        )
    return [WorkItem(**rows.decoded(row | {"path": str(store.project / row["path"])}, "spec")) for row in found]


def count_pending(
    store: Store, selection: Selection, rater_id: str, *, asked: bool = False, without: Collection[str] = ()
) -> Pending:
    """As ``pending``, in numbers; ``asked``: of images whose prompts have questions; ``without`` these images."""
    condition, parameters = selection.items()
    condition = f"{condition} and {_ASKED}" if asked else condition
    if without:
        condition = f"{condition} and t.item_id not in (select unnest(?::varchar[]))"
        parameters = [*parameters, sorted(without)]
    with store.read() as cursor:
        found = rows.one(
            cursor,
            "select count(*) as images, count(*) filter (not done) as n_left, count(*) filter (failed and not done) as failed"
            f" from (select {_HAS_EVIDENCE} as done, {_HAS_FAILED} as failed{_WITH_FILES.format(condition=condition)})",
            [rater_id, rater_id, *parameters],
        )
    assert found is not None
    return Pending(found["images"], found["n_left"], found["failed"])


@dataclass(frozen=True, slots=True)
class Asked:
    """What the project knows of an image that a run is about."""

    sha256: str | None
    spec: Mapping[str, Any]


def asked(store: Store, item_ids: Sequence[str]) -> dict[str, Asked]:
    """Those of these images that the project has."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.item_id, i.sha256, p.spec from items t join images i on i.image_id = t.item_id"
            " join prompts p on p.prompt_id = i.prompt_id where t.item_id in (select unnest(?::varchar[]))",
            [list(item_ids)],
        )
    return {row["item_id"]: Asked(row["sha256"], rows.from_json(row["spec"])) for row in found}
