"""Remarks of researchers on items, as records: verdicts on disagreements, notes and tags."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

Wrong = Literal["scorer", "person", "prompt", "guideline"]


@dataclass(frozen=True, slots=True)
class Adjudication:
    """A verdict on what was said of an item.

    Attributes:
        adjudication_id: made by whoever sends it (a UUID), so that sending it twice is harmless.
        wrong: who or what was; ``rater_id`` names the scorer or person, where it is one.
            Of a person without a name: everybody who says something else.
        verdict: what is true, in the aspect's labels; empty: the verdicts before are taken back.
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


@dataclass(frozen=True, slots=True)
class Note:
    """A note on an item.

    Attributes:
        note_id: made by whoever sends it (a UUID), so that sending it twice is harmless.
        revises: the note that this one takes the place of; only whoever wrote that may.
    """

    note_id: str
    item_id: str
    text: str
    made_by: str
    revises: str | None = None


@dataclass(frozen=True, slots=True)
class Tagging:
    """One act: a tag put on items (or taken off). ``tagging_id`` is the client's: sent twice it is one act."""

    tagging_id: str
    items: tuple[str, ...]
    tag: str
    on: bool
    made_by: str
