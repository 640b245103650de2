"""Scorers: may one replace people, and for what? A sentence each, three questions beside people's own level, and rank sets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import htpy
from htpy import Element, Node

from agreement import Options
from agreement.estimate import Estimate
from agreement.meta.alternative_annotator import AlternativeAnnotator
from agreement.meta.ranking import GENERATORS, PAIRWISE, RANK, SOFT, Ranking
from agreement.reasons import ReasonCode
from concord.agreement import recall
from concord.common import next_steps, sentences, wording
from concord.common.people_kinds import leading_kind
from concord.common.table import Cell, Column, numbers
from concord.comparison.leaderboard import BOARD, SCORE
from concord.meta.findings import alt_test, rank
from concord.meta.replacement import ANSWERS, Replacement, replacements
from concord.scope import MAIN_ASPECTS, main_suite
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.browse import contents
from data.store.core.store import Store
from ui.components import chart_colors, charts
from ui.components.addresses import page_address
from ui.components.plotly_text import ALONE, BREAK, bold, escaped
from ui.components.tables import Cells, columns, folded, heading, joined, note, number, plain_table, table_element, with_details
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.page import Page
from ui.shell.view import ALL, View

if TYPE_CHECKING:
    import plotly.graph_objects as go

COSTS: Final = {"0.1": "a crowd (0.1)", "0.15": "skilled people (0.15)", "0.2": "experts (0.2)"}
_WHOLE: Final = Options(each_generator=False)
_BADGES: Final = {"yes": "ok", "perhaps": "warn", "no": "bad", "unknown": "none"}
_MOST_GENERATORS: Final = 8
_ROW: Final = 26
_EQUAL: Final = 1e-9
"""Scores that are less far apart differ by rounding."""
_TITLE_LETTERS: Final = 70
"""So many letters stand beside each other above the panels of the narrowest figure."""
_QUESTIONS: Final = (
    "In each cell the number by the answers at hand, its 95 % interval, and people’s own level on the same images: each person"
    " (or each rating, where people have no names) in turn, against each other one. p: how likely a random order of the"
    " generators is as good."
)
_RANKS: Final = (
    "The ranks that each generator may have by each rater (1 is best): a bar from 1 + how many are significantly better to"
    " the number of generators less how many are worse, by paired differences over prompts (Holm, 5 %); the dot is its place"
    " by the mean. The band is people’s."
)


@dataclass(frozen=True)
class ScorersView(View):
    """The scorers of a suite's aspect, on a task; ``epsilon``: what a person costs more, for the alternative annotator test."""

    PATH: ClassVar = "/agreement/scorers"
    suite: str = ""
    aspect: str = ""
    task: str = ALL
    epsilon: str = "0.1"

    @property
    def selection(self) -> Selection:
        return Selection(suite=(self.suite,), aspect=(self.aspect,))

    def browse(self, rater: str, by: str, order: str = "differs") -> str:
        """The images behind a number."""
        return page_address("images", suite=self.suite, task=self.task, rater=rater, by=by, order=order)

    def compare(self, rater: str, by: str) -> str:
        """The generators by a rater, two by two."""
        return page_address("results/compare", suite=self.suite, by=f"{rater}·{by}")

    def agreement(self, statistic: str) -> str:
        return page_address("agreement", suite=self.suite, aspect=self.aspect, task=self.task, statistic=statistic)


class ScorersPage(Page[ScorersView]):
    """The page."""

    title, VIEW = "Scorers", ScorersView

    def lay_out(self) -> None:
        self.dropdowns(suite="Suite", aspect="Aspect", task="Task", epsilon="It would replace (ε)")
        self.html("replacements")
        self.html("questions")
        self.html("ranks_heading")
        self.plot("ranks")
        self.html("rank_sets")

    def teaching(self) -> str:
        commands = next_steps.commands_block(self.store, next_steps.IMAGES)
        return f"To see what scorers are good for, score images that people have rated.\n\n{commands}"

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:
        """What each control offers, and the nearest to what is asked for."""
        suites = {name: suite for name, suite in contents.judged_suites(self.store).items() if suite.aspects}
        if not suites:
            return dict.fromkeys(self.ADDRESS, Choice([], ""))
        suite = Choice.among(sorted(suites), values.get("suite"), main_suite(self.store))
        judged = suites[suite.value]
        first = [name for name in MAIN_ASPECTS if name in judged.aspects]
        aspects = dict.fromkeys([*first, *judged.aspects])
        tasks = {ALL: wording.task(ALL)} | {name: wording.task(name) for name in judged.tasks}
        return {
            "suite": suite,
            "aspect": Choice.among({name: wording.plain_aspect(name) for name in aspects}, values.get("aspect")),
            "task": Choice.among(tasks, values.get("task"), ALL),
            "epsilon": Choice.among(COSTS, values.get("epsilon")),
        }

    def draw(self, view: ScorersView) -> Iterator[Drawn | None]:
        evidence = None if not view.aspect else ScorerEvidence.of(self.store, view)
        if evidence is None:
            yield None
            return
        yield {
            "replacements": replacements_html(evidence),
            "questions": questions_html(evidence),
            "ranks_heading": heading("Rank sets", _RANKS) if evidence.ranks else "",
            "ranks": figure(evidence),
            "rank_sets": rank_sets_html(evidence),
        }


@dataclass(frozen=True, slots=True)
class ScorerEvidence:
    """What is shown of a view: rows by real people, or by simulated ones where there are no others.

    Attributes:
        ranked: rows of `rank` by statistic and scorer, None being people; ``ranks``: by scorer and generator.
        order: scorers, the most promising first.
    """

    view: ScorersView
    people: str
    replacements: Sequence[Replacement]
    ranked: Mapping[tuple[str, str | None], Ranking]
    ranks: Mapping[str | None, Mapping[str, Ranking]]
    order: Sequence[str]

    @classmethod
    def of(cls, store: Store, view: ScorersView) -> ScorerEvidence | None:
        rows = rank(store, view.selection, _WHOLE)
        judged = (max((row.n_items for row in rows if row.people == kind), default=0) for kind in ("real", "simulated"))
        people = leading_kind(*judged) or "real"
        here = [row for row in rows if (row.people, row.task) == (people, view.task)]
        if not here:
            return None
        tests = alt_test(store, view.selection, _WHOLE, float(view.epsilon))
        report = recall(store, view.selection, BOARD)
        made = replacements(tests, report.raters, view.task, people)
        ranks: dict[str | None, dict[str, Ranking]] = {}
        for row in here:
            if row.statistic == RANK:
                ranks.setdefault(row.scorer, {})[row.generator] = row
        return cls(
            view,
            people,
            made,
            {(row.statistic, row.scorer): row for row in here if row.statistic != RANK},
            ranks,
            [each.scorer for each in made],
        )

    def by(self, scorer: str | None) -> str:
        """What a rater gives: people's aspect, or a score of its own."""
        agreed = {each.scorer: each for each in self.replacements}.get(scorer or "")
        own = agreed is None or agreed.on_scale
        return self.view.aspect if own else SCORE

    def rater(self, scorer: str | None) -> str:
        """Its name in an address."""
        return scorer or (PEOPLE if self.people == "real" else SIMULATED)


def replacements_html(evidence: ScorerEvidence) -> Node:
    """Return the answers to: may each scorer replace people? With what they rest on, and where that is shown."""
    lines = ["By simulated people: for demonstration only."] if evidence.people == "simulated" else []
    reasons = {each.test.reason if each.test else None for each in evidence.replacements}
    # what is true of all stands once
    common = len(reasons) == 1 and None not in reasons
    if common:
        lines.append(evidence.replacements[0].evidence[0])
    title = heading("May it replace people?", " ".join(lines))
    if not evidence.replacements:
        return [title, note("No scorer has judged what people have rated here.")]
    items = [
        _replacement_item(each, each.evidence[1:] if common else each.evidence, evidence) for each in evidence.replacements
    ]
    return [title, htpy.ul(class_="cc-replacements")[items]]


def _replacement_item(each: Replacement, evidence: Sequence[str], all_evidence: ScorerEvidence) -> Element:
    view = all_evidence.view
    badge = htpy.span(class_=f"cc-badge cc-badge--{_BADGES[each.answer]}")[ANSWERS[each.answer]]
    images = htpy.a(href=view.browse(each.scorer, all_evidence.by(each.scorer)))["images"]
    statistic = each.agreement.statistic if each.agreement else ""
    links = joined([images, htpy.a(href=view.agreement(statistic))["agreement"]])
    persons = _persons(each.test) if each.test is not None else ""
    words = htpy.p[" ".join(evidence), " ", htpy.small[links]]
    return htpy.li[htpy.h3[badge, " ", each.scorer], words, persons]


def _persons(test: AlternativeAnnotator) -> Node:
    """Return the test of each person."""
    if not test.persons:
        return ""
    rows: list[Cells] = [
        [
            each.person,
            *(f"{n:,}" for n in (each.n_prompts, each.n_units)),
            *(f"{share:z.2f}" for share in (each.advantage, each.disadvantage)),
            *(f"{p:.3g}" for p in (each.p, each.p_corrected)),
            "yes" if each.won else "no",
        ]
        for each in test.persons
    ]
    near = ("scorer at least as near", "person at least as near")
    heads = columns("left out", *numbers("prompts", "images", *near, "p", "p (Benjamini-Yekutieli)"), "won")
    table = plain_table(f"{test.scorer} against each person, both beside the others", heads, rows)
    return folded("Each person", table_element(table))


def questions_html(evidence: ScorerEvidence) -> Node:
    """Return raters as rows, people first, and questions as columns."""
    heads = columns("rater", *(Column(title, text, number=True, detail=measure) for title, measure, text in _TASKS))
    raters: list[tuple[str | None, str, Estimate | None]] = [(None, f"{evidence.rater(None)}, one by one", None)]
    raters += [(each.scorer, each.scorer, each.agreement) for each in evidence.replacements]
    # how far people agree by another statistic, or in pairs, is no level for a scorer: theirs stands beneath its number
    beneath = Cell("beneath each", kind="cc-text")
    rows = [
        (name, _pairwise(who, evidence), _order(who, evidence), beneath if who is None else _agreement(own, evidence))
        for who, name, own in raters
    ]
    reasons = [row.verdict_reason for row in evidence.ranked.values() if row.verdict_reason is not None]
    few = [reason for reason in reasons if reason.code is ReasonCode.GENERATORS_DECIDE_NOTHING]
    below = note(wording.sentence(sentences.text(few[0]))) if few else ""
    table = plain_table("Raters by what they can do", heads, rows)
    return [heading("What is it good for?", _QUESTIONS), table_element(table), below]


_TASKS: Final = (
    ("choose the better image of a prompt", "pairwise accuracy", "Share of pairs in people’s order, ties calibrated"),
    ("order the generators", "soft pairwise accuracy", "1 less the mean difference of people’s p and the rater’s"),
    ("give people’s verdict", "agreement", "The main statistic of the Agreement page"),
)
"""The uses of a rater, the number that decides each, and what it means."""


def _estimate(row: Ranking | None, href: str, *more: str) -> Cell:
    """Return a number with what stands beneath, which leads to what is behind it."""
    if row is None:
        return Cell("–", ("not judged",))
    cell = number(row)
    return replace(with_details(cell, *more), href=href if row.value is not None else "")


def _pairwise(scorer: str | None, evidence: ScorerEvidence) -> Cell:
    row = evidence.ranked.get((PAIRWISE, scorer))
    order = "split" if scorer is None else "differs"
    tied = ""
    if row is not None and scorer is not None and row.epsilon is not None:
        tied = f"ties up to {row.epsilon:.3g}" if row.epsilon > _EQUAL else "only equal scores tie"
    return _estimate(row, evidence.view.browse(evidence.rater(scorer), evidence.by(scorer), order), tied)


def _order(scorer: str | None, evidence: ScorerEvidence) -> Cell:
    row, pairs = evidence.ranked.get((SOFT, scorer)), evidence.ranked.get((GENERATORS, scorer))
    if row is not None and row.value is None:
        return Cell("–", ("undefined",), sentences.text_or_none(row.reason) or "")
    more: tuple[str, ...] = ()
    if pairs is not None and pairs.value is not None and pairs.pairs:
        n = wording.count(pairs.pairs, "pair")
        right = f"{pairs.value * pairs.pairs:z.0f} of {n} in order"
        by_chance = "" if pairs.p is None else f", p = {pairs.p:.2g}"
        more = (f"{pairs.pairs_apart} of {n} differ clearly",) if scorer is None else (right + by_chance,)
    return _estimate(row, evidence.view.compare(evidence.rater(scorer), evidence.by(scorer)), *more)


def _agreement(row: Estimate | None, evidence: ScorerEvidence) -> Cell:
    if row is None:
        return Cell("–", ("undefined",))
    cell = number(row)
    return replace(with_details(cell, wording.title(row.statistic)), href=evidence.view.agreement(row.statistic))


def _by_people(evidence: ScorerEvidence) -> list[str]:
    """Generators, the best by people first."""
    own = evidence.ranks.get(None, {})
    return sorted(own, key=lambda name: (own[name].value or 0.0, name))


def figure(evidence: ScorerEvidence) -> go.Figure | None:
    """A panel for each generator, the best by people first; a row for each rater, people above."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    generators = _by_people(evidence)[:_MOST_GENERATORS]
    if not generators:
        return None
    raters: list[str | None] = [None, *evidence.order]
    titles = [_wrapped(name, _TITLE_LETTERS // len(generators)) for name in generators]
    figure = make_subplots(1, len(generators), shared_yaxes=True, horizontal_spacing=0.02, subplot_titles=titles)
    most = len(evidence.ranks[None])
    for n, generator in enumerate(generators, 1):
        for y, rater in enumerate(raters):
            row = evidence.ranks.get(rater, {}).get(generator)
            if row is None or row.rank_low is None or row.rank_high is None:
                continue
            color = chart_colors.PEOPLE if rater is None else chart_colors.SCORER
            if rater is None:
                ends = (row.rank_low - 0.25, row.rank_high + 0.25)
                band = {"fillcolor": color, "opacity": 0.12, "line_width": 0, "layer": "below"}
                figure.add_vrect(*ends, **band, row=1, col=n, exclude_empty_subplots=False)
            bar = {"x": [row.rank_low, row.rank_high], "y": [y, y], "line": {"color": color, "width": 5}}
            figure.add_trace(go.Scatter(**bar, mode="lines", hoverinfo="skip"), 1, n)
            rank_text = f"{escaped(generator)}: {rank_set(row)}, by the mean {row.value:z.0f}"
            text = f"{escaped(evidence.rater(rater))}{BREAK}{rank_text}{ALONE}"
            dot = {"x": [row.value], "y": [y], "marker": {"color": color, "size": 11}, "hovertemplate": text}
            figure.add_trace(go.Scatter(**dot, mode="markers"), 1, n)
    above = 18 + 16 * max(title.count(BREAK) + 1 for title in titles)
    charts.plain(figure, height=56 + above + _ROW * len(raters))
    figure.update_layout(margin={"t": above})
    figure.update_annotations(font={"size": 12})
    figure.update_xaxes(range=[0.5, most + 0.5], dtick=1, zeroline=False)
    figure.update_yaxes(range=[len(raters) - 0.5, -0.5], zeroline=False, showgrid=False)
    labels = [bold(escaped(charts.short(evidence.rater(rater)))) for rater in raters]
    figure.update_yaxes(tickvals=[*range(len(raters))], ticktext=labels, col=1)
    return figure


def _wrapped(name: str, letters: int) -> str:
    """A generator's name in lines of so many letters, as far as it can be broken after a hyphen or the like."""
    lines = [""]
    for piece in re.findall(r"[^-_./ ]*[-_./ ]*", name):
        if lines[-1] and len(lines[-1] + piece) > letters:
            lines.append("")
        lines[-1] += piece
    return BREAK.join(map(escaped, lines))


def rank_set(row: Ranking) -> str:
    """``2``, or ``2 to 4``."""
    return f"{row.rank_low}" if row.rank_low == row.rank_high else f"{row.rank_low} to {row.rank_high}"


def rank_sets_html(evidence: ScorerEvidence) -> Node:
    """Return the same as a table, each set leading to the generators compared by that rater."""
    generators = _by_people(evidence)
    if not generators:
        return ""

    def cell(rater: str | None, generator: str) -> Cell:
        row = evidence.ranks.get(rater, {}).get(generator)
        href = evidence.view.compare(evidence.rater(rater), evidence.by(rater))
        return Cell("–") if row is None else Cell(rank_set(row), href=href, note=sentences.text(row.method))

    rows: list[Cells] = [
        (evidence.rater(rater), *(cell(rater, name) for name in generators)) for rater in (None, *evidence.order)
    ]
    table = plain_table("Rank sets, 1 is best", columns("rater", *numbers(*generators)), rows)
    return folded("As a table", table_element(table))
