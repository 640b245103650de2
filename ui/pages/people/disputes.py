"""Disputes of a campaign: its cases, and the opened one with picture, raw answers and verdict in one view, by keys."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import htpy
from htpy import Element, Node

from concord.campaigns import cases, progress
from concord.campaigns.adjudication import PEOPLE, ContestedCase
from concord.campaigns.cards import CampaignCard
from concord.campaigns.cases import ANY, MOST, OPEN, WRONG, Docket, OpenCase, blame_name, case_text, describe_wrong
from concord.common import wording
from concord.common.table import Cell, numbers
from concord.open_project import OpenProject
from data.images.widths import IN_PAIRS
from ui.components.addresses import page_address
from ui.components.image_strip import picture_html
from ui.components.tables import Cells, columns, note, plain_table, scrolled, small, table_element
from ui.pages.people.people_tab import topic_chip
from ui.pages.people.view import PeopleView
from ui.shell.html import rendered
from ui.shell.scope_bar import menu_chip

NO_CASES: Final = "No disagreements yet. Images with two or more different answers are listed here."
SPOILS: Final = (
    "Opening a case shows all answers, and this is recorded: your later answers about that image do not count as blind. No "
    "number is computed from cases sorted by disagreement."
)
KEYS: Final = (
    "Letters: what is right. 1 to 4: who was wrong, 5 to 9: which one. Enter: save, and the next case. Arrows: next and"
    " previous. Esc: the list."
)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


def disputes_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:
    """Return the list, or the place of the opened case, which a route fills as opening it is recorded."""
    docket = cases.docket(store, view.cases)
    if view.case:
        asked = json.dumps(asdict(view.cases) | {"case": view.case}, ensure_ascii=False)
        return htpy.div(
            class_="cc-case-place", data_case=asked, data_list=view.address(case=""), data_address=view.address(case="CASE")
        )[htpy.p(class_="cc-part-hint", role="status")["Opening the case …"]]
    return [
        htpy.div(class_="cc-part-head")[
            htpy.span(class_="cc-part-hint cc-spoils")[SPOILS],
            htpy.div(class_="cc-part-tools")[topic_chip(store, card, view), _between(docket, view), _only(docket, view)],
        ],
        _listing(docket, view),
        _counts(docket, view),
    ]


def _between(docket: Docket, view: PeopleView) -> Node:
    links = {PEOPLE: ("people among themselves", view.address(against=PEOPLE))}
    links |= {name: (f"people and {name}", view.address(against=name)) for name in docket.scorers}
    return menu_chip("against", "Between", view.against if view.against in links else PEOPLE, links) if len(links) > 1 else ""


def _only(docket: Docket, view: PeopleView) -> Node:
    links = {ANY: ("all that differ", view.address(only=ANY)), OPEN: ("without a verdict", view.address(only=OPEN))}
    for blame in docket.blames:
        name = blame_name(blame)
        links[name] = (f"wrong: {progress.describe_blamed(blame)} ({blame.n})", view.address(only=name))
    return menu_chip("only", "Cases", view.only if view.only in links else ANY, links)


def _listing(docket: Docket, view: PeopleView) -> Node:
    """Return the cases, the most contested first: how far they differ, never what was said."""
    if not docket.cases:
        return htpy.p(class_="cc-part-hint")[NO_CASES if view.only == ANY else "No cases."]
    open_ = next((case.key for case in docket.cases if case.verdict is None), docket.cases[0].key)
    begin = htpy.a(class_="cc-button cc-button--primary", href=view.address(case=open_))["Decide one by one"]
    rows = [_case_row(n, case, docket, view) for n, case in enumerate(docket.cases, 1)]
    names = ("", "prompt", "question", "disagreement", "n", "verdict")
    head = [htpy.th(scope="col", class_="cc-number" if name in names[3:5] else None)[name] for name in names]
    more = f" (the first {MOST:,} of {docket.total:,})" if docket.total > MOST else ""
    caption = htpy.caption[f"{wording.count(docket.total, 'case')}{more}"]
    return [
        htpy.p(class_="cc-people-acts")[begin],
        scrolled(htpy.table(class_="cc-table")[caption, htpy.thead[htpy.tr[head]], htpy.tbody[rows]], "cc-cases"),
        note("Disagreement: the mean distance of two values, from 0 to 1; n: people’s values."),
    ]


def _case_row(n: int, case: ContestedCase, docket: Docket, view: PeopleView) -> Element:
    differ = "" if case.disagreement is None else f"{case.disagreement:z.2f}"
    many = "" if case.disagreement is None else f"{case.n:,}"
    verdict = "" if case.verdict is None else f"{case.verdict.verdict}: {describe_wrong(case.verdict)} was wrong"
    text = case_text(docket.subjects.get(case.item), case.item)
    return htpy.tr[
        htpy.td[n],
        htpy.th(scope="row")[htpy.a(href=view.address(case=case.key))[text], small(case.target or "")],
        htpy.td[wording.plain_aspect(case.aspect)],
        htpy.td(class_="cc-number")[differ],
        htpy.td(class_="cc-number")[many],
        htpy.td[verdict],
    ]


def _counts(docket: Docket, view: PeopleView) -> Node:
    """Return who was wrong how often, each leading to its cases."""
    if not docket.verdicts:
        return htpy.p(class_="cc-part-hint")["No verdict has been given in this campaign yet."]
    rows = [
        (progress.describe_blamed(blame), Cell(f"{blame.n:,}", href=view.address(only=blame_name(blame))))
        for blame in docket.blames
    ]
    caption = f"Who was wrong ({wording.count(len(docket.verdicts), 'verdict')})"
    return htpy.div(class_="cc-part")[table_element(plain_table(caption, columns("wrong", *numbers("verdicts")), rows))]


def opened_case(opened: OpenCase) -> str:
    """Return an opened case as HTML: picture, what everybody says, and the verdict's form."""
    case, subject = opened.case, opened.subject
    text = case_text(subject, case.item)
    pictures = [picture_html(picture, text, IN_PAIRS) for picture in (subject.pictures if subject else ()) if picture]
    href = page_address("images", ("image", case.item))
    about = f" Target: {case.target}." if case.target else ""
    lines: list[Cells] = [
        [
            f"{rated.rater} ({'scorer' if rated.kind == 'scorer' else 'simulated' if rated.simulated else 'person'})",
            rated.value or "no answer",
            wording.reason(rated.why) if rated.why else "",
        ]
        for rated in opened.values
    ]
    table = table_element(plain_table("All answers", ("rater", "says", "not counted, as it is"), lines), "cc-case-answers")
    return rendered(
        htpy.article(class_="cc-case", data_following=opened.following, data_before=opened.before)[
            htpy.a(class_="cc-case-pictures", href=href, aria_label=f"Open {case.item} among the images")[
                pictures or htpy.span(class_="cc-case-no-picture")[text]
            ],
            htpy.div[
                htpy.h2[f"{opened.number} · {text}"],
                htpy.p(class_="cc-part-hint")[f"Asked: {wording.aspect(opened.topic.aspect)}.{about}"],
                table,
                _earlier(opened),
                _verdict_form(opened),
            ],
        ]
    )


def _earlier(opened: OpenCase) -> Node:
    decided = opened.case.verdict
    if decided is None:
        return ""
    moment = f" on {decided.moment:%Y-%m-%d %H:%M} UTC" if decided.moment else ""
    remark = f" “{decided.note}”" if decided.note else ""
    return note(
        f"Verdict so far: {decided.verdict}; {describe_wrong(decided)} was wrong. By {decided.made_by}{moment}.{remark}"
    )


def _verdict_form(opened: OpenCase) -> Element:
    keyed = [(_LETTERS[n] if n < len(_LETTERS) else "", label) for n, label in enumerate(opened.labels)]
    raters = [
        htpy.label(class_="cc-case-choice", data_wrong=wrong, data_says=value, hidden=True)[
            htpy.input(type="radio", name="rater", value=name), htpy.span[name]
        ]
        for wrong, name, value in _raters(opened)
    ]
    return htpy.form(class_="cc-ruling")[
        _choices("What is right", "verdict", [(key, label, label) for key, label in keyed]),
        _choices("Who was wrong", "wrong", [(str(n), name, text) for n, (name, text) in enumerate(WRONG.items(), 1)]),
        htpy.fieldset(class_="cc-case-choices", data_raters="", hidden=True)[htpy.legend["Which one"], raters],
        htpy.label(class_="cc-field is-wide")[
            htpy.span["Note"], htpy.textarea(name="note", class_="cc-input", rows="1", maxlength="10000")
        ],
        htpy.p(class_="cc-act-said", role="alert"),
        htpy.div(class_="cc-people-acts")[
            htpy.button(type="submit", class_="cc-button cc-button--primary")[
                "Save and open next ", htpy.kbd(class_="cc-kbd")["Enter"]
            ],
            htpy.button(type="button", class_="cc-button", data_step="before", disabled=not opened.before)["Previous"],
            htpy.button(type="button", class_="cc-button", data_step="following", disabled=not opened.following)["Next"],
            htpy.button(type="button", class_="cc-button", data_step="list")["To the list"],
        ],
        htpy.p(class_="cc-part-hint")[KEYS],
    ]


def _choices(title: str, name: str, options: Sequence[tuple[str, str, str]]) -> Element:
    """Return radio buttons; options are key, value and words."""
    return htpy.fieldset(class_="cc-case-choices")[
        htpy.legend[title],
        [
            htpy.label(class_="cc-case-choice")[
                htpy.input(type="radio", name=name, value=value, data_letter=key or None),
                htpy.span[key and htpy.kbd(class_="cc-kbd", aria_hidden="true")[key.upper()], " ", words],
            ]
            for key, value, words in options
        ],
    ]


def _raters(opened: OpenCase) -> list[tuple[str, str, str]]:
    """Return who can have been wrong: as what, their name, and what they say."""
    kinds = {"scorer": "scorer", "human": "person"}
    every = {(kinds[rated.kind], rated.rater): rated.value for rated in opened.values if rated.value and rated.kind in kinds}
    return [(wrong, name, value) for (wrong, name), value in every.items()]
