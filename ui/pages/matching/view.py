"""What the page Matching is asked to show, and the address that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final
from urllib.parse import urlencode

from agreement.study.cells import ALL
from concord.common import wording
from data.store.judgements.scorer_evidence import CaptionChoice
from ui.components.filters import Choice
from ui.root import at

PAGE: Final = "/studio/matching"
ADDRESS: Final = ("suite", "generator", "task", "who", "said")
"""What has a control of its own, by its name in the address; ``page`` follows."""
SAID: Final = {ALL: "right or wrong", "right": "right", "wrong": "wrong", "only": "right, and no other is"}


@dataclass(frozen=True, slots=True)
class View:
    """What is shown: of a suite the images of a generator; listed are those of a ``task`` of which ``who`` ``said`` this.

    ``page`` counts from 1.
    """

    suite: str = ""
    generator: str = ""
    task: str = ALL
    who: str = ALL
    said: str = ALL
    page: int = 1

    def address(self, **changes: str | int) -> str:
        """Where this view is, with some of it changed; what stands for all is left out."""
        values = asdict(replace(self, **changes))  # type: ignore[arg-type]
        return at(f"{PAGE}?") + urlencode({name: value for name, value in values.items() if value not in ("", ALL, 1)})


def choices(found: Sequence[CaptionChoice], asked: Mapping[str, str | None]) -> dict[str, Choice]:
    """What each control offers, and the nearest to what is asked for."""
    suite = _among({one.suite: one.suite for one in found}, asked.get("suite"))
    mine = [one for one in found if one.suite == suite.value]
    generators = {one.generator: one.generator or "unknown" for one in mine}
    generator = _among(dict(sorted(generators.items())), asked.get("generator"))
    mine = [one for one in mine if one.generator == generator.value]
    tasks = {ALL: "all tasks"} | {task: wording.task(task) for task in sorted({one.task for one in mine if one.task})}
    raters = {ALL: "any scorer"} | {name: name for name in sorted({one.rater_id for one in mine})}
    return {
        "suite": suite,
        "generator": generator,
        "task": _among(tasks if mine else {}, asked.get("task")),
        "who": _among(raters if mine else {}, asked.get("who")),
        "said": _among(SAID if mine else {}, asked.get("said")),
    }


def _among(titles: Mapping[str, str], asked: str | None) -> Choice:
    value = asked if asked in titles else next(iter(titles), "")
    return Choice([(title, name) for name, title in titles.items()], value)


def view_of(found: Sequence[CaptionChoice], asked: Mapping[str, str | None], page: str | None = None) -> View:
    """What is asked for by the names of the address, as far as there is such a thing."""
    chosen = {name: choice.value or "" for name, choice in choices(found, asked).items()}
    number = int(page) if page and page.isdecimal() and 1 <= len(page) < 7 else 1
    return View(**chosen, page=max(number, 1))
