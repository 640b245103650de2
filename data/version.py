"""The version of the installed Concord."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[1]


@cache
def concord_version() -> str:
    """Concord's version."""
    about = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(about["project"]["version"])
