"""Scorers to choose from for a project's images: each with the profile that fits them best, and how ready that is here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from concord.common import machine
from concord.common.next_steps import is_playground
from concord.common.readiness import Readiness, readiness
from concord.runs.scoring_offer import ScoringChoice, scoring_offer
from data.store import library
from data.store.browse import contents
from data.store.core.store import Store
from scorers import registry

_ELSEWHERE: Final = "endpoint"
"""The profile of a model at an address, which has to be given: by the command alone."""


@dataclass(frozen=True, slots=True)
class ScorerChoice:
    """A scorer that can be chosen.

    Attributes:
        summary: what it looks at, a sentence.
        profiles: all that fit the images, the best one first.
        left: images that the first profile has not judged; None where it cannot start.
        best: True for the one that is proposed.
    """

    scorer: str
    summary: str
    profiles: Sequence[Readiness]
    left: int | None = None
    best: bool = False

    @property
    def first(self) -> Readiness:
        """The profile that is proposed."""
        return self.profiles[0]


def scorer_choices(store: Store, suite: str = "") -> list[ScorerChoice]:
    """Return the scorers for a suite's images (empty: for all), those that can run first, as they come with Concord.

    The playground's profiles know its drawings alone: they are offered for these, and for nothing else.
    """
    suites = [suite] if suite else contents.filter_choices(store).suite
    drawings = bool(suites) and all(map(is_playground, suites))
    inputs, gpu = library.prompt_inputs(store), machine.has_gpu()
    choices = []
    for name in registry.NAMES:
        scorer = registry.get(name)
        fit = [profile for profile in scorer.profiles if profile.startswith(registry.PLAYGROUND) == drawings]
        names = [profile for profile in fit if profile != _ELSEWHERE]
        ready = sorted((readiness(scorer, profile, inputs, gpu=gpu) for profile in names), key=_distance)
        if ready:
            first = ready[0]
            left = scoring_offer(store, ScoringChoice(name, first.profile)).left if first.can_start else None
            choices.append(ScorerChoice(name, scorer.summary, tuple(ready), left))
    choices.sort(key=lambda choice: _distance(choice.first))
    best = next((choice for choice in choices if choice.left and not choice.first.needs), None)
    return [replace(each, best=each is best) for each in choices]


def _distance(ready: Readiness) -> tuple[bool, bool, int, int]:
    """Return a key that sorts profiles: those that can run now, those that Concord makes ready, then by what is to be done."""
    return (
        not ready.can_run,
        not ready.can_start,
        len(ready.needs),
        ready.megabytes or (1 << 30 if "download" in ready.needs else 0),
    )
