"""The consensus of answers that stand in a frame, unit by unit and person by person, by name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from agreement.consensus.methods import Consensus, CrowdAnswers, Method, fit_consensus
from agreement.reasons import Reason

TIED, NO_MAJORITY = "labels lead equally", "no label has more than half"


@dataclass(frozen=True)
class UnitConsensus:
    """A unit's consensus: its label, None with a reason; `n` answers; `confidence` as in `Consensus`."""

    item: str
    label: str | None
    confidence: float | None
    n: int
    reason: Reason | str | None


@dataclass(frozen=True)
class PersonQuality:
    """A person's: `n` answers, and the expected accuracy (dawid_skene) or competence (mace), None with a reason."""

    rater: str
    n: int
    value: float | None
    reason: Reason | str | None


@dataclass(frozen=True)
class ConsensusResult:
    """The consensus of a long frame: units in order of their items, persons in order of their names."""

    items: tuple[UnitConsensus, ...]
    raters: tuple[PersonQuality, ...]
    reason: Reason | str | None


def consensus(
    judgements: pd.DataFrame, method: Method, *, levels: list[str] | None = None, persons: bool = True, seed: int = 0
) -> ConsensusResult:
    """Of columns `item`, `rater` and `label`, an answer a row, in any order; `levels` are the labels in their order."""
    rows = judgements.sort_values(["item", "rater"], kind="stable")
    unit, items = pd.factorize(rows["item"])
    person, raters = pd.factorize(rows["rater"], sort=True)
    used = [name for name in levels or sorted(set(rows["label"])) if name in set(rows["label"])]
    label = np.array([used.index(name) for name in rows["label"]], np.int64)
    answers = CrowdAnswers(unit.astype(np.int64), person.astype(np.int64), label)
    fitted = fit_consensus(answers, method, persons=persons, seed=seed)
    n = np.bincount(answers.unit, minlength=len(items))
    agreed = tuple(_unit_consensus(fitted, code, str(name), int(n[code]), used) for code, name in enumerate(items))
    people = tuple(_quality(fitted, answers.person == code, str(name)) for code, name in enumerate(raters))
    return ConsensusResult(agreed, people, fitted.reason)


def _unit_consensus(fitted: Consensus, code: int, item: str, n: int, names: list[str]) -> UnitConsensus:
    label, confidence = int(fitted.label[code]), float(fitted.confidence[code])
    reason = None if label >= 0 else fitted.reason or (TIED if fitted.tied[code] else NO_MAJORITY)
    return UnitConsensus(item, names[label] if label >= 0 else None, None if np.isnan(confidence) else confidence, n, reason)


def _quality(fitted: Consensus, rows: np.ndarray[tuple[int], np.dtype[np.bool_]], rater: str) -> PersonQuality:
    value = fitted.quality(rows)
    reason = fitted.no_quality if np.isnan(value) else None
    return PersonQuality(rater, int(rows.sum()), None if np.isnan(value) else value, reason)
