"""An answer and what comes after it, in one transaction: what somebody waits for between two items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from data.records import Annotation
from data.store import pausing
from data.store.campaigns import DEFAULT
from data.store.desks import Desk, Seeker, seat
from data.store.statements import Saved, Sent, items_of, save
from data.store.statuses import Rule
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Answered:
    """The fate of a submission, and what lies before the person now."""

    saved: Saved
    desk: Desk


def answer(
    store: Store, annotation: Annotation, more: Rule | None = None, campaign: str = DEFAULT, *, ahead: int = 2
) -> Answered:
    """Save one answer as ``statements.submit`` does, and say what is next in this campaign as ``campaigns.desk`` does.

    Raises:
        KeyError: as ``statements.submit``.
        Erased: the person has been erased from the project.
    """
    seeker = Seeker(campaign, annotation.rater_id, ahead, datetime.now(UTC), store.memory)
    touched = frozenset(items_of([annotation]))
    answered: Answered = store.write(_answer, (Sent(annotation, store.memory, more), seeker), touched=touched)
    if answered.saved.paused:
        pausing.show(store)
    return answered


def _answer(connection: duckdb.DuckDBPyConnection, payloads: Sequence[tuple[Sent, Seeker]]) -> list[Answered]:
    saved = save(connection, [sent for sent, _ in payloads])
    desks = seat(connection, [seeker for _, seeker in payloads])
    return [Answered(*both) for both in zip(saved, desks, strict=True)]
