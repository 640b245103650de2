"""Failures: where and how generators fail by what a scorer saw, a picture at a time; each mark leads to its images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import next_steps
from concord.error_analysis.failures import failing_raters, pictures_of
from concord.open_project import OpenProject
from concord.questions.scores import answering_raters
from concord.scope import OpenScope, Scope
from ui.pages.agreement_tabs import FAILURES, choose_a_scorer, could_be_here, open_tab
from ui.pages.failures.drawing import Drawing
from ui.pages.failures.flip_test import FLIP_TITLES, flip_test
from ui.pages.failures.pictures import failures_picture
from ui.pages.failures.questions import question_choices, questions_picture
from ui.pages.failures.view import ALL, CHOICES, FLIPS, PARAMETERS, PATH, PICTURES, SEEN, FailuresView
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import menu_chip

_LABELS: Final = {
    "reference": "Real images",
    "against": "Compared with",
    "group": "Questions",
    "whose": "Images of",
    "answers": "Answers",
}
"""What the pictures of questions offer."""


class FailuresPage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Failures", PATH, PARAMETERS

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place."""
        asked = FailuresView.read(values)
        tab = open_tab(self.store, FAILURES, asked.scope, asked.of_scope)
        if tab is None:
            yield PlaceDrawing("", _nothing(self.store), "Failures")
            return
        opened = tab.opened
        raters = failing_raters(self.store, opened.scope.suite)
        if not raters:
            yield PlaceDrawing(tab.bar, [*tab.head, _nothing(self.store)], "Failures")
            return
        view, pictures = resolved_view(self.store, opened, asked, raters)
        yield PlaceDrawing(
            tab.bar, [*tab.head, _content(self.store, opened, view, raters, pictures)], f"Failures by {view.rater}"
        )


def resolved_view(
    store: OpenProject, opened: OpenScope, asked: FailuresView, raters: Sequence[str]
) -> tuple[FailuresView, Sequence[str]]:
    """Return the view with suite, rater and picture filled in, and the pictures that the rater has."""
    suite = opened.scope.suite
    known = [asked.rater] if asked.rater in raters else raters
    by_rater = {rater: _pictures(store, opened.scope, rater) for rater in known}
    # of several the one that shows most comes first
    rater = max(known, key=lambda name: len(by_rater[name]))
    pictures = by_rater[rater]
    picture = asked.picture or next(iter(pictures), FLIPS)
    view = replace(asked, scope=opened.asked, suite=suite, rater=rater, picture=picture)
    choices = question_choices(store, view)
    fitting = {name: _among(getattr(view, name), choices.get(name, {})) for name in CHOICES} if choices else {}
    return replace(view, **fitting), pictures  # type: ignore[arg-type]


def _among(value: str, offered: Mapping[str, str]) -> str:
    """Return a value that is offered, else the first; what cannot be chosen stays at all."""
    return value if value in offered else next(iter(offered), ALL)


def _pictures(store: OpenProject, scope: Scope, rater: str) -> list[str]:
    pictures = [*pictures_of(store, scope, rater), FLIPS]
    if rater in answering_raters(store).get(scope.suite, []):
        pictures = [*SEEN, *pictures]
    return pictures


def _nothing(store: OpenProject) -> Node:
    """Return what the place needs."""
    commands = next_steps.command_lines(store, next_steps.score_command(store, "geneval"))
    return [
        htpy.h1["No scorer here tells how generators fail"],
        htpy.p(class_="cc-sub")["Score the images with one that detects objects, or one that answers questions."],
        choose_a_scorer(commands),
    ]


def _content(store: OpenProject, opened: OpenScope, view: FailuresView, raters: Sequence[str], pictures: Sequence[str]) -> Node:
    drawn = _drawing(store, opened.scope, view)
    first, _, rest = drawn.lead.partition(". ")
    names = {name: (name, FailuresView(view.scope, rater=name).address()) for name in raters}
    listed = [name for name in PICTURES if name in pictures or name == view.picture]
    links = [
        htpy.a(
            class_="cc-picture-link",
            href=_picture_address(view, name),
            aria_current="true" if name == view.picture else None,
        )[PICTURES[name]]
        for name in listed
    ]
    menu = {name: (PICTURES[name], _picture_address(view, name)) for name in listed}
    numbers = drawn.numbers and htpy.a(href=view.address(numbers=True))["All numbers"]
    return [
        htpy.header(class_="cc-lead")[htpy.div[htpy.h1[f"{first.rstrip('.')}"], rest and htpy.p(class_="cc-sub")[rest]],],
        htpy.div(class_="cc-failing")[
            htpy.div(class_="cc-failing-side")[
                menu_chip("failures-rater", "Scorer", view.rater, names),
                htpy.span(class_="cc-failing-menu")[menu_chip("failures-picture", "Picture", view.picture, menu)],
                htpy.nav(class_="cc-failing-pictures", aria_label="Pictures")[links],
            ],
            htpy.div(class_="cc-failing-main")[
                htpy.div(class_="cc-part-head")[
                    htpy.h2[PICTURES[view.picture]], htpy.div(class_="cc-part-tools")[_chips(store, view), numbers]
                ],
                drawn.figure
                and htpy.div(
                    class_="cc-panel cc-failing-figure", tabindex="0", role="group", aria_label=PICTURES[view.picture]
                )[drawn.figure],
                drawn.notes,
                drawn.listed and htpy.section(class_="cc-part")[drawn.listed],
            ],
        ],
        view.numbers and drawn.numbers and _numbers_panel(drawn, view),
        could_be_here(store, view.suite),
    ]


def _panel(figure: Node, title: str) -> Element:
    return htpy.div(class_="cc-panel cc-failing-figure", tabindex="0", role="group", aria_label=title)[figure]


def _picture_address(view: FailuresView, picture: str) -> str:
    return FailuresView(view.scope, rater=view.rater, picture=picture).address()


def _drawing(store: OpenProject, scope: Scope, view: FailuresView) -> Drawing:
    if view.picture == FLIPS:
        return flip_test(store, scope, view.flip)
    if view.picture in SEEN:
        return questions_picture(store, view)
    return failures_picture(store, scope, view.rater, view.picture)


def _chips(store: OpenProject, view: FailuresView) -> Node:
    """Return what the picture can be narrowed to."""
    if view.picture == FLIPS:
        flips = {name: (title, view.address(flip=name)) for name, title in FLIP_TITLES.items()}
        return menu_chip("failures-flip", "Flip the prompts’", view.flip, flips)
    return [
        menu_chip(
            f"failures-{name}",
            _LABELS[name],
            getattr(view, name),
            {value: (title, view.address(**{name: value})) for value, title in offered.items()},
            ALL if ALL in offered else "",
        )
        for name, offered in question_choices(store, view).items()
        if len(offered) > 1
    ]


def _numbers_panel(drawn: Drawing, view: FailuresView) -> Node:
    """Return the panel at the right with all numbers as tables."""
    close = htpy.a(class_="cc-panel-close", href=view.address(numbers=False), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close], drawn.numbers
    ]
