"""``--limit`` and ``--first``: which images are scored if not all are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from concord.common.context import UsageError
from data.jobs.runs import WorkItem
from data.store import library
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class ImageLimit:
    """The most images that are scored, and their choice: drawn by chance over their tasks, or the first ones by id.

    Attributes:
        n: None for all images.
        seed: of the draw; None for the first ones.
    """

    n: int | None = None
    seed: int | None = None

    @property
    def text(self) -> str:
        """Return the sentence that says how images were chosen."""
        return "the first ones by id" if self.seed is None else f"drawn at random over tasks (seed {self.seed})"

    def choose(self, store: Store, work: Sequence[WorkItem]) -> list[WorkItem]:
        """Return the images within the limit, in the order of their ids."""
        if self.n is None or len(work) <= self.n:
            return list(work)
        if self.seed is None:
            return list(work[: self.n])
        drawn = set(draw(library.tasks_of_items(store, [item.item_id for item in work]), self.n, self.seed))
        return [item for item in work if item.item_id in drawn]


def limit_of(limit: int | None, first: int | None, seed: int) -> ImageLimit:
    """Return the limit that a command's options mean.

    Raises:
        UsageError: both are given.
    """
    if limit is not None and first is not None:
        raise UsageError("--limit draws images at random and --first takes the first ones: give one of them")
    return ImageLimit(first) if first is not None else ImageLimit(limit, seed)


def draw(tasks: Mapping[str, str | None], n: int, seed: int) -> list[str]:
    """Return ``n`` of these items, drawn by chance in proportion to their tasks: each is as likely as any other, and no task
    gets one more or less than its share, up to rounding. The same seed gives the same items."""

    def chance(text: str) -> bytes:
        return hashlib.blake2b(f"{seed}\0{text}".encode(), digest_size=8).digest()

    # systematic sampling: every (N / n)-th of the items in the order of tasks, within a task in random order
    ordered = sorted(tasks, key=lambda item_id: (chance(f"task {tasks[item_id]}"), tasks[item_id] or "", chance(item_id)))
    start = int.from_bytes(chance("start")) / 2**64
    return [ordered[int((k + start) * len(ordered) / n)] for k in range(n)] if n < len(ordered) else ordered
