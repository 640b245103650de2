"""DSG (Cho et al., 2024): yes/no questions about the prompt, of which one counts only if those that it rests on hold."""

from __future__ import annotations

from typing import Final

from data.aspects import SCALES
from scorers import tifa
from scorers.base import Perceiver, Scorer, Settings
from scorers.tifa_rules import judge_dependent


def _open(settings: Settings, device: str) -> Perceiver:
    return tifa.TifaPerceiver(tifa.open_model(settings, device), only_yes_no=True)


SCORER: Final = Scorer(
    name="dsg",
    version="1",
    summary="As TIFA with yes/no questions alone; one counts only if those that it rests on hold.",
    profiles=tifa.PROFILES,
    judging=frozenset(),
    open=_open,
    judge=judge_dependent,
    scales={name: SCALES[name] for name in ("answer", "score")},
    models=frozenset({"vqa"}),
    check=tifa.check,
    options=tifa.OPTIONS,
    asks=True,
)
