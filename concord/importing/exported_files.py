"""``import exported``: what ``export`` wrote comes back: whole answers, judgements, ratings, with what they were about.

Answers are judged anew by the rules. Judgements come as they were, since what they were made from is not in the file. Ratings
(``import ratings`` without options) give the same numbers again.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from agreement import Scale, ScaleError
from annotation.questionnaires import geneval, geneval_authors
from concord.common import wording
from concord.common.context import CommandError, Context, digest, import_bundle, report_import
from concord.judging import DIRECT, converter, derive_source, direct, exported, rating_answer, rating_evidence
from data.aspects import SCALES, YES_NO_ASPECTS
from data.campaigns.settings import DEFAULT, Campaign
from data.export.formats import Columns
from data.export.rows import (
    ANSWER_COLUMNS,
    JUDGEMENT_COLUMNS,
    RATING_COLUMNS,
    SIMULATED,
    ExportedAnswer,
    ExportedJudgement,
    ExportedRating,
    read_rows,
)
from data.files import Consistency, InputError, fail, located, quoted
from data.records import Annotation, Evidence, Image, Item, Judgement, Prompt, Rater
from data.store import imports, library
from data.store.imports import ImportBundle, Imported, Reimport, ReimportedAnswer
from data.store.judgements.answer_status import Decision, Status
from data.store.judgements.recording import JudgedSource
from data.tables import TextTable, read_cells

_NAMESPACE = uuid.UUID("9a4a1d0e-3c1b-4d8e-9a39-51d1c8b5b7de")


@dataclass(frozen=True, slots=True)
class _Rating:
    """A row with its value as the scale has it; ``scale``: as it is stored."""

    row: ExportedRating
    scale: str
    label: str | None
    number: float | None


def import_exported_ratings(context: Context, path: Path, dry_run: bool = False) -> ImportBundle:
    """Add the file's ratings, all or nothing. The same ratings again, in whichever format, are the same import.

    Returns what they bring; with ``dry_run`` nothing is stored.
    """
    table = read_cells(path)
    if sorted(table.header) != sorted(RATING_COLUMNS):
        problem = f"this is not a file of 'export ratings' ({_other_header(table.header, RATING_COLUMNS)})"
        fail(path, 1, f"{problem}; for another table say what its columns are: --item --rater --value --aspect --scale")
    bundle, summary = ratings_bundle(context, table)
    import_bundle(context, bundle, summary, dry_run)
    return bundle


def ratings_bundle(context: Context, table: TextTable) -> tuple[ImportBundle, str]:
    """The file's ratings as an import, and what they are.

    Raises:
        CommandError: there are none in it.
        InputError: it is no such file.
    """
    position = table.header.index("value")
    valued = [record for record in table.records if record[1][position]]
    empty = len(table.records) - len(valued)
    same, ratings = Consistency(), list[_Rating]()

    def check(line: int, row: ExportedRating) -> None:
        try:
            ratings.append(_Rating(row, *_value(row)))
        except ValueError as error:
            raise ValueError(f"value is {quoted(row.value)}: {error}") from None
        described = {"suite": row.suite, "prompt": row.prompt, "task": row.task, "generator": row.generator}
        same.check(line, "item", row.item, described)
        same.check(line, "rater", row.rater, {"kind": row.kind, "identity": row.identity})
        same.check(line, f"aspect {quoted(row.aspect)} of suite", row.suite, {"scale": ratings[-1].scale})

    read_rows(replace(table, records=valued), ExportedRating, check)
    if not ratings:
        raise CommandError(f"{table.path}: no ratings in it ({empty} rows have no value)")
    # equal numbers fall as in the statistics: by the rater's name
    ratings.sort(key=lambda rating: (rating.row.seq, rating.row.rater))
    bundle = _bundle_ratings(context, ratings)
    parts = [wording.count(len(ratings), "rating"), wording.count(len(bundle.items), "item")]
    left = f", {empty} rows without a value skipped" if empty else ""
    return bundle, f"{' of '.join(parts)} by {wording.count(len(bundle.raters), 'rater')}{left}"


def _value(row: ExportedRating) -> tuple[str, str | None, float | None]:
    """The scale as it is stored, and the value's label and number."""
    parsed = Scale.parse(row.scale)
    label, number = converter(parsed, row.aspect)(row.value)
    # labels without order are compared letter by letter, so none may change on the way
    exact = parsed.kind == "nominal" and row.aspect not in YES_NO_ASPECTS
    return str(parsed), row.value if exact else label, number


def _bundle_ratings(context: Context, ratings: Sequence[_Rating]) -> ImportBundle:
    rows = [rating.row for rating in ratings]
    sha256 = digest(
        *(
            repr((
                r.suite, r.prompt, r.task, r.generator, r.item, r.rater, r.kind, None if r.kind == "scorer" else r.identity,
                r.aspect, r.target, rating.scale, rating.label, rating.number, r.seq,
            ))
            for rating in ratings
            for r in (rating.row,)
        )
    )  # fmt: skip
    suites = sorted({row.suite for row in rows})
    named = {suite: _Prompts(context, suite) for suite in suites}
    items = {r.item: Item(r.item, r.suite, named[r.suite].prompt_id(r.prompt, r.task), r.task, r.generator) for r in rows}
    sources = [
        (r.item, r.rater, r.kind == "scorer", direct(r.aspect, rating.label, rating.number, r.target))
        for rating in ratings
        for r in (rating.row,)
    ]
    annotations, evidence = rating_sources(_NAMESPACE, sha256, sources)
    return ImportBundle(
        "ratings",
        ", ".join(suites),
        sha256,
        prompts=[prompt for suite in suites for prompt in named[suite].new.values()],
        items=list(items.values()),
        raters=list({row.rater: _rater_of(row) for row in rows}.values()),
        scales=list(dict.fromkeys((rating.row.suite, rating.row.aspect, rating.scale) for rating in ratings)),
        annotations=annotations,
        evidence=evidence,
    )


def rating_sources(
    namespace: uuid.UUID, sha256: str, ratings: Iterable[tuple[str, str, bool, Mapping[str, Any]]]
) -> tuple[list[Annotation], list[Evidence]]:
    """The ratings of an import (by the hash of its content) as annotations and evidence, with their judgements.

    Each has an item, a rater, whether that is a scorer, and the rating as an answer or as evidence.
    """
    annotations: list[Annotation] = []
    evidence: list[Evidence] = []
    for n, (item_id, rater_id, by_scorer, rating) in enumerate(ratings):
        key = str(uuid.uuid5(namespace, f"{sha256}/{n}"))
        if by_scorer:
            evidence.append(rating_evidence(key, item_id, rater_id, rating))
        else:
            annotations.append(rating_answer(key, item_id, rater_id, rating))
    return annotations, evidence


def _rater_of(row: ExportedRating) -> Rater:
    if row.kind == "scorer":
        return Rater(row.rater, "scorer")
    return Rater(row.rater, "human", row.identity, simulated=row.kind == SIMULATED)


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
    answers = [_in_todays_words(answer) for answer in answers]
    try:
        stated, other_rules = _stated(answers)
        questions_by_version = {
            (answer.prompt, int((answer.shown or {})["questions"])): answer.questions
            for answer in answers
            if answer.questions and answer.prompt is not None
        }
        prompts = by_id(
            (Prompt(a.prompt, a.suite, a.prompt_text, a.task, a.prompt_spec or {}), a.prompt)
            for a in answers
            if a.prompt is not None and a.prompt_text is not None
        )
        # their places; the files stay where they are
        every = (Image(image.prompt, image.generator, image.index) for answer in answers for image in answer.images)
        answer_raters = by_id((Rater(a.rater, "human", a.identity, simulated=a.simulated), a.rater) for a in answers)
        campaigns = {a.campaign: a.campaign_made for a in answers if a.campaign and a.campaign != DEFAULT and a.campaign_made}
        bundle = ImportBundle(
            "annotations",
            ", ".join(sorted({answer.suite for answer in answers})),
            digest(*(json.dumps(_content(answer), default=str, sort_keys=True) for answer in answers)),
            prompts=prompts,
            images=list({image.image_id: image for image in every}.values()),
            items=_items(answers),
            raters=answer_raters,
            scales=_scales(answers, stated),
            returned=Reimport(
                answers=stated,
                campaigns=[
                    Campaign(
                        campaign_id,
                        campaign.title or campaign_id,
                        campaign.questionnaire,
                        campaign.overlap,
                        version=campaign.version,
                        definition=campaign.definition,
                        seed=campaign.seed or 0,
                        state="stopped",
                        stratum=bool(campaign.stratum),
                    )
                    for campaign_id, campaign in campaigns.items()
                ],
                asked=questions_by_version,
                members={a.item: [image.image for image in a.images] for a in answers if a.item_kind != "image"},
                pictures={image.image: image.sha256 for a in answers for image in a.images if image.sha256 is not None},
            ),
        )
    except (KeyError, TypeError) as error:
        raise CommandError(f"{path}: the subject of an answer was changed: {error}") from error
    return bundle, other_rules


def _in_todays_words(answer: ExportedAnswer) -> ExportedAnswer:
    """Return an answer under the questionnaire's name of today: GenEval's released answers (slots) had that of our form."""
    released = answer.questionnaire == geneval.NAME and answer.identity == "slot"
    return replace(answer, questionnaire=geneval_authors.NAME) if released else answer


def _stated(answers: Sequence[ExportedAnswer]) -> tuple[list[ReimportedAnswer], Counter[str]]:
    superseded = {answer.revises for answer in answers}
    stated: list[ReimportedAnswer] = []
    other_rules: Counter[str] = Counter()
    for answer in answers:
        rule, judgements = _judgements_of_answer(answer)
        latest = answer.annotation_id not in superseded
        if latest and answer.rule_version not in (None, rule):
            other_rules[str(answer.rule_version)] += 1
        decision = Decision(answer.status, answer.passed, answer.selected, answer.status_before)
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
    source = JudgedSource(
        answer.item,
        answer.item_kind,
        answer.prompt_spec,
        answer.questionnaire,
        answer.campaign_made.definition if answer.campaign_made else None,
        answer.answers,
        answer.shown,
        members=tuple(image.image for image in answer.images) if several else (),
        generators=tuple(image.generator for image in answer.images) if several else (),
        questions=answer.questions,
    )
    try:
        return derive_source(source)
    except (ValueError, KeyError, TypeError) as error:
        raise CommandError(f"answer {answer.annotation_id} ({answer.item!r}) cannot be judged: {error}") from error


def _content(answer: ExportedAnswer) -> dict[str, Any]:
    """What makes a file another import."""
    content = asdict(answer)
    # follows from the campaign
    content.pop("questionnaire_version")
    return content


def by_id(pairs: Iterable[tuple[T, str]]) -> list[T]:
    """Each thing once, by its id, which must mean the same on every line."""
    known: dict[str, T] = {}
    for record, name in pairs:
        if known.setdefault(name, record) != record:
            raise CommandError(
                f"{quoted(name)} means two different things in this file: {quoted(known[name], 180)} and {quoted(record, 180)}"
            )
    return list(known.values())


def _items(answers: Sequence[ExportedAnswer]) -> list[Item]:
    """The items that the answers are about, and of pairs and groups those of their images, too."""
    own = by_id((Item(a.item, a.suite, a.prompt, a.task, a.generator, a.item_kind), a.item) for a in answers)
    items = {item.item_id: item for item in own}
    for a in answers:
        for image in a.images if a.item_kind != "image" else ():
            items.setdefault(image.image, Item(image.image, a.suite, image.prompt, a.task, image.generator))
    return list(items.values())


def _scales(answers: Sequence[ExportedAnswer], stated: Sequence[ReimportedAnswer]) -> list[tuple[str, str, str]]:
    by_aspect: dict[tuple[str, str], str] = {}
    for answer, reimported_answer in zip(answers, stated, strict=True):
        for judgement in reimported_answer.annotation.judgements:
            scale = answer.scales.get(judgement.aspect) or SCALES.get(judgement.aspect)
            if scale is None:
                raise CommandError(f"answer {answer.annotation_id}: the file does not say the scale of {judgement.aspect!r}")
            try:
                by_aspect.setdefault((answer.suite, judgement.aspect), str(Scale.parse(scale)))
            except ScaleError as error:
                raise CommandError(f"answer {answer.annotation_id}: {error}") from error
    return [(suite, aspect, scale) for (suite, aspect), scale in by_aspect.items()]


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
    scales = {(judgement.suite, judgement.aspect, judgement.scale): _on_its_scale(path, judgement) for judgement in judged}
    sources: dict[str, list[ExportedJudgement]] = {}
    for judgement in judged:
        sources.setdefault(judgement.source_id, []).append(judgement)
    for source_id, rows in sources.items():
        if len({(row.rater, row.kind) for row in rows}) > 1:
            raise CommandError(f"{path}: source {source_id} is by two raters")
    people = [_answer(source_id, rows) for source_id, rows in sources.items() if rows[0].kind == "human"]
    scorers = [_evidence(source_id, rows) for source_id, rows in sources.items() if rows[0].kind == "scorer"]
    judgement_raters = by_id(
        (Rater(a.rater, a.kind, None if a.kind == "scorer" else a.identity, simulated=a.simulated), a.rater) for a in judged
    )
    return ImportBundle(
        "judgements",
        ", ".join(sorted({judgement.suite for judgement in judged})),
        digest(*(json.dumps(asdict(judgement), default=str, sort_keys=True) for judgement in judged)),
        items=by_id(
            (Item(judgement.item, judgement.suite, judgement.prompt, judgement.task, judgement.generator), judgement.item)
            for judgement in judged
        ),
        raters=judgement_raters,
        scales=list(dict.fromkeys((suite, aspect, scale) for (suite, aspect, _), scale in scales.items())),
        returned=Reimport(answers=people, evidence=scorers),
    )


def _on_its_scale(path: Path, judgement: ExportedJudgement) -> str:
    """The scale as it is stored. A judgement that is not on it would be in the way of every statistic."""
    try:
        scale = Scale.parse(judgement.scale)
        if judgement.label is not None and scale.kind != "interval":
            scale.read(judgement.label)
        elif scale.kind == "interval" and judgement.label is not None:
            raise ScaleError(f"a judgement on the scale interval has a value and no label, not {quoted(judgement.label)}")
        elif scale.kind != "interval" and judgement.value is not None:
            raise ScaleError(f"a judgement on the scale {quoted(judgement.scale)} has a label beside its value")
    except ScaleError as error:
        raise CommandError(f"{path}: {quoted(judgement.aspect)} of item {quoted(judgement.item)}: {error}") from error
    return str(scale)


def _answer(source_id: str, rows: Sequence[ExportedJudgement]) -> ReimportedAnswer:
    first = rows[0]
    judgements = _judgements(rows)
    reasons = {row.excluded for row in rows}
    status = next((reason for reason in _STATUSES if reason in reasons), "valid")
    annotation = Annotation(
        source_id,
        first.item,
        first.rater,
        DIRECT,
        exported(first.rule_version, judgements),
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
    payload = exported(first.rule_version, judgements)
    return Evidence(source_id, first.item, first.rater, payload, judgements, first.rule_version)


def _judgements(rows: Sequence[ExportedJudgement]) -> tuple[Judgement, ...]:
    return tuple(
        Judgement(
            row.aspect,
            row.label,
            row.value,
            row.target,
            row.excluded if row.label is None and row.value is None and row.excluded not in _OTHER else None,
            None if row.item == rows[0].item else row.item,
        )
        for row in rows
    )


_COLUMNS: Final[Mapping[str, Columns]] = {
    "annotations": ANSWER_COLUMNS,
    "judgements": JUDGEMENT_COLUMNS,
    "ratings": RATING_COLUMNS,
}


def import_exported(context: Context, files: Sequence[str]) -> None:
    """Add the files' contents, all or nothing. Answers come before judgements, which then add only what is not there."""
    tables = [read_cells(context.file(file)) for file in files]
    sorted_tables = sorted(((_kind(table), table) for table in tables), key=lambda pair: list(_COLUMNS).index(pair[0]))
    bundles = [_bundle_file(context, kind, table) for kind, table in sorted_tables]
    for (kind, table), bundle, imported in zip(sorted_tables, bundles, imports.apply(context.store, bundles), strict=True):
        report_import(context, f"{table.path.name}: {_summary(kind, bundle, imported)}", imported)


def _kind(table: TextTable) -> str:
    for kind, columns in _COLUMNS.items():
        if sorted(table.header) == sorted(columns):
            return kind
    near = max(_COLUMNS, key=lambda kind: len({*_COLUMNS[kind]} & {*table.header}))
    problem = "this is not a file of 'export annotations', 'export judgements' or 'export ratings'"
    why = f"(for {near} it {_other_header(table.header, _COLUMNS[near])}); 'import ratings' reads other tables"
    raise InputError(located(table.path, 1, f"{problem} {why}"))


def _other_header(header: Sequence[str], columns: Columns) -> str:
    """How a header differs from these columns."""
    missing = [quoted(name) for name in columns if name not in header]
    return f"has no column {', '.join(missing[:5])}" if missing else "has other columns too, or one twice"


def _bundle_file(context: Context, kind: str, table: TextTable) -> ImportBundle:
    path = table.path
    if kind == "ratings":
        return ratings_bundle(context, table)[0]
    if kind == "judgements":
        return judgements_bundle(path, sorted(read_rows(table, ExportedJudgement), key=lambda judgement: judgement.seq))
    # in the order in which they were given; equal numbers are a chain, which the file has in its order
    answers = sorted(read_rows(table, ExportedAnswer), key=lambda answer: answer.seq)
    bundle, other_rules = answers_bundle(path, answers)
    for rule, n in other_rules.items():
        context.warn(f"{path.name}: {wording.count(n, 'answer')} judged by {rule} before; this Concord's rules judge them now")
    return bundle


def _summary(kind: str, bundle: ImportBundle, imported: Imported) -> str:
    counts = imported.counts
    n_answers, n_evidence, n_campaigns = (counts.get(table, 0) for table in ("annotations", "evidence", "campaigns"))
    new = [wording.count(n_answers, "answer")]
    if kind != "annotations":
        new.append(f"{n_evidence:,} of scorers")
    if n_campaigns:
        new.append(wording.count(n_campaigns, "campaign"))
    returned = bundle.returned
    n_sources = 0 if returned is None else len(returned.answers) + len(returned.evidence)
    there = n_sources - n_answers - n_evidence
    return ", ".join(new) + (f" ({there:,} were here already)" if there > 0 and counts else "")
