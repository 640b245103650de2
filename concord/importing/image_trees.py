"""Trees of images: a folder with the images of one generator or of several, as people have them. Which generator made which
image, of which prompt, is read from tables, folders and names.

No image is opened, and nothing is written into the tree. What is read is a proposal: people see and change it before it is
stored.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from concord.common import wording
from concord.importing.guesses import IMAGE_COLUMNS, TABLES, guess_columns, guess_layout
from data.files import InputError, printable
from data.images.folders import EXTENSIONS, Layout, natural_order
from data.prompts.prompt_files import read_prompt_file
from data.ratings.rating_tables import read_rating_table

MAX_IMAGES: Final = 50_000
"""Images of one tree; more are imported folder by folder, by the command."""
_PROMPT_FILES: Final = frozenset({".txt", ".csv", ".tsv", ".json", ".jsonl"})
_LONGEST_PROMPT: Final = 20_000
_SEPARATORS: Final = ("__", "_", "-", " ")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_COUNTER: Final = re.compile(r"(?:^|[-_ .])(\d{1,9})$")
_LEADING: Final = re.compile(r"^\d{1,9}[-_ .]+")


@dataclass(frozen=True, slots=True)
class TreeImage:
    """An image file of a tree.

    Attributes:
        path: relative to the tree, with slashes.
        generator: as the tree names it.
        key: the same for images of one prompt, by whichever generator.
        prompt: its text; empty where nothing says it.
        idx, task: as a table says them; else empty.
    """

    path: str
    generator: str
    key: str
    prompt: str = ""
    idx: str = ""
    task: str = ""


@dataclass(frozen=True, slots=True)
class ImageTree:
    """What a folder of images holds.

    Attributes:
        layout: how `import images` reads it; ``csv``: by `images`.
        folders: with ``geneval`` and ``visor``, the folder of each generator, relative to the tree.
        images: with ``csv``, all images.
        source: how prompts and generators were found, a sentence.
        notes: what is odd, a sentence each.
    """

    layout: Layout
    folders: Mapping[str, str]
    images: Sequence[TreeImage] = ()
    source: str = ""
    notes: Sequence[str] = ()

    @property
    def generators(self) -> list[str]:
        """The generators' names, in the tree's order."""
        return list(self.folders) if self.layout != "csv" else list(dict.fromkeys(image.generator for image in self.images))

    @property
    def keys(self) -> list[str]:
        """The keys of the prompts, in the tree's order."""
        return list(dict.fromkeys(image.key for image in self.images))

    @property
    def prompts(self) -> dict[str, str]:
        """Each key's prompt; empty where it is not known."""
        known = {image.key: image.prompt for image in reversed(self.images)}
        return {key: known[key] for key in self.keys}


def read_image_tree(folder: Path, name: str) -> ImageTree | None:
    """Read a tree; ``name`` is the generator's where nothing says another.

    Returns None where there is no image.

    Raises:
        InputError: a table or a folder cannot be read.
        ValueError: there are too many images.
    """
    listed = _with_table(folder, name)
    if listed is not None:
        return listed
    layout = guess_layout(folder)
    if layout in ("geneval", "visor"):
        return ImageTree(layout, {name: "."}, source=_SHAPES[layout])
    inside = {path.name: guess_layout(path) for path in _folders(folder)}
    for known in ("geneval", "visor"):
        same = [each for each, found in inside.items() if found == known]
        if same:
            others = [each for each in inside if each not in same]
            notes = [f"not read, as its files are named otherwise: {printable(each)}" for each in others]
            return ImageTree(known, {each: each for each in same}, source=_SHAPES[known], notes=notes)
    return _by_names(folder, name)


_SHAPES: Final[Mapping[str, str]] = {
    "geneval": "Read as GenEval’s folders, such as 00042/samples/0000.png.",
    "visor": "Read as VISOR’s files, such as 10811_0.png.",
}


def write_images_table(
    tree: ImageTree, target: Path, generators: Mapping[str, str], prompts: Mapping[str, str], root: Path
) -> int:
    """Write a tree as a table of `import images`; returns how many images have a prompt and so are in it.

    Args:
        tree: of layout ``csv``.
        target: the new file.
        generators: other names of generators, by those of the tree.
        prompts: texts by key, instead of the tree's.
        root: the folder that the tree was read from.
    """
    rows = [replace(image, prompt=prompts.get(image.key, image.prompt).strip()) for image in tree.images]
    rows = [image for image in rows if image.prompt]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("path", "prompt", "generator", "idx", "task"))
        for row in rows:
            # a name that cannot be written cannot be an image's either: the importer says so
            path = row.path if (root / row.path).exists() else printable(row.path)
            writer.writerow((path, row.prompt, generators.get(row.generator, row.generator), row.idx, row.task))
    return len(rows)


def _folders(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir(), key=natural_order) if path.is_dir() and not _is_hidden(path.name)]


def _is_hidden(name: str) -> bool:
    return name.startswith((".", "__MACOSX"))


def image_paths(folder: Path) -> list[PurePosixPath]:
    """Return the image files of a tree in natural order, relative to it; links to folders are not followed.

    Raises:
        ValueError: there are more than `MAX_IMAGES`.
    """
    found: list[PurePosixPath] = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_hidden(name)]
        below = PurePosixPath(Path(place).relative_to(folder).as_posix())
        found += [below / name for name in files if Path(name).suffix.lower() in EXTENSIONS and not _is_hidden(name)]
        if len(found) > MAX_IMAGES:
            raise ValueError(f"this folder holds more than {MAX_IMAGES:,} images; import it with the command import images")
    return sorted(found, key=lambda path: [natural_order(PurePosixPath(part)) for part in path.parts])


def _with_table(folder: Path, name: str) -> ImageTree | None:
    """Return a tree as the tables in it, or in its folders, list the images; None where none does."""
    images: list[TreeImage] = []
    unused: list[str] = []
    files: dict[Path, list[PurePosixPath]] = {}
    for place in (folder, *_folders(folder)):
        if images and place != folder and any(PurePosixPath(image.path).parts[0] == place.name for image in images):
            continue
        for table in _tables_of_images(place):
            files.setdefault(place, image_paths(place))
            rows, more = _rows(table, files[place], name if place == folder else place.name)
            below = PurePosixPath(place.relative_to(folder).as_posix())
            images += [replace(row, path=str(below / row.path)) for row in rows]
            unused += more
    if not images:
        return None
    named = {image.path for image in images}
    left = [path for path in image_paths(folder) if str(path) not in named]
    notes = [f"{wording.count(len(left), 'image')} in no table, such as {printable(str(left[0]))}"] if left else []
    source = "Read from the table beside the images."
    if unused:
        source += f" Not used: {', '.join(map(printable, unused[:12]))}."
    return ImageTree("csv", {}, images, source, notes)


def _tables_of_images(folder: Path) -> Iterator[Path]:
    """Yield the tables of a folder that have a column of paths and one of prompts; ``images.csv`` first."""
    tables = [path for path in folder.iterdir() if path.is_file() and path.suffix.lower() in TABLES]
    for path in sorted(tables, key=lambda path: (path.name != "images.csv", path.name)):
        # what is no table may be a file of prompts, or anything
        with suppress(InputError, ValueError, OSError):
            if {"path", "prompt"} <= guess_columns(read_rating_table(path).table.header, IMAGE_COLUMNS).keys():
                yield path
                if path.name == "images.csv":
                    return


def _rows(path: Path, files: Sequence[PurePosixPath], name: str) -> tuple[list[TreeImage], list[str]]:
    """Return a table's images, and its columns that mean nothing here."""
    table = read_rating_table(path).table
    columns = guess_columns(table.header, IMAGE_COLUMNS)
    there = {str(file) for file in files}
    by_name: dict[str, list[str]] = {}
    for file in files:
        by_name.setdefault(file.name, []).append(str(file))
    tops = {file.parts[0] for file in files if len(file.parts) > 1}
    images = []
    for _, cells in table.rows():
        cell = {meaning: cells[column].strip() for meaning, column in columns.items()}
        known = by_name.get(PurePosixPath(cell["path"].replace("\\", "/")).name, [])
        place = known[0] if cell["path"] not in there and len(known) == 1 else cell["path"]
        parts = PurePosixPath(place).parts
        top = name_of_folder(parts[0], name) if len(parts) > 1 and parts[0] in tops else name
        prompt = cell["prompt"]
        images.append(TreeImage(place, cell.get("generator") or top, prompt, prompt, cell.get("idx", ""), cell.get("task", "")))
    return images, [column for column in table.header if column not in columns.values()]


def _by_names(folder: Path, name: str) -> ImageTree | None:
    """Return a tree without a table: generators by folders or names, prompts by a list, by text files or by names."""
    files = image_paths(folder)
    if not files:
        return None
    images, source = _grouped(files, name)
    for find in (_prompts_beside, _prompts_listed, _prompts_in_names):
        found = find(folder, images)
        if found is not None:
            images, how, notes = found
            return ImageTree("csv", {}, images, f"{source} {how}", notes)
    return ImageTree("csv", {}, images, f"{source} Nothing says which prompt each image is of.")


def _grouped(files: Sequence[PurePosixPath], name: str) -> tuple[list[TreeImage], str]:
    """Return the images with their generators, and how these were found."""
    in_folders = [file for file in files if len(file.parts) > 1]
    if in_folders and len(in_folders) == len(files):
        depth, name = _level_of_generators(files, name)
        if not depth:
            keys = {file: str(PurePosixPath(*file.parts[1:]).with_suffix("")) for file in files}
            return [TreeImage(str(file), name, keys[file]) for file in files], ""
        tops = dict.fromkeys(file.parts[depth - 1] for file in files)
        stems = {file.stem for file in files}
        # a folder for each prompt, with an image by each generator in it
        if 1 < len(stems) < len(tops) and len(files) == len(stems) * len(tops) and not any(stem.isdigit() for stem in stems):
            return [TreeImage(str(file), file.stem, str(file.parent)) for file in files], "A folder is a prompt."
        rest = {file: str(PurePosixPath(*file.parts[depth:]).with_suffix("")) for file in files}
        return [TreeImage(str(file), file.parts[depth - 1], rest[file]) for file in files], "A folder is a generator."
    names = {file: str(file.with_suffix("")) for file in files}
    split = None if in_folders else _split_names(list(names.values()))
    if split is None:
        return [TreeImage(str(file), name, names[file]) for file in files], ""
    return [TreeImage(str(file), *split[names[file]]) for file in files], "Names of files say the generator."


def _level_of_generators(files: Sequence[PurePosixPath], name: str) -> tuple[int, str]:
    """Return how deep the folders of the generators lie (1: at the top); 0 and a name where there is one generator alone.

    A folder that lies alone in another is the generator, by its own name; but not where its name says nothing (`images`), or
    where folders with images of the same names lie in it, as each generator has them.
    """
    above = ""
    for depth in range(min(len(file.parts) for file in files) - 1):
        tops = list(dict.fromkeys(file.parts[depth] for file in files))
        if len(tops) > 1:
            alone = above and name_of_folder(above, "") and not _have_same_names(files, depth)
            return (0, name) if alone else (depth + 1, name)
        above = tops[0]
        name = name_of_folder(above, name)
    return 0, name


def _have_same_names(files: Sequence[PurePosixPath], depth: int) -> bool:
    """Return True if folders hold images of the same names; many folders of numbered images are prompts, not generators."""
    names: dict[str, set[PurePosixPath]] = {}
    for file in files:
        names.setdefault(file.parts[depth], set()).add(PurePosixPath(*file.parts[depth + 1 :]).with_suffix(""))
    if len(names) > _MOST_GENERATORS and all(file.stem.isdigit() for file in files):
        return False
    return bool(set.intersection(*names.values()))


def name_of_folder(name: str, outer: str) -> str:
    """Return a folder's name, or that of the one around it where its own says only that images are in it."""
    return outer if name.casefold() in _SAYS_NOTHING else name


_MOST_GENERATORS: Final = 8


_SAYS_NOTHING: Final = frozenset(
    {"images", "image", "imgs", "img", "pictures", "pics", "samples", "sample", "outputs", "output", "out", "results"}
    | {"generated", "files", "data", "png", "jpg", "jpeg", "webp"}
)
"""Names of folders that no generator has."""


def _split_names(stems: Sequence[str]) -> dict[str, tuple[str, str]] | None:
    """Return (generator, key) of each name if the first or the last part of the names is a generator's; None if neither is.

    Of two ways to read them the one counts whose keys read like sentences, then the one with fewer generators.
    """
    readings = []
    for separator in _SEPARATORS:
        for last in (False, True):
            pairs = {stem: _pair(stem, separator, last=last) for stem in stems}
            found = {stem: pair for stem, pair in pairs.items() if pair is not None}
            if len(found) < len(stems):
                continue
            keys: dict[str, set[str]] = {}
            for generator, key in found.values():
                keys.setdefault(generator, set()).add(key)
            every = next(iter(keys.values()))
            same = all(each == every for each in keys.values())
            if 1 < len(keys) <= len(stems) / 2 and same and not all(each.isdigit() for each in keys):
                sentences = sum(len(_WORD.findall(_as_sentence(key))) > 1 for key in every)
                readings.append((sentences / len(every), -len(keys), found))
    return max(readings, key=lambda reading: reading[:2])[2] if readings else None


def _pair(stem: str, separator: str, *, last: bool) -> tuple[str, str] | None:
    before, found, after = stem.rpartition(separator) if last else stem.partition(separator)
    if not found or not before.strip() or not after.strip():
        return None
    return (after, before) if last else (before, after)


Found = tuple[list[TreeImage], str, list[str]]
"""Images with prompts, how these were found, and what is odd."""


def _prompts_beside(folder: Path, images: Sequence[TreeImage]) -> Found | None:
    """Take the prompt from the text file of the same name beside each image."""
    found = []
    for image in images:
        text = _text(folder / PurePosixPath(image.path).with_suffix(".txt"))
        if text:
            found.append(replace(image, prompt=text))
    if 2 * len(found) <= len(images):
        return None
    notes = [] if len(found) == len(images) else [f"{len(images) - len(found):,} without a text file are left out"]
    return found, "The text file beside an image is its prompt.", notes


def _text(path: Path) -> str:
    with suppress(OSError, ValueError):
        if path.is_file() and path.stat().st_size <= _LONGEST_PROMPT:
            return " ".join(path.read_text(encoding="utf-8-sig").split())
    return ""


def _prompts_listed(folder: Path, images: Sequence[TreeImage]) -> Found | None:
    """Take the prompts from a list of them: by number where names have one, else in the order of the names."""
    places = [folder, *_folders(folder)]
    lists = [path for place in places for path in sorted(place.iterdir()) if path.suffix.lower() in _PROMPT_FILES]
    for path in lists:
        with suppress(InputError, ValueError, OSError):
            prompts = read_prompt_file(path, "images").prompts
            return _listed(images, [prompt.text for prompt in prompts], [prompt.task or "" for prompt in prompts], path.name)
    return None


def _listed(images: Sequence[TreeImage], texts: Sequence[str], tasks: Sequence[str], name: str) -> Found:
    keys = list(dict.fromkeys(image.key for image in images))
    numbers = {key: int(match[1]) for key in keys if (match := _COUNTER.search(key))}
    first = min(numbers.values(), default=0)
    of = "in the order of their names"
    if len(keys) == len(texts):
        places = {key: number for number, key in enumerate(keys)}
    elif len(numbers) == len(keys) and first in (0, 1) and max(numbers.values()) - first < len(texts):
        places = {key: number - first for key, number in numbers.items()}
        of = "by the numbers in their names"
    elif len(keys) % len(texts) == 0:
        places = {key: number // (len(keys) // len(texts)) for number, key in enumerate(keys)}
        of = f"{len(keys) // len(texts)} images each, in the order of their names"
    else:
        note = (
            f"{printable(name)} has {wording.count(len(texts), 'prompt')}, and there are {len(keys):,} images of each generator"
        )
        return [*images], f"{printable(name)} was not used.", [note]
    found = [replace(image, prompt=texts[places[image.key]], task=tasks[places[image.key]]) for image in images]
    return found, f"Prompts of {printable(name)} belong to the images {of}.", []


def _prompts_in_names(_: Path, images: Sequence[TreeImage]) -> Found | None:
    """Take names that read like sentences for prompts."""
    texts = {image.key: _as_sentence(image.key) for image in images}
    fit = {key: text for key, text in texts.items() if len(_WORD.findall(text)) > 1}
    if 4 * len(fit) < 3 * len(texts):
        return None
    often = Counter(fit.values())
    if len(often) == 1 and len(fit) > 1:
        return None
    found = [replace(image, prompt=fit[image.key]) for image in images if image.key in fit]
    left = len(images) - len(found)
    notes = [f"{wording.count(left, 'image')} whose name is no sentence"] if left else []
    return found, "The name of a file is its prompt.", notes


def _as_sentence(key: str) -> str:
    name = PurePosixPath(key).name if "/" in key else key
    name = _COUNTER.sub("", _LEADING.sub("", name))
    return " ".join(re.sub(r"[-_]+", " ", name).split())
