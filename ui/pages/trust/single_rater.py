"""Trust where one person or one scorer alone has judged: what a second one would bring, and the next step to it."""

from __future__ import annotations

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.common.base_path import at
from concord.comparison.rater_pairs import pairable
from concord.comparison.trust import Trust
from concord.open_project import OpenProject
from ui.components.addresses import page_address
from ui.pages.add.then import next_card, scorers_address


def single_rater(store: OpenProject, made: Trust) -> str:
    """Return the name of the one rater that has judged, else ""; people without names are several."""
    judges = pairable(store, made.selection)
    alone = len(judges) == 1 and made.persons <= 1 and made.people != "simulated"
    return judges[0].name if alone else ""


def single_rater_state(made: Trust, name: str) -> Node:
    """Return what stands instead of numbers that need two raters."""
    by_person = made.people is not None
    said = wording.count(made.answers, "answer") if by_person else "scores"
    who = "1 person" if by_person else name
    head = htpy.header(class_="cc-lead")[
        htpy.div[
            htpy.h1["Agreement begins with a second rater"],
            htpy.p(class_="cc-sub")[f"So far there are {said} of {who}, and nothing to hold them against."],
        ]
    ]
    return [head, htpy.section(class_="cc-part cc-add-then is-two", aria_label="Next")[_cards(by_person=by_person)]]


def _cards(*, by_person: bool) -> list[Element]:
    invite = next_card(
        "Another person",
        ["How far two people say the same of an image is the measure that every scorer is held against."],
        htpy.a(class_="cc-button", href=page_address("people/new"))["Invite people"],
    )
    if by_person:
        scorer = next_card(
            "A scorer",
            ["It judges the same images; then you see here how far it says what people say, and where it errs."],
            htpy.a(class_="cc-button cc-button--primary", href=scorers_address())["Choose a scorer"],
        )
        return [scorer, invite]
    label = next_card(
        "You",
        ["Answer one question about each image; then you see here how far the scorer says what people say."],
        htpy.a(class_="cc-button cc-button--primary", href=at("/annotate/"))["Label images"],
    )
    return [label, invite]
