"""Runs as rows: those of this project, and those that come as an import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from data.jobs.runs import Observation, Run
from data.store import detections, rows


@dataclass(frozen=True, slots=True)
class Observed:
    """What a scorer saw elsewhere, as a finished run; its ``folder`` is below the project's, and need not be there.

    Attributes:
        rater_id: who judged by it.
        seen: of the items that the bundle's evidence is about; their masks stay where they are.
    """

    run: Run
    rater_id: str
    folder: str
    seen: Sequence[Observation]


def insert_run(
    connection: duckdb.DuckDBPyConnection,
    run: Run,
    rater_id: str,
    folder: str,
    state: str,
    n_items: int,
    import_id: int | None,
    kind: str = "score",
) -> None:
    """A run that the project does not know yet."""
    columns = ("run_id", "rater_id", "scorer", "profile", "version", "settings", "folder", "state", "n_items", "import_id")
    named = (run.run_id, rater_id, run.scorer, run.profile, run.version, rows.to_json(run.settings))
    asked = (kind, run.device, getattr(run, "engine", None))
    rows.insert(
        connection, "runs", (*columns, "kind", "device", "engine"), [(*named, folder, state, n_items, import_id, *asked)]
    )


def insert_observed(connection: duckdb.DuckDBPyConnection, observed: Observed, import_id: int) -> None:
    """A run that came whole, as its one part."""
    run_id = observed.run.run_id
    insert_run(connection, observed.run, observed.rater_id, observed.folder, "done", len(observed.seen), import_id)
    rows.insert(connection, "run_parts", ("run_id", "part"), [(run_id, 0)])
    detections.insert(connection, run_id, 0, observed.seen)
