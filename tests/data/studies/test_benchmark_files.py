"""Readers of five published studies on small files that hold every trap of the real ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.records import Image, Item
from data.studies import benchmark_files
from data.studies.benchmark_files import CONSISTENCY, QUALITY
from tests.concord.studies import small_studies


def test_genai_bench(tmp_path: Path) -> None:
    images, skills = small_studies.genai_bench(tmp_path)
    read = benchmark_files.read_genai_bench(images, skills)
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
        benchmark_files.read_genai_bench(images, skills)
    assert message in str(caught.value)


def test_imagenhub(tmp_path: Path) -> None:
    tables = small_studies.imagenhub(tmp_path)
    read = benchmark_files.read_imagenhub(tables, {"sample_0.jpg": "a banana"})
    assert [prompt.text for prompt in read.prompts[:2]] == ["a banana", "sample_1.jpg"]
    first = read.rows[0]
    assert (first.image, first.rater_id, first.identity) == (Image("imagenhub/00000", "DALLE", 0), "imagenhub/rater1", "person")
    assert first.answers == {CONSISTENCY: 1, QUALITY: 0.5}
    assert len(read.rows) == 3 * 4 * 2
    assert not read.excluded


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("0.5", ":2: a cell is '0.5', a list of two numbers"),
        ("[0.5]", "a list of two numbers"),
        ("[0.5, __import__('os')]", "a list of two numbers"),  # their notebook evaluates these cells
        ("[true, 1]", "a list of two numbers"),
    ],
)
def test_wrong_cells_of_imagenhub(tmp_path: Path, cell: str, message: str) -> None:
    tables = small_studies.imagenhub(tmp_path, first=cell)
    with pytest.raises(InputError) as caught:
        benchmark_files.read_imagenhub(tables, {})
    assert message in str(caught.value)


def test_imagenhub_off_its_scale_and_tables_of_other_images(tmp_path: Path) -> None:
    read = benchmark_files.read_imagenhub(small_studies.imagenhub(tmp_path, first="[0.7, 1]"), {})
    assert (read.rows[0].answers, read.rows[0].off_scale) == ({QUALITY: 1}, {CONSISTENCY: 0.7})
    assert ":2: sample_0.jpg, DALLE: [0.7, 1] is not of 0, 0.5 and 1" in read.excluded[0]
    tables = small_studies.imagenhub(tmp_path)
    tables[2].write_text(tables[2].read_text().replace("sample_3.jpg", "sample_4.jpg"))
    with pytest.raises(InputError, match=r"rater3\.tsv: is about other images than Text-To-Image_rater1\.tsv: sample_3\.jpg"):
        benchmark_files.read_imagenhub(tables, {})


def test_viescore(tmp_path: Path) -> None:
    read = benchmark_files.read_viescore(small_studies.viescore(tmp_path))
    scores = {(score.rater_id, score.image.image_id): score.value for score in read.scores}
    # of two scores the smaller, a text that is a number, a bare number; DALLE2 is ImagenHub's DALLE
    assert scores["judge_0shot PQ", "imagenhub/00000/DALLE/0"] == 3
    assert scores["judge_0shot SC", "imagenhub/00001/DALLE/0"] == 8
    assert scores["judge_0shot SC", "imagenhub/00002/DALLE/0"] == 8.5
    assert scores["CLIP_Score", "imagenhub/00000/SD/0"] == 0.1
    assert read.missing == {"judge_0shot PQ": 0, "judge_0shot SC": 1, "CLIP_Score": 0}
    assert read.texts["sample_0.jpg"] == "A black banana."
    assert next(score for score in read.scores if score.value == 3).reasoning == "odd shape"
    assert not read.excluded


@pytest.mark.parametrize("score", [[], None, "bad", [None], {"a": 1}])
def test_a_score_that_cannot_be_read_is_named(tmp_path: Path, score: Any) -> None:
    folder = small_studies.viescore(tmp_path, first=score)
    with pytest.raises(InputError, match=r"SC\.json:1: sample_0\.jpg: the score is "):
        benchmark_files.read_viescore(folder)


def test_viescore_off_its_scale_and_nothing_there(tmp_path: Path) -> None:
    read = benchmark_files.read_viescore(small_studies.viescore(tmp_path, first=[11]))
    assert "SC.json:1: sample_0.jpg: 11 is not on the scale 0 to 10" in read.excluded[0]
    with pytest.raises(InputError, match="no results_"):
        benchmark_files.read_viescore(tmp_path / "nowhere")


def test_tia2(tmp_path: Path) -> None:
    read = benchmark_files.read_tia2(small_studies.tia2(tmp_path))
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
        benchmark_files.read_tia2(small_studies.tia2(tmp_path, **entry))
    assert f"human_labels_composition.json:{2 if 'caption' in entry else 1}: " in str(caught.value)
    assert message in str(caught.value)


def test_arena(tmp_path: Path) -> None:
    read = benchmark_files.read_arena(sorted(small_studies.arena(tmp_path).glob("*.jsonl")))
    assert [prompt.text for prompt in read.prompts] == ["a cat", "a dog"]
    assert read.votes[2].item == Item("arena/00000/vote 2", "arena", "arena/00000", None, None, "pair")
    assert [vote.chose for vote in read.votes] == ["left", "right", "both", "none"]
    assert [vote.judged["gemini"].chose for vote in read.votes] == ["left", None, None, None]
    assert [vote.judged["gemini"].marked for vote in read.votes] == [True, False, True, False]
    assert len(read.excluded) == 3
    assert "gemini_pairwise.jsonl:3: vote 2: the judge's answer '[[A=B]]' names no vote" in read.excluded[1]
    assert benchmark_files.read_choice("[[Model B is better: [[B>A]] ]]", exactly=False) == "right"


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
        benchmark_files.read_arena(sorted(folder.glob("*.jsonl")))
    assert message in str(caught.value)
