"""What Results says of the project itself: that backups fail, that people are simulated, and how an empty project begins."""

from __future__ import annotations

from typing import Final

import htpy
from htpy import Node

from concord.common import next_steps
from concord.common.base_path import at
from concord.importing import playground
from concord.maintenance.backups import backup_failure
from concord.open_project import OpenProject
from concord.scope import holds_anything
from ui.components.tables import commands, folded
from ui.pages.add import first_screen
from ui.pages.add.then import scorers_address

_SIMULATED: Final = (
    "Five simulated people stand in for real ones until you have some: seeded imitations who know what the pictures show, and"
    " make mistakes. They are marked wherever they appear and never counted among people."
)


def backup_warning(store: OpenProject) -> Node:
    """Return a warning if the last backup failed, else ""."""
    failure = backup_failure(store)
    if not failure:
        return ""
    return htpy.p(class_="cc-note cc-bad", role="status")[htpy.strong[failure], " ", htpy.code["doctor"], " says more."]


def simulated_notice(store: OpenProject) -> Node:
    """Return the notice about simulated people with its button, which asks once more; "" where there are none."""
    if not playground.simulated_imports(store):
        return ""
    question = htpy.div(id="remove-simulated", class_="cc-popup cc-scope-popup", popover="auto")[
        htpy.form(data_post=at("/api/studio/playground/remove"))[
            htpy.p["Remove them with all their answers? Scorers and people keep theirs."],
            htpy.div(class_="cc-popup-end")[
                htpy.button(type="button", popovertarget="remove-simulated", popovertargetaction="hide")["Keep them"],
                htpy.button(type="submit", class_="cc-popup-apply")["Yes, remove them"],
            ],
        ]
    ]
    button = htpy.button(type="button", class_="cc-button", popovertarget="remove-simulated")["Remove the simulated people"]
    return htpy.aside(class_="cc-simulated")[
        htpy.p[_SIMULATED], htpy.span(class_="cc-part-tools")[htpy.span(class_="cc-chip-place")[button, question]]
    ]


_BEGINS: Final = "Which generator is best, and how sure that is, stands here once people or scorers judge."


def nothing_yet(store: OpenProject, text: str = _BEGINS) -> Node:
    """Return what stands where no image has been judged: how to label or score them, or in an empty project how to begin.

    Args:
        store: the project.
        text: what will stand there, a sentence.
    """
    if not holds_anything(store):
        return first_screen(store)
    head = htpy.header(class_="cc-lead")[
        htpy.div[
            htpy.h1["Nothing has been judged yet"],
            htpy.p(class_="cc-sub")[text],
        ],
        htpy.span(class_="cc-part-tools")[
            htpy.a(class_="cc-button", href=scorers_address())["Score images"],
            htpy.a(class_="cc-button cc-button--primary", href=at("/annotate/"))["Label images"],
        ],
    ]
    score = next_steps.command_lines(store, next_steps.score_command(store, "geneval"))
    return [head, htpy.footer(class_="cc-quietline")[folded("By command", commands(score))]]
