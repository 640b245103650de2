"""Readings: what was brought to be added, read and shown before anything is stored. Images, prompts or ratings, from an upload
or from a path on this machine.

A reading goes on in a thread of its own; whoever looks sees how far it is. It stays until it is stored, for `UPLOAD_AGE`.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal
from weakref import WeakKeyDictionary

from concord.common.context import CommandError, Context
from concord.importing.exported_files import import_exported_ratings
from concord.importing.guesses import IMAGE_COLUMNS, RATING_NAMES, TABLES, RatingGuess, guess_columns, guess_ratings
from concord.importing.image_requests import ImageRequest
from concord.importing.image_trees import ImageTree, read_image_tree, write_images_table
from concord.importing.images import DEFAULT_SUITES, import_image_folders
from concord.importing.playground import import_playground
from concord.importing.prompts import import_prompts
from concord.importing.rating_request import RatingRequest
from concord.importing.ratings import import_ratings
from concord.importing.upload_folders import unpacked_folder
from concord.importing.uploads import TEXTS, unpack, upload_folder
from concord.studies.folders import STUDY_FILES, import_study, study_in
from data.files import InputError, check_name, printable
from data.images.folders import EXTENSIONS
from data.prompts.prompt_files import read_prompt_file
from data.ratings.rating_tables import read_rating_table
from data.records import Prompt
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle

Kind = Literal["images", "prompts", "ratings", "study"]
PLAYGROUND: Final = "playground"
State = Literal["reading", "ready", "storing", "stored"]
_MOST: Final = 20
"""Readings of a project that are kept."""
_USUAL_SUITE: Final = "prompts"
_USUAL_NAME: Final = "my-model"


@dataclass(frozen=True, slots=True)
class Source:
    """What was brought.

    Attributes:
        path: a folder of images, or a file of prompts or ratings.
        kind: what it is.
        name: what people call it.
        work: a folder for what is written beside it.
        uploaded: False if it lies on this machine and stays there.
        tree: of images.
        guess: of ratings.
        study: which published one, or `PLAYGROUND`.
    """

    path: Path
    kind: Kind
    name: str
    work: Path
    uploaded: bool
    tree: ImageTree | None = None
    guess: RatingGuess | None = None
    study: str = ""

    @property
    def is_deleted(self) -> bool:
        """True if an upload was deleted because nobody stored it in time."""
        return self.uploaded and not self.path.exists()


@dataclass(frozen=True, slots=True)
class Choices:
    """What somebody says of a source.

    Attributes:
        suite: the name of the set of prompts.
        generators: other names of a tree's generators.
        prompts: texts by a tree's keys, where they are others.
        ratings: of a table of ratings; None: one of `export ratings`, which says all itself.
    """

    suite: str = ""
    generators: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, str] = field(default_factory=dict)
    ratings: RatingRequest | None = None


@dataclass(frozen=True, slots=True)
class ReadingOutcome:
    """What an import would bring or brought.

    Attributes:
        bundles: empty: nothing.
        prompts: of a file of prompts.
        summary: the lines that say what it is.
        skipped: a line for each file that was left out.
        errors: why it ended, a line for each problem.
        numbers: the new imports'; empty: nothing was stored.
    """

    bundles: Sequence[ImportBundle] = ()
    prompts: Sequence[Prompt] = ()
    summary: Sequence[str] = ()
    skipped: Sequence[str] = ()
    errors: Sequence[str] = ()
    numbers: Sequence[int] = ()

    @property
    def stored(self) -> list[str]:
        """What was stored, a line for each import, without what the command says of taking it back."""
        lines = self.summary[-len(self.numbers) :] if self.numbers else ()
        return [line.partition(" (import")[0].partition("; import undo")[0] for line in lines]

    @property
    def count(self) -> int:
        """How many images, prompts or ratings it is about."""
        images = sum(len(bundle.images) for bundle in self.bundles)
        ratings = sum(len(each.annotations) + len(each.evidence) + len(each.ratings or ()) for each in self.bundles)
        return images or ratings or len(self.prompts)


_DELETED: Final = ReadingOutcome(errors=("this upload was not stored in time and was deleted; upload it again",))


@dataclass(slots=True)
class Reading:
    """A source on its way into the project.

    Attributes:
        reading_id: in addresses.
        state: ``ready``: it can be stored, or changed.
        source: None while it is looked for, or if it is nothing that can be added.
        outcome: what would be stored; once it is ``stored``, what was.
        share: of the images that are read, while it is ``reading`` or ``storing``.
    """

    reading_id: str
    state: State = "reading"
    source: Source | None = None
    choices: Choices = Choices()
    outcome: ReadingOutcome = ReadingOutcome()
    share: float = 0.0


class Readings:
    """The readings of an open project, the newest last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._by_id: OrderedDict[str, Reading] = OrderedDict()
        self._lock = threading.Lock()
        self.revision = 0

    def get(self, reading_id: str) -> Reading | None:
        """Return a reading; None if it is over."""
        return self._by_id.get(reading_id)

    def begin(self, find: Callable[[], Source], *, at_once: bool = False) -> str:
        """Read what ``find`` finds, in the background; returns the reading's id. ``at_once``: it is stored without a look."""
        reading = Reading(uuid.uuid4().hex)
        with self._lock:
            self._by_id[reading.reading_id] = reading
            while len(self._by_id) > _MOST:
                self._by_id.popitem(last=False)

        def read() -> None:
            reading.source = find()
            reading.choices = usual_choices(reading.source)
            if at_once:
                reading.state = "storing"
                reading.outcome = store_source(self._store, reading.source, reading.choices, self._follow(reading))
            else:
                self._preview(reading)

        self._in_background(reading, read, "stored" if at_once else "ready")
        return reading.reading_id

    def choose(self, reading: Reading, choices: Choices) -> None:
        """Change what is said of a source; what was read is read again where that changes it."""
        reading.choices = choices
        self._in_background(reading, lambda: self._preview(reading), "ready")

    def store_reading(self, reading: Reading, choices: Choices | None = None) -> None:
        """Store it, in the background. What is at work, or stored already, is left as it is."""
        with self._lock:
            if reading.state != "ready" or reading.source is None:
                return
            reading.state = "storing"
        source = reading.source
        reading.choices = choices or reading.choices

        def act() -> None:
            reading.outcome = store_source(self._store, source, reading.choices, self._follow(reading))

        self._in_background(reading, act, "stored", "storing")

    def drop(self, reading: Reading) -> None:
        """Forget a reading, and what was uploaded for it."""
        with self._lock:
            self._by_id.pop(reading.reading_id, None)
            self.revision += 1
        if reading.source is not None:
            shutil.rmtree(reading.source.work, ignore_errors=True)

    def _preview(self, reading: Reading) -> None:
        assert reading.source is not None
        reading.outcome = preview(self._store, reading.source, reading.choices, self._follow(reading))

    def _follow(self, reading: Reading) -> Callable[[float], None]:
        def tell(share: float) -> None:
            reading.share = share
            self.revision += 1

        return tell

    def _in_background(self, reading: Reading, act: Callable[[], None], then: State, now: State = "reading") -> None:
        reading.state, reading.share = now, 0.0
        self.revision += 1

        def work() -> None:
            ended: State = then
            try:
                act()
            except (ValueError, OSError, CommandError) as error:
                reading.outcome = ReadingOutcome(errors=problems_of(self._store, error))
            except Exception as error:
                reading.outcome = ReadingOutcome(
                    errors=[self._store.why_unreadable(error) or f"unexpected {type(error).__name__}"]
                )
                # whoever closes the app ends what it reads
                if not self._store.is_closed:
                    raise
            finally:
                # what was not stored can be changed and stored again
                stays = then == "stored" and not reading.outcome.numbers and bool(reading.outcome.errors)
                reading.state = "ready" if stays else ended
                self.revision += 1

        threading.Thread(target=work, name="reading", daemon=True).start()


_READINGS: Final[WeakKeyDictionary[Store, Readings]] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


def readings_of(store: Store) -> Readings:
    """Return the readings of an open project."""
    with _LOCK:
        return _READINGS.setdefault(store, Readings(store))


def path_source(store: Store, text: str, kind: Kind | None = None) -> Source:
    """Return what lies at a path on this machine.

    Raises:
        CommandError: nothing that can be added.
    """
    path = Path(text.strip()).expanduser()
    if "\0" in text or not path.is_absolute():
        raise CommandError("give the whole path, such as /data/images")
    if not path.exists():
        raise CommandError(f"{printable(text)}: there is no such folder or file on this machine")
    return _source(store, path, path.name, unpacked_folder(store.project) / uuid.uuid4().hex, kind, uploaded=False)


def uploaded_source(store: Store, upload: str, kind: Kind | None = None) -> Source:
    """Return what was uploaded (``uploads.receive``), its zips unpacked.

    Raises:
        CommandError, ValueError: nothing that can be added, or no room for it.
    """
    work = upload_folder(store, upload)
    try:
        folder, name = unpack(store, upload)
        return _source(store, folder, name, work, kind, uploaded=True)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def written_prompts(store: Store, text: str) -> Source:
    """Return prompts that somebody wrote, one a line.

    Raises:
        CommandError: there are none.
    """
    if not text.strip():
        raise CommandError("write a prompt, or several, one a line")
    work = unpacked_folder(store.project) / uuid.uuid4().hex
    work.mkdir(parents=True)
    path = work / "prompts.txt"
    path.write_text(text, encoding="utf-8", errors="replace")
    return Source(path, "prompts", "prompts", work, uploaded=True)


def _source(store: Store, path: Path, name: str, work: Path, kind: Kind | None, *, uploaded: bool) -> Source:
    study = study_in(path) if kind in (None, "study") else None
    if study is not None:
        return Source(path, "study", STUDY_FILES[study].title, work, uploaded, study=study)
    if kind == "study":
        raise CommandError("these are not the files of a published study, as its authors released them")
    if path.is_dir():
        called = _as_name(name)
        tree = read_image_tree(path, called)
        if tree is not None:
            return Source(path, "images", called, work, uploaded, tree)
        tables = sorted(each for each in path.iterdir() if each.is_file() and each.suffix.lower() in TABLES | TEXTS)
        if len(tables) != 1:
            found = f"there are {len(tables)} tables; bring one of them" if tables else "there is no image and no table in it"
            raise CommandError(f"{printable(name) or 'these files'}: {found}")
        path = tables[0]
    if path.suffix.lower() in EXTENSIONS:
        raise CommandError(f"{printable(path.name)} is one image; bring its folder, so that its prompt can be found")
    source = Source(path, "prompts", path.name, work, uploaded)
    return table_source(store, source, kind or _kind_of_table(path))


def table_source(store: Store, source: Source, kind: Kind) -> Source:
    """Return a file without images as prompts or as ratings.

    Raises:
        InputError: it is no table.
    """
    return replace(source, kind=kind, guess=guess_ratings(store, source.path) if kind == "ratings" else None)


def _as_name(name: str) -> str:
    """Return a name as a generator may have it."""
    try:
        return check_name(name, "the name")
    except ValueError:
        return _USUAL_NAME


def _kind_of_table(path: Path) -> Kind:
    """Return what a file without images is: prompts, or ratings.

    Raises:
        CommandError: it says which images are of which prompts, and they are not here.
    """
    if path.suffix.lower() in TEXTS:
        return "prompts"
    with suppress(InputError):
        header = read_rating_table(path).table.header
        if {"item", "value"} <= guess_columns(header, RATING_NAMES).keys():
            return "ratings"
        if {"path", "prompt"} <= guess_columns(header, IMAGE_COLUMNS).keys():
            raise CommandError(f"{printable(path.name)} names images: bring them together with it, in a folder or a zip")
    with suppress(InputError, ValueError):
        read_prompt_file(path, _USUAL_SUITE)
        return "prompts"
    return "ratings"


def usual_choices(source: Source) -> Choices:
    """Return what is said of a source where nobody says anything."""
    if source.tree is not None:
        return Choices(DEFAULT_SUITES[source.tree.layout])
    if source.guess is not None:
        return Choices(ratings=None if source.guess.exported else source.guess.request)
    stem = _as_name(source.path.stem)
    return Choices(_USUAL_SUITE if stem in (_USUAL_NAME, "") else stem)


def preview(store: Store, source: Source, choices: Choices, tell: Callable[[float], None] = lambda _: None) -> ReadingOutcome:
    """Return what would be stored."""
    if source.is_deleted:
        return _DELETED
    if source.kind == "study":
        return ReadingOutcome()
    if source.kind == "prompts":
        try:
            read = read_prompt_file(source.path, choices.suite)
        except ValueError as error:
            return ReadingOutcome(errors=problems_of(store, error))
        return ReadingOutcome(prompts=read.prompts, skipped=[*read.omissions.left, *read.omissions.notes])
    return _run(store, source, source.path, choices, tell, dry_run=True)


def store_source(store: Store, source: Source, choices: Choices, tell: Callable[[float], None]) -> ReadingOutcome:
    """Store what was brought; uploaded images move to where the project keeps them."""
    if source.is_deleted:
        return _DELETED
    folder, new = _keep(store, source) if source.uploaded and source.tree is not None else (source.path, False)
    outcome = _run(store, source, folder, choices, tell, dry_run=False)
    if not outcome.numbers and new:
        # it can be stored again with other choices
        shutil.move(folder, source.path)
    elif outcome.numbers or not outcome.errors:
        shutil.rmtree(source.work, ignore_errors=True)
    return outcome


def _run(
    store: Store, source: Source, path: Path, choices: Choices, tell: Callable[[float], None], *, dry_run: bool
) -> ReadingOutcome:
    out = io.StringIO()
    context = Context(store, path.parent, out, io.StringIO(), tell)
    before = {row.import_id for row in imports.listed(store)}
    bundles: Sequence[ImportBundle] = ()
    errors: Sequence[str] = ()
    try:
        if source.tree is not None:
            bundles = _import_images(context, source, source.tree, path, choices, dry_run=dry_run)
        elif source.kind == "study":
            _import_study(context, source, path)
        elif source.kind == "prompts":
            import_prompts(context, str(path), choices.suite)
        elif choices.ratings is None:
            bundles = [import_exported_ratings(context, path, dry_run)]
        else:
            brought = import_ratings(context, str(path), choices.ratings, dry_run)
            bundles = [] if brought is None else [brought]
    except Exception as error:
        why = store.why_unreadable(error)
        if why is None and not isinstance(error, CommandError | ValueError | OSError):
            raise
        errors = [why] if why else problems_of(store, error)
    numbers = [row.import_id for row in imports.listed(store) if row.import_id not in before]
    skipped = [line.replace(f"{path}/", "") for line in context.skipped]
    return ReadingOutcome(bundles, (), out.getvalue().splitlines(), skipped, errors, numbers)


def _import_study(context: Context, source: Source, path: Path) -> None:
    if source.study == PLAYGROUND:
        import_playground(context)
    else:
        import_study(context, source.study, path)


def _import_images(
    context: Context, source: Source, tree: ImageTree, folder: Path, choices: Choices, *, dry_run: bool
) -> list[ImportBundle]:
    """Import a tree's images by the generators' chosen names.

    Raises:
        CommandError: no image has a prompt, or two folders have one generator.
        ValueError: a name cannot be used.
    """
    for name in choices.generators.values():
        check_name(name, "the generator's name")
    check_name(choices.suite, "the suite's name")
    if tree.layout != "csv":
        folders = {choices.generators.get(name, name): folder / place for name, place in tree.folders.items()}
        if len(folders) < len(tree.folders):
            raise CommandError("two folders have the same generator; give each a name of its own")
        return import_image_folders(context, folders, ImageRequest(layout=tree.layout, suite=choices.suite), dry_run)
    source.work.mkdir(parents=True, exist_ok=True)
    table = source.work / "images.csv"
    if not write_images_table(tree, table, choices.generators, choices.prompts, folder):
        raise CommandError("no image has a prompt yet: write them, one a line")
    request = ImageRequest(layout="csv", suite=choices.suite, table=str(table))
    return import_image_folders(context, {source.name: folder}, request, dry_run)


def problems_of(store: Store, error: Exception) -> list[str]:
    """Return what is wrong, a line each, without the folders in which uploads lie."""
    problems = error.problems if isinstance(error, InputError) else [str(error)]
    lies = re.escape(f"{store.project}/") + "(?:cache/(?:uploads|gradio)/[0-9a-f]+(?:/files)?|images/upload-[0-9a-f]{16})/"
    return [re.sub(lies, "", problem) for problem in problems]


def _keep(store: Store, source: Source) -> tuple[Path, bool]:
    """Move an uploaded folder to where the project keeps it, named by its content; returns it, and whether it is new there."""
    total = hashlib.sha256()
    for file in sorted(path for path in source.path.rglob("*") if path.is_file()):
        total.update(f"{file.relative_to(source.path)}\0".encode(errors="surrogateescape"))
        total.update(hashlib.sha256(file.read_bytes()).digest())
    folder = store.project / "images" / f"upload-{total.hexdigest()[:16]}"
    if folder.exists():
        return folder, False
    folder.parent.mkdir(exist_ok=True)
    shutil.move(source.path, folder)
    return folder, True


def read_lines(text: str, keys: Sequence[str]) -> dict[str, str]:
    """Return prompts by their keys from a text with one a line, in the order of the keys; a line too many is left out."""
    return dict(zip(keys, (line.strip() for line in text.splitlines()), strict=False))
