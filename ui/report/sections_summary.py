"""A report's first page: which generator is better, and how sure; and whom one may trust."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from concord.common import wording
from concord.comparison.leaderboard import board_sentence
from concord.headlines import direction, number_text
from concord.reporting.first_page import FirstPage
from ui.report import figures
from ui.report.sections import ReportFigure, ReportSection

BETTER = "Which generator is better?"
TRUST = "Whom may one trust?"


def title(page: FirstPage | None, project: str, certainty: Sequence[str]) -> str:
    """Return the project and the question; the certainty of its units belongs to every number."""
    question = f": {wording.plain_aspect(page.scope.aspect)}" if page else ""
    classes = list(dict.fromkeys(certainty))
    return f"{project}{question}" + (f", {wording.listed(classes)} units alone" if classes else "")


def basis(page: FirstPage) -> str:
    """Return what the first page's numbers rest on."""
    board, made = page.board, page.trust
    parts = [f"{page.scope.suite}, {wording.aspect(page.scope.aspect)}"]
    made_by = wording.count(sum((name, board.raters[0].name, "all") in board.cells for name in board.generators), "generator")
    images = f"{wording.count(board.images, 'image')} by {made_by}, {wording.count(board.prompts, 'prompt')}"
    answers = "nobody has answered"
    if made.people:
        who = "person" if made.people == "real" else "simulated person"
        persons = wording.count(made.persons, who) if who == "person" else f"{made.persons:,} simulated people"
        answers = f"{wording.count(made.answers, 'answer')} of {persons}"
    parts.append(f"{images}; {answers}, {wording.count(page.scorers, 'scorer')}")
    return ". ".join(parts)


def first_sections(page: FirstPage | None, pictures: Mapping[str, str]) -> tuple[ReportSection, ...]:
    """Return the sections of the first page; none where nothing counts.

    Args:
        page: what it says.
        pictures: addresses of pictures by image; without any, prompts stand as text.
    """
    if page is None or page.first is None:
        return ()
    return (_better(page, pictures), *([_trust(page)] if page.trust.scorers or page.trust.people else []))


def _better(page: FirstPage, pictures: Mapping[str, str]) -> ReportSection:
    main, rest = board_sentence(page.board)
    points = [f"{main}{rest}."] if main else []
    if page.best_two is not None:
        points += _two(page)
    drawn: list[ReportFigure | None] = [figures.generators(page), figures.best_two(page, pictures)]
    return ReportSection(
        BETTER, points=tuple(points), figures=tuple(each for each in drawn if each is not None), kind="summary"
    )


def _two(page: FirstPage) -> list[str]:
    """Return the best generator against the next one, on how many prompts it is ahead."""
    two = page.best_two
    assert two is not None
    difference = two.difference
    counts = f"better on {difference.wins:,}, the same on {difference.ties:,}, worse on {difference.losses:,}"
    # the sentence before says by how much, where it is sure
    about = "" if direction(difference) == "better" else f"{number_text(difference)}, "
    names = f"{difference.first} against {difference.second}"
    return [f"{names}: {about}{counts} of {wording.count(difference.prompts, 'prompt')}."]


def _trust(page: FirstPage) -> ReportSection:
    made = page.trust
    main, rest = (made.sentence.main, made.sentence.rest) if made.people else ("Nobody has answered: no agreement", "")
    figure = figures.scorers(page)
    return ReportSection(TRUST, points=(f"{main}{rest}.",) if main else (), figures=(figure,) if figure else (), kind="summary")
