"""What exports read: judgements with where they come from, and who the raters are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from data.store import rows
from data.store.frame import FRAME
from data.store.selection import Selection
from data.store.store import Store

_SOURCES = ", j.source_id, j.rule_version, a.submitted::timestamp as submitted, a.campaign_id as campaign"


def judgements(store: Store, selection: Selection) -> pd.DataFrame:
    """Every judgement of the selection, those that do not count too.

    Columns: those of ``frame.frame``, then ``source_id`` (the annotation's or the evidence's), ``rule_version``,
    ``submitted`` (UTC, null for scorers) and ``campaign``.
    """
    condition, parameters = selection.judgements()
    with store.read() as cursor:
        found: pd.DataFrame = cursor.execute(FRAME.format(where=condition, more=_SOURCES), parameters).df()
    # the database's clock is set to UTC
    return found.assign(submitted=found["submitted"].dt.tz_localize("UTC"))


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer as the project knows it; ``version`` is None for one that was imported as numbers alone."""

    rater_id: str
    version: str | None
    settings: Mapping[str, Any]
    profiles: tuple[str, ...]


def scorers(store: Store, names: Sequence[str]) -> list[Scorer]:
    """The scorers among these raters, by name, with the profiles that their runs were asked for."""
    with store.read() as cursor:
        found = rows.dicts(
            cursor,
            "select r.rater_id, r.version, r.settings, coalesce(list_sort(list(distinct n.profile)"
            " filter (n.profile is not null)), []) as profiles"
            " from raters r left join runs n on n.rater_id = r.rater_id"
            " where r.kind = 'scorer' and r.rater_id in (select unnest(?::varchar[]))"
            " group by all order by r.rater_id",
            [list(names)],
        )
    decoded = (rows.decoded(row, "settings") for row in found)
    return [Scorer(row["rater_id"], row["version"], row["settings"], tuple(row["profiles"])) for row in decoded]
