"""The last step of New campaign: what will be asked of whom, a link for people, and what a crowd platform needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Element, Node

from data.people import LINK_DAYS, ROLES
from ui.components.tables import bullets

_ROLES: Final = {
    "annotator": "label images",
    "researcher": "label, and see everything",
    "admin": "everything, links and pay too",
}
_HINT: Final = (
    "Whoever opens the link joins this campaign. A link for people who label shows nothing of the studio. Links are listed,"
    " made and taken back at any time on the campaign’s page."
)
_PLATFORM: Final = (
    "On a crowd platform each person’s id behind the link becomes a pseudonym, and belongs to the browser that comes with it"
    " first; who uses another one needs the re-entry code that they were shown."
)


def invite_body(campaign_id: str, lead: str, lines: Sequence[str], sheet: str, preview: str) -> Node:
    """Return the step.

    Args:
        campaign_id: of the draft.
        lead: what is asked, in a line.
        lines: what else there is to know of the draft.
        sheet: what a platform's form asks for.
        preview: the address of the preview.
    """
    return [
        htpy.h2["What starts"],
        htpy.p(class_="cc-wizard-lead-line")[f"This asks for {lead}."],
        bullets(lines),
        htpy.p[htpy.a(href=preview, target="_blank")["Preview as people see it"]],
        htpy.h2["A link for people"],
        htpy.p(class_="cc-wizard-hint")[_HINT],
        _link_form(),
        htpy.h2["On a crowd platform"],
        htpy.p(class_="cc-wizard-hint")[_PLATFORM],
        htpy.pre(class_="cc-code cc-wizard-sheet", tabindex="0")[sheet],
        htpy.a(class_="cc-button", download=f"{campaign_id}-platform.txt", href=_data_address(sheet))[
            "Download for the platform"
        ],
    ]


def _data_address(text: str) -> str:
    from urllib.parse import quote

    return f"data:text/plain;charset=utf-8,{quote(text)}"


def _link_form() -> Element:
    """Return the fields of a link, and whether one is made at all."""

    def entry(name: str, label: str, control: Node, hint: str = "") -> Element:
        return htpy.div(class_="cc-entry")[
            htpy.label(for_=f"link-{name}")[label],
            control,
            hint and htpy.small[hint],
            htpy.p(class_="cc-entry-problem", role="alert", data_problem=f"link-{name}"),
        ]

    roles = htpy.select(id="link-role", class_="cc-input", data_link="role")[
        [htpy.option(value=role)[f"{role}: {_ROLES.get(role, '')}"] for role in ROLES]
    ]
    days = htpy.input(
        id="link-days", class_="cc-input", type="text", inputmode="decimal", value=f"{LINK_DAYS:g}", data_link="days"
    )
    uses = htpy.input(id="link-uses", class_="cc-input", type="text", inputmode="numeric", data_link="uses")
    note = htpy.input(id="link-note", class_="cc-input", type="text", maxlength="500", data_link="note")
    signed = htpy.label(class_="cc-entry-box")[
        htpy.input(type="checkbox", data_link="signed"),
        htpy.span["Signed: only for people whose own link you make (people link INVITATION PLATFORM ID)"],
    ]
    wanted = htpy.label(class_="cc-entry-box")[
        htpy.input(type="checkbox", data_link="wanted", checked=True), htpy.span["Make a link when the campaign starts"]
    ]
    fields = [
        entry("role", "Who opens it may", roles),
        entry("days", "Days", days, "until it expires"),
        entry("uses", "People", uses, "at most; empty: no limit"),
        entry("note", "Note", note, "for yourself"),
    ]
    return htpy.div(class_="cc-wizard-link")[wanted, htpy.div(class_="cc-entry-row")[fields], signed]


def start_button() -> Element:
    """Return the button that starts the campaign."""
    return htpy.button(type="submit", class_="cc-button cc-button--primary", data_start="true")["Start"]
