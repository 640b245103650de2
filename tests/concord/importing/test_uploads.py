"""Uploads: what hostile files become, what is guessed, and what is stored of a preview."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from concord.common.context import CommandError
from concord.importing import uploads
from concord.importing.image_requests import ImageRequest
from concord.importing.rating_request import RatingRequest
from concord.importing.upload_folders import delete_uploads
from concord.importing.uploads import guess_columns, guess_ratings, guess_scale, path_source, uploaded_source
from data.store.core.store import Store
from tests.ui.small_project import png

IMAGES = ImageRequest(layout="csv", generator="my model (1)", suite="mine")


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
    request = RatingRequest(**options)
    errors = uploads.preview(store, ratings, request).errors
    assert [line.partition(": ")[0] for line in errors] == ["ratings.csv:3", "ratings.csv:4"]
    table.write_text("file,worker,score\na.png,ann,4\na.png,dan,2\n")
    seen = uploads.preview(store, uploaded_source(store, [table]), request)
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


def packed(path: Path, content: bytes, method: int, members: int = 1) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for n in range(members):
            archive.writestr(f"{n}.csv", content)
    return path


def test_a_zip_that_promises_too_much_is_refused_before_anything_is_unpacked(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path, why: str) -> None:
        with pytest.raises((CommandError, ValueError), match=why) as caught:
            uploaded_source(store, [path])
        assert len(str(caught.value).splitlines()) == 1
        assert str(tmp_path) not in str(caught.value)

    monkeypatch.setattr(uploads, "unpack", lambda *_: pytest.fail("it was unpacked"))
    # zeros shrink to a thousandth, and by other methods one piece unpacks to gigabytes
    refused(packed(tmp_path / "ratio.zip", bytes(uploads.ANY_RATIO + 1), zipfile.ZIP_DEFLATED), "at most 200 times its size")
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        refused(packed(tmp_path / "method.zip", b"path,prompt", method), "usual method")
    for name in ("a/" * 1800 + "a.csv", "a\\" * 33 + "a.csv"):
        refused(zipped(tmp_path / "deep.zip", {name: b""}), "folders within each other")
    # what is no image counts, too: the list of members is in memory
    monkeypatch.setattr(uploads, "MAX_FILES", 10)
    with zipfile.ZipFile(tmp_path / "members.zip", "w") as archive:
        for n in range(11):
            archive.writestr(f"{n}.txt", "")
    refused(tmp_path / "members.zip", "holds 11 files")
    monkeypatch.setattr(uploads, "MAX_DIRECTORY", 1 << 16)
    refused(packed(tmp_path / "directory.zip", b"", zipfile.ZIP_STORED, 2000), "list of members")
    monkeypatch.setattr("concord.importing.upload_folders.MAX_UPLOADED", 9999)
    refused(packed(tmp_path / "full.zip", bytes(10_000), zipfile.ZIP_STORED), "Try again later")
    plain = tmp_path / "plain.csv"
    plain.write_bytes(bytes(10_000))
    refused(plain, "Try again later")
    assert not (store.project / "cache" / "uploads").exists()


def test_a_zip_that_holds_more_than_it_promises_is_refused(store: Store, tmp_path: Path) -> None:
    content = b"path,prompt\n" + b"a.png,b\n" * 100_000
    data = packed(tmp_path / "lies.zip", content, zipfile.ZIP_DEFLATED).read_bytes()
    (tmp_path / "lies.zip").write_bytes(data.replace(len(content).to_bytes(4, "little"), (20).to_bytes(4, "little")))
    with pytest.raises(CommandError, match="cannot be unpacked"):
        uploaded_source(store, [tmp_path / "lies.zip"])
    assert list((store.project / "cache" / "uploads").iterdir()) == []


def test_an_upload_that_was_deleted_meanwhile_is_said_and_stores_nothing(store: Store, picture: bytes, tmp_path: Path) -> None:
    images = {"images.csv": b"path,prompt\na.png,a red apple\n", "a.png": picture}
    source = uploaded_source(store, [zipped(tmp_path / "mine.zip", images)])
    delete_uploads(store.project)
    for outcome in (uploads.preview(store, source, IMAGES), uploads.store_source(store, source, IMAGES, lambda _: None)):
        assert outcome.errors == ("this upload was not imported in time and was deleted; upload it again",)
    assert not (store.project / "images").exists()
