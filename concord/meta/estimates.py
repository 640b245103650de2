"""Estimates of a selection: the rows of `estimate`, of the page and the report, and which labels campaigns drew by chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from agreement.meta.estimates import DIFFERENCE, STATISTIC, EstimateFinding, EstimateOptions, LabelDraw, estimates
from agreement.meta.units import RatedUnits, read_units
from agreement.reasons import Method, MethodCode, Reason, ReasonCode
from concord.agreement import scales_of
from concord.common import live_updates
from data.selection import Selection
from data.store.campaigns.draws import Draw, Pool, pool, read_draws
from data.store.core import frame
from data.store.core.store import Store

TITLES: Final[Mapping[str, str]] = {
    STATISTIC["ppi"]: "Estimate by people’s standard",
    STATISTIC["corrected"]: "Corrected rate",
    DIFFERENCE: "Difference",
}


@live_updates.cached(maxsize=16)
def estimate(store: Store, selection: Selection, options: EstimateOptions) -> list[EstimateFinding]:
    """The rows of `estimate`, made once for all who look while the project stays as it is. Do not change the list."""
    judgements, scales = frame.frame(store, selection, campaigns=True), scales_of(store)
    draws, there = read_draws(store), pool(store, Selection())
    whole = judgements
    if options.label_sample is None and not options.at_random:
        # labels of weighted draws count here, and nowhere else
        whole = _with_weighted(judgements, [draw for draw in draws if draw.chances])
    rows: list[EstimateFinding] = []
    for units in read_units(whole, scales):
        if not selection.aspect or units.aspect in selection.aspect:
            made = [label_draw(units, whole if draw.chances else judgements, draw, there) for draw in draws]
            rows += estimates(units, made, options)
    return rows


@live_updates.cached(maxsize=8)
def estimated(store: Store) -> list[tuple[str, str, str]]:
    """Suite, aspect and scorer of each that can be estimated: people's ratings are numbers, and the scorer meets them."""
    weighted = [draw for draw in read_draws(store) if draw.chances]
    read = read_units(_with_weighted(frame.frame(store, Selection(), campaigns=True), weighted), scales_of(store))
    return list(dict.fromkeys((u.suite, u.aspect, name) for u in read if u.numeric for name in u.scorers))


def label_draw(units: RatedUnits, judgements: pd.DataFrame, draw: Draw, there: Pool) -> LabelDraw:
    """The units' labels that a campaign drew; ``there``: the images there are now."""
    counted = judgements.excluded.isna() & (judgements.kind == "human") & (judgements.aspect == units.aspect)
    counted &= judgements.simulated.astype(bool) == units.simulated
    labelled = set(judgements.loc[counted & (judgements.campaign == draw.campaign_id), "item"])
    drawn_from = draw.pool or {}
    known = [name for name, n in drawn_from.items() if there.get(name) == n]
    covered = {(suite, task, generator) for suite, task, generator in known}
    tasks, generators = (*units.tasks, None), (*units.generators, None)
    covers = np.array(
        [(units.suite, tasks[t], generators[g]) in covered for t, g in zip(units.task, units.generator, strict=True)], bool
    )
    chance = np.array([draw.chances.get(item, np.nan) for item in units.items]) if draw.chances else None
    inside = np.array([item in labelled for item in units.items], bool)
    if chance is not None:
        inside &= np.isfinite(chance)
    refusal = None
    if draw.unanswered and (draw.chances or draw.fixed):
        refusal = Reason(
            ReasonCode.ANSWERS_OUTSTANDING,
            unanswered=draw.unanswered,
            drawn=draw.drawn,
            campaign=draw.campaign_id,
            fixed=draw.fixed,
        )
    # of an equal draw those that are answered count, as people meet its images in an order by chance
    how = Method(
        MethodCode.DRAWN_IN_CAMPAIGN,
        campaign=draw.campaign_id,
        with_chances=bool(draw.chances),
        unanswered=draw.unanswered,
        drawn=draw.drawn,
    )
    return LabelDraw(how, inside, covers, chance, refusal)


def _with_weighted(judgements: pd.DataFrame, draws: Sequence[Draw]) -> pd.DataFrame:
    """The frame in which the labels of these draws count."""
    drawn = np.zeros(len(judgements), bool)
    for draw in draws:
        drawn |= (judgements.campaign == draw.campaign_id) & judgements.item.isin(list(draw.chances))
    return judgements.assign(excluded=judgements.excluded.mask(drawn & (judgements.excluded == "selected")))
