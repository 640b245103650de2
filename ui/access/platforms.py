"""Crowd platforms: they add who comes to a link's address, and we keep a pseudonym instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

PARAMETERS: Final = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "participant": "participant"}
"""What each platform calls the id in an address."""
_PLATFORMS: Final = {name.lower(): platform for platform, name in PARAMETERS.items()}
_MAX_LENGTH: Final = 200
_PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"


class Unclear(ValueError):
    """The address says that a platform sent somebody, and not whom; the message is a sentence for them."""


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody whom a platform sent, by its own id: never stored."""

    platform: str
    identifier: str


def participant(query: Iterable[tuple[str, str]]) -> Participant | None:
    """Whom a link's address says that a platform sent: by ``PROLIFIC_PID``, MTurk's ``workerId`` or ``participant``.

    Raises:
        Unclear: it does so without a usable id.
    """
    given = [(name.lower(), value.strip()) for name, value in query]
    if ("assignmentid", _PREVIEW) in given:
        raise Unclear("This is a preview. Accept the task first, then open it again.")
    sent = [(platform, value) for name, value in given if (platform := _PLATFORMS.get(name))]
    if not sent:
        return None
    if len(set(sent)) > 1:
        raise Unclear("This address names more than one participant. Open the study once more from its page.")
    platform, identifier = sent[0]
    # a placeholder that the platform has not filled in would make one person of all
    if not identifier or len(identifier) > _MAX_LENGTH or any(mark in identifier for mark in "{}%$<>"):
        raise Unclear("This address does not say who you are. Open the study once more from its page.")
    return Participant(platform, identifier)
