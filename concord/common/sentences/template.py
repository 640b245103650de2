"""Templates of sentences: a text with a code's values in braces, or a function of them.

Behind a colon stands what a value becomes: ``{n:,}`` a number as Python formats it, ``{n:s}`` the s of a plural,
``{names: and }`` several ones with this between them, ``{who:'s}`` whose it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from numbers import Integral
from typing import Any, Final

from agreement.reasons import Coded, Party

Template = str | Callable[..., str]

_PARTIES: Final[Mapping[Party, str]] = {
    Party.SCORER: "the scorer",
    Party.RATER: "the rater",
    Party.PEOPLE: "people",
    Party.SIMULATED_PEOPLE: "simulated people",
    Party.MEAN_OF_PEOPLE: "people's mean",
    Party.OTHERS: "the others",
    Party.MEAN_OF_OTHERS: "the others' mean",
    Party.FIRST_VARIABLE: "the first variable",
    Party.SECOND_VARIABLE: "the second variable",
    Party.SCORE_OF_MODEL: "the model's score",
    Party.SCORE_OF_PEOPLE: "people's score",
    Party.PASSES_LESS_PEOPLE: "what it passes less what people pass",
    Party.FAILS_OF_PEOPLE: "what people fail",
    Party.LENGTH_OF_PROMPT: "the prompt's length",
    Party.LENGTH_OF_QUESTION: "the question's length",
    Party.LENGTH_OF_REASON: "the reason's length",
    Party.NUMBER_OF_VOTES: "the number of votes",
    Party.METRIC: "the metric",
}


class _Who(str):
    """A party; ``'s`` says whose something is."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec == "'s":
            return f"{self}'" if self == _PARTIES[Party.OTHERS] else f"{self}'s"
        return super().__format__(spec)


class _Count(int):
    """A whole number; ``s`` is the s of what there are several of."""

    def __format__(self, spec: str) -> str:
        if spec == "s":
            return "" if self == 1 else "s"
        return super().__format__(spec)


class _Several(tuple[Any, ...]):
    """Values, between which the text behind the colon stands."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return spec.join(format(value) for value in self)


def fill(template: Template, said: Coded, text: Callable[[Coded], str]) -> str:
    """Return the sentence of a code by its template; ``text`` says in words what stands among its values."""
    values = {name: _formatted(value, text) for name, value in said.values}
    return template.format(**values) if isinstance(template, str) else template(**values)


def _formatted(value: Any, text: Callable[[Coded], str]) -> Any:
    """Return a value as a template takes it."""
    if isinstance(value, Coded):
        return _Who(text(value))
    if isinstance(value, Party):
        return _Who(_PARTIES[value])
    if isinstance(value, str):
        return _Who(value)
    if isinstance(value, tuple):
        return _Several(_formatted(part, text) for part in value)
    if isinstance(value, bool) or not isinstance(value, Integral):
        return value
    return _Count(value)
