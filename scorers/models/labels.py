"""One vocabulary for every detector: COCO's 80 names (``data.prompts.coco``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from data.prompts.coco import COCO, plain_name

_ALIASES: Final = {
    # as Darknet and Pascal VOC spell them, and what is met elsewhere
    "aeroplane": "airplane",
    "motorbike": "motorcycle",
    "pottedplant": "potted plant",
    "diningtable": "dining table",
    "sofa": "couch",
    "tvmonitor": "tv",
    "television": "tv",
    "doughnut": "donut",
    "hair dryer": "hair drier",
}
_NOTHING: Final = frozenset({"n/a", "background", "no object"})
_UNNAMED: Final = "label_"

Vocabulary = tuple[str | None, ...]
"""What each of a model's class numbers means; None: nothing."""


def common(name: str) -> str:
    """COCO's name of a thing; its own, in lower case, where COCO has none."""
    plain = " ".join(name.lower().replace("_", " ").split())
    return _ALIASES.get(plain, plain_name(plain))


def asked_label(name: str) -> str:
    """What a thing is called that was looked for by this name: COCO's name where GenEval has another, else as it was asked for,
    so that whoever judges knows it again."""
    return plain_name(name)


def vocabulary(names: Mapping[int, str], model: str) -> Vocabulary:
    """What a COCO detector's class numbers mean.

    Classes go by their names, so that 80 in COCO's own order and 91 with gaps (``N/A``) come to the same; 80 without names
    (``LABEL_7``) are in COCO's order, as in every published model of 80.

    Args:
        names: as a model's configuration has them (``id2label``), from 0 on without gaps.
        model: its name, for the message.

    Raises:
        ValueError: these are not COCO's 80 classes, each once.
    """
    listed = [names.get(number) for number in range(len(names))]
    unnamed = [name is not None and name.lower().startswith(_UNNAMED) for name in listed]
    if listed and all(unnamed):
        if len(listed) == len(COCO):
            return COCO
        raise ValueError(f"{model} has {len(listed)} classes without names; a COCO detector has {len(COCO)}")
    found = tuple(None if name is None or name.lower() in _NOTHING else common(name) for name in listed)
    missing = [name for name in COCO if found.count(name) != 1]
    if missing:
        some = ", ".join(missing[:3]) + (" ..." if len(missing) > 3 else "")
        raise ValueError(
            f"{model} has {len(listed)} classes, and {len(missing)} of COCO's {len(COCO)} are not there just once: {some}"
        )
    return found
