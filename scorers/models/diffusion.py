"""Diffusion models: pipelines of diffusers, opened from a folder as ``save_pretrained`` writes it or from the hub's cache; and
each kind of pipeline as a ``Denoiser``, which is what a scorer needs: images and captions in, and what the model says of a
noisy image.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

import diffusers
import numpy as np
import torch
import transformers
from diffusers.pipelines.deepfloyd_if.safety_checker import IFSafetyChecker
from diffusers.pipelines.deepfloyd_if.watermark import IFWatermarker
from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
from numpy.typing import NDArray
from PIL import Image
from safetensors import SafetensorError

from scorers.models import hub, pretrained
from scorers.models.files import ROOT, fingerprint, folder, single_line
from scorers.models.pipelines import PIPELINE_FAMILIES, PLAYGROUND_STAGES, PRECISIONS, hub_id

PLAYGROUND_FOLDER: Final = ROOT / "assets" / "playground" / "generator"
_INDEX: Final = "model_index.json"


class _WholeIFSafetyChecker(IFSafetyChecker):  # type: ignore[misc]  # diffusers is not typed
    """As published; transformers 5 wants a model to say that it has been made."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.post_init()


_OWN: Final = {
    "StableDiffusionSafetyChecker": StableDiffusionSafetyChecker,
    "IFSafetyChecker": _WholeIFSafetyChecker,
    "IFWatermarker": IFWatermarker,
}
"""Parts that diffusers keeps beside a pipeline."""
_AUTOENCODERS: Final = (diffusers.AutoencoderKL, diffusers.AutoencoderDC, diffusers.AutoencoderKLQwenImage)
_RENAMED: Final = {"CLIPFeatureExtractor": "CLIPImageProcessor"}
_LIBRARIES: Final[Mapping[str, Any]] = {"diffusers": diffusers, "transformers": transformers}


def open_pipeline(name: str, device: str = "cpu", precision: str = "float32", playground: Path = PLAYGROUND_FOLDER) -> Any:
    """A diffusers pipeline in memory, silent, its modules in evaluation mode.

    Args:
        name: a short name (``scorers.models.pipelines``), a hub id, or a folder with ``model_index.json``.
        device: as torch names it.
        precision: of the weights, one of ``PRECISIONS``. A VAE is always in float32, as SDXL's overflows in float16; its
            ``decode`` takes latents of any precision.
        playground: where the playground's models are.

    Raises:
        OSError: it is not on this machine.
        ValueError: there is no such model, its class is none of ``PIPELINE_FAMILIES``, or its weights are not whole.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if name in PLAYGROUND_STAGES:
        if precision != "float32":
            raise ValueError(f"{name} is so small that it is used in float32 only")
        from scorers.models.playground_generator import PlaygroundPipeline

        pipeline = PlaygroundPipeline.open(playground, PLAYGROUND_STAGES[name])
    else:
        pipeline = _open_parts(name, _model_folder(name), getattr(torch, precision))
    pipeline.set_progress_bar_config(disable=True)
    try:
        return pipeline.to(device)
    except (RuntimeError, AssertionError) as error:  # as torch says that there is no such device, or that it is full
        raise ValueError(f"{name} cannot be put on {device}: {single_line(error)}") from error


def pipeline_class(name: str) -> str:
    """The class of the pipeline that a name means, a key of ``PIPELINE_FAMILIES``. Raises as ``open_pipeline``."""
    return "PlaygroundPipeline" if name in PLAYGROUND_STAGES else _class_of(name, _index(name, _model_folder(name)))


def weights_of(name: str, playground: Path = PLAYGROUND_FOLDER) -> str:
    """Which weights a name means: the hub's revision, or 12 hex digits over all of a folder's. Raises as ``open_pipeline``."""
    if name in PLAYGROUND_STAGES:
        return str(fingerprint(str(playground / PLAYGROUND_STAGES[name])))
    path = _model_folder(name)
    return path.name if folder(name) is None else str(fingerprint(str(path)))


def _model_folder(name: str) -> Path:
    """Where the model's files are."""
    path = folder(name)
    if path is not None:
        if not (path / _INDEX).is_file():
            raise ValueError(f"the folder {name} holds no {_INDEX}, so it is not a diffusers pipeline")
        return path
    hub_id(name)
    path = hub.snapshot(name)
    if path is None or not (path / _INDEX).is_file():
        raise OSError(hub.missing(name))
    return path


def _index(name: str, path: Path) -> dict[str, Any]:
    try:
        index = json.loads((path / _INDEX).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: its {_INDEX} cannot be read: {single_line(error)}") from error
    if not isinstance(index, dict):
        raise ValueError(f"{name}: its {_INDEX} is not a table of components")
    return index


def _class_of(name: str, index: Mapping[str, Any]) -> str:
    kind = index.get("_class_name")
    if not isinstance(kind, str) or kind not in PIPELINE_FAMILIES:
        hidden = ("PlaygroundPipeline", *(name for name, family in PIPELINE_FAMILIES.items() if family.enlarges))
        known = ", ".join(family for family in PIPELINE_FAMILIES if family not in hidden)
        raise ValueError(f"{name} is a {single_line(kind)}, not one of the known pipelines: {known}")
    return kind


def _open_parts(name: str, path: Path, dtype: torch.dtype) -> Any:
    index = _index(name, path)
    kind = getattr(diffusers, _class_of(name, index))
    built = PIPELINE_FAMILIES[kind.__name__].built
    taken = inspect.signature(kind.__init__).parameters.keys() - built.keys()
    # a part is [library, class]; other settings are the pipeline's own
    parts = {
        key: _part(name, path, key, entry, dtype) for key, entry in index.items() if isinstance(entry, list) and key in taken
    }
    plain = {key: entry for key, entry in index.items() if key in taken and key not in parts}
    try:
        return kind(**parts, **plain, **built)
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} cannot be assembled as a {kind.__name__}: {single_line(error)}") from error


def _part(name: str, path: Path, key: str, entry: list[Any], dtype: torch.dtype) -> Any:
    """One part of a pipeline: a module, a tokenizer, a scheduler; None where it has none."""
    if entry == [None, None]:
        return None
    kind = _part_class(name, key, entry)
    where = path / key
    if not where.is_dir():
        if folder(name) is None:
            raise OSError(hub.missing(name))
        raise ValueError(f"the folder {name} has no {key}")
    if issubclass(kind, transformers.PreTrainedModel):
        return _load_whole(name, lambda: pretrained.load(kind, str(where), "cpu", dtype))
    if issubclass(kind, diffusers.ModelMixin):
        return _load_whole(name, lambda: _module(kind, where, f"{key} of {name}", dtype))
    try:
        return kind.from_pretrained(str(where), local_files_only=True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise ValueError(f"the {key} of {name} cannot be opened: {single_line(error)}") from error


def _part_class(name: str, key: str, entry: list[Any]) -> type[Any]:
    """The class of a part, of the libraries' own only."""
    if len(entry) == 2 and all(isinstance(part, str) for part in entry):
        library, kind = entry
        part_class = _OWN.get(kind) or getattr(_LIBRARIES.get(library), _RENAMED.get(kind, kind), None)
        if isinstance(part_class, type) and hasattr(part_class, "from_pretrained"):
            return part_class
    raise ValueError(f"the {key} of {name} has an unknown kind: {single_line(entry)}")


def _module(kind: Any, where: Path, called: str, dtype: torch.dtype) -> Any:
    """A model of diffusers whose weights are all there."""
    vae = issubclass(kind, _AUTOENCODERS)
    precision = torch.float32 if vae else dtype
    diffusers.logging.set_verbosity_error()
    model, loading = kind.from_pretrained(
        str(where),
        torch_dtype=precision,
        local_files_only=True,
        use_safetensors=True,
        low_cpu_mem_usage=False,
        output_loading_info=True,
    )
    # what a file has beyond that does no harm: diffusers renames and drops what earlier versions of it wrote
    pretrained.check_whole(kind, called, loading, unexpected=False)
    if vae:
        _decode_any_precision(model)
    # where a class keeps to its own precision (SD3's), it would not fit its text encoders
    return model.to(precision).eval()


def _load_whole(name: str, load: Any) -> Any:
    """What ``load`` gives; what keeps it from that in one line."""
    try:
        return load()
    except OSError as error:
        if folder(name) is None:
            raise OSError(hub.missing(name)) from error
        raise ValueError(f"{name} cannot be opened: {single_line(error)}") from error
    except (SafetensorError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{name} cannot be opened: {single_line(error)}") from error


def _decode_any_precision(vae: Any) -> None:
    """Have a VAE take latents of another precision than its own, as its encoder's callers see to that themselves."""
    decode = vae.decode

    def decoding(latents: torch.Tensor, *arguments: Any, **named: Any) -> Any:
        return decode(latents.to(vae.dtype), *arguments, **named)

    vae.decode = decoding


Prediction = Literal["epsilon", "v_prediction", "sample", "flow"]
"""What a model says of x_t: the noise, v (Salimans and Ho, 2022), the image, or the flow's velocity (noise less image)."""
FLOW_TIMES: Final = 1000.0
"""What a flow's transformer is told is its time, 0 (the image) to 1 (noise), times this."""


@dataclass(frozen=True, slots=True)
class EncodedCaptions:
    """Captions as a model has read them; each tensor has a row for each."""

    parts: Mapping[str, torch.Tensor]

    def rows(self, which: torch.Tensor) -> EncodedCaptions:
        """Some of them, some perhaps repeatedly."""
        return EncodedCaptions({name: part[which] for name, part in self.parts.items()})


class Denoiser(Protocol):
    """A model in memory, without guidance.

    Attributes:
        prediction: what ``predict`` says.
        alphas: ``alphas_cumprod`` of the steps that it was trained on; empty for a flow.
        device: as torch names it.
        limit: how many of a caption's tokens it reads.
    """

    prediction: Prediction
    alphas: NDArray[np.float64]
    device: str
    limit: int

    def steps(self, n: int) -> Sequence[float]:
        """``n`` of the model's steps, descending, spaced as its own scheduler spaces them; of a flow its times, times
        ``FLOW_TIMES``.

        Raises:
            ValueError: it has not so many.
        """
        ...

    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """B x ... in full precision: what is noised. Without chance: the mean where an autoencoder gives a distribution."""
        ...

    def read(self, captions: Sequence[str]) -> EncodedCaptions:
        """The captions, once for all their uses."""
        ...

    def tokens(self, caption: str) -> int:
        """How many tokens the caption has; more than ``limit`` are cut off."""
        ...

    def predict(self, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> torch.Tensor:
        """As ``prediction`` says, in full precision.

        Args:
            noisy: B x ..., as ``encode`` gives it.
            steps: B of the model's steps, or the flow's times as its transformer is told them.
            captions: B.
        """
        ...


def spaced_steps(scheduler: Any, n: int) -> list[int]:
    """``n`` steps of a DDPM with this scheduler's training steps, spacing and offset, descending.

    Raises:
        ValueError: it has not so many.
    """
    from diffusers import DDPMScheduler

    own = DDPMScheduler.from_config(scheduler.config)
    if not 1 <= n <= own.config.num_train_timesteps:
        raise ValueError(f"steps must be between 1 and the model's {own.config.num_train_timesteps}, got {n}")
    own.set_timesteps(n)
    steps = own.timesteps.tolist()
    # an offset of 1 (Stable Diffusion's) leads beyond the last step where all are asked for
    beyond = max(0, steps[0] - (own.config.num_train_timesteps - 1))
    return [step - beyond for step in steps]


def alphas_of(scheduler: Any) -> NDArray[np.float64]:
    """``alphas_cumprod`` of its training steps. Of the configuration, as sampling with some schedulers changes their own."""
    from diffusers import DDPMScheduler

    alphas: NDArray[np.float64] = DDPMScheduler.from_config(scheduler.config).alphas_cumprod.double().numpy()
    return alphas


def squared(images: Sequence[Image.Image], side: int) -> torch.Tensor:
    """B x 3 x side x side in -1 to 1: the shorter side resized (bicubic), the middle cut out (Li et al., 2023)."""
    pixels = []
    for image in images:
        scale = side / min(image.size)
        size = (max(side, round(image.width * scale)), max(side, round(image.height * scale)))
        fitted = image if size == image.size else image.resize(size, Image.Resampling.BICUBIC)
        left, top = (size[0] - side) // 2, (size[1] - side) // 2
        pixels.append(np.asarray(fitted.crop((left, top, left + side, top + side)), np.float32))
    return torch.from_numpy(np.stack(pixels)).permute(0, 3, 1, 2) / 127.5 - 1.0


_READ_AT_ONCE: Final = 32
"""Captions; T5's states of more would fill a small GPU."""
_NOTHING: Final = np.zeros(0)

CaptionEncoder = Callable[[Any, list[str], str], dict[str, torch.Tensor]]
NoisePredictor = Callable[[Any, torch.Tensor, torch.Tensor, EncodedCaptions], torch.Tensor]


class PipelineDenoiser:
    """A pipeline as a ``Denoiser``. Latents by its autoencoder where it has one, else pixels, -1 to 1.

    Args:
        pipeline: of diffusers, on its device.
        net: its UNet or transformer.
        read: what it makes of captions; ``tell``: what it says of noisy images.
        limit: how many tokens of a caption it reads; None: as its tokenizer says.
    """

    def __init__(self, pipeline: Any, net: Any, read: CaptionEncoder, tell: NoisePredictor, limit: int | None = None) -> None:
        self._pipeline, self._net, self._read, self._tell = pipeline, net, read, tell
        self.device = str(pipeline.device)
        config = pipeline.scheduler.config
        self.prediction: Prediction = config.get("prediction_type", "flow")
        self.alphas: NDArray[np.float64] = _NOTHING if self.prediction == "flow" else alphas_of(pipeline.scheduler)
        self.limit = limit or int(pipeline.tokenizer.model_max_length)
        self._vae = getattr(pipeline, "vae", None)
        self._side = int(net.config.sample_size) * (1 if self._vae is None else _shrink_factor(self._vae))

    def steps(self, n: int) -> Sequence[float]:
        """See ``Denoiser``; a flow's times are the middles of n equal parts."""
        if self.prediction == "flow":
            return [FLOW_TIMES * (n - k - 0.5) / n for k in range(n)]
        return spaced_steps(self._pipeline.scheduler, n)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """See ``Denoiser``."""
        pixels = squared(images, self._side).to(self.device)
        if self._vae is None:
            return pixels
        config = self._vae.config
        # one by one: an autoencoder at 1,024 pixels takes much memory
        latents = [self._vae.encode(image[None].to(self._vae.dtype)).latent_dist.mean.float() for image in pixels]
        return (torch.cat(latents) - (config.get("shift_factor") or 0.0)) * config.scaling_factor

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def read(self, captions: Sequence[str]) -> EncodedCaptions:
        """See ``Denoiser``."""
        texts = list(captions)
        encodings = [
            self._read(self._pipeline, texts[at : at + _READ_AT_ONCE], self.device)
            for at in range(0, len(texts), _READ_AT_ONCE)
        ]
        return EncodedCaptions({name: torch.cat([encoding[name] for encoding in encodings]) for name in encodings[0]})

    def tokens(self, caption: str) -> int:
        """See ``Denoiser``."""
        return len(self._pipeline.tokenizer(caption, truncation=False).input_ids)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def predict(self, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> torch.Tensor:
        """See ``Denoiser``. What a model says of its variance is left aside: the second half of its channels."""
        return self._tell(self._net, noisy.to(self._net.dtype), steps, captions)[:, : noisy.shape[1]].float()


def open_denoiser(name: str, device: str, precision: str) -> Denoiser:
    """A model in memory.

    Args:
        name: of ``scorers.models.files``, a hub id, or a folder as ``save_pretrained`` writes it.
        device: as torch names it.
        precision: of its weights; see ``open_pipeline``. The playground's are always in full.

    Raises:
        ValueError: it is of no kind that is known here, or its weights are not whole.
        OSError: it is not on this machine.
    """
    kind = pipeline_class(name)
    if kind not in _DENOISERS:
        raise ValueError(f"{name} is a {kind}, of which no likelihood is computed here; known: {', '.join(_DENOISERS)}")
    return _DENOISERS[kind](open_pipeline(name, device, precision))


def _shrink_factor(vae: Any) -> int:
    return int(2 ** (len(vae.config.block_out_channels) - 1))


def _by_words(limit: int | None = None, **how: Any) -> Callable[[Any], Denoiser]:
    """Of captions such a model reads the words alone; ``how`` is what else its pipeline is told when it encodes them."""

    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, _ = pipeline.encode_prompt(texts, device=device, do_classifier_free_guidance=False, **how)
        return {"words": words}

    def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> Any:
        return net(noisy, steps, encoder_hidden_states=captions.parts["words"], return_dict=False)[0]

    return lambda pipeline: PipelineDenoiser(pipeline, pipeline.unet, read, tell, limit)


def _sdxl(pipeline: Any) -> Denoiser:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, _, pooled, _ = pipeline.encode_prompt(texts, device=device, do_classifier_free_guidance=False)
        return {"words": words, "pooled": pooled}

    side = float(pipeline.unet.config.sample_size * _shrink_factor(pipeline.vae))

    def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> torch.Tensor:
        # the picture as large as it was, and nothing cut off (SDXL, section 2.2)
        sizes = torch.tensor([side, side, 0.0, 0.0, side, side], dtype=noisy.dtype, device=noisy.device)
        added = {"text_embeds": captions.parts["pooled"], "time_ids": sizes.repeat(len(noisy), 1)}
        return net(noisy, steps, encoder_hidden_states=captions.parts["words"], added_cond_kwargs=added, return_dict=False)[0]

    return PipelineDenoiser(pipeline, pipeline.unet, read, tell)


def _pixart(limit: int) -> Callable[[Any], Denoiser]:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, mask, *_ = pipeline.encode_prompt(
            texts, do_classifier_free_guidance=False, device=device, clean_caption=False, max_sequence_length=limit
        )
        return {"words": words, "mask": mask}

    def opened(pipeline: Any) -> Denoiser:
        net = pipeline.transformer
        side = float(net.config.sample_size * _shrink_factor(pipeline.vae))

        def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> torch.Tensor:
            added: dict[str, Any] = {"resolution": None, "aspect_ratio": None}
            if net.config.use_additional_conditions or (
                net.config.use_additional_conditions is None and net.config.sample_size == 128
            ):
                size = torch.tensor([side, side], dtype=noisy.dtype, device=noisy.device)
                added = {"resolution": size.repeat(len(noisy), 1), "aspect_ratio": torch.ones_like(noisy[:, :1, 0, 0])}
            return net(
                noisy,
                encoder_hidden_states=captions.parts["words"],
                encoder_attention_mask=captions.parts["mask"],
                timestep=steps,
                added_cond_kwargs=added,
                return_dict=False,
            )[0]

        return PipelineDenoiser(pipeline, net, read, tell, limit)

    return opened


def _stable_diffusion_3(pipeline: Any) -> Denoiser:
    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:
        words, _, pooled, _ = pipeline.encode_prompt(texts, None, None, device=device, do_classifier_free_guidance=False)
        return {"words": words, "pooled": pooled}

    def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> torch.Tensor:
        return net(
            hidden_states=noisy,
            timestep=steps.to(noisy.dtype),
            encoder_hidden_states=captions.parts["words"],
            pooled_projections=captions.parts["pooled"],
            return_dict=False,
        )[0]

    return PipelineDenoiser(pipeline, pipeline.transformer, read, tell)


def _playground(pipeline: Any) -> Denoiser:
    from scorers.models.playground_generator import predict

    def read(pipeline: Any, texts: list[str], device: str) -> dict[str, torch.Tensor]:  # noqa: ARG001  (as every reader's)
        words, mask = pipeline.encode_prompt(texts)
        return {"words": words, "mask": mask}

    def tell(net: Any, noisy: torch.Tensor, steps: torch.Tensor, captions: EncodedCaptions) -> Any:
        return predict(net, noisy, steps, captions.parts["words"], captions.parts["mask"])

    return _PlaygroundDenoiser(pipeline, pipeline.transformer, read, tell)


class _PlaygroundDenoiser(PipelineDenoiser):
    """Its autoencoder normalises by itself."""

    def __init__(self, pipeline: Any, net: Any, read: CaptionEncoder, tell: NoisePredictor) -> None:
        from scorers.models.playground_generator import LENGTH

        super().__init__(pipeline, net, read, tell, LENGTH)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def encode(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """See ``Denoiser``."""
        from data.playground.render import SIZE

        return self._pipeline.autoencoder.encode(squared(images, SIZE).to(self.device))


_DENOISERS: Final[dict[str, Callable[[Any], Denoiser]]] = {
    "PlaygroundPipeline": _playground,
    "StableDiffusionPipeline": _by_words(num_images_per_prompt=1),
    "StableDiffusionXLPipeline": _sdxl,
    "PixArtAlphaPipeline": _pixart(120),
    "PixArtSigmaPipeline": _pixart(300),
    # it cuts at 77, whatever its tokenizer says
    "IFPipeline": _by_words(77, clean_caption=False),
    "StableDiffusion3Pipeline": _stable_diffusion_3,
}
"""By the class of the pipeline: some of ``PIPELINE_FAMILIES``."""
