"""Cases of a campaign: what people, or people and a scorer, judge differently, opened one by one and decided.

A list says how far raters differ and never what was said; opening a case shows all answers, and is recorded.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args

from concord.campaigns import adjudication
from concord.campaigns.adjudication import PEOPLE, Blame, ContestedCase, RaterValue
from concord.campaigns.annotators import CampaignTopic, topics
from concord.campaigns.crowd import topic_name
from data.remarks import Adjudication, Wrong
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.library import ItemSubject, item_subjects

MOST: Final = 200
"""So many cases are listed."""
ANY: Final = "any"
OPEN: Final = "open"
WRONG: Final[Mapping[Wrong, str]] = {
    "scorer": "a scorer",
    "person": "a person",
    "prompt": "the prompt (ambiguous)",
    "guideline": "the guideline (unclear)",
}
assert set(WRONG) == set(get_args(Wrong))


class NoSuchCase(ValueError):
    """This case is not in the list; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class CaseList:
    """A request for cases: the filters of the list.

    Attributes:
        about: the topic (`topic_name`); empty for the main one.
        against: `people`, or the scorer that people are compared with.
        only: `any`, `open` for those without a verdict, or `blame_name` of whoever was wrong.
    """

    campaign: str
    about: str = ""
    against: str = PEOPLE
    only: str = ANY


@dataclass(frozen=True, slots=True)
class Docket:
    """The cases that are listed, of `total`, what they look like, and all verdicts of the campaign.

    Attributes:
        topic: what the cases are about; None where nobody has judged anything.
        topics: what they could be about.
        scorers: whom people could be compared with.
    """

    cases: tuple[ContestedCase, ...]
    total: int
    subjects: Mapping[str, ItemSubject]
    verdicts: tuple[Adjudication, ...]
    topic: CampaignTopic | None
    topics: tuple[CampaignTopic, ...]
    scorers: tuple[str, ...]

    @property
    def blames(self) -> list[Blame]:
        """The raters with how often each was wrong."""
        return adjudication.blames(self.verdicts)


@dataclass(frozen=True, slots=True)
class OpenCase:
    """An opened case.

    Attributes:
        values: what everybody says.
        labels: what may be right.
        number: its place in the list, from 1.
        following, before: keys of its neighbours; empty at the ends.
    """

    case: ContestedCase
    topic: CampaignTopic
    subject: ItemSubject | None
    values: tuple[RaterValue, ...]
    labels: tuple[str, ...]
    number: int
    following: str
    before: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict as it is given: what is right, who was wrong (a name of `WRONG`), which rater, and a note."""

    verdict: str
    wrong: str
    rater: str = ""
    note: str = ""


def blame_name(blame: Blame) -> str:
    """Return whoever was wrong as an address has it."""
    return f"{blame.wrong}: {blame.rater}" if blame.rater else blame.wrong


def docket(store: Store, asked: CaseList) -> Docket:
    """Return the cases of a list, the most contested first."""
    campaign = management.get(store, asked.campaign)
    known = tuple(topics(store, campaign)) if campaign is not None else ()
    topic = next((each for each in known if topic_name(each) == asked.about), known[0] if known else None)
    scorers = tuple(adjudication.scorers(store, asked.campaign, topic)) if topic is not None else ()
    verdicts = adjudication.verdicts(store, asked.campaign)
    blamed = next((blame for blame in adjudication.blames(verdicts) if blame_name(blame) == asked.only), None)
    cases: list[ContestedCase] = []
    if blamed is not None:
        cases = adjudication.verdicts_against(verdicts, blamed.wrong, blamed.rater)
    elif topic is not None:
        against = asked.against if asked.against in scorers else PEOPLE
        cases = adjudication.contested_cases(store, asked.campaign, topic, against)
        if asked.only == OPEN:
            cases = [case for case in cases if case.verdict is None]
    listed = tuple(cases[:MOST])
    subjects = item_subjects(store, sorted({case.item for case in listed}))
    return Docket(listed, len(cases), subjects, tuple(verdicts), topic, known, scorers)


def open_case(store: Store, asked: CaseList, key: str, person: str) -> OpenCase:
    """Return a case of the list with all answers; that this person has seen them is recorded first.

    Raises:
        NoSuchCase: it is not in the list.
    """
    found = _listed_case(store, asked, key)
    adjudication.record_uncovering(store, person, found.case.item)
    return found


def decide(store: Store, asked: CaseList, key: str, ruling: Ruling, person: str) -> str:
    """Write a verdict about a case; return the key of the case that follows it, or "".

    Raises:
        NoSuchCase: it is not in the list.
        ValueError: something is missing; the message says what.
    """
    found = _listed_case(store, asked, key)
    if not ruling.verdict:
        raise ValueError("choose the correct answer first")
    wrong = next((name for name in WRONG if name == ruling.wrong), None)
    if wrong is None:
        raise ValueError("choose who was wrong")
    if wrong == "person" and not ruling.rater:
        raise ValueError("say which person was wrong")
    made = Adjudication(
        adjudication_id=str(uuid.uuid4()),
        item_id=found.case.item,
        aspect=found.case.aspect,
        wrong=wrong,
        verdict=ruling.verdict,
        made_by=person,
        target=found.case.target,
        campaign_id=asked.campaign,
        rater_id=(ruling.rater or None) if wrong in ("scorer", "person") else None,
        note=ruling.note.strip(),
    )
    adjudication.write_verdict(store, made)
    return found.following


def _listed_case(store: Store, asked: CaseList, key: str) -> OpenCase:
    listed = docket(store, asked)
    keys = [case.key for case in listed.cases]
    if key not in keys:
        raise NoSuchCase("this case is not in the list any more; go back to the list")
    place = keys.index(key)
    case = listed.cases[place]
    suite = adjudication.suite_of(store, asked.campaign, case.item)
    topic = CampaignTopic(suite or "", case.aspect)
    values = adjudication.rater_values(store, asked.campaign, topic, case.item, case.target)
    return OpenCase(
        case,
        topic,
        listed.subjects.get(case.item),
        tuple(values),
        tuple(adjudication.verdict_labels(store, topic, values)),
        place + 1,
        keys[place + 1] if place + 1 < len(keys) else "",
        keys[place - 1] if place else "",
    )


def describe_wrong(verdict: Adjudication) -> str:
    """Return who was wrong, such as ``scorer visor``."""
    if verdict.rater_id:
        return f"{verdict.wrong} {verdict.rater_id}"
    return "whoever says otherwise" if verdict.wrong == "person" else f"the {verdict.wrong}"


def case_text(subject: ItemSubject | None, item: str) -> str:
    """Return the words of a case: its prompt, or its id where there is none."""
    return (subject.text if subject is not None else "") or item
