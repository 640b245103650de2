"""The flip test on the page Explore: whether raters see what is flipped, everybody's numbers beside people's."""

from __future__ import annotations

from typing import Any, Final

from htpy import Node

from agreement.flips import DELTA, FLIPPED, PREFERRED, SCORE, SHARED
from agreement.study.cells import ALL
from concord.common import next_steps, sentences, wording
from concord.common.table import Cell, Column, numbers
from concord.error_analysis import flips
from concord.error_analysis.flips import FlipLine, FlipResult, FlipRows, flip_lines
from concord.error_analysis.rejudging import MOST_IMAGES
from data.prompts.flips import FLIP_REASONS, FlipKind
from data.selection import Selection
from data.store.core.store import Store
from ui.components import charts
from ui.components.tables import Cells, columns, note, plain_table, table_element, with_details
from ui.pages.explore.view import Drawing, command_block

FLIPS: Final[dict[str, str]] = {"relation": "relations", "color": "colours", "count": "numbers"}
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


def flip_test(store: Store, suite: str, kind: FlipKind) -> Drawing:
    """All raters of a suite."""
    flip_rows = flips.recall(store, Selection(suite=(suite,)), kind, MOST_IMAGES)
    if suite in flip_rows.unflippable:
        missing = (next_steps.PROMPTS[:1], next_steps.score_command(store, "geneval"))
        return Drawing.missing(store, _NONE.format(suite=suite), *missing)
    if not flip_rows.rows:
        return Drawing.missing(store, _NOBODY, next_steps.score_command(store, "geneval"))
    lead = _LEAD.format(what=_MEANS[kind])
    if flip_rows.images < flip_rows.total:
        lead += f" These are {flip_rows.images:,} images taken by chance of {flip_rows.total:,}."
    titles = [Column(title, text, number=True) for title, text in _HEADERS.values()]
    heads = columns("rater", "generator", *titles, *numbers("images"))
    lines = [*map(_line, flip_lines(flip_rows.rows))]
    table = table_element(plain_table(f"Prompts with flipped {FLIPS[kind]}", heads, lines))
    # how to make the numbers that are missing
    commands = dict.fromkeys(row.command for row in flip_rows.rows if row.command)
    unread = [note(_UNREAD), command_block(store, tuple(commands))] if commands else ""
    return Drawing(note(lead, "cc-lead"), _figure(flip_rows), [table, unread, _left_out(flip_rows)])


def _line(line: FlipLine) -> Cells:
    score = line.score
    generator = _PLACES.get(score.generator, score.generator)
    answers = wording.count(score.n_ratings, "answer") if score.people else ""
    preferred = _number(line.preferred, f"{line.tied:,} tied" if line.tied else "")
    cells = [*map(_number, (score, line.flipped, line.delta)), preferred]
    return [score.rater, generator, *cells, with_details(Cell(f"{score.n_items:,}"), answers)]


def _number(row: FlipResult, more: str = "") -> Cell:
    if row.value is None:
        return with_details(Cell("–", note=sentences.text_or_none(row.reason) or ""), more)
    interval = "" if row.low is None or row.high is None else f"{_text(row.low)} to {_text(row.high)}"
    note_text = f"{sentences.text(row.method)}; n = {row.n_items:,}"
    return with_details(Cell(_text(row.value), note=note_text, exact=row.value), interval, more)


def _text(value: float) -> str:
    """What rounds to nothing has no sign."""
    return f"{round(value, 3) + 0:z.3f}"


def _figure(flip_rows: FlipRows) -> Any:
    """Each rater's Δs, on the same images where there are enough of them."""
    known = [row for row in flip_rows.rows if row.statistic == DELTA and row.value is not None]
    generator = SHARED if any(row.generator == SHARED and row.n_items >= _ENOUGH for row in known) else ALL
    rows = [row for row in known if row.generator == generator]
    if not rows:
        return None
    # how far from 0 is the question
    lines = [
        charts.ForestLine(row.rater, row.value, row.low, row.high, row.n_items, "scorer", row.people == "simulated")
        for row in rows
    ]
    return charts.forest(lines, f"Δs, {_PLACES[generator]}", around_zero=_BESIDE_0)


def _left_out(flip_rows: FlipRows) -> Node:
    """Return by rater what does not count, but for prompts without anything to flip."""
    parts = []
    for row in flip_rows.rows:
        if (row.statistic, row.generator) == (SCORE, ALL):
            why = [f"{wording.reason(name)}: {n:,}" for name, n in row.excluded.items() if name not in FLIP_REASONS]
            parts += [f"{row.rater}: {', '.join(why)}."] if why else []
    return note("Left out. " + " ".join(parts)) if parts else ""
