"""Settings of campaigns: who is asked what, by which rules, for how long and for how much."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated, Any, Final, Literal, get_args

from data.campaigns.checks import ATTENTION_PASS_MARK, GOLD_PASS_MARK
from data.campaigns.payment import PayTerms, amount
from data.files import quoted
from data.requests import Request, Setting

DEFAULT: Final = "default"
"""The campaign in which everybody labels who has come to no other: all images that have a file."""
DEFAULT_OVERLAP: Final = 3
State = Literal["draft", "running", "stopped", "archived"]
Role = Literal["ordinary", "gold", "attention", "training"]
DrawMethod = Literal["random", "weighted"]
Sampling = Literal["random", "weighted", "selected"]
Order = Literal["random", "shared", "fixed"]
NothingLeft = Literal["completion", "items"]
SurplusReason = Literal["full", "again", "revoked", "withdrawn", "skipped", "reported", "not given", "limit", "budget"]
"""Why an answer does not count: enough people had answered, or this person had; they were revoked, or took their answers back;
they had skipped or reported the item, or were never given it; it was beyond their limit, or beyond the budget."""
UNEARNED: Final[frozenset[SurplusReason]] = frozenset(("skipped", "reported", "not given", "limit", "budget"))
"""Reasons of answers that nobody asked this person for: they are stored, and neither count nor are paid."""
ROLES: tuple[Role, ...] = get_args(Role)
MOVES: Mapping[State, tuple[State, ...]] = {
    "draft": ("running", "archived"),
    "running": ("stopped", "archived"),
    "stopped": ("running", "archived"),
    "archived": ("stopped",),
}
"""Which states may follow which."""
OUTCOMES = ("completion", "stopped", "training", "paused", "quota", "declined")
"""How somebody leaves; each has a code in the settings."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def check_campaign_id(text: str) -> None:
    """Check the id of a campaign.

    Raises:
        ValueError: it is not allowed.
    """
    if not _NAME.fullmatch(text):
        raise ValueError(f"a campaign's id has lower-case letters, digits, - and _ (64 at most), got {text!r}")


def _check_address(text: str) -> None:
    if not re.fullmatch(r"(https?://\S+)?", text):
        raise ValueError(f"an http address expected, got {quoted(text)}")


def _check_currency(text: str) -> None:
    if not re.fullmatch(r"[^\W\d_]{0,3}|[$€£¥]", text):
        raise ValueError(f"three letters, such as GBP, expected, got {quoted(text)}")


def moment(text: str) -> datetime | None:
    """Return the moment that a text names, in UTC if it names no zone; None if it is empty.

    Raises:
        ValueError: it is no moment.
    """
    if not text:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"a moment such as 2027-01-31 18:00 expected, got {quoted(text)}") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


_NO_CODE: Final = "empty: no code, but a contact"
_PAUSE: Final = "people below it are paused; 0: nobody"


@dataclass(frozen=True, slots=True)
class Settings(Request):
    """How a campaign is worked on; the texts are Markdown. A campaign's file, options, forms and docs have these fields."""

    order: Annotated[
        Order,
        Setting(
            "Order of items; random: a different order for each person.",
            details="`shared`: all have one random order, so that answers meet; `fixed`: all have the list's.",
            section="order",
            label="Order",
            hint="of the images",
            titles={
                "random": "random, each person their own",
                "shared": "random, the same for all",
                "fixed": "as listed, by id",
            },
        ),
    ] = "random"
    instructions: Annotated[
        str, Setting("Markdown, shown before the first item and with `?`.", section="texts", label="Instructions", lines=3)
    ] = ""
    consent: Annotated[
        str,
        Setting(
            "Markdown file whose text people must agree to before the first item.",
            details="They agree again when it changes.",
            file="consent_file",
            flags="--consent",
            section="texts",
            label="Consent text, shown before the first image",
            lines=3,
        ),
    ] = ""
    content_warning: Annotated[
        str, Setting("Markdown, shown before the first item.", section="texts", label="Content warning", lines=3)
    ] = ""
    check_every: Annotated[
        int | None,
        Setting(
            "One in this many items is a gold or attention item.",
            details="The first six come twice as often. None: they are not mixed in.",
            minimum=2,
            section="checks",
            label="One check in",
            hint="10: one of ten is gold or attention; 0: none",
        ),
    ] = None
    gold_feedback: Annotated[
        bool,
        Setting(
            "Show people right away whether their answer to a gold item is correct.",
            details="Never of attention checks.",
            section="checks",
            label="Show at once whether a gold answer was correct",
        ),
    ] = False
    training_feedback: Annotated[
        bool,
        Setting("The same for training items.", section="checks", label="Show at once whether a training answer was correct"),
    ] = True
    pass_mark: Annotated[
        float | None,
        Setting(
            "Share of training items that must be correct to pass, such as 0.8.",
            details="None: answering is enough.",
            above=0,
            maximum=1,
            section="checks",
            label="Pass mark",
            hint="share of training to get right; 0: none",
            step=0.05,
        ),
    ] = None
    gold_pass_mark: Annotated[
        float,
        Setting(
            "Pause people whose share of correct gold items, corrected for chance, is below this (0: never).",
            details="It is the least that somebody honest gets right.",
            minimum=0,
            maximum=1,
            section="marks",
            label="Pass mark of gold",
            hint=_PAUSE,
            step=0.01,
        ),
    ] = GOLD_PASS_MARK
    attention_pass_mark: Annotated[
        float,
        Setting(
            "The same for attention checks.",
            minimum=0,
            maximum=1,
            section="marks",
            label="Pass mark of attention checks",
            hint=_PAUSE,
            step=0.01,
        ),
    ] = ATTENTION_PASS_MARK
    recollect: Annotated[
        bool,
        Setting(
            "Give the items of paused people to others.",
            details="Their answers stop counting, and are not paid.",
            section="checks",
            label="Give images of paused people to others; their answers stop counting and are not paid",
        ),
    ] = False
    limit: Annotated[
        int | None,
        Setting(
            "Maximum number of items per person, without training.",
            details="Answers beyond it are stored and do not count.",
            minimum=1,
            section="limits",
            label="Images for one person",
            hint="0: no limit",
        ),
    ] = None
    reports_needed: Annotated[
        int,
        Setting(
            "People who report an image before nobody is offered it.",
            details="They report from different networks.",
            minimum=1,
            section="limits",
            label="Reports that hide an image",
            hint="people from different networks",
        ),
    ] = 2
    nothing_left: Annotated[
        NothingLeft,
        Setting(
            "Pay of people who find nothing left because others hold the last items; completion: as at the end; items: what"
            " theirs are worth.",
            details="`completion` comes with base pay and the completion code, `items` with the quota code. Who has answered"
            " nothing gets the quota code.",
            section="pay_more",
            label="If others hold the last images",
            hint="what somebody with answers is paid who finds nothing left",
            titles={"completion": "as at the end, base pay too", "items": "what their answers are worth"},
        ),
    ] = "completion"
    withdrawal: Annotated[
        bool,
        Setting(
            "Let people withdraw their own answers.",
            details="These stop counting, and others get the items.",
            section="limits",
            label="People may withdraw their own answers",
        ),
    ] = False
    lease_minutes: Annotated[
        float,
        Setting(
            "Minutes for which an item stays reserved.",
            unit="minutes",
            above=0,
            maximum=7 * 24 * 60,
            section="limits",
            label="Reservation time",
            hint="of an image for a person",
            step=1,
        ),
    ] = 30.0
    completion_code: Annotated[
        str,
        Setting("Code shown to people who finish.", section="codes", label="Completion code", hint="shown only at the end"),
    ] = ""
    completion_url: Annotated[
        str,
        Setting(
            "Link for people who finish, such as a crowd platform.",
            details="Where it has the completion code in it and another is shown, it has that one.",
            check=_check_address,
            section="codes",
            label="Completion address",
            hint="https://…, opened at the end",
        ),
    ] = ""
    stopped_code: Annotated[
        str,
        Setting(
            "Code for people who stop early; without it they see whom to contact.",
            section="codes",
            label="Code: stopped early",
            hint=_NO_CODE,
        ),
    ] = ""
    training_code: Annotated[
        str,
        Setting(
            "Code for people who fail the training; otherwise the same.",
            section="codes",
            label="Code: failed training",
            hint=_NO_CODE,
        ),
    ] = ""
    paused_code: Annotated[
        str,
        Setting(
            "Code for people who are paused or revoked; otherwise the same.",
            details="They get the completion code only if it is written here.",
            section="codes",
            label="Code: paused",
            hint=_NO_CODE,
        ),
    ] = ""
    quota_code: Annotated[
        str,
        Setting(
            "Code for people who come when no item is left; otherwise the same.",
            details="In a full and in a stopped campaign.",
            section="codes",
            label="Code: no image left",
            hint=_NO_CODE,
        ),
    ] = ""
    declined_code: Annotated[
        str,
        Setting("Code for people who do not consent; default: none.", section="codes", label="Code: no consent", hint=_NO_CODE),
    ] = ""
    closes: Annotated[
        str,
        Setting(
            "When to stop offering items, such as '2027-01-31 18:00' (UTC).",
            details="Empty: never by itself.",
            check=moment,
            section="limits",
            label="Closes",
            hint="2027-01-31 18:00 (UTC), or …+01:00; empty: never",
        ),
    ] = ""
    currency: Annotated[
        str,
        Setting(
            "Currency of all amounts, such as GBP.", check=_check_currency, section="pay", label="Currency", hint="such as GBP"
        ),
    ] = ""
    item_price: Annotated[
        str,
        Setting(
            "Pay for one answered item, checks included, such as 0.08.",
            details="Training is paid, too.",
            numeric=True,
            check=amount,
            section="pay",
            label="Price of an answer",
            hint="checks and training too, such as 0.08",
        ),
    ] = ""
    base_pay: Annotated[
        str,
        Setting(
            "What the platform pays on approval; items worth more are paid as a bonus.",
            numeric=True,
            check=amount,
            section="pay",
            label="Base pay",
            hint="paid by the platform on approval; the rest is a bonus",
        ),
    ] = ""
    target_wage: Annotated[
        str,
        Setting(
            "Pay per hour that you aim at.",
            details="Beside it stands what people really got.",
            numeric=True,
            check=amount,
            section="pay",
            label="Target wage",
            hint="an hour; the preview says the price for it",
        ),
    ] = ""
    platform_fee: Annotated[
        float,
        Setting(
            "The platform's share on top of pay, such as 0.33.",
            minimum=0,
            maximum=2,
            section="pay_more",
            label="Platform’s fee",
            hint="share on top of pay, such as 0.33",
            step=0.01,
        ),
    ] = 0.0
    budget: Annotated[
        str,
        Setting(
            "Maximum for pay and fees: no item is offered that could exceed it.",
            details="A late answer that would is stored unpaid. Empty: no cap.",
            numeric=True,
            check=amount,
            section="pay_more",
            label="Budget",
            hint="most for pay and fees; empty: no cap",
        ),
    ] = ""
    pay_told: Annotated[
        bool,
        Setting(
            "Say in the form what is paid.",
            details="Before the first image and at the end.",
            section="pay",
            label="Say in the form what is paid",
            hint="before the first image and at the end",
        ),
    ] = True

    def __post_init__(self) -> None:
        Request.__post_init__(self)
        if amount(self.budget) and not self.pay.paid:
            raise ValueError("budget needs item_price or base_pay: without a price nothing is spent")

    @property
    def pay(self) -> PayTerms:
        """What is paid."""
        fee, budget = Decimal(repr(self.platform_fee)), amount(self.budget)
        return PayTerms(amount(self.item_price), amount(self.base_pay), fee, budget or None)

    @property
    def closing(self) -> datetime | None:
        """The moment of closing; None: there is none."""
        return moment(self.closes)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Settings:
        """From stored JSON; names of a later Concord are left out. What was made before pauses nobody and tells no pay."""
        known = {setting.name for setting in fields(cls)}
        before = {"gold_pass_mark": 0.0, "attention_pass_mark": 0.0, "pay_told": False}
        return cls(**before | {name: value for name, value in stored.items() if name in known})

    def to_json(self) -> dict[str, Any]:
        """The settings by name."""
        return asdict(self)


def _check_seed(seed: int) -> None:
    if not -(2**63) <= seed < 2**63:
        raise ValueError(f"a whole number of 64 bits expected, got {seed}")


Overlap = Annotated[int, Setting("Annotators per item.", minimum=1, label="People for each", hint="valid answers wanted")]
Seed = Annotated[
    int, Setting("Random seed of sampling and order.", check=_check_seed, label="Seed", hint="of sampling and order")
]
Title = Annotated[str, Setting("Title shown above the form; default: the id.", label="Title", hint="for people")]


@dataclass(frozen=True, slots=True)
class Campaign(Request):
    """Items × questionnaire × how many people each.

    Attributes:
        campaign_id: lower-case letters, digits, ``-`` and ``_``.
        questionnaire, version: which questions are asked; ``definition`` is the text of one that a user wrote.
        overlap: how many people are to answer each ordinary item.
        stratum: whether statistics count only the items drawn with the same chance (because some are drawn by chance).
        stamp: of a stored campaign, what tells its list of items from any other that it has had.
    """

    campaign_id: str
    title: Title
    questionnaire: str = "geneval"
    overlap: Overlap = 3
    version: str | None = None
    definition: str | None = None
    seed: Seed = 0
    state: State = "draft"
    settings: Settings = field(default_factory=Settings)
    stratum: bool = False
    stamp: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_campaign_id(self.campaign_id)
        Request.__post_init__(self)

    def to_json(self) -> dict[str, Any]:
        """All but the stamp by name."""
        return {name: value for name, value in asdict(self).items() if name != "stamp"}


def id_of_title(title: str) -> str:
    """A campaign's id from its title: ``Cows & benches, été`` is ``cows-benches-ete``; empty where no letter is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:60].strip("-")
