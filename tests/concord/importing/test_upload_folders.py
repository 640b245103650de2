"""Upload folders: what uploads may take together, and how long they stay."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from concord.importing import upload_folders
from concord.importing.upload_folders import (
    UploadsFull,
    delete_uploads,
    received_folder,
    reserved,
    unpacked_folder,
    uploaded_bytes,
)


def write(path: Path, size: int, age: float = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    for changed in (path, path.parent):
        os.utime(changed, (time.time() - age,) * 2)
    return path


def test_what_lies_in_both_folders_and_what_is_on_its_way_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload_folders, "MAX_UPLOADED", 100)
    assert uploaded_bytes(tmp_path) == 0
    with reserved(tmp_path, 100):
        pass
    write(received_folder(tmp_path) / "a" / "a.csv", 30)
    write(unpacked_folder(tmp_path) / "b" / "c" / "d.png", 30)
    (unpacked_folder(tmp_path) / "b" / "link").symlink_to("/dev/zero")
    assert uploaded_bytes(tmp_path) == 60 + len("/dev/zero")
    (unpacked_folder(tmp_path) / "b" / "link").unlink()
    with pytest.raises(UploadsFull, match="Try again later"), reserved(tmp_path, 41):
        pass
    with reserved(tmp_path, 30), reserved(tmp_path / "another project", 100):
        with pytest.raises(UploadsFull), reserved(tmp_path, 11):
            pass
        with reserved(tmp_path, 10):
            pass
    with reserved(tmp_path, 40):
        pass


def test_old_uploads_go_and_nothing_outside(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside" / "kept.csv", 1, age=100)
    received, unpacked = received_folder(tmp_path), unpacked_folder(tmp_path)
    old = [
        write(received / "a" / "a.csv", 1, age=100),
        write(unpacked / "a" / "b" / "a.png", 1, age=100),
        write(received / "tmpx", 1, age=100),
    ]
    new = [write(received / "b" / "a.csv", 1), write(unpacked / "b" / "c" / "a.png", 1)]
    # a folder is as old as its newest file
    os.utime(unpacked / "b", (0, 0))
    (unpacked / "begun").mkdir()
    (unpacked / "link").symlink_to(outside.parent)
    delete_uploads(tmp_path, 50)
    assert [path.exists() for path in old] == [False] * 3
    assert [path.exists() for path in (*new, unpacked / "begun")] == [True] * 3
    delete_uploads(tmp_path)
    assert [*received.iterdir(), *unpacked.iterdir()] == []
    assert outside.exists()
    delete_uploads(tmp_path / "no project")
