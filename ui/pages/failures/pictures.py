"""Pictures of failing: where and how generators fail, each mark leading to its images.

``DRAW`` says how each picture is drawn, by its name in ``scorers.failures.PICTURES``: tables of requested against detected
counts, colours, relations and supercategories; how generators differ; how scores move with the detector's threshold and the
seed; how often pairs of classes are together in photographs and in generated images (VISOR, Figure 10).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean, stdev
from typing import Final

import htpy
from htpy import Element, Node

from agreement.estimates import UnitCorrelation, correlate_units
from concord.common import next_steps, reason_sentences, wording
from concord.common.table import Cell, Column, numbers
from concord.error_analysis import failures as failing
from concord.error_analysis.failures import BINDING, NEEDS, FailureTable
from concord.open_project import OpenProject
from concord.scope import Scope
from data.formats.cooccurrence import Cooccurrence
from scorers import failures
from scorers.failures import ANY, FailureCell
from scorers.failures.objects import (
    ALL_FOUND,
    BINDINGS,
    BOTH,
    BOTH_BUT,
    CORRECT,
    FIRST,
    GROUPS,
    HELD,
    KINDS,
    LEAKED,
    MISSING,
    NEITHER,
    NO_RELATION,
    NONE_FOUND,
    NOT_BOTH,
    NOT_FOUND,
    ON_WRONG,
    ONE,
    ONLY_FIRST,
    ONLY_ONE,
    ONLY_SECOND,
    OPPOSITE,
    OPPOSITES,
    RELATED,
    SECOND,
    SOME_FOUND,
    SWAPPED,
    TOO_FEW,
    TOO_MANY,
    TWO,
    as_required,
    class_pairs,
    pair_name,
    split_pair,
)
from scorers.failures.tables import AS_ASKED, NOT_AS_ASKED
from scorers.failures.thresholds_and_seeds import WRONG, threshold_group
from scorers.visor.results import RELATIONS
from ui.components.linked_figures import Mark, Series, dots, heat, lines, scatter, stacked
from ui.components.tables import Cells, columns, note, plain_table, span, table_element
from ui.pages.failures.drawing import Drawing
from ui.pages.failures.failure_marks import FailurePicture, among, listed, percent, score, shared, span_of

_ALL = "all generators"


def bindings(shown: FailurePicture) -> Drawing:
    """Swapped, leaked and other colours of two objects."""
    own = shown.cell()
    missing = shown.cell(detected=MISSING)
    if not own.n:
        return Drawing(f"In none of {wording.count(missing.n, 'image')} all objects of an asked colour are found.")
    swapped, leaked = (shown.cell(detected=name) for name in (SWAPPED, LEAKED))
    lead = (
        f"Of {wording.count(own.n, 'image')} in which all coloured objects are found,"
        f" {percent(shared(swapped).value or 0)} show them in each other’s colours (swapped),"
        f" and in {percent(shared(leaked).value or 0)} one object’s colour has leaked"
        " onto another."
    )
    names = [name for name in shown.generators if shown.cell(generator=name).n]
    most = max((shown.cell(detected=SWAPPED, generator=name) for name in names), key=lambda cell: cell.hits / cell.n)
    if len(names) > 1 and most.hits:
        lead += f" Swapped most often by {most.generator}: in {shown.briefly(most)}."
    parts = [shown.series(binding, [shown.cell(detected=binding, generator=name) for name in names]) for binding in BINDINGS]
    names_of = (*BINDINGS, ON_WRONG, MISSING)
    heads = [Column(name, BINDING.get(name, ""), number=True) for name in names_of]
    rows = [_row(shown, name, names_of, generator=name) for name in shown.generators]
    if len(rows) > 1:
        rows.append(_row(shown, _ALL, names_of))
    below = note(
        "Leaked: the colour is on the other object and on its own as well. “On the wrong object” is swapped, leaked and moved"
        " together, which GenEval’s paper calls swapping. A colour that leaked into the background cannot be seen, as only"
        " objects’ colours are looked at."
    )
    table = plain_table("Whose colour is on which object", columns("generator", *numbers("images"), *heads), rows)
    figure = stacked(names, parts, "share of the images in which all coloured objects are found")
    return Drawing(lead, figure, table_element(table), below)


def kinds(shown: FailurePicture) -> Drawing:
    """How often all objects of a prompt are found, by kind of prompt."""
    groups = [kind for kind in KINDS if shown.cell(kind).n]
    parts = [f"of {kind} in {shown.briefly(shown.cell(kind, ALL_FOUND))}" for kind in (ONE, TWO, RELATED) if kind in groups]
    if not parts:
        parts = [f"of {kind} in {shown.briefly(shown.cell(kind, ALL_FOUND))}" for kind in groups]
    lead = f"All objects are found in prompts {listed(parts)}."
    series = [shown.series(name, [shown.cell(kind, ALL_FOUND, name) for kind in groups]) for name in shown.generators]
    figure = dots(groups, series, "share of images in which all objects are found")
    table = _by_kind(shown, groups, (ALL_FOUND, SOME_FOUND, NONE_FOUND), (ANY,))
    return Drawing(lead, figure, [_all_detected(shown, groups), table])


def first_object(shown: FailurePicture) -> Drawing:
    """Which of two objects is found."""
    groups = [kind for kind in KINDS if shown.cell(kind).n]
    several = len(shown.generators) > 1
    labels = [f"{kind}, {name}" if several else kind for kind in groups for name in shown.generators]
    cells = [
        Series(name, [shown.mark(shown.cell(kind, detected, who)) for kind in groups for who in shown.generators])
        for name, detected in (("the first object", FIRST), ("the second object", SECOND))
    ]
    figure = dots(labels, cells, "share of images in which it is found")
    each = (*shown.generators, ANY) if several else (ANY,)
    table = _by_kind(shown, groups, (FIRST, SECOND, BOTH, ONLY_FIRST, ONLY_SECOND, NEITHER), each)
    return Drawing(" ".join(_about_first(shown)), figure, table)


def _about_first(shown: FailurePicture) -> Iterator[str]:
    alone = shown.cell(detected=ONLY_ONE)
    known = among(shown.cell(detected=ONLY_FIRST), alone)
    if known.value is None:
        yield f"No image of {alone.n:,} shows only one of its two objects."
        return
    bounds = f" (95\u00a0%: {span_of(known)})" if known.low is not None else ""
    yield (
        f"Where only one of two objects is found ({wording.count(alone.hits, 'image')}), it is the one that the prompt names"
        f" first in {percent(known.value)}{bounds}."
    )
    if known.low is None or known.high is None:
        return
    if known.low > 0.5 or known.high < 0.5:
        yield f"So there is a bias towards the {'first' if known.low > 0.5 else 'second'} object."
    else:
        yield "That is no clear bias towards either."


def _all_detected(shown: FailurePicture, groups: Sequence[str]) -> Node:
    """Return generators beside one another, where there are several."""
    if len(shown.generators) < 2:
        return ""
    rows: list[Cells] = [
        (kind, *(shown.number(shown.cell(kind, ALL_FOUND, name)) for name in shown.generators)) for kind in groups
    ]
    heads = columns("prompts of", *numbers(*shown.generators))
    return table_element(plain_table("All objects found, by generator", heads, rows))


def _by_kind(shown: FailurePicture, groups: Sequence[str], found: Sequence[str], generators: Sequence[str]) -> Element:
    """Return a row for each kind of prompt and generator; ANY for all that are shown."""
    rows = [
        _row(shown, kind if len(generators) < 2 else f"{kind}, {name or _ALL}", found, kind, name)
        for kind in groups
        for name in generators
    ]
    return _numbers_table("By kind of prompt", "prompts of", ["images", *found], rows)


def _numbers_table(caption: str, name: str, titles: Sequence[str], rows: Sequence[Cells]) -> Element:
    """Return a table whose columns but the first are numbers."""
    return table_element(plain_table(caption, columns(name, *numbers(*titles)), rows))


def _row(shown: FailurePicture, name: str, found: Sequence[str], requested: str = ANY, generator: str = ANY) -> Cells:
    counted = shown.count(shown.cell(requested, ANY, generator))
    return [name, counted, *(shown.number(shown.cell(requested, detected, generator)) for detected in found)]


_FEW = 8
"""With fewer images, a share is not named the highest or lowest."""
_AXES = ("found", "asked for")


def counts(shown: FailurePicture) -> Drawing:
    """Requested and detected counts."""
    found = [name for name in shown.table.found if name not in (AS_ASKED, TOO_FEW, TOO_MANY)]
    right, few, many = (shared(shown.cell(detected=name)) for name in (AS_ASKED, TOO_FEW, TOO_MANY))
    lead = (
        f"In {percent(1 - (right.value or 0))} of {wording.count(right.n, 'image')} the number is not the asked one: too few in"
        f" {percent(few.value or 0)}, too many in {percent(many.value or 0)}."
    )
    worst = _commonest(shown, found)
    if worst:
        lead += f" The most frequent mistake: asked for {worst.asked}, found {worst.found}, in {shown.briefly(worst)}."
    kinds_found = (AS_ASKED, TOO_FEW, TOO_MANY)
    figure = [_square(shown, found, _is_same), _generators(shown, kinds_found)]
    return Drawing(lead, figure, [_matrix(shown, found), _by_generator(shown, kinds_found)])


def colors(shown: FailurePicture) -> Drawing:
    """Requested and detected colours."""
    found = [name for name in shown.table.found if name not in (AS_ASKED, NOT_AS_ASKED, NOT_FOUND)]
    right, missing = shared(shown.cell(detected=AS_ASKED)), shown.cell(detected=NOT_FOUND)
    if right.value is None:
        return Drawing(f"Of {wording.count(missing.n, 'object')} of which a colour is asked none is found.")
    lead = f"{percent(right.value)} of {wording.count(right.n, 'object')} have the asked colour."
    worst = _commonest(shown, found)
    if worst:
        lead += f" The most frequent mistake: {worst.asked} asked for, {worst.found} seen, on {shown.briefly(worst)}."
    below = note(f"Counted are objects, not images; {missing.hits:,} more of them were not found and are in no share.")
    tables = [_matrix(shown, [*found, NOT_FOUND]), _by_generator(shown, (AS_ASKED, NOT_AS_ASKED, NOT_FOUND))]
    figure = [_square(shown, found, _is_same, ("seen", "asked for")), _generators(shown, (AS_ASKED,))]
    return Drawing(lead, figure, tables, below)


def positions(shown: FailurePicture) -> Drawing:
    """Requested and detected relations: a bias shows as a column that is strong whatever was asked."""
    found = [*RELATIONS, *([NO_RELATION] if NO_RELATION in shown.table.found else [])]
    apart = shown.cell(detected=NOT_BOTH)
    if apart.hits == apart.n:
        return Drawing(f"In none of {wording.count(apart.n, 'image')} both objects of the asked relation are found.")
    below = note(
        "Counted are images in which both objects are found. Two relations can hold at once, such as left of and above, so a"
        " row may add up to more than 100\u00a0%: blue is as asked, orange the opposite or none, grey what was not asked about."
    )
    tables = [_matrix(shown, [*found, NOT_BOTH]), _by_generator(shown, (AS_ASKED, OPPOSITE, NOT_BOTH))]

    by_generator = _generators(shown, (AS_ASKED, OPPOSITE))

    def is_opposite(requested: str, detected: str) -> bool | None:
        """Right, or wrong; None for a relation on the other axis, which contradicts nothing."""
        if requested == detected:
            return True
        return False if detected in (NO_RELATION, OPPOSITES.get(requested)) else None  # type: ignore[call-overload]

    return Drawing(" ".join(_about_positions(shown)), [_square(shown, found, is_opposite), by_generator], tables, below)


def supercategories(shown: FailurePicture) -> Drawing:
    """How often prompts with two objects come out right, by pair of supercategories."""
    pairs = [pair for pair in shown.table.asked if shown.cell(pair).n]
    groups = [name for name in GROUPS if any(name in split_pair(pair) for pair in pairs)]
    cells = [[_of_pair(shown, a, b) for b in groups] for a in groups]
    every = shared(shown.cell(detected=CORRECT))
    lead = f"{percent(every.value or 0)} of {wording.count(every.n, 'image')} of two objects are correct."
    ranked = sorted((shown.cell(pair, CORRECT) for pair in pairs), key=lambda cell: -cell.hits / cell.n)
    enough = [cell for cell in ranked if cell.n >= _FEW] or ranked
    if len(enough) > 1:
        best, worst = enough[0], enough[-1]
        lead += f" Easiest: {best.asked}, {shown.briefly(best)}; hardest: {worst.asked}, {shown.briefly(worst)}."
    found = [name for name in (CORRECT, BOTH_BUT, NOT_BOTH) if name in shown.table.found]
    rows = [_row(shown, cell.asked, found, cell.asked) for cell in ranked]
    table = _numbers_table("By pair, the easiest first", "supercategories", ["images", *found], rows)
    return Drawing(lead, heat(groups, groups, cells, ("", "")), table)


def _about_positions(shown: FailurePicture) -> Iterator[str]:
    """The opposite that is found most often, and which relation is right how often."""
    groups = [requested for requested in shown.table.asked if shown.cell(requested).n]
    enough = [group for group in groups if shown.cell(group).n >= _FEW] or groups
    opposites = [shown.cell(requested, OPPOSITES[requested]) for requested in enough]  # type: ignore[index]
    worst = max(opposites, key=lambda cell: cell.hits / cell.n)
    if worst.hits:
        yield f"Asked for “{worst.asked}”, “{worst.found}” is found in {shown.briefly(worst)} that show both objects."
    ranked = sorted((shown.cell(requested, AS_ASKED) for requested in enough), key=lambda cell: -cell.hits / cell.n)
    if len(ranked) > 1:
        best, least = ranked[0], ranked[-1]
        yield (
            f"Right most often: “{best.asked}”, in {shown.briefly(best)}; least often: “{least.asked}”, in"
            f" {shown.briefly(least)}."
        )
    else:
        yield f"“{ranked[0].asked}” is right in {shown.briefly(ranked[0])} that show both objects."


def _commonest(shown: FailurePicture, columns: Sequence[str]) -> FailureCell | None:
    """What is found instead of what was asked most often of all."""
    wrong = [shown.cell(requested, column) for requested in shown.table.asked for column in columns if requested != column]
    most = max(wrong, key=lambda cell: cell.hits, default=None)
    return most if most is not None and most.hits else None


def _is_same(requested: str, detected: str) -> bool | None:
    return requested == detected


def _square(
    shown: FailurePicture, columns: Sequence[str], right: Callable[[str, str], bool | None], axes: tuple[str, str] = _AXES
) -> Node:
    rows = [requested for requested in shown.table.asked if shown.cell(requested).n]
    cells = [[shown.mark(shown.cell(row, column), right=right(row, column)) for column in columns] for row in rows]
    return heat(rows, columns, cells, axes)


def _of_pair(shown: FailurePicture, a: str, b: str) -> Mark:
    """Pairs have no order: only one half is drawn."""
    pair = pair_name(a, b)
    cell = shown.cell(pair, CORRECT)
    return shown.mark(cell, right=True) if cell.n and split_pair(pair) == (a, b) else Mark(None)


def _matrix(shown: FailurePicture, found: Sequence[str]) -> Element:
    """Return all that is asked for, and all of it together, against what is found."""
    rows = [_row(shown, requested, found, requested) for requested in shown.table.asked if shown.cell(requested).n]
    rows.append(_row(shown, "all", found))
    return _numbers_table("Asked for, and what is found", "asked for", [f"{shown.noun}s", *found], rows)


def _generators(shown: FailurePicture, found: Sequence[str]) -> Node:
    """Return the generators beside one another, where there are several; a dot for each thing that is found."""
    names = shown.generators
    if len(names) < 2:
        return ""
    series = [shown.series(name, [shown.cell(ANY, name, generator) for generator in names]) for name in found]
    return [htpy.h3["By generator"], dots(names, series, f"share of {shown.noun}s that are {listed(found)}")]


def _by_generator(shown: FailurePicture, found: Sequence[str]) -> Node:
    if len(shown.generators) < 2:
        return ""
    rows = [_row(shown, name, found, generator=name) for name in shown.generators]
    return _numbers_table("By generator", "generator", [f"{shown.noun}s", *found], rows)


_SCORE = "A score is the unweighted mean of the tasks’ shares of correct images, as GenEval’s overall score is made."


def thresholds(shown: FailurePicture) -> Drawing:
    """Each generator's score over a grid of thresholds, and whether their order changes."""
    grid, names, value = shown.table.asked, shown.generators, shown.settings.get("threshold")
    # the scorer's own threshold as the table names it
    own = threshold_group(float(value)) if isinstance(value, (int, float)) else ""
    each = [shown.series(name, _over(shown, name), by_task=True) for name in names]
    figure = lines(grid, each, ("confidence above which an object counts", "score"), own)
    counting = " GenEval’s threshold for counting stays as it is." if "counting_threshold" in shown.settings else ""
    below = note(f"{_SCORE} A number leads to the images that are correct at that threshold.{counting}")
    heads = columns("threshold", *numbers(*names), *(["the best first"] if len(names) > 1 else []))
    rows = [_at_threshold(shown, value, own) for value in grid]
    table = table_element(plain_table("Score by threshold", heads, rows))
    return Drawing(" ".join(_about_order(shown, own)), figure, table, below)


def seeds(shown: FailurePicture) -> Drawing:
    """Each generator's score by the image's number among its prompt's, and how far these are apart."""
    indexes, names = shown.table.asked, shown.generators
    each = [
        shown.series(f"image {index}", [shown.cell(index, CORRECT, name) for name in names], by_task=True) for index in indexes
    ]
    figure = dots(names, each, "score of the images of one number")
    below = note(
        f"{_SCORE} Images of one number were made from one seed where a generator was run as GenEval’s script does it, so the"
        " spread is what another seed would change."
    )
    titles = [*(f"image {index}" for index in indexes), "all images", "wrong images", "spread"]
    rows = [_of_seeds(shown, name) for name in names]
    table = _numbers_table("Score by image index (seed)", "generator", titles, rows)
    return Drawing(" ".join(_about_seeds(shown)), figure, table, below)


def _over(shown: FailurePicture, generator: str) -> list[failures.FailureCell]:
    """What is correct of a generator's images, group by group."""
    return [shown.cell(requested, CORRECT, generator) for requested in shown.table.asked]


def _at_threshold(shown: FailurePicture, value: str, own: str) -> Cells:
    cells = [_ranking(_scores_at(shown, value))] if len(shown.generators) > 1 else []
    scores = [shown.number(shown.cell(value, CORRECT, name), by_task=True) for name in shown.generators]
    return [f"{value} (the scorer’s own)" if value == own else value, *scores, *cells]


def _of_seeds(shown: FailurePicture, generator: str) -> Cells:
    known = _scores(shown, generator)
    spread = Cell(f"{100 * stdev(known):z.1f}", ("points, standard deviation",)) if len(known) > 1 else Cell("–")
    each = [shown.number(cell, by_task=True) for cell in _over(shown, generator)]
    every = shown.number(shown.cell(ANY, CORRECT, generator), by_task=True)
    return [generator, *each, every, shown.count(shown.cell(ANY, WRONG, generator)), spread]


def _scores_at(shown: FailurePicture, value: str) -> dict[str, float]:
    """Each generator's score at a threshold, the best first."""
    # without what floating point adds: equal scores are level
    scores = {name: round(score(shown.cell(value, CORRECT, name)).value or 0.0, 9) for name in shown.generators}
    return dict(sorted(scores.items(), key=lambda each: (-each[1], each[0])))


def _ranking(scores: Mapping[str, float]) -> str:
    """``a > b = c``."""
    ranking, last = "", 0.0
    for name, value in scores.items():
        ranking += f"{' = ' if value == last else ' > '}{name}" if ranking else name
        last = value
    return ranking


def _about_order(shown: FailurePicture, own: str) -> Iterator[str]:
    grid = shown.table.asked
    each = {value: _scores_at(shown, value) for value in grid}
    first = own if own in grid else grid[0]
    if len(shown.generators) > 1:
        turns = []
        for a, b in combinations(each[first], 2):
            # where which of the two is ahead, if that depends on the threshold
            ahead, behind = (
                [value for value, scores in each.items() if sign * (scores[a] - scores[b]) > 0] for sign in (1, -1)
            )
            if ahead and behind:
                turns.append(f"{a} is ahead of {b} at {listed(ahead)}, behind it at {listed(behind)}")
        if turns:
            more = f"; so do {len(turns) - 1} more pairs" if len(turns) > 1 else ""
            yield f"Generators change places with the threshold: {turns[0]}{more}."
        else:
            yield f"The order of the generators is the same at all {len(grid)} thresholds: {_ranking(each[first])}."
    best = next(iter(each[first]))
    low, high = (percent(each[value][best]) for value in (grid[0], grid[-1]))
    yield f"From {grid[0]} to {grid[-1]} the score of {best} goes from {low} to {high}."


def _scores(shown: FailurePicture, generator: str) -> list[float]:
    known = [score(cell).value for cell in _over(shown, generator)]
    return [value for value in known if value is not None]


def _about_seeds(shown: FailurePicture) -> Iterator[str]:
    each = {name: _scores(shown, name) for name in shown.generators}
    parts = [
        f"{name} scores {percent(fmean(values))} on average, with a standard deviation of {100 * stdev(values):z.1f} points"
        for name, values in each.items()
        if len(values) > 1
    ]
    if not parts:
        yield "There is one image of each prompt at most, so nothing tells what another seed would give."
        return
    yield f"Over the images’ numbers {listed(parts)}."
    yield "Generators that are less far apart than that may stand in another order with other seeds."


_MOST_ROWS = 300
_NAMES = {BOTH: "both objects found", HELD: "as asked, where both are found"}


@dataclass(frozen=True, slots=True)
class _ClassPair:
    """A pair of classes that is asked for.

    Attributes:
        share: its P_COCO; None where the file does not have both classes.
        cells: what is shown of it, in the order of _NAMES.
    """

    asked: str
    share: float | None
    cells: tuple[FailureCell, ...]


def cooccurrence_picture(shown: FailurePicture) -> Drawing:
    """A mark for each pair of classes, and Spearman's rho."""
    known = shown.cooccurrence
    assert known is not None
    each = [
        _ClassPair(requested, known.share(*names), tuple(_cell(shown, requested, outcome) for outcome in _NAMES))
        for requested, names in class_pairs(shown.table).items()
        if shown.cell(requested).n
    ]
    placed = sorted(
        (class_pair for class_pair in each if class_pair.share is not None),
        key=lambda class_pair: (-(class_pair.share or 0), class_pair.asked),
    )
    strange = [class_pair for class_pair in each if class_pair.share is None]
    if not placed:
        lead = f"None of the {wording.count(len(each), 'pair')} of classes asked for is among those that {known.name} names."
        return Drawing(lead, None, _table(shown, strange), _below(known, placed, strange))
    series = [shown.series(name, [class_pair.cells[k] for class_pair in placed]) for k, name in enumerate(_NAMES.values())]
    figure = scatter([class_pair.share or 0.0 for class_pair in placed], series, f"images with both classes in {known.name}")
    rhos = _rhos(shown, placed)
    # the last row is what is drawn: all that are shown together
    lead = " ".join(_about(outcome, rho, known.name) for outcome, rho in zip(_NAMES, [*rhos.values()][-1], strict=True))
    tables = [_correlations(rhos), _table(shown, [*placed, *strange])]
    return Drawing(lead, figure, tables, _below(known, placed, strange))


def _cell(shown: FailurePicture, requested: str, outcome: str, generator: str = ANY) -> FailureCell:
    held = outcome == HELD
    return as_required(shown.table, requested, generator) if held else shown.table.cell(requested, outcome, generator)


def _rhos(shown: FailurePicture, placed: Sequence[_ClassPair]) -> dict[str, list[UnitCorrelation]]:
    """By generator, and of all that are shown together (ANY) if they are several."""
    correlations = {}
    for name in (*shown.generators, *([ANY] if len(shown.generators) > 1 else [])):
        cells = [
            class_pair.cells if name == ANY else [_cell(shown, class_pair.asked, outcome, name) for outcome in _NAMES]
            for class_pair in placed
        ]
        correlations[name] = [_rho(placed, [some[k] for some in cells], outcome) for k, outcome in enumerate(_NAMES)]
    return correlations


def _rho(placed: Sequence[_ClassPair], cells: Sequence[FailureCell], outcome: str) -> UnitCorrelation:
    """Over the pairs of which there is an image to take a share of."""
    known = [(class_pair.share or 0.0, cell.hits / cell.n) for class_pair, cell in zip(placed, cells, strict=True) if cell.n]
    names = ("co-occurrence", f"the share of images ({_NAMES[outcome]})")
    return correlate_units("spearman", [x for x, _ in known], [y for _, y in known], names, "pair")


def _about(outcome: str, rho: UnitCorrelation, name: str) -> str:
    subject = "Both objects are found" if outcome == BOTH else "Where both are found, images are as asked"
    if rho.value is None:
        reason = reason_sentences.text_or_none(rho.reason)
        return f"{_NAMES[outcome].capitalize()}: no correlation with co-occurrence, as {reason}."
    bounds = f" (95\u00a0%: {span(rho.low, rho.high)})" if span(rho.low, rho.high) else ""
    number = f"Spearman’s rho {wording.two(rho.value)}{bounds}, {wording.count(rho.n, 'pair')}"
    if rho.low is None or rho.high is None or rho.low <= 0 <= rho.high:
        return (
            f"{subject} neither clearly more nor clearly less often for classes that are often together in {name} ({number})."
        )
    return f"{subject} {'more' if rho.value > 0 else 'less'} often for classes that are often together in {name} ({number})."


def _below(known: Cooccurrence, placed: Sequence[_ClassPair], strange: Sequence[_ClassPair]) -> Node:
    never = sum(class_pair.share == 0 for class_pair in placed)
    parts = [
        f"Co-occurrence: images of {known.name} that hold both classes, of its {wording.count(known.images, 'image')} with"
        f" annotations (VISOR’s P_COCO), on a logarithmic axis. Never together: {wording.count(never, 'pair')}"
        + (", which stand apart, at 0, and are the lowest in every correlation." if never else ".")
    ]
    if strange:
        count = wording.count(len(strange), "pair")
        parts.append(f"In no figure and no correlation, as {known.name} lacks a class of theirs: {count}.")
    parts.append(
        "“As asked” is looked at where a relation or colours are asked; for VISOR’s relations it is VISOR_cond. Spearman’s rho"
        " is over pairs of classes; its 95\u00a0% interval takes pairs as independent."
    )
    return [note(part) for part in parts]


def _correlations(rhos: Mapping[str, Sequence[UnitCorrelation]]) -> Element:

    def cell(rho: UnitCorrelation) -> Cell:
        bounds = span(rho.low, rho.high) or reason_sentences.text_or_none(rho.reason) or "no interval"
        text = "–" if rho.value is None else wording.two(rho.value)
        return Cell(text, (f"{bounds}, {wording.count(rho.n, 'pair')}",), reason_sentences.text(rho.method))

    rows: list[Cells] = [(name or "all generators", *map(cell, some)) for name, some in rhos.items()]
    return _numbers_table("Spearman’s rho with co-occurrence", "generator", [*_NAMES.values()], rows)


def _table(shown: FailurePicture, each: Sequence[_ClassPair]) -> Element:
    """Return a row for each pair, the most often together first; of very many those of both ends."""
    half = _MOST_ROWS // 2
    some = each if len(each) <= _MOST_ROWS else [*each[:half], *each[-half:]]
    left = f" (the first and the last {half} of {len(each):,})" if len(some) < len(each) else ""
    unknown = Cell("–", note="a class that the file does not name")
    rows: list[Cells] = [
        [
            class_pair.asked,
            unknown if class_pair.share is None else share_text(class_pair.share),
            shown.count(shown.cell(class_pair.asked)),
            *map(shown.number, class_pair.cells),
        ]
        for class_pair in some
    ]
    titles = ["together", "images", *_NAMES.values()]
    return _numbers_table(f"By pair of classes{left}", "classes", titles, rows)


def share_text(share: float) -> str:
    """``0.62 %``; small ones are not rounded to nothing."""
    return f"{100 * share:.2g}\u00a0%" if share < 0.1 else percent(share)


DRAW: Final[dict[str, Callable[[FailurePicture], Drawing]]] = {
    "counts": counts,
    "colors": colors,
    "bindings": bindings,
    "positions": positions,
    "kinds": kinds,
    "first": first_object,
    "supercategories": supercategories,
    "cooccurrence": cooccurrence_picture,
    "thresholds": thresholds,
    "seeds": seeds,
}


_TOGETHER: Final = "cooccurrence"
_NO_TABLE: Final = (
    "How often two classes are together in photographs is not known in this project yet. An annotation file of COCO’s kind"
    " tells it, such as:"
)


def failures_picture(store: OpenProject, scope: Scope, rater: str, picture: str) -> Drawing:
    """Return the picture of this name for a scope's images as a scorer saw them."""
    try:
        failure_table = failing.table_of(store, scope.suite, rater, picture)
    except ValueError as error:
        return Drawing(f"What {rater} saw cannot be judged: {error}")
    if failure_table is None:
        lead = f"{rater} has not looked at images of {scope.suite} yet."
        return Drawing.missing(store, lead, next_steps.score_command(store, "geneval"))
    table = failing.units_of_scope(failure_table.table, scope)
    if not table.units:
        return Drawing.missing(store, NEEDS[picture], next_steps.PROMPTS, next_steps.score_command(store, "geneval"))
    beside = failing.classes_together(store) if picture == _TOGETHER else None
    if picture == _TOGETHER and beside is None:
        return Drawing.missing(store, _NO_TABLE, next_steps.COOCCURRENCE)
    where = replace(scope.narrow, aspect=())
    drawn = DRAW[picture](FailurePicture(table, where, rater, picture, failure_table.settings, beside))
    return replace(drawn, notes=[drawn.notes, _method(failure_table)])


def _method(failure_table: FailureTable) -> Element:
    some = ""
    if failure_table.images < failure_table.total:
        some = f" Drawn from {failure_table.images:,} of {failure_table.total:,} images, always the same ones."
    return note(
        "Every number leads to its images. Intervals are Wilson’s (95\u00a0%), from as many independent images as the likeness"
        f" of a prompt’s images leaves.{some}"
    )
