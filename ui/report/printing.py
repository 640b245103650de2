"""A report as PDF: its page printed by a Chromium that knows no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from ui.report import render
from ui.report.content import Document

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
NONE: Final = (
    f"a PDF is printed by Chromium, and there is none (looked for {', '.join(BROWSERS)}); install one, or use --format html"
)
_SECONDS: Final = 300


class NoPrinter(RuntimeError):
    """There is no PDF; the message says why in one sentence."""


def browser() -> str | None:
    """A Chromium of this machine."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def pdf(report: Document) -> bytes:
    """The report as PDF, A4 landscape.

    Raises:
        NoPrinter: there is no Chromium, or it fails.
    """
    program = browser()
    if program is None:
        raise NoPrinter(NONE)
    with tempfile.TemporaryDirectory(prefix="concord-report-") as folder:
        page, out = Path(folder) / "report.html", Path(folder) / "report.pdf"
        page.write_text(render.printed(report), encoding="utf-8")
        command = [program, "--headless", "--disable-gpu", "--no-pdf-header-footer", "--disable-dev-shm-usage"]
        command += ["--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update"]
        command += [f"--user-data-dir={folder}/profile", "--virtual-time-budget=20000", f"--print-to-pdf={out}", page.as_uri()]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            # as root Chromium does not start otherwise
            command.insert(1, "--no-sandbox")
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NoPrinter(f"{program} could not print the report: {error}") from error
        if done.returncode or not out.is_file():
            last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise NoPrinter(f"{program} could not print the report (exit status {done.returncode}): {last[:300]}")
        return out.read_bytes()
