"""From a long frame of judgements to integer codes and arrays: one `Suite`, and the `Ratings` of one aspect.

Rows are brought into one order first, so that no result depends on the order of the frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from agreement.catalogue import Measure
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.statistics.scale import YES_NO_VOCABULARIES, Scale, ScaleError

COLUMNS = (
    "suite", "task", "generator", "prompt", "item", "rater", "kind", "identity", "simulated", "aspect", "target",
    "label", "number", "seq", "excluded",
)  # fmt: skip
SAW_LABELS = "saw_labels"
"""A column that may be there, too: whether the scorer's settings were chosen, or it was made, with people's labels in view."""
NO_VALUE, REPEAT = "no_value", "repeat"
_BETWEEN = "\x1f"  # between a rater's name and kind


@dataclass(frozen=True)
class SuiteRater:
    """One rater of a suite; `person` is False for slots, `simulated` marks imitations, `saw_labels` scorers tuned on people."""

    name: str
    scorer: bool
    person: bool
    simulated: bool
    saw_labels: bool = False


@dataclass(frozen=True)
class Ratings:
    """Judgements of one aspect as columns of codes; -1 is "none". `why` is a code of the reason a row does not count."""

    item: IntArray
    cluster: IntArray
    unit: IntArray
    target: IntArray
    task: IntArray
    generator: IntArray
    rater: IntArray
    label: IntArray
    number: FloatArray
    seq: IntArray
    why: IntArray

    def take(self, rows: BoolArray | IntArray) -> Ratings:
        """The rows of a mask or of positions."""
        return Ratings(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})

    @property
    def size(self) -> int:
        """How many rows."""
        return int(self.item.size)

    @property
    def valid(self) -> BoolArray:
        """Rows that count."""
        return self.why < 0


@dataclass(frozen=True)
class Aspect:
    """The judgements of one aspect with what their scale allows; `labels` are the names behind the codes of labels."""

    name: str
    measure: Measure
    ratings: Ratings
    labels: tuple[str, ...]


@dataclass(frozen=True)
class Suite:
    """One suite: the names behind the codes, and its aspects."""

    name: str
    items: tuple[str, ...]
    raters: tuple[SuiteRater, ...]
    tasks: tuple[str, ...]
    generators: tuple[str, ...]
    targets: tuple[str, ...]
    reasons: tuple[str, ...]
    by_prompt: bool
    aspects: tuple[Aspect, ...]

    def raters_where(self, **wanted: bool) -> BoolArray:
        """Mask over rater codes: those whose attributes have the wanted values."""
        return np.array([all(getattr(r, k) == v for k, v in wanted.items()) for r in self.raters], dtype=bool)


def read(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str]) -> Iterator[Suite]:
    """Check the frame's columns and give its suites by name. Consensus rows are computed from people and left out."""
    if frame.empty:
        return
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of judgements lacks the columns {', '.join(missing)}; it needs {', '.join(COLUMNS)}")
    columns = [*COLUMNS, *(column for column in (SAW_LABELS,) if column in frame.columns)]
    rows = frame.loc[frame.kind.astype(object) != "consensus", columns]
    names = sorted(rows.suite.astype(object).unique())
    for name in names:
        yield _suite(str(name), rows[rows.suite == name], scales)


def _codes(values: pd.Series) -> tuple[IntArray, tuple[str, ...]]:
    """Codes in the order of the names; None, NaN and empty text are -1."""
    text = values.astype(object)
    text = text.where(text.notna() & (text != ""), None)
    codes, names = pd.factorize(text, sort=True)
    return np.asarray(codes, np.int64), tuple(str(name) for name in names)


def _by_item(item: IntArray, values: pd.Series) -> tuple[IntArray, tuple[str, ...]]:
    """Codes of something every row of an item shares, so that a row that lacks it gets it from the others."""
    codes, names = _codes(values)
    known = np.full(int(item.max(initial=-1)) + 1, -1, np.int64)
    np.maximum.at(known, item, codes)
    return known[item], names


def _suite(name: str, rows: pd.DataFrame, scales: Mapping[tuple[str, str], str]) -> Suite:
    item, items = _codes(rows.item)
    target, targets = _codes(rows.target)
    task, tasks = _by_item(item, rows.task)
    generator, generators = _by_item(item, rows.generator)
    prompt, prompts = _by_item(item, rows.prompt)
    rater, raters = _raters(rows)
    why, reasons = _codes(rows.excluded)
    seq = np.asarray(pd.to_numeric(rows.seq).fillna(0), np.int64)
    aspect, aspects = _codes(rows.aspect)
    reasons = (*reasons, *(reason for reason in (NO_VALUE, REPEAT) if reason not in reasons))
    cluster = np.where(prompt >= 0, prompt, len(prompts) + item)
    unit = item * (len(targets) + 1) + target + 1
    blank = np.zeros(len(rows))
    everything = Ratings(item, cluster, unit, target, task, generator, rater, blank.astype(np.int64), blank, seq, why)
    order = np.lexsort((rater, seq, unit))
    judged = []
    for code, aspect_name in enumerate(aspects):
        if (name, aspect_name) not in scales:
            raise ValueError(f"no scale is given for the aspect {aspect_name!r} of the suite {name!r}")
        places = order[aspect[order] == code]
        scale = Scale.parse(scales[name, aspect_name])
        judged.append(_aspect(aspect_name, scale, rows.iloc[places], everything.take(places), reasons))
    return Suite(name, items, raters, tasks, generators, targets, reasons, bool((prompt >= 0).any()), tuple(judged))


def _raters(rows: pd.DataFrame) -> tuple[IntArray, tuple[SuiteRater, ...]]:
    kind, identity = rows.kind.astype(object), rows.identity.astype(object)
    simulated = rows.simulated.fillna(False).astype(bool)
    saw = rows[SAW_LABELS].fillna(False).astype(bool) if SAW_LABELS in rows else False
    codes, keys = _codes(rows.rater.astype(object) + _BETWEEN + kind)
    of_row = {"code": codes, "slot": identity == "slot", "simulated": simulated, "saw": saw}
    first = pd.DataFrame(of_row).groupby("code").max()
    raters = []
    for code, key in enumerate(keys):
        name, kind_name = key.rsplit(_BETWEEN, 1)
        scorer = kind_name == "scorer"
        slot, imitation = bool(first.at[code, "slot"]), bool(first.at[code, "simulated"])
        raters.append(SuiteRater(name, scorer, not scorer and not slot, imitation, scorer and bool(first.at[code, "saw"])))
    return codes, tuple(raters)


def _aspect(name: str, scale: Scale, rows: pd.DataFrame, ratings: Ratings, reasons: tuple[str, ...]) -> Aspect:
    """Read the values on their scale, and mark rows without one (`no_value`) and a rater's later ones (`repeat`)."""
    values = read_values(scale, rows, ratings.valid)
    why = ratings.why.copy()
    absent = np.isnan(values.number) if scale.kind == "interval" else values.label < 0
    why[(why < 0) & absent] = reasons.index(NO_VALUE)
    counted = np.flatnonzero(why < 0)
    unit, rater = ratings.unit[counted], ratings.rater[counted]
    order = np.lexsort((np.arange(counted.size), rater, unit))
    again = (np.diff(unit[order]) == 0) & (np.diff(rater[order]) == 0)
    why[counted[order[1:][again]]] = reasons.index(REPEAT)
    if again.any() and scale.kind == "nominal":
        # a label that stands in repeats alone is none, too
        values = read_values(scale, rows, why < 0)
    columns = {column.name: getattr(ratings, column.name) for column in fields(ratings)}
    read = Ratings(**columns | {"label": values.label, "number": values.number, "why": why})
    return Aspect(name, values.measure, read, values.names)


@dataclass(frozen=True)
class ScaledValues:
    """An aspect's values on their scale: codes of labels, numbers, and the names behind the codes."""

    label: IntArray
    number: FloatArray
    measure: Measure
    names: tuple[str, ...]


def read_values(scale: Scale, rows: pd.DataFrame, valid: BoolArray) -> ScaledValues:
    number = np.array(pd.to_numeric(rows.number), dtype=float, copy=True)
    number[~np.isfinite(number)] = np.nan
    if scale.kind == "interval":
        return ScaledValues(np.full(len(rows), -1), number, Measure("interval", True, False, 0), ())
    codes, names = _codes(rows.label)
    if scale.levels is not None and scale.kind == "ordinal":
        label = _translate(codes, _level_codes(scale, names))
        values = np.array([scale.read(level).number for level in scale.levels] + [np.nan], float)
        ends = float(values[0]), float(values[-2])
        measure = Measure("ordinal", scale.numeric, False, len(scale.levels), ends)
        return ScaledValues(label, values[label], measure, scale.levels)
    words = [name.strip().casefold() for name in names]
    used = {words[code] for code in np.unique(codes[valid & (codes >= 0)])} or set(words)
    if scale.levels is not None:
        used = {level.casefold() for level in scale.levels}
    for yes, no in YES_NO_VOCABULARIES:
        if used and used <= {yes, no}:
            label = _translate(codes, [{yes: 1, no: 0}.get(word, -1) for word in words])
            values = np.where(label >= 0, label.astype(float), np.nan)
            return ScaledValues(label, values, Measure("nominal", False, True, 2), (no, yes))
    if scale.levels is not None:
        label = _translate(codes, _level_codes(scale, names))
        return ScaledValues(
            label, np.full(len(rows), np.nan), Measure("nominal", False, False, len(scale.levels)), scale.levels
        )
    # those that stand in no judgement that counts are no labels
    counting = [int(code) for code in np.unique(codes[valid & (codes >= 0)])] or list(range(len(names)))
    label = _translate(codes, [counting.index(code) if code in counting else -1 for code in range(len(names))])
    in_use = tuple(names[code] for code in counting)
    return ScaledValues(label, np.full(len(rows), np.nan), Measure("nominal", False, False, len(in_use)), in_use)


def _translate(codes: IntArray, new: list[int]) -> IntArray:
    return np.array([*new, -1], np.int64)[codes]


def _level_codes(scale: Scale, names: tuple[str, ...]) -> list[int]:
    levels = scale.levels or ()
    codes = []
    for name in names:
        try:
            codes.append(levels.index(scale.read(name).label or ""))
        except ScaleError:
            codes.append(-1)
    return codes
