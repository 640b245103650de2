"""The flip test: whether raters see what is flipped, everybody's numbers beside people's."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from htpy import Node

from agreement.flips import DELTA, FLIPPED, PREFERRED, SCORE, SHARED
from agreement.study.cells import ALL
from concord.common import next_steps, reason_sentences, wording
from concord.common.table import Cell, Column, numbers
from concord.error_analysis import flips
from concord.error_analysis.flips import FlipLine, FlipResult, FlipRows, flip_lines
from concord.error_analysis.rejudging import MOST_IMAGES
from concord.open_project import OpenProject
from concord.scope import Scope
from data.prompts.flips import FLIP_REASONS, FlipKind
from ui.components.dots import axis_of
from ui.components.linked_figures import Mark, Series, dots
from ui.components.tables import Cells, columns, note, plain_table, table_element, with_details
from ui.pages.failures.drawing import Drawing, command_block

FLIP_TITLES: Final[dict[str, str]] = {"relation": "relations", "color": "colours", "count": "numbers"}
"""The kinds of flips by their name in the address."""
_MEANS: Final[dict[str, str]] = {
    "relation": "left and right, above and below changed round",
    "color": "two things’ colours exchanged, or one thing’s colour replaced",
    "count": "another number in it",
}
_LEAD: Final = (
    "Each image is scored by its own prompt and by the same prompt with {what}. Δs is how much higher the score by its own"
    " prompt is, on average: where people’s is not near 0 and a scorer’s is, it does not see what was flipped."
)
_NONE: Final = "No prompt of {suite} asks for anything of this kind that could be flipped. GenEval’s prompts ask for all three:"
_NOBODY: Final = "Nobody has judged these images yet. Score them:"
_UNREAD: Final = "Scorers that read the prompts must read the flipped ones, too. This has them do so:"
_ENOUGH: Final = 10
_BESIDE_0: Final = 0.02
_PLACES: Final = {ALL: "all generators", SHARED: "images that all have scored"}
_HEADERS: Final = {
    SCORE: ("s", "The mean score by the true prompts; for yes and no the share of yes."),
    FLIPPED: ("s, flipped", "The mean score of the same images by the flipped prompts."),
    DELTA: ("Δs", "The mean of the differences (Gokhale et al. 2022, VISOR, equation 6)."),
    PREFERRED: ("own prompt higher", "Share of images whose own prompt scores higher, of those where one does; 0.5 by chance."),
}


def flip_test(store: OpenProject, scope: Scope, kind: FlipKind) -> Drawing:
    """Return the test of all raters on a scope's images."""
    suite = scope.suite
    flip_rows = flips.recall(store, replace(scope.narrow, aspect=()), kind, MOST_IMAGES)
    if suite in flip_rows.unflippable:
        missing = (next_steps.PROMPTS[:1], next_steps.score_command(store, "geneval"))
        return Drawing.missing(store, _NONE.format(suite=suite), *missing)
    if not flip_rows.rows:
        return Drawing.missing(store, _NOBODY, next_steps.score_command(store, "geneval"))
    lead = f"{_finding(flip_rows, kind)} {_LEAD.format(what=_MEANS[kind])}"
    if flip_rows.images < flip_rows.total:
        lead += f" These are {flip_rows.images:,} images taken by chance of {flip_rows.total:,}."
    titles = [Column(title, text, number=True) for title, text in _HEADERS.values()]
    heads = columns("rater", "generator", *titles, *numbers("images"))
    lines = [*map(_line, flip_lines(flip_rows.rows))]
    table = table_element(plain_table(f"Prompts with flipped {FLIP_TITLES[kind]}", heads, lines))
    # how to make the numbers that are missing
    commands = dict.fromkeys(row.command for row in flip_rows.rows if row.command)
    unread = [note(_UNREAD), command_block(store, tuple(commands))] if commands else ""
    return Drawing(lead, _figure(flip_rows), table, [unread, _left_out(flip_rows)])


def _finding(flip_rows: FlipRows, kind: FlipKind) -> str:
    """Return which rater's score falls most, and which least, where the prompt is flipped."""
    known = [row for row in _compared(flip_rows) if row.value is not None]
    if not known:
        return f"Nobody’s score by prompts with flipped {FLIP_TITLES[kind]} is known yet."
    first, last = max(known, key=lambda row: row.value or 0.0), min(known, key=lambda row: row.value or 0.0)
    sentence = f"Flipped {FLIP_TITLES[kind]} lower the score of {first.rater} by {_text(first.value or 0.0)}"
    return f"{sentence}, that of {last.rater} by {_text(last.value or 0.0)}." if last is not first else f"{sentence}."


def _compared(flip_rows: FlipRows) -> list[FlipResult]:
    """Return each rater's difference, on the same images where there are enough of them."""
    known = [row for row in flip_rows.rows if row.statistic == DELTA and row.value is not None]
    generator = SHARED if any(row.generator == SHARED and row.n_items >= _ENOUGH for row in known) else ALL
    return [row for row in known if row.generator == generator]


def _line(line: FlipLine) -> Cells:
    score = line.score
    generator = _PLACES.get(score.generator, score.generator)
    answers = wording.count(score.n_ratings, "answer") if score.people else ""
    preferred = _number(line.preferred, f"{line.tied:,} tied" if line.tied else "")
    cells = [*map(_number, (score, line.flipped, line.delta)), preferred]
    return [score.rater, generator, *cells, with_details(Cell(f"{score.n_items:,}"), answers)]


def _number(row: FlipResult, more: str = "") -> Cell:
    if row.value is None:
        return with_details(Cell("–", note=reason_sentences.text_or_none(row.reason) or ""), more)
    interval = "" if row.low is None or row.high is None else f"{_text(row.low)} to {_text(row.high)}"
    note_text = f"{reason_sentences.text(row.method)}; n = {row.n_items:,}"
    return with_details(Cell(_text(row.value), note=note_text, exact=row.value), interval, more)


def _text(value: float) -> str:
    """What rounds to nothing has no sign."""
    return f"{round(value, 3) + 0:z.3f}"


def _figure(flip_rows: FlipRows) -> Node:
    """Return each rater's Δs around 0: how far it is from there is the question."""
    rows = _compared(flip_rows)
    if not rows:
        return None
    numbers = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    marks = [Mark(row.value, row.low, row.high, f"{row.rater}: {_text(row.value or 0.0)}\nn = {row.n_items:,}") for row in rows]
    scale = axis_of([*numbers, -_BESIDE_0, _BESIDE_0])
    title = f"Δs, {_PLACES[rows[0].generator]}"
    return dots([row.rater for row in rows], [Series("Δs", marks)], title, scale=scale, chance=0.0)


def _left_out(flip_rows: FlipRows) -> Node:
    """Return by rater what does not count, but for prompts without anything to flip."""
    parts = []
    for row in flip_rows.rows:
        if (row.statistic, row.generator) == (SCORE, ALL):
            why = [f"{wording.reason(name)}: {n:,}" for name, n in row.excluded.items() if name not in FLIP_REASONS]
            parts += [f"{row.rater}: {', '.join(why)}."] if why else []
    return note("Left out. " + " ".join(parts)) if parts else ""
