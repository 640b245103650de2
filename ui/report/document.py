"""A report's contents: its sections in their order, the parts that a reader may leave out, and the same for machines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from concord.common.estimate_json import finding_json
from concord.reporting.first_page import FirstPage
from concord.reporting.material import Material
from data.selection import Selection
from data.version import concord_version
from ui.report import (
    html,
    sample_failures,
    sections_meta,
    sections_methods,
    sections_results,
    sections_suite_metrics,
    sections_summary,
)
from ui.report.formats import PARTS, PartName
from ui.report.sections import Document, ReportSection

_MakeSection = Callable[[Material], ReportSection | None]
SECTIONS: Final[tuple[tuple[PartName, _MakeSection], ...]] = (
    ("generators", sections_results.generators_section),
    ("generators", sections_suite_metrics.suite_metrics_section),
    ("generators", sections_meta.estimates_section),
    ("scorers", sections_meta.scorers_section),
    ("scorers", partial(sections_results.comparison, "raters")),
    ("people", partial(sections_results.comparison, "among_people")),
    ("people", sections_meta.precision_section),
    ("scorers", partial(sections_results.comparison, "by_certainty")),
    ("scorers", sections_results.confusions_section),
    *(("scorers", partial(sections_results.comparison, name)) for name in ("comparisons", "thresholds", "matrix")),
    ("failures", sample_failures.samples_section),
    ("methods", sections_methods.selected),
    ("people", sections_methods.recruitment_section),
    ("methods", sections_methods.raters),
    ("methods", sections_methods.definitions),
    ("methods", sections_methods.exclusions),
    ("methods", sections_methods.reproduction),
)  # fmt: skip
"""The sections behind the first page with the part that each belongs to; a maker that has nothing to say gives None."""


def document(material: Material, parts: Collection[str] = ()) -> Document:
    """Return all that a report says.

    Args:
        material: what it is made of.
        parts: names of `PARTS`; none means all of them. The first page, and the data for machines, are always whole.
    """
    kept = parts or PARTS
    made = [section for part, make in SECTIONS if part in kept and (section := make(material))]
    if "numbers" not in kept:
        made = [shown for section in made if (shown := _unfolded(section))]
    first = sections_summary.first_sections(material.first, material.pictures)
    title, lead = _heading(material.first, material.project, material.selection, material.made)
    return Document(title, lead, (*first, *made), data(material))


def first_page_html(page: FirstPage, pictures: Mapping[str, str]) -> str:
    """Return the first page of the report that would be made now, with the style of a report.

    Args:
        page: what it says.
        pictures: addresses of pictures by image.
    """
    title, lead = _heading(page, page.project, page.selection, datetime.now(UTC))
    sections = sections_summary.first_sections(page, pictures)
    return html.part_html(Document(title, lead, sections, {}))


def _heading(page: FirstPage | None, project: str, selection: Selection, made: datetime) -> tuple[str, str]:
    """Return a report's title, and the lines beneath it."""
    about = [sections_summary.basis(page)] if page else []
    about += [sections_methods.selection_in_words(selection), f"{made:%-d %B %Y}, Concord {concord_version()}"]
    return sections_summary.title(page, project, selection.certainty), f"{'. '.join(about)}."


def _unfolded(section: ReportSection) -> ReportSection | None:
    """Return a section without its folded tables; None if it held nothing else."""
    shown = tuple(table for table in section.tables if not table.folded)
    if section.tables and not shown and not section.figures:
        return None
    return replace(section, tables=shown)


def data(material: Material) -> dict[str, Any]:
    """The report for machines: the rows of ``agreement --format json``, and what they were made from."""
    return {
        "made": material.made.isoformat(timespec="seconds"),
        "command": material.command,
        "versions": dict(sections_methods.versions()),
        "rules": sections_methods.rules(material),
        "seed": material.options.seed,
        "data": {"ratings": len(material.ratings), "sha256": material.sha256},
        "selection": material.selection.to_dict(),
        **material.rows.to_json(),
        "confusions": [row for confusion in material.confusions for row in confusion.rows()],
        "curves": [row for curve in material.curves for row in curve.rows()],
        "recruitment": sections_methods.as_rows(material.recruited),
        "samples": [{"item": sample.item, "group": sample.group} for sample in material.samples],
        **{name: [finding_json(row) for row in rows] for name, rows in material.findings.items()},
    }
