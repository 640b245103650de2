"""What every scorer is: perceiving (models, slow, once) and judging (rules, pure, repeatable)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from PIL import Image

from data.aspects import YES
from data.jobs.runs import Observation, WorkItem
from data.prompts.questions import PromptQuestion
from data.records import Judgement
from data.spec import Relation, Spec

Settings = Mapping[str, Any]
"""Plain JSON: thresholds, and which models (a hub id or a path below the repository)."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One image as a scorer gets it: opened, upright, RGB; with its prompt's questions, in their ``version``, where the scorer
    is asked them; and ``captions`` to choose among, the right one at ``right``, where it matches image and text. Of a pair
    there is a ``second`` image, and the two ``generators``."""

    item_id: str
    image: Image.Image
    text: str
    spec: Spec
    questions: tuple[PromptQuestion, ...] = ()
    version: int = 0
    captions: tuple[str, ...] = ()
    right: int = 0
    second: Image.Image | None = None
    generators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the rules looked at.

    Attributes:
        text: what was asked and what was found, one line for people.
        holds: whether it is as asked; None where it could not be looked at.
        target: object or relation it is about, as in ``Judgement.target``.
        boxes: ranks of the detections that it rests on.
        offset: of a relation, (dx, dy) in units of the rule (see ``scorers.detection``), right and down positive.
        clear: what ``offset`` must exceed on a relation's axis.
    """

    text: str
    holds: bool | None
    target: str | None = None
    boxes: tuple[int, ...] = ()
    offset: tuple[float, float] | None = None
    clear: float = 0.5


@dataclass(frozen=True, slots=True)
class RelationResult:
    """How an asked relation stands.

    Attributes:
        target: the relation, as in ``Judgement.target``.
        holds: None where an object of it was not found.
        found: the relations in which the pair stands that was looked at: the one that decided.
        boxes: ranks of that pair, the asked relation's subject first.
        offset: of the pair, as in ``Check``.
    """

    target: str
    holds: bool | None
    found: tuple[Relation, ...] = ()
    boxes: tuple[int, ...] = ()
    offset: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What follows from evidence.

    Attributes:
        judgements: in the vocabulary of ``data.aspects``.
        reason: why not correct, in the words of the scorer's paper or code; empty if correct or not a yes/no scorer.
        checks: what the rules looked at, in order.
        found: how many of each asked class count, whatever number is asked for, by the spec's name of it.
        relations: the asked relations, in the spec's order.
    """

    judgements: tuple[Judgement, ...]
    reason: str = ""
    checks: tuple[Check, ...] = ()
    found: Mapping[str, int] = field(default_factory=dict)
    relations: tuple[RelationResult, ...] = ()

    @property
    def correct(self) -> bool | None:
        """The judgement of that aspect; None if there is none, or if it was left open."""
        label = next((judgement.label for judgement in self.judgements if judgement.aspect == "correct"), None)
        return None if label is None else label == YES


class ModelBroken(RuntimeError):
    """A model gives what no working model gives, so that whatever it said of an image would be wrong: the run stops."""


class Perceiver(Protocol):
    """Models in memory. Built in the worker process only.

    One that has ``warnings`` (lines for people) is heard: what looked odd when the models were opened. ``failures`` are such
    lines that stop the run unless it is forced. One that has ``remember`` is given the run's folder before it sees anything:
    beside it may lie what earlier runs have paid for.
    """

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """What is seen of each, in the same order."""
        ...


@dataclass(frozen=True, slots=True)
class Knob:
    """A setting of judging that can be turned while one looks at what follows: evidence is judged again in memory.

    Attributes:
        title: its name for people; ``help``: what it does, one line.
        low, high, step: of a number.
        choices: names instead of a number.
        default: what holds where a run's settings do not say.
        confidence: whether it is compared with detections' confidences: those below the setting ``keep`` were not kept.
        applies: whether it can change the verdict on an image of this prompt at all.
        edges: the numbers in an image's evidence that it is compared with: between two neighbouring ones, and at each of
            them, it makes no difference where it is. None: it may make one anywhere; nothing: it makes none.
    """

    title: str
    help: str
    low: float = 0.0
    high: float = 1.0
    step: float = 0.01
    choices: tuple[str, ...] = ()
    default: float | str = 0.0
    confidence: bool = False
    applies: Callable[[Spec], bool] = field(default=lambda spec: True)  # noqa: ARG005
    edges: Callable[[Spec, Observation], Sequence[float] | None] = field(default=lambda spec, seen: None)  # noqa: ARG005


class Bill(Protocol):
    """What runs cost that are paid for, a line each; empty where nothing is paid."""

    def estimate(self, work: Sequence[WorkItem], settings: Settings) -> str:
        """Of these images, before the run."""
        ...

    def spent(self, folders: Sequence[Path], settings: Settings) -> str:
        """By the runs in these folders, whether they came to their end or not."""
        ...


Input = Literal["image", "questions", "captions", "pair"]
"""What a scorer judges, and what of an item it needs for that: one image by its prompt; the prompt's own questions about it
(images of prompts without any are left out); captions to choose among (``data.matching.captions``; images of prompts without a
second one are left out); or the two images of a pair, of two generators by the same prompt."""


@dataclass(frozen=True, slots=True)
class Flips:
    """A scorer's way to a score by a flipped prompt (``data.prompts.flips``).

    Attributes:
        rejudges: perceiving looks for the same things then, so what was seen is judged again. A scorer that does not reads the
            text: it has the option ``flip``, with which whoever starts a run gives it flipped texts.
    """

    rejudges: bool


@dataclass(frozen=True, slots=True)
class HostedModel:
    """A model that answers at an address, and is paid for by use.

    Attributes:
        named_by: settings by the first of which a rater is named in place of the profile, where it is set; what the others hold
            its name does not say.
        operating: settings that change nothing of what comes out (prices, a budget), with what holds where they are not set:
            they are a run's, and no part of its rater.
        bill: what a run will take, and what runs have taken.
    """

    named_by: tuple[str, ...]
    operating: Settings
    bill: Bill


@dataclass(frozen=True, slots=True)
class Scorer:
    """One automatic rater's method.

    Attributes:
        name: as on the command line (``geneval``); ``version`` moves when its code gives other results.
        profiles: named settings; ``settings`` that only judging reads are in ``judging``. ``paper`` is one whose models,
            prompts and thresholds are the authors'.
        renamed: former names of profiles, which are still understood, and what each is called now.
        options: settings that no profile need have, with what holds where they are not set: they are stored only where they
            are set to something else, so that a new one leaves earlier raters what they were.
        open: loads the models (imports torch; raises ``OSError`` or ``ValueError`` with one clear line).
        judge: the pure rules; never imports torch. Of what could not be seen (``failed``) it judges nothing.
        scales: aspect to scale, of what it judges.
        models: the settings that name models; where those are folders, their weights are fingerprinted.
        check: raises ``ValueError`` with one clear line where settings make no sense.
        knobs: those of ``judging`` that decide ``correct`` and can be turned, in the order in which people see them.
        input: what it judges, and what it is given of an item.
        flips: how it comes to a score by a flipped prompt; None where it cannot.
        hosted: its model at an address; None where its models are on the machine that runs it.
    """

    name: str
    version: str
    summary: str
    profiles: Mapping[str, Settings]
    judging: frozenset[str]
    open: Callable[[Settings, str], Perceiver]
    judge: Callable[[Spec, Observation, Settings], Verdict]
    scales: Mapping[str, str] = field(default_factory=dict)
    models: frozenset[str] = frozenset()
    check: Callable[[Settings], object] = dict
    options: Settings = field(default_factory=dict)
    knobs: Mapping[str, Knob] = field(default_factory=dict)
    input: Input = "image"
    flips: Flips | None = None
    hosted: HostedModel | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)

    @property
    def operating(self) -> Settings:
        """The settings of a run that are no part of its rater."""
        return {} if self.hosted is None else self.hosted.operating
