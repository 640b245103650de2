"""TIFA's human study (Hu et al. 2023): the reader of its Likert ratings and metrics' scores, and its printed numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from data.files import InputError, Problems, check_name, located, quoted, read_text
from data.json_files import JsonStream
from data.prompts.prompt_files import text_source
from data.records import Image, Prompt
from data.studies.printed_numbers import PrintedNumber, PublishedStudy, UndeterminedNumbers
from data.studies.study_ratings import AnnotationRow, ScoreRow, StudyRatings, is_number
from data.validation import text_of

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


_TIFA_LIKERT: Final = "Section 5.1, App. C.1"

_TIFA_METRICS: Final = (
    ("BLEU-4", "bleu", "18.3", "18.8"),
    ("ROUGE-L", "rouge", "32.9", "24.5"),
    ("METEOR", "meteor", "34.0", "27.4"),
    ("SPICE", "spice", "32.8", "23.2"),
    ("CLIPScore", "clipscore_vitb32", "33.2", "23.1"),
    ("TIFA (VILT)", "tifa_vilt", "49.3", "38.2"),
    ("TIFA (OFA)", "tifa_ofa-large", "49.6", "37.2"),
    ("TIFA (GIT)", "tifa_git-large", "54.5", "42.6"),
    ("TIFA (BLIP-2)", "tifa_blip2-flant5xl", "55.9", "43.6"),
    ("TIFA (mPLUG)", "tifa_mplug-large", "59.7", "47.2"),
)
"""Table 2: the paper's name, the name in the file, "Spearman's rho", "Kendall's tau"."""

TIFA: Final = PublishedStudy(
    paper="Hu et al.: TIFA (2023), arXiv 2303.11897",
    suite="tifa",
    aspect="faithfulness",
    sources={
        "mini_dalle": "minDALL-E",
        "vq_diffusion": "VQ-Diffusion",
        "stable_diffusion_v1_1": "Stable Diffusion v1.1",
        "stable_diffusion_v1_5": "Stable Diffusion v1.5",
        "stable_diffusion_v2_1": "Stable Diffusion v2.1",
    },
    numbers=(
        *(
            PrintedNumber(f"Spearman's rho, {name}", "Table 2", rho, "pearson", percent=True, rater=rater, beside=("spearman",))
            for name, rater, rho, _ in _TIFA_METRICS
        ),
        *(
            PrintedNumber(f"Kendall's tau, {name}", "Table 2", tau, "kendall_tau_b", percent=True, rater=rater)
            for name, rater, _, tau in _TIFA_METRICS
        ),
        PrintedNumber(
            "Krippendorff's alpha, Likert scores",
            _TIFA_LIKERT,
            "0.67",
            "krippendorff_alpha_interval",
            beside=("krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "krippendorff_alpha_ratio"),
            if_different="the paper does not say which alpha; interval is the nearest, and 0.67 only if cut, not rounded",
        ),
        PrintedNumber("Annotations", _TIFA_LIKERT, "1600", "mean", quantity="ratings"),
        PrintedNumber("Images", _TIFA_LIKERT, "800", "mean", quantity="items"),
        PrintedNumber("Text inputs", _TIFA_LIKERT, "160", "mean", quantity="prompts"),
        PrintedNumber("Annotations of each image", _TIFA_LIKERT, "2", "mean", quantity="ratings_per_item"),
    ),
    notes=(
        "What the paper calls Spearman's rho is Pearson's r: the notebook released with the data calls numpy's corrcoef. "
        "The true Spearman stands beside it.",
        "Kendall's tau is tau-b.",
    ),
    open=(
        UndeterminedNumbers(
            "accuracy of VQA models, and TIFA scores against people's (76.1 to 84.5; 60.9 to 76.8)",
            "Table 3, Figure 11",
            "people's answers to the questions are not in the released file",
        ),
        UndeterminedNumbers(
            "Krippendorff's alpha of human VQA (0.88; 1029 questions on 126 images)",
            "Section 5.4, App. C.2",
            "these answers neither",
        ),
        UndeterminedNumbers(
            "7 of 1000 questions not reasonable", "Section 3.2", "these judgements are not in the released file"
        ),
        UndeterminedNumbers("20 graduate students", "App. C.1", "annotators have no ids"),
    ),
    claim="TIFA correlates with people's ratings better than other metrics (Spearman's rho 0.597 with mPLUG), and people agree"
    " with each other (alpha 0.67).",
    files_say="{same} of {determined} numbers are as printed. What is called Spearman's rho is Pearson's r; the true rho of"
    " TIFA with mPLUG is {Spearman's rho, TIFA (mPLUG)|spearman}. Alpha is {Krippendorff's alpha, Likert scores} if the scale"
    " counts as an interval scale, {Krippendorff's alpha, Likert scores|krippendorff_alpha_ordinal} if it is ordinal.",
    consequence="The order of the metrics stands. Whoever compares a new metric with this table by rank correlation has to use"
    " the rank correlation of the old ones, too.",
)
