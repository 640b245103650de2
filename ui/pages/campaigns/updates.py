"""What the page shows for a view, and what its buttons do.

Drawing gives lists of updates, in the order of the components that they are for; each action returns what went wrong in a
sentence, nothing if all is well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

import gradio as gr

from concord.campaigns import adjudication
from concord.campaigns.adjudication import PEOPLE, ContestedCase
from concord.campaigns.annotators import CampaignTopic, topics
from concord.campaigns.progress import CampaignProgress, all_progress, progress_of
from concord.common import wording
from data.campaign import State
from data.store.campaigns import management, monitoring
from data.store.core.campaign_items import DEFAULT
from data.store.core.store import Store
from data.store.judgements import revocations
from ui.components.controls import Choice
from ui.components.tables import note
from ui.pages.campaigns import adjudicate, people, progress
from ui.pages.campaigns.adjudicate import Ruling
from ui.pages.campaigns.view import SHOWN, ActingUser, CampaignsView, topic_name


def topic_of(store: Store, one: CampaignProgress | None, view: CampaignsView) -> CampaignTopic | None:
    """What agreement and cases are about."""
    found = topics(store, one.campaign) if one is not None else []
    return next((topic for topic in found if topic_name(topic) == view.about), found[0] if found else None)


def choices(store: Store, view: CampaignsView) -> list[Choice]:
    """The controls, in the order of ``view.ADDRESS``, with what there is to choose from."""
    found = all_progress(store)
    names = [(f"{progress.title(one)} ({one.campaign.campaign_id})", one.campaign.campaign_id) for one in found]
    one = next((each for each in found if each.campaign.campaign_id == view.campaign), None)
    chosen = one.campaign.campaign_id if one is not None else ""
    about = topics(store, one.campaign) if one is not None else []
    topic = topic_of(store, one, view)
    between, only = Choice([("people among themselves", PEOPLE)], PEOPLE), Choice([("all that differ", "any")], "any")
    case = Choice([("none", "")], "")
    if one is not None:
        between, only = adjudicate.choices(store, view, topic)
        if view.show == "adjudicate":
            following = CampaignsView(
                view.campaign, view.show, view.about, between.value or PEOPLE, only.value or "any", view.case
            )
            found_cases = adjudicate.docket(store, following, topic)
            case = adjudicate.case_choice(found_cases, adjudicate.looks_of(store, found_cases), view.case)
    suites = {each.suite for each in about}

    def title(each: CampaignTopic) -> str:
        name = wording.plain_aspect(each.aspect)
        return name if len(suites) == 1 else f"{each.suite}: {name}"

    return [
        Choice([("none", ""), *names], chosen),
        Choice([(text, name) for name, text in SHOWN.items()], view.show if view.show in SHOWN else "coverage"),
        Choice([(title(each), topic_name(each)) for each in about], topic_name(topic) if topic else None),
        between,
        only,
        case,
    ]


def controls(store: Store, view: CampaignsView) -> list[Any]:
    """The controls as a view has them."""
    campaign, show, *others = choices(store, view)
    return [campaign.control(), gr.Radio(value=show.value), *(choice.control() for choice in others)]


def followed(store: Store, *values: str | None) -> list[Any]:
    """The controls' new choices; a value is set only where it is none of them: somebody may be choosing at this moment."""
    found = choices(store, CampaignsView.of(*values))
    updates = [
        gr.update(choices=list(choice.choices)) if (value or "") == (choice.value or "") else choice.control()
        for choice, value in zip(found, values, strict=True)
    ]
    return [updates[0], gr.skip(), *updates[2:]]


def draw(store: Store, view: CampaignsView, who: ActingUser) -> Iterator[list[Any]]:
    """List, watching panel, and the part that is shown: quickly first, then with intervals."""
    found = all_progress(store)
    one = progress_of(store, view.campaign) if view.campaign else None
    head = [progress.campaigns_table(found, view.campaign) if found else progress.empty_list(store)]
    if one is None:
        yield [*head, gr.Column(visible=False), *[gr.skip()] * (6 + len(SHOWN)), *_parts(None)]
        return
    topic = topic_of(store, one, view)
    panel = [gr.Column(visible=True), _title(one), *_buttons(one)]
    shown = [gr.Column(visible=name == view.show) for name in SHOWN]
    about = gr.Dropdown(visible=view.show in ("people", "adjudicate"))
    for last in (False, True) if view.show == "people" else (True,):
        yield [*head, *panel, about, *shown, *_parts(view.show, store, view, one, topic, who, intervals=last)]


def _title(one: CampaignProgress) -> str:
    campaign, settings = one.campaign, one.campaign.settings
    told = [
        f"{campaign.questionnaire}{f' {campaign.version}' if campaign.version else ''}",
        f"{wording.count(campaign.overlap, 'person')} for each item",
        f"{settings.order} order",
        f"seed {campaign.seed}",
    ]
    told += [f"one check in {settings.check_every}"] if settings.check_every else []
    told += [f"pass mark {settings.pass_mark:.0%}"] if settings.pass_mark else []
    told += [f"pauses below {settings.gold_pass_mark:.0%} of gold, {settings.attention_pass_mark:.0%} of attention checks"] * (
        settings.check_every is not None and settings.gold_pass_mark + settings.attention_pass_mark > 0
    )
    told += [f"{settings.limit} items a person at most"] if settings.limit else []
    told += ["drawn by chance"] if campaign.stratum else []
    return f'<h2 class="cc-section">{escape(progress.title(one))} {progress.state(campaign.state)}</h2>' + note(
        f"{campaign.campaign_id}: {'; '.join(told)}."
    )


def _buttons(one: CampaignProgress) -> list[gr.Button]:
    state = one.campaign.state
    worked = bool(one.coverage.people)
    can = [progress.can(one, target) for target in ("running", "stopped", "archived")]
    label = "Go on" if state == "stopped" else "Start"
    first = gr.Button(label, interactive=can[0] and state != "archived")
    stop = gr.Button("Unarchive" if state == "archived" else "Stop", interactive=can[1])
    delete = gr.Button(interactive=not worked and one.campaign.campaign_id != DEFAULT)
    return [first, stop, gr.Button(interactive=can[2]), delete]


def _parts(show: str | None, *given: Any, intervals: bool = True) -> list[Any]:
    """Updates of all parts; those that are not shown stay as they are."""
    drawn: dict[str, list[Any]] = {
        "coverage": [gr.skip()] * 4,
        "people": [gr.skip()],
        "broken": [gr.skip()],
        "adjudicate": [gr.skip()] * 2,
        "invite": [gr.skip()],
        # a form, which nothing that happens meanwhile may change
        "recruitment": [],
    }
    if show is not None:
        drawn[show] = _part(show, *given, intervals=intervals)
    return [update for updates in drawn.values() for update in updates]


def _part(
    show: str,
    store: Store,
    view: CampaignsView,
    one: CampaignProgress,
    topic: CampaignTopic | None,
    who: ActingUser,
    *,
    intervals: bool,
) -> list[Any]:
    if show == "coverage":
        return progress.coverage_updates(store, one)
    if show == "people":
        return [people.people_table(store, one, topic, intervals=intervals)]
    if show == "broken":
        return [progress.broken_table(store, view.campaign)]
    if show == "recruitment":
        return []
    if show == "invite":
        return [people.links(store, view.campaign, who)]
    found = adjudicate.docket(store, view, topic)
    return [adjudicate.counts(found, view), adjudicate.listing(found, adjudicate.looks_of(store, found), view)]


def case_of(store: Store, view: CampaignsView) -> tuple[ContestedCase, CampaignTopic] | None:
    """The case that is open, and what it is about; None if it is none of those that are listed."""
    one = progress_of(store, view.campaign) if view.campaign else None
    found = adjudicate.docket(store, view, topic_of(store, one, view)) if one is not None else None
    case = next((each for each in found.cases if each.key == view.case), None) if found is not None else None
    if case is None:
        return None
    suite = adjudication.suite_of(store, view.campaign, case.item)
    return case, CampaignTopic(suite or "", case.aspect)


def show_case(store: Store, view: CampaignsView, person: str | None, deciding: tuple[str, str] | None = None) -> list[Any]:
    """The opened case and its empty verdict; who opens it is recorded, or asked for a name.

    ``deciding`` are the campaign and the case whose verdict is being given: drawn again, it stays as far as it is given.
    """
    found = case_of(store, view) if view.show == "adjudicate" else None
    closed: list[Any] = [gr.Column(visible=False), *[gr.skip()] * 4, None]
    if found is None:
        return [gr.Row(visible=False), "", *closed]
    if person is None:
        return [gr.Row(visible=True), note("Enter your name first: uncovering an image is recorded."), *closed]
    case, topic = found
    adjudication.record_uncovering(store, person, case.item)
    html, said = adjudicate.opened(store, view, topic, case)
    key = (view.campaign or "", view.case)
    if deciding == key:
        return [gr.Row(visible=False), html, gr.Column(visible=True), *[gr.skip()] * 4, key]
    verdict = gr.Radio(adjudicate.verdict_choices(adjudication.verdict_labels(store, topic, said)), value=None)
    rater = gr.Dropdown([], value=None, visible=False)
    return [gr.Row(visible=False), html, gr.Column(visible=True), verdict, gr.Radio(value=None), rater, "", key]


def blame(store: Store, view: CampaignsView, wrong: str | None, verdict: str | None) -> gr.Dropdown:
    """Who can have been wrong."""
    found = case_of(store, view)
    if found is None or wrong not in ("scorer", "person"):
        return gr.Dropdown([], value=None, visible=False)
    case, topic = found
    said = adjudication.rater_values(store, view.campaign, topic, case.item, case.target)
    chosen = adjudicate.to_blame(said, wrong, verdict)
    return gr.Dropdown(list(chosen.choices), value=chosen.value, visible=True, label=f"Which {wrong}")


def neighbour(store: Store, view: CampaignsView, step: int) -> str:
    """The case before or after the open one; the first one where none is open."""
    one = progress_of(store, view.campaign) if view.campaign else None
    if one is None:
        return ""
    keys = [case.key for case in adjudicate.docket(store, view, topic_of(store, one, view)).cases]
    if view.case not in keys:
        return keys[0] if keys else ""
    return keys[min(max(keys.index(view.case) + step, 0), len(keys) - 1)]


def message_update(text: str, kind: str = "cc-bad") -> gr.HTML:
    """A message's update; empty: none."""
    return gr.HTML(note(text, kind) if text else "", visible=bool(text))


def start(store: Store, campaign: str) -> str:
    return _moved(store, campaign, "running")


def stop(store: Store, campaign: str) -> str:
    return _moved(store, campaign, "stopped")


def archive(store: Store, campaign: str) -> str:
    return _moved(store, campaign, "archived")


def delete(store: Store, campaign: str) -> str:
    return _tried(lambda: management.remove(store, campaign))


def _moved(store: Store, campaign: str, state: State) -> str:
    return _tried(lambda: management.move(store, campaign, state))


def _tried(act: Callable[[], Any]) -> str:
    try:
        act()
    except ValueError as error:
        text = str(error)
        return f"{text[:1].upper()}{text[1:].rstrip('.')}."
    return ""


def revoke_question(person: str) -> str:
    """What is asked before somebody is revoked, as HTML."""
    text = f"Revoke {person}: they get nothing more here, and what they hold goes to others. Do their answers so far count?"
    return note(text) if person else ""


def revoke(store: Store, person: str, campaign: str, who: ActingUser, *, uncount: bool) -> str:
    """Take somebody out of a campaign."""
    if not person:
        return "Choose somebody first."
    n = revocations.revoke(store, person, who.signed, campaign, uncount=uncount)
    gone = f" {wording.count(n, 'answer')} stopped counting; their items are offered again." if uncount else ""
    return f"{person} is revoked.{gone}"


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


def rule(store: Store, view: CampaignsView, given: tuple[str | None, str | None, str | None, str], who: ActingUser) -> str:
    """Write a verdict about the open case."""
    found = case_of(store, view)
    if found is None:
        return "Open a case first."
    if who.name is None:
        return "Enter your name first: verdicts are signed."
    name = who.name
    verdict, wrong, rater, remark = given
    return _tried(lambda: adjudicate.rule(store, view, found[0], Ruling(verdict, wrong, rater, remark or ""), name))


def hand_out(store: Store, campaign: str, given: people.Given, who: ActingUser) -> str:
    """Make a link."""
    return people.make_link(store, campaign, given, who.signed) if who.may_invite else people.MAY_NOT


def unlink(store: Store, invitation_id: str, who: ActingUser) -> str:
    """Take a link back."""
    return people.revoke_link(store, invitation_id) if who.may_invite else people.MAY_NOT
