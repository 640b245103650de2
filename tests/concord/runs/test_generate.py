"""``generate`` from the command line: pictures painted, brought in, gone on with, refused and stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("diffusers", reason="the group scorers is not installed")

from concord.runs import generate
from data.files import safe_file_name
from data.images.files import read_image_file
from data.jobs.generation import GenerationFolder
from scorers.generation import worker
from scorers.running.worker_main import attempt
from tests.scorers import failing_generator, tiny_pipelines
from tests.ui import small_project
from tests.ui.small_project import concord, done, query

ROOT = Path(__file__).resolve().parents[3]
EARLY = ("generate", "playground", "--generator", "playground-early", "--task", "colors")
QUICK = ("--steps", 4, "--name", "playground-early")
IMAGES = "select image_id from images where generator = 'playground-early' order by image_id"


@pytest.fixture
def painted_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are painted in this process: the worker's own needs its imports anew each time."""
    monkeypatch.setattr(generate, "_paint", lambda context, folder, turn: attempt(folder, worker.work))  # noqa: ARG005


@pytest.mark.usefixtures("painted_here")
def test_pictures_are_painted_brought_in_and_not_painted_again(project: Path) -> None:
    said = done(project, *EARLY, *QUICK, "--n", 2, "--limit", 1)
    assert "2 pictures of 1 prompts by playground-early" in said
    first = query(project, IMAGES)
    assert len(first) == 2
    files = sorted((project / "images" / "playground-early").iterdir())
    before = [path.read_bytes() for path in files]
    assert [(read_image_file(path).width, read_image_file(path).height) for path in files] == [(128, 128)] * 2
    assert "nothing to do" in done(project, *EARLY, *QUICK, "--n", 2, "--limit", 1)
    done(project, *EARLY, *QUICK, "--n", 3, "--limit", 1)
    assert len(query(project, IMAGES)) == 3
    assert [path.read_bytes() for path in files] == before, "what was there stays"


@pytest.mark.usefixtures("painted_here")
def test_a_picture_has_a_seed_of_its_own_whatever_the_batch(project: Path, tmp_path: Path) -> None:
    done(project, *EARLY, *QUICK, "--n", 2, "--limit", 1, "--batch-size", 2)
    other = tmp_path / "other"
    done(other, *EARLY, *QUICK, "--n", 2, "--limit", 1, "--batch-size", 1)
    one, two = ([path.stat().st_size for path in sorted((p / "images").glob("*/*"))] for p in (project, other))
    assert len(one) == len(two) == 2
    assert one[0] != one[1]
    assert all(abs(a - b) < 200 for a, b in zip(one, two, strict=True)), "rounding apart"


@pytest.mark.usefixtures("painted_here")
def test_a_prompt_that_cannot_be_painted_is_named_with_its_reason(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project.parent / "p.txt").write_text("red\nraise\nblue\n")
    done(project, "import", "prompts", project.parent / "p.txt", "--suite", "mine")
    monkeypatch.setattr("scorers.generation.worker.generators.load", lambda *_, **__: failing_generator.load())
    ran = concord(project, "generate", "mine", "--generator", "playground-early", "--name", "some", "--n", 1)
    assert ran.status == 1
    assert "failed: mine/00001 0: the model failed: the prompt has 900 tokens" in ran.err
    assert "1 of 3 images were not generated: the model failed: the prompt has 900 tokens." in ran.err
    assert len(query(project, "select image_id from images where generator = 'some'")) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("playground", "--generator", "playground-lat"), "did you mean playground-late"),
        (("playground", "--generator", "runwayml/stable-diffusion-v1-5"), "the same model is sd15"),
        (("playground", "--generator", "sdxl", "--steps", "0"), "steps must be from 1 to 1,000, got 0"),
        (("nowhere", "--generator", "playground-late"), "has no suite 'nowhere'"),
        (("playground", "--generator", "playground-late", "--task", "colour"), "no prompt of task colour"),
    ],
)
def test_what_cannot_be_painted_is_refused_in_one_line(project: Path, words: tuple[str, ...], said: str) -> None:
    ran = concord(project, "generate", *words)
    assert ran.status == 1
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not (project / "images").exists()


@pytest.mark.slow
def test_what_was_painted_before_a_stop_is_used(project: Path) -> None:
    command = [sys.executable, str(ROOT / "app.py"), *EARLY, "--n", "4", "--limit", "20", "--batch-size", "1"]
    painting = subprocess.Popen(
        [*command, "--project", str(project)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    home = project / "images" / "playground-early"
    deadline = time.monotonic() + 120
    while not (home.is_dir() and sum(not path.name.startswith(".") for path in home.iterdir()) >= 2):
        assert painting.poll() is None, painting.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    painting.send_signal(signal.SIGTERM)
    out, err = painting.communicate(timeout=60)
    assert painting.returncode == 1, err
    assert "were not generated: the worker was stopped. Run the same command again to continue" in err
    painted = [path for path in home.iterdir() if not path.name.startswith(".")]
    assert len(query(project, IMAGES)) == len(painted) >= 2
    assert f"{len(painted)} pictures of" in out
    assert not _still_painting(project)


def test_gone_on_with_the_time_spent_before_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stops = iter([False, True, False, False])
    monkeypatch.setattr(
        generate,
        "_paint",
        lambda context, folder, turn: attempt(folder, lambda folder: worker.work(folder, lambda: next(stops))),  # noqa: ARG005
    )
    requested = (*EARLY, *QUICK, "--n", 2, "--limit", 1, "--batch-size", 1)
    assert concord(project, *requested).status == 1
    (path,) = (project / "runs").glob("*-generate-*")
    progress = GenerationFolder(path).progress()
    assert progress is not None
    assert (progress.state, progress.done) == ("stopped", 1)
    GenerationFolder(path).tell(replace(progress, seconds=1000.0))
    # its weights are known now, and written into what is asked
    done(project, *requested)
    progress = GenerationFolder(path).progress()
    assert progress is not None
    assert (progress.state, progress.done) == ("done", 2)
    assert 1000 < progress.seconds < 1100


def _still_painting(project: Path) -> list[str]:
    parts = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it may have ended meanwhile
            parts.append(path.read_bytes().decode(errors="replace"))
    return [one for one in parts if "scorers.generation.worker" in one and str(project) in one]


@pytest.mark.usefixtures("painted_here")
def test_a_real_pipeline_goes_in_by_its_folder_and_two_ways_of_asking_are_two_generators(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tiny_pipelines.stable_diffusion(tmp_path / "my sd", filtering=True)
    (tmp_path / "p.txt").write_text("a cup\n")
    done(project, "import", "prompts", tmp_path / "p.txt", "--suite", "mine")
    monkeypatch.chdir(tmp_path)
    ran = concord(project, "generate", "mine", "--generator", "my sd", "--n", 2, "--steps", 1)
    assert ran.status == 0, ran.err
    assert "2 pictures of 1 prompts by my-sd@steps=1" in ran.out
    assert "2 of 2 pictures are blanked by the generator's safety filter; they are kept, and marked as such" in ran.err
    assert query(project, "select generator || ' ' || blanked from images") == ["my-sd@steps=1 filter"] * 2
    (settings,) = query(project, "select settings from generations")
    remaining = json.loads(settings)
    assert remaining["asked"] == {"steps": 1, "guidance": None, "sampler": "default", "precision": "float32"}
    assert (remaining["model"], remaining["pipeline"], remaining["guidance"]) == (str(folder), "StableDiffusionPipeline", 7.5)
    # another way of asking is not mixed in, whatever the name
    named = ("generate", "mine", "--generator", "my sd", "--name", "my-sd@steps=1")
    ran = concord(project, *named, "--steps", 2, "--guidance", 3, "--n", 3)
    said = "my-sd@steps=1 was run with other settings before (steps 1, now 2; guidance the model's own, now 3.0)"
    assert (ran.status, ran.err.strip()) == (1, f"generate: {said}; choose another --name")
    # the same way goes on, but not with other weights
    weights = folder / "unet" / "diffusion_pytorch_model.safetensors"
    kept_bytes = weights.read_bytes()
    weights.write_bytes(kept_bytes[:-1] + bytes([kept_bytes[-1] ^ 1]))
    ran = concord(project, *named, "--steps", 1, "--n", 3)
    assert ran.status == 1
    assert "differ from those of the existing images; choose another --name" in ran.err
    weights.write_bytes(kept_bytes)
    assert "1 pictures of 1 prompts" in done(project, *named, "--steps", 1, "--n", 3)


@pytest.mark.usefixtures("painted_here")
def test_if_xl_s_images_are_the_second_stage_s_and_both_stages_are_recorded(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    enlarger = tiny_pipelines.deepfloyd_enlarger(tmp_path / "enlarger", filtering=True)
    tiny_pipelines.cache_on_hub(tmp_path / "hub", "DeepFloyd/IF-I-XL-v1.0", tiny_pipelines.deepfloyd(tmp_path / "if"))
    snapshot = tiny_pipelines.cache_on_hub(tmp_path / "hub", "DeepFloyd/IF-II-L-v1.0", enlarger)
    requested = ("generate", "playground", "--limit", 1, "--steps", 1, "--generator")
    done(project, *requested, "if-xl", "--n", 1)
    (image,) = query(project, "select generator || ' ' || width || ' ' || height || ' ' || blanked from images")
    assert image == "if-xl@steps=1 32 32 filter"
    (settings,) = query(project, "select settings from generations")
    recorded = json.loads(settings)
    assert (recorded["model"], recorded["steps"]) == ("DeepFloyd/IF-I-XL-v1.0", 1)
    assert (recorded["second_stage"]["model"], recorded["second_stage"]["steps"]) == ("DeepFloyd/IF-II-L-v1.0", 50)
    # the hub id is the same generator, and another second stage is not mixed in
    assert "nothing to do" in done(project, *requested, "DeepFloyd/IF-I-XL-v1.0", "--n", 1)
    (snapshot.parents[1] / "refs" / "main").write_text("def")
    snapshot.rename(snapshot.with_name("def"))
    ran = concord(project, *requested, "if-xl", "--n", 2)
    assert (ran.status, "differ from those of the existing images; choose another --name" in ran.err) == (1, True)


@pytest.mark.usefixtures("painted_here")
def test_what_cannot_be_opened_takes_nobody_s_name(project: Path, tmp_path: Path) -> None:
    named = ("generate", "playground", "--n", 1, "--limit", 1, "--name", "mine", "--generator")
    ran = concord(project, *named, "nobody/nothing")
    assert ran.status == 1
    assert "the model nobody/nothing is not on this machine; fetch it once: uv run hf download nobody/nothing" in ran.err
    ran = concord(project, *named, tiny_pipelines.deepfloyd(tmp_path / "if"), "--device", "nowhere")
    assert (ran.status, "cannot be put on nowhere" in ran.err) == (1, True)
    assert query(project, "select generator from generations") == []
    done(project, *named, tmp_path / "if", "--steps", 1)
    assert query(project, "select generator from images") == ["mine"]


def test_pictures_that_were_made_elsewhere_are_not_mixed_with_ours(project: Path, tmp_path: Path) -> None:
    images = small_project.geneval_folder(tmp_path / "sd15")
    done(project, "import", "images", images, "--layout", "geneval", "--generator", "sd15")
    ran = concord(project, "generate", "geneval", "--generator", "sd15")
    assert ran.status == 1
    assert ran.err.strip() == ("generate: the project has images by sd15 that were not generated here; choose another --name")


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101])
def test_a_name_that_is_none_is_refused(project: Path, name: str) -> None:
    ran = concord(project, *EARLY, "--name", name)
    assert (ran.status, "--name must be 1 to 100 characters that can be printed" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("name", "file"),
    [("playground/00001", "playground_00001"), ("a b", "a_b_"), ("../../etc", "etc_"), ("é" * 300, "_"), ("a_b", "a_b_")],
)
def test_a_name_becomes_a_file_name_of_its_own(name: str, file: str) -> None:
    made = safe_file_name(name)
    assert made.startswith(file)
    assert "/" not in made
    assert len(made.encode()) < 120
