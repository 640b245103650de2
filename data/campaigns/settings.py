"""Settings of campaigns: who is asked what, by which rules, for how long and for how much."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Literal, get_args

from data.campaigns.checks import ATTENTION_PASS_MARK, GOLD_PASS_MARK
from data.campaigns.payment import PayTerms, amount

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
AMOUNTS: Final = ("item_price", "base_pay", "target_wage", "budget")
"""Settings that are amounts of money."""
OUTCOMES = ("completion", "stopped", "training", "paused", "quota", "declined")
"""How somebody leaves; each has a code in the settings."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Settings:
    """How a campaign is worked on; the texts are Markdown.

    Attributes:
        order: ``random``: each person has a random order of their own; ``shared``: all have one random order, so that answers
            meet; ``fixed``: all have the list's.
        check_every: one item of so many is a gold or attention item, and the first six come twice as often; None: they are not
            mixed in.
        gold_feedback: whether a person learns at once if a gold item was answered rightly (never of attention checks).
        training_feedback: the same of training items.
        pass_mark: the share of the training items to answer rightly before ordinary ones come; None: answering is enough.
        gold_pass_mark: the share of gold items that somebody honest gets right, at least. Who is below it beyond chance is
            paused; 0: nobody is.
        attention_pass_mark: the same of attention checks.
        recollect: whether the answers of somebody who is paused stop counting, so that their items are asked of others.
        limit: how many items one person may answer, training aside; answers beyond it are stored and do not count.
        reports_needed: so many people from different networks report an item before nobody is offered it any more.
        nothing_left: what somebody is paid who finds nothing left because others hold the last items: ``completion``: as if
            they had reached the end, with base pay and the completion code; ``items``: what their items are worth, with the
            quota code. Who has answered nothing gets the quota code.
        withdrawal: whether people may withdraw their own answers: these stop counting, and others get the items.
        lease_minutes: minutes for which an image stays reserved for the person who opened it.
        completion_code: shown to whoever has reached the end, as crowd platforms ask for it.
        completion_url: where they may go then. Where it has the completion code in it and another is shown, it has that one.
        stopped_code: shown to whoever stops before the end. Empty, as for the next three: no code, and a sentence that what
            they have answered is recorded, and whom to write to about their payment.
        training_code: shown to whoever does not pass the training.
        paused_code: shown to whoever is paused or revoked. They get the completion code only if it is written here.
        quota_code: shown to whoever has answered nothing and finds nothing to do, in a full or a stopped campaign, too.
        declined_code: shown to whoever does not agree to the consent; empty: none.
        closes: when the campaign stops offering items, as an ISO moment; without a zone it is UTC. Empty: never by itself.
        currency: of all amounts, such as ``GBP``.
        item_price: pay for one answered item, checks and training too, such as ``0.08``; empty: none.
        base_pay: what the platform pays when a submission is approved; what the items are worth beyond it is a bonus.
        target_wage: pay by the hour that is aimed at; beside it stands what people really got.
        platform_fee: the platform's share on top of all pay, such as 0.33.
        budget: the most that pay and fees may cost: no item is offered that could exceed it, and a late answer that would
            is stored unpaid. Empty: no cap.
    """

    order: Order = "random"
    instructions: str = ""
    consent: str = ""
    content_warning: str = ""
    check_every: int | None = None
    gold_feedback: bool = False
    training_feedback: bool = True
    pass_mark: float | None = None
    gold_pass_mark: float = GOLD_PASS_MARK
    attention_pass_mark: float = ATTENTION_PASS_MARK
    recollect: bool = False
    limit: int | None = None
    reports_needed: int = 2
    nothing_left: NothingLeft = "completion"
    withdrawal: bool = False
    lease_minutes: float = 30.0
    completion_code: str = ""
    completion_url: str = ""
    stopped_code: str = ""
    training_code: str = ""
    paused_code: str = ""
    quota_code: str = ""
    declined_code: str = ""
    closes: str = ""
    currency: str = ""
    item_price: str = ""
    base_pay: str = ""
    target_wage: str = ""
    platform_fee: float = 0.0
    budget: str = ""

    def __post_init__(self) -> None:
        _check("order", self.order, self.order in get_args(Order), "random, shared or fixed")
        _check("check_every", self.check_every, self.check_every is None or self.check_every >= 2, "2 or more")
        _check("pass_mark", self.pass_mark, self.pass_mark is None or 0 < self.pass_mark <= 1, "a share above 0, at most 1")
        for name, mark in (("gold_pass_mark", self.gold_pass_mark), ("attention_pass_mark", self.attention_pass_mark)):
            _check(name, mark, 0 <= mark <= 1, "a share from 0 to 1")
        _check("limit", self.limit, self.limit is None or self.limit >= 1, "1 or more")
        _check("reports_needed", self.reports_needed, self.reports_needed >= 1, "1 or more")
        _check("nothing_left", self.nothing_left, self.nothing_left in get_args(NothingLeft), "completion or items")
        _check("lease_minutes", self.lease_minutes, 0 < self.lease_minutes <= 7 * 24 * 60, "above 0, at most a week")
        _check("completion_url", self.completion_url, re.fullmatch(r"(https?://\S+)?", self.completion_url), "an http address")
        _check("platform_fee", self.platform_fee, 0 <= self.platform_fee <= 2, "a share from 0 to 2, such as 0.33")
        _check("currency", self.currency, re.fullmatch(r"[^\W\d_]{0,3}|[$€£¥]", self.currency), "three letters, such as GBP")
        for name in AMOUNTS:
            try:
                amount(getattr(self, name))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        if amount(self.budget) and not self.pay.paid:
            raise ValueError("budget needs item_price or base_pay: without a price nothing is spent")
        _ = self.closing

    @property
    def pay(self) -> PayTerms:
        """What is paid."""
        fee, budget = Decimal(repr(self.platform_fee)), amount(self.budget)
        return PayTerms(amount(self.item_price), amount(self.base_pay), fee, budget or None)

    @property
    def closing(self) -> datetime | None:
        """The moment of closing; None: there is none.

        Raises:
            ValueError: it is no moment.
        """
        if not self.closes:
            return None
        try:
            moment = datetime.fromisoformat(self.closes)
        except ValueError:
            raise ValueError(f"closes must be a moment such as 2027-01-31 18:00, got {self.closes!r}") from None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Settings:
        """From stored JSON; names of a later Concord are left out. What was made before there were pauses has none."""
        known = {setting.name for setting in fields(cls)}
        before = {"gold_pass_mark": 0.0, "attention_pass_mark": 0.0}
        return cls(**before | {name: value for name, value in stored.items() if name in known})

    def to_json(self) -> dict[str, Any]:
        """The settings by name."""
        return asdict(self)


def _check(name: str, value: object, fine: object, wanted: str) -> None:
    if not fine:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")


@dataclass(frozen=True, slots=True)
class Campaign:
    """Items × questionnaire × how many people each.

    Attributes:
        campaign_id: lower-case letters, digits, ``-`` and ``_``.
        questionnaire, version: which questions are asked; ``definition`` is the text of one that a user wrote.
        overlap: how many people are to answer each ordinary item.
        stratum: whether statistics count only the items drawn with the same chance (because some are drawn by chance).
        stamp: of a stored campaign, what tells its list of items from any other that it has had.
    """

    campaign_id: str
    title: str
    questionnaire: str = "geneval"
    overlap: int = 3
    version: str | None = None
    definition: str | None = None
    seed: int = 0
    state: State = "draft"
    settings: Settings = field(default_factory=Settings)
    stratum: bool = False
    stamp: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.campaign_id):
            raise ValueError(f"a campaign's id has lower-case letters, digits, - and _ (64 at most), got {self.campaign_id!r}")
        _check("overlap", self.overlap, self.overlap >= 1, "1 or more")
        _check("seed", self.seed, -(2**63) <= self.seed < 2**63, "a whole number of 64 bits")

    def to_json(self) -> dict[str, Any]:
        """All but the stamp by name."""
        return {name: value for name, value in asdict(self).items() if name != "stamp"}


def id_of_title(title: str) -> str:
    """A campaign's id from its title: ``Cows & benches, été`` is ``cows-benches-ete``; empty where no letter is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:60].strip("-")
