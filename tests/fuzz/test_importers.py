"""Imports of wrong files leave nothing behind; of right ones nothing, when they are taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.cases import draw_case, try_case
from tests.fuzz.importers import IMPORTERS, Bench, Importer, bench, targets_of

CASES = 5


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with bench(tmp_path_factory.mktemp("bench")) as result:
        yield result


@pytest.mark.parametrize("n", range(len(IMPORTERS)), ids=[importer.name for importer in IMPORTERS])
def test_an_import_is_whole_or_nothing(made: Bench, n: int, tmp_path: Path) -> None:
    target = targets_of(made)[n]
    for files in target.files:
        taken = made.taken
        assert str(try_case(target, files, tmp_path / "case") or "") == ""
        assert made.taken == taken + (target.name != "campaigns create"), "the valid files were not imported"
    for seed in range(CASES):
        finding = try_case(target, draw_case(target, seed), tmp_path / "case")
        assert finding is None, f"seed {seed}: {finding}"


def test_leftovers_of_an_import_are_detected(made: Bench, tmp_path: Path) -> None:
    def parameters(folder: Path) -> dict[str, str]:
        with made.store.read() as cursor:
            cursor.execute("insert into scales values ('left', 'correct', 'nominal', null)")
        return {"file": str(folder / "gone"), "suite": "mine"}

    importer = Importer("x", "import prompts", ({"a.txt": b""},), parameters)
    target = next(t for t in targets_of(made) if t.name == "import prompts")
    made_of = type(target)("x", importer.files, lambda folder: made.run(importer, folder), target.promised)
    finding = try_case(made_of, importer.files[0], tmp_path / "case")
    assert finding is not None
    assert "left behind" in finding.why
    assert "scales" in finding.why
