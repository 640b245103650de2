"""What an audit says of the judges beside a study's people: three answers, a table, and one sentence for the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agreement.estimate import Ceiling, Estimate, WithInterval
from agreement.meta.ranking import ORDERED, Ranking
from agreement.report.leave_one_out import NO_PLACE
from concord.common import reason_sentences, wording
from concord.common.table import Table, texts
from concord.meta.replacement import ANSWERS
from concord.studies.judges import JudgedPeople

HOW_TO_READ: Final = (
    "Judges and metrics are compared with people over all images of the study together, by the numbers of `agreement`, `rank`"
    " and `alt-test`; averages of single generators, as some papers print them, are other numbers. A judge meets the mean of"
    " all people, a person only the others; so “judge minus people” puts the judge in each person's place, against the same"
    " others on the same images, and its interval is that of the paired difference. *Better image*: how often the better of two"
    " images of a prompt, by people, is the judge's as well (ties calibrated); *order of generators*: the share of pairs of"
    " generators whose means are in people's order; *as near as a person*: how often the judge is at least as near to the other"
    " people as the person whose place it takes."
)
_UNSURE: Final = 0.05


def title(judged: JudgedPeople) -> str:
    """Of its part of a chapter."""
    return f"{wording.plain_aspect(judged.judged.aspect).capitalize()}: {'judges beside people' if judged.judges else 'people'}"


def answers(judged: JudgedPeople) -> list[tuple[str, str]]:
    """Questions with their answers; without judges only people's own level."""
    if not judged.judges:
        none = "The files hold no scores of these images by a judge or a metric to compare."
        none = none if judged.judged.scorers is not None else "The judges of these images are in the chapter on VIEScore."
        return [("People", f"{_people(judged)} {none}")]
    return [
        ("Which agrees best", _agrees(judged)),
        ("Which ranks best", _ranks(judged)),
        ("May it replace a person", _replaces(judged)),
    ]


def _people(judged: JudgedPeople) -> str:
    among, images, generators = judged.among, judged.images, judged.generators
    parts = []
    if among is not None and among.value is not None:
        value = _number(among.value, among.low, among.high, among.n_items)
        parts.append(f"agree among themselves by {wording.title(among.statistic)} {value}")
    if images is not None and images.value is not None:
        parts.append(f"agree with the others on the better of two images of a prompt with a share of {_row(images)}")
    if generators is not None and generators.value is not None:
        pairs = f"{generators.pairs} pairs of generators" if generators.pairs != 1 else "the one pair of generators"
        parts.append(f"put {pairs} in the others' order with a share of {_row(generators)}")
    return f"People {wording.listed(parts)}." if parts else "People's own level is not known."


def _agrees(judged: JudgedPeople) -> str:
    first, *others = judged.judges
    row = first.replacement.agreement
    if row is None or row.value is None:
        return f"Not known: no judge's agreement with people's {wording.plain_aspect(judged.judged.aspect)} is defined."
    value = _number(row.value, row.low, row.high, row.n_items)
    words = f"{first.name}, with {judged.statistic} {value}. {_in_place(row.ceiling)}"
    ahead = judged.ahead(first, others[0]) if others else None
    if ahead is not None and ahead.value is not None:
        apart = _number(ahead.value, ahead.low, ahead.high, ahead.n_items)
        significant = ahead.p_holm is not None and ahead.p_holm < _UNSURE
        words += f" On the images that both judged it is {apart} ahead of the next, {others[0].name}: "
        words += "more than chance." if significant else "no more than chance explains, so the two are not told apart."
    return words


def _in_place(ceiling: Ceiling | None) -> str:
    if ceiling is None or ceiling.value is None or ceiling.verdict.scorer is None:
        reason = ceiling.reason if ceiling is not None else None
        known = "nothing was judged by two people" if reason == NO_PLACE else reason_sentences.text_or_none(reason)
        return f"People's own level cannot be set beside it: {known or 'no ceiling is defined'}."
    words = f"In a person's place it reaches {_four(ceiling.verdict.scorer)}, where people reach {_four(ceiling.value)}"
    return f"{words}: {_difference(ceiling)} (judge minus people), {_verdict(ceiling)}."


def _ranks(judged: JudgedPeople) -> str:
    ranked = [each for each in judged.judges if each.images is not None and each.images.value is not None]
    if not ranked:
        reason = next((each.images.reason for each in judged.judges if each.images is not None), None)
        return f"Not determined: {reason_sentences.text(reason) if reason else 'no prompt has two images'}."
    best = max(ranked, key=lambda each: _value(each.images))
    words = f"Of two images of a prompt, {best.name} has the better one most often: {_row(best.images)}."
    if best.images is not None and best.images.ceiling is not None:
        words += f" {_in_place(best.images.ceiling)}"
    ordered = [each for each in judged.judges if each.generators is not None and each.generators.value is not None]
    if not ordered:
        return words
    top = max(_value(each.generators) for each in ordered)
    firsts = [each for each in ordered if _value(each.generators) == top]
    row = firsts[0].generators
    assert row is not None
    words += f" Generators are ordered best by {', '.join(each.name for each in firsts)}: of {row.pairs} pairs a share of"
    words += f" {top:z.4f} is in people's order"
    people = row.ceiling.value if row.ceiling else None
    words += "" if people is None else f"; a person, beside the others, reaches {people:z.4f}"
    lucky = [each.name for each in ordered if each.generators is not None and each.generators.verdict != ORDERED]
    if lucky:
        words += f". For {', '.join(lucky)} a random order is as good with a probability of 5 % or more"
    return f"{words}. With so few generators a difference from people cannot be tested."


def _replaces(judged: JudgedPeople) -> str:
    names: dict[tuple[str, str], list[str]] = {}
    for each in judged.judges:
        answer = ANSWERS[each.replacement.answer].lower()
        ceiling = _ceiling(each.replacement.agreement)
        verdict = ceiling.verdict.verdict if ceiling else None
        level = f"Agreement is {wording.verdict(verdict)}'s own. " if verdict in ("below", "above") else ""
        names.setdefault((answer, level + each.replacement.evidence[0]), []).append(each.name)
    lines = [f"{', '.join(judges)}: {answer}. {evidence}" for (answer, evidence), judges in names.items()]
    if len(lines) == 1:
        lines = [wording.sentence(line.partition(": ")[2]) for line in lines]
    if judged.judged.graded:
        lines.append("Judges' scores count as tenths of people's scale, as in the study's own code.")
    return " ".join(lines)


def table(judged: JudgedPeople) -> Table | None:
    """Return a table with a row for each judge; None without judges."""
    if not judged.judges:
        return None
    titles = (
        "judge", f"{judged.statistic} with people", "n", "judge minus people", "better image", "judge minus people",
        "order of generators", "as near as a person", "may it replace a person",
    )  # fmt: skip
    return texts(title(judged), titles, _judge_rows(judged))


def _judge_rows(judged: JudgedPeople) -> Iterator[list[str]]:
    levels = [ceiling for each in judged.judges if (ceiling := _ceiling(each.replacement.agreement))]
    level = max(levels, key=lambda each: each.n_items, default=None)
    if level is not None and level.value is not None:
        own = [_number(level.value, level.low, level.high), f"{level.n_items:,}", ""]
        yield [
            "people, each against the others",
            *own,
            _row(judged.images, n=False),
            "",
            _row(judged.generators, n=False),
            "",
            "",
        ]
    for each in judged.judges:
        row, near = each.replacement.agreement, each.nearness
        agreed = ["–", "", "–"]
        if row is not None and row.value is not None:
            agreed = [_number(row.value, row.low, row.high), f"{row.n_items:,}", _difference(row.ceiling)]
        images = [_row(each.images, n=False), _difference(_ceiling(each.images))]
        nearness = "–" if near is None or near.value is None else _number(near.value, near.low, near.high)
        answer = ANSWERS[each.replacement.answer].lower()
        yield [each.name, *agreed, *images, _row(each.generators, n=False), nearness, answer]


def summary(judged: JudgedPeople) -> str:
    """One sentence: the best agreement, the best ranking, and whether any may replace a person, with people's level."""
    about = wording.plain_aspect(judged.judged.aspect)
    if not judged.judges or judged.judges[0].replacement.agreement is None:
        return f"{about.capitalize()}: no judge or metric to compare. {_people(judged)}"
    first, row = judged.judges[0], judged.judges[0].replacement.agreement
    level = _level(row.ceiling)
    words = f"{first.name} agrees best ({judged.statistic} {_two(row)}, n = {row.n_items:,}{level})"
    ranked = [each for each in judged.judges if each.images is not None and each.images.value is not None]
    if ranked:
        best = max(ranked, key=lambda each: _value(each.images))
        images = f"{_two(best.images)}{_level(_ceiling(best.images))}" if best.images else ""
        words += f", {best.name} ranks a prompt's images best ({images})"
    may = [each.name for each in judged.judges if each.replacement.answer in ("yes", "perhaps")]
    unknown = all(each.replacement.answer == "unknown" for each in judged.judges)
    end = "whether one may replace a person is not known" if unknown else "none may replace a person"
    return f"{about.capitalize()}: {words}, and {f'{wording.listed(may)} may replace a person' if may else end}."


def _level(ceiling: Ceiling | None) -> str:
    """Return what the judge and people reach in a person's place, to follow a number; "" where that is not known."""
    if ceiling is None or ceiling.value is None:
        return ""
    own = wording.two(ceiling.verdict.scorer or 0.0)
    return f"; in a person's place {own} against people's {wording.two(ceiling.value)}"


def _two(row: WithInterval) -> str:
    value = wording.two(row.value or 0.0)
    return value if row.low is None or row.high is None else f"{value}, {wording.two(row.low)} to {wording.two(row.high)}"


def _ceiling(row: Estimate | None) -> Ceiling | None:
    return row.ceiling if row else None


def _value(row: Ranking | None) -> float:
    return -1.0 if row is None or row.value is None else row.value


def _row(row: Ranking | None, *, n: bool = True) -> str:
    if row is None or row.value is None:
        return "–"
    return _number(row.value, row.low, row.high, row.n_items if n else None)


def _number(value: float, low: float | None, high: float | None, n: int | None = None) -> str:
    bounds = "no interval" if low is None or high is None else f"{_four(low)} to {_four(high)}"
    return f"{_four(value)} ({bounds}{f', n = {n:,}' if n is not None else ''})"


def _difference(ceiling: Ceiling | None) -> str:
    if ceiling is None or ceiling.verdict.difference is None:
        return "–"
    verdict = ceiling.verdict
    return _number(ceiling.verdict.difference, verdict.difference_low, verdict.difference_high)


def _verdict(ceiling: Ceiling) -> str:
    verdict = ceiling.verdict
    if verdict.verdict:
        return wording.verdict(verdict.verdict)
    return reason_sentences.text_or_none(verdict.verdict_reason) or "not told apart"


def _four(value: float) -> str:
    return f"{value:z.4f}".replace("-", "−")
