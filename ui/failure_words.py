"""What failure pictures are called, and what a mark of one stands for."""

from __future__ import annotations

from typing import Final

from scorers.failures.colors import LEAKED, MISSING, MOVED, OTHER, OWN, SWAPPED

TITLES: Final[dict[str, str]] = {
    "counts": "Asked and found numbers",
    "colors": "Asked and found colours",
    "bindings": "Swapped and leaked colours",
    "positions": "Asked and found relations",
    "kinds": "One object, two, a relation",
    "first": "First and second object",
    "supercategories": "Pairs of supercategories",
    "cooccurrence": "Co-occurrence",
    "thresholds": "Score by the detector’s threshold",
    "seeds": "Score by the image’s number",
}

BINDING: Final[dict[str, str]] = {
    OWN: "each object has its own colour",
    SWAPPED: "two objects have each other’s colours",
    LEAKED: "an object has the other’s colour, which the other has, too",
    MOVED: "an object has the other’s colour, which the other has not",
    OTHER: "an object has a colour that was asked of none",
    MISSING: "fewer objects than asked for, so no colour is looked at",
}

_NO_OBJECTS: Final = "as GenEval’s and VISOR’s prompts do, or this scorer sees no objects."
NEEDS: Final[dict[str, str]] = {
    "counts": "No prompt here asks for an exact number, as GenEval’s counting task does, or this scorer counts nothing.",
    "colors": "No prompt here asks for a colour, as GenEval’s colors and color_attr do, or this scorer sees none.",
    "bindings": "No prompt here asks two objects for colours of their own, as GenEval’s color_attr does, or this scorer sees no"
    " colours.",
    "positions": f"No prompt here asks how two objects stand to each other, {_NO_OBJECTS}",
    "kinds": f"No prompt here asks for one or two objects, {_NO_OBJECTS}",
    "first": f"No prompt here asks for two objects, {_NO_OBJECTS}",
    "supercategories": f"No prompt here asks for two objects, {_NO_OBJECTS}",
    "cooccurrence": f"No prompt here asks for one object each of two classes, {_NO_OBJECTS}",
    "thresholds": "This scorer judges by no detector’s confidence, or nobody knows above which one its evidence was kept: there"
    " is nothing to judge by another.",
    "seeds": "This scorer says of no image whether it is correct.",
}
"""What a picture without data is missing."""

_ASKED: Final = {
    "counts": "{} asked for",
    "colors": "{} asked for",
    "positions": "“{}” asked for",
    "kinds": "prompts of {}",
    "first": "prompts of {}",
    "supercategories": "{}",
    "cooccurrence": "{}",
    "thresholds": "confidence above {}",
    "seeds": "image number {}",
}
_FOUND: Final = {"counts": "{} found", "colors": "{} seen", "positions": "“{}” found"}


def told(picture: str, asked: str, found: str) -> str:
    """A mark in words; nothing for the whole picture."""
    parts = []
    if asked and picture in _ASKED:
        parts.append(_ASKED[picture].format(asked))
    if found:
        said = f"{found} ({BINDING[found]})" if picture == "bindings" and found in BINDING else found
        parts.append(_FOUND.get(picture, "{}").format(said))
    return ", ".join(parts)
