"""The reports that somebody has made while the app is open: made by a thread each, and kept in memory to be downloaded."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final
from weakref import WeakKeyDictionary

from concord.common import wording
from concord.common.context import CommandError
from concord.exporting import why_no_ratings
from concord.open_project import OpenProject
from concord.reporting.material import Material, gather
from data.selection import Selection
from ui.report.document import document
from ui.report.export import export_command
from ui.report.formats import FormatName
from ui.report.sections import Document

MOST_REPORTS: Final = 3
"""So many are kept; the oldest goes."""


@dataclass(slots=True)
class MadeReport:
    """A report that was asked for.

    Attributes:
        key: its name in addresses.
        selection, seed, parts, formats: what was asked for.
        command: makes it again.
        begun: when.
        step, share: what is being done, and how much of the whole is done, 0 to 1.
        error: why it could not be made; empty otherwise.
        document, material: once it is made.
    """

    key: str
    selection: Selection
    seed: int
    parts: tuple[str, ...]
    formats: tuple[FormatName, ...]
    command: str
    begun: datetime
    step: str = "reading the judgements"
    share: float = 0.0
    error: str = ""
    document: Document | None = field(default=None, repr=False)
    material: Material | None = field(default=None, repr=False)

    @property
    def is_made(self) -> bool:
        """Return True if it can be downloaded."""
        return self.document is not None


_reports: WeakKeyDictionary[OpenProject, list[MadeReport]] = WeakKeyDictionary()
"""Each project's reports, the newest first."""
_lock = threading.Lock()


def reports(store: OpenProject) -> Sequence[MadeReport]:
    """Return the reports that are being made, were made or failed, the newest first."""
    with _lock:
        return tuple(_reports.get(store, ()))


def report_of(store: OpenProject, key: str) -> MadeReport | None:
    """Return a report by its key; None if it is gone."""
    return next((each for each in reports(store) if each.key == key), None)


def begin_report(
    store: OpenProject, selection: Selection, seed: int, parts: tuple[str, ...], formats: tuple[FormatName, ...]
) -> MadeReport:
    """Begin to make a report, and return it as it is now."""
    command = export_command(store, selection, "html", "report.html", seed, parts)
    report = MadeReport(secrets.token_hex(8), selection, seed, parts, formats, command, datetime.now(UTC))
    with _lock:
        # replaced, never changed: other threads may be reading it
        _reports[store] = [report, *_reports.get(store, ())][:MOST_REPORTS]
    threading.Thread(target=_make, args=(store, report), name="report", daemon=True).start()
    return report


def _make(store: OpenProject, report: MadeReport) -> None:
    def tell(step: str, share: float) -> None:
        report.step, report.share = step, share

    try:
        material = gather(store, report.selection, report.seed, report.command, tell)
        if material.ratings.empty:
            raise CommandError(why_no_ratings(material.judgements))
        report.material, report.document = material, document(material, report.parts)
    except Exception as error:
        report.error = wording.sentence(error)
