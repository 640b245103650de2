"""VIEScore's files: judges' scores, and what is refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.studies.viescore import read_viescore
from tests.concord.studies import small_studies


def test_viescore(tmp_path: Path) -> None:
    read = read_viescore(small_studies.viescore(tmp_path))
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
        read_viescore(folder)


def test_viescore_off_its_scale_and_nothing_there(tmp_path: Path) -> None:
    read = read_viescore(small_studies.viescore(tmp_path, first=[11]))
    assert "SC.json:1: sample_0.jpg: 11 is not on the scale 0 to 10" in read.excluded[0]
    with pytest.raises(InputError, match="no results_"):
        read_viescore(tmp_path / "nowhere")
