"""Every reader of files takes wrong ones, always the same; ``benchmarks/fuzz.py`` gives them as many as it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.cases import drawn, tried
from tests.fuzz.oracle import Hang, Unexpected, impatient, wrong_with
from tests.fuzz.targets import READERS, Target

CASES = 30


@pytest.mark.parametrize("target", READERS, ids=lambda target: target.name)
def test_a_reader_says_what_is_wrong_or_reads(target: Target, tmp_path: Path) -> None:
    for files in target.files:
        assert str(tried(target, files, tmp_path / "case") or "") == ""
    for seed in range(CASES):
        found = tried(target, drawn(target, seed), tmp_path / "case")
        assert found is None, f"seed {seed}: {found}"


def test_the_same_number_is_the_same_case() -> None:
    for target in READERS:
        assert drawn(target, 7) == drawn(target, 7)
        assert len({repr(drawn(target, seed)) for seed in range(20)}) > 10


def _raising(error: Exception) -> Target:
    def read(_: Path) -> None:
        raise error

    return Target("x", ({"a.txt": b"a"},), read)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (KeyError("a"), "KeyError escapes"),
        # not raised by code of ours
        (ValueError("wrong"), "ValueError of somebody else's"),
        (Unexpected("no"), "no"),
    ],
)
def test_what_no_reader_may_do_is_found(tmp_path: Path, error: Exception, why: str) -> None:
    found = tried(_raising(error), {"a.txt": b"a"}, tmp_path / "case")
    assert found is not None
    assert found.why.startswith(why)


@pytest.mark.parametrize("text", ["", "two\nlines", "x" * 501, "invalid literal for int()", "half \ud800"])
def test_messages_that_help_nobody_are_found(text: str) -> None:
    from data.prompts.reading import InputError, fail

    with pytest.raises(InputError) as found:
        fail(Path("f"), 1, text)
    assert (wrong_with(found.value, (ValueError,)) is None) == (text == "")


def test_a_reader_that_does_not_come_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.oracle.HANG", 0.05)

    def for_ever() -> None:
        with impatient():
            while True:
                pass

    with pytest.raises(Hang):
        for_ever()
