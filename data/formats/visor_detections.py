"""VISOR's detection files: what its notebook saw, ``{"1103_0": {"classes", "centroid", "recall", "sra", "text"}}``.

The name of such a file is ``results_<generator>_<prompts>_<detector>_<threshold>.json``; ``1103_0`` is image 0 of SR2D's prompt
1103. Confidences and sizes are not in it: what stands there was above the threshold of its run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from data.files import JsonScanner, quoted, read_json_lines, read_text
from data.formats.evidence import EvidenceCase, finite_number
from data.jobs.runs import Detection, Observation
from data.prompts import sr2d
from data.prompts.spec import parse_spec

_KEY: Final = re.compile(r"([0-9]{1,9})_([0-9]{1,9})")
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
        return "id" not in first.value and bool(entries) and all(isinstance(one, dict) and "classes" in one for one in entries)
    # one object over many lines, or on one that is too long for a line
    with path.open("rb") as file:
        return _BEGINS.match(file.read(_HEAD)) is not None


def generator_of(path: Path) -> str | None:
    """The generator that a file's name tells, as VISOR names its files."""
    found = _FILE.fullmatch(path.name)
    return found["generator"] if found else None


def read_entries(path: Path) -> Iterator[tuple[int, str, Any]]:
    """(line, key, value) of each entry.

    Raises:
        InputError: the file is not JSON from where it was read.
    """
    yield from JsonScanner(path, read_text(path)).object()


def read_entry(key: str, value: Any, generator: str) -> VisorEntry:
    """One entry; what was asked is known from its prompt's number.

    Raises:
        ValueError: something is missing or of the wrong kind, or the text is not that prompt's.
    """
    found = _KEY.fullmatch(key)
    if found is None:
        raise ValueError(f"key {quoted(key)}, <prompt id>_<number> expected")
    if not isinstance(value, dict):
        raise ValueError(f"{quoted(key)} holds {quoted(value)}, an object expected")
    prompt = sr2d.numbered_prompt(int(found[1]))
    text = value.get("text")
    if text is not None and (not isinstance(text, str) or text.strip() != prompt.text):
        raise ValueError(f"{quoted(key)} has the text {quoted(text)}, but SR2D's prompt {found[1]} is {quoted(prompt.text)}")
    seen = Observation(key, {}, _detections(key, value.get("classes"), value.get("centroid")))
    case = EvidenceCase(key, prompt.spec, parse_spec(prompt.spec), seen, found[1], generator)
    return VisorEntry(case, _sra(key, value.get("sra")))


def key_of(case: EvidenceCase, taken: Mapping[str, int]) -> str:
    """``<prompt>_<index>`` of an image: as its id has it, else the next index of its prompt.

    Args:
        case: what was judged.
        taken: how many images of each prompt, by its number, there were before.

    Raises:
        ValueError: its prompt is none of SR2D's by number, or asks for something else than that.
    """
    key = _KEY.fullmatch(str(case.id))
    last = key[1] if key else (case.prompt_id or "").rsplit("/", 1)[-1]
    if not re.fullmatch("[0-9]{1,9}", last):
        raise ValueError(f"'prompt_id' is {quoted(case.prompt_id)}; VISOR names images by the number of SR2D's prompt")
    prompt = sr2d.numbered_prompt(int(last))
    published = parse_spec(prompt.spec)
    if (case.spec.objects, case.spec.relations) != (published.objects, published.relations):
        raise ValueError(f"it asks for something else than SR2D's prompt {int(last)}, {quoted(prompt.text)}")
    return key[0] if key else f"{int(last)}_{taken.get(str(int(last)), 0)}"


def entry_of(case: EvidenceCase, found: Mapping[str, Any], sra: bool) -> dict[str, Any]:
    """An entry as VISOR's notebook and README have it.

    Args:
        case: what was judged.
        found: ranks of the detections that count, by the class's name as asked.
        sra: whether the relation holds.
    """
    boxes = {name: [case.seen.detections[k].box for k in ranks] for name, ranks in found.items()}
    centers = [(name, [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]) for name, here in boxes.items() for box in here]
    return {
        "classes": [name for name, _ in centers],
        "centroid": [center for _, center in centers],
        "recall": sum(bool(ranks) for ranks in found.values()),
        "sra": int(sra),
        "text": _text(case.asked),
    }


def format_entry(key: str, entry: Mapping[str, Any]) -> str:
    """An entry of the file's one object, without the comma."""
    return f"{json.dumps(key)}: {json.dumps(entry)}"


def _detections(key: str, classes: Any, centroids: Any) -> tuple[Detection, ...]:
    if not isinstance(classes, list) or not isinstance(centroids, list) or len(classes) != len(centroids):
        raise ValueError(f"{quoted(key)} needs lists 'classes' and 'centroid' of one length")
    found = []
    for k, (name, center) in enumerate(zip(classes, centroids, strict=True)):
        if not isinstance(name, str) or not isinstance(center, list) or len(center) != 2:
            raise ValueError(f"{quoted(key)}, centroid {k} is {quoted(center)} of {quoted(name)}, [x, y] of a class expected")
        x, y = map(finite_number, center)
        found.append(Detection(name, 1.0, (x, y, x, y)))
    return tuple(found)


def _sra(key: str, found: Any) -> bool | None:
    if found is None:
        return None
    if not isinstance(found, bool) and found not in (0, 1):
        raise ValueError(f"'sra' of {quoted(key)} is {quoted(found)}, 0 or 1 expected")
    return bool(found)


def _text(asked: Mapping[str, Any]) -> str:
    """The prompt's, whether or not it is one of SR2D's."""
    relation = asked.get("relation")
    return sr2d.prompt_text(asked["a"], asked.get("b"), relation and relation.removesuffix(" of"))
