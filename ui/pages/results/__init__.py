"""Results: which generator is best, how sure, on what. A sentence, the leaderboard, the same prompts, the contested images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import htpy
from htpy import Node

from concord.common import next_steps, wording
from concord.common.base_path import at
from concord.comparison.leaderboard import ALL, SCORE, BoardRater, Leaderboard, board_sentence, leaderboard
from concord.comparison.same_prompts import ROWS, same_prompts
from concord.comparison.sharpened import SharpenedMeans, possible_scorers, sharpen
from concord.open_project import OpenProject
from concord.scope import OpenScope, open_scope
from concord.suite_metrics.board_metrics import board_metrics, sorted_by_metric
from ui.components.addresses import page_address
from ui.pages.add.then import scorers_address
from ui.pages.results.all_numbers import all_numbers
from ui.pages.results.board import board_section
from ui.pages.results.notices import backup_warning, nothing_yet, simulated_notice
from ui.pages.results.sharpening import sharpening_numbers
from ui.pages.results.strips import all_contested, contested_section, same_prompts_section
from ui.pages.results.tabs import has_votes, results_tabs
from ui.pages.results.view import PARAMETERS, PATH, ResultsView
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import scope_bar


class ResultsPage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Results", PATH, PARAMETERS

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place without intervals, then with them."""
        view = ResultsView.read(values)
        opened = open_scope(self.store, view.scope)
        if opened is None:
            yield PlaceDrawing(
                "", [backup_warning(self.store), results_tabs(self.store, PATH, ""), nothing_yet(self.store)], "Results"
            )
            return
        for intervals in (False, True):
            board = leaderboard(self.store, opened.scope, view.sort, intervals=intervals)
            content = [
                backup_warning(self.store),
                results_tabs(self.store, PATH, opened.scope.suite),
                _sentence(board, opened),
                _body(self.store, board, opened, view),
            ]
            yield PlaceDrawing(scope_bar(opened, view.of_scope), content, "Results", complete=intervals)


def _sentence(board: Leaderboard, opened: OpenScope) -> Node:
    """Return the sentence that answers, and what it is about."""
    lost = [htpy.p(class_="cc-note", role="status")[line] for line in opened.lost]
    main, rest = board_sentence(board)
    if not main:
        return [lost, htpy.h1["Nothing has been judged here yet"]]
    first = board.raters[0]
    unchecked = first.kind == "scorer" and board.people is None
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
    tied = [f"{count} may have rank {rank}" for rank, count in sorted(sizes.items()) if count > 1]
    return basis + (f". {wording.listed(tied)}: differences are within chance." if tied else ".")


def _body(store: OpenProject, board: Leaderboard, opened: OpenScope, view: ResultsView) -> Node:
    if not board.raters:
        return ""
    scorers = possible_scorers(store, board) if board.people else ()
    means = _means(store, board, opened, view, scorers)
    every: Node = ""
    if board.contested_by_rank:
        every = htpy.a(href=all_contested(board))["All that differ"]
    elif board.disagreements:
        every = htpy.a(href=all_contested(board))[wording.count(board.disagreements, "open disagreement")]
    first = board.raters[0]
    prompts = same_prompts(store, opened.scope, first.name, first.aspect, view.prompts, ROWS * view.page)
    # quick numbers do not wait for metrics that nobody has asked for
    metrics = board_metrics(store, opened.scope, board, intervals=board.intervals) if board.intervals or view.metrics else ()
    board = sorted_by_metric(board, metrics, view.sort)
    strips = same_prompts_section(prompts, board, view)
    cases = contested_section(board, every)
    return [
        htpy.section(class_="cc-part")[board_section(board, view, scorers, means, metrics)],
        htpy.div(class_=["cc-side-by-side", not (strips and cases) and "is-single"])[strips, cases],
        simulated_notice(store),
        _could_be_here(store, board),
        view.numbers and _numbers_panel(store, board, opened, view, means),
    ]


def _means(
    store: OpenProject, board: Leaderboard, opened: OpenScope, view: ResultsView, scorers: tuple[str, ...]
) -> SharpenedMeans | None:
    """Return the sharpened means, which are made with the intervals; by the best scorer where none is chosen."""
    if not scorers or not board.intervals:
        return None
    scorer = view.sharpen.scorer if view.sharpen.scorer in scorers else scorers[0]
    return sharpen(store, opened.scope, scorer, replace(view.sharpen, scorer=""), scorers)


def _numbers_panel(
    store: OpenProject, board: Leaderboard, opened: OpenScope, view: ResultsView, means: SharpenedMeans | None
) -> Node:
    """Return the panel at the right with all numbers as tables."""
    close = htpy.a(class_="cc-panel-close", href=view.address(numbers=False), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close],
        all_numbers(store, opened, intervals=board.intervals),
        sharpening_numbers(board, view, means),
    ]


def _could_be_here(store: OpenProject, board: Leaderboard) -> Node:
    """Return one line about what is not here, and how to get it."""
    missing: list[Node] = []
    if board.people != "real":
        missing.append(["people’s answers (", htpy.a(href=at("/annotate/"))["label images"], ")"])
    if not any(each.kind == "scorer" for each in board.raters):
        missing.append(["scorers (", htpy.a(href=scorers_address())["score the images"], ")"])
    if not has_votes(store):
        missing.append(["A/B votes (", htpy.a(href=page_address("people"))["a campaign of pairs"], ")"])
    unfit = next_steps.about_unfit((each.name for each in board.raters), board.suite)
    line = [[", " if n else "", part] for n, part in enumerate(missing)]
    return htpy.footer(class_="cc-quietline")[
        missing and htpy.p["Could be here: ", line, "."],
        unfit and htpy.p[unfit],
    ]
