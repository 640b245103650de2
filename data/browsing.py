"""Browsing, as records and vocabulary: what listings are filtered by, where answers cross, what pages preview of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from data.selection import GROUPS

VERDICTS: Final = {"yes": 1, "no": 0, "failed": 2}
"""What a scorer may say, and how ``browse.says`` writes it."""


MAJORITY_VALUES: Final = ("yes", "no", "tie", "none")
"""What most people may say."""


MISSED: Final = "missed"
"""Most people say yes and a scorer no."""


PASSED: Final = "passed"
"""Most people say no and a scorer yes."""


AMONG_PEOPLE: Final = "people"


AMONG_SCORERS: Final = "scorers"


UNDECIDED: Final = "none"
"""No verdict of a researcher on who was wrong."""


ADJUDICATED: Final = (UNDECIDED, "scorer", "person", "prompt", "guideline")
"""Who or what a researcher's verdict says was wrong."""


CellWay = Literal["each", "majority", "halves", "apart"]


HIGH, LOW = "high", "low"
"""What a rater says of an image by its half of the images that both raters gave a number, by rank."""


@dataclass(frozen=True, slots=True)
class ConfusionCell:
    """A rater and another side (a rater, ``people`` or ``simulated people``) and what each of them says of an aspect.

    A rater is never among the people it meets.

    Attributes:
        a_says, b_says: a label as the confusion table names it; empty for whatever it says.
        way: with people as ``b``, whether at least one of them says so (``each``) or more than half (``majority``); of numbers
            the half that each side puts an image in (``halves``: HIGH or LOW), or all images in unlike halves (``apart``).
    """

    aspect: str
    a: str
    a_says: str
    b: str
    b_says: str
    way: CellWay = "each"

    @property
    def by_majority(self) -> bool:
        """True if people enter with what more than half of them say."""
        return self.b in GROUPS and self.way == "majority"

    @property
    def by_rank(self) -> bool:
        """True if the two sides' numbers meet by rank, not their labels."""
        return self.way in ("halves", "apart")


@dataclass(frozen=True, slots=True)
class Totals:
    """The size of a project: images, answers and scores.

    Attributes:
        images: images with a picture.
        places: images with and without a picture.
        items: images, pairs and groups.
        annotations: people's answers, each with its revisions once.
        simulated: answers of simulated people.
        people: persons who have a name.
        scorers: scorers that have judged something.
    """

    prompts: int
    images: int
    places: int
    items: int
    annotations: int
    simulated: int
    people: int
    scorers: int

    @property
    def nothing(self) -> bool:
        """True if the project is empty."""
        return self == Totals(0, 0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class GeneratorPictures:
    """A generator's pictures of a suite; ``answers``: how often people (real ones) have judged one of them."""

    suite: str
    generator: str | None
    pictures: int
    answers: int


@dataclass(frozen=True, slots=True)
class JudgedSuite:
    """What of a suite has been judged."""

    aspects: list[str]
    generators: list[str]
    tasks: list[str]


@dataclass(frozen=True, slots=True)
class RaterCount:
    """A rater, and how many judgements of the selection are theirs.

    Attributes:
        person: whether it is somebody: neither a scorer nor a study's slot.
    """

    name: str
    scorer: bool
    person: bool
    simulated: bool
    n: int


@dataclass(frozen=True, slots=True)
class ItemPreview:
    """An item's prompt, and the hash of its picture if it has one."""

    text: str | None
    sha256: str | None
