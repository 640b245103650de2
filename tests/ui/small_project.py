"""A small project made through the command line, and ways to look at it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from typer.testing import CliRunner

import app
from data.store.core.store import Store

HEADER_LINE = (
    "HITId,Input.index,Input.prompt_id,Input.image_id,Input.image_url,Input.caption,Input.object_0_name,"
    "Input.object_1_name,Input.object_0_name_plural,Input.object_1_name_plural,Input.exclude,Answer.ee,"
    "Answer.task-color-0,Answer.task-color-1,Answer.task-count-0,Answer.task-count-1,Answer.task-objects,"
    "Answer.task-position-x,Answer.task-position-y,Answer.task-quality,Answer.task-real-0,Answer.task-real-1"
)
HEADER = HEADER_LINE.split(",")
METADATA = [
    {"tag": "single_object", "include": [{"class": "cow", "count": 1}], "prompt": "a photo of a cow"},
    {"tag": "colors", "include": [{"class": "car", "count": 1, "color": "red"}], "prompt": "a photo of a red car"},
]


@dataclass(frozen=True)
class Ran:
    """What a command left: exit status, standard output and error."""

    status: int
    out: str
    err: str


def concord(project: Path, *words: object) -> Ran:
    """Run a project command in this process."""
    done = CliRunner().invoke(app.app, [*map(str, words), "--project", str(project)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return Ran(done.exit_code, done.stdout, done.stderr)


def done(project: Path, *words: object) -> str:
    """Run a command that must succeed; its output."""
    ran = concord(project, *words)
    assert ran.status == 0, ran.err
    return ran.out


def agreement(project: Path, *words: object) -> dict[str, Any]:
    """What `agreement --format json` prints."""
    payload: dict[str, Any] = json.loads(done(project, "agreement", "--no-intervals", "--format", "json", *words))
    return payload


def png(path: Path, color: str = "red", size: tuple[int, int] = (400, 300)) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, color).save(path, "PNG")
    return path


def metadata(folder: Path) -> Path:
    path = folder / "evaluation_metadata.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in METADATA))
    return path


def geneval_row(prompt: int, image: int, **answers: str) -> dict[str, str]:
    fields = {f"Answer.task-{name.replace('_', '-')}": value for name, value in answers.items()}
    index = {"Input.index": f"{prompt}_{image}", "Input.prompt_id": str(prompt), "Input.image_id": str(image)}
    return {"HITId": "H", "Input.caption": METADATA[prompt]["prompt"], "Answer.task-quality": "4", **index, **fields}  # type: ignore[dict-item]


def geneval_csv(path: Path, *rows: dict[str, str]) -> Path:
    text = io.StringIO()
    writer = csv.DictWriter(text, HEADER, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode())
    return path


def geneval_folder(folder: Path, n: int = 2) -> Path:
    """Images of the first prompts, two each, as GenEval's scripts leave them."""
    for prompt in range(n):
        for k in range(2):
            png(folder / f"{prompt:05d}" / "samples" / f"{k:04d}.png", f"rgb({prompt * 40}, {k * 40}, 9)")
        (folder / f"{prompt:05d}" / "metadata.jsonl").write_text(json.dumps(METADATA[prompt]))
    return folder


QUESTION = {
    "id": "coco_1", "caption": "a gray cat", "question": "what color is the cat?", "choices": ["gray", "red", "black", "white"],
    "answer": "gray", "element_type": "color", "element": "gray",
}  # fmt: skip


def questions(path: Path, *changes: dict[str, Any]) -> Path:
    """A file of one question, or of one for each change of it."""
    path.write_text(json.dumps([QUESTION | change for change in changes or ({},)]))
    return path


def ratings_csv(path: Path, *rows: str, header: str = "image,who,value") -> Path:
    path.write_text("\n".join((header, *rows)) + "\n")
    return path


RATINGS = ("--item", "image", "--rater", "who", "--value", "value", "--aspect", "quality", "--scale", "ordinal:1-5")


_OWN = ("meta", "imports", "browse", "browse_raters", "stale")


def tables(project: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All tables of a closed project but the memory of imports, what is the project's own, and the wide rows made of others."""
    with Store(project) as store, store.read() as cursor:
        names = [row[0] for row in cursor.execute("select table_name from duckdb_tables()").fetchall()]
        results = {name: cursor.execute(f"select * from {name}").fetchall() for name in names if name not in _OWN}
    return {name: sorted(rows, key=repr) for name, rows in results.items()}


def query(project: Path, sql: str) -> list[Any]:
    """The first column of a query on a closed project."""
    with Store(project) as store, store.read() as cursor:
        return [row[0] for row in cursor.execute(sql).fetchall()]
