"""Export of the report: `export report` writes the document in every format, and the data behind it as a zip of tables."""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, get_args

import pandas as pd

from concord.agreement import selected
from concord.common import machine, next_steps, wording
from concord.common.context import CommandError, Context, UsageError, writing
from concord.common.table import texts
from concord.common.text_tables import markdown as table_lines
from concord.exporting import export_target, why_no_ratings
from concord.open_project import OpenProject
from concord.reporting.material import Material, gather
from data.export import formats
from data.export.formats import Columns, Kind
from data.export.rows import RATING_COLUMNS
from data.files import write_whole
from data.selection import Selection
from ui.report import html, sections_methods
from ui.report.document import document
from ui.report.formats import FORMATS, PARTS, FormatName, format_of_ending
from ui.report.latex import latex
from ui.report.sections import Document, printed_document

_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
"""Of every file in the zip, so that the same tables are the same bytes."""
_JUDGEMENT_COLUMNS: Final[Columns] = {
    "suite": "text", "prompt": "text", "task": "text", "generator": "text", "item": "text", "rater": "text", "kind": "text",
    "identity": "text", "simulated": "truth", "aspect": "text", "target": "text", "label": "text", "value": "real",
    "excluded": "text", "rule_version": "text", "source_id": "text", "campaign": "text", "submitted": "moment", "seq": "whole",
}  # fmt: skip
TABLES: Final[Mapping[str, str]] = {
    "ratings": "the ratings that count, one a row; `import ratings` reads this file and gives the same numbers (but for a"
    " suite's own metrics, which need its prompts)",
    "judgements": "every judgement of the selection, those that do not count too, with the reason",
    "among_people": "people among themselves, as `agreement --format json` prints it",
    "raters": "scorers against people, as `agreement --format json` prints it",
    "by_certainty": "the same by how sure people are",
    "matrix": "any two raters, over all generators and tasks",
    "comparisons": "scorers compared with each other by their agreement with people",
    "thresholds": "scores as decisions: agreement out of fold, and the threshold",
    "scorer_means": "scorers' own means where no person has judged",
    "suite_metrics": "the metrics that the suites' own papers define, of each scorer and of people (rater empty)",
    "confusions": "answers crossed, one cell a row",
    "curves": "agreement along the threshold of a score",
    "samples": "the sample failures, by item",
    "recruitment": "how people were asked, by campaign and field",
    "definitions": "the statistics",
    "facts": "versions, seed, hash, and the command that makes the report again",
}
"""Which tables there are, and what a row of each is."""
COLUMN: Final[Mapping[str, str]] = {
    "suite": "set of prompts", "prompt": "the prompt's id", "task": "category of prompt; all, or tasks_mean: the mean of tasks",
    "generator": "who made the images; all: pooled", "item": "what was judged", "rater": "who judged", "kind": "of rater",
    "identity": "person, or slot (nobody in particular)", "simulated": "whether the rater is a seeded imitation",
    "aspect": "what was judged", "target": "object, relation or question that it is about; empty: the whole, or pooled",
    "scale": "of the value", "value": "the value; of a statistic empty with a reason", "label": "the value as a label",
    "seq": "order of arrival", "excluded": "why it does not count; of a statistic JSON, counts by reason",
    "rule_version": "the rules that made the judgement", "source_id": "of the answer or evidence behind it",
    "campaign": "where it was asked", "submitted": "when, UTC", "people": "real or simulated people", "statistic": "its name",
    "low": "lower end of the 95 % interval", "high": "upper end", "n_items": "items used", "n_ratings": "ratings used",
    "reason": "why there is no value", "method": "how value and interval were made", "people_as": "each, majority or mean",
    "a": "first rater", "b": "second rater", "certainty": "unanimous, majority or split", "title": "name on screen",
    "ceiling_value": "people's own number on the same items", "ceiling_low": "lower end", "ceiling_high": "upper end",
    "ceiling_n_items": "items of it", "ceiling_n_ratings": "ratings of it", "ceiling_reason": "why there is none",
    "ceiling_method": "how it was made", "ceiling_verdict": "where the scorer stands beside people",
    "ceiling_verdict_reason": "why there is no verdict", "ceiling_scorer": "the scorer's number in people's places",
    "ceiling_difference": "that less people's", "ceiling_difference_low": "lower end", "ceiling_difference_high": "upper end",
    "ceiling_margin": "so far from people it still counts as equivalent", "ceiling_p": "two-sided, of no difference",
    "ceiling_p_holm": "corrected by Holm's method over one statistic's rows, as all p; verdicts go by it",
    "ceiling_p_equivalent": "of a difference as large as the margin", "ceiling_p_equivalent_holm": "corrected",
    "ceiling_prompts_needed": "about how many more prompts would tell in four of five studies",
    "ceiling_words": "the verdict as a sentence",
    "ceiling_others_verdict": "the same beside other people, from five identified persons on",
    "ceiling_others_reason": "why there is none", "ceiling_others_low": "lower end of the difference, persons random as well",
    "ceiling_others_high": "upper end", "ceiling_others_p": "two-sided, persons random as well",
    "ceiling_others_p_holm": "corrected", "ceiling_others_p_equivalent": "of the margin, persons random as well",
    "ceiling_others_p_equivalent_holm": "corrected",
    "saw_labels": "whether the scorer's settings were chosen with people's labels in view",
    "value_a": "the first's own agreement", "value_b": "the second's", "low_a": "lower end", "high_a": "upper end",
    "low_b": "lower end", "high_b": "upper end", "p": "two-sided", "p_holm": "corrected by Holm's method",
    "mcnemar": "JSON: the four cells and the exact test", "threshold": "yes above this", "in_sample": "on the same data",
    "fold_thresholds": "JSON: of each fold", "rater_says": "the scorer's answer", "people_say": "people's answer, by majority",
    "n_images": "images (or targets) counted",
    "group": "which kind of failure", "field": "what was asked", "said": "by whoever ran the campaign; empty: not reported",
    "counted": "what Concord knows itself", "name": "what", "meaning": "in words", "formula": "how it is computed",
    "range": "what values there can be", "source": "where it comes from", "what": "which fact", "which": "the fact",
}  # fmt: skip


def zipped(report: Document, material: Material, form: str) -> bytes:
    """All tables in one zip, as ``csv`` or ``parquet``; a table without rows is left out."""
    out, written = io.BytesIO(), []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (table, columns) in _all(report, material).items():
            if len(table):
                _put(archive, f"{name}.{form}", formats.file_of(form, table, columns))
                written.append((f"{name}.{form}", TABLES[name], len(table), columns))
        _put(archive, "README.md", _readme(report, written).encode())
    return out.getvalue()


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    info = zipfile.ZipInfo(name, _MOMENT)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    archive.writestr(info, content)


def _all(report: Document, material: Material) -> dict[str, tuple[pd.DataFrame, Columns]]:
    judgements = material.judgements.assign(excluded=material.left_out).rename(columns={"number": "value"})
    tables: dict[str, tuple[pd.DataFrame, Columns]] = {
        "ratings": (material.ratings, RATING_COLUMNS),
        "judgements": (judgements, _JUDGEMENT_COLUMNS),
    }
    definitions = [
        {"statistic": name, "name": s.title, "meaning": s.meaning, "formula": s.formula, "range": s.range, "source": s.source}
        for name, s in wording.STATISTICS.items()
    ]
    sections = {
        **material.rows.to_json(),
        "confusions": report.data["confusions"],
        "curves": report.data["curves"],
        "samples": report.data["samples"],
        "recruitment": sections_methods.as_rows(material.recruited),
        "definitions": definitions,
        "facts": [{"what": fact, "which": which} for fact, which in sections_methods.facts(material)],
    }
    return tables | {name: typed(sections[name]) for name in TABLES if name in sections}


def typed(rows: Sequence[Mapping[str, Any]]) -> tuple[pd.DataFrame, Columns]:
    """Rows as a table with typed columns; a ceiling's parts are columns of their own, anything else nested is JSON."""
    flat = [_flat(row) for row in rows]
    names = list(dict.fromkeys(name for row in flat for name in row))
    columns = {name: _kind(row.get(name) for row in flat) for name in names}
    return pd.DataFrame([{name: row.get(name) for name in names} for row in flat], columns=names, dtype=object), columns


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if name == "ceiling":
            flat |= {f"ceiling_{part}": number for part, number in (value or {}).items()}
        elif isinstance(value, Mapping | list | tuple):
            flat[name] = json.dumps(value, ensure_ascii=False, allow_nan=False)
        else:
            flat[name] = value
    return flat


def _kind(values: Iterable[Any]) -> Kind:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "truth"
    if kinds == {int}:
        return "whole"
    return "real" if kinds and kinds <= {int, float} else "text"


def _readme(report: Document, written: Sequence[tuple[str, str, int, Columns]]) -> str:
    lines = [f"# {_line(report.title)}", "", _line(report.lead), "", "Made by Concord. To make it again:", ""]
    lines += [f"    {_line(str(report.data['command']))}", ""]
    for name, title, n, columns in written:
        lines += [f"## {name}", "", f"{title[:1].upper()}{title[1:]} ({wording.count(n, 'row')}).", ""]
        rows = [(column, kind, COLUMN.get(column, "")) for column, kind in columns.items()]
        lines += table_lines(texts(name, ("column", "type", "what"), rows))
        lines.append("")
    lines += ["Types: text, real (double), whole (64-bit integer), truth (true, false), moment (UTC). Any cell may be empty."]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split()).replace("<", "&lt;")


def export_report(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    form: FormatName | None,
    output: str,
    seed: int = 0,
    part: Sequence[str] | None = None,
) -> None:
    """``export report``: the selection's numbers, what they were made from, and the command that remakes it.

    Raises:
        UsageError: there is no such part.
        CommandError: nothing counts, the file cannot be written, or there is no Chromium for a PDF.
    """
    parts = tuple(part or ())
    for each in parts:
        if each not in PARTS:
            raise UsageError(f"--part {each}: a report has no such part; its parts are {', '.join(PARTS)}")
    ending = output.rsplit(".", 1)[-1].lower()
    named = format_of_ending(ending)
    target, path = export_target(context, output, form or named, get_args(FormatName))
    zip_note, name = "", next(each for each in FORMATS if each == target)
    if named not in (None, name) and not FORMATS[name].is_zip:
        raise CommandError(f"{output} would hold {name}: name the file .{FORMATS[name].suffix}, or leave out --format")
    if FORMATS[name].is_zip:
        zip_note = f", a zip of {name} tables"
        if ending != "zip":
            path, output = path.with_name(f"{path.name}.zip"), f"{output}.zip"
    # say at once that there is no Chromium, not after all has been computed
    if name == "pdf" and machine.browser() is None:
        raise CommandError(html.NONE)
    chosen = selected(context, selection)
    command = export_command(context.store, chosen, name, output, seed, parts)
    material = gather(context.store, chosen, seed, command, _progress_printer(context))
    if material.ratings.empty:
        raise CommandError(why_no_ratings(material.judgements))
    content = WRITERS[name](document(material, parts), material)
    with writing(path):
        write_whole(path, content)
    context.say(f"the report on {wording.count(len(material.ratings), 'rating')} is in {output}{zip_note}")


WRITERS: Final[Mapping[FormatName, Callable[[Document, Material], bytes]]] = {
    "html": lambda document, _: html.html(document).encode(),
    "md": lambda document, _: html.markdown(document).encode(),
    "pdf": lambda document, _: html.pdf(printed_document(document)),
    "latex": lambda document, _: latex(printed_document(document)).encode(),
    "csv": lambda document, material: zipped(document, material, "csv"),
    "parquet": lambda document, material: zipped(document, material, "parquet"),
}
"""Make a report's file; raises a CommandError if that is not possible here."""


def export_command(
    store: OpenProject, selection: Selection, form: str, output: str, seed: int, parts: Sequence[str] = ()
) -> str:
    """The command that makes this very report again."""
    filters = [word for name, values in selection.to_dict().items() for value in values for word in (f"--{name}", value)]
    other = [*(["--seed", str(seed)] if seed else []), *(word for part in parts for word in ("--part", part))]
    line = shlex.join(["export", "report", *filters, *other, "--format", form, "-o", output])
    return next_steps.command_lines(store, (line,))[0]


def _progress_printer(context: Context) -> Callable[[str, float], None]:
    """Progress on a terminal, a line that is written over; a file or a pipe gets none."""
    if not context.err.isatty():
        return lambda *_: None

    def tell(step: str, share: float) -> None:
        print(f"\r{share:4.0%} {step:<40}", end="\r", file=context.err, flush=True)

    return tell
