"""``import images``: find pictures in a folder, give each its place, report what was left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from data.images import files
from data.images.files import FolderImage
from data.records import Image, Prompt, image_item
from data.store import imports, library
from data.store.imports import ImportBundle
from ui.commands.context import CommandError, Context, digest, report

DEFAULT_SUITES = {"geneval": "geneval", "visor": "sr2d", "csv": "images"}
_TELL_EVERY = 1000


@dataclass(slots=True)
class _Placed:
    """Images whose prompt is known, the prompts that they bring along, and what has no place."""

    images: list[Image] = field(default_factory=list)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)


def run(context: Context, directory: Sequence[str], layout: str, generator: str | None, suite: str | None) -> None:
    """Import folders one after another, each by its own generator where it is named as ``NAME=FOLDER``.

    Raises:
        CommandError: a folder is not there, so that none is imported; or an image was left out.
    """
    asked = []
    for text in directory:
        name, named, rest = text.partition("=")
        alone = not named or context.path(text).is_dir()
        folder, by = (text, generator) if alone else (rest, name)
        if not context.path(folder).is_dir():
            raise CommandError(f"{folder}: there is no such folder")
        asked.append((folder, by))
    for folder, by in asked:
        _import(context, folder, layout, by, suite or DEFAULT_SUITES[layout])


def _import(context: Context, directory: str, layout: str, generator: str | None, suite: str) -> None:
    """Import what can be imported. It fails in the end if an image was left out; a stray file that is none is only named."""
    folder = context.path(directory)

    def progress(done: int, total: int) -> None:
        if done % _TELL_EVERY == 0:
            context.warn(f"{done:,} of {total:,} images read")

    found = files.find_images(folder, cast("files.Layout", layout), generator, suite, progress)
    placed = _place(context, found.entries, suite)
    skipped = [f"{skip.path}: {skip.reason}" for skip in found.skipped] + placed.skipped
    for line in skipped:
        context.warn(f"skipped: {line}")
    if not placed.images:
        raise CommandError(f"{directory}: no image could be imported as layout '{layout}'" + _hint(layout, len(skipped)))
    bundle = ImportBundle(
        f"images {suite}",
        generator or str(folder.name),
        digest(*(f"{image.image_id} {image.sha256} {image.path}" for image in placed.images)),
        prompts=list(placed.prompts.values()),
        images=placed.images,
        items=[image_item(image, placed.prompts[image.prompt_id]) for image in placed.images],
    )
    (imported,) = imports.apply(context.store, [bundle])
    per_prompt = len({image.prompt_id for image in placed.images})
    left = f", {len(skipped)} skipped" if skipped else ""
    report(context, f"{len(placed.images)} images of {per_prompt} prompts{left}", imported)
    missing = len(placed.skipped) + sum(layout == "csv" or not _is_stray(skip.path) for skip in found.skipped)
    if missing:
        raise CommandError(f"{missing} left out (see above); the rest is in")


def _is_stray(path: Path) -> bool:
    return path.is_file() and path.suffix.lower() not in files.EXTENSIONS


def _place(context: Context, entries: Iterable[FolderImage], suite: str) -> _Placed:
    placed = _Placed()
    entries = list(entries)
    known = library.prompts_by_id(context.store, [entry.prompt_id for entry in entries if entry.prompt_id])
    texts = (
        {prompt.text: prompt for prompt in library.prompts_of_suite(context.store, suite)} if _named_by_text(entries) else {}
    )
    for entry in entries:
        prompt = _prompt_of(entry, suite, known, texts)
        if prompt is None:
            placed.skipped.append(
                f"{entry.file.path}: prompt {entry.prompt_id} is unknown; put metadata.jsonl beside the samples,"
                f" or first: import prompts FILE --suite {suite}"
            )
            continue
        placed.prompts.setdefault(prompt.prompt_id, prompt)
        file = entry.file
        placed.images.append(
            Image(prompt.prompt_id, entry.generator, entry.index, file.path, file.sha256, file.width, file.height)
        )
    return placed


def _named_by_text(entries: Iterable[FolderImage]) -> bool:
    return any(entry.prompt_id is None for entry in entries)


def _prompt_of(entry: FolderImage, suite: str, known: dict[str, Prompt], texts: dict[str, Prompt]) -> Prompt | None:
    if entry.prompt_id is not None:
        # what the folder itself says comes first, so that a text that differs from the project's is reported
        return entry.prompt or known.get(entry.prompt_id)
    text = entry.prompt_text or ""
    if text not in texts:
        texts[text] = Prompt(f"{suite}/{_next_number(texts):05d}", suite, text, entry.task)
    return texts[text]


def _next_number(prompts: dict[str, Prompt]) -> int:
    numbers = [int(last) for prompt in prompts.values() if (last := prompt.prompt_id.rsplit("/", 1)[-1]).isdigit()]
    return max(numbers, default=-1) + 1


def _hint(layout: str, skipped: int) -> str:
    shapes = {
        "geneval": "DIR/00042/samples/0000.png",
        "visor": "DIR/10811_0.png",
        "csv": "DIR/images.csv with the columns path,prompt[,generator,idx,task]",
    }
    return f" ({skipped} skipped); it looks like {shapes[layout]}"
