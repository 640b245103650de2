"""The first page: what the project holds, its pictures, the score table, people beside scorers, and people's votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

import gradio as gr
import htpy
from htpy import Element, Node

from agreement import Options
from agreement.estimate import Estimate
from agreement.preferences import OrderAgreement, RankCorrelation, VoteCounts
from agreement.preferences.votes import Contest
from concord.agreement import means, recall
from concord.common import next_steps, wording
from concord.common.base_path import at
from concord.common.table import Cell, numbers
from concord.comparison import preferences
from concord.comparison.leaderboard import leaderboard
from concord.comparison.suites import MAIN_ASPECTS, main_suite
from concord.comparison.preferences import OPPOSED, PreferenceRows, contests
from concord.importing import playground
from data.aspects import YES_NO_ASPECTS
from data.store.backup import scheduler
from data.store.browse import contents
from data.store.core import selection
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.addresses import browse_address
from ui.components.image_strip import ImageStrip, image_strips
from ui.components.leaderboard import SKELETON, board_table, contested, headline, tiles
from ui.components.tables import Cells, block_title, columns, folded, note, number, plain_table, table_element, with_details
from ui.pages.agreement.view import ALL
from ui.pages.preferences import PreferencesView, named
from ui.shell.changes import Drawn
from ui.shell.events import QUIET
from ui.shell.html import html_component
from ui.shell.page import Page

_MARKS: Final = {True: "✓ same order", False: "✗ other order", None: ""}


def preference_summary(store: Store) -> Node:
    """Return a table for each two generators that people have compared; nothing where there are none."""
    preference_rows = preferences.recall(store, Selection(), Options(intervals=False))
    return [
        _preference_table(preference_rows, poll.suite, contest)
        for poll in preference_rows.polls
        if poll.people()
        for contest in contests(poll)
    ]


def _preference_table(preference_rows: PreferenceRows, suite: str, contest: Contest) -> Element:
    rows = preference_rows.of_suite(suite)
    votes = [row for row in rows.votes if row.contest == contest]
    tasks = list(dict.fromkeys(row.task for row in votes))
    order = [ALL, *(task for task in tasks if task != ALL)] if len(tasks) > 2 else tasks[:1]
    by = {(row.voter, row.task): row for row in votes}
    orders = {(row.voter, row.task): row for row in rows.beside if row.contest == contest and row.people == "real"}
    who = list(dict.fromkeys(row.voter for row in votes))
    # where the images' totals alone are known, a metric's order of them stands for its votes
    totals = [row for row in rows.ranks if row.voter not in who and row.people == "real"]
    view = PreferencesView(suite, named(contest))
    body: list[Cells] = [
        [
            "all tasks" if task == ALL else wording.task(task),
            *(_cell(name, by.get((name, task)), orders.get((name, task)), contest, view) for name in who),
            *(_total(row, task, contest) for row in totals),
        ]
        for task in order
    ]
    heads = columns("task", *numbers(*who, *(row.voter for row in totals)))
    return table_element(plain_table(f"{suite}: votes for {contest.a} : {contest.b}", heads, body))


def _cell(who: str, row: VoteCounts | None, order: OrderAgreement | None, contest: Contest, view: PreferencesView) -> Cell:
    if row is None:
        return Cell("")
    ties = row.both + row.none + row.tie
    note_text = f"{row.a_wins:,} for {contest.a}, {row.b_wins:,} for {contest.b}, {ties:,} for neither alone"
    opposed = 0 if order is None else order.opposed
    href = view.address(task=row.task, who=who, chose=OPPOSED if opposed else ALL)
    details = [wording.count(ties, "tie") if order is None else _MARKS[order.same_order]]
    if opposed:
        details.append(f"{opposed:,} opposed")
    return Cell(f"{row.a_wins:,} : {row.b_wins:,}", tuple(filter(None, details)), note_text, href)


def _total(row: RankCorrelation, task: str, contest: Contest) -> Cell:
    means = {point.generator: point.mean for point in row.points if point.task == task}
    if not {contest.a, contest.b} <= means.keys():
        return Cell("")
    same = True if task in row.agreeing else False if task in row.opposed else None
    text = f"{means[contest.a]:.3g} : {means[contest.b]:.3g}"
    return with_details(Cell(text, note="means of the metric"), _MARKS[same])


_NOTHING: Final = "No image has been judged yet. Label some, or import ratings; their scores stand here."
_EXAMPLES = 8
_STRIPS = 4

_EMPTY: Final = """
## Nothing is in this project yet

Concord shows how far automatic scorers and people agree about generated images. Bring it something to judge:

**Images of your own**: [upload them]({importing}); or name a folder with `images.csv` (columns `path,prompt`), GenEval's
or VISOR's

{images}

**Prompts to generate from**, with specs that people and scorers can check

{prompts}

**The playground**, a small drawn world with scorers and simulated people, to try everything out

{playground}

**A published study**, to see agreement at once

{studies}

**Ratings that you have**, from people or from a metric

{ratings}

These commands work while this page is open, and it follows them without a reload.
Then **[label images]({form})** and watch *Agreement* move.
"""


class OverviewPage(Page[None]):
    """The page."""

    title, path = "Results", "/results"

    def lay_out(self) -> None:
        self.html("trouble")
        self.html("board", value=SKELETON)
        self.output("simulated", _simulated_people_notice(self.store))
        self.html("glance")
        with gr.Accordion("All numbers", open=False, elem_id="all-numbers"):
            self.html("scores")
            self.html("preferred")

    def teaching(self) -> str:
        groups = {
            "images": next_steps.IMAGES,
            "prompts": next_steps.PROMPTS,
            "playground": next_steps.PLAYGROUND,
            "studies": next_steps.STUDIES,
            "ratings": next_steps.RATINGS,
        }
        commands = {name: next_steps.commands_block(self.store, words) for name, words in groups.items()}
        return _EMPTY.format(form=at("/annotate/"), importing=at("/studio/add"), **commands)

    def draw(self, view: None) -> Iterator[Drawn | None]:  # noqa: ARG002
        store, totals = self.store, contents.totals(self.store)
        if totals.nothing:
            yield None
            return
        for intervals in (False, True):
            yield {
                "trouble": _backup_warning(store),
                "board": _boards(store, totals, intervals=intervals),
                "simulated": bool(totals.simulated),
                "glance": _glance(store, totals.images),
                "scores": _tables(store, intervals=intervals),
                "preferred": preference_summary(store),
            }


def _boards(store: Store, totals: contents.Totals, *, intervals: bool) -> Node:
    """Return headline, tiles and leaderboard of the main suite with its contested images; the boards of other suites below."""
    main = main_suite(store)
    if main is None:
        return [tiles(None, totals), note(_NOTHING)]
    board = leaderboard(store, main, intervals=intervals)
    others = [leaderboard(store, name, intervals=intervals) for name in sorted(contents.judged_suites(store)) if name != main]
    looks = contents.item_previews(store, [each.item for each in board.contested])
    unfit = next_steps.about_unfit((each.name for each in board.raters), board.suite)
    facts = [tiles(board, totals), note(unfit) if unfit else ""]
    return [headline(board), facts, board_table(board), contested(board, looks), [board_table(each) for each in others]]


def _simulated_people_notice(store: Store) -> gr.Column:
    """Build the notice about simulated people, with its "Remove" button."""
    with gr.Column(visible=False, elem_id="simulated", elem_classes="cc-simulated") as shown:
        with gr.Row(elem_classes="cc-simulated-row") as question:
            html_component(note(_SIMULATED))
            remove = gr.Button("Remove the simulated people", size="sm", scale=0)
        with gr.Row(visible=False, elem_classes="cc-simulated-row") as confirm:
            html_component(note("Remove them with all their answers? Scorers and people keep theirs."))
            sure = gr.Button("Yes, remove them", size="sm", variant="stop", scale=0)
            # last, as this is where the pointer still is
            keep = gr.Button("Keep them", size="sm", scale=0)

    def removed() -> list[Any]:
        try:
            playground.remove_simulated(store)
        except ValueError as error:
            raise gr.Error(str(error)) from error
        return [gr.Row(visible=True), gr.Row(visible=False), gr.Column(visible=False)]

    quiet: dict[str, Any] = {"queue": False, **QUIET}
    for button, asking in ((remove, True), (keep, False)):
        change = [gr.Row(visible=not asking), gr.Row(visible=asking)]
        button.click(lambda change=change: change, None, [question, confirm], **quiet)
    sure.click(removed, None, [question, confirm, shown], **quiet)
    return shown


_SIMULATED = (
    "Five simulated people stand in for real ones until you have some: seeded imitations who know what the pictures show, and"
    " make mistakes. They are marked wherever they appear and never counted among people."
)


def _backup_warning(store: Store) -> Node:
    """Return a warning if the last backup failed, else ""."""
    state = scheduler.backup_state(store)
    if state is None or not state.failed or state.since is None:
        return ""
    text = f"No backup could be made since {state.since:%Y-%m-%d %H:%M} UTC: {state.failed}. It is tried again by itself."
    return htpy.p(class_="cc-note", role="status")[htpy.strong[text], " ", htpy.code["doctor"], " says more."]


def _glance(store: Store, pictures: int) -> Node:
    """Return a line of pictures for each generator, folded past the first few; where nobody has judged, an invitation."""
    lines = [
        ImageStrip(each, _examples(store, pictures, each.suite, each.generator)) for each in contents.generator_pictures(store)
    ]
    if not lines:
        return ""
    rest = image_strips(lines[_STRIPS:])
    more = folded(f"{len(lines) - _STRIPS} more generators", rest) if rest else ""
    return [block_title("Generators"), image_strips(lines[:_STRIPS]), more]


@lru_cache(maxsize=256)
def _examples(store: Store, pictures: int, suite: str, generator: str | None) -> list[dict[str, Any]]:  # noqa: ARG001
    """Chosen anew when the project has other pictures, not with every answer."""
    return contents.examples(store, suite, generator, _EXAMPLES)


def _tables(store: Store, *, intervals: bool) -> Node:
    judged = contents.judged_suites(store)
    if not judged:
        return note(_NOTHING)
    return [_table(store, suite, judged_suite, intervals=intervals) for suite, judged_suite in sorted(judged.items())]


def _table(store: Store, suite: str, judged_suite: contents.JudgedSuite, *, intervals: bool) -> Element:
    """Return means per generator and task: people (with intervals), and each scorer."""
    aspect = next((name for name in MAIN_ASPECTS if name in judged_suite.aspects), next(iter(judged_suite.aspects), ""))
    tasks = [ALL, *judged_suite.tasks]
    options = Options(statistics=("mean",), intervals=intervals)
    rows = recall(store, Selection(suite=(suite,), aspect=(aspect,)), options)
    people: dict[tuple[str, str], dict[str, Cell]] = {}
    for row in rows.among_people:
        name = selection.PEOPLE if row.people == "real" else selection.SIMULATED
        people.setdefault((row.generator, name), {})[row.task] = _mean(row, name)
    scorers = _scorers(store, suite, aspect, options)
    body: list[Cells] = []
    # with a single generator, "all generators" would only repeat it
    for generator in judged_suite.generators if len(judged_suite.generators) == 1 else [*judged_suite.generators, ALL]:
        lines = {rater: cells for (of, rater), cells in [*people.items(), *scorers.items()] if of == generator}
        for n, (rater, cells) in enumerate(lines.items()):
            name = "all generators" if generator == ALL else generator
            who = Cell(rater, ("by the playground’s models",)) if next_steps.is_unfit(rater, suite) else rater
            body.append([name if n == 0 else "", who, *(cells.get(task, "") for task in tasks)])
    kind = "share of yes to" if aspect in YES_NO_ASPECTS else "mean of"
    caption = f"{suite}: {kind} {wording.aspect(aspect)}" if aspect else suite
    heads = columns("generator", "rater", *numbers(*map(wording.task, tasks)))
    return table_element(plain_table(caption, heads, body))


def _mean(row: Estimate, rater: str) -> Cell:
    """Return the number with its interval and n, leading to the images behind it."""
    cell = number(row)
    where = Selection(suite=(row.suite,), generator=(row.generator,), task=(row.task,))
    href = browse_address(where, rater=rater, by=row.aspect, order="lowest")
    return replace(with_details(cell, f"n = {row.n_items:,}"), href=href)


def _scorers(store: Store, suite: str, aspect: str, options: Options) -> dict[tuple[str, str], dict[str, Cell]]:
    """By generator and scorer, then task."""
    cells: dict[tuple[str, str], dict[str, Cell]] = {}
    for row in means(store, Selection(suite=(suite,)), options):
        if row.aspect in (aspect, "score"):
            name = row.rater + ("" if row.aspect == aspect else f" ({row.aspect})")
            cells.setdefault((row.generator, name), {})[row.task] = _mean(row, row.rater)
    return cells
