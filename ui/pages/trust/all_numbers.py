"""All numbers of Trust, a part at a time: raters beside people, a pair in detail, whether a scorer may replace people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from agreement import PairReport
from agreement.estimate import Estimate
from agreement.meta.alternative_annotator import AlternativeAnnotator
from agreement.meta.ranking import Ranking
from concord.agreement import AgreementRows
from concord.common import reason_sentences, wording
from concord.common.base_path import at
from concord.common.table import Cell, numbers
from concord.comparison.rater_pairs import furthest, pair, second_name
from concord.comparison.trust import Trust
from concord.comparison.trust_cells import USES, TrustCell, TrustRater, title_of
from concord.comparison.trust_sentence import COSTS
from concord.headlines import paradox
from concord.meta.replacement import ANSWERS
from concord.open_project import OpenProject
from data.browsing import ConfusionCell
from data.selection import PEOPLE, Selection
from ui.components.addresses import browse_address, listing_address
from ui.components.image_strip import thumbnails
from ui.components.tables import (
    Cells,
    columns,
    explained,
    folded,
    heading,
    joined,
    note,
    number,
    plain_table,
    span,
    statistics_element,
    table_element,
    with_details,
)
from ui.pages.trust import figures, scorer_numbers
from ui.pages.trust.matrix import place_range
from ui.pages.trust.panel import crossed_table, place
from ui.pages.trust.scorer_numbers import listed
from ui.pages.trust.view import EVERY, PARTS, TrustView


def numbers_panel(store: OpenProject, made: Trust, view: TrustView, rater: str, beside: str) -> Element:
    """Return the panel at the right with the part of all numbers that is open, and links to the others."""
    close = htpy.a(class_="cc-panel-close", href=view.address(numbers="", table=""), aria_label="Close")["×"]
    part = view.numbers if view.numbers in PARTS else "all"
    parts = [
        htpy.a(href=view.address(numbers=name), aria_current="true" if name == part else None, data_scope="")[title]
        for name, title in PARTS.items()
    ]
    return htpy.aside(class_="cc-side-panel cc-trust-numbers", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close],
        htpy.nav(class_="cc-segments", aria_label="Parts")[parts],
        _part(store, made, view, part, rater, beside),
    ]


def _part(store: OpenProject, made: Trust, view: TrustView, part: str, rater: str, beside: str) -> Node:
    if part == "pair":
        return pair_numbers(store, made, view, rater, beside)
    if part == "replace":
        return replacement_numbers(made)
    if part == "certainty":
        return scorer_numbers.by_certainty(store, made, view)
    if part == "scorers":
        return scorer_numbers.scorer_against_scorer(store, made)
    if part == "thresholds":
        return scorer_numbers.scores_to_decisions(store, made, rater)
    if part == "consensus":
        return scorer_numbers.consensus_tables(store, made, view)
    return rater_numbers(made, view)


def rater_numbers(made: Trust, view: TrustView) -> Node:
    """Return scorers beside people, by task, and people among themselves; simulated people in a section of their own."""
    every = view.table == EVERY
    switch = htpy.a(href=view.address(numbers="all", table="" if every else EVERY), data_scope="")[
        "Main statistics" if every else "All statistics"
    ]
    real = made.rows.where(lambda row: row.people == "real")
    simulated = made.rows.where(lambda row: row.people == "simulated")
    sections: list[Node] = [note([switch, " · ", _exports(made.selection)])]
    if any(rows for _, rows in real.sections()) or made.people != "simulated":
        sections += [
            note(main_numbers(real, made, "people") or "No person has judged this yet."),
            _tables(real, made, view, "people"),
        ]
    if any(rows for _, rows in simulated.sections()):
        title = heading("Simulated people", main_numbers(simulated, made, "simulated people"))
        sections += [title, _tables(simulated, made, view, "simulated people")]
    return sections


def _tables(rows: AgreementRows, made: Trust, view: TrustView, who: str) -> Node:
    against = listed([row for row in rows.raters if row.task == made.task], made, view)
    order = [each.name for each in made.raters]
    against.sort(key=lambda row: order.index(row.rater) if row.rater in order else len(order))
    among = listed(rows.among_people, made, view)
    known = any(row.value is not None for row in rows.among_people + rows.raters)
    return [
        statistics_element(f"Scorers against {who}, {wording.task(made.task)}", "scorer", against, lambda row: str(row.rater)),
        _by_task(rows, made, who),
        statistics_element(f"{who.capitalize()} among themselves", "task", among, lambda row: wording.task(row.task)),
        explained([*among, *listed(rows.raters, made, view)], open_=not known),
    ]


def _by_task(rows: AgreementRows, made: Trust, who: str) -> Node:
    """Return the column's statistic of each scorer by task; nothing for a single task."""
    mine = [row for row in rows.raters if row.statistic == made.statistic and row.task not in ("all", "tasks_mean")]
    tasks = list(dict.fromkeys(row.task for row in mine))
    if len(tasks) < 2:
        return ""
    cells = {(row.rater, row.task): row for row in mine}
    scorers = [each.name for each in made.scorers if any((each.name, task) in cells for task in tasks)]
    body: list[Cells] = [
        [name, *(with_details(number(row), _n(row)) if (row := cells.get((name, task))) else "" for task in tasks)]
        for name in scorers
    ]
    caption = f"{wording.title(made.statistic)} of each scorer with {who}, by task"
    return table_element(plain_table(caption, columns("scorer", *numbers(*map(wording.task, tasks))), body))


def _n(row: Estimate) -> str:
    return f"{wording.count(row.n_prompts, 'prompt')}, {wording.count(row.n_items, 'image')}" if row.value is not None else ""


def main_numbers(rows: AgreementRows, made: Trust, who: str) -> str:
    """Return the main numbers of people in words; "" where nobody has judged."""
    people = {row.statistic: row for row in rows.among_people if row.task == made.task}
    if not people:
        return ""
    row = people.get("mean") or next(iter(people.values()))
    parts = [f"{wording.count(row.n_ratings, 'answer')} by {who} about {wording.count(row.n_items, 'image')}."]
    shared = people.get("percent_agreement")
    if shared and shared.value is not None:
        some = shared.n_items != row.n_items
        rests = f", on the {wording.count(shared.n_items, 'image')} that two have judged" if some else ""
        bounds = "" if shared.low is None else f" (95% interval {shared.low:.0%} to {shared.high:.0%})"
        parts.append(
            f"{'Two people' if who == 'people' else 'Two of them'} say the same in {shared.value:.0%} of cases{bounds}{rests}."
        )
    parts.append(paradox(people, made.aspect))
    left = [f"{n:,} {wording.reason(name)}" for name, n in row.excluded.items()]
    parts.append(f"Left out: {', '.join(left)}." if left else "")
    return " ".join(part for part in parts if part)


_FILES: Final = {"ratings": "the ratings that count", "judgements": "all judgements", "annotations": "people’s whole answers"}


def _exports(selection: Selection) -> Element:
    """Return links, each of which gives the selection's file, as the command ``export`` writes it."""
    query = urlencode(selection.to_dict(), doseq=True)
    links = [
        htpy.a(class_="cc-export", download=True, href=at(f"/api/studio/export/{name}.csv?{query}"))[title]
        for name, title in _FILES.items()
    ]
    return note(["Export, as CSV: ", joined(links)], "cc-exports")


def pair_numbers(store: OpenProject, made: Trust, view: TrustView, rater: str, beside: str) -> Node:
    """Return all numbers of two raters: statistics, crossed answers, values by image, parts, and answers so far."""
    if not rater or not beside or rater == beside:
        return note("Choose two different raters.")
    try:
        both = pair(store, made.selection, made.task, rater, beside, intervals=made.intervals)
    except ValueError as error:
        return note(f"{rater} and {beside} cannot be compared here: {error}.", "cc-bad")
    second = second_name(both)
    sentence = reason_sentences.text(both.prevalence.sentence) if both.prevalence else ""
    parts = {"aspect": both.aspects, "generator": both.generators}
    lines = {name: [(part.name, part.estimates) for part in each] for name, each in parts.items()}
    titles = {"aspect": "question", "generator": "generator"}
    every = [("", both.estimates), *lines["aspect"], *lines["generator"]]
    return [
        heading(f"{both.a} and {second}", sentence),
        _statistics(f"Both on {wording.aspect(both.aspect)}", "", [("", both.estimates)], made, view),
        _directions(both, made, second),
        crossed_table(both, made) if both.labels else "",
        _values(store, both, made, second),
        [_statistics(f"By {titles[name]}", titles[name], each, made, view) for name, each in lines.items() if len(each) > 1],
        _so_far(both),
        explained(_named(every, made, view), open_=False),
    ]


Lines = Sequence[tuple[str, Sequence[Estimate]]]


def _statistics(caption: str, name: str, lines: Lines, made: Trust, view: TrustView) -> Node:
    return statistics_element(caption, name, _named(lines, made, view), lambda row: str(row.rater))


def _named(lines: Lines, made: Trust, view: TrustView) -> list[Estimate]:
    """Return what is shown of each line, by the line's name."""
    # a line without a name is of two raters, too: what has no rater is of people among themselves, whose statistics are others
    named = [(label, listed([replace(each, rater=label or "both") for each in rows], made, view)) for label, rows in lines]
    return [replace(row, rater=label) for label, rows in named for row in rows]


def _directions(both: PairReport, made: Trust, second: str) -> Node:
    """Return how often the first says yes where the second does, and no where the second does."""
    if both.prevalence is None or both.prevalence.passes is None or both.prevalence.fails is None:
        return ""
    no, yes = sorted(both.labels, key=lambda label: label == both.labels[0])
    say = "say" if both.b == PEOPLE else "says"
    rows = [
        (f"{name}: {both.a} says {label} where {second} {say} {label}", _share(estimate, both, made, second, label))
        for name, label, estimate in (
            ("finds right images (sensitivity)", yes, both.prevalence.passes),
            ("finds wrong images (specificity)", no, both.prevalence.fails),
        )
    ]
    return table_element(plain_table("Errors by direction", columns("", *numbers("share")), rows))


def _share(estimate: Estimate, both: PairReport, made: Trust, second: str, label: str) -> Cell:
    if estimate.value is None:
        reason = reason_sentences.text_or_none(estimate.reason)
        return Cell("–", (reason,) if reason else ())
    bounds = span(estimate.low, estimate.high) or "no interval"
    href = browse_address(place(made), ConfusionCell(both.aspect, both.a, label, second, label))
    details = (f"{bounds}, n = {estimate.n_ratings:,}",)
    return Cell(wording.two(estimate.value), details, reason_sentences.text(estimate.method), href, estimate.value)


def _values(store: OpenProject, both: PairReport, made: Trust, second: str) -> Node:
    """Return both raters' numbers by image, and the images that they rank most differently."""
    if not both.values or len(both.values.x) < 2:
        return ""
    mean = f"{second}, mean" if both.b == PEOPLE else second
    figure = figures.scatter(list(zip(both.values.x, both.values.y, strict=True)), (both.a, mean))
    far = furthest(store, both)
    strip: Node = ""
    if far:
        captions = {each.item: f"{both.a} {each.x:.3g}, {second} {each.y:.3g}" for each in far}
        previews = {each.item: each.preview for each in far if each.preview}
        listing = listing_address(captions, made.selection.suite[0])
        strip = [heading("Ranked most differently"), thumbnails(previews, captions, listing)]
    return [heading("Image by image", f"Across {both.a}, upwards {mean}."), figure, strip]


def _so_far(both: PairReport) -> Node:
    """Return agreement over the answers so far, step by step and of all up to there."""
    if len(both.steps) < 2:
        return ""
    figure = figures.line(
        [(float(step.n_so_far), step.so_far) for step in both.steps],
        ("answers so far", "same answer"),
        dots=[(float(step.n_so_far), step.value) for step in both.steps],
    )
    body: list[Cells] = [
        [f"{step.n_so_far:,}", f"{step.n:,}", f"{step.value:.1%}", f"{step.so_far:.1%}"] for step in both.steps
    ]
    heads = columns("answers so far", *numbers("in this step", "same answer in it", "same answer so far"))
    title = heading("Over the answers so far", "Line: all answers up to there; dots: each step.")
    return [title, figure, folded("As a table", table_element(plain_table("Agreement over the answers so far", heads, body)))]


def replacement_numbers(made: Trust) -> Node:
    """Return for each scorer whether it may replace people, and on what that rests; and all numbers of the three uses."""
    lead = "By simulated people: for demonstration only." if made.people == "simulated" else ""
    found = [each.replacement for each in made.scorers if each.replacement is not None]
    title = heading("May it replace people?", lead)
    if not found:
        return [title, note("No scorer has judged what people have rated here." if made.intervals else "Computing …")]
    items = [
        htpy.li[
            htpy.strong[f"{each.scorer}: {ANSWERS[each.answer].lower()}."], " ", " ".join(each.evidence), _persons(each.test)
        ]
        for each in found
    ]
    return [title, htpy.ul(class_="cc-list")[items], _uses(made), _rank_sets(made)]


def _persons(test: AlternativeAnnotator | None) -> Node:
    """Return the test against each person; nothing where none was made."""
    if test is None or not test.persons:
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
    return table_element(plain_table(f"{test.scorer} against each person, both beside the others", heads, rows))


def _uses(made: Trust) -> Element:
    """Return every number of the three uses, with its interval, n, people's level and what may be said."""
    rows: list[Cells] = [
        (f"{each.name}, one by one" if each.kind != "scorer" else each.name, *(_use(each.cells.get(use)) for use in USES))
        for each in made.raters
    ]
    heads = columns("rater", *numbers(*USES.values()))
    return table_element(plain_table("Raters by what they can do", heads, rows))


_EQUAL: Final = 1e-9
"""Scores that are less far apart differ by rounding."""


def _use(cell: TrustCell | None) -> Cell:
    if cell is None:
        return Cell("–", ("not judged",))
    shown = number(cell.number)
    row = cell.number
    more = [title_of(cell.statistic), cell.words]
    if cell.in_place is not None:
        more.append(f"{wording.two(cell.in_place)} in one person’s place")
    if isinstance(row, Ranking):
        if cell.use == "better" and row.epsilon is not None:
            more.append(f"ties up to {row.epsilon:.3g}" if row.epsilon > _EQUAL else "only equal scores tie")
        if cell.pairs is not None and cell.pairs.p is not None:
            more.append(f"p = {cell.pairs.p:.2g}")
        if cell.pairs is not None and cell.pairs.verdict_reason is not None:
            more.append(reason_sentences.text(cell.pairs.verdict_reason))
    return with_details(shown, f"n = {row.n_items:,}" if row.value is not None else "", *more)


def _rank_sets(made: Trust) -> Node:
    if not made.generators:
        return ""

    def cell(rater: TrustRater, generator: str) -> Cell:
        row = rater.places.get(generator)
        if row is None:
            return Cell("–")
        return Cell(place_range(row), (f"place {row.place} by the mean", wording.count(row.prompts, "prompt")))

    rows: list[Cells] = [(each.name, *(cell(each, name) for name in made.generators)) for each in made.raters if each.places]
    return table_element(plain_table("Places within chance, 1 is best", columns("rater", *numbers(*made.generators)), rows))


def costs_menu(made: Trust, view: TrustView) -> Node:
    """Return the line about the alternative annotator test, with its settings."""
    if not made.test:
        return ""
    links = [
        htpy.a(href=view.address(epsilon=value), aria_current="true" if value == view.epsilon else None, data_scope="")[
            f"{whom} (ε = {value})"
        ]
        for value, whom in COSTS.items()
    ]
    return htpy.p(class_="cc-trust-test")[
        "May a scorer take one person’s place among the others (alternative annotator test)? ",
        made.test,
        " ",
        htpy.span(class_="cc-chip-place")[
            htpy.button(type="button", class_="cc-button cc-button--quiet", popovertarget="trust-settings")["Settings"],
            htpy.div(id="trust-settings", class_="cc-popup cc-scope-popup", popover="auto")[
                htpy.p(class_="cc-popup-head")["Compared with"],
                links,
                htpy.a(href=view.address(numbers="replace"), data_scope="")["Each person"],
            ],
        ],
    ]
