"""Pictures of questions: TIFA's scores, VQA models beside each other, and beside people who answered the same.

Scores by element type, text source or number of entities (TIFA, Figures 8 and 9, Table 4); how much they depend on the VQA
model (Figure 10); models beside people (Table 3, Figure 11); and the answers behind a number, each leading to its image.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final
from urllib.parse import urlencode

import htpy
import pandas as pd
from htpy import Element, Node

from agreement.questions.people import (
    ACCURACY_FAILS,
    ACCURACY_PASSES,
    ALPHA,
    APART,
    CONSTANT_ACCURACY,
    CONSTANT_LENGTH_BIAS,
    CONSTANT_YES,
    DECIDED,
    IMAGE_WRONG,
    LENGTH_BIAS,
    TIFA_CORRELATION,
    VQA_ACCURACY,
    VQA_WRONG,
    YES_LESS_PEOPLE,
    Split,
)
from agreement.questions.scores import ACCURACY, LESS_REFERENCE, SPEARMAN, TIFA, GroupStatistic
from concord.browsing.grid import previews
from concord.common import next_steps, reason_sentences, wording
from concord.common.base_path import at
from concord.common.table import Cell, Column, numbers
from concord.error_analysis import rejudging
from concord.open_project import OpenProject
from concord.questions import scores
from concord.questions.scores import REAL, AnswerBesidePeople
from data.browsing import ItemPreview
from data.selection import Selection
from ui.components import linked_figures
from ui.components.addresses import browse_address, listing_address
from ui.components.image_strip import image_address, picture_html, thumbnails
from ui.components.linked_figures import Mark, Series
from ui.components.tables import Cells, columns, heading, note, plain_table, scrolled, small, span, table_element, with_details
from ui.pages.failures.drawing import Drawing, command_block
from ui.pages.failures.view import ALL, ENTITIES, MODELS, PEOPLE, SEEN, SOURCES, TYPES, FailuresView

BY: Final = {TYPES: "element_type", SOURCES: "source", ENTITIES: "entities", PEOPLE: "element_type"}
"""What groups the answers of each, as ``agreement.questions`` calls it."""

WRONG, RIGHT, DIFFERENT = "wrong", "right", "different"
_STATES: Final = {
    "undecided": "wrong, people are divided",
    "cannot_tell": "wrong, people cannot tell",
    "other_version": "wrong, people were asked in other words",
    "not_asked": "wrong, people were not asked",
}
ANSWERS: Final[dict[str, str]] = {
    WRONG: "wrong",
    RIGHT: "right",
    DIFFERENT: "other than people’s",
    IMAGE_WRONG: "wrong, and so is the image",
    VQA_WRONG: "wrong, though the image is right",
    **{name: _STATES[name] for name in APART},
}
"""Which answers can be listed; those after ``right`` only beside people."""


def question_choices(store: OpenProject, view: FailuresView) -> dict[str, Mapping[str, str]]:
    """Return what the picture of questions offers, by the names of ``view.CHOICES``; empty where there is nothing to choose."""
    names, see = scores.answering_raters(store).get(view.suite, []), view.see
    if view.rater not in names or see not in SEEN:
        return {}
    places, source = scores.answer_sources(store, view.suite, view.rater), source_of(view)
    groups = {} if see == MODELS else {ALL: "all"} | _same(scores.answer_groups(store, view.suite, view.rater, source, BY[see]))
    beside = see == PEOPLE
    generators = _same(places.generators)
    return {
        "reference": {} if beside else {ALL: "none"} | generators,
        "against": _same(name for name in names if name != view.rater) if see == MODELS else {},
        "group": groups,
        "whose": {ALL: "all generators"} | generators if len(generators) > 1 else {},
        "answers": {} if see == MODELS else {name: text for name, text in ANSWERS.items() if beside or name in (WRONG, RIGHT)},
    }


def _same(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}


NO_VALUE: Final = "–"
_OWN_RULE: Final = "dsg"


def cell(row: GroupStatistic | None, href: str = "", more: str = "") -> Cell:
    """Return a number with interval and n; ``more``: a further line."""
    if row is None:
        return Cell("")
    if row.value is None:
        return with_details(Cell(NO_VALUE, note=reason_sentences.text_or_none(row.reason) or ""), more)
    n = f"n = {row.n:,}"
    details = tuple(filter(None, (span(row.low, row.high), n, more)))
    return Cell(f"{row.value:z.3f}", details, f"{reason_sentences.text(row.method)}; {n} {row.unit}", href, row.value)


def mark(row: GroupStatistic | None, name: str, href: str = "") -> Mark:
    """A number in a figure; ``name``: what it is of."""
    if row is None or row.value is None:
        return Mark(None)
    bounds = span(row.low, row.high)
    hover_text = f"{name}: {row.value:z.3f}{f' ({bounds})' if bounds else ''}\nn = {row.n:,} {row.unit}"
    return Mark(row.value, row.low, row.high, hover_text, href)


def source_of(view: FailuresView) -> str:
    """Return the text source that is looked at, which is the scope's task; empty for all."""
    return view.scope.task


def reference_of(view: FailuresView) -> str:
    """The generator of real images; empty for none."""
    return "" if view.reference == ALL else view.reference


def of_source(view: FailuresView) -> str:
    """In words, where only one text source is looked at."""
    return f", texts of {source_of(view)} alone" if source_of(view) else ""


def own_rule(store: OpenProject, view: FailuresView) -> Node:
    """Return what is to be said of a rater whose own score is another than these."""
    sources = rejudging.sources(store)
    scorer = next((source.scorer for source in sources if (source.suite, source.rater_id) == (view.suite, view.rater)), "")
    if scorer != _OWN_RULE:
        return ""
    text = "Its own score counts an answer only if those that it rests on are right; here all answers count (TIFA, formula 1)."
    return note(text)


MOST_APART: Final = 24
_ONE: Final = "Only {rater} has answered questions about {suite} so far. Another model shows how far the scores depend on it:"
_LEAD: Final = (
    "{n} VQA models answered questions about images of {suite}{source}. If a score said much about images and little about the"
    " model, all would put generators, and images, in the same order: in the paper all pairs correlate by more than 0.6."
)


def draw_models(store: OpenProject, view: FailuresView) -> Drawing:
    """Scores by model, their correlations, and the images on which two models differ most."""
    raters = scores.answering_raters(store)[view.suite]
    source = source_of(view)
    rows = [row for row in scores.recall_scores(store, view.suite, source, "") if (row.by, row.statistic) == (ALL, TIFA)]
    lead = _LEAD.format(n=len(raters), suite=view.suite, source=of_source(view))
    scores_table = _scores(view, rows)
    if len(raters) < 2:
        lead = _ONE.format(rater=view.rater, suite=view.suite)
        return Drawing(lead, None, scores_table, command_block(store, next_steps.OTHER_ANSWERING))
    pairs = [row for row in scores.recall_models(store, view.suite, source) if row.statistic == SPEARMAN]
    return Drawing(lead, _models_figure(view, rows), [scores_table, _pairs(view, pairs)], listed=_apart(store, view))


def _at(rows: list[GroupStatistic]) -> dict[tuple[str | None, str], GroupStatistic]:
    return {(row.rater, row.generator): row for row in rows}


def _raters(rows: list[GroupStatistic]) -> list[str]:
    return sorted({row.rater for row in rows if row.rater is not None})


def _named(view: FailuresView, generator: str) -> str:
    return f"{generator} (reference)" if generator == reference_of(view) else generator


def _browse(view: FailuresView, rater: str, generator: str) -> str:
    task = (source_of(view),) if source_of(view) else ()
    places = Selection(suite=(view.suite,), task=task, generator=(generator,))
    return browse_address(places, rater=rater, by="score", order="lowest")


def _models_figure(view: FailuresView, rows: list[GroupStatistic]) -> Node:
    at, generators = _at(rows), sorted({row.generator for row in rows})
    series = [
        Series(rater, [mark(at.get((rater, name)), f"{rater}, {name}", _browse(view, rater, name)) for name in generators])
        for rater in _raters(rows)
    ]
    return linked_figures.dots([_named(view, name) for name in generators], series, "TIFA")


def _scores(view: FailuresView, rows: list[GroupStatistic]) -> Element:
    at, generators = _at(rows), sorted({row.generator for row in rows})
    lines: list[Cells] = [
        [rater, *(cell(at.get((rater, name)), _browse(view, rater, name)) for name in generators)] for rater in _raters(rows)
    ]
    heads = columns("VQA model", *numbers(*(_named(view, name) for name in generators)))
    return table_element(plain_table("TIFA by VQA model", heads, lines))


def _pairs(view: FailuresView, rows: list[GroupStatistic]) -> Element:
    lines: list[Cells] = [
        [
            row.rater or "",
            row.other or "",
            _rho(view, row),
            f"{row.n:,}",
            ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in row.excluded.items()),
        ]
        for row in rows
    ]
    rho = Column("Spearman’s ρ", wording.meaning(SPEARMAN), number=True)
    heads = columns("VQA model", "and", rho, *numbers("images"), "left out")
    return table_element(plain_table("Scores per image: do two models put images in the same order?", heads, lines))


def _rho(view: FailuresView, row: GroupStatistic) -> Cell:
    other = row.other if row.rater == view.rater else row.rater if row.other == view.rater else None
    changes = {"against": other} if other else {"rater": row.rater, "against": row.other}
    return cell(row, view.address(**changes))


def _apart(store: OpenProject, view: FailuresView) -> Node:
    """Return the images whose scores by two models differ most."""
    both = scores.differing_images(store, view.suite, source_of(view), view.rater, view.against)
    apart = [image for image in both if view.whose in (ALL, image.generator)]
    if not apart:
        return heading(f"{view.rater} and {view.against}", "No image that both were asked the same about has different scores.")
    shown = {image.item: f"{image.generator}: {image.a:z.2f} and {image.b:z.2f}" for image in apart[:MOST_APART]}
    lead = f"{wording.count(len(apart), 'image')} with different scores; the first {len(shown)}."
    lead = lead if len(apart) > MOST_APART else ""
    title = heading(f"Where {view.rater} and {view.against} differ most", lead)
    looks = previews(store, [*shown])
    return [title, thumbnails(looks, shown, listing_address(shown, view.suite))]


MOST_ANSWERS: Final = 30
_NONE: Final = {
    "undecided": "people are divided",
    "cannot_tell": "people cannot tell",
    "other_version": "asked in other words",
    "not_asked": "not asked",
}


def answers_list(store: OpenProject, view: FailuresView) -> Node:
    """Return the answers that the view asks for."""
    frame = _chosen(scores.answers_beside_people(store, view.suite, source_of(view), view.rater), view)
    group = f"texts of {view.group} entities" if view.see == "entities" else view.group
    about = "" if view.group == ALL else f", {group}"
    whose = "" if view.whose == ALL else f", images by {view.whose}"
    title = f"Answers of {view.rater} that are {ANSWERS[view.answers or WRONG]}{about}{whose}"
    if frame.empty:
        return [heading(title), note("None.")]
    more = f"The first {MOST_ANSWERS} of {len(frame):,}."
    more = more if len(frame) > MOST_ANSWERS else f"{wording.count(len(frame), 'answer')}."
    return [heading(title, more), _table(store, frame.head(MOST_ANSWERS), view)]


def _chosen(rows: pd.DataFrame, view: FailuresView) -> pd.DataFrame:
    if view.group != ALL and view.see in BY:
        rows = rows[rows[BY[view.see]].astype(str) == view.group]
    if view.whose != ALL:
        rows = rows[rows.generator == view.whose]
    right, decided = rows.answer == rows.chosen, rows.state == DECIDED
    # people's answer is no text where they have none
    theirs = rows.people.astype(object)
    wanted: dict[str, Any] = {
        WRONG: ~right,
        RIGHT: right,
        DIFFERENT: decided & (theirs != rows.chosen),
        IMAGE_WRONG: ~right & decided & (theirs != rows.answer),
        VQA_WRONG: ~right & decided & (theirs == rows.answer),
        **{name: ~right & (rows.state == name) for name in APART},
    }
    frame: pd.DataFrame = rows[wanted[view.answers or WRONG]]
    return frame


def _table(store: OpenProject, rows: pd.DataFrame, view: FailuresView) -> Element:
    listed = sorted(rows.item.unique())
    looks, listing = previews(store, listed), listing_address(listed, view.suite)
    with_people = bool((rows.state != "not_asked").any()) or view.see == PEOPLE
    names = ["image", "question", "asked for", view.rater, *(["people"] if with_people else [])]
    head = [htpy.th(scope="col")[name] for name in names]
    body = [_line(row, looks, listing, with_people=with_people) for row in scores.answer_records(rows)]
    return scrolled(htpy.table(class_="cc-table cc-asked", aria_label="Answers")[htpy.thead[htpy.tr[head]], htpy.tbody[body]])


def _line(row: AnswerBesidePeople, looks: Mapping[str, ItemPreview], listing: str, *, with_people: bool) -> Element:
    look = looks.get(row.item, ItemPreview(None, None))
    href = image_address(row.item, listing)
    text = look.text or row.item
    picture = picture_html(look.sha256, text, none=text, kind="cc-asked__none")
    kind = "cc-right" if row.answer == row.chosen else "cc-wrong"
    return htpy.tr[
        htpy.th(scope="row")[htpy.a(href=href, title=text)[picture, small(row.generator)]],
        htpy.td[row.text or row.question, small(f"{row.element_type}: {row.element}")],
        htpy.td[row.answer],
        htpy.td[htpy.span(class_=kind)[row.chosen]],
        with_people and htpy.td[_people(row)],
    ]


def _people(row: AnswerBesidePeople) -> Node:
    if row.state != DECIDED:
        return htpy.span(class_="cc-muted")[_NONE[row.state]]
    kind = "cc-right" if row.people == row.answer else "cc-wrong"
    votes = wording.count(int(row.votes), "person")
    return [htpy.span(class_=kind)[row.people or ""], small(votes)]


_STATISTIC: Final = {TYPES: ACCURACY, SOURCES: TIFA, ENTITIES: TIFA}
_CAPTION: Final = {
    TYPES: "Right answers by element type",
    SOURCES: "TIFA by text source",
    ENTITIES: "TIFA by number of entities",
}
_NAMED: Final = {TYPES: "element type", SOURCES: "text source", ENTITIES: "entities"}
_MEANS: Final = {
    TYPES: "The share of right answers among all questions of a type, as in the paper’s Figure 8.",
    SOURCES: "TIFA is the share of right answers about an image, on average over texts (the paper’s Table 4).",
    ENTITIES: "TIFA over how many objects, animals, humans and food a text’s questions ask for, as in the paper’s Figure 9.",
}
_REFERENCE: Final = (
    "Beneath a number: how far it is from {reference}’s, on the texts that both have images of, asked the same. Real images"
    " need not be perfect: texts and models err, too."
)


class _ScoresTable:
    """The rows of one picture by group and generator."""

    def __init__(self, rows: list[GroupStatistic], view: FailuresView) -> None:
        by, statistic = BY[view.see], _STATISTIC[view.see]
        mine = [row for row in rows if row.rater == view.rater and row.by in (by, ALL)]
        self.view = view
        self.generators = sorted({row.generator for row in mine})
        self.at = {(row.by == ALL, row.group, row.generator): row for row in mine if row.statistic == statistic}
        less = [row for row in mine if row.statistic == statistic + LESS_REFERENCE]
        self.less = {(row.by == ALL, row.group, row.generator): row for row in less}
        self.tifa = {row.generator: row for row in mine if (row.by, row.statistic) == (ALL, TIFA)}
        self.reference = reference_of(view)
        # where generators are worst first; numbers as they are
        groups = {row.group for row in mine if row.by != ALL}
        key: Callable[[str], Any] = int if view.see == ENTITIES else lambda group: (self.mean(group), group)
        self.groups = sorted(groups, key=key)

    def mean(self, group: str) -> float:
        """Over generators, but for the reference."""
        values = [self.value(group, name) for name in self.generators if name != self.reference]
        known = [value for value in values if value is not None]
        return fmean(known) if known else 2.0

    def value(self, group: str, generator: str) -> float | None:
        row = self.at.get((False, group, generator))
        return None if row is None else row.value

    def href(self, group: str, generator: str) -> str:
        return self.view.address(group=group, whose=generator)

    def series(self) -> list[Series]:
        return [
            Series(
                self.named(name),
                [mark(self.at.get((False, group, name)), f"{name}, {group}", self.href(group, name)) for group in self.groups],
                reference=name == self.reference,
            )
            for name in self.generators
        ]

    def named(self, generator: str) -> str:
        return f"{generator} (reference)" if generator == self.reference else generator

    def html(self) -> Element:
        heads = columns(_NAMED[self.view.see], *numbers(*map(self.named, self.generators)))
        lines = [self._line(True, ALL), *(self._line(False, group) for group in self.groups)]
        return table_element(plain_table(_CAPTION[self.view.see], heads, lines))

    def _line(self, whole: bool, group: str) -> Cells:
        shown = "all" if whole else wording.task(group) if self.view.see == SOURCES else group
        return [shown, *(self._cell(whole, group, name) for name in self.generators)]

    def _cell(self, whole: bool, group: str, generator: str) -> Cell:
        key = (whole, group, generator)
        less = self.less.get(key)
        more = "" if less is None or less.value is None else f"{less.value:+z.3f} to {self.reference}"
        return cell(self.at.get(key), self.href(group, generator), more)


def draw_scores(store: OpenProject, view: FailuresView) -> Drawing:
    """One of the three pictures."""
    rows = scores.recall_scores(store, view.suite, source_of(view), reference_of(view))
    table = _ScoresTable(rows, view)
    return Drawing(_scores_lead(table), _scores_figure(table), table.html(), _notes(store, view), answers_list(store, view))


def _scores_figure(table: _ScoresTable) -> Node:
    if not table.groups:
        return None
    if table.view.see == ENTITIES:
        return linked_figures.lines(table.groups, table.series(), ("entities that the text asks for", "TIFA"))
    axis = "right answers" if table.view.see == TYPES else "TIFA"
    labels = [wording.task(group) for group in table.groups] if table.view.see == SOURCES else table.groups
    return linked_figures.dots(labels, table.series(), axis)


def _scores_lead(table: _ScoresTable) -> str:
    view = table.view
    known = {name: row.value for name, row in table.tifa.items() if row.value is not None}
    parts = [f"{name} {value:z.3f}" for name, value in known.items() if name != table.reference]
    real = known.get(table.reference)
    n, questions = sum(row.n_items for row in table.tifa.values()), sum(row.n_questions for row in table.tifa.values())
    about = f"{view.rater} answered {wording.count(questions, 'question')} about {wording.count(n, 'image')} of {view.suite}"
    sentence = f"{about}{of_source(view)}. TIFA: {', '.join(parts) or 'of nothing but the reference'}"
    sentence += f"; {table.reference}, the reference, {real:z.3f}." if real is not None else "."
    if view.see == TYPES and len(table.groups) > 1:
        sentence += f" Hardest on average: {table.groups[0]} ({table.mean(table.groups[0]):z.3f})."
    return sentence


def _notes(store: OpenProject, view: FailuresView) -> Node:
    parts = [note(f"{_MEANS[view.see]} Every number leads to the answers behind it. Intervals: 95\u00a0%, by text.")]
    if reference_of(view):
        parts.append(note(_REFERENCE.format(reference=view.reference)))
    mixed = scores.mixed_texts(store, view.suite, view.rater)
    if mixed:
        verb = "was asked" if mixed == 1 else "were asked"
        text = (
            f"Of {wording.count(mixed, 'text')} not all images {verb} the same questions: these have changed in between, so"
            " generators are not compared on the same ones there. To ask anew, remove the scorer’s runs and score again."
        )
        parts.append(note(text, "cc-bad"))
    return [parts, own_rule(store, view)]


_NO_PEOPLE: Final = (
    "No person has answered questions about images of {suite} yet, so nobody knows whether the image or the model is at fault"
    " where an answer is wrong. Ask people the very same questions:"
)
_HOW: Final = (
    "People’s answer is what more than half of those say whose answers count: two people, and a third where they differ. A"
    " wrong answer of the model is the image’s fault where people’s answer is not the one asked for either, and the model’s"
    " where it is. Only answers to the same words meet."
)
_WHO: Final = {"real": "people", "simulated": "simulated people"}
_PARTS: Final = {IMAGE_WRONG: "the image is wrong", VQA_WRONG: "the VQA model is wrong"}
_COLUMNS: Final = {
    VQA_ACCURACY: ("VQA accuracy", "The share of the model’s answers that are people’s (Table 3, first row)."),
    ACCURACY_PASSES: ("where people pass", "The same, of the answers where people say what a faithful image shows."),
    ACCURACY_FAILS: ("where people fail", "The same, of the answers where people say something else."),
    CONSTANT_ACCURACY: ("passing all", "The accuracy of a rater who does not look, and passes every image."),
    YES_LESS_PEOPLE: ("yes-bias", "How much more often it says yes than people do, where yes or no is asked."),
    CONSTANT_YES: ("always yes", "The yes-bias of a rater who says yes to everything."),
    TIFA_CORRELATION: ("TIFA, Spearman’s ρ", "TIFA per image by the model’s answers and by people’s (Table 3, second row)."),
}
_LENGTHS: Final = {
    statistic: (title.format(name), note)
    for name in LENGTH_BIAS
    for statistic, title, note in (
        (
            LENGTH_BIAS[name],
            "{}’s length",
            "Spearman’s ρ of the length in characters and how much more the model passes than people: 0 without a length bias.",
        ),
        (
            CONSTANT_LENGTH_BIAS.get(name, ""),
            "passing all, {}",
            "The same of a rater who does not look, and passes every image.",
        ),
    )
    if statistic
}


def draw_people(store: OpenProject, view: FailuresView) -> Drawing:
    """Table 3, Figure 11 with its numbers, and the answers behind them."""
    rows, splits = scores.recall_people(store, view.suite, source_of(view))
    # whether people have answered any question about these images, in whatever words
    kinds = [
        kind
        for kind in _WHO
        if any(
            bool(split.decided or any(n for name, n in split.apart.items() if name != "not_asked"))
            for split in splits
            if split.people == kind
        )
    ]
    if not kinds:
        text = _NO_PEOPLE.format(suite=view.suite)
        return Drawing.missing(store, text, next_steps.ASKING_PEOPLE, listed=answers_list(store, view))
    mine = [row for row in splits if row.rater == view.rater and row.people in kinds]
    lead = _people_lead(view, rows, mine, kinds[0])
    shown = [row for row in mine if row.decided]
    tables = [_table_3(view, [row for row in rows if row.people in kinds]), _counts(view, mine, rows)]
    return Drawing(lead, _people_figure(view, shown) if shown else None, tables, note(_HOW), answers_list(store, view))


def _people_lead(view: FailuresView, rows: Sequence[GroupStatistic], splits: Sequence[Split], kind: str) -> str:
    whole = next(row for row in splits if (row.by, row.people) == (ALL, kind))
    parts = [f"{view.rater} on {view.suite}{of_source(view)}, beside {_WHO[kind]}"]
    accuracy = _row_of(rows, VQA_ACCURACY, view.rater, kind)
    if accuracy and accuracy.value is not None:
        parts.append(f"{accuracy.value:.0%} of {wording.count(accuracy.n, 'answer')} are theirs, too")
    decided = whole.decided
    if decided:
        share = whole.image_wrong / decided
        parts.append(f"of {wording.count(decided, 'wrong answer')} {share:.0%} are the image’s fault, the others the model’s")
    else:
        parts.append("people have answered none of the questions that it answers wrong")
    return f"{parts[0]}: {'; '.join(parts[1:])}."


def _row_of(rows: Sequence[GroupStatistic], statistic: str, rater: str | None, kind: str) -> GroupStatistic | None:
    wanted = (statistic, rater, kind, ALL)
    return next((row for row in rows if (row.statistic, row.rater, row.people, row.by) == wanted), None)


def _table_3(view: FailuresView, rows: Sequence[GroupStatistic]) -> Node:
    heads = _heads(_COLUMNS)
    lines: list[Cells] = []
    for kind in dict.fromkeys(row.people for row in rows):
        for rater in dict.fromkeys(row.rater for row in rows if row.rater is not None):
            href = view.address(rater=rater, answers=DIFFERENT, group=ALL, whose=ALL)
            lines.append([rater, _WHO[kind], *(cell(_row_of(rows, name, rater, kind), href) for name in _COLUMNS)])
    return [
        table_element(plain_table("VQA models beside people", heads, lines)),
        _length_biases(view, rows),
        [_among(view, _row_of(rows, ALPHA, None, kind), kind) for kind in dict.fromkeys(row.people for row in rows)],
    ]


def _length_biases(view: FailuresView, rows: Sequence[GroupStatistic]) -> Node:
    """Return whether long texts are passed more often than by people; raters without any such number have no line."""
    lines: list[Cells] = []
    for who in dict.fromkeys((row.rater or "", row.people) for row in rows if row.statistic in _LENGTHS and row.n):
        href = view.address(rater=who[0], answers=DIFFERENT, group=ALL, whose=ALL)
        cells = (cell(_row_of(rows, name, *who), href) for name in _LENGTHS)
        lines.append([who[0], _WHO[who[1]], *cells])
    return table_element(plain_table("Length bias", _heads(_LENGTHS), lines)) if lines else ""


def _heads(statistics: Mapping[str, tuple[str, str]]) -> tuple[Column, ...]:
    named = (Column(title, text, number=True) for title, text in statistics.values())
    return columns("VQA model", "beside", *named)


def _among(view: FailuresView, row: GroupStatistic | None, kind: str) -> Node:
    """Return people's own agreement, in a table of its own: it is nobody's beside them."""
    if row is None:
        return ""
    href = at("/studio/agreement?") + urlencode({"suite": view.suite, "aspect": "answer"})
    alpha = Column("Krippendorff’s α", wording.meaning(ALPHA), number=True)
    line = (_WHO[kind], cell(row, href), Cell(f"{row.n:,}", note="answered by two people or more"))
    return table_element(plain_table("People among themselves", columns("who", alpha, *numbers("questions")), [line]))


def _counts(view: FailuresView, splits: Sequence[Split], rows: Sequence[GroupStatistic]) -> Node:
    """Return figure 11 in numbers, each leading to its answers."""
    some = [name for name in APART if any(row.apart[name] for row in splits)]
    titles = {WRONG: "wrong answers", **_PARTS, **{name: wording.reason(name) for name in some}}
    counts = (Column(text, ANSWERS.get(name, ""), number=True) for name, text in titles.items())
    heads = columns("element type", *counts)
    tables = []
    for kind in dict.fromkeys(row.people for row in splits):
        mine = [row for row in splits if row.people == kind]
        lines: list[Cells] = [(str(row.group), *(_count(view, row, name, rows, kind) for name in titles)) for row in mine]
        beside = "" if kind == REAL else f", beside {_WHO[kind]}"
        tables.append(table_element(plain_table(f"Whose fault wrong answers are{beside}", heads, lines)))
    return tables


def _count(view: FailuresView, split: Split, name: str, rows: Sequence[GroupStatistic], kind: str) -> Cell:
    n = split.counts[name]
    # what is listed beneath is beside real people
    href = view.address(group=split.group, answers=name, whose=ALL) if n and kind == REAL else ""
    if name not in _PARTS or not split.decided:
        return Cell(f"{n:,}", href=href, exact=n)
    key = (name, split.by, split.group, view.rater, kind)
    row = next(r for r in rows if (r.statistic, r.by, r.group, r.rater, r.people) == key)
    bounds = "" if row.low is None else f" ({span(row.low, row.high, '.0%')})"
    return Cell(f"{n:,}", (f"{row.value:.0%}{bounds}",), reason_sentences.text(row.method), href, n)


def _people_figure(view: FailuresView, splits: Sequence[Split]) -> Node:
    many = len({row.people for row in splits}) > 1
    labels = [f"{row.group}{', ' + _WHO[row.people] if many else ''} ({row.decided:,})" for row in splits]
    parts = [Series(title, [_share(view, row, name, title) for row in splits]) for name, title in _PARTS.items()]
    return linked_figures.stacked(labels, parts, "share of the wrong answers")


def _share(view: FailuresView, row: Split, name: str, title: str) -> Mark:
    n = row.counts[name]
    share = n / row.decided
    hover_text = f"{row.group}: {title}\n{n:,} of {wording.count(row.decided, 'wrong answer')}"
    href = view.address(group=row.group, answers=name, whose=ALL) if row.people == REAL else ""
    return Mark(share, None, None, hover_text, href, f"{share:.0%}")


_NOBODY: Final = (
    "No scorer has answered questions about images of {suite} yet. TIFA asks a visual question answering model about each"
    " element of the prompt: the share of right answers is the score. Prompts need questions first, then a model to answer:"
)
_DRAW: Final[dict[str, Callable[[OpenProject, FailuresView], Drawing]]] = {MODELS: draw_models, PEOPLE: draw_people}


def questions_picture(store: OpenProject, view: FailuresView) -> Drawing:
    """Return the picture that ``view`` asks for."""
    if view.rater not in scores.answering_raters(store).get(view.suite, []):
        lead = _NOBODY.format(suite=view.suite or "this project")
        return Drawing.missing(store, lead, next_steps.QUESTIONS, next_steps.score_command(store, "tifa"))
    return _DRAW.get(view.see, draw_scores)(store, view)
