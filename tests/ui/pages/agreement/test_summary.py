"""What the Agreement page says first."""

from __future__ import annotations

from typing import Any

from ui.pages.agreement.summary import _score_only
from ui.pages.agreement.view import AgreementView


def test_raters_that_only_score_are_named_as_left_out() -> None:
    met = [("labels", "cohen_kappa"), ("labels", "auc"), ("metric", "auc"), ("metric", "spearman")]
    rows: dict[str, list[dict[str, Any]]] = {
        "raters": [{"rater": rater, "statistic": statistic, "task": "all"} for rater, statistic in met]
    }
    assert _score_only(rows, AgreementView(task="all", statistic="cohen_kappa")).endswith("as they only give scores: metric.")
    assert _score_only(rows, AgreementView(task="all", statistic="auc")) == ""
