"""``import ratings`` without options: ratings as ``export ratings`` wrote them, which give the same numbers again.

What such a file does not hold is not made up: prompts come without their texts (``import prompts`` brings them), images
without files, raters without version and settings.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path

from agreement import Scale
from data.aspects import YES_NO_ASPECTS
from data.export.ratings import SIMULATED, ExportedRating, read_exported_ratings
from data.records import Annotation, Evidence, Identity, Item, Prompt, Rater
from data.store import imports, library
from data.store.imports import ImportBundle
from ui import words
from ui.commands.context import CommandError, Context, digest, report
from ui.commands.derive import DIRECT, converter, direct, rate

_NAMESPACE = uuid.UUID("9a4a1d0e-3c1b-4d8e-9a39-51d1c8b5b7de")


def run(context: Context, path: Path) -> None:
    """Add the file's ratings, all or nothing. The same ratings again, in whichever format, are the same import."""
    bundle, summary = bundle_of(context, path)
    (imported,) = imports.apply(context.store, [bundle])
    report(context, summary, imported)


def bundle_of(context: Context, path: Path) -> tuple[ImportBundle, str]:
    """The file's ratings as an import, and what they are.

    Raises:
        CommandError: there are none in it.
        InputError: it is no such file.
    """
    found = read_exported_ratings(path, _convert)
    if not found.rows:
        raise CommandError(f"{path}: no ratings in it ({found.empty} rows have no value)")
    bundle = _bundle(context, found.rows)
    what = [words.count(len(found.rows), "rating"), words.count(len(bundle.items), "item")]
    left = f", {found.empty} rows without a value skipped" if found.empty else ""
    return bundle, f"{' of '.join(what)} by {words.count(len(bundle.raters), 'rater')}{left}"


def _convert(scale: str, aspect: str, value: str) -> tuple[str, str | None, float | None]:
    parsed = Scale.parse(scale)
    label, number = converter(parsed, aspect)(value)
    # labels without order are compared letter by letter, so none may change on the way
    exact = parsed.kind == "nominal" and aspect not in YES_NO_ASPECTS
    return str(parsed), value if exact else label, number


def _bundle(context: Context, ratings: Sequence[ExportedRating]) -> ImportBundle:
    sha256 = digest(*(repr(_content(rating)) for rating in ratings))
    suites = sorted({rating.suite for rating in ratings})
    named = {suite: _Prompts(context, suite) for suite in suites}
    items = {r.item: Item(r.item, r.suite, named[r.suite].prompt_id(r.prompt, r.task), r.task, r.generator) for r in ratings}
    annotations, evidence = _said(ratings, sha256)
    return ImportBundle(
        "ratings",
        ", ".join(suites),
        sha256,
        prompts=[prompt for suite in suites for prompt in named[suite].new.values()],
        items=list(items.values()),
        raters=list({rating.rater: _rater(rating) for rating in ratings}.values()),
        scales=list(dict.fromkeys((rating.suite, rating.aspect, rating.scale) for rating in ratings)),
        annotations=annotations,
        evidence=evidence,
    )


def _content(rating: ExportedRating) -> tuple[object, ...]:
    """All but where it stood."""
    return tuple(getattr(rating, name) for name in ExportedRating.__slots__ if name != "line")


def _said(ratings: Iterable[ExportedRating], sha256: str) -> tuple[list[Annotation], list[Evidence]]:
    annotations: list[Annotation] = []
    evidence: list[Evidence] = []
    for n, rating in enumerate(ratings):
        source_id = str(uuid.uuid5(_NAMESPACE, f"{sha256}/{n}"))
        said = direct(rating.aspect, rating.label, rating.number, rating.target)
        if rating.kind == "scorer":
            version, judgements = rate(said)
            evidence.append(Evidence(source_id, rating.item, rating.rater, said, judgements, version))
        else:
            version, judgements = rate(said)
            annotations.append(Annotation(source_id, rating.item, rating.rater, DIRECT, said, judgements, version))
    return annotations, evidence


def _rater(rating: ExportedRating) -> Rater:
    if rating.kind == "scorer":
        return Rater(rating.rater, "scorer")
    identity: Identity = "slot" if rating.identity == "slot" else "person"
    return Rater(rating.rater, "human", identity, simulated=rating.kind == SIMULATED)


class _Prompts:
    """A suite's prompts, by the file's word for them: an id as Concord writes it, or else a text of its own."""

    def __init__(self, context: Context, suite: str) -> None:
        self._suite = suite
        self._ids = {prompt.text: prompt.prompt_id for prompt in reversed(library.prompts_of_suite(context.store, suite))}
        self.new: dict[str, Prompt] = {}

    def prompt_id(self, word: str | None, task: str | None) -> str | None:
        # the text of an id that the project does not know is unknown, and comes with its prompts
        if word is None or word.startswith(f"{self._suite}/"):
            return word
        if word in self._ids:
            return self._ids[word]
        return self.new.setdefault(word, Prompt(f"{self._suite}/{word}", self._suite, word, task)).prompt_id
