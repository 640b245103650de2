"""Severity of people who cannot be compared."""

from __future__ import annotations

import warnings

import numpy as np

from agreement.meta.rater_effects import severities


def test_people_who_share_no_image_have_no_severity_and_no_warning() -> None:
    first = np.arange(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = severities(first, np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 3.0, 4.0]), first)
    assert np.isnan(found.value).all()
