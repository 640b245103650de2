"""Passwords: Argon2id by argon2-cffi, in the format that every other library reads."""

from __future__ import annotations

from functools import lru_cache

from argon2 import PasswordHasher, extract_parameters
from argon2.exceptions import InvalidHashError, VerificationError

MIN_LENGTH = 8
MAX_LENGTH = 1000
_hasher = PasswordHasher()


def hashed(password: str) -> str:
    """The hash to write down."""
    return _hasher.hash(password)


def is_hash(text: str) -> bool:
    """Whether this can be the hash of a password."""
    try:
        extract_parameters(text)
    except InvalidHashError:
        return False
    return True


def fits(password: str, known: str | None) -> bool:
    """Whether a password belongs to a hash; without one it takes as long to say no."""
    try:
        return _hasher.verify(known or _nobodys(), password) and known is not None
    except (VerificationError, InvalidHashError):
        return False


@lru_cache(1)
def _nobodys() -> str:
    return _hasher.hash("nobody has this password")
