"""What scorers made of images and their captions: the evidence of image-text matching."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from data.store import rows
from data.store.selection import Selection
from data.store.store import Store

# of several runs by one rater the first that saw something counts, as in every statistic
_MATCHED: Final = """
select t.suite, e.rater_id, e.item_id, t.prompt_id, p.spec ->> '$.group' as "group", coalesce(t.task, '') as task,
    coalesce(t.generator, '') as generator, e.payload, r.settings, run.scorer
from evidence e join items t on t.item_id = e.item_id join raters r on r.rater_id = e.rater_id
join prompts p on p.prompt_id = t.prompt_id left join runs run on run.run_id = e.run_id
where e.failed is null and t.kind = 'image' and json_type(e.payload, '$.fits') = 'ARRAY'
    and json_type(e.payload, '$.captions') = 'ARRAY' and {condition}
qualify row_number() over (partition by e.rater_id, e.item_id order by e.seq) = 1
order by t.suite, e.rater_id, e.item_id
"""


@dataclass(frozen=True, slots=True)
class Matched:
    """One image by one rater; ``payload``: its evidence with ``captions``, ``right`` and ``fits``, as the scorer wrote it."""

    suite: str
    rater_id: str
    item_id: str
    prompt_id: str
    group: str | None
    task: str
    generator: str
    payload: Mapping[str, Any]
    settings: Mapping[str, Any]
    scorer: str | None


def matched(store: Store, selection: Selection) -> list[Matched]:
    """The selected images that scorers chose captions for, by suite, rater and image. Places and raters of the selection count.

    Evidence that was brought from elsewhere may hold anything: what cannot be read as captions with a number or none each, one
    of them right, is left out.
    """
    only = Selection(suite=selection.suite, task=selection.task, generator=selection.generator, rater=selection.rater)
    condition, parameters = only.judgements()
    with store.read() as cursor:
        found = rows.dicts(cursor, _MATCHED.format(condition=condition), parameters)
    made = (Matched(**rows.decoded(rows.decoded(row, "payload"), "settings")) for row in found)
    return [one for one in made if _is_sound(one.payload)]


def suites(store: Store) -> dict[str, list[str]]:
    """By suite the scorers that chose captions for its images, sorted."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select t.suite, e.rater_id from evidence e join items t using (item_id) where e.failed is null"
            " and t.kind = 'image' and json_type(e.payload, '$.fits') = 'ARRAY' group by all order by all",
        )
    named: dict[str, list[str]] = {}
    for row in found:
        named.setdefault(row["suite"], []).append(row["rater_id"])
    return named


def _is_sound(payload: Mapping[str, Any]) -> bool:
    captions, fits, right = payload["captions"], payload["fits"], payload.get("right")
    numbers = all(fit is None or (isinstance(fit, int | float) and not isinstance(fit, bool)) for fit in fits)
    texts = all(isinstance(caption, str) for caption in captions)
    place = isinstance(right, int) and not isinstance(right, bool) and 0 <= right < len(fits)
    return numbers and texts and place and len(captions) == len(fits) >= 2
