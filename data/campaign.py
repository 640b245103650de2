"""Campaigns: what is asked of whom, and the rules of who gets what next as far as they need no database.

All that is left to chance is a hash of the campaign's seed and of what it is about, so it can be told again later.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from data.checks import ATTENTION_MARK, GOLD_MARK

State = Literal["draft", "running", "stopped", "archived"]
Role = Literal["ordinary", "gold", "attention", "training"]
Sampling = Literal["random", "selected"]
Order = Literal["random", "shared", "fixed"]
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
        lease_minutes: how long an item is kept for whoever has it before them.
        completion_code: shown to whoever has reached the end, as crowd platforms ask for it.
        completion_url: where they may go then. Where it has the completion code in it and another is shown, it has that one.
        stopped_code: shown to whoever stops before the end. Empty, as for the next three: no code, and a sentence that what
            they have answered is recorded, and whom to write to about their payment.
        training_code: shown to whoever does not pass the training.
        paused_code: shown to whoever is paused or revoked. They get the completion code only if it is written here.
        quota_code: shown to whoever comes when nothing is left for them.
        declined_code: shown to whoever does not agree to the consent; empty: none.
    """

    order: Order = "random"
    instructions: str = ""
    consent: str = ""
    content_warning: str = ""
    check_every: int | None = None
    gold_feedback: bool = False
    training_feedback: bool = True
    pass_mark: float | None = None
    gold_pass_mark: float = GOLD_MARK
    attention_pass_mark: float = ATTENTION_MARK
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

    def __post_init__(self) -> None:
        _check("order", self.order, self.order in get_args(Order), "random, shared or fixed")
        _check("check_every", self.check_every, self.check_every is None or self.check_every >= 2, "2 or more")
        _check("pass_mark", self.pass_mark, self.pass_mark is None or 0 < self.pass_mark <= 1, "a share above 0, at most 1")
        for name, mark in (("gold_pass_mark", self.gold_pass_mark), ("attention_pass_mark", self.attention_pass_mark)):
            _check(name, mark, 0 <= mark <= 1, "a share from 0 to 1")
        _check("limit", self.limit, self.limit is None or self.limit >= 1, "1 or more")
        _check("lease_minutes", self.lease_minutes, 0 < self.lease_minutes <= 7 * 24 * 60, "above 0, at most a week")
        _check("completion_url", self.completion_url, re.fullmatch(r"(https?://\S+)?", self.completion_url), "an http address")

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Settings:
        """From stored JSON; names of a later Concord are left out. What was made before there were pauses has none."""
        known = {one.name for one in fields(cls)}
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
        stratum: whether statistics count only the items drawn by the seeded sampler (because there are any).
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


@dataclass(frozen=True, slots=True)
class CampaignItem:
    """An item's part in a campaign.

    Attributes:
        sampling: ``random`` if the seeded sampler drew it, ``selected`` if somebody picked it.
        expected: of all but ordinary items, the right answer by question id; ``{"any": [...]}`` accepts several.
    """

    item_id: str
    role: Role = "ordinary"
    sampling: Sampling = "selected"
    expected: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.role == "ordinary" and self.expected is not None:
            raise ValueError(f"{self.item_id}: only gold, attention and training items have an expected answer")
        if self.role != "ordinary" and not self.expected:
            raise ValueError(f"{self.item_id}: a {self.role} item needs its expected answer")


def sampled(item_ids: Sequence[str], n: int | None, seed: int) -> list[CampaignItem]:
    """``n`` of these items (None: all), drawn by chance: the same whatever order they are listed in."""
    drawn = sorted(dict.fromkeys(item_ids), key=lambda item_id: (number(seed, "sample", item_id), item_id))
    return [CampaignItem(item_id, sampling="random") for item_id in drawn[:n]]


def number(*parts: str | int) -> int:
    """A number below 2^64 that follows from the parts, and looks like chance."""
    text = json.dumps(parts, ensure_ascii=True).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def shuffled(seed: int, campaign_id: str, item_id: str) -> int:
    """An item's number in all random orders of a campaign, below 2^31 - 1."""
    return number(seed, campaign_id, "item", item_id) % _PRIME


@dataclass(frozen=True, slots=True)
class Line:
    """One person's order of a campaign's items: by ``(shuffle * a + b) mod (2^31 - 1)``, a permutation of all numbers."""

    a: int
    b: int

    @classmethod
    def of(cls, seed: int, campaign_id: str, person: str) -> Line:
        drawn = number(seed, campaign_id, "person", person)
        return cls(1 + drawn % (_PRIME - 1), (drawn >> 32) % _PRIME)

    def keys(self, shuffles: NDArray[np.int64]) -> NDArray[np.int64]:
        """What to sort by."""
        return (shuffles * self.a + self.b) % _PRIME


def shown_order(seed: int, campaign_id: str, person: str, item_id: str) -> tuple[int, int]:
    """In which order this person sees a pair's two images: positions in the pair, the left one first."""
    return (1, 0) if number(seed, campaign_id, "side", person, item_id) % 2 else (0, 1)


@dataclass(frozen=True, slots=True)
class Checks:
    """Where gold and attention items stand among what one person answers: one in each block of ``every``, by chance."""

    every: int
    seed: int
    campaign_id: str
    person: str

    def due(self, n: int) -> int:
        """How many of the first ``n`` items are checks."""
        blocks, rest = divmod(n, self.every)
        return blocks + (self._place(blocks) < rest)

    def is_next(self, n: int) -> bool:
        """Whether a check stands after the first ``n``."""
        return self.due(n + 1) > self.due(n)

    def ahead(self, n: int, ordinary: int) -> int:
        """How many items follow the first ``n`` up to the ``ordinary``-th ordinary one after them."""
        if ordinary == 0:
            return 0
        blocks, rest = divmod(n - self.due(n) + ordinary - 1, self.every - 1)
        return blocks * self.every + rest + 1 + (self._place(blocks) <= rest) - n

    def _place(self, block: int) -> int:
        return number(self.seed, self.campaign_id, "check", self.person, block) % self.every


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


def wrong(expected: Mapping[str, Any], answers: Mapping[str, Any]) -> dict[str, Any]:
    """The questions that were not answered as expected, with what was; ticked sets have no order."""
    return {question: right for question, right in expected.items() if not _meets(right, answers.get(question))}


def _meets(right: Any, given: Any) -> bool:
    if isinstance(right, Mapping) and set(right) == {"any"}:
        return any(_meets(one, given) for one in right["any"])
    return _plain(right) == _plain(given)


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        return json.dumps(sorted({_plain(one) for one in value}))
    return json.dumps(value, sort_keys=True)
