"""Add: bring images, prompts, ratings, a study or the playground; then label, score, invite. An empty project begins here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import htpy
from htpy import Node

from concord.common import next_steps
from concord.common.table import Cell
from concord.importing.adding import ProjectContent, project_content
from concord.importing.readings import Reading, readings_of
from concord.importing.undo import PastImport, past_imports, undo_obstacle
from concord.open_project import OpenProject
from concord.runs import model_downloads
from ui.components.tables import commands, folded, plain_table, table_element, when
from ui.pages.add.fields import sending, submit
from ui.pages.add.kinds import drop_zone, generate_form, kind_cards, kind_fields
from ui.pages.add.reading import cannot_be_undone, is_taken_back, reading_section
from ui.pages.add.then import then_cards
from ui.pages.add.view import PARAMETERS, PATH, AddView
from ui.shell.live_place import LivePlace, PlaceDrawing

_IMPORTS: Final = 5
_MOST_IMPORTS: Final = 500
_EXPLAINED: Final = 20
"""For so many imports it is said at once whether they can be undone."""
_COMMANDS: Final = (
    ("Images", next_steps.IMAGES),
    ("Prompts", next_steps.PROMPTS),
    ("Ratings", next_steps.RATINGS),
    ("Studies", next_steps.STUDIES),
    ("The playground", next_steps.PLAYGROUND),
)


class AddPage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Add", PATH, PARAMETERS
    scoped = False

    def drawing_version(self) -> str:
        """Return a version that moves with readings and downloads, too."""
        return f"{super().drawing_version()} {readings_of(self.store).revision} {model_downloads.version()}"

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place: what was read, or what can be added; what comes then; what was added."""
        view = AddView.read_address(values)
        reading = readings_of(self.store).get(view.read) if view.read else None
        # before the rest: what is stored meanwhile counts there
        read = reading_section(self.store, reading) if view.read else ""
        over = reading is None or reading.state == "stored"
        content = project_content(self.store)
        empty = not (content.images or content.prompts)
        then = then_cards(self.store, content)
        bring = [drop_zone(empty=empty), kind_cards(view), kind_fields(view, content)]
        parts: list[Node] = [bring, then]
        if view.read:
            back = reading is not None and is_taken_back(self.store, reading)
            after: list[Node] = [bring, then] if back else [_generate_next(reading, content), then, bring]
            parts = [read, *after] if over else [read, then]
        yield PlaceDrawing(
            "",
            [
                _head(self.store, content, asks=bool(view.read) and not over),
                parts,
                _imports(self.store, past_imports(self.store), view),
                _by_command(self.store),
            ],
            "Add",
        )


def first_screen(store: OpenProject) -> Node:
    """Return what stands where a project is empty: what can be brought, and what comes then."""
    content, view = project_content(store), AddView()
    return [_head(store, content), drop_zone(empty=True), kind_cards(view), then_cards(store, content)]


def _generate_next(reading: Reading | None, content: ProjectContent) -> Node:
    """Return the form that generates images of prompts which were just stored; "" in all other cases."""
    if reading is None or reading.state != "stored" or reading.source is None or reading.source.kind != "prompts":
        return ""
    return htpy.section(class_="cc-panel cc-add-fields", aria_label="Generate images")[
        generate_form(content, reading.choices.suite)
    ]


def _head(store: OpenProject, content: ProjectContent, *, asks: bool = False) -> Node:
    """Return the sentence above all; ``asks``: something was read and can be stored."""
    if content.text:
        title, text = f"Add to {store.project.name}", f"Here now: {content.text}. Nothing is stored before you confirm."
    else:
        title = "Nothing is in this project yet. What shall be judged?"
        text = (
            "Concord shows how far automatic scorers and people agree about generated images. Nothing is stored before you"
            " confirm."
        )
        if asks:
            title, text = "What was read", "Nothing is stored before you confirm."
    return htpy.header(class_="cc-lead")[htpy.div[htpy.h1[title], htpy.p(class_="cc-sub")[text]]]


def _imports(store: OpenProject, imports: Sequence[PastImport], view: AddView) -> Node:
    """Return the latest imports, each with the button that undoes it."""
    if not imports:
        return ""
    shown = imports[: _MOST_IMPORTS if view.every else _IMPORTS]
    rows = [
        (
            str(each.number),
            Cell("", content=when(each.created)),
            each.name,
            each.brought,
            "undone" if each.is_undone else Cell("", content=_undo(store, each.number, asked=place < _EXPLAINED)),
        )
        for place, each in enumerate(shown)
    ]
    table = plain_table("What was added", ("Import", "When", "What", "New", ""), rows)
    hidden = len(imports) - len(shown)
    more = hidden > 0 and htpy.p[htpy.a(href=view.address(kind=view.kind, every=True))[f"{hidden:,} more"]]
    return htpy.section(class_="cc-part cc-add-imports", id="imports", aria_label="What was added")[table_element(table), more]


def _undo(store: OpenProject, number: int, *, asked: bool) -> Node:
    """Return the button that undoes an import; where that is impossible and it is ``asked``, a button that says why."""
    if asked and (kept := undo_obstacle(store, number)):
        return cannot_be_undone(number, kept)
    name = f"undo-{number}"
    question = htpy.div(id=name, class_="cc-popup cc-scope-popup", popover="auto")[
        sending(
            "add/undo",
            [
                htpy.p[f"Undo import {number}? All that it brought leaves the project."],
                htpy.div(class_="cc-popup-end")[
                    htpy.button(type="button", popovertarget=name, popovertargetaction="hide")["Keep it"],
                    submit("Undo it", kind="cc-popup-apply"),
                ],
            ],
            number=str(number),
        )
    ]
    label = f"Undo import {number}"
    button = htpy.button(type="button", class_="cc-button", popovertarget=name, aria_label=label)["Undo"]
    return htpy.span(class_="cc-chip-place")[button, question]


def _by_command(store: OpenProject) -> Node:
    """Return the same as commands, for this project."""
    lines = [[htpy.h3[title], commands(next_steps.command_lines(store, group))] for title, group in _COMMANDS]
    score = next_steps.command_lines(store, next_steps.score_command(store, "clipscore"))
    return htpy.footer(class_="cc-quietline")[
        folded("By command", [lines, htpy.h3["Score"], commands(score), htpy.p["They work while this page is open."]])
    ]
