"""Progress of a campaign: coverage, pace, answers over time, and what does not count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import htpy
from htpy import Element, Node

from concord.campaigns import progress
from concord.campaigns.cards import CampaignCard
from concord.campaigns.progress import Period
from concord.common import wording
from concord.common.table import numbers
from concord.open_project import OpenProject
from data.campaigns.settings import DEFAULT
from ui.components.tables import columns, plain_table, table_element
from ui.pages.people.view import PeopleView

_MOST_PERIODS: Final = 96


def progress_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:  # noqa: ARG001
    """Return coverage and pace in a sentence, two figures, and what does not count."""
    coverage = card.progress.coverage
    if not coverage.items and card.name == DEFAULT:
        return htpy.p(class_="cc-part-hint")[
            "Nobody has asked for an image yet; the list of images is made when somebody does."
        ]
    said = (
        f"{coverage.full:,} of {wording.count(coverage.items, 'image')} have enough answers,"
        f" {coverage.started - coverage.full:,} have some, {coverage.items - coverage.started:,} have none."
        f" Pace: {progress.describe_pace(card.progress.pace)}."
    )
    spread = progress.images_by_answers(store, card.name)
    step, found = progress.periods(store, card.name)
    return [
        htpy.p(class_="cc-tab-lead")[said],
        htpy.div(class_="cc-differ")[
            bool(spread) and _figure("Images by answers", _by_answers(spread, card.progress.campaign.overlap)),
            bool(found) and _figure(f"Answers {'a day' if step == 'day' else 'an hour'} (UTC)", _by_time(found, step)),
        ],
        _not_counted(card),
    ]


def _figure(title: str, content: Node) -> Element:
    return htpy.div[htpy.div(class_="cc-part-head")[htpy.h2[title]], htpy.div(class_="cc-panel cc-differ-panel")[content]]


def _by_answers(spread: Mapping[int, int], overlap: int) -> Element:
    """Return how many images have so many valid answers as bars; those that have enough in full colour."""
    most = max(spread.values())
    rows = [
        htpy.div(class_="cc-coverage-line")[
            htpy.span[wording.count(n, "answer")],
            htpy.span(class_="cc-coverage-bar")[
                htpy.i(class_=None if n >= overlap else "is-short", style=f"width:{100 * spread.get(n, 0) / most:z.1f}%")
            ],
            htpy.span(class_="cc-crowd-value")[wording.count(spread.get(n, 0), "image")],
        ]
        for n in range(max(overlap, *spread) + 1)
    ]
    return htpy.div[
        rows, htpy.p(class_="cc-part-hint")[f"{wording.count(overlap, 'answer')} asked for; only valid answers count."]
    ]


def _by_time(found: Sequence[Period], step: str) -> Element:
    """Return answers by time as columns: those that count, and the others on top of them; of many the latest."""
    shown = found[-_MOST_PERIODS:]
    most = max(period.valid + period.others for period in shown) or 1
    form = "%Y-%m-%d" if step == "day" else "%Y-%m-%d %H:00"
    columns_of = []
    for period in shown:
        text = f"{period.start.strftime(form)}: {period.valid:,} valid"
        text += f", {period.others:,} not counted" if period.others else ""
        columns_of.append(
            htpy.span(title=text)[
                htpy.i(class_="is-other", style=f"height:{100 * period.others / most:z.1f}%"),
                htpy.i(style=f"height:{100 * period.valid / most:z.1f}%"),
            ]
        )
    said = f"{shown[0].start.strftime(form)} to {shown[-1].start.strftime(form)}; at most {wording.count(most, 'answer')}"
    total = sum(period.valid for period in shown), sum(period.others for period in shown)
    return htpy.div[
        htpy.div(class_="cc-pace-columns", role="img", aria_label=f"Answers by {step}, {said}")[columns_of],
        htpy.p(class_="cc-part-hint")[f"{said} in one {step}. {total[0]:,} valid, {total[1]:,} not counted (pale)."],
    ]


def _not_counted(card: CampaignCard) -> Element:
    coverage = card.progress.coverage
    lines = (
        ("held now", coverage.held, "images that somebody has before them"),
        ("set aside", coverage.aside, "images that are offered to nobody, as they were reported as broken"),
        ("surplus", coverage.surplus, "answers after their image had enough, or from people who were revoked"),
        ("checks", coverage.checks, "answers to gold and attention images"),
        ("training", coverage.training, "answers to training images"),
    )
    rows = [(name, f"{n:,}", what) for name, n, what in lines]
    return htpy.section(class_="cc-part")[
        table_element(plain_table("What does not count", columns("", *numbers("n"), ""), rows)),
    ]
