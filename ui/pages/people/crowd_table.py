"""People in a table, those with problems first: flags in words, agreement with the others beside that of all, known answers,
time, how high they rate, and what can be done.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import htpy
from htpy import Element, Node

from agreement.estimate import Estimate
from annotation.flags import Flag
from concord.campaigns import revoking
from concord.campaigns.cards import CampaignCard
from concord.campaigns.crowd import Crowd, Person
from concord.common import reason_sentences, wording
from concord.open_project import OpenProject
from data.selection import Selection
from ui.components.addresses import browse_address
from ui.components.dots import Axis, axis_of, axis_scale, dot, interval_text
from ui.components.tables import when
from ui.pages.people.acts import act_button, act_form, answer, asking_button

SEARCH_FROM: Final = 60
"""So many people, and the list begins with those who need a look, and has a search."""
FIRST: Final = 20
_LONGEST_PILL: Final = 48
_MOST_PILLS: Final = 2
_TONES: Final = {"checks": "bad", "pattern": "bad", "information": "warn"}

Line = tuple[Crowd, Person]


def lines_of(crowds: Iterable[Crowd]) -> list[Line]:
    """Return everybody of these crowds, who needs a look first."""
    every = [(crowd, person) for crowd in crowds for person in crowd.people]
    return sorted(every, key=lambda line: (not line[1].needs_look, line[1].out))


def visible_lines(lines: Sequence[Line], find: str, *, every: bool) -> list[Line]:
    """Return the people that are listed: all of a few; of many those who need a look, or whose name has these words."""
    if find:
        words = find.casefold().split()
        return [line for line in lines if all(word in line[1].name.casefold() for word in words)]
    if every or len(lines) < SEARCH_FROM:
        return list(lines)
    return list(lines[: max(FIRST, sum(person.needs_look for _, person in lines))])


def crowd_table(lines: Sequence[Line], cards: Sequence[CampaignCard]) -> Element:
    """Return the table; `cards` have the campaigns' titles."""
    titles = {card.name: card.title for card in cards}
    several = len({crowd.name for crowd, _ in lines}) > 1
    axis = _axis(lines)
    yes = all(crowd.says_yes for crowd, _ in lines)
    heads = [
        htpy.th(scope="col")["person"],
        htpy.th(scope="col")[htpy.span(class_="cc-unseen")["look at"]],
        htpy.th(scope="col", class_="cc-number", title="Answers that count")["answers"],
        htpy.th(scope="col", class_="cc-crowd-dots")[
            htpy.b["agreement with the others"],
            htpy.span(class_="cc-crowd-dot-cell")[axis_scale(axis), htpy.span["Krippendorff’s α"]],
        ],
        htpy.th(scope="col", class_="cc-number", title="Right first answers to gold and attention items")["known answers"],
        htpy.th(scope="col", class_="cc-number", title="Median active seconds of one answer")["median time"],
        htpy.th(scope="col", class_="cc-number", title="Share of yes" if yes else "Mean of their answers")[
            "says yes" if yes else "mean"
        ],
        htpy.th(scope="col")[htpy.span(class_="cc-unseen")["what to do"]],
    ]
    rows = [_row(crowd, person, axis, titles.get(crowd.name, "") if several else "") for crowd, person in lines]
    return htpy.div(class_="cc-panel")[
        htpy.div(class_="cc-scroll")[
            htpy.table(class_="cc-crowd")[
                htpy.caption(class_="cc-unseen")["People, those who need a look first"],
                htpy.thead[htpy.tr[heads]],
                htpy.tbody[rows],
            ]
        ]
    ]


def _axis(lines: Sequence[Line]) -> Axis:
    known: list[float] = []
    for crowd, person in lines:
        for row in (person.agreement, crowd.together):
            if row is not None and row.value is not None:
                known += [end for end in (row.low, row.value, row.high) if end is not None]
    return axis_of(known or [0.0, 1.0], zero=True)


def _row(crowd: Crowd, person: Person, axis: Axis, campaign: str) -> Element:
    right, n = person.checks
    group = campaign or ("" if crowd.name else "brought in")
    rest = [part for part in (group, "simulated" if person.simulated else "") if part]
    return htpy.tr(class_=["is-problem" if person.needs_look else None, "is-out" if person.out else None])[
        htpy.th(scope="row")[htpy.span(title=person.name)[person.name], rest and htpy.small[", ".join(rest)]],
        htpy.td(class_="cc-crowd-pills")[_state(person)],
        htpy.td(class_="cc-number cc-crowd-answers", data_name="answers")[f"{person.answers:,}"],
        htpy.td(class_="cc-crowd-dots")[_agreement(crowd, person, axis)],
        htpy.td(class_="cc-number cc-crowd-more", data_name="known answers")[f"{right} / {n}" if n else "–"],
        htpy.td(class_="cc-number cc-crowd-more", data_name="median time")[
            "–" if person.seconds is None else f"{person.seconds:z.1f} s"
        ],
        htpy.td(class_="cc-number cc-crowd-more", data_name="says yes" if crowd.says_yes else "mean")[_mean(crowd, person)],
        htpy.td(class_="cc-crowd-acts")[htpy.div[_acts(crowd, person)]],
    ]


def pill(text: str, tone: str = "", title: str = "") -> Element:
    """Return a few words on a ground of their tone: `bad`, `warn`, `ok`, `accent` or none."""
    return htpy.span(class_=["cc-tone", tone and f"cc-tone--{tone}"], title=title or None)[text]


def _state(person: Person) -> Node:
    """Return what is odd about somebody, or how they are out; “fine” for neither."""
    found: list[Node] = []
    if person.out:
        found.append(_out(person))
    # how they were paused is a flag, too
    flags = [flag for flag in person.flags if not (person.out and flag.sentence.startswith("paused: "))]
    found += [_flag(flag) for flag in flags[:_MOST_PILLS]]
    if rest := flags[_MOST_PILLS:]:
        found.append(pill(f"+{len(rest)}", "", "\n".join(f"{flag.code}: {flag.sentence}" for flag in rest)))
    return found or htpy.span(class_="cc-part-hint")["fine" if person.work is not None else ""]


def _out(person: Person) -> Node:
    assert person.work is not None
    worker, gone = person.work.worker, person.revocation
    if worker.paused is not None:
        since = worker.paused_since
        return [pill(f"paused: {worker.paused}", "bad"), since is not None and htpy.small[" since ", when(since)]]
    if person.withdrawn:
        return pill("took their answers back", "")
    if gone is None:
        return pill("revoked", "bad")
    where = " in the whole project" if gone.campaign is None else ""
    words = "revoked" if gone.uncounted else "paused"
    counts = "their answers do not count" if gone.uncounted else "their answers count"
    return pill(
        f"{words}{where} by {gone.by}", "bad" if gone.uncounted else "warn", f"{gone.moment:%Y-%m-%d %H:%M} UTC; {counts}"
    )


def _flag(flag: Flag) -> Element:
    text = flag.sentence if len(flag.sentence) <= _LONGEST_PILL else flag.code
    return pill(text, _TONES[flag.kind], f"{flag.code}: {flag.sentence}")


def band(row: Estimate | None, axis: Axis) -> Node:
    """Return an interval as a band behind dots, with a line at its value."""
    if row is None or row.value is None:
        return ""
    low, high = (axis.percent(row.value if end is None else end) for end in (row.low, row.high))
    middle = axis.percent(row.value)
    return [
        htpy.i(class_="cc-crowd-band", style=f"left:{low}%;width:{round(high - low, 2)}%"),
        htpy.i(class_="cc-crowd-middle", style=f"left:{middle}%"),
    ]


def _agreement(crowd: Crowd, person: Person, axis: Axis) -> Node:
    row = person.agreement
    if row is None or row.value is None:
        why = "nothing that it could be about" if row is None or row.reason is None else reason_sentences.text(row.reason)
        return htpy.span(class_="cc-part-hint", title=why)["– ", htpy.small[why]]
    ends = "" if row.low is None or row.high is None else f", 95 % interval {row.low:z.2f} to {row.high:z.2f}"
    said = f"{row.value:z.2f}{ends}; n = {row.n_ratings:,} pairs of answers"
    kind = "simulated" if person.simulated else "people"
    return htpy.span(class_="cc-crowd-dot-cell", title=said)[
        htpy.span(class_="cc-crowd-dot")[band(crowd.together, axis), dot(row, axis, kind)],
        htpy.span(class_="cc-crowd-value")[htpy.b[wording.two(row.value)], " ", htpy.small[interval_text(row)]],
    ]


def _mean(crowd: Crowd, person: Person) -> Node:
    row = person.mean
    if row is None or row.value is None:
        return "–"
    ends = "" if row.low is None or row.high is None else f"95 % interval {row.low:z.2f} to {row.high:z.2f}; "
    text = f"{row.value:z.0%}" if crowd.says_yes else wording.two(row.value)
    return htpy.span(title=f"{ends}n = {row.n_items:,} images")[text]


def answers_address(person: str) -> str:
    """Return the address of somebody's answers among the images."""
    return browse_address(Selection(), rater=person, order="lowest")


def _acts(crowd: Crowd, person: Person) -> list[Node]:
    look = htpy.a(class_="cc-button" if person.needs_look else "cc-quiet-act", href=answers_address(person.name))[
        "Look at answers" if person.needs_look else "Answers"
    ]
    body = {"campaign": crowd.name, "person": person.name}
    if not crowd.name:
        return [look, _more(person, "")]
    if person.out:
        everywhere = person.revocation is not None and person.revocation.campaign is None
        back = (
            ""
            if everywhere or person.withdrawn
            else act_button("Reinstate", "campaign/person", body | {"act": "reinstate"}, f"Reinstate {person.name}")
        )
        return [look, back, _more(person, crowd.name)]
    question = (
        f"{person.name} gets nothing more here, and what they hold goes to others. Do their answers so far count?"
        " Reinstate takes it back."
    )
    answers = [
        answer("Pause: answers stay", "campaign/person", body | {"act": "pause"}),
        answer("Revoke: answers stop counting", "campaign/person", body | {"act": "revoke"}, danger=True),
    ]
    pause = asking_button("Pause", question, answers, f"Pause or revoke {person.name}", about=crowd.name)
    return [look, pause, _more(person, crowd.name)]


def _more(person: Person, campaign: str) -> Node:
    """Return what only an administrator may do, and nobody undoes: a popup."""
    if person.simulated:
        return ""
    name = {"name": person.name}
    parts: list[Node] = []
    if campaign:
        withdrawal = answer("Withdraw their answers", "people/withdraw", name | {"campaign": campaign}, danger=True)
        code = act_form(
            "people/code",
            name,
            htpy.button(type="submit", class_="cc-button")["New re-entry code"],
            data_says="The new re-entry code: {code}. It is shown only now, and the one before ends.",
        )
        parts += [
            htpy.p["They ask for it: all their answers in this campaign stop counting for good, and others get these images."],
            withdrawal,
            htpy.p["They came from a crowd platform and lost their code:"],
            code,
        ]
    keep = htpy.label[
        htpy.input(type="checkbox", name="keep_debt", data_kind="bool"),
        htpy.span["What they are owed is paid, or stays as a sum without a name"],
    ]
    erase = act_form(
        "people/erase",
        name,
        [keep, htpy.button(type="submit", class_="cc-button cc-button--danger")["Erase this person"]],
        data_says="Erased: {answers} answers.",
    )
    parts += [htpy.p["Erase them with all their answers, from the backups, too. Nothing brings that back."], erase]
    return asking_button(
        "More", [htpy.b[person.name], " (for administrators)"], parts, f"More about {person.name}", about=f"more {campaign}"
    )


def revoking_several(store: OpenProject, card: CampaignCard) -> Node:
    """Return the button that revokes all flagged people of a campaign, from two on, with their reasons; and its undo."""
    listed = revoking.candidates(store, card.name)
    body = {"campaign": card.name}
    undo = revoking.undoable(store, card.name) and act_button(
        "Undo revoking several", "revoke/undo", body, kind="cc-button", label=f"Undo revoking several in {card.title}"
    )
    if len(listed) < 2:
        return undo or ""
    boxes = [
        htpy.label[
            htpy.input(type="checkbox", name="people", value=each.person, checked=each.preselected, data_kind="list"),
            htpy.span[each.person, htpy.small[each.describe()]],
        ]
        for each in listed
    ]
    form = act_form(
        "revoke",
        body,
        [
            boxes,
            htpy.div(class_="cc-asking-answers")[
                htpy.button(type="submit", class_="cc-button", data_set='{"uncount": false}')["Pause: answers stay"],
                htpy.button(type="submit", class_="cc-button cc-button--danger", data_set='{"uncount": true}')[
                    "Revoke: answers stop counting"
                ],
            ],
        ],
        data_closes="",
    )
    question = "What they hold goes to others. Failed checks and patterns are ticked; other flags are a reason to look."
    return [
        asking_button(
            "Revoke all flagged", question, form, f"Revoke all flagged in {card.title}", kind="cc-button", about=card.name
        ),
        undo or "",
    ]
