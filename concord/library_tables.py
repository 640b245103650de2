"""Tables for the library: what its calls return, written as Parquet files wherever the project is open."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import pandas as pd

from agreement.meta.units import Finding
from concord import agreement, exporting, suite_metrics
from concord.agreement_request import AgreementRequest
from concord.common.context import Context
from concord.common.estimate_json import finding_json
from concord.importing.image_requests import ImageRequest
from concord.importing.rating_request import RatingRequest
from concord.meta import estimates, findings, planning
from concord.meta.requests import AltTestRequest, EstimateRequest, PlanRequest, RankRequest, RaterEffectsRequest
from concord.runs.requests import ScoreRequest
from data.export.datasets import IMAGES
from data.export.rows import JUDGEMENT_COLUMNS, RATING_COLUMNS
from data.requests import Request
from data.selection import Selection
from data.store import library
from data.store.analysis import exports
from data.store.core.store import Store
from data.validation import record_of

Made = Mapping[str, pd.DataFrame | Sequence[Mapping[str, Any]]]


REQUESTS: Final[Mapping[str, type[Request]]] = {
    "agreement": AgreementRequest,
    "estimate": EstimateRequest,
    "plan": PlanRequest,
    "rater_effects": RaterEffectsRequest,
    "rank": RankRequest,
    "alt_test": AltTestRequest,
    "add_images": ImageRequest,
    "add_ratings": RatingRequest,
    "score": ScoreRequest,
}
"""The request that a call of `Project` makes of its arguments; what these mean is said there."""
_IMAGE: Final = ["path", "sha256"]


def write_tables(
    context: Context, call: str, selection: Mapping[str, Sequence[str]], arguments: Mapping[str, Any], folder: str
) -> None:
    """Write the tables of a call of ``Project`` as Parquet files into a folder, wherever the project is open."""
    chosen = agreement.selected(context, selection)
    kind = REQUESTS.get(call)
    named = arguments if kind is None else {"request": record_of(kind, arguments)}
    for name, rows in _CALLS[call](context.store, chosen, **named).items():
        _write(rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows), Path(folder, f"{name}.parquet"))


def _ratings(store: Store, chosen: Selection) -> Made:
    parts = exporting.judgement_parts(store, chosen)
    frame = _joined((exporting.counted_ratings(judgements, scales) for judgements, scales in parts), [*RATING_COLUMNS])
    return {"ratings": _with_files(store, frame)}


def _judgements(store: Store, chosen: Selection) -> dict[str, pd.DataFrame]:
    rows = _joined((written for _, written in exporting.judgement_rows(store, chosen)), [*JUDGEMENT_COLUMNS])
    return {"judgements": _with_files(store, rows[[*JUDGEMENT_COLUMNS]])}


def _scores(store: Store, chosen: Selection) -> Made:
    frame = _judgements(store, chosen)["judgements"]
    scored = frame[(frame.kind == "scorer") & (frame.aspect == "score") & frame.value.notna()]
    columns = ["suite", "prompt", "task", "generator", "item", "rater", "value", *_IMAGE]
    return {"scores": scored[columns].reset_index(drop=True)}


def _with_files(store: Store, table: pd.DataFrame) -> pd.DataFrame:
    """The table with the file of each item that is an image."""
    files = _joined(exports.image_batches(store, Selection()), ["image_id", *_IMAGE])
    return table.join(files.set_index("image_id")[_IMAGE], on="item")


def _joined(parts: Iterable[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    """All parts in one table; an empty table where there are none."""
    frames = list(parts)
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=[*columns])


def _findings(name: str, rows: Sequence[Finding], scorer: Sequence[str] = ()) -> Made:
    return {name: [finding_json(row) for row in findings.of_scorers(rows, scorer)]}


def _agreement(store: Store, chosen: Selection, request: AgreementRequest) -> Made:
    general, of_suites = suite_metrics.split_statistics(request.statistics)
    options = replace(request.options(), statistics=general)
    rows = agreement.compute(store, chosen, options)
    return replace(rows, suite_metrics=suite_metrics.suite_metrics(store, chosen, options, of_suites)).to_json()


def _estimate(store: Store, chosen: Selection, request: EstimateRequest) -> Made:
    return _findings("estimate", estimates.estimate(store, chosen, request.options()))


def _plan(store: Store, chosen: Selection, request: PlanRequest) -> Made:
    agreement.known_statistics(request.statistics)
    return _findings("plan", planning.plan(store, chosen, request))


def _rater_effects(store: Store, chosen: Selection, request: RaterEffectsRequest) -> Made:
    return _findings("rater_effects", findings.effects(store, chosen, request.ratings))


def _rank(store: Store, chosen: Selection, request: RankRequest) -> Made:
    rows = findings.rank(store, chosen, request.options(), request.epsilon)
    return _findings("rank", rows, request.scorer)


def _alt_test(store: Store, chosen: Selection, request: AltTestRequest) -> Made:
    rows = findings.alt_test(store, chosen, request.options(), request.epsilon, request.graded)
    return _findings("alt_test", rows, request.scorer)


_CALLS: Final[Mapping[str, Callable[..., Made]]] = {
    "prompts": lambda store, _, suite: {
        "prompts": pd.DataFrame(
            [asdict(prompt) for prompt in library.prompts_of_suite(store, suite)],
            columns=["prompt_id", "suite", "task", "text", "spec"],
        )
    },
    "images": lambda store, chosen: {
        "images": _joined(exports.image_batches(store, chosen), [*IMAGES, "path"]).assign(
            prompt_spec=lambda frame: frame.prompt_spec.map(lambda text: json.loads(text or "{}"))
        )
    },
    "ratings": _ratings,
    "judgements": _judgements,
    "scores": _scores,
    "agreement": _agreement,
    "estimate": _estimate,
    "plan": _plan,
    "rater_effects": _rater_effects,
    "rank": _rank,
    "alt_test": _alt_test,
}
"""The function behind each call of the library; it returns tables or rows."""


def _write(table: pd.DataFrame, path: Path) -> None:
    """A table as Parquet; columns of objects are written as JSON, and named in its metadata."""
    packed = [str(name) for name in table if table[name].map(lambda cell: isinstance(cell, (dict, list, tuple))).any()]
    flat = table.assign(**{name: [json.dumps(cell) for cell in table[name]] for name in packed})
    flat.attrs = {"json": packed}
    flat.reset_index(drop=True).to_parquet(path)
