"""``score``: have a scorer look at images. A worker process perceives; its parts are judged and stored as they come.

A scorer reads prompts as they are, or flipped (its setting ``flip``), and their questions, if it is asked. One with other
weights, code or settings is another rater, and how it differs is said. What failed in a run can be tried again, and nothing
else.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from concord.common import live_updates, wording
from concord.common.context import CommandError, Context, UsageError, parse_overrides
from concord.runs import queue, run_session
from concord.runs.image_limit import ImageLimit, limit_of
from concord.runs.requests import ScoreRequest
from data.cache import cached_by_stamp
from data.jobs.runs import PART_SIZE, Run, RunFolder, WorkItem, read_manifest
from data.matching.captions import caption_candidates
from data.prompts.flips import FlipKind, Unflipped, flip
from data.records import Rater
from data.selection import Selection
from data.store import library, runs
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers import registry
from scorers.base import ModelBroken, Scorer
from scorers.models.devices import CPU
from scorers.running import engines

_NO_QUESTIONS: Final = "no_questions"
_NO_CAPTIONS: Final = "no_captions"


@dataclass(frozen=True, slots=True)
class ReadableWork:
    """Work with the texts to read; ``left_out``: images whose prompts cannot be read so, by reason."""

    work: list[WorkItem]
    left_out: Mapping[str, int]

    def left_out_text(self) -> str:
        """Of what was left out, one line."""
        out = wording.count(sum(self.left_out.values()), "image")
        if _NO_QUESTIONS in self.left_out:
            return f"{out} left out, whose prompts have no questions; import questions FILE, or import questions --from-specs"
        if _NO_CAPTIONS in self.left_out:
            return f"{out} left out, whose prompts say nothing that could be changed into a wrong caption"
        why = "; ".join(f"{wording.reason(reason)} ({n:,})" for reason, n in self.left_out.items())
        return f"{out} left out, whose prompts cannot be flipped: {why}"


def readable(store: Store, work: Sequence[WorkItem], scorer: Scorer, settings: Mapping[str, Any]) -> ReadableWork:
    """As it is, unless the scorer is asked questions, chooses among captions, or the settings ask for flipped prompts.

    Raises:
        ValueError: there is no such kind of flip.
    """
    if scorer.input == "questions":
        return _with_questions(store, work)
    if scorer.input == "captions":
        return _captioned(work)
    kind = settings.get("flip")
    return _flipped(work, kind) if kind else ReadableWork(list(work), {})


def _with_questions(store: Store, work: Sequence[WorkItem]) -> ReadableWork:
    versions = library.current_questions_of_items(store, [item.item_id for item in work])
    fit = [
        replace(item, questions=now.questions, version=now.number)
        for item in work
        if (now := versions.get(item.item_id)) is not None
    ]
    return ReadableWork(fit, {_NO_QUESTIONS: len(work) - len(fit)} if len(fit) < len(work) else {})


def _captioned(work: Sequence[WorkItem]) -> ReadableWork:
    offered = [(item, caption_candidates(item.text, item.spec)) for item in work]
    fit = [
        replace(item, captions=candidates.captions, right=candidates.right)
        for item, candidates in offered
        if candidates is not None
    ]
    return ReadableWork(fit, {_NO_CAPTIONS: len(work) - len(fit)} if len(fit) < len(work) else {})


def _flipped(work: Sequence[WorkItem], kind: FlipKind) -> ReadableWork:
    fit: list[WorkItem] = []
    left_out: Counter[str] = Counter()
    for item in work:
        made = flip(item.text, item.spec, kind)
        if isinstance(made, Unflipped):
            left_out[made.reason] += 1
        elif made.text is None:
            left_out["unsure_text"] += 1
        else:
            fit.append(replace(item, text=made.text, spec=made.spec))
    return ReadableWork(fit, dict(left_out.most_common()))


_NUMBER = re.compile(r" #[0-9]+$")


def new_version_note(store: Store, rater: Rater) -> str | None:
    """What is said where runs of this rater will make a new one of a name that the project has; None where they will not."""
    others = raters_of_same_name(store, rater.rater_id)
    if not others or any(rater_row.rater_id == rater.rater_id for rater_row in others):
        return None
    last = others[-1]
    why = "; ".join(rater_differences(last, rater)) or "it was asked otherwise"
    return f"this will be a new rater, {rater.rater_id}, as it is not what {last.rater_id} was: {why}"


def raters_of_same_name(store: Store, rater_id: str) -> list[Rater]:
    """All scorers of this one's name, oldest first."""
    return runs.versions_of(store, _NUMBER.sub("", rater_id))


def rater_differences(before: Rater, now: Rater) -> list[str]:
    """How two raters of one scorer differ, a line each: code, weights, settings."""
    lines = []
    if before.version != now.version:
        lines.append(f"the scorer's code gives other results (version {now.version}, then {before.version})")
    old, new = (rater.settings.get("weights") or {} for rater in (before, now))
    lines += [
        f"the weights of its {key} differ ({new.get(key, 'unknown')}, then {old.get(key, 'unknown')})"
        for key in sorted({*old, *new})
        if old.get(key) != new.get(key)
    ]
    for key in sorted({*before.settings, *now.settings} - {"weights", "revisions"}):
        then, today = before.settings.get(key), now.settings.get(key)
        if then != today:
            lines.append(f"{key} is {_value_text(today)}, then {_value_text(then)}")
    return lines


def _value_text(value: Any) -> str:
    return "not set" if value is None else str(value)


DEFAULT_ENGINE = "local"


@dataclass(frozen=True, slots=True)
class ScoringPlan:
    """A scorer with all its settings, and the rater that it is in this project; ``note``: a line for who asked, or nothing."""

    scorer: Scorer
    profile: str
    settings: Mapping[str, Any]
    rater: Rater
    note: str = ""


# finding out what is left and beginning it is one step
beginning = threading.Lock()


def check_engine(engine: str, device: str) -> None:
    """Whether runs can be done with it here.

    Raises:
        UsageError: there is no such engine, or no device is named.
        CommandError: its package is not installed.
    """
    try:
        engines.check_engine_name(engine)
        engines.devices(device)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if (why := engines.missing_package(engine)) is not None:
        raise CommandError(why)


def plan_scoring(store: Store, scorer: str, profile: str | None, overrides: Mapping[str, str]) -> ScoringPlan:
    """Who would score with these settings; ``profile``: None for the scorer's default one.

    Raises:
        UsageError: there is no such scorer, profile or setting, or a setting cannot have this value.
        CommandError: a model is not at hand.
    """
    try:
        registered = registry.get(scorer)
        now = registry.profile_of(registered, profile)
    except ValueError as error:
        raise UsageError(str(error)) from error
    try:
        settings = registry.settings(registered, now, overrides)
    except ValueError as error:
        raise (UsageError if overrides else CommandError)(str(error)) from error
    note = "" if profile in (None, now) else f"the profile {profile} of {scorer} is called {now} now"
    return ScoringPlan(registered, now, settings, rater_of(store, registered, now, registered.version, settings), note)


def refuse_missing_models(scorer: Scorer, settings: Mapping[str, Any]) -> None:
    """Say at once what the worker would say after it has opened its libraries.

    Raises:
        CommandError: a model that ``doctor`` knows of is not on this machine.
    """
    from concord.common.machine import missing_model

    if (why := missing_model(scorer, settings)) is not None:
        raise CommandError(why)


def rater_of(store: Store, scorer: Scorer, profile: str, version: str, settings: Mapping[str, Any]) -> Rater:
    """The rater that a run with these settings is: named by scorer, profile, and what differs from the profile."""
    settings = {key: value for key, value in settings.items() if key not in scorer.operating}
    named_by = () if scorer.hosted is None else scorer.hosted.named_by
    changed = [text for text in changed_settings(scorer, profile, settings) if text.partition("=")[0] not in named_by]
    called = next(
        (str(settings[key]) for key in named_by[:1] if settings.get(key)), "" if profile == registry.DEFAULT else profile
    )
    name = "-".join(filter(None, (scorer.name, called))) + (f"[{','.join(changed)}]" if changed else "")
    return runs.scorer_rater(store, name, version, settings)


def changed_settings(scorer: Scorer, profile: str, settings: Mapping[str, Any]) -> list[str]:
    """What differs from the profile, as ``--set`` takes it."""
    usual = {**scorer.options, **scorer.profiles.get(profile, {})}
    return [f"{key}={settings[key]}" for key in sorted(usual) if key in settings and settings[key] != usual[key]]


def run(context: Context, request: ScoreRequest, selection: Mapping[str, Sequence[str]]) -> None:
    """First what the rater left unfinished, then what of the selection is left.

    At most ``limit`` images are scored, drawn at random over their tasks by ``seed``, or the ``first`` ones.
    """
    most = limit_of(request.limit, request.first, request.seed)
    check_engine(request.engine, request.device)
    chosen = plan_scoring(context.store, request.scorer, request.profile, parse_overrides(request.overrides))
    if chosen.note:
        context.warn(chosen.note)
    refuse_missing_models(chosen.scorer, chosen.settings)
    where = Selection.of(lambda name: selection.get(name, ()))
    rater_id = chosen.rater.rater_id
    ended: list[RunRow] = []
    tried: set[str] = set()
    while (row := _unfinished_run(context, rater_id)) is not None:
        folder = run_session.folder_of(context.store, row)
        tried |= {work.item_id for work in folder.work()}
        if request.force:
            folder.replace(replace(folder.job(), force=True))
        context.warn(f"going on with run {row.run_id}: {row.n_done:,} of {wording.count(row.n_items, 'image')} are done")
        _operate(context.store, row, chosen)
        ended.append(_worked_on(context, row, chosen.scorer))
    if most.n is not None:
        most = replace(most, n=max(0, most.n - sum(row.n_items for row in ended)))
    new_run = _new_run(chosen, request.device, request.batch_size or PART_SIZE, request.engine, request.force)
    begun = _begin(context, chosen, new_run, where, most, tried)
    if begun is not None:
        ended.append(_worked_on(context, begun, chosen.scorer))
    if not ended:
        _say_why_nothing(context, where, chosen)
        return
    _report_run(context, rater_id, ended)


def _operate(store: Store, row: RunRow, chosen: ScoringPlan) -> None:
    """Prices and the like are those of today, whatever a run was begun with."""
    if chosen.scorer.operating:
        folder = run_session.folder_of(store, row)
        job = folder.job()
        unchanged = {key: value for key, value in job.settings.items() if key not in chosen.scorer.operating}
        now = {key: value for key, value in chosen.settings.items() if key in chosen.scorer.operating}
        folder.replace(replace(job, settings=unchanged | now))


def _worked_on(context: Context, row: RunRow, scorer: Scorer) -> RunRow:
    """Bring a run to its end, and say what it has cost, however it ended."""
    try:
        return run_session.work_on(context, row, scorer)
    finally:
        if cost := cost_of(context.store, row):
            context.warn(f"run {row.run_id}: {cost}")


def cost_of(store: Store, row: RunRow) -> str:
    """What a run has cost so far, a line; empty where nothing is paid for, or its folder is gone."""
    with suppress(OSError, ValueError, TypeError, ModelBroken):
        if (hosted := registry.get(row.scorer).hosted) is not None:
            folder = run_session.folder_of(store, row)
            return hosted.bill.spent([folder.path], folder.job().settings)
    return ""


@live_updates.cached(maxsize=16)
def recall_cost(store: Store, run_id: str) -> str:
    """As ``cost_of``, but read once while the project stays as it is: it moves with every part."""
    row = runs.get(store, run_id)
    return "" if row is None else cost_of(store, row)


def score_again(
    context: Context, before: RunRow, overrides: Mapping[str, str], items: Callable[[str], set[str]], device: str
) -> str:
    """Have the scorer of a run look again at the images that ``items`` gives for the new rater's id, as which it is another one
    by ``overrides``; returns that id.

    Raises:
        CommandError: it was stopped, or some images failed.
    """
    changed = changed_settings(registry.get(before.scorer), before.profile, before.settings)
    chosen = plan_scoring(context.store, before.scorer, before.profile, parse_overrides(changed) | dict(overrides))
    rater_id = chosen.rater.rater_id
    begun = _begin(context, chosen, _new_run(chosen, device), Selection(), ImageLimit(), set(), items(rater_id))
    if begun is not None:
        _report_run(context, rater_id, [_worked_on(context, begun, chosen.scorer)])
    return rater_id


def resume(context: Context, run_id: str) -> None:
    """Go on with one run.

    Raises:
        CommandError: there is no such run, or it cannot go on.
    """
    row = runs.get(context.store, run_id)
    if row is None:
        raise CommandError(f"there is no run {run_id} in this project")
    if not _has_folder(context.store, row):
        raise CommandError(f"the folder of run {run_id} is gone: its judgements stay; score the rest again")
    _report_run(context, row.rater_id, [_worked_on(context, row, registry.get(row.scorer))])


def _unfinished_run(context: Context, rater_id: str) -> RunRow | None:
    """The rater's unfinished run that nobody is at and that can go on. One whose folder is gone is given up."""
    for row in runs.all_unfinished(context.store, rater_id):
        if row.run_id in queue.queued_runs(context.store):
            continue
        if _has_folder(context.store, row):
            return row
        context.warn(f"the folder of run {row.run_id} is gone: what it had judged stays, the rest is scored anew")
        runs.set_state(context.store, row.run_id, "lost", "its folder is gone")
    return None


def _has_folder(store: Store, row: RunRow) -> bool:
    return (run_session.folder_of(store, row).path / "run.json").is_file()


def _new_run(
    chosen: ScoringPlan, device: str, part_size: int = PART_SIZE, engine: str = DEFAULT_ENGINE, force: bool = False
) -> Run:
    """A run by a plan that has no id yet; what it is done with changes nothing of what comes out."""
    scorer = chosen.scorer
    return Run("", scorer.name, scorer.version, chosen.profile, chosen.settings, device, part_size, engine, force=force)


def _begin(
    context: Context,
    chosen: ScoringPlan,
    new_run: Run,
    where: Selection,
    most: ImageLimit,
    tried: set[str],
    only: set[str] | None = None,
) -> RunRow | None:
    """A new run of what is left (of these images ``only``), but for what was just ``tried`` and what another run of this rater
    is at or waits for; None if that is nothing."""
    store = context.store
    with beginning:
        left_to_score = runs.pending(store, where, chosen.rater.rater_id, pairs=chosen.scorer.input == "pair")
        every = [work for work in left_to_score if work.item_id not in tried and (only is None or work.item_id in only)]
        others = items_in_runs(store, runs.all_unfinished(store, chosen.rater.rater_id))
        pending = [work for work in every if work.item_id not in others]
        if every and not pending:
            raise queue.busy_message(others[every[0].item_id])
        readable_work = readable(store, pending, chosen.scorer, chosen.settings)
        left = most.choose(store, readable_work.work)
        if not left:
            return None
        needs_no_spec = "score" in chosen.scorer.scales or chosen.scorer.input == "pair"
        unspecified = 0 if needs_no_spec else sum(not item.spec for item in left)
        nothing = (
            f"the prompts of {wording.count(unspecified, 'image')} do not say in a spec what must be there, so"
            f" {chosen.scorer.name} has nothing to check; docs/importing.md says how prompts get specs"
        )
        if unspecified == len(left):
            raise CommandError(nothing)
        if (why := new_version_note(store, chosen.rater)) is not None:
            context.warn(why)
        if len(left) < len(readable_work.work):
            new_run = replace(new_run, drawn_by=most.seed)
        row = write_run(store, new_run, chosen.rater, left)
    on = new_run.device if new_run.engine == DEFAULT_ENGINE else f"{new_run.device} with {new_run.engine}"
    context.warn(f"run {row.run_id}: {wording.count(len(left), 'image')} to score on {on}")
    if len(left) < len(readable_work.work):
        context.warn(f"of {wording.count(len(readable_work.work), 'image')}: {most.text}")
    hosted = chosen.scorer.hosted
    if hosted is not None and (estimate := hosted.bill.estimate(left, chosen.settings)):
        context.warn(estimate)
    if readable_work.left_out:
        context.warn(readable_work.left_out_text())
    if unspecified:
        context.warn(nothing)
    return row


def items_in_runs(store: Store, behind: Sequence[RunRow]) -> dict[str, str]:
    """Images that these runs are about, each with its run."""
    run_ids: dict[str, str] = {}
    for row in behind:
        with suppress(OSError):  # what cannot be read cannot be worked on either
            folder = run_session.folder_of(store, row)
            folder_items = _items_of(folder.path / "manifest.jsonl") if (folder.path / "run.json").is_file() else ()
            run_ids |= dict.fromkeys(folder_items, row.run_id)
    return run_ids


@cached_by_stamp(maxsize=16)
def _items_of(manifest: Path) -> tuple[str, ...]:
    with suppress(ValueError, TypeError):
        return tuple(work.item_id for work in read_manifest(manifest))
    return ()


def write_run(store: Store, run: Run, rater: Rater, work: Sequence[WorkItem]) -> RunRow:
    """A new run that waits for its turn. The folder first: a run that the project knows of can always go on."""
    run = replace(run, run_id=run_session.next_id(store, rater.rater_id))
    folder = f"runs/{run.run_id}"
    RunFolder(store.project / folder).create(run, work)
    runs.add_run(store, run, rater, folder, len(work), state="queued")
    row = runs.get(store, run.run_id)
    assert row is not None
    return row


def _say_why_nothing(context: Context, where: Selection, planned: ScoringPlan) -> None:
    rater_id = planned.rater.rater_id
    pairs = planned.scorer.input == "pair"
    there = runs.count_pending(context.store, where, rater_id, pairs=pairs)
    pending = runs.pending(context.store, where, rater_id, pairs=pairs) if there.left else []
    readable_work = readable(context.store, pending, planned.scorer, planned.settings)
    if not there.images and pairs:
        raise CommandError(
            "no pair of images here; campaigns create NAME --questionnaire ab --generator A --generator B makes pairs"
        )
    if not there.images:
        chosen = " ".join(f"--{name} {value}" for name, values in where.to_dict().items() for value in values)
        problem = f"no image with a file fits {chosen}" if chosen else "this project has no images yet; import some first"
        raise CommandError(problem)
    images = there.images - sum(readable_work.left_out.values())
    if not images:
        raise CommandError(f"nothing to score: {readable_work.left_out_text()}")
    context.say(f"nothing to do: {rater_id} has judged all {wording.count(images, 'image')} of this selection")
    if planned.scorer.input == "questions" and (behind := library.count_outdated_answers(context.store, rater_id)):
        context.warn(
            f"of {wording.count(behind, 'image')} it answered other questions than are asked now; to have them asked anew,"
            " remove its runs on the page Runs and score again"
        )
    if readable_work.left_out:
        context.warn(readable_work.left_out_text())


def _report_run(context: Context, rater_id: str, ended: Sequence[RunRow]) -> None:
    """The summary line.

    Raises:
        CommandError: some images could not be scored.
    """
    failures = Counter(dict[str, int]())
    for row in ended:
        failures.update(row.failures)
    failed = failures.total()
    judged = sum(row.n_done for row in ended) - failed
    why = "; ".join(f"{reason} ({n:,})" if n > 1 else reason for reason, n in failures.items())
    left = f", {failed:,} failed: {why}" if failed else ""
    context.say(f"{wording.count(judged, 'image')} judged by {rater_id}{left}")
    if failed:
        raise CommandError(f"{wording.count(failed, 'image')} could not be scored; the next score tries them again")


def retry_failed(context: Context, run_id: str) -> None:
    """Make a new run of what failed in this one and was not seen since, and bring it to its end.

    Raises:
        CommandError: there is no such run, nothing of it is left to try, or its rater is not what it was.
    """
    store = context.store
    row = runs.get(store, run_id)
    if row is None or row.kind != "score":
        raise CommandError(f"there is no run {run_id} in this project with failed images to retry")
    scorer = registry.get(row.scorer)
    _refuse_another(row, scorer)
    with beginning:
        others = items_in_runs(store, runs.all_unfinished(store, row.rater_id))
        failed = runs.pending(store, Selection(), row.rater_id, failed_in=run_id, pairs=scorer.input == "pair")
        failing = [work for work in failed if work.item_id not in others]
        readable_work = readable(store, failing, scorer, row.settings)
        if not readable_work.work:
            raise CommandError(f"of run {run_id} has no image to retry: the failed ones were scored since, or are being scored")
        rater = Rater(row.rater_id, "scorer", None, row.version, row.settings)
        try:
            before = run_session.folder_of(context.store, row).job()
        except (OSError, ValueError, TypeError):
            # its folder is gone: by what the project knows
            before = Run(row.run_id, row.scorer, row.version, row.profile, row.settings, row.device or CPU)
        begun = write_run(store, before, rater, readable_work.work)
    context.warn(
        f"run {begun.run_id}: {wording.count(len(readable_work.work), 'image')} that failed in run {run_id} to try again"
    )
    _worked_on(context, begun, scorer)


def _refuse_another(row: RunRow, scorer: Scorer) -> None:
    """What other code or other weights see is another rater's."""
    why = ""
    if row.version != scorer.version:
        why = f"it is version {scorer.version} by now, then {row.version}"
    else:
        try:
            changed = row.settings.get("weights", {}) != registry.fingerprints(scorer, row.settings)
        except ValueError as error:
            raise CommandError(f"{row.rater_id} cannot score again: {error}") from error
        why = "its models' weights are others by now" if changed else ""
    if why:
        raise CommandError(f"{row.rater_id} has changed ({why}); use Score to start a run of a new rater")
