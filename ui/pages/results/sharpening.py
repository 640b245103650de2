"""The leaderboard's switch: people's answers alone, or sharpened by a scorer's verdicts; and its numbers as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import htpy
from htpy import Element, Node

from agreement.meta.estimates import EstimateFinding
from agreement.study.cells import ALL
from concord.common import reason_sentences, wording
from concord.common.table import Cell
from concord.common.table import numbers as number_columns
from concord.comparison.leaderboard import Leaderboard
from concord.comparison.sharpened import TRIAL, SharpenedMeans, SharpenOptions
from data.aspects import YES_NO_ASPECTS
from data.selection import Selection
from ui.components.addresses import browse_address, page_address
from ui.components.tables import Cells, bullets, heading, plain_table, span, table_element
from ui.pages.results.view import ResultsView

_TARGETS: Final = {"prompts": "new prompts", "these": "these images"}
_LABELS: Final = {
    "drawn": "random samples of campaigns",
    "random": "all answers (they are a random sample)",
    "trial": f"a trial with {TRIAL} of them",
}
_METHODS: Final = {"ppi": "prediction-powered mean", "corrected": "corrected rate"}
_HOW: Final = {
    "ppi": "Answers are people’s; verdicts are the scorer’s, of every image. The mean leans on verdicts as far as they go"
    " with answers (λ: 0 not at all, 1 fully), so a useless scorer does no harm.",
    "corrected": "From how often the scorer says yes, how often it does where people say yes (sensitivity), and how often it"
    " says no where they say no (specificity).",
}


def sharpening_switch(board: Leaderboard, view: ResultsView, means: SharpenedMeans | None, scorers: Sequence[str]) -> Node:
    """Return the switch with its menu; nothing where no scorer meets people's answers."""
    if not scorers or board.people is None:
        return ""
    scorer = view.sharpen.scorer if view.sharpen.scorer in scorers else scorers[0]
    on = view.sharpen.scorer in scorers
    words = f"Sharpened by {scorer}"
    people = htpy.a(href=view.address(sharpen=SharpenOptions(labels=view.sharpen.labels)), aria_current=None if on else "true")[
        "People only"
    ]
    if means is not None and means.state == "impossible":
        sharpened: Node = htpy.span(title=means.reason, aria_disabled="true")[words]
    else:
        href = view.address(sharpen=replace(view.sharpen, scorer=scorer))
        sharpened = htpy.a(href=href, aria_current="true" if on else None)[words]
    return [
        htpy.nav(class_="cc-segments", aria_label="Means")[people, sharpened],
        htpy.span(class_="cc-chip-place")[
            htpy.button(
                type="button", class_="cc-button cc-button--quiet", popovertarget="sharpening", aria_label="How to sharpen"
            )[htpy.span(class_="cc-caret", aria_hidden="true")],
            htpy.div(id="sharpening", class_="cc-popup cc-scope-popup", popover="auto")[_menu(board, view, scorer, scorers)],
        ],
    ]


def _menu(board: Leaderboard, view: ResultsView, scorer: str, scorers: Sequence[str]) -> Node:
    options = replace(view.sharpen, scorer=scorer)
    methods = _METHODS if board.aspect in YES_NO_ASPECTS else {"ppi": _METHODS["ppi"]}
    groups = (
        ("Sharpened by", "scorer", {name: name for name in scorers}),
        ("Holds for", "target", _TARGETS),
        ("Answers that count", "labels", _LABELS),
        ("Method", "method", methods),
    )
    return [
        [
            htpy.p(class_="cc-popup-head")[title],
            [
                htpy.a(
                    href=view.address(sharpen=replace(options, **{name: value})),  # type: ignore[arg-type]
                    aria_current="true" if getattr(options, name) == value else None,
                )[words]
                for value, words in values.items()
            ],
        ]
        for title, name, values in groups
        if len(values) > 1
    ]


def sharpening_notice(view: ResultsView, means: SharpenedMeans | None) -> Node:
    """Return the line above the rows that says what sharpening saves, or why nothing changes; nothing while it is off."""
    if means is None or view.sharpen.scorer != means.scorer:
        return ""
    more: Node = ""
    if means.state == "impossible":
        more = [" ", htpy.a(href=page_address("people"))["Ask people about images drawn by chance"]]
    return htpy.p(class_=["cc-sharpened", f"is-{means.state}"], role="status")[means.reason, more]


def finding_title(row: EstimateFinding) -> str:
    """Return what stands behind a sharpened mean: the interval, people alone, lambda, answers and other images."""
    parts = [reason_sentences.text(row.method)]
    if row.low is not None and row.high is not None:
        parts.append(f"95 % interval {row.low:z.3f} to {row.high:z.3f}")
    if row.labels_mean is not None:
        ends = span(row.labels_low, row.labels_high, "z.3f")
        parts.append(f"people only {row.labels_mean:z.3f}{f' ({ends})' if ends else ''}")
    if row.scorer_mean is not None:
        parts.append(f"{row.scorer} {row.scorer_mean:z.3f}{'' if row.on_scale else ' on its own scale'}")
    if row.power is not None:
        parts.append(f"λ {row.power:z.2f}")
    parts.append(f"{wording.count(row.n_labelled, 'image')} answered, {row.n_unlabelled:,} more judged by {row.scorer}")
    if row.labels_saved is not None and round(row.labels_saved) >= 1:
        parts.append(f"saves about {wording.count(round(row.labels_saved), 'answer')}")
    return "; ".join(parts)


def sharpening_numbers(board: Leaderboard, view: ResultsView, means: SharpenedMeans | None) -> Node:
    """Return all numbers of the sharpened means, by generator and by task; each a link to its images."""
    if means is None or not means.rows:
        return ""
    rows = list(means.rows.values())
    whole = [row for row in rows if row.task == ALL]
    by_task = [row for row in rows if row.task != ALL]
    several = len({row.task for row in by_task}) > 1
    return [
        heading(f"Sharpened by {means.scorer}", f"{_HOW[view.sharpen.method]} {means.reason}"),
        _table("Each generator", whole, board, view),
        several and _table("Each generator and task", by_task, board, view),
    ]


def _table(caption: str, rows: Sequence[EstimateFinding], board: Leaderboard, view: ResultsView) -> list[Element | Node]:
    reasons: dict[str, None] = {}
    lines: list[Cells] = []
    titles: Sequence[str] = ()
    for row in rows:
        where = Selection(suite=(row.suite,), generator=(row.generator,), task=(row.task,))
        href, cells = browse_address(where, rater=row.scorer or "", by=board.aspect), _cells(row, view)
        name = "all generators" if row.generator == ALL else row.generator
        title = name if row.task == ALL else f"{name}, {wording.task(row.task)}"
        if row.reason is not None:
            reasons[f"{title}: {reason_sentences.text(row.reason)}."] = None
        lines.append([title, *(replace(cell, href=href) for cell in cells.values())])
        titles = [*cells]
    table = plain_table(caption, ["generator", *number_columns(*titles)], lines)
    return [table_element(table), bullets(reasons)]


def _cells(row: EstimateFinding, view: ResultsView) -> dict[str, Cell]:
    """Return a row's cells by their titles."""
    powered = view.sharpen.method == "ppi"
    why = reason_sentences.text(row.reason or row.method)
    cells = {_METHODS[view.sharpen.method]: _number(row.value, span(row.low, row.high), why)}
    cells |= {"people only": _number(row.labels_mean, span(row.labels_low, row.labels_high))} if powered else {}
    cells |= {"scorer’s mean": _number(row.scorer_mean, "" if row.on_scale else "on its own scale")}
    cells |= {"all answers": _number(row.full_mean)} if view.sharpen.labels == "trial" else {}
    cells |= {"answered": Cell(f"{row.n_labelled:,}"), "not yet answered": Cell(f"{row.n_unlabelled:,}")}
    if powered:
        saved = "–" if row.labels_saved is None else f"{row.labels_saved:z,.0f}"
        return cells | {"λ": _number(row.power), "answers saved": Cell(saved)}
    cells["sensitivity"] = _number(row.sensitivity, span(row.sensitivity_low, row.sensitivity_high))
    return cells | {"specificity": _number(row.specificity, span(row.specificity_low, row.specificity_high))}


def _number(value: float | None, detail: str = "", method: str = "") -> Cell:
    return Cell("–" if value is None else wording.two(value), (detail,) if detail else (), method, exact=value)
