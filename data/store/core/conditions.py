"""Conditions in SQL: which items and which judgements a ``Selection`` means."""

from __future__ import annotations

from typing import Any

from data.selection import Selection, moment_of

Where = tuple[str, list[Any]]
"""A SQL condition and its parameters; data only ever travels as a parameter."""


def items_condition(selection: Selection) -> Where:
    """Return the condition of a selection on ``items t``."""
    tagged = _among("tag", selection.tag)
    return _all(
        _among("t.suite", selection.suite),
        _among("t.task", selection.task),
        _among("t.generator", selection.generator),
        (f"t.item_id in (select item_id from tagged where {tagged[0]})", tagged[1]) if selection.tag else tagged,
    )


def judgements_condition(selection: Selection) -> Where:
    """Return the condition on ``judgements j``, ``items t``, ``raters r`` and (null for scorers) ``annotations a``.

    A scorer's ``score`` passes whatever the aspect, as it is compared with people's aspects.
    """
    clauses = [
        _among("j.aspect", (*selection.aspect, "score") if selection.aspect else ()),
        _among("j.target", selection.target),
        _raters(selection.rater),
        _among("a.campaign_id", selection.campaign, or_scorer=True),
    ]
    if selection.since:
        clauses.append(("(a.submitted is null or a.submitted >= ?::timestamptz)", [moment_of(selection.since[-1])]))
    if selection.until:
        clauses.append(("(a.submitted is null or a.submitted < ?::timestamptz)", [moment_of(selection.until[-1])]))
    return _all(items_condition(selection), *clauses)


def _among(column: str, values: tuple[str, ...], *, or_scorer: bool = False) -> Where:
    if not values:
        return "true", []
    condition = f"{column} in (select unnest(?::varchar[]))"
    return (f"(r.kind = 'scorer' or {condition})" if or_scorer else condition), [list(values)]


def _raters(names: tuple[str, ...]) -> Where:
    if not names:
        return "true", []
    named = "(select unnest(?::varchar[]))"
    kinds = f"(select list(kind) from raters where rater_id in {named})"
    # a name that nobody has restricts too: nothing is selected then
    untouched = f"not list_contains(coalesce({kinds}, [r.kind]), r.kind)"
    return f"(r.rater_id in {named} or {untouched})", [list(names), list(names)]


def _all(*conditions: Where) -> Where:
    return (
        " and ".join(condition for condition, _ in conditions),
        [parameter for _, parameters in conditions for parameter in parameters],
    )
