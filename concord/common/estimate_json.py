"""Estimates of agreement as JSON: the rows that `agreement --format json`, the library and the report's data hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final

from agreement.estimate import Ceiling, Estimate
from agreement.meta.units import Finding
from agreement.report.scorer_vs_scorer import Comparison
from agreement.thresholds import ThresholdAgreement
from concord.common import reason_sentences

Json = dict[str, Any]


def estimate_json(section: str, row: Estimate) -> Json:
    """Return a row of a section (a field of `AgreementRows`) with plain types.

    `n_items` and `n_ratings` count what the statistic used: people's ratings among people and beside a scorer (for a
    scorer's own `mean`, its ratings), both raters' in the matrix. `excluded` counts ratings, but `undefined_pairs`
    pairs of persons and `tied_majority` units.
    """
    return _SECTIONS[section](row)


def _plain(row: Estimate, sides: Mapping[str, Any] | None = None, beside: Mapping[str, Any] | None = None) -> Json:
    """Return the keys of every section; `sides` stand behind the statistic, `beside` behind the interval."""
    return {
        "suite": row.suite,
        "task": row.task,
        "generator": row.generator,
        "aspect": row.aspect,
        "target": row.target,
        "people": row.people or None,
        "statistic": row.statistic,
        **(sides or {}),
        **_number(row, beside),
    }


def number_json(row: Estimate, statistic: str) -> Json:
    """Return an estimate with plain types, under the name of its statistic and without what else it is of."""
    return {"statistic": statistic, **_number(row)}


def _number(row: Estimate, beside: Mapping[str, Any] | None = None) -> Json:
    return {
        "value": row.value,
        "low": row.low,
        "high": row.high,
        **(beside or {}),
        "n_items": row.n_items,
        "n_ratings": row.n_ratings,
        "excluded": dict(row.excluded),
        "reason": reason_sentences.text_or_none(row.reason),
        "method": reason_sentences.text(row.method),
    }


def finding_json(row: Finding) -> Json:
    """Return a row of meta-evaluation with plain types."""
    plain: Json = reason_sentences.worded(row.to_dict())
    return plain


def ceiling_json(ceiling: Ceiling | None) -> Json | None:
    """Return people's own number beside a scorer's together with the verdict, on one level."""
    return None if ceiling is None else reason_sentences.worded(asdict(ceiling) | asdict(ceiling.verdict))


def _scorer(row: Estimate) -> Json:
    own = {"rater": row.rater, "people_as": row.people_as, "kind": row.kind, "saw_labels": row.saw_labels}
    return _plain(row) | own | {"ceiling": ceiling_json(row.ceiling)}


def _pair(row: Estimate) -> Json:
    kind = {"kind": row.kind} if row.kind == "consensus" else {}
    return _plain(row) | {"a": row.a, "b": row.b} | kind


def _named(row: Estimate) -> Json:
    return _plain(row) | {"rater": row.rater, "kind": row.kind}


def _comparison(row: Estimate) -> Json:
    if not isinstance(row, Comparison):
        raise TypeError(f"{row.statistic}: no comparison of two scorers")
    sides = {"a": row.a, "b": row.b, "people_as": row.people_as}
    beside = {"value_a": row.value_a, "value_b": row.value_b, "p": row.p, "p_holm": row.p_holm}
    test = row.mcnemar
    counts = test and {
        "both_right": test.both_right,
        "only_a_right": test.only_a_right,
        "only_b_right": test.only_b_right,
        "both_wrong": test.both_wrong,
        "p_mcnemar": test.p,
        "p_mcnemar_holm": test.p_holm,
    }
    return _plain(row, sides, beside) | {"mcnemar": counts}


def _threshold(row: Estimate) -> Json:
    if not isinstance(row, ThresholdAgreement):
        raise TypeError(f"{row.statistic}: no agreement of thresholds")
    cut, chosen = row.cutting, row.chosen
    sides = {"rater": row.rater, "number": cut.number, "people_as": row.people_as, "objective": cut.objective}
    beside = {
        "threshold": chosen.threshold,
        "fold_thresholds": list(chosen.fold_thresholds),
        "in_sample": chosen.in_sample,
        "fold_values": list(chosen.fold_values),
    }
    return _plain(row, sides, beside)


def _of_suite(row: Estimate) -> Json:
    return _plain(row) | {"rater": row.rater or None, "kind": row.kind}


_SECTIONS: Final[Mapping[str, Callable[[Estimate], Json]]] = {
    "among_people": _plain,
    "raters": _scorer,
    "matrix": _pair,
    "by_certainty": lambda row: _scorer(row) | {"certainty": row.certainty},
    "comparisons": _comparison,
    "thresholds": _threshold,
    "quality": _named,
    "scorer_means": _named,
    "suite_metrics": _of_suite,
}
