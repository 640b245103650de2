"""What a rating's text means: a missing value, an abstention, or a label and a number of the scale."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from agreement import Scale
from data.aspects import CANNOT_TELL, NO, YES, YES_NO_ASPECTS
from data.studies.name_matching import Clash, choose_spellings
from ui.commands.derive import converter, yes_no

Read = Callable[[str], tuple[str | None, float | None]]
"""A text as (label, number); a ``ValueError`` says what was expected. An abstention has the label ``cannot_tell``."""

KEEP_APART: Final = "none"
"""``--merge none``: names that differ only in how they are written are different names."""
_MISSING: Final = frozenset({"", "na", "nan"})
_ABSTENTIONS: Final = frozenset({"cannot tell", "can not tell", "can't tell", "can’t tell"})


def is_missing(text: str, scale: Scale, more: Collection[str]) -> bool:
    """Whether the text stands where there is no rating; ``more`` are texts that the user says are missing, too."""
    return text in more or (text.casefold() in _MISSING and text not in (scale.levels or ()))


def is_abstention(text: str, scale: Scale) -> bool:
    """Whether the rater says that it cannot be told; a level of the scale is one, whatever it says."""
    return " ".join(text.replace("_", " ").split()).casefold() in _ABSTENTIONS and text not in (scale.levels or ())


def reading(
    scale: Scale, aspect: str, texts: Iterable[str], known: Collection[str], merge: Collection[str]
) -> tuple[Read, list[Clash]]:
    """How the texts of one column of ratings are read, and which of them are probably one label in several spellings.

    A column of yes and no (at least one of them in words) is read as yes and no, in the words that the project has for them.
    ``known`` are the project's labels of this aspect; differences of ``merge`` (``data.studies.name_matching``) do not count.
    """
    convert = converter(scale, aspect)
    counts = Counter(text for text in texts if not is_abstention(text, scale))
    spelled: Mapping[str, str] = {}
    clashes: list[Clash] = []
    if scale.kind == "nominal" and aspect not in YES_NO_ASPECTS:
        if counts and all(yes_no(text) is not None for text in counts) and any(text[:1].isalpha() for text in counts):
            words = {1.0: _word(YES, 1.0, known), 0.0: _word(NO, 0.0, known)}
            spelled = {text: words[number] for text in counts if (number := yes_no(text)) is not None}
        else:
            spelled, clashes = choose_spellings(counts, scale.levels or known, merge)
    elif scale.levels is not None and not scale.numeric:
        spelled, clashes = choose_spellings(counts, scale.levels, merge)

    def read(text: str) -> tuple[str | None, float | None]:
        return (CANNOT_TELL, None) if is_abstention(text, scale) else convert(spelled.get(text, text))

    return read, [] if KEEP_APART in merge else clashes


def is_value(text: str, scale: Scale, aspect: str, others: Collection[str]) -> bool:
    """Whether a text could be a rating: a label without a scale is yes, no or one of the ``others``."""
    if is_missing(text, scale, ()) or is_abstention(text, scale):
        return True
    if scale.kind == "nominal" and aspect not in YES_NO_ASPECTS:
        return yes_no(text) is not None or text in others
    try:
        converter(scale, aspect)(text)
    except ValueError:
        return False
    return True


def _word(plain: str, number: float, known: Collection[str]) -> str:
    """The project's word for yes, or for no."""
    return plain if plain in known else next((label for label in known if yes_no(label) == number), plain)
