"""The list of campaigns, and what an empty one teaches."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from concord.campaigns import progress
from concord.campaigns.progress import CampaignProgress
from concord.common import next_steps, wording
from data.campaign import MOVES
from data.store.browse import contents
from data.store.core.store import Store
from ui.components.acting import link
from ui.components.table import WRAP, note
from ui.pages.campaigns.view import View

_HEADERS = ("campaign", "state", "items", "answers", "people", "pace")
_STATES = {"draft": "loading", "running": "running", "stopped": "stopped", "archived": ""}
DEFAULT_TITLE = "All images (no campaign)"


def empty(store: Store) -> str:
    """What campaigns are, and how to make one."""
    (line,) = next_steps.command_lines(store, ("campaigns create pilot --n 50 --overlap 3",))
    texts = (
        "A campaign asks people the same questions about the same images: which images, which questionnaire, how many people"
        " each, with checks whose answers are known.",
        "Without one, everybody who opens “Label images” is offered all images, three people each.",
        "Make one with the button below: you see beforehand how much work it is, and it is a draft until you start it. Then"
        " invite people, watch coverage and pace, and decide where they disagree. On the command line:",
    )
    if not contents.totals(store)["images"]:
        lines = "".join(f"<li>{_code(one)}</li>" for one in next_steps.command_lines(store, next_steps.IMAGES))
        there_are_none = note("There are no images yet to ask about. Import some:")
        return note(texts[0], "cc-lead") + there_are_none + f'<ul class="cc-list">{lines}</ul>'
    return "".join(note(text, "cc-lead" if n == 0 else "") for n, text in enumerate(texts)) + (
        f'<p class="cc-note">{_code(line)}</p>'
    )


def _code(text: str) -> str:
    return f'<code class="cc-code">{escape(text)}</code>'


def table(found: Sequence[CampaignProgress], chosen: str) -> str:
    """All campaigns."""
    head = "".join(f'<th scope="col">{name}</th>' for name in _HEADERS)
    body = "".join(_row(one, one.campaign.campaign_id == chosen) for one in found)
    return (
        f'{WRAP}<table class="cc-table cc-campaigns"><caption>Campaigns</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(one: CampaignProgress, chosen: bool) -> str:
    campaign, said = one.campaign, one.coverage
    name = campaign.campaign_id
    opened = link(title(one), View(campaign=name).address(), "open", campaign=name)
    what = f"{name} · {campaign.questionnaire} · {wording.count(campaign.overlap, 'person')} each"
    bar = (
        f'<progress max="{max(said.wanted, 1)}" value="{min(said.answers, said.wanted)}"'
        f' aria-label="answers of {escape(name)}"></progress>'
    )
    cells = (
        f'<th scope="row">{opened}{_small(what)}</th>',
        f"<td>{state(campaign.state)}</td>",
        f"<td>{said.full:,} of {said.items:,}{_small('have enough answers')}</td>",
        f"<td>{bar}{_small(f'{said.answers:,} of {said.wanted:,} ({share(said.answers, said.wanted)})')}</td>",
        f"<td>{said.people:,}</td>",
        f"<td>{escape(progress.describe_pace(one.pace))}</td>",
    )
    return f"<tr{' class=cc-chosen' if chosen else ''}>{''.join(cells)}</tr>"


def title(one: CampaignProgress) -> str:
    """A campaign's title; the default one has none of its own."""
    campaign = one.campaign
    return DEFAULT_TITLE if campaign.campaign_id == "default" and campaign.title == "default" else campaign.title


def state(name: str) -> str:
    """A state as a badge."""
    return f'<span class="cc-state cc-state--{_STATES.get(name, "")}">{escape(name)}</span>'


def share(part: int, whole: int) -> str:
    """In percent; nothing is wanted of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "nothing wanted"


def can(one: CampaignProgress, target: str) -> bool:
    """Whether a campaign may become so from its state."""
    return target in MOVES[one.campaign.state]


def _small(text: str) -> str:
    return f'<small class="cc-detail">{escape(text)}</small>'
