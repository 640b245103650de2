"""Imported ratings are judgements as they came."""

from __future__ import annotations

from typing import Any

import pytest

from concord.judging import rate
from data.records import Judgement


def rated(answers: dict[str, Any]) -> Judgement:
    ((judgement,)) = rate(answers)[1]
    return judgement


def test_direct_answers_are_judgements_as_they_came() -> None:
    assert rated({"aspect": "quality", "target": None, "label": "4", "value": 4}) == Judgement("quality", "4", 4.0)
    assert rated({"aspect": "score", "label": None, "value": 0.31}) == Judgement("score", None, 0.31)
    assert rated({"aspect": "present", "target": "cat", "label": "yes"}) == Judgement("present", "yes", None, "cat")
    unsure = {"aspect": "present", "target": "cat", "label": "cannot_tell", "value": None}
    assert rated(unsure) == Judgement("present", None, None, "cat", "cannot_tell")
    with pytest.raises(ValueError, match="aspect"):
        rated({"label": "yes"})
