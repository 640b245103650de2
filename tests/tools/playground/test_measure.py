"""The figures of a detector: average precision is what ultralytics computes of the same detections."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("transformers", reason="the group scorers is not installed")
pytest.importorskip("open_clip", reason="the group scorers is not installed")

from tools.playground.examples import NAMES
from tools.playground.measure import PictureDetections, average_precision


def test_precision_of_perfect_and_of_empty_detections() -> None:
    truth = [np.array([0, 1]), np.array([1])]
    perfect = [PictureDetections(np.zeros((len(one), 4)), one, np.full(len(one), 0.9), None) for one in truth]
    overlaps = [np.eye(len(one)) for one in truth]
    assert average_precision(truth, perfect, overlaps).tolist() == pytest.approx(np.full((2, 10), 0.995), abs=0.006)
    nothing = [PictureDetections(np.zeros((0, 4)), np.zeros(0, int), np.zeros(0), None) for _ in truth]
    assert not average_precision(truth, nothing, [np.zeros((len(one), 0)) for one in truth]).any()


def test_precision_equals_that_of_ultralytics() -> None:
    pytest.importorskip("scorers.models.detectors.yolo", reason="the group yolo is not installed")
    from ultralytics.utils.metrics import ap_per_class

    from tools.playground.measure import _hits

    rng = np.random.default_rng(0)
    truth = [rng.integers(0, len(NAMES), rng.integers(0, 5)) for _ in range(60)]
    seen, overlaps = [], []
    for there in truth:
        kinds = np.concatenate([there, rng.integers(0, len(NAMES), 2)])
        seen.append(PictureDetections(np.zeros((len(kinds), 4)), kinds, rng.uniform(0, 1, len(kinds)), None))
        overlaps.append(np.eye(len(there), len(kinds)) * rng.uniform(0.3, 1, len(kinds)))
    hits = np.concatenate([_hits(t, s, o) for t, s, o in zip(truth, seen, overlaps, strict=True)])
    confidence, kinds = (np.concatenate([getattr(one, name) for one in seen]) for name in ("confidence", "kinds"))
    theirs = ap_per_class(hits, confidence, kinds, np.concatenate(truth))[5]
    ours = average_precision(truth, seen, overlaps)
    assert 0.1 < ours.mean() < 0.9
    assert ours == pytest.approx(theirs, abs=1e-9)
