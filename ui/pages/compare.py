"""One model against another on the same prompts: who wins, how sure that is, and the prompts that got worse, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import htpy
from htpy import Element, Node

from agreement.generators import GeneratorDifference
from concord.common import next_steps, sentences, wording
from concord.common.table import Cell, numbers
from concord.comparison.leaderboard import leaderboard
from concord.comparison.model_comparison import (
    ModelComparison,
    PromptPair,
    RatedAspect,
    compare_models,
    rated_aspects,
    rated_generators,
)
from concord.headlines import pair_headline
from concord.scope import main_suite, scope_of
from data.browsing import ItemPreview
from data.selection import Selection
from data.store.browse import contents
from data.store.core.store import Store
from ui.components.image_strip import image_link
from ui.components.tables import (
    Cells,
    block_title,
    columns,
    first_sentence,
    folded,
    note,
    plain_table,
    span,
    table_element,
    with_rest,
)
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.page import Page
from ui.shell.view import View

ORDERS: Final = {"regressions": "largest regressions", "improvements": "largest improvements"}
_PAIRS: Final = 24
_IMAGES: Final = 4
_SEPARATOR: Final = "·"


@dataclass(frozen=True)
class CompareView(View):
    """Two generators of a suite, compared ``by`` a rater's aspect (``RATER·ASPECT``)."""

    PATH: ClassVar = "/results/compare"
    suite: str = ""
    first: str = ""
    second: str = ""
    by: str = ""
    order: str = "regressions"

    @property
    def rated(self) -> RatedAspect:
        return _rated_aspect(self.by)


def _rated_aspect(by: str) -> RatedAspect:
    rater, _, aspect = by.rpartition(_SEPARATOR)
    return RatedAspect(rater, aspect)


class ComparePage(Page[CompareView]):
    """The page."""

    title, VIEW = "Compare", CompareView

    def lay_out(self) -> None:
        self.dropdowns(suite="Suite", first="Before (baseline)", second="After (candidate)", by="Judged by", order="First")
        self.html("comparison")
        self.html("pairs")

    def teaching(self) -> str:
        commands = next_steps.commands_block(self.store, next_steps.IMAGES)
        return f"To compare two models, import images of both for the same prompts, and score or label them.\n\n{commands}"

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:
        """What each control offers, and the nearest to what is asked for: the two best generators of the leaderboard, by its
        first rater."""
        suites = {
            name: suite.generators for name, suite in contents.judged_suites(self.store).items() if len(suite.generators) > 1
        }
        if not suites:
            return dict.fromkeys(self.ADDRESS, Choice([], ""))
        suite = Choice.among(sorted(suites), values.get("suite"), main_suite(self.store))
        rated = {
            f"{aspect.rater}{_SEPARATOR}{aspect.aspect}": f"{aspect.rater}: {aspect.aspect}"
            for aspect in rated_aspects(self.store, suite.value)
        }
        board = leaderboard(self.store, scope_of(self.store, suite.value), intervals=False)
        # people, or else the scorer closest to them
        usual = (key for rater in board.raters if (key := f"{rater.name}{_SEPARATOR}{rater.aspect}") in rated)
        by = Choice.among(rated, values.get("by"), next(usual, None))
        judged = rated_generators(self.store, suite.value, _rated_aspect(by.value or ""))
        best = sorted(board.generators, key=lambda name: name not in judged)
        second = Choice.among(sorted(best), values.get("second"), best[0])
        others = [name for name in best if name != second.value]
        first = Choice.among(sorted(others), values.get("first"), others[0])
        return {"suite": suite, "first": first, "second": second, "by": by, "order": Choice.among(ORDERS, values.get("order"))}

    def draw(self, view: CompareView) -> Iterator[Drawn | None]:
        if not view.first or not view.by:
            yield None
            return
        made = compare_models(self.store, view.suite, view.first, view.second, view.rated)
        yield {"comparison": comparison(made, view), "pairs": pairs(self.store, made, view)}


def comparison(made: ModelComparison, view: CompareView) -> Node:
    """Return who wins and how sure it is, and the difference by task."""
    whole = made.overall
    if whole is None:
        return note(f"{view.first} and {view.second} share no prompt that {view.rated.rater} judged.")
    main, rest = pair_headline(whole)
    p = "one prompt: no test" if whole.p is None else f"p = {whole.p:.3g} (sign flips over prompts)"
    facts = (
        f"By {view.rated.rater}, {wording.plain_aspect(view.rated.aspect)}: better on {whole.wins:,},"
        f" worse on {whole.losses:,}, the same on {whole.ties:,} of {wording.count(whole.prompts, 'shared prompt')}; {p}."
    )
    return htpy.fragment[first_sentence(with_rest(main, rest), facts), _outcomes(whole), _by_task(made.by_task)]


def _outcomes(whole: GeneratorDifference) -> Element:
    """Return wins, ties and losses as a bar."""
    parts = (("win", "wins", whole.wins), ("tie", "ties", whole.ties), ("loss", "losses", whole.losses))
    bars = [
        htpy.span(class_=f"cc-outcome cc-outcome--{name}", style=f"flex-grow: {n}")[f"{n:,} {plural if n != 1 else name}"]
        for name, plural, n in parts
        if n
    ]
    label = f"{whole.wins} wins, {whole.ties} ties, {whole.losses} losses"
    return htpy.div(class_="cc-outcomes", role="img", aria_label=label)[bars]


def _by_task(tasks: Sequence[tuple[str, GeneratorDifference]]) -> Node:
    if not tasks:
        return ""
    rows: list[Cells] = [
        [
            wording.task(name),
            Cell(f"{each.value:+z.3f}", (span(each.low, each.high) or "no interval",), sentences.text(each.method)),
            "–" if each.p_holm is None else f"{each.p_holm:.3g}",
            *(f"{n:,}" for n in (each.wins, each.ties, each.losses, each.prompts)),
        ]
        for name, each in tasks
    ]
    heads = columns("task", *numbers("difference", "p (Holm)", "wins", "ties", "losses", "prompts"))
    return folded("By task", table_element(plain_table("The same by task", heads, rows)))


def pairs(store: Store, made: ModelComparison, view: CompareView) -> Node:
    """Return the prompts with the largest change, the images of both models side by side."""
    ordered = made.pairs if view.order == "regressions" else made.pairs[::-1]
    changed = [pair for pair in ordered if (pair.change < 0) == (view.order == "regressions") and pair.change]
    word = "worse" if view.order == "regressions" else "better"
    if not changed:
        return note(f"No prompt got {word}.") if made.pairs else ""
    listed = changed[:_PAIRS]
    items = [item for pair in listed for item in (*pair.first_items[:_IMAGES], *pair.second_items[:_IMAGES])]
    looks = contents.item_previews(store, items)
    rows = [_pair(pair, view, looks) for pair in listed]
    more = f" The {len(listed)} largest are listed." if len(changed) > len(listed) else ""
    title = f"{wording.count(len(changed), 'prompt')} got {word}.{more}"
    return htpy.fragment[block_title(title), htpy.ul(class_="cc-pairs")[rows]]


def _pair(pair: PromptPair, view: CompareView, looks: Mapping[str, ItemPreview]) -> Element:
    listing = Selection(suite=(view.suite,))
    sides = [
        htpy.div[
            htpy.p[name, " ", htpy.strong[wording.two(value)]],
            htpy.div(class_="cc-pair-images")[[image_link(item, looks.get(item), listing) for item in items[:_IMAGES]]],
        ]
        for name, value, items in ((view.first, pair.first, pair.first_items), (view.second, pair.second, pair.second_items))
    ]
    badge = htpy.span(class_=f"cc-badge cc-badge--{'bad' if pair.change < 0 else 'ok'}")[f"{pair.change:+z.2f}"]
    return htpy.li[htpy.h3[badge, " ", pair.text], htpy.div(class_="cc-pair-sides")[sides]]
