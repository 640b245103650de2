"""Uploads: what hostile files become, what is guessed, and what is stored of a preview."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from concord.common.context import CommandError
from concord.importing import uploads
from concord.importing.uploads import guess_columns, guess_ratings, guess_scale, path_source, uploaded_source
from data.store.core.store import Store
from tests.ui.small_project import png

IMAGES = {"generator": "my model (1)", "suite": "mine"}


def zipped(path: Path, members: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


@pytest.fixture
def picture(tmp_path: Path) -> bytes:
    return png(tmp_path / "picture.png").read_bytes()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened


@pytest.mark.parametrize("name", ["../evil.png", "a/../../evil.png", "/tmp/evil.png", "..\\evil.png"])
def test_a_zip_writes_nothing_outside(name: str, store: Store, picture: bytes, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"within|absolute"):
        uploaded_source(store, [zipped(tmp_path / "slip.zip", {name: picture})])
    assert list((store.project / "cache" / "uploads").iterdir()) == []
    assert not list(tmp_path.rglob("*evil*"))


def test_a_zip_s_links_are_no_images(store: Store, tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.png")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(CommandError, match="no image and no table"):
        uploaded_source(store, [tmp_path / "links.zip"])


def test_zips_that_are_none_or_hold_too_much_are_refused(
    store: Store, picture: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no.zip").write_bytes(b"PK nothing")
    with pytest.raises(CommandError, match="cannot be unpacked"):
        uploaded_source(store, [tmp_path / "no.zip"])
    clash = zipped(tmp_path / "clash.zip", {"a.png": picture, "a.png/b.png": picture})
    with pytest.raises(CommandError, match="cannot be unpacked"):
        uploaded_source(store, [clash])
    monkeypatch.setattr(uploads, "MAX_UNPACKED", 10)
    with pytest.raises(CommandError, match="at most"):
        uploaded_source(store, [zipped(tmp_path / "big.zip", {"a.png": picture})])


def test_a_preview_stores_nothing_and_says_what_is_left_out(store: Store, picture: bytes, tmp_path: Path) -> None:
    table = b"File,Caption\na.png,a red apple\ngone.png,a dog\nbad.png,a cat\n"
    members = {"set/images.csv": table, "set/a.png": picture, "set/bad.png": b"none", "__MACOSX/set/._a.png": b""}
    source = uploaded_source(store, [zipped(tmp_path / "mine.zip", members)])
    assert (source.layout, source.name) == ("csv", "mine")
    seen = uploads.preview(store, source, IMAGES)
    assert seen.bundle is not None
    assert [prompt.text for prompt in seen.bundle.prompts] == ["a red apple"]
    assert seen.skipped == ["gone.png: images.csv:3: no such file", "bad.png: images.csv:4: not an image of a known format"]
    assert seen.number is None

    stored = uploads.store_source(store, source, IMAGES, lambda _: None)
    assert stored.number is not None
    assert not source.path.exists()
    (image,) = store.project.glob("images/upload-*/a.png")
    assert image.read_bytes() == picture


def test_each_wrong_rating_has_its_own_line(store: Store, picture: bytes, tmp_path: Path) -> None:
    images = {"images.csv": b"path,prompt\na.png,a red apple\n", "a.png": picture}
    source = uploaded_source(store, [zipped(tmp_path / "mine.zip", images)])
    uploads.store_source(store, source, IMAGES, lambda _: None)
    table = tmp_path / "ratings.csv"
    table.write_text("file,worker,score\na.png,ann,4\na.png,bob,x\na.png,cat,good\na.png,dan,2\na.png,eve,5\n")
    ratings = uploaded_source(store, [table])
    guess = guess_ratings(store, ratings)
    assert (guess["scale"], guess["suite"], guess["exported"]) == ("ordinal:1-5", "mine", False)
    options = {name: guess[name] for name in ("item", "rater", "value", "aspect", "scale", "suite", "kind")}
    errors = uploads.preview(store, ratings, options).errors
    assert [line.partition(": ")[0] for line in errors] == ["ratings.csv:3", "ratings.csv:4"]
    table.write_text("file,worker,score\na.png,ann,4\na.png,dan,2\n")
    seen = uploads.preview(store, uploaded_source(store, [table]), options)
    assert seen.bundle is not None
    assert seen.bundle.ratings is not None
    assert len(seen.bundle.ratings) == 2


def test_a_path_must_be_whole_and_there(tmp_path: Path) -> None:
    for text in ("", "images", "../images", str(tmp_path / "none"), "/\0"):
        with pytest.raises(CommandError):
            path_source(text)
    with pytest.raises(CommandError, match=r"no images\.csv"):
        path_source(str(tmp_path))


def test_of_a_folder_of_generators_one_is_named_to_be_read(tmp_path: Path) -> None:
    for generator in ("sd", "glide"):
        (tmp_path / generator).mkdir()
        (tmp_path / generator / "10811_0.png").touch()
    (tmp_path / "empty").mkdir()
    with pytest.raises(CommandError, match=rf"one folder after the other, such as {tmp_path}/glide;"):
        path_source(str(tmp_path))
    assert path_source(str(tmp_path / "glide")).layout == "visor"


def test_guesses() -> None:
    assert guess_columns(["Worker", "FILE", "x"], uploads.RATING_NAMES) == {"item": "FILE", "rater": "Worker"}
    scales = {"nominal": "yes no y", "ordinal:1-4": "2 4 3 x", "ordinal:0-5": "0 5 3 2", "interval": "0.25 1e-3 7 0.5"}
    assert {guess_scale(values.split()): values for values in scales.values()} == scales
    assert guess_scale([]) == "nominal"
    assert guess_scale(["cat", "dog"]) == "nominal"
