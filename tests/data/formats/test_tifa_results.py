"""Result files of TIFA's own code, and lines of evidence, however odd."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.files import InputError
from data.formats.official_results import CaptionAnswers, read_results


def entry(text: str = "is it red?", chosen: str = "yes", **more: Any) -> dict[str, Any]:
    answers = {"question": text, "choices": ["yes", "no"], "answer": "yes", "element_type": "color", "element": "red"}
    return answers | {"caption": "a red cup", "free_form_vqa": "yep", "multiple_choice_vqa": chosen, "scores": 1} | more


def official(path: Path, details: Any, indent: int | None = 2, **more: Any) -> Path:
    path.write_text(json.dumps({"tifa_average": 0.5, "question_details": details, **more}, indent=indent), encoding="utf-8")
    return path


@pytest.mark.parametrize("indent", [None, 4])
def test_the_official_file_is_read_in_its_order(tmp_path: Path, indent: int | None) -> None:
    details = {
        "b": {"q1": entry(), "q2": entry("what?", "blue", choices=["red", "blue"], answer="red", scores=0)},
        "a": {"q": entry()},
    }
    captions = list(read_results(official(tmp_path / "r.json", details, indent)))
    assert [caption.id for caption in captions] == ["b", "a"]
    first, second = captions[0].answers
    assert (first.chosen, first.free, first.scored, first.question.question_id) == ("yes", "yep", True, "is-it-red")
    assert (second.chosen, second.scored, second.question.choices, second.question.answer) == (
        "blue",
        False,
        ("red", "blue"),
        "red",
    )
    assert captions[0].caption == "a red cup"
    assert captions[0].wrong == ()


def test_lines_of_evidence_are_read(tmp_path: Path) -> None:
    answers = {"question_id": "q1", "text": "is it red?", "choices": ["yes", "no"], "answer": "yes", "element_type": "color"}
    line = {"id": "x/1", "answers": [{**answers, "element": "red", "chosen": "no", "free": None, "parents": ["q0"]}]}
    path = tmp_path / "e.jsonl"
    path.write_text(
        json.dumps(line) + "\nnothing\n" + json.dumps({"id": 3}) + "\n" + json.dumps({"id": "y", "answers": {}}) + "\n"
    )
    good, *bad = read_results(path)
    (answer,) = good.answers
    assert (good.id, good.number, answer.question.question_id, answer.question.parents) == ("x/1", 1, "q1", ("q0",))
    assert (answer.chosen, answer.free, answer.scored) == ("no", None, None)
    assert [answers.number for answers in bad] == [2, 3, 4]
    assert [answers.wrong[0].partition(" (")[0] for answers in bad] == [
        "not JSON",
        "'id' is 3, a text expected",
        "'answers' is {}, a list expected",
    ]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"multiple_choice_vqa": None}, "'multiple_choice_vqa' is None, a text expected"),
        ({"choices": []}, "'choices' is [], a list of texts expected"),
        ({"choices": ["yes", 3]}, "'choices' is ['yes', 3], a list of texts expected"),
        ({"answer": " "}, "'answer' is ' ', a text expected"),
        ({"question": 7}, "'question' is 7, a text expected"),
    ],
)
def test_an_unreadable_entry_is_reported_and_the_rest_is_read(tmp_path: Path, wrong: dict[str, Any], why: str) -> None:
    (answers,) = read_results(official(tmp_path / "r.json", {"a": {"1": entry() | wrong, "2": entry(), "3": "no object"}}))
    assert len(answers.answers) == 1
    assert answers.wrong[0] == f"a: {why}"
    assert len(answers.wrong) == 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "holds no evidence"),
        ("{\n", "is neither a result file of TIFA's nor lines of evidence"),
        ("[\n]", "has no object under 'question_details'"),
        ('{\n"question_details": 3}', "has no object under 'question_details'"),
        ("[" * 100_000, "cannot be read|is nested too deeply|is neither"),
    ],
)
def test_a_file_that_is_neither_is_refused_in_a_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(InputError, match=why):
        list(read_results(path))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["choices", "answer", "scores", "question"]), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.dictionaries(st.text(max_size=3), _JSON, max_size=3), max_size=3))
def test_no_content_of_an_entry_raises(tmp_path_factory: pytest.TempPathFactory, details: Any) -> None:
    captions = list(read_results(official(tmp_path_factory.mktemp("odd") / "r.json", details)))
    assert [caption.id for caption in captions] == list(details)
    assert all(
        isinstance(caption, CaptionAnswers) and len(caption.answers) + len(caption.wrong) == len(details[caption.id])
        for caption in captions
    )
