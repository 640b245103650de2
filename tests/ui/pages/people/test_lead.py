"""The sentence of People counts who has answered, and simulated people only while nobody else has."""

from __future__ import annotations

from agreement.estimate import Estimate
from concord.campaigns.crowd import Crowd, Person
from ui.pages.people.lead import finding, lead


def person(name: str, answers: int, *, simulated: bool = False) -> Person:
    return Person(name, simulated, answers, None, None)


def test_simulated_people_are_counted_as_such_and_not_beside_people() -> None:
    drawn = (person("simulated Ada", 9, simulated=True), person("simulated Ben", 9, simulated=True))
    assert finding([Crowd(None, None, None, (*drawn, person("Ada", 0)))])[0] == "Two simulated people have answered"
    assert finding([Crowd(None, None, None, (*drawn, person("Ada", 3)))])[0] == "One person has answered"
    assert finding([Crowd(None, None, None, (person("Ada", 0),))]) == ("Nobody has answered yet", "")


def test_a_headline_counts_the_people_of_the_crowd_that_it_is_about() -> None:
    study = Crowd(None, None, Estimate(value=0.7, low=0.6, high=0.8), tuple(person(name, 20) for name in ("Ada", "Ben", "Cyd")))
    others = Crowd(None, None, Estimate(value=0.2, low=0.1, high=0.3), tuple(person(name, 2) for name in ("Dan", "Eve")))
    headline, number = finding([study, others])
    assert headline == "Three people answer alike"
    assert number.startswith("3 people agree at α 0.70")


def test_answers_of_people_without_names_are_not_nobody() -> None:
    said = str(lead([], [], 1600))
    assert "1,600 answers of people without names" in said
    assert "Nobody" not in said
