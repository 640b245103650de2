"""Recruitment: what a report says of how people were asked, by the fields of Otani et al. (arXiv 2304.01816), each asked once
per campaign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

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
    texts = {}
    for name, value in values.items():
        if name not in RECRUITMENT_FIELDS:
            raise ValueError(f"there is no field {name!r}; there are {', '.join(RECRUITMENT_FIELDS)}")
        text = value.replace("\x00", "").strip()
        if len(text) > MAX_RECRUITMENT_LENGTH:
            raise ValueError(f"{name} has {len(text):,} characters; {MAX_RECRUITMENT_LENGTH:,} at most")
        texts[name] = text
    return texts
