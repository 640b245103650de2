"""One device, two devices: the same is seen, whoever dies meanwhile. With real processes; the playground's own models last."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from data.jobs.runs import Observation, Run, RunFolder, WorkItem
from scorers import registry
from scorers.running import engines, worker
from scorers.running.engines.device_worker import DIED, decoders
from tests.scorers import engine_runs as making
from tests.scorers.tiny_models import ROOT

SAMPLE = ROOT / "assets" / "playground" / "sample" / "runs"


@pytest.fixture(autouse=True)
def dying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(registry.PLUGIN_FOLDER_VARIABLE, str(making.scorers(tmp_path / "scorers")))


def failed(run: RunFolder) -> dict[str, str]:
    return {observation.item_id: observation.failed for observation in run.observations() if observation.failed is not None}


def playground(folder: Path, scorer: str, device: str, engine: str = "local", part_size: int = 5) -> RunFolder:
    """A run over 24 pictures of the sample by its own small models; one is no image, one is not there."""
    sample = RunFolder(SAMPLE / f"{scorer}-playground")
    work: list[WorkItem] = sorted(sample.work(), key=lambda item: item.item_id)
    work = random.Random(7).sample(work, 24)
    work = [replace(item, path=str((sample.path / item.path).resolve())) for item in work]
    folder.mkdir(exist_ok=True)
    (folder / "cut.webp").write_bytes(Path(work[9].path).read_bytes()[:300])
    work[9] = replace(work[9], path=str(folder / "cut.webp"), sha256="")
    work[17] = replace(work[17], path=str(folder / "nowhere.webp"))
    found = registry.get(scorer)
    run = RunFolder(folder / f"{scorer} {engine} {device}".replace(":", "_"))
    settings = registry.settings(found, "playground")
    run.create(Run("r", scorer, found.version, "playground", settings, device, part_size, engine), work)
    return run


def test_devices_are_named_with_commas() -> None:
    assert engines.devices("cuda:0, cuda:1") == ("cuda:0", "cuda:1")
    for wrong in ("", "cpu,", ",".join(["cpu"] * 65)):
        with pytest.raises(ValueError, match=r"device"):
            engines.devices(wrong)
    with pytest.raises(ValueError, match="no engine 'raye'; known: local, ray"):
        engines.check_engine_name("raye")


def test_two_devices_see_what_one_sees_whoever_dies(tmp_path: Path) -> None:
    doing = {2: "sleep 0.5", 9: f"once {tmp_path / 'died'}", 13: "raise"}
    folder = making.run(tmp_path, 30, {2: "", 13: "raise"}, "cpu")
    two = making.run(tmp_path, 30, doing, "cpu,cpu")
    assert worker.work_through(folder)
    assert worker.work_through(two)
    assert (tmp_path / "died").exists()
    assert list(two.observations()) == list(folder.observations())
    assert set(failed(two)) == {"i13", "i28"}
    progress = two.progress()
    assert progress is not None
    assert (progress.state, progress.done, progress.failed, progress.device) == ("done", 30, 2, "cpu, cpu")
    assert any("SIGKILL" in warning for warning in progress.warnings)
    assert progress.memory is not None
    assert progress.memory > 20_000_000


@pytest.mark.slow
def test_an_image_that_kills_every_process_fails_alone(tmp_path: Path) -> None:
    run = making.run(tmp_path, 8, {5: "die"}, "cpu,cpu")
    assert worker.work_through(run)
    assert set(failed(run)) == {"i5", "i6"}
    assert failed(run)["i5"] == DIED


@pytest.mark.slow
def test_a_device_that_is_not_there_ends_the_run_and_says_which(tmp_path: Path) -> None:
    run = making.run(tmp_path, 4, {0: "sleep 3"}, "cpu:9,cpu:9")
    with pytest.raises(ValueError, match=r"cpu:9: there is no such device"):
        worker.work_through(run)
    assert worker.work_through(making.run(tmp_path, 4, {}, "cpu,cpu:8"))


def started(run: RunFolder) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "scorers.running.worker", str(run.path)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def family(pid: int) -> set[int]:
    """Processes that this one started, and theirs (Linux)."""
    results = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            child = int(path.parent.name)
            results |= {child} | family(child)
    return results


def gone(pids: set[int], seconds: float = 10.0) -> bool:
    def there(pid: int) -> bool:
        try:
            return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    until = time.monotonic() + seconds
    while any(map(there, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(map(there, pids))


def until_parts(run: RunFolder, process: subprocess.Popen[str], n: int) -> None:
    until = time.monotonic() + 60
    while len(run.parts()) < n:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_or_killed_no_process_is_left_behind(tmp_path: Path, number: signal.Signals) -> None:
    run = making.run(tmp_path, 80, dict.fromkeys(range(80), "sleep 0.05"), "cpu,cpu")
    process = started(run)
    until_parts(run, process, 2)
    children = family(process.pid)
    assert len(children) >= 2
    process.send_signal(number)
    _, told = process.communicate(timeout=30)
    assert gone(children)
    assert process.returncode == (143 if number == signal.SIGTERM else -9)
    parts = run.parts()
    assert 2 <= len(parts) < 20
    assert all(run.is_of(k, run.work()[4 * k : 4 * k + 4]) for k in parts)
    if number == signal.SIGTERM:
        assert told.splitlines()[-1] == "stopped after a part; start it again to go on"
        progress = run.progress()
        assert progress is not None
        assert (progress.state, progress.done) == ("stopped", 4 * len(parts))
        before = {k: run.part(k).stat().st_mtime_ns for k in parts}
        assert worker.work_through(run)
        assert before.items() <= {k: run.part(k).stat().st_mtime_ns for k in run.parts()}.items()


@pytest.mark.slow
def test_the_playground_is_seen_the_same_by_one_device_and_by_two(tmp_path: Path) -> None:
    for package in ("torch", "open_clip", "transformers"):
        pytest.importorskip(package)
    one, two = (playground(tmp_path, "geneval", device) for device in ("cpu", "cpu,cpu"))
    other_parts = playground(tmp_path / "other", "geneval", "cpu", part_size=24)
    for run in (one, two, other_parts):
        assert worker.work_through(run)
    seen: list[Observation] = list(one.observations())
    assert list(two.observations()) == seen
    # the file that is no image has another name in the other folder, and fails for the same reason
    assert list(other_parts.observations()) == seen
    assert sum(len(image.detections) for image in seen) > 20
    assert any(detection.colors for image in seen for detection in image.detections)
    assert len(failed(one)) == 2


def test_there_is_always_a_decoder() -> None:
    assert 1 <= decoders() <= 12
