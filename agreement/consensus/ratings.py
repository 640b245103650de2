"""What people say of one aspect, and the consensus on it, as ratings of one more rater.

A consensus is fitted once on all that there is of a (suite, aspect), of real people or of simulated ones, so its labels are
the same in every cell and resample. Targets share one model where they share their labels (yes and no, an ordinal scale);
other labels belong to their target (the choices of a question), which has a model of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from agreement.consensus.methods import Answers, Consensus, Method, reach
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.study.frame import Aspect, Ratings, Suite
from agreement.study.outcome import compact, refused

BY_TARGET = "each target has a model of its own: look at one target"
WAYS: dict[Method, str] = {
    "majority": "the label of more than half of the answers",
    "dawid_skene": "Dawid and Skene's model, the most probable label",
    "mace": "MACE, the most probable label",
}
_ONCE = "; fitted once, on all generators and tasks, not without each prompt"


def name_of(method: Method, *, simulated: bool) -> str:
    """The name of a consensus as a rater; simulated people have one of their own."""
    return f"consensus:{method}" + (":simulated" if simulated else "")


def how_of(method: Method) -> str:
    """How its labels are made, in words."""
    return WAYS[method] + ("" if method == "majority" else _ONCE)


@dataclass(frozen=True)
class Fitted:
    """A consensus on some of the rows (positions)."""

    at: IntArray
    found: Consensus


@dataclass(frozen=True)
class Heard:
    """People's answers that count, and what the consensus says beside each of them.

    Attributes:
        said: the answers of those that the method takes (the models: persons').
        whole: a row for each unit that has a label: the consensus's own.
        held_out: as `said`, with the label of the consensus without the row's own answer, -1 where there is none.
        reason: why there is no consensus at all, None if there is.
        excluded: answers that are left out, by reason.
    """

    method: Method
    name: str
    said: Ratings
    whole: Ratings
    held_out: Ratings
    fits: tuple[Fitted, ...]
    reason: str | None
    excluded: dict[str, int]

    def of(self, units: IntArray) -> Heard:
        """What is about these units alone."""
        if np.isin(self.said.unit, units).all():
            return self
        inside = np.isin(self.said.unit, units)
        number = np.cumsum(inside) - 1
        fits = tuple(_part(fit, inside, number) for fit in self.fits if inside[fit.at].any())
        whole = self.whole.take(np.isin(self.whole.unit, units))
        return replace(self, said=self.said.take(inside), whole=whole, held_out=self.held_out.take(inside), fits=fits)

    def quality(self, rows: BoolArray) -> float:
        """Of the person whose rows these are; NaN where undefined."""
        return self.fits[0].found.quality(rows) if len(self.fits) == 1 else float("nan")

    @property
    def no_quality(self) -> str:
        """Why there is no quality, where there is none."""
        if len(self.fits) > 1:
            return BY_TARGET
        reasons = [fit.found.no_quality for fit in self.fits]
        return (reasons[0] if reasons else None) or self.reason or "undefined for these answers"


def _part(fit: Fitted, inside: BoolArray, number: IntArray) -> Fitted:
    kept = inside[fit.at]
    model = fit.found.model
    if model is not None:
        model = replace(model, columns=model.columns[kept], terms=model.terms[kept])
    return Fitted(number[fit.at[kept]], replace(fit.found, model=model))


def hear(suite: Suite, aspect: Aspect, method: Method, *, simulated: bool, seed: int) -> Heard:
    """The consensus of real people, or of simulated ones, about an aspect that has labels.

    Raises:
        NoCrowdKitError: a model is asked for, and crowd-kit is not installed.
    """
    everyone = aspect.ratings.take(suite.raters_where(scorer=False, simulated=simulated)[aspect.ratings.rater])
    said = everyone.take(everyone.valid)
    person = suite.raters_where(person=True)[said.rater]
    excluded = refused(everyone, suite)
    slots = bool(said.size and not person.any())
    if method != "majority" and not slots:
        if not person.all():
            excluded["slot"] = int((~person).sum())
        said = said.take(person)
    shared = aspect.measure.ordinal or aspect.measure.binary
    label, held_out = np.full(said.size, -1), np.full(said.size, -1)
    fits = []
    for at in _groups(said, shared=shared):
        codes = np.unique(said.label[at])
        parts = (compact(column[at]).codes for column in (said.unit, said.rater, said.label))
        found = reach(Answers(*parts), method, persons=not slots, seed=seed)
        fits.append(Fitted(at, found))
        of_unit = found.label[compact(said.unit[at]).codes]
        label[at] = np.where(of_unit >= 0, codes[of_unit], -1)
        held_out[at] = np.where(found.held_out >= 0, codes[found.held_out], -1)
    reasons = sorted({fit.found.reason for fit in fits if fit.found.reason})
    reason = "; ".join(reasons) if fits and all(fit.found.reason for fit in fits) else None
    values = _numbers(aspect)
    first = np.unique(said.unit, return_index=True)[1]
    whole = _relabelled(said, label, values).take(first[label[first] >= 0])
    name = name_of(method, simulated=simulated)
    return Heard(method, name, said, whole, _relabelled(said, held_out, values), tuple(fits), reason, excluded)


def _groups(said: Ratings, *, shared: bool) -> Iterator[IntArray]:
    """Positions of the rows that have a model in common."""
    if not said.size:
        return
    if shared:
        yield np.arange(said.size)
        return
    for target in np.unique(said.target):
        yield np.flatnonzero(said.target == target)


def _numbers(aspect: Aspect) -> FloatArray:
    """The number of each label, NaN where it has none; and one more, of no label."""
    values = np.full(len(aspect.labels) + 1, np.nan)
    known = aspect.ratings.label >= 0
    values[aspect.ratings.label[known]] = aspect.ratings.number[known]
    return values


def _relabelled(said: Ratings, label: IntArray, values: FloatArray) -> Ratings:
    return replace(said, label=label.astype(np.int64), number=values[label])
