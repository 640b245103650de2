"""Trust in sentences: what scorers may be used for in place of people, what not yet, and on what that rests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.meta.alternative_annotator import AlternativeAnnotator
from concord.common import reason_sentences, wording
from concord.common.people_kinds import PeopleKind
from concord.comparison.trust_cells import (
    BETTER,
    JUDGE,
    ORDER,
    USES,
    Standing,
    TrustCell,
    TrustRater,
    Use,
    generators_of,
    in_order,
    too_few,
)
from concord.headlines import number_text
from concord.meta.findings import TITLES
from concord.meta.replacement import Replacement

COSTS: Final[Mapping[str, str]] = {"0.1": "a crowd", "0.15": "skilled people", "0.2": "experts"}
"""Whom the alternative annotator test compares with, by its epsilon: what such a person costs more than a scorer."""


@dataclass(frozen=True, slots=True)
class TrustSentence:
    """What may be said of the scorers of a selection.

    Attributes:
        main: the sentence in two halves, what for and what not yet.
        rest: what stands small behind it: the best scorer's number.
        about: the lines beneath it.
        more: the most prompts that a verdict of the best scorer still needs; None where none does.
    """

    main: str
    rest: str = ""
    about: tuple[str, ...] = ()
    more: int | None = None


def trust_sentence(scorers: Sequence[TrustRater], people: PeopleKind | None) -> TrustSentence:
    """Return the sentence of scorers whose intervals and verdicts have been made."""
    by = "By simulated people: " if people == "simulated" else ""
    judged = _with_numbers(scorers)
    if not judged:
        return TrustSentence("No scorer has judged these images yet")
    if all(cell.standing == "few" for each in judged for cell in each.cells.values() if cell.number.value is not None):
        return _too_few(judged[0])
    best = max(judged, key=lambda each: sum(cell.standing == "equal" for cell in each.cells.values()))
    fit = [use for use, cell in best.cells.items() if cell.standing == "equal"]
    left = [use for use, cell in best.cells.items() if cell.standing in ("below", "undecided", "chance")]
    about, more = _standings(best, judged, fit)
    if not fit:
        rest = f" ({_number(next(iter(best.cells.values())))})"
        main = f"{best.name} comes closest to people, but may not stand in for them yet"
        if all(cell.standing == "chance" for each in judged for use, cell in each.cells.items() if use == JUDGE):
            main = "No scorer clearly agrees with people yet"
        return TrustSentence(_start(by, main), rest, about, more)
    yet = f", not yet {' or '.join(USES[use] for use in left)}" if left else ""
    main = f"{best.name} may stand in for people {wording.listed([USES[use] for use in fit])}{yet}"
    return TrustSentence(_start(by, main), f" ({'; '.join(_number(best.cells[use]) for use in fit)})", about, more)


def sentence_of_one(scorers: Sequence[TrustRater]) -> TrustSentence:
    """Return what can be said where one person alone has answered: no agreement of people, and no level for a scorer."""
    judged = _with_numbers(scorers)
    about = ["How far people agree, and so what a scorer can reach, is known once a second one has judged the same images."]
    if judged:
        (cell, *_) = judged[0].cells.values()
        about.insert(0, f"So far {judged[0].name} is closest to this person on {_SUBJECT[cell.use]}: {_own(cell)}.")
    return TrustSentence("One person has answered: invite a second one", about=tuple(about))


def sentence_so_far(scorers: Sequence[TrustRater], *, computing: bool) -> TrustSentence:
    """Return what is known before intervals: who is closest to people. It claims nothing that an interval may contradict.

    Args:
        scorers: the closest one first.
        computing: whether intervals are on their way.
    """
    judged = _with_numbers(scorers)
    if not judged:
        return TrustSentence("No scorer has judged these images yet")
    if all(cell.standing == "few" for each in judged for cell in each.cells.values() if cell.number.value is not None):
        return _too_few(judged[0])
    (cell, *_) = judged[0].cells.values()
    about = ("What it may be used for is being computed …",) if computing else ()
    return TrustSentence(f"{judged[0].name} is closest to people on {_SUBJECT[cell.use]}: {_own(cell)}", about=about)


def _with_numbers(scorers: Sequence[TrustRater]) -> list[TrustRater]:
    return [each for each in scorers if any(cell.number.value is not None for cell in each.cells.values())]


def _too_few(rater: TrustRater) -> TrustSentence:
    first = next(iter(rater.cells.values()))
    return TrustSentence(f"Too few answers yet to trust a scorer: {too_few(first.number)}")


def _start(by: str, main: str) -> str:
    return by + (main[:1].lower() + main[1:] if by and main.startswith("No ") else main)


_SUBJECT: Final[Mapping[Use, str]] = {
    JUDGE: "single images", BETTER: "the better image of a prompt", ORDER: "the order of generators",
}  # fmt: skip


def _own(cell: TrustCell) -> str:
    """Return a number with its interval."""
    symbol = "" if cell.statistic in TITLES else f"{wording.symbol(cell.statistic)} "
    return symbol + number_text(cell.number)


def _number(cell: TrustCell) -> str:
    """Return a number and people's by the same statistic, each with its interval."""
    level = cell.level
    if cell.pairs is not None and cell.pairs.pairs:
        return f"{in_order(cell.pairs)} of generators as people"
    if level is None or level.value is None:
        return _own(cell)
    own = "" if cell.in_place is None else f"; in a person’s place {wording.two(cell.in_place)}"
    return f"{_own(cell)}{own}, one person {number_text(level)}"


def _standings(best: TrustRater, judged: Sequence[TrustRater], fit: Sequence[Use]) -> tuple[tuple[str, ...], int | None]:
    """Return a line about each standing that the best scorer has in uses that it is not fit for, and the most prompts needed.

    Another scorer that comes closer to people on single images, and those that are as fit as the best one, are named.
    """
    found: dict[tuple[Standing, str], list[TrustCell]] = {}
    for use, cell in best.cells.items():
        rater, closest = best, judged[0].cells.get(use)
        if use == JUDGE and closest is not None and cell.standing != "equal":
            rater, cell = judged[0], closest
        if use != ORDER and cell.standing in ("below", "undecided", "chance"):
            found.setdefault((cell.standing, rater.name), []).append(cell)
    lines: list[str] = []
    needed: list[int] = []
    for (standing, name), cells in found.items():
        where = wording.listed([_SUBJECT[cell.use] for cell in cells])
        if standing == "undecided":
            more = max((cell.more for cell in cells if cell.more is not None), default=None)
            decide = f"; about {wording.count(more, 'more prompt')} would decide it" if more is not None else ""
            lines.append(f"On {where} it is undecided whether {name} is as good as a person{decide}.")
            needed += [] if more is None else [more]
        elif standing == "below":
            closer = f" comes closest ({_number(cells[0])}) and" if name != best.name else ""
            lines.append(f"On {where} {name}{closer} is below people.")
        else:
            lines.append(f"On {where} {name} is not clearly better than chance.")
    lines += _order_line(judged)
    for use in fit:
        others = [
            each.name for each in judged if each is not best and use in each.cells and each.cells[use].standing == "equal"
        ]
        if others:
            lines.append(f"Fit {USES[use]}, too: {wording.listed(others)}.")
    return tuple(lines), max(needed, default=None)


def _order_line(judged: Sequence[TrustRater]) -> list[str]:
    """Return a line about scorers that order generators better than chance, of which no more is known: so few were ordered."""
    cells = {each.name: cell for each in judged if (cell := each.cells.get(ORDER)) is not None and cell.standing == "undecided"}
    pairs = next((cell.pairs for cell in cells.values() if cell.pairs is not None), None)
    if pairs is None:
        return []
    few = wording.count(generators_of(pairs), "generator")
    whether = "whether they are as good as a person" if len(cells) > 1 else "whether it is as good as a person"
    return [f"Better than a random order of the {few}: {wording.listed(list(cells))}; {whether} is undecided with so few."]


def replacement_sentence(made: Sequence[Replacement], epsilon: float) -> str:
    """Return what the alternative annotator test says of all scorers, in one sentence; "" without scorers."""
    if not made:
        return ""
    tested = [each for each in made if each.test is not None and each.test.passes is not None]
    whom = COSTS.get(f"{epsilon:g}", f"ε = {epsilon:g}")
    if not tested:
        of: dict[str, list[str]] = {}
        for each in made:
            of.setdefault(_reason(each.test), []).append(each.scorer)
        parts = list(of) if len(of) == 1 else [f"{wording.listed(names)}: {reason}" for reason, names in of.items()]
        return f"Not tested: {'; '.join(parts)}."
    by = {True: [], False: []}  # type: dict[bool, list[str]]
    for each in tested:
        if each.test is not None:
            by[bool(each.test.passes)].append(f"{each.scorer} ({each.test.persons_won} of {len(each.test.persons)} people)")
    parts = [f"{words} {wording.listed(by[passes])}" for passes, words in ((True, "yes:"), (False, "no:")) if by[passes]]
    untested = len(made) - len(tested)
    rest = f"; it cannot test {wording.count(untested, 'other scorer')}" if untested else ""
    return f"Beside {whom}, {'; '.join(parts)}{rest}."


def _reason(test: AlternativeAnnotator | None) -> str:
    return (reason_sentences.text_or_none(test.reason) if test else None) or "there is nothing to test"
