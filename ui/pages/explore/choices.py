"""What the Explore page's controls offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from concord import rejudging
from concord.common import wording
from concord.questions import scores
from concord.rejudging import RaterEvidence
from data.store.browse import contents
from data.store.browse.contents import PEOPLE
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.filters import Choice
from ui.pages.explore import knobs
from ui.pages.explore.asked.offered import offered as asked_of
from ui.pages.explore.asked.offered import suite_with_questions
from ui.pages.explore.failures import PICTURES, generators
from ui.pages.explore.flips import FLIPS
from ui.pages.explore.view import ADDRESS, ALL, ASKED, CHANGED, KINDS, OBJECTIVES, QUESTIONS, SHOWN, View


def choices(store: Store, asked: View) -> dict[str, Choice]:
    """The controls by the names of ``ADDRESS``, with what this project has to choose from."""
    found = raters(store)
    questions = asked.show == QUESTIONS
    suite = _of(asked.suite or (suite_with_questions(store) if questions else ""), found)
    # of questions only those tell anything that answer some
    answering = scores.answering_raters(store).get(suite, []) if questions else []
    names = dict.fromkeys(answering, False) or found.get(suite, {})
    rater = _of(asked.rater, names)
    evidence = rejudging.evidence(store, suite, rater)
    tasks = [ALL, *(evidence.places.tasks if evidence else _tasks(store, suite))]
    task = _of(asked.task, tasks)
    along = _along(evidence, task)
    heard = rejudging.people_verdicts(store, evidence) if evidence else {}
    people = [name for name, kind in KINDS.items() if kind in heard] or [PEOPLE]
    judged = evidence is not None
    offered: dict[str, Mapping[str, str]] = {
        "suite": {name: name for name in found},
        "rater": {name: name for name in names},
        "show": SHOWN,
        "task": {name: wording.task(name) for name in tasks},
        "along": along,
        "statistic": {name: wording.title(name) for name in OBJECTIVES if judged},
        "people": {name: name for name in people if judged},
        "changed": CHANGED if judged else {},
        "picture": PICTURES,
        "generator": {ALL: "all generators"} | {name: name for name in generators(store, suite, rater)},
        "flip": dict(FLIPS),
        **(asked_of(store, suite, rater, asked) if questions else {name: {} for name in ASKED}),
    }
    return {name: _choice(offered[name], getattr(asked, name)) for name in ADDRESS}


def view_of(store: Store, asked: Mapping[str, Any]) -> View:
    """What is asked for by the names of the address, as far as there is such a thing; knobs that are not asked for stand as in
    the run."""
    wanted = View(**{name: str(asked.get(name) or "") for name in ADDRESS})  # type: ignore[arg-type]
    chosen = {name: choice.value or "" for name, choice in choices(store, wanted).items()}
    evidence = rejudging.evidence(store, chosen["suite"], chosen["rater"])
    if evidence is None:
        return View(**chosen)  # type: ignore[arg-type]
    return View(**chosen, turned=knobs.read(evidence, asked), own=evidence.own())  # type: ignore[arg-type]


def raters(store: Store) -> dict[str, dict[str, bool]]:
    """By suite the scorers that can be looked at, each with whether it has knobs: those first. Do not change them."""
    return _raters(store, store.version)


@lru_cache(maxsize=8)
def _raters(store: Store, version: str) -> dict[str, dict[str, bool]]:  # noqa: ARG001 - part of the key
    found: dict[str, dict[str, bool]] = {}
    for source in rejudging.sources(store):
        found.setdefault(source.suite, {})[source.rater_id] = bool(rejudging.knobs(source.scorer))
    for suite in [*found]:
        for judge in contents.raters_of_selection(store, Selection(suite=(suite,), aspect=("score",))):
            if judge.scorer:
                found[suite].setdefault(judge.name, False)
    return {suite: dict(sorted(found[suite].items(), key=lambda each: (not each[1], each[0]))) for suite in sorted(found)}


def _tasks(store: Store, suite: str) -> Sequence[str]:
    """Of which something was judged."""
    found = contents.judged_suites(store).get(suite)
    return found.tasks if found else ()


def _along(evidence: RaterEvidence | None, task: str) -> dict[str, str]:
    """The knobs that a curve can run along: numbers that decide something in this task."""
    if evidence is None:
        return {}
    inside = [k for k, code in enumerate(evidence.places.task) if task == ALL or evidence.places.tasks[code] == task]
    cases = evidence.again.cases
    return {
        name: knob.title
        for name, knob in evidence.scorer.knobs.items()
        if not knob.choices and any(knob.applies(cases[k].spec) for k in inside)
    }


def _choice(offered: Mapping[str, str], asked: str) -> Choice:
    return Choice([(title, name) for name, title in offered.items()], _of(asked, offered) or None)


def _of(asked: str, known: Mapping[str, object] | Sequence[str]) -> str:
    return asked if asked in known else next(iter(known), "")
