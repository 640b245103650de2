"""What exports read: judgements with where they come from, and who the raters are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data.store import rows
from data.store.frame import FRAME
from data.store.selection import Selection
from data.store.store import Store

if TYPE_CHECKING:
    import pandas as pd

_SOURCES = ", j.source_id, j.rule_version, a.submitted::timestamp as submitted, a.campaign_id as campaign"


BATCH = 50_000
"""So many rows are in memory at a time."""


def judgements(store: Store, selection: Selection) -> pd.DataFrame:
    """Every judgement of the selection, those that do not count too.

    Columns: those of ``frame.frame``, then ``source_id`` (the annotation's or the evidence's), ``rule_version``,
    ``submitted`` (UTC, null for scorers) and ``campaign``.
    """
    condition, parameters = selection.judgements()
    with store.read() as cursor:
        found: pd.DataFrame = cursor.execute(FRAME.format(where=condition, more=_SOURCES), parameters).df()
    return _in_utc(found)


def judgement_batches(store: Store, selection: Selection) -> Iterator[pd.DataFrame]:
    """The same rows in the same order, some at a time; the selection's ``certainty`` is not followed."""
    condition, parameters = selection.judgements()
    yield from batches(store, FRAME.format(where=condition, more=_SOURCES), parameters)


def batches(store: Store, query: str, parameters: Sequence[Any]) -> Iterator[pd.DataFrame]:
    """The rows of a query, some at a time, from one state of the project."""
    with store.read() as cursor:
        # a relation streams, an executed query is all there at once
        for batch in cursor.sql(query, params=list(parameters)).to_arrow_reader(BATCH):
            yield _in_utc(batch.to_pandas())


def _in_utc(found: pd.DataFrame) -> pd.DataFrame:
    """Moments with their zone: the database's clock is set to UTC."""
    moments = [name for name in ("started", "submitted") if name in found]
    return found.assign(**{name: found[name].dt.tz_localize("UTC") for name in moments})


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
            " from raters r left join runs n on n.rater_id = r.rater_id and n.kind = 'score'"
            " where r.kind = 'scorer' and r.rater_id in (select unnest(?::varchar[]))"
            " group by all order by r.rater_id",
            [list(names)],
        )
    decoded = (rows.decoded(row, "settings") for row in found)
    return [Scorer(row["rater_id"], row["version"], row["settings"], tuple(row["profiles"])) for row in decoded]
