"""Images with their captions, and how well each fits by each scorer, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from string import ascii_uppercase
from typing import Final

from agreement.matching import is_known, is_right
from agreement.study.cells import ALL
from concord.common import wording
from concord.matching import fits_of, posterior_of
from data.store.browse import contents
from data.store.browse.contents import ItemPreview
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice
from ui.components.strip import workbench_address
from ui.components.table import WRAP, heading, note
from ui.pages.matching.view import SAID, View
from ui.root import at

PAGE_SIZE: Final = 12
_WIDTH: Final = 320


def gallery(store: Store, found: Sequence[CaptionChoice], view: View) -> str:
    """The images that the view lists, as HTML; pictures load as they scroll into view."""
    by_item: dict[str, list[CaptionChoice]] = {}
    for one in found:
        if one.generator == view.generator and view.task in (ALL, one.task):
            by_item.setdefault(one.item_id, []).append(one)
    listed = [(item, of) for item, of in by_item.items() if _is_asked(of, view)]
    pages = max(1, -(-len(listed) // PAGE_SIZE))
    page = min(view.page, pages)
    shown = listed[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
    looks = contents.item_previews(store, [item for item, _ in shown])
    cells = "".join(_image(item, of, looks.get(item, ItemPreview(None, None)), view) for item, of in shown)
    who = "" if view.who == ALL else f", {view.who} {SAID[view.said] if view.said != ALL else ''}".rstrip()
    title = "Images and captions" + ("" if view.task == ALL else f", {wording.task(view.task)}") + who
    body = f'<ul class="cc-matches">{cells}</ul>' if cells else note("None. Set one of the choices back.")
    return heading(title, wording.count(len(listed), "image") + ".") + body + _pages(page, pages, view)


def right(one: CaptionChoice) -> bool | None:
    """Whether a scorer picked the right caption; None where a caption has no number. A tie is not right."""
    fits = fits_of(one)
    known = [fit for fit in fits if fit is not None]
    return is_right(known, int(one.payload["right"])) if is_known(fits) else None


def _is_asked(of: Sequence[CaptionChoice], view: View) -> bool:
    if view.who == ALL:
        verdicts = [right(one) for one in of]
        of_any = {ALL: True, "right": True in verdicts, "wrong": False in verdicts, "only": verdicts.count(True) == 1}
        return of_any[view.said]
    mine = next((right(one) for one in of if one.rater_id == view.who), None)
    others = [right(one) for one in of if one.rater_id != view.who]
    wanted = {ALL: mine is not None, "right": mine is True, "wrong": mine is False, "only": mine is True and True not in others}
    return wanted[view.said]


def _image(item: str, of: Sequence[CaptionChoice], look: ItemPreview, view: View) -> str:
    # the Workbench learns whose judgement has been seen here: an answer given there is then not blind
    href = escape(workbench_address(item, Selection(suite=(view.suite,), generator=(view.generator,)), of[0].rater_id))
    text = escape(look.text or item)
    picture = (
        f'<img src="{at("/img/")}{look.sha256}?w={_WIDTH}" alt="{text}" loading="lazy" decoding="async">'
        if look.sha256
        else '<span class="cc-no-picture">no picture</span>'
    )
    place = escape(wording.task(of[0].task)) if of[0].task else ""
    return f'<li class="cc-match"><a href="{href}" title="{text}">{picture}<small>{place}</small></a>{_fits(of)}</li>'


def _fits(of: Sequence[CaptionChoice]) -> str:
    """The captions by letter, the right one marked; for each scorer its name and below it a number for each caption."""
    captions, place = of[0].payload["captions"], int(of[0].payload["right"])
    letters = [ascii_uppercase[k] if k < len(ascii_uppercase) else str(k + 1) for k in range(len(captions))]
    listed = "".join(_caption(letter, text, k == place) for k, (letter, text) in enumerate(zip(letters, captions, strict=True)))
    head = "".join(f'<th scope="col"{_right_class(k == place)}>{letter}</th>' for k, letter in enumerate(letters))
    # a scorer that chose among other captions has no row here
    lines = "".join(_line(one) for one in of if one.payload["captions"] == captions)
    table = (
        f'{WRAP}<table class="cc-table cc-fits" aria-label="How well each caption fits"><thead><tr>'
        f"{head}</tr></thead>{lines}</table></div>"
    )
    return f'<div class="cc-match-said"><dl>{listed}</dl>{table}</div>'


def _caption(letter: str, text: str, is_right: bool) -> str:
    mark = " <small>the right one</small>" if is_right else ""
    return f"<div{_right_class(is_right)}><dt>{letter}</dt><dd>{escape(text)}{mark}</dd></div>"


def _line(one: CaptionChoice) -> str:
    cells = "".join(f'<td class="cc-number">{said}</td>' for said in _column(one))
    name = f'<span class="{_kind(one)}">{escape(one.rater_id)}</span>'
    wide = len(one.payload["captions"])
    # a name of its own line, as names with settings are longer than all numbers together
    return f'<tbody><tr><th scope="rowgroup" colspan="{wide}">{name}</th></tr><tr>{cells}</tr></tbody>'


def _right_class(is_right: bool) -> str:
    return ' class="cc-fit-right"' if is_right else ""


def _kind(one: CaptionChoice) -> str:
    return {True: "cc-right", False: "cc-wrong", None: "cc-muted"}[right(one)]


def _column(one: CaptionChoice) -> list[str]:
    """How far each caption is from the best, and its posterior where there is one."""
    fits = fits_of(one)
    if not is_known(fits):
        return ["–" if fit is None else escape(f"{fit:.4g}") for fit in fits]
    known = [fit for fit in fits if fit is not None]
    shares = posterior_of(one, fits)
    made = []
    for k, fit in enumerate(known):
        best = fit == max(known)
        told = "best" if best else f"{fit - max(known):.3g}"
        share = "" if shares is None else f'<small class="cc-detail">p {shares[k]:.2f}</small>'
        made.append((f"<strong>{told}</strong>" if best else told) + share)
    return made


def _pages(page: int, pages: int, view: View) -> str:
    if pages == 1:
        return ""
    before = f'<a href="{escape(view.address(page=page - 1))}" rel="prev">Previous</a>' if page > 1 else ""
    after = f'<a href="{escape(view.address(page=page + 1))}" rel="next">Next</a>' if page < pages else ""
    return f'<p class="cc-note cc-pages">{before}<span>page {page:,} of {pages:,}</span>{after}</p>'
