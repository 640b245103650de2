"""A scope is read from any address, followed as far as the project goes, and says what it leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import parse_qs

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.scope import Scope, open_scope
from data.store.core.connections import DATABASE
from data.store.core.store import Store
from tests.concord import generators_project


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        generators_project.fill(opened)
        yield opened


def read(query: str) -> Scope:
    values = parse_qs(query)
    return Scope.read(lambda name: values.get(name, []))


def test_an_empty_address_opens_the_main_suite_and_question(store: Store) -> None:
    opened = open_scope(store, read(""))
    assert opened is not None
    assert (opened.scope.suite, opened.scope.aspect, opened.asked) == ("s", "correct", Scope())
    assert (opened.size.images, opened.size.prompts, opened.size.answers, opened.size.people) == (24, 12, 48, 2)
    assert {choice.value: choice.images for choice in opened.choices["generator"]} == {"good": 12, "bad": 12}
    assert {choice.value: choice.images for choice in opened.choices["task"]} == {"t1": 12, "t2": 12}


def test_images_of_pairs_count_once(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
    with duckdb.connect(tmp_path / "project" / DATABASE) as database:
        database.execute("insert into items values ('s/pair/0', 'pair', 's', 's/0', 't1', null, 'p', null)")
        database.execute("insert into item_members select 's/pair/0', image_id, idx, null from images where prompt_id = 's/0'")
    with Store(tmp_path / "project") as store:
        opened = open_scope(store, read(""))
    assert opened is not None
    assert opened.size.images == 24
    assert {choice.value: choice.images for choice in opened.choices["task"]} == {"t1": 12, "t2": 12}


def test_what_there_is_not_is_said_and_the_rest_is_followed(store: Store) -> None:
    opened = open_scope(store, read("suite=s&generator=goood&generator=bad&task=t2&statistic=cohen_kappa_quadratic"))
    assert opened is not None
    assert opened.asked == Scope("s", "", ("bad",), "t2")
    assert len(opened.lost) == 2
    assert "goood" in opened.lost[0]
    assert "good" in opened.lost[0].replace("goood", "")
    assert (opened.size.images, opened.size.prompts) == (6, 6)
    reasons = {choice.value: choice.reason for choice in opened.choices["statistic"]}
    assert reasons["cohen_kappa"] == ""
    assert "nominal" in reasons["cohen_kappa_quadratic"]


def test_all_generators_by_name_are_none_in_particular(store: Store) -> None:
    opened = open_scope(store, read("generator=good&generator=bad"))
    assert opened is not None
    assert opened.asked.generator == ()


def test_a_project_without_judgements_has_no_scope(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as empty:
        assert open_scope(empty, Scope()) is None


@given(
    st.dictionaries(st.sampled_from(["suite", "aspect", "generator", "task", "statistic"]), st.lists(st.text(max_size=1200)))
)
def test_whatever_an_address_says_its_query_says_again(values: dict[str, Sequence[str]]) -> None:
    scope = Scope.read(lambda name: values.get(name, []))
    again: dict[str, list[str]] = {}
    for name, value in scope.query():
        again.setdefault(name, []).append(value)
    assert Scope.read(lambda name: again.get(name, [])) == scope
