"""Pictures by content: the very bytes, or a sentence that says why not."""

from __future__ import annotations

import hashlib
import io
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.images.widths import WIDTHS
from tests.data.images.test_clean import FILES, TOLD, decoded, values
from tests.ui.accounts_app import house
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
    original = standing_world.client().get(f"/api/studio/original/{sha256}")
    assert (original.content, original.headers["content-type"]) == (path.read_bytes(), "image/png")
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


@pytest.mark.parametrize("name", ["png", "jpeg", "jpeg, turned 6", "webp", "gif, animated", "tiff, 16 bit", "avif"])
def test_a_picture_tells_nothing_at_any_size(world: World, name: str) -> None:
    path, _ = some(world)
    data = FILES[name][0]()
    path.write_bytes(data)
    sha256 = hashlib.sha256(data).hexdigest()
    with world.store.read() as cursor:
        cursor.execute("update images set sha256 = ? where path = ?", [sha256, str(path)])
    client = world.client()
    for query in ("", *(f"?w={width}" for width in WIDTHS)):
        # made, and then from the cache
        for _ in range(2):
            answer = client.get(f"/img/{sha256}{query}")
            assert answer.status_code == 200
            assert TOLD not in answer.content
            assert not {"content-disposition", "content-location"} & set(answer.headers)
            # not when the picture was first looked at, and nothing that a file's moment went into
            assert answer.headers["last-modified"] == "Thu, 01 Jan 1970 00:00:00 GMT"
            assert answer.headers["etag"] in (f'"{sha256}"', f'"{sha256}-{query[3:]}"')
    shown = decoded(client.get(f"/img/{sha256}").content)
    np.testing.assert_array_equal(values(shown), values(decoded(data)))
    assert client.get(f"/api/studio/original/{sha256}").content == data
    path.unlink()
    assert client.get(f"/img/{sha256}").status_code == 200
    assert client.get(f"/api/studio/original/{sha256}").status_code == 404


def test_originals_are_for_researchers_alone(tmp_path: Path) -> None:
    with house(tmp_path) as place:
        path = tmp_path / "sdv2" / "00000" / "samples" / "0000.png"
        path.write_bytes(FILES["png"][0]())
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        with place.store.read() as cursor:
            cursor.execute("update images set sha256 = ? where path = ?", [sha256, str(path)])
        for client in (place.account("anna"), place.invited("crowd"), place.client()):
            for address in (
                f"/api/studio/original/{sha256}",
                f"/img/{sha256}?original=1",
                f"/img/../api/studio/original/{sha256}",
            ):
                answer = client.get(address)
                assert TOLD not in answer.content
                assert (answer.status_code == 200) == (address.startswith(f"/img/{sha256}") and bool(client.cookies))
        for name in ("rosa", "adam"):
            answer = place.account(name).get(f"/api/studio/original/{sha256}")
            assert (answer.status_code, answer.content) == (200, path.read_bytes())
            # their form is the same as everybody's
            assert TOLD not in place.account(name).get(f"/img/{sha256}").content


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
    assert world.client().get(f"/api/studio/original/{sha256}").content == content


@pytest.mark.parametrize(
    "name",
    ["0" * 64, "x", "0" * 63, "F" * 64, "..%2f..%2fconcord.duckdb", "../concord.duckdb", "%2e%2e/app.py", "0" * 64 + "%0a"],
)
def test_files_that_are_no_image_are_refused(standing_world: World, name: str) -> None:
    for address in ("/img/", "/api/studio/original/"):
        answer = standing_world.client().get(f"{address}{name}")
        assert answer.status_code == 404
        assert b"DUCK" not in answer.content
