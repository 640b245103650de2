"""Scorers by the true and the flipped prompts: judged again from what they saw, or by what they read in a run of its own."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from data.jobs.runs import Observation
from data.prompts.flips import FlipKind
from data.store import runs
from data.store.analysis import flips
from data.store.browse import contents
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from data.store.judgements.scorer_evidence import EvidenceSource
from data.store.runs import RunRow
from scorers import registry
from scorers.base import Scorer, Settings
from ui.commands.score import changed_settings
from ui.flipping.board import Board, Entry, Tested, correct, entry

IMPORTED: Final = "its judgements were imported as they are: nothing can be judged again"
AS_THEY_CAME: Final = "its verdicts came as they are: nothing can be judged again"
NOT_READ: Final = "it has not read the flipped prompts yet"
_AT_ONCE: Final = 2000
_NO_SCORE: Final = ("no_score", "no_flipped_score")


@dataclass(frozen=True)
class _Known:
    """What the project knows of scorers.

    Attributes:
        listed: all runs, oldest first.
        sources: the suite's evidence by rater.
        scores: numbers by (rater, kind of flip or None), then by image.
    """

    listed: Sequence[RunRow]
    sources: Mapping[str, EvidenceSource]
    scores: Mapping[tuple[str, str | None], Mapping[str, float | None]]


def scorers(store: Store, selection: Selection, suite: str, board: Board, kind: FlipKind) -> Iterator[Tested]:
    """Every scorer that has judged images of the selection, by name."""
    known = _known(store, selection, suite)
    last = {row.rater_id: row for row in known.listed}
    found = contents.raters_of_selection(store, replace(selection, aspect=("correct",)))
    for name in sorted(judge.name for judge in found if judge.scorer):
        row = last.get(name)
        scorer = _scorer(row)
        if row is None or scorer is None or name not in known.sources:
            yield _without(board, suite, name, IMPORTED)
        elif scorer.flips == "judged":
            pairs = board.pairs(_judged(store, board, known.sources[name], scorer, kind))
            yield Tested(suite, name, "scorer", False, "correct", pairs)
        elif scorer.flips == "read":
            yield _read(board, suite, scorer, row, known, kind)
        else:
            yield _without(board, suite, name, AS_THEY_CAME)


def _known(store: Store, selection: Selection, suite: str) -> _Known:
    scores: dict[tuple[str, str | None], dict[str, float | None]] = defaultdict(dict)
    for one in flips.scores(store, selection):
        scores[one.rater_id, one.flip][one.item_id] = one.value
    sources = {one.rater_id: one for one in scorer_evidence.evidence_sources(store) if one.suite == suite}
    return _Known(runs.listed(store), sources, scores)


def _scorer(row: RunRow | None) -> Scorer | None:
    """None also of one that this Concord does not know."""
    try:
        return None if row is None else registry.get(row.scorer)
    except ValueError:
        return None


def _without(board: Board, suite: str, name: str, missing: str) -> Tested:
    entries = [Entry(place, why=board.why_not(place) or "no_flipped_score") for place in range(len(board.places))]
    return Tested(suite, name, "scorer", False, "correct", board.pairs(entries), missing)


def _judged(store: Store, board: Board, source: EvidenceSource, scorer: Scorer, kind: FlipKind) -> list[Entry]:
    """Every image, what was seen of it judged by both specs."""
    done = _remembered(store, source, kind)
    why = [board.why_not(place) for place in range(len(board.places))]
    new = [k for k, place in enumerate(board.places) if why[k] is None and place.item_id not in done]
    for start in range(0, len(new), _AT_ONCE):
        some = new[start : start + _AT_ONCE]
        sights = runs.evidence_without_masks(store, [board.places[k].item_id for k in some], source.rater_id)
        for k in some:
            item_id = board.places[k].item_id
            if sights is not None:
                done[item_id] = _verdicts(board, k, scorer, sights.seen.get(item_id), sights.settings)
    unseen = Entry(-1, why="not_seen")
    return [
        replace(done.get(place.item_id, unseen), place=k) if why[k] is None else Entry(k, why=why[k])
        for k, place in enumerate(board.places)
    ]


# by the evidence's stamp, not by the project's version: answers of people leave it what it is
@lru_cache(maxsize=32)
def _remembered(store: Store, source: EvidenceSource, kind: FlipKind) -> dict[str, Entry]:  # noqa: ARG001 - the key
    """What was judged of a scorer's evidence so far, by image."""
    return {}


def _verdicts(board: Board, place: int, scorer: Scorer, seen: Observation | None, settings: Settings) -> Entry:
    if seen is None or seen.failed is not None:
        return Entry(place, why="not_seen" if seen is None else "failed")
    true, flip = (scorer.judge(spec, seen, settings) for spec in (board.asked(place), board.asked_flipped(place)))
    return entry(place, correct(true.judgements), correct(flip.judgements))


def _read(board: Board, suite: str, scorer: Scorer, row: RunRow, known: _Known, kind: FlipKind) -> Tested:
    """The numbers of two raters: of this run's, and of the one that has its very settings but reads flipped texts."""
    same = (row.scorer, row.version, {**row.settings, "flip": kind})
    partner = next((one for one in known.listed if (one.scorer, one.version, dict(one.settings)) == same), None)
    true = known.scores.get((row.rater_id, None), {})
    flip = known.scores.get((partner.rater_id, kind), {}) if partner else {}
    entries = []
    for k, place in enumerate(board.places):
        why = board.why_not_read(k)
        made = entry(k, true.get(place.item_id), flip.get(place.item_id), _NO_SCORE)
        entries.append(made if why is None else Entry(k, why=why))
    command = _command(scorer, row, kind) if any(one.why == _NO_SCORE[1] for one in entries) else ""
    missing = "" if any(one.why is None for one in entries) or not command else NOT_READ
    return Tested(suite, row.rater_id, "scorer", False, "score", board.pairs(entries), missing, command)


def _command(scorer: Scorer, row: RunRow, kind: FlipKind) -> str:
    """What has it read the flipped prompts."""
    settings = [*changed_settings(scorer, row.profile, row.settings), f"flip={kind}"]
    profile = [] if row.profile == registry.default_profile(scorer) else ["--profile", row.profile]
    return shlex.join(["score", scorer.name, *profile, *(word for one in settings for word in ("--set", one))])
