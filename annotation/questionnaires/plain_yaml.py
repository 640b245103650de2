"""YAML as people write it by hand, from strangers: plain values only, nothing repeated, nothing that grows when read."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from data.files import quoted

LARGEST: Final = 200_000
"""Characters of a file: far more than a questionnaire needs."""


class YamlError(ValueError):
    """The text cannot be read; the message is one line that says where and why."""


class _Loader(yaml.SafeLoader):
    """``SafeLoader`` without its surprises: "no" and "on" stay words, 12:30 and dates too; aliases and tags are refused."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - as PyYAML declares it

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        where: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.constructor.ConstructorError(None, None, "aliases (*name) are not read", where)
        # they would make sets, dates, bytes, or numbers of what is none
        if event.tag is not None:
            raise yaml.constructor.ConstructorError(None, None, "tags (!name) are not read", where)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            is_word = isinstance(key, yaml.ScalarNode)
            if not is_word or key.value in seen:
                what = f"the key {quoted(key.value)} stands twice" if is_word else "a key must be a word"
                raise yaml.constructor.ConstructorError(None, None, what, key.start_mark)
            seen.add(key.value)
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), ["~", "n", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), ["t", "f"])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^(-?[1-9][0-9]{0,8}|0)$"), list("-0123456789"))


def read(text: str) -> Any:
    """The one document of a text: maps, lists, strings, whole numbers, true and false, null.

    Raises:
        YamlError: it is not YAML, or more than that.
    """
    if len(text) > LARGEST:
        raise YamlError(f"the file has {len(text)} characters; at most {LARGEST} are read")
    try:
        # a safe loader: it makes nothing but the plain values above
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise YamlError(f"{where}{' '.join(str(error.problem or error.context).split())}") from None
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split())) from None
    except RecursionError:
        raise YamlError("it is nested too deeply") from None
