"""The rows of ``export ratings``, ``export judgements`` and ``export annotations``, each declared once: the fields of a record
are the columns of the file, in its order. ``import exported`` and ``import ratings`` read them back.

Ratings are the long frame that the statistics use. ``value`` is a text on every scale: the label, or for ``interval`` the
number. ``kind`` is ``human``, ``scorer`` or, for imitations of people, ``simulated``: whoever takes the rows of kind ``human``
has real people alone. ``seq`` is the order in which they were made. Judgements: those that do not count too. Annotations: one
person's whole answer for one item, with all that judging it again takes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import NoneType
from typing import Annotated, Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from pydantic import AfterValidator

from data.export.formats import Columns, Kind
from data.files import Problems
from data.prompts.questions import PromptQuestion
from data.records import Identity
from data.tables import TextTable
from data.validation import Int32, Int64, Number, Text, record_of

T = TypeVar("T")

SIMULATED: Final = "simulated"
AnswerStatus = Literal["valid", "surplus", "gold", "training"]
_Moment = Annotated[datetime, AfterValidator(lambda at: at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC))]


@dataclass(frozen=True, slots=True, kw_only=True)
class _RatedItem:
    """What is judged, and by whom."""

    suite: Text
    prompt: str | None = None
    task: str | None = None
    generator: str | None = None
    item: Text
    rater: Text
    kind: Literal["human", "scorer", "simulated"]
    identity: Identity | None = None

    def __post_init__(self) -> None:
        if self.kind != "scorer" and self.identity is None:
            raise ValueError("'identity' is missing; it is person or slot")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRating(_RatedItem):
    """One rating that counts."""

    aspect: Text
    target: str | None = None
    scale: Text
    value: Text
    seq: int

    def __post_init__(self) -> None:
        if "/" in self.suite:
            raise ValueError(f"'suite' is {self.suite!r}; a suite's name has no '/'")
        _RatedItem.__post_init__(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedJudgement(_RatedItem):
    """One judgement; ``excluded``: why it does not count."""

    kind: Literal["human", "scorer"]
    simulated: bool = False
    aspect: Text
    target: str | None = None
    scale: Text
    label: str | None = None
    value: Number | None = None
    excluded: str | None = None
    rule_version: Text
    source_id: Text
    campaign: str | None = None
    submitted: _Moment | None = None
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedImage:
    """One of the images that an answer is about."""

    image: str
    prompt: str
    generator: str
    index: Int32
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedCampaign:
    """The campaign in which an answer was given."""

    title: str | None = None
    questionnaire: str
    overlap: Int32
    version: str | None = None
    definition: str | None = None
    seed: Int64 | None = None
    stratum: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedAnswer:
    """One person's whole answer; ``shown``: what the screen showed, or the source's own row."""

    annotation_id: Text
    suite: Text
    prompt: str | None = None
    task: str | None = None
    generator: str | None = None
    item: Text
    item_kind: Literal["image", "pair", "group"]
    rater: Text
    identity: Identity
    simulated: bool = False
    campaign: str | None = None
    questionnaire: Text
    questionnaire_version: str | None = None
    rule_version: str | None = None
    answers: Mapping[str, Any]
    shown: Mapping[str, Any] | None = None
    started: _Moment | None = None
    submitted: _Moment | None = None
    active_seconds: Number | None = None
    saw_evidence: bool = False
    status: AnswerStatus
    passed: bool | None = None
    selected: bool = False
    status_before: AnswerStatus | None = None
    revises: str | None = None
    first: str | None = None
    seq: int
    scales: Mapping[str, str] = field(default_factory=dict)
    prompt_text: str | None = None
    prompt_spec: Mapping[str, Any] | None = None
    questions: tuple[PromptQuestion, ...] = ()
    images: tuple[ExportedImage, ...] = ()
    campaign_made: ExportedCampaign | None = None


_KINDS: Final[Mapping[Any, Kind]] = {str: "text", int: "whole", float: "real", bool: "truth", datetime: "moment"}


def columns_of(row: type) -> Columns:
    """The columns of a file of these rows: its fields, and what stands in them."""
    return {name: _kind(declared) for name, declared in get_type_hints(row).items()}


def _kind(declared: Any) -> Kind:
    if get_origin(declared) is Literal:
        return "text"
    # of `X | None` the X
    inner = next((arg for arg in get_args(declared) if arg is not NoneType), declared)
    return _kind(inner) if NoneType in get_args(declared) else _KINDS.get(declared, "json")


RATING_COLUMNS: Final = columns_of(ExportedRating)
JUDGEMENT_COLUMNS: Final = columns_of(ExportedJudgement)
ANSWER_COLUMNS: Final = columns_of(ExportedAnswer)

_READ: Final[Mapping[Kind, Callable[[str], Any]]] = {
    "text": str,
    "moment": str,
    "whole": int,
    "real": float,
    "truth": lambda cell: {"true": True, "false": False}[cell.lower()],
    "json": json.loads,
}


def read_rows(table: TextTable, row: type[T], check: Callable[[int, T], object] | None = None) -> list[T]:
    """The rows of a file with such columns, in its order; empty cells are left out. ``check`` is given each with its line.

    Raises:
        InputError: cells are not what their columns hold, or ``check`` raised ValueError; with their lines.
    """
    columns, problems, parsed = columns_of(row), Problems(table.path), []
    for line, texts in table.rows():
        values: dict[str, Any] = {name: text for name, text in texts.items() if text}
        for name, text in values.items():
            # what cannot be converted is refused as the text that it is
            with suppress(ValueError, KeyError, OverflowError, RecursionError):
                values[name] = _READ[columns[name]](text)
        with problems.at(line):
            made = record_of(row, values, extra="ignore")
            if check is not None:
                check(line, made)
            parsed.append(made)
    problems.check()
    return parsed
