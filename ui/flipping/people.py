"""People's answers read again by the flipped specs: the same answers say whether the flipped prompt would be fulfilled."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.questionnaires import geneval
from data.store.analysis import flips
from data.store.analysis.flips import FlipAnswer
from data.store.browse.contents import PEOPLE, SIMULATED
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.commands.derive import DIRECT
from ui.flipping.board import Board, Entry, Tested, correct, entry


def people(store: Store, selection: Selection, suite: str, board: Board) -> Iterator[Tested]:
    """All real people together, and all simulated ones; each rating of an image is an entry."""
    index = {place.item_id: k for k, place in enumerate(board.places)}
    said = [one for one in flips.answers(store, selection) if one.item_id in index]
    for name, simulated in ((PEOPLE, False), (SIMULATED, True)):
        mine = [_entry(board, index[one.item_id], one) for one in said if one.simulated == simulated]
        if mine:
            yield Tested(suite, name, "people", simulated, "correct", board.pairs(mine, people=True))


def _entry(board: Board, place: int, said: FlipAnswer) -> Entry:
    why = board.why_not(place) or said.excluded
    if why is not None:
        return Entry(place, why=why)
    if said.questionnaire in (None, DIRECT):
        return Entry(place, why="rated_directly")
    if said.questionnaire != geneval.NAME:
        return Entry(place, why="another_questionnaire")
    true, flip = (correct(geneval.derive(spec, said.answers)) for spec in (board.asked(place), board.asked_flipped(place)))
    return entry(place, true, flip)
