"""The papers' own result files: GenEval's results, TIFA's results and VISOR's detections; read and written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from data.files import InputError, fail, quoted, read_text
from data.formats.evidence import Box, EvidenceCase
from data.jobs.runs import Detection, Observation
from data.json_files import JsonStream, read_json_lines, unreadable
from data.prompts import sr2d_suite
from data.prompts.questions import PromptQuestion, new_question_id
from data.validation import Number, Share, Text, record_of, text_of

Details = Mapping[str, list[tuple[Box, Share]]]
"""By class: box and confidence of each object that was looked at, most confident first."""

_IMAGE_PATH: Final = re.compile(r"(?:(?P<above>.*)/)?(?P<prompt>[0-9]{1,9})/samples/(?P<name>[^/]+)\.[^/.]*")


@dataclass(frozen=True, slots=True)
class GenEvalResult:
    """One line: the verdict on one image.

    Attributes:
        metadata: the prompt's, as in ``evaluation_metadata.jsonl``.
        details: None if the line has none.
    """

    filename: Text
    tag: Text
    prompt: Text
    correct: bool
    reason: str
    metadata: Mapping[str, Any]
    details: Details | None


@dataclass(frozen=True, slots=True)
class ImagePath:
    """What a file's name says: the prompt's number, the image's, and the folder above (GenEval's IMAGE_FOLDER), if named.

    Attributes:
        index: None if the image has another name than a number.
        file_name: the image's.
    """

    prompt: int
    index: int | None
    folder: str | None
    file_name: str


def is_result(value: Mapping[str, Any]) -> bool:
    """Whether a line is one of ``results.jsonl``, by its keys."""
    return "filename" in value and "correct" in value and "id" not in value


def read_result(value: Mapping[str, Any]) -> GenEvalResult:
    """One line of ``results.jsonl``.

    Raises:
        ValueError: something is missing or of the wrong kind; the message says what.
    """
    line = {"reason": None, "details": None, **value}
    # pandas writes an empty reason as it is, others leave it out
    line["reason"] = line["reason"] or ""
    if line.get("correct") in (0, 1):
        line["correct"] = bool(line["correct"])
    for key in ("metadata", "details"):
        # an object, or the text of one, as GenEval writes it
        if isinstance(line.get(key), str):
            with suppress(ValueError, RecursionError):
                line[key] = json.loads(line[key])
    if isinstance(line["details"], dict):
        line["details"] = {name: _with_confidences(boxes) for name, boxes in line["details"].items()}
    return record_of(GenEvalResult, line, extra="ignore")


def _with_confidences(boxes: Any) -> Any:
    """Each box apart from its confidence; one without counted all the same, or it would not stand there."""
    if not isinstance(boxes, list) or not all(isinstance(box, list) for box in boxes):
        return boxes
    return [[box[:4], *(box[4:] or [1.0])] for box in boxes]


def parse_image_path(filename: str) -> ImagePath:
    """Where a file lies in GenEval's layout, ``FOLDER/00042/samples/0000.png``.

    Raises:
        ValueError: it does not.
    """
    plain = filename.replace("\\", "/")
    match = _IMAGE_PATH.fullmatch(plain)
    if match is None:
        raise ValueError(f"'filename' is {quoted(filename)}, .../00042/samples/0000.png expected")
    folder = (match["above"] or "").rstrip("/").rsplit("/", 1)[-1]
    index = int(match["name"]) if re.fullmatch("[0-9]{1,9}", match["name"]) else None
    return ImagePath(int(match["prompt"]), index, folder if folder not in ("", ".", "..") else None, plain.rsplit("/", 1)[-1])


def format_result(result: GenEvalResult) -> str:
    """The line as GenEval writes it: as pandas' ``to_json(orient="records", lines=True)`` does, details with five numbers."""
    details = {name: [[*box, score] for box, score in boxes] for name, boxes in (result.details or {}).items()}
    row = {
        "filename": result.filename,
        "tag": result.tag,
        "prompt": result.prompt,
        "correct": result.correct,
        "reason": result.reason,
        "metadata": json.dumps(result.metadata),
        "details": json.dumps(details),
    }
    # pandas escapes slashes; they stand in texts alone
    return json.dumps(row, separators=(",", ":")).replace("/", "\\/") + "\n"


@dataclass(slots=True)
class Summary:
    """What ``summary_scores.py`` prints of a file: counts as they come, so that no line need be kept."""

    n: int = 0
    n_correct: int = 0
    _prompts: dict[bytes, bool] = field(default_factory=dict)
    _tasks: dict[str, list[int]] = field(default_factory=dict)

    def add(self, tag: str, metadata: Mapping[str, Any], correct: bool) -> None:
        """Count one image. Prompts are told apart by their metadata, letter by letter."""
        self.n += 1
        self.n_correct += correct
        # a hash, as a million prompts are many texts
        prompt = hashlib.blake2b(json.dumps(metadata).encode(), digest_size=16).digest()
        self._prompts[prompt] = self._prompts.get(prompt, False) or correct
        task = self._tasks.setdefault(tag, [0, 0])
        task[0] += correct
        task[1] += 1

    def text(self) -> str:
        """Letter by letter what is printed; the tasks stand in the order of their first images.

        Raises:
            ValueError: there is nothing to sum up.
        """
        if not self.n:
            raise ValueError("no image was judged, so there is nothing to sum up")
        shares = [right / n for right, n in self._tasks.values()]
        return "\n".join(
            [
                "Summary",
                "=======",
                f"Total images: {self.n}",
                f"Total prompts: {len(self._prompts)}",
                f"% correct images: {self.n_correct / self.n:.2%}",
                f"% correct prompts: {sum(self._prompts.values()) / len(self._prompts):.2%}",
                "",
                "Task breakdown",
                "==============",
                *(f"{tag:<16} = {right / n:.2%} ({right} / {n})" for tag, (right, n) in self._tasks.items()),
                "",
                # an image of a task that is not there lowers nothing: the mean is over those that are
                f"Overall score (avg. over tasks): {np.mean(shares):.5f}",
                "",
            ]
        )


_KEY: Final = "question_details"


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """One question and the model's answer; ``scored``: whether the file itself counts it as right, None if it does not say."""

    question: PromptQuestion
    chosen: str
    free: str | None = None
    scored: bool | None = None


@dataclass(frozen=True, slots=True)
class CaptionAnswers:
    """The answers about one text's image, in the file's order.

    Attributes:
        number: the line, None in a file of TIFA's own.
        wrong: what could not be read, a line each; the answers are without them.
    """

    id: str
    caption: str
    answers: tuple[ModelAnswer, ...]
    number: int | None = None
    wrong: tuple[str, ...] = ()


def read_results(path: Path) -> Iterator[CaptionAnswers]:
    """What was answered about each text.

    Raises:
        InputError: the file cannot be read, or holds neither.
    """
    if _is_official(path):
        yield from _official(path)
        return
    for line in read_json_lines(path):
        if line.wrong is not None:
            yield CaptionAnswers("", "", (), line.number, (line.wrong,))
        else:
            yield _of_line(line.number, line.value)


def _is_official(path: Path) -> bool:
    """By its beginning: an object over many lines, or one that has the key."""
    first = next(read_json_lines(path), None)
    if first is None:
        fail(path, None, "holds no evidence")
    return first.wrong is not None or _KEY in first.value


def _official(path: Path) -> Iterator[CaptionAnswers]:
    try:
        payload = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        fail(path, None, f"is neither a result file of TIFA's nor lines of evidence ({unreadable(error)})")
    details = payload.get(_KEY) if isinstance(payload, dict) else None
    if not isinstance(details, dict):
        fail(path, None, f"has no object under {_KEY!r}; a result file of TIFA's code, or lines {{'id', 'answers'}} expected")
    for name, detail in details.items():
        if isinstance(detail, dict):
            yield _captioned(name, list(detail.values()), None, "multiple_choice_vqa", "free_form_vqa")
        else:
            yield CaptionAnswers(name, "", (), None, (f"{_KEY!r} of it is {quoted(detail)}, an object expected",))


def _of_line(number: int, value: Mapping[str, Any]) -> CaptionAnswers:
    name, answers = value.get("id"), value.get("answers")
    if not isinstance(name, str) or not name:
        return CaptionAnswers("", "", (), number, (f"'id' is {quoted(name)}, a text expected",))
    if not isinstance(answers, list):
        return CaptionAnswers(name, "", (), number, (f"'answers' is {quoted(answers)}, a list expected",))
    return _captioned(name, answers, number, "chosen", "free")


def _captioned(name: str, entries: list[Any], number: int | None, chosen: str, free: str) -> CaptionAnswers:
    answers: list[ModelAnswer] = []
    wrong: list[str] = []
    caption = ""
    for entry in entries:
        try:
            answers.append(_model_answer(entry, [answer.question.question_id for answer in answers], chosen, free))
            caption = caption or str(entry.get("caption") or "")
        except ValueError as error:
            wrong.append(f"{name}: {error}")
    return CaptionAnswers(name, caption, tuple(answers), number, tuple(wrong))


def _model_answer(entry: Any, taken: list[str], chosen: str, free: str) -> ModelAnswer:
    if not isinstance(entry, dict):
        raise ValueError(f"found {quoted(entry)}, an object with a question expected")
    text = text_of(entry, "question" if "question" in entry else "text")
    choices = entry.get("choices")
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, str) and choice for choice in choices):
        raise ValueError(f"'choices' is {quoted(choices)}, a list of texts expected")
    name = entry.get("question_id")
    question_id = name if isinstance(name, str) and name and name not in taken else new_question_id(text, taken)
    scored, parents = entry.get("scores"), entry.get("parents")
    question = PromptQuestion(
        question_id, text, tuple(choices), text_of(entry, "answer"), text_of(entry, "element_type"), text_of(entry, "element"),
        parents=tuple(parent for parent in parents if isinstance(parent, str)) if isinstance(parents, list) else (),
    )  # fmt: skip
    words = entry.get(free)
    return ModelAnswer(
        question,
        text_of(entry, chosen),
        words if isinstance(words, str) else None,
        bool(scored) if scored in (0, 1, True, False) else None,
    )


_DETECTIONS_KEY: Final = re.compile(r"([0-9]{1,9})_([0-9]{1,9})")
_BEGINS: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{\s*(?:\r?\n|\"[0-9]{1,9}_[0-9]{1,9}\")")
_HEAD: Final = 1 << 10
_FILE: Final = re.compile(r"results_(?P<generator>.+?)_text_spatial_rel_phrases_.*\.json")


@dataclass(frozen=True, slots=True)
class VisorEntry:
    """One image of such a file.

    Attributes:
        case: its centroids as boxes without size, of confidence 1.
        sra: the file's own verdict on the relation; None if it has none.
    """

    case: EvidenceCase
    sra: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _DetectionsEntry:
    """An entry as it stands in the file: the centre of each object, x and y in pixels."""

    classes: tuple[str, ...]
    centroid: tuple[tuple[Number, Number], ...]
    sra: Literal[0, 1, False, True] | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if len(self.classes) != len(self.centroid):
            raise ValueError("the lists 'classes' and 'centroid' must be of one length")


def is_detections(path: Path) -> bool:
    """Whether a file is one, by its beginning: an object that is no line of evidence.

    Raises:
        InputError: the file cannot be read.
    """
    first = next(read_json_lines(path), None)
    if first is None:
        return False
    if first.wrong is None:
        entries = first.value.values()
        return (
            "id" not in first.value
            and bool(entries)
            and all(isinstance(entry, dict) and "classes" in entry for entry in entries)
        )
    # one object over many lines, or on one that is too long for a line
    with path.open("rb") as file:
        return _BEGINS.match(file.read(_HEAD)) is not None


def generator_of(path: Path) -> str | None:
    """The generator that a file's name tells, as VISOR names its files."""
    match = _FILE.fullmatch(path.name)
    return match["generator"] if match else None


def read_entries(path: Path) -> Iterator[tuple[int, str, Any]]:
    """(line, key, value) of each entry.

    Raises:
        InputError: the file is not JSON from where it was read.
    """
    yield from JsonStream.of_text(path, read_text(path)).object()


def read_entry(key: str, value: Any, generator: str) -> VisorEntry:
    """One entry; what was asked is known from its prompt's number.

    Raises:
        ValueError: something is missing or of the wrong kind, or the text is not that prompt's.
    """
    match = _DETECTIONS_KEY.fullmatch(key)
    if match is None:
        raise ValueError(f"key {quoted(key)}, <prompt id>_<number> expected")
    try:
        entry = record_of(_DetectionsEntry, value, extra="ignore")
    except ValueError as error:
        raise ValueError(f"{quoted(key)}: {error}") from None
    prompt = sr2d_suite.numbered_prompt(int(match[1]))
    if entry.text is not None and entry.text.strip() != prompt.text:
        raise ValueError(
            f"{quoted(key)} has the text {quoted(entry.text)}, but SR2D's prompt {match[1]} is {quoted(prompt.text)}"
        )
    detections = tuple(Detection(name, 1.0, (x, y, x, y)) for name, (x, y) in zip(entry.classes, entry.centroid, strict=True))
    case = EvidenceCase(key, prompt.spec, prompt.demands, Observation(key, {}, detections), match[1], generator)
    return VisorEntry(case, None if entry.sra is None else bool(entry.sra))


def key_of(case: EvidenceCase, taken: Mapping[str, int]) -> str:
    """``<prompt>_<index>`` of an image: as its id has it, else the next index of its prompt.

    Args:
        case: what was judged.
        taken: how many images of each prompt, by its number, there were before.

    Raises:
        ValueError: its prompt is none of SR2D's by number, or asks for something else than that.
    """
    key = _DETECTIONS_KEY.fullmatch(str(case.id))
    last = key[1] if key else (case.prompt_id or "").rsplit("/", 1)[-1]
    if not re.fullmatch("[0-9]{1,9}", last):
        raise ValueError(f"'prompt_id' is {quoted(case.prompt_id)}; VISOR names images by the number of SR2D's prompt")
    prompt = sr2d_suite.numbered_prompt(int(last))
    published = prompt.demands
    if (case.spec.objects, case.spec.relations) != (published.objects, published.relations):
        raise ValueError(f"it asks for something else than SR2D's prompt {int(last)}, {quoted(prompt.text)}")
    return key[0] if key else f"{int(last)}_{taken.get(str(int(last)), 0)}"


def entry_of(case: EvidenceCase, ranks_of: Mapping[str, Any], sra: bool) -> dict[str, Any]:
    """An entry as VISOR's notebook and README have it.

    Args:
        case: what was judged.
        ranks_of: ranks of the detections that count, by the class's name as asked.
        sra: whether the relation holds.
    """
    boxes = {name: [case.seen.detections[k].box for k in ranks] for name, ranks in ranks_of.items()}
    centers = [(name, [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]) for name, here in boxes.items() for box in here]
    request = case.asked
    relation = request.get("relation")
    return {
        "classes": [name for name, _ in centers],
        "centroid": [center for _, center in centers],
        "recall": sum(bool(ranks) for ranks in ranks_of.values()),
        "sra": int(sra),
        # the prompt's, whether or not it is one of SR2D's
        "text": sr2d_suite.prompt_text(request["a"], request.get("b"), relation and relation.removesuffix(" of")),
    }


def format_entry(key: str, entry: Mapping[str, Any]) -> str:
    """An entry of the file's one object, without the comma."""
    return f"{json.dumps(key)}: {json.dumps(entry)}"
