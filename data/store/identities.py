"""Whose a crowd platform's id is: the browser's that came with it first, and of whoever has the person's re-entry code.

Secrets and codes are known to the project by keyed hashes alone.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import duckdb

from data.people import keyed_hash
from data.store import rows
from data.store.store import Store, run

_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_GROUPS, _GROUP = 3, 4


class Elsewhere(ValueError):
    """The id belongs to another browser, and no re-entry code, or a wrong one, was given."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A browser comes with a person's id; all but the name are keyed hashes.

    Attributes:
        proven: whether its session is this person's.
        held: of the secret in its cookie; ``typed``: of the re-entry code that was typed.
        secret, code: of those that it is to get, if it gets any.
    """

    person: str
    proven: bool
    held: str
    typed: str
    secret: str
    code: str


@dataclass(frozen=True, slots=True)
class Admission:
    """What the browser gets: the secret for its cookie, and the re-entry code; False: it has one, or is not told it again."""

    secret: bool = False
    code: bool = False


def new_secret() -> str:
    return secrets.token_urlsafe(24)


def new_code() -> str:
    """A re-entry code, such as ``K7QF-9M2X-TB4H``: 59 bits, without letters that look like others."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def secret_hash(store: Store, person: str, secret: str) -> str:
    return keyed_hash(store.secret, "browser", f"{person} {secret}")


def code_hash(store: Store, person: str, code: str) -> str:
    """Of a code as it is typed: case and what stands between the letters do not matter."""
    plain = "".join(letter for letter in code.upper() if letter.isalnum())
    return keyed_hash(store.secret, "re-entry", f"{person} {plain}")


def admit(connection: duckdb.DuckDBPyConnection, claim: Claim, now: datetime) -> Admission:
    """Let a browser in that may come in; before the arrival is written down. For the writer's thread.

    Raises:
        Elsewhere: it may not.
    """
    known = rows.one(connection, "select code from identities where rater_id = ?", [claim.person])
    held = rows.one(connection, "select 1 from browsers where rater_id = ? and secret = ?", [claim.person, claim.held])
    if known is not None and held is not None:
        return Admission()
    if known is None:
        # who came before ids belonged to browsers is known by their session alone
        came = rows.one(connection, "select 1 from arrivals where rater_id = ? limit 1", [claim.person])
        if came is not None and not claim.proven:
            raise Elsewhere
        rows.insert(connection, "identities", ("rater_id", "code", "refused"), [(claim.person, claim.code, 0)])
    elif not claim.proven and known["code"] != claim.typed:
        raise Elsewhere
    rows.insert(connection, "browsers", ("rater_id", "secret", "moment"), [(claim.person, claim.secret, now)])
    return Admission(secret=True, code=known is None)


def note_refused(store: Store, person: str) -> None:
    """Count that another browser came with somebody's id."""
    store.write(_note_refused, person, touched=frozenset(), forget=False)


def renew(store: Store, person: str) -> str:
    """A new re-entry code for somebody who has lost theirs, which is good no more.

    Raises:
        KeyError: nobody of this name came from a crowd platform.
    """
    code = new_code()
    store.write(_renew, (person, code_hash(store, person, code)), shown=False)
    return code


def _note_refused_one(connection: duckdb.DuckDBPyConnection, person: str) -> None:
    connection.execute("update identities set refused = refused + 1 where rater_id = ?", [person])


def _renew_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, str]) -> None:
    person, code = payload
    if rows.one(connection, "select 1 from arrivals where rater_id = ? and came_as <> 'name' limit 1", [person]) is None:
        raise KeyError(person)
    connection.execute("delete from identities where rater_id = ?", [person])
    rows.insert(connection, "identities", ("rater_id", "code", "refused"), [(person, code, 0)])


_note_refused = run(_note_refused_one)
_renew = run(_renew_one)
