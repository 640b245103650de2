"""Accounts and passwords: who may sign in, in which role.

The file of accounts is read again when it has changed. Passwords are Argon2id by argon2-cffi, in the format that every other
library reads.
"""

from __future__ import annotations

import re
import sys
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

from concord.sign_in import MAX_NAME
from data.people import ROLES, Role, looks_like_pseudonym
from ui.web.auth.sessions import YEAR_SECONDS, Lifetimes

MIN_LENGTH = 8
_hasher = PasswordHasher()


def hash_password(password: str) -> str:
    """The hash to write down."""
    return _hasher.hash(password)


def is_hash(text: str) -> bool:
    """Whether this can be the hash of a password."""
    try:
        extract_parameters(text)
    except InvalidHashError:
        return False
    return True


def password_fits(password: str, known: str | None) -> bool:
    """Whether a password belongs to a hash; without one it takes as long to say no."""
    try:
        return _hasher.verify(known or _hash_of_nobody(), password) and known is not None
    except (VerificationError, InvalidHashError):
        return False


@lru_cache(1)
def _hash_of_nobody() -> str:
    return _hasher.hash("nobody has this password")


EXAMPLE = '[[user]]\nname = "ada"\nrole = "researcher"  # annotator, researcher or admin\npassword = "..."  # people hash'
NAME_TAKEN = "That name is taken. Choose another one."
_ENTRY = re.compile(r"\s*\[\[\s*user\s*\]\]")


class AccountsError(ValueError):
    """The file is not as it must be; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in; ``password`` is its Argon2 hash."""

    name: str
    role: Role
    password: str


def folded(name: str) -> str:
    """Two names that are one to people's eyes have the same."""
    return unicodedata.normalize("NFKC", name).casefold().strip()


def read(path: Path) -> tuple[dict[str, Account], Lifetimes]:
    """The accounts of a file by name, and how long sessions last.

    Raises:
        AccountsError: it cannot be read, or something in it is wrong.
    """
    try:
        text = path.read_text(encoding="utf-8")
        settings = tomllib.loads(text)
    except OSError as error:
        raise AccountsError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise AccountsError(f"{path}: it is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise AccountsError(f"{path}: it is not TOML: {error}") from error
    entries = settings.get("user", [])
    if set(settings) - {"user", "sessions"} or not isinstance(entries, list) or not entries:
        raise AccountsError(
            f"{path}: it must have an entry [[user]] for each person and nothing else but [sessions], such as\n{EXAMPLE}"
        )
    lines = [number for number, line in enumerate(text.splitlines(), 1) if _ENTRY.match(line)]
    accounts: dict[str, Account] = {}
    for position, entry in enumerate(entries):
        where = f"{path}, line {lines[position]}" if len(lines) == len(entries) else f"{path}, user {position + 1}"
        account = _account(where, entry)
        if any(folded(account.name) == folded(name) for name in accounts):
            raise AccountsError(f"{where}: there is another {account.name!r} before; give each person one entry")
        accounts[account.name] = account
    return accounts, _lifetimes(path, settings.get("sessions", {}))


def _lifetimes(path: Path, table: Any) -> Lifetimes:
    """How long sessions last, by the table ``[sessions]``."""
    known = {"researcher_idle_hours": 3600, "researcher_days": 86400, "annotator_idle_days": 86400, "annotator_days": 86400}
    if not isinstance(table, Mapping) or (more := sorted(set(table) - set(known))):
        setting = repr(more[0]) if isinstance(table, Mapping) else "this"
        raise AccountsError(f"{path}: [sessions] has no setting {setting}; known: {', '.join(known)}")
    for name, value in table.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value * known[name] <= YEAR_SECONDS:
            raise AccountsError(f"{path}: [sessions] {name} must be a number above 0 and at most a year, not {value!r}")
    seconds = {"_".join(name.split("_")[:-1]): float(value) * known[name] for name, value in table.items()}
    return Lifetimes(**seconds)


_FIELDS: Final = ("name", "role", "password")


def _account(where: str, entry: Any) -> Account:
    if not isinstance(entry, Mapping):
        raise AccountsError(f"{where}: write one entry per person, such as\n{EXAMPLE}")
    if more := sorted(set(entry) - set(_FIELDS)):
        raise AccountsError(f"{where}: {more[0]!r} is not known here; a person has name, role and password")
    for field in _FIELDS:
        if not isinstance(entry.get(field), str):
            raise AccountsError(f'{where}: {field} is missing, or is not a text in quotes: {field} = "..."')
    name, role, password = (entry[field] for field in _FIELDS)
    name = unicodedata.normalize("NFC", name)
    shown = all(not unicodedata.category(character).startswith("C") for character in name)
    if not shown or name != name.strip() or not 1 <= len(name) <= MAX_NAME or looks_like_pseudonym(name):
        raise AccountsError(
            f"{where}: the name {name!r} cannot be; 1 to {MAX_NAME} characters, none invisible, no spaces around them,"
            " and nothing that looks like a crowd worker's"
        )
    if role not in ROLES:
        raise AccountsError(f"{where}: role must be {', '.join(ROLES[:-1])} or {ROLES[-1]}, not {role!r}")
    if not is_hash(password):
        raise AccountsError(f"{where}: password must be what `uv run app.py people hash` prints, never the password itself")
    return Account(name, role, password)


class Accounts:
    """The accounts as the file has them now."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            AccountsError: it cannot be read, or something in it is wrong.
        """
        self._path = path
        self._stamp = self._stamped()
        self._known, self._lifetimes = read(path)

    def get(self, name: str) -> Account | None:
        """The account of this name, None if there is none."""
        return self._now().get(name)

    def is_taken(self, name: str) -> bool:
        """Return True if an account has this name or one that folds to it."""
        return any(folded(name) == folded(account_name) for account_name in self._now())

    @property
    def lifetimes(self) -> Lifetimes:
        """How long sessions last."""
        self._now()
        return self._lifetimes

    def _now(self) -> Mapping[str, Account]:
        stamp = self._stamped()
        if stamp != self._stamp:
            self._stamp = stamp
            try:
                self._known, self._lifetimes = read(self._path)
            except AccountsError as error:
                # half-written, perhaps: whoever is at work stays
                print(f"--users: {error}\nuntil this is fixed, the previous accounts stay in use", file=sys.stderr, flush=True)
        return self._known

    def _stamped(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size
