"""Tune: what follows from other settings as pictures (the images whose verdict flips) and as generators' means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import htpy
from htpy import Element, Node

from agreement.study.cells import ALL
from agreement.tuning import Bounded
from concord.browsing.grid import previews
from concord.common import wording
from concord.error_analysis.tuning import AGAINST, UNKNOWN, WITH, Flip, TunedScorer, reason_of
from concord.open_project import OpenProject
from data.browsing import ItemPreview
from data.selection import Selection
from ui.components.addresses import browse_address, listing_address
from ui.components.dots import axis_of, dot
from ui.components.image_strip import image_address, picture_html
from ui.pages.tune.view import TuneView

MOST_PICTURES: Final = 48
_SIDES: Final[Mapping[str, str]] = {"": "All", WITH: "Now with people", AGAINST: "No longer", UNKNOWN: "People do not say"}
_VERDICTS: Final = {1: "yes", 0: "no", -1: "open"}


def flips_section(store: OpenProject, tuned: TunedScorer, view: TuneView) -> Node:
    """Return the images whose verdict flips, as they are asked for."""
    if not tuned.changed:
        return htpy.p(class_="cc-note")["Move a slider: the images whose verdict flips are shown here."]
    flips = tuned.flips_of(view.flips)
    sides = {side: tuned.flips_of(side) for side in _SIDES}
    segments = [
        htpy.a(href=view.address(flips=side), aria_current="true" if side == view.flips else None)[
            f"{words} {len(sides[side]):,}"
        ]
        for side, words in _SIDES.items()
        if sides[side] or side == view.flips
    ]
    shown = flips[:MOST_PICTURES]
    looks = previews(store, [flip.item for flip in shown])
    more = (
        len(flips) > len(shown) and htpy.p(class_="cc-note")[f"The first {len(shown)} of {wording.count(len(flips), 'image')}."]
    )
    listing = listing_address([flip.item for flip in shown], tuned.suite, rater=tuned.rater)
    images: Node = bool(shown) and htpy.a(href=listing)["Open in Images"]
    return [
        htpy.div(class_="cc-part-head")[
            htpy.h2[f"{wording.count(len(tuned.flips), 'verdict')} flip{'s' if len(tuned.flips) == 1 else ''}"],
            len(segments) > 1 and htpy.nav(class_="cc-segments", aria_label="Verdicts that flip")[segments],
            htpy.div(class_="cc-part-tools")[images],
        ],
        htpy.div(class_="cc-flips")[[_picture(tuned, flip, looks.get(flip.item), listing) for flip in shown]],
        more,
    ]


def _picture(tuned: TunedScorer, flip: Flip, look: ItemPreview | None, listing: str) -> Element:
    text = (look.text if look else None) or flip.item
    kind = "simulated" if tuned.people == "simulated" else "people"
    said = f"{flip.yes}/{flip.n}"
    title = f"{text}, by {flip.generator}. {tuned.rater} now: {reason_of(tuned, flip) or 'no reason given'}"
    return htpy.a(class_="cc-flip", href=image_address(flip.item, listing), title=title)[
        htpy.span(class_="cc-pic")[
            picture_html(look.sha256 if look else None, text, none=text),
            flip.n > 0
            and htpy.span(class_="cc-pic-tag", title=f"people: {flip.yes} of {flip.n} say yes")[
                htpy.i(class_=f"cc-point cc-point--{kind}"), said
            ],
        ],
        htpy.span(class_="cc-flip-prompt")[text],
        htpy.span(class_=["cc-says", flip.side == AGAINST and "is-other"])[
            htpy.i(class_="cc-point cc-point--scorer"),
            htpy.b[f"{_VERDICTS[flip.before]} → {_VERDICTS[flip.now]}{' ≠' if flip.side == AGAINST else ''}"],
        ],
    ]


def means_table(tuned: TunedScorer, view: TuneView) -> Element:
    """Return each generator's share of correct images: its dot with interval, what it was and what it is."""
    names = [name for name in tuned.means if name != ALL and tuned.means[name].value is not None]
    names.sort(key=lambda name: -(tuned.means[name].value or 0.0))
    rows = [*names, ALL] if len(names) > 1 else names
    numbers = [end for name in rows for end in _ends(tuned.means[name])]
    axis = axis_of([*numbers, 0.0], 3, zero=True)
    people = tuned.people_mean
    body: list[Node] = []
    for name in rows:
        mean, was = tuned.means[name], tuned.means_before[name].value
        task = (view.scope.task,) if view.scope.task else ()
        where = Selection(suite=(tuned.suite,), generator=() if name == ALL else (name,), task=task)
        title = _title(mean)
        level: Node = ""
        if name == ALL and people is not None and people.value is not None:
            level = htpy.small[f"people {wording.two(people.value)} on {wording.count(people.n_items, 'image')}"]
        label: Node = f"all {len(names)}" if name == ALL else name
        body.append(
            htpy.tr[
                htpy.th(scope="row")[
                    htpy.a(href=browse_address(where, rater=tuned.rater, by="correct", order="lowest"))[label],
                    level
                    and people is not None
                    and htpy.small[f"people {wording.two(people.value or 0.0)}, n = {people.n_items:,}"],
                ],
                htpy.td(title=title)[dot(mean, axis, "scorer")],
                htpy.td(class_="cc-number", title=title)[_was(was, mean.value)],
            ]
        )
    return htpy.table(class_="cc-means")[
        htpy.thead[
            htpy.tr[
                htpy.th(scope="col")["generator"],
                htpy.th(scope="col", title=f"{tuned.rater}’s share of correct images")[
                    htpy.i(class_="cc-point cc-point--scorer"), " mean"
                ],
                htpy.th(scope="col", class_="cc-number")["was → now"],
            ]
        ],
        htpy.tbody[body],
    ]


def _was(before: float | None, now: float | None) -> Node:
    was, text = ("–" if value is None else wording.two(value) for value in (before, now))
    return htpy.b[text] if was == text else [htpy.span[f"{was} → "], htpy.b[text]]


def _ends(mean: Bounded) -> list[float]:
    return [end for end in (mean.value, mean.low, mean.high) if end is not None]


def _title(mean: Bounded) -> str:
    if mean.value is None:
        return ""
    ends = "" if mean.low is None or mean.high is None else f", 95 % interval {mean.low:z.2f} to {mean.high:z.2f}"
    return f"{mean.value:z.3f}{ends}; {wording.count(mean.used.items, 'image')}, {wording.count(mean.used.clusters, 'prompt')}"
