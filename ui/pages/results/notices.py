"""What Results says of the project itself: that backups fail, that people are simulated, and how an empty project begins."""

from __future__ import annotations

from typing import Final

import htpy
from htpy import Node

from concord.common import next_steps
from concord.common.base_path import at
from concord.importing import playground
from concord.maintenance.backups import backup_failure
from concord.project import OpenProject
from concord.scope import holds_anything
from ui.components.addresses import page_address
from ui.components.tables import commands

_SIMULATED: Final = (
    "Five simulated people stand in for real ones until you have some: seeded imitations who know what the pictures show, and"
    " make mistakes. They are marked wherever they appear and never counted among people."
)
_BEGINNINGS: Final = (
    ("Images of your own, with images.csv (columns path,prompt), GenEval’s or VISOR’s folders", next_steps.IMAGES),
    ("Prompts to generate from, with specs that people and scorers can check", next_steps.PROMPTS),
    ("The playground: a small drawn world with scorers and simulated people, to try everything out", next_steps.PLAYGROUND),
    ("A published study, to see agreement at once", next_steps.STUDIES),
    ("Ratings that you have, from people or from a metric", next_steps.RATINGS),
)
"""Ways to begin, each with its commands."""


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


def nothing_yet(store: OpenProject) -> Node:
    """Return what stands where no image has been judged: a button, and commands where the project is empty."""
    empty = not holds_anything(store)
    head = htpy.header(class_="cc-lead")[
        htpy.div[
            htpy.h1["Nothing is in this project yet" if empty else "Nothing has been judged yet"],
            htpy.p(class_="cc-sub")[
                "Bring images, prompts, ratings or a published study, and score or label them: which generator is best, and "
                "how sure that is, stands here."
            ],
        ],
        htpy.a(class_="cc-button cc-button--primary", href=page_address("add") if empty else at("/annotate/"))[
            "Add images" if empty else "Label images"
        ],
    ]
    ways = _BEGINNINGS if empty else (("Let a scorer judge them", next_steps.score_command(store, "geneval")),)
    beginnings = [
        htpy.section(class_="cc-beginning")[htpy.h2[title], commands(next_steps.command_lines(store, lines))]
        for title, lines in ways
    ]
    follow = "These commands work while this page is open, and it follows them without a reload."
    return [head, htpy.div(class_="cc-beginnings")[beginnings], htpy.p(class_="cc-quietline")[follow]]
