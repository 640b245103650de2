"""``score --engine`` and several devices: refused in one line where they make no sense, and no part of what a rater is."""

from __future__ import annotations

from pathlib import Path

import pytest

from concord.common.context import CommandError, UsageError
from concord.runs import score
from data.jobs.runs import RunFolder
from scorers.running import engines


def test_what_cannot_be_is_refused_before_anything_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    score.check_engine("local", "cuda:0,cuda:1")
    with pytest.raises(UsageError, match="there is no engine 'spark'; known: local, ray"):
        score.check_engine("spark", "cpu")
    with pytest.raises(UsageError, match="expected names with commas between them"):
        score.check_engine("local", "cpu,,cpu")
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    with pytest.raises(CommandError, match="install it with: uv sync --group ray"):
        score.check_engine("ray", "cpu")


def test_runs_that_were_begun_before_there_were_engines_are_local(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(
        '{"run_id": "r", "scorer": "geneval", "version": "1", "profile": "playground", "settings": {}, "device": "cpu",'
        ' "part_size": 32}'
    )
    assert RunFolder(tmp_path).job().engine == engines.LOCAL
