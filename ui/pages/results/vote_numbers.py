"""Numbers behind A/B votes: bias by side and by order, how strong each generator is, and metrics beside votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Node

from agreement.estimate import Estimate
from agreement.preferences import GeneratorStrength, OrderBias, RankCorrelation, SideChoice, VoterKey
from agreement.study.cells import ALL
from concord.common import reason_sentences, wording
from concord.common.table import Cell, numbers
from ui.components.dots import axis_of, axis_scale, dot
from ui.components.tables import Cells, columns, heading, plain_table, span, table_element, with_details
from ui.pages.results.vote_bars import interval_of

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
        return f"Side bias of {who}: not known, as {reason_sentences.text_or_none(row.share.reason)}."
    return (
        f"Side bias of {who}: the left image was chosen in {row.left:,} of {known:,} votes for one of the two:"
        f" {row.share.value:z.2f}{_bounds(row.share)}, sign test p = {row.sign_test_p:z.3f}. Without a bias it is 0.50.{more}"
    )


def _bounds(estimate: Estimate) -> str:
    return f" ({span(estimate.low, estimate.high)})" if estimate.low is not None else ""


def position_bias(row: OrderBias) -> str:
    """Whether a judge's choice changes when the images change places, which it should not."""
    if not row.pairs:
        return f"Position bias of {row.rater}: not known, as {reason_sentences.text_or_none(row.changed.reason)}."
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


def strengths_figure(rows: Sequence[GeneratorStrength], task: str) -> Node:
    """Return a line for each generator and voter; nothing for two generators, of whom the bars say all."""
    mine = [row for row in rows if row.task == task and row.strength.value is not None]
    if len({row.generator for row in mine}) < 3:
        return ""
    order = sorted(mine, key=lambda row: (row.generator, row.kind != "people"))
    return _dot_lines([(f"{row.generator} · {row.voter}", row, row.strength) for row in order], "Bradley-Terry log strength")


def _dot_lines(lines: Sequence[tuple[str, VoterKey, Estimate]], axis_title: str) -> Node:
    """Return numbers with their intervals on one axis, a line each."""
    ends = [end for _, _, row in lines for end in (row.value, row.low, row.high) if end is not None]
    axis = axis_of([*ends, -0.05, 0.05], 6)
    items = [
        htpy.li[
            htpy.span[label],
            htpy.span(title=f"{row.value:+z.3f} {interval_of(row)}")[
                dot(row, axis, "simulated" if voter.people == "simulated" else voter.kind, chance=0.0)
            ],
        ]
        for label, voter, row in lines
    ]
    head = htpy.li(aria_hidden="true")[htpy.span[axis_title], axis_scale(axis)]
    return htpy.ul(class_="cc-dot-lines")[head, items]


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


def ranks_figure(rows: Sequence[RankCorrelation]) -> Node:
    """Return a line for each metric that has a number; nothing where none has."""
    known = [(row.voter, row, row.rho) for row in rows if row.rho.value is not None]
    return _dot_lines(known, "Spearman’s ρ with people’s votes") if known else ""


def _number(estimate: Estimate) -> Cell:
    if estimate.value is None:
        return Cell("–", ("undefined",), reason_sentences.text_or_none(estimate.reason) or "")
    cell = Cell(f"{estimate.value:+z.3f}", note=reason_sentences.text(estimate.method), exact=estimate.value)
    return with_details(cell, interval_of(estimate))
