"""Raters of one name: a scorer with other weights, code or settings is another rater, and how it differs is said."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from data.records import Rater
from data.store import runs
from data.store.core.store import Store

_NUMBER = re.compile(r" #[0-9]+$")


def new(store: Store, rater: Rater) -> str | None:
    """What is said where runs of this rater will make a new one of a name that the project has; None where they will not."""
    others = known(store, rater.rater_id)
    if not others or any(one.rater_id == rater.rater_id for one in others):
        return None
    last = others[-1]
    why = "; ".join(differences(last, rater)) or "it was asked otherwise"
    return f"this will be a new rater, {rater.rater_id}, as it is not what {last.rater_id} was: {why}"


def known(store: Store, rater_id: str) -> list[Rater]:
    """All scorers of this one's name, oldest first."""
    return runs.versions_of(store, _NUMBER.sub("", rater_id))


def differences(before: Rater, now: Rater) -> list[str]:
    """How two raters of one scorer differ, a line each: code, weights, settings."""
    lines = []
    if before.version != now.version:
        lines.append(f"the scorer's code gives other results (version {now.version}, then {before.version})")
    lines += _weights(before.settings.get("weights") or {}, now.settings.get("weights") or {})
    for key in sorted({*before.settings, *now.settings} - {"weights"}):
        then, today = before.settings.get(key), now.settings.get(key)
        if then != today:
            lines.append(f"{key} is {_said(today)}, then {_said(then)}")
    return lines


def _weights(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return [
        f"the weights of its {key} differ ({now.get(key, 'not known')}, then {before.get(key, 'not known')})"
        for key in sorted({*before, *now})
        if before.get(key) != now.get(key)
    ]


def _said(value: Any) -> str:
    return "not set" if value is None else str(value)
