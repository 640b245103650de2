"""The judgements of ``export judgements`` as an import: as they were, since what they were made from is not in the file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final, cast

from agreement import Scale, ScaleError
from annotation.questionnaires import direct
from data.export.judgements import ExportedJudgement
from data.files import quoted
from data.records import Annotation, Evidence, Identity, Item, Judgement, Rater, RaterKind
from data.store.imports import ImportBundle, Reimport, ReimportedAnswer
from data.store.judgements.answer_status import Decision, Status
from ui.commands.context import CommandError, digest
from ui.commands.returning_answers import each

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
    return ImportBundle(
        "judgements",
        ", ".join(sorted({one.suite for one in judged})),
        digest(*(json.dumps(asdict(one), default=str, sort_keys=True) for one in judged)),
        items=each((Item(one.item, one.suite, one.prompt, one.task, one.generator), one.item) for one in judged),
        raters=_raters(judged),
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
        direct.NAME,
        direct.exported(first.rule_version, judgements),
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
    payload = direct.exported(first.rule_version, judgements)
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


def _raters(judged: Iterable[ExportedJudgement]) -> list[Rater]:
    return each(
        (Rater(one.rater, cast(RaterKind, one.kind), cast("Identity | None", one.identity), simulated=one.simulated), one.rater)
        for one in judged
    )
