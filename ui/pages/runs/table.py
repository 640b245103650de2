"""Runs as HTML: the table of them, and all that is known of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.common.base_path import at
from concord.common.table import Cell, TableRow, numbers
from concord.judging import rule_version_of
from concord.runs import run_session, score
from concord.runs.run_manager import RunView
from data.jobs.generation import GenerationFolder
from data.store import runs as stored
from data.store.core.store import Store
from scorers import registry
from ui.components.buttons import link
from ui.components.tables import (
    CHOSEN,
    bullets,
    columns,
    first_sentence,
    heading,
    note,
    plain_table,
    progress_bar,
    small,
    table_element,
    table_row,
)

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
_HEADERS: Final = columns("run", "state", "progress", *numbers("speed", "time"), "failed")
_MOST_REASONS: Final = 3
_LONGEST: Final = 160


def runs_table(views: Sequence[RunView], chosen: str, caption: str) -> Element:
    """Return the runs, each a row whose name chooses it."""
    return table_element(plain_table(caption, _HEADERS, [_row(view, view.row.run_id == chosen) for view in views]), "cc-runs")


def headline(views: Sequence[RunView]) -> Node:
    """Return how it stands, as one sentence and a bar: the run at work, with those that wait; else whether any can go on."""
    active = next((view for view in views if view.is_active), None)
    waiting = sum(view.state == "queued" for view in views)
    if active is None:
        stopped = sum(view.can_resume for view in views)
        n = wording.count(len(views), "run")
        text = f"{wording.count(stopped, 'run')} can go on" if stopped else f"Nothing is running: {n}, all ended"
        if waiting:
            text = f"{wording.count(waiting, 'run')} about to begin"
        return first_sentence(text)
    row = active.row
    left = f"about {wording.duration(active.seconds_left)} left" if active.seconds_left else _state(active)[0]
    rest = f"; {wording.count(waiting, 'run')} waiting" if waiting else ""
    bar = progress_bar(active.done, row.n_items, row.rater_id)
    number = f"{active.done:,} of {wording.count(row.n_items, _noun(active))}"
    return [first_sentence([f"{row.rater_id}: {number} ", htpy.small[left + rest]]), bar]


def _row(view: RunView, chosen: bool) -> TableRow:
    row = view.row
    who = f"{row.rater_id} paints" if row.kind == "generate" else row.rater_id
    href = f"{at('/studio/add/runs')}?{urlencode({'run': row.run_id})}"
    name = link(row.run_id, href, "choose", run=row.run_id)
    title, hint = _state(view)
    bar = progress_bar(view.done, row.n_items, row.run_id)
    when = wording.duration(view.seconds) if view.seconds else ""
    if view.is_active:
        when = f"about {wording.duration(view.seconds_left)} left" if view.seconds_left else ""
    state = htpy.span(class_=f"cc-state cc-state--{view.state.replace(' ', '-')}")[title]
    return table_row(
        Cell(row.run_id, (f"{who}, {row.created:%Y-%m-%d %H:%M} UTC",), content=name),
        Cell(title, (hint,) if hint else (), content=state),
        Cell("", (f"{view.done:,} of {wording.count(row.n_items, _noun(view))}",), content=bar),
        _speed(view.per_second),
        when,
        Cell("", content=_failed(view)),
        kind=CHOSEN if chosen else "",
    )


def _state(view: RunView) -> tuple[str, str]:
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


def _failed(view: RunView) -> Node:
    reasons = list(view.row.failures.items())
    lines = [
        small(f"{reason if len(reason) <= _LONGEST else reason[:_LONGEST] + '…'} ({count:,})")
        for reason, count in reasons[:_MOST_REASONS]
    ]
    more = len(reasons) - _MOST_REASONS
    rest = small(f"and {wording.count(more, 'other reason')}") if more > 0 else ""
    return [str(view.row.n_failed or ""), lines, rest]


def details(store: Store, view: RunView) -> Element:
    """Return what is known of a run while it goes: machine, speed, failures by reason."""
    row, progress = view.row, view.progress
    facts = [
        ("feeds", f"the {'generator' if row.kind == 'generate' else 'rater'} {row.rater_id}"),
        (
            "device",
            ", ".join(part for part in (progress.device or row.device or "", progress.host and f"on {progress.host}") if part),
        ),
        ("memory", f"at most {progress.memory / 1e9:z.1f} GB so far" if progress.memory else ""),
        ("engine", row.engine if row.engine not in (None, "local") else ""),
        ("batch", _batch(store, view)),
        ("speed", _speeds(view)),
        ("at work for", wording.duration(view.seconds) if view.seconds else ""),
        *_of_address(store, view),
    ]
    parts: list[Node] = [_facts((name, fact or "") for name, fact in facts)]
    parts += [note(f"Warning: {warning}", "cc-bad") for warning in progress.warnings or ()]
    if row.failures:
        failing = stored.still_failing(store, row.run_id)
        seen = "" if failing == row.n_failed else f", {row.n_failed - failing:,} of them seen since by a later run"
        reasons = bullets(f"{reason} ({count:,})" for reason, count in row.failures.items())
        parts += [note(f"{wording.count(row.n_failed, 'image')} failed{seen}:"), reasons]
    return htpy.section(aria_label=row.run_id)[heading(row.run_id), parts]


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
    return f"{wording.count(size, _noun(view))} at once{halved if view.progress.batch_halved else ''}"


def _speeds(view: RunView) -> str:
    if view.per_second is None:
        return ""
    overall = view.overall
    both = f"; {_speed(overall)} over all" if view.is_active and overall and overall != view.per_second else ""
    return f"{_speed(view.per_second, f'{_noun(view)}s')}{' in the last minutes' if both else ''}{both}"


def settings(store: Store, view: RunView) -> Node:
    """Return with what a run was asked to look: settings, code, weights, packages, and how its rater differs from others of its
    name."""
    row = view.row
    facts: list[tuple[str, str]] = []
    if row.kind == "score":
        facts += [("profile", row.profile), *_of_scorer(view)]
    weights, revisions = (row.settings.get(key) or {} for key in ("weights", "revisions"))
    facts += [(f"weights of {name}", str(print_)) for name, print_ in weights.items()]
    facts += [(f"revision of {name}", str(commit)) for name, commit in revisions.items()]
    generation = row.settings.get("asked") or {}
    apart = ("weights", "revisions", "asked")
    plain = {key: value for key, value in row.settings.items() if key not in apart} | generation
    facts += [(name, f"{value}") for name, value in view.progress.versions.items()]
    lines = bullets(f"{key} = {value}" for key, value in sorted(plain.items()) if value is not None)
    others = _others(store, view)
    return [
        _facts(facts),
        [note("All settings:"), lines] if lines else "",
        "" if others is None else note(others),
    ]


def _of_scorer(view: RunView) -> list[tuple[str, str]]:
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


def _others(store: Store, view: RunView) -> str | None:
    """How the rater that a run feeds differs from the one before it of this name."""
    if view.row.kind != "score":
        return None
    raters = score.raters_of_same_name(store, view.row.rater_id)
    at_ = next((n for n, rater in enumerate(raters) if rater.rater_id == view.row.rater_id), 0)
    if at_ == 0:
        return None
    before, mine = raters[at_ - 1], raters[at_]
    why = "; ".join(score.rater_differences(before, mine)) or "its questions were different"
    return f"{mine.rater_id} is another rater than {before.rater_id}, and the two are never mixed: {why}."


def question(view: RunView) -> Element:
    """Return what is asked before a run is removed."""
    row = view.row
    if row.kind == "generate":
        return note(f"Remove run {row.run_id} from this list? Its pictures stay.")
    seen = wording.count(row.n_done, "image")
    return note(f"Remove run {row.run_id}, what it saw of {seen}, and what was judged by it?")


def _facts(facts: Iterable[tuple[str, str]]) -> Node:
    rows = [htpy.div[htpy.dt[name], htpy.dd[fact]] for name, fact in facts if fact]
    return htpy.dl(class_="cc-run-facts")[rows] if rows else ""


def _noun(view: RunView) -> str:
    return "picture" if view.row.kind == "generate" else "image"


def _speed(per_second: float | None, of: str = "") -> str:
    """``5.2 a second``, or how many a minute or an hour where it is slow; with what they are: ``5.2 images a second``."""
    if per_second is None:
        return ""
    per = f" {of}" if of else ""
    for factor, unit in ((1, "second"), (60, "minute")):
        if per_second * factor >= 1:
            return f"{per_second * factor:z.1f}{per} a {unit}"
    return f"{per_second * 3600:z.1f}{per} an hour"
