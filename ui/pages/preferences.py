"""Preferences: votes of people on pairs of images beside what scorers imply, and the pairs themselves.

The view that an address asks for, a sentence on whom people choose, the votes as bars (a row for people and each scorer, every
number a link to the pairs behind it), the pairs side by side, a page at a time; folded below: tasks, sides, strengths, ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import gradio as gr
import htpy
from htpy import Element, Node

from agreement import Options
from agreement.estimate import Estimate
from agreement.preferences import (
    GeneratorStrength,
    OrderAgreement,
    OrderBias,
    RankCorrelation,
    SideChoice,
    VoteCounts,
    VoterKey,
)
from agreement.preferences.votes import BOTH, CANNOT_TELL, NONE, TIE, Contest
from agreement.study.cells import ALL
from concord.common import next_steps, sentences, wording
from concord.common.base_path import at
from concord.common.table import Cell, numbers
from concord.comparison import preferences
from concord.comparison.preferences import LEFT_OUT, OPPOSED, PairQuery, PairVotes, Poll, contests
from data.images.widths import IN_GRIDS
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.analysis import study_frames as analysis_preferences
from data.store.analysis.study_frames import ImagePair, PairImage
from data.store.core.store import Store
from ui.components import charts
from ui.components.image_strip import image_address, picture_html
from ui.components.tables import (
    Cells,
    bracketed,
    columns,
    first_sentence,
    heading,
    note,
    paged,
    plain_table,
    scrolled,
    small,
    span,
    table_element,
    with_details,
)
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.html import SKELETON, html_component
from ui.shell.page import Page
from ui.shell.view import View

_AGAINST: Final = " against "
_CHOSE: Final = {
    BOTH: "both", NONE: "neither", TIE: "a tie", LEFT_OUT: "votes that do not count",
    OPPOSED: "people and scorer opposed", CANNOT_TELL: "cannot tell",
}  # fmt: skip


@dataclass(frozen=True)
class PreferencesView(View):
    """What is shown: of a suite two generators; listed are pairs of a ``task``, on which ``who`` ``chose`` this.

    ``page`` counts from 1.
    """

    PATH: ClassVar = "/results/preferences"
    suite: str = ""
    two: str = ""
    task: str = ALL
    who: str = ALL
    chose: str = ALL
    page: int = 1


def named(contest: Contest) -> str:
    """Two generators as the address has them."""
    return f"{contest.a}{_AGAINST}{contest.b}"


def poll_of(polls: Sequence[Poll], view: PreferencesView) -> Poll | None:
    """The suite that is shown."""
    return next((poll for poll in polls if poll.suite == view.suite), None)


def contest_of(poll: Poll, view: PreferencesView) -> Contest:
    """The two generators that are shown."""
    listed = contests(poll)
    return next((contest for contest in listed if named(contest) == view.two), listed[0])


def choices(polls: Sequence[Poll], values: Mapping[str, str | None]) -> dict[str, Choice]:
    """What each control offers, and the nearest to what is asked for."""
    suite = Choice.among([poll.suite for poll in polls], values.get("suite"))
    poll = poll_of(polls, PreferencesView(suite.value or ""))
    if poll is None:
        return dict.fromkeys(("suite", "two", "task", "who", "chose"), Choice([], ""))
    two = Choice.among(map(named, contests(poll)), values.get("two"))
    contest = contest_of(poll, PreferencesView(poll.suite, two.value or ""))
    mine = [vote for voter in poll.voters for vote in voter.votes if vote.contest == contest]
    tasks = {ALL: "all tasks"} | {task: wording.task(task) for task in sorted({vote.task for vote in mine})}
    who = {ALL: "anybody"} | {voter.voter: voter.voter for voter in poll.voters}
    chosen = {vote.chose or LEFT_OUT for vote in mine}
    chose = {ALL: "anything", OPPOSED: _CHOSE[OPPOSED], contest.a: contest.a, contest.b: contest.b}
    chose |= {name: title for name, title in _CHOSE.items() if name in chosen}
    return {
        "suite": suite,
        "two": two,
        "task": Choice.among(tasks, values.get("task")),
        "who": Choice.among(who, values.get("who")),
        "chose": Choice.among(chose, values.get("chose")),
    }


_P: Final = (
    "Exact two-sided sign test of the clear votes at one half. It takes votes as independent, which several on one prompt"
    " are not."
)
_SHARE: Final = "Of the votes for one of the two, the share for {a}, with its 95 % interval by prompt."


def interval_of(estimate: Estimate) -> str:
    """A number's interval in words; nothing while it is still being made."""
    return span(estimate.low, estimate.high) or ("no interval" if estimate.method.without_interval else "")


def headline(votes: Sequence[VoteCounts], contest: Contest, view: PreferencesView) -> Node:
    """Return one sentence: whom people choose, simulated ones where no real ones have voted; and what it rests on."""
    row = next((row for row in votes if row.task == view.task and row.kind == "people"), None)
    if row is None or row.share.value is None:
        return ""
    ahead, behind = (contest.a, contest.b) if row.share.value >= 0.5 else (contest.b, contest.a)
    share, low, high = max(row.share.value, 1 - row.share.value), row.share.low, row.share.high
    if low is not None and high is not None and ahead != contest.a:
        low, high = 1 - high, 1 - low
    told_apart = low is None or low > 0.5
    rest = "" if told_apart else htpy.small[f"; not told apart from {behind}"]
    over = f" over {behind}" if told_apart else ""
    task = "" if view.task == ALL else f", {wording.task(view.task)}"
    facts = (
        f"Share of the {row.clear:,} votes for one of the two, by {row.rater}{task}; {row.votes - row.clear:,} more"
        f" are for both or neither, on {wording.count(row.pairs, 'pair')} in all."
    )
    choice = f"{row.rater.capitalize()} choose {ahead}{over}: {wording.two(share)}"
    return first_sentence([choice, bracketed(low, high), rest], facts)


def bars(
    votes: Sequence[VoteCounts],
    beside: Sequence[OrderAgreement],
    contest: Contest,
    view: PreferencesView,
    tasks: Sequence[str],
) -> Element:
    """Return the table for two generators and these tasks; ``votes`` and ``beside`` are rows of these two alone."""
    # scorers stand beside real people, or beside simulated ones where no real ones have voted
    people = next((row.people for row in votes if row.kind == "people"), None)
    beside = [row for row in beside if row.people == people]
    parts = {"a_wins": contest.a, "both": "both", "none": "neither", "b_wins": contest.b}
    legend = [htpy.span(class_="cc-key", data_part=part)[name] for part, name in parts.items()]
    beside_whom = "beside simulated people" if people == "simulated" else "beside people"
    head = [
        htpy.th(scope="col")["who"],
        htpy.th(scope="col")[legend],
        htpy.th(scope="col", class_="cc-number", title=_SHARE.format(a=contest.a))[f"share of {contest.a}"],
        htpy.th(scope="col", class_="cc-number", title=_P)["sign test p"],
        htpy.th(scope="col")[beside_whom],
    ]
    caption = htpy.caption[f"Votes on pairs: {contest.a} and {contest.b}"]
    body = [_task(task, votes, beside, contest, view) for task in tasks]
    return scrolled(htpy.table(class_="cc-table cc-votes")[caption, htpy.thead[htpy.tr[head]], body])


def _task(
    task: str, votes: Sequence[VoteCounts], beside: Sequence[OrderAgreement], contest: Contest, view: PreferencesView
) -> Element:
    name = "all tasks" if task == ALL else wording.task(task)
    lines = [row for row in votes if row.task == task]
    by_who = {row.voter: row for row in beside if row.task == task}
    head = htpy.tr(class_="cc-task")[htpy.th(colspan=5, scope="rowgroup")[name]]
    return htpy.tbody[head, [_line(row, by_who.get(row.voter), contest, view) for row in lines]]


def _line(row: VoteCounts, beside: OrderAgreement | None, contest: Contest, view: PreferencesView) -> Element:
    p = "" if row.sign_test_p is None else ("< 0.001" if row.sign_test_p < 0.001 else f"{row.sign_test_p:z.3f}")
    left = ", ".join(f"{n:,} {wording.reason(name)}" for name, n in row.share.excluded.items())
    counts = f"{wording.count(row.votes, 'vote')} on {wording.count(row.pairs, 'pair')}"
    detail = htpy.small(class_="cc-detail", title=f"left out: {left}" if left else None)[counts]
    bar = htpy.span(class_="cc-vote-bar")[[*_segments(row, contest, view)]] if row.votes else "no votes"
    return htpy.tr[
        htpy.th(scope="row")[row.voter, detail],
        htpy.td(class_="cc-vote-bar-cell")[bar],
        htpy.td(class_="cc-number", title=sentences.text(row.share.reason or row.share.method))[_share(row.share)],
        htpy.td(class_="cc-number")[p],
        htpy.td[_beside(row, beside, view)],
    ]


def _segments(row: VoteCounts, contest: Contest, view: PreferencesView) -> Iterator[Element]:
    segments = (
        ("a_wins", row.a_wins, contest.a, f"for {contest.a}"),
        ("both", row.both, BOTH, "both"),
        ("none", row.none, NONE, "neither"),
        ("tie", row.tie, TIE, "a tie"),
        ("b_wins", row.b_wins, contest.b, f"for {contest.b}"),
    )
    for part, n, chose, text in segments:
        if n:
            href = view.address(task=row.task, who=row.voter, chose=chose, page=1)
            title = f"{row.voter}: {n:,} {text} ({100 * n / row.votes:z.0f} %)"
            yield htpy.a(href=href, data_part=part, style=f"flex-grow:{n}", title=title, aria_label=title)[f"{n:,}"]


def _share(share: Estimate) -> Node:
    if share.value is None:
        return ["–", small("undefined")]
    return [f"{share.value:z.3f}", small(interval_of(share))]


def _beside(row: VoteCounts, beside: OrderAgreement | None, view: PreferencesView) -> Node:
    """Return whether a scorer prefers whom people prefer, and the pairs on which it does not."""
    if row.kind == "people" or beside is None:
        return ""
    order = {True: "same order", False: "other order", None: "no order"}[beside.same_order]
    mark = {True: "ok", False: "bad", None: "none"}[beside.same_order]
    badge = htpy.span(class_=f"cc-badge cc-badge--{mark}")[order]
    if not beside.opposed:
        return [badge, small(f"of {wording.count(beside.same.n_items, 'pair')} none opposed" if beside.same.n_items else "")]
    href = view.address(task=row.task, who=row.voter, chose=OPPOSED, page=1)
    text = f"{beside.opposed:,} of {wording.count(beside.same.n_items, 'pair')} opposed"
    return [badge, htpy.small(class_="cc-detail")[htpy.a(href=href)[text]]]


_STRENGTHS: Final = (
    "Bradley-Terry: a generator that stands d higher than another wins 1 / (1 + exp(−d)) of the clear votes against it. How"
    " common ties are (both, neither, equal scores) is estimated as well (Davidson 1970)."
)
_RANKS: Final = (
    "SelfEval’s Figure 6: over generators and tasks, Spearman’s ρ of how many votes people gave a generator and the metric’s"
    " mean there; and in how many tasks the metric puts two generators in people’s order."
)


def side_bias(row: SideChoice) -> str:
    """Whether the left image is chosen more often, which it should not be: sides are by chance."""
    who, known = row.rater, row.left + row.right
    more = f" Of {row.unknown:,} more it is not known where the chosen image stood." if row.unknown and known else ""
    if not known:
        return f"Side bias of {who}: not known, as {sentences.text_or_none(row.share.reason)}."
    return (
        f"Side bias of {who}: the left image was chosen in {row.left:,} of {known:,} votes for one of the two:"
        f" {row.share.value:z.2f}{_bounds(row.share)}, sign test p = {row.sign_test_p:z.3f}. Without a bias it is 0.50.{more}"
    )


def _bounds(estimate: Estimate) -> str:
    return f" ({span(estimate.low, estimate.high)})" if estimate.low is not None else ""


def position_bias(row: OrderBias) -> str:
    """Whether a judge's choice changes when the images change places, which it should not."""
    if not row.pairs:
        return f"Position bias of {row.rater}: not known, as {sentences.text_or_none(row.changed.reason)}."
    p = "" if row.sign_test_p is None else f", sign test p = {row.sign_test_p:z.3f}"
    return (
        f"Position bias of {row.rater}: its choice changes with the order of the images on {row.pairs - row.kept:,} of"
        f" {row.pairs:,} pairs: {row.changed.value:z.2f}{_bounds(row.changed)}; these count as ties. It keeps to the left side"
        f" on {row.left:,}, to the right on {row.right:,}{p}."
    )


def strengths_table(rows: Sequence[GeneratorStrength], task: str) -> Node:
    """Return the table of one task (or all), people first."""
    mine = [row for row in rows if row.task == task]
    if not mine:
        return ""
    body: list[Cells] = []
    before = ""
    for row in mine:
        who = row.voter
        counts = [f"{n:,}" for n in (row.wins, row.losses, row.ties)]
        rank = "" if row.rank is None else str(row.rank)
        body.append(["" if who == before else who, row.generator, _number(row.strength), rank, *counts])
        before = who
    named = "all tasks" if task == ALL else wording.task(task)
    heads = columns("who", "generator", *numbers("strength", "rank", "wins", "losses", "ties"))
    table = table_element(plain_table(f"Strengths, {named}", heads, body))
    return [heading("How strong each generator is", _STRENGTHS), table]


def strengths_figure(rows: Sequence[GeneratorStrength], task: str) -> Any:
    """A row for each generator and voter; None for two generators, of whom the bars say all."""
    mine = [row for row in rows if row.task == task and row.strength.value is not None]
    if len({row.generator for row in mine}) < 3:
        return None
    order = sorted(mine, key=lambda row: (row.generator, row.kind != "people"))
    lines = [_forest_line(f"{row.generator} · {row.voter}", row, row.strength) for row in order]
    return charts.forest(lines, "Bradley-Terry log strength", around_zero=0.05)


def _forest_line(label: str, row: VoterKey, estimate: Estimate) -> charts.ForestLine:
    ends = estimate.value, estimate.low, estimate.high
    return charts.ForestLine(label, *ends, estimate.n_items, row.kind, row.people == "simulated")


def ranks_table(rows: Sequence[RankCorrelation]) -> Node:
    """Return the list of metrics."""
    if not rows:
        return ""
    body: list[Cells] = []
    for row in rows:
        tasks = len(row.agreeing) + len(row.opposed)
        order = f"{len(row.agreeing)} of {wording.count(tasks, 'task')}" if tasks else ""
        people = "people" if row.people == "real" else "simulated people"
        body.append([row.voter, _number(row.rho), str(row.rho.n_items), order, people])
    heads = columns("metric", *numbers("Spearman’s ρ", "points", "people’s order"), "votes of")
    table = table_element(plain_table("Metrics beside people’s votes", heads, body))
    return [heading("Do votes go with a metric?", _RANKS), table]


def ranks_figure(rows: Sequence[RankCorrelation]) -> Any:
    """A row for each metric that has a number; None where none has."""
    known = [_forest_line(row.voter, row, row.rho) for row in rows if row.rho.value is not None]
    return charts.forest(known, "Spearman’s ρ with people’s votes", around_zero=0.05) if known else None


def _number(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return Cell("–", ("undefined",), sentences.text_or_none(estimate.reason) or "")
    cell = Cell(f"{estimate.value:+z.3f}", note=sentences.text(estimate.method), exact=estimate.value)
    return with_details(cell, interval_of(estimate))


PAGE_SIZE: Final = 12
_UNSEEN: Final = htpy.div(class_="cc-no-picture")["Only the vote is known, not the images."]
_CHOICE_TEXTS: Final = {"none": "neither", LEFT_OUT: "does not count", "tie": "a tie"}


def gallery(store: Store, poll: Poll, view: PreferencesView) -> Node:
    """Return the pairs that the view lists; pictures load as they scroll into view."""
    pairs = preferences.list_pairs(poll, PairQuery(contest_of(poll, view), view.task, view.who, view.chose))
    shown, pages = paged(pairs, view.page, PAGE_SIZE, view.address)
    pictured = {pair.item_id: pair for pair in analysis_preferences.pairs(store, [pair.item_id for pair in shown])}
    people = {voter.voter for voter in poll.people()}
    opposed = sum(bool(pair.opposed) for pair in pairs)
    lead = f"{wording.count(len(pairs), 'pair')}; where a scorer and most people are opposed stands first ({opposed:,})."
    cells = [_pair(pair, pictured[pair.item_id], people, view) for pair in shown if pair.item_id in pictured]
    listing = htpy.ul(class_="cc-duels")[cells] if cells else note("No pair fits. Change one of the choices.")
    return [heading("Pairs", lead), listing, pages]


def _pair(votes: PairVotes, pair: ImagePair, people: set[str], view: PreferencesView) -> Element:
    text = pair.text or "the prompt is not known"
    crowd = PEOPLE if PEOPLE in people else SIMULATED
    pictures = [_picture(picture, votes, text, view) for picture in pair.pictures]
    preferred = "" if votes.preferred is None else _CHOICE_TEXTS.get(votes.preferred, votes.preferred)
    task = [wording.task(votes.task)] if votes.task else []
    meta = " · ".join([*task, f"{crowd}: {preferred}" if preferred else f"{crowd} undecided"])
    choice_lines = [_choice_line(who, chosen, who in votes.opposed, who in people) for who, chosen in votes.chosen.items()]
    return htpy.li(class_="cc-duel")[
        htpy.p(class_="cc-cell-text")[text],
        htpy.p(class_="cc-cell-meta")[meta],
        htpy.div(class_="cc-duel-pictures")[pictures] if pictures else _UNSEEN,
        htpy.dl(class_="cc-duel-said")[choice_lines],
    ]


def _picture(picture: PairImage, votes: PairVotes, text: str, view: PreferencesView) -> Element:
    won = "cc-duel-won" if picture.generator == votes.preferred else ""
    href = image_address(picture.image_id, Selection(suite=(view.suite,), generator=(picture.generator,)))
    shown = picture_html(picture.sha256, f"{text}, by {picture.generator}", IN_GRIDS)
    name = htpy.figcaption[picture.generator]
    return htpy.figure(class_=["cc-duel-picture", won])[htpy.a(href=href)[shown], name]


def _choice_line(who: str, chosen: Mapping[str, int], opposed: bool, people: bool) -> Element:
    parts = (
        f"{n:,} × {_CHOICE_TEXTS.get(name, name)}" if people else _CHOICE_TEXTS.get(name, name) for name, n in chosen.items()
    )
    badge = opposed and [" ", htpy.span(class_="cc-badge cc-badge--bad")["opposed"]]
    return htpy.div[htpy.dt[who], htpy.dd[", ".join(parts), badge]]


_QUICK: Final = Options(intervals=False)
_LEAD: Final = (
    "Two generators drew the same prompt: which image is faithful to the text? One of them, both or neither. A scorer votes by"
    " “correct” for the only one that is right, by a score for the larger one. Click on a number to see its pairs."
)
_EMPTY: Final = """
## Nobody has chosen between two images yet

In an A/B test (SelfEval, section 4.1) people see two generators' images of one prompt side by side and say which of them shows
what the text says: the left one, the right one, both or neither. The sides are by chance, and nobody sees whose images they
are. Where scorers have judged these images, this page shows whom they would prefer, too.

**Make such a campaign** on the page [Campaigns]({campaigns}) (questionnaire *ab*, two generators), or by command:

{commands}

**The votes that SelfEval prints** in its Tables 2 and 3, with five metrics:

{study}
"""


class PreferencesPage(Page[PreferencesView]):
    """The page."""

    title, VIEW = "Preferences", PreferencesView

    def lay_out(self) -> None:
        with self.bar():
            self.dropdown("suite", "Suite")
            self.dropdown("two", "Generators")
            self.dropdown("task", "Task", [ALL], ALL)
        self.html("headline", value=SKELETON)
        self.links("votes", "pairs")
        html_component(note(_LEAD))
        with self.bar():
            self.dropdown("who", "Pairs on which", [ALL], ALL)
            self.dropdown("chose", "chose", [ALL], ALL)
        self.links("pairs", "pairs")
        with gr.Accordion("All numbers: tasks, sides, strengths, metrics", open=False, elem_id="all-numbers"):
            self.links("task-votes", "pairs")
            self.html("sides")
            self.html("strengths")
            self.plot("strengths-plot")
            self.html("ranks")
            self.plot("ranks-plot")

    def teaching(self) -> str:
        groups = {"commands": next_steps.pair_campaign(self.store), "study": next_steps.PUBLISHED_VOTES}
        commands = {name: next_steps.commands_block(self.store, lines) for name, lines in groups.items()}
        return _EMPTY.format(campaigns=at("/studio/people"), **commands)

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:
        return choices(_polls(self.store).polls, values)

    def draw(self, view: PreferencesView) -> Iterator[Drawn | None]:
        for options in (_QUICK, Options()):
            yield self.drawn(view, options)

    def drawn(self, view: PreferencesView, options: Options) -> Drawn | None:
        """The whole page."""
        polls_shown = _polls(self.store, options)
        poll = poll_of(polls_shown.polls, view)
        if poll is None:
            return None
        contest = contest_of(poll, view)
        rows = polls_shown.of_suite(poll.suite)
        votes = [row for row in rows.votes if row.contest == contest]
        beside = [row for row in rows.beside if row.contest == contest]
        several = len({row.generator for row in rows.strengths}) > 2
        tasks = sorted({row.task for row in votes} - {ALL, view.task})
        return {
            "headline": headline(votes, contest, view),
            "votes": bars(votes, beside, contest, view, [view.task]),
            "task-votes": bars(votes, beside, contest, view, tasks) if tasks else "",
            "sides": [*map(note, (*map(side_bias, rows.sides), *map(position_bias, rows.orders)))],
            "strengths": strengths_table(rows.strengths, ALL) if several else "",
            "strengths-plot": strengths_figure(rows.strengths, ALL),
            "ranks": ranks_table(rows.ranks),
            "ranks-plot": ranks_figure(rows.ranks),
            "pairs": gallery(self.store, poll, view),
        }


def _polls(store: Store, options: Options = _QUICK) -> preferences.PreferenceRows:
    return preferences.recall(store, Selection(), options)
