"""Verdicts on disagreements: who was wrong, said by whom and when. Append-only; the latest counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

import duckdb

from data.store import rows
from data.store.store import Store, run

Wrong = Literal["scorer", "person", "prompt", "guideline"]
_COLUMNS = (
    "adjudication_id",
    "item_id",
    "aspect",
    "target",
    "campaign_id",
    "wrong",
    "rater_id",
    "verdict",
    "note",
    "made_by",
    "moment",
)


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A verdict on what was said of an item.

    Attributes:
        adjudication_id: made by whoever sends it (a UUID), so that sending it twice is harmless.
        wrong: who or what was; ``rater_id`` names the scorer or person, where it is one.
        verdict: what is true, in the aspect's labels.
    """

    adjudication_id: str
    item_id: str
    aspect: str
    wrong: Wrong
    verdict: str
    made_by: str
    target: str | None = None
    campaign_id: str | None = None
    rater_id: str | None = None
    note: str = ""
    moment: datetime | None = None

    def __post_init__(self) -> None:
        if self.wrong not in get_args(Wrong):
            raise ValueError(f"wrong is one of {', '.join(get_args(Wrong))}; got {self.wrong!r}")


def adjudicate(store: Store, adjudication: Adjudication) -> bool:
    """Write a verdict; returns False if it had been written before.

    Raises:
        KeyError: there is no such item.
    """
    new: bool = store.write(_adjudicate, adjudication, touched=frozenset())
    return new


def verdicts(store: Store, item_ids: Sequence[str] | None = None, *, replaced: bool = False) -> list[Adjudication]:
    """The verdict that counts of each (item, aspect, target), newest first: of these items, or of all.

    With ``replaced`` those before it, too.
    """
    among = "" if item_ids is None else " where item_id in (select unnest(?::varchar[]))"
    latest = "" if replaced else " qualify row_number() over (partition by item_id, aspect, target order by seq desc) = 1"
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            f"select {', '.join(_COLUMNS)} from adjudications{among}{latest} order by seq desc",
            [] if item_ids is None else [list(item_ids)],
        )
    return [Adjudication(**row) for row in found]


def _adjudicate_one(connection: duckdb.DuckDBPyConnection, one: Adjudication) -> bool:
    known = rows.one(connection, "select 1 from adjudications where adjudication_id = ?", [one.adjudication_id])
    if known is not None:
        return False
    if rows.one(connection, "select 1 from items where item_id = ?", [one.item_id]) is None:
        raise KeyError(one.item_id)
    values = {name: getattr(one, name) for name in _COLUMNS} | {"moment": one.moment or datetime.now(UTC)}
    seq = rows.sequence(connection, "statement_seq", 1)[0]
    rows.insert(connection, "adjudications", (*_COLUMNS, "seq"), [(*values.values(), seq)])
    return True


_adjudicate = run(_adjudicate_one)
