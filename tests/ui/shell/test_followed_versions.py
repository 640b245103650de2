"""Studio has one poll: whatever follows the project is told by the shell what to ask for, and how often."""

from __future__ import annotations

import json
import re
from pathlib import Path

from data.store.core.store import Store
from ui.shell.followed_versions import POLL_SECONDS, followed
from ui.web.studio import studio

ROOT = Path(__file__).resolve().parents[3]


def test_images_ask_as_often_as_other_pages(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        scripts = [str(getattr(block, "js_on_load", "")) for block in studio(store).blocks.values()]
        (images,) = (script for script in scripts if "/images.js" in script)
        (mine,) = (json.loads(found) for found in re.findall(r'{"of": [^}]*}', images))
        moves = followed(mine["of"])
        assert moves is not None
        assert moves(store) == store.version
    assert mine["seconds"] == POLL_SECONDS


def test_no_script_asks_for_the_version_by_itself() -> None:
    scripts = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "assets" / "js").rglob("*.js")}
    assert [name for name, text in scripts.items() if "studio/version" in text] == ["live_updates.js"]
