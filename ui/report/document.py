"""The report as a whole: which sections there are, in which order, and the data for machines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ui.report import crossed, failures, making, numbers, recruited, scores, who
from ui.report.content import Document, Section
from ui.report.material import Material

SECTIONS: tuple[Callable[[Material], Section | None], ...] = (
    who.selected,
    recruited.section,
    who.judges,
    scores.section,
    numbers.among_people,
    numbers.against_people,
    numbers.by_certainty,
    crossed.section,
    numbers.scorers_compared,
    numbers.thresholds,
    numbers.matrix,
    failures.section,
    making.definitions,
    who.exclusions,
    making.made,
)
"""Another section is another function here; one that has nothing to say gives None."""


def document(material: Material) -> Document:
    """Everything that the report says."""
    sections = [section for make in SECTIONS if (section := make(material))]
    lead = f"{who.said_in_words(material)}. {material.made:%Y-%m-%d}, Concord {making.concord_version()}."
    return Document(who.title(material), lead, tuple(sections), data(material))


def data(material: Material) -> dict[str, Any]:
    """The report for machines: the rows of ``agreement --format json``, and what they were made from."""
    return {
        "made": material.made.isoformat(timespec="seconds"),
        "command": material.command,
        "versions": dict(making.versions()),
        "rules": making.rules(material),
        "seed": material.options.seed,
        "data": {"ratings": len(material.ratings), "sha256": material.sha256},
        "selection": material.selection.to_dict(),
        **material.rows,
        "confusions": [row for one in material.confusions for row in one.rows()],
        "curves": [row for one in material.curves for row in one.rows()],
        "recruitment": recruited.as_rows(material.recruited),
        "samples": [{"item": one.item, "group": one.group} for one in material.samples],
    }
