"""Imports: all or nothing, remembered, and reversible.

A bundle may bring runs that scorers made elsewhere, and what was exported and comes back as it was (whole answers with the
campaigns and questions that they were about). An import that others depend on stays.
"""

from data.store.imports.bundle import ImportBundle, Imported, ImportedRun, apply
from data.store.imports.inserts import (
    ImportRefused,
    insert_import,
    insert_items,
    insert_members,
    insert_raters,
    insert_run,
    insert_scales,
    public_id,
)
from data.store.imports.known import StoredImport, find_import, known_aspects, known_items, known_labels, known_raters, listed
from data.store.imports.reimport import Reimport, ReimportedAnswer, ReimportRefused
from data.store.imports.undoing import undo, undo_obstacle

__all__ = [
    "ImportBundle",
    "ImportRefused",
    "Imported",
    "ImportedRun",
    "Reimport",
    "ReimportRefused",
    "ReimportedAnswer",
    "StoredImport",
    "apply",
    "find_import",
    "insert_import",
    "insert_items",
    "insert_members",
    "insert_raters",
    "insert_run",
    "insert_scales",
    "known_aspects",
    "known_items",
    "known_labels",
    "known_raters",
    "listed",
    "public_id",
    "undo",
    "undo_obstacle",
]
