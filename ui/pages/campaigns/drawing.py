"""What the page shows for a view: lists of updates, in the order of the components that they are for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import gradio as gr

from concord.campaigns import adjudication
from concord.campaigns.adjudication import PEOPLE, ContestedCase
from concord.campaigns.annotators import CampaignTopic, topics
from concord.campaigns.progress import CampaignProgress, all_progress, progress_of
from concord.common import wording
from data.store.core.campaign_items import DEFAULT
from data.store.core.store import Store
from ui.components.filters import Choice
from ui.components.table import note
from ui.pages.campaigns import adjudicate, broken, coverage, invite, listing, people
from ui.pages.campaigns.view import SHOWN, View, topic_name
from ui.pages.campaigns.who import Actor


def topic_of(store: Store, one: CampaignProgress | None, view: View) -> CampaignTopic | None:
    """What agreement and cases are about."""
    found = topics(store, one.campaign) if one is not None else []
    return next((topic for topic in found if topic_name(topic) == view.about), found[0] if found else None)


def choices(store: Store, view: View) -> list[Choice]:
    """The controls, in the order of ``view.ADDRESS``, with what there is to choose from."""
    found = all_progress(store)
    names = [(f"{listing.title(one)} ({one.campaign.campaign_id})", one.campaign.campaign_id) for one in found]
    one = next((each for each in found if each.campaign.campaign_id == view.campaign), None)
    chosen = one.campaign.campaign_id if one is not None else ""
    about = topics(store, one.campaign) if one is not None else []
    topic = topic_of(store, one, view)
    between, only = Choice([("people among themselves", PEOPLE)], PEOPLE), Choice([("all that differ", "any")], "any")
    case = Choice([("none", "")], "")
    if one is not None:
        between, only = adjudicate.choices(store, view, topic)
        if view.show == "adjudicate":
            found_cases = adjudicate.docket(store, _following(view, between, only), topic)
            case = adjudicate.case_choice(found_cases, adjudicate.looks_of(store, found_cases), view.case)
    return [
        Choice([("none", ""), *names], chosen),
        Choice([(text, name) for name, text in SHOWN.items()], view.show if view.show in SHOWN else "coverage"),
        Choice([(_topic_title(each, about), topic_name(each)) for each in about], topic_name(topic) if topic else None),
        between,
        only,
        case,
    ]


def _following(view: View, between: Choice, only: Choice) -> View:
    return View(view.campaign, view.show, view.about, between.value or PEOPLE, only.value or "any", view.case)


def _topic_title(topic: CampaignTopic, every: Sequence[CampaignTopic]) -> str:
    name = wording.plain_aspect(topic.aspect)
    return name if len({one.suite for one in every}) == 1 else f"{topic.suite}: {name}"


def controls(store: Store, view: View) -> list[Any]:
    """The controls as a view has them."""
    campaign, show, *others = choices(store, view)
    return [campaign.control(), gr.Radio(value=show.value), *(choice.control() for choice in others)]


def followed(store: Store, *values: str | None) -> list[Any]:
    """The controls' new choices; a value is set only where it is none of them: somebody may be choosing at this moment."""
    found = choices(store, View.of(*values))
    updates = [
        gr.update(choices=list(choice.choices)) if (value or "") == (choice.value or "") else choice.control()
        for choice, value in zip(found, values, strict=True)
    ]
    return [updates[0], gr.skip(), *updates[2:]]


def draw(store: Store, view: View, who: Actor) -> Iterator[list[Any]]:
    """List, watching panel, and the part that is shown: quickly first, then with intervals."""
    found = all_progress(store)
    one = progress_of(store, view.campaign) if view.campaign else None
    head = [listing.table(found, view.campaign) if found else listing.empty(store)]
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
    return f'<h2 class="cc-section">{escape(listing.title(one))} {listing.state(campaign.state)}</h2>' + note(
        f"{campaign.campaign_id}: {'; '.join(told)}."
    )


def _buttons(one: CampaignProgress) -> list[gr.Button]:
    state = one.campaign.state
    worked = bool(one.coverage.people)
    can = [listing.can(one, target) for target in ("running", "stopped", "archived")]
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
    show: str, store: Store, view: View, one: CampaignProgress, topic: CampaignTopic | None, who: Actor, *, intervals: bool
) -> list[Any]:
    if show == "coverage":
        return coverage.drawn(store, one)
    if show == "people":
        return [people.table(store, one, topic, intervals=intervals)]
    if show == "broken":
        return [broken.table(store, view.campaign)]
    if show == "recruitment":
        return []
    if show == "invite":
        return [invite.links(store, view.campaign, who)]
    found = adjudicate.docket(store, view, topic)
    return [adjudicate.counts(found, view), adjudicate.listing(found, adjudicate.looks_of(store, found), view)]


def case_of(store: Store, view: View) -> tuple[ContestedCase, CampaignTopic] | None:
    """The case that is open, and what it is about; None if it is none of those that are listed."""
    one = progress_of(store, view.campaign) if view.campaign else None
    found = adjudicate.docket(store, view, topic_of(store, one, view)) if one is not None else None
    case = next((each for each in found.cases if each.key == view.case), None) if found is not None else None
    if case is None:
        return None
    suite = adjudication.suite_of(store, view.campaign, case.item)
    return case, CampaignTopic(suite or "", case.aspect)


def show_case(store: Store, view: View, person: str | None, deciding: tuple[str, str] | None = None) -> list[Any]:
    """The opened case and its empty verdict; who opens it is recorded, or asked for a name.

    ``deciding`` are the campaign and the case whose verdict is being given: drawn again, it stays as far as it is given.
    """
    found = case_of(store, view) if view.show == "adjudicate" else None
    closed: list[Any] = [gr.Column(visible=False), *[gr.skip()] * 4, None]
    if found is None:
        return [gr.Row(visible=False), "", *closed]
    if person is None:
        return [gr.Row(visible=True), note("Give your name first: who uncovers an image is recorded."), *closed]
    case, topic = found
    adjudication.record_uncovering(store, person, case.item)
    html, said = adjudicate.opened(store, view, topic, case)
    key = (view.campaign or "", view.case)
    if deciding == key:
        return [gr.Row(visible=False), html, gr.Column(visible=True), *[gr.skip()] * 4, key]
    verdict = gr.Radio(adjudicate.verdict_choices(adjudication.verdict_labels(store, topic, said)), value=None)
    rater = gr.Dropdown([], value=None, visible=False)
    return [gr.Row(visible=False), html, gr.Column(visible=True), verdict, gr.Radio(value=None), rater, "", key]


def blame(store: Store, view: View, wrong: str | None, verdict: str | None) -> gr.Dropdown:
    """Who can have been wrong."""
    found = case_of(store, view)
    if found is None or wrong not in ("scorer", "person"):
        return gr.Dropdown([], value=None, visible=False)
    case, topic = found
    said = adjudication.rater_values(store, view.campaign, topic, case.item, case.target)
    chosen = adjudicate.to_blame(said, wrong, verdict)
    return gr.Dropdown(list(chosen.choices), value=chosen.value, visible=True, label=f"Which {wrong}")


def neighbour(store: Store, view: View, step: int) -> str:
    """The case before or after the open one; the first one where none is open."""
    one = progress_of(store, view.campaign) if view.campaign else None
    if one is None:
        return ""
    keys = [case.key for case in adjudicate.docket(store, view, topic_of(store, one, view)).cases]
    if view.case not in keys:
        return keys[0] if keys else ""
    return keys[min(max(keys.index(view.case) + step, 0), len(keys) - 1)]
