"""Where the app stands below its host: nowhere (``""``), or behind a proxy that serves it at ``/concord``, say."""

from __future__ import annotations

import re

_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")
# one process serves one project in one place; Gradio makes pages and runs handlers outside of any request of ours
_root = ""


def checked(text: str) -> str:
    """A prefix as paths have it, without a slash at its end.

    Raises:
        ValueError: it is none.
    """
    prefix = "/" + text.strip("/") if text.strip("/") else ""
    if prefix and (not _PREFIX.fullmatch(prefix) or any(part in (".", "..") for part in prefix.split("/"))):
        raise ValueError(f"{text!r} is not a path prefix; write one such as /concord")
    return prefix


def stand(prefix: str) -> None:
    """Say where the app stands, before its pages are made."""
    global _root
    _root = prefix


def root() -> str:
    """The prefix of all addresses."""
    return _root


def at(path: str) -> str:
    """A path of ours (``/studio/``, ``/img/...``) as browsers are to ask for it."""
    return _root + path
