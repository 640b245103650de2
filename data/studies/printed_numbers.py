"""Numbers that papers print about their human studies: each with its table or section, and the row of ``agreement`` that
answers it. Data only: no formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

ALL: Final = "all"
TASKS_MEAN: Final = "tasks_mean"

Quantity = Literal["value", "items", "items_with", "ratings", "ratings_per_item", "prompts"]
"""Of a row of `agreement`: its value; its items; the items that its value is the share of; its ratings, also by item; and
the prompts of its items."""


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """One printed number, and the row of `agreement` that answers it.

    Attributes:
        called: what the paper calls it.
        where: table or section of the paper.
        printed: as printed; its digits after the point are those that are compared.
        statistic: its true name, one of `agreement.STATISTICS`.
        percent: the paper prints hundredths.
        beside: statistics that it is or may be taken for, shown beside it.
        if_different: what is known of the reason, should ours differ.
        aspect: what it is about, where that is not the study's.
    """

    called: str
    where: str
    printed: str
    statistic: str
    quantity: Quantity = "value"
    percent: bool = False
    generator: str = ALL
    task: str = ALL
    rater: str | None = None
    beside: tuple[str, ...] = ()
    if_different: str = ""
    aspect: str = ""


@dataclass(frozen=True, slots=True)
class UndeterminedNumbers:
    """Printed numbers that the released answers do not determine, and why."""

    what: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """A paper's human study.

    Attributes:
        suite, aspect: what its numbers are about.
        sources: the generators that the paper pools, by their names in the released files, with the paper's own names.
        notes: what must be known to read the numbers.
        claim, files_say, consequence: the study's chapter of the audit; ``{NAME}`` stands for our number of that name,
            ``{NAME|OTHER}`` for what is shown beside it.
    """

    paper: str
    suite: str
    aspect: str
    sources: Mapping[str, str]
    numbers: tuple[PrintedNumber, ...]
    notes: tuple[str, ...] = ()
    open: tuple[UndeterminedNumbers, ...] = ()
    claim: str = ""
    files_say: str = ""
    consequence: str = ""
