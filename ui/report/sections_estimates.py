"""The section of estimates by people's standard: each generator from few labels and the scorers' verdicts."""

from __future__ import annotations

from typing import Any, Final

from agreement.meta.estimates import EstimateOptions
from agreement.study.cells import ALL
from concord.common import wording
from concord.meta.estimates import estimate
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.report.sections import Heading, Material, ReportCell, ReportSection, ReportTable, Row, by_topic, generator

NAME: Final = "estimates"
_LEAD: Final = (
    "What people would say on average of all images, had they labelled them: from the labels that a campaign drew by chance and"
    " each scorer’s verdicts of all images (prediction-powered, for new prompts of this kind). Beneath stands its 95 %"
    " interval. Labels saved: so many more labels alone would have an interval as narrow."
)


def rows_of(store: Store, selection: Selection) -> list[dict[str, Any]]:
    """Rows of `estimate` where something is estimated; none of a selection by target or certainty."""
    if selection.target or selection.certainty:
        return []
    findings = estimate(store, selection, EstimateOptions())
    return [row.to_dict() for row in findings if row.value is not None and row.n_unlabelled]


def estimates_section(material: Material) -> ReportSection | None:
    """A table for each suite, aspect and kind of people: a line for each generator and scorer."""
    rows = [row for row in material.rows.get(NAME, []) if row["task"] == ALL]
    if not rows:
        return None
    headings = (
        Heading("Generator", number=False),
        Heading("Scorer", number=False),
        *map(Heading, ("Estimate", "Labels alone", "Scorer’s mean", "Labels", "Other images", "λ", "Labels saved")),
    )
    tables = [ReportTable(caption, headings, tuple(map(_line, part)), 2) for caption, part in by_topic(rows)]
    return ReportSection("Estimates by people’s standard", (_LEAD,), tables=tuple(tables))


def _line(row: Row) -> tuple[ReportCell, ...]:
    saved = row["labels_saved"]
    return (
        ReportCell(generator(row)),
        ReportCell(row["scorer"]),
        _number(row["value"], _range(row["low"], row["high"]), row["method"]),
        _number(row["labels_mean"], _range(row["labels_low"], row["labels_high"])),
        _number(row["scorer_mean"], "" if row["on_scale"] else "on its own scale"),
        ReportCell(f"{row['n_labelled']:,}"),
        ReportCell(f"{row['n_unlabelled']:,}"),
        _number(row["lambda"]),
        ReportCell("–" if saved is None else f"{saved:,.0f}", exact=saved),
    )


def _number(value: float | None, detail: str = "", how: str = "") -> ReportCell:
    if value is None:
        return ReportCell("–")
    return ReportCell(wording.two(value), (detail,) if detail else (), how, value)


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{wording.two(low)} to {wording.two(high)}"
