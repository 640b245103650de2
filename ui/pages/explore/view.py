"""What the Explore page is asked to show, and the address that says so."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import htpy
from htpy import Element, Node

from agreement.best_value import Objective
from concord.common import next_steps
from concord.common.people_kinds import PeopleKind
from data.prompts.flips import FLIP_KINDS as KINDS_OF_FLIPS
from data.prompts.flips import FlipKind
from data.selection import PEOPLE, SIMULATED
from data.store.core.store import Store
from ui.components.tables import note
from ui.shell.view import View

PATH: Final = "/agreement/explore"
ALL: Final = "all"
THRESHOLDS, FAILURES, FLIPPED, QUESTIONS = "thresholds", "failures", "flips", "questions"
SHOWN: Final = {THRESHOLDS: "Thresholds", FAILURES: "Failures", FLIPPED: "Flip test", QUESTIONS: "Questions"}
"""The page's parts."""
KINDS: Final[Mapping[str, PeopleKind]] = {PEOPLE: "real", "simulated": "simulated"}
"""Kinds of people by their name in the address."""
WHO: Final = {PEOPLE: PEOPLE, "simulated": SIMULATED}
"""What they are called, by that name."""
OBJECTIVES: Final[tuple[Objective, ...]] = ("cohen_kappa", "percent_agreement")
"""What a setting can be tuned by; the first is that of GenEval's Figure 8."""
CHANGED: Final = {ALL: "all that changed", "yes": "correct now", "no": "wrong now", "open": "left open now"}
QUESTION_CHOICES: Final = ("see", "source", "reference", "against", "group", "whose", "answers")
"""The controls of the part Questions."""
ADDRESS: Final = (
    "suite", "rater", "show", "task", "along", "statistic", "people", "changed", "picture", "generator", "flip",
    *QUESTION_CHOICES,
)  # fmt: skip
"""What has a control of its own, by its name in the address; the knobs follow, by the names of their settings."""


@dataclass(frozen=True)
class ExploreView(View):
    """What is shown.

    Attributes:
        along: the knob that the curve runs along.
        statistic: of OBJECTIVES.
        people: of KINDS.
        changed: which of the verdicts that changed are shown, of CHANGED.
        picture: which of the failure pictures, of which ``generator``.
        flip: what of the prompts is flipped in the flip test, of ``data.prompts.flips.FLIP_KINDS``.
        see: which of the pictures of questions, of ``questions.SEEN``; of prompts of which ``source``.
        reference: the generator whose images are real ones; ``against``: the rater to compare with.
        group, whose, answers: which answers are listed: to questions of which kind, about whose images, right or wrong how.
        turned: where the scorer's knobs stand; ``own``: where they stood in the run.
    """

    PATH: ClassVar[str] = PATH
    suite: str = ""
    rater: str = ""
    show: str = THRESHOLDS
    task: str = ALL
    along: str = ""
    statistic: Objective = OBJECTIVES[0]
    people: str = PEOPLE
    changed: str = ALL
    picture: str = ""
    generator: str = ALL
    flip: FlipKind = KINDS_OF_FLIPS[0]
    see: str = ""
    source: str = ALL
    reference: str = ""
    against: str = ""
    group: str = ALL
    whose: str = ALL
    answers: str = ""
    turned: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def of(self) -> str:
        """Whose knobs they are, as text."""
        return json.dumps([self.suite, self.rater])

    @property
    def moved(self) -> dict[str, Any]:
        """The knobs that stand elsewhere than in the run."""
        return {name: value for name, value in self.turned.items() if value != self.own[name]}

    def query(self) -> list[tuple[str, str]]:
        """The names and values of its address; a knob that stands as in the run is left out."""
        named = [(name, str(getattr(self, name))) for name in ADDRESS] + [(name, str(at)) for name, at in self.moved.items()]
        return [(name, value) for name, value in named if value not in ("", ALL)]


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a part shows; all but the figure are elements.

    Attributes:
        lead: its main finding, above.
        figure: of Plotly, None if there is nothing to draw; ``told``: what it says, beneath it.
        numbers: its tables; ``changes``: the table of changed verdicts; ``pictures``: their images; ``listed``: answers.
    """

    lead: Node
    figure: Any = None
    numbers: Node = ""
    told: Node = ""
    changes: Node = ""
    pictures: Node = ""
    listed: Node = ""

    @classmethod
    def missing(cls, store: Store, lead: str, *groups: tuple[str, ...], listed: Node = "") -> Drawing:
        """What is said where there is nothing to draw yet: what is missing, and the commands that bring it."""
        return cls(note(lead, "cc-lead"), None, command_block(store, *groups), listed=listed)


def command_block(store: Store, *groups: tuple[str, ...]) -> Element:
    """Return command lines to copy."""
    return htpy.pre(class_="cc-note")["\n".join(next_steps.command_lines(store, *groups))]
