"""Questions about prompts: made from specs, and read from TIFA's files."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.files import InputError
from data.prompts import geneval_suite, sr2d_suite
from data.prompts.questions import (
    ELEMENT_TYPES,
    MAX_QUESTIONS,
    PromptQuestion,
    QuestionedPrompt,
    are_comparable,
    format_questions,
    new_question_id,
    questions_from_spec,
    read_questions,
)
from data.records import Prompt
from data.spec import ObjectSpec, Spec, parse_spec
from tests.ui.small_project import QUESTION, questions

TIFA = Path(__file__).resolve().parents[4] / "shared" / "studies" / "tifa" / "sample_question_answers.json"
YES_NO = ("yes", "no")


def made(spec: dict[str, Any]) -> tuple[PromptQuestion, ...]:
    return questions_from_spec(parse_spec(spec))


def test_two_questions_of_each_element() -> None:
    spec = {
        "include": [
            {"class": "cup", "count": 3},
            {"class": "dog", "count": 1, "color": "red", "position": ["left of", 0]},
        ],
        "exclude": [{"class": "cup", "count": 4}],
    }
    assert [(question.text, question.answer, question.element_type, question.element) for question in made(spec)] == [
        ("is there a cup?", "yes", "object", "cup"),
        ("which of these is in the image (1 of 2)?", "cup", "object", "cup"),
        ("are there three cups?", "yes", "counting", "three cups"),
        ("how many cups are there?", "3", "counting", "three cups"),
        ("is there a dog?", "yes", "animal/human", "dog"),
        ("which of these is in the image (2 of 2)?", "dog", "animal/human", "dog"),
        ("is the dog red?", "yes", "color", "red dog"),
        ("what color is the dog?", "red", "color", "red dog"),
        ("is the dog to the left of the cup?", "yes", "spatial", "dog left of cup"),
        ("where is the dog, seen from the cup?", "left of", "spatial", "dog left of cup"),
    ]
    assert made({}) == ()


def test_a_question_depends_on_its_objects_being_there() -> None:
    spec = {
        "include": [
            {"class": "cup", "count": 3, "color": "red"},
            {"class": "cup", "count": 1},
            {"class": "dog", "count": 1, "position": ["left of", 0]},
        ],
        "exclude": [{"class": "cup", "count": 4}],
    }
    assert {question.text: question.parents for question in made(spec)} == {
        "is there a cup?": (),
        "which of these is in the image (1 of 3)?": (),
        "are there three cups?": ("is-there-a-cup",),
        "how many cups are there?": ("is-there-a-cup",),
        "is the cup red?": ("is-there-a-cup",),
        "what color is the cup?": ("is-there-a-cup",),
        "is there a cup #2?": (),
        "which of these is in the image (2 of 3)?": (),
        "is there exactly one cup #2?": ("is-there-a-cup-2",),
        "how many cups #2 are there?": ("is-there-a-cup-2",),
        "is there a dog?": (),
        "which of these is in the image (3 of 3)?": (),
        "is the dog to the left of the cup?": ("is-there-a-dog", "is-there-a-cup"),
        "where is the dog, seen from the cup?": ("is-there-a-dog", "is-there-a-cup"),
    }


def test_answers_are_comparable_for_the_same_question() -> None:
    question = PromptQuestion("a", "is it red?", ("yes", "no"), "yes", "color", "red")
    assert are_comparable(question, replace(question, question_id="b", element_type="other", element="x", parents=("c",)))
    assert not are_comparable(question, replace(question, text="is it red"))
    assert not are_comparable(question, replace(question, choices=("no", "yes")))
    assert not are_comparable(question, replace(question, answer="no"))


@pytest.mark.parametrize(
    ("count", "choices"),
    [(1, "1234"), (2, "1234"), (4, "1234"), (5, "3456"), (9, "78910"), (12, None)],
)
def test_number_choices_include_the_right_number(count: int, choices: str | None) -> None:
    results = {
        question.text: question for question in questions_from_spec(Spec((ObjectSpec("cup", "cup", count, exact=True),)))
    }
    numbers = results["how many cups are there?"].choices
    assert str(count) in numbers
    assert len(numbers) == 4
    assert [int(number) for number in numbers] == list(range(int(numbers[0]), int(numbers[0]) + 4))
    assert choices is None or "".join(numbers) == choices
    assert ("is there exactly one cup?" in results) == (count == 1)


@pytest.mark.parametrize(
    "prompt", [*geneval_suite.sample()[::7], *map(sr2d_suite.numbered_prompt, range(0, 31_680, 977))], ids=lambda p: p.prompt_id
)
def test_published_prompts_give_sound_questions(prompt: Prompt) -> None:
    spec = parse_spec(prompt.spec)
    prompt_questions = questions_from_spec(spec)
    assert prompt_questions
    assert (
        len({question.question_id for question in prompt_questions})
        == len({question.text for question in prompt_questions})
        == len(prompt_questions)
    )
    named = {thing.name for thing in spec.objects}
    for question in prompt_questions:
        assert question.choices.count(question.answer) == 1
        assert len(set(question.choices)) == len(question.choices) == (2 if question.is_yes_no else 4)
        assert question.element_type in ELEMENT_TYPES
        # a distractor that is in the picture, too, would be a second right answer
        assert not named - {question.answer} & set(question.choices) if question.text.startswith("which") else True
    assert questions_from_spec(spec) == prompt_questions


def test_distractors_do_not_depend_on_the_run() -> None:
    # written down once: people's answers refer to these choices
    results = {
        question.text: question.choices for question in made({"include": [{"class": "cup", "count": 1, "color": "red"}]})
    }
    assert results["which of these is in the image?"] == ("spoon", "cup", "bottle", "fork")
    assert results["what color is the cup?"] == ("purple", "orange", "green", "red")


def test_questions_about_unknown_objects() -> None:
    prompt_questions = made({"a": "flux capacitor", "b": "flux capacitor", "relation": "left"})
    assert len({question.question_id for question in prompt_questions}) == len(prompt_questions) == 6
    assert prompt_questions[0].text == "is there a flux capacitor?"
    assert prompt_questions[2].text == "is there a flux capacitor #2?"


@given(st.lists(st.text(max_size=80), max_size=6))
def test_ids_are_readable_and_never_the_same(texts: list[str]) -> None:
    taken: list[str] = []
    for text in dict.fromkeys(texts):
        result = new_question_id(text, taken)
        assert result not in taken
        assert 0 < len(result) <= 70
        assert "/" not in result
        assert not any(character.isspace() for character in result)
        taken.append(result)


def test_ids_by_words() -> None:
    assert new_question_id("Is the dog to the left of the cup?", []) == "is-the-dog-to-the-left-of-the-cup"
    assert new_question_id("Ist das ein Hündchen?", []) == "ist-das-ein-hündchen"
    assert new_question_id("is it red!", ["is-it-red"]).startswith("is-it-red-")
    assert new_question_id("???", []).startswith("question-")


@pytest.mark.skipif(not TIFA.is_file(), reason="TIFA's files are not here")
def test_tifas_own_file() -> None:
    surfer, cats = read_questions(TIFA, "tifa")
    assert (surfer.prompt.prompt_id, surfer.prompt.task) == ("tifa/coco_301091", "coco")
    assert surfer.prompt.text == "On a gray day a surfer carrying a white board walks on a beach."
    assert (len(surfer.questions), len(cats.questions)) == (11, 8)
    assert surfer.questions[1] == PromptQuestion(
        "who-is-on-the-beach",
        "who is on the beach?",
        ("surfer", "swimmer", "diver", "skier"),
        "surfer",
        "animal/human",
        "surfer",
    )


def test_questions_need_not_stand_together_and_keep_names_of_their_own(tmp_path: Path) -> None:
    path = questions(
        tmp_path / "q.json", {}, {"id": "other"}, {"question": "is it gray?", "choices": ["yes", "no"], "answer": "yes",
        "question_id": "gray"},
    )  # fmt: skip
    first, other = read_questions(path, "mine")
    assert [question.question_id for question in first.questions] == ["what-color-is-the-cat", "gray"]
    assert other.prompt.prompt_id == "mine/other"
    lines = tmp_path / "q.jsonl"
    lines.write_text("\n".join(json.dumps(entry) for entry in json.loads(path.read_text())))
    assert read_questions(lines, "mine") == [first, other]


def test_parents_are_named_before_or_after_and_a_diamond_is_no_circle(tmp_path: Path) -> None:
    path = questions(
        tmp_path / "q.json",
        {"question": "top", "parents": ["left", "right"]},
        {"question": "left", "parents": ["root"]},
        {"question": "right", "parents": ["root"]},
        {"question": "root", "parents": []},
        {"question": "alone", "parents": None},
    )
    (prompt,) = read_questions(path, "tifa")
    assert [question.parents for question in prompt.questions] == [("left", "right"), ("root",), ("root",), (), ()]


def test_a_wrong_parent_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(json.dumps(QUESTION | more) for more in ({}, {"question": "b", "parents": ["x"]})))
    with pytest.raises(InputError, match=r"q\.jsonl:2: coco_1: the dependency of 'b' on 'x'"):
        read_questions(path, "tifa")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=9)
    texts = texts.filter(str.strip)

    @settings(deadline=None, max_examples=40)
    @given(st.lists(texts, min_size=3, max_size=6, unique_by=lambda entry: entry.strip().casefold()), texts)
    def check(words: list[str], caption: str) -> None:
        prompt = Prompt("mine/x_1", "mine", caption, "x")
        prompt_questions = [
            PromptQuestion(f"q{k}", text, tuple(words), words[0], "other", text, tuple(f"q{n}" for n in range(k)))
            for k, text in enumerate(words)
        ]
        path = tmp_path / "q.jsonl"
        path.write_text(format_questions([QuestionedPrompt(prompt, tuple(prompt_questions))]), encoding="utf-8", newline="")
        assert read_questions(path, "mine") == [QuestionedPrompt(prompt, tuple(prompt_questions))]

    check()
    with pytest.raises(ValueError, match="holds one suite, got a, b"):
        format_questions([QuestionedPrompt(Prompt(f"{suite}/1", suite, "x"), ()) for suite in "ba"])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([{"question": ""}], "'question' is '', a text expected"),
        ([{"caption": 3}], "'caption' is 3, a text expected"),
        ([{"id": "a/b"}], "must not hold '/'"),
        ([{"element_type": "colour"}], "'element_type' is 'colour', one of object, animal/human"),
        ([{"choices": ["gray"]}], "a list of 2 to 8 texts expected"),
        ([{"choices": [str(k) for k in range(9)]}], "a list of 2 to 8 texts expected"),
        ([{"choices": "gray"}], "a list of 2 to 8 texts expected"),
        ([{"choices": ["gray", "Gray "]}], "holds one answer twice"),
        ([{"choices": ["gray", 3]}], "'choices' is 3, a text expected"),
        ([{"answer": "blue"}], "'answer' is 'blue', which is not among the choices"),
        ([{"element": None}], "'element' is None, a text expected"),
        ([{"question": "a\0b"}], "NUL"),
        ([{"question": "a" * 2001}], "at most 2,000 are allowed"),
        ([{}, {"answer": "red"}], "is asked twice about one prompt, with different answers"),
        ([{}, {"caption": "another", "question": "b"}], "in another question about 'coco_1'"),
        ([{"question_id": "x"}, {"question": "b", "question_id": "x"}], "'question_id' 'x' names two questions"),
        ([{"question_id": "a/b"}], "the question's id 'a/b'"),
        ([{"parents": "x"}], "'parents' is 'x', a list of ids of other questions, each once, expected"),
        ([{"parents": [1]}], "'parents' is [1], a list"),
        ([{"parents": ["x", "x"]}], "'parents' is ['x', 'x'], a list"),
        ([{"parents": ["x"]}], "on 'x', which is no other question about this prompt in this file"),
        ([{"parents": ["b"]}, {"id": "other", "question": "b"}], "on 'b', which is no other question"),
        ([{"question_id": "x", "parents": ["b"]}, {"question": "b", "parents": ["x"]}], "on 'b', which leads back to it"),
        ([{"question": f"q{k}"} for k in range(MAX_QUESTIONS + 1)], f"more than {MAX_QUESTIONS} questions"),
    ],
)
def test_problems_are_reported_with_their_line(tmp_path: Path, changes: list[dict[str, Any]], words: str) -> None:
    path = questions(tmp_path / "q.json", *changes)
    with pytest.raises(InputError) as caught:
        read_questions(path, "tifa")
    assert words in str(caught.value)
    assert str(caught.value).startswith(f"{path}:1: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "holds no questions"),
        ("[3]", "a JSON object with a 'question' expected"),
        ("[{]", "not JSON"),
        ("", "no questions"),
    ],
)
def test_files_that_hold_no_questions_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "q.json"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        read_questions(path, "tifa")
    with pytest.raises(InputError, match="no such file"):
        read_questions(tmp_path / "other.json", "tifa")
    (tmp_path / "q.txt").write_text(json.dumps(QUESTION))
    with pytest.raises(InputError, match="named as plain text"):
        read_questions(tmp_path / "q.txt", "tifa")
