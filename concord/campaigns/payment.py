"""Payment: what everybody in a campaign is paid, by outcome; the file that a crowd platform's payment is made from."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Final, cast

from concord.people import PARAMETERS
from data.campaign import Campaign, Settings
from data.files import InputError
from data.payment import Outcome, Payout, amount, price_for_wage, to_cents
from data.people import platform_pseudonym
from data.store.campaigns import departures, monitoring
from data.store.campaigns.departures import Participation
from data.store.core.store import Store
from data.tables import escape_formula


@dataclass(frozen=True, slots=True)
class Submission:
    """A line of a platform's file: a person's own id, and those of their submission and its study; none of them is stored."""

    identifier: str
    session: str = ""
    study: str = ""


@dataclass(frozen=True, slots=True)
class PaidPerson:
    """What one person gets; ``submission`` is what the platform knows them by, where its file was given."""

    work: Participation
    outcome: Outcome
    payout: Payout
    submission: Submission | None = None

    @property
    def hourly(self) -> Decimal | None:
        """Real pay by the hour of active time; None without pay or time."""
        if not self.payout.pay or not self.work.seconds:
            return None
        return to_cents(self.payout.pay * 3600 / Decimal(repr(self.work.seconds)))


@dataclass(frozen=True, slots=True)
class Payroll:
    """Everybody's pay, and what it adds up to.

    Attributes:
        unknown: ids of the platform's file under which nobody came here.
    """

    currency: str
    people: tuple[PaidPerson, ...]
    unknown: tuple[str, ...] = ()

    @property
    def pay(self) -> Decimal:
        return sum((one.payout.pay for one in self.people), Decimal("0.00"))

    @property
    def fees(self) -> Decimal:
        return sum((one.payout.fee for one in self.people), Decimal("0.00"))

    @property
    def cost(self) -> Decimal:
        return self.pay + self.fees

    @property
    def hourly(self) -> Decimal | None:
        """The median of real pay by the hour, of those that have one; None for nobody."""
        known = [one.hourly for one in self.people if one.hourly is not None]
        return to_cents(median(known)) if known else None


def payroll(store: Store, campaign: Campaign, platform_file: str = "", now: datetime | None = None) -> Payroll:
    """What everybody gets as things stand.

    ``platform_file`` is the text of the CSV file of submissions that a crowd platform exports; its ids, which are not stored
    here, then stand beside the pseudonyms.

    Raises:
        InputError: the file has no column with people's ids.
    """
    moment = now or datetime.now(UTC)
    terms, lease = campaign.settings.pay, timedelta(minutes=campaign.settings.lease_minutes)
    submissions = _submissions(store, platform_file)
    people = []
    for one in departures.participations(store, campaign.campaign_id, moment):
        outcome = _outcome(one, moment, lease)
        people.append(PaidPerson(one, outcome, terms.payout(outcome, one.items), submissions.get(one.person)))
    matched = {one.submission.identifier for one in people if one.submission is not None}
    unknown = dict.fromkeys(one.identifier for one in submissions.values() if one.identifier not in matched)
    return Payroll(campaign.settings.currency, tuple(people), tuple(unknown))


def _outcome(one: Participation, now: datetime, lease: timedelta) -> Outcome:
    if one.out:
        return "paused"
    if one.outcome is not None and one.departed is not None and (one.last is None or one.last <= one.departed):
        return cast(Outcome, one.outcome)
    return "working" if one.held or (one.last is not None and now - one.last < lease) else "left"


_PERSON: Final = ("participantid", "prolificpid", "workerid", "participant")
_STUDY: Final = ("studyid", "hitid")
_SESSION: Final = ("submissionid", "sessionid", "assignmentid")


def _submissions(store: Store, text: str) -> dict[str, Submission]:
    """The lines of a platform's file by the pseudonyms that their ids may have here, one for each platform."""
    if not text.strip():
        return {}
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    names = {"".join(filter(str.isalnum, name)).lower(): name for name in reader.fieldnames or ()}
    person = next((names[one] for one in _PERSON if one in names), None)
    others = [next((names[one] for one in known if one in names), None) for known in (_SESSION, _STUDY)]
    if person is None:
        raise InputError("the platform's file needs a column with people's ids: Participant id (Prolific) or WorkerId (MTurk)")
    found: dict[str, Submission] = {}
    for row in reader:
        identifier = (row[person] or "").strip()
        for platform in PARAMETERS if identifier else ():
            pseudonym = platform_pseudonym(store.secret, platform, identifier)
            found[pseudonym] = Submission(identifier, *((row[name] or "").strip() if name else "" for name in others))
    return found


COLUMNS: Final = (
    "person", "platform", "participant_id", "study_id", "session_id", "outcome", "code", "decision", "items",
    "active_minutes", "base_pay", "bonus", "pay", "fee", "cost", "pay_per_hour", "currency",
)  # fmt: skip


def payment_file(roll: Payroll) -> str:
    """Everybody's decision and amounts, as CSV: the amounts add up to those of the payroll, to the cent."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in roll.people:
        work, payout, sent = one.work, one.payout, one.submission or Submission("")
        minutes = "" if work.seconds is None else f"{work.seconds / 60:.1f}"
        ids = (work.person, work.platform, sent.identifier, sent.study, sent.session)
        what = (one.outcome, work.code, payout.decision, work.items, minutes)
        money = (payout.base, payout.bonus, payout.pay, payout.fee, payout.cost, one.hourly)
        cells = (*ids, *what, *money, roll.currency)
        writer.writerow(["" if cell is None else escape_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def bonus_lines(roll: Payroll) -> str:
    """``id,amount`` of everybody with a bonus who is not to wait: what Prolific's bulk bonus payment takes."""
    due = [one for one in roll.people if one.payout.bonus and one.payout.decision in ("approve", "return")]
    return "".join(f"{one.submission.identifier},{one.payout.bonus}\n" for one in due if one.submission is not None)


def suggested_price(store: Store, settings: Settings, questionnaire: str) -> tuple[Decimal, int] | None:
    """The price of an item that comes to the target wage at the median time of an answer here, and of how many answers that is.

    None where there is no target, or nobody has answered.
    """
    wage, effort = amount(settings.target_wage), monitoring.effort(store, questionnaire)
    if not wage or not effort.seconds:
        return None
    return price_for_wage(wage, effort.seconds), effort.n


def describe_pay(roll: Payroll) -> str:
    """``12.30 GBP pay and 4.06 fees``, and what it came to by the hour."""
    money = f"{roll.pay:,} {roll.currency}".strip()
    hourly = describe_hourly(roll)
    return f"{money} pay, {roll.fees:,} fees" + (f"; {hourly}" if roll.hourly is not None else "")


def describe_hourly(roll: Payroll) -> str:
    """``10.01 GBP an hour (median, n = 4, 8.95 to 13.19)``."""
    known = sorted(one.hourly for one in roll.people if one.hourly is not None)
    if not known:
        return "nobody was paid for timed work"
    spread = f", {known[0]:,} to {known[-1]:,}" if len(known) > 1 else ""
    return f"{roll.hourly:,} {roll.currency}".rstrip() + f" an hour (median, n = {len(known):,}{spread})"
