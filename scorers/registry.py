"""The scorers by name: Concord's own and the user's. Nothing heavy is imported before a scorer is asked for, and no model
before it is opened.

A scorer of the user's own is one file in a folder beside ``app.py`` (``own_scorers/``), read when it is asked for.
"""

from __future__ import annotations

import importlib.util
import math
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args

from data.aspects import SCALES
from data.validation import did_you_mean

if TYPE_CHECKING:
    from scorers.base import Scorer


PLUGIN_FOLDER: Final = Path(__file__).resolve().parents[1] / "own_scorers"
PLUGIN_FOLDER_VARIABLE: Final = "CONCORD_SCORERS"
"""The environment variable that names another folder; workers inherit it."""
_CONCORD: Final = ("data", "scorers", "concord", "annotation", "agreement", "ui")
_MOVED: Final = "; a scorer of your own imports from concord.plugin"
_PLUGIN_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")


def plugin_names() -> list[str]:
    """The scorers that the folder has a file for, whether or not they work; no code of theirs is run."""
    folder = _plugin_folder()
    return sorted(path.stem for path in folder.glob("*.py") if _PLUGIN_NAME.fullmatch(path.stem)) if folder.is_dir() else []


def load_plugin(name: str) -> Scorer:
    """One of them. A changed file is read again when the app starts again.

    Raises:
        ValueError: it cannot be used; the message says which file and why.
    """
    plugin = _load_file(_plugin_folder() / f"{name}.py")
    if isinstance(plugin, str):
        raise ValueError(plugin)
    return plugin


def _plugin_folder() -> Path:
    return Path(os.environ.get(PLUGIN_FOLDER_VARIABLE) or PLUGIN_FOLDER).absolute()


@cache
def _load_file(path: Path) -> Scorer | str:
    """The scorer, or why there is none."""
    from scorers.base import Flips, Input, Scorer

    spec = importlib.util.spec_from_file_location(f"own_scorers.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # before it runs: a dataclass looks its module up there
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        text = " ".join(str(error).split())
        ours = isinstance(error, ImportError) and str(error.name).partition(".")[0] in _CONCORD
        return f"{path}: {type(error).__name__}: {text}{_MOVED if ours else ''}"
    scorer = getattr(module, "SCORER", None)
    if not isinstance(scorer, Scorer) or scorer.name != path.stem:
        return f'{path}: it must call its scorer SCORER, a concord.plugin.Scorer with name="{path.stem}" as the file is called'
    if scorer.input not in get_args(Input):
        hint = did_you_mean(str(scorer.input), get_args(Input))
        return f"{path}: input: {scorer.input!r} is nothing that a scorer can judge; {hint}"
    if not isinstance(scorer.flips, Flips | None):
        return f"{path}: flips: it must be concord.plugin.Flips(rejudges=True) or Flips(rejudges=False)"
    if wrong := sorted(name for name, scale in scorer.scales.items() if SCALES.get(name) != scale):
        return f"{path}: scales: {wrong[0]!r} must be an aspect of concord.plugin.SCALES with its scale there"
    return scorer


SCORERS: Final[Mapping[str, str]] = {
    "geneval": "scorers.geneval.scorer:SCORER",
    "visor": "scorers.visor.scorer:SCORER",
    "tifa": "scorers.questions.tifa:TIFA",
    "dsg": "scorers.questions.tifa:DSG",
    "caption": "scorers.caption:SCORER",
    "vqascore": "scorers.questions.vqascore:SCORER",
    "judge": "scorers.questions.judge:JUDGE",
    "rubric": "scorers.questions.judge:RUBRIC",
    "pairwise": "scorers.questions.judge:PAIRWISE",
    "selfeval": "scorers.likelihood.scorers:SELFEVAL",
    "elbo": "scorers.likelihood.scorers:ELBO",
    "flowloss": "scorers.likelihood.scorers:FLOWLOSS",
    "clipscore": "scorers.clipscore:SCORER",
    "clipmatch": "scorers.matching:SCORER",
}
"""Concord's own scorers: where each stands, as module:name; imported when it is asked for."""

NAMES: Final = tuple(SCORERS)
"""Those that come with Concord; ``known`` has the user's own, too."""

IMPORTED: Final[Mapping[str, str]] = {"geneval-results": "scorers.geneval.results:SCORER"}
"""Scorers that judge what was seen elsewhere and came as a file: they can be asked for, but not be run."""

PLAYGROUND: Final = "playground"
DEFAULT: Final = "default"
"""A scorer of one's own may call its profile so: its rater then has the scorer's name and no more."""


class UnknownScorer(ValueError):
    """There is no scorer of that name; the message says which there are."""


def get(name: str) -> Scorer:
    """A scorer.

    Raises:
        UnknownScorer: there is none of that name, or it is a user's own and cannot be used.
    """
    location = SCORERS.get(name) or IMPORTED.get(name)
    if location is None:
        return _plugin(name)
    module, _, attribute = location.partition(":")
    scorer: Scorer = getattr(import_module(module), attribute)
    return scorer


def known() -> tuple[str, ...]:
    """The scorers that can be run: Concord's, then those of the user's own that work."""
    names = list(NAMES)
    for name in plugin_names():
        if name not in NAMES:
            with suppress(ValueError):
                load_plugin(name)
                names.append(name)
    return tuple(names)


def _plugin(name: str) -> Scorer:
    mine = plugin_names()
    if name not in mine:
        raise UnknownScorer(f"there is no scorer {name!r}; {did_you_mean(name, sorted((*NAMES, *mine)))}")
    try:
        return load_plugin(name)
    except ValueError as error:
        raise UnknownScorer(f"the scorer {name!r} cannot be used: {error}") from error


def default_profile(scorer: Scorer) -> str:
    """The profile that holds where none is named: the playground's, or else the first."""
    return PLAYGROUND if PLAYGROUND in scorer.profiles else next(iter(scorer.profiles))


def profile_of(scorer: Scorer, name: str | None) -> str:
    """The profile that a name means, a former one too; None: the default one. ValueError if there is none of that name."""
    if name is None:
        return default_profile(scorer)
    now = scorer.renamed.get(name, name)
    if now not in scorer.profiles:
        raise ValueError(f"{scorer.name} has no profile {name!r}; {did_you_mean(name, sorted(scorer.profiles))}")
    return now


def settings(scorer: Scorer, profile: str, overrides: Mapping[str, str] | None = None) -> dict[str, Any]:
    """All settings of a profile, with some set by hand (``--set key=value``); ``weights``: the models' fingerprints; and, of
    models of the hub, ``revisions``: their commits.

    Raises:
        ValueError: there is no such profile or setting, a value is not of the setting's kind or out of range, or a model's
            folder is not there.
    """
    values = dict(scorer.profiles[profile_of(scorer, profile)])
    known = {**scorer.options, **scorer.operating, **values}
    for key, text in (overrides or {}).items():
        if key not in known:
            raise ValueError(f"{scorer.name} has no setting {key!r}; {did_you_mean(key, sorted(known))}")
        value = _typed(key, text, known[key])
        if key in values or value != known[key]:
            values[key] = value
    scorer.check({**scorer.operating, **values})
    values["weights"] = fingerprints(scorer, values)
    if commits := revisions(scorer, values):
        values["revisions"] = commits
    return values


def fingerprints(scorer: Scorer, settings: Mapping[str, Any]) -> dict[str, str]:
    """Each of its models' weights that are on this machine, by the setting that names the model (SHA-256, 12 digits).

    Raises:
        ValueError: a folder is not there or holds no weights.
    """
    # here, so that `--help` need not read it
    from scorers.models.files import fingerprint

    prints = {key: fingerprint(str(settings[key])) for key in sorted(scorer.models) if settings[key]}
    return {key: value for key, value in prints.items() if value is not None}


def revisions(scorer: Scorer, settings: Mapping[str, Any]) -> dict[str, str]:
    """The commit of each of its models that are in the hub's cache, by the setting that names the model."""
    from scorers.models import files, hub

    named = {key: str(settings[key]) for key in sorted(scorer.models)}
    here = {key: hub.snapshot(name) for key, name in named.items() if files.folder(name) is None}
    return {key: path.name for key, path in here.items() if path is not None}


def _typed(key: str, text: str, like: Any) -> Any:
    if isinstance(like, str):
        return text
    try:
        value = int(text) if isinstance(like, int) else float(text)
    except ValueError:
        kind = "whole number" if isinstance(like, int) else "number"
        raise ValueError(f"{key} must be a {kind}, got {text!r}") from None
    # a whole number of hundreds of digits is no float, but can be compared with one
    if not abs(value) < math.inf:
        raise ValueError(f"{key} must be a finite number, got {text!r}")
    return value
