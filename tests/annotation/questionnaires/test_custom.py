"""A questionnaire of a user's own: what it may say, what it means, and how each mistake is told."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.questionnaires import registry
from annotation.questionnaires.base import FORM_KEYS, check, visible
from annotation.questionnaires.custom import LARGEST, YamlError, read, read_yaml
from annotation.questionnaires.form import Form, FormItem
from data.files import InputError
from data.records import Judgement

IMAGE, PAIR = FormItem("p"), FormItem("p", n_images=2, generators=("sd", "if"), order=(1, 0), images=("a", "b"))


def form(*questions: str, head: str = "name: mine") -> Form:
    return read("\n".join([head, "questions:", *(f"  - {{{question}}}" for question in questions)]))


def wrong(*questions: str, head: str = "name: mine") -> list[str]:
    with pytest.raises(InputError) as caught:
        form(*questions, head=head)
    return [problem.removeprefix("the questionnaire: ") for problem in caught.value.problems]


def keys(*questions: str) -> list[str]:
    return [option.key for question in form(*questions).build(IMAGE).questions for option in question.options]


def judgements_of(found: Form, answers: dict[str, Any], item: FormItem = IMAGE) -> list[tuple[str, str | None, str | None]]:
    derived = found.derive(item, answers)
    return [(j.aspect, j.target, j.reason if j.label is None else j.label) for j in derived]


def test_every_kind() -> None:
    found = form(
        "id: n, kind: count, text: t, aspect: count, target: cup",
        "id: c, kind: colors, text: t, options: [red, blue], aspect: color, target: cup, asked: red",
        "id: r, kind: relation, text: t, aspect: position, target: cup left of dog, asked: [left of, above]",
        "id: one, kind: choice, text: t, options: [a, b], aspect: letter",
        "id: many, kind: multi, text: t, options: [a, b], aspect: has_a, asked: a",
        "id: l, kind: likert, text: t, options: [low, mid, high], aspect: mood",
        "id: q, kind: likert, text: t, options: [1, 2, 3, 4, 5], aspect: quality",
        "id: w, kind: text, text: t, optional: true",
    )
    answers = {"n": 5, "c": ["blue"], "r": ["right of", "above"], "one": "b", "many": ["a", "b"], "l": "mid", "q": 4, "w": "x"}
    assert check(found.build(IMAGE), answers).errors == {}
    assert found.derive(IMAGE, answers) == [
        Judgement("count", "5", 5.0, "cup"),
        Judgement("color", "no", 0.0, "cup"),
        Judgement("position", "yes", 1.0, "cup left of dog"),
        Judgement("letter", "b", None),
        Judgement("has_a", "yes", 1.0),
        Judgement("mood", "mid", 2.0),
        Judgement("quality", "4", 4.0),
    ]
    assert found.scales == {
        "count": "ordinal:0-5", "color": "nominal", "position": "nominal", "letter": "nominal", "has_a": "nominal",
        "mood": "ordinal:low<mid<high", "quality": "ordinal:1-5",
    }  # fmt: skip


def test_words_that_yaml_usually_takes_for_something_else() -> None:
    found = form("id: a, kind: choice, text: No, options: [yes, no, on, 12:30, 2026-01-01, 1e3, null_], aspect: said")
    values = [option.value for option in found.build(IMAGE).questions[0].options]
    assert values == ["yes", "no", "on", "12:30", "2026-01-01", "1e3", "null_"]
    assert found.build(IMAGE).questions[0].text == "No"


def test_keys_are_found_where_none_is_given() -> None:
    assert keys("id: a, kind: choice, text: t, options: [yes, no, maybe]") == ["y", "n", "3"]
    assert keys("id: a, kind: choice, text: t, options: [{value: b, key: 2}, c, d]") == ["2", "c", "3"]
    assert keys("id: a, kind: likert, text: t, options: [0, 1, 2]") == ["0", "1", "2"]
    assert keys("id: a, kind: likert, text: t, options: [9, 10, 11]") == ["9", "a", "b"]
    assert keys("id: a, kind: multi, text: t, options: [left, {value: up, key: ArrowUp}]") == ["1", "ArrowUp"]
    many = keys(f"id: a, kind: choice, text: t, options: [{', '.join(f'v{k:02}' for k in range(29))}]")
    assert len(set(many)) == 29
    assert not set(many) & FORM_KEYS


def test_conditions() -> None:
    questionnaire = form(
        "id: a, kind: colors, text: t, options: [red, blue, green]",
        "id: b, kind: text, text: t, shown_if: {a: [red, blue]}",
        "id: c, kind: text, text: t, shown_if: {a: cannot_tell}",
        "id: d, kind: text, text: t, shown_if: {b: answered, a: blue}",
    ).build(IMAGE)
    assert visible(questionnaire, {}) == ["a"]
    assert visible(questionnaire, {"a": ["green"]}) == ["a"]
    assert visible(questionnaire, {"a": ["green", "red"], "b": "x"}) == ["a", "b"]
    assert visible(questionnaire, {"a": ["blue"], "b": "x"}) == ["a", "b", "d"]
    assert visible(questionnaire, {"a": "cannot_tell"}) == ["a", "c"]
    assert visible(questionnaire, {"a": "red"}) == ["a", "b"]


def test_blank_images_count_as_the_file_says() -> None:
    found = form(
        "id: n, kind: count, text: t, aspect: count, target: cup, if_blank: 0",
        "id: c, kind: colors, text: t, aspect: color, target: cup, asked: red, shown_if: {n: [1, 2, 3, 4, 5]}",
        "id: q, kind: likert, text: t, options: [1, 2, 3, 4, 5], aspect: quality",
        "id: e, kind: choice, text: t, options: [yes, no], aspect: empty, if_blank: yes",
    )
    assert judgements_of(found, {"blank_image": "yes", "n": 3}) == [
        ("count", "cup", "0"), ("quality", None, "blank_image"), ("empty", None, "yes"),
    ]  # fmt: skip


def test_each_image_of_a_pair_has_its_own_judgements() -> None:
    found = form(
        "id: best, kind: choice, text: t, options: [left, right, both], aspect: preference",
        "id: q, kind: likert, text: How good, options: [1, 2, 3, 4, 5], aspect: quality, each_image: true, if_blank: 1",
        "id: why, kind: choice, text: t, options: [a, b], aspect: reason, each_image: true, shown_if: {q: [1, 2]}",
        head="name: mine\nitem: pair",
    )
    questions = {question.id: question for question in found.build(PAIR).questions}
    assert {id_: question.member for id_, question in questions.items()} == {
        "best": None, "q_0": 0, "why_0": 0, "q_1": 1, "why_1": 1,
    }  # fmt: skip
    assert questions["q_1"].text == "Image 2: How good"
    assert [condition.question for condition in questions["why_1"].shown_if] == ["q_1"]
    answers = {"best": "left", "q_0": 5, "why_0": "b", "q_1": 2, "why_1": "a"}
    # on the left stands the second of the pair
    assert found.derive(PAIR, answers) == [
        Judgement("preference", "if", None),
        Judgement("quality", "5", 5.0, item_id="b"),
        Judgement("quality", "2", 2.0, item_id="a"),
        Judgement("reason", "a", None, item_id="a"),
    ]
    assert found.derive(PAIR, {"best": "both", "q_0": 5, "blank_image_1": "yes"})[1:] == [
        Judgement("quality", "5", 5.0, item_id="b"),
        Judgement("quality", "1", 1.0, item_id="a"),
        Judgement("reason", None, None, None, "blank_image", item_id="a"),
    ]
    assert "two generators" in (found.problem(FormItem("p", n_images=2, generators=("sd", "sd"))) or "")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("kind: count, text: t", "question 2: 'id' is missing; a text expected"),
        ("id: A b, kind: count, text: t", "question 'A b': 'id' is made of small letters"),
        ("id: blank_image_x, kind: count, text: t", "must not begin with blank_image"),
        ("id: a, kind: cuont, text: t", "question 'a': 'kind' is 'cuont'; did you mean count?"),
        ("id: a, kind: count", "question 'a': 'text' is missing"),
        ("id: a, kind: count, text: ''", "'text' is ''; a text expected"),
        ("id: a, kind: count, text: t, aspct: count", "unknown key 'aspct'; did you mean aspect?"),
        ("id: a, kind: count, text: t, options: [1]", "'options' are not chosen for the kind count"),
        ("id: a, kind: colors, text: t, options: [teal]", "'options' of colors are some of red"),
        ("id: a, kind: choice, text: t", "a list of 2 to 30 answers"),
        ("id: a, kind: choice, text: t, options: [b]", "a list of 2 to 30 answers"),
        ("id: a, kind: choice, text: t, options: [b, b]", "'options' holds one answer twice"),
        ("id: a, kind: choice, text: t, options: [1, '1']", "'options' holds one answer twice"),
        ("id: a, kind: choice, text: t, options: [1, 2]", "write numbers in quotes"),
        ("id: a, kind: choice, text: t, options: [true, b]", "'options' holds True; write it in quotes"),
        ("id: a, kind: choice, text: t, options: [[b], c]", "a word expected, or a map"),
        ("id: a, kind: choice, text: t, options: [b, cannot_tell]", "which the form offers itself"),
        ("id: a, kind: choice, text: t, options: [b, {value: c, key: u}]", "the key 'u' of 'C' belongs to the form"),
        ("id: a, kind: choice, text: t, options: [{value: b, key: k}, {value: c, key: k}]", "share the key 'k'"),
        ("id: a, kind: choice, text: t, options: [b, {value: c, key: F1}]", "'key' is 'f1'; a letter, a digit, or Arrow"),
        ("id: a, kind: likert, text: t, options: [1, 3]", "go up by one"),
        ("id: a, kind: likert, text: t, options: [-1, 0]", "from 0 or more"),
        ("id: a, kind: likert, text: t, options: [1, high]", "numbers or words, not both"),
        ("id: a, kind: likert, text: t, options: [a<b, c]", "must not hold '<'"),
        ("id: a, kind: count, text: t, aspect: quality", "has the scale ordinal:1-5, these answers ordinal:0-5"),
        ("id: a, kind: choice, text: t, options: [b, c], aspect: score", "'score' has the scale interval"),
        ("id: a, kind: choice, text: t, options: [b, c], aspect: present", "'present' is yes or no; offer yes and no"),
        ("id: a, kind: choice, text: t, options: [b, c], aspect: Big One", "'aspect' is 'Big One'; small letters"),
        ("id: a, kind: multi, text: t, options: [b, c], aspect: x", "list in 'asked' which of them mean yes"),
        ("id: a, kind: text, text: t, aspect: x", "free text is stored but not judged"),
        ("id: a, kind: count, text: t, target: cup", "and there is none"),
        ("id: a, kind: choice, text: t, options: [b, c], aspect: x, asked: d", "'asked': 'd' is not among its answers"),
        ("id: a, kind: choice, text: t, options: [b, c], aspect: x, asked: []", "'asked' is empty"),
        ("id: a, kind: count, text: t, aspect: count, if_blank: 9", "'if_blank' is 9, which is no answer to it"),
        ("id: a, kind: count, text: t, each_image: true", "here every question is about the one image"),
        ("id: a, kind: count, text: t, optional: maybe", "'optional' is 'maybe'; true or false expected"),
        ("id: a, kind: count, text: t, shown_if: b", "'shown_if' must be a map"),
        ("id: a, kind: count, text: t, shown_if: {b: 1}", "'shown_if' names 'b', which is no earlier question's id"),
        ("id: a, kind: count, text: t, shown_if: {z: 9}", "9 is no answer to 'z'"),
        ("id: a, kind: count, text: t, shown_if: {z: []}", "no answer to 'z' is named"),
        ("id: z_0, kind: count, text: t", "'id' is another question's too"),
        ("id: z, kind: count, text: t", "'id' is another question's too"),
        ("id: a, kind: count, text: t, aspect: count, target: cup", "question 'a': 'z' judges 'count' of 'cup' already"),
        ("id: a, kind: choice, text: t, options: [left, right], aspect: preference", "'preference' is for a pair"),
    ],
)  # fmt: skip
def test_errors_name_the_question(question: str, words: str) -> None:
    results = wrong("id: z, kind: count, text: t, aspect: count, target: cup", question)
    assert len(results) == 1
    assert words in results[0]
    assert "\n" not in results[0]


def test_every_mistake_has_a_line_of_its_own() -> None:
    results = wrong("id: a, kind: count", "id: b, kind: count, text: t", "3", "id: c, kind: x, text: t")
    assert [line.split(":")[0] for line in results] == ["question 'a'", "question 3", "question 'c'"]


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("name: visor", "'name' is 'visor', which is another questionnaire's"),
        ("name: A B", "'name' is 'A B'; small letters"),
        ("nmae: x", "unknown key 'nmae'; did you mean name?"),
        ("version: 1", "'name' is missing"),
        ("name: x\nitem: picture", "'item' is 'picture'; image, group, pair expected"),
        ("name: x\nitem: [image]", "image, group, pair expected"),
        ("name: x\ninstructions: [a]", "'instructions' must be a map of headings"),
        ("name: x\ninstructions: {a: b}", "under 'a' a list of lines expected"),
    ],
)
def test_mistakes_of_the_whole(head: str, words: str) -> None:
    (result,) = wrong("id: a, kind: count, text: t", head=head)
    assert words in result


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "a map with 'name' and 'questions' expected"),
        ("- 1", "a map with 'name' and 'questions' expected"),
        ("name: x", "'questions' must be a list"),
        ("name: x\nquestions: {}", "'questions' must be a list"),
        ("name: x\nquestions: [" + "{id: a}, " * 61 + "]", "61 questions; at most 60"),
        ("name: [", "line 1: "),
        ("a: 1\nb: 2\na: 3", "line 3: the key 'a' stands twice"),
        ("a: &x 1\nb: *x", "line 2: aliases"),
        ("a: &x [*x]", "line 1: aliases"),
        ("a: !!python/object/apply:os.system ['x']", "line 1: tags (!name) are not read"),
        ("? [a]\n: 1", "line 1: a key must be a word"),
        ("[" * 50_000, "nested too deeply"),
        ("a: \0", "special characters are not allowed"),
        ("a: 1\n---\nb: 2", "line 2: but found another document"),
        ("#" * (LARGEST + 1), f"at most {LARGEST} are read"),
    ],
)
def test_texts_that_are_none(text: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text, "mine.yaml")
    assert words in str(caught.value)
    assert str(caught.value).startswith("mine.yaml: ")
    assert "\n" not in str(caught.value)


@settings(max_examples=200, deadline=None)
@given(st.text("abkx:{}[]-,'\"&*!?|># \n\t0123", max_size=60))
def test_no_text_does_anything_else(text: str) -> None:
    with contextlib.suppress(YamlError):
        json.dumps(read_yaml(text))


def test_the_definition_makes_the_version_of_the_rules() -> None:
    one, other = (form(f"id: a, kind: count, text: {text}") for text in ("t", "u"))
    assert one.rule_version != other.rule_version
    assert one.rule_version == form("id: a, kind: count, text: t").rule_version
    assert registry.get("mine", "name: mine\nquestions: [{id: a, kind: count, text: t}]").name == "mine"


_GERMAN = """
instructions: {Look: [Once.]}
translations:
  de:
    Look: Schau hin
    Once.: Einmal.
    Is it red?: Ist es rot?
    Squint.: Blinzeln.
    Yes: Ja
    No: Nein
    The image is blank: Leer
"""
_RED = "id: red, kind: choice, text: 'Is it red?', help: Squint., options: [yes, no], aspect: correct"


def test_a_questionnaire_in_another_language_stores_the_same_values() -> None:
    found = form(_RED, head="name: mine" + _GERMAN)
    questionnaire = found.build(IMAGE)
    assert questionnaire.translations["de"] == {
        "Look": "Schau hin", "Once.": "Einmal.", "Is it red?": "Ist es rot?", "Squint.": "Blinzeln.", "Yes": "Ja", "No": "Nein",
        "The image is blank": "Leer",
    }  # fmt: skip
    assert [option.value for option in questionnaire.questions[0].options] == ["yes", "no"]
    each = "id: q, kind: count, text: 'How many?', each_image: true"
    pair = form(each, head="name: mine\nitem: pair\ntranslations: {de: {'How many?': 'Wie viele?'}}").build(PAIR)
    assert [pair.translations["de"][question.text] for question in pair.questions] == ["1: Wie viele?", "2: Wie viele?"]


@pytest.mark.parametrize(
    ("translations", "words"),
    [
        ("[de]", "'translations' must be a map of languages, each a map"),
        ("{de: Ja}", "'translations' must be a map of languages, each a map"),
        ("{de: {'Is it red?': 'Ist es rot?'}}", "translations, 'de': 3 texts are missing, such as 'Squint.'"),
        ("{de: {'Is it read?': 'Ist es rot?'}}", "'Is it read?' is no text of this questionnaire; did you mean Is it red?"),
        ("{German: {Yes: Ja}}", "translations, 'German': a language is two or three small letters, such as de"),
        ("{de: {Yes: [Ja]}}", "translations, 'de': 'Yes' is "),
    ],
)
def test_mistakes_of_translations_are_a_line_each(translations: str, words: str) -> None:
    (problem,) = wrong(_RED, head=f"name: mine\ntranslations: {translations}")
    assert words in problem
