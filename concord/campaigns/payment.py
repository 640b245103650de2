"""Payment: what everybody in a campaign is paid, by outcome; the file that a crowd platform's payment is made from."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Final, cast

from concord.common.text_tables import csv_text
from concord.people import PARAMETERS
from data.campaigns.payment import Outcome, Payout, amount, price_for_wage, to_cents
from data.campaigns.settings import Campaign, Settings
from data.files import InputError
from data.people import platform_pseudonym
from data.store.campaigns import departures, monitoring
from data.store.campaigns.departures import Participation
from data.store.core.store import Store


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
        return sum((person.payout.pay for person in self.people), Decimal("0.00"))

    @property
    def fees(self) -> Decimal:
        return sum((person.payout.fee for person in self.people), Decimal("0.00"))

    @property
    def cost(self) -> Decimal:
        return self.pay + self.fees

    @property
    def hourly(self) -> Decimal | None:
        """The median of real pay by the hour, of those that have one; None for nobody."""
        known = [person.hourly for person in self.people if person.hourly is not None]
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
    for participation in departures.participations(store, campaign.campaign_id, moment):
        outcome = _outcome(participation, moment, lease)
        people.append(
            PaidPerson(
                participation, outcome, terms.payout(outcome, participation.items), submissions.get(participation.person)
            )
        )
    matched = {person.submission.identifier for person in people if person.submission is not None}
    unknown = dict.fromkeys(
        submission.identifier for submission in submissions.values() if submission.identifier not in matched
    )
    return Payroll(campaign.settings.currency, tuple(people), tuple(unknown))


def _outcome(participation: Participation, now: datetime, lease: timedelta) -> Outcome:
    if participation.out:
        return "paused"
    if (
        participation.outcome is not None
        and participation.departed is not None
        and (participation.last is None or participation.last <= participation.departed)
    ):
        return cast(Outcome, participation.outcome)
    return "working" if participation.held or (participation.last is not None and now - participation.last < lease) else "left"


_PERSON: Final = ("participantid", "prolificpid", "workerid", "participant")
_STUDY: Final = ("studyid", "hitid")
_SESSION: Final = ("submissionid", "sessionid", "assignmentid")


def _submissions(store: Store, text: str) -> dict[str, Submission]:
    """The lines of a platform's file by the pseudonyms that their ids may have here, one for each platform."""
    if not text.strip():
        return {}
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    names = {"".join(filter(str.isalnum, name)).lower(): name for name in reader.fieldnames or ()}
    person = next((names[column] for column in _PERSON if column in names), None)
    others = [next((names[column] for column in known if column in names), None) for known in (_SESSION, _STUDY)]
    if person is None:
        raise InputError("the platform's file needs a column with people's ids: Participant id (Prolific) or WorkerId (MTurk)")
    by_person: dict[str, Submission] = {}
    for row in reader:
        identifier = (row[person] or "").strip()
        for platform in PARAMETERS if identifier else ():
            pseudonym = platform_pseudonym(store.secret, platform, identifier)
            by_person[pseudonym] = Submission(identifier, *((row[name] or "").strip() if name else "" for name in others))
    return by_person


COLUMNS: Final = (
    "person", "platform", "participant_id", "study_id", "session_id", "outcome", "code", "decision", "items",
    "active_minutes", "base_pay", "bonus", "pay", "fee", "cost", "pay_per_hour", "currency",
)  # fmt: skip


def payment_file(roll: Payroll) -> str:
    """Everybody's decision and amounts, as CSV: the amounts add up to those of the payroll, to the cent."""
    rows = []
    for person in roll.people:
        work, payout, sent = person.work, person.payout, person.submission or Submission("")
        minutes = "" if work.seconds is None else f"{work.seconds / 60:z.1f}"
        ids = (work.person, work.platform, sent.identifier, sent.study, sent.session)
        work_cells = (person.outcome, work.code, payout.decision, work.items, minutes)
        money = (payout.base, payout.bonus, payout.pay, payout.fee, payout.cost, person.hourly)
        rows.append((*ids, *work_cells, *money, roll.currency))
    return csv_text(COLUMNS, rows)


def bonus_lines(roll: Payroll) -> str:
    """``id,amount`` of everybody with a bonus who is not to wait: what Prolific's bulk bonus payment takes."""
    due = [person for person in roll.people if person.payout.bonus and person.payout.decision in ("approve", "return")]
    return "".join(f"{person.submission.identifier},{person.payout.bonus}\n" for person in due if person.submission is not None)


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
    known = sorted(person.hourly for person in roll.people if person.hourly is not None)
    if not known:
        return "nobody was paid for timed work"
    spread = f", {known[0]:,} to {known[-1]:,}" if len(known) > 1 else ""
    return f"{roll.hourly:,} {roll.currency}".rstrip() + f" an hour (median, n = {len(known):,}{spread})"
