"""``import images``: find pictures in a folder, assign each to its prompt, report what was left out and why.

``import itm``: images with captions to choose among, from the small world, from a user's file or from TIFA's questions.
"""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from PIL import Image as Pillow

from concord.common import wording
from concord.common.context import CommandError, Context, UsageError, digest, import_bundle
from concord.importing.image_requests import ImageRequest, MatchingRequest
from data.files import check_name, located, printable, quoted, safe_file_name, write_whole
from data.folding import fold_spelling
from data.images import files
from data.images.files import FolderImage, ImageError, open_image, read_image_file
from data.images.folders import EXTENSIONS, StoredFile, StoredFiles, path_within
from data.matching import playground as small_world
from data.matching.files import MatchingExample, read_matching, read_tifa_matching
from data.playground.render import render
from data.records import Image, Prompt, image_item
from data.store import library
from data.store.imports import ImportBundle

DEFAULT_SUITES = {"geneval": "geneval", "visor": "sr2d", "csv": "images"}
_TELL_EVERY = 1000
_FOLLOW_EVERY = 20
EXAMPLES: Final = 5
"""So many images stand in a preview."""


@dataclass(slots=True)
class _PreparedImport:
    """Images whose prompt is known, the prompts by id, and what was left out, a line each."""

    images: list[Image] = field(default_factory=list)
    prompts: dict[str, Prompt] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def _bundle_images(kind: str, name: str, ready: _PreparedImport, content: Iterable[object]) -> ImportBundle:
    """What the images bring; ``content``: what makes the same image another import, one for each."""
    return ImportBundle(
        kind,
        name,
        digest(*(f"{image.image_id} {image.sha256} {more}" for image, more in zip(ready.images, content, strict=True))),
        prompts=list(ready.prompts.values()),
        images=ready.images,
        items=[image_item(image, ready.prompts[image.prompt_id]) for image in ready.images],
    )


_SHAPES: Final = {
    "geneval": "DIR/00042/samples/0000.png",
    "visor": "DIR/10811_0.png",
    "csv": "DIR/images.csv with the columns path,prompt[,generator,idx,task]",
}
"""What a folder of each layout looks like."""


def import_images(
    context: Context, directory: Sequence[str], request: ImageRequest, dry_run: bool = False
) -> list[ImportBundle]:
    """Import folders one after another, each by its own generator where it is named as ``NAME=FOLDER``.

    Returns what each brings; with ``dry_run`` nothing is stored.

    Raises:
        CommandError: a folder is not there, so that none is imported; or an image was left out.
    """
    sources = []
    for text in directory:
        name, named, rest = text.partition("=")
        alone = not named or context.path(text).is_dir()
        folder, by = (text, request.generator) if alone else (rest, name)
        sources.append((context.folder(folder), folder, by))
    return [_import(context, *source, request, dry_run) for source in sources]


def import_image_folders(
    context: Context, folders_by_generator: Mapping[str, Path], request: ImageRequest, dry_run: bool = False
) -> list[ImportBundle]:
    """Import each generator's folder, as `import_images` does; no name of a generator or folder means anything else here.

    Returns what each brings; with ``dry_run`` nothing is stored.

    Raises:
        CommandError: an image was left out, or a folder holds none.
    """
    return [_import(context, path, path.name, generator, request, dry_run) for generator, path in folders_by_generator.items()]


def _import(
    context: Context, folder: Path, directory: str, generator: str | None, request: ImageRequest, dry_run: bool
) -> ImportBundle:
    """Import what can be imported. It fails in the end if an image was left out; a stray file that is none is only named."""

    def progress(done: int, total: int) -> None:
        if done % _TELL_EVERY == 0:
            context.progress(done, total, "images read")
        elif done % _FOLLOW_EVERY == 0:
            context.follow(done / total)

    layout, suite = request.layout, request.suite or DEFAULT_SUITES[request.layout]
    table = None if request.table is None else context.file(request.table)
    stored = _stored_files(context, suite, by_text=layout == "csv")
    listing = files.find_images(folder, layout, generator, suite, progress, stored, table)
    placed = _assign_prompts(context, listing.entries, suite)
    context.warn(*placed.notes)
    skipped = [f"{skip.path}: {skip.reason}" for skip in listing.skipped] + placed.left
    context.skip(*skipped)
    if not placed.images:
        hint = f"({len(skipped)} skipped); it looks like {_SHAPES[layout]}"
        raise CommandError(f"{directory}: no image could be imported as layout '{layout}' {hint}")
    called = generator or str(folder.name)
    bundle = _bundle_images(f"images {suite}", called, placed, (image.path for image in placed.images))
    per_prompt = len({image.prompt_id for image in placed.images})
    left = f", {len(skipped)} skipped" if skipped else ""
    summary = f"{len(placed.images)} images of {per_prompt} prompts{left}"
    for image in placed.images[:EXAMPLES] if dry_run else ():
        context.say(f"{image.path}: {image.generator}, {placed.prompts[image.prompt_id].text}")
    import_bundle(context, bundle, summary, dry_run)
    missing = len(placed.left) + sum(
        layout == "csv" or not (skip.path.is_file() and skip.path.suffix.lower() not in EXTENSIONS) for skip in listing.skipped
    )
    if missing and not dry_run:
        raise CommandError(f"{missing} skipped (see above); the rest is imported")
    return bundle


def _stored_files(context: Context, suite: str, *, by_text: bool) -> StoredFiles:
    """Return the image files that the project has of a suite, by generator and prompt (its text or its id)."""
    stored: dict[tuple[str, str], list[StoredFile]] = {}
    for image in library.image_files_of_suite(context.store, suite):
        key = (image.generator, fold_spelling(image.text) if by_text else image.prompt_id)
        stored.setdefault(key, []).append(StoredFile(image.index, context.store.project / image.path, image.sha256))
    return stored


def _assign_prompts(context: Context, entries: Iterable[FolderImage], suite: str) -> _PreparedImport:
    placed = _PreparedImport()
    entries = list(entries)
    known = library.prompts_by_id(context.store, [entry.prompt_id for entry in entries if entry.prompt_id])
    named_by_text = any(entry.prompt_id is None for entry in entries)
    texts = SuiteTexts(suite, library.prompts_of_suite(context.store, suite) if named_by_text else ())
    for entry in entries:
        if entry.prompt_id is None:
            prompt: Prompt | None = texts.prompt(entry.prompt_text or "", entry.task)
        else:
            # what the folder itself says comes first, so that a text that differs from the project's is reported
            prompt = entry.prompt or known.get(entry.prompt_id)
        if prompt is None:
            placed.left.append(
                f"{entry.file.path}: prompt {entry.prompt_id} is unknown; put metadata.jsonl beside the samples,"
                f" or first: import prompts FILE --suite {suite}"
            )
            continue
        placed.prompts.setdefault(prompt.prompt_id, prompt)
        file = entry.file
        path = _own_path(context, file.path)
        placed.images.append(Image(prompt.prompt_id, entry.generator, entry.index, path, file.sha256, file.width, file.height))
    placed.notes += texts.notes() + _equal_pictures(placed.images)
    return placed


def _equal_pictures(images: Sequence[Image]) -> list[str]:
    """Return what to say of images of one prompt and generator that are the same picture; nothing if there are none."""
    first: dict[tuple[str, str, str | None], Image] = {}
    equal = [
        (image, same)
        for image in images
        if (same := first.setdefault((image.prompt_id, image.generator, image.sha256), image)) is not image
    ]
    if not equal:
        return []
    image, same = equal[0]
    return [
        f"{wording.count(len(equal), 'image')} the same picture as another of the prompt, e.g. {image.path} and {same.path}"
    ]


@dataclass(slots=True)
class SuiteTexts:
    """A suite's prompts by text, where a text that differs by spaces or quotes is the suite's; others become new prompts."""

    suite: str
    stored: Sequence[Prompt]
    _by_text: dict[str, Prompt] = field(default_factory=dict)
    _by_spelling: dict[str, Prompt] = field(default_factory=dict)
    _respelled: dict[str, Prompt] = field(default_factory=dict)
    _new: list[Prompt] = field(default_factory=list)
    _free: int = 0

    def __post_init__(self) -> None:
        ids = (prompt.prompt_id.rsplit("/", 1)[-1] for prompt in self.stored)
        self._free = max((int(last) for last in ids if last.isdigit()), default=-1) + 1
        for prompt in reversed(self.stored):
            self._by_text[prompt.text] = self._by_spelling[fold_spelling(prompt.text)] = prompt

    def prompt(self, text: str, task: str | None) -> Prompt:
        """Return the suite's prompt of this text, or a new one of the next free number."""
        if text in self._by_text:
            return self._by_text[text]
        spelling = fold_spelling(text)
        if spelling in self._by_spelling:
            self._respelled[text] = self._by_spelling[spelling]
        else:
            self._by_spelling[spelling] = Prompt(f"{self.suite}/{self._free:05d}", self.suite, text, task)
            self._free += 1
            self._new.append(self._by_spelling[spelling])
        self._by_text[text] = self._by_spelling[spelling]
        return self._by_text[text]

    def notes(self) -> list[str]:
        """Return what to say of texts that were not the suite's to the letter."""
        notes = []
        if self._respelled:
            text, prompt = next(iter(self._respelled.items()))
            what = wording.count(len(self._respelled), "prompt")
            example = f"{quoted(text)} is {prompt.prompt_id}"
            notes.append(f"{what} taken for the suite's, as only spaces, quotes or the like differ: {example}")
        if self._new and self.stored:
            specs = " and has no spec" if any(prompt.spec for prompt in self.stored) else ""
            names = {fold_spelling(prompt.text).casefold(): prompt for prompt in self.stored}
            near = (
                difflib.get_close_matches(fold_spelling(self._new[0].text).casefold(), names, 1, 0.85)
                if len(names) < 5000
                else []
            )
            hint = f"; did you mean {names[near[0]].prompt_id}, {quoted(names[near[0]].text)}?" if near else ""
            notes.append(
                f"{wording.count(len(self._new), 'prompt')} new to suite {self.suite}{specs}: {quoted(self._new[0].text)}{hint}"
            )
        return notes


REAL: Final = "real"
"""The generator's name of images that no model made."""
_SUITES: Final = {"rows": "itm", "winoground": "winoground", "aro": "aro"}
_MOST_TOLD: Final = 100


def import_matching(context: Context, request: MatchingRequest) -> None:
    """Import images with their captions.

    Raises:
        UsageError: the request names none or several of the three places where they may be.
    """
    file, tifa, suite = request.file, request.tifa, request.suite
    if sum((file is not None, request.playground, tifa is not None)) != 1:
        raise UsageError("give a FILE, or --tifa TEXTS QUESTIONS, or --playground: one of the three")
    n, seed = request.n, request.seed
    if request.playground:
        if request.images or suite or request.source or request.layout != "auto":
            raise UsageError("--playground draws its own pictures; it takes --n and --seed alone")
        _draw(context, small_world.SEED if seed is None else seed, small_world.N if n is None else n)
        return
    if n is not None or seed is not None:
        raise UsageError("--n and --seed belong to --playground")
    for name, description in ((suite or "itm", "the suite's name"), (request.source or REAL, "the source's name")):
        check_name(name, description)
    if tifa is not None:
        _from_tifa(context, tifa[0], tifa[1], request.images, suite or "itm-tifa", request.source or "coco")
    else:
        _from_file(context, str(file), request.images, suite, request.layout, request.source or REAL)


def _draw(context: Context, seed: int, n: int) -> None:
    """Pictures that are there already are not drawn again."""
    drawn, ready = small_world.sample_scenes(seed, n), _PreparedImport()
    suite = small_world.suite_name(seed, n)
    for done, sampled in enumerate(drawn):
        path = _home(context, small_world.GENERATOR, sampled.prompt.prompt_id)
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, _png(Pillow.fromarray(render(sampled.scene).image)))
        _add_image(context, ready, sampled.prompt, small_world.GENERATOR, path)
        _tell(context, done, len(drawn), "pictures drawn")
    _bring_in(context, suite, suite, ready)


def _from_file(context: Context, file: str, images: str | None, suite: str | None, layout: str, source: str) -> None:
    path = context.file(file)
    matching_file = read_matching(path, layout)
    suite = suite or _SUITES.get(matching_file.layout, "itm")
    folder = context.folder(images) if images else path.parent
    ready = _PreparedImport(left=list(matching_file.wrong))
    for done, example in enumerate(_unchanged(context, path, suite, matching_file.examples, ready)):
        try:
            picture = _picture(context, folder, example, suite, source)
            _add_image(context, ready, _prompt(example, suite), source, picture)
        except ValueError as error:
            ready.left.append(located(path, example.line, printable(error)))
        _tell(context, done, len(matching_file.examples), "images read")
    _bring_in(context, suite, path.name, ready)


def _from_tifa(context: Context, texts: str, questions: str, images: str | None, suite: str, source: str) -> None:
    if images is None:
        raise UsageError("--tifa needs --images DIR, the folder of COCO's validation images")
    folder = context.folder(images)
    paths = (context.file(texts), context.file(questions))
    matching, ready = read_tifa_matching(*paths), _PreparedImport()
    missing: dict[str, None] = {}
    for done, example in enumerate(_unchanged(context, paths[1], suite, matching.examples, ready)):
        photograph = _photograph(folder, int(example.image))
        if photograph is None:
            missing[example.image] = None
            continue
        try:
            _add_image(context, ready, _prompt(example, suite), source, photograph)
        except ValueError as error:
            ready.left.append(printable(error))
        _tell(context, done, len(matching.examples), "images read")
    # most texts do not hold their answers' words: that is no fault of the files
    for reason, number in matching.left.most_common():
        context.warn(f"not made: {wording.count(number, 'question')}: {reason}")
    if missing:
        ready.left.append(f"{wording.count(len(missing), 'photograph')} not in {images}, e.g. COCO's {next(iter(missing))}")
    _bring_in(context, suite, paths[1].name, ready)


def _prompt(example: MatchingExample, suite: str) -> Prompt:
    return Prompt(f"{suite}/{example.name}", suite, example.text, example.task, example.spec)


def _unchanged(
    context: Context, path: Path, suite: str, examples: Sequence[MatchingExample], ready: _PreparedImport
) -> Iterable[MatchingExample]:
    """Without those whose place in the project has other captions: what was judged there was judged among those."""
    there: Mapping[str, Prompt] = library.prompts_by_id(context.store, [f"{suite}/{example.name}" for example in examples])
    for example in examples:
        stored = there.get(f"{suite}/{example.name}")
        if stored is not None and dict(stored.spec) != example.spec:
            problem = f"{stored.prompt_id} has other captions in this project already; give this file a --suite of its own"
            ready.left.append(located(path, example.line or None, problem))
        else:
            yield example


def _picture(context: Context, folder: Path, example: MatchingExample, suite: str, source: str) -> Path:
    """The file that is meant, cut out into the project where the example means a part of it.

    Raises:
        ValueError: it leads out of the folder, is not there or is no image.
    """
    named = path_within(folder, example.image, "image", "the folder of images")
    # Winoground names its images without an extension
    path = next((p for p in (named, *(named.with_name(named.name + end) for end in sorted(EXTENSIONS))) if p.is_file()), named)
    if example.box is None:
        return path
    target = _home(context, source, f"{suite}/{example.name}")
    if not target.is_file():
        image = open_image(path)
        left, upper, right, lower = example.box
        box = (left, upper, min(right, image.width), min(lower, image.height))
        if box[0] >= box[2] or box[1] >= box[3]:
            raise ImageError(
                path, f"its box begins at {left}, {upper}, outside the image of {image.width} x {image.height} pixels"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, _png(image.crop(box)))
    return target


def _photograph(folder: Path, number: int) -> Path | None:
    """As COCO names it, in 2014 or since 2017, below the folder or in ``val2014``."""
    names = (f"COCO_val2014_{number:012d}.jpg", f"{number:012d}.jpg", f"{number}.jpg")
    places = (base / name for base in (folder, folder / "val2014", folder / "val2017") for name in names)
    return next((path for path in places if path.is_file()), None)


def _home(context: Context, source: str, prompt_id: str) -> Path:
    return context.store.project / "images" / safe_file_name(source) / f"{safe_file_name(prompt_id)}_0.png"


def _add_image(context: Context, ready: _PreparedImport, prompt: Prompt, source: str, path: Path) -> None:
    """Raises ``ImageError`` where the file is no image."""
    file = read_image_file(path)
    mine = _own_path(context, path)
    ready.prompts[prompt.prompt_id] = prompt
    ready.images.append(Image(prompt.prompt_id, source, 0, mine, file.sha256, file.width, file.height))


def _own_path(context: Context, path: Path) -> Path:
    """Relative to the project where it lies in it, so that the project can be moved."""
    return path.relative_to(context.store.project) if path.is_relative_to(context.store.project) else path


def _png(picture: Pillow.Image) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def _tell(context: Context, done: int, total: int, label: str) -> None:
    if (done + 1) % _TELL_EVERY == 0:
        context.warn(f"{done + 1:,} of {total:,} {label}")


def _bring_in(context: Context, suite: str, name: str, ready: _PreparedImport) -> None:
    context.warn(*(f"left out: {line}" for line in ready.left[:_MOST_TOLD]))
    if len(ready.left) > _MOST_TOLD:
        context.warn(f"left out: {len(ready.left) - _MOST_TOLD:,} more")
    if not ready.images:
        raise CommandError(f"{name}: nothing could be imported")
    specs = (ready.prompts[image.prompt_id].spec for image in ready.images)
    bundle = _bundle_images(f"itm {suite}", name, ready, specs)
    tasks = ", ".join(dict.fromkeys(str(prompt.task) for prompt in ready.prompts.values() if prompt.task))
    import_bundle(context, bundle, f"{suite}: {len(ready.images)} images with captions" + (f" ({tasks})" if tasks else ""))
    if ready.left:
        raise CommandError(f"{len(ready.left):,} skipped (see above); the rest is imported")
