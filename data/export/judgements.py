"""The columns of ``export judgements``: one row, one judgement, those that do not count too."""

from __future__ import annotations

from typing import Final

from data.export.tables import Columns

COLUMNS: Final[Columns] = {
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
