"""The JSON routes; each module has functions from a store to its router. Here is what they share: who asks, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fastapi import HTTPException, Request
from pydantic import BaseModel

from concord.common import wording
from ui.web.auth.sessions import name_of


class NothingBody(BaseModel):
    """An empty object: the address says what is done."""


def person_of(request: Request, why: str = "") -> str:
    """Return the name of the person making the request.

    Raises:
        HTTPException: 401, they have given no name; ``why`` one is needed.
    """
    name = name_of(request)
    if name is None:
        raise HTTPException(401, f"Please give your name first{f': {why}' if why else ''}.")
    return name


@contextmanager
def refusing(status: int, *errors: type[Exception]) -> Iterator[None]:
    """Answer these errors with a status, and their text as a sentence."""
    try:
        yield
    except errors as error:
        raise HTTPException(status, wording.sentence(error)) from error


def whole_number(text: str, name: str) -> int | None:
    """Return a number as somebody typed it into the field ``name``; None for none.

    Raises:
        ValueError: it is no whole number from 1 on.
    """
    typed = text.strip()
    if not typed:
        return None
    if not (typed.isascii() and typed.isdigit()) or not 0 < int(typed) < 1 << 31:
        raise ValueError(f"{name}: give a whole number from 1 on")
    return int(typed)
