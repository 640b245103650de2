"""GenAI-Bench's files: ratings, and what is refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.studies.genai_bench import read_genai_bench
from tests.concord.studies import small_studies


def test_genai_bench(tmp_path: Path) -> None:
    images, skills = small_studies.genai_bench(tmp_path)
    read = read_genai_bench(images, skills)
    assert [(prompt.prompt_id, prompt.task) for prompt in read.prompts] == [
        ("genai-bench/00000", "basic"),
        ("genai-bench/00001", "advanced"),  # of both: the harder
        ("genai-bench/00292", None),
    ]
    assert read.prompts[0].text == " A cat. "
    assert [row.answers.get("faithfulness") for row in read.rows[:6]] == [5, None, 4, 2, 2, 3]
    assert (read.rows[1].rater_id, read.rows[1].off_scale) == ("genai-bench/slot-2", {"faithfulness": 41})
    (off,) = read.excluded
    assert off.startswith(f"{images}:2: 00000, DALLE_3, rating 2: 41 is not on the scale")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "7"}, ":2: entry '00000' has the id '7'"),
        ({"models": {"a/b": [1, 2, 3]}}, ":2: the generator 'a/b'"),
        ({"models": {"a": ["5", 2, 3]}}, ":2: a has the rating '5', a number expected"),
        ({"models": {"a": [True, 2, 3]}}, "a number expected"),
        ({"models": None}, ":2: 'models' is None, ratings by generator expected"),
        ({"prompt": ""}, ":2: 'prompt'"),
    ],
)
def test_wrong_entries_of_genai_bench(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    images, skills = small_studies.genai_bench(tmp_path, **change)
    with pytest.raises(InputError) as caught:
        read_genai_bench(images, skills)
    assert message in str(caught.value)
