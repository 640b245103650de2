"""What comes once images are here: label them, have scorers judge them, invite people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import machine
from concord.common.base_path import at
from concord.common.readiness import Readiness
from concord.importing.adding import ProjectContent
from concord.open_project import OpenProject
from concord.runs import run_manager
from concord.runs.scorer_choice import ScorerChoice, scorer_choices
from scorers.models import devices
from ui.components.addresses import page_address
from ui.pages.add.downloads import downloads_section
from ui.pages.add.fields import choice_field, sending, submit, text_field
from ui.pages.add.kinds import device_options

_PLACE: Final = "then"
"""The anchor of the cards."""
_ROWS: Final = 5
"""So many scorers are shown at once."""


def then_cards(store: OpenProject, content: ProjectContent) -> Element:
    """Return the three cards, which act as soon as there are images."""
    ready = content.images > 0
    return htpy.section(class_="cc-part cc-add-next", id=_PLACE, aria_label="Then")[
        htpy.div(class_="cc-part-head")[
            htpy.h2["Then"], htpy.span(class_="cc-sub")["" if ready else "as soon as images are here"]
        ],
        htpy.div(class_="cc-add-then")[_label(ready), _score(store, content), _invite()],
    ]


def _label(ready: bool) -> Element:
    button = (
        htpy.a(class_="cc-button cc-button--primary", href=at("/annotate/"))["Label images"]
        if ready
        else htpy.button(type="button", class_="cc-button", disabled=True)["Label images"]
    )
    text = "Answer one question an image yourself: does it show what the prompt says?"
    return next_card("Label", [text, "About 7 s an image. Yes, no, or cannot tell; by keys or thumbs."], button)


def _invite() -> Element:
    text = "Let others answer: a link for your lab, or codes for a crowd platform."
    button = htpy.a(class_="cc-button", href=page_address("people/new"))["Plan a campaign"]
    return next_card("Invite", [text, "Starts with a plan: how many prompts and people for the margin you need."], button)


def next_card(title: str, lines: Sequence[str], button: Node) -> Element:
    """Return a card with a next step: what it brings, and the button that leads there."""
    return htpy.section(class_="cc-panel cc-add-card", aria_label=title)[
        htpy.h3[title], [htpy.p[line] for line in lines], htpy.div(class_="cc-add-foot")[button]
    ]


def scorers_address() -> str:
    """Return the address at which scorers are chosen."""
    return f"{page_address('add')}#{_PLACE}"


def _score(store: OpenProject, content: ProjectContent) -> Element:
    choices = scorer_choices(store)
    ready = content.images > 0
    rows = [_row(choice, ready=ready) for choice in choices]
    more = htpy.details(class_="cc-add-more")[
        htpy.summary[f"{len(rows) - _ROWS} more scorers"], htpy.ul(class_="cc-add-scorers")[rows[_ROWS:]]
    ]
    every = [("", "all")]
    settings = htpy.details(class_="cc-add-more")[
        htpy.summary["More"],
        htpy.div(class_="cc-add-row")[
            choice_field("suite", "Prompts of", [*every, *((name, name) for name in content.suites)]),
            choice_field("generator", "Generator", [*every, *((name, name) for name in content.generators)]),
            choice_field("device", "Device", device_options(), devices.default_device()),
            text_field("batch", "Images at once", hint="as usual"),
            text_field("limit", "At most", hint="all images"),
        ],
    ]
    runs = len(run_manager.run_rows(store))
    foot = htpy.div(class_="cc-add-end")[
        submit("Score images", primary=any(choice.best for choice in choices), disabled=not ready, kind="cc-add-score"),
        runs > 0 and htpy.a(href=page_address("add/runs"))[f"Runs ({runs})"],
    ]
    form = sending(
        "runs/start",
        [
            htpy.ul(class_="cc-add-scorers")[rows[:_ROWS]],
            len(rows) > _ROWS and more,
            settings,
            htpy.p(class_="cc-sub cc-add-plan", data_plan=at("/api/studio/runs/plan"), role="status"),
            foot,
        ],
        label="Score images",
    )
    return htpy.section(class_="cc-panel cc-add-card", aria_label="Score")[
        htpy.h3["Score"],
        htpy.p[f"Let automatic scorers judge the same images. On this machine: {_machine()}."],
        downloads_section(),
        form,
    ]


def _machine() -> str:
    cards = [title for name, title in devices.known_devices() if name != devices.CPU]
    if cards:
        return ", ".join(cards)
    return "a GPU" if machine.has_gpu() else "CPU, no GPU"


def _row(choice: ScorerChoice, *, ready: bool) -> Element:
    name = f"{choice.scorer} {choice.first.profile}"
    box = htpy.input(
        type="checkbox", name="scorers", value=name, checked=choice.best and ready, disabled=not (choice.left and ready)
    )
    about = htpy.small[choice.summary.partition(": ")[0].rstrip(".")]
    usable = [each for each in choice.profiles if each.can_start]
    chooser = (
        len(usable) > 1
        and htpy.select(name="profile", aria_label=f"Profile of {choice.scorer}")[
            [htpy.option(value=f"{choice.scorer} {each.profile}")[f"{each.profile}: {each.text}"] for each in usable]
        ]
    )
    return htpy.li[htpy.label[box, htpy.span[htpy.strong[choice.scorer], about]], _pill(choice, ready=ready), chooser]


def _pill(choice: ScorerChoice, *, ready: bool) -> Node:
    """Return how ready the proposed profile is; behind it, where something is missing, what to do, and the other profiles."""
    first = choice.first
    judged = ready and choice.left == 0
    kind = "is-done" if judged else "is-ready" if not first.needs else "is-slow" if first.can_run else "is-missing"
    text = "all judged" if judged else first.text.partition(" (")[0]
    if first.can_run:
        return htpy.span(class_=["cc-add-pill", kind])[text]
    name = f"scorer-{choice.scorer}"
    tick = first.can_start and htpy.p["Tick it: the button below downloads what is missing, then scores. The same as commands:"]
    lines = [htpy.li[htpy.strong[each.profile], " ", htpy.small[each.text], _remedy(each)] for each in choice.profiles]
    how = htpy.div(id=name, class_="cc-popup cc-scope-popup cc-add-how", popover="auto")[tick, htpy.ul[lines]]
    label = f"{choice.scorer}: {text}. How?"
    button = htpy.button(type="button", class_=["cc-add-pill", kind], popovertarget=name, aria_label=label)[text]
    return htpy.span(class_="cc-chip-place")[button, how]


def _remedy(ready: Readiness) -> Node:
    """Return what is to be done first, where something is missing."""
    if ready.can_run or not ready.todo:
        return ""
    if ready.needs[0] == "questions":
        return htpy.button(type="submit", class_="cc-add-remedy", data_send=at("/api/studio/add/questions"))[
            "Make questions from specs"
        ]
    if ready.needs[0] == "specs":
        return htpy.a(class_="cc-add-remedy", href=page_address("add", kind="prompts"))["Add prompts with specs"]
    if ready.needs[0] == "pairs":
        return htpy.a(class_="cc-add-remedy", href=page_address("people/new"))["Ask people which of two images is better"]
    return htpy.code(class_="cc-add-remedy cc-code")[ready.todo]
