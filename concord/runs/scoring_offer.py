"""What a run that somebody chooses would do, said before it begins: how many images are left, which run it waits for, what is
missing.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from concord.common import machine, next_steps, wording
from concord.common.context import CommandError
from concord.common.readiness import missing_models
from concord.runs import run_manager, score
from concord.runs.requests import ScoreRequest
from data.selection import Selection
from data.store import runs as stored
from data.store.browse import contents
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers import registry
from scorers.models import devices, downloads, hub
from scorers.models.fetching import SITE


@dataclass(frozen=True, slots=True)
class ScoringChoice:
    """A run that somebody chooses: which scorer is to look at which images, on what.

    Attributes:
        device: empty for the usual one.
        batch_size: images at once; None: as many as usual.
        limit: of images; None: all.
    """

    scorer: str
    profile: str = registry.PLAYGROUND
    selection: Selection = field(default_factory=Selection)
    device: str = ""
    batch_size: int | None = None
    limit: int | None = None

    @property
    def on(self) -> str:
        """The device."""
        return self.device or devices.default_device()

    def request(self) -> ScoreRequest:
        """Return the request of the command ``score``.

        Raises:
            ValueError: the device is none.
        """
        device = devices.parse_devices(self.on)
        return ScoreRequest(
            scorer=self.scorer, profile=self.profile, device=device, batch_size=self.batch_size, limit=self.limit
        )


@dataclass(frozen=True, slots=True)
class ScoringOffer:
    """What a run would do.

    Attributes:
        text: in sentences.
        left: images to score; 0: it cannot begin.
        waits: whether another run is before it.
        steps: commands that bring what is missing.
        download: what is downloaded first, such as "605 MB"; empty: nothing.
    """

    text: str
    left: int = 0
    waits: bool = False
    steps: Sequence[str] = ()
    download: str = ""

    @property
    def label(self) -> str:
        """The button's text."""
        if not self.left:
            return "Score images"
        images = wording.count(self.left, "image")
        if self.download:
            return f"Download {self.download}, then score {images}"
        return f"{'Queue' if self.waits else 'Score'} {images}"


def scoring_offer(store: Store, choice: ScoringChoice) -> ScoringOffer:
    """Return what a run would do."""
    try:
        planned = score.plan_scoring(store, choice.scorer, choice.profile, {})
        missing = missing_models(planned.scorer, planned.profile)
        # what can be fetched is fetched first
        if not all(map(machine.is_fetchable, missing)):
            score.refuse_missing_models(planned.scorer, planned.settings)
        devices.parse_devices(choice.on)
    except CommandError as error:
        return ScoringOffer(f"{choice.scorer} cannot be used: {error}.")
    except ValueError as error:
        return ScoringOffer(f"{error}.")
    rater = planned.rater.rater_id
    asks, pairs = planned.scorer.input == "questions", planned.scorer.input == "pair"
    there = stored.count_pending(store, choice.selection, rater, asked=asks, pairs=pairs)
    if not there.images and asks and stored.count_pending(store, choice.selection, rater).images:
        text = f"{choice.scorer} answers questions about prompts, and the prompts of this selection have none yet."
        return ScoringOffer(text, steps=next_steps.command_lines(store, next_steps.QUESTIONS))
    if not there.images:
        text = "No image with a file fits this selection." if choice.selection.to_dict() else "There are no images yet."
        return ScoringOffer(text)
    behind = stored.all_unfinished(store, rater)
    mine = [row for row in behind if row.run_id in run_manager.active_runs(store)]
    left = there.left
    if mine:
        others = set(score.items_in_runs(store, mine))
        left = stored.count_pending(store, choice.selection, rater, asked=asks, without=others, pairs=pairs).left
    behind = [row for row in behind if row not in mine]
    if not left and not behind:
        return ScoringOffer(_nothing_left(rater, there, mine))
    parts = [f"{rater} has judged {there.images - there.left:,} of the {wording.count(there.images, 'image')}."]
    download = downloads.in_words(missing) if missing else ""
    if download:
        names = ", ".join(hub.repository(model) or model for model in missing)
        parts = [f"First {download} come from {SITE} ({names}), once. Nothing of your project is sent."]
    if mine:
        parts.append(f"{wording.count(there.left - left, 'more image')} are before run {mine[0].run_id}.")
    if there.failed and not mine:
        parts.append(f"{there.failed:,} failed before and {'is' if there.failed == 1 else 'are'} tried again.")
    if behind:
        parts.append(f"It goes on with run {behind[0].run_id} first.")
        left = max(left, behind[0].n_items - behind[0].n_done)
    if (new := score.new_version_note(store, planned.rater)) is not None:
        parts.append(f"{new[0].upper()}{new[1:]}.")
    suites = choice.selection.suite or contents.filter_choices(store).suite
    parts += {text for suite in suites if (text := next_steps.about_unfit([rater], suite))}
    first = run_manager.run_before(store, choice.on)
    if first is not None:
        parts.append(f"It waits for run {first}, which is before it on {choice.on}.")
    left = left if choice.limit is None else min(left, choice.limit)
    return ScoringOffer(" ".join(parts), left, first is not None, download=download)


def scoring_command(store: Store, choice: ScoringChoice) -> str:
    """Return the same on the command line."""
    usual = registry.default_profile(registry.get(choice.scorer))
    parts = ["score", choice.scorer, *([] if choice.profile == usual else ["--profile", choice.profile])]
    parts += [part for name, values in choice.selection.to_dict().items() for value in values for part in (f"--{name}", value)]
    if choice.device and choice.device != devices.default_device():
        parts += ["--device", choice.device]
    for name, number in (("--batch-size", choice.batch_size), ("--limit", choice.limit)):
        parts += [] if number is None else [name, str(number)]
    (line,) = next_steps.command_lines(store, (shlex.join(parts),))
    return line


def _nothing_left(rater: str, there: stored.Pending, mine: list[RunRow]) -> str:
    if mine:
        return f"{rater} is at work, or waits, in run {mine[0].run_id}: what is left is before it."
    return f"{rater} has judged all {wording.count(there.images, 'image')}."
