"""ImagenHub (Ku et al. 2023): the reader of its persons' tables, and the numbers of the notebook that it released."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from data.files import Problems, check_name, fail, located, quoted
from data.records import Image, Prompt
from data.studies.printed_numbers import PrintedNumber, PublishedStudy
from data.studies.study_ratings import AnnotationRow, StudyRatings, is_finite, refuse_empty
from data.tables import read_table

IMAGENHUB_SUITE: Final = "imagenhub"
CONSISTENCY: Final = "semantic_consistency"
QUALITY: Final = "perceptual_quality"
_HALVES: Final = (0, 0.5, 1)
_SAMPLE: Final = re.compile(r"sample_([0-9]{1,6})\.jpg")
_JUDGES: Final[Mapping[str, str]] = {"SC": CONSISTENCY, "PQ": QUALITY}


def read_imagenhub(tables: Sequence[Path], texts: Mapping[str, str]) -> StudyRatings:
    """ImagenHub: a table for each person, whose cells are lists ``[semantic consistency, perceptual quality]`` of 0, 0.5 and 1.

    Args:
        tables: ``Text-To-Image_rater1.tsv`` and so on; persons keep these names.
        texts: prompts' texts by sample, as far as they are known: these tables do not have them.

    Raises:
        InputError: a cell is not as it should be, or the tables are about different images; nothing is read then.
    """
    rows: list[AnnotationRow] = []
    prompts: dict[str, Prompt] = {}
    off: list[str] = []
    cells_of_first: set[tuple[str, str]] = set()
    for path in tables:
        table, problems = read_table(path), Problems(path)
        person = f"{IMAGENHUB_SUITE}/{path.stem.rpartition('_')[2]}"
        for line, cells in table.rows():
            try:
                uid = cells["uid"]
                prompt = prompts.setdefault(uid, sample_prompt(uid, texts))
                for generator, cell in list(cells.items())[1:]:
                    ratings = _pair(cell)
                    on_scale = {aspect: value for aspect, value in ratings.items() if value in _HALVES}
                    off_scale = {aspect: value for aspect, value in ratings.items() if value not in _HALVES}
                    off += [located(path, line, f"{uid}, {generator}: {cell} is not of 0, 0.5 and 1") for _ in off_scale]
                    image = Image(prompt.prompt_id, check_name(generator, "the generator"), 0)
                    raw = {"uid": uid, "cell": cell}
                    rows.append(AnnotationRow(image, person, on_scale, raw, off_scale=off_scale, identity="person"))
            except (ValueError, KeyError) as error:
                problems.add(line, f"no column {error}" if isinstance(error, KeyError) else str(error))
        problems.check()
        mine = {(uid, name) for _, cells in table.rows() for uid in [cells["uid"]] for name in table.header[1:]}
        cells_of_first = cells_of_first or mine
        if other := sorted(mine ^ cells_of_first):
            fail(path, None, f"is about other images than {tables[0].name}: {', '.join(other[0])}, for one")
    refuse_empty(rows, tables[0])
    return StudyRatings(tuple(prompts.values()), tuple(rows), excluded=tuple(off))


def is_sample(text: str) -> bool:
    """Whether a prompt's text is only ImagenHub's name for it."""
    return _SAMPLE.fullmatch(text) is not None


def sample_prompt(uid: str, texts: Mapping[str, str]) -> Prompt:
    """Return the prompt of a sample, with its text where that is known; ValueError: the sample's name is none."""
    match = _SAMPLE.fullmatch(uid)
    if match is None:
        raise ValueError(f"uid is {quoted(uid)}, 'sample_0.jpg' and so on expected")
    return Prompt(f"{IMAGENHUB_SUITE}/{int(match[1]):05d}", IMAGENHUB_SUITE, texts.get(uid, uid))


def _pair(cell: str) -> dict[str, float]:
    """The two ratings of a cell by aspect."""
    try:
        pair = json.loads(cell)
    except json.JSONDecodeError:
        pair = None
    if not isinstance(pair, list) or len(pair) != 2 or not all(map(is_finite, pair)):
        raise ValueError(f"a cell is {quoted(cell)}, a list of two numbers expected, such as [0.5, 1]")
    return dict(zip(_JUDGES.values(), pair, strict=True))


OVERALL: Final = "overall"
"""ImagenHub's and VIEScore's third aspect: the square root of the product of the two others. It is computed, not rated."""
ASPECTS: Final = {"SC": CONSISTENCY, "PQ": QUALITY, "O": OVERALL}
_HUB_GENERATORS: Final = ("DALLE", "DeepFloydIF", "OpenJourney", "SD", "SDXL", "Midjourney", "DALLE3")

_HUB_PRINTED: Final[Mapping[str, str]] = {
    "SC": ".37/.47 .53/.58 .46/.56 .55/.64 .49/.59 .44/.57 .47/.55",
    "PQ": ".39/.42 .21/.21 .24/.29 .23/.24 .36/.43 .05/.06 .06/.13",
    "O": ".27/.40 .32/.51 .30/.47 .38/.50 .37/.61 .34/.51 .19/.34",
}
"""By column of the table, and generator: Fleiss' kappa, and Krippendorff's ordinal alpha."""


def _imagenhub() -> Iterator[PrintedNumber]:
    for column, cells in _HUB_PRINTED.items():
        for generator, cell in zip(_HUB_GENERATORS, cells.split(), strict=True):
            names = ("Fleiss' kappa", "Krippendorff's alpha")
            statistics = ("fleiss_kappa", "krippendorff_alpha_ordinal")
            for name, statistic, printed in zip(names, statistics, cell.split("/"), strict=True):
                called = f"{name} {column}, {generator}"
                yield PrintedNumber(
                    called, "AnalyzeHumanEval.ipynb", f"0{printed}", statistic, generator=generator, aspect=ASPECTS[column]
                )


IMAGENHUB: Final = PublishedStudy(
    paper="Ku et al.: ImagenHub (2023), text-guided image generation",
    suite=IMAGENHUB_SUITE,
    aspect=CONSISTENCY,
    sources={name: name for name in _HUB_GENERATORS},
    numbers=tuple(_imagenhub()),
    notes=(
        "Overall (O) is the square root of semantic consistency (SC) times perceptual quality (PQ), of each person's pair.",
    ),
    claim="Three persons rate seven generators; Fleiss' kappa and Krippendorff's alpha are printed by generator and aspect.",
    files_say="{same} of {determined} are as printed.",
    consequence="The table can be relied on. It also shows a limit: on the quality of images by Midjourney and"
    " DALLE3 people hardly agree beyond chance (alpha {Krippendorff's alpha PQ, Midjourney} and"
    " {Krippendorff's alpha PQ, DALLE3}), so that no judge can be held to agree with them there.",
)
