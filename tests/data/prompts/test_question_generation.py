"""What a language model wrote: read however it was mangled, and nothing lost without a word."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.prompts.question_generation import (
    INSTRUCTIONS,
    Drop,
    Dropped,
    Parsed,
    format_caption,
    matching_choice,
    parse_questions,
    prompt_examples,
    split_choices,
)
from data.prompts.questions import ELEMENT_TYPES, MAX_QUESTIONS, QuestionedPrompt, format_questions, read_questions
from data.records import Prompt

OUTPUT = """\
 dogs, beach
Activities: run
Colors:
Counting: two
Other attributes: wet
Questions and answers are below:
About dogs (animal):
Q: are there dogs?
Choices: yes, no
A: yes
Q: what animals are there?
Choices: dogs, cats, cows, birds
A: dogs
About beach (location):
Q: is this a beach?
Choices: yes, no
A: yes
About two (counting):
Q: how many dogs are there?
Choices: 1, 2, 3, 4
A: 2
"""


def parse_single(question: str, about: str = "About dog (animal):\n") -> Parsed:
    return parse_questions(f"{about}{question}\n")


def dropped(question: str, about: str = "About dog (animal):\n") -> list[Drop]:
    parsed = parse_single(question, about)
    assert parsed.kept == ()
    return [each.reason for each in parsed.dropped]


def test_as_the_released_model_writes_it() -> None:
    parsed = parse_questions(OUTPUT)
    assert [(q.text, q.choices, q.answer, q.element_type, q.element) for q in parsed.kept] == [
        ("are there dogs?", ("yes", "no"), "yes", "animal/human", "dogs"),
        ("what animals are there?", ("dogs", "cats", "cows", "birds"), "dogs", "animal/human", "dogs"),
        ("is this a beach?", ("yes", "no"), "yes", "location", "beach"),
        ("how many dogs are there?", ("1", "2", "3", "4"), "2", "counting", "two"),
    ]
    assert (parsed.dropped, parsed.unknown_types, parsed.stray) == ((), (), 0)
    assert [q.question_id for q in parsed.kept][:2] == ["are-there-dogs", "what-animals-are-there"]


@pytest.mark.parametrize(
    "text",
    [
        "**About dog (Animal):**\n\n1. **Q:** is it red?\n   **Choices:** yes, no\n   **A:** Yes.",
        "- About dog (HUMAN)\n- Q: is it red?\n- Choices: (A) yes (B) no\n- A: (A) yes",
        "About dog (animals):\nQuestion 1: is it red?\nOptions: [\"yes\", 'no']\nAnswer: YES",
        "About dog (animal): Q: is it red? Choices: yes, no A: yes",
        "About dog (animal):\r\nQ:\r\nis it red?\r\nChoices:\r\nA) yes\r\nB) no\r\nA:\r\nyes",
        "> About dog ( animal ):\n> Q: is it red?\n> Choices: yes / no\n> A: (A)",
        "About dog (animal:\nQ: is it red?\nsure, let me think\nColors: red\nChoices: yes or no.\nA: yes!\nA: no",
        "About dog (person):\u2028Q: is it\x00red?\u2028Choices: 'yes', 'no'\u2028A: “yes”",
        "About dog (animal)\n2) Q1. is it red?\nChoices:\n- yes\n- no\n\nA1: yes",
    ],
)
def test_noise_around_questions_is_ignored(text: str) -> None:
    (question,) = parse_questions(text).kept
    assert (question.text, question.choices, question.answer) == ("is it red?", ("yes", "no"), "yes")
    assert (question.element, question.element_type) == ("dog", "animal/human")


@pytest.mark.parametrize(
    ("about", "element", "kind"),
    [
        ("About 3D (three dimensional) render (attribute):", "3D (three dimensional) render", "attribute"),
        ("About to the left of (spatial relation):", "to the left of", "spatial"),
        ("About gray (Colour):", "gray", "color"),
        ("About 3 (number)", "3", "counting"),
        ("About (fluffy) dog (animal/human):", "(fluffy) dog", "animal/human"),
        ("about steampunk (OTHER) :", "steampunk", "other"),
    ],
)
def test_elements_and_their_types(about: str, element: str, kind: str) -> None:
    parsed = parse_single("Q: is it so?\nChoices: yes, no\nA: yes", f"{about}\n")
    assert [(q.element, q.element_type) for q in parsed.kept] == [(element, kind)]
    assert parsed.unknown_types == ()


@pytest.mark.parametrize(
    ("about", "written"), [("vapor (mood (dark)):", "mood (dark)"), ("vapor (weather):", "weather"), ("vapor:", "")]
)
def test_an_unknown_type_becomes_other_and_is_reported(about: str, written: str) -> None:
    parsed = parse_single("Q: is it so?\nChoices: yes, no\nA: yes", f"About {about}\n")
    assert [(q.element, q.element_type) for q in parsed.kept] == [("vapor", "other")]
    assert parsed.unknown_types == (written,)


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Q:\nChoices: yes, no\nA: yes", Drop.NO_QUESTION),
        ("Q: ???\nChoices: yes, no\nA: yes", Drop.NO_QUESTION),
        ("Q: red?\nA: yes", Drop.NO_CHOICES),
        ("Q: red?\nChoices:\nA: yes", Drop.NO_CHOICES),
        ("Q: red?\nChoices: yes\nA: yes", Drop.FEW_CHOICES),
        ("Q: red?\nChoices: yes, Yes\nA: yes", Drop.FEW_CHOICES),
        ("Q: red?\nChoices: 1, 2, 3, 4, 5, 6, 7, 8, 9\nA: 1", Drop.MANY_CHOICES),
        ("Q: red?\nChoices: yes, no\nA: maybe", Drop.ANSWER_NOT_A_CHOICE),
        ("Q: red?\nChoices: yes, no\nA: (C)", Drop.ANSWER_NOT_A_CHOICE),
        ("Q: red?\nChoices: yes, no\nA: (B) yes", Drop.ANSWER_NOT_A_CHOICE),
        ("Q: which?\nChoices: T-shirt, t shirt\nA: t.shirt", Drop.ANSWER_NOT_A_CHOICE),
        ("Q: red?\nChoices: yes, no", Drop.TRUNCATED),
        ("Q: red?\nChoices: yes, no\nA:", Drop.TRUNCATED),
        ("Q: red?", Drop.TRUNCATED),
        (f"Q: {'x' * 2001}\nChoices: yes, no\nA: yes", Drop.TOO_LONG),
        (f"Q: red?\nChoices: {'x, ' * 700}\nA: x", Drop.TOO_LONG),
    ],
)
def test_why_a_question_is_dropped(question: str, reason: Drop) -> None:
    assert dropped(question) == [reason]


def test_why_a_question_is_dropped_for_its_context() -> None:
    assert dropped("Q: red?\nChoices: yes, no\nA: yes", "") == [Drop.NO_ELEMENT]
    parsed = parse_single("Q: red?\nChoices: yes, no\nQ: RED\nChoices: yes, no\nA: yes\nQ: red\nChoices: a, b\nA: a")
    assert [q.text for q in parsed.kept] == ["RED"]
    assert parsed.dropped == (Dropped(Drop.NO_ANSWER, "red?"), Dropped(Drop.DUPLICATE, "red"))
    cut = parse_questions("About dog (animal):\nQ: what is it?\nChoices: surfer, swimmer\nA: surf")
    assert [each.reason for each in cut.dropped] == [Drop.TRUNCATED]
    many = parse_single("\n".join(f"Q: is it {k}?\nChoices: yes, no\nA: yes" for k in range(MAX_QUESTIONS + 2)))
    assert (len(many.kept), [each.reason for each in many.dropped]) == (MAX_QUESTIONS, [Drop.TOO_MANY] * 2)


def test_stray_lines_are_counted() -> None:
    assert parse_single("Choices: yes, no\nA: yes\nQ: red?\nChoices: yes, no\nChoices: a, b\nA: yes\nA: no").stray == 4


def test_a_model_that_goes_on_with_other_descriptions() -> None:
    more = f"{OUTPUT}\nDescription: a cat\nEntities: cat\nAbout cat (animal):\nQ: is there a cat?\nChoices: yes, no\nA: yes\n"
    parsed = parse_questions(more, "Two dogs run  on a beach.")
    assert len(parsed.kept) == 4
    assert parsed.dropped == (Dropped(Drop.OTHER_DESCRIPTION, "is there a cat?"),)
    # the caption itself, said again, begins nothing else
    assert len(parse_questions(f"Description: two dogs run on a beach\n{OUTPUT}", "Two dogs run  on a beach.").kept) == 4
    assert len(parse_questions(more).kept) == 5


@pytest.mark.parametrize(
    ("text", "answer", "choices"),
    [
        ("red, white and blue, green", "red, white and blue", ["red, white and blue", "green"]),
        ("red, white, blue, green, black", "white, blue", ["red", "white, blue", "green", "black"]),
        ("Paris, France, Rome, Italy", "Rome, Italy", ["Paris, France", "Rome, Italy"]),
        ("1,000, 2,000, 30,000", "1,000", ["1,000", "2,000", "30,000"]),
        ("1,2,3,4", "2", ["1", "2", "3", "4"]),
        ("fruit (apple, pear), bread", "bread", ["fruit (apple, pear)", "bread"]),
        ("flat, 3D (as in films, games", "flat", ["flat", "3D (as in films, games"]),
        ("a) red, b) blue, or c) green.", "red", ["red", "blue", "green"]),
        ("a) red, b) blue, c) green.", "red", ["red", "blue", "green"]),
        ("red, blue, or green.", "red", ["red", "blue", "green"]),
        ("left; right; above", "left", ["left", "right", "above"]),
        ("A: yes, B: no", "yes", ["yes", "no"]),
        ("Dr. X, St. Y.", "x", ["Dr. X", "St. Y"]),
        ("", "", []),
        (" , ,", "", []),
    ],
)
def test_choices_on_a_single_line(text: str, answer: str, choices: list[str]) -> None:
    assert split_choices(text, answer) == choices


@pytest.mark.parametrize(
    ("answer", "choices", "expected"),
    [
        ("yes", ("yes", "no"), "yes"),
        ("Yes.", ("yes", "no"), "yes"),
        ("T-shirt", ("t shirt", "coat"), "t shirt"),
        ("3d", ("3D", "3-D"), "3D"),
        ("+", ("+", "-"), "+"),
        ("*", ("+", "-"), None),
        ("(b)", ("yes", "no"), "no"),
        ("b", ("yes", "no"), None),
        ("", ("yes", "no"), None),
        ("yes, it is", ("yes", "no"), None),
    ],
)
def test_which_choice_is_meant(answer: str, choices: tuple[str, ...], expected: str | None) -> None:
    assert matching_choice(answer, choices) == expected


def test_the_examples_are_of_their_own_format_and_cover_all_types() -> None:
    found = [parse_questions(example.answer, example.caption) for example in prompt_examples()]
    assert len(found) == 15
    assert [(parsed.dropped, parsed.unknown_types, parsed.stray) for parsed in found] == [((), (), 0)] * 15
    assert {q.element_type for parsed in found for q in parsed.kept} == set(ELEMENT_TYPES)
    assert {*ELEMENT_TYPES, "animal", "human"} - {"animal/human"} <= set(re.findall(r"\w+", INSTRUCTIONS))
    for example, parsed in zip(prompt_examples(), found, strict=True):
        # each element is listed before it is asked about, and yes/no questions come with others
        assert example.answer.count("About ") == len({q.element for q in parsed.kept})
        assert not all(q.is_yes_no for q in parsed.kept)
    assert format_caption(" a\ncat ") == "Description: a cat"


LINES = tuple(line for example in prompt_examples() for line in example.answer.split("\n"))
# without "Q." and other marks
NOISE = st.one_of(st.text(max_size=30).map(lambda text: re.sub("[qQ:：]", "", text)), st.sampled_from(["", "```", "3D)"]))


def readable(path: Path, parsed: Parsed) -> None:
    """What was kept is what ``import questions`` takes."""
    if parsed.kept:
        prompt = QuestionedPrompt(Prompt("mine/1_1", "mine", "x", "1"), parsed.kept)
        path.write_text(format_questions([prompt]), encoding="utf-8", newline="")
        assert read_questions(path, "mine") == [prompt]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_mangled_output_is_read_and_every_question_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(LINES) - 40))
    lines = list(LINES[start : start + 40])
    if data.draw(st.booleans()):
        random.Random(data.draw(st.integers(0, 999))).shuffle(lines)
    for index in data.draw(st.lists(st.integers(0, 39), max_size=8)):
        label = data.draw(st.sampled_from(["drop", "double", "noise", "bold", "upper", "half", "huge", "bracket", "indent"]))
        line = lines[index]
        lines[index] = {
            "drop": "",
            "double": f"{line}\n{line}",
            "noise": f"{data.draw(NOISE)}\n{line}",
            "bold": f"**{line}**",
            "upper": line.upper(),
            "half": line[: len(line) // 2],
            "huge": line + "x" * 3000,
            "bracket": line.replace(" ", " (3D ", 1),
            "indent": f"  - {line}",
        }[label]
    text = "\n".join(lines)[: data.draw(st.integers(0, 3000))]
    parsed = parse_questions(text)
    seen = len(re.findall(r"(?m)^[ -]*Q:|(?<=\s)Q:(?=\s)", text.replace("**", "")))
    assert len(parsed.kept) + len(parsed.dropped) == seen
    assert all(q.answer in q.choices and q.element_type in ELEMENT_TYPES and q.parents == () for q in parsed.kept)
    readable(tmp_path_factory.getbasetemp() / "mangled.jsonl", parsed)


@settings(deadline=None, max_examples=150)
@given(
    st.one_of(
        st.text(),
        st.lists(st.sampled_from(["Q:", "A:", "Choices:", "About", "(", ")", ",", "\n", " ", "\ud800", '"', "a"])).map("".join),
    )
)
def test_any_text_is_parsed_without_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    readable(tmp_path_factory.getbasetemp() / "any.jsonl", parse_questions(text, text))


@pytest.mark.parametrize("piece", ["Q: a?\nChoices: a, b\nA: a\n", "(", "a, ", "**", "Q: ", "\n", "About (", "Choices: a, "])
def test_a_huge_text_is_read(piece: str) -> None:
    text = f"About dog (animal):\nQ: a?\nChoices: {piece * 20_000}"
    parsed = parse_questions(text)
    assert len(parsed.kept) <= 1
    assert len(parsed.dropped) >= 1
