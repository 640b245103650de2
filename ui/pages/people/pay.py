"""Pay of a campaign: whom to look at first, everybody's outcome, decision and amounts, and the files of a crowd platform."""

from __future__ import annotations

import base64
from collections import Counter
from typing import Final

import htpy
from htpy import Element, Node

from concord.campaigns import payment
from concord.campaigns.cards import CampaignCard
from concord.campaigns.payment import PaidPerson, Payroll
from concord.common import wording
from concord.common.table import Cell, Column, TableRow
from concord.open_project import OpenProject
from ui.components.tables import joined, plain_table, table_element, table_row, with_details
from ui.pages.people.acts import act_form, answer, asking_button
from ui.pages.people.crowd_table import answers_address, pill
from ui.pages.people.view import PeopleView

_HEADERS: Final = (
    Column("person"),
    Column(
        "decision",
        "For the platform, a suggestion until you decide; “return”: not approved, what was done is paid by a bonus.",
    ),
    Column("left as", "Who has answered nothing for a reservation’s time counts as left."),
    Column("answers", "All that they answered, checks and training too.", number=True),
    Column("active time", number=True),
    Column("pay", "In all; beneath: base pay by approval, and bonus.", number=True),
    Column("fee", number=True),
    Column("an hour", "Real pay by the hour of active time.", number=True),
    Column(""),
)
_MOST_LISTED: Final = 60
"""So many people are listed at first; whoever needs a look always is."""
_OUTCOMES: Final = {
    "completion": "reached the end",
    "stopped": "stopped early",
    "training": "failed the training",
    "paused": "paused or revoked",
    "quota": "no image left",
    "left": "left without a word",
    "working": "at work",
    "withdrawn": "withdrew their answers",
}
_TONES: Final = {"look first": "warn", "reject": "bad", "return": "warn", "approve": "ok"}
_SETTLING: Final = {
    "approve": "Approve: full pay",
    "return": "Return: paid for what counts, by a bonus",
    "reject": "Reject: no pay",
}
NOBODY_LEFT: Final = "(erased)"
NOBODY: Final = "Nobody has come to this campaign yet."
FREE: Final = "Nothing is paid: set a price of an answer, or a base pay, under Settings."
PLATFORM_FILE: Final = (
    "People are paid by the platform’s own ids, which are not stored here. Export the submissions from the platform (Prolific: "
    "Download data; MTurk: batch results) and choose the file: its ids then stand beside the pseudonyms."
)


def pay_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:
    """Return what everybody gets, whom to look at first, the sums and the files."""
    roll = payment.payroll(store, card.progress.campaign)
    if not roll.people and not roll.erased:
        return htpy.p(class_="cc-part-hint")[NOBODY]
    first = [person for person in roll.people if person.reasons]
    rest = [person for person in roll.people if not person.reasons]
    look = (
        bool(first)
        and htpy.p(class_="cc-campaign-fact is-warn")[
            f"Look at {wording.count(len(first), 'person')} first: they are in no bonus file until you decide."
        ]
    )
    people = [*first, *rest]
    listed = people if view.every else people[: max(len(first), _MOST_LISTED)]
    return [
        _lead(roll, card),
        look,
        _table(roll, listed, card.name),
        len(listed) < len(people)
        and htpy.div(class_="cc-below-table")[htpy.a(href=view.address(every=True))[f"All {len(people):,} people"]],
        _downloads(roll, card.name),
        _platform(card.name),
    ]


def _lead(roll: Payroll, card: CampaignCard) -> Element:
    settings = card.progress.campaign.settings
    if not settings.pay.paid:
        return htpy.p(class_="cc-tab-lead")[FREE]
    text = f"{payment.describe_pay(roll)}. {_paid_answers(roll, card)}"
    if settings.pay.budget is not None:
        text += f" {roll.cost:,} of the budget of {settings.pay.budget:,} {roll.currency}".rstrip() + " are spent."
    if settings.target_wage:
        text += f" The target is {settings.target_wage} an hour."
    return htpy.p(class_="cc-tab-lead")[text]


def _paid_answers(roll: Payroll, card: CampaignCard) -> str:
    """Return how many answers are paid and what they are, which a plan cannot know beforehand."""
    coverage = card.progress.coverage
    paid = sum(person.items for person in roll.people)
    kinds = [(coverage.answers, "count for images"), (coverage.checks, "are checks"), (coverage.training, "are training")]
    rest = paid - sum(n for n, _ in kinds)
    if rest < 0:
        # some of these are of people who are not paid
        return f"{wording.count(paid, 'answer')} are paid."
    kinds.append((rest, "came late or stopped counting"))
    said = ", ".join(f"{n:,} {what}" for n, what in kinds if n > 0)
    return f"{wording.count(paid, 'answer')} are paid: {said}." if paid else "No answer is paid yet."


def _table(roll: Payroll, people: list[PaidPerson], campaign: str) -> Element:
    found = Counter(decision_text(person) for person in roll.people)
    caption = f"{wording.count(len(roll.people), 'person')}: " + ", ".join(f"{n:,} {text}" for text, n in found.items())
    hourly = Cell("") if roll.hourly is None else Cell(f"{roll.hourly:,}", ("median",))
    total = table_row("all", "", "", "", "", f"{roll.pay:,}", f"{roll.fees:,}", hourly, "", kind="cc-total")
    erased = [
        table_row(
            NOBODY_LEFT,
            line.decision,
            _OUTCOMES[line.outcome],
            f"{line.items:,}",
            "–",
            f"{line.base + line.bonus:,}",
            "",
            "",
            "",
        )
        for line in roll.erased
    ]
    return table_element(plain_table(caption, _HEADERS, [*(_row(each, campaign) for each in people), *erased, total]), "cc-pay")


def decision_text(person: PaidPerson) -> str:
    """Return what is done with somebody's submission: what a manager decided, or else what is suggested."""
    decision = person.payout.decision
    if person.settled:
        return f"decided: {decision}"
    return decision if decision in ("wait", "look first") else f"suggested: {decision}"


def _row(person: PaidPerson, campaign: str) -> TableRow:
    work, payout = person.work, person.payout
    text = decision_text(person)
    decision = Cell(text, content=pill(text, _TONES.get(payout.decision, "") if person.settled or person.reasons else ""))
    return table_row(
        Cell(work.person, href=answers_address(work.person)),
        with_details(decision, "; ".join(person.reasons)),
        Cell(_OUTCOMES[person.outcome], (f"code {work.code}" if work.code else "no code shown",)),
        f"{work.items:,}",
        "–" if work.seconds is None else wording.duration(work.seconds),
        Cell(f"{payout.pay:,}", (f"{payout.base:,} + {payout.bonus:,}",) if payout.base else ()),
        f"{payout.fee:,}",
        "–" if person.hourly is None else f"{person.hourly:,}",
        Cell("", content=_settling(person, campaign)),
        kind="is-problem" if person.reasons else "",
    )


def _settling(person: PaidPerson, campaign: str) -> Node:
    """Return how to decide about somebody's pay; nothing while they are at work."""
    if person.outcome == "working":
        return ""
    name = person.work.person
    body = {"campaign": campaign, "person": name}
    answers = [
        answer(text, "campaign/settle", body | {"decision": decision}, danger=decision == "reject")
        for decision, text in _SETTLING.items()
    ]
    question = [
        f"Pay of {name}. What is decided is written down, and later changes do not take it back. Rejected is only who failed"
        " attention checks and none of whose answers count.",
    ]
    return asking_button("Decide", question, answers, f"Decide about the pay of {name}", kind="cc-button", about=campaign)


def _downloads(roll: Payroll, campaign: str) -> Element:
    """Return the file of decisions; bonuses go by people's own ids, which only the platform's file brings."""
    content = base64.b64encode(payment.payment_file(roll).encode()).decode()
    link = htpy.a(download=f"{campaign}-pay.csv", href=f"data:text/csv;charset=utf-8;base64,{content}")[
        "Decisions and pay (CSV)"
    ]
    return htpy.p(class_="cc-downloads")["Download ", joined([link])]


def _platform(campaign: str) -> Element:
    file = htpy.input(
        type="file", accept=".csv,text/csv", data_kind="text", name="text", aria_label="Submissions from the platform"
    )
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["Submissions from the platform"]],
        htpy.p(class_="cc-part-hint")[PLATFORM_FILE],
        act_form(
            "campaign/submissions",
            {"campaign": campaign},
            [
                file,
                htpy.button(type="submit", class_="cc-button")["Read the file"],
                htpy.p(class_="cc-act-said", role="alert"),
            ],
            data_files="",
        ),
    ]
