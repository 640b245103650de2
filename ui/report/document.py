"""The report as a whole: which sections there are, in which order, and the data for machines.

The last few reports that were made for a page stay in memory, and can be fetched in every format.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from weakref import WeakKeyDictionary

from data.store.core.store import Store
from ui.report import methods, results, sample_failures
from ui.report.content import Document, ReportSection
from ui.report.material import Material

SECTIONS: tuple[Callable[[Material], ReportSection | None], ...] = (
    methods.selected,
    methods.recruitment_section,
    methods.raters,
    results.scores_section,
    results.among_people,
    results.against_people,
    results.by_certainty,
    results.confusions_section,
    results.scorers_compared,
    results.thresholds,
    results.matrix,
    sample_failures.samples_section,
    methods.definitions,
    methods.exclusions,
    methods.reproduction,
)
"""Another section is another function here; one that has nothing to say gives None."""


def document(material: Material) -> Document:
    """Everything that the report says."""
    sections = [section for make in SECTIONS if (section := make(material))]
    lead = f"{methods.selection_in_words(material)}. {material.made:%Y-%m-%d}, Concord {methods.concord_version()}."
    return Document(methods.title(material), lead, tuple(sections), data(material))


def data(material: Material) -> dict[str, Any]:
    """The report for machines: the rows of ``agreement --format json``, and what they were made from."""
    return {
        "made": material.made.isoformat(timespec="seconds"),
        "command": material.command,
        "versions": dict(methods.versions()),
        "rules": methods.rules(material),
        "seed": material.options.seed,
        "data": {"ratings": len(material.ratings), "sha256": material.sha256},
        "selection": material.selection.to_dict(),
        **material.rows,
        "confusions": [row for one in material.confusions for row in one.rows()],
        "curves": [row for one in material.curves for row in one.rows()],
        "recruitment": methods.as_rows(material.recruited),
        "samples": [{"item": one.item, "group": one.group} for one in material.samples],
    }


MOST_REPORTS: Final = 3


@dataclass(slots=True)
class _Shelf:
    """One project's reports by key, the oldest first."""

    made: OrderedDict[str, tuple[Document, Material]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_shelves: WeakKeyDictionary[Store, _Shelf] = WeakKeyDictionary()
_shelves_lock = threading.Lock()


def _shelf(store: Store) -> _Shelf:
    with _shelves_lock:
        return _shelves.setdefault(store, _Shelf())


def keep_report(store: Store, document: Document, material: Material) -> str:
    """Keep a report; returns its key. The oldest of more than MOST goes."""
    shelf, key = _shelf(store), secrets.token_hex(8)
    with shelf.lock:
        shelf.made[key] = (document, material)
        while len(shelf.made) > MOST_REPORTS:
            shelf.made.popitem(last=False)
    return key


def find_report(store: Store, key: str) -> tuple[Document, Material] | None:
    """A report by its key, None if it is gone."""
    shelf = _shelf(store)
    with shelf.lock:
        return shelf.made.get(key)
