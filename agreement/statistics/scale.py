"""Scales of measurement: what a raw cell may say and in which order its levels stand.

Scales are written `nominal`, `nominal:red|green|blue`, `ordinal:1-5`, `ordinal:low<mid<high` or `interval`. A range of levels
goes up by ones, or by the step behind a second colon: half stars are `ordinal:0.5-5:0.5`. Either end may be negative:
`ordinal:-2-2`. The order of labelled levels is the order in which they are written, never the alphabet's. The labels of a
nominal scale need not be named; what is used of it is the scale then.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Kind = Literal["nominal", "ordinal", "interval"]
# Each pair is (the label that counts as 1, the label that counts as 0).
YES_NO_VOCABULARIES: tuple[tuple[str, str], ...] = (("yes", "no"), ("true", "false"), ("1", "0"))
_YES_NO = {word: float(1 - index) for pair in YES_NO_VOCABULARIES for index, word in enumerate(pair)}
_NUMBER = r"-?\d{1,6}(?:\.\d{1,3})?"
_RANGE = re.compile(rf"({_NUMBER})\s*-\s*({_NUMBER})(?:\s*:\s*({_NUMBER}))?", re.ASCII)


class ScaleError(ValueError):
    """A scale that cannot be read, or a value that is not on its scale."""


@dataclass(frozen=True)
class ScaleValue:
    """One cell read on its scale: the label as it is compared, and the number that means and correlations use."""

    label: str | None
    number: float | None


@dataclass(frozen=True)
class Scale:
    """A scale of measurement.

    Attributes:
        kind: `nominal`, `ordinal` or `interval`.
        levels: the labels of an ordinal scale, lowest first, or those that a nominal scale names; None for any others.
        numeric: whether the values are numbers in their own right (`ordinal:1-5`, `ordinal:-2-2`, `interval`).
    """

    kind: Kind
    levels: tuple[str, ...] | None
    numeric: bool

    @classmethod
    def parse(cls, text: str) -> Scale:
        """Read a scale; ScaleError says what was expected."""
        written = text.strip()
        if written == "nominal":
            return cls("nominal", None, False)
        if written.startswith("nominal:"):
            return cls("nominal", _labels(written.removeprefix("nominal:").strip(), text, "nominal", "|"), False)
        if written == "interval":
            return cls("interval", None, True)
        if not written.startswith("ordinal:"):
            raise ScaleError(
                "a scale is nominal, nominal:red|green, ordinal:1-5, ordinal:0.5-5:0.5, ordinal:low<mid<high or interval,"
                f" not {_quoted(text)}"
            )
        body = written.removeprefix("ordinal:").strip()
        if "<" in body:
            return cls("ordinal", _labels(body, text, "ordinal", "<"), False)
        return cls("ordinal", _range(body, text), True)

    def __str__(self) -> str:
        if self.levels is None:
            return self.kind
        if self.kind == "nominal":
            return "nominal:" + "|".join(self.levels)
        if not self.numeric:
            return "ordinal:" + "<".join(self.levels)
        step = Decimal(self.levels[1]) - Decimal(self.levels[0])
        return f"ordinal:{self.levels[0]}-{self.levels[-1]}" + ("" if step == 1 else f":{step}")

    def read(self, text: str) -> ScaleValue:
        """Read one raw cell; ScaleError if it is not on the scale.

        A level of `ordinal:1-5` may be written 3 or 3.0; a labelled level's number is its rank, counted from 1; a
        nominal yes/no (true/false, 1/0) has the number 1 or 0; an interval value has no label.
        """
        words = text.strip()
        if not words:
            raise ScaleError(f"an empty cell is not a value on the scale {_short(str(self))}")
        if self.kind == "nominal":
            if words not in (self.levels or (words,)):
                raise self._refusal(words)
            return ScaleValue(words, _YES_NO.get(words.casefold()))
        if self.kind == "interval":
            return ScaleValue(None, self._number(words))
        return self._level(words)

    def _refusal(self, words: str) -> ScaleError:
        return ScaleError(
            f"the scale {_short(str(self))} expects one of {_short(', '.join(self.levels or ()))}, not {_quoted(words)}"
        )

    def _number(self, words: str) -> float:
        try:
            number = float(words)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise ScaleError(f"the scale {_short(str(self))} expects a finite number, not {_quoted(words)}")
        return number

    def _level(self, words: str) -> ScaleValue:
        levels = self.levels or ()
        label = words
        if self.numeric:
            # as levels are written; adding 0 takes the sign off -0
            label = f"{self._number(words) + 0.0:.12g}"
        if label not in levels:
            raise self._refusal(words)
        return ScaleValue(label, float(label) if self.numeric else float(levels.index(label) + 1))


def _quoted(text: str) -> str:
    """Quoted, and not longer than can be read."""
    return _short(repr(text), 60)


def _short(text: str, longest: int = 120) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _range(body: str, text: str) -> tuple[str, ...]:
    match = _RANGE.fullmatch(body)
    if not match:
        raise ScaleError(
            "an ordinal scale is ordinal:1-5 (lowest-highest), ordinal:0.5-5:0.5 (with a step) or ordinal:low<mid<high,"
            f" not {_quoted(text)}"
        )
    low, high, step = Decimal(match[1]), Decimal(match[2]), Decimal(match[3] or 1)
    if low >= high:
        raise ScaleError(
            f"an ordinal range goes from its lowest to its highest level and has at least two, not {_quoted(text)}"
        )
    if match[3] is None and (low % 1 or high % 1):
        raise ScaleError(f"levels that are not whole numbers need a step, as in ordinal:0.5-5:0.5; {_quoted(text)} has none")
    if step <= 0 or (high - low) % step:
        raise ScaleError(f"the step of an ordinal scale leads from its lowest level to its highest, not as in {_quoted(text)}")
    if (high - low) / step >= 1000:
        raise ScaleError(f"an ordinal scale has at most 1000 levels; for {_quoted(text)} use interval")
    return tuple(f"{(low + n * step).normalize():f}" for n in range(int((high - low) / step) + 1))


def _labels(body: str, text: str, kind: Kind, between: str) -> tuple[str, ...]:
    levels = tuple(level.strip() for level in body.split(between))
    if not all(levels):
        raise ScaleError(f"every level of a scale has a name, as in {kind}:low{between}high; {_quoted(text)} has an empty one")
    if len(set(levels)) != len(levels):
        raise ScaleError(f"every level of a scale may occur only once; {_quoted(text)} repeats one")
    return levels


def with_labels(scale: str, labels: Sequence[str]) -> str:
    """A scale as it is written, with the labels that are used where a nominal one names none.

    Yes and no (and true and false, 1 and 0) are known without, and labels with a `|` cannot be written.
    """
    if scale != "nominal" or not labels or any("|" in label or label != label.strip() for label in labels):
        return scale
    words = {label.casefold() for label in labels}
    return scale if any(words <= {*pair} for pair in YES_NO_VOCABULARIES) else str(Scale("nominal", tuple(labels), False))
