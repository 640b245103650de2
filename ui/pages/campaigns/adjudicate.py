"""Adjudication: the cases of a campaign, the opened one, and the verdict on who was wrong."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, get_args

import htpy
from htpy import Element, Node

from concord.campaigns import adjudication, progress
from concord.campaigns.adjudication import PEOPLE, Blame, ContestedCase, RaterValue
from concord.campaigns.annotators import CampaignTopic
from concord.common import wording
from concord.common.table import Cell, numbers
from data.images.widths import IN_PAIRS
from data.remarks import Adjudication, Wrong
from data.store.core.store import Store
from data.store.library import ItemSubject, item_subjects
from ui.components.tables import CHOSEN, Cells, columns, note, plain_table, scrolled, small, table_element
from ui.pages.campaigns.progress import item_pictures
from ui.pages.campaigns.view import ANY, OPEN, CampaignsView, blame_name
from ui.shell.controls import Choice

MOST: Final = 200
WRONG: Final = {
    "scorer": "1 · a scorer",
    "person": "2 · a person",
    "prompt": "3 · the prompt (ambiguous)",
    "guideline": "4 · the guideline (unclear)",
}
assert set(WRONG) == set(get_args(Wrong))
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
NO_CASES: Final = "No disagreements yet. Images with two or more different answers are listed here."
SPOILS: Final = (
    "Opening a case shows all answers, and this is recorded: your later answers about that image do not count as blind."
    " No number is computed from cases sorted by disagreement."
)
KEYS: Final = (
    "Keys: letters for the correct answer, 1 to 4 for who was wrong, Enter to save and open the next case, arrows to move."
)


@dataclass(frozen=True, slots=True)
class Docket:
    """The cases that are listed, of ``total``, and everything that a verdict has been given to."""

    cases: tuple[ContestedCase, ...]
    total: int
    verdicts: tuple[Adjudication, ...]


def docket(store: Store, view: CampaignsView, topic: CampaignTopic | None) -> Docket:
    """What the address lists."""
    adjudications = adjudication.verdicts(store, view.campaign)
    named = {blame_name(blame.wrong, blame.rater): blame for blame in adjudication.blames(adjudications)}
    if (blamed := named.get(view.only)) is not None:
        cases = adjudication.verdicts_against(adjudications, blamed.wrong, blamed.rater)
    elif topic is None:
        cases = []
    else:
        cases = adjudication.contested_cases(store, view.campaign, topic, view.against)
        if view.only == OPEN:
            cases = [case for case in cases if case.verdict is None]
    return Docket(tuple(cases[:MOST]), len(cases), tuple(adjudications))


def choices(store: Store, view: CampaignsView, topic: CampaignTopic | None) -> tuple[Choice, Choice]:
    """Whom people are compared with, and which cases are listed."""
    between = {PEOPLE: "people among themselves"}
    if topic is not None:
        between |= {name: f"people and {name}" for name in adjudication.scorers(store, view.campaign, topic)}
    listed = {ANY: "all that differ", OPEN: "without a verdict"}
    for blame in adjudication.blames(adjudication.verdicts(store, view.campaign)):
        listed[blame_name(blame.wrong, blame.rater)] = f"wrong: {progress.describe_blamed(blame)} ({blame.n})"
    return Choice.among(between, view.against), Choice.among(listed, view.only)


def case_choice(docket: Docket, looks: dict[str, ItemSubject], chosen: str) -> Choice:
    """The control that opens a case."""
    return Choice.among({"": "none"} | {case.key: _title(n, case, looks) for n, case in enumerate(docket.cases, 1)}, chosen)


def looks_of(store: Store, docket: Docket) -> dict[str, ItemSubject]:
    """What the cases' items look like."""
    return item_subjects(store, sorted({case.item for case in docket.cases}))


def _title(n: int, case: ContestedCase, looks: dict[str, ItemSubject]) -> str:
    text = looks[case.item].text if case.item in looks else case.item
    about = f" · {case.target}" if case.target else ""
    return f"{n} · {text[:80] or case.item}{about}"


def listing(docket: Docket, looks: dict[str, ItemSubject], view: CampaignsView) -> Node:
    """Return the cases, the most contested first: how far they differ, never what was said."""
    if not docket.cases:
        return note(NO_CASES if view.only == ANY else "No cases.")
    rows = []
    for n, case in enumerate(docket.cases, 1):
        text = (looks[case.item].text if case.item in looks else "") or case.item
        about = small(case.target or "")
        differ = "" if case.disagreement is None else f"{case.disagreement:z.2f}"
        many = "" if case.disagreement is None else f"{case.n:,}"
        verdict = "" if case.verdict is None else f"{case.verdict.verdict}: {_blamed(case.verdict)} was wrong"
        rows.append(
            htpy.tr(class_=CHOSEN if case.key == view.case else None)[
                htpy.td[n],
                htpy.th(scope="row")[htpy.a(href=view.address(case=case.key))[text], about],
                htpy.td[wording.plain_aspect(case.aspect)],
                htpy.td(class_="cc-number")[differ],
                htpy.td(class_="cc-number")[many],
                htpy.td[verdict],
            ]
        )
    names = ("", "prompt", "aspect", "disagreement", "n", "verdict")
    head = [htpy.th(scope="col", class_="cc-number" if name in names[3:5] else None)[name] for name in names]
    more = f" (the first {MOST:,} of {docket.total:,})" if docket.total > MOST else ""
    caption = htpy.caption[f"{wording.count(docket.total, 'case')}{more}"]
    return [
        scrolled(htpy.table(class_="cc-table")[caption, htpy.thead[htpy.tr[head]], htpy.tbody[rows]], "cc-cases"),
        note("Disagreement: the mean distance of two values, from 0 to 1; n: people’s values."),
    ]


def _blamed(verdict: Adjudication) -> str:
    if verdict.rater_id:
        return f"{verdict.wrong} {verdict.rater_id}"
    return "whoever says otherwise" if verdict.wrong == "person" else f"the {verdict.wrong}"


def counts(docket: Docket, view: CampaignsView) -> Element:
    """Return who was wrong how often, each leading to its cases."""
    if not docket.verdicts:
        return note("No verdict has been given in this campaign yet.")

    def cases_of(blame: Blame) -> str:
        return view.address(only=blame_name(blame.wrong, blame.rater), case="")

    blames = adjudication.blames(docket.verdicts)
    rows = [(progress.describe_blamed(blame), Cell(f"{blame.n:,}", href=cases_of(blame))) for blame in blames]
    caption = f"Who was wrong ({wording.count(len(docket.verdicts), 'verdict')})"
    return table_element(plain_table(caption, columns("wrong", *numbers("verdicts")), rows))


def opened(store: Store, view: CampaignsView, topic: CampaignTopic, case: ContestedCase) -> tuple[Element, list[RaterValue]]:
    """Return the opened case, and what everybody says."""
    subject = item_subjects(store, [case.item]).get(case.item)
    values = adjudication.rater_values(store, view.campaign, topic, case.item, case.target)
    text = (subject.text if subject else "") or case.item
    about = f" Target: {case.target}." if case.target else ""
    lines: list[Cells] = [
        [
            f"{rated.rater} ({'scorer' if rated.kind == 'scorer' else 'simulated' if rated.simulated else rated.kind})",
            rated.value or "no answer",
            wording.reason(rated.why) if rated.why else "",
        ]
        for rated in values
    ]
    verdict: Node = ""
    if case.verdict is not None:
        decided = case.verdict
        moment = f" on {decided.moment:%Y-%m-%d %H:%M} UTC" if decided.moment else ""
        verdict = note(
            f"Verdict so far: {decided.verdict}; {_blamed(decided)} was wrong. By {decided.made_by}{moment}."
            + (f" “{decided.note}”" if decided.note else "")
        )
    table = table_element(plain_table("All answers", ("rater", "says", "not counted, as it is"), lines))
    asked = note(f"Asked: {wording.aspect(topic.aspect)}.{about}")
    pictures = htpy.div(class_="cc-case-pictures")[item_pictures(subject, IN_PAIRS)]
    words = htpy.div[htpy.h2(class_="cc-case-title")[text], asked, table, verdict]
    return htpy.div(class_="cc-case")[pictures, words], values


def verdict_choices(labels: Sequence[str]) -> list[tuple[str, str]]:
    """What may be right, each with its key."""
    keyed = zip(_LETTERS, labels, strict=False)
    return [(f"{letter} · {label}", label) for letter, label in keyed] + [(label, label) for label in labels[len(_LETTERS) :]]


def to_blame(values: Sequence[RaterValue], wrong: str | None, verdict: str | None) -> Choice:
    """Who can have been wrong: those who say something else than the verdict."""
    if wrong not in ("scorer", "person"):
        return Choice([], None)
    kinds = {"scorer": ("scorer",), "person": ("human",)}[wrong]
    others = [rated for rated in values if rated.kind in kinds and rated.value and rated.value != verdict]
    names = list(dict.fromkeys(rated.rater for rated in others))
    return Choice(names, names[0] if len(names) == 1 else None)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the controls say."""

    verdict: str | None
    wrong: str | None
    rater: str | None
    remark: str


def rule(store: Store, view: CampaignsView, case: ContestedCase, ruling: Ruling, person: str) -> None:
    """Write a verdict.

    Raises:
        ValueError: something is missing; the message says what.
    """
    if not ruling.verdict:
        raise ValueError("Choose the correct answer first.")
    if ruling.wrong not in WRONG:
        raise ValueError("Choose who was wrong.")
    if ruling.wrong == "person" and not ruling.rater:
        raise ValueError("Say which person was wrong.")
    named = ruling.rater if ruling.wrong in ("scorer", "person") else None
    wrong: Wrong = ruling.wrong  # type: ignore[assignment]
    made = Adjudication(
        adjudication_id=str(uuid.uuid4()),
        item_id=case.item,
        aspect=case.aspect,
        wrong=wrong,
        verdict=ruling.verdict,
        made_by=person,
        target=case.target,
        campaign_id=view.campaign,
        rater_id=named or None,
        note=ruling.remark.strip(),
    )
    adjudication.write_verdict(store, made)
