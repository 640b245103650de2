"""A report's looks: one self-contained HTML page, Markdown, or PDF. Every text is escaped by default.

A PDF is the page printed by a Chromium that knows no network.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import tempfile
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from concord.common.context import CommandError
from concord.common.machine import BROWSERS, browser
from concord.common.table import Table
from concord.common.text_tables import markdown as table_lines
from ui.report.sections import Document

_TEMPLATES: Final = Path(__file__).parent / "templates"
_DOTS: Final = Path(__file__).parents[2] / "assets" / "css" / "dots.css"
# an underscore within a word is plain text in Markdown
_MARKDOWN: Final = re.compile(r"[\\`*|\[\]~#]|(?<!\w)_|_(?!\w)")


def html(report: Document) -> str:
    """One page that works without a network: styles, drawings, pictures and the data for machines stand in it."""
    return _html(report, _packed(as_json(report.data)))


def printed(report: Document) -> str:
    """The same to be printed: without the data for machines."""
    return _html(report, Markup())


def part_html(report: Document) -> str:
    """Return a report's heading and sections with its style, to stand in a root of its own."""
    return environment(autoescape=True).get_template("part.html").render(report=report, style=style())


@cache
def style() -> Markup:
    """The style of a report's page: its own, and that of dots, which Studio's places have, too."""
    return Markup("\n").join((_script("report.css"), Markup(_DOTS.read_text(encoding="utf-8"))))


def _html(report: Document, data: Markup) -> str:
    shown = any(section.tables or section.samples for section in report.sections) or data
    scripts = [_script("report.js")] if shown else []
    page = environment(autoescape=True).get_template("report.html")
    return page.render(report=report, data=data, style=style(), scripts=scripts, policy=_policy(scripts))


def _packed(text: str) -> Markup:
    """Return a text compressed (gzip) and in Base64, which stands in an element as it is."""
    return Markup(b64encode(gzip.compress(text.encode(), mtime=0)).decode())


def _script(name: str) -> Markup:
    return Markup((_TEMPLATES / name).read_text(encoding="utf-8"))


def _policy(scripts: Sequence[str]) -> str:
    """What the page may do: run these very scripts, show what stands in it, and fetch nothing."""
    hashes = [f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts]
    allowed = " ".join(hashes or ["'none'"])
    rest = "base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; img-src data: blob:"
    return f"default-src 'none'; {rest}; script-src {allowed}"


def markdown(report: Document) -> str:
    """GitHub's Markdown, with the data in a block of code at its end."""
    made = environment(autoescape=False, finalize=plain_markdown)
    return made.get_template("report.md").render(
        report=report, data=Markup(as_json(report.data)), code=_code, table_lines=_table_lines
    )


def as_json(data: Mapping[str, Any]) -> str:
    """JSON with a line for each entry of a list, which can be read and compared."""
    parts = []
    for name, value in data.items():
        lines = ",\n".join(_dumps(each) for each in value) if isinstance(value, list) else ""
        parts.append(f"{_dumps(name)}: " + (f"[\n{lines}\n]" if lines else _dumps(value)))
    return "{\n" + ",\n".join(parts) + "\n}"


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def environment(**options: Any) -> Environment:
    """Jinja's, with the templates of all formats."""
    loader = FileSystemLoader(_TEMPLATES)
    return Environment(loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, **options)


def _table_lines(table: Table) -> list[Markup]:
    return [Markup(line) for line in table_lines(table, plain_markdown)]


def _code(text: str) -> Markup:
    """A block of code on one line, with a fence that the text cannot end."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markup(f"{fence}\n{' '.join(text.splitlines())}\n{fence}")


def plain_markdown(value: Any) -> Any:
    """Text on one line, in which nothing is Markdown or HTML."""
    if isinstance(value, Markup):
        return value
    text = " ".join(str(value).split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(lambda match: f"\\{match[0]}", text)


NONE: Final = (
    f"a PDF is printed by Chromium, and there is none (looked for {', '.join(BROWSERS)}); install one, or use --format html"
)
_SECONDS: Final = 300


def pdf(report: Document) -> bytes:
    """The report as PDF, A4.

    Raises:
        CommandError: there is no Chromium, or it fails.
    """
    program = browser()
    if program is None:
        raise CommandError(NONE)
    with tempfile.TemporaryDirectory(prefix="concord-report-") as folder:
        page, out = Path(folder) / "report.html", Path(folder) / "report.pdf"
        page.write_text(printed(report), encoding="utf-8")
        command = [program, "--headless", "--disable-gpu", "--no-pdf-header-footer", "--disable-dev-shm-usage"]
        command += ["--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update"]
        command += [f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000", f"--print-to-pdf={out}", page.as_uri()]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # as root Chromium does not start otherwise
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CommandError(f"{program} could not print the report: {error}") from error
        if done.returncode or not out.is_file():
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise CommandError(f"{program} could not print the report (exit status {done.returncode}): {last[:300]}")
        return out.read_bytes()
