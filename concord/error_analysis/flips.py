"""The flip test of a project: everybody's scores by the true prompts and by flipped ones, and the numbers that follow.

Scorers are judged again from what they saw, or by what they read in a run of its own. People's answers are read again by the
flipped specs: the same answers say whether the flipped prompt would be fulfilled.
"""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from agreement import Options
from agreement.estimate import Estimate
from agreement.flips import (
    DELTA,
    FLIPPED,
    PREFERRED,
    SCORE,
    SHARED,
    TIED,
    FlipPairs,
    FlipStatistic,
    flip_statistics,
    flip_test,
    shared_pairs,
)
from agreement.reasons import Reason, ReasonCode
from agreement.study.cells import ALL
from annotation.questionnaires import geneval, geneval_authors
from concord.common import live_updates, reason_sentences
from concord.judging import DIRECT
from concord.runs.score import changed_settings
from data.jobs.runs import Observation
from data.prompts.flips import FLIP_REASONS, FlipKind, Flipped, Unflipped, flip
from data.records import Judgement, Prompt
from data.selection import PEOPLE, SIMULATED, Selection
from data.spec import Spec
from data.store import runs
from data.store.analysis import study_frames
from data.store.analysis.study_frames import FlipAnswer, FlipImage
from data.store.browse import contents
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from data.store.judgements.scorer_evidence import EvidenceSource
from data.store.runs import RunRow
from scorers import registry
from scorers.base import Scorer, Settings

NO_VERDICT: Final = ("no_verdict", "no_flipped_verdict")


@dataclass(frozen=True, slots=True)
class RaterFlipScores:
    """One rater's scores of a suite; of people, those of all who are real, or of all who are simulated.

    Attributes:
        kind: ``people`` or ``scorer``.
        missing: why it can have no flipped score at all, or has none yet; ``command`` makes those that are missing, where
            one does.
    """

    suite: str
    rater: str
    kind: str
    simulated: bool
    aspect: str
    pairs: FlipPairs
    missing: Reason | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class FlipScores:
    """The two scores of the image at a place, or why they do not count."""

    place: int
    true: float | None = None
    flipped: float | None = None
    why: str | None = None


def flip_scores(index: int, true: float | None, flip: float | None, why: tuple[str, str] = NO_VERDICT) -> FlipScores:
    """Only numbers count; ``why`` names what is missing: the true score, or the flipped one."""
    for value, missing in zip((true, flip), why, strict=True):
        if value is None or not np.isfinite(value):
            return FlipScores(index, why=missing)
    return FlipScores(index, true, flip)


def correct(judgements: Sequence[Judgement]) -> float | None:
    """1 for correct, 0 for not; None where that was left open."""
    return next((judgement.value for judgement in judgements if judgement.aspect == "correct"), None)


@dataclass(frozen=True)
class FlipBoard:
    """The images, in order, and their prompts' flips; ``total``: of so many images."""

    places: Sequence[FlipImage]
    prompts: Mapping[str, Prompt]
    flips: Mapping[str, Flipped | Unflipped]
    total: int

    @classmethod
    def of(cls, store: Store, selection: Selection, kind: FlipKind, most: int | None) -> FlipBoard:
        """The images of a selection; of more than ``most`` always the same ones by chance."""
        known, prompts = study_frames.images(store, selection)
        places = known
        if most is not None and len(places) > most:
            drawn = np.random.default_rng(0).choice(len(places), most, replace=False)
            places = [places[k] for k in sorted(drawn.tolist())]
        flips_value = {prompt_id: flip(true_spec.text, true_spec.spec, kind) for prompt_id, true_spec in prompts.items()}
        return cls(places, prompts, flips_value, len(known))

    @property
    def is_flippable(self) -> bool:
        """Whether any prompt can be flipped."""
        return any(isinstance(made, Flipped) for made in self.flips.values())

    def why_not(self, index: int) -> str | None:
        """Why the prompt of an image cannot be flipped; None if it can."""
        made = self.flips[self.places[index].prompt_id]
        return made.reason if isinstance(made, Unflipped) else None

    def why_not_read(self, index: int) -> str | None:
        """The same for whoever reads the text."""
        made = self.flips[self.places[index].prompt_id]
        return made.reason if isinstance(made, Unflipped) else "unsure_text" if made.text is None else None

    def true_spec(self, index: int) -> Spec:
        """What the prompt of an image asks for."""
        return self.prompts[self.places[index].prompt_id].demands

    def flipped_spec(self, index: int) -> Spec:
        """What the flipped prompt asks for; there must be one."""
        made = self.flips[self.places[index].prompt_id]
        assert isinstance(made, Flipped)
        return made.demands

    def pairs(self, entries: Sequence[FlipScores], *, people: bool = False) -> FlipPairs:
        """One rater's entries, as ``agreement.flips`` takes them."""
        reasons = sorted({entry.why for entry in entries if entry.why is not None})
        generators = sorted({image.generator for image in self.places})
        code = {name: k for k, name in enumerate(generators)} | {None: -1}
        cluster = {prompt_id: k for k, prompt_id in enumerate(self.prompts)}
        why = {reason: k for k, reason in enumerate(reasons)}
        at = [self.places[entry.place] for entry in entries]

        def whole(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
            return np.array(values, np.int64)

        return FlipPairs(
            true=np.array([np.nan if entry.true is None else entry.true for entry in entries], np.float64),
            flipped=np.array([np.nan if entry.flipped is None else entry.flipped for entry in entries], np.float64),
            item=whole([entry.place for entry in entries]),
            cluster=whole([cluster[image.prompt_id] for image in at]),
            generator=whole([code[image.generator] for image in at]),
            why=whole([-1 if entry.why is None else why[entry.why] for entry in entries]),
            generators=tuple(generators),
            reasons=tuple(reasons),
            people=people,
        )


def people_scores(store: Store, selection: Selection, suite: str, board: FlipBoard) -> Iterator[RaterFlipScores]:
    """All real people together, and all simulated ones; each rating of an image is an entry."""
    index = {image.item_id: k for k, image in enumerate(board.places)}
    answers = [answer for answer in study_frames.answers(store, selection) if answer.item_id in index]
    for name, simulated in ((PEOPLE, False), (SIMULATED, True)):
        mine = [_rating_scores(board, index[answer.item_id], answer) for answer in answers if answer.simulated == simulated]
        if mine:
            yield RaterFlipScores(suite, name, "people", simulated, "correct", board.pairs(mine, people=True))


def _rating_scores(board: FlipBoard, index: int, answer: FlipAnswer) -> FlipScores:
    why = board.why_not(index) or answer.excluded
    if why is not None:
        return FlipScores(index, why=why)
    if answer.questionnaire in (None, DIRECT):
        return FlipScores(index, why="rated_directly")
    if answer.questionnaire not in (geneval.NAME, geneval_authors.NAME):
        return FlipScores(index, why="another_questionnaire")
    true, flip = (correct(geneval.derive(spec, answer.answers)) for spec in (board.true_spec(index), board.flipped_spec(index)))
    return flip_scores(index, true, flip)


IMPORTED: Final = Reason(ReasonCode.FLIPS_IMPORTED)
AS_THEY_CAME: Final = Reason(ReasonCode.FLIPS_AS_THEY_CAME)
NOT_READ: Final = Reason(ReasonCode.FLIPS_NOT_READ)
_AT_ONCE: Final = 2000
_NO_SCORE: Final = ("no_score", "no_flipped_score")


def scorer_scores(
    store: Store, selection: Selection, suite: str, board: FlipBoard, kind: FlipKind
) -> Iterator[RaterFlipScores]:
    """Every scorer that has judged images of the selection, by name."""
    sources = {source.rater_id: source for source in scorer_evidence.evidence_sources(store) if source.suite == suite}
    values: dict[tuple[str, str | None], dict[str, float | None]] = defaultdict(dict)
    for score in study_frames.scores(store, selection):
        values[score.rater_id, score.flip][score.item_id] = score.value
    listed = runs.listed(store)
    last = {row.rater_id: row for row in listed}
    counts = contents.raters_of_selection(store, replace(selection, aspect=("correct",)))
    for name in sorted(judge.name for judge in counts if judge.scorer):
        row = last.get(name)
        scorer = None
        if row is not None:
            with suppress(ValueError):  # one that this Concord does not know
                scorer = registry.get(row.scorer)
        if row is None or scorer is None or name not in sources:
            yield _without(board, suite, name, IMPORTED)
        elif scorer.flips is None:
            yield _without(board, suite, name, AS_THEY_CAME)
        elif scorer.flips.rejudges:
            pairs = board.pairs(_judged(store, board, sources[name], scorer, kind))
            yield RaterFlipScores(suite, name, "scorer", False, "correct", pairs)
        else:
            # the rater that has its very settings but reads flipped texts
            same = (row.scorer, row.version, {**row.settings, "flip": kind})
            partner = next((each for each in listed if (each.scorer, each.version, dict(each.settings)) == same), None)
            flipped = values.get((partner.rater_id, kind), {}) if partner else {}
            yield _read(board, suite, scorer, row, values.get((name, None), {}), flipped, kind)


def _without(board: FlipBoard, suite: str, name: str, missing: Reason) -> RaterFlipScores:
    entries = [FlipScores(index, why=board.why_not(index) or "no_flipped_score") for index in range(len(board.places))]
    return RaterFlipScores(suite, name, "scorer", False, "correct", board.pairs(entries), missing)


def _judged(store: Store, board: FlipBoard, source: EvidenceSource, scorer: Scorer, kind: FlipKind) -> list[FlipScores]:
    """Every image, what was seen of it judged by both specs."""
    done = _remembered(store, source, kind)
    why = [board.why_not(index) for index in range(len(board.places))]
    new = [k for k, image in enumerate(board.places) if why[k] is None and image.item_id not in done]
    for start in range(0, len(new), _AT_ONCE):
        some = new[start : start + _AT_ONCE]
        sights = scorer_evidence.evidence_without_masks(store, [board.places[k].item_id for k in some], source.rater_id)
        for k in some:
            item_id = board.places[k].item_id
            if sights is not None:
                done[item_id] = _verdicts(board, k, scorer, sights.seen.get(item_id), sights.settings)
    unseen = FlipScores(-1, why="not_seen")
    return [
        replace(done.get(image.item_id, unseen), place=k) if why[k] is None else FlipScores(k, why=why[k])
        for k, image in enumerate(board.places)
    ]


# a source has a stamp: answers of people leave what was judged of it what it is
@live_updates.cached(maxsize=32, key=live_updates.by_arguments)
def _remembered(_: Store, source: EvidenceSource, kind: FlipKind) -> dict[str, FlipScores]:  # noqa: ARG001 - the key
    """What was judged of a scorer's evidence so far, by image."""
    return {}


def _verdicts(board: FlipBoard, index: int, scorer: Scorer, seen: Observation | None, settings: Settings) -> FlipScores:
    if seen is None or seen.failed is not None:
        return FlipScores(index, why="not_seen" if seen is None else "failed")
    true, flip = (scorer.judge(spec, seen, settings) for spec in (board.true_spec(index), board.flipped_spec(index)))
    return flip_scores(index, correct(true.judgements), correct(flip.judgements))


def _read(
    board: FlipBoard,
    suite: str,
    scorer: Scorer,
    row: RunRow,
    true: Mapping[str, float | None],
    flip: Mapping[str, float | None],
    kind: FlipKind,
) -> RaterFlipScores:
    """The numbers of two raters by image: of this run's, and of the one that reads flipped texts."""
    entries = []
    for k, image in enumerate(board.places):
        why = board.why_not_read(k)
        made = flip_scores(k, true.get(image.item_id), flip.get(image.item_id), _NO_SCORE)
        entries.append(made if why is None else FlipScores(k, why=why))
    command = _command(scorer, row, kind) if any(entry.why == _NO_SCORE[1] for entry in entries) else ""
    missing = None if any(entry.why is None for entry in entries) or not command else NOT_READ
    return RaterFlipScores(suite, row.rater_id, "scorer", False, "score", board.pairs(entries), missing, command)


def _command(scorer: Scorer, row: RunRow, kind: FlipKind) -> str:
    """What has it read the flipped prompts."""
    settings = [*changed_settings(scorer, row.profile, row.settings), f"flip={kind}"]
    profile = [] if row.profile == registry.default_profile(scorer) else ["--profile", row.profile]
    return shlex.join(["score", scorer.name, *profile, *(word for setting in settings for word in ("--set", setting))])


@dataclass(frozen=True, kw_only=True)
class FlipResult(Estimate):
    """A statistic of the flip test (``agreement.flips``) of one rater's scores of one generator's images.

    `reason` also says why the rater has no flipped score at all.

    Attributes:
        flip: the kind of flip.
        command: what makes the scores that are missing; empty where nothing does.
    """

    flip: FlipKind
    command: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the statistic with plain types; ``n_ratings`` counts people's ratings of the images."""
        return {
            "suite": self.suite,
            "generator": self.generator,
            "rater": self.rater,
            "kind": "people" if self.people else "scorer",
            "people": self.people or None,
            "aspect": self.aspect,
            "flip": self.flip,
            "statistic": self.statistic,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "n_items": self.n_items,
            "n_ratings": self.n_ratings,
            "excluded": dict(self.excluded),
            "reason": reason_sentences.text_or_none(self.reason),
            "command": self.command or None,
            "method": reason_sentences.text(self.method),
        }


@dataclass(frozen=True, slots=True)
class FlipRows:
    """A row for each rater, generator (then ``all``, and what all raters share) and statistic of ``agreement.flips``.

    Attributes:
        unflippable: suites none of whose prompts can be flipped so.
        images: how many were looked at, of the ``total`` of suites with prompts that can be flipped.
    """

    rows: Sequence[FlipResult]
    unflippable: Sequence[str]
    images: int
    total: int


def rows(
    store: Store, selection: Selection, kind: FlipKind, options: Options | None = None, most: int | None = None
) -> FlipRows:
    """The flip test of everybody who has judged images of the selection, by suite: people first, then scorers by name.

    Of the selection, suite, task and generator restrict the images, rater the raters, campaign, since and until people's
    answers. ``most``: so many images of a suite at most; of more, always the same ones by chance.
    """
    made: list[FlipResult] = []
    unflippable, images, total = [], 0, 0
    for suite in study_frames.suites(store, selection):
        only = replace(selection, suite=(suite,), aspect=(), target=(), certainty=())
        board = FlipBoard.of(store, only, kind, most)
        if not board.is_flippable:
            unflippable.append(suite)
            continue
        images, total = images + len(board.places), total + board.total
        scored = [*people_scores(store, only, suite, board), *scorer_scores(store, only, suite, board, kind)]
        for scores, common in zip(scored, shared_pairs([scores.pairs for scores in scored]), strict=True):
            of_all = flip_statistics(common, SHARED, options) if common is not None else []
            made += [_result(scores, kind, each) for each in [*flip_test(scores.pairs, options), *of_all]]
    return FlipRows(made, unflippable, images, total)


@live_updates.cached(maxsize=16)
def recall(store: Store, selection: Selection, kind: FlipKind, most: int | None = None) -> FlipRows:
    """As ``rows``, but computed once for all who look while the project stays as it is. Do not change them."""
    return rows(store, selection, kind, None, most)


@dataclass(frozen=True, slots=True)
class FlipLine:
    """The statistics of one suite, rater and generator."""

    score: FlipResult
    flipped: FlipResult
    delta: FlipResult
    preferred: FlipResult

    @property
    def tied(self) -> int:
        """The number of images with the same score by both prompts."""
        return self.preferred.excluded.get(TIED, 0)


def flip_lines(results: Iterable[FlipResult]) -> list[FlipLine]:
    """Return the statistics of each suite, rater and generator together, in order; of a rater with one generator its name says
    more than ``all``, of one without any number ``all`` says enough."""
    cells: dict[tuple[str, str], dict[str, dict[str, FlipResult]]] = {}
    for result in results:
        cells.setdefault((result.suite, result.rater), {}).setdefault(result.generator, {})[result.statistic] = result
    shown: list[FlipLine] = []
    for of_rater in cells.values():
        lines = {generator: FlipLine(of[SCORE], of[FLIPPED], of[DELTA], of[PREFERRED]) for generator, of in of_rater.items()}
        if not lines[ALL].score.n_items:
            shown.append(lines[ALL])
        else:
            single = len(lines.keys() - {ALL, SHARED}) == 1
            shown += [line for generator, line in lines.items() if not (single and generator == ALL)]
    return shown


def _result(scores: RaterFlipScores, kind: FlipKind, statistic: FlipStatistic) -> FlipResult:
    outcome = statistic.outcome
    people = ("simulated" if scores.simulated else "real") if scores.kind == "people" else ""
    # why nothing counts, if that is not the prompts' doing
    left = tuple((name, n) for name, n in outcome.used.excluded.items() if name not in FLIP_REASONS)
    why = Reason(ReasonCode.BESIDES_LEFT_OUT, reason=outcome.reason, left_out=left) if left else outcome.reason
    missing = None if outcome.value is not None or outcome.used.ratings else scores.missing or why
    return FlipResult(
        suite=scores.suite,
        generator=statistic.generator,
        rater=scores.rater,
        people=people,
        aspect=scores.aspect,
        flip=kind,
        statistic=statistic.statistic,
        value=outcome.value,
        low=statistic.bounds.low,
        high=statistic.bounds.high,
        n_items=outcome.used.items,
        n_ratings=outcome.used.ratings,
        n_prompts=outcome.used.clusters,
        excluded=outcome.used.excluded,
        reason=missing or outcome.reason,
        command=scores.command,
        method=statistic.method,
    )
