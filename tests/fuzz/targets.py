"""Every reader of files and texts from elsewhere, with valid ones to begin with and what it promises to raise: the list.

Readers that write into a project are in ``importers``, routes of the app in ``routes``.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from data.export.rows import ExportedAnswer, ExportedJudgement
from data.formats import cooccurrence
from data.images import files as images
from data.jobs.maps import MapFolder
from data.matching import files
from data.prompts.questions import format_questions, read_questions
from data.ratings.rating_tables import RatingColumns
from data.spec import SpecError
from data.studies.arena import read_arena
from data.studies.genai_bench import read_genai_bench
from data.studies.imagenhub import read_imagenhub
from data.studies.tia2 import read_tia2
from data.studies.tifa import read_human_annotations
from data.studies.viescore import read_viescore
from tests.concord.studies import small_studies
from tests.fuzz import seeds
from tests.fuzz.mutation import Files
from tests.fuzz.reader_calls import (
    accounts_of,
    answers_of,
    campaign_of,
    cells_of,
    completion_of,
    custom_of,
    evidence_of,
    exported_of,
    job_of,
    journal_of,
    journal_of_matching_of,
    known_of,
    locations_of,
    map_of,
    own_of,
    picture_of,
    prompts_of,
    ratings_of,
    results_of,
    run_of,
    server_of,
    single_spec_of,
    study_of,
    tifa_results_of,
    vectors_of,
    written_of,
    yaml_of,
)
from tests.ui.small_project import METADATA

Read = Callable[[Path], object]
"""Reads the files of a case, which lie in this folder; and does with what it reads what the app would do with it."""


@dataclass(frozen=True, slots=True)
class Target:
    """One reader.

    Attributes:
        files: valid ones to begin with; of several sets each is as likely.
        promised: what it may raise, each with one line for people.
    """

    name: str
    files: tuple[Files, ...]
    read: Read
    promised: tuple[type[BaseException], ...] = (ValueError,)
    words: tuple[str, ...] = field(default=())


def _released(make: Callable[[Path], object]) -> Files:
    """The files of a small study, by their paths below its folder."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder))
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


_RUN: Final[Files] = {
    "run.json": seeds.document(
        {
            "run_id": "r",
            "scorer": "geneval",
            "version": "1",
            "profile": "playground",
            "settings": {},
            "device": "cpu",
            "part_size": 2,
        }
    ),
    "manifest.jsonl": seeds.lines(
        *(
            {"item_id": f"geneval/00000/sdv2/{n}", "path": "a.png", "sha256": "0" * 64, "text": "a", "spec": {}}
            for n in range(2)
        )
    ),
    "progress.json": seeds.document({"state": "done", "done": 2, "total": 2, "versions": {"a": "1"}, "warnings": []}),
    "parts/00000.parquet": seeds.part(),
}
_JOB: Final[Files] = {
    "job.json": seeds.document(
        {"generator": "g", "wanted": [{"prompt_id": "p", "index": 0, "text": "t", "seed": 1, "file": "/x"}], "batch_size": 1}
    ),
    "progress.json": _RUN["progress.json"],
    "opened.json": seeds.document({"weights": "w"}),
}
_GENEVAL_FOLDER: Final[Files] = {
    "00000/metadata.jsonl": seeds.lines(METADATA[0]),
    "00000/samples/0000.png": seeds.picture("PNG"),
    "00001/samples/1.jpg": seeds.picture("JPEG"),
}
_CSV_FOLDER: Final[Files] = {
    "images.csv": b"path,prompt,generator,idx,task\na.png,a cat,g,0,t\nb/c.webp,a dog,,1,\n",
    "a.png": seeds.picture("PNG"),
    "b/c.webp": seeds.picture("WEBP"),
}
_VISOR_FOLDER: Final[Files] = {"1103_0.png": seeds.picture("PNG"), "1103_1.gif": seeds.picture("GIF")}


def _map_file() -> bytes:
    from tempfile import TemporaryDirectory

    import numpy as np

    from data.jobs.maps import Map

    with TemporaryDirectory() as folder:
        MapFolder(Path(folder)).write(Map("pca", "m", ("a", "b"), np.zeros((2, 2), np.float32), 2, (0.5, 0.5)))
        return MapFolder(Path(folder)).file.read_bytes()


_PICTURES: Final = {
    "a.png": ("PNG", "RGB"), "p.png": ("PNG", "P"), "l.png": ("PNG", "I;16"), "t.png": ("PNG", "RGBA"),
    "a.jpg": ("JPEG", "RGB"), "c.jpg": ("JPEG", "CMYK"), "a.webp": ("WEBP", "RGB"), "a.gif": ("GIF", "RGB"),
    "a.bmp": ("BMP", "RGB"), "a.tif": ("TIFF", "RGB"), "f.tif": ("TIFF", "F"), "a.avif": ("AVIF", "RGB"),
}  # fmt: skip


def _parted(name: str, kinds: Mapping[str, bytes], read: Callable[[str, Path], object]) -> list[Target]:
    """A target for each file that a reader knows by its name."""
    return [Target(f"{name}: {file}", ({file: content},), partial(read, file)) for file, content in kinds.items()]


_RATINGS: Final = (
    ("r.csv", seeds.RATINGS,
     RatingColumns(("image",), "who", "value", prompt="prompt", generator="gen", index="value", task="task")),
    ("r.jsonl", seeds.lines({"image": "i1", "who": "ann", "value": 5.0}, {"image": "x/i2.png", "value": None, "who": 1}),
     RatingColumns(("image", "who"), "who", "value")),
    ("label_studio.json", seeds.LABEL_STUDIO, RatingColumns(("image",), "completed_by", "stars")),
    ("argilla.jsonl", seeds.ARGILLA, RatingColumns(("image",), "user_id", "stars", generator="gen")),
)  # fmt: skip
READERS: Final[tuple[Target, ...]] = (
    *_parted("prompts", {"p.jsonl": seeds.PROMPTS, "p.json": seeds.PROMPT_LIST, "p.txt": b"a cat\r\na dog\n\n"}, prompts_of),
    Target("spec", ({"spec.json": seeds.document(seeds.CATS)}, {"spec.json": seeds.document(seeds.SR2D)}), single_spec_of,
           (SpecError,)),
    Target("answers", ({"answers.json": seeds.document({"objects": "a cat", "count_0": 1, "color_0": ["red"], "realism_0": 3,
                        "count_1": 2, "position_x": "left", "position_y": "neither_y", "caption_fit": 4, "faithfulness": 4,
                        "preference": "left", "quality": 3, "blank_image": True})},),
           answers_of, ()),
    Target("questions", ({"q.json": seeds.document(seeds.QUESTIONS)}, {"q.json": seeds.lines(*seeds.QUESTIONS)}),
           lambda folder: format_questions(read_questions(folder / "q.json", "tifa"))),
    Target("text of a language model", ({"text.txt": seeds.WRITTEN},), written_of, ()),
    Target("answer of an endpoint", ({"answer.json": seeds.COMPLETION},), completion_of, ()),
    Target("evidence", ({"evidence.jsonl": seeds.EVIDENCE},), evidence_of),
    Target("geneval results", ({"results.jsonl": seeds.RESULTS},), results_of),
    *_parted("tifa results", {"r.json": seeds.TIFA_RESULTS, "r.jsonl": seeds.TIFA_LINES}, tifa_results_of),
    *_parted("image-text matching", {"rows.jsonl": seeds.MATCHING, "rows.csv": seeds.MATCHING_CSV, "w.jsonl": seeds.WINOGROUND,
             "aro.json": seeds.ARO}, journal_of_matching_of),
    Target("matching of tifa", ({"t.json": seeds.PROMPT_LIST, "q.json": seeds.document(seeds.QUESTIONS)},),
           lambda folder: files.read_tifa_matching(folder / "t.json", folder / "q.json")),
    Target("co-occurrence", ({"c.json": seeds.COCO},),
           lambda folder: cooccurrence.read_cooccurrence(folder / "c.json", "c")),
    Target("study geneval",
           ({"metadata.jsonl": seeds.lines(*METADATA), "annotations.csv": seeds.GENEVAL_STUDY},), study_of),
    Target("study tifa", ({"t.json": seeds.TIFA_STUDY},), lambda folder: read_human_annotations(folder / "t.json")),
    Target("study genai-bench", (_released(small_studies.genai_bench),), lambda folder: read_genai_bench(
        folder / "genai_image_1600.json", folder / "genai_skills_1600.json")),
    Target("study imagenhub", (_released(small_studies.imagenhub),),
           lambda folder: read_imagenhub(sorted(folder.glob("*.tsv")), {})),
    Target("study viescore", (_released(small_studies.viescore),), read_viescore),
    Target("study tia2", (_released(small_studies.tia2),), read_tia2),
    Target("study arena", (_released(small_studies.arena),),
           lambda folder: read_arena(sorted(folder.glob("*.jsonl")))),
    *(Target(f"ratings: {name}", ({name: content},), partial(ratings_of, name, named)) for name, content, named in _RATINGS),
    *_parted("exported ratings", {"e.csv": seeds.EXPORTED, "e.parquet": seeds.table(seeds.EXPORTED)}, exported_of),
    *_parted("exported judgements", {"j.csv": seeds.JUDGEMENTS, "j.parquet": seeds.table(seeds.JUDGEMENTS)},
             partial(cells_of, ExportedJudgement)),
    *_parted("exported answers", {"a.jsonl": seeds.ANSWERS_JSONL}, partial(cells_of, ExportedAnswer)),
    Target("folder: geneval", (_GENEVAL_FOLDER,), partial(locations_of, "geneval")),
    Target("folder: visor", (_VISOR_FOLDER,), partial(locations_of, "visor")),
    Target("folder: csv", (_CSV_FOLDER,), partial(locations_of, "csv")),
    *(Target(f"picture: {name}", ({name: seeds.picture(*how)},), partial(picture_of, name), (images.ImageError,))
      for name, how in _PICTURES.items()),
    Target("embeddings", ({"vectors.bin": bytes(range(0, 64, 2)) * 2},), vectors_of),
    Target("run", (_RUN,), run_of),
    Target("generation", (_JOB,), job_of),
    Target("map", ({"map.parquet": _map_file(), "progress.json": seeds.document({"what": "x", "done": 1})},), map_of, ()),
    Target("journal", ({"j.jsonl": b'{"a": 1}\n{"b": 2}\n{"c"'},), journal_of),
    Target("questionnaire", ({"q.yaml": seeds.QUESTIONNAIRE},), custom_of),
    Target("campaign", ({"c.yaml": seeds.CAMPAIGN},), campaign_of),
    *_parted("known answers", {"k.csv": seeds.KNOWN, "k.json": seeds.KNOWN_JSON}, known_of),
    Target("yaml", ({"y.yaml": seeds.QUESTIONNAIRE}, {"y.yaml": b"a: [1, {b: c}]\nd: |\n  e\n'f': ~\n"}), yaml_of),
    Target("accounts", ({"users.toml": seeds.ACCOUNTS},), accounts_of),
    Target("server", ({".server.json": seeds.SERVER},), server_of, ()),
    Target("scorer of one's own", ({"mine.py": seeds.OWN_SCORER},), own_of, ()),
)  # fmt: skip
