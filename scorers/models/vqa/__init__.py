"""Models that answer questions about images. Nothing heavy is imported before one is opened."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from scorers.models.vqa.base import Vqa

Settings = Mapping[str, Any]


_FAMILIES: Final = {
    "blip": "blip:Blip",
    "blip-2": "blip2:Blip2",
    "git": "git:Git",
    "instructblip": "blip2:InstructBlip",
    "vilt": "vilt:Vilt",
}
"""Module and class, by what a model's configuration calls itself (``model_type``); all others that transformers counts among
those which make text of an image and text are asked as in a chat."""


def open_vqa(name: str, device: str, settings: Settings) -> Vqa:
    """Load a model.

    Args:
        name: a folder as ``save_pretrained`` writes it, with its processor's files, or a hub id.
        device: as torch names it.
        settings: ``answering`` (see ``scorers.models.vqa.model``), ``sentences`` (the model that free answers are matched
            with), and what the class of the model says; others are not looked at.

    Raises:
        ValueError: there is no such model, its kind is not known, its weights do not fit, or a setting makes no sense.
        OSError: it is not on this machine.
    """
    from scorers.models.files import folder
    from scorers.models.pretrained import config_of

    if folder(name) is None and "/" not in name:
        raise ValueError(f"there is no model {name} that answers questions: a folder, or a hub id (owner/name)")
    config = config_of(name)
    where = _FAMILIES.get(config.model_type)
    if where is None:
        from transformers import AutoModelForImageTextToText

        if type(config) not in AutoModelForImageTextToText._model_mapping:
            known = ", ".join(sorted(_FAMILIES))
            raise ValueError(f"{name} is a model of type {config.model_type}; known: {known}, and those that chat about images")
        where = "chat:Chat"
    module, _, kind = where.partition(":")
    opened: Vqa = getattr(import_module(f"{__name__}.{module}"), kind)(name, device, settings)
    return opened
