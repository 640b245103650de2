"""Pictures below the leaderboard: the same prompts by every generator, and the most contested images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import htpy
from htpy import Element, Node

from concord.browsing.scope import CORRECT
from concord.common import wording
from concord.comparison.leaderboard import ALL, ContestedImage, Leaderboard
from concord.comparison.same_prompts import ORDERS, ROWS, PromptImage, SamePrompts, SharedPrompt
from data.aspects import YES_NO_ASPECTS
from data.browsing import MISSED, PASSED, ConfusionCell
from data.selection import PEOPLE, SIMULATED, Selection
from ui.components.addresses import browse_address, listing_address, page_address
from ui.components.image_strip import image_address, picture_html
from ui.pages.results.view import ResultsView

_MOST_COLUMNS: Final = 8


def same_prompts_section(prompts: SamePrompts, board: Leaderboard, view: ResultsView) -> Node:
    """Return a row for each prompt, a column for each generator as the board has them; shades where there are no pictures."""
    if not prompts.rows:
        return ""
    generators = board.generators if view.every else board.generators[:_MOST_COLUMNS]
    pictured = any(image.sha256 for row in prompts.rows for image in row.images.values())
    kind = next((each.kind for each in board.raters if each.name == prompts.rater), "scorer")
    orders = [
        htpy.a(href=view.address(prompts=name, page=0), aria_current="true" if name == view.prompts else None, data_scope="")[
            words
        ]
        for name, words in ORDERS.items()
    ]
    pages = max(1, -(-prompts.total // ROWS))
    following = pages > 1 and htpy.a(href=view.address(page=(view.page + 1) % pages), data_scope="")["Other prompts"]
    tools = htpy.div(class_="cc-part-tools")[
        htpy.span(class_="cc-chip-place")[
            htpy.button(type="button", class_="cc-button cc-button--quiet", popovertarget="prompt-order")[
                ORDERS[view.prompts], htpy.span(class_="cc-caret", aria_hidden="true")
            ],
            htpy.div(id="prompt-order", class_="cc-popup cc-scope-popup", popover="auto")[orders],
        ],
        following,
    ]
    heads = [htpy.span(class_="cc-same-generator", title=name)[name] for name in generators]
    cells: list[Node] = []
    for row in prompts.rows:
        cells.append(htpy.span(class_="cc-same-prompt", title=row.text)[row.text])
        cells += [_cell(row, name, prompts, kind, board) for name in generators]
    missing = (
        not pictured
        and htpy.p(class_="cc-note")[
            "The pictures are not here; each cell is the mean answer about the prompt’s images. ", add_pictures()
        ]
    )
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["The same prompts, every generator"], tools],
        missing,
        htpy.div(class_="cc-scroll")[
            htpy.div(class_=["cc-same", not pictured and "is-plain"], style=f"--columns:{len(generators)}")[
                htpy.span, heads, cells
            ]
        ],
    ]


def add_pictures() -> Element:
    """Return the link to where pictures can be added."""
    return htpy.a(href=page_address("add"))["Add them"]


def _cell(row: SharedPrompt, generator: str, prompts: SamePrompts, kind: str, board: Leaderboard) -> Node:
    image = row.images.get(generator)
    if image is None:
        return htpy.span(class_="cc-same-none", title=f"{generator}: no judged image")["–"]
    scale = ImageScale(kind, prompts.binary, prompts.low, prompts.high)
    listing = listing_address([each.item for each in row.images.values()], board.suite, by=board.aspect)
    return image_cell(image, scale, listing, f"{generator}: {row.text}")


@dataclass(frozen=True, slots=True)
class ImageScale:
    """How answers about images are shown.

    Attributes:
        kind: of the rater: `people`, `simulated` or `scorer`.
        binary: whether the answers are yes or no.
        low, high: the smallest and the largest mean, for shades.
    """

    kind: str
    binary: bool
    low: float
    high: float


def image_cell(image: PromptImage, scale: ImageScale, listing: str, title: str) -> Element:
    """Return an image that opens among those of a listing, with what was said of it; a shade where there is no picture."""
    href = image_address(image.item, listing)
    if image.sha256 is None:
        span = scale.high - scale.low
        shade = min(max(((image.mean or 0.0) - scale.low) / span, 0.0), 1.0) if span else 0.0
        return htpy.a(class_=["cc-same-shade", f"is-{scale.kind}"], style=f"--shade:{shade:z.3f}", href=href, title=title)[
            _answer_text(image, scale.binary)
        ]
    return htpy.a(class_="cc-pic", href=href, title=title)[
        picture_html(image.sha256, title),
        htpy.span(class_="cc-pic-tag")[htpy.i(class_=f"cc-point cc-point--{scale.kind}"), _answer_text(image, scale.binary)],
    ]


def _answer_text(image: PromptImage, binary: bool) -> str:
    if image.mean is None:
        return "–"
    if binary:
        return f"{image.yes}/{image.n}" if image.n > 1 else "yes" if image.yes else "no"
    return f"{image.mean:z.2g}"


def contested_section(board: Leaderboard, every: Node) -> Node:
    """Return the images on which the scorer that is closest to people and people agree least; nothing where there are none."""
    if not board.contested or board.contested_by is None:
        return ""
    cells = [_case(board, each, _contested_listing(board)) for each in board.contested]
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["Most contested"], htpy.div(class_="cc-part-tools")[every]],
        htpy.div(class_="cc-contested-images")[cells],
    ]


def all_contested(board: Leaderboard) -> str:
    """Return the address of all images on which the scorer and most people say the opposite, the farthest apart first."""
    where = Selection(suite=(board.suite,), task=() if board.task == ALL else (board.task,), generator=board.only)
    people = PEOPLE if board.people == "real" else SIMULATED
    scorer = board.contested_by or ""
    if board.contested_by_rank:
        return browse_address(where, ConfusionCell(board.aspect, scorer, "", people, "", "apart"), order="differs")
    if board.people != "real":
        return page_address("images", suite=board.suite, rater=SIMULATED, by=board.aspect, order="lowest")
    opposed: Sequence[tuple[str, str]] = [("differs", f"{scorer}:{kind}") for kind in (MISSED, PASSED)]
    places = [(name, value) for name in ("task", "generator") for value in getattr(where, name)]
    return page_address("images", *opposed, *places, suite=board.suite, order="differs", rater=scorer)


def _contested_listing(board: Leaderboard) -> str:
    """Return the address of the listing that a contested image opens in: all of them where they are known, else those here."""
    if board.disagreements and board.people == "real" and board.aspect == CORRECT:
        return all_contested(board)
    return listing_address([each.item for each in board.contested], board.suite, by=board.aspect)


def _case(board: Leaderboard, case: ContestedImage, listing: str) -> Element:
    whose, kind = ("people", "people") if board.people == "real" else (SIMULATED, "simulated")
    said = f"{case.yes}/{case.n}" if board.aspect in YES_NO_ASPECTS else f"{case.mean:z.1f} (n = {case.n:,})"
    answers = wording.count(case.n, "answer")
    title = f"{whose}: {f'{case.yes} of {answers} yes' if board.aspect in YES_NO_ASPECTS else f'mean of {answers}'}"
    return htpy.a(class_="cc-contested-image", href=image_address(case.item, listing), title=case.text)[
        htpy.span(class_="cc-pic")[picture_html(case.sha256, case.text, none=case.text)],
        htpy.span(class_="cc-contested-prompt")[case.text],
        htpy.span(class_="cc-says-row")[
            htpy.span(class_="cc-says", title=title)[
                htpy.i(class_=f"cc-point cc-point--{kind}"), htpy.span[whose], htpy.b[said]
            ],
            htpy.span(class_="cc-says is-other", title=f"{board.contested_by}: {case.verdict}")[
                htpy.i(class_="cc-point cc-point--scorer"), htpy.span[board.contested_by], htpy.b[case.verdict, " ≠"]
            ],
        ],
    ]
