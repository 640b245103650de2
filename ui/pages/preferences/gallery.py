"""Pairs of images, side by side: what people chose, what each scorer would have, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from concord.common import wording
from concord.preferences import LEFT_OUT, PairQuery, PairVotes, Poll, key_of, list_pairs
from data.store.analysis import preferences
from data.store.analysis.preferences import ImagePair, PairImage
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.strip import workbench_address
from ui.components.table import heading, note
from ui.pages.preferences.view import View, contest_of
from ui.root import at

PAGE_SIZE: Final = 12
_WIDTH: Final = 320
_UNSEEN: Final = '<div class="cc-no-picture">Only the vote is known, not the images.</div>'
_SAID: Final = {"none": "neither", LEFT_OUT: "does not count", "tie": "a tie"}


def gallery(store: Store, poll: Poll, view: View) -> str:
    """The pairs that the view lists, as HTML; pictures load as they scroll into view."""
    asked = PairQuery(contest_of(poll, view), view.task, view.who, view.chose)
    found = list_pairs(poll, asked)
    pages = max(1, -(-len(found) // PAGE_SIZE))
    page = min(view.page, pages)
    shown = found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    told = {pair.item_id: pair for pair in preferences.pairs(store, [one.item_id for one in shown])}
    people = {key_of(voter) for voter in poll.people()}
    opposed = sum(bool(one.opposed) for one in found)
    lead = f"{wording.count(len(found), 'pair')}; where a scorer and most people are opposed stands first ({opposed:,})."
    cells = "".join(_pair(one, told[one.item_id], people, view) for one in shown if one.item_id in told)
    listing = f'<ul class="cc-duels">{cells}</ul>' if cells else note("No pair fits. Set one of the choices back.")
    return heading("Pairs", lead) + listing + _pages(page, pages, view)


def _pages(page: int, pages: int, view: View) -> str:
    if pages == 1:
        return ""
    before = f'<a href="{escape(view.address(page=page - 1))}" rel="prev">Previous</a>' if page > 1 else ""
    after = f'<a href="{escape(view.address(page=page + 1))}" rel="next">Next</a>' if page < pages else ""
    return f'<p class="cc-note cc-pages">{before}<span>page {page:,} of {pages:,}</span>{after}</p>'


def _pair(one: PairVotes, pair: ImagePair, people: set[str], view: View) -> str:
    text = pair.text or "the prompt is not known"
    pictures = "".join(_picture(picture, one, text, view) for picture in pair.pictures)
    place = " · ".join(part for part in (wording.task(one.task) if one.task else "", _verdict(one)) if part)
    said = "".join(_said(who, chosen, who in one.opposed, who in people) for who, chosen in one.chosen.items())
    shown = f'<div class="cc-duel-pictures">{pictures}</div>' if pictures else _UNSEEN
    return (
        f'<li class="cc-duel"><p class="cc-cell-text">{escape(text)}</p><p class="cc-cell-meta">{escape(place)}</p>'
        f'{shown}<dl class="cc-duel-said">{said}</dl></li>'
    )


def _verdict(one: PairVotes) -> str:
    if one.preferred is None:
        return "people undecided"
    return f"people: {_SAID.get(one.preferred, one.preferred)}"


def _picture(picture: PairImage, one: PairVotes, text: str, view: View) -> str:
    won = " cc-duel-won" if picture.generator == one.preferred else ""
    # the Workbench learns whose judgement has been seen here: an answer given there is then not blind
    told = view.who if view.who in one.chosen else next(iter(one.chosen), "")
    href = workbench_address(picture.image_id, Selection(suite=(view.suite,), generator=(picture.generator,)), told)
    alt = escape(f"{text}, by {picture.generator}")
    shown = (
        f'<img src="{at("/img/")}{picture.sha256}?w={_WIDTH}" alt="{alt}" loading="lazy" decoding="async">'
        if picture.sha256
        else '<span class="cc-no-picture">no picture</span>'
    )
    name = f"<figcaption>{escape(picture.generator)}</figcaption>"
    return f'<figure class="cc-duel-picture{won}"><a href="{escape(href)}">{shown}</a>{name}</figure>'


def _said(who: str, chosen: Mapping[str, int], opposed: bool, people: bool) -> str:
    parts = (f"{n:,} × {_SAID.get(name, name)}" if people else _SAID.get(name, name) for name, n in chosen.items())
    badge = ' <span class="cc-badge cc-badge--bad">opposed</span>' if opposed else ""
    return f"<div><dt>{escape(who)}</dt><dd>{escape(', '.join(parts))}{badge}</dd></div>"
