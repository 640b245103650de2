"""VISOR's human study (Gokhale et al. 2022, section 5.3): Tables IV and V, for any answers to its questions.

Table IV, for each question: the share of images on which at least two of three people agree, and on which all three do; of
more people, more than half of them, and all (`majority_share`, `unanimous_share`). Table V, for each metric: the share of
images on which what people say (strict majority) is what a scorer says (`percent_agreement`, people as majority):

    OA            both objects are there
    VISOR_uncond  both objects are there and the asked relation holds
    VISOR_cond    the asked relation holds, over images in which scorer and people (majority) both find both objects

The paper has three answers to each question of each image. Here images with fewer answers are left out (`fewer_than_three`).
No formula stands here: the answers are put as aspects of their own, and the report does the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from agreement.estimate import Estimate
from agreement.report.report import build
from agreement.report.scorer_human import strict_majority
from agreement.study.cells import Options
from agreement.study.frame import COLUMNS
from agreement.suite_metrics.both_objects import OA, Role, Roles, both_objects, is_about

Scales = Mapping[tuple[str, str], str]
LEAST = 3
FEWER, MISSING = "fewer_than_three", "objects_missing"
UNCOND, COND = "visor_uncond", "visor_cond"
METRICS = {OA: "OA", UNCOND: "VISOR_uncond", COND: "VISOR_cond"}
"""Table V's rows by key."""
ONLY_HERE = frozenset({"quality", "scene", "merged"})
"""Aspects that no other questionnaire of ours asks for: where people judge one, they answered VISOR's."""


@dataclass(frozen=True)
class StudyQuestion:
    """One of the seven, as a row of Table IV: the aspect that answers it, and of which object it is asked."""

    key: str
    title: str
    aspect: str
    role: Role | None = None


QUESTIONS = (
    StudyQuestion("quality", "Image Quality", "quality"),
    StudyQuestion("scene", "Scene Likelihood", "scene"),
    StudyQuestion("objects", "Num. Objects", "count"),
    StudyQuestion("object_a", "Object A", "present", "a"),
    StudyQuestion("object_b", "Object B", "present", "b"),
    StudyQuestion("relation", "Spatial Relation", "position"),
    StudyQuestion("merged", "Merged/Distinct", "merged"),
)


@dataclass(frozen=True)
class StudyTables:
    """Estimates whose aspect is the title of a question (Table IV) or of a metric (Table V)."""

    questions: tuple[Estimate, ...]
    metrics: tuple[Estimate, ...]


def tables(judgements: pd.DataFrame, scales: Scales, roles: Mapping[str, Roles], options: Options | None = None) -> StudyTables:
    """Both tables, by suite and generator, of real and of simulated people.

    Args:
        judgements: a long frame, as for `report.build`; suites in which nobody answered VISOR's questions are left out.
        scales: as there.
        roles: by prompt; of prompts that are missing here, questions about A and B and the metrics are left out.
        options: intervals and seed.
    """
    wanted = replace(options or Options(), matrix=False, by_target=False, people_as="majority", ceiling=False)
    human = judgements.kind == "human"
    with_questions = judgements.suite[human & judgements.aspect.isin(ONLY_HERE)].unique()
    rows = judgements.loc[judgements.suite.isin(with_questions), list(COLUMNS)].assign(task=None)
    if rows.empty:
        return StudyTables((), ())
    return StudyTables(_questions(rows, scales, roles, wanted), _metrics(rows, roles, wanted))


def _questions(rows: pd.DataFrame, scales: Scales, roles: Mapping[str, Roles], options: Options) -> tuple[Estimate, ...]:
    people = rows[rows.kind == "human"]
    parts = []
    known = dict(scales)
    for question in QUESTIONS:
        part = people[people.aspect == question.aspect]
        if question.role is not None:
            part = part.loc[is_about(part, roles, question.role)]
        elif question.aspect == "count":
            part = part[part.target.isna()]  # a number with a target is another questionnaire's
        known |= {(str(suite), question.key): known[suite, question.aspect] for suite in part.suite.unique()}
        parts.append(_enough(part.assign(aspect=question.key, target=None)))
    titles = {question.key: question.title for question in QUESTIONS}
    report = build(pd.concat(parts), known, replace(options, statistics=("majority_share", "unanimous_share")))
    order = [*titles]
    estimates = sorted(report.among_people, key=lambda row: (row.suite, row.people, order.index(row.aspect)))
    return tuple(replace(row, aspect=titles[row.aspect]) for row in estimates)


def _metrics(rows: pd.DataFrame, roles: Mapping[str, Roles], options: Options) -> tuple[Estimate, ...]:
    both = both_objects(rows, roles)
    related = rows.prompt.map(lambda prompt: (role := roles.get(prompt)) is not None and role.relation).astype(bool)
    uncond = rows[related & (rows.aspect == "correct")].assign(aspect=UNCOND, target=None)
    cond = rows[related & (rows.aspect == "position")].assign(aspect=COND, target=None)
    parts = [_enough(both), _enough(uncond), _where_both(cond, both)]
    scales = {(str(suite), metric): "nominal" for suite in rows.suite.unique() for metric in METRICS}
    made = pd.concat(parts)
    report = build(made, scales, replace(options, statistics=("percent_agreement",)))
    order = [*METRICS]
    estimates = sorted(report.raters, key=lambda row: (row.suite, row.people, row.rater, order.index(row.aspect)))
    return tuple(replace(row, aspect=METRICS[row.aspect]) for row in estimates)


def _answered(part: pd.DataFrame) -> pd.Series:
    """For each row, how many people of its kind have answered about its item."""
    keys = [part.item, part.aspect, part.simulated.fillna(False).astype(bool)]
    valid = (part.excluded.isna() & part.label.notna()) & (part.kind == "human")
    return valid.astype(int).groupby(keys, dropna=False).transform("sum")


def _enough(part: pd.DataFrame) -> pd.DataFrame:
    """Answers to a question that fewer than three answered are marked as left out."""
    few = (part.kind == "human") & part.excluded.isna() & (_answered(part) < LEAST)
    return part.assign(excluded=part.excluded.astype(object).mask(few, FEWER))


def _where_both(part: pd.DataFrame, both: pd.DataFrame) -> pd.DataFrame:
    """Of scorers what they say where they find both objects; people's answers count where more than half of three do."""
    yes = both[both.label == "yes"]
    pairs = set(zip(yes.item, yes.rater, strict=True))
    scorer = part.kind == "scorer"
    seen = np.array([pair in pairs for pair in zip(part.item, part.rater, strict=True)], bool)
    rows = part[~scorer | seen]
    people = both[(both.kind == "human")]
    enough = people[_answered(people) >= LEAST]
    known = {(item, kind) for item, kind in _agreed_yes(enough)}
    judged = {(item, bool(kind)) for item, kind in zip(enough.item, enough.simulated.fillna(False), strict=True)}
    keys = list(zip(rows.item, rows.simulated.fillna(False).astype(bool), strict=True))
    open_ = (rows.kind == "human") & rows.excluded.isna()
    reasons = [None if key in known else MISSING if key in judged else FEWER for key in keys]
    excluded = rows.excluded.astype(object).where(~open_, pd.Series(reasons, rows.index, dtype=object))
    return rows.assign(excluded=excluded.where(excluded.notna(), None))


def _agreed_yes(people: pd.DataFrame) -> Sequence[tuple[str, bool]]:
    """Items, with the kind of people, of which more than half say yes."""
    keys = list(zip(people.item, people.simulated.fillna(False).astype(bool), strict=True))
    unit, units = pd.factorize(pd.Series(keys, dtype=object))
    label = np.array([answer == "yes" for answer in people.label], np.int64)
    most = strict_majority(unit.astype(np.int64), len(units), label, 2).label
    return [unit for unit, answer in zip(units, most, strict=True) if answer == 1]
