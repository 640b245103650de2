"""Pictures by content: the very bytes, or a sentence that says why not."""

from __future__ import annotations

import hashlib
import io
import shutil
from pathlib import Path

import pytest
from PIL import Image

from tests.ui.http_visitor import World


def some(world: World) -> tuple[Path, str]:
    path = world.folder / "00000" / "samples" / "0000.png"
    return path, hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_original_and_its_thumbnail(standing_world: World) -> None:
    path, sha256 = some(standing_world)
    answer = standing_world.client().get(f"/img/{sha256}")
    assert (answer.content, answer.headers["content-type"]) == (path.read_bytes(), "image/png")
    assert "immutable" in answer.headers["cache-control"]
    assert "sdv2" not in str(answer.headers)
    for _ in range(2):
        small = standing_world.client().get(f"/img/{sha256}?w=160")
        assert small.headers["content-type"] == "image/webp"
        with Image.open(io.BytesIO(small.content)) as image:
            assert (image.format, image.size) == ("WEBP", (160, 120))


def test_what_the_form_shows_is_a_webp_of_1600_pixels_at_most(world: World) -> None:
    path, _ = some(world)
    Image.new("RGB", (1000, 4000), "teal").save(path)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    with world.store.read() as cursor:
        cursor.execute("update images set sha256 = ? where path = ?", [sha256, str(path)])
    with Image.open(io.BytesIO(world.client().get(f"/img/{sha256}?w=1600").content)) as image:
        assert (image.format, image.size) == ("WEBP", (400, 1600))


@pytest.mark.parametrize("width", ["0", "161", "-160", "99999999", "x", "NaN"])
def test_other_widths(standing_world: World, width: str) -> None:
    assert standing_world.client().get(f"/img/{some(standing_world)[1]}?w={width}").status_code == 422


@pytest.mark.parametrize("query", ["", "?w=160"])
def test_changed_and_moved_files(world: World, query: str) -> None:
    path, sha256 = some(world)
    shutil.copy(path.with_name("0001.png"), path)
    answer = world.client().get(f"/img/{sha256}{query}")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "The image file has been changed since it was imported; import its folder again."}
    path.unlink()
    answer = world.client().get(f"/img/{sha256}{query}")
    assert answer.status_code == 404
    assert answer.json() == {"detail": "The image file has been moved or deleted; import its folder again."}


def test_another_file_with_the_same_content_will_do(world: World) -> None:
    path, sha256 = some(world)
    content = path.read_bytes()
    with world.store.read() as cursor:
        other = shutil.copy(path, world.folder / "copy.png")
        at = [str(other), sha256]
        cursor.execute("insert into images values ('x/y/0', 'x', 'y', 0, ?, ?, 400, 300, null, null, null)", at)
    path.unlink()
    assert world.client().get(f"/img/{sha256}").content == content


@pytest.mark.parametrize(
    "name",
    ["0" * 64, "x", "0" * 63, "F" * 64, "..%2f..%2fconcord.duckdb", "../concord.duckdb", "%2e%2e/app.py", "0" * 64 + "%0a"],
)
def test_files_that_are_no_image_are_refused(standing_world: World, name: str) -> None:
    answer = standing_world.client().get(f"/img/{name}")
    assert answer.status_code == 404
    assert b"DUCK" not in answer.content
