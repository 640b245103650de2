"""Uploads: files from a browser become a folder that ``import images`` reads, or a table for ``import ratings``; guesses of
what a folder's layout, a table's columns and a column's values are, for people to check; and what an import would bring.

Nothing of an upload decides where a file is written: names stay within the folder, and only images and tables are taken.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import shutil
import stat
import uuid
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any, Final

from concord.common.context import CommandError, Context
from concord.importing.exported_files import import_exported_ratings
from concord.importing.image_requests import ImageRequest
from concord.importing.images import import_images
from concord.importing.rating_request import RatingRequest
from concord.importing.ratings import import_ratings
from concord.importing.upload_folders import reserved, unpacked_folder
from concord.judging import yes_no
from data.aspects import SCALES
from data.export.rows import RATING_COLUMNS
from data.files import InputError, printable, quoted
from data.images.folders import EXTENSIONS, Layout, path_within
from data.store import imports
from data.store.browse import contents
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.studies.rating_tables import read_rating_table

UploadRequest = ImageRequest | RatingRequest | None
"""How what was brought is taken in; None: it is a file of ``export ratings``, which says all itself."""
MAX_UNPACKED: Final = 2 << 30
"""Bytes that the files of one zip may have together."""
MAX_FILES: Final = 50_000
"""Members of one zip."""
MAX_RATIO: Final = 200
"""Unpacked bytes for one of a zip; pictures have one, tables of repeated words up to fifty."""
ANY_RATIO: Final = 16 << 20
"""Bytes that may be unpacked from a zip however small it is."""
MAX_DIRECTORY: Final = 8 << 20
"""Bytes of a zip's list of members, which is read as a whole before anything in it is known."""
MAX_FOLDERS: Final = 32
"""Folders within each other in a zip; what looks through thousands of them, or deletes them, breaks."""
MAX_STEPS: Final = 10
TABLES: Final = frozenset({".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".xls", ".ods"})
IMAGES_TABLE: Final = "images.csv"

IMAGE_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("path", "file", "filename", "file_name", "image", "image_path", "img"),
    "prompt": ("prompt", "text", "caption"),
    "generator": ("generator", "model"),
    "idx": ("idx", "index"),
    "task": ("task", "category"),
}
"""The columns of ``images.csv``, with the names that others give them."""
RATING_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("item", "item_id", "image", "image_id", "path", "file", "filename", "file_name", "image_path"),
    "rater": ("rater", "rater_id", "worker", "worker_id", "annotator", "user", "user_id", "who", "metric", "scorer"),
    "value": ("value", "rating", "score", "answer", "label", "stars"),
    "prompt": ("prompt", "prompt_id", "text", "caption"),
    "generator": ("generator", "model"),
    "index": ("index", "idx"),
    "task": ("task", "category"),
}


@dataclass(frozen=True, slots=True)
class Source:
    """What was brought.

    Attributes:
        path: a folder of images, or a table of ratings.
        layout: of the images; None: these are ratings.
        name: what people call it.
        staging: where an upload was unpacked; None: it lies on this machine and stays there.
    """

    path: Path
    layout: Layout | None
    name: str
    staging: Path | None = None


@dataclass(frozen=True, slots=True)
class UploadOutcome:
    """What an import would bring or brought.

    Attributes:
        bundle: None: nothing.
        summary: the lines that say what it is.
        skipped: a line for each file that was left out.
        errors: why it ended, a line for each problem.
        number: the new import's; None: nothing was stored.
    """

    bundle: ImportBundle | None
    summary: Sequence[str]
    skipped: Sequence[str]
    errors: Sequence[str]
    number: int | None = None


_DELETED: Final = UploadOutcome(None, (), (), ("this upload was not imported in time and was deleted; upload it again",))


def path_source(text: str) -> Source:
    """What lies at a path on this machine.

    Raises:
        CommandError: nothing that can be imported.
    """
    path = Path(text.strip()).expanduser()
    if "\0" in text or not path.is_absolute():
        raise CommandError("give the whole path, such as /data/images")
    if path.is_file():
        return Source(path, None, path.name)
    if not path.is_dir():
        raise CommandError(f"{printable(text)}: there is no such folder or file on this machine")
    layout = guess_layout(path)
    if layout is None:
        if inside := _image_folders(path):
            raise CommandError(
                f"{printable(text)}: the images are in folders within it. Read one folder after the other, such as {inside[0]};"
                " its name is proposed as the generator."
            )
        raise CommandError(
            f"{printable(text)}: this folder has no images.csv, and its images are not named as GenEval's or VISOR's."
            f" {_table_needed(path)}"
        )
    return Source(path, layout, path.name)


def _image_folders(folder: Path) -> list[str]:
    """The folders directly within one that can be imported, such as one for each generator."""
    inside = []
    for path in sorted(folder.iterdir()):
        # a folder that may not be read is none to propose
        with suppress(OSError):
            if path.is_dir() and guess_layout(path) is not None:
                inside.append(printable(str(path)))
    return inside


def _table_needed(folder: Path) -> str:
    """What to write beside these images, with the first of them as the example."""
    names = sorted(file.name for file in folder.iterdir() if file.suffix.lower() in EXTENSIONS)
    example = f"{printable(names[0])},a red cup left of a blue plate" if names else "a.png,a red cup left of a blue plate"
    return f"Add images.csv: a first line “path,prompt”, then a line for each image, such as “{example}”"


def uploaded_source(store: Store, files: Sequence[Path]) -> Source:
    """What was uploaded, unpacked into a folder of the project's cache.

    Raises:
        CommandError, ValueError: nothing that can be imported, or no room for it.
    """
    staging = unpacked_folder(store.project) / uuid.uuid4().hex
    with reserved(store.project, sum(unpacked_size(file) for file in files)):
        return _unpacked_source(files, staging)


def _unpacked_source(files: Sequence[Path], staging: Path) -> Source:
    staging.mkdir(parents=True)
    try:
        folder = unpack(files, staging)
        if (table := single_table(folder)) is not None:
            return Source(table, None, table.name, staging)
        layout = guess_layout(folder)
        if layout is None:
            raise CommandError(f"No table says which prompt each image is of. {_table_needed(folder)}")
        return Source(folder, layout, next((file.stem for file in files if file.suffix.lower() == ".zip"), "my-model"), staging)
    except BaseException:
        shutil.rmtree(staging, ignore_errors=True)
        raise


def guess_ratings(store: Store, source: Source) -> dict[str, Any]:
    """What the columns of a table of ratings probably are, by the options of ``import ratings``, and what can be chosen.

    Raises:
        InputError: it is no table.
    """
    read = read_rating_table(source.path)
    header = list(read.table.header)
    columns = guess_columns(header, RATING_NAMES)
    if read.rater is not None:
        columns["rater"] = read.rater
    value = columns.get("value")
    scale = guess_scale(cells[value] for _, cells in read.table.rows()) if value else "nominal"
    named = next((name for name in SCALES if value and name == value.casefold() and SCALES[name] == scale), None)
    suites = list(dict.fromkeys(picture.suite for picture in contents.generator_pictures(store)))
    return {
        "exported": sorted(header) == sorted(RATING_COLUMNS),
        "header": header,
        "suites": suites,
        **columns,
        "aspect": named or {"nominal": "correct", "interval": "score"}.get(scale, "quality"),
        "scale": scale,
        "suite": suites[0] if suites else "",
        "kind": "scorer" if scale == "interval" else "human",
    }


def problems_of(store: Store, error: Exception) -> list[str]:
    """What is wrong, a line each, without the folders in which uploads lie."""
    problems = error.problems if isinstance(error, InputError) else [str(error)]
    lies = re.escape(f"{store.project}/") + "(?:cache/(?:uploads|gradio)/[0-9a-f]+|images/upload-[0-9a-f]{16})/"
    return [re.sub(lies, "", problem) for problem in problems]


def preview(store: Store, source: Source, request: UploadRequest) -> UploadOutcome:
    """Return the bundle that ``import images`` or ``import ratings`` would store."""
    if _is_deleted(source):
        return _DELETED
    return _run(store, source.path, request, True, lambda _: None)


def store_source(store: Store, source: Source, request: UploadRequest, tell: Callable[[float], None]) -> UploadOutcome:
    """Import what was brought; uploaded images move to where the project keeps them."""
    if _is_deleted(source):
        return _DELETED
    uploaded = source.staging is not None and source.layout is not None
    folder, new = _keep(store, source) if uploaded else (source.path, False)
    outcome = _run(store, folder, request, False, tell)
    if outcome.number is None and new:
        shutil.rmtree(folder, ignore_errors=True)
    if source.staging is not None:
        shutil.rmtree(source.staging, ignore_errors=True)
    return outcome


def _is_deleted(source: Source) -> bool:
    """Return True if an upload was deleted because nobody imported it in time."""
    return source.staging is not None and not source.path.exists()


def _run(store: Store, path: Path, request: UploadRequest, dry_run: bool, tell: Callable[[float], None]) -> UploadOutcome:
    out = io.StringIO()
    context = Context(store, path.parent, out, io.StringIO(), tell)
    before = {row.import_id for row in imports.listed(store)}
    bundle: ImportBundle | None = None
    errors: list[str] = []
    try:
        if request is None:
            bundle = import_exported_ratings(context, path, dry_run)
        elif isinstance(request, ImageRequest):
            (bundle,) = import_images(context, [str(path)], request, dry_run)
        else:
            bundle = import_ratings(context, str(path), request, dry_run)
    except Exception as error:
        why = store.why_unreadable(error)
        if why is None and not isinstance(error, CommandError | ValueError | OSError):
            raise
        errors = [why] if why else problems_of(store, error)
    number = next((row.import_id for row in imports.listed(store) if row.import_id not in before), None)
    skipped = [line.replace(f"{path}/", "") for line in context.skipped]
    return UploadOutcome(bundle, out.getvalue().splitlines(), skipped, errors, number)


def _keep(store: Store, source: Source) -> tuple[Path, bool]:
    """Move an uploaded folder to where the project keeps it, named by what is in it; whether it is new there."""
    total = hashlib.sha256()
    for file in sorted(path for path in source.path.rglob("*") if path.is_file()):
        total.update(f"{file.relative_to(source.path)}\0".encode())
        total.update(hashlib.sha256(file.read_bytes()).digest())
    folder = store.project / "images" / f"upload-{total.hexdigest()[:16]}"
    if folder.exists():
        return folder, False
    folder.parent.mkdir(exist_ok=True)
    shutil.move(source.path, folder)
    return folder, True


def guess_columns(header: Iterable[str], meanings: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """By meaning the first column with one of its names, whatever its case; no column means two things."""
    by_name: dict[str, str] = {}
    for column in header:
        by_name.setdefault(column.strip().casefold(), column)
    guessed: dict[str, str] = {}
    for meaning, names in meanings.items():
        free = [by_name[name] for name in names if name in by_name and by_name[name] not in guessed.values()]
        if free:
            guessed[meaning] = free[0]
    return guessed


def guess_scale(values: Iterable[str]) -> str:
    """The scale of most values as ``--scale`` has it: yes and no are nominal, whole numbers of few steps ordinal from 1."""
    texts = [text.strip() for text in values if text.strip()]
    if 2 * sum(yes_no(text) is not None for text in texts) >= len(texts):
        return "nominal"
    whole = [int(text) for text in texts if re.fullmatch(r"-?[0-9]{1,3}", text)]
    if 2 * len(whole) > len(texts) and max(whole) - (low := min(1, *whole)) < MAX_STEPS:
        return f"ordinal:{low}-{max(whole)}"
    numbers = [text for text in texts if re.fullmatch(r"[-+]?[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?", text)]
    return "interval" if 2 * len(numbers) > len(texts) else "nominal"


def guess_layout(folder: Path) -> Layout | None:
    """The layout of a folder of images; None: it has none that is known."""
    if (folder / IMAGES_TABLE).is_file():
        return "csv"
    for path in folder.iterdir():
        if re.fullmatch("[0-9]{1,9}", path.name) and (path / "samples").is_dir():
            return "geneval"
        if path.suffix.lower() in EXTENSIONS and re.fullmatch("[0-9]{1,9}_[0-9]{1,9}", path.stem):
            return "visor"
    return None


def unpack(files: Sequence[Path], folder: Path) -> Path:
    """Copy uploaded files into an empty folder, zips unpacked; returns the folder that holds the images, or the table.

    A table beside images becomes ``images.csv`` with the names that the importer knows.

    Raises:
        CommandError: a zip cannot be read or holds too much, or there is neither an image nor a table.
    """
    for file in files:
        if file.suffix.lower() == ".zip":
            _unzip(file, folder)
        elif _is_wanted(file.name):
            if (folder / file.name).exists():
                raise CommandError(f"two of these files are named {printable(file.name)}; bring them in a zip, in folders")
            shutil.copyfile(file, folder / file.name)
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir() and guess_layout(folder) is None:
        folder = inside[0]
    if not inside:
        raise CommandError("there is no image and no table among these files; bring a zip, or images.csv with its images")
    if _has_images(folder) and (table := _table_of(folder)) is not None:
        _write_images_table(table, folder / IMAGES_TABLE)
    return folder


def single_table(folder: Path) -> Path | None:
    """The only table of a folder without images."""
    tables = list(_tables(folder))
    return tables[0] if len(tables) == 1 and not _has_images(folder) else None


def unpacked_size(path: Path) -> int:
    """Return how many bytes an uploaded file takes where it is unpacked, as the file itself or the zip's list of members says.

    Raises:
        CommandError: a zip cannot be read or holds too much.
    """
    if path.suffix.lower() != ".zip":
        return path.stat().st_size
    with _opened_zip(path) as archive:
        return sum(member.file_size for member in archive.infolist())


def _unzip(path: Path, folder: Path) -> None:
    with _opened_zip(path) as archive:
        wanted = [member for member in archive.infolist() if not member.is_dir() and _is_wanted(member.filename)]
        for member in [each for each in wanted if stat.S_IFMT(each.external_attr >> 16) in (0, stat.S_IFREG)]:
            target = path_within(folder, member.filename, "name", "the zip")
            target.parent.mkdir(parents=True, exist_ok=True)
            # zipfile reads no more than the size that the list of members states, and refuses what has another checksum
            with archive.open(member) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)


class _ZipFile(io.FileIO):
    """A zip that is not read where it makes the reader hold too much at once."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY:
            raise zipfile.BadZipFile(f"its list of members has {size:,} bytes; at most {MAX_DIRECTORY:,} are read")
        return super().read(-1 if size is None else size)


@contextmanager
def _opened_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip whose list of members promises no more than is unpacked; what fails inside is a sentence, too."""
    try:
        with _ZipFile(path) as file, zipfile.ZipFile(file) as archive:
            _check_members(path, archive.infolist())
            yield archive
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, UnicodeDecodeError) as error:
        raise CommandError(f"{printable(path.name)} cannot be unpacked ({printable(str(error))})") from error
    except OSError as error:
        raise CommandError(f"{printable(path.name)} cannot be unpacked ({error.strerror}); check its files' names") from error


def _check_members(path: Path, members: Sequence[zipfile.ZipInfo]) -> None:
    size = sum(member.file_size for member in members)
    if size > MAX_UNPACKED or len(members) > MAX_FILES:
        raise CommandError(
            f"{printable(path.name)} holds {len(members):,} files of {size / 1e6:z,.0f} MB; at most {MAX_FILES:,} files and"
            f" {MAX_UNPACKED / 1e6:z,.0f} MB are unpacked. Import such a folder with the command import images"
        )
    deepest = max((member.filename.replace("\\", "/").count("/") for member in members), default=0)
    if deepest > MAX_FOLDERS:
        raise CommandError(
            f"{printable(path.name)} holds {deepest:,} folders within each other; at most {MAX_FOLDERS} are unpacked"
        )
    if size > max(ANY_RATIO, MAX_RATIO * path.stat().st_size):
        raise CommandError(
            f"{printable(path.name)} would grow from {path.stat().st_size / 1e6:z,.1f} to {size / 1e6:z,.0f} MB; at most"
            f" {MAX_RATIO} times its size is unpacked. Bring the files themselves"
        )
    # others unpack one piece into gigabytes of memory
    odd = next((each for each in members if each.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)), None)
    if odd is not None:
        raise CommandError(
            f"{printable(path.name)} packs {quoted(odd.filename)} in a way that is not read; make the zip anew with the usual"
            " method (deflate)"
        )


def _is_wanted(name: str) -> bool:
    parts = PureWindowsPath(name).parts  # splits at both kinds of slash
    return Path(name).suffix.lower() in EXTENSIONS | TABLES and not any(
        part != ".." and part.startswith((".", "__MACOSX")) for part in parts
    )


def _tables(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix.lower() in TABLES)


def _has_images(folder: Path) -> bool:
    return any(path.suffix.lower() in EXTENSIONS for path in folder.rglob("*"))


def _table_of(folder: Path) -> Path | None:
    """The table that says what the images are; none in a folder that needs none."""
    if (folder / IMAGES_TABLE).is_file():
        return folder / IMAGES_TABLE
    if guess_layout(folder) is not None:
        return None
    tables = list(_tables(folder))
    if len(tables) > 1:
        raise CommandError(f"there are {len(tables)} tables beside the images; bring one, named {IMAGES_TABLE}")
    return tables[0] if tables else None


def _write_images_table(source: Path, target: Path) -> None:
    table = read_rating_table(source).table
    columns = guess_columns(table.header, IMAGE_COLUMNS)
    if missing := [name for name in ("path", "prompt") if name not in columns]:
        known = ", ".join(quoted(name) for name in table.header[:12])
        raise CommandError(f"{source.name}: no column for {' and '.join(missing)}; its columns are {known}")
    if all(name == column for name, column in columns.items()) and source == target:
        return
    rows = [[cells[column] for column in columns.values()] for _, cells in table.rows()]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
