"""What every step of New campaign has: the way back, the steps, the footer with answers, hours and money."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.new_campaigns.suggested import Workload
from ui.components.addresses import page_address
from ui.pages.new_campaign.view import STEPS, WizardView

_NAMES: Final = tuple(STEPS)


def steps_bar(view: WizardView) -> Element:
    """Return the steps: links to those that can be opened; the others need a draft."""
    items: list[Node] = []
    for number, (name, title) in enumerate(STEPS.items(), 1):
        label: list[Node] = [htpy.span[str(number)], " ", htpy.b[title]]
        open_ = bool(view.campaign) or name in ("plan", "images")
        link = htpy.a(href=view.address(step=name), aria_current="step" if name == view.step else None, data_step_link="true")
        items.append(htpy.li[link[label] if open_ else htpy.span(class_="is-later", title="Images first")[label]])
    return htpy.nav(aria_label="Steps")[htpy.ol(class_="cc-wizard-steps")[items]]


def page(view: WizardView, title: str, body: Node, foot: Node) -> Node:
    """Return a step: head, body and footer."""
    form = htpy.form(
        class_="cc-wizard",
        # whoever types is not drawn over
        data_dirty="true" if view.step != "plan" else None,
        data_step=view.step,
        data_campaign=view.campaign,
        novalidate=True,
        autocomplete="off",
    )
    return [
        htpy.p(class_="cc-wizard-back")[htpy.a(href=page_address("people"))["← People"]],
        htpy.h1[title or "New campaign"],
        steps_bar(view),
        form[body, foot],
    ]


def foot_line(work: Workload | None, currency: str, otherwise: str = "") -> Node:
    """Return answers, hours and money in a line; the assumption behind the hours is said."""
    if work is None:
        return otherwise
    time = wording.duration(work.hours * 3600) if work.hours < 1 else f"{work.hours:z,.1f} hours"
    basis = f"{work.seconds:z.0f} s an answer, " + (f"n = {work.n:,}" if work.n else "assumed")
    money = f"{work.cost:,} {currency}".rstrip() if work.cost is not None else "no pay yet"
    return [
        htpy.b[wording.count(work.answers, "answer")],
        f", about {time} of people’s time ",
        htpy.small[f"({basis})"],
        ", ",
        htpy.b[money] if work.cost is not None else money,
    ]


def footer(view: WizardView, line: Node, following: str = "", *, last: Node = None) -> Element:
    """Return the footer: the line, the step before, and the button that goes on; ``following`` is a link where nothing is
    saved."""
    at_step = _NAMES.index(view.step)
    before = _NAMES[at_step - 1] if at_step else ""
    after = _NAMES[at_step + 1] if at_step + 1 < len(_NAMES) else ""
    label = f"Next: {STEPS[after].lower()}" if after else ""
    primary = "cc-button cc-button--primary"
    go_on: Node = last
    if after:
        go_on = (
            htpy.a(class_=primary, href=following)[label]
            if following
            else htpy.button(class_=primary, type="submit", data_next=view.address(step=after))[label]
        )
    back = htpy.a(class_="cc-button", href=view.address(step=before), data_step_link="true")["Back"] if before else None
    leave = htpy.a(
        class_="cc-button", href=page_address("people"), title="The draft stays as it was saved" if view.campaign else ""
    )["Close" if view.campaign else "Cancel"]
    return htpy.footer(class_="cc-wizard-foot")[
        htpy.p(data_foot="true", role="status")[line],
        htpy.p(class_="cc-wizard-problem", role="alert", data_problem=""),
        htpy.span(class_="cc-wizard-acts")[leave, back, go_on],
    ]


def choice(href: str, title: str, about: Node, *, chosen: bool) -> Element:
    """Return one of several things that can be chosen, as a link."""
    return htpy.a(class_="cc-wizard-choice", href=href, aria_current="true" if chosen else None)[
        htpy.i(aria_hidden="true"), htpy.span[htpy.b[title], htpy.small[about]]
    ]


def segments(label: str, choices: Sequence[tuple[str, str, bool]]) -> Element:
    """Return a few links of which one is chosen: address, words, whether it is the one."""
    return htpy.div(class_="cc-segments", role="group", aria_label=label)[
        [htpy.a(href=href, aria_current="true" if chosen else None)[words] for href, words, chosen in choices]
    ]
