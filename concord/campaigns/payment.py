"""Payment: what everybody in a campaign is paid, by outcome; the file that a crowd platform's payment is made from."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from statistics import median
from typing import Final, cast

from annotation.flags import CONVICTING
from concord.campaigns.annotators import annotators_of
from concord.common.table import texts
from concord.common.text_tables import csv_text
from concord.people import PARAMETERS
from data.campaigns.checks import fails_checks
from data.campaigns.payment import (
    DECISIONS,
    FEWEST_PAID,
    Outcome,
    PaidWork,
    Payout,
    SettledDecision,
    amount,
    decide,
    price_for_wage,
    to_cents,
)
from data.campaigns.settings import Campaign, Settings
from data.files import InputError
from data.people import platform_pseudonym
from data.store.campaigns import departures, management, monitoring
from data.store.campaigns.departures import LedgerLine, Participation, Settlement
from data.store.core.store import Store
from data.store.erased import NOBODY


@dataclass(frozen=True, slots=True)
class Submission:
    """A line of a platform's file: a person's own id, and those of their submission and its study; none of them is stored."""

    identifier: str
    session: str = ""
    study: str = ""


@dataclass(frozen=True, slots=True)
class PaidPerson:
    """One person's pay, and the reasons for it.

    Attributes:
        items: that are paid, of all that they answered.
        submission: what the platform knows them by, where its file was given.
        reasons: why a look is needed before they are paid.
        settled: whether a manager has decided.
    """

    work: Participation
    items: int
    outcome: Outcome
    payout: Payout
    submission: Submission | None = None
    reasons: tuple[str, ...] = ()
    settled: bool = False

    @property
    def hourly(self) -> Decimal | None:
        """Real pay by the hour of active time; None without pay or time."""
        return _hourly(self.payout, self.work)


def _hourly(payout: Payout, work: Participation) -> Decimal | None:
    if not payout.pay or not work.seconds:
        return None
    return to_cents(payout.pay * 3600 / Decimal(repr(work.seconds)))


@dataclass(frozen=True, slots=True)
class Payroll:
    """Everybody's pay, and what it adds up to.

    Attributes:
        unknown: ids of the platform's file under which nobody came here.
        erased: what people earned who were erased since; nothing says who they were.
    """

    currency: str
    people: tuple[PaidPerson, ...]
    unknown: tuple[str, ...] = ()
    erased: tuple[LedgerLine, ...] = ()

    @property
    def pay(self) -> Decimal:
        erased = sum((line.base + line.bonus for line in self.erased), Decimal("0.00"))
        return sum((person.payout.pay for person in self.people), erased)

    @property
    def fees(self) -> Decimal:
        erased = sum((line.fee for line in self.erased), Decimal("0.00"))
        return sum((person.payout.fee for person in self.people), erased)

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
    submissions = _submissions(store, platform_file)
    people = [
        replace(person, submission=submissions.get(person.work.person)) for person in _paid_people(store, campaign, moment)
    ]
    matched = {person.submission.identifier for person in people if person.submission is not None}
    unknown = dict.fromkeys(
        submission.identifier for submission in submissions.values() if submission.identifier not in matched
    )
    erased = tuple(departures.ledger(store, campaign.campaign_id))
    return Payroll(campaign.settings.currency, tuple(people), tuple(unknown), erased)


def _paid_people(store: Store, campaign: Campaign, now: datetime) -> list[PaidPerson]:
    settings = campaign.settings
    terms, lease = settings.pay, timedelta(minutes=settings.lease_minutes)
    works = departures.participations(store, campaign.campaign_id, now)
    convicting = {
        person.worker.person: [flag.sentence for flag in person.flags if flag.kind in CONVICTING]
        for person in annotators_of(store, campaign, None, intervals=False)
    }
    settled = departures.settlements(store, campaign.campaign_id)
    # what people get if nothing speaks against it: their median says what is impossible
    outcomes = {work.person: _outcome(work, now, lease) for work in works}
    plain = {work.person: terms.payout(outcomes[work.person], work.items) for work in works}
    by_hour = {work.person: pay for work in works if (pay := _hourly(plain[work.person], work)) is not None}
    target = amount(settings.target_wage)
    usual = target or (to_cents(median(by_hour.values())) if len(by_hour) >= FEWEST_PAID else None)
    people = []
    for work in works:
        outcome = outcomes[work.person]
        paid = PaidWork(
            outcome,
            work.items,
            work.counted,
            work.uncounted,
            work.paused and fails_checks(work.attention_right, work.attention, settings.attention_pass_mark),
            by_hour.get(work.person),
            usual,
            work.untimed,
            convicting.get(work.person, ()),
        )
        decision, reasons = decide(paid) if terms.paid else (DECISIONS[outcome], ())
        payout = terms.payout(outcome, paid.paid_items, decision)
        if (settlement := settled.get(work.person)) is not None:
            payout, reasons = _settled(terms.payout(outcome, paid.paid_items, settlement.decision), settlement), ()
        people.append(PaidPerson(work, paid.paid_items, outcome, payout, reasons=reasons, settled=settlement is not None))
    return people


def _settled(now: Payout, before: Settlement) -> Payout:
    """Return a payout as a manager has decided; what was paid then is not taken back."""
    if before.decision == "reject" or now.pay >= before.base + before.bonus:
        return now
    return Payout(before.decision, before.base, before.bonus, before.fee)


def settle(store: Store, campaign: Campaign, name: str, decision: SettledDecision, by: str) -> PaidPerson:
    """Write a manager's decision about somebody's pay down, with what it comes to; returns their pay from now on.

    Raises:
        ValueError: they never came, still work, or may not be rejected.
    """
    found = {person.work.person: person for person in payroll(store, campaign).people}.get(name)
    if found is None:
        raise ValueError(f"nobody called {name!r} came to campaign {campaign.campaign_id!r}; `campaigns pay` lists everybody")
    if found.outcome == "working":
        raise ValueError(f"{name!r} still works in campaign {campaign.campaign_id!r}; decide when they have left")
    work, mark = found.work, campaign.settings.attention_pass_mark
    if decision == "reject" and (
        work.counted or not work.paused or not fails_checks(work.attention_right, work.attention, mark)
    ):
        raise ValueError(
            f"{name!r} cannot be rejected: only people are whom the campaign paused for failing checks declared as attention"
            " checks, and none of whose answers count; decide return, or revoke them with --uncounted first"
        )
    payout = campaign.settings.pay.payout(found.outcome, found.items, decision)
    moment = datetime.now(UTC)
    settlement = Settlement(name, decision, payout.base, payout.bonus, payout.fee, by, moment)
    departures.settle(store, campaign.campaign_id, settlement)
    return replace(found, payout=payout, reasons=(), settled=True)


@dataclass(frozen=True, slots=True)
class Debt:
    """The debt to one person in one campaign."""

    campaign: str
    currency: str
    paid: PaidPerson

    @property
    def line(self) -> LedgerLine:
        """The debt without the person."""
        payout = self.paid.payout
        decision = "return" if payout.decision == "wait" else payout.decision
        amounts = (payout.base, payout.bonus, payout.fee)
        return LedgerLine(self.campaign, self.paid.outcome, decision, self.paid.work.items, *amounts)


def debts(store: Store, name: str) -> list[Debt]:
    """Return what somebody is owed, by campaign; campaigns in which they get nothing are left out."""
    return [
        Debt(campaign.campaign_id, roll.currency, person)
        for campaign in management.listed(store)
        if campaign.settings.pay.paid
        for roll in [payroll(store, campaign)]
        for person in roll.people
        if person.work.person == name and person.payout.pay
    ]


def _outcome(work: Participation, now: datetime, lease: timedelta) -> Outcome:
    """Return how somebody left: who reached the end has, as long as they answer no more and their answers stay."""
    recorded = work.outcome if work.departed is not None and (work.last is None or work.last <= work.departed) else None
    if work.withdrawn:
        return "withdrawn"
    if work.out and (work.uncounted or recorded != "completion"):
        return "paused"
    if recorded is not None:
        return cast(Outcome, recorded)
    seen = [moment for moment in (work.last, work.back) if moment is not None]
    return "working" if work.held or (seen and now - max(seen) < lease) else "left"


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
    "person", "platform", "participant_id", "study_id", "session_id", "outcome", "code", "decision", "reasons", "items",
    "active_minutes", "base_pay", "bonus", "pay", "fee", "cost", "pay_per_hour", "currency",
)  # fmt: skip


def payment_file(roll: Payroll) -> str:
    """Everybody's decision and amounts, as CSV: the amounts add up to those of the payroll, to the cent."""
    rows = []
    for person in roll.people:
        work, payout, sent = person.work, person.payout, person.submission or Submission("")
        minutes = "" if work.seconds is None else f"{work.seconds / 60:z.1f}"
        ids = (work.person, work.platform, sent.identifier, sent.study, sent.session)
        work_cells = (person.outcome, work.code, payout.decision, "; ".join(person.reasons), work.items, minutes)
        money = (payout.base, payout.bonus, payout.pay, payout.fee, payout.cost, person.hourly)
        rows.append((*ids, *work_cells, *money, roll.currency))
    for line in roll.erased:
        work_cells = (line.outcome, "", line.decision, "", line.items, "")
        money = (line.base, line.bonus, line.base + line.bonus, line.fee, line.base + line.bonus + line.fee, None)
        rows.append((NOBODY, "", "", "", "", *work_cells, *money, roll.currency))
    amounts = (["" if value is None else str(value) for value in row] for row in rows)
    return csv_text(texts("Pay", COLUMNS, amounts))


def bonus_lines(roll: Payroll) -> str:
    """``id,amount`` of everybody with a bonus who needs no look first and has left: for Prolific's bulk bonus payment."""
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
