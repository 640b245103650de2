"""GenEval's own files: ``results.jsonl`` of ``evaluate_images.py``, and the summary that ``summary_scores.py`` prints of it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from data.files import quoted
from data.formats.evidence import Box, box_of, score_of

Details = Mapping[str, list[tuple[Box, float]]]
"""By class: box and confidence of each object that was looked at, most confident first."""

_IMAGE_PATH: Final = re.compile(r"(?:(?P<above>.*)/)?(?P<prompt>[0-9]{1,9})/samples/(?P<index>[0-9]{1,9})\.[^/]*")


@dataclass(frozen=True, slots=True)
class GenEvalResult:
    """One line: the verdict on one image.

    Attributes:
        metadata: the prompt's, as in ``evaluation_metadata.jsonl``.
        details: None if the line has none.
    """

    filename: str
    tag: str
    prompt: str
    correct: bool
    reason: str
    metadata: Mapping[str, Any]
    details: Details | None


@dataclass(frozen=True, slots=True)
class ImagePath:
    """What a file's name says: the prompt's number, the image's, and the folder above (GenEval's IMAGE_FOLDER), if named."""

    prompt: int
    index: int
    folder: str | None


def is_result(value: Mapping[str, Any]) -> bool:
    """Whether a line is one of ``results.jsonl``, by its keys."""
    return "filename" in value and "correct" in value and "id" not in value


def read_result(value: Mapping[str, Any]) -> GenEvalResult:
    """One line of ``results.jsonl``.

    Raises:
        ValueError: something is missing or of the wrong kind; the message says what.
    """
    texts = {key: value.get(key) for key in ("filename", "tag", "prompt", "reason")}
    # pandas writes an empty reason as it is, others leave it out
    texts["reason"] = texts["reason"] or ""
    for key, text in texts.items():
        if not isinstance(text, str) or (not text and key != "reason"):
            raise ValueError(f"{key!r} is {quoted(text)}, a text expected")
    correct = value.get("correct")
    if not isinstance(correct, bool) and correct not in (0, 1):
        raise ValueError(f"'correct' is {quoted(correct)}, true or false expected")
    metadata = _object(value.get("metadata"), "metadata")
    details = None if value.get("details") is None else _details(_object(value["details"], "details"))
    return GenEvalResult(correct=bool(correct), metadata=metadata, details=details, **texts)  # type: ignore[arg-type]


def parse_image_path(filename: str) -> ImagePath:
    """Where a file lies in GenEval's layout, ``FOLDER/00042/samples/0000.png``.

    Raises:
        ValueError: it does not.
    """
    found = _IMAGE_PATH.fullmatch(filename.replace("\\", "/"))
    if found is None:
        raise ValueError(f"'filename' is {quoted(filename)}, .../00042/samples/0000.png expected")
    folder = (found["above"] or "").rstrip("/").rsplit("/", 1)[-1]
    return ImagePath(int(found["prompt"]), int(found["index"]), folder if folder not in ("", ".", "..") else None)


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


def _object(found: Any, key: str) -> dict[str, Any]:
    """An object, or the text of one, as GenEval writes it."""
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (RecursionError, ValueError):
            raise ValueError(f"{key!r} is a text that is not JSON: {quoted(found)}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{key!r} is {quoted(found)}, an object expected")
    return found


def _details(found: Mapping[str, Any]) -> Details:
    return {name: list(_boxes(name, boxes)) for name, boxes in found.items()}


def _boxes(name: str, boxes: Any) -> Iterable[tuple[Box, float]]:
    if not isinstance(boxes, list):
        raise ValueError(f"'details' of {quoted(name)} is {quoted(boxes)}, a list of boxes expected")
    for k, box in enumerate(boxes):
        try:
            if not isinstance(box, list) or len(box) not in (4, 5):
                raise ValueError(f"{quoted(box)} where [x0, y0, x1, y1, confidence] is expected")
            # without a confidence it counted all the same, or it would not stand there
            yield box_of(box[:4]), score_of(box[4]) if len(box) == 5 else 1.0
        except ValueError as error:
            raise ValueError(f"'details' of {quoted(name)}, box {k}: {error}") from None
