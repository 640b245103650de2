"""Downloads of scorers' models, as Add and Runs show them: how far, or why not, and what can be done."""

from __future__ import annotations

import htpy
from htpy import Element, Node

from concord.runs import model_downloads
from concord.runs.model_downloads import ModelDownload
from ui.components.tables import progress_bar
from ui.pages.add.fields import sending, submit


def downloads_section() -> Node:
    """Return the downloads that are under way or went wrong; "" if there are none."""
    rows = [_row(each) for each in model_downloads.all_downloads()]
    return htpy.section(class_="cc-add-downloads", aria_label="Downloads")[rows] if rows else ""


def _row(download: ModelDownload) -> Element:
    scorer, _, profile = download.name.partition(" ")
    actions = {"stop": "Stop"} if download.is_active else {"again": "Try again", "close": "Close"}
    buttons = [
        sending("runs/download", submit(text), label=f"{text}: {download.name}", name=download.name, action=action)
        for action, text in actions.items()
    ]
    title = f"{scorer} ({profile})"
    if download.is_active:
        said = [
            htpy.p(role="status")[f"Downloading the model for {title}: {download.text}. Scoring begins by itself then."],
            progress_bar(download.done, download.total or 1, f"Download for {title}"),
        ]
    elif download.state == "stopped":
        said = [htpy.p[f"The download for {title} was stopped at {download.text}. It goes on from there."]]
    else:
        lines = [_line(line) for line in download.error]
        said = [htpy.div(role="alert")[htpy.p[htpy.strong[f"The download for {title} failed."]], lines]]
    css = ["cc-add-download", download.state == "failed" and "is-failed"]
    return htpy.div(class_=css, data_again=download.is_active or None)[said, htpy.div(class_="cc-add-end")[buttons]]


def _line(line: str) -> Element:
    """Return a line of what went wrong; one in backticks is a command."""
    return htpy.code(class_="cc-code cc-add-remedy")[line.strip("`")] if line.startswith("`") else htpy.p[line]
