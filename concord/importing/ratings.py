"""``import ratings``: anybody's table of ratings, as people's answers or scorers' evidence.

``rating_request`` says what is asked for, ``rating_table`` how the table is read, ``rating_values`` what its texts mean,
``rating_items`` which images it is about.
"""

from __future__ import annotations

import gc
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from concord.common import wording
from concord.common.context import CommandError, Context, import_bundle, was_imported
from concord.common.table import texts
from concord.common.text_tables import aligned
from concord.importing.exported_files import import_exported_ratings
from concord.importing.rating_items import EXAMPLES, first_few, match_items
from concord.importing.rating_request import KEEP_APART, RatingRequest, check_request
from concord.importing.rating_table import RatingReading, read_table_of_ratings
from concord.importing.rating_values import (
    ReadValue,
    ask_about_missing,
    decimal_commas,
    is_missing,
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
from data.ratings.json_ratings import READER
from data.ratings.name_matching import Clash, choose_spellings
from data.ratings.rating_tables import (
    RatedItem,
    read_vote,
)
from data.records import Identity, Item, Prompt, Rater
from data.store import imports, library
from data.store.core.frame import TUNED_RATINGS
from data.store.imports import ImportBundle
from data.store.judgements.rating_batch import RatingBatch, RatingValue
from data.store.rating_columns import FileRatings, file_ratings

_NAMESPACE = uuid.UUID("0f4f7a0b-5c0f-4e0b-8f3b-0a3f6a1f8a55")


def import_ratings(context: Context, file: str, request: RatingRequest, dry_run: bool = False) -> ImportBundle | None:
    """Import a table of ratings as the request describes it. With ``dry_run`` nothing is stored.

    Return what the file brings; None if it was imported before. An empty request is for a file of ``export ratings``.

    Raises:
        CommandError, InputError: the file, or a part of it, could mean two things; nothing is stored.
    """
    path = context.file(file)
    if request.is_empty and not dry_run:
        return import_exported_ratings(context, path)
    check_request(request)
    with _no_collection():
        return _import_table(context, path, request, dry_run)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep Python from looking for cycles: among a million rows there are none, and looking takes a tenth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _import_table(context: Context, path: Path, request: RatingRequest, dry_run: bool) -> ImportBundle | None:
    table, reading = read_table_of_ratings(context, path, request)
    sha256 = request.digest(path, reading.aspect, reading.scale)
    if was_imported(context, _import_kind(request), sha256):
        return None
    with file_ratings(context.store, table, reading.columns) as ratings:
        # what is loaded is not needed twice
        del table
        bundle, summary = _bundle_of(context, ratings, reading, request, sha256)
    if dry_run:
        _preview(context, bundle, reading.aspect)
    import_bundle(context, bundle, summary, dry_run)
    return bundle


def _import_kind(request: RatingRequest) -> str:
    """Return the kind by which the project knows an import; it tells what is tuned on people's labels."""
    return TUNED_RATINGS if request.saw_labels else "ratings"


def _bundle_of(
    context: Context, ratings: FileRatings, reading: RatingReading, request: RatingRequest, sha256: str
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
    table = ratings.stored_ratings({text: numbers[stripped[text]] for text in texts if text not in gone}, raters, ids)
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
    reading: RatingReading,
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


def _read_values(ratings: FileRatings, counts: Mapping[str, int], reading: RatingReading, read: ReadValue) -> Values:
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


def _refuse_values(ratings: FileRatings, reading: RatingReading, wrong: Mapping[str, str]) -> None:
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


def _ticked_values(context: Context, counts: Mapping[str, int], reading: RatingReading, request: RatingRequest) -> Values:
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
    reading: RatingReading,
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
        _import_kind(request),
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
    rows = []
    for item_id, rater_id, judgement in bundle.ratings.first(EXAMPLES) if bundle.ratings is not None else ():
        value: Any = judgement.label or judgement.reason or judgement.value
        named = f"{judgement.aspect}: " if judgement.aspect != aspect else ""
        rows.append([printable(text)[:80] for text in (item_id, rater_id, f"{named}{value}")])
    context.say(*aligned(texts("The first ratings", ("item", "rater", printable(aspect)[:80]), rows)))


def _reasons(left_out: Mapping[str, int]) -> str:
    return first_few(f"{n:,} {why}" for why, n in left_out.items())
