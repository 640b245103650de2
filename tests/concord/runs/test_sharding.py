"""``export manifest``, ``score --manifest`` without a project, ``import scores`` of shards; with a scorer without models."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from concord.runs import run_session, sharding, worker_process
from data.jobs.runs import RunFolder, read_manifest
from tests.ui import cow_scorer, small_project
from tests.ui.small_project import concord, done, tables

N = 7


@pytest.fixture(autouse=True)
def with_the_seer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scorer `seer` beside those that there are."""
    cow_scorer.known(monkeypatch)
    cow_scorer.within(monkeypatch, run_session, sharding)


@pytest.fixture(scope="module")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders ``project`` and ``job``, made by the commands once; the tests work on copies, and only read the images here."""
    folder = tmp_path_factory.mktemp("sharding")
    project = folder / "project"
    for name in ("a", "b"):
        done(
            project, "import", "images", small_project.geneval_folder(folder / name), "--layout", "geneval", "--generator", name
        )
    manifest = folder / "job" / "manifest.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        cow_scorer.known(patch)
        done(project, "export", "manifest", cow_scorer.NAME, "-o", manifest, "--with-images", "--first", N)
    return folder


@pytest.fixture
def pictured(_template: Path, project: Path) -> Path:
    """A project with eight images."""
    return Path(shutil.copytree(_template / "project", project))


@pytest.fixture
def job(_template: Path, tmp_path: Path) -> Path:
    """A folder with a manifest and its images, elsewhere."""
    return Path(shutil.copytree(_template / "job", tmp_path / "job"))


def scored(job: Path, *words: Any, scorer: str = cow_scorer.NAME) -> small_project.Ran:
    """What `score --manifest` comes to; it makes no project."""
    ran = concord(job / "none", "score", scorer, "--manifest", job / "manifest.jsonl", "--out", job / "scores", *words)
    assert not (job / "none").exists()
    return ran


def judged(project: Path) -> list[Any]:
    """Judgements but for where they come from and their numbers."""
    return sorted(row[:7] for row in tables(project)["judgements"] if row[1].startswith("seer"))


def test_shards_scored_elsewhere_come_to_what_is_scored_here(pictured: Path, job: Path, tmp_path: Path) -> None:
    moved = tmp_path / "another machine"
    shutil.move(job, moved)
    for number in (3, 1, 2):
        ran = scored(moved, "--shard", f"{number}/3", "--batch-size", 2)
        assert (ran.status, ran.err) == (0, ""), ran.err
        folder = moved / "scores" / f"shard-0{number}-of-03"
        n = len(RunFolder(folder).work())
        assert ran.out == f"shard {number}/3: all {n} images are done: {folder}\n"
    items = [[item.item_id for item in RunFolder(folder).work()] for folder in sorted((moved / "scores").iterdir())]
    assert sorted(map(len, items)) == [2, 2, 3]
    assert sorted(item for some in items for item in some) == sorted(
        item.item_id for item in read_manifest(moved / "manifest.jsonl")
    )
    before = tables(pictured)
    said = done(pictured, "import", "scores", moved / "scores")
    assert said == "7 images judged by seer-playground (import 3; to take it back: import undo 3)\n"
    shards = sorted((moved / "scores").iterdir(), reverse=True)
    there = tables(pictured)
    assert "nothing to do: this was imported before, as import 3" in done(pictured, "import", "scores", *shards)
    assert tables(pictured) == there
    elsewhere = judged(pictured)
    done(pictured, "import", "undo", 3)
    assert tables(pictured) == before
    done(pictured, "score", cow_scorer.NAME, "--first", N)
    assert judged(pictured) == elsewhere


def test_started_again_it_goes_on_and_other_work_is_refused(job: Path) -> None:
    assert scored(job, "--shard", "1/2", "--batch-size", 1).status == 0
    folder = RunFolder(job / "scores" / "shard-01-of-02")
    folder.part(1).unlink()
    (folder.path / "made.txt").unlink()
    assert scored(job, "--shard", "1/2", "--device", "cuda:1").status == 0
    assert (folder.path / "made.txt").read_text() == "1\n"
    assert (folder.job().device, folder.job().part_size) == ("cuda:1", 1)
    ran = scored(job, "--shard", "1/2", "--set", "threshold=0.6")
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert "a run with other settings is there; choose another --out" in ran.err
    lines = (job / "manifest.jsonl").read_text().splitlines(keepends=True)
    (job / "manifest.jsonl").write_text("".join(lines[1:]))
    assert "a run with other share and images is there" in scored(job, "--shard", "1/2").err
    # killed while it was being begun
    (folder.path / "run.json").unlink()
    shutil.rmtree(folder.path / "parts")
    (folder.path / "parts").mkdir()
    assert scored(job, "--shard", "1/2").status == 0


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("--shard", "0/2"), 2, "--shard 0/2: expected i/n with i from 1 to n"),
        (("--shard", "3/2"), 2, "expected i/n"),
        (("--shard", "1/1e9"), 2, "expected i/n"),
        (("--shard", "9/9"), 1, "of 7 images none is left for shard 9/9; use fewer shards"),
        (("--set", "treshold=1"), 2, "did you mean threshold?"),
        (("--suite", "mine"), 2, "--suite is for export manifest"),
        (("--limit", "3"), 2, "--limit is for export manifest"),
    ],
)
def test_what_cannot_be_asked(job: Path, words: tuple[str, ...], status: int, says: str) -> None:
    ran = scored(job, *words)
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1), ran.err
    assert says in ran.err
    assert not (job / "scores").exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda _: "", "it has no images"),
        (lambda text: text + text, "7 images are in it more than once"),
        (lambda _: "{}\n", "this is not a manifest (`export manifest` writes one)"),
        (lambda _: "\0", "this is not a manifest"),
    ],
)
def test_what_is_no_manifest(job: Path, change: Callable[[str], str], says: str) -> None:
    path = job / "manifest.jsonl"
    path.write_text(change(path.read_text()))
    ran = scored(job)
    assert (ran.status, ran.err.count("\n")) == (1, 1), ran.err
    assert says in ran.err
    path.unlink()
    assert "there is no such file" in scored(job).err
    lone = concord(job / "none", "score", cow_scorer.NAME, "--shard", "1/2")
    assert (lone.status, "--manifest FILE, --out FOLDER and --shard I/N go together" in lone.err) == (2, True)


def test_a_manifest_for_another_scorer_is_refused(job: Path) -> None:
    ran = scored(job, scorer="tifa")
    assert (ran.status, "it lacks questions; write it with: export manifest tifa -o FILE" in ran.err) == (1, True), ran.err


def test_an_image_that_has_changed_is_named_and_the_share_is_whole(pictured: Path, job: Path) -> None:
    path = job / read_manifest(job / "manifest.jsonl")[5].path
    path.write_bytes(b"x")
    ran = scored(job)
    folder = job / "scores"
    assert (ran.status, ran.out) == (0, f"the manifest: all 7 images are done, 1 of them could not be seen: {folder}\n")
    assert ran.err == "failed: 1 x the file has changed since it was imported\n"
    assert "6 images judged by seer-playground, 1 had failed there" in done(pictured, "import", "scores", folder)
    assert done(pictured, "score", cow_scorer.NAME, "--limit", 1) == "1 image judged by seer-playground\n"


def test_shards_that_do_not_belong_together_are_refused(pictured: Path, job: Path) -> None:
    for number in (1, 2, 3, 4):
        assert scored(job, "--shard", f"{number}/4").status == 0
    one, two, three, four = sorted((job / "scores").iterdir())
    before = tables(pictured)

    def refused(*folders: Path) -> str:
        ran = concord(pictured, "import", "scores", *folders)
        assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert tables(pictured) == before
        assert not (pictured / "runs").exists()
        return ran.err

    assert "2 shards of 4 missing: 2, 4; score them" in refused(one, three)
    assert "1 shard of 4 missing: 4; score it" in refused(one, two, three)
    assert refused(job).startswith("import scores: " + str(job) + ": this is not a run's folder")
    assert "for a table of scores: import ratings --kind scorer" in refused(one / "run.json")
    shutil.copytree(two, job / "copy")
    assert f"is in {two} and in {job / 'copy'}" in refused(one, two, three, four, job / "copy")
    shutil.rmtree(job / "copy")
    requested = json.loads((two / "run.json").read_text())

    def changed(**fields: Any) -> None:
        (two / "run.json").write_text(json.dumps(requested | fields))

    changed(settings={"threshold": 0.6, "weights": {}})
    assert "are not from one rater: threshold 0.5, there 0.6" in refused(job / "scores")
    changed(settings={"threshold": 0.5, "weights": {"clip": "0" * 12}})
    assert "are not from one rater: weights {}, there {'clip'" in refused(job / "scores")
    changed(version="2")
    assert "are not from one rater: version 1, there 2" in refused(job / "scores")
    changed(of="0" * 64)
    assert "are not shards of one manifest" in refused(job / "scores")
    changed(shard="2/5")
    assert "shards of 4 and of 5 are mixed" in refused(job / "scores")
    changed(shard="2/4/1")
    assert "expected i/n" in refused(job / "scores")
    changed()
    RunFolder(three).part(0).unlink()
    assert f"{job / 'scores' / three.name}: the run is not finished, 0 of 2 images are there" in refused(job / "scores")
    assert scored(job, "--shard", "3/4").status == 0
    assert "7 images judged" in done(pictured, "import", "scores", job / "scores")


# ---- as processes, on a machine with neither DuckDB nor Gradio


_CLI = """
import sys
for name in ("duckdb", "gradio", "torch"):
    sys.modules[name] = None
sys.path.insert(0, {root!r})
from scorers import registry
from tests.ui import cow_scorer
from concord.runs import sharding
registry.get = lambda name: cow_scorer.SCORER
sharding.WORKER = cow_scorer.WORKER
sys.argv = ["app.py", "score", "seer", *sys.argv[1:]]
import app
app.app()
"""


def slurm(job: Path) -> tuple[list[str], dict[str, str]]:
    """The script of docs/runs.md for shard 1, with this machine's Python in the place of a cluster's, and its environment."""
    text = (worker_process.ROOT / "docs" / "runs.md").read_text()
    (script,) = re.findall(r"^```bash\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert "#SBATCH --signal=B:TERM@300\n" in script
    script = script.replace("score geneval --profile mask2former-meta --device cuda", "--batch-size 1").replace("/16", "/2")
    (job.parent / "score.sh").write_text(script)
    (job.parent / "cli.py").write_text(_CLI.format(root=str(worker_process.ROOT)))
    tools = job.parent / "tools"
    tools.mkdir(exist_ok=True)
    python = job.parent / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f'#!/bin/bash\nshift\nexec "{sys.executable}" "{job.parent / "cli.py"}" "$@"\n')
    (tools / "scontrol").write_text(f'#!/bin/bash\necho "$@" >> "{job.parent / "scontrol.txt"}"\n')
    for path in (python, tools / "scontrol"):
        path.chmod(0o755)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "SLURM_ARRAY_JOB_ID": "77", "SLURM_ARRAY_TASK_ID": "1"}
    return ["bash", "score.sh"], os.environ | environment


@pytest.mark.slow
def test_the_documented_script_ends_its_part_in_time_and_goes_on(pictured: Path, job: Path) -> None:
    command, environment = slurm(job)
    batch = subprocess.Popen(
        command, cwd=job.parent, env=environment | {"SEER_SECONDS": "0.7"}, stderr=subprocess.PIPE, text=True
    )
    folder = RunFolder(job / "scores" / "shard-01-of-02")
    until = time.monotonic() + 60
    while not folder.parts():
        assert batch.poll() is None, batch.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)
    batch.send_signal(signal.SIGTERM)  # as --signal=B:TERM does, to the script alone
    _, err = batch.communicate(timeout=60)
    assert "score: shard 1/2 was stopped after" in err
    assert "run the same command again to continue" in err
    assert (job.parent / "scontrol.txt").read_text() == "requeue 77_1\n"
    there = len(folder.parts())
    assert 0 < there < 4
    assert not folder.at_work()
    for number in ("1", "2"):
        again = subprocess.run(
            command,
            cwd=job.parent,
            env=environment | {"SLURM_ARRAY_TASK_ID": number},
            capture_output=True,
            text=True,
            check=False,
        )
        assert again.returncode == 0, again.stderr
    assert (folder.path / "made.txt").read_text().split() == ["0", "1", "2", "3"], "nothing was made twice"
    assert "7 images judged" in done(pictured, "import", "scores", job / "scores")
