"""``import exported``: what ``export`` wrote comes back: whole answers, judgements, ratings, with what they were about.

Answers are judged anew by the rules. Judgements come as they were, since what they were made from is not in the file. Ratings
(``import ratings`` without options) give the same numbers again.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from agreement import Scale, ScaleError
from annotation.questionnaires import direct as questionnaires_direct
from concord.common import wording
from concord.common.context import CommandError, Context, digest, report_import
from concord.judging import DIRECT, converter, derive_source, direct, rate
from data.aspects import SCALES, YES_NO_ASPECTS
from data.campaign import Campaign
from data.export import answers, ratings
from data.export import answers as whole
from data.export.answers import ExportedAnswer, ExportedJudgement
from data.export.formats import Columns, has_columns
from data.export.ratings import SIMULATED, ExportedRating, read_exported_ratings
from data.files import InputError, located, quoted
from data.prompts.questions import PromptQuestion, question_from_json
from data.records import Annotation, Evidence, Identity, Image, Item, Judgement, Prompt, Rater, RaterKind
from data.store import imports, library
from data.store.core.campaign_items import DEFAULT
from data.store.imports import ImportBundle, Imported, Reimport, ReimportedAnswer
from data.store.judgements.answer_status import Decision, Status
from data.tables import Cells, read_cells

_NAMESPACE = uuid.UUID("9a4a1d0e-3c1b-4d8e-9a39-51d1c8b5b7de")


def import_exported_ratings(context: Context, path: Path) -> None:
    """Add the file's ratings, all or nothing. The same ratings again, in whichever format, are the same import."""
    bundle, summary = ratings_bundle(context, path)
    (imported,) = imports.apply(context.store, [bundle])
    report_import(context, summary, imported)


def ratings_bundle(context: Context, path: Path) -> tuple[ImportBundle, str]:
    """The file's ratings as an import, and what they are.

    Raises:
        CommandError: there are none in it.
        InputError: it is no such file.
    """
    found = read_exported_ratings(path, _check_value)
    if not found.rows:
        raise CommandError(f"{path}: no ratings in it ({found.empty} rows have no value)")
    bundle = _bundle_ratings(context, found.rows)
    what = [wording.count(len(found.rows), "rating"), wording.count(len(bundle.items), "item")]
    left = f", {found.empty} rows without a value skipped" if found.empty else ""
    return bundle, f"{' of '.join(what)} by {wording.count(len(bundle.raters), 'rater')}{left}"


def _check_value(scale: str, aspect: str, value: str) -> tuple[str, str | None, float | None]:
    parsed = Scale.parse(scale)
    label, number = converter(parsed, aspect)(value)
    # labels without order are compared letter by letter, so none may change on the way
    exact = parsed.kind == "nominal" and aspect not in YES_NO_ASPECTS
    return str(parsed), value if exact else label, number


def _bundle_ratings(context: Context, ratings: Sequence[ExportedRating]) -> ImportBundle:
    # all but the line where it stood
    content = [name for name in ExportedRating.__slots__ if name != "line"]
    sha256 = digest(*(repr(tuple(getattr(rating, name) for name in content)) for rating in ratings))
    suites = sorted({rating.suite for rating in ratings})
    named = {suite: _Prompts(context, suite) for suite in suites}
    items = {r.item: Item(r.item, r.suite, named[r.suite].prompt_id(r.prompt, r.task), r.task, r.generator) for r in ratings}
    annotations, evidence = _sources_of(ratings, sha256)
    return ImportBundle(
        "ratings",
        ", ".join(suites),
        sha256,
        prompts=[prompt for suite in suites for prompt in named[suite].new.values()],
        items=list(items.values()),
        raters=list({rating.rater: _rater_of(rating) for rating in ratings}.values()),
        scales=list(dict.fromkeys((rating.suite, rating.aspect, rating.scale) for rating in ratings)),
        annotations=annotations,
        evidence=evidence,
    )


def _sources_of(ratings: Iterable[ExportedRating], sha256: str) -> tuple[list[Annotation], list[Evidence]]:
    annotations: list[Annotation] = []
    evidence: list[Evidence] = []
    for n, rating in enumerate(ratings):
        source_id = str(uuid.uuid5(_NAMESPACE, f"{sha256}/{n}"))
        said = direct(rating.aspect, rating.label, rating.number, rating.target)
        if rating.kind == "scorer":
            version, judgements = rate(said)
            evidence.append(Evidence(source_id, rating.item, rating.rater, said, judgements, version))
        else:
            version, judgements = rate(said)
            annotations.append(Annotation(source_id, rating.item, rating.rater, DIRECT, said, judgements, version))
    return annotations, evidence


def _rater_of(rating: ExportedRating) -> Rater:
    if rating.kind == "scorer":
        return Rater(rating.rater, "scorer")
    identity: Identity = "slot" if rating.identity == "slot" else "person"
    return Rater(rating.rater, "human", identity, simulated=rating.kind == SIMULATED)


class _Prompts:
    """A suite's prompts, by the file's word for them: an id as Concord writes it, or else a text of its own."""

    def __init__(self, context: Context, suite: str) -> None:
        self._suite = suite
        self._ids = {prompt.text: prompt.prompt_id for prompt in reversed(library.prompts_of_suite(context.store, suite))}
        self.new: dict[str, Prompt] = {}

    def prompt_id(self, word: str | None, task: str | None) -> str | None:
        # the text of an id that the project does not know is unknown, and comes with its prompts
        if word is None or word.startswith(f"{self._suite}/"):
            return word
        if word in self._ids:
            return self._ids[word]
        return self.new.setdefault(word, Prompt(f"{self._suite}/{word}", self._suite, word, task)).prompt_id


T = TypeVar("T")


def answers_bundle(path: Path, answers: Sequence[ExportedAnswer]) -> tuple[ImportBundle, Counter[str]]:
    """The import, and how many answers were judged by which rule that is another one now.

    Raises:
        CommandError: there is nothing in the file, or something in it cannot be judged.
    """
    if not answers:
        raise CommandError(f"{path}: no answers in it")
    often, times = Counter(answer.annotation_id for answer in answers).most_common(1)[0]
    if times > 1:
        raise CommandError(
            f"{path}: the answer {quoted(often)} stands in it {times} times; each answer needs its own annotation_id"
        )
    try:
        stated, other_rules = _stated(answers)
        questions_by_version = {
            (answer.prompt, int((answer.shown or {})["questions"])): _questions(answer)
            for answer in answers
            if answer.questions and answer.prompt is not None
        }
        prompts = by_id(
            (Prompt(a.prompt, a.suite, a.prompt_text, a.task, a.prompt_spec or {}), a.prompt)
            for a in answers
            if a.prompt is not None and a.prompt_text is not None
        )
        # their places; the files stay where they are
        every = (Image(str(o["prompt"]), str(o["generator"]), int(o["index"])) for images in answers for o in images.images)
        answer_raters = by_id(
            (Rater(a.rater, "human", cast(Identity, a.identity), simulated=a.simulated), a.rater) for a in answers
        )
        campaigns = {a.campaign: a.campaign_made for a in answers if a.campaign not in (None, DEFAULT) and a.campaign_made}
        bundle = ImportBundle(
            "annotations",
            ", ".join(sorted({answer.suite for answer in answers})),
            digest(*(json.dumps(asdict(answer), default=str, sort_keys=True) for answer in answers)),
            prompts=prompts,
            images=list({image.image_id: image for image in every}.values()),
            items=_items(answers),
            raters=answer_raters,
            scales=_scales(answers, stated),
            returned=Reimport(
                answers=stated,
                campaigns=[
                    Campaign(
                        str(campaign_id),
                        str(one["title"] or campaign_id),
                        str(one["questionnaire"]),
                        int(one["overlap"]),
                        version=one.get("version"),
                        definition=one.get("definition"),
                        seed=int(one.get("seed") or 0),
                        state="stopped",
                        stratum=bool(one.get("stratum")),
                    )
                    for campaign_id, one in campaigns.items()
                ],
                asked=questions_by_version,
                members={a.item: [str(one["image"]) for one in a.images] for a in answers if a.item_kind != "image"},
                pictures={
                    str(one["image"]): str(one["sha256"]) for a in answers for one in a.images if one.get("sha256") is not None
                },
            ),
        )
    except (KeyError, TypeError) as error:
        raise CommandError(f"{path}: the subject of an answer was changed: {error}") from error
    return bundle, other_rules


def _stated(answers: Sequence[ExportedAnswer]) -> tuple[list[ReimportedAnswer], Counter[str]]:
    superseded = {answer.revises for answer in answers}
    stated: list[ReimportedAnswer] = []
    other_rules: Counter[str] = Counter()
    for answer in answers:
        rule, judgements = _judgements_of_answer(answer)
        latest = answer.annotation_id not in superseded
        if latest and answer.rule_version not in (None, rule):
            other_rules[str(answer.rule_version)] += 1
        decision = Decision(
            cast(Status, answer.status), answer.passed, answer.selected, cast("Status | None", answer.status_before)
        )
        annotation = Annotation(
            answer.annotation_id,
            answer.item,
            answer.rater,
            answer.questionnaire,
            answer.answers,
            tuple(judgements) if latest else (),
            rule,
            campaign_id=answer.campaign,
            raw=answer.shown,
            started=answer.started,
            active_seconds=answer.active_seconds,
            saw_evidence=answer.saw_evidence,
            revises=answer.revises,
        )
        stated.append(ReimportedAnswer(annotation, answer.first or answer.annotation_id, decision, answer.submitted))
    return stated, other_rules


def _judgements_of_answer(answer: ExportedAnswer) -> tuple[str, Sequence[Judgement]]:
    """The rule, and what follows from an answer by it: the same as when the project is rebuilt."""
    several = answer.item_kind != "image"
    source: dict[str, Any] = {
        "scorer": None,
        "item_id": answer.item,
        "questionnaire": answer.questionnaire,
        "definition": (answer.campaign_made or {}).get("definition"),
        "answers": answer.answers,
        "raw": answer.shown,
        "payload": None,
        "spec": answer.prompt_spec,
        "members": [str(one["image"]) for one in answer.images] if several else [],
        "generators": [str(one["generator"]) for one in answer.images] if several else [],
        "questions": _questions(answer),
    }
    try:
        return derive_source(source)
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(f"answer {answer.annotation_id} ({answer.item!r}) cannot be judged: {error}") from error


def _questions(answer: ExportedAnswer) -> tuple[PromptQuestion, ...]:
    return tuple(question_from_json(one) for one in answer.questions)


def by_id(found: Iterable[tuple[T, str]]) -> list[T]:
    """Each thing once, by its id, which must mean the same on every line."""
    known: dict[str, T] = {}
    for one, name in found:
        if known.setdefault(name, one) != one:
            raise CommandError(
                f"{quoted(name)} means two different things in this file: {quoted(known[name], 180)} and {quoted(one, 180)}"
            )
    return list(known.values())


def _items(answers: Sequence[ExportedAnswer]) -> list[Item]:
    """The items that the answers are about, and of pairs and groups those of their images, too."""
    own = by_id((Item(a.item, a.suite, a.prompt, a.task, a.generator, cast(Any, a.item_kind)), a.item) for a in answers)
    found = {item.item_id: item for item in own}
    for a in answers:
        for one in a.images if a.item_kind != "image" else ():
            image_id = str(one["image"])
            found.setdefault(image_id, Item(image_id, a.suite, str(one["prompt"]), a.task, str(one["generator"])))
    return list(found.values())


def _scales(answers: Sequence[ExportedAnswer], stated: Sequence[ReimportedAnswer]) -> list[tuple[str, str, str]]:
    found: dict[tuple[str, str], str] = {}
    for answer, one in zip(answers, stated, strict=True):
        for judgement in one.annotation.judgements:
            scale = answer.scales.get(judgement.aspect) or SCALES.get(judgement.aspect)
            if scale is None:
                raise CommandError(f"answer {answer.annotation_id}: the file does not say the scale of {judgement.aspect!r}")
            try:
                found.setdefault((answer.suite, judgement.aspect), str(Scale.parse(str(scale))))
            except ScaleError as error:
                raise CommandError(f"answer {answer.annotation_id}: {error}") from error
    return [(suite, aspect, scale) for (suite, aspect), scale in found.items()]


_STATUSES: Final = ("surplus", "gold", "training")
_OTHER: Final = (*_STATUSES, "saw_evidence", "selected", "repeat")
"""Reasons that are about the answer, and not about what it says."""


def judgements_bundle(path: Path, judged: Sequence[ExportedJudgement]) -> ImportBundle:
    """The import: each source (a person's answer, a scorer's evidence) has the judgements that the file has of it.

    Raises:
        CommandError: there is nothing in the file, a source is by two raters, or a value is not on its scale.
    """
    if not judged:
        raise CommandError(f"{path}: no judgements in it")
    scales = {(one.suite, one.aspect, one.scale): _on_its_scale(path, one) for one in judged}
    sources: dict[str, list[ExportedJudgement]] = {}
    for one in judged:
        sources.setdefault(one.source_id, []).append(one)
    for source_id, rows in sources.items():
        if len({(one.rater, one.kind) for one in rows}) > 1:
            raise CommandError(f"{path}: source {source_id} is by two raters")
    people = [_answer(source_id, rows) for source_id, rows in sources.items() if rows[0].kind == "human"]
    scorers = [_evidence(source_id, rows) for source_id, rows in sources.items() if rows[0].kind == "scorer"]
    judgement_raters = by_id(
        (Rater(one.rater, cast(RaterKind, one.kind), cast("Identity | None", one.identity), simulated=one.simulated), one.rater)
        for one in judged
    )
    return ImportBundle(
        "judgements",
        ", ".join(sorted({one.suite for one in judged})),
        digest(*(json.dumps(asdict(one), default=str, sort_keys=True) for one in judged)),
        items=by_id((Item(one.item, one.suite, one.prompt, one.task, one.generator), one.item) for one in judged),
        raters=judgement_raters,
        scales=list(dict.fromkeys((suite, aspect, scale) for (suite, aspect, _), scale in scales.items())),
        returned=Reimport(answers=people, evidence=scorers),
    )


def _on_its_scale(path: Path, one: ExportedJudgement) -> str:
    """The scale as it is stored. A judgement that is not on it would be in the way of every statistic."""
    try:
        scale = Scale.parse(one.scale)
        if one.label is not None and scale.kind != "interval":
            scale.read(one.label)
        elif scale.kind == "interval" and one.label is not None:
            raise ScaleError(f"a judgement on the scale interval has a value and no label, not {quoted(one.label)}")
        elif scale.kind != "interval" and one.value is not None:
            raise ScaleError(f"a judgement on the scale {quoted(one.scale)} has a label beside its value")
    except ScaleError as error:
        raise CommandError(f"{path}: {quoted(one.aspect)} of item {quoted(one.item)}: {error}") from error
    return str(scale)


def _answer(source_id: str, rows: Sequence[ExportedJudgement]) -> ReimportedAnswer:
    first = rows[0]
    judgements = _judgements(rows)
    reasons = {one.excluded for one in rows}
    status = next((reason for reason in _STATUSES if reason in reasons), "valid")
    annotation = Annotation(
        source_id,
        first.item,
        first.rater,
        questionnaires_direct.NAME,
        questionnaires_direct.exported(first.rule_version, judgements),
        judgements,
        first.rule_version,
        campaign_id=first.campaign,
        saw_evidence="saw_evidence" in reasons,
    )
    return ReimportedAnswer(
        annotation, source_id, Decision(cast(Status, status), selected="selected" in reasons), first.submitted
    )


def _evidence(source_id: str, rows: Sequence[ExportedJudgement]) -> Evidence:
    first, judgements = rows[0], _judgements(rows)
    payload = questionnaires_direct.exported(first.rule_version, judgements)
    return Evidence(source_id, first.item, first.rater, payload, judgements, first.rule_version)


def _judgements(rows: Sequence[ExportedJudgement]) -> tuple[Judgement, ...]:
    return tuple(
        Judgement(
            one.aspect,
            one.label,
            one.value,
            one.target,
            one.excluded if one.label is None and one.value is None and one.excluded not in _OTHER else None,
            None if one.item == rows[0].item else one.item,
        )
        for one in rows
    )


def import_exported(context: Context, files: Sequence[str]) -> None:
    """Add the files' contents, all or nothing. Answers come before judgements, which then add only what is not there."""
    paths = [context.file(file) for file in files]
    found = [(kind, path, cells) for path in paths for kind, cells in [_kind(path)]]
    found.sort(key=lambda one: list(_KINDS).index(one[0]))
    bundles = [_bundle_file(context, kind, path, cells) for kind, path, cells in found]
    for (kind, path, _), bundle, imported in zip(found, bundles, imports.apply(context.store, bundles), strict=True):
        report_import(context, f"{path.name}: {_summary(kind, bundle, imported)}", imported)


_KINDS: Mapping[str, Columns] = {
    "annotations": whole.ANSWER_COLUMNS,
    "judgements": answers.JUDGEMENT_COLUMNS,
    "ratings": ratings.RATING_COLUMNS,
}


def _kind(path: Path) -> tuple[str, Cells]:
    cells = read_cells(path)
    for kind, columns in _KINDS.items():
        if has_columns(cells, columns):
            return kind, cells
    near = max(_KINDS, key=lambda kind: len({*_KINDS[kind]} & {*cells.header}))
    missing = [name for name in _KINDS[near] if name not in cells.header]
    what = f"has no column {', '.join(missing[:5])}" if missing else "has other columns too, or one twice"
    raise InputError(
        located(
            path,
            1,
            f"this is not a file of 'export annotations', 'export judgements' or 'export ratings' (for {near} it {what});"
            " 'import ratings' reads other tables",
        )
    )


def _bundle_file(context: Context, kind: str, path: Path, cells: Cells) -> ImportBundle:
    if kind == "ratings":
        return ratings_bundle(context, path)[0]
    if kind == "judgements":
        return judgements_bundle(path, answers.read_judgements(path, cells))
    bundle, other_rules = answers_bundle(path, whole.read_answers(path, cells))
    for rule, n in other_rules.items():
        context.warn(f"{path.name}: {wording.count(n, 'answer')} judged by {rule} before; this Concord's rules judge them now")
    return bundle


def _summary(kind: str, bundle: ImportBundle, imported: Imported) -> str:
    counts = imported.counts
    new = [wording.count(counts.get("annotations", 0), "answer")]
    if kind != "annotations":
        new.append(f"{counts.get('evidence', 0):,} of scorers")
    if counts.get("campaigns"):
        new.append(wording.count(counts["campaigns"], "campaign"))
    returned = bundle.returned
    given = 0 if returned is None else len(returned.answers) + len(returned.evidence)
    there = given - counts.get("annotations", 0) - counts.get("evidence", 0)
    return ", ".join(new) + (f" ({there:,} were here already)" if there > 0 and counts else "")
