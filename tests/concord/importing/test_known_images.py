"""``import images`` again, when its folder or its table has grown, moved, or names files and prompts in other spellings."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from PIL import Image as Pillow

from tests.ui.small_project import METADATA, concord, done, query

PLACES = (
    "select i.idx || '|' || i.path || '|' || p.text from images i join prompts p using (prompt_id) order by p.prompt_id, i.idx"
)


def picture(path: Path, color: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Pillow.new("RGB", (8, 8), (color, 0, 0)).save(path)
    return path


def listed(folder: Path, *rows: str, header: str = "path,prompt") -> Path:
    (folder / "images.csv").write_text("\n".join([header, *rows]) + "\n")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for n, name in enumerate(("a.png", "b.png", "c.png", "sub/d.png")):
        picture(tmp_path / "made" / name, 10 * n)
    return tmp_path / "made"


def importing(project: Path, folder: Path) -> tuple[int, str]:
    ran = concord(project, "import", "images", folder, "--layout", "csv", "--generator", "g")
    return ran.status, ran.err


def places(project: Path, folder: Path) -> list[str]:
    return [line.replace(f"{folder}/", "") for line in query(project, PLACES)]


def test_a_table_that_grew_at_its_top_keeps_the_numbers(project: Path, folder: Path) -> None:
    importing(project, listed(folder, "b.png,a hen", "c.png,a hen"))
    assert importing(project, listed(folder, "a.png,a hen", "sub/d.png,a hen", "b.png,a hen", "c.png,a hen")) == (0, "")
    assert places(project, folder) == ["0|b.png|a hen", "1|c.png|a hen", "2|a.png|a hen", "3|sub/d.png|a hen"]
    assert importing(project, listed(folder, "c.png,a hen")) == (0, "")
    assert len(places(project, folder)) == 4


def test_numbers_are_kept_though_the_prompt_is_spelled_otherwise(project: Path, folder: Path) -> None:
    importing(project, listed(folder, "b.png,a  hen"))
    status, said = importing(project, listed(folder, "a.png,a hen", "b.png,a hen"))
    assert status == 0
    assert "1 prompt taken for the suite's" in said
    assert [line[:7] for line in places(project, folder)] == ["0|b.png", "1|a.png"]


@pytest.mark.parametrize(
    ("rows", "why", "kept"),
    [
        (["a.png,a hen", "b.png,a hen", "a.png,a hen"], "images.csv:4: the same file as before; it counts once", 2),
        (["a.png,a hen", "./a.png,a hen"], "images.csv:3: the same file as before; it counts once", 1),
        (["a.png,a hen", "A.PNG,a hen"], "images.csv:3: the same file as before; it counts once", 1),
        (["a.png,a hen", "a.png,a hen "], "images.csv:3: the same file as before; it counts once", 1),
        (["sub/d.png,a hen", "sub\\d.png,a hen"], "images.csv:3: the same file as before; it counts once", 1),
    ],
)
def test_a_row_twice_is_stored_once_and_said(project: Path, folder: Path, rows: list[str], why: str, kept: int) -> None:
    status, said = importing(project, listed(folder, *rows))
    assert (status, len(places(project, folder))) == (1, kept)
    assert why in said


def test_a_known_file_is_not_stored_again_under_another_number(project: Path, folder: Path) -> None:
    importing(project, listed(folder, "a.png,a hen", "b.png,a hen"))
    status, said = importing(project, listed(folder, "a.png,a hen,1", "c.png,a hen,2", header="path,prompt,idx"))
    assert status == 1
    assert "images.csv:2: the project has this file as number 0; it is not stored again as 1" in said
    assert places(project, folder) == ["0|a.png|a hen", "1|b.png|a hen", "2|c.png|a hen"]


def test_a_folder_that_moved_keeps_its_numbers(project: Path, folder: Path, tmp_path: Path) -> None:
    importing(project, listed(folder, "b.png,a hen", "c.png,a hen"))
    folder.rename(tmp_path / "moved")
    importing(project, listed(tmp_path / "moved", "a.png,a hen", "c.png,a hen", "b.png,a hen"))
    assert places(project, tmp_path / "moved") == ["0|b.png|a hen", "1|c.png|a hen", "2|a.png|a hen"]


def test_equal_pictures_are_both_stored_and_said(project: Path, folder: Path) -> None:
    picture(folder / "e.png", 0)
    status, said = importing(project, listed(folder, "a.png,a hen", "e.png,a hen"))
    assert (status, len(places(project, folder))) == (0, 2)
    assert "1 image the same picture as another of the prompt, e.g. " in said


def geneval(folder: Path, *names: str) -> Path:
    for n, name in enumerate(names):
        picture(folder / "00000" / "samples" / name, 40 + n * (1 + len(name)))
    (folder / "00000" / "metadata.jsonl").write_text(json.dumps(METADATA[0]))
    return folder


def test_a_folder_with_a_new_first_sample_keeps_the_numbers(project: Path, tmp_path: Path) -> None:
    words = ["import", "images", geneval(tmp_path / "g", "m.png", "n.png"), "--layout", "geneval", "--generator", "g"]
    done(project, *words)
    picture(tmp_path / "g" / "00000" / "samples" / "a.png", 200)
    done(project, *words)
    assert [(line.split("|")[0], Path(line.split("|")[1]).name) for line in query(project, PLACES)] == [
        ("0", "m.png"), ("1", "n.png"), ("2", "a.png"),
    ]  # fmt: skip


def result(name: str, correct: bool) -> str:
    row = {"filename": name, "tag": METADATA[0]["tag"], "prompt": METADATA[0]["prompt"], "correct": correct, "reason": ""}
    return json.dumps(row | {"metadata": json.dumps(METADATA[0]), "details": "{}"})


def test_genevals_results_find_samples_with_names_of_their_own(project: Path, tmp_path: Path) -> None:
    geneval(tmp_path / "g", "seed 7.png", "seed_12.v2.png")
    done(project, "import", "images", tmp_path / "g", "--layout", "geneval", "--generator", "g")
    names = ["seed 7.png", "seed_12.v2.png", "unknown.png"]
    (tmp_path / "r.jsonl").write_text("\n".join(result(f"out/g/00000/samples/{name}", n == 1) for n, name in enumerate(names)))
    ran = concord(project, "import", "results", "geneval", tmp_path / "r.jsonl")
    assert ran.status == 1
    assert "r.jsonl:3: geneval/00000 has no image 'unknown.png' by g in this project; import the images first" in ran.err
    verdicts = query(
        project, "select i.path || ' ' || j.label from judgements j join images i on i.image_id = j.item_id"
        " where j.aspect = 'correct' and j.target is null order by i.idx",
    )  # fmt: skip
    assert [Path(line).name for line in verdicts] == ["seed 7.png no", "seed_12.v2.png yes"]


@pytest.mark.parametrize(
    ("file", "cell"),
    [
        ("sub/x.png", "sub\\x.png"),
        ("IMG1.PNG", "img1.png"),
        ("Sub/Deep/x.png", "sub/deep/X.PNG"),
        (unicodedata.normalize("NFD", "Café.png"), unicodedata.normalize("NFC", "Café.png")),
        (unicodedata.normalize("NFC", "Čáp/ň.png"), unicodedata.normalize("NFD", "Čáp/ň.png")),
        ("it’s.png", "it's.png"),
    ],
)
def test_a_path_is_found_in_another_spelling(project: Path, tmp_path: Path, file: str, cell: str) -> None:
    picture(tmp_path / "made" / file, 3)
    assert importing(project, listed(tmp_path / "made", f"{cell},a hen")) == (0, "")
    assert places(project, tmp_path / "made") == [f"0|{file}|a hen"]


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        ("https://x.org/a.png", "'path' 'https://x.org/a.png' is an address, not a path: fetch it first"),
        ("s3://bucket/a.png", "is an address, not a path"),
        ("C:\\data\\sub\\d.png", "is absolute; paths are relative to the folder of images.csv; did you mean 'sub/d.png'?"),
        ("/mnt/made/b.png", "is absolute; paths are relative to the folder of images.csv; did you mean 'b.png'?"),
        ("sub/dd.png", "no such file; did you mean 'sub/d.png'?"),
        ("nowhere.png", "no such file"),
        ("../a.png", "holds '..'"),
    ],
)
def test_a_path_that_is_none_says_what_is_there(project: Path, folder: Path, cell: str, why: str) -> None:
    status, said = importing(project, listed(folder, f"{cell},a hen", "a.png,a hen"))
    assert status == 1
    assert "images.csv:2: " in said
    assert why in said
    assert len(places(project, folder)) == 1


def test_two_files_of_one_spelling_are_told_apart_by_theirs(project: Path, folder: Path) -> None:
    picture(folder / "A.PNG", 90)
    importing(project, listed(folder, "A.PNG,a hen", "a.png,a hen"))
    assert places(project, folder) == ["0|A.PNG|a hen", "1|a.png|a hen"]
    status, said = importing(project, listed(folder, "A.png,a hen"))
    assert status == 1
    assert "no such file" in said


@pytest.mark.parametrize(
    "text", ["a photo of a bench ", "a photo  of a bench", "a\u00a0photo of a bench", "\u200ba photo of a bench"]
)
def test_a_prompt_that_is_nearly_the_suites_is_the_suites(project: Path, folder: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "p.jsonl").write_text(json.dumps({"prompt": "a photo of a bench", "spec": {"a": "bench"}}))
    done(project, "import", "prompts", tmp_path / "p.jsonl", "--suite", "s")
    listed(folder, "a.png,a photo of a bench", f"b.png,{text}", "c.png,A photo of a bench.")
    ran = concord(project, "import", "images", folder, "--layout", "csv", "--generator", "g", "--suite", "s")
    assert ran.status == 0
    assert "1 prompt taken for the suite's, as only spaces, quotes or the like differ" in ran.err
    assert (
        "1 prompt new to suite s and has no spec: 'A photo of a bench.'; did you mean s/00000, 'a photo of a bench'?" in ran.err
    )
    assert query(project, "select prompt_id || ' ' || idx from images order by 1") == ["s/00000 0", "s/00000 1", "s/00001 0"]
