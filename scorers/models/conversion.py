"""Weights that were published as pickles alone, made into safetensors once.

``torch.load(weights_only=True)`` makes tensors and plain values of a pickle and nothing else, so no code of its author runs.
Layouts that no library here opens are brought to one that does: OpenMMLab's Mask2Former (GenEval's detector), CLIP-FlanT5
(VQAScore's model), and bare checkpoints of open_clip (HPSv2).
"""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from data.prompts.coco import COCO
from scorers.models import clip, files, hub
from scorers.models.vqa import clip_t5

Tensors = dict[str, torch.Tensor]

_SMALL: Final = frozenset({".json", ".txt", ".model", ".jinja"})
"""Configurations and vocabularies: what goes along as it is."""
_PICKLES: Final = (".bin", ".pt", ".pth", ".ckpt")
_NO_WEIGHTS: Final = re.compile(r"^(training_args|optimizer|scheduler|random_states\w*|rng_state\w*)\.")
"""What trainers leave beside a model."""
_DIFFUSERS: Final = "diffusion_pytorch_model"
_USUAL: Final = re.compile(r"(diffusion_)?pytorch_model(-\d+-of-\d+)?\.bin")
"""What loaders read of a folder; further files beside them (``.fp16``) are the same weights in another form."""
_WRAPPERS: Final = ("state_dict", "model", "module")
"""Under which of a checkpoint's keys its weights may be."""
_OPEN_CLIP: Final = "open_clip_model.safetensors"
_NUMBERS: Final[list[Any]] = [
    np.dtype,
    type(np.dtype(np.float64)),
    type(np.dtype(np.float32)),
    type(np.dtype(np.int64)),
    (np.float64(0).__reduce__()[0], "numpy.core.multiarray.scalar"),
    (np.float64(0).__reduce__()[0], "numpy._core.multiarray.scalar"),
]
"""Single numbers of numpy, which trainers note beside the weights."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Weights as a library here opens them.

    Attributes:
        tensors: by the names that it knows.
        setting: of a scorer, that takes the folder: ``detector``, ``vqa`` or ``clip``.
        what: the model, in words.
        configs: JSON files that are written beside the weights, by name.
        weights: name of the weights' file.
    """

    tensors: Tensors
    setting: str
    what: str
    configs: Mapping[str, Any] = field(default_factory=dict)
    weights: str = "model.safetensors"


@dataclass(frozen=True, slots=True)
class Conversion:
    """What was done: pickles that were read, the folder that was written, its parameters, and the setting that takes it."""

    read: tuple[str, ...]
    folder: Path
    what: str
    parameters: int
    setting: str
    hub_name: str = ""

    @property
    def name(self) -> str:
        """The folder, as ``--set`` takes it."""
        return self.folder.relative_to(files.ROOT).as_posix() if self.folder.is_relative_to(files.ROOT) else str(self.folder)


def convert(name: str) -> Conversion:
    """Make safetensors of a model's pickles, in a folder of its own under ``models/``.

    Args:
        name: of a model in the hub's cache (``owner/name``, ``owner/name@revision``), or of a file.

    Raises:
        ValueError: there are no such pickles, one holds more than tensors, or the folder is there already. One clear line.
        OSError: it cannot be read, or the folder cannot be written.
    """
    source, pickles = _source(name)
    at = hub.snapshot(name) if source.is_dir() else None
    target = hub.CHECKPOINTS / source.stem if at is None else hub.converted_folder(name.partition("@")[0], at.name)
    if target.exists():
        raise ValueError(f"{target} is there already; remove it to convert {name} again")
    target.parent.mkdir(exist_ok=True)
    partial = target.with_name(f".{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    try:
        layouts = _write(source, pickles, partial)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    n_parameters = sum(tensor.numel() for layout in layouts for tensor in layout.tensors.values())
    return Conversion(
        tuple(path.name for path in pickles),
        target,
        layouts[0].what,
        n_parameters,
        layouts[0].setting,
        "" if at is None else name,
    )


def _source(name: str) -> tuple[Path, list[Path]]:
    """The file or snapshot, and its pickles with weights."""
    file = Path(name).expanduser()
    if file.is_file():
        return file, [file]
    snapshot = hub.snapshot(name)
    if snapshot is None:
        remedy = f": {hub.remedy(name)}" if hub.repository(name) else ""
        raise ValueError(f"{name} is neither a file nor a model in the hub's cache{remedy}")
    pickles = _pickles(snapshot)
    if any(path.suffix == ".safetensors" for path in snapshot.rglob("*")):
        raise ValueError(f"{name} has its weights as safetensors; there is nothing to convert")
    if not pickles:
        raise ValueError(f"{name} has no weights in the hub's cache ({', '.join(_PICKLES)})")
    bare = [] if any(path.suffix == ".bin" for path in pickles) else pickles
    if len(bare) > 1:
        raise ValueError(f"{name} has several checkpoints; name the one to convert: {', '.join(map(str, bare))}")
    return (bare[0], bare) if bare else (snapshot, [path for path in pickles if path.suffix == ".bin"])


def _pickles(snapshot: Path) -> list[Path]:
    """Those with weights: of a folder what loaders read (``pytorch_model.bin``, sharded too), else all that are there."""
    by_folder: dict[Path, list[Path]] = {}
    for path in sorted(snapshot.rglob("*")):
        if path.suffix in _PICKLES and not _NO_WEIGHTS.match(path.name):
            by_folder.setdefault(path.parent, []).append(path)
    return [file for paths in by_folder.values() for file in [file for file in paths if _USUAL.fullmatch(file.name)] or paths]


def _write(source: Path, pickles: list[Path], target: Path) -> list[Layout]:
    """A folder with safetensors and what goes along; the layouts of the models in it."""
    top = source if source.is_dir() else source.parent
    parts: dict[Path, Tensors] = {}
    for path in pickles:
        parts.setdefault(path.parent.relative_to(top), {}).update(read_pickle(path))
    config = _json(source / "config.json") if source.is_dir() else {}
    layouts = {folder: _layout(tensors, config if folder == Path() else {}) for folder, tensors in parts.items()}
    for folder, layout in layouts.items():
        part = target / folder
        part.mkdir(parents=True, exist_ok=True)
        diffusers = any(path.parent == top / folder and path.name.startswith(_DIFFUSERS) for path in pickles)
        weights = f"{_DIFFUSERS}.safetensors" if diffusers else layout.weights
        save_file(_storable(layout.tensors), part / weights, {"format": "pt"})
    for path in source.rglob("*") if source.is_dir() else ():
        if path.suffix in _SMALL and not path.name.endswith(".index.json"):
            (target / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / path.relative_to(source))
    for folder, layout in layouts.items():
        for file, content in layout.configs.items():
            (target / folder / file).write_text(json.dumps(content, indent=1), encoding="utf-8")
    return list(layouts.values())


def read_pickle(path: Path) -> Tensors:
    """The tensors of a checkpoint by name.

    Raises:
        ValueError: it holds more than tensors, in one line that says what.
    """
    try:
        # only files of torch's newer form can be mapped into memory
        with torch.serialization.safe_globals(_NUMBERS):
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except Exception as error:  # whatever a file that is none makes it stumble over
        more = re.search(r"GLOBAL ([\w.]+)", str(error))
        if more is None:
            raise ValueError(f"{path.name} is no checkpoint of torch") from error
        raise ValueError(
            f"{path.name} holds more than tensors ({more[1]}): reading it could run its author's code, so it is not converted"
        ) from error
    inner = next(
        (content[key] for key in _WRAPPERS if isinstance(content, dict) and isinstance(content.get(key), dict)), content
    )
    if not isinstance(inner, dict) or not inner:
        raise ValueError(f"{path.name} holds no weights by name")
    other = [str(key) for key, value in inner.items() if not isinstance(value, torch.Tensor)]
    if other:
        raise ValueError(f"{path.name} holds more than tensors ({', '.join(other[:3])}): it is not converted")
    return dict(inner)


def _storable(tensors: Tensors) -> Tensors:
    """As safetensors takes them: each with memory of its own. What was shared is stored once for each name."""
    known: set[int] = set()
    converted: Tensors = {}
    for key, tensor in tensors.items():
        storage = tensor.untyped_storage()
        alone = storage.data_ptr() not in known and storage.nbytes() == tensor.numel() * tensor.element_size()
        known.add(storage.data_ptr())
        converted[key] = tensor if alone and tensor.is_contiguous() else tensor.clone(memory_format=torch.contiguous_format)
    return converted


def _layout(tensors: Tensors, config: Mapping[str, Any]) -> Layout:
    """Brought to one that a library here opens, where it is another; else as it is."""
    if is_openmmlab_mask2former(tensors):
        converted, own = import_openmmlab_mask2former(tensors)
        return Layout(converted, "detector", "OpenMMLab's Mask2Former, as transformers' Mask2Former", {"config.json": own})
    if clip_t5.is_clip_t5(tensors):
        converted, own = clip_t5.import_clip_t5(tensors, config, _weights_of)
        return Layout(converted, "vqa", "CLIP-FlanT5, its image encoder included", {"config.json": own})
    if clip.is_hpsv2(tensors):
        own = clip.hpsv2_config()
        return Layout(tensors, "clip", "HPSv2, a ViT-H-14 of open_clip", {"open_clip_config.json": own}, _OPEN_CLIP)
    return Layout(tensors, _setting(config), f"{config.get('model_type', 'weights')}, names and numbers as they were")


def _weights_of(name: str) -> Tensors:
    """A model's weights from the hub's cache, in whatever form; raises ValueError where they are not there."""
    snapshot = hub.snapshot(name)
    safe = sorted(snapshot.glob("*.safetensors")) if snapshot is not None else []
    if snapshot is None:
        raise ValueError(f"its weights are those of {name}, too, which is not on this machine: {hub.remedy(name)}")
    if safe:
        return {key: tensor for path in safe for key, tensor in load_file(path).items()}
    return {key: tensor for path in _pickles(snapshot) for key, tensor in read_pickle(path).items()}


def _setting(config: Mapping[str, Any]) -> str:
    """What a model of this type is for."""
    from scorers.models import detectors, vqa

    kind = config.get("model_type")
    return "detector" if kind in detectors.FAMILIES else "vqa" if kind in vqa.FAMILIES else "clip" if kind == "clip" else ""


def _json(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return content


# OpenMMLab's Mask2Former (mmdet 2.x, Swin backbone) as transformers' Mask2FormerForUniversalSegmentation: the same sums under
# other names. What else differs in mmdet's backbones/swin.py, plugins/msdeformattn_pixel_decoder.py and
# dense_heads/mask2former_head.py: it merges patches by nn.Unfold, channel by channel, transformers corner by corner; it packs
# query, key and value of Swin and of the decoder's self-attention into one matrix; and OpenCV resizes its pictures, which does
# not smooth what it makes smaller.

_OPENMMLAB_MARKS: Final = ("panoptic_head.pixel_decoder.level_encoding.weight", "backbone.patch_embed.projection.weight")
_LEVELS, _POINTS = 3, 4
_QKV: Final = ("query", "key", "value")
_SELF_ATTENTION: Final = ("q_proj", "k_proj", "v_proj")

_PIXELS: Final = "model.pixel_level_module"
_DECODER: Final = "model.transformer_module.decoder"
_OPENMMLAB_NAMES: Final = (
    # Swin
    (r"backbone\.patch_embed\.projection", rf"{_PIXELS}.encoder.embeddings.patch_embeddings.projection"),
    (r"backbone\.patch_embed\.norm", rf"{_PIXELS}.encoder.embeddings.norm"),
    (r"backbone\.norm(\d)", lambda match: f"{_PIXELS}.encoder.hidden_states_norms.stage{int(match[1]) + 1}"),
    (r"backbone\.stages\.(\d+)\.downsample", rf"{_PIXELS}.encoder.encoder.layers.\1.downsample"),
    (r"backbone\.stages\.(\d+)\.blocks\.(\d+)", rf"{_PIXELS}.encoder.encoder.layers.\1.blocks.\2"),
    (r"\.attn\.w_msa\.proj\.", ".attention.output.dense."),
    (r"\.attn\.w_msa\.", ".attention.self."),
    (r"(blocks\.\d+)\.norm1\.", r"\1.layernorm_before."),
    (r"(blocks\.\d+)\.norm2\.", r"\1.layernorm_after."),
    (r"(blocks\.\d+)\.ffn\.layers\.0\.0\.", r"\1.intermediate.dense."),
    (r"(blocks\.\d+)\.ffn\.layers\.1\.", r"\1.output.dense."),
    # the pixel decoder: both list their levels from the coarsest on
    (r"panoptic_head\.pixel_decoder\.level_encoding\.weight", rf"{_PIXELS}.decoder.level_embed"),
    (r"panoptic_head\.pixel_decoder\.mask_feature", rf"{_PIXELS}.decoder.mask_projection"),
    (r"panoptic_head\.pixel_decoder\.input_convs\.(\d+)\.conv", rf"{_PIXELS}.decoder.input_projections.\1.0"),
    (r"panoptic_head\.pixel_decoder\.input_convs\.(\d+)\.gn", rf"{_PIXELS}.decoder.input_projections.\1.1"),
    (r"panoptic_head\.pixel_decoder\.lateral_convs\.0\.conv", rf"{_PIXELS}.decoder.adapter_1.0"),
    (r"panoptic_head\.pixel_decoder\.lateral_convs\.0\.gn", rf"{_PIXELS}.decoder.adapter_1.1"),
    (r"panoptic_head\.pixel_decoder\.output_convs\.0\.conv", rf"{_PIXELS}.decoder.layer_1.0"),
    (r"panoptic_head\.pixel_decoder\.output_convs\.0\.gn", rf"{_PIXELS}.decoder.layer_1.1"),
    (r"panoptic_head\.pixel_decoder\.encoder\.layers\.(\d+)", rf"{_PIXELS}.decoder.encoder.layers.\1"),
    (r"(decoder\.encoder\.layers\.\d+)\.attentions\.0\.", r"\1.self_attn."),
    (r"(decoder\.encoder\.layers\.\d+)\.norms\.0\.", r"\1.self_attn_layer_norm."),
    (r"(decoder\.encoder\.layers\.\d+)\.norms\.1\.", r"\1.final_layer_norm."),
    # the decoder of queries: it looks at the picture first, then at the other queries
    (r"panoptic_head\.transformer_decoder\.post_norm", f"{_DECODER}.layernorm"),
    (r"panoptic_head\.transformer_decoder\.layers\.(\d+)", rf"{_DECODER}.layers.\1"),
    (r"(_module\.decoder\.layers\.\d+)\.attentions\.0\.attn\.", r"\1.cross_attn."),
    (r"(_module\.decoder\.layers\.\d+)\.attentions\.1\.attn\.", r"\1.self_attn."),
    (r"(_module\.decoder\.layers\.\d+)\.norms\.0\.", r"\1.cross_attn_layer_norm."),
    (r"(_module\.decoder\.layers\.\d+)\.norms\.1\.", r"\1.self_attn_layer_norm."),
    (r"(_module\.decoder\.layers\.\d+)\.norms\.2\.", r"\1.final_layer_norm."),
    (r"\.ffns\.0\.layers\.0\.0\.", ".fc1."),
    (r"\.ffns\.0\.layers\.1\.", ".fc2."),
    (r"panoptic_head\.query_embed", "model.transformer_module.queries_embedder"),
    (r"panoptic_head\.query_feat", "model.transformer_module.queries_features"),
    (r"panoptic_head\.level_embed", "model.transformer_module.level_embed"),
    (r"panoptic_head\.cls_embed", "class_predictor"),
    (r"panoptic_head\.mask_embed\.(\d)", lambda match: f"{_DECODER}.mask_predictor.mask_embedder.{int(match[1]) // 2}.0"),
)
"""One after the other; the names on the right are those of the files that Mask2Former's authors put on the hub."""
_OPENMMLAB_COMPUTED: Final = re.compile(r"relative_position_index$|^panoptic_head\.loss_cls\.")


def is_openmmlab_mask2former(tensors: Mapping[str, torch.Tensor]) -> bool:
    """Whether these are the weights of mmdet's Mask2Former with a Swin backbone."""
    return all(mark in tensors for mark in _OPENMMLAB_MARKS)


def import_openmmlab_mask2former(tensors: Mapping[str, torch.Tensor]) -> tuple[Tensors, dict[str, Any]]:
    """Weights and configuration of the same model in transformers; ``antialias`` of the configuration is Concord's own.

    Raises:
        ValueError: it has other classes than COCO's 80.
    """
    n_classes = len(tensors["panoptic_head.cls_embed.weight"]) - 1
    if n_classes != len(COCO):
        raise ValueError(f"it knows {n_classes} classes; Concord reads the one of COCO's {len(COCO)} instances")
    converted: Tensors = {}
    for key, tensor in tensors.items():
        if not _OPENMMLAB_COMPUTED.search(key):
            converted |= _unpacked(_renamed(key), tensor)
    return converted, _mask2former_config(tensors)


def _renamed(key: str) -> str:
    for pattern, name in _OPENMMLAB_NAMES:
        key = re.sub(pattern, name, key)
    return key


def _unpacked(key: str, tensor: torch.Tensor) -> Tensors:
    """The same weights in transformers' parts and order."""
    if ".attention.self.qkv." in key:
        return {key.replace("qkv", part): some for part, some in zip(_QKV, tensor.chunk(3), strict=True)}
    if ".self_attn.in_proj_" in key:
        kind = key.rpartition("_")[2]
        return {key.replace(f"in_proj_{kind}", f"{p}.{kind}"): t for p, t in zip(_SELF_ATTENTION, tensor.chunk(3), strict=True)}
    if ".downsample." in key:
        # the last axis is channel x row x column; it is to be column x row x channel
        corners = tensor.reshape(*tensor.shape[:-1], -1, 2, 2)
        return {key: corners.transpose(-1, -3).reshape(tensor.shape)}
    return {key: tensor}


def _mask2former_config(tensors: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """What ``config.json`` says, told from the shapes."""
    first = tensors["backbone.patch_embed.projection.weight"]
    stages = range(1 + max(int(key.split(".")[2]) for key in tensors if key.startswith("backbone.stages.")))
    table = "backbone.stages.{}.blocks.0.attn.w_msa.relative_position_bias_table"
    size, mask_size = (
        len(tensors[f"panoptic_head.{name}.weight"]) for name in ("pixel_decoder.input_convs.0.conv", "mask_embed.4")
    )
    inner = "panoptic_head.{}.layers.0.ffns.0.layers.0.0.weight"
    return {
        "model_type": "mask2former",
        "architectures": ["Mask2FormerForUniversalSegmentation"],
        "antialias": False,
        "backbone_config": {
            "model_type": "swin",
            "embed_dim": len(first),
            "patch_size": first.shape[-1],
            "depths": [_count(tensors, f"backbone.stages.{stage}.blocks.") for stage in stages],
            "num_heads": [tensors[table.format(stage)].shape[1] for stage in stages],
            "window_size": (int(len(tensors[table.format(0)]) ** 0.5) + 1) // 2,
            "mlp_ratio": len(tensors["backbone.stages.0.blocks.0.ffn.layers.0.0.weight"]) / len(first),
            "out_features": [f"stage{stage + 1}" for stage in stages],
        },
        "feature_size": size,
        "hidden_dim": size,
        "mask_feature_size": mask_size,
        "num_queries": len(tensors["panoptic_head.query_feat.weight"]),
        "num_attention_heads": len(tensors["panoptic_head.pixel_decoder.encoder.layers.0.attentions.0.attention_weights.bias"])
        // (_LEVELS * _POINTS),
        "encoder_layers": _count(tensors, "panoptic_head.pixel_decoder.encoder.layers."),
        # one more than there are: transformers counts the prediction before the first layer
        "decoder_layers": _count(tensors, "panoptic_head.transformer_decoder.layers.") + 1,
        "encoder_feedforward_dim": len(tensors[inner.format("pixel_decoder.encoder")]),
        "dim_feedforward": len(tensors[inner.format("transformer_decoder")]),
        "id2label": dict(enumerate(COCO)),
    }


def _count(tensors: Mapping[str, torch.Tensor], prefix: str) -> int:
    return 1 + max(int(key[len(prefix) :].partition(".")[0]) for key in tensors if key.startswith(prefix))
