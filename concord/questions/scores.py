"""What questions about images tell: the scores of TIFA, VQA models beside each other and beside people.

The command ``vqa`` and the place Failures show the same rows, computed once while the project (or its evidence) stays as it
is: nobody is to change what these give. The Workbench shows one image's questions with what a model and people answered.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Annotated, Any, Final

import pandas as pd
from pydantic import ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from agreement import Options
from agreement.questions import GroupStatistic, Split, beside_people, between_models, scores, splits, with_people
from agreement.questions.scores import images
from concord.common import live_updates, reason_sentences
from concord.common.context import Context, UsageError, parse_overrides
from concord.runs.requests import DriftRequest
from concord.runs.score import score_again
from data.selection import Selection
from data.store import runs
from data.store.analysis import study_frames
from data.store.analysis.study_frames import PersonAnswer
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import ItemEvidence
from data.validation import record_of
from scorers.base import Verdict

REAL, SIMULATED = KINDS = ("real", "simulated")
"""Kinds of people, as ``agreement`` calls them."""
_SIMULATED: Final = {REAL: False, SIMULATED: True}


@dataclass(frozen=True, slots=True)
class QuestionStatistics:
    """The numbers about the answers to questions, suite after suite.

    Attributes:
        scores: each rater's scores of each generator.
        models: raters compared with each other.
        people: raters compared with people, and people with each other.
        splits: raters' wrong answers, counted by whose fault they are.
    """

    scores: Sequence[GroupStatistic]
    models: Sequence[GroupStatistic]
    people: Sequence[GroupStatistic]
    splits: Sequence[Split]


def question_statistics(
    store: Store, selection: Selection, reference: str | None = None, options: Options | None = None
) -> QuestionStatistics:
    """Return all numbers of a selection; ``reference``: the generator whose images are real ones.

    Of the selection, suite, task and generator restrict the images, rater scorers and people, campaign, since and until
    people's answers.
    """
    rater_scores, models, people, wrong_answers = [], [], [], []
    known = study_frames.raters(store)
    for suite in sorted(known.keys() & {*selection.suite}) if selection.suite else known:
        generators = selection.generator
        if generators and reference and reference not in generators:
            generators = (*generators, reference)
        only = replace(selection, suite=(suite,), generator=generators)
        answers, people_answers = study_frames.scorer_answers(store, only), study_frames.person_answers(store, only)
        rater_scores += score_statistics(answers, suite, reference, options)
        models += model_statistics(answers, suite, options)
        beside, split = people_statistics(answers, people_answers, suite, options)
        people += beside
        wrong_answers += split
    return QuestionStatistics(rater_scores, models, people, wrong_answers)


def score_statistics(
    answers: pd.DataFrame, suite: str, reference: str | None = None, options: Options | None = None
) -> list[GroupStatistic]:
    """Return each rater's scores of each generator, from a suite's answers (``study_frames.scorer_answers``)."""
    return [replace(score, suite=suite) for score in scores(answers, options, reference)]


def model_statistics(answers: pd.DataFrame, suite: str, options: Options | None = None) -> list[GroupStatistic]:
    """Return the numbers that compare raters with each other."""
    return [replace(compared, suite=suite) for compared in between_models(answers, options)]


def people_statistics(
    answers: pd.DataFrame, people_answers: pd.DataFrame, suite: str, options: Options | None = None
) -> tuple[list[GroupStatistic], list[Split]]:
    """Return the numbers that compare raters with people, and whose fault wrong answers are, for each kind of people.

    Simulated people are left out where there are none.
    """
    compared: list[GroupStatistic] = []
    split: list[Split] = []
    for kind in KINDS:
        of_kind = answers_of_kind(people_answers, kind)
        if kind == SIMULATED and of_kind.empty:
            continue
        compared += [replace(each, suite=suite, people=kind) for each in beside_people(answers, of_kind, options)]
        for rater, rows in with_people(answers, of_kind).groupby("rater", sort=True):
            split += [replace(each, suite=suite, rater=str(rater), people=kind) for each in splits(rows)]
    return compared, split


def answers_of_kind(people_answers: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Return the answers by real or by simulated people."""
    return people_answers[people_answers.simulated == _SIMULATED[kind]]


def statistics_json(statistics: QuestionStatistics, reference: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """Return all numbers as JSON, by section; ``reference`` marks the scores of the generator by that name."""
    return {
        "scores": [statistic_json(score, reference) for score in statistics.scores],
        "models": [statistic_json(compared) for compared in statistics.models],
        "people": [statistic_json(compared) for compared in statistics.people],
        "splits": [split_json(split) for split in statistics.splits],
    }


def statistic_json(statistic: GroupStatistic, reference: str | None = None) -> dict[str, Any]:
    """Return a number as JSON; ``n`` counts ``unit``, ``excluded`` what was left out and why."""
    return {
        "suite": statistic.suite,
        "rater": statistic.rater,
        "other": statistic.other,
        "people": statistic.people or None,
        "generator": statistic.generator,
        "reference": reference is not None and statistic.generator == reference,
        "by": statistic.by,
        "group": statistic.group,
        "statistic": statistic.statistic,
        "value": statistic.value,
        "low": statistic.low,
        "high": statistic.high,
        "n": statistic.n,
        "unit": statistic.unit,
        "n_prompts": statistic.n_prompts,
        "excluded": dict(statistic.excluded),
        "reason": reason_sentences.text_or_none(statistic.reason),
        "method": reason_sentences.text(statistic.method),
        "n_items": statistic.n_items,
        "n_questions": statistic.n_questions,
    }


def split_json(split: Split) -> dict[str, Any]:
    """Return the counts of a model's wrong answers as JSON."""
    about = {"suite": split.suite, "rater": split.rater, "people": split.people, "by": split.by, "group": split.group}
    return about | split.counts


def drift(context: Context, request: DriftRequest, output: str) -> None:
    """Ask a judge again about ``n`` images that it has judged, as the rater of another ``day``, and compare its answers
    (``agreement.questions.between_models``).

    Raises:
        UsageError: it cannot be asked anew.
        CommandError: it was stopped, or some images failed.
    """
    rater = request.rater
    store = context.store
    before = next((row for row in runs.listed(store) if row.rater_id == rater and row.scorer == "judge"), None)
    if before is None:
        raise UsageError(f"{rater!r} is no judge with a run in this project")
    judged = runs.items_seen(store, rater)
    items = set(random.Random(request.seed).sample(judged, min(request.n, len(judged))))

    def of_another_day(again: str) -> set[str]:
        if again == rater:
            raise UsageError(f"{rater} is the judge of that day; give another --day")
        return items

    changed = {**parse_overrides(request.overrides), "date": request.day or datetime.now(UTC).date().isoformat()}
    again = score_again(context, before, changed, of_another_day, request.device)
    answers = study_frames.scorer_answers(store, Selection(rater=(rater, again)))
    compared = between_models(answers[answers.item.isin(items)])
    if output == "json":
        context.say_json({"rater": rater, "again": again, "rows": [statistic_json(statistic) for statistic in compared]})
        return
    for figure in compared:
        value = (
            f"undefined ({reason_sentences.text_or_none(figure.reason)})" if figure.value is None else f"{figure.value:z.3f}"
        )
        bounds = "" if figure.low is None else f" ({figure.low:z.3f} to {figure.high:z.3f})"
        context.say(f"{figure.statistic.replace('_', ' ')}: {value}{bounds}, {figure.n:,} {figure.unit}")


@dataclass(frozen=True, slots=True)
class AnswerSources:
    """Text sources and generators of the images that a scorer answered questions about."""

    sources: tuple[str, ...]
    generators: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DifferingScores:
    """An image with the scores of two raters."""

    item: str
    generator: str
    a: float
    b: float


@live_updates.cached(maxsize=2, key=study_frames.stamp)
def scorer_answers(store: Store, suite: str, source: str = "") -> pd.DataFrame:
    """What scorers answered about a suite's images, of one text source or of all; kept while the evidence stays."""
    return study_frames.scorer_answers(store, _selection(suite, source))


@live_updates.cached(maxsize=16, key=study_frames.stamp)
def recall_scores(store: Store, suite: str, source: str, reference: str) -> list[GroupStatistic]:
    """Like ``score_statistics``, but kept while the evidence stays."""
    return score_statistics(scorer_answers(store, suite, source), suite, reference or None)


@live_updates.cached(maxsize=8, key=study_frames.stamp)
def recall_models(store: Store, suite: str, source: str) -> list[GroupStatistic]:
    """Like ``model_statistics``, but kept while the evidence stays."""
    return model_statistics(scorer_answers(store, suite, source), suite)


@live_updates.cached(maxsize=8)
def recall_people(store: Store, suite: str, source: str) -> tuple[list[GroupStatistic], list[Split]]:
    """Like ``people_statistics``, but kept while the project stays as it is."""
    return people_statistics(
        scorer_answers(store, suite, source), study_frames.person_answers(store, _selection(suite, source)), suite
    )


@live_updates.cached(maxsize=4)
def all_beside_people(store: Store, suite: str, source: str) -> pd.DataFrame:
    """All answers with real people's beside (``agreement.questions.people``)."""
    people = answers_of_kind(study_frames.person_answers(store, _selection(suite, source)), REAL)
    return with_people(scorer_answers(store, suite, source), people)


@live_updates.cached(maxsize=8, key=study_frames.stamp)
def answering_raters(store: Store) -> dict[str, list[str]]:
    """By suite the scorers that answered questions."""
    return study_frames.raters(store)


def _selection(suite: str, source: str) -> Selection:
    return Selection(suite=(suite,), task=(source,) if source else ())


@live_updates.cached(maxsize=16, key=study_frames.stamp)
def answer_sources(store: Store, suite: str, rater: str) -> AnswerSources:
    """Where the images are that a scorer answered questions about."""
    answers = scorer_answers(store, suite, "")
    mine = answers[answers.rater == rater]
    return AnswerSources(*(tuple(sorted(name for name in mine[column].unique() if name)) for column in ("source", "generator")))


@live_updates.cached(maxsize=64, key=study_frames.stamp)
def answer_groups(store: Store, suite: str, rater: str, source: str, by: str) -> list[str]:
    """What its answers are grouped by: element types, text sources or numbers of entities."""
    answers = scorer_answers(store, suite, source)
    mine = answers[answers.rater == rater]
    if by == "entities":
        return [str(n) for n in sorted(images(mine).entities.unique())]
    return sorted(str(name) for name in mine[by].unique())


@live_updates.cached(maxsize=16, key=study_frames.stamp)
def mixed_texts(store: Store, suite: str, rater: str) -> int:
    """Of how many texts not all images were asked the same."""
    answers = scorer_answers(store, suite, "")
    return int((images(answers[answers.rater == rater]).groupby("prompt").asked.nunique() > 1).sum())


@live_updates.cached(maxsize=8)
def answers_beside_people(store: Store, suite: str, source: str, rater: str) -> pd.DataFrame:
    """One scorer's answers with real people's beside; ``entities`` says how many its text asks for."""
    answers = all_beside_people(store, suite, source)
    mine = answers[answers.rater == rater]
    return mine.assign(entities=mine.item.map(images(mine).set_index("item").entities))


@dataclass(frozen=True, slots=True)
class AnswerBesidePeople:
    """A scorer's answer to a question about an image, with people's beside (``agreement.questions.with_people``)."""

    item: str
    generator: str
    question: str
    text: str
    element_type: str
    element: str
    answer: str
    chosen: str
    state: str
    people: str | None
    votes: int


def answer_records(answers: pd.DataFrame) -> list[AnswerBesidePeople]:
    """Return the rows of ``answers_beside_people``, or of a part of it, as records."""
    columns = [field.name for field in fields(AnswerBesidePeople)]
    return [AnswerBesidePeople(*row) for row in answers[columns].itertuples(index=False, name=None)]


def differing_images(store: Store, suite: str, source: str, a: str, b: str) -> list[DifferingScores]:
    """The images that both were asked the same about whose scores differ, those that differ most first."""
    answers = scorer_answers(store, suite, source)
    first, second = (images(answers[answers.rater == rater]).set_index("item") for rater in (a, b))
    pair = first.join(second[["score", "asked"]].add_suffix("_b"), how="inner")
    pair = pair[(pair.asked == pair.asked_b) & (pair.score != pair.score_b)]
    order = (pair.score - pair.score_b).abs().sort_values(ascending=False, kind="stable").index
    rows = pair.loc[order, ["generator", "score", "score_b"]]
    return [DifferingScores(str(item), str(g), float(x), float(y)) for item, g, x, y in rows.itertuples(name=None)]


@dataclass(frozen=True, slots=True)
class PersonReply:
    """A person's answer to a question about an image.

    Attributes:
        says: the choice; None where the person cannot tell.
        why: why the answer does not count; None if it does.
        other: whether the person was asked in other words than the scorer.
    """

    rater: str
    simulated: bool
    says: str | None
    why: str | None
    other: bool


@dataclass(frozen=True, slots=True)
class ItemQuestion:
    """A question about an image, with what a scorer and people answered.

    Attributes:
        answer: the question's own answer, of a faithful image.
        chosen: the scorer's answer, empty where it has none (``failed`` says why).
        probabilities: the scorer's, of the choices in their order.
        right: whether ``chosen`` is the question's own answer; None where there is none.
        counts: whether the scorer's rules count the answer as right.
    """

    id: str
    text: str
    answer: str
    chosen: str
    element_type: str
    element: str
    choices: tuple[str, ...]
    probabilities: tuple[float, ...] | None
    free: str | None
    matched: str | None
    similarity: float | None
    right: bool | None
    failed: str | None
    counts: bool | None
    people: tuple[PersonReply, ...]


def _valid_or_none(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    try:
        return validate(value)
    except ValidationError:
        return None


_LENIENT: Final = WrapValidator(_valid_or_none)


@dataclass(frozen=True, slots=True)
class _StoredAnswer:
    """An entry of a scorer's evidence; a file from elsewhere may lack what an answer needs, or hold other kinds of values."""

    question_id: str
    text: str
    answer: str
    choices: list[Any]
    chosen: str | None = None
    failed: str | None = None
    element_type: Any = None
    element: Any = None
    probabilities: Annotated[list[float] | None, _LENIENT] = None
    free: Annotated[str | None, _LENIENT] = None
    matched: Annotated[str | None, _LENIENT] = None
    similarity: Annotated[float | None, _LENIENT] = None


def _stored_answers(payload: Mapping[str, Any], name: str) -> Iterator[_StoredAnswer]:
    """Yield the entries of a section of a scorer's evidence; one that is no answer is left out."""
    entries = payload.get(name)
    for entry in entries if isinstance(entries, list) else ():
        with suppress(ValueError):
            yield record_of(_StoredAnswer, entry, extra="ignore")


def item_questions(store: Store, item_id: str, by: ItemEvidence, verdict: Verdict | None) -> list[ItemQuestion]:
    """Return a scorer's answers about an image in the questions' order; none where it answers no questions."""
    stored = [answer for answer in _stored_answers(by.seen.payload, "answers") if answer.chosen is not None]
    stored += [answer for answer in _stored_answers(by.seen.payload, "unanswered") if answer.failed is not None]
    if not stored:
        return []
    answers, wordings = study_frames.answers_about(store, item_id), study_frames.wordings(store, item_id, by.rater_id)
    holds = {check.target: check.holds for check in verdict.checks} if verdict else {}
    return [
        _item_question(answer, holds.get(answer.question_id), answers, wordings.get(answer.question_id)) for answer in stored
    ]


def _item_question(
    stored: _StoredAnswer, holds: bool | None, answers: Iterable[PersonAnswer], wording: int | None
) -> ItemQuestion:
    right = None if stored.chosen is None else stored.answer == stored.chosen
    probabilities = stored.probabilities
    fits = probabilities is not None and len(probabilities) == len(stored.choices)
    return ItemQuestion(
        id=stored.question_id,
        text=stored.text,
        answer=stored.answer,
        chosen=stored.chosen or "",
        element_type=str(stored.element_type or ""),
        element=str(stored.element or ""),
        choices=tuple(map(str, stored.choices)),
        probabilities=tuple(min(max(share, 0.0), 1.0) for share in probabilities or ()) if fits else None,
        free=stored.free,
        matched=stored.matched,
        similarity=stored.similarity,
        right=right,
        failed=stored.failed if right is None else None,
        counts=right if holds is None else holds,
        people=tuple(
            PersonReply(
                answer.person,
                answer.simulated,
                answer.label,
                answer.excluded,
                # the wording is known of what was answered
                other=answer.wording is None or (right is not None and answer.wording != wording),
            )
            for answer in answers
            if answer.question == stored.question_id
        ),
    )
