"""``judge tifa`` at the command line: TIFA's numbers from the answers in its own file, and DSG's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.concord.test_evidence_files import judge
from tests.ui.tifa_files import answered, tifa_file, tifa_questions

SAMPLE = Path(__file__).resolve().parents[3] / "shared" / "studies" / "tifa" / "sample_evaluation_result.json"


@pytest.mark.skipif(not SAMPLE.exists(), reason="../shared is not there")
def test_the_published_answers_are_scored_as_published() -> None:
    ran = judge("tifa", "--evidence", SAMPLE, "--summary")
    assert (ran.status, ran.err) == (0, "")
    payload, published = json.loads(ran.out), json.loads(SAMPLE.read_text())
    assert set(payload) == {"tifa_average", "tifa_stdev", "caption_scores", "accuracy_by_type"}
    assert payload == {key: pytest.approx(published[key], abs=1e-15) for key in payload}
    assert (payload["tifa_average"], round(payload["tifa_stdev"], 4)) == (0.8125, 0.2652)


def test_tifa_is_recomputed_from_what_was_answered(tmp_path: Path) -> None:
    # captions count once however many questions they have; types by question
    path = tifa_file(
        tmp_path / "r.json",
        a=tifa_questions(
            answered("1", "yes"), answered("2", "no"), answered("3", "third", "three", "counting"), answered("4", "yes")
        ),
        b=tifa_questions(answered("1", "yes")),
        c=tifa_questions(answered("1", "no", kind="counting", scores=1)),
    )
    ran = judge("tifa", "--evidence", path, "--summary", "-o", tmp_path / "out.jsonl")
    assert ran.status == 0
    assert ran.err == f"{path}: of 1 answer the file's own 'scores' differs from what it says; these count\n"
    assert json.loads(ran.out) == {
        "tifa_average": 0.5,
        "tifa_stdev": 0.5,
        "caption_scores": {"a": 0.5, "b": 1.0, "c": 0.0},
        "accuracy_by_type": {"object": 0.75, "counting": 0.0},
    }
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(line["id"], line["score"]) for line in lines] == [("a", 0.5), ("b", 1.0), ("c", 0.0)]
    assert [entry["counts"] for entry in lines[0]["answers"]] == [True, False, False, True]


def test_of_one_caption_there_is_no_deviation(tmp_path: Path) -> None:
    ran = judge("tifa", "--evidence", tifa_file(tmp_path / "r.json", a=tifa_questions(answered("1", "yes"))), "--summary")
    assert json.loads(ran.out)["tifa_stdev"] is None


def test_dsg_counts_no_child_of_a_failed_parent_and_yes_no_questions_alone(tmp_path: Path) -> None:
    cup = answered("cup", "no", question_id="cup")
    red = answered("red", "yes", question_id="red", parents=["cup"])
    path = tifa_file(tmp_path / "r.json", a=tifa_questions(cup, red, answered("n", "2", "2"), answered("book", "yes")))
    ran = judge("tifa", "--evidence", path, "--rule", "dsg", "--summary")
    assert json.loads(ran.out)["caption_scores"] == {"a": pytest.approx(1 / 3)}
    assert json.loads(judge("tifa", "--evidence", path, "--summary").out)["caption_scores"] == {"a": 0.75}


def test_what_cannot_be_read_is_told_and_the_status_says_so(tmp_path: Path) -> None:
    path = tifa_file(tmp_path / "r.json", a=tifa_questions(answered("1", "yes"), answered("2", "")), b={})
    ran = judge("tifa", "--evidence", path, "--summary")
    assert ran.status == 1
    assert json.loads(ran.out)["caption_scores"] == {"a": 1.0}
    assert "a: 'multiple_choice_vqa' is '', a text expected" in ran.err
    assert "b: holds no answers" in ran.err
    empty = judge("tifa", "--evidence", tifa_file(tmp_path / "e.json"), "--summary")
    assert (empty.status, empty.out) == (1, "")
