"""Printed numbers of a study beside ours: verdict, digits, n and interval; as a table, Markdown or JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from agreement import Options
from agreement.estimate import Estimate
from concord import agreement
from concord.common import reason_sentences
from concord.common.table import Field, Table, field, table_of
from concord.common.text_tables import aligned, interval
from concord.common.text_tables import markdown as markdown_table
from data.aspects import Scales
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store
from data.studies.printed_numbers import ALL, PrintedNumber, PublishedStudy

Verdict = Literal["same", "different", "not_determined"]
NOT_DETERMINED: Verdict = "not_determined"

Prepared = tuple[pd.DataFrame, Scales]
Prepare = Callable[[Store, pd.DataFrame, Scales], Prepared]
"""Adds to a study's judgements what its paper computes from them before anything else."""


@dataclass(frozen=True, slots=True)
class ComparedNumber:
    """A printed number and ours.

    Attributes:
        over: the generators that ours is over; all that the paper means, unless the verdict is "not_determined".
        value: ours, as `agreement` gives it, None where it has none.
        rounded: ours in the printed number's unit and digits, None where it is not to be set against that.
        beside: what is shown beside it, by name.
        reason: why the verdict is not "same".
        low, high: 95 % interval of ours, by prompt; None where there is none.
    """

    number: PrintedNumber
    over: tuple[str, ...]
    value: float | None
    rounded: str | None
    beside: Mapping[str, float | None]
    n_items: int
    n_ratings: int
    verdict: Verdict
    reason: str
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """The number of a study's printed numbers with each verdict."""

    same: int
    different: int
    not_determined: int

    @property
    def total(self) -> int:
        """The number of all printed numbers."""
        return self.same + self.different + self.not_determined

    @classmethod
    def of(cls, lines: Iterable[ComparedNumber]) -> VerdictCounts:
        """Count the verdicts of these numbers."""
        verdicts = [line.verdict for line in lines]
        return cls(*(verdicts.count(verdict) for verdict in ("same", "different", NOT_DETERMINED)))


def compare(store: Store, study: PublishedStudy, prepare: Prepare | None = None) -> list[ComparedNumber]:
    """Every printed number of a study beside what the answers in a store give, in the order of the data file."""
    wanted = {name for number in study.numbers for name in (number.statistic, *number.beside)}
    selection = Selection(suite=(study.suite,), generator=tuple(study.sources))
    judgements, scales = frame.frame(store, selection), agreement.scales_of(store)
    if prepare is not None:
        judgements, scales = prepare(store, judgements, scales)
    options = Options(statistics=tuple(sorted(wanted)), intervals=True, matrix=False)
    rows = agreement.rows_of(judgements, scales, selection, options)
    computed = {
        (row.aspect, row.generator, row.task, row.rater or None, row.statistic): row
        for row in (*rows.among_people, *rows.raters)
        if row.people == "real"
    }
    images = judgements[["generator", "prompt"]].drop_duplicates()
    prompts = {str(generator): int(count) for generator, count in images["generator"].value_counts().items()}
    prompts[ALL] = int(images["prompt"].nunique())

    def line(number: PrintedNumber) -> ComparedNumber:
        wanted = tuple(study.sources) if number.generator == ALL else (number.generator,)
        over = tuple(name for name in wanted if name in prompts)
        missing = [name for name in wanted if name not in over]
        where = (number.aspect or study.aspect, number.generator, number.task, number.rater)
        beside = {name: found.value if (found := computed.get((*where, name))) else None for name in number.beside}
        row = computed.get((*where, number.statistic))
        value = None if row is None else _quantity(number, row, prompts)
        rounded = None if value is None or missing else rounding(number, value)
        if missing:
            verdict, reason = NOT_DETERMINED, f"no {' and no '.join(missing)} in these data"
        elif row is None:
            verdict, reason = NOT_DETERMINED, "these data hold nothing to compute it from"
        else:
            verdict, reason = verdict_of(number, rounded, reason_sentences.text_or_none(row.reason) or "")
        n_items, n_ratings = (0, 0) if row is None else (row.n_items, row.n_ratings)
        bounds = (None, None) if row is None or number.quantity != "value" else (row.low, row.high)
        return ComparedNumber(number, over, value, rounded, beside, n_items, n_ratings, verdict, reason, *bounds)

    return [line(number) for number in study.numbers]


def _quantity(number: PrintedNumber, row: Estimate, prompts: Mapping[str, int]) -> float | None:
    """What is printed of a row of ``agreement``; ``prompts``: how many each generator has."""
    if row.value is None:
        return None
    values = {
        "value": row.value,
        "items": row.n_items,
        "items_with": round(row.value * row.n_items),
        "ratings": row.n_ratings,
        "ratings_per_item": row.n_ratings / row.n_items,
        "prompts": prompts[number.generator],
    }
    return float(values[number.quantity])


def compared(
    number: PrintedNumber,
    over: Iterable[str],
    estimate: Estimate,
    beside: Mapping[str, float | None],
    n_items: int,
    n_ratings: int,
) -> ComparedNumber:
    """A printed number beside an estimate that is not one of the report's."""
    rounded = None if estimate.value is None else rounding(number, estimate.value)
    verdict, reason = verdict_of(number, rounded, reason_sentences.text_or_none(estimate.reason) or "")
    made = (tuple(over), estimate.value, rounded, beside, n_items, n_ratings, verdict, reason)
    return ComparedNumber(number, *made, estimate.low, estimate.high)


def undetermined(number: PrintedNumber, reason: str, over: Iterable[str] = ()) -> ComparedNumber:
    """A printed number that these data do not decide."""
    return ComparedNumber(number, tuple(over), None, None, {}, 0, 0, NOT_DETERMINED, reason)


def verdict_of(number: PrintedNumber, rounded: str | None, reason: str = "") -> tuple[Verdict, str]:
    """Whether ours, in the printed number's digits, is the printed one, and why not; ``reason``: why there is none."""
    if rounded is None:
        return "different", reason
    if rounded == number.printed.replace(",", ""):
        return "same", ""
    return "different", number.if_different or "why is not known"


def table(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> str:
    """Aligned columns for a terminal, then what else there is to say."""
    return "\n".join([study.paper, "", *aligned(_numbers(study, lines)), "", *_remarks(study, lines)])


def markdown(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> str:
    """The same as a Markdown table and a list."""
    table_lines = markdown_table(_numbers(study, lines))
    return "\n".join([f"## {study.paper}", "", *table_lines, "", *(f"- {line}" for line in _remarks(study, lines))])


def as_json(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> str:
    """One document: ``paper``, ``numbers`` (a row each), ``notes``, ``not_determined`` (beyond those of ``numbers``)."""
    document = {
        "paper": study.paper,
        "numbers": [_row(study, line) for line in lines],
        "notes": list(study.notes),
        "not_determined": [{"what": item.what, "where": item.where, "reason": item.why} for item in study.open],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)


FORMATS: Mapping[str, Callable[[PublishedStudy, Sequence[ComparedNumber]], str]] = {
    "table": table,
    "md": markdown,
    "json": as_json,
}


def _row(study: PublishedStudy, line: ComparedNumber) -> dict[str, Any]:
    number = line.number
    return {
        "called": number.called, "where": number.where, "printed": number.printed, "percent": number.percent,
        "suite": study.suite, "aspect": number.aspect or study.aspect, "generator": number.generator, "task": number.task,
        "rater": number.rater, "statistic": number.statistic, "quantity": number.quantity,
        "value": line.value, "low": line.low, "high": line.high,
        "rounded": line.rounded, "n_items": line.n_items, "n_ratings": line.n_ratings,
        "over": list(line.over), "beside": dict(line.beside), "verdict": line.verdict, "reason": line.reason or None,
    }  # fmt: skip


def _numbers(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> Table:
    """Return a row for each line; what stands beside a number has a column where there is any."""
    fields: list[Field[ComparedNumber]] = [
        field("in the paper", lambda line: line.number.where),
        field("called there", lambda line: line.number.called),
        field("what it is", _kind),
        field("of", lambda line: _scope_of(study, line)),
        field("printed", lambda line: line.number.printed),
        field("ours", lambda line: line.rounded or "-"),
        field("in full", lambda line: "-" if line.value is None else repr(line.value).removesuffix(".0")),
        field("95 % interval", lambda line: interval(line.low, line.high)),
        field("items", lambda line: None if line.value is None else line.n_items),
        field("ratings", lambda line: None if line.value is None else line.n_ratings),
        field("verdict", lambda line: line.verdict.replace("_", " ")),
    ]
    if any(line.beside for line in lines):
        fields.append(field("beside it", _beside))
    return table_of(study.paper, fields, lines)


def _kind(line: ComparedNumber) -> str:
    number = line.number
    labels = {"value": number.statistic, "items_with": f"{number.statistic} x items"}
    return labels.get(number.quantity, number.quantity.replace("_", " "))


def _beside(line: ComparedNumber) -> str:
    return "; ".join(
        f"{name} -" if value is None else f"{name} {rounding(line.number, value)} ({value:z.6f})"
        for name, value in line.beside.items()
    )


def _scope_of(study: PublishedStudy, line: ComparedNumber) -> str:
    number = line.number
    pooled = ALL if len(line.over) == len(study.sources) else "+".join(line.over) or "-"
    who = number.rater or (number.generator if number.generator != ALL else pooled)
    return f"{who}, {number.task}" if number.task != ALL else who


def rounding(number: PrintedNumber, value: float) -> str:
    """A value in the unit and digits of the printed number. Half a unit may be rounded either way: as printed, if so."""
    printed = number.printed.replace(",", "")
    digits = len(printed.partition(".")[2])
    shown = 100 * value if number.percent else value
    either_way = abs(shown - float(printed)) <= 0.5 * 10**-digits + 1e-9
    return printed if either_way else f"{shown:z.{digits}f}"


def _remarks(study: PublishedStudy, lines: Sequence[ComparedNumber]) -> list[str]:
    """How to read the numbers, what differs and why, and what the data do not determine."""
    different = [_difference(line) for line in lines if line.verdict == "different"]
    open_lines = [line for line in lines if line.verdict == "not_determined"]
    reasons = Counter(line.reason for line in open_lines)
    undetermined = [f"Not determined: {count} of the above: {reason}." for reason, count in reasons.items()]
    if any(line.value is not None for line in open_lines):
        undetermined.append("What stands in full beside these is ours over what there is.")
    beyond = [f"Not determined: {item.what} ({item.where}): {item.why}." for item in study.open]
    counts = VerdictCounts.of(lines)
    count = f"Same {counts.same}, different {counts.different}, not determined {counts.not_determined}."
    return [*study.notes, *different, *undetermined, *beyond, count]


def _difference(line: ComparedNumber) -> str:
    number = line.number
    ours = "undefined" if line.rounded is None else line.rounded
    return f"Different: {number.called} ({number.where}): printed {number.printed}, ours {ours}: {line.reason}."
