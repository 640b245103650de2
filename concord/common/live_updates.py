"""The version that pages see of a project, and what is kept for as long as it stays.

It moves when there is something new to draw. An app may have it move more slowly than the project (`ui/shell/drawing_pace.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from data.store.core.store import Store

P = ParamSpec("P")
T = TypeVar("T")

Moves = Callable[[Store], str]
"""Gives a text that differs when there is something new to draw."""

_page_versions: WeakKeyDictionary[Store, Callable[[], str]] = WeakKeyDictionary()


def set_page_version(store: Store, page_version: Callable[[], str] | None) -> None:
    """Have pages of this project see the version that a function gives; None: the project's own."""
    if page_version is None:
        _page_versions.pop(store, None)
    else:
        _page_versions[store] = page_version


def version(store: Store) -> str:
    """The project's version as pages see it: what is computed of it is computed once for all who look."""
    page_version = _page_versions.get(store)
    return store.version if page_version is None else page_version()


def stored_version(store: Store) -> str:
    """The project's version in its database, which pages may see only later."""
    return store.version


def by_arguments(_: Store) -> str:
    """Return the same text always: for functions of which the arguments say all, such as the stamp of what is read."""
    return ""


def cached(
    maxsize: int, *, key: Moves = version
) -> Callable[[Callable[Concatenate[Store, P], T]], Callable[Concatenate[Store, P], T]]:
    """Decorator: a function's results by its arguments, computed once for all who look while the project's ``key`` stays.

    Of each open project so many are kept, of each call the latest.
    """

    def decorate(compute: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
        parameters = signature(compute)

        @wraps(compute)
        def latest(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
            # a default that is given and one that is left out are one call
            call = parameters.bind(store, *args, **kwargs)
            call.apply_defaults()
            about = (*call.args[1:], *sorted(call.kwargs.items()))
            return store.memory.once(compute, about, key(store), lambda: compute(store, *args, **kwargs), maxsize)

        return latest

    return decorate
