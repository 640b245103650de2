"""``generate``: have a text-to-image model paint a suite's prompts, and bring the pictures into the project."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from data.images import read_image_file
from data.pictures import Job, JobFolder, Wanted, missing, seed_of
from data.playground import prompts as playground
from data.records import Image, Prompt
from data.store import browse, imports, prompts
from data.store.imports import Bundle
from data.studies.rows import image_item
from scorers import generators
from ui.commands.context import CommandError, Context, digest, report
from ui.commands.working import sigterm_as_interrupt

ROOT = Path(__file__).resolve().parents[2]
_ASK_EVERY = 0.2
_TELL_EVERY = 5.0
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
    batch_size: int,
) -> None:
    """Paint ``n`` pictures of each prompt that are not in the project yet. What was painted before a stop is used."""
    generators.check(generator)
    asked = [prompt for prompt in _prompts(context, suite) if not tasks or prompt.task in tasks][:limit]
    if not asked:
        raise CommandError(f"suite {suite!r} has no prompt of task {', '.join(tasks)}")
    there = browse.pictured(context.store, suite, generator)
    places = [Image(prompt.prompt_id, generator, index) for prompt in asked for index in range(n)]
    texts = {prompt.prompt_id: prompt.text for prompt in asked}
    home = context.store.project / "images" / safe(generator)
    wanted = [
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
    if not wanted:
        context.say(f"nothing to do: {generator} has {n} pictures of each of these {len(asked)} prompts already")
        return
    folder = JobFolder(context.store.project / "runs" / f"generate-{safe(generator)}")
    folder.create(Job(generator, tuple(wanted), batch_size))
    status = _paint(context, folder)
    made = [one for one in wanted if Path(one.file).is_file()]
    _bring_in(context, suite, generator, {prompt.prompt_id: prompt for prompt in asked}, made)
    if left := len(missing(wanted)):
        told = folder.progress()
        why = (told.error if told else None) or _ending(status, folder)
        raise CommandError(f"{left} of {len(wanted)} pictures were not painted: {why}. The same command goes on from here")


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
    files = [(one, read_image_file(Path(one.file))) for one in made]
    images = [
        # the path is the project's own, so that it can be moved
        Image(one.prompt_id, generator, one.index, f.path.relative_to(context.store.project), f.sha256, f.width, f.height)
        for one, f in files
    ]
    bundle = Bundle(
        f"generated {suite}",
        generator,
        digest(*(f"{image.image_id} {image.sha256}" for image in images)),
        prompts=list(asked.values()),
        images=images,
        items=[image_item(image, asked[image.prompt_id]) for image in images],
    )
    (imported,) = imports.apply(context.store, [bundle])
    report(context, f"{len(images)} pictures of {len(asked)} prompts by {generator}", imported)
