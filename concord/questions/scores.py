"""What questions about images tell: the scores of TIFA, VQA models beside each other and beside people.

The command ``vqa`` and the page Explore show the same rows, computed once while the project (or its evidence) stays as it
is: nobody is to change what these give. The Workbench shows one image's questions with what a model and people answered.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

import pandas as pd

from agreement import Options
from agreement.questions import GroupStatistic, beside_people, between_models, scores, splits, with_people
from agreement.questions.scores import images
from concord.common import live_updates, sentences
from concord.common.context import Context, UsageError, parse_overrides
from concord.comparison.matching import number_row
from concord.runs.score import score_again
from data.store import runs
from data.store.analysis import study_frames
from data.store.analysis.study_frames import PersonAnswer
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import ItemEvidence
from scorers.base import Verdict

Row = dict[str, Any]
REAL, SIMULATED = KINDS = ("real", "simulated")
"""Kinds of people, as ``agreement`` calls them."""
_SIMULATED: Final = {REAL: False, SIMULATED: True}


def rows(
    store: Store, selection: Selection, reference: str | None = None, options: Options | None = None
) -> dict[str, list[Row]]:
    """All figures of a selection, by suite; ``reference``: the generator whose images are real ones. A row for each figure of:

    - ``scores``: each rater's of each generator;
    - ``models``: raters compared with each other;
    - ``people``: raters compared with people, and people with each other;
    - ``splits``: raters' wrong answers counted by whose fault they are.

    Of the selection, suite, task and generator restrict the images, rater scorers and people, campaign, since and until
    people's answers.
    """
    made: dict[str, list[Row]] = {"scores": [], "models": [], "people": [], "splits": []}
    known = study_frames.raters(store)
    for suite in sorted(known.keys() & {*selection.suite}) if selection.suite else known:
        generators = selection.generator
        if generators and reference and reference not in generators:
            generators = (*generators, reference)
        only = replace(selection, suite=(suite,), generator=generators)
        answers, people_answers = study_frames.scorer_answers(store, only), study_frames.person_answers(store, only)
        made["scores"] += score_rows(answers, suite, reference, options)
        made["models"] += model_rows(answers, suite, options)
        people, split = people_rows(answers, people_answers, suite, options)
        made["people"] += people
        made["splits"] += split
    return made


def score_rows(answers: pd.DataFrame, suite: str, reference: str | None = None, options: Options | None = None) -> list[Row]:
    """The rows ``scores`` of a suite's answers (``data.store.analysis.study_frames.scorer_answers``)."""
    return _figure_rows(scores(answers, options, reference), suite, reference=reference)


def model_rows(answers: pd.DataFrame, suite: str, options: Options | None = None) -> list[Row]:
    """The rows ``models``."""
    return _figure_rows(between_models(answers, options), suite)


def people_rows(
    answers: pd.DataFrame, people_answers: pd.DataFrame, suite: str, options: Options | None = None
) -> tuple[list[Row], list[Row]]:
    """The rows ``people`` and ``splits``; of simulated people only where there are any."""
    made: list[Row] = []
    split: list[Row] = []
    for kind in KINDS:
        of_kind = answers_of_kind(people_answers, kind)
        if kind == SIMULATED and of_kind.empty:
            continue
        made += _figure_rows(beside_people(answers, of_kind, options), suite, people=kind)
        for rater, rows in with_people(answers, of_kind).groupby("rater", sort=True):
            about = {"suite": suite, "rater": str(rater), "people": kind}
            split += [
                about
                | {"by": split.by, "group": split.group, "wrong": split.wrong}
                | {"image_wrong": split.image_wrong, "vqa_wrong": split.vqa_wrong}
                | split.apart
                for split in splits(rows)
            ]
    return made, split


def answers_of_kind(people_answers: pd.DataFrame, kind: str) -> pd.DataFrame:
    """What real or simulated people said."""
    return people_answers[people_answers["simulated"] == _SIMULATED[kind]]


def _figure_rows(
    figures: Iterable[GroupStatistic], suite: str, people: str | None = None, reference: str | None = None
) -> list[Row]:
    """Plain types; ``n`` counts ``unit``, ``excluded`` what was left out and why."""
    return [
        {
            "suite": suite,
            "rater": figure.rater,
            "other": figure.other,
            "people": people,
            "generator": figure.generator,
            "reference": reference is not None and figure.generator == reference,
            "by": figure.by,
            "group": figure.group,
            "statistic": figure.statistic,
            **number_row(figure),
            "n_items": figure.outcome.used.items,
            "n_questions": figure.outcome.used.ratings,
        }
        for figure in figures
    ]


def drift(
    context: Context, rater: str, n: int, seed: int, day: str | None, overrides: Sequence[str], device: str, output: str
) -> None:
    """Ask a judge again about ``n`` images that it has judged, as the rater of another ``day``, and compare its answers
    (``agreement.questions.between_models``).

    Raises:
        UsageError: it cannot be asked anew.
        CommandError: it was stopped, or some images failed.
    """
    store = context.store
    before = next((row for row in runs.listed(store) if row.rater_id == rater and row.scorer == "judge"), None)
    if before is None:
        raise UsageError(f"{rater!r} is no judge with a run in this project")
    judged = runs.items_seen(store, rater)
    items = set(random.Random(seed).sample(judged, min(n, len(judged))))

    def of_another_day(again: str) -> set[str]:
        if again == rater:
            raise UsageError(f"{rater} is the judge of that day; give another --day")
        return items

    changed = {**parse_overrides(overrides), "date": day or datetime.now(UTC).date().isoformat()}
    again = score_again(context, before, changed, of_another_day, device)
    answers = study_frames.scorer_answers(store, Selection(rater=(rater, again)))
    compared = between_models(answers[answers["item"].isin(items)])
    if output == "json":
        context.say_json({"rater": rater, "again": again, "rows": _figure_rows(compared, "")})
        return
    for figure in compared:
        reason, known = sentences.text_or_none(figure.outcome.reason), figure.outcome.value
        value = f"undefined ({reason})" if known is None else f"{known:z.3f}"
        bounds = "" if figure.bounds.low is None else f" ({figure.bounds.low:z.3f} to {figure.bounds.high:z.3f})"
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
def recall_scores(store: Store, suite: str, source: str, reference: str) -> list[Row]:
    """As ``of_scores``."""
    return score_rows(scorer_answers(store, suite, source), suite, reference or None)


@live_updates.cached(maxsize=8, key=study_frames.stamp)
def recall_models(store: Store, suite: str, source: str) -> list[Row]:
    """As ``of_models``."""
    return model_rows(scorer_answers(store, suite, source), suite)


@live_updates.cached(maxsize=8)
def recall_people(store: Store, suite: str, source: str) -> tuple[list[Row], list[Row]]:
    """As ``of_people``."""
    return people_rows(
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
    mine = answers[answers["rater"] == rater]
    return AnswerSources(*(tuple(sorted(name for name in mine[column].unique() if name)) for column in ("source", "generator")))


@live_updates.cached(maxsize=64, key=study_frames.stamp)
def answer_groups(store: Store, suite: str, rater: str, source: str, by: str) -> list[str]:
    """What its answers are grouped by: element types, text sources or numbers of entities."""
    answers = scorer_answers(store, suite, source)
    mine = answers[answers["rater"] == rater]
    if by == "entities":
        return [str(n) for n in sorted(images(mine)["entities"].unique())]
    return sorted(str(name) for name in mine[by].unique())


@live_updates.cached(maxsize=16, key=study_frames.stamp)
def mixed_texts(store: Store, suite: str, rater: str) -> int:
    """Of how many texts not all images were asked the same."""
    answers = scorer_answers(store, suite, "")
    return int((images(answers[answers["rater"] == rater]).groupby("prompt")["asked"].nunique() > 1).sum())


@live_updates.cached(maxsize=8)
def answers_beside_people(store: Store, suite: str, source: str, rater: str) -> pd.DataFrame:
    """One scorer's answers with real people's beside; ``entities`` says how many its text asks for."""
    answers = all_beside_people(store, suite, source)
    mine = answers[answers["rater"] == rater]
    return mine.assign(entities=mine["item"].map(images(mine).set_index("item")["entities"]))


def differing_images(store: Store, suite: str, source: str, a: str, b: str) -> list[DifferingScores]:
    """The images that both were asked the same about whose scores differ, those that differ most first."""
    answers = scorer_answers(store, suite, source)
    first, second = (images(answers[answers["rater"] == rater]).set_index("item") for rater in (a, b))
    pair = first.join(second[["score", "asked"]].add_suffix("_b"), how="inner")
    pair = pair[(pair["asked"] == pair["asked_b"]) & (pair["score"] != pair["score_b"])]
    order = (pair["score"] - pair["score_b"]).abs().sort_values(ascending=False, kind="stable").index
    rows = pair.loc[order, ["generator", "score", "score_b"]]
    return [DifferingScores(str(item), str(g), float(x), float(y)) for item, g, x, y in rows.itertuples(name=None)]


def item_questions(store: Store, item_id: str, by: ItemEvidence, verdict: Verdict | None) -> list[dict[str, Any]]:
    """A scorer's answers in the questions' order; none where it answers no questions.

    Each has the question's words, ``chosen``, ``probabilities`` (of the choices in their order, or None), ``free``, ``matched``
    and ``similarity`` as in the evidence; ``right``: whether it is the question's own answer, None where there is no answer
    (``failed`` says why); ``counts``: whether the scorer's rules count it as right; ``people``: who said what, ``other`` where
    they were asked in other words.
    """
    known = []
    # a file from elsewhere may lack what an answer needs
    for name, needed in (("answers", "chosen"), ("unanswered", "failed")):
        entries = by.seen.payload.get(name)
        texts = ("question_id", "text", "answer", needed)
        known += [
            entry
            for entry in (entries if isinstance(entries, list) else [])
            if isinstance(entry, Mapping)
            and all(isinstance(entry.get(name), str) for name in texts)
            and isinstance(entry.get("choices"), list)
        ]
    if not known:
        return []
    answers, wordings = study_frames.answers_about(store, item_id), study_frames.wordings(store, item_id, by.rater_id)
    holds = {check.target: check.holds for check in verdict.checks} if verdict else {}
    return [
        _question_json(entry, holds.get(entry["question_id"]), answers, wordings.get(entry["question_id"])) for entry in known
    ]


def _question_json(
    entry: Mapping[str, Any], holds: bool | None, answers: list[PersonAnswer], wording: int | None
) -> dict[str, Any]:
    choices = [str(choice) for choice in entry["choices"]]
    right = entry["answer"] == entry["chosen"] if "chosen" in entry else None
    similarity = entry.get("similarity")
    probabilities: Any = entry.get("probabilities")
    fits = (
        isinstance(probabilities, list)
        and len(probabilities) == len(choices)
        and all(isinstance(probability, int | float) for probability in probabilities)
    )
    return {
        "id": entry["question_id"],
        **{name: str(entry.get(name) or "") for name in ("text", "answer", "chosen", "element_type", "element")},
        "choices": choices,
        "probabilities": [min(max(float(probability), 0.0), 1.0) for probability in probabilities] if fits else None,
        "free": entry["free"] if isinstance(entry.get("free"), str) else None,
        "matched": entry["matched"] if isinstance(entry.get("matched"), str) else None,
        "similarity": float(similarity) if isinstance(similarity, int | float) else None,
        "right": right,
        "failed": str(entry["failed"]) if right is None else None,
        "counts": right if holds is None else holds,
        # why says why the answer does not count; None if it does
        "people": [
            {"rater": answer.person, "simulated": answer.simulated, "says": answer.label, "why": answer.excluded}
            # the wording is known of what was answered
            | {"other": answer.wording is None or (right is not None and answer.wording != wording)}
            for answer in answers
            if answer.question == entry["question_id"]
        ],
    }
