"""Published studies by the files that they were released with: which study a folder holds, and its import."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from concord.common.context import CommandError, Context
from concord.studies import imports, selfeval


@dataclass(frozen=True, slots=True)
class StudyFiles:
    """A published study as its authors released it.

    Attributes:
        title: the study's name.
        holds: what it brings, in a few words.
        pattern: of a file that no other study has; empty: it needs no files.
        needed: which files or folders there must be.
    """

    title: str
    holds: str
    pattern: str
    needed: str


STUDY_FILES: Final[Mapping[str, StudyFiles]] = {
    "tifa": StudyFiles(
        "TIFA",
        "800 images, two people each on a 1 to 5 scale, ten metrics",
        "human_annotations_with_scores.json",
        "human_annotations_with_scores.json",
    ),
    "geneval": StudyFiles(
        "GenEval",
        "every answer of its study, by anonymous people",
        "evaluation_metadata.jsonl",
        "evaluation_metadata.jsonl and annotations_NAME.csv",
    ),
    "genai-bench": StudyFiles(
        "GenAI-Bench",
        "three ratings an image, six generators",
        "genai_image_1600.json",
        "genai_image_1600.json and genai_skills_1600.json",
    ),
    "viescore": StudyFiles(
        "VIEScore",
        "language models judge ImagenHub’s images, with its people",
        "results_gpt4o_0shot",
        "its results folders, and ImagenHub’s Text-To-Image_rater1.tsv and so on",
    ),
    "imagenhub": StudyFiles(
        "ImagenHub",
        "three people rate seven generators",
        "Text-To-Image_*.tsv",
        "Text-To-Image_rater1.tsv and so on",
    ),
    "tia2": StudyFiles(
        "TIA2",
        "does each of 27,500 images fit its caption",
        "human_labels_*.json",
        "human_labels_NAME.json and alignment_scores_NAME.json",
    ),
    "arena": StudyFiles(
        "GenAI-Arena",
        "votes on pairs, and two language models’ votes",
        "*_pairwise.jsonl",
        "gpt4o_pairwise.jsonl and gemini15pro_pairwise.jsonl",
    ),
    "selfeval": StudyFiles("SelfEval", "the numbers that its paper prints", "", ""),
}
"""Studies by the name that `import study` knows them by."""


def study_in(path: Path) -> str | None:
    """Return the study whose files a folder, or the folders in it, holds, or that a file is of; None for no study."""
    if not path.is_dir():
        return next((key for key, study in STUDY_FILES.items() if study.pattern and path.match(study.pattern)), None)
    return next((key for key, study in STUDY_FILES.items() if study.pattern and _study_files(path, study.pattern)), None)


def import_study(context: Context, key: str, path: Path) -> None:
    """Import a study from a folder, or from its one file.

    Raises:
        CommandError: a file is missing.
        InputError: a file is not the study's.
    """
    folder = path if path.is_dir() else path.parent
    if key == "selfeval":
        selfeval.import_selfeval(context)
    elif key == "tifa":
        imports.import_tifa(context, str(_the_file(folder, key)))
    elif key == "geneval":
        sources = _study_files(folder, "annotations_*.csv")
        if not sources:
            raise CommandError(f"there is no annotations_NAME.csv beside {STUDY_FILES[key].pattern}")
        named = [f"{path.stem.removeprefix('annotations_')}={path}" for path in sources]
        imports.import_geneval(context, str(_the_file(folder, key)), named)
    elif key == "viescore":
        people = _study_files(folder, STUDY_FILES["imagenhub"].pattern)
        if not people:
            raise CommandError(f"ImagenHub's people are missing: bring {STUDY_FILES['imagenhub'].needed} with them")
        imports.import_viescore(context, str(_the_file(folder, key).parent), str(people[0].parent))
    else:
        importers = {
            "genai-bench": imports.import_genai_bench,
            "imagenhub": imports.import_imagenhub,
            "tia2": imports.import_tia2,
            "arena": imports.import_arena,
        }
        importers[key](context, str(_the_file(folder, key).parent))


def _the_file(folder: Path, key: str) -> Path:
    found = _study_files(folder, STUDY_FILES[key].pattern)
    if not found:
        raise CommandError(f"{STUDY_FILES[key].title}: there must be {STUDY_FILES[key].needed}")
    return found[0]


def _study_files(folder: Path, pattern: str) -> list[Path]:
    return sorted([*folder.glob(pattern), *folder.glob(f"*/{pattern}")])
