"""Sentences: what the codes of ``agreement.reasons`` say, each by one template, the same on pages, in reports and in JSON."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from agreement.reasons import Coded, Method, Reason
from concord.common.sentences.methods import METHODS
from concord.common.sentences.reasons import REASONS
from concord.common.sentences.remarks import REMARKS
from concord.common.sentences.template import Template, fill


@lru_cache(10_000)
def text(said: Coded) -> str:
    """Return what a reason, a method or a remark says, in words."""
    return fill(_template(said), said, text)


def _template(said: Coded) -> Template:
    table: Any = REASONS if isinstance(said, Reason) else METHODS if isinstance(said, Method) else REMARKS
    template: Template = table[said.code]
    return template


def text_or_none(said: Coded | None) -> str | None:
    """Return what it says, in words; None where there is nothing."""
    return None if said is None else text(said)


def worded(data: Any) -> Any:
    """Return a row, or rows, as JSON has them: every reason, method and remark in words."""
    if isinstance(data, Coded):
        return text(data)
    if isinstance(data, dict):
        return {name: worded(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(worded(value) for value in data)
    return data
