"""Generating: have a text-to-image model paint a suite's prompts, and bring the pictures into the project."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from concord.common import wording
from concord.common.context import CommandError, Context, UsageError, digest, import_bundle
from concord.runs import run_session
from concord.runs.queue import QueuedRun
from concord.runs.requests import GenerateRequest
from concord.runs.worker_process import ProgressReport
from data.files import safe_file_name
from data.images.files import read_image_file
from data.jobs.folder import LOG
from data.jobs.generation import (
    BLANKED,
    GenerationFolder,
    GenerationJob,
    WantedPicture,
    blanked,
    missing_pictures,
    picture_seed,
)
from data.jobs.runs import Run, RunFolder
from data.playground import sample as playground
from data.records import Image, Prompt, image_item
from data.store import library, runs
from data.store.browse import contents
from data.store.imports import ImportBundle
from data.store.runs import RunRow
from scorers.generation import generators
from scorers.models import pipelines

WORKER: tuple[str, ...] = (sys.executable, "-m", "scorers.generation.worker")
_TELL_SECONDS = 5.0
_BATCH = 16
_REAL_BATCH = 4
"""Pictures at once, if nothing is said: of the playground's generators, and of real ones."""
_LONGEST = 100
_SETTINGS = ("model", "asked", "seed")
"""The keys of a generator's stored settings."""
# without "_", which stands for "/" in file names
_names: set[tuple[Path, str]] = set()
_lock = threading.Lock()


def run(context: Context, request: GenerateRequest) -> None:
    """Make images of each prompt that are not in the project yet. What was made before a stop is used.

    The generator is as ``scorers.generation.generators`` knows them, a hub id, or a folder (from where whoever asks is).
    """
    suite, name, n, seed = request.suite, request.name, request.n, request.seed
    model = _model(context, request.generator)
    asked_so = generators.generation_settings(
        request.profile,
        steps=request.steps,
        guidance=request.guidance,
        sampler=request.sampler,
        precision=request.precision,
    )
    if name is not None and (not name.strip() or not name.isprintable() or len(name) > _LONGEST):
        raise UsageError(f"--name must be 1 to {_LONGEST} characters that can be printed, got {name[:_LONGEST]!r}")
    called = generators.name_of(model, asked_so, seed) if name is None else name.strip()
    asked = asdict(asked_so)
    settings: dict[str, Any] = dict(zip(_SETTINGS, (generators.model_of(model), asked, seed), strict=True))
    task = request.task
    prompts = [prompt for prompt in _prompts(context, suite) if not task or prompt.task in task][: request.limit]
    if not prompts:
        raise CommandError(f"suite {suite!r} has no prompt of task {', '.join(task)}")
    known = _same(context, called, settings)
    with _alone(context, called):
        wanted = _wanted(context, suite, called, prompts, n, seed)
        if not wanted:
            context.say(f"nothing to do: {called} has {n} pictures of each of these {len(prompts)} prompts already")
            return
        runs.set_generator_settings(context.store, called, {**known, **settings})
        at_once = request.batch_size or (_BATCH if model in pipelines.PLAYGROUND_STAGES else _REAL_BATCH)
        job = GenerationJob(model, tuple(wanted), at_once, asked, request.device, known.get("weights", ""))
        row = _begin(context, job, called, {**settings, "suite": suite, "n": n}, request.profile)
        _work(context, row)


def resume(context: Context, run_id: str) -> None:
    """Go on with a generation.

    Raises:
        CommandError: there is no such run, its folder is gone, or it stops or fails again.
    """
    row = runs.get(context.store, run_id)
    if row is None or not (context.store.project / row.folder / "job.json").is_file():
        raise CommandError(f"run {run_id} cannot continue: its folder is gone; run `generate` again for the missing images")
    with _alone(context, row.rater_id):
        _work(context, row)


@contextmanager
def _alone(context: Context, called: str) -> Iterator[None]:
    """One at a time paints in a name, or waits for it.

    Raises:
        CommandError: somebody does already.
    """
    key = (context.store.project, called)
    with _lock:
        if key in _names:
            raise CommandError(f"{called} is already being generated or waits in the queue; see the page Runs")
        _names.add(key)
    try:
        for row in runs.generations_of(context.store, called):
            if RunFolder(context.store.project / row.folder).at_work():
                raise CommandError(
                    f"an earlier worker is still generating {called} (run {row.run_id}); wait until it has ended"
                )
        yield
    finally:
        with _lock:
            _names.discard(key)


def _begin(context: Context, job: GenerationJob, called: str, settings: Mapping[str, Any], profile: str) -> RunRow:
    """The run of this generator that was stopped, where exactly what it lacks is wanted now; else a new one that takes its
    place. What was painted is used either way."""
    store = context.store
    for row in runs.generations_of(store, called):
        folder = GenerationFolder(store.project / row.folder)
        with suppress(OSError, ValueError, TypeError, KeyError):
            earlier = folder.job()
            same = replace(earlier, wanted=(), weights="") == replace(job, wanted=(), weights="")
            if same and {picture.file for picture in missing_pictures(earlier.wanted)} == {
                picture.file for picture in missing_pictures(job.wanted)
            }:
                return row
        runs.set_state(store, row.run_id, "cancelled", "a later run paints what it lacks")
    run_id = run_session.next_id(store, f"generate-{safe_file_name(called)}")
    folder = GenerationFolder(store.project / "runs" / run_id)
    folder.ask(job)
    new_run = Run(run_id, "generate", "", profile, settings, job.device, job.batch_size)
    runs.add_generation(store, new_run, called, f"runs/{run_id}", len(job.wanted))
    begun = runs.get(store, run_id)
    assert begun is not None
    context.warn(f"run {run_id}: {wording.count(len(job.wanted), 'picture')} to paint on {job.device}")
    return begun


def _work(context: Context, row: RunRow) -> None:
    """Bring a generation to its end.

    Raises:
        CommandError: it was stopped, or it failed; the run's state says which, and it can go on.
    """
    store, folder = context.store, GenerationFolder(context.store.project / row.folder)
    with run_session.at_work(context, row) as turn:
        # what is known by now of the generator's weights is asked of the worker, too
        job, known = folder.job(), runs.generator_settings(store, row.rater_id) or {}
        if (weights := str(known.get("weights", ""))) != job.weights:
            folder.replace(replace(job, weights=weights))
        _paint(context, folder, turn)
        left = _taken_in(context, row, folder)
        if not left:
            runs.set_state(store, row.run_id, "done")
            return
        worker, progress = turn.worker, folder.progress()
        ended = f"{worker.why_ended(folder)}; {folder.path / LOG} says more"
        ended = "the worker was stopped" if worker.was_stopped(folder) else ended
        why = (progress.error if progress else None) or _unpaintable(context, folder) or ended
        run_session.end_early(store, turn, folder, why)
    raise CommandError(f"{left} of {row.n_items} images were not generated: {why}. Run the same command again to continue")


def _taken_in(context: Context, row: RunRow, folder: GenerationFolder) -> int:
    """Bring in what was painted and is not in the project yet; returns how many pictures are still missing."""
    called, job = row.rater_id, folder.job()
    known = runs.generator_settings(context.store, called) or {}
    if opened := folder.opened():
        asked_so = {key: row.settings[key] for key in _SETTINGS}
        runs.set_generator_settings(context.store, called, {**asked_so, **known, **opened})
    suite = str(row.settings["suite"])
    there = contents.pictured(context.store, suite, called)
    made = [picture for picture in job.wanted if Path(picture.file).is_file()]
    new = [picture for picture in made if Image(picture.prompt_id, called, picture.index).image_id not in there]
    if new:
        among = {picture.prompt_id for picture in job.wanted}
        prompts = {prompt.prompt_id: prompt for prompt in _prompts(context, suite) if prompt.prompt_id in among}
        _bring_in(context, suite, called, prompts, new)
    elif not there and not made and "weights" not in known:
        # what could not be opened takes nobody's name
        runs.delete_generator_settings(context.store, called)
    return len(missing_pictures(job.wanted))


def _model(context: Context, generator: str) -> str:
    """What the worker is to open: a folder of the user's by its whole path, else the name."""
    if generator not in pipelines.GENERATOR_NAMES and (path := context.path(generator)).is_dir():
        return str(path.resolve())
    generators.check(generator)
    return generator


def _same(context: Context, called: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What is recorded of this generator; empty if it is new.

    Raises:
        CommandError: it is another model, or was asked in another way: its pictures would be of two kinds.
    """
    known = runs.generator_settings(context.store, called)
    if known is None:
        # the playground's pictures, and what earlier versions painted, are of this kind
        if called not in pipelines.PLAYGROUND_STAGES and runs.was_generated_elsewhere(context.store, called):
            raise CommandError(f"the project has images by {called} that were not generated here; choose another --name")
        return {}
    before, now = (_flat(each) for each in (known, settings))
    other = [f"{key} {_in_words(before.get(key))}, now {_in_words(now[key])}" for key in now if now[key] != before.get(key)]
    if other:
        raise CommandError(f"{called} was run with other settings before ({'; '.join(other)}); choose another --name")
    return known


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return a generator's stored settings, each of those that it was asked with as one of its own."""
    model, asked, seed = (settings[key] for key in _SETTINGS)
    return {"model": model, **asked, "seed": seed}


def _in_words(value: Any) -> str:
    return "the model's own" if value is None else str(value)


def _wanted(context: Context, suite: str, called: str, prompts: Sequence[Prompt], n: int, seed: int) -> list[WantedPicture]:
    """The pictures that are not in the project yet."""
    there = contents.pictured(context.store, suite, called)
    images = [Image(prompt.prompt_id, called, index) for prompt in prompts for index in range(n)]
    texts = {prompt.prompt_id: prompt.text for prompt in prompts}
    home = context.store.project / "images" / safe_file_name(called)
    return [
        WantedPicture(
            image.prompt_id,
            image.index,
            texts[image.prompt_id],
            picture_seed(texts[image.prompt_id], image.index, seed),
            str(home / f"{safe_file_name(image.prompt_id)}_{image.index}.png"),
        )
        for image in images
        if image.image_id not in there
    ]


def _unpaintable(context: Context, folder: GenerationFolder) -> str:
    """Name each picture that the model could not paint; returns why, in a line, empty if it could paint all that it tried."""
    reasons = folder.failed()
    for picture in folder.job().wanted:
        if picture.file in reasons:
            context.warn(f"failed: {picture.prompt_id} {picture.index}: {reasons[picture.file]}")
    return "; ".join(f"{why} ({n:,})" if n > 1 else why for why, n in Counter(reasons.values()).most_common(3))


def _prompts(context: Context, suite: str) -> list[Prompt]:
    prompts = library.prompts_of_suite(context.store, suite)
    if prompts:
        return prompts
    if suite == playground.SUITE:
        return playground.sample_prompts()
    known = contents.filter_choices(context.store).suite
    has = f"; it has: {', '.join(known)}" if known else ""
    raise CommandError(f"the project has no suite {suite!r}{has}. First: import prompts FILE --suite {suite}")


def _paint(context: Context, folder: GenerationFolder, turn: QueuedRun) -> None:
    """Run the worker and tell how far it is; what it painted is used, however it ends."""
    report = ProgressReport(context.warn, _TELL_SECONDS, "picture")

    def look(_: bool) -> None:
        progress = folder.last_progress()
        if progress is not None and progress.state == "running":
            turn.saw(progress.done)
            report(progress)

    turn.worker.work(WORKER, folder, look, context.warn)


def _bring_in(context: Context, suite: str, generator: str, prompts: dict[str, Prompt], made: Sequence[WantedPicture]) -> None:
    images = []
    for picture in made:
        file = read_image_file(Path(picture.file))
        # the path is the project's own, so that it can be moved
        path = file.path.relative_to(context.store.project)
        why = blanked(file.path)
        images.append(Image(picture.prompt_id, generator, picture.index, path, file.sha256, file.width, file.height, why))
    bundle = ImportBundle(
        f"generated {suite}",
        generator,
        digest(*(f"{image.image_id} {image.sha256}" for image in images)),
        prompts=list(prompts.values()),
        images=images,
        items=[image_item(image, prompts[image.prompt_id]) for image in images],
    )
    for why, n in Counter(image.blanked for image in images if image.blanked is not None).items():
        context.warn(f"{n} of {len(images)} pictures are {BLANKED[why]}; they are kept, and marked as such")
    import_bundle(context, bundle, f"{len(images)} pictures of {len(prompts)} prompts by {generator}")
