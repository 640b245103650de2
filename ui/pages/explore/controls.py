"""What the Explore page's controls offer, and the scorers' settings as sliders.

There is a slider for each name that any scorer has, shown where the chosen scorer has it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import gradio as gr
from gradio.components import Component

from concord.common import live_updates, next_steps, wording
from concord.common.people_kinds import leading_kind
from concord.error_analysis import rejudging
from concord.error_analysis.failures import TITLES
from concord.error_analysis.rejudging import RaterEvidence
from concord.questions import scores
from data.selection import PEOPLE, Selection
from data.store.browse import contents
from data.store.core.store import Store
from scorers import registry
from scorers.base import Knob
from ui.pages.explore.failures import generators
from ui.pages.explore.flips import FLIPS
from ui.pages.explore.questions import question_choices, suite_with_questions
from ui.pages.explore.view import ADDRESS, ALL, CHANGED, KINDS, OBJECTIVES, QUESTION_CHOICES, QUESTIONS, SHOWN, WHO, ExploreView
from ui.shell.controls import Choice

# What is not shown is on the page all the same: a slider that is not there tells nobody when its value is set, and Gradio's own
# "hidden" does nothing to sliders.
_OFF: Final = "cc-off"


def every_knob() -> dict[str, Knob]:
    """The knobs of all scorers by name; of one that several have, the first."""
    knobs: dict[str, Knob] = {}
    for name in registry.known():
        knobs = dict(registry.get(name).knobs) | knobs
    ordered = sorted(knobs, key=lambda name: bool(knobs[name].choices))
    return {name: knobs[name] for name in ordered}


def slider(name: str, knob: Knob) -> Component:
    """The component of a knob, not shown before it is known to be the scorer's."""
    shown: dict[str, Any] = {"label": knob.title, "info": knob.help, "elem_classes": [_OFF], "elem_id": f"knob-{name}"}
    if knob.choices:
        return gr.Radio(list(knob.choices), value=str(knob.default), **shown)
    return gr.Slider(knob.low, knob.high, float(knob.default), step=knob.step, buttons=[], **shown)


def slider_change(name: str, of: RaterEvidence | None, turned: Mapping[str, Any]) -> Any:
    """The change that shows a scorer's knob standing so; it is not shown where the scorer has none of this name."""
    knob = of.scorer.knobs.get(name) if of else None
    if of is None or knob is None:
        return gr.update(elem_classes=[_OFF])
    options: dict[str, Any] = {"value": turned[name], "label": knob.title, "info": knob.help, "elem_classes": []}
    if knob.choices:
        return gr.Radio(list(knob.choices), **options)
    return gr.Slider(rejudging.lowest(of, name), rejudging.highest(of, name), step=knob.step, **options)


def read_sliders(of: RaterEvidence, values: Mapping[str, Any]) -> dict[str, Any]:
    """Where this scorer's knobs stand: as asked where that is possible, else as in the run."""
    return {name: _value(of, name, values.get(name)) for name in of.scorer.knobs}


def _value(of: RaterEvidence, name: str, requested: Any) -> Any:
    own, knob = of.again.settings[name], of.scorer.knobs[name]
    if knob.choices:
        return requested if requested in knob.choices else own
    try:
        value = float(requested)
    except (TypeError, ValueError, OverflowError):
        return own
    inside = math.isfinite(value) and rejudging.lowest(of, name) <= value <= rejudging.highest(of, name)
    rounded = rejudging.rounded(value) if inside else own
    # as it is written in the run, 1 and not 1.0
    return own if rounded == own else rounded


def followed_sliders(turned: Mapping[str, Any], values: Mapping[str, str]) -> dict[str, str]:
    """Those of an address's values that the knobs stand at, as they are written there."""
    same = {}
    for name, text in values.items():
        with suppress(ValueError, OverflowError):
            if name in turned and (turned[name] == text or rejudging.rounded(float(text)) == turned[name]):
                same[name] = text
    return same


_EMPTY: Final = (
    "No scorer has scored this project’s images yet. What a scorer has detected is judged again here, by other thresholds, as"
    " often as you move a slider."
)


def empty_text(store: Store) -> str:
    """What the page says before a scorer has looked at anything."""
    return f"{_EMPTY} {next_steps.how_to_score(store, 'geneval')}"


def choices(store: Store, view: ExploreView) -> dict[str, Choice]:
    """The controls by the names of ``ADDRESS``, with what this project has to choose from."""
    suites = raters(store)
    questions = view.show == QUESTIONS
    suite = _among(view.suite or (suite_with_questions(store) if questions else ""), suites)
    # of questions only those tell anything that answer some
    answering = scores.answering_raters(store).get(suite, []) if questions else []
    names = dict.fromkeys(answering, False) or suites.get(suite, {})
    rater = _among(view.rater, names)
    evidence = rejudging.evidence(store, suite, rater)
    if evidence is None and (judged := contents.judged_suites(store).get(suite)):
        tasks = [ALL, *judged.tasks]
    else:
        tasks = [ALL, *(evidence.places.tasks if evidence else ())]
    task = _among(view.task, tasks)
    along = _along(evidence, task)
    heard = rejudging.people_verdicts(store, evidence) if evidence else {}
    leading = leading_kind(*(int(heard[kind].asked.sum()) if kind in heard else 0 for kind in ("real", "simulated")))
    people = sorted((name for name, kind in KINDS.items() if kind in heard), key=lambda name: KINDS[name] != leading) or [
        PEOPLE
    ]
    offered: dict[str, Mapping[str, str]] = {
        "suite": {name: name for name in suites},
        "rater": {name: name for name in names},
        "show": SHOWN,
        "task": {name: wording.task(name) for name in tasks},
        "along": along,
        "statistic": {name: wording.title(name) for name in OBJECTIVES if evidence},
        "people": {name: WHO[name] for name in people if evidence},
        "changed": CHANGED if evidence else {},
        "picture": TITLES,
        "generator": {ALL: "all generators"} | {name: name for name in generators(store, suite, rater)},
        "flip": dict(FLIPS),
        **(question_choices(store, suite, rater, view) if questions else {name: {} for name in QUESTION_CHOICES}),
    }
    return {name: Choice.among(offered[name], getattr(view, name)) for name in ADDRESS}


def view_of(store: Store, values: Mapping[str, Any]) -> ExploreView:
    """What is asked for by the names of the address, as far as there is such a thing; knobs that are not asked for stand as in
    the run."""
    wanted = ExploreView(**{name: str(values.get(name) or "") for name in ADDRESS})  # type: ignore[arg-type]
    chosen = {name: choice.value or "" for name, choice in choices(store, wanted).items()}
    evidence = rejudging.evidence(store, chosen["suite"], chosen["rater"])
    if evidence is None:
        return ExploreView(**chosen)  # type: ignore[arg-type]
    return ExploreView(**chosen, turned=read_sliders(evidence, values), own=evidence.own())  # type: ignore[arg-type]


@live_updates.cached(maxsize=8, key=live_updates.stored_version)
def raters(store: Store) -> dict[str, dict[str, bool]]:
    """By suite the scorers that can be looked at, each with whether it has knobs: those first. Do not change them."""
    by_suite: dict[str, dict[str, bool]] = {}
    for source in rejudging.sources(store):
        by_suite.setdefault(source.suite, {})[source.rater_id] = bool(rejudging.knobs(source.scorer))
    for suite in [*by_suite]:
        for judge in contents.raters_of_selection(store, Selection(suite=(suite,), aspect=("score",))):
            if judge.scorer:
                by_suite[suite].setdefault(judge.name, False)
    return {suite: dict(sorted(by_suite[suite].items(), key=lambda each: (not each[1], each[0]))) for suite in sorted(by_suite)}


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


def _among(requested: str, known: Iterable[str]) -> str:
    """What is asked for, or the first."""
    names = list(known)
    return requested if requested in names else next(iter(names), "")
