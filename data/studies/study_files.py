"""Files of published studies with one rating per person and item: GenEval's and TIFA's human answers and metrics' scores."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from data.files import InputError, Problems, check_name, located, quoted, read_text
from data.json_files import JsonStream
from data.prompts import geneval_suite
from data.prompts.prompt_files import read_prompts, text_source
from data.records import Identity, Image, Item, Prompt, image_item
from data.tables import TextTable, read_table, require_columns
from data.validation import text_of

GENEVAL_SUITE: Final = "geneval"
COLORS: Final = (*geneval_suite.COLORS, "gray")
"""Those of GenEval's form."""

_INPUTS: Final = (
    "HITId", "Input.index", "Input.prompt_id", "Input.image_id", "Input.image_url", "Input.caption",
    "Input.object_0_name", "Input.object_1_name", "Input.object_0_name_plural", "Input.object_1_name_plural",
    "Input.exclude",
)  # fmt: skip
_SECONDS: Final = "Answer.ee"
_WHOLE: Final = re.compile(r"([0-9]{1,9})(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class AnnotationRow:
    """One person's answers to one image.

    Attributes:
        rater_id: the slot (``geneval/slot-1``); slots keep file order within an image and are nobody in particular.
        answers: by the questionnaire's question ids; a blank cell leaves its question out.
        raw: the record as it stands in the file.
        active_seconds: time at work on the page, where the study says.
        off_scale: by aspect what was written that is not on its scale; such a rating has no value.
        identity: whether the rater is somebody, or a slot.
    """

    image: Image
    rater_id: str
    answers: Mapping[str, Any]
    raw: Mapping[str, Any]
    active_seconds: float | None = None
    off_scale: Mapping[str, float] = field(default_factory=dict)
    identity: Identity = "slot"


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One metric's real number for one image (aspect ``score``); ``rater_id`` is the metric's name in the file, ``reasoning``
    a judge's words."""

    image: Image
    rater_id: str
    value: float
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class StudyRatings:
    """A study's content.

    Attributes:
        missing_scores: by metric the images without a value.
        unanswered: by file the ratings that say "no answer".
        excluded: ratings without a value, each with its file, its line and the reason.
    """

    prompts: tuple[Prompt, ...]
    rows: tuple[AnnotationRow, ...]
    scores: tuple[ScoreRow, ...] = ()
    missing_scores: Mapping[str, int] = field(default_factory=dict)
    unanswered: Mapping[str, int] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()

    @property
    def images(self) -> tuple[Image, ...]:
        """The images of all rows and scores, each once, in file order."""
        return tuple(dict.fromkeys([*(row.image for row in self.rows), *(score.image for score in self.scores)]))

    @property
    def items(self) -> tuple[Item, ...]:
        """Their items."""
        prompts = {prompt.prompt_id: prompt for prompt in self.prompts}
        return tuple(image_item(image, prompts[image.prompt_id]) for image in self.images)


def read_metadata(path: Path) -> list[Prompt]:
    """The prompts that the annotations' numbers point to: line ``n`` (from 0) is ``geneval/0000n``.

    Raises:
        InputError: a line cannot be read.
    """
    return read_prompts(path, GENEVAL_SUITE)


def read_annotations(path: Path, source: str, prompts: Sequence[Prompt]) -> StudyRatings:
    """Read one source's annotations; ``source`` is the generator.

    The answers keep what was submitted, also stale ones of questions that were hidden in the end (a colour where the
    count is 0): what they mean is decided by whoever derives judgements. ``position_x`` and ``position_y`` say where
    object 1 is, relative to object 0.

    Raises:
        InputError: anything is wrong; nothing is read then.
        ValueError: the source's name cannot be used.
    """
    check_name(source, "the source's name")
    table = read_table(path)
    columns = (*_INPUTS, _SECONDS, *(column for column, _, _ in _QUESTIONS))
    require_columns(table, columns)
    if unknown := [name for name in table.header if name not in columns]:
        raise InputError(
            located(path, 1, f"unknown column {quoted(unknown[0])}; exactly GenEval's {len(columns)} columns are expected")
        )
    if not table.records:
        raise InputError(located(path, None, "a header, but no annotations"))
    return StudyRatings(tuple(prompts), _rows(table, source, {prompt.prompt_id: prompt for prompt in prompts}))


def _rows(table: TextTable, source: str, prompts: dict[str, Prompt]) -> tuple[AnnotationRow, ...]:
    problems = Problems(table.path)
    slots: Counter[str] = Counter()
    rows = []
    for line, cells in table.rows():
        with problems.at(line):
            prompt, index = _prompt_and_index(cells, prompts)
            answers = {
                question: parse(cells[column], column)
                for column, question, parse in _QUESTIONS
                if cells[column].strip()  # a blank cell is no answer; the text "none" is one
            }
            seconds = _seconds(cells[_SECONDS])
            image = Image(prompt.prompt_id, source, index)
            slots[image.image_id] += 1
            rater_id = f"{GENEVAL_SUITE}/slot-{slots[image.image_id]}"
            rows.append(AnnotationRow(image, rater_id, answers, cells, seconds))
    problems.check()
    return tuple(rows)


def _prompt_and_index(cells: dict[str, str], prompts: dict[str, Prompt]) -> tuple[Prompt, int]:
    """The prompt and the image's index, after checking that the columns which repeat them agree."""
    number = _whole(cells["Input.prompt_id"], "Input.prompt_id", 0, 10**9)
    index = _whole(cells["Input.image_id"], "Input.image_id", 0, 10**9)
    prompt = prompts.get(f"{GENEVAL_SUITE}/{number:05d}")
    if prompt is None:
        raise ValueError(f"Input.prompt_id {number} is not a line of the metadata, which has {len(prompts)} (numbered from 0)")
    if cells["Input.index"] != f"{number}_{index}":
        raise ValueError(f"Input.index is {quoted(cells['Input.index'])}, '{number}_{index}' expected from prompt and image id")
    if cells["Input.caption"] != prompt.text:
        raise ValueError(
            f"Input.caption is {quoted(cells['Input.caption'])}, but prompt {number} of the metadata is {quoted(prompt.text)};"
            " are these the metadata of this study?"
        )
    return prompt, index


def _whole(cell: str, column: str, low: int, high: int) -> int:
    """A whole number, also as ``1.0``: so a table that once held blanks was saved."""
    match = _WHOLE.fullmatch(cell.strip())
    if match is None or not low <= int(match[1]) <= high:
        expected = f"{low} to {high}" if high < 10**9 else f"of at least {low}"
        raise ValueError(f"{column} is {quoted(cell)}, a whole number {expected} expected")
    return int(match[1])


def _seconds(cell: str) -> float | None:
    if not cell.strip():
        return None
    try:
        seconds = float(cell)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError(f"{_SECONDS} is {quoted(cell)}, a number of seconds expected")
    return seconds


def _within(low: int, high: int) -> Callable[[str, str], int]:
    return lambda cell, column: _whole(cell, column, low, high)


def _colors(cell: str, column: str) -> list[str]:
    ticked = cell.strip().split("|")
    for name in ticked:
        if name not in COLORS or ticked.count(name) > 1:
            raise ValueError(f"{column} is {quoted(cell)}, a '|'-joined subset of {' '.join(COLORS)} expected")
    return ticked


def _choice(**meanings: str) -> Callable[[str, str], str]:
    def parse(cell: str, column: str) -> str:
        if cell.strip() not in meanings:
            raise ValueError(f"{column} is {quoted(cell)}, expected one of {', '.join(meanings)}")
        return meanings[cell.strip()]

    return parse


_QUESTIONS: Final[tuple[tuple[str, str, Callable[[str, str], Any]], ...]] = (
    ("Answer.task-objects", "objects", lambda cell, _: cell),
    ("Answer.task-count-0", "count_0", _within(0, 5)),
    ("Answer.task-color-0", "color_0", _colors),
    ("Answer.task-real-0", "realism_0", _within(1, 3)),
    ("Answer.task-count-1", "count_1", _within(0, 5)),
    ("Answer.task-color-1", "color_1", _colors),
    ("Answer.task-real-1", "realism_1", _within(1, 3)),
    ("Answer.task-position-x", "position_x", _choice(left="left", right="right", neither_x="neither")),
    ("Answer.task-position-y", "position_y", _choice(above="above", below="below", neither_y="neither")),
    ("Answer.task-quality", "caption_fit", _within(1, 4)),
)
"""The file's column, the questionnaire's question, and how the cell is read; in the order of the form."""


TIFA_SUITE: Final = "tifa"

_NOT_METRICS: Final = frozenset({"text_id", "image_path", "text"})


@dataclass(frozen=True, slots=True)
class _TifaEntry:
    """One entry after its parts were checked."""

    line: int
    prompt: Prompt
    image: Image
    scores: tuple[int, ...]
    metrics: dict[str, float | None]
    raw: dict[str, Any]


def read_human_annotations(path: Path) -> StudyRatings:
    """Read ``human_annotations_with_scores.json``: ``{text_id + "_" + generator: {...}}``.

    Each human score becomes an annotation ``{"faithfulness": 1..5}`` of the slot in its place, each metric (every
    numeric column not named ``human_...``) a score under its own name, the very number of the file. A metric without a
    value (absent, ``null`` or ``NaN``) is skipped and counted. Texts stay exactly as they are.

    Raises:
        InputError: anything is wrong; nothing is read then.
    """
    problems = Problems(path)
    entries: list[_TifaEntry] = []
    seen: dict[str, int] = {}
    texts: dict[str, _TifaEntry] = {}
    for line, key, value in JsonStream.of_text(path, read_text(path)).object():
        with problems.at(line):
            if key in seen:
                raise ValueError(f"key {quoted(key)} stands on line {seen[key]} already")
            seen[key] = line
            entry = _entry(line, key, value)
            first = texts.setdefault(entry.prompt.prompt_id, entry)
            if entry.prompt.text != first.prompt.text:
                raise ValueError(f"'text' differs from that on line {first.line}, which has the same text_id")
            entries.append(entry)
    problems.check()
    if not entries:
        raise InputError(located(path, None, "holds no annotations"))
    return _study(entries)


def _study(entries: Sequence[_TifaEntry]) -> StudyRatings:
    names = dict.fromkeys(name for entry in entries for name in entry.metrics)
    return StudyRatings(
        # those of one text_id are equal
        prompts=tuple({entry.prompt.prompt_id: entry.prompt for entry in entries}.values()),
        rows=tuple(
            AnnotationRow(e.image, f"{TIFA_SUITE}/slot-{slot}", {"faithfulness": score}, e.raw)
            for e in entries
            for slot, score in enumerate(e.scores, 1)
        ),
        scores=tuple(
            ScoreRow(e.image, name, value) for e in entries for name in names if (value := e.metrics.get(name)) is not None
        ),
        missing_scores={name: sum(entry.metrics.get(name) is None for entry in entries) for name in names},
    )


def _entry(line: int, key: str, value: Any) -> _TifaEntry:
    if not isinstance(value, dict):
        raise ValueError(f"{quoted(key)} holds {quoted(value)}, an object expected")
    text_id, text = text_of(value, "text_id"), text_of(value, "text")
    check_name(text_id, "text_id")
    generator = key.removeprefix(f"{text_id}_")
    if generator == key:
        raise ValueError(f"key {quoted(key)} must be the text_id {quoted(text_id)}, '_' and the generator's name")
    check_name(generator, "the generator's name")
    prompt = Prompt(f"{TIFA_SUITE}/{text_id}", TIFA_SUITE, text, text_source(text_id))
    image = Image(prompt.prompt_id, generator, 0)
    metrics = _metrics(value)
    raw = {name: metrics.get(name, metric) for name, metric in value.items()}  # NaN is no JSON; a missing metric is null here
    return _TifaEntry(line, prompt, image, _human_scores(value), metrics, raw)


def _human_scores(value: dict[str, Any]) -> tuple[int, ...]:
    listed = value.get("human_scores")
    if not isinstance(listed, list) or not listed or not all(is_number(score) and score in (1, 2, 3, 4, 5) for score in listed):
        raise ValueError(f"'human_scores' is {quoted(listed)}, a list of whole numbers 1 to 5 expected")
    scores = tuple(int(score) for score in listed)
    average = value.get("human_avg")
    if average is not None and not (is_number(average) and math.isclose(average, sum(scores) / len(scores), abs_tol=0.01)):
        raise ValueError(f"'human_avg' is {quoted(average)}, but the mean of {list(scores)} is {sum(scores) / len(scores):g}")
    return scores


def _metrics(value: dict[str, Any]) -> dict[str, float | None]:
    metrics: dict[str, float | None] = {}
    for name, metric in value.items():
        if name in _NOT_METRICS or name.startswith("human_"):
            continue
        if metric is not None and not is_number(metric):
            raise ValueError(f"metric {quoted(name)} is {quoted(metric)}, a number or null expected")
        if metric is None or math.isnan(metric):
            metrics[name] = None
        elif math.isinf(metric):
            raise ValueError(f"metric {quoted(name)} is infinite, a finite number expected")
        else:
            check_name(name, "the metric's name")
            metrics[name] = float(metric)
    return metrics


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number that can be compared."""
    # a whole number of hundreds of digits is none that can be compared
    return isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**63)
