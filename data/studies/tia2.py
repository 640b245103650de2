"""TIA2, the data of TextNorm (ICLR 2024): the reader of its labels, and what is printed of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from data.files import Problems, fail, quoted
from data.records import Image, Prompt
from data.studies.printed_numbers import PublishedStudy, UndeterminedNumbers
from data.studies.study_ratings import AnnotationRow, StudyRatings, entries_of, is_finite, refuse_empty, value_of
from data.validation import text_of

TIA2_SUITE: Final = "tia2"
TIA2_SETS: Final = ("composition", "comprehensive", "counting")

TIA2_PRINTED: Final = "human (printed)"
"""TIA2's printed share of fitting images of a prompt, as a scorer of the prompt's total."""
_NO_ANSWER: Final = -1
_TIA2_IMAGE: Final = re.compile(r"image_([0-9]{1,5})_([0-9]{1,3})_([0-9])\.jpg")


@dataclass(frozen=True, slots=True)
class Tia2Study:
    """TIA2's ratings, and by prompt the share of fitting images as released (``printed``)."""

    ratings: StudyRatings
    printed: Mapping[str, float]


def read_tia2(folder: Path) -> Tia2Study:
    """TIA2: whether each image of Stable Diffusion 2.1 fits its caption, by three slots (1, 0, or -1 for no answer).

    ``human_labels_*.json`` hold the labels of each set, which is the prompt's task; ``alignment_scores_*.json`` by caption the
    share of fitting images, and metrics.

    Raises:
        InputError: an entry is not as it should be; nothing is read then.
    """
    prompts: dict[str, Prompt] = {}
    rows: list[AnnotationRow] = []
    printed: dict[str, float] = {}
    unanswered: dict[str, int] = {}
    for name in TIA2_SETS:
        path, problems = folder / f"human_labels_{name}.json", Problems(folder / f"human_labels_{name}.json")
        by_caption: dict[str, Prompt] = {}
        for line, key, entry in entries_of(path):
            with problems.at(line):
                match = _TIA2_IMAGE.fullmatch(key)
                if match is None or entry.get("image") != key:
                    raise ValueError(f"{quoted(key)} is no image_PROMPT_BATCH_NUMBER.jpg, or its 'image' differs")
                prompt = Prompt(f"{TIA2_SUITE}/{name}-{int(match[1]):03d}", TIA2_SUITE, text_of(entry, "caption"), name)
                if (
                    prompts.setdefault(prompt.prompt_id, prompt) != prompt
                    or by_caption.setdefault(prompt.text, prompt) != prompt
                ):
                    raise ValueError(f"caption {quoted(prompt.text)} and prompt {match[1]} do not belong to each other alone")
                image = Image(prompt.prompt_id, "sd2.1", 10 * int(match[2]) + int(match[3]))
                labels = value_of(entry, "human_labels", list, "a list of labels")
                for slot, label in enumerate(labels, 1):
                    if label not in (0, 1, _NO_ANSWER) or isinstance(label, bool):
                        raise ValueError(f"{key} has the label {quoted(label)}, 0, 1 or -1 (no answer) expected")
                    if label == _NO_ANSWER:
                        unanswered[path.name] = unanswered.get(path.name, 0) + 1
                        continue
                    raw = {"image": key, "human_labels": labels}
                    rows.append(AnnotationRow(image, f"{TIA2_SUITE}/slot-{slot}", {"correct": label}, raw))
        problems.check()
        scores = folder / f"alignment_scores_{name}.json"
        for line, caption, entry in entries_of(scores) if scores.is_file() else ():
            if caption not in by_caption or not is_finite(entry.get("human")):
                fail(scores, line, f"{quoted(caption)} is no caption of {path.name}, or has no number 'human'")
            printed[by_caption[caption].prompt_id] = float(entry["human"])
    refuse_empty(rows, folder)
    ratings = StudyRatings(tuple(prompts.values()), tuple(rows), unanswered=unanswered)
    return Tia2Study(ratings, printed)


TIA2: Final = PublishedStudy(
    paper="Confidence-aware reward (TextNorm, ICLR 2024): TIA2",
    suite=TIA2_SUITE,
    aspect="correct",
    sources={"sd2.1": "Stable Diffusion 2.1"},
    numbers=(),
    notes=(
        "Printed is the share of a prompt's 50 images that fit: an image fits if more than half of its valid labels say so, so"
        " that one yes and one no is a no. A label −1 is no answer.",
        "Prompts without a printed number are those on whose images people give one answer only, where AUROC is undefined.",
    ),
    open=(
        UndeterminedNumbers(
            "AUROC, average precision, Spearman and Kendall of five metrics by prompt",
            "alignment_scores_*.json",
            "the metrics' scores of single images are not released",
        ),
    ),
    claim="For 525 prompts the share of images that people find fitting is released beside five metrics' agreement with them.",
    files_say="{same} of {determined} shares are as released, by a strict majority of the valid labels.",
    consequence="The shares can be relied on. Who averages the labels has to leave −1 out, which is no answer; a majority"
    " is the same either way. That metrics agree with people as printed cannot be checked, as their scores of images are not"
    " released.",
)
