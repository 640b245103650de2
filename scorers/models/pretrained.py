"""Models of the package transformers: from a folder as ``save_pretrained`` writes it, or from the hub's cache. Nothing is
fetched, and nothing is guessed: a model whose weights do not all fit is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import torch
from safetensors import SafetensorError
from transformers import AutoConfig, AutoProcessor, AutoTokenizer
from transformers.utils import logging

from scorers.models.files import folder, refuse_pickle, trusted

_COMPUTED: Final = re.compile(
    r"num_batches_tracked$|position_ids$|relative_position_index$|relative_coords_table$|attn_mask$|empty_weight$"
)
"""What older checkpoints hold but no model learns: counters, tables of places, the weights of a training loss."""

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
    model, told = _from(kind, name, **options, use_safetensors=None if trusted() else True)
    check_whole(kind, name, told)
    return model.to(device).eval()


def check_whole(kind: Any, name: str, told: Mapping[str, Any], *, unexpected: bool = True) -> None:
    """Refuse a model that was not wholly loaded.

    Args:
        kind: its class.
        name: what to call it.
        told: what ``from_pretrained`` with ``output_loading_info`` says.
        unexpected: whether weights that the architecture has no place for are refused, too.

    Raises:
        ValueError: it was not.
    """
    missing = sorted(told["missing_keys"])
    further = sorted(key for key in told["unexpected_keys"] if not _COMPUTED.search(key))
    shaped = sorted(str(one[0]) for one in told["mismatched_keys"])
    wrong = [
        f"{len(keys)} {what} ({', '.join(keys[:_NAMED])}{' ...' if len(keys) > _NAMED else ''})"
        for keys, what in ((missing, "missing"), (further if unexpected else [], "unexpected"), (shaped, "of another shape"))
        if keys
    ]
    if wrong:
        raise ValueError(f"the weights of {name} are not those of a {kind.__name__}: {'; '.join(wrong)}")
    if told["error_msgs"]:
        raise ValueError(f"the weights of {name} cannot be read: {_line(told['error_msgs'][0])}")


def by_shape(pixels: Sequence[torch.Tensor], most: int) -> Iterable[list[int]]:
    """Places of tensors of one shape, at most so many together: stacked, not padded, so that what is seen of one picture does
    not depend on the others."""
    places: dict[tuple[int, ...], list[int]] = {}
    for k, one in enumerate(pixels):
        places.setdefault(tuple(one.shape), []).append(k)
    for same in places.values():
        for start in range(0, len(same), most):
            yield same[start : start + most]


def _from(kind: Any, name: str, **options: Any) -> Any:
    refuse_pickle(name)
    path = folder(name)
    logging.set_verbosity_error()  # what is wrong with the weights is said in one line
    logging.disable_progress_bar()
    try:
        return kind.from_pretrained(name if path is None else str(path), local_files_only=True, **options)
    except (OSError, SafetensorError, RuntimeError, ValueError, KeyError, TypeError, AttributeError) as error:
        if path is None and isinstance(error, OSError):
            raise OSError(f"the model {name} is not on this machine; fetch it once: uv run hf download {name}") from error
        raise ValueError(f"{name} cannot be opened by transformers: {_line(error)}") from error


def _line(error: object) -> str:
    return " ".join(str(error).split())[:200]
