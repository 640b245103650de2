"""Judging again in memory: one scorer's evidence of many images, by any settings of judging, as often as a slider moves.

The rules are the scorer's own. What saves time is that a verdict stays what it was until a knob crosses one of the numbers in
an image's evidence that it is compared with (``Knob.edges``), so each image is judged once between any two of these.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from data.jobs.runs import Observation
from data.spec import Spec
from scorers.base import Scorer, Settings

Verdicts = NDArray[np.int64]
"""1 (correct), 0, or -1 (left open)."""
_MOST_KEPT: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class ImageEvidence:
    """One image's evidence, and what its prompt asks for."""

    item_id: str
    spec: Spec
    seen: Observation


@dataclass(frozen=True, slots=True)
class Sweep:
    """Verdicts along one setting.

    Attributes:
        at: (values,) of the setting, ascending.
        rows: positions of the images whose prompts it applies to; ``said``: (values, rows) their verdicts.
    """

    at: NDArray[np.float64]
    rows: NDArray[np.int64]
    said: Verdicts


@dataclass(frozen=True, slots=True)
class _ActiveKnob:
    """A knob that can change an image's verdict, and the distinct numbers that it is compared with, ascending (None: any)."""

    name: str
    edges: tuple[float, ...] | None

    def interval_of(self, value: Any) -> Hashable:
        """Equal for values between which it makes no difference."""
        if self.edges is None:
            return value  # type: ignore[no-any-return]
        return bisect_left(self.edges, value) + bisect_right(self.edges, value)

    def stretches(self, values: NDArray[np.float64]) -> list[tuple[int, int]]:
        """(first, after) of ascending values between which it makes no difference."""
        if self.edges is None:
            return [(k, k + 1) for k in range(values.size)]
        left, right = (np.searchsorted(self.edges, values, side) for side in ("left", "right"))
        ends = (np.flatnonzero(np.diff(left + right)) + 1).tolist()
        return list(zip([0, *ends], [*ends, values.size], strict=True))


@dataclass(frozen=True, slots=True)
class _LastSweep:
    """A sweep as it was last made.

    Attributes:
        at: the values.
        stretches: of each of its rows.
        others: of each row, where the other knobs stood.
        said: (values, rows).
    """

    at: tuple[float, ...]
    stretches: list[list[tuple[int, int]]]
    others: list[Hashable]
    said: Verdicts


class Rejudger:
    """Evidence that can be judged again. Thread-safe: two threads at worst judge the same image twice."""

    def __init__(self, scorer: Scorer, cases: Sequence[ImageEvidence], settings: Settings) -> None:
        """``settings`` are those of the run; what is not turned stays as it is there."""
        self.scorer, self.cases = scorer, tuple(cases)
        self.settings: Settings = {name: knob.default for name, knob in scorer.knobs.items()} | dict(settings)
        self._turns = [self._turns_of(case) for case in self.cases]
        self._rows = {
            name: [k for k, case in enumerate(self.cases) if knob.applies(case.spec)] for name, knob in scorer.knobs.items()
        }
        self._known: list[dict[Hashable, int]] = [{} for _ in self.cases]
        self._kept = 0
        self._swept: dict[str, _LastSweep] = {}

    def correct(self, turned: Mapping[str, Any]) -> Verdicts:
        """Whether each image is correct with these knobs turned.

        Raises:
            ValueError: a setting is out of range.
        """
        settings = self.turned(turned)
        return np.array([self._verdict(k, settings) for k in range(len(self.cases))], np.int64)

    def sweep(self, name: str, at: Sequence[float], turned: Mapping[str, Any]) -> Sweep:
        """The verdicts at each value of one knob (ascending), the others turned so.

        Raises:
            ValueError: a setting is out of range.
        """
        settings = self.turned({**turned, name: at[0]})
        self.turned({**turned, name: at[-1]})
        rows, values = self._rows[name], np.asarray(at, np.float64)
        before = self._swept.get(name)
        if before is None or before.at != tuple(at):
            turns = [next((turn for turn in self._turns[k] if turn.name == name), None) for k in rows]
            stretches = [[(0, values.size)] if turn is None else turn.stretches(values) for turn in turns]
            before = _LastSweep(tuple(at), stretches, [None] * len(rows), np.empty((values.size, len(rows)), np.int64))
        others: list[Hashable] = [
            tuple([turn.interval_of(settings[turn.name]) for turn in self._turns[k] if turn.name != name]) for k in rows
        ]
        verdicts = before.said.copy()
        for column, k in enumerate(rows):
            if others[column] != before.others[column]:
                for first, after in before.stretches[column]:
                    settings[name] = at[first]
                    verdicts[first:after, column] = self._verdict(k, settings)
        self._swept[name] = _LastSweep(before.at, before.stretches, others, verdicts)
        return Sweep(values, np.array(rows, np.int64), verdicts)

    def turned(self, turned: Mapping[str, Any]) -> dict[str, Any]:
        """All settings with these knobs turned. What concerns perceiving is not looked at: it was done.

        Raises:
            ValueError: one is out of range, or what it asks for was not kept.
        """
        settings = {**self.settings, **turned}
        keep = settings.get("keep", 0)
        for name, knob in self.scorer.knobs.items():
            if knob.confidence and settings[name] < keep:
                raise ValueError(f"{name} must be at least {keep:g}, below which nothing was stored, got {settings[name]:g}")
        # the rules look at their numbers whatever the image
        self.scorer.judge(Spec(), Observation(""), settings)
        return settings

    def _turns_of(self, case: ImageEvidence) -> tuple[_ActiveKnob, ...]:
        turns = []
        for name, knob in self.scorer.knobs.items():
            edges = knob.edges(case.spec, case.seen) if knob.applies(case.spec) else ()
            if edges is None or edges:
                turns.append(_ActiveKnob(name, None if edges is None else tuple(sorted(set(edges)))))
        return tuple(turns)

    def _verdict(self, k: int, settings: Settings) -> int:
        known = self._known[k]
        key = tuple([turn.interval_of(settings[turn.name]) for turn in self._turns[k]])
        verdict = known.get(key)
        if verdict is None:
            if self._kept > _MOST_KEPT:
                self._kept = 0
                for verdicts in self._known:
                    verdicts.clear()
            correct = self.scorer.judge(self.cases[k].spec, self.cases[k].seen, settings).correct
            verdict = known[key] = -1 if correct is None else int(correct)
            self._kept += 1
        return verdict
