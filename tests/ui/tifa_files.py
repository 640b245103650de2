"""Result files of TIFA's own code, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def answered(text: str, chosen: str, answer: str = "yes", kind: str = "object", **more: Any) -> dict[str, Any]:
    choices = ["yes", "no"] if answer in ("yes", "no") else [answer, "other", "third"]
    answers = {"question": text, "choices": choices, "answer": answer, "element_type": kind, "element": text}
    return (
        answers
        | {"caption": "c", "free_form_vqa": chosen, "multiple_choice_vqa": chosen, "scores": int(chosen == answer)}
        | more
    )


def tifa_questions(*answers: dict[str, Any]) -> dict[str, Any]:
    return {entry["question"]: entry for entry in answers}


def tifa_file(path: Path, **details: Any) -> Path:
    path.write_text(json.dumps({"question_details": details}, indent=1))
    return path
