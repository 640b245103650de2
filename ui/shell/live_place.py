"""A place that is drawn as HTML by a JSON route: no event of Gradio's runs when somebody chooses, sorts or goes back.

The address says all of what is shown, so every choice is a link; `assets/js/place/place.js` follows links to the place itself
by asking the route, and asks again when the project's version moves. A place draws quick parts first: whoever asks hears
what is ready, and whether more follows.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import htpy
from htpy import Node

from concord.common import live_updates
from ui.shell.followed_versions import POLL_SECONDS, poll
from ui.shell.html import js_module, rendered
from ui.shell.page import Page
from ui.shell.shared_drawing import SharedDrawing


@dataclass(frozen=True, slots=True)
class PlaceDrawing:
    """What a place shows.

    Attributes:
        scope: its scope bar.
        content: all below.
        title: of the document.
        complete: whether no fuller drawing follows.
    """

    scope: Node
    content: Node
    title: str
    complete: bool = True


class LivePlace(Page):
    """A place of Studio whose content comes from a route.

    Attributes:
        module: its own JavaScript, if it has some: ``assets/js/NAME/NAME.js``; its function `attach` is called once.
        scoped: whether it has a scope bar.
    """

    module: ClassVar[str] = ""
    scoped: ClassVar[bool] = True

    def __init__(self, store: Any) -> None:
        super().__init__(store)
        self._shared = SharedDrawing(store, self._steps)

    @abstractmethod
    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield what an address asks for, quick first and whole last; ``values`` gives all values of a name in the address."""

    def drawing_version(self) -> str:
        """Return a version that moves with what the place shows: the project's, for most."""
        return live_updates.version(self.store)

    def build(self) -> None:
        """Mount the place's JavaScript, with grey blocks until the first numbers are there."""
        name = self.path.strip("/")
        beside = _beside(name)
        followed = poll(live_updates.version, POLL_SECONDS)
        js_module("place", place=name, beside=beside, poll=followed, modules=_modules([name, *beside]), bare=_bare())

    def drawn(self, query: Sequence[tuple[str, str]], *, whole: bool) -> dict[str, Any]:
        """Return the place as JSON: the quick drawing, or the whole one; ``complete`` says whether more follows."""
        version = live_updates.version(self.store)
        steps = self._shared.drawn(self.drawing_version(), [json.dumps(list(query))])
        last: Sequence[Any] = next(steps, [])
        for step in steps if whole else ():
            last = step
        scope, content, title, complete = last
        return {"scope": scope, "content": content, "title": title, "version": version, "complete": complete}

    def _steps(self, query: str) -> Iterator[list[Any]]:
        pairs: list[list[str]] = json.loads(query)
        for drawing in self.draw_place(lambda name: [value for key, value in pairs if key == name]):
            yield [rendered(drawing.scope), rendered(htpy.fragment[drawing.content]), drawing.title, drawing.complete]


def _beside(name: str) -> list[str]:
    """Return the names of the live places below the same place of the bar: links among them are followed without a reload."""
    first = name.partition("/")[0]
    names = [each.path.strip("/") for each in LivePlace.__subclasses__() if hasattr(each, "path")]
    return sorted(each for each in names if each.partition("/")[0] == first)


def _modules(names: Sequence[str]) -> list[str]:
    """Return the JavaScript modules of these live places."""
    return sorted({each.module for each in LivePlace.__subclasses__() if each.module and each.path.strip("/") in names})


def _bare() -> list[str]:
    """Return the names of the live places without a scope bar."""
    return sorted(each.path.strip("/") for each in LivePlace.__subclasses__() if not each.scoped)
