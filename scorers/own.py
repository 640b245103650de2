"""Scorers of the user's own: one file each in a folder beside ``app.py``, read when a scorer is asked for."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from data.aspects import SCALES

if TYPE_CHECKING:
    from scorers.base import Scorer

FOLDER: Final = Path(__file__).resolve().parents[1] / "own_scorers"
ELSEWHERE: Final = "CONCORD_SCORERS"
"""The environment variable that names another folder; workers inherit it."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")


def names() -> list[str]:
    """The scorers that the folder has a file for, whether or not they work; no code of theirs is run."""
    folder = _folder()
    return sorted(path.stem for path in folder.glob("*.py") if _NAME.fullmatch(path.stem)) if folder.is_dir() else []


def load(name: str) -> Scorer:
    """One of them. A changed file is read again when the app starts again.

    Raises:
        ValueError: it cannot be used; the message says which file and why.
    """
    found = _loaded(_folder() / f"{name}.py")
    if isinstance(found, str):
        raise ValueError(found)
    return found


def _folder() -> Path:
    return Path(os.environ.get(ELSEWHERE) or FOLDER).absolute()


@cache
def _loaded(path: Path) -> Scorer | str:
    """The scorer, or why there is none."""
    from scorers.base import Scorer

    spec = importlib.util.spec_from_file_location(f"own_scorers.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # before it runs: a dataclass looks its module up there
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        said = " ".join(str(error).split())
        return f"{path}: {type(error).__name__}: {said}"
    scorer = getattr(module, "SCORER", None)
    if not isinstance(scorer, Scorer) or scorer.name != path.stem:
        return f'{path}: it must call its scorer SCORER, a concord.plugin.Scorer with name="{path.stem}" as the file is called'
    if wrong := sorted(name for name, scale in scorer.scales.items() if SCALES.get(name) != scale):
        return f"{path}: scales: {wrong[0]!r} must be an aspect of concord.plugin.SCALES with its scale there"
    return scorer
