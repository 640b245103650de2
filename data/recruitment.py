"""What a report says of how people were asked: the fields of Otani et al. (arXiv 2304.01816), each asked once per campaign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 4000
"""Characters of an answer."""
NOT_REPORTED: Final = "not reported"


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its heading in the report, and what its answer should say."""

    title: str
    asks: str


FIELDS: Final[Mapping[str, Field]] = {
    "workers": Field("Number of workers", "How many people were invited or hired; Concord counts those who answered."),
    "recruitment": Field("How recruited", "Where they come from: a platform and its settings, a course, colleagues."),
    "qualification": Field("Qualification", "What they had to have: languages, countries, approval rate, a test, expertise."),
    "pay_per_item": Field("Pay per item", "With its currency, such as 0.05 USD; 0 for volunteers."),
    "pay_per_hour": Field("Pay per hour", "What that came to with the time they took, or what was promised."),
    "compensation": Field("Other compensation", "Bonuses, course credit, vouchers; what those got who failed checks."),
    "interface": Field("Interface", "Where they answered, if not in Concord's form, and on which devices."),
    "instructions": Field("Instructions", "What they were told besides the campaign's own instructions."),
    "attention_checks": Field("Attention checks", "Checks outside Concord, and what was done with those who failed them."),
    "consent": Field("Consent", "How they agreed, and to what, besides the campaign's own consent text."),
    "ethics": Field("Ethics review", "Who approved the study, with its number; or why none was needed."),
    "data": Field("Per-item data", "Where each person's answers can be had, under which licence; or why they cannot."),
}
"""By name, in the report's order."""


def checked(values: Mapping[str, str]) -> dict[str, str]:
    """These answers, stripped; an empty one takes an answer back.

    Raises:
        ValueError: there is no such field, or an answer is too long.
    """
    found = {}
    for name, value in values.items():
        if name not in FIELDS:
            raise ValueError(f"there is no field {name!r}; there are {', '.join(FIELDS)}")
        text = value.replace("\x00", "").strip()
        if len(text) > LONGEST:
            raise ValueError(f"{name} has {len(text):,} characters; {LONGEST:,} at most")
        found[name] = text
    return found
