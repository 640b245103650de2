"""GenAI-Bench (Li et al. 2024): the reader of its ratings, and its printed numbers. It has no image files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from data.files import Problems, check_name, fail, located, quoted, read_text
from data.json_files import parse_json
from data.records import Image, Prompt
from data.studies.printed_numbers import PrintedNumber, PublishedStudy, UndeterminedNumbers
from data.studies.study_ratings import AnnotationRow, StudyRatings, entries_of, is_finite, refuse_empty, value_of
from data.validation import text_of

GENAI_SUITE: Final = "genai-bench"
GENAI_SCALE: Final = range(1, 6)
_DIGITS: Final = re.compile(r"[0-9]{1,9}")


def read_genai_bench(images: Path, skills: Path, suite: str = GENAI_SUITE) -> StudyRatings:
    """GenAI-Bench: ``genai_image_*.json`` (three ratings 1 to 5 of each generator's image) and ``genai_skills_*.json``.

    Raters have no names, so they are slots. A prompt's task is ``advanced`` or ``basic``; its skills stand in ``raw``.

    Raises:
        InputError: an entry is not as it should be; nothing is read then.
    """
    tags = parse_json(skills, 1, read_text(skills))
    if not (isinstance(tags, dict) and all(isinstance(numbers, list) for numbers in tags.values())):
        fail(skills, None, "lists of prompts' numbers by skill are expected")
    problems = Problems(images)
    prompts: list[Prompt] = []
    rows: list[AnnotationRow] = []
    off: list[str] = []
    for line, key, entry in entries_of(images):
        with problems.at(line):
            if not _DIGITS.fullmatch(key) or key.lstrip("0") != text_of(entry, "id").lstrip("0"):
                raise ValueError(f"entry {quoted(key)} has the id {quoted(entry.get('id'))}")
            named = [name for name, numbers in tags.items() if int(key) in numbers]
            task = next((name for name in ("advanced", "basic") if name in named), None)
            prompt = Prompt(f"{suite}/{int(key):05d}", suite, text_of(entry, "prompt"), task)
            prompts.append(prompt)
            for generator in value_of(entry, "models", dict, "ratings by generator"):
                ratings = value_of(entry["models"], generator, list, "a list of ratings")
                image = Image(prompt.prompt_id, check_name(generator, "the generator"), 0)
                for slot, rating in enumerate(ratings, 1):
                    if not is_finite(rating):
                        raise ValueError(f"{generator} has the rating {quoted(rating)}, a number expected")
                    raw = {"generator": generator, "ratings": ratings, "skills": named}
                    on_scale, off_scale = {"faithfulness": rating}, dict[str, Any]()
                    if rating not in GENAI_SCALE:
                        on_scale, off_scale = off_scale, on_scale
                        problem = f"{key}, {generator}, rating {slot}: {rating} is not on the scale 1 to 5"
                        off.append(located(images, line, problem))
                    rows.append(AnnotationRow(image, f"{suite}/slot-{slot}", on_scale, raw, off_scale=off_scale))
    problems.check()
    refuse_empty(rows, images)
    return StudyRatings(tuple(prompts), tuple(rows), excluded=tuple(off))


AS_RELEASED: Final = "faithfulness, as released"
AS_RELEASED_ORDER: Final = "faithfulness, as released, by order"
_ALPHA: Final = "Krippendorff's alpha"
_WHICH_ALPHA: Final = "the paper does not say which alpha; no kind of it is 0.72 of these ratings"

GENAI_BENCH: Final = PublishedStudy(
    paper="Li et al.: GenAI-Bench (2024)",
    suite=GENAI_SUITE,
    aspect="faithfulness",
    sources={name: name for name in ("DALLE_3", "SDXL_Turbo", "DeepFloyd_I_XL_v1", "Midjourney_6", "SDXL_2_1", "SDXL_Base")},
    numbers=(
        PrintedNumber(
            f"{_ALPHA}, as released",
            "paper",
            "0.72",
            "krippendorff_alpha_interval",
            aspect=AS_RELEASED,
            beside=("krippendorff_alpha_ratio",),
            if_different=_WHICH_ALPHA,
        ),
        PrintedNumber(
            f"{_ALPHA}, as released, by order",
            "paper",
            "0.72",
            "krippendorff_alpha_ordinal",
            aspect=AS_RELEASED_ORDER,
            beside=("krippendorff_alpha_nominal",),
            if_different=_WHICH_ALPHA,
        ),
        PrintedNumber(
            f"{_ALPHA}, cleaned",
            "paper",
            "0.72",
            "krippendorff_alpha_interval",
            beside=("krippendorff_alpha_ordinal", "krippendorff_alpha_nominal", "krippendorff_alpha_ratio"),
            if_different=_WHICH_ALPHA,
        ),
    ),
    notes=(
        "Ratings off the scale 1 to 5 are as they were written in the lines “as released”, and left out in “cleaned”.",
        "The code that the authors released averages an image's three numbers without a check of the scale.",
    ),
    open=(
        UndeterminedNumbers(
            "agreement with people of VQAScore and other metrics",
            "paper",
            "their scores of these images are not released with the ratings",
        ),
        UndeterminedNumbers(
            "numbers of the subset of 527 prompts",
            "paper and released evaluation code",
            "they are metrics' agreement with people; the files of the subset hold ratings alone, no scores",
        ),
    ),
    claim="People agree well on how far an image follows its prompt: Krippendorff's alpha is 0.72.",
    files_say="Of 28,800 ratings on a scale from 1 to 5, two are 41 and 33. As released, interval alpha is"
    " {Krippendorff's alpha, as released} and ordinal alpha {Krippendorff's alpha, as released, by order}; without these two,"
    " interval alpha is {Krippendorff's alpha, cleaned} and ordinal alpha"
    " {Krippendorff's alpha, cleaned|krippendorff_alpha_ordinal}.",
    consequence="The claim stands in substance: 0.72 lies inside the interval of the cleaned alphas. Two slips of the"
    " keyboard move interval alpha by four hundredths, and each lifts an image's mean rating above 5 for whoever averages the"
    " file as it is. Check the scale before averaging.",
)
