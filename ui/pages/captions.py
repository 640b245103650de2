"""Captions: which captions scorers take for images, against chance and each other, and the images behind each number.

The view that an address asks for, the tables (every number with interval and n, leading to its images), the figures, and the
images with their captions, a page at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from string import ascii_uppercase
from typing import ClassVar, Final

import htpy
from htpy import Element, Node

from agreement import Options
from agreement.matching import Votes
from agreement.questions import GroupStatistic
from agreement.study.cells import ALL
from concord.browsing.grid import previews
from concord.common import next_steps, reason_sentences, wording
from concord.common.table import Cell, Table, numbers
from concord.comparison import matching
from concord.comparison.matching import (
    MatchingCell,
    MatchingStatistics,
    evidence,
    fits_of,
    matching_cells,
    posterior_of,
    recall,
    right_caption,
    winoground_scores,
)
from concord.open_project import OpenProject
from concord.scope import Scope
from data.browsing import ItemPreview
from data.images.widths import IN_GRIDS
from data.selection import Selection
from data.store.judgements.scorer_evidence import CaptionChoice
from ui.components.addresses import browse_address
from ui.components.dots import axis_of, interval_text
from ui.components.image_strip import image_address, picture_html
from ui.components.linked_figures import Mark, Series, dots
from ui.components.tables import (
    Cells,
    columns,
    commands,
    heading,
    note,
    paged,
    plain_table,
    scrolled,
    small,
    span,
    table_element,
)
from ui.pages.agreement_tabs import CAPTIONS, agreement_tabs, could_be_here
from ui.shell.live_place import LivePlace, PlaceDrawing
from ui.shell.scope_bar import chips_bar, menu_chip
from ui.shell.view import Choice, View

OUTCOMES: Final = {ALL: "right or wrong", "right": "right", "wrong": "wrong", "only": "right, and no other is"}


@dataclass(frozen=True)
class CaptionsView(View):
    """What is shown: of a suite the images of a generator; listed are those of a ``task`` of which ``who`` ``said`` this.

    ``page`` counts from 1.
    """

    PATH: ClassVar = "/agreement/captions"
    suite: str = ""
    generator: str = ""
    task: str = ALL
    who: str = ALL
    said: str = ALL
    page: int = 1


def choices(caption_choices: Sequence[CaptionChoice], values: Mapping[str, str | None]) -> dict[str, Choice]:
    """What each control offers, and the nearest to what is asked for."""
    suite = Choice.among([choice.suite for choice in caption_choices], values.get("suite"))
    mine = [choice for choice in caption_choices if choice.suite == suite.value]
    generators = {choice.generator: choice.generator or "unknown" for choice in mine}
    generator = Choice.among(dict(sorted(generators.items())), values.get("generator"))
    mine = [choice for choice in mine if choice.generator == generator.value]
    tasks = {ALL: "all tasks"} | {task: wording.task(task) for task in sorted({choice.task for choice in mine if choice.task})}
    raters = {ALL: "any scorer"} | {name: name for name in sorted({choice.rater_id for choice in mine})}
    return {
        "suite": suite,
        "generator": generator,
        "task": Choice.among(tasks if mine else {}, values.get("task")),
        "who": Choice.among(raters if mine else {}, values.get("who")),
        "said": Choice.among(OUTCOMES if mine else {}, values.get("said")),
    }


PAGE_SIZE: Final = 12


def gallery(store: OpenProject, caption_choices: Sequence[CaptionChoice], view: CaptionsView) -> Node:
    """Return the images that the view lists; pictures load as they scroll into view."""
    by_item: dict[str, list[CaptionChoice]] = {}
    for choice in caption_choices:
        if choice.generator == view.generator and view.task in (ALL, choice.task):
            by_item.setdefault(choice.item_id, []).append(choice)
    listed = sorted(((item, of) for item, of in by_item.items() if _is_listed(of, view)), key=lambda each: _order(each[1]))
    shown, pages = paged(listed, view.page, PAGE_SIZE, view.address)
    looks = previews(store, [item for item, _ in shown])
    cells = [_image(item, of, looks.get(item, ItemPreview(None, None)), view) for item, of in shown]
    body = htpy.ul(class_="cc-matches")[cells] if cells else note("None. Change one of the choices.")
    lead = f"{wording.count(len(listed), 'image')}; where scorers differ stands first, then where one is wrong."
    return [note(lead), body, pages]


def _order(of: Sequence[CaptionChoice]) -> tuple[bool, bool]:
    verdicts = {right_caption(choice) for choice in of}
    return not {True, False} <= verdicts, False not in verdicts


def _is_listed(of: Sequence[CaptionChoice], view: CaptionsView) -> bool:
    if view.who == ALL:
        verdicts = [right_caption(choice) for choice in of]
        of_any = {ALL: True, "right": True in verdicts, "wrong": False in verdicts, "only": verdicts.count(True) == 1}
        return of_any[view.said]
    mine = next((right_caption(choice) for choice in of if choice.rater_id == view.who), None)
    others = [right_caption(choice) for choice in of if choice.rater_id != view.who]
    wanted = {ALL: mine is not None, "right": mine is True, "wrong": mine is False, "only": mine is True and True not in others}
    return wanted[view.said]


def _image(item: str, of: Sequence[CaptionChoice], look: ItemPreview, view: CaptionsView) -> Element:
    href = image_address(item, browse_address(Selection(suite=(view.suite,), generator=(view.generator,))))
    text = look.text or item
    task = wording.task(of[0].task) if of[0].task else ""
    picture = htpy.a(href=href, title=text)[picture_html(look.sha256, text, IN_GRIDS), htpy.small[task]]
    return htpy.li(class_="cc-match")[picture, _fits(of)]


def _fits(of: Sequence[CaptionChoice]) -> Element:
    """Return the captions by letter, the right one marked; for each scorer its name and below it a number for each caption."""
    captions, right_index = of[0].captions, of[0].right
    letters = [ascii_uppercase[k] if k < len(ascii_uppercase) else str(k + 1) for k in range(len(captions))]
    kinds = ["cc-fit-right" if k == right_index else None for k in range(len(captions))]
    listed = [
        htpy.div(class_=kind)[htpy.dt[letter], htpy.dd[text, kind and [" ", htpy.small["right"]]]]
        for letter, text, kind in zip(letters, captions, kinds, strict=True)
    ]
    head = [htpy.th(scope="col", class_=kind)[letter] for letter, kind in zip(letters, kinds, strict=True)]
    # a scorer that chose among other captions has no row here
    lines = [_line(choice) for choice in of if choice.captions == captions]
    table = htpy.table(class_="cc-table cc-fits", aria_label="How well each caption fits")[htpy.thead[htpy.tr[head]], lines]
    return htpy.div(class_="cc-match-said")[htpy.dl[listed], scrolled(table)]


def _line(choice: CaptionChoice) -> Element:
    cells = [htpy.td(class_="cc-number")[fit] for fit in _column(choice)]
    kind = {True: "cc-right", False: "cc-wrong", None: "cc-muted"}[right_caption(choice)]
    wide = len(choice.captions)
    # a name of its own line, as names with settings are longer than all numbers together
    name = htpy.th(scope="rowgroup", colspan=wide)[htpy.span(class_=kind)[choice.rater_id]]
    return htpy.tbody[htpy.tr[name], htpy.tr[cells]]


def _column(choice: CaptionChoice) -> list[Node]:
    """Return how far each caption is from the best, and its posterior where there is one."""
    fits = fits_of(choice)
    if right_caption(choice) is None:
        return ["–" if fit is None else f"{fit:.4g}" for fit in fits]
    known = [fit for fit in fits if fit is not None]
    shares = posterior_of(choice, fits)
    made: list[Node] = []
    for k, fit in enumerate(known):
        difference = htpy.strong["best"] if fit == max(known) else f"{fit - max(known):.3g}"
        made.append([difference, "" if shares is None else small(f"p {shares[k]:z.2f}")])
    return made


_NO_VALUE: Final = "–"


def cell(row: GroupStatistic | None, href: str = "", digits: int = 3) -> Cell:
    """Return a number with interval and n."""
    if row is None:
        return Cell("")
    if row.value is None:
        return Cell(_NO_VALUE, note=reason_sentences.text_or_none(row.reason) or "")
    left = sum(row.excluded.values())
    details = (span(row.low, row.high, f"z.{digits}f"), f"n = {row.n:,}", f"{left:,} left out" if left else "")
    return Cell(f"{row.value:z.{digits}f}", tuple(filter(None, details)), reason_sentences.text(row.method), href, row.value)


def accuracy(cells: Sequence[MatchingCell], view: CaptionsView) -> Node:
    """Return tasks by scorers; beside them chance, and of all tasks posterior and rank."""
    raters = sorted({each.rater for each in cells})
    tasks = [ALL, *sorted({each.task for each in cells} - {ALL})]
    lines: list[Cells] = []
    for task in tasks:
        by_rater = {each.rater: each for each in cells if each.task == task}
        chance = next((by_rater[rater].chance.value for rater in raters if rater in by_rater), None)
        wrong = {rater: view.address(task=task, who=rater, said="wrong", page=1) for rater in raters}
        accuracies = [cell(by_rater[rater].accuracy, wrong[rater]) if rater in by_rater else "" for rater in raters]
        name = "all tasks" if task == ALL else wording.task(task)
        lines.append([name, _NO_VALUE if chance is None else f"{chance:z.3f}", *accuracies])
    heads = columns("task", *numbers("chance", *raters))
    table = table_element(plain_table("Accuracy: the right caption fits best, alone", heads, lines))
    return [table, _further([each for each in cells if each.task == ALL])]


def _further(cells: Sequence[MatchingCell]) -> Element:
    lines: list[Cells] = [
        [each.rater, cell(each.above_chance), cell(each.posterior), cell(each.rank, digits=2), cell(each.evaluations)]
        for each in sorted(cells, key=lambda each: each.rater)
    ]
    of_right = ("posterior of the right caption", "rank of the right caption")
    heads = columns("scorer", *numbers("above chance", *of_right, "evaluations made"))
    return table_element(plain_table("All tasks together", heads, lines))


def winoground(rows: Sequence[GroupStatistic]) -> Node:
    """Return text, image and group score of each scorer; nothing where there are no groups."""
    whole = [scores for scores in winoground_scores(rows) if scores.task == ALL]
    if not whole:
        return ""
    lines: list[Cells] = [
        [scores.rater, cell(scores.text), cell(scores.image), cell(scores.group)]
        for scores in sorted(whole, key=lambda scores: scores.rater)
    ]
    lead = (
        "Two images and two captions, each right about one: text: each image takes its caption; image: each caption its image."
    )
    heads = columns("scorer", *numbers("text score (chance .25)", "image score (chance .25)", "group score (chance .17)"))
    return _part("Winoground", lead, plain_table("Shares of groups", heads, lines))


def _part(title: str, lead: str, table: Table) -> Element:
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2[title], htpy.span(class_="cc-part-hint")[lead]], table_element(table)
    ]


def votes(rows: Sequence[Votes], view: CaptionsView) -> Node:
    """Return images of the listed task on which only one of two scorers is right (SelfEval, Figure 5)."""
    lines: list[Cells] = []
    for row in (row for row in rows if row.task == view.task):
        where = {"task": row.task, "said": "right", "page": 1}
        only = [
            (rater, Cell(f"{n:,}", href=view.address(who=rater, **where)))
            for rater, n in ((row.a, row.only_a), (row.b, row.only_b))
        ]
        apart = row.difference
        bounds = span(apart.low, apart.high, "+z.3f")
        difference = Cell(f"{apart.value:+z.3f}", (bounds,) if bounds else (), reason_sentences.text(apart.method))
        images = Cell(f"{apart.n:,}", (f"both {row.both:,}, neither {row.neither:,}",))
        lines.append([*only[0], *only[1], difference, images])
    if not lines:
        return ""
    lead = "Images on which only one of two scorers picks the right caption."
    heads = columns("a", *numbers("only a is right"), "b", *numbers("only b is right", "difference", "images"))
    return _part("Where only one is right", lead, plain_table("Votes", heads, lines))


def headline(cells: Sequence[MatchingCell], view: CaptionsView) -> Node:
    """Return one sentence: which scorer takes the right caption most often, and chance."""
    known = sorted(
        (each for each in cells if each.task == view.task and each.accuracy.value is not None), key=lambda each: each.rater
    )
    if not known:
        return ""
    best = max(known, key=lambda each: each.accuracy.value or 0.0)
    task = "all tasks" if view.task == ALL else wording.task(view.task)
    others = "; ".join(
        f"{each.rater} {wording.two(each.accuracy.value or 0.0)} of {each.accuracy.n:,}" for each in known if each is not best
    )
    facts = f"Share of {wording.count(best.accuracy.n, 'image')} by {view.generator or 'unknown'}, {task}." + (
        f" The others: {others}." if others else ""
    )
    value = wording.two(best.accuracy.value or 0.0)
    rest = htpy.span(class_="cc-rest")[f" {interval_text(best.accuracy)}, chance {wording.two(best.chance.value or 0.0)}"]
    return [htpy.h1[f"{best.rater} takes the right caption {value} of the time", rest], htpy.p(class_="cc-sub")[facts]]


_LEAD: Final = (
    "Each image has several captions, and one is right: does a scorer choose it? A likelihood scorer (SelfEval) asks its"
    " own text-to-image model; an image-text model (CLIP) is the baseline."
)
_NOBODY: Final = (
    "SelfEval (section 4) asks a text-to-image model how likely an image is given each of several captions: it understands the"
    " text if the right one wins. Images of any suite whose prompts have a spec can be scored as well: wrong captions are made"
    " from the spec."
)
_CHIPS: Final = {"suite": "Suite", "generator": "Images of", "task": "Task"}
_FILTERS: Final = {"who": "Images on which", "said": "is"}


class CaptionsPage(LivePlace):
    """The place."""

    title, path, ADDRESS = "Captions", CaptionsView.PATH, (*asdict(CaptionsView()), "numbers")

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the place without intervals, then with them."""
        asked = {
            name: given[-1][:1000] for name in asdict(CaptionsView()) if (given := [each for each in values(name) if each])
        }
        numbers = values("numbers")[-1:] == ["1"]
        offered = choices(evidence(self.store), asked)
        view = CaptionsView.chosen(offered, asked)
        known = [choice for choice in evidence(self.store) if choice.suite == view.suite]
        if not known:
            yield PlaceDrawing("", [agreement_tabs(self.store, CAPTIONS, Scope(), ""), _nothing(self.store)], self.title)
            return
        lost = [
            note(f"There is no {_CHIPS[name].lower()} {value!r} among the captions here.")
            for name, value in asked.items()
            if name in _CHIPS and value != ALL and str(getattr(view, name)) != value
        ]
        mine = [choice for choice in known if choice.generator == view.generator]
        for options in (Options(intervals=False), Options()):
            found = recall(self.store, view.suite, options).where(generator=view.generator)
            content = [
                agreement_tabs(self.store, CAPTIONS, Scope(view.suite), view.suite),
                lost,
                _content(self.store, mine, found, view, offered),
                numbers and _numbers_panel(mine, found, view, options),
            ]
            yield PlaceDrawing(_bar(mine, view, offered), content, self.title, complete=options.intervals)


def _bar(mine: Sequence[CaptionChoice], view: CaptionsView, offered: Mapping[str, Choice]) -> Element:
    items = len({choice.item_id for choice in mine})
    raters = len({choice.rater_id for choice in mine})
    chips = [_menu(name, label, view, offered[name]) for name, label in _CHIPS.items()]
    return chips_bar(chips, [view.suite, view.generator], [wording.count(items, "image"), wording.count(raters, "scorer")])


def _menu(name: str, label: str, view: CaptionsView, choice: Choice) -> Node:
    """Return a chip with what one part of the view may be."""
    titles = {value: title for title, value in (each if isinstance(each, tuple) else (each, each) for each in choice.choices)}
    links = {value: (title, view.address(**{name: value, "page": 1})) for value, title in titles.items()}
    return menu_chip(f"captions-{name}", label, str(choice.value or ""), links, usual=ALL if ALL in titles else "")


def _content(
    store: OpenProject,
    mine: Sequence[CaptionChoice],
    found: MatchingStatistics,
    view: CaptionsView,
    offered: Mapping[str, Choice],
) -> Node:
    cells = matching_cells(found.matching)
    filters = [_menu(name, label, view, offered[name]) for name, label in _FILTERS.items()]
    every = htpy.a(href=_numbers_address(view))["All numbers"]
    return [
        htpy.header(class_="cc-lead")[htpy.div[headline(cells, view)]],
        htpy.section(class_="cc-part")[
            htpy.div(class_="cc-part-head")[htpy.h2["Accuracy less chance, by task"], htpy.div(class_="cc-part-tools")[every]],
            htpy.div(class_="cc-panel cc-failing-figure", tabindex="0", role="group", aria_label="Accuracy less chance")[
                _above_chance(cells, view)
            ],
            note(_LEAD),
        ],
        winoground(found.winoground),
        votes(found.votes, view),
        htpy.section(class_="cc-part")[
            htpy.div(class_="cc-part-head")[htpy.h2["Images and captions"], htpy.div(class_="cc-part-tools")[filters]],
            gallery(store, mine, view),
        ],
        could_be_here(store, view.suite),
    ]


def _numbers_address(view: CaptionsView) -> str:
    address = view.address()
    return f"{address}{'&' if '?' in address else '?'}numbers=1"


def _numbers_panel(mine: Sequence[CaptionChoice], found: MatchingStatistics, view: CaptionsView, options: Options) -> Element:
    """Return the panel at the right: accuracy with chance, posterior and rank, and fewer trials."""
    close = htpy.a(class_="cc-panel-close", href=view.address(), aria_label="Close")["×"]
    return htpy.aside(class_="cc-side-panel", aria_label="All numbers")[
        htpy.div(class_="cc-part-head")[htpy.h2["All numbers"], close],
        accuracy(matching_cells(found.matching), view),
        _ablation(mine, found, options),
    ]


def _nothing(store: OpenProject) -> Node:
    """Return what the place needs."""
    first, lines = "The playground’s set, six tasks", next_steps.command_lines(store, next_steps.MATCHING)
    if next_steps.has_own_images(store):
        first = "Your images, where prompts have a spec"
        lines = next_steps.command_lines(store, next_steps.score_command(store, "clipmatch"))
    files = "A file of yours: Winoground’s, ARO’s, or TIFA’s questions about COCO (docs/matching.md says how they are laid out)"
    return [
        htpy.h1["No scorer has chosen among captions yet"],
        htpy.p(class_="cc-sub")[_NOBODY],
        htpy.section(class_="cc-part")[htpy.h2[first], commands(lines)],
        htpy.section(class_="cc-part")[htpy.h2[files], commands(next_steps.command_lines(store, next_steps.MATCHING_FILES))],
    ]


def _above_chance(cells: Sequence[MatchingCell], view: CaptionsView) -> Element:
    """Return accuracy less chance with intervals: a row for each task, in it a dot for each scorer (SelfEval, Figure 4)."""
    above = {(each.task, each.rater): each.above_chance for each in cells}
    tasks = [ALL, *sorted({task for task, _ in above} - {ALL})]
    series = [
        Series(rater, [_mark(above.get((task, rater)), task, rater, view) for task in tasks])
        for rater in sorted({rater for _, rater in above})
    ]
    numbers = [end for each in series for mark in each.marks for end in (mark.value, mark.low, mark.high) if end is not None]
    scale = axis_of([*numbers, 0.0])
    return dots([wording.task(task) for task in tasks], series, "accuracy less chance", scale=scale, chance=0.0)


def _mark(row: GroupStatistic | None, task: str, rater: str, view: CaptionsView) -> Mark:
    """Return a number that leads to the images on which the scorer is wrong."""
    if row is None or row.value is None:
        return Mark(None)
    bounds = span(row.low, row.high, "+z.2f")
    number = f"{row.value:+z.2f}{f' ({bounds})' if bounds else ''}\nn = {row.n:,}"
    href = view.address(task=task, who=rater, said="wrong", page=1)
    return Mark(row.value, row.low, row.high, f"{rater}, {wording.task(task)}: {number}", href)


def _ablation(mine: Sequence[CaptionChoice], found: MatchingStatistics, options: Options) -> Node:
    """Return accuracy by trials of raters that differ in steps or seed alone: of the largest such family."""
    families = matching.ablation_grids(mine)
    if not families:
        return ""
    (_, title), grid = max(families.items(), key=lambda item: len(item[1]))
    points = [point for point in matching.ablation_points(mine, grid, range(1, 10_000), options) if point.task == ALL]
    chance = next((each.chance.value for each in matching_cells(found.matching) if each.task == ALL), None)
    settings = sorted({(point.steps, point.seed) for point in points})
    trials = sorted({point.trials for point in points})
    by = {(point.steps, point.seed, point.trials): point.accuracy for point in points}
    lines: list[Cells] = [[f"{count:,}", *(cell(by.get((*setting, count))) for setting in settings)] for count in trials]
    heads = columns("trials", *numbers(*(f"{steps} steps, seed {seed}" for steps, seed in settings)))
    lead = "Accuracy by trials, steps and seed; fewer trials are the first ones."
    lead += "" if chance is None else f" Chance is {wording.two(chance)}."
    return [heading(f"Ablation: {title}", lead), table_element(plain_table("Accuracy by trials", heads, lines))]
