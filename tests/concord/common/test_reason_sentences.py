"""Sentences of reasons and methods: each code has one, each is used, and what a code is made with is what its sentence says."""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from agreement.reasons import (
    Coded,
    Method,
    MethodCode,
    Party,
    Reason,
    ReasonCode,
    RemarkCode,
    joined,
)
from concord.common.method_sentences import METHODS
from concord.common.reason_sentences import REASONS, REMARKS, Template, text, text_or_none, worded

ROOT = Path(__file__).resolve().parents[3]
TABLES: Mapping[type[StrEnum], Mapping[Any, Template]] = {ReasonCode: REASONS, MethodCode: METHODS, RemarkCode: REMARKS}
KINDS = {"Reason": "ReasonCode", "Method": "MethodCode", "Remark": "RemarkCode"}


@pytest.mark.parametrize("codes", TABLES, ids=lambda codes: codes.__name__)
def test_every_code_has_a_sentence(codes: type[StrEnum]) -> None:
    assert set(codes) == set(TABLES[codes])


def trees() -> Iterator[ast.Module]:
    for package in ("agreement", "concord"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.name not in ("reasons.py", "sentences.py", "method_sentences.py"):
                yield ast.parse(path.read_text(encoding="utf-8"))


def test_every_code_is_used() -> None:
    used = {
        (node.value.id, node.attr)
        for tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
    }
    own = {("ReasonCode", "NO_INTERVAL"), ("MethodCode", "PARTS"), ("RemarkCode", "PARTS")}
    assert [str(code) for codes in TABLES for code in codes if (codes.__name__, code.name) not in used | own] == []


def wanted_values(template: Template) -> set[str]:
    """The names of the values that a template says."""
    if isinstance(template, str):
        return {name for _, name, _, _ in Formatter().parse(template) if name}
    return set(inspect.signature(template).parameters)


def test_what_a_code_is_made_with_is_what_its_sentence_says() -> None:
    """`Reason(ReasonCode.X, a=1)` has the values that the template of X takes, wherever it is made."""
    checked, wrong = 0, []
    for tree in trees():
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or not call.args or any(word.arg is None for word in call.keywords):
                continue
            code = call.args[0]
            if not isinstance(code, ast.Attribute) or not isinstance(code.value, ast.Name):
                continue
            if code.value.id not in KINDS.values():
                continue
            table = next(table for codes, table in TABLES.items() if codes.__name__ == code.value.id)
            template = next(template for name, template in table.items() if name.name == code.attr)
            checked += 1
            if {word.arg for word in call.keywords} != wanted_values(template):
                wrong.append(f"{code.attr}: {[word.arg for word in call.keywords]}")
    assert checked > 150
    assert wrong == []


def test_a_sentence_says_its_values() -> None:
    few = Reason(ReasonCode.FEW_INFORMATIVE, few=3, n=5, clusters="prompts", needed=5)
    assert text(Reason.no_interval(few)) == "no interval: only 3 of 5 prompts tell more than all the others do; 5 are needed"
    assert text(Reason(ReasonCode.NOT_BOTH_YES_AND_NO, who="anna")) == "anna's answers are not both yes and no"
    assert text(Reason(ReasonCode.NOT_BOTH_YES_AND_NO, who=Party.OTHERS)) == "the others' answers are not both yes and no"
    assert text(Reason(ReasonCode.CONSTANT, names=(Party.SCORER, Party.MEAN_OF_PEOPLE))) == (
        "the scorer and people's mean are constant"
    )
    holm = [text(Method(MethodCode.HOLM, comparisons=n)) for n in (1, 2)]
    assert holm == [
        "Holm over 1 comparison of this statistic and generator",
        "Holm over 2 comparisons of this statistic and generator",
    ]


def test_what_a_rater_is_called_is_only_said() -> None:
    """Names with braces, colons or the words of a template stay what they are."""
    hostile = "{n:,} people's mean; the scorer %s"
    reason = Reason(ReasonCode.NOTHING_SHARED, rater=hostile, other=Party.PEOPLE)
    assert text(reason) == f"{hostile} and people share no unit"


def test_a_code_can_be_kept_compared_and_passed_on() -> None:
    reason = Reason(ReasonCode.CONSTANT, names=("a", Party.PEOPLE))
    assert {reason: 1}[Reason(ReasonCode.CONSTANT, names=("a", Party.PEOPLE))] == 1
    assert reason != Reason(ReasonCode.CONSTANT, names=("b", Party.PEOPLE))
    assert Reason(ReasonCode.EVERY_IMAGE_LABELLED) != Method(MethodCode.EVERY_IMAGE_LABELLED)
    for again in (pickle.loads(pickle.dumps(reason)), copy.deepcopy(reason)):
        assert again == reason
    with pytest.raises(AttributeError):
        reason.code = ReasonCode.ONE_UNIT


def test_a_code_never_stands_in_a_text_by_itself() -> None:
    with pytest.raises(TypeError, match="sentences"):
        f"{Reason(ReasonCode.ONE_UNIT)}"


@dataclass(frozen=True)
class Row:
    reason: Reason | None
    method: Method
    parts: tuple[Coded, ...] = ()


def test_a_row_is_worded_once_and_whole() -> None:
    row = Row(None, joined(None, Method(MethodCode.BY_UNIT), Reason.no_interval(Reason(ReasonCode.TOO_MANY_UNITS))))
    assert worded({"a": [asdict(row)], "n": 3}) == {
        "a": [{"reason": None, "method": "people's ratings by unit; no interval: not made for so many units", "parts": ()}],
        "n": 3,
    }
    assert (text(joined()), text_or_none(None)) == ("", None)


def test_a_method_knows_that_there_is_no_interval() -> None:
    made = joined(Method(MethodCode.BY_UNIT), Reason.no_interval(Reason(ReasonCode.TOO_MANY_UNITS)))
    assert (made.without_interval, Method(MethodCode.BY_UNIT).without_interval) == (True, False)
