"""What the button of the page Runs would do, said before it is pressed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from htpy import Element, Node

from concord.common import next_steps, wording
from concord.common.context import CommandError
from concord.runs import run_manager, score
from concord.runs.requests import ScoreRequest
from data.selection import Selection
from data.store import runs as stored
from data.store.browse import contents
from data.store.core.store import Store
from scorers import registry
from scorers.models import devices
from ui.components.tables import code, commands, note

ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What somebody asks of the page: which scorer is to look at which images, on what."""

    scorer: str
    profile: str = registry.PLAYGROUND
    selection: Selection = field(default_factory=Selection)
    device: str = devices.CPU
    batch_size: int | None = None
    limit: int | None = None

    def request(self) -> ScoreRequest:
        """Return the request of the command ``score``.

        Raises:
            ValueError: the device is none.
        """
        device = devices.parse_devices(self.device)
        return ScoreRequest(
            scorer=self.scorer, profile=self.profile, device=device, batch_size=self.batch_size, limit=self.limit
        )


def run_request(values: Mapping[str, Any]) -> RunRequest:
    """By the page's controls."""
    named = {"suite": values.get("suite"), "generator": values.get("generator")}
    selection = Selection(**{name: (value,) for name, value in named.items() if value and value != ALL})
    device = str(values.get("device") or devices.default_device())
    return RunRequest(
        values["scorer"],
        values["profile"],
        selection,
        device,
        _whole(values.get("batch")),
        _whole(values.get("limit")),
    )


def plan(store: Store, wanted: RunRequest) -> tuple[Node, str, bool]:
    """Return what the button would do, in words; its label; whether it can be pressed."""
    try:
        planned = score.plan_scoring(store, wanted.scorer, wanted.profile, {})
        score.refuse_missing_models(planned.scorer, planned.settings)
        devices.parse_devices(wanted.device)
    except CommandError as error:
        return note(f"{wanted.scorer} cannot be used: {error}", "cc-bad"), "Score", False
    except ValueError as error:
        return note(f"{error}.", "cc-bad"), "Score", False
    rater = planned.rater.rater_id
    asks, pairs = planned.scorer.input == "questions", planned.scorer.input == "pair"
    there = stored.count_pending(store, wanted.selection, rater, asked=asks, pairs=pairs)
    if not there.images and asks and stored.count_pending(store, wanted.selection, rater).images:
        return _no_questions(store, wanted.scorer), "Score", False
    if not there.images:
        return _no_images(store, wanted.selection), "Score", False
    behind = stored.all_unfinished(store, rater)
    mine = [row for row in behind if row.run_id in run_manager.active_runs(store)]
    left = there.left
    if mine:
        others = set(score.items_in_runs(store, mine))
        left = stored.count_pending(store, wanted.selection, rater, asked=asks, without=others, pairs=pairs).left
    behind = [row for row in behind if row not in mine]
    if not left and not behind:
        return _nothing_left(rater, there, mine)
    parts = [
        f"{planned.scorer.summary} {rater} has judged {there.images - there.left:,} of the"
        f" {wording.count(there.images, 'image')} of this selection."
    ]
    if mine:
        parts.append(f"{wording.count(there.left - left, 'more image')} are before run {mine[0].run_id}.")
    if there.failed and not mine:
        parts.append(f"{there.failed:,} failed before and {'is' if there.failed == 1 else 'are'} tried again.")
    if behind:
        parts.append(f"It goes on with run {behind[0].run_id} first.")
        left = max(left, behind[0].n_items - behind[0].n_done)
    if (new := score.new_version_note(store, planned.rater)) is not None:
        parts.append(f"{new[0].upper()}{new[1:]}.")
    suites = wanted.selection.suite or contents.filter_choices(store).suite
    parts += {text for suite in suites if (text := next_steps.about_unfit([rater], suite))}
    first = run_manager.run_before(store, wanted.device)
    if first is not None:
        parts.append(f"It waits for run {first}, which is before it on {wanted.device}.")
    left = left if wanted.limit is None else min(left, wanted.limit)
    label = f"{'Score' if first is None else 'Queue'} {wording.count(left, 'image')}"
    return [note(" ".join(parts)), command(store, wanted)], label, True


def command(store: Store, wanted: RunRequest) -> Element:
    """Return the same on the command line."""
    usual = registry.default_profile(registry.get(wanted.scorer))
    parts = ["score", wanted.scorer, *([] if wanted.profile == usual else ["--profile", wanted.profile])]
    parts += [part for name, values in wanted.selection.to_dict().items() for value in values for part in (f"--{name}", value)]
    if wanted.device != devices.default_device():
        parts += ["--device", wanted.device]
    for name, number in (("--batch-size", wanted.batch_size), ("--limit", wanted.limit)):
        parts += [] if number is None else [name, str(number)]
    (line,) = next_steps.command_lines(store, (shlex.join(parts),))
    return note(["On the command line: ", code(line)])


def _nothing_left(rater: str, there: stored.Pending, mine: list[stored.RunRow]) -> tuple[Node, str, bool]:
    if mine:
        text = f"{rater} is at work, or waits, in run {mine[0].run_id}: what is left of this selection is before it."
        return note(text), "Nothing left to score", False
    text = f"{rater} has judged all {wording.count(there.images, 'image')} of this selection. Nothing is left to score."
    return note(text), "Nothing left to score", False


def _no_questions(store: Store, scorer: str) -> Node:
    text = f"{scorer} answers questions about prompts, and the prompts of this selection have none yet. Make or bring some:"
    return [note(text), commands(next_steps.command_lines(store, next_steps.QUESTIONS))]


def _no_images(store: Store, selection: Selection) -> Node:
    if selection.to_dict():
        return note("No image with a file fits this selection.")
    first = note("There are no images to score yet. Import some:")
    return [first, commands(next_steps.command_lines(store, next_steps.IMAGES))]


def _whole(value: Any) -> int | None:
    """A number field's; None where it is empty, or holds none that can be meant."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number >= 1 else None
