"""A campaign's people: who works in it and how they agree, invitation links, and how people were recruited, instructed and
paid.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import gradio as gr
import htpy
from htpy import Node

from concord.campaigns import progress
from concord.campaigns.annotators import AnnotatorWork, CampaignTopic, annotators_of
from concord.campaigns.health import by_problem
from concord.campaigns.progress import CampaignProgress
from concord.common import wording
from concord.common.table import Cell, Column
from concord.people import link_path
from data.campaigns.recruitment import MAX_RECRUITMENT_LENGTH, RECRUITMENT_FIELDS
from data.people import ROLES, Invitation, Terms
from data.selection import Selection
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements import revocations
from data.store.people import invitations
from ui.components.addresses import browse_address
from ui.components.buttons import button
from ui.components.tables import (
    Cells,
    code,
    explained,
    folded,
    note,
    number,
    plain_table,
    small,
    table_element,
    table_row,
    when,
    with_details,
)
from ui.pages.campaigns.view import ActingUser, tried

_HEADERS = (
    ("person", ""),
    ("answers", "Only valid answers count; surplus answers came too late, or from revoked annotators."),
    ("active time", "Median active seconds of one answer, and all together."),
    ("agreement", "With the others; undefined (–) has a reason."),
    ("checks", "Right first answers to items with known answers."),
    ("repeats", "How often an answer repeats the person’s one before, and how often the others say that of the same items."),
    ("last seen", "When their last answer came, in your own time."),
    ("left open", "Skipped, reported as broken, and in progress."),
    ("flags", "Reasons to look, by the rules below."),
    ("", ""),
)
_NUMBERS = ("active time", "agreement", "repeats")
_KIND = {"checks": "bad", "pattern": "bad", "information": "warn"}
NOBODY = "No work in this campaign yet. Start it and invite people."


def people_table(store: Store, campaign_progress: CampaignProgress, topic: CampaignTopic | None, *, intervals: bool) -> Node:
    """Return everybody, with the rules of the flags beneath."""
    annotators = by_problem(annotators_of(store, campaign_progress.campaign, topic, intervals=intervals))
    if not annotators:
        return note(NOBODY)
    about = "Nobody has judged anything yet, so there is no agreement to show."
    if topic is not None:
        about = f"Agreement is about {wording.aspect(topic.aspect)} of {topic.suite}: {progress.COEFFICIENT}."
    everywhere = {gone.person for gone in revocations.current_revocations(store) if gone.campaign is None}
    rows = [(_person_row(person, person.worker.person in everywhere), person.worker.revoked) for person in annotators]
    lines = [table_row(*cells, kind="cc-out" if revoked else "") for cells, revoked in rows]
    heads = [Column(name, hint, number=name in _NUMBERS) for name, hint in _HEADERS]
    reasons = [person.agreement for person in annotators if person.agreement is not None]
    table = plain_table(wording.count(len(annotators), "person"), heads, lines)
    return [
        note(about),
        table_element(table, "cc-people"),
        explained(reasons, open_=False),
        folded("How the flags are made", [note(rule) for rule in progress.RULES], "cc-why", open_=True),
    ]


def _person_row(annotator_work: AnnotatorWork, everywhere: bool) -> Cells:
    work = annotator_work.worker
    kind = "simulated" if work.simulated else ""
    href = browse_address(Selection(), rater=work.person, order="lowest")
    training = f"{work.training_right}/{work.training} training" if work.training else ""
    reported = f"reported ({work.reported_share or 0:.0%} of what they dealt with)"
    counts = [(work.skipped, "skipped"), (work.reported, reported), (work.held, "held")]
    flags = [
        htpy.span(class_=f"cc-badge cc-badge--{_KIND[flag.kind]}", title=flag.sentence)[flag.code]
        for flag in annotator_work.flags
    ]
    name = htpy.a(href=href)[work.person]
    return [
        Cell(work.person, content=[name, small(kind), _revoked(annotator_work)]),
        _lines(f"{work.valid:,} valid", _counted(work.surplus, "surplus") + _counted(work.training, "training")),
        _time(annotator_work),
        _agreement(annotator_work),
        _lines(progress.describe_checks(work).replace(", ", "\n"), training),
        _alike(annotator_work),
        Cell("", content=when(work.last)),
        _lines(", ".join(filter(None, (_counted(n, label) for n, label in counts)))),
        Cell("", content=flags),
        Cell("", content=_act(annotator_work, everywhere)),
    ]


def _act(work: AnnotatorWork, everywhere: bool) -> Node:
    person = work.worker.person
    if everywhere:
        return small("revoked in the whole project")
    if work.worker.revoked:
        return button("Reinstate", "reinstate", f"Reinstate {person}", person=person)
    return button("Revoke", "revoke", f"Revoke {person}", person=person)


def _revoked(annotator_work: AnnotatorWork) -> Node:
    work = annotator_work.worker
    if work.paused is not None:
        since = [" since ", when(work.paused_since)] if work.paused_since else ""
        return [htpy.span(class_="cc-badge cc-badge--bad")["paused"], htpy.small(class_="cc-detail")[work.paused, since]]
    return htpy.span(class_="cc-badge cc-badge--bad")["revoked"] if work.revoked else ""


def _time(annotator_work: AnnotatorWork) -> Cell:
    work = annotator_work.worker
    if work.median_seconds is None:
        return _lines("")
    n = annotator_work.speed.n if annotator_work.speed is not None else 0
    return Cell(f"{work.median_seconds:z.1f} s", (f"{wording.duration(work.seconds or 0)} in all, n = {n:,}",))


def _agreement(work: AnnotatorWork) -> Cell:
    estimate = work.agreement
    if estimate is None:
        return _lines("")
    return with_details(number(estimate), f"n = {estimate.n_ratings:,}")


def _alike(work: AnnotatorWork) -> Cell:
    sameness = work.sameness
    if sameness is None or sameness.share is None:
        return _lines("")
    others = "others: none" if sameness.others is None else f"others {sameness.others:.0%}"
    return Cell(f"{sameness.share:.0%}", (others, f"n = {sameness.n:,}, longest run {sameness.longest:,}"))


def _counted(n: int, label: str) -> str:
    return f"{n:,} {label}" if n else ""


def _lines(text: str, detail: str = "") -> Cell:
    return Cell(text, (detail,) if detail else (), kind="cc-lines")


NONE = "This campaign has no link yet."
INVITE_HINT = (
    "Whoever opens the link joins this campaign in that role. A link for annotators shows nothing of the studio. On a crowd"
    " platform add ?PROLIFIC_PID={{%PROLIFIC_PID%}} (or what it has): that becomes a pseudonym, and belongs to the browser that"
    " comes with it first; who uses another one needs the re-entry code that they were shown."
)
MAY_NOT = "Only an administrator can create links."
SIGNED = "only for people whose own link you make: people link INVITATION PLATFORM ID"
_LONGEST = 3650
LinkRequest = tuple[str | None, float | None, float | None, str | None, bool]
"""What the form holds: role, days, uses, note, and whether links are signed."""


def make_link(store: Store, campaign: str, request: LinkRequest, who: ActingUser) -> str:
    """Make a link; what is wrong in a sentence, nothing if it was made."""
    if not who.may_invite:
        return MAY_NOT
    role, days, uses, remark, signed = request
    if role not in ROLES:
        return f"The role is one of {', '.join(ROLES)}."
    if days is None or not 0 < days <= _LONGEST:
        return f"A link is good for more than 0 days, and at most {_LONGEST:,}."
    terms = Terms(
        campaign=campaign,
        role=role,
        expires=datetime.now(UTC) + timedelta(days=days),
        uses=int(uses) if uses else None,
        note=(remark or "").strip()[:500],
        signed=signed,
    )
    return tried(lambda: invitations.create(store, terms, who.signed))


def revoke_link(store: Store, invitation_id: str, who: ActingUser) -> str:
    """Take a link back; what is wrong in a sentence."""
    return tried(lambda: invitations.revoke(store, invitation_id)) if who.may_invite else MAY_NOT


def links(store: Store, campaign: str, who: ActingUser) -> Node:
    """Return all links of a campaign, the newest first, for whoever may hand them out: each opens what it says."""
    if not who.may_invite:
        return note(MAY_NOT)
    listed = invitations.listed(store, campaign)
    if not listed:
        return note(NONE)
    rows = [_link_row(store, invitation, who.base, datetime.now(UTC)) for invitation in listed]
    heads = ("link", "for", "used", "expires", "made by", "")
    return table_element(plain_table(wording.count(len(listed), "link"), heads, rows), "cc-links")


def _link_row(store: Store, invitation: Invitation, base: str, now: datetime) -> Cells:
    link = base + link_path(store, invitation)
    closed = invitation.closed(now)
    used_up = invitation.uses is not None and invitation.used >= invitation.uses
    moment = f"{invitation.moment:%Y-%m-%d %H:%M}"
    shown = code(link)
    acts = [
        button("Copy", "copy", f"Copy the link for {invitation.role}s, made {moment}", copied=link),
        button("Revoke", "unlink", f"Revoke the link made {moment}", invitation=invitation.invitation_id),
    ]
    if closed is not None:
        shown, acts = htpy.span(class_="cc-detail")[closed], []
    used = f"{invitation.used:,} of {invitation.uses:,}" if invitation.uses is not None else f"{invitation.used:,}"
    full = htpy.span(class_="cc-badge cc-badge--warn")["used up"] if used_up and closed is None else ""
    remarks = [small(invitation.note)]
    if invitation.signed and closed is None:
        make_one = f"Signed: opens for nobody as it is. A person’s own link: people link {invitation.invitation_id} PLATFORM ID"
        remarks.append(small(make_one))
    return [
        Cell(link, content=[shown, remarks]),
        invitation.role,
        Cell(used, content=[f"{used} ", full]),
        Cell("", content=when(invitation.expires)),
        invitation.made_by,
        Cell("", content=acts),
    ]


RECRUITMENT_HINT: Final = (
    "Reports say how people were asked, in the fields of Otani et al. (arXiv 2304.01816). What is left empty is printed as "
    "“not reported”. Concord adds by itself what it knows: how many answered, the questionnaire, instructions and consent of "
    "this campaign, gold and attention checks passed, and the time that it took."
)


def recruitment_fields() -> dict[str, gr.Textbox]:
    """The fields by their names."""
    options: dict[str, Any] = {"max_lines": 8, "max_length": MAX_RECRUITMENT_LENGTH, "interactive": False}
    return {
        name: gr.Textbox(label=field.title, info=field.asks, elem_id=f"said-{name}", **options)
        for name, field in RECRUITMENT_FIELDS.items()
    }


def open_recruitment(store: Store, campaign: str | None, show: str | None, filled: str) -> list[Any]:
    """What has been said of a campaign, for the fields, and the campaign.

    Nothing where they hold it already: the page follows the project, and somebody may be typing.
    """
    if show != "recruitment" or not campaign or campaign == filled:
        return [gr.skip()] * (len(RECRUITMENT_FIELDS) + 1)
    texts = management.recruitment_of(store, campaign)
    # nobody types before they hold what has been said
    return [*(gr.Textbox(value=texts.get(name, ""), interactive=True) for name in RECRUITMENT_FIELDS), campaign]


def save_recruitment(store: Store, campaign: str, values: tuple[str | None, ...], who: ActingUser) -> tuple[str, str]:
    """Write the fields; a sentence, and how it is meant."""
    if not campaign or management.get(store, campaign) is None:
        return "Choose a campaign first.", "cc-bad"
    new_texts = {name: value or "" for name, value in zip(RECRUITMENT_FIELDS, values, strict=True)}
    try:
        texts = management.describe_recruitment(store, campaign, new_texts, who.signed)
    except ValueError as error:
        return wording.sentence(error), "cc-bad"
    left = len(RECRUITMENT_FIELDS) - len(texts)
    return f"Saved: {wording.count(len(texts), 'field')} said, {left:,} not reported.", ""
