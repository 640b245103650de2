"""Matching: which captions scorers take for images, against chance and each other, and the images behind each number.

The view that an address asks for, the tables (every number with interval and n, leading to its images), the figures, and the
images with their captions, a page at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, ClassVar, Final

import gradio as gr
import htpy
from htpy import Element, Node

from agreement import Options
from agreement.matching import Votes, is_known, is_right
from agreement.questions import GroupStatistic
from agreement.study.cells import ALL
from concord.common import next_steps, sentences, wording
from concord.common.table import Cell, numbers
from concord.comparison import matching
from concord.comparison.matching import (
    MatchingCell,
    MatchingStatistics,
    evidence,
    fits_of,
    matching_cells,
    posterior_of,
    recall,
    winoground_scores,
)
from data.browsing import ItemPreview
from data.images.widths import IN_GRIDS
from data.selection import Selection
from data.store.browse import contents
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice
from ui.components.charts import above_chance, by_trials
from ui.components.image_strip import image_address, picture_html
from ui.components.tables import (
    Cells,
    bracketed,
    columns,
    first_sentence,
    heading,
    note,
    paged,
    plain_table,
    scrolled,
    small,
    span,
    table_element,
)
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.html import SKELETON, html_component
from ui.shell.page import Page
from ui.shell.view import View

OUTCOMES: Final = {ALL: "right or wrong", "right": "right", "wrong": "wrong", "only": "right, and no other is"}


@dataclass(frozen=True)
class MatchingView(View):
    """What is shown: of a suite the images of a generator; listed are those of a ``task`` of which ``who`` ``said`` this.

    ``page`` counts from 1.
    """

    PATH: ClassVar = "/agreement/matching"
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


def gallery(store: Store, caption_choices: Sequence[CaptionChoice], view: MatchingView) -> Node:
    """Return the images that the view lists; pictures load as they scroll into view."""
    by_item: dict[str, list[CaptionChoice]] = {}
    for choice in caption_choices:
        if choice.generator == view.generator and view.task in (ALL, choice.task):
            by_item.setdefault(choice.item_id, []).append(choice)
    listed = sorted(((item, of) for item, of in by_item.items() if _is_listed(of, view)), key=lambda each: _order(each[1]))
    shown, pages = paged(listed, view.page, PAGE_SIZE, view.address)
    looks = contents.item_previews(store, [item for item, _ in shown])
    cells = [_image(item, of, looks.get(item, ItemPreview(None, None)), view) for item, of in shown]
    who = "" if view.who == ALL else f", {view.who} {OUTCOMES[view.said] if view.said != ALL else ''}".rstrip()
    title = "Images and captions" + ("" if view.task == ALL else f", {wording.task(view.task)}") + who
    body = htpy.ul(class_="cc-matches")[cells] if cells else note("None. Change one of the choices.")
    lead = f"{wording.count(len(listed), 'image')}; where scorers differ stands first, then where one is wrong."
    return [heading(title, lead), body, pages]


def right(choice: CaptionChoice) -> bool | None:
    """Whether a scorer picked the right caption; None where a caption has no number. A tie is not right."""
    fits = fits_of(choice)
    known = [fit for fit in fits if fit is not None]
    return is_right(known, choice.right) if is_known(fits) else None


def _order(of: Sequence[CaptionChoice]) -> tuple[bool, bool]:
    verdicts = {right(choice) for choice in of}
    return not {True, False} <= verdicts, False not in verdicts


def _is_listed(of: Sequence[CaptionChoice], view: MatchingView) -> bool:
    if view.who == ALL:
        verdicts = [right(choice) for choice in of]
        of_any = {ALL: True, "right": True in verdicts, "wrong": False in verdicts, "only": verdicts.count(True) == 1}
        return of_any[view.said]
    mine = next((right(choice) for choice in of if choice.rater_id == view.who), None)
    others = [right(choice) for choice in of if choice.rater_id != view.who]
    wanted = {ALL: mine is not None, "right": mine is True, "wrong": mine is False, "only": mine is True and True not in others}
    return wanted[view.said]


def _image(item: str, of: Sequence[CaptionChoice], look: ItemPreview, view: MatchingView) -> Element:
    href = image_address(item, Selection(suite=(view.suite,), generator=(view.generator,)))
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
    kind = {True: "cc-right", False: "cc-wrong", None: "cc-muted"}[right(choice)]
    wide = len(choice.captions)
    # a name of its own line, as names with settings are longer than all numbers together
    name = htpy.th(scope="rowgroup", colspan=wide)[htpy.span(class_=kind)[choice.rater_id]]
    return htpy.tbody[htpy.tr[name], htpy.tr[cells]]


def _column(choice: CaptionChoice) -> list[Node]:
    """Return how far each caption is from the best, and its posterior where there is one."""
    fits = fits_of(choice)
    if not is_known(fits):
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
        return Cell(_NO_VALUE, note=sentences.text_or_none(row.reason) or "")
    left = sum(row.excluded.values())
    details = (span(row.low, row.high, f"z.{digits}f"), f"n = {row.n:,}", f"{left:,} left out" if left else "")
    return Cell(f"{row.value:z.{digits}f}", tuple(filter(None, details)), sentences.text(row.method), href, row.value)


def accuracy(cells: Sequence[MatchingCell], view: MatchingView) -> Node:
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
    return [heading("Winoground", lead), table_element(plain_table("Shares of groups", heads, lines))]


def votes(rows: Sequence[Votes], view: MatchingView) -> Node:
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
        difference = Cell(f"{apart.value:+z.3f}", (bounds,) if bounds else (), sentences.text(apart.method))
        images = Cell(f"{apart.n:,}", (f"both {row.both:,}, neither {row.neither:,}",))
        lines.append([*only[0], *only[1], difference, images])
    if not lines:
        return ""
    lead = "Images on which only one of two scorers picks the right caption."
    heads = columns("a", *numbers("only a is right"), "b", *numbers("only b is right", "difference", "images"))
    return [heading("Votes", lead), table_element(plain_table("Votes", heads, lines))]


_LEAD: Final = (
    "Each image has several captions, and one is right: does a scorer choose it? A likelihood scorer (SelfEval) asks its"
    " own text-to-image model; an image-text model (CLIP) is the baseline. Click on a number to see its images."
)


def headline(cells: Sequence[MatchingCell], view: MatchingView) -> Node:
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
    value, bounds = wording.two(best.accuracy.value or 0.0), bracketed(best.accuracy.low, best.accuracy.high)
    rest = htpy.small[f"; chance {wording.two(best.chance.value or 0.0)}"]
    return first_sentence([f"{best.rater} takes the right caption: {value}", bounds, rest], facts)


_EMPTY: Final = """
## No scorer has chosen among captions yet

SelfEval (section 4) asks a text-to-image model how likely an image is given each of several captions: it understands the text
if the right one wins. Shown here are accuracy against chance by task, Winoground's scores, and where only one of two is right.

{first}

**A file of yours**, Winoground's, ARO's, or TIFA's questions about COCO (docs/matching.md says how they are laid out):

{files}

Images of any suite whose prompts have a spec can be scored as well: wrong captions are made from the spec.
"""


class MatchingPage(Page[MatchingView]):
    """The page."""

    title, VIEW = "Matching", MatchingView

    def lay_out(self) -> None:
        with self.bar():
            self.dropdown("suite", "Suite")
            self.dropdown("generator", "Images of")
            self.dropdown("task", "Task", [ALL], ALL)
        self.html("headline", value=SKELETON)
        self.plot("matching-plot")
        html_component(note(_LEAD))
        with self.bar():
            self.dropdown("who", "Images on which", [ALL], ALL)
            self.dropdown("said", "is", [ALL], ALL)
        self.links("matches", "matches")
        with gr.Accordion("All numbers", open=False, elem_id="all-numbers"):
            self.links("matching-tables", "matches")
            self.html("ablation")
            self.plot("ablation-plot")

    def teaching(self) -> str:
        first = f"**The playground's set**, six tasks:\n\n{next_steps.commands_block(self.store, next_steps.MATCHING)}"
        if next_steps.has_own_images(self.store):
            score = next_steps.commands_block(self.store, next_steps.score_command(self.store, "clipmatch"))
            first = f"**Your images**, where prompts have a spec:\n\n{score}"
        return _EMPTY.format(first=first, files=next_steps.commands_block(self.store, next_steps.MATCHING_FILES))

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:
        return choices(evidence(self.store), values)

    def draw(self, view: MatchingView) -> Iterator[Drawn | None]:
        for options in (Options(intervals=False), Options()):
            yield self.drawn(view, options)

    def drawn(self, view: MatchingView, options: Options) -> Drawn | None:
        """The whole page."""
        caption_choices = [choice for choice in evidence(self.store) if choice.suite == view.suite]
        if not caption_choices:
            return None
        mine = recall(self.store, view.suite, options).where(generator=view.generator)
        cells = matching_cells(mine.matching)
        ablation, lines = _ablation([choice for choice in caption_choices if choice.generator == view.generator], mine, options)
        return {
            "headline": headline(cells, view),
            "matching-plot": _bars(cells),
            "matching-tables": [accuracy(cells, view), winoground(mine.winoground), votes(mine.votes, view)],
            "ablation": ablation,
            "ablation-plot": lines,
            "matches": gallery(self.store, caption_choices, view),
        }


def _bars(cells: Sequence[MatchingCell]) -> Any:
    above = {(each.task, each.rater): each.above_chance for each in cells}
    tasks = [ALL, *sorted({task for task, _ in above} - {ALL})]
    return above_chance(tasks, sorted({rater for _, rater in above}), above)


def _ablation(caption_choices: Sequence[CaptionChoice], mine: MatchingStatistics, options: Options) -> tuple[Node, Any]:
    """Lines of raters that differ in steps or seed alone: of the largest such family."""
    families = matching.ablation_grids(caption_choices)
    if not families:
        return "", None
    (_, title), grid = max(families.items(), key=lambda item: len(item[1]))
    points = matching.ablation_points(caption_choices, grid, range(1, 10_000), options)
    chance = next((each.chance.value for each in matching_cells(mine.matching) if each.task == ALL), None)
    lead = "Accuracy by trials, steps and seed; fewer trials are the first ones. The dotted line is chance."
    return heading(f"Ablation: {title}", lead), by_trials([point for point in points if point.task == ALL], chance)
