"""A campaign's pay: everybody's outcome, decision and amounts, and the files that a crowd platform's payment is made from."""

from __future__ import annotations

import base64
from collections import Counter
from html import escape
from pathlib import Path
from typing import Final

from concord.campaigns import payment
from concord.campaigns.payment import PaidPerson, Payroll
from concord.common import wording
from data.campaigns.settings import Campaign
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.tables import HtmlCell, Line, html, html_table, note, small

_HEADERS: Final = (
    "person",
    HtmlCell("left as", note="Who has answered nothing for a reservation’s time counts as left.", number=False),
    HtmlCell("decision", note="For the platform; “return”: not approved, what was done is paid by a bonus.", number=False),
    HtmlCell("items", note="All that they answered, checks and training too."),
    HtmlCell("active time"),
    HtmlCell("pay", note="In all; beneath: base pay by approval, and bonus."),
    HtmlCell("fee"),
    HtmlCell("an hour", note="Real pay by the hour of active time."),
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


def pay_table(store: Store, campaign: Campaign) -> str:
    """What everybody gets, the sums first."""
    roll = payment.payroll(store, campaign)
    if not roll.people and not roll.erased:
        return note(NOBODY)
    return _lead(roll, campaign) + _table(roll) + _downloads(roll, campaign.campaign_id, bonuses=False)


def matched(store: Store, campaign_id: str, path: str | None) -> str:
    """The files with people's own ids, which a platform's file of submissions brings and nothing here keeps."""
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
    return note(text, "" if n else "cc-bad") + (_downloads(roll, campaign_id, bonuses=True) if n else "")


def _lead(roll: Payroll, campaign: Campaign) -> str:
    settings = campaign.settings
    if not settings.pay.paid:
        return note(FREE, "cc-lead")
    text = f"{payment.describe_pay(roll)}."
    if settings.pay.budget is not None:
        text += f" {roll.cost:,} of the budget of {settings.pay.budget:,} {roll.currency}".rstrip() + " are spent."
    if settings.target_wage:
        text += f" The target is {settings.target_wage} an hour."
    return note(text, "cc-lead")


def _table(roll: Payroll) -> str:
    decided = Counter(person.payout.decision for person in roll.people)
    decisions = ", ".join(f"{n:,} {decision}" for decision, n in decided.items())
    caption = f"{wording.count(len(roll.people), 'person')}: {decisions}"
    hourly = HtmlCell("", "") if roll.hourly is None else HtmlCell(f"{roll.hourly:,}", "median")
    total = Line(["all", "", "", "", "", HtmlCell(f"{roll.pay:,}"), HtmlCell(f"{roll.fees:,}"), hourly], "cc-total")
    erased = [
        Line([NOBODY_LEFT, _OUTCOMES[line.outcome], line.decision, f"{line.items:,}", "–", f"{line.base + line.bonus:,}"])
        for line in roll.erased
    ]
    return html_table(caption, _HEADERS, [*(Line(_row(person)) for person in roll.people), *erased, total], "cc-pay")


def _row(person: PaidPerson) -> list[str | HtmlCell]:
    work, payout = person.work, person.payout
    decision = f'<span class="cc-badge {_BADGES.get(payout.decision, "")}">{escape(payout.decision)}</span>'
    return [
        html(escape(work.person)),
        html(escape(_OUTCOMES[person.outcome]) + small(f"code {work.code}" if work.code else "no code shown")),
        html(decision + small("; ".join(person.reasons))),
        HtmlCell(f"{work.items:,}"),
        HtmlCell("–" if work.seconds is None else wording.duration(work.seconds)),
        HtmlCell(f"{payout.pay:,}", f"{payout.base:,} + {payout.bonus:,}" if payout.base else ""),
        HtmlCell(f"{payout.fee:,}"),
        HtmlCell("–" if person.hourly is None else f"{person.hourly:,}"),
    ]


def _downloads(roll: Payroll, campaign_id: str, *, bonuses: bool) -> str:
    """The files; bonuses go by people's own ids, which only the platform's file brings."""
    links = [_link(f"{campaign_id}-pay.csv", payment.payment_file(roll), "Decisions and pay (CSV)")]
    if bonuses:
        links.append(_link(f"{campaign_id}-bonuses.csv", payment.bonus_lines(roll), "Bonuses (id,amount)"))
    return f'<p class="cc-downloads">Download {" · ".join(links)}</p>'


def _link(name: str, text: str, label: str) -> str:
    content = base64.b64encode(text.encode()).decode()
    return f'<a download="{escape(name)}" href="data:text/csv;charset=utf-8;base64,{content}">{escape(label)}</a>'
