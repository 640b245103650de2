"""How people differ: how often each says yes (or how high each rates), and how reliable the mean of several people is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Element, Node

from agreement.meta.rater_effects import ABSOLUTE, RELATIVE, SEVERITY, RaterEffectRow
from concord.campaigns.crowd import RATINGS, Crowd, Person, people_effects
from concord.common import reason_sentences, wording
from concord.common.table import Cell, numbers
from concord.open_project import OpenProject
from ui.components.addresses import page_address
from ui.components.dots import axis_of, axis_scale, dot, interval_text
from ui.components.tables import columns, plain_table, table_element

_MOST: Final = 12
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 520, 170, 34, 14, 22


def differ_section(store: OpenProject, crowd: Crowd, *, several: bool = False) -> Node:
    """Return both parts; nothing where only one person has answered. `several`: it is said whose people they are."""
    means = [person for person in crowd.people if person.mean is not None and person.mean.value is not None]
    if crowd.topic is None or len(means) < 2:
        return ""
    rows = people_effects(store, crowd.topic, simulated=means[0].simulated)
    return htpy.section(class_="cc-differ")[_rates(crowd, means, several=several), _reliability(rows)]


def _rates(crowd: Crowd, means: Sequence[Person], *, several: bool) -> Element:
    """Return each person's share of yes, or mean; of many the highest and the lowest."""
    ordered = sorted(means, key=lambda person: -(person.mean.value or 0.0 if person.mean else 0.0))
    shown = ordered if len(ordered) <= _MOST else [*ordered[: _MOST // 2], *ordered[-_MOST // 2 :]]
    estimates = [person.mean for person in shown if person.mean is not None]
    axis = axis_of([end for row in estimates for end in (row.low, row.value, row.high) if end is not None])
    lines = []
    for person, row in zip(shown, estimates, strict=True):
        assert row.value is not None
        text = f"{row.value:z.0%}" if crowd.says_yes else wording.two(row.value)
        ends = interval_text(row)
        if crowd.says_yes and row.low is not None and row.high is not None:
            ends = f"[{row.low:z.0%}, {row.high:z.0%}]"
        lines.append(
            htpy.div(class_="cc-differ-line", title=f"n = {row.n_items:,} images")[
                htpy.span[person.name],
                dot(row, axis, "simulated" if person.simulated else "people"),
                htpy.span(class_="cc-crowd-value")[htpy.b[text], " ", htpy.small[ends]],
            ]
        )
    title = "How often each says yes" if crowd.says_yes else "How high each rates"
    left = len(ordered) - len(shown)
    return htpy.div[
        htpy.div(class_="cc-part-head")[
            htpy.h2[title],
            several and htpy.span(class_="cc-part-hint")[crowd.campaign.campaign.title if crowd.campaign else "brought in"],
            left > 0 and htpy.span(class_="cc-part-hint")[f"the highest and the lowest, {left:,} between"],
        ],
        htpy.div(class_="cc-panel cc-differ-panel")[
            lines,
            htpy.div(class_="cc-differ-line")[
                htpy.span,
                axis_scale(axis, 1 if len(axis.ticks) < 7 else 2),
                htpy.span(class_="cc-part-hint")["share of yes" if crowd.says_yes else "mean"],
            ],
        ],
    ]


def coefficients(rows: Sequence[RaterEffectRow]) -> tuple[str, list[RaterEffectRow]]:
    """Return how reliability is called here, and its rows by number of ratings: of other people, where persons are known."""
    dependable = [row for row in rows if row.statistic == ABSOLUTE and row.value is not None]
    known = dependable or [row for row in rows if row.statistic == RELATIVE and row.value is not None]
    return ("dependability" if dependable else "generalisability"), sorted(known, key=lambda row: row.ratings or 0)


def _reliability(rows: Sequence[RaterEffectRow]) -> Element:
    kind, known = coefficients(rows)
    plan = htpy.a(href=page_address("people/new"))["Plan with this"]
    if not known:
        why = "How reliable the mean of several people is, is known once images have two answers each."
        body: Node = htpy.p(class_="cc-part-hint")[why]
    else:
        said = {row.ratings: row.value for row in known}
        three, five = said.get(3), said.get(5)
        text = "people an image."
        if three is not None and five is not None:
            text += f" The mean of 3 answers is reliable to {wording.two(three)}, of 5 to {wording.two(five)} ({kind})."
        body = [_curve(known), htpy.p(class_="cc-part-hint")[text, " ", plan]]
    return htpy.div[
        htpy.div(class_="cc-part-head")[
            htpy.h2["How reliable is the mean of several people?"], htpy.span(class_="cc-part-hint")["0 to 1"]
        ],
        htpy.div(class_="cc-panel cc-differ-panel")[body],
    ]


def _curve(known: Sequence[RaterEffectRow]) -> Element:
    """Return the curve as a picture with its numbers in words."""

    def x(ratings: int) -> float:
        return _LEFT + (ratings - 1) / (max(RATINGS) - 1) * (_WIDTH - _LEFT - 24)

    def y(value: float) -> float:
        return _TOP + (1 - min(max(value, 0.0), 1.0)) * (_HEIGHT - _TOP - _BOTTOM)

    points = [(row.ratings or 1, row.value or 0.0) for row in known]
    line = " ".join(f"{x(k):z.1f},{y(value):z.1f}" for k, value in points)
    bars = [
        htpy.line(
            x1=f"{x(row.ratings or 1):z.1f}",
            x2=f"{x(row.ratings or 1):z.1f}",
            y1=f"{y(row.high):z.1f}",
            y2=f"{y(row.low):z.1f}",
            class_="cc-mean-curve-bar",
        )
        for row in known
        if row.low is not None and row.high is not None
    ]
    grid = [
        [
            htpy.line(x1=str(_LEFT), x2=str(_WIDTH), y1=f"{y(level):z.1f}", y2=f"{y(level):z.1f}", class_="cc-mean-curve-grid"),
            htpy.text(x=str(_LEFT - 8), y=f"{y(level) + 4:z.1f}", text_anchor="end")[f"{level:g}"],
        ]
        for level in (0.0, 0.5, 1.0)
    ]
    dots = [htpy.circle(cx=f"{x(k):z.1f}", cy=f"{y(value):z.1f}", r="4.5") for k, value in points]
    labels = [
        htpy.text(x=f"{x(k) + 6:z.1f}", y=f"{y(value) + 18:z.1f}", class_="cc-mean-curve-value")[wording.two(value)]
        for k, value in points
        if k in (1, 3, 5)
    ]
    ticks = [htpy.text(x=f"{x(k):z.1f}", y=str(_HEIGHT - 4), text_anchor="middle")[str(k)] for k, _ in points]
    said = ", ".join(f"{k}: {wording.two(value)}" for k, value in points)
    return htpy.svg(
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}", class_="cc-mean-curve", role="img", aria_label=f"Reliability by people: {said}"
    )[grid, bars, htpy.polyline(points=line), dots, labels, ticks]


def severity_table(store: OpenProject, crowd: Crowd) -> Node:
    """Return each person's severity, reliability by number of people, and the parts of the variance, as tables."""
    if crowd.topic is None or not crowd.people:
        return ""
    rows = people_effects(store, crowd.topic, simulated=crowd.people[0].simulated)
    severe = sorted((row for row in rows if row.statistic == SEVERITY), key=lambda row: -(row.value or 0.0))
    titles = {
        "variance_unit": "variance of images", "variance_person": "variance of people", "variance_residual": "the rest",
    }  # fmt: skip
    rest = [(titles[row.statistic], _value(row)) for row in rows if row.statistic in titles]
    kind, known = coefficients(rows)
    rest += [(f"{kind} of the mean of {wording.count(row.ratings or 1, 'person')}", _value(row)) for row in known]
    lines = [(str(row.rater or "all"), _value(row), f"{row.n_items:,}", f"{row.n_ratings:,}") for row in severe]
    heads = columns("person", *numbers("severity", "images", "answers"))
    return [
        bool(severe)
        and table_element(plain_table("Severity: how much higher than the average person each rates", heads, lines)),
        bool(rest) and table_element(plain_table("Reliability", columns("", *numbers("value")), rest)),
    ]


def _value(row: RaterEffectRow) -> Cell:
    if row.value is None:
        return Cell("–", (reason_sentences.text(row.reason) if row.reason is not None else "",))
    ends = "" if row.low is None or row.high is None else f"{row.low:z.3f} to {row.high:z.3f}"
    return Cell(f"{row.value:z.3f}", (ends,) if ends else (), reason_sentences.text(row.method))
