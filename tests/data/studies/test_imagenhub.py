"""ImagenHub's tables: ratings, and what is refused in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.files import InputError
from data.records import Image
from data.studies.imagenhub import CONSISTENCY, QUALITY, read_imagenhub
from tests.concord.studies import small_studies


def test_imagenhub(tmp_path: Path) -> None:
    tables = small_studies.imagenhub(tmp_path)
    read = read_imagenhub(tables, {"sample_0.jpg": "a banana"})
    assert [prompt.text for prompt in read.prompts[:2]] == ["a banana", "sample_1.jpg"]
    first = read.rows[0]
    assert (first.image, first.rater_id, first.identity) == (Image("imagenhub/00000", "DALLE", 0), "imagenhub/rater1", "person")
    assert first.answers == {CONSISTENCY: 1, QUALITY: 0.5}
    assert len(read.rows) == 3 * 4 * 2
    assert not read.excluded


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("0.5", ":2: a cell is '0.5', a list of two numbers"),
        ("[0.5]", "a list of two numbers"),
        ("[0.5, __import__('os')]", "a list of two numbers"),  # their notebook evaluates these cells
        ("[true, 1]", "a list of two numbers"),
    ],
)
def test_wrong_cells_of_imagenhub(tmp_path: Path, cell: str, message: str) -> None:
    tables = small_studies.imagenhub(tmp_path, first=cell)
    with pytest.raises(InputError) as caught:
        read_imagenhub(tables, {})
    assert message in str(caught.value)


def test_imagenhub_off_its_scale_and_tables_of_other_images(tmp_path: Path) -> None:
    read = read_imagenhub(small_studies.imagenhub(tmp_path, first="[0.7, 1]"), {})
    assert (read.rows[0].answers, read.rows[0].off_scale) == ({QUALITY: 1}, {CONSISTENCY: 0.7})
    assert ":2: sample_0.jpg, DALLE: [0.7, 1] is not of 0, 0.5 and 1" in read.excluded[0]
    tables = small_studies.imagenhub(tmp_path)
    tables[2].write_text(tables[2].read_text().replace("sample_3.jpg", "sample_4.jpg"))
    with pytest.raises(InputError, match=r"rater3\.tsv: is about other images than Text-To-Image_rater1\.tsv: sample_3\.jpg"):
        read_imagenhub(tables, {})
