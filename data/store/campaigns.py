"""Who labels what next: claims, skips and progress. All decisions are made on the writer thread, so two never get one place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb

from data.records import Rater
from data.store import rows
from data.store.imports import ImportRefused, insert_raters
from data.store.store import Store, run

DEFAULT = "default"
DEFAULT_OVERLAP = 3
CLAIM = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Task:
    """What one person is to judge next; ``public_id`` is all that their browser learns of it."""

    item_id: str
    public_id: str
    suite: str
    text: str
    spec: dict[str, Any]
    sha256: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Progress:
    """Of one person in one campaign: items answered, and items that still want them."""

    done: int
    remaining: int


@dataclass(frozen=True, slots=True)
class Desk:
    """What lies before one person: the current task first, the one after it second."""

    tasks: list[Task]
    progress: Progress


def enter(store: Store, name: str) -> None:
    """Make sure that this person exists.

    Raises:
        NameTaken: the name belongs to a scorer or to a study's slot.
    """
    try:
        store.write(_enter, name, touched=frozenset())
    except ImportRefused as error:
        raise NameTaken(str(error)) from error


class NameTaken(ValueError):
    """A person may not go by this name."""


def desk(store: Store, person: str, campaign: str = DEFAULT, *, ahead: int = 2) -> Desk:
    """The next items for this person, claimed for half an hour; asking again gives the same ones.

    The default campaign offers every image that has a file, in one random order for all (so that answers meet), until
    three people have answered it.
    """
    result: Desk = store.write(_desk, (campaign, person, ahead, datetime.now(UTC)), shown=False)
    return result


def skip(store: Store, person: str, item_id: str, campaign: str = DEFAULT) -> None:
    """Put an item at the end of this person's line."""
    store.write(_skip, (campaign, person, item_id, datetime.now(UTC)), shown=False)


def leave(store: Store, person: str) -> None:
    """Let go of what this person has claimed, so that others are offered it."""
    store.write(_leave, person, shown=False)


def task(store: Store, public_id: str) -> Task | None:
    """The task behind a public id, None if there is none."""
    with store.read() as cursor:
        found = rows.one(cursor, f"{_TASK} where t.public_id = ?", [public_id])
    return _task(found) if found else None


def last_annotation(store: Store, person: str, campaign: str = DEFAULT) -> dict[str, Any] | None:
    """This person's last answer: ``annotation_id, item_id, public_id, answers``."""
    with store.read() as cursor:
        found = rows.one(
            cursor,
            "select a.annotation_id, a.item_id, t.public_id, a.answers from annotations a join items t using (item_id)"
            " where a.rater_id = ? and a.campaign_id = ? order by a.submitted desc, a.seq desc limit 1",
            [person, campaign],
        )
    return rows.decoded(found, "answers") if found else None


_TASK = """
select t.item_id, t.public_id, t.suite, p.text, p.spec, i.sha256, i.width, i.height
from items t join item_members m on m.item_id = t.item_id join images i on i.image_id = m.image_id
join prompts p on p.prompt_id = i.prompt_id
"""

# What this person has not answered and others have not filled (blind answers and live claims together).
_OPEN = """
with mine as (select distinct item_id from annotations where campaign_id = $campaign and rater_id = $person),
taken as (
    select item_id, count(distinct rater_id) as people from (
        select item_id, rater_id from annotations where campaign_id = $campaign and status = 'valid' and not saw_evidence
        union all
        select item_id, rater_id from claims where campaign_id = $campaign and until > $now and rater_id <> $person
    ) group by item_id
),
open as (
    select t.item_id, t.public_id, c.until is not null as claimed, s.skipped
    from items t
    join item_members m on m.item_id = t.item_id
    join images i on i.image_id = m.image_id and i.sha256 is not null
    left join taken k on k.item_id = t.item_id
    left join claims c on c.campaign_id = $campaign and c.rater_id = $person and c.item_id = t.item_id and c.until > $now
    left join (
        select item_id, max(skipped) as skipped from skips where campaign_id = $campaign and rater_id = $person group by item_id
    ) s on s.item_id = t.item_id
    where t.kind = 'image' and t.item_id not in (select item_id from mine)
      and coalesce(k.people, 0) < (select overlap from campaigns where campaign_id = $campaign)
)
"""


def _desk_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, int, datetime]) -> Desk:
    campaign, person, ahead, now = payload
    _ensure_default(connection, campaign, now)
    who = {"campaign": campaign, "person": person, "now": now}
    # public_id is a keyed hash: an order that is random, the same for all, and free
    connection.execute(
        f"{_OPEN} select item_id, count(*) over () from open"
        " order by skipped is not null, skipped, claimed desc, public_id limit $ahead",
        {**who, "ahead": ahead},
    )
    found = connection.fetchall()
    item_ids = [row[0] for row in found]
    connection.execute("delete from claims where campaign_id = ? and (rater_id = ? or until <= ?)", [campaign, person, now])
    rows.insert(
        connection,
        "claims",
        ("campaign_id", "item_id", "rater_id", "until"),
        [(campaign, item_id, person, now + CLAIM) for item_id in item_ids],
    )
    tasks = {row["item_id"]: _task(row) for row in rows.dicts(connection, _TASK_AMONG, [item_ids])}
    done = rows.value(
        connection,
        "select count(distinct item_id) from annotations where campaign_id = ? and rater_id = ?",
        [campaign, person],
    )
    return Desk([tasks[item_id] for item_id in item_ids], Progress(int(done), int(found[0][1]) if found else 0))


_TASK_AMONG = f"{_TASK} where t.item_id in (select unnest(?::varchar[]))"


def _ensure_default(connection: duckdb.DuckDBPyConnection, campaign: str, now: datetime) -> None:
    if campaign == DEFAULT and not rows.one(connection, "select 1 from campaigns where campaign_id = ?", [DEFAULT]):
        rows.insert(connection, "campaigns", ("campaign_id", "overlap", "created"), [(DEFAULT, DEFAULT_OVERLAP, now)])


def _skip_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, str, datetime]) -> None:
    campaign, person, item_id, now = payload
    rows.insert(connection, "skips", ("campaign_id", "item_id", "rater_id", "skipped"), [(campaign, item_id, person, now)])
    connection.execute("delete from claims where campaign_id = ? and rater_id = ? and item_id = ?", [campaign, person, item_id])


def _leave_one(connection: duckdb.DuckDBPyConnection, person: str) -> None:
    connection.execute("delete from claims where rater_id = ?", [person])


def _enter_all(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[None]:
    for name in names:
        insert_raters(connection, [Rater(name, "human", "person")], None)
    return [None] * len(names)


def _task(row: dict[str, Any]) -> Task:
    return Task(**rows.decoded(row, "spec"))


_desk = run(_desk_one)
_skip = run(_skip_one)
_leave = run(_leave_one)
_enter = _enter_all
