"""Erasing a person: everything that they said or that names them goes, from the database file too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from data.refusals import NoSuchPerson
from data.store import erased
from data.store.backup import backups
from data.store.browse import index_refresh
from data.store.campaigns.departures import LedgerLine, insert_ledger
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.erased import ErasedRows, strike_person

_MARKS = "marks of erased people"
"""The key of the marks in the project's memory, as every request asks for them; only this process changes it."""


def is_erased(store: Store, name: str) -> bool:
    """Whether a person of this name was erased from the project."""
    marks = store.memory.keep(_MARKS, lambda: frozenset(store.query_column("select person from erased")))
    return erased.mark(store.secret, name) in marks if marks else False


def erase(store: Store, name: str, ledger: Callable[[], Sequence[LedgerLine]] = tuple) -> ErasedRows:
    """Erase a person, and write the database anew, so that no byte of them stays in its file.

    ``ledger`` returns what they earned, and is called when they can answer no more; its lines are written as they go.

    Raises:
        NoSuchPerson: there is none of this name, or it is a scorer's or a study's slot.
    """
    # first nobody may write in their name any more: their open pages are sent away from now on
    _mark_erased(store, name, store.secret)
    store.memory.forget(_MARKS)
    lines = ledger()

    def strike(connection: Connection) -> ErasedRows:
        insert_ledger(connection, lines)
        return strike_person(connection, name)

    removed = store.change(strike)
    index_refresh.refresh(store)
    # a backup reads for long: who waits for it is to wait outside, and not to let everybody wait
    with backups.backup_lock:
        store.rewrite()
    return removed


@transaction(shown=False)
def _mark_erased(connection: Connection, name: str, secret: str) -> None:
    record = rows.first(connection, "select kind, identity from raters where rater_id = ?", [name])
    if record is not None and (record["kind"], record["identity"]) != ("human", "person"):
        raise NoSuchPerson(
            f"{name!r} is a {record['identity'] or record['kind']} and not a person; `import undo` removes imported data"
        )
    mark, marks = erased.mark(secret, name), erased.marks(connection)
    if record is None and mark not in marks and not any(connection.execute(_NAMED, {"name": name}).fetchone() or ()):
        raise NoSuchPerson(f"there is nobody called {name!r} in this project; `people list` has the names")
    if mark not in marks:
        rows.add(connection, "erased", person=mark, moment=datetime.now(UTC))


# what may name somebody who is no rater (any more)
_NAMED = """
select exists (from annotations where rater_id = $name) or exists (from claims where rater_id = $name)
    or exists (from arrivals where rater_id = $name) or exists (from uncovered where rater_id = $name)
    or exists (from adjudications where rater_id = $name or made_by = $name)
    or exists (from revocations where rater_id = $name) or exists (from notes where made_by = $name)
    or exists (from taggings where made_by = $name) or exists (from saved_views where made_by = $name)
"""
