"""Reports of agreement as the rows that `agreement --format json` prints, for tests that read them by key."""

from __future__ import annotations

from typing import Any

from agreement import AgreementReport
from agreement.consensus.report import ConsensusReport
from concord.common.estimate_json import estimate_json

Rows = dict[str, list[dict[str, Any]]]


def json_rows(report: AgreementReport | ConsensusReport) -> Rows:
    """Return all rows of a report by section."""
    return {name: [estimate_json(name, row) for row in rows] for name, rows in vars(report).items()}
