"""Generators: found by name, opened offline, and a picture depends on its text and seed alone."""

from __future__ import annotations

import dataclasses
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from scorers.generation import generators
from scorers.models import pipelines
from scorers.running.worker_main import attempt

torch = pytest.importorskip("torch")
diffusers = pytest.importorskip("diffusers", reason="the group scorers is not installed")
transformers = pytest.importorskip("transformers")

from data.jobs.generation import GenerationFolder, GenerationJob, WantedPicture  # noqa: E402
from scorers.generation import worker  # noqa: E402
from scorers.models.diffusion import open_pipeline  # noqa: E402
from scorers.models.playground_generator import PlaygroundAutoencoder  # noqa: E402
from tests.scorers import tiny_pipelines  # noqa: E402
from tools.playground.clip import write_tokenizer  # noqa: E402
from tools.playground.examples import caption_words  # noqa: E402
from tools.playground.generator import build_scheduler, build_text_encoder, build_transformer  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real architectures with random weights, saved as the trained ones are."""
    folder = tmp_path_factory.mktemp("generator")
    torch.manual_seed(0)
    (folder / "tokenizer").mkdir()
    write_tokenizer(folder / "tokenizer")
    build_scheduler().save_pretrained(folder / "scheduler")
    PlaygroundAutoencoder().half().save_pretrained(folder / "autoencoder")
    build_transformer().half().save_pretrained(folder / "late" / "transformer")
    build_text_encoder(len(caption_words()) + 4).half().save_pretrained(folder / "late" / "text_encoder")
    return folder


def test_an_unknown_name_is_answered_with_the_one_that_was_meant() -> None:
    with pytest.raises(pipelines.UnknownGenerator, match="did you mean playground-late"):
        generators.load("playground-lat")


def test_missing_weights_are_an_os_error(untrained: Path) -> None:
    with pytest.raises(OSError, match="early"):
        generators.load("playground-early", playground=untrained)


def test_a_picture_depends_on_its_text_and_seed_alone(untrained: Path) -> None:
    _, opened = generators.load("playground-late", playground=untrained)
    paint, _ = generators.load("playground-late", generators.GenerationSettings(steps=6), playground=untrained)
    one, two = (made.picture for made in paint(["a photo of a cup", "a photo of two cars"], [1, 2]))
    (alone,) = (made.picture for made in paint(["a photo of two cars"], [2]))
    (other_seed,) = (made.picture for made in paint(["a photo of two cars"], [3]))
    assert (opened["steps"], opened["guidance"]) == (80, 4.0)
    assert one.size == (128, 128)
    assert np.abs(np.asarray(two, float) - np.asarray(alone, float)).max() <= 1, "rounding apart"
    assert (np.asarray(other_seed) != np.asarray(alone)).mean() > 0.5


def test_the_worker_paints_what_is_missing_and_leaves_the_rest(tmp_path: Path) -> None:
    there = tmp_path / "a.png"
    there.write_bytes(b"painted before")
    wanted = [WantedPicture("s/0", 0, "a photo of a cup", 1, str(there))]
    wanted += [WantedPicture("s/0", k, "a photo of a cup", k, str(tmp_path / "new" / f"{k}.png")) for k in (1, 2, 3)]
    folder = GenerationFolder(tmp_path / "job")
    folder.ask(GenerationJob("playground-late", tuple(wanted), 2, {"steps": 4}))
    assert attempt(folder, worker.work) == 0
    assert there.read_bytes() == b"painted before"
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["1.png", "2.png", "3.png"]
    progress = folder.progress()
    assert progress is not None
    assert (progress.state, progress.done, progress.total) == ("done", 4, 4)


def test_a_job_that_cannot_be_done_says_why(tmp_path: Path) -> None:
    folder = GenerationFolder(tmp_path / "job")
    folder.ask(GenerationJob("sd-9", (WantedPicture("s/0", 0, "a cup", 1, str(tmp_path / "a.png")),), 2))
    done = subprocess.run(
        [sys.executable, "-m", "scorers.generation.worker", str(folder.path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 1
    assert "there is no generator 'sd-9'" in done.stderr
    progress = folder.progress()
    assert progress is not None
    assert progress.state == "failed"
    assert "sd-9" in (progress.error or "")


@pytest.mark.parametrize(
    ("name", "changed", "seed", "called"),
    [
        ("sd15", {}, 0, "sd15"),
        ("stable-diffusion-v1-5/stable-diffusion-v1-5", {}, 0, "sd15"),
        ("someone/some_model", {}, 0, "someone-some-model"),
        ("sdxl", {"steps": 30, "guidance": 5.0}, 0, "sdxl@steps=30@guidance=5"),
        ("sdxl", {"sampler": "ddim", "steps": 100}, 0, "sdxl@paper"),
        ("if", {"profile": "paper"}, 7, "if@paper@seed=7"),
        ("if", {"profile": "paper", "steps": 50}, 0, "if@steps=50@sampler=ddim"),
        ("pixart", {"precision": "float16"}, 0, "pixart@precision=float16"),
        ("playground-late", {}, 0, "playground-late"),
        ("assets/playground/generator", {}, 0, "generator"),
    ],
)
def test_what_is_not_as_usual_is_in_the_name(name: str, changed: dict[str, Any], seed: int, called: str) -> None:
    settings = generators.generation_settings(**{"profile": "default", **changed})
    assert generators.name_of(name, settings, seed) == called


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"profile": "papr"}, "unknown profile 'papr'; known: default, paper"),
        ({"profile": "default", "steps": 0}, "steps must be from 1 to 1,000, got 0"),
        ({"profile": "default", "steps": 1001}, "steps must be from 1 to 1,000"),
        ({"profile": "default", "guidance": float("nan")}, "guidance must be from 0 to 100, got nan"),
        ({"profile": "default", "guidance": -1.0}, "guidance must be from 0 to 100"),
        ({"profile": "default", "sampler": "euler"}, "sampler must be default or ddim, got 'euler'"),
        ({"profile": "default", "precision": "int8"}, "precision must be float32 or float16 or bfloat16"),
    ],
)
def test_senseless_ways_of_asking_are_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        generators.generation_settings(**changed)


REAL = ("sd15", "sd21-v", "sdxl", "pixart", "if", "sd3")


@pytest.mark.parametrize(("name", "sampler"), [(name, "default") for name in REAL] + [(name, "ddim") for name in REAL[:-1]])
def test_of_every_class_a_picture_depends_on_its_text_and_seed_alone(saved: dict[str, Path], name: str, sampler: str) -> None:
    paint, opened = generators.load(str(saved[name]), generators.GenerationSettings(steps=3, sampler=sampler))
    one, two, three = (made.picture for made in paint(["a cup", "two dogs", "a cup"], [1, 2, 3]))
    (alone,) = (made.picture for made in paint(["two dogs"], [2]))
    (other_text,) = (made.picture for made in paint(["a cat on a mat"], [2]))
    assert one.size == (16, 16)
    assert apart(two, alone) <= 1, "rounding apart"
    assert min(apart(one, three), apart(one, two), apart(two, other_text)) > 1
    assert opened["steps"] == 3
    assert (opened["scheduler"] == "DDIMScheduler") == (sampler == "ddim" or name == "sd21-v")
    assert len(opened["weights"]) == 12


def apart(a: Image.Image, b: Image.Image) -> float:
    """The greatest difference of any pixel, of 255."""
    return float(np.abs(np.asarray(a, float) - np.asarray(b, float)).max())


@pytest.mark.parametrize("name", ["sd15", "sd21-v", "if"])
def test_ddim_is_song_et_al_s_whatever_the_scheduler_was(saved: dict[str, Path], name: str) -> None:
    steps, guidance, seed = 4, 3.0, 11
    paint, _ = generators.load(str(saved[name]), generators.GenerationSettings(steps=steps, guidance=guidance, sampler="ddim"))
    (made,) = paint(["a cup"], [seed])
    pipeline = open_pipeline(str(saved[name]))
    config = pipeline.scheduler.config
    with torch.no_grad():
        words = torch.cat(
            pipeline.encode_prompt("a cup", device="cpu", num_images_per_prompt=1, do_classifier_free_guidance=True)[::-1]
        )
        unet, pixels = pipeline.unet, name == "if"
        side = unet.config.sample_size
        x = torch.randn((1, unet.config.in_channels, side, side), generator=torch.Generator().manual_seed(seed))
        if name == "if":  # squaredcos_cap_v2
            bar = torch.cos((torch.arange(1001, dtype=torch.float64) / 1000 + 0.008) / 1.008 * torch.pi / 2) ** 2
            betas = (1 - bar[1:] / bar[:-1]).clamp(max=0.999).float()
        else:
            betas = torch.linspace(config.beta_start**0.5, config.beta_end**0.5, 1000) ** 2
        known = torch.cumprod(1 - betas, 0)
        offset = 0 if pixels else 1
        first = 1.0 if pixels or name == "sd15" else float(known[0])
        for t in [1000 // steps * k + offset for k in range(steps)][::-1]:
            free, requested = unet(torch.cat([x, x]), t, encoder_hidden_states=words).sample[:, : x.shape[1]].chunk(2)
            said = free + guidance * (requested - free)
            now, then = known[t], known[t - 1000 // steps] if t >= 1000 // steps else torch.tensor(first)
            if name == "sd21-v":
                clean, noise = now.sqrt() * x - (1 - now).sqrt() * said, now.sqrt() * said + (1 - now).sqrt() * x
            else:
                clean, noise = (x - (1 - now).sqrt() * said) / now.sqrt(), said
            if pixels:  # dynamic thresholding (Imagen)
                most = clean.abs().flatten().quantile(0.95).clamp(1, 1.5)
                clean = clean.clamp(-most, most) / most
            x = then.sqrt() * clean + (1 - then).sqrt() * noise
        drawn = x if pixels else pipeline.vae.decode(x / pipeline.vae.config.scaling_factor).sample
    expected = ((drawn[0] / 2 + 0.5).clamp(0, 1) * 255).round().permute(1, 2, 0).numpy()
    assert np.abs(np.asarray(made.picture, float) - expected).max() <= 1
    assert expected.std() > 5


@pytest.mark.parametrize("name", ["sd3", "flux", "sana", "qwen-image"])
def test_a_flow_is_not_sampled_by_ddim(saved: dict[str, Path], name: str) -> None:
    with pytest.raises(ValueError, match="is a flow model, which DDIM cannot sample"):
        generators.load(str(saved[name]), generators.PROFILES["paper"])


@pytest.mark.parametrize(
    ("name", "guidance"), [("flux", 3.5), ("sana", 4.5), pytest.param("qwen-image", 4.0, marks=pytest.mark.slow)]
)
def test_flows_paint_each_text_as_if_alone_and_are_guided(saved: dict[str, Path], name: str, guidance: float) -> None:
    once = generators.GenerationSettings(steps=1)
    paint, fields = generators.load(str(saved[name]), once)
    assert fields["guidance"] == guidance
    _, second = (np.asarray(made.picture, float) for made in paint(["a cup", "two dogs"], [1, 2]))
    (alone,) = paint(["two dogs"], [2])
    assert np.abs(second - np.asarray(alone.picture, float)).max() <= 1, "rounding apart"
    otherwise, _ = generators.load(str(saved[name]), dataclasses.replace(once, guidance=50.0))
    # Qwen-Image's guidance keeps the length of what it guides: little of it is left in a random model
    assert np.abs(np.asarray(otherwise(["two dogs"], [2])[0].picture, float) - second).max() >= 1


def test_a_distilled_model_is_asked_as_its_authors_say(saved: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generators, "DISTILLED", {str(saved["flux"].resolve()): (4, 0.0)})
    _, fields = generators.load(str(saved["flux"]))
    assert (fields["steps"], fields["guidance"]) == (4, 0.0)
    _, fields = generators.load(str(saved["flux"]), generators.GenerationSettings(steps=9))
    assert fields["steps"] == 9
    assert pipelines.GENERATORS["flux-schnell"] in pipelines.DISTILLED


@pytest.mark.parametrize("build", [tiny_pipelines.stable_diffusion, tiny_pipelines.deepfloyd])
def test_what_a_safety_filter_blanked_is_said_to_be(build: Callable[..., Path], tmp_path: Path) -> None:
    paint, _ = generators.load(str(build(tmp_path / "p", filtering=True)), generators.GenerationSettings(steps=1))
    made = paint(["a cup", "two dogs"], [1, 2])
    assert [picture.blanked for picture in made] == ["filter", "filter"]
    assert all(picture.picture.getbbox() is None for picture in made)


def test_a_black_picture_without_a_filter_is_said_to_be_that(saved: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    paint, _ = generators.load(str(saved["sdxl"]), generators.GenerationSettings(steps=1))
    assert [picture.blanked for picture in paint(["a cup"], [1])] == [None]
    # what SDXL's autoencoder makes of float16
    decode = diffusers.AutoencoderKL.decode
    monkeypatch.setattr(
        diffusers.AutoencoderKL, "decode", lambda *values, **named: (torch.full_like(decode(*values, **named)[0], torch.nan),)
    )
    paint, _ = generators.load(str(saved["sdxl"]), generators.GenerationSettings(steps=1))
    assert [picture.blanked for picture in paint(["a cup"], [1])] == ["black"]


@pytest.fixture
def if_stages(saved: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Both stages of IF-XL, tiny, in the hub's cache; of the second what need not be fetched is not there."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    enlarger = tiny_pipelines.deepfloyd_enlarger(tmp_path / "enlarger", filtering=True)
    for part in ("text_encoder", "tokenizer"):
        shutil.rmtree(enlarger / part)
    first = tiny_pipelines.cache_on_hub(tmp_path / "hub", "DeepFloyd/IF-I-XL-v1.0", saved["if"])
    return first, tiny_pipelines.cache_on_hub(tmp_path / "hub", "DeepFloyd/IF-II-L-v1.0", enlarger)


@pytest.mark.parametrize(
    ("name", "sampler", "scheduler"),
    [("if-xl", "default", "DDPMScheduler"), ("DeepFloyd/IF-I-XL-v1.0", "ddim", "DDIMScheduler")],
)
def test_both_stages_of_if_are_one_generator(
    if_stages: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, name: str, sampler: str, scheduler: str
) -> None:
    index = if_stages[1] / "model_index.json"
    index.write_text(json.dumps(json.loads(index.read_text()) | {"safety_checker": [None, None]}))
    paint, fields = generators.load(name, generators.GenerationSettings(steps=3, guidance=5.0, sampler=sampler))
    assert {key: fields[key] for key in ("pipeline", "scheduler", "steps", "guidance", "weights")} == {
        "pipeline": "IFPipeline",
        "scheduler": scheduler,
        "steps": 3,
        "guidance": 5.0,
        "weights": "abc+abc",
    }
    assert fields["second_stage"] == {
        "model": "DeepFloyd/IF-II-L-v1.0",
        "pipeline": "IFSuperResolutionPipeline",
        "scheduler": "DDPMScheduler",
        "steps": 50,
        "guidance": 4.0,
        "noise_level": 250,
    }
    encoded = []
    forward = transformers.T5EncoderModel.forward

    def count_texts(model: Any, tokens: Any, **named: Any) -> Any:
        encoded.append(len(tokens))
        return forward(model, tokens, **named)

    monkeypatch.setattr(transformers.T5EncoderModel, "forward", count_texts)
    one, two = (generated.picture for generated in paint(["a cup", "two dogs"], [1, 2]))
    assert encoded == [2, 2], "the prompts once, and the empty prompts of guidance once"

    # by hand, as diffusers' documentation runs the stages
    first = open_pipeline(str(if_stages[0]))
    if sampler == "ddim":
        first.scheduler = diffusers.DDIMScheduler.from_config(first.scheduler.config)
        first.scheduler.register_to_config(variance_type="fixed_small")
    second = diffusers.IFSuperResolutionPipeline.from_pretrained(if_stages[1], text_encoder=None, tokenizer=None)
    words, negative = first.encode_prompt("two dogs", clean_caption=False)
    prompt = {"prompt_embeds": words, "negative_prompt_embeds": negative, "generator": torch.Generator().manual_seed(2)}
    small = first(**prompt, num_inference_steps=3, guidance_scale=5.0, output_type="pt").images
    (expected,) = second(**prompt, image=small).images
    assert expected.size == two.size == (32, 32)
    assert apart(two, expected) <= 1, "rounding apart"
    assert apart(one, two) > 1


def test_what_the_second_stage_s_filter_blanked_is_said_to_be(if_stages: tuple[Path, Path]) -> None:
    assert all(stage.is_dir() for stage in if_stages)
    paint, _ = generators.load("if-xl", generators.GenerationSettings(steps=1))
    generated = paint(["a cup", "two dogs"], [1, 2])
    assert [picture.blanked for picture in generated] == ["filter", "filter"]
    assert all(picture.picture.size == (32, 32) and picture.picture.getbbox() is None for picture in generated)


def test_a_stage_that_is_missing_is_named_and_the_second_is_no_generator(if_stages: tuple[Path, Path]) -> None:
    with pytest.raises(ValueError, match="only enlarges a first stage's images; generators that run both stages: if-xl"):
        generators.load("DeepFloyd/IF-II-L-v1.0")
    shutil.rmtree(if_stages[1])
    with pytest.raises(OSError, match=r"the model DeepFloyd/IF-II-L-v1.0 is not on this machine; fetch it once"):
        generators.load("if-xl")


def test_pictures_of_other_weights_are_not_mixed_in(saved: dict[str, Path], tmp_path: Path) -> None:
    folder = GenerationFolder(tmp_path / "job")
    wanted = (WantedPicture("s/0", 0, "a cup", 1, str(tmp_path / "a.png")),)
    folder.ask(GenerationJob(str(saved["sd15"]), wanted, 1, {"steps": 1}, weights="000000000000"))
    with pytest.raises(ValueError, match=r"differ from those of the existing images; choose another --name"):
        worker.work(folder)
    assert not (tmp_path / "a.png").exists()
    folder.ask(GenerationJob(str(saved["sd15"]), wanted, 1, {"steps": 1}))
    worker.work(folder)
    opened = folder.opened()
    assert (opened["pipeline"], opened["steps"], opened["guidance"]) == ("StableDiffusionPipeline", 1, 7.5)
    assert set(opened["versions"]) == {"diffusers", "transformers", "torch"}
    folder.ask(GenerationJob(str(saved["sd15"]), wanted, 1, {"steps": 1}, weights=opened["weights"]))
    worker.work(folder)
