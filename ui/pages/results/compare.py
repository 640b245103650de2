"""Compare: one generator beside another on the same prompts. A sentence, every rater's difference, tasks, and the prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import htpy
from htpy import Element, Node

from agreement.generators import GeneratorDifference
from concord.common import reason_sentences, wording
from concord.comparison.leaderboard import SCORE, BoardRater, leaderboard
from concord.comparison.model_comparison import (
    ModelComparison,
    PromptPair,
    RatedAspect,
    compare_models,
    pair_images,
    rated_generators,
)
from concord.comparison.same_prompts import PromptImage
from concord.headlines import is_muted, pair_headline
from concord.open_project import OpenProject
from concord.scope import OpenScope, Scope, open_scope
from data.aspects import YES_NO_ASPECTS
from ui.components.addresses import listing_address
from ui.components.dots import Axis, axis_of, axis_scale, dot
from ui.components.tables import pager
from ui.pages.results.notices import nothing_yet
from ui.pages.results.strips import ImageScale, add_pictures, image_cell
from ui.pages.results.view import COMPARE, SHOWN, CompareView, ResultsView
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import menu_chip, scope_bar

_SCOPE: Final = ("suite", "aspect", "task")
_PAGE_SIZE: Final = 12


@dataclass(frozen=True, slots=True)
class RaterComparison:
    """What one rater makes of the two generators."""

    rater: BoardRater
    made: ModelComparison
    overall: GeneratorDifference


class ComparePage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Compare", COMPARE, (*_SCOPE, "a", "b", "by", "show", "page")

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield what the first rater says, then what all say."""
        asked = CompareView.read(values)
        opened = open_scope(self.store, replace(asked.scope, generator=(), statistic=""))
        if opened is None:
            yield PlaceDrawing("", nothing_yet(self.store), "Compare")
            return
        board = leaderboard(self.store, opened.scope, intervals=False)
        chosen = next((each for each in board.raters if each.name == asked.by), board.raters[0] if board.raters else None)
        view, lost = _with_generators(self.store, asked, opened, board.generators, chosen)
        bar = scope_bar(opened, view.of_scope, _SCOPE)
        head = [htpy.p(class_="cc-note", role="status")[line] for line in (*opened.lost, *lost)]
        if chosen is None or not view.a or not view.b:
            yield PlaceDrawing(bar, [head, _alone(board.generators, opened)], "Compare")
            return
        title = f"{view.b} beside {view.a}"
        own = compare_raters(self.store, opened.scope, view, [chosen])
        for raters in ([chosen], board.raters):
            every = own if len(raters) == 1 else compare_raters(self.store, opened.scope, view, raters)
            content = [head, _content(self.store, opened, view, board.generators, chosen, every)]
            yield PlaceDrawing(bar, content, title, complete=raters is board.raters)


def compare_raters(store: OpenProject, scope: Scope, view: CompareView, raters: Sequence[BoardRater]) -> list[RaterComparison]:
    """Return what each of these raters makes of the two generators; without those that have not judged both."""
    found = []
    for rater in raters:
        made = compare_models(store, scope.suite, view.a, view.b, RatedAspect(rater.name, rater.aspect), scope.task)
        if made.overall is not None:
            found.append(RaterComparison(rater, made, made.overall))
    return found


def _with_generators(
    store: OpenProject, view: CompareView, opened: OpenScope, order: Sequence[str], by: BoardRater | None
) -> tuple[CompareView, list[str]]:
    """Return the view with two generators, and what of the address there is not: the two best that the rater has judged."""
    if by is None:
        return view, []
    judged = rated_generators(store, opened.scope.suite, RatedAspect(by.name, by.aspect))
    best = sorted(order, key=lambda name: name not in judged)
    lost = [f"There is no generator {name!r} here." for name in (view.a, view.b) if name and name not in best]
    b = view.b if view.b in best else next((name for name in best if name != view.a), "")
    a = view.a if view.a in best and view.a != b else next((name for name in best if name != b), "")
    return replace(view, a=a, b=b), lost


def _alone(generators: Sequence[str], opened: OpenScope) -> Node:
    line = (
        f"{generators[0]} is the only generator of {opened.scope.suite}" if generators else "No generator has been judged here"
    )
    return [_back(opened.asked), htpy.h1[f"{line}: there is nothing to compare"]]


def _back(scope: Scope) -> Element:
    return htpy.p(class_="cc-crumb")[htpy.a(href=ResultsView(scope).address())["← Leaderboard"]]


def _content(
    store: OpenProject,
    opened: OpenScope,
    view: CompareView,
    generators: Sequence[str],
    chosen: BoardRater,
    every: Sequence[RaterComparison],
) -> Node:
    own = next((each for each in every if each.rater.name == chosen.name), None)
    head = htpy.header(class_="cc-lead")[
        htpy.div[_sentence(view, chosen, own, every, len(generators))], _pickers(view, generators)
    ]
    if own is None:
        return [_back(opened.asked), head]
    return [
        _back(opened.asked),
        head,
        htpy.div(class_=["cc-versus", not own.made.by_task and "is-single"])[
            _by_rater(view, every, own), _by_task(own) if own.made.by_task else ""
        ],
        _prompts(store, opened.scope, view, own),
    ]


def _sentence(
    view: CompareView, chosen: BoardRater, own: RaterComparison | None, every: Sequence[RaterComparison], several: int
) -> Node:
    """Return who is better and how sure that is, and how many scorers see the same one ahead; `several`: generators in all."""
    if own is None:
        return htpy.h1[f"{view.a} and {view.b} share no prompt that {chosen.name} judged"]
    whole = own.overall
    main, rest = pair_headline(whole)
    if chosen.kind == "simulated":
        main = f"By simulated people: {main}"
    better = f"{rest}, better on {whole.wins:,} of {wording.count(whole.prompts, 'prompt')}"
    p = "one prompt: no test" if whole.p is None else f"p = {whole.p:.3g} by sign flips over prompts"
    basis = f"By {chosen.name}, {wording.plain_aspect(chosen.aspect)}, paired over the same prompts; {p}."
    scorers = [each for each in every if each.rater.kind == "scorer" and each is not own]
    same = [each for each in scorers if each.overall.value * whole.value > 0]
    agree = (
        f" {len(same)} of {wording.count(len(scorers), 'scorer')} see the same one ahead." if scorers and whole.value else ""
    )
    alone = f" One comparison by itself: ranks on Results allow for all pairs of {several:,} generators." if several > 2 else ""
    return [htpy.h1[main, htpy.span(class_="cc-rest")[better]], htpy.p(class_="cc-sub")[basis, agree, alone]]


def _pickers(view: CompareView, generators: Sequence[str]) -> Element:
    """Return two menus of generators with a link between them that swaps both."""

    def picker(side: str, label: str) -> Node:
        other = view.b if side == "a" else view.a
        links = {}
        for name in generators:
            changes = {side: name} if name != other else {"a": view.b, "b": view.a}
            links[name] = (name, view.address(**changes))
        return menu_chip(f"compare-{side}", label, getattr(view, side), links)

    swap = htpy.a(class_="cc-pill cc-swap", href=view.address(a=view.b, b=view.a), title="Swap", aria_label="Swap the two")["⇄"]
    return htpy.div(class_="cc-part-tools cc-pickers")[picker("b", "Compare"), swap, picker("a", "with")]


def _own_scale(rater: BoardRater, chosen: BoardRater) -> bool:
    """Return True if a rater's differences cannot stand on the chosen one's axis."""
    return (rater.aspect == SCORE) != (chosen.aspect == SCORE) or (rater.aspect == SCORE and rater.name != chosen.name)


def _ends(differences: Sequence[GeneratorDifference]) -> list[float]:
    return [0.0, *(end for row in differences for end in (row.value, row.low, row.high) if end is not None)]


def _difference_text(row: GeneratorDifference, axis: Axis) -> Node:
    digits = 2 if axis.high - axis.low > 0.1 else 3
    has = row.low is not None and row.high is not None
    bounds = f"[{row.low:z.{digits}f}, {row.high:z.{digits}f}]" if has else ""
    return [htpy.b[f"{row.value:+z.{digits}f}"], " ", htpy.small[bounds or "no interval"]]


def _difference_title(row: GeneratorDifference) -> str:
    bounds = "no interval" if row.low is None else f"95 % interval {row.low:z.3f} to {row.high:z.3f}"
    p = "" if row.p is None else f", p = {row.p:.3g}"
    corrected = "" if row.p_holm is None else f", corrected for all tasks {row.p_holm:.3g}"
    first, second = f"{row.first} better on {row.wins:,}", f"{row.second} better on {row.losses:,}"
    outcomes = f"{wording.count(row.prompts, 'prompt')}: {first}, same on {row.ties:,}, {second}"
    return f"{row.value:+z.3f}, {bounds}{p}{corrected}; {outcomes}; {reason_sentences.text(row.method)}"


def _by_rater(view: CompareView, every: Sequence[RaterComparison], own: RaterComparison) -> Element:
    shared = axis_of(_ends([each.overall for each in every if not _own_scale(each.rater, own.rater)]), 6)
    head = htpy.div(class_="cc-versus-row is-head")[
        htpy.span["rater"],
        htpy.span["prompts by who is better"],
        axis_scale(shared),
        htpy.span["difference"],
    ]
    rows = []
    for each in every:
        alone = _own_scale(each.rater, own.rater)
        axis = axis_of(_ends([each.overall]), 4) if alone else shared
        point = dot(each.overall, axis, each.rater.kind, chance=0.0)
        chosen = each.rater.name == own.rater.name
        name = htpy.a(href=view.address(by=each.rater.name), aria_current="true" if chosen else None)[
            htpy.i(class_=f"cc-point cc-point--{each.rater.kind}", aria_hidden="true"), htpy.span[each.rater.name]
        ]
        rows.append(
            htpy.div(class_=["cc-versus-row", chosen and "is-chosen"])[
                name,
                _outcomes(view, each),
                htpy.span(class_="cc-versus-dot", title=_difference_title(each.overall))[point, alone and axis_scale(axis)],
                htpy.span(class_="cc-versus-number")[_difference_text(each.overall, axis)],
            ]
        )
    prompts = wording.count(own.overall.prompts, "prompt")
    legend = htpy.div(class_="cc-legend")[
        [htpy.span[htpy.i(class_=f"cc-outcome-key is-{name}"), words] for name, words in _outcome_words(view).items()],
        htpy.span[f"bar: 95 % interval over {prompts}"],
    ]
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["By rater"]],
        htpy.div(class_=f"cc-panel is-{own.rater.kind}")[head, rows, htpy.div(class_="cc-panel-foot")[legend]],
    ]


def _outcome_words(view: CompareView) -> dict[str, str]:
    """Return what the parts of the bars are called, in their order."""
    return {"better": f"{view.b} better", "same": "same", "worse": f"{view.a} better"}


def _outcomes(view: CompareView, each: RaterComparison) -> Element:
    """Return wins, ties and losses as a bar whose parts open their prompts."""
    whole, words = each.overall, _outcome_words(view)
    counts = (("better", whole.wins), ("same", whole.ties), ("worse", whole.losses))
    parts = [
        htpy.a(
            class_=f"is-{name}",
            style=f"flex-grow:{n}",
            href=view.address(by=each.rater.name, show=name) + "#prompts",
            title=f"{each.rater.name}: {words[name]} on {wording.count(n, 'prompt')}",
            aria_label=f"{each.rater.name}: {words[name]} on {n}",
        )[f"{n:,}"]
        for name, n in counts
        if n
    ]
    return htpy.span(class_=f"cc-outcomes is-{each.rater.kind}")[parts]


def _by_task(own: RaterComparison) -> Element:
    tasks = own.made.by_task
    axis = axis_of(_ends([row for _, row in tasks if not is_muted(row.prompts)] or [row for _, row in tasks]), 5)
    head = htpy.div(class_="cc-versus-row is-task is-head")[htpy.span["task"], axis_scale(axis), htpy.span["difference"]]
    rows = [
        htpy.div(class_=["cc-versus-row", "is-task", is_muted(row.prompts) and "is-few"])[
            htpy.span[htpy.b[wording.task(name)], htpy.small[wording.count(row.prompts, "prompt")]],
            htpy.span(title=_difference_title(row))[dot(row, axis, own.rater.kind, chance=0.0)],
            htpy.span(class_="cc-versus-number")["too few prompts" if is_muted(row.prompts) else _difference_text(row, axis)],
        ]
        for name, row in tasks
    ]
    whose = htpy.div(class_="cc-part-tools cc-legend")[
        htpy.span[htpy.i(class_=f"cc-point cc-point--{own.rater.kind}"), own.rater.name]
    ]
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["By task"], whose], htpy.div(class_="cc-panel")[head, rows]
    ]


def outcome(pair: PromptPair) -> str:
    """Return the name of `SHOWN` under which a prompt stands."""
    return "same" if abs(pair.change) < 1e-12 else "better" if pair.change > 0 else "worse"


def _prompts(store: OpenProject, scope: Scope, view: CompareView, own: RaterComparison) -> Element:
    """Return the prompts on which one generator is better, or both the same, with all pictures of both sides."""
    by_outcome: dict[str, list[PromptPair]] = {name: [] for name in SHOWN}
    for pair in own.made.pairs:
        by_outcome[outcome(pair)].append(pair)
    by_outcome["better"].reverse()
    shown = view.show or max(SHOWN[:2], key=lambda name: len(by_outcome[name]))
    shown = shown if view.show or by_outcome[shown] else "same"
    words = _outcome_words(view)
    tabs = [
        htpy.a(href=view.address(show=name), aria_current="true" if name == shown else None)[
            f"{words[name]} {len(by_outcome[name]):,}"
        ]
        for name in SHOWN
    ]
    chosen = by_outcome[shown]
    pages = max(1, -(-len(chosen) // _PAGE_SIZE))
    page = min(view.page, pages)
    listed = chosen[(page - 1) * _PAGE_SIZE : page * _PAGE_SIZE]
    images = pair_images(store, own.made, listed)
    binary = own.rater.aspect in YES_NO_ASPECTS
    means = [total / n for total, n in own.made.answers.values()]
    low, high = (0.0, 1.0) if binary or not means else (min(means), max(means))
    scale = ImageScale(own.rater.kind, binary, low, high)
    rows = [_pair(pair, view, images, scale, scope.suite) for pair in listed]
    unpictured = bool(listed) and not any(image.sha256 for image in images.values())
    said = f"{own.rater.name} who say yes" if binary and own.rater.kind != "scorer" else own.rater.name
    empty = f"{words[shown]} on no prompt." if shown != "same" else "On no prompt are both the same."
    return htpy.section(class_="cc-part", id="prompts")[
        htpy.div(class_="cc-part-head")[
            htpy.h2["Prompts"],
            htpy.nav(class_="cc-segments", aria_label="Prompts")[tabs],
            htpy.div(class_="cc-part-tools cc-legend")[htpy.span[htpy.i(class_=f"cc-point cc-point--{own.rater.kind}"), said]],
        ],
        unpictured and htpy.p(class_="cc-note")["The pictures are not here; each cell is the mean answer. ", add_pictures()],
        htpy.div(class_="cc-panel")[rows or htpy.p(class_="cc-versus-none")[empty]],
        pager(page, pages, view.address),
    ]


def _pair(pair: PromptPair, view: CompareView, images: Mapping[str, PromptImage], scale: ImageScale, suite: str) -> Element:
    listing = listing_address((*pair.first_items, *pair.second_items), suite)
    sides = [
        htpy.div(class_="cc-change-side")[
            htpy.p[htpy.span[name], htpy.b[wording.two(value)]],
            htpy.div(class_="cc-change-images")[
                [image_cell(images[item], scale, listing, f"{name}: {pair.text}") for item in items]
            ],
        ]
        for name, value, items in ((view.a, pair.first, pair.first_items), (view.b, pair.second, pair.second_items))
    ]
    task = pair.task and htpy.small[wording.task(pair.task)]
    return htpy.article(class_="cc-change", tabindex="0", data_walk="")[
        htpy.div[htpy.p(class_="cc-change-number")[f"{pair.change:+z.2f}"], htpy.h3[pair.text], task],
        sides[0],
        htpy.span(class_="cc-change-arrow", aria_hidden="true")["→"],
        sides[1],
    ]
