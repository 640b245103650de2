"""Files of image-text matching: an image, captions to choose among, and which is right; a user's rows, Winoground's, ARO's.

Winoground (Thrush et al., 2022): ``{"id", "image_0", "image_1", "caption_0", "caption_1", "tag"}``, two examples a
line. ARO (Yuksekgonul et al., 2023): ``{"image_path", "true_caption", "false_caption", "bbox_x"?, ...}`` for attribution and
relation, whose code cuts the box out of the picture, and ``{"image", "caption_options"}`` for order, the first being right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from data.prompts.captions import Candidates, of_spec
from data.prompts.files import entries
from data.prompts.reading import InputError, check_name, fail, located, parse_json, printable, quoted, read_text
from data.studies.table import read_table

LAYOUTS: Final = ("rows", "winoground", "aro")
MOST_CAPTIONS: Final = 64
LONGEST: Final = 2000
"""Characters of a caption."""

Box = tuple[int, int, int, int]
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Example:
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
        """As ``data.prompts.captions`` reads it."""
        group = {} if self.group is None else {"group": self.group}
        return {"captions": list(self.offered.captions), "right": self.offered.right, **group}


@dataclass(frozen=True, slots=True)
class Matching:
    """What a file holds. ``wrong``: rows that cannot be read, ``FILE:LINE: why`` each."""

    layout: str
    examples: list[Example] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def read_matching(path: Path, layout: str = "auto") -> Matching:
    """The examples of a JSONL, JSON or CSV (TSV) file; rows that cannot be read are told and left out.

    ``rows``: ``image``, ``captions`` (a list; in a CSV cell a JSON list, or columns ``caption_0``, ``caption_1`` ...),
    ``right`` (the place of the right one, from 0, or its text), ``task``?, ``group``?. ``auto``: what the first row looks like.

    Raises:
        InputError: the file as a whole cannot be read, or is empty.
    """
    found, names = Matching(layout), set[str]()
    for number, line, read in _rows(path):
        try:
            row = read()
            if not isinstance(row, Mapping):
                raise ValueError(f"found {quoted(row)}, a JSON object expected")
            if found.layout == "auto":
                found = Matching(_layout(row))
            for example in _LAYOUTS[found.layout](row, number, line):
                if example.name in names:
                    raise ValueError(f"the id {quoted(example.name)} stands in the file twice")
                names.add(example.name)
                found.examples.append(example)
        except InputError as error:
            found.wrong.extend(error.problems)
        except ValueError as error:
            found.wrong.append(located(path, line, printable(error)))
    if not found.examples and not found.wrong:
        fail(path, None, "holds no examples; one per row is expected")
    return found


def _rows(path: Path) -> Iterator[tuple[int, int, Callable[[], Any]]]:
    """``(number, line, read)`` of each row; an array that breaks off ends with a row that says so."""
    if path.suffix.lower() in (".csv", ".tsv"):
        for number, (line, cells) in enumerate(read_table(path).rows()):
            yield number, line, partial(_of_cells, path, line, cells)
        return
    text = read_text(path)
    try:
        yield from entries(path, text)
    except InputError as error:
        yield -1, 0, partial(_broken, error)


def _broken(error: InputError) -> Any:
    raise error


def _of_cells(path: Path, line: int, cells: Mapping[str, str]) -> dict[str, Any]:
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


def _own(row: Row, number: int, line: int) -> Iterator[Example]:
    image, captions, right = _text(row, "image"), row.get("captions"), row.get("right")
    if right is None:
        raise ValueError("'right' is missing: the place of the right caption, from 0, or its text")
    if isinstance(right, str) and isinstance(captions, list) and captions.count(right) == 1:
        right = captions.index(right)
    task, group = (_text(row, key) if row.get(key) is not None else None for key in ("task", "group"))
    yield Example(f"{number:05d}", line, image, _offered(captions, right), task, group)


def _winoground(row: Row, number: int, line: int) -> Iterator[Example]:  # noqa: ARG001 - its rows have an id
    name = check_name(str(row["id"]) if isinstance(row.get("id"), int) else _text(row, "id"), "the id")
    captions = [_text(row, "caption_0"), _text(row, "caption_1")]
    task = next((row[key] for key in ("collapsed_tag", "tag") if isinstance(row.get(key), str) and row[key].strip()), None)
    examples = [Example(f"{name}-{k}", line, _text(row, f"image_{k}"), _offered(captions, k), task, name) for k in (0, 1)]
    yield from examples


def _aro(row: Row, number: int, line: int) -> Iterator[Example]:
    image = _text(row, "image_path" if "image_path" in row else "image")
    if "true_caption" in row:
        captions: Any = [_text(row, "true_caption"), _text(row, "false_caption")]
        task = "spatial" if "relation_name" in row else "attribute"
    elif "caption_options" in row:
        captions, task = row["caption_options"], "text_corruption"
    elif isinstance(row.get("caption"), list):
        raise ValueError(
            "'caption' holds descriptions that are all true; write ARO's 'caption_options' first, the true one first"
        )
    else:
        raise ValueError("'true_caption' and 'false_caption', or 'caption_options' expected")
    yield Example(f"{number:05d}", line, image, _offered(captions, 0), task, box=_box(row))


def _box(row: Row) -> Box | None:
    if all(row.get(f"bbox_{side}") is None for side in "xywh"):
        return None
    sides = [row.get(f"bbox_{side}") for side in "xywh"]
    x, y, w, h = (int(side) if isinstance(side, int | float) and 0 <= side < 1e6 else -1 for side in sides)
    if min(x, y) < 0 or min(w, h) < 1:
        raise ValueError(f"'bbox_x', 'bbox_y', 'bbox_w', 'bbox_h' are {quoted(sides)}, a box in pixels expected")
    return x, y, x + w, y + h


_LAYOUTS: Final[dict[str, Callable[[Row, int, int], Iterator[Example]]]] = {
    "rows": _own,
    "winoground": _winoground,
    "aro": _aro,
}


def _offered(captions: Any, right: Any) -> Candidates:
    if isinstance(captions, list):
        if len(captions) > MOST_CAPTIONS:
            raise ValueError(f"{len(captions)} captions; at most {MOST_CAPTIONS} are read")
        for caption in captions:
            _checked(caption, "a caption")
    # a SpecError is a ValueError with one line
    return of_spec({"captions": captions, "right": right})


def _text(row: Row, key: str) -> str:
    if key not in row:
        raise ValueError(f"'{key}' is missing")
    return _checked(row[key], f"'{key}'")


def _checked(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} is {quoted(value)}, a text expected")
    if len(value) > LONGEST:
        raise ValueError(f"{what} has {len(value):,} characters; at most {LONGEST:,} are read")
    if "\0" in value:
        raise ValueError(f"{what} holds a NUL character; remove it")
    return value
