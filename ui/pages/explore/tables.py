"""Before and now as tables: scores, agreement with people, and how many verdicts changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

import gradio as gr
import numpy as np

from agreement.study.cells import TASKS_MEAN, Outcome
from agreement.tuning import NO, STATISTICS, YES, CellStatistic, ItemCells, YesNoCounts, agreements, shares
from concord.common import wording
from data.store.core.selection import Selection
from scorers.running.rejudge import Verdicts
from ui.addresses import browse_address
from ui.components.estimates import explained
from ui.components.table import WRAP, Cell, html_table
from ui.pages.explore.view import ALL, CHANGED, View

# A plain click shows the images on this page; any other click follows the link, which shows the same.
_CLICKS: Final = """
element.addEventListener('click', (event) => {
  const link = event.target.closest('a[data-changed]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  trigger('select', {task: link.dataset.task, changed: link.dataset.changed});
});
"""
_SAYS: Final = {"yes": YES, "no": NO, "open": -1}


@dataclass(frozen=True)
class Compared:
    """Verdicts before and now, in the order of ``places``."""

    before: Verdicts
    now: Verdicts
    places: ItemCells

    def changed(self, task: str = ALL, says: str = ALL) -> list[int]:
        """Positions of the images of a task whose verdict is another one now, and says so."""
        rows = self.before != self.now
        if task != ALL:
            rows = rows & (self.places.task == self.places.tasks.index(task))
        if says != ALL:
            rows = rows & (self.now == _SAYS[says])
        found: list[int] = np.flatnonzero(rows).tolist()
        return found


def scores(compared: Compared, view: View) -> str:
    """The share of correct images by generator and task."""
    places = compared.places
    before, now = (_by_place(shares(said, places)) for said in (compared.before, compared.now))
    generators = [*places.generators, ALL] if len(places.generators) > 1 else [*places.generators]
    tasks = [*places.tasks, ALL, TASKS_MEAN] if len(places.tasks) > 1 else [ALL]
    lines: list[Sequence[str | Cell]] = []
    for generator in generators:
        cells = [_number(before.get((generator, task)), now.get((generator, task))) for task in tasks]
        hrefs = [_listed(view, generator, task) for task in tasks]
        shown = [Cell(c.text, c.detail, c.note, href) for c, href in zip(cells, hrefs, strict=True)]
        lines.append(["all generators" if generator == ALL else generator, *shown])
    return html_table("Score: share of correct images", ["generator", *(Cell(wording.task(task)) for task in tasks)], lines)


def _listed(view: View, generator: str, task: str) -> str:
    """The images behind a score."""
    place = Selection(suite=(view.suite,), generator=(generator,), task=(task,))
    return browse_address(place, rater=view.rater, by="correct", order="lowest")


def _by_place(found: Sequence[CellStatistic]) -> dict[tuple[str, str], Outcome]:
    return {(one.place.generator, one.place.task): one.outcome for one in found}


def with_people(compared: Compared, heard: Mapping[str, YesNoCounts]) -> str:
    """Agreement by task, a table for each kind of people."""
    return "".join(_agreement(compared, kind, people) for kind, people in heard.items())


def _agreement(compared: Compared, kind: str, heard: YesNoCounts) -> str:
    before, now = (
        {(one.place.task, one.statistic): one.outcome for one in agreements(said, heard, compared.places)}
        for said in (compared.before, compared.now)
    )
    tasks = list(dict.fromkeys(task for task, _ in now))
    if len(tasks) < 4:  # one task, all, and their mean say the same
        tasks = [ALL]
    lines: list[Sequence[str | Cell]] = []
    for task in tasks:
        used = now[task, STATISTICS[0]].used
        numbers = [_number(before.get((task, name)), now[task, name]) for name in STATISTICS]
        lines.append([wording.task(task), Cell(f"{used.items:,}"), Cell(f"{used.ratings:,}"), *numbers])
    titles = [Cell(wording.title(name), note=wording.meaning(name)) for name in STATISTICS]
    who = "people" if kind == "real" else "simulated people"
    table = html_table(f"Agreement with {who}", ["task", Cell("images"), Cell("answers"), *titles], lines)
    undefined = [
        {"value": one.value, "reason": one.reason, "statistic": name, "task": task} for (task, name), one in now.items()
    ]
    return table + explained(undefined, open_=False)


def _number(before: Outcome | None, now: Outcome | None) -> Cell:
    """A number as it is now, with what it was where that is another."""
    if now is None:
        return Cell("")
    text, was = ("–" if one is None or one.value is None else f"{one.value:.3f}" for one in (now, before))
    note = now.reason or f"{now.how}; n = {now.used.items:,} images"
    return Cell(text, f"was {was}" if was != text else "", note)


def clickable() -> gr.HTML:
    """The place of the table of changes; its ``select`` event brings ``task`` and ``changed``."""
    return gr.HTML("", js_on_load=_CLICKS, elem_id="explore-changes")


def changes(compared: Compared, view: View) -> str:
    """How many verdicts changed, each number leading to its images."""
    tasks = [*compared.places.tasks, ALL] if len(compared.places.tasks) > 1 else [ALL]
    says = [name for name in _SAYS if name != "open" or compared.changed(says="open")]
    head = "".join(
        f'<th scope="col" class="cc-number">{escape(text)}</th>' for text in ("images", *(CHANGED[name] for name in says))
    )
    body = "".join(_changed(compared, view, task, says) for task in tasks)
    return (
        f'{WRAP}<table class="cc-table"><caption>Verdicts that changed</caption>'
        f'<thead><tr><th scope="col">task</th>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    )


def _changed(compared: Compared, view: View, task: str, says: Sequence[str]) -> str:
    places = compared.places
    n = places.task.size if task == ALL else int((places.task == places.tasks.index(task)).sum())
    cells = "".join(f'<td class="cc-number">{_link(compared, view, task, name)}</td>' for name in says)
    return f'<tr><th scope="row">{escape(wording.task(task))}</th><td class="cc-number">{n:,}</td>{cells}</tr>'


def _link(compared: Compared, view: View, task: str, says: str) -> str:
    n = len(compared.changed(task, says))
    if not n:
        return "0"
    href = view.address(task=task, changed=says)
    return f'<a href="{escape(href)}" data-task="{escape(task)}" data-changed="{says}">{n:,}</a>'
