"""Campaigns: who is asked what, and the rules of who gets which item next as far as they need no database.

Random order and sampling are hashes of the campaign's seed and of what they are about, so they can be computed again later.

Gold and attention checks: a pass mark says how many of them an honest person gets right in the long run, at least. A person is
paused once so many are wrong that it would come about by chance, to a person who is just at the mark, in fewer than
``PAUSE_RISK`` of all cases, both kinds and all times of looking together. After n items that is: the exact binomial chance of
as many wrong ones or more is below ``PAUSE_RISK`` / 2 / (n (n + 1)). These limits add up to ``PAUSE_RISK`` / 2 for each kind,
as
1/2 + 1/6 + 1/12 + ... is 1, so that the bound holds although the rule is applied after every check. Items that are not equally
hard make such a tail smaller, not larger (Hoeffding 1956, Annals of Mathematical Statistics 27).

Recruitment: what a report says of how people were asked, by the fields of Otani et al. (arXiv 2304.01816), each asked once per
campaign.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from data.payment import PayTerms, amount

PAUSE_RISK: Final = 0.001
"""The most that an honest person is ever paused by chance."""
GOLD_PASS_MARK: Final = 0.9
ATTENTION_PASS_MARK: Final = 0.98


def fails_checks(right: int, n: int, mark: float) -> bool:
    """Whether somebody with so many of ``n`` right is below the mark beyond chance."""
    if n == 0:
        return False
    tail = sum(math.comb(n, k) * (1 - mark) ** k * mark ** (n - k) for k in range(n - right, n + 1))
    return tail < PAUSE_RISK / 2 / (n * (n + 1))


State = Literal["draft", "running", "stopped", "archived"]
Role = Literal["ordinary", "gold", "attention", "training"]
DrawMethod = Literal["random", "weighted"]
Sampling = Literal["random", "weighted", "selected"]
Order = Literal["random", "shared", "fixed"]
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
_PRIME = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Settings:
    """How a campaign is worked on; the texts are Markdown.

    Attributes:
        order: ``random``: each person has a random order of their own; ``shared``: all have one random order, so that answers
            meet; ``fixed``: all have the list's.
        check_every: one item of so many is a gold or attention item; None: they are not mixed in.
        gold_feedback: whether a person learns at once if a gold item was answered rightly (never of attention checks).
        training_feedback: the same of training items.
        pass_mark: the share of the training items to answer rightly before ordinary ones come; None: answering is enough.
        gold_pass_mark: the share of gold items that somebody honest gets right, at least. Who is below it beyond chance is
            paused; 0: nobody is.
        attention_pass_mark: the same of attention checks.
        recollect: whether the answers of somebody who is paused stop counting, so that their items are asked of others.
        limit: how many items one person may answer, training aside.
        lease_minutes: how long an item is kept of an item for a person before them.
        completion_code: shown to whoever has reached the end, as crowd platforms ask for it.
        completion_url: where they may go then. Where it has the completion code in it and another is shown, it has that one.
        stopped_code: shown to whoever stops before the end. Empty, as for the next three: no code, and a sentence that what
            they have answered is recorded, and whom to write to about their payment.
        training_code: shown to whoever does not pass the training.
        paused_code: shown to whoever is paused or revoked. They get the completion code only if it is written here.
        quota_code: shown to whoever comes when nothing is left for them.
        declined_code: shown to whoever does not agree to the consent; empty: none.
        closes: when the campaign stops offering items, as an ISO moment; without a zone it is UTC. Empty: never by itself.
        currency: of all amounts, such as ``GBP``.
        item_price: pay for one answered item, checks and training too, such as ``0.08``; empty: none.
        base_pay: what the platform pays when a submission is approved; what the items are worth beyond it is a bonus.
        target_wage: pay by the hour that is aimed at; beside it stands what people really got.
        platform_fee: the platform's share on top of all pay, such as 0.33.
        budget: the most that pay and fees may cost: no item is offered that could exceed it. Empty: no cap.
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

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.campaign_id):
            raise ValueError(f"a campaign's id has lower-case letters, digits, - and _ (64 at most), got {self.campaign_id!r}")
        _check("overlap", self.overlap, self.overlap >= 1, "1 or more")
        _check("seed", self.seed, -(2**63) <= self.seed < 2**63, "a whole number of 64 bits")


def id_of_title(title: str) -> str:
    """A campaign's id from its title: ``Cows & benches, été`` is ``cows-benches-ete``; empty where no letter is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:60].strip("-")


@dataclass(frozen=True, slots=True)
class CampaignItem:
    """An item's part in a campaign.

    Attributes:
        sampling: ``random`` if the seeded sampler drew it with the same chance as others, ``weighted`` if with a chance of its
            own (``draw_probability``), ``selected`` if somebody picked it.
        expected: of all but ordinary items, the right answer by question id; ``{"any": [...]}`` accepts several.
    """

    item_id: str
    role: Role = "ordinary"
    sampling: Sampling = "selected"
    expected: Mapping[str, Any] | None = None
    draw_probability: float | None = None

    def __post_init__(self) -> None:
        if (self.sampling == "weighted") != (self.draw_probability is not None):
            raise ValueError(f"{self.item_id}: weighted items, and no others, have the chance of being drawn")
        if self.role == "ordinary" and self.expected is not None:
            raise ValueError(f"{self.item_id}: only gold, attention and training items have an expected answer")
        if self.role != "ordinary" and not self.expected:
            raise ValueError(f"{self.item_id}: a {self.role} item needs its expected answer")


def sample_items(item_ids: Sequence[str], n: int | None, seed: int) -> list[CampaignItem]:
    """``n`` of these items (None: all), drawn by chance: the same whatever order they are listed in."""
    drawn = sorted(dict.fromkeys(item_ids), key=lambda item_id: (seeded_number(seed, "sample", item_id), item_id))
    return [CampaignItem(item_id, sampling="random") for item_id in drawn[:n]]


def draw_items(chances: Mapping[str, float], seed: int) -> list[CampaignItem]:
    """Items by their chances, each drawn or not independently of the others (Poisson sampling); reproducible."""
    numbers = {item_id: seeded_number(seed, "draw", item_id) for item_id in chances}
    drawn = (item_id for item_id in sorted(numbers, key=lambda each: (numbers[each], each)))
    return [
        CampaignItem(item_id, sampling="weighted", draw_probability=chances[item_id])
        for item_id in drawn
        if numbers[item_id] < chances[item_id] * 2**64
    ]


def seeded_number(*parts: str | int) -> int:
    """A number below 2^64 that follows from the parts, and looks like chance."""
    text = json.dumps(parts, ensure_ascii=True).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def shuffle_key(seed: int, campaign_id: str, item_id: str) -> int:
    """An item's number in all random orders of a campaign, below 2^31 - 1."""
    return seeded_number(seed, campaign_id, "item", item_id) % _PRIME


@dataclass(frozen=True, slots=True)
class PersonalOrder:
    """One person's order of a campaign's items: by ``(shuffle * a + b) mod (2^31 - 1)``, a permutation of all numbers."""

    a: int
    b: int

    @classmethod
    def of(cls, seed: int, campaign_id: str, person: str) -> PersonalOrder:
        drawn = seeded_number(seed, campaign_id, "person", person)
        return cls(1 + drawn % (_PRIME - 1), (drawn >> 32) % _PRIME)

    def keys(self, shuffles: NDArray[np.int64]) -> NDArray[np.int64]:
        """What to sort by."""
        return (shuffles * self.a + self.b) % _PRIME


def pair_order(seed: int, campaign_id: str, person: str, item_id: str) -> tuple[int, int]:
    """In which order this person sees a pair's two images: positions in the pair, the left one first."""
    return (1, 0) if seeded_number(seed, campaign_id, "side", person, item_id) % 2 else (0, 1)


@dataclass(frozen=True, slots=True)
class CheckSchedule:
    """Where gold and attention items stand among what one person answers: one in each block of ``every``, by chance."""

    every: int
    seed: int
    campaign_id: str
    person: str

    def due(self, n: int) -> int:
        """How many of the first ``n`` items are checks."""
        blocks, rest = divmod(n, self.every)
        return blocks + (self._offset(blocks) < rest)

    def is_next(self, n: int) -> bool:
        """Whether a check stands after the first ``n``."""
        return self.due(n + 1) > self.due(n)

    def ahead(self, n: int, ordinary: int) -> int:
        """How many items follow the first ``n`` up to the ``ordinary``-th ordinary one after them."""
        if ordinary == 0:
            return 0
        blocks, rest = divmod(n - self.due(n) + ordinary - 1, self.every - 1)
        return blocks * self.every + rest + 1 + (self._offset(blocks) <= rest) - n

    def _offset(self, block: int) -> int:
        return seeded_number(self.seed, self.campaign_id, "check", self.person, block) % self.every


@dataclass(frozen=True, slots=True)
class Training:
    """How a person stands in training: answered rightly, how many it takes, and how many they have not answered."""

    right: int
    needed: int
    left: int

    @classmethod
    def of(cls, total: int, right: int, answered: int, pass_mark: float | None) -> Training:
        # a share such as 0.55 of 20 is 11, whatever floating point makes of it
        needed = 0 if pass_mark is None else math.ceil(round(pass_mark * total, 9))
        return cls(right, needed, total - answered)

    @property
    def passed(self) -> bool:
        return self.right >= self.needed > 0 or (self.left == 0 and not self.failed)

    @property
    def failed(self) -> bool:
        return self.right + self.left < self.needed


def wrong_answers(expected: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The questions that were not answered as expected, with what was; ticked sets have no order."""
    return {question: right for question, right in expected.items() if not _matches_expected(right, answers.get(question))}


def accepted_answers(right: Any) -> list[Any]:
    """The answers that an expected one stands for: itself, or each of ``{"any": [...]}``."""
    return list(right["any"]) if isinstance(right, Mapping) and set(right) == {"any"} else [right]


def _matches_expected(right: Any, answer: Any) -> bool:
    return _comparable(answer) in map(_comparable, accepted_answers(right))


def _comparable(value: Any) -> str:
    if isinstance(value, list | tuple):
        return json.dumps(sorted({_comparable(part) for part in value}))
    return json.dumps(value, sort_keys=True)


MAX_RECRUITMENT_LENGTH: Final = 4000
"""Characters of an answer."""
NOT_REPORTED: Final = "not reported"


@dataclass(frozen=True, slots=True)
class RecruitmentField:
    """One field: its heading in the report, and what its answer should say."""

    title: str
    asks: str


RECRUITMENT_FIELDS: Final[Mapping[str, RecruitmentField]] = {
    "workers": RecruitmentField(
        "Number of workers", "How many people were invited or hired; Concord counts those who answered."
    ),
    "recruitment": RecruitmentField(
        "How recruited", "Where they come from: a platform and its settings, a course, colleagues."
    ),
    "qualification": RecruitmentField(
        "Qualification", "What they had to have: languages, countries, approval rate, a test, expertise."
    ),
    "pay_per_item": RecruitmentField("Pay per item", "With its currency, such as 0.05 USD; 0 for volunteers."),
    "pay_per_hour": RecruitmentField("Pay per hour", "What that came to with the time they took, or what was promised."),
    "compensation": RecruitmentField(
        "Other compensation", "Bonuses, course credit, vouchers; what those got who failed checks."
    ),
    "interface": RecruitmentField("Interface", "Where they answered, if not in Concord's form, and on which devices."),
    "instructions": RecruitmentField("Instructions", "What they were told besides the campaign's own instructions."),
    "attention_checks": RecruitmentField(
        "Attention checks", "Checks outside Concord, and what was done with those who failed them."
    ),
    "consent": RecruitmentField("Consent", "How they agreed, and to what, besides the campaign's own consent text."),
    "ethics": RecruitmentField("Ethics review", "Who approved the study, with its number; or why none was needed."),
    "data": RecruitmentField(
        "Per-item data", "Where each person's answers can be had, under which licence; or why they cannot."
    ),
}
"""By name, in the report's order."""


def check_recruitment(values: Mapping[str, str]) -> dict[str, str]:
    """These answers, stripped; an empty one takes an answer back.

    Raises:
        ValueError: there is no such field, or an answer is too long.
    """
    problems = {}
    for name, value in values.items():
        if name not in RECRUITMENT_FIELDS:
            raise ValueError(f"there is no field {name!r}; there are {', '.join(RECRUITMENT_FIELDS)}")
        text = value.replace("\x00", "").strip()
        if len(text) > MAX_RECRUITMENT_LENGTH:
            raise ValueError(f"{name} has {len(text):,} characters; {MAX_RECRUITMENT_LENGTH:,} at most")
        problems[name] = text
    return problems
