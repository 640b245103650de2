"""A report's looks: one self-contained HTML page, or Markdown. Every text is escaped by default in both."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ui.report.content import Document

_TEMPLATES: Final = Path(__file__).parent / "templates"
# an underscore within a word is plain text in Markdown
_MARKDOWN: Final = re.compile(r"[\\`*|\[\]~#]|(?<!\w)_|_(?!\w)")


def html(report: Document) -> str:
    """One page without scripts, whose styles stand in it: nothing is fetched from anywhere."""
    # in a JSON text "<" stands in strings alone, where it may be written so; then no text can end the element
    data = Markup(as_json(report.data).replace("<", "\\u003c"))
    style = Markup((_TEMPLATES / "report.css").read_text(encoding="utf-8"))
    return _environment(autoescape=True).get_template("report.html").render(report=report, data=data, style=style)


def markdown(report: Document) -> str:
    """GitHub's Markdown, with the data in a block of code at its end."""
    environment = _environment(autoescape=False, finalize=_plain)
    return environment.get_template("report.md").render(report=report, data=Markup(as_json(report.data)), code=_code)


WRITERS: Final[Mapping[str, Callable[[Document], str]]] = {"html": html, "md": markdown}
"""By the name of the format."""


def as_json(data: Mapping[str, Any]) -> str:
    """JSON with a line for each entry of a list, which can be read and compared."""
    parts = [f"{_dumps(name)}: {_lines(value) if isinstance(value, list) else _dumps(value)}" for name, value in data.items()]
    return "{\n" + ",\n".join(parts) + "\n}"


def _lines(values: list[Any]) -> str:
    return "[\n" + ",\n".join(_dumps(value) for value in values) + "\n]" if values else "[]"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _environment(**options: Any) -> Environment:
    loader = FileSystemLoader(_TEMPLATES)
    return Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, **options)


def _code(text: str) -> Markup:
    """A block of code on one line, with a fence that the text cannot end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markup(f"{fence}\n{' '.join(text.splitlines())}\n{fence}")


def _plain(value: Any) -> Any:
    """Text on one line, in which nothing is Markdown or HTML."""
    if isinstance(value, Markup):
        return value
    text = " ".join(str(value).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(lambda found: f"\\{found[0]}", text)
