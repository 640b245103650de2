"""Every reader of files takes wrong ones, always the same; ``benchmarks/fuzz.py`` gives them as many as it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.cases import draw_case, try_case
from tests.fuzz.oracle import Hang, Unexpected, time_limit, wrong_with
from tests.fuzz.targets import READERS, Target

CASES = 30


@pytest.mark.parametrize("target", READERS, ids=lambda target: target.name)
def test_a_reader_says_what_is_wrong_or_reads(target: Target, tmp_path: Path) -> None:
    for files in target.files:
        assert str(try_case(target, files, tmp_path / "case") or "") == ""
    for seed in range(CASES):
        finding = try_case(target, draw_case(target, seed), tmp_path / "case")
        assert finding is None, f"seed {seed}: {finding}"


def test_a_seed_gives_the_same_case() -> None:
    for target in READERS:
        assert draw_case(target, 7) == draw_case(target, 7)
        assert len({repr(draw_case(target, seed)) for seed in range(20)}) > 10


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
def test_forbidden_errors_of_a_reader_are_detected(tmp_path: Path, error: Exception, why: str) -> None:
    finding = try_case(_raising(error), {"a.txt": b"a"}, tmp_path / "case")
    assert finding is not None
    assert finding.why.startswith(why)


@pytest.mark.parametrize("text", ["", "two\nlines", "x" * 501, "invalid literal for int()", "half \ud800"])
def test_unhelpful_messages_are_detected(text: str) -> None:
    from data.files import InputError, fail

    with pytest.raises(InputError) as result:
        fail(Path("f"), 1, text)
    assert (wrong_with(result.value, (ValueError,)) is None) == (text == "")


def test_a_reader_that_hangs_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.oracle.HANG", 0.05)

    def for_ever() -> None:
        with time_limit():
            while True:
                pass

    with pytest.raises(Hang):
        for_ever()
