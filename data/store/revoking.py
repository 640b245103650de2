"""Taking a person out of a campaign or of the project, and back in: their claims go, and their answers if asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from data.store import rows, wide
from data.store.places import recount
from data.store.store import Store, run


@dataclass(frozen=True, slots=True)
class Revocation:
    """Who is out of what.

    Attributes:
        campaign: None: the whole project.
        uncounted: whether their answers stopped counting.
        reason: what they fail of the campaign's checks, if its own rule has paused them; None: a manager has taken them out.
    """

    person: str
    campaign: str | None
    uncounted: bool
    by: str
    moment: datetime
    reason: str | None = None


def revoke(
    store: Store, person: str, by: str, campaign: str | None = None, *, uncount: bool = False, now: datetime | None = None
) -> int:
    """Let a person get nothing more, and give back what they hold; returns how many answers stopped counting.

    What they still send is kept as ``surplus``. With ``uncount`` their valid answers become ``surplus`` too, so that their
    items are offered again; ``restore`` takes all of it back. Doing it again with ``uncount`` adds that.
    """
    revocation = Revocation(person, campaign, uncount, by, now or datetime.now(UTC))
    n: int = store.write(_revoke, revocation, touched=None if uncount else frozenset())
    return n


def restore(store: Store, person: str, by: str, campaign: str | None = None, *, now: datetime | None = None) -> int:
    """Take a revocation back; returns how many answers count again.

    An answer whose item has been filled by others meanwhile stays ``surplus``.
    """
    n: int = store.write(_restore, (person, campaign, by, now or datetime.now(UTC)))
    return n


def revoked(store: Store) -> list[Revocation]:
    """All who are revoked now, oldest first."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select rater_id as person, campaign_id as campaign, uncounted, made_by as by, moment, reason from revocations"
            " where lifted is null order by moment",
        )
    return [Revocation(**row) for row in found]


def is_person(store: Store, name: str) -> bool:
    """Whether somebody of this name works in the project: no scorer, and no slot of a study."""
    with store.read() as cursor:
        return rows.one(cursor, "select 1 from raters where rater_id = ? and identity = 'person'", [name]) is not None


# Imported answers are a study's, whoever goes by their name here.
_THEIRS = "rater_id = $person and coalesce($campaign, campaign_id) is not distinct from campaign_id and import_id is null"


def write(connection: duckdb.DuckDBPyConnection, asked: Revocation) -> int:
    """As ``revoke``, for the writer's thread."""
    whose: dict[str, Any] = {"person": asked.person, "campaign": asked.campaign}
    standing = rows.one(
        connection,
        "select uncounted from revocations where rater_id = $person and campaign_id is not distinct from $campaign"
        " and lifted is null",
        whose,
    )
    connection.execute("delete from claims where rater_id = $person and coalesce($campaign, campaign_id) = campaign_id", whose)
    if standing is None:
        rows.insert(
            connection,
            "revocations",
            ("rater_id", "campaign_id", "uncounted", "made_by", "moment", "reason"),
            [(asked.person, asked.campaign, asked.uncounted, asked.by, asked.moment, asked.reason)],
        )
    elif asked.uncounted and not standing["uncounted"]:
        connection.execute(
            "update revocations set uncounted = true where rater_id = $person"
            " and campaign_id is not distinct from $campaign and lifted is null",
            whose,
        )
    if not asked.uncounted:
        return 0
    items = _items(connection, f"{_THEIRS} and status = 'valid'", whose)
    _mark(connection, items)
    connection.execute(
        f"update annotations set status_before = status, status = 'surplus' where {_THEIRS} and status = 'valid'", whose
    )
    recount(connection, items)
    return len(items)


def _restore_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str | None, str, datetime]) -> int:
    person, campaign, by, now = payload
    connection.execute(
        "update revocations set lifted = ?, lifted_by = ?"
        " where rater_id = ? and campaign_id is not distinct from ? and lifted is null",
        [now, by, person, campaign],
    )
    # what another revocation still covers stays out; what others have filled, too
    waiting = rows.dicts(
        connection,
        "select a.root_id, a.item_id, a.saw_evidence, a.campaign_id from annotations a"
        " left join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id"
        " where a.rater_id = $person and coalesce($campaign, a.campaign_id) is not distinct from a.campaign_id"
        " and a.import_id is null and a.status_before = 'valid' and a.revises is null"
        " and (a.saw_evidence or c.item_id is null or c.people < c.wanted)"
        " and not exists (select 1 from revocations v where v.rater_id = a.rater_id and v.lifted is null"
        " and coalesce(v.campaign_id, a.campaign_id) is not distinct from a.campaign_id) order by a.seq",
        {"person": person, "campaign": campaign},
    )
    # of two blind answers about one item only the first counts
    roots = {(row["campaign_id"], row["item_id"], row["saw_evidence"]): row["root_id"] for row in reversed(waiting)}
    for root_id in roots.values():
        connection.execute(
            "update annotations set status = 'valid', status_before = null where root_id = ? and status = 'surplus'", [root_id]
        )
    items = sorted({item_id for _, item_id, _ in roots})
    _mark(connection, items)
    recount(connection, items)
    return len(roots)


def _mark(connection: duckdb.DuckDBPyConnection, items: list[str]) -> None:
    """What was said of these items, and of the images that they show, counts or does not from now on."""
    wide.mark(connection, items)
    wide.mark_where(connection, "select image_id from item_members where item_id in (select unnest(?::varchar[]))", [items])


def _items(connection: duckdb.DuckDBPyConnection, where: str, parameters: dict[str, Any]) -> list[str]:
    found = connection.execute(f"select distinct item_id from annotations where {where} order by item_id", parameters)
    return [row[0] for row in found.fetchall()]


_revoke = run(write)
_restore = run(_restore_one)
