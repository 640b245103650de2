"""Evidence that can be judged again: who has seen what, and whether that is still what it was."""

from __future__ import annotations

from dataclasses import dataclass

from data.store import rows
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Source:
    """One scorer's evidence of a suite's images.

    Attributes:
        scorer, profile: of the rater's latest run.
        images: of which it saw something.
        stamp: another text as soon as that is another set of images or runs.
    """

    suite: str
    rater_id: str
    scorer: str
    profile: str
    images: int
    stamp: str


def sources(store: Store) -> list[Source]:
    """All of them, by suite and rater. What was seen by flipped prompts is not among them: it says nothing of the true ones."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.suite, e.rater_id, arg_max(n.scorer, n.created) as scorer, arg_max(n.profile, n.created) as profile,"
            " count(distinct e.item_id) as images, count(*) || '.' || max(e.seq) || '.' || max(e.run_id) as stamp"
            " from evidence e join runs n using (run_id) join items t on t.item_id = e.item_id"
            " where e.failed is null and t.kind = 'image' and coalesce(n.settings->>'$.flip', '') = ''"
            " group by t.suite, e.rater_id order by t.suite, e.rater_id",
        )
    return [Source(**row) for row in found]
