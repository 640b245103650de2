"""What the texts in a column of ratings mean: missing values, abstentions, labels in one spelling, numbers, ticked boxes.

Each distinct text is read once, however often it stands there.
"""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from agreement import Scale
from concord.common.context import CommandError
from concord.importing.rating_request import KEEP_APART
from concord.judging import converter, yes_no
from data.aspects import CANNOT_TELL, NO, YES, YES_NO_ASPECTS
from data.files import quoted
from data.folding import fold_spelling
from data.ratings.name_matching import Clash, choose_spellings

ReadValue = Callable[[str], tuple[str | None, float | None]]
"""A text as (label, number); a ``ValueError`` says what was expected. An abstention has the label ``cannot_tell``."""

_MISSING: Final = frozenset({"", "na", "nan"})
_ABSTENTIONS: Final = frozenset({"cannot tell", "can not tell", "can't tell", "can’t tell"})


def is_missing(text: str, scale: Scale, more: Collection[str]) -> bool:
    """Return True if the text stands where there is no rating; ``more`` are texts that the user says are missing, too."""
    return text in more or (text.casefold() in _MISSING and text not in (scale.levels or ()))


def is_abstention(text: str, scale: Scale) -> bool:
    """Return True if the rater says that it cannot be told; a level of the scale is one, whatever it says."""
    return " ".join(text.replace("_", " ").split()).casefold() in _ABSTENTIONS and text not in (scale.levels or ())


def value_reader(
    scale: Scale, aspect: str, texts: Mapping[str, int], known: Collection[str], merge: Collection[str]
) -> tuple[ReadValue, list[Clash]]:
    """Return how the texts of a column of ratings are read, and which of them are probably one label in several spellings.

    A column of yes and no (at least one of them in words) is read as yes and no, in the words that the project has for them.
    ``texts``: how often each stands there. ``known`` are the project's labels of this aspect; differences of ``merge``
    (``data.ratings.name_matching``) do not count.
    """
    convert = converter(scale, aspect)
    counts = {text: n for text, n in texts.items() if not is_abstention(text, scale)}
    spelled: Mapping[str, str] = {}
    clashes: list[Clash] = []
    if scale.kind == "nominal" and aspect not in YES_NO_ASPECTS:
        if counts and all(yes_no(text) is not None for text in counts) and any(text[:1].isalpha() for text in counts):
            words = {1.0: _known_word(YES, 1.0, known), 0.0: _known_word(NO, 0.0, known)}
            spelled = {text: words[number] for text in counts if (number := yes_no(text)) is not None}
        else:
            spelled, clashes = choose_spellings(counts, scale.levels or known, merge)
    elif scale.levels is not None and not scale.numeric:
        spelled, clashes = choose_spellings(counts, scale.levels, merge)

    def read(text: str) -> tuple[str | None, float | None]:
        return (CANNOT_TELL, None) if is_abstention(text, scale) else convert(spelled.get(text, text))

    return read, [] if KEEP_APART in merge else clashes


def is_value(text: str, scale: Scale, aspect: str, others: Collection[str]) -> bool:
    """Return True if a text could be a rating: a label without a scale is yes, no or one of the ``others``."""
    if is_missing(text, scale, ()) or is_abstention(text, scale):
        return True
    if scale.kind == "nominal" and aspect not in YES_NO_ASPECTS:
        return yes_no(text) is not None or text in others
    try:
        converter(scale, aspect)(text)
    except ValueError:
        return False
    return True


def _known_word(plain: str, number: float, known: Collection[str]) -> str:
    """Return the project's word for yes, or for no."""
    return plain if plain in known else next((label for label in known if yes_no(label) == number), plain)


_MAY_BE_MISSING: Final = frozenset(
    {"n/a", "n.a.", "n.a", "#n/a", "#na", "<na>", "nan", "none", "null", "nil", "undefined", "(blank)", "#null!", "#value!"}
    | {"#ref!", "#div/0!", "#name?", "#num!", "-", "--", "---", "–", "—", "―", ".", "..", "?", "/"}
)
"""What programs and people write where there is no rating, in any letter case."""
_ALSO_A_LABEL: Final = "none"
_RARE: Final = 0.2
"""Where `_ALSO_A_LABEL` stands in a larger share of the ratings, it is taken for a label, and named."""
_MAX_WORDS: Final = 8
_LONGEST_SCALE: Final = 90


def may_be_missing(text: str) -> bool:
    """Return True if a text is a program's or a person's usual word for no value."""
    return fold_spelling(text).casefold() in _MAY_BE_MISSING


def missing_options(texts: Iterable[str]) -> str:
    """Return the options that say that these texts are no ratings."""
    return " ".join(
        f"--missing={shlex.quote(text)}" if text.startswith("-") else f"--missing {shlex.quote(text)}" for text in texts
    )


def ask_about_missing(counts: Mapping[str, int], scale: Scale, known: Collection[str]) -> str:
    """Return a note about a frequent label that is also a word for nothing, or "".

    Raises:
        CommandError: such words are rare, so that they are probably no labels.
    """
    if scale.kind != "nominal" or scale.levels is not None:
        return ""
    words = [text for text in counts if may_be_missing(text) and text not in known]
    if not words:
        return ""
    total, n = sum(counts.values()), sum(counts[word] for word in words)
    listed = ", ".join(f"{quoted(word)} ({counts[word]:,})" for word in words[:_MAX_WORDS])
    options = missing_options(words[:_MAX_WORDS])
    if len(words) == 1 and words[0].casefold() == _ALSO_A_LABEL and n > _RARE * total:
        return f"{listed} is taken for a label; if it means no rating, take this back and add {options}"
    labels = [text for text in counts if text not in words]
    levels = "|".join([*labels, *words])
    keep = (
        f": --scale {shlex.quote(f'nominal:{levels}')}" if len(levels) <= 80 and not any("|" in text for text in counts) else ""
    )
    raise CommandError(
        f"{n:,} of {total:,} values may mean that there is no rating: {listed}. If so, add {options};"
        f" if they are labels, name all labels in the scale{keep}"
    )


_DECIMAL_COMMA: Final = re.compile(r"[+-]?\d+(?:,\d+)?", re.ASCII)
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}", re.ASCII)


def decimal_commas(texts: Collection[str], scale: Scale) -> dict[str, str]:
    """Return the texts of a column of numbers with a point in place of the decimal comma; none where it has none.

    Raises:
        CommandError: a comma may as well stand between thousands.
    """
    numbers = [text for text in texts if not is_abstention(text, scale) and not may_be_missing(text)]
    with_comma = [text for text in numbers if "," in text]
    if not scale.numeric or not with_comma or not all(map(_DECIMAL_COMMA.fullmatch, numbers)):
        return {}
    if all(map(_THOUSANDS.fullmatch, with_comma)):
        number = with_comma[0]
        raise CommandError(
            f"{quoted(number)} may be {number.replace(',', '.')} or {number.replace(',', '')}; write numbers with a decimal"
            " point and without signs between thousands"
        )
    return {text: text.replace(",", ".") for text in numbers}


@dataclass(frozen=True, slots=True)
class TickedOptions:
    """Cells in which several options may be ticked.

    Attributes:
        options: all options, in the order in which they first occur.
        ticked: by the text of a cell the options ticked in it.
    """

    options: tuple[str, ...]
    ticked: Mapping[str, frozenset[str]]


_SIGNS: Final = (";", "|", "\n", ",")
_COMMA: Final = re.compile(r", ?(?=[^ ])")


def ticked_options(texts: Collection[str], known: Collection[str], merge: Collection[str]) -> TickedOptions:
    """Read cells with several options: JSON lists, or texts separated by semicolons, bars, line breaks or commas.

    ``known``: options of earlier imports, which are not ticked where they do not stand.

    Raises:
        CommandError: it is not clear where an option ends, or options differ only in how they are written.
    """
    lists = {text: found for text in texts if (found := as_list(text)) is not None}
    plain = [text for text in texts if text not in lists]
    sign = next((sign for sign in _SIGNS if any(sign in text for text in plain)), None)
    if lists and len(lists) < len(texts):
        # a tool that writes lists writes one option as it is
        sign = None
    if sign == "," and len({match[0] for text in plain for match in _COMMA.finditer(text)}) > 1:
        raise CommandError(
            "options are separated by commas, and only some commas have a space after them: it is not clear where an option"
            " ends; separate options by semicolons"
        )
    parts = lists | {text: [part.strip() for part in (text.split(sign) if sign else [text])] for text in plain}
    counts = Counter(part for found in parts.values() for part in found if part)
    chosen, clashes = choose_spellings(counts, known, merge)
    if clashes and KEEP_APART not in merge:
        listed = ", ".join(" and ".join(map(quoted, clash.texts + clash.known)) for clash in clashes[:3])
        how = " ".join(dict.fromkeys(f"--merge {rule}" for clash in clashes for rule in clash.by))
        raise CommandError(
            f"options differ only in how they are written: {listed}. If they are the same, add {how}; if not, rename them"
        )
    ticked = {text: frozenset(chosen[part] for part in found if part) for text, found in parts.items()}
    options = dict.fromkeys([*known, *(chosen[part] for found in parts.values() for part in found if part)])
    return TickedOptions(tuple(options), ticked)


def as_list(text: str) -> list[str] | None:
    """Return the entries of a text that is a JSON list of texts or numbers; None if it is none."""
    if not (text.startswith("[") and text.endswith("]")):
        return None
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, list) or any(isinstance(entry, dict | list) for entry in read):
        return None
    return [str(entry).strip() for entry in read if entry is not None]


def refuse_several(texts: Collection[str], scale: Scale) -> None:
    """Refuse labels that are several options each, which would be equal in one order only.

    Raises:
        CommandError: there are such.
    """
    if scale.levels is not None or scale.kind != "nominal":
        return
    lists = [text for text in texts if as_list(text) is not None]
    if lists:
        raise CommandError(
            f"a cell holds one rating, and {quoted(lists[0])} holds a list; if these are ticked boxes, add --multiple:"
            " each option becomes an aspect with yes and no"
        )
    for sign in _SIGNS:
        sets: dict[frozenset[str], str] = {}
        for text in texts:
            parts = frozenset(part.strip() for part in text.split(sign)) - {""}
            if len(parts) < 2:
                continue
            other = sets.setdefault(parts, text)
            if other != text or parts <= {*texts}:
                example = f"{quoted(other)} and {quoted(text)} are" if other != text else f"{quoted(text)} is"
                raise CommandError(
                    f"{example} several options in one cell; if these are ticked boxes, add --multiple: each option becomes"
                    " an aspect with yes and no; if it is one label, name all labels: --scale 'nominal:...|...'"
                )
