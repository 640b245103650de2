"""Models of the package transformers, from a folder or from the hub's cache, and how models compute.

Nothing is fetched, and nothing is guessed: a model whose weights do not all fit is refused. Computing: how many images at once,
packed weights on the CPU, half precision on a GPU, and the middle of very long images.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import torch
from PIL import Image
from safetensors import SafetensorError
from transformers import AutoConfig, AutoProcessor, AutoTokenizer
from transformers.utils import logging

from scorers.models import hub
from scorers.models.files import folder, refuse_pickle, single_line, trusted


def batch_size(device: str, most: int) -> int:
    """On the CPU one, which is as fast: there the last digits of what is seen of a picture depend on how many go with it, and a
    run is to come to the same whatever the size of its parts. On a GPU as many as are said to be good for it."""
    return 1 if torch.device(device).type == "cpu" else most


def to_device(batch: torch.Tensor, device: str) -> torch.Tensor:
    """A batch where the model is; towards a GPU from pinned memory, so that nobody waits for the copy."""
    if torch.device(device).type != "cuda":
        return batch.to(device)
    return batch.pin_memory().to(device, non_blocking=True)


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """What a GPU was given so far, for ``beside``."""

    device: torch.device
    event: Any


def moment(device: str) -> Moment | None:
    """Now; None of a device that does everything at once."""
    known = torch.device(device)
    if known.type != "cuda":
        return None
    return Moment(known, torch.cuda.current_stream(known).record_event())


@contextmanager
def beside(reached: Moment | None) -> Iterator[None]:
    """What this thread computes meanwhile waits for that moment, and for nothing that the GPU was given since."""
    if reached is None:
        yield
        return
    streams = _own.__dict__
    if reached.device not in streams:
        streams[reached.device] = torch.cuda.Stream(reached.device, priority=-1)
    streams[reached.device].wait_event(reached.event)
    with torch.cuda.stream(streams[reached.device]):
        yield


_own: Final = threading.local()
"""Each thread's streams, by device."""


def pack_weights(model: torch.nn.Module) -> int:
    """Have a model in single precision on the CPU use packed weights from now on; how many of its layers do.

    Every plain linear layer of ``model`` must be called, not have its weight read from outside. Layers of a kind of their own
    (such as those within ``MultiheadAttention``) stay as they are, and so does every layer where this torch has no oneDNN.
    """
    known = torch.ops.mkldnn
    if not (torch.backends.mkldnn.is_available() and hasattr(known, "_reorder_linear_weight")):
        return 0
    layers = [
        module
        for module in model.modules()
        if type(module) is torch.nn.Linear
        and (module.weight.device.type == "cpu" and module.weight.dtype == torch.float32 and not module.weight.is_mkldnn)
    ]
    for layer in layers:
        # in the place of the weight, which would otherwise be in memory twice
        packed = known._reorder_linear_weight(layer.weight.detach())
        layer.weight = torch.nn.Parameter(packed, requires_grad=False)

        def forward(x: torch.Tensor, layer: Any = layer) -> torch.Tensor:
            return cast(torch.Tensor, torch.ops.mkldnn._linear_pointwise(x, layer.weight, layer.bias, "none", [], ""))

        layer.forward = forward
    return len(layers)


def compute_in_half(backbone: torch.nn.Module, device: str) -> None:
    """Have a module compute in bfloat16 where torch thinks it safe; what it gives is in full precision again, and its weights
    stay as they are."""
    kind, forward = torch.device(device).type, backbone.forward

    def halved(*arguments: Any, **named: Any) -> Any:
        with torch.autocast(kind, torch.bfloat16):
            output = forward(*arguments, **named)
        return _to_full_precision(output)

    backbone.forward = halved


def _to_full_precision(output: Any) -> Any:
    """The same, whatever holds it, with all its floating numbers in full precision."""
    if isinstance(output, torch.Tensor):
        return output.float() if output.is_floating_point() else output
    if isinstance(output, Mapping):  # transformers' outputs are made of their parts by name
        return type(output)(**{key: _to_full_precision(value) for key, value in output.items()})
    if isinstance(output, (list, tuple)):
        return type(output)(_to_full_precision(part) for part in output)
    return output


_MAX_ASPECT_RATIO: Final = 16
"""Sides of a picture: of a longer strip only the middle is looked at, as it would be cut out anyhow, but only after the whole
strip were enlarged (a crop of 1 x 2,000 pixels to 224 x 448,000)."""


def crop_long_image(image: Image.Image) -> Image.Image:
    """The middle of a strip; other pictures as they are."""
    width, height = image.size
    longest = _MAX_ASPECT_RATIO * min(width, height)
    if max(width, height) <= longest:
        return image
    x0, y0 = max(0, width - longest) // 2, max(0, height - longest) // 2
    return image.crop((x0, y0, x0 + min(width, longest), y0 + min(height, longest)))


_COMPUTED: Final = re.compile(
    r"num_batches_tracked$|position_ids$|relative_position_index$|relative_coords_table$|attn_mask$|empty_weight$"
    r"|encoder\.swin\.layernorm\.(weight|bias)$"
)
"""What only some checkpoints hold and no answer depends on: counters, tables of places, the weights of a training loss, and the
last norm of a Swin of which every stage is looked at (transformers 5 has a place for it, the published files have none)."""

_NAMED: Final = 3


def config_of(name: str) -> Any:
    """A model's configuration.

    Raises:
        OSError: it is not on this machine.
        ValueError: it cannot be read.
    """
    return _from(AutoConfig, name, trust_remote_code=False)


def tokenizer_of(name: str) -> Any:
    """A model's tokenizer; raises as ``config_of``."""
    return _from(AutoTokenizer, name, trust_remote_code=False)


def processor_of(name: str) -> Any:
    """What makes images and texts into what a model reads; raises as ``config_of``."""
    return _from(AutoProcessor, name, trust_remote_code=False)


def load(kind: Any, name: str, device: str, dtype: torch.dtype = torch.float32) -> Any:
    """A model of this class, ready to look.

    Args:
        kind: a class of transformers with ``from_pretrained``.
        name: a folder, or a hub id.
        device: as torch names it.
        dtype: of its weights, whatever the file has.

    Raises:
        OSError: its files are not on this machine.
        ValueError: they hold not exactly the weights that the architecture has.
    """
    # the dtype is said: since transformers 5 it would be whatever the file has
    options = {"dtype": dtype, "output_loading_info": True, "ignore_mismatched_sizes": True}
    # else a folder without safetensors would be read from its pickle
    model, loading = _from(kind, name, **options, use_safetensors=None if trusted() else True)
    check_whole(kind, name, loading)
    return model.to(device).eval()


def check_whole(kind: Any, name: str, loading: Mapping[str, Any], *, unexpected: bool = True) -> None:
    """Refuse a model that was not wholly loaded.

    Args:
        kind: its class.
        name: what to call it.
        loading: what ``from_pretrained`` with ``output_loading_info`` says.
        unexpected: whether weights that the architecture has no place for are refused, too.

    Raises:
        ValueError: it was not.
    """
    missing = sorted(key for key in loading["missing_keys"] if not _COMPUTED.search(key))
    further = sorted(key for key in loading["unexpected_keys"] if not _COMPUTED.search(key))
    shaped = sorted(str(key[0]) for key in loading["mismatched_keys"])
    wrong = [
        f"{len(keys)} {problem} ({', '.join(keys[:_NAMED])}{' ...' if len(keys) > _NAMED else ''})"
        for keys, problem in ((missing, "missing"), (further if unexpected else [], "unexpected"), (shaped, "of another shape"))
        if keys
    ]
    if wrong:
        raise ValueError(f"the weights of {name} are not those of a {kind.__name__}: {'; '.join(wrong)}")
    if loading["error_msgs"]:
        raise ValueError(f"the weights of {name} cannot be read: {single_line(loading['error_msgs'][0])}")


def by_shape(shapes: Iterable[Sequence[int]], most: int) -> Iterable[list[int]]:
    """Places of what has the same shape, at most so many together: stacked, not padded, so that what is seen of one picture
    does not depend on the others."""
    places: dict[tuple[int, ...], list[int]] = {}
    for k, shape in enumerate(shapes):
        places.setdefault(tuple(shape), []).append(k)
    for same in places.values():
        for start in range(0, len(same), most):
            yield same[start : start + most]


def _from(kind: Any, name: str, **options: Any) -> Any:
    refuse_pickle(name)
    path = folder(name) or hub.snapshot(name)
    logging.set_verbosity_error()  # what is wrong with the weights is said in one line
    logging.disable_progress_bar()
    try:
        return kind.from_pretrained(name if path is None else str(path), local_files_only=True, **options)
    except (OSError, SafetensorError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        if folder(name) is None and isinstance(error, OSError):
            raise OSError(hub.missing(name)) from error
        raise ValueError(f"{name} cannot be opened by transformers: {single_line(error)}") from error
