"""The formats of a report and its parts: names, file endings and what each is good for. `export.WRITERS` makes formats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

FormatName = Literal["html", "md", "pdf", "latex", "csv", "parquet"]
PartName = Literal["generators", "scorers", "people", "failures", "numbers", "methods"]
PARTS: Final[Mapping[PartName, tuple[str, str]]] = {
    "generators": ("Generators", "means, ranks, by task"),
    "scorers": ("Scorers beside people", "what each may be used for, agreement"),
    "people": ("People", "agreement, how they were asked"),
    "failures": ("Failures", "images on which a scorer and people differ"),
    "numbers": ("All numbers", "every table with intervals, in HTML"),
    "methods": ("How to make it again", "definitions, versions, command"),
}
"""What a report holds besides its first page, by name: its title, and what it is."""


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format of a report.

    Attributes:
        title, description: on the page.
        media_type: of its file.
        suffix: the ending of its file.
        endings: other endings of files that mean this format.
    """

    title: str
    description: str
    media_type: str
    suffix: str
    endings: tuple[str, ...] = ()

    @property
    def is_zip(self) -> bool:
        """Return True if it is a zip of tables."""
        return self.suffix == "zip"


FORMATS: Final[Mapping[FormatName, ReportFormat]] = {
    "html": ReportFormat(
        "HTML",
        "one file for the browser, with figures and pictures; works without a network",
        "text/html; charset=utf-8",
        "html",
        ("htm",),
    ),
    "pdf": ReportFormat(
        "PDF", "the same on paper, A4; printed by Chromium, which takes some seconds", "application/pdf", "pdf"
    ),
    "md": ReportFormat("Markdown", "tables and texts", "text/markdown; charset=utf-8", "md", ("markdown",)),
    "latex": ReportFormat("LaTeX", "tables in booktabs, for pdflatex", "application/x-tex; charset=utf-8", "tex", ("latex",)),
    "csv": ReportFormat(
        "CSV", "a zip of all tables behind it, with a README of their columns", "application/zip", "zip", ("csv",)
    ),
    "parquet": ReportFormat("Parquet", "the same tables with types", "application/zip", "zip", ("parquet",)),
}


def format_of_ending(ending: str) -> FormatName | None:
    """Return the format that a file's ending means, the first one if several share it; None for another ending."""
    return next((name for name, each in FORMATS.items() if ending in (each.suffix, *each.endings)), None)
