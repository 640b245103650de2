"""Frozen numbers of ppi-python, the reference implementation of prediction-powered inference, for `test_prediction_powered.py`.

    uv pip install --target /tmp/ppi ppi-python
    PYTHONPATH=/tmp/ppi python tests/agreement/meta/ppi_python.py > tests/agreement/meta/ppi_python.json

Labels and verdicts are ugly: ties, two levels, a constant scorer, an adverse one, few labels, many. Its standard errors
divide by n, not by n - 1, and its interval is that of a normal distribution.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

import numpy as np

CASES = ((12, 30, "good"), (5, 7, "good"), (40, 800, "levels"), (25, 60, "adverse"), (30, 30, "constant"), (300, 50, "levels"))


def case(k: int) -> tuple[Any, Any, Any]:
    """Labels, their verdicts, and the verdicts of what has no label."""
    n, others, kind = CASES[k]
    rng = np.random.default_rng([7, k])
    truth = rng.integers(0, 5, n + others) / 4 if kind == "levels" else (rng.random(n + others) < 0.7).astype(float)
    verdict = np.clip(np.round(truth + rng.normal(0, 0.35, truth.size), 1), 0, 1)
    verdict = {"adverse": 1 - verdict, "constant": np.full(truth.size, 0.5)}.get(kind, verdict)
    return truth[:n], verdict[:n], verdict[n:]


def main() -> None:
    """Print the numbers."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate  # type: ignore[import-not-found]

    results = []
    for k in range(len(CASES)):
        label, verdict, others = case(k)
        for power in (0.0, 0.35, 1.0):
            low, high = ppi_mean_ci(label, verdict, others, alpha=0.05, lam=power)
            value = ppi_mean_pointestimate(label, verdict, others, lam=power)
            results.append(
                {"case": k, "lambda": power, "value": np.ravel(value)[0], "low": np.ravel(low)[0], "high": np.ravel(high)[0]}
            )
    json.dump({"ppi-python": version("ppi-python"), "numpy": np.__version__, "numbers": results}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
