"""What the page shows for a view, and what its buttons do.

Each action returns what went wrong in a sentence, nothing if all is well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote

import gradio as gr
import htpy
from htpy import Node

from concord.campaigns import adjudication, revoking
from concord.campaigns.adjudication import PEOPLE, ContestedCase
from concord.campaigns.annotators import CampaignTopic, annotators_of, needs_look, topics
from concord.campaigns.progress import CampaignProgress, all_progress, progress_of
from concord.common import wording
from concord.common.base_path import at
from data.campaigns.settings import DEFAULT, State
from data.refusals import CampaignRefused
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from data.store.judgements import revocations
from ui.components.tables import bullets, heading, note
from ui.pages.campaigns import adjudicate, pay, people, progress
from ui.pages.campaigns.adjudicate import Ruling
from ui.pages.campaigns.view import ANY, SHOWN, ActingUser, CampaignsView, topic_name, tried
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.html import html_component, rendered


def topic_of(store: Store, campaign_progress: CampaignProgress | None, view: CampaignsView) -> CampaignTopic | None:
    """What agreement and cases are about."""
    named = {topic_name(topic): topic for topic in topics(store, campaign_progress.campaign)} if campaign_progress else {}
    return named.get(view.about) or next(iter(named.values()), None)


def choices(store: Store, view: CampaignsView) -> dict[str, Choice]:
    """The controls, by the names of ``view.ADDRESS``, with what there is to choose from."""
    campaigns = all_progress(store)
    campaign_progress = next((each for each in campaigns if each.campaign.campaign_id == view.campaign), None)
    about = topics(store, campaign_progress.campaign) if campaign_progress is not None else []
    topic = topic_of(store, campaign_progress, view)
    between, only, case = Choice([("people among themselves", PEOPLE)], PEOPLE), Choice([("all that differ", ANY)], ANY), None
    if campaign_progress is not None:
        between, only = adjudicate.choices(store, view, topic)
        if view.show == "adjudicate":
            following = replace(view, against=between.value or PEOPLE, only=only.value or ANY)
            found_cases = adjudicate.docket(store, following, topic)
            case = adjudicate.case_choice(found_cases, adjudicate.looks_of(store, found_cases), view.case)
    several = len({each.suite for each in about}) > 1

    def title(each: CampaignTopic) -> str:
        name = wording.plain_aspect(each.aspect)
        return f"{each.suite}: {name}" if several else name

    names = {each.campaign.campaign_id: f"{progress.title(each)} ({each.campaign.campaign_id})" for each in campaigns}
    return {
        "campaign": Choice.among({"": "none"} | names, view.campaign),
        "show": Choice.among(SHOWN, view.show),
        "about": Choice.among({topic_name(each): title(each) for each in about}, view.about),
        "against": between,
        "only": only,
        "case": case or Choice([("none", "")], ""),
    }


def draw(store: Store, view: CampaignsView) -> Iterator[Drawn]:
    """List, watching panel, and the part that is shown: quickly first, then with intervals."""
    campaigns = all_progress(store)
    campaign_progress = progress_of(store, view.campaign) if view.campaign else None
    head: dict[str, Any] = {"campaigns": progress.campaigns_table(campaigns, view) if campaigns else progress.empty_list(store)}
    if campaign_progress is None:
        yield head | {"campaign-panel": False}
        return
    topic = topic_of(store, campaign_progress, view)
    head |= {
        "campaign-panel": True,
        "campaign-title": _title(campaign_progress),
        "health": progress.health_bar(store, campaign_progress),
        **_buttons(campaign_progress),
    }
    head |= {f"part-{name}": name == view.show for name in SHOWN}
    for last in (False, True) if view.show == "people" else (True,):
        yield {**head, **_part(store, view, campaign_progress, topic, intervals=last)}


def _title(campaign_progress: CampaignProgress) -> Node:
    campaign, settings = campaign_progress.campaign, campaign_progress.campaign.settings
    parts = [
        f"{campaign.questionnaire}{f' {campaign.version}' if campaign.version else ''}",
        f"{wording.count(campaign.overlap, 'person')} for each item",
        f"{settings.order} order",
        f"seed {campaign.seed}",
    ]
    parts += [f"one check in {settings.check_every}"] if settings.check_every else []
    parts += [f"pass mark {settings.pass_mark:.0%}"] if settings.pass_mark else []
    parts += [f"pauses below {settings.gold_pass_mark:.0%} of gold, {settings.attention_pass_mark:.0%} of attention checks"] * (
        settings.check_every is not None and settings.gold_pass_mark + settings.attention_pass_mark > 0
    )
    parts += [f"{settings.limit} items a person at most"] if settings.limit else []
    parts += ["drawn by chance"] if campaign.stratum else []
    href = at(f"/annotate/?preview={quote(campaign.campaign_id)}")
    look = note([htpy.a(href=href, target="_blank")["Preview as a worker sees it"], " (nothing is stored)"])
    return [
        heading([progress.title(campaign_progress), " ", progress.state(campaign.state)]),
        note(f"{campaign.campaign_id}: {'; '.join(parts)}."),
        look if campaign.campaign_id != DEFAULT else "",
    ]


def _buttons(campaign_progress: CampaignProgress) -> dict[str, gr.Button]:
    state = campaign_progress.campaign.state
    worked = bool(campaign_progress.coverage.people)
    start, stop, archive = (progress.can(campaign_progress, target) for target in ("running", "stopped", "archived"))
    label = "Go on" if state == "stopped" else "Start"
    return {
        "campaign-start": gr.Button(label, interactive=start and state != "archived"),
        "campaign-stop": gr.Button("Unarchive" if state == "archived" else "Stop", interactive=stop),
        "campaign-archive": gr.Button(interactive=archive),
        "campaign-delete": gr.Button(interactive=not worked and campaign_progress.campaign.campaign_id != DEFAULT),
    }


def _part(
    store: Store, view: CampaignsView, campaign_progress: CampaignProgress, topic: CampaignTopic | None, *, intervals: bool
) -> Drawn:
    """The part that is shown; the others stay as they are. A form may not be changed by what happens meanwhile."""
    if view.show == "coverage":
        return progress.coverage_updates(store, campaign_progress)
    if view.show == "people":
        campaign = campaign_progress.campaign
        flagged = any(needs_look(person) for person in annotators_of(store, campaign, None, intervals=False))
        gone = revocations.current_revocations(store)
        undo = any(each.batch is not None and each.campaign == campaign.campaign_id for each in gone)
        table = people.people_table(store, campaign_progress, topic, intervals=intervals)
        return {"people": table, "revoke-flagged": gr.Button(visible=flagged), "revoke-undo": gr.Button(visible=undo)}
    if view.show == "pay":
        return {"pay": pay.pay_table(store, campaign_progress.campaign)}
    if view.show == "broken":
        return {"broken": progress.broken_table(store, view.campaign)}
    if view.show == "adjudicate":
        docket = adjudicate.docket(store, view, topic)
        cases_html = adjudicate.listing(docket, adjudicate.looks_of(store, docket), view)
        return {"verdicts": adjudicate.counts(docket, view), "cases": cases_html}
    return {}


def _cases(store: Store, view: CampaignsView) -> Sequence[ContestedCase]:
    """The cases that are listed."""
    campaign_progress = progress_of(store, view.campaign) if view.campaign else None
    if campaign_progress is None:
        return ()
    return adjudicate.docket(store, view, topic_of(store, campaign_progress, view)).cases


def case_of(store: Store, view: CampaignsView) -> tuple[ContestedCase, CampaignTopic] | None:
    """The case that is open, and what it is about; None if it is none of those that are listed."""
    case = next((each for each in _cases(store, view) if each.key == view.case), None)
    if case is None:
        return None
    suite = adjudication.suite_of(store, view.campaign, case.item)
    return case, CampaignTopic(suite or "", case.aspect)


def show_case(store: Store, view: CampaignsView, person: str | None, deciding: tuple[str, str] | None = None) -> list[Any]:
    """The opened case and its empty verdict; who opens it is recorded, or asked for a name.

    ``deciding`` are the campaign and the case whose verdict is being given: drawn again, it stays as far as it is given.
    """
    opened = case_of(store, view) if view.show == "adjudicate" else None
    closed: list[Any] = [gr.Column(visible=False), *[gr.skip()] * 4, None]
    if opened is None:
        return [gr.Row(visible=False), "", *closed]
    if person is None:
        return [gr.Row(visible=True), rendered(note("Enter your name first: uncovering an image is recorded.")), *closed]
    case, topic = opened
    adjudication.record_uncovering(store, person, case.item)
    content, values = adjudicate.opened(store, view, topic, case)
    html = rendered(content)
    key = (view.campaign or "", view.case)
    if deciding == key:
        return [gr.Row(visible=False), html, gr.Column(visible=True), *[gr.skip()] * 4, key]
    verdict = gr.Radio(adjudicate.verdict_choices(adjudication.verdict_labels(store, topic, values)), value=None)
    rater = gr.Dropdown([], value=None, visible=False)
    return [gr.Row(visible=False), html, gr.Column(visible=True), verdict, gr.Radio(value=None), rater, "", key]


def blame(store: Store, view: CampaignsView, wrong: str | None, verdict: str | None) -> gr.Dropdown:
    """Who can have been wrong."""
    opened = case_of(store, view)
    if opened is None or wrong not in ("scorer", "person"):
        return gr.Dropdown([], value=None, visible=False)
    case, topic = opened
    rater_values = adjudication.rater_values(store, view.campaign, topic, case.item, case.target)
    chosen = adjudicate.to_blame(rater_values, wrong, verdict)
    return gr.Dropdown(list(chosen.choices), value=chosen.value, visible=True, label=f"Which {wrong}")


def neighbour(store: Store, view: CampaignsView, step: int) -> str:
    """The case before or after the open one; the first one where none is open."""
    keys = [case.key for case in _cases(store, view)]
    if view.case not in keys:
        return keys[0] if keys else ""
    return keys[min(max(keys.index(view.case) + step, 0), len(keys) - 1)]


def message_update(text: str, kind: str = "cc-bad") -> gr.HTML:
    """A message's update; empty: none."""
    return html_component(note(text, kind) if text else "", visible=bool(text))


MOVES: Final[Mapping[str, State]] = {"start": "running", "stop": "stopped", "archive": "archived"}
"""By the name of a button the state that it brings a campaign into."""


def move(store: Store, campaign: str, name: str) -> str:
    """Do what one of ``MOVES`` is for, or ``delete`` the campaign."""
    if name == "delete":
        return tried(lambda: management.remove(store, campaign))
    return tried(lambda: management.move(store, campaign, MOVES[name]))


SEVERAL: Final = "\n"
"""Stands before and between names where several people are named: no name has a control character."""


def preselected(store: Store, campaign: str) -> str:
    """Return the names of those who are preselected for revoking, each after ``SEVERAL``."""
    return "".join(SEVERAL + each.person for each in revoking.candidates(store, campaign) if each.preselected) or SEVERAL


def revoke_several_question(store: Store, campaign: str, whom: str) -> Node:
    """Return what is asked before several people are revoked, with their reasons."""
    chosen = {name for name in whom.split(SEVERAL) if name}
    reasons = [f"{each.person}: {each.describe()}" for each in revoking.candidates(store, campaign) if each.person in chosen]
    if not reasons:
        return note("Nobody has failed checks or shows a pattern. Revoke single people in the table.")
    question = note("Revoke these people: what they hold goes to others. Do their answers so far count?")
    return [question, bullets(reasons)]


def revoke_question(person: str) -> Node:
    """Return what is asked before one person is revoked."""
    text = f"Revoke {person}: they get nothing more here, and what they hold goes to others. Do their answers so far count?"
    return note(text) if person else ""


def revoke(store: Store, person: str, campaign: str, who: ActingUser, *, uncount: bool) -> str:
    """Take somebody out of a campaign."""
    if not person:
        return "Choose somebody first."
    if person.startswith(SEVERAL):
        return _revoke_several(store, [name for name in person.split(SEVERAL) if name], campaign, who, uncount=uncount)
    n = revocations.revoke(store, person, who.signed, campaign, uncount=uncount)
    gone = f" {wording.count(n, 'answer')} stopped counting; their items are offered again." if uncount else ""
    return f"{person} is revoked.{gone}"


def _revoke_several(store: Store, people: Sequence[str], campaign: str, who: ActingUser, *, uncount: bool) -> str:
    try:
        answers = revoking.revoke(store, campaign, people, who.signed, uncount=uncount)
    except CampaignRefused as error:
        return wording.sentence(error)
    return wording.sentence(revoking.describe_revoked(people, answers, uncount=uncount))


def undo_revoke(store: Store, campaign: str, who: ActingUser) -> str:
    """Let those in again who were last revoked together."""
    try:
        return wording.sentence(revoking.describe_undone(*revoking.undo(store, campaign, who.signed)))
    except CampaignRefused as error:
        return wording.sentence(error)


def reinstate(store: Store, person: str, campaign: str, who: ActingUser) -> str:
    """Let somebody in again."""
    n = revocations.restore(store, person, who.signed, campaign)
    return f"{person} is back. {wording.count(n, 'answer')} of theirs {'counts' if n == 1 else 'count'} again."


def set_aside(store: Store, campaign: str, item: str, *, aside: bool) -> str:
    """Offer an item to nobody, or to everybody again."""
    try:
        monitoring.set_aside(store, campaign, item, aside)
    except KeyError:
        return f"This campaign has no item {item!r} any more."
    return ""


def rule(store: Store, view: CampaignsView, ruling: tuple[str | None, str | None, str | None, str], who: ActingUser) -> str:
    """Write a verdict about the open case."""
    opened = case_of(store, view)
    if opened is None:
        return "Open a case first."
    if who.name is None:
        return "Enter your name first: verdicts are signed."
    name = who.name
    verdict, wrong, rater, remark = ruling
    return tried(lambda: adjudicate.rule(store, view, opened[0], Ruling(verdict, wrong, rater, remark or ""), name))
