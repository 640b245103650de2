"""A run's folder: what goes in comes out, parts are whole or not there, and foreign files harm nobody."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data.jobs.folder import RunBusy, WorkerProgress
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem, pack_mask
from data.prompts.questions import PromptQuestion

ROOT = Path(__file__).resolve().parents[3]
HOSTILE = 'a "b"\n\r\u2028\u2029\\ \x00 <script>\u202e 日本 👩‍👩‍👧 ' + "x" * 5000
# as Hive writes partitions, with what a shell and a glob would read as their own
AWKWARD = "0001-geneval[threshold=0.4] a=b 'c' *"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    made = RunFolder(tmp_path / AWKWARD)
    made.create(Run("r", "geneval", "1", "playground", {"threshold": 0.3}, part_size=2), [work("a"), work(HOSTILE)])
    return made


def work(item: str) -> WorkItem:
    return WorkItem(
        item, f"/images/{item[:5]}.png", "0" * 64, HOSTILE, {"tag": HOSTILE, "include": [{"class": "cup", "count": 2}]}
    )


def observation(item: str) -> Observation:
    mask = pack_mask(np.eye(5, dtype=bool))
    detection = Detection(HOSTILE, 0.30000001192092896, (0.0, -1.5, 1e6, 2.25), mask, tuple(k / 45 for k in range(10)))
    return Observation(
        item, {"width": 5, "text": HOSTILE, "deep": {"a": [1, None, True]}}, (detection, Detection("cup", 1.0, (0, 0, 1, 1)))
    )


def test_a_run_and_its_manifest_are_read_back(folder: RunFolder) -> None:
    assert folder.job() == Run("r", "geneval", "1", "playground", {"threshold": 0.3}, part_size=2)
    assert folder.work() == [work("a"), work(HOSTILE)]
    item = replace(work("b"), questions=(PromptQuestion("q", HOSTILE, ("yes", "no"), "yes", "object", "cup"),), version=3)
    other = RunFolder(folder.path / "other")
    other.create(folder.job(), [item])
    assert other.work() == [item]
    assert folder.parts() == []
    assert folder.progress() is None


def test_a_folder_is_never_written_over(folder: RunFolder) -> None:
    with pytest.raises(FileExistsError):
        folder.create(Run("other", "geneval", "1", "playground", {}), [])
    assert folder.job().run_id == "r"


def test_observations_are_read_back(folder: RunFolder) -> None:
    first = [observation("a"), Observation(HOSTILE, failed=HOSTILE)]
    folder.write_part(1, [Observation("last")])
    folder.write_part(0, first)
    assert folder.parts() == [0, 1]
    assert folder.read_part(0) == first
    assert list(folder.observations()) == [*first, Observation("last")]
    assert [folder.failures(number) for number in folder.parts()] == [1, 0]


def test_numbers_are_ordered_as_numbers(folder: RunFolder) -> None:
    for number in (100_000, 99_999, 2):
        folder.write_part(number, [])
    assert folder.parts() == [2, 99_999, 100_000]


def test_an_interrupted_write_leaves_no_part(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("data.files.os.fsync", fail)
    with pytest.raises(OSError, match="no space"):
        folder.write_part(0, [observation("a")])
    monkeypatch.undo()
    assert folder.parts() == []
    folder.write_part(0, [observation("a")])
    assert folder.read_part(0) == [observation("a")]


def test_a_part_that_is_replaced_is_replaced_whole(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.write_part(0, [observation("a")])
    monkeypatch.setattr("data.files.os.fsync", lambda _: (_ for _ in ()).throw(OSError("unplugged")))
    with pytest.raises(OSError, match="unplugged"):
        folder.write_part(0, [Observation("b")])
    assert folder.read_part(0) == [observation("a")]


def test_numbers_that_are_not_finite_are_refused(folder: RunFolder) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        folder.write_part(0, [Observation("a", {"cosine": float("nan")})])
    assert folder.parts() == []


def test_foreign_files_are_not_parts(folder: RunFolder) -> None:
    for name in ("notes.parquet", "1.parquet", "-0001.parquet", ".00000.parquet.12", "00000.parquet.tmp", "００００1.parquet"):
        (folder.path / "parts" / name).write_bytes(b"?")
    assert folder.parts() == []
    folder.write_part(3, [Observation("a")])
    assert folder.parts() == [3]
    assert [one.item_id for one in folder.observations()] == ["a"]


def damaged() -> dict[str, bytes]:
    def parquet(table: pa.Table) -> bytes:
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink)
        return bytes(sink.getvalue().to_pybytes())

    box = {"label": "cup", "score": 0.5, "box": [1.0], "mask": None, "colors": None}
    short = {"item_id": ["a"], "failed": [None], "payload": ["{}"], "detections": [[box]]}
    return {
        "empty": b"",
        "text": b"hello",
        "other columns": parquet(pa.table({"x": [1, 2]})),
        "other types": parquet(pa.table({"item_id": [1], "failed": [None], "payload": [2.5], "detections": ["x"]})),
        "a payload that is no JSON": parquet(pa.table({**short, "payload": ["{"], "detections": [[box]]})),
        "a box of one number": parquet(pa.table(short)),
    }


@pytest.mark.parametrize("kind", sorted(damaged()))
def test_a_damaged_part_is_named_in_a_single_line(folder: RunFolder, kind: str) -> None:
    folder.part(0).write_bytes(damaged()[kind])
    with pytest.raises(ValueError, match="cannot be read as a part of a run") as caught:
        folder.read_part(0)
    assert "00000.parquet" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_part_cut_off_is_no_part_of_these_images(folder: RunFolder) -> None:
    folder.write_part(0, [observation("a"), observation(HOSTILE)])
    items = folder.work()
    assert folder.is_of(0, items)
    assert not folder.is_of(0, items[::-1])
    assert not folder.is_of(0, items[:1])
    assert not folder.is_of(1, items)
    whole = folder.part(0).read_bytes()
    folder.part(0).write_bytes(whole[: len(whole) // 2])
    assert not folder.is_of(0, items)
    folder.part(0).write_bytes(damaged()["other columns"])
    assert not folder.is_of(0, items)


def test_progress_tells_the_time_that_is_left(folder: RunFolder) -> None:
    progress = WorkerProgress("running", 20, 100, 1, 10.0, None, {"torch": "2"})
    folder.tell(progress)
    assert folder.progress() == progress
    assert progress.seconds_left == pytest.approx(40.0)
    assert WorkerProgress("loading", 0, 100).seconds_left is None
    assert WorkerProgress("loading", 20, 100).seconds_left is None
    assert WorkerProgress("done", 100, 100, seconds=5.0).seconds_left == 0.0


def test_a_run_is_locked_by_a_single_process(folder: RunFolder) -> None:
    assert not folder.at_work()
    code = f"""
import sys
from pathlib import Path
from data.jobs.runs import RunFolder
with RunFolder(Path({str(folder.path)!r})).claim():
    print("held", flush=True)
    sys.stdin.read()
"""
    holder = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert folder.at_work()
        with pytest.raises(RunBusy, match="another worker"), folder.claim():
            pass
    finally:
        holder.kill()
        holder.communicate()
    assert not folder.at_work()
    with folder.claim():
        assert folder.at_work()


def test_a_missing_run_is_not_at_work(tmp_path: Path) -> None:
    assert not RunFolder(tmp_path / "none").at_work()
    assert not (tmp_path / "none").exists()
