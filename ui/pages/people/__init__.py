"""People: ask and check people. A sentence, campaigns as cards, people with problems first, how they differ; one campaign."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import htpy
from htpy import Node

from concord.campaigns.cards import CampaignCard, campaign_cards
from concord.campaigns.crowd import Crowd, crowds, main_crowd
from concord.common import next_steps
from concord.common.base_path import at
from concord.scope import answers_in, holds_anything
from ui.components.addresses import page_address
from ui.components.tables import commands
from ui.pages.people.campaign import campaign_page
from ui.pages.people.cards import cards_section
from ui.pages.people.crowd_table import SEARCH_FROM, crowd_table, lines_of, revoking_several, visible_lines
from ui.pages.people.differ import differ_section, severity_table
from ui.pages.people.lead import lead
from ui.pages.people.people_tab import numbers_table
from ui.pages.people.view import PARAMETERS, PATH, PeopleView
from ui.pages.results.notices import simulated_notice
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import menu_chip


class PeoplePage(LivePlace):
    """The place."""

    title, path, ADDRESS = "People", PATH, PARAMETERS
    module, scoped = "people", False

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the overview or a campaign's page, without intervals and then with them."""
        view = PeopleView.read(values)
        # of a campaign's tabs one alone has numbers with intervals
        quick_alone = bool(view.campaign) and view.tab != "people"
        for intervals in (False,) if quick_alone else (False, True):
            content, title = (
                campaign_page(self.store, view, intervals=intervals)
                if view.campaign
                else (self._overview(view, intervals=intervals), "People")
            )
            yield PlaceDrawing("", content, title, complete=intervals or quick_alone)

    def _overview(self, view: PeopleView, *, intervals: bool) -> Node:
        cards = campaign_cards(self.store, intervals=intervals)
        found = crowds(self.store, intervals=intervals)
        head = lead(cards, found, 0 if found else answers_in(self.store))
        if not found and not any(card.state != "archived" for card in cards):
            return [head, _beginnings(self), _archived(cards, view)]
        shown = _among(found, view)
        return [
            head,
            cards_section([card for card in cards if view.archived or card.state != "archived"], _archived_link(cards, view)),
            _people(self, cards, found, shown, view),
            differ_section(self.store, main_crowd(shown), several=len(shown) > 1) if shown and intervals else "",
            simulated_notice(self.store),
            _could_be_here(found),
            view.numbers and _numbers_panel(self, shown, view),
        ]


def _archived_link(cards: Sequence[CampaignCard], view: PeopleView) -> Node:
    n = sum(card.state == "archived" for card in cards)
    if not n:
        return ""
    text = "Without closed ones" if view.archived else f"{n:,} closed"
    return htpy.a(href=view.address(archived=not view.archived))[text]


def _archived(cards: Sequence[CampaignCard], view: PeopleView) -> Node:
    return cards_section(cards if view.archived else [], _archived_link(cards, view)) if cards else ""


def _among(found: Sequence[Crowd], view: PeopleView) -> list[Crowd]:
    """Return the crowds whose people are listed; where nothing runs, all."""
    if view.among == "all":
        return list(found)
    if view.among == "brought":
        return [crowd for crowd in found if not crowd.name]
    return [crowd for crowd in found if crowd.running] or list(found)


def _people(
    place: PeoplePage, cards: Sequence[CampaignCard], found: Sequence[Crowd], shown: Sequence[Crowd], view: PeopleView
) -> Node:
    """Return the people of these crowds with the tools of their table."""
    if not shown:
        return ""
    lines = lines_of(shown)
    listed = visible_lines(lines, view.find, every=view.every)
    links = {"": ("all running", view.address(among="")), "all": ("all", view.address(among="all"))}
    links |= {"brought": ("brought in", view.address(among="brought"))} if any(not crowd.name for crowd in found) else {}
    links |= {
        card.name: (card.title, PeopleView(campaign=card.name, tab="people").address())
        for card in cards
        if any(crowd.name == card.name for crowd in found)
    }
    chip = menu_chip("among", "Campaign", view.among if view.among in links else "", links) if len(found) > 1 else ""
    several = [card for card in cards if card.state == "running" and card.crowd.look > 1]
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[
            htpy.h2["People"],
            htpy.span(class_="cc-part-hint")["problems first; band: all people of the same campaign"],
            htpy.div(class_="cc-part-tools")[
                [revoking_several(place.store, card) for card in several] if len(several) == 1 else "",
                len(lines) >= SEARCH_FROM and search_field(view, len(lines)),
                chip,
            ],
        ],
        crowd_table(listed, cards) if listed else htpy.p(class_="cc-part-hint")[f"Nobody is called “{view.find}” here."],
        htpy.div(class_="cc-below-table")[
            len(listed) < len(lines) and htpy.a(href=view.address(every=True, find=""))[f"All {len(lines):,} people"],
            htpy.a(href=view.address(numbers=True))["All numbers"],
        ],
    ]


def search_field(view: PeopleView, n: int) -> Node:
    """Return the field that finds people by their name."""
    return htpy.form(data_find=view.address(find="", every=False), role="search")[
        htpy.input(
            type="search",
            name="find",
            class_="cc-input",
            value=view.find,
            placeholder=f"Search {n:,} people",
            aria_label="Search people",
        )
    ]


def _numbers_panel(place: PeoplePage, shown: Sequence[Crowd], view: PeopleView) -> Node:
    close = htpy.a(class_="cc-panel-close", href=view.address(numbers=False), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close],
        [[numbers_table(crowd), severity_table(place.store, crowd)] for crowd in shown],
    ]


def _beginnings(place: PeoplePage) -> Node:
    """Return how people come to answer: label yourself, or invite."""
    if not holds_anything(place.store):
        line = next_steps.command_lines(place.store, next_steps.IMAGES)
        text = "There are no images yet to ask about. "
        return htpy.section(class_="cc-part")[
            htpy.p[text, htpy.a(href=page_address("add"))["Add images"], ", or by command:"], commands(line)
        ]
    label = htpy.article(class_="cc-panel cc-campaign-card")[
        htpy.h3["Label yourself"],
        htpy.p["Everybody who opens “Label images” is offered all images, three people each. Your name is asked for first."],
        htpy.div(class_="cc-campaign-foot")[htpy.a(href=at("/annotate/"))["Label images"]],
    ]
    invite = htpy.article(class_="cc-panel cc-campaign-card")[
        htpy.h3["Invite others"],
        htpy.p[
            "A campaign asks people the same questions about the same images: which images, which questionnaire, how many "
            "people each, with checks whose answers are known. You see beforehand how much work it is."
        ],
        htpy.div(class_="cc-campaign-foot")[
            htpy.a(href=page_address("people/new"))["New campaign"],
            htpy.a(href=page_address("people/new"))["How many answers are enough?"],
        ],
    ]
    return htpy.section(class_="cc-part cc-campaign-cards")[label, invite]


def _could_be_here(found: Sequence[Crowd]) -> Node:
    """Return one line about what is not here, and how to get it."""
    if sum(len(crowd.people) for crowd in found) == 1:
        text = "Could be here: how far people agree (one more person makes it measurable: "
        return htpy.footer(class_="cc-quietline")[
            htpy.p[text, htpy.a(href=page_address("people/new"))["a campaign with an invitation"], ")."]
        ]
    return ""
