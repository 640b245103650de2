"""``import study``: published human studies (GenEval, TIFA), read, derived and stored, all or nothing."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from annotation.questionnaires.form import FormItem
from concord.common.context import CommandError, Context, digest
from concord.judging import DIRECT, derive, direct, form_of, rate
from data.aspects import SCALES
from data.records import Annotation, AnnotationRow, Evidence, Prompt, Rater, ScoreRow, StudyRatings
from data.store import imports, library
from data.store.imports import ImportBundle, Imported
from data.studies import geneval as geneval_study
from data.studies import tifa as tifa_study

_NAMESPACE = uuid.UUID("6d9c3c52-8f0e-4f5f-9a53-6d7f2b1f0c11")


def import_geneval(context: Context, metadata: str, sources: list[str]) -> None:
    """GenEval's annotations, each source (generator) an import of its own, all in one transaction."""
    metadata_path = context.file(metadata)
    published = geneval_study.read_metadata(metadata_path)
    stored = _as_stored(context, published)
    bundles = []
    for source in sources:
        name, separator, file = source.partition("=")
        if not separator or not name or not file:
            raise CommandError(f"{source!r}: expected SOURCE=FILE, e.g. sdv2=annotations_sdv2.csv")
        path = context.file(file)
        study = geneval_study.read_annotations(path, name, published)
        bundles.append(_bundle("study geneval", name, digest(metadata_path, path), study, stored))
    for bundle, imported in zip(bundles, imports.apply(context.store, bundles), strict=True):
        _say(context, bundle, imported)


def import_tifa(context: Context, file: str) -> None:
    """TIFA's Likert ratings, and its metrics as scorers."""
    path = context.file(file)
    study = tifa_study.read_human_annotations(path)
    bundle = _bundle("study tifa", "human", digest(path), study, _as_stored(context, study.prompts))
    (imported,) = imports.apply(context.store, [bundle])
    _say(context, bundle, imported)
    for name, count in study.missing_scores.items():
        if count:
            context.warn(f"{name}: {count} images have no value")


def _as_stored(context: Context, found: Sequence[Prompt]) -> dict[str, Prompt]:
    """The prompts by id; one that the project has keeps its spec, as `rebuild` will derive by that one too."""
    by_id = {prompt.prompt_id: prompt for prompt in found}
    return by_id | library.prompts_by_id(context.store, list(by_id))


def _bundle(kind: str, name: str, sha256: str, study: StudyRatings, stored: dict[str, Prompt]) -> ImportBundle:
    annotations = [_annotation(f"{kind}/{name}/{sha256}/{n}", row, stored) for n, row in enumerate(study.rows)]
    evidence = [_evidence(f"{kind}/{name}/{sha256}/score/{n}", row) for n, row in enumerate(study.scores)]
    slots = [Rater(rater_id, "human", "slot") for rater_id in dict.fromkeys(a.rater_id for a in annotations)]
    scorers = [Rater(rater_id, "scorer") for rater_id in dict.fromkeys(e.rater_id for e in evidence)]
    suites = {item.suite for item in study.items}
    # only prompts that have images here: what two sources share stays when one of them is undone
    used = {image.prompt_id for image in study.images}
    said = [*(a.judgements for a in annotations), *(e.judgements for e in evidence)]
    aspects = {judgement.aspect for judgements in said for judgement in judgements}
    return ImportBundle(
        kind,
        name,
        sha256,
        prompts=[prompt for prompt in study.prompts if prompt.prompt_id in used],
        images=study.images,
        items=study.items,
        raters=[*slots, *scorers],
        scales=[(suite, aspect, SCALES[aspect]) for suite in suites for aspect in aspects],
        annotations=annotations,
        evidence=evidence,
        exclusive=True,
    )


def _annotation(key: str, row: AnnotationRow, stored: dict[str, Prompt]) -> Annotation:
    questionnaire, said = _answers(row)
    if questionnaire == DIRECT:
        rule_version, judgements = rate(said)
    else:
        prompt = stored[row.image.prompt_id]
        form = form_of(questionnaire)
        rule_version, judgements = form.rule_version, derive(form, said, FormItem(prompt.text, prompt.spec))
    return Annotation(
        annotation_id=str(uuid.uuid5(_NAMESPACE, key)),
        item_id=row.item.item_id,
        rater_id=row.rater_id,
        questionnaire=questionnaire,
        answers=said,
        judgements=judgements,
        rule_version=rule_version,
        raw=row.raw,
        active_seconds=row.active_seconds,
    )


def _answers(row: AnnotationRow) -> tuple[str, dict[str, Any]]:
    """TIFA asks one question, whose answer is the judgement itself; GenEval's answers go through its rules."""
    if "faithfulness" in row.answers:
        value = row.answers["faithfulness"]
        return DIRECT, direct("faithfulness", str(value), float(value))
    return "geneval", dict(row.answers)


def _evidence(key: str, row: ScoreRow) -> Evidence:
    payload = direct("score", None, row.value)
    rule_version, judgements = rate(payload)
    return Evidence(str(uuid.uuid5(_NAMESPACE, key)), row.item.item_id, row.rater_id, payload, judgements, rule_version)


def _say(context: Context, bundle: ImportBundle, imported: Imported) -> None:
    if not imported.counts:
        context.say(f"{bundle.kind} {bundle.name}: nothing to do, imported before as import {imported.import_id}")
        return
    metrics = sum(rater.kind == "scorer" for rater in bundle.raters)
    scores = f", {len(bundle.evidence)} scores of {metrics} metrics" if metrics else ""
    context.say(
        f"{bundle.kind} {bundle.name}: {len(bundle.annotations)} annotations of {len(bundle.items)} images{scores}"
        f" (import {imported.import_id})"
    )
