"""TIFA's human study: two Likert scores per image, and the metrics that the paper compares with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from data.files import InputError, JsonScanner, Problems, check_name, located, quoted, read_text
from data.prompts.prompt_files import text_source
from data.records import AnnotationRow, Image, Item, Prompt, ScoreRow, StudyRatings, image_item

SUITE: Final = "tifa"

_NOT_METRICS: Final = frozenset({"text_id", "image_path", "text"})


@dataclass(frozen=True, slots=True)
class _TifaEntry:
    """One entry after its parts were checked."""

    line: int
    prompt: Prompt
    image: Image
    item: Item
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
    for line, key, value in JsonScanner(path, read_text(path)).object():
        try:
            if key in seen:
                raise ValueError(f"key {quoted(key)} stands on line {seen[key]} already")
            seen[key] = line
            entry = _entry(line, key, value)
            first = texts.setdefault(entry.prompt.prompt_id, entry)
            if entry.prompt.text != first.prompt.text:
                raise ValueError(f"'text' differs from that on line {first.line}, which has the same text_id")
        except ValueError as error:
            problems.add(line, str(error))
            continue
        entries.append(entry)
    problems.check()
    if not entries:
        raise InputError(located(path, None, "holds no annotations"))
    return _study(entries)


def _study(entries: Sequence[_TifaEntry]) -> StudyRatings:
    # Prompts of one text_id are equal but for nothing; the first stands for all (their specs make them unhashable).
    prompts = {entry.prompt.prompt_id: entry.prompt for entry in reversed(entries)}
    order = dict.fromkeys(entry.prompt.prompt_id for entry in entries)
    names = dict.fromkeys(name for entry in entries for name in entry.metrics)
    missing = {name: sum(entry.metrics.get(name) is None for entry in entries) for name in names}
    return StudyRatings(
        prompts=tuple(prompts[prompt_id] for prompt_id in order),
        rows=tuple(
            AnnotationRow(e.item, e.image, f"{SUITE}/slot-{slot}", {"faithfulness": score}, e.raw, None, e.line)
            for e in entries
            for slot, score in enumerate(e.scores, 1)
        ),
        scores=tuple(
            ScoreRow(e.item, e.image, name, value, e.line)
            for e in entries
            for name in names
            if (value := e.metrics.get(name)) is not None
        ),
        missing_scores=missing,
    )


def _entry(line: int, key: str, value: Any) -> _TifaEntry:
    if not isinstance(value, dict):
        raise ValueError(f"{quoted(key)} holds {quoted(value)}, an object expected")
    text_id, text = _string(value, "text_id"), _string(value, "text")
    check_name(text_id, "text_id")
    generator = key.removeprefix(f"{text_id}_")
    if generator == key:
        raise ValueError(f"key {quoted(key)} must be the text_id {quoted(text_id)}, '_' and the generator's name")
    check_name(generator, "the generator's name")
    prompt = Prompt(f"{SUITE}/{text_id}", SUITE, text, text_source(text_id))
    image = Image(prompt.prompt_id, generator, 0)
    metrics = _metrics(value)
    raw = {name: metrics.get(name, found) for name, found in value.items()}  # NaN is no JSON; a missing metric is null here
    return _TifaEntry(line, prompt, image, image_item(image, prompt), _human_scores(value), metrics, raw)


def _string(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str) or not found.strip():
        raise ValueError(f"'{key}' is {quoted(found)}, a text expected")
    if "\0" in found:
        raise ValueError(f"'{key}' holds a NUL character; remove it")
    return found


def _human_scores(value: dict[str, Any]) -> tuple[int, ...]:
    found = value.get("human_scores")
    if not isinstance(found, list) or not found or not all(_is_number(score) and score in (1, 2, 3, 4, 5) for score in found):
        raise ValueError(f"'human_scores' is {quoted(found)}, a list of whole numbers 1 to 5 expected")
    scores = tuple(int(score) for score in found)
    average = value.get("human_avg")
    if average is not None and not (_is_number(average) and math.isclose(average, sum(scores) / len(scores), abs_tol=0.01)):
        raise ValueError(f"'human_avg' is {quoted(average)}, but the mean of {list(scores)} is {sum(scores) / len(scores):g}")
    return scores


def _metrics(value: dict[str, Any]) -> dict[str, float | None]:
    metrics: dict[str, float | None] = {}
    for name, found in value.items():
        if name in _NOT_METRICS or name.startswith("human_"):
            continue
        if found is not None and not _is_number(found):
            raise ValueError(f"metric {quoted(name)} is {quoted(found)}, a number or null expected")
        if found is None or math.isnan(found):
            metrics[name] = None
        elif math.isinf(found):
            raise ValueError(f"metric {quoted(name)} is infinite, a finite number expected")
        else:
            check_name(name, "the metric's name")
            metrics[name] = float(found)
    return metrics


def _is_number(found: Any) -> bool:
    # a whole number of hundreds of digits is none that can be compared
    return isinstance(found, float) or (isinstance(found, int) and not isinstance(found, bool) and abs(found) < 2**63)
