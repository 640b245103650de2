"""What the Agreement page says first: the selection, its main numbers in words, the chart and the tables; consensuses as
raters; downloads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from agreement import Options
from agreement.catalogue import at_a_glance
from agreement.estimate import Estimate
from agreement.pair.confusion import GAP, HIGH
from concord import headlines
from concord.agreement import AgreementRows, recall_consensus
from concord.common import next_steps, sentences, wording
from concord.common.base_path import at
from concord.common.people_kinds import leading_kind, why_simulated
from concord.common.table import Column, numbers
from concord.headlines import PeopleLevel, closest, is_muted, number_text, scorer_headline
from data.aspects import YES_NO_ASPECTS
from data.selection import Selection
from data.store.core.store import Store
from ui.components import charts
from ui.components.tables import (
    Cells,
    block_title,
    columns,
    explained,
    first_sentence,
    joined,
    linked_note,
    note,
    number,
    plain_table,
    scrolled,
    statistics_element,
    table_element,
    with_rest,
)
from ui.pages.agreement.view import AgreementView, is_huge, restriction, where

_BEYOND_CHANCE = ("cohen_kappa", "fleiss_kappa")


def by_kind_of_people(rows: AgreementRows, people: str) -> AgreementRows:
    """AgreementRows about real people, or about simulated ones: the two are never shown as one."""
    return rows.where(lambda row: row.people == people)


def real_lead(real: AgreementRows, simulated: AgreementRows) -> bool:
    """Return True if the page's main numbers are by real people, as they have judged enough or nobody else has."""
    return leading_kind(images_judged(real), images_judged(simulated)) != "simulated"


def images_judged(rows: AgreementRows) -> int:
    """Return how many images these people have judged."""
    return max((row.n_items for row in rows.among_people), default=0)


def lead(real: AgreementRows, simulated: AgreementRows, view: AgreementView) -> Element:
    """The main numbers in words, above the tables."""
    rows, who = (real, "people") if real_lead(real, simulated) else (simulated, "simulated people")
    return note(f"{where(view)}: {main_numbers(rows, view, who) or 'no person has judged this yet.'}")


def _limits(view: AgreementView) -> Node:
    """What else restricts the numbers, and the way back to all of them."""
    if not (apart := restriction(view)):
        return ""
    return linked_note(f"Restricted to {apart}.", replace(view, further="").address(), "Show all", "")


def _unfit(rows: AgreementRows, view: AgreementView) -> Node:
    """Which scorers look at photographs with the playground's models."""
    text = next_steps.about_unfit((row.rater for row in rows.raters), view.suite)
    return note(text) if text else ""


def main_numbers(rows: AgreementRows, view: AgreementView, who: str) -> str:
    """What the main numbers say; nothing where nobody has judged."""
    people = {row.statistic: row for row in rows.among_people if row.task == view.task}
    if not people:
        return ""
    row = people.get("mean") or next(iter(people.values()))
    parts = [f"{wording.count(row.n_ratings, 'answer')} by {who} about {wording.count(row.n_items, 'image')}."]
    shared = people.get("percent_agreement")
    if shared and shared.value is not None:
        some = shared.n_items != row.n_items
        rests = f", on the {wording.count(shared.n_items, 'image')} that two have judged" if some else ""
        two = f"Two {who}" if who == "people" else "Two of them"
        parts.append(f"{two} say the same in {shared.value:.0%} of cases{_within(shared, '.0%')}{rests}.")
    parts += [_paradox(people, view), _best(rows, view, who)]
    left = [f"{n:,} {wording.reason(name)}" for name, n in row.excluded.items()]
    parts.append(f"Left out: {', '.join(left)}." if left else "")
    return " ".join(part for part in parts if part)


def _paradox(people: dict[str, Estimate], view: AgreementView) -> str:
    """Why kappa is low although people agree, where that is because nearly all answers are alike."""
    agreed, ac1, mean = (_value(people, name) for name in ("percent_agreement", "gwet_ac1", "mean"))
    name = next((name for name in _BEYOND_CHANCE if _value(people, name) is not None), None)
    kappa = _value(people, name) if name else None
    if view.aspect not in YES_NO_ASPECTS or agreed is None or ac1 is None or mean is None or kappa is None:
        return ""
    if agreed < HIGH or ac1 - kappa < GAP:
        return ""
    word, common = ("yes", mean) if mean > 0.5 else ("no", 1 - mean)
    return (
        f"{wording.title(str(name))} is only {wording.two(kappa)}, as {wording.percent(common)} of the answers are {word}"
        " and chance alone would agree nearly as often (the prevalence paradox); AC1, which expects less of chance, is"
        f" {ac1:z.2f}."
    )


def _value(people: dict[str, Estimate], name: str | None) -> float | None:
    row = people.get(name or "")
    return None if row is None else row.value


def _best(rows: AgreementRows, view: AgreementView, who: str) -> str:
    """The scorer that comes closest to people by the chosen statistic, and how it stands beside them."""
    if (best := closest(rows.raters, view.statistic, view.task)) is None:
        return "" if rows.raters else "No scorer has judged these images yet."
    scorers = len({row.rater for row in rows.raters if row.statistic == view.statistic and row.value is not None})
    among = f" of {scorers} scorers" if scorers > 1 else ""
    value = f"{wording.two(best.value or 0.0)}{_within(best, 'z.2f')}"
    ceiling = best.ceiling
    verdict = (
        f" Compared with one person: {sentences.text(ceiling.verdict.words)}." if ceiling and ceiling.verdict.words else ""
    )
    if best.saw_labels:
        verdict = " Its settings were chosen with these labels in view, so this says little about other images."
    return f"Closest to {who}{among} by {wording.title(view.statistic)}: {best.rater}, {value}.{verdict}"


def _score_only(rows: AgreementRows, view: AgreementView) -> str:
    """Which scorers the chosen statistic leaves out, as they give scores and no labels."""
    of_task = [row for row in rows.raters if row.task == view.task]
    labelled = {row.rater for row in of_task if row.statistic in (view.statistic, "percent_agreement")}
    left = sorted({row.rater for row in of_task} - labelled)
    return f"Without {wording.title(view.statistic)}, as they only give scores: {', '.join(left)}." if left else ""


def _within(row: Estimate, form: str) -> str:
    return "" if row.low is None else f" (95% interval {row.low:{form}} to {row.high:{form}})"


def forest(real: AgreementRows, simulated: AgreementRows, view: AgreementView) -> Any:
    """The chosen statistic of each scorer beside people's own level, as a figure; None where there is nothing to draw."""
    lines = _lines(real, view, "")
    lines += _lines(simulated, view, " (simulated people)" if lines else "")
    first, other = (real, simulated) if real_lead(real, simulated) else (simulated, real)
    level = people_level(first, view) or people_level(other, view)
    band = None
    if level is not None and level.value is not None:
        band = charts.Band(level.label, level.value, level.low, level.high)
    axis = f"{wording.title(view.statistic)}, {wording.task(view.task)}" if real.raters or simulated.raters else ""
    known = any(line.value is not None for line in lines)
    return charts.forest(lines, axis or wording.title(view.statistic), band) if known else None


def people_level(rows: AgreementRows, view: AgreementView) -> PeopleLevel | None:
    """Return people's own level beside the closest scorer, or why there is none; None without scorers."""
    best = closest(rows.raters, view.statistic, view.task)
    return None if best is None else headlines.people_level(best)


def headline(real: AgreementRows, simulated: AgreementRows, view: AgreementView, *, intervals: bool = True) -> Node:
    """One sentence: how far the closest scorer agrees with people, beside one person in its place.

    ``intervals``: whether the rows have them where they can be had.
    """
    rows, who = (real, "people") if real_lead(real, simulated) else (simulated, "simulated people")
    best = closest(rows.raters, view.statistic, view.task)
    symbol = wording.title(view.statistic)
    if best is None:
        among = [row for row in rows.among_people if (row.task, row.statistic) == (view.task, view.statistic)]
        if not among or among[0].value is None:
            return ""
        return first_sentence(f"{who.capitalize()} among themselves: {symbol} {number_text(among[0])}")
    main, rest = scorer_headline(best, who, intervals=intervals)
    return first_sentence(with_rest(main, rest))


def basis(real: AgreementRows, simulated: AgreementRows, view: AgreementView) -> Node:
    """Return what the headline rests on, in one line; with whose answers, where people have given none."""
    rows, who = (real, "person") if real_lead(real, simulated) else (simulated, "simulated person")
    people = {row.statistic: row for row in rows.among_people if row.task == view.task}
    row = people.get("mean") or next(iter(people.values()), None)
    if row is None:
        empty = linked_note(f"{where(view)}: no person has judged this yet.", at("/annotate/"), "Label a few images.")
        return [empty, _limits(view), _unfit(real, view)]
    answers = "answer by people" if who == "person" else "answer by simulated people"
    n = f"{row.n_ratings:,} {answers if row.n_ratings == 1 else answers.replace('answer', 'answers', 1)}"
    parts = [f"{where(view)}: {n} about {wording.count(row.n_items, 'image')}"]
    shared = people.get("percent_agreement")
    if shared and shared.value is not None:
        parts.append(f"two of them say the same in {shared.value:.0%} of cases")
    text: list[Node] = [htpy.p(class_="cc-subline")[f"{'; '.join(parts)}."]]
    if who != "person":
        text.append(
            linked_note(
                why_simulated(images_judged(real)), at("/annotate/"), "Label a few images", "to see people's answers first."
            )
        )
    return [text, _which_statistic(rows, view), _limits(view), _unfit(real, view)]


def _which_statistic(rows: AgreementRows, view: AgreementView) -> Node:
    """Why the page shows another statistic than the main one of people’s answers, or whom the statistic leaves out, and the way
    to the other: scorers that only give scores have none of those that need yes or no.
    """
    against, among = ({row.statistic for row in section} for section in (rows.raters, rows.among_people))
    main, *_ = at_a_glance(against | among, among=False)
    if (left := _score_only(rows, view)) and "spearman" in against:
        return linked_note(left, view.address(statistic="spearman"), f"Show {wording.title('spearman')}")
    if main == view.statistic or main in against or not against:
        return ""
    why = f"These scorers only give scores, which have no {wording.title(main)}: this is {wording.title(view.statistic)}."
    return linked_note(why, view.address(statistic=main), f"Show people’s {wording.title(main)}")


def summary_tables(rows: AgreementRows, view: AgreementView, who: str) -> Node:
    """Return scorers against people, people among themselves, and why numbers are missing."""
    task = wording.task(view.task)
    against = view.listed(_closest_first([row for row in rows.raters if row.task == view.task], view))
    among = view.listed(rows.among_people)
    known = any(row.value is not None for row in rows.among_people + rows.raters)
    return [
        statistics_element(f"Scorers against {who}, {task}", "scorer", against, lambda row: str(row.rater)),
        statistics_element(f"{who.capitalize()} among themselves", "task", among, lambda row: wording.task(row.task)),
        explained([*among, *view.listed(rows.raters)], open_=not known),
    ]


def _closest_first(rows: Sequence[Estimate], view: AgreementView) -> list[Estimate]:
    """Scorers by the chosen statistic; those without it last."""
    closeness = {row.rater: row.value for row in rows if row.statistic == view.statistic}
    least = float("-inf")
    return sorted(rows, key=lambda row: -least if (value := closeness.get(row.rater)) is None else -value)


def _lines(rows: AgreementRows, view: AgreementView, mark: str) -> list[charts.ForestLine]:
    """The chart's rows: each scorer at the chosen task, best first; without scorers, people by task."""
    charted = rows.where(lambda row: row.statistic == view.statistic)
    of_task = [row for row in charted.raters if row.task == view.task]
    scorers = sorted(of_task, key=lambda row: (row.value is None, -(row.value or 0.0)))
    # beside scorers people's own level is the band
    if not scorers:
        return [charts.ForestLine.of(wording.task(row.task) + mark, row) for row in charted.among_people]
    return [charts.ForestLine.of(row.rater + mark, row) for row in scorers]


CONSENSUS = "consensus:"
"""How the names of consensuses begin."""
_NOTHING = AgreementRows()
_LEAD = (
    "A consensus is computed from people’s answers and is nobody’s: no number about people or scorers changes with it. Beside a"
    " person it is made without that person’s answers."
)
_QUALITY = {
    "percent_agreement": "with the others’ majority",
    "expected_accuracy": "accuracy, Dawid–Skene",
    "competence": "competence, MACE",
}
_MEANING = {
    "percent_agreement": "How often the person says what more than half of the others say.",
    "expected_accuracy": "How often the person recognises a label, by Dawid and Skene’s model, mean over labels.",
    "competence": "How probable it is that the person knew rather than guessed, by MACE.",
}


def consensus_of(store: Store, view: AgreementView, *, intervals: bool) -> AgreementRows:
    """The rows of the consensuses that are asked for; none of a project that is too large for a page."""
    if not view.methods or is_huge(store):
        return _NOTHING
    return recall_consensus(store, view.selection, Options(intervals=intervals, each_generator=False), view.methods)


def consensus_tables(store: Store, view: AgreementView, *, intervals: bool) -> Node:
    """Return the tables; nothing if no consensus is asked for."""
    if not view.methods:
        return ""
    if is_huge(store):
        return note("A consensus of so many answers takes minutes: agreement --consensus has it.")
    rows = consensus_of(store, view, intervals=intervals)
    if not rows.raters:
        return note("A consensus needs labels, and people have given none here.")
    beside = view.listed([row for row in rows.raters if row.task == view.task])
    body: list[Node] = [note(_LEAD)]
    for kind, who in (("real", "people"), ("simulated", "simulated people")):
        mine = [row for row in beside if row.people == kind]
        caption = f"Consensus beside {who}, {wording.task(view.task)}"
        body.append(statistics_element(caption, "consensus", mine, lambda row: str(row.rater)))
        body.append(_persons([row for row in rows.quality or () if row.people == kind], who))
    return [body, explained(beside, open_=False)]


def _persons(rows: Sequence[Estimate], who: str) -> Node:
    """A row per person, those with most answers first; over all tasks."""
    if not rows:
        return ""
    shown = [name for name in _QUALITY if any(row.statistic == name for row in rows)]
    by_person: dict[str, dict[str, Estimate]] = {}
    for row in rows:
        by_person.setdefault(row.rater, {})[row.statistic] = row
    titles = [Column(_QUALITY[name], _MEANING[name], number=True) for name in shown]
    persons = sorted(by_person, key=lambda name: (-_answers(by_person[name]), name))
    body: list[Cells] = [
        [name, f"{_answers(by_person[name]):,}", *(number(by_person[name].get(s)) for s in shown)] for name in persons
    ]
    heads = columns("person", *numbers("answers"), *titles)
    return table_element(plain_table(f"Each of the {who} beside the others, all tasks", heads, body))


def _answers(rows: dict[str, Estimate]) -> int:
    """How many answers of a person count."""
    return max(int(row.n_ratings) + int(row.excluded.get("no_consensus", 0)) for row in rows.values())


_FILES: Final = {"ratings": "the ratings that count", "judgements": "all judgements", "annotations": "people’s whole answers"}


def export_links(selection: Selection) -> Element:
    """Return a row of links: each gives the selection's file, as the command ``export`` writes it."""
    query = urlencode(selection.to_dict(), doseq=True)
    links = [
        htpy.a(class_="cc-export", download=True, href=at(f"/api/studio/export/{name}.csv?{query}"))[title]
        for name, title in _FILES.items()
    ]
    return note(["Export, as CSV: ", joined(links)], "cc-exports")


def by_task(rows: AgreementRows, view: AgreementView, prompts: Mapping[str, int]) -> Node:
    """Return small multiples: the chosen statistic of each scorer by task, as shaded cells; nothing for a single task.

    ``prompts``: on how many people have answered, by task.
    """
    mine = [row for row in rows.raters if row.statistic == view.statistic and row.task not in ("all", "tasks_mean")]
    tasks = list(dict.fromkeys(row.task for row in mine))
    scorers = list(dict.fromkeys(row.rater for row in _closest_first(rows.raters, view)))
    cells = {(row.rater, row.task): row for row in mine if row.value is not None}
    if len(tasks) < 2 or not cells:
        return ""
    head = [htpy.th(scope="col", class_="cc-heat")[wording.task(name)] for name in tasks]
    body = [
        htpy.tr[htpy.th(scope="row")[name], [_task_cell(cells.get((name, task)), view, prompts.get(task)) for task in tasks]]
        for name in scorers
        if any((name, task) in cells for task in tasks)
    ]
    caption = f"{wording.title(view.statistic)} of each scorer with people, by task"
    table = htpy.table(class_="cc-board")[
        htpy.caption(class_="cc-unseen")[caption], htpy.thead[htpy.tr[htpy.th["scorer"], head]], htpy.tbody[body]
    ]
    return [block_title(caption), scrolled(table)]


def _task_cell(row: Estimate | None, view: AgreementView, prompts: int | None) -> Element:
    if row is None:
        return htpy.td(class_="cc-heat")
    cell = number(row)
    whose = f"{row.rater} with {wording.people(row.people)}: {cell.text}, {'; '.join(cell.details)}"
    title = "; ".join(part for part in (whose, cell.note) if part)
    value = row.value or 0.0
    shade = min(max(value, 0.0), 1.0)
    href = view.address(task=row.task)
    n = row.n_items if is_muted(prompts) else None
    return _shaded_cell(wording.two(value), shade, title, href, n)


def _shaded_cell(text: str, shade: float, title: str, href: str, n: int | None) -> Element:
    """Return a shaded cell that leads to its images; `n`: on how many it rests, where these are so few that it is muted."""
    return htpy.td(class_=["cc-heat", n is not None and "cc-muted"], style=f"--shade: {shade:z.2f}", title=title)[
        htpy.a(href=href)[text], n is not None and [" ", htpy.small[f"n = {n:,}"]]
    ]
