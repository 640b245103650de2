"""Files of image-text matching: an image, captions to choose among, and which is right; a user's rows, Winoground's, ARO's,
TIFA's.

Winoground (Thrush et al., 2022): ``{"id", "image_0", "image_1", "caption_0", "caption_1", "tag"}``, two examples a
line. ARO (Yuksekgonul et al., 2023): ``{"image_path", "true_caption", "false_caption", "bbox_x"?, ...}`` for attribution and
relation, whose code cuts the box out of the picture, and ``{"image", "caption_options"}`` for order, the first being right.

TIFA's questions are turned into matching (SelfEval, appendix E): of a text from COCO, the answer to a question of colour,
number or place is replaced in the text itself by the question's other choices; its photograph shows the text as it was. Where
the text does not hold the answer's very words once, nothing is made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from data.files import InputError, Problems, check_name, fail, located, printable, quoted, read_text
from data.json_files import parse_json
from data.matching.captions import Candidates, candidates_of_spec
from data.prompts.flips import apply_changes, rename_object
from data.prompts.prompt_files import file_entries
from data.prompts.questions import PromptQuestion, read_questions
from data.spec import NUMBER_WORDS, ObjectSpec
from data.tables import read_table
from data.validation import text_of

MAX_CAPTIONS: Final = 64
MAX_CAPTION_LENGTH: Final = 2000
"""Characters of a caption."""

Box = tuple[int, int, int, int]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MatchingExample:
    """One image with its captions.

    Attributes:
        name: its id within the suite.
        line: where it stands in the file, from 1.
        image: the picture's file, as the file names it.
        group: what it belongs to with others (the two of a Winoground example).
        box: left, upper, right, lower in pixels: the part of the picture that is meant; None: all of it.
    """

    name: str
    line: int
    image: str
    offered: Candidates
    task: str | None = None
    group: str | None = None
    box: Box | None = None

    @property
    def text(self) -> str:
        """The right caption."""
        return self.offered.captions[self.offered.right]

    @property
    def spec(self) -> dict[str, Any]:
        """As ``data.matching.captions`` reads it."""
        group = {} if self.group is None else {"group": self.group}
        return {"captions": list(self.offered.captions), "right": self.offered.right, **group}


@dataclass(frozen=True, slots=True)
class MatchingFile:
    """What a file holds. ``wrong``: rows that cannot be read, ``FILE:LINE: why`` each."""

    layout: str
    examples: list[MatchingExample] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def read_matching(path: Path, layout: str = "auto") -> MatchingFile:
    """The examples of a JSONL, JSON or CSV (TSV) file; rows that cannot be read are told and left out.

    ``rows``: ``image``, ``captions`` (a list; in a CSV cell a JSON list, or columns ``caption_0``, ``caption_1`` ...),
    ``right`` (the place of the right one, from 0, or its text), ``task``?, ``group``?. ``auto``: what the first row looks like.

    Raises:
        InputError: the file as a whole cannot be read, or is empty.
    """
    file, names = MatchingFile(layout), set[str]()
    for number, line, read in _rows(path):
        try:
            row = read()
            if not isinstance(row, Mapping):
                raise ValueError(f"found {quoted(row)}, a JSON object expected")
            if file.layout == "auto":
                file = MatchingFile(_layout(row))
            for example in _LAYOUTS[file.layout](row, number, line):
                if example.name in names:
                    raise ValueError(f"the id {quoted(example.name)} occurs twice in the file")
                names.add(example.name)
                file.examples.append(example)
        except InputError as error:
            file.wrong.extend(error.problems)
        except ValueError as error:
            file.wrong.append(located(path, line, printable(error)))
    if not file.examples and not file.wrong:
        fail(path, None, "holds no examples; one per row is expected")
    return file


def _rows(path: Path) -> Iterator[tuple[int, int, Callable[[], Any]]]:
    """``(number, line, read)`` of each row; an array that breaks off ends with a row that says so."""
    if path.suffix.lower() in (".csv", ".tsv"):
        for number, (line, cells) in enumerate(read_table(path).rows()):
            yield number, line, partial(_row_of_cells, path, line, cells)
        return
    text = read_text(path)
    try:
        yield from file_entries(path, text)
    except InputError as error:
        yield -1, 0, partial(_broken, error)


def _broken(error: InputError) -> Any:
    raise error


def _row_of_cells(path: Path, line: int, cells: Mapping[str, str]) -> dict[str, Any]:
    """A CSV row as a JSON row would be; empty cells are left out."""
    row: dict[str, Any] = {name.strip(): cell for name, cell in cells.items() if cell.strip()}
    if "captions" in row:
        row["captions"] = parse_json(path, line, row["captions"])
    elif "image" in row:
        listed = sorted((name for name in row if name.startswith("caption_") and name[8:].isdigit()), key=lambda n: int(n[8:]))
        row["captions"] = [row[name] for name in listed]
    if isinstance(row.get("right"), str) and row["right"].strip().isdecimal():
        row["right"] = int(row["right"])
    return row


def _layout(row: Row) -> str:
    if {"image_0", "image_1", "caption_0", "caption_1"} <= row.keys():
        return "winoground"
    if "true_caption" in row or "caption_options" in row:
        return "aro"
    return "rows"


def _row_examples(row: Row, number: int, line: int) -> Iterator[MatchingExample]:
    image, captions, right = _text(row, "image"), row.get("captions"), row.get("right")
    if right is None:
        raise ValueError("'right' is missing: the place of the right caption, from 0, or its text")
    if isinstance(right, str) and isinstance(captions, list) and captions.count(right) == 1:
        right = captions.index(right)
    task, group = (_text(row, key) if row.get(key) is not None else None for key in ("task", "group"))
    yield MatchingExample(f"{number:05d}", line, image, _candidates(captions, right), task, group)


def _winoground(row: Row, number: int, line: int) -> Iterator[MatchingExample]:  # noqa: ARG001 - its rows have an id
    name = check_name(str(row["id"]) if isinstance(row.get("id"), int) else _text(row, "id"), "the id")
    captions = [_text(row, "caption_0"), _text(row, "caption_1")]
    task = next((row[key] for key in ("collapsed_tag", "tag") if isinstance(row.get(key), str) and row[key].strip()), None)
    examples = [
        MatchingExample(f"{name}-{k}", line, _text(row, f"image_{k}"), _candidates(captions, k), task, name) for k in (0, 1)
    ]
    yield from examples


def _aro(row: Row, number: int, line: int) -> Iterator[MatchingExample]:
    image = _text(row, "image_path" if "image_path" in row else "image")
    if "true_caption" in row:
        captions: Any = [_text(row, "true_caption"), _text(row, "false_caption")]
        task = "spatial" if "relation_name" in row else "attribute"
    elif "caption_options" in row:
        captions, task = row["caption_options"], "text_corruption"
    elif isinstance(row.get("caption"), list):
        raise ValueError("'caption' holds descriptions that are all true; use ARO's 'caption_options' with the true one first")
    else:
        raise ValueError("'true_caption' and 'false_caption', or 'caption_options' expected")
    yield MatchingExample(f"{number:05d}", line, image, _candidates(captions, 0), task, box=_box_of(row))


def _box_of(row: Row) -> Box | None:
    if all(row.get(f"bbox_{side}") is None for side in "xywh"):
        return None
    sides = [row.get(f"bbox_{side}") for side in "xywh"]
    x, y, w, h = (int(side) if isinstance(side, int | float) and 0 <= side < 1e6 else -1 for side in sides)
    if min(x, y) < 0 or min(w, h) < 1:
        raise ValueError(f"'bbox_x', 'bbox_y', 'bbox_w', 'bbox_h' are {quoted(sides)}, a box in pixels expected")
    return x, y, x + w, y + h


_LAYOUTS: Final[dict[str, Callable[[Row, int, int], Iterator[MatchingExample]]]] = {
    "rows": _row_examples,
    "winoground": _winoground,
    "aro": _aro,
}


def _candidates(captions: Any, right: Any) -> Candidates:
    if isinstance(captions, list):
        if len(captions) > MAX_CAPTIONS:
            raise ValueError(f"{len(captions)} captions; at most {MAX_CAPTIONS} are read")
        for caption in captions:
            text_of({"captions": caption}, "captions", MAX_CAPTION_LENGTH)
    # a SpecError is a ValueError with one line
    return candidates_of_spec({"captions": captions, "right": right})


def _text(row: Row, key: str) -> str:
    return text_of(row, key, MAX_CAPTION_LENGTH)


TIFA_TASKS: Final = {"color": "color", "counting": "count", "spatial": "spatial"}
"""SelfEval's task of each of TIFA's element types."""


@dataclass(frozen=True, slots=True)
class TifaMatching:
    """``photographs``: by text id the number of COCO's validation image. ``left``: questions of the right types of
    which nothing could be made, by reason."""

    examples: list[MatchingExample] = field(default_factory=list)
    photographs: dict[str, int] = field(default_factory=dict)
    left: Counter[str] = field(default_factory=Counter)


def read_tifa_matching(texts: Path, questions: Path) -> TifaMatching:
    """Examples from TIFA's ``text_inputs.json`` (``id``, ``caption``, ``coco_val_id``) and ``question_answers.json``.

    An example's ``image`` is COCO's number; its name is ``TEXT-ID.K``, K counting the text's questions from 0.

    Raises:
        InputError: a file is not what it should be.
    """
    matching = TifaMatching()
    captions = dict(_coco_texts(texts, matching.photographs))
    for published in read_questions(questions, "tifa"):
        text_id = published.prompt.prompt_id.removeprefix("tifa/")
        if text_id not in matching.photographs:
            continue
        for number, question in enumerate(published.questions):
            if question.element_type not in TIFA_TASKS or question.is_yes_no:
                continue
            made = swap_answer(captions[text_id], question)
            if isinstance(made, str):
                matching.left[made] += 1
                continue
            task = TIFA_TASKS[question.element_type]
            photograph = str(matching.photographs[text_id])
            matching.examples.append(MatchingExample(f"{text_id}.{number}", 0, photograph, made, task))
    return matching


def swap_answer(caption: str, question: PromptQuestion) -> Candidates | str:
    """The caption and what it becomes with each other choice in the answer's place; or why that cannot be made."""
    answer = next(
        (form for form in _answer_forms(question.answer) if rename_object(caption, ObjectSpec(form, form), form)), None
    )
    if answer is None:
        return "the text does not hold the answer's words once"
    kind = _answer_forms(question.answer).index(answer)
    captions = [caption]
    for choice in question.choices:
        forms = _answer_forms(choice)
        changes = rename_object(caption, ObjectSpec(answer, answer), forms[min(kind, len(forms) - 1)])
        assert changes is not None
        new = apply_changes(caption, changes)
        if choice.casefold() != question.answer.casefold() and new not in captions:
            captions.append(new)
    return Candidates(tuple(captions)) if len(captions) > 1 else "the question has no other choice"


def _answer_forms(answer: str) -> list[str]:
    """As it stands; a number as a word, too (TIFA's choices are digits, its texts are not)."""
    return [answer, NUMBER_WORDS[int(answer)]] if re.fullmatch(r"\d|10", answer) else [answer]


def _coco_texts(path: Path, photographs: dict[str, int]) -> Iterator[tuple[str, str]]:
    """``(id, caption)`` of texts from COCO, whose photographs are noted."""
    listed = parse_json(path, 1, read_text(path))
    if not isinstance(listed, list):
        fail(path, 1, f"found {quoted(listed)}, TIFA's list of texts expected")
    problems = Problems(path)
    for number, entry in enumerate(listed):
        try:
            if isinstance(entry, Mapping) and entry.get("coco_val_id") is None:
                continue
            text_id, caption, photograph = _coco_text(entry)
            photographs[text_id] = photograph
            yield text_id, caption
        except InputError:
            raise
        except ValueError as error:
            problems.add(None, f"entry {number}: {printable(error)}")
    problems.check()


def _coco_text(entry: Any) -> tuple[str, str, int]:
    if not isinstance(entry, Mapping) or not all(isinstance(entry.get(key), str) for key in ("id", "caption")):
        raise ValueError(f"found {quoted(entry)}, an object with 'id', 'caption' and 'coco_val_id' expected")
    number = str(entry["coco_val_id"])
    if not re.fullmatch(r"\d{1,12}", number):
        raise ValueError(f"'coco_val_id' is {quoted(number)}, a number of COCO expected")
    return check_name(entry["id"], "the id"), entry["caption"], int(number)
