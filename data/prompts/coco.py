"""The 80 object names of MS-COCO, in the order that every suite and detector numbers them, and their English."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import inflect

COCO: Final[tuple[str, ...]] = (
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow",
    "elephant", "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee",
    "skis", "snowboard", "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard",
    "tennis racket", "bottle", "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich",
    "orange", "broccoli", "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed",
    "dining table", "toilet", "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven",
    "toaster", "sink", "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
)  # fmt: skip

_GENEVAL_RENAMES: Final = {"mouse": "computer mouse", "remote": "tv remote", "keyboard": "computer keyboard"}

GENEVAL: Final[tuple[str, ...]] = tuple(_GENEVAL_RENAMES.get(name, name) for name in COCO)
"""GenEval's names: the same objects at the same places, three of them said more clearly."""


_PLAIN: Final = dict(zip(GENEVAL, COCO, strict=True))

_SUPERCATEGORIES: Final = (
    ("person", 1), ("vehicle", 8), ("outdoor", 5), ("animal", 10), ("accessory", 5), ("sports", 10),
    ("kitchen", 7), ("food", 10), ("furniture", 6), ("electronic", 6), ("appliance", 5), ("indoor", 7),
)  # fmt: skip

SUPERCATEGORY: Final[dict[str, str]] = dict(
    zip(COCO, (name for name, size in _SUPERCATEGORIES for _ in range(size)), strict=True)
)
"""MS-COCO's supercategory of each name (VISOR, appendix A); they follow one another in COCO's order."""


def plain_name(name: str) -> str:
    """COCO's name of a class, where it is known by GenEval's; any other name as it is."""
    return _PLAIN.get(name, name)


def article_by_letter(name: str) -> str:
    """``a`` or ``an`` as GenEval chooses it: by the first letter."""
    return "an" if name[:1] in tuple("aeiou") else "a"


@lru_cache(maxsize=4096)
def article_by_sound(name: str) -> str:
    """``a`` or ``an`` as SR2D chooses it: by sound, through ``inflect``."""
    # of COCO's names the first letter says the same, and the forms' examples are known without inflect
    return article_by_letter(name) if name in COCO else _engine().a(name).split(" ", 1)[0]


# Of COCO's names, whose other plurals are regular; GenEval's own form says "pairs of scissors".
_PLURALS: Final = {
    "person": "people",
    "sheep": "sheep",
    "skis": "skis",
    "knife": "knives",
    "mouse": "mice",
    "computer mouse": "computer mice",
    "scissors": "pairs of scissors",
}


@lru_cache(maxsize=4096)
def plural(name: str) -> str:
    """Several of them, as a question names them; a name that is no English noun may stay as it is."""
    if name in _PLURALS:
        return _PLURALS[name]
    if name in COCO or name in GENEVAL:
        return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"
    try:
        return str(_engine().plural_noun(name)) or name
    except Exception:  # inflect refuses odd words in several ways, and a user's own object may be one: the form must still open
        return name


@cache
def _engine() -> inflect.engine:
    # Imported on use: inflect takes seconds to load, which nobody who labels COCO's objects should wait for.
    import inflect

    return inflect.engine()
