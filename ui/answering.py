"""One image's questions as the Workbench shows them: what a model answered, and what people did to the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from data.store.analysis import vqa_answers
from data.store.analysis.vqa_answers import PersonAnswer
from data.store.core.store import Store
from data.store.runs import ItemEvidence
from scorers.base import Verdict


def questions(store: Store, item_id: str, by: ItemEvidence, verdict: Verdict | None) -> list[dict[str, Any]]:
    """A scorer's answers in the questions' order; none where it answers no questions.

    Each has the question's words, ``chosen``, ``probabilities`` (of the choices in their order, or None), ``free``, ``matched``
    and ``similarity`` as in the evidence; ``right``: whether it is the question's own answer; ``counts``: whether the scorer's
    rules count it as right; ``people``: who said what, ``other`` where they were asked in other words.
    """
    entries = by.seen.payload.get("answers")
    known = [one for one in entries if _readable(one)] if isinstance(entries, list) else []
    if not known:
        return []
    said, wordings = vqa_answers.answers_about(store, item_id), vqa_answers.wordings(store, item_id, by.rater_id)
    holds = {check.target: check.holds for check in verdict.checks} if verdict else {}
    return [_question(one, holds.get(one["question_id"]), said, wordings.get(one["question_id"])) for one in known]


def _readable(entry: Any) -> bool:
    """Whether a file from elsewhere says what an answer needs."""
    texts = ("question_id", "text", "answer", "chosen")
    return (
        isinstance(entry, Mapping)
        and all(isinstance(entry.get(name), str) for name in texts)
        and isinstance(entry.get("choices"), list)
    )


def _question(entry: Mapping[str, Any], holds: bool | None, said: list[PersonAnswer], wording: int | None) -> dict[str, Any]:
    choices, right = [str(choice) for choice in entry["choices"]], entry["answer"] == entry["chosen"]
    similarity = entry.get("similarity")
    return {
        "id": entry["question_id"],
        **{name: str(entry.get(name) or "") for name in ("text", "answer", "chosen", "element_type", "element")},
        "choices": choices,
        "probabilities": _probabilities(entry.get("probabilities"), len(choices)),
        "free": entry["free"] if isinstance(entry.get("free"), str) else None,
        "matched": entry["matched"] if isinstance(entry.get("matched"), str) else None,
        "similarity": float(similarity) if isinstance(similarity, int | float) else None,
        "right": right,
        "counts": right if holds is None else holds,
        "people": [_person(one, wording) for one in said if one.question == entry["question_id"]],
    }


def _probabilities(found: Any, n: int) -> list[float] | None:
    fits = isinstance(found, list) and len(found) == n and all(isinstance(one, int | float) for one in found)
    return [min(max(float(one), 0.0), 1.0) for one in found] if fits else None


def _person(one: PersonAnswer, wording: int | None) -> dict[str, Any]:
    """``why`` says why the answer does not count; None if it does."""
    told = {"rater": one.person, "simulated": one.simulated, "says": one.label, "why": one.excluded}
    return told | {"other": one.wording is None or one.wording != wording}
