"""Every prompt of the suites that have specs is asked about in all that it says; what it says is read here from the published
objects themselves, not through our own ``Spec``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from data.prompts import geneval_suite, sr2d_suite
from data.prompts.questions import PromptQuestion, questions_from_spec
from data.records import Prompt
from data.spec import parse_spec

PLACES = {"left of": "to the left of", "right of": "to the right of", "above": "above", "below": "below"}
NUMBERS = {2: "two", 3: "three", 4: "four"}


def demands_of_geneval(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """(kind, what must stand in the yes/no question, the other question's answer) of each demand."""
    names = [entry["class"] for entry in spec["include"]]
    for entry in spec["include"]:
        name = entry["class"]
        yield "object", f" {name}?", name
        if spec["tag"] == "counting":
            yield "counting", f"are there {NUMBERS[entry['count']]} ", str(entry["count"])
        if "color" in entry:
            yield "color", f"is the {name} {entry['color']}?", entry["color"]
        if "position" in entry:
            relation, other = entry["position"]
            yield "spatial", f"is the {name} {PLACES[relation]} the {names[other]}?", relation


def demands_of_sr2d(spec: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name in (spec[key] for key in ("a", "b") if key in spec):
        yield "object", f" {name}?", name
    if (relation := spec.get("relation")) is not None:
        of = {"left": "left of", "right": "right of"}.get(relation, relation)
        yield "spatial", f"is the {spec['a']} {PLACES[of]} the {spec['b']}?", of


def uncovered(questions: Sequence[PromptQuestion], said: Iterator[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Demands that lack one of their two questions."""
    things = {"object", "animal/human", "food"}

    def covered(kind: str, words: str, answer: str) -> bool:
        of_kind = [
            question
            for question in questions
            if (question.element_type in things if kind == "object" else question.element_type == kind)
        ]
        return any(question.is_yes_no and question.answer == "yes" and words in question.text for question in of_kind) and any(
            not question.is_yes_no and question.answer == answer for question in of_kind
        )

    return [demand for demand in said if not covered(*demand)]


def check(prompts: Sequence[Prompt], said: Any, n: int) -> None:
    demands = {prompt.prompt_id: list(said(prompt.spec)) for prompt in prompts}
    assert (len(prompts), all(demands.values())) == (n, True)
    missing = {
        prompt.prompt_id: lacking
        for prompt in prompts
        if (lacking := uncovered(questions_from_spec(parse_spec(prompt.spec)), iter(demands[prompt.prompt_id])))
    }
    assert missing == {}


def test_questions_cover_all_of_geneval() -> None:
    check(geneval_suite.sample(), demands_of_geneval, 553)


def test_questions_cover_a_sample_of_sr2d_with_all_relations() -> None:
    check(sr2d_suite.all_prompts()[::47], demands_of_sr2d, 675)


@pytest.mark.slow
def test_questions_cover_all_of_sr2d() -> None:
    check(sr2d_suite.all_prompts(), demands_of_sr2d, 31_680)


def test_the_check_reports_uncovered_demands() -> None:
    spec = {"a": "cup", "b": "dog", "relation": "left"}
    questions = questions_from_spec(parse_spec(spec))
    for k, lost in enumerate(("object", "object", "object", "object", "spatial", "spatial")):
        without = [question for n, question in enumerate(questions) if n != k]
        assert [kind for kind, *_ in uncovered(without, demands_of_sr2d(spec))] == [lost]
