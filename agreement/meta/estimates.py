"""Estimates by people's standard: each generator and task, from the labels that were drawn by chance and a scorer's verdicts.

A row says how good a generator is as people would rate it, beside what the labels alone and the scorer alone say. Labels count
only where chance drew them: otherwise the images that people happened to label may be others than the rest.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from agreement import reasons
from agreement.catalogue import value_range_of
from agreement.generators import GeneratorDifference, compare_generators, mean_of_images
from agreement.inference.intervals import AREA, NUMBER, SHARE, Deletions, Deviations, Interval, ValueRange, interval
from agreement.meta.corrected_rates import corrected_rate
from agreement.meta.labelled_sample import LabelledSample, Target
from agreement.meta.prediction_powered import FEWEST, PoweredEstimate, difference, estimate
from agreement.meta.units import Finding, RatedUnits, ScorerValues
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.reasons import MethodCode, Reason, ReasonCode, joined
from agreement.study.cells import ALL, compact

Method = Literal["ppi", "corrected"]
STATISTIC = {"ppi": "estimate", "corrected": "corrected_rate"}
DIFFERENCE = "difference"
_STRATUM = 30
"""Tasks with fewer labels are taken together: a lambda of each costs more than it gains."""


@dataclass(frozen=True)
class EstimateOptions:
    """A request for estimates: of which generators, by which method, and why labels count as drawn by chance.

    Attributes:
        target: *prompts*: this kind of prompt; *these*: these images.
        at_random: whether all labels were drawn by chance, as the user says.
        label_sample: so many labelled images are drawn with the `seed` for a trial, and the labels of the others hidden.
        against: a generator; each other one less this one is estimated too.
        scorers: names; empty: all.
    """

    method: Method = "ppi"
    target: Target = "prompts"
    at_random: bool = False
    label_sample: int | None = None
    seed: int = 0
    against: str | None = None
    scorers: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelDraw:
    """Labels that chance drew.

    Attributes:
        name: how they were drawn.
        labelled: (units,) those that it drew and people labelled.
        covers: (units,) those that it could draw.
        probability: (units,) with which each labelled unit was drawn; None: the same for all.
        refusal: why its labels do not count yet.
    """

    name: reasons.Method
    labelled: BoolArray
    covers: BoolArray
    probability: FloatArray | None = None
    refusal: Reason | None = None


@dataclass(frozen=True, kw_only=True)
class EstimateFinding(Finding):
    """A row of ``estimate``; all means are on people's scale.

    Attributes:
        against: of a difference, the generator that is subtracted.
        n_labelled, n_unlabelled: images with a label that counts, and without.
        power: lambda, how much the scorer's verdicts count; ``lambda`` as a key.
        labels_saved: labels alone that would have an interval as narrow, less `n_labelled`.
        labels_mean, labels_low, labels_high: from the labels alone.
        scorer_mean: the scorer's own mean of all images; on people's scale if `on_scale`, else on its own.
        full_mean: of a trial, the mean of all labels, hidden ones too.
        sensitivity, specificity: how often the scorer says yes where people do, and no where they do; with intervals.
    """

    against: str | None = None
    n_labelled: int = 0
    n_unlabelled: int = 0
    power: float | None = None
    labels_saved: float | None = None
    labels_mean: float | None = None
    labels_low: float | None = None
    labels_high: float | None = None
    scorer_mean: float | None = None
    on_scale: bool = False
    full_mean: float | None = None
    sensitivity: float | None = None
    sensitivity_low: float | None = None
    sensitivity_high: float | None = None
    specificity: float | None = None
    specificity_low: float | None = None
    specificity_high: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        return {("lambda" if name == "power" else name): value for name, value in super().to_dict().items()}


def estimates(units: RatedUnits, draws: Sequence[LabelDraw], options: EstimateOptions) -> Iterator[EstimateFinding]:
    """Rows of an aspect: by scorer, for each generator and all, each task and all."""
    if options.label_sample is not None:
        draws = [_trial(units, options.label_sample, options.seed)]
    elif options.at_random:
        everything = np.ones(units.size, bool)
        draws = [LabelDraw(reasons.Method(MethodCode.DRAWN_AS_TOLD), units.raters > 0, everything)]
    generators = sorted({int(code) for code in units.generator if code >= 0})
    tasks = sorted({int(code) for code in units.task if code >= 0})
    for name, scorer in units.scorers.items():
        if options.scorers and name not in options.scorers:
            continue
        for generator in (*generators, None):
            for task in (*tasks, None):
                yield _EstimateCell(units, scorer, draws, options, generator, task).row()
                reference = options.against
                if generator is not None and reference in units.generators and units.generators[generator] != reference:
                    other = units.generators.index(reference)
                    yield _EstimateCell(units, scorer, draws, options, generator, task).row_against(other)


def _trial(units: RatedUnits, n: int, seed: int) -> LabelDraw:
    """``n`` of the labelled images, all of their labels."""
    items = np.array(units.items, dtype=object)
    labelled = units.raters > 0
    every = sorted(set(items[labelled]))
    stream = zlib.crc32(f"{units.suite} {units.aspect} {units.simulated}".encode())
    drawn = np.random.default_rng([seed, stream]).permutation(len(every))[:n]
    chosen = {every[k] for k in drawn}
    return LabelDraw(
        reasons.Method(MethodCode.TRIAL, n=len(chosen), labelled=len(every), seed=seed),
        labelled & np.array([item in chosen for item in items], bool),
        labelled,
    )


@dataclass(frozen=True)
class _EstimateCell:
    """One generator and task (None: all) with one scorer."""

    units: RatedUnits
    scorer: ScorerValues
    draws: Sequence[LabelDraw]
    options: EstimateOptions
    generator: int | None
    task: int | None

    @property
    def mask(self) -> BoolArray:
        """Units of the cell with a verdict; of a trial only those with labels, as the others have no full mean."""
        units = self.units
        chosen = np.ones(units.size, bool)
        if self.generator is not None:
            chosen &= units.generator == self.generator
        if self.task is not None:
            chosen &= units.task == self.task
        if self.options.label_sample is not None:
            chosen &= units.raters > 0
        return chosen

    def row(self) -> EstimateFinding:
        judged = self.mask & np.isfinite(self.scorer.value)
        draw = self._draw(judged)
        blank = self._blank(judged, draw)
        if isinstance(draw, Reason):
            return replace(blank, reason=draw)
        samples = self._samples(judged, draw, self._strata(judged, draw))
        if self.options.method == "corrected":
            return self._corrected(blank, samples, draw)
        made = estimate(samples, self._kind, on_scale=self.scorer.on_scale)
        if made is None:
            few = Reason(ReasonCode.TOO_FEW_LABELS, labels=blank.n_labelled, needed=FEWEST)
            return replace(blank, reason=few)
        value, bounds, alone = self.units.printed, made.bounds, made.alone_bounds
        if made.others == 0 and self.options.target == "prompts":
            # nothing is estimated: this is people's mean, as it stands everywhere
            bounds = alone = self._mean_of_images(judged)
        return replace(
            blank,
            value=value(made.value),
            low=value(bounds.low),
            high=value(bounds.high),
            power=made.power,
            labels_saved=made.saved,
            labels_mean=value(made.alone),
            labels_low=value(alone.low),
            labels_high=value(alone.high),
            method=joined(self._how(made), draw.name, bounds.method, bounds.reason),
        )

    def _mean_of_images(self, judged: BoolArray) -> Interval:
        """Return the interval of people's mean of these images, as agreement has it."""
        prompt = compact(self.units.prompt[judged])
        unit = np.arange(prompt.codes.size)
        means = mean_of_images(unit, self.units.mean[judged], prompt.codes, Deletions(wanted=True).weights(prompt.size))
        ends = (0.0, 1.0) if self.units.scale.kind == "ordinal" else None
        kind = value_range_of("mean", binary=self.units.binary, ends=ends)
        many = "prompts" if self.units.by_prompt else "items"
        return interval(float(means[0]), Deviations.of(means, prompt.size), kind, many, images=unit.size)

    def _paired(self, judged: Sequence[BoolArray], names: Sequence[str]) -> GeneratorDifference | None:
        """Compare two generators by people's means of these images; None where they share no prompt."""
        units = self.units
        parts = [
            pd.DataFrame(
                {"prompt": units.prompt[mask], "generator": name, "item": np.flatnonzero(mask), "value": units.mean[mask]}
            )
            for mask, name in zip(judged, names, strict=True)
        ]
        return next(iter(compare_generators(pd.concat(parts), names[0])), None)

    def row_against(self, other: int) -> EstimateFinding:
        """This generator less the other one."""
        units, name = self.units, self.units.generators[other]
        cells = (self, replace(self, generator=other))
        judged = [cell.mask & np.isfinite(self.scorer.value) for cell in cells]
        both = judged[0] | judged[1]
        draw = self._draw(both)
        blank = replace(self._blank(both, draw), statistic=DIFFERENCE, against=name, scorer_mean=None)
        if isinstance(draw, Reason):
            return replace(blank, reason=draw)
        if self.options.method == "corrected":
            return replace(blank, reason=Reason(ReasonCode.DIFFERENCES_BY_PPI))
        # both sides have the same strata, or none
        strata = self._strata(both, draw)
        every = [int((draw.labelled & mask & (strata == k)).sum()) for mask in judged for k in np.unique(strata[both])]
        if min(every, default=0) < FEWEST:
            strata = np.zeros(units.size, np.int64)
        made = [estimate(cell._samples(mask, draw, strata, both), cell._kind, on_scale=self.scorer.on_scale)
                for cell, mask in zip(cells, judged, strict=True)]  # fmt: skip
        if made[0] is None or made[1] is None:
            fewest = min(int((draw.labelled & mask).sum()) for mask in judged)
            few = Reason(ReasonCode.TOO_FEW_LABELS_OF_ONE, labels=fewest, needed=FEWEST)
            return replace(blank, reason=few)
        wide = units.high - units.low
        if made[0].others == made[1].others == 0 and self.options.target == "prompts":
            # nothing is estimated: this is people's difference, as it stands everywhere
            names = [units.generators[cell.generator] for cell in cells if cell.generator is not None]
            if (paired := self._paired(judged, names)) is not None:
                ends = [None if end is None else wide * end for end in (paired.low, paired.high)]
                mean = wide * paired.value
                return replace(blank, value=mean, low=ends[0], high=ends[1], labels_mean=mean, method=paired.method)
        many = "prompts" if self.options.target == "prompts" or self._whole_prompts(both, draw) else "labels"
        value, bounds = difference(made[0], made[1], many)
        scorer_mean = (wide if self.scorer.on_scale else 1.0) * (made[0].scorer - made[1].scorer)
        return replace(
            blank,
            value=wide * value,
            low=None if bounds.low is None else wide * bounds.low,
            high=None if bounds.high is None else wide * bounds.high,
            labels_mean=wide * (made[0].alone - made[1].alone),
            scorer_mean=scorer_mean,
            method=joined(reasons.Method(MethodCode.DIFFERENCE_OF_ESTIMATES), draw.name, bounds.method, bounds.reason),
        )

    def _corrected(self, blank: EstimateFinding, samples: Sequence[LabelledSample], draw: LabelDraw) -> EstimateFinding:
        known = self.scorer.value[np.isfinite(self.scorer.value)]
        code = None
        if not self.units.binary:
            code = ReasonCode.RATES_OF_YES_AND_NO
        elif not self.scorer.on_scale or not np.isin(known, (0.0, 1.0)).all():
            code = ReasonCode.SCORER_GIVES_NUMBERS
        elif draw.probability is not None:
            code = ReasonCode.UNEQUAL_CHANCES
        if code is not None:
            return replace(blank, reason=Reason(code))
        made = corrected_rate(samples[0])
        q1, q0 = made.sensitivity, made.specificity
        return replace(
            blank,
            value=made.value,
            low=made.bounds.low,
            high=made.bounds.high,
            reason=made.reason,
            sensitivity=q1.value,
            sensitivity_low=q1.bounds.low,
            sensitivity_high=q1.bounds.high,
            specificity=q0.value,
            specificity_low=q0.bounds.low,
            specificity_high=q0.bounds.high,
            method=joined(reasons.Method(MethodCode.ROGAN_GLADEN), draw.name, made.bounds.method, made.bounds.reason),
        )

    def _draw(self, judged: BoolArray) -> LabelDraw | Reason:
        """The labels that count here: of the draw with most of them; or why none do."""
        units = self.units
        if not units.numeric:
            return Reason(ReasonCode.NO_MEAN_OF_LABELS)
        if not judged.any():
            return Reason(ReasonCode.JUDGED_NONE)
        if self.scorer.saw_labels and self.options.label_sample is None:
            return Reason(ReasonCode.MADE_WITH_LABELS_IN_VIEW)
        labelled = judged & (units.raters > 0)
        if not labelled.any():
            return Reason(ReasonCode.LABELLED_NONE)
        if self.options.label_sample is None and labelled.sum() == judged.sum():
            return LabelDraw(reasons.Method(MethodCode.EVERY_IMAGE_LABELLED), labelled, judged)
        covering = [draw for draw in self.draws if draw.covers[judged].all()]
        ready = [draw for draw in covering if draw.refusal is None and (draw.labelled & judged).any()]
        if ready:
            return max(ready, key=lambda draw: int((draw.labelled & judged).sum()))
        refusals = [draw.refusal for draw in covering if draw.refusal is not None]
        if refusals:
            return refusals[0]
        return Reason(ReasonCode.CHANCE_DREW_NONE if covering else ReasonCode.NOT_DRAWN_BY_CHANCE)

    def _blank(self, judged: BoolArray, draw: LabelDraw | Reason) -> EstimateFinding:
        units, options = self.units, self.options
        counts = np.zeros(units.size, bool) if isinstance(draw, Reason) else draw.labelled & judged
        ratings = int(units.raters[counts].sum())
        inside = self.mask
        hidden = int(units.raters[inside & judged & ~counts].sum()) if not isinstance(draw, Reason) else 0
        left = {
            "no_scorer_value": int(units.raters[inside & ~judged].sum()),
            "hidden" if options.label_sample is not None else "not_drawn": hidden,
        }
        mean = float(self.scorer.value[judged].mean()) if judged.any() else None
        full = None
        if options.label_sample is not None and judged.any():
            full = units.printed(float(units.mean[judged & (units.raters > 0)].mean()))
        return EstimateFinding(
            **units.about,
            task=ALL if self.task is None else units.tasks[self.task],
            generator=ALL if self.generator is None else units.generators[self.generator],
            statistic=STATISTIC[options.method],
            scorer=self.scorer.name,
            n_items=int(judged.sum()),
            n_ratings=ratings,
            excluded={why: n for why, n in left.items() if n},
            n_labelled=int(counts.sum()),
            n_unlabelled=int(judged.sum() - counts.sum()),
            scorer_mean=units.printed(mean) if self.scorer.on_scale else mean,
            on_scale=self.scorer.on_scale,
            full_mean=full,
        )

    @property
    def _kind(self) -> ValueRange:
        if self.units.binary:
            return SHARE
        return AREA if self.units.scale.kind == "ordinal" else NUMBER

    def _strata(self, judged: BoolArray, draw: LabelDraw) -> IntArray:
        """(units,) tasks with enough labels each, and the others together; for rates all together."""
        task = np.where(judged, self.units.task, -1) + 1
        labels = np.bincount(task[judged & draw.labelled], minlength=task.max() + 1)
        large = labels >= _STRATUM
        if self.options.method == "corrected" or large.sum() < 1:
            return np.zeros(task.size, np.int64)
        few = ~large & (np.bincount(task[judged], minlength=labels.size) > 0)
        codes = np.where(large, np.arange(labels.size), -1)
        if labels[few].sum() < _STRATUM:
            # too few even together: with the smallest of the others
            codes[few] = np.flatnonzero(large)[np.argmin(labels[large])]
        return np.asarray(codes[task], dtype=np.int64)

    def _whole_prompts(self, judged: BoolArray, draw: LabelDraw) -> bool:
        """Whether labels came by whole prompts: wherever a prompt has several images, all are labelled or none."""
        prompt = self.units.prompt[judged]
        n = np.bincount(prompt)
        labels = np.bincount(prompt, draw.labelled[judged], n.size)
        several = (n > 1) & (labels > 0)
        return draw.probability is None and bool(several.any()) and bool((labels[several] == n[several]).all())

    def _samples(
        self, judged: BoolArray, draw: LabelDraw, strata: IntArray, shared: BoolArray | None = None
    ) -> list[LabelledSample]:
        """A sample of each stratum; codes of prompts and images are those of the units ``shared`` with another cell."""
        around = judged if shared is None else shared
        units = self.units
        prompt, item = compact(units.prompt[around]), compact(self._item[around])
        whole = self._whole_prompts(around, draw)
        parts = []
        for k in np.unique(strata[around]):
            here = judged & (strata == k)
            inside = here[around]
            parts.append(
                LabelledSample(
                    prompt.codes[inside],
                    prompt.size,
                    np.where(draw.labelled, units.mean, np.nan)[here],
                    self.scorer.value[here],
                    item.codes[inside],
                    item.size,
                    self.options.target,
                    None if draw.probability is None else draw.probability[here],
                    whole,
                )
            )
        return parts

    @property
    def _item(self) -> IntArray:
        """(units,) codes of images: what is asked about one image is labelled together."""
        return np.unique(np.array(self.units.items, dtype=str), return_inverse=True)[1].astype(np.int64)

    def _how(self, made: PoweredEstimate) -> reasons.Method:
        if made.others == 0:
            return reasons.Method(MethodCode.MEAN_OF_IMAGES)
        if made.power is None:
            return reasons.Method(MethodCode.LABELS_ALONE_SAME_SCORE)
        if made.power == 0:
            return reasons.Method(MethodCode.LABELS_ALONE_NOT_SURER)
        return reasons.Method(MethodCode.PREDICTION_POWERED, power=made.power)
