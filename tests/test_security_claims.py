"""What docs/security.md claims: every protection names tests. Every test that it or docs/campaigns.md names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
CAMPAIGNS = (ROOT / "docs" / "campaigns.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", TEXT + CAMPAIGNS)))
ROWS = [line for part in re.findall(r"\| threat \|.*?\n((?:\|.*\n)+)", TEXT) for line in part.splitlines()[1:]]


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_tests_that_are_named_are_there(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    results = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name in results if name else any(name.startswith("test_") for name in results)


def test_every_protection_names_a_test() -> None:
    assert len(ROWS) > 20
    assert len(NAMED) > 30
    assert [row for row in ROWS if not re.search(r"`tests/[\w/]+\.py", row.rsplit("|", 2)[1])] == []
