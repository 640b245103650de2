"""A suite's images beside their flipped prompts, and what one rater says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from agreement.flips import FlipPairs
from data.prompts.flips import FlipKind, Flipped, Unflipped, flip
from data.prompts.spec import Spec, parse_spec
from data.records import Judgement
from data.store.analysis import flips
from data.store.analysis.flips import FlipImage, FlipPrompt
from data.store.core.selection import Selection
from data.store.core.store import Store

NO_VERDICT: Final = ("no_verdict", "no_flipped_verdict")


@dataclass(frozen=True, slots=True)
class Tested:
    """One rater's scores of a suite; of people, those of all who are real, or of all who are simulated.

    Attributes:
        kind: ``people`` or ``scorer``.
        missing: why it can have no flipped score at all, or has none yet; ``command`` makes those that are missing, where
            one does.
    """

    suite: str
    rater: str
    kind: str
    simulated: bool
    aspect: str
    pairs: FlipPairs
    missing: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """The two scores of the image at a place, or why they do not count."""

    place: int
    true: float | None = None
    flipped: float | None = None
    why: str | None = None


def entry(place: int, true: float | None, flip: float | None, why: tuple[str, str] = NO_VERDICT) -> Entry:
    """Only numbers count; ``why`` names what is missing: the true score, or the flipped one."""
    for value, missing in zip((true, flip), why, strict=True):
        if value is None or not np.isfinite(value):
            return Entry(place, why=missing)
    return Entry(place, true, flip)


def correct(said: Sequence[Judgement]) -> float | None:
    """1 for correct, 0 for not; None where that was left open."""
    return next((one.value for one in said if one.aspect == "correct"), None)


@dataclass(frozen=True)
class Board:
    """The images, in order, and their prompts' flips; ``total``: of so many images."""

    places: Sequence[FlipImage]
    prompts: Mapping[str, FlipPrompt]
    flips: Mapping[str, Flipped | Unflipped]
    total: int

    @classmethod
    def of(cls, store: Store, selection: Selection, kind: FlipKind, most: int | None) -> Board:
        """The images of a selection; of more than ``most`` always the same ones by chance."""
        known = flips.images(store, selection)
        places = known.places
        if most is not None and len(places) > most:
            drawn = np.random.default_rng(0).choice(len(places), most, replace=False)
            places = [places[k] for k in sorted(drawn.tolist())]
        flips_value = {prompt_id: flip(asked.text, asked.spec, kind) for prompt_id, asked in known.prompts.items()}
        return cls(places, known.prompts, flips_value, len(known.places))

    @property
    def is_flippable(self) -> bool:
        """Whether any prompt can be flipped."""
        return any(isinstance(made, Flipped) for made in self.flips.values())

    def why_not(self, place: int) -> str | None:
        """Why the prompt of an image cannot be flipped; None if it can."""
        made = self.flips[self.places[place].prompt_id]
        return made.reason if isinstance(made, Unflipped) else None

    def why_not_read(self, place: int) -> str | None:
        """The same for whoever reads the text."""
        made = self.flips[self.places[place].prompt_id]
        return made.reason if isinstance(made, Unflipped) else "unsure_text" if made.text is None else None

    def asked(self, place: int) -> Spec:
        """What the prompt of an image asks for."""
        return parse_spec(self.prompts[self.places[place].prompt_id].spec)

    def asked_flipped(self, place: int) -> Spec:
        """What the flipped prompt asks for; there must be one."""
        made = self.flips[self.places[place].prompt_id]
        assert isinstance(made, Flipped)
        return parse_spec(made.spec)

    def pairs(self, entries: Sequence[Entry], *, people: bool = False) -> FlipPairs:
        """One rater's entries, as ``agreement.flips`` takes them."""
        reasons = sorted({one.why for one in entries if one.why is not None})
        generators = sorted({place.generator for place in self.places})
        code = {name: k for k, name in enumerate(generators)} | {None: -1}
        cluster = {prompt_id: k for k, prompt_id in enumerate(self.prompts)}
        why = {reason: k for k, reason in enumerate(reasons)}
        at = [self.places[one.place] for one in entries]

        def whole(values: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
            return np.array(values, np.int64)

        return FlipPairs(
            true=np.array([np.nan if one.true is None else one.true for one in entries], np.float64),
            flipped=np.array([np.nan if one.flipped is None else one.flipped for one in entries], np.float64),
            item=whole([one.place for one in entries]),
            cluster=whole([cluster[place.prompt_id] for place in at]),
            generator=whole([code[place.generator] for place in at]),
            why=whole([-1 if one.why is None else why[one.why] for one in entries]),
            generators=tuple(generators),
            reasons=tuple(reasons),
            people=people,
        )
