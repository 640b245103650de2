"""``generate``: have a text-to-image model paint a suite's prompts, and bring the pictures into the project."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from data.images import read_image_file
from data.pictures import BLANKED, Job, JobFolder, Wanted, blanked, missing, seed_of
from data.playground import prompts as playground
from data.records import Image, Prompt
from data.store import browse, generations, imports, prompts
from data.store.imports import Bundle
from data.studies.rows import image_item
from scorers import generators
from ui.commands.context import CommandError, Context, UsageError, digest, report
from ui.commands.working import sigterm_as_interrupt

ROOT = Path(__file__).resolve().parents[2]
_ASK_EVERY = 0.2
_TELL_EVERY = 5.0
_BATCH = 16
_REAL_BATCH = 4
"""Pictures at once, if nothing is said: of the playground's generators, and of real ones."""
_LONGEST = 100
# without "_", which stands for "/" in file names
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9.@=-]*(/[A-Za-z0-9][A-Za-z0-9.@=-]*)*")


def run(
    context: Context,
    suite: str,
    generator: str,
    tasks: Sequence[str],
    n: int,
    limit: int | None,
    seed: int,
    batch_size: int | None,
    asking: Mapping[str, Any] | None = None,
    device: str = "cpu",
    name: str | None = None,
) -> None:
    """Paint ``n`` pictures of each prompt that are not in the project yet. What was painted before a stop is used.

    ``generator`` is as ``scorers.generators`` knows them, a hub id, or a folder (from where whoever asks is); ``asking`` a
    ``profile`` and what is changed of it (``scorers.generators.Asking``); ``name`` what to call the generator so asked, None:
    its own name, and what is not as usual.
    """
    model = _model(context, generator)
    asked_so = generators.asking(**{"profile": "default", **(asking or {})})
    called = generators.name_of(model, asked_so, seed) if name is None else _named(name)
    settings: dict[str, Any] = {"model": generators.model_of(model), "asked": asdict(asked_so), "seed": seed}
    asked = [prompt for prompt in _prompts(context, suite) if not tasks or prompt.task in tasks][:limit]
    if not asked:
        raise CommandError(f"suite {suite!r} has no prompt of task {', '.join(tasks)}")
    known = _same(context, called, settings)
    wanted = _wanted(context, suite, called, asked, n, seed)
    if not wanted:
        context.say(f"nothing to do: {called} has {n} pictures of each of these {len(asked)} prompts already")
        return
    generations.keep(context.store, called, {**known, **settings})
    folder = JobFolder(context.store.project / "runs" / f"generate-{safe(called)}")
    at_once = batch_size or (_BATCH if model in generators.PLAYGROUND else _REAL_BATCH)
    folder.create(Job(model, tuple(wanted), at_once, settings["asked"], device, known.get("weights", "")))
    status = _paint(context, folder)
    if opened := folder.opened():
        generations.keep(context.store, called, {**settings, **opened})
    made = [one for one in wanted if Path(one.file).is_file()]
    if made:
        _bring_in(context, suite, called, {prompt.prompt_id: prompt for prompt in asked}, made)
    elif not known:
        # what could not be opened takes nobody's name
        generations.forget(context.store, called)
    if left := len(missing(wanted)):
        told = folder.progress()
        why = (told.error if told else None) or _ending(status, folder)
        raise CommandError(f"{left} of {len(wanted)} pictures were not painted: {why}. The same command goes on from here")


def _model(context: Context, generator: str) -> str:
    """What the worker is to open: a folder of the user's by its whole path, else the name."""
    if generator not in generators.NAMES and (path := context.path(generator)).is_dir():
        return str(path.resolve())
    generators.check(generator)
    return generator


def _named(name: str) -> str:
    """A name that the user gives.

    Raises:
        UsageError: it is none.
    """
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST:
        raise UsageError(f"--name must be 1 to {_LONGEST} characters that can be printed, got {name[:_LONGEST]!r}")
    return name.strip()


def _same(context: Context, called: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is recorded of this generator; empty if it is new.

    Raises:
        CommandError: it is another model, or was asked in another way: its pictures would be of two kinds.
    """
    known = generations.of(context.store, called)
    if known is None:
        # the playground's pictures, and what earlier versions painted, are of this kind
        if called not in generators.PLAYGROUND and generations.made_elsewhere(context.store, called):
            raise CommandError(f"the project has pictures by {called} that were not made here; give these another --name")
        return {}
    before, now = ({"model": one["model"], **one["asked"], "seed": one["seed"]} for one in (known, settings))
    other = [f"{key} {_in_words(before.get(key))}, now {_in_words(now[key])}" for key in now if now[key] != before.get(key)]
    if other:
        raise CommandError(f"{called} was asked otherwise before ({'; '.join(other)}); give this one another --name")
    return known


def _in_words(value: Any) -> str:
    return "the model's own" if value is None else str(value)


def _wanted(context: Context, suite: str, called: str, asked: Sequence[Prompt], n: int, seed: int) -> list[Wanted]:
    """The pictures that are not in the project yet."""
    there = browse.pictured(context.store, suite, called)
    places = [Image(prompt.prompt_id, called, index) for prompt in asked for index in range(n)]
    texts = {prompt.prompt_id: prompt.text for prompt in asked}
    home = context.store.project / "images" / safe(called)
    return [
        Wanted(
            place.prompt_id,
            place.index,
            texts[place.prompt_id],
            seed_of(texts[place.prompt_id], place.index, seed),
            str(home / f"{safe(place.prompt_id)}_{place.index}.png"),
        )
        for place in places
        if place.image_id not in there
    ]


def _ending(status: int, folder: JobFolder) -> str:
    if status in (-signal.SIGTERM, 128 + signal.SIGTERM):
        return "the worker was stopped"
    return f"the worker ended with status {status}; {folder.path / 'log.txt'} says more"


def safe(name: str) -> str:
    """A file's name for a name: readable where it can be, and never another folder's or another name's file."""
    if _PLAIN.fullmatch(name):
        return name.replace("/", "_")
    readable = re.sub(r"[^A-Za-z0-9.@=-]+", "_", name).strip("._")[:80]
    return f"{readable}_{hashlib.sha256(name.encode()).hexdigest()[:12]}"


def _prompts(context: Context, suite: str) -> list[Prompt]:
    found = prompts.of_suite(context.store, suite)
    if found:
        return found
    if suite == playground.SUITE:
        return playground.sample()
    known = browse.choices(context.store)["suite"]
    has = f"; it has: {', '.join(known)}" if known else ""
    raise CommandError(f"the project has no suite {suite!r}{has}. First: import prompts FILE --suite {suite}")


def _paint(context: Context, folder: JobFolder) -> int:
    """Run the worker and tell how far it is; returns its exit status. Ctrl-C ends the worker, and what it painted is used."""
    command = [sys.executable, "-m", "scorers.painting", str(folder.path)]
    with (folder.path / "log.txt").open("ab") as log, sigterm_as_interrupt():
        # a session of its own: Ctrl-C in the terminal is for us
        worker = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        try:
            _follow(context, folder, worker)
        except KeyboardInterrupt:
            context.warn("stopping")
        finally:
            worker.terminate()
            status = worker.wait()
    return status


def _follow(context: Context, folder: JobFolder, worker: subprocess.Popen[bytes]) -> None:
    """Tell how far the worker is until it has ended."""
    told, done = time.monotonic(), 0
    while worker.poll() is None:
        time.sleep(_ASK_EVERY)
        progress = folder.progress()
        if progress and progress.state == "running" and progress.done > done and time.monotonic() - told > _TELL_EVERY:
            told, done = time.monotonic(), progress.done
            left = f", {progress.seconds_left:.0f} s left" if progress.seconds_left is not None else ""
            context.warn(f"{progress.done} of {progress.total} pictures{left}")


def _bring_in(context: Context, suite: str, generator: str, asked: dict[str, Prompt], made: Sequence[Wanted]) -> None:
    images = []
    for one in made:
        file = read_image_file(Path(one.file))
        # the path is the project's own, so that it can be moved
        path = file.path.relative_to(context.store.project)
        why = blanked(file.path)
        images.append(Image(one.prompt_id, generator, one.index, path, file.sha256, file.width, file.height, why))
    bundle = Bundle(
        f"generated {suite}",
        generator,
        digest(*(f"{image.image_id} {image.sha256}" for image in images)),
        prompts=list(asked.values()),
        images=images,
        items=[image_item(image, asked[image.prompt_id]) for image in images],
    )
    (imported,) = imports.apply(context.store, [bundle])
    for why, n in Counter(image.blanked for image in images if image.blanked is not None).items():
        context.warn(f"{n} of {len(images)} pictures are {BLANKED[why]}; they are kept, and marked as such")
    report(context, f"{len(images)} pictures of {len(asked)} prompts by {generator}", imported)
