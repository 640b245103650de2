"""How agreement with people and the generators' scores go as one setting moves; GenEval's Figure 8, for any of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.tuning import FOLDS, Tuned, share_of_yes, tune
from concord import rejudging
from concord.common import wording
from concord.rejudging import RaterEvidence
from data.store.core.store import Store
from scorers.running.rejudge import Sweep
from ui.components.table import note
from ui.pages.explore.view import ALL, KINDS, View

MOST_GENERATORS = 10


@dataclass(frozen=True)
class Curve:
    """What is drawn.

    Attributes:
        at: values of the setting, ascending.
        scores: by generator its share of correct images at each of them; None where it has no verdict.
        tuned: agreement with people; None if nobody has said anything.
        images: of how many; ``left_out``: generators of which there is no line.
    """

    at: list[float]
    scores: dict[str, list[float | None]]
    tuned: Tuned | None
    images: int
    left_out: int

    @property
    def best(self) -> float | None:
        """The value that agrees best on all images."""
        return None if self.tuned is None or self.tuned.best is None else self.at[self.tuned.best]

    @property
    def chosen(self) -> list[float]:
        """The values that the folds chose."""
        return [] if self.tuned is None else [self.at[place] for place in self.tuned.fold_best]


def curve(store: Store, evidence: RaterEvidence, view: View) -> Curve | None:
    """Along ``view.along``, the other knobs standing as they do; None where there is nothing to run along."""
    if view.along not in evidence.scorer.knobs:
        return None
    swept = evidence.again.sweep(view.along, rejudging.steps(evidence, view.along), view.turned)
    inside = _inside(evidence, swept, view.task)
    rows, said = swept.rows[inside], swept.said[:, inside]
    places = evidence.places.take(rows)
    heard = rejudging.people_verdicts(store, evidence).get(KINDS[view.people])
    tuned = None
    if heard is not None:
        tuned = tune(swept.at, said, heard.take(rows), places, view.statistic, task=view.task)
    present = np.unique(places.generator[places.generator >= 0])
    shares = share_of_yes(said, places.generator, len(places.generators))
    scores = {places.generators[code]: _numbers(shares[:, code]) for code in present[:MOST_GENERATORS].tolist()}
    return Curve(swept.at.tolist(), scores, tuned, rows.size, max(0, present.size - MOST_GENERATORS))


def _inside(evidence: RaterEvidence, swept: Sweep, task: str) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which of the swept images are of the task."""
    if task == ALL:
        return np.ones(swept.rows.size, bool)
    return np.asarray(evidence.places.task[swept.rows] == evidence.places.tasks.index(task), dtype=bool)


def _numbers(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def told(found: Curve, evidence: RaterEvidence, view: View) -> str:
    """What the curve says, as HTML."""
    knob = evidence.scorer.knobs[view.along]
    task = "" if view.task == ALL else f" of the task {wording.task(view.task)}"
    first = f"{knob.title} decides something in {wording.count(found.images, 'image')}{task}; the others stand as they do."
    parts = [first, _agreement(found, view)]
    if found.left_out:
        parts.append(f"The scores of the first {MOST_GENERATORS} generators are drawn, those of {found.left_out} more are not.")
    return note(" ".join(part for part in parts if part))


def _agreement(found: Curve, view: View) -> str:
    tuned = found.tuned
    if tuned is None:
        return "No person has judged these images yet, so there is nothing to agree with."
    title = wording.title(view.statistic)
    about = f"{wording.count(tuned.n_ratings, 'answer')} by {view.people} about {wording.count(tuned.n_items, 'image')}"
    if tuned.best is None:
        return f"{title} ({about}): no best value, as {tuned.reason}."
    low, high = (found.at[place] for place in tuned.run or (tuned.best, tuned.best))
    where = f"{found.best:g}" if low == high else f"{found.best:g} (and as good from {low:g} to {high:g})"
    best = f"Best at {where}: {title} {_said(tuned.values[tuned.best])} on all of {about}, which flatters."
    if tuned.reason is not None:
        return f"{best} It was not cross-validated: {tuned.reason}."
    low, high = min(found.chosen), max(found.chosen)
    values = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return (
        f"{best} Cross-validated (chosen on {FOLDS - 1} of {FOLDS} folds of prompts, judged on the fifth): {title}"
        f" {_said(tuned.out_of_fold)} out of fold; the folds chose {values}."
    )


def _said(value: float | None) -> str:
    return "undefined" if value is None else wording.two(value)
