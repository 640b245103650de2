"""Thumbnails made ahead: all that can be made, in the background, and nothing twice."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from concord import thumbnails
from concord.thumbnails import Thumbnails
from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign
from data.images import widths
from data.images.widths import IN_FORM, IN_GRIDS
from data.records import Image, Item
from data.selection import Selection
from data.store import imports
from data.store.campaigns import management
from data.store.imports import ImportBundle
from tests.ui import small_project
from tests.ui.http_visitor import World
from ui.web.assets import ASSETS


def waited(until: Callable[[], bool]) -> bool:
    for _ in range(1000):
        if until():
            return True
        time.sleep(0.01)
    return False


def cached(world: World) -> list[str]:
    return sorted(file.name for file in (world.store.project / "cache" / "thumbnails").rglob("*.webp"))


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thumbnails, "_EVERY", 0.01)


def test_what_grids_ask_for_is_there_before(world: World, tmp_path: Path) -> None:
    contents = {hashlib.sha256(file.read_bytes()).hexdigest() for file in world.folder.rglob("*.png")}
    ahead = Thumbnails(world.store)
    try:
        assert waited(lambda: ahead.made == len(contents))
        assert cached(world) == sorted(f"{sha256}-{IN_GRIDS}.webp" for sha256 in contents)
        # more come in
        small_project.png(tmp_path / "new.png", "red")
        sha256 = hashlib.sha256((tmp_path / "new.png").read_bytes()).hexdigest()
        image = Image("geneval/00000", "new", 0, tmp_path / "new.png", sha256, 8, 8)
        item = Item(image.image_id, "geneval", image.prompt_id, None, "new")
        imports.apply(world.store, [ImportBundle("images", "new", "new", images=[image], items=[item])])
        assert waited(lambda: f"{sha256}-{IN_GRIDS}.webp" in cached(world))
    finally:
        ahead.close()
        ahead.close()
    again = Thumbnails(world.store)
    time.sleep(0.2)
    again.close()
    assert (again.made, again.skipped) == (0, 0)
    # the page gets what was made
    sha256 = next(iter(contents))
    for file in world.folder.rglob("*.png"):
        file.unlink()
    assert world.client().get(f"/img/{sha256}?w={IN_GRIDS}").status_code == 200


def test_the_pictures_of_a_running_campaign_are_made_for_the_form(world: World) -> None:
    offered = management.images(world.store, Selection())[:1]
    management.create(world.store, Campaign("c", "C", overlap=1), [CampaignItem(one) for one in offered])
    ahead = Thumbnails(world.store)
    try:
        assert waited(lambda: len(cached(world)) > 0)
        management.move(world.store, "c", "running")
        assert waited(lambda: any(f"-{IN_FORM}." in name for name in cached(world)))
    finally:
        ahead.close()
    assert sum(f"-{IN_FORM}." in name for name in cached(world)) == 1


def test_what_cannot_be_read_is_skipped_with_one_line(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    files = sorted(world.folder.rglob("*.png"))
    files[0].write_bytes(b"no picture")
    files[1].unlink()
    ahead = Thumbnails(world.store)
    assert waited(lambda: ahead.made + ahead.skipped == len(files))
    ahead.close()
    assert (ahead.made, ahead.skipped) == (len(files) - 2, 2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert f"thumbnails: {files[0]} is skipped: The image file has been changed since it was imported" in lines[0]
    assert "moved or deleted" in lines[1]


def test_a_full_disk_is_left_alone(world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(thumbnails, "_FREE", 1 << 60)
    ahead = Thumbnails(world.store)
    assert waited(lambda: not ahead._thread.is_alive())
    ahead.close()
    assert ahead.made == 0
    assert "less than 1 GB is left on the disk" in capsys.readouterr().err


def test_scripts_and_server_name_the_same_widths() -> None:
    scripts = {path: path.read_text(encoding="utf-8") for path in (ASSETS / "js").rglob("*.js")}
    named = dict(re.findall(r"^export const (IN_\w+) = (\d+);", scripts[ASSETS / "js" / "thumbnails.js"], re.MULTILINE))
    assert len(named) == 4
    assert {name: int(width) for name, width in named.items()} == {name: getattr(widths, name) for name in named}
    # what stands in the form's page before its script is there can import nothing
    first = scripts.pop(ASSETS / "js" / "form" / "first_request.js")
    assert re.findall(r"\?w=(\d+)", first) == [str(widths.IN_FORM)]
    assert [path.name for path, text in scripts.items() if "?w=" in text] == ["thumbnails.js"]
    pages = {path: path.read_text(encoding="utf-8") for path in (ASSETS.parent / "ui").rglob("*.py")}
    assert [path.name for path, text in pages.items() if re.search(r"""\?w=(\{|\d+["'])""", text)] == ["image_strip.py"]
