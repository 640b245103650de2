"""Names in a file and the project's images: paths of other machines, other spellings, addresses."""

from __future__ import annotations

import unicodedata

import pytest

from data.ratings.name_matching import KnownItem, alike, is_address, match_rows, path_parts
from data.ratings.rating_tables import RatedItem


def image(path: str, n: int = 0) -> KnownItem:
    generator = path.split("/")[-2]
    return KnownItem(f"m/0/{generator}/{n}", "m", True, path, f"{n:064x}", "m/0", "a “red” cup", generator, n)


KNOWN = [image("/srv/new/sdxl/00000.png"), image("/srv/new/flux/00000.png"), image("/srv/new/Größe/été.png", 1)]


def matched(*names: str, known: list[KnownItem] = KNOWN) -> dict[str, tuple[str, str]]:
    """By name the path of the image that it is, and the way; without those that match none."""
    found: dict[str, tuple[str, str]] = {}
    for name in names:
        matches = match_rows([RatedItem(1, name)], known)
        found |= {key: (item.path or "", next(iter(matches.ways))) for key, item in matches.items.items()}
    return found


@pytest.mark.parametrize(
    "name",
    [
        r"C:\data\sdxl\00000.png", "D:/old/place/sdxl/00000.png", "/data/out/sdxl/00000.png", "sdxl/00000",
        r"sdxl\00000.png",
        "https://x.org/bucket/sdxl/00000.png?v=2", "file:///tmp/sdxl/00000.png", r"\\server\share\sdxl\00000.png",
    ],
)  # fmt: skip
def test_a_path_of_another_machine_names_the_image(name: str) -> None:
    assert matched(name) == {name: ("/srv/new/sdxl/00000.png", "path")}


@pytest.mark.parametrize(
    "name",
    ["SDXL/00000.PNG", "sdxl /00000.png", r"C:\Data\Sdxl\00000.png", "\uff53dxl/00000.png", "sd\u200bxl/00000.png"],
)
def test_a_path_spelled_otherwise_names_the_image(name: str) -> None:
    assert matched(name) == {name: ("/srv/new/sdxl/00000.png", "path, spelled otherwise")}


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_letters_taken_apart_name_the_image(form: str) -> None:
    for name in ("Größe/été.png", "été.png", "/x/Größe/été.png"):
        written = unicodedata.normalize(form, name)  # type: ignore[arg-type]
        assert matched(written)[written][0] == "/srv/new/Größe/été.png"


def test_a_file_name_in_two_folders_and_another_folder_match_nothing() -> None:
    assert matched("00000.png", r"C:\data\kandinsky\00000.png", "kandinsky/00000.png", "C:/00000.png") == {}


def test_two_folders_that_end_alike_are_not_one_image() -> None:
    rows = [RatedItem(1, "/a/v1/sdxl/00000.png"), RatedItem(2, "/a/v2/sdxl/00000.png"), RatedItem(3, "/a/v1/flux/00000.png")]
    matches = match_rows(rows, KNOWN)
    assert list(matches.items) == ["/a/v1/flux/00000.png"]
    assert sorted(matches.unmatched) == ["/a/v1/sdxl/00000.png", "/a/v2/sdxl/00000.png"]


def test_a_prompt_in_other_quotes_and_spaces_is_the_same() -> None:
    rows = [RatedItem(1, "x", prompt='a "red"  cup', generator="sdxl")]
    matches = match_rows(rows, KNOWN)
    assert {item.generator for item in matches.items.values()} == {"sdxl"}


def test_addresses_and_drives_are_known() -> None:
    assert [is_address(text) for text in ("https://x.org/a.png", "HTTP://x", "C:/a.png", "a.png", "s3://bucket/a.png")] == [
        True, True, False, False, True,
    ]  # fmt: skip
    assert path_parts(r"C:\a\b.png") == path_parts("/a/b.png") == ("a", "b.png")


def test_names_that_are_alike_are_found() -> None:
    names = ["1", "1.0", "Ann", "ann ", "mäßig", unicodedata.normalize("NFD", "mäßig"), "other"]
    assert [len(group) for group in alike(names)] == [2, 2, 2]
    assert alike(["a", "A"], ("space",)) == []
