"""``import ratings``: anybody's table of ratings, as people's answers or scorers' evidence.

A rating's text is a missing value, an abstention, or a label and a number of the scale. Items are matched with the project's
images: what is said of it, and what is refused.
"""

from __future__ import annotations

import difflib
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from agreement import Scale, ScaleError
from concord.common import text_tables, wording
from concord.common.context import CommandError, Context, UsageError, digest, import_bundle, was_imported
from concord.importing.exported_files import import_exported_ratings, rating_sources
from concord.judging import converter, direct, yes_no
from data.aspects import CANNOT_TELL, NO, YES, YES_NO_ASPECTS
from data.files import Problems, printable, quoted
from data.records import Identity, Item, Prompt, Rater
from data.store import imports, library
from data.store.core.frame import TUNED_RATINGS
from data.store.imports import ImportBundle
from data.studies.name_matching import MATCH_WAYS, Clash, KnownItem, Matches, choose_spellings, contradiction, match_rows
from data.studies.rating_tables import (
    READER,
    JsonTable,
    RatingColumns,
    RatingRow,
    looks_wide,
    other_columns,
    read_rating_table,
    read_ratings,
)

ReadValue = Callable[[str], tuple[str | None, float | None]]
"""A text as (label, number); a ``ValueError`` says what was expected. An abstention has the label ``cannot_tell``."""

KEEP_APART: Final = "none"
"""``--merge none``: names that differ only in how they are written are different names."""
_MISSING: Final = frozenset({"", "na", "nan"})
_ABSTENTIONS: Final = frozenset({"cannot tell", "can not tell", "can't tell", "can’t tell"})


def is_missing(text: str, scale: Scale, more: Collection[str]) -> bool:
    """Whether the text stands where there is no rating; ``more`` are texts that the user says are missing, too."""
    return text in more or (text.casefold() in _MISSING and text not in (scale.levels or ()))


def is_abstention(text: str, scale: Scale) -> bool:
    """Whether the rater says that it cannot be told; a level of the scale is one, whatever it says."""
    return " ".join(text.replace("_", " ").split()).casefold() in _ABSTENTIONS and text not in (scale.levels or ())


def value_reader(
    scale: Scale, aspect: str, texts: Iterable[str], known: Collection[str], merge: Collection[str]
) -> tuple[ReadValue, list[Clash]]:
    """How the texts of one column of ratings are read, and which of them are probably one label in several spellings.

    A column of yes and no (at least one of them in words) is read as yes and no, in the words that the project has for them.
    ``known`` are the project's labels of this aspect; differences of ``merge`` (``data.studies.name_matching``) do not count.
    """
    convert = converter(scale, aspect)
    counts = Counter(text for text in texts if not is_abstention(text, scale))
    spelled: Mapping[str, str] = {}
    clashes: list[Clash] = []
    if scale.kind == "nominal" and aspect not in YES_NO_ASPECTS:
        if counts and all(yes_no(text) is not None for text in counts) and any(text[:1].isalpha() for text in counts):
            words = {1.0: _known_word(YES, 1.0, known), 0.0: _known_word(NO, 0.0, known)}
            spelled = {text: words[number] for text in counts if (number := yes_no(text)) is not None}
        else:
            spelled, clashes = choose_spellings(counts, scale.levels or known, merge)
    elif scale.levels is not None and not scale.numeric:
        spelled, clashes = choose_spellings(counts, scale.levels, merge)

    def read(text: str) -> tuple[str | None, float | None]:
        return (CANNOT_TELL, None) if is_abstention(text, scale) else convert(spelled.get(text, text))

    return read, [] if KEEP_APART in merge else clashes


def is_value(text: str, scale: Scale, aspect: str, others: Collection[str]) -> bool:
    """Whether a text could be a rating: a label without a scale is yes, no or one of the ``others``."""
    if is_missing(text, scale, ()) or is_abstention(text, scale):
        return True
    if scale.kind == "nominal" and aspect not in YES_NO_ASPECTS:
        return yes_no(text) is not None or text in others
    try:
        converter(scale, aspect)(text)
    except ValueError:
        return False
    return True


def _known_word(plain: str, number: float, known: Collection[str]) -> str:
    """The project's word for yes, or for no."""
    return plain if plain in known else next((label for label in known if yes_no(label) == number), plain)


DEFAULT_SUITE: Final = "ratings"
EXAMPLES: Final = 5
"""So many examples stand in a message, and so many rows in a preview."""
_FEW_ENOUGH: Final = 5000
"""Among so many names the nearest one is looked for."""


def match_items(
    context: Context, rows: Sequence[RatingRow], suite: str | None, ways: Sequence[str], *, new_items: bool
) -> dict[str, str] | None:
    """Match the rows' items with the images of a suite (None: no suite is named), and say how many match and how.

    Returns the project's ids of the file's items that it has; None where the suite has no images to match. No ``ways`` are all;
    with ``new_items`` those that match nothing are taken in.

    Raises:
        CommandError: items match no image, or several; or the project knows something else of one.
    """
    name = suite or DEFAULT_SUITE
    items = imports.known_items(context.store, name)
    if not any(item.is_image for item in items):
        # nobody means new items where the project has pictures of these very names, or where they are to match some
        if not new_items and (suite is None or ways):
            if hint := _elsewhere(context, rows, ways):
                raise CommandError(
                    f"suite {quoted(name)} has no images, but {hint} To take them in as items without pictures, add --new-items"
                )
            if ways:
                raise CommandError(f"suite {quoted(name)} has no images to match; import them first, or leave --match out")
        return None
    matches = match_rows(rows, items, ways or MATCH_WAYS)
    if matches.ambiguous:
        each = [f"{quoted(refuse_ambiguous)} ({n:,} images)" for refuse_ambiguous, n in matches.ambiguous.items()]
        raise CommandError(
            f"{len(each):,} of the items fit several images of suite {quoted(name)}: {first_few(each)}; name them by id or"
            " path, or say which columns tell them apart: --prompt, --generator and --index"
        )
    if matches.unmatched and not new_items:
        total = len(matches.items) + len(matches.unmatched)
        elsewhere = "" if matches.items else _elsewhere(context, rows, ways)
        raise CommandError(
            f"{len(matches.items):,} of {total:,} items match an image of suite {quoted(name)};"
            f" these do not: {first_few(_suggested(matches.unmatched, items))}. {elsewhere or 'Correct their names.'}"
            " To take them in as items without pictures, add --new-items"
        )
    for row in rows:
        item = matches.items.get(row.item)
        if item is not None and (wrong := contradiction(row, item)) is not None:
            raise CommandError(f"line {row.line}: {quoted(row.item)} matches {quoted(item.item_id)}, but here it has {wrong}")
    context.say(_matching_summary(matches, name))
    return {key: item.item_id for key, item in matches.items.items()}


def first_few(texts: Iterable[str]) -> str:
    """The first few of them, and how many more there are."""
    every = list(texts)
    more = f" and {len(every) - EXAMPLES:,} more" if len(every) > EXAMPLES else ""
    return ", ".join(every[:EXAMPLES]) + more


def _elsewhere(context: Context, rows: Sequence[RatingRow], ways: Sequence[str]) -> str:
    """Which other suite has pictures of most of the items, as a hint; empty if none has."""
    images = [item for item in imports.known_items(context.store) if item.is_image]
    suites = Counter(item.suite for item in match_rows(rows, images, ways or MATCH_WAYS).items.values())
    total = len({row.item for row in rows})
    for suite, n in suites.most_common(1):
        if 2 * n > total:
            return f"{n:,} of {total:,} items match an image of suite {quoted(suite)}: did you mean --suite {suite}?"
    return ""


def _suggested(unmatched: Sequence[str], items: Collection[KnownItem]) -> list[str]:
    """The items, the first of them with the project's nearest names."""
    names: list[str] = []
    if len(items) <= _FEW_ENOUGH:
        names = [name for item in items for name in (item.item_id, Path(item.path).name if item.path else "") if name]
    each = [quoted(key) for key in unmatched]
    for n, key in enumerate(unmatched[:EXAMPLES]):
        last = key.replace("\\", "/").rpartition("/")[2]
        near = difflib.get_close_matches(last[:100], names, 1, 0.7) or difflib.get_close_matches(key[:200], names, 1, 0.7)
        each[n] += f" (did you mean {quoted(near[0])}?)" if near else ""
    return each


def _matching_summary(matches: Matches, suite: str) -> str:
    images = sum(item.is_image for item in matches.items.values())
    total = len(matches.items) + len(matches.unmatched)
    how = ", ".join(f"by {way}" if len(matches.ways) == 1 else f"{n:,} by {way}" for way, n in matches.ways.items())
    others = f", {wording.count(len(matches.items) - images, 'other item')} of it" if images < len(matches.items) else ""
    new = f", {wording.count(len(matches.unmatched), 'new item')} without pictures" if matches.unmatched else ""
    return f"{images:,} of {total:,} match an image of suite {suite}{f' ({how})' if how else ''}{others}{new}"


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


def import_ratings(
    context: Context,
    file: str,
    aspect: str | None,
    scale: str | None,
    suite: str | None,
    kind: str | None,
    wide: bool | None = None,
    rater_columns: str | None = None,
    match: Sequence[str] = (),
    new_items: bool = False,
    missing: Sequence[str] = (),
    merge: Sequence[str] = (),
    identity: str | None = None,
    saw_labels: bool = False,
    dry_run: bool = False,
    item: str | None = None,
    rater: str | None = None,
    value: str | None = None,
    prompt: str | None = None,
    generator: str | None = None,
    index: str | None = None,
    task: str | None = None,
) -> ImportBundle | None:
    """Returns what the file brings; None: it was imported before. With ``dry_run`` nothing is stored.

    ``item`` (several with commas), ``rater``, ``value`` and the optional others are names of the file's columns.
    ``wide``: whether there is a column per rater; None: not said.

    Without a word about anything the file is one of ``export ratings``, which says these itself.
    """
    path = context.file(file)
    columns = {
        "item": item, "rater": rater, "value": value,
        "prompt": prompt, "generator": generator, "index": index, "task": task,
    }  # fmt: skip
    described = {**columns, "aspect": aspect, "scale": scale, "suite": suite, "kind": kind}
    # what changes the meaning of an import, where it is used: without these, the same options as ever are the same import
    more = {
        "index": index,
        "wide": bool(wide or rater_columns),
        "rater_columns": rater_columns,
        "match": sorted(match),
        "new_items": new_items,
        "missing": sorted(missing),
        "merge": sorted(merge),
        "slots": identity == "slot",
        "saw_labels": saw_labels,
    }
    more = {name: value for name, value in more.items() if value}
    if not any(described.values()) and not more and not dry_run and wide is None:
        return import_exported_ratings(context, path)
    table = read_rating_table(path)
    if rater_columns and wide is False:
        raise UsageError("--long has no columns of raters; leave --rater-columns out, or --long")
    read_columns = _columns(table, columns, {"aspect": aspect, "scale": scale}, bool(wide or rater_columns), rater_columns)
    try:
        parsed = Scale.parse(str(scale))
    except ScaleError as error:
        raise UsageError(f"--scale: {error}") from error
    request = _Request(
        read_columns,
        str(aspect),
        parsed,
        suite or DEFAULT_SUITE,
        suite is not None,
        kind or "human",
        identity,
        tuple(match),
        new_items,
        tuple(missing),
        tuple(merge),
        saw_labels,
    )
    _check(request)
    if table.rater is None and wide is None and not request.columns.raters:
        _refuse_wide(table, request)
    named = sorted((name, columns.get(name)) for name in ("item", "rater", "value", "prompt", "generator", "task"))
    meaning = (named, request.aspect, str(request.scale), request.suite, request.kind)
    sha256 = digest(path, repr((*meaning, sorted(more.items())) if more else meaning))
    if was_imported(context, request.import_kind, sha256):
        return None
    bundle, ratings, summary = _bundle_of(context, path, table, request, sha256)
    if dry_run:
        _preview(context, ratings, request.aspect)
    import_bundle(context, bundle, summary, dry_run)
    return bundle


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
        raise UsageError("--item needs a column's name")
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


def _check(request: _Request) -> None:
    if not request.aspect.strip() or not request.suite.strip() or "/" in request.suite:
        raise UsageError("--aspect and --suite need a name, and a suite's has no '/'")
    if request.identity is not None and request.kind == "scorer":
        raise UsageError("--identity is only for people; leave it out with --kind scorer")
    if request.saw_labels and request.kind != "scorer":
        raise UsageError("--saw-labels is only for scorers: use it with --kind scorer")
    if KEEP_APART in request.merge and len(request.merge) > 1:
        raise UsageError("--merge none keeps all names apart and cannot be combined with other values")


def _refuse_wide(table: JsonTable, request: _Request) -> None:
    """A table with a column per rater would become raters that are called as ratings are."""
    columns = request.columns
    where = table.table.header.index(columns.value) if columns.value in table.table.header else None
    values = set() if where is None else {cells[where].strip() for _, cells in table.table.records}
    raters = looks_wide(table.table, columns, lambda text: is_value(text, request.scale, request.aspect, values))
    if raters:
        raise CommandError(
            f"the column of raters, {quoted(columns.rater)}, holds only values of the scale {quoted(str(request.scale))}"
            f" ({first_few(map(quoted, raters))}): if there is a column per rater, say --wide instead of --rater and --value;"
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
    ids = matching or {}
    ratings = [
        _Rating(row, ids.get(row.item, row.item), raters[row.rater], label, number)
        for row, (label, number) in zip(rows, values, strict=True)
    ]
    bundle = _bundle(context, ratings, ids, request, sha256)
    ratings_of = f"{wording.count(len(rows), 'rating')} of {wording.count(len(bundle.items), 'item')}"
    summary = f"{ratings_of} by {wording.count(len(bundle.raters), 'rater')}"
    if request.columns.raters:
        summary += f" ({first_few(quoted(rater.rater_id) for rater in bundle.raters)})"
    if abstained := sum(rating.label == CANNOT_TELL for rating in ratings):
        summary += f", {abstained:,} of them abstentions (cannot tell)"
    if left_out:
        summary += f"; {sum(left_out.values()):,} left out: {_reasons(left_out)}"
    first: dict[tuple[str, str], _Rating] = {}
    repeats = [(first.setdefault((each.item_id, each.rater), each), each) for each in ratings]
    repeats = [(earlier, each) for earlier, each in repeats if earlier is not each]
    if repeats:
        differ = sum((earlier.label, earlier.number) != (each.label, each.number) for earlier, each in repeats)
        summary += (
            f"; {wording.count(len(repeats), 'repeat')} ({differ:,} of them differ): a rater's first rating of an item counts"
        )
    summary += _rated_before(context, first.values(), request)
    if matching is None:
        summary += f"; suite {quoted(request.suite)} has no images"
    return bundle, ratings, summary


def _rated_before(context: Context, ratings: Iterable[_Rating], request: _Request) -> str:
    """How many ratings repeat what the project has of the same raters and items, how many contradict it, and what to do."""
    stored = imports.stored_ratings(context.store, request.suite, request.aspect)
    before = [(earlier, rating) for rating in ratings if (earlier := stored.get((rating.item_id, rating.rater))) is not None]
    if not before:
        return ""
    other = [earlier for earlier, rating in before if (earlier.label, earlier.number) != (rating.label, rating.number)]
    words = f"; {wording.count(len(before), 'rating')} repeat what is stored already, {len(other):,} of them with another value"
    if not other:
        return words
    undo = sorted({earlier.import_id for earlier in other if earlier.import_id is not None})
    undo_commands = " and ".join(f"import undo {each}" for each in undo)
    how = f"; to let these count, take the earlier import back, with all that it brought: {undo_commands}" if undo else ""
    return f"{words}: what is stored counts, the new values do not{how}"


def _spelled(context: Context, rows: Sequence[RatingRow], request: _Request) -> tuple[ReadValue, dict[str, str]]:
    """How values are read, and what each rater is called.

    Raises:
        CommandError: labels or raters differ only in how they are written.
    """
    known = imports.known_labels(context.store, request.suite, request.aspect)
    read, labels = value_reader(request.scale, request.aspect, (row.value for row in rows), known, request.merge)
    people = imports.known_raters(context.store, request.kind)
    raters, clashes = choose_spellings(Counter(row.rater for row in rows), people, request.merge)
    if KEEP_APART in request.merge:
        clashes = []
    wrong = [_clashing(kind, clashing) for kind, clashing in (("labels", labels), ("raters", clashes)) if clashing]
    if wrong:
        options = dict.fromkeys(f"--merge {rule}" for clash in (*labels, *clashes) for rule in clash.by)
        raise CommandError(
            f"{'; '.join(wrong)}. If they are the same, add {' '.join(options)}; if not, rename them, or add --merge none"
        )
    return read, raters


def _clashing(kind: str, clashes: Sequence[Clash]) -> str:
    each = []
    for clash in clashes:
        known = [text for text in clash.known if text not in clash.texts]
        each.append(" and ".join([*map(quoted, clash.texts), *(f"{quoted(text)} (known already)" for text in known)]))
    return f"{kind} differ only in how they are written: {first_few(each)}"


def _read(path: Path, rows: Iterable[RatingRow], read: ReadValue, wide: bool) -> list[tuple[str | None, float | None]]:
    problems = Problems(path)
    values: list[tuple[str | None, float | None]] = []
    hint = "; if this is no rater's column, name those that are: --rater-columns" if wide else ""
    for row in rows:
        try:
            values.append(read(row.value))
        except ValueError as error:
            column, who = printable(row.column)[:60], f"item {quoted(row.item)}"
            if not wide:
                who += f", rater {quoted(row.rater)}"
            if row.value.startswith("[") and row.value.endswith("]"):
                problem = f"{column} is {quoted(row.value)} ({who}): a cell holds one rating, not a list; {READER}"
                raise CommandError(f"{path}:{row.line}: {problem}") from error
            problems.add(row.line, f"{column} is {quoted(row.value)} ({who}): {error}{hint}")
    problems.check()
    return values


def _bundle(
    context: Context, ratings: Sequence[_Rating], matched: Mapping[str, str], request: _Request, sha256: str
) -> ImportBundle:
    new_rows = [rating.row for rating in ratings if rating.row.item not in matched]
    named = _prompts(context, new_rows, request.suite)
    items: dict[str, Item] = {}
    raters: dict[str, Rater] = {}
    by_scorer = request.kind == "scorer"
    for rating in ratings:
        row = rating.row
        prompt_id = named[row.prompt].prompt_id if row.prompt is not None and row.item not in matched else None
        items.setdefault(rating.item_id, Item(rating.item_id, request.suite, prompt_id, row.task, row.generator))
        identity: Identity = "slot" if request.identity == "slot" else "person"
        raters.setdefault(rating.rater, Rater(rating.rater, "scorer") if by_scorer else Rater(rating.rater, "human", identity))
    sources = [
        (rating.item_id, rating.rater, by_scorer, direct(request.aspect, rating.label, rating.number)) for rating in ratings
    ]
    annotations, evidence = rating_sources(_NAMESPACE, sha256, sources)
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
    prompts: dict[str, Prompt] = {}
    for row in rows:
        if (word := row.prompt) is not None and word not in prompts:
            own = f"{suite}/{word}"
            new = Prompt(own, suite, word, row.task)
            prompts[word] = known.get(word) or known.get(own) or texts.get(word) or new
    return prompts


def _preview(context: Context, ratings: Sequence[_Rating], aspect: str) -> None:
    """The first ratings as they would be stored."""
    lines = [("item", "rater", aspect)]
    for rating in ratings[:EXAMPLES]:
        value: Any = rating.label if rating.label is not None else rating.number
        lines.append((rating.item_id, rating.rater, f"{value}"))
    context.say(*text_tables.aligned([[printable(cell)[:80] for cell in line] for line in lines]))


def _reasons(left_out: Mapping[str, int]) -> str:
    return first_few(f"{n:,} {why}" for why, n in left_out.items())
