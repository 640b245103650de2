"""A campaign's pay: everybody's outcome, decision and amounts, and the files that a crowd platform's payment is made from."""

from __future__ import annotations

import base64
from collections import Counter
from pathlib import Path
from typing import Final

import htpy
from htpy import Element, Node

from concord.campaigns import payment
from concord.campaigns.payment import PaidPerson, Payroll
from concord.common import wording
from concord.common.table import Cell, Column, TableRow
from data.campaigns.settings import Campaign
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.tables import joined, note, plain_table, table_element, table_row, with_details

_HEADERS: Final = (
    Column("person"),
    Column("left as", "Who has answered nothing for a reservation’s time counts as left."),
    Column("decision", "For the platform; “return”: not approved, what was done is paid by a bonus."),
    Column("items", "All that they answered, checks and training too.", number=True),
    Column("active time", number=True),
    Column("pay", "In all; beneath: base pay by approval, and bonus.", number=True),
    Column("fee", number=True),
    Column("an hour", "Real pay by the hour of active time.", number=True),
)
_OUTCOMES: Final = {
    "completion": "reached the end",
    "stopped": "stopped early",
    "training": "failed the training",
    "paused": "paused or revoked",
    "quota": "no item left",
    "left": "left without a word",
    "working": "at work",
    "withdrawn": "withdrew their answers",
}
_BADGES: Final = {"look first": "cc-badge--warn", "reject": "cc-badge--bad", "return": "cc-badge--warn"}
NOBODY_LEFT: Final = "(erased)"
NOBODY: Final = "Nobody has come to this campaign yet."
FREE: Final = "Nothing is paid: set a price of an item, or a base pay, under Settings."
PLATFORM_FILE: Final = (
    "People are paid by the platform’s own ids, which are not stored here. Export the submissions from the platform (Prolific:"
    " Download data; MTurk: batch results) and drop the file here: its ids then stand beside the pseudonyms."
)
_MOST: Final = 20_000_000
"""Bytes of a platform's file."""


def pay_table(store: Store, campaign: Campaign) -> Node:
    """Return what everybody gets, the sums first."""
    roll = payment.payroll(store, campaign)
    if not roll.people and not roll.erased:
        return note(NOBODY)
    return [_lead(roll, campaign), _table(roll), _downloads(roll, campaign.campaign_id, bonuses=False)]


def matched(store: Store, campaign_id: str, path: str | None) -> Node:
    """Return the files with people's own ids, which a platform's file of submissions brings and nothing here keeps."""
    campaign = management.get(store, campaign_id) if campaign_id else None
    if campaign is None or not path:
        return ""
    content = Path(path).read_bytes()
    if len(content) > _MOST:
        return note(f"The file has {len(content):,} bytes; at most {_MOST:,} are read.", "cc-bad")
    try:
        roll = payment.payroll(store, campaign, content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return note("The file is not UTF-8.", "cc-bad")
    except ValueError as error:
        return note(wording.sentence(error), "cc-bad")
    n = sum(person.submission is not None for person in roll.people)
    text = f"{n:,} of {wording.count(len(roll.people), 'person')} here are in the file."
    if roll.unknown:
        text += f" {len(roll.unknown):,} in the file never came here, such as {roll.unknown[0]}."
    return [note(text, "" if n else "cc-bad"), _downloads(roll, campaign_id, bonuses=True) if n else ""]


def _lead(roll: Payroll, campaign: Campaign) -> Element:
    settings = campaign.settings
    if not settings.pay.paid:
        return note(FREE, "cc-lead")
    text = f"{payment.describe_pay(roll)}."
    if settings.pay.budget is not None:
        text += f" {roll.cost:,} of the budget of {settings.pay.budget:,} {roll.currency}".rstrip() + " are spent."
    if settings.target_wage:
        text += f" The target is {settings.target_wage} an hour."
    return note(text, "cc-lead")


def _table(roll: Payroll) -> Element:
    decided = Counter(person.payout.decision for person in roll.people)
    decisions = ", ".join(f"{n:,} {decision}" for decision, n in decided.items())
    caption = f"{wording.count(len(roll.people), 'person')}: {decisions}"
    hourly = Cell("") if roll.hourly is None else Cell(f"{roll.hourly:,}", ("median",))
    total = table_row("all", "", "", "", "", f"{roll.pay:,}", f"{roll.fees:,}", hourly, kind="cc-total")
    erased = [
        table_row(
            NOBODY_LEFT, _OUTCOMES[line.outcome], line.decision, f"{line.items:,}", "–", f"{line.base + line.bonus:,}", "", ""
        )
        for line in roll.erased
    ]
    table = plain_table(caption, _HEADERS, [*map(_row, roll.people), *erased, total])
    return table_element(table, "cc-pay")


def _row(person: PaidPerson) -> TableRow:
    work, payout = person.work, person.payout
    badge = htpy.span(class_=["cc-badge", _BADGES.get(payout.decision)])[payout.decision]
    return table_row(
        work.person,
        Cell(_OUTCOMES[person.outcome], (f"code {work.code}" if work.code else "no code shown",)),
        with_details(Cell(payout.decision, content=badge), "; ".join(person.reasons)),
        f"{work.items:,}",
        "–" if work.seconds is None else wording.duration(work.seconds),
        Cell(f"{payout.pay:,}", (f"{payout.base:,} + {payout.bonus:,}",) if payout.base else ()),
        f"{payout.fee:,}",
        "–" if person.hourly is None else f"{person.hourly:,}",
    )


def _downloads(roll: Payroll, campaign_id: str, *, bonuses: bool) -> Element:
    """The files; bonuses go by people's own ids, which only the platform's file brings."""
    links = [_link(f"{campaign_id}-pay.csv", payment.payment_file(roll), "Decisions and pay (CSV)")]
    if bonuses:
        links.append(_link(f"{campaign_id}-bonuses.csv", payment.bonus_lines(roll), "Bonuses (id,amount)"))
    return htpy.p(class_="cc-downloads")["Download ", joined(links)]


def _link(name: str, text: str, label: str) -> Element:
    content = base64.b64encode(text.encode()).decode()
    return htpy.a(download=name, href=f"data:text/csv;charset=utf-8;base64,{content}")[label]
