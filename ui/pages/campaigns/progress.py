"""How campaigns go: the list of them, coverage and pace of one with figures, and images that somebody could not judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from concord.campaigns import health, progress
from concord.campaigns.progress import CampaignProgress
from concord.common import next_steps, wording
from concord.common.base_path import at
from concord.common.table import Cell, numbers
from data.campaigns.settings import DEFAULT, MOVES
from data.images.widths import IN_STRIPS
from data.store.browse import contents
from data.store.campaigns import monitoring
from data.store.campaigns.monitoring import BrokenItem, Hour
from data.store.core.store import Store
from data.store.library import ItemSubject, item_subjects
from ui.components import chart_colors
from ui.components.buttons import button
from ui.components.charts import plain
from ui.components.image_strip import picture_html
from ui.components.plotly_text import ALONE
from ui.components.tables import (
    CHOSEN,
    Cells,
    code,
    columns,
    commands,
    folded,
    joined,
    note,
    plain_table,
    progress_bar,
    table_element,
    table_row,
    when,
)
from ui.pages.campaigns.view import CampaignsView

if TYPE_CHECKING:
    import plotly.graph_objects as go


_HEADERS = ("campaign", "state", "items", "answers", "people", "pace")
_STATES = {"draft": "loading", "running": "running", "stopped": "stopped", "archived": ""}
DEFAULT_TITLE = "All images (no campaign)"


def empty_list(store: Store) -> Node:
    """Return what campaigns are, and how to make one."""
    (line,) = next_steps.command_lines(store, ("campaigns create pilot --n 50 --overlap 3",))
    texts = (
        "A campaign asks people the same questions about the same images: which images, which questionnaire, how many people"
        " each, with checks whose answers are known.",
        "Without one, everybody who opens “Label images” is offered all images, three people each.",
        "Make one with the button below: you see beforehand how much work it is, and it is a draft until you start it. Then"
        " invite people, watch coverage and pace, and decide where they disagree. On the command line:",
    )
    if not contents.totals(store).images:
        there_are_none = note("There are no images yet to ask about. Import some:")
        lines = next_steps.command_lines(store, next_steps.IMAGES)
        return [note(texts[0], "cc-lead"), there_are_none, commands(lines)]
    return [[note(text, "cc-lead" if n == 0 else "") for n, text in enumerate(texts)], note(code(line))]


def campaigns_table(campaigns: Sequence[CampaignProgress], view: CampaignsView) -> Element:
    """Return all campaigns."""
    opened = [listed.campaign.campaign_id == view.campaign for listed in campaigns]
    rows = [
        table_row(*_campaign_row(each, view), kind=CHOSEN if is_open else "")
        for each, is_open in zip(campaigns, opened, strict=True)
    ]
    table = table_element(plain_table("Campaigns", _HEADERS, rows), "cc-campaigns")
    if not view.campaign:
        return table
    return folded(f"All campaigns ({len(campaigns):,})", table, "cc-why")


def _campaign_row(campaign_progress: CampaignProgress, view: CampaignsView) -> Cells:
    campaign, coverage = campaign_progress.campaign, campaign_progress.coverage
    name = campaign.campaign_id
    opened = CampaignsView(campaign=name, show=view.show).address()
    details = f"{name} · {campaign.questionnaire} · {wording.count(campaign.overlap, 'person')} each"
    bar = progress_bar(min(coverage.answers, coverage.wanted), coverage.wanted, f"answers of {name}")
    answers = f"{coverage.answers:,} of {coverage.wanted:,} ({share(coverage.answers, coverage.wanted)})"
    return [
        Cell(title(campaign_progress), (details,), href=opened),
        Cell(campaign.state, content=state(campaign.state)),
        Cell(f"{coverage.full:,} of {coverage.items:,}", ("have enough answers",)),
        Cell("", (answers,), content=bar),
        f"{coverage.people:,}",
        progress.describe_pace(campaign_progress.pace),
    ]


def health_bar(store: Store, campaign_progress: CampaignProgress) -> Node:
    """Return what needs a look now, on top of the campaign: each part only where there is something to say."""
    if campaign_progress.campaign.state == "draft" or not campaign_progress.coverage.people:
        return ""
    campaign_health = health.health(store, campaign_progress)
    people = CampaignsView(campaign=campaign_progress.campaign.campaign_id, show="people").address()
    pay = CampaignsView(campaign=campaign_progress.campaign.campaign_id, show="pay").address()
    parts: list[Node] = []
    if campaign_health.stalled:
        parts.append(htpy.span(class_="cc-badge cc-badge--bad")["no answer for a day"])
    if campaign_health.look:
        text = f"{wording.count(campaign_health.look, 'person')} {'needs' if campaign_health.look == 1 else 'need'} a look"
        parts.append(htpy.a(class_="cc-badge cc-badge--warn", href=people)[text])
    if campaign_health.paused:
        parts.append(htpy.a(class_="cc-badge cc-badge--bad", href=people)[f"{campaign_health.paused:,} failed checks"])
    parts += [f"{n:,} {label}" for n, label in ((campaign_health.working, "at work"), (campaign_health.left, "left")) if n]
    if campaign_health.spent is not None:
        cap = f" of {campaign_health.budget:,}" if campaign_health.budget is not None else ""
        parts.append(htpy.a(href=pay)[f"{campaign_health.spent:,}{cap} {campaign_health.currency} spent"])
    parts += [["done ", when(campaign_health.done), " at this pace"]] if campaign_health.done else []
    parts += [["closes ", when(campaign_health.closes)]] if campaign_health.closes else []
    return htpy.p(class_="cc-health")[joined([htpy.span[part] for part in parts], htpy.span["·"])] if parts else ""


def title(campaign_progress: CampaignProgress) -> str:
    """A campaign's title; the default one has none of its own."""
    campaign = campaign_progress.campaign
    return DEFAULT_TITLE if campaign.campaign_id == "default" and campaign.title == "default" else campaign.title


def state(name: str) -> Element:
    """Return a state as a badge."""
    return htpy.span(class_=f"cc-state cc-state--{_STATES.get(name, '')}")[name]


def share(part: int, whole: int) -> str:
    """In percent; nothing is wanted of nothing."""
    return f"{100 * part / whole:z.0f} %" if whole else "nothing wanted"


def can(campaign_progress: CampaignProgress, target: str) -> bool:
    """Whether a campaign may become so from its state."""
    return target in MOVES[campaign_progress.campaign.state]


NOTHING = "No image has been reported as broken. One that enough people report (a setting) is set aside by itself."


def broken_table(store: Store, campaign_id: str) -> Node:
    """Return every item that was reported or set aside."""
    items = monitoring.broken_items(store, campaign_id)
    if not items:
        return note(NOTHING)
    looks = item_subjects(store, [item.item_id for item in items])
    aside = sum(item.aside for item in items)
    rows = [_broken_row(item, looks.get(item.item_id)) for item in items]
    text = (
        f"{wording.count(len(items), 'item')} reported or set aside; {aside:,} of them are offered to nobody. One that enough"
        " people report (a setting) is set aside by itself; reports of people who were revoked do not count."
    )
    table = plain_table("Broken images", ["item", "reports", "state", ""], rows)
    return [note(text), table_element(table, "cc-broken")]


def _broken_row(broken_item: BrokenItem, subject: ItemSubject | None) -> Cells:
    text = (subject.text if subject else "") or broken_item.item_id
    reports = [
        htpy.li[f"{report.person}: {report.reason or 'no reason given'} ", htpy.small[when(report.moment)]]
        for report in broken_item.reports
    ]
    acts = [button("Put back", "back", f"Put back {broken_item.item_id}", item=broken_item.item_id)]
    if not broken_item.aside:
        acts.append(button("Set aside", "aside", f"Set aside {broken_item.item_id}", item=broken_item.item_id))
    state = htpy.span(class_="cc-badge cc-badge--warn")["set aside"] if broken_item.aside else "still offered"
    return [
        Cell(text, (broken_item.item_id,), content=[item_pictures(subject), htpy.span[text]]),
        Cell("", content=htpy.ul(class_="cc-list")[reports]),
        Cell("", content=state),
        Cell("", content=acts),
    ]


def item_pictures(subject: ItemSubject | None, width: int = IN_STRIPS) -> Node:
    """Return an item's images, each leading to the image."""
    if subject is None:
        return ""
    href = at("/studio/images?" + urlencode({"image": subject.item_id}))
    text = subject.text or subject.item_id
    made = [picture_html(picture, text, width) for picture in subject.pictures if picture]
    return htpy.a(class_="cc-thumbs", href=href)[made] if made else ""


_LONG: Final = timedelta(hours=72)
_HEIGHT: Final = 260
_FEWEST: Final = 12


def by_answers(spread: Mapping[int, int], overlap: int) -> go.Figure:
    """Items by how many valid answers they have; those that have enough in another colour."""
    import plotly.graph_objects as go

    most = max([overlap, *spread])
    x = list(range(most + 1))
    colors = [chart_colors.SCORER if n >= overlap else chart_colors.OTHER for n in x]
    y = [spread.get(n, 0) for n in x]
    text = [f"{n:,}" if n else "" for n in y]
    figure = go.Figure(
        go.Bar(x=x, y=y, marker_color=colors, text=text, textposition="outside", cliponaxis=False,
               hovertemplate=f"%{{y:,}} items with %{{x}} answers{ALONE}")
    )  # fmt: skip
    plain(figure, height=_HEIGHT)
    figure.update_layout(bargap=0.35, margin={"t": 28})
    figure.update_xaxes(title=f"valid answers so far ({overlap} wanted)", dtick=1)
    figure.update_yaxes(title="items", rangemode="tozero")
    return figure


def by_time(hours: Sequence[Hour]) -> go.Figure:
    """Answers an hour, or a day where there are more than three days: valid ones, and the others on top of them."""
    import plotly.graph_objects as go

    daily = hours[-1].start - hours[0].start > _LONG
    valid: dict[str, int] = {}
    others: dict[str, int] = {}
    for hour in hours:
        moment = hour.start.strftime("%Y-%m-%d") if daily else hour.start.strftime("%Y-%m-%d %H:00")
        valid[moment] = valid.get(moment, 0) + hour.valid
        others[moment] = others.get(moment, 0) + hour.answers - hour.valid
    figure = go.Figure()
    width = (24 if daily else 1) * 3_600_000 * 0.8
    for name, counts, color in (("valid", valid, chart_colors.SCORER), ("not counted", others, chart_colors.OTHER)):
        figure.add_trace(
            go.Bar(x=[*counts], y=[*counts.values()], name=name, marker_color=color, width=width, offset=0.1 * width,
                   hovertemplate=f"%{{x}}: %{{y:,}} {name}{ALONE}")
        )  # fmt: skip
    plain(figure, height=_HEIGHT)
    step = timedelta(days=1) if daily else timedelta(hours=1)
    first, last = hours[0].start, hours[-1].start + step
    # a few bars stay bars
    first = min(first, last - _FEWEST * step)
    figure.update_xaxes(range=[f"{moment:%Y-%m-%d %H:%M}" for moment in (first, last)])
    figure.update_layout(barmode="stack", margin={"t": 28}, showlegend=True, legend={"orientation": "h", "y": 1.18})
    figure.update_xaxes(title=f"{'day' if daily else 'hour'} (UTC)", type="date")
    figure.update_yaxes(title=f"answers {'a day' if daily else 'an hour'}", rangemode="tozero")
    return figure


def coverage_updates(store: Store, campaign_progress: CampaignProgress) -> dict[str, Any]:
    """Sentences, two figures, and what does not count."""
    campaign, coverage = campaign_progress.campaign, campaign_progress.coverage
    name = campaign.campaign_id
    spread = monitoring.items_by_answer_count(store, name)
    hours = monitoring.answers_by_hour(store, name)
    lead = note(
        f"{coverage.answers:,} of {coverage.wanted:,} answers; {coverage.full:,} of {wording.count(coverage.items, 'item')}"
        f" have enough, {coverage.started - coverage.full:,} have some, {coverage.items - coverage.started:,} have none."
        f" Pace: {progress.describe_pace(campaign_progress.pace)}.",
        "cc-lead",
    )
    if not coverage.items and name == DEFAULT:
        lead = note("Nobody has asked for an image yet; the list of images is made when somebody does.", "cc-lead")
    return {
        "coverage": lead,
        "by-answers": by_answers(spread, campaign.overlap) if spread else None,
        "by-time": by_time(hours) if hours else None,
        "apart": _not_counted(campaign_progress),
    }


def _not_counted(campaign_progress: CampaignProgress) -> Element:
    coverage = campaign_progress.coverage
    lines = (
        ("held now", coverage.held, "items that somebody has before them"),
        ("set aside", coverage.aside, "items that are offered to nobody, as they were reported as broken"),
        ("surplus", coverage.surplus, "answers after their item had enough, or from revoked annotators"),
        ("checks", coverage.checks, "answers to gold and attention items"),
        ("training", coverage.training, "answers to training items"),
    )
    rows = [(name, f"{n:,}", what) for name, n, what in lines]
    return table_element(plain_table("What does not count", columns("", *numbers("n"), ""), rows))
