"""``import exported``: what ``export`` wrote comes back: whole answers, judgements, ratings, with what they were about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from data.export import annotations as whole
from data.export import judgements, ratings
from data.export.formats import Columns, has_columns
from data.files import InputError, located
from data.store import imports
from data.store.imports import ImportBundle, Imported
from data.tables import Cells, read_cells
from ui import words
from ui.commands import exported
from ui.commands.context import Context, report
from ui.commands.returning_answers import answers_bundle
from ui.commands.returning_judgements import judgements_bundle


def run(context: Context, files: Sequence[str]) -> None:
    """Add the files' contents, all or nothing. Answers come before judgements, which then add only what is not there."""
    paths = [context.file(file) for file in files]
    found = [(kind, path, cells) for path in paths for kind, cells in [_kind(path)]]
    found.sort(key=lambda one: list(_KINDS).index(one[0]))
    bundles = [_bundle(context, kind, path, cells) for kind, path, cells in found]
    for (kind, path, _), bundle, imported in zip(found, bundles, imports.apply(context.store, bundles), strict=True):
        report(context, f"{path.name}: {_summary(kind, bundle, imported)}", imported)


_KINDS: Mapping[str, Columns] = {
    "annotations": whole.ANSWER_COLUMNS,
    "judgements": judgements.JUDGEMENT_COLUMNS,
    "ratings": ratings.RATING_COLUMNS,
}


def _kind(path: Path) -> tuple[str, Cells]:
    cells = read_cells(path)
    for kind, columns in _KINDS.items():
        if has_columns(cells, columns):
            return kind, cells
    near = max(_KINDS, key=lambda kind: len({*_KINDS[kind]} & {*cells.header}))
    missing = [name for name in _KINDS[near] if name not in cells.header]
    what = f"has no column {', '.join(missing[:5])}" if missing else "has other columns too, or one twice"
    raise InputError(
        located(
            path,
            1,
            f"this is no file of 'export annotations', 'export judgements' or 'export ratings' (for {near} it {what});"
            " 'import ratings' reads other tables",
        )
    )


def _bundle(context: Context, kind: str, path: Path, cells: Cells) -> ImportBundle:
    if kind == "ratings":
        return exported.bundle_of(context, path)[0]
    if kind == "judgements":
        return judgements_bundle(path, judgements.read_judgements(path, cells))
    bundle, other_rules = answers_bundle(path, whole.read_answers(path, cells))
    for rule, n in other_rules.items():
        context.warn(f"{path.name}: {words.count(n, 'answer')} judged by {rule} before; this Concord's rules judge them now")
    return bundle


def _summary(kind: str, bundle: ImportBundle, imported: Imported) -> str:
    counts = imported.counts
    new = [words.count(counts.get("annotations", 0), "answer")]
    if kind != "annotations":
        new.append(f"{counts.get('evidence', 0):,} of scorers")
    if counts.get("campaigns"):
        new.append(words.count(counts["campaigns"], "campaign"))
    returned = bundle.returned
    given = 0 if returned is None else len(returned.answers) + len(returned.evidence)
    there = given - counts.get("annotations", 0) - counts.get("evidence", 0)
    return ", ".join(new) + (f" ({there:,} were here already)" if there > 0 and counts else "")
