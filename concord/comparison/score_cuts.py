"""Scores turned into yes and no: where to cut a scorer's score, and how well that agrees with people on held-out prompts."""

from __future__ import annotations

from agreement import CellName, CutOptions, Options, ThresholdCurve, curve
from agreement.thresholds import ThresholdAgreement
from concord.agreement import recall_thresholds
from concord.common import live_updates
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store


def can_cut(selection: Selection) -> bool:
    """Return True if scores can be cut to agree with the selected question: people's yes or no about the whole image."""
    return selection.aspect == (CutOptions().aspect,)


def score_cuts(store: Store, selection: Selection, *, intervals: bool) -> tuple[ThresholdAgreement, ...]:
    """Return the agreement of every scorer's score, cut for each task, with people; nothing for another question."""
    if not can_cut(selection):
        return ()
    return recall_thresholds(store, selection, _options(selection, intervals=intervals))


def held_out(
    store: Store, selection: Selection, task: str, rater: str, people: str, *, intervals: bool
) -> ThresholdAgreement | None:
    """Return how often a score, cut where it agrees best on other prompts, says what people say; None where it cannot be."""
    about = (rater, task, people, "percent_agreement")
    rows = score_cuts(store, selection, intervals=intervals)
    found = next((row for row in rows if (row.rater, row.task, row.people, row.statistic) == about), None)
    return found if found is not None and found.value is not None and found.chosen.threshold is not None else None


@live_updates.cached(maxsize=16)
def cut_curve(store: Store, selection: Selection, task: str, rater: str, people: str, *, intervals: bool) -> ThresholdCurve:
    """Return agreement with people along the cuts of a scorer's score."""
    judgements, scales = frame.frame(store, selection), frame.scales(store)
    return curve(
        judgements,
        scales,
        rater,
        CutOptions(),
        _options(selection, intervals=intervals),
        cell=CellName("all", task),
        simulated=people == "simulated",
    )


def _options(selection: Selection, *, intervals: bool) -> Options:
    return Options(intervals=intervals, each_generator=False, certainty=selection.certainty)
