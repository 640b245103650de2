"""Question lists of published suites, each from a sample made by hand with every field, and broken in every field."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from data.files import InputError
from data.prompts.question_suites import read_question_list
from data.prompts.questions import QuestionedPrompt

GENEVAL2 = {
    "prompt": "four white bicycles in front of a dog and no cats",
    "atom_count": 4,
    "vqa_list": [
        ["How many bicycles are in the image?", "four"],
        ["Are the bicycles white?", "Yes"],
        ["Are there any cats in the image?", "No"],
        ["Are the bicycles in front of the dog?", "Yes"],
    ],
    "skills": ["count", "attribute", "object", "position"],
}
TIIF = {
    "type": "comparison+color",
    "short_description": "More red fish than frogs.",
    "long_description": "In a pond there are more red fish than frogs.",
    "yn_question_list": ["Are there fish in the image?  ", "Are there fewer fish than frogs?"],
    "yn_answer_list": ["yes", "no"],
}
ONEIG: dict[str, dict[str, Any]] = {
    "000": {
        "question": {"1": "Is there a cat?", "2": "Is there a dog?", "3": "Is the cat on the dog?"},
        "dependency": {"1": [0], "2": [0], "3": [1, 2]},
    },
    "001": {"question": '{"1": "Is there a cow?"}', "dependency": '{"1": [0]}'},
}
UNIGENBENCH = {
    "index": "7",
    "prompt_en": "two pandas, one of glass",
    "sub_dims_en": json.dumps({
        "Primary Category": "Creative Divergence",
        "Subjects": ["Animal"],
        "Testpoints": ["Attribute - Quantity", "Attribute - Material", "World Knowledge"],
        "Testpoint Description": ["two pandas", "one is of glass", "pandas are black and white"],
    }),
}  # fmt: skip
WISE = {
    "prompt_id": 401,
    "Prompt": "the plant often given on Mother's Day",
    "Explanation": "This refers to carnations.",
    "Category": "Cultural knowledge",
    "Subcategory": "Festival",
}


def table(folder: Path, row: dict[str, str]) -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(row), lineterminator="\n")
    writer.writeheader()
    writer.writerow(row)
    (folder / "q.csv").write_text(text.getvalue())
    return folder / "q.csv"


def file(folder: Path, content: Any, name: str = "q.jsonl") -> Path:
    (folder / name).write_text(json.dumps(content) + "\n")
    return folder / name


def read(path: Path, **texts: str) -> tuple[str, list[QuestionedPrompt]]:
    """Read a list of which nothing may be left out."""
    listed = read_question_list(path, None, lambda name: {f"{name}/{prompt}": text for prompt, text in texts.items()})
    listed.omissions.check()
    return listed.suite, listed.prompts


def test_geneval2(tmp_path: Path) -> None:
    suite, (prompt,) = read(file(tmp_path, GENEVAL2))
    assert (suite, prompt.prompt.prompt_id, prompt.prompt.task) == ("geneval2", "geneval2/00000", "atoms_4")
    assert prompt.prompt.text == GENEVAL2["prompt"]
    assert [(each.choices, each.answer, each.element_type, each.element) for each in prompt.questions] == [
        (("two", "three", "four", "five"), "four", "counting", "How many bicycles are in the image"),
        (("yes", "no"), "yes", "attribute", "Are the bicycles white"),
        (("yes", "no"), "no", "object", "Are there any cats in the image"),
        (("yes", "no"), "yes", "spatial", "Are the bicycles in front of the dog"),
    ]


@pytest.mark.parametrize("word", ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"])
def test_a_number_stands_among_four(tmp_path: Path, word: str) -> None:
    requested = GENEVAL2 | {"vqa_list": [["How many?", word.title()]], "skills": ["count"]}
    _, (prompt,) = read(file(tmp_path, requested))
    assert prompt.questions[0].answer == word
    assert len(prompt.questions[0].choices) == 4


def test_tiif(tmp_path: Path) -> None:
    suite, (prompt,) = read(file(tmp_path, TIIF))
    assert (suite, prompt.prompt.prompt_id, prompt.prompt.text, prompt.prompt.task) == (
        "tiif", "tiif/00000", "More red fish than frogs.", "comparison+color",
    )  # fmt: skip
    assert [(each.text, each.answer, each.element_type) for each in prompt.questions] == [
        ("Are there fish in the image?", "yes", "color"), ("Are there fewer fish than frogs?", "no", "color"),
    ]  # fmt: skip
    # as published, the questions stand apart from the texts
    bare = {key: value for key, value in TIIF.items() if "description" not in key}
    _, (other,) = read(file(tmp_path, bare), **{"00000": "More fish."})
    assert (other.prompt.text, other.questions) == ("More fish.", prompt.questions)


def test_oneig(tmp_path: Path) -> None:
    suite, (prompt, other) = read(file(tmp_path, ONEIG, "anime.json"), **{"000": "a cat on a dog", "001": "a cow"})
    assert (suite, prompt.prompt.prompt_id, prompt.prompt.text) == ("oneig", "oneig/000", "a cat on a dog")
    assert [each.parents for each in prompt.questions] == [(), (), ("is-there-a-cat", "is-there-a-dog")]
    assert [each.text for each in other.questions] == ["Is there a cow?"]
    with pytest.raises(InputError, match=r"there is no prompt .oneig/000. yet: import the suite's prompts first"):
        read(file(tmp_path, ONEIG, "anime.json"))


def test_unigenbench(tmp_path: Path) -> None:
    suite, (prompt,) = read(table(tmp_path, UNIGENBENCH))
    assert (suite, prompt.prompt.prompt_id, prompt.prompt.task) == ("unigenbench", "unigenbench/7", "Creative Divergence")
    assert [each.element_type for each in prompt.questions] == ["counting", "material", "other"]
    assert (
        prompt.questions[1].text == "Does the image show what the prompt asks for here: one is of glass (Attribute - Material)?"
    )


def test_wise(tmp_path: Path) -> None:
    suite, (prompt,) = read(file(tmp_path, [WISE], "cultural.json"))
    assert (suite, prompt.prompt.prompt_id, prompt.prompt.task) == ("wise", "wise/401", "Cultural knowledge/Festival")
    assert [(each.question_id, each.choices, each.answer) for each in prompt.questions] == [
        (name, ("0", "1", "2"), "2") for name in ("consistency", "realism", "aesthetic-quality")
    ]
    assert prompt.questions[0].text.endswith("Explanation: This refers to carnations.")


@pytest.mark.parametrize(
    ("entry", "change", "why"),
    [
        (GENEVAL2, {"prompt": 3}, "'prompt' is 3, a text expected"),
        (GENEVAL2, {"atom_count": 0}, "'atom_count' is 0, a whole number of at least 1 expected"),
        (GENEVAL2, {"vqa_list": {}}, "'vqa_list' is {}, a list expected"),
        (GENEVAL2, {"vqa_list": [], "skills": []}, "there is no question about this prompt"),
        (GENEVAL2, {"skills": ["count"]}, "'vqa_list' has 4 questions, 'skills' has 1; one for each expected"),
        (GENEVAL2, {"vqa_list": [["Is it?"]], "skills": ["object"]}, "question, answer"),
        (GENEVAL2, {"vqa_list": [["Is it?", "perhaps"]], "skills": ["object"]}, "'vqa_list' has .perhaps., yes or no expected"),
        (
            GENEVAL2,
            {"vqa_list": [["Is it?", "yes"], ["Is it?", "no"]], "skills": ["object"] * 2},
            "is asked twice about one prompt",
        ),
        (TIIF, {"type": None}, "'type' is None, a text expected"),
        (TIIF, {"yn_question_list": ["?"]}, "'yn_question_list' has 1 texts, 'yn_answer_list' has 2; as many expected"),
        (TIIF, {"yn_answer_list": ["yes", "maybe"]}, "'yn_answer_list' has .maybe., yes or no expected"),
        (TIIF, {"short_description": " "}, "'short_description' is .+, a text expected"),
        (WISE, {"Prompt": None}, "'Prompt' is None, a text expected"),
        (WISE, {"Explanation": ""}, "'Explanation' is .+, a text expected"),
        (WISE, {"prompt_id": None}, "'prompt_id' is None, a number or a text expected"),
        (WISE, {"Category": 3}, "'Category' is 3, a text expected"),
    ],
)
def test_what_is_broken_is_refused_in_one_line(tmp_path: Path, entry: dict[str, Any], change: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        read(file(tmp_path, entry | change))
    assert "\n" not in str(caught.value)
    assert "q.jsonl:1: " in str(caught.value)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"question": "none"}, "'question' is .none., an object by question number expected"),
        ({"question": {"1": 3}}, "'question' is 3, a text expected"),
        ({"question": {}}, "there is no question about this prompt"),
        ({"dependency": []}, "'dependency' is .+, an object by question number expected"),
        (
            {"dependency": {"3": [9]}},
            "000: the dependency of .Is the cat on the dog.. on .question 9., which is no other question",
        ),
        ({"dependency": {"3": {"a": 1}}}, "000: 'dependency' of question 3 names"),
    ],
)
def test_oneig_that_is_broken(tmp_path: Path, change: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(file(tmp_path, {"000": ONEIG["000"] | change}, "anime.json"), **{"000": "a cat on a dog"})


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"index": ""}, "the id"),
        ({"prompt_en": ""}, "'prompt' is .+, a text expected"),
        ({"sub_dims_en": "{"}, "'sub_dims' is .+, a JSON object expected"),
        ({"sub_dims_en": '{"Testpoints": ["a"], "Testpoint Description": []}'}, "'Testpoints' has 1 entries, .+ has 0"),
        ({"sub_dims_en": '{"Testpoints": "a", "Testpoint Description": []}'}, "'Testpoints' is .a., a list expected"),
    ],
)
def test_unigenbench_that_is_broken(tmp_path: Path, change: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        read(table(tmp_path, UNIGENBENCH | change))


def test_a_table_without_its_columns(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"UniGenBench has the columns index, prompt_en and .+; DSG and DPG-Bench item_id.+; TIFA"
    ):
        read(table(tmp_path, {"index": "1", "prompt": "x"}))
