"""The quick questionnaire: one question, one judgement of ``correct``."""

from __future__ import annotations

from typing import Any

import pytest

from annotation.questionnaires.base import CANNOT_TELL_KEY, check
from annotation.questionnaires.form import FormItem
from annotation.questionnaires.registry import YES_NO as FORM


@pytest.mark.parametrize(
    ("answers", "label", "reason"),
    [
        ({"correct": "yes"}, "yes", None),
        ({"correct": "no"}, "no", None),
        ({"correct": "cannot_tell"}, None, "cannot_tell"),
        ({"blank_image": "yes"}, "no", None),
        ({"blank_image": "yes", "correct": "yes"}, "no", None),
    ],
)
def test_one_key_is_one_judgement(answers: dict[str, Any], label: str | None, reason: str | None) -> None:
    assert check(FORM.build(FormItem("two dogs")), answers).errors == {}
    (judged,) = FORM.derive(FormItem("two dogs"), answers)
    assert (judged.aspect, judged.label, judged.reason) == ("correct", label, reason)


def test_it_shows_the_prompt_and_asks_nothing_else() -> None:
    (question,) = FORM.build(FormItem("two dogs")).questions
    assert question.caption
    assert [option.key for option in question.options] == ["y", "n"]
    assert question.cannot_tell
    assert CANNOT_TELL_KEY not in ("y", "n")
    assert check(FORM.build(FormItem("two dogs")), {}).errors == {"correct": "Please answer this question."}
