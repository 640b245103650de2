"""Imports of published human studies: `import study geneval`, `tifa`, `genai-bench`, `imagenhub`, `viescore`, `tia2`, `arena`.

Each is all or nothing, and can be undone. What a study brings and what was left out is said, with file and line.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from agreement import Scale
from annotation.questionnaires import geneval_authors
from annotation.questionnaires.form import FormItem
from concord.common.context import CommandError, Context, digest
from concord.judging import converter, direct, exported, form_of, rate, rating_answer, rating_evidence
from data.aspects import SCALES
from data.records import Annotation, Evidence, Item, Judgement, Prompt, Rater
from data.store import imports, library
from data.store.imports import ImportBundle, Imported
from data.studies.arena import ARENA_SUITE, ArenaVotes, read_arena
from data.studies.genai_bench import GENAI_SUITE, read_genai_bench
from data.studies.geneval import GENEVAL_SUITE, read_annotations, read_metadata
from data.studies.imagenhub import is_sample, read_imagenhub
from data.studies.study_ratings import OFF_SCALE, AnnotationRow, ScoreRow, StudyRatings
from data.studies.tia2 import TIA2_PRINTED, TIA2_SETS, read_tia2
from data.studies.tifa import read_human_annotations
from data.studies.viescore import read_viescore, viescore_files

_NAMESPACE = uuid.UUID("6d9c3c52-8f0e-4f5f-9a53-6d7f2b1f0c11")
_MOST_NAMED = 5
"""So many ratings that were left out are named one by one."""
_RULE = rate(direct("correct", None, None))[0]


def import_geneval(context: Context, metadata: str, sources: list[str]) -> None:
    """GenEval's annotations, each source (generator) an import of its own, all in one transaction."""
    metadata_path = context.file(metadata)
    published = read_metadata(metadata_path)
    stored = _as_stored(context, published)
    bundles, studies = [], []
    for source in sources:
        name, separator, file = source.partition("=")
        if not separator or not name or not file:
            raise CommandError(f"{source!r}: expected SOURCE=FILE, e.g. sdv2=annotations_sdv2.csv")
        path = context.file(file)
        study = read_annotations(path, name, published)
        bundles.append(_bundle("study geneval", name, digest(metadata_path, path), study, stored))
        studies.append(study)
    _import(context, bundles, studies)


def import_tifa(context: Context, file: str) -> None:
    """TIFA's Likert ratings, and its metrics as scorers."""
    path = context.file(file)
    study = read_human_annotations(path)
    bundle = _bundle("study tifa", "human", digest(path), study, _as_stored(context, study.prompts))
    _import(context, [bundle], [study])


def import_genai_bench(context: Context, folder: str, prompts: str = "1600") -> None:
    """GenAI-Bench's three ratings of each image, of 1,600 prompts or of the 527 with which the authors' own code works."""
    images, skills = (_file(context, folder, f"genai_{part}_{prompts}.json") for part in ("image", "skills"))
    suite = GENAI_SUITE if prompts == "1600" else f"{GENAI_SUITE}-{prompts}"
    study = read_genai_bench(images, skills, suite)
    bundle = _bundle("study genai-bench", prompts, digest(images, skills), study, _as_stored(context, study.prompts))
    _import(context, [bundle], [study])


def import_imagenhub(context: Context, folder: str) -> None:
    """ImagenHub's ratings of seven generators by three persons."""
    tables = _tables(context, folder)
    study = read_imagenhub(tables, {})
    stored = _as_stored(context, study.prompts)
    study = replace(study, prompts=tuple(stored.values()))  # these tables hold no texts; whatever is stored is right
    _import(context, [_bundle("study imagenhub", "text-to-image", digest(*tables), study, stored)], [study])


def import_viescore(context: Context, folder: str, imagenhub: str) -> None:
    """VIEScore's judges of ImagenHub's images, with ImagenHub's ratings if they are not there yet; prompts get their texts."""
    root, tables = context.folder(folder), _tables(context, imagenhub)
    judges = read_viescore(root)
    people = read_imagenhub(tables, judges.texts)
    stored = _as_stored(context, people.prompts)
    # of ImagenHub imported alone a prompt's text is the sample's name
    nameless = [prompt for prompt in people.prompts if is_sample(stored[prompt.prompt_id].text)]
    texts = {prompt.prompt_id: (stored[prompt.prompt_id].text, prompt.text) for prompt in nameless}
    stored |= {prompt.prompt_id: prompt for prompt in nameless}
    people = replace(people, prompts=tuple(stored.values()))
    unknown = {score.image.generator for score in judges.scores} - {row.image.generator for row in people.rows}
    if unknown:
        raise CommandError(f"{folder}: judges a generator that ImagenHub's tables do not have: {', '.join(sorted(unknown))}")
    scores = StudyRatings(people.prompts, (), judges.scores, judges.missing, excluded=judges.excluded)
    files = [path for path, _, _ in viescore_files(root)]
    bundles = [
        _bundle("study imagenhub", "text-to-image", digest(*tables), people, stored),
        replace(_bundle("study viescore", "text-to-image", digest(*files), scores, stored), texts=texts),
    ]
    _import(context, bundles, [people, scores])


def import_tia2(context: Context, folder: str) -> None:
    """TIA2's labels of three sets, and the printed share of fitting images of each prompt beside them."""
    root = context.folder(folder)
    study = read_tia2(root)
    files = [path for name in TIA2_SETS for path in sorted(root.glob(f"*_{name}.json"))]
    stored = _as_stored(context, study.ratings.prompts)
    bundle = _bundle("study tia2", "labels", digest(*files), study.ratings, stored)
    totals, evidence = [], []
    for prompt_id, share in study.printed.items():
        # a share of many images is about none of them
        item = Item(f"{prompt_id} (total of the prompt)", bundle.items[0].suite, prompt_id, stored[prompt_id].task)
        key = str(uuid.uuid5(_NAMESPACE, f"{bundle.sha256}/{item.item_id}"))
        totals.append(item)
        evidence.append(rating_evidence(key, item.item_id, TIA2_PRINTED, direct("score", None, share)))
    bundle = replace(
        bundle,
        items=[*bundle.items, *totals],
        raters=[*bundle.raters, Rater(TIA2_PRINTED, "consensus")],
        evidence=evidence,
        scales=[*bundle.scales, (bundle.items[0].suite, "score", SCALES["score"])],
    )
    _import(context, [bundle], [study.ratings])


def import_arena(context: Context, folder: str) -> None:
    """GenAI-Arena's votes on pairs whose generators are not named, and the judges' votes with their words."""
    files = sorted(context.folder(folder).glob("*_pairwise.jsonl"))
    if not files:
        raise CommandError(f"{folder}: no JUDGE_pairwise.jsonl in this folder")
    votes = read_arena(files)
    _import(context, [_arena_bundle(digest(*files), votes)], [StudyRatings((), (), excluded=votes.excluded)])


def _arena_bundle(sha256: str, votes: ArenaVotes) -> ImportBundle:
    slot = f"{ARENA_SUITE}/slot-1"
    annotations, evidence = [], []
    for vote in votes.votes:
        key, item_id = str(uuid.uuid5(_NAMESPACE, f"{sha256}/{vote.item.item_id}")), vote.item.item_id
        annotations.append(rating_answer(key, item_id, slot, direct("preference", vote.chose, None), vote.raw))
        for judge, view in vote.judged.items():
            rating = direct("preference", view.chose, None)
            if view.chose is None:
                rating = exported(_RULE, [Judgement("preference", None, None, reason="unreadable")])
            rating |= {"written": view.written, "marked": view.marked, "reasoning": view.response}
            evidence.append(rating_evidence(f"{key}/{judge}", item_id, judge, rating))
    return ImportBundle(
        "study arena",
        "votes",
        sha256,
        prompts=votes.prompts,
        items=[vote.item for vote in votes.votes],
        raters=[Rater(slot, "human", "slot"), *(Rater(name, "scorer") for name in votes.votes[0].judged)],
        scales=[(ARENA_SUITE, "preference", SCALES["preference"])],
        annotations=annotations,
        evidence=evidence,
        exclusive=True,
    )


def _import(context: Context, bundles: Sequence[ImportBundle], studies: Sequence[StudyRatings]) -> None:
    """Store them all or none, and say of each what it brings, and what it leaves out."""
    for bundle, study, imported in zip(bundles, studies, imports.apply(context.store, bundles), strict=True):
        _say(context, bundle, imported)
        _say_left_out(context, study)


def _file(context: Context, folder: str, name: str) -> Path:
    path = context.folder(folder) / name
    if not path.is_file():
        raise CommandError(f"{folder}: no {name} in this folder")
    return path


def _tables(context: Context, folder: str) -> list[Path]:
    tables = sorted(context.folder(folder).glob("Text-To-Image_*.tsv"))
    if not tables:
        raise CommandError(f"{folder}: no Text-To-Image_rater1.tsv and so on in this folder")
    return tables


def _as_stored(context: Context, prompts: Sequence[Prompt]) -> dict[str, Prompt]:
    """The prompts by id; one that the project has keeps its spec, as `rebuild` will derive by that one too."""
    by_id = {prompt.prompt_id: prompt for prompt in prompts}
    return by_id | library.prompts_by_id(context.store, list(by_id))


def _bundle(kind: str, name: str, sha256: str, study: StudyRatings, stored: dict[str, Prompt]) -> ImportBundle:
    annotations = [_annotation(f"{kind}/{name}/{sha256}/{n}", row, stored) for n, row in enumerate(study.rows)]
    evidence = [_evidence(f"{kind}/{name}/{sha256}/score/{n}", row) for n, row in enumerate(study.scores)]
    people = [Rater(name, "human", who) for name, who in dict.fromkeys((row.rater_id, row.identity) for row in study.rows)]
    scorers = [Rater(rater_id, "scorer") for rater_id in dict.fromkeys(e.rater_id for e in evidence)]
    suites = {item.suite for item in study.items}
    # only prompts that have images here: what two sources share stays when one of them is undone
    used = {image.prompt_id for image in study.images}
    judged = [*(a.judgements for a in annotations), *(e.judgements for e in evidence)]
    aspects = {judgement.aspect for judgements in judged for judgement in judgements}
    return ImportBundle(
        kind,
        name,
        sha256,
        prompts=[prompt for prompt in study.prompts if prompt.prompt_id in used],
        images=study.images,
        items=study.items,
        raters=[*people, *scorers],
        scales=[(suite, aspect, SCALES[aspect]) for suite in suites for aspect in aspects],
        annotations=annotations,
        evidence=evidence,
        exclusive=True,
    )


def _annotation(key: str, row: AnnotationRow, stored: dict[str, Prompt]) -> Annotation:
    prompt, source_id = stored[row.image.prompt_id], str(uuid.uuid5(_NAMESPACE, key))
    if prompt.suite != GENEVAL_SUITE:
        # these studies ask for the judgements themselves; GenEval's answers go through its rules
        answer = rating_answer(source_id, row.image.image_id, row.rater_id, _ratings(row), row.raw)
        return replace(answer, active_seconds=row.active_seconds)
    form, answers = form_of(geneval_authors.NAME), dict(row.answers)
    judgements = tuple(form.derive(FormItem(prompt.text, prompt.spec), answers))
    who = (source_id, row.image.image_id, row.rater_id)
    return Annotation(*who, form.name, answers, judgements, form.rule_version, raw=row.raw, active_seconds=row.active_seconds)


def _ratings(row: AnnotationRow) -> dict[str, Any]:
    """A row's ratings as an answer: each on its aspect's scale; what is off the scale stands there without a value."""
    ratings = [_rating(aspect, str(value)) for aspect, value in row.answers.items()]
    if len(ratings) == 1 and not row.off_scale:
        return ratings[0]
    judgements = [judgement for rating in ratings for judgement in rate(rating)[1]]
    judgements += [Judgement(aspect, None, None, reason=OFF_SCALE) for aspect in row.off_scale]
    return exported(_RULE, judgements) | ({OFF_SCALE: dict(row.off_scale)} if row.off_scale else {})


@lru_cache(maxsize=4096)
def _rating(aspect: str, text: str) -> dict[str, Any]:
    return direct(aspect, *converter(Scale.parse(SCALES[aspect]), aspect)(text))


def _evidence(key: str, row: ScoreRow) -> Evidence:
    payload = direct("score", None, row.value) | ({"reasoning": row.reasoning} if row.reasoning else {})
    return rating_evidence(str(uuid.uuid5(_NAMESPACE, key)), row.image.image_id, row.rater_id, payload)


def _say(context: Context, bundle: ImportBundle, imported: Imported) -> None:
    if not imported.counts:
        context.say(f"{bundle.kind} {bundle.name}: nothing to do, imported before as import {imported.import_id}")
        return
    counts = {
        "annotations": len(bundle.annotations),
        "images": len(bundle.images),
        "pairs": sum(item.kind == "pair" for item in bundle.items),
        "scores": len(bundle.evidence),
        "scorers": sum(rater.kind == "scorer" for rater in bundle.raters),
    }
    counts_text = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    context.say(f"{bundle.kind} {bundle.name}: {counts_text} (import {imported.import_id})")


def _say_left_out(context: Context, study: StudyRatings) -> None:
    """What has no value: ratings off their scale, one by one, and how many images or ratings have none."""
    context.warn(*(f"left out: {line}" for line in study.excluded[:_MOST_NAMED]))
    if len(study.excluded) > _MOST_NAMED:
        context.warn(f"left out: {len(study.excluded) - _MOST_NAMED} more such ratings")
    for name, count in study.missing_scores.items():
        if count:
            context.warn(f"{name}: {count} images have no value")
    for name, count in study.unanswered.items():
        context.warn(f'{name}: {count} labels say "no answer"; they are no ratings')
