"""The file of ``export judgements``: one row, one judgement, those that do not count too."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from data.export.formats import Columns, TypedRow, read_typed_rows
from data.tables import Cells

JUDGEMENT_COLUMNS: Final[Columns] = {
    "suite": "text",
    "prompt": "text",
    "task": "text",
    "generator": "text",
    "item": "text",
    "rater": "text",
    "kind": "text",
    "identity": "text",
    "simulated": "truth",
    "aspect": "text",
    "target": "text",
    "scale": "text",
    "label": "text",
    "value": "real",
    "excluded": "text",
    "rule_version": "text",
    "source_id": "text",
    "campaign": "text",
    "submitted": "moment",
    "seq": "whole",
}


@dataclass(frozen=True, slots=True)
class ExportedJudgement:
    """One row, as ``COLUMNS`` names its cells; empty cells are None."""

    suite: str
    prompt: str | None
    task: str | None
    generator: str | None
    item: str
    rater: str
    kind: str
    identity: str | None
    simulated: bool
    aspect: str
    target: str | None
    scale: str
    label: str | None
    value: float | None
    excluded: str | None
    rule_version: str
    source_id: str
    campaign: str | None
    submitted: datetime | None
    seq: int


def read_judgements(path: Path, cells: Cells) -> list[ExportedJudgement]:
    """The judgements of a file in the order in which they were made.

    Raises:
        InputError: a cell is not what its column holds.
    """
    return sorted(read_typed_rows(path, cells, _judgement), key=lambda one: one.seq)


def _judgement(row: TypedRow) -> ExportedJudgement:
    kind = row.choice("kind", ("human", "scorer"))
    return ExportedJudgement(
        suite=row.text("suite"),
        prompt=row.maybe("prompt"),
        task=row.maybe("task"),
        generator=row.maybe("generator"),
        item=row.text("item"),
        rater=row.text("rater"),
        kind=kind,
        identity=row.choice("identity", ("person", "slot")) if kind == "human" else None,
        simulated=bool(row.truth("simulated")),
        aspect=row.text("aspect"),
        target=row.maybe("target"),
        scale=row.text("scale"),
        label=row.maybe("label"),
        value=row.real("value"),
        excluded=row.maybe("excluded"),
        rule_version=row.text("rule_version"),
        source_id=row.text("source_id"),
        campaign=row.maybe("campaign"),
        submitted=row.moment("submitted"),
        seq=row.whole("seq"),
    )
