"""Failure pictures: where and how generators fail, each mark leading to its images."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any, Final

from concord import failures as failing
from concord.common import next_steps
from concord.failures import NEEDS, TITLES, FailureTable
from data.formats.cooccurrence import Cooccurrence
from data.store import library
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import EvidenceSource
from scorers.failures import ANY
from ui.components.table import note
from ui.pages.explore.pictures import DRAW, Shown

PICTURES: Final[dict[str, str]] = TITLES
"""The pictures by their name in the address, each with its title."""
ALL: Final = "all"
_TOGETHER: Final = "cooccurrence"
_NO_TABLE: Final = (
    "How often two classes are together in photographs is not known in this project yet. An annotation file of COCO’s kind"
    " tells it, such as:"
)


@dataclass(frozen=True, slots=True)
class Failures:
    """One picture: what it shows and its main finding (above), a Plotly figure or None, and its numbers (beneath), as HTML."""

    lead: str
    figure: Any
    numbers: str


def failures(store: Store, suite: str, rater: str, picture: str, generator: str = ALL) -> Failures:
    """One of PICTURES for a suite as a scorer saw it, of one generator or of all (also where there is none of that name)."""
    source = failing.source(store, suite, rater)
    if source is None or picture not in PICTURES:
        told = f"{rater} has not looked at images of {suite} yet." if rater else "No scorer has looked at these images yet."
        return Failures(note(told, "cc-lead"), None, _commands(store, next_steps.score_command(store, "geneval")))
    try:
        return _drawn(store, source, picture, generator, library.latest_cooccurrence(store) if picture == _TOGETHER else None)
    except ValueError as error:
        return Failures(note(f"What {rater} saw cannot be judged: {error}", "cc-bad"), None, "")


def generators(store: Store, suite: str, rater: str) -> list[str]:
    """Whose images the scorer has looked at, sorted: what ``generator`` can be, besides all."""
    try:
        return failing.generators(store, suite, rater)
    except ValueError:
        return []


# by the evidence's stamp, as what it is drawn from
@lru_cache(maxsize=32)
def _drawn(store: Store, source: EvidenceSource, picture: str, generator: str, beside: Cooccurrence | None = None) -> Failures:
    found = failing.table_of(store, source.suite, source.rater_id, picture)
    if found is None or not found.table.units:
        return Failures(
            note(NEEDS[picture], "cc-lead"),
            None,
            _commands(store, next_steps.PROMPTS, next_steps.score_command(store, "geneval")),
        )
    if picture == _TOGETHER and beside is None:
        return Failures(note(_NO_TABLE, "cc-lead"), None, _commands(store, next_steps.COOCCURRENCE))
    known = found.table.generators
    one = generator if generator in known else ANY
    drawn = DRAW[picture](Shown(found.table, source.suite, source.rater_id, picture, one, found.settings, beside))
    return Failures(note(drawn.lead, "cc-lead"), drawn.figure, drawn.numbers + _method(found))


def _method(found: FailureTable) -> str:
    some = ""
    if found.images < found.total:
        some = f" Drawn from {found.images:,} of {found.total:,} images, always the same ones."
    return note(
        "Every number leads to its images. Intervals are Wilson’s (95\u00a0%), from as many independent images as the likeness"
        f" of a prompt’s images leaves.{some}"
    )


def _commands(store: Store, *groups: tuple[str, ...]) -> str:
    return f'<pre class="cc-note">{escape(chr(10).join(next_steps.command_lines(store, *groups)))}</pre>'
