"""Details of a run for whoever watches it: its state in words, machine, speed, failures, settings and versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from concord.common import wording
from concord.judging import rule_version_of
from concord.runs import run_session, score
from concord.runs.run_manager import RunView
from data.jobs.generation import GenerationFolder
from data.store import runs as stored
from data.store.core.store import Store
from scorers import registry

Fact = tuple[str, str]
"""A name and what is so called."""

_STATES: Final = {
    "queued": ("queued", ""),
    "loading": ("loading the models", ""),
    "running": ("running", ""),
    "pausing": ("pausing after the images at hand", ""),
    "giving up": ("ending after the images at hand", ""),
    "paused": ("paused", "Resume goes on where it was paused."),
    "cancelled": ("cancelled", "What it had judged stays; Score begins a new run of the rest."),
    "interrupted": ("interrupted", "The app was closed while it ran. Resume goes on; nothing is done twice."),
    "failed": ("failed", "Put that right, then Resume: what is done is not done again."),
    "lost": ("lost", "What it had judged stays; score the rest anew."),
    "done": ("done", ""),
}


@dataclass(frozen=True, slots=True)
class RunDetails:
    """Details of a run.

    Attributes:
        facts: what it does, where and how fast.
        warnings: of its worker.
        failures: reasons, each with how many images.
        seen_since: how many of the failed images a later run has judged.
        settings: what it was asked with: scorer, weights, packages.
        all_settings: every setting, as ``key = value``.
        others: how its rater differs from the one before it of this name; "" where it does not.
    """

    facts: Sequence[Fact]
    warnings: Sequence[str]
    failures: Sequence[str]
    seen_since: int
    settings: Sequence[Fact]
    all_settings: Sequence[str]
    others: str


def run_details(store: Store, view: RunView) -> RunDetails:
    """Return what is known of a run."""
    row, progress = view.row, view.progress
    place = ", ".join(part for part in (progress.device or row.device or "", progress.host and f"on {progress.host}") if part)
    facts = [
        ("results appear as", f"the {'generator' if row.kind == 'generate' else 'rater'} {row.rater_id}"),
        ("device", place),
        ("memory", f"at most {progress.memory / 1e9:z.1f} GB so far" if progress.memory else ""),
        ("engine", row.engine if row.engine not in (None, "local") else ""),
        ("batch", _batch(store, view)),
        ("speed", _speeds(view)),
        ("at work for", wording.duration(view.seconds) if view.seconds else ""),
        *_of_address(store, view),
    ]
    still_failing = stored.still_failing(store, row.run_id) if row.failures else 0
    settings, lines = _settings(view)
    return RunDetails(
        [(name, fact) for name, fact in facts if fact],
        list(progress.warnings or ()),
        [f"{reason} ({count:,})" for reason, count in row.failures.items()],
        row.n_failed - still_failing if row.failures else 0,
        settings,
        lines,
        _others(store, view),
    )


def can_try_again(store: Store, view: RunView) -> bool:
    """Return True if images failed in a run, and no later run has judged them all."""
    return bool(view.row.n_failed) and not view.is_active and stored.still_failing(store, view.row.run_id) > 0


def state_words(view: RunView) -> tuple[str, str]:
    """Return a run's state, and what to do or to know about it."""
    title, hint = _STATES[view.state]
    error = view.row.error
    if view.state == "queued":
        hint = f"It waits for run {view.waits_for}." if view.waits_for else "It begins when the app has looked at the queue."
    if error and view.state == "cancelled":
        hint = f"{wording.sentence(error)} What it had made stays."
    elif error and view.state in ("failed", "lost"):
        # a worker refuses what it could only finish differently from how it was begun
        hint = f"{wording.sentence(error)} {'Score begins a new one.' if 'start a new run' in error else hint}"
    return title, hint


def runs_headline(views: Sequence[RunView]) -> tuple[str, str]:
    """Return how the runs stand, a sentence and its rest: the run at work, with those that wait; else whether any can go on."""
    active = next((view for view in views if view.is_active), None)
    waiting = sum(view.state == "queued" for view in views)
    if active is None:
        stopped = sum(view.can_resume for view in views)
        n = wording.count(len(views), "run")
        if waiting:
            return f"{wording.count(waiting, 'run')} about to begin", ""
        return (f"{wording.count(stopped, 'run')} can go on" if stopped else "Nothing is running"), f"{n} so far"
    row = active.row
    left = f"about {wording.duration(active.seconds_left)} left" if active.seconds_left else state_words(active)[0]
    number = f"{active.done:,} of {wording.count(row.n_items, noun(active))}"
    return f"{row.rater_id}: {number}", left + (f"; {wording.count(waiting, 'run')} waiting" if waiting else "")


def _of_address(store: Store, view: RunView) -> list[tuple[str, str]]:
    """Of a model behind an address: which one is asked where, and what that has cost."""
    address, model = (view.row.settings.get(name) for name in ("address", "judge"))
    if view.row.kind != "score" or not address or view.row.settings.get("vqa"):
        return []
    return [("asks", f"{model} at {address}"), ("cost", score.recall_cost(store, view.row.run_id))]


def _batch(store: Store, view: RunView) -> str:
    halved = f", halved {wording.count(view.progress.batch_halved, 'time')} as the memory did not suffice"
    try:
        # how many images its worker takes at once
        size = (
            GenerationFolder(store.project / view.row.folder).job().batch_size
            if view.row.kind == "generate"
            else run_session.folder_of(store, view.row).job().part_size
        )
    except (OSError, ValueError, TypeError, KeyError):
        return ""
    return f"{wording.count(size, noun(view))} at once{halved if view.progress.batch_halved else ''}"


def _speeds(view: RunView) -> str:
    if view.per_second is None:
        return ""
    overall = view.overall
    both = f"; {speed(overall)} over all" if view.is_active and overall and overall != view.per_second else ""
    return f"{speed(view.per_second, f'{noun(view)}s')}{' in the last minutes' if both else ''}{both}"


def _settings(view: RunView) -> tuple[list[Fact], list[str]]:
    """Return what a run was asked with, and every setting: settings, code, weights, packages."""
    row = view.row
    facts: list[Fact] = []
    if row.kind == "score":
        facts += [("profile", row.profile), *_of_scorer(view)]
    weights, revisions = (row.settings.get(key) or {} for key in ("weights", "revisions"))
    facts += [(f"weights of {name}", str(print_)) for name, print_ in weights.items()]
    facts += [(f"revision of {name}", str(commit)) for name, commit in revisions.items()]
    generation = row.settings.get("asked") or {}
    apart = ("weights", "revisions", "asked")
    plain = {key: value for key, value in row.settings.items() if key not in apart} | generation
    facts += [(name, f"{value}") for name, value in view.progress.versions.items()]
    lines = [f"{key} = {value}" for key, value in sorted(plain.items()) if value is not None]
    return [(name, fact) for name, fact in facts if fact], lines


def _of_scorer(view: RunView) -> list[Fact]:
    row = view.row
    try:
        scorer = registry.get(row.scorer)
    except ValueError as error:
        return [("scorer", f"{row.scorer} {row.version}; {error}")]
    now = "" if row.version == scorer.version else f"; by now it is {scorer.version}, which is another rater"
    changed = ", ".join(score.changed_settings(scorer, row.profile, row.settings))
    return [
        ("changed of the profile", changed or "nothing"),
        ("scorer", f"{row.scorer} {row.version}{now}"),
        ("judged by the rules", "" if now else rule_version_of(scorer)),
    ]


def _others(store: Store, view: RunView) -> str:
    """Return how the rater that a run feeds differs from the one before it of this name; "" where it does not."""
    if view.row.kind != "score":
        return ""
    raters = score.raters_of_same_name(store, view.row.rater_id)
    at_ = next((n for n, rater in enumerate(raters) if rater.rater_id == view.row.rater_id), 0)
    if at_ == 0:
        return ""
    before, mine = raters[at_ - 1], raters[at_]
    why = "; ".join(score.rater_differences(before, mine)) or "its questions were different"
    return f"{mine.rater_id} is another rater than {before.rater_id}, and the two are never mixed: {why}."


def removal_question(view: RunView) -> str:
    """Return what is asked before a run is removed."""
    row = view.row
    if row.kind == "generate":
        return f"Remove run {row.run_id} from this list? Its pictures stay."
    seen = wording.count(row.n_done, "image")
    return f"Remove run {row.run_id}, what it saw of {seen}, and what was judged by it?"


def noun(view: RunView) -> str:
    """Return what a run works on, in the singular."""
    return "picture" if view.row.kind == "generate" else "image"


def speed(per_second: float | None, of: str = "") -> str:
    """Return ``5.2 a second``, or how many a minute or an hour where it is slow; with ``of``: ``5.2 images a second``."""
    if per_second is None:
        return ""
    per = f" {of}" if of else ""
    for factor, unit in ((1, "second"), (60, "minute")):
        if per_second * factor >= 1:
            return f"{per_second * factor:z.1f}{per} a {unit}"
    return f"{per_second * 3600:z.1f}{per} an hour"
