"""For all tests, before anything that computes is imported."""

from __future__ import annotations

import os

# tests that run beside each other compute on one thread each: with more threads than cores, they wait for one another
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")
