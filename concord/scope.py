"""Scope: what a place of Studio shows. One suite, one question, some generators, a task and a statistic.

It is read from an address and written into it by the names of the commands' options, so that a place, a command and a call of
the library that say the same show the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agreement.catalogue import TWO_AT_A_GLANCE
from concord.agreement import scales_of
from concord.common import live_updates, wording
from data.aspects import MOVED_ASPECTS, YES_NO_ASPECTS
from data.selection import Selection
from data.store.browse import contents, scopes
from data.store.browse.scopes import ScopeSize
from data.store.core.store import Store
from data.validation import did_you_mean

ALL: Final = "all"
NAMES: Final = ("suite", "aspect", "generator", "task", "statistic")
"""The names in an address, which are those of the commands' options."""
MAIN_ASPECTS: Final = ("correct", "faithfulness", "caption_fit", "caption_match")
"""What people's answers are summed up by, in this order of preference."""
_LONGEST: Final = 1000
_MOST_GENERATORS: Final = 200


@dataclass(frozen=True, slots=True)
class Scope:
    """What is asked for.

    Attributes:
        suite: empty for the one that opens first.
        aspect: the question; empty for the suite's main one.
        generator: names; empty for all.
        task: empty for all.
        statistic: of agreement; empty for the usual one of each rater.
    """

    suite: str = ""
    aspect: str = ""
    generator: tuple[str, ...] = ()
    task: str = ""
    statistic: str = ""

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> Scope:
        """Return the scope that an address asks for; what is too long for a name is none."""

        def last(name: str) -> str:
            given = [value for value in values(name) if value and value != ALL and len(value) <= _LONGEST]
            return given[-1] if given else ""

        chosen = tuple(dict.fromkeys(name for name in values("generator") if name and len(name) <= _LONGEST))
        return cls(last("suite"), last("aspect"), chosen[:_MOST_GENERATORS], last("task"), last("statistic"))

    def query(self) -> list[tuple[str, str]]:
        """Return the names and values of its address; what is empty is left out."""
        single = [("suite", self.suite), ("aspect", self.aspect), ("task", self.task), ("statistic", self.statistic)]
        pairs = [pair for pair in single if pair[1]] + [("generator", name) for name in self.generator]
        return sorted(pairs, key=lambda pair: NAMES.index(pair[0]))

    @property
    def selection(self) -> Selection:
        """The items and the question, without the task: numbers of one task are rows of the same report."""
        aspect = (self.aspect,) if self.aspect else ()
        return Selection(suite=(self.suite,) if self.suite else (), generator=self.generator, aspect=aspect)

    def within(self, selection: Selection) -> Selection:
        """Return a selection with the suite and the question of this scope, and its generators where it names some."""
        own = self.selection
        return replace(selection, suite=own.suite, aspect=own.aspect, generator=own.generator or selection.generator)

    @property
    def narrow(self) -> Selection:
        """The items and the question, of the task alone."""
        return replace(self.selection, task=(self.task,) if self.task else ())


@dataclass(frozen=True, slots=True)
class ScopeChoice:
    """A value that a part of the scope may have.

    Attributes:
        value: empty for all, or for the usual one.
        title: in words.
        images: how many it has; None where that is no question.
        reason: why it cannot be chosen here; empty where it can.
    """

    value: str
    title: str
    images: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OpenScope:
    """A scope as a project can follow it.

    Attributes:
        scope: with suite and question filled in.
        asked: what the address says, as far as it is followed: what is empty here is the default.
        choices: by the name in the address.
        size: what it leaves.
        lost: lines about what of the address there is not.
    """

    scope: Scope
    asked: Scope
    choices: Mapping[str, tuple[ScopeChoice, ...]]
    size: ScopeSize
    lost: tuple[str, ...]


def current_aspect(name: str, known: Collection[str]) -> str:
    """Return the name that an aspect of an old address has now, where the project knows that alone; else the name itself."""
    now = MOVED_ASPECTS.get(name, name)
    return now if name not in known and now in known else name


def main_suite(store: Store) -> str | None:
    """Return the suite that opens first: where people and scorers judged most images together, else where most is judged."""
    suites = contents.judged_suites(store)
    if not suites:
        return None
    meetings = contents.meetings(store)
    return max(sorted(suites), key=lambda name: meetings.get(name, (0, 0, 0)))


@live_updates.cached(maxsize=64)
def open_scope(store: Store, asked: Scope) -> OpenScope | None:
    """Return what of a scope this project has; None where nothing has been judged yet."""
    judged = contents.judged_suites(store)
    first = main_suite(store)
    if first is None:
        return None
    lost: list[str] = []

    def known(value: str, among: Sequence[str], words: str) -> str:
        if not value or value in among:
            return value
        lost.append(f"There is no {words} {value!r} here; {did_you_mean(value, among)}")
        return ""

    suite = known(asked.suite, sorted(judged), "suite")
    here = judged[suite or first]
    aspects = here.aspects or ["correct"]
    aspect = known(current_aspect(asked.aspect, aspects), aspects, "question")
    main = next((name for name in MAIN_ASPECTS if name in aspects), aspects[0])
    chosen = tuple(name for name in asked.generator if known(name, here.generators, "generator"))
    if len(chosen) == len(here.generators):
        chosen = ()
    task = known(asked.task, here.tasks, "task")
    statistics = _statistics(store, suite or first, aspect or main)
    usable = [each.value for each in statistics if not each.reason]
    statistic = known(asked.statistic, usable, "statistic of this question")
    followed = Scope(suite, aspect, chosen, task, statistic)
    scope = replace(followed, suite=suite or first, aspect=aspect or main)
    of_suite = Selection(suite=(scope.suite,))
    suites = scopes.images_by(store, "suite", Selection())
    choices = {
        "suite": tuple(ScopeChoice(name, name, suites.get(name)) for name in sorted(judged)),
        "aspect": tuple(ScopeChoice(name, wording.plain_aspect(name)) for name in aspects),
        "generator": tuple(
            ScopeChoice(name, name, n)
            for name, n in scopes.images_by(store, "generator", replace(of_suite, task=scope.narrow.task)).items()
            if name in here.generators
        ),
        "task": tuple(
            ScopeChoice(name, wording.task(name), n)
            for name, n in scopes.images_by(store, "task", replace(of_suite, generator=chosen)).items()
            if name in here.tasks
        ),
        "statistic": statistics,
    }
    return OpenScope(scope, followed, choices, scopes.scope_size(store, scope.narrow), tuple(lost))


def answers_in(store: Store) -> int:
    """Return how many answers people (real ones) have given in the project, each with its revisions once."""
    return contents.totals(store).annotations


def holds_anything(store: Store) -> bool:
    """Return True if the project has prompts, images or answers."""
    return not contents.totals(store).nothing


def scope_of(store: Store, suite: str) -> Scope:
    """Return the scope of a suite that has judgements, with its main question."""
    opened = open_scope(store, Scope(suite))
    assert opened is not None
    return opened.scope


def _statistics(store: Store, suite: str, aspect: str) -> tuple[ScopeChoice, ...]:
    """Return the statistics of two raters that a reader may choose; those that its scale does not have, with why."""
    scale = scales_of(store).get((suite, aspect))
    kind = (scale or "interval").partition(":")[0]
    order, labels, scores, numbers = TWO_AT_A_GLANCE
    fit = {"ordinal": (*order, *labels), "nominal": labels, "interval": numbers}.get(kind, labels)
    if aspect in YES_NO_ASPECTS:
        fit = (*labels, *scores)
    every = dict.fromkeys((*labels, *order, *scores, *numbers))
    reason = f"not for answers on the scale {scale or 'of scores'}"
    usable = [name for name in every if name in fit]
    rest = [name for name in every if name not in fit]
    return tuple(ScopeChoice(name, wording.title(name), None, "" if name in fit else reason) for name in (*usable, *rest))
