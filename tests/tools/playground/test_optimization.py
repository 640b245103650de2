"""The moving average forgets the untrained start, however short the run."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tools.playground import averaged_model  # noqa: E402


@pytest.mark.parametrize("steps", [200, 654, 3000])
def test_the_start_is_forgotten(steps: int) -> None:
    model = torch.nn.BatchNorm1d(1)
    averaged = averaged_model(model, 0.999)
    for step in range(steps):
        with torch.no_grad():
            model.weight.fill_(1000.0 if step == 0 else 1.0)
            model.running_mean.fill_(1000.0 if step == 0 else 1.0)
            model.num_batches_tracked.fill_(step)
        averaged.update_parameters(model)
    assert float(averaged.module.weight.detach()) == pytest.approx(1.0, abs=0.05)
    assert float(averaged.module.running_mean) == pytest.approx(1.0, abs=0.05)
    assert int(averaged.module.num_batches_tracked) == steps - 1


def test_a_long_run_is_averaged_over_the_kept_share() -> None:
    model = torch.nn.Linear(1, 1, bias=False)
    averaged = averaged_model(model, 0.9)
    for value in (0.0,) * 100 + (1.0,):
        with torch.no_grad():
            model.weight.fill_(value)
        averaged.update_parameters(model)
    assert float(averaged.module.weight.detach()) == pytest.approx(0.1)
