"""The vocabulary of records is the same wherever it stands a second time."""

from __future__ import annotations

import re
from typing import get_args

from agreement.estimate import Kind
from data.records import RaterKind
from data.store.core.schema import migration_files


def test_raters_are_of_the_same_kinds_in_records_numbers_and_the_database() -> None:
    first = migration_files()[1].read_text(encoding="utf-8")
    (allowed,) = re.findall(r"create table raters.*?check \(kind in \(([^)]*)\)\)", first, re.DOTALL)
    assert set(get_args(RaterKind)) == set(get_args(Kind)) == set(re.findall(r"'(\w+)'", allowed))
