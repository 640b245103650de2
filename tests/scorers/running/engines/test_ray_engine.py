"""The engine ``ray``: the same is seen as by the local one. One Ray for all of these tests; skipped where there is none."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scorers import registry
from scorers.running import worker
from scorers.running.engines.device_worker import DIED
from tests.scorers import engine_runs as making
from tests.scorers.running.engines.test_local_processes import failed, playground

if importlib.util.find_spec("ray") is None and os.environ.get("CONCORD_RAY") != "required":
    pytest.skip("Ray is not installed (uv sync --group ray)", allow_module_level=True)

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    from scorers.running.engines import ray_engine

    with ray_engine.connected(2) as started:
        yield started


@pytest.fixture(autouse=True)
def dying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.PLUGIN_FOLDER_VARIABLE, str(making.scorers(tmp_path / "scorers")))


def test_actors_see_what_this_process_sees_whoever_dies(tmp_path: Path, ray: Any) -> None:  # noqa: ARG001
    doing = {2: "sleep 0.3", 9: f"once {tmp_path / 'died'}", 13: "raise", 21: "die"}
    here = making.run(tmp_path, 30, {13: "raise"}, "cpu")
    there = making.run(tmp_path, 30, doing, "cpu,cpu", "ray")
    assert worker.work_through(here)
    assert worker.work_through(there)
    assert (tmp_path / "died").exists()
    seen, other = list(here.observations()), list(there.observations())
    assert other[21].failed == DIED
    assert [observation for k, observation in enumerate(other) if k != 21] == [
        observation for k, observation in enumerate(seen) if k != 21
    ]
    assert set(failed(there)) == {"i13", "i21", "i28"}
    progress = there.progress()
    assert progress is not None
    assert (progress.state, progress.done, progress.failed) == ("done", 30, 3)
    assert progress.device.startswith("cpu on ")


def test_the_playground_is_seen_the_same_by_ray(tmp_path: Path, ray: Any) -> None:  # noqa: ARG001
    for package in ("torch", "open_clip", "transformers"):
        pytest.importorskip(package)
    here = playground(tmp_path, "geneval", "cpu")
    there = playground(tmp_path, "geneval", "cpu", "ray")  # each actor imports torch: one will do
    assert worker.work_through(here)
    assert worker.work_through(there)
    assert list(there.observations()) == list(here.observations())
    assert len(failed(there)) == 2


def test_ray_chooses_the_gpus(tmp_path: Path, ray: Any) -> None:  # noqa: ARG001
    with pytest.raises(ValueError, match="instead of cuda:0 say cuda for all"):
        worker.work_through(making.run(tmp_path, 3, {}, "cuda:0,cuda:1", "ray"))
    with pytest.raises(ValueError, match="Ray knows of no GPU"):
        worker.work_through(making.run(tmp_path, 3, {}, "cuda", "ray"))
