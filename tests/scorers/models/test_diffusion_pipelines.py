"""Pipelines of diffusers opened offline: the same code for a short name, a hub id and a folder, and nothing left random."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers", reason="the group scorers is not installed")

from safetensors.torch import load_file, save_file  # noqa: E402

from scorers.models import pipelines  # noqa: E402
from scorers.models.diffusion import open_pipeline, pipeline_class  # noqa: E402
from tests.scorers import tiny_pipelines  # noqa: E402

CLASSES = {
    "sd15": "StableDiffusionPipeline",
    "sd21-v": "StableDiffusionPipeline",
    "sdxl": "StableDiffusionXLPipeline",
    "pixart": "PixArtSigmaPipeline",
    "if": "IFPipeline",
    "sd3": "StableDiffusion3Pipeline",
    "flux": "FluxPipeline",
    "sana": "SanaPipeline",
    "qwen-image": "QwenImagePipeline",
}

SLOW = pytest.param("qwen-image", marks=pytest.mark.slow)


@pytest.mark.parametrize("name", CLASSES)
def test_a_saved_pipeline_is_what_it_was(saved: dict[str, Path], name: str) -> None:
    folder = saved[name]
    assert pipeline_class(str(folder)) == CLASSES[name]
    opened = open_pipeline(str(folder))
    assert type(opened).__name__ == CLASSES[name]
    for part in ("unet", "transformer", "vae", "text_encoder", "text_encoder_2"):
        module = getattr(opened, part, None)
        # of Qwen2.5-VL the file has other names for the same
        if module is None or (name, part) == ("qwen-image", "text_encoder"):
            continue
        assert not module.training
        (file,) = (folder / part).glob("*.safetensors")
        written, held = load_file(file), module.state_dict()
        # T5's tied table is written once
        assert set(written) <= set(held)
        assert all(torch.equal(written[key], held[key]) for key in written), part
    assert opened.scheduler.config.get("prediction_type") in {
        "sd21-v": ["v_prediction"],
        "sana": ["flow_prediction"],
    }.get(name, ["epsilon", None])


def test_a_hub_id_is_opened_from_the_cache_and_a_short_name_is_one(
    saved: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(
        OSError,
        match=r"^the model sd15 \(stable-diffusion-v1-5/stable-diffusion-v1-5\) is not on this machine; fetch it once: "
        r"uv run hf download stable-diffusion-v1-5/stable-diffusion-v1-5$",
    ):
        open_pipeline("sd15")
    snapshot = tiny_pipelines.cache_on_hub(tmp_path, pipelines.GENERATORS["sd15"], saved["sd15"])
    for name in ("sd15", pipelines.GENERATORS["sd15"]):
        assert type(open_pipeline(name)).__name__ == "StableDiffusionPipeline"
    # fetched in part
    (snapshot / "unet" / "diffusion_pytorch_model.safetensors").unlink()
    with pytest.raises(OSError, match="is not on this machine; fetch it once"):
        open_pipeline("sd15")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sdlx", "did you mean sdxl"),
        ("playground-lat", "did you mean playground-late"),
        ("something else", "known: playground-early, playground-late, sd15"),
        ("runwayml/stable-diffusion-v1-5", "was taken off the hub; the same model is sd15"),
        ("./nowhere", "there is no generator './nowhere'"),
    ],
)
def test_a_name_that_means_nothing_is_answered_with_one_that_does(name: str, said: str) -> None:
    with pytest.raises(pipelines.UnknownGenerator, match=said):
        open_pipeline(name)


def copy(folder: Path, to: Path, **index: object) -> Path:
    """A pipeline's folder with other entries in its index."""
    shutil.copytree(folder, to)
    file = to / "model_index.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **index}))
    return to


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (
            {"_class_name": "KandinskyPipeline"},
            "is a KandinskyPipeline, not one of the known pipelines: StableDiffusionPipeline",
        ),
        # what diffusers would take for code to fetch and run
        ({"_class_name": ["my_pipeline", "Mine"]}, "not one of the known pipelines"),
        ({"unet": ["my_module", "Mine"]}, "the unet of .* has an unknown kind"),
        ({"unet": ["transformers", "logging"]}, "the unet of .* has an unknown kind"),
        ({"unet": ["diffusers", 3]}, "the unet of .* has an unknown kind"),
    ],
)
def test_what_is_not_known_is_refused_and_not_run(
    saved: dict[str, Path], tmp_path: Path, index: dict[str, object], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        open_pipeline(str(copy(saved["sd15"], tmp_path / "p", **index)))


def test_an_index_that_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"holds no model_index.json"):
        open_pipeline(str(tmp_path))
    for text in ("{", "[]", "3"):
        (tmp_path / "model_index.json").write_text(text)
        with pytest.raises(ValueError, match=r"model_index.json"):
            open_pipeline(str(tmp_path))


@pytest.mark.parametrize(("part", "file"), [("unet", "diffusion_pytorch_model"), ("text_encoder", "model")])
def test_weights_that_are_not_all_there_are_refused(saved: dict[str, Path], tmp_path: Path, part: str, file: str) -> None:
    folder = copy(saved["sd15"], tmp_path / "p")
    path = folder / part / f"{file}.safetensors"
    weights = load_file(path)
    taken = sorted(weights)[0]
    save_file({key: value for key, value in weights.items() if key != taken}, path, metadata={"format": "pt"})
    with pytest.raises(ValueError, match=f"1 missing .*{taken}"):
        open_pipeline(str(folder))
    path.write_bytes(b"no weights")
    with pytest.raises(ValueError, match="cannot be opened"):
        open_pipeline(str(folder))
    shutil.rmtree(folder / part)
    with pytest.raises(ValueError, match=f"has no {part}"):
        open_pipeline(str(folder))


def test_the_older_name_of_a_part_is_known(saved: dict[str, Path], tmp_path: Path) -> None:
    folder = copy(saved["sd15"], tmp_path / "p", feature_extractor=["transformers", "CLIPFeatureExtractor"])
    assert type(open_pipeline(str(folder)).feature_extractor).__name__.startswith("CLIPImageProcessor")


@pytest.mark.parametrize("name", [*(name for name in CLASSES if name != "qwen-image"), SLOW])
def test_in_half_precision_a_vae_stays_whole_and_pictures_come_out(saved: dict[str, Path], name: str) -> None:
    pipeline = open_pipeline(str(saved[name]), precision="bfloat16")
    assert (pipeline.transformer if hasattr(pipeline, "transformer") else pipeline.unet).dtype == torch.bfloat16
    if name != "if":
        assert pipeline.vae.dtype == torch.float32
    requested = pipelines.PIPELINE_FAMILIES[CLASSES[name]].asked
    (picture,) = pipeline("a cup", num_inference_steps=1, generator=[torch.Generator().manual_seed(0)], **requested).images
    assert np.asarray(picture).std() > 0


def test_senseless_precisions_are_refused(saved: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="precision must be one of float32, float16, bfloat16, got 'half'"):
        open_pipeline(str(saved["sd15"]), precision="half")
    with pytest.raises(ValueError, match="float32 only"):
        open_pipeline("playground-late", precision="float16")


def test_what_a_family_is_said_to_take_if_told_nothing_is_what_diffusers_says() -> None:
    import inspect

    import diffusers

    from scorers.models.playground_generator import PlaygroundPipeline

    for kind, family in pipelines.PIPELINE_FAMILIES.items():
        call = inspect.signature((PlaygroundPipeline if kind == "PlaygroundPipeline" else getattr(diffusers, kind)).__call__)
        assert call.parameters["num_inference_steps"].default == family.steps, kind
        assert call.parameters[family.guided_by].default == family.guidance, kind
        assert set(family.asked) <= set(call.parameters), kind
