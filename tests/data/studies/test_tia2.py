"""TIA2's files: labels, and what is refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.studies.tia2 import read_tia2
from tests.concord.studies import small_studies


def test_tia2(tmp_path: Path) -> None:
    read = read_tia2(small_studies.tia2(tmp_path))
    assert [(prompt.prompt_id, prompt.task) for prompt in read.ratings.prompts] == [
        ("tia2/composition-000", "composition"),
        ("tia2/comprehensive-000", "comprehensive"),
        ("tia2/counting-000", "counting"),
    ]
    assert read.ratings.unanswered == {"human_labels_composition.json": 2}
    mine = [(row.image.index, row.rater_id, row.answers["correct"]) for row in read.ratings.rows[:4]]
    # -1 leaves its slot empty, and the others keep theirs
    assert mine == [(0, "tia2/slot-1", 1), (0, "tia2/slot-3", 0), (11, "tia2/slot-1", 1), (11, "tia2/slot-2", 1)]
    assert read.printed == {"tia2/composition-000": 0.5, "tia2/comprehensive-000": 1.0}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"human_labels": [2, 0, 0]}, "has the label 2, 0, 1 or -1"),
        ({"human_labels": [True, 0, 0]}, "has the label True"),
        ({"image": "other.jpg"}, "or its 'image' differs"),
        ({"caption": "another"}, "do not belong to each other alone"),
    ],
)
def test_wrong_labels_of_tia2(tmp_path: Path, entry: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_tia2(small_studies.tia2(tmp_path, **entry))
    assert f"human_labels_composition.json:{2 if 'caption' in entry else 1}: " in str(caught.value)
    assert message in str(caught.value)
