"""The panel beside the table: two raters, with the images on which they say the same and each something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import htpy
from htpy import Element, Node

from agreement import PairReport
from agreement.estimate import Estimate
from concord.common import reason_sentences, wording
from concord.common.confusion_table import Crossings, confusion_table
from concord.comparison.rank_halves import rank_halves
from concord.comparison.rater_pairs import GROUPS, Quarter, pair, pairable, quarters, second_name
from concord.comparison.score_cuts import held_out
from concord.comparison.trust import Trust
from concord.comparison.trust_cells import title_of
from concord.headlines import is_muted
from concord.open_project import OpenProject
from data.browsing import MISSED, PASSED, CellWay, ConfusionCell
from data.selection import PEOPLE, SIMULATED, Selection
from ui.components.addresses import browse_address, page_address
from ui.components.dots import Axis, axis_of, dot, interval_text, number_title
from ui.components.image_strip import image_link
from ui.components.tables import table_element
from ui.pages.agreement_tabs import rater_tabs
from ui.pages.trust.view import TrustView


def chosen_pair(made: Trust, view: TrustView, names: Sequence[str]) -> tuple[str, str]:
    """Return the two raters that are open: those of the address, else the first scorer and people; "" for none."""
    others = [each.name for each in made.scorers] + [name for name in names if name not in GROUPS.values()]
    others = list(dict.fromkeys(others))
    known = {*others, PEOPLE, SIMULATED}
    rater = view.rater if view.rater in known else next(iter(others), "")
    usual = made.who if made.people and rater != made.who else next((name for name in others if name != rater), "")
    return rater, view.beside if view.beside in known else usual


def pair_panel(store: OpenProject, made: Trust, view: TrustView, rater: str, beside: str) -> Node:
    """Return the panel of two raters; what cannot be compared says why."""
    if not rater or not beside:
        return ""
    scorer = next((each for each in made.scorers if each.name == rater), None)
    heading = htpy.div(class_="cc-trust-pair")[
        htpy.h2[_point(made, rater), htpy.span[f"{rater} and {beside}"]], _beside_menu(store, made, view, rater, beside)
    ]
    return htpy.aside(class_="cc-panel cc-trust-panel", aria_label="Two raters")[
        htpy.section[heading, _meeting(store, made, rater, beside)],
        scorer is not None and beside == made.who and _by_task(made, rater),
        _links(store, made, view, rater, scorer is not None),
    ]


def _point(made: Trust, name: str) -> Element:
    scorer = any(each.name == name for each in made.scorers)
    kind = "scorer" if scorer else "simulated" if made.people == "simulated" else "people"
    return htpy.i(class_=["cc-point", f"cc-point--{kind}"], aria_hidden="true")


def _beside_menu(store: OpenProject, made: Trust, view: TrustView, rater: str, beside: str) -> Node:
    names = [made.who] * (made.people is not None)
    names += [each.name for each in made.scorers]
    names += [judge.name for judge in pairable(store, made.selection) if judge.person]
    links = [
        htpy.a(href=view.address(rater=rater, beside=name), aria_current="true" if name == beside else None, data_scope="")[
            name
        ]
        for name in dict.fromkeys(names)
        if name != rater
    ]
    if len(links) < 2:
        return ""
    search = len(links) > 9 and htpy.input(
        type="search", class_="cc-input", placeholder="Search", aria_label="Search raters", data_search=""
    )
    return htpy.span(class_="cc-chip-place")[
        htpy.button(type="button", class_="cc-pill", popovertarget="trust-beside")[
            htpy.span["beside"], " ", htpy.b[beside], htpy.span(class_="cc-caret", aria_hidden="true")
        ],
        htpy.div(id="trust-beside", class_="cc-popup cc-scope-popup", popover="auto")[search, links],
    ]


def _meeting(store: OpenProject, made: Trust, rater: str, beside: str) -> Node:
    """Return the pictures of four kinds of images, or why there are none."""
    if rater == beside:
        return htpy.p(class_="cc-note")[f"{rater} with itself agrees by definition: choose two raters."]
    try:
        both = pair(store, made.selection, made.task, rater, beside, intervals=made.intervals)
    except ValueError:
        if made.persons == 1 and beside == made.who and not any(each.name == rater for each in made.scorers):
            alone = f"{rater} is the only person so far. Whoever else judges the same images stands beside {rater} here."
            return htpy.p(class_="cc-note")[alone]
        return htpy.p(class_="cc-note")[f"{rater} and {beside} have judged no image together yet."]
    parts, left = quarters(store, both)
    if not parts:
        return crossed_table(both, made)
    says = tuple(dict.fromkeys(part.says[0] for part in parts)) if not both.labels else both.labels
    second = second_name(both)
    by_says = {part.says: part for part in parts}
    grid: list[Node] = [
        htpy.span(class_="cc-trust-corner"),
        [htpy.span(class_="cc-trust-side")[f"{second}: {label}"] for label in says],
        [
            [
                htpy.span(class_="cc-trust-side is-row")[f"{both.a}: {first}"],
                [_quarter(by_says[first, other], both, made, sum(part.count for part in parts)) for other in says],
            ]
            for first in says
        ],
    ]
    return [
        htpy.div(class_="cc-trust-quarters")[grid],
        htpy.p(class_="cc-trust-said")[_agreement_words(store, both, made, left)],
        _judge(both, made, parts),
    ]


def place(made: Trust) -> Selection:
    """Return the images that a pair is about, without the question."""
    return replace(made.selection, aspect=(), task=() if made.task == "all" else (made.task,))


def _quarter(part: Quarter, both: PairReport, made: Trust, total: int) -> Element:
    address = _quarter_address(part, both, made)
    images: list[Node] = [image_link(item, look, address, none=None) for item, look in part.previews.items() if look.sha256]
    share = wording.percent(round(part.count / total, 2)) if total else ""
    label = f"{part.count:,} images: {both.a} says {part.says[0]}, {second_name(both)} {part.says[1]}"
    number: list[Node] = [htpy.b[f"{part.count:,}"], " ", htpy.small[share]]
    return htpy.div(class_=["cc-trust-quarter", not part.same and "is-other"])[
        htpy.a(href=address, aria_label=label)[number] if part.count else htpy.span[number],
        images and htpy.span(class_="cc-trust-pictures")[images],
    ]


def _quarter_address(part: Quarter, both: PairReport, made: Trust) -> str:
    """Return the address of a quarter's images; of scores the most differently ranked first."""
    if not both.labels:
        return _address_by_rank(both, made, "halves", *part.says)
    return crossing_address(both, made, *part.says)


def _address_by_rank(both: PairReport, made: Trust, way: CellWay, a_says: str = "", b_says: str = "") -> str:
    """Return the address of the images whose numbers by the two raters stand in these halves, or in unlike ones."""
    cell = ConfusionCell(made.aspect, both.a, a_says, second_name(both), b_says, way)
    return browse_address(place(made), cell, order="differs")


def _agreement_words(store: OpenProject, both: PairReport, made: Trust, left: int) -> str:
    """Return how often the two say the same, in all and by what the second says."""
    parts = []
    if left:
        parts.append(f"{left:,} more: people evenly split.")
    estimates = {each.statistic: each for each in both.estimates}
    agreed = estimates.get("percent_agreement")
    if both.labels and agreed is not None and agreed.value is not None:
        of = f"{agreed.n_ratings:,} answers" if agreed.people_as == "each" else f"{agreed.n_items:,} images"
        text = f"Of {of} {wording.percent(round(agreed.value, 2))} are the same"
        sides = both.prevalence and (both.prevalence.passes, both.prevalence.fails)
        if sides and all(each is not None and each.value is not None for each in sides):
            yes, no = (wording.percent(round(each.value, 2)) for each in sides if each and each.value is not None)
            text += f"; on {second_name(both)}’s yes {yes}, on their no {no}"
        parts.append(f"{text}.")
    elif not both.labels:
        rho = estimates.get("spearman")
        parts.append(_cuts(both))
        if rho is not None and rho.value is not None:
            parts.append(f"{wording.title('spearman')} {wording.two(rho.value)} {interval_text(rho)}.")
        if (
            cut := held_out(store, made.selection, made.task, both.a, made.people or "real", intervals=made.intervals)
        ) is not None:
            share = wording.percent(round(cut.value or 0.0, 2))
            parts.append(f"Yes above {cut.chosen.threshold:.3g} agrees with people in {share} of cases, on held-out prompts.")
    return " ".join(parts)


def _cuts(both: PairReport) -> str:
    """Return from which number on each rater's images are high."""
    halves = rank_halves(both)
    cuts = zip((both.a, second_name(both)), halves.cuts if halves is not None else (), strict=False)
    mean = "’s mean" if both.b == PEOPLE else ""
    high = [f"{name}{mean if name != both.a else ''} from {cut:.3g} on" for name, cut in cuts if cut is not None]
    return f"High: {wording.listed(high)}, the upper half of the images by rank; equal numbers stay together." if high else ""


def _judge(both: PairReport, made: Trust, parts: Sequence[Quarter]) -> Node:
    """Return the button that leads to the images on which the two differ."""
    apart = [part for part in parts if not part.same and part.items]
    if not apart:
        return ""
    if both.b == PEOPLE and both.people == "real" and made.aspect == "correct" and both.labels:
        n = sum(len(part.items) for part in apart)
        differing = [("differs", f"{both.a}:{kind}") for kind in (MISSED, PASSED)]
        differing += [("generator", name) for name in made.selection.generator]
        href = page_address("images", *differing, suite=made.selection.suite[0], task=made.task)
    else:
        most = max(apart, key=lambda part: len(part.items))
        n, href = len(most.items), _quarter_address(most, both, made)
    if not both.labels:
        n, href = sum(len(part.items) for part in apart), _address_by_rank(both, made, "apart")
    return htpy.a(class_="cc-button cc-button--primary cc-trust-judge", href=href)[f"Judge these {n:,}"]


def crossed_table(both: PairReport, made: Trust) -> Node:
    """Return how often each label of the one meets each of the other, as a table whose numbers lead to their images."""
    if not both.labels:
        return htpy.p(class_="cc-note")["The two share too few images to compare them."]
    second = second_name(both)
    images = {(cell.a, cell.b): len(cell.items) for cell in both.cells}
    crossed = Crossings(both.a, second, both.labels, both.table, images)
    caption = f"Where their answers cross: {wording.aspect(both.aspect)}"
    table = confusion_table(caption, crossed, lambda a_says, b_says: crossing_address(both, made, a_says, b_says))
    counted = _COUNTED.format(second=second) if both.b == PEOPLE else _COUNTED_TWO
    return [table_element(table, "cc-confusion"), htpy.p(class_="cc-trust-said")[counted]]


_COUNTED: Final = (
    "Images by what more than half of {second} say; a number leads to its images. Images on which no answer has a majority are"
    " left out."
)
_COUNTED_TWO: Final = "What both have judged; a number leads to its images."


def crossing_address(both: PairReport, made: Trust, a_says: str, b_says: str) -> str:
    """Return the address of the images on which the two say these labels."""
    way: CellWay = "majority" if both.b == PEOPLE else "each"
    return browse_address(place(made), ConfusionCell(both.aspect, both.a, a_says, second_name(both), b_says, way))


def _by_task(made: Trust, rater: str) -> Node:
    """Return a scorer's agreement with people by task, muted where it rests on few prompts."""
    cell = next(each for each in made.scorers if each.name == rater).cells.get("judge")
    rows = made.of_task(rater, cell.statistic) if cell is not None else []
    known = [row for row in rows if row.value is not None]
    if not known or cell is None:
        return ""
    axis = axis_of([end for row in known for end in (row.value, row.low, row.high) if end is not None], 3)
    lines = [_task_line(row, axis) for row in rows]
    return htpy.section[htpy.h2["By task ", htpy.small[title_of(cell.statistic)]], htpy.div(class_="cc-trust-tasks")[lines]]


def _task_line(row: Estimate, axis: Axis) -> Node:
    few = is_muted(row.n_prompts)
    prompts = htpy.small[wording.count(row.n_prompts, "prompt")] if row.n_prompts else htpy.small
    name = htpy.span(class_=few and "is-few")[wording.task(row.task)]
    if row.value is None:
        return [name, prompts, htpy.span, htpy.span(title=reason_sentences.text_or_none(row.reason))["–"]]
    return [
        name,
        prompts,
        htpy.span(class_=few and "is-few", title=number_title(row))[dot(row, axis, "scorer")],
        htpy.span(class_=few and "is-few")[htpy.b[wording.two(row.value)], " ", htpy.small[interval_text(row)]],
    ]


def _links(store: OpenProject, made: Trust, view: TrustView, rater: str, is_scorer: bool) -> Element:
    suite, generator = made.selection.suite[0], [("generator", name) for name in made.selection.generator]
    of_scorer: Node = is_scorer and [
        [
            htpy.a(href=page_address(path, *generator, suite=suite, rater=rater))[title]
            for path, title in rater_tabs(store, suite, rater)
        ],
        htpy.a(href=page_address("add/runs"))["Run, weights, version"],
    ]
    numbers = htpy.a(href=view.address(rater=rater, numbers="pair"), data_scope="")["All numbers"]
    return htpy.section(class_="cc-trust-links")[of_scorer, numbers]
