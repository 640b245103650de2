"""A project that cannot be written: said in one sentence, whoever asks. Root meets it as somebody else, or by a fake."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from data.store.core import store as store_module
from data.store.core.connections import DATABASE, NotWritten
from data.store.core.store import Store, StoreError
from tests.data.store.small_project import content, fill, submit
from tests.ui import small_project

ROOT = Path(__file__).resolve().parents[2]
AS_NOBODY = """
import os, sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
from data.store.core.store import Store, StoreError
Store(Path(sys.argv[3])).close()  # whatever is loaded late is loaded now: nobody may read it
if os.getuid() == 0:
    os.seteuid(65534)
try:
    Store(Path(sys.argv[2])).close()
except StoreError as error:
    print(error)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Store(tmp_path / "project") as store:
        submit(store, fill(store)[0])
    return tmp_path / "project"


@pytest.fixture
def locked(project: Path) -> Iterator[Path]:
    """Nobody but root may write it, and root is not who comes."""
    for path in (project / DATABASE, project):
        path.chmod(0o555 if path.is_dir() else 0o444)
    # pytest's folders are for their owner alone
    for parent in list(project.parents)[:4]:
        parent.chmod(parent.stat().st_mode | 0o055)
    yield project
    project.chmod(0o755)


def _refused(project: Path) -> str:
    """What somebody is told who may read the project only."""
    line = [sys.executable, "-c", AS_NOBODY, str(ROOT), str(project), str(project.parent / "another")]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_read_only_project_is_reported(locked: Path) -> None:
    before = (locked / DATABASE).read_bytes()
    said = _refused(locked)
    assert str(locked / DATABASE) in said
    assert "may not be written by this user" in said
    assert "restore" not in said, "nothing is wrong with it"
    assert (locked / DATABASE).read_bytes() == before


def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(StoreError, match="cannot be created: Permission denied"):
        Store(tmp_path / "new")


def test_a_disk_that_became_read_only_is_reported_and_nothing_is_lost(tmp_path: Path) -> None:
    """The system's own words come from DuckDB, as a disk with errors is mounted anew by the kernel."""
    with Store(tmp_path) as store:
        items = fill(store)
        before = content(store)

        def fail(*_: object) -> list[None]:
            raise duckdb.IOException('IO Error: Could not write file "x": Read-only file system')

        with pytest.raises(NotWritten, match="can only be read now"):
            store.write(fail, None)
        assert content(store) == before
        assert submit(store, items[0]).new


def test_an_open_project_says_which_error_of_the_disk_it_met(tmp_path: Path) -> None:
    words = {
        "Input/output error": "does not answer",
        "Disk quota exceeded": "is full",
        "Permission denied": "may not be written",
    }
    with Store(tmp_path) as store:
        for system, ours in words.items():

            def fail(_: object, __: object, system: str = system) -> list[None]:
                raise duckdb.IOException(f"IO Error: Could not write file: {system}")

            with pytest.raises(NotWritten, match=ours):
                store.write(fail, None)


def test_other_errors_are_passed_on_unchanged(tmp_path: Path) -> None:
    with Store(tmp_path) as store:

        def fail(*_: object) -> list[None]:
            raise duckdb.ConversionException("no number")

        with pytest.raises(duckdb.ConversionException):
            store.write(fail, None)


def test_a_command_reports_a_read_only_project_in_a_single_line(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    images = small_project.geneval_folder(tmp_path / "sdv2")
    monkeypatch.setattr(
        store_module, "as_disk_error", lambda _error, database: NotWritten(database, "the disk is full; make room")
    )
    monkeypatch.setattr("data.store.imports.bundle._insert_images", _full)
    monkeypatch.setattr("data.store.core.writer.Writer._transaction", _full)
    ran = small_project.concord(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    assert ran.status == 1
    (line,) = ran.err.strip().splitlines()
    assert line.startswith("import images: nothing was written to ")
    assert line.endswith("the disk is full; make room")


def _full(*_: object) -> None:
    raise duckdb.IOException("IO Error: Could not write file: No space left on device")
