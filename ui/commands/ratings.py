"""``import ratings``: anybody's table of ratings, as people's answers or scorers' evidence."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agreement import Scale, ScaleError
from data.aspects import CANNOT_TELL
from data.files import Problems, printable, quoted
from data.records import Annotation, Evidence, Item, Prompt, Rater
from data.store import imports, library
from data.store.core.frame import TUNED_RATINGS
from data.store.imports import ImportBundle
from data.studies.name_matching import Clash, choose_spellings
from data.studies.rating_tables import (
    JsonTable,
    RatingColumns,
    RatingRow,
    looks_wide,
    other_columns,
    read_rating_table,
    read_ratings,
)
from ui import words
from ui.commands import exported
from ui.commands.context import CommandError, Context, UsageError, digest, report
from ui.commands.derive import DIRECT, direct, rate
from ui.commands.rating_items import DEFAULT_SUITE, EXAMPLES, match_items, some
from ui.commands.rating_values import KEEP_APART, Read, is_missing, is_value, reading

_NAMESPACE = uuid.UUID("0f4f7a0b-5c0f-4e0b-8f3b-0a3f6a1f8a55")


@dataclass(frozen=True, slots=True)
class _Request:
    """The options: what the table's columns mean, and how it is taken in (``ways`` of matching: none means all)."""

    columns: RatingColumns
    aspect: str
    scale: Scale
    suite: str
    suite_is_named: bool
    kind: str
    identity: str | None
    ways: tuple[str, ...]
    new_items: bool
    missing: tuple[str, ...]
    merge: tuple[str, ...]
    saw_labels: bool

    @property
    def import_kind(self) -> str:
        """By which the project knows what is tuned on people's labels."""
        return TUNED_RATINGS if self.saw_labels else "ratings"


@dataclass(frozen=True, slots=True)
class _Rating:
    """One rating as it is stored."""

    row: RatingRow
    item_id: str
    rater: str
    label: str | None
    number: float | None


def run(
    context: Context,
    file: str,
    columns: Mapping[str, str | None],
    aspect: str | None,
    scale: str | None,
    suite: str | None,
    kind: str | None,
    wide: bool | None = None,
    rater_columns: str | None = None,
    ways: Sequence[str] = (),
    new_items: bool = False,
    missing: Sequence[str] = (),
    merge: Sequence[str] = (),
    identity: str | None = None,
    saw_labels: bool = False,
    dry_run: bool = False,
) -> None:
    """``columns`` names the file's columns: ``item`` (several with commas), ``rater``, ``value``, and the optional others.
    ``wide``: whether there is a column per rater; None: not said.

    Without a word about anything the file is one of ``export ratings``, which says these itself.
    """
    path = context.file(file)
    said = {**columns, "aspect": aspect, "scale": scale, "suite": suite, "kind": kind}
    # what changes the meaning of an import, where it is used: without these, the same options as ever are the same import
    more = {
        "index": columns.get("index"),
        "wide": bool(wide or rater_columns),
        "rater_columns": rater_columns,
        "match": sorted(ways),
        "new_items": new_items,
        "missing": sorted(missing),
        "merge": sorted(merge),
        "slots": identity == "slot",
        "saw_labels": saw_labels,
    }
    more = {name: value for name, value in more.items() if value}
    if not any(said.values()) and not more and not dry_run and wide is None:
        exported.run(context, path)
        return
    table = read_rating_table(path)
    if rater_columns and wide is False:
        raise UsageError("--long has no columns of raters; leave --rater-columns out, or --long")
    request = _Request(
        _columns(table, columns, {"aspect": aspect, "scale": scale}, bool(wide or rater_columns), rater_columns),
        str(aspect),
        _scale(str(scale)),
        suite or DEFAULT_SUITE,
        suite is not None,
        kind or "human",
        identity,
        tuple(ways),
        new_items,
        tuple(missing),
        tuple(merge),
        saw_labels,
    )
    _check(request)
    if table.rater is None and wide is None and not request.columns.raters:
        _refuse_wide(table, request)
    named = sorted((name, columns[name]) for name in ("item", "rater", "value", "prompt", "generator", "task"))
    meaning = (named, request.aspect, str(request.scale), request.suite, request.kind)
    sha256 = digest(path, repr((*meaning, sorted(more.items())) if more else meaning))
    known = imports.find_import(context.store, request.import_kind, sha256)
    if known is not None:
        context.say(f"nothing to do: this was imported before, as import {known}")
        return
    bundle, ratings, summary = _bundle_of(context, path, table, request, sha256)
    if dry_run:
        _preview(context, ratings, request.aspect)
        context.say(f"{summary}\na dry run: nothing is stored")
        return
    (imported,) = imports.apply(context.store, [bundle])
    report(context, summary, imported)


def _columns(
    table: JsonTable, columns: Mapping[str, str | None], others: Mapping[str, str | None], wide: bool, rater_columns: str | None
) -> RatingColumns:
    needed = {"item": columns["item"], "rater": columns["rater"] or table.rater, "value": columns["value"], **others}
    if wide:
        if columns["rater"] or columns["value"] or table.rater:
            raise UsageError(
                "with --wide every rater has a column, whose header is the rater's name; leave "
                + ("--wide out: this export says who answered" if table.rater else "--rater and --value out")
            )
        del needed["rater"], needed["value"]
    missing = [f"--{name}" for name, value in needed.items() if not value]
    if missing:
        raise UsageError(f"{', '.join(missing)} missing; only a file of 'export ratings' is read without any option")
    item = tuple(_names(columns["item"]))
    if not item:
        raise UsageError("--item needs the name of a column")
    described = (columns.get("prompt"), columns.get("generator"), columns.get("index"), columns.get("task"))
    made = RatingColumns(item, "", "", (), *described)
    if not wide:
        return replace(made, rater=str(needed["rater"]), value=str(needed["value"]))
    raters = tuple(_names(rater_columns)) or other_columns(table.table, made)
    if not raters:
        raise UsageError("--wide needs columns of raters beside those of the items")
    # a table that pandas saved with its row numbers: on a scale of numbers they would be one more rater
    if any(not name.strip() or name.startswith("Unnamed: ") for name in raters):
        raise CommandError("the table has a column without a name, and no rater is called so; name the raters: --rater-columns")
    return replace(made, raters=raters)


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _scale(text: str) -> Scale:
    try:
        return Scale.parse(text)
    except ScaleError as error:
        raise UsageError(f"--scale: {error}") from error


def _check(request: _Request) -> None:
    if not request.aspect.strip() or not request.suite.strip() or "/" in request.suite:
        raise UsageError("--aspect and --suite need a name, and a suite's has no '/'")
    if request.identity is not None and request.kind == "scorer":
        raise UsageError("--identity is about people; leave it out for scorers")
    if request.saw_labels and request.kind != "scorer":
        raise UsageError("--saw-labels is about scorers: with --kind scorer only")
    if KEEP_APART in request.merge and len(request.merge) > 1:
        raise UsageError("--merge none keeps all names apart; leave it or the others out")


def _refuse_wide(table: JsonTable, request: _Request) -> None:
    """A table with a column per rater would become raters that are called as ratings are."""
    columns = request.columns
    where = table.table.header.index(columns.value) if columns.value in table.table.header else None
    values = set() if where is None else {cells[where].strip() for _, cells in table.table.records}
    raters = looks_wide(table.table, columns, lambda text: is_value(text, request.scale, request.aspect, values))
    if raters:
        raise CommandError(
            f"the column of raters, {quoted(columns.rater)}, holds only values of the scale {quoted(str(request.scale))}"
            f" ({some(map(quoted, raters))}): if there is a column per rater, say --wide instead of --rater and --value;"
            " if these are names of raters, add --long"
        )


def _bundle_of(
    context: Context, path: Path, table: JsonTable, request: _Request, sha256: str
) -> tuple[ImportBundle, list[_Rating], str]:
    """What the import brings, its ratings as they are stored, and what they are in words."""
    rows, gone = read_ratings(table.table, request.columns, lambda text: is_missing(text, request.scale, request.missing))
    left_out = Counter(f"with {quoted(text)}" if text else "without a value" for text in gone) + Counter(table.left_out)
    if not rows:
        raise CommandError(f"{path}: no ratings in it ({_reasons(left_out) or 'no rows'})")
    read, raters = _spelled(context, rows, request)
    values = _read(path, rows, read, bool(request.columns.raters))
    suite = request.suite if request.suite_is_named else None
    matching = match_items(context, rows, suite, request.ways, new_items=request.new_items)
    ratings = [
        _Rating(row, matching.ids.get(row.item, row.item), raters[row.rater], label, number)
        for row, (label, number) in zip(rows, values, strict=True)
    ]
    bundle = _bundle(context, ratings, matching.ids, request, sha256)
    ratings_of = f"{words.count(len(rows), 'rating')} of {words.count(len(bundle.items), 'item')}"
    summary = f"{ratings_of} by {words.count(len(bundle.raters), 'rater')}"
    if request.columns.raters:
        summary += f" ({some(quoted(rater.rater_id) for rater in bundle.raters)})"
    if abstained := sum(one.label == CANNOT_TELL for one in ratings):
        summary += f", {abstained:,} of them abstentions (cannot tell)"
    if left_out:
        summary += f"; {sum(left_out.values()):,} left out: {_reasons(left_out)}"
    if not matching.with_images:
        summary += f"; suite {quoted(request.suite)} has no images"
    return bundle, ratings, summary


def _spelled(context: Context, rows: Sequence[RatingRow], request: _Request) -> tuple[Read, dict[str, str]]:
    """How values are read, and what each rater is called.

    Raises:
        CommandError: labels or raters differ only in how they are written.
    """
    known = imports.known_labels(context.store, request.suite, request.aspect)
    read, labels = reading(request.scale, request.aspect, (row.value for row in rows), known, request.merge)
    people = imports.known_raters(context.store, request.kind)
    raters, clashes = choose_spellings(Counter(row.rater for row in rows), people, request.merge)
    if KEEP_APART in request.merge:
        clashes = []
    wrong = [_clashing(what, found) for what, found in (("labels", labels), ("raters", clashes)) if found]
    if wrong:
        options = dict.fromkeys(f"--merge {one}" for clash in (*labels, *clashes) for one in clash.by)
        raise CommandError(
            f"{'; '.join(wrong)}. If they are the same, add {' '.join(options)}; if not, rename them, or add --merge none"
        )
    return read, raters


def _clashing(what: str, clashes: Sequence[Clash]) -> str:
    each = []
    for clash in clashes:
        known = [text for text in clash.known if text not in clash.texts]
        each.append(" and ".join([*map(quoted, clash.texts), *(f"{quoted(text)} (known already)" for text in known)]))
    return f"{what} differ only in how they are written: {some(each)}"


def _read(path: Path, rows: Iterable[RatingRow], read: Read, wide: bool) -> list[tuple[str | None, float | None]]:
    problems = Problems(path)
    values: list[tuple[str | None, float | None]] = []
    hint = "; if this is no rater's column, name those that are: --rater-columns" if wide else ""
    for row in rows:
        try:
            values.append(read(row.value))
        except ValueError as error:
            problems.add(row.line, f"{printable(row.column)[:60]} is {quoted(row.value)}: {error}{hint}")
    problems.check()
    return values


def _bundle(
    context: Context, ratings: Sequence[_Rating], matched: Mapping[str, str], request: _Request, sha256: str
) -> ImportBundle:
    new_rows = [one.row for one in ratings if one.row.item not in matched]
    named = _prompts(context, new_rows, request.suite)
    items: dict[str, Item] = {}
    raters: dict[str, Rater] = {}
    annotations: list[Annotation] = []
    evidence: list[Evidence] = []
    for n, one in enumerate(ratings):
        row = one.row
        prompt_id = named[row.prompt].prompt_id if row.prompt is not None and row.item not in matched else None
        items.setdefault(one.item_id, Item(one.item_id, request.suite, prompt_id, row.task, row.generator))
        source_id = str(uuid.uuid5(_NAMESPACE, f"{sha256}/{n}"))
        said = direct(request.aspect, one.label, one.number)
        version, judgements = rate(said)
        if request.kind == "scorer":
            raters.setdefault(one.rater, Rater(one.rater, "scorer"))
            evidence.append(Evidence(source_id, one.item_id, one.rater, said, judgements, version))
        else:
            raters.setdefault(one.rater, Rater(one.rater, "human", "slot" if request.identity == "slot" else "person"))
            annotations.append(Annotation(source_id, one.item_id, one.rater, DIRECT, said, judgements, version))
    return ImportBundle(
        request.import_kind,
        f"{request.suite} {request.aspect}",
        sha256,
        prompts=list(named.values()),
        items=list(items.values()),
        raters=list(raters.values()),
        scales=[(request.suite, request.aspect, str(request.scale))],
        annotations=annotations,
        evidence=evidence,
    )


def _prompts(context: Context, rows: Iterable[RatingRow], suite: str) -> dict[str, Prompt]:
    """By the file's own word for it: a prompt of the project, named by its id, its number or its text, or else a new one."""
    known = {prompt.prompt_id: prompt for prompt in library.prompts_of_suite(context.store, suite)}
    texts = {prompt.text: prompt for prompt in reversed(known.values())}
    found: dict[str, Prompt] = {}
    for row in rows:
        if (word := row.prompt) is not None and word not in found:
            own = f"{suite}/{word}"
            new = Prompt(own, suite, word, row.task)
            found[word] = known.get(word) or known.get(own) or texts.get(word) or new
    return found


def _preview(context: Context, ratings: Sequence[_Rating], aspect: str) -> None:
    """The first ratings as they would be stored."""
    lines = [("item", "rater", aspect)]
    for one in ratings[:EXAMPLES]:
        value: Any = one.label if one.label is not None else one.number
        lines.append((one.item_id, one.rater, f"{value}"))
    cells = [[printable(cell)[:80] for cell in line] for line in lines]
    widths = [max(len(line[n]) for line in cells) for n in range(2)]
    for line in cells:
        context.say(f"{line[0]:<{widths[0]}}  {line[1]:<{widths[1]}}  {line[2]}")


def _reasons(left_out: Mapping[str, int]) -> str:
    return some(f"{n:,} {why}" for why, n in left_out.items())
