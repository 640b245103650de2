"""The files of `export annotations` and `export judgements`.

Annotations: one row, one person's whole answer for one item, with all that judging it again takes. Judgements: one row, one
judgement, those that do not count too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from data.export.formats import Columns, TypedRow, read_typed_rows
from data.files import quoted
from data.tables import Cells

ANSWER_COLUMNS: Final[Columns] = {
    "annotation_id": "text",
    "suite": "text",
    "prompt": "text",
    "task": "text",
    "generator": "text",
    "item": "text",
    "item_kind": "text",
    "rater": "text",
    "identity": "text",
    "simulated": "truth",
    "campaign": "text",
    "questionnaire": "text",
    "questionnaire_version": "text",
    "rule_version": "text",
    "answers": "json",
    "shown": "json",
    "started": "moment",
    "submitted": "moment",
    "active_seconds": "real",
    "saw_evidence": "truth",
    "status": "text",
    "passed": "truth",
    "selected": "truth",
    "status_before": "text",
    "revises": "text",
    "first": "text",
    "seq": "whole",
    "scales": "json",
    "prompt_text": "text",
    "prompt_spec": "json",
    "questions": "json",
    "images": "json",
    "campaign_made": "json",
}

_STATUSES: Final = ("valid", "surplus", "gold", "training")
_KINDS: Final = ("image", "pair", "group")


_NONE: Final = type(None)
_QUESTION: Final = dict.fromkeys(("question_id", "text", "answer", "element_type", "element"), (str,)) | {
    "choices": (list,),
    # what older files lack
    "parents": (list, _NONE),
}
_IMAGE: Final = {"image": (str,), "prompt": (str,), "generator": (str,), "index": (int,), "sha256": (str, _NONE)}
_CAMPAIGN: Final = {
    "title": (str, _NONE), "questionnaire": (str,), "overlap": (int,), "version": (str, _NONE), "definition": (str, _NONE),
    "seed": (int, _NONE), "stratum": (bool, _NONE),
}  # fmt: skip
_NAMES: Final[Mapping[type, str]] = {str: "a text", int: "a whole number", list: "a list of texts", bool: "true or false"}
_LARGEST: Final = 2**31 - 1
_LARGEST_SEED: Final = 2**63 - 1


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """One row, as ``COLUMNS`` names its cells; empty cells are None."""

    annotation_id: str
    suite: str
    prompt: str | None
    task: str | None
    generator: str | None
    item: str
    item_kind: str
    rater: str
    identity: str
    simulated: bool
    campaign: str | None
    questionnaire: str
    rule_version: str | None
    answers: Mapping[str, Any]
    shown: Mapping[str, Any] | None
    started: datetime | None
    submitted: datetime | None
    active_seconds: float | None
    saw_evidence: bool
    status: str
    passed: bool | None
    selected: bool
    status_before: str | None
    revises: str | None
    first: str | None
    seq: int
    scales: Mapping[str, str]
    prompt_text: str | None
    prompt_spec: Mapping[str, Any] | None
    questions: Sequence[Mapping[str, Any]]
    images: Sequence[Mapping[str, Any]]
    campaign_made: Mapping[str, Any] | None


def read_answers(path: Path, cells: Cells) -> list[ExportedAnswer]:
    """The answers of a file in the order in which they were given; a revision follows what it revises.

    Raises:
        InputError: a cell is not what its column holds.
    """
    # equal numbers are a chain, which the file has in its order
    return sorted(read_typed_rows(path, cells, _answer), key=lambda answer: answer.seq)


def _each(row: TypedRow, column: str, wanted: Mapping[str, tuple[type, ...]]) -> Sequence[Mapping[str, Any]]:
    """The objects of a JSON array, each with what must stand there."""
    found = row.json(column, list) or []
    for one in found:
        _check(column, one, wanted)
    return found


def _campaign_made(row: TypedRow) -> Mapping[str, Any] | None:
    found = row.json("campaign_made", dict)
    if found is not None:
        _check("campaign_made", found, _CAMPAIGN)
    return found


def _check(column: str, one: Any, wanted: Mapping[str, tuple[type, ...]]) -> None:
    if not isinstance(one, dict):
        raise ValueError(f"{column} holds {quoted(one)}, a JSON object expected")
    for name, kinds in wanted.items():
        said = one.get(name)
        if isinstance(said, list):
            fits = list in kinds and all(isinstance(part, str) for part in said)
        else:
            fits = isinstance(said, kinds) and (not isinstance(said, bool) or bool in kinds)
        if not fits or (isinstance(said, int) and abs(said) > (_LARGEST_SEED if name == "seed" else _LARGEST)):
            raise ValueError(f"{column}: {quoted(name)} is {quoted(said)}, {_NAMES[kinds[0]]} expected")


def _answer(row: TypedRow) -> ExportedAnswer:
    answers = row.json("answers", dict)
    if answers is None:
        raise ValueError("column 'answers' is empty; every row has them")
    return ExportedAnswer(
        annotation_id=row.text("annotation_id"),
        suite=row.text("suite"),
        prompt=row.maybe("prompt"),
        task=row.maybe("task"),
        generator=row.maybe("generator"),
        item=row.text("item"),
        item_kind=row.choice("item_kind", _KINDS),
        rater=row.text("rater"),
        identity=row.choice("identity", ("person", "slot")),
        simulated=bool(row.truth("simulated")),
        campaign=row.maybe("campaign"),
        questionnaire=row.text("questionnaire"),
        rule_version=row.maybe("rule_version"),
        answers=answers,
        shown=row.json("shown", dict),
        started=row.moment("started"),
        submitted=row.moment("submitted"),
        active_seconds=row.real("active_seconds"),
        saw_evidence=bool(row.truth("saw_evidence")),
        status=row.choice("status", _STATUSES),
        passed=row.truth("passed"),
        selected=bool(row.truth("selected")),
        status_before=row.choice("status_before", ("", *_STATUSES)) or None,
        revises=row.maybe("revises"),
        first=row.maybe("first"),
        seq=row.whole("seq"),
        scales=row.json("scales", dict) or {},
        prompt_text=row.maybe("prompt_text"),
        prompt_spec=row.json("prompt_spec", dict),
        questions=_each(row, "questions", _QUESTION),
        images=_each(row, "images", _IMAGE),
        campaign_made=_campaign_made(row),
    )


JUDGEMENT_COLUMNS: Final[Columns] = {
    "suite": "text",
    "prompt": "text",
    "task": "text",
    "generator": "text",
    "item": "text",
    "rater": "text",
    "kind": "text",
    "identity": "text",
    "simulated": "truth",
    "aspect": "text",
    "target": "text",
    "scale": "text",
    "label": "text",
    "value": "real",
    "excluded": "text",
    "rule_version": "text",
    "source_id": "text",
    "campaign": "text",
    "submitted": "moment",
    "seq": "whole",
}


@dataclass(frozen=True, slots=True)
class ExportedJudgement:
    """One row, as ``COLUMNS`` names its cells; empty cells are None."""

    suite: str
    prompt: str | None
    task: str | None
    generator: str | None
    item: str
    rater: str
    kind: str
    identity: str | None
    simulated: bool
    aspect: str
    target: str | None
    scale: str
    label: str | None
    value: float | None
    excluded: str | None
    rule_version: str
    source_id: str
    campaign: str | None
    submitted: datetime | None
    seq: int


def read_judgements(path: Path, cells: Cells) -> list[ExportedJudgement]:
    """The judgements of a file in the order in which they were made.

    Raises:
        InputError: a cell is not what its column holds.
    """
    return sorted(read_typed_rows(path, cells, _judgement), key=lambda one: one.seq)


def _judgement(row: TypedRow) -> ExportedJudgement:
    kind = row.choice("kind", ("human", "scorer"))
    return ExportedJudgement(
        suite=row.text("suite"),
        prompt=row.maybe("prompt"),
        task=row.maybe("task"),
        generator=row.maybe("generator"),
        item=row.text("item"),
        rater=row.text("rater"),
        kind=kind,
        identity=row.choice("identity", ("person", "slot")) if kind == "human" else None,
        simulated=bool(row.truth("simulated")),
        aspect=row.text("aspect"),
        target=row.maybe("target"),
        scale=row.text("scale"),
        label=row.maybe("label"),
        value=row.real("value"),
        excluded=row.maybe("excluded"),
        rule_version=row.text("rule_version"),
        source_id=row.text("source_id"),
        campaign=row.maybe("campaign"),
        submitted=row.moment("submitted"),
        seq=row.whole("seq"),
    )
