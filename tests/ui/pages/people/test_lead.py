"""The sentence of People counts who has answered, and simulated people only while nobody else has."""

from __future__ import annotations

from concord.campaigns.crowd import Crowd, Person
from ui.pages.people.lead import finding


def person(name: str, answers: int, *, simulated: bool = False) -> Person:
    return Person(name, simulated, answers, None, None)


def test_simulated_people_are_counted_as_such_and_not_beside_people() -> None:
    drawn = (person("simulated Ada", 9, simulated=True), person("simulated Ben", 9, simulated=True))
    assert finding([Crowd(None, None, None, (*drawn, person("Ada", 0)))])[0] == "Two simulated people have answered"
    assert finding([Crowd(None, None, None, (*drawn, person("Ada", 3)))])[0] == "One person has answered"
    assert finding([Crowd(None, None, None, (person("Ada", 0),))]) == ("Nobody has answered yet", "")
