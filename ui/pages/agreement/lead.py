"""What the Agreement page says first: what the selection is, and what its main numbers mean."""

from __future__ import annotations

from typing import Any

from agreement.pair.confusion import GAP, HIGH, percent
from concord.agreement import Rows
from concord.common import next_steps, wording
from data.aspects import YES_NO_ASPECTS
from ui.components.table import linked_note, note
from ui.pages.agreement.view import View, restriction, where
from ui.root import at

Row = dict[str, Any]
_BEYOND_CHANCE = ("cohen_kappa", "fleiss_kappa")


def by_kind_of_people(rows: Rows, people: str) -> Rows:
    """Rows about real people, or about simulated ones: the two are never shown as one."""
    return {name: [row for row in section if row["people"] == people] for name, section in rows.items()}


def lead(real: Rows, simulated: Rows, view: View) -> str:
    """The page's first sentences."""
    apart = restriction(view)
    limits = ""
    if apart:
        everything = View(*(getattr(view, name) for name in View.__slots__[:-1]))
        limits = linked_note(f"Restricted to {apart}.", everything.address(), "Show all", "")
    limits += _unfit(real, view)
    if real["among_people"] or not simulated["among_people"]:
        return note(f"{where(view)}: {said(real, view, 'people') or 'no person has judged this yet.'}") + limits
    first = f"{where(view)}: no person has judged this yet. What stands here is by simulated people, to show how it works."
    return linked_note(first, at("/annotate/"), "Label a few images", "and people’s answers will stand first.") + limits


def _unfit(rows: Rows, view: View) -> str:
    """Which scorers look at photographs with the playground's models."""
    names = sorted({row["rater"] for row in rows["raters"] if next_steps.is_unfit(row["rater"], view.suite)})
    if not names:
        return ""
    whose = "uses" if len(names) == 1 else "use"
    return note(f"{', '.join(names)} {whose} the playground’s models, which know its drawings alone: these scores say little.")


def said(rows: Rows, view: View, who: str) -> str:
    """What the main numbers say; nothing where nobody has judged."""
    people = {row["statistic"]: row for row in rows["among_people"] if row["task"] == view.task}
    if not people:
        return ""
    row = people.get("mean") or next(iter(people.values()))
    parts = [f"{wording.count(row['n_ratings'], 'answer')} by {who} about {wording.count(row['n_items'], 'image')}."]
    shared = people.get("percent_agreement")
    if shared and shared["value"] is not None:
        rests = (
            ""
            if shared["n_items"] == row["n_items"]
            else f", on the {wording.count(shared['n_items'], 'image')} that two have judged"
        )
        two = f"Two {who}" if who == "people" else "Two of them"
        parts.append(f"{two} say the same in {shared['value']:.0%} of cases{_within(shared, '.0%')}{rests}.")
    parts += [_paradox(people, view), _best(rows, view, who), _score_only(rows, view)]
    left = [f"{n:,} {wording.reason(name)}" for name, n in row["excluded"].items()]
    parts.append(f"Left out: {', '.join(left)}." if left else "")
    return " ".join(part for part in parts if part)


def _paradox(people: dict[str, Row], view: View) -> str:
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
        f"{wording.title(str(name))} is only {wording.two(kappa)}, as {percent(common)} of the answers are {word} and chance"
        f" alone would agree nearly as often (the prevalence paradox); AC1, which expects less of chance, is {ac1:.2f}."
    )


def _value(people: dict[str, Row], name: str | None) -> float | None:
    row = people.get(name or "")
    return None if row is None else row["value"]


def _best(rows: Rows, view: View, who: str) -> str:
    """The scorer that comes closest to people by the chosen statistic, and how it stands beside them."""
    found = [
        row
        for row in rows["raters"]
        if (row["task"], row["statistic"]) == (view.task, view.statistic) and row["value"] is not None
    ]
    if not found:
        return "" if rows["raters"] else "No scorer has judged these images yet."
    best = max(found, key=lambda row: float(row["value"]))
    among = f" of {len(found)} scorers" if len(found) > 1 else ""
    value = f"{wording.two(best['value'])}{_within(best, '.2f')}"
    ceiling = best.get("ceiling")
    verdict = f" In a person’s place it is {ceiling['words']}." if ceiling and ceiling["verdict"] else ""
    if best["saw_labels"]:
        verdict = " Its settings were chosen with these labels in view, so this says little of other images."
    return f"Closest to {who}{among} by {wording.title(view.statistic)}: {best['rater']}, {value}.{verdict}"


def _score_only(rows: Rows, view: View) -> str:
    """Which scorers the chosen statistic leaves out, as they give scores and no labels."""
    of_task = [row for row in rows["raters"] if row["task"] == view.task]
    labelled = {row["rater"] for row in of_task if row["statistic"] == view.statistic}
    left = sorted({row["rater"] for row in of_task} - labelled)
    return f"Not by {wording.title(view.statistic)}, as they only score: {', '.join(left)}." if left else ""


def _within(row: Row, form: str) -> str:
    return "" if row["low"] is None else f" (95% interval {row['low']:{form}} to {row['high']:{form}})"
