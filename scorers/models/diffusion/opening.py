"""Pipelines of diffusers, from a folder as ``save_pretrained`` writes it or from the hub's cache.

Nothing is fetched, no code of a checkpoint is run, and nothing is guessed: a part whose weights are not all there is refused,
where ``DiffusionPipeline.from_pretrained`` leaves it random. (With transformers 5 that cannot open IF's safety checker at all.)
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import diffusers
import torch
import transformers
from diffusers.pipelines.deepfloyd_if.safety_checker import IFSafetyChecker
from diffusers.pipelines.deepfloyd_if.watermark import IFWatermarker
from diffusers.pipelines.stable_diffusion.safety_checker import StableDiffusionSafetyChecker
from huggingface_hub import try_to_load_from_cache
from safetensors import SafetensorError

from scorers.models import transformer
from scorers.models.diffusion.known import FAMILIES, PLAYGROUND, PRECISIONS, hub_id
from scorers.models.files import ROOT, fingerprint, folder

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
_RENAMED: Final = {"CLIPFeatureExtractor": "CLIPImageProcessor"}
_LIBRARIES: Final[Mapping[str, Any]] = {"diffusers": diffusers, "transformers": transformers}


def open_pipeline(name: str, device: str = "cpu", precision: str = "float32", playground: Path = PLAYGROUND_FOLDER) -> Any:
    """A diffusers pipeline in memory, silent, its modules in evaluation mode.

    Args:
        name: a short name (``scorers.models.diffusion.known``), a hub id, or a folder with ``model_index.json``.
        device: as torch names it.
        precision: of the weights, one of ``PRECISIONS``. A VAE is always in float32, as SDXL's overflows in float16; its
            ``decode`` takes latents of any precision.
        playground: where the playground's models are.

    Raises:
        OSError: it is not on this machine.
        ValueError: there is no such model, its class is none of ``FAMILIES``, or its weights are not whole.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    if name in PLAYGROUND:
        if precision != "float32":
            raise ValueError(f"{name} is so small that it is used in float32 only")
        from scorers.models.generator import PlaygroundPipeline

        pipeline = PlaygroundPipeline.open(playground, PLAYGROUND[name])
    else:
        pipeline = _opened(name, _place(name), getattr(torch, precision))
    pipeline.set_progress_bar_config(disable=True)
    try:
        return pipeline.to(device)
    except (RuntimeError, AssertionError) as error:  # as torch says that there is no such device, or that it is full
        raise ValueError(f"{name} cannot be put on {device}: {_line(error)}") from error


def pipeline_class(name: str) -> str:
    """The class of the pipeline that a name means, a key of ``FAMILIES``. Raises as ``open_pipeline``."""
    return "PlaygroundPipeline" if name in PLAYGROUND else _class_of(name, _index(name, _place(name)))


def weights_of(name: str, playground: Path = PLAYGROUND_FOLDER) -> str:
    """Which weights a name means: the hub's revision, or 12 hex digits over all of a folder's. Raises as ``open_pipeline``."""
    if name in PLAYGROUND:
        return str(fingerprint(str(playground / PLAYGROUND[name])))
    place = _place(name)
    return place.name if folder(name) is None else str(fingerprint(str(place)))


def _place(name: str) -> Path:
    """Where the model's files are."""
    path = folder(name)
    if path is not None:
        if not (path / _INDEX).is_file():
            raise ValueError(f"the folder {name} holds no {_INDEX}, so it is no pipeline of diffusers")
        return path
    hub = hub_id(name)
    index = try_to_load_from_cache(hub, _INDEX)
    if not isinstance(index, str):
        raise _absent(name)
    return Path(index).parent


def _absent(name: str) -> OSError:
    hub = hub_id(name)
    said = hub if hub == name else f"{name} ({hub})"
    return OSError(f"the model {said} is not on this machine; fetch it once: uv run hf download {hub}")


def _index(name: str, place: Path) -> dict[str, Any]:
    try:
        index = json.loads((place / _INDEX).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{name}: its {_INDEX} cannot be read: {_line(error)}") from error
    if not isinstance(index, dict):
        raise ValueError(f"{name}: its {_INDEX} is no table of parts")
    return index


def _class_of(name: str, index: Mapping[str, Any]) -> str:
    kind = index.get("_class_name")
    if not isinstance(kind, str) or kind not in FAMILIES:
        known = ", ".join(one for one in FAMILIES if one != "PlaygroundPipeline")
        raise ValueError(f"{name} is a {_line(kind)}, none of the pipelines known here: {known}")
    return kind


def _opened(name: str, place: Path, dtype: torch.dtype) -> Any:
    index = _index(name, place)
    kind = getattr(diffusers, _class_of(name, index))
    taken = inspect.signature(kind.__init__).parameters
    # a part is [library, class]; other settings are the pipeline's own
    parts = {
        key: _part(name, place, key, said, dtype) for key, said in index.items() if isinstance(said, list) and key in taken
    }
    plain = {key: said for key, said in index.items() if key in taken and key not in parts}
    try:
        return kind(**{**parts, **plain, **FAMILIES[kind.__name__].built})
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"{name} cannot be put together as a {kind.__name__}: {_line(error)}") from error


def _part(name: str, place: Path, key: str, said: list[Any], dtype: torch.dtype) -> Any:
    """One part of a pipeline: a module, a tokenizer, a scheduler; None where it has none."""
    if said == [None, None]:
        return None
    kind = _kind(name, key, said)
    where = place / key
    if not where.is_dir():
        if folder(name) is None:
            raise _absent(name)
        raise ValueError(f"the folder {name} has no {key}")
    if issubclass(kind, transformers.PreTrainedModel):
        return _complete(name, lambda: transformer.load(kind, str(where), "cpu", dtype))
    if issubclass(kind, diffusers.ModelMixin):
        return _complete(name, lambda: _module(kind, where, f"{key} of {name}", dtype))
    try:
        return kind.from_pretrained(str(where), local_files_only=True)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise ValueError(f"the {key} of {name} cannot be opened: {_line(error)}") from error


def _kind(name: str, key: str, said: list[Any]) -> type[Any]:
    """The class of a part, of the libraries' own only."""
    if len(said) == 2 and all(isinstance(one, str) for one in said):
        library, kind = said
        found = _OWN.get(kind) or getattr(_LIBRARIES.get(library), _RENAMED.get(kind, kind), None)
        if isinstance(found, type) and hasattr(found, "from_pretrained"):
            return found
    raise ValueError(f"the {key} of {name} is of a kind that is not known here: {_line(said)}")


def _module(kind: Any, where: Path, called: str, dtype: torch.dtype) -> Any:
    """A model of diffusers whose weights are all there."""
    vae = issubclass(kind, diffusers.AutoencoderKL)
    precision = torch.float32 if vae else dtype
    diffusers.logging.set_verbosity_error()
    model, told = kind.from_pretrained(
        str(where),
        torch_dtype=precision,
        local_files_only=True,
        use_safetensors=True,
        low_cpu_mem_usage=False,
        output_loading_info=True,
    )
    # what a file has beyond that does no harm: diffusers renames and drops what earlier versions of it wrote
    transformer.check_whole(kind, called, told, unexpected=False)
    if vae:
        _decoding_any(model)
    # where a class keeps to its own precision (SD3's), it would not fit its text encoders
    return model.to(precision).eval()


def _complete(name: str, load: Any) -> Any:
    """What ``load`` gives; what keeps it from that in one line."""
    try:
        return load()
    except OSError as error:
        if folder(name) is None:
            raise _absent(name) from error
        raise ValueError(f"{name} cannot be opened: {_line(error)}") from error
    except (SafetensorError, RuntimeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{name} cannot be opened: {_line(error)}") from error


def _decoding_any(vae: Any) -> None:
    """Have a VAE take latents of another precision than its own, as its encoder's callers see to that themselves."""
    decode = vae.decode

    def decoding(latents: torch.Tensor, *given: Any, **named: Any) -> Any:
        return decode(latents.to(vae.dtype), *given, **named)

    vae.decode = decoding


def _line(error: object) -> str:
    return " ".join(str(error).split())[:200]
