"""VIEScore (Ku et al. 2023), judges of ImagenHub's images: the reader of their scores, and its notebook's numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from data.files import InputError, Problems, located, printable, quoted
from data.records import Image, Prompt
from data.studies.imagenhub import ASPECTS, CONSISTENCY, IMAGENHUB_SUITE, sample_prompt
from data.studies.printed_numbers import PrintedNumber, PublishedStudy, UndeterminedNumbers
from data.studies.study_ratings import ScoreRow, entries_of, is_finite

_TASK: Final = "ImagenHub_Text-Guided_IG"
_PROMPT: Final = re.compile(r"^Text Prompt: *(\S.*?) *$", re.MULTILINE)

_VIESCORE_GENERATORS: Final[Mapping[str, str]] = {"DALLE2": "DALLE"}
"""VIEScore's own names, by ImagenHub's where they differ."""


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """What language models and metrics say of ImagenHub's images.

    Attributes:
        texts: prompts' texts by sample, as the judges read them.
        missing: by judge the images without a score (it refused, or its answer could not be read).
        excluded: scores off their scale 0 to 10, with file and line.
    """

    scores: tuple[ScoreRow, ...]
    prompts: tuple[Prompt, ...]
    texts: Mapping[str, str]
    missing: Mapping[str, int]
    excluded: tuple[str, ...]


def viescore_files(folder: Path) -> list[tuple[Path, str, str]]:
    """``(path, scorer, generator)`` of the judges' and metrics' files of text-to-image generation below a folder."""
    judges = sorted(folder.glob(f"results_*_0shot/{_TASK}/*/??.json"))
    files = [(path, f"{path.parents[2].name.removeprefix('results_')} {path.stem}", path.parent.name) for path in judges]
    metrics = sorted(folder.glob(f"results_autometrics/{_TASK}/*.json"))
    return [*files, *((path, "", path.stem) for path in metrics)]


def read_viescore(folder: Path) -> JudgeScores:
    """VIEScore's judges: 0 to 10 with a written reason; of several scores of an image the smallest counts, as in their code.

    Scorers are called ``gpt4o_0shot SC`` (semantic consistency) and ``gpt4o_0shot PQ`` (perceptual quality); metrics as in the
    file. Generators have ImagenHub's names.

    Raises:
        InputError: there are no such files, or a score cannot be read; nothing is read then.
    """
    files = viescore_files(folder)
    if not files:
        raise InputError(located(folder, None, f"no results_*_0shot/{_TASK}/GENERATOR/SC.json below this folder"))
    scores: list[ScoreRow] = []
    texts: dict[str, str] = {}
    off: list[str] = []
    samples: set[str] = set()
    for path, scorer, generator in files:
        problems = Problems(path)
        for line, uid, entry in entries_of(path):
            with problems.at(line, f"{uid}: "):
                image = Image(sample_prompt(uid, {}).prompt_id, _VIESCORE_GENERATORS.get(generator, generator), 0)
                samples.add(uid)
                if not scorer:
                    for metric, value in entry.items():
                        if not is_finite(value):
                            raise ValueError(f"{quoted(metric)} is {quoted(value)}, a number expected")
                        scores.append(ScoreRow(image, metric, float(value)))
                    continue
                if text := _PROMPT.search(str(entry.get("prompt_input", ""))):
                    texts.setdefault(uid, text[1])
                value = _smallest(entry.get("score"))
                if not 0 <= value <= 10:
                    off.append(located(path, line, f"{printable(uid)}: {value:g} is not on the scale 0 to 10"))
                    continue
                scores.append(ScoreRow(image, scorer, value, str(entry.get("reasoning", ""))))
        problems.check()
    images = len({score.image for score in scores})
    count = Counter(score.rater_id for score in scores)
    missing = {name: images - n for name, n in count.items()}
    prompts = tuple(sample_prompt(uid, texts) for uid in sorted(samples, key=lambda uid: int(uid[7:-4])))
    return JudgeScores(tuple(scores), prompts, texts, missing, tuple(off))


def _smallest(score: Any) -> float:
    """A judge's score: a number, a text that is one, or the smallest of a list."""
    numbers = score if isinstance(score, list) and score else [score]
    try:
        return min(float(number) for number in numbers if not isinstance(number, bool))
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"the score is {quoted(score)}, a number or a list of numbers expected") from None


_NOTEBOOK: Final = "analyze_json.ipynb"
_VIE_GENERATORS: Final = ("DALLE", "DeepFloydIF", "OpenJourney", "SD", "SDXL")
PEOPLE: Final = "people"

_VIE_AVERAGES: Final[Mapping[str, Mapping[str, str]]] = {
    PEOPLE: {"SC": "0.5044", "PQ": "0.3640", "O": "0.4652"},
    "gpt4o_0shot": {"SC": "0.4989"},
    "gemini_0shot": {"SC": "0.5123", "PQ": "0.1842", "O": "0.4359"},
    "CLIP_Score": {"SC": "-0.0817"},
}

_VIE_BY_GENERATOR: Final[Mapping[str, Mapping[str, str]]] = {
    PEOPLE: {
        "SC": "0.5019 0.5635 0.5321 0.5979 0.5807",
        "PQ": "0.4680 0.3029 0.3600 0.2772 0.4992",
        "O": "0.4348 0.5131 0.4861 0.4962 0.5896",
    },
    "gemini_0shot": {
        "SC": "0.4783 0.5528 0.5904 0.6104 0.5974",
        "PQ": "0.1336 0.0659 0.2523 0.1879 0.2920",
        "O": "0.3412 0.4361 0.5538 0.4544 0.5505",
    },
}
"""What the released notebook's cells show of each generator."""

_CLIPSCORE: Final = (
    "unrounded correlations give −0.0818; if each generator's correlation is first rounded to the four digits that the notebook"
    " prints, their average is −0.0817 as printed. Other roundings of scores and ratings, the order of summation and a true"
    " Fisher average do not give it"
)


def _viescore() -> Iterator[PrintedNumber]:
    for rater, columns in _VIE_AVERAGES.items():
        for column, printed in columns.items():
            why = _CLIPSCORE if rater == "CLIP_Score" else ""
            yield PrintedNumber(
                f"{rater} {column}, average", _NOTEBOOK, printed, "spearman", rater=rater, aspect=ASPECTS[column],
                if_different=why,
            )  # fmt: skip
    for rater, columns in _VIE_BY_GENERATOR.items():
        for column, line in columns.items():
            for generator, printed in zip(_VIE_GENERATORS, line.split(), strict=True):
                called = f"{rater} {column}, {generator}"
                yield PrintedNumber(
                    called, _NOTEBOOK, printed, "spearman", generator=generator, rater=rater, aspect=ASPECTS[column]
                )


VIESCORE: Final = PublishedStudy(
    paper="Ku et al.: VIEScore (2023), text-guided image generation",
    suite=IMAGENHUB_SUITE,
    aspect=CONSISTENCY,
    sources={name: name for name in _VIE_GENERATORS},
    numbers=tuple(_viescore()),
    notes=(
        "SC is semantic consistency (the image shows what the prompt asks for), PQ perceptual quality, O both. Judges named"
        " 0shot saw no examples first.",
        "The notebook's function average_correlation takes correlations for Fisher's z, which they are not, and transforms"
        " their mean back: it gives tanh(mean of rho). A judge's average goes through it once; people's numbers go through it"
        " once over the three persons, and their average a second time over the generators. “mean of rho” stands beside each.",
        "People meet the mean of the two others, a judge the mean of all three, which is a steadier target. “equal terms” is a"
        " judge against the mean of two, as people are, averaged over the three pairs of persons.",
        "“of four digits” averages the generators' correlations as the notebook prints them. The notebook itself prints no"
        " average of people's and CLIPScore's; of the other averages both ways give the printed digits.",
        "A judge's scores count only on images of which it has both; of two scores of one image the smaller counts.",
        "Overall multiplies tenths in floating point, which parts equal products (0.3 × 0.8, 0.4 × 0.6); so does ours here.",
    ),
    open=(
        UndeterminedNumbers("the other six tasks of the notebook", _NOTEBOOK, "they edit images or take more than a text"),
        UndeterminedNumbers("averages of GPT-4v, LLaVA, and of GPT-4o's PQ and O", "paper", "what is printed is not at hand"),
    ),
    claim="Language models judge semantic consistency about as well as people: the average correlation with people is 0.4989"
    " (GPT-4o) and 0.5123 (Gemini), that of people among themselves 0.5044.",
    files_say="{same} of {determined} numbers are as printed when they are averaged as the released notebook does it. It"
    " shrinks averages, people's twice and judges' once. The plain means of rho are {people SC, average|mean of rho} (people),"
    " {gpt4o_0shot SC, average|mean of rho} (GPT-4o) and {gemini_0shot SC, average|mean of rho} (Gemini). People meet two"
    " others, judges the steadier mean of three; on equal terms the judges have {gpt4o_0shot SC, average|equal terms} and"
    " {gemini_0shot SC, average|equal terms}.",
    consequence="On semantic consistency the judges are near people, but behind them: that the averages are equal comes from"
    " how they were made. On perceptual quality Gemini has {gemini_0shot PQ, average|equal terms} where people have"
    " {people PQ, average|mean of rho}. The correlations of single generators are not affected.",
)
