"""Small hand-made files of every kind that a project takes."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "{{x}}",
    "=1+1",
    "<script>alert(1)</script>",
    "[link](javascript:alert(1))",
)
HOSTILE_ASPECT = "<b>&lt;fit</b>${alert(1)}"
HOSTILE_SUITE = "hostile"
LEFT_PROMPTS = (0, 1, 10, 11, 20)
"""Lines of SR2D that all ask "A to the left of B"."""
STUDY_SUITE = "geneval"
RATED_SUITE = "rated"

_SIZE = 96
_STUDY_INPUTS = (
    "HITId", "Input.index", "Input.prompt_id", "Input.image_id", "Input.image_url", "Input.caption",
    "Input.object_0_name", "Input.object_1_name", "Input.object_0_name_plural", "Input.object_1_name_plural",
    "Input.exclude",
)  # fmt: skip
_STUDY_ANSWERS = (
    "Answer.ee", "Answer.task-color-0", "Answer.task-color-1", "Answer.task-count-0", "Answer.task-count-1",
    "Answer.task-objects", "Answer.task-position-x", "Answer.task-position-y", "Answer.task-quality",
    "Answer.task-real-0", "Answer.task-real-1",
)  # fmt: skip


def picture(path: Path, number: int) -> Path:
    """A PNG that differs from all others by its number."""
    image = Image.new("RGB", (_SIZE, _SIZE), (40 * number % 256, 90, 255 - 23 * number % 256))
    draw = ImageDraw.Draw(image)
    draw.ellipse((8, 24, 40, 56), fill="red")
    draw.rectangle((52, 24, 52 + 2 + number % 40, 56), fill="yellow")
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path)
    return path


def visor_folder(folder: Path, lines: Iterable[int], first: int = 0) -> Path:
    """Images of SR2D's prompts, named as VISOR names them."""
    for number, line in enumerate(lines, first):
        picture(folder / f"{line}_0.png", number)
    return folder


def write_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def hostile_folder(folder: Path) -> Path:
    """``images.csv`` whose prompts, tasks and (where a name may hold them) generators are attempts at an attack."""
    rows = []
    for number, text in enumerate(HOSTILE):
        name = f"{number}.png"
        picture(folder / name, 40 + number)
        rows.append({"path": name, "prompt": text, "generator": _allowed(text), "task": text})
    write_csv(folder / "images.csv", rows)
    return folder


def hostile_prompts(path: Path) -> Path:
    """The same prompts with specs, so that the form asks for words, too."""
    lines = [json.dumps({"prompt": text, "task": text, "spec": {"tag": text}}) for text in HOSTILE]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _allowed(text: str) -> str:
    return text.replace("/", "")


def hostile_ratings(path: Path, prefix: str = "") -> Path:
    """Every hostile string as rater (after ``prefix``), task and generator; values vary, and most agree on an image."""
    rows = [
        {
            "image": f"{item}-{HOSTILE[item % len(HOSTILE)]}",
            "who": prefix + rater,
            "score": 1 + (item * item + number // 4) % 5,
            "task": HOSTILE[item % len(HOSTILE)],
            "model": HOSTILE[item % 2],
        }
        for item in range(12)
        for number, rater in enumerate(HOSTILE)
    ]
    return write_csv(path, rows)


@dataclass(frozen=True, slots=True)
class Study:
    """A GenEval-like study: metadata, and annotations by source."""

    metadata: Path
    annotations: Path


def study(folder: Path) -> Study:
    """Four prompts of two tasks, two images each, three slots each: 24 annotations, and no picture."""
    prompts = [
        ("single_object", "bench", 1),
        ("single_object", "cow", 1),
        ("counting", "clock", 3),
        ("counting", "carrot", 2),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    metadata = folder / "evaluation_metadata.jsonl"
    lines = [
        json.dumps({"tag": tag, "include": [{"class": name, "count": count}], "prompt": f"a photo of {count} {name}"})
        for tag, name, count in prompts
    ]
    metadata.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = []
    for number, (_, name, count) in enumerate(prompts):
        for image in range(2):
            for slot in range(3):
                wrong = (number + image * 2 + slot) % 4 == 0
                rows.append(_study_row(number, image, name, count, 0 if wrong else count))
    return Study(metadata, write_csv(folder / "annotations.csv", rows))


def _study_row(number: int, image: int, name: str, count: int, seen: int) -> dict[str, object]:
    values: dict[str, object] = {
        "HITId": f"hit-{number}-{image}",
        "Input.index": f"{number}_{image}",
        "Input.prompt_id": number,
        "Input.image_id": image,
        "Input.caption": f"a photo of {count} {name}",
        "Input.object_0_name": name,
        "Answer.ee": 12.5,
        "Answer.task-color-0": "red" if seen else "",
        "Answer.task-count-0": seen,
        "Answer.task-objects": name,
        "Answer.task-quality": 4 if seen else 1,
        "Answer.task-real-0": 3 if seen else "",
    }
    return {column: values.get(column, "") for column in (*_STUDY_INPUTS, *_STUDY_ANSWERS)}


def ratings(path: Path, raters: Mapping[str, int]) -> Path:
    """Twelve items of two tasks rated 1-5; a rater differs from the next by its shift."""
    rows = [
        {
            "image": f"item-{item:02d}",
            "who": rater,
            "score": 1 + (item * item + shift * (item % 3 == 0)) % 5,
            "prompt": f"prompt number {item}",
            "task": "first" if item < 6 else "second",
            "model": "gamma",
        }
        for item in range(12)
        for rater, shift in raters.items()
    ]
    return write_csv(path, rows)
