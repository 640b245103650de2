"""The report's first page: which generator is best and how sure, how far scorers agree with people, four failures, and what it
all rests on.

It is about one topic, a suite and an aspect: the one that most ratings by real people are about, and that scorers judged, too;
of equal ones the aspect that Overview shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from agreement.estimate import Estimate
from concord.common import wording
from concord.common.table import Cell, Column, Table, TableRow, numbers
from concord.headlines import answers_by, closest, generator_headline, number_text, people_level, scorer_headline
from concord.reporting.material import Material
from concord.scope import MAIN_ASPECTS
from ui.components import charts
from ui.report.figures import figure_json
from ui.report.sections import ALL, ReportFigure, ReportSection, Topic, topic_of, whole_rows

_FAILURES: Final = 4
_MOST_RATERS: Final = 4
_MOST_LINES: Final = 7
_WIDTH: Final = 600
_TALLEST, _TALLEST_ABOVE_IMAGES = 380, 250
"""Pixels of the figure."""
_STATISTICS: Final = ("cohen_kappa", "spearman", "fleiss_kappa", "krippendorff_alpha_ordinal", "percent_agreement")
"""By what a topic is summed up: the first that is defined."""


def summary(material: Material) -> ReportSection | None:
    """The first page; None where nothing was judged."""
    topic = _main_topic(material)
    if topic is None:
        return None
    suite, aspect, people = topic
    who = wording.people(people)
    raters, among = (whole_rows(material, section, topic) for section in ("raters", "among_people"))
    statistic = next((name for name in _STATISTICS if _defined(raters, name) or _defined(among, name)), None)
    means, failures = _means(material, topic), _failures(material, suite)
    points = [text for text in (_best_generator(material, topic, means), _closest(raters, among, statistic, who)) if text]
    return ReportSection(
        "Summary",
        (f"{suite}: {wording.aspect(aspect)}. {_basis(material, topic)}",),
        tuple(points),
        figures=tuple(_figures(raters, statistic, who, _TALLEST_ABOVE_IMAGES if failures else _TALLEST)),
        tables=tuple(_generators(means)),
        samples=failures,
        kind="summary",
    )


def _main_topic(material: Material) -> Topic | None:
    """Real people before simulated ones, topics with scorers before those without, then by the number of ratings; of equal
    ones that of Overview."""
    sizes: dict[Topic, tuple[bool, bool, int]] = {}
    met = {topic_of(row) for row in material.rows.raters}
    # what scorers alone have judged is nobody's
    judged = met | {topic_of(row) for row in material.rows.among_people}
    for section in ("among_people", "raters", "scorer_means"):
        for row in material.rows.section(section):
            topic = topic_of(row)
            size = (topic[2] == "real" and topic in judged, topic in met, int(row.n_ratings))
            sizes[topic] = max(sizes.get(topic, size), size)
    order = {aspect: -n for n, aspect in enumerate(MAIN_ASPECTS)}
    return max(sorted(sizes), key=lambda topic: (sizes[topic], order.get(topic[1], -len(order))), default=None)


def _defined(rows: Sequence[Estimate], statistic: str) -> bool:
    return any(row.statistic == statistic and row.value is not None for row in rows)


def _of(rows: Sequence[Estimate], statistic: str | None) -> list[Estimate]:
    """The rows of a statistic that is defined, the highest first."""
    defined = [row for row in rows if row.statistic == statistic and row.value is not None]
    return sorted(defined, key=lambda row: -(row.value or 0.0))


def _interval(row: Estimate) -> str:
    return "" if row.low is None or row.high is None else f" [{wording.two(row.low)}, {wording.two(row.high)}]"


def _means(material: Material, topic: Topic) -> dict[str, dict[str, Estimate]]:
    """By rater and generator, over all tasks: people first, then scorers by how far they agree with people."""
    suite, aspect, people = topic
    agreement = {row.rater: row.value for row in _of(whole_rows(material, "raters", topic), _STATISTICS[0])}
    by_rater: dict[str, dict[str, Estimate]] = {}
    for section in ("among_people", "raters", "scorer_means"):
        for row in material.rows.section(section):
            about = (row.suite, row.people, row.statistic, row.task, row.target)
            if about == (suite, people, "mean", ALL, None) and row.aspect == aspect and row.value is not None:
                by_rater.setdefault(row.rater, {})[row.generator] = row
    order = sorted(
        by_rater, key=lambda name: (name != "", -(agreement.get(name) or (0.0 if name in agreement else -2.0)), name)
    )
    return {name: by_rater[name] for name in order[:_MOST_RATERS]}


def _generators(means: dict[str, dict[str, Estimate]]) -> list[Table]:
    """A line for each generator, the best first."""
    makers = {name for rows in means.values() for name in rows} - {ALL}
    if not means or not makers:
        return []
    first = next(iter(means.values()))
    ordered = sorted(makers, key=lambda name: (-(first[name].value or 0.0) if name in first else np.inf, name))

    def cell(row: Estimate | None) -> Cell:
        if row is None:
            return Cell("–")
        return Cell(f"{wording.two(row.value or 0.0)}{_interval(row)}", note=f"n = {row.n_items:,}", exact=row.value)

    body = tuple(TableRow((Cell(name), *(cell(rows.get(name)) for rows in means.values()))) for name in ordered[:_MOST_LINES])
    notes = (f"The first {_MOST_LINES} of {len(ordered)} generators.",) if len(ordered) > _MOST_LINES else ()
    images = {row.n_items for rows in means.values() for name, row in rows.items() if name in ordered}
    n = f"{min(images):,}" if len(images) == 1 else f"{min(images):,} to {max(images):,}"
    notes = (f"95 % intervals; n = {n} images each.", *notes)
    columns = (Column("Generator"), *numbers(*(name or "People" for name in means)))
    return [Table("Mean by generator, the best first", columns, body, notes=notes)]


def _best_generator(material: Material, topic: Topic, means: dict[str, dict[str, Estimate]]) -> str:
    """Return what may be said of the best generator by the first rater."""
    if not means:
        return ""
    rater, rows = next(iter(means.items()))
    if len(rows.keys() - {ALL}) < 2:
        return ""
    by, judgements = rater or wording.people(topic[2]), material.judgements[material.judgements.suite == topic[0]]
    counted = judgements.assign(excluded=material.left_out[judgements.index])
    said = generator_headline(by, rows, answers_by(counted, topic[1], by))
    return said.text if said else ""


def _closest(raters: Sequence[Estimate], among: Sequence[Estimate], statistic: str | None, who: str) -> str:
    """Return how far the closest scorer agrees with people, beside one person in its place."""
    best, own = closest(raters, statistic), _of(among, statistic)
    if best is None:
        return f"{who.capitalize()} among themselves: {wording.title(statistic or '')} {number_text(own[0])}." if own else ""
    return f"{''.join(scorer_headline(best, who))}."


def _figures(raters: Sequence[Estimate], statistic: str | None, who: str, tallest: int) -> list[ReportFigure]:
    """Draw the scorers as a forest plot, beside one person in the closest one's place where there is such a number."""
    ranked = _of(raters, statistic)[:_MOST_LINES]
    if not ranked or statistic is None:
        return []
    level = people_level(ranked[0])
    band = None if level.value is None else charts.Band(level.label, level.value, level.low, level.high)
    title = wording.title(statistic)
    figure = charts.forest(
        [charts.ForestLine.of(str(row.rater), row) for row in ranked], f"{title} with {who}, 95 % interval", band
    )
    figure.update_layout(height=min(figure.layout.height, tallest))
    return [ReportFigure(f"Agreement of scorers with {who}", figure_json(figure, _WIDTH))]


def _failures(material: Material, suite: str) -> tuple[Any, ...]:
    """One of each kind first."""
    mine = [sample for sample in material.samples if sample.group.startswith(f"{suite}: ") and sample.picture] or [
        sample for sample in material.samples if sample.picture
    ]
    groups = list(dict.fromkeys(sample.group for sample in mine))
    turn = {id(sample): [other for other in mine if other.group == sample.group].index(sample) for sample in mine}
    first = sorted(mine, key=lambda sample: (turn[id(sample)], groups.index(sample.group)))[:_FAILURES]
    # small as they are there, boxes would hide them
    return tuple(replace(sample, boxes=()) for sample in first)


def _basis(material: Material, topic: Topic) -> str:
    """What the numbers rest on, and how people were asked."""
    suite, aspect, _ = topic
    within = material.ratings[material.ratings.suite == suite]
    ratings = within[within.aspect == aspect]
    people = ratings[ratings.kind == "human"]
    persons = wording.count(int(people.rater.nunique()), "anonymous slot" if people.identity.eq("slot").any() else "person")
    parts = [
        wording.count(int(ratings.item.nunique()), "image"),
        wording.count(int(ratings.prompt.nunique()), "prompt"),
        f"{wording.count(len(people), 'rating')} by {persons}",
        wording.count(int(within.loc[within.kind == "scorer", "rater"].nunique()), "scorer"),
    ]
    n_stated = sum(1 for recruitment in material.recruited for _, stated, counted in recruitment.rows() if stated or counted)
    silent = [recruitment.name for recruitment in material.recruited if not recruitment.said]
    note = "" if not material.recruited else " How people were asked is stated in the appendix."
    if silent and n_stated:
        note = f" How people were asked is not stated for {', '.join(silent[:2])}."
    return f"{', '.join(parts)}.{note}"
