"""Who works in one campaign: what they did, how they agree, who should be looked at."""

from __future__ import annotations

from html import escape

from concord.campaigns import progress
from concord.campaigns.annotators import AnnotatorWork, CampaignTopic, annotators_of
from concord.campaigns.progress import CampaignProgress
from concord.common import wording
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements import revocations
from ui.addresses import browse_address
from ui.components.acting import button
from ui.components.estimates import explained, number
from ui.components.table import WRAP, note

_HEADERS = (
    ("person", ""),
    ("answers", "Valid ones count; surplus ones came too late, or from who was revoked."),
    ("active time", "Median active seconds of one answer, and all together."),
    ("agreement", "With the others; undefined (–) has a reason."),
    ("checks", "Right first answers to items with known answers."),
    ("repeats", "How often an answer repeats the person’s one before, and how often the others say that of the same items."),
    ("left open", "Skipped, reported as broken, and held now."),
    ("flags", "Reasons to look, by the rules below."),
    ("", ""),
)
_NUMBERS = ("active time", "agreement", "repeats")
NOBODY = "Nobody has done anything in this campaign yet. Start it, and invite people."


def table(store: Store, one: CampaignProgress, topic: CampaignTopic | None, *, intervals: bool) -> str:
    """Everybody, with the rules of the flags beneath."""
    found = annotators_of(store, one.campaign, topic, intervals=intervals)
    if not found:
        return note(NOBODY)
    about = "Nobody has judged anything yet, so there is no agreement to show."
    if topic is not None:
        about = f"Agreement is about {wording.aspect(topic.aspect)} of {topic.suite}: {progress.COEFFICIENT}."
    everywhere = {gone.person for gone in revocations.current_revocations(store) if gone.campaign is None}
    head = "".join(
        f'<th scope="col"{" class=cc-number" if name in _NUMBERS else ""}{_title(hint)}>{name}</th>' for name, hint in _HEADERS
    )
    body = "".join(_row(person, person.worker.person in everywhere) for person in found)
    rules = "".join(note(rule) for rule in progress.RULES)
    reasons = [person.agreement.to_dict() for person in found if person.agreement is not None]
    return (
        note(about)
        + f'{WRAP}<table class="cc-table cc-people">'
        + f"<caption>{wording.count(len(found), 'person')}</caption>"
        + f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        + explained(reasons, open_=False)
        + f'<details class="cc-why" open><summary>How the flags are made</summary>{rules}</details>'
    )


def _row(one: AnnotatorWork, everywhere: bool) -> str:
    work = one.worker
    kind = "simulated" if work.simulated else ""
    cells = (
        f'<th scope="row">{_browsable(work.person)}{_small(kind)}{_revoked(one)}</th>',
        _cell(f"{work.valid:,} valid", _counted(work.surplus, "surplus") + _counted(work.training, "training")),
        _time(one),
        _agreement(one),
        _cell(progress.describe_checks(work).replace(", ", "\n"), _training(one)),
        _alike(one),
        _cell(
            ", ".join(
                text
                for text in (
                    _counted(work.skipped, "skipped"),
                    _counted(work.reported, "reported"),
                    _counted(work.held, "held"),
                )
                if text
            )
        ),
        "<td>" + "".join(f'<span class="cc-badge cc-badge--warn">{escape(flag)}</span>' for flag in one.flags) + "</td>",
        f"<td>{_act(one, everywhere)}</td>",
    )
    return f"<tr{' class=cc-out' if work.revoked else ''}>{''.join(cells)}</tr>"


def _act(one: AnnotatorWork, everywhere: bool) -> str:
    person = one.worker.person
    if everywhere:
        return _small("revoked in the whole project")
    if one.worker.revoked:
        return button("Reinstate", "reinstate", f"Reinstate {person}", person=person)
    return button("Revoke", "revoke", f"Revoke {person}", person=person)


def _browsable(person: str) -> str:
    href = browse_address(Selection(), rater=person, order="lowest")
    return f'<a href="{escape(href)}">{escape(person)}</a>'


def _revoked(one: AnnotatorWork) -> str:
    work = one.worker
    if work.paused is not None:
        since = f" since {work.paused_since:%Y-%m-%d %H:%M} UTC" if work.paused_since else ""
        return f'<span class="cc-badge cc-badge--bad">paused</span>{_small(f"{work.paused}{since}")}'
    return '<span class="cc-badge cc-badge--bad">revoked</span>' if work.revoked else ""


def _training(one: AnnotatorWork) -> str:
    work = one.worker
    return f"{work.training_right}/{work.training} training" if work.training else ""


def _time(one: AnnotatorWork) -> str:
    work = one.worker
    if work.median_seconds is None:
        return _cell("")
    n = one.speed.n if one.speed is not None else 0
    whole = f"{wording.duration(work.seconds or 0)} in all, n = {n:,}"
    return _cell(f"{work.median_seconds:.1f} s", whole, number_=True)


def _agreement(one: AnnotatorWork) -> str:
    found = one.agreement
    if found is None:
        return _cell("")
    made = number(found.to_dict())
    detail = "\n".join(part for part in (made.detail, f"n = {found.n_ratings:,}") if part)
    return _cell(made.text, detail, made.note, number_=True)


def _alike(one: AnnotatorWork) -> str:
    found = one.sameness
    if found is None or found.share is None:
        return _cell("")
    others = "others: none" if found.others is None else f"others {found.others:.0%}"
    return _cell(f"{found.share:.0%}", f"{others}\nn = {found.n:,}, longest run {found.longest:,}", number_=True)


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}" if n else ""


def _cell(text: str, detail: str = "", hint: str = "", *, number_: bool = False) -> str:
    kind = ' class="cc-number"' if number_ else ' class="cc-lines"'
    return f"<td{kind}{_title(hint)}>{escape(text)}{_small(detail)}</td>"


def _title(hint: str) -> str:
    return f' title="{escape(hint)}"' if hint else ""


def _small(text: str) -> str:
    return f'<small class="cc-detail">{escape(text)}</small>' if text else ""
