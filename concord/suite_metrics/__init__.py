"""The metrics that a suite's own paper defines, of a project's scorers and people: VISOR, GenEval, TIFA and SelfEval.

A suite declares them by what its prompts are: a relation in SR2D's form, a spec in GenEval's form, questions, captions. The
command `agreement`, the library, the report and Overview show the same estimates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from agreement import Options
from agreement.estimate import Estimate
from agreement.suite_metrics.answers import (
    selfeval_metrics,
    selfeval_metrics_of_people,
    tifa_metrics,
    tifa_metrics_of_people,
)
from agreement.suite_metrics.both_objects import Roles
from agreement.suite_metrics.catalogue import METRICS
from agreement.suite_metrics.verdicts import RelationPrompt, geneval_metrics, visor_metrics
from annotation.questionnaires.visor import requested_objects
from concord.common import live_updates
from concord.comparison.matching import answers as caption_answers
from concord.questions.scores import KINDS, answers_of_kind
from concord.suite_metrics.visor_summary import equivalence
from data.aspects import Scales
from data.matching.captions import candidates_of_spec
from data.records import Prompt
from data.selection import Selection
from data.spec import SpecError
from data.store import library
from data.store.analysis import study_frames
from data.store.core import frame
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import caption_choices
from scorers.visor.results import VisorRequest


def split_statistics(names: Sequence[str] | None) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """Return which of these statistics are no suite's own, and which are; None for all of both."""
    if not names:
        return None, None
    return tuple(name for name in names if name not in METRICS), tuple(name for name in names if name in METRICS)


def suite_metrics(
    store: Store, selection: Selection, options: Options, statistics: Sequence[str] | None = None
) -> tuple[Estimate, ...]:
    """Return the metrics of every selected suite that declares some; ``statistics``: only these, None for all.

    They are about whole images and prompts: a selection of targets, or of images by how far people agree, has none. Each
    counts the aspects that it needs, and stands under its own: a selection of aspects restricts which are returned.
    """
    if selection.target or selection.certainty or (statistics is not None and not statistics):
        return ()
    scales = frame.scales(store)
    rows = [
        *_of_verdicts(store, replace(selection, aspect=("correct", "present")), scales, options),
        *_of_questions(store, selection, options),
        *_of_captions(store, selection, options),
    ]
    return tuple(
        row
        for row in sorted(rows, key=lambda row: row.suite)
        if (statistics is None or row.statistic in statistics) and (not selection.aspect or row.aspect in selection.aspect)
    )


def _of_verdicts(store: Store, selection: Selection, scales: Scales, options: Options) -> list[Estimate]:
    judgements = frame.frame(store, selection)
    judgements = judgements[judgements.aspect.isin(("correct", "present"))]
    prompts = library.prompts_by_id(store, sorted(judgements.prompt.dropna().unique()))
    relations = relation_prompts(prompts)
    in_geneval_form = [prompt.prompt_id for prompt in prompts.values() if "include" in prompt.spec]
    return [
        *visor_metrics(judgements, scales, relations, options),
        *geneval_metrics(judgements[judgements.prompt.isin(in_geneval_form)], scales, options),
    ]


def relation_prompts(prompts: Mapping[str, Prompt]) -> dict[str, RelationPrompt]:
    """Return the prompts in SR2D's form that ask for two objects in a relation, by id."""
    related = {}
    for prompt_id, prompt in prompts.items():
        if "a" not in prompt.spec:
            continue
        try:
            request, objects = VisorRequest.of(prompt.demands), requested_objects(prompt.demands)
        except ValueError:
            continue
        if request.relation is not None:
            roles = Roles(objects[0].target, objects[1].target, relation=True)
            related[prompt_id] = RelationPrompt(roles, equivalence(request))
    return related


def study_roles(store: Store, judgements: pd.DataFrame) -> dict[str, Roles]:
    """Return A and B of each prompt that VISOR's form asks about, whatever form its spec has."""
    roles = {}
    for prompt_id, prompt in library.prompts_by_id(store, sorted(judgements.prompt.dropna().unique())).items():
        try:
            spec = prompt.demands
        except SpecError:
            continue
        objects = [required.target for required in requested_objects(spec)]
        if objects:
            b = objects[1] if len(objects) == 2 else None
            roles[prompt_id] = Roles(objects[0], b, bool(spec.relations) and len(objects) == 2)
    return roles


def _of_questions(store: Store, selection: Selection, options: Options) -> Iterator[Estimate]:
    answered = study_frames.person_answers(store, selection)
    scored = study_frames.scorer_answers(store, selection)
    suite_of = {
        prompt_id: prompt.suite
        for prompt_id, prompt in library.prompts_by_id(store, sorted({*answered.prompt, *scored.prompt})).items()
    }
    for suite in sorted(set(suite_of.values())):
        for kind in KINDS:
            said = answers_of_kind(answered, kind)
            mine = said[said.prompt.map(suite_of) == suite]
            yield from (replace(row, suite=suite) for row in tifa_metrics_of_people(mine, kind, options))
        by_scorers = scored[scored.prompt.map(suite_of) == suite]
        yield from (replace(row, suite=suite) for row in tifa_metrics(by_scorers, options))


def _of_captions(store: Store, selection: Selection, options: Options) -> Iterator[Estimate]:
    judgements = frame.frame(store, replace(selection, aspect=("caption",)))
    said = judgements[(judgements.kind == "human") & (judgements.aspect == "caption")]
    prompts = library.prompts_by_id(store, sorted(said.prompt.dropna().unique()))
    captions = captions_of_prompts(prompts)
    choices = caption_choices(store, selection)
    for suite in sorted({*said.suite, *(choice.suite for choice in choices)}):
        for kind in KINDS:
            mine = answers_of_kind(said[said.suite == suite], kind)
            rows = selfeval_metrics_of_people(mine, captions, kind, options)
            yield from (replace(row, suite=suite) for row in rows)
        frame_of_suite = caption_answers(choice for choice in choices if choice.suite == suite)
        yield from (replace(row, suite=suite) for row in selfeval_metrics(frame_of_suite, options))


def captions_of_prompts(prompts: Mapping[str, Prompt]) -> dict[str, tuple[Sequence[str], int]]:
    """Return the captions of each prompt of a matching suite, and the place of the right one."""
    captions: dict[str, tuple[Sequence[str], int]] = {}
    for prompt_id, prompt in prompts.items():
        if "captions" not in prompt.spec:
            continue
        try:
            offered = candidates_of_spec(prompt.spec)
        except (SpecError, ValueError):
            continue
        captions[prompt_id] = (offered.captions, offered.right)
    return captions


@live_updates.cached(maxsize=16)
def recall(store: Store, selection: Selection, options: Options) -> tuple[Estimate, ...]:
    """Like `suite_metrics`, computed once for all who look while the project stays as it is."""
    return suite_metrics(store, selection, options)
