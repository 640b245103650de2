"""GenAI-Arena's votes and judges, and what is refused in words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.records import Item
from data.studies.arena import read_arena, read_choice
from tests.concord.studies import small_studies


def test_arena(tmp_path: Path) -> None:
    read = read_arena(sorted(small_studies.arena(tmp_path).glob("*.jsonl")))
    assert [prompt.text for prompt in read.prompts] == ["a cat", "a dog"]
    assert read.votes[2].item == Item("arena/00000/vote 2", "arena", "arena/00000", None, None, "pair")
    assert [vote.chose for vote in read.votes] == ["left", "right", "both", "none"]
    assert [vote.judged["gemini"].chose for vote in read.votes] == ["left", None, None, None]
    assert [vote.judged["gemini"].marked for vote in read.votes] == [True, False, True, False]
    assert len(read.excluded) == 3
    assert "gemini_pairwise.jsonl:3: vote 2: the judge's answer '[[A=B]]' names no vote" in read.excluded[1]
    assert read_choice("[[Model B is better: [[B>A]] ]]", exactly=False) == "right"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"human_vote": "upvote"}, "gpt_pairwise.jsonl:1: vote 0 is 'upvote'"),
        ({"idx": 1}, "gpt_pairwise.jsonl:2: vote 1"),
        ({"prompt": "another"}, "gpt_pairwise.jsonl:1: vote 0 is another one than in gemini_pairwise.jsonl"),
        ({"correct": None}, "'correct' is None, true or false expected"),
    ],
)
def test_wrong_votes_of_the_arena(tmp_path: Path, line: dict[str, Any], message: str) -> None:
    folder = small_studies.arena(tmp_path)
    path = folder / "gpt_pairwise.jsonl"
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join([json.dumps({**json.loads(first), **line}), *rest]))
    with pytest.raises(InputError) as caught:
        read_arena(sorted(folder.glob("*.jsonl")))
    assert message in str(caught.value)
