"""The view of Failures, as its address says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from concord.common.base_path import at
from concord.error_analysis.failures import TITLES
from concord.scope import NAMES, Scope
from data.prompts.flips import FLIP_KINDS, FlipKind
from ui.shell.scope_bar import with_query

PATH: Final = "/agreement/failures"
ALL: Final = "all"
FLIPS: Final = "flips"
TYPES, SOURCES, ENTITIES, MODELS, PEOPLE = "types", "sources", "entities", "models", "people"
SEEN: Final[Mapping[str, str]] = {
    TYPES: "Element types",
    SOURCES: "Text sources",
    ENTITIES: "Number of entities",
    MODELS: "VQA models",
    PEOPLE: "Beside people",
}
"""The pictures of questions by their name in the address."""
PICTURES: Final[Mapping[str, str]] = {**TITLES, FLIPS: "Flip test", **SEEN}
"""All pictures by their name in the address."""
CHOICES: Final = ("reference", "against", "group", "whose", "answers")
"""What the pictures of questions offer, by its name in the address."""
PARAMETERS: Final = (*NAMES, "rater", "picture", "flip", *CHOICES, "numbers")
"""The names in an address of Failures."""


@dataclass(frozen=True, slots=True)
class FailuresView:
    """What of Failures is asked for.

    Attributes:
        scope: as the address says it.
        suite: whose images; of the opened scope.
        rater: the scorer; empty for the first that has seen anything.
        picture: of `PICTURES`; empty for the first that has data.
        flip: what of the prompts is flipped in the flip test.
        reference: the generator whose images are real ones.
        against: the scorer to compare with.
        group, whose, answers: which answers are listed: to questions of which kind, about whose images, right or wrong how.
        numbers: whether the panel with all numbers is open.
    """

    scope: Scope = field(default_factory=Scope)
    suite: str = ""
    rater: str = ""
    picture: str = ""
    flip: FlipKind = FLIP_KINDS[0]
    reference: str = ALL
    against: str = ""
    group: str = ALL
    whose: str = ALL
    answers: str = ""
    numbers: bool = False

    @classmethod
    def read(cls, values: Callable[[str], Sequence[str]]) -> FailuresView:
        """Return the view that an address asks for; what it cannot ask for is left out."""

        def last(name: str) -> str:
            given = values(name)
            return given[-1][:1000] if given else ""

        picture = last("picture")
        flip = next((kind for kind in FLIP_KINDS if kind == last("flip")), FLIP_KINDS[0])
        chosen = {name: last(name) or (ALL if name not in ("against", "answers") else "") for name in CHOICES}
        return cls(
            Scope.read(values),
            "",
            last("rater"),
            picture if picture in PICTURES else "",
            flip,
            **chosen,
            numbers=last("numbers") == "1",
        )

    @property
    def see(self) -> str:
        """The picture of questions."""
        return self.picture

    def address(self, **changes: object) -> str:
        """Return the address of this view, with some of it changed."""
        view = replace(self, **changes)  # type: ignore[arg-type]
        own = [
            *view.scope.query(),
            ("rater", view.rater),
            ("picture", view.picture),
            ("flip", view.flip if view.picture == FLIPS else ""),
            *((name, value) for name in CHOICES if (value := getattr(view, name)) != ALL and view.picture in SEEN),
            ("numbers", "1" if view.numbers else ""),
        ]
        return with_query(at(f"/studio{PATH}"), own)

    def of_scope(self, scope: Scope) -> str:
        """Return the address of another scope; another suite has other scorers."""
        return FailuresView(scope).address() if scope.suite != self.scope.suite else self.address(scope=scope)
