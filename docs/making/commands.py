"""Every command with its options, from the same definitions as ``--help``."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from enum import Enum
from functools import cache
from typing import Any, Final, get_args

from typer.main import get_command

from app import app
from docs.making.blocks import code, table
from docs.making.examples import EXAMPLES
from ui.commands.options import FILTERS

RUN: Final = "uv run app.py"


def leaves(command: Any = None, words: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its words."""
    command = get_command(app) if command is None else command
    below = getattr(command, "commands", None)
    if below is None:
        yield " ".join(words), command
        return
    for name, one in below.items():
        yield from leaves(one, (*words, name))


def parsed(line: str) -> None:
    """Read a command's line as the app does, without running it.

    Raises:
        Exception: the app would refuse it.
    """
    _idle_tree().main(words_of(line), prog_name="app.py", standalone_mode=False)


@cache
def _idle_tree() -> Any:
    """All commands, none of which does anything; made once, since there are many lines to read."""
    tree = get_command(app)
    for _, leaf in leaves(tree):
        leaf.callback = lambda **_: None
    tree.callback = None
    return tree


def words_of(line: str) -> list[str]:
    """A line's words up to where the shell takes over (a redirection, a second command, a comment)."""
    read = shlex.shlex(line, posix=True, punctuation_chars="&>|;")
    read.whitespace_split = True
    found = []
    for word in read:
        if word[0] in "&>|;":
            break
        found.append(word)
    return found


def made() -> str:
    """All commands as Markdown."""
    parts = [_filters()]
    for words, command in sorted(leaves()):
        parts.append(f"## {words}\n\n{' '.join((command.help or '').split())}\n")
        examples = "\n".join(f"{RUN} {one}" for one in EXAMPLES.get(words, ()))
        parts.append(f"```\n{examples}\n```\n")
        parts.append(_options(command))
    return "\n".join(parts)


def _filters() -> str:
    rows = [(code(f"--{name}"), text) for name, text in FILTERS.items()]
    said = "Commands that take a selection share these; each can be repeated, and values of one are alternatives."
    return f"## Filters\n\n{said}\n\n{table(('option', 'what it does'), rows)}\n"


def _options(command: Any) -> str:
    own, shared = [], []
    for one in command.params:
        name = one.opts[0].removeprefix("--")
        if one.param_type_name == "option" and (name == "project" or (name in FILTERS and one.help == FILTERS[name])):
            shared.append(code(one.opts[0]))
        elif name != "help":
            own.append((_name(one), _default(one), _what(one)))
    parts = [table(("", "default", "what it does"), own) + "\n"] if own else []
    if shared:
        parts.append(f"As everywhere: {', '.join(shared)}.\n")
    return "\n".join(parts)


def _choices(annotation: Any) -> list[Enum]:
    """What may be given, of an option that is one of an enumeration or a list of its members."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return list(annotation)
    return [each for inner in get_args(annotation) for each in _choices(inner)]


def _name(one: Any) -> str:
    if one.param_type_name == "argument":
        return code(one.metavar or one.name.upper())
    names = ", ".join(code(name) for name in (*one.opts, *one.secondary_opts))
    return names if getattr(one, "is_flag", False) or not one.metavar else f"{names} {code(one.metavar)}"


def _default(one: Any) -> str:
    if one.required:
        return "required"
    if getattr(one, "is_flag", False):
        return {True: "on", False: "off"}.get(one.default, "")
    value = one.default.value if isinstance(one.default, Enum) else one.default
    return "" if value is None or value in ("", [], ()) or callable(value) else code(value)


def _what(one: Any) -> str:
    choices = [each.value for each in _choices(one.type_descriptor.annotation)]
    said = [one.help or "", f"One of {', '.join(code(each) for each in choices)}." if choices else ""]
    if one.param_type_name == "option" and one.multiple and "epeatable" not in said[0]:
        said.append("Repeatable.")
    return " ".join(part for part in said if part)
