"""``score``: have a scorer look at images. A worker process perceives; its parts are judged and stored as they come."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.jobs.runs import PART_SIZE, Run, RunFolder, WorkItem
from data.records import Rater
from data.store import library, runs
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.runs import RunRow
from ui import words
from ui.commands import queueing, versions, working
from ui.commands.context import CommandError, Context, UsageError
from ui.commands.overrides import pairs
from ui.commands.reading import readable

if TYPE_CHECKING:
    from scorers.base import Scorer

DEFAULT_DEVICE = "cpu"
DEFAULT_ENGINE = "local"


@dataclass(frozen=True, slots=True)
class Plan:
    """A scorer with all its settings, and the rater that it is in this project."""

    scorer: Scorer
    profile: str
    settings: Mapping[str, Any]
    rater: Rater


# finding out what is left and beginning it is one step
beginning = threading.Lock()


@dataclass(frozen=True, slots=True)
class Means:
    """What a run is done with; it changes nothing of what comes out."""

    device: str
    engine: str = DEFAULT_ENGINE
    part_size: int = PART_SIZE

    def __str__(self) -> str:
        return self.device if self.engine == DEFAULT_ENGINE else f"{self.device} with {self.engine}"


def check_engine(engine: str, device: str) -> None:
    """Whether runs can be done with it here.

    Raises:
        UsageError: there is no such engine, or no device is named.
        CommandError: its package is not installed.
    """
    from scorers.running import engines

    try:
        engines.check_engine_name(engine)
        engines.devices(device)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if (why := engines.missing_package(engine)) is not None:
        raise CommandError(why)


def plan(store: Store, scorer: str, profile: str | None, overrides: Mapping[str, str]) -> Plan:
    """Who would score with these settings; ``profile``: None for the scorer's default one.

    Raises:
        UsageError: there is no such scorer, profile or setting, or a setting cannot have this value.
        CommandError: a model is not at hand.
    """
    from scorers import registry

    try:
        found = registry.get(scorer)
        profile = profile or registry.default_profile(found)
        settings = registry.settings(found, profile, overrides)
    except ValueError as error:
        wrong = isinstance(error, registry.UnknownScorer) or overrides or profile not in found.profiles
        raise (UsageError if wrong else CommandError)(str(error)) from error
    return Plan(found, profile, settings, rater_of(store, found, profile, found.version, settings))


def refuse_missing_models(scorer: Scorer, settings: Mapping[str, Any]) -> None:
    """Say at once what the worker would say after it has opened its libraries.

    Raises:
        CommandError: a model that ``doctor`` knows of is not on this machine.
    """
    from ui.commands.machine import missing_model

    if (why := missing_model(scorer, settings)) is not None:
        raise CommandError(why)


def rater_of(store: Store, scorer: Scorer, profile: str, version: str, settings: Mapping[str, Any]) -> Rater:
    """The rater that a run with these settings is: named by scorer, profile, and what differs from the profile."""
    from scorers.registry import DEFAULT

    changed = changed_settings(scorer, profile, settings)
    name = (scorer.name if profile == DEFAULT else f"{scorer.name}-{profile}") + (f"[{','.join(changed)}]" if changed else "")
    return runs.scorer_rater(store, name, version, settings)


def changed_settings(scorer: Scorer, profile: str, settings: Mapping[str, Any]) -> list[str]:
    """What differs from the profile, as ``--set`` takes it."""
    usual = {**scorer.options, **scorer.profiles.get(profile, {})}
    return [f"{key}={settings[key]}" for key in sorted(usual) if key in settings and settings[key] != usual[key]]


def run(
    context: Context,
    scorer: str,
    profile: str | None,
    overrides: Sequence[str],
    device: str,
    batch_size: int | None,
    limit: int | None,
    selection: Mapping[str, Sequence[str]],
    engine: str = DEFAULT_ENGINE,
) -> None:
    """First what the rater left unfinished, then what of the selection is left."""
    check_engine(engine, device)
    chosen = plan(context.store, scorer, profile, pairs(overrides))
    refuse_missing_models(chosen.scorer, chosen.settings)
    where = Selection.of(lambda name: selection.get(name, ()))
    rater_id = chosen.rater.rater_id
    ended: list[RunRow] = []
    tried: set[str] = set()
    while (row := _left_behind(context, rater_id)) is not None:
        tried |= {work.item_id for work in working.folder_of(context.store, row).work()}
        context.warn(f"going on with run {row.run_id}: {row.n_done:,} of {words.count(row.n_items, 'image')} are done")
        ended.append(working.work(context, row, chosen.scorer))
    room = None if limit is None else max(0, limit - sum(row.n_items for row in ended))
    begun = _begin(context, chosen, where, Means(device, engine, batch_size or PART_SIZE), room, tried)
    if begun is not None:
        ended.append(working.work(context, begun, chosen.scorer))
    if not ended:
        _say_why_nothing(context, where, chosen)
        return
    _report(context, rater_id, ended)


def resume(context: Context, run_id: str) -> None:
    """Go on with one run.

    Raises:
        CommandError: there is no such run, or it cannot go on.
    """
    from scorers import registry

    row = runs.get(context.store, run_id)
    if row is None:
        raise CommandError(f"there is no run {run_id} in this project")
    if not _has_folder(context.store, row):
        raise CommandError(f"the folder of run {run_id} is gone: what it had judged stays; score the rest anew")
    _report(context, row.rater_id, [working.work(context, row, registry.get(row.scorer))])


def _left_behind(context: Context, rater_id: str) -> RunRow | None:
    """The rater's unfinished run that nobody is at and that can go on. One whose folder is gone is given up."""
    for row in runs.all_unfinished(context.store, rater_id):
        if row.run_id in queueing.jobs(context.store):
            continue
        if _has_folder(context.store, row):
            return row
        context.warn(f"the folder of run {row.run_id} is gone: what it had judged stays, the rest is scored anew")
        runs.set_state(context.store, row.run_id, "lost", "its folder is gone")
    return None


def _has_folder(store: Store, row: RunRow) -> bool:
    return (working.folder_of(store, row).path / "run.json").is_file()


def _begin(context: Context, chosen: Plan, where: Selection, on: Means, limit: int | None, tried: set[str]) -> RunRow | None:
    """A new run of what is left, but for what was just ``tried`` and what another run of this rater is at or waits for; None
    if that is nothing."""
    store = context.store
    with beginning:
        every = [work for work in runs.pending(store, where, chosen.rater.rater_id) if work.item_id not in tried]
        others = in_hand(store, runs.all_unfinished(store, chosen.rater.rater_id))
        pending = [work for work in every if work.item_id not in others]
        if every and not pending:
            raise queueing.busy(others[every[0].item_id])
        found = readable(store, pending, chosen.scorer, chosen.settings)
        left = found.work[:limit]
        if not left:
            return None
        unspecified = 0 if "score" in chosen.scorer.scales else sum(not one.spec for one in left)
        nothing = (
            f"the prompts of {words.count(unspecified, 'image')} do not say in a spec what must be there, so"
            f" {chosen.scorer.name} has nothing to check; docs/importing.md says how prompts get specs"
        )
        if unspecified == len(left):
            raise CommandError(nothing)
        if (why := versions.new(store, chosen.rater)) is not None:
            context.warn(why)
        row = _write(store, chosen, left, on)
    context.warn(f"run {row.run_id}: {words.count(len(left), 'image')} to score on {on}")
    if found.left_out:
        context.warn(found.told())
    if unspecified:
        context.warn(nothing)
    return row


def in_hand(store: Store, behind: Sequence[RunRow]) -> dict[str, str]:
    """Images that these runs are about, each with its run."""
    found: dict[str, str] = {}
    for row in behind:
        with suppress(OSError):  # what cannot be read cannot be worked on either
            found |= dict.fromkeys(_items(working.folder_of(store, row)), row.run_id)
    return found


@lru_cache(maxsize=16)
def _items_of(folder: Path) -> tuple[str, ...]:
    """A manifest never changes."""
    with suppress(ValueError, TypeError):
        return tuple(work.item_id for work in RunFolder(folder).work())
    return ()


def _items(folder: RunFolder) -> tuple[str, ...]:
    return _items_of(folder.path) if (folder.path / "run.json").is_file() else ()


def _write(store: Store, chosen: Plan, left: Sequence[WorkItem], on: Means) -> RunRow:
    run_id = working.next_id(store, chosen.rater.rater_id)
    scorer = chosen.scorer
    asked = Run(run_id, scorer.name, scorer.version, chosen.profile, chosen.settings, on.device, on.part_size, on.engine)
    return written(store, asked, chosen.rater, left)


def written(store: Store, asked: Run, rater: Rater, work: Sequence[WorkItem]) -> RunRow:
    """A new run that waits for its turn. The folder first: a run that the project knows of can always go on."""
    folder = f"runs/{asked.run_id}"
    RunFolder(store.project / folder).create(asked, work)
    runs.add_run(store, asked, rater, folder, len(work), state="queued")
    row = runs.get(store, asked.run_id)
    assert row is not None
    return row


def _say_why_nothing(context: Context, where: Selection, planned: Plan) -> None:
    rater_id = planned.rater.rater_id
    there = runs.count_pending(context.store, where, rater_id)
    pending = runs.pending(context.store, where, rater_id) if there.left else []
    found = readable(context.store, pending, planned.scorer, planned.settings)
    if not there.images:
        chosen = " ".join(f"--{name} {value}" for name, values in where.to_dict().items() for value in values)
        what = f"no image with a file fits {chosen}" if chosen else "this project has no images yet; import some first"
        raise CommandError(what)
    images = there.images - sum(found.left_out.values())
    if not images:
        raise CommandError(f"nothing to score: {found.told()}")
    context.say(f"nothing to do: {rater_id} has judged all {words.count(images, 'image')} of this selection")
    if planned.scorer.asks and (behind := library.count_outdated_answers(context.store, rater_id)):
        context.warn(
            f"of {words.count(behind, 'image')} it answered other questions than are asked now; to have them asked anew, remove"
            " its runs on the page Runs and score again"
        )
    if found.left_out:
        context.warn(found.told())


def _report(context: Context, rater_id: str, ended: Sequence[RunRow]) -> None:
    """The summary line.

    Raises:
        CommandError: some images could not be scored.
    """
    failures: dict[str, int] = {}
    for row in ended:
        for reason, n in row.failures.items():
            failures[reason] = failures.get(reason, 0) + n
    failed = sum(failures.values())
    judged = sum(row.n_done for row in ended) - failed
    why = "; ".join(f"{reason} ({n:,})" if n > 1 else reason for reason, n in failures.items())
    left = f", {failed:,} failed: {why}" if failed else ""
    context.say(f"{words.count(judged, 'image')} judged by {rater_id}{left}")
    if failed:
        raise CommandError(f"{words.count(failed, 'image')} could not be scored; the next score tries them again")
