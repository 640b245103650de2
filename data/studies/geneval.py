"""GenEval's human study (Ghosh et al. 2023): the reader of its released answers, and its printed numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from data.files import InputError, Problems, check_name, located, quoted
from data.prompts import geneval_suite
from data.prompts.prompt_files import read_prompts
from data.records import Image, Prompt
from data.studies.printed_numbers import TASKS_MEAN, PrintedNumber, PublishedStudy, UndeterminedNumbers
from data.studies.study_ratings import AnnotationRow, StudyRatings
from data.tables import TextTable, read_table, require_columns

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


def _human(generator: str, name: str, printed: str) -> PrintedNumber:
    return PrintedNumber(f"Human, {name}", "Table 2", printed, "mean", generator=generator)


def _interannotator(called: str, task: str, printed: str) -> PrintedNumber:
    return PrintedNumber(f"Interannotator, {called}", "Table 5", printed, "percent_agreement_first_vs_rest", task=task)


def _kappa(called: str, task: str, printed: str) -> PrintedNumber:
    return PrintedNumber(f"Interannotator kappa, {called}", "Table 4", printed, "cohen_kappa_first_vs_rest", task=task)


_GENEVAL_SOURCES: Final = {"clip": "CLIP retrieval", "sdv2": "SDv2.1", "if-xl": "IF-XL"}

GENEVAL: Final = PublishedStudy(
    paper="Ghosh, Hajishirzi, Schmidt: GenEval (2023), arXiv 2310.11513",
    suite="geneval",
    aspect="correct",
    sources=_GENEVAL_SOURCES,
    numbers=(
        _human("clip", "CLIP retrieval", "0.42"),
        _human("sdv2", "SDv2.1", "0.57"),
        _human("if-xl", "IF-XL", "0.72"),
        _interannotator("Overall", TASKS_MEAN, "0.878"),
        _interannotator("Single object", "single_object", "0.990"),
        _interannotator("Two object", "two_object", "0.872"),
        _interannotator("Counting", "counting", "0.901"),
        _interannotator("Colors", "colors", "0.854"),
        _interannotator("Position", "position", "0.797"),
        _interannotator("Attribute binding", "color_attr", "0.853"),
        PrintedNumber(
            "Interannotator agreement", "Sections 1, 4", "88", "percent_agreement_first_vs_rest", percent=True, task=TASKS_MEAN
        ),
        PrintedNumber("Unanimous examples", "Section 4", "860", "unanimous_share", quantity="items_with"),
        _kappa("Colors", "colors", "0.55"),
        _kappa("Attribute binding", "color_attr", "0.65"),
        PrintedNumber("Annotations", "Sections 1, 4; App. D", "6,000", "mean", quantity="ratings"),
        PrintedNumber("Images", "Sections 1, 4", "1,200", "mean", quantity="items"),
        *(
            number
            for generator, name in _GENEVAL_SOURCES.items()
            for number in (
                PrintedNumber(f"Images, {name}", "Section 4, App. D", "400", "mean", quantity="items", generator=generator),
                PrintedNumber(f"Prompts, {name}", "App. D", "100", "mean", quantity="prompts", generator=generator),
                PrintedNumber(
                    f"Annotations of each image, {name}",
                    "App. D",
                    "5",
                    "mean",
                    quantity="ratings_per_item",
                    generator=generator,
                ),
            )
        ),
    ),
    notes=(
        "Interannotator is the first annotation of each image in file order against its other four, so it depends on the "
        "file's order; percent_agreement of all pairs does not.",
        "Human is the mean over all annotations, while the column Overall beside it is a mean over tasks.",
    ),
    open=(
        UndeterminedNumbers(
            "GenEval's and CLIPScore's agreement with people (83 %, 80 %; 91 %, 87 % where people are unanimous; per task)",
            "Sections 1, 4; App. A.2; Tables 4, 5",
            "the scorers' verdicts are not in the released files",
        ),
        UndeterminedNumbers("agreement and kappa per task as bars and curves", "Figures 3, 7, 8", "drawn, not printed"),
        UndeterminedNumbers(
            "about 1 to 2 minutes for each annotation", "App. D", "a range in words, which no rounding decides"
        ),
    ),
    claim="Five people see each image; their agreement is 0.878, and generators score 0.42, 0.57 and 0.72.",
    files_say="{same} of {determined} numbers that the two released sources of three decide are as printed; SDv2.1 has"
    " {Human, SDv2.1}, IF-XL {Human, IF-XL}.",
    consequence="What can be checked holds. The third source (CLIP retrieval) was not among the files, and the printed"
    " agreement is that of an image's first annotation with the others, so it depends on the file's order.",
)
