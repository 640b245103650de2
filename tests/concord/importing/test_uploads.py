"""Uploads and readings: what hostile files become, what is guessed, and what is stored of what was shown."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from concord.common.context import CommandError
from concord.importing import readings, uploads
from concord.importing.guesses import RATING_NAMES, guess_columns, guess_ratings, guess_scale
from concord.importing.readings import Choices, Source, path_source
from concord.importing.upload_folders import delete_uploads
from data.store import imports
from data.store.core.store import Store
from tests.ui.small_project import png

IMAGES = Choices("mine", {"mine": "my model (1)"})


def uploaded_source(store: Store, files: Sequence[Path], names: Sequence[str] = ()) -> Source:
    """Return what a browser's files are read as."""
    copies = []
    for n, file in enumerate(files):
        copies.append(store.project / "cache" / "gradio" / f"{n}-{file.name}")
        copies[-1].parent.mkdir(parents=True, exist_ok=True)
        copies[-1].write_bytes(file.read_bytes())
    named = list(zip(copies, names or [file.name for file in files], strict=True))
    return readings.uploaded_source(store, uploads.receive(store, None, named))


def stored(store: Store, source: Source, choices: Choices) -> readings.ReadingOutcome:
    return readings.store_source(store, source, choices, lambda _: None)


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
    assert source.tree is not None
    assert (source.kind, source.tree.generators) == ("images", ["set"])
    seen = readings.preview(store, source, IMAGES)
    (bundle,) = seen.bundles
    assert [prompt.text for prompt in bundle.prompts] == ["a red apple"]
    assert seen.skipped == ["gone.png: images.csv:3: no such file", "bad.png: images.csv:4: not an image of a known format"]
    assert (seen.count, seen.numbers, imports.listed(store)) == (1, [], [])

    assert stored(store, source, IMAGES).numbers == [1]
    assert not source.work.exists()
    (image,) = store.project.glob("images/upload-*/a.png")
    assert image.read_bytes() == picture


def test_each_wrong_rating_has_its_own_line(store: Store, picture: bytes, tmp_path: Path) -> None:
    images = {"images.csv": b"path,prompt\na.png,a red apple\n", "a.png": picture}
    source = uploaded_source(store, [zipped(tmp_path / "mine.zip", images)])
    stored(store, source, IMAGES)
    table = tmp_path / "ratings.csv"
    table.write_text("file,worker,score\na.png,ann,4\na.png,bob,x\na.png,cat,good\na.png,dan,2\na.png,eve,5\n")
    ratings = uploaded_source(store, [table])
    assert ratings.guess == (guess := guess_ratings(store, table))
    assert (guess.request.scale, guess.request.suite, guess.exported) == ("ordinal:1-5", "mine", False)
    choices = readings.usual_choices(ratings)
    errors = readings.preview(store, ratings, choices).errors
    assert [line.partition(": ")[0] for line in errors] == ["ratings.csv:3", "ratings.csv:4"]
    table.write_text("file,worker,score\na.png,ann,4\na.png,dan,2\n")
    ratings = uploaded_source(store, [table])
    assert readings.preview(store, ratings, choices).count == 2
    assert stored(store, ratings, choices).numbers == [2]


def test_a_path_must_be_whole_and_there(store: Store, tmp_path: Path) -> None:
    for text in ("", "images", "../images", str(tmp_path / "none"), "/\0"):
        with pytest.raises(CommandError):
            path_source(store, text)
    (tmp_path / "empty").mkdir()
    with pytest.raises(CommandError, match="no image and no table"):
        path_source(store, str(tmp_path / "empty"))


def test_two_generators_in_one_folder_are_stored_at_once_and_undone(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    for n in range(32):
        png(folder / ("flux", "sdxl")[n % 2] / f"{n // 2:02}.png", f"rgb({n}, 0, 0)", (16, 16))
    (folder / "prompts.txt").write_text("\n".join(f"a prompt numbered {n}" for n in range(16)))
    here, uploaded = path_source(store, str(folder)), sorted(path for path in folder.rglob("*") if path.is_file())
    for source in (here, uploaded_source(store, uploaded, [f"mine/{path.relative_to(folder)}" for path in uploaded])):
        choices = replace(readings.usual_choices(source), suite="mine", generators={"flux": "flux-schnell"})
        outcome = stored(store, source, choices)
        assert (outcome.count, list(outcome.errors)) == (32, [])
        generators = store.query_column("select distinct generator from images where sha256 is not null order by 1")
        assert generators == ["flux-schnell", "sdxl"]
        assert store.query_column("select count(distinct text) from prompts") == [16]
        for number in outcome.numbers:
            imports.undo(store, number)
    assert all(path.is_file() for path in uploaded)


def test_prompts_that_are_missing_are_written_by_the_files_order(store: Store, tmp_path: Path) -> None:
    files = [png(tmp_path / f"{name}.png", f"rgb({n}, 9, 9)") for n, name in enumerate(("sd_1", "sd_2", "xl_1", "xl_2"))]
    source = uploaded_source(store, files)
    assert source.tree is not None
    choices = replace(readings.usual_choices(source), suite="mine")
    assert readings.preview(store, source, choices).errors == ["no image has a prompt yet: write them, one a line"]
    typed = readings.read_lines("a red apple\ntwo cups\none too many", source.tree.keys)
    outcome = stored(store, source, replace(choices, prompts=typed))
    assert outcome.numbers == [1]
    assert store.query_column("select distinct text from prompts order by 1") == ["a red apple", "two cups"]


def test_what_cannot_be_stored_can_be_changed_and_stored(store: Store, picture: bytes, tmp_path: Path) -> None:
    source = uploaded_source(store, [zipped(tmp_path / "sd.zip", {"a red apple.png": picture, "two cups.png": picture})])
    outcome = stored(store, source, Choices("mine", {"sd": "a/b"}))
    assert outcome.numbers == []
    assert "must not hold '/'" in outcome.errors[0]
    assert stored(store, source, Choices("mine", {"sd": "a"})).numbers == [1]


def test_files_are_known_by_what_they_hold(store: Store, tmp_path: Path) -> None:
    files = {
        "prompts.txt": ("a red apple\n", "prompts"),
        "prompts.jsonl": ('{"prompt": "a red apple"}\n', "prompts"),
        "prompts.csv": ("id,prompt\n1,a red apple\n", "prompts"),
        "ratings.csv": ("image,worker,score\na.png,ann,4\n", "ratings"),
        "human_annotations_with_scores.json": ("[]", "study"),
    }
    for name, (text, kind) in files.items():
        (tmp_path / name).write_text(text)
        assert path_source(store, str(tmp_path / name)).kind == kind, name
    (tmp_path / "images.csv").write_text("path,prompt\na.png,a red apple\n")
    with pytest.raises(CommandError, match="names images: bring them together with it"):
        path_source(store, str(tmp_path / "images.csv"))
    prompts = path_source(store, str(tmp_path / "prompts.txt"))
    choices = replace(readings.usual_choices(prompts), suite="mine")
    assert [prompt.text for prompt in readings.preview(store, prompts, choices).prompts] == ["a red apple"]
    assert stored(store, prompts, choices).numbers == [1]


def test_guesses() -> None:
    assert guess_columns(["Worker", "FILE", "x"], RATING_NAMES) == {"item": "FILE", "rater": "Worker"}
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

    monkeypatch.setattr(uploads, "unzip", lambda *_: pytest.fail("it was unpacked"))
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
    assert not list((store.project / "cache" / "uploads").rglob("*.csv"))


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
    for outcome in (readings.preview(store, source, IMAGES), stored(store, source, IMAGES)):
        assert outcome.errors == ("this upload was not stored in time and was deleted; upload it again",)
    assert not (store.project / "images").exists()
