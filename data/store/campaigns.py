"""What people do in campaigns: enter, get the next task, skip, pause, report. All is decided on the writer thread."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import duckdb

from data.campaign import Settings
from data.records import Rater
from data.store import rows
from data.store.boards import Closed, Progress
from data.store.desks import Desk, Seeker, seat
from data.store.erased import Erased
from data.store.imports import ImportRefused, insert_raters
from data.store.places import DEFAULT, DEFAULT_OVERLAP, ensure_default
from data.store.store import Store, run
from data.store.tasks import Picture, Task, task

__all__ = [
    "CLAIM",
    "DEFAULT",
    "DEFAULT_OVERLAP",
    "Closed",
    "Desk",
    "NameTaken",
    "Picture",
    "Progress",
    "Task",
    "desk",
    "enter",
    "leave",
    "pause",
    "report",
    "skip",
    "task",
    "unskip",
    "worked_in",
]

CLAIM = timedelta(minutes=Settings().lease_minutes)
ENOUGH_REPORTS = 2
"""So many people call an item broken before it is set aside."""


class NameTaken(ValueError):
    """A person may not go by this name."""


def enter(store: Store, name: str) -> None:
    """Make sure that this person exists.

    Raises:
        NameTaken: the name belongs to a scorer or to a study's slot, or to somebody who was erased.
    """
    try:
        # a new person is in nothing that memory keeps
        store.write(_enter, name, touched=frozenset(), forget=False)
    except (ImportRefused, Erased) as error:
        raise NameTaken(str(error)) from error


def desk(store: Store, person: str, campaign: str = DEFAULT, *, ahead: int = 2, now: datetime | None = None) -> Desk:
    """The next items for this person, claimed for the campaign's lease; asking again gives the same ones.

    The default campaign offers every image that has a file, in one random order for all (so that answers meet), until
    three people have answered it. ``now`` is for tests.
    """
    result: Desk = store.write(seat, Seeker(campaign, person, ahead, now or datetime.now(UTC), store.memory), shown=False)
    return result


def skip(store: Store, person: str, item_id: str, campaign: str = DEFAULT, *, now: datetime | None = None) -> None:
    """Put an item at the end of this person's line."""
    store.write(_skip, (campaign, person, item_id, now or datetime.now(UTC)), shown=False)


def unskip(store: Store, person: str, campaign: str = DEFAULT, *, now: datetime | None = None) -> str | None:
    """Take back the latest skip of an item not yet answered: it comes first again if it still wants this person.

    Returns its id, None if nothing is skipped.
    """
    item_id: str | None = store.write(_unskip, (campaign, person, now or datetime.now(UTC)), shown=False)
    return item_id


def pause(store: Store, person: str, campaign: str = DEFAULT) -> None:
    """Let go of what this person has claimed in a campaign."""
    store.write(_pause, (campaign, person), shown=False)


def leave(store: Store, person: str) -> None:
    """Let go of what this person has claimed anywhere, so that others are offered it."""
    store.write(_leave, person, shown=False)


def report(
    store: Store, person: str, item_id: str, reason: str, campaign: str = DEFAULT, *, now: datetime | None = None
) -> bool:
    """Note that an item cannot be judged: this person is not asked again. Returns whether it is now set aside for all."""
    payload = (campaign, person, item_id, reason, now or datetime.now(UTC))
    aside: bool = store.write(_report, payload, touched=frozenset())
    return aside


def worked_in(store: Store, person: str, campaign: str) -> bool:
    """Whether this person holds, has begun or has answered something in a campaign."""
    with store.read() as cursor:
        return any(
            rows.one(cursor, f"select 1 from {table} where rater_id = ? and campaign_id = ? limit 1", [person, campaign])
            for table in ("claims", "drafts", "annotations")
        )


def _skip_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, str, datetime]) -> None:
    campaign, person, item_id, now = payload
    rows.insert(connection, "skips", ("campaign_id", "item_id", "rater_id", "skipped"), [(campaign, item_id, person, now)])
    _drop_claim(connection, campaign, person, item_id)


def _unskip_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, datetime]) -> str | None:
    campaign, person, now = payload
    found = rows.one(
        connection,
        "select s.item_id from skips s where s.campaign_id = ? and s.rater_id = ? and s.item_id not in"
        " (select item_id from annotations where rater_id = ? and campaign_id = ?) order by s.skipped desc limit 1",
        [campaign, person, person, campaign],
    )
    if found is None:
        return None
    item_id = str(found["item_id"])
    connection.execute("delete from skips where campaign_id = ? and rater_id = ? and item_id = ?", [campaign, person, item_id])
    _drop_claim(connection, campaign, person, item_id)
    # before all that the person holds, if others have not filled it meanwhile
    claim = rows.one(connection, _ROOM, {"campaign": campaign, "person": person, "item": item_id, "now": now})
    if claim is not None:
        settings = Settings.of(rows.from_json(claim["settings"]))
        until = now + timedelta(minutes=settings.lease_minutes)
        columns = ("campaign_id", "item_id", "rater_id", "until", "place")
        rows.insert(connection, "claims", columns, [(campaign, item_id, person, until, -1)])
    return item_id


_ROOM = """
select p.settings from campaign_items c join campaigns p using (campaign_id)
where c.campaign_id = $campaign and c.item_id = $item and not c.aside and p.state = 'running'
  and (c.role <> 'ordinary' or c.wanted > c.people + (
      select count(*) from claims
      where campaign_id = $campaign and item_id = $item and rater_id <> $person and until > $now))
"""


def _drop_claim(connection: duckdb.DuckDBPyConnection, campaign: str, person: str, item_id: str) -> None:
    connection.execute("delete from claims where campaign_id = ? and rater_id = ? and item_id = ?", [campaign, person, item_id])


def _pause_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str]) -> None:
    connection.execute("delete from claims where campaign_id = ? and rater_id = ?", list(payload))


def _leave_one(connection: duckdb.DuckDBPyConnection, person: str) -> None:
    connection.execute("delete from claims where rater_id = ?", [person])


def _report_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str, str, str, datetime]) -> bool:
    campaign, person, item_id, reason, now = payload
    if campaign == DEFAULT:
        ensure_default(connection, now)
    where = [campaign, item_id]
    known = rows.one(connection, "select aside from campaign_items where campaign_id = ? and item_id = ?", where)
    if known is None:
        raise KeyError(item_id)
    people = connection.execute(
        "select distinct rater_id from reports where campaign_id = ? and item_id = ? and dismissed is null", where
    ).fetchall()
    if (person,) not in people:
        columns = ("campaign_id", "item_id", "rater_id", "reason", "moment")
        rows.insert(connection, "reports", columns, [(campaign, item_id, person, reason, now)])
    _drop_claim(connection, campaign, person, item_id)
    aside = bool(known["aside"]) or len({*people, (person,)}) >= ENOUGH_REPORTS
    if aside and not known["aside"]:
        connection.execute("update campaign_items set aside = true where campaign_id = ? and item_id = ?", where)
    return aside


def _enter_all(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> list[None]:
    for name in names:
        insert_raters(connection, [Rater(name, "human", "person")], None)
    return [None] * len(names)


_skip = run(_skip_one)
_unskip = run(_unskip_one)
_pause = run(_pause_one)
_leave = run(_leave_one)
_report = run(_report_one)
_enter = _enter_all
