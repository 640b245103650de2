"""From what was said to what it means: the rules that turn a stored source into judgements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation import answers
from data.prompts.spec import parse_spec
from data.records import Judgement

DIRECT = "direct"
"""The questionnaire of imported ratings: the answer is the judgement."""
_DIRECT_RULES = "direct-1"


def direct(aspect: str, label: str | None, value: float | None, target: str | None = None) -> dict[str, Any]:
    """An imported rating as an answer, or as a scorer's evidence."""
    return {"aspect": aspect, "target": target, "label": label, "value": value}


def derive(
    questionnaire: str | None, said: Mapping[str, Any], spec: Mapping[str, Any] | None
) -> tuple[str, tuple[Judgement, ...]]:
    """The rule version and the judgements of an answer (or of evidence that is a rating, with no questionnaire)."""
    if questionnaire in (None, DIRECT):
        return _DIRECT_RULES, (answers.derive_direct(said),)
    return answers.RULE_VERSION, tuple(answers.derive(parse_spec(spec or {}), said))


def derive_source(source: Mapping[str, Any]) -> tuple[str, Sequence[Judgement]]:
    """As ``derive``, from a stored source."""
    said = source["payload"] if source["questionnaire"] is None else source["answers"]
    return derive(source["questionnaire"], said, source["spec"])
