"""The requests of ``import images`` and ``import itm``. Nothing heavy is imported, as they make the commands' options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from data.requests import Request, Setting

Layout = Literal["geneval", "visor", "csv"]
MatchingLayout = Literal["auto", "rows", "winoground", "aro"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRequest(Request):
    """A request to import folders of images."""

    layout: Annotated[Layout, Setting("Layout of the folder.")]
    generator: Annotated[str | None, Setting("Generator of the images (csv: a column can name it instead).")] = None
    suite: Annotated[str | None, Setting("Suite of the prompts; by default 'geneval', 'sr2d' (visor) or 'images' (csv).")] = (
        None
    )
    table: Annotated[
        str | None,
        Setting("Table of the images' paths and prompts (csv); default: images.csv in the folder.", metavar="FILE.csv"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingRequest(Request):
    """Images with candidate captions: exactly one of ``file``, ``playground`` and ``tifa`` says where they are."""

    file: Annotated[
        str | None,
        Setting("JSONL, JSON or CSV with an image, its captions and the correct one; see docs/matching.md.", argument=True),
    ] = None
    images: Annotated[str | None, Setting("Folder of the images; default: the folder of the file.")] = None
    suite: Annotated[str | None, Setting("Name of the suite; default: itm, winoground, aro or itm-tifa.")] = None
    layout: Annotated[MatchingLayout, Setting("File format; auto: detect it from the first row.")] = "auto"
    source: Annotated[str | None, Setting("Source of the images ('real'; with --tifa 'coco').")] = None
    playground: Annotated[bool, Setting("Render the playground's matching set instead.")] = False
    n: Annotated[int | None, Setting("--playground: images per task (50).", minimum=1, maximum=10_000)] = None
    seed: Annotated[int | None, Setting("--playground: random seed of the set (0).", minimum=0)] = None
    tifa: Annotated[
        tuple[str, str] | None,
        Setting("TIFA's text_inputs.json and question_answers.json.", metavar="TEXTS QUESTIONS"),
    ] = None
