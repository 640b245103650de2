"""Weighted draw: images for a campaign, drawn more often where scorers disagree or are near the cut.

Estimates weigh the labels by these chances; agreement leaves them out, as it would be about hard images only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from agreement.meta.drawing import draw_probabilities, expected_error, ranked
from data.campaigns.items import CampaignItem, draw_items
from data.store.campaigns.management import CampaignRefused
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store

_SCORE = "score"


def weighted_items(
    store: Store, selection: Selection, item_ids: Sequence[str], aspects: Collection[str], expected: int, seed: int
) -> list[CampaignItem]:
    """Of these images ``expected`` or about so many, drawn by how likely scorers are wrong about these aspects.

    A scorer's verdicts count; where it has none of these aspects, its scores by their rank.

    Raises:
        CampaignRefused: no scorer has judged them.
    """
    judged = frame.frame(store, selection)
    judged = judged[(judged["kind"] == "scorer") & judged["excluded"].isna() & judged["target"].isna()]
    verdicts = [
        _verdicts(rows, np.asarray(item_ids, dtype=object), aspects)
        for _, rows in judged[judged["aspect"].isin([*aspects, _SCORE])].groupby("rater")
    ]
    if not any(np.isfinite(each).any() for each in verdicts):
        raise CampaignRefused("no scorer has judged these images: score them first, or draw them at random")
    chances = draw_probabilities(expected_error(verdicts), expected)
    return draw_items(dict(zip(item_ids, map(float, chances), strict=True)), seed)


def _verdicts(rows: pd.DataFrame, items: np.ndarray, aspects: Collection[str]) -> np.ndarray:
    own = rows[rows["aspect"].isin(aspects)]
    numbers = (rows if own.empty else own).groupby("item")["number"].mean().reindex(items).to_numpy(float)
    known = numbers[np.isfinite(numbers)]
    # yes, no and what is between stay; other numbers have no cut that is known
    return numbers if not own.empty and ((known >= 0) & (known <= 1)).all() else ranked(numbers)
