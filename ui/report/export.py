"""``export report``: what raters say of a selection and how far they agree, as a document that can be checked and remade."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from concord.agreement import selected
from concord.common import next_steps, wording
from concord.common.context import CommandError, Context
from concord.exporting import export_target, why_no_ratings, write_export
from data.store.core.selection import Selection
from data.store.core.store import Store

if TYPE_CHECKING:
    from ui.report.content import Document
    from ui.report.material import Material

FORMATS: Final = ("html", "md", "pdf", "latex", "csv", "parquet")
SUFFIX: Final = {"latex": "tex", "csv": "zip", "parquet": "zip"}
"""How a format's file ends, where that is not its name."""
_ENDING: Final = {"tex": "latex", "htm": "html", "markdown": "md", "zip": "csv"}


def export_report(
    context: Context, selection: Mapping[str, Sequence[str]], form: str | None, output: str, seed: int = 0
) -> None:
    """``export report``: the selection's numbers, what they were made from, and the command that remakes it.

    Raises:
        CommandError: nothing counts, the file cannot be written, or there is no Chromium for a PDF.
    """
    ending = output.rsplit(".", 1)[-1].lower()
    form, path = export_target(context, output, form or _ENDING.get(ending), FORMATS)
    what = ""
    if SUFFIX.get(form) == "zip":
        what = f", a zip of {form} tables"
        if ending != "zip":
            path, output = path.with_name(f"{path.name}.zip"), f"{output}.zip"
    # the template library is of no use to any other command
    from ui.report.document import document
    from ui.report.material import gather, options_of

    if form == "pdf":
        _printable()
    chosen = selected(context, selection)
    command = export_command(context.store, chosen, form, output, seed)
    material = gather(context.store, chosen, options_of(chosen, seed), command, _progress_printer(context))
    if material.ratings.empty:
        raise CommandError(why_no_ratings(material.said))
    write_export(path, render_report(document(material), material, form))
    context.say(f"the report on {wording.count(len(material.ratings), 'rating')} is in {output}{what}")


def render_report(document: Document, material: Material, form: str) -> bytes:
    """The report in one of FORMATS.

    Raises:
        CommandError: it cannot be made here.
    """
    from ui.report import data_archive, html
    from ui.report.html import NoPrinter, pdf
    from ui.report.latex import latex

    if form == "pdf":
        try:
            return pdf(document)
        except NoPrinter as error:
            raise CommandError(str(error)) from error
    writers: dict[str, Callable[[], bytes]] = {
        "html": lambda: html.html(document).encode(),
        "md": lambda: html.markdown(document).encode(),
        "latex": lambda: latex(document).encode(),
    }
    return writers[form]() if form in writers else data_archive.zipped(document, material, form)


def export_command(store: Store, selection: Selection, form: str, output: str, seed: int) -> str:
    """The command that makes this very report again."""
    filters = [word for name, values in selection.to_dict().items() for value in values for word in (f"--{name}", value)]
    other = ["--seed", str(seed)] if seed else []
    line = shlex.join(["export", "report", *filters, *other, "--format", form, "-o", output])
    return next_steps.command_lines(store, (line,))[0]


def _printable() -> None:
    """Say at once that there is no Chromium, not after all has been computed.

    Raises:
        CommandError: there is none.
    """
    from concord.common import machine
    from ui.report import html

    if machine.browser() is None:
        raise CommandError(html.NONE)


def _progress_printer(context: Context) -> Callable[[str, float], None]:
    """Progress on a terminal, a line that is written over; a file or a pipe gets none."""
    if not context.err.isatty():
        return lambda *_: None

    def tell(what: str, share: float) -> None:
        print(f"\r{share:4.0%} {what:<40}", end="\r", file=context.err, flush=True)

    return tell
