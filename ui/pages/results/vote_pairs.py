"""The pairs behind A/B votes, a page at a time: two pictures of a prompt, and what everybody chose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.comparison import preferences
from concord.comparison.preferences import LEFT_OUT, PairQuery, PairVotes, Poll
from concord.open_project import OpenProject
from data.images.widths import IN_GRIDS
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.analysis import study_frames
from data.store.analysis.study_frames import ImagePair, PairImage
from ui.components.addresses import browse_address
from ui.components.image_strip import image_address, picture_html
from ui.components.tables import note, paged
from ui.pages.results.vote_view import VotesView, contest_of

PAGE_SIZE: Final = 12
_UNSEEN: Final = htpy.div(class_="cc-no-picture")["Only the vote is known, not the images."]
_CHOICE_TEXTS: Final = {"none": "neither", LEFT_OUT: "does not count", "tie": "a tie"}


def gallery(store: OpenProject, poll: Poll, view: VotesView) -> Node:
    """Return the pairs that the view lists; pictures load as they scroll into view."""
    pairs = preferences.list_pairs(poll, PairQuery(contest_of(poll, view), view.task, view.who, view.chose))
    shown, pages = paged(pairs, view.page, PAGE_SIZE, view.address)
    pictured = {pair.item_id: pair for pair in study_frames.pairs(store, [pair.item_id for pair in shown])}
    people = {voter.voter for voter in poll.people()}
    opposed = sum(bool(pair.opposed) for pair in pairs)
    first = f"; where a scorer and most people are opposed stands first ({opposed:,})" if opposed else ""
    lead = f"{wording.count(len(pairs), 'pair')}{first}."
    cells = [_pair(pair, pictured[pair.item_id], people, view) for pair in shown if pair.item_id in pictured]
    listing = htpy.ul(class_="cc-duels")[cells] if cells else note("No pair fits. Change one of the choices.")
    return [note(lead), listing, pages]


def _pair(votes: PairVotes, pair: ImagePair, people: set[str], view: VotesView) -> Element:
    text = pair.text or "the prompt is not known"
    crowd = PEOPLE if PEOPLE in people else SIMULATED
    pictures = [_picture(picture, votes, text, view) for picture in pair.pictures]
    preferred = "" if votes.preferred is None else _CHOICE_TEXTS.get(votes.preferred, votes.preferred)
    task = [wording.task(votes.task)] if votes.task else []
    meta = " · ".join([*task, f"{crowd}: {preferred}" if preferred else f"{crowd} undecided"])
    choice_lines = [_choice_line(who, chosen, who in votes.opposed, who in people) for who, chosen in votes.chosen.items()]
    return htpy.li(class_="cc-duel")[
        htpy.p(class_="cc-cell-text")[text],
        htpy.p(class_="cc-cell-meta")[meta],
        htpy.div(class_="cc-duel-pictures")[pictures] if pictures else _UNSEEN,
        htpy.dl(class_="cc-duel-said")[choice_lines],
    ]


def _picture(picture: PairImage, votes: PairVotes, text: str, view: VotesView) -> Element:
    won = "cc-duel-won" if picture.generator == votes.preferred else ""
    of_generator = browse_address(Selection(suite=(view.suite,), generator=(picture.generator,)))
    href = image_address(picture.image_id, of_generator)
    shown = picture_html(picture.sha256, f"{text}, by {picture.generator}", IN_GRIDS)
    name = htpy.figcaption[picture.generator]
    return htpy.figure(class_=["cc-duel-picture", won])[htpy.a(href=href)[shown], name]


def _choice_line(who: str, chosen: Mapping[str, int], opposed: bool, people: bool) -> Element:
    parts = (
        f"{n:,} × {_CHOICE_TEXTS.get(name, name)}" if people else _CHOICE_TEXTS.get(name, name) for name, n in chosen.items()
    )
    badge = opposed and [" ", htpy.span(class_="cc-badge cc-badge--bad")["opposed"]]
    return htpy.div[htpy.dt[who], htpy.dd[", ".join(parts), badge]]
