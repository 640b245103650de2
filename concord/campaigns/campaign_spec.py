"""A campaign's spec: what a campaign is to be, as somebody asks for it: on the page, as options of a command, or in a file."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from annotation.questionnaires.custom import YamlError, read_yaml
from data.campaign import Settings
from data.files import MAX_PROBLEMS, InputError, quoted

LISTS: Final = ("suite", "task", "generator", "items", "also")
_NUMBERS: Final = {"n": int, "overlap": int, "seed": int}
SETTINGS: Final = tuple(one.name for one in fields(Settings))
OWN_FILES: Final = {"questionnaire_file": "definition", "known_file": "known"}
"""Keys of a file that name other files, and what these hold."""


@dataclass(frozen=True, slots=True)
class CampaignSpec:
    """A campaign as it is asked for.

    Attributes:
        definition: YAML text of a questionnaire of the user's own, which then takes the place of ``questionnaire``.
        suite, task, generator: the images to draw from; of a pair the generators are the two, the first one first.
        items: item ids instead of those filters; they count as picked by hand.
        n: so many drawn by chance, None: all.
        also: item ids that are added by hand.
        known: text of a file of items with known answers (``known``), JSON or CSV; ``""``: none.
    """

    campaign_id: str = ""
    title: str = ""
    questionnaire: str = "geneval"
    definition: str | None = None
    suite: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    generator: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    n: int | None = None
    also: tuple[str, ...] = ()
    known: str = ""
    overlap: int = 3
    seed: int = 0
    settings: Settings = field(default_factory=Settings)


def campaign_spec(given: Mapping[str, Any], origin: str = "the campaign") -> CampaignSpec:
    """A wish from values by name, as a file or a command has them; None is "not said".

    Raises:
        InputError: a name that there is not, or a value of the wrong kind; the first of them at once.
    """
    known = ("id", *(one.name for one in fields(CampaignSpec) if one.name not in ("settings", "campaign_id")), *SETTINGS)
    said = {("id" if name == "campaign_id" else name): value for name, value in given.items() if value is not None}
    problems = [_unknown_value(name, known) for name in said if name not in known]
    values: dict[str, Any] = {}
    for name in known:
        if name in said:
            try:
                values[name] = _read(name, said[name])
            except ValueError as error:
                problems.append(f"{name}: {error}")
    if len(problems) > MAX_PROBLEMS:
        problems = [*problems[:MAX_PROBLEMS], f"and {len(problems) - MAX_PROBLEMS} more mistakes"]
    if problems:
        raise InputError(*(f"{origin}: {problem}" for problem in problems))
    settings = {name: values.pop(name) for name in SETTINGS if name in values}
    if "id" in values:
        values["campaign_id"] = values.pop("id")
    try:
        return CampaignSpec(**values, settings=replace(Settings(), **settings))
    except ValueError as error:
        raise InputError(f"{origin}: {error}") from error


def from_yaml(text: str, origin: str) -> dict[str, Any]:
    """The values of a campaign's file, by name.

    Raises:
        InputError: it is no YAML map.
    """
    try:
        found = read_yaml(text)
    except YamlError as error:
        raise InputError(f"{origin}: {error}") from None
    if not isinstance(found, dict):
        raise InputError(f"{origin}: a map such as 'title: My study' expected, line by line")
    return found


def _unknown_value(name: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(name, [*known, *OWN_FILES], n=1)
    return f"{quoted(name)} is nothing that a campaign has; " + (
        f"did you mean {near[0]}?" if near else f"known: {', '.join([*known, *OWN_FILES])}"
    )


def _read(name: str, value: Any) -> Any:
    if name in LISTS:
        several = [value] if isinstance(value, str) else value
        if not isinstance(several, list | tuple) or not all(isinstance(one, str) for one in several):
            raise ValueError(f"a text or a list of texts expected, got {quoted(value)}")
        return tuple(one for one in several if one)
    kind: Any = _NUMBERS.get(name) or _KINDS.get(name, str)
    if kind is float and isinstance(value, str):
        # a hand-written file has 0.8 as a text: its numbers are whole
        try:
            return float(value)
        except ValueError:
            pass
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{_NAMES[kind]} expected, got {quoted(value)}")
    if name == "n" and int(value) < 1:
        raise ValueError(f"1 or more expected, got {value}")
    return value


_KINDS: Final[dict[str, type]] = {
    "check_every": int,
    "limit": int,
    "gold_feedback": bool,
    "training_feedback": bool,
    "pass_mark": float,
    "gold_pass_mark": float,
    "attention_pass_mark": float,
    "recollect": bool,
    "lease_minutes": float,
}
_NAMES: Final[dict[type, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
