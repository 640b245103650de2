"""Many impatient people at once: whatever they do, each item gets its people, and nothing acknowledged is lost."""

from __future__ import annotations

import os

import pytest

from benchmarks.simulate_campaign import Simulation, SimulationPlan, check
from data.store.core.store import Store

FULL = os.environ.get("CONCORD_FULL_SIMULATION")
PLANS = (
    [SimulationPlan(people=200, items=500)]
    if FULL
    else [SimulationPlan(14, 10, 5, gold=2, threads=8, seed=seed) for seed in range(2)]
)


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_exactly_k_answers_by_k_people_and_nothing_lost(store: Store, plan: SimulationPlan) -> None:
    simulation = Simulation(store, plan)
    simulation.run()
    statuses = check(store, plan, simulation)
    assert statuses["valid"] == plan.items * plan.overlap
    assert simulation.revoked | simulation.left
    assert len(simulation.acknowledged) >= plan.items * plan.overlap
