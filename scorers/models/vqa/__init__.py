"""Models that answer questions about images. Nothing heavy is imported before one is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from scorers.models.vqa.base import Vqa

Settings = Mapping[str, Any]


def _blip(name: str, device: str, settings: Settings) -> Vqa:
    from scorers.models.vqa.blip import Blip

    return Blip(name, device, settings)


_FAMILIES: Final[dict[str, Callable[[str, str, Settings], Vqa]]] = {
    "blip": _blip,
}
"""By what a model's configuration calls itself (``model_type``)."""


def open_vqa(name: str, device: str, settings: Settings) -> Vqa:
    """Load a model.

    Args:
        name: a folder as ``save_pretrained`` writes it, with its processor's files, or a hub id.
        device: as torch names it.
        settings: ``answering`` (see ``scorers.models.vqa.asking``), ``sentences`` (the model that free answers are matched
            with), and what the class of the model says; others are not looked at.

    Raises:
        ValueError: there is no such model, its kind is not known, its weights do not fit, or a setting makes no sense.
        OSError: it is not on this machine.
    """
    from scorers.models.files import folder
    from scorers.models.transformer import config_of

    if folder(name) is None and "/" not in name:
        raise ValueError(f"there is no model {name} that answers questions: a folder, or a hub id (owner/name)")
    kind = config_of(name).model_type
    if kind not in _FAMILIES:
        raise ValueError(f"{name} is a model of the kind {kind}; known: {', '.join(sorted(_FAMILIES))}")
    return _FAMILIES[kind](name, device, settings)
