"""A language besides English, for tests: every text of the catalogue in brackets, written from right to left."""

from __future__ import annotations

import json
from pathlib import Path

from ui.web.assets import ASSETS

CODE = "fa"


def write_catalogue(folder: Path) -> Path:
    """A folder of texts with one more language; returns it."""
    english = json.loads((ASSETS / "texts" / "en.json").read_text("utf-8"))
    (folder / "en.json").write_text(json.dumps(english), "utf-8")
    (folder / f"{CODE}.json").write_text(json.dumps({name: f"⟦{name}⟧" for name in english}), "utf-8")
    return folder
