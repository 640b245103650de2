"""``import ratings``: anybody's table of ratings, as people's answers or scorers' evidence.

The table's reader says how it was read, ``rating_values`` what its texts mean, ``rating_items`` which images it is about.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agreement import Scale, ScaleError
from concord.common import text_tables, wording
from concord.common.context import CommandError, Context, UsageError, digest, import_bundle, was_imported
from concord.importing.exported_files import import_exported_ratings
from concord.importing.rating_items import DEFAULT_SUITE, EXAMPLES, first_few, match_items
from concord.importing.rating_values import (
    KEEP_APART,
    ReadValue,
    ask_about_missing,
    decimal_commas,
    is_missing,
    is_value,
    may_be_missing,
    missing_options,
    refuse_several,
    ticked_options,
    value_reader,
)
from concord.judging import DIRECT, direct, rate
from data.aspects import CANNOT_TELL, NO, YES
from data.files import Problems, located, printable, quoted
from data.folding import fold_spelling
from data.records import Identity, Item, Prompt, Rater
from data.store import imports, library
from data.store.core.frame import TUNED_RATINGS
from data.store.imports import ImportBundle
from data.store.judgements.rating_batch import RatingBatch, RatingValue
from data.store.rating_columns import FileRatings, file_ratings
from data.studies.json_ratings import READER, RatingTable
from data.studies.name_matching import Clash, choose_spellings
from data.studies.rating_tables import (
    PAIR,
    PREFERENCE,
    RatedItem,
    RatingColumns,
    image_columns,
    item_columns,
    looks_wide,
    other_columns,
    read_rating_table,
    read_vote,
    with_pairs,
)
from data.tables import TableOptions, TextTable

_NAMESPACE = uuid.UUID("0f4f7a0b-5c0f-4e0b-8f3b-0a3f6a1f8a55")


@dataclass(frozen=True, slots=True)
class RatingRequest:
    """The options of ``import ratings``: what a table's columns mean, and how it is taken in.

    Attributes:
        item: columns (several with commas); ``rater``, ``value``, ``prompt``, ``generator``, ``index`` and ``task`` are one.
        wide: whether there is a column per rater; None: not said. ``rater_columns``: these columns.
        transpose: whether a row is a person, with a column per item.
        pair: the two columns with the generators between which a vote is.
        multiple: whether a cell holds all options that are ticked.
        match: ways to match items, none: all. ``missing``, ``merge``: texts and differences that do not count.
        encoding, header_lines, sheet: what the reader does not find out by itself.
    """

    aspect: str | None = None
    scale: str | None = None
    suite: str | None = None
    kind: str | None = None
    item: str | None = None
    rater: str | None = None
    value: str | None = None
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None
    wide: bool | None = None
    rater_columns: str | None = None
    transpose: bool = False
    pair: str | None = None
    multiple: bool = False
    match: Sequence[str] = ()
    new_items: bool = False
    missing: Sequence[str] = ()
    merge: Sequence[str] = ()
    identity: str | None = None
    saw_labels: bool = False
    encoding: str | None = None
    header_lines: int | None = None
    sheet: str | None = None

    @property
    def named_suite(self) -> str:
        """The suite that the items belong to."""
        return self.suite or DEFAULT_SUITE

    @property
    def by_scorer(self) -> bool:
        """Whether the ratings are a scorer's numbers."""
        return self.kind == "scorer"

    @property
    def import_kind(self) -> str:
        """By which the project knows what is tuned on people's labels."""
        return TUNED_RATINGS if self.saw_labels else "ratings"

    @property
    def is_wide(self) -> bool:
        """Whether there is a column per rater."""
        return bool(self.wide or self.rater_columns)

    @property
    def columns(self) -> dict[str, str | None]:
        """The columns that are named, by what they hold."""
        return {name: getattr(self, name) for name in ("item", "rater", "value", "prompt", "generator", "index", "task")}

    @property
    def more(self) -> dict[str, Any]:
        """What changes the meaning of an import, where it is used: without these, the same options as ever are the same
        import."""
        more = {
            "index": self.index,
            "wide": self.is_wide,
            "rater_columns": self.rater_columns,
            "match": sorted(self.match),
            "new_items": self.new_items,
            "missing": sorted(self.missing),
            "merge": sorted(self.merge),
            "slots": self.identity == "slot",
            "saw_labels": self.saw_labels,
            **{name: getattr(self, name) for name in ("transpose", "pair", "multiple", "encoding", "header_lines", "sheet")},
        }
        return {name: value for name, value in more.items() if value}

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said of the table: it is one of ``export ratings``, which says all itself."""
        return (
            not any((*self.columns.values(), self.aspect, self.scale, self.suite, self.kind, self.more)) and self.wide is None
        )

    def digest(self, path: Path, aspect: str, scale: Scale) -> str:
        """Return what tells this import from others: the file's content and what is said of it."""
        named = sorted((name, value) for name, value in self.columns.items() if name != "index")
        meaning = (named, aspect, str(scale), self.named_suite, self.kind or "human")
        more = self.more
        return digest(path, repr((*meaning, sorted(more.items())) if more else meaning))


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a table is read.

    Attributes:
        left_out: by reason how many answers of the file are not in the table.
        notes: what the reader took as meant, in words.
    """

    path: Path
    left_out: Mapping[str, int]
    columns: RatingColumns
    aspect: str
    scale: Scale
    notes: list[str]


def import_ratings(context: Context, file: str, dry_run: bool = False, **options: Any) -> ImportBundle | None:
    """Import a table of ratings; ``options`` are the fields of `RatingRequest`. With ``dry_run`` nothing is stored.

    Return what the file brings; None if it was imported before. Without any option the file is one of ``export ratings``.

    Raises:
        CommandError, InputError: the file, or a part of it, could mean two things; nothing is stored.
    """
    path, request = context.file(file), RatingRequest(**options)
    if request.is_empty and not dry_run:
        return import_exported_ratings(context, path)
    _check(request)
    table, reading = _read_table(path, request)
    sha256 = request.digest(path, reading.aspect, reading.scale)
    if was_imported(context, request.import_kind, sha256):
        return None
    with file_ratings(context.store, table, reading.columns) as ratings:
        # what is loaded is not needed twice
        del table
        bundle, summary = _bundle_of(context, ratings, reading, request, sha256)
    if dry_run:
        _preview(context, bundle, reading.aspect)
    import_bundle(context, bundle, summary, dry_run)
    return bundle


def _check(request: RatingRequest) -> None:
    """Refuse options that contradict each other."""
    if request.rater_columns and request.wide is False:
        raise UsageError("--long has no columns of raters; leave --rater-columns out, or --long")
    if (
        (request.aspect is not None and not request.aspect.strip())
        or not request.named_suite.strip()
        or "/" in request.named_suite
    ):
        raise UsageError("--aspect and --suite need a name, and a suite's has no '/'")
    if request.identity is not None and request.by_scorer:
        raise UsageError("--identity is only for people; leave it out with --kind scorer")
    if request.saw_labels and not request.by_scorer:
        raise UsageError("--saw-labels is only for scorers: use it with --kind scorer")
    if KEEP_APART in request.merge and len(request.merge) > 1:
        raise UsageError("--merge none keeps all names apart and cannot be combined with other values")
    if request.transpose and (request.is_wide or request.value or request.prompt or request.generator or request.index):
        raise UsageError(
            "with --transpose a row is a person and a column an item; leave --wide, --value and the columns of prompt,"
            " generator and index out"
        )
    if request.pair and (request.is_wide or request.transpose or request.multiple or request.generator):
        raise UsageError("--pair is for a row per vote; leave --wide, --transpose, --multiple and --generator out")
    if request.header_lines is not None and request.header_lines < 1:
        raise UsageError("--header-lines counts all lines of the header, 1 or more")


def _read_table(path: Path, request: RatingRequest) -> tuple[TextTable, _Reading]:
    """Read the table, and which of its columns say what."""
    wanted = [name for name, value in request.columns.items() if value and not (name == "item" and request.transpose)]
    columns = tuple(name for key in wanted for name in _names(request.columns[key]))
    options = TableOptions(request.encoding, request.header_lines, request.sheet, columns)
    table = read_rating_table(path, options, request.columns)
    aspect, scale_text = request.aspect, request.scale
    if request.pair:
        aspect, scale_text = aspect or PREFERENCE, scale_text or "nominal"
    elif request.multiple:
        scale_text = scale_text or "nominal"
    read_columns = _columns(table, request, {"aspect": aspect, "scale": scale_text})
    try:
        scale = Scale.parse(str(scale_text))
    except ScaleError as error:
        raise UsageError(f"--scale: {error}") from error
    if (request.pair or request.multiple) and str(scale) != "nominal":
        raise UsageError(f"{'--pair' if request.pair else '--multiple'} is for the scale nominal, not {scale}")
    _refuse_second_header(table.table, read_columns, request)
    if table.rater is None and request.wide is None and read_columns.value:
        _refuse_wide(table.table, read_columns, str(aspect), scale)
    notes = list(table.table.notes)
    if read_columns.raters and request.rater_columns is None:
        _refuse_transposed(read_columns.raters)
    if read_columns.items:
        notes.append(f"a row per person, a column per item: {first_few(map(quoted, read_columns.items))}")
    if request.pair:
        pair, vote = _names(request.pair), read_columns.value
        table = replace(table, table=with_pairs(table.table, pair[0], pair[1], vote))
        read_columns = replace(read_columns, item=(*read_columns.item, PAIR))
    return table.table, _Reading(path, table.left_out, read_columns, str(aspect), scale, notes)


def _columns(table: RatingTable, request: RatingRequest, others: Mapping[str, str | None]) -> RatingColumns:
    columns = request.columns
    needed = {"item": columns["item"], "rater": columns["rater"] or table.rater, "value": columns["value"], **others}
    if request.is_wide:
        if columns["rater"] or columns["value"] or table.rater:
            raise UsageError(
                "with --wide every rater has a column, whose header is the rater's name; leave "
                + ("--wide out: this export says who answered" if table.rater else "--rater and --value out")
            )
        del needed["rater"], needed["value"]
    if request.transpose:
        del needed["item"], needed["value"]
    missing = [f"--{name}" for name, value in needed.items() if not value]
    if missing:
        raise UsageError(f"{', '.join(missing)} missing; only a file of 'export ratings' is read without any option")
    item = tuple(_names(columns["item"]))
    if not item and not request.transpose:
        raise UsageError("--item needs a column's name")
    if request.pair and len(_names(request.pair)) != 2:
        raise UsageError("--pair needs the two columns of the generators, separated by a comma: --pair model_a,model_b")
    described = (columns["prompt"], columns["generator"], columns["index"], columns["task"])
    read = RatingColumns(item, "", "", (), {}, *described)
    if request.transpose:
        read = replace(read, item=(), rater=str(needed["rater"]))
        return replace(read, items=item_columns(item or _columns_of_items(table.table, read)))
    if not request.is_wide:
        return replace(read, rater=str(needed["rater"]), value=str(needed["value"]))
    raters = tuple(_names(request.rater_columns)) or other_columns(table.table, read)
    if not raters:
        raise UsageError("--wide needs columns of raters beside those of the items")
    # a table that pandas saved with its row numbers: on a scale of numbers they would be one more rater
    if any(not name.strip() or name.startswith("Unnamed: ") for name in raters):
        raise CommandError("the table has a column without a name, and no rater is called so; name the raters: --rater-columns")
    return replace(read, raters=raters)


def _columns_of_items(table: TextTable, columns: RatingColumns) -> tuple[str, ...]:
    """Return the columns of items of a table with a row per person: those that look like images, if any, else all others."""
    others = other_columns(table, columns)
    images = image_columns(others)
    if not others:
        raise UsageError("--transpose needs columns of items beside the one of the raters; name them: --item")
    if images and len(images) < len(others):
        rest = [name for name in others if name not in images]
        raise CommandError(
            f"{len(images):,} columns look like images ({first_few(map(quoted, images))}), and these do not:"
            f" {first_few(map(quoted, rest))}; name the items' columns: --item {quoted(','.join(images[:2]))} and so on"
        )
    return others


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _refuse_second_header(table: TextTable, columns: RatingColumns, request: RatingRequest) -> None:
    """Refuse a first row that repeats the names of columns, as a second line of the header does."""
    if request.header_lines is not None or not table.records:
        return
    line, cells = table.records[0]
    where = {name: n for n, name in enumerate(table.header)}
    own = (*columns.item, columns.rater, columns.value)
    alike = [name for name in own if name in where and _letters(name) == _letters(cells[where[name]])]
    if alike:
        raise CommandError(
            f"{located(table.path, line, '')}{quoted(alike[0])} holds {quoted(cells[where[alike[0]]])}: if this line belongs to"
            " the header, add --header-lines 2 (or how many lines the header has); if it is a rating, add --header-lines 1"
        )


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum()) or text


def _refuse_wide(table: TextTable, columns: RatingColumns, aspect: str, scale: Scale) -> None:
    """A table with a column per rater would become raters that are called as ratings are."""
    where = table.header.index(columns.value) if columns.value in table.header else None
    values = {text.strip() for text in {cells[where] for _, cells in table.records}} if where is not None else set()
    raters = looks_wide(table, columns, lambda text: is_value(text, scale, aspect, values))
    if raters:
        raise CommandError(
            f"the column of raters, {quoted(columns.rater)}, holds only values of the scale {quoted(str(scale))}"
            f" ({first_few(map(quoted, raters))}): if there is a column per rater, say --wide instead of --rater and --value;"
            " if these are names of raters, add --long"
        )


def _refuse_transposed(raters: Sequence[str]) -> None:
    """Refuse columns of raters that are called as images are."""
    images = image_columns(raters)
    if 2 * len(images) > len(raters):
        raise CommandError(
            f"the columns look like images and not like raters ({first_few(map(quoted, images))}): if a row is a person, say"
            " --transpose --rater COLUMN instead of --wide --item; if these are raters, name them: --rater-columns"
        )


def _bundle_of(
    context: Context, ratings: FileRatings, reading: _Reading, request: RatingRequest, sha256: str
) -> tuple[ImportBundle, str]:
    """Return what the import brings, and in words what it is."""
    texts = ratings.texts()
    stripped = {text: text.strip() for text in texts}
    gone = [text for text in texts if is_missing(stripped[text], reading.scale, request.missing)]
    count = ratings.leave_out(gone)
    left_out: Counter[str] = Counter()
    for text in gone:
        left_out[f"with {quoted(stripped[text])}" if stripped[text] else "without a value"] += texts[text]
    left_out += Counter(reading.left_out)
    if not count:
        raise CommandError(f"{reading.path}: no ratings in it ({_reasons(left_out) or 'no rows'})")
    ratings.check()
    counts: Counter[str] = Counter()
    for text, n in texts.items():
        if text not in gone:
            counts[stripped[text]] += n
    rows, rated = ratings.items()
    points = {} if request.pair or request.multiple else decimal_commas(counts, reading.scale)
    if points:
        example = next(text for text in points if "," in text)
        reading.notes.append(f"decimal commas: {quoted(example)} is {points[example]}")
    if reading.notes:
        context.say(f"{printable(reading.path.name)}: {'; '.join(reading.notes)}")
    values, raters = _spelled(context, ratings, counts, points, reading, request)
    suite = request.suite
    matching = match_items(context, rows, suite, request.match, new_items=request.new_items)
    ids = dict(matching or {})
    ids |= _item_spellings(context, {item: n for item, n in rated.items() if item not in ids}, request)
    numbers, every = _numbered(values)
    table = ratings.place({text: numbers[stripped[text]] for text in texts if text not in gone}, raters, ids)
    batch = RatingBatch(table, every, request.by_scorer, _NAMESPACE, sha256, DIRECT, rate(every[0].answer)[0])
    bundle = _bundle(context, rows, ids, matching or {}, list(raters.values()), batch, reading, request, sha256)
    ratings_of = f"{wording.count(count, 'rating')} of {wording.count(len(bundle.items), 'item')}"
    summary = f"{ratings_of} by {wording.count(len(bundle.raters), 'rater')}"
    if request.is_wide:
        summary += f" ({first_few(quoted(rater.rater_id) for rater in bundle.raters)})"
    if request.multiple:
        summary += (
            f", each of {wording.count(len(bundle.scales), 'aspect')}: {first_few(quoted(a) for _, a, _ in bundle.scales)}"
        )
    abstained = [text for text, found in values.items() if found[0].judgement.reason == CANNOT_TELL]
    if n := sum(counts[text] for text in abstained):
        summary += f", {n:,} of them abstentions (cannot tell)"
    if left_out:
        summary += f"; {sum(left_out.values()):,} left out: {_reasons(left_out)}"
    repeats = ratings.repeats()
    if repeats.count:
        summary += (
            f"; {wording.count(repeats.count, 'repeat')} ({repeats.different:,} of them differ): a rater's first rating of an"
            " item counts"
        )
    summary += _rated_before(ratings, batch, request)
    if matching is None:
        summary += f"; suite {quoted(request.named_suite)} has no images"
    return bundle, summary


def _rated_before(ratings: FileRatings, batch: RatingBatch, request: RatingRequest) -> str:
    """Return how many ratings repeat what the project has of the same raters and items, how many contradict it, and what to
    do."""
    before = ratings.stored_before(request.named_suite, [value.judgement for value in batch.values])
    if not before.count:
        return ""
    n = wording.count(before.count, "rating")
    words = f"; {n} repeat what is stored already, {before.different:,} of them with another value"
    if not before.different:
        return words
    undo = " and ".join(f"import undo {number}" for number in before.import_ids)
    how = f"; to let these count, take the earlier import back, with all that it brought: {undo}" if undo else ""
    return f"{words}: what is stored counts, the new values do not{how}"


Values = Mapping[str, Sequence[RatingValue]]
"""By text what it stands for: a value for each aspect."""


def _spelled(
    context: Context,
    ratings: FileRatings,
    counts: Mapping[str, int],
    points: Mapping[str, str],
    reading: _Reading,
    request: RatingRequest,
) -> tuple[Values, dict[str, str]]:
    """Return what the texts of values mean and what each rater is called; ``points``: numbers without decimal commas.

    Raises:
        CommandError: labels or raters differ only in how they are written, or a label may be no rating.
        InputError: a value is not on the scale.
    """
    people = imports.known_raters(context.store, request.kind or "human")
    raters, clashes = choose_spellings(ratings.raters(), people, request.merge)
    clashes = [] if KEEP_APART in request.merge else clashes
    if request.pair or request.multiple:
        if clashes:
            _refuse_spellings([("raters", clashes)])
        if request.pair:
            return {text: [_vote_value(text, reading.aspect)] for text in counts}, raters
        return _ticked_values(context, counts, reading, request), raters
    known = imports.known_labels(context.store, request.named_suite, reading.aspect)
    refuse_several(counts, reading.scale)
    if note := ask_about_missing(counts, reading.scale, known):
        context.say(note)
    read, labels = value_reader(reading.scale, reading.aspect, counts, known, request.merge)
    if labels or clashes:
        _refuse_spellings([("labels", labels), ("raters", clashes)])
    return _read_values(ratings, counts, reading, lambda text: read(points.get(text, text))), raters


def _refuse_spellings(kinds: Sequence[tuple[str, Sequence[Clash]]]) -> None:
    """Refuse names, by their kind, that differ only in how they are written, and say what to do."""
    wrong = [_clashing(kind, clashes) for kind, clashes in kinds if clashes]
    options = dict.fromkeys(f"--merge {rule}" for _, clashes in kinds for clash in clashes for rule in clash.by)
    raise CommandError(
        f"{'; '.join(wrong)}. If they are the same, add {' '.join(options)}; if not, rename them, or add --merge none"
    )


def _item_spellings(context: Context, counts: Mapping[str, int], request: RatingRequest) -> dict[str, str]:
    """Return what items that match no image are called.

    Raises:
        CommandError: two differ only in how they are written, in the file or between it and the project.
    """
    if not counts:
        return {}
    known = [item.item_id for item in imports.known_items(context.store, request.named_suite) if not item.is_image]
    names, clashes = choose_spellings(counts, known, request.merge)
    if clashes and KEEP_APART not in request.merge:
        _refuse_spellings([("items", clashes)])
    return {item: name for item, name in names.items() if item != name}


def _clashing(kind: str, clashes: Sequence[Clash]) -> str:
    """Return the names that differ only in how they are written; of those that look alike also their signs."""
    each = []
    for clash in clashes:
        known = [text for text in clash.known if text not in clash.texts]
        alike = "characters" in clash.by
        names = [f"{quoted(text)} ({_signs(text)})" if alike else quoted(text) for text in (*clash.texts, *known)]
        n = len(clash.texts)
        each.append(" and ".join([*names[:n], *(f"{name} (known already)" for name in names[n:])]))
    return f"{kind} differ only in how they are written: {first_few(each)}"


def _signs(text: str) -> str:
    """Return the signs of a text beyond ASCII as their numbers in Unicode, as two that look alike differ in these."""
    beyond = [f"U+{ord(char):04X}" for char in text if not char.isascii()]
    return " ".join(beyond[:EXAMPLES]) + (" …" if len(beyond) > EXAMPLES else "") if beyond else "plain"


def _read_values(ratings: FileRatings, counts: Mapping[str, int], reading: _Reading, read: ReadValue) -> Values:
    """Return what each text stands for.

    Raises:
        InputError: a value is not on the scale.
    """
    values: dict[str, list[RatingValue]] = {}
    wrong: dict[str, str] = {}
    for text in counts:
        try:
            values[text] = [_value(reading.aspect, *read(text))]
        except ValueError as error:
            wrong[text] = str(error)
    if wrong:
        _refuse_values(ratings, reading, wrong)
    return values


def _refuse_values(ratings: FileRatings, reading: _Reading, wrong: Mapping[str, str]) -> None:
    """Name the first cells that are not on the scale, and what to do about them."""
    hint = "; if this is no rater's column, name those that are: --rater-columns" if reading.columns.raters else ""
    words = [text for text in wrong if may_be_missing(text)]
    if words:
        hint += f"; if it means that there is no rating, add {missing_options(words[:EXAMPLES])}"
    problems = Problems(reading.path)
    for cell in ratings.with_texts(wrong):
        column, who, text = printable(cell.column)[:60], f"item {quoted(cell.item)}", cell.text.strip()
        if not reading.columns.raters:
            who += f", rater {quoted(cell.rater)}"
        if text.startswith("[") and text.endswith("]"):
            how = f"a cell holds one rating, not a list; {READER}"
            raise CommandError(located(reading.path, cell.line, f"{column} is {quoted(text)} ({who}): {how}"))
        problems.add(cell.line, f"{column} is {quoted(text)} ({who}): {wrong[text]}{'' if problems.found else hint}")
    problems.check()


def _value(aspect: str, label: str | None, number: float | None) -> RatingValue:
    answer = direct(aspect, label, number)
    return RatingValue(answer, rate(answer)[1][0])


def _ticked_values(context: Context, counts: Mapping[str, int], reading: _Reading, request: RatingRequest) -> Values:
    """Return for each text a yes or no of every option."""
    prefix = f"{reading.aspect}: "
    known = [
        name.removeprefix(prefix)
        for name in imports.known_aspects(context.store, request.named_suite)
        if name.startswith(prefix)
    ]
    ticked = ticked_options(list(counts), known, request.merge)
    if not ticked.options:
        raise CommandError("no option is ticked anywhere, so there is nothing to import")
    words = {True: (YES, 1.0), False: (NO, 0.0)}
    return {
        text: [_value(f"{prefix}{option}", *words[option in options]) for option in ticked.options]
        for text, options in ticked.ticked.items()
    }


def _vote_value(text: str, aspect: str) -> RatingValue:
    vote = read_vote(text)
    answer = direct(aspect, vote.chosen, None)
    return RatingValue(answer, rate(answer)[1][0], {"generators": list(vote.generators), "vote": vote.written})


def _numbered(values: Values) -> tuple[dict[str, list[int]], list[RatingValue]]:
    """Return the distinct values, and by text their numbers: equal values have one number."""
    every: dict[str, int] = {}
    distinct: list[RatingValue] = []
    numbers: dict[str, list[int]] = {}
    for text, found in values.items():
        numbers[text] = []
        for value in found:
            key = repr((value.judgement, value.raw))
            if key not in every:
                every[key] = len(distinct)
                distinct.append(value)
            numbers[text].append(every[key])
    return numbers, distinct


def _bundle(
    context: Context,
    rows: Sequence[RatedItem],
    ids: Mapping[str, str],
    matched: Mapping[str, str],
    raters: Sequence[str],
    batch: RatingBatch,
    reading: _Reading,
    request: RatingRequest,
    sha256: str,
) -> ImportBundle:
    suite = request.named_suite
    named = _prompts(context, [row for row in rows if row.item not in matched], suite)
    items: dict[str, Item] = {}
    for row in rows:
        item_id = ids.get(row.item, row.item)
        if item_id not in items:
            prompt_id = named[row.prompt].prompt_id if row.prompt is not None and row.item not in matched else None
            items[item_id] = Item(item_id, suite, prompt_id, row.task, row.generator, "pair" if request.pair else "image")
    identity: Identity = "slot" if request.identity == "slot" else "person"
    people = {name: Rater(name, "scorer") if request.by_scorer else Rater(name, "human", identity) for name in raters}
    scale = str(reading.scale)
    return ImportBundle(
        request.import_kind,
        f"{suite} {reading.aspect}",
        sha256,
        prompts=list(named.values()),
        items=list(items.values()),
        raters=list(people.values()),
        scales=list(dict.fromkeys((suite, value.judgement.aspect, scale) for value in batch.values)),
        ratings=batch,
    )


def _prompts(context: Context, rows: Sequence[RatedItem], suite: str) -> dict[str, Prompt]:
    """Return by the file's own word for it a prompt of the project, named by its id, its number or its text, or a new one.

    A text that differs from the suite's by spaces or by Unicode's ways to write a character is the suite's, which is said.
    """
    known = {prompt.prompt_id: prompt for prompt in library.prompts_of_suite(context.store, suite)}
    texts = {prompt.text: prompt for prompt in reversed(known.values())}
    folded = {fold_spelling(prompt.text): prompt for prompt in reversed(known.values())}
    prompts: dict[str, Prompt] = {}
    nearly: list[str] = []
    for row in rows:
        if (word := row.prompt) is not None and word not in prompts:
            own = f"{suite}/{word}"
            found = known.get(word) or known.get(own) or texts.get(word)
            if found is None and (found := folded.get(fold_spelling(word))) is not None:
                nearly.append(word)
            prompts[word] = found or Prompt(own, suite, word, row.task)
            folded.setdefault(fold_spelling(word), prompts[word])
    if nearly:
        context.say(
            f"{wording.count(len(nearly), 'prompt')} written otherwise (spaces, quotes, signs) taken for the same:"
            f" {first_few(map(quoted, nearly))}"
        )
    return prompts


def _preview(context: Context, bundle: ImportBundle, aspect: str) -> None:
    """Say the first ratings as they would be stored."""
    lines = [("item", "rater", aspect)]
    for item_id, rater_id, judgement in bundle.ratings.first(EXAMPLES) if bundle.ratings is not None else ():
        value: Any = judgement.label or judgement.reason or judgement.value
        named = f"{judgement.aspect}: " if judgement.aspect != aspect else ""
        lines.append((item_id, rater_id, f"{named}{value}"))
    context.say(*text_tables.aligned([[printable(cell)[:80] for cell in line] for line in lines]))


def _reasons(left_out: Mapping[str, int]) -> str:
    return first_few(f"{n:,} {why}" for why, n in left_out.items())
