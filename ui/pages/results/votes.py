"""A/B votes: whom people prefer of two generators, what scorers imply, and the pairs themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Final

import htpy
from htpy import Element, Node

from agreement import Options
from agreement.preferences.votes import Contest
from agreement.study.cells import ALL
from concord.common import next_steps, wording
from concord.comparison import preferences
from concord.comparison.preferences import Poll, PreferenceRows
from concord.open_project import OpenProject
from data.selection import Selection
from ui.components.addresses import page_address
from ui.components.tables import commands, note
from ui.pages.results.tabs import results_tabs
from ui.pages.results.vote_bars import bars, headline
from ui.pages.results.vote_numbers import (
    position_bias,
    ranks_figure,
    ranks_table,
    side_bias,
    strengths_figure,
    strengths_table,
)
from ui.pages.results.vote_pairs import gallery
from ui.pages.results.vote_view import VotesView, choices, contest_of, poll_of
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import chips_bar, menu_chip
from ui.shell.view import Choice

_QUICK: Final = Options(intervals=False)
_LEAD: Final = (
    "Two generators drew the same prompt: which image is faithful to the text? One of them, both or neither. A scorer votes by"
    " “correct” for the only one that is right, by a score for the larger one. Click on a number to see its pairs."
)
_CHIPS: Final = {"suite": "Suite", "two": "Generators", "task": "Task"}
_FILTERS: Final = {"who": "By", "chose": "Chose"}


class VotesPage(LivePlace):
    """The place."""

    title, path, ADDRESS = "A/B votes", VotesView.PATH, (*asdict(VotesView()), "numbers")

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the votes without intervals, then with them."""
        asked = {name: given[-1][:2000] for name in asdict(VotesView()) if (given := [each for each in values(name) if each])}
        numbers = values("numbers")[-1:] == ["1"]
        for options in (_QUICK, Options()):
            found = preferences.recall(self.store, Selection(), options)
            offered = choices(found.polls, asked)
            view = VotesView.chosen(offered, asked)
            poll = poll_of(found.polls, view)
            if poll is None:
                yield PlaceDrawing("", _nobody(self.store), self.title)
                return
            lost = [
                note(f"{value} is not among the votes here.")
                for name, value in asked.items()
                if name in _CHIPS and value != ALL and str(getattr(view, name)) != value
            ]
            content = [results_tabs(self.store, self.path, view.suite), lost, _content(self.store, found, poll, view, offered)]
            if numbers:
                content.append(_numbers_panel(found, poll, view))
            yield PlaceDrawing(_bar(view, offered, poll), content, self.title, complete=options is not _QUICK)


def _menu(name: str, label: str, view: VotesView, choice: Choice) -> Node:
    """Return a chip with what one part of the view may be."""
    titles = {value: title for title, value in (each if isinstance(each, tuple) else (each, each) for each in choice.choices)}
    links = {value: (title, view.address(**{name: value, "page": 1})) for value, title in titles.items()}
    return menu_chip(f"votes-{name}", label, str(choice.value or ""), links, usual=ALL if ALL in titles else "")


def _bar(view: VotesView, offered: Mapping[str, Choice], poll: Poll) -> Element:
    people = poll.people()
    votes = sum(len(voter.votes) for voter in people)
    left = [wording.count(len({vote.pair for voter in poll.voters for vote in voter.votes}), "pair")]
    left.append(f"{wording.count(votes, 'vote')}{'' if not people else f' of {people[0].voter}'}")
    chips = [_menu(name, label, view, offered[name]) for name, label in _CHIPS.items()]
    return chips_bar(chips, [view.suite, view.two], left)


def _content(store: OpenProject, found: PreferenceRows, poll: Poll, view: VotesView, offered: Mapping[str, Choice]) -> Node:
    contest = contest_of(poll, view)
    rows = found.of_suite(poll.suite)
    votes = [row for row in rows.votes if row.contest == contest]
    beside = [row for row in rows.beside if row.contest == contest]
    filters = [_menu(name, label, view, offered[name]) for name, label in _FILTERS.items()]
    every = htpy.a(href=view.address() + ("&" if "?" in view.address() else "?") + "numbers=1")["All numbers"]
    return [
        htpy.header(class_="cc-lead")[htpy.div[headline(votes, contest, view)]],
        bars(votes, beside, contest, view, [view.task]),
        htpy.section(class_="cc-part", id="pairs")[
            htpy.div(class_="cc-part-head")[htpy.h2["Pairs"], htpy.div(class_="cc-part-tools")[filters, every]],
            htpy.p(class_="cc-sub")[_LEAD],
            gallery(store, poll, view),
        ],
    ]


def _numbers_panel(found: PreferenceRows, poll: Poll, view: VotesView) -> Element:
    """Return the panel at the right: votes by task, sides, strengths and metrics."""
    contest: Contest = contest_of(poll, view)
    rows = found.of_suite(poll.suite)
    votes = [row for row in rows.votes if row.contest == contest]
    beside = [row for row in rows.beside if row.contest == contest]
    tasks = sorted({row.task for row in votes} - {ALL, view.task})
    several = len({row.generator for row in rows.strengths}) > 2
    close = htpy.a(class_="cc-panel-close", href=view.address(), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close],
        bars(votes, beside, contest, view, tasks) if tasks else "",
        [note(line) for line in (*map(side_bias, rows.sides), *map(position_bias, rows.orders))],
        [strengths_table(rows.strengths, ALL), strengths_figure(rows.strengths, ALL)] if several else "",
        ranks_table(rows.ranks),
        ranks_figure(rows.ranks),
    ]


def _nobody(store: OpenProject) -> Node:
    """Return what an A/B test is, and how one begins."""
    campaign = htpy.a(href=page_address("people"))["campaign of pairs"]
    return [
        htpy.h1["Nobody has chosen between two images yet"],
        htpy.p(class_="cc-sub")[
            "In an A/B test people see two generators’ images of one prompt side by side and say which of them shows what the"
            " text says: the left one, the right one, both or neither. The sides are by chance, and nobody sees whose images"
            " they are. Where scorers have judged these images, this page shows whom they would prefer, too."
        ],
        htpy.section(class_="cc-part")[
            htpy.h2["Make such a ", campaign], commands(next_steps.command_lines(store, next_steps.pair_campaign(store)))
        ],
        htpy.section(class_="cc-part")[
            htpy.h2["The votes that SelfEval prints in its Tables 2 and 3, with five metrics"],
            commands(next_steps.command_lines(store, next_steps.PUBLISHED_VOTES)),
        ],
    ]
