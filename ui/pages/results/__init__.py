"""Results: which generator is best, how sure, on what. A sentence, the leaderboard, the same prompts, the contested images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import htpy
from htpy import Node

from agreement import Options
from concord.common import next_steps, wording
from concord.common.base_path import at
from concord.comparison.leaderboard import ALL, SCORE, BoardRater, Leaderboard, leaderboard
from concord.comparison.preferences import recall as recall_preferences
from concord.comparison.same_prompts import ROWS, same_prompts
from concord.project import OpenProject
from concord.scope import OpenScope, holds_anything, open_scope
from data.selection import Selection
from ui.components.addresses import page_address
from ui.pages.results.all_numbers import all_numbers
from ui.pages.results.board import board_section
from ui.pages.results.strips import all_contested, contested_section, same_prompts_section
from ui.pages.results.view import PATH, ResultsView
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import scope_bar


class ResultsPage(LivePlace):
    """The place."""

    title, path = "Results", PATH

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place without intervals, then with them."""
        view = ResultsView.read(values)
        opened = open_scope(self.store, view.scope)
        if opened is None:
            yield PlaceDrawing("", _nothing(self.store), "Nothing has been judged yet")
            return
        for intervals in (False, True):
            board = leaderboard(self.store, opened.scope, view.sort, intervals=intervals)
            content = [_sentence(board, opened), _body(self.store, board, opened, view)]
            yield PlaceDrawing(scope_bar(opened, view.of_scope), content, "Results", complete=intervals)


def _sentence(board: Leaderboard, opened: OpenScope) -> Node:
    """Return the sentence that answers, and what it is about."""
    lost = [htpy.p(class_="cc-note", role="status")[line] for line in opened.lost]
    said = board.headline
    if said is None or not board.raters:
        return [lost, htpy.h1["Nothing has been judged here yet"]]
    first = board.raters[0]
    unchecked = first.kind == "scorer" and board.people is None
    main, rest = said.main, said.rest
    if unchecked and len(board.generators) > 1:
        main, rest = f"{first.name} puts {said.generator} first; nobody has checked it", ""
    if first.kind == "simulated":
        main = f"By simulated people: {main}"
    label = htpy.a(class_="cc-button cc-button--primary", href=at("/annotate/"))["Label images"]
    head = [htpy.h1[main, rest and htpy.span(class_="cc-rest")[rest]], htpy.p(class_="cc-sub")[_about(board, first)]]
    return [lost, htpy.header(class_="cc-lead")[htpy.div[head], unchecked and label]]


def _about(board: Leaderboard, rater: BoardRater) -> str:
    """Return what the number is, and how the generators below the best one stand."""
    known = {"correct": "Share of images that show what the prompt asks", SCORE: f"Mean score of {rater.name}"}
    basis = known.get(rater.aspect, f"Mean of {wording.aspect(rater.aspect)}")
    if board.task != ALL:
        basis += f", {wording.task(board.task)}"
    sizes: dict[int, int] = {}
    for rank in board.ranks.values():
        sizes[rank.best] = sizes.get(rank.best, 0) + 1
    tied = [f"{count} share rank {rank}" for rank, count in sorted(sizes.items()) if count > 1]
    return basis + (f". {wording.listed(tied)}: their differences are within chance." if tied else ".")


def _body(store: OpenProject, board: Leaderboard, opened: OpenScope, view: ResultsView) -> Node:
    if not board.raters:
        return ""
    every = (
        board.disagreements > 0 and htpy.a(href=all_contested(board))[wording.count(board.disagreements, "open disagreement")]
    )
    first = board.raters[0]
    prompts = same_prompts(store, opened.scope, first.name, first.aspect, view.prompts, ROWS * view.page)
    strips = same_prompts_section(prompts, board, view)
    cases = contested_section(board, every)
    return [
        htpy.section(class_="cc-part")[board_section(board, view)],
        htpy.div(class_=["cc-side-by-side", not (strips and cases) and "is-single"])[strips, cases],
        _could_be_here(store, board),
        view.numbers and _numbers_panel(store, board, opened, view),
    ]


def _numbers_panel(store: OpenProject, board: Leaderboard, opened: OpenScope, view: ResultsView) -> Node:
    """Return the panel at the right with all numbers as tables."""
    close = htpy.a(class_="cc-panel-close", href=view.address(numbers=False), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close], all_numbers(store, opened, intervals=board.intervals)
    ]


def _could_be_here(store: OpenProject, board: Leaderboard) -> Node:
    """Return one line about what is not here, and how to get it."""
    missing: list[Node] = []
    if board.people != "real":
        missing.append(["people’s answers (", htpy.a(href=at("/annotate/"))["label images"], ")"])
    if not any(each.kind == "scorer" for each in board.raters):
        missing.append(["scorers (", htpy.a(href=page_address("add/runs"))["score the images"], ")"])
    if not recall_preferences(store, Selection(), Options(intervals=False)).polls:
        missing.append(["A/B votes (", htpy.a(href=page_address("people"))["a campaign of pairs"], ")"])
    unfit = next_steps.about_unfit((each.name for each in board.raters), board.suite)
    line = [[", " if n else "", part] for n, part in enumerate(missing)]
    return htpy.footer(class_="cc-quietline")[
        missing and htpy.p["Could be here: ", line, "."],
        unfit and htpy.p[unfit],
    ]


def _nothing(store: OpenProject) -> Node:
    return htpy.header(class_="cc-lead")[
        htpy.div[
            htpy.h1["Nothing has been judged yet" if holds_anything(store) else "Nothing is in this project yet"],
            htpy.p(class_="cc-sub")[
                "Bring images, prompts, ratings or a published study, and score or label them: which generator is best, and "
                "how sure that is, stands here."
            ],
        ],
        htpy.a(class_="cc-button cc-button--primary", href=page_address("add"))["Add images"],
    ]
